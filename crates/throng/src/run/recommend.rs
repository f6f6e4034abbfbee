//! `throng recommend`: what a person would give an item, how right such predictions are, who and what is similar.

use std::path::PathBuf;
use std::time::Instant;

use serde::Serialize;
use throng_core::data::ratings::{Ratings, Scale};
use throng_core::progress::Progress;
use throng_core::recommenders::{Accuracy, FellBack, Name, Pair, Params, Predictor, Recommender, folds};
use throng_core::{Error, Result, Rng};

use crate::io::ratings::{Items, ReadRatings, read_items, read_pairs, read_ratings};
use crate::io::{ReadOptions, resolve};

/// A file of ratings, and how to read it.
#[derive(Debug, Clone, Default)]
pub struct RatingsFile {
    /// The file.
    pub file: PathBuf,
    /// A file about its items.
    pub items: Option<PathBuf>,
    /// The lowest and the highest rating, as `1..5`.
    pub scale: Option<String>,
    /// How to read it.
    pub options: ReadOptions,
}

impl RatingsFile {
    /// Reads it.
    pub(super) fn read(&self, progress: &dyn Progress) -> Result<ReadRatings> {
        let scale = self.scale.as_deref().map(Scale::parse_bounds).transpose()?;
        read_ratings(&resolve(&self.file)?, &self.options, scale, progress)
    }

    /// What is known of its items.
    pub(super) fn read_items(&self, ratings: &Ratings) -> Result<Option<Items>> {
        let Some(file) = &self.items else { return Ok(None) };
        let location = resolve(file)?;
        let items = read_items(&location)?;
        items.refuse_others(ratings, &location)?;
        Ok(Some(items))
    }
}

/// What should be said of ratings as they were read.
pub(super) fn notes(read: &ReadRatings) -> Vec<String> {
    let mut notes = Vec::new();
    if read.refused > 0 {
        notes.push(format!("{} left out", crate::words::counted(read.refused, "line was", "lines were")));
    }
    let scale = read.ratings.scale();
    if scale.low == scale.high {
        notes.push("all ratings are equal: no similarity is defined, and predictions are means".to_owned());
    }
    notes
}

/// The number of a person by their id.
pub(super) fn person_named(ratings: &Ratings, id: &str) -> Result<u32> {
    let number = ratings.person_ids().iter().position(|other| other == id);
    number.map(|number| number as u32).ok_or_else(|| {
        Error::data("the person is not in the ratings")
            .with_value(id)
            .with_hint("`--user` takes an id as the file has it")
    })
}

/// The number of an item by its id.
pub(super) fn item_named(ratings: &Ratings, id: &str) -> Result<u32> {
    let number = ratings.item_ids().iter().position(|other| other == id);
    number.map(|number| number as u32).ok_or_else(|| {
        Error::data(format!("the item `{id}` is not in the ratings"))
            .with_hint("an item is named by its id, as the file has it")
    })
}

/// What to predict.
#[derive(Debug, Clone)]
pub struct PredictRequest {
    /// The ratings.
    pub ratings: RatingsFile,
    /// A ratings file, or a list of persons and items.
    pub pairs: PathBuf,
    /// By what.
    pub recommender: Params,
    /// Whether ids are shown.
    pub show_values: bool,
}

/// Predictions, in the order of the pairs.
#[derive(Debug, Serialize)]
pub struct Predicted {
    /// By what.
    pub recommender: Params,
    /// One for each line.
    pub predictions: Vec<PredictedLine>,
    /// How many there are.
    pub pairs: usize,
    /// How many of them are means that stand in.
    pub fallbacks: usize,
    /// How many could not be made.
    pub undefined: usize,
    /// The mean absolute error, where the pairs have ratings.
    pub mae: Option<f64>,
    /// The root of the mean squared error, where the pairs have ratings.
    pub rmse: Option<f64>,
    /// What should be said.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// The prediction for a line.
#[derive(Debug, Serialize)]
pub struct PredictedLine {
    /// The line, from 1.
    pub line: u64,
    /// Who; only if ids are shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// What; only if ids are shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item: Option<String>,
    /// What the person would give it.
    pub prediction: Option<f64>,
    /// How many neighbours were used.
    pub neighbours: usize,
    /// Which mean stands in.
    pub fallback: Option<FellBack>,
}

/// Predicts pairs from ratings.
pub fn predict(request: &PredictRequest, progress: &dyn Progress) -> Result<Predicted> {
    let recommender = Recommender::new(request.recommender)?;
    let read = request.ratings.read(progress)?;
    let pairs =
        read_pairs(&resolve(&request.pairs)?, &pair_options(&request.ratings.options), &read.ratings, progress)?;
    let numbers: Vec<Pair> = pairs.iter().map(|pair| (pair.person, pair.item)).collect();
    let predictions = recommender.predict(&read.ratings, &numbers, progress)?;
    let mut accuracy = Accuracy::default();
    for (pair, prediction) in pairs.iter().zip(&predictions) {
        accuracy.add(prediction, pair.rating);
    }
    let mut notes = notes(&read);
    let unknown = numbers.iter().filter(|(person, item)| person.is_none() || item.is_none()).count();
    if unknown > 0 {
        notes.push(format!(
            "{} a person or an item that the ratings do not have",
            crate::words::counted(unknown as u64, "pair names", "pairs name")
        ));
    }
    let line = |(pair, prediction): (crate::io::ratings::ReadPair, throng_core::recommenders::Prediction)| {
        let [user, item] = pair.ids.map(|id| request.show_values.then_some(id));
        PredictedLine {
            line: pair.line,
            user,
            item,
            prediction: prediction.value,
            neighbours: prediction.neighbours,
            fallback: prediction.fallback,
        }
    };
    Ok(Predicted {
        recommender: request.recommender,
        pairs: pairs.len(),
        fallbacks: accuracy.fallbacks,
        undefined: accuracy.undefined,
        mae: accuracy.mae(),
        rmse: accuracy.rmse(),
        predictions: pairs.into_iter().zip(predictions).map(line).collect(),
        notes,
    })
}

/// Another file has a form of its own: what was said of the first is not said of it, but what becomes of bad lines is.
fn pair_options(options: &ReadOptions) -> ReadOptions {
    ReadOptions { bad_lines: options.bad_lines, ..ReadOptions::default() }
}

/// What to evaluate on.
#[derive(Debug, Clone)]
pub struct EvaluateRequest {
    /// The ratings.
    pub ratings: RatingsFile,
    /// Into how many parts they are cut, each of which is predicted from the others.
    pub folds: usize,
    /// Ratings to predict instead.
    pub test: Option<PathBuf>,
    /// Parameters of all recommenders.
    pub recommender: Params,
    /// The seed of the parts.
    pub seed: u64,
}

/// Recommenders side by side.
#[derive(Debug, Serialize)]
pub struct Evaluated {
    /// One after the other.
    pub recommenders: Vec<EvaluatedRecommender>,
    /// How many ratings each predicted.
    pub predicted: usize,
    /// The most memory that the program had so far, in MB, where that is known.
    pub peak_memory_mb: Option<u64>,
    /// What should be said.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// How right a recommender was.
#[derive(Debug, Serialize)]
pub struct EvaluatedRecommender {
    /// Its name.
    pub name: &'static str,
    /// The mean absolute error.
    pub mae: Option<f64>,
    /// The root of the mean squared error.
    pub rmse: Option<f64>,
    /// How many predictions were means that stand in.
    pub fallbacks: usize,
    /// How long it took.
    pub seconds: f64,
}

/// Predicts ratings that are known by every recommender, and by the mean of the item as a yardstick.
pub fn evaluate(request: &EvaluateRequest, progress: &dyn Progress) -> Result<Evaluated> {
    let mut predictors = Vec::new();
    for name in Name::ALL {
        predictors.push(Predictor::Recommender(Recommender::new(Params { name, ..request.recommender })?));
    }
    predictors.push(Predictor::ItemMean);
    let begun = Instant::now();
    let read = request.ratings.read(progress)?;
    let mut sums = vec![(Accuracy::default(), 0.0); predictors.len()];
    let mut run = |training: &Ratings, test: &[(Pair, f64)]| -> Result<()> {
        let pairs: Vec<Pair> = test.iter().map(|(pair, _)| *pair).collect();
        for (predictor, (accuracy, seconds)) in predictors.iter().zip(&mut sums) {
            let begun = Instant::now();
            let predictions = predictor.predict(training, &pairs, progress)?;
            *seconds += begun.elapsed().as_secs_f64();
            predictions.iter().zip(test).for_each(|(found, (_, rating))| accuracy.add(found, Some(*rating)));
        }
        Ok(())
    };
    match &request.test {
        Some(file) => {
            let pairs = read_pairs(&resolve(file)?, &pair_options(&request.ratings.options), &read.ratings, progress)?;
            let rated = pairs.iter().filter_map(|pair| Some(((pair.person, pair.item), pair.rating?)));
            let test: Vec<(Pair, f64)> = rated.collect();
            if test.is_empty() {
                return Err(
                    Error::data("there is no rating in the file to predict").in_file(file.display().to_string())
                );
            }
            run(&read.ratings, &test)?;
        }
        None => {
            for fold in folds(&read.ratings, request.folds, &mut Rng::seeded(request.seed))? {
                run(&fold.training, &fold.test)?;
            }
        }
    }
    let found = predictors.iter().zip(&sums).map(|(predictor, (accuracy, seconds))| EvaluatedRecommender {
        name: predictor.name(),
        mae: accuracy.mae(),
        rmse: accuracy.rmse(),
        fallbacks: accuracy.fallbacks,
        seconds: *seconds,
    });
    Ok(Evaluated {
        recommenders: found.collect(),
        predicted: sums[0].0.compared,
        peak_memory_mb: crate::report::RunFacts::since(begun).peak_memory_mb,
        notes: notes(&read),
    })
}

/// Whom or what others are compared with.
#[derive(Debug, Clone)]
pub struct SimilarRequest {
    /// The ratings.
    pub ratings: RatingsFile,
    /// A person, or an item.
    pub user: Option<String>,
    /// An item.
    pub item: Option<String>,
    /// By what: of items, adjusted cosine unless cosine is asked for.
    pub recommender: Params,
}

/// Who or what is similar, most similar first.
#[derive(Debug, Serialize)]
pub struct SimilarFound {
    /// One after the other.
    pub similar: Vec<SimilarOne>,
    /// What should be said.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// Somebody or something similar. Ids are shown, because one was asked for by name.
#[derive(Debug, Serialize)]
pub struct SimilarOne {
    /// Who.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// What.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item: Option<String>,
    /// How similar.
    pub similarity: f64,
    /// By how many ratings.
    pub common: u32,
}

/// Finds everybody who is similar to a person, or everything that is to an item.
pub fn similar(request: &SimilarRequest, progress: &dyn Progress) -> Result<SimilarFound> {
    let recommender = Recommender::new(request.recommender)?;
    let read = request.ratings.read(progress)?;
    let ratings = &read.ratings;
    let (number, of_persons) = match (&request.user, &request.item) {
        (Some(user), None) => (person_named(ratings, user)?, true),
        (None, Some(item)) => (item_named(ratings, item)?, false),
        _ => return Err(Error::parameter("user", "or `--item` must be given, and not both")),
    };
    if of_persons != (request.recommender.name == Name::UserPearson) || request.recommender.name == Name::Bias {
        return Err(Error::parameter(
            "recommender",
            format!(
                "is {}, which does not compare {}",
                request.recommender.name.name(),
                if of_persons { "persons" } else { "items" }
            ),
        ));
    }
    let found = recommender.similar(ratings, number).into_iter().map(|similar| {
        let ids = if of_persons { ratings.person_ids() } else { ratings.item_ids() };
        let id = ids.get(similar.number).to_owned();
        let (user, item) = if of_persons { (Some(id), None) } else { (None, Some(id)) };
        SimilarOne { user, item, similarity: similar.similarity, common: similar.common }
    });
    let mut notes = notes(&read);
    let similar: Vec<SimilarOne> = found.collect();
    if similar.is_empty() && notes.is_empty() {
        notes.push("no similarity is defined: nothing is rated in common, or all that is has one rating".to_owned());
    }
    Ok(SimilarFound { similar, notes })
}

/// Whose best items to find.
#[derive(Debug, Clone)]
pub struct TopRequest {
    /// The ratings.
    pub ratings: RatingsFile,
    /// The person.
    pub user: String,
    /// How many items.
    pub number: usize,
    /// By what.
    pub recommender: Params,
}

/// The items that a person has not rated and would like best.
#[derive(Debug, Serialize)]
pub struct TopFound {
    /// By what.
    pub recommender: Params,
    /// The best first.
    pub items: Vec<TopItem>,
    /// What should be said.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// An item that a person would like.
#[derive(Debug, Serialize)]
pub struct TopItem {
    /// Its id.
    pub item: String,
    /// Its title, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What they would give it.
    pub prediction: f64,
    /// How many neighbours say so.
    pub neighbours: usize,
}

/// Finds the best items for a person.
pub fn top(request: &TopRequest, progress: &dyn Progress) -> Result<TopFound> {
    let recommender = Recommender::new(request.recommender)?;
    let read = request.ratings.read(progress)?;
    let about = request.ratings.read_items(&read.ratings)?;
    let person = person_named(&read.ratings, &request.user)?;
    let best = recommender.top(&read.ratings, person, request.number, progress)?;
    let items = best.into_iter().filter_map(|(item, prediction)| {
        let id = read.ratings.item_ids().get(item);
        let title = about.as_ref().and_then(|about| about.title(id)).map(str::to_owned);
        Some(TopItem { item: id.to_owned(), title, prediction: prediction.value?, neighbours: prediction.neighbours })
    });
    Ok(TopFound { recommender: request.recommender, items: items.collect(), notes: notes(&read) })
}
