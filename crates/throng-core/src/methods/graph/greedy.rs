//! Clusters grown one by one: the node of greatest degree, and whoever costs least beside it, until there are k.
//!
//! # Formula
//! cost of X beside a cluster = alpha x (what cluster and X lose in a column, on average) + beta x distance.
//! Printed distance: the mean over members Y of |N(X) xor N(Y)| without X and Y, by n - 2. Relative distance: the sum of the same over
//! members, by the sum of |N(X)| + |N(Y)|.
//!
//! # Idea
//! 1. |N(X) xor N(Y)| without both = deg X + deg Y - 2 (common neighbours + 1 if they are neighbours). Its sum over members is
//!    kept as one whole number for each node, changed by a walk of two steps from whoever joins: no vectors of n.
//! 2. Of nodes that no walk has met the cheapest by structure is that of lowest degree.
//! 3. Limited, only nodes that a walk has met are tried, some of lowest degree, and some near in the order of attributes; a walk
//!    does not go through nodes of very many neighbours.
//!
//! # Cost
//! Time O(sum of squared degrees), plus O(n^2 x columns) where attributes count and candidates are not limited; memory O(n).

use super::attributes::{Attributes, Span};
use crate::data::{Dataset as _, Graph};
use crate::error::Result;
use crate::progress::Progress;

/// Costs that differ by no more are equal.
const SAME: f64 = 1e-12;
/// Limited: a walk goes through no node of more neighbours.
pub(super) const HUB: usize = 2_000;
/// Limited: so many free nodes of lowest degree are tried.
const LOWEST: usize = 30;
/// Limited: so many free nodes are tried that are near in the order of attributes.
const NEAR: usize = 60;

/// How clusters are grown.
#[derive(Debug, Clone, Copy)]
pub(super) struct Growing {
    pub(super) k: usize,
    pub(super) alpha: f64,
    pub(super) beta: f64,
    pub(super) is_relative: bool,
    pub(super) is_limited: bool,
}

/// Clusters in the order in which they were grown, members in the order in which they came.
pub(super) fn clusters(
    graph: &Graph,
    attributes: &Attributes<'_>,
    growing: Growing,
    progress: &dyn Progress,
) -> Result<Vec<Vec<u32>>> {
    let nodes = graph.persons();
    let mut seeds: Vec<u32> = (0..nodes as u32).collect();
    seeds.sort_by_key(|&node| (std::cmp::Reverse(graph.degree(node)), node));
    let mut greedy = Greedy::new(graph, attributes, growing);
    let mut clusters: Vec<Vec<u32>> = Vec::with_capacity(nodes / growing.k);
    for seed in seeds {
        if !greedy.is_free[seed as usize] {
            continue;
        }
        let cluster = greedy.grown(seed);
        progress.advance(cluster.len() as u64);
        progress.go_on()?;
        if cluster.len() == growing.k {
            clusters.push(cluster);
        } else {
            // Only the last one can be too small.
            greedy.disperse(&cluster, &mut clusters);
        }
    }
    Ok(clusters)
}

struct Greedy<'a> {
    graph: &'a Graph,
    attributes: &'a Attributes<'a>,
    growing: Growing,
    /// Whether attributes count.
    has_costs: bool,
    is_free: Vec<bool>,
    /// Nodes by degree, then by number; those before `lowest` are not free.
    by_degree: Vec<u32>,
    lowest: usize,
    /// Free nodes by number, and some that are not free any more.
    free: Vec<u32>,
    /// For each node what it has in common with the cluster: over members, common neighbours, and 1 for each that is a neighbour.
    common: Vec<u32>,
    /// Nodes of which that is not 0.
    met: Vec<u32>,
    /// Free nodes in the order of attributes, each with the one before and the one after.
    near: Option<Near>,
    /// For each column and value what the cluster and it lose.
    costs: Vec<Vec<f64>>,
}

impl<'a> Greedy<'a> {
    fn new(graph: &'a Graph, attributes: &'a Attributes<'a>, growing: Growing) -> Self {
        let nodes = graph.persons();
        let mut by_degree: Vec<u32> = (0..nodes as u32).collect();
        by_degree.sort_by_key(|&node| (graph.degree(node), node));
        let has_costs = growing.alpha > 0.0 && attributes.columns() > 0;
        Self {
            graph,
            attributes,
            growing,
            has_costs,
            is_free: vec![true; nodes],
            by_degree,
            lowest: 0,
            free: (0..nodes as u32).collect(),
            common: vec![0; nodes],
            met: Vec::new(),
            near: (has_costs && growing.is_limited).then(|| Near::new(&attributes.order(nodes))),
            costs: attributes.quasi.iter().map(|quasi| vec![0.0; quasi.column.values.len()]).collect(),
        }
    }

    /// A cluster around a seed: of k nodes, or of all that are left.
    fn grown(&mut self, seed: u32) -> Vec<u32> {
        let mut cluster = vec![seed];
        let mut spans: Vec<Span> =
            (0..self.attributes.columns()).map(|column| self.attributes.of_node(column, seed)).collect();
        let mut degrees = self.graph.degree(seed) as u64;
        self.take(seed);
        while cluster.len() < self.growing.k {
            if self.has_costs {
                self.work_out_costs(&spans);
            }
            let Some(next) = self.cheapest(&cluster, degrees) else { break };
            for (column, span) in spans.iter_mut().enumerate() {
                *span = self.attributes.joined(column, *span, self.attributes.of_node(column, next));
            }
            degrees += self.graph.degree(next) as u64;
            cluster.push(next);
            self.take(next);
        }
        for node in self.met.drain(..) {
            self.common[node as usize] = 0;
        }
        let is_free = &self.is_free;
        self.free.retain(|&node| is_free[node as usize]);
        cluster
    }

    /// Takes a node out of those that are free, and walks two steps from it.
    fn take(&mut self, node: u32) {
        self.is_free[node as usize] = false;
        if let Some(near) = &mut self.near {
            near.remove(node);
        }
        if self.growing.beta <= 0.0 {
            return;
        }
        let Self { graph, common, met, growing, .. } = self;
        let mut meet = |other: u32| {
            if common[other as usize] == 0 {
                met.push(other);
            }
            common[other as usize] += 1;
        };
        for &middle in graph.neighbours(node) {
            meet(middle);
            if growing.is_limited && graph.degree(middle) > HUB {
                continue;
            }
            graph.neighbours(middle).iter().filter(|&&other| other != node).for_each(|&other| meet(other));
        }
    }

    /// What each value of each column costs beside a cluster.
    fn work_out_costs(&mut self, spans: &[Span]) {
        let columns = self.attributes.columns() as f64;
        for (column, costs) in self.costs.iter_mut().enumerate() {
            for (value, cost) in (0u32..).zip(costs.iter_mut()) {
                let span = self.attributes.joined(column, spans[column], self.attributes.of_value(column, value));
                *cost = self.attributes.cost(column, span) / columns;
            }
        }
    }

    /// What a node costs beside a cluster of so many members, whose degrees add up to so much.
    fn cost(&self, node: u32, size: u64, degrees: u64) -> f64 {
        let Growing { alpha, beta, is_relative, .. } = self.growing;
        let mut cost = 0.0;
        if self.has_costs {
            let loss = |(column, costs): (usize, &Vec<f64>)| {
                costs[self.attributes.quasi[column].column.cells[node as usize] as usize]
            };
            cost += alpha * self.costs.iter().enumerate().map(loss).sum::<f64>();
        }
        if beta > 0.0 {
            let all = size * self.graph.degree(node) as u64 + degrees;
            let apart = all - 2 * u64::from(self.common[node as usize]);
            cost += beta * distance(apart, all, size, self.graph.persons(), is_relative);
        }
        cost
    }

    /// The free node that costs least; of equal ones the lowest.
    fn cheapest(&mut self, cluster: &[u32], degrees: u64) -> Option<u32> {
        while self.lowest < self.by_degree.len() && !self.is_free[self.by_degree[self.lowest] as usize] {
            self.lowest += 1;
        }
        let size = cluster.len() as u64;
        let mut best: Option<(f64, u32)> = None;
        let mut try_node = |node: u32| {
            let cost = self.cost(node, size, degrees);
            let is_better = best.is_none_or(|(least, own)| cost < least - SAME || (cost <= least + SAME && node < own));
            if is_better {
                best = Some((best.map_or(cost, |(least, _)| cost.min(least)), node));
            }
        };
        if self.has_costs && !self.growing.is_limited {
            let mut first: Option<(f64, u32)> = None;
            for &node in self.free.iter().filter(|&&node| self.is_free[node as usize]) {
                let cost = self.cost(node, size, degrees);
                if first.is_none_or(|(least, _)| cost < least - SAME) {
                    first = Some((cost, node));
                }
            }
            return first.map(|(_, node)| node);
        }
        self.met.iter().filter(|&&node| self.is_free[node as usize]).for_each(|&node| try_node(node));
        // Of those that no walk has met the structure of the lowest degree costs least.
        let count = if self.has_costs { LOWEST } else { 1 };
        let unmet = |node: &&u32| self.is_free[**node as usize] && self.common[**node as usize] == 0;
        self.by_degree[self.lowest..].iter().filter(unmet).take(count).for_each(|&node| try_node(node));
        if let Some(near) = &self.near {
            let around = near.around(*cluster.last()?, NEAR).chain(near.around(cluster[0], NEAR / 2));
            around.filter(|&node| self.is_free[node as usize]).for_each(try_node);
        }
        best.map(|(_, node)| node)
    }

    /// Puts the nodes of a cluster that is too small into others, one by one: each where it costs least, of equal ones the oldest.
    fn disperse(&mut self, small: &[u32], clusters: &mut [Vec<u32>]) {
        let mut of: Vec<Option<u32>> = vec![None; self.graph.persons()];
        let mut degrees: Vec<u64> = vec![0; clusters.len()];
        for (at, cluster) in clusters.iter().enumerate() {
            for &node in cluster {
                of[node as usize] = Some(at as u32);
                degrees[at] += self.graph.degree(node) as u64;
            }
        }
        let columns = self.attributes.columns() as f64;
        for &node in small {
            let mut common = vec![0u64; clusters.len()];
            for &middle in self.graph.neighbours(node) {
                of[middle as usize].iter().for_each(|&at| common[at as usize] += 1);
                for &other in self.graph.neighbours(middle) {
                    of[other as usize].iter().for_each(|&at| common[at as usize] += 1);
                }
            }
            let mut best: Option<(f64, usize)> = None;
            for (at, cluster) in clusters.iter_mut().enumerate() {
                let mut cost = 0.0;
                if self.has_costs {
                    cluster.push(node);
                    cost += self.growing.alpha * self.attributes.cost_of(cluster) / columns;
                    cluster.pop();
                }
                if self.growing.beta > 0.0 {
                    let size = cluster.len() as u64;
                    let all = size * self.graph.degree(node) as u64 + degrees[at];
                    let apart = all - 2 * common[at];
                    let nodes = self.graph.persons();
                    cost += self.growing.beta * distance(apart, all, size, nodes, self.growing.is_relative);
                }
                if best.is_none_or(|(least, _)| cost < least - SAME) {
                    best = Some((cost, at));
                }
            }
            if let Some((_, at)) = best {
                clusters[at].push(node);
                of[node as usize] = Some(at as u32);
                degrees[at] += self.graph.degree(node) as u64;
            }
        }
    }
}

/// The distance of a node from a cluster, by sums over its members.
fn distance(apart: u64, all: u64, size: u64, nodes: usize, is_relative: bool) -> f64 {
    if is_relative {
        return if all == 0 { 0.0 } else { apart as f64 / all as f64 };
    }
    // Of two nodes nothing is compared.
    if nodes <= 2 { 0.0 } else { apart as f64 / ((nodes - 2) as f64 * size as f64) }
}

/// Free nodes in an order, each with the one before and the one after it.
struct Near {
    before: Vec<u32>,
    after: Vec<u32>,
}

/// There is none.
const NONE: u32 = u32::MAX;

impl Near {
    fn new(order: &[u32]) -> Self {
        let mut near = Self { before: vec![NONE; order.len()], after: vec![NONE; order.len()] };
        for pair in order.windows(2) {
            near.after[pair[0] as usize] = pair[1];
            near.before[pair[1] as usize] = pair[0];
        }
        near
    }

    /// Takes a node out; it still knows who was beside it then.
    fn remove(&mut self, node: u32) {
        let (before, after) = (self.before[node as usize], self.after[node as usize]);
        if before != NONE {
            self.after[before as usize] = after;
        }
        if after != NONE {
            self.before[after as usize] = before;
        }
    }

    /// Free nodes around one that was taken out: half of them before it, half after.
    fn around(&self, node: u32, count: usize) -> impl Iterator<Item = u32> + '_ {
        let step = |links: &'_ [u32], from: u32| Some(links[from as usize]).filter(|&next| next != NONE);
        let before = std::iter::successors(step(&self.before, node), move |&own| step(&self.before, own));
        let after = std::iter::successors(step(&self.after, node), move |&own| step(&self.after, own));
        before.take(count / 2).chain(after.take(count / 2))
    }
}
