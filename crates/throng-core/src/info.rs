//! What an item of the catalogue says of itself, once: command line, `list`, `explain`, docs and tests read it.

/// The card of a method, model, measure, attack or distance.
#[derive(Debug, Clone, Copy)]
pub struct Info {
    /// Lower case with dashes; the file is the same word with underscores.
    pub name: &'static str,
    /// One line without a full stop.
    pub summary: &'static str,
    /// Where it comes from.
    pub paper: &'static str,
    /// The idea, the formula, the cost, and what it does not do: the text of `throng explain`.
    pub details: &'static str,
    /// What it can be told.
    pub parameters: &'static [Parameter],
}

/// What a measure or an attack cannot do without, beside the persons of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// Who became whom.
    Link,
    /// Items that are nodes of a taxonomy.
    Taxonomy,
    /// What strings mean.
    Meaning,
    /// Classes that records belong to.
    Classes,
    /// Another release of the same persons, and who is in which group of both.
    OtherRelease,
    /// Persons who are not in the release.
    Control,
    /// Other data of the same kind.
    Reference,
    /// A release whose words are hashed.
    HashedWords,
    /// By how much numbers and values were disturbed.
    Noise,
    /// A column to predict.
    Target,
}

impl Need {
    /// What is missing and how to give it, in words.
    pub fn reason(self) -> &'static str {
        match self {
            Need::Link => "needs the link between persons: give `--key FILE`, or a release that kept its ids",
            Need::Taxonomy => "needs the taxonomy of the items: give `--taxonomy wordnet` or `--taxonomy FILE`",
            Need::Meaning => "needs to know what items mean: give `--taxonomy wordnet` or `--taxonomy FILE`",
            Need::Classes => {
                "needs labels: put documents into a sub-folder for each, or name a column: `--column label=…`"
            }
            Need::OtherRelease => {
                "needs a second release of the same persons: give `--other RELEASE --other-key FILE`, and `--key FILE`"
            }
            Need::Control => {
                "needs persons who are not in the release: give `--control FILE`, or protect with `--held-out-persons`"
            }
            Need::HashedWords => "needs a release whose words are hashed, as `token-hashing` makes it",
            Need::Noise => "needs to know how noise was added: give `--noise-file FILE`, which `protect` wrote",
            Need::Target => "needs a column to predict: give `--target COLUMN`",
            Need::Reference => "needs other data of the same kind: give `--reference FILE`",
        }
    }
}

/// A parameter of a method or model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parameter {
    /// Its name on the command line, without dashes in front.
    pub name: &'static str,
    /// One line on what it does.
    pub summary: &'static str,
    /// What values it takes.
    pub kind: ParameterKind,
    /// The value when none is given, as one would type it.
    pub default: &'static str,
}

/// What values a parameter takes.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum ParameterKind {
    /// A whole number.
    Count,
    /// A fraction in (0, 1].
    Share,
    /// A number, 0 or greater.
    Weight,
    /// Yes or no: `true` or `false`, or the bare flag.
    Switch,
    /// One of some words.
    Choice(&'static [&'static str]),
    /// A span of time: `1s`, `15m`, `1h`, `1d`.
    Duration,
    /// Any text, the name of a column for example; without a default of its own.
    Text,
}

/// The parameter k, shared by every method and model that hides people in a crowd.
pub const K: Parameter = Parameter {
    name: "k",
    summary: "how many persons look the same, at least",
    kind: ParameterKind::Count,
    default: "5",
};

/// The parameter m, shared by everything about k^m-anonymity.
pub const M: Parameter = Parameter {
    name: "m",
    summary: "how many items of a person an attacker knows, at most",
    kind: ParameterKind::Count,
    default: "2",
};

/// The parameter h, shared by everything about coherence.
pub const H: Parameter = Parameter {
    name: "h",
    summary: "how sure of a sensitive item an attacker may become, at most",
    kind: ParameterKind::Share,
    default: "0.8",
};

/// The parameter p, shared by everything about sensitive items: the power of an attacker, or the degree of privacy.
pub const P: Parameter = Parameter {
    name: "p",
    summary: "coherence: how many items of a person an attacker knows, at most; privacy degree: one person in p, at most, \
              has a given sensitive item",
    kind: ParameterKind::Count,
    default: "2",
};

/// The parameter rho, shared by everything about rho-uncertainty.
pub const RHO: Parameter = Parameter {
    name: "rho",
    summary: "the confidence of a rule that leads to a sensitive item, at most",
    kind: ParameterKind::Share,
    default: "0.5",
};
