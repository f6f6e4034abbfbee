//! Detectors: what is out of place in data. The fifth role.
//!
//! A detector looks at data as they are, or learns from examples or from somebody's own past, and says of each record how much it is
//! out of place, and whom it would have somebody look at. It never publishes, and promises nothing: who is flagged may be innocent,
//! and who is not may be guilty.
//!
//! Each is also an attack seen from the other side: what recognises a person who is not himself recognises persons, and a release in
//! which persons look the same is full of twins.

pub mod crowd_fit;
pub mod degsim;
pub mod files;
pub mod length_variance;
pub mod pca_varselect;
pub mod popularity_fit;
pub mod profiles;
pub mod rdma;
pub mod records;
pub mod robust;
pub mod seen;
pub mod targets;
pub mod twins;
pub mod wdma;

use serde::Serialize;

use crate::error::Result;
use crate::info::Info;
use crate::progress::Progress;
use crate::shilling::Direction;

/// Says of every record how much it is out of place.
pub trait Detector<D>: Send + Sync {
    /// The card.
    fn info(&self) -> &'static Info;
    /// Looks at the data.
    fn detect(&self, data: &D, progress: &dyn Progress) -> Result<Found>;
}

/// What a detector found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// How much each record is out of place.
    pub scores: Vec<f64>,
    /// Whether somebody should look at it.
    pub flags: Vec<bool>,
    /// The score beyond which a record is flagged.
    pub threshold: f64,
    /// Which scores are suspect.
    pub suspect: Suspect,
    /// Why, of detectors that look at several things.
    pub reasons: Vec<Vec<Reason>>,
    /// What the flagged ones are after, if that was found.
    pub target: Option<FoundTarget>,
}

/// Which scores are suspect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Suspect {
    /// Those above the threshold.
    High,
    /// Those below it.
    Low,
}

/// Why a person is flagged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// They rated things that are too little known for so few ratings.
    Popularity,
    /// Their ratings are far from everybody's.
    Deviation,
    /// They gave an item the end of the scale that suspects give it much too often.
    Target,
    /// At least two others rate as they do.
    Twins,
}

/// An item that suspects push or nuke.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FoundTarget {
    /// The item.
    pub item: u32,
    /// Where it is to go.
    pub direction: Direction,
    /// How likely so many ends of the scale are by chance, at most; the natural logarithm.
    pub chance: f64,
}

impl Found {
    /// Scores above a threshold, or below it.
    pub fn beyond(scores: Vec<f64>, threshold: f64, suspect: Suspect) -> Self {
        let is_beyond = |&score: &f64| match suspect {
            Suspect::High => score > threshold,
            Suspect::Low => score < threshold,
        };
        let flags = scores.iter().map(is_beyond).collect();
        let reasons = vec![Vec::new(); scores.len()];
        Self { scores, flags, threshold, suspect, reasons, target: None }
    }

    /// How many are flagged.
    pub fn flagged(&self) -> usize {
        self.flags.iter().filter(|&&flag| flag).count()
    }

    /// What share of some records would be found if as many were flagged as there are of them, the most suspect first. Equal scores
    /// share the last places.
    pub fn found_at_count(&self, wanted: &[bool]) -> Option<f64> {
        let count = wanted.iter().filter(|&&wanted| wanted).count();
        if count == 0 {
            return None;
        }
        let sign = if self.suspect == Suspect::High { -1.0 } else { 1.0 };
        let mut order: Vec<(f64, bool)> =
            self.scores.iter().map(|score| sign * score).zip(wanted.iter().copied()).collect();
        order.sort_by(|left, right| left.0.total_cmp(&right.0));
        let last = order[count - 1].0;
        let (mut sure, mut before, mut tied, mut tied_wanted) = (0.0, 0, 0.0, 0.0);
        for &(score, is_wanted) in &order {
            if score < last {
                before += 1;
                sure += f64::from(u8::from(is_wanted));
            } else if score == last {
                tied += 1.0;
                tied_wanted += f64::from(u8::from(is_wanted));
            }
        }
        Some((sure + tied_wanted * (count - before) as f64 / tied) / count as f64)
    }
}

#[cfg(test)]
mod references;
#[cfg(test)]
mod tests;
#[cfg(test)]
pub(crate) mod trial;
