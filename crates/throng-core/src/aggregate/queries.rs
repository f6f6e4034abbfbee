//! One search record for a group of persons: a fair selection of their lines.
//!
//! Paper      001 (Navarro-Arribas et al. 2012), section 3.2.3.
//!
//! # Idea
//! 1. The record has as many lines as the members have on average, rounded half up, at least 1 (Q16).
//! 2. Each member gives lines in proportion to how many they have, by largest remainder, ties to the earlier (Q17).
//! 3. A member's share goes to their query strings in proportion to how often each occurs, by the same rule.
//! 4. The time of a line is the mean, rounded half up, over all lines of the group with that string (Q18).
//! 5. It has a click if at least half of those lines have one. Its URL is then the right-most common part of their hosts, without
//!    a scheme (Q19), if that is a site; its rank is the mean of theirs, rounded half up.
//!
//! # Readings
//! Ours: a line without a click has no rank, and a URL says something if it is at least what one registers (`text/site.rs`), not
//! `com`. Clicks on pages that have no site in common are left out, their ranks too: a mean rank of different pages is no
//! rank of any.
//!
//! # Cost
//! Time O(l log l), memory O(l), for l lines of the group. The log of all groups is put together from ids: 20 bytes a line while
//! it grows, and 4 bytes for each query string of the original.

use rayon::prelude::*;

use super::{largest_remainder, rounded_mean};
use crate::data::queries::{Columns, MISSING};
use crate::data::{Interner, Line, QueryLog, QueryLogBuilder, Strings, time};
use crate::progress::Progress;
use crate::text::{host, site};

/// How many groups are worked on at once: so many that threads seldom wait, so few that their lines stay small beside the data.
const GROUPS_AT_ONCE: usize = 4096;

/// Makes records of groups of one log.
#[derive(Debug)]
pub struct Aggregation<'a> {
    log: &'a QueryLog,
    /// The host of each URL.
    hosts: Strings,
    /// Times are rounded to multiples of this many milliseconds.
    time_resolution: i64,
}

/// One line of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordLine<'a> {
    /// The query string.
    pub query: &'a str,
    /// The mean time.
    pub time: i64,
    /// The mean rank of clicks.
    pub rank: Option<u32>,
    /// The site that clicks have in common.
    pub host: Option<&'a str>,
}

/// A log with one person for each record. The names of its persons mean nothing.
pub fn log_of_records<'a>(records: impl IntoIterator<Item = Vec<RecordLine<'a>>>) -> QueryLog {
    let mut builder = QueryLogBuilder::new();
    for (number, record) in records.into_iter().enumerate() {
        let person = builder.person(&number.to_string());
        for line in record {
            builder.push_for(person, line.query, line.time, line.rank, line.host);
        }
    }
    builder.finish()
}

impl<'a> Aggregation<'a> {
    /// Prepares to make records of groups of `log`.
    pub fn new(log: &'a QueryLog, time_resolution: i64) -> Self {
        let mut hosts = Strings::new();
        for url in log.urls().iter() {
            hosts.push(&host::host_of(url));
        }
        Self { log, hosts, time_resolution }
    }

    /// The log of the records of some groups, one person for each. The names of its persons mean nothing.
    pub fn log_of(&self, groups: &[Vec<u32>], progress: &dyn Progress) -> QueryLog {
        self.log_by(groups, progress, |members| self.values_of_record(members))
    }

    /// The same, with records that the caller makes: given the members of a group, ids of query strings and the values of each line.
    pub fn log_by<'b>(
        &self,
        groups: &[Vec<u32>],
        progress: &dyn Progress,
        record: impl Fn(&[u32]) -> Vec<(u32, Values<'b>)> + Sync,
    ) -> QueryLog {
        progress.stage("records", groups.len() as u64);
        let (mut queries, mut urls) = (Renumbered::of(self.log.queries()), Interner::new());
        let mut columns = Columns { starts: vec![0], ..Columns::default() };
        let mut times = Vec::new();
        for some in groups.chunks(GROUPS_AT_ONCE) {
            if progress.is_stopped() {
                break;
            }
            let records: Vec<_> = some.par_iter().map(|members| record(members)).collect();
            for record in records {
                columns.persons.push(&columns.persons.len().to_string());
                for (query, values) in record {
                    columns.query.push(queries.number(query));
                    times.push(values.time);
                    columns.rank.push(values.rank.unwrap_or(MISSING));
                    columns.url.push(values.host.map_or(MISSING, |host| urls.intern(host)));
                }
                columns.starts.push(times.len());
            }
            progress.advance(some.len() as u64);
        }
        let (queries, urls) = (queries.strings, urls.into_strings());
        QueryLog::from_columns(Columns { queries, urls, time: times.into(), ..columns })
    }

    /// The record of a group, its members in rising order.
    pub fn record(&self, members: &[u32]) -> Vec<RecordLine<'_>> {
        let lines = self.values_of_record(members).into_iter();
        lines.map(|(query, values)| values.line(self.log.queries().get(query))).collect()
    }

    /// The lines of the record of a group, with the ids of their query strings.
    fn values_of_record(&self, members: &[u32]) -> Vec<(u32, Values<'_>)> {
        let sizes: Vec<usize> = members.iter().map(|&member| self.log.range(member as usize).len()).collect();
        let lines: usize = sizes.iter().sum();
        if lines == 0 {
            return Vec::new();
        }
        let length = rounded_mean(lines as u64, members.len()).max(1) as usize;
        let values = self.values_by(members, |query, keys| keys.push(query));
        let value_of = |query: u32| {
            let at = values.binary_search_by_key(&query, |&(query, _)| query);
            values[at.expect("every string of a member is a string of the group")]
        };
        let mut record = Vec::with_capacity(length);
        for (&member, quota) in members.iter().zip(largest_remainder(&sizes, length)) {
            if quota == 0 {
                continue;
            }
            let counts = self.log.query_counts(member as usize);
            let weights: Vec<usize> = counts.iter().map(|&(_, count)| count).collect();
            for (&(query, _), copies) in counts.iter().zip(largest_remainder(&weights, quota)) {
                if copies > 0 {
                    record.extend(std::iter::repeat_n(value_of(query), copies));
                }
            }
        }
        record
    }

    /// Mean time, and mean rank and common site of clicks, over the group's lines with the same key, by key in rising order. The keys of a line
    /// are what `keys_of` adds for its query string; a key that it adds twice counts once.
    pub fn values_by(&self, members: &[u32], keys_of: impl Fn(u32, &mut Vec<u32>)) -> Vec<(u32, Values<'_>)> {
        let (mut lines, mut keys) = (Vec::new(), Vec::new());
        for row in members.iter().flat_map(|&member| self.log.range(member as usize)) {
            let line = self.log.line(row);
            keys.clear();
            keys_of(line.query, &mut keys);
            keys.sort_unstable();
            keys.dedup();
            lines.extend(keys.iter().map(|&key| (key, line)));
        }
        lines.sort_by_key(|&(key, _)| key);
        let values = |same: &[(u32, Line)]| {
            let lines = || same.iter().map(|(_, line)| line);
            let times: i128 = lines().map(|line| i128::from(line.time)).sum();
            let (rank, host) = self.click(lines());
            (same[0].0, Values { time: time::rounded_mean(times, same.len(), self.time_resolution), rank, host })
        };
        lines.chunk_by(|left, right| left.0 == right.0).map(values).collect()
    }

    /// The rank and the site that some lines were clicked at, if at least half of them were.
    fn click<'l>(&self, lines: impl Iterator<Item = &'l Line> + Clone) -> (Option<u32>, Option<&str>) {
        let clicked = || lines.clone().filter(|line| line.rank.is_some() || line.url.is_some());
        if 2 * clicked().count() < lines.clone().count() {
            return (None, None);
        }
        let mut urls = clicked().filter_map(|line| line.url).peekable();
        // Ranks may be known without pages.
        let has_pages = urls.peek().is_some();
        let host = host::common_suffix(urls.map(|url| self.hosts.get(url))).filter(|host| site::is_site(host));
        if has_pages && host.is_none() {
            return (None, None);
        }
        let ranks: Vec<u64> = clicked().filter_map(|line| line.rank).map(u64::from).collect();
        ((!ranks.is_empty()).then(|| rounded_mean(ranks.iter().sum(), ranks.len()) as u32), host)
    }
}

/// What some lines of a group have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Values<'a> {
    /// The mean time.
    pub time: i64,
    /// The mean rank of clicks.
    pub rank: Option<u32>,
    /// The site that clicks have in common.
    pub host: Option<&'a str>,
}

impl<'a> Values<'a> {
    /// The line of a record with this query string.
    pub fn line(self, query: &'a str) -> RecordLine<'a> {
        RecordLine { query, time: self.time, rank: self.rank, host: self.host }
    }
}

/// Some of the strings of a table, numbered by first use.
struct Renumbered<'a> {
    all: &'a Strings,
    number: Vec<u32>,
    strings: Strings,
}

impl<'a> Renumbered<'a> {
    fn of(all: &'a Strings) -> Self {
        Self { all, number: vec![MISSING; all.len()], strings: Strings::new() }
    }

    fn number(&mut self, id: u32) -> u32 {
        let number = &mut self.number[id as usize];
        if *number == MISSING {
            *number = self.strings.push(self.all.get(id));
        }
        *number
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Silent;

    /// Person, query, seconds, rank, URL.
    type Values<'a> = (&'a str, &'a str, i64, Option<u32>, Option<&'a str>);

    fn log(lines: &[Values<'_>]) -> QueryLog {
        let mut builder = QueryLogBuilder::new();
        for &(person, query, seconds, rank, url) in lines {
            builder.push(person, query, seconds * 1000, rank, url);
        }
        builder.finish()
    }

    fn show(log: &QueryLog, members: &[u32]) -> Vec<String> {
        let aggregation = Aggregation::new(log, 1000);
        let line = |line: &RecordLine<'_>| {
            format!("{} {} {:?} {}", line.query, line.time / 1000, line.rank, line.host.unwrap_or("-"))
        };
        aggregation.record(members).iter().map(line).collect()
    }

    #[test]
    fn quotas_and_means_by_hand() {
        // Two members with 4 and 1 lines: mean 2.5, rounded up to 3; quotas 12/5 = 2.4 and 3/5 = 0.6: 2 and 1.
        // The first member's 2 over cat (3 of 4) and dog (1 of 4): 1.5 and 0.5, the tie goes to cat: 2 and 0.
        let log = log(&[
            ("a", "cat", 10, Some(1), Some("http://www.pets.com")),
            ("a", "cat", 20, None, None),
            ("a", "dog", 30, None, None),
            ("a", "cat", 30, Some(4), Some("http://m.pets.com/x")),
            ("b", "cat", 41, Some(2), Some("http://www.pets.org")),
        ]);
        // cat over both members: time 101/4 = 25.25; pets.com and pets.org have no site in common, so there is no rank either.
        assert_eq!(show(&log, &[0, 1]), ["cat 25 None -", "cat 25 None -", "cat 25 None -"]);
        // Alone, four lines; the common part of the two hosts is pets.com; the mean rank 2.5 is rounded up.
        let alone = show(&log, &[0]);
        assert_eq!(
            alone,
            ["cat 20 Some(3) pets.com", "cat 20 Some(3) pets.com", "cat 20 Some(3) pets.com", "dog 30 None -"]
        );
    }

    #[test]
    fn clicks_of_half_of_the_lines_on_one_site() {
        let (first, second) = (Some("http://www.pets.com/x"), Some("http://m.pets.com"));
        for (lines, shown) in [
            // One of two lines is half of them; one of three is not.
            (vec![(Some(2), first), (None, None)], "x 0 Some(2) www.pets.com"),
            (vec![(Some(2), first), (None, None), (None, None)], "x 0 None -"),
            (vec![(Some(2), first), (Some(5), second)], "x 0 Some(4) pets.com"),
            // What is left of two sites, or of two addresses, is none.
            (vec![(Some(2), first), (Some(5), Some("http://cars.com"))], "x 0 None -"),
            (vec![(Some(2), Some("10.0.0.1")), (Some(5), Some("10.1.0.1"))], "x 0 None -"),
            (vec![(Some(2), Some("http://localhost"))], "x 0 None -"),
            // A log of ranks without pages, and of pages without ranks.
            (vec![(Some(2), None), (Some(5), None)], "x 0 Some(4) -"),
            (vec![(None, first), (None, second)], "x 0 None pets.com"),
        ] {
            let rows: Vec<Values<'_>> = lines.iter().map(|&(rank, url)| ("a", "x", 0, rank, url)).collect();
            assert_eq!(show(&log(&rows), &[0])[0], shown, "{lines:?}");
        }
    }

    #[test]
    fn a_member_may_give_nothing_and_a_record_has_a_line() {
        let log = log(&[("a", "x", 1, None, None), ("b", "y", 2, None, None), ("c", "z", 3, None, None)]);
        assert_eq!(show(&log, &[0, 1, 2]), ["x 1 None -"]);
    }

    #[test]
    fn the_log_of_groups_is_the_log_of_their_records() {
        let log = log(&[
            ("a", "x", 1, None, None),
            ("b", "y", 2, Some(3), Some("http://www.pets.com")),
            ("b", "x", 3, Some(1), Some("http://www.pets.com/y")),
            ("c", "z", 4, None, None),
            ("d", "y", 5, None, Some("http://pets.com")),
        ]);
        let aggregation = Aggregation::new(&log, 1000);
        let groups = [vec![1, 2], vec![0, 3]];
        let records = groups.iter().map(|members| aggregation.record(members));
        assert_eq!(aggregation.log_of(&groups, &Silent), log_of_records(records));
    }

    #[test]
    fn times_can_be_coarser() {
        let log = log(&[("a", "x", 5000, None, None), ("b", "x", 6000, None, None)]);
        let record = Aggregation::new(&log, 3_600_000);
        assert_eq!(record.record(&[0, 1])[0].time, 7_200_000);
    }
}
