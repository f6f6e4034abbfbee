//! The card of a measure: everything that others must know of it, so that nobody knows it by its name.
//!
//! What it needs decides whether it can run, what it holds whether it fits into memory; its headline and its picture decide
//! what a comparison recommends and draws.

use crate::info::{Info, Need};

/// The card of a measure. What most measures have in common is in [`Self::DEFAULT`].
#[derive(Debug, Clone, Copy)]
pub struct MeasureInfo {
    /// Name, summary and the rest.
    pub info: Info,
    /// The unit of its headline.
    pub unit: &'static str,
    /// Which direction is better for the custodian: `lower` or `higher`.
    pub better: &'static str,
    /// What its headline says of what a release keeps, in a sentence for people who know no measures: `{}` stands for the number with
    /// its unit, `{%}` for a share as a percentage. Empty for a measure that is for those who know it.
    pub says: &'static str,
    /// Why its headline is not defined, on data on which it is not.
    pub undefined: &'static str,
    /// What it cannot do without, in the order in which it is missed.
    pub needs: &'static [Need],
    /// Whether it takes long: `protect` then runs it only on request.
    pub costly: bool,
    /// Whether it runs only if it is asked for: it judges lines that the release was not made from, and nobody but who asks
    /// knows whether these are such.
    pub on_request: bool,
    /// Whether it says something of a release that is judged by days that its method has not seen. The others compare a release
    /// with what it was made from.
    pub judges_held_out: bool,
    /// Whether it says of each person what they keep, so that two releases can be compared person by person.
    pub by_person: bool,
    /// What it holds in memory while it runs.
    pub memory: Memory,
    /// What its number says of a release as a whole, if it is one to choose by.
    pub headline: Option<Headline>,
    /// What a comparison draws of it.
    pub drawn: Drawn,
}

impl MeasureInfo {
    /// A measure that needs and holds nothing, runs whenever it can, and is drawn as a line.
    pub const DEFAULT: Self = Self {
        info: Info { name: "", summary: "", paper: "", details: "", parameters: &[] },
        unit: "",
        better: "lower",
        says: "",
        undefined: "there is nothing to compare",
        needs: &[],
        costly: false,
        on_request: false,
        judges_held_out: false,
        by_person: false,
        memory: Memory::Little,
        headline: None,
        drawn: Drawn::Headline,
    };
}

/// What a measure holds in memory while it runs, beside the original and the release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Memory {
    /// Nothing to speak of.
    Little,
    /// Something for each different string.
    Strings {
        /// Bytes for a string of the original.
        original: u32,
        /// Bytes for a string of the release.
        release: u32,
        /// Whether the strings of the release are hashed beside.
        hashed: bool,
    },
    /// The persons of a sample who are compared with their records, by distance or by meaning.
    Sample,
    /// What all strings of the original and of the release mean.
    Meaning,
}

/// What the number of a measure says of a release as a whole.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Headline {
    /// How much an attacker learns, in per cent.
    Risk {
        /// What is measured, in words.
        word: &'static str,
    },
    /// How much is lost.
    Loss {
        /// Of several that were measured the lowest rank counts.
        rank: u8,
    },
}

/// What a comparison draws of a measure, over k.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Drawn {
    /// Its headline.
    Headline,
    /// Its part `share`, in per cent of the worst case: the headline grows with the data.
    Share,
    /// Its headline, and beside it the means of some parts.
    WithParts(&'static [&'static str]),
    /// Its headline, and beside it how frequent the most frequent values are.
    Tops,
    /// Its headline, and beside it the agreement by the number of clusters.
    Clusters,
}
