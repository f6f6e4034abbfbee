//! SaNGreeA: clusters of nodes with like neighbours and like attributes, grown greedily.
//!
//! Paper      Campan, Truta. Data and structural k-anonymity in social networks. PinKDD 2008.
//! Claims     graph-k-anonymity.
//! Does not   hide edges in blocks that are full or empty (`edges`, an attack, counts them); look back: see `shoal`.
//!
//! # Idea
//! 1. The seed of a cluster is the free node of greatest degree; of several the first.
//! 2. The free node joins that costs least: alpha x NGIL of the cluster with it + beta x its distance from the cluster.
//! 3. With k nodes the cluster is done. A last cluster of fewer is dispersed: each of its nodes goes where it costs least.
//!
//! # Formula
//! dist(X, Y) = the positions, without X and Y, in which their rows of the adjacency matrix differ, by n - 2; from a cluster the mean
//! over its members. Readings: ranges are over all nodes, degrees those in the whole graph, dispersal goes by the smallest cost.
//!
//! # Cost
//! Time O(sum of squared degrees) where alpha is 0, else O(n^2 x columns) beside; limited candidates from 10,000 nodes on, unless `exact`.

use serde::{Deserialize, Serialize};

use super::attributes::Attributes;
use super::greedy::{Growing, clusters};
use super::{ALPHA, BETA, check_k, check_weights, publish, refuse};
use crate::data::{Dataset as _, Graph};
use crate::error::Result;
use crate::info::{self, Info, Parameter, ParameterKind};
use crate::methods::{Method, shown_parameters};
use crate::progress::Progress;
use crate::release::Protected;
use crate::rng::Rng;

/// From so many nodes on candidates are limited, unless it is to be exact.
pub const LIMITED_FROM: usize = 10_000;

/// The card.
pub const INFO: Info = Info {
    name: "sangreea",
    summary: "clusters of nodes with like neighbours and like attributes, grown one by one",
    paper: "Campan, Truta. Data and structural k-anonymity in social networks. PinKDD 2008",
    details: "Grows clusters of k nodes: the free node of greatest degree, then k - 1 times the free node that costs least, alpha x NGIL + \
        beta x distance; the distance of two nodes is the share of other nodes that only one of them knows. A rest of fewer than k nodes goes \
        to the clusters where each costs least. Two costs within 1e-12 are equal; ties go to the lower node, the older cluster.\n\
        alpha = 1, beta = 0 is the method of Zheleva and Getoor, which heeds no edges. Without quasi columns NGIL is 0, and alpha is taken as 0.\n\
        On a sparse graph the distance is much smaller than NGIL ever is, so that alpha = beta = 0.5 keeps attributes and loses structure: \
        `shoal` minimises both on one scale.\n\
        `--exact` is the printed algorithm at any size; without it, from 10,000 nodes on, only nodes with a common neighbour are tried, 30 of \
        lowest degree and 90 that are near in the order of attributes.\n\
        Claims graph-k-anonymity(k). A masked network gives edges away in blocks that are full: the attack `edges` counts them.",
    parameters: &[
        info::K,
        ALPHA,
        BETA,
        Parameter {
            name: "exact",
            summary: "whether all free nodes are tried whatever the size, as printed",
            kind: ParameterKind::Switch,
            default: "false",
        },
    ],
};

/// What the method can be told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// How many nodes a cluster has, at least.
    pub k: usize,
    /// What attributes weigh.
    pub alpha: f64,
    /// What structure weighs.
    pub beta: f64,
    /// Whether all free nodes are tried whatever the size.
    pub exact: bool,
}

impl Default for Params {
    fn default() -> Self {
        Self { k: 5, alpha: 0.5, beta: 0.5, exact: false }
    }
}

/// The method with checked parameters.
#[derive(Debug, Clone)]
pub struct Sangreea {
    params: Params,
}

impl Sangreea {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        check_k(params.k)?;
        check_weights(params.alpha, params.beta)?;
        Ok(Self { params })
    }

    /// The clusters, in the order in which they are grown.
    pub fn partition(&self, graph: &Graph, progress: &dyn Progress) -> Result<Vec<Vec<u32>>> {
        refuse(graph, self.params.k)?;
        self.grown(graph, &Attributes::of(graph.attributes())?, progress)
    }

    fn grown(&self, graph: &Graph, attributes: &Attributes<'_>, progress: &dyn Progress) -> Result<Vec<Vec<u32>>> {
        let Params { k, alpha, beta, exact } = self.params;
        let has_attributes = attributes.columns() > 0;
        let growing = Growing {
            k,
            alpha: if has_attributes { alpha } else { 0.0 },
            beta: if has_attributes { beta } else { 1.0 },
            is_relative: false,
            is_limited: !exact && graph.persons() >= LIMITED_FROM,
        };
        progress.stage("clusters", graph.persons() as u64);
        clusters(graph, attributes, growing, progress)
    }
}

impl Method<Graph> for Sangreea {
    fn protect(&self, original: &Graph, _rng: &mut Rng, progress: &dyn Progress) -> Result<Protected<Graph>> {
        refuse(original, self.params.k)?;
        let attributes = Attributes::of(original.attributes())?;
        let clusters = self.grown(original, &attributes, progress)?;
        Ok(publish(original, &attributes, &clusters, self.params.k, None, Vec::new()))
    }

    fn parameters(&self) -> serde_json::Map<String, serde_json::Value> {
        shown_parameters(&self.params)
    }
}

#[cfg(test)]
#[path = "sangreea_tests.rs"]
mod tests;
