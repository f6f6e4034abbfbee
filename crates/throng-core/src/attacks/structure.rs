//! What attacks on graphs have in common: what somebody knows of a person's neighbourhood, and which clusters of a masked network that
//! person can be in.
//!
//! # Formula
//! A node of degree d can lie in cluster a only if forced(a) <= d <= room(a): room(a) = min(|a| - 1, e_aa) + sum over b of
//! min(|b|, e_ab), the most edges that one node can have of the counts; forced(a) what is left of every count if all other nodes of
//! a have all they can. Neighbours of known degrees fit if for every t those of degree t and more are at most as many as there is room
//! for in clusters b with room(b) >= t. A count at a cap that the certificate names may be any number up to all pairs.
//!
//! # Cost
//! Time O(targets x blocks).

use serde_json::json;

use super::{Asked, AttackInfo, Attempt, Outcome, Scene};
use crate::data::graph::masked::{Masked, pairs_of};
use crate::data::{Dataset as _, Graph};
use crate::error::Result;
use crate::methods::graph::most_edges;
use crate::models::edge_confidence;
use crate::models::graph_k_anonymity::{self, neighbour_degrees};

/// What the attacker knows of a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    /// How many neighbours.
    Degree,
    /// How many neighbours each neighbour has.
    Neighbours,
}

impl Known {
    /// It of a person of a graph: their degree, and the degrees of their neighbours in rising order where those are known.
    fn of(self, graph: &Graph, node: u32) -> (u32, Vec<u32>) {
        let degree = graph.degree(node) as u32;
        match self {
            Self::Degree => (degree, Vec::new()),
            Self::Neighbours => (degree, neighbour_degrees(graph, node)),
        }
    }
}

/// What is known of targets, and how many persons are alone by that in the original.
struct Knowledge {
    targets: Vec<(u32, (u32, Vec<u32>))>,
    unique: f64,
}

/// The release as the attacker sees it.
enum Seen {
    /// What is known of each node, in rising order, of a graph of single nodes.
    Plain(Vec<((u32, Vec<u32>), u32)>),
    Masked(Rooms),
}

/// How many edges a node of each cluster can have, and must.
struct Rooms {
    sizes: Vec<u32>,
    forced: Vec<u64>,
    room: Vec<u64>,
    /// For each cluster those beside it (itself too) with the most neighbours that one node can have there, most room first.
    beside: Vec<Vec<(u64, u64)>>,
}

/// The most edges that a block may have: a count at the cap may be any greater one.
pub(super) fn upper(edges: u64, pairs: u64, cap: Option<f64>) -> u64 {
    match cap {
        Some(cap) if cap < 1.0 && edges >= most_edges(pairs, cap) => pairs,
        _ => edges,
    }
}

impl Rooms {
    fn of(masked: &Masked, cap: Option<f64>) -> Self {
        let clusters = masked.clusters();
        let mut rooms: Vec<Vec<(usize, u64)>> = vec![Vec::new(); clusters];
        let (mut forced, mut room) = (vec![0u64; clusters], vec![0u64; clusters]);
        for (cluster, (&size, &edges)) in masked.sizes.iter().zip(&masked.inner).enumerate() {
            let size = u64::from(size);
            let most = upper(edges, pairs_of(size), cap).min(size.saturating_sub(1));
            rooms[cluster].push((cluster, most));
            room[cluster] += most;
            forced[cluster] += edges.saturating_sub(pairs_of(size.saturating_sub(1)));
        }
        for between in &masked.between {
            let [left, right] = between.clusters.map(|cluster| cluster as usize);
            if left >= clusters || right >= clusters {
                continue;
            }
            let [own, other] = [left, right].map(|cluster| u64::from(masked.sizes[cluster]));
            let most = upper(between.edges, own * other, cap);
            for (at, beside, own, other) in [(left, right, own, other), (right, left, other, own)] {
                rooms[at].push((beside, most.min(other)));
                room[at] += most.min(other);
                forced[at] += between.edges.saturating_sub(own.saturating_sub(1) * other);
            }
        }
        let beside = |own: Vec<(usize, u64)>| {
            let mut beside: Vec<(u64, u64)> = own.into_iter().map(|(other, most)| (room[other], most)).collect();
            beside.sort_unstable_by(|one, other| other.cmp(one));
            beside
        };
        let beside = rooms.into_iter().map(beside).collect();
        Self { sizes: masked.sizes.clone(), forced, room, beside }
    }

    /// Whether somebody of whom this is known can be in a cluster.
    fn can_be_in(&self, cluster: usize, (degree, neighbours): &(u32, Vec<u32>)) -> bool {
        let degree = u64::from(*degree);
        if degree < self.forced[cluster] || degree > self.room[cluster] {
            return false;
        }
        let mut beside = self.beside[cluster].iter().copied().peekable();
        let mut free = 0u64;
        // The greatest degrees first: whoever fits there leaves room for none of a greater one.
        for &wanted in neighbours.iter().rev() {
            while let Some(&(room, most)) = beside.peek()
                && room >= u64::from(wanted)
            {
                free += most;
                beside.next();
            }
            if free == 0 {
                return false;
            }
            free -= 1;
        }
        true
    }
}

/// Plays an attacker who knows this of persons.
pub(super) fn attack(
    card: &'static AttackInfo,
    known: Known,
    scene: &Scene<'_, Graph>,
    asked: &Asked,
) -> Result<Vec<Outcome>> {
    let knowing = scene.knowing(|source| {
        let graph = source.original;
        graph.refuse_masked()?;
        let targets = asked.targets_of(graph.persons());
        let mut all: Vec<(u32, Vec<u32>)> = (0..graph.persons() as u32).map(|node| known.of(graph, node)).collect();
        let targets = targets.into_iter().map(|target| (target, all[target as usize].clone())).collect();
        all.sort_unstable();
        let unique = all.chunk_by(|one, other| one == other).filter(|same| same.len() == 1).count();
        Ok(Knowledge { targets, unique: unique as f64 / all.len().max(1) as f64 })
    })?;
    let cap = asked.promised(edge_confidence::INFO.name, "c");
    let looking = knowing.looking(|released, _| {
        Ok(match released.data.masked() {
            Some(masked) => Seen::Masked(Rooms::of(masked, cap)),
            None => {
                let graph = released.data;
                let mut all: Vec<_> = (0..graph.persons() as u32).map(|node| (known.of(graph, node), node)).collect();
                all.sort_unstable();
                Seen::Plain(all)
            }
        })
    })?;
    let persons = scene.persons()[0].max(1);
    looking.all(
        |knowledge| knowledge.targets.len(),
        |seen, knowledge, target, say| {
            let known = &knowledge.targets[target].1;
            match seen {
                Seen::Plain(all) => {
                    let start = all.partition_point(|(other, _)| other < known);
                    let same = all[start..].iter().take_while(|(other, _)| other == known);
                    let nodes: Vec<u32> = same.map(|&(_, node)| node).collect();
                    say((nodes.len() as u64, nodes));
                }
                Seen::Masked(rooms) => {
                    let fits = (0..rooms.sizes.len()).filter(|&cluster| rooms.can_be_in(cluster, known));
                    let clusters: Vec<u32> = fits.map(|cluster| cluster as u32).collect();
                    let candidates = clusters.iter().map(|&cluster| u64::from(rooms.sizes[cluster as usize])).sum();
                    say((candidates, clusters));
                }
            }
        },
        |truth, _, knowledge, target, (candidates, records): (u64, Vec<u32>)| {
            let own = truth.record_of(knowledge.targets[target].0);
            let is_found = own.is_some_and(|own| records.contains(&own));
            Attempt {
                hit: if is_found { 1.0 / candidates.max(1) as f64 } else { 0.0 },
                found: f64::from(u8::from(is_found)),
            }
        },
        |_, knowledge, attempts| {
            let all: Vec<Attempt> = attempts.iter().map(|draws| Attempt::mean(draws.iter().copied())).collect();
            let outcome = Outcome::of(card, &all)
                .with_baseline(Some(1.0 / persons as f64))
                .with_bound(asked.one_in_k(graph_k_anonymity::INFO.name));
            let parts = json!({"unique_before": knowledge.unique});
            vec![Outcome { parts, ..outcome }]
        },
    )
}

#[cfg(test)]
mod tests {
    use super::super::testing::asked;
    use super::super::{degree, edges, neighbourhood};
    use super::*;
    use crate::data::graph::testing::graph;
    use crate::data::graph::testing::random;
    use crate::methods::Method as _;
    use crate::methods::graph::sangreea::{Params, Sangreea};
    use crate::progress::Silent;
    use crate::rng::Rng;
    use proptest::prelude::*;

    fn play(
        attack: &dyn super::super::Attack<Graph>,
        original: &Graph,
        release: &Graph,
        link: &[Option<u32>],
    ) -> Outcome {
        let multiplicity = vec![1; release.persons()];
        let scene = Scene::new(original, release, &multiplicity, Some(link), &Silent);
        attack.attack(&scene, &asked()).unwrap().remove(0)
    }

    #[test]
    fn a_star_is_found_by_its_middle() {
        let star = graph(6, &[(0, 1), (0, 2), (0, 3), (0, 4), (4, 5)]);
        let same: Vec<Option<u32>> = (0..6).map(Some).collect();
        // Degrees 4, 1, 1, 1, 2, 1: the middle and its helper are alone.
        let outcome = play(&degree::Degree, &star, &star, &same);
        assert!(
            (outcome.hits - 3.0).abs() < 1e-12 && outcome.parts["unique_before"] == json!(2.0 / 6.0),
            "{outcome:?}"
        );
        // By the degrees of neighbours the outermost one is, too.
        let outcome = play(&neighbourhood::Neighbourhood, &star, &star, &same);
        assert!((outcome.hits - 4.0).abs() < 1e-12, "{outcome:?}");
        let outcome = play(&edges::Edges, &star, &star, &same);
        assert_eq!((outcome.attempts, outcome.hits), (5, 5.0));
    }

    /// Two triangles that nothing joins: both are full, and nothing lies between them.
    #[test]
    fn full_blocks_give_edges_away() {
        let two = graph(6, &[(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5)]);
        let method = Sangreea::new(Params { k: 3, alpha: 0.0, beta: 1.0, exact: true }).unwrap();
        let protected = method.protect(&two, &mut Rng::seeded(1), &Silent).unwrap();
        let outcome = play(&edges::Edges, &two, &protected.records, &protected.record_of);
        assert_eq!(
            (outcome.hits, outcome.parts["above_90"].clone(), outcome.parts["non_edges_certain"].clone()),
            (6.0, json!(1.0), json!(1.0))
        );
    }

    proptest! {
        /// Whoever is in a cluster is never ruled out there, and nobody is left with fewer than k candidates.
        #[test]
        fn the_own_cluster_is_always_a_candidate(graph in random(20), k in 2usize..4) {
            prop_assume!(graph.persons() >= k);
            let method = Sangreea::new(Params { k, alpha: 0.0, beta: 1.0, exact: true }).unwrap();
            let protected = method.protect(&graph, &mut Rng::seeded(1), &Silent).unwrap();
            for attack in [&degree::Degree as &dyn super::super::Attack<Graph>, &neighbourhood::Neighbourhood] {
                let outcome = play(attack, &graph, &protected.records, &protected.record_of);
                prop_assert_eq!(outcome.found, Some(1.0));
                prop_assert!(outcome.hits <= graph.persons() as f64 / k as f64 + 1e-9);
            }
        }
    }
}
