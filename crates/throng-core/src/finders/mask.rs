//! Taking what was found out of a text, so that nothing of its sort is found in what is left.
//!
//! # Idea
//! In words, the hit leaves the text and one blank stands in its place. In a URL the hit becomes `*`. What is left is looked at again,
//! for what stood apart may now stand together, until nothing is found that must go. Every round makes the text shorter, so there
//! is a last one.

use super::{Finders, Hit, Scratch};
use crate::text::written_words;

/// What a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Words, in any order that people like.
    Words,
    /// The address of a page, whose parts have places.
    Url,
    /// The path of a page: what is left of one is a pattern of paths.
    Path,
}

/// What became of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Masked {
    /// What is left; nothing if no word is.
    pub text: Option<String>,
    /// The finders whose hits were taken out, a bit each.
    pub finders: u16,
}

impl Finders {
    /// Takes all hits out of a text that must go. Nothing if none must.
    pub fn mask(
        &self,
        text: &str,
        form: Form,
        must_go: impl Fn(&Hit, &str) -> bool,
        scratch: &mut Scratch,
    ) -> Option<Masked> {
        let (mut hits, mut finders, mut left) = (Vec::new(), 0, None::<String>);
        loop {
            let seen = left.as_deref().unwrap_or(text);
            self.find(seen, scratch, &mut hits);
            hits.retain(|hit| must_go(hit, seen));
            if hits.is_empty() {
                break;
            }
            finders |= hits.iter().fold(0, |bits, hit| bits | 1 << hit.finder);
            left = Some(without(seen, form, &hits));
        }
        let left = left?;
        let is_left = form != Form::Words || written_words(&left).next().is_some();
        Some(Masked { text: is_left.then_some(left), finders })
    }
}

fn without(text: &str, form: Form, hits: &[Hit]) -> String {
    let (mut left, mut from) = (String::with_capacity(text.len()), 0);
    for hit in hits {
        push(&mut left, &text[from..hit.start], form);
        if form != Form::Words {
            left.push('*');
        }
        from = hit.end;
    }
    push(&mut left, &text[from..], form);
    if form == Form::Words {
        left.truncate(left.trim_end().len());
    }
    left
}

/// Adds what stands between two hits: in words with one blank before it.
fn push(left: &mut String, part: &str, form: Form) {
    if form != Form::Words {
        left.push_str(part);
        return;
    }
    let part = if left.is_empty() { part } else { part.trim_start() };
    if part.trim().is_empty() {
        return;
    }
    if !left.is_empty() {
        left.truncate(left.trim_end().len());
        left.push(' ');
        left.push_str(part);
    } else {
        left.push_str(part.trim_start());
    }
}
