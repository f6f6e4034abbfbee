//! What the strings of a data set mean: for each the concepts of its phrases, and the phrases themselves.
//!
//! # Cost
//! Every different string is looked up once, in parallel; 12 bytes a string, 8 bytes a phrase, and every different phrase once.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::{Mapper, Scratch};
use crate::data::{Dataset, Interner, Strings};
use crate::error::{Error, Result};
use crate::taxonomy::fit::Unknown;
use crate::taxonomy::{ROOT, Taxonomy};

/// Persons with strings that mean something: the queries of a log, the items of baskets.
pub trait Texts: Dataset {
    /// Every different string.
    fn strings(&self) -> &Strings;
    /// The strings of a person, one for each line or item, as numbers of [`Self::strings`].
    fn strings_of(&self, person: usize) -> &[u32];
    /// What the strings mean, if that was looked up.
    fn meaning(&self) -> Option<&Arc<Meaning>>;

    /// The hours of the week of a person's lines, where data have times.
    fn hours_of(&self, _person: usize) -> Vec<u32> {
        Vec::new()
    }

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
    /// How strings were looked up; `None` where they are labels of the taxonomy.
    lookup: Option<(Mapper, Unknown)>,
    /// String `s` has the phrases `starts[s]..starts[s + 1]`. Phrases without a concept are not among them.
    starts: Vec<u32>,
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
        let found: Vec<Looked> = tables.iter().map(|table| Looked::up(mapper, table)).collect();
        let mut taxonomy = Arc::clone(mapper.taxonomy());
        if rule == Unknown::OwnLeaf && found.iter().any(|looked| looked.unknown().next().is_some()) {
            taxonomy = Arc::new(taxonomy.with_leaves(found.iter().flat_map(Looked::unknown)));
        }
        found.iter().map(|looked| Self::of_looked(looked, &taxonomy, mapper, rule)).collect()
    }

    /// What the labels of a taxonomy mean: its nodes.
    pub fn of_nodes(taxonomy: &Arc<Taxonomy>) -> Self {
        let nodes: Vec<u32> = (0..taxonomy.len() as u32).collect();
        Self {
            taxonomy: Arc::clone(taxonomy),
            lookup: None,
            starts: (0..=nodes.len() as u32).collect(),
            unknown: vec![0; nodes.len()],
            terms: nodes.clone(),
            concepts: nodes,
            term_texts: taxonomy.labels().clone(),
            phrases_unknown: 0,
        }
    }

    /// What the strings of another table mean, looked up in the same way over the same taxonomy: a phrase of them that is in
    /// none of the tables before has no leaf of its own.
    pub fn of_strings(&self, table: &Strings) -> Result<Self> {
        let lookup = self.lookup.as_ref();
        let (mapper, rule) =
            lookup.ok_or_else(|| Error::internal("labels of a taxonomy mean nothing but themselves"))?;
        Self::of_looked(&Looked::up(mapper, table), &self.taxonomy, mapper, *rule)
    }

    fn of_looked(looked: &Looked, taxonomy: &Arc<Taxonomy>, mapper: &Mapper, rule: Unknown) -> Result<Self> {
        let texts = looked.terms.strings();
        let count = texts.len();
        let mut meaning = Self {
            taxonomy: Arc::clone(taxonomy),
            lookup: Some((mapper.clone(), rule)),
            starts: vec![0],
            concepts: Vec::new(),
            terms: Vec::new(),
            term_texts: Strings::new(),
            phrases_unknown: looked.unknown().count() as u64,
            unknown: Vec::with_capacity(looked.counts.len()),
        };
        if rule == Unknown::Error
            && let Some(first) = looked.unknown().next()
        {
            let phrases = match meaning.phrases_unknown {
                1 => "1 phrase is".to_owned(),
                count => format!("{count} phrases are"),
            };
            return Err(Error::data(format!("{phrases} not in the taxonomy"))
                .with_value(first)
                .with_hint("add them to it, or say what to do with them: `--unknown drop`, `root` or `own-leaf`"));
        }
        // What becomes of a phrase without a concept depends on its text alone.
        let instead = |term: usize| match rule {
            Unknown::Root => Some(ROOT),
            Unknown::OwnLeaf => taxonomy.find_name(texts.get(term as u32)),
            Unknown::Drop | Unknown::Error => None,
        };
        let instead: Vec<Option<u32>> =
            (0..count).map(|term| looked.is_unknown[term].then(|| instead(term)).flatten()).collect();
        // Only phrases with a concept are kept, numbered anew in the order of their first appearance.
        let mut numbers: Vec<u32> = vec![NONE; count];
        let mut phrases = looked.phrases.iter();
        for &own in &looked.counts {
            let mut unknown = 0;
            for &(term, concept) in phrases.by_ref().take(own as usize) {
                unknown += u32::from(concept == NONE);
                let concept = if concept == NONE { instead[term as usize] } else { Some(concept) };
                if let Some(concept) = concept {
                    let number = &mut numbers[term as usize];
                    if *number == NONE {
                        *number = meaning.term_texts.push(texts.get(term));
                    }
                    meaning.concepts.push(concept);
                    meaning.terms.push(*number);
                }
            }
            let end =
                u32::try_from(meaning.concepts.len()).expect("more than four billion phrases in distinct strings");
            meaning.starts.push(end);
            meaning.unknown.push(unknown);
        }
        Ok(meaning)
    }

    /// The taxonomy whose nodes the concepts are.
    pub fn taxonomy(&self) -> &Arc<Taxonomy> {
        &self.taxonomy
    }

    fn range(&self, string: u32) -> Range<usize> {
        self.starts[string as usize] as usize..self.starts[string as usize + 1] as usize
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

/// No number.
const NONE: u32 = u32::MAX;

/// The phrases of a table of strings.
#[derive(Debug, Default)]
struct Looked {
    /// How many phrases each string has.
    counts: Vec<u32>,
    /// The term and the concept of each phrase; [`NONE`] if it has no concept.
    phrases: Vec<(u32, u32)>,
    terms: Interner,
    /// Whether a term occurs without a concept.
    is_unknown: Vec<bool>,
}

impl Looked {
    /// Looks up every string of a table, in blocks whose size does not depend on the number of threads.
    fn up(mapper: &Mapper, table: &Strings) -> Self {
        const BLOCK: usize = 1 << 13;
        // So many blocks at a time: what is put together is not held twice.
        const AT_ONCE: usize = 64;
        let look = |scratch: &mut Scratch, block: usize| {
            let mut looked = Self::default();
            for string in block * BLOCK..table.len().min((block + 1) * BLOCK) {
                let before = looked.phrases.len();
                mapper.phrases_with(table.get(string as u32), scratch, |phrase| {
                    let term = looked.terms.intern(&phrase.term);
                    looked.phrases.push((term, phrase.concept.unwrap_or(NONE)));
                });
                looked.counts.push((looked.phrases.len() - before) as u32);
            }
            looked
        };
        let (mut all, blocks) = (Self::default(), table.len().div_ceil(BLOCK));
        for from in (0..blocks).step_by(AT_ONCE) {
            let some = (from..blocks.min(from + AT_ONCE)).into_par_iter().map_init(Scratch::default, look);
            for block in some.collect::<Vec<_>>() {
                let numbers: Vec<u32> = block.terms.strings().iter().map(|term| all.terms.intern(term)).collect();
                all.counts.extend_from_slice(&block.counts);
                all.is_unknown.resize(all.terms.strings().len(), false);
                for (term, concept) in block.phrases {
                    let term = numbers[term as usize];
                    all.is_unknown[term as usize] |= concept == NONE;
                    all.phrases.push((term, concept));
                }
            }
        }
        all
    }

    /// The terms that occur without a concept.
    fn unknown(&self) -> impl Iterator<Item = &str> {
        self.terms.strings().iter().zip(&self.is_unknown).filter(|(_, unknown)| **unknown).map(|(term, _)| term)
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

    #[test]
    fn more_strings_are_looked_up_in_the_same_way() {
        let mapper = Mapper::new(Arc::new(food()));
        let table = |strings: &[&str]| strings.iter().copied().collect::<Strings>();
        let of = |rule| Meaning::of(&mapper, &[&table(&["Milk", "spam"])], rule).unwrap().remove(0);
        let concepts = |rule| of(rule).of_strings(&table(&["spam", "Milk", "bacon"])).unwrap().concepts;
        let milk = mapper.taxonomy().find_name("Milk").unwrap();
        assert_eq!(concepts(Unknown::Drop), [milk]);
        assert_eq!(concepts(Unknown::Root), [ROOT, milk, ROOT]);
        // Bacon was not there when leaves were made.
        let own = of(Unknown::OwnLeaf);
        assert_eq!(concepts(Unknown::OwnLeaf), [own.taxonomy().find_name("spam").unwrap(), milk]);
        assert!(Arc::ptr_eq(own.of_strings(&table(&["Milk"])).unwrap().taxonomy(), own.taxonomy()));
        assert!(Meaning::of_nodes(mapper.taxonomy()).of_strings(&table(&["Milk"])).is_err());
    }

    #[test]
    fn many_strings_mean_what_each_of_them_means() {
        let mapper = Mapper::new(Arc::new(food()));
        let words = ["Milk", "red apple", "spam", "for", "cheese and beef", "", "butter, spam"];
        let strings: Vec<String> =
            (0..20_000).map(|at| format!("{} {}", words[at % 7], words[at * at % 5 + 2])).collect();
        let table: Strings = strings.iter().map(String::as_str).collect();
        for rule in [Unknown::Drop, Unknown::Root, Unknown::OwnLeaf] {
            let meaning = Meaning::of(&mapper, &[&table], rule).unwrap().remove(0);
            for (text, id) in strings.iter().zip(0..) {
                let concept = |phrase: &crate::concepts::Phrase<'_>| match rule {
                    Unknown::Root => phrase.concept.or(Some(ROOT)),
                    Unknown::OwnLeaf => phrase.concept.or_else(|| meaning.taxonomy().find_name(&phrase.term)),
                    _ => phrase.concept,
                };
                let phrases = mapper.phrases(text);
                let expected: Vec<(u32, &str)> =
                    phrases.iter().filter_map(|phrase| Some((concept(phrase)?, phrase.term.as_ref()))).collect();
                let terms = meaning.terms(id).iter().map(|&term| meaning.term(term));
                assert_eq!(meaning.concepts(id).iter().copied().zip(terms).collect::<Vec<_>>(), expected, "{text}");
                let unknown = phrases.iter().filter(|phrase| phrase.concept.is_none()).count();
                assert_eq!(meaning.unknown(id) as usize, unknown);
            }
            assert_eq!(meaning.starts.len(), strings.len() + 1);
        }
    }
}
