//! Cutting sets of marks into regions of those that are alike, by a random tree.
//!
//! A node of the tree draws two of its sets, asks of every set which of the two it is nearer to, and cuts at the median of
//! the answers. Levels are cut in parallel; every node has a random stream of its own, so threads change nothing.

use rayon::prelude::*;

use crate::rng::Rng;

/// Nodes with more sets than this compare them in parallel.
const LARGE: usize = 8192;

/// What is cut: sets of marks by number, and what marks weigh.
pub(super) trait Sets: Sync {
    /// The marks of a set.
    fn of(&self, set: u32) -> &[u32];
    /// What marks weigh.
    fn weights(&self) -> &[u32];
    /// Sets of the same kind are kept in one region if there is room.
    fn kind(&self, set: u32) -> u32;
}

/// Regions of at most `most` sets, and of no fewer than half of that if there are as many.
pub(super) fn regions(sets: &impl Sets, all: Vec<u32>, most: usize, seed: u64) -> Vec<Vec<u32>> {
    let mut done = Vec::new();
    let mut open = vec![all];
    let mut stream = 0;
    while !open.is_empty() {
        let (large, small): (Vec<_>, Vec<_>) = open.into_iter().partition(|node| node.len() > most);
        done.extend(small);
        let first = stream;
        stream += large.len() as u64;
        let halves: Vec<[Vec<u32>; 2]> = large
            .into_par_iter()
            .enumerate()
            .map_init(
                || vec![0i32; sets.weights().len()],
                |leaning, (number, node)| {
                    cut(sets, node, leaning, &mut Rng::seeded_stream(seed, first + number as u64))
                },
            )
            .collect();
        open = halves.into_iter().flatten().collect();
    }
    done
}

/// Cuts at the median. `leaning` is 0 everywhere, before and after.
fn cut(sets: &impl Sets, node: Vec<u32>, leaning: &mut [i32], rng: &mut Rng) -> [Vec<u32>; 2] {
    let poles = [node[rng.index(node.len())], node[rng.index(node.len())]];
    let weights = sets.weights();
    for (pole, sign) in poles.into_iter().zip([1, -1]) {
        for &mark in sets.of(pole) {
            leaning[mark as usize] += sign * weights[mark as usize] as i32;
        }
    }
    let answer = |&set: &u32| {
        let sum: i64 = sets.of(set).iter().map(|&mark| i64::from(leaning[mark as usize])).sum();
        (sum, sets.kind(set), set)
    };
    let mut answers: Vec<(i64, u32, u32)> = if node.len() > LARGE {
        node.par_iter().with_min_len(1024).map(answer).collect()
    } else {
        node.iter().map(answer).collect()
    };
    for pole in poles {
        for &mark in sets.of(pole) {
            leaning[mark as usize] = 0;
        }
    }
    answers.sort_unstable();
    let mut middle = answers.len() / 2;
    // A kind that lies across the cut goes to one side, unless that makes the sides very uneven.
    let same = |at: &usize| answers[*at].1 == answers[at - 1].1;
    if let Some(end) = (middle..answers.len() * 5 / 8).find(|at| !same(at)) {
        middle = end;
    }
    let numbers = |some: &[(i64, u32, u32)]| some.iter().map(|&(_, _, set)| set).collect();
    [numbers(&answers[..middle]), numbers(&answers[middle..])]
}
