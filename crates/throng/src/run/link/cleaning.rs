//! `throng link clean`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;
use throng_core::link::clean::{self, Changes, DateOrder, Holds, Tables};
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::tables::{Csv, RecordFile};
use super::{Outputs, csv_line};
use crate::io::ReadOptions;

/// What to clean.
#[derive(Debug, Clone)]
pub struct CleanRequest {
    /// The file.
    pub file: PathBuf,
    /// The file to make.
    pub out: PathBuf,
    /// A JSON object that says what columns hold.
    pub profile: Option<PathBuf>,
    /// A CSV file `nickname,name` in the place of the usual one.
    pub nicknames: Option<PathBuf>,
    /// A CSV file `title` in the place of the usual one.
    pub titles: Option<PathBuf>,
    /// The column of ids.
    pub id: Option<String>,
    /// How to read the file.
    pub options: ReadOptions,
}

/// What was cleaned.
#[derive(Debug, Serialize)]
pub struct Cleaned {
    /// The file that was made.
    pub file: String,
    /// How many records it has.
    pub records: u64,
    /// Each column.
    pub columns: Vec<CleanedColumn>,
}

/// What became of a column.
#[derive(Debug, Serialize)]
pub struct CleanedColumn {
    /// Its name.
    pub column: String,
    /// What it holds.
    pub holds: Holds,
    /// Whether that is a guess.
    pub guessed: bool,
    /// The columns that it became, where it was cut.
    pub parts: Vec<String>,
    /// How many values each step changed.
    pub changes: Changes,
}

/// Cleans a file.
pub fn clean(request: &CleanRequest, progress: &dyn Progress) -> Result<Cleaned> {
    crate::run::refuse_existing(&request.out)?;
    let file = RecordFile::read(&request.file, request.id.as_deref(), &request.options, progress)?;
    let profile: BTreeMap<String, String> = match &request.profile {
        None => BTreeMap::new(),
        Some(path) => {
            let text = std::fs::read(path).map_err(|cause| Error::io(format!("read {}", path.display()), cause))?;
            serde_json::from_slice(&text).map_err(|cause| {
                Error::data("the profile is no JSON object of columns and what they hold")
                    .in_file(path.display().to_string())
                    .with_cause(cause)
                    .with_hint("for example {\"surname\": \"name\", \"born\": \"date\"}")
            })?
        }
    };
    for name in profile.keys() {
        file.column(name)?;
    }
    let mut tables = Tables::default();
    if let Some(path) = &request.nicknames {
        let csv = Csv::read(path)?;
        let (nickname, name) = (csv.column("nickname")?, csv.column("name")?);
        tables.nicknames =
            csv.rows.iter().map(|(_, row)| (row[nickname].to_lowercase(), row[name].to_lowercase())).collect();
    }
    if let Some(path) = &request.titles {
        let csv = Csv::read(path)?;
        let title = csv.column("title")?;
        tables.titles = csv.rows.iter().map(|(_, row)| row[title].to_lowercase()).collect();
    }

    progress.stage("cleaning", 0);
    let others: Vec<String> = file.columns().map(str::to_owned).collect();
    let mut columns = Vec::new();
    // The parts of each value of each column, and the cells of its rows.
    let mut made: Vec<(Vec<Vec<String>>, &[u32])> = Vec::new();
    let mut header: Vec<String> = Vec::new();
    for (name, values, cells, _) in &file.table.columns {
        let seen: Vec<&str> = values.iter().filter(|value| !value.trim().is_empty()).take(500).collect();
        let said = profile.get(name).map(|holds| Holds::parse(holds)).transpose()?;
        let usual = if others.contains(name) { Holds::guess(name, &seen) } else { Holds::Id };
        let holds = said.unwrap_or(usual);
        let order = DateOrder::of(&seen);
        let mut counts = vec![0u64; values.len()];
        cells.iter().for_each(|&cell| counts[cell as usize] += 1);
        let mut changes = Changes::new();
        let cleaned = values
            .iter()
            .zip(&counts)
            .map(|(value, &count)| {
                let mut own = Changes::new();
                let parts = clean::clean(value, holds, order, &tables, &mut own);
                own.into_keys().for_each(|step| *changes.entry(step).or_default() += count);
                parts
            })
            .collect();
        made.push((cleaned, cells));
        let parts: Vec<String> = holds.parts().iter().map(|part| part_name(name, part, &others)).collect();
        if parts.is_empty() {
            header.push(name.clone());
        } else {
            header.extend(parts.iter().cloned());
        }
        columns.push(CleanedColumn { column: name.clone(), holds, guessed: said.is_none(), parts, changes });
    }
    let mut text = Vec::new();
    csv_line(&header.iter().map(String::as_str).collect::<Vec<_>>(), &mut text);
    for row in 0..file.rows() {
        let cells: Vec<&str> =
            made.iter().flat_map(|(values, cells)| values[cells[row] as usize].iter().map(String::as_str)).collect();
        csv_line(&cells, &mut text);
    }
    let mut outputs = Outputs::default();
    outputs.write(&request.out, &text, false)?;
    outputs.publish()?;
    Ok(Cleaned { file: request.out.display().to_string(), records: file.rows() as u64, columns })
}

/// The name of a part of a column: its own, unless another column has it.
fn part_name(column: &str, part: &str, others: &[String]) -> String {
    if others.iter().any(|other| other == part) { format!("{column}_{part}") } else { part.to_owned() }
}
