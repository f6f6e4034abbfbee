//! Microaggregation of ratings: groups of k persons with like tastes, each published as the mean of its members.
//!
//! Paper      Domingo-Ferrer, Mateo-Sanz. IEEE TKDE 14 (2002), for MDAV; persons as singular vectors are ours.
//! Claims     user-k-anonymity(k), content-threshold(m).
//! Does not   hide what all members of a group like. With `--publish all` an item of one member alone stands there as that member rated it.
//!
//! # Idea
//! 1. Persons become points (`tastes.rs`): how they rated, what they rated, how much.
//! 2. MDAV makes groups of k to 2k - 1, in blocks of like persons where there are many.
//! 3. The record of a group has the mean of what its members gave an item: of items that any member rated, two or more, or as many items as
//!    members have on average, those with most votes.
//!
//! # Cost
//! That of the points and of MDAV: O(n²/k) for n persons of a block.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::record::{MIN_PERSONS, Publishing, ROUND, Round, TIME_RESOLUTION, Told};
use super::tastes::Tastes;
use crate::data::Ratings;
use crate::distance::DistanceMatrix;
use crate::error::{Error, Result};
use crate::info::{self, Info, Parameter, ParameterKind};
use crate::methods::refusals::{PERSONS, check_enough, check_k};
use crate::methods::{Method, shown_parameters};
use crate::partition::grouping::{BLOCK_SIZE, EXACT, Least, Plan};
use crate::progress::Progress;
use crate::recommenders::Bias;
use crate::release::Protected;
use crate::rng::Rng;

/// The card of the method.
pub const INFO: Info = Info {
    name: "rating-microaggregation",
    summary: "groups of k persons with like tastes, published as the mean of what they gave",
    paper: "Domingo-Ferrer, Mateo-Sanz. Practical data-oriented microaggregation for statistical disclosure control. IEEE TKDE 14 (2002); persons as \
            points are ours",
    details: "1. A person is a point: the 24 leading singular vectors of ratings above what the bias model expects, 24 of which items were rated \
        (weight 1.5), and the logarithm of how many; each block centred and scaled to a mean square of 1.\n\
        2. MDAV by Euclidean distance makes groups of k to 2k - 1. Above 4,000 persons in blocks of like ones; `--exact` keeps the whole.\n\
        3. A group publishes the mean of what its members gave an item: `--publish all` of every item that any of them rated, `shared` of those that \
        two or more did, `voted` of as many items as members have on average, those that most of them rated; of equal ones the first of the file.\n\
        4. Never an item that fewer than `--min-persons` persons of the original rated. Times are left out, unless `--time-resolution 1y` or coarser \
        asks for the beginning of the year.\n\
        5. Every member is published with that record, under a fresh pseudonym. A group of which nothing can be published is left out.\n\
        Claims user-k-anonymity(k), and content-threshold(m) where m is above 1.",
    parameters: &[info::K, PUBLISH, MIN_PERSONS, ROUND, TIME_RESOLUTION, EXACT, BLOCK_SIZE],
};

const PUBLISH: Parameter = Parameter {
    name: "publish",
    summary: "which items a group publishes: those that any member rated, two or more, or those with most votes",
    kind: ParameterKind::Choice(&["all", "shared", "voted"]),
    default: "shared",
};

/// Which items a group publishes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Publish {
    /// What any member rated.
    All,
    /// What two or more did.
    Shared,
    /// As many items as members have on average.
    Voted,
}

/// What the method can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// How many persons share a record, at least.
    pub k: usize,
    /// Which items a group publishes.
    pub publish: Publish,
    /// An item was rated by at least so many persons.
    pub min_persons: usize,
    /// To what ratings are rounded.
    pub round: Round,
    /// Published times, in seconds: 0 for none.
    pub time_resolution: u64,
    /// No blocks.
    pub exact: bool,
    /// The size of blocks; 0 if it is left to us.
    pub block_size: usize,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            k: 5,
            publish: Publish::Shared,
            min_persons: 3,
            round: Round::None,
            time_resolution: 0,
            exact: false,
            block_size: 0,
        }
    }
}

/// The method with checked parameters.
#[derive(Debug, Clone, Copy)]
pub struct RatingMicroaggregation {
    params: Params,
    publishing: Publishing,
    plan: Plan,
}

impl RatingMicroaggregation {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        let Params { k, min_persons, round, time_resolution, exact, block_size, .. } = params;
        let publishing = Publishing { k, min_persons, round, time_resolution };
        let plan = Plan { is_exact: exact, block_size };
        let mut errors: Vec<Error> = check_k(k).into_iter().collect();
        errors.extend(publishing.errors());
        errors.extend(plan.check(k));
        if errors.is_empty() { Ok(Self { params, publishing, plan }) } else { Err(Error::parameters(errors)) }
    }
}

impl Method<Ratings> for RatingMicroaggregation {
    fn protect(&self, original: &Ratings, _rng: &mut Rng, progress: &dyn Progress) -> Result<Protected<Ratings>> {
        let Params { k, publish, .. } = self.params;
        check_enough(original.persons(), k, PERSONS)?;
        progress.stage("tastes", 0);
        let tastes = Tastes::<false>::of(original, &Bias::fit(original));
        progress.go_on()?;
        self.plan.refuse_too_many::<Tastes<false>>(original.persons(), k, DistanceMatrix::bytes)?;
        let groups = self.plan.groups(&tastes, Least { k, wishes: &[] }, progress)?;
        let choose = |members: &[u32], mut told: Vec<Told>| {
            match publish {
                Publish::All => {}
                Publish::Shared => told.retain(|told| told.by.len() > 1),
                Publish::Voted => {
                    let ratings: usize = members.iter().map(|&member| original.count_of_person(member)).sum();
                    let most = (ratings as f64 / members.len() as f64).round() as usize;
                    told.sort_by(|left, right| right.by.len().cmp(&left.by.len()).then(left.item.cmp(&right.item)));
                    told.truncate(most);
                }
            }
            told.into_iter().map(|told| (told.mean(), told)).map(|(mean, told)| (told, mean)).collect()
        };
        self.publishing.publish(original, &groups, choose, progress)
    }

    fn parameters(&self) -> Map<String, Value> {
        shown_parameters(&self.params)
    }
}
