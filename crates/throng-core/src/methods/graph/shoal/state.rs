//! A partition that can be changed node by node, and what every change is worth.
//!
//! # Formula
//! J = alpha x NGIL + beta x structure-lost; SIL = 2m - 2 sum over blocks of e^2 / pairs, so that only blocks with edges count. With a
//! greatest confidence every edge beyond what its block may show costs something beside.
//! Exchange of u in a and v in b: sizes stay, so only blocks change that u or v have a neighbour in. With d_x(c) the neighbours of x in c and
//! w = 1 if u and v are neighbours: e_ac gains d_v(c) - d_u(c), e_bc as much less; e_aa gains d_v(a) - d_u(a) - w, e_bb gains d_u(b) - d_v(b)
//! - w, e_ab gains d_u(a) + d_v(b) - d_u(b) - d_v(a) + 2w.
//!
//! # Cost
//! What an exchange is worth: O(deg u + deg v + columns). A move of one node, or a join: O(clusters beside both).

use crate::data::graph::masked::pairs_of;
use crate::data::{Dataset as _, Graph};
use crate::methods::graph::attributes::{Attributes, Span};
use crate::methods::graph::most_edges;

/// What losses weigh.
#[derive(Debug, Clone, Copy)]
pub(super) struct Weights {
    /// A unit of GIL.
    pub(super) attributes: f64,
    /// A unit of the sum of e^2 / pairs.
    pub(super) structure: f64,
    /// An edge that would be withheld, and the greatest density that may be published.
    pub(super) cap: Option<(f64, f64)>,
}

/// A node that is in no cluster.
const NONE: u32 = u32::MAX;

/// A partition of the nodes.
pub(super) struct State<'a> {
    pub(super) graph: &'a Graph,
    attributes: &'a Attributes<'a>,
    pub(super) weights: Weights,
    /// For each node its cluster.
    pub(super) of: Vec<u32>,
    pub(super) members: Vec<Vec<u32>>,
    /// For each cluster the others that it has edges to, in rising order, and how many.
    rows: Vec<Vec<(u32, u32)>>,
    inner: Vec<u32>,
    /// For each cluster and column what its nodes have in common.
    spans: Vec<Span>,
    /// For each node and column what the others of its cluster have in common.
    without: Vec<Span>,
    /// Cluster by cluster, where something is looked up often.
    own: Dense,
    first: Dense,
    second: Dense,
    other: Dense,
}

/// Numbers of clusters, most of them 0.
#[derive(Default)]
struct Dense {
    counts: Vec<i32>,
    touched: Vec<u32>,
}

impl Dense {
    fn of(len: usize) -> Self {
        Self { counts: vec![0; len], touched: Vec::new() }
    }

    fn add(&mut self, at: u32, count: i32) {
        if self.counts[at as usize] == 0 {
            self.touched.push(at);
        }
        self.counts[at as usize] += count;
    }

    fn get(&self, at: u32) -> i32 {
        self.counts[at as usize]
    }

    fn clear(&mut self) {
        for at in self.touched.drain(..) {
            self.counts[at as usize] = 0;
        }
    }
}

impl<'a> State<'a> {
    pub(super) fn new(
        graph: &'a Graph,
        attributes: &'a Attributes<'a>,
        weights: Weights,
        members: Vec<Vec<u32>>,
    ) -> Self {
        let (nodes, clusters) = (graph.persons(), members.len());
        let columns = if weights.attributes > 0.0 { attributes.columns() } else { 0 };
        let nothing = (columns > 0).then(|| attributes.of_node(0, 0));
        let span = |count: usize| nothing.map_or_else(Vec::new, |span| vec![span; count * columns]);
        let mut state = Self {
            graph,
            attributes,
            weights,
            of: vec![NONE; nodes],
            members: vec![Vec::new(); clusters],
            rows: vec![Vec::new(); clusters],
            inner: vec![0; clusters],
            spans: span(clusters),
            without: span(nodes),
            own: Dense::of(clusters),
            first: Dense::of(clusters),
            second: Dense::of(clusters),
            other: Dense::of(clusters),
        };
        for (cluster, nodes) in (0u32..).zip(&members) {
            nodes.iter().for_each(|&node| state.of[node as usize] = cluster);
        }
        for (cluster, nodes) in (0u32..).zip(&members) {
            for &node in nodes {
                graph.neighbours(node).iter().for_each(|&other| state.other.add(state.of[other as usize], 1));
            }
            state.inner[cluster as usize] = state.other.get(cluster) as u32 / 2;
            let mut row: Vec<(u32, u32)> =
                state.other.touched.iter().map(|&at| (at, state.other.get(at) as u32)).collect();
            row.retain(|&(at, _)| at != cluster);
            row.sort_unstable();
            state.rows[cluster as usize] = row;
            state.other.clear();
        }
        state.members = members;
        (0..clusters as u32).for_each(|cluster| state.span(cluster));
        state
    }

    fn columns(&self) -> usize {
        if self.weights.attributes > 0.0 { self.attributes.columns() } else { 0 }
    }

    fn size(&self, cluster: u32) -> usize {
        self.members[cluster as usize].len()
    }

    /// What a block is worth: the more, the less is lost.
    fn worth(&self, edges: i64, pairs: u64) -> f64 {
        if edges == 0 || pairs == 0 {
            return 0.0;
        }
        let edges = edges as f64;
        let worth = self.weights.structure * edges * edges / pairs as f64;
        match self.weights.cap {
            None => worth,
            // Nearly all blocks show no more than they may.
            Some((_, share)) if edges / pairs as f64 <= share => worth,
            Some((cost, share)) => worth - cost * (edges - most_edges(pairs, share) as f64).max(0.0),
        }
    }

    /// J, but for what is the same for all partitions: the less the better.
    pub(super) fn loss(&self) -> f64 {
        let mut loss = 0.0;
        for cluster in 0..self.members.len() as u32 {
            let size = self.size(cluster) as u64;
            loss -= self.worth(i64::from(self.inner[cluster as usize]), pairs_of(size));
            for &(other, edges) in &self.rows[cluster as usize] {
                if other > cluster {
                    loss -= self.worth(i64::from(edges), size * self.size(other) as u64);
                }
            }
            loss += self.weights.attributes * size as f64 * self.cost_of(cluster);
        }
        loss
    }

    /// What the nodes of a cluster lose in all columns, each of them.
    fn cost_of(&self, cluster: u32) -> f64 {
        let columns = self.columns();
        let start = cluster as usize * columns;
        (0..columns).map(|column| self.attributes.cost(column, self.spans[start + column])).sum()
    }

    /// Works out what a cluster has in common, with and without each of its nodes.
    fn span(&mut self, cluster: u32) {
        let columns = self.columns();
        let nodes = &self.members[cluster as usize];
        for column in 0..columns {
            let own: Vec<Span> = nodes.iter().map(|&node| self.attributes.of_node(column, node)).collect();
            let Some(&first) = own.first() else { continue };
            // From the end: what all after a node have in common.
            let mut after = vec![first; own.len()];
            for at in (0..own.len() - 1).rev() {
                let next = own[at + 1];
                after[at] =
                    if at + 2 == own.len() { next } else { self.attributes.joined(column, next, after[at + 1]) };
            }
            let mut before: Option<Span> = None;
            for (at, &node) in nodes.iter().enumerate() {
                let is_last = at + 1 == own.len();
                self.without[node as usize * columns + column] = match before {
                    None if is_last => own[at],
                    None => after[at],
                    Some(before) if is_last => before,
                    Some(before) => self.attributes.joined(column, before, after[at]),
                };
                before = Some(before.map_or(own[at], |before| self.attributes.joined(column, before, own[at])));
            }
            if let Some(all) = before {
                self.spans[cluster as usize * columns + column] = all;
            }
        }
    }

    /// What the cluster of one node would lose with another in its place, each of its nodes.
    fn cost_instead(&self, node: u32, instead: u32) -> f64 {
        let columns = self.columns();
        let start = node as usize * columns;
        let is_alone = self.size(self.of[node as usize]) == 1;
        (0..columns)
            .map(|column| {
                let with = self.attributes.of_node(column, instead);
                let all =
                    if is_alone { with } else { self.attributes.joined(column, self.without[start + column], with) };
                self.attributes.cost(column, all)
            })
            .sum()
    }

    /// Looks at a node and its cluster: what comes next is about it.
    pub(super) fn look_at(&mut self, node: u32) {
        self.own.clear();
        self.first.clear();
        for &other in self.graph.neighbours(node) {
            self.own.add(self.of[other as usize], 1);
        }
        for &(cluster, edges) in &self.rows[self.of[node as usize] as usize] {
            self.first.add(cluster, edges as i32);
        }
    }

    /// Looks at a cluster that the node may go to.
    pub(super) fn look_beside(&mut self, cluster: u32) {
        self.second.clear();
        for &(other, edges) in &self.rows[cluster as usize] {
            self.second.add(other, edges as i32);
        }
    }

    /// What it is worth to exchange the node that is looked at with one of the cluster that is looked at beside.
    pub(super) fn exchange_gain(&mut self, u: u32, v: u32) -> f64 {
        let (a, b) = (self.of[u as usize], self.of[v as usize]);
        let mut other = std::mem::take(&mut self.other);
        for &neighbour in self.graph.neighbours(v) {
            other.add(self.of[neighbour as usize], 1);
        }
        let (size_a, size_b) = (self.size(a) as u64, self.size(b) as u64);
        let mut gain = 0.0;
        let mut block = |c: u32, change: i32| {
            let size = self.size(c) as u64;
            let (e_a, e_b) = (self.first.get(c), self.second.get(c));
            let (pairs_a, pairs_b) = (size_a * size, size_b * size);
            if self.weights.cap.is_none() {
                let (e_a, e_b, change) = (f64::from(e_a), f64::from(e_b), f64::from(change));
                gain += self.weights.structure
                    * change
                    * ((2.0 * e_a + change) / pairs_a as f64 - (2.0 * e_b - change) / pairs_b as f64);
            } else {
                gain += self.worth(i64::from(e_a + change), pairs_a) - self.worth(i64::from(e_a), pairs_a);
                gain += self.worth(i64::from(e_b - change), pairs_b) - self.worth(i64::from(e_b), pairs_b);
            }
        };
        for &c in &self.own.touched {
            let change = other.get(c) - self.own.get(c);
            if c != a && c != b && change != 0 {
                block(c, change);
            }
        }
        for &c in &other.touched {
            if c != a && c != b && self.own.get(c) == 0 {
                block(c, other.get(c));
            }
        }
        let w = i32::from(self.graph.has_edge(u, v));
        let (u_a, u_b, v_a, v_b) = (self.own.get(a), self.own.get(b), other.get(a), other.get(b));
        let (e_aa, e_bb, e_ab) = (self.inner[a as usize] as i32, self.inner[b as usize] as i32, self.first.get(b));
        for (edges, change, pairs) in [
            (e_aa, v_a - u_a - w, pairs_of(size_a)),
            (e_bb, u_b - v_b - w, pairs_of(size_b)),
            (e_ab, u_a + v_b - u_b - v_a + 2 * w, size_a * size_b),
        ] {
            gain += self.worth(i64::from(edges + change), pairs) - self.worth(i64::from(edges), pairs);
        }
        other.clear();
        self.other = other;
        if self.columns() > 0 {
            let before = size_a as f64 * self.cost_of(a) + size_b as f64 * self.cost_of(b);
            let after = size_a as f64 * self.cost_instead(u, v) + size_b as f64 * self.cost_instead(v, u);
            gain += self.weights.attributes * (before - after);
        }
        gain
    }

    /// What it is worth to move the node that is looked at into the cluster that is looked at beside.
    pub(super) fn move_gain(&self, u: u32, b: u32) -> f64 {
        let a = self.of[u as usize];
        let (size_a, size_b) = (self.size(a) as u64, self.size(b) as u64);
        let mut gain = 0.0;
        let mut block = |edges: i32, after: i32, before_pairs: u64, after_pairs: u64| {
            gain += self.worth(i64::from(after), after_pairs) - self.worth(i64::from(edges), before_pairs);
        };
        for &(c, edges) in &self.rows[a as usize] {
            if c != b {
                let size = self.size(c) as u64;
                block(edges as i32, edges as i32 - self.own.get(c), size_a * size, (size_a - 1) * size);
            }
        }
        for &(c, edges) in &self.rows[b as usize] {
            if c != a {
                let size = self.size(c) as u64;
                block(edges as i32, edges as i32 + self.own.get(c), size_b * size, (size_b + 1) * size);
            }
        }
        for &c in &self.own.touched {
            if c != a && c != b && self.second.get(c) == 0 {
                let size = self.size(c) as u64;
                block(0, self.own.get(c), size_b * size, (size_b + 1) * size);
            }
        }
        let (u_a, u_b, e_ab) = (self.own.get(a), self.own.get(b), self.first.get(b));
        let (e_aa, e_bb) = (self.inner[a as usize] as i32, self.inner[b as usize] as i32);
        block(e_aa, e_aa - u_a, pairs_of(size_a), pairs_of(size_a - 1));
        block(e_bb, e_bb + u_b, pairs_of(size_b), pairs_of(size_b + 1));
        block(e_ab, e_ab - u_b + u_a, size_a * size_b, (size_a - 1) * (size_b + 1));
        let columns = self.columns();
        if columns > 0 {
            let before = size_a as f64 * self.cost_of(a) + size_b as f64 * self.cost_of(b);
            let (mut left, mut joined) = (0.0, 0.0);
            for column in 0..columns {
                let own = self.attributes.of_node(column, u);
                left += self.attributes.cost(column, self.without[u as usize * columns + column]);
                let with = self.attributes.joined(column, self.spans[b as usize * columns + column], own);
                joined += self.attributes.cost(column, with);
            }
            let after = (size_a - 1) as f64 * left + (size_b + 1) as f64 * joined;
            gain += self.weights.attributes * (before - after);
        }
        gain
    }

    /// What it is worth to make two clusters one.
    pub(super) fn join_gain(&mut self, a: u32, b: u32) -> f64 {
        let mut other = std::mem::take(&mut self.other);
        for &(c, edges) in self.rows[a as usize].iter().chain(&self.rows[b as usize]) {
            other.add(c, edges as i32);
        }
        let (size_a, size_b) = (self.size(a) as u64, self.size(b) as u64);
        let mut gain = 0.0;
        for (own, size, not) in [(a, size_a, b), (b, size_b, a)] {
            gain -= self.worth(i64::from(self.inner[own as usize]), pairs_of(size));
            for &(c, edges) in self.rows[own as usize].iter().filter(|(c, _)| *c != not) {
                gain -= self.worth(i64::from(edges), size * self.size(c) as u64);
            }
        }
        let e_ab = other.get(a);
        gain -= self.worth(i64::from(e_ab), size_a * size_b);
        for &c in other.touched.iter().filter(|&&c| c != a && c != b) {
            gain += self.worth(i64::from(other.get(c)), (size_a + size_b) * self.size(c) as u64);
        }
        let inner = i64::from(self.inner[a as usize]) + i64::from(self.inner[b as usize]) + i64::from(e_ab);
        gain += self.worth(inner, pairs_of(size_a + size_b));
        other.clear();
        self.other = other;
        let columns = self.columns();
        let joined = |column: usize| {
            let [one, other] = [a, b].map(|cluster| self.spans[cluster as usize * columns + column]);
            self.attributes.cost(column, self.attributes.joined(column, one, other))
        };
        let after = (size_a + size_b) as f64 * (0..columns).map(joined).sum::<f64>();
        let before = size_a as f64 * self.cost_of(a) + size_b as f64 * self.cost_of(b);
        gain + self.weights.attributes * (before - after)
    }

    /// Exchanges two nodes of different clusters.
    pub(super) fn exchange(&mut self, u: u32, v: u32) {
        let (a, b) = (self.of[u as usize], self.of[v as usize]);
        self.remove(u);
        self.remove(v);
        self.insert(u, b);
        self.insert(v, a);
        self.span(a);
        self.span(b);
    }

    /// Moves a node to another cluster.
    pub(super) fn shift(&mut self, u: u32, b: u32) {
        let a = self.of[u as usize];
        self.remove(u);
        self.insert(u, b);
        self.span(a);
        self.span(b);
    }

    /// Makes two clusters one, the first; the second has no nodes any more.
    pub(super) fn join(&mut self, a: u32, b: u32) {
        for node in self.members[b as usize].clone() {
            self.remove(node);
            self.insert(node, a);
        }
        self.span(a);
    }

    fn remove(&mut self, node: u32) {
        let own = self.of[node as usize];
        self.of[node as usize] = NONE;
        self.members[own as usize].retain(|&other| other != node);
        self.count(node, own, false);
    }

    fn insert(&mut self, node: u32, cluster: u32) {
        self.count(node, cluster, true);
        self.of[node as usize] = cluster;
        let members = &mut self.members[cluster as usize];
        let place = members.partition_point(|&other| other < node);
        members.insert(place, node);
    }

    /// Counts the edges of a node into its cluster, or out of it.
    fn count(&mut self, node: u32, cluster: u32, is_in: bool) {
        let graph = self.graph;
        for &neighbour in graph.neighbours(node) {
            let other = self.of[neighbour as usize];
            if other == NONE {
                continue;
            }
            if other == cluster {
                let inner = &mut self.inner[cluster as usize];
                *inner = if is_in { *inner + 1 } else { *inner - 1 };
                continue;
            }
            for (row, to) in [(cluster, other), (other, cluster)] {
                let row = &mut self.rows[row as usize];
                match row.binary_search_by_key(&to, |&(at, _)| at) {
                    Ok(at) if is_in => row[at].1 += 1,
                    Ok(at) if row[at].1 > 1 => row[at].1 -= 1,
                    Ok(at) => _ = row.remove(at),
                    Err(at) => row.insert(at, (to, 1)),
                }
            }
        }
    }

    /// The clusters beside one, with their edges to it.
    pub(super) fn beside(&self, cluster: u32) -> &[(u32, u32)] {
        &self.rows[cluster as usize]
    }

    /// Whether a cluster has a block that shows too much.
    pub(super) fn is_too_dense(&self, cluster: u32) -> bool {
        let Some((_, share)) = self.weights.cap else { return false };
        let size = self.size(cluster) as u64;
        let is_over = |edges: u32, pairs: u64| u64::from(edges) > most_edges(pairs, share);
        is_over(self.inner[cluster as usize], pairs_of(size))
            || self.rows[cluster as usize].iter().any(|&(other, edges)| is_over(edges, size * self.size(other) as u64))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::data::graph::testing::random;
    use crate::data::table::testing::{table, with_hierarchies};

    proptest! {
        /// What an exchange, a move and a join are said to be worth is what J says before and after.
        #[test]
        fn gains_are_those_of_working_it_out_anew(
            bare in random(14),
            seats in prop::collection::vec(0u32..4, 14),
            ages in prop::collection::vec((0u32..6, 0usize..4), 14),
            share in prop::sample::select(vec![None, Some(0.5), Some(0.9)]),
        ) {
            let nodes = bare.persons();
            let letters = ["p", "q", "r", "s"];
            let lines: Vec<String> = ages[..nodes].iter().map(|&(age, at)| format!("{age} {}", letters[at])).collect();
            let rows = table("age:q area:q", &lines.iter().map(String::as_str).collect::<Vec<_>>());
            let rows = with_hierarchies(rows, &[("area", "p;x;*\nq;x;*\nr;y;*\ns;y;*\n")]);
            let graph = bare.with_attributes(Some(rows)).unwrap();
            let attributes = Attributes::of(graph.attributes()).unwrap();
            let mut members: Vec<Vec<u32>> = vec![Vec::new(); 4];
            (0..nodes as u32).for_each(|node| members[seats[node as usize] as usize].push(node));
            members.retain(|members| !members.is_empty());
            let weights = Weights { attributes: 0.3, structure: 0.7, cap: share.map(|share| (0.2, share)) };
            let new = || State::new(&graph, &attributes, weights, members.clone());
            let before = new().loss();
            for u in 0..nodes as u32 {
                for v in 0..nodes as u32 {
                    let mut state = new();
                    let (a, b) = (state.of[u as usize], state.of[v as usize]);
                    if a == b {
                        continue;
                    }
                    state.look_at(u);
                    state.look_beside(b);
                    let gain = state.exchange_gain(u, v);
                    state.exchange(u, v);
                    prop_assert!((before - state.loss() - gain).abs() < 1e-9, "exchange {u} {v}");
                    let anew = State::new(&graph, &attributes, weights, state.members.clone());
                    prop_assert!((anew.loss() - state.loss()).abs() < 1e-9);
                    let mut state = new();
                    if state.size(a) > 1 {
                        state.look_at(u);
                        state.look_beside(b);
                        let gain = state.move_gain(u, b);
                        state.shift(u, b);
                        prop_assert!((before - state.loss() - gain).abs() < 1e-9, "move {u} {v}");
                    }
                    let mut state = new();
                    let gain = state.join_gain(a, b);
                    state.join(a, b);
                    prop_assert!((before - state.loss() - gain).abs() < 1e-9, "join {a} {b}");
                }
            }
        }
    }
}
