//! Query frequency: whether the most popular queries stay the most popular.
//!
//! Paper      001 (Navarro-Arribas et al. 2012), section 4.5.
//!
//! # Formula
//! The frequency of a query string is its share of all lines. The headline is how many of the ten most popular strings of
//! the original are among the ten most popular of the release; `rank_correlation` is Spearman's over both tens.
//!
//! # Cost
//! Time and memory O(distinct strings).

use std::slice;

use super::super::{Context, Drawn, Measure, MeasureInfo, Measured, Memory, Pair};
use super::frequency::compare_lines;
use crate::data::{Line, QueryLog};
use crate::error::Result;
use crate::info::Info;

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "query-frequency",
        summary: "how many of the ten most popular queries stay among the ten most popular",
        paper: "Navarro-Arribas, Torra, Erola, Castellà-Roca. User k-anonymity for privacy preserving data mining of \
                query logs. Information Processing and Management 48 (2012), section 4.5",
        details: "A query's frequency is its share of all lines. Parts: the ten most popular before and after with their \
            frequencies, and Spearman's rank correlation over both tens. A query that fewer than k persons of the original \
            issued is not shown.",
        parameters: &[],
    },
    unit: "of 10",
    better: "higher",
    says: "Of the most frequent searches, {} are still among the most frequent.",
    undefined: "the original has no queries",
    memory: Memory::Strings { original: 12, release: 20, hashed: true },
    drawn: Drawn::Tops,
    ..MeasureInfo::DEFAULT
};

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct QueryFrequency;

impl Measure<QueryLog> for QueryFrequency {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, QueryLog>, context: &Context<'_>) -> Result<Measured> {
        let (queries, new) = (pair.original.queries(), pair.release.queries());
        // Strings that only the release has come after those of the original.
        let own: Vec<u32> = (0..(queries.len() + new.len()) as u32).collect();
        let number = |(at, known): (u32, Option<u32>)| known.unwrap_or(queries.len() as u32 + at);
        let released: Vec<u32> = (0..).zip(new.ids_in(queries)).map(number).collect();
        let text = |value: u32| match value.checked_sub(queries.len() as u32) {
            None => queries.get(value),
            Some(own) => new.get(own),
        };
        let before = |line: &Line| slice::from_ref(&own[line.query as usize]);
        let after = |line: &Line| slice::from_ref(&released[line.query as usize]);
        Ok(compare_lines(pair, own.len(), text, before, after, context).measured(self))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{log, measure};
    use super::*;

    #[test]
    fn rare_queries_are_not_shown() {
        let original = log(&[&["a", "a", "secret"], &["a", "b"], &["b"]]);
        let result = measure(&QueryFrequency, &original, &log(&[&["a"], &["a"], &["secret"]]));
        assert_eq!(result.value, Some(2.0));
        assert_eq!(result.parts["top_before"][0]["value"], "a");
        assert_eq!(result.parts["top_before"][0]["before"], 0.5);
        assert_eq!(result.parts["top_before"][0]["after"], 2.0 / 3.0);
        assert!(result.parts["top_before"][2]["value"].is_null());
        assert!(!result.parts.to_string().contains("secret"));
    }
}
