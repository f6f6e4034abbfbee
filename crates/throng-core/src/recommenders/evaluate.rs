//! How far predictions are from ratings that they did not see: errors, and folds of the data to find them on.

use super::{Pair, Prediction, Recommender};
use crate::data::ratings::Ratings;
use crate::error::{Error, Result};
use crate::progress::Progress;
use crate::rng::Rng;

/// Errors of predictions.
#[derive(Debug, Clone, Copy, Default)]
pub struct Accuracy {
    absolute: f64,
    squared: f64,
    /// How many predictions were compared.
    pub compared: usize,
    /// How many of all were a mean that stands in.
    pub fallbacks: usize,
    /// How many could not be made.
    pub undefined: usize,
}

impl Accuracy {
    /// Takes a prediction, and the rating where it is known.
    pub fn add(&mut self, prediction: &Prediction, rating: Option<f64>) {
        self.fallbacks += usize::from(prediction.fallback.is_some());
        self.undefined += usize::from(prediction.value.is_none());
        if let (Some(value), Some(rating)) = (prediction.value, rating) {
            self.absolute += (value - rating).abs();
            self.squared += (value - rating) * (value - rating);
            self.compared += 1;
        }
    }

    /// The mean absolute error, where there was anything to compare.
    pub fn mae(&self) -> Option<f64> {
        (self.compared > 0).then(|| self.absolute / self.compared as f64)
    }

    /// The root of the mean squared error, where there was anything to compare.
    pub fn rmse(&self) -> Option<f64> {
        (self.compared > 0).then(|| (self.squared / self.compared as f64).sqrt())
    }
}

/// What predicts: a recommender, or the mean of the item as a yardstick.
#[derive(Debug, Clone, Copy)]
pub enum Predictor {
    /// A recommender.
    Recommender(Recommender),
    /// The mean of the item, or of all where the item is not known.
    ItemMean,
}

impl Predictor {
    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Recommender(recommender) => recommender.params().name.name(),
            Self::ItemMean => "item-mean",
        }
    }

    /// Predicts pairs, each in its place.
    pub fn predict(&self, ratings: &Ratings, pairs: &[Pair], progress: &dyn Progress) -> Result<Vec<Prediction>> {
        let recommender = match self {
            Self::Recommender(recommender) => recommender,
            Self::ItemMean => {
                let all = ratings.mean();
                let predict = |&(_, item): &Pair| {
                    let known = item.filter(|&item| ratings.count_of_item(item) > 0);
                    Prediction {
                        value: Some(known.map_or(all, |item| ratings.mean_of_item(item))),
                        neighbours: 0,
                        fallback: known.is_none().then_some(super::FellBack::GlobalMean),
                    }
                };
                return Ok(pairs.iter().map(predict).collect());
            }
        };
        recommender.predict(ratings, pairs, progress)
    }
}

/// A part of the ratings, to be predicted from the others.
#[derive(Debug)]
pub struct Fold {
    /// The others.
    pub training: Ratings,
    /// The part, with its ratings.
    pub test: Vec<(Pair, f64)>,
}

/// Cuts ratings into so many parts at random, of sizes that differ by one at most.
pub fn folds(ratings: &Ratings, count: usize, rng: &mut Rng) -> Result<impl Iterator<Item = Fold>> {
    if count < 2 || count > ratings.len() {
        return Err(Error::parameter("folds", format!("is {count}, but must be from 2 to the number of ratings")));
    }
    let mut order: Vec<u32> = (0..ratings.len() as u32).collect();
    rng.shuffle(&mut order);
    let mut fold_of = vec![0; ratings.len()];
    for (at, rating) in order.into_iter().enumerate() {
        fold_of[rating as usize] = at % count;
    }
    Ok((0..count).map(move |fold| {
        let (training, left_out) = ratings.without(|rating| fold_of[rating] == fold);
        let pair = |(person, item, value)| ((Some(person), Some(item)), value);
        Fold { training, test: left_out.into_iter().map(pair).collect() }
    }))
}
