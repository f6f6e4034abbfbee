//! Reading front doors off a published map: marked pixels are pins, pins are places, and the nearest address is the guess.
//!
//! Paper      Christen 2008, section 2.2; Brownstein, Cassa, Mandl 2006: 26 % of addresses were read directly off maps of 50 dots an inch,
//!            79 % at 226.
//!
//! # Idea
//! 1. Marked pixels that touch, corners included, are one pin; its centre is the mean of the centres of its pixels.
//! 2. The map is placed by its bounds, which are the outer edges of the image and linear in degrees, or by control points: an affine map
//!    with the least squares of errors.
//!
//! # Cost
//! One look at every pixel.

use crate::error::{Error, Result};

/// A pin: where its centre is in the image, from the outer corner at the top left, in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pin {
    /// To the right.
    pub x: f64,
    /// Downwards.
    pub y: f64,
}

/// The pins of an image, by its rows from the top, each from the left, of which each says whether it is marked. In the order of the first pixel of each.
pub fn pins(width: usize, marked: &[bool]) -> Vec<Pin> {
    if width == 0 {
        return Vec::new();
    }
    let height = marked.len() / width;
    let mut is_seen = vec![false; marked.len()];
    let mut pins = Vec::new();
    for start in 0..width * height {
        if !marked[start] || is_seen[start] {
            continue;
        }
        is_seen[start] = true;
        let mut open = vec![start];
        let (mut x, mut y, mut count) = (0.0, 0.0, 0.0);
        while let Some(at) = open.pop() {
            let (across, down) = (at % width, at / width);
            x += across as f64 + 0.5;
            y += down as f64 + 0.5;
            count += 1.0;
            for row in down.saturating_sub(1)..(down + 2).min(height) {
                for column in across.saturating_sub(1)..(across + 2).min(width) {
                    let other = row * width + column;
                    if marked[other] && !std::mem::replace(&mut is_seen[other], true) {
                        open.push(other);
                    }
                }
            }
        }
        pins.push(Pin { x: x / count, y: y / count });
    }
    pins
}

/// How an image lies on the earth: latitude and longitude as affine functions of x and y.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Placing {
    lat: [f64; 3],
    lon: [f64; 3],
}

/// Of a point of the image it is known where it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ControlPoint {
    /// The point in the image.
    pub at: Pin,
    /// Its latitude and longitude.
    pub place: (f64, f64),
}

impl Placing {
    /// By bounds: south, west, north and east, the outer edges of an image of so many pixels.
    pub fn by_bounds([south, west, north, east]: [f64; 4], (width, height): (f64, f64)) -> Result<Self> {
        if !(-90.0..=90.0).contains(&south)
            || !(-90.0..=90.0).contains(&north)
            || !(-180.0..=180.0).contains(&west)
            || !(-180.0..=180.0).contains(&east)
        {
            return Err(Error::parameter(
                "bounds",
                "are not latitudes and longitudes: south,west,north,east in degrees",
            ));
        }
        if south >= north || west >= east {
            return Err(Error::parameter(
                "bounds",
                "are turned over: south,west,north,east, with south below north and west below east",
            ));
        }
        Ok(Self { lat: [north, 0.0, (south - north) / height], lon: [west, (east - west) / width, 0.0] })
    }

    /// By at least three points that do not lie on one line.
    pub fn by_control_points(points: &[ControlPoint]) -> Result<Self> {
        let few = || {
            Error::data("the control points do not place the map")
                .with_hint("at least three, not on one line: x,y,lat,lon")
        };
        if points.len() < 3 {
            return Err(few());
        }
        let count = points.len() as f64;
        let mean = |value: &dyn Fn(&ControlPoint) -> f64| points.iter().map(value).sum::<f64>() / count;
        let (x, y) = (mean(&|point| point.at.x), mean(&|point| point.at.y));
        let (lat, lon) = (mean(&|point| point.place.0), mean(&|point| point.place.1));
        let sum = |left: &dyn Fn(&ControlPoint) -> f64, right: &dyn Fn(&ControlPoint) -> f64| {
            points.iter().map(|point| left(point) * right(point)).sum::<f64>()
        };
        let (dx, dy) = (|point: &ControlPoint| point.at.x - x, |point: &ControlPoint| point.at.y - y);
        let (xx, xy, yy) = (sum(&dx, &dx), sum(&dx, &dy), sum(&dy, &dy));
        let determinant = xx * yy - xy * xy;
        if determinant.is_nan() || determinant <= 1e-9 * xx * yy {
            return Err(few());
        }
        let solved = |middle: f64, of: &dyn Fn(&ControlPoint) -> f64| {
            let (along, down) = (sum(&dx, of), sum(&dy, of));
            let (by_x, by_y) = ((yy * along - xy * down) / determinant, (xx * down - xy * along) / determinant);
            [middle - by_x * x - by_y * y, by_x, by_y]
        };
        Ok(Self { lat: solved(lat, &|point| point.place.0 - lat), lon: solved(lon, &|point| point.place.1 - lon) })
    }

    /// Where a point of the image is; nothing if that is no place on the earth.
    pub fn place(&self, pin: Pin) -> Option<(f64, f64)> {
        let at = |[start, by_x, by_y]: [f64; 3]| start + by_x * pin.x + by_y * pin.y;
        let place = (at(self.lat), at(self.lon));
        ((-90.0..=90.0).contains(&place.0) && (-180.0..=180.0).contains(&place.1)).then_some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pin of four pixels, two and two, in an image of 6 x 4; another touches it by no corner.
    #[test]
    fn a_pin_of_four_pixels() {
        let image = "\
            ......\
            .##..#\
            .##...\
            ......";
        let marked: Vec<bool> = image.bytes().map(|pixel| pixel == b'#').collect();
        let found = pins(6, &marked);
        assert_eq!(found, [Pin { x: 2.0, y: 2.0 }, Pin { x: 5.5, y: 1.5 }]);
        // The image spans 4 degrees from north to south and 6 from west to east.
        let placing = Placing::by_bounds([10.0, 20.0, 14.0, 26.0], (6.0, 4.0)).unwrap();
        assert_eq!(placing.place(found[0]), Some((12.0, 22.0)));
        assert_eq!(placing.place(found[1]), Some((12.5, 25.5)));
    }

    #[test]
    fn control_points_place_turned_maps() {
        let truth = |x: f64, y: f64| (50.0 - 0.001 * y + 0.0002 * x, 7.0 + 0.002 * x + 0.0001 * y);
        let point = |x: f64, y: f64| ControlPoint { at: Pin { x, y }, place: truth(x, y) };
        let placing =
            Placing::by_control_points(&[point(0.0, 0.0), point(100.0, 5.0), point(30.0, 80.0), point(90.0, 90.0)])
                .unwrap();
        let (lat, lon) = placing.place(Pin { x: 12.0, y: 34.0 }).unwrap();
        let (right_lat, right_lon) = truth(12.0, 34.0);
        assert!((lat - right_lat).abs() < 1e-9 && (lon - right_lon).abs() < 1e-9);
        assert!(Placing::by_control_points(&[point(0.0, 0.0), point(1.0, 1.0)]).is_err());
        assert!(Placing::by_control_points(&[point(0.0, 0.0), point(1.0, 1.0), point(2.0, 2.0)]).is_err());
    }

    #[test]
    fn bounds_that_are_none() {
        for bounds in
            [[14.0, 20.0, 10.0, 26.0], [10.0, 26.0, 14.0, 20.0], [10.0, 20.0, 94.0, 26.0], [f64::NAN, 20.0, 14.0, 26.0]]
        {
            assert!(Placing::by_bounds(bounds, (6.0, 4.0)).is_err());
        }
        assert!(pins(0, &[]).is_empty());
    }
}
