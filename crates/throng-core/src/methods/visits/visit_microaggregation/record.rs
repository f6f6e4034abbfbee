//! The record of a group: lines by quotas for visitors and sessions, what all have in common for lines.
//!
//! # Idea
//! 1. A record has as many lines as its members on average; each path gets its share of them by quotas, the largest remainders first (001).
//! 2. The lines of a path in the group are cut into as many runs, in the order of time; a line's time is the mean of its run.
//! 3. Of the lines that the representative has too, those of which it has earlier come earlier: they exchange their times.
//! 4. Where the file says which sessions there are, a record has as many as its members on average; what rounding leaves over is given to the
//!    next group, so that the number of all sessions stays.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::data::queries::MISSING;
use crate::data::visits::{Part, Visit};
use crate::data::{Visits, VisitsBuilder};

/// Makes records, group by group.
pub(super) struct Records<'v> {
    visits: &'v Visits,
    pub(super) builder: VisitsBuilder,
    /// Sessions that groups before had and did not get.
    owed: f64,
}

/// The bits of a network that are published, of IPv4 and IPv6.
const NETWORK: [u32; 2] = [16, 32];

/// A line of a record.
struct Line<'v> {
    path: u32,
    time: i64,
    status: Option<u16>,
    bytes: Option<u64>,
    method: Option<&'v str>,
    version: Option<&'v str>,
}

impl<'v> Records<'v> {
    pub(super) fn new(visits: &'v Visits) -> Self {
        Self { visits, builder: VisitsBuilder::new(), owed: 0.0 }
    }

    /// Adds the record of a group of visitors or sessions, of which one stands for all.
    pub(super) fn add(&mut self, members: &[&[usize]], representative: &[usize], name: &str) {
        let visits = self.visits;
        let rows = || members.iter().flat_map(|rows| rows.iter().copied());
        let mut lines = lines_of(visits, members);
        in_order_of(visits, representative, &mut lines);
        let sessions = self.sessions_of(members, lines.len());
        let agent = most_frequent(rows().filter_map(|row| visits.text(Part::Agent, row)));
        let host = most_frequent(rows().filter_map(|row| visits.text(Part::Host, row)));
        for (at, line) in lines.iter().enumerate() {
            let session = sessions.map(|count| (at * count / lines.len()).to_string());
            let path = (line.path != MISSING).then(|| published(visits.texts(Part::Path).get(line.path)));
            let Line { time, status, bytes, .. } = *line;
            let mut visit = Visit { time, status, bytes, ..Visit::default() };
            for (part, value) in [
                (Part::Address, Some("-")),
                (Part::Agent, agent),
                (Part::Host, host),
                (Part::Path, path.as_deref()),
                (Part::Method, line.method),
                (Part::Version, line.version),
                (Part::Session, session.as_deref()),
            ] {
                visit.texts[part as usize] = value;
            }
            self.builder.push(name, &visit, 1);
        }
    }

    /// How many sessions a record of so many lines has, where the file says which there are.
    fn sessions_of(&mut self, members: &[&[usize]], lines: usize) -> Option<usize> {
        if !self.visits.has_part(Part::Session) {
            return None;
        }
        let of = |rows: &&[usize]| {
            let mut own: Vec<u32> = rows.iter().map(|&row| self.visits.session(row)).collect();
            own.sort_unstable();
            own.dedup();
            own.len()
        };
        let all = members.iter().map(of).sum::<usize>() as f64;
        let count = members.len() as f64;
        let given = ((all + self.owed) / count).round().clamp(1.0, lines as f64);
        self.owed += all - given * count;
        Some(given as usize)
    }

    /// Adds the lines of a group of lines: as many as there are, all the same, under the network that they have in common.
    pub(super) fn add_lines(&mut self, rows: &[usize]) -> String {
        let visits = self.visits;
        let text = |part: Part| most_frequent(rows.iter().filter_map(|&row| visits.text(part, row)));
        let sum: i128 = rows.iter().map(|&row| i128::from(visits.time(row))).sum();
        let mean = (sum / rows.len() as i128) as i64;
        let addresses: Vec<&str> = rows.iter().map(|&row| visits.text(Part::Address, row).unwrap_or("-")).collect();
        let address = common_network(&addresses);
        let paths: Option<Vec<&str>> = rows.iter().map(|&row| visits.text(Part::Path, row)).collect();
        let path = paths.map(|paths| published(&common_path(&paths)));
        let agent = text(Part::Agent);
        let name = format!("{address} {}", agent.unwrap_or("-"));
        let mut visit = Visit {
            time: mean.div_euclid(1000) * 1000,
            status: most_frequent(rows.iter().filter_map(|&row| visits.status(row))),
            bytes: most_frequent(rows.iter().filter_map(|&row| visits.bytes(row))),
            ..Visit::default()
        };
        for (part, value) in [
            (Part::Address, Some(address.as_str())),
            (Part::Agent, agent),
            (Part::Host, text(Part::Host)),
            (Part::Path, path.as_deref()),
            (Part::Method, text(Part::Method)),
            (Part::Version, text(Part::Version)),
        ] {
            visit.texts[part as usize] = value;
        }
        rows.iter().for_each(|_| self.builder.push(&name, &visit, 1));
        name
    }
}

/// A literal star is no wildcard.
fn published(path: &str) -> String {
    path.replace('*', "%2A")
}

/// The lines of a group's record, in the order of time.
fn lines_of<'v>(visits: &'v Visits, members: &[&[usize]]) -> Vec<Line<'v>> {
    let all: usize = members.iter().map(|rows| rows.len()).sum();
    let count = ((2 * all + members.len()) / (2 * members.len())).max(1);
    let mut of_path: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for &row in members.iter().flat_map(|rows| rows.iter()) {
        of_path.entry(visits.column(Part::Path)[row]).or_default().push(row);
    }
    let mut paths: Vec<(u32, Vec<usize>)> = of_path.into_iter().collect();
    paths.iter_mut().for_each(|(_, rows)| rows.sort_by_key(|&row| visits.time(row)));
    let counts: Vec<usize> = paths.iter().map(|(_, rows)| rows.len()).collect();
    let mut lines = Vec::with_capacity(count);
    for ((path, rows), quota) in paths.iter().zip(quotas(&counts, count)) {
        let text = |part: Part| most_frequent(rows.iter().filter_map(|&row| visits.text(part, row)));
        let (method, version) = (text(Part::Method), text(Part::Version));
        let status = most_frequent(rows.iter().filter_map(|&row| visits.status(row)));
        let bytes = most_frequent(rows.iter().filter_map(|&row| visits.bytes(row)));
        for part in 0..quota {
            // Never more runs than lines: a quota is at most the lines of its path, for there are at least two members.
            let run = &rows[part * rows.len() / quota..(part + 1) * rows.len() / quota];
            let sum: i128 = run.iter().map(|&row| i128::from(visits.time(row))).sum();
            let time = ((sum / run.len().max(1) as i128) as i64).div_euclid(1000) * 1000;
            lines.push(Line { path: *path, time, status, bytes, method, version });
        }
    }
    lines
}

/// Brings lines into the order of time, in which those that a representative has too come as it has them: these exchange their times.
fn in_order_of(visits: &Visits, representative: &[usize], lines: &mut [Line<'_>]) {
    let mut left: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (at, &row) in representative.iter().enumerate().rev() {
        left.entry(visits.column(Part::Path)[row]).or_default().push(at);
    }
    let mut places: Vec<(usize, usize)> = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        if let Some(place) = left.get_mut(&line.path).and_then(Vec::pop) {
            places.push((place, number));
        }
    }
    let mut times: Vec<i64> = places.iter().map(|&(_, number)| lines[number].time).collect();
    times.sort_unstable();
    places.sort_unstable();
    for (time, (_, number)) in times.into_iter().zip(places) {
        lines[number].time = time;
    }
    lines.sort_by_key(|line| line.time);
}

/// How many of so many lines each path gets: its share, rounded so that they add up; the largest remainders first, ties to the lower number.
fn quotas(counts: &[usize], lines: usize) -> Vec<usize> {
    let all: usize = counts.iter().sum();
    let mut quotas: Vec<usize> = counts.iter().map(|count| count * lines / all).collect();
    let left = lines - quotas.iter().sum::<usize>();
    let mut order: Vec<usize> = (0..counts.len()).collect();
    order.sort_by_key(|&at| (std::cmp::Reverse(counts[at] * lines % all), at));
    order.into_iter().take(left).for_each(|at| quotas[at] += 1);
    quotas
}

/// The most frequent of some values; ties to the lower one.
fn most_frequent<T: Ord>(values: impl Iterator<Item = T>) -> Option<T> {
    let mut counts: BTreeMap<T, usize> = BTreeMap::new();
    values.for_each(|value| *counts.entry(value).or_default() += 1);
    counts.into_iter().min_by_key(|(_, count)| std::cmp::Reverse(*count)).map(|(value, _)| value)
}

/// The path that some have in common: the first segments of all.
fn common_path(paths: &[&str]) -> String {
    let Some((first, others)) = paths.split_first() else { return "/".to_owned() };
    if others.iter().all(|other| other == first) {
        return (*first).to_owned();
    }
    let segments = |path: &str| path.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect::<Vec<_>>();
    let own = segments(first);
    let same = |other: &&str| own.iter().zip(segments(other)).take_while(|(own, other)| *own == other).count();
    let common = others.iter().map(same).min().unwrap_or(own.len());
    format!("/{}", own[..common].join("/"))
}

/// The network that some addresses have in common, at most [`NETWORK`] bits; of names the last labels, at least two; `-` if there is nothing.
fn common_network(addresses: &[&str]) -> String {
    let parsed: Option<Vec<IpAddr>> = addresses.iter().map(|address| address.parse().ok()).collect();
    let none = "-".to_owned();
    let Some(parsed) = parsed else {
        let Some((first, others)) = addresses.split_first() else { return none };
        let labels: Vec<&str> = first.rsplit('.').collect();
        let same = |other: &&str| other.rsplit('.').zip(&labels).take_while(|(other, own)| other == *own).count();
        let common = others.iter().map(same).min().unwrap_or(0).min(labels.len().saturating_sub(1));
        return if common < 2 { none } else { labels[..common].iter().rev().copied().collect::<Vec<_>>().join(".") };
    };
    let v4: Option<Vec<u32>> =
        parsed.iter().map(|address| if let IpAddr::V4(v4) = address { Some(v4.to_bits()) } else { None }).collect();
    let v6: Option<Vec<u128>> =
        parsed.iter().map(|address| if let IpAddr::V6(v6) = address { Some(v6.to_bits()) } else { None }).collect();
    match (v4.as_deref(), v6.as_deref()) {
        (Some([first, others @ ..]), _) => {
            let same = others.iter().map(|other| (first ^ other).leading_zeros()).min().unwrap_or(32).min(NETWORK[0]);
            Ipv4Addr::from_bits(first & u32::MAX.checked_shl(32 - same).unwrap_or(0)).to_string()
        }
        (_, Some([first, others @ ..])) => {
            let same = others.iter().map(|other| (first ^ other).leading_zeros()).min().unwrap_or(128).min(NETWORK[1]);
            Ipv6Addr::from_bits(first & u128::MAX.checked_shl(128 - same).unwrap_or(0)).to_string()
        }
        _ => none,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotas_add_up() {
        assert_eq!(quotas(&[3, 3, 1], 3), [1, 1, 1]);
        assert_eq!(quotas(&[4, 2, 1], 3), [2, 1, 0]);
        assert_eq!(quotas(&[1, 1, 1], 2), [1, 1, 0]);
        assert_eq!(quotas(&[5], 4), [4]);
    }

    #[test]
    fn what_paths_and_addresses_have_in_common() {
        assert_eq!(common_path(&["/a/b/c", "/a/b/c"]), "/a/b/c");
        assert_eq!(common_path(&["/a/b/c", "/a/b/d", "/a/b"]), "/a/b");
        assert_eq!(common_path(&["/a/", "/b"]), "/");
        assert_eq!(common_network(&["192.0.2.1", "192.0.2.1"]), "192.0.0.0");
        assert_eq!(common_network(&["192.0.2.1", "192.128.2.1"]), "192.0.0.0");
        assert_eq!(common_network(&["1.0.0.0", "192.128.2.1"]), "0.0.0.0");
        assert_eq!(common_network(&["2001:db8:1::1", "2001:db8:2::1"]), "2001:db8::");
        assert_eq!(common_network(&["2001:db8:1::1", "192.0.2.1"]), "-");
        assert_eq!(common_network(&["a.b.example", "c.b.example"]), "b.example");
        assert_eq!(common_network(&["a.example", "a.example"]), "-");
        assert_eq!(common_network(&["-", "192.0.2.1"]), "-");
    }

    /// Two members with three lines each; the representative asks for `/b` before `/a`. `/a` and `/b` have two lines each, so that one is
    /// published of each at the mean of its times; `/c` and `/d`, one each, share the third: the lower number gets it.
    #[test]
    fn a_record_by_hand() {
        let mut builder = VisitsBuilder::new();
        for (name, second, path) in
            [("x", 10, "/b"), ("x", 20, "/a"), ("x", 30, "/c"), ("y", 0, "/a"), ("y", 40, "/b"), ("y", 50, "/d")]
        {
            let mut visit = Visit { time: second * 1000, ..Visit::default() };
            visit.texts[Part::Path as usize] = Some(path);
            builder.push(name, &visit, 1);
        }
        let log = builder.finish().0;
        let (x, y): (Vec<usize>, Vec<usize>) = (log.range(0).collect(), log.range(1).collect());
        let record = |representative: &[usize]| -> Vec<(String, i64)> {
            let mut lines = lines_of(&log, &[&x, &y]);
            in_order_of(&log, representative, &mut lines);
            let text = |line: &Line<'_>| log.texts(Part::Path).get(line.path).to_owned();
            lines.iter().map(|line| (text(line), line.time / 1000)).collect()
        };
        let of = |lines: [(&str, i64); 3]| lines.map(|(path, time)| (path.to_owned(), time));
        // Means: /b 25, /a 10, /c 30. y has /a before /b, x the other way round.
        assert_eq!(record(&y), of([("/a", 10), ("/b", 25), ("/c", 30)]));
        assert_eq!(record(&x), of([("/b", 10), ("/a", 25), ("/c", 30)]));
    }
}
