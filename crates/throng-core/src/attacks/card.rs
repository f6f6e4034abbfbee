//! The card of an attack: everything that others must know of it, so that nobody knows it by its name.

use crate::info::{Info, Need};

/// The card of an attack. What most attacks have in common is in [`Self::DEFAULT`].
#[derive(Debug, Clone, Copy)]
pub struct AttackInfo {
    /// Name, summary and the rest.
    pub info: Info,
    /// What the attacker does or knows, for people: "knows one search" where they know one thing, "knows {} searches" where they know
    /// `{}` of them. An attacker whose knowledge has no number has one phrase twice.
    pub who: [&'static str; 2],
    /// What it cannot do without, in the order in which it is missed.
    pub needs: &'static [Need],
    /// What may be known beside each fact, as `--with` spells it.
    pub with: &'static [&'static str],
    /// Whether `--knowledge FILE` can say what is known.
    pub takes_given: bool,
    /// Whether it knows ratings, by so much off as `--noise` says.
    pub takes_noise: bool,
    /// Whether it runs only if it is asked for by name.
    pub on_request: bool,
    /// Whether ORIGINAL is not what the release was made from, but other lines of the same persons: then nobody compares its hash
    /// with the key's.
    pub takes_other_lines: bool,
    /// Whether `protect` runs it, and its report shows it.
    pub in_reports: bool,
    /// Whether `inspect` and `audit` play it against a file itself, to show how exposed people are in it.
    pub is_exposure: bool,
    /// Whether `audit` does, and `inspect` does not: it takes a moment.
    pub in_audit: bool,
    /// Why it promises nothing to compare the rate with, where no model of ours does; said in reports. Empty for the others.
    pub no_promise: &'static str,
}

impl AttackInfo {
    /// An attack that needs the link and nothing else.
    pub const DEFAULT: Self = Self {
        info: Info { name: "", summary: "", paper: "", details: "", parameters: &[] },
        who: ["", ""],
        needs: &[Need::Link],
        with: &[],
        takes_given: false,
        takes_noise: false,
        on_request: false,
        takes_other_lines: false,
        in_reports: false,
        is_exposure: false,
        in_audit: false,
        no_promise: "",
    };
}
