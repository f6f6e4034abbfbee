//! `throng inspect`: what is this file, and how exposed are the people in it?

use serde::Serialize;
use serde_json::Value;
use throng_core::data::Interner;
use throng_core::data::time::{TimeStyle, to_text};
use throng_core::distance::user_distance::{QueryWeights, Scales, UserParts, UserSpace};
use throng_core::measures::risk::uniqueness;
use throng_core::progress::Progress;
use throng_core::{Error, Kind, Result, Rng};

use crate::io::{Location, ReadOptions, read_log};
use crate::report;

/// What a file is, and how exposed the people in it are.
#[derive(Debug, Clone, Serialize)]
pub struct Inspected {
    /// The kind of data.
    pub kind: &'static str,
    /// The file's format.
    pub format: String,
    /// How many persons.
    pub persons: usize,
    /// How many rows.
    pub rows: usize,
    /// Malformed lines that were skipped.
    pub rows_refused: u64,
    /// How many different query strings.
    pub distinct_queries: usize,
    /// How many different URLs.
    pub distinct_urls: usize,
    /// Rows with a clicked URL.
    pub rows_with_click: usize,
    /// The first point in time.
    pub first_time: String,
    /// The last point in time.
    pub last_time: String,
    /// The column of each role.
    pub columns: serde_json::Map<String, Value>,
    /// Columns without a role, which a release would not have.
    pub unmapped: Vec<String>,
    /// The share of persons whom 1, 2, 3 of their distinct queries single out.
    pub unique_by: Value,
}

/// Looks at a file.
pub fn inspect(location: &Location, options: &ReadOptions, seed: u64, progress: &dyn Progress) -> Result<Inspected> {
    let read = read_log(location, options, progress)?;
    let log = &read.log;
    progress.stage("exposure", 0);
    let unique = uniqueness::unique_by(log, &mut Rng::seeded(seed));
    let (first, last) = log.time_span().unwrap_or_default();
    let layout = &read.scanned.layout;
    Ok(Inspected {
        kind: Kind::Queries.name(),
        format: read.scanned.format.to_string(),
        persons: log.persons(),
        rows: log.rows(),
        rows_refused: read.scanned.refused,
        distinct_queries: log.queries().len(),
        distinct_urls: log.urls().len(),
        rows_with_click: log.rows_with_url(),
        first_time: to_text(first, TimeStyle::ISO),
        last_time: to_text(last, TimeStyle::ISO),
        columns: layout
            .columns
            .iter()
            .map(|(role, name)| (role.name().to_owned(), Value::from(name.as_str())))
            .collect(),
        unmapped: layout.unmapped.clone(),
        unique_by: report::unique_by(unique),
    })
}

/// The distance of two persons with its parts.
#[derive(Debug, Clone, Serialize)]
pub struct DistanceOutcome {
    /// The user distance.
    pub distance: f64,
    /// What it is made of.
    pub parts: UserParts,
}

/// The user distance of two persons of a file, named by their ids.
pub fn distance(
    location: &Location,
    options: &ReadOptions,
    persons: [&str; 2],
    weights: QueryWeights,
    progress: &dyn Progress,
) -> Result<DistanceOutcome> {
    let read = read_log(location, options, progress)?;
    let names = Interner::from(read.log.names());
    let find = |name: &str, which: &str| {
        names.find(name).map(|person| person as usize).ok_or_else(|| {
            Error::data(format!("the {which} person given is not in the file"))
                .with_value(name)
                .with_hint("give two ids as they stand in the user column")
                .in_file(location.to_string())
        })
    };
    let (left, right) = (find(persons[0], "first")?, find(persons[1], "second")?);
    let space = UserSpace::new(Scales::of(&read.log), weights, &[&read.log]);
    let (distance, parts) = space.parts(left, right);
    Ok(DistanceOutcome { distance, parts })
}
