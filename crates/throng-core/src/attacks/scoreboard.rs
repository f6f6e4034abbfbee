//! Scoreboard: somebody knows a few ratings of a person, each of them roughly, and takes the record that agrees with them best.
//!
//! Paper      Narayanan, Shmatikov. Robust De-anonymization of Large Sparse Datasets. IEEE Symposium on Security and Privacy 2008.
//!
//! # Idea
//! 1. Knowledge: p ratings of the target, drawn at random, each off by steps of the scale up to `noise`; on request when they were, off by up to
//!    14 days. Only persons with at least p ratings are attacked.
//! 2. Each different record of the release has a score: what it says of the known items, rare items above all.
//! 3. The guess is the best record, uniform among its persons; records that are equally good share. It is *claimed* where the best record is
//!    far ahead of every other.
//!
//! # Formula
//! score = Σ w(i) exp(-|difference| / 1.5) over the known items that the record has, and with dates + w(i) exp(-|days| / 30);
//! w(i) = 1 / ln(c(i) + 1) for c(i) raters in the original, at least 2. Claimed: (best - second) / deviation of all scores > 1.5.
//! A hit is 1/c for c persons with the best score. Where no record has any known item the guess is blind: 1/N. Baseline 1/N, bound 1/k where
//! user-k-anonymity is claimed.
//!
//! # Readings
//! Records are equal that have the same items with the same values and times. The deviation of scores is over persons.
//!
//! # Cost
//! For each known item its raters in the release; one score a record.

use serde_json::{Map, Value, json};

use super::{Asked, Attack, AttackInfo, Attempt, Outcome, Released, Scene, Setting, With};
use crate::data::ratings::Rating;
use crate::data::time::HOUR;
use crate::data::{Ratings, Strings};
use crate::error::{Error, Result};
use crate::info::Info;
use crate::models::k_anonymity::USER;
use crate::rng::Rng;

/// The card of the attack.
pub const INFO: AttackInfo = AttackInfo {
    info: Info {
        name: "scoreboard",
        summary: "somebody knows a few ratings of a person, roughly, and takes the record that agrees with them best",
        paper: "Narayanan, Shmatikov. Robust De-anonymization of Large Sparse Datasets. IEEE Symposium on Security and Privacy 2008",
        details: "Knows p ratings of the target, drawn at random, each off by steps of the scale up to --noise (1; with half stars -1, -0.5, 0, 0.5 or \
            1), and with `--with dates` when they were, off by up to 14 days. Targets: --targets persons (400), by --seed, among those with at least p \
            ratings; the others are counted in `left_out`.\n\
            The score of a record is the sum of w exp(-|difference| / 1.5) over the known items that it has, and with dates of w exp(-|days| / 30) beside; \
            w = 1 / ln(c + 1) for an item that c persons of the original rated, at least 2. The guess is the best record; among c persons with the best \
            score a hit is 1/c. `found` is the share whose own record is best. A guess is claimed where the best record is more than 1.5 deviations of all \
            scores above every other: `claimed_right` and `claimed_wrong` are the shares of attempts in which a record was claimed that is the target's, \
            or is not.\n\
            Baseline 1/N; bound 1/k where user-k-anonymity is claimed. ORIGINAL given twice shows what an attacker achieves today.",
        parameters: &[],
    },
    who: ["knows one rating, roughly", "knows {} ratings, roughly"],
    with: &["dates"],
    takes_noise: true,
    in_reports: true,
    is_exposure: true,
    ..AttackInfo::DEFAULT
};

/// The attack.
#[derive(Debug, Clone, Copy)]
pub struct Scoreboard;

/// A day, in milliseconds.
const DAY: i64 = 24 * HOUR;
/// Within how many stars a rating is nearly the same.
const STARS: f64 = 1.5;
/// Within how many days a time is.
const DAYS: f64 = 30.0;
/// By how many days a known time is off, at most.
const DAYS_OFF: f64 = 14.0;
/// By how many deviations of all scores the best record is ahead if it is claimed.
const AHEAD: f64 = 1.5;

/// A rating that is roughly known.
#[derive(Debug, Clone, Copy)]
struct Known {
    /// What a record that has the item scores, at most.
    weight: f64,
    item: u32,
    value: f64,
    time: Option<i64>,
}

/// Somebody who is attacked with so much knowledge.
struct Target {
    person: u32,
    setting: usize,
    draws: Vec<Vec<Known>>,
}

/// What is known of everybody.
struct Knowledge {
    /// The items of the original, by which those of a release are told.
    items: Strings,
    targets: Vec<Target>,
    /// For each setting how many had too few ratings.
    left_out: Vec<usize>,
}

impl Attack<Ratings> for Scoreboard {
    fn info(&self) -> &'static AttackInfo {
        &INFO
    }

    fn attack(&self, scene: &Scene<'_, Ratings>, asked: &Asked) -> Result<Vec<Outcome>> {
        let settings = asked.heeded(&INFO);
        let with_dates = settings.iter().any(|setting| setting.with.dates);
        let knowing = scene.knowing(|source| {
            refuse_without_times(source.original, with_dates, "original")?;
            Ok(knowledge(source.original, &settings, asked))
        })?;
        knowing
            .looking(|released, known| {
                refuse_without_times(released.data, with_dates, "release")?;
                Ok(Board::new(released, &known.items, with_dates))
            })?
            .all(
                |known| known.targets.len(),
                |board, known, target, say| {
                    let mut scores = vec![0.0; board.persons_of.len()];
                    known.targets[target].draws.iter().for_each(|facts| say(board.guess(facts, &mut scores)));
                },
                |truth, board, known, target, guess| {
                    board.judged(&guess, truth.records_of(known.targets[target].person))
                },
                |board, known, judged| {
                    let outcome = |(number, setting): (usize, &Setting)| {
                        let own = known.targets.iter().zip(judged).filter(|(target, _)| target.setting == number);
                        let persons: Vec<&[Judged]> = own.map(|(_, judged)| judged.as_slice()).collect();
                        let left_out = known.left_out[number];
                        outcome(&persons, left_out, knowledge_of(*setting, asked), board.persons, asked)
                    };
                    settings.iter().enumerate().map(outcome).collect()
                },
            )
    }
}

fn refuse_without_times(ratings: &Ratings, with_dates: bool, which: &str) -> Result<()> {
    if with_dates && !ratings.has_times() {
        return Err(Error::refused(format!(
            "the {which} says of no rating when it was, so dates are of no use to an attacker"
        ))
        .with_hint("leave out `--with dates`"));
    }
    Ok(())
}

/// Draws what is known of so many persons who have enough ratings, in each setting.
fn knowledge(original: &Ratings, settings: &[Setting], asked: &Asked) -> Knowledge {
    let (mut targets, mut left_out) = (Vec::new(), Vec::new());
    for (number, &setting) in settings.iter().enumerate() {
        let all = 0..original.persons() as u32;
        let enough: Vec<u32> = all.filter(|&person| original.count_of_person(person) >= setting.p).collect();
        left_out.push(original.persons() - enough.len());
        for at in asked.targets_of(enough.len()) {
            let person = enough[at as usize];
            let rng = &mut asked.rng(person, setting);
            let places = original.places_of(person);
            let draw = |_| {
                let chosen = rng.sample(places.len(), setting.p);
                chosen
                    .into_iter()
                    .map(|at| known(original, original.at(places.start + at as usize), setting.with, asked, rng))
                    .collect()
            };
            targets.push(Target { person, setting: number, draws: (0..asked.draws).map(draw).collect() });
        }
    }
    Knowledge { items: original.item_ids().clone(), targets, left_out }
}

/// A rating as somebody remembers it.
fn known(original: &Ratings, rating: Rating, with: With, asked: &Asked, rng: &mut Rng) -> Known {
    let scale = original.scale();
    let off = match scale.step {
        Some(step) => {
            let most = (asked.noise / step).floor();
            (rng.below(2 * most as u64 + 1) as f64 - most) * step
        }
        None => (2.0 * rng.unit() - 1.0) * asked.noise,
    };
    let days = |rng: &mut Rng| ((2.0 * rng.unit() - 1.0) * DAYS_OFF * DAY as f64) as i64;
    Known {
        weight: 1.0 / (original.count_of_item(rating.item).max(2) as f64 + 1.0).ln(),
        item: rating.item,
        value: scale.clamp(rating.value + off),
        time: rating.time.filter(|_| with.dates).map(|time| time.saturating_add(days(rng))),
    }
}

/// What an attacker makes of a release: its different records, and who has which item.
struct Board<'a> {
    data: &'a Ratings,
    /// For each item of the original its number in the release.
    items: Vec<Option<u32>>,
    /// The different record that each one of the release is; `None` of one that stands for nobody.
    number_of: Vec<Option<u32>>,
    /// Whether a record of the release is the first of those that are the same.
    is_first: Vec<bool>,
    /// How many persons have each different record.
    persons_of: Vec<u64>,
    persons: u64,
    /// The times of ratings, in the order of items; nothing where no dates are known.
    times: Vec<Option<i64>>,
}

/// What an attacker says.
struct Guess {
    /// The best records; nothing where no record has anything known.
    best: Vec<u32>,
    is_claimed: bool,
}

/// What came of a guess.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Judged {
    attempt: Attempt,
    /// Whether the record was claimed that is the target's, and whether another was.
    claimed: [bool; 2],
}

impl<'a> Board<'a> {
    fn new(released: Released<'a, Ratings>, items: &Strings, with_dates: bool) -> Self {
        let data = released.data;
        let first_of = data.first_of_same();
        let (mut number_of, mut is_first) = (vec![None; first_of.len()], vec![false; first_of.len()]);
        let mut persons_of: Vec<u64> = Vec::new();
        let mut number_of_first: Vec<Option<u32>> = vec![None; first_of.len()];
        for (record, &first) in first_of.iter().enumerate() {
            let stands_for = u64::from(released.multiplicity[record]);
            if stands_for == 0 {
                continue;
            }
            let number = *number_of_first[first as usize].get_or_insert_with(|| {
                persons_of.push(0);
                is_first[record] = true;
                persons_of.len() as u32 - 1
            });
            persons_of[number as usize] += stands_for;
            number_of[record] = Some(number);
        }
        Self {
            data,
            items: items.ids_in(data.item_ids()),
            number_of,
            is_first,
            persons: persons_of.iter().sum(),
            persons_of,
            times: if with_dates { data.times_by_item() } else { Vec::new() },
        }
    }

    /// The best records by what is known; `scores` are zero before and after.
    fn guess(&self, facts: &[Known], scores: &mut [f64]) -> Guess {
        let mut touched: Vec<u32> = Vec::new();
        for fact in facts {
            let Some(item) = self.items[fact.item as usize] else { continue };
            let from = self.data.places_of_item(item).start;
            for (at, (rater, value)) in self.data.of_item(item).enumerate() {
                if !self.is_first[rater as usize] {
                    continue;
                }
                let Some(record) = self.number_of[rater as usize] else { continue };
                let near = (-(value - fact.value).abs() / STARS).exp();
                let time = self.times.get(from + at).copied().flatten();
                let when = fact.time.zip(time).map_or(0.0, |(known, time)| {
                    let days = (known - time).unsigned_abs() as f64 / DAY as f64;
                    (-days / DAYS).exp()
                });
                let score = &mut scores[record as usize];
                if *score == 0.0 {
                    touched.push(record);
                }
                *score += fact.weight * (near + when);
            }
        }
        let (mut best, mut first, mut second) = (Vec::new(), 0.0, 0.0);
        let (mut sum, mut squares) = (0.0, 0.0);
        for &record in &touched {
            let score = std::mem::take(&mut scores[record as usize]);
            let persons = self.persons_of[record as usize] as f64;
            sum += persons * score;
            squares += persons * score * score;
            if score > first {
                second = first;
                first = score;
                best.clear();
                best.push(record);
            } else if score == first {
                second = score;
                best.push(record);
            } else if score > second {
                second = score;
            }
        }
        let all = self.persons as f64;
        let deviation = (squares / all - (sum / all) * (sum / all)).max(0.0).sqrt();
        Guess { best, is_claimed: deviation > 0.0 && (first - second) / deviation > AHEAD }
    }

    /// What a guess about somebody with these records is worth.
    fn judged(&self, guess: &Guess, records: impl Iterator<Item = u32>) -> Judged {
        let own: Vec<u32> = records.filter_map(|record| *self.number_of.get(record as usize)?).collect();
        if guess.best.is_empty() {
            let hit = own.len() as f64 / self.persons.max(1) as f64;
            return Judged { attempt: Attempt { hit, found: 0.0 }, claimed: [false; 2] };
        }
        let persons: u64 = guess.best.iter().map(|&record| self.persons_of[record as usize]).sum();
        let hits = own.iter().filter(|record| guess.best.contains(record)).count();
        let attempt = Attempt { hit: hits as f64 / persons as f64, found: if hits > 0 { 1.0 } else { 0.0 } };
        Judged { attempt, claimed: [guess.is_claimed && hits > 0, guess.is_claimed && hits == 0] }
    }
}

fn knowledge_of(setting: Setting, asked: &Asked) -> Value {
    let noise = if asked.noise.fract() == 0.0 { json!(asked.noise as u64) } else { json!(asked.noise) };
    json!({"p": setting.p, "with": setting.with.words(), "noise": noise})
}

/// The outcome of the draws on persons: each has one voice.
fn outcome(persons: &[&[Judged]], left_out: usize, knowledge: Value, all: u64, asked: &Asked) -> Outcome {
    let attempts: Vec<Attempt> =
        persons.iter().map(|draws| Attempt::mean(draws.iter().map(|judged| judged.attempt))).collect();
    let share = |which: usize| {
        let of =
            |draws: &&[Judged]| draws.iter().filter(|judged| judged.claimed[which]).count() as f64 / draws.len() as f64;
        (!persons.is_empty()).then(|| persons.iter().map(of).sum::<f64>() / persons.len() as f64)
    };
    let own = Map::from_iter([
        ("claimed_right".to_owned(), json!(share(0))),
        ("claimed_wrong".to_owned(), json!(share(1))),
        ("left_out".to_owned(), json!(left_out)),
    ]);
    Outcome { own, ..Outcome::of(&INFO, &attempts) }
        .with_baseline((all > 0).then(|| 1.0 / all as f64))
        .with_bound(asked.one_in_k(USER.name))
        .with_knowledge(knowledge)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Promise;
    use super::super::testing::asked;
    use super::*;
    use crate::data::ratings::{RatingsBuilder, Repeated};
    use crate::progress::Silent;

    /// Rows of person, item, stars and day.
    fn ratings(rows: &[(u32, u32, u8, Option<i64>)]) -> Ratings {
        let mut builder = RatingsBuilder::default();
        for (line, &(person, item, stars, day)) in (1..).zip(rows) {
            let (person, item) = (builder.person(&person.to_string()), builder.item(&format!("i{item}")));
            let rating = Rating { item, value: f64::from(stars), time: day.map(|day| day * DAY) };
            builder.push(person, rating, line);
        }
        builder.finish(Some((1.0, 5.0)), Repeated::Skip).unwrap().0
    }

    fn link(original: &Ratings, release: &Ratings) -> Vec<Option<u32>> {
        original.person_ids().ids_in(release.person_ids())
    }

    fn run(original: &Ratings, release: &Ratings, asked: &Asked) -> Vec<Outcome> {
        let ones = vec![1; release.persons()];
        let link = link(original, release);
        Scoreboard.attack(&Scene::new(original, release, &ones, Some(&link), &Silent), asked).unwrap()
    }

    fn exactly(p: usize) -> Asked {
        Asked { settings: vec![Setting::plain(p)], noise: 0.0, draws: 1, ..asked() }
    }

    /// Ann and ben both rated the first item, ann liked it; cid rated another one. Everybody has one rating.
    #[test]
    fn by_hand() {
        let file = ratings(&[(1, 1, 5, None), (2, 1, 1, None), (3, 2, 3, None), (4, 2, 3, None)]);
        let found = run(&file, &file, &exactly(1)).remove(0);
        // Ann and ben are alone with their stars; the others are two who look the same.
        assert_eq!((found.attempts, found.rate, found.found), (4, Some(0.75), Some(1.0)));
        assert_eq!(found.knowledge, json!({"p": 1, "with": [], "noise": 0}));
        // Scores of what ann is known for, all of weight w = 1 / ln 3: 1, exp(-4/1.5) = .0695, 0, 0. Mean .2674, deviation .4239; ahead by .9305,
        // that is 2.19 deviations. Of cid: 1 for two persons, else 0; deviation .5: ahead by 2.
        assert_eq!((&found.own["claimed_right"], &found.own["claimed_wrong"]), (&json!(1.0), &json!(0.0)));
        let found = run(&file, &file, &exactly(2)).remove(0);
        assert_eq!((found.attempts, found.rate, &found.own["left_out"]), (0, None, &json!(4)));
    }

    #[test]
    fn dates_tell_apart_who_rated_alike() {
        let file = ratings(&[(1, 1, 5, Some(10)), (2, 1, 5, Some(900)), (3, 1, 5, Some(2000))]);
        let with = With { dates: true, ..With::default() };
        let found = run(&file, &file, &Asked { settings: vec![Setting { p: 1, with }], ..exactly(1) }).remove(0);
        assert_eq!((found.rate, &found.knowledge["with"]), (Some(1.0), &json!(["dates"])));
        // Whoever does not know them still sees three records with different times, equally good.
        assert_eq!(run(&file, &file, &exactly(1))[0].rate, Some(1.0 / 3.0));
        let timeless = ratings(&[(1, 1, 5, None), (2, 1, 5, None)]);
        let ones = [1; 2];
        let scene = Scene::new(&file, &timeless, &ones, None, &Silent);
        assert!(Scoreboard.attack(&scene, &Asked { settings: vec![Setting { p: 1, with }], ..exactly(1) }).is_err());
    }

    #[test]
    fn a_release_without_the_items_is_guessed_blindly() {
        let (file, other) =
            (ratings(&[(1, 1, 5, None), (2, 1, 1, None)]), ratings(&[(1, 7, 5, None), (2, 8, 1, None)]));
        let found = run(&file, &other, &exactly(1)).remove(0);
        assert_eq!((found.rate, found.found, found.baseline), (Some(0.5), Some(0.0), Some(0.5)));
    }

    /// The same by walking through all records of the release for every draw.
    fn slowly(original: &Ratings, release: &Ratings, facts: &[Known], person: u32) -> (f64, bool, [bool; 2]) {
        let shown = |record: u32| {
            let mut own: Vec<String> = release
                .timed_of_person(record)
                .map(|one| format!("{} {} {:?}", one.item, one.value, one.time))
                .collect();
            own.sort();
            own
        };
        let score = |record: u32| -> f64 {
            let mut score = 0.0;
            for fact in facts {
                let name = original.item_ids().get(fact.item);
                let raters = original.of_item(fact.item).len().max(2) as f64;
                for one in release.timed_of_person(record).filter(|one| release.item_ids().get(one.item) == name) {
                    let mut near = (-(one.value - fact.value).abs() / 1.5).exp();
                    if let (Some(known), Some(time)) = (fact.time, one.time) {
                        near += (-((known - time).abs() as f64 / 86_400_000.0) / 30.0).exp();
                    }
                    score += 1.0 / (raters + 1.0).ln() * near;
                }
            }
            score
        };
        let all: Vec<u32> = (0..release.persons() as u32).collect();
        let scores: Vec<f64> = all.iter().map(|&record| score(record)).collect();
        let best = scores.iter().copied().fold(0.0, f64::max);
        let own =
            release.person_ids().iter().position(|name| name == original.person_ids().get(person)).map(|at| at as u32);
        if best == 0.0 {
            return (own.map_or(0.0, |_| 1.0 / all.len() as f64), false, [false; 2]);
        }
        let leaders: Vec<u32> = all.iter().copied().filter(|&record| scores[record as usize] == best).collect();
        let is_found = own.is_some_and(|own| leaders.contains(&own));
        let hit = if is_found { 1.0 / leaders.len() as f64 } else { 0.0 };
        // The best score of a record other than the first of the best.
        let others = all.iter().filter(|&&record| shown(record) != shown(leaders[0]));
        let second = others.map(|&record| scores[record as usize]).fold(0.0, f64::max);
        let mean = scores.iter().sum::<f64>() / scores.len() as f64;
        let deviation = (scores.iter().map(|score| (score - mean).powi(2)).sum::<f64>() / scores.len() as f64).sqrt();
        let is_claimed = deviation > 1e-9 && (best - second) / deviation > 1.5;
        (hit, is_found, [is_claimed && is_found, is_claimed && !is_found])
    }

    type Rows = Vec<(u32, u32, u8, Option<i64>)>;

    fn rows() -> impl Strategy<Value = Rows> {
        prop::collection::vec((0..8u32, 0..6u32, 1..6u8, prop::option::of(0..60i64)), 2..40)
    }

    proptest! {
        #[test]
        fn as_by_looking_at_every_record(
            before in rows(), after in rows(), p in 1..4usize, noise in prop::sample::select(vec![0.0, 1.0, 2.0]), dates in any::<bool>(), seed in 0..99u64,
        ) {
            let (original, release) = (ratings(&before), ratings(&after));
            prop_assume!(!dates || original.has_times() && release.has_times());
            let setting = Setting { p, with: With { dates, ..With::default() } };
            let asked = Asked { settings: vec![setting], noise, seed, draws: 3, ..asked() };
            let found = run(&original, &release, &asked).remove(0);
            let drawn = knowledge(&original, &[setting], &asked);
            let mut sums = [0.0; 4];
            for target in &drawn.targets {
                for facts in &target.draws {
                    let (hit, is_found, claimed) = slowly(&original, &release, facts, target.person);
                    let flags = [is_found, claimed[0], claimed[1]].map(|is| if is { 1.0 } else { 0.0 });
                    for (sum, own) in sums.iter_mut().zip([hit, flags[0], flags[1], flags[2]]) {
                        *sum += own / 3.0;
                    }
                }
            }
            prop_assert_eq!(found.attempts as usize, drawn.targets.len());
            if found.attempts > 0 {
                let means = sums.map(|sum| sum / found.attempts as f64);
                let own = [found.rate, found.found, found.own["claimed_right"].as_f64(), found.own["claimed_wrong"].as_f64()];
                for (fast, slow) in own.into_iter().zip(means) {
                    prop_assert!((fast.unwrap() - slow).abs() < 1e-9, "{own:?} {means:?}");
                }
            }
        }

        /// Whatever stands in the records: where k persons share each, nobody is right more often than 1/k.
        #[test]
        fn records_of_k_keep_the_bound(before in rows(), after in rows(), k in 2..4u32, seed in 0..99u64) {
            let original = ratings(&before);
            let groups = (original.persons() as u32 / k).max(1);
            prop_assume!(original.persons() as u32 >= k);
            let records: Vec<Vec<(u32, u8)>> = (0..groups)
                .map(|group| {
                    let mut own: Vec<(u32, u8)> =
                        after.iter().filter(|row| row.0 % groups == group).map(|row| (row.1, row.2)).collect();
                    own.sort_unstable();
                    own.dedup_by_key(|one| one.0);
                    own.push((99, 3));
                    own
                })
                .collect();
            let names: Vec<&str> = original.person_ids().iter().collect();
            let release: Rows = names
                .iter()
                .enumerate()
                .flat_map(|(at, name)| {
                    let group = (at as u32 / k).min(groups - 1);
                    let person = name.parse::<u32>().unwrap();
                    records[group as usize].iter().map(move |&(item, stars)| (person, item, stars, None))
                })
                .collect();
            let parameters = Map::from_iter([("k".to_owned(), json!(k))]);
            let promises = vec![Promise { model: USER.name.to_owned(), parameters }];
            let settings = vec![Setting::plain(1), Setting::plain(2), Setting::plain(4)];
            for found in run(&original, &ratings(&release), &Asked { settings, promises, seed, ..asked() }) {
                prop_assert!(found.rate.unwrap_or(0.0) <= 1.0 / f64::from(k) + 1e-12, "{found:?}");
                prop_assert_eq!(found.verdict, "below");
            }
        }
    }

    #[test]
    fn what_is_known_is_off_by_steps_of_the_scale() {
        let file = ratings(&[(1, 1, 3, Some(100)), (2, 1, 5, Some(100)), (3, 1, 1, Some(100))]);
        let with = With { dates: true, ..With::default() };
        let asked = Asked { draws: 200, noise: 1.0, ..asked() };
        let drawn = knowledge(&file, &[Setting { p: 1, with }], &asked);
        let of = |person: u32| {
            let own = drawn.targets.iter().filter(move |target| target.person == person);
            own.flat_map(|target| &target.draws).flatten().copied().collect::<Vec<Known>>()
        };
        let mut values: Vec<u64> = of(0).iter().map(|fact| fact.value as u64).collect();
        values.sort_unstable();
        values.dedup();
        assert_eq!(values, [2, 3, 4]);
        assert!(of(1).iter().all(|fact| fact.value == 4.0 || fact.value == 5.0));
        let days: Vec<f64> = of(2).iter().map(|fact| fact.time.unwrap() as f64 / DAY as f64 - 100.0).collect();
        assert!(
            days.iter().all(|day| day.abs() <= 14.0)
                && days.iter().any(|day| *day < -10.0)
                && days.iter().any(|day| *day > 10.0)
        );
        assert!((of(0)[0].weight - 1.0 / 4f64.ln()).abs() < 1e-12);
    }
}
