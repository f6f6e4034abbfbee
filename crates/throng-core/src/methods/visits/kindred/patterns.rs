//! What may be published of a path: itself if m visitors have it, else the pattern with the most kept that m visitors share.
//!
//! # Idea
//! 1. A path is cut into segments. Those that are digits, hex, UUIDs or dates may become `*` wherever they stand; every path may lose its
//!    tail, `/a/b/c` to `/a/b/*`, `/a/*`, `/*`. Both together: what may stand before a lost tail may have `*` inside, too.
//! 2. These are the ways up of a path, those that keep most segments first; with as many, those that lose no tail, then those with the
//!    longer literal beginning, then by text.
//! 3. Every visitor counts once for their paths and for every way up of these. A path of fewer than m visitors is published as the first of
//!    its ways up that m visitors have; where even `/*` has fewer, a line has no path.
//!
//! Where somebody gave a tree, what is in it has the patterns above it there for its ways up, and no others; `/*` is above them all.
//!
//! A visitor counts for a pattern that is a way up of a path of theirs; a pattern may cover paths of still more (`/user/*/edit` covers
//! `/user/ann/edit`), which only makes it more shared.
//!
//! # Cost
//! O(paths · ways + pairs of visitor and path · ways), at most 16 ways for each length of a path.

use crate::data::queries::MISSING;
use crate::data::visits::pattern::{ANY, is_page, is_pattern, written};
use crate::data::visits::{Part, PathTree};
use crate::data::{Interner, Strings, Visits};

/// At most so many segments of a path may become `*` one by one.
const MOST_WILD: usize = 4;

/// The texts that paths may become, and what each path becomes.
#[derive(Debug)]
pub(super) struct Patterns {
    texts: Strings,
    /// For each text how many visitors have it.
    visitors: Vec<u32>,
    /// For each path of the log its own text.
    own: Vec<u32>,
    /// For each path of the log the text that it is published as, or [`MISSING`].
    published: Vec<u32>,
    /// For each text the ways up that m visitors have, the one that keeps most first.
    ups: Vec<Vec<u32>>,
    /// Whether a text is that of an asset, or stands for more lines of assets than of pages.
    is_asset: Vec<bool>,
    /// For each text the number of its first segment.
    sections: Vec<u32>,
}

impl Patterns {
    /// Of all paths of a log, with a threshold of so many visitors.
    pub(super) fn of(visits: &Visits, min_persons: usize) -> Self {
        let mut interner = Interner::new();
        let own: Vec<u32> = visits.texts(Part::Path).iter().map(|path| interner.intern(&written(path))).collect();
        // Patterns are known after the paths; what is above a pattern is known after it.
        let mut ups: Vec<Vec<u32>> = Vec::new();
        while ups.len() < interner.strings().len() {
            let above = ways_along(interner.strings().get(ups.len() as u32), visits.tree());
            ups.push(above.iter().map(|way| interner.intern(way)).collect());
        }
        let texts = interner.into_strings();
        let mut visitors = vec![0u32; texts.len()];
        let mut last = vec![MISSING; texts.len()];
        for person in 0..visits.persons() as u32 {
            let mut count = |text: u32| {
                if last[text as usize] != person {
                    last[text as usize] = person;
                    visitors[text as usize] += 1;
                }
            };
            for path in visits.set_of(person as usize, Part::Path) {
                let text = own[path as usize];
                count(text);
                ups[text as usize].iter().for_each(|&up| count(up));
            }
        }
        let is_shared = |text: &u32| visitors[*text as usize] as usize >= min_persons;
        ups.iter_mut().for_each(|ups| ups.retain(is_shared));
        let publish = |text: &u32| match is_shared(text) {
            true => *text,
            false => ups[*text as usize].first().copied().unwrap_or(MISSING),
        };
        let published: Vec<u32> = own.iter().map(publish).collect();
        let mut lines = vec![[0u64; 2]; texts.len()];
        for &path in visits.column(Part::Path).iter().filter(|&&path| path != MISSING) {
            let asset = usize::from(!is_page(visits.texts(Part::Path).get(path)));
            let text = published[path as usize];
            if text != MISSING {
                lines[text as usize][asset] += 1;
            }
        }
        let is_asset = texts.iter().zip(&lines);
        let is_asset = is_asset
            .map(|(text, [pages, assets])| if is_pattern(text) { assets > pages } else { !is_page(text) })
            .collect();
        let mut names = Interner::new();
        let first = |text: &str| names.intern(text.trim_start_matches('/').split('/').next().unwrap_or_default());
        let sections = texts.iter().map(first).collect();
        Self { texts, visitors, own, published, ups, is_asset, sections }
    }

    /// All texts.
    pub(super) fn texts(&self) -> &Strings {
        &self.texts
    }

    /// How many visitors have a text.
    pub(super) fn visitors(&self, text: u32) -> usize {
        self.visitors[text as usize] as usize
    }

    /// The text of a path itself.
    pub(super) fn own(&self, path: u32) -> u32 {
        self.own[path as usize]
    }

    /// What a path of the log is published as; [`MISSING`] for no path, and for one that has nothing to be published as.
    pub(super) fn published(&self, path: u32) -> u32 {
        if path == MISSING { MISSING } else { self.published[path as usize] }
    }

    /// The ways up of a text that m visitors have.
    pub(super) fn ups(&self, text: u32) -> &[u32] {
        if text == MISSING { &[] } else { &self.ups[text as usize] }
    }

    /// The number of a text's first segment.
    pub(super) fn section(&self, text: u32) -> u32 {
        if text == MISSING { MISSING } else { self.sections[text as usize] }
    }

    /// Whether a text is that of an asset; what has no path is laid as assets are.
    pub(super) fn is_asset(&self, text: u32) -> bool {
        text == MISSING || self.is_asset[text as usize]
    }
}

/// The patterns that a path, or a pattern, may become: those above it in a given tree that has it, else those of the site's own.
fn ways_along(text: &str, tree: Option<&PathTree>) -> Vec<String> {
    let Some(tree) = tree.filter(|tree| tree.has(text)) else { return ways_up(text) };
    let mut ways: Vec<String> = tree.above(text).map(str::to_owned).collect();
    if ways.last().is_none_or(|last| last != ANY) {
        ways.push(ANY.to_owned());
    }
    ways
}

/// The patterns that a path, or a pattern, may become along the site's own tree, the one that keeps most first.
fn ways_up(text: &str) -> Vec<String> {
    let Some(rest) = text.strip_prefix('/') else { return vec![ANY.to_owned()] };
    if text == ANY {
        return Vec::new();
    }
    let segments: Vec<&str> = rest.split('/').collect();
    let wild: Vec<usize> = (0..segments.len()).filter(|&at| is_wild(segments[at])).take(MOST_WILD).collect();
    let mut ways: Vec<Way> = Vec::new();
    for length in (0..=segments.len()).rev() {
        let is_cut = length < segments.len();
        let inside: Vec<usize> = wild.iter().copied().filter(|&at| at < length).collect();
        for mask in 0..1u32 << inside.len() {
            let is_out = |at: usize| inside.iter().zip(0..).any(|(&own, bit)| own == at && mask >> bit & 1 == 1);
            // A `*` right before a lost tail says no more than a longer tail does.
            let ends_wild = length > 0 && (is_out(length - 1) || segments[length - 1] == "*");
            // A lost tail has at least a letter, unless it is all of a path.
            let loses_nothing = length > 0 && length + 1 == segments.len() && segments[length].is_empty();
            if (is_cut && (ends_wild || loses_nothing)) || (!is_cut && mask == 0) {
                continue;
            }
            let mut words: Vec<&str> = (0..length).map(|at| if is_out(at) { "*" } else { segments[at] }).collect();
            let literal = words.iter().take_while(|word| **word != "*").count();
            let kept = words.iter().filter(|word| **word != "*").count();
            if is_cut {
                words.push("*");
            }
            ways.push(Way { kept, is_cut, literal, text: format!("/{}", words.join("/")) });
        }
    }
    ways.sort_by(|left, right| {
        (right.kept.cmp(&left.kept))
            .then(left.is_cut.cmp(&right.is_cut))
            .then(right.literal.cmp(&left.literal))
            .then_with(|| left.text.cmp(&right.text))
    });
    let mut texts: Vec<String> = Vec::with_capacity(ways.len());
    for way in ways.into_iter().filter(|way| way.text != text) {
        if !texts.contains(&way.text) {
            texts.push(way.text);
        }
    }
    texts
}

struct Way {
    /// How many segments stay as they are.
    kept: usize,
    is_cut: bool,
    /// How many of them are before the first `*`.
    literal: usize,
    text: String,
}

/// Whether a segment is digits, hex, a UUID or a date: something that numbers things, and not their name.
fn is_wild(segment: &str) -> bool {
    let bytes = segment.as_bytes();
    let all = |is: fn(&u8) -> bool| !bytes.is_empty() && bytes.iter().all(is);
    if all(u8::is_ascii_digit) {
        return true;
    }
    let has_digit = bytes.iter().any(u8::is_ascii_digit);
    if all(u8::is_ascii_hexdigit) {
        return (has_digit && bytes.len() >= 6) || bytes.len() >= 16;
    }
    let is_uuid = |parts: &[&str]| {
        parts.iter().map(|part| part.len()).eq([8, 4, 4, 4, 12])
            && parts.iter().all(|part| part.bytes().all(|byte| byte.is_ascii_hexdigit()))
    };
    if is_uuid(&segment.split('-').collect::<Vec<_>>()) {
        return true;
    }
    let is_date = |separator: char| {
        let parts: Vec<&str> = segment.split(separator).collect();
        let is_number = |part: &&str| (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
        (2..=3).contains(&parts.len()) && parts.iter().all(is_number) && parts.iter().any(|part| part.len() == 4)
    };
    ['-', '_', '.'].into_iter().any(is_date)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::data::VisitsBuilder;
    use crate::data::visits::Visit;
    use crate::data::visits::pattern::covers;

    pub(super) fn log(lines: &[(&str, &str)]) -> Visits {
        let mut builder = VisitsBuilder::new();
        for &(name, path) in lines {
            let mut visit = Visit::default();
            visit.texts[Part::Path as usize] = Some(path);
            builder.push(name, &visit, 1);
        }
        builder.finish().0
    }

    fn published(lines: &[(&str, &str)], min_persons: usize) -> Vec<String> {
        let visits = log(lines);
        let patterns = Patterns::of(&visits, min_persons);
        let text = |path: u32| match patterns.published(path) {
            MISSING => "-".to_owned(),
            text => patterns.texts().get(text).to_owned(),
        };
        (0..visits.texts(Part::Path).len() as u32).map(text).collect()
    }

    #[test]
    fn segments_that_number_things() {
        for wild in
            ["8123", "0", "deadbeef01", "2024-03-07", "2024-03", "07.03.2024", "123e4567-e89b-12d3-a456-426614174000"]
        {
            assert!(is_wild(wild), "{wild}");
        }
        for name in ["", "edit", "facade", "decade", "a1", "v2", "12-34", "river-8", "8123.html", "1-2-3"] {
            assert!(!is_wild(name), "{name}");
        }
    }

    #[test]
    fn ways_up_by_hand() {
        assert_eq!(ways_up("/user/8123/edit"), ["/user/*/edit", "/user/8123/*", "/user/*", "/*"]);
        assert_eq!(ways_up("/blog/a"), ["/blog/*", "/*"]);
        assert_eq!(ways_up("/7/8"), ["/7/*", "/*/8", "/*/*", "/*"]);
        assert_eq!(ways_up("/"), ["/*"]);
        assert_eq!(ways_up("/blog/"), ["/*"]);
        assert_eq!(ways_up("/user/7/"), ["/user/*/", "/user/*", "/*"]);
        assert_eq!(ways_up("/*"), [""; 0]);
        assert_eq!(ways_up("%2A"), ["/*"]);
        assert_eq!(ways_up("/user/*/edit"), ["/user/*", "/*"]);
    }

    #[test]
    fn paths_become_patterns_by_hand() {
        let lines = [
            ("a", "/user/1/edit"),
            ("b", "/user/2/edit"),
            ("c", "/user/3/edit"),
            ("a", "/blog/x"),
            ("b", "/blog/y"),
            ("c", "/blog/z/1"),
            ("a", "/blog/x"),
            ("a", "/in"),
            ("b", "/in"),
            ("c", "/in"),
            ("a", "/secret"),
            ("a", "/st*r"),
            ("b", "/st*r"),
            ("c", "/st%2Ar"),
        ];
        assert_eq!(
            published(&lines, 3),
            [
                "/user/*/edit",
                "/user/*/edit",
                "/user/*/edit",
                "/blog/*",
                "/blog/*",
                "/blog/*",
                "/in",
                "/*",
                "/st%2Ar",
                "/st%2Ar"
            ]
        );
        // Too few for anything, and no threshold.
        assert_eq!(published(&lines[..2], 3), ["-", "-"]);
        assert_eq!(published(&lines[..2], 1), ["/user/1/edit", "/user/2/edit"]);
    }

    /// By the given tree three visitors share `/shop/*`, though the site's own would have kept `/shop/7/*`; what it does not have goes up as ever.
    #[test]
    fn a_given_tree_overrules_the_sites_own() {
        let lines = [
            ("a", "/shop/7/x"),
            ("b", "/shop/7/y"),
            ("c", "/shop/7/z"),
            ("a", "/help/1"),
            ("b", "/help/2"),
            ("c", "/help/3"),
            ("a", "/odd/1"),
            ("b", "/odd/2"),
        ];
        assert_eq!(published(&lines, 3)[..3], ["/shop/7/*"; 3]);
        let file = "child,parent\n/shop/7/x,/shop/*/x\n/shop/*/x,/shop/*\n/shop/7/y,/shop/*\n/shop/7/z,/shop/*\n/odd/1,/odd/*\n";
        let visits = log(&lines).with_tree(std::sync::Arc::new(PathTree::read(file).unwrap()));
        let patterns = Patterns::of(&visits, 3);
        let texts: Vec<&str> = (0..8).map(|path| patterns.texts().get(patterns.published(path))).collect();
        // The first is under a node that it has alone, and goes one further; two visitors of /odd are too few.
        assert_eq!(texts, ["/shop/*", "/shop/*", "/shop/*", "/help/*", "/help/*", "/help/*", "/*", "/*"]);
    }

    proptest! {
        /// Every way up covers its path; what is published is the first way up, in the order of what is kept, that m visitors have, counted
        /// plainly; and true coverage is never less.
        #[test]
        fn like_the_slow_reference(
            lines in prop::collection::vec((0..5u8, prop::collection::vec(prop_oneof!["[ab]", "[12]", Just(String::new())], 0..4)), 1..20),
            min_persons in 1..4usize,
        ) {
            let lines: Vec<(String, String)> =
                lines.iter().map(|(who, words)| (who.to_string(), format!("/{}", words.join("/")))).collect();
            let lines: Vec<(&str, &str)> = lines.iter().map(|(who, path)| (who.as_str(), path.as_str())).collect();
            let found = published(&lines, min_persons);
            let visits = log(&lines);
            let who = |is_had: &dyn Fn(&str) -> bool| {
                let mut who: Vec<&str> = lines.iter().filter(|(_, path)| is_had(path)).map(|(who, _)| *who).collect();
                who.sort_unstable();
                who.dedup();
                who.len()
            };
            for (path, found) in visits.texts(Part::Path).iter().zip(&found) {
                let mut chain = vec![path.to_owned()];
                chain.extend(ways_up(path));
                prop_assert!(chain.iter().all(|way| covers(way, path)), "{chain:?}");
                let has = |way: &str| who(&|other| other == way || ways_up(other).iter().any(|up| up == way));
                let first = chain.iter().find(|way| has(way) >= min_persons);
                prop_assert_eq!(found, first.map_or("-", |way| way.as_str()));
                if let Some(way) = first {
                    prop_assert!(who(&|other| covers(way, other)) >= has(way));
                }
            }
        }
    }
}
