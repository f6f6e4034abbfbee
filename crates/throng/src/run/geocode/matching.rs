//! `throng geocode match` and `reverse`: places of addresses, addresses of places.

use std::io::{BufRead, Write};
use std::path::PathBuf;

use rayon::prelude::*;
use serde::Serialize;
use serde_json::{Map, Value, json};
use throng_core::geocode::{Address, Level, Located, Matcher, Reference};
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::files::{TextFile, degrees, metres};
use super::reference::ReferenceFile;
use crate::io::{NamedRows, csv_field, csv_records};
use crate::limits;

/// Which addresses to find.
#[derive(Debug, Clone)]
pub struct MatchRequest {
    /// The addresses: `id,address` or `id,number,street,suburb,postcode`.
    pub file: PathBuf,
    /// The reference.
    pub reference: ReferenceFile,
    /// The file to make.
    pub out: PathBuf,
}

/// What was found.
#[derive(Debug, Serialize)]
pub struct Matched {
    /// How many addresses there are.
    pub records: usize,
    /// The share that has a place: all but `area` and `none`.
    pub rate: f64,
    /// How many of each level.
    pub levels: Map<String, Value>,
    /// What should be said.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// The header of what `match` writes.
const HEADER: &str = "id,lat,lon,level,score,error_m,ref";
/// Addresses in a step of the progress.
const AT_ONCE: usize = 1 << 12;

/// How a file holds addresses.
enum Columns {
    Line(usize),
    Parts([usize; 4]),
}

/// Finds addresses and writes where they are.
pub fn geocode_match(request: &MatchRequest, progress: &dyn Progress) -> Result<Matched> {
    let mut out = TextFile::csv(&request.out, HEADER)?;
    let read = request.reference.read(progress)?;
    let rows = NamedRows::read(&request.file, progress)?;
    let id = rows.columns(["id"], "a file of addresses")?[0];
    let columns = match rows.column("address") {
        Some(line) => Columns::Line(line),
        None => Columns::Parts(
            rows.columns(["number", "street", "suburb", "postcode"], "a file of addresses without `address`")?,
        ),
    };
    let matcher = Matcher::new(&read.reference);
    let located = |row: usize| match &columns {
        Columns::Line(line) => matcher.locate_line(rows.cell(row, *line)),
        Columns::Parts(parts) => {
            let [number, street, suburb, postcode] = parts.map(|part| rows.cell(row, part));
            matcher.locate(&Address::of_parts(number, street, suburb, postcode))
        }
    };
    progress.stage("finding addresses", rows.len() as u64);
    let mut levels = [0u64; Level::ALL.len()];
    let mut first = 0;
    while first < rows.len() {
        let last = (first + AT_ONCE).min(rows.len());
        let found: Vec<Located> = (first..last).into_par_iter().map(located).collect();
        for (row, located) in (first..last).zip(&found) {
            levels[located.level as usize] += 1;
            write_row(&read.reference, rows.cell(row, id), located, &mut out);
        }
        progress.advance((last - first) as u64);
        if progress.is_stopped() {
            return Err(Error::stopped());
        }
        first = last;
    }
    TextFile::publish(vec![out])?;
    let placed: u64 = levels[..Level::Area as usize].iter().sum();
    let rate = if rows.is_empty() { 0.0 } else { placed as f64 / rows.len() as f64 };
    let levels = Level::ALL.iter().map(|level| (level.name().to_owned(), json!(levels[*level as usize]))).collect();
    Ok(Matched { records: rows.len(), rate, levels, notes: read.notes() })
}

fn cells(reference: &Reference, located: &Located) -> [String; 6] {
    [
        located.place.map(|place| degrees(place.0)).unwrap_or_default(),
        located.place.map(|place| degrees(place.1)).unwrap_or_default(),
        located.level.name().to_owned(),
        format!("{:.4}", located.score),
        located.error.map(metres).unwrap_or_default(),
        located.source.map(|source| reference.id(source)).unwrap_or_default(),
    ]
}

fn write_row(reference: &Reference, id: &str, located: &Located, out: &mut TextFile) {
    let [lat, lon, level, score, error, source] = cells(reference, located);
    out.row(&[id, &lat, &lon, &level, &score, &error, &source]);
}

/// Addresses that come one by one.
#[derive(Debug, Clone)]
pub struct Stream {
    /// The reference.
    pub reference: ReferenceFile,
}

impl Stream {
    /// Answers each line as it comes: CSV with the header `id,address` or `id,number,street,suburb,postcode`, answered by a header and a
    /// line for each line.
    pub fn answer(&self, input: &mut dyn BufRead, output: &mut dyn Write, progress: &dyn Progress) -> Result<u64> {
        let read = self.reference.read(progress)?;
        let matcher = Matcher::new(&read.reference);
        let failed = |cause| Error::io("print", cause);
        let mut columns: Option<Vec<String>> = None;
        let (mut line, mut number, mut answered) = (Vec::new(), 0u64, 0u64);
        loop {
            line.clear();
            let mut limited = std::io::Read::take(&mut *input, limits::MOST_STREAMED_LINE + 1);
            limited.read_until(b'\n', &mut line).map_err(|cause| Error::io("read standard input", cause))?;
            number += 1;
            let in_line = |error: Error| error.at_line(number).in_file("standard input");
            if line.is_empty() {
                return Ok(answered);
            }
            if line.len() as u64 > limits::MOST_STREAMED_LINE {
                return Err(in_line(Error::data("a line of more than 64 KiB")));
            }
            let mut records = csv_records(&line);
            let fields = match (records.pop(), records.is_empty()) {
                (None, _) => continue,
                (Some((_, fields)), true) => fields,
                (Some(_), false) => return Err(in_line(Error::data("more than one record in a line"))),
            };
            let fields: Vec<String> =
                fields.into_iter().map(|field| String::from_utf8_lossy(&field).into_owned()).collect();
            let Some(names) = &columns else {
                let has = |name: &str| fields.iter().any(|field| field.trim() == name);
                if !has("id")
                    || !(has("address") || ["number", "street", "suburb", "postcode"].iter().all(|name| has(name)))
                {
                    return Err(in_line(
                        Error::data("the first line does not name the columns")
                            .with_hint("`id,address` or `id,number,street,suburb,postcode`"),
                    ));
                }
                columns = Some(fields.iter().map(|field| field.trim().to_owned()).collect());
                writeln!(output, "{HEADER}").and_then(|()| output.flush()).map_err(failed)?;
                continue;
            };
            let field = |name: &str| {
                names.iter().position(|other| other == name).and_then(|at| fields.get(at)).map_or("", String::as_str)
            };
            if fields.len() != names.len() {
                return Err(in_line(Error::data(format!(
                    "{} cells, but the header has {}",
                    fields.len(),
                    names.len()
                ))));
            }
            let located = if names.iter().any(|name| name == "address") {
                matcher.locate_line(field("address"))
            } else {
                matcher.locate(&Address::of_parts(field("number"), field("street"), field("suburb"), field("postcode")))
            };
            let mut answer = Vec::new();
            csv_field(field("id").as_bytes(), &mut answer);
            for cell in cells(&read.reference, &located) {
                answer.push(b',');
                csv_field(cell.as_bytes(), &mut answer);
            }
            answer.push(b'\n');
            output.write_all(&answer).and_then(|()| output.flush()).map_err(failed)?;
            answered += 1;
        }
    }
}

/// Which places to find the addresses of.
#[derive(Debug, Clone)]
pub struct ReverseRequest {
    /// The points: `id,lat,lon`.
    pub file: PathBuf,
    /// The reference.
    pub reference: ReferenceFile,
    /// The file to make.
    pub out: PathBuf,
}

/// How near the addresses are.
#[derive(Debug, Serialize)]
pub struct Reversed {
    /// How many points there are.
    pub points: usize,
    /// The mean distance to the nearest address, in metres.
    pub mean_distance_m: Option<f64>,
    /// What should be said.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// Finds the nearest address of each point.
pub fn reverse(request: &ReverseRequest, progress: &dyn Progress) -> Result<Reversed> {
    let mut out = TextFile::csv(&request.out, "id,ref,number,street,suburb,postcode,distance_m")?;
    let read = request.reference.read(progress)?;
    let rows = NamedRows::read(&request.file, progress)?;
    let [id, lat, lon] = rows.columns(["id", "lat", "lon"], "a file of points")?;
    let places: Vec<(f64, f64)> = (0..rows.len()).map(|row| rows.place(row, lat, lon)).collect::<Result<_>>()?;
    let reference = &read.reference;
    let nearest: Vec<Option<(u32, f64)>> = places.par_iter().map(|&place| reference.places().nearest(place)).collect();
    let mut sum = 0.0;
    for (row, found) in nearest.into_iter().enumerate() {
        let Some((number, kilometres)) = found else { continue };
        let dwelling = reference.dwellings()[number as usize];
        let written = &reference.streets[dwelling.street as usize].written;
        sum += kilometres * 1000.0;
        out.row(&[
            rows.cell(row, id),
            &reference.id(dwelling.source),
            &dwelling.number.to_string(),
            &written.street,
            &written.suburb,
            &written.postcode,
            &metres(kilometres * 1000.0),
        ]);
    }
    TextFile::publish(vec![out])?;
    let mean = (!rows.is_empty()).then(|| sum / rows.len() as f64);
    Ok(Reversed { points: rows.len(), mean_distance_m: mean, notes: read.notes() })
}
