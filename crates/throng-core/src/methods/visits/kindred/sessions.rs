//! The sessions of a record: how many, how long, on which days, at which hours.
//!
//! # Idea
//! 1. A record has as many sessions, lines, pages and days as its members have on average, by debts.
//! 2. The members' sessions, by their lengths, are cut into as many pieces as the record has sessions: each piece, of about one session of
//!    every member, gives the length and the pages of one session, as its mean. Its duration is one of the log's quantiles, among those
//!    that the sessions of the piece fall into, the one that is owed most.
//! 3. Days are those of the members, and hours of the day apart from them: those that most members' sessions have, and that are owed most.
//! 4. A session starts at a multiple of the resolution, so late after the one before that it stays a session of its own.
//!
//! Nothing of it is one member's: means and quantiles are of many, days and hours are put together anew.

use std::collections::BTreeMap;

use super::debts::Debts;
use crate::data::Visits;
use crate::data::time::HOUR;
use crate::data::visits::TIMEOUT;

/// A day in milliseconds.
const DAY: i64 = 24 * HOUR;
/// About so many quantiles of durations are known.
const QUANTILES: usize = 64;
/// So many sessions a quantile is of, at least.
const LEAST: usize = 8;

/// A session of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Session {
    pub(super) lines: u32,
    pub(super) pages: u32,
    /// In seconds.
    pub(super) duration: i64,
    /// In milliseconds since 1970.
    pub(super) start: i64,
}

/// A session of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Planned {
    pub(super) lines: usize,
    pub(super) pages: usize,
    /// In milliseconds.
    pub(super) duration: i64,
    /// In milliseconds since 1970.
    pub(super) start: i64,
}

/// What is owed of the sessions of a log.
#[derive(Debug)]
pub(super) struct Plans {
    /// How many sessions, lines, pages and days.
    totals: Debts,
    durations: Debts,
    days: Debts,
    hours: Debts,
    /// The greatest duration of each quantile, and the mean of it, in seconds.
    quantiles: Vec<(i64, i64)>,
    first_day: i64,
    resolution: i64,
}

const SESSIONS: usize = 0;
const LINES: usize = 1;
const PAGES: usize = 2;
const DAYS: usize = 3;
/// How much a debt weighs against what the members have.
const DEBT: f64 = 0.5;

/// The sessions of a visitor.
pub(super) fn sessions_of(visits: &Visits, person: usize, is_page: impl Fn(usize) -> bool) -> Vec<Session> {
    let mut found: Vec<Session> = Vec::new();
    let mut ends: Vec<i64> = Vec::new();
    for row in visits.range(person) {
        let (number, time) = (visits.session(row) as usize, visits.time(row));
        while found.len() <= number {
            found.push(Session { lines: 0, pages: 0, duration: 0, start: time });
            ends.push(time);
        }
        let session = &mut found[number];
        if session.lines == 0 {
            (session.start, ends[number]) = (time, time);
        }
        session.lines += 1;
        session.pages += u32::from(is_page(row));
        (session.start, ends[number]) = (session.start.min(time), ends[number].max(time));
        session.duration = (ends[number] - session.start).div_euclid(1000);
    }
    found.retain(|session| session.lines > 0);
    found
}

impl Plans {
    /// For the sessions of a log; starts are multiples of so many milliseconds.
    pub(super) fn of(durations: Vec<i64>, first: i64, resolution: i64) -> Self {
        Self {
            totals: Debts::of(4),
            durations: Debts::default(),
            days: Debts::default(),
            hours: Debts::of(24),
            quantiles: quantiles(durations),
            first_day: first.div_euclid(DAY),
            resolution,
        }
    }

    fn quantile_of(&self, duration: i64) -> usize {
        self.quantiles.partition_point(|&(most, _)| most < duration).min(self.quantiles.len().saturating_sub(1))
    }

    /// The sessions of the record of a group, by their starts.
    pub(super) fn plan(&mut self, members: &[Vec<Session>]) -> Vec<Planned> {
        let size = members.len();
        let mut all: Vec<Session> = members.concat();
        all.sort_unstable();
        let sum = |of: fn(&Session) -> u32| all.iter().map(|session| u64::from(of(session))).sum::<u64>();
        let days_of = |own: &[Session]| {
            let ends = |session: &Session| [session.start, session.start + session.duration * 1000];
            different_days(own.iter().flat_map(ends))
        };
        let count = self.totals.settle(SESSIONS, all.len() as u64, size, 1) as usize;
        let lines = self.totals.settle(LINES, sum(|session| session.lines), size, count as u64) as usize;
        let pages = self.totals.settle(PAGES, sum(|session| session.pages), size, 0) as usize;
        self.totals.owe(DAYS, members.iter().map(|own| days_of(own)).sum());
        let days = self.totals.each(DAYS, size).round().max(1.0) as usize;
        let pieces: Vec<&[Session]> = (0..count)
            .map(|at| &all[at * all.len() / count..((at + 1) * all.len() / count).max(at * all.len() / count + 1)])
            .collect();
        let mean = |of: fn(&Session) -> u32| -> Vec<f64> {
            let sum = |piece: &[Session]| piece.iter().map(|session| f64::from(of(session))).sum::<f64>();
            pieces.iter().map(|piece| sum(piece) / piece.len() as f64).collect()
        };
        let lengths = share_out(lines, &mean(|session| session.lines), &vec![usize::MAX; count]);
        let in_pages = share_out(pages.min(lines), &mean(|session| session.pages), &lengths);
        let durations: Vec<i64> =
            pieces.iter().zip(&lengths).map(|(piece, &length)| self.duration(piece, length, size)).collect();
        let mut starts = self.starts(&all, &lengths, days.min(count), size);
        starts.sort_unstable();
        let mut planned: Vec<Planned> = Vec::with_capacity(count);
        for (start, at) in starts {
            let (lines, pages, duration) = (lengths[at], in_pages[at], durations[at] * 1000);
            let least = planned.last().map(|last| last.start + last.duration + TIMEOUT + 1000);
            let start = match least {
                Some(least) if start < least => -(-least).div_euclid(self.resolution) * self.resolution,
                _ => start,
            };
            planned.push(Planned { lines, pages, duration, start });
        }
        let ends = |own: &Planned| [own.start, own.start + own.duration];
        self.totals.pay(DAYS, size as u64 * different_days(planned.iter().flat_map(ends)));
        planned
    }

    /// The duration of a session, in seconds.
    fn duration(&mut self, piece: &[Session], length: usize, size: usize) -> i64 {
        for session in piece {
            self.durations.owe(self.quantile_of(session.duration), 1);
        }
        let mut candidates: Vec<usize> = piece.iter().map(|session| self.quantile_of(session.duration)).collect();
        candidates.sort_unstable();
        let middle = candidates[candidates.len() / 2];
        let score = |&quantile: &usize| {
            let own = candidates.iter().filter(|&&other| other == quantile).count() as f64 / candidates.len() as f64;
            own + self.durations.each(quantile, size) - quantile.abs_diff(middle) as f64 * 0.01
        };
        let best =
            candidates.iter().copied().max_by(|left, right| score(left).total_cmp(&score(right)).then(right.cmp(left)));
        let chosen = if length == 1 { self.quantile_of(0) } else { best.unwrap_or(middle) };
        self.durations.pay(chosen, size as u64);
        if length == 1 { 0 } else { self.quantiles.get(chosen).map_or(0, |&(_, mean)| mean) }
    }

    /// When sessions of these lengths start: their places, with the times.
    fn starts(&mut self, all: &[Session], lengths: &[usize], days: usize, size: usize) -> Vec<(i64, usize)> {
        let day_of = |session: &Session| (session.start.div_euclid(DAY) - self.first_day).max(0) as usize;
        let mut on_days: BTreeMap<usize, u64> = BTreeMap::new();
        all.iter().for_each(|session| *on_days.entry(day_of(session)).or_default() += 1);
        on_days.iter().for_each(|(&day, &count)| self.days.owe(day, count));
        let score = |&(&day, &count): &(&usize, &u64)| count as f64 / size as f64 + DEBT * self.days.each(day, size);
        let mut ranked: Vec<(&usize, &u64)> = on_days.iter().collect();
        ranked.sort_by(|left, right| score(right).total_cmp(&score(left)).then(left.0.cmp(right.0)));
        let chosen: Vec<usize> = ranked.iter().map(|(day, _)| **day).take(days.max(1)).collect();
        let mut at_hours = [0.0f64; 24];
        let hour_of = |session: &Session| session.start.rem_euclid(DAY).div_euclid(HOUR) as usize;
        let all_lines: f64 = all.iter().map(|session| f64::from(session.lines)).sum();
        let lines: usize = lengths.iter().sum();
        for session in all {
            self.hours.owe(hour_of(session), u64::from(session.lines));
            at_hours[hour_of(session)] += f64::from(session.lines) / all_lines * lines as f64;
        }
        // Minutes only count where the resolution is finer than an hour.
        let minutes = |hour: usize| {
            let own = all.iter().filter(|session| hour_of(session) == hour);
            let (sum, count) =
                own.fold((0, 0), |(sum, count), session| (sum + session.start.rem_euclid(HOUR), count + 1));
            if count == 0 { 0 } else { sum / count }
        };
        let mut order: Vec<usize> = (0..lengths.len()).collect();
        order.sort_by_key(|&at| (std::cmp::Reverse(lengths[at]), at));
        let mut starts = Vec::with_capacity(lengths.len());
        for (turn, at) in order.into_iter().enumerate() {
            let day = chosen[turn % chosen.len()];
            self.days.pay(day, size as u64);
            let need = |hour: usize| {
                let is_there = if at_hours[hour] > 0.0 || self.hours.each(hour, size) > 4.0 * lengths[at] as f64 {
                    0.0
                } else {
                    -1e6
                };
                is_there + at_hours[hour] + DEBT * self.hours.each(hour, size)
            };
            let hour =
                (0..24).max_by(|&left, &right| need(left).total_cmp(&need(right)).then(right.cmp(&left))).unwrap_or(0);
            at_hours[hour] = (at_hours[hour] - lengths[at] as f64).max(0.001);
            self.hours.pay(hour, (lengths[at] * size) as u64);
            let start = (day as i64 + self.first_day) * DAY + hour as i64 * HOUR;
            let within = if self.resolution < HOUR { minutes(hour) } else { 0 };
            starts.push(((start + within).div_euclid(self.resolution) * self.resolution, at));
        }
        starts.iter_mut().for_each(|(start, _)| *start = (*start).max(0));
        starts
    }
}

/// On how many days some times lie.
fn different_days(times: impl Iterator<Item = i64>) -> u64 {
    let mut days: Vec<i64> = times.map(|time| time.div_euclid(DAY)).collect();
    days.sort_unstable();
    days.dedup();
    days.len() as u64
}

/// Quantiles of durations: the greatest and the mean of each.
fn quantiles(mut durations: Vec<i64>) -> Vec<(i64, i64)> {
    durations.sort_unstable();
    let count = (durations.len() / LEAST).clamp(1, QUANTILES);
    let mut found: Vec<(i64, i64)> = Vec::new();
    let mut start = 0;
    for at in 0..count {
        let mut end = ((at + 1) * durations.len() / count).max(start);
        // Equal ones are of one quantile.
        while end > start && end < durations.len() && durations[end] == durations[end - 1] {
            end += 1;
        }
        let own = &durations[start..end];
        if let Some(&last) = own.last() {
            let sum: i128 = own.iter().map(|&duration| i128::from(duration)).sum();
            found.push((last, (sum / own.len() as i128) as i64));
        }
        start = end;
    }
    found
}

/// So much shared out by weights, at least one for each where there is enough, and at most so much for each: the largest remainders first,
/// ties to the lower number.
fn share_out(total: usize, weights: &[f64], most: &[usize]) -> Vec<usize> {
    let count = weights.len();
    let least = usize::from(total >= count);
    let mut shares: Vec<usize> = most.iter().map(|&most| least.min(most)).collect();
    let sum: f64 = weights.iter().sum();
    let wanted = |at: usize| if sum > 0.0 { weights[at] / sum * total as f64 } else { total as f64 / count as f64 };
    let mut left = total.saturating_sub(shares.iter().sum());
    for (at, (share, &most)) in shares.iter_mut().zip(most).enumerate() {
        let more = (wanted(at).floor() as usize).min(most).saturating_sub(*share).min(left);
        *share += more;
        left -= more;
    }
    while left > 0 {
        let open = (0..count).filter(|&at| shares[at] < most[at]);
        let missing = |at: usize| wanted(at) - shares[at] as f64;
        let Some(at) = open.max_by(|&one, &other| missing(one).total_cmp(&missing(other)).then(other.cmp(&one))) else {
            break;
        };
        shares[at] += 1;
        left -= 1;
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up() {
        let free = [usize::MAX; 3];
        assert_eq!(share_out(6, &[1.0, 1.0, 4.0], &free), [1, 1, 4]);
        assert_eq!(share_out(4, &[0.1, 0.1, 4.0], &free), [1, 1, 2]);
        assert_eq!(share_out(2, &[1.0, 5.0, 1.0], &free), [0, 2, 0]);
        assert_eq!(share_out(5, &[1.0, 9.0, 1.0], &[9, 2, 9]), [2, 2, 1]);
        assert_eq!(share_out(9, &[1.0, 1.0], &[2, 2]), [2, 2]);
    }

    #[test]
    fn quantiles_by_hand() {
        assert_eq!(quantiles(vec![0; 20]), [(0, 0)]);
        let found = quantiles((0..32).collect());
        assert_eq!(found, [(7, 3), (15, 11), (23, 19), (31, 27)]);
        assert_eq!(quantiles(Vec::new()), []);
    }

    fn session(lines: u32, pages: u32, duration: i64, start: i64) -> Session {
        Session { lines, pages, duration, start: start * HOUR }
    }

    /// Two members with two sessions each, one short and one long: the record has one of both, on both
    /// days, at hours of the members; which goes with which is put together anew, the longest first.
    #[test]
    fn sessions_by_hand() {
        let members = [
            vec![session(2, 1, 10, 9), session(6, 3, 100, 24 + 20)],
            vec![session(2, 1, 10, 9), session(8, 3, 100, 24 + 20)],
        ];
        let durations = vec![10, 100, 10, 100];
        let mut plans = Plans::of(durations, 0, HOUR);
        let planned = plans.plan(&members);
        assert_eq!(planned.iter().map(|own| own.lines).collect::<Vec<_>>(), [7, 2]);
        assert_eq!(planned.iter().map(|own| own.pages).collect::<Vec<_>>(), [3, 1]);
        assert_eq!(planned[0].start % DAY / HOUR, 20);
        assert_eq!(planned[1].start % DAY / HOUR, 9);
        assert_eq!(planned.iter().map(|own| own.start / DAY).collect::<Vec<_>>(), [0, 1]);
    }

    /// Sessions of the same hour are laid apart, so that they stay sessions.
    #[test]
    fn sessions_stay_apart() {
        let own = vec![session(1, 1, 0, 9), session(1, 1, 0, 9), session(3, 1, 4000, 9)];
        let mut plans = Plans::of(vec![0, 0, 4000], 0, HOUR);
        let planned = plans.plan(&[own.clone(), own]);
        assert_eq!(planned.len(), 3);
        for pair in planned.windows(2) {
            assert!(pair[1].start - (pair[0].start + pair[0].duration) > TIMEOUT, "{planned:?}");
            assert_eq!(pair[1].start % HOUR, 0);
        }
    }
}
