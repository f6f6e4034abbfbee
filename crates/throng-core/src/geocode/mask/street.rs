//! Onto an address along the streets: the point's own street and those that it meets, nearest first, until 5k addresses are reached; one
//! of them is drawn. Streets meet where an address of one is among the nearest of an address of the other.

use std::collections::BTreeSet;

use super::super::reference::Reference;
use super::{Masker, TRIES};
use crate::geo;
use crate::rng::Rng;

/// So many of the nearest addresses say which streets meet.
const NEAR: usize = 12;
/// How many times k addresses are reached, and how often more.
const WIDEST: usize = 5;
const WIDENED: u32 = 8;

/// The streets beside each street, in rising order.
pub(super) fn beside(reference: &Reference) -> Vec<Vec<u32>> {
    let street = |dwelling: u32| reference.dwellings()[dwelling as usize].street;
    let mut pairs = BTreeSet::new();
    for number in 0..reference.places().len() as u32 {
        for (other, _) in reference.places().nearest_few(reference.places().get(number), NEAR) {
            if street(other) != street(number) {
                pairs.insert((street(number), street(other)));
                pairs.insert((street(other), street(number)));
            }
        }
    }
    let mut beside = vec![Vec::new(); reference.streets.len()];
    pairs.into_iter().for_each(|(from, to)| beside[from as usize].push(to));
    beside
}

pub(super) fn masked(masker: &Masker<'_>, point: (f64, f64), rng: &mut Rng) -> Option<(f64, f64)> {
    let (nearest, _) = masker.places().nearest(point)?;
    let first = masker.reference.dwellings()[nearest as usize].street;
    let mut wanted = WIDEST * masker.params.k;
    for _ in 0..WIDENED {
        let mut reached = reached(masker, first, wanted);
        reached.sort_by(|left, right| geo::distance(point, *left).total_cmp(&geo::distance(point, *right)));
        let from = (masker.params.k - 1).min(reached.len().saturating_sub(1));
        let found = (0..TRIES).find_map(|_| masker.if_hidden(reached[from + rng.index(reached.len() - from)], point));
        if found.is_some() {
            return found;
        }
        wanted *= 2;
    }
    None
}

/// The addresses of a street and of those around it, street by street, until there are enough.
fn reached(masker: &Masker<'_>, first: u32, wanted: usize) -> Vec<(f64, f64)> {
    let mut streets = vec![first];
    let mut seen = BTreeSet::from([first]);
    let mut places = Vec::new();
    let mut at = 0;
    while let Some(&street) = streets.get(at).filter(|_| places.len() < wanted) {
        places.extend(masker.reference.known(street).iter().map(|known| known.place));
        for &other in &masker.beside[street as usize] {
            if seen.insert(other) {
                streets.push(other);
            }
        }
        at += 1;
    }
    places
}
