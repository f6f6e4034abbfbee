//! Frequent serial episodes: which events follow which within a window of time.
//!
//! Paper      Mannila, Toivonen. Discovering Generalized Episodes Using Minimal Occurrences. 1996.
//!
//! # Formula
//! An episode of two or three events occurs at a record if the record is its first event, and the others follow in that order, all less
//! than the window after it. support = share of the records at which it occurs; confidence = share of the records at which all but its last
//! event occur.
//!
//! # Cost
//! Time O(records x records in a window x kinds of events).

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

/// Events that follow each other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Episode {
    /// In their order.
    pub events: Vec<String>,
    /// All of them within so many seconds.
    pub within: f64,
    /// At what share of the records it occurs.
    pub support: f64,
    /// At what share of those at which all but the last occur.
    pub confidence: f64,
}

/// All episodes of two and three events with a support and a confidence, by falling confidence, support, then events. Events stand in the
/// order of their times.
pub fn episodes(events: &[(f64, u32)], names: &[String], within: f64, support: f64, confidence: f64) -> Vec<Episode> {
    let mut counts: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
    for (at, &(time, first)) in events.iter().enumerate() {
        let mut found: BTreeSet<Vec<u32>> = BTreeSet::from([vec![first]]);
        let mut seen: BTreeSet<u32> = BTreeSet::new();
        let mut pairs: BTreeSet<(u32, u32)> = BTreeSet::new();
        for &(later, event) in &events[at + 1..] {
            if later - time >= within {
                break;
            }
            let new: Vec<(u32, u32)> = seen.iter().map(|&before| (before, event)).collect();
            pairs.extend(new);
            seen.insert(event);
        }
        found.extend(seen.iter().map(|&second| vec![first, second]));
        found.extend(pairs.iter().map(|&(second, third)| vec![first, second, third]));
        found.into_iter().for_each(|episode| *counts.entry(episode).or_default() += 1);
    }
    let all = events.len().max(1) as f64;
    let mut episodes: Vec<Episode> = counts
        .iter()
        .filter(|(episode, _)| episode.len() > 1)
        .map(|(episode, &count)| Episode {
            events: episode.iter().map(|&event| names[event as usize].clone()).collect(),
            within,
            support: count as f64 / all,
            confidence: count as f64 / counts[&episode[..episode.len() - 1]] as f64,
        })
        .filter(|episode| episode.support >= support && episode.confidence >= confidence)
        .collect();
    episodes.sort_by(|one, other| {
        other
            .confidence
            .total_cmp(&one.confidence)
            .then(other.support.total_cmp(&one.support))
            .then_with(|| one.events.cmp(&other.events))
    });
    episodes
}
