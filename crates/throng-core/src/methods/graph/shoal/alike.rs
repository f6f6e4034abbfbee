//! For each node those that are most like it: by the neighbours that they have in common, and by their attributes.
//!
//! # Idea
//! 1. By structure: of the nodes two steps away, and the neighbours, those with the smallest |N(x) xor N(y)|; ties to the lower node.
//!    A step through a node of very many neighbours is left out.
//! 2. By attributes: some before and some after in an order in which those that say much the same are near each other.
//!
//! # Cost
//! Time O(sum of squared degrees), side by side on all threads; memory O(nodes x candidates).

use rayon::prelude::*;

use crate::data::{Dataset as _, Graph};
use crate::methods::graph::attributes::Attributes;
use crate::methods::graph::greedy::HUB;

/// So many before and so many after in the order of attributes.
const NEAR: usize = 24;
/// Nodes are worked out so many at once.
const PIECE: usize = 512;

/// Candidates of each node.
pub(super) struct Alike {
    starts: Vec<usize>,
    nodes: Vec<u32>,
}

impl Alike {
    pub(super) fn of(
        graph: &Graph,
        attributes: &Attributes<'_>,
        most: usize,
        by_attributes: bool,
        by_structure: bool,
    ) -> Self {
        let nodes = graph.persons();
        let order = if by_attributes && attributes.columns() > 0 { attributes.order(nodes) } else { Vec::new() };
        let mut place = vec![0u32; order.len()];
        (0u32..).zip(&order).for_each(|(at, &node)| place[node as usize] = at);
        let pieces: Vec<usize> = (0..nodes).step_by(PIECE).collect();
        let found: Vec<Vec<Vec<u32>>> = pieces
            .into_par_iter()
            .map_init(
                || (vec![0u32; nodes], Vec::new()),
                |(common, met), first| {
                    let piece = first..(first + PIECE).min(nodes);
                    let of = |node: usize| {
                        let mut all = match by_structure {
                            true => by_neighbours(graph, node as u32, most, common, met),
                            false => Vec::new(),
                        };
                        if let Some(&at) = place.get(node) {
                            let at = at as usize;
                            let around = at.saturating_sub(NEAR)..(at + NEAR + 1).min(order.len());
                            all.extend(around.map(|at| order[at]).filter(|&other| other as usize != node));
                        }
                        all
                    };
                    piece.map(of).collect()
                },
            )
            .collect();
        let mut alike = Self { starts: vec![0], nodes: Vec::new() };
        for own in found.iter().flatten() {
            alike.nodes.extend(own);
            alike.starts.push(alike.nodes.len());
        }
        alike
    }

    pub(super) fn around(&self, node: u32) -> &[u32] {
        &self.nodes[self.starts[node as usize]..self.starts[node as usize + 1]]
    }
}

/// The nodes with the most like neighbours.
fn by_neighbours(graph: &Graph, node: u32, most: usize, common: &mut [u32], met: &mut Vec<u32>) -> Vec<u32> {
    let mut meet = |other: u32| {
        if common[other as usize] == 0 {
            met.push(other);
        }
        common[other as usize] += 1;
    };
    for &middle in graph.neighbours(node) {
        meet(middle);
        if graph.degree(middle) <= HUB {
            graph.neighbours(middle).iter().filter(|&&other| other != node).for_each(|&other| meet(other));
        }
    }
    let own = graph.degree(node) as i64;
    let mut all: Vec<(i64, u32)> = met
        .drain(..)
        .map(|other| {
            let both = std::mem::take(&mut common[other as usize]);
            (own + graph.degree(other) as i64 - 2 * i64::from(both), other)
        })
        .collect();
    if all.len() > most {
        all.select_nth_unstable(most);
        all.truncate(most);
    }
    all.sort_unstable();
    all.into_iter().map(|(_, other)| other).collect()
}
