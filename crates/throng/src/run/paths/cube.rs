//! `throng paths cube`: counts of people by cell and time, written only where enough people are; questions to such a file; and its check.

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::{Map, Value, json};
use throng_core::data::time::{self, TimeStyle};
use throng_core::geo::tile::Tile;
use throng_core::models::cube_threshold;
use throng_core::paths::cube::answer::{Question, answer};
use throng_core::paths::cube::{self, Bins, Cells, LeftOut, Params, Row};
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::cube_file::{self, AskedOfCube, ReadCube};
use super::{pending_file, read, refuse_places};
use crate::inputs::Inputs;
use crate::io::hash_bytes;
use crate::kinds::Ask;
use crate::{pending, report};

/// What to count.
#[derive(Debug, Clone)]
pub struct CubeRequest {
    /// The paths.
    pub file: Inputs,
    /// How to read them.
    pub ask: Ask,
    /// The cells, `tile:14`.
    pub cell: String,
    /// The bins, `1d`.
    pub time: String,
    /// How many persons a row has at least.
    pub k: u64,
    /// The file to make.
    pub out: PathBuf,
}

/// What was counted.
#[derive(Debug, Serialize)]
pub struct CubeMade {
    /// How many rows.
    pub rows: usize,
    /// The share of the points that are in rows.
    pub observations_kept: f64,
    /// The mean zoom of those points' rows.
    pub mean_zoom: Option<f64>,
    /// What is not in it.
    pub left_out: LeftOut,
    /// The hash of the file.
    pub sha256: String,
    /// What should be said.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// Counts, and writes the rows of enough people.
pub fn make_cube(request: &CubeRequest, progress: &dyn Progress) -> Result<CubeMade> {
    let params = Params { cells: Cells::parse(&request.cell)?, bins: Bins::parse(&request.time)?, k: request.k };
    let beside = AskedOfCube::place(&request.out);
    refuse_places(&[&request.out, &beside], &request.file)?;
    let (found, notes) = read(&request.file, &request.ask, progress)?;
    progress.stage("counting", 0);
    let cube = cube::cube(&found.paths, &params)?;
    progress.go_on()?;
    let text = cube_file::text_of(&cube.rows);
    let sha256 = hash_bytes(&text);
    let asked = AskedOfCube {
        cell: params.cells.to_string(),
        time: params.bins.to_string(),
        k: params.k,
        sha256: sha256.clone(),
    };
    let asked = serde_json::to_vec_pretty(&asked).map_err(|cause| Error::internal("JSON").with_cause(cause))?;
    let finished = vec![
        pending_file(&request.out, |write| write(&text))?,
        pending_file(&beside, |write| {
            write(&asked)?;
            write(b"\n")
        })?,
    ];
    pending::publish(finished)?;
    let all = found.paths.points().max(1) as f64;
    Ok(CubeMade {
        rows: cube.rows.len(),
        observations_kept: cube.observations as f64 / all,
        mean_zoom: cube.mean_zoom,
        left_out: cube.left_out,
        sha256,
        notes,
    })
}

/// What to ask of a published cube.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CubeQuestion {
    /// Coarser cells or longer times: `tile:12` or `7d`.
    RollUp(String),
    /// The quarters of a cell.
    DrillDown(String),
    /// One time or one cell: `time=2024-03-04T00:00:00Z` or `cell=0213`.
    Slice(String),
}

/// Asks a published cube, and nothing else.
pub fn ask_cube(file: &Path, question: &CubeQuestion) -> Result<Vec<Row>> {
    let (rows, asked) = published(file)?;
    answer(&rows, asked.bins()?, &parsed(question)?)
}

/// The rows of a published cube, and what it was counted with; neither was changed.
fn published(file: &Path) -> Result<(Vec<Row>, AskedOfCube)> {
    let found = cube_file::read(file)?;
    let named = |error: Error| error.in_file(file.display().to_string());
    let rows: Vec<Row> = found.rows.iter().filter_map(cube_file::plain).collect();
    if let Some(line) = found.odd_line {
        return Err(named(Error::data("the row is not as throng writes it").at_line(line))
            .with_hint("the file was changed: count it again"));
    }
    match AskedOfCube::beside(file)? {
        Some(asked) if asked.sha256 == hash_bytes(&found.bytes) => Ok((rows, asked)),
        Some(_) => Err(named(Error::data("the cube is not the one that the file beside it is of"))
            .with_hint("the file was changed: count it again")),
        None => Err(named(Error::data("what the cube was counted with does not lie beside it"))
            .with_hint(format!("keep it where it was: {}", AskedOfCube::place(file).display()))),
    }
}

/// Draws a published cube as a page with a map and a slider over its times, from its rows alone. Gives how many rows it has.
pub fn draw_cube(file: &Path, page: &Path) -> Result<usize> {
    let place = page.to_owned();
    refuse_places(&[&place], &Inputs::from(vec![file.to_owned(), AskedOfCube::place(file)]))?;
    let (rows, asked) = published(file)?;
    let drawn = report::cube::cube_page(&rows, Cells::parse(&asked.cell)?, asked.bins()?, asked.k);
    let drawn = drawn.map_err(|error| error.in_file(file.display().to_string()))?;
    pending::publish(vec![pending_file(page, |write| write(drawn.as_bytes()))?])?;
    Ok(rows.len())
}

fn parsed(question: &CubeQuestion) -> Result<Question> {
    let tile = |name: &str, parameter: &'static str| {
        Tile::parse(name).ok_or_else(|| {
            Error::parameter(parameter, "names no tile")
                .with_hint("a tile is called by its quadkey, digits from 0 to 3")
        })
    };
    match question {
        CubeQuestion::RollUp(to) if to.starts_with("tile:") => match Cells::parse(to)? {
            Cells::Tile(zoom) => Ok(Question::RollUpCells(zoom)),
            _ => Err(Error::internal("a tile is a tile")),
        },
        CubeQuestion::RollUp(to) => match Bins::parse(to) {
            Ok(bins) => Ok(Question::RollUpTime(bins)),
            Err(_) => {
                Err(Error::parameter("roll-up", format!("is `{to}`, but must be coarser cells or a longer time"))
                    .with_hint("for example `--roll-up tile:12`, `--roll-up 7d` or `--roll-up all`"))
            }
        },
        CubeQuestion::DrillDown(cell) => Ok(Question::DrillDown(tile(cell, "drill-down")?)),
        CubeQuestion::Slice(what) => match what.split_once('=') {
            Some(("time", "all")) => Ok(Question::SliceTime(None)),
            Some(("time", text)) => match time::parse(text) {
                Some((instant, _)) => Ok(Question::SliceTime(Some(instant.millis))),
                None => Err(Error::parameter("slice", "names a time that cannot be read")
                    .with_hint("the start of a bin: `--slice time=2024-03-04T00:00:00Z`, or `time=all`")),
            },
            Some(("cell", cell)) => Ok(Question::SliceCell(cell.to_owned())),
            _ => Err(Error::parameter("slice", format!("is `{what}`, but must be a time or a cell"))
                .with_hint("for example `--slice time=2024-03-04T00:00:00Z` or `--slice cell=0213`")),
        },
    }
}

/// A cube to check.
#[derive(Debug, Clone)]
pub struct CubeCheckRequest {
    /// The cube.
    pub file: PathBuf,
    /// What it was counted from.
    pub original: Option<Inputs>,
    /// How to read that.
    pub ask: Ask,
    /// The threshold, if not as the file beside the cube says.
    pub k: Option<u64>,
    /// The cells, if not as that says.
    pub cell: Option<String>,
    /// The bins, if not as that says.
    pub time: Option<String>,
}

/// What was found.
#[derive(Debug, Serialize)]
pub struct CubeCheckOutcome {
    /// The model.
    pub model: &'static str,
    /// `holds`, `fails`, or `partly` where the original is not there.
    pub verdict: &'static str,
    /// The fewest persons of a row.
    pub achieved: Map<String, Value>,
    /// What shows that it fails.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub witness: Option<Value>,
    /// How many rows the cube has.
    pub rows: usize,
}

/// Reads a cube as an attacker would, beside its original.
pub fn check_cube(request: &CubeCheckRequest, progress: &dyn Progress) -> Result<CubeCheckOutcome> {
    let ReadCube { bytes, rows, odd_line } = cube_file::read(&request.file)?;
    let beside = AskedOfCube::beside(&request.file)?;
    let asked = |own: Option<String>, of: fn(&AskedOfCube) -> String, name: &'static str| {
        own.or_else(|| beside.as_ref().map(of)).ok_or_else(|| {
            Error::parameter(name, "is not said, and nothing beside the cube says it")
                .with_hint(format!("say it: `--{name} …`, as the cube was counted"))
        })
    };
    let cells = Cells::parse(&asked(request.cell.clone(), |beside| beside.cell.clone(), "cell")?)?;
    let bins = Bins::parse(&asked(request.time.clone(), |beside| beside.time.clone(), "time")?)?;
    let k = request.k.or_else(|| beside.as_ref().map(|beside| beside.k)).unwrap_or(super::super::USUAL_K as u64);
    if k < 2 {
        return Err(Error::parameter("k", format!("is {k}, but must be at least 2")));
    }
    let outcome = |verdict, least: Option<u64>, witness| CubeCheckOutcome {
        model: cube_threshold::NAME,
        verdict,
        achieved: least.map(|least| ("k".to_owned(), json!(least))).into_iter().collect(),
        witness,
        rows: rows.len(),
    };
    let fails =
        |line: Option<u64>, problem: &str| Ok(outcome("fails", None, Some(json!({"line": line, "problem": problem}))));
    if let Some(line) = odd_line {
        return fails(Some(line), "the row is not as throng writes it: something in it is not read");
    }
    let is_named_otherwise = |beside: &AskedOfCube| {
        (request.cell.is_none() && beside.cell != cells.to_string())
            || (request.time.is_none() && beside.time != bins.to_string())
    };
    if beside.as_ref().is_some_and(is_named_otherwise) {
        return fails(None, "what lies beside the cube names its cells or times otherwise than throng does");
    }
    let is_other = beside.as_ref().is_some_and(|beside| beside.sha256 != hash_bytes(&bytes));
    let other = || fails(None, "the cube is not the one that the file beside it is of");
    let Some(original) = &request.original else {
        return if is_other { other() } else { Ok(outcome("partly", None, None)) };
    };
    let (found, _) = read(original, &request.ask, progress)?;
    progress.stage("counting again", 0);
    Ok(match cube_threshold::check(&rows, &found.paths, cells, bins, k) {
        Ok(_) if is_other => return other(),
        // Nothing was published: of no row can be said how many persons it has.
        Ok(least) => outcome("holds", (!rows.is_empty()).then_some(least), None),
        Err(witness) => {
            let time = witness.time.map(|time| time::to_text(time, TimeStyle::ISO));
            let shown = json!({"line": witness.line, "cell": witness.cell, "time": time, "problem": witness.problem});
            outcome("fails", None, Some(shown))
        }
    })
}
