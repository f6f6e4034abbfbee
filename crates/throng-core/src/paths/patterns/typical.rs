//! How long the steps of a pattern usually take.

use std::collections::BTreeMap;

use serde::Serialize;

/// How long a step usually takes, in seconds. No number is one person's: the interval lies on a grid, and the mean is of many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Transition {
    /// At least so long.
    pub from: i64,
    /// Less than so long.
    pub to: i64,
    /// The mean of those persons, every one of them once.
    pub typical: i64,
}

/// The typical times of the steps of a pattern, and how many persons keep to them; none, if fewer than these do.
pub(super) fn typical(times: &[(u32, Vec<i64>)], width: i64, least: usize) -> Option<(usize, Vec<Transition>)> {
    let steps = times.first()?.1.len();
    // A grid of whole seconds.
    let grid = (width / 4 / 1000).max(1) * 1000;
    let mut left: Vec<&(u32, Vec<i64>)> = times.iter().collect();
    let mut intervals = Vec::with_capacity(steps);
    for step in 0..steps {
        let from = densest(&left, step, grid)?;
        left.retain(|(_, took)| (from..from + 4 * grid).contains(&took[step]));
        intervals.push(from);
    }
    let mut persons: BTreeMap<u32, Vec<&Vec<i64>>> = BTreeMap::new();
    left.iter().for_each(|(person, took)| persons.entry(*person).or_default().push(took));
    if persons.len() < least {
        return None;
    }
    let transition = |(step, &from): (usize, &i64)| {
        let own = |took: &Vec<&Vec<i64>>| took.iter().map(|took| took[step]).sum::<i64>() as f64 / took.len() as f64;
        let mean = persons.values().map(own).sum::<f64>() / persons.len() as f64;
        Transition { from: from / 1000, to: (from + 4 * grid) / 1000, typical: (mean / 1000.0).round() as i64 }
    };
    Some((persons.len(), intervals.iter().enumerate().map(transition).collect()))
}

/// Where on the grid the interval of four of its parts begins in which most persons are at a step; the earliest of several.
fn densest(times: &[&(u32, Vec<i64>)], step: usize, grid: i64) -> Option<i64> {
    let mut places: Vec<(i64, u32)> =
        times.iter().map(|(person, took)| (took[step].div_euclid(grid), *person)).collect();
    places.sort_unstable();
    places.dedup();
    let mut starts: Vec<i64> = places.iter().flat_map(|&(part, _)| (part - 3).max(0)..=part).collect();
    starts.sort_unstable();
    starts.dedup();
    let count = |start: i64| {
        let from = places.partition_point(|&(part, _)| part < start);
        let mut persons: Vec<u32> =
            places[from..].iter().take_while(|&&(part, _)| part < start + 4).map(|&(_, person)| person).collect();
        persons.sort_unstable();
        persons.dedup();
        persons.len()
    };
    starts.into_iter().min_by_key(|&start| std::cmp::Reverse(count(start))).map(|start| start * grid)
}
