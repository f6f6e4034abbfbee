//! Lines that stay with their persons, and say something else or less: what the old ways do to a log.

use crate::data::queries::{Columns, MISSING};
use crate::data::{QueryLog, Strings};
use crate::error::{Error, Result};
use crate::release::Protected;

/// The log with other texts and without URLs: the query of a person becomes the text with this number, and the line leaves if there is
/// none. Persons of whom no line is left are left out. Times and ranks stay.
pub(super) fn rewritten(
    log: &QueryLog,
    texts: Strings,
    text_of: impl Fn(usize, u32) -> Option<u32>,
) -> Protected<QueryLog> {
    let mut columns = Columns { queries: texts, starts: vec![0], ..Columns::default() };
    let (mut times, mut owners) = (Vec::new(), Vec::new());
    for person in 0..log.persons() {
        for line in log.lines(person) {
            if let Some(text) = text_of(person, line.query) {
                columns.query.push(text);
                times.push(line.time);
                columns.rank.push(line.rank.unwrap_or(MISSING));
                columns.url.push(MISSING);
            }
        }
        if times.len() > columns.starts[owners.len()] {
            columns.persons.push(&owners.len().to_string());
            columns.starts.push(times.len());
            owners.push(person as u32);
        }
    }
    let records = QueryLog::from_columns(Columns { time: times.into(), ..columns });
    Protected::of_parts(records, &owners, log.persons())
}

/// The lines of each person in several records, each a list of lines as [`QueryLog::line`] numbers them. Empty ones are left out.
pub(super) fn in_parts(log: &QueryLog, mut parts_of: impl FnMut(usize) -> Vec<Vec<usize>>) -> Protected<QueryLog> {
    let (mut starts, mut rows, mut owners) = (vec![0], Vec::new(), Vec::new());
    for person in 0..log.persons() {
        for part in parts_of(person).into_iter().filter(|part| !part.is_empty()) {
            rows.extend(part);
            starts.push(rows.len());
            owners.push(person as u32);
        }
    }
    Protected::of_parts(log.cut_up(starts, &rows), &owners, log.persons())
}

/// Refuses a release without a line.
pub(super) fn refuse_nothing_left(
    protected: Protected<QueryLog>,
    why: &str,
    hint: &str,
) -> Result<Protected<QueryLog>> {
    if protected.records.rows() == 0 {
        return Err(Error::data(format!("nothing is left to publish: {why}")).with_hint(hint));
    }
    Ok(protected)
}

#[cfg(test)]
pub(super) mod testing {
    //! What a method made of a log, as plain values.

    use super::*;
    use crate::data::QueryLogBuilder;

    /// A log of lines: person, query, minute.
    pub(in crate::methods::queries) fn log(rows: &[(&str, &str, i64)]) -> QueryLog {
        let mut builder = QueryLogBuilder::new();
        for &(person, query, minute) in rows {
            builder.push(person, query, minute * 60_000, Some(1), Some("http://x.example"));
        }
        builder.finish()
    }

    /// For each record who it is of, and its lines: query and minute.
    pub(in crate::methods::queries) fn records(protected: &Protected<QueryLog>) -> Vec<(u32, Vec<(String, i64)>)> {
        let mut given = protected.given();
        given.sort_by_key(|&(_, record)| record);
        let log = &protected.records;
        let lines = |record: usize| {
            log.lines(record).map(|line| (log.queries().get(line.query).to_owned(), line.time / 60_000)).collect()
        };
        given.into_iter().map(|(person, record)| (person, lines(record as usize))).collect()
    }
}
