//! What persons are interested in: how many of their lines fall into each category of a taxonomy's first levels.
//!
//! A line is in every category that a concept of one of its phrases lies in or under, and counts once in each. Level 1 is the
//! first whose categories say something: below an artificial root, else the root itself.
//!
//! # Cost
//! Time O(l c log(l c)) for a person of l lines in c categories each; memory 8 bytes a person and category.

use rayon::prelude::*;

use super::{Meaning, Texts};
use crate::taxonomy::Taxonomy;

/// How many lines of each person are in each category.
#[derive(Debug, Clone)]
pub struct Interests {
    /// Person `p` has `counts[starts[p]..starts[p + 1]]`: categories in rising order, and how many lines are in each.
    starts: Vec<usize>,
    counts: Vec<(u32, u32)>,
    categories: usize,
}

impl Interests {
    /// Of the persons of some texts, in the order in which they are given, over so many levels from the top.
    pub fn of(texts: &(impl Texts + Sync), persons: &[u32], meaning: &Meaning, levels: usize) -> Self {
        let categories =
            Categories::of(meaning.taxonomy(), texts.strings().len(), |string| meaning.concepts(string), levels);
        let of_person = |&person: &u32| {
            let queries = texts.strings_of(person as usize).iter();
            let mut own: Vec<u32> = queries.flat_map(|&query| categories.of_string(query)).copied().collect();
            own.sort_unstable();
            own.chunk_by(|left, right| left == right).map(|same| (same[0], same.len() as u32)).collect::<Vec<_>>()
        };
        let (mut starts, mut counts) = (vec![0], Vec::new());
        for some in persons.chunks(PERSONS_AT_ONCE) {
            for own in some.par_iter().map(of_person).collect::<Vec<_>>() {
                counts.extend(own);
                starts.push(counts.len());
            }
        }
        Self { starts, counts, categories: categories.count() }
    }

    /// The number of persons.
    pub fn persons(&self) -> usize {
        self.starts.len() - 1
    }

    /// How many categories there are.
    pub fn categories(&self) -> usize {
        self.categories
    }

    /// The categories of a person in rising order, and how many lines are in each.
    pub fn of_person(&self, person: usize) -> &[(u32, u32)] {
        &self.counts[self.starts[person]..self.starts[person + 1]]
    }

    /// A sketch of a person: the square root of each category's share. Two of them are near where the shares are alike.
    pub fn sketch(&self, person: usize, into: &mut Vec<(u32, f32)>) {
        let own = self.of_person(person);
        let all: u32 = own.iter().map(|&(_, count)| count).sum();
        into.extend(own.iter().map(|&(category, count)| (category, (count as f32 / all as f32).sqrt())));
    }
}

/// The categories that strings lie in, with dense numbers.
#[derive(Debug, Clone)]
pub struct Categories {
    by_string: Vec<Box<[u32]>>,
    count: usize,
}

impl Categories {
    /// Of so many strings, by their concepts, over so many levels from the top.
    pub fn of<'a>(
        taxonomy: &Taxonomy,
        strings: usize,
        concepts_of: impl Fn(u32) -> &'a [u32] + Sync,
        levels: usize,
    ) -> Self {
        let of_string = |string: u32| {
            let concepts = concepts_of(string).iter();
            let mut all: Vec<u32> = concepts.flat_map(|&concept| categories(taxonomy, concept, levels)).collect();
            all.sort_unstable();
            all.dedup();
            all.into_boxed_slice()
        };
        let mut by_string: Vec<Box<[u32]>> = (0..strings as u32).into_par_iter().map(of_string).collect();
        let mut number = vec![u32::MAX; taxonomy.len()];
        by_string.iter().flatten().for_each(|&node| number[node as usize] = 0);
        let used = number.iter_mut().filter(|number| **number == 0);
        let count = (0u32..).zip(used).map(|(dense, number)| *number = dense).count();
        by_string.iter_mut().flatten().for_each(|node| *node = number[*node as usize]);
        Self { by_string, count }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The categories of a string in rising order.
    pub fn of_string(&self, string: u32) -> &[u32] {
        &self.by_string[string as usize]
    }
}

/// Persons whose counts wait to be put in order.
const PERSONS_AT_ONCE: usize = 4_096;

/// The categories of a concept from the top: at most so many, artificial roots left out.
fn categories(taxonomy: &Taxonomy, concept: u32, levels: usize) -> Vec<u32> {
    let mut above: Vec<u32> = taxonomy.ancestors(concept).filter(|&node| !taxonomy.is_artificial(node)).collect();
    above.reverse();
    above.truncate(levels);
    above
}
