//! Clusters of paths: who went alike, and a path for each cluster that says how.
//!
//! Paper      Giannotti and others. Mobility, Data Mining and Privacy (GeoPKDD): its second step, without a formula. Around medoids:
//!            Kaufman, Rousseeuw (1987). By density: Ester and others. A density-based algorithm for discovering clusters. KDD 1996. Time-focused:
//!            Nanni, Pedreschi. Time-focused clustering of trajectories of moving objects. JIIS 27 (2006).
//! Does not   protect anybody: a label says of a person that they went like others. A summary is the mean of at least k persons' paths, or
//!            is not there.
//!
//! # Idea
//! 1. Tracks (persons, or their trips) are compared with one of the distances of `distance::paths`.
//! 2. Either so many clusters around medoids, or all clusters of tracks that have tracks of at least k persons (their own one of them) within
//!    a radius, together with what is within the radius of one of these; the rest is in no cluster.
//! 3. Time-focused: positions are compared in an interval only, one that is given or the best of those that are made of eighths of the
//!    whole time. How good one is: the mean reachability (OPTICS) of all tracks, those in no cluster counting with the radius, divided by
//!    log10(10 + 100 · the share of the whole time); less is better.
//! 4. The summary of a cluster of at least k persons: at each moment of the clock (or share of the way gone) the mean of where its persons
//!    were, every person one voice. Ways without time are turned to the direction of the medoid's first.
//!
//! # Cost
//! Time O(n²) distances and O(n² · clusters), memory 4 · n² bytes.

pub mod density;
mod summary;

use serde::Serialize;

pub use summary::SummaryPoint;

use crate::data::Paths;
use crate::data::paths::tracks::Tracks;
use crate::distance::DistanceMatrix;
use crate::distance::paths::clock::{self, Clock, MOST_MOMENTS, OnClock};
use crate::distance::paths::edit::{Edits, Sort, Within};
use crate::distance::paths::route::Routes;
use crate::distance::paths::{PathDistance, PathSpace};
use crate::partition::k_medoids::k_medoids;
use crate::progress::{Progress, Quiet};
use crate::{Error, Result};

/// More tracks are not compared: their distances would take more than a gigabyte and a half.
pub const MOST_TRACKS: usize = 20_000;
/// So many parts the whole time is cut into when the best interval is looked for.
const PARTS: i64 = 8;

/// How clusters are found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum How {
    /// So many, around medoids.
    Clusters(usize),
    /// By density: within so many metres, or within that share of points for LCSS and EDR.
    Radius(f64),
}

/// When positions are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interval {
    /// From the first point to the last.
    Whole,
    /// From one time to another.
    Given(i64, i64),
    /// The one in which clusters are best.
    Best,
}

/// What to do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Params {
    /// How clusters are found.
    pub how: How,
    /// The distance.
    pub distance: PathDistance,
    /// Within so many metres to the north and to the east points match, for LCSS and EDR.
    pub match_within: f64,
    /// At so many moments positions are compared.
    pub moments: usize,
    /// When.
    pub interval: Interval,
    /// Where whole metres are counted from; in the middle of the points, if nobody says.
    pub origin: Option<(f64, f64)>,
    /// Fewer persons have no summary, and make no place dense.
    pub k: usize,
    /// Trips rather than persons.
    pub by_trip: bool,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            how: How::Clusters(8),
            distance: PathDistance::Synchronous,
            match_within: 200.0,
            moments: 64,
            interval: Interval::Whole,
            origin: None,
            k: 5,
            by_trip: false,
        }
    }
}

/// A cluster.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cluster {
    /// How many persons have a track in it.
    pub persons: usize,
    /// How many tracks it has.
    pub tracks: usize,
    /// The mean path, of at least k persons.
    pub summary: Option<Vec<SummaryPoint>>,
}

/// Tracks in clusters.
#[derive(Debug, Clone, PartialEq)]
pub struct Clustering {
    /// What was compared.
    pub tracks: Tracks,
    /// For each track the number of its cluster, from 0 in the order of tracks; none by density, where it is too empty.
    pub labels: Vec<Option<u32>>,
    /// The clusters.
    pub clusters: Vec<Cluster>,
    /// The interval in which positions were compared; none of a distance that ignores time.
    pub interval: Option<(i64, i64)>,
}

/// Finds clusters.
pub fn cluster(paths: &Paths, params: &Params, progress: &dyn Progress) -> Result<Clustering> {
    check(params)?;
    let tracks = if params.by_trip { Tracks::of_trips(paths) } else { Tracks::of_persons(paths) };
    if tracks.is_empty() {
        return Err(Error::data("there are no trips")
            .with_hint("`throng paths reconstruct` finds them; without `--by trip` persons are compared"));
    }
    if tracks.len() > MOST_TRACKS {
        return Err(Error::refused(format!(
            "{} paths are more than the {MOST_TRACKS} that can be compared with each other",
            tracks.len()
        ))
        .with_hint("take fewer persons or days, or count people by cell with `throng paths cube`"));
    }
    let whole = paths.time_span().unwrap_or_default();
    let (from, to) = match params.interval {
        Interval::Whole => whole,
        Interval::Given(from, to) => (from, to),
        Interval::Best => best_interval(paths, &tracks, params, whole, progress)?,
    };
    let clock = Clock { from, to, moments: params.moments };
    let distances = DistanceMatrix::compute(&space(paths, &tracks, params, clock), progress);
    progress.go_on()?;
    let (labels, medoids) = match params.how {
        How::Clusters(count) => {
            let found = k_medoids(&distances, count, progress);
            (found.cluster_of.into_iter().map(Some).collect::<Vec<_>>(), found.medoids)
        }
        How::Radius(radius) => {
            let labels = density::clusters(&distances, &tracks, radius, params.k);
            let medoids = density::medoids(&distances, &labels);
            (labels, medoids)
        }
    };
    progress.go_on()?;
    let has_times = params.distance == PathDistance::Synchronous;
    let describe = |(number, medoid): (u32, &u32)| {
        let members: Vec<usize> = (0..tracks.len()).filter(|&track| labels[track] == Some(number)).collect();
        let persons = tracks.persons_of(members.iter().copied());
        let summary = || match has_times {
            true => summary::on_clock(paths, &tracks, &members, clock),
            false => summary::along_the_way(
                paths,
                &tracks,
                &members,
                *medoid as usize,
                params.distance == PathDistance::Route,
            ),
        };
        Cluster { persons, tracks: members.len(), summary: (persons >= params.k).then(summary) }
    };
    let clusters = (0..).zip(&medoids).map(describe).collect();
    Ok(Clustering { tracks, labels, clusters, interval: has_times.then_some((from, to)) })
}

/// The tracks with the distance that was asked for.
pub fn space(paths: &Paths, tracks: &Tracks, params: &Params, clock: Clock) -> PathSpace {
    match params.distance {
        PathDistance::Synchronous => {
            let origin = params.origin.unwrap_or_else(|| clock::origin(paths));
            PathSpace::Synchronous(OnClock::of(paths, tracks, clock, origin))
        }
        PathDistance::Route => PathSpace::Route(Routes::of(paths, tracks)),
        PathDistance::Lcss => {
            PathSpace::Edit(Edits::of(paths, tracks, Sort::Lcss, Within::metres(params.match_within)))
        }
        PathDistance::Edr => PathSpace::Edit(Edits::of(paths, tracks, Sort::Edr, Within::metres(params.match_within))),
    }
}

/// Refuses what makes no sense, all of it at once.
fn check(params: &Params) -> Result<()> {
    let mut errors = Vec::new();
    let mut refuse = |name: &'static str, is_wrong: bool, problem: String| {
        if is_wrong {
            errors.push(Error::parameter(name, problem));
        }
    };
    match params.how {
        How::Clusters(count) => refuse("clusters", count == 0, "is 0, but must be at least 1".to_owned()),
        How::Radius(radius) => {
            let is_wrong = !(radius > 0.0 && radius.is_finite());
            refuse("radius", is_wrong, format!("is {radius}, but must be more than 0"));
            let is_share = !params.distance.is_in_metres();
            refuse(
                "radius",
                is_share && radius > 1.0,
                format!("is {radius}, but of LCSS and EDR it is a share of points, at most 1"),
            );
        }
    }
    let is_wrong = !(params.match_within > 0.0 && params.match_within.is_finite());
    refuse("match-within", is_wrong, format!("is {} m, but must be more than 0", params.match_within));
    let is_wrong = params.moments == 0 || params.moments > MOST_MOMENTS;
    refuse("points", is_wrong, format!("is {}, but must be from 1 to {MOST_MOMENTS}", params.moments));
    refuse("k", params.k < 2, format!("is {}, but must be at least 2", params.k));
    let is_timeless = params.interval != Interval::Whole && params.distance != PathDistance::Synchronous;
    refuse("interval", is_timeless, format!("says nothing: the distance `{}` ignores time", params.distance.name()));
    let is_by_count = params.interval == Interval::Best && matches!(params.how, How::Clusters(_));
    refuse("interval", is_by_count, "can be looked for by density only: give a `--radius`".to_owned());
    if let Interval::Given(from, to) = params.interval {
        refuse("interval", from >= to, "ends before it begins".to_owned());
    }
    if errors.is_empty() { Ok(()) } else { Err(Error::parameters(errors)) }
}

/// The interval of whole eighths of the time in which clusters are best; the earliest, then the longest, of equally good ones.
fn best_interval(
    paths: &Paths,
    tracks: &Tracks,
    params: &Params,
    (first, last): (i64, i64),
    progress: &dyn Progress,
) -> Result<(i64, i64)> {
    let How::Radius(radius) = params.how else { return Ok((first, last)) };
    let edge = |part: i64| Clock { from: first, to: last, moments: PARTS as usize + 1 }.time(part as usize);
    progress.stage("intervals", (PARTS * (PARTS + 1) / 2) as u64);
    let mut best: Option<(f64, (i64, i64))> = None;
    for start in 0..PARTS {
        for end in (start + 1..=PARTS).rev() {
            progress.go_on()?;
            let clock = Clock { from: edge(start), to: edge(end), moments: params.moments };
            let distances = DistanceMatrix::compute(&space(paths, tracks, params, clock), &Quiet(progress));
            let share = (end - start) as f64 / PARTS as f64;
            let quality = density::reachability(&distances, tracks, radius, params.k) / (10.0 + 100.0 * share).log10();
            if best.is_none_or(|(least, _)| quality < least) {
                best = Some((quality, (clock.from, clock.to)));
            }
            progress.advance(1);
        }
    }
    Ok(best.map_or((first, last), |(_, interval)| interval))
}

#[cfg(test)]
mod tests;
