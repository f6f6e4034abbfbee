//! Onto the nearest edge of the Voronoi cell that the point lies in. The cell's address and one neighbour are as near to every point of an
//! edge: two addresses, whatever k is.
//!
//! # Idea
//! The nearest edge lies on the bisector of the cell's address and another one that is nearest to the point: no other bisector is nearer,
//! so the foot of the perpendicular belongs to the cell.

use super::super::places::Places;
use crate::geo::{self, plane};

/// So many neighbours are looked at: those of cells beyond are farther.
const NEIGHBOURS: usize = 64;

pub(super) fn masked(places: &Places, point: (f64, f64)) -> Option<(f64, f64)> {
    let near = places.nearest_few(point, NEIGHBOURS);
    let own = plane::metres(point, places.get(near.first()?.0));
    let mut best: Option<(f64, f64, f64)> = None;
    for &(other, _) in &near[1..] {
        let other = plane::metres(point, places.get(other));
        let (across, up) = (other.0 - own.0, other.1 - own.1);
        let length = across.hypot(up);
        if length < 1e-3 {
            continue;
        }
        let middle = ((own.0 + other.0) / 2.0, (own.1 + other.1) / 2.0);
        let far = (middle.0 * across + middle.1 * up) / length;
        if best.is_none_or(|best| far < best.0) {
            best = Some((far, far * across / length, far * up / length));
        }
    }
    let (_, east, north) = best?;
    let (lat, lon) = plane::moved(point, east, north);
    Some((geo::rounded(lat), geo::rounded(lon)))
}
