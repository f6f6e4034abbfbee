//! How much of a data set is understood: shares of its strings, lines, phrases and persons, and samples that many share.
//!
//! Strings count once each, lines (of a log, or items of baskets) as often as they occur. A string or line is known if at least
//! one of its phrases has a concept. Samples are only strings of at least k persons: nobody is recognised by them.
//!
//! # Cost
//! Every different string is looked up once, in parallel; 24 bytes a string.

use hashbrown::HashSet;
use rayon::prelude::*;
use serde::Serialize;

use super::{How, Mapper, Scratch, Texts};
use crate::data::Interner;

/// How many there are, and how many of them are known.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Known {
    /// All of them.
    pub all: u64,
    /// Those with a concept.
    pub known: u64,
    /// `known` out of `all`, 0 to 1; 0 if there are none.
    pub share: f64,
}

impl Known {
    fn new(all: u64, known: u64) -> Self {
        Self { all, known, share: known as f64 / all.max(1) as f64 }
    }
}

/// How the concepts of phrases were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Ways {
    /// The whole phrase is a name.
    pub exact: u64,
    /// Words had to be dropped from the left.
    pub shortened: u64,
    /// A letter of the last word had to be corrected.
    pub spelling: u64,
    /// A web address, by the name of its site.
    pub site: u64,
    /// Not at all.
    pub unknown: u64,
}

/// A string that many persons share.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Sample {
    /// The string.
    pub text: String,
    /// How many persons have it.
    pub persons: u64,
    /// How many lines have it.
    pub lines: u64,
    /// Its phrases.
    pub phrases: Vec<SamplePhrase>,
}

/// A phrase of a sample.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SamplePhrase {
    /// The phrase as it may be published.
    pub term: String,
    /// The label of its concept; `None` if it has none.
    pub concept: Option<String>,
    /// The labels from the root down to the concept; empty if there is none.
    pub path: Vec<String>,
    /// `exact`, `shortened`, `spelling`, `site` or `unknown`.
    pub how: &'static str,
}

/// How much of a data set is understood.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Coverage {
    /// The different strings.
    pub strings: Known,
    /// The lines of a log, or the items of all persons.
    pub lines: Known,
    /// The phrases of all lines.
    pub phrases: Known,
    /// How the phrases of all lines were found.
    pub found: Ways,
    /// Different phrases that have no concept.
    pub phrases_unknown: u64,
    /// The persons; known are those with at least one concept.
    pub persons: Known,
    /// How many different concepts there are.
    pub different_concepts: u64,
    /// How many persons share each sample, at least.
    pub k: usize,
    /// The most frequent strings that at least k persons share.
    pub samples: Vec<Sample>,
}

impl Coverage {
    /// Looks at all strings that occur, and takes at most so many samples.
    pub fn of(mapper: &Mapper, texts: &impl Texts, k: usize, samples: usize) -> Self {
        let strings = texts.strings();
        let (mut lines, mut persons) = (vec![0u64; strings.len()], vec![0u64; strings.len()]);
        let mut own = Vec::new();
        for person in 0..texts.persons() {
            own.clear();
            own.extend_from_slice(texts.strings_of(person));
            own.iter().for_each(|&string| lines[string as usize] += 1);
            own.sort_unstable();
            own.dedup();
            own.iter().for_each(|&string| persons[string as usize] += 1);
        }
        // For each string how its phrases were found; strings that nobody has are not looked at.
        const BLOCK: usize = 1 << 14;
        let blocks: Vec<Block> = (0..strings.len().div_ceil(BLOCK))
            .into_par_iter()
            .map(|block| {
                let range = block * BLOCK..strings.len().min((block + 1) * BLOCK);
                let mut found = Block::default();
                let mut scratch = Scratch::default();
                for string in range {
                    let mut ways = [0u32; 5];
                    if lines[string] > 0 {
                        mapper.phrases_with(strings.get(string as u32), &mut scratch, |phrase| {
                            ways[phrase.how as usize] += 1;
                            match phrase.concept {
                                Some(concept) => {
                                    found.concepts.insert(concept);
                                }
                                None => {
                                    found.unknown.intern(&phrase.term);
                                }
                            }
                        });
                    }
                    found.ways.push(ways);
                }
                found
            })
            .collect();
        let (mut concepts, mut unknown) = (vec![false; mapper.taxonomy().len()], Interner::new());
        let mut ways: Vec<[u32; 5]> = Vec::with_capacity(strings.len());
        for mut block in blocks {
            // Which concepts there are does not depend on the order.
            block.concepts.drain().for_each(|concept| concepts[concept as usize] = true);
            for term in block.unknown.strings().iter() {
                unknown.intern(term);
            }
            ways.append(&mut block.ways);
        }
        let is_known =
            |string: usize| How::ALL.into_iter().any(|how| how != How::Unknown && ways[string][how as usize] > 0);
        let all = || (0..strings.len()).filter(|&string| lines[string] > 0);
        let of_lines =
            |how: How| all().map(|string| lines[string] * u64::from(ways[string][how as usize])).sum::<u64>();
        let found = Ways {
            exact: of_lines(How::Exact),
            shortened: of_lines(How::Shortened),
            spelling: of_lines(How::Spelling),
            site: of_lines(How::Site),
            unknown: of_lines(How::Unknown),
        };
        let known = found.exact + found.shortened + found.spelling + found.site;
        let has_concept = |person: usize| texts.strings_of(person).iter().any(|&string| is_known(string as usize));
        let mut shared: Vec<usize> = all().filter(|&string| persons[string] >= k as u64).collect();
        shared.sort_by_key(|&string| (std::cmp::Reverse((lines[string], persons[string])), string));
        shared.truncate(samples);
        let sample = |&string: &usize| {
            let text = strings.get(string as u32);
            let (persons, lines) = (persons[string], lines[string]);
            Sample { text: text.to_owned(), persons, lines, phrases: sample_phrases(mapper, text) }
        };
        let count = |test: &dyn Fn(usize) -> bool| all().filter(|&string| test(string)).count() as u64;
        Self {
            strings: Known::new(count(&|_| true), count(&is_known)),
            lines: Known::new(lines.iter().sum(), all().filter(|&string| is_known(string)).map(|at| lines[at]).sum()),
            phrases: Known::new(known + found.unknown, known),
            found,
            phrases_unknown: unknown.strings().len() as u64,
            persons: Known::new(
                texts.persons() as u64,
                (0..texts.persons()).filter(|&person| has_concept(person)).count() as u64,
            ),
            different_concepts: concepts.iter().filter(|&&occurs| occurs).count() as u64,
            k,
            samples: shared.iter().map(sample).collect(),
        }
    }
}

/// What was found in some strings.
#[derive(Debug, Default)]
struct Block {
    ways: Vec<[u32; 5]>,
    concepts: HashSet<u32, foldhash::fast::FixedState>,
    unknown: Interner,
}

fn sample_phrases(mapper: &Mapper, text: &str) -> Vec<SamplePhrase> {
    let tree = mapper.taxonomy();
    let label = |node: u32| tree.label(node).to_owned();
    let phrases = mapper.phrases(text).into_iter();
    phrases
        .map(|phrase| {
            let mut path: Vec<String> =
                phrase.concept.into_iter().flat_map(|concept| tree.ancestors(concept)).map(label).collect();
            path.reverse();
            let (concept, how) = (phrase.concept.map(label), phrase.how.name());
            SamplePhrase { term: phrase.term.into_owned(), concept, path, how }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::data::QueryLogBuilder;
    use crate::taxonomy::tests::food;

    #[test]
    fn everything_is_counted_and_only_what_is_shared_is_shown() {
        let mut builder = QueryLogBuilder::new();
        for (person, query) in [
            ("ann", "red apples"),
            ("ann", "red apples"),
            ("bob", "red apples"),
            ("bob", "milk for spam"),
            ("bob", "milk for spam"),
            ("bob", "milk for spam"),
            ("cid", "spam"),
            ("dan", ""),
        ] {
            builder.push(person, query, 0, None, None);
        }
        let coverage = Coverage::of(&Mapper::new(Arc::new(food())), &builder.finish(), 2, 10);
        assert_eq!(coverage.strings, Known { all: 4, known: 2, share: 0.5 });
        assert_eq!(coverage.lines, Known { all: 8, known: 6, share: 0.75 });
        assert_eq!(coverage.found, Ways { exact: 3, shortened: 3, spelling: 0, site: 0, unknown: 4 });
        assert_eq!(coverage.phrases, Known { all: 10, known: 6, share: 0.6 });
        assert_eq!((coverage.phrases_unknown, coverage.different_concepts), (1, 2));
        assert_eq!(coverage.persons, Known { all: 4, known: 2, share: 0.5 });
        let [sample] = coverage.samples.as_slice() else { panic!("one query is shared") };
        assert_eq!((sample.text.as_str(), sample.persons, sample.lines), ("red apples", 2, 3));
        assert_eq!(sample.phrases[0].path, ["Food", "Fruit", "Apple"]);
    }
}
