//! Rules: what a trip's length, duration, speed, stops, hours and cells say of its label, to be read and to be applied.
//!
//! Paper      Giannotti and others. Mobility, Data Mining and Privacy (GeoPKDD): decision rules that explain and predict, without a
//!            formula. Breiman, Friedman, Olshen, Stone. Classification and Regression Trees. 1984.
//! Promises   every rule rests on trips of at least k persons, its numbers are round, its cells are ones in which as many were, and its
//!            label is one that as many have.
//! Does not   protect what several rules say together.
//!
//! # Idea
//! 1. A track (a trip, or a person where there are none) has the label that most of its points have, the first in the file of equally
//!    frequent ones. Tracks without one, or with one of fewer than k persons, teach nothing.
//! 2. A decision tree asks what `features` knows, each question so that the answers have fewer labels mixed (`grow`). Both answers have
//!    tracks of at least k persons.
//! 3. Each of its leaves is a rule: the questions on the way there, the most frequent label, on how many tracks and persons it rests, and
//!    how many of them have it.
//! 4. What that is worth: persons are dealt into ten parts, each is judged by the rules that the other nine teach. Persons with equal points
//!    are in one part, so that a copy in a release is not asked about its twin.
//!
//! # Cost
//! Time O(tracks · questions) a level of the tree, memory O(tracks · cells).

pub mod evaluate;
pub mod features;
mod grow;

use serde::{Deserialize, Serialize};

pub use evaluate::{Evaluation, evaluate};
pub use features::{Condition, Feature};

use super::cells::CellKeys;
use super::cube::Cells;
use crate::data::Paths;
use crate::data::paths::tracks::Tracks;
use crate::data::paths::{MISSING, Mark};
use crate::{Error, Result};
use features::Example;

/// The version of the form of rules.
pub const VERSION: u32 = 1;

/// How to learn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Params {
    /// The cells that rules may name.
    pub cells: Cells,
    /// A rule rests on so many persons, at least.
    pub k: usize,
    /// So many questions lead to a rule, at most.
    pub depth: usize,
}

impl Default for Params {
    fn default() -> Self {
        Self { cells: Cells::Tile(14), k: 5, depth: 6 }
    }
}

/// A rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// What must all be so.
    #[serde(rename = "if")]
    pub conditions: Vec<Condition>,
    /// What then is said.
    #[serde(rename = "then")]
    pub label: String,
    /// On how many tracks it rests.
    pub tracks: usize,
    /// Of how many persons.
    pub persons: usize,
    /// How many of the tracks have the label.
    pub right: usize,
}

/// Rules, of which the first one that fits is right.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    /// The version of their form.
    pub version: u32,
    /// Whether they are about trips, and not all points of a person.
    pub by_trip: bool,
    /// The cells that they name, as `--cell` takes them.
    pub cell: String,
    /// On so many persons each of them rests, at least.
    pub k: usize,
    /// The rules.
    pub rules: Vec<Rule>,
    /// What is said where none fits: the most frequent label.
    pub otherwise: String,
    /// Tracks that taught nothing: without a label, or with one of too few persons.
    pub left_out: usize,
}

/// Learns rules.
pub fn train(paths: &Paths, params: &Params) -> Result<Rules> {
    let taught = Taught::of(paths, params)?;
    let rows: Vec<usize> = (0..taught.examples.len()).collect();
    let rules = grow::rules(&taught, &rows, params).ok_or_else(|| too_few(params.k))?;
    Ok(Rules { left_out: taught.left_out, ..taught.named(rules, params) })
}

fn too_few(k: usize) -> Error {
    Error::refused(format!("no label is one of at least k = {k} persons")).with_hint(
        "rules are about what many have in common: name the right column with `--label`, or choose a smaller `--k`",
    )
}

/// The labels that rules give the tracks of paths.
pub fn apply(paths: &Paths, rules: &Rules) -> Result<Vec<(usize, String)>> {
    let tracks = rules.tracks_of(paths)?;
    let keys = CellKeys::of(paths, Cells::parse(&rules.cell)?)?;
    let label = |track: usize| {
        let example = Example::of(paths, &tracks, track, &keys);
        let fits = |rule: &&Rule| rule.conditions.iter().all(|condition| condition.holds(&example, &keys));
        rules.rules.iter().find(fits).map_or(&rules.otherwise, |rule| &rule.label).clone()
    };
    Ok((0..tracks.len()).map(|track| (track, label(track))).collect())
}

/// The label of the leaf that an example comes to.
fn apply_to(example: &Example, leaves: &[grow::Leaf]) -> Option<u32> {
    let is_so = |asked: &features::Asked| match *asked {
        features::Asked::Number(feature, limit, at_most) => (example.numbers[feature as usize] <= limit) == at_most,
        features::Asked::Cell(part, cell, is) => example.answer(part, cell) == is,
    };
    leaves.iter().find(|leaf| leaf.asked.iter().all(is_so)).map(|leaf| leaf.label)
}

impl Rules {
    /// The tracks that the rules are about.
    pub fn tracks_of(&self, paths: &Paths) -> Result<Tracks> {
        if !self.by_trip {
            return Ok(Tracks::of_persons(paths));
        }
        if !paths.has(Mark::Trip) {
            return Err(Error::data("the rules are about trips, and there are none")
                .with_hint("`throng paths reconstruct` finds trips; or learn rules from paths without trips"));
        }
        Ok(Tracks::of_trips(paths))
    }
}

/// Tracks with their labels.
struct Taught<'a> {
    paths: &'a Paths,
    tracks: Tracks,
    keys: CellKeys<'a>,
    by_trip: bool,
    examples: Vec<Example>,
    /// The track of each example.
    track_of: Vec<usize>,
    /// The label of each example.
    labels: Vec<u32>,
    left_out: usize,
}

impl<'a> Taught<'a> {
    fn of(paths: &'a Paths, params: &Params) -> Result<Self> {
        check(params)?;
        if !paths.has(Mark::Label) {
            return Err(Error::parameter("label", "is a column that no point has anything in")
                .with_hint("name the column to predict: `--label COLUMN`"));
        }
        let keys = CellKeys::of(paths, params.cells)?;
        let tracks = Tracks::natural(paths);
        let all: Vec<u32> = (0..tracks.len()).map(|track| label(paths, &tracks, track)).collect();
        let is_common: Vec<bool> = (0..paths.texts(Mark::Label).len() as u32)
            .map(|own| tracks.persons_of((0..tracks.len()).filter(|&track| all[track] == own)) >= params.k)
            .collect();
        let track_of: Vec<usize> =
            (0..tracks.len()).filter(|&track| all[track] != MISSING && is_common[all[track] as usize]).collect();
        if track_of.is_empty() {
            return Err(too_few(params.k));
        }
        use rayon::prelude::*;
        let examples = track_of.par_iter().map(|&track| Example::of(paths, &tracks, track, &keys)).collect();
        let labels = track_of.iter().map(|&track| all[track]).collect();
        let left_out = tracks.len() - track_of.len();
        let by_trip = paths.has(Mark::Trip);
        Ok(Self { paths, tracks, keys, by_trip, examples, track_of, labels, left_out })
    }

    fn person(&self, row: usize) -> u32 {
        self.tracks.person(self.track_of[row])
    }

    fn persons(&self, rows: &[usize]) -> usize {
        self.tracks.persons_of(rows.iter().map(|&row| self.track_of[row]))
    }

    fn label_name(&self, label: u32) -> String {
        self.paths.texts(Mark::Label).get(label).to_owned()
    }

    /// Rules as they are written.
    fn named(&self, (leaves, otherwise): (Vec<grow::Leaf>, u32), params: &Params) -> Rules {
        let rule = |leaf: grow::Leaf| Rule {
            conditions: features::merged(leaf.asked, &self.keys),
            label: self.label_name(leaf.label),
            tracks: leaf.tracks,
            persons: leaf.persons,
            right: leaf.right,
        };
        Rules {
            version: VERSION,
            by_trip: self.by_trip,
            cell: params.cells.to_string(),
            k: params.k,
            rules: leaves.into_iter().map(rule).collect(),
            otherwise: self.label_name(otherwise),
            left_out: 0,
        }
    }
}

/// The label that most points of a track have; none, if none has one.
fn label(paths: &Paths, tracks: &Tracks, track: usize) -> u32 {
    let mut labels: Vec<u32> =
        tracks.range(track).map(|point| paths.mark(Mark::Label, point)).filter(|&label| label != MISSING).collect();
    labels.sort_unstable();
    let most = labels.chunk_by(|left, right| left == right).max_by_key(|same| (same.len(), std::cmp::Reverse(same[0])));
    most.map_or(MISSING, |same| same[0])
}

fn check(params: &Params) -> Result<()> {
    let mut errors = Vec::new();
    if params.k < 2 {
        errors.push(Error::parameter("k", format!("is {}, but must be at least 2", params.k)));
    }
    if !(1..=20).contains(&params.depth) {
        errors.push(Error::parameter("depth", format!("is {}, but must be from 1 to 20", params.depth)));
    }
    if errors.is_empty() { Ok(()) } else { Err(Error::parameters(errors)) }
}

#[cfg(test)]
mod tests;
