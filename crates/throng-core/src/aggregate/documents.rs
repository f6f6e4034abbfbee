//! One vector for a group of documents: matched terms, generalised.
//!
//! Paper      000 (ARES report), section 2.3 and Table 2.1.
//!
//! # Idea
//! 1. The first member's vector is taken as it is, and the others are folded into it in rising order. 2. Terms are matched one
//!    to one, such that the sum of Wu-Palmer similarities is greatest; of equal sums the one with the greatest sum of
//!    similarity × mean weight, then the one in which the first term has the earliest partner, then the second. 3. A matched
//!    pair becomes the deepest common hypernym of its best pair of senses. Terms without a partner are dropped.
//! 4. The weight is the mean over all members.
//!
//! # Readings
//! D1 for two documents, D4 for more and for unequal lengths. Ours: after the first fold a term is one synset, not the word
//! that names it. Pairs that come to the same name stay apart while members are folded in, so that every member finds
//! partners for its terms; in the end their weights are added. To compare them, weights are whole numbers of 2^-32.
//!
//! # Cost
//! One matching a member, O(N³) at worst for N terms.

use std::borrow::Cow;
use std::ops::{Add, Sub};

use crate::distance::assignment::Assignment;
use crate::distance::document_distance::DocumentSpace;
use crate::distance::wu_palmer::{Layout, Profile};

/// Makes vectors of groups of documents of one space.
#[derive(Debug)]
pub struct Aggregation<'a> {
    space: &'a DocumentSpace,
    layout: Layout,
    similarities: Vec<i64>,
    gains: Vec<Both>,
    assignment: Assignment<Both>,
}

/// A similarity, and the same times the weights: the second decides where the first is equal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Both {
    similarity: i64,
    weighted: i128,
}

impl Add for Both {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { similarity: self.similarity + other.similarity, weighted: self.weighted + other.weighted }
    }
}

impl Sub for Both {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self { similarity: self.similarity - other.similarity, weighted: self.weighted - other.weighted }
    }
}

/// A term of a vector while members are folded in.
struct Term<'a> {
    name: &'a str,
    senses: Cow<'a, [u32]>,
    profile: Cow<'a, Profile>,
    /// The sum of the weights so far.
    weight: f64,
    whole: i64,
}

impl<'a> Aggregation<'a> {
    /// Prepares to make vectors of groups of documents of `space`.
    pub fn new(space: &'a DocumentSpace) -> Self {
        let layout = Layout::new(space.meanings());
        Self { space, layout, similarities: Vec::new(), gains: Vec::new(), assignment: Assignment::default() }
    }

    /// The vector of a group, its members in rising order: terms in the order of the first member, no term twice.
    pub fn vector(&mut self, members: &[u32]) -> Vec<(&'a str, f64)> {
        let Some((&first, others)) = members.split_first() else { return Vec::new() };
        let mut terms = self.terms(first);
        for &member in others {
            terms = self.fold(&terms, self.terms(member));
        }
        let mut vector: Vec<(&'a str, f64)> = Vec::with_capacity(terms.len());
        for term in terms {
            match vector.iter_mut().find(|(name, _)| *name == term.name) {
                Some((_, weight)) => *weight += term.weight,
                None => vector.push((term.name, term.weight)),
            }
        }
        for (_, weight) in &mut vector {
            *weight /= members.len() as f64;
        }
        vector
    }

    fn terms(&self, document: u32) -> Vec<Term<'a>> {
        let space = self.space;
        let term = |&(term, weight): &(u32, f64)| Term {
            name: space.term(term),
            senses: Cow::Borrowed(space.senses(term)),
            profile: Cow::Borrowed(space.profile(term)),
            weight,
            whole: (weight * 4_294_967_296.0).round() as i64,
        };
        space.vector(document as usize).iter().map(term).collect()
    }

    fn fold(&mut self, terms: &[Term<'a>], others: Vec<Term<'a>>) -> Vec<Term<'a>> {
        let meanings = self.space.meanings();
        // As many rows as columns: a term that gets a partner beyond the real ones has none.
        let side = terms.len().max(others.len());
        self.gains.clear();
        self.gains.resize(side * side, Both::default());
        for (row, term) in terms.iter().enumerate() {
            self.similarities.clear();
            let profiles = others.iter().map(|other| &*other.profile);
            self.layout.similarities(&term.profile, profiles, &mut self.similarities);
            for (column, (&similarity, other)) in self.similarities.iter().zip(&others).enumerate() {
                let weight = i128::from(term.whole) + i128::from(other.whole);
                self.gains[row * side + column] = Both { similarity, weighted: i128::from(similarity) * weight };
            }
        }
        self.assignment.solve(&self.gains, side, side);
        let partners = self.assignment.lowest(&self.gains);
        let pair = |(term, &partner): (&Term<'a>, &usize)| {
            let other = others.get(partner)?;
            let node = meanings.common_hypernym(&term.senses, &other.senses)?;
            Some(Term {
                name: meanings.name(node),
                senses: Cow::Owned(vec![node]),
                profile: Cow::Owned(meanings.profile(&[node])),
                weight: term.weight + other.weight,
                whole: term.whole.saturating_add(other.whole),
            })
        };
        terms.iter().zip(partners).filter_map(pair).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::taxonomy::tests::food;
    use std::sync::Arc;

    fn vector(documents: &[&[(&str, f64)]]) -> Vec<(String, f64)> {
        let mut space = DocumentSpace::new(&Arc::new(food()), 50);
        for document in documents {
            space.add_vector(document.iter().copied());
        }
        let members: Vec<u32> = (0..documents.len() as u32).collect();
        Aggregation::new(&space).vector(&members).into_iter().map(|(name, weight)| (name.to_owned(), weight)).collect()
    }

    fn named(vector: &[(&str, f64)]) -> Vec<(String, f64)> {
        vector.iter().map(|&(name, weight)| (name.to_owned(), weight)).collect()
    }

    #[test]
    fn by_hand() {
        // Beef with Chicken is Meat, Milk with Butter is Dairy.
        let two = vector(&[&[("Beef", 0.75), ("Milk", 0.25)], &[("Butter", 0.5), ("Chicken", 0.25)]]);
        assert_eq!(two, named(&[("Meat", 0.5), ("Dairy", 0.375)]));
        // A third member: Cheese is nearer to Dairy, Apple meets Meat at the root; Orange has no partner.
        let apples: &[(&str, f64)] = &[("Apple", 1.5), ("Cheese", 0.0), ("Orange", 0.0)];
        let three = vector(&[&[("Beef", 0.75), ("Milk", 0.25)], &[("Butter", 0.5), ("Chicken", 0.25)], apples]);
        assert_eq!(three, named(&[("Food", 2.5 / 3.0), ("Dairy", 0.25)]));
        assert_eq!(vector(&[&[("Beef", 0.75)]]), named(&[("Beef", 0.75)]));
        assert!(vector(&[]).is_empty());
        assert!(vector(&[&[("Beef", 0.75)], &[]]).is_empty());
    }

    #[test]
    fn pairs_of_the_same_name_are_one_term() {
        let both = vector(&[&[("Beef", 0.5), ("Chicken", 0.25)], &[("Milk", 0.5), ("Apple", 0.25)]]);
        assert_eq!(both, named(&[("Food", 0.75)]));
    }

    #[test]
    fn weights_decide_between_equal_sums_and_then_the_order() {
        // Apple and Beef fit Orange and Banana, Apple once and Beef once: 2/3 + 1/3 in both ways. Apple (0.5) with Orange
        // (0.4) and Beef (0.3) with Banana (0.2): 2/3 · 0.9 + 1/3 · 0.5 is more than 2/3 · 0.7 + 1/3 · 0.7.
        let heavy = vector(&[&[("Apple", 0.5), ("Beef", 0.25)], &[("Orange", 0.5), ("Banana", 0.25)]]);
        assert_eq!(heavy, named(&[("Fruit", 0.5), ("Food", 0.25)]));
        let light = vector(&[&[("Apple", 0.25), ("Beef", 0.5)], &[("Orange", 0.25), ("Banana", 0.5)]]);
        assert_eq!(light, named(&[("Fruit", 0.375), ("Food", 0.375)]));
        let equal = vector(&[&[("Apple", 0.25), ("Beef", 0.25)], &[("Milk", 0.25), ("Food", 0.25)]]);
        assert_eq!(equal, named(&[("Food", 0.5)]));
    }
}
