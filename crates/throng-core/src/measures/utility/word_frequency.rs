//! Word frequency: whether the most popular words stay the most popular.
//!
//! Paper      001 (Navarro-Arribas et al. 2012), section 4.5.
//!
//! # Formula
//! The frequency of a word is its share of all words without stop words (reading Q27). The headline is how many of the ten
//! most popular words of the original are among the ten most popular of the release.
//!
//! # Cost
//! Time O(words of the distinct strings), memory O(distinct words).

use super::super::{Context, Drawn, Measure, MeasureInfo, Measured, Memory, Pair};
use super::frequency::compare_lines;
use crate::data::string_words::StringWords;
use crate::data::{Interner, Line, QueryLog};
use crate::error::Result;
use crate::info::Info;
use crate::text::stop_words::is_stop_word;
use crate::text::words;

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "word-frequency",
        summary: "how many of the ten most popular words stay among the ten most popular, stop words left out",
        paper: "Navarro-Arribas, Torra, Erola, Castellà-Roca. User k-anonymity for privacy preserving data mining of \
                query logs. Information Processing and Management 48 (2012), section 4.5",
        details: "A word's frequency is its share of all words that are no stop words. Parts: the ten most popular before \
            and after with their frequencies, and Spearman's rank correlation over both tens. A word that fewer than k \
            persons of the original used is not shown.",
        parameters: &[],
    },
    unit: "of 10",
    better: "higher",
    says: "Of the most frequent words, {} are still among the most frequent.",
    undefined: "no query of the original has a word that counts",
    memory: Memory::Strings { original: 24, release: 24, hashed: false },
    drawn: Drawn::Tops,
    ..MeasureInfo::DEFAULT
};

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct WordFrequency;

impl Measure<QueryLog> for WordFrequency {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, QueryLog>, context: &Context<'_>) -> Result<Measured> {
        let mut vocabulary = Interner::new();
        let mut cut = |log: &QueryLog| {
            let queries = log.queries();
            StringWords::of(queries, &mut vocabulary, |query, each| {
                words(queries.get(query)).filter(|word| !is_stop_word(word)).for_each(each);
            })
        };
        let (before, after) = (cut(pair.original), cut(pair.release));
        let before = |line: &Line| before.of_string(line.query);
        let after = |line: &Line| after.of_string(line.query);
        let vocabulary = vocabulary.into_strings();
        let text = |value: u32| vocabulary.get(value);
        Ok(compare_lines(pair, vocabulary.len(), text, before, after, context).measured(self))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{log, measure};
    use super::*;

    #[test]
    fn stop_words_are_left_out() {
        let original = log(&[&["the rose", "rose of the garden"], &["a rose garden"]]);
        let result = measure(&WordFrequency, &original, &original);
        // rose three times, garden twice: five words in all.
        assert_eq!(result.parts["top_before"][0]["value"], "rose");
        assert_eq!(result.parts["top_before"][0]["before"], 0.6);
        assert_eq!(result.parts["top_before"][1]["value"], "garden");
        assert_eq!(result.parts["total_before"], 5);
        assert_eq!(result.value, Some(2.0));
        assert_eq!(result.parts["rank_correlation"], 1.0);
    }
}
