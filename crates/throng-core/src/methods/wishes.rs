//! What persons ask for themselves, as methods that form groups heed it: read with the data, checked, and claimed.

use serde_json::json;

use super::refusals::{Noun, check_enough};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::info::Info;
use crate::models::personal_k_anonymity::{self, K_COLUMN};
use crate::partition::grouping::Least;
use crate::release::Claim;

/// What each person asks for; nothing where nobody was asked. Data that come without it, although it is to be heeded, are refused.
pub(crate) fn wishes_of<'a>(data: &'a impl Dataset, column: Option<&str>) -> Result<&'a [u32]> {
    match (column, data.wishes()) {
        (None, _) => Ok(&[]),
        (Some(_), Some(wishes)) => Ok(wishes),
        (Some(_), None) => Err(Error::refused("what persons ask for was to be heeded, and was not read").with_hint(
            "`throng protect --k-column NAME` reads it; as a library call `log.with_wishes(…)` before the method; `compare` has the \
             same k for everybody",
        )),
    }
}

/// Refuses fewer persons than somebody asks to be among.
pub(crate) fn check_wishes(persons: usize, least: Least<'_>, noun: Noun) -> Result<()> {
    check_enough(persons, least.k, noun)?;
    if persons >= least.greatest() {
        return Ok(());
    }
    Err(Error::data(format!(
        "somebody asks to be one of more persons than there are to be grouped, which are {persons}"
    ))
    .with_value(least.greatest().to_string())
    .with_hint("nobody can be one of so many here: take a smaller number for them, or data of more persons"))
}

/// What is claimed of groups: k-anonymity, and, where persons were asked, that everybody got what they asked for.
pub(crate) fn claims(natural: &Info, k: usize, column: Option<&str>) -> Vec<Claim> {
    let personal =
        column.map(|column| Claim::new(&personal_k_anonymity::INFO, [("k", json!(k)), (K_COLUMN.name, json!(column))]));
    [Claim::new(natural, [("k", json!(k))])].into_iter().chain(personal).collect()
}
