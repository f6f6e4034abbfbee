//! How far apart two paths are: at the same moments, by the way they went, or by how much of one is the other.
//!
//! A track is what is compared: all points of a person, or those of a trip (`data::paths::tracks`).

pub mod clock;
pub mod edit;
pub mod route;

use super::Pairwise;
use crate::error::{Error, Result};

/// A distance of paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathDistance {
    /// At the same moments of a common clock.
    Synchronous,
    /// By the way, whenever it was.
    Route,
    /// By the longest common sequence of points.
    Lcss,
    /// By how many points must be edited.
    Edr,
}

impl PathDistance {
    /// Every distance with its name.
    pub const NAMES: [(&'static str, Self); 4] =
        [("synchronous", Self::Synchronous), ("route", Self::Route), ("lcss", Self::Lcss), ("edr", Self::Edr)];

    /// The distance with a name.
    pub fn parse(name: &str) -> Result<Self> {
        let found = Self::NAMES.into_iter().find(|(own, _)| *own == name);
        found
            .map(|(_, distance)| distance)
            .ok_or_else(|| Error::unknown("distance of paths", name, Self::NAMES.into_iter().map(|(name, _)| name)))
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].0
    }

    /// Whether it is a number of metres, and not a share of points.
    pub fn is_in_metres(self) -> bool {
        matches!(self, Self::Synchronous | Self::Route)
    }
}

/// Paths with one of the distances.
#[derive(Debug)]
pub enum PathSpace {
    /// At the same moments.
    Synchronous(clock::OnClock),
    /// By the way.
    Route(route::Routes),
    /// By points that match.
    Edit(edit::Edits),
}

impl Pairwise for PathSpace {
    type Scratch = edit::Scratch;

    fn len(&self) -> usize {
        match self {
            Self::Synchronous(space) => space.len(),
            Self::Route(space) => space.len(),
            Self::Edit(space) => space.len(),
        }
    }

    fn scratch(&self) -> Self::Scratch {
        edit::Scratch::default()
    }

    fn distance(&self, left: usize, right: usize, scratch: &mut Self::Scratch) -> f64 {
        match self {
            Self::Synchronous(space) => space.distance(left, right, &mut ()),
            Self::Route(space) => space.distance(left, right, &mut ()),
            Self::Edit(space) => space.distance(left, right, scratch),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for (name, distance) in PathDistance::NAMES {
            assert_eq!((PathDistance::parse(name).unwrap(), distance.name()), (distance, name));
        }
        assert!(PathDistance::parse("edit").unwrap_err().to_string().contains("edit"));
    }
}
