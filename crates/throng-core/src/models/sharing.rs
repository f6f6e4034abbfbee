//! How many persons of an original say what a release says: the words of a query together, the host of a URL.
//!
//! # Idea
//! The released queries are sets of words, and make a tree, the rarest word first. Then the persons of the original are gone
//! through, query by query: its words lead down the tree to all sets that lie inside. Beside it is counted in which order a person
//! has the words of a set: text in normal form has them as most do. A host is looked up as it is, by each right-most part of the
//! original's host. Nothing here is shared with what methods use to make that text.
//!
//! # Cost
//! For each person who issued a query, a look into a table for each beginning of a set that lies inside it and each word that may
//! come next; memory 12 bytes a word of a different string, and 8 bytes a beginning for each of some parts of the persons.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use foldhash::fast::FixedState;
use rayon::prelude::*;
use unicode_normalization::UnicodeNormalization as _;

use crate::data::queries::MISSING;
use crate::data::{Interner, QueryLog, Strings};
use crate::text::host::host_of;

/// The lines of each person.
pub(crate) type Persons = [Vec<Range<usize>>];

/// What persons of an original make of some strings.
pub(crate) struct Saying {
    /// For each string how many persons have a query that holds all its words. Without a word: nobody.
    pub(crate) persons: Vec<u32>,
    /// Whether it is in normal form: nothing but its words, and these in the order in which most of those persons have them.
    pub(crate) is_normal: Vec<bool>,
}

/// For each of some strings how many persons of a log have a query that holds all its words, every account a person.
pub(crate) fn persons_saying(log: &QueryLog, strings: &Strings) -> Vec<u32> {
    let persons: Vec<Vec<Range<usize>>> = (0..log.persons()).map(|person| vec![log.range(person)]).collect();
    said_by(log, &persons, strings).persons
}

/// What persons of a log, given by their lines, make of some strings.
pub(crate) fn said_by(log: &QueryLog, persons: &Persons, strings: &Strings) -> Saying {
    let mut vocabulary = Interner::new();
    let mut written = Sets::new();
    strings.iter().for_each(|text| written.push(said_words(text).iter().map(|word| vocabulary.intern(word))));
    // Words that the release does not have lead nowhere.
    let said = Sets::of(log.queries(), |text, words| {
        words.extend(said_words(text).iter().filter_map(|word| vocabulary.find(word)));
    });
    // Words are numbered anew by how rare they are, so that few sets begin alike by chance.
    let mut occurrences = vec![0u32; vocabulary.strings().len()];
    said.numbers.iter().for_each(|&word| occurrences[word as usize] += 1);
    let mut rarest: Vec<u32> = (0..occurrences.len() as u32).collect();
    rarest.sort_unstable_by_key(|&word| (occurrences[word as usize], word));
    let mut place = vec![0; rarest.len()];
    (0..).zip(&rarest).for_each(|(at, &word)| place[word as usize] = at);
    let (written, said) = (written.renumbered(&place), said.renumbered(&place));
    let phrases = Phrases::new(&written);
    let queries_of = |lines: &[Range<usize>]| {
        let mut queries: Vec<u32> = lines.iter().flat_map(|rows| log.query_ids(rows.clone())).copied().collect();
        queries.sort_unstable();
        queries.dedup();
        queries
    };
    let votes = persons_with(persons.len(), phrases.is_whole.len(), |person, add| {
        let mut set = Vec::new();
        for query in queries_of(&persons[person]) {
            let words = said.of_string(query);
            set.clear();
            set.extend_from_slice(words);
            set.sort_unstable();
            phrases.inside(&set, |node| add(node, phrases.other_order(node, words)));
        }
    });
    let text_of = |words: &[u32]| -> String {
        let words: Vec<&str> = words.iter().map(|&word| vocabulary.strings().get(rarest[word as usize])).collect();
        words.join(" ")
    };
    let orders = votes.orders(&phrases, text_of);
    let is_normal = |(text, &node): (&str, &u32)| match orders.get(&node) {
        // Nobody has it otherwise: only its own words may stand in the text, in the order that all have.
        _ if node == ROOT => false,
        Some(order) => order == text,
        None => text_of(phrases.first_order(node)) == text,
    };
    Saying {
        persons: phrases.node_of.iter().map(|&node| votes.persons[node as usize]).collect(),
        is_normal: strings.iter().zip(&phrases.node_of).map(is_normal).collect(),
    }
}

/// The words of a text in normal form, each once, where it stands first: NFKC, lower case, runs of letters, digits and combining marks.
pub(super) fn said_words(text: &str) -> Vec<String> {
    let different = |text: &str| {
        let is_inside = |c: char| c.is_alphanumeric() || matches!(c, '\u{300}'..='\u{36f}');
        let mut words: Vec<String> = Vec::new();
        for word in text.split(|c: char| !is_inside(c)).filter(|word| !word.is_empty()) {
            let word = word.to_lowercase();
            if !words.contains(&word) {
                words.push(word);
            }
        }
        words
    };
    if text.is_ascii() {
        return different(text);
    }
    // Lower case may be no normal form: again, until nothing changes, which it does at once or never.
    let mut words = different(&text.nfkc().collect::<String>());
    for _ in 0..8 {
        let again = different(&words.join(" ").nfkc().collect::<String>());
        if again == words {
            break;
        }
        words = again;
    }
    words
}

/// For each of some URLs how many persons of a log clicked what it names: a bare host is a right-most part, in whole labels, of the
/// host that they clicked; any other URL is theirs to the letter.
pub(crate) fn persons_clicking(log: &QueryLog, persons: &Persons, urls: &Strings) -> Vec<u32> {
    let mut released = Interner::new();
    let number: Vec<u32> = urls.iter().map(|url| released.intern(url)).collect();
    let clicked = Sets::of(log.urls(), |url, set| {
        let host = host_of(url);
        let starts = std::iter::once(0).chain(host.match_indices('.').map(|(dot, _)| dot + 1));
        set.extend(starts.filter(|&start| start < host.len()).filter_map(|start| released.find(&host[start..])));
        set.extend(released.find(url).filter(|_| !url.is_empty()));
    });
    let votes = persons_with(persons.len(), released.strings().len(), |person, add| {
        let urls = persons[person].iter().cloned().flatten().filter_map(|row| log.line(row).url);
        urls.for_each(|url| clicked.of_string(url).iter().for_each(|&at| add(at, None)));
    });
    number.into_iter().map(|at| votes.persons[at as usize]).collect()
}

/// Different numbers for each string of a table.
struct Sets {
    /// String `s` has `numbers[starts[s]..starts[s + 1]]`, in the order in which they came first.
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

    /// Adds those of the next string.
    fn push(&mut self, numbers: impl Iterator<Item = u32>) {
        let start = self.numbers.len();
        for number in numbers {
            if !self.numbers[start..].contains(&number) {
                self.numbers.push(number);
            }
        }
        self.starts.push(self.numbers.len());
    }

    /// The same under other numbers.
    fn renumbered(mut self, number: &[u32]) -> Self {
        self.numbers.iter_mut().for_each(|own| *own = number[*own as usize]);
        self
    }

    fn of_string(&self, string: u32) -> &[u32] {
        &self.numbers[self.starts[string as usize]..self.starts[string as usize + 1]]
    }
}

/// How many persons have each of some things, and how many have a phrase in another order than the first that is published.
struct Votes {
    persons: Vec<u32>,
    /// How many have the first order.
    first: Vec<u32>,
    /// How many have each other order of a node.
    others: BTreeMap<(u32, Vec<u32>), u32>,
}

/// Takes a thing that a person has, with the order in which they have it if it is another than the first.
type Add<'a> = dyn FnMut(u32, Option<Vec<u32>>) + 'a;

/// Counts persons: `each` gives what one has, in any order, some maybe twice.
fn persons_with(persons: usize, things: usize, each: impl Fn(usize, &mut Add<'_>) + Sync) -> Votes {
    const PARTS: usize = 8;
    let part = |part: usize| {
        let (mut last, mut last_first) = (vec![MISSING; things], vec![MISSING; things]);
        let mut votes = Votes { persons: vec![0; things], first: vec![0; things], others: BTreeMap::new() };
        for person in persons * part / PARTS..persons * (part + 1) / PARTS {
            let mut other_orders = BTreeSet::new();
            each(person, &mut |thing, other| {
                let at = thing as usize;
                if std::mem::replace(&mut last[at], person as u32) != person as u32 {
                    votes.persons[at] += 1;
                }
                match other {
                    Some(order) => {
                        other_orders.insert((thing, order));
                    }
                    None if std::mem::replace(&mut last_first[at], person as u32) != person as u32 => {
                        votes.first[at] += 1;
                    }
                    None => {}
                }
            });
            other_orders.into_iter().for_each(|order| *votes.others.entry(order).or_default() += 1);
        }
        votes
    };
    let sum = |mut all: Votes, own: Votes| {
        all.persons.iter_mut().zip(own.persons).for_each(|(all, own)| *all += own);
        all.first.iter_mut().zip(own.first).for_each(|(all, own)| *all += own);
        own.others.into_iter().for_each(|(order, count)| *all.others.entry(order).or_default() += count);
        all
    };
    let none = || Votes { persons: vec![0; things], first: vec![0; things], others: BTreeMap::new() };
    (0..PARTS).into_par_iter().map(part).reduce(none, sum)
}

impl Votes {
    /// The text of each node whose words persons have in several orders: that of most, and of several the first in the alphabet.
    fn orders(&self, phrases: &Phrases, text_of: impl Fn(&[u32]) -> String) -> BTreeMap<u32, String> {
        let mut best: BTreeMap<u32, (Reverse<u32>, String)> = BTreeMap::new();
        for ((node, order), &count) in &self.others {
            let first = || (Reverse(self.first[*node as usize]), text_of(phrases.first_order(*node)));
            let own = (Reverse(count), text_of(order));
            let best = best.entry(*node).or_insert_with(first);
            if own < *best {
                *best = own;
            }
        }
        best.into_iter().map(|(node, (_, text))| (node, text)).collect()
    }
}

/// The sets of words of phrases as a tree, the rarest word first: a node for each beginning of a set.
struct Phrases {
    children: HashMap<(u32, u32), u32, FixedState>,
    /// Whether a node is a whole set.
    is_whole: Vec<bool>,
    /// For each phrase the node of its set; the root for one without a word.
    node_of: Vec<u32>,
    /// For each node the words of the first phrase that is it, as they are written there: `orders[starts[n]..starts[n + 1]]`.
    starts: Vec<usize>,
    orders: Vec<u32>,
}

/// The node of no word.
const ROOT: u32 = 0;

impl Phrases {
    fn new(written: &Sets) -> Self {
        let mut phrases = Self {
            children: HashMap::default(),
            is_whole: vec![false],
            node_of: Vec::new(),
            starts: vec![0],
            orders: Vec::new(),
        };
        let mut first: Vec<u32> = vec![MISSING];
        for phrase in 0..written.starts.len() as u32 - 1 {
            let mut set = written.of_string(phrase).to_vec();
            set.sort_unstable();
            let mut node = ROOT;
            for word in set {
                let next = phrases.is_whole.len() as u32;
                node = *phrases.children.entry((node, word)).or_insert(next);
                if node == next {
                    phrases.is_whole.push(false);
                    first.push(MISSING);
                }
            }
            if node != ROOT && !phrases.is_whole[node as usize] {
                phrases.is_whole[node as usize] = true;
                first[node as usize] = phrase;
            }
            phrases.node_of.push(node);
        }
        for phrase in first {
            if phrase != MISSING {
                phrases.orders.extend_from_slice(written.of_string(phrase));
            }
            phrases.starts.push(phrases.orders.len());
        }
        phrases
    }

    /// The words of a node as the first phrase has them.
    fn first_order(&self, node: u32) -> &[u32] {
        &self.orders[self.starts[node as usize]..self.starts[node as usize + 1]]
    }

    /// The words of a node as a query has them, if in another order than the first phrase.
    fn other_order(&self, node: u32, query: &[u32]) -> Option<Vec<u32>> {
        let first = self.first_order(node);
        let own = || query.iter().filter(|word| first.contains(word));
        (first.len() > 1 && !own().eq(first)).then(|| own().copied().collect())
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
