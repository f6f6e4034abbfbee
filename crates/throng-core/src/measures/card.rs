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
    /// Attacks that a comparison draws it against, the price of what a release keeps; and measures, where one is had for the other.
    pub against: &'static [&'static str],
    /// The part with classes and their shares before and after, of which a comparison says how they move over k. Empty for most.
    pub trend: &'static str,
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
        against: &[],
        trend: "",
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
    /// How much is lost. Of several that were measured the mean counts, each in per cent of everything.
    Loss(Lost),
}

/// Where a measure says how much is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lost {
    /// Its headline in per cent, of the persons of the release: who is left out has lost everything beside.
    PercentOfReleased,
    /// Its headline in per cent, of all persons.
    Percent,
    /// Its headline as a share of 1, of all persons.
    Share,
    /// One of its parts as a share of 1, of all persons.
    Part(&'static str),
    /// Its headline as the share of 1 that is kept, of all persons.
    Kept,
}

impl Lost {
    /// The loss in per cent of everything, by a headline and its parts; a share of the persons is left out. `None` where there is no such
    /// number.
    pub fn percent(self, headline: Option<f64>, part: impl Fn(&str) -> Option<f64>, left_out: f64) -> Option<f64> {
        // More than everything cannot be lost, whatever a measure says of what was put in its place.
        let percent = match self {
            Self::PercentOfReleased => headline?.clamp(0.0, 100.0) * (1.0 - left_out) + 100.0 * left_out,
            Self::Percent => headline?,
            Self::Share => 100.0 * headline?,
            Self::Part(name) => 100.0 * part(name)?,
            Self::Kept => 100.0 * (1.0 - headline?),
        };
        Some(percent.clamp(0.0, 100.0))
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_in_per_cent_of_everything() {
        let part = |name: &str| (name == "share").then_some(0.4);
        let lost = |lost: Lost, headline: f64, left_out: f64| lost.percent(Some(headline), part, left_out).unwrap();
        assert_eq!(lost(Lost::PercentOfReleased, 50.0, 0.0), 50.0);
        // Half of a quarter is kept.
        assert_eq!(lost(Lost::PercentOfReleased, 50.0, 0.75), 87.5);
        assert_eq!(lost(Lost::PercentOfReleased, 130.0, 0.5), 100.0);
        assert_eq!(lost(Lost::Percent, 50.0, 0.75), 50.0);
        assert_eq!(lost(Lost::Share, 0.25, 0.75), 25.0);
        assert_eq!(lost(Lost::Kept, 0.25, 0.75), 75.0);
        assert_eq!(lost(Lost::Part("share"), 7.0, 0.0), 40.0);
        assert_eq!(Lost::Part("other").percent(Some(7.0), part, 0.0), None);
        assert_eq!(Lost::Share.percent(None, part, 0.0), None);
    }
}
