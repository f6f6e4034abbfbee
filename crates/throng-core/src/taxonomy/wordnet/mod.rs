//! The nouns of WordNet: synsets, their words in order of sense, and what lies under what.
//!
//! Paper      Fellbaum (ed.). WordNet: An Electronic Lexical Database. MIT Press 1998. <https://wordnet.princeton.edu>
//!
//! # Idea
//! 1. The first hypernym of every synset, instance hypernyms included, makes the tree of paper 002 (reading C8). Synsets are
//!    numbered in the pre-order of that tree, so a synset and its node in [`WordNet::tree`] are the same number.
//! 2. All hypernyms, all senses of a word and both depths stay at hand for measures that need the whole graph.
//! 3. A word is looked up in lower case, blank and `_` alike, first as it is, then by its base forms (`morphy.rs`).
//!
//! The label of a synset is its first word if that is the first sense of the word, else `word#n` for its sense n. So every
//! label, and every other word, leads back to where it came from: `dog`, `domestic dog` and `dogs` to `dog`, `dog#2` to
//! `frump`.
//!
//! # Cost
//! About 20 MB in memory for WordNet 3.0, the tree included; read in some tens of milliseconds.

mod dictionary;
mod morphy;
mod packed;

use std::borrow::Cow;
use std::sync::Arc;

use super::{ROOT, Taxonomy};
use crate::data::{Interner, Strings};
use crate::error::{Error, Result};

/// The nouns of WordNet as a graph. Synsets are numbers from 0, the root.
#[derive(Debug, Clone)]
pub struct WordNet {
    /// Words in lower case, `_` for blanks.
    lemmas: Interner,
    /// Lemma `l` means the synsets `senses[l]`, the most frequent first.
    senses: Lists,
    /// Synset `s` has the written words `words[s]`, which are numbers of `written`.
    words: Lists,
    written: Strings,
    /// Which sense of its first word each synset is.
    first_senses: Vec<u32>,
    hypernyms: Lists,
    /// Whether each hypernym is that of an instance, in the order of all hypernyms.
    instances: Vec<bool>,
    longest: Vec<u32>,
    shortest: Vec<u32>,
    /// Irregular forms, and for each its bases: numbers of `bases`.
    exceptions: Interner,
    exception_bases: Lists,
    bases: Strings,
}

impl WordNet {
    /// Reads WordNet's own dictionary files `data.noun`, `index.noun` and `noun.exc`.
    pub fn from_dictionary(data: &str, index: &str, exceptions: &str) -> Result<Self> {
        dictionary::read(data, index, exceptions)
    }

    /// The number of synsets.
    pub fn synsets(&self) -> usize {
        self.words.len()
    }

    /// The number of different words.
    pub fn lemmas(&self) -> usize {
        self.lemmas.strings().len()
    }

    /// The words of a synset as they are written, `_` for blanks.
    pub fn words(&self, synset: u32) -> impl Iterator<Item = &str> {
        self.words.get(synset).iter().map(|&word| self.written.get(word))
    }

    /// The synsets of a word in order of sense; none if WordNet does not have the word. Base forms are not tried.
    pub fn senses(&self, word: &str) -> &[u32] {
        self.lemmas.find(&normal(word)).map_or(&[], |lemma| self.senses.get(lemma))
    }

    /// Every word, in lower case with `_` for blanks, and its first sense.
    pub fn first_senses(&self) -> impl Iterator<Item = (&str, u32)> {
        let first = |lemma: u32| self.senses.get(lemma).first().copied();
        self.lemmas.strings().iter().zip(0..).filter_map(move |(word, lemma)| Some((word, first(lemma)?)))
    }

    /// The synsets of a word, or else of its first base form that has some.
    pub fn senses_of_any_form(&self, word: &str) -> &[u32] {
        let own = self.senses(word);
        if !own.is_empty() {
            return own;
        }
        self.base_forms(word).first().map_or(&[], |base| self.senses(base))
    }

    /// The synset of a word (its first sense) or of `word#n` (its sense n). Base forms are not tried.
    pub fn find_name(&self, word: &str) -> Option<u32> {
        let numbered = word.rsplit_once('#').and_then(|(word, sense)| Some((word, sense.parse::<usize>().ok()?)));
        let (word, sense) = numbered.unwrap_or((word, 1));
        self.senses(word).get(sense.wrapping_sub(1)).copied()
    }

    /// The synset of a word or of its first base form: its first sense.
    pub fn find(&self, word: &str) -> Option<u32> {
        self.find_name(word).or_else(|| self.senses_of_any_form(word).first().copied())
    }

    /// All hypernyms of a synset in the order of WordNet, those of instances included.
    pub fn hypernyms(&self, synset: u32) -> &[u32] {
        self.hypernyms.get(synset)
    }

    /// Whether a synset is an instance, a person or place and the like, of its first hypernym.
    pub fn is_instance(&self, synset: u32) -> bool {
        self.hypernyms.range(synset).next().is_some_and(|at| self.instances[at])
    }

    /// A synset and everything above it, each once: itself, its hypernyms, theirs and so on.
    pub fn closure(&self, synset: u32) -> Vec<u32> {
        let mut closure = vec![synset];
        let mut at = 0;
        while at < closure.len() {
            for &above in self.hypernyms(closure[at]) {
                if !closure.contains(&above) {
                    closure.push(above);
                }
            }
            at += 1;
        }
        closure
    }

    /// The number of synsets on the longest way up to the root; 1 for the root (reading D2).
    pub fn longest_depth(&self, synset: u32) -> u32 {
        self.longest[synset as usize]
    }

    /// The number of synsets on the shortest way up to the root; 1 for the root.
    pub fn shortest_depth(&self, synset: u32) -> u32 {
        self.shortest[synset as usize]
    }

    /// The label of a synset: its first word, or `word#n` where that is not the first sense of the word.
    pub fn label(&self, synset: u32) -> Cow<'_, str> {
        let word = self.words(synset).next().unwrap_or_default();
        match self.first_senses[synset as usize] {
            1 => Cow::Borrowed(word),
            number => Cow::Owned(format!("{word}#{number}")),
        }
    }

    /// Which sense of a word a synset is, counted from 1.
    fn sense_number(&self, word: &str, synset: u32) -> usize {
        self.senses(word).iter().position(|&sense| sense == synset).map_or(0, |at| at + 1)
    }

    /// The words of a synset, other than its label, that lead to it when they are looked up.
    pub fn other_names(&self, synset: u32) -> impl Iterator<Item = &str> {
        let label = self.label(synset);
        let own = move |word: &&str| *word != label.as_ref() && self.senses(word).first() == Some(&synset);
        self.words(synset).filter(own)
    }

    /// First sense, first hypernym: the tree of paper 002. Its nodes are the synsets.
    pub fn tree(self: &Arc<Self>) -> Taxonomy {
        let mut labels = Interner::new();
        let mut parents = Vec::with_capacity(self.synsets());
        for synset in 0..self.synsets() as u32 {
            labels.intern(&self.label(synset));
            parents.push(self.hypernyms(synset).first().copied().unwrap_or(ROOT));
        }
        let mut tree = Taxonomy::from_pre_order(labels, parents);
        tree.wordnet = Some((self.clone(), ROOT));
        tree
    }

    /// Puts synsets together that are numbered in pre-order.
    fn new(synsets: &Synsets<'_>, exceptions: &[(&str, Vec<&str>)]) -> Result<Self> {
        let mut wordnet = Self {
            lemmas: Interner::new(),
            senses: Lists::default(),
            words: Lists::default(),
            written: Strings::new(),
            first_senses: Vec::with_capacity(synsets.ends.len()),
            hypernyms: Lists::default(),
            instances: Vec::with_capacity(synsets.hypernyms.len()),
            longest: Vec::new(),
            shortest: Vec::new(),
            exceptions: Interner::new(),
            exception_bases: Lists::default(),
            bases: Strings::new(),
        };
        let mut occurrences = Vec::with_capacity(synsets.words.len());
        for (synset, (words, hypernyms)) in synsets.iter().enumerate() {
            wordnet.first_senses.push(words.first().map_or(0, |&(_, sense)| sense));
            for &(word, sense) in words {
                let id = wordnet.written.push(word);
                wordnet.words.push(id);
                occurrences.push((wordnet.lemmas.intern(&normal(word)), sense, synset as u32));
            }
            wordnet.words.end();
            for &(hypernym, instance) in hypernyms {
                wordnet.hypernyms.push(hypernym);
                wordnet.instances.push(instance);
            }
            wordnet.hypernyms.end();
        }
        wordnet.senses = senses(&occurrences, wordnet.lemmas.strings())?;
        (wordnet.longest, wordnet.shortest) = depths(&wordnet.hypernyms)?;
        for (form, bases) in exceptions {
            if wordnet.exceptions.intern(form) as usize == wordnet.exception_bases.len() {
                for base in bases {
                    let id = wordnet.bases.push(base);
                    wordnet.exception_bases.push(id);
                }
                wordnet.exception_bases.end();
            }
        }
        Ok(wordnet)
    }
}

/// A word as it is looked up: lower case, `_` for blanks.
fn normal(word: &str) -> Cow<'_, str> {
    let word = word.trim();
    if word.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase() && byte != b' ') {
        Cow::Borrowed(word)
    } else {
        Cow::Owned(word.to_lowercase().replace(' ', "_"))
    }
}

/// The synsets of each lemma, from (lemma, sense, synset).
fn senses(occurrences: &[(u32, u32, u32)], lemmas: &Strings) -> Result<Lists> {
    const NONE: u32 = u32::MAX;
    let mut counts = vec![0; lemmas.len()];
    for &(lemma, sense, _) in occurrences {
        counts[lemma as usize] = sense.max(counts[lemma as usize]);
    }
    // No lemma can have more senses than the words there are: a number beyond is damage, not a reason to take memory.
    if counts.iter().map(|&count| count as usize).sum::<usize>() > occurrences.len() {
        return Err(Error::data("senses of a word of WordNet are missing"));
    }
    let mut senses = Lists::default();
    for &count in &counts {
        (0..count).for_each(|_| senses.push(NONE));
        senses.end();
    }
    for &(lemma, sense, synset) in occurrences {
        let problem = |text: &str| Error::data(text).with_value(lemmas.get(lemma));
        let Some(before) = sense.checked_sub(1) else { return Err(problem("a sense of WordNet has the number 0")) };
        let at = senses.range(lemma).start + before as usize;
        // A word may stand twice in a synset, in upper and lower case.
        if senses.values[at] != NONE && senses.values[at] != synset {
            return Err(problem("two synsets of WordNet are the same sense of a word"));
        }
        senses.values[at] = synset;
    }
    match senses.values.contains(&NONE) {
        true => Err(Error::data("senses of a word of WordNet are missing")),
        false => Ok(senses),
    }
}

/// The longest and shortest way up to the root of each synset.
fn depths(hypernyms: &Lists) -> Result<(Vec<u32>, Vec<u32>)> {
    let count = hypernyms.len();
    let (mut longest, mut shortest) = (vec![0; count], vec![u32::MAX; count]);
    let mut waiting: Vec<u32> = Vec::new();
    for start in 0..count as u32 {
        waiting.push(start);
        while let Some(&synset) = waiting.last() {
            let above = hypernyms.get(synset);
            match above.iter().find(|&&hypernym| longest[hypernym as usize] == 0) {
                Some(&hypernym) if waiting.len() <= count => waiting.push(hypernym),
                Some(_) => return Err(Error::data("synsets of WordNet lie under each other in a circle")),
                None => {
                    let depth = |depths: &[u32], hypernym: &u32| depths[*hypernym as usize];
                    longest[synset as usize] = 1 + above.iter().map(|id| depth(&longest, id)).max().unwrap_or(0);
                    shortest[synset as usize] = 1 + above.iter().map(|id| depth(&shortest, id)).min().unwrap_or(0);
                    waiting.pop();
                }
            }
        }
    }
    Ok((longest, shortest))
}

/// Lists of numbers, one after the other.
#[derive(Debug, Clone, Default)]
struct Lists {
    values: Vec<u32>,
    ends: Vec<u32>,
}

impl Lists {
    fn len(&self) -> usize {
        self.ends.len()
    }

    fn range(&self, list: u32) -> std::ops::Range<usize> {
        let start = if list == 0 { 0 } else { self.ends[list as usize - 1] };
        start as usize..self.ends[list as usize] as usize
    }

    fn get(&self, list: u32) -> &[u32] {
        &self.values[self.range(list)]
    }

    fn push(&mut self, value: u32) {
        self.values.push(value);
    }

    fn end(&mut self) {
        self.ends.push(self.values.len() as u32);
    }
}

/// A word with the sense of it that a synset is.
type Word<'a> = (&'a str, u32);
/// A hypernym, and whether it is that of an instance.
type Hypernym = (u32, bool);

/// Synsets while they are read.
#[derive(Debug, Default)]
struct Synsets<'a> {
    words: Vec<Word<'a>>,
    hypernyms: Vec<Hypernym>,
    /// Where the words and the hypernyms of each synset end.
    ends: Vec<(usize, usize)>,
}

impl<'a> Synsets<'a> {
    fn end(&mut self) {
        self.ends.push((self.words.len(), self.hypernyms.len()));
    }

    fn get(&self, synset: usize) -> (&[Word<'a>], &[Hypernym]) {
        let (words, hypernyms) = if synset == 0 { (0, 0) } else { self.ends[synset - 1] };
        let ends = self.ends[synset];
        (&self.words[words..ends.0], &self.hypernyms[hypernyms..ends.1])
    }

    fn iter(&self) -> impl Iterator<Item = (&[Word<'a>], &[Hypernym])> {
        (0..self.ends.len()).map(|synset| self.get(synset))
    }
}

#[cfg(test)]
mod tests;
