//! Detectors over labelled tables of any columns, connection records for example: each learns from rows of which it is known whether
//! they are in order, and says so of others.
//!
//! Source     Castellano, Mastronardi, Aprile, Minardi, Catalano, Dicensi, Tarricone. Composing Miners to Develop an Intrusion Detection
//!            Solution: association rules, classification rules and a neural network, built side by side.
//!
//! A [`Records`] is a table of texts; a [`LabelRule`] says which rows are positive; [`features`] makes numbers of it for [`svm`] and
//! [`neural_network`], [`items`] makes marks of it for rules. A model knows the columns that it was learnt from, and nothing else is looked at.

pub mod association_rules;
pub mod classification_rules;
pub mod episodes;
pub mod evaluate;
pub mod features;
pub mod items;
pub mod kdd;
pub mod neural_network;
pub mod review;
pub mod svm;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::error::{Error, Result};
use crate::info::Info;

/// The version of the form of models.
pub const FORMAT: u32 = 1;

/// A column of texts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its different texts.
    pub values: Vec<String>,
    /// The number of the text of each row.
    pub cells: Vec<u32>,
}

impl Column {
    /// The text of a row.
    pub fn text(&self, row: usize) -> &str {
        &self.values[self.cells[row] as usize]
    }
}

/// A table of texts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Records {
    /// Its columns.
    pub columns: Vec<Column>,
    /// The line of each row.
    pub lines: Vec<u64>,
}

impl Records {
    /// A table of rows that are texts, for worked examples.
    pub fn of_rows(names: &[&str], rows: &[Vec<String>]) -> Self {
        let column = |(at, name): (usize, &&str)| {
            let mut values: Vec<String> = rows.iter().map(|row| row[at].clone()).collect();
            values.sort();
            values.dedup();
            let cells = rows.iter().map(|row| values.binary_search(&row[at]).unwrap_or_default() as u32).collect();
            Column { name: (*name).to_owned(), values, cells }
        };
        let columns = names.iter().enumerate().map(column).collect();
        Self { columns, lines: (0..rows.len() as u64).map(|row| row + 2).collect() }
    }

    /// How many rows it has.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The column with a name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// The same without a column.
    pub fn without(&self, name: &str) -> Self {
        let columns = self.columns.iter().filter(|column| column.name != name).cloned().collect();
        Self { columns, lines: self.lines.clone() }
    }

    /// Some of its rows.
    pub fn of(&self, rows: &[u32]) -> Self {
        let some = |column: &Column| Column {
            name: column.name.clone(),
            values: column.values.clone(),
            cells: rows.iter().map(|&row| column.cells[row as usize]).collect(),
        };
        Self {
            columns: self.columns.iter().map(some).collect(),
            lines: rows.iter().map(|&row| self.lines[row as usize]).collect(),
        }
    }

    /// The columns with these names, in their order; the label may stand beside them, nothing else.
    pub fn arranged(&self, names: &[&str], label: &str) -> Result<Vec<&Column>> {
        let unknown = self.columns.iter().find(|column| column.name != label && !names.contains(&column.name.as_str()));
        let missing = names.iter().find(|name| self.column(name).is_none());
        if let Some(missing) = missing {
            return Err(Error::data(format!(
                "the model was learnt from a column `{missing}`, which the table does not have"
            ))
            .with_hint("give a table with the columns of the training table; only the label may be missing"));
        }
        if let Some(unknown) = unknown {
            return Err(Error::data(format!("the table has a column `{}` that the model does not know", unknown.name))
                .with_hint("leave it out: the model can say nothing of it"));
        }
        Ok(names.iter().filter_map(|name| self.column(name)).collect())
    }
}

/// Which rows are positive.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelRule {
    /// The column of the label.
    pub column: String,
    /// What it says of positive rows; nothing if that is whatever is not `normal`.
    pub positive: Option<String>,
    /// What it says of rows in order.
    pub normal: Option<String>,
}

/// What a label means, without the full stop that ends those of KDD.
pub fn plain_label(text: &str) -> &str {
    let text = text.trim();
    text.strip_suffix('.').unwrap_or(text)
}

impl LabelRule {
    /// Whether a label is positive.
    pub fn is_positive(&self, label: &str) -> bool {
        match (&self.positive, &self.normal) {
            (Some(positive), _) => plain_label(label) == positive,
            (None, Some(normal)) => plain_label(label) != normal,
            (None, None) => false,
        }
    }

    /// The rule for a table: a label that is named must be there, and both sorts of rows.
    pub fn settle(records: &Records, column: &str, positive: Option<&str>, normal: Option<&str>) -> Result<Self> {
        let names = records.columns.iter().map(|column| column.name.as_str());
        let labels = records.column(column).ok_or_else(|| Error::unknown("column", column, names))?;
        let has = |wanted: &str| labels.cells.iter().any(|&cell| plain_label(&labels.values[cell as usize]) == wanted);
        for wanted in [positive, normal].into_iter().flatten() {
            if !has(plain_label(wanted)) {
                return Err(Error::data("no row has the label that is asked for")
                    .in_column(column)
                    .with_value(wanted)
                    .with_hint("is it spelled as in the table?"));
            }
        }
        let normal = match (positive, normal) {
            (None, None) if has("normal") => Some("normal"),
            (None, None) => {
                return Err(Error::parameter("positive-label", "is not given, and no row is labelled `normal`")
                    .with_hint("`--positive-label V` says which rows are to be found"));
            }
            (_, normal) => normal,
        };
        let own = |text: &str| plain_label(text).to_owned();
        let rule = Self { column: column.to_owned(), positive: positive.map(own), normal: normal.map(own) };
        let count = (0..records.len()).filter(|&row| rule.is_positive(labels.text(row))).count();
        if count == 0 || count == records.len() {
            return Err(Error::data("all rows are on one side: there is nothing to tell apart")
                .in_column(column)
                .with_hint("a detector learns from rows of both classes"));
        }
        Ok(rule)
    }

    /// Which rows of a table are positive; an error if the label is missing.
    pub fn truth(&self, records: &Records) -> Result<Vec<bool>> {
        let column = records.column(&self.column).ok_or_else(|| {
            Error::data(format!("the table has no column `{}`, which says what is true", self.column))
                .with_hint("a table without labels can be scored, and not evaluated")
        })?;
        Ok((0..records.len()).map(|row| self.is_positive(column.text(row))).collect())
    }
}

/// The first sixteen digits of the hash of each row, of the columns in a given order.
pub fn row_hashes(columns: &[&Column], rows: usize) -> Vec<String> {
    let hash = |row: usize| {
        let mut hasher = Sha256::new();
        for column in columns {
            hasher.update(column.text(row).trim().as_bytes());
            hasher.update([0]);
        }
        hasher.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    };
    (0..rows).map(hash).collect()
}

/// A number as a table has it; nothing if the text is none.
pub fn number(text: &str) -> Option<f64> {
    text.trim().parse().ok()
}

/// The cards of the detectors that learn from tables.
pub const RECORD_CARDS: &[&Info] =
    &[&svm::INFO, &association_rules::INFO, &classification_rules::INFO, &neural_network::INFO];
/// Their names.
pub const RECORD_DETECTORS: &[&str] =
    &[svm::INFO.name, association_rules::INFO.name, classification_rules::INFO.name, neural_network::INFO.name];

/// What a detector learnt from a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "detector", rename_all = "kebab-case")]
pub enum Learnt {
    /// A support vector machine.
    Svm(svm::SvmModel),
    /// What usually goes together.
    AssociationRules(association_rules::AssociationModel),
    /// An ordered list of rules.
    ClassificationRules(classification_rules::RulesModel),
    /// A hidden layer.
    NeuralNetwork(neural_network::NetworkModel),
}

impl Learnt {
    /// The card of the detector.
    pub fn info(&self) -> &'static Info {
        match self {
            Self::Svm(_) => &svm::INFO,
            Self::AssociationRules(_) => &association_rules::INFO,
            Self::ClassificationRules(_) => &classification_rules::INFO,
            Self::NeuralNetwork(_) => &neural_network::INFO,
        }
    }

    /// How large what was learnt is: its parts with their names.
    pub fn sizes(&self) -> Vec<(&'static str, f64)> {
        match self {
            Self::Svm(model) => vec![
                ("features", model.columns.len() as f64),
                ("support", model.machine.svm.support().len() as f64),
                ("objective", model.machine.svm.objective()),
            ],
            Self::AssociationRules(model) => {
                vec![("rules", model.rules.len() as f64), ("episodes", model.episodes.len() as f64)]
            }
            Self::ClassificationRules(model) => vec![("rules", model.rules.len() as f64)],
            Self::NeuralNetwork(model) => {
                vec![("features", model.columns().len() as f64), ("hidden", model.hidden() as f64)]
            }
        }
    }

    /// The names of the columns that it looks at, without the label.
    pub fn columns<'a>(&'a self, label: &str) -> Vec<&'a str> {
        match self {
            Self::Svm(model) => model.columns.column_names(),
            Self::AssociationRules(model) => model.column_names(label),
            Self::ClassificationRules(model) => model.columns.iter().map(|(name, _)| name.as_str()).collect(),
            Self::NeuralNetwork(model) => model.columns().column_names(),
        }
    }

    /// The score of each row, whose label is not looked at, and how many cells have a value that no training row had.
    pub fn scores(&self, records: &Records, label: &str) -> Result<(Vec<f64>, u64)> {
        match self {
            Self::Svm(model) => model.scores(records, label),
            Self::AssociationRules(model) => model.scores(records, label),
            Self::ClassificationRules(model) => model.scores(records, label),
            Self::NeuralNetwork(model) => model.scores(records, label),
        }
    }

    /// The score above which a row is flagged, if nobody says otherwise.
    pub fn threshold(&self) -> f64 {
        match self {
            Self::Svm(_) => 0.0,
            Self::AssociationRules(model) => model.threshold,
            Self::ClassificationRules(_) | Self::NeuralNetwork(_) => 0.5,
        }
    }
}

#[cfg(test)]
mod rule_tests;
#[cfg(test)]
mod tests;
