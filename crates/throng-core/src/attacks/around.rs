//! What somebody may know of a person's neighbourhood: how many neighbours, how many these have, and the graph that they form.
//!
//! # Idea
//! The graph that a person and their neighbours form is told from others by colours: everybody begins with their number of neighbours in it,
//! then takes a new colour from their own and those of their neighbours, until no more colours come up (Weisfeiler, Leman 1968).
//! Graphs of the same shape have the same colours; very regular ones of different shapes may have them too, and are taken for the same:
//! who is said to be alone is.
//!
//! # Cost
//! Time O(rounds x edges around the person x log).

use crate::data::Graph;
use crate::models::graph_k_anonymity::neighbour_degrees;

/// What the attacker knows of a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    /// How many neighbours.
    Degree,
    /// How many neighbours each neighbour has.
    Neighbours,
    /// The graph that the person and their neighbours form.
    Shape,
}

/// It of one person. Whoever has the same is not told apart by it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Around {
    pub(super) degree: u32,
    /// How many neighbours each neighbour has at least, in rising order; empty where that is not known.
    pub(super) neighbours: Vec<u32>,
    /// How many edges lie between neighbours, as far as that is known.
    pub(super) edges: u64,
    /// The colours of the graph that they form.
    colours: Vec<u64>,
}

impl Known {
    /// It of a person of a graph.
    pub(super) fn of(self, graph: &Graph, node: u32) -> Around {
        let around = Around::of_degree(graph.degree(node) as u32);
        match self {
            Self::Degree => around,
            Self::Neighbours => Around { neighbours: neighbour_degrees(graph, node), ..around },
            Self::Shape => shape(graph, node),
        }
    }
}

impl Around {
    /// Of somebody of whom nothing is known but how many neighbours they have.
    pub(super) fn of_degree(degree: u32) -> Self {
        Self { degree, neighbours: Vec::new(), edges: 0, colours: Vec::new() }
    }
}

/// The graph that the neighbours of a person form.
fn shape(graph: &Graph, node: u32) -> Around {
    let own = graph.neighbours(node);
    let among = |other: &u32| -> Vec<u32> {
        let theirs = graph.neighbours(*other);
        // Of the shorter list every entry is looked for in the longer one.
        let (few, many) = if theirs.len() < own.len() { (theirs, own) } else { (own, theirs) };
        let both = few.iter().filter(|&end| many.binary_search(end).is_ok());
        both.filter_map(|end| own.binary_search(end).ok().map(|at| at as u32)).collect()
    };
    let beside: Vec<Vec<u32>> = own.iter().map(among).collect();
    let mut neighbours: Vec<u32> = beside.iter().map(|beside| beside.len() as u32 + 1).collect();
    let edges = beside.iter().map(|beside| beside.len() as u64).sum::<u64>() / 2;
    let mut colours: Vec<u64> = neighbours.iter().map(|&count| mixed(0, u64::from(count))).collect();
    let mut different = distinct(&colours);
    loop {
        let next = |(at, beside): (usize, &Vec<u32>)| {
            let mut around: Vec<u64> = beside.iter().map(|&other| colours[other as usize]).collect();
            around.sort_unstable();
            around.into_iter().fold(mixed(1, colours[at]), mixed)
        };
        let after: Vec<u64> = beside.iter().enumerate().map(next).collect();
        let count = distinct(&after);
        if count <= different {
            break;
        }
        (colours, different) = (after, count);
    }
    neighbours.sort_unstable();
    colours.sort_unstable();
    Around { degree: own.len() as u32, neighbours, edges, colours }
}

fn distinct(colours: &[u64]) -> usize {
    let mut sorted = colours.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    sorted.len()
}

/// A colour out of two (the mixing of SplitMix64).
fn mixed(one: u64, other: u64) -> u64 {
    let mut mix = one.rotate_left(23) ^ other.wrapping_add(0x9E37_79B9_7F4A_7C15);
    mix = (mix ^ (mix >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mix = (mix ^ (mix >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mix ^ (mix >> 31)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::data::Dataset as _;
    use crate::data::graph::testing::{graph, random};

    #[test]
    fn shapes_by_hand() {
        // 0 has a path of three around it, 4 a triangle, 8 three strangers.
        let path = [(0, 1), (0, 2), (0, 3), (1, 2), (2, 3)];
        let triangle = [(4, 5), (4, 6), (4, 7), (5, 6), (6, 7), (5, 7)];
        let strangers = [(8, 9), (8, 10), (8, 11)];
        let all: Vec<(u32, u32)> = path.into_iter().chain(triangle).chain(strangers).collect();
        let graph = graph(12, &all);
        let shapes: Vec<Around> = [0, 4, 8].map(|node| Known::Shape.of(&graph, node)).to_vec();
        assert_eq!(shapes.iter().map(|shape| shape.edges).collect::<Vec<_>>(), [2, 3, 0]);
        assert_eq!(shapes[0].neighbours, [2, 2, 3]);
        // Everybody in the triangle of four sees the same.
        assert_eq!(shapes[1], Known::Shape.of(&graph, 7));
        assert_ne!(shapes[0], shapes[2]);
    }

    proptest! {
        /// Other names of the same graph change nothing.
        #[test]
        fn shapes_do_not_depend_on_names(graph in random(12), seed: u64) {
            let mut number: Vec<u32> = (0..graph.persons() as u32).collect();
            crate::rng::Rng::seeded(seed).shuffle(&mut number);
            let pairs: Vec<(u32, u32)> =
                graph.pairs().map(|(left, right)| (number[left as usize], number[right as usize])).collect();
            let renamed = crate::data::graph::testing::graph(graph.persons(), &pairs);
            for node in 0..graph.persons() as u32 {
                prop_assert_eq!(Known::Shape.of(&graph, node), Known::Shape.of(&renamed, number[node as usize]));
            }
        }
    }
}
