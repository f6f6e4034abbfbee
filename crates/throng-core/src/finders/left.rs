//! What a release still shows of what finders know: counted on the release, by code that takes nothing from masking.
//!
//! Paper      Ours.
//!
//! # Idea
//! Every text of the release is looked at plainly, by every finder; what it says is compared with the hits of the original, as sets of
//! words: a text shows a hit if it has all words of the hit, and no word that the hit's own text has not (`traces.rs` says why).
//!
//! # Cost
//! Every text of the original once; for each text of the release the hits whose rarest word it has. Memory about 150 bytes a hit.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use super::traces::words_of;
use super::{COUNT, Finders, Hit, Scratch};
use crate::data::content::{Content, Field};
use crate::data::queries::MISSING;
use crate::finders::mask::Form;
use crate::text::normal::normal_words;

/// What is left in a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Left {
    /// For each finder how many rows have a hit, or show one of the original.
    pub rows: [u64; COUNT],
    /// For each finder how many rows have one that must not be there.
    pub must_go: [u64; COUNT],
}

/// A hit of the original: its words, and the text that it is in.
struct Known<'a> {
    hit: Vec<String>,
    text: &'a str,
    finder: usize,
    goes: bool,
}

/// Counts what is left in a release. Beside an original, words that have lost their marks are known, too.
pub fn left<D: Content>(
    release: &D,
    original: Option<&D>,
    finders: &Finders,
    must_go: impl Fn(&Hit, &str) -> bool + Sync,
) -> Left {
    let fields_before = original.map(Content::fields).unwrap_or_default();
    let known = known_hits(&fields_before, finders, &must_go);
    let by_word = by_rarest_word(&known);
    let of_text = |text: &str, is_words: bool| {
        let (mut rows, mut goes) = (0u16, 0u16);
        for hit in finders.find_plainly(text) {
            rows |= 1 << hit.finder;
            goes |= u16::from(must_go(&hit, text)) << hit.finder;
        }
        let words: BTreeSet<String> =
            if is_words && !known.is_empty() { normal_words(text).into_iter().collect() } else { BTreeSet::new() };
        for known in words.iter().filter_map(|word| by_word.get(word.as_str())).flatten() {
            let is_inside = || words.is_subset(&normal_words(known.text).into_iter().collect());
            if known.hit.iter().all(|word| words.contains(word)) && is_inside() {
                rows |= 1 << known.finder;
                goes |= u16::from(known.goes) << known.finder;
            }
        }
        (rows, goes)
    };
    let opened = release.opened_texts();
    let fields: Vec<Vec<(u16, u16)>> = (release.fields().iter().enumerate())
        .map(|(at, Field { form, texts, .. })| {
            let said = |text: u32| opened.get(text as usize).filter(|_| at == 0).and_then(Option::as_deref);
            let number = |text: u32| of_text(said(text).unwrap_or(texts.get(text)), *form == Form::Words);
            (0..texts.len() as u32).map(number).collect()
        })
        .collect();
    let mut left = Left::default();
    for person in 0..release.persons() {
        for row in release.texts_of_rows(person) {
            let texts = fields.iter().zip(row.as_ref()).filter(|(_, text)| **text != MISSING);
            let bits = texts
                .map(|(field, &text)| field[text as usize])
                .fold((0, 0), |all, own| (all.0 | own.0, all.1 | own.1));
            for finder in 0..COUNT {
                left.rows[finder] += u64::from(bits.0 >> finder & 1);
                left.must_go[finder] += u64::from(bits.1 >> finder & 1);
            }
        }
    }
    left
}

fn known_hits<'a>(
    fields: &[Field<'a>],
    finders: &Finders,
    must_go: &(impl Fn(&Hit, &str) -> bool + Sync),
) -> Vec<Known<'a>> {
    let of_text = |(scratch, hits): &mut (Scratch, Vec<Hit>), text: &'a str| -> Vec<Known<'a>> {
        finders.find(text, scratch, hits);
        let known = |hit: &Hit| Known { hit: words_of(hit, text), text, finder: hit.finder, goes: must_go(hit, text) };
        hits.iter().map(known).collect()
    };
    let of_field = |field: &Field<'a>| -> Vec<Known<'a>> {
        let texts = field.texts;
        (0..texts.len() as u32)
            .into_par_iter()
            .map_init(Default::default, |buffers, text| of_text(buffers, texts.get(text)))
            .flatten_iter()
            .collect()
    };
    fields.iter().filter(|field| field.form == Form::Words).flat_map(of_field).collect()
}

/// Hits by the one of their words that fewest of them have.
fn by_rarest_word<'a, 'b>(known: &'b [Known<'a>]) -> BTreeMap<&'b str, Vec<&'b Known<'a>>> {
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    known.iter().flat_map(|known| &known.hit).for_each(|word| *count.entry(word).or_default() += 1);
    let mut by_word: BTreeMap<&str, Vec<&Known<'a>>> = BTreeMap::new();
    for known in known {
        if let Some(word) = known.hit.iter().min_by_key(|word| count[word.as_str()]) {
            by_word.entry(word).or_default().push(known);
        }
    }
    by_word
}
