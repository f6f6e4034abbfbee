//! Masks: points moved so that each is hidden among addresses.
//!
//! Paper      Hampton et al., Mapping health data: improved privacy protection with donut method geomasking, Am. J. Epidemiology 2010
//!            (donut); Seidl et al., Spatial obfuscation methods for privacy protection of household-level data, Applied Geography 2015
//!            (voronoi); Swanlund et al., Street masking, Int. J. Health Geographics 2020 (street). `adaptive-donut` is ours.
//! Claims     spatial-k-anonymity(k), but for `voronoi`, which gives about 2.
//! Does not   hide the area: a mask moves a point as far as k addresses lie, no farther than it must.
//!
//! # Idea
//! 1. What is drawn for a point depends on the secret and the true position alone (HMAC-SHA-256 of the position under the secret keys a
//!    stream of its own). So a point gets the same mask in every release, whatever else is in the file: masks that are drawn afresh
//!    average away over releases.
//! 2. A candidate is rounded to what is written, and *there* the addresses are counted that are no farther than the true position. While
//!    there are fewer than k, the next candidate is drawn.
//!
//! # Cost
//! A few searches a point. Another reference, method or k gives other masks: do not release the same points under several.

mod adaptive_donut;
mod donut;
mod street;
mod voronoi;

use hmac::{Hmac, KeyInit as _, Mac as _};
use rayon::prelude::*;
use sha2::Sha256;

use super::places::Places;
use super::reference::Reference;
use crate::error::{Error, Result};
use crate::geo;
use crate::progress::Progress;
use crate::rng::Rng;

/// How points are moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Into a ring.
    Donut,
    /// Onto an address of rank k to 5k.
    AdaptiveDonut,
    /// Onto the nearest edge of the point's Voronoi cell.
    Voronoi,
    /// Onto an address along the streets around.
    Street,
}

impl Method {
    /// All of them, the default first.
    pub const ALL: [Self; 4] = [Self::AdaptiveDonut, Self::Donut, Self::Voronoi, Self::Street];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Donut => "donut",
            Self::AdaptiveDonut => "adaptive-donut",
            Self::Voronoi => "voronoi",
            Self::Street => "street",
        }
    }

    /// The method with a name.
    pub fn parse(name: &str) -> Result<Self> {
        Self::ALL
            .into_iter()
            .find(|method| method.name() == name)
            .ok_or_else(|| Error::unknown("mask", name, Self::ALL.map(Self::name)))
    }

    /// Whether every point that it writes has k addresses around it.
    pub fn claims(self) -> bool {
        self != Self::Voronoi
    }
}

/// How points are masked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Params {
    /// By which method.
    pub method: Method,
    /// How many addresses a written point has around it, at least.
    pub k: usize,
    /// donut: the inner radius of the ring, in metres.
    pub inner: f64,
    /// donut: the outer radius.
    pub outer: f64,
}

/// The least secret, in bytes.
pub const LEAST_SECRET: usize = 16;
/// So many candidates are drawn before a method widens its search.
const TRIES: usize = 64;

/// Masks points with a secret.
#[derive(Debug)]
pub struct Masker<'a> {
    params: Params,
    reference: &'a Reference,
    /// Which streets lie beside one, for the method `street`.
    beside: Vec<Vec<u32>>,
}

impl<'a> Masker<'a> {
    /// A masker over the addresses of a reference.
    pub fn new(params: Params, reference: &'a Reference) -> Result<Self> {
        let Params { k, inner, outer, method } = params;
        if k < 2 {
            return Err(Error::parameter("k", format!("is {k}, but must be at least 2")));
        }
        if !(0.0 <= inner && inner < outer && outer <= 100_000.0) {
            return Err(Error::parameter("outer", "must be above `inner`, both from 0 to 100000 metres"));
        }
        if reference.places().len() < k {
            return Err(Error::refused(format!(
                "the reference has {} addresses, fewer than k",
                reference.places().len()
            ))
            .with_hint(
                "a reference of the whole area is needed: a point cannot hide among addresses that nobody knows",
            ));
        }
        let beside = if method == Method::Street { street::beside(reference) } else { Vec::new() };
        Ok(Self { params, reference, beside })
    }

    /// Masks points; equal points get equal masks.
    pub fn mask(&self, points: &[(f64, f64)], secret: &[u8], progress: &dyn Progress) -> Result<Vec<(f64, f64)>> {
        if secret.len() < LEAST_SECRET {
            return Err(Error::refused(format!(
                "a secret of {} bytes, but it must have at least {LEAST_SECRET}",
                secret.len()
            )));
        }
        progress.stage("masking points", points.len() as u64);
        points
            .par_iter()
            .map(|&point| {
                let masked = self.mask_one(point, &mut stream(secret, point)?);
                progress.advance(1);
                masked
            })
            .collect()
    }

    fn mask_one(&self, point: (f64, f64), rng: &mut Rng) -> Result<(f64, f64)> {
        let found = match self.params.method {
            Method::Donut => donut::masked(self, point, rng),
            Method::AdaptiveDonut => adaptive_donut::masked(self, point, rng),
            Method::Voronoi => voronoi::masked(self.places(), point),
            Method::Street => street::masked(self, point, rng),
        };
        found.ok_or_else(|| {
            Error::refused("no place was found from which k addresses are nearer than the true position")
                .with_hint("a point far from all addresses cannot be hidden: leave it out, or lower k")
        })
    }

    fn places(&self) -> &Places {
        self.reference.places()
    }

    /// The candidate as it is written, if k addresses are no farther from it than the true position.
    fn if_hidden(&self, candidate: (f64, f64), point: (f64, f64)) -> Option<(f64, f64)> {
        let written = (geo::rounded(candidate.0), geo::rounded(candidate.1));
        (local_k(self.places(), written, point) >= self.params.k).then_some(written)
    }
}

/// How many addresses are no farther from a written point than the true position.
pub fn local_k(places: &Places, written: (f64, f64), point: (f64, f64)) -> usize {
    places.count_within(written, geo::distance(point, written))
}

/// What is drawn for a point: it depends on the secret and the position to a centimetre, and on nothing else.
fn stream(secret: &[u8], (lat, lon): (f64, f64)) -> Result<Rng> {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret).map_err(|_| Error::internal("a secret that is none"))?;
    mac.update(b"throng mask 1");
    for degrees in [lat, lon] {
        mac.update(&((degrees * 1e7).round() as i64).to_le_bytes());
    }
    let mut state = [0; Rng::STATE];
    state[..32].copy_from_slice(&mac.finalize().into_bytes());
    Ok(Rng::from_state(&state))
}

#[cfg(test)]
mod tests;
