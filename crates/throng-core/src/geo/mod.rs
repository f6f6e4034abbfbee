//! Places on the earth: distances along great circles, the nearest of many places, small planes, and the tiles that cells are.

pub mod nearest;
pub mod plane;
pub mod tile;

/// The mean radius of the earth, in kilometres.
pub const RADIUS: f64 = 6371.0088;

/// The distance of two places along the great circle, in kilometres. Places are given as latitude and longitude in degrees.
///
/// # Formula
/// 2 · R · asin(sqrt(sin²(Δlat / 2) + cos(lat₁) · cos(lat₂) · sin²(Δlon / 2))), which is right for near places, over the date line
/// and at the poles.
pub fn distance((from_lat, from_lon): (f64, f64), (to_lat, to_lon): (f64, f64)) -> f64 {
    let half = |from: f64, to: f64| ((to - from).to_radians() / 2.0).sin();
    let (up, across) = (half(from_lat, to_lat), half(from_lon, to_lon));
    let chord = up * up + from_lat.to_radians().cos() * to_lat.to_radians().cos() * across * across;
    2.0 * RADIUS * chord.sqrt().min(1.0).asin()
}

/// The place a share of the way from one to another along the great circle; as it is written.
pub fn between(from: (f64, f64), to: (f64, f64), share: f64) -> (f64, f64) {
    if from == to || share <= 0.0 {
        return (rounded(from.0), rounded(from.1));
    }
    let (start, end) = (Vector::of(from), Vector::of(to));
    let angle = distance(from, to) / RADIUS;
    let sine = angle.sin();
    let weights = if sine.abs() < 1e-12 {
        [1.0 - share, share]
    } else {
        [((1.0 - share) * angle).sin() / sine, (share * angle).sin() / sine]
    };
    Vector(std::array::from_fn(|axis| weights[0] * start.0[axis] + weights[1] * end.0[axis])).place()
}

/// A place as a point of the unit sphere, so that means know no date line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Vector(pub [f64; 3]);

impl Vector {
    /// That of a place.
    pub fn of((lat, lon): (f64, f64)) -> Self {
        let (lat, lon) = (lat.to_radians(), lon.to_radians());
        Self([lat.cos() * lon.cos(), lat.cos() * lon.sin(), lat.sin()])
    }

    /// Adds another one.
    pub fn add(&mut self, other: Self) {
        self.0.iter_mut().zip(other.0).for_each(|(own, other)| *own += other);
    }

    /// The place that it points to, as it is written; the one on the equator and the meridian if it has no direction.
    pub fn place(self) -> (f64, f64) {
        let [x, y, z] = self.0;
        (rounded(z.atan2(x.hypot(y)).to_degrees()), rounded(y.atan2(x).to_degrees()))
    }

    /// The distance to another one in kilometres, through the earth: that along it but for a millionth below twenty kilometres.
    pub fn chord(self, other: Self) -> f64 {
        let square = |axis: usize| (self.0[axis] - other.0[axis]).powi(2);
        RADIUS * (square(0) + square(1) + square(2)).sqrt()
    }
}

/// A coordinate as it is written: with seven decimals, about a centimetre.
pub fn rounded(degrees: f64) -> f64 {
    // An exact whole number over ten million is what a reader of the seven decimals gets.
    (degrees * DECIMALS).round() / DECIMALS + 0.0
}

const DECIMALS: f64 = 1e7;

#[cfg(test)]
mod tests {
    use super::*;

    fn near(left: f64, right: f64) -> bool {
        (left - right).abs() < 1e-6
    }

    /// A quarter of the way around is half of pi radii; a degree is a 360th of the whole.
    #[test]
    fn great_circles() {
        let quarter = RADIUS * std::f64::consts::FRAC_PI_2;
        assert!(near(distance((0.0, 0.0), (0.0, 90.0)), quarter));
        assert!(near(distance((0.0, 0.0), (90.0, 17.0)), quarter));
        assert!(near(distance((0.0, 0.0), (0.0, 180.0)), 2.0 * quarter));
        assert!(near(distance((90.0, 0.0), (-90.0, 0.0)), 2.0 * quarter));
        assert!(near(distance((0.0, 0.0), (1.0, 0.0)), quarter / 90.0));
        // Over the date line, and around a pole.
        assert!(near(distance((0.0, 179.5), (0.0, -179.5)), quarter / 90.0));
        assert!(near(distance((89.5, 0.0), (89.5, 180.0)), quarter / 90.0));
        assert!(near(distance((90.0, 0.0), (90.0, 123.0)), 0.0));
        assert_eq!(distance((47.1, 8.2), (47.1, 8.2)), 0.0);
    }

    /// Half of the way over the date line, and chords.
    #[test]
    fn between_places() {
        assert_eq!(between((0.0, 179.0), (0.0, -179.0), 0.5).0, 0.0);
        assert!(near(between((0.0, 179.0), (0.0, -179.0), 0.5).1.abs(), 180.0));
        assert!(near(between((0.0, 0.0), (0.0, 90.0), 1.0 / 3.0).1, 30.0));
        let (from, to) = ((47.0, 8.0), (47.1, 8.05));
        let way = distance(from, to);
        assert!((distance(from, between(from, to, 0.25)) - way / 4.0).abs() < 1e-4);
        assert!((Vector::of(from).chord(Vector::of(to)) - way).abs() < 1e-5);
    }

    /// What is written is what was rounded, and nothing is minus nothing.
    #[test]
    fn seven_decimals() {
        for degrees in [0.123_456_78, -73.989_308_500_1, 179.999_999_96, -0.000_000_01, 40.719_810_375_488_535] {
            let written = format!("{:.7}", rounded(degrees));
            assert_eq!(written.parse::<f64>().unwrap(), rounded(degrees), "{written}");
            assert_eq!(rounded(rounded(degrees)), rounded(degrees));
        }
        assert_eq!(format!("{:.7}", rounded(-0.000_000_01)), "0.0000000");
    }
}
