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
//! come next that the beginning seems to have; memory 4 bytes a word of a different string and 4 a string, and 16 bytes a beginning
//! for each of some parts of the persons.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use foldhash::fast::FixedState;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
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
    let Counted { phrases, votes, .. } = counted(log, &persons, strings, false);
    votes.of_phrases(&phrases)
}

/// What persons of a log, given by their lines, make of some strings.
pub(crate) fn said_by(log: &QueryLog, persons: &Persons, strings: &Strings) -> Saying {
    let Counted { vocabulary, rarest, phrases, votes } = counted(log, persons, strings, true);
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
    let is_normal = strings.iter().zip(&phrases.node_of).map(is_normal).collect();
    Saying { persons: votes.of_phrases(&phrases), is_normal }
}

/// What some persons of an original make of some strings, to be put together with what others make of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SayingPart {
    /// For each string how many persons have a query that holds all its words.
    persons: Vec<u32>,
    /// How many of these have them in the order of the first string of the same words.
    first: Vec<u32>,
    /// How many have them in each other order.
    others: BTreeMap<String, BTreeMap<String, u32>>,
    /// For each string its words in the order of the first of the same words, or nothing of one without a word.
    text: Vec<String>,
}

impl SayingPart {
    /// What persons of a log, given by their lines, make of some strings.
    pub(crate) fn of(log: &QueryLog, persons: &Persons, strings: &Strings) -> Self {
        let Counted { vocabulary, rarest, phrases, votes } = counted(log, persons, strings, true);
        let text_of = |words: &[u32]| -> String {
            let words: Vec<&str> = words.iter().map(|&word| vocabulary.strings().get(rarest[word as usize])).collect();
            words.join(" ")
        };
        let text: Vec<String> = phrases
            .node_of
            .iter()
            .map(|&node| if node == ROOT { String::new() } else { text_of(phrases.first_order(node)) })
            .collect();
        let mut others: BTreeMap<String, BTreeMap<String, u32>> = BTreeMap::new();
        for ((node, order), &count) in &votes.others {
            let own = others.entry(text_of(phrases.first_order(*node))).or_default();
            *own.entry(text_of(order)).or_default() += count;
        }
        let first = phrases.node_of.iter().map(|&node| votes.counts[node as usize].first).collect();
        Self { persons: votes.of_phrases(&phrases), first, others, text }
    }

    /// The same of these persons and of others, who looked at the same strings.
    pub(crate) fn merge(mut self, other: Self) -> Self {
        if self.text.is_empty() {
            return other;
        }
        self.persons.iter_mut().zip(other.persons).for_each(|(own, more)| *own += more);
        self.first.iter_mut().zip(other.first).for_each(|(own, more)| *own += more);
        for (set, orders) in other.others {
            let own = self.others.entry(set).or_default();
            orders.into_iter().for_each(|(order, count)| *own.entry(order).or_default() += count);
        }
        self
    }

    /// What all of them make of the strings.
    pub(crate) fn finish(&self, strings: &Strings) -> Saying {
        let is_normal = |(at, text): (usize, &str)| {
            let own = &self.text[at];
            let best = self.others.get(own).and_then(|others| {
                let first = (Reverse(self.first[at]), own.as_str());
                let others = others.iter().map(|(order, &count)| (Reverse(count), order.as_str()));
                others.chain([first]).min()
            });
            !own.is_empty() && best.map_or(own.as_str(), |(_, order)| order) == text
        };
        Saying { persons: self.persons.clone(), is_normal: strings.iter().enumerate().map(is_normal).collect() }
    }
}

/// How many persons have each of some phrases.
struct Counted {
    vocabulary: Interner,
    /// The words of the vocabulary, the rarest first: words of phrases are places here.
    rarest: Vec<u32>,
    phrases: Phrases,
    votes: Votes,
}

/// Counts the persons who say some strings, and if one asks for it in which order they do.
fn counted(log: &QueryLog, persons: &Persons, strings: &Strings, in_order: bool) -> Counted {
    let mut vocabulary = Interner::new();
    let (mut written, mut own) = (Sets::new(), Vec::new());
    for text in strings.iter() {
        each_said_word(text, |word| own.push(vocabulary.intern(word)));
        written.push(own.drain(..));
    }
    // Words that the release does not have lead nowhere.
    let said = Sets::of(log.queries(), |text, words| {
        each_said_word(text, |word| words.extend(vocabulary.find(word)));
    });
    // Words are numbered anew by how rare they are, so that few sets begin alike by chance.
    let mut occurrences = vec![0u32; vocabulary.strings().len()];
    said.numbers.iter().for_each(|&word| occurrences[word as usize] += 1);
    let mut rarest: Vec<u32> = (0..occurrences.len() as u32).collect();
    rarest.sort_unstable_by_key(|&word| (occurrences[word as usize], word));
    let mut place = vec![0; rarest.len()];
    (0..).zip(&rarest).for_each(|(at, &word)| place[word as usize] = at);
    let (written, said) = (written.renumbered(&place), said.renumbered(&place));
    let phrases = Phrases::new(&written, rarest.len());
    let votes = persons_with(persons.len(), phrases.nodes.len(), |person, room, add| {
        let Room { queries, set, open } = room;
        queries.clear();
        queries.extend(persons[person].iter().flat_map(|rows| log.query_ids(rows.clone())));
        queries.sort_unstable();
        queries.dedup();
        for &query in queries.iter() {
            let words = said.of_string(query);
            set.clear();
            set.extend_from_slice(words);
            set.sort_unstable();
            let other_order = |node: u32| if in_order { phrases.other_order(node, words) } else { None };
            phrases.inside(set, open, |node| add(node, other_order(node)));
        }
    });
    Counted { vocabulary, rarest, phrases, votes }
}

/// Each word of a text in normal form, as often as it stands there.
fn each_said_word(text: &str, mut each: impl FnMut(&str)) {
    if !text.is_ascii() {
        said_words(text).iter().for_each(|word| each(word));
        return;
    }
    for word in text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()) {
        if word.bytes().any(|letter| letter.is_ascii_uppercase()) {
            each(&word.to_ascii_lowercase());
        } else {
            each(word);
        }
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
    let votes = persons_with(persons.len(), released.strings().len(), |person, _, add| {
        let urls = persons[person].iter().cloned().flatten().filter_map(|row| log.line(row).url);
        urls.for_each(|url| clicked.of_string(url).iter().for_each(|&at| add(at, None)));
    });
    number.into_iter().map(|at| votes.counts[at as usize].persons).collect()
}

/// Different numbers for each string of a table.
struct Sets {
    /// String `s` has `numbers[starts[s]..starts[s + 1]]`, in the order in which they came first.
    starts: Vec<u32>,
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
        let mut all = Self::new();
        all.starts.reserve_exact(strings.len());
        // Some at a time: what is put together is not held twice.
        let blocks: Vec<usize> = (0..strings.len().div_ceil(BLOCK)).collect();
        for some in blocks.chunks(rayon::current_num_threads().max(8)) {
            for own in some.par_iter().map(|&at| block(at)).collect::<Vec<_>>() {
                let before = counted_words(all.numbers.len());
                all.numbers.extend_from_slice(&own.numbers);
                all.starts.extend(own.starts[1..].iter().map(|end| before + end));
            }
        }
        counted_words(all.numbers.len());
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
        self.starts.push(counted_words(self.numbers.len()));
    }

    /// The same under other numbers.
    fn renumbered(mut self, number: &[u32]) -> Self {
        self.numbers.iter_mut().for_each(|own| *own = number[*own as usize]);
        self
    }

    fn of_string(&self, string: u32) -> &[u32] {
        &self.numbers[self.starts[string as usize] as usize..self.starts[string as usize + 1] as usize]
    }
}

/// So many words of different strings.
fn counted_words(words: usize) -> u32 {
    u32::try_from(words).expect("more than four billion words in distinct strings")
}

/// How many persons have each of some things, and how many have a phrase in another order than the first that is published.
struct Votes {
    counts: Vec<Count>,
    /// How many have each other order of a node.
    others: BTreeMap<(u32, Vec<u32>), u32>,
}

/// How many persons have a thing, and how many in the first order; whoever was counted last side by side with it.
#[derive(Clone, Copy)]
struct Count {
    persons: u32,
    first: u32,
    last: u32,
    last_first: u32,
}

/// Takes a thing that a person has, with the order in which they have it if it is another than the first.
type Add<'a> = dyn FnMut(u32, Option<Vec<u32>>) + 'a;

/// Room that is used for one person after the other.
#[derive(Default)]
struct Room {
    queries: Vec<u32>,
    set: Vec<u32>,
    open: Vec<(u32, usize)>,
}

/// Counts persons: `each` gives what one has, in any order, some maybe twice.
fn persons_with(persons: usize, things: usize, each: impl Fn(usize, &mut Room, &mut Add<'_>) + Sync) -> Votes {
    const PARTS: usize = 8;
    const NOBODY: Count = Count { persons: 0, first: 0, last: MISSING, last_first: MISSING };
    let none = || Votes { counts: vec![NOBODY; things], others: BTreeMap::new() };
    let part = |part: usize| {
        let (mut votes, mut room) = (none(), Room::default());
        for person in persons * part / PARTS..persons * (part + 1) / PARTS {
            let mut other_orders = BTreeSet::new();
            let number = person as u32;
            each(person, &mut room, &mut |thing, other| {
                let count = &mut votes.counts[thing as usize];
                if std::mem::replace(&mut count.last, number) != number {
                    count.persons += 1;
                }
                match other {
                    Some(order) => {
                        other_orders.insert((thing, order));
                    }
                    None if std::mem::replace(&mut count.last_first, number) != number => count.first += 1,
                    None => {}
                }
            });
            other_orders.into_iter().for_each(|order| *votes.others.entry(order).or_default() += 1);
        }
        votes
    };
    let sum = |mut all: Votes, own: Votes| {
        for (all, own) in all.counts.iter_mut().zip(own.counts) {
            all.persons += own.persons;
            all.first += own.first;
        }
        own.others.into_iter().for_each(|(order, count)| *all.others.entry(order).or_default() += count);
        all
    };
    (0..PARTS).into_par_iter().map(part).reduce_with(sum).unwrap_or_else(none)
}

impl Votes {
    /// For each phrase how many persons have it.
    fn of_phrases(&self, phrases: &Phrases) -> Vec<u32> {
        phrases.node_of.iter().map(|&node| self.counts[node as usize].persons).collect()
    }

    /// The text of each node whose words persons have in several orders: that of most, and of several the first in the alphabet.
    fn orders(&self, phrases: &Phrases, text_of: impl Fn(&[u32]) -> String) -> BTreeMap<u32, String> {
        let mut best: BTreeMap<u32, (Reverse<u32>, String)> = BTreeMap::new();
        for ((node, order), &count) in &self.others {
            let first = || (Reverse(self.counts[*node as usize].first), text_of(phrases.first_order(*node)));
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
    /// The node of each word by itself, or [`MISSING`].
    of_word: Vec<u32>,
    /// The node that a word makes of another than the root.
    children: HashMap<(u32, u32), u32, FixedState>,
    nodes: Vec<Node>,
    /// For each phrase the node of its set; the root for one without a word.
    node_of: Vec<u32>,
    /// For each node the words of the first phrase that is it, as they are written there: `orders[starts[n]..starts[n + 1]]`.
    starts: Vec<u32>,
    orders: Vec<u32>,
}

/// Whether a node is a whole set, and the marks of the words that may come next: nearly all others are not looked up.
#[derive(Clone, Copy, Default)]
struct Node(u64);

impl Node {
    const WHOLE: u64 = 1;

    fn is_whole(self) -> bool {
        self.0 & Self::WHOLE != 0
    }

    fn has_next(self) -> bool {
        self.0 & !Self::WHOLE != 0
    }

    fn may_have(self, word: u32) -> bool {
        self.0 & Self::mark(word) != 0
    }

    /// One of the other bits.
    fn mark(word: u32) -> u64 {
        2 << ((word.wrapping_mul(0x9e37_79b9) >> 16) % 63)
    }
}

/// The node of no word.
const ROOT: u32 = 0;

impl Phrases {
    /// The phrases of a vocabulary of so many words.
    fn new(written: &Sets, words: usize) -> Self {
        let mut phrases = Self {
            of_word: vec![MISSING; words],
            children: HashMap::default(),
            nodes: vec![Node::default()],
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
                let next = phrases.nodes.len() as u32;
                let child = if node == ROOT {
                    let child = &mut phrases.of_word[word as usize];
                    if *child == MISSING {
                        *child = next;
                    }
                    *child
                } else {
                    phrases.nodes[node as usize].0 |= Node::mark(word);
                    *phrases.children.entry((node, word)).or_insert(next)
                };
                if child == next {
                    phrases.nodes.push(Node::default());
                    first.push(MISSING);
                }
                node = child;
            }
            if node != ROOT && !phrases.nodes[node as usize].is_whole() {
                phrases.nodes[node as usize].0 |= Node::WHOLE;
                first[node as usize] = phrase;
            }
            phrases.node_of.push(node);
        }
        for phrase in first {
            if phrase != MISSING {
                phrases.orders.extend_from_slice(written.of_string(phrase));
            }
            phrases.starts.push(counted_words(phrases.orders.len()));
        }
        phrases
    }

    /// The words of a node as the first phrase has them.
    fn first_order(&self, node: u32) -> &[u32] {
        &self.orders[self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize]
    }

    /// The words of a node as a query has them, if in another order than the first phrase.
    fn other_order(&self, node: u32, query: &[u32]) -> Option<Vec<u32>> {
        let first = self.first_order(node);
        let own = || query.iter().filter(|word| first.contains(word));
        (first.len() > 1 && !own().eq(first)).then(|| own().copied().collect())
    }

    /// The nodes of the sets that lie inside a set of words, which are looked for with some room.
    fn inside(&self, words: &[u32], open: &mut Vec<(u32, usize)>, mut each: impl FnMut(u32)) {
        let mut reach = |child: u32, next: usize, open: &mut Vec<(u32, usize)>| {
            let node = self.nodes[child as usize];
            if node.is_whole() {
                each(child);
            }
            if node.has_next() && next < words.len() {
                open.push((child, next));
            }
        };
        for (&word, next) in words.iter().zip(1..) {
            let child = self.of_word[word as usize];
            if child != MISSING {
                reach(child, next, open);
            }
        }
        while let Some((node, start)) = open.pop() {
            for (&word, next) in words[start..].iter().zip(start + 1..) {
                if self.nodes[node as usize].may_have(word)
                    && let Some(&child) = self.children.get(&(node, word))
                {
                    reach(child, next, open);
                }
            }
        }
    }
}
