//! Methods for paths.

mod choice;
pub mod confuse;
mod cylinder;
mod fill;
pub mod generalise;
mod habits;
pub mod kindred;
pub mod nwa;
pub mod swap;
mod synchronous;
pub mod trajectory_microaggregation;
pub mod w4m;

use crate::error::Error;
use crate::info::{Parameter, ParameterKind};

/// What is wrong with how coarse published times are.
fn check_resolution(seconds: u64) -> Option<Error> {
    if (1..=MOST_SECONDS).contains(&seconds) {
        return None;
    }
    let problem = if seconds == 0 { "is 0, but must be at least one second" } else { "is more than a hundred years" };
    Some(Error::parameter("time-resolution", problem))
}

/// A hundred years.
const MOST_SECONDS: u64 = 36_525 * 86_400;

/// A time as the start of its bin of so many seconds, counted from 1970.
fn floored(time: i64, seconds: u64) -> i64 {
    let bin = seconds as i64 * 1000;
    time.div_euclid(bin) * bin
}

/// A length in metres as a method is told it: more than 0, at most once around the earth.
fn check_metres(name: &'static str, metres: f64) -> Option<Error> {
    let is_right = metres > 0.0 && metres <= 40_075_000.0;
    (!is_right).then(|| {
        Error::parameter(name, format!("is {metres} m, but must be more than 0 and at most once around the earth"))
    })
}

/// A parameter that is a length in metres.
const fn metres(name: &'static str, summary: &'static str, default: &'static str) -> Parameter {
    Parameter { name, summary, kind: ParameterKind::Weight, default }
}
