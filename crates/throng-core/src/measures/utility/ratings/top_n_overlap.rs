//! Top-n overlap: whether somebody would be recommended the same items from the release as from the original.
//!
//! Paper      Ours.
//!
//! # Formula
//! For 500 persons, drawn by a fixed seed: the ten items they have not rated that `user-pearson` (20 neighbours, significance 25) predicts best from
//! the original without them, and from the release without their group; equal predictions in the order of the original. The mean of the share
//! of the first ten that are among the second.
//!
//! # Cost
//! For each of these persons all ratings of both.

use rayon::prelude::*;
use serde_json::json;

use super::super::super::{Context, Headline, Lost, MOST_COMPARED, Measure, MeasureInfo, Measured, Pair, mean};
use super::{left_out, third_parties};
use crate::data::Ratings;
use crate::error::Result;
use crate::info::Info;
use crate::recommenders::{Common, Profile, ThirdParty};
use crate::rng::Rng;

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "top-n-overlap",
        summary: "how many of the ten items that somebody would be recommended are the same from the release",
        paper: "Ours",
        details: "For 500 persons, drawn by a fixed seed: the ten items that they have not rated and that `user-pearson` (20 neighbours, significance \
            25) predicts best, from the original without the person and from the release without their group. The headline is the mean share of the first \
            ten that are among the second. Part `by_chance`: the same of ten items drawn at random. Lists of so few are unstable: already a slightly \
            other set of neighbours changes most of them.",
        parameters: &[],
    },
    unit: "of 1",
    better: "higher",
    says: "Of ten items that somebody would be recommended, {%} are still among the ten.",
    undefined: "nothing can be predicted for anybody",
    headline: Some(Headline::Loss(Lost::Kept)),
    ..MeasureInfo::DEFAULT
};

/// How many persons are looked at.
const PERSONS: usize = 500;
/// How many items each is recommended.
const TOP: usize = 10;
/// The seed by which persons are drawn.
const SEED: u64 = 24;

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct TopNOverlap;

impl Measure<Ratings> for TopNOverlap {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn most_persons(&self) -> usize {
        MOST_COMPARED
    }

    fn measure(&self, pair: &Pair<'_, Ratings>, context: &Context<'_>) -> Result<Measured> {
        let ratings = pair.original;
        let [original, release] = third_parties(pair, ratings);
        let mut persons = Rng::seeded(SEED).sample(ratings.persons(), PERSONS);
        persons.sort_unstable();
        let of_person = |(before, after): &mut (Common, Common), &person: &u32| -> Option<[f64; 2]> {
            if context.progress.is_stopped() {
                return None;
            }
            let own: Vec<(u32, f64)> = ratings.of_person(person).collect();
            let [own_before, own_after] = left_out(pair, &release, person);
            let mut is_rated = vec![false; ratings.items()];
            own.iter().for_each(|&(item, _)| is_rated[item as usize] = true);
            let (first, all) = best(&original, &Profile { ratings: &own, own: own_before }, before, &is_rated);
            let (second, _) = best(&release, &Profile { ratings: &own, own: own_after }, after, &is_rated);
            let kept = first.iter().filter(|item| second.contains(item)).count();
            (!first.is_empty()).then(|| [kept as f64 / first.len() as f64, first.len().min(all) as f64 / all as f64])
        };
        let found: Vec<[f64; 2]> = persons
            .par_iter()
            .map_init(|| (original.common(), release.common()), of_person)
            .collect::<Vec<_>>()
            .into_iter()
            .flatten()
            .collect();
        context.progress.go_on()?;
        let side = |at: usize| mean(&found.iter().map(|own| own[at]).collect::<Vec<f64>>());
        Ok(self.measured(side(0), json!({"by_chance": side(1), "persons": found.len()})))
    }
}

/// The items that somebody has not rated and would like best, and among how many.
fn best(third: &ThirdParty<'_>, profile: &Profile<'_>, common: &mut Common, is_rated: &[bool]) -> (Vec<u32>, usize) {
    third.meet(profile, common);
    let unrated = (0..is_rated.len() as u32).filter(|&item| !is_rated[item as usize]);
    let mut predicted: Vec<(f64, u32)> =
        unrated.filter_map(|item| Some((third.predict(profile, common, item, None)?, item))).collect();
    let all = predicted.len();
    predicted.sort_unstable_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(&right.1)));
    predicted.truncate(TOP);
    (predicted.into_iter().map(|(_, item)| item).collect(), all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::ratings::of_rows;
    use crate::measures::testing::CONTEXT;
    use crate::progress::Silent;
    use crate::recommenders::{Name, Params, Recommender};
    use crate::synth::ratings::{Params as Made, RatingsSynth};

    fn measured(original: &Ratings, release: &Ratings) -> Measured {
        let link = Some(original.person_ids().ids_in(release.person_ids()));
        let pair = Pair { original, release, multiplicity: vec![1; release.persons()], link };
        TopNOverlap.measure(&pair, &CONTEXT).unwrap()
    }

    #[test]
    fn by_hand() {
        // Ann and ben agree on w and x. Ben rated y and z, which ann is recommended; the release has y only.
        let rows = [
            ("ann", "w", 1.0),
            ("ann", "x", 5.0),
            ("ben", "w", 2.0),
            ("ben", "x", 4.0),
            ("ben", "y", 5.0),
            ("ben", "z", 4.0),
        ];
        let found = measured(&of_rows(&rows), &of_rows(&rows[..5]));
        assert_eq!(
            (found.value, &found.parts["persons"], &found.parts["by_chance"]),
            (Some(0.5), &json!(1), &json!(1.0))
        );
        assert_eq!(measured(&of_rows(&rows), &of_rows(&rows)).value, Some(1.0));
        assert_eq!(measured(&of_rows(&rows[..2]), &of_rows(&rows[..2])).value, None);
    }

    /// The lists are those of `throng recommend top`.
    #[test]
    fn as_the_recommender_recommends() {
        let made = Made { persons: 15, items: 60, mean_ratings: 25.0, half_stars: false, seed: 5 };
        let ratings = RatingsSynth::new(made).unwrap().ratings();
        let third = ThirdParty::new(&ratings, &vec![1; ratings.persons()], false, &ratings);
        let params = Params { significance: 25, ..Params::usual(Name::UserPearson) };
        for person in 0..ratings.persons() as u32 {
            let own: Vec<(u32, f64)> = ratings.of_person(person).collect();
            let mut is_rated = vec![false; ratings.items()];
            own.iter().for_each(|&(item, _)| is_rated[item as usize] = true);
            let profile = Profile { ratings: &own, own: Some(person) };
            let (found, _) = best(&third, &profile, &mut third.common(), &is_rated);
            let expected = Recommender::new(params).unwrap().top(&ratings, person, TOP, &Silent).unwrap();
            assert_eq!(found, expected.into_iter().map(|(item, _)| item).collect::<Vec<u32>>());
        }
    }
}
