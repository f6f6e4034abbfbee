//! How many persons of an original say what a release says: the words of a query together, the host of a URL.
//!
//! # Idea
//! The released queries are sets of words, and make a tree, the rarest word first. Then the persons of the original are gone
//! through, query by query: its words lead down the tree to all sets that lie inside. A host is looked up as it is, by each
//! right-most part of the original's host.
//!
//! # Cost
//! For each person who issued a query, a look into a table for each beginning of a set that lies inside it and each word that may
//! come next; memory 12 bytes a word of a different string, and 8 bytes a beginning for each of some parts of the persons.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use rayon::prelude::*;

use crate::data::queries::MISSING;
use crate::data::{Interner, QueryLog, Strings};
use crate::text::host::host_of;
use crate::text::lower_words;

/// For each of some strings how many persons of a log have a query that holds all its words. Without a word: nobody.
pub(crate) fn persons_saying(log: &QueryLog, strings: &Strings) -> Vec<u32> {
    let mut vocabulary = Interner::new();
    let mut sets = Sets::new();
    strings.iter().for_each(|text| sets.push(lower_words(text).map(|word| vocabulary.intern(&word))));
    // Words that the release does not have lead nowhere.
    let said = Sets::of(log.queries(), |text, set| {
        set.extend(lower_words(text).filter_map(|word| vocabulary.find(&word)));
    });
    // Words are numbered anew by how rare they are, so that few sets begin alike by chance.
    let mut occurrences = vec![0u32; vocabulary.strings().len()];
    said.numbers.iter().for_each(|&word| occurrences[word as usize] += 1);
    let mut rarest: Vec<u32> = (0..occurrences.len() as u32).collect();
    rarest.sort_unstable_by_key(|&word| (occurrences[word as usize], word));
    let mut place = vec![0; rarest.len()];
    (0..).zip(&rarest).for_each(|(at, &word)| place[word as usize] = at);
    let (phrases, said) = (Phrases::new(&sets.renumbered(&place)), said.renumbered(&place));
    let queries_of = |person: usize| {
        let mut queries = log.query_ids(log.range(person)).to_vec();
        queries.sort_unstable();
        queries.dedup();
        queries
    };
    let persons = persons_with(log.persons(), phrases.is_whole.len(), |person, add| {
        queries_of(person).into_iter().for_each(|query| phrases.inside(said.of_string(query), &mut *add));
    });
    phrases.node_of.iter().map(|&node| persons[node as usize]).collect()
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

    /// The same sets under other numbers, in rising order again.
    fn renumbered(mut self, number: &[u32]) -> Self {
        self.numbers.iter_mut().for_each(|own| *own = number[*own as usize]);
        for ends in self.starts.windows(2) {
            self.numbers[ends[0]..ends[1]].sort_unstable();
        }
        self
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

/// The sets of words of phrases as a tree, the rarest word first: a node for each beginning of a set.
struct Phrases {
    children: HashMap<(u32, u32), u32, FixedState>,
    /// Whether a node is a whole set.
    is_whole: Vec<bool>,
    /// For each phrase the node of its set; the root for one without a word.
    node_of: Vec<u32>,
}

/// The node of no word.
const ROOT: u32 = 0;

impl Phrases {
    fn new(sets: &Sets) -> Self {
        let mut phrases = Self { children: HashMap::default(), is_whole: vec![false], node_of: Vec::new() };
        for phrase in 0..sets.starts.len() as u32 - 1 {
            let mut node = ROOT;
            for &word in sets.of_string(phrase) {
                let next = phrases.is_whole.len() as u32;
                node = *phrases.children.entry((node, word)).or_insert(next);
                if node == next {
                    phrases.is_whole.push(false);
                }
            }
            phrases.is_whole[node as usize] = node != ROOT;
            phrases.node_of.push(node);
        }
        phrases
    }

    /// The nodes of the sets that lie inside a set of words.
    fn inside(&self, words: &[u32], mut each: impl FnMut(u32)) {
        let mut open = vec![(ROOT, 0)];
        while let Some((node, start)) = open.pop() {
            for (word, next) in words[start..].iter().zip(start + 1..) {
                if let Some(&child) = self.children.get(&(node, *word)) {
                    if self.is_whole[child as usize] {
                        each(child);
                    }
                    open.push((child, next));
                }
            }
        }
    }
}
