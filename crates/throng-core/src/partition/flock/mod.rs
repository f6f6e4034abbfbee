//! Groups of at least k baskets that lose as little as we can make them: nearest neighbours, then exchanges.
//!
//! # Idea
//! 1. Persons with the same marks are k or more: they are groups without any loss. 2. A random tree cuts all others into
//!    regions of those alike. 3. In a region, nearest neighbours make groups of k. 4. Sweeps: a fresh random tree over the
//!    groups makes regions of some dozens of groups, and persons are exchanged in each as long as it helps.
//!
//! Regions are fixed before anyone works in them, so the result does not depend on the number of threads.

mod exchange;
mod local;
mod nearest;
mod tree;

use rayon::prelude::*;

use self::tree::Sets;
use super::Partition;
use crate::aggregate::marks::Marks;
use crate::progress::Progress;
use crate::rng::Rng;

/// With fewer persons than this, more than one beginning is tried.
const FEW: usize = 2048;
const MOST_BEGINNINGS: usize = 16;
/// In large groups only so many members get their turn in a sweep.
const MOST_TURNS: usize = 16;

/// How much work is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Work {
    /// Persons in a region of nearest neighbours.
    pub region: usize,
    /// How often groups are put into new regions.
    pub sweeps: usize,
    /// Groups in a region of exchanges.
    pub groups: usize,
    /// How many times each person of a region of exchanges gets its turn, in groups that are not large.
    pub turns: usize,
}

/// Cuts `persons` persons into groups of at least k. Of few persons several beginnings are tried.
pub(crate) fn flock(
    marks: &Marks,
    persons: usize,
    k: usize,
    work: Work,
    rng: &mut Rng,
    progress: &dyn Progress,
) -> Partition {
    let kinds = kinds(marks, persons);
    let (same, rest) = same(&kinds, k);
    let beginnings = (FEW / persons).clamp(1, MOST_BEGINNINGS);
    progress.stage("grouping", persons as u64);
    let mut best: Option<(u64, Vec<Vec<u32>>)> = None;
    for beginning in 0..beginnings {
        let seed = rng.bits();
        let mut groups = if beginning == 0 {
            begin(marks, &kinds, same.clone(), rest.clone(), k, work.region, seed, progress)
        } else {
            chance(marks, same.clone(), rest.clone(), k, seed)
        };
        if beginning == 0 {
            progress.stage("exchanging", (work.sweeps * beginnings) as u64);
        }
        for _ in 0..work.sweeps {
            if progress.is_stopped() {
                return Partition { groups };
            }
            groups = sweep(marks, groups, k, work, rng.bits());
            progress.advance(1);
        }
        let saved = if beginnings == 1 { 0 } else { saved(marks, &groups) };
        if best.as_ref().is_none_or(|(most, _)| saved > *most) {
            best = Some((saved, groups));
        }
    }
    let mut groups = best.map_or_else(Vec::new, |(_, groups)| groups);
    groups.iter_mut().for_each(|group| group.sort_unstable());
    Partition { groups }
}

/// Groups by nearest neighbours.
#[expect(clippy::too_many_arguments, reason = "one call")]
fn begin(
    marks: &Marks,
    kinds: &[u32],
    mut groups: Vec<Vec<u32>>,
    rest: Vec<u32>,
    k: usize,
    region: usize,
    seed: u64,
    progress: &dyn Progress,
) -> Vec<Vec<u32>> {
    progress.advance(groups.iter().map(|group| group.len() as u64).sum());
    let regions = tree::regions(&Rows { marks, kinds }, rest, region.max(4 * k), seed);
    let made: Vec<_> = regions
        .into_par_iter()
        .map_init(
            || vec![0u32; marks.weights().len()],
            |scratch, region| {
                progress.advance(region.len() as u64);
                if progress.is_stopped() {
                    return (Vec::new(), Vec::new());
                }
                let (mut groups, left) = nearest::nearest(marks, region, k, scratch);
                if groups.is_empty() {
                    return (groups, left);
                }
                place(marks, &mut groups, &left);
                (groups, Vec::new())
            },
        )
        .collect();
    for (mut some, left) in made {
        // Only where all others are in groups of the same can there be too few for one.
        place(marks, &mut groups, &left);
        groups.append(&mut some);
    }
    groups
}

/// Groups by chance.
fn chance(marks: &Marks, mut groups: Vec<Vec<u32>>, mut rest: Vec<u32>, k: usize, seed: u64) -> Vec<Vec<u32>> {
    Rng::seeded(seed).shuffle(&mut rest);
    let chunks = rest.chunks_exact(k);
    let left = chunks.remainder().to_vec();
    groups.extend(chunks.map(<[u32]>::to_vec));
    place(marks, &mut groups, &left);
    groups
}

/// What all groups save together: each member the weight of its group's common marks.
fn saved(marks: &Marks, groups: &[Vec<u32>]) -> u64 {
    let saved = |group: &Vec<u32>| {
        let common = common(marks, group);
        group.len() as u64 * common.iter().map(|&mark| u64::from(marks.weights()[mark as usize])).sum::<u64>()
    };
    groups.iter().map(saved).sum()
}

/// Baskets for the tree.
struct Rows<'a> {
    marks: &'a Marks,
    kinds: &'a [u32],
}

impl Sets for Rows<'_> {
    fn of(&self, set: u32) -> &[u32] {
        self.marks.heavy(set)
    }

    fn weights(&self) -> &[u32] {
        self.marks.weights()
    }

    fn kind(&self, set: u32) -> u32 {
        self.kinds[set as usize]
    }
}

/// Groups for the tree, each by one of its members.
struct Groups<'a> {
    marks: &'a Marks,
    shown: &'a [u32],
}

impl Sets for Groups<'_> {
    fn of(&self, set: u32) -> &[u32] {
        self.marks.heavy(self.shown[set as usize])
    }

    fn weights(&self) -> &[u32] {
        self.marks.weights()
    }

    fn kind(&self, set: u32) -> u32 {
        set
    }
}

/// One sweep of exchanges.
fn sweep(marks: &Marks, mut groups: Vec<Vec<u32>>, k: usize, work: Work, seed: u64) -> Vec<Vec<u32>> {
    let mut rng = Rng::seeded_stream(seed, u64::MAX);
    let shown: Vec<u32> = groups.iter().map(|group| group[rng.index(group.len())]).collect();
    let all = (0..groups.len() as u32).collect();
    let regions = tree::regions(&Groups { marks, shown: &shown }, all, work.groups.min(exchange::MOST_GROUPS), seed);
    let regions: Vec<Vec<Vec<u32>>> = regions
        .into_iter()
        .map(|region| region.into_iter().map(|group| std::mem::take(&mut groups[group as usize])).collect())
        .collect();
    let better: Vec<Vec<Vec<u32>>> = regions
        .into_par_iter()
        .enumerate()
        .map_init(
            || vec![0u32; marks.weights().len()],
            |scratch, (number, region)| {
                let mut rng = Rng::seeded_stream(seed, 1 << 40 | number as u64);
                exchange::exchange(marks, region, k, work.turns * k.min(MOST_TURNS), &mut rng, scratch)
            },
        )
        .collect();
    better.into_iter().flatten().collect()
}

/// Puts each person into the group whose distortion grows least.
fn place(marks: &Marks, groups: &mut [Vec<u32>], left: &[u32]) {
    if left.is_empty() {
        return;
    }
    let weigh = |some: &[u32]| some.iter().map(|&mark| i64::from(marks.weights()[mark as usize])).sum::<i64>();
    let mut commons: Vec<Vec<u32>> = groups.iter().map(|group| common(marks, group)).collect();
    for &person in left {
        let growth = |at: usize| {
            let (size, mut common) = (groups[at].len() as i64, commons[at].clone());
            let before = size * weigh(&common);
            meet(&mut common, marks.of(person));
            before - (size + 1) * weigh(&common)
        };
        let best = (0..groups.len()).min_by_key(|&at| (growth(at), at)).expect("there is a group");
        groups[best].push(person);
        meet(&mut commons[best], marks.of(person));
    }
}

/// The marks that all members of a group have.
fn common(marks: &Marks, group: &[u32]) -> Vec<u32> {
    let mut common = marks.of(group[0]).to_vec();
    for &member in &group[1..] {
        meet(&mut common, marks.of(member));
    }
    common
}

/// Keeps the marks that are in another list too; both in rising order.
fn meet(common: &mut Vec<u32>, other: &[u32]) {
    let mut at = 0;
    common.retain(|&mark| {
        while at < other.len() && other[at] < mark {
            at += 1;
        }
        at < other.len() && other[at] == mark
    });
}

/// For each person a number that those with the same marks share: the first of them.
fn kinds(marks: &Marks, persons: usize) -> Vec<u32> {
    let mut order: Vec<(u64, u32)> = (0..persons as u32)
        .into_par_iter()
        .with_min_len(1024)
        .map(|person| {
            let mix =
                |hash: u64, &mark: &u32| (hash ^ u64::from(mark)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
            (marks.of(person).iter().fold(0, mix), person)
        })
        .collect();
    order.par_sort_unstable();
    let mut kinds = vec![0; persons];
    for same in order.chunk_by(|left, right| left.0 == right.0) {
        for (number, &(_, person)) in same.iter().enumerate() {
            let equal = |&&(_, other): &&(u64, u32)| marks.of(other) == marks.of(person);
            let first = same[..number].iter().find(equal).map_or(person, |&(_, other)| kinds[other as usize]);
            kinds[person as usize] = first;
        }
    }
    kinds
}

/// Groups of k to 2k - 1 persons with the same marks, and all persons who are in none.
fn same(kinds: &[u32], k: usize) -> (Vec<Vec<u32>>, Vec<u32>) {
    let mut order: Vec<(u32, u32)> = kinds.iter().copied().zip(0..).collect();
    order.sort_unstable();
    let (mut groups, mut rest) = (Vec::new(), Vec::new());
    for same in order.chunk_by(|left, right| left.0 == right.0) {
        let persons = same.iter().map(|&(_, person)| person);
        if same.len() < k {
            rest.extend(persons);
            continue;
        }
        let count = same.len() / k;
        let persons: Vec<u32> = persons.collect();
        groups.extend(
            (0..count).map(|at| persons[at * persons.len() / count..(at + 1) * persons.len() / count].to_vec()),
        );
    }
    rest.sort_unstable();
    (groups, rest)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::data::Baskets;
    use crate::progress::Silent;
    use crate::synth::baskets::{BasketsSynth, Params, Style};
    use crate::taxonomy::Taxonomy;

    fn made_up(persons: usize) -> (Baskets, Arc<Taxonomy>) {
        let edges: Vec<(String, String)> =
            (1..400).map(|node: u32| (node.to_string(), ((node - 1) / 5).to_string())).collect();
        let edges = edges.iter().map(|(child, parent)| (child.as_str(), parent.as_str()));
        let taxonomy = Arc::new(Taxonomy::from_edges(edges).unwrap());
        let params = Params { persons, mean_items: 4.0, seed: 1, style: Style::Shopping };
        (BasketsSynth::new(params, Arc::clone(&taxonomy)).unwrap().block(0..persons), taxonomy)
    }

    #[test]
    fn sweeps_never_lose() {
        let (baskets, taxonomy) = made_up(3000);
        let marks = Marks::new(&baskets, &taxonomy, 4);
        let work = Work { region: 500, sweeps: 0, groups: 40, turns: 1 };
        let mut groups = flock(&marks, 3000, 4, work, &mut Rng::seeded(1), &Silent).groups;
        let first = saved(&marks, &groups);
        let mut before = first;
        for seed in 0..10 {
            groups = sweep(&marks, groups, 4, work, seed);
            let after = saved(&marks, &groups);
            assert!(after >= before, "sweep {seed}: {before} to {after}");
            before = after;
            assert!(groups.iter().all(|group| (4..8).contains(&group.len())));
            let mut members = groups.concat();
            members.sort_unstable();
            assert_eq!(members, (0..3000).collect::<Vec<u32>>());
        }
        assert!(before > first);
    }

    #[test]
    fn the_same_with_one_thread_and_two() {
        let (baskets, taxonomy) = made_up(3000);
        let marks = Marks::new(&baskets, &taxonomy, 3);
        let work = Work { region: 200, sweeps: 2, groups: 20, turns: 1 };
        let groups = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| flock(&marks, 3000, 3, work, &mut Rng::seeded(1), &Silent))
        };
        assert_eq!(groups(1), groups(2));
        assert_ne!(groups(1), flock(&marks, 3000, 3, work, &mut Rng::seeded(2), &Silent));
    }

    #[test]
    fn the_same_baskets_are_together() {
        let (baskets, taxonomy) = made_up(1000);
        let marks = Marks::new(&baskets, &taxonomy, 2);
        let kinds = kinds(&marks, 1000);
        for person in 0..1000 {
            let first = (0..1000).find(|&other| marks.of(other) == marks.of(person));
            assert_eq!(Some(kinds[person as usize]), first);
        }
        let (groups, rest) = same(&kinds, 2);
        assert!(!groups.is_empty() && groups.iter().all(|group| (2..4).contains(&group.len())));
        assert_eq!(groups.concat().len() + rest.len(), 1000);
    }
}
