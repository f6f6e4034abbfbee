//! The pure part of throng: data in, data out.
//!
//! A *method* protects a data set and claims models; a *model* checks a claim on data alone; a *measure* compares an
//! original with its release; an *attack* plays the adversary. Nothing here opens a file, reads a clock or the environment, or prints: `clippy.toml`
//! lists what is forbidden and this crate turns the lint on. Randomness comes in through [`rng::Rng`] only.
//!
//! Data flows one way: data set → distance → partition → aggregate → release → check → measure → attack.

#![deny(clippy::disallowed_methods)]

pub mod accounts;
pub mod aggregate;
pub mod attacks;
pub mod concepts;
pub mod data;
pub mod detectors;
pub mod distance;
pub mod error;
pub mod finders;
pub mod geo;
pub mod geocode;
pub mod guessing;
pub mod info;
pub mod learn;
pub mod link;
pub mod measures;
pub mod methods;
pub mod models;
pub mod partition;
pub mod party;
pub mod paths;
pub mod pieces;
pub mod profiles;
pub mod progress;
pub mod recommenders;
pub mod release;
pub mod rng;
pub mod secret;
pub mod shares;
pub mod shilling;
pub mod synth;
pub mod taxonomy;
pub mod text;

pub use error::{Error, Result};
pub use info::{Info, Need, Parameter, ParameterKind};
pub use rng::Rng;
