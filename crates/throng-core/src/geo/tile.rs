//! Tiles of the Web Mercator map: each is cut into four at the next zoom, so that they nest exactly.
//!
//! # Formula
//! x = floor((lon + 180) / 360 · 2^z), y = floor((1 − asinh(tan lat) / pi) / 2 · 2^z), both clamped to 0 … 2^z − 1; latitudes beyond
//! [`HIGHEST`] are clamped to it. The name of a tile is its quadkey: z digits, from the top the bit of x plus twice the bit of y.
//! Its code is those digits as a number, so that tiles inside of each other are next to each other in order.

use std::f64::consts::PI;
use std::fmt::{self, Display};

/// The latitude at which the map ends.
pub const HIGHEST: f64 = 85.051_128_78;
/// The finest zoom.
pub const FINEST: u8 = 24;

/// A tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tile {
    code: u64,
    zoom: u8,
}

impl Tile {
    /// The tile of a zoom that holds a place, given as latitude and longitude in degrees.
    pub fn at(lat: f64, lon: f64, zoom: u8) -> Self {
        let lat = lat.clamp(-HIGHEST, HIGHEST).to_radians();
        let side = f64::from(1_u32 << zoom);
        let last = (1_u32 << zoom) - 1;
        // A cast from a number below zero gives zero.
        let place = |share: f64| ((share * side).floor() as u32).min(last);
        Self::new(place((lon + 180.0) / 360.0), place((1.0 - lat.tan().asinh() / PI) / 2.0), zoom)
    }

    /// The tile with these numbers, counted from the west and from the north.
    pub fn new(x: u32, y: u32, zoom: u8) -> Self {
        Self { code: spread(x) | spread(y) << 1, zoom }
    }

    /// The tile with a code, the digits of its quadkey as a number.
    pub fn from_code(code: u64, zoom: u8) -> Self {
        Self { code, zoom }
    }

    /// The digits of its quadkey, as a number.
    pub fn code(self) -> u64 {
        self.code
    }

    /// Its zoom.
    pub fn zoom(self) -> u8 {
        self.zoom
    }

    /// The tile of a coarser zoom that it lies in.
    pub fn inside(self, zoom: u8) -> Self {
        Self { code: self.code >> (2 * (self.zoom - zoom)), zoom }
    }

    /// Its numbers, from the west and from the north.
    pub fn numbers(self) -> (u32, u32) {
        (gathered(self.code), gathered(self.code >> 1))
    }

    /// The latitude and longitude of its centre, as they are written.
    ///
    /// It is a corner at every finer zoom, so that a centre tells whose it is.
    pub fn centre(self) -> (f64, f64) {
        let (x, y) = self.numbers();
        let side = f64::from(1_u32 << self.zoom);
        let lon = (f64::from(x) + 0.5) / side * 360.0 - 180.0;
        let lat = (PI * (1.0 - 2.0 * (f64::from(y) + 0.5) / side)).sinh().atan().to_degrees();
        (super::rounded(lat), super::rounded(lon))
    }

    /// Whether another tile is this one or lies in it.
    pub fn holds(self, other: Self) -> bool {
        other.zoom >= self.zoom && other.inside(self.zoom) == self
    }

    /// Reads a quadkey; the empty one is the whole map.
    pub fn parse(quadkey: &str) -> Option<Self> {
        let is_key =
            quadkey.len() <= usize::from(FINEST) && quadkey.bytes().all(|digit| (b'0'..=b'3').contains(&digit));
        let code = |digits: &str| digits.bytes().fold(0, |code, digit| code << 2 | u64::from(digit - b'0'));
        is_key.then(|| Self { code: code(quadkey), zoom: quadkey.len() as u8 })
    }
}

/// Its quadkey.
impl Display for Tile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for digit in (0..self.zoom).rev() {
            write!(f, "{}", self.code >> (2 * digit) & 3)?;
        }
        Ok(())
    }
}

/// The bits of a number with a nought before each.
fn spread(number: u32) -> u64 {
    let mut bits = u64::from(number);
    for (shift, mask) in [
        (16, 0x0000_ffff_0000_ffff_u64),
        (8, 0x00ff_00ff_00ff_00ff),
        (4, 0x0f0f_0f0f_0f0f_0f0f),
        (2, 0x3333_3333_3333_3333),
        (1, 0x5555_5555_5555_5555),
    ] {
        bits = (bits | bits << shift) & mask;
    }
    bits
}

/// Every second bit of a number.
fn gathered(bits: u64) -> u32 {
    let mut number = bits & 0x5555_5555_5555_5555;
    for (shift, mask) in [
        (1, 0x3333_3333_3333_3333_u64),
        (2, 0x0f0f_0f0f_0f0f_0f0f),
        (4, 0x00ff_00ff_00ff_00ff),
        (8, 0x0000_ffff_0000_ffff),
        (16, 0x0000_0000_ffff_ffff),
    ] {
        number = (number | number >> shift) & mask;
    }
    number as u32
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn quadkeys() {
        assert_eq!(Tile::new(3, 5, 3).to_string(), "213");
        assert_eq!(Tile::parse("213"), Some(Tile::new(3, 5, 3)));
        assert_eq!(Tile::new(0, 0, 0).to_string(), "");
        assert_eq!(Tile::parse("214"), None);
        assert_eq!(Tile::parse(&"0".repeat(25)), None);
        assert_eq!(Tile::new(3, 5, 3).inside(2).to_string(), "21");
    }

    /// The corners of the map, the date line and the poles, the equator and the meridian of Greenwich.
    #[test]
    fn corners() {
        let key = |lat, lon, zoom| Tile::at(lat, lon, zoom).to_string();
        assert_eq!(key(89.9, -180.0, 3), "000");
        assert_eq!(key(90.0, 180.0, 3), "111");
        assert_eq!(key(-90.0, -180.0, 3), "222");
        assert_eq!(key(-90.0, 180.0, 3), "333");
        assert_eq!(key(-85.06, 179.999_999_9, 2), "33");
        // The north-western corner belongs to a tile.
        assert_eq!(key(0.0, 0.0, 1), "3");
        assert_eq!(key(1e-9, -1e-9, 1), "0");
        assert_eq!(key(40.75, -73.99, 0), "");
        // Worked out by hand: x = floor(106.01 / 360 · 1024) = 301, y = floor((1 − 0.7801… / pi) / 2 · 1024) = 384.
        assert_eq!(Tile::at(40.75, -73.99, 10), Tile::new(301, 384, 10));
    }

    proptest! {
        /// A tile of a coarser zoom is the one that the place is in, digit by digit; by the plain formula.
        #[test]
        fn tiles_nest(lat in -90.0..=90.0_f64, lon in -180.0..=180.0_f64, zoom in 0..=24_u8, coarser in 0..=24_u8) {
            let coarser = coarser.min(zoom);
            let tile = Tile::at(lat, lon, zoom);
            prop_assert_eq!(tile.inside(coarser), Tile::at(lat, lon, coarser));
            prop_assert!(tile.to_string().starts_with(&tile.inside(coarser).to_string()));
            prop_assert_eq!(Tile::parse(&tile.to_string()), Some(tile));
            prop_assert!(tile.inside(coarser).holds(tile));
            let (x, y) = tile.numbers();
            prop_assert_eq!(Tile::new(x, y, zoom), tile);
            let (lat_of_centre, lon_of_centre) = tile.centre();
            prop_assert_eq!(Tile::at(lat_of_centre, lon_of_centre, zoom), tile);
            let side = 2_f64.powi(i32::from(zoom));
            let x = ((lon + 180.0) / 360.0 * side).floor().clamp(0.0, side - 1.0) as u32;
            let lat = lat.clamp(-HIGHEST, HIGHEST).to_radians();
            let y = ((1.0 - lat.tan().asinh() / PI) / 2.0 * side).floor().clamp(0.0, side - 1.0) as u32;
            let digits: String =
                (0..zoom).rev().map(|bit| char::from(b'0' + (x >> bit & 1) as u8 + 2 * (y >> bit & 1) as u8)).collect();
            prop_assert_eq!(tile.to_string(), digits);
        }
    }
}
