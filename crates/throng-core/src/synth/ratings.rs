//! Made-up ratings: persons with tastes, items with genres, a long tail of popularity, generous and harsh raters, sessions in time.
//!
//! # Idea
//! 1. An item has one to three genres, a quality, and a popularity with a long tail; what is liked is a little more popular.
//! 2. A person has a taste for each genre and for a few things that no genre says, a mean of their own, and an activity with a long tail.
//! 3. They rate what is popular and to their taste more often, in a few sessions, minutes apart.
//! 4. A rating is the mean, what the item and the person have above it, how well they fit, and noise; on a scale of whole or half stars.
//!
//! # Cost
//! Time and memory linear in ratings. Every person has a stream of numbers of their own, so blocks can be made one by one.

use std::ops::Range;

use rayon::prelude::*;

use crate::data::Strings;
use crate::data::ratings::{Rating, Ratings, Scale};
use crate::error::{Error, Result};
use crate::rng::Rng;

/// Genres.
const GENRES: [&str; 18] = [
    "Action",
    "Adventure",
    "Animation",
    "Children",
    "Comedy",
    "Crime",
    "Documentary",
    "Drama",
    "Fantasy",
    "Film-Noir",
    "Horror",
    "Musical",
    "Mystery",
    "Romance",
    "Sci-Fi",
    "Thriller",
    "War",
    "Western",
];
/// What there is to a taste beside genres.
const HIDDEN: usize = 6;
const TRAITS: usize = GENRES.len() + HIDDEN;
/// Nobody has fewer ratings, if there are as many items.
const FEWEST: f64 = 20.0;
/// 1 January 2019, and how many days come after it.
const BEGIN: i64 = 1_546_300_800_000;
const DAYS: f64 = 1000.0;
const MINUTE: f64 = 60_000.0;

const FIRST: [&str; 24] = [
    "Silent",
    "Last",
    "Golden",
    "Broken",
    "Hidden",
    "Crimson",
    "Distant",
    "Lonely",
    "Electric",
    "Borrowed",
    "Paper",
    "Winter",
    "Burning",
    "Second",
    "Northern",
    "Forgotten",
    "Velvet",
    "Restless",
    "Hollow",
    "Glass",
    "Wild",
    "Quiet",
    "Midnight",
    "Foreign",
];
const SECOND: [&str; 24] = [
    "River",
    "Harbour",
    "Garden",
    "Letters",
    "Station",
    "Mirror",
    "Orchard",
    "Horizon",
    "Promise",
    "Island",
    "Theatre",
    "Lantern",
    "Engine",
    "Summer",
    "Stranger",
    "Kingdom",
    "Witness",
    "Tides",
    "Clockmaker",
    "Voyage",
    "Bridge",
    "Echo",
    "Circus",
    "Detour",
];

/// What to make up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Params {
    /// How many persons.
    pub persons: usize,
    /// How many items there are; not all of them need be rated.
    pub items: usize,
    /// How many ratings a person has on average, about.
    pub mean_ratings: f64,
    /// Whether there are half stars.
    pub half_stars: bool,
    /// The same seed makes up the same data.
    pub seed: u64,
}

/// Made-up ratings, person by person.
#[derive(Debug)]
pub struct RatingsSynth {
    params: Params,
    items: Vec<Item>,
    /// The sums of popularity up to each item.
    drawn: Vec<f64>,
}

#[derive(Debug)]
struct Item {
    genres: Vec<usize>,
    traits: [f64; TRAITS],
    quality: f64,
    title: String,
}

/// An item of the file about items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct About {
    /// Its id.
    pub id: String,
    /// A made-up title.
    pub title: String,
    /// Its genres.
    pub genres: Vec<&'static str>,
}

impl RatingsSynth {
    /// Checks the parameters, and makes up the items.
    pub fn new(params: Params) -> Result<Self> {
        let mut errors = Vec::new();
        if params.persons < 2 {
            errors.push(Error::parameter("persons", format!("is {}, but must be at least 2", params.persons)));
        }
        if !(2..=10_000_000).contains(&params.items) {
            errors.push(Error::parameter("items", format!("is {}, but must be from 2 to 10,000,000", params.items)));
        }
        if !(params.mean_ratings.is_finite() && params.mean_ratings >= 1.0) {
            errors
                .push(Error::parameter("mean-ratings", format!("is {}, but must be at least 1", params.mean_ratings)));
        }
        if !errors.is_empty() {
            return Err(Error::parameters(errors));
        }
        let mut rng = Rng::seeded_stream(params.seed, u64::MAX);
        let mut sum = 0.0;
        let mut drawn = Vec::with_capacity(params.items);
        let mut item = |number: usize| {
            let count = 1 + rng.index(3).min(rng.index(3));
            let mut genres: Vec<usize> =
                (0..count).map(|_| rng.index(GENRES.len()).min(rng.index(GENRES.len() + 6))).collect();
            genres.sort_unstable();
            genres.dedup();
            let mut traits = [0.0; TRAITS];
            genres.iter().for_each(|&genre| traits[genre] = 1.0 / (genres.len() as f64).sqrt());
            traits[GENRES.len()..].iter_mut().for_each(|own| *own = 0.45 * rng.normal());
            let known = rng.normal();
            let quality = 0.22 * known + 0.38 * rng.normal();
            sum += (1.55 * known).exp();
            drawn.push(sum);
            let (first, second) = (FIRST[rng.index(FIRST.len())], SECOND[rng.index(SECOND.len())]);
            let title = format!("{first} {second} {} ({})", number + 1, 1940 + rng.index(80));
            Item { genres, traits, quality, title }
        };
        let items = (0..params.items).map(&mut item).collect();
        Ok(Self { params, items, drawn })
    }

    /// How many persons there are.
    pub fn persons(&self) -> usize {
        self.params.persons
    }

    /// What the file about items says.
    pub fn about(&self) -> impl Iterator<Item = About> {
        (1..).zip(&self.items).map(|(number, item): (usize, &Item)| About {
            id: number.to_string(),
            title: item.title.clone(),
            genres: item.genres.iter().map(|&genre| GENRES[genre]).collect(),
        })
    }

    /// All ratings.
    pub fn ratings(&self) -> Ratings {
        self.block(0..self.params.persons)
    }

    /// The ratings of some persons, who are called by their numbers from 1.
    pub fn block(&self, persons: Range<usize>) -> Ratings {
        let records: Vec<Vec<Rating>> = persons.clone().into_par_iter().map(|person| self.person(person)).collect();
        let ids: Vec<String> = (1..=self.items.len()).map(|item| item.to_string()).collect();
        let names: Vec<String> = persons.map(|person| (person + 1).to_string()).collect();
        let strings = |texts: &[String]| texts.iter().map(String::as_str).collect::<Strings>();
        let step = if self.params.half_stars { 0.5 } else { 1.0 };
        Ratings::of_records(strings(&ids), strings(&names), &records, Scale { low: step, high: 5.0, step: Some(step) })
    }

    fn person(&self, person: usize) -> Vec<Rating> {
        let rng = &mut Rng::seeded_stream(self.params.seed, person as u64);
        let mut taste = [0.0; TRAITS];
        taste.iter_mut().for_each(|own| *own = rng.normal());
        let (mean, warmth) = (3.45 + 0.42 * rng.normal(), 0.55 * (0.35 * rng.normal()).exp());
        let fewest = FEWEST.min(0.4 * self.params.mean_ratings);
        // The mean of exp of a normal number with deviation 1.05 is exp(0.55).
        let more = (self.params.mean_ratings - fewest) * (1.05 * rng.normal() - 0.55).exp();
        let most = (self.items.len() as f64 * 0.6).max(1.0);
        let count = (fewest + more).clamp(1.0, most) as usize;
        let mut rated: Vec<u32> = Vec::with_capacity(count);
        let mut is_rated = std::collections::BTreeSet::new();
        let total = self.drawn.last().copied().unwrap_or(0.0);
        let mut tries = 0;
        while rated.len() < count && tries < 60 * count {
            tries += 1;
            let at = rng.unit() * total;
            let item = self.drawn.partition_point(|&sum| sum <= at).min(self.items.len() - 1);
            let likes = 1.0 / (1.0 + (-0.9 * self.fit(&taste, item)).exp());
            if rng.unit() < 0.15 + 0.85 * likes && is_rated.insert(item) {
                rated.push(item as u32);
            }
        }
        let mut time = BEGIN + (rng.unit() * DAYS * 1440.0 * MINUTE) as i64;
        rated
            .into_iter()
            .map(|item| {
                let fits = self.fit(&taste, item as usize);
                let value = mean + self.items[item as usize].quality + warmth * fits + 0.78 * rng.normal();
                // After about forty ratings another session begins, some days later.
                let pause = if rng.unit() < 0.025 { 1440.0 * 20.0 * rng.unit() } else { 1.5 * rng.unit() };
                time += 1000 * ((pause * MINUTE / 1000.0) as i64);
                Rating { item, value: self.star(value), time: Some(time) }
            })
            .collect()
    }

    /// How well an item fits a taste.
    fn fit(&self, taste: &[f64; TRAITS], item: usize) -> f64 {
        self.items[item].traits.iter().zip(taste).map(|(own, taste)| own * taste).sum::<f64>() / 1.3
    }

    fn star(&self, value: f64) -> f64 {
        if self.params.half_stars {
            (value * 2.0).round().clamp(1.0, 10.0) / 2.0
        } else {
            value.round().clamp(1.0, 5.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARAMS: Params = Params { persons: 300, items: 500, mean_ratings: 60.0, half_stars: false, seed: 7 };

    #[test]
    fn what_is_made_up_looks_like_ratings() {
        let synth = RatingsSynth::new(PARAMS).unwrap();
        let ratings = synth.ratings();
        assert_eq!(ratings.persons(), 300);
        let each = ratings.len() as f64 / 300.0;
        assert!((45.0..75.0).contains(&each), "{each}");
        assert!((3.1..3.9).contains(&ratings.mean()), "{}", ratings.mean());
        // A long tail: the most rated tenth has more than a third of all ratings.
        let mut counts: Vec<usize> = (0..500).map(|item| ratings.count_of_item(item)).collect();
        counts.sort_unstable_by(|left, right| right.cmp(left));
        assert!(3 * counts[..50].iter().sum::<usize>() > ratings.len());
        for person in 0..300 {
            let mut items: Vec<u32> = ratings.of_person(person).map(|(item, _)| item).collect();
            items.sort_unstable();
            assert!(items.windows(2).all(|pair| pair[0] < pair[1]));
            assert!(ratings.of_person(person).all(|(_, value)| (1.0..=5.0).contains(&value) && value.fract() == 0.0));
        }
        assert_eq!(synth.about().count(), 500);
    }

    #[test]
    fn blocks_are_parts_of_the_whole_and_seeds_differ() {
        let synth = RatingsSynth::new(PARAMS).unwrap();
        let (whole, block) = (synth.ratings(), synth.block(100..150));
        assert!((0..50).all(|person| block.of_person(person).eq(whole.of_person(100 + person))));
        let other = RatingsSynth::new(Params { seed: 8, half_stars: true, ..PARAMS }).unwrap().ratings();
        assert!(!other.of_person(0).eq(whole.of_person(0)));
        assert!(other.of_person(0).any(|(_, value)| value.fract() != 0.0));
        assert!(RatingsSynth::new(Params { items: 1, ..PARAMS }).is_err());
    }
}
