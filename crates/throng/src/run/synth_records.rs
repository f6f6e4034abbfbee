//! `throng synth records`: made-up records of persons to link, with the truth.

use std::path::PathBuf;

use serde::Serialize;
use throng_core::synth::records::{COLUMNS, MadeUp, Params, Record, records};
use throng_core::{Error, Result, Rng};

use super::link::csv_line;
use crate::pending::{self, Pending};

/// What to make up.
#[derive(Debug, Clone)]
pub struct RecordsRequest {
    /// How many records, and how changed they are.
    pub params: Params,
    /// The seed of everything that is drawn.
    pub seed: u64,
    /// The folder to make.
    pub out: PathBuf,
}

/// What was made.
#[derive(Debug, Serialize)]
pub struct RecordsMade {
    /// The folder.
    pub folder: String,
    /// Its files.
    pub files: Vec<&'static str>,
    /// How many records there are in all.
    pub records: u64,
}

/// Makes up records, in a folder.
pub fn synth_records(request: &RecordsRequest) -> Result<RecordsMade> {
    pending::refuse_stdout(&request.out)?;
    super::refuse_existing(&request.out)?;
    let Params { records: count, copies, changed } = request.params;
    if count == 0 || count > 20_000_000 {
        return Err(Error::parameter("records", format!("is {count}, but must be from 1 to 20000000")));
    }
    if copies == 0 || copies > count {
        return Err(Error::parameter("copies", format!("is {copies}, but must be from 1 to the number of records")));
    }
    if !(0.0..=1.0).contains(&changed) {
        return Err(Error::parameter("changed", format!("is {changed}, but must be a share from 0 to 1")));
    }
    let file = |rows: &[Record]| {
        let mut text = b"id,".to_vec();
        csv_line(&COLUMNS, &mut text);
        for (id, cells) in rows {
            let cells: Vec<&str> = std::iter::once(id.as_str()).chain(cells.iter().map(String::as_str)).collect();
            csv_line(&cells, &mut text);
        }
        text
    };
    let pairs = |header: [&str; 2], rows: &[(String, String)]| {
        let mut text = Vec::new();
        csv_line(&header, &mut text);
        rows.iter().for_each(|(left, right)| csv_line(&[left, right], &mut text));
        text
    };
    let (files, total) = match records(&request.params, &mut Rng::seeded(request.seed)) {
        MadeUp::Two { a, b, truth } => {
            let total = a.len() + b.len();
            (vec![("a.csv", file(&a)), ("b.csv", file(&b)), ("truth.csv", pairs(["a", "b"], &truth))], total)
        }
        MadeUp::One { a, truth } => {
            let total = a.len();
            (vec![("a.csv", file(&a)), ("truth.csv", pairs(["id", "cluster"], &truth))], total)
        }
    };
    let failed = |cause| Error::io(format!("write {}", request.out.display()), cause);
    let folder = Pending::folder(&request.out).map_err(failed)?;
    for (name, text) in &files {
        std::fs::write(folder.path().join(name), text).map_err(failed)?;
    }
    pending::publish(vec![(folder, request.out.clone())])?;
    Ok(RecordsMade {
        folder: request.out.display().to_string(),
        files: files.into_iter().map(|(name, _)| name).collect(),
        records: total as u64,
    })
}
