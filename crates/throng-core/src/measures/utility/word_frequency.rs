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

use super::super::{Context, Measure, MeasureInfo, Measured, Pair};
use super::frequency::compare_lines;
use crate::data::{Interner, Line, QueryLog};
use crate::error::Result;
use crate::info::{Info, Kind};
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
        kinds: &[Kind::Queries],
        parameters: &[],
    },
    unit: "of 10",
    better: "higher",
    needs_link: false,
    needs_taxonomy: false,
    needs_meaning: false,
    costly: false,
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
        let before = StringWords::of(pair.original, &mut vocabulary);
        let after = StringWords::of(pair.release, &mut vocabulary);
        let before = |line: &Line| before.of_string(line.query);
        let after = |line: &Line| after.of_string(line.query);
        let (kept, parts) = compare_lines(pair, vocabulary.strings(), before, after, context);
        Ok(self.measured(Some(kept), parts))
    }
}

/// The words of each query string, stop words left out.
struct StringWords {
    starts: Vec<usize>,
    words: Vec<u32>,
}

impl StringWords {
    fn of(log: &QueryLog, vocabulary: &mut Interner) -> Self {
        let mut result = Self { starts: vec![0], words: Vec::new() };
        for query in log.queries().iter() {
            let content = words(query).filter(|word| !is_stop_word(word));
            result.words.extend(content.map(|word| vocabulary.intern(word)));
            result.starts.push(result.words.len());
        }
        result
    }

    fn of_string(&self, string: u32) -> &[u32] {
        &self.words[self.starts[string as usize]..self.starts[string as usize + 1]]
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
