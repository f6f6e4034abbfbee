//! What methods refuse, each in one wording: a k that hides nobody, too few to make a group of, and words that mean nothing.

use crate::error::{Error, Result};

/// What the members of a group are called.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Noun {
    one: &'static str,
    many: &'static str,
}

/// Persons.
pub(crate) const PERSONS: Noun = Noun { one: "person", many: "persons" };
/// Documents.
pub(crate) const DOCUMENTS: Noun = Noun { one: "document", many: "documents" };

/// What is wrong with k, if something is.
pub(crate) fn check_k(k: usize) -> Option<Error> {
    (k < 2).then(|| {
        Error::parameter("k", format!("is {k}, but must be at least 2"))
            .with_hint("k = 1 leaves everybody as they are; `throng inspect` shows how exposed that is")
    })
}

/// Refuses fewer members than a group needs.
pub(crate) fn check_enough(count: usize, k: usize, noun: Noun) -> Result<()> {
    if count >= k {
        return Ok(());
    }
    let there = if count == 1 { format!("is 1 {}", noun.one) } else { format!("are {count} {}", noun.many) };
    Err(Error::data(format!("there {there}, fewer than k = {k}"))
        .with_hint(format!("choose a smaller k, or data of more {}", noun.many)))
}

/// Refuses fewer members than a group needs, of those that have something that a method goes by.
pub(crate) fn check_having(having: usize, all: usize, what: &str, k: usize, noun: Noun) -> Result<()> {
    check_enough(all, k, noun)?;
    if having >= k {
        return Ok(());
    }
    let have = if having == 1 { "has" } else { "have" };
    Err(Error::data(format!("of {all} {} only {having} {have} {what}, fewer than k = {k}", noun.many))
        .with_hint(format!("choose a smaller k, or data of more {}", noun.many)))
}

/// A taxonomy that has no word of so many persons.
pub(crate) fn nothing_known(persons: usize) -> Error {
    Error::data(format!("the taxonomy has none of the words of the {persons} persons")).with_hint(
        "is it for other data, or another language? `--taxonomy` gives one, `--unknown own-leaf` makes every word a concept; \
         `throng inspect FILE --concepts` shows what was found",
    )
}
