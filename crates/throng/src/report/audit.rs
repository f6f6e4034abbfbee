//! The page of `throng audit`: the same sentences and numbers as on a terminal, in one file that needs nothing else.
//!
//! It is made to be shown around, and names nobody: no value of the data is in it, and no witness. Its counts are exact, also
//! below k: they are about a file that whoever made the page has, and the page says so.

use serde::Serialize;
use throng_core::Result;

use super::chart::shortened;
use super::page::{STYLE, render};
use crate::run::{Audit, ModelOutcome, SingledOut};
use crate::words::percent;

const TEMPLATE: &str = include_str!("audit.html");
/// How many letters of a name or a sentence there is room for.
const LONGEST: usize = 600;

/// What the template shows.
#[derive(Debug, Serialize)]
struct Page {
    style: &'static str,
    holds: bool,
    k: usize,
    file: String,
    what: String,
    who: String,
    answer: String,
    about_crowds: String,
    crowds: Vec<Crowd>,
    about_facts: String,
    facts: Vec<Known>,
    sampled: Option<String>,
    models: Vec<Model>,
    certificate: Option<String>,
    advice: Vec<String>,
    notes: Vec<String>,
}

/// A row of the picture of crowds.
#[derive(Debug, Serialize)]
struct Crowd {
    size: String,
    persons: String,
    share: String,
    /// How long its bar is, in hundredths of the room there is.
    width: f64,
    /// Whether it is smaller than k, at least in part.
    is_small: bool,
}

/// A sort of facts: the shares of those who are alone, and of those who are left among fewer than k.
#[derive(Debug, Serialize)]
struct Known {
    facts: &'static str,
    means: &'static str,
    shares: Vec<[String; 2]>,
}

#[derive(Debug, Serialize)]
struct Model {
    name: String,
    verdict: &'static str,
    found: String,
}

/// An audit as a page.
pub fn audit_page(audit: &Audit) -> Result<String> {
    let text = |text: String| shortened(&text, LONGEST);
    let sentence = |sentence: String| {
        let mut letters = sentence.chars();
        let first = letters.next().into_iter().flat_map(char::to_uppercase);
        text(first.chain(letters).collect())
    };
    let small = audit.crowds.iter().flatten().filter(|range| range.persons > 0).map(|range| range.from < audit.k);
    let crowd = |((size, persons, share), is_small): ((String, String, f64), bool)| Crowd {
        size,
        persons,
        share: percent(share),
        width: (1000.0 * share).ceil() / 10.0,
        is_small,
    };
    render(
        TEMPLATE,
        &Page {
            style: STYLE,
            holds: audit.holds(),
            k: audit.k,
            file: text(audit.file.clone()),
            what: text(audit.what_it_is()),
            who: text(audit.who_they_are()),
            answer: text(audit.answer()),
            about_crowds: sentence(audit.about_crowds()),
            crowds: audit.crowd_rows().into_iter().zip(small).map(crowd).collect(),
            about_facts: sentence(audit.about_facts()),
            facts: audit.singled_out.iter().map(Known::of).collect(),
            sampled: audit.sampled(),
            models: audit.models.iter().map(Model::of).collect(),
            certificate: audit.certificate_in_words().map(text),
            // The folder that a file lies in is nobody's business.
            advice: audit.advice(&audit.names).into_iter().map(sentence).collect(),
            notes: audit.notes.iter().cloned().map(sentence).collect(),
        },
    )
}

impl Known {
    fn of(found: &SingledOut) -> Self {
        let shares = found.alone.values().zip(found.below_k.values());
        let shares = shares.map(|(&alone, &below)| [percent(alone), percent(below)]).collect();
        Self { facts: found.facts, means: found.known, shares }
    }
}

impl Model {
    fn of(model: &ModelOutcome) -> Self {
        Self { name: model.claim.name(), verdict: model.claim.verdict, found: model.found() }
    }
}
