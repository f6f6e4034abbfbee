//! Spatial k-anonymity: at each written point at least k addresses are no farther than the true position.
//!
//! Paper      Hampton et al. 2010 count the addresses nearer than the true one (actual k).
//! Claims     by the masks `adaptive-donut`, `donut` and `street` of `throng geocode mask`. Looked at beside the original points and the
//!            reference of addresses, by other code than that which moved the points.
//! Does not   say where a person may be: whoever knows the method can leave out addresses from which it would not have come to this point;
//!            and k addresses may be k flats of one house, or houses of which one alone has a child.
//!
//! # Idea
//! 1. Every row has an id of the original, and no id is there twice: two points of one person are two circles that cross.
//! 2. The addresses are sorted by latitude. Those within the distance to the true position, north or south, are looked at one by one.
//!
//! # Formula
//! k = #{a : d(a, w) ≤ d(t, w) · (1 + 10⁻⁹)} for the written point w and the true position t, d along great circles.
//!
//! # Cost
//! Time O(n · s) for n points, where s addresses lie in the band of latitudes.

use std::collections::{BTreeMap, BTreeSet};

use crate::info::{self, Info};

/// The card.
pub const INFO: Info = Info {
    name: "spatial-k-anonymity",
    summary: "around each written point at least k addresses are no farther than the true position",
    paper: "Hampton et al., Mapping Health Data: Improved Privacy Protection With Donut Method Geomasking, Am. J. Epidemiology 2010",
    details: "Every row has an id of the original, and none is there twice. At each written point, at least k addresses of the reference, \
        the true one among them, are no farther than the true position: distances along great circles, equal if they differ by less than \
        a billionth.\n\
        Does not promise: anything against somebody who knows the method and leaves out addresses from which it would not have come to \
        this point, nor that the k addresses are k houses.",
    parameters: &[info::K],
};

/// A row as published.
#[derive(Debug, Clone, PartialEq)]
pub struct Masked {
    /// The id, which stands in the original too.
    pub id: String,
    /// The line that it stands in.
    pub line: u64,
    /// Where it was put: latitude and longitude in degrees.
    pub place: (f64, f64),
}

/// What shows that it fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Witness {
    /// The line of the row.
    pub line: u64,
    /// How many addresses there are, where that is too few.
    pub k: Option<u64>,
    /// What is wrong, in words.
    pub problem: &'static str,
}

/// Distances that differ by this share are equal.
const SLACK: f64 = 1e-9;
/// In kilometres, as the mean of the ellipsoid's axes has it.
const EARTH: f64 = 6371.0088;

/// Looks at written points beside their original and the places of all addresses: the smallest k of all rows, or the first row that has
/// less. None where there is no row.
pub fn check(
    rows: &[Masked],
    original: &[(String, (f64, f64))],
    addresses: &[(f64, f64)],
    k: u64,
) -> Result<Option<u64>, Witness> {
    let mut truth: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    for (id, place) in original {
        truth.insert(id, *place);
    }
    let mut sorted = addresses.to_vec();
    sorted.sort_by(|left, right| left.0.total_cmp(&right.0));
    let mut seen = BTreeSet::new();
    let mut least: Option<u64> = None;
    for row in rows {
        let fails = |k, problem| Witness { line: row.line, k, problem };
        if !seen.insert(row.id.as_str()) {
            return Err(fails(None, "the id stands there twice: two points of one person say more than one"));
        }
        let Some(&true_place) = truth.get(row.id.as_str()) else {
            return Err(fails(None, "the id is not in the original: nobody can say whom the point hides"));
        };
        let found = around(row.place, true_place, &sorted);
        if found < k {
            return Err(fails(Some(found), "fewer than k addresses are as near as the true position"));
        }
        least = Some(least.map_or(found, |least| least.min(found)));
    }
    Ok(least)
}

fn around(written: (f64, f64), truth: (f64, f64), sorted: &[(f64, f64)]) -> u64 {
    let radius = great_circle(written, truth) * (1.0 + SLACK);
    // A little more than the band, for it is only a short cut.
    let band = (radius / EARTH).to_degrees() * (1.0 + 1e-6) + 1e-9;
    let first = sorted.partition_point(|address| address.0 < written.0 - band);
    let in_band = sorted[first..].iter().take_while(|address| address.0 <= written.0 + band);
    in_band.filter(|&&address| great_circle(written, address) <= radius).count() as u64
}

/// The way between two places on a sphere, in kilometres.
fn great_circle(one: (f64, f64), other: (f64, f64)) -> f64 {
    let radians = std::f64::consts::PI / 180.0;
    let north = ((one.0 - other.0) * radians * 0.5).sin();
    let east = ((one.1 - other.1) * radians * 0.5).sin();
    let haversine = (north * north + (one.0 * radians).cos() * (other.0 * radians).cos() * east * east).clamp(0.0, 1.0);
    2.0 * EARTH * haversine.sqrt().atan2((1.0 - haversine).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(id: &str, line: u64, lon: f64) -> Masked {
        Masked { id: id.to_owned(), line, place: (0.0, lon) }
    }

    /// Houses in a row, a thousandth of a degree apart; the true one is at 0.
    #[test]
    fn by_hand() {
        let houses: Vec<(f64, f64)> = (0..10).map(|at| (0.0, f64::from(at) * 1e-3)).collect();
        let original = [("a".to_owned(), (0.0, 0.0)), ("b".to_owned(), (0.0, 0.0))];
        let k = |lon: f64, k: u64| check(&[row("a", 2, lon)], &original, &houses, k);
        // From 0.002 on: those at 0 to 0.004 are no farther than the true one.
        assert_eq!(k(2e-3, 5), Ok(Some(5)));
        assert_eq!(k(2e-3, 6).unwrap_err().k, Some(5));
        // At the true position nobody else is as near.
        assert_eq!(k(0.0, 2).unwrap_err().k, Some(1));
        assert_eq!(k(4.5e-3, 10), Ok(Some(10)));
        assert_eq!(check(&[], &original, &houses, 2), Ok(None));
        let twice = [row("a", 2, 2e-3), row("a", 3, 2e-3)];
        assert_eq!(check(&twice, &original, &houses, 2).unwrap_err().line, 3);
        assert_eq!(check(&[row("c", 2, 2e-3)], &original, &houses, 2).unwrap_err().line, 2);
    }

    /// Over the date line, and at a pole.
    #[test]
    fn anywhere() {
        let houses = [(10.0, 179.999), (10.0, -179.999), (10.0, -179.998)];
        let original = [("a".to_owned(), (10.0, -179.998))];
        assert_eq!(
            check(&[Masked { id: "a".into(), line: 2, place: (10.0, 179.9995) }], &original, &houses, 3),
            Ok(Some(3))
        );
        let around = [(89.9, 0.0), (89.9, 90.0), (89.9, 180.0)];
        let original = [("a".to_owned(), (89.9, 90.0))];
        assert_eq!(
            check(&[Masked { id: "a".into(), line: 2, place: (90.0, 12.0) }], &original, &around, 3),
            Ok(Some(3))
        );
    }
}
