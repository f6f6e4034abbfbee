//! What somebody said of a table and its columns beside their roles: what missing values are, what a column weighs, how it is
//! generalised, how its values are ordered.

use serde::{Deserialize, Serialize};

/// What a missing value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Missing {
    /// A value like others.
    #[default]
    Own,
    /// It may be anything: models are checked in their worst case.
    Wild,
}

impl Missing {
    /// Both, by their names.
    pub const NAMES: [&'static str; 2] = ["own", "wild"];

    /// The name.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// The one with this name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Own, Self::Wild].into_iter().find(|missing| missing.name() == name)
    }
}

/// How far the values of a sensitive column are apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ValueDistance {
    /// All alike.
    #[default]
    Equal,
    /// By their places in an order.
    Ordered,
    /// By the level on which they meet.
    Hierarchy,
}

impl ValueDistance {
    /// All, by their names.
    pub const NAMES: [&'static str; 3] = ["equal", "ordered", "hierarchy"];

    /// The name.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// The one with this name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Equal, Self::Ordered, Self::Hierarchy].into_iter().find(|distance| distance.name() == name)
    }
}

/// What was said of a table as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TableSettings {
    /// What a missing value is.
    pub missing: Missing,
    /// Whether rows that a method would leave out are published with `*` in every quasi cell, where they satisfy all models as a
    /// class.
    pub keeps_suppressed: bool,
}

/// How the numbers of a column lie in all rows of a table, of which others are a part.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Whole {
    /// Their mean.
    pub mean: f64,
    /// Their sample deviation (n - 1).
    pub deviation: f64,
    /// The least.
    pub low: f64,
    /// The greatest.
    pub high: f64,
}

/// What was said of a column.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnSettings {
    /// What it counts in distances, losses and distortion; models do not heed it.
    pub weight: f64,
    /// The lowest and the highest level that whole columns may be generalised to.
    pub levels: Option<(usize, usize)>,
    /// Whether numbers or days become intervals although there is a hierarchy.
    pub intervals: bool,
    /// How far its values are apart, where a model asks.
    pub distance: Option<ValueDistance>,
    /// Its values in their order, where a model asks; those that are not named come after them.
    pub order: Vec<String>,
    /// Texts that stand for a missing value, beside the empty one.
    pub missing: Vec<String>,
    /// How its numbers lie in the whole table, where these rows are a part of one: methods and measures scale by that.
    pub whole: Option<Whole>,
}

impl Default for ColumnSettings {
    fn default() -> Self {
        Self {
            weight: 1.0,
            levels: None,
            intervals: false,
            distance: None,
            order: Vec::new(),
            missing: Vec::new(),
            whole: None,
        }
    }
}

impl ColumnSettings {
    /// Whether a text stands for a missing value.
    pub fn is_missing(&self, text: &str) -> bool {
        text.is_empty() || self.missing.iter().any(|missing| missing == text)
    }
}
