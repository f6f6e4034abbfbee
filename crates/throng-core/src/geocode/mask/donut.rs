//! A ring around the point: anywhere between two radii, each area as likely. Where too few addresses are near, the ring is widened.

use super::{Masker, TRIES};
use crate::geo::plane;
use crate::rng::Rng;

/// So often the ring is doubled.
const WIDENED: i32 = 12;

pub(super) fn masked(masker: &Masker<'_>, point: (f64, f64), rng: &mut Rng) -> Option<(f64, f64)> {
    (0..WIDENED).find_map(|times| {
        let scale = 2f64.powi(times);
        let (inner, outer) = (masker.params.inner * scale, masker.params.outer * scale);
        (0..TRIES).find_map(|_| {
            let radius = (inner * inner + rng.unit() * (outer * outer - inner * inner)).sqrt();
            let (up, across) = (std::f64::consts::TAU * rng.unit()).sin_cos();
            masker.if_hidden(plane::moved(point, radius * across, radius * up), point)
        })
    })
}
