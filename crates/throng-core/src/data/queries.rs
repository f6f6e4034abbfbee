//! A search log: persons with lines of query, time, optional rank and optional clicked URL.
//!
//! Columns of interned ids, the lines of a person side by side in the order of the file, persons numbered by first
//! appearance (reading Q15a). A line costs 16 bytes when all times are whole seconds within 136 years, 20 otherwise.

mod accounts;

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::strings::{Interner, Strings};
use super::time::{HOUR, day, hour_of_week};
use super::{Dataset, FactSort, Facts};
use crate::concepts::{Meaning, Texts};
use crate::error::Result;
use crate::info::Need;
use crate::text::host::host_of;

pub use self::accounts::{Clusters, MergedAccounts};

/// The id or rank of a value that is missing.
pub const MISSING: u32 = u32::MAX;

/// A search log.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QueryLog {
    persons: Strings,
    queries: Strings,
    urls: Strings,
    /// Person `p` has the lines `starts[p]..starts[p + 1]`.
    starts: Vec<usize>,
    query: Vec<u32>,
    time: Times,
    rank: Vec<u32>,
    url: Vec<u32>,
    meaning: Option<Arc<Meaning>>,
    clusters: Option<Arc<Clusters>>,
    accounts: Option<Arc<MergedAccounts>>,
    /// For each person among how many they ask to be, 0 if they do not say; where the file has a column of it.
    wishes: Option<Arc<[u32]>>,
}

/// One line of a search log, its strings as ids of that log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Line {
    /// The query string.
    pub query: u32,
    /// Milliseconds since 1970.
    pub time: i64,
    /// The rank of the clicked result.
    pub rank: Option<u32>,
    /// The clicked URL.
    pub url: Option<u32>,
}

/// The columns of a log whose lines are already side by side for each person.
#[derive(Debug, Default)]
pub struct Columns {
    /// Names of the persons in the order of first appearance.
    pub persons: Strings,
    /// Query strings.
    pub queries: Strings,
    /// URLs.
    pub urls: Strings,
    /// Person `p` has the lines `starts[p]..starts[p + 1]`.
    pub starts: Vec<usize>,
    /// Query ids.
    pub query: Vec<u32>,
    /// Times.
    pub time: Times,
    /// Ranks, or [`MISSING`].
    pub rank: Vec<u32>,
    /// URL ids, or [`MISSING`].
    pub url: Vec<u32>,
}

impl QueryLog {
    /// A log from its columns, which must fit each other.
    pub fn from_columns(columns: Columns) -> Self {
        let Columns { persons, queries, urls, starts, query, time, rank, url } = columns;
        assert_eq!(starts.len(), persons.len() + 1, "one start for each person and the end");
        let rows = starts[persons.len()];
        assert!(query.len() == rows && time.len() == rows && rank.len() == rows && url.len() == rows, "equal columns");
        let (meaning, clusters, accounts, wishes) = (None, None, None, None);
        Self { persons, queries, urls, starts, query, time, rank, url, meaning, clusters, accounts, wishes }
    }

    /// The same log, with what its query strings mean.
    #[must_use]
    pub fn with_meaning(mut self, meaning: Arc<Meaning>) -> Self {
        self.meaning = Some(meaning);
        self
    }

    /// The same log, with how many persons each asks to be among: 0 of somebody who does not say.
    #[must_use]
    pub fn with_wishes(mut self, wishes: Vec<u32>) -> Self {
        assert_eq!(wishes.len(), self.persons(), "one wish for each person");
        self.wishes = Some(wishes.into());
        self
    }

    /// The same log, with what its query strings mean if that is known of another's, looked up in the same way.
    pub fn with_meaning_like(self, other: &Self) -> Result<Self> {
        match &other.meaning {
            Some(meaning) => {
                let own = meaning.of_strings(&self.queries)?;
                Ok(self.with_meaning(Arc::new(own)))
            }
            None => Ok(self),
        }
    }

    /// The log in two, of the persons who have lines in both: lines of even days, and lines of odd days, counted from
    /// 1970-01-01 in UTC. Without what strings mean, as [`Dataset::of_persons`].
    pub fn of_even_and_odd_days(&self) -> [Self; 2] {
        let is_odd = |row: usize| day(self.time.get(row)) % 2 != 0;
        let has = |person: u32, odd: bool| self.range(person as usize).any(|row| is_odd(row) == odd);
        let all = 0..self.persons() as u32;
        let both: Vec<u32> = all.filter(|&person| has(person, false) && has(person, true)).collect();
        [false, true].map(|odd| self.of_lines(&both, |row| is_odd(row) == odd))
    }

    /// The log without the lines whose query or URL is barred, and without the persons of whom no line is left.
    #[must_use]
    pub fn without(&self, is_barred: impl Fn(&str) -> bool + Sync) -> Self {
        let barred = |strings: &Strings| -> Vec<bool> {
            (0..strings.len() as u32).into_par_iter().map(|id| is_barred(strings.get(id))).collect()
        };
        let (queries, urls) = (barred(&self.queries), barred(&self.urls));
        let is_taken = |row: usize| {
            let url = self.url[row];
            !queries[self.query[row] as usize] && (url == MISSING || !urls[url as usize])
        };
        let has_any = |person: &u32| self.range(*person as usize).any(is_taken);
        let persons: Vec<u32> = (0..self.persons() as u32).filter(has_any).collect();
        self.of_lines(&persons, is_taken)
    }

    /// The log of those lines of some persons that are taken.
    fn of_lines(&self, persons: &[u32], is_taken: impl Fn(usize) -> bool) -> Self {
        let rows_of = |person: u32| self.range(person as usize).filter(|&row| is_taken(row));
        let rows = || persons.iter().flat_map(|&person| rows_of(person));
        let mut starts = vec![0];
        for &person in persons {
            starts.push(starts[starts.len() - 1] + rows_of(person).count());
        }
        let (queries, query) = only_used(&self.queries, rows().map(|row| self.query[row]).collect());
        let (urls, url) = only_used(&self.urls, rows().map(|row| self.url[row]).collect());
        Self {
            persons: persons.iter().map(|&person| self.persons.get(person)).collect(),
            queries,
            urls,
            starts,
            query,
            time: rows().map(|row| self.time.get(row)).collect::<Vec<_>>().into(),
            rank: rows().map(|row| self.rank[row]).collect(),
            url,
            meaning: None,
            clusters: None,
            accounts: None,
            wishes: (self.wishes.as_deref()).map(|all| persons.iter().map(|&person| all[person as usize]).collect()),
        }
    }

    /// Some of the lines, cut up anew: record `r` has the lines `rows[starts[r]..starts[r + 1]]`. The names of records mean nothing.
    /// Without what strings mean, as [`Dataset::of_persons`].
    pub(crate) fn cut_up(&self, starts: Vec<usize>, rows: &[usize]) -> Self {
        let (queries, query) = only_used(&self.queries, rows.iter().map(|&row| self.query[row]).collect());
        let (urls, url) = only_used(&self.urls, rows.iter().map(|&row| self.url[row]).collect());
        let mut persons = Strings::new();
        for record in 1..starts.len() {
            persons.push(&(record - 1).to_string());
        }
        Self { persons, queries, urls, query, url, meaning: None, ..self.of_rows(starts, rows) }
    }

    /// Some of the lines with the same tables of strings.
    fn of_rows(&self, starts: Vec<usize>, rows: &[usize]) -> Self {
        Self {
            persons: Strings::new(),
            queries: self.queries.clone(),
            urls: self.urls.clone(),
            starts,
            query: rows.iter().map(|&row| self.query[row]).collect(),
            time: rows.iter().map(|&row| self.time.get(row)).collect::<Vec<_>>().into(),
            rank: rows.iter().map(|&row| self.rank[row]).collect(),
            url: rows.iter().map(|&row| self.url[row]).collect(),
            meaning: self.meaning.clone(),
            clusters: None,
            accounts: None,
            wishes: None,
        }
    }

    /// The same log with other query strings: `texts` has one for each, some maybe the same. Without what they mean.
    #[must_use]
    pub fn with_query_texts(mut self, texts: &[String]) -> Self {
        let mut strings = Interner::new();
        let number: Vec<u32> = texts.iter().map(|text| strings.intern(text)).collect();
        self.query.iter_mut().for_each(|query| *query = number[*query as usize]);
        self.queries = strings.into_strings();
        self.meaning = None;
        self
    }

    /// The number of persons.
    pub fn persons(&self) -> usize {
        self.persons.len()
    }

    /// The number of lines.
    pub fn rows(&self) -> usize {
        self.query.len()
    }

    /// The names of the persons, in the order of first appearance.
    pub fn names(&self) -> &Strings {
        &self.persons
    }

    /// The query strings.
    pub fn queries(&self) -> &Strings {
        &self.queries
    }

    /// The URLs.
    pub fn urls(&self) -> &Strings {
        &self.urls
    }

    /// The lines of a person, as indices for [`Self::line`].
    pub fn range(&self, person: usize) -> Range<usize> {
        self.starts[person]..self.starts[person + 1]
    }

    /// A line.
    pub fn line(&self, row: usize) -> Line {
        let some = |id: u32| (id != MISSING).then_some(id);
        Line { query: self.query[row], time: self.time.get(row), rank: some(self.rank[row]), url: some(self.url[row]) }
    }

    /// The lines of a person in the order of the file.
    pub fn lines(&self, person: usize) -> impl Iterator<Item = Line> {
        self.range(person).map(|row| self.line(row))
    }

    /// Brings the strings of some lines, which are about to be used, near to the processor: see [`Strings::touch`].
    pub fn touch(&self, rows: Range<usize>) {
        self.queries.touch(self.query[rows.clone()].iter().copied());
        self.urls.touch(self.url[rows].iter().copied().filter(|&url| url != MISSING));
    }

    /// The query ids of a range of lines.
    pub fn query_ids(&self, rows: Range<usize>) -> &[u32] {
        &self.query[rows]
    }

    /// The number of lines with a clicked URL.
    pub fn rows_with_url(&self) -> usize {
        self.url.iter().filter(|&&url| url != MISSING).count()
    }

    /// The first and the last point in time, in milliseconds. `None` for a log without lines.
    pub fn time_span(&self) -> Option<(i64, i64)> {
        self.time.span()
    }

    /// The hours, each of its day, in which persons searched, as facts: numbered in the order of time.
    fn hours(&self) -> Facts<'_> {
        let hour = |row: usize| self.time.get(row).div_euclid(HOUR);
        // Piece by piece: there are far fewer hours than lines.
        const PIECE: usize = 1 << 16;
        let different = |mut hours: Vec<i64>| {
            hours.sort_unstable();
            hours.dedup();
            hours
        };
        let of_piece = |piece: usize| {
            let rows = piece * PIECE..self.rows().min((piece + 1) * PIECE);
            different(rows.map(hour).collect())
        };
        let pieces: Vec<Vec<i64>> = (0..self.rows().div_ceil(PIECE)).into_par_iter().map(of_piece).collect();
        let hours = different(pieces.concat());
        let count = hours.len();
        let number = move |row: usize| hours.partition_point(|&other| other < hour(row)) as u32;
        Facts::new(count, move |person| self.range(person).map(&number).collect())
    }

    /// The sites whose pages persons clicked, as facts: hosts, without a `www` before them.
    fn sites(&self) -> Facts<'_> {
        let mut hosts = Interner::new();
        let mut site = |url: &str| match host_of(url) {
            host if host.is_empty() => MISSING,
            host => hosts.intern(host.strip_prefix("www.").unwrap_or(&host)),
        };
        let sites: Vec<u32> = self.urls.iter().map(&mut site).collect();
        let count = hosts.strings().len();
        Facts::new(count, move |person| {
            let urls = self.url[self.range(person)].iter().filter(|&&url| url != MISSING);
            urls.map(|&url| sites[url as usize]).filter(|&site| site != MISSING).collect()
        })
        .ordered(move |left, right| hosts.strings().get(left).cmp(hosts.strings().get(right)))
    }

    /// The query strings of a person with how often they occur, in the order of first appearance.
    pub fn query_counts(&self, person: usize) -> Vec<(u32, usize)> {
        let mut positions: Vec<(u32, usize)> =
            self.query_ids(self.range(person)).iter().enumerate().map(|(position, &query)| (query, position)).collect();
        positions.sort_unstable();
        let mut counts: Vec<(usize, u32, usize)> = positions
            .chunk_by(|left, right| left.0 == right.0)
            .map(|same| (same[0].1, same[0].0, same.len()))
            .collect();
        counts.sort_unstable();
        counts.into_iter().map(|(_, query, count)| (query, count)).collect()
    }
}

/// The strings of a column alone, in the order of their ids, and the column with their new ids.
fn only_used(strings: &Strings, mut column: Vec<u32>) -> (Strings, Vec<u32>) {
    let mut used: Vec<u32> = column.iter().copied().filter(|&id| id != MISSING).collect();
    used.sort_unstable();
    used.dedup();
    for id in column.iter_mut().filter(|id| **id != MISSING) {
        *id = used.partition_point(|other| other < id) as u32;
    }
    (used.iter().map(|&id| strings.get(id)).collect(), column)
}

impl Dataset for QueryLog {
    const FACTS: &'static [FactSort] = &[
        FactSort {
            names: ["query", "queries"],
            means: "the whole string",
            known: ["one search of a person", "{} searches of a person"],
        },
        FactSort {
            names: ["time", "times"],
            means: "the day and the hour of a search",
            known: ["the day and hour of one search of a person", "the days and hours of {} searches of a person"],
        },
        FactSort {
            names: ["site", "sites"],
            means: "the host of a clicked page",
            known: ["one site that a person clicked on", "{} sites that a person clicked on"],
        },
    ];

    fn persons(&self) -> usize {
        self.persons()
    }

    fn rows(&self) -> usize {
        self.rows()
    }

    fn names(&self) -> &Strings {
        self.names()
    }

    fn wishes(&self) -> Option<&[u32]> {
        self.wishes.as_deref()
    }

    /// With the strings of their lines alone, and without what these mean.
    fn of_persons(&self, persons: &[u32]) -> Self {
        self.of_lines(persons, |_| true)
    }

    /// Under the name of the first of them, lines in the order of a release.
    fn joined(&self, owners: &[u32], persons: usize) -> Option<Self> {
        let mut parts: Vec<Vec<usize>> = vec![Vec::new(); persons];
        for (part, &owner) in owners.iter().enumerate() {
            parts[owner as usize].push(part);
        }
        let (mut starts, mut rows, mut names) = (vec![0], Vec::with_capacity(self.rows()), Strings::new());
        for parts in &parts {
            parts.iter().for_each(|&part| rows.extend(self.range(part)));
            starts.push(rows.len());
            names.push(parts.first().map_or("", |&part| self.persons.get(part as u32)));
        }
        Some(Self { persons: names, ..self.of_rows(starts, &rows) }.in_release_order())
    }

    /// Lines by time, query, rank, URL; what is missing comes first.
    fn in_release_order(mut self) -> Self {
        for person in 0..self.persons() {
            let range = self.range(person);
            let mut lines: Vec<Line> = self.lines(person).collect();
            lines.sort_by(|left, right| {
                let query = |line: &Line| self.queries.get(line.query);
                let url = |line: &Line| line.url.map(|url| self.urls.get(url));
                (left.time.cmp(&right.time))
                    .then_with(|| query(left).cmp(query(right)))
                    .then_with(|| left.rank.cmp(&right.rank))
                    .then_with(|| url(left).cmp(&url(right)))
            });
            for (row, line) in range.zip(lines) {
                self.query[row] = line.query;
                self.time.set(row, line.time);
                self.rank[row] = line.rank.unwrap_or(MISSING);
                self.url[row] = line.url.unwrap_or(MISSING);
            }
        }
        self
    }

    fn facts(&self, sort: usize) -> Facts<'_> {
        match sort {
            0 => Facts::new(self.queries.len(), |person| self.query_ids(self.range(person)).into())
                .ordered(|left, right| self.queries.get(left).cmp(self.queries.get(right))),
            1 => self.hours(),
            _ => self.sites(),
        }
    }

    fn has(&self, need: Need) -> bool {
        match need {
            Need::Meaning => self.meaning.is_some(),
            Need::HashedWords => crate::attacks::is_hashed(self),
            Need::Link | Need::Taxonomy | Need::Classes | Need::OtherRelease | Need::Control | Need::Reference => false,
            Need::Noise | Need::Target => false,
        }
    }
}

impl Texts for QueryLog {
    fn strings(&self) -> &Strings {
        &self.queries
    }

    fn strings_of(&self, person: usize) -> &[u32] {
        self.query_ids(self.range(person))
    }

    fn hours_of(&self, person: usize) -> Vec<u32> {
        self.lines(person).map(|line| hour_of_week(line.time)).collect()
    }

    fn meaning(&self) -> Option<&Arc<Meaning>> {
        self.meaning.as_ref()
    }
}

/// A column of times: seconds in 4 bytes where that is exact, else milliseconds in 8.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Times {
    /// Whole seconds after `base`.
    Seconds {
        /// Seconds since 1970 of offset 0.
        base: i64,
        /// Seconds after the base.
        offsets: Vec<u32>,
    },
    /// Milliseconds since 1970.
    Millis(Vec<i64>),
}

impl Default for Times {
    fn default() -> Self {
        Self::Millis(Vec::new())
    }
}

impl Times {
    /// An empty column for times between two bounds, in the smaller form if `whole_seconds` and the span allow it.
    pub fn for_span(first: i64, last: i64, whole_seconds: bool, rows: usize) -> Self {
        let (base, end) = (first.div_euclid(1000), last.div_euclid(1000));
        if whole_seconds && end.checked_sub(base).is_some_and(|span| u32::try_from(span).is_ok()) {
            Self::Seconds { base, offsets: vec![0; rows] }
        } else {
            Self::Millis(vec![0; rows])
        }
    }

    /// The number of times.
    pub fn len(&self) -> usize {
        match self {
            Self::Seconds { offsets, .. } => offsets.len(),
            Self::Millis(millis) => millis.len(),
        }
    }

    /// Whether there is no time.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds times at the end: in the smaller form as long as that is exact, within 68 years of the first. When all are there,
    /// [`Self::settled`] makes the column what it is to be.
    pub fn extend_from_slice(&mut self, times: &[i64]) {
        if self.is_empty()
            && let Some(first) = times.first()
        {
            *self = Self::Seconds { base: first.div_euclid(1000) - (1 << 31), offsets: Vec::new() };
        }
        for &time in times {
            if let Self::Seconds { base, offsets } = self {
                let seconds = if time % 1000 == 0 { time / 1000 - *base } else { -1 };
                if let Ok(offset) = u32::try_from(seconds) {
                    offsets.push(offset);
                    continue;
                }
                *self = Self::Millis((0..self.len()).map(|row| self.get(row)).collect());
            }
            if let Self::Millis(millis) = self {
                millis.push(time);
            }
        }
    }

    /// The same times, in the smaller form if that is exact, after the first second.
    #[must_use]
    pub fn settled(self) -> Self {
        match self {
            Self::Millis(millis) => millis.into(),
            Self::Seconds { base, mut offsets } => {
                let least = offsets.iter().copied().min().unwrap_or(0);
                offsets.iter_mut().for_each(|offset| *offset -= least);
                offsets.shrink_to_fit();
                Self::Seconds { base: base + i64::from(least), offsets }
            }
        }
    }

    /// A time in milliseconds since 1970.
    pub fn get(&self, row: usize) -> i64 {
        match self {
            Self::Seconds { base, offsets } => (base + i64::from(offsets[row])) * 1000,
            Self::Millis(millis) => millis[row],
        }
    }

    /// Sets a time, which must lie in the span the column was made for.
    pub fn set(&mut self, row: usize, time: i64) {
        match self {
            Self::Seconds { base, offsets } => offsets[row] = (time.div_euclid(1000) - *base) as u32,
            Self::Millis(millis) => millis[row] = time,
        }
    }

    /// The first and the last time. `None` if there is none.
    pub fn span(&self) -> Option<(i64, i64)> {
        match self {
            Self::Seconds { base, offsets } => {
                let (first, last) = (offsets.iter().min()?, offsets.iter().max()?);
                Some(((base + i64::from(*first)) * 1000, (base + i64::from(*last)) * 1000))
            }
            Self::Millis(millis) => Some((*millis.iter().min()?, *millis.iter().max()?)),
        }
    }
}

impl From<Vec<i64>> for Times {
    fn from(millis: Vec<i64>) -> Self {
        let (Some(&first), Some(&last)) = (millis.iter().min(), millis.iter().max()) else { return Self::default() };
        let mut times = Self::for_span(first, last, millis.iter().all(|time| time % 1000 == 0), millis.len());
        for (row, &time) in millis.iter().enumerate() {
            times.set(row, time);
        }
        times
    }
}

/// Builds a log line by line, in any order of persons.
#[derive(Debug, Default)]
pub struct QueryLogBuilder {
    persons: Interner,
    queries: Interner,
    urls: Interner,
    lines: Vec<(u32, Line)>,
}

impl QueryLogBuilder {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a person without lines, or none if the name is known, and gives its number.
    pub fn person(&mut self, name: &str) -> u32 {
        self.persons.intern(name)
    }

    /// Adds a line.
    pub fn push(&mut self, person: &str, query: &str, time: i64, rank: Option<u32>, url: Option<&str>) {
        let person = self.persons.intern(person);
        self.push_for(person, query, time, rank, url);
    }

    /// Adds a line for a person whose number is known.
    pub fn push_for(&mut self, person: u32, query: &str, time: i64, rank: Option<u32>, url: Option<&str>) {
        let line = Line { query: self.queries.intern(query), time, rank, url: url.map(|url| self.urls.intern(url)) };
        self.lines.push((person, line));
    }

    /// The log.
    pub fn finish(mut self) -> QueryLog {
        self.lines.sort_by_key(|&(person, _)| person);
        let mut starts = vec![0; self.persons.strings().len() + 1];
        for &(person, _) in &self.lines {
            starts[person as usize + 1] += 1;
        }
        for person in 1..starts.len() {
            starts[person] += starts[person - 1];
        }
        let lines = &self.lines;
        QueryLog::from_columns(Columns {
            persons: self.persons.into_strings(),
            queries: self.queries.into_strings(),
            urls: self.urls.into_strings(),
            starts,
            query: lines.iter().map(|(_, line)| line.query).collect(),
            time: lines.iter().map(|(_, line)| line.time).collect::<Vec<_>>().into(),
            rank: lines.iter().map(|(_, line)| line.rank.unwrap_or(MISSING)).collect(),
            url: lines.iter().map(|(_, line)| line.url.unwrap_or(MISSING)).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_grouped_by_person_in_file_order() {
        let mut builder = QueryLogBuilder::new();
        builder.push("b", "x", 1000, None, None);
        builder.push("a", "y", 2000, Some(3), Some("u"));
        builder.push("b", "y", 500, None, None);
        let log = builder.finish();
        assert_eq!((log.persons(), log.rows()), (2, 3));
        assert_eq!(log.names().get(0), "b");
        let times: Vec<i64> = log.lines(0).map(|line| line.time).collect();
        assert_eq!(times, [1000, 500]);
        assert_eq!(log.line(2), Line { query: 1, time: 2000, rank: Some(3), url: Some(0) });
        assert_eq!(log.time_span(), Some((500, 2000)));
    }

    #[test]
    fn facts_are_strings_hours_and_sites() {
        let mut builder = QueryLogBuilder::new();
        for (person, query, minute, url) in [
            ("a", "x", 61, Some("http://www.news.example/today")),
            ("a", "x", 119, Some("https://NEWS.example:8080")),
            ("b", "y", 120, Some("/no/host")),
            ("b", "x", -1, None),
            ("b", "z", 60, Some("shop.example")),
        ] {
            builder.push(person, query, minute * 60_000, None, url);
        }
        let log = builder.finish();
        let facts = |sort: usize| -> (usize, [Vec<u32>; 2]) {
            let facts = log.facts(sort);
            (facts.count(), [0, 1].map(|person| facts.of(person).into_owned()))
        };
        assert_eq!(facts(0), (3, [vec![0, 0], vec![1, 0, 2]]));
        // The hour before 1970, the second and the third hour of it.
        assert_eq!(facts(1), (3, [vec![1, 1], vec![2, 0, 1]]));
        assert_eq!(facts(2), (2, [vec![0, 0], vec![1]]));
        assert_eq!(QueryLogBuilder::new().finish().facts(1).count(), 0);
    }

    #[test]
    fn barred_lines_leave_nothing_behind() {
        let mut builder = QueryLogBuilder::new();
        for (person, query, url) in
            [("a", "x", Some("u")), ("b", "y", None), ("a", "y", Some("v")), ("c", "x", Some("v"))]
        {
            builder.push(person, query, 1000, None, url);
        }
        let log = builder.finish().without(|text| text == "y" || text == "v");
        let mut builder = QueryLogBuilder::new();
        builder.push("a", "x", 1000, None, Some("u"));
        assert_eq!(log, builder.finish());
    }

    #[test]
    fn some_persons_have_their_own_strings_alone() {
        let mut builder = QueryLogBuilder::new();
        for (person, query, url) in [("a", "x", Some("u")), ("b", "y", None), ("c", "z", Some("v")), ("c", "x", None)] {
            builder.push(person, query, 1000, None, url);
        }
        let some = builder.finish().of_persons(&[2, 1]);
        let mut builder = QueryLogBuilder::new();
        for query in ["x", "y", "z"] {
            builder.queries.intern(query);
        }
        for (person, query, url) in [("c", "z", Some("v")), ("c", "x", None), ("b", "y", None)] {
            builder.push(person, query, 1000, None, url);
        }
        assert_eq!(some, builder.finish());
    }

    #[test]
    fn days_fall_apart_for_those_who_have_both() {
        let day = 24 * super::super::time::HOUR;
        let mut builder = QueryLogBuilder::new();
        for (person, query, time) in [
            ("a", "first", 0),
            ("b", "even alone", 2 * day),
            ("a", "last of its day", 2 * day - 1),
            ("c", "before 1970", -1),
            ("a", "next", 2 * day),
            ("d", "odd alone", day),
            ("c", "two before", -day - 1),
        ] {
            builder.push(person, query, time, None, None);
        }
        let [even, odd] = builder.finish().of_even_and_odd_days();
        let plain = |log: &QueryLog| -> Vec<(String, Vec<String>)> {
            let text = |line: Line| log.queries().get(line.query).to_owned();
            let person =
                |person: usize| (log.names().get(person as u32).to_owned(), log.lines(person).map(text).collect());
            (0..log.persons()).map(person).collect()
        };
        let expected = |of_a: &[&str], of_c: &str| {
            let a: Vec<String> = of_a.iter().map(|&text| text.to_owned()).collect();
            vec![("a".to_owned(), a), ("c".to_owned(), vec![of_c.to_owned()])]
        };
        assert_eq!(plain(&even), expected(&["first", "next"], "two before"));
        assert_eq!(plain(&odd), expected(&["last of its day"], "before 1970"));
        assert_eq!((even.queries().len(), odd.queries().len()), (3, 2), "each half has its own strings alone");
    }

    #[test]
    fn times_are_exact_in_both_forms() {
        for times in [vec![0, 1000, 86_400_000], vec![1, 2, 3], vec![-62_135_596_800_000, 253_402_300_799_000]] {
            let column = Times::from(times.clone());
            assert_eq!((0..times.len()).map(|row| column.get(row)).collect::<Vec<_>>(), times);
        }
        assert!(matches!(Times::from(vec![1000, 5000]), Times::Seconds { .. }));
    }

    #[test]
    fn times_that_come_in_pieces_are_those_that_come_at_once() {
        let century = 3_200_000_000_000;
        for times in
            [vec![5000, 3000, 9000], vec![1000, 2, 5000], vec![0, century, 1000], vec![-century, century], vec![]]
        {
            let mut column = Times::default();
            times.chunks(2).for_each(|piece| column.extend_from_slice(piece));
            assert_eq!(column.settled(), Times::from(times));
        }
    }

    #[test]
    fn counts_follow_first_appearance() {
        let mut builder = QueryLogBuilder::new();
        for query in ["z", "a", "z", "b", "a", "z"] {
            builder.push("p", query, 0, None, None);
        }
        assert_eq!(builder.finish().query_counts(0), [(0, 3), (1, 2), (2, 1)]);
    }
}
