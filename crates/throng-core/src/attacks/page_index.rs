//! What an attacker makes of a released access log: who has a path or a pattern that covers it, in this window of time, with this browser.
//!
//! # Idea
//! 1. A published path covers itself. One with a segment `*` is a pattern: `*` stands for one segment, as the last one for one or more; `/*`
//!    covers every path. A literal `*` of the original is published as `%2A`.
//! 2. Patterns hang in a tree of segments, so that a known path walks along those alone that could cover it.
//! 3. The window of time is the coarsest of a day and an hour of which every published time is a multiple, else a minute.
//!
//! # Cost
//! Memory: 12 bytes a line where times or browsers are known, and the records of each path. Time of a known path: the patterns along its
//! segments, and the records that match.

use std::collections::BTreeMap;
use std::sync::Arc;

use hashbrown::HashMap;

use super::candidates::{Candidates, Holders, Matched, Scores, Union};
use super::query_index::window;
use super::{Released, With};
use crate::data::queries::MISSING;
use crate::data::visits::Part;
use crate::data::{Interner, Strings, Visits};

/// One thing that is known of a visitor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PageFact {
    /// The number of the path among the known strings.
    pub(super) path: u32,
    /// When it was.
    pub(super) time: Option<i64>,
    /// The number of the browser's family among the known strings.
    pub(super) browser: Option<u32>,
}

/// An index of a released log.
pub(super) struct PageIndex {
    multiplicity: Vec<u32>,
    persons: u64,
    /// For each path the records that have it.
    holders: Holders,
    paths: Interner,
    patterns: Patterns,
    beside: Option<Beside>,
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
}

impl PageIndex {
    pub(super) fn new(released: Released<'_, Visits>, with: With) -> Self {
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
        Self {
            persons: released.persons(),
            patterns: Patterns::of(log.texts(Part::Path)),
            beside: (!with.is_nothing()).then(|| Beside::new(log, lines, &multiplicity)),
            paths: Interner::from(log.texts(Part::Path)),
            holders,
            multiplicity,
        }
    }

    /// How many persons there are.
    pub(super) fn persons(&self) -> u64 {
        self.persons
    }

    /// The paths and patterns of the release that cover a known path.
    fn covering(&self, path: &str) -> Vec<u32> {
        let mut found: Vec<u32> = self.paths.find(path).into_iter().collect();
        let published = published(path);
        found.extend(self.paths.find(&published));
        self.patterns.covering(&published, &mut found);
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The records that have all known paths to the letter.
    pub(super) fn exact(&self, facts: &[PageFact], known: &Strings) -> Candidates {
        let ids: Option<Vec<u32>> = facts.iter().map(|fact| self.paths.find(known.get(fact.path))).collect();
        let matched = ids.map(|ids| self.holders.of_all(&ids, &self.multiplicity)).unwrap_or_default();
        if matched.persons == 0 { Candidates::Everybody } else { Candidates::Singled(Arc::new(matched)) }
    }
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

/// An attacker at work on one target: what they found out is kept for the next draw.
pub(super) struct Searcher<'a> {
    index: &'a PageIndex,
    known: &'a Strings,
    union: Union,
    scores: Scores,
    cache: HashMap<u32, Arc<Covering>, foldhash::fast::FixedState>,
}

/// What covers a known path.
struct Covering {
    paths: Vec<u32>,
    matched: Matched,
}

impl<'a> Searcher<'a> {
    pub(super) fn new(index: &'a PageIndex, known: &'a Strings) -> Self {
        let records = index.multiplicity.len();
        let (union, scores) = (Union::new(records), Scores::new(records, index.persons));
        Self { index, known, union, scores, cache: HashMap::default() }
    }

    /// Whom some facts lead to.
    pub(super) fn candidates(&mut self, facts: &[PageFact]) -> Candidates {
        for fact in facts {
            self.add(fact);
        }
        self.scores.best(&self.index.multiplicity)
    }

    /// All parts of a fact.
    fn add(&mut self, fact: &PageFact) {
        let index = self.index;
        let covering = self.covering(fact.path);
        self.scores.add(&covering.matched.records, covering.matched.persons);
        let is_more = fact.time.is_some() || fact.browser.is_some();
        let Some(beside) = index.beside.as_ref().filter(|_| is_more) else { return };
        let window = fact.time.map(|time| beside.windows.binary_search(&time.div_euclid(beside.window)).ok());
        if let Some(Some(window)) = window {
            self.scores.add(beside.in_window.of(window as u32), beside.in_window.persons(window as u32));
        }
        let family = fact.browser.map(|browser| beside.families.find(self.known.get(browser)));
        if let Some(Some(family)) = family {
            self.scores.add(beside.of_family.of(family), beside.of_family.persons(family));
        }
        let is_it = |[_, at, own]: &&[u32; 3]| {
            window.is_none_or(|window| window == Some(*at as usize)) && family.is_none_or(|family| family == Some(*own))
        };
        let lines = covering.paths.iter().flat_map(|&path| beside.lines_of(path).iter().filter(is_it));
        let matched = self.union.of(lines.map(|&[record, ..]| record), &index.multiplicity);
        self.scores.add(&matched.records, matched.persons);
    }

    fn covering(&mut self, path: u32) -> Arc<Covering> {
        if let Some(covering) = self.cache.get(&path) {
            return Arc::clone(covering);
        }
        let paths = self.index.covering(self.known.get(path));
        let records = paths.iter().flat_map(|&path| self.index.holders.of(path).iter().copied());
        let matched = self.union.of(records, &self.index.multiplicity);
        let covering = Arc::new(Covering { paths, matched });
        self.cache.insert(path, Arc::clone(&covering));
        covering
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
        Self { starts, lines: sorted, window, windows, in_window, families, of_family }
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
