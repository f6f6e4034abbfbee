//! Prediction shift: how far an attack moved what recommenders say of its targets.
//!
//! # Formula
//! Equations 5 and 6: for each target the mean over persons of the prediction after, minus before; then the mean over targets. A pair
//! without a prediction before or after is left out and counted (R7). Nothing is clipped.

use super::Class;
use crate::data::ratings::{Ratings, Scale};
use crate::error::{Error, Result};
use crate::progress::Progress;
use crate::recommenders::{Fallback, Pair, Params, Recommender};
use crate::rng::Rng;

/// What an attack moved.
#[derive(Debug, Clone, PartialEq)]
pub struct Shift {
    /// The mean over the targets; none if nothing could be predicted.
    pub shift: Option<f64>,
    /// The share of predictions in the high range, after minus before.
    pub hit_shift: Option<f64>,
    /// How many pairs were compared.
    pub pairs: usize,
    /// How many were left out.
    pub undefined: usize,
    /// Each target.
    pub items: Vec<ItemShift>,
}

/// What an attack moved of one target.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemShift {
    /// The mean over persons.
    pub shift: Option<f64>,
    /// How many were compared.
    pub pairs: usize,
}

/// A person by their numbers before and after.
pub type User = (u32, u32);

/// Draws persons who rated none of the targets, in the order of the file.
pub fn draw_users(ratings: &Ratings, targets: &[u32], count: usize, rng: &mut Rng) -> Result<Vec<u32>> {
    let mut has_rated = vec![false; ratings.persons()];
    for &target in targets {
        ratings.of_item(target).for_each(|(person, _)| has_rated[person as usize] = true);
    }
    let others: Vec<u32> = (0..ratings.persons() as u32).filter(|&person| !has_rated[person as usize]).collect();
    if others.is_empty() {
        return Err(Error::refused("everybody rated a target, so that there is nobody to predict it for")
            .with_hint("name other targets, or fewer"));
    }
    Ok(rng.sample(others.len(), count).into_iter().map(|at| others[at as usize]).collect())
}

/// The number of a target before and after, where it has one.
pub type Target = (Option<u32>, Option<u32>);

/// Compares predictions of targets, which have numbers before and after; one that had none before has no prediction there.
pub fn measure(
    before: &Ratings,
    after: &Ratings,
    targets: &[Target],
    users: &[User],
    params: Params,
    progress: &dyn Progress,
) -> Result<Shift> {
    let recommender = Recommender::new(Params { fallback: Fallback::None, clip: false, ..params })?;
    let pairs = |side: fn(&User) -> u32, item: fn(&Target) -> Option<u32>| -> Vec<Pair> {
        targets.iter().flat_map(|target| users.iter().map(move |user| (Some(side(user)), item(target)))).collect()
    };
    let was = recommender.predict(before, &pairs(|user| user.0, |target| target.0), progress)?;
    let is = recommender.predict(after, &pairs(|user| user.1, |target| target.1), progress)?;
    let both: Vec<(Option<f64>, Option<f64>)> = was.iter().zip(&is).map(|(was, is)| (was.value, is.value)).collect();
    Ok(summed(&both, users.len(), before.scale()))
}

/// Shifts of predictions before and after, target by target.
pub(super) fn summed(both: &[(Option<f64>, Option<f64>)], users: usize, scale: Scale) -> Shift {
    let mut items = Vec::new();
    let (mut hits, mut pairs) = (0i64, 0);
    for target in both.chunks(users.max(1)) {
        let (mut sum, mut count) = (0.0, 0);
        for &(was, is) in target {
            if let (Some(was), Some(is)) = (was, is) {
                sum += is - was;
                count += 1;
                hits += i64::from(scale.is_high(is)) - i64::from(scale.is_high(was));
            }
        }
        pairs += count;
        items.push(ItemShift { shift: (count > 0).then(|| sum / count as f64), pairs: count });
    }
    let shifts: Vec<f64> = items.iter().filter_map(|item| item.shift).collect();
    Shift {
        shift: (!shifts.is_empty()).then(|| shifts.iter().sum::<f64>() / shifts.len() as f64),
        hit_shift: (pairs > 0).then(|| hits as f64 / pairs as f64),
        pairs,
        undefined: both.len() - pairs,
        items,
    }
}

/// Draws targets of a class with at least so many ratings, in the order of the file.
pub fn draw_targets(ratings: &Ratings, class: Class, count: usize, at_least: usize, rng: &mut Rng) -> Result<Vec<u32>> {
    let is_one = |item: &u32| ratings.count_of_item(*item) >= at_least && Class::of(ratings, *item) == Some(class);
    let all: Vec<u32> = (0..ratings.items() as u32).filter(is_one).collect();
    if all.is_empty() {
        return Err(Error::refused(format!("no item has {at_least} ratings of which 60 % are {}", class.name()))
            .with_hint("`--target-ratings` says how many a target must have"));
    }
    Ok(rng.sample(all.len(), count).into_iter().map(|at| all[at as usize]).collect())
}
