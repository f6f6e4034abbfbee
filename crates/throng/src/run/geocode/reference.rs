//! References: reading them from CSV or `.geo`, and making the one of the other (`throng geocode index`).

use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde::Serialize;
use throng_core::geocode::reference::{ReferenceLevel, Written};
use throng_core::geocode::{HouseNumber, Reference, ReferenceBuilder, Side, geo_file};
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::files::TextFile;
use crate::io::NamedRows;
use crate::limits;

/// Which reference, and how numbers lie beside their streets.
#[derive(Debug, Clone)]
pub struct ReferenceFile {
    /// CSV of properties or of segments, or a `.geo` file.
    pub file: PathBuf,
    /// How far numbers lie from the centreline, in metres; a `.geo` file has its own.
    pub offset: Option<f64>,
}

/// A reference as read.
#[derive(Debug)]
pub(super) struct ReadReference {
    pub(super) reference: Reference,
    pub(super) turned: u64,
    /// Rows whose number is none.
    pub(super) without_number: u64,
}

impl ReferenceFile {
    /// Reads it.
    pub(super) fn read(&self, progress: &dyn Progress) -> Result<ReadReference> {
        progress.stage("reading the reference", 0);
        if let Some(bytes) = as_geo(&self.file)? {
            let reference = geo_file::decode(&bytes).map_err(|error| error.in_file(self.file.display().to_string()))?;
            if self.offset.is_some_and(|offset| offset != reference.offset) {
                return Err(Error::parameter("offset", "is another than the one of the .geo file")
                    .with_hint("the offset belongs to `throng geocode index`"));
            }
            return Ok(ReadReference { reference, turned: 0, without_number: 0 });
        }
        self.read_rows(progress)
    }

    fn read_rows(&self, progress: &dyn Progress) -> Result<ReadReference> {
        let rows = NamedRows::read(&self.file, progress)?;
        let mut builder = ReferenceBuilder::default();
        let mut without_number = 0;
        if rows.column("lat1").is_some() || rows.column("from").is_some() {
            let names = ["from", "to", "side", "street", "suburb", "postcode", "lat1", "lon1", "lat2", "lon2"];
            let [from, to, side, street, suburb, postcode, lat1, lon1, lat2, lon2] =
                rows.columns(names, "a reference of segments")?;
            for row in 0..rows.len() {
                let number = |column: usize| -> Result<u32> {
                    HouseNumber::parse(rows.cell(row, column))
                        .map(|number| number.value)
                        .ok_or_else(|| rows.wrong("not a house number", row, column).with_value(rows.cell(row, column)))
                };
                let at = Side::parse(rows.cell(row, side)).ok_or_else(|| {
                    rows.wrong("not a side", row, side)
                        .with_hint("`left`, `right` or `both`, seen from lat1,lon1 to lat2,lon2")
                })?;
                let ends = (rows.place(row, lat1, lon1)?, rows.place(row, lat2, lon2)?);
                let written = written(&rows, row, street, suburb, postcode);
                builder
                    .segment((number(from)?, number(to)?), at, &written, ends.0, ends.1)
                    .map_err(|error| in_row(error, &rows, row))?;
            }
        } else {
            if rows.column("lat").is_none() || rows.column("lon").is_none() {
                return Err(Error::data("the reference has no coordinates").in_file(&rows.file).with_hint(
                    "its columns are id, number, street, suburb, postcode, lat, lon; or from, to, side, street, suburb, postcode, lat1, lon1, lat2, lon2",
                ));
            }
            if self.offset.is_some_and(|offset| offset != 0.0) {
                return Err(Error::parameter(
                    "offset",
                    "is for references of segments: properties have places of their own",
                ));
            }
            let names = ["id", "number", "street", "suburb", "postcode", "lat", "lon"];
            let [id, number, street, suburb, postcode, lat, lon] = rows.columns(names, "a reference of properties")?;
            for row in 0..rows.len() {
                let place = rows.place(row, lat, lon)?;
                let Some(number) = HouseNumber::parse(rows.cell(row, number)) else {
                    without_number += 1;
                    continue;
                };
                let written = written(&rows, row, street, suburb, postcode);
                builder
                    .property(rows.cell(row, id), number, &written, place)
                    .map_err(|error| in_row(error, &rows, row))?;
            }
        }
        progress.stage("neighbours of postcodes", 0);
        let turned = builder.turned;
        let reference = builder.finish(self.offset.unwrap_or(0.0), None).map_err(|error| error.in_file(&rows.file))?;
        Ok(ReadReference { reference, turned, without_number })
    }
}

impl ReadReference {
    /// What should be said.
    pub(super) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.turned > 0 {
            notes.push(format!(
                "{} with falling numbers turned",
                crate::words::counted(self.turned, "segment", "segments")
            ));
        }
        if self.without_number > 0 {
            let rows = crate::words::counted(self.without_number, "row", "rows");
            notes.push(format!("{rows} of the reference without a house number left out"));
        }
        notes
    }
}

fn in_row(error: Error, rows: &NamedRows, row: usize) -> Error {
    error.at_line(rows.line(row)).in_file(&rows.file)
}

fn written(rows: &NamedRows, row: usize, street: usize, suburb: usize, postcode: usize) -> Written {
    let cell = |column: usize| rows.cell(row, column).trim().to_owned();
    Written { street: cell(street), suburb: cell(suburb), postcode: cell(postcode) }
}

/// The bytes of a `.geo` file, if it is one.
fn as_geo(path: &Path) -> Result<Option<Vec<u8>>> {
    let opened = |cause| Error::io(format!("open {}", path.display()), cause);
    if path == Path::new("-") || path.is_dir() {
        return Ok(None);
    }
    let file = std::fs::File::open(path).map_err(opened)?;
    let mut bytes = Vec::new();
    let mut file = file.take(limits::MOST_GEO_BYTES + 1);
    (&mut file).take(geo_file::MAGIC.len() as u64).read_to_end(&mut bytes).map_err(opened)?;
    if bytes != geo_file::MAGIC {
        let has_name = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("geo"));
        return if has_name {
            geo_file::decode(&bytes).map(|_| None).map_err(|error| error.in_file(path.display().to_string()))
        } else {
            Ok(None)
        };
    }
    file.read_to_end(&mut bytes).map_err(opened)?;
    if bytes.len() as u64 > limits::MOST_GEO_BYTES {
        return Err(Error::data("the .geo file is larger than 8 GB").in_file(path.display().to_string()));
    }
    Ok(Some(bytes))
}

/// What to make a `.geo` file of.
#[derive(Debug, Clone)]
pub struct IndexRequest {
    /// The reference.
    pub reference: ReferenceFile,
    /// The file to make.
    pub out: PathBuf,
}

/// What is in it.
#[derive(Debug, Serialize)]
pub struct Indexed {
    /// `property` or `street`.
    pub level: &'static str,
    /// How many addresses there are, those of segments included.
    pub addresses: usize,
    /// How many segments, where the level is that.
    pub segments: usize,
    /// How many streets: a name in two suburbs is two.
    pub streets: usize,
    /// How many suburbs.
    pub suburbs: usize,
    /// How many postcodes.
    pub postcodes: usize,
    /// Segments whose numbers fell.
    pub turned: u64,
    /// Rows that were left out, for they have no number.
    pub without_number: u64,
    /// What should be said.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// Makes a `.geo` file.
pub fn index(request: &IndexRequest, progress: &dyn Progress) -> Result<Indexed> {
    let out = TextFile::of(&request.out, Vec::new())?;
    let read = request.reference.read(progress)?;
    let reference = &read.reference;
    TextFile::publish(vec![TextFile::of(out.place(), geo_file::encode(reference))?])?;
    Ok(Indexed {
        level: match reference.level {
            ReferenceLevel::Property => "property",
            ReferenceLevel::Street => "street",
        },
        addresses: reference.dwellings().len(),
        segments: reference.segments().len(),
        streets: reference.streets.len(),
        suburbs: reference.suburbs.len(),
        postcodes: reference.postcodes.len(),
        turned: read.turned,
        without_number: read.without_number,
        notes: read.notes(),
    })
}
