//! Graphs: who knows whom. A node is a person; an edge has no direction, no weight, and stands once.
//!
//! An original holds two arrays (where the neighbours of each node begin, and the neighbours in rising order), the names of its
//! nodes and, where there are any, their attributes: a [`Table`] with a row for each node, in the order of the nodes.
//!
//! A release is no such graph but a *masked network* ([`Masked`]): clusters with their sizes, inner edges and generalised
//! attributes, and how many edges lie between clusters. The *records* of a masked network are its clusters: [`Dataset::persons`]
//! counts these, and a cluster stands for as many persons as it has nodes. Who is in which is known through the link alone.

pub mod expansion;
pub mod masked;
#[cfg(test)]
pub(crate) mod testing;

use std::borrow::Cow;
use std::sync::Arc;

use super::content::{Content, Field, Replaced};
use super::queries::MISSING;
use super::{Dataset, FactSort, Facts, Strings, Table};
use crate::data::Interner;
use crate::data::table::{Column, ColumnRole, ColumnType};
use crate::error::{Error, Result};
use crate::finders::mask::Form;
use crate::info::Need;
use crate::models::k_anonymity::{EqualRecords, groups_by};
use crate::release::pseudonyms;
use crate::rng::Rng;

pub use expansion::Expansion;
pub use masked::{Between, Masked, ValueCounts};

/// So many random graphs are drawn, unless it is said.
const EXPANSIONS: usize = 5;

/// A graph, or the masked network that was made of one.
#[derive(Debug, Clone)]
pub struct Graph {
    names: Strings,
    shape: Shape,
    left_out: Simplified,
    /// How many random graphs with the counts of a masked network are drawn to be measured, if not as many as usual.
    expansions: Option<usize>,
}

#[derive(Debug, Clone)]
enum Shape {
    Plain {
        /// Where the neighbours of each node begin, and where the last one's end.
        offsets: Vec<usize>,
        /// The neighbours of each node, in rising order.
        neighbours: Vec<u32>,
        attributes: Option<Arc<Table>>,
    },
    Masked(Masked),
}

/// What was left out to make a graph simple and undirected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Simplified {
    /// Edges from a node to itself.
    pub loops: u64,
    /// Edges that stand there already, in the same direction.
    pub repeated: u64,
    /// Edges that stand there already, in the other direction.
    pub reversed: u64,
}

impl Graph {
    /// The simple, undirected graph of these pairs of nodes, and what was left out. Nodes are numbered as their names are; every
    /// number of a pair must be one.
    pub fn of_pairs(names: Strings, mut pairs: Vec<(u32, u32)>) -> (Self, Simplified) {
        let nodes = names.len();
        let mut simplified = Simplified::default();
        let all = pairs.len();
        pairs.retain(|(from, to)| from != to);
        simplified.loops = (all - pairs.len()) as u64;
        // Both directions of a pair side by side, each with all its copies.
        pairs.sort_unstable_by_key(|&(from, to)| (from.min(to), from.max(to), from > to));
        let once = pairs.len();
        pairs.dedup();
        simplified.repeated = (once - pairs.len()) as u64;
        pairs.iter_mut().for_each(|(from, to)| (*from, *to) = ((*from).min(*to), (*from).max(*to)));
        let both = pairs.len();
        pairs.dedup();
        simplified.reversed = (both - pairs.len()) as u64;
        let mut offsets = vec![0usize; nodes + 1];
        for &(from, to) in &pairs {
            offsets[from as usize + 1] += 1;
            offsets[to as usize + 1] += 1;
        }
        (1..offsets.len()).for_each(|at| offsets[at] += offsets[at - 1]);
        let mut next = offsets.clone();
        let mut neighbours = vec![0u32; 2 * pairs.len()];
        let mut put = |own: u32, other: u32| {
            neighbours[next[own as usize]] = other;
            next[own as usize] += 1;
        };
        // Pairs come in rising order: what is below a node first, then what is above it.
        pairs.iter().for_each(|&(from, to)| put(to, from));
        pairs.iter().for_each(|&(from, to)| put(from, to));
        let shape = Shape::Plain { offsets, neighbours, attributes: None };
        (Self { names, shape, left_out: simplified, expansions: None }, simplified)
    }

    /// A masked network whose clusters have these names.
    pub fn of_masked(names: Strings, masked: Masked) -> Self {
        Self { names, shape: Shape::Masked(masked), left_out: Simplified::default(), expansions: None }
    }

    /// The same with attributes: a row for each node, in the order of the nodes.
    pub fn with_attributes(mut self, table: Option<Table>) -> Result<Self> {
        let nodes = self.names.len();
        match &mut self.shape {
            Shape::Plain { attributes, .. } if table.as_ref().is_none_or(|table| table.rows() == nodes) => {
                *attributes = table.map(Arc::new);
                Ok(self)
            }
            Shape::Plain { .. } => Err(Error::internal("a graph was given another number of rows than it has nodes")),
            Shape::Masked(_) => Err(Error::internal("a masked network has no attributes of single nodes")),
        }
    }

    /// What was left out of the edges that it was made of.
    pub fn left_out(&self) -> Simplified {
        self.left_out
    }

    /// The same, measured on so many random graphs with its counts.
    #[must_use]
    pub fn with_expansions(self, expansions: Option<usize>) -> Self {
        Self { expansions, ..self }
    }

    /// On how many random graphs with its counts it is measured.
    pub fn expansions(&self) -> usize {
        self.expansions.unwrap_or(EXPANSIONS)
    }

    /// The masked network, if it is one.
    pub fn masked(&self) -> Option<&Masked> {
        match &self.shape {
            Shape::Plain { .. } => None,
            Shape::Masked(masked) => Some(masked),
        }
    }

    /// The masked network; an error for a graph of single nodes.
    pub fn as_masked(&self) -> Result<&Masked> {
        self.masked().ok_or_else(|| {
            Error::refused("the release is a graph of single nodes, and no masked network")
                .with_hint("`throng protect` makes one: clusters, and the edges in and between them")
        })
    }

    /// Refuses a masked network where a graph of single nodes is needed.
    pub fn refuse_masked(&self) -> Result<()> {
        match &self.shape {
            Shape::Plain { .. } => Ok(()),
            Shape::Masked(_) => {
                Err(Error::refused("this is a masked network already: it has clusters, and no single nodes")
                    .with_hint("give the graph that it was made of"))
            }
        }
    }

    /// The attributes of the nodes, where there are any.
    pub fn attributes(&self) -> Option<&Table> {
        match &self.shape {
            Shape::Plain { attributes, .. } => attributes.as_deref(),
            Shape::Masked(_) => None,
        }
    }

    /// How many nodes there are; of a masked network, in all clusters together.
    pub fn nodes(&self) -> u64 {
        match &self.shape {
            Shape::Plain { .. } => self.names.len() as u64,
            Shape::Masked(masked) => masked.nodes(),
        }
    }

    /// How many edges there are; of a masked network, as many as it says.
    pub fn edges(&self) -> u64 {
        match &self.shape {
            Shape::Plain { neighbours, .. } => neighbours.len() as u64 / 2,
            Shape::Masked(masked) => masked.edges(),
        }
    }

    /// The neighbours of a node, in rising order; none in a masked network.
    pub fn neighbours(&self, node: u32) -> &[u32] {
        match &self.shape {
            Shape::Plain { offsets, neighbours, .. } => &neighbours[offsets[node as usize]..offsets[node as usize + 1]],
            Shape::Masked(_) => &[],
        }
    }

    /// How many neighbours a node has.
    pub fn degree(&self, node: u32) -> usize {
        self.neighbours(node).len()
    }

    /// Whether two nodes are neighbours.
    pub fn has_edge(&self, left: u32, right: u32) -> bool {
        let (few, other) = if self.degree(left) <= self.degree(right) { (left, right) } else { (right, left) };
        self.neighbours(few).binary_search(&other).is_ok()
    }

    /// The edges, each once with the lower node first, in rising order.
    pub fn pairs(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        (0..self.names.len() as u32).flat_map(move |node| {
            let above = self.neighbours(node);
            let first = above.partition_point(|&other| other < node);
            above[first..].iter().map(move |&other| (node, other))
        })
    }

    /// For each node how many triangles it is part of. Time O(edges x the square root of edges), about.
    pub fn triangles(&self) -> Vec<u64> {
        let nodes = self.names.len() as u32;
        // Every triangle is found once, from its node of least degree.
        let rank = |node: u32| (self.degree(node), node);
        let above = |node: u32| -> Vec<u32> {
            self.neighbours(node).iter().copied().filter(|&other| rank(other) > rank(node)).collect()
        };
        let up: Vec<Vec<u32>> = (0..nodes).map(above).collect();
        let mut count = vec![0u64; nodes as usize];
        let mut mark = vec![false; nodes as usize];
        for node in 0..nodes as usize {
            up[node].iter().for_each(|&other| mark[other as usize] = true);
            for &middle in &up[node] {
                for &last in up[middle as usize].iter().filter(|&&last| mark[last as usize]) {
                    [node, middle as usize, last as usize].into_iter().for_each(|corner| count[corner] += 1);
                }
            }
            up[node].iter().for_each(|&other| mark[other as usize] = false);
        }
        count
    }

    /// The mean local clustering, and the transitivity: how many of somebody's neighbours are neighbours, on average over persons and
    /// over pairs of neighbours; of some nodes, or of all. Whoever has fewer than two neighbours counts as 0.
    pub fn clustering(&self, some: Option<&[u32]>) -> [f64; 2] {
        let all = some.is_none().then(|| self.triangles());
        let mut mark = vec![false; if some.is_some() { self.persons() } else { 0 }];
        let mut triangles_of = |node: u32| match &all {
            Some(all) => all[node as usize],
            None => {
                let own = self.neighbours(node);
                own.iter().for_each(|&other| mark[other as usize] = true);
                let closed = own.iter().flat_map(|&other| self.neighbours(other)).filter(|&&end| mark[end as usize]);
                let closed = closed.count() as u64 / 2;
                own.iter().for_each(|&other| mark[other as usize] = false);
                closed
            }
        };
        let (mut local, mut closed, mut open) = (0.0, 0u64, 0u64);
        let nodes: &mut dyn Iterator<Item = u32> = match some {
            Some(some) => &mut some.iter().copied(),
            None => &mut (0..self.persons() as u32),
        };
        let mut count = 0u64;
        for node in nodes {
            let (triangles, pairs) = (triangles_of(node), masked::pairs_of(self.degree(node) as u64));
            local += if pairs > 0 { triangles as f64 / pairs as f64 } else { 0.0 };
            (closed, open, count) = (closed + triangles, open + pairs, count + 1);
        }
        [local / count.max(1) as f64, if open > 0 { closed as f64 / open as f64 } else { 0.0 }]
    }

    /// The name of a node or cluster; nothing for one that is not there.
    pub(crate) fn names_of(&self, person: u32) -> &str {
        if (person as usize) < self.names.len() { self.names.get(person) } else { "" }
    }

    /// The greatest number of neighbours.
    fn greatest_degree(&self) -> usize {
        (0..self.names.len() as u32).map(|node| self.degree(node)).max().unwrap_or(0)
    }
}

impl Dataset for Graph {
    const FACTS: &'static [FactSort] = &[
        FactSort {
            names: ["number of neighbours", "numbers of neighbours"],
            means: "how many neighbours the person has",
            known: ["how many neighbours a person has", "how many neighbours a person has"],
        },
        FactSort {
            names: ["neighbour's number", "neighbours' numbers"],
            means: "how many neighbours one of the person's neighbours has",
            known: [
                "how many neighbours one of a person's neighbours has",
                "how many neighbours {} of a person's neighbours have",
            ],
        },
        FactSort {
            names: ["cell", "cells"],
            means: "a column that people can be looked up by, and what it says of the person",
            known: ["one cell of a person's row", "{} cells of a person's row"],
        },
    ];

    /// Nodes; of a masked network its clusters.
    fn persons(&self) -> usize {
        self.names.len()
    }

    /// Edges.
    fn rows(&self) -> usize {
        self.edges() as usize
    }

    fn names(&self) -> &Strings {
        &self.names
    }

    /// The graph of some nodes, with the edges between them.
    fn of_persons(&self, persons: &[u32]) -> Self {
        let names: Strings = persons.iter().map(|&person| self.names.get(person)).collect();
        let mut number = vec![MISSING; self.persons()];
        (0u32..).zip(persons).for_each(|(new, &person)| number[person as usize] = new);
        match &self.shape {
            Shape::Plain { attributes, .. } => {
                let is_kept = |pair: &(u32, u32)| pair.0 != MISSING && pair.1 != MISSING;
                let renamed = self.pairs().map(|(from, to)| (number[from as usize], number[to as usize]));
                let (mut graph, _) = Self::of_pairs(names, renamed.filter(is_kept).collect());
                graph.left_out = self.left_out;
                if let (Shape::Plain { attributes: own, .. }, Some(table)) = (&mut graph.shape, attributes) {
                    *own = Some(Arc::new(Dataset::of_persons(table.as_ref(), persons)));
                }
                graph
            }
            Shape::Masked(masked) => Self::of_masked(names, masked.of_clusters(persons, &number)),
        }
    }

    fn facts(&self, sort: usize) -> Facts<'_> {
        match (&self.shape, sort) {
            (Shape::Masked(_), _) => Facts::new(0, |_| Cow::Borrowed(&[])),
            (_, 0) => Facts::new(self.greatest_degree() + 1, |node| Cow::Owned(vec![self.degree(node as u32) as u32])),
            (_, 1) => Facts::new(self.greatest_degree() + 1, |node| {
                Cow::Owned(self.neighbours(node as u32).iter().map(|&other| self.degree(other) as u32).collect())
            }),
            _ => match self.attributes().filter(|table| !table.of_role(ColumnRole::Quasi).is_empty()) {
                Some(table) => table.facts(0),
                None => Facts::new(0, |_| Cow::Borrowed(&[])),
            },
        }
    }

    fn has(&self, _need: Need) -> bool {
        false
    }

    fn names_records(&self) -> bool {
        self.masked().is_some()
    }

    /// One pseudonym for each cluster: whoever is in it has that one.
    fn published_names(&self, given: &[(u32, u32)], names: &Strings, rng: &mut Rng) -> Option<Result<Vec<String>>> {
        self.masked()?;
        let drawn = match pseudonyms(self.persons(), names, rng) {
            Ok(drawn) => drawn,
            Err(error) => return Some(Err(error)),
        };
        Some(Ok(given.iter().map(|&(_, record)| drawn[record as usize].clone()).collect()))
    }
}

/// Of a graph of single nodes those with as many neighbours; of a masked network the nodes of a cluster, by its number.
impl EqualRecords for Graph {
    fn groups(&self) -> Vec<Vec<u32>> {
        match &self.shape {
            Shape::Plain { .. } => groups_by(self.persons(), |left, right| self.degree(left).cmp(&self.degree(right))),
            Shape::Masked(masked) => {
                let nodes = |(cluster, &size): (u32, &u32)| vec![cluster; size as usize];
                (0u32..).zip(&masked.sizes).map(nodes).collect()
            }
        }
    }
}

/// Texts of sensitive and plain columns: of the nodes, or counted by cluster.
impl Content for Graph {
    const ROWS_CAN_GO: bool = false;

    fn fields(&self) -> Vec<Field<'_>> {
        match &self.shape {
            Shape::Plain { attributes: None, .. } => Vec::new(),
            Shape::Plain { attributes: Some(table), .. } => table.fields(),
            Shape::Masked(masked) => {
                let columns = masked.values.iter().map(|values| &values.column).filter(|column| is_text(column));
                columns
                    .map(|column| Field { role: column.role.name(), form: Form::Words, texts: &column.values })
                    .collect()
            }
        }
    }

    fn texts_of_rows(&self, person: usize) -> impl Iterator<Item = impl AsRef<[u32]>> {
        let rows: Vec<Vec<u32>> = match &self.shape {
            Shape::Plain { attributes: None, .. } => Vec::new(),
            Shape::Plain { attributes: Some(table), .. } => {
                table.texts_of_rows(person).map(|row| row.as_ref().to_vec()).collect()
            }
            Shape::Masked(masked) => {
                let texts: Vec<&ValueCounts> = masked.values.iter().filter(|values| is_text(&values.column)).collect();
                let mut rows = Vec::new();
                for (at, values) in texts.iter().enumerate() {
                    for (value, count) in values.of_cluster(person as u32) {
                        let mut row = vec![MISSING; texts.len()];
                        row[at] = value;
                        rows.extend(std::iter::repeat_n(row, count as usize));
                    }
                }
                rows
            }
        };
        rows.into_iter()
    }

    /// A cell of which nothing is left is missing; its node stays.
    fn with_texts(&self, fields: Vec<Replaced>) -> Self {
        let shape = match &self.shape {
            Shape::Plain { attributes: None, .. } => self.shape.clone(),
            Shape::Plain { offsets, neighbours, attributes: Some(table) } => Shape::Plain {
                offsets: offsets.clone(),
                neighbours: neighbours.clone(),
                attributes: Some(Arc::new(table.with_texts(fields))),
            },
            Shape::Masked(masked) => {
                let mut fields = fields.into_iter();
                let replaced = |values: &ValueCounts| match is_text(&values.column).then(|| fields.next()).flatten() {
                    None => values.clone(),
                    Some(replaced) => {
                        let mut texts = Interner::from(&replaced.texts);
                        let nothing = replaced.number_of.contains(&MISSING).then(|| texts.intern(""));
                        let number = |value: u32| match replaced.number_of[value as usize] {
                            MISSING => nothing.unwrap_or_default(),
                            number => number,
                        };
                        let counts =
                            values.counts.iter().map(|&(cluster, value, count)| (cluster, number(value), count));
                        let column = Column { values: Arc::new(texts.into_strings()), ..values.column.clone() };
                        ValueCounts::new(column, counts.collect())
                    }
                };
                let values = masked.values.iter().map(replaced).collect();
                Shape::Masked(Masked { values, ..masked.clone() })
            }
        };
        Self { names: self.names.clone(), shape, left_out: self.left_out, expansions: self.expansions }
    }
}

fn is_text(column: &Column) -> bool {
    matches!(column.role, ColumnRole::Sensitive | ColumnRole::Plain) && column.kind == ColumnType::Text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn names(count: usize) -> Strings {
        (0..count).map(|node| format!("n{node}")).collect::<Vec<_>>().iter().map(String::as_str).collect()
    }

    #[test]
    fn loops_copies_and_directions_are_counted() {
        let pairs = vec![(0, 1), (1, 0), (0, 1), (2, 2), (1, 2), (1, 2), (3, 1)];
        let (graph, simplified) = Graph::of_pairs(names(5), pairs);
        assert_eq!(simplified, Simplified { loops: 1, repeated: 2, reversed: 1 });
        assert_eq!((graph.nodes(), graph.edges()), (5, 3));
        assert_eq!(graph.pairs().collect::<Vec<_>>(), [(0, 1), (1, 2), (1, 3)]);
        assert!(graph.neighbours(4).is_empty() && graph.has_edge(3, 1) && !graph.has_edge(0, 3));
        let some = graph.of_persons(&[3, 4, 1]);
        assert_eq!(some.pairs().collect::<Vec<_>>(), [(0, 2)]);
        assert_eq!(some.names().get(0), "n3");
    }

    /// A triangle with a tail: 1, 1, 1/3 and 0; 3 of 5 pairs of neighbours are closed.
    #[test]
    fn clustering_by_hand() {
        let (graph, _) = Graph::of_pairs(names(4), vec![(0, 1), (0, 2), (1, 2), (2, 3)]);
        let [local, transitivity] = graph.clustering(None);
        assert!((local - 7.0 / 12.0).abs() < 1e-12 && (transitivity - 0.6).abs() < 1e-12);
    }

    #[test]
    fn facts_are_numbers_of_neighbours() {
        let (graph, _) = Graph::of_pairs(names(4), vec![(0, 1), (1, 2)]);
        assert_eq!(*graph.facts(0).of(1), [2]);
        assert_eq!(*graph.facts(1).of(0), [2]);
        assert_eq!(graph.facts(2).count(), 0);
        assert_eq!(graph.groups(), [vec![0, 2], vec![1], vec![3]]);
    }

    proptest! {
        /// The order of edges, their directions and copies are nothing to the graph.
        #[test]
        fn a_graph_is_a_set_of_pairs(pairs in prop::collection::vec((0u32..7, 0u32..7), 0..40), turn: bool) {
            let (graph, simplified) = Graph::of_pairs(names(7), pairs.clone());
            let mut set: Vec<(u32, u32)> =
                pairs.iter().filter(|(a, b)| a != b).map(|&(a, b)| (a.min(b), a.max(b))).collect();
            set.sort_unstable();
            set.dedup();
            prop_assert_eq!(graph.pairs().collect::<Vec<_>>(), set.clone());
            let left_out = simplified.loops + simplified.repeated + simplified.reversed;
            prop_assert_eq!(left_out + graph.edges(), pairs.len() as u64);
            let other: Vec<(u32, u32)> =
                pairs.iter().rev().map(|&(a, b)| if turn { (b, a) } else { (a, b) }).collect();
            let (same, again) = Graph::of_pairs(names(7), other);
            prop_assert_eq!(same.pairs().collect::<Vec<_>>(), set);
            prop_assert_eq!(again, simplified);
            // Clustering of all, and of all as a sample, by different ways.
            let sample: Vec<u32> = (0..7).collect();
            let (one, other) = (graph.clustering(None), graph.clustering(Some(&sample)));
            prop_assert!((one[0] - other[0]).abs() < 1e-12 && (one[1] - other[1]).abs() < 1e-12);
            for node in 0..7 {
                prop_assert!(graph.neighbours(node).is_sorted());
            }
        }
    }
}
