//! Which of the things that a policy names a text mentions.
//!
//! # Rules
//! - A **concept** is mentioned by a run of words that is called as it, or as something under it: in WordNet by its first sense, over all
//!   hypernyms; words inside a longer name count, too (`breast cancer research` mentions cancer). A concept is named as WordNet's senses are
//!   (`disease.n.01`), or as the taxonomy names it (`disease`, `bank#2`).
//! - **Words** are those of `--drop`: all of them in any order, a `"whole text"` or a `/pattern/`; but accents do not count.
//! - A **path** is that of a web address or a path by itself: `*` is anything within a part, `**` any parts. Case does not count.
//! - Of **identifying content** finders know.
//!
//! A text is looked at in all the ways in which people may read it (`drop_list::Seen`): escapes, accents and what is not seen do not hide anything.
//! Where texts are published without their marks, they are held against what the original mentions by them ([`Matcher::traces_in`]).

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};

use throng_core::concepts::{Mapper, Scratch};
use throng_core::error::nearest;
use throng_core::finders::traces::words_of;
use throng_core::finders::{self, COUNT, Finders, Hit};
use throng_core::taxonomy::Taxonomy;
use throng_core::text::normal::normal_words;
use throng_core::{Error, Result};

use super::{Atom, Place, Policy, Rule, Then, What, finders_of};
use crate::content;
use crate::drop_list::{self, Bars, Seen};
use crate::kinds::Ask;

/// Names of concepts that have so many words, at most, are known in whichever order they stand.
const LONGEST_NAME: usize = 4;

thread_local! {
    /// Buffers for texts that are looked at one by one, by many threads.
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// What a policy looks for in texts.
#[derive(Debug)]
pub struct Matcher {
    /// What is looked for, in order; numbers below are of this list.
    atoms: Vec<Atom>,
    words: Vec<(u32, drop_list::What)>,
    paths: Vec<(u32, Vec<String>)>,
    finders: Option<(Finders, BTreeMap<usize, Vec<u32>>)>,
    /// The words that are looked for, by one that none of them is without; those that have none.
    by_word: HashMap<String, Vec<usize>>,
    without_word: Vec<usize>,
    concepts: Option<Concepts>,
    /// What is left out of an original, and made more general in it.
    left_out: Vec<u32>,
    generalised: Vec<u32>,
    /// What no text may mention, whatever becomes of it.
    forbidden: Vec<u32>,
    /// Rules of several words, of those that leave something out: name and line.
    several_words: Option<(String, u64)>,
}

#[derive(Debug)]
struct Concepts {
    mapper: Mapper,
    /// The node of each concept.
    nodes: Vec<(u32, u32)>,
}

impl Matcher {
    /// What the rules of a policy look for that are about a kind of data; all rules where none is named.
    pub fn of(policy: &Policy, kind: Option<&str>, ask: &Ask) -> Result<Self> {
        Self::with(policy, kind, || Ok(ask.knowledge()?.mapper))
    }

    /// The same with something that finds concepts, which is asked for where there are some.
    pub(super) fn with(policy: &Policy, kind: Option<&str>, mapper: impl FnOnce() -> Result<Mapper>) -> Result<Self> {
        let is_about = |rule: &&Rule| kind.is_none_or(|kind| Policy::is_about(rule, kind));
        let mut places: Vec<&Place> = policy.rules.iter().filter(is_about).flat_map(Rule::named).collect();
        places.sort_by(|left, right| left.atom.cmp(&right.atom));
        places.dedup_by(|later, first| later.atom == first.atom);
        let atoms: Vec<Atom> = places.iter().map(|place| place.atom.clone()).collect();
        let numbers_of = |then: Then| {
            let own = policy
                .rules
                .iter()
                .filter(is_about)
                .filter(|rule| matches!(&rule.what, What::Mentions { then: own, .. } if *own == then));
            let mut numbers: Vec<u32> = own
                .flat_map(Rule::places)
                .filter_map(|place| atoms.binary_search(&place.atom).ok())
                .map(|at| at as u32)
                .collect();
            numbers.sort_unstable();
            numbers.dedup();
            numbers
        };
        let (left_out, generalised) = (numbers_of(Then::LeaveOut), numbers_of(Then::Generalise));
        let is_ban = |rule: &&Rule| matches!(&rule.what, What::Mentions { .. } | What::Never { after: None, .. });
        let banned = policy.rules.iter().filter(is_about).filter(is_ban).flat_map(Rule::places);
        let mut forbidden: Vec<u32> =
            banned.filter_map(|place| atoms.binary_search(&place.atom).ok()).map(|at| at as u32).collect();
        forbidden.sort_unstable();
        let (mut words, mut paths, mut sorts, mut concepts) = (Vec::new(), Vec::new(), BTreeMap::new(), Vec::new());
        for (at, place) in (0u32..).zip(&places) {
            let wrong = |error: Error| error.at_line(place.line).in_column(place.column.to_string());
            match &place.atom {
                Atom::Word(text) => words.push((at, drop_list::What::parse(text).map_err(wrong)?.plain())),
                Atom::Path(text) => paths.push((at, parts(text))),
                Atom::Field(name) => {
                    finders_of(name)
                        .into_iter()
                        .for_each(|finder| sorts.entry(finder).or_insert_with(Vec::new).push(at));
                }
                Atom::Concept(_) => concepts.push((at, *place)),
            }
        }
        let finders = if sorts.is_empty() {
            None
        } else {
            let mut wanted = [false; COUNT];
            sorts.keys().for_each(|&finder| wanted[finder] = true);
            Some((content::finders(wanted)?, sorts))
        };
        let concepts = if concepts.is_empty() { None } else { Some(Concepts::of(&concepts, mapper()?)?) };
        let is_several = |number: &&u32| {
            words.iter().any(|(at, what): &(u32, drop_list::What)| at == *number && what.has_several_words())
        };
        let several_words = left_out.iter().find(is_several).and_then(|&number| {
            let atom = &atoms[number as usize];
            let rule = policy.rules.iter().find(|rule| rule.places().iter().any(|place| place.atom == *atom))?;
            Some((rule.name.clone(), rule.line))
        });
        let (mut by_word, mut without_word) = (HashMap::<String, Vec<usize>>::new(), Vec::new());
        for (place, (_, what)) in words.iter().enumerate() {
            match what.first_word() {
                Some(word) => by_word.entry(word.to_owned()).or_default().push(place),
                None => without_word.push(place),
            }
        }
        Ok(Self {
            atoms,
            words,
            by_word,
            without_word,
            paths,
            finders,
            concepts,
            left_out,
            generalised,
            forbidden,
            several_words,
        })
    }

    /// What is looked for.
    pub fn atoms(&self) -> &[Atom] {
        &self.atoms
    }

    /// The number of something that is looked for.
    pub(super) fn number(&self, atom: &Atom) -> Option<usize> {
        self.atoms.binary_search(atom).ok()
    }

    /// Whether words are looked for that no single word has.
    pub(super) fn has_several_words(&self, atom: &Atom) -> bool {
        let Some(number) = self.number(atom) else { return false };
        self.words.iter().any(|(at, what)| *at as usize == number && what.has_several_words())
    }

    /// What a text mentions, as numbers in rising order.
    pub fn mentioned(&self, text: &str, scratch: &mut Scratch) -> Vec<u32> {
        let seen = Seen::of(text).and_plain();
        let mut found: Vec<u32> = Vec::new();
        if !self.words.is_empty() {
            // Of a long list only what has one of the words of a text.
            let mut possible: Vec<usize> =
                seen.words.iter().flatten().filter_map(|word| self.by_word.get(word)).flatten().copied().collect();
            possible.extend(&self.without_word);
            possible.sort_unstable();
            possible.dedup();
            let is_met = |place: &usize| self.words[*place].1.is_in(&seen);
            found.extend(possible.into_iter().filter(is_met).map(|place| self.words[place].0));
        }
        if !self.paths.is_empty() {
            let paths = paths_of(&seen);
            let is_met = |pattern: &Vec<String>| paths.iter().any(|path| matches_path(pattern, path));
            found.extend(self.paths.iter().filter(|(_, pattern)| is_met(pattern)).map(|(at, _)| *at));
        }
        if let Some((finders, sorts)) = &self.finders {
            let hits = finders.find_plainly(text);
            found.extend(hits.iter().filter_map(|hit| sorts.get(&hit.finder)).flatten());
        }
        if let Some(concepts) = &self.concepts {
            concepts.mentioned(&seen, scratch, &mut found);
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// What a text of an original mentions by its marks or by the order of its words, each with the words that are left of it where
    /// both are gone.
    pub(super) fn traces_in(&self, text: &str, scratch: &mut Scratch) -> Vec<(Vec<String>, u32)> {
        let mut traces = Vec::new();
        for place in &self.without_word {
            let (at, what) = &self.words[*place];
            let words = |found: std::ops::Range<usize>| {
                let hit = Hit { start: found.start, end: found.end, finder: 0 };
                (words_of(&hit, text), *at)
            };
            traces.extend(what.found_in(text).into_iter().map(words));
        }
        if let Some((finders, sorts)) = &self.finders {
            let mut hits = Vec::new();
            finders.find(text, &mut finders::Scratch::default(), &mut hits);
            for hit in hits {
                let words = words_of(&hit, text);
                traces.extend(sorts.get(&hit.finder).into_iter().flatten().map(|&at| (words.clone(), at)));
            }
        }
        if !self.paths.is_empty() {
            let paths = paths_of(&Seen::of(text));
            let is_met = |pattern: &Vec<String>| paths.iter().any(|path| matches_path(pattern, path));
            for (at, pattern) in self.paths.iter().filter(|(_, pattern)| is_met(pattern)) {
                let words = normal_words(&pattern.join(" ").replace('*', " "));
                if words.is_empty() {
                    // It is about every path: each word of this one is of it.
                    traces.extend(normal_words(text).into_iter().map(|word| (vec![word], *at)));
                } else {
                    traces.push((words, *at));
                }
            }
        }
        if let Some(concepts) = &self.concepts {
            let (words, mut whole) = (normal_words(text), Vec::new());
            concepts.mentioned(&Seen::of(text), scratch, &mut whole);
            let words = if whole.is_empty() { &[] } else { words.as_slice() };
            for window in (2..=LONGEST_NAME).flat_map(|length| words.windows(length)) {
                let mut found = Vec::new();
                concepts.mentioned(&Seen::of(&window.join(" ")), scratch, &mut found);
                traces.extend(found.into_iter().map(|at| (window.to_vec(), at)));
            }
        }
        traces
    }

    /// Whether something is left out of an original.
    pub(crate) fn leaves_something_out(&self) -> bool {
        !self.left_out.is_empty()
    }

    /// Whether a text mentions what no record may.
    pub(crate) fn forbids(&self, text: &str) -> bool {
        !self.forbidden.is_empty() && self.mentions_one_of(&self.forbidden, text)
    }

    /// Whether something is made more general in an original.
    pub(crate) fn generalises_something(&self) -> bool {
        !self.generalised.is_empty()
    }

    /// Whether a text says what is made more general.
    pub(crate) fn generalises(&self, text: &str) -> bool {
        self.mentions_one_of(&self.generalised, text)
    }

    fn mentions_one_of(&self, numbers: &[u32], text: &str) -> bool {
        SCRATCH.with_borrow_mut(|scratch| {
            self.mentioned(text, scratch).iter().any(|number| numbers.binary_search(number).is_ok())
        })
    }
}

/// What a policy leaves out of an original.
pub struct LeavesOut<'a>(pub &'a Matcher);

impl Bars for LeavesOut<'_> {
    fn bars(&self, text: &str) -> bool {
        self.0.mentions_one_of(&self.0.left_out, text)
    }

    fn refuse_several_words(&self) -> Result<()> {
        match &self.0.several_words {
            None => Ok(()),
            Some((name, line)) => Err(Error::refused(format!(
                "the rule `{name}` leaves out what has several words, but texts are published as single words"
            ))
            .at_line(*line)
            .with_hint("name the words that are left out one by one")),
        }
    }
}

impl Concepts {
    fn of(wanted: &[(u32, &Place)], mapper: Mapper) -> Result<Self> {
        let node = |&(at, place): &(u32, &Place)| {
            let wrong = |error: Error| error.at_line(place.line).in_column(place.column.to_string());
            Ok((at, concept(mapper.taxonomy(), place.atom.name()).map_err(wrong)?))
        };
        let nodes = wanted.iter().map(node).collect::<Result<_>>()?;
        Ok(Self { mapper, nodes })
    }

    fn mentioned(&self, seen: &Seen, scratch: &mut Scratch, found: &mut Vec<u32>) {
        let mut about: Vec<u32> = Vec::new();
        let taxonomy = self.mapper.taxonomy();
        // An item may be called as its node is, marks and all.
        about.extend(seen.texts.first().and_then(|text| taxonomy.find_name(text.trim())));
        for text in &seen.texts {
            self.mapper.mentions(text, scratch, |node| about.push(node));
        }
        for words in &seen.words {
            self.mapper.mentions(&words.join(" "), scratch, |node| about.push(node));
        }
        about.sort_unstable();
        about.dedup();
        let is_met = |concept: u32| about.iter().any(|&node| is_under(taxonomy, node, concept));
        found.extend(self.nodes.iter().filter(|(_, concept)| is_met(*concept)).map(|(at, _)| *at));
    }
}

/// Whether a node lies under a concept, in the tree or, in WordNet, over any of its hypernyms.
fn is_under(taxonomy: &Taxonomy, node: u32, concept: u32) -> bool {
    if taxonomy.is_under(node, concept) {
        return true;
    }
    let Some((net, root)) = taxonomy.wordnet() else { return false };
    let synset = |node: u32| node.checked_sub(root).filter(|synset| (*synset as usize) < net.synsets());
    match (synset(node), synset(concept)) {
        (Some(node), Some(concept)) => net.closure(node).contains(&concept),
        _ => false,
    }
}

/// The node of a concept: by its name in the taxonomy, or as `disease.n.01`.
fn concept(taxonomy: &Taxonomy, name: &str) -> Result<u32> {
    let sense = name.rsplit_once(".n.").and_then(|(word, sense)| Some((word, sense.parse::<usize>().ok()?)));
    let found = taxonomy.find_name(name).or_else(|| {
        let (word, sense) = sense?;
        taxonomy.find_name(&format!("{word}#{sense}")).or_else(|| taxonomy.find_name(word).filter(|_| sense == 1))
    });
    if let Some(node) = found {
        return Ok(node);
    }
    let word = sense.map_or(name, |(word, _)| word);
    let numbered =
        |word: &str| if sense.is_some() { format!("{}.n.01", word.replace(' ', "_")) } else { word.to_owned() };
    let hint = match nearest(word, taxonomy.labels().iter()) {
        Some((0, own)) => format!("there is no such sense; did you mean `{}`?", numbered(own)),
        Some((edits, other)) if edits <= word.chars().count().max(other.chars().count()) / 2 => {
            format!("did you mean `{}`? `--taxonomy FILE` gives another taxonomy than WordNet", numbered(other))
        }
        _ => {
            "concepts are those of WordNet, as `disease.n.01`, or of the taxonomies that `--taxonomy` gives".to_owned()
        }
    };
    Err(Error::unknown("concept", name, []).with_hint(hint))
}

/// Refuses a path that could be no path.
pub(super) fn check_path(text: &str) -> Result<()> {
    let is_mixed = |part: &str| part.contains("**") && part != "**";
    if !text.starts_with('/') || text.contains(char::is_whitespace) || text.split('/').any(is_mixed) {
        return Err(Error::data("a path begins with `/`, has no blanks, and `**` stands alone between slashes")
            .with_hint("`/health/**` is everything under `/health`, `/*/private` a part called so under any other"));
    }
    Ok(())
}

/// The path of a web address, or a path itself; `None` for other text.
fn path_of(text: &str) -> Option<&str> {
    let text = text.trim();
    let end = text.find(['?', '#']).unwrap_or(text.len());
    let text = &text[..end];
    if text.contains(char::is_whitespace) {
        return None;
    }
    if text.starts_with('/') && !text.starts_with("//") {
        return Some(text);
    }
    let (has_scheme, rest) = match text.split_once("//") {
        Some((_, rest)) => (true, rest),
        None => (false, text),
    };
    let host_ends = rest.find('/').unwrap_or(rest.len());
    (has_scheme || rest[..host_ends].contains('.')).then(|| &rest[host_ends..])
}

/// The parts of a path, in lower case.
fn parts(path: &str) -> Vec<String> {
    path.split('/').filter(|part| !part.is_empty()).map(str::to_lowercase).collect()
}

/// The paths that a text may be read as: as they are written, and where `..` leads.
fn paths_of(seen: &Seen) -> Vec<Vec<String>> {
    let mut paths: Vec<Vec<String>> = Vec::new();
    // Browsers take one slash for the other.
    let texts = seen.texts.iter().map(|text| text.replace('\\', "/"));
    for path in texts.filter_map(|text| path_of(&text).map(parts)) {
        if path.iter().any(|part| part == "." || part == "..") {
            let mut led = Vec::new();
            for part in &path {
                match part.as_str() {
                    "." => {}
                    ".." => drop(led.pop()),
                    _ => led.push(part.clone()),
                }
            }
            paths.push(led);
        }
        paths.push(path);
    }
    paths
}

/// Whether the parts of a path are those of a pattern. Linear in both for each `**`, by going back to the last one.
fn matches_path(pattern: &[String], path: &[String]) -> bool {
    let (mut at, mut part, mut back) = (0, 0, None);
    while part < path.len() {
        match pattern.get(at) {
            Some(own) if own == "**" => {
                back = Some((at + 1, part));
                at += 1;
            }
            Some(own) if matches_part(own, &path[part]) => (at, part) = (at + 1, part + 1),
            _ => match back {
                Some((after, from)) => {
                    back = Some((after, from + 1));
                    (at, part) = (after, from + 1);
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|own| own == "**")
}

/// Whether a part is that of a pattern, in which `*` is anything.
fn matches_part(pattern: &str, part: &str) -> bool {
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = part.strip_prefix(first) else { return false };
    let mut pieces: Vec<&str> = pieces.collect();
    let Some(last) = pieces.pop() else { return rest.is_empty() };
    for piece in pieces {
        match rest.find(piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_met_by_parts() {
        let is_met =
            |pattern: &str, text: &str| path_of(text).is_some_and(|path| matches_path(&parts(pattern), &parts(path)));
        for (pattern, text) in [
            ("/health/**", "http://shop.example/health"),
            ("/health/**", "http://shop.example/Health/a/b?x=/y"),
            ("/health/**", "/health/"),
            ("/**/private", "https://x.example/a/b/private"),
            ("/**/private/**", "x.example/private"),
            ("/a*c/d", "/abbc/d/"),
            ("/*/x", "//x.example/any/x"),
        ] {
            check_path(pattern).unwrap();
            assert!(is_met(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [
            ("/health/**", "http://health.example/"),
            ("/health/**", "/healthy/x"),
            ("/health", "/health/x"),
            ("/*/x", "/x"),
            ("/a*c", "/ab"),
            ("/health/**", "the /health/ page"),
            ("/health", "health"),
        ] {
            assert!(!is_met(pattern, text), "{pattern} {text}");
        }
        for wrong in ["health/**", "/a b", "/a**/b"] {
            assert!(check_path(wrong).is_err(), "{wrong}");
        }
    }
}
