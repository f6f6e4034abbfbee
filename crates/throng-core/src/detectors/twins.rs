//! Twins: persons of whom at least three rate the same things the same.
//!
//! Idea       ours. Two persons may be one with two accounts; three who agree in nearly everything are profiles of one machine, or a
//!            k-anonymous release.
//! Does not   see profiles whose fillers are drawn anew for each.
//!
//! # Formula
//! Alike are two persons by equal ratings / union of items. Score: the greatest s with two others, each pair of the three being alike
//! by s or more; as far as that is above the level that was looked for. Flagged above 0.9.
//!
//! # Idea
//! Who is alike by more than t has more than t n(u) equal ratings, so two such persons share one of the rarest (1 - t) n(u) + 1
//! of each. Only persons who do are compared. So pairs above a level are found exactly; the level is the lowest that takes no
//! more than a fixed amount of work, and never above 0.9.
//!
//! # Cost
//! Time O(ratings + pairs with a rare rating in common), memory O(ratings).

use rayon::prelude::*;

use super::seen::Seen;
use super::{Detector, Found, Suspect};
use crate::data::ratings::Ratings;
use crate::error::Result;
use crate::info::Info;
use crate::progress::Progress;

/// Above what share of equal ratings three persons are twins.
pub const LIMIT: f64 = 0.9;
/// The levels that are looked for, if they take too much work the next.
const LEVELS: [f64; 5] = [0.3, 0.45, 0.6, 0.75, LIMIT];
/// How many comparisons of rare ratings are too much work.
const WORK: u64 = 200_000_000;

/// The card.
pub const INFO: Info = Info {
    name: "twins",
    summary: "persons of whom at least three rate the same things the same",
    paper: "Own",
    details: "Two persons are alike by their equal ratings / the union of their items. The score is the greatest share by which a person and two others are all alike, \
              each pair of them; 0 below the level that was looked for (0.3 of small files, at most 0.9). High is suspect.\n\
              It sees profiles with the same fillers (ih, il), and every release with k-anonymity: look for twins before protecting, not after. It does not see fillers \
              that are drawn for each profile.\n\
              Flagged is who is above 0.9. Time O(ratings + pairs with a rare rating in common).",
    parameters: &[],
};

/// The detector.
#[derive(Debug, Clone, Copy)]
pub struct Twins;

impl Detector<Ratings> for Twins {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn detect(&self, ratings: &Ratings, progress: &dyn Progress) -> Result<Found> {
        let kin = Kin::of(ratings, progress)?;
        Ok(Found::beyond(kin.triples(), LIMIT, Suspect::High))
    }
}

/// Who is alike.
#[derive(Debug)]
pub struct Kin {
    /// Above which share pairs are known.
    pub level: f64,
    /// For each person the others, the most alike first, then by their numbers.
    pub of_person: Vec<Vec<(u32, f64)>>,
}

impl Kin {
    /// Finds all pairs above a level that takes little enough work.
    pub fn of(ratings: &Ratings, progress: &dyn Progress) -> Result<Self> {
        let seen = Seen::of(ratings);
        let persons = ratings.persons() as u32;
        // A rating is a token; the rarest first.
        let steps = 1 + seen.step(ratings.scale().high);
        let mut frequency = vec![0u32; ratings.items() * steps as usize];
        let token = |(item, value): (u32, f64)| item * steps + seen.step(value).min(steps - 1);
        let tokens_of = |person: u32| ratings.of_person(person).map(token);
        for person in 0..persons {
            tokens_of(person).for_each(|token| frequency[token as usize] += 1);
        }
        let tokens: Vec<Vec<u32>> = (0..persons)
            .into_par_iter()
            .map(|person| {
                let mut tokens: Vec<u32> = tokens_of(person).collect();
                tokens.sort_unstable_by_key(|&token| (frequency[token as usize], token));
                tokens
            })
            .collect();
        let rare = |tokens: &[u32], level: f64| match tokens.len() {
            0 => 0,
            // More than level · n are equal.
            count => count - ((level * count as f64).floor() as usize + 1).min(count) + 1,
        };
        let posted = |level: f64| {
            let mut posted = vec![0u32; frequency.len()];
            for tokens in &tokens {
                tokens[..rare(tokens, level)].iter().for_each(|&token| posted[token as usize] += 1);
            }
            posted
        };
        let work = |level: f64| posted(level).iter().map(|&count| u64::from(count) * u64::from(count)).sum::<u64>();
        let level = LEVELS.into_iter().find(|&level| work(level) <= WORK).unwrap_or(LIMIT);
        let counts = posted(level);
        let mut starts = vec![0usize; counts.len() + 1];
        for (at, &count) in counts.iter().enumerate() {
            starts[at + 1] = starts[at] + count as usize;
        }
        let mut next = starts.clone();
        let mut holders = vec![0u32; starts[counts.len()]];
        for (person, tokens) in (0..).zip(&tokens) {
            for &token in &tokens[..rare(tokens, level)] {
                holders[next[token as usize]] = person;
                next[token as usize] += 1;
            }
        }
        let sorted: Vec<Vec<u32>> = tokens
            .par_iter()
            .map(|tokens| {
                let mut tokens = tokens.clone();
                tokens.sort_unstable();
                tokens
            })
            .collect();
        progress.stage("looking for twins", u64::from(persons));
        let pairs: Vec<Vec<(u32, f64)>> = (0..persons)
            .into_par_iter()
            .map(|person| {
                if progress.is_stopped() {
                    return Vec::new();
                }
                progress.advance(1);
                let own = &tokens[person as usize];
                let mut others: Vec<u32> = Vec::new();
                for &token in &own[..rare(own, level)] {
                    let posted = &holders[starts[token as usize]..starts[token as usize + 1]];
                    // Holders stand by their numbers; each pair is looked at once.
                    others.extend(posted.iter().take_while(|&&other| other < person));
                }
                others.sort_unstable();
                others.dedup();
                let alike = |&other: &u32| {
                    let share = alike(&sorted[person as usize], &sorted[other as usize], steps);
                    (share > level).then_some((other, share))
                };
                others.iter().filter_map(alike).collect()
            })
            .collect();
        progress.go_on()?;
        let mut of_person = pairs.clone();
        for (person, pairs) in (0..).zip(&pairs) {
            for &(other, share) in pairs {
                of_person[other as usize].push((person, share));
            }
        }
        of_person.par_iter_mut().for_each(|others| {
            others.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
        });
        Ok(Self { level, of_person })
    }

    /// For each person the greatest share by which they and two others are all alike.
    pub fn triples(&self) -> Vec<f64> {
        let triple = |own: &Vec<(u32, f64)>| {
            let mut best: f64 = 0.0;
            for (at, &(other, share)) in own.iter().enumerate() {
                if share <= best {
                    break;
                }
                for &(third, _) in &own[..at] {
                    best = best.max(share.min(self.share(other, third)));
                }
            }
            best
        };
        self.of_person.par_iter().map(triple).collect()
    }

    /// For each person the mean share of so many others who are most alike.
    pub fn nearest(&self, others: usize) -> Vec<f64> {
        let nearest =
            |own: &Vec<(u32, f64)>| own.iter().take(others).map(|(_, share)| share).sum::<f64>() / others as f64;
        self.of_person.iter().map(nearest).collect()
    }

    fn share(&self, person: u32, other: u32) -> f64 {
        self.of_person[person as usize].iter().find(|(third, _)| *third == other).map_or(0.0, |(_, share)| *share)
    }
}

/// Equal ratings / union of items, of two sorted lists of tokens.
fn alike(left: &[u32], right: &[u32], steps: u32) -> f64 {
    let (mut at, mut other, mut equal, mut common) = (0, 0, 0u32, 0u32);
    while at < left.len() && other < right.len() {
        let items = (left[at] / steps, right[other] / steps);
        if items.0 == items.1 {
            common += 1;
            equal += u32::from(left[at] == right[other]);
        }
        at += usize::from(items.0 <= items.1);
        other += usize::from(items.1 <= items.0);
    }
    f64::from(equal) / ((left.len() + right.len()) as f64 - f64::from(common)).max(1.0)
}
