//! Small pieces of the earth as planes: metres east and north of a place.
//!
//! # Formula
//! north = R · Δlat, east = R · cos(lat of the origin) · Δlon, in metres, with the shorter way around for Δlon. Good for kilometres, not
//! for continents, and not at the poles.

use super::RADIUS;

/// How many metres a degree of latitude has.
const DEGREE: f64 = RADIUS * 1000.0 * std::f64::consts::PI / 180.0;
/// Nearer to a pole, longitudes are as far apart as here.
const LEAST_COSINE: f64 = 1e-6;

fn cosine(lat: f64) -> f64 {
    lat.to_radians().cos().max(LEAST_COSINE)
}

/// How many metres a place lies east and north of an origin.
pub fn metres(origin: (f64, f64), place: (f64, f64)) -> (f64, f64) {
    let across = (place.1 - origin.1 + 540.0).rem_euclid(360.0) - 180.0;
    (across * DEGREE * cosine(origin.0), (place.0 - origin.0) * DEGREE)
}

/// The place so many metres east and north of an origin.
pub fn moved(origin: (f64, f64), east: f64, north: f64) -> (f64, f64) {
    let lat = (origin.0 + north / DEGREE).clamp(-90.0, 90.0);
    let lon = origin.1 + east / (DEGREE * cosine(origin.0));
    (lat, if (-180.0..=180.0).contains(&lon) { lon } else { (lon + 180.0).rem_euclid(360.0) - 180.0 })
}

/// The place that lies a share of the way from one place to another; beyond them where the share is not in [0, 1].
pub fn between(from: (f64, f64), to: (f64, f64), share: f64) -> (f64, f64) {
    let (east, north) = metres(from, to);
    moved(from, share * east, share * north)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geo::distance;

    #[test]
    fn metres_are_those_of_the_great_circle() {
        for origin in [(0.0, 0.0), (48.0, -30.0), (-60.5, 179.9995), (10.0, -180.0)] {
            for (east, north) in [(0.0, 0.0), (100.0, 0.0), (-70.0, 35.0), (0.0, 500.0)] {
                let place = moved(origin, east, north);
                assert!((-180.0..=180.0).contains(&place.1), "{place:?}");
                let (back_east, back_north) = metres(origin, place);
                assert!((back_east - east).abs() < 1e-6 && (back_north - north).abs() < 1e-6);
                assert!((distance(origin, place) * 1000.0 - east.hypot(north)).abs() < 0.02);
            }
        }
    }

    #[test]
    fn shares_of_a_way() {
        let (from, to) = ((10.0, 179.999), (10.001, -179.999));
        let middle = between(from, to, 0.5);
        assert!((middle.0 - 10.0005).abs() < 1e-9 && (middle.1.abs() - 180.0).abs() < 1e-9, "{middle:?}");
        assert_eq!(between(from, to, 0.0), from);
    }
}
