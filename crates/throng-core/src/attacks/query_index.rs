//! What an attacker makes of a released search log: who has lines with these words, in this window of time, of this site.
//!
//! # Idea
//! 1. Persons with equal lines are one record: nobody can tell them apart.
//! 2. A line matches the words of a known query if it has a word and all its words are among them. Each different string is listed
//!    under its rarest word alone, which must be one of the query's: few strings are looked at.
//! 3. The window of time is the coarsest of a day and an hour of which every published time is a multiple, else a minute.
//!
//! # Cost
//! Memory: 4 bytes a word of each different string, 4 a line, 8 more where times or clicks are known. Time of a known query: the
//! strings listed under its words, and the records that match.

use std::sync::Arc;

use hashbrown::{HashMap, HashTable};
use rayon::prelude::*;

use super::candidates::{Candidates, Holders, Matched, Scores, Union};
use super::{Released, With};
use crate::data::queries::MISSING;
use crate::data::string_words::StringWords;
use crate::data::time::HOUR;
use crate::data::{Interner, Line, QueryLog, Strings};
use crate::text::host::host_of;
use crate::text::{lower_words, lowered, written_words};

/// One thing that is known of a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct QueryFact {
    /// The number of the query among the known strings.
    pub(super) query: u32,
    /// When it was.
    pub(super) time: Option<i64>,
    /// The number of the host of the clicked page among the known strings, if it has one.
    pub(super) host: Option<u32>,
}

/// An index of a released log.
pub(super) struct QueryIndex {
    /// The record of each person or record of the release.
    record_of: Vec<u32>,
    multiplicity: Vec<u32>,
    persons: u64,
    vocabulary: Interner,
    /// For each string its different words.
    words: StringWords,
    /// For each word the strings whose rarest word it is.
    under: Lists,
    /// For each string the records that have it.
    holders: Holders,
    /// For each known string the same string of the release.
    same: Vec<Option<u32>>,
    beside: Option<Beside>,
}

/// What is known beside strings.
struct Beside {
    /// The lines of each string, with their records, windows and hosts.
    starts: Vec<u32>,
    lines: Vec<[u32; 3]>,
    window: i64,
    /// Different windows in rising order.
    windows: Vec<i64>,
    in_window: Holders,
    hosts: Interner,
    of_host: Holders,
}

/// Lists of numbers, one after the other.
struct Lists {
    starts: Vec<usize>,
    items: Vec<u32>,
}

impl Lists {
    fn of(&self, list: u32) -> &[u32] {
        &self.items[self.starts[list as usize]..self.starts[list as usize + 1]]
    }
}

impl QueryIndex {
    /// The index, for an attacker who knows these strings.
    pub(super) fn new(released: Released<'_, QueryLog>, known: &Strings, with: With) -> Self {
        let log = released.data;
        let (different, record_of, multiplicity) = different_records(log, released.multiplicity);
        let strings = log.queries();
        let mut vocabulary = Interner::new();
        let words = StringWords::of(strings, &mut vocabulary, |string, each| {
            written_words(strings.get(string)).for_each(|word| each(&lowered(word)));
        })
        .different();
        let lines = || {
            let of_record = |(record, &person): (usize, &usize)| log.range(person).map(move |row| (record as u32, row));
            different.iter().enumerate().flat_map(of_record)
        };
        let holders = Holders::new(
            strings.len(),
            lines().map(|(record, row)| (log.query_ids(row..row + 1)[0], record)),
            &multiplicity,
        );
        let under = under_rarest(&words, vocabulary.strings().len());
        let beside = (!with.is_nothing()).then(|| Beside::new(log, lines, &multiplicity));
        Self {
            persons: multiplicity.iter().map(|&persons| u64::from(persons)).sum(),
            record_of,
            multiplicity,
            vocabulary,
            words,
            under,
            holders,
            same: known.ids_in(strings),
            beside,
        }
    }

    /// How many persons there are.
    pub(super) fn persons(&self) -> u64 {
        self.persons
    }

    /// How many different records there are.
    pub(super) fn records(&self) -> usize {
        self.multiplicity.len()
    }

    /// The number that a person or record of the release has here.
    pub(super) fn record(&self, released: u32) -> Option<u32> {
        self.record_of.get(released as usize).copied().filter(|&record| record != MISSING)
    }

    /// The strings that the words of a query cover.
    fn covered(&self, query: &str) -> Vec<u32> {
        let mut words: Vec<u32> = lower_words(query).filter_map(|word| self.vocabulary.find(&word)).collect();
        words.sort_unstable();
        words.dedup();
        let is_covered =
            |string: &&u32| self.words.of_string(**string).iter().all(|word| words.binary_search(word).is_ok());
        words.iter().flat_map(|&word| self.under.of(word).iter().filter(is_covered).copied()).collect()
    }

    /// The records whose lines hold all known strings to the letter.
    pub(super) fn exact(&self, facts: &[QueryFact]) -> Candidates {
        let ids: Option<Vec<u32>> = facts.iter().map(|fact| self.same[fact.query as usize]).collect();
        let matched = ids.map(|ids| self.holders.of_all(&ids, &self.multiplicity)).unwrap_or_default();
        if matched.persons == 0 { Candidates::Everybody } else { Candidates::Singled(Arc::new(matched)) }
    }
}

/// An attacker at work on one target: what they found out is kept for the next draw.
pub(super) struct Searcher<'a> {
    index: &'a QueryIndex,
    known: &'a Strings,
    union: Union,
    scores: Scores,
    cache: HashMap<u32, Arc<Covered>, foldhash::fast::FixedState>,
}

/// What the words of a known query cover.
struct Covered {
    strings: Vec<u32>,
    matched: Arc<Matched>,
}

impl<'a> Searcher<'a> {
    pub(super) fn new(index: &'a QueryIndex, known: &'a Strings) -> Self {
        let records = index.multiplicity.len();
        let (union, scores) = (Union::new(records), Scores::new(records, index.persons));
        Self { index, known, union, scores, cache: HashMap::default() }
    }

    /// The records that cover a known string.
    pub(super) fn covering(&mut self, string: u32) -> Arc<Matched> {
        Arc::clone(&self.covered(string, false).matched)
    }

    /// Whom some facts lead to.
    pub(super) fn candidates(&mut self, facts: &[QueryFact]) -> Candidates {
        if let [QueryFact { query, time: None, host: None }] = *facts {
            // One part alone: whoever matches has the greatest sum.
            let matched = Arc::clone(&self.covered(query, false).matched);
            return if matched.persons == 0 { Candidates::Everybody } else { Candidates::Singled(matched) };
        }
        for fact in facts {
            self.add(fact);
        }
        self.scores.best(&self.index.multiplicity)
    }

    /// All parts of a fact.
    fn add(&mut self, fact: &QueryFact) {
        let index = self.index;
        let covered = self.covered(fact.query, true);
        self.scores.add(&covered.matched.records, covered.matched.persons);
        let Some(beside) = index.beside.as_ref().filter(|_| fact.time.is_some() || fact.host.is_some()) else { return };
        let window = fact.time.map(|time| beside.windows.binary_search(&time.div_euclid(beside.window)).ok());
        if let Some(Some(window)) = window {
            self.scores.add(beside.in_window.of(window as u32), beside.in_window.persons(window as u32));
        }
        let hosts = fact.host.map(|host| beside.known_as(self.known.get(host)));
        if let Some(hosts) = &hosts {
            let records = hosts.iter().flat_map(|&host| beside.of_host.of(host).iter().copied());
            let matched = self.union.of(records, &index.multiplicity);
            self.scores.add(&matched.records, matched.persons);
        }
        let is_it = |[_, at, host]: &&[u32; 3]| {
            window.is_none_or(|window| window == Some(*at as usize))
                && hosts.as_ref().is_none_or(|hosts| hosts.contains(host))
        };
        let lines = covered.strings.iter().flat_map(|&string| beside.lines_of(string).iter().filter(is_it));
        let matched = self.union.of(lines.map(|&[record, ..]| record), &index.multiplicity);
        self.scores.add(&matched.records, matched.persons);
    }

    fn covered(&mut self, query: u32, keep: bool) -> Arc<Covered> {
        if let Some(covered) = self.cache.get(&query) {
            return Arc::clone(covered);
        }
        let strings = self.index.covered(self.known.get(query));
        let records = strings.iter().flat_map(|&string| self.index.holders.of(string).iter().copied());
        let matched = Arc::new(self.union.of(records, &self.index.multiplicity));
        let covered = Arc::new(Covered { strings, matched });
        if keep {
            self.cache.insert(query, Arc::clone(&covered));
        }
        covered
    }
}

impl Beside {
    fn new<I: Iterator<Item = (u32, usize)> + Clone>(
        log: &QueryLog,
        lines: impl Fn() -> I,
        multiplicity: &[u32],
    ) -> Self {
        let window = window(lines().map(|(_, row)| log.line(row).time));
        let windows = different(lines().map(|(_, row)| log.line(row).time.div_euclid(window)));
        let mut hosts = Interner::new();
        let host_of_url: Vec<u32> = log
            .urls()
            .iter()
            .map(|url| match host_of(url) {
                host if host.is_empty() => MISSING,
                host => hosts.intern(&host),
            })
            .collect();
        let strings = log.queries().len();
        let mut starts = vec![0u32; strings + 1];
        lines().for_each(|(_, row)| starts[log.line(row).query as usize + 1] += 1);
        for string in 0..strings {
            starts[string + 1] = starts[string].checked_add(starts[string + 1]).expect("more than four billion lines");
        }
        let mut place = starts.clone();
        let mut sorted = vec![[0; 3]; starts[strings] as usize];
        let host = |row: usize| log.line(row).url.map_or(MISSING, |url| host_of_url[url as usize]);
        let mut window_of_line = Vec::with_capacity(sorted.len());
        for (record, row) in lines() {
            let line = log.line(row);
            let at = windows.partition_point(|&other| other < line.time.div_euclid(window)) as u32;
            sorted[place[line.query as usize] as usize] = [record, at, host(row)];
            place[line.query as usize] += 1;
            window_of_line.push(at);
        }
        drop(place);
        let windows_of_records = window_of_line.iter().zip(lines()).map(|(&at, (record, _))| (at, record));
        let in_window = Holders::new(windows.len(), windows_of_records, multiplicity);
        drop(window_of_line);
        let clicked = lines().map(|(record, row)| (host(row), record)).filter(|(host, _)| *host != MISSING);
        let of_host = Holders::new(hosts.strings().len(), clicked, multiplicity);
        Self { starts, lines: sorted, window, windows, in_window, hosts, of_host }
    }

    fn lines_of(&self, string: u32) -> &[[u32; 3]] {
        &self.lines[self.starts[string as usize] as usize..self.starts[string as usize + 1] as usize]
    }

    /// The hosts of the release that are a known one, or a right-most part of it in whole labels.
    fn known_as(&self, host: &str) -> Vec<u32> {
        let after_dots = host.match_indices('.').map(|(dot, _)| &host[dot + 1..]);
        std::iter::once(host).chain(after_dots).filter_map(|part| self.hosts.find(part)).collect()
    }
}

/// Each number once, in rising order. There are far fewer than there are copies, which are never all held.
fn different(numbers: impl Iterator<Item = i64>) -> Vec<i64> {
    const MANY: usize = 1 << 16;
    let (mut all, mut known) = (Vec::new(), 0);
    let settle = |all: &mut Vec<i64>| {
        all.sort_unstable();
        all.dedup();
    };
    for number in numbers {
        all.push(number);
        if all.len() >= 2 * known + MANY {
            settle(&mut all);
            known = all.len();
        }
    }
    settle(&mut all);
    all
}

/// The window of time: the coarsest of a day and an hour of which all times are multiples, else a minute.
pub(super) fn window(times: impl Iterator<Item = i64> + Clone) -> i64 {
    const MINUTE: i64 = 60_000;
    let is_multiple = |window: &i64| times.clone().all(|time| time % window == 0);
    [24 * HOUR, HOUR].into_iter().find(is_multiple).unwrap_or(MINUTE)
}

/// For each word the strings whose rarest word it is: the one that the fewest strings have.
fn under_rarest(words: &StringWords, vocabulary: usize) -> Lists {
    let mut strings_with = vec![0u32; vocabulary];
    words.words().iter().for_each(|&word| strings_with[word as usize] += 1);
    let rarest = |string: u32| {
        let rarest = words.of_string(string).iter().copied().min_by_key(|&word| (strings_with[word as usize], word));
        rarest.unwrap_or(MISSING)
    };
    let rarest: Vec<u32> = (0..words.len() as u32).into_par_iter().map(rarest).collect();
    let mut starts = vec![0; vocabulary + 1];
    rarest.iter().filter(|&&word| word != MISSING).for_each(|&word| starts[word as usize + 1] += 1);
    for word in 0..vocabulary {
        starts[word + 1] += starts[word];
    }
    let mut place = starts.clone();
    let mut items = vec![0; starts[vocabulary]];
    for (string, word) in rarest.into_iter().enumerate() {
        if word != MISSING {
            items[place[word as usize]] = string as u32;
            place[word as usize] += 1;
        }
    }
    Lists { starts, items }
}

/// The persons of a release whose lines differ from those of all before them; for each person the number of their like among these, or
/// [`MISSING`] for a record that is nobody's; and how many persons these stand for.
pub(super) fn different_records(release: &QueryLog, multiplicity: &[u32]) -> (Vec<usize>, Vec<u32>, Vec<u32>) {
    use std::hash::BuildHasher as _;
    let sorted_lines = |person: usize| -> Vec<Line> {
        let mut lines: Vec<Line> = release.lines(person).collect();
        lines.sort_unstable();
        lines
    };
    let hasher = foldhash::fast::FixedState::default();
    let mut numbers: HashTable<(u64, u32)> = HashTable::new();
    let (mut different, mut persons) = (Vec::new(), Vec::new());
    let mut record_of = Vec::with_capacity(release.persons());
    let hash_of = |person: usize| if multiplicity[person] == 0 { 0 } else { hasher.hash_one(sorted_lines(person)) };
    let hashes: Vec<u64> = (0..multiplicity.len()).into_par_iter().map(hash_of).collect();
    for (person, (&stands_for, hash)) in multiplicity.iter().zip(hashes).enumerate() {
        if stands_for == 0 {
            record_of.push(MISSING);
            continue;
        }
        let is_same = |&(other, number): &(u64, u32)| {
            other == hash && sorted_lines(different[number as usize]) == sorted_lines(person)
        };
        let number = match numbers.find(hash, is_same) {
            Some(&(_, number)) => number,
            None => {
                let number = different.len() as u32;
                numbers.insert_unique(hash, (hash, number), |&(hash, _)| hash);
                different.push(person);
                persons.push(0);
                number
            }
        };
        persons[number as usize] += stands_for;
        record_of.push(number);
    }
    (different, record_of, persons)
}
