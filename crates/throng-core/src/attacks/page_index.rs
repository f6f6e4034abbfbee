//! What an attacker makes of a released access log: who has a path or a pattern that covers it, in this window of time, with this browser.
//!
//! # Idea
//! 1. A published path covers itself. One with a segment `*` is a pattern: `*` stands for one segment, as the last one for one or more; `/*`
//!    covers every path. A literal `*` of the original is published as `%2A`.
//! 2. Patterns hang in a tree of segments, so that a known path walks along those alone that could cover it.
//! 3. The window of time is the coarsest of a day and an hour of which every published time is a multiple, else a minute.
//! 4. Whoever matches every part that anybody matches has the greatest sum there is: what facts lead to is the intersection of their parts,
//!    and sums are added up only where that is empty.
//! 5. The records of a part are worked out when somebody first asks, once for all targets: known paths that the same published ones cover
//!    have the same.
//!
//! # Cost
//! Memory: 12 bytes a line where times or browsers are known, the records of each path, and of each part that was asked for 4 bytes a record
//! or a bit for each record of the release, whichever is less. Time of a draw: the records of its rarest part, or a bit for each record.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use hashbrown::HashMap;

use super::candidates::{Holders, Scores};
use super::query_index::window;
use super::records::Records;
use super::statistics::Attempt;
use super::{Released, With};
use crate::data::queries::MISSING;
use crate::data::visits::Part;
use crate::data::{Interner, Strings, Visits};

/// One thing that is known of a visitor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct PageFact {
    /// The number of the path among the known strings.
    pub(super) path: u32,
    /// When it was.
    pub(super) time: Option<i64>,
    /// The number of the browser's family among the known strings.
    pub(super) browser: Option<u32>,
}

/// An index of a released log, and of what some facts match in it.
pub(super) struct PageIndex {
    multiplicity: Vec<u32>,
    persons: u64,
    /// For each path the records that have it.
    holders: Holders,
    beside: Option<Beside>,
    /// For each known path what it is in the release; its number among the coverings.
    of_path: Vec<Option<(Option<u32>, u32)>>,
    /// For each published path the records that have it, where somebody asked for exactly that.
    exact: Vec<OnceLock<Records>>,
    coverings: Vec<Covering>,
    /// Of what is known beside a covered path: the lines that fit everything.
    joint: HashMap<Joint, OnceLock<Records>, foldhash::fast::FixedState>,
}

/// Published paths that cover the same known ones, and the records that have any of them.
struct Covering {
    paths: Vec<u32>,
    records: OnceLock<Records>,
}

/// A covering, a window and a family; of the last two `None` if it is not known, `Some(None)` if the release has no such.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Joint {
    covering: u32,
    window: Option<Option<u32>>,
    family: Option<Option<u32>>,
}

/// Whom an attacker takes the target for.
pub(super) enum Chosen {
    /// What is known leads to nobody: one is as good as another.
    Everybody,
    /// Those whom what is known leads to.
    Singled(Records),
}

impl Chosen {
    /// What a uniform guess among them achieves, if the target's record is this one, of a release of so many persons.
    fn attempt(&self, record: u32, persons: u64) -> Attempt {
        match self {
            Self::Everybody => Attempt { hit: 1.0 / persons as f64, found: 0.0 },
            Self::Singled(singled) if singled.has(record) => {
                Attempt { hit: 1.0 / singled.persons() as f64, found: 1.0 }
            }
            Self::Singled(_) => Attempt::default(),
        }
    }
}

/// Two guesses from one draw: those whom the facts lead to best, and those who have all of them to the letter.
pub(super) struct PageGuess {
    pub(super) best: Chosen,
    pub(super) exact: Chosen,
}

impl PageGuess {
    /// What both achieve on a target who may have several records: each of them is a hit.
    pub(super) fn attempts_on(&self, records: impl Iterator<Item = u32>, persons: u64) -> [Attempt; 2] {
        records.fold([Attempt::default(); 2], |sums, record| {
            let own = [&self.best, &self.exact].map(|chosen| chosen.attempt(record, persons));
            [0, 1].map(|at| Attempt { hit: sums[at].hit + own[at].hit, found: sums[at].found.max(own[at].found) })
        })
    }
}

/// What is known beside paths.
struct Beside {
    /// The lines of each path, with their records, windows and browsers.
    starts: Vec<usize>,
    lines: Vec<[u32; 3]>,
    window: i64,
    /// Different windows in rising order.
    windows: Vec<i64>,
    in_window: Holders,
    families: Interner,
    of_family: Holders,
    /// The records of windows, and of families, that somebody asked for.
    records_in: Vec<OnceLock<Records>>,
    records_with: Vec<OnceLock<Records>>,
}

impl PageIndex {
    /// Of a release, for somebody who knows such facts, whose strings are these.
    pub(super) fn new<'f>(
        released: Released<'_, Visits>,
        with: With,
        facts: impl Iterator<Item = &'f PageFact>,
        known: &Strings,
    ) -> Self {
        let (log, multiplicity) = (released.data, released.multiplicity.to_vec());
        let is_somebodys = |record: &usize| multiplicity[*record] > 0;
        let lines = || {
            let records = (0..log.persons()).filter(is_somebodys);
            records.flat_map(|record| log.range(record).map(move |row| (record as u32, row)))
        };
        let column = log.column(Part::Path);
        let with_path = || lines().filter(|&(_, row)| column[row] != MISSING);
        let pairs = with_path().map(|(record, row)| (column[row], record));
        let holders = Holders::new(log.texts(Part::Path).len(), pairs, &multiplicity);
        let mut index = Self {
            persons: released.persons(),
            beside: (!with.is_nothing()).then(|| Beside::new(log, lines, &multiplicity)),
            of_path: vec![None; known.len()],
            exact: (0..log.texts(Part::Path).len()).map(|_| OnceLock::new()).collect(),
            coverings: Vec::new(),
            joint: HashMap::default(),
            holders,
            multiplicity,
        };
        index.expect(log.texts(Part::Path), facts, known);
        index
    }

    /// Makes room for what some facts match.
    fn expect<'f>(&mut self, texts: &Strings, facts: impl Iterator<Item = &'f PageFact>, known: &Strings) {
        let (paths, patterns) = (Interner::from(texts), Patterns::of(texts));
        let mut numbers: HashMap<Vec<u32>, u32, foldhash::fast::FixedState> = HashMap::default();
        for fact in facts {
            let coverings = &mut self.coverings;
            let (_, covering) = *self.of_path[fact.path as usize].get_or_insert_with(|| {
                let path = known.get(fact.path);
                let all = covering(path, &paths, &patterns);
                let number = *numbers.entry(all.clone()).or_insert_with(|| {
                    coverings.push(Covering { paths: all, records: OnceLock::new() });
                    coverings.len() as u32 - 1
                });
                (paths.find(path), number)
            });
            let Some(beside) = self.beside.as_ref().filter(|_| fact.is_more()) else { continue };
            let joint = beside.joint(fact, covering, known);
            self.joint.entry(joint).or_default();
        }
    }

    /// How many persons there are.
    pub(super) fn persons(&self) -> u64 {
        self.persons
    }

    /// Whom some facts lead to.
    pub(super) fn guess(&self, facts: &[PageFact], known: &Strings) -> PageGuess {
        PageGuess { best: self.best(facts, known), exact: self.exact(facts) }
    }

    /// The records that have all known paths to the letter.
    fn exact(&self, facts: &[PageFact]) -> Chosen {
        let of = |fact: &PageFact| {
            let (path, _) = self.of_path[fact.path as usize]?;
            let path = path?;
            let records = || Records::of(self.holders.of(path).iter().copied(), &self.multiplicity);
            Some(self.exact[path as usize].get_or_init(records))
        };
        let Some(all) = facts.iter().map(of).collect::<Option<Vec<&Records>>>() else { return Chosen::Everybody };
        match Records::all_of(&all, &self.multiplicity).filter(|records| records.persons() > 0) {
            Some(records) => Chosen::Singled(records),
            None => Chosen::Everybody,
        }
    }

    fn best(&self, facts: &[PageFact], known: &Strings) -> Chosen {
        // Every part that somebody matches; one that nobody matches says nothing.
        let parts: Vec<&Records> = facts.iter().flat_map(|fact| self.parts(fact, known)).collect();
        match Records::all_of(&parts, &self.multiplicity) {
            None => Chosen::Everybody,
            Some(records) if records.persons() > 0 => Chosen::Singled(records),
            Some(_) => {
                let mut scores = Scores::new(self.multiplicity.len(), self.persons);
                for part in parts {
                    scores.add_each(part.iter(), part.persons());
                }
                Chosen::Singled(Records::of(scores.greatest().into_iter(), &self.multiplicity))
            }
        }
    }

    /// All parts of a fact that somebody matches: its path, its time, its browser, and all of them in one line.
    fn parts(&self, fact: &PageFact, known: &Strings) -> Vec<&Records> {
        let multiplicity = &self.multiplicity;
        let Some((_, number)) = self.of_path[fact.path as usize] else { return Vec::new() };
        let covering = &self.coverings[number as usize];
        let held = || covering.paths.iter().flat_map(|&path| self.holders.of(path).iter().copied());
        let mut parts = vec![covering.records.get_or_init(|| Records::of(held(), multiplicity))];
        if let Some(beside) = self.beside.as_ref().filter(|_| fact.is_more()) {
            let joint = beside.joint(fact, number, known);
            let of = |holders: &Holders, key: u32| Records::of(holders.of(key).iter().copied(), multiplicity);
            if let Some(window) = joint.window.flatten() {
                parts.push(beside.records_in[window as usize].get_or_init(|| of(&beside.in_window, window)));
            }
            if let Some(family) = joint.family.flatten() {
                parts.push(beside.records_with[family as usize].get_or_init(|| of(&beside.of_family, family)));
            }
            let is_it = |[_, at, own]: &&[u32; 3]| {
                joint.window.is_none_or(|window| window == Some(*at))
                    && joint.family.is_none_or(|family| family == Some(*own))
            };
            let lines = || covering.paths.iter().flat_map(|&path| beside.lines_of(path).iter().filter(is_it));
            let records = || Records::of(lines().map(|&[record, ..]| record), multiplicity);
            parts.push(self.joint[&joint].get_or_init(records));
        }
        parts.retain(|part| part.persons() > 0);
        parts
    }
}

impl PageFact {
    /// Whether something is known beside the path.
    fn is_more(&self) -> bool {
        self.time.is_some() || self.browser.is_some()
    }
}

/// The paths and patterns of a release that cover a known path.
fn covering(path: &str, paths: &Interner, patterns: &Patterns) -> Vec<u32> {
    let mut found: Vec<u32> = paths.find(path).into_iter().collect();
    let published = published(path);
    found.extend(paths.find(&published));
    patterns.covering(&published, &mut found);
    found.sort_unstable();
    found.dedup();
    found
}

/// A path of the original as a release has it: a literal star is no wildcard.
fn published(path: &str) -> String {
    path.replace('*', "%2A")
}

/// The segments of a path.
fn segments(path: &str) -> impl Iterator<Item = &str> {
    path.strip_prefix('/').unwrap_or(path).split('/')
}

/// The patterns of a release, as a tree of segments.
#[derive(Default)]
struct Patterns {
    nodes: Vec<Node>,
}

#[derive(Default)]
struct Node {
    next: BTreeMap<String, u32>,
    /// The pattern that ends here.
    pattern: Option<u32>,
}

const STAR: &str = "*";

impl Patterns {
    fn of(paths: &Strings) -> Self {
        let mut tree = Self { nodes: vec![Node::default()] };
        for (number, path) in (0u32..).zip(paths.iter()) {
            if segments(path).any(|segment| segment == STAR) {
                tree.add(path, number);
            }
        }
        tree
    }

    fn add(&mut self, pattern: &str, number: u32) {
        let mut at = 0;
        for segment in segments(pattern) {
            let next = self.nodes[at as usize].next.get(segment).copied();
            at = next.unwrap_or_else(|| {
                let new = self.nodes.len() as u32;
                self.nodes[at as usize].next.insert(segment.to_owned(), new);
                self.nodes.push(Node::default());
                new
            });
        }
        self.nodes[at as usize].pattern = Some(number);
    }

    /// Adds the patterns that cover a path.
    fn covering(&self, path: &str, found: &mut Vec<u32>) {
        let all: Vec<&str> = segments(path).collect();
        // Nodes with the number of segments that led to them.
        let mut open = vec![(0u32, 0usize)];
        while let Some((node, done)) = open.pop() {
            let node = &self.nodes[node as usize];
            let Some(segment) = all.get(done) else { continue };
            if let Some(&star) = node.next.get(STAR) {
                // As the last segment a star stands for all that are left.
                found.extend(self.nodes[star as usize].pattern);
                open.push((star, done + 1));
            }
            if let Some(&next) = node.next.get(*segment).filter(|_| *segment != STAR) {
                if done + 1 == all.len() {
                    found.extend(self.nodes[next as usize].pattern);
                }
                open.push((next, done + 1));
            }
        }
    }
}

impl Beside {
    fn new<I: Iterator<Item = (u32, usize)> + Clone>(
        log: &Visits,
        lines: impl Fn() -> I,
        multiplicity: &[u32],
    ) -> Self {
        let window = window(lines().map(|(_, row)| log.time(row)));
        let mut windows: Vec<i64> = lines().map(|(_, row)| log.time(row).div_euclid(window)).collect();
        windows.sort_unstable();
        windows.dedup();
        let mut families = Interner::new();
        let paths = log.texts(Part::Path).len();
        let column = log.column(Part::Path);
        let mut starts = vec![0; paths + 1];
        let with_path = || lines().filter(|&(_, row)| column[row] != MISSING);
        with_path().for_each(|(_, row)| starts[column[row] as usize + 1] += 1);
        for path in 0..paths {
            starts[path + 1] += starts[path];
        }
        let mut place = starts.clone();
        let mut sorted = vec![[0; 3]; starts[paths]];
        let mut seen = Vec::new();
        for (record, row) in lines() {
            let at = windows.partition_point(|&other| other < log.time(row).div_euclid(window)) as u32;
            let line = [record, at, families.intern(&log.agent(row).family)];
            seen.push(line);
            if column[row] != MISSING {
                sorted[place[column[row] as usize]] = line;
                place[column[row] as usize] += 1;
            }
        }
        let in_window = Holders::new(windows.len(), seen.iter().map(|&[record, at, _]| (at, record)), multiplicity);
        let own = seen.iter().map(|&[record, _, family]| (family, record));
        let of_family = Holders::new(families.strings().len(), own, multiplicity);
        let [records_in, records_with] =
            [windows.len(), families.strings().len()].map(|count| (0..count).map(|_| OnceLock::new()).collect());
        Self { starts, lines: sorted, window, windows, in_window, families, of_family, records_in, records_with }
    }

    /// What is known beside a path, in numbers of the release.
    fn joint(&self, fact: &PageFact, covering: u32, known: &Strings) -> Joint {
        let window = |time: i64| self.windows.binary_search(&time.div_euclid(self.window)).ok().map(|at| at as u32);
        let family = |browser: u32| self.families.find(known.get(browser));
        Joint { covering, window: fact.time.map(window), family: fact.browser.map(family) }
    }

    fn lines_of(&self, path: u32) -> &[[u32; 3]] {
        &self.lines[self.starts[path as usize]..self.starts[path as usize + 1]]
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Whether a published path covers one of the original: the rule, word by word.
    pub(in super::super) fn covers(published_path: &str, path: &str) -> bool {
        fn rest(pattern: &[&str], path: &[&str]) -> bool {
            match (pattern, path) {
                (["*"], [_, ..]) => true,
                (["*", pattern @ ..], [_, path @ ..]) => rest(pattern, path),
                ([own, pattern @ ..], [other, path @ ..]) => own == other && rest(pattern, path),
                ([], []) => true,
                _ => false,
            }
        }
        let path_as_published = path.replace('*', "%2A");
        let cut = |text: &str| text.trim_start_matches('/').split('/').map(str::to_owned).collect::<Vec<_>>();
        let (pattern, own) = (cut(published_path), cut(&path_as_published));
        let [pattern, own] = [&pattern, &own].map(|all| all.iter().map(String::as_str).collect::<Vec<_>>());
        published_path == path || rest(&pattern, &own)
    }

    #[test]
    fn patterns_by_hand() {
        let paths = ["/*", "/user/*/edit", "/blog/*", "/blog/*/x", "/a", "/a/%2A", "/blog/"];
        let strings: Strings = paths.into_iter().collect();
        let patterns = Patterns::of(&strings);
        let covering = |path: &str| {
            let mut found = Vec::new();
            patterns.covering(&published(path), &mut found);
            found.sort_unstable();
            found.into_iter().map(|id| paths[id as usize]).collect::<Vec<_>>()
        };
        assert_eq!(covering("/user/8123/edit"), ["/*", "/user/*/edit"]);
        assert_eq!(covering("/user/8123/edit/more"), ["/*"]);
        assert_eq!(covering("/user/8123"), ["/*"]);
        assert_eq!(covering("/blog/2024"), ["/*", "/blog/*"]);
        assert_eq!(covering("/blog/2024/x"), ["/*", "/blog/*", "/blog/*/x"]);
        assert_eq!(covering("/blog"), ["/*"]);
        assert_eq!(covering("/"), ["/*"]);
        assert_eq!(covering("/a/*"), ["/*"]);
        for pattern in paths {
            for path in
                ["/", "/a", "/a/*", "/a/%2A", "/blog", "/blog/", "/blog/2024", "/blog/1/x", "/user/1/edit", "/x/y/z"]
            {
                let mut found = Vec::new();
                Patterns::of(&[pattern].into_iter().collect()).covering(&published(path), &mut found);
                let is_covered = !found.is_empty() || pattern == path || pattern == published(path);
                assert_eq!(is_covered, covers(pattern, path), "{pattern} {path}");
            }
        }
    }
}
