//! What the strings of a data set mean: for each the concepts of its phrases, and the phrases themselves.
//!
//! # Cost
//! Every different string is looked up once, in parallel; 8 bytes a phrase.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::{Mapper, Phrase};
use crate::data::{Interner, Strings};
use crate::error::{Error, Result};
use crate::taxonomy::fit::Unknown;
use crate::taxonomy::{ROOT, Taxonomy};

/// Persons with strings that mean something: the queries of a log, the items of baskets.
pub trait Texts {
    /// The number of persons.
    fn persons(&self) -> usize;
    /// Every different string.
    fn strings(&self) -> &Strings;
    /// The strings of a person, one for each line or item, as numbers of [`Self::strings`].
    fn strings_of(&self, person: usize) -> &[u32];
    /// What the strings mean, if that was looked up.
    fn meaning(&self) -> Option<&Arc<Meaning>>;

    /// The concepts of a person, each once, in rising order: C_x of paper 004 (reading S6).
    fn concepts_of(&self, person: usize) -> Vec<u32> {
        let Some(meaning) = self.meaning() else { return Vec::new() };
        let mut concepts: Vec<u32> =
            self.strings_of(person).iter().flat_map(|&string| meaning.concepts(string)).copied().collect();
        concepts.sort_unstable();
        concepts.dedup();
        concepts
    }
}

/// What the strings of a data set mean.
#[derive(Debug, Clone)]
pub struct Meaning {
    taxonomy: Arc<Taxonomy>,
    /// String `s` has the phrases `starts[s]..starts[s + 1]`. Phrases without a concept are not among them.
    starts: Vec<usize>,
    concepts: Vec<u32>,
    terms: Vec<u32>,
    term_texts: Strings,
    /// How many different phrases the taxonomy does not know.
    phrases_unknown: u64,
    /// For each string how many of its phrases the taxonomy does not know.
    unknown: Vec<u32>,
}

impl PartialEq for Meaning {
    fn eq(&self, other: &Self) -> bool {
        let terms =
            |meaning: &Self| meaning.terms.iter().map(|&term| meaning.term(term).to_owned()).collect::<Vec<_>>();
        Arc::ptr_eq(&self.taxonomy, &other.taxonomy)
            && (&self.starts, &self.concepts, &self.unknown) == (&other.starts, &other.concepts, &other.unknown)
            && terms(self) == terms(other)
    }
}

impl Eq for Meaning {}

impl Meaning {
    /// What the strings of some tables mean. All are over the same taxonomy: with [`Unknown::OwnLeaf`] it has leaves for the
    /// unknown phrases of all.
    pub fn of(mapper: &Mapper, tables: &[&Strings], rule: Unknown) -> Result<Vec<Self>> {
        let found: Vec<Vec<Vec<Phrase<'_>>>> = tables
            .iter()
            .map(|table| (0..table.len() as u32).into_par_iter().map(|id| mapper.phrases(table.get(id))).collect())
            .collect();
        let unknown = || found.iter().flatten().flatten().filter(|phrase| phrase.concept.is_none());
        let mut taxonomy = Arc::clone(mapper.taxonomy());
        if rule == Unknown::OwnLeaf && unknown().next().is_some() {
            taxonomy = Arc::new(taxonomy.with_leaves(unknown().map(|phrase| phrase.term.as_ref())));
        }
        found.iter().map(|phrases| Self::of_phrases(phrases, &taxonomy, rule)).collect()
    }

    /// What the labels of a taxonomy mean: its nodes.
    pub fn of_nodes(taxonomy: &Arc<Taxonomy>) -> Self {
        let nodes: Vec<u32> = (0..taxonomy.len() as u32).collect();
        Self {
            taxonomy: Arc::clone(taxonomy),
            starts: (0..=nodes.len()).collect(),
            unknown: vec![0; nodes.len()],
            terms: nodes.clone(),
            concepts: nodes,
            term_texts: taxonomy.labels().clone(),
            phrases_unknown: 0,
        }
    }

    /// What the strings of another table mean, over the same taxonomy: a phrase of them that is in none of the tables before
    /// has no leaf of its own.
    pub fn like(&self, mapper: &Mapper, table: &Strings, rule: Unknown) -> Result<Self> {
        let phrases: Vec<Vec<Phrase<'_>>> =
            (0..table.len() as u32).into_par_iter().map(|id| mapper.phrases(table.get(id))).collect();
        Self::of_phrases(&phrases, &self.taxonomy, rule)
    }

    fn of_phrases(strings: &[Vec<Phrase<'_>>], taxonomy: &Arc<Taxonomy>, rule: Unknown) -> Result<Self> {
        let (mut terms, mut strange) = (Interner::new(), Interner::new());
        let mut meaning = Self {
            taxonomy: Arc::clone(taxonomy),
            starts: vec![0],
            concepts: Vec::new(),
            terms: Vec::new(),
            term_texts: Strings::new(),
            phrases_unknown: 0,
            unknown: Vec::with_capacity(strings.len()),
        };
        for phrases in strings {
            let mut unknown = 0;
            for phrase in phrases {
                let concept = phrase.concept.or_else(|| {
                    strange.intern(&phrase.term);
                    unknown += 1;
                    match rule {
                        Unknown::Root => Some(ROOT),
                        Unknown::OwnLeaf => taxonomy.find_name(&phrase.term),
                        Unknown::Drop | Unknown::Error => None,
                    }
                });
                if let Some(concept) = concept {
                    meaning.concepts.push(concept);
                    meaning.terms.push(terms.intern(&phrase.term));
                }
            }
            meaning.starts.push(meaning.concepts.len());
            meaning.unknown.push(unknown);
        }
        meaning.term_texts = terms.into_strings();
        meaning.phrases_unknown = strange.strings().len() as u64;
        if rule == Unknown::Error && meaning.phrases_unknown > 0 {
            let phrases = match meaning.phrases_unknown {
                1 => "1 phrase is".to_owned(),
                count => format!("{count} phrases are"),
            };
            return Err(Error::data(format!("{phrases} not in the taxonomy"))
                .with_value(strange.strings().get(0))
                .with_hint("add them to it, or say what to do with them: `--unknown drop`, `root` or `own-leaf`"));
        }
        Ok(meaning)
    }

    /// The taxonomy whose nodes the concepts are.
    pub fn taxonomy(&self) -> &Arc<Taxonomy> {
        &self.taxonomy
    }

    fn range(&self, string: u32) -> Range<usize> {
        self.starts[string as usize]..self.starts[string as usize + 1]
    }

    /// The concepts of a string, one for each phrase that has one, in their order.
    pub fn concepts(&self, string: u32) -> &[u32] {
        &self.concepts[self.range(string)]
    }

    /// The phrases of a string that have a concept, as numbers for [`Self::term`]; one for each of [`Self::concepts`].
    pub fn terms(&self, string: u32) -> &[u32] {
        &self.terms[self.range(string)]
    }

    /// The text of a phrase.
    pub fn term(&self, term: u32) -> &str {
        self.term_texts.get(term)
    }

    /// How many different phrases there are that have a concept.
    pub fn term_count(&self) -> usize {
        self.term_texts.len()
    }

    /// How many different phrases the taxonomy does not know.
    pub fn phrases_unknown(&self) -> u64 {
        self.phrases_unknown
    }

    /// How many phrases of a string the taxonomy does not know.
    pub fn unknown(&self, string: u32) -> u32 {
        self.unknown[string as usize]
    }

    /// How often phrases that the taxonomy does not know occur, all persons of a data set together.
    pub fn occurrences_unknown(&self, texts: &impl Texts) -> u64 {
        let own =
            |person: usize| texts.strings_of(person).iter().map(|&string| u64::from(self.unknown(string))).sum::<u64>();
        (0..texts.persons()).map(own).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{QueryLog, QueryLogBuilder};
    use crate::taxonomy::tests::food;

    fn log(lines: &[(&str, &str)]) -> QueryLog {
        let mut builder = QueryLogBuilder::new();
        for (person, query) in lines {
            builder.push(person, query, 0, None, None);
        }
        builder.finish()
    }

    fn labels(log: &QueryLog, person: usize) -> Vec<String> {
        let tree = log.meaning().unwrap().taxonomy();
        log.concepts_of(person).into_iter().map(|concept| tree.label(concept).to_owned()).collect()
    }

    #[test]
    fn every_rule_for_unknown_phrases() {
        let mapper = Mapper::new(Arc::new(food()));
        let log = log(&[("ann", "Milk"), ("ann", "spam for Milk"), ("bob", "spam"), ("ann", "Milk"), ("cid", "")]);
        let with = |rule| {
            let meaning = Meaning::of(&mapper, &[log.queries()], rule)?.remove(0);
            Ok::<_, Error>(log.clone().with_meaning(Arc::new(meaning)))
        };
        let dropped = with(Unknown::Drop).unwrap();
        assert_eq!(labels(&dropped, 0), ["Milk"]);
        assert!(labels(&dropped, 1).is_empty() && labels(&dropped, 2).is_empty());
        let meaning = dropped.meaning().unwrap();
        assert_eq!((meaning.phrases_unknown(), meaning.occurrences_unknown(&dropped)), (1, 2));
        assert_eq!(labels(&with(Unknown::Root).unwrap(), 1), ["Food"]);
        assert_eq!(labels(&with(Unknown::OwnLeaf).unwrap(), 0), ["Milk", "spam"]);
        let error = with(Unknown::Error).unwrap_err();
        assert_eq!(error.to_string(), "1 phrase is not in the taxonomy");
        assert!(!error.describe(false).contains("spam"));
    }
}
