//! Content threshold of access logs: what a line of the release says, at least so many visitors of the original have.
//!
//! Paper      Ours; the idea of a threshold on what is published is Adar's (User 4XXXXX9, 2007).
//! Promises   whoever reads a path or pattern, a pair of a query string, a referring host, an agent, a virtual host or a version of HTTP reads
//!            what at least m visitors have.
//! Does not   hide who is who, nor which of these go together; and says nothing of times, statuses and sizes. It cannot be checked without
//!            the original.
//!
//! # Idea
//! - **Path**: how many visitors have a path that it is, a literal `*` being written `%2A`, or, of a pattern, one that it covers: a segment `*`
//!   is one segment that is not empty, as the last one all the rest, if there is any; `/*` is any path. A `*` inside a segment, or in a pair or
//!   a host, is any letters: finders leave one where they masked something.
//! - **Query string**: each pair as it is; `name=` also by whoever has that name with any value.
//! - **Referrer**: `http://host/` or `https://host/`, by whoever came from that host or one below it. Anything else nobody has.
//! - **Agent**: as it is, or one that a visitor's agent is rebuilt as.
//! - **Virtual host, version of HTTP**: as they are.
//!
//! # Cost
//! Paths lie in a tree of their segments, which a pattern is followed down; visitors are counted until there are as many as the fewest so far.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use super::content_threshold::MIN_PERSONS;
use super::{ModelWithOriginal, Verdict, Witness};
use crate::data::Visits;
use crate::data::queries::MISSING;
use crate::data::visits::{Part, rebuilt};
use crate::error::{Error, Result};
use crate::info::{Info, Parameter};
use crate::text::host::host_of;

/// The card of the model.
pub const INFO: Info = Info {
    name: "content-threshold",
    summary: "every released path or pattern, query pair, referring host, agent, virtual host and version is had by at least m visitors",
    paper: "Ours, after the threshold on published queries of Adar. User 4XXXXX9: anonymizing query logs. Query Log Analysis \
            Workshop, WWW 2007",
    details: "Every different path of the release is a path of at least m visitors of the original (a literal `*` written `%2A`), or a pattern that covers paths \
        of as many: a segment `*` is one segment that is not empty, as the last one all the rest, if there is any, and `/*` is any path. Every pair of a query string is one that \
        m visitors have; `name=` may also stand for pairs of that name. Every referrer is `http://host/` or `https://host/`, and m visitors came from that host or one \
        below it. Every agent is one that m visitors have as it is, or that theirs is rebuilt as: family, version and system, family and system, class. \
        Virtual hosts and versions of HTTP are had by m visitors as they are. A `*` inside a segment, a pair or a host, where a finder masked something, stands for any letters. The number achieved is the smallest.\n\
        It needs the original: `throng check RELEASE --model content-threshold --original FILE`. Who checks a release without it is told that this claim \
        was not checked.\n\
        Promises: no field of a line says anything that fewer than m visitors have. A path, a token, a search or a rare agent that one visitor has is not in it.\n\
        Does not promise: that a visitor is one of k (user-k-anonymity says that), that m visitors are m humans, or that the fields of one line were had together. Nor \
        anything about times, statuses and sizes.",
    parameters: &[Parameter { default: "3", ..MIN_PERSONS }],
};

/// What the model can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// So many visitors have it, at least.
    pub min_persons: usize,
}

impl Default for Params {
    fn default() -> Self {
        Self { min_persons: 3 }
    }
}

/// The model with checked parameters.
#[derive(Debug, Clone, Copy)]
pub struct ContentThresholdVisits {
    min_persons: usize,
}

impl ContentThresholdVisits {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        if params.min_persons < 2 {
            return Err(Error::parameter("min-persons", format!("is {}, but must be at least 2", params.min_persons))
                .with_hint("whatever a log says, one visitor has it: there is nothing to check"));
        }
        Ok(Self { min_persons: params.min_persons })
    }
}

/// What is looked at, with the name that a witness gives it.
pub(crate) const COLUMNS: [(Part, &str); 6] = [
    (Part::Path, "path"),
    (Part::Query, "query"),
    (Part::Referrer, "referrer"),
    (Part::Agent, "agent"),
    (Part::Host, "host"),
    (Part::Version, "version"),
];

impl ModelWithOriginal<Visits> for ContentThresholdVisits {
    fn check(&self, original: &Visits, release: &Visits) -> Result<Verdict> {
        let had = Had::of(original);
        // For each text of a column how many visitors have it.
        let counts: Vec<Vec<usize>> = COLUMNS
            .iter()
            .map(|&(part, _)| release.texts(part).iter().map(|text| had.visitors(part, text)).collect())
            .collect();
        // The first line, visitor by visitor, of those that say what fewest have.
        let mut rarest: Option<Witness> = None;
        for person in 0..release.persons() {
            for row in release.range(person) {
                for (&(part, name), counts) in COLUMNS.iter().zip(&counts) {
                    let id = release.column(part)[row];
                    if id == MISSING {
                        continue;
                    }
                    let visitors = counts[id as usize];
                    if rarest.as_ref().is_none_or(|rarest| visitors < rarest.group_size) {
                        let numbers = Map::from_iter([("column".into(), json!(name))]);
                        rarest =
                            Some(Witness { person: person as u32, group_size: visitors, items: vec![id], numbers });
                    }
                }
            }
        }
        // A release that says nothing has nothing that few have.
        let achieved = rarest.as_ref().map_or(original.persons(), |rarest| rarest.group_size);
        let holds = achieved >= self.min_persons;
        Ok(Verdict {
            holds,
            achieved: Map::from_iter([("min-persons".into(), json!(achieved))]),
            witness: rarest.filter(|_| !holds),
        })
    }

    fn value<'a>(&self, release: &'a Visits, witness: &Witness) -> Option<&'a str> {
        let column = witness.numbers.get("column")?.as_str()?;
        let (part, _) = COLUMNS.iter().find(|(_, name)| *name == column)?;
        witness.items.first().map(|&id| release.texts(*part).get(id))
    }
}

/// Who has what in the original.
pub(crate) struct Had<'a> {
    paths: Tree<'a>,
    /// For each column whose texts, or what is looked at of them, are counted as they are: the visitors of each.
    counts: BTreeMap<Part, BTreeMap<String, usize>>,
}

impl<'a> Had<'a> {
    pub(crate) fn of(original: &'a Visits) -> Self {
        let mut paths = Tree::default();
        for (path, visitors) in original.texts(Part::Path).iter().zip(visitors_by_text(original, Part::Path)) {
            paths.add(path, visitors);
        }
        let agents = |id: u32, text: &str| {
            let forms = original.agents().get(id as usize).map(rebuilt::forms).unwrap_or_default();
            [text.to_owned()].into_iter().chain(forms).collect()
        };
        let pairs = |_: u32, query: &str| {
            let of_pair = |pair: &str| {
                let name = pair.find('=').map(|at| pair[..=at].to_owned());
                [Some(pair.to_owned()), name].into_iter().flatten().collect::<Vec<_>>()
            };
            query.split('&').filter(|pair| !pair.is_empty()).flat_map(of_pair).collect()
        };
        let hosts = |_: u32, url: &str| {
            let host = host_of(url);
            let is_web = ["http://", "https://"].iter().any(|scheme| url.to_ascii_lowercase().starts_with(scheme));
            let ends = host.match_indices('.').map(|(at, _)| host[at + 1..].to_owned());
            if is_web && !host.is_empty() { [host.clone()].into_iter().chain(ends).collect() } else { Vec::new() }
        };
        let same = |_: u32, text: &str| vec![text.to_owned()];
        let counts = BTreeMap::from([
            (Part::Query, counted(original, Part::Query, &pairs)),
            (Part::Referrer, counted(original, Part::Referrer, &hosts)),
            (Part::Agent, counted(original, Part::Agent, &agents)),
            (Part::Host, counted(original, Part::Host, &same)),
            (Part::Version, counted(original, Part::Version, &same)),
        ]);
        Self { paths, counts }
    }

    /// How many visitors have what a text of the release says.
    pub(crate) fn visitors(&self, part: Part, text: &str) -> usize {
        let count = |text: &str| {
            let Some(things) = self.counts.get(&part) else { return 0 };
            // Whoever has one thing that a mask may stand for is counted; of several such things the one that most have.
            let masked = || things.iter().filter(|(thing, _)| fits(text, thing)).map(|(_, &count)| count).max();
            things.get(text).copied().or_else(|| masked().filter(|_| text.contains('*'))).unwrap_or(0)
        };
        match part {
            Part::Path => self.paths.visitors(text),
            Part::Query => text.split('&').map(count).min().unwrap_or(0),
            Part::Referrer => {
                let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
                host.and_then(|host| host.strip_suffix('/')).map_or(0, count)
            }
            _ => count(text),
        }
    }
}

/// The visitors of each text of a column, in rising order.
fn visitors_by_text(visits: &Visits, part: Part) -> Vec<Vec<u32>> {
    let mut visitors: Vec<Vec<u32>> = vec![Vec::new(); visits.texts(part).len()];
    for person in 0..visits.persons() {
        for row in visits.range(person) {
            let id = visits.column(part)[row];
            if id != MISSING && visitors[id as usize].last() != Some(&(person as u32)) {
                visitors[id as usize].push(person as u32);
            }
        }
    }
    visitors
}

/// How many visitors have each of the things that the texts of a column say.
fn counted(visits: &Visits, part: Part, says: &dyn Fn(u32, &str) -> Vec<String>) -> BTreeMap<String, usize> {
    let mut who: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for ((id, text), visitors) in (0..).zip(visits.texts(part).iter()).zip(visitors_by_text(visits, part)) {
        for thing in says(id, text) {
            who.entry(thing).or_default().extend(&visitors);
        }
    }
    let count = |(thing, mut visitors): (String, Vec<u32>)| {
        visitors.sort_unstable();
        visitors.dedup();
        (thing, visitors.len())
    };
    who.into_iter().map(count).collect()
}

/// The paths of the original by their segments, with the visitors of each.
#[derive(Default)]
struct Tree<'a> {
    root: Node<'a>,
    /// Paths that do not begin with a slash, as they are written in a release.
    others: BTreeMap<String, Vec<u32>>,
    everybody: BTreeSet<u32>,
}

#[derive(Default)]
struct Node<'a> {
    /// By segment; those that are written alike lie apart.
    below: BTreeMap<&'a str, Node<'a>>,
    /// Whoever has the path that ends here.
    visitors: Vec<u32>,
}

impl<'a> Tree<'a> {
    fn add(&mut self, path: &'a str, visitors: Vec<u32>) {
        self.everybody.extend(&visitors);
        let Some(rest) = path.strip_prefix('/') else {
            return self.others.entry(path.replace('*', "%2A")).or_default().extend(visitors);
        };
        let mut node = &mut self.root;
        for segment in rest.split('/') {
            node = node.below.entry(segment).or_default();
        }
        node.visitors = visitors;
    }

    /// How many visitors have a path, or one that a pattern covers.
    fn visitors(&self, text: &str) -> usize {
        if text == "/*" {
            return self.everybody.len();
        }
        let mut found: BTreeSet<u32> = BTreeSet::new();
        match text.strip_prefix('/') {
            Some(rest) => follow(&self.root, &rest.split('/').collect::<Vec<_>>(), &mut found),
            None => {
                let alike = self.others.iter().filter(|(path, _)| fits(text, path));
                alike.for_each(|(_, visitors)| found.extend(visitors));
            }
        }
        found.len()
    }
}

/// Collects whoever has a path under a node that goes on as a text does.
fn follow(node: &Node<'_>, segments: &[&str], found: &mut BTreeSet<u32>) {
    let Some((&first, rest)) = segments.split_first() else {
        found.extend(&node.visitors);
        return;
    };
    let is_last = rest.is_empty();
    if first == "*" && is_last {
        return collect_rest(node, found);
    }
    if first == "*" {
        let below = node.below.iter().filter(|(segment, _)| !segment.is_empty());
        return below.for_each(|(_, child)| follow(child, rest, found));
    }
    if first.contains('*') {
        let alike = node.below.iter().filter(|(segment, _)| fits(first, &segment.replace('*', "%2A")));
        return alike.for_each(|(_, child)| follow(child, rest, found));
    }
    if let Some(child) = node.below.get(first) {
        follow(child, rest, found);
    }
    // A literal `*` of the original is `%2A` in the release, and may be in several places of a segment.
    if first.contains("%2A") {
        let alike =
            node.below.iter().filter(|(segment, _)| segment.contains('*') && segment.replace('*', "%2A") == first);
        alike.for_each(|(_, child)| follow(child, rest, found));
    }
}

/// Whether a text may be what a masked one was: letter by letter, a `*` being any letters.
fn fits(masked: &str, text: &str) -> bool {
    let (masked, text) = (masked.as_bytes(), text.as_bytes());
    // Where the last `*` was, and how far what it stands for reaches.
    let (mut at, mut to, mut star) = (0, 0, None);
    while to < text.len() {
        if masked.get(at) == Some(&b'*') {
            star = Some((at, to));
            at += 1;
        } else if masked.get(at) == Some(&text[to]) {
            (at, to) = (at + 1, to + 1);
        } else if let Some((last, reached)) = star {
            star = Some((last, reached + 1));
            (at, to) = (last + 1, reached + 1);
        } else {
            return false;
        }
    }
    masked[at..].iter().all(|&byte| byte == b'*')
}

/// Collects whoever has a path that goes on under a node with anything.
fn collect_rest(node: &Node<'_>, found: &mut BTreeSet<u32>) {
    for (segment, child) in &node.below {
        if !segment.is_empty() {
            found.extend(&child.visitors);
        }
        // Under an empty segment there is at least the slash after it.
        collect_all(child, found);
    }
}

/// Collects whoever has a path under a node.
fn collect_all(node: &Node<'_>, found: &mut BTreeSet<u32>) {
    for child in node.below.values() {
        found.extend(&child.visitors);
        collect_all(child, found);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::data::VisitsBuilder;
    use crate::data::visits::pattern::covers;
    use crate::data::visits::{Agent, Class, Visit};

    fn log(lines: &[(usize, Part, &str)]) -> Visits {
        let mut builder = VisitsBuilder::new();
        for &(who, part, text) in lines {
            let mut visit = Visit::default();
            visit.texts[part as usize] = Some(text);
            builder.push(&who.to_string(), &visit, 1);
        }
        builder.finish().0
    }

    fn achieved(original: &Visits, part: Part, text: &str) -> (bool, u64) {
        let model = ContentThresholdVisits::new(Params { min_persons: 3 }).unwrap();
        let verdict = model.check(original, &log(&[(0, part, text)])).unwrap();
        (verdict.holds, verdict.achieved["min-persons"].as_u64().unwrap())
    }

    #[test]
    fn paths_by_hand() {
        let paths = [
            "/user/1/edit",
            "/user/2/edit",
            "/user/ann/edit",
            "/user/ann/",
            "/in",
            "/in",
            "/st*r",
            "/st%2Ar",
            "*",
            "/blog//x",
        ];
        let lines: Vec<(usize, Part, &str)> =
            paths.iter().enumerate().map(|(who, path)| (who, Part::Path, *path)).collect();
        let original = log(&lines);
        for (text, visitors) in [
            ("/user/*/edit", 3),
            ("/user/*", 4),
            ("/user/ann/*", 1),
            ("/user/*/", 1),
            ("/in", 2),
            ("/st%2Ar", 2),
            ("/st*r", 2),
            ("/us*/1/edit", 1),
            ("/u*r/*/e*t", 3),
            ("/us*", 0),
            ("%2A", 1),
            ("*", 1),
            ("/*", 10),
            ("/nowhere", 0),
            ("/blog/*", 1),
        ] {
            assert_eq!(achieved(&original, Part::Path, text), (visitors >= 3, visitors), "{text}");
        }
    }

    #[test]
    fn other_fields_by_hand() {
        let mut lines: Vec<(usize, Part, &str)> = Vec::new();
        for who in 0..3 {
            let url = ["https://m.social.example/a", "http://www.social.example/b?q=x", "https://social.example/"][who];
            let query = ["page=1&token=a", "token=b&page=1", "page=1&token=c"][who];
            lines.push((who, Part::Referrer, url));
            lines.push((who, Part::Query, query));
            lines.push((who, Part::Host, if who == 2 { "b.example" } else { "a.example" }));
            lines.push((who, Part::Version, "HTTP/1.1"));
            lines.push((who, Part::Agent, ["Chrome 1", "Chrome 1b", "Chrome 2"][who]));
        }
        let original = log(&lines).with_agents(|text| Agent {
            family: "Chrome".to_owned(),
            major: text[7..8].to_owned(),
            class: Class::Chrome,
            ..Agent::NONE
        });
        let forms = rebuilt::forms(&original.agents()[0]);
        for (part, text, visitors) in [
            (Part::Referrer, "https://social.example/", 3),
            (Part::Referrer, "http://social.example/", 3),
            (Part::Referrer, "https://m.social.example/", 1),
            (Part::Referrer, "https://social.example/a", 0),
            (Part::Referrer, "social.example", 0),
            (Part::Query, "page=1", 3),
            (Part::Query, "page=1&token=", 3),
            (Part::Query, "token=a", 1),
            (Part::Query, "page=*", 3),
            (Part::Referrer, "https://*.example/", 3),
            (Part::Query, "page", 0),
            (Part::Host, "a.example", 2),
            (Part::Version, "HTTP/1.1", 3),
            (Part::Version, "HTTP/2", 0),
            (Part::Agent, "Chrome 1", 1),
            (Part::Agent, &forms[0], 2),
            (Part::Agent, &forms[1], 3),
            (Part::Agent, rebuilt::SOME, 3),
            (Part::Agent, "Odd", 0),
        ] {
            assert_eq!(achieved(&original, part, text), (visitors >= 3, visitors), "{text}");
        }
    }

    #[test]
    fn the_rarest_is_the_witness() {
        let original =
            log(&[(0, Part::Path, "/a"), (1, Part::Path, "/a"), (2, Part::Path, "/a"), (2, Part::Path, "/own")]);
        let release = log(&[(0, Part::Path, "/a"), (1, Part::Path, "/own")]);
        let model = ContentThresholdVisits::new(Params::default()).unwrap();
        let witness = model.check(&original, &release).unwrap().witness.unwrap();
        assert_eq!((witness.person, witness.group_size, model.value(&release, &witness)), (1, 1, Some("/own")));
        assert!(model.check(&original, &log(&[(0, Part::Path, "/a")])).unwrap().holds);
        assert!(ContentThresholdVisits::new(Params { min_persons: 1 }).is_err());
    }

    proptest! {
        /// The tree counts as trying every path does.
        #[test]
        fn like_the_slow_reference(
            paths in prop::collection::vec(prop::collection::vec("[ab*]|", 0..4), 1..12),
            text in prop::collection::vec(prop_oneof!["[ab*]", Just(String::new()), Just("%2A".to_owned()), Just("a*".to_owned())], 0..4),
        ) {
            let paths: Vec<String> = paths.iter().map(|words| format!("/{}", words.join("/"))).collect();
            let text = format!("/{}", text.join("/"));
            let lines: Vec<(usize, Part, &str)> =
                paths.iter().enumerate().map(|(who, path)| (who, Part::Path, path.as_str())).collect();
            let slow = paths.iter().filter(|path| covers(&text, path)).count() as u64;
            prop_assert_eq!(achieved(&log(&lines), Part::Path, &text).1, slow);
        }
    }
}
