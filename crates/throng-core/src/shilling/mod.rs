//! Shilling: made-up profiles that push an item, or nuke it, in what recommenders say.
//!
//! Paper      Ray, Mahanti. Strategies for Effective Shilling Attacks against Recommender Systems. PinKDD 2008 (sections 2.2, 4).
//!            Nuking is not in it: the mirror of pushing; reverse bandwagon is Mobasher et al. 2007.
//! Readings   R8 to R15: where the paper leaves numbers open.
//! Does not   hide itself: see `whole` for what a careful attacker does.
//!
//! # Idea
//! A profile gives the target the end of the scale, some selected items another end, and fillers what makes it look like a person:
//!
//! | attack | selected | fillers, at random but for il and ih | their value |
//! | --- | --- | --- | --- |
//! | random | none | | normal around the mean of all ratings, on the scale |
//! | average | none | | the mean of the item |
//! | bandwagon | the most rated; nuking, those with the most low ratings | | the mean of all ratings |
//! | segment | the most rated that share a genre with the target and are liked | | the lowest |
//! | ul, uh | none | | the mean of the item over those who rated the target low (ul) or high (uh); if there is none, over all |
//! | il, ih | none | what those persons rated highest (nuking: lowest) most often, first the highest fifth of the scale, then the next | the end of the scale; where the list is too short, the mean of other items |
//!
//! `experiment` is the paper's own: every attack, size, recommender and class of targets, on ratings in memory; `findings` are what the
//! paper found, held against it.
//!
//! # Cost
//! The ratings of the raters of the target, and the profiles.

mod experiment;
mod findings;
mod profiles;
mod shift;

pub use experiment::{Experiment, LeftOut, Plan, Shifted, TargetsDrawn, experiment};
pub use findings::{Compared, Finding, findings};
pub use profiles::{Injection, Profiles, prepare};
pub use shift::{ItemShift, Shift, Target, User, draw_targets, draw_users, measure};

use serde::Serialize;

use crate::data::ratings::Ratings;
use crate::error::{Error, Result};

/// Which attack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Attack {
    /// Fillers around the mean of all ratings.
    Random,
    /// Fillers at the mean of each item.
    Average,
    /// What everybody likes.
    Bandwagon,
    /// What friends of the target's genre like.
    Segment,
    /// The means of persons who rated the target low.
    Ul,
    /// The means of persons who rated the target high.
    Uh,
    /// The favourites of persons who rated the target low.
    Il,
    /// The favourites of persons who rated the target high.
    Ih,
}

impl Attack {
    /// Every one.
    pub const ALL: [Self; 8] =
        [Self::Random, Self::Average, Self::Bandwagon, Self::Segment, Self::Ul, Self::Uh, Self::Il, Self::Ih];

    /// As it is typed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Average => "average",
            Self::Bandwagon => "bandwagon",
            Self::Segment => "segment",
            Self::Ul => "ul",
            Self::Uh => "uh",
            Self::Il => "il",
            Self::Ih => "ih",
        }
    }

    /// The one with a name.
    pub fn parse(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|attack| attack.name() == name);
        found.ok_or_else(|| Error::unknown("attack", name, Self::ALL.map(Self::name)))
    }

    /// How many items it selects, where nobody says otherwise.
    pub fn usually_selected(self) -> usize {
        match self {
            Self::Bandwagon => 5,
            Self::Segment => 6,
            _ => 0,
        }
    }

    /// Whether it learns from persons who rated the target.
    pub fn learns_from_raters(self) -> bool {
        matches!(self, Self::Ul | Self::Uh | Self::Il | Self::Ih)
    }
}

/// Where the target is to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// Up.
    Push,
    /// Down.
    Nuke,
}

impl Direction {
    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Push => "push",
            Self::Nuke => "nuke",
        }
    }
}

/// How most persons rated an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// At least 60 % of its ratings are low.
    Low,
    /// At least 60 % of its ratings are high.
    High,
}

impl Class {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Low, Self::High];

    /// The one with a name.
    pub fn parse(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|class| class.name() == name);
        found.ok_or_else(|| Error::unknown("class of targets", name, Self::ALL.map(Self::name)))
    }

    /// The class of an item, if it has one.
    pub fn of(ratings: &Ratings, item: u32) -> Option<Self> {
        let scale = ratings.scale();
        let count = |is: &dyn Fn(f64) -> bool| ratings.of_item(item).filter(|&(_, value)| is(value)).count();
        // 60 % without a fraction.
        let is_most = |some: usize| some > 0 && 5 * some >= 3 * ratings.count_of_item(item);
        match () {
            () if is_most(count(&|value| scale.is_low(value))) => Some(Self::Low),
            () if is_most(count(&|value| scale.is_high(value))) => Some(Self::High),
            () => None,
        }
    }

    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::High => "high",
        }
    }
}

/// What an attack is told.
#[derive(Debug, Clone, PartialEq)]
pub struct Params {
    /// Which one.
    pub attack: Attack,
    /// Where the target is to go.
    pub direction: Direction,
    /// How many profiles, as a share of persons.
    pub size: f64,
    /// How many fillers, as a share of items.
    pub filler: f64,
    /// How many items are selected; as usual, if it is not said.
    pub selected: Option<usize>,
    /// The items that are selected by a segment, instead of by genre.
    pub segment: Option<Vec<u32>>,
    /// How often an item must have been rated so to be a favourite.
    pub count_at_least: usize,
    /// Whether fillers are drawn around their value and put on the scale.
    pub whole: bool,
}

impl Params {
    /// The usual ones.
    pub fn usual(attack: Attack) -> Self {
        Self {
            attack,
            direction: Direction::Push,
            size: 0.03,
            filler: 0.03,
            selected: None,
            segment: None,
            count_at_least: 10,
            whole: false,
        }
    }
}

/// A share of a whole, rounded half up.
pub fn rounded(share: f64, of: usize) -> usize {
    // A hair more, for a half that a product misses.
    (share * of as f64 + 0.5 + 1e-9).floor() as usize
}

#[cfg(test)]
mod tests;
