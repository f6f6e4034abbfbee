//! Refinement: persons move and change places between groups while the sum of squares falls.
//!
//! MDAV takes groups one by one and never looks back; the last ones are made of what is left. This local search starts from its
//! groups, and only ever lowers the loss.
//!
//! # Idea
//! 1. Take the records in turn. For each look at every move into another group and every exchange with a record of another
//!    group; do the one that lowers the loss most, if any does.
//!    Groups that did not change since nothing could be won are not looked at again.
//! 2. Go on until a whole turn changes nothing, or the budget of turns is spent.
//!
//! # Formula
//! The loss of a partition is the sum over groups G of (sum of d(x, y)² over pairs of G) / |G|, which for points of a space is the
//! sum of squared distances to their means. With t(x, G) = sum of d(x, y)² over y in G, and S(G) over the pairs of G:
//! an exchange of x in G and y in H changes it by (t(y, G) - t(x, G) - d²) / |G| + (t(x, H) - t(y, H) - d²) / |H|;
//! a move of x from G to H by (S(G) - t(x, G)) / (|G| - 1) - S(G) / |G| + (S(H) + t(x, H)) / (|H| + 1) - S(H) / |H|.
//!
//! # Guarantee
//! Groups keep k to 2k - 1 records; where somebody asks to be one of more, no group falls below what any of its members asks for. Nothing is drawn and one thread does it: the same distances give the same groups.
//!
//! # Cost
//! Time O(n²) a turn at the most, and less the fewer groups change; memory O(n² / k), for n records, and 8 n² bytes for their squares
//! up to 2,048 of them. Sums lie by group, so that what one change touches, and what one record looks at, lies side by side.

use super::Partition;
use crate::distance::DistanceMatrix;
use crate::progress::Progress;

/// After so many turns it stops, whatever could still be won: most is won in the first few.
pub const TURNS: usize = 40;

/// A change must lower the loss by more than this part of it: rounding is not a gain.
const LEAST_GAIN: f64 = 1e-9;

/// Lowers the loss of a partition. Groups must have at least k records, and as many as `needs` says of any of their members; it is
/// empty where nobody asks for more than k.
pub fn refine(
    distances: &DistanceMatrix,
    partition: Partition,
    k: usize,
    needs: &[usize],
    progress: &dyn Progress,
) -> Partition {
    let mut state = State::new(distances, partition, k, needs);
    let records = state.group_of.len();
    if state.sizes.len() < 2 {
        return state.partition();
    }
    for _ in 0..TURNS {
        let changes = (0..records).filter(|&record| !progress.is_stopped() && state.improve(record)).count();
        if changes == 0 {
            break;
        }
    }
    state.partition()
}

/// Up to so many records all squares are kept.
const MOST_KEPT: usize = 2_048;

struct State<'a> {
    squares: Squares<'a>,
    group_of: Vec<u32>,
    sizes: Vec<usize>,
    /// For each group the sum of squared distances over its pairs.
    inside: Vec<f64>,
    /// For each group and record the sum of squared distances to the members: those of group `g` at `g * records`.
    to_group: Vec<f64>,
    /// The same for each record and its own group.
    to_own: Vec<f64>,
    /// The sums of one record to all groups, and the squares of one: used again and again.
    here: Vec<f64>,
    row: Vec<f64>,
    /// How many changes there were, after how many each group changed last, and after how many nothing could be won for each record.
    changes: usize,
    changed: Vec<usize>,
    looked: Vec<usize>,
    least: Least<'a>,
}

/// How many records a group must have.
struct Least<'a> {
    k: usize,
    /// What each record asks for; empty if nobody asks for more than k.
    needs: &'a [usize],
    /// For each group the two greatest needs of its members; empty as well.
    greatest: Vec<[usize; 2]>,
}

impl Least<'_> {
    fn need(&self, record: usize) -> usize {
        self.needs.get(record).map_or(self.k, |&need| need.max(self.k))
    }

    fn of(&self, group: usize) -> usize {
        self.greatest.get(group).map_or(self.k, |greatest| greatest[0].max(self.k))
    }

    /// What a group must have without one of its members.
    fn without(&self, group: usize, record: usize) -> usize {
        let Some(&[first, second]) = self.greatest.get(group) else { return self.k };
        if self.need(record) >= first { second.max(self.k) } else { first.max(self.k) }
    }

    /// Finds the greatest needs of some groups anew.
    fn look(&mut self, groups: [usize; 2], group_of: &[u32]) {
        if self.needs.is_empty() {
            return;
        }
        groups.iter().for_each(|&group| self.greatest[group] = [0; 2]);
        for (record, &group) in group_of.iter().enumerate() {
            if groups.contains(&(group as usize)) {
                self.count(record, group as usize);
            }
        }
    }

    fn count(&mut self, record: usize, group: usize) {
        let need = self.need(record);
        let [first, second] = &mut self.greatest[group];
        if need > *first {
            (*first, *second) = (need, *first);
        } else if need > *second {
            *second = need;
        }
    }
}

enum Change {
    Move(usize),
    Exchange(usize),
}

/// The squared distances; a record is not apart from itself here.
struct Squares<'a> {
    distances: &'a DistanceMatrix,
    /// Those of record `r` at `r * records`; empty if there are too many.
    kept: Vec<f64>,
}

impl<'a> Squares<'a> {
    fn of(distances: &'a DistanceMatrix) -> Self {
        let records = distances.len();
        let mut kept = Vec::new();
        if records <= MOST_KEPT {
            kept.resize(records * records, 0.0);
            for left in 0..records {
                for right in left + 1..records {
                    let square = squared(distances, left, right);
                    (kept[left * records + right], kept[right * records + left]) = (square, square);
                }
            }
        }
        Self { distances, kept }
    }

    /// The squares of a record, to all records; `into` has room for them.
    fn row<'b>(&'b self, record: usize, into: &'b mut Vec<f64>) -> &'b [f64] {
        let records = self.distances.len();
        if !self.kept.is_empty() {
            return &self.kept[record * records..][..records];
        }
        into.clear();
        into.extend((0..records).map(|other| squared(self.distances, record, other)));
        into
    }
}

impl<'a> State<'a> {
    fn new(distances: &'a DistanceMatrix, partition: Partition, k: usize, needs: &'a [usize]) -> Self {
        let records = distances.len();
        let group_of = partition.group_of(records);
        let groups = partition.groups.len();
        let (squares, mut row) = (Squares::of(distances), Vec::new());
        let mut to_group = vec![0.0; records * groups];
        // By rising number, whatever the group: sums depend on the order.
        for (other, &group) in group_of.iter().enumerate() {
            let sums = &mut to_group[group as usize * records..][..records];
            sums.iter_mut().zip(squares.row(other, &mut row)).for_each(|(sum, square)| *sum += square);
        }
        let to_own: Vec<f64> =
            group_of.iter().enumerate().map(|(record, &group)| to_group[group as usize * records + record]).collect();
        let sizes = partition.groups.iter().map(Vec::len).collect();
        let sum = |members: &Vec<u32>| members.iter().map(|&member| to_own[member as usize]).sum::<f64>() / 2.0;
        let inside = partition.groups.iter().map(sum).collect();
        let (changed, looked) = (vec![1; groups], vec![0; records]);
        let mut least = Least { k, needs, greatest: if needs.is_empty() { Vec::new() } else { vec![[0; 2]; groups] } };
        if !needs.is_empty() {
            group_of.iter().enumerate().for_each(|(record, &group)| least.count(record, group as usize));
        }
        let here = vec![0.0; groups];
        Self { squares, group_of, sizes, inside, to_group, to_own, here, row, changes: 1, changed, looked, least }
    }

    /// Does what lowers the loss most for one record, if anything does.
    fn improve(&mut self, record: usize) -> bool {
        let records = self.group_of.len();
        let own = self.group_of[record] as usize;
        for (group, sum) in self.here.iter_mut().enumerate() {
            *sum = self.to_group[group * records + record];
        }
        let here = &self.here;
        let (size, left) = (self.sizes[own] as f64, self.to_own[record]);
        let mut best = (-LEAST_GAIN * (self.inside[own] / size), None);
        // If nothing could be won and the own group is as it was, only groups that changed since can offer anything.
        let looked = if self.changed[own] > self.looked[record] { 0 } else { self.looked[record] };
        let is_new = |group: usize| self.changed[group] > looked;
        let need = self.least.need(record);
        if self.sizes[own] > self.least.without(own, record) {
            let leaving = (self.inside[own] - left) / (size - 1.0) - self.inside[own] / size;
            for (other, &joining) in here.iter().enumerate() {
                let others = self.sizes[other] as f64;
                let least = self.least.of(other).max(need);
                let fits = (least..2 * least).contains(&(self.sizes[other] + 1));
                if other == own || !is_new(other) || !fits {
                    continue;
                }
                let gain = leaving + (self.inside[other] + joining) / (others + 1.0) - self.inside[other] / others;
                if gain < best.0 {
                    best = (gain, Some(Change::Move(other)));
                }
            }
        }
        let between = self.squares.row(record, &mut self.row);
        let to_own_group = &self.to_group[own * records..][..records];
        for (partner, &group) in self.group_of.iter().enumerate() {
            let group = group as usize;
            // A member more or less makes no difference here; what they ask for may.
            let fits = need <= self.sizes[group] && self.least.need(partner) <= self.sizes[own];
            if group == own || !is_new(group) || !fits {
                continue;
            }
            let gain = (to_own_group[partner] - left - between[partner]) / size
                + (here[group] - self.to_own[partner] - between[partner]) / self.sizes[group] as f64;
            if gain < best.0 {
                best = (gain, Some(Change::Exchange(partner)));
            }
        }
        match best.1 {
            None => {
                self.looked[record] = self.changes;
                return false;
            }
            Some(Change::Move(group)) => self.put(record, group),
            Some(Change::Exchange(partner)) => {
                self.put(record, self.group_of[partner] as usize);
                self.put(partner, own);
            }
        }
        true
    }

    /// Puts a record into another group and brings all sums up to date.
    fn put(&mut self, record: usize, group: usize) {
        let records = self.group_of.len();
        let own = self.group_of[record] as usize;
        self.inside[own] -= self.to_own[record];
        self.inside[group] += self.to_group[group * records + record];
        self.sizes[own] -= 1;
        self.sizes[group] += 1;
        self.group_of[record] = group as u32;
        self.changes += 1;
        (self.changed[own], self.changed[group]) = (self.changes, self.changes);
        self.least.look([own, group], &self.group_of);
        let between = self.squares.row(record, &mut self.row);
        let sums = &mut self.to_group[own * records..][..records];
        sums.iter_mut().zip(between).for_each(|(sum, between)| *sum -= between);
        let sums = &mut self.to_group[group * records..][..records];
        sums.iter_mut().zip(between).for_each(|(sum, between)| *sum += between);
        for (member, &of) in self.group_of.iter().enumerate() {
            if of as usize == own || of as usize == group {
                self.to_own[member] = self.to_group[of as usize * records + member];
            }
        }
    }

    fn partition(self) -> Partition {
        let mut groups = vec![Vec::new(); self.sizes.len()];
        for (record, &group) in (0u32..).zip(&self.group_of) {
            groups[group as usize].push(record);
        }
        Partition { groups }
    }
}

/// The squared distance of two records; a record is not apart from itself here.
fn squared(distances: &DistanceMatrix, left: usize, right: usize) -> f64 {
    if left == right {
        return 0.0;
    }
    let distance = distances.get(left, right);
    distance * distance
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::progress::Silent;

    fn on_a_line(points: &[f64]) -> DistanceMatrix {
        DistanceMatrix::from_fn(points.len(), |left, right| (points[left] - points[right]).abs())
    }

    fn loss(distances: &DistanceMatrix, groups: &[Vec<u32>]) -> f64 {
        let of = |group: &Vec<u32>| {
            let sum: f64 = group
                .iter()
                .flat_map(|&left| group.iter().map(move |&right| (left, right)))
                .map(|(left, right)| squared(distances, left as usize, right as usize))
                .sum();
            sum / 2.0 / group.len() as f64
        };
        groups.iter().map(of).sum()
    }

    #[test]
    fn by_hand() {
        // 0 and 1 are near each other, and 10 and 11: both exchanged persons go home.
        let distances = on_a_line(&[0.0, 10.0, 1.0, 11.0]);
        let refined = refine(&distances, Partition { groups: vec![vec![0, 1], vec![2, 3]] }, 2, &[], &Silent);
        assert!(refined.groups == [vec![0, 2], vec![1, 3]] || refined.groups == [vec![1, 3], vec![0, 2]]);
        // A group of three gives its stranger away.
        let distances = on_a_line(&[0.0, 1.0, 10.0, 10.5, 11.0]);
        let refined = refine(&distances, Partition { groups: vec![vec![0, 1, 2], vec![3, 4]] }, 2, &[], &Silent);
        assert_eq!(refined.groups, [vec![0, 1], vec![2, 3, 4]]);
    }

    proptest! {
        #[test]
        fn the_loss_falls_and_groups_keep_their_size(
            points in prop::collection::vec((0..100u8, 0..100u8), 2..60),
            k in 1..7usize,
        ) {
            prop_assume!(points.len() >= k);
            let at = |record: usize| (f64::from(points[record].0), f64::from(points[record].1));
            let distances = DistanceMatrix::from_fn(points.len(), |left, right| {
                ((at(left).0 - at(right).0).powi(2) + (at(left).1 - at(right).1).powi(2)).sqrt()
            });
            let groups = points.len() / k;
            let mut begun: Vec<Vec<u32>> = vec![Vec::new(); groups];
            for record in 0..points.len() {
                begun[(record / k).min(groups - 1)].push(record as u32);
            }
            let refined = refine(&distances, Partition { groups: begun.clone() }, k, &[], &Silent).groups;
            prop_assert!(loss(&distances, &refined) <= loss(&distances, &begun) + 1e-9);
            prop_assert!(refined.iter().all(|group| (k..2 * k).contains(&group.len())));
            let mut all: Vec<u32> = refined.into_iter().flatten().collect();
            all.sort_unstable();
            prop_assert_eq!(all, (0..points.len() as u32).collect::<Vec<_>>());
        }

        #[test]
        fn wishes_are_kept(
            records in prop::collection::vec((0..100u8, prop_oneof![3 => Just(0usize), 1 => 0..20usize]), 2..60),
            k in 2..6usize,
        ) {
            let count = records.len();
            prop_assume!(count >= k);
            let points: Vec<f64> = records.iter().map(|record| f64::from(record.0)).collect();
            let distances = on_a_line(&points);
            let needs: Vec<usize> = records.iter().map(|record| record.1.max(k).min(count)).collect();
            let between = |left: u32, right: u32| distances.get(left as usize, right as usize);
            let rest = |left: Vec<u32>| Partition { groups: vec![left] };
            let begun = super::super::wishes::serve(&needs, k, between).and(k, between, rest);
            let refined = refine(&distances, begun.clone(), k, &needs, &Silent).groups;
            prop_assert!(loss(&distances, &refined) <= loss(&distances, &begun.groups) + 1e-9);
            for group in &refined {
                prop_assert!(group.iter().all(|&member| group.len() >= needs[member as usize]), "{refined:?}");
            }
            prop_assert_eq!(refined.iter().map(Vec::len).sum::<usize>(), count);
            // Nobody asks for more than k: as if nobody had been asked.
            let nobody = refine(&distances, begun.clone(), k, &vec![k; count], &Silent);
            prop_assert_eq!(nobody, refine(&distances, begun, k, &[], &Silent));
        }
    }
}
