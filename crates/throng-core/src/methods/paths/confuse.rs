//! Confused paths: noise of a stated scale on every point, and nothing promised.
//!
//! Paper      Ours; the randomised perturbation that Giannotti and others (Mobility, Data Mining and Privacy, section 4.1) name, by itself.
//! Claims     nothing.
//! Does not   hide anybody: whoever goes to one place often gives it away by the mean of many noisy points.
//!
//! # Idea
//! Each point is moved to the north and to the east by normal noise of so many metres. Times stay, to the second.
//!
//! # Cost
//! Time and memory O(points).

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{check_metres, floored, metres};
use crate::data::paths::Point;
use crate::data::{Paths, PathsBuilder};
use crate::error::{Error, Result};
use crate::geo::{RADIUS, Vector};
use crate::info::{Info, Parameter};
use crate::methods::queries::user_microaggregation::TIME_RESOLUTION;
use crate::methods::{Method, shown_parameters};
use crate::progress::Progress;
use crate::release::Protected;
use crate::rng::Rng;

/// The card of the method.
pub const INFO: Info = Info {
    name: "confuse",
    summary: "normal noise on every point; promises nothing",
    paper: "Ours. Randomised perturbation is named in Giannotti and others. Mobility, Data Mining and Privacy (GeoPKDD), section 4.1",
    details: "Each point is moved to the north and to the east by normal noise with the standard deviation `--noise-metres`, in metres. Names of places, \
        cells, trips and labels are left out, and times are to the second.\n\
        It claims nothing: the mean of the noisy points at home is home. It is here to be attacked, and to compare with.",
    parameters: &[NOISE, TIME_RESOLUTION],
};

const NOISE: Parameter = metres("noise-metres", "the standard deviation of the noise, in metres", "500");

/// What the method can be told.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// The standard deviation of the noise, in metres.
    pub noise_metres: f64,
    /// Times are rounded down to multiples of so many seconds.
    pub time_resolution: u64,
}

impl Default for Params {
    fn default() -> Self {
        Self { noise_metres: 500.0, time_resolution: 1 }
    }
}

/// The method with checked parameters.
#[derive(Debug, Clone, Copy)]
pub struct Confuse {
    params: Params,
}

impl Confuse {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        let errors: Vec<Error> = check_metres("noise-metres", params.noise_metres)
            .into_iter()
            .chain(super::check_resolution(params.time_resolution))
            .collect();
        if errors.is_empty() { Ok(Self { params }) } else { Err(Error::parameters(errors)) }
    }
}

impl Method<Paths> for Confuse {
    fn protect(&self, original: &Paths, rng: &mut Rng, progress: &dyn Progress) -> Result<Protected<Paths>> {
        let mut builder = PathsBuilder::default();
        progress.stage("adding noise", original.persons() as u64);
        for person in 0..original.persons() {
            progress.go_on()?;
            let name = person.to_string();
            for point in original.range(person) {
                let (lat, lon) = moved(original.place(point), self.params.noise_metres / 1000.0, rng);
                let time = floored(original.time(point), self.params.time_resolution);
                builder.push(&name, Point { time, lat, lon, marks: [""; 4] });
            }
            progress.advance(1);
        }
        let record_of = (0..original.persons() as u32).map(Some).collect();
        Ok(Protected::new(builder.finish(), record_of, Vec::new()))
    }

    fn parameters(&self) -> Map<String, Value> {
        shown_parameters(&self.params)
    }

    fn promises(&self) -> bool {
        false
    }

    fn makes_crowds(&self) -> bool {
        false
    }
}

/// A place moved to the north and to the east on the plane that touches the earth there.
fn moved((lat, lon): (f64, f64), scale: f64, rng: &mut Rng) -> (f64, f64) {
    let (north, east) = (rng.normal() * scale / RADIUS, rng.normal() * scale / RADIUS);
    let (up, around) = (lat.to_radians(), lon.to_radians());
    let mut place = Vector::of((lat, lon));
    place.add(Vector([-up.sin() * around.cos() * north, -up.sin() * around.sin() * north, up.cos() * north]));
    place.add(Vector([-around.sin() * east, around.cos() * east, 0.0]));
    place.place()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geo::distance;
    use crate::progress::Silent;

    /// The mean square distance is twice that of the noise in one direction, anywhere.
    #[test]
    fn as_much_as_stated() {
        for (lat, lon) in [(0.0, 0.0), (47.0, 179.9999), (89.99, 10.0)] {
            let mut builder = PathsBuilder::default();
            (0..4000).for_each(|time| builder.push("a", Point { time: time * 1000, lat, lon, marks: [""; 4] }));
            let original = builder.finish();
            let method = Confuse::new(Params { noise_metres: 300.0, ..Params::default() }).unwrap();
            let records = method.protect(&original, &mut Rng::seeded(5), &Silent).unwrap().records;
            let squares = (0..4000).map(|point| distance((lat, lon), records.place(point)).powi(2));
            let deviation = (squares.sum::<f64>() / 8000.0).sqrt();
            assert!((deviation - 0.3).abs() < 0.012, "{deviation}");
        }
    }

    #[test]
    fn refused() {
        for noise_metres in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(Confuse::new(Params { noise_metres, ..Params::default() }).is_err());
        }
    }
}
