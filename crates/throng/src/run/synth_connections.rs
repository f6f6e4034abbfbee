//! `throng synth connections`: made-up connection records in the form of KDD Cup 1999, as CSV with a header.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use throng_core::synth::connections::{COLUMNS, cells, connections, traffic};
use throng_core::{Error, Result, Rng};

use super::link::csv_line;
use crate::io::{Format, FormatKind};
use crate::pending;

/// What to make up.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ConnectionsRequest {
    /// How many records.
    pub rows: usize,
    /// The seed of everything that is drawn.
    pub seed: u64,
    /// The file to make.
    pub out: PathBuf,
}

/// What was made.
#[derive(Debug, Serialize)]
pub struct ConnectionsMade {
    /// The file.
    pub file: String,
    /// How many records it has.
    pub rows: usize,
    /// How many of them are attacks.
    pub attacks: usize,
}

/// Makes up connection records.
pub fn synth_connections(request: &ConnectionsRequest) -> Result<ConnectionsMade> {
    pending::refuse_stdout(&request.out)?;
    super::synth::refuse_existing(&request.out)?;
    if request.rows == 0 || request.rows > 20_000_000 {
        return Err(Error::parameter("rows", format!("is {}, but must be from 1 to 20000000", request.rows)));
    }
    if Format::of_path(&request.out).is_some_and(|format| format.kind != FormatKind::Csv) {
        return Err(Error::parameter("out", "names another format, but connection records are written as CSV")
            .with_hint("give a name that ends in .csv"));
    }
    let all = connections(request.rows, &mut Rng::seeded(request.seed));
    let mut text = Vec::with_capacity(all.len() * 140);
    csv_line(&COLUMNS, &mut text);
    for (connection, traffic) in all.iter().zip(traffic(&all)) {
        let cells = cells(connection, &traffic);
        let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
        csv_line(&cells, &mut text);
    }
    pending::replace(&request.out, &text, false)?;
    Ok(ConnectionsMade {
        file: request.out.display().to_string(),
        rows: all.len(),
        attacks: all.iter().filter(|connection| connection.label != "normal").count(),
    })
}
