//! Full-domain generalisation: every quasi column is published on one level of its hierarchy, the best that there is.
//!
//! Paper      Samarati. Protecting respondents' identities in microdata release. IEEE TKDE 13 (2001); optimal by quality as in
//!            Prasser et al., ARX, AMIA 2014.
//! Promises   k-anonymity, and every model that is asked for; rows of classes that do not satisfy them are left out, at most the
//!            share `suppress` of all.
//! Does not   fit levels to places: where few rows are alike, the whole column becomes coarse. Local methods lose far less.
//!
//! # Idea
//! 1. A *node* gives every column a level. Rows with the same labels are a class; those that satisfy all models are published.
//! 2. Nodes are gone through column by column. The classes of a node are made from those of the node one level below in one
//!    column, never from rows: a class is a number with a few bits for each column, and merging is one search for each class.
//! 3. A node whose value is known to be no better than the best so far, whatever its classes are, is not looked at; nor is what
//!    lies above it. If some columns alone, all others at their tops, leave more rows in classes of fewer than k than may be left
//!    out, no node with these levels is looked at: columns with many values come first. The first best is found by going down from
//!    the top, one level at a time, as long as that is allowed.
//! 4. Of nodes with the same value the one with the lower levels, in the order of columns, is taken.
//!
//! # Cost
//! Time O(nodes x classes of the node below), over all threads. Memory: the classes of as many nodes as there are columns, for
//! each thread.

mod lattice;
mod search;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use super::quality::Quality;
use super::{Demands, Shown, publish};
use crate::data::Dataset as _;
use crate::data::table::Table;
use crate::error::{Error, Result};
use crate::info::{self, Info, Parameter, ParameterKind};
use crate::methods::{Method, shown_parameters};
use crate::models::on_classes::Demand;
use crate::progress::Progress;
use crate::release::{Protected, Search};
use crate::rng::Rng;
use lattice::Lattice;

/// The card.
pub const INFO: Info = Info {
    name: "full-domain",
    summary: "every quasi column on one level of its hierarchy, the optimal ones",
    paper: "Samarati. Protecting respondents' identities in microdata release. IEEE TKDE 13 (2001); Prasser et al. ARX. AMIA 2014",
    details: "A node of the lattice gives every quasi column a level of its hierarchy; every column needs one. Rows of classes that \
        satisfy all models are published, the others left out, at most the share `suppress` of all rows. Of all nodes that are \
        allowed it takes the one with the least value of the quality, and the certificate's `search` says which, and how many there \
        were. The values are those that ARX computes.\n\
        Claims table-k-anonymity(k), unless k is 1, and every `--model` that is asked for.\n\
        It keeps columns whole, so that a column means the same in every row; what is lost is far more than by methods that \
        generalise each class for itself.",
    parameters: &[
        info::K,
        super::SUPPRESS,
        Parameter {
            name: "quality",
            summary: "what the best is: ncp, loss, loss:balance=0.1, entropy, entropy-suppressed, discernibility, \
                      discernibility-suppressed or classes",
            kind: ParameterKind::Text,
            default: "ncp",
        },
        Parameter {
            name: "max-nodes",
            summary: "how many generalisations are looked at, at most; 0 for all",
            kind: ParameterKind::Count,
            default: "0",
        },
    ],
};

/// What the method can be told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// How many persons a class has, at least.
    pub k: usize,
    /// The share of rows that may be left out.
    pub suppress: f64,
    /// What the best is.
    pub quality: String,
    /// How many nodes are looked at; 0 for all.
    pub max_nodes: u64,
}

impl Default for Params {
    fn default() -> Self {
        Self { k: 5, suppress: 0.0, quality: "ncp".to_owned(), max_nodes: 0 }
    }
}

/// The method with checked parameters.
#[derive(Debug, Clone)]
pub struct FullDomain {
    params: Params,
    quality: Quality,
    demands: Demands,
}

impl FullDomain {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        super::check_suppress(params.suppress)?;
        let quality = Quality::parse(&params.quality)?;
        Ok(Self { quality, demands: Demands::new(params.k)?, params })
    }
}

impl Method<Table> for FullDomain {
    fn protect(&self, original: &Table, _rng: &mut Rng, progress: &dyn Progress) -> Result<Protected<Table>> {
        let bound = self.demands.bind(original)?;
        let lattice = Lattice::of(original, bound)?;
        // A hundredth of a hundred rows is one of them, also where it is no whole number of halves.
        let limit = (self.params.suppress * original.rows() as f64 + 1e-9).floor() as u64;
        let most = if self.params.max_nodes == 0 { u64::MAX } else { self.params.max_nodes };
        progress.stage("generalisations", lattice.nodes);
        let found = lattice.best(self.quality, limit, most, progress);
        progress.go_on()?;
        let Some(best) = found.best else { return Err(impossible(&lattice, limit, progress)) };
        let (classes, nodes) = lattice.published(&best.levels);
        let levels = &best.levels;
        let mut protected = publish(
            original,
            &lattice.quasi,
            &classes,
            |class, at| Shown::Label(levels[at], nodes[class][at]),
            &self.demands,
        );
        let names = lattice.quasi.iter().map(|quasi| quasi.column.name.clone());
        protected.search = Some(Search {
            levels: names.zip(levels.iter().copied()).collect(),
            quality: self.params.quality.clone(),
            value: best.value,
            suppressed_rows: best.suppressed,
            nodes: lattice.nodes,
            looked_at: found.looked_at,
            optimal: found.is_cut.then_some(false),
        });
        Ok(protected)
    }

    fn parameters(&self) -> serde_json::Map<String, serde_json::Value> {
        shown_parameters(&self.params)
    }

    fn demand(&mut self, demands: Vec<Demand>) -> Result<()> {
        self.demands.add(demands);
        Ok(())
    }
}

/// Why nothing is allowed, and what would be.
fn impossible(lattice: &Lattice<'_>, limit: u64, progress: &dyn Progress) -> Error {
    let says = match lattice.bound.failing(lattice.rows as usize) {
        Some(model) => format!("the model `{model}` fails even at the top, where all rows look the same"),
        None => format!("each would leave out more than {limit} rows"),
    };
    let error = Error::refused(format!("no generalisation of whole columns satisfies the models: {says}"));
    match lattice.fewest_suppressed(progress) {
        Some(rows) => {
            // Rounded up, so that it is enough.
            let share = (rows as f64 / lattice.rows as f64 * 1e4).ceil() / 1e4;
            error.with_hint(format!("`--suppress {share}` would do: it leaves out {rows} rows"))
        }
        None => error.with_hint("leaving rows out does not help either: ask for less"),
    }
}
