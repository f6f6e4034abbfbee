//! How many persons of an original say what a release says: the words of a query together, the host of a URL.
//!
//! # Idea
//! Every released string is filed under its two rarest words. Then the persons of the original are gone through, query by query:
//! each pair of words of a query leads to the strings that may lie inside it, and their other words are looked for. A host is
//! filed under itself, and each right-most part of an original's host leads to it.
//!
//! # Cost
//! One look into a table for each pair of words of a query that occur in the release, for each person who issued it; memory 8
//! bytes a released string for each of some parts of the persons, and 4 bytes a word of a different string.

use std::collections::HashMap;
use std::ops::Range;

use foldhash::fast::FixedState;
use rayon::prelude::*;

use crate::data::queries::MISSING;
use crate::data::{Interner, QueryLog, Strings};
use crate::text::host::host_of;
use crate::text::lower_words;

/// For each of some strings how many persons of a log have a query that holds all its words. Without a word: nobody.
pub(crate) fn persons_saying(log: &QueryLog, strings: &Strings) -> Vec<u32> {
    let mut vocabulary = Interner::new();
    let mut phrases = Sets::new();
    strings.iter().for_each(|text| phrases.push(lower_words(text).map(|word| vocabulary.intern(&word))));
    // Words that the release does not have lead nowhere.
    let said = Sets::of(log.queries(), |text, set| {
        set.extend(lower_words(text).filter_map(|word| vocabulary.find(&word)));
    });
    let mut occurrences = vec![0u32; vocabulary.strings().len()];
    said.numbers.iter().for_each(|&word| occurrences[word as usize] += 1);
    let filed = Filed::new(&phrases, &occurrences);
    let queries_of = |person: usize| {
        let mut queries = log.query_ids(log.range(person)).to_vec();
        queries.sort_unstable();
        queries.dedup();
        queries
    };
    persons_with(log.persons(), strings.len(), |person, add| {
        for query in queries_of(person) {
            let words = said.of_string(query);
            filed.candidates(words, |phrase| {
                let holds = |word: &u32| words.binary_search(word).is_ok();
                if phrases.of_string(phrase).iter().all(holds) {
                    add(phrase);
                }
            });
        }
    })
}

/// For each of some URLs how many persons of a log clicked what it names: a bare host is a right-most part, in whole labels, of the
/// host that they clicked; any other URL is theirs to the letter.
pub(crate) fn persons_clicking(log: &QueryLog, urls: &Strings) -> Vec<u32> {
    let mut released = Interner::new();
    let number: Vec<u32> = urls.iter().map(|url| released.intern(url)).collect();
    let clicked = Sets::of(log.urls(), |url, set| {
        let host = host_of(url);
        let starts = std::iter::once(0).chain(host.match_indices('.').map(|(dot, _)| dot + 1));
        set.extend(starts.filter(|&start| start < host.len()).filter_map(|start| released.find(&host[start..])));
        set.extend(released.find(url).filter(|_| !url.is_empty()));
    });
    let persons = persons_with(log.persons(), released.strings().len(), |person, add| {
        let urls = log.lines(person).filter_map(|line| line.url);
        urls.for_each(|url| clicked.of_string(url).iter().for_each(|&at| add(at)));
    });
    number.into_iter().map(|at| persons[at as usize]).collect()
}

/// A set of numbers for each string of a table.
struct Sets {
    /// String `s` has `numbers[starts[s]..starts[s + 1]]`, in rising order.
    starts: Vec<usize>,
    numbers: Vec<u32>,
}

impl Sets {
    fn new() -> Self {
        Self { starts: vec![0], numbers: Vec::new() }
    }

    /// What `numbers_of` adds for each string, which are worked on side by side.
    fn of(strings: &Strings, numbers_of: impl Fn(&str, &mut Vec<u32>) + Sync) -> Self {
        const BLOCK: usize = 1 << 14;
        let block = |block: usize| {
            let (mut sets, mut own) = (Self::new(), Vec::new());
            for string in block * BLOCK..strings.len().min((block + 1) * BLOCK) {
                numbers_of(strings.get(string as u32), &mut own);
                sets.push(own.drain(..));
            }
            sets
        };
        let blocks: Vec<Self> = (0..strings.len().div_ceil(BLOCK)).into_par_iter().map(block).collect();
        let mut all = Self::new();
        for block in blocks {
            let before = all.numbers.len();
            all.numbers.extend_from_slice(&block.numbers);
            all.starts.extend(block.starts[1..].iter().map(|end| before + end));
        }
        all
    }

    /// Adds the set of the next string.
    fn push(&mut self, numbers: impl Iterator<Item = u32>) {
        let mut set: Vec<u32> = numbers.collect();
        set.sort_unstable();
        set.dedup();
        self.numbers.append(&mut set);
        self.starts.push(self.numbers.len());
    }

    fn of_string(&self, string: u32) -> &[u32] {
        &self.numbers[self.starts[string as usize]..self.starts[string as usize + 1]]
    }
}

/// For each of `things` things how many persons have it: `each` gives those of a person, in any order, some maybe twice.
fn persons_with(persons: usize, things: usize, each: impl Fn(usize, &mut dyn FnMut(u32)) + Sync) -> Vec<u32> {
    const PARTS: usize = 8;
    let part = |part: usize| {
        let (mut last, mut count) = (vec![MISSING; things], vec![0u32; things]);
        for person in persons * part / PARTS..persons * (part + 1) / PARTS {
            each(person, &mut |thing| {
                if std::mem::replace(&mut last[thing as usize], person as u32) != person as u32 {
                    count[thing as usize] += 1;
                }
            });
        }
        count
    };
    let sum = |mut all: Vec<u32>, own: Vec<u32>| {
        all.iter_mut().zip(own).for_each(|(all, own)| *all += own);
        all
    };
    (0..PARTS).into_par_iter().map(part).reduce(|| vec![0; things], sum)
}

/// Phrases by their two rarest words.
struct Filed {
    /// The rarest word and the next, or the one word twice, with the place of their phrases.
    places: HashMap<(u32, u32), Range<usize>, FixedState>,
    phrases: Vec<u32>,
    /// Whether a word is the rarest of a phrase.
    is_rarest: Vec<bool>,
}

impl Filed {
    fn new(phrases: &Sets, occurrences: &[u32]) -> Self {
        let key = |phrase: u32| {
            let mut words = phrases.of_string(phrase).to_vec();
            words.sort_unstable_by_key(|&word| (occurrences[word as usize], word));
            let rarest = *words.first()?;
            Some((rarest, words.get(1).copied().unwrap_or(rarest)))
        };
        let all = 0..phrases.starts.len() as u32 - 1;
        let mut keyed: Vec<((u32, u32), u32)> = all.filter_map(|phrase| Some((key(phrase)?, phrase))).collect();
        keyed.sort_unstable();
        let mut filed =
            Self { places: HashMap::default(), phrases: Vec::new(), is_rarest: vec![false; occurrences.len()] };
        for same in keyed.chunk_by(|left, right| left.0 == right.0) {
            let start = filed.phrases.len();
            filed.phrases.extend(same.iter().map(|&(_, phrase)| phrase));
            filed.places.insert(same[0].0, start..filed.phrases.len());
            filed.is_rarest[same[0].0.0 as usize] = true;
        }
        filed
    }

    /// The phrases whose two rarest words are among some words.
    fn candidates(&self, words: &[u32], mut each: impl FnMut(u32)) {
        for &rarest in words.iter().filter(|&&word| self.is_rarest[word as usize]) {
            for &other in words {
                if let Some(place) = self.places.get(&(rarest, other)) {
                    self.phrases[place.clone()].iter().for_each(|&phrase| each(phrase));
                }
            }
        }
    }
}
