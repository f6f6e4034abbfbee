//! Morphy: WordNet's own way from a noun as it is written to its base form.
//!
//! Paper      morphy(7WN) of WordNet 3.0; `morph.c` decides where the page is silent.
//!
//! # Idea
//! 1. A word of the exception list (`noun.exc`) has the bases that stand there: geese, goose.
//! 2. Else an ending is detached, in this order: s; ses, s; xes, x; zes, z; ches, ch; shes, sh; men, man; ies, y. The first
//!    result that WordNet has is the base: boxes, box. Words that end in ss or have at most two letters keep their ending;
//!    from words that end in ful it is taken off before and put back after: boxesful, boxful.
//! 3. Else each part between `_` and `-` is taken to its base in the same way: attorneys_at_law, attorney_at_law.
//!
//! What WordNet does not have is no base form. The word itself is none either.

use super::{WordNet, normal};

const ENDINGS: [(&str, &str); 8] =
    [("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("men", "man"), ("ies", "y")];

impl WordNet {
    /// The base forms of a word that WordNet has, the best first.
    pub fn base_forms(&self, word: &str) -> Vec<String> {
        let word = normal(word);
        let mut forms: Vec<String> = self.exceptions_of(&word).map(str::to_owned).collect();
        if forms.is_empty() {
            forms = self.detached(&word).or_else(|| self.by_parts(&word)).into_iter().collect();
        }
        forms.retain(|form| *form != word && !self.senses(form).is_empty());
        forms
    }

    /// The first base of a word of the exception list.
    pub fn irregular_base(&self, word: &str) -> Option<&str> {
        self.exceptions_of(word).next()
    }

    fn exceptions_of(&self, word: &str) -> impl Iterator<Item = &str> {
        let bases = self.exceptions.find(word).map_or(&[][..], |form| self.exception_bases.get(form));
        bases.iter().map(|&base| self.bases.get(base))
    }

    /// The base of a single word: an exception, or what is left without an ending.
    fn base(&self, word: &str) -> Option<String> {
        let exception = self.exceptions_of(word).next().map(str::to_owned);
        exception.or_else(|| self.detached(word))
    }

    fn detached(&self, word: &str) -> Option<String> {
        let (stem, after) = word.strip_suffix("ful").map_or((word, ""), |stem| (stem, "ful"));
        if after.is_empty() && (word.ends_with("ss") || word.len() <= 2) {
            return None;
        }
        ENDINGS.iter().find_map(|(ending, instead)| {
            let base = format!("{}{instead}", stem.strip_suffix(ending)?);
            (!base.is_empty() && !self.senses(&base).is_empty()).then(|| base + after)
        })
    }

    fn by_parts(&self, word: &str) -> Option<String> {
        if !word.contains(['_', '-']) {
            return None;
        }
        let parts = word.split_inclusive(['_', '-']).map(|part| {
            let bare = part.trim_end_matches(['_', '-']);
            let base = self.base(bare).unwrap_or_else(|| bare.to_owned());
            base + &part[bare.len()..]
        });
        Some(parts.collect())
    }
}
