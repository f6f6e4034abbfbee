//! Onto an address: the one whose rank by distance from the point is drawn from k to 5k, each as likely. The rank from the point is not
//! the k at the address, so that is measured there, and drawn again until it holds.

use super::{Masker, TRIES};
use crate::rng::Rng;

/// The last rank is so many times k.
const WIDEST: usize = 5;

pub(super) fn masked(masker: &Masker<'_>, point: (f64, f64), rng: &mut Rng) -> Option<(f64, f64)> {
    let (places, k) = (masker.places(), masker.params.k);
    let near = places.nearest_few(point, WIDEST * k);
    let at = |rank: usize| masker.if_hidden(places.get(near[rank].0), point);
    (0..TRIES)
        .find_map(|_| at(k - 1 + rng.index(near.len() - (k - 1))))
        .or_else(|| (k - 1..near.len()).find_map(at))
        // In a corner of the reference: farther away.
        .or_else(|| {
            places
                .nearest_few(point, places.len())
                .iter()
                .skip(near.len())
                .find_map(|far| masker.if_hidden(places.get(far.0), point))
        })
}
