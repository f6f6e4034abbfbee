//! Chaff: made-up addresses among those that one asks a provider for.
//!
//! Paper      Christen. Geocode Matching and Privacy Preservation. PinKDD 2008, section 3.2 (chaffing), after Rivest.
//!
//! # Idea
//! 1. Every address is given so many others of the reference, drawn in its own postcode: the postcodes of what is sent are those of the file, so many times over.
//! 2. [`guessed`] is what a provider makes of it: the addresses that its suspicion puts first are taken for the real ones.
//!
//! # Formula
//! A provider that can tell nothing is right in 1 / (1 + c) of its guesses.
//!
//! Does not   promise that figure: real addresses have errors, repeat, lie together and come with a story. The attack says what is left.

use std::collections::BTreeMap;

use super::reference::{Dwelling, Reference};
use crate::rng::Rng;

/// Draws addresses by postcode.
#[derive(Debug)]
pub struct Chaff<'a> {
    reference: &'a Reference,
    of_postcode: BTreeMap<u32, Vec<u32>>,
}

impl<'a> Chaff<'a> {
    /// From all addresses of a reference.
    pub fn new(reference: &'a Reference) -> Self {
        let mut of_postcode: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (number, dwelling) in (0..).zip(reference.dwellings()) {
            of_postcode.entry(reference.streets[dwelling.street as usize].postcode).or_default().push(number);
        }
        Self { reference, of_postcode }
    }

    /// An address in a postcode, or anywhere if nothing is known there.
    pub fn draw(&self, postcode: Option<u32>, rng: &mut Rng) -> Dwelling {
        let dwellings = self.reference.dwellings();
        match postcode.and_then(|postcode| self.of_postcode.get(&postcode)) {
            Some(there) => dwellings[there[rng.index(there.len())] as usize],
            None => dwellings[rng.index(dwellings.len())],
        }
    }
}

/// How many of the first `count` by falling suspicion are real, in the mean over the orders of equally suspicious ones.
pub fn guessed(suspicion: &[f64], is_real: &[bool], count: usize) -> f64 {
    let mut order: Vec<usize> = (0..suspicion.len()).collect();
    order.sort_by(|&one, &other| suspicion[other].total_cmp(&suspicion[one]));
    let (mut hits, mut left) = (0.0, count);
    for equal in order.chunk_by(|&one, &other| suspicion[one] == suspicion[other]) {
        let taken = left.min(equal.len());
        let real = equal.iter().filter(|&&at| is_real[at]).count();
        hits += real as f64 * taken as f64 / equal.len() as f64;
        left -= taken;
    }
    hits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guesses_by_suspicion() {
        let real = [true, false, false, true];
        assert_eq!(guessed(&[2.0, 1.0, 1.0, 3.0], &real, 2), 2.0);
        assert_eq!(guessed(&[1.0; 4], &real, 2), 1.0);
        assert_eq!(guessed(&[1.0, 5.0, 1.0, 1.0], &real, 2), 2.0 / 3.0);
        assert_eq!(guessed(&[], &[], 2), 0.0);
    }
}
