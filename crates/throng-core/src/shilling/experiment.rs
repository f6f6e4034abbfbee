//! The experiment of the paper on any ratings: every attack of every size, by every recommender, on targets of each class.
//!
//! Paper      Ray, Mahanti 2008, section 7: 20 targets, 10 of each class, 50 persons who rated none of them, sizes of 1, 3, 6, 12 and 15 %,
//!            fillers of 3 %, 20 neighbours, amplification 10. Each target is attacked by itself.
//!
//! # Idea
//! A draw draws targets of each class, persons who rated none of them, and the profiles of every attack. Profiles are drawn from a stream of
//! their own for each target, attack and size, so that what else is tried changes nothing; all recommenders see the same ones.
//!
//! # Cost
//! Similarities of genuine persons once a draw (`recommenders::Poisoned`); for each attack, target and size the profiles times what
//! the persons rated.

use rayon::prelude::*;

use super::shift::summed;
use super::{Attack, Class, Direction, Params, draw_targets, draw_users, prepare};
use crate::data::ratings::Ratings;
use crate::error::{Error, Result};
use crate::progress::Progress;
use crate::recommenders::{self, Poisoned};
use crate::rng::Rng;

/// What is tried.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Which attacks.
    pub attacks: Vec<Attack>,
    /// Where targets are to go.
    pub direction: Direction,
    /// How many profiles there are, as shares of persons.
    pub sizes: Vec<f64>,
    /// How many fillers each has, as a share of items.
    pub filler: f64,
    /// Whether fillers are drawn around their value and put on the scale.
    pub whole: bool,
    /// How often an item must have been rated so to be a favourite.
    pub count_at_least: usize,
    /// How many targets there are of each class.
    pub targets: Vec<(Class, usize)>,
    /// How many ratings a target must have.
    pub target_ratings: usize,
    /// How many persons are predicted.
    pub users: usize,
    /// How often everything is drawn.
    pub draws: usize,
    /// By what.
    pub recommenders: Vec<recommenders::Params>,
    /// The seed of everything that is drawn.
    pub seed: u64,
}

/// One point: an attack of a size on all targets of a class.
#[derive(Debug, Clone, PartialEq)]
pub struct Shifted {
    /// By which recommender, by its place in the plan.
    pub recommender: usize,
    /// On which targets.
    pub class: Class,
    /// Which attack.
    pub attack: Attack,
    /// How many profiles, as a share of persons.
    pub size: f64,
    /// Which draw, from 1.
    pub draw: usize,
    /// How far predictions moved; none if nothing could be predicted.
    pub shift: Option<f64>,
    /// The share of predictions in the high range, after minus before.
    pub hit_shift: Option<f64>,
    /// How many pairs were compared.
    pub pairs: usize,
    /// How many were left out.
    pub undefined: usize,
}

/// The targets of a draw.
#[derive(Debug, Clone, PartialEq)]
pub struct TargetsDrawn {
    /// Which draw, from 1.
    pub draw: usize,
    /// How most persons rated them.
    pub class: Class,
    /// Which items.
    pub items: Vec<u32>,
    /// How many persons they were predicted for.
    pub users: usize,
}

/// An attack that could not be made on a target.
#[derive(Debug, Clone, PartialEq)]
pub struct LeftOut {
    /// Which draw, from 1.
    pub draw: usize,
    /// The target.
    pub item: u32,
    /// Which attack.
    pub attack: Attack,
    /// Why.
    pub reason: String,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Experiment {
    /// Every point, by recommender, class, attack, size and draw.
    pub shifts: Vec<Shifted>,
    /// What was attacked.
    pub targets: Vec<TargetsDrawn>,
    /// What could not be: its pairs count as undefined.
    pub left_out: Vec<LeftOut>,
}

impl Plan {
    fn check(&self) -> Result<()> {
        let mut errors = Vec::new();
        let empty = [
            ("attacks", self.attacks.is_empty()),
            ("sizes", self.sizes.is_empty()),
            ("targets", self.targets.is_empty()),
            ("recommender", self.recommenders.is_empty()),
        ];
        errors.extend(empty.iter().filter(|(_, is)| *is).map(|(name, _)| Error::parameter(*name, "is empty")));
        let zero = [("users", self.users), ("draws", self.draws)];
        let targets = self.targets.iter().map(|&(_, count)| ("targets", count));
        let zero = zero.into_iter().chain(targets).filter(|&(_, count)| count == 0);
        errors.extend(zero.map(|(name, _)| Error::parameter(name, "is 0, but must be at least 1")));
        for (name, share) in self.sizes.iter().map(|&size| ("sizes", size)).chain([("filler", self.filler)]) {
            if !(share > 0.0 && share <= 1.0) {
                errors.push(Error::parameter(name, format!("is {share}, but must be a share above 0 and not above 1")));
            }
        }
        if errors.is_empty() { Ok(()) } else { Err(Error::parameters(errors)) }
    }

    fn params(&self, attack: Attack, size: f64) -> Params {
        Params {
            direction: self.direction,
            size,
            filler: self.filler,
            count_at_least: self.count_at_least,
            whole: self.whole,
            ..Params::usual(attack)
        }
    }

    /// The stream of the profiles of an attack.
    fn stream(&self, draw: usize, item: u32, attack: Attack, size: f64) -> u64 {
        let number = Attack::ALL.iter().position(|&other| other == attack).unwrap_or(0) as u64;
        let size = (size * 10_000.0).round() as u64;
        // 14 bits, 3 bits and 32 bits, each in a place of its own; the first streams are for targets and persons.
        (draw as u64) << 50 | u64::from(item) << 17 | number << 14 | size.max(1)
    }
}

/// What one target gave: for each attack, size and recommender a pair of predictions for each person.
type OfTarget = Vec<Vec<(Option<f64>, Option<f64>)>>;

/// Tries everything. Genres are those of each item; without them a segment cannot be found.
pub fn experiment(
    ratings: &Ratings,
    genres: Option<&[Vec<u32>]>,
    plan: &Plan,
    progress: &dyn Progress,
) -> Result<Experiment> {
    plan.check()?;
    if plan.attacks.contains(&Attack::Segment) && genres.is_none() {
        return Err(Error::parameter("attacks", "has segment, and there are no genres to find one by")
            .with_hint("give a file about the items, `--items FILE`, or name other attacks"));
    }
    let targets: usize = plan.targets.iter().map(|target| target.1).sum();
    progress.stage("attacking targets", (targets * plan.draws) as u64);
    let mut found = Experiment { shifts: Vec::new(), targets: Vec::new(), left_out: Vec::new() };
    for draw in 1..=plan.draws {
        let mut rng = Rng::seeded_stream(plan.seed, (draw as u64) << 50);
        let mut items = Vec::new();
        for &(class, count) in &plan.targets {
            items.push((class, draw_targets(ratings, class, count, plan.target_ratings, &mut rng)?));
        }
        let all: Vec<u32> = items.iter().flat_map(|(_, items)| items.iter().copied()).collect();
        let persons = draw_users(ratings, &all, plan.users, &mut rng)?;
        let mut watched: Vec<Vec<Poisoned<'_>>> = Vec::new();
        for &params in &plan.recommenders {
            watched.push(Poisoned::of(ratings, &persons, &all, params)?);
        }
        let of_targets: Vec<(OfTarget, Vec<LeftOut>)> = all
            .par_iter()
            .enumerate()
            .map(|(at, &item)| {
                progress.go_on()?;
                let by_recommender: Vec<&Poisoned<'_>> = watched.iter().map(|watched| &watched[at]).collect();
                let of_target = attack_target(ratings, genres, plan, draw, item, &by_recommender);
                progress.advance(1);
                of_target
            })
            .collect::<Result<_>>()?;
        let mut first = 0;
        for (class, items) in items {
            let of_class = &of_targets[first..first + items.len()];
            first += items.len();
            let mut point = 0;
            for &attack in &plan.attacks {
                for &size in &plan.sizes {
                    for recommender in 0..plan.recommenders.len() {
                        let both: Vec<_> = of_class.iter().flat_map(|target| target.0[point].iter().copied()).collect();
                        point += 1;
                        let sum = summed(&both, persons.len(), ratings.scale());
                        found.shifts.push(Shifted {
                            recommender,
                            class,
                            attack,
                            size,
                            draw,
                            shift: sum.shift,
                            hit_shift: sum.hit_shift,
                            pairs: sum.pairs,
                            undefined: sum.undefined,
                        });
                    }
                }
            }
            found.left_out.extend(of_class.iter().flat_map(|target| target.1.iter().cloned()));
            found.targets.push(TargetsDrawn { draw, class, items, users: persons.len() });
        }
    }
    let place = |shifted: &Shifted| {
        let class = plan.targets.iter().position(|target| target.0 == shifted.class);
        let attack = plan.attacks.iter().position(|&attack| attack == shifted.attack);
        let size = plan.sizes.iter().position(|&size| size == shifted.size);
        (shifted.recommender, class, attack, size, shifted.draw)
    };
    found.shifts.sort_by_key(place);
    Ok(found)
}

/// Attacks one target in every way.
fn attack_target(
    ratings: &Ratings,
    genres: Option<&[Vec<u32>]>,
    plan: &Plan,
    draw: usize,
    item: u32,
    by_recommender: &[&Poisoned<'_>],
) -> Result<(OfTarget, Vec<LeftOut>)> {
    let (mut points, mut left_out) = (Vec::new(), Vec::new());
    let before: Vec<Vec<Option<f64>>> =
        by_recommender.iter().map(|watched| watched.predict(&[])).collect::<Result<_>>()?;
    let genres = genres.map(|genres| (genres, genres[item as usize].as_slice()));
    for &attack in &plan.attacks {
        for (at, &size) in plan.sizes.iter().enumerate() {
            let injection = match prepare(ratings, Some(item), genres, &plan.params(attack, size)) {
                Ok(injection) => injection,
                // A target without a segment: its pairs are not defined, and nothing else stops.
                Err(error) if attack == Attack::Segment => {
                    if at == 0 {
                        left_out.push(LeftOut { draw, item, attack, reason: error.describe(false) });
                    }
                    points.extend(before.iter().map(|before| before.iter().map(|&was| (was, None)).collect()));
                    continue;
                }
                Err(error) => return Err(error),
            };
            let mut rng = Rng::seeded_stream(plan.seed, plan.stream(draw, item, attack, size));
            let mut profiles = injection.draw(&mut rng);
            profiles.iter_mut().for_each(|profile| profile.push((item, injection.target_value)));
            for (watched, before) in by_recommender.iter().zip(&before) {
                let after = watched.predict(&profiles)?;
                points.push(before.iter().copied().zip(after).collect());
            }
        }
    }
    Ok((points, left_out))
}
