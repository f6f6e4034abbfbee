//! Shoal: clusters that lose the least of attributes and structure on one scale, and give no edge away if that is asked.
//!
//! Paper      Ours. The release is that of Campan, Truta. Data and structural k-anonymity in social networks. PinKDD 2008.
//! Claims     graph-k-anonymity; edge-confidence if it is asked; every model of sensitive columns that is asked, in every cluster.
//! Does not   find the best partition, which is a hard problem: it looks for changes that make one better.
//!
//! # Idea
//! 1. Two starts: clusters grown by the printed distance and by the relative one, from limited candidates. Small graphs have more.
//! 2. Clusters that do not satisfy a model that is asked are joined with the one beside them where that costs least.
//! 3. Turns: every node in order looks at the clusters of the nodes that are most like it, by neighbours and by attributes, and is
//!    exchanged with a node there, or moved there if its cluster has more than k, where that makes J smaller by most. A node looks
//!    again only after something changed where it looks.
//! 4. Both starts get two turns. The better one, if the graph is not small, is annealed (`anneal`): exchanges by chance, worse ones too, ever fewer of these; then it gets all
//!    the turns that the effort allows.
//! 5. With a greatest confidence, edges beyond what blocks may show cost something in J; then clusters that still have some are
//!    joined where that makes J smaller; what is left is published as the greatest count that is allowed.
//!
//! # Formula
//! J = alpha x NGIL + beta x structure-lost; structure-lost = SIL / SIL of one cluster of all nodes.
//!
//! # Cost
//! Time O(sum of squared degrees + turns x nodes x candidates x (k x degree + columns)); memory O(edges + nodes x columns).

mod alike;
mod anneal;
mod state;

use serde::{Deserialize, Serialize};

use self::alike::Alike;
use self::state::{State, Weights};
use super::attributes::Attributes;
use super::greedy::{self, Growing};
use super::{ALPHA, BETA, check_k, check_weights, publish, refuse};
use crate::data::graph::masked::pairs_of;
use crate::data::{Dataset as _, Graph};
use crate::error::{Error, Result};
use crate::info::{self, Info, Parameter, ParameterKind};
use crate::methods::table::{Bound, Demands};
use crate::methods::{Method, shown_parameters};
use crate::models::on_classes::{Asks, Demand};
use crate::progress::Progress;
use crate::release::Protected;
use crate::rng::Rng;

/// The card.
pub const INFO: Info = Info {
    name: "shoal",
    summary: "clusters that lose the least of attributes and structure together, found by exchanges",
    paper: "ours; the release is that of Campan, Truta. Data and structural k-anonymity in social networks. PinKDD 2008",
    details: "Minimises J = alpha x NGIL + beta x structure-lost itself, over partitions into clusters of at least k nodes: clusters grown by \
        two distances, exchanges and moves of nodes by chance, worse ones too and ever fewer of these (annealing), then such as make J \
        smaller. Without quasi columns alpha is taken as 0.\n\
        `--max-confidence c`: no block is published denser than c. First the search avoids such blocks, then clusters are joined where that \
        costs little, and what is left is published as the greatest count that is allowed: `accounting.edges_withheld` and \
        `blocks_lowered` count it.\n\
        `--model l-diversity`, `t-closeness` and `confidence` of sensitive columns are held in every cluster.\n\
        `--effort fast|normal|high` is how often every node looks around: 2, 12 or 40 turns after 0, 300 or 1200 of annealing (fewer of more \
        than 13,000 nodes, or 20,000; none of at most 200, which have 24 further starts), whatever time they take.\n\
        Claims graph-k-anonymity(k), edge-confidence(c) if c is below 1, and the models that are asked.",
    parameters: &[
        info::K,
        ALPHA,
        BETA,
        Parameter {
            name: "max-confidence",
            summary: "how dense a block of the release may be, at most; 1 is no bound",
            kind: ParameterKind::Share,
            default: "1",
        },
        Parameter {
            name: "effort",
            summary: "how long it looks for something better, in turns",
            kind: ParameterKind::Choice(&["fast", "normal", "high"]),
            default: "normal",
        },
    ],
};

/// How long it looks for something better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effort {
    /// Two turns.
    Fast,
    /// Twelve, after 300 of annealing.
    #[default]
    Normal,
    /// Forty of both starts, with more candidates; then 1200 of annealing and forty.
    High,
}

impl Effort {
    fn turns(self) -> usize {
        match self {
            Self::Fast => 2,
            Self::Normal => 12,
            Self::High => 40,
        }
    }

    /// How often every node is drawn an exchange for, on graphs that are not too large; and how many times the work that may be.
    fn drawn_turns(self) -> (u64, u64) {
        match self {
            Self::Fast => (0, 0),
            Self::Normal => (300, 1),
            Self::High => (1200, 6),
        }
    }

    fn candidates(self) -> usize {
        if self == Self::High { 50 } else { 25 }
    }
}

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
    /// The greatest density of a block.
    pub max_confidence: f64,
    /// How long it looks for something better.
    pub effort: Effort,
}

impl Default for Params {
    fn default() -> Self {
        Self { k: 5, alpha: 0.5, beta: 0.5, max_confidence: 1.0, effort: Effort::Normal }
    }
}

/// What an edge that is withheld costs beside what its loss costs, in shares of all edges.
const WITHHELD: f64 = 3.0;
/// Gains below are none: a sum of fractions may be wrong by so much.
const LEAST_GAIN: f64 = 1e-12;
/// Graphs of at most so many nodes get further starts.
const SMALL: usize = 200;
/// So many.
const FURTHER_STARTS: u64 = 24;
/// Both starts get so many turns.
const FIRST_TURNS: usize = 2;
/// So many clusters beside one are tried when it must be joined with another.
const MOST_BESIDE: usize = 40;

/// The method with checked parameters.
#[derive(Debug, Clone)]
pub struct Shoal {
    params: Params,
    demands: Demands,
    asked: Vec<Demand>,
}

impl Shoal {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        check_k(params.k)?;
        check_weights(params.alpha, params.beta)?;
        if !(params.max_confidence > 0.0 && params.max_confidence <= 1.0) {
            let problem = format!("is {}, but must be a fraction above 0, at most 1", params.max_confidence);
            return Err(Error::parameter("max-confidence", problem));
        }
        Ok(Self { demands: Demands::new(params.k)?, asked: Vec::new(), params })
    }

    fn cap(&self) -> Option<f64> {
        (self.params.max_confidence < 1.0).then_some(self.params.max_confidence)
    }

    /// The clusters.
    fn partition(
        &self,
        graph: &Graph,
        attributes: &Attributes<'_>,
        bound: Option<&Bound<'_>>,
        progress: &dyn Progress,
    ) -> Result<Vec<Vec<u32>>> {
        let Params { k, effort, .. } = self.params;
        let has_attributes = attributes.columns() > 0;
        let [alpha, beta] = if has_attributes { [self.params.alpha, self.params.beta] } else { [0.0, 1.0] };
        let (nodes, edges) = (graph.persons() as f64, graph.edges() as f64);
        let worst = 2.0 * edges * (1.0 - edges / pairs_of(graph.nodes()).max(1) as f64);
        let weights = Weights {
            attributes: if has_attributes { alpha / (nodes * attributes.columns() as f64) } else { 0.0 },
            structure: if worst > 0.0 { beta * 2.0 / worst } else { 0.0 },
            cap: self.cap().filter(|_| edges > 0.0).map(|share| (WITHHELD * beta.max(0.1) / edges, share)),
        };
        let (drawn, times) = effort.drawn_turns();
        // Small graphs have further starts instead.
        let is_small = graph.persons() <= SMALL;
        let drawn = if is_small { 0 } else { anneal::turns(drawn, graph.persons(), times) };
        let rounds = 2 * FIRST_TURNS + effort.turns() + drawn as usize;
        progress.stage("clusters", (rounds * graph.persons()) as u64);
        let alike = Alike::of(graph, attributes, effort.candidates(), alpha > 0.0, weights.structure > 0.0);
        progress.go_on()?;
        let start = |is_relative: bool| -> Result<Vec<Vec<u32>>> {
            let growing = Growing { k, alpha, beta, is_relative, is_limited: true };
            greedy::clusters(graph, attributes, growing, &crate::progress::Quiet(progress))
        };
        let mut starts = Vec::new();
        let both = [true, false].map(start);
        for clusters in both {
            starts.push(clusters?);
        }
        if is_small {
            starts.extend((0..FURTHER_STARTS).map(|seed| random(graph.persons(), k, seed)));
        }
        let improved = |clusters: Vec<Vec<u32>>, drawn: u64, turns: usize| -> Result<(f64, Vec<Vec<u32>>)> {
            let mut search =
                Search { state: State::new(graph, attributes, weights, clusters), k, bound, alike: &alike };
            search.repair()?;
            search.anneal(drawn, progress)?;
            search.turns(turns, progress)?;
            if search.state.weights.cap.is_some() {
                search.join_dense(progress)?;
                search.turns(FIRST_TURNS.min(turns), progress)?;
            }
            let loss = search.state.loss();
            let mut clusters = std::mem::take(&mut search.state.members);
            clusters.retain(|cluster| !cluster.is_empty());
            Ok((loss, clusters))
        };
        let first = if effort == Effort::High { effort.turns() } else { FIRST_TURNS };
        let mut best: Option<(f64, Vec<Vec<u32>>)> = None;
        for clusters in starts {
            let found = improved(clusters, 0, first)?;
            if best.as_ref().is_none_or(|(least, _)| found.0 < *least - LEAST_GAIN) {
                best = Some(found);
            }
        }
        let (least, clusters) = best.ok_or_else(|| Error::internal("a graph has no clusters"))?;
        if drawn > 0 {
            let annealed = improved(clusters.clone(), drawn, effort.turns())?;
            if annealed.0 < least {
                return Ok(annealed.1);
            }
        }
        Ok(improved(clusters, 0, effort.turns())?.1)
    }
}

impl Method<Graph> for Shoal {
    fn protect(&self, original: &Graph, _rng: &mut Rng, progress: &dyn Progress) -> Result<Protected<Graph>> {
        refuse(original, self.params.k)?;
        let attributes = Attributes::of(original.attributes())?;
        let bound = match original.attributes() {
            _ if self.asked.is_empty() => None,
            Some(table) => Some(self.demands.bind(table)?),
            None => {
                return Err(Error::refused(format!(
                    "the model `{}` is about sensitive columns, and the nodes have none",
                    self.asked[0].claim.model
                ))
                .with_hint("`--nodes FILE --column sensitive=…` names them"));
            }
        };
        if let Some(bound) = &bound {
            bound.refuse_impossible(original.persons())?;
        }
        let clusters = self.partition(original, &attributes, bound.as_ref(), progress)?;
        let claims = self.asked.iter().map(|demand| demand.claim.clone()).collect();
        Ok(publish(original, &attributes, &clusters, self.params.k, self.cap(), claims))
    }

    fn parameters(&self) -> serde_json::Map<String, serde_json::Value> {
        shown_parameters(&self.params)
    }

    fn demand(&mut self, demands: Vec<Demand>) -> Result<()> {
        if let Some(demand) = demands.iter().find(|demand| matches!(demand.asks, Asks::OfPopulation(_))) {
            return Err(Error::refused(format!("the method `shoal` cannot hold the model `{}`", demand.claim.model))
                .with_hint("l-diversity, t-closeness and confidence are held in every cluster"));
        }
        self.demands.add(demands.clone());
        self.asked.extend(demands);
        Ok(())
    }
}

/// A partition at random: nodes in an order by chance, cut into clusters of k and more.
fn random(nodes: usize, k: usize, seed: u64) -> Vec<Vec<u32>> {
    let mut rng = Rng::seeded(seed);
    let mut order: Vec<u32> = (0..nodes as u32).collect();
    rng.shuffle(&mut order);
    // Clusters of 2k and more could be cut in two, which never loses more.
    let (fewest, most) = (nodes.div_ceil(2 * k - 1).max(1), nodes / k);
    let count = if seed.is_multiple_of(2) { most } else { fewest + rng.index(most - fewest + 1) };
    let mut clusters: Vec<Vec<u32>> = vec![Vec::new(); count];
    order.into_iter().enumerate().for_each(|(at, node)| clusters[at % count].push(node));
    clusters.iter_mut().for_each(|cluster| cluster.sort_unstable());
    clusters
}

/// A partition that is being made better.
struct Search<'a> {
    state: State<'a>,
    k: usize,
    bound: Option<&'a Bound<'a>>,
    alike: &'a Alike,
}

/// The best change of a node.
#[derive(Clone, Copy)]
enum Change {
    Exchange(u32),
    Move(u32),
}

impl Search<'_> {
    /// Whether a cluster satisfies every model that is asked.
    fn holds(&self, nodes: &[u32]) -> bool {
        self.bound.is_none_or(|bound| bound.holds_by_rows(nodes, &mut Vec::new()))
    }

    /// Joins clusters that do not satisfy a model with others, until all do.
    fn repair(&mut self) -> Result<()> {
        if self.bound.is_none() {
            return Ok(());
        }
        for cluster in 0..self.state.members.len() as u32 {
            loop {
                let members = &self.state.members[cluster as usize];
                if members.is_empty() || self.holds(members) {
                    break;
                }
                let Some((_, other)) = self.best_partner(cluster, |_, _| true) else { break };
                self.state.join(cluster, other);
            }
        }
        Ok(())
    }

    /// The cluster that it costs least to join with another, of those beside it; else of all.
    fn best_partner(&mut self, cluster: u32, is_good: impl Fn(&State<'_>, u32) -> bool) -> Option<(f64, u32)> {
        let mut beside: Vec<(u32, u32)> = self.state.beside(cluster).iter().map(|&(at, edges)| (edges, at)).collect();
        beside.sort_unstable_by_key(|&(edges, at)| (std::cmp::Reverse(edges), at));
        beside.truncate(MOST_BESIDE);
        let near = self.state.members[cluster as usize].iter().flat_map(|&node| self.alike.around(node));
        let near = near.map(|&other| self.state.of[other as usize]);
        let mut tried: Vec<u32> = beside.into_iter().map(|(_, at)| at).chain(near).collect();
        tried.sort_unstable();
        tried.dedup();
        tried.retain(|&at| at != cluster);
        if tried.is_empty() {
            tried = (0..self.state.members.len() as u32).filter(|&at| at != cluster).collect();
        }
        tried.retain(|&at| !self.state.members[at as usize].is_empty() && is_good(&self.state, at));
        let mut best: Option<(f64, u32)> = None;
        for other in tried {
            let gain = self.state.join_gain(cluster, other);
            if best.is_none_or(|(most, _)| gain > most + LEAST_GAIN) {
                best = Some((gain, other));
            }
        }
        best
    }

    /// Joins clusters whose blocks show too much, where that makes J smaller.
    fn join_dense(&mut self, progress: &dyn Progress) -> Result<()> {
        for cluster in 0..self.state.members.len() as u32 {
            progress.go_on()?;
            if self.state.members[cluster as usize].is_empty() || !self.state.is_too_dense(cluster) {
                continue;
            }
            if let Some((gain, other)) = self.best_partner(cluster, |_, _| true)
                && gain > LEAST_GAIN
            {
                self.state.join(cluster, other);
            }
        }
        Ok(())
    }

    /// So many turns, or as many as make something better.
    fn turns(&mut self, most: usize, progress: &dyn Progress) -> Result<()> {
        let nodes = self.state.graph.persons() as u32;
        // When a cluster changed last, and when a node looked around last.
        let mut changed = vec![1u64; self.state.members.len()];
        let mut looked = vec![0u64; nodes as usize];
        let mut now = 1u64;
        let mut tried: Vec<u32> = Vec::new();
        for _ in 0..most {
            let mut is_better = false;
            for node in 0..nodes {
                if node % 256 == 0 {
                    progress.go_on()?;
                }
                let own = self.state.of[node as usize];
                tried.clear();
                tried.extend(self.alike.around(node).iter().map(|&other| self.state.of[other as usize]));
                tried.sort_unstable();
                tried.dedup();
                let seen = looked[node as usize];
                looked[node as usize] = now;
                let is_new = changed[own as usize] > seen;
                tried.retain(|&cluster| cluster != own && (is_new || changed[cluster as usize] > seen));
                if let Some(change) = self.best_change(node, &tried) {
                    now += 1;
                    let other = match change {
                        Change::Exchange(other) => {
                            let cluster = self.state.of[other as usize];
                            self.state.exchange(node, other);
                            cluster
                        }
                        Change::Move(cluster) => {
                            self.state.shift(node, cluster);
                            cluster
                        }
                    };
                    (changed[own as usize], changed[other as usize]) = (now, now);
                    is_better = true;
                }
            }
            progress.advance(u64::from(nodes));
            if !is_better {
                break;
            }
        }
        Ok(())
    }

    /// The change of a node that makes J smaller by most, if any does and every model is satisfied after it.
    fn best_change(&mut self, node: u32, clusters: &[u32]) -> Option<Change> {
        if clusters.is_empty() {
            return None;
        }
        let own = self.state.of[node as usize];
        let can_move = self.state.members[own as usize].len() > self.k;
        self.state.look_at(node);
        let mut best: Option<(f64, Change)> = None;
        for &cluster in clusters {
            self.state.look_beside(cluster);
            for at in 0..self.state.members[cluster as usize].len() {
                let other = self.state.members[cluster as usize][at];
                let gain = self.state.exchange_gain(node, other);
                if gain > best.map_or(LEAST_GAIN, |(most, _)| most + LEAST_GAIN)
                    && self.may(own, node, Some(other), cluster)
                {
                    best = Some((gain, Change::Exchange(other)));
                }
            }
            if can_move {
                let gain = self.state.move_gain(node, cluster);
                if gain > best.map_or(LEAST_GAIN, |(most, _)| most + LEAST_GAIN) && self.may(own, node, None, cluster) {
                    best = Some((gain, Change::Move(cluster)));
                }
            }
        }
        best.map(|(_, change)| change)
    }

    /// Whether both clusters satisfy every model after a change.
    fn may(&self, own: u32, node: u32, other: Option<u32>, cluster: u32) -> bool {
        if self.bound.is_none() {
            return true;
        }
        let with = |cluster: u32, out: Option<u32>, into: Option<u32>| {
            let members = self.state.members[cluster as usize].iter().copied().filter(|&member| Some(member) != out);
            members.chain(into).collect::<Vec<u32>>()
        };
        self.holds(&with(own, Some(node), other)) && self.holds(&with(cluster, other, Some(node)))
    }
}

#[cfg(test)]
mod tests;
