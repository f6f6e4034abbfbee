//! `throng paths reconstruct`: points with their trips, and the stays between them.

use std::path::PathBuf;

use serde::Serialize;
use throng_core::data::Paths;
use throng_core::paths::reconstruct::{self, Counts, Journeys, Params};
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::{pending_file, read, refuse_places};
use crate::inputs::Inputs;
use crate::io::paths::{PathsLayout, write_journeys};
use crate::io::{Format, csv_field};
use crate::kinds::{Ask, Kinded};
use crate::pending::{self, Pending};

/// What to reconstruct.
#[derive(Debug, Clone)]
pub struct ReconstructRequest {
    /// The raw points.
    pub file: Inputs,
    /// How to read them.
    pub ask: Ask,
    /// The rules.
    pub params: Params,
    /// The file to make.
    pub out: PathBuf,
    /// Its format, if its name does not say it.
    pub format: Option<Format>,
    /// The file of stays to make, if one is wanted.
    pub stays: Option<PathBuf>,
}

/// What was found.
#[derive(Debug, Serialize)]
pub struct Reconstructed {
    /// What became of the points.
    #[serde(flatten)]
    pub counts: Counts,
    /// Malformed lines that were left out.
    pub rows_refused: u64,
    /// The kind of the data.
    #[serde(skip)]
    pub kind: &'static str,
    /// Columns without a role.
    #[serde(skip)]
    pub unmapped: Vec<String>,
    /// What should be said.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// Finds trips and stays, and writes points with them.
pub fn reconstruct(request: &ReconstructRequest, progress: &dyn Progress) -> Result<Reconstructed> {
    let places: Vec<&PathBuf> = std::iter::once(&request.out).chain(&request.stays).collect();
    refuse_places(&places, &request.file)?;
    let (found, notes) = read(&request.file, &request.ask, progress)?;
    let format = request.format.or_else(|| Format::of_path(&request.out)).unwrap_or(found.format);
    if format.kind.has_no_rows() {
        return Err(Error::refused("trips and stays are columns, which a file of this form has not")
            .with_hint("choose csv, tsv, jsonl (also .gz, .zst) or parquet: `--out journeys.csv`"));
    }
    progress.stage("trips and stays", 0);
    let journeys = reconstruct::reconstruct(&found.paths, &request.params)?;
    progress.go_on()?;
    let failed = |cause| Error::io(format!("write {}", request.out.display()), cause);
    let (mut file, unfinished) = Pending::file(&request.out, false).map_err(failed)?;
    let mut layout = found.layout.clone();
    if format.kind != found.format.kind {
        layout.header = true;
        layout.typed_time |= format.kind.has_typed_columns();
        layout.typed_person = false;
    }
    layout.rename(found.format.kind, format.kind);
    write_journeys(&mut file, format, &layout, &journeys, progress)?;
    let mut finished = vec![(unfinished, request.out.clone())];
    if let Some(stays) = &request.stays {
        finished.push(pending_file(stays, |write| write(&stays_of(&journeys, &layout)))?);
    }
    pending::publish(finished)?;
    let kind = <Paths as Kinded>::CARD.name;
    Ok(Reconstructed { counts: journeys.counts, rows_refused: found.refused, kind, unmapped: found.unmapped, notes })
}

/// A line for each stay.
fn stays_of(journeys: &Journeys, layout: &PathsLayout) -> Vec<u8> {
    let mut text = b"user,stay,from,to,lat,lon,points\n".to_vec();
    for stay in &journeys.stays {
        csv_field(journeys.paths.names().get(stay.person).as_bytes(), &mut text);
        let [from, to] = [stay.from, stay.to].map(|time| layout.shown_time(time));
        let rest = format!(",{},{from},{to},{:.7},{:.7},{}\n", stay.number, stay.lat, stay.lon, stay.points);
        text.extend_from_slice(rest.as_bytes());
    }
    text
}
