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

use super::around::{Around, Known};
use super::{Asked, AttackInfo, Attempt, Outcome, Scene};
use crate::data::graph::masked::{Masked, pairs_of};
use crate::data::{Dataset as _, Graph};
use crate::error::Result;
use crate::methods::graph::most_edges;
use crate::models::edge_confidence;
use crate::models::graph_k_anonymity;

/// What is known of targets, and how many persons are alone by that in the original.
struct Knowledge {
    targets: Vec<(u32, Around)>,
    unique: f64,
}

/// The release as the attacker sees it.
enum Seen {
    /// What is known of each node, in rising order, of a graph of single nodes.
    Plain(Vec<(Around, u32)>),
    /// Rooms, and how many edges can lie between the neighbours of a node of each cluster.
    Masked(Rooms, Vec<u64>),
}

/// How many edges a node of each cluster can have, and must.
pub(super) struct Rooms {
    pub(super) sizes: Vec<u32>,
    forced: Vec<u64>,
    room: Vec<u64>,
    /// For each cluster those beside it (itself too) with the most neighbours that one node can have there, most room first.
    beside: Vec<Vec<(u64, u64)>>,
    /// For each cluster the blocks that it has with others (itself too) and that may have edges.
    pub(super) blocks: Vec<Vec<Beside>>,
}

/// A block of a cluster that may have edges.
#[derive(Debug, Clone, Copy)]
pub(super) struct Beside {
    /// The other cluster.
    pub(super) other: usize,
    /// The most neighbours that a node can have there.
    most: u64,
    /// The most edges that the block can have.
    edges: u64,
    /// Whether every pair of it is known to be an edge.
    pub(super) is_full: bool,
}

/// The most edges that a block may have: a count at the cap may be any greater one.
pub(super) fn upper(edges: u64, pairs: u64, cap: Option<f64>) -> u64 {
    match cap {
        Some(cap) if cap < 1.0 && edges >= most_edges(pairs, cap) => pairs,
        _ => edges,
    }
}

impl Rooms {
    pub(super) fn of(masked: &Masked, cap: Option<f64>) -> Self {
        let clusters = masked.clusters();
        let mut blocks: Vec<Vec<Beside>> = vec![Vec::new(); clusters];
        let is_capped = |edges: u64, pairs: u64| cap.is_some_and(|cap| cap < 1.0 && edges >= most_edges(pairs, cap));
        let block = |other: usize, edges: u64, pairs: u64, size: u64| {
            let upper = upper(edges, pairs, cap);
            let is_full = pairs > 0 && edges >= pairs && !is_capped(edges, pairs);
            Beside { other, most: upper.min(size), edges: upper, is_full }
        };
        let (mut forced, mut room) = (vec![0u64; clusters], vec![0u64; clusters]);
        for (cluster, (&size, &edges)) in masked.sizes.iter().zip(&masked.inner).enumerate() {
            let size = u64::from(size);
            let own = block(cluster, edges, pairs_of(size), size.saturating_sub(1));
            room[cluster] += own.most;
            blocks[cluster].push(own);
            forced[cluster] += edges.saturating_sub(pairs_of(size.saturating_sub(1)));
        }
        for between in &masked.between {
            let [left, right] = between.clusters.map(|cluster| cluster as usize);
            if left >= clusters || right >= clusters {
                continue;
            }
            let [own, other] = [left, right].map(|cluster| u64::from(masked.sizes[cluster]));
            for (at, beside, own, other) in [(left, right, own, other), (right, left, other, own)] {
                let found = block(beside, between.edges, own * other, other);
                room[at] += found.most;
                blocks[at].push(found);
                forced[at] += between.edges.saturating_sub(own.saturating_sub(1) * other);
            }
        }
        blocks.iter_mut().for_each(|own| own.retain(|block| block.edges > 0));
        let beside = |own: &Vec<Beside>| {
            let mut beside: Vec<(u64, u64)> = own.iter().map(|block| (room[block.other], block.most)).collect();
            beside.sort_unstable_by(|one, other| other.cmp(one));
            beside
        };
        let beside = blocks.iter().map(beside).collect();
        Self { sizes: masked.sizes.clone(), forced, room, beside, blocks }
    }

    /// Whether somebody of whom this is known can be in a cluster.
    pub(super) fn can_be_in(&self, cluster: usize, known: &Around) -> bool {
        let (degree, neighbours) = (u64::from(known.degree), &known.neighbours);
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

    /// For each cluster the most edges that can lie between the neighbours of one of its nodes.
    fn among(&self) -> Vec<u64> {
        let mut most = vec![0u64; self.sizes.len()];
        let of = |own: &Vec<Beside>| {
            own.iter().for_each(|block| most[block.other] = block.most);
            let mut edges = 0;
            for first in own {
                for second in self.blocks[first.other].iter().filter(|second| second.other >= first.other) {
                    let pairs = match second.other == first.other {
                        true => pairs_of(first.most),
                        false => first.most * most[second.other],
                    };
                    edges += second.edges.min(pairs);
                }
            }
            own.iter().for_each(|block| most[block.other] = 0);
            edges
        };
        self.blocks.iter().map(of).collect()
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
        let mut all: Vec<Around> = (0..graph.persons() as u32).map(|node| known.of(graph, node)).collect();
        let targets = targets.into_iter().map(|target| (target, all[target as usize].clone())).collect();
        all.sort_unstable();
        let unique = all.chunk_by(|one, other| one == other).filter(|same| same.len() == 1).count();
        Ok(Knowledge { targets, unique: unique as f64 / all.len().max(1) as f64 })
    })?;
    let cap = asked.promised(edge_confidence::INFO.name, "c");
    let looking = knowing.looking(|released, _| {
        Ok(match released.data.masked() {
            Some(masked) => {
                let rooms = Rooms::of(masked, cap);
                let among = if known == Known::Shape { rooms.among() } else { vec![0; rooms.sizes.len()] };
                Seen::Masked(rooms, among)
            }
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
                Seen::Masked(rooms, among) => {
                    let can_be = |&cluster: &usize| known.edges <= among[cluster] && rooms.can_be_in(cluster, known);
                    let fits = (0..rooms.sizes.len()).filter(can_be);
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
            let outcome = match known {
                Known::Shape => outcome.with_knowledge(json!({"radius_one": true})),
                Known::Degree | Known::Neighbours => outcome,
            };
            vec![outcome.with_parts(parts)]
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
        play_asked(attack, original, release, link, &asked())
    }

    fn play_asked(
        attack: &dyn super::super::Attack<Graph>,
        original: &Graph,
        release: &Graph,
        link: &[Option<u32>],
        asked: &Asked,
    ) -> Outcome {
        let multiplicity = vec![1; release.persons()];
        let scene = Scene::new(original, release, &multiplicity, Some(link), &Silent);
        attack.attack(&scene, asked).unwrap().remove(0)
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
                let asked = Asked { radius_one: true, ..asked() };
                let outcome = play_asked(attack, &graph, &protected.records, &protected.record_of, &asked);
                prop_assert_eq!(outcome.found, Some(1.0));
            }
        }
    }
}
