//! Wishes: persons who ask to be one of more than k, served before the others are grouped.
//!
//! Paper      Ours; the idea that everybody sets their own k is that of personalised privacy (Xiao, Tao. Personalized privacy
//!            preservation. SIGMOD 2006; Gedik, Liu. Location privacy in mobile systems. ICDCS 2005).
//!
//! # Idea
//! 1. Whoever asks for most, w, starts a group. Those who ask for nearly as much, more than w / 2, join it first, the nearest first: a
//!    group of its own for each would be dear. Then whoever is nearest, until it has w.
//! 2. If fewer than half a group of such persons would be left, they join too.
//! 3. So on with whoever asks for most of those left. If fewer are left than they ask for, they join the nearest group there is: it was
//!    made for somebody who asks for at least as much.
//! 4. Those who are left ask for no more than k, and are grouped as if nobody had asked. If they are fewer than k, each joins the
//!    nearest group.
//!
//! # Guarantee
//! Every group has at least k members, and at least as many as any of its members asks for. Nothing is drawn; ties go to the lower
//! number.
//!
//! # Cost
//! Time O(n g) distances for n records and g groups of those who ask; memory O(n).

use super::Partition;

/// Groups of those who ask for more than k and of whom they need for it, and who is left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Served {
    groups: Vec<Vec<u32>>,
    left: Vec<u32>,
}

/// Serves those who ask for more than k. `needs` has for each record among how many it must be; there are at least as many records as
/// any of them asks for.
pub fn serve(needs: &[usize], k: usize, distance: impl Fn(u32, u32) -> f64) -> Served {
    let mut asking: Vec<u32> = (0..needs.len() as u32).filter(|&record| needs[record as usize] > k).collect();
    asking.sort_by_key(|&record| (std::cmp::Reverse(needs[record as usize]), record));
    assert!(asking.first().is_none_or(|&most| needs[most as usize] <= needs.len()), "as many records as somebody asks");
    let (mut groups, mut is_left): (Vec<Vec<u32>>, _) = (Vec::new(), vec![true; needs.len()]);
    let mut left = needs.len();
    for first in asking {
        if !is_left[first as usize] {
            continue;
        }
        let wish = needs[first as usize];
        let joining = if left < wish {
            let group = nearest(&groups, first, &distance);
            groups[group].push(first);
            vec![first]
        } else {
            let others = (0..needs.len() as u32).filter(|&other| other != first && is_left[other as usize]);
            let asks_like = |record: u32| needs[record as usize] > k.max(wish / 2);
            let mut group = around(first, wish, others, asks_like, &distance);
            group.push(first);
            groups.push(group.clone());
            group
        };
        left -= joining.len();
        joining.into_iter().for_each(|member| is_left[member as usize] = false);
    }
    let left = (0..needs.len() as u32).filter(|&record| is_left[record as usize]).collect();
    Served { groups, left }
}

/// Who joins a record that asks to be one of so many.
fn around(
    first: u32,
    wish: usize,
    others: impl Iterator<Item = u32>,
    asks_like: impl Fn(u32) -> bool,
    distance: impl Fn(u32, u32) -> f64,
) -> Vec<u32> {
    let mut others: Vec<(bool, f64, u32)> =
        others.map(|other| (!asks_like(other), distance(first, other), other)).collect();
    let alike = others.iter().filter(|other| !other.0).count();
    let wanted = if alike >= wish && alike < wish - 1 + wish.div_ceil(2) { alike } else { wish - 1 };
    others.sort_unstable_by(|left, right| {
        left.0.cmp(&right.0).then(left.1.total_cmp(&right.1)).then(left.2.cmp(&right.2))
    });
    others.into_iter().take(wanted).map(|(_, _, other)| other).collect()
}

/// The group whose members are nearest to a record, on average; the first on ties. There is one.
fn nearest(groups: &[Vec<u32>], record: u32, distance: impl Fn(u32, u32) -> f64) -> usize {
    let mean = |group: &Vec<u32>| {
        group.iter().map(|&member| distance(record, member)).sum::<f64>() / group.len().max(1) as f64
    };
    let mut best = (0, f64::INFINITY);
    for (at, group) in groups.iter().enumerate() {
        let own = mean(group);
        if own < best.1 {
            best = (at, own);
        }
    }
    best.0
}

impl Served {
    /// All groups, those who are left grouped by `rest` if they are at least k.
    pub fn and(
        self,
        k: usize,
        distance: impl Fn(u32, u32) -> f64,
        rest: impl FnOnce(Vec<u32>) -> Partition,
    ) -> Partition {
        let Self { mut groups, left } = self;
        if left.len() >= k {
            groups.extend(rest(left).groups);
        } else {
            for record in left {
                let group = nearest(&groups, record, &distance);
                groups[group].push(record);
            }
        }
        groups.iter_mut().for_each(|group| group.sort_unstable());
        Partition { groups }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn on_a_line(points: &[f64]) -> impl Fn(u32, u32) -> f64 + '_ {
        |left, right| (points[left as usize] - points[right as usize]).abs()
    }

    #[test]
    fn by_hand() {
        // k = 2. 0 asks for six: nobody asks for nearly as much, so the five nearest join. 7 asks for three: 8 and 6 are nearest.
        let points = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 10.0, 11.0, 11.5, 20.0, 21.0];
        let needs = [6, 2, 2, 2, 2, 2, 2, 3, 2, 2, 2];
        let served = serve(&needs, 2, on_a_line(&points));
        assert_eq!(served, Served { groups: vec![vec![1, 2, 3, 4, 5, 0], vec![8, 6, 7]], left: vec![9, 10] });
        let all = served.and(2, on_a_line(&points), |left| Partition { groups: vec![left] });
        assert_eq!(all.groups, [vec![0, 1, 2, 3, 4, 5], vec![6, 7, 8], vec![9, 10]]);
    }

    #[test]
    fn who_asks_for_much_comes_together() {
        // Both ask for three: 5 joins 0 before the near ones do.
        let points = [0.0, 1.0, 2.0, 3.0, 4.0, 50.0];
        assert_eq!(serve(&[3, 2, 2, 2, 2, 3], 2, on_a_line(&points)).groups, [[5, 1, 0]]);
        // Four who ask for three are one group: the fourth alone would need two more.
        assert_eq!(serve(&[3, 3, 3, 2, 2, 3], 2, on_a_line(&points)).groups, [[1, 2, 5, 0]]);
    }

    #[test]
    fn too_few_are_left() {
        // 7 is left with one other, and asks for three: it joins the only group; so does the one who is left alone.
        let points = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
        let served = serve(&[6, 2, 2, 2, 2, 2, 2, 3], 2, on_a_line(&points));
        assert_eq!(served, Served { groups: vec![vec![1, 2, 3, 4, 5, 0, 7]], left: vec![6] });
        let all = served.and(2, on_a_line(&points), |_| panic!("one person is no group"));
        assert_eq!(all.groups, [[0, 1, 2, 3, 4, 5, 6, 7]]);
    }

    proptest! {
        #[test]
        fn every_wish_is_met(
            records in prop::collection::vec((0..50u8, prop_oneof![3 => 0..4usize, 1 => 0..30usize]), 2..60),
            k in 2..6usize,
        ) {
            let count = records.len();
            prop_assume!(count >= k);
            let points: Vec<f64> = records.iter().map(|record| f64::from(record.0)).collect();
            let needs: Vec<usize> = records.iter().map(|record| record.1.max(k).min(count)).collect();
            let rest = |left: Vec<u32>| Partition { groups: vec![left] };
            let groups = serve(&needs, k, on_a_line(&points)).and(k, on_a_line(&points), rest).groups;
            for group in &groups {
                prop_assert!(group.len() >= k && group.iter().all(|&member| group.len() >= needs[member as usize]));
            }
            let mut all: Vec<u32> = groups.concat();
            all.sort_unstable();
            prop_assert_eq!(all, (0..count as u32).collect::<Vec<_>>());
        }
    }
}
