//! Crowd fit: who does not fit into the crowd, what they are after, and whom to flag; nobody says how many there are.
//!
//! Idea       ours, of the other detectors of this folder and [`super::targets`].
//! Does not   prove anything of a person. One profile alone, or a few with favourites of many and nothing in common, are not seen.
//!
//! # Idea
//! 1. Suspicion: the greater of [`super::popularity_fit`] and a third of the robust deviations of [`super::rdma`]. 2. Persons in
//!    several orders of suspicion (by that, by mean logarithms of popularity, by how alike the nearest others are) are looked at for a target: an item
//!    to which suspects give the end of the scale much too often. 3. Who gave the target that end needs little more to be flagged; others
//!    need much. 4. Those are left out, and the search goes on for another target. 5. Twins are flagged.
//!
//! # Formula
//! The limit is 4.5, or more (up to 7) where suspicion has a long tail among persons who are hardly suspect: between the most suspect 30 and 10 %
//! it falls off as some exponential, and the limit is where that leaves one in a thousand. The score is what is flagged above the limit: suspicion; plus the
//! limit - 1 for who gave a target its end; less 1.5 for others, where there is a target; above the limit for twins.
//!
//! # Cost
//! That of twins: time O(ratings + pairs with a rare rating in common), memory O(ratings).

use super::targets::{self, Order};
use super::twins::{self, Kin};
use super::{Detector, Found, FoundTarget, Reason, Suspect, popularity_fit, rdma, robust};
use crate::data::ratings::Ratings;
use crate::error::Result;
use crate::info::Info;
use crate::progress::Progress;
use crate::shilling::Direction;

/// Above which score a person is flagged, at least and at most.
const LIMITS: [f64; 2] = [4.5, 7.0];
/// Above which suspicion a person is flagged who gave a target its end.
const WITH_TARGET: f64 = 1.0;
/// What others have less, where a target explains what is suspect.
const OTHERS: f64 = 1.5;
/// How many others a person is compared with, of those most alike.
const NEAREST: usize = 4;
/// By how much of it the nearest are alike, for a person to be as suspect as one deviation.
const ALIKE: f64 = 0.15;
/// How many targets are looked for.
const TARGETS: usize = 8;

/// The card.
pub const INFO: Info = Info {
    name: "crowd-fit",
    summary: "persons who do not fit into the crowd, and what they are after; the default",
    paper: "Own, of rdma (Chirita et al. 2005), popularity-fit and twins",
    details: "Suspicion is the greater of popularity-fit and a third of the robust deviations of rdma. Among the most suspect 2, 5, 10 and 20 % (in several orders: also by the \
              logarithms of popularity, and by how alike the four nearest others are), every item is tried as a target: do they give it the end of the scale so often that chance is \
              below 1e-8 / items? Who gave the target that end is flagged if suspicion is above 1, others only if it is far above (4.5, more where suspicion has a long tail; and 1.5 more where there is a target). Then the search goes on \
              without those who were flagged. Twins are flagged.\n\
              It decides by itself how many are flagged, and looks at no fraction of a rating, no order of rows, no id and no time. It is blind to a single profile, and to few \
              profiles that rate what everybody rates.\n\
              On a release with k-anonymity everybody is a twin: look before you protect. Time O(ratings + pairs with a rare rating in common).",
    parameters: &[],
};

/// The detector.
#[derive(Debug, Clone, Copy)]
pub struct CrowdFit;

impl Detector<Ratings> for CrowdFit {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn detect(&self, ratings: &Ratings, progress: &dyn Progress) -> Result<Found> {
        let popularity = popularity_fit::scores(ratings, |share| share);
        let fame = popularity_fit::scores(ratings, |share| share.max(f64::MIN_POSITIVE).ln());
        let deviation: Vec<f64> =
            robust::deviations(&rdma::deviations(ratings, 1)).into_iter().map(|deviations| deviations / 3.0).collect();
        let kin = Kin::of(ratings, progress)?;
        let alike: Vec<f64> = kin.nearest(NEAREST).into_iter().map(|share| share / ALIKE).collect();
        let greater = |left: &[f64], right: &[f64]| -> Vec<f64> {
            left.iter().zip(right).map(|(left, right)| left.max(*right)).collect()
        };
        let suspicion = greater(&popularity, &deviation);
        // Who gave a target its end may be given away by more.
        let with_target = greater(&greater(&suspicion, &fame), &alike);
        let orders = [
            Order { scores: suspicion.clone(), among_raters: 0.05 },
            Order { scores: popularity.clone(), among_raters: 0.05 },
            Order { scores: fame, among_raters: 0.05 },
            Order { scores: alike, among_raters: 0.001 },
        ];
        let persons = ratings.persons();
        let limit = limit(&suspicion);
        let target_bonus = limit - WITH_TARGET;
        let mut is_after_target = vec![false; persons];
        let mut is_flagged = vec![false; persons];
        let mut first: Option<FoundTarget> = None;
        progress.stage("looking for targets", TARGETS as u64);
        for _ in 0..TARGETS {
            progress.go_on()?;
            progress.advance(1);
            let Some(found) = targets::least_likely(ratings, &orders, &is_flagged) else { break };
            let mut more = 0;
            for person in gave_end(ratings, &found) {
                is_after_target[person] = true;
                if with_target[person] > WITH_TARGET && !is_flagged[person] {
                    is_flagged[person] = true;
                    more += 1;
                }
            }
            first = first.or(Some(found));
            if more == 0 {
                break;
            }
        }
        let triples = kin.triples();
        let mut scores = Vec::with_capacity(persons);
        let mut reasons = Vec::with_capacity(persons);
        for person in 0..persons {
            let plain = if first.is_some() { suspicion[person] - OTHERS } else { suspicion[person] };
            let mut score = if is_after_target[person] { with_target[person] + target_bonus } else { plain };
            let is_twin = triples[person] > twins::LIMIT;
            if is_twin {
                score = score.max(limit + triples[person]);
            }
            let mut own = Vec::new();
            if score > limit {
                let says = [
                    (
                        popularity[person].max(if is_after_target[person] { orders[2].scores[person] } else { 0.0 })
                            > 1.0,
                        Reason::Popularity,
                    ),
                    (deviation[person] > 1.0, Reason::Deviation),
                    (is_after_target[person], Reason::Target),
                    (is_twin, Reason::Twins),
                ];
                own.extend(says.into_iter().filter(|(says, _)| *says).map(|(_, reason)| reason));
            }
            scores.push(score);
            reasons.push(own);
        }
        let found = Found::beyond(scores, limit, Suspect::High);
        Ok(Found { reasons, target: first, ..found })
    }
}

/// Above which suspicion somebody is flagged who gave no target its end: where the tail between the most suspect 30 and 10 % would leave
/// one in a thousand.
fn limit(suspicion: &[f64]) -> f64 {
    const FROM: f64 = 0.3;
    const TO: f64 = 0.1;
    const LEFT: f64 = 0.001;
    let mut sorted = suspicion.to_vec();
    sorted.sort_by(|left, right| right.total_cmp(left));
    let at = |share: f64| sorted[((share * sorted.len() as f64) as usize).min(sorted.len() - 1)];
    if sorted.is_empty() {
        return LIMITS[0];
    }
    let fall = (at(TO) - at(FROM)) / (FROM / TO).ln();
    (at(FROM) + fall * (FROM / LEFT).ln()).clamp(LIMITS[0], LIMITS[1])
}

/// The persons who gave a target its end of the scale.
fn gave_end(ratings: &Ratings, target: &FoundTarget) -> Vec<usize> {
    let seen = super::seen::Seen::of(ratings);
    let is_high = target.direction == Direction::Push;
    ratings
        .of_item(target.item)
        .filter(|&(_, value)| seen.is_end(value, is_high))
        .map(|(person, _)| person as usize)
        .collect()
}
