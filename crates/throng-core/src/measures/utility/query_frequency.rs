//! Query frequency: whether the most popular queries stay the most popular.
//!
//! Paper      001 (Navarro-Arribas et al. 2012), section 4.5.
//!
//! # Formula
//! The frequency of a query string is its share of all lines. The headline is how many of the ten most popular strings of
//! the original are among the ten most popular of the release; `rank_correlation` is Spearman's over both tens.
//!
//! # Readings
//! Ours: where all strings of the release are in normal form, and no two have the same words, words are what was published. Then
//! strings of the original with the same words in normal form are one query, however they were written, and the same as that of the
//! release; they are shown as the release has them, else in normal form.
//!
//! # Cost
//! Time and memory O(distinct strings).

use std::slice;

use rayon::prelude::*;

use super::super::{Context, Drawn, Measure, MeasureInfo, Measured, Memory, Pair};
use super::frequency::compare_lines;
use crate::data::{Interner, Line, QueryLog, Strings};
use crate::error::Result;
use crate::info::Info;
use crate::text::normal::normal_words;

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "query-frequency",
        summary: "how many of the ten most popular queries stay among the ten most popular",
        paper: "Navarro-Arribas, Torra, Erola, Castellà-Roca. User k-anonymity for privacy preserving data mining of \
                query logs. Information Processing and Management 48 (2012), section 4.5",
        details: "A query's frequency is its share of all lines. Where a release is in normal form (`text` of its certificate), queries of \
            the original with the same words, in any order and case, are one. Parts: the ten most popular before and after with their \
            frequencies, Spearman's rank correlation over both tens, and whether queries were compared in `normal_form`. A query that fewer than k persons of the original \
            issued is not shown.",
        parameters: &[],
    },
    unit: "of 10",
    better: "higher",
    says: "Of the most frequent searches, {} are still among the most frequent.",
    undefined: "the original has no queries",
    memory: Memory::Strings { original: 80, release: 20, hashed: true },
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
        if let Some((own, released, texts)) = in_normal_form(pair.original, pair.release) {
            let numbers = Numbers { own, released, values: texts.len(), text: |value: u32| texts.get(value) };
            return Ok(self.compared(pair, &numbers, true, context));
        }
        let (queries, new) = (pair.original.queries(), pair.release.queries());
        // Strings that only the release has come after those of the original.
        let own: Vec<u32> = (0..queries.len() as u32).collect();
        let number = |(at, known): (u32, Option<u32>)| known.unwrap_or(queries.len() as u32 + at);
        let released: Vec<u32> = (0..).zip(new.ids_in(queries)).map(number).collect();
        let text = |value: u32| match value.checked_sub(queries.len() as u32) {
            None => queries.get(value),
            Some(own) => new.get(own),
        };
        let numbers = Numbers { own, released, values: queries.len() + new.len(), text };
        Ok(self.compared(pair, &numbers, false, context))
    }
}

impl QueryFrequency {
    fn compared<'t>(
        self,
        pair: &Pair<'_, QueryLog>,
        numbers: &Numbers<impl Fn(u32) -> &'t str>,
        in_normal_form: bool,
        context: &Context<'_>,
    ) -> Measured {
        let Numbers { own, released, values, text } = numbers;
        let before = |line: &Line| slice::from_ref(&own[line.query as usize]);
        let after = |line: &Line| slice::from_ref(&released[line.query as usize]);
        let mut tops = compare_lines(pair, *values, text, before, after, context);
        tops.parts["normal_form"] = in_normal_form.into();
        tops.measured(&self)
    }
}

/// The query strings of an original and its release, numbered together.
struct Numbers<T> {
    /// The number of each string of the original.
    own: Vec<u32>,
    /// The same of the release.
    released: Vec<u32>,
    /// How many numbers there are.
    values: usize,
    /// The string of a number.
    text: T,
}

/// The query strings of an original and its release by their words: their numbers, and the text of each number. `None` if the
/// release is not in normal form.
fn in_normal_form(original: &QueryLog, release: &QueryLog) -> Option<(Vec<u32>, Vec<u32>, Strings)> {
    let mut is_published = vec![false; release.queries().len()];
    for line in (0..release.persons()).flat_map(|person| release.lines(person)) {
        is_published[line.query as usize] = true;
    }
    let (mut sets, mut texts) = (Interner::new(), Strings::new());
    let mut released = Vec::with_capacity(is_published.len());
    for (text, &is_published) in release.queries().iter().zip(&is_published) {
        if !is_published {
            released.push(0);
            continue;
        }
        let words = normal_words(text);
        let number = sets.intern(&sorted(&words));
        if (number as usize) < texts.len() || words.join(" ") != text {
            return None;
        }
        released.push(texts.push(text));
    }
    let mut own = Vec::with_capacity(original.queries().len());
    for from in (0..original.queries().len() as u32).step_by(AT_ONCE as usize) {
        let to = (original.queries().len() as u32).min(from + AT_ONCE);
        let normal = |query: u32| {
            let words = normal_words(original.queries().get(query));
            let set = sorted(&words);
            (Interner::hash(&set), set, words.join(" "))
        };
        let some: Vec<(u64, String, String)> = (from..to).into_par_iter().map(normal).collect();
        own.extend(some.into_iter().map(|(hash, set, text)| {
            let number = sets.intern_hashed(&set, hash);
            if number as usize == texts.len() {
                texts.push(&text);
            }
            number
        }));
    }
    Some((own, released, texts))
}

/// How many strings are brought to normal form before they are numbered.
const AT_ONCE: u32 = 1 << 16;

/// Some words as one string, in an order that does not depend on who wrote them.
fn sorted(words: &[String]) -> String {
    let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
    words.sort_unstable();
    words.join(" ")
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

    #[test]
    fn a_release_in_normal_form_is_compared_in_normal_form() {
        let original = log(&[&["Cheap Flights!", "rome"], &["flights  cheap", "Rome"], &["cheap flights", "oslo"]]);
        let result = measure(&QueryFrequency, &original, &log(&[&["cheap flights", "rome"], &["cheap flights"]]));
        assert_eq!((result.value, result.unit), (Some(2.0), "of 3"));
        let top = &result.parts["top_before"][0];
        assert_eq!(
            (&top["value"], &top["before"], &top["after"]),
            (&"cheap flights".into(), &0.5.into(), &(2.0 / 3.0).into())
        );
        assert_eq!(result.parts["normal_form"], true);
        // Two orders of the same words: this one was not written in normal form, and is compared as it is.
        let result = measure(&QueryFrequency, &original, &log(&[&["cheap flights"], &["flights cheap"]]));
        assert_eq!((result.value, result.unit), (Some(1.0), "of 6"));
        assert_eq!(result.parts["normal_form"], false);
    }
}
