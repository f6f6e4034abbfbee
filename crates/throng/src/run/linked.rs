//! A release as measures see it: one record for each person, also where the release gives one person several pseudonyms.
//!
//! Whoever holds the key knows which pseudonyms are one person's, and puts them together before anything is measured: what a person
//! keeps, and what is exposed of them, is that of all their records. Attackers do not hold the key, and see the release as it is.

use throng_core::{Error, Result};

use crate::kinds::Kinded;

/// A release with the link between its persons and those of the original.
pub(crate) struct Linked<D> {
    /// The release, in which no person of the original has several records.
    pub(crate) release: D,
    /// For each record how many persons it stands for.
    pub(crate) multiplicity: Vec<u32>,
    /// For each person of the original the number of their record.
    pub(crate) link: Vec<Option<u32>>,
}

impl<D: Kinded> Linked<D> {
    /// A release whose record `r` stands for `multiplicity[r]` persons, with every link between a person of the original, of whom there
    /// are so many, and a record.
    pub(crate) fn of(release: D, multiplicity: Vec<u32>, links: &[(u32, u32)], persons: usize) -> Result<Self> {
        let mut link = vec![None; persons];
        let mut has_several = false;
        for &(person, record) in links {
            has_several |= link[person as usize].replace(record).is_some();
        }
        if !has_several {
            return Ok(Self { release, multiplicity, link });
        }
        // Every record becomes that of its person; records of nobody stay as they are.
        let records = multiplicity.len();
        let mut owners: Vec<Option<u32>> = vec![None; records];
        let mut is_shared = false;
        for &(person, record) in links {
            is_shared |= owners[record as usize].replace(person).is_some_and(|other| other != person);
        }
        if is_shared {
            return Self::of_shared(release, multiplicity, links, persons);
        }
        let mut next = 0;
        let mut number = || {
            next += 1;
            next - 1
        };
        link = vec![None; persons];
        let mut joined = Vec::with_capacity(records);
        for owner in owners {
            joined.push(match owner {
                Some(person) => *link[person as usize].get_or_insert_with(&mut number),
                None => number(),
            });
        }
        let count = number();
        let release = release.joined(&joined, count as usize).ok_or_else(|| several(D::CARD.name))?;
        Ok(Self { release, multiplicity: vec![1; count as usize], link })
    }

    /// The same where several persons share a record of which they have several: the release stays as it is, and behind it stands for each
    /// person what they have together, which counts for nobody in the release.
    fn of_shared(release: D, mut multiplicity: Vec<u32>, links: &[(u32, u32)], persons: usize) -> Result<Self> {
        let records = multiplicity.len() as u32;
        let rows: usize = links.iter().map(|&(_, record)| release.rows_of(record as usize)).sum();
        if rows > MOST_SHARED_ROWS {
            return Err(Error::refused(format!(
                "what every person's records have together are {rows} rows, too many to measure"
            ))
            .with_hint("protect a part of the data, or leave out measures that need the link"));
        }
        let mut link = vec![None; persons];
        let mut copies: Vec<u32> = (0..records).collect();
        let mut owners: Vec<u32> = (0..records).collect();
        let mut next = records;
        for &(person, record) in links {
            let own = *link[person as usize].get_or_insert_with(|| {
                next += 1;
                next - 1
            });
            copies.push(record);
            owners.push(own);
        }
        multiplicity.resize(next as usize, 0);
        let joined = release.of_persons(&copies).joined(&owners, next as usize);
        let release = joined.ok_or_else(|| several(D::CARD.name))?;
        Ok(Self { release, multiplicity, link })
    }
}

/// So many rows at most stand behind a release whose records are shared.
const MOST_SHARED_ROWS: usize = 20_000_000;

fn several(kind: &str) -> Error {
    Error::refused(format!("the key gives one person several pseudonyms, which {kind} cannot have"))
        .with_hint("is it the key of another release? Only search logs can be split")
}

#[cfg(test)]
mod tests {
    use throng_core::data::{Baskets, BasketsBuilder, QueryLog, QueryLogBuilder};

    use super::*;

    fn log(rows: &[(&str, &str)]) -> QueryLog {
        let mut builder = QueryLogBuilder::new();
        for &(person, query) in rows {
            builder.push(person, query, 0, None, None);
        }
        builder.finish()
    }

    fn queries(log: &QueryLog, person: usize) -> Vec<&str> {
        log.lines(person).map(|line| log.queries().get(line.query)).collect()
    }

    #[test]
    fn the_records_of_one_person_come_together() {
        let release = log(&[("p", "c"), ("q", "b"), ("r", "a"), ("s", "x")]);
        let linked = Linked::of(release, vec![1; 4], &[(0, 1), (2, 0), (2, 2)], 4).unwrap();
        assert_eq!(linked.link, [Some(1), None, Some(0), None]);
        assert_eq!(linked.multiplicity, [1, 1, 1]);
        let all: Vec<Vec<&str>> = (0..3).map(|person| queries(&linked.release, person)).collect();
        assert_eq!(all, [vec!["a", "c"], vec!["b"], vec!["x"]]);
    }

    #[test]
    fn one_record_each_stays_as_it_is() {
        let release = log(&[("p", "c"), ("q", "b")]);
        let linked = Linked::of(release.clone(), vec![2, 1], &[(0, 0), (1, 0), (2, 1)], 4).unwrap();
        assert_eq!((linked.release, linked.multiplicity), (release, vec![2, 1]));
        assert_eq!(linked.link, [Some(0), Some(0), Some(1), None]);
    }

    /// What is counted over the release is counted once; what a person has is all of theirs.
    #[test]
    fn records_that_several_share_stay() {
        let release = log(&[("p", "c"), ("q", "b")]);
        let linked = Linked::of(release, vec![1, 2], &[(0, 0), (0, 1), (1, 1)], 3).unwrap();
        assert_eq!((linked.link, linked.multiplicity), (vec![Some(2), Some(3), None], vec![1, 2, 0, 0]));
        let all: Vec<Vec<&str>> = (0..4).map(|person| queries(&linked.release, person)).collect();
        assert_eq!(all, [vec!["c"], vec!["b"], vec!["b", "c"], vec!["b"]]);
    }

    #[test]
    fn what_no_release_has_is_refused() {
        let mut builder = BasketsBuilder::new(None, true);
        let (one, two, item) = (builder.person("p"), builder.person("q"), builder.label("bread"));
        builder.push(one, item);
        builder.push(two, item);
        let baskets: Baskets = builder.finish();
        let error = Linked::of(baskets, vec![1; 2], &[(0, 0), (0, 1)], 1).err().unwrap();
        assert!(error.to_string().contains("which baskets cannot have"), "{error}");
    }
}
