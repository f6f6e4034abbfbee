//! k-anonymity of access logs by smaller units than the visitor: sessions, and single lines; and of visitors with the networks that their
//! addresses are published in.
//!
//! Paper      000 (ARES report), chapter 3, whose unit is the line.
//! Promises   whoever knows a session, or a line, as it stands in the release is left with at least k of them.
//! Does not   promise anything about a visitor who has several: all k of them may be one visitor's. Half of the groups of lines of a real log
//!            are lines of one visitor.
//!
//! # Idea
//! Every session, or line, is compared by all its values but the address, of which its form counts alone, IPv4 or IPv6; the smallest number of
//! equal ones is the k achieved.
//!
//! # Cost
//! Time O(n log n) comparisons for n lines, memory O(n).

use std::net::IpAddr;

use serde_json::{Map, json};

use super::k_anonymity::{EqualRecords, Params, groups_by};
use super::{Model, Verdict, Witness};
use crate::data::Visits;
use crate::data::visits::Part;
use crate::error::{Error, Result};
use crate::info::{self, Info};

/// The card for sessions.
pub const SESSION: Info = Info {
    name: "session-k-anonymity",
    summary: "every session is exactly like at least k - 1 others",
    paper: "ours, after Navarro-Arribas, Torra. New privacy-preserving data mining techniques. Deliverable WP4.T2 of the ARES project (2010), \
            chapter 3",
    details: "A session is its lines, in any order, with every value but the id of the session itself and the address, of which \
        counts whether it is IPv4 or IPv6. The k achieved is the \
        smallest number of sessions that are equal.\n\
        Promises: whoever knows a session as it stands in the release is left with at least k sessions.\n\
        Does not promise: that these are sessions of several visitors. What a visitor with several sessions has in common over them is not \
        hidden: `user-k-anonymity` is about visitors.",
    parameters: &[info::K],
};

/// The card for lines.
pub const LINE: Info = Info {
    name: "record-k-anonymity",
    summary: "every line is exactly like at least k - 1 others",
    paper: "Navarro-Arribas, Torra. New privacy-preserving data mining techniques. Deliverable WP4.T2 of the ARES project (2010), chapter 3",
    details: "A record is a line, with every value but the address, of which counts whether it is IPv4 or IPv6. The k achieved is the smallest number of lines that are equal.\n\
        Promises: whoever knows a line as it stands in the release is left with at least k lines.\n\
        Does not promise: that these are lines of several visitors; of a real log half of them are lines of one. `user-k-anonymity` is about \
        visitors.",
    parameters: &[info::K],
};

/// The card for visitors and their networks.
pub const NETWORK: Info = Info {
    name: "network-k-anonymity",
    summary: "every visitor's record and network are exactly like those of at least k - 1 others",
    paper: "ours",
    details: "A record is all lines of a visitor, as for user-k-anonymity; a network is the first 16 bits of an IPv4 address, the first 32 of an \
        IPv6 address, or the whole name of a host. The k achieved is the smallest number of visitors whose record and network are equal.\n\
        Promises: whoever knows the network that a visitor came from, and their record as it stands in the release, is left with at least k \
        visitors.\n\
        Does not promise: anything about the rest of a published address, which is drawn.",
    parameters: &[info::K],
};

/// Everything of a line but its address and session.
type LineKey = (i64, [u32; 8], Option<u16>, Option<u64>);

fn line_key(visits: &Visits, row: usize) -> LineKey {
    const PARTS: [Part; 8] =
        [Part::Method, Part::Path, Part::Query, Part::Referrer, Part::Agent, Part::Host, Part::User, Part::Version];
    (visits.time(row), PARTS.map(|part| visits.column(part)[row]), visits.status(row), visits.bytes(row))
}

/// The form of a visitor's first address, as anybody sees it: IPv4, IPv6, or neither.
fn form(visits: &Visits, person: usize) -> u8 {
    let address = visits.range(person).find_map(|row| visits.text(Part::Address, row)).unwrap_or("-");
    match address.parse::<IpAddr>() {
        Ok(IpAddr::V4(_)) => 4,
        Ok(IpAddr::V6(_)) => 6,
        Err(_) => 0,
    }
}

/// All lines of a visitor, in any order, with every value but the address, of which its form counts; of sessions, which lines are together.
fn record_key(visits: &Visits, person: usize) -> (u8, Vec<(LineKey, u32)>) {
    let mut lines: Vec<(LineKey, u32)> =
        visits.range(person).map(|row| (line_key(visits, row), visits.session(row))).collect();
    lines.sort_unstable();
    (form(visits, person), lines)
}

impl EqualRecords for Visits {
    /// Keys of lines are made anew for each comparison: those of all lines would take more memory than the log.
    fn groups(&self) -> Vec<Vec<u32>> {
        let mut rows: Vec<u32> = (0..self.rows() as u32).collect();
        let key = |row: u32| (line_key(self, row as usize), self.session(row as usize));
        for person in 0..self.persons() {
            rows[self.range(person)].sort_unstable_by_key(|&row| key(row));
        }
        let forms: Vec<u8> = (0..self.persons()).map(|person| form(self, person)).collect();
        let lines = |person: u32| rows[self.range(person as usize)].iter().map(|&row| key(row));
        groups_by(self.persons(), |left, right| {
            let shape = |person: u32| (forms[person as usize], self.range(person as usize).len());
            shape(left).cmp(&shape(right)).then_with(|| lines(left).cmp(lines(right)))
        })
    }
}

fn check_k(params: Params) -> Result<usize> {
    match params.k {
        0 | 1 => Err(Error::parameter("k", format!("is {}, but must be at least 2", params.k))
            .with_hint("every file is 1-anonymous: there is nothing to check")),
        k => Ok(k),
    }
}

/// The verdict on units that are compared by a key, each of a visitor.
fn verdict<K: Ord>(mut units: Vec<(K, u32)>, k: usize) -> Verdict {
    units.sort_unstable();
    let groups = units.chunk_by(|left, right| left.0 == right.0).map(|group| (group.len(), group[0].1));
    let smallest = groups.min();
    let achieved = smallest.map_or(0, |(size, _)| size);
    let holds = achieved >= k;
    let witness = smallest.filter(|_| !holds).map(|(size, person)| Witness::of_group(person, size));
    Verdict { holds, achieved: Map::from_iter([("k".into(), json!(achieved))]), witness }
}

/// The model of sessions, with checked parameters.
#[derive(Debug, Clone, Copy)]
pub struct SessionKAnonymity {
    k: usize,
}

impl SessionKAnonymity {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        Ok(Self { k: check_k(params)? })
    }
}

impl Model<Visits> for SessionKAnonymity {
    fn check(&self, visits: &Visits) -> Result<Verdict> {
        let mut units = Vec::new();
        for person in 0..visits.persons() {
            for rows in visits.sessions(person) {
                let mut lines: Vec<LineKey> = rows.into_iter().map(|row| line_key(visits, row)).collect();
                lines.sort_unstable();
                units.push(((form(visits, person), lines), person as u32));
            }
        }
        Ok(verdict(units, self.k))
    }
}

/// The model of lines, with checked parameters.
#[derive(Debug, Clone, Copy)]
pub struct LineKAnonymity {
    k: usize,
}

impl LineKAnonymity {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        Ok(Self { k: check_k(params)? })
    }
}

impl Model<Visits> for LineKAnonymity {
    fn check(&self, visits: &Visits) -> Result<Verdict> {
        let lines = (0..visits.persons()).flat_map(|person| visits.range(person).map(move |row| (row, person as u32)));
        let key = |row: usize, person: u32| (form(visits, person as usize), line_key(visits, row));
        Ok(verdict(lines.map(|(row, person)| (key(row, person), person)).collect(), self.k))
    }
}

/// The model of visitors with their networks, with checked parameters.
#[derive(Debug, Clone, Copy)]
pub struct NetworkKAnonymity {
    k: usize,
}

impl NetworkKAnonymity {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        Ok(Self { k: check_k(params)? })
    }
}

impl Model<Visits> for NetworkKAnonymity {
    fn check(&self, visits: &Visits) -> Result<Verdict> {
        // Reserved addresses are in no network.
        let network = |person: usize| {
            let address = visits.range(person).find_map(|row| visits.text(Part::Address, row)).unwrap_or("-");
            match address.parse::<IpAddr>() {
                Ok(IpAddr::V4(v4)) if v4.octets()[0] >= 240 => String::new(),
                Ok(IpAddr::V4(v4)) => format!("{}.{}", v4.octets()[0], v4.octets()[1]),
                Ok(IpAddr::V6(v6)) if v6.segments()[..2] == [0x2001, 0xdb8] => String::new(),
                Ok(IpAddr::V6(v6)) => format!("{:x}:{:x}", v6.segments()[0], v6.segments()[1]),
                Err(_) => address.to_owned(),
            }
        };
        let unit = |person: usize| ((record_key(visits, person), network(person)), person as u32);
        Ok(verdict((0..visits.persons()).map(unit).collect(), self.k))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::VisitsBuilder;
    use crate::data::visits::Visit;

    fn log(lines: &[(&str, i64, &str)]) -> Visits {
        let mut builder = VisitsBuilder::new();
        for &(name, minute, path) in lines {
            let mut visit = Visit { time: minute * 60_000, ..Visit::default() };
            visit.texts[Part::Address as usize] = Some(name);
            visit.texts[Part::Path as usize] = Some(path);
            builder.push(name, &visit, 1);
        }
        builder.finish().0
    }

    #[test]
    fn units_differ() {
        let made = log(&[("1", 0, "/a"), ("2", 0, "/a"), ("1", 100, "/b"), ("2", 100, "/b"), ("2", 101, "/b")]);
        let holds = |verdict: Verdict| (verdict.holds, verdict.achieved["k"].as_u64().unwrap());
        assert_eq!(made.groups(), [vec![0], vec![1]]);
        let model = SessionKAnonymity::new(Params { k: 2 }).unwrap();
        assert_eq!(holds(model.check(&made).unwrap()), (false, 1));
        assert_eq!(model.check(&made).unwrap().witness, Some(Witness::of_group(0, 1)));
        let model = LineKAnonymity::new(Params { k: 2 }).unwrap();
        assert_eq!(holds(model.check(&made).unwrap()), (false, 1));
        let same = log(&[("1", 0, "/a"), ("2", 0, "/a"), ("1", 100, "/b"), ("2", 100, "/b")]);
        assert_eq!(same.groups(), [vec![0, 1]]);
        assert_eq!(holds(model.check(&same).unwrap()), (true, 2));
        assert!(SessionKAnonymity::new(Params { k: 1 }).is_err());
    }

    /// Whoever knows that somebody uses IPv6 looks for such an address.
    #[test]
    fn the_form_of_an_address_counts() {
        let mixed = log(&[("241.1.0.1", 0, "/a"), ("252.2.7.2", 0, "/a"), ("2001:db8::1", 0, "/a")]);
        assert_eq!(mixed.groups(), [vec![0, 1], vec![2]]);
        let achieved = |verdict: Verdict| verdict.achieved["k"].as_u64().unwrap();
        assert_eq!(achieved(SessionKAnonymity::new(Params { k: 2 }).unwrap().check(&mixed).unwrap()), 1);
        assert_eq!(achieved(LineKAnonymity::new(Params { k: 2 }).unwrap().check(&mixed).unwrap()), 1);
        assert_eq!(achieved(NetworkKAnonymity::new(Params { k: 2 }).unwrap().check(&mixed).unwrap()), 1);
    }

    #[test]
    fn networks_are_compared() {
        let model = NetworkKAnonymity::new(Params { k: 2 }).unwrap();
        let k = |lines: &[(&str, i64, &str)]| model.check(&log(lines)).unwrap().achieved["k"].as_u64().unwrap();
        assert_eq!(k(&[("10.1.0.1", 0, "/a"), ("10.1.7.2", 0, "/a")]), 2);
        assert_eq!(k(&[("10.1.0.1", 0, "/a"), ("10.2.7.2", 0, "/a")]), 1);
        assert_eq!(k(&[("241.1.0.1", 0, "/a"), ("252.2.7.2", 0, "/a")]), 2);
        assert_eq!(k(&[("2001:db8::2", 0, "/a"), ("2001:db8:7::1", 0, "/a")]), 2);
        assert_eq!(k(&[("2001:1:0::1", 0, "/a"), ("2001:1:5::1", 0, "/a")]), 2);
        assert_eq!(k(&[("h.example", 0, "/a"), ("i.example", 0, "/a")]), 1);
    }
}
