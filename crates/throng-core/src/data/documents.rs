//! Documents: each a vector of terms with weights, the greatest first.
//!
//! Paper      000 (ARES report), section 2.2.
//!
//! # Idea
//! 1. A text is cut into words; stop words, words of fewer than three letters and words that the taxonomy does not know are
//!    left out and the last are counted. In WordNet a word is brought to the noun it is a form of (reading D6).
//! 2. The weight of a term is its share of all kept words of the document (equation 2.1, reading D5).
//! 3. Terms stand by falling weight, ties in alphabetical order, so the N most frequent are the first N.
//!
//! A release is vectors too: [`DocumentsBuilder::push_vector`] takes them as they are.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::{Dataset, FactSort, Facts, Interner, Strings};
use crate::info::Need;
use crate::taxonomy::Taxonomy;
use crate::text::{lower_words, stop_words::is_stop_word};

/// Documents as vectors of weighted terms.
#[derive(Debug, Clone)]
pub struct Documents {
    names: Strings,
    terms: Strings,
    /// Document `d` has the entries `starts[d]..starts[d + 1]`.
    starts: Vec<usize>,
    entries: Vec<(u32, f64)>,
    classes: Strings,
    /// The class of each document, a number of `classes`; empty if none has one.
    class_of: Vec<Option<u32>>,
    taxonomy: Option<Arc<Taxonomy>>,
    /// Words that the taxonomy does not know.
    unknown: Strings,
    occurrences_unknown: u64,
}

impl Documents {
    /// The number of documents.
    pub fn persons(&self) -> usize {
        self.starts.len() - 1
    }

    /// The documents' ids.
    pub fn names(&self) -> &Strings {
        &self.names
    }

    /// Every different term.
    pub fn terms(&self) -> &Strings {
        &self.terms
    }

    /// Where a document's terms are among all.
    pub fn range(&self, document: usize) -> Range<usize> {
        self.starts[document]..self.starts[document + 1]
    }

    /// A document's terms, numbers of [`Self::terms`], with their weights: by falling weight, then in alphabetical order.
    pub fn vector(&self, document: usize) -> &[(u32, f64)] {
        &self.entries[self.range(document)]
    }

    /// The number of terms of all documents together.
    pub fn rows(&self) -> usize {
        self.entries.len()
    }

    /// The names of the classes that documents belong to.
    pub fn classes(&self) -> &Strings {
        &self.classes
    }

    /// Whether documents have classes.
    pub fn has_classes(&self) -> bool {
        !self.class_of.is_empty()
    }

    /// The class of a document.
    pub fn class(&self, document: usize) -> Option<u32> {
        self.class_of.get(document).copied().flatten()
    }

    /// The taxonomy that gives the terms their meaning, if there is one.
    pub fn taxonomy(&self) -> Option<&Arc<Taxonomy>> {
        self.taxonomy.as_ref()
    }

    /// The same documents with this taxonomy.
    #[must_use]
    pub fn with_taxonomy(self, taxonomy: Arc<Taxonomy>) -> Self {
        Self { taxonomy: Some(taxonomy), ..self }
    }

    /// How many different words the taxonomy does not know.
    pub fn words_unknown(&self) -> u64 {
        self.unknown.len() as u64
    }

    /// How often words that the taxonomy does not know occur.
    pub fn occurrences_unknown(&self) -> u64 {
        self.occurrences_unknown
    }

    /// The documents without the terms that are barred. Where weights are shares of the words of a document, they are shares of
    /// those that are left.
    #[must_use]
    pub fn without(&self, are_shares: bool, is_barred: impl Fn(&str) -> bool + Sync) -> Self {
        let barred: Vec<bool> =
            (0..self.terms.len() as u32).into_par_iter().map(|term| is_barred(self.terms.get(term))).collect();
        let mut builder = DocumentsBuilder::new(self.taxonomy.clone());
        for word in self.unknown.iter() {
            builder.unknown.intern(word);
        }
        builder.occurrences_unknown = self.occurrences_unknown;
        for document in 0..self.persons() {
            let left = self.vector(document).iter().filter(|(term, _)| !barred[*term as usize]);
            let is_whole = left.clone().count() == self.vector(document).len();
            let sum: f64 = left.clone().map(|&(_, weight)| weight).sum();
            let share = if are_shares && !is_whole { sum } else { 1.0 };
            let vector = left.map(|&(term, weight)| (self.terms.get(term), weight / share));
            let class = self.class(document).map(|class| self.classes.get(class));
            builder.push_vector(self.names.get(document as u32), vector.collect::<Vec<_>>(), class);
        }
        builder.finish()
    }

    /// The same documents over a taxonomy: terms in the form that it has them, those that it does not know left out and
    /// counted. Weights stay as they are.
    pub fn over(&self, taxonomy: &Arc<Taxonomy>) -> Self {
        let mut builder = DocumentsBuilder::new(Some(Arc::clone(taxonomy)));
        let terms: Vec<Option<u32>> = self
            .terms
            .iter()
            .map(|text| {
                let term = term_of(text, taxonomy);
                if term.is_none() {
                    builder.unknown.intern(text);
                }
                term.map(|term| builder.terms.intern(&term))
            })
            .collect();
        for document in 0..self.persons() {
            let mut vector: Vec<(u32, f64)> = Vec::new();
            for &(term, weight) in self.vector(document) {
                match terms[term as usize] {
                    Some(term) => vector.push((term, weight)),
                    None => builder.occurrences_unknown += 1,
                }
            }
            // Two forms of one word weigh together. A stable sort: their sum has one order.
            vector.sort_by_key(|&(term, _)| term);
            let same = vector.chunk_by(|left, right| left.0 == right.0);
            let vector = same.map(|same| (same[0].0, same.iter().map(|&(_, weight)| weight).sum())).collect();
            builder.push(
                self.names.get(document as u32),
                vector,
                self.class(document).map(|class| self.classes.get(class)),
            );
        }
        builder.finish()
    }
}

/// A document stands for a person. Its terms are always in order, and their taxonomy is what gives them meaning.
impl Dataset for Documents {
    const FACTS: &'static [FactSort] = &[FactSort {
        names: ["term", "terms"],
        means: "that it occurs",
        known: ["one word of a document", "{} words of a document"],
    }];

    fn persons(&self) -> usize {
        self.persons()
    }

    fn rows(&self) -> usize {
        self.rows()
    }

    fn names(&self) -> &Strings {
        self.names()
    }

    fn of_persons(&self, documents: &[u32]) -> Self {
        let mut starts = vec![0];
        let mut entries = Vec::new();
        for &document in documents {
            entries.extend_from_slice(self.vector(document as usize));
            starts.push(entries.len());
        }
        let class_of = if self.has_classes() {
            documents.iter().map(|&document| self.class(document as usize)).collect()
        } else {
            Vec::new()
        };
        Self {
            names: documents.iter().map(|&document| self.names.get(document)).collect(),
            starts,
            entries,
            class_of,
            ..self.clone()
        }
    }

    fn facts(&self, _sort: usize) -> Facts<'_> {
        Facts::new(self.terms.len(), |person| self.vector(person).iter().map(|&(term, _)| term).collect())
            .ordered(|left, right| self.terms.get(left).cmp(self.terms.get(right)))
    }

    fn has(&self, need: Need) -> bool {
        match need {
            Need::Taxonomy | Need::Meaning => self.taxonomy.is_some(),
            Need::Classes => self.has_classes(),
            Need::Link | Need::OtherRelease | Need::Control | Need::Reference | Need::HashedWords => false,
            Need::Noise | Need::Target => false,
        }
    }
}

/// The words of a text, counted: what a document becomes before it is put beside the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TermCounts {
    /// Terms in alphabetical order.
    terms: Vec<(String, u32)>,
    /// Words that the taxonomy does not know, in alphabetical order.
    unknown: Vec<(String, u32)>,
    words: u64,
}

impl TermCounts {
    /// Counts the words of a text. Each different word is looked up once.
    pub fn of(text: &str, taxonomy: &Taxonomy) -> Self {
        let mut words: Vec<String> = lower_words(text).collect();
        let all = words.len() as u64;
        words.retain(|word| word.chars().count() >= 3 && !is_stop_word(word));
        words.sort_unstable();
        let (mut terms, mut unknown) = (Vec::new(), Vec::new());
        for same in words.chunk_by(|left, right| left == right) {
            let count = same.len() as u32;
            match term_of(&same[0], taxonomy) {
                Some(term) => terms.push((term, count)),
                None => unknown.push((same[0].clone(), count)),
            }
        }
        // Several forms are one term.
        terms.sort_unstable();
        terms.dedup_by(|next, first| {
            let is_same = next.0 == first.0;
            first.1 += if is_same { next.1 } else { 0 };
            is_same
        });
        Self { terms, unknown, words: all }
    }

    /// How many words the text has, stop words and unknown ones included.
    pub fn words(&self) -> u64 {
        self.words
    }

    /// Whether no word is a term.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }
}

/// The term that a word is a form of: a noun of WordNet, or whatever the taxonomy calls so.
fn term_of(word: &str, taxonomy: &Taxonomy) -> Option<String> {
    match taxonomy.wordnet() {
        Some((net, _)) if !net.senses(word).is_empty() => Some(word.to_owned()),
        Some((net, _)) if taxonomy.find_name(word).is_none() => {
            net.base_forms(word).into_iter().next().map(|form| form.to_string())
        }
        _ => taxonomy.find(word).map(|_| word.to_owned()),
    }
}

/// Collects documents.
#[derive(Debug)]
pub struct DocumentsBuilder {
    names: Interner,
    terms: Interner,
    starts: Vec<usize>,
    entries: Vec<(u32, f64)>,
    classes: Interner,
    class_of: Vec<Option<u32>>,
    taxonomy: Option<Arc<Taxonomy>>,
    unknown: Interner,
    occurrences_unknown: u64,
}

impl DocumentsBuilder {
    /// Nothing yet. Texts need a taxonomy; vectors do not.
    pub fn new(taxonomy: Option<Arc<Taxonomy>>) -> Self {
        Self {
            names: Interner::new(),
            terms: Interner::new(),
            starts: vec![0],
            entries: Vec::new(),
            classes: Interner::new(),
            class_of: Vec::new(),
            taxonomy,
            unknown: Interner::new(),
            occurrences_unknown: 0,
        }
    }

    /// Adds a document by its counted words. Gives `false`, and adds nothing, if there is one with this id already.
    pub fn push_counts(&mut self, name: &str, counts: &TermCounts, class: Option<&str>) -> bool {
        let all: f64 = counts.terms.iter().map(|&(_, count)| f64::from(count)).sum();
        let weighted = |(term, count): &(String, u32)| (self.terms.intern(term), f64::from(*count) / all);
        let vector = counts.terms.iter().map(weighted).collect();
        if !self.push(name, vector, class) {
            return false;
        }
        for (word, count) in &counts.unknown {
            self.unknown.intern(word);
            self.occurrences_unknown += u64::from(*count);
        }
        true
    }

    /// Adds a document by its terms and weights. Gives `false`, and adds nothing, if there is one with this id already.
    pub fn push_vector<'a>(
        &mut self,
        name: &str,
        vector: impl IntoIterator<Item = (&'a str, f64)>,
        class: Option<&str>,
    ) -> bool {
        let vector = vector.into_iter().map(|(term, weight)| (self.terms.intern(term), weight)).collect();
        self.push(name, vector, class)
    }

    /// Adds all documents of another data set, under other names. Gives those, by their numbers in it, that were not added because
    /// there is one with that name already.
    pub fn push_all(&mut self, others: &Documents, name_of: impl Fn(usize) -> String) -> Vec<usize> {
        for word in others.unknown.iter() {
            self.unknown.intern(word);
        }
        self.occurrences_unknown += others.occurrences_unknown;
        let terms: Vec<u32> = others.terms.iter().map(|term| self.terms.intern(term)).collect();
        let mut twice = Vec::new();
        for document in 0..others.persons() {
            let vector = others.vector(document).iter().map(|&(term, weight)| (terms[term as usize], weight)).collect();
            let class = others.class(document).map(|class| others.classes.get(class));
            if !self.push(&name_of(document), vector, class) {
                twice.push(document);
            }
        }
        twice
    }

    fn push(&mut self, name: &str, mut vector: Vec<(u32, f64)>, class: Option<&str>) -> bool {
        if self.names.intern(name) as usize + 1 != self.starts.len() {
            return false;
        }
        let text = |term: u32| self.terms.strings().get(term);
        vector.sort_by(|left, right| right.1.total_cmp(&left.1).then_with(|| text(left.0).cmp(text(right.0))));
        self.entries.extend(vector);
        self.starts.push(self.entries.len());
        self.class_of.push(class.map(|class| self.classes.intern(class)));
        true
    }

    /// The documents.
    pub fn finish(self) -> Documents {
        let has_classes = self.class_of.iter().any(Option::is_some);
        Documents {
            names: self.names.into_strings(),
            terms: self.terms.into_strings(),
            starts: self.starts,
            entries: self.entries,
            classes: self.classes.into_strings(),
            class_of: if has_classes { self.class_of } else { Vec::new() },
            taxonomy: self.taxonomy,
            unknown: self.unknown.into_strings(),
            occurrences_unknown: self.occurrences_unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::taxonomy::tests::food;

    #[test]
    fn weights_are_shares_of_all_kept_words() {
        let mut builder =
            DocumentsBuilder::new(Some(Arc::new(Taxonomy::from_edges([("milk", "food"), ("apple", "food")]).unwrap())));
        let taxonomy = builder.taxonomy.clone().unwrap();
        let mut push =
            |name: &str, text: &str, class| builder.push_counts(name, &TermCounts::of(text, &taxonomy), class);
        assert!(push("a", "The milk, the apple; more MILK of an ox! Milk... spam", Some("x")));
        assert!(push("b", "", None) && !push("a", "milk", None));
        let documents = builder.finish();
        let vector: Vec<_> = documents.vector(0).iter().map(|&(term, w)| (documents.terms().get(term), w)).collect();
        assert_eq!(vector, [("milk", 0.75), ("apple", 0.25)]);
        assert_eq!((documents.persons(), documents.words_unknown(), documents.occurrences_unknown()), (2, 1, 1));
        assert_eq!((documents.class(0), documents.class(1)), (Some(0), None));
    }

    #[test]
    fn several_sets_are_one() {
        let taxonomy = Arc::new(Taxonomy::from_edges([("milk", "food"), ("apple", "food")]).unwrap());
        let of = |texts: &[(&str, &str)]| {
            let mut builder = DocumentsBuilder::new(Some(Arc::clone(&taxonomy)));
            for (name, text) in texts {
                assert!(builder.push_counts(name, &TermCounts::of(text, &taxonomy), None));
            }
            builder.finish()
        };
        let (first, second) = (of(&[("a", "milk spam")]), of(&[("b", "apple spam eggs"), ("a", "milk")]));
        let mut builder = DocumentsBuilder::new(Some(Arc::clone(&taxonomy)));
        assert!(builder.push_all(&first, |at| first.names().get(at as u32).to_owned()).is_empty());
        assert_eq!(builder.push_all(&second, |at| second.names().get(at as u32).to_owned()), [1]);
        let all = builder.finish();
        assert_eq!(all.names().iter().collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!((all.words_unknown(), all.occurrences_unknown(), all.terms().len()), (2, 3, 2));
    }

    #[test]
    fn what_is_left_of_barred_terms_is_the_whole() {
        let mut builder = DocumentsBuilder::new(None);
        builder.push_vector("a", [("x", 0.5), ("y", 0.25), ("z", 0.25)], None);
        builder.push_vector("b", [("x", 1.0)], None);
        let documents = builder.finish();
        for (are_shares, weight) in [(true, 0.5), (false, 0.25)] {
            let left = documents.without(are_shares, |term| term == "x");
            let weights: Vec<f64> = left.vector(0).iter().map(|&(_, weight)| weight).collect();
            assert_eq!((weights, left.vector(1).len(), left.persons()), (vec![weight, weight], 0, 2));
            assert_eq!(left.terms().iter().collect::<Vec<_>>(), ["y", "z"]);
        }
    }

    #[test]
    fn vectors_are_sorted() {
        let mut builder = DocumentsBuilder::new(Some(Arc::new(food())));
        builder.push_vector("a", [("b", 0.1), ("c", 0.5), ("a", 0.1)], None);
        let documents = builder.finish();
        let terms: Vec<_> = documents.vector(0).iter().map(|&(term, _)| documents.terms().get(term)).collect();
        assert_eq!(terms, ["c", "a", "b"]);
        assert!(!documents.has_classes());
    }
}
