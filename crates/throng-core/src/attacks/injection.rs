//! Injection: somebody makes persons up before a graph is published, befriends the targets through them, and looks for them afterwards.
//!
//! Paper      Backstrom, Dwork, Kleinberg. Wherefore art thou R3579X? Anonymized social networks, hidden patterns, and structural
//!            steganography. WWW 2007: the walk-based attack, active and passive.
//!
//! # Idea
//! 1. Active: about 2 log2 n made-up persons join the original. The first knows the second, the second the third and so on; any others know
//!    each other with chance 1/2; every target is befriended by three of them, no two targets by the same; each has some further friends.
//! 2. That graph is protected once more by `shoal` on structure alone, with the claimed k and greatest confidence.
//! 3. In the renamed graph: a walk goes from node to node as the made-up persons know each other, and stays only where numbers of neighbours
//!    and the edges to all before are right (`walk`). The target is the one outside whom just its three know.
//! 4. In the masked network: for each made-up person the clusters that have room for them; a cluster goes if some edge or some missing edge of
//!    the pattern has no place with the clusters that are left of the other end, until none goes. A target may be in every cluster that may
//!    have edges with clusters of all three.
//! 5. Passive: groups of friends who know how many neighbours each has and who of them know each other look for themselves, the same way, in
//!    the renamed original and in the release itself.
//!
//! # Formula
//! hits = the sum over targets, or members of groups, of 1 / c where they are among the c candidates. Control: the same for persons whom
//! nobody befriended, as if three had. Baseline 1 / persons; bound 1 / k.
//!
//! # Cost
//! That of `shoal --effort fast`, and O(rounds x edges of the pattern x blocks).

use serde_json::json;

use super::around::Around;
use super::structure::Rooms;
use super::{Asked, Attack, AttackInfo, Attempt, Outcome, Scene};
use crate::data::{Dataset as _, Graph, Strings};
use crate::error::Result;
use crate::info::Info;
use crate::methods::Method as _;
use crate::methods::graph::shoal::{Effort, Params, Shoal};
use crate::models::{edge_confidence, graph_k_anonymity};
use crate::progress::Silent;
use crate::rng::Rng;

/// The card of the attack.
pub const INFO: AttackInfo = AttackInfo {
    info: Info {
        name: "injection",
        summary: "somebody who makes persons up beforehand, or a group of friends, looks for their pattern",
        paper: "Backstrom, Dwork, Kleinberg. Wherefore art thou R3579X? Anonymized social networks, hidden patterns, and structural \
            steganography. WWW 2007",
        details: "Two outcomes. `active`: about 2 log2 n persons are made up, who know each other in a random pattern and befriend `--targets` persons \
            (10) before the graph is published; that graph is protected once more (by shoal on structure alone, with the claimed k and greatest \
            confidence), and the attacker looks for the pattern. `passive`: as many groups of friends, who know how many neighbours each has and who \
            of them know each other, look for themselves in the release. `parts.found_before` is what share is found in the original with \
            its names removed, by walks that follow numbers of neighbours and edges.\n\
            hits adds up 1 / candidates; `control` is the same for persons whom nobody befriended.\n\
            graph-k-anonymity(k) promises at most 1 / k. Needs the link between persons (--key).",
        parameters: &[],
    },
    who: [
        "makes persons up beforehand, and looks for them and their friends",
        "is one of a group of friends, and looks for all of them",
    ],
    ..AttackInfo::DEFAULT
};

/// So many made-up persons befriend a target.
const TIES: usize = 3;
/// A walk takes so many steps at most; who then has more than one place is not found.
const MOST_STEPS: usize = 4_000_000;
/// So many places of a pattern are told apart; beyond, it is not found.
const MOST_PLACES: usize = 64;

/// The attack.
#[derive(Debug, Clone, Copy)]
pub struct Injection;

/// Persons in a row, each of whom knows the one before: how many neighbours they have, and who knows whom of them.
#[derive(Debug, Clone)]
struct Pattern {
    degrees: Vec<u32>,
    knows: Vec<Vec<bool>>,
}

impl Pattern {
    fn of(graph: &Graph, persons: &[u32]) -> Self {
        let knows = |&one: &u32| persons.iter().map(|&other| one != other && graph.has_edge(one, other)).collect();
        Self {
            degrees: persons.iter().map(|&person| graph.degree(person) as u32).collect(),
            knows: persons.iter().map(knows).collect(),
        }
    }

    fn len(&self) -> usize {
        self.degrees.len()
    }

    /// The places where it is in a graph; none if there are too many, or the walk takes too long.
    fn walk(&self, graph: &Graph) -> Vec<Vec<u32>> {
        let mut places = Vec::new();
        let mut steps = MOST_STEPS;
        let mut path: Vec<u32> = Vec::with_capacity(self.len());
        // For each step how many of the nodes that may come next were tried.
        let all: Vec<u32> = (0..graph.persons() as u32).collect();
        let mut tried: Vec<usize> = vec![0];
        while let Some(at) = tried.last_mut() {
            let next = match path.last() {
                None => all.as_slice(),
                Some(&last) => graph.neighbours(last),
            };
            let Some(&node) = next.get(*at) else {
                tried.pop();
                path.pop();
                continue;
            };
            *at += 1;
            steps -= 1;
            if steps == 0 {
                return Vec::new();
            }
            if !self.fits(graph, &path, node) {
                continue;
            }
            path.push(node);
            if path.len() == self.len() {
                places.push(path.clone());
                path.pop();
                if places.len() > MOST_PLACES {
                    return Vec::new();
                }
            } else {
                tried.push(0);
            }
        }
        places
    }

    /// Whether a node may be the next one of a walk.
    fn fits(&self, graph: &Graph, path: &[u32], node: u32) -> bool {
        let at = path.len();
        graph.degree(node) as u32 == self.degrees[at]
            && !path.contains(&node)
            && path.iter().zip(&self.knows[at]).all(|(&before, &knows)| graph.has_edge(before, node) == knows)
    }

    /// For each of its persons whether they may be in each cluster.
    fn spread(&self, rooms: &Rooms) -> Vec<Vec<bool>> {
        let clusters = rooms.sizes.len();
        let may = |&degree: &u32| {
            let known = Around::of_degree(degree);
            (0..clusters).map(|cluster| rooms.can_be_in(cluster, &known)).collect()
        };
        let mut may: Vec<Vec<bool>> = self.degrees.iter().map(may).collect();
        loop {
            let mut is_same = true;
            for one in 0..self.len() {
                for other in (0..self.len()).filter(|&other| other != one) {
                    for cluster in 0..clusters {
                        if may[one][cluster] && !self.has_place(rooms, [one, other], cluster, &may[other]) {
                            may[one][cluster] = false;
                            is_same = false;
                        }
                    }
                }
            }
            if is_same {
                return may;
            }
        }
    }

    /// Whether a person in a cluster leaves some cluster for another of the pattern, whom they know or do not know.
    fn has_place(&self, rooms: &Rooms, [one, other]: [usize; 2], cluster: usize, may: &[bool]) -> bool {
        let blocks = &rooms.blocks[cluster];
        if self.knows[one][other] {
            return blocks.iter().any(|block| may[block.other]);
        }
        // Of a full block every pair is an edge; all other blocks may lack one.
        let full = blocks.iter().filter(|block| block.is_full && may[block.other]).count();
        full == 0 || may.iter().filter(|may| **may).count() > full
    }
}

/// Made-up persons in a graph.
struct Planted {
    graph: Graph,
    /// Their numbers, in the order of the pattern.
    persons: Vec<u32>,
    /// The targets, each with those made-up persons, by their place in the pattern, who befriended them.
    targets: Vec<(u32, Vec<usize>)>,
    /// Persons whom nobody befriended, as if.
    others: Vec<(u32, Vec<usize>)>,
}

impl Planted {
    fn into(original: &Graph, targets: usize, rng: &mut Rng) -> Self {
        let nodes = original.persons();
        let count = (2.0 * (nodes.max(2) as f64).log2()).ceil() as usize;
        let count = count.max(TIES + 2);
        // Every target has ties of its own; half of all there could be leave room to draw them.
        let most = (count * (count - 1) * (count - 2) / 6 / 2).min(nodes / 2).max(1);
        let chosen = rng.sample(nodes, 2 * targets.min(most));
        let mut chosen: Vec<u32> = chosen.into_iter().take(nodes).collect();
        rng.shuffle(&mut chosen);
        let persons: Vec<u32> = (0..count).map(|at| (nodes + at) as u32).collect();
        let mut pairs: Vec<(u32, u32)> = original.pairs().collect();
        for one in 0..count {
            for other in one + 1..count {
                if other == one + 1 || rng.unit() < 0.5 {
                    pairs.push((persons[one], persons[other]));
                }
            }
        }
        let mut known: Vec<Vec<usize>> = Vec::new();
        let mut ties = |rng: &mut Rng| loop {
            let mut own: Vec<usize> = rng.sample(count, TIES).into_iter().map(|at| at as usize).collect();
            own.sort_unstable();
            if !known.contains(&own) {
                known.push(own.clone());
                return own;
            }
        };
        let all: Vec<(u32, Vec<usize>)> = chosen.into_iter().map(|target| (target, ties(rng))).collect();
        let (targets, others) = all.split_at(all.len().div_ceil(2));
        for (target, ties) in targets {
            pairs.extend(ties.iter().map(|&at| (*target, persons[at])));
        }
        // Further friends, so that nobody stands out by knowing few.
        let mean = (2 * original.edges()).div_ceil(nodes.max(1) as u64);
        for &person in &persons {
            for _ in 0..rng.below(mean + 1) {
                let friend = rng.index(nodes) as u32;
                if !all.iter().any(|(target, _)| *target == friend) {
                    pairs.push((friend, person));
                }
            }
        }
        let mut names = Strings::new();
        (0..nodes + count).for_each(|node| _ = names.push(&node.to_string()));
        let (targets, others) = (targets.to_vec(), others.to_vec());
        Self { graph: Graph::of_pairs(names, pairs).0, persons, targets, others }
    }
}

/// The persons outside a place of a pattern whom just these of it know.
fn known_by(graph: &Graph, place: &[u32], ties: &[usize]) -> Vec<u32> {
    let is_tied = |&&node: &&u32| {
        !place.contains(&node)
            && place.iter().enumerate().all(|(at, &person)| graph.has_edge(node, person) == ties.contains(&at))
    };
    graph.neighbours(place[ties[0]]).iter().filter(is_tied).copied().collect()
}

/// How sure a target is found in a graph with its names removed.
fn found_in_graph(graph: &Graph, places: &[Vec<u32>], target: u32, ties: &[usize]) -> f64 {
    let all: Vec<u32> = places.iter().flat_map(|place| known_by(graph, place, ties)).collect();
    share_of(&all, target)
}

/// The share of candidates that are right.
fn share_of(candidates: &[u32], target: u32) -> f64 {
    let right = candidates.iter().filter(|&&candidate| candidate == target).count();
    right as f64 / candidates.len().max(1) as f64
}

/// One guess among the nodes of clusters, of which one is right if it is there.
fn attempt(rooms: &Rooms, may: impl Fn(usize) -> bool, own: Option<u32>) -> Attempt {
    let candidates: u64 = (0..rooms.sizes.len()).filter(|&at| may(at)).map(|at| u64::from(rooms.sizes[at])).sum();
    let is_found = own.is_some_and(|own| may(own as usize));
    Attempt { hit: if is_found { 1.0 / candidates.max(1) as f64 } else { 0.0 }, found: f64::from(u8::from(is_found)) }
}

/// A group of friends: each knows the one before.
fn group(graph: &Graph, size: usize, rng: &mut Rng) -> Vec<u32> {
    let mut best: Vec<u32> = Vec::new();
    // A walk may end in a corner.
    for _ in 0..20 {
        let mut path = vec![rng.index(graph.persons()) as u32];
        while path.len() < size {
            let free: Vec<u32> =
                graph.neighbours(path[path.len() - 1]).iter().copied().filter(|other| !path.contains(other)).collect();
            if free.is_empty() {
                break;
            }
            path.push(free[rng.index(free.len())]);
        }
        if path.len() > best.len() {
            best = path;
        }
        if best.len() == size {
            break;
        }
    }
    best
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// The attacker who makes persons up.
fn active(original: &Graph, is_masked: bool, asked: &Asked) -> Result<Outcome> {
    let mut rng = Rng::seeded_stream(asked.seed, 0x1A7);
    let planted = Planted::into(original, asked.injected, &mut rng);
    let pattern = Pattern::of(&planted.graph, &planted.persons);
    let places = pattern.walk(&planted.graph);
    let in_graph = |tied: &[(u32, Vec<usize>)]| -> Vec<f64> {
        tied.iter().map(|(target, ties)| found_in_graph(&planted.graph, &places, *target, ties)).collect()
    };
    let before = in_graph(&planted.targets);
    let cap = asked.promised(edge_confidence::INFO.name, "c");
    let k = asked.promised(graph_k_anonymity::INFO.name, "k").map_or(5, |k| k.max(2.0) as usize);
    let knowledge = json!({"variant": "active", "planted": planted.persons.len(), "targets": planted.targets.len()});
    let (attempts, control) = if is_masked {
        let params = Params { k, alpha: 0.0, beta: 1.0, max_confidence: cap.unwrap_or(1.0), effort: Effort::Fast };
        let protected = Shoal::new(params)?.protect(&planted.graph, &mut rng, &Silent)?;
        let rooms = Rooms::of(protected.records.as_masked()?, cap);
        let spread = pattern.spread(&rooms);
        let look = |(target, ties): &(u32, Vec<usize>)| {
            let may = |cluster: usize| {
                let is_beside = |&at: &usize| rooms.blocks[cluster].iter().any(|block| spread[at][block.other]);
                ties.iter().all(is_beside)
            };
            attempt(&rooms, may, protected.record_of[*target as usize])
        };
        let [attempts, control] = [&planted.targets, &planted.others].map(|tied| tied.iter().map(look).collect());
        (attempts, control)
    } else {
        let of = |shares: Vec<f64>| -> Vec<Attempt> {
            shares.into_iter().map(|hit| Attempt { hit, found: f64::from(u8::from(hit > 0.0)) }).collect()
        };
        (of(in_graph(&planted.targets)), of(in_graph(&planted.others)))
    };
    let control: Vec<f64> = control.iter().map(|attempt: &Attempt| attempt.hit).collect();
    let parts = json!({"found_before": mean(&before), "pattern_found_before": places.len() == 1});
    Ok(Outcome::of(&INFO, &attempts)
        .with_control((!control.is_empty()).then(|| mean(&control)))
        .with_knowledge(knowledge)
        .with_parts(parts))
}

impl Attack<Graph> for Injection {
    fn info(&self) -> &'static AttackInfo {
        &INFO
    }

    fn attack(&self, scene: &Scene<'_, Graph>, asked: &Asked) -> Result<Vec<Outcome>> {
        let cap = asked.promised(edge_confidence::INFO.name, "c");
        let persons = scene.persons()[0].max(1);
        let with_figures = |outcome: Outcome| {
            let bound = asked.one_in_k(graph_k_anonymity::INFO.name);
            outcome.with_baseline(Some(1.0 / persons as f64)).with_bound(bound)
        };
        // Groups of friends, and what they know of themselves.
        let knowing = scene.knowing(|source| {
            let graph = source.original;
            graph.refuse_masked()?;
            let mut rng = Rng::seeded_stream(asked.seed, 0x1A8);
            let size = ((graph.persons().max(2) as f64).log2() * 0.6).round().max(3.0) as usize;
            let groups: Vec<Vec<u32>> = (0..asked.injected).map(|_| group(graph, size, &mut rng)).collect();
            Ok(groups.into_iter().map(|group| (Pattern::of(graph, &group), group)).collect::<Vec<_>>())
        })?;
        let looking = knowing.looking(|released, groups| {
            let Some(masked) = released.data.masked() else {
                let places = groups.iter().map(|(pattern, _)| pattern.walk(released.data)).collect();
                return Ok(Seen::Plain(places));
            };
            let rooms = Rooms::of(masked, cap);
            let spread = groups.iter().map(|(pattern, _)| pattern.spread(&rooms)).collect();
            Ok(Seen::Masked(rooms, spread))
        })?;
        let (is_masked, passive) = looking.once(
            |_, _| Ok(()),
            |truth, seen, groups, ()| {
                let mut attempts: Vec<Attempt> = Vec::new();
                let mut before: Vec<f64> = Vec::new();
                for (at, (pattern, group)) in groups.iter().enumerate() {
                    let places = pattern.walk(truth.original);
                    for (number, &member) in group.iter().enumerate() {
                        let there = |places: &[Vec<u32>], own: Option<u32>| {
                            let all: Vec<u32> = places.iter().map(|place| place[number]).collect();
                            own.map_or(0.0, |own| share_of(&all, own))
                        };
                        before.push(there(&places, Some(member)));
                        let own = truth.record_of(member);
                        attempts.push(match seen {
                            Seen::Plain(places) => {
                                let hit = there(&places[at], own);
                                Attempt { hit, found: f64::from(u8::from(hit > 0.0)) }
                            }
                            Seen::Masked(rooms, spread) => attempt(rooms, |cluster| spread[at][number][cluster], own),
                        });
                    }
                }
                let size = groups.iter().map(|(_, group)| group.len()).max().unwrap_or(0);
                let outcome = Outcome::of(&INFO, &attempts)
                    .with_knowledge(json!({"variant": "passive", "groups": groups.len(), "friends": size}))
                    .with_parts(json!({"found_before": mean(&before)}));
                (matches!(seen, Seen::Masked(..)), outcome)
            },
        )?;
        let looking = scene.knowing(|source| active(source.original, is_masked, asked))?.looking(|_, _| Ok(()))?;
        let active = looking.once(|(), _| Ok(()), |_, (), outcome, ()| outcome.clone())?;
        Ok(vec![with_figures(active), with_figures(passive)])
    }
}

/// What groups see of the release.
enum Seen {
    /// For each group the places where it is.
    Plain(Vec<Vec<Vec<u32>>>),
    /// For each group, member and cluster whether the member may be there.
    Masked(Rooms, Vec<Vec<Vec<bool>>>),
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop, prop_assert, prop_assume, proptest};

    use super::super::testing::asked;
    use super::*;
    use crate::data::graph::testing::random;
    use crate::synth::graph as synth;

    fn friends(persons: usize, seed: u64) -> Graph {
        let params = synth::Params { persons, degree: 12.0, shape: "friends".to_owned(), seed };
        synth::graph(&params).unwrap().graph
    }

    /// Both find everybody in a graph whose names are gone, and hardly anybody in a masked network.
    #[test]
    fn a_pattern_is_found_in_a_renamed_graph_and_not_in_clusters() {
        let graph = friends(300, 1);
        let same: Vec<Option<u32>> = (0..300).map(Some).collect();
        let multiplicity = vec![1; 300];
        let scene = Scene::new(&graph, &graph, &multiplicity, Some(&same), &Silent);
        let outcomes = Injection.attack(&scene, &asked()).unwrap();
        assert_eq!((outcomes[0].attempts, outcomes[0].hits), (10, 10.0), "{outcomes:?}");
        assert!(outcomes[1].rate.unwrap() > 0.6 && outcomes[0].control == Some(0.0), "{outcomes:?}");

        let params = Params { k: 5, effort: Effort::Fast, ..Params::default() };
        let protected = Shoal::new(params).unwrap().protect(&graph, &mut Rng::seeded(1), &Silent).unwrap();
        let multiplicity = vec![1; protected.records.persons()];
        let scene = Scene::new(&graph, &protected.records, &multiplicity, Some(&protected.record_of), &Silent);
        let outcomes = Injection.attack(&scene, &asked()).unwrap();
        for outcome in &outcomes {
            assert_eq!(outcome.found, Some(1.0));
            assert!(
                outcome.rate.unwrap() <= 0.2 && outcome.parts["found_before"].as_f64().unwrap() > 0.6,
                "{outcome:?}"
            );
        }
        assert_eq!(outcomes[0].parts["found_before"], json!(1.0));
    }

    proptest! {
        /// Nobody is ever ruled out where they are: whatever is left are honest candidates.
        #[test]
        fn the_own_cluster_is_always_left(graph in random(24), k in 2usize..5, share in prop::sample::select(vec![0.5, 0.9, 1.0]), seed: u64) {
            prop_assume!(graph.persons() >= k);
            let params = Params { k, max_confidence: share, effort: Effort::Fast, ..Params::default() };
            let protected = Shoal::new(params).unwrap().protect(&graph, &mut Rng::seeded(1), &Silent).unwrap();
            let rooms = Rooms::of(protected.records.masked().unwrap(), Some(share));
            let friends = group(&graph, 5, &mut Rng::seeded(seed));
            let spread = Pattern::of(&graph, &friends).spread(&rooms);
            for (member, may) in friends.iter().zip(&spread) {
                prop_assert!(may[protected.record_of[*member as usize].unwrap() as usize]);
            }
            let places = Pattern::of(&graph, &friends).walk(&graph);
            prop_assert!(places.is_empty() || places.contains(&friends));
        }
    }
}
