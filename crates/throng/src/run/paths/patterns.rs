//! `throng paths patterns`: which cells many people go through, one after the other.

use std::path::PathBuf;

use serde::Serialize;
use throng_core::Result;
use throng_core::paths::patterns::{self, Params, Pattern, Patterns, Transition};
use throng_core::progress::Progress;

use super::{pending_file, read, refuse_places};
use crate::inputs::Inputs;
use crate::io::csv_field;
use crate::kinds::Ask;
use crate::pending;

/// What to look for.
#[derive(Debug, Clone)]
pub struct PatternsRequest {
    /// The paths, or a release of some.
    pub file: Inputs,
    /// How to read them.
    pub ask: Ask,
    /// What counts.
    pub params: Params,
    /// The file to make, if one is wanted.
    pub out: Option<PathBuf>,
}

/// What was found.
#[derive(Debug, Serialize)]
pub struct PatternsFound {
    /// The patterns.
    #[serde(flatten)]
    pub found: Patterns,
    /// The cells, as they were asked for.
    pub cell: String,
    /// The patterns as a CSV file.
    #[serde(skip)]
    pub text: String,
    /// Malformed lines that were left out.
    pub rows_refused: u64,
    /// What should be said.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// Finds patterns, and writes them.
pub fn find_patterns(request: &PatternsRequest, progress: &dyn Progress) -> Result<PatternsFound> {
    let places: Vec<&PathBuf> = request.out.iter().collect();
    refuse_places(&places, &request.file)?;
    let (read, notes) = read(&request.file, &request.ask, progress)?;
    let found = patterns::patterns(&read.paths, &request.params, progress)?;
    progress.go_on()?;
    let text = text_of(&found.patterns);
    if let Some(out) = &request.out {
        pending::publish(vec![pending_file(out, |write| write(&text))?])?;
    }
    Ok(PatternsFound {
        found,
        cell: request.params.cells.to_string(),
        text: String::from_utf8_lossy(&text).into_owned(),
        rows_refused: read.refused,
        notes,
    })
}

/// A line for each pattern. Cells and times of several steps stand in one cell of it.
fn text_of(patterns: &[Pattern]) -> Vec<u8> {
    let mut text = b"cells,persons,timed_persons,from_s,to_s,typical_s\n".to_vec();
    for pattern in patterns {
        csv_field(pattern.cells.join(" > ").as_bytes(), &mut text);
        let timed = pattern.timed_persons.map_or_else(String::new, |persons| persons.to_string());
        let times = |number: fn(&Transition) -> i64| {
            let all: Vec<String> = pattern.transitions.iter().flatten().map(|step| number(step).to_string()).collect();
            all.join(" > ")
        };
        let [from, to, typical] = [times(|step| step.from), times(|step| step.to), times(|step| step.typical)];
        text.extend_from_slice(format!(",{},{timed},{from},{to},{typical}\n", pattern.persons).as_bytes());
    }
    text
}
