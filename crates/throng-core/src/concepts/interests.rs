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
        let of_string = |query: u32| {
            let concepts = meaning.concepts(query).iter();
            let mut all: Vec<u32> =
                concepts.flat_map(|&concept| categories(meaning.taxonomy(), concept, levels)).collect();
            all.sort_unstable();
            all.dedup();
            all.into_boxed_slice()
        };
        let mut by_string: Vec<Box<[u32]>> = (0..texts.strings().len() as u32).into_par_iter().map(of_string).collect();
        // Dense numbers, so that a person's counts fit into a short list.
        let mut is_used = vec![false; meaning.taxonomy().len()];
        by_string.iter().flatten().for_each(|&node| is_used[node as usize] = true);
        let numbers: Vec<u32> = is_used
            .iter()
            .scan(0, |next, &is_used| {
                let own = *next;
                *next += u32::from(is_used);
                Some(own)
            })
            .collect();
        let used = is_used.iter().filter(|&&is_used| is_used).count();
        by_string.iter_mut().flatten().for_each(|node| *node = numbers[*node as usize]);
        let of_person = |&person: &u32| {
            let queries = texts.strings_of(person as usize).iter();
            let mut own: Vec<u32> = queries.flat_map(|&query| &by_string[query as usize]).copied().collect();
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
        Self { starts, counts, categories: used }
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

/// Persons whose counts wait to be put in order.
const PERSONS_AT_ONCE: usize = 4_096;

/// The categories of a concept from the top: at most so many, artificial roots left out.
fn categories(taxonomy: &Taxonomy, concept: u32, levels: usize) -> Vec<u32> {
    let mut above: Vec<u32> = taxonomy.ancestors(concept).filter(|&node| !taxonomy.is_artificial(node)).collect();
    above.reverse();
    above.truncate(levels);
    above
}
