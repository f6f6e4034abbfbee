//! What measures over expansions have in common: random graphs with the counts of a masked network, and what is worked out on each.
//!
//! Expansions are drawn by the seed, a stream each: the same for every measure and for any number of threads, and whatever the order in which
//! a release has its clusters, so that whoever measures the published file finds what its report says.

use rayon::prelude::*;

use super::super::super::{Context, Pair};
use crate::data::graph::Expansion;
use crate::data::{Dataset as _, Graph};
use crate::error::Result;
use crate::rng::Rng;

/// Of more nodes than this a sample of so many is looked at.
pub(super) const MOST_NODES: usize = 100_000;
/// The stream of the first expansion; what is sampled beside has other streams.
const STREAM: u64 = 0xE0_0000;

/// What every expansion of a release gives, in the order in which they are drawn; with the number of its expansion, and the place that each
/// cluster of the release has in it.
pub(super) fn of_each<T: Send>(
    pair: &Pair<'_, Graph>,
    context: &Context<'_>,
    work: impl Fn(u64, &Expansion, &[u32]) -> T + Sync,
) -> Result<Vec<T>> {
    pair.original.refuse_masked()?;
    let masked = pair.release.as_masked()?;
    masked.refuse_fault()?;
    let (masked, places) = masked.in_order_of_counts();
    let one = |number: u64| {
        context.progress.go_on()?;
        let expansion = Expansion::draw(&masked, &mut Rng::seeded_stream(context.seed, STREAM + number))?;
        Ok(work(number, &expansion, &places))
    };
    (0..pair.release.expansions() as u64).into_par_iter().map(one).collect()
}

/// Nodes of a graph that are looked at: all, or a sample of [`MOST_NODES`].
pub(super) fn sampled(graph: &Graph, context: &Context<'_>, most: usize) -> Option<Vec<u32>> {
    (graph.persons() > most).then(|| Rng::seeded_stream(context.seed, STREAM - 1).sample(graph.persons(), most))
}

/// The mean; 0 of nothing.
pub(super) fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len().max(1) as f64;
    values.sum::<f64>() / count
}

/// What is kept of a number, whichever of both is greater: the smaller by the greater; 1 where both are 0.
pub(super) fn kept(before: f64, after: f64) -> f64 {
    let most = before.max(after);
    if most > 0.0 { before.min(after) / most } else { 1.0 }
}
