//! What may be published of a log that no machine has as a whole: phrases that enough persons' queries hold, one word more a round.
//!
//! The result is that of `aggregate/content.rs` on the whole log, and a test says so. There the beginnings of strings are a tree in
//! memory; here a beginning is a set of words, whose hash is the sum of those of its words, and whether enough persons' queries hold it
//! is asked of all machines, level by level: [`candidates`] are the beginnings of strings that are one word longer than one that is
//! held by enough; [`count_sets`] says how many persons hold each.
//!
//! # Cost
//! A look at every string for each of its beginnings that enough hold and each further word, in every round; memory for the strings of
//! a part, and 20 bytes for each set that enough hold.

use std::collections::{BTreeMap, HashSet};

use foldhash::fast::FixedState;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Counts, Key, Keys, Piece};
use crate::aggregate::content::{CutLog, Phrases, cut_to, publishable_parts};
use crate::data::queries::MISSING;
use crate::data::{Clusters, Interner, QueryLog, Strings};
use crate::text::host::host_of;
use crate::text::normal::normal_words;
use crate::text::stop_words::is_stop_word;

/// What may be published, as far as it is decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decided {
    key: Key,
    least: usize,
    /// How many persons have each word that enough have.
    words: Counts,
    /// The same of parts of hosts.
    sites: Counts,
    /// Sets of two words and more that enough hold.
    sets: Keys,
    /// Their texts, in the order in which most have them.
    texts: BTreeMap<u128, String>,
}

impl Decided {
    /// From how many persons have each word, and each part of a host.
    pub fn new(key: Key, least: usize, words: Counts, sites: Counts) -> Self {
        let (words, sites) = (words.at_least(least), sites.at_least(least));
        Self { key, least, words, sites, sets: Keys::default(), texts: BTreeMap::new() }
    }

    /// Adds the sets of a level that enough hold. Says whether there was one.
    pub fn decide(&mut self, sets: Counts) -> bool {
        let found = sets.at_least(self.least).keys();
        let grows = !found.is_empty();
        self.sets = std::mem::take(&mut self.sets).merge(found);
        grows
    }

    /// Settles in which order words are published: as most persons have them, of several the first in the alphabet.
    pub fn settle(&mut self, orders: Orders) {
        let text = |(set, orders): (u128, BTreeMap<String, u32>)| {
            let most = orders.values().max().copied();
            let text = orders.into_iter().find(|&(_, persons)| Some(persons) == most);
            text.map(|(text, _)| (set, text))
        };
        self.texts = orders.0.into_iter().filter_map(|(set, orders)| text((set.parse().ok()?, orders))).collect();
    }

    /// The words of a text that enough persons have, with their hashes, as they stand there.
    fn words_of(&self, text: &str) -> Vec<(String, u128)> {
        let hashed = normal_words(text).into_iter().map(|word| {
            let hash = self.key.hash(word.as_bytes());
            (word, hash)
        });
        hashed.filter(|&(_, hash)| self.words.of(hash) > 0).collect()
    }

    /// The places of the words in the order in which they are kept, the commonest first, and of equally common ones the left-most.
    fn order(&self, words: &[(String, u128)]) -> Vec<usize> {
        let mut order: Vec<usize> = (0..words.len()).collect();
        order.sort_by_key(|&at| std::cmp::Reverse(self.words.of(words[at].1)));
        order
    }

    /// How many words of an order are kept as far as it is decided, and the hash of their set.
    fn kept(&self, words: &[(String, u128)], order: &[usize]) -> (usize, u128) {
        let Some(&first) = order.first() else { return (0, 0) };
        let (mut length, mut set) = (1, words[first].1);
        for &at in &order[1..] {
            let longer = set.wrapping_add(words[at].1);
            if !self.sets.has(longer) {
                break;
            }
            (length, set) = (length + 1, longer);
        }
        (length, set)
    }

    /// What is left of a text, and whether it has a content word.
    fn phrase(&self, text: &str) -> Option<(Vec<String>, u128)> {
        let words = self.words_of(text);
        let order = self.order(&words);
        let (length, set) = self.kept(&words, &order);
        let kept: Vec<String> = order[..length].iter().map(|&at| words[at].0.clone()).collect();
        kept.iter().any(|word| !is_stop_word(word)).then_some((kept, set))
    }

    /// All sets inside of a text that `reached` knows, each once, with the places of their words; sets on the way are those that are
    /// decided.
    fn inside(&self, words: &[(String, u128)], mut reached: impl FnMut(u128, &[usize]) -> bool) {
        let mut seen: HashSet<u128, FixedState> = HashSet::default();
        let mut open: Vec<(u128, Vec<usize>)> = (0..words.len()).map(|at| (words[at].1, vec![at])).collect();
        while let Some((set, places)) = open.pop() {
            for (at, word) in words.iter().enumerate() {
                if places.contains(&at) {
                    continue;
                }
                let longer = set.wrapping_add(word.1);
                if seen.contains(&longer) {
                    continue;
                }
                let mut with: Vec<usize> = places.clone();
                with.push(at);
                let is_reached = reached(longer, &with);
                let goes_on = self.sets.has(longer);
                if is_reached || goes_on {
                    seen.insert(longer);
                }
                if goes_on {
                    open.push((longer, with));
                }
            }
        }
    }
}

/// In which orders persons have the words of a set: for each order how many.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Orders(BTreeMap<String, BTreeMap<String, u32>>);

impl Piece for Orders {
    const NAME: &'static str = "orders";

    fn merge(mut self, other: Self) -> Self {
        for (set, orders) in other.0 {
            let own = self.0.entry(set).or_default();
            orders.into_iter().for_each(|(order, persons)| *own.entry(order).or_default() += persons);
        }
        self
    }
}

impl Piece for Decided {
    const NAME: &'static str = "decided";

    /// Those of two rounds of one run: whatever one of them decided.
    fn merge(mut self, other: Self) -> Self {
        self.sets = self.sets.merge(other.sets);
        self.texts.extend(other.texts);
        self
    }
}

/// The different strings of each person.
fn strings_of(log: &QueryLog, clusters: &Clusters) -> Vec<Vec<u32>> {
    let strings = |cluster: &[(u32, u32)]| {
        let accounts = cluster.iter().map(|&(account, _)| account as usize);
        let mut own: Vec<u32> = accounts.flat_map(|account| log.query_ids(log.range(account)).to_vec()).collect();
        own.sort_unstable();
        own.dedup();
        own
    };
    clusters.clusters().map(strings).collect()
}

fn each_string<T: Send>(log: &QueryLog, of: impl Fn(&str) -> T + Sync) -> Vec<T> {
    (0..log.queries().len() as u32).into_par_iter().map(|string| of(log.queries().get(string))).collect()
}

fn count<T: Copy + Into<u128>>(persons: Vec<Vec<u32>>, things: &[Vec<T>]) -> Counts {
    let of = |strings: Vec<u32>| {
        let things = strings.into_iter().flat_map(|string| &things[string as usize]);
        things.map(|&thing| thing.into()).collect::<Vec<u128>>()
    };
    Counts::of_persons(persons.into_iter().map(of))
}

/// How many persons of a part have each word in a query.
pub fn count_words(log: &QueryLog, clusters: &Clusters, key: &Key) -> Counts {
    let words =
        each_string(log, |text| normal_words(text).iter().map(|word| key.hash(word.as_bytes())).collect::<Vec<u128>>());
    count(strings_of(log, clusters), &words)
}

/// How many persons of a part clicked each part of a host that may be published.
pub fn count_sites(log: &QueryLog, clusters: &Clusters, key: &Key) -> Counts {
    let parts: Vec<Vec<u128>> = log
        .urls()
        .iter()
        .map(|url| publishable_parts(&host_of(url)).into_iter().map(|part| key.hash(part.as_bytes())).collect())
        .collect();
    let of = |cluster: &[(u32, u32)]| {
        let accounts = cluster.iter().map(|&(account, _)| account as usize);
        let urls = accounts.flat_map(|account| log.lines(account)).filter_map(|line| line.url);
        urls.flat_map(|url| parts[url as usize].iter().copied()).collect::<Vec<u128>>()
    };
    Counts::of_persons(clusters.clusters().map(of))
}

/// The beginnings of the strings of a part that are one word longer than what is decided of them: sets that may be decided next.
pub fn candidates(log: &QueryLog, decided: &Decided) -> Keys {
    let of = |text: &str| {
        let words = decided.words_of(text);
        let order = decided.order(&words);
        let (length, set) = decided.kept(&words, &order);
        order.get(length).map(|&next| set.wrapping_add(words[next].1))
    };
    each_string(log, of).into_iter().flatten().collect()
}

/// How many persons of a part have a query that holds each of some candidates.
pub fn count_sets(log: &QueryLog, clusters: &Clusters, decided: &Decided, candidates: &Keys) -> Counts {
    let inside = each_string(log, |text| {
        let (words, mut found) = (decided.words_of(text), Vec::new());
        decided.inside(&words, |set, _| {
            let is_candidate = candidates.has(set);
            if is_candidate {
                found.push(set);
            }
            is_candidate
        });
        found
    });
    count(strings_of(log, clusters), &inside)
}

/// The sets of two words and more that the strings of a part are published as.
pub fn published(log: &QueryLog, decided: &Decided) -> Keys {
    let of = |text: &str| decided.phrase(text).filter(|(words, _)| words.len() > 1).map(|(_, set)| set);
    each_string(log, of).into_iter().flatten().collect()
}

/// In which order the persons of a part have the words of the sets that are published.
pub fn count_orders(log: &QueryLog, clusters: &Clusters, decided: &Decided, published: &Keys) -> Orders {
    let held = each_string(log, |text| {
        let (words, mut found) = (decided.words_of(text), Vec::new());
        decided.inside(&words, |set, places| {
            let is_published = published.has(set);
            if is_published {
                let mut places = places.to_vec();
                places.sort_unstable();
                let order: Vec<&str> = places.iter().map(|&at| words[at].0.as_str()).collect();
                found.push((set, order.join(" ")));
            }
            is_published
        });
        found
    });
    let mut orders = Orders::default();
    for strings in strings_of(log, clusters) {
        let mut own: Vec<&(u128, String)> = strings.iter().flat_map(|&string| &held[string as usize]).collect();
        own.sort_unstable();
        own.dedup();
        for (set, order) in own {
            *orders.0.entry(set.to_string()).or_default().entry(order.clone()).or_default() += 1;
        }
    }
    orders
}

/// Cuts the log of some persons to what may be published. All of it is decided.
pub fn cut(log: &QueryLog, decided: &Decided) -> CutLog {
    let found = each_string(log, |text| {
        let (words, set) = decided.phrase(text)?;
        let text_of_set = match words.as_slice() {
            [only] => only.clone(),
            _ => decided.texts.get(&set)?.clone(),
        };
        Some((text_of_set, words.len() == normal_words(text).len()))
    });
    let (mut texts, mut of, mut is_whole) = (Interner::new(), Vec::new(), Vec::new());
    for phrase in &found {
        of.push(phrase.as_ref().map_or(MISSING, |(text, _)| texts.intern(text)));
        is_whole.push(phrase.as_ref().is_some_and(|&(_, whole)| whole));
    }
    let (mut kept, mut url_of) = (Interner::new(), Vec::new());
    for url in log.urls().iter() {
        let host = host_of(url);
        let is_said = |part: &&str| decided.sites.of(decided.key.hash(part.as_bytes())) > 0;
        let part = publishable_parts(&host).into_iter().find(is_said);
        url_of.push(part.map_or(MISSING, |part| kept.intern(part)));
    }
    let (texts, kept): (Strings, Strings) = (texts.into_strings(), kept.into_strings());
    cut_to(log, Phrases { texts, of, is_whole }, (kept, url_of))
}
