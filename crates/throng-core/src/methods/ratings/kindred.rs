//! Kindred: persons with like tastes become one of at least k, with a record from which others are predicted well.
//!
//! Paper      Ours, held against microaggregation by MDAV (Domingo-Ferrer, Mateo-Sanz 2002).
//! Claims     user-k-anonymity(k), content-threshold(m).
//! Does not   hide what all members of a group like.
//!
//! # Idea
//! 1. Persons become points (`tastes.rs`): how they rated, what they rated, how much. MDAV, then moves and exchanges that lower the sum of squares.
//! 2. An item is in the record if two members or more rated it.
//! 3. What it was given is drawn towards what the bias model expects of the group, as if two more members had given that: it is nearer to
//!    what the members give on average, and says less of each of them.
//!
//! # Formula
//! (Σ r + 2 e) / (n + 2) for n members who rated the item; e = g + b(i) + mean b(u) of the members, within the scale.
//!
//! # Cost
//! That of the points, of MDAV and of refinement: O(n²) for n persons of a block.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::record::{MIN_PERSONS, Publishing, ROUND, Round, TIME_RESOLUTION, Told};
use super::tastes::Tastes;
use crate::data::Ratings;
use crate::distance::DistanceMatrix;
use crate::error::{Error, Result};
use crate::info::{self, Info};
use crate::methods::refusals::{PERSONS, check_enough, check_k};
use crate::methods::{Method, shown_parameters};
use crate::partition::grouping::{BLOCK_SIZE, EXACT, Least, Plan};
use crate::progress::Progress;
use crate::recommenders::Bias;
use crate::release::Protected;
use crate::rng::Rng;

/// The card of the method.
pub const INFO: Info = Info {
    name: "kindred",
    summary: "groups of k persons with like tastes, one record a group that still predicts what people like",
    paper: "ours; held against MDAV: Domingo-Ferrer, Mateo-Sanz. Practical data-oriented microaggregation for statistical disclosure control. IEEE \
            TKDE 14 (2002)",
    details: "1. A person is a point: the 24 leading singular vectors of ratings above what the bias model expects, 24 of which items were rated \
        (weight 1.5), and the logarithm of how many; each block centred and scaled to a mean square of 1. MDAV makes groups of k to 2k - 1; then \
        persons move and change places while the sum of squares falls. Above 4,000 persons in blocks of like ones; `--exact` leaves out blocks and \
        moves.\n\
        2. The record of a group has the items that two members or more rated, and never one that fewer than `--min-persons` persons of the \
        original rated.\n\
        3. Its value is (sum of the members' ratings + 2 e) / (members who rated it + 2), e being what the bias model expects of the group: the mean of \
        all ratings, what the item has above it, and what the members have on average. That is nearer to what people of this taste would give, and \
        says less of each member.\n\
        4. Times are left out, unless `--time-resolution 1y` or coarser asks for the beginning of the year. Every member is published with that record, \
        under a fresh pseudonym. A group of which nothing can be published is left out.\n\
        Claims user-k-anonymity(k), and content-threshold(m) where m is above 1. What all members of a group like is not hidden.",
    parameters: &[info::K, MIN_PERSONS, ROUND, TIME_RESOLUTION, EXACT, BLOCK_SIZE],
};

/// As many members as the bias model stands for.
const EXPECTED: f64 = 2.0;

/// What the method can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// How many persons share a record, at least.
    pub k: usize,
    /// An item was rated by at least so many persons.
    pub min_persons: usize,
    /// To what ratings are rounded.
    pub round: Round,
    /// Published times, in seconds: 0 for none.
    pub time_resolution: u64,
    /// No blocks, no refinement.
    pub exact: bool,
    /// The size of blocks; 0 if it is left to us.
    pub block_size: usize,
}

impl Default for Params {
    fn default() -> Self {
        Self { k: 5, min_persons: 3, round: Round::None, time_resolution: 0, exact: false, block_size: 0 }
    }
}

/// The method with checked parameters.
#[derive(Debug, Clone, Copy)]
pub struct Kindred {
    params: Params,
    publishing: Publishing,
    plan: Plan,
}

impl Kindred {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        let Params { k, min_persons, round, time_resolution, exact, block_size } = params;
        let publishing = Publishing { k, min_persons, round, time_resolution };
        let plan = Plan { is_exact: exact, block_size };
        let mut errors: Vec<Error> = check_k(k).into_iter().collect();
        errors.extend(publishing.errors());
        errors.extend(plan.check(k));
        if errors.is_empty() { Ok(Self { params, publishing, plan }) } else { Err(Error::parameters(errors)) }
    }
}

impl Method<Ratings> for Kindred {
    fn protect(&self, original: &Ratings, _rng: &mut Rng, progress: &dyn Progress) -> Result<Protected<Ratings>> {
        let k = self.params.k;
        check_enough(original.persons(), k, PERSONS)?;
        progress.stage("tastes", 0);
        let bias = Bias::fit(original);
        let tastes = Tastes::<true>::of(original, &bias);
        progress.go_on()?;
        self.plan.refuse_too_many::<Tastes<true>>(original.persons(), k, DistanceMatrix::bytes)?;
        let groups = self.plan.groups(&tastes, Least { k, wishes: &[] }, progress)?;
        let choose = |members: &[u32], told: Vec<Told>| {
            let expected = |item: u32| {
                let all: f64 = members.iter().map(|&member| bias.predict(member, item)).sum();
                original.scale().clamp(all / members.len() as f64)
            };
            let shrunk = |told: Told| {
                let value = (told.sum() + EXPECTED * expected(told.item)) / (told.by.len() as f64 + EXPECTED);
                (told, value)
            };
            told.into_iter().filter(|told| told.by.len() > 1).map(shrunk).collect()
        };
        self.publishing.publish(original, &groups, choose, progress)
    }

    fn parameters(&self) -> Map<String, Value> {
        shown_parameters(&self.params)
    }
}
