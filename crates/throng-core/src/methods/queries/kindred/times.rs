//! The times of a record: hours of the week that are chosen as its lines are, and dates inside the period of the log.

use crate::aggregate::chosen::{Voices, Wanted, choose};
use crate::concepts::mixes::{Mix, mix_of};
use crate::data::QueryLog;
use crate::data::time::{HOUR, HOURS_A_WEEK, hour_of_week};

/// The hours that a log goes over, from the first to the last.
#[derive(Debug, Clone, Copy)]
pub(super) struct Period {
    first: i64,
    last: i64,
}

impl Period {
    /// From the first to the last time; of no line any.
    pub(super) fn of(span: Option<(i64, i64)>) -> Self {
        let (first, last) = span.unwrap_or((i64::MIN, i64::MAX));
        Self { first: first.div_euclid(HOUR), last: last.div_euclid(HOUR) }
    }

    /// The beginning of an hour of the week that is nearest to a point in time, the earlier of two. Where that is outside of the
    /// period, it is the nearest inside: an hour that somebody searched in has one.
    pub(super) fn nearest(self, time: i64, hour: u32) -> i64 {
        let own = time.div_euclid(HOUR);
        let ahead = (i64::from(hour) - own).rem_euclid(HOURS_A_WEEK);
        let shift = if ahead >= HOURS_A_WEEK / 2 { ahead - HOURS_A_WEEK } else { ahead };
        let nearest = own + shift;
        let inside = match nearest {
            early if early < self.first && early + HOURS_A_WEEK <= self.last => early + HOURS_A_WEEK,
            late if late > self.last && late - HOURS_A_WEEK >= self.first => late - HOURS_A_WEEK,
            nearest => nearest,
        };
        inside * HOUR
    }
}

/// Hours of the week for the lines of a record.
pub(super) struct Hours {
    /// How many lines are still to get each hour.
    left: Vec<u32>,
    /// String and hour of all lines of the group, in rising order, each once.
    issued: Vec<(u32, u32)>,
}

impl Hours {
    /// Chooses so many hours, such that the members' summed divergence from them is least.
    pub(super) fn choose(log: &QueryLog, members: &[u32], lines: usize) -> Self {
        let of_member =
            |&member: &u32| mix_of(log.lines(member as usize).map(|line| hour_of_week(line.time)).collect());
        let hours: Vec<Mix> = members.iter().map(of_member).collect();
        let voices = Voices { publishable: hours.clone(), issued: hours, contents: Vec::new(), strings: 1.0 };
        let mut left = vec![0; HOURS_A_WEEK as usize];
        for (hour, copies) in
            choose(&voices, Wanted { lines, longest: lines, different: usize::MAX, apart: 0.0, cap: f64::INFINITY })
                .lines
        {
            left[hour as usize] = copies;
        }
        let own = members.iter().flat_map(|&member| log.lines(member as usize));
        let mut issued: Vec<(u32, u32)> = own.map(|line| (line.query, hour_of_week(line.time))).collect();
        issued.sort_unstable();
        issued.dedup();
        Self { left, issued }
    }

    /// An hour for a line: one at which its string was issued, if one is left, else the first that is left.
    pub(super) fn take(&mut self, string: u32) -> u32 {
        let start = self.issued.partition_point(|&(other, _)| other < string);
        let own = self.issued[start..].iter().take_while(|&&(other, _)| other == string).map(|&(_, hour)| hour);
        let is_left = |hour: &u32| self.left[*hour as usize] > 0;
        let hour = own.clone().find(is_left).or_else(|| (0..HOURS_A_WEEK as u32).find(is_left)).unwrap_or(0);
        self.left[hour as usize] = self.left[hour as usize].saturating_sub(1);
        hour
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_hour_of_the_week_lies_in_the_period() {
        let fortnight = Period { first: 0, last: 2 * HOURS_A_WEEK - 1 };
        let nearest = |time: i64, hour: u32| fortnight.nearest(time * HOUR, hour) / HOUR;
        assert_eq!([nearest(50, 60), nearest(60, 50), nearest(160, 8)], [60, 50, 176]);
        // Ninety hours ahead is nearer than seventy-eight before, where nobody searched.
        assert_eq!([nearest(10, 100), nearest(330, 100)], [100, 268]);
        assert_eq!(nearest(320, 20), 188);
    }
}
