//! The choice of a record's lines: how often it has each path.
//!
//! # Idea
//! The lines of a record are chosen one by one, always the path that brings the record nearest to the members: the one that lowers the sum
//! of the members' Jensen-Shannon divergences from it most. Since that sum falls apart into a convex term for each path, choosing one by one
//! gives the least sum there is. What is owed of a path counts beside it.
//!
//! # Cap
//! A path that fewer than min(m, size) members have may stand in a record only so often that, summed over all such paths, no member has more
//! than 1/k of their lines in it: Σ min(lines of the member, lines of the record) ≤ lines of the member / k. What would break that goes up the
//! site's tree, to the first pattern that enough members have; a line that nothing is shared for has no path. No fall-back breaks the cap.
//!
//! # Formula
//! Of adding a line with path x to a record of L lines that has it c times, for g members with the shares p_v:
//! gain = L/g Σ_v (f(p_v, c/L) - f(p_v, (c+1)/L)) + λ clamp(owed/g - c), f(p, r) = ½ (p log₂ 2p/(p+r) + r log₂ 2r/(p+r)).
//!
//! # Cost
//! O(lines · candidates) comparisons, and one gain, O(members), for each line.

/// What a record may say.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    /// For each member how many of their lines this stands for when the record is held to them.
    pub(super) needs: Vec<u32>,
    /// For each member how many lines they have that it covers.
    pub(super) lines: Vec<u32>,
    /// Whether enough members have it.
    pub(super) is_shared: bool,
    /// What stands for it where it cannot be chosen: another candidate, which enough members have.
    pub(super) up: Option<usize>,
    /// What is owed of it, for each member.
    pub(super) owed: f64,
    /// What it is worth beside others: a pattern keeps less than a path.
    pub(super) worth: f64,
}

/// How much a debt weighs against what members have.
const DEBT: f64 = 0.25;

/// What lines expose of members, over all choices of a group.
#[derive(Debug)]
pub(super) struct Cap {
    /// For each member how many lines of theirs are in the record that too few share.
    exposed: Vec<u32>,
    /// For each member how many may be.
    most: Vec<u32>,
}

impl Cap {
    /// For members with so many lines.
    pub(super) fn new(lines: &[u32], k: usize) -> Self {
        Self { exposed: vec![0; lines.len()], most: lines.iter().map(|&lines| lines / k as u32).collect() }
    }

    /// Whether a record that has a path so often may have it once more.
    fn allows(&self, lines: &[u32], chosen: u32) -> bool {
        let is_fine = |(at, &own): (usize, &u32)| own <= chosen || self.exposed[at] < self.most[at];
        lines.iter().enumerate().all(is_fine)
    }

    fn expose(&mut self, lines: &[u32], chosen: u32) {
        lines.iter().zip(&mut self.exposed).filter(|(own, _)| **own > chosen).for_each(|(_, exposed)| *exposed += 1);
    }
}

/// How often a record of so many lines has each candidate; less in all only if no candidate may be chosen any more. `totals` are the
/// members' lines that the shares are of.
pub(super) fn choose(candidates: &[Candidate], totals: &[u32], length: usize, cap: &mut Cap) -> Vec<u32> {
    let mut chosen = vec![0u32; candidates.len()];
    // What was chosen for a candidate, or for one below it.
    let mut filled = vec![0u32; candidates.len()];
    let gain = |at: usize, filled: u32| {
        let candidate = &candidates[at];
        let (own, more) = (f64::from(filled) / length as f64, f64::from(filled + 1) / length as f64);
        let of_member = |(&need, &total): (&u32, &u32)| {
            let share = if total == 0 { 0.0 } else { f64::from(need) / f64::from(total) };
            divergence(share, own) - divergence(share, more)
        };
        let nearer: f64 = candidate.needs.iter().zip(totals).map(of_member).sum();
        let owed = (candidate.owed - f64::from(filled)).clamp(-2.0, 2.0);
        candidate.worth * nearer * length as f64 / totals.len() as f64 + DEBT * owed
    };
    let mut gains: Vec<f64> = (0..candidates.len()).map(|at| gain(at, 0)).collect();
    for _ in 0..length {
        let may = |at: &usize| candidates[*at].is_shared || cap.allows(&candidates[*at].lines, chosen[*at]);
        let mut best: Option<usize> = None;
        for at in (0..candidates.len()).filter(may) {
            if best.is_none_or(|best| gains[at] > gains[best]) {
                best = Some(at);
            }
        }
        let Some(best) = best else { break };
        let candidate = &candidates[best];
        if !candidate.is_shared {
            cap.expose(&candidate.lines, chosen[best]);
        }
        chosen[best] += 1;
        for at in [Some(best), candidate.up].into_iter().flatten() {
            filled[at] += 1;
            gains[at] = gain(at, filled[at]);
        }
    }
    chosen
}

/// What one value adds to the Jensen-Shannon divergence of two mixes, in bits.
pub(super) fn divergence(own: f64, other: f64) -> f64 {
    let part = |share: f64| if share > 0.0 { share * (2.0 * share / (own + other)).log2() } else { 0.0 };
    (part(own) + part(other)) / 2.0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// As much is owed of everything as of anything else.
    fn candidate(lines: &[u32], is_shared: bool) -> Candidate {
        Candidate { needs: lines.to_vec(), lines: lines.to_vec(), is_shared, up: None, owed: f64::INFINITY, worth: 1.0 }
    }

    fn loss(candidates: &[Candidate], totals: &[u32], counts: &[u32], length: usize) -> f64 {
        let mut sum = 0.0;
        for (candidate, &count) in candidates.iter().zip(counts) {
            for (&need, &total) in candidate.needs.iter().zip(totals) {
                sum += divergence(f64::from(need) / f64::from(total), f64::from(count) / length as f64);
            }
        }
        sum
    }

    #[test]
    fn by_hand() {
        // Two members of three lines each, both with a twice, each with one of b and c.
        let candidates = [candidate(&[2, 2], true), candidate(&[1, 0], false), candidate(&[0, 1], false)];
        let mut cap = Cap::new(&[3, 3], 2);
        assert_eq!(choose(&candidates, &[3, 3], 3, &mut cap), [2, 1, 0]);
        assert_eq!(cap.exposed, [1, 0]);
        // With one line each nothing that is not shared may be said.
        let mut cap = Cap::new(&[1, 1], 2);
        assert_eq!(choose(&candidates[1..], &[1, 1], 1, &mut cap), [0, 0]);
        // A debt decides between equals.
        let mut owed = candidates.clone();
        owed[1].owed = 0.0;
        assert_eq!(choose(&owed, &[3, 3], 3, &mut Cap::new(&[3, 3], 2)), [2, 0, 1]);
    }

    /// All ways to share out some lines over some candidates.
    fn ways(candidates: usize, length: u32) -> Vec<Vec<u32>> {
        if candidates == 1 {
            return vec![vec![length]];
        }
        (0..=length)
            .flat_map(|first| {
                ways(candidates - 1, length - first).into_iter().map(move |rest| [vec![first], rest].concat())
            })
            .collect()
    }

    proptest! {
        /// One by one is as good as the best of all records, where everything is shared and nothing is owed.
        #[test]
        fn like_the_slow_reference(
            counts in prop::collection::vec(prop::collection::vec(0..4u32, 3), 1..4),
            length in 1..5usize,
        ) {
            let totals: Vec<u32> = (0..3).map(|at| counts.iter().map(|own| own[at]).sum::<u32>().max(1)).collect();
            let candidates: Vec<Candidate> = counts.iter().map(|own| candidate(own, true)).collect();
            let found = choose(&candidates, &totals, length, &mut Cap::new(&totals, 3));
            prop_assert_eq!(found.iter().sum::<u32>() as usize, length);
            let best = ways(candidates.len(), length as u32)
                .iter()
                .map(|way| loss(&candidates, &totals, way, length))
                .fold(f64::INFINITY, f64::min);
            prop_assert!((loss(&candidates, &totals, &found, length) - best).abs() < 1e-9);
        }

        /// The cap holds for every member, whatever is owed.
        #[test]
        fn nobody_is_exposed_above_the_cap(
            counts in prop::collection::vec((prop::collection::vec(0..6u32, 4), any::<bool>(), 0..5u8), 1..6),
            length in 1..12usize,
            k in 2..5usize,
        ) {
            let totals: Vec<u32> = (0..4).map(|at| counts.iter().map(|(own, ..)| own[at]).sum()).collect();
            let candidates: Vec<Candidate> = counts
                .iter()
                .map(|(own, is_shared, owed)| Candidate { owed: f64::from(*owed), ..candidate(own, *is_shared) })
                .collect();
            let found = choose(&candidates, &totals, length, &mut Cap::new(&totals, k));
            for (member, &total) in totals.iter().enumerate() {
                let exposed: u32 = candidates
                    .iter()
                    .zip(&found)
                    .filter(|(candidate, _)| !candidate.is_shared)
                    .map(|(candidate, &count)| candidate.lines[member].min(count))
                    .sum();
                prop_assert!(exposed * k as u32 <= total, "{exposed} of {total}");
            }
        }
    }
}
