//! How much a record tells of its members, and the lines that are exchanged where that is too much.
//!
//! # Idea
//! On a site of few pages everybody's pages are everybody else's, and a record that is near all members tells nearly all of each. So the mean
//! profile exposure level (Q22) of all members so far is held to 100 (0.62 + 0.38 / k) %: while a group is above what is left of that, the line that
//! exposes most for what it keeps is exchanged for one of the pages, or assets, that the log has most, that exposes hardly anything, lies in the same
//! section, the first segment of the path, if there is one, and is owed most.
//!
//! # Formula
//! level(v) = Σ_x min(p_v(x), c(x)/L) log2(1/p_v(x)) / H_v, p_v the shares of the member's paths, c the lines of the record with path x, of L.
//!
//! # Cost
//! O(members · (paths + decoys)) for each exchange.

use std::collections::BTreeMap;

use super::choice::divergence;

/// What an exchange is worth that leaves the section, beside one that does not.
const ELSEWHERE: f64 = 0.1;

/// How much all records may tell of their members on average.
pub(super) fn limit(k: usize) -> f64 {
    0.62 + 0.38 / k as f64
}

/// The members of a group, as their records tell of them.
pub(super) struct Exposure {
    /// For each path that a member has, for each member, their share of it, and what a share of it tells.
    shares: BTreeMap<u32, Vec<(f64, f64)>>,
    size: usize,
}

impl Exposure {
    /// Of members with so many lines of each path.
    pub(super) fn of(members: &[BTreeMap<u32, u32>]) -> Self {
        let mut shares: BTreeMap<u32, Vec<(f64, f64)>> = BTreeMap::new();
        for (member, own) in members.iter().enumerate() {
            let all: f64 = own.values().map(|&count| f64::from(count)).sum();
            let entropy: f64 =
                own.values().map(|&count| f64::from(count) / all).map(|share| -share * share.log2()).sum();
            for (&path, &count) in own {
                let share = f64::from(count) / all;
                let tells = if entropy > 0.0 { -share.log2() / entropy } else { 0.0 };
                shares.entry(path).or_insert_with(|| vec![(0.0, 0.0); members.len()])[member] = (share, tells);
            }
        }
        Self { shares, size: members.len() }
    }

    /// What a path tells of a member on average, of which a record has this share.
    fn of_path(&self, path: u32, share: f64) -> f64 {
        let told =
            self.shares.get(&path).map_or(0.0, |all| all.iter().map(|&(own, tells)| own.min(share) * tells).sum());
        told / self.size as f64
    }

    /// What a record with so many lines of each path tells of a member on average.
    pub(super) fn level(&self, counts: &BTreeMap<u32, u32>, length: usize) -> f64 {
        counts.iter().map(|(&path, &count)| self.of_path(path, f64::from(count) / length as f64)).sum()
    }

    /// How much further a record is from its members with one line of a path less.
    fn loss(&self, path: u32, count: u32, length: usize) -> f64 {
        let [now, then] = [count, count - 1].map(|count| f64::from(count) / length as f64);
        let of = |&(own, _): &(f64, f64)| divergence(own, then) - divergence(own, now);
        self.shares.get(&path).map_or(0.0, |all| all.iter().map(of).sum::<f64>() / self.size as f64)
    }

    /// Exchanges lines of a record until it tells no more than so much. `may` are those that others may be exchanged for, with what is owed
    /// of each; `section` says whether a text is an asset, and where it lies. Gives what was exchanged for what.
    pub(super) fn temper(
        &self,
        counts: &mut BTreeMap<u32, u32>,
        most: f64,
        section: impl Fn(u32) -> (bool, u32),
        may: &[(u32, f64)],
    ) -> Vec<(u32, u32)> {
        let length = counts.values().sum::<u32>() as usize;
        let share = |count: u32| f64::from(count) / length as f64;
        let mut exchanged = Vec::new();
        let mut level = self.level(counts, length);
        for _ in 0..length {
            if level <= most {
                break;
            }
            let drop = |path: u32, count: u32| self.of_path(path, share(count)) - self.of_path(path, share(count - 1));
            let rise = |to: u32| {
                let count = counts.get(&to).copied().unwrap_or(0);
                self.of_path(to, share(count + 1)) - self.of_path(to, share(count))
            };
            let stays = |from: u32| {
                may.iter().any(|&(to, _)| {
                    to != from && section(to) == section(from) && rise(to) < drop(from, counts[&from]) / 4.0
                })
            };
            let worth = |(&path, &count): (&u32, &u32)| {
                let kept = if stays(path) { 1.0 } else { ELSEWHERE };
                kept * drop(path, count) / (self.loss(path, count, length) + 0.2 / length as f64)
            };
            let exposing = counts.iter().filter(|(path, count)| **count > 0 && drop(**path, **count) > 1e-9);
            let Some((&from, &count)) =
                exposing.max_by(|left, right| worth(*left).total_cmp(&worth(*right)).then(right.0.cmp(left.0)))
            else {
                break;
            };
            let lowered = drop(from, count);
            let score = |&(to, owed): &(u32, f64)| {
                let is_near = if section(to) == section(from) { 1e6 } else { 0.0 };
                is_near + owed - f64::from(counts.get(&to).copied().unwrap_or(0))
            };
            let to = may
                .iter()
                .filter(|(to, _)| *to != from && section(from).0 == section(*to).0 && rise(*to) < lowered / 4.0)
                .max_by(|left, right| score(left).total_cmp(&score(right)).then(right.0.cmp(&left.0)));
            let Some(&(to, _)) = to else { break };
            level += rise(to) - lowered;
            *counts.entry(from).or_default() -= 1;
            *counts.entry(to).or_default() += 1;
            exchanged.push((from, to));
        }
        exchanged
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(counts: &[(u32, u32)]) -> BTreeMap<u32, u32> {
        counts.iter().copied().collect()
    }

    #[test]
    fn levels_by_hand() {
        // p = (1/2, 1/4, 1/4), H = 1.5; the record has path 2 with one half: min(1/4, 1/2) * 2 / 1.5 = a third.
        let exposure = Exposure::of(&[own(&[(1, 2), (2, 1), (3, 1)])]);
        assert!((exposure.level(&own(&[(2, 1), (9, 1)]), 2) - 1.0 / 3.0).abs() < 1e-12);
        // Two members: the mean.
        let exposure = Exposure::of(&[own(&[(1, 1), (2, 1)]), own(&[(3, 1), (4, 1)])]);
        assert!((exposure.level(&own(&[(1, 1), (2, 1)]), 2) - 0.5).abs() < 1e-12);
    }

    #[test]
    fn lines_are_exchanged_until_it_is_enough() {
        let exposure = Exposure::of(&[own(&[(1, 1), (2, 1)]), own(&[(1, 1), (2, 1)])]);
        let mut counts = own(&[(1, 1), (2, 1)]);
        let exchanged = exposure.temper(&mut counts, 0.6, |_| (true, 0), &[(7, 0.5), (8, 1.0)]);
        assert_eq!((exchanged, exposure.level(&counts, 2)), (vec![(1, 8)], 0.5));
        // Nothing to exchange with, or nothing to do.
        assert_eq!(exposure.temper(&mut own(&[(1, 1), (2, 1)]), 0.6, |path| (path < 7, 0), &[(7, 0.5)]), []);
        assert_eq!(exposure.temper(&mut own(&[(1, 1), (2, 1)]), 1.0, |_| (true, 0), &[(7, 0.5)]), []);
    }
}
