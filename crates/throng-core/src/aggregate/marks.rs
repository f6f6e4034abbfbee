//! Baskets as sets of marks: what makes the distortion of a group a weighted intersection.
//!
//! # Idea
//! 1. The mark (i, j) of a basket says that at least j of its items lie at or under node i. The minimum of counts is then
//!    the intersection of sets of marks.
//! 2. A mark weighs what it saves: w_i = LM(parent of i) - LM(i), in units of the loss metric.
//! 3. A mark of fewer persons than a group has members is never common to a group: it is left out. A mark that the same
//!    persons have as the mark above it, (parent of i, j), is added to that one. A mark that everybody has is a constant.
//!
//! # Formula
//! GGD(S) = sum of lengths - |S| · weight of the marks common to S.
//!
//! # Cost
//! Time and memory O(items · height) for all persons; three passes, in parallel.

use rayon::prelude::*;

use super::baskets::Counter;
use crate::data::Baskets;
use crate::taxonomy::{ROOT, Taxonomy};

/// Persons are worked on in pieces of this size.
const PIECE: usize = 1024;
const LEFT_OUT: u32 = u32::MAX;

/// The marks of some baskets.
#[derive(Debug)]
pub(crate) struct Marks {
    /// Person `p` has the marks `marks[starts[p]..starts[p + 1]]`, in rising order.
    starts: Vec<usize>,
    marks: Vec<u32>,
    weights: Vec<u32>,
    /// What the marks of everybody weigh together.
    everybody: u64,
}

impl Marks {
    /// The marks that at least `least` persons have.
    pub(crate) fn new(baskets: &Baskets, taxonomy: &Taxonomy, least: usize) -> Self {
        let offsets = offsets(baskets, taxonomy);
        let supports = supports(baskets, taxonomy, &offsets);
        let mut names = vec![LEFT_OUT; supports.len()];
        let mut weights = Vec::new();
        let mut all = 0u64;
        // A mark's own place, or that of the mark above it that the same persons have.
        let mut place: Vec<u32> = (0..supports.len() as u32).collect();
        let mut saved = vec![0u32; supports.len()];
        for node in 0..taxonomy.len() as u32 {
            let range = offsets[node as usize]..offsets[node as usize + 1];
            for at in range.clone() {
                if node != ROOT {
                    let above = offsets[taxonomy.parent(node) as usize] + (at - range.start);
                    if supports[above] == supports[at] {
                        place[at] = place[above];
                    }
                }
                saved[place[at] as usize] += weight(taxonomy, node);
            }
        }
        for at in 0..supports.len() {
            if place[at] as usize != at || saved[at] == 0 || (supports[at] as usize) < least {
                continue;
            }
            if supports[at] as usize == baskets.persons() {
                all += u64::from(saved[at]);
            } else {
                names[at] = weights.len() as u32;
                weights.push(saved[at]);
            }
        }
        let (starts, marks) = named(baskets, taxonomy, &offsets, &names);
        Self { starts, marks, weights, everybody: all }
    }

    /// The marks of a person in rising order.
    pub(crate) fn of(&self, person: u32) -> &[u32] {
        &self.marks[self.starts[person as usize]..self.starts[person as usize + 1]]
    }

    /// What each mark weighs.
    pub(crate) fn weights(&self) -> &[u32] {
        &self.weights
    }

    /// What the marks of everybody, which nobody's list has, weigh together.
    pub(crate) fn everybody(&self) -> u64 {
        self.everybody
    }
}

/// What a mark of a node saves, in units of the loss metric. The root saves something only where there is one leaf.
fn weight(taxonomy: &Taxonomy, node: u32) -> u32 {
    let above = if node == ROOT { taxonomy.loss_unit() } else { taxonomy.loss_count(taxonomy.parent(node)) };
    above - taxonomy.loss_count(node)
}

fn pieces(persons: usize) -> impl IndexedParallelIterator<Item = std::ops::Range<usize>> {
    let piece = move |number: usize| number * PIECE..((number + 1) * PIECE).min(persons);
    (0..persons.div_ceil(PIECE)).into_par_iter().with_min_len(4).map(piece)
}

/// Where the marks of each node begin: a node has as many as the most that lies under it in one basket.
fn offsets(baskets: &Baskets, taxonomy: &Taxonomy) -> Vec<usize> {
    let most = pieces(baskets.persons())
        .fold(
            || (vec![0u32; taxonomy.len()], Counter::default()),
            |(mut most, mut counter), piece| {
                for person in piece {
                    for &(node, count) in counter.count(taxonomy, baskets.basket(person)) {
                        most[node as usize] = most[node as usize].max(count);
                    }
                }
                (most, counter)
            },
        )
        .map(|(most, _)| most)
        .reduce_with(|mut left, right| {
            left.iter_mut().zip(right).for_each(|(left, right)| *left = (*left).max(right));
            left
        })
        .unwrap_or_else(|| vec![0; taxonomy.len()]);
    let mut offsets = Vec::with_capacity(taxonomy.len() + 1);
    let mut next = 0;
    offsets.push(0);
    for count in most {
        next += count as usize;
        offsets.push(next);
    }
    offsets
}

/// How many persons have each mark.
fn supports(baskets: &Baskets, taxonomy: &Taxonomy, offsets: &[usize]) -> Vec<u32> {
    let marks = offsets[taxonomy.len()];
    pieces(baskets.persons())
        .fold(
            || (vec![0u32; marks], Counter::default()),
            |(mut supports, mut counter), piece| {
                for person in piece {
                    for &(node, count) in counter.count(taxonomy, baskets.basket(person)) {
                        let first = offsets[node as usize];
                        supports[first..first + count as usize].iter_mut().for_each(|support| *support += 1);
                    }
                }
                (supports, counter)
            },
        )
        .map(|(supports, _)| supports)
        .reduce_with(|mut left, right| {
            left.iter_mut().zip(right).for_each(|(left, right)| *left += right);
            left
        })
        .unwrap_or_else(|| vec![0; marks])
}

/// The marks of all persons by their final names.
fn named(baskets: &Baskets, taxonomy: &Taxonomy, offsets: &[usize], names: &[u32]) -> (Vec<usize>, Vec<u32>) {
    let made: Vec<(Vec<u32>, Vec<u32>)> = pieces(baskets.persons())
        .map(|piece| {
            let (mut lengths, mut marks, mut counter) = (Vec::new(), Vec::new(), Counter::default());
            for person in piece {
                let before = marks.len();
                for &(node, count) in counter.count(taxonomy, baskets.basket(person)) {
                    let first = offsets[node as usize];
                    let own = &names[first..first + count as usize];
                    marks.extend(own.iter().copied().filter(|&name| name != LEFT_OUT));
                }
                lengths.push((marks.len() - before) as u32);
            }
            (lengths, marks)
        })
        .collect();
    let mut starts = Vec::with_capacity(baskets.persons() + 1);
    let mut marks = Vec::with_capacity(made.iter().map(|(_, marks)| marks.len()).sum());
    let mut next = 0;
    starts.push(0);
    for (lengths, some) in made {
        marks.extend(some);
        for length in lengths {
            next += length as usize;
            starts.push(next);
        }
    }
    (starts, marks)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::aggregate::baskets::tests::tree;
    use crate::aggregate::baskets::{distortion, least_common_generalisation};
    use crate::data::BasketsBuilder;

    proptest! {
        #[test]
        fn the_closed_form_is_the_definition(
            parents in prop::collection::vec(any::<prop::sample::Index>(), 0..14),
            rows in prop::collection::vec(prop::collection::vec(any::<prop::sample::Index>(), 0..7), 1..9),
            chosen in any::<u32>(),
        ) {
            let taxonomy = Arc::new(tree(&parents));
            let mut builder = BasketsBuilder::new(Some(Arc::clone(&taxonomy)), false);
            for (line, row) in rows.iter().enumerate() {
                let person = builder.person(&line.to_string());
                row.iter().for_each(|item| builder.push(person, item.index(taxonomy.len()) as u32));
            }
            let baskets = builder.finish();
            let group: Vec<u32> = (0..rows.len() as u32).filter(|person| chosen >> person & 1 == 1).collect();
            prop_assume!(!group.is_empty());
            let members = || group.iter().map(|&person| baskets.basket(person as usize));
            let record = least_common_generalisation(&taxonomy, members());
            let defined: u64 = members().map(|basket| distortion(&taxonomy, basket.len(), &record)).sum();
            // Marks of fewer persons than the group has are not missed.
            for least in 1..=group.len() {
                let marks = Marks::new(&baskets, &taxonomy, least);
                let mut common = marks.of(group[0]).to_vec();
                for &person in &group {
                    prop_assert!(marks.of(person).is_sorted());
                    common.retain(|mark| marks.of(person).contains(mark));
                }
                let lengths: u64 = members().map(|basket| basket.len() as u64).sum();
                let weight: u64 = common.iter().map(|&mark| u64::from(marks.weights()[mark as usize])).sum();
                let saved = group.len() as u64 * (weight + marks.everybody());
                prop_assert_eq!(lengths * u64::from(taxonomy.loss_unit()) - saved, defined);
            }
        }
    }
}
