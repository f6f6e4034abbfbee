//! Recommenders: what a person would give an item, predicted from the ratings of all.
//!
//! Paper      Ray, Mahanti. Strategies for Effective Shilling Attacks against Recommender Systems. PinKDD 2008 (equations 1 to 4).
//! Readings   similarity over co-rated items (R1); candidates are the raters of the item (R4); undefined similarities are dropped
//!            (R5); amplification weighs, and never changes an order (R6); fallbacks (R16).
//! Does not   learn factors, or know anything of items but their ratings.
//!
//! # Idea
//! `user-pearson` takes the persons most similar to the person who rated the item; `item-adjusted-cosine` and `item-cosine` take the
//! items most similar to the item that the person rated; `bias` takes none, and is the yardstick that those must beat.
//!
//! # Formula
//! w = s |s|^(a - 1) for a similarity s > 0 and the amplification a.
//! Persons: m(u) + Σ w (r(v,i) - m(v)) / Σ w. Items: Σ w r(u,j) / Σ w. Bias: g + b(i) + b(u).
//!
//! # Cost
//! For one person, the raters of their items; for one item, the ratings of its raters. Memory for one row of similarities a
//! thread, never for all of them. Results are the same for any number of threads, and do not depend on what else is predicted.

mod bias;
mod evaluate;
mod neighbours;
mod poisoned;
mod similarity;
mod third_party;

use rayon::prelude::*;
use serde::Serialize;

use crate::data::ratings::Ratings;
use crate::error::{Error, Result};
use crate::progress::Progress;

pub use bias::Bias;
pub use evaluate::{Accuracy, Fold, Predictor, folds};
pub use poisoned::Poisoned;
pub use similarity::Similar;
pub use third_party::{Common, Profile, ThirdParty};

use neighbours::Neighbours;
use similarity::Row;

/// Which recommender.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Name {
    /// Persons who rated the same items alike.
    UserPearson,
    /// Items whose raters deviate alike from their own means.
    ItemAdjustedCosine,
    /// Items whose raters rate them alike.
    ItemCosine,
    /// What the item and the person have more or less than the mean.
    Bias,
}

impl Name {
    /// Every one.
    pub const ALL: [Self; 4] = [Self::UserPearson, Self::ItemAdjustedCosine, Self::ItemCosine, Self::Bias];

    /// As it is typed.
    pub fn name(self) -> &'static str {
        match self {
            Self::UserPearson => "user-pearson",
            Self::ItemAdjustedCosine => "item-adjusted-cosine",
            Self::ItemCosine => "item-cosine",
            Self::Bias => "bias",
        }
    }

    /// The one with a name.
    pub fn parse(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|recommender| recommender.name() == name);
        found.ok_or_else(|| Error::unknown("recommender", name, Self::ALL.map(Self::name)))
    }
}

/// Who may be a neighbour in `user-pearson`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Candidates {
    /// The most similar among those who rated the item.
    Raters,
    /// The most similar of all, of whom those count who rated the item.
    Nearest,
}

/// Which means Pearson's similarity takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Means {
    /// Over the items that both rated.
    CoRated,
    /// Over all ratings of each person.
    All,
}

/// What a prediction is where there is no neighbour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fallback {
    /// The mean of the person or of all ratings.
    Mean,
    /// Nothing.
    None,
}

/// The mean that stands in for a prediction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FellBack {
    /// Of the person's ratings.
    UserMean,
    /// Of all ratings.
    GlobalMean,
}

/// What a recommender is told.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Params {
    /// Which one.
    pub name: Name,
    /// How many neighbours there are at most.
    pub neighbours: usize,
    /// The power that similarities are raised to as weights.
    pub amplification: f64,
    /// The number of common ratings below which a similarity counts for less; 0 for none.
    pub significance: u32,
    /// Who may be a neighbour.
    pub candidates: Candidates,
    /// Which means Pearson's similarity takes.
    pub means: Means,
    /// What a prediction is where there is no neighbour.
    pub fallback: Fallback,
    /// Whether predictions end where the scale does.
    pub clip: bool,
}

impl Params {
    /// The usual ones.
    pub fn usual(name: Name) -> Self {
        Self {
            name,
            neighbours: 20,
            amplification: 1.0,
            significance: 0,
            candidates: Candidates::Raters,
            means: Means::CoRated,
            fallback: Fallback::Mean,
            clip: false,
        }
    }
}

/// A prediction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prediction {
    /// What the person would give the item, if that can be said.
    pub value: Option<f64>,
    /// How many neighbours were used.
    pub neighbours: usize,
    /// Which mean stands in for it.
    pub fallback: Option<FellBack>,
}

/// A recommender whose parameters were checked.
#[derive(Debug, Clone, Copy)]
pub struct Recommender {
    params: Params,
}

/// A person and an item by their numbers; nothing for one who is not in the ratings.
pub type Pair = (Option<u32>, Option<u32>);

impl Recommender {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        let mut errors = Vec::new();
        if params.neighbours == 0 {
            errors.push(Error::parameter("neighbours", "is 0, but must be at least 1"));
        }
        if !(params.amplification.is_finite() && params.amplification > 0.0) {
            errors.push(Error::parameter(
                "amplification",
                format!("is {}, but must be a number above 0", params.amplification),
            ));
        }
        if errors.is_empty() { Ok(Self { params }) } else { Err(Error::parameters(errors)) }
    }

    /// What it was told.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// Predicts pairs, each in its place. A rating of the very pair that is predicted is not looked at for it, except in means.
    pub fn predict(&self, ratings: &Ratings, pairs: &[Pair], progress: &dyn Progress) -> Result<Vec<Prediction>> {
        progress.stage("predicting", pairs.len() as u64);
        let fitted = Fitted::new(ratings);
        // Those who share a row of similarities stand together.
        let by_person = matches!(self.params.name, Name::UserPearson | Name::Bias);
        let mut known: Vec<(u32, u32, usize)> = Vec::new();
        let mut predictions = vec![self.standing_in(ratings, FellBack::GlobalMean, fitted.mean); pairs.len()];
        for (place, &pair) in pairs.iter().enumerate() {
            if let (Some(person), Some(item)) = pair
                && ratings.count_of_person(person) > 0
                && ratings.count_of_item(item) > 0
            {
                known.push(if by_person { (person, item, place) } else { (item, person, place) });
            }
        }
        known.sort_unstable();
        let bias = (self.params.name == Name::Bias).then(|| Bias::fit(ratings));
        let groups: Vec<&[(u32, u32, usize)]> = known.chunk_by(|left, right| left.0 == right.0).collect();
        let found: Vec<Vec<(usize, Prediction)>> = groups
            .par_iter()
            .map_init(
                || Row::new(if by_person { ratings.persons() } else { ratings.items() }),
                |row, group| {
                    if progress.is_stopped() {
                        return Vec::new();
                    }
                    let found = self.predict_group(&fitted, bias.as_ref(), row, group);
                    progress.advance(group.len() as u64);
                    found
                },
            )
            .collect();
        progress.go_on()?;
        for (place, prediction) in found.into_iter().flatten() {
            predictions[place] = prediction;
        }
        Ok(predictions)
    }

    fn predict_group(
        &self,
        fitted: &Fitted<'_>,
        bias: Option<&Bias>,
        row: &mut Row,
        group: &[(u32, u32, usize)],
    ) -> Vec<(usize, Prediction)> {
        let ratings = fitted.ratings;
        let common = group[0].0;
        if let Some(bias) = bias {
            let predict = |&(person, item, place): &(u32, u32, usize)| {
                (place, self.found(ratings, bias.predict(person, item), 0))
            };
            return group.iter().map(predict).collect();
        }
        let is_user_based = self.params.name == Name::UserPearson;
        self.fill(fitted, row, common);
        // For `nearest`: who of all is near enough.
        let nearest = (is_user_based && self.params.candidates == Candidates::Nearest).then(|| {
            let mut near = Neighbours::new(self.params.neighbours);
            for person in row.touched().filter(|&person| person != common) {
                near.offer(row.similarity(person, &self.params), person as usize, person);
            }
            let mut persons: Vec<u32> = near.best().into_iter().map(|(_, person)| person).collect();
            persons.sort_unstable();
            persons
        });
        let predict = |&(_, other, place): &(u32, u32, usize)| {
            let mut near = Neighbours::new(self.params.neighbours);
            // What a neighbour says, and what it is measured from.
            let said: Vec<(u32, f64)> =
                if is_user_based { ratings.of_item(other).collect() } else { ratings.of_person(other).collect() };
            for (order, &(neighbour, _)) in said.iter().enumerate() {
                let is_candidate = neighbour != common
                    && nearest.as_ref().is_none_or(|nearest| nearest.binary_search(&neighbour).is_ok());
                if is_candidate {
                    near.offer(row.similarity(neighbour, &self.params), order, order);
                }
            }
            let (mut above, mut weights, mut used) = (0.0, 0.0, 0);
            for (similarity, order) in near.best() {
                let (neighbour, value) = said[order];
                let weight = amplified(similarity, self.params.amplification);
                let centre = if is_user_based { fitted.means[neighbour as usize] } else { 0.0 };
                above += weight * (value - centre);
                weights += weight;
                used += 1;
            }
            let prediction = match (weights > 0.0, is_user_based) {
                (true, true) => self.found(ratings, fitted.means[common as usize] + above / weights, used),
                (true, false) => self.found(ratings, above / weights, used),
                (false, true) => self.standing_in(ratings, FellBack::UserMean, fitted.means[common as usize]),
                (false, false) => self.standing_in(ratings, FellBack::GlobalMean, fitted.mean),
            };
            (place, prediction)
        };
        group.iter().map(predict).collect()
    }

    fn fill(&self, fitted: &Fitted<'_>, row: &mut Row, number: u32) {
        match self.params.name {
            Name::UserPearson => row.fill_persons(
                fitted.ratings,
                number,
                (self.params.means == Means::All).then_some(fitted.means.as_slice()),
            ),
            Name::ItemAdjustedCosine => row.fill_items(fitted.ratings, number, Some(&fitted.means)),
            Name::ItemCosine | Name::Bias => row.fill_items(fitted.ratings, number, None),
        }
    }

    fn found(&self, ratings: &Ratings, value: f64, neighbours: usize) -> Prediction {
        Prediction { value: Some(self.clipped(ratings, value)), neighbours, fallback: None }
    }

    fn standing_in(&self, ratings: &Ratings, which: FellBack, mean: f64) -> Prediction {
        match self.params.fallback {
            Fallback::Mean => {
                Prediction { value: Some(self.clipped(ratings, mean)), neighbours: 0, fallback: Some(which) }
            }
            Fallback::None => Prediction { value: None, neighbours: 0, fallback: None },
        }
    }

    fn clipped(&self, ratings: &Ratings, value: f64) -> f64 {
        if self.params.clip { ratings.scale().clamp(value) } else { value }
    }

    /// Everybody whose similarity to a person is defined, or everything that is to an item: the most similar first, and of equal ones
    /// the one that appears first.
    pub fn similar(&self, ratings: &Ratings, number: u32) -> Vec<Similar> {
        let by_person = self.params.name == Name::UserPearson;
        let mut row = Row::new(if by_person { ratings.persons() } else { ratings.items() });
        self.fill(&Fitted::new(ratings), &mut row, number);
        let mut similar: Vec<Similar> = row
            .touched()
            .filter(|&other| other != number)
            .filter_map(|other| {
                let similarity = row.similarity(other, &self.params)?;
                Some(Similar { number: other, similarity, common: row.common(other) })
            })
            .collect();
        similar
            .sort_by(|left, right| right.similarity.total_cmp(&left.similarity).then(left.number.cmp(&right.number)));
        similar
    }

    /// The items that a person has not rated and would like best, by falling prediction; of equal ones the one that appears first.
    /// Means that stand in for a prediction are none.
    pub fn top(
        &self,
        ratings: &Ratings,
        person: u32,
        number: usize,
        progress: &dyn Progress,
    ) -> Result<Vec<(u32, Prediction)>> {
        let mut is_rated = vec![false; ratings.items()];
        ratings.of_person(person).for_each(|(item, _)| is_rated[item as usize] = true);
        let items: Vec<u32> = (0..ratings.items() as u32).filter(|&item| !is_rated[item as usize]).collect();
        let pairs: Vec<Pair> = items.iter().map(|&item| (Some(person), Some(item))).collect();
        let predictions = self.predict(ratings, &pairs, progress)?;
        let mut best: Vec<(u32, Prediction)> = items
            .into_iter()
            .zip(predictions)
            .filter(|(_, prediction)| prediction.value.is_some() && prediction.fallback.is_none())
            .collect();
        let value = |prediction: &Prediction| prediction.value.unwrap_or(f64::NEG_INFINITY);
        best.sort_by(|left, right| value(&right.1).total_cmp(&value(&left.1)).then(left.0.cmp(&right.0)));
        best.truncate(number);
        Ok(best)
    }
}

/// Ratings with the means that predictions need.
struct Fitted<'a> {
    ratings: &'a Ratings,
    mean: f64,
    /// Of each person.
    means: Vec<f64>,
}

impl<'a> Fitted<'a> {
    fn new(ratings: &'a Ratings) -> Self {
        let means = (0..ratings.persons() as u32).map(|person| ratings.mean_of_person(person)).collect();
        Self { ratings, mean: ratings.mean(), means }
    }
}

/// s |s|^(a - 1) of a positive similarity. Whole powers are products, the same on every machine.
fn amplified(similarity: f64, amplification: f64) -> f64 {
    const MOST: f64 = 64.0;
    if amplification.fract() != 0.0 || amplification > MOST {
        return similarity * similarity.powf(amplification - 1.0);
    }
    (1..amplification as u32).fold(similarity, |power, _| power * similarity)
}

#[cfg(test)]
mod tests;
