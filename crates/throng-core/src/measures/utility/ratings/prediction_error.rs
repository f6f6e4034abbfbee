//! Prediction error: how well a third party who has the release predicts what people would give an item.
//!
//! Paper      Ours.
//!
//! # Idea
//! A rating of a person is left out, and predicted from the release and the person's other ratings, by `user-pearson` with 20 neighbours and
//! significance 25 ([`crate::recommenders::ThirdParty`]). The person's own group is left out of the release: what they said themselves is no
//! prediction. Each different record counts once, as a third party who sees k rows that are the same would have it.
//!
//! # Formula
//! The root of the mean squared error over up to 20,000 ratings, drawn by a fixed seed. Without a neighbour the mean of the person's other ratings
//! stands in; `undefined` is the share of those. Parts: `original`, the same from the original without the person; `increase`, value / original - 1;
//! and as yardsticks, from the original without the rating: `bias`, the bias model; `item_mean`.
//! Of ratings that were held out, those are predicted, and from the others.
//!
//! # Cost
//! For each person with such a rating the raters of their items.

use rayon::prelude::*;
use serde_json::{Value, json};

use super::super::super::{Context, Headline, Lost, MOST_COMPARED, Measure, MeasureInfo, Measured, Pair};
use super::{left_out, third_parties};
use crate::data::Ratings;
use crate::error::Result;
use crate::info::Info;
use crate::recommenders::{Bias, Profile};
use crate::rng::Rng;

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "prediction-error",
        summary: "by how much a third party who has the release is wrong about what people would give an item",
        paper: "Ours",
        details: "Up to 20,000 ratings of the persons are drawn by a fixed seed. Each is left out and predicted by `user-pearson` (20 neighbours, \
            significance 25) from the different records of the release without that of the person's own group, and from the person's other ratings; where nobody is a neighbour, the \
            mean of those stands in. The headline is the root of the mean squared error, in stars. Parts: `original`, the same from the original \
            without the person; `increase`, by what share the release is worse; `bias` and `item_mean`, yardsticks from the original: the bias \
            model and the mean of the item; `undefined`, the share of predictions without a neighbour.\n\
            Without a link between persons the own group cannot be left out, and `note` says so. With `compare --held-out` the ratings are those \
            that the method has not seen.",
        parameters: &[],
    },
    unit: "stars",
    better: "lower",
    says: "Whoever predicts what people would like from the release is off by {}.",
    undefined: "nobody rated two items",
    judges_held_out: true,
    headline: Some(Headline::Loss(Lost::Part("increase"))),
    ..MeasureInfo::DEFAULT
};

/// How many ratings are predicted, at most.
const MOST: usize = 20_000;
/// The seed by which they are drawn.
const SEED: u64 = 24;

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct PredictionError;

/// Sums of squared errors.
#[derive(Debug, Clone, Copy, Default)]
struct Errors {
    release: f64,
    original: f64,
    bias: f64,
    item_mean: f64,
    count: u64,
    undefined: u64,
}

impl Errors {
    fn and(self, other: Self) -> Self {
        Self {
            release: self.release + other.release,
            original: self.original + other.original,
            bias: self.bias + other.bias,
            item_mean: self.item_mean + other.item_mean,
            count: self.count + other.count,
            undefined: self.undefined + other.undefined,
        }
    }

    fn root(&self, sum: f64) -> Option<f64> {
        (self.count > 0).then(|| (sum / self.count as f64).sqrt())
    }
}

impl Measure<Ratings> for PredictionError {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn most_persons(&self) -> usize {
        MOST_COMPARED
    }

    fn measure(&self, pair: &Pair<'_, Ratings>, context: &Context<'_>) -> Result<Measured> {
        let wanted = wanted(pair.original);
        let known = pair.original.without_held_out();
        let known = known.as_ref().unwrap_or(pair.original);
        let [original, release] = third_parties(pair, known);
        let yardsticks = Yardsticks::of(known);
        let of_person = |(before, after): &mut (_, _), own: &&[usize]| -> Errors {
            if context.progress.is_stopped() {
                return Errors::default();
            }
            let person = pair.original.person_at(own[0]);
            let ratings: Vec<(u32, f64)> = known.of_person(person).collect();
            let [own_before, own_after] = left_out(pair, &release, person);
            let before_profile = Profile { ratings: &ratings, own: own_before };
            let profile = Profile { ratings: &ratings, own: own_after };
            original.meet(&before_profile, before);
            release.meet(&profile, after);
            let mut errors = Errors::default();
            for &place in own.iter() {
                let rating = pair.original.at(place);
                let given = (!pair.original.is_held_out(place)).then_some(rating.value);
                let off = |predicted: f64| (predicted - rating.value) * (predicted - rating.value);
                let found = release.predict(&profile, after, rating.item, given);
                let from_original = original.predict(&before_profile, before, rating.item, given);
                let [bias, item_mean] = yardsticks.predict(known, &ratings, rating.item, given);
                errors = errors.and(Errors {
                    release: off(found.unwrap_or_else(|| release.without_neighbours(&profile, given))),
                    original: off(from_original.unwrap_or_else(|| original.without_neighbours(&before_profile, given))),
                    bias: off(bias),
                    item_mean: off(item_mean),
                    count: 1,
                    undefined: u64::from(found.is_none()),
                });
            }
            errors
        };
        let persons: Vec<&[usize]> =
            wanted.chunk_by(|&left, &right| pair.original.person_at(left) == pair.original.person_at(right)).collect();
        let found: Vec<Errors> =
            persons.par_iter().map_init(|| (original.common(), release.common()), of_person).collect();
        context.progress.go_on()?;
        let all = found.into_iter().fold(Errors::default(), Errors::and);
        let (value, before) = (all.root(all.release), all.root(all.original));
        let increase =
            value.zip(before).filter(|(_, before)| *before > 0.0).map(|(value, before)| value / before - 1.0);
        let mut parts = json!({
            "original": before,
            "increase": increase,
            "bias": all.root(all.bias),
            "item_mean": all.root(all.item_mean),
            "undefined": (all.count > 0).then(|| all.undefined as f64 / all.count as f64),
            "ratings": all.count,
        });
        if pair.link.is_none() {
            parts["note"] = Value::from(NOT_LEFT_OUT);
        }
        Ok(self.measured(value, parts))
    }
}

const NOT_LEFT_OUT: &str = "the own group of a person was not left out: nobody knows who became whom (`--key FILE`), and so it looks better than it is";

/// The places of the ratings that are predicted: those that were held out, else all of whoever has two, or as many as are drawn.
fn wanted(ratings: &Ratings) -> Vec<usize> {
    let has_others = |place: &usize| ratings.count_of_person(ratings.person_at(*place)) > 1;
    let all: Vec<usize> = (0..ratings.len())
        .filter(|place| if ratings.has_held_out() { ratings.is_held_out(*place) } else { has_others(place) })
        .collect();
    let mut chosen = Rng::seeded(SEED).sample(all.len(), MOST);
    chosen.sort_unstable();
    chosen.into_iter().map(|at| all[at as usize]).collect()
}

/// What is predicted without neighbours.
struct Yardsticks {
    bias: Bias,
    mean: f64,
}

impl Yardsticks {
    fn of(known: &Ratings) -> Self {
        Self { bias: Bias::fit(known), mean: known.mean() }
    }

    /// By the bias model and by the item's mean, both without the rating itself.
    fn predict(&self, known: &Ratings, own: &[(u32, f64)], item: u32, given: Option<f64>) -> [f64; 2] {
        let others = known.count_of_item(item) - usize::from(given.is_some());
        let sum: f64 = known.of_item(item).map(|(_, value)| value).sum::<f64>() - given.unwrap_or(0.0);
        let item_mean = if others == 0 { self.mean } else { sum / others as f64 };
        [self.bias.predict_without(known, own, item, given), item_mean]
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::measure;
    use super::*;
    use crate::data::ratings::of_rows;
    use crate::measures::testing::CONTEXT;
    use crate::recommenders::{Fallback, Name, Params, Recommender};
    use crate::synth::ratings::{Params as Made, RatingsSynth};

    /// Two who agree and one who does not: what ann would give z is her mean and what ben has above his.
    #[test]
    fn by_hand() {
        let original = [
            ("ann", "x", 5.0),
            ("ann", "y", 1.0),
            ("ann", "z", 3.0),
            ("ben", "x", 4.0),
            ("ben", "y", 2.0),
            ("ben", "z", 4.0),
        ];
        let found = measure(&PredictionError, &original, &original, true);
        assert_eq!(found.value, found.parts["original"].as_f64());
        assert_eq!(found.parts["ratings"], json!(6));
        // Of z both agree on x and y: ann's mean without z is 3, ben's is 10/3 and he gave 4; ben's without z is 3, ann's is 3 and she gave 3.
        // Of x they compare y and z, of y x and z: ann 1, 3 and 5, 3; ben 2, 4 and 4, 4 (nothing varies: no neighbour).
        let off = |predicted: f64, given: f64| (predicted - given).powi(2);
        let z = off(3.0 + 4.0 - 10.0 / 3.0, 3.0) + off(3.0 + 3.0 - 3.0, 4.0);
        let x = off(2.0 + 4.0 - 10.0 / 3.0, 5.0) + off(3.0 + 5.0 - 3.0, 4.0);
        let y = off(4.0, 1.0) + off(4.0, 2.0);
        let expected = ((x + y + z) / 6.0).sqrt();
        assert!((found.value.unwrap() - expected).abs() < 1e-12, "{:?} {expected}", found.value);
        assert!((found.parts["undefined"].as_f64().unwrap() - 2.0 / 6.0).abs() < 1e-12);
        assert_eq!(found.parts.get("note"), None);
        // Whoever does not know who is who predicts ann from herself.
        let unlinked = measure(&PredictionError, &original, &original, false);
        assert!(unlinked.value < found.value && unlinked.parts["note"].is_string());
        assert_eq!(measure(&PredictionError, &original[..1], &original[..1], true).value, None);
    }

    /// From a release of groups: as `throng recommend` predicts from the other groups' rows and the person's other ratings in one file.
    #[test]
    fn as_the_recommender_predicts_from_a_file_with_the_other_groups() {
        let made = Made { persons: 12, items: 25, mean_ratings: 20.0, half_stars: true, seed: 3 };
        let original = RatingsSynth::new(made).unwrap().ratings();
        // Three who stand next to each other have the record of the first.
        let group = |person: u32| person / 3;
        let mut rows: Vec<(String, String, f64)> = Vec::new();
        for person in 0..original.persons() as u32 {
            let of = original.of_person(group(person) * 3);
            rows.extend(
                of.map(|(item, value)| (format!("r{person}"), original.item_ids().get(item).to_owned(), value)),
            );
        }
        let borrowed = |rows: &[(String, String, f64)]| {
            of_rows(
                &rows.iter().map(|(person, item, value)| (person.as_str(), item.as_str(), *value)).collect::<Vec<_>>(),
            )
        };
        let release = borrowed(&rows);
        let link = (0..original.persons() as u32).map(Some).collect();
        let pair =
            Pair { original: &original, release: &release, multiplicity: vec![1; release.persons()], link: Some(link) };
        let found = PredictionError.measure(&pair, &CONTEXT).unwrap();
        let (mut squares, mut count) = (0.0, 0.0);
        for person in 0..original.persons() as u32 {
            for (item, value) in original.of_person(person) {
                // The first of each other group: a record counts once.
                let number = |row: &(String, String, f64)| row.0[1..].parse::<u32>().unwrap();
                let others = rows.iter().filter(|row| group(number(row)) != group(person) && number(row) % 3 == 0);
                let own = original.of_person(person).filter(|&(other, _)| other != item);
                let own = own.map(|(other, value)| ("me".to_owned(), original.item_ids().get(other).to_owned(), value));
                let file = borrowed(&others.cloned().chain(own).collect::<Vec<_>>());
                let me = file.person_ids().iter().position(|name| name == "me").map(|at| at as u32);
                let it =
                    file.item_ids().iter().position(|name| name == original.item_ids().get(item)).map(|at| at as u32);
                let params = Params { significance: 25, fallback: Fallback::None, ..Params::usual(Name::UserPearson) };
                let predicted =
                    Recommender::new(params).unwrap().predict(&file, &[(me, it)], &crate::progress::Silent).unwrap();
                let mean = file.mean_of_person(me.unwrap());
                squares += (predicted[0].value.unwrap_or(mean) - value).powi(2);
                count += 1.0;
            }
        }
        let slow: f64 = f64::sqrt(squares / count);
        assert!((found.value.unwrap() - slow).abs() < 1e-9, "{:?} {slow}", found.value);
    }

    #[test]
    fn yardsticks_without_the_rating_itself() {
        let rows =
            [("a", "x", 5.0), ("a", "y", 1.0), ("b", "x", 3.0), ("b", "z", 4.0), ("c", "x", 2.0), ("c", "y", 2.0)];
        let all = of_rows(&rows);
        let rest = of_rows(&rows[1..]);
        let own: Vec<(u32, f64)> = all.of_person(0).collect();
        let [bias, item_mean] = Yardsticks::of(&all).predict(&all, &own, 0, Some(5.0));
        assert_eq!(item_mean, 2.5);
        // The mean of all ratings and the other items are those with the rating, whose share in them is small.
        let (person, item) = (rest.person_ids().iter().position(|id| id == "a").unwrap(), 2);
        let exact = Bias::fit(&rest).predict(person as u32, item.min(rest.items() as u32 - 1));
        assert!((bias - exact).abs() < 0.6, "{bias} {exact}");
    }
}
