//! Paths kept: whether persons are as far from each other in a random graph with the published counts.
//!
//! Paper      Ours.
//!
//! # Formula
//! 200 pairs of persons are drawn by the seed, in the original and in every expansion: the mean number of steps between those that can be
//! reached, and the share that can. Kept: the smaller of both means by the greater; after is the mean over expansions.
//!
//! # Cost
//! Time O(pairs x expansions x edges) at worst; both ends of a pair look for each other, which meets far sooner.

use rayon::prelude::*;
use serde_json::json;

use super::super::super::{Context, Measure, MeasureInfo, Measured, Pair};
use super::expanded::{kept, mean, of_each};
use crate::data::{Dataset as _, Graph};
use crate::error::Result;
use crate::info::Info;
use crate::rng::Rng;

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "paths-kept",
        summary: "whether persons are as far from each other in a random graph with the published counts",
        paper: "ours",
        details: "200 pairs of persons are drawn by the seed, in the original and in random graphs with exactly the published counts \
            (`--expansions`, 5): the mean number of steps from one to the other, the smaller by the greater. `parts.steps` has both means, \
            `parts.reachable` the share of pairs that are joined at all.",
        parameters: &[],
    },
    unit: "of 1",
    better: "higher",
    undefined: "no two of the sampled persons are joined",
    ..MeasureInfo::DEFAULT
};

/// So many pairs are drawn.
const PAIRS: usize = 200;
/// The stream of the pairs of the original; those of expansions have the following ones.
const STREAM: u64 = 0xF0_0000;

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct PathsKept;

impl Measure<Graph> for PathsKept {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, Graph>, context: &Context<'_>) -> Result<Measured> {
        let found = of_each(pair, context, |number, expansion, _| {
            walked(&expansion.graph, &mut Rng::seeded_stream(context.seed, STREAM + 1 + number))
        })?;
        let before = walked(pair.original, &mut Rng::seeded_stream(context.seed, STREAM));
        let lengths: Vec<f64> = found.iter().filter_map(|(steps, _)| *steps).collect();
        let after = (!lengths.is_empty()).then(|| mean(lengths.into_iter()));
        let value = before.0.zip(after).map(|(before, after)| kept(before, after));
        let parts = json!({
            "steps": {"before": before.0, "after": after},
            "reachable": {"before": before.1, "after": mean(found.iter().map(|(_, share)| *share))},
            "pairs": PAIRS,
            "expansions": found.len(),
        });
        Ok(self.measured(value, parts))
    }
}

/// The mean number of steps between persons of sampled pairs, and the share that is joined.
fn walked(graph: &Graph, rng: &mut Rng) -> (Option<f64>, f64) {
    let nodes = graph.persons();
    if nodes < 2 {
        return (None, 0.0);
    }
    let pair = |rng: &mut Rng| {
        let (from, to) = (rng.index(nodes), rng.index(nodes - 1));
        (from as u32, (to + usize::from(to >= from)) as u32)
    };
    let pairs: Vec<(u32, u32)> = (0..PAIRS).map(|_| pair(rng)).collect();
    let steps: Vec<f64> = pairs
        .into_par_iter()
        .map_init(|| vec![0u32; nodes], |seen, (from, to)| steps(graph, from, to, seen))
        .filter_map(|steps| steps.map(f64::from))
        .collect();
    let share = steps.len() as f64 / PAIRS as f64;
    ((!steps.is_empty()).then(|| mean(steps.into_iter())), share)
}

/// How many steps lie between two nodes; both look for the other, the one that sees fewer goes on. `seen` is all 0, before and after.
fn steps(graph: &Graph, from: u32, to: u32, seen: &mut [u32]) -> Option<u32> {
    const FROM: u32 = 1;
    const TO: u32 = 2;
    let mut ends = [(FROM, vec![from]), (TO, vec![to])];
    (seen[from as usize], seen[to as usize]) = (FROM, TO);
    let mut met = vec![from, to];
    let (mut count, mut found) = (0, None);
    while found.is_none() && ends.iter().all(|(_, edge)| !edge.is_empty()) {
        count += 1;
        let at = usize::from(ends[1].1.len() < ends[0].1.len());
        let (mark, edge) = &mut ends[at];
        let mut next = Vec::new();
        for &node in edge.iter() {
            for &other in graph.neighbours(node) {
                match seen[other as usize] {
                    0 => {
                        seen[other as usize] = *mark;
                        met.push(other);
                        next.push(other);
                    }
                    mark_there if mark_there != *mark => found = Some(count),
                    _ => {}
                }
            }
        }
        *edge = next;
    }
    met.into_iter().for_each(|node| seen[node as usize] = 0);
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::data::graph::testing::random;

    /// The slow way: all nodes one step further, again and again.
    fn slowly(graph: &Graph, from: u32, to: u32) -> Option<u32> {
        let mut reached = vec![from];
        for count in 1..=graph.persons() as u32 {
            let more: Vec<u32> = reached.iter().flat_map(|&node| graph.neighbours(node).to_vec()).collect();
            reached.extend(more);
            reached.sort_unstable();
            reached.dedup();
            if reached.contains(&to) {
                return Some(count);
            }
        }
        None
    }

    proptest! {
        #[test]
        fn both_ends_meet_on_a_shortest_path(graph in random(14)) {
            let mut seen = vec![0; graph.persons()];
            for from in 0..graph.persons() as u32 {
                for to in (0..graph.persons() as u32).filter(|&to| to != from) {
                    prop_assert_eq!(steps(&graph, from, to, &mut seen), slowly(&graph, from, to));
                }
            }
            prop_assert!(seen.iter().all(|&mark| mark == 0));
        }
    }
}
