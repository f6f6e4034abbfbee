//! A made-up person: what interests it, where it lives, when it searches and how it types.

use super::world::{CORNERS, World};
use crate::Rng;

/// 2006-03-01 00:00:00 UTC in seconds since 1970, a Wednesday.
pub(super) const FIRST_SECOND: i64 = 1_141_171_200;
/// March, April and May.
pub(super) const DAYS: u64 = 92;
/// 2006-05-31 23:59:59 UTC.
pub(super) const LAST_SECOND: i64 = FIRST_SECOND + DAYS as i64 * DAY - 1;
const DAY: i64 = 86_400;
/// The share of sessions about something that the person looks for this once.
const PASSING: f64 = 0.72;

/// Who searches.
#[derive(Debug)]
pub(super) struct Person {
    /// The first interest is the strongest.
    interests: Vec<Interest>,
    /// The own town, as an index of the world's.
    pub(super) home: usize,
    /// The family names that come up in the person's life.
    pub(super) family_names: Vec<String>,
    /// A site that everybody knows, and how the person types it: in `0.0..1.0`.
    pub(super) favourite: (usize, f64),
    /// The share of words with a slip.
    pub(super) misspelling: f64,
    /// How likely a query is there only to reach a site.
    pub(super) navigation: f64,
    /// How likely a query is followed by another form of it.
    pub(super) reformulation: f64,
    calendar: Calendar,
}

/// A topic, what of it this person cares for, and what only this person connects with it.
#[derive(Debug, Clone)]
pub(super) struct Interest {
    pub(super) topic: usize,
    /// The part of the topic that the person is in most of the time, in `0..CORNERS`.
    pub(super) corner: usize,
    /// Words of the topic.
    pub(super) words: [usize; 5],
    /// A general adjective and noun that come up with it.
    pub(super) adjective: &'static str,
    pub(super) noun: &'static str,
    /// Words of the long tail: a make, a name, a shop, a song.
    pub(super) own: Vec<String>,
}

/// When a person searches.
#[derive(Debug)]
struct Calendar {
    first_day: u64,
    days: u64,
    /// How likely a session happens on a working day and on a weekend day.
    workday: f64,
    weekend: f64,
    /// Two hours of the day around which the sessions lie, in seconds after midnight.
    peaks: [f64; 2],
    /// The share of the first peak.
    first_peak: f64,
    /// The spread around a peak in seconds.
    spread: f64,
}

impl Person {
    /// A person that will have about `lines` lines: who searches much has more interests and more active days.
    pub(super) fn new(world: &World, lines: usize, rng: &mut Rng) -> Self {
        let interests: Vec<Interest> = (0..1 + rng.index(if lines < 10 { 2 } else { 4 }))
            .map(|_| Interest::new(world, world.topics.pick_index(rng), rng))
            .collect();
        Self {
            interests,
            home: world.towns.pick_index(rng),
            family_names: (0..1 + rng.index(3)).map(|_| world.family_name(rng)).collect(),
            favourite: (world.favourite_site(rng), rng.unit()),
            misspelling: 0.05 * rng.unit(),
            navigation: 0.56 * rng.unit().powi(3),
            reformulation: 0.25 + 0.5 * rng.unit(),
            calendar: Calendar::new(lines, rng),
        }
    }

    /// The interest of a session, sometimes a passing one.
    pub(super) fn interest(&self, world: &World, rng: &mut Rng) -> Interest {
        if rng.unit() < PASSING {
            return Interest::new(world, world.topics.pick_index(rng), rng);
        }
        // Each interest weighs two fifths of the one before.
        let mut chosen = 0;
        while rng.unit() < 0.4 {
            chosen += 1;
        }
        self.interests[chosen % self.interests.len()].clone()
    }

    /// The first second of a session, since 1970.
    pub(super) fn session_start(&self, rng: &mut Rng) -> i64 {
        self.calendar.session_start(rng)
    }
}

impl Interest {
    fn new(world: &World, topic: usize, rng: &mut Rng) -> Self {
        let words = &world.topics.get(topic).words;
        let corner = rng.index(CORNERS);
        let own = (0..rng.index(4)).map(|_| world.tail_word(rng)).collect();
        Self {
            topic,
            corner,
            words: std::array::from_fn(|_| words.pick_in_corner(corner, rng)),
            adjective: world.adjectives.pick(rng),
            noun: world.nouns.pick(rng),
            own,
        }
    }
}

impl Calendar {
    fn new(lines: usize, rng: &mut Rng) -> Self {
        let throughout = if lines > 100 { 0.7 } else { 0.3 };
        let days = match rng.unit() {
            share if share < throughout => 2 * DAYS,
            share if share < throughout + 0.2 => 1 + rng.below(10),
            _ => 7 + rng.below(DAYS - 6),
        };
        // The ends of the log cut through the spans of some persons, as they do in real logs.
        let middle = rng.below(DAYS);
        let (first_day, last_day) = (middle.saturating_sub(days / 2), (middle + days / 2).min(DAYS - 1));
        let (workday, weekend) = match rng.below(4) {
            0 => (1.0, 0.2),
            1 => (0.4, 1.0),
            _ => (0.9, 1.0),
        };
        let hour = |rng: &mut Rng, from: f64, to: f64| 3600.0 * (from + (to - from) * rng.unit());
        let peaks = [hour(rng, 17.0, 24.0), hour(rng, 7.0, 17.0)];
        Self {
            first_day,
            days: last_day - first_day + 1,
            workday,
            weekend,
            peaks,
            first_peak: 0.2 + 0.7 * rng.unit(),
            spread: hour(rng, 0.7, 2.5),
        }
    }

    fn session_start(&self, rng: &mut Rng) -> i64 {
        let day = loop {
            let day = self.first_day + rng.below(self.days);
            // Day 0 is a Wednesday, so the days 3 and 4 of each seven are the weekend.
            let likely = if matches!(day % 7, 3 | 4) { self.weekend } else { self.workday };
            if rng.unit() < likely {
                break day;
            }
        };
        let peak = self.peaks[usize::from(rng.unit() >= self.first_peak)];
        // Who sits up beyond midnight does so in the first hours of the same day, which keeps the active days.
        let second = (peak + self.spread * rng.normal()).rem_euclid(DAY as f64);
        FIRST_SECOND + day as i64 * DAY + (second as i64).min(DAY - 1)
    }
}
