//! Phrases as text in normal form: the words of several persons, in the order in which most of them have them.
//!
//! Paper      Ours.
//! Promises   two queries with the same words are published as the same text, whoever wrote which.
//! Does not   keep anything rare out: that is what `aggregate/content.rs` is for.
//!
//! # Idea
//! 1. A phrase is a set of words in normal form (`text/normal.rs`). A person has it in an order if one of their queries holds all of its
//!    words, and these stand there, each where it stands first, in that order.
//! 2. The order that most persons have is the one; of several the text that comes first in the alphabet.
//! 3. Phrases are gone through as a tree, the rarest word first, beside the queries that hold their words. Where all of these
//!    have the same order, as most do, nobody is counted.
//!
//! # Cost
//! Every query is looked at once for each beginning of a phrase that lies inside it. Memory 12 bytes a word of a different query,
//! and 4 bytes for each different query of a person.

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::data::queries::MISSING;
use crate::data::{Clusters, Interner, QueryLog, Strings};
use crate::text::normal::normal_words;

/// The query strings of a log in normal form, as they are published: the texts, and for each string the number of its text, or
/// [`MISSING`] if it has no word. Two strings with the same words have the same text.
pub fn normal_texts(log: &QueryLog, clusters: &Clusters) -> (Strings, Vec<u32>) {
    let said = Said::of(log.queries());
    let sets = Lists::from_iter((0..said.words.len() as u32).map(|string| {
        let mut set = said.words.of(string).to_vec();
        set.sort_unstable();
        set
    }));
    texts_of(&said, &sets, &issuers(log, clusters))
}

/// Other strings, made of words of a log, as they are published: each in the order in which most persons of the log have its words. One
/// that nobody has together stays in its own order.
pub fn normal_texts_of(strings: &Strings, log: &QueryLog, clusters: &Clusters) -> Vec<String> {
    let said = Said::of(log.queries());
    let vocabulary = Interner::from(&said.vocabulary);
    let own: Vec<Vec<String>> = strings.iter().map(normal_words).collect();
    let sets = Lists::from_iter(own.iter().map(|words| {
        let mut set: Vec<u32> = words.iter().filter_map(|word| vocabulary.find(word)).collect();
        if set.len() < words.len() {
            set.clear();
        }
        set.sort_unstable();
        set
    }));
    let (texts, number) = texts_of(&said, &sets, &issuers(log, clusters));
    let text = |(words, number): (Vec<String>, u32)| match number {
        MISSING => words.join(" "),
        number if texts.get(number).is_empty() => words.join(" "),
        number => texts.get(number).to_owned(),
    };
    own.into_iter().zip(number).map(text).collect()
}

/// The texts of some sets of words, and for each set the number of its text, or [`MISSING`] if it has no word.
pub(super) fn texts_of(said: &Said, sets: &Lists, issuers: &Lists) -> (Strings, Vec<u32>) {
    let mut order: Vec<u32> = (0..sets.len() as u32).filter(|&set| !sets.of(set).is_empty()).collect();
    order.par_sort_unstable_by_key(|&set| (sets.of(set), set));
    let (mut different, mut number) = (Lists::new(), vec![MISSING; sets.len()]);
    for same in order.chunk_by(|&left, &right| sets.of(left) == sets.of(right)) {
        same.iter().for_each(|&set| number[set as usize] = different.len() as u32);
        different.push(sets.of(same[0]).iter().copied());
    }
    let texts = in_common_order(said, &different, issuers);
    // Numbered by first appearance, so that nothing depends on how words are numbered.
    let (mut strings, mut place) = (Strings::new(), vec![MISSING; different.len()]);
    for number in number.iter_mut().filter(|number| **number != MISSING) {
        let place = &mut place[*number as usize];
        if *place == MISSING {
            *place = strings.push(&texts[*number as usize]);
        }
        *number = *place;
    }
    (strings, number)
}

/// For each string the persons who issued it, in rising order: of several accounts of one cluster the first.
pub(super) fn issuers(log: &QueryLog, clusters: &Clusters) -> Lists {
    assert!(u32::try_from(log.rows()).is_ok(), "more than four billion lines");
    let mut starts = vec![0u32; log.queries().len() + 1];
    let mut last = vec![MISSING; log.queries().len()];
    for &(person, unit) in clusters.in_order() {
        for &string in log.query_ids(log.range(person as usize)) {
            if std::mem::replace(&mut last[string as usize], unit) != unit {
                starts[string as usize + 1] += 1;
            }
        }
    }
    for at in 1..starts.len() {
        starts[at] += starts[at - 1];
    }
    let (mut next, mut numbers) = (starts.clone(), vec![0; starts[starts.len() - 1] as usize]);
    last.fill(MISSING);
    for &(person, unit) in clusters.in_order() {
        for &string in log.query_ids(log.range(person as usize)) {
            if std::mem::replace(&mut last[string as usize], unit) != unit {
                numbers[next[string as usize] as usize] = unit;
                next[string as usize] += 1;
            }
        }
    }
    Lists { starts, numbers }
}

/// For each of some different sets of words, in rising order, its text.
fn in_common_order(said: &Said, sets: &Lists, issuers: &Lists) -> Vec<String> {
    let words = said.vocabulary.len();
    let holders = said.words.turned(words);
    let rarity = |&word: &u32| (holders.of(word).len(), word);
    let rarest_first = Lists::from_iter((0..sets.len() as u32).map(|set| {
        let mut set = sets.of(set).to_vec();
        set.sort_unstable_by_key(rarity);
        set
    }));
    let mut order: Vec<u32> = (0..sets.len() as u32).collect();
    order.par_sort_unstable_by_key(|&set| rarest_first.of(set));
    let trees: Vec<&[u32]> =
        order.chunk_by(|&left, &right| rarest_first.of(left)[0] == rarest_first.of(right)[0]).collect();
    let found: Vec<Vec<(u32, String)>> = trees
        .into_par_iter()
        .map_init(
            || Votes { said, issuers, sets: &rarest_first, place: vec![MISSING; words] },
            |votes, sets| votes.texts(sets, holders.of(votes.sets.of(sets[0])[0])),
        )
        .collect();
    let mut texts = vec![String::new(); sets.len()];
    for (set, text) in found.into_iter().flatten() {
        texts[set as usize] = text;
    }
    texts
}

/// The count of who has the words of a phrase in which order.
struct Votes<'a> {
    said: &'a Said,
    issuers: &'a Lists,
    /// The words of each phrase, the rarest first.
    sets: &'a Lists,
    /// For a word the number of the branch that it leads to, while branches are told apart.
    place: Vec<u32>,
}

impl Votes<'_> {
    /// The texts of phrases that begin with the same word, in rising order, which the strings `inside` hold.
    fn texts(&mut self, sets: &[u32], inside: &[u32]) -> Vec<(u32, String)> {
        let mut found = Vec::with_capacity(sets.len());
        let mut open = vec![(sets, 1, inside.to_vec())];
        while let Some((sets, depth, inside)) = open.pop() {
            // Of those that begin alike the shortest comes first.
            let (whole, longer) = sets.split_at(usize::from(self.sets.of(sets[0]).len() == depth));
            found.extend(whole.iter().map(|&set| (set, self.text(self.sets.of(set), &inside))));
            let next = |set: u32| self.sets.of(set)[depth];
            let mut branches: Vec<(&[u32], usize, Vec<u32>)> = Vec::new();
            for branch in longer.chunk_by(|&left, &right| next(left) == next(right)) {
                self.place[next(branch[0]) as usize] = branches.len() as u32;
                branches.push((branch, depth + 1, Vec::new()));
            }
            if branches.is_empty() {
                continue;
            }
            for &string in &inside {
                for &word in self.said.words.of(string) {
                    if let Some(branch) = branches.get_mut(self.place[word as usize] as usize) {
                        branch.2.push(string);
                    }
                }
            }
            for branch in &branches {
                self.place[self.sets.of(branch.0[0])[depth] as usize] = MISSING;
            }
            open.append(&mut branches);
        }
        found
    }

    /// The text of one phrase, whose words lie inside some strings.
    fn text(&self, set: &[u32], inside: &[u32]) -> String {
        let text = |order: &[u32]| {
            let words: Vec<&str> = order.iter().map(|&word| self.said.vocabulary.get(word)).collect();
            words.join(" ")
        };
        if set.len() == 1 {
            return text(set);
        }
        let order = |string: u32| {
            let words = self.said.words.of(string).iter().copied();
            words.filter(|word| set.contains(word)).collect::<Vec<u32>>()
        };
        let Some(&any) = inside.first() else { return String::new() };
        let first = order(any);
        if inside.iter().all(|&string| order(string) == first) {
            return text(&first);
        }
        let mut persons: BTreeMap<Vec<u32>, Vec<u32>> = BTreeMap::new();
        for &string in inside {
            persons.entry(order(string)).or_default().extend_from_slice(self.issuers.of(string));
        }
        let counted = persons.into_iter().map(|(order, mut persons)| {
            persons.sort_unstable();
            persons.dedup();
            (std::cmp::Reverse(persons.len()), text(&order))
        });
        counted.min().map_or_else(String::new, |(_, text)| text)
    }
}

/// The words of all strings.
pub(super) struct Said {
    pub(super) vocabulary: Strings,
    /// For each string its different words in normal form, in the order in which they stand first.
    pub(super) words: Lists,
}

impl Said {
    pub(super) fn of(strings: &Strings) -> Self {
        const BLOCK: usize = 1 << 13;
        // So many blocks at a time: what is put together is not held twice.
        const AT_ONCE: usize = 64;
        let cut = |block: usize| {
            let (mut vocabulary, mut words) = (Interner::new(), Lists::new());
            for string in block * BLOCK..strings.len().min((block + 1) * BLOCK) {
                let own = normal_words(strings.get(string as u32));
                words.push(own.iter().map(|word| vocabulary.intern(word)));
            }
            (vocabulary, words)
        };
        let (mut vocabulary, mut words) = (Interner::new(), Lists::new());
        let blocks = strings.len().div_ceil(BLOCK);
        for from in (0..blocks).step_by(AT_ONCE) {
            let some = (from..blocks.min(from + AT_ONCE)).into_par_iter().map(cut);
            for (own, lists) in some.collect::<Vec<_>>() {
                let numbers: Vec<u32> = own.strings().iter().map(|word| vocabulary.intern(word)).collect();
                for list in 0..lists.len() as u32 {
                    words.push(lists.of(list).iter().map(|&word| numbers[word as usize]));
                }
            }
        }
        Self { vocabulary: vocabulary.into_strings(), words }
    }
}

/// Lists of numbers side by side.
#[derive(Debug)]
pub(super) struct Lists {
    /// List `i` is `numbers[starts[i]..starts[i + 1]]`.
    starts: Vec<u32>,
    numbers: Vec<u32>,
}

impl Lists {
    pub(super) fn new() -> Self {
        Self { starts: vec![0], numbers: Vec::new() }
    }

    pub(super) fn push(&mut self, list: impl IntoIterator<Item = u32>) {
        self.numbers.extend(list);
        self.starts.push(u32::try_from(self.numbers.len()).expect("more than four billion numbers in lists"));
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub(super) fn of(&self, at: u32) -> &[u32] {
        &self.numbers[self.starts[at as usize] as usize..self.starts[at as usize + 1] as usize]
    }

    /// For each of `count` numbers the lists that have it, in rising order.
    pub(super) fn turned(&self, count: usize) -> Self {
        let mut starts = vec![0u32; count + 1];
        for &number in &self.numbers {
            starts[number as usize + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let (mut next, mut numbers) = (starts.clone(), vec![0; self.numbers.len()]);
        for list in 0..self.len() as u32 {
            for &number in self.of(list) {
                let place = &mut next[number as usize];
                numbers[*place as usize] = list;
                *place += 1;
            }
        }
        Self { starts, numbers }
    }
}

impl<L: IntoIterator<Item = u32>> FromIterator<L> for Lists {
    fn from_iter<I: IntoIterator<Item = L>>(lists: I) -> Self {
        let mut all = Self::new();
        lists.into_iter().for_each(|list| all.push(list));
        all
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::data::QueryLogBuilder;

    fn log(rows: &[(&str, &str)]) -> QueryLog {
        let mut builder = QueryLogBuilder::new();
        rows.iter().for_each(|(person, query)| builder.push(person, query, 0, None, None));
        builder.finish()
    }

    fn texts(log: &QueryLog, clusters: &Clusters) -> Vec<String> {
        let (texts, number) = normal_texts(log, clusters);
        let text = |&number: &u32| if number == MISSING { "" } else { texts.get(number) };
        number.iter().map(|number| text(number).to_owned()).collect()
    }

    #[test]
    fn most_persons_have_the_word_on_the_order() {
        let rows = [
            ("ann", "Red car"),
            ("ann", "CAR, red!"),
            ("ann", "car red car"),
            ("bob", "buy a red car"),
            ("cid", "new york"),
            ("dan", "york new"),
            ("dan", "\u{1f697}"),
        ];
        let log = log(&rows);
        let apart = Clusters::apart(log.persons());
        // Two have red before car, of whom one has it the other way as well; york and new are even.
        let expected = ["red car", "red car", "red car", "buy a red car", "new york", "new york", ""];
        assert_eq!(texts(&log, &apart), expected);
        // Ann and bob are one: one person for each order, and the alphabet decides.
        let expected = ["car red", "car red", "car red", "buy a red car", "new york", "new york", ""];
        assert_eq!(texts(&log, &Clusters::of(vec![0, 0, 2, 3])), expected);
    }

    /// The same as it is defined.
    fn literal(log: &QueryLog, clusters: &Clusters, text: &str) -> String {
        let set = normal_words(text);
        let mut persons: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        for &(person, unit) in clusters.in_order() {
            for line in log.lines(person as usize) {
                let mut words = normal_words(log.queries().get(line.query));
                words.retain(|word| set.contains(word));
                let own = persons.entry(words.join(" ")).or_default();
                if words.len() == set.len() && !own.contains(&unit) {
                    own.push(unit);
                }
            }
        }
        let most = persons.values().map(Vec::len).max().unwrap_or(0);
        persons.into_iter().find(|(_, own)| own.len() == most).map_or_else(String::new, |(text, _)| text)
    }

    proptest! {
        #[test]
        fn texts_as_they_are_defined(
            rows in prop::collection::vec((0..6usize, "[abcAé]{1,2}([ -]{1,2}[abcdÉ]{1,2}){0,3}"), 1..40),
            units in prop::collection::vec(0..6u32, 6),
        ) {
            let names = ["ann", "bob", "cid", "dan", "eve", "fay"];
            let rows: Vec<_> = rows.iter().map(|(person, query)| (names[*person], query.as_str())).collect();
            let log = log(&rows);
            let first = |unit: u32| units.iter().position(|&other| other == unit).unwrap_or(0) as u32;
            let clusters = Clusters::of(units.iter().take(log.persons()).map(|&unit| first(unit)).collect());
            for clusters in [Clusters::apart(log.persons()), clusters] {
                let expected: Vec<String> = log.queries().iter().map(|text| literal(&log, &clusters, text)).collect();
                prop_assert_eq!(texts(&log, &clusters), expected);
            }
        }
    }
}
