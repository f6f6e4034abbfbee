//! Baskets as sets of marks: what makes the distortion of a group a weighted intersection.
//!
//! # Idea
//! 1. The mark (i, j) of a basket says that at least j of its items lie at or under node i. The minimum of counts is then
//!    the intersection of sets of marks.
//! 2. A mark weighs what it saves: w_i = LM(parent of i) - LM(i), in units of the loss metric.
//! 3. A mark of fewer persons than a group has members is never common to a group: it is left out. A mark that the same
//!    persons have as the mark above it, (parent of i, j), is added to that one. A mark that everybody has is a constant.
//! 4. Marks far down in the tree are many and save little. Those that together save no more than a hundredth are light;
//!    a search that need not be exact looks at the heavy ones only.
//!
//! # Formula
//! GGD(S) = sum of lengths - |S| · weight of the marks common to S.
//!
//! # Cost
//! Time and memory O(items · height) for all persons; two passes, in parallel.

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
    /// How many of a person's marks are heavy; these come first.
    heavy: Vec<u32>,
    marks: Vec<u32>,
    weights: Vec<u32>,
    /// What the marks of everybody weigh together.
    everybody: u64,
}

impl Marks {
    /// The marks that at least `least` persons have.
    pub(crate) fn new(baskets: &Baskets, taxonomy: &Taxonomy, least: usize) -> Self {
        let (offsets, supports) = supports(baskets, taxonomy);
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
        let persons = baskets.persons();
        let mut everybody = 0u64;
        let mut kept = Vec::new();
        for at in 0..supports.len() {
            if place[at] as usize != at || saved[at] == 0 || (supports[at] as usize) < least {
                continue;
            }
            if supports[at] as usize == persons {
                everybody += u64::from(saved[at]);
            } else {
                kept.push(at);
            }
        }
        let least_heavy = least_heavy(kept.iter().map(|&at| (saved[at], supports[at])).collect());
        let (heavy, light): (Vec<usize>, Vec<usize>) = kept.iter().partition(|&&at| saved[at] >= least_heavy);
        let mut names = vec![LEFT_OUT; supports.len()];
        let mut weights = Vec::with_capacity(kept.len());
        for &at in heavy.iter().chain(&light) {
            names[at] = weights.len() as u32;
            weights.push(saved[at]);
        }
        let (starts, heavy, marks) = named(baskets, taxonomy, &offsets, &names, heavy.len() as u32);
        Self { starts, heavy, marks, weights, everybody }
    }

    /// The heavy marks of a person in rising order.
    pub(crate) fn heavy(&self, person: u32) -> &[u32] {
        let start = self.starts[person as usize];
        &self.marks[start..start + self.heavy[person as usize] as usize]
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
    (0..persons.div_ceil(PIECE)).into_par_iter().with_min_len(8).map(piece)
}

/// The least weight of a heavy mark, of marks with their weights and supports.
fn least_heavy(mut marks: Vec<(u32, u32)>) -> u32 {
    marks.sort_unstable();
    let save = |&(weight, support): &(u32, u32)| u128::from(weight) * u128::from(support);
    let mut spare = marks.iter().map(save).sum::<u128>() / 100;
    for mark in &marks {
        match spare.checked_sub(save(mark)) {
            Some(rest) => spare = rest,
            None => return mark.0,
        }
    }
    0
}

/// How many baskets have exactly a count at a node: for each node a list by count, from 1. One is the most frequent count,
/// so it has a list of its own.
struct Tally {
    ones: Vec<u32>,
    more: Vec<Vec<u32>>,
    counter: Counter,
}

impl Tally {
    fn new(nodes: usize) -> Self {
        Self { ones: vec![0; nodes], more: vec![Vec::new(); nodes], counter: Counter::default() }
    }

    fn add(&mut self, taxonomy: &Taxonomy, basket: &[u32]) {
        for &(node, count) in self.counter.count(taxonomy, basket) {
            if count == 1 {
                self.ones[node as usize] += 1;
                continue;
            }
            let (more, at) = (&mut self.more[node as usize], count as usize - 2);
            if more.len() <= at {
                more.resize(at + 1, 0);
            }
            more[at] += 1;
        }
    }

    fn merge(mut self, other: Self) -> Self {
        self.ones.iter_mut().zip(other.ones).for_each(|(mine, ones)| *mine += ones);
        for (mine, more) in self.more.iter_mut().zip(other.more) {
            if mine.len() < more.len() {
                mine.resize(more.len(), 0);
            }
            mine.iter_mut().zip(more).for_each(|(mine, more)| *mine += more);
        }
        self
    }
}

/// Where the marks of each node begin, and how many persons have each.
fn supports(baskets: &Baskets, taxonomy: &Taxonomy) -> (Vec<usize>, Vec<u32>) {
    let tally = pieces(baskets.persons())
        .fold(
            || Tally::new(taxonomy.len()),
            |mut tally, piece| {
                piece.for_each(|person| tally.add(taxonomy, baskets.basket(person)));
                tally
            },
        )
        .reduce_with(Tally::merge)
        .unwrap_or_else(|| Tally::new(taxonomy.len()));
    let mut offsets = Vec::with_capacity(taxonomy.len() + 1);
    let mut supports = Vec::new();
    for (ones, more) in tally.ones.into_iter().zip(tally.more) {
        let first = supports.len();
        offsets.push(first);
        if ones > 0 || !more.is_empty() {
            supports.push(ones);
            supports.extend(more);
        }
        // Who has more has less too.
        for at in (first + 1..supports.len()).rev() {
            supports[at - 1] += supports[at];
        }
    }
    offsets.push(supports.len());
    (offsets, supports)
}

/// The marks of all persons by their final names, the heavy ones, below `light`, first.
fn named(
    baskets: &Baskets,
    taxonomy: &Taxonomy,
    offsets: &[usize],
    names: &[u32],
    light: u32,
) -> (Vec<usize>, Vec<u32>, Vec<u32>) {
    let made: Vec<(Vec<[u32; 2]>, Vec<u32>)> = pieces(baskets.persons())
        .map(|piece| {
            let (mut lengths, mut marks) = (Vec::with_capacity(piece.len()), Vec::new());
            let (mut lights, mut counter) = (Vec::new(), Counter::default());
            for person in piece {
                let before = marks.len();
                for &(node, count) in counter.count(taxonomy, baskets.basket(person)) {
                    let first = offsets[node as usize];
                    for &name in &names[first..first + count as usize] {
                        if name < light {
                            marks.push(name);
                        } else if name != LEFT_OUT {
                            lights.push(name);
                        }
                    }
                }
                let heavy = marks.len() - before;
                marks.append(&mut lights);
                lengths.push([heavy as u32, (marks.len() - before) as u32]);
            }
            (lengths, marks)
        })
        .collect();
    let mut starts = Vec::with_capacity(baskets.persons() + 1);
    let mut heavy = Vec::with_capacity(baskets.persons());
    let mut marks = Vec::with_capacity(made.iter().map(|(_, marks)| marks.len()).sum());
    let mut next = 0;
    starts.push(0);
    for (lengths, some) in made {
        marks.extend(some);
        for [first, length] in lengths {
            heavy.push(first);
            next += length as usize;
            starts.push(next);
        }
    }
    (starts, heavy, marks)
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
                    prop_assert!(marks.of(person).starts_with(marks.heavy(person)));
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
