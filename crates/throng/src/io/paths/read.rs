//! From rows to paths, with a digest of each person's rows where somebody wants to compare them.

use throng_core::data::Paths;
use throng_core::data::paths::{PathsBuilder, Point};
use throng_core::data::time::{TimeStyle, exchange};
use throng_core::models::digests::{DigestKey, Digests, RowHasher};
use throng_core::progress::Progress;
use throng_core::{Error, Result, Rng};

use super::super::fields::{self, Fields, RowConsumer};
use super::super::files::{Files, Joined, add_new};
use super::super::queries::Times;
use super::super::roles::Roles;
use super::super::scan::ReadOptions;
use super::super::{Format, FormatKind, Location, Opened};
use super::cell_table::CellTable;
use super::marked::{self, names_of_files};
use super::{PathsLayout, ROLE_COUNT, ROLES, Role};

/// Paths as a file has them.
#[derive(Debug)]
pub struct ReadPaths {
    /// The points.
    pub paths: Paths,
    /// A digest of the rows of each person, if that was asked for; persons have the same numbers.
    pub digests: Digests,
    /// The format.
    pub format: Format,
    /// How the file writes its rows.
    pub layout: PathsLayout,
    /// Rows.
    pub rows: u64,
    /// Malformed lines that were left out.
    pub refused: u64,
    /// Columns without a role.
    pub unmapped: Vec<String>,
    /// What else is in the file.
    pub uncompared: Vec<String>,
    /// Where the lines of several files begin.
    pub files: Files,
    /// Points at latitude 0 and longitude 0.
    pub at_zero: u64,
}

/// Reads a file that is open, and those after it. `with_digests` hashes every row.
pub fn read_opened_paths(
    opened: Opened,
    options: &ReadOptions,
    with_digests: bool,
    progress: &dyn Progress,
) -> Result<ReadPaths> {
    let cells = options.cells.as_deref().map(CellTable::read).transpose()?;
    let key = if with_digests { Some(DigestKey::new(&mut Rng::secure()?)) } else { None };
    let mut reading = Reading {
        cells,
        key,
        times: Times::new(options)?,
        before: 0,
        builder: PathsBuilder::default(),
        digests: Digests::new(),
        at_zero: 0,
    };
    let mut whole: Option<ReadPaths> = None;
    let places: Vec<Location> = std::iter::once(opened.location()).chain(&opened.others).cloned().collect();
    let mut names = names_of_files(&places).into_iter();
    let files = Joined::read(opened, options, |opened, joined| {
        let name = names.next().unwrap_or_default();
        let read = read_one(opened, options, &mut reading, joined, name, progress)?;
        whole = Some(match whole.take() {
            Some(first) => first.and(read, joined)?,
            None => read,
        });
        Ok(())
    })?;
    let whole = whole.ok_or_else(|| Error::internal("no file was read"))?;
    Ok(ReadPaths {
        paths: reading.builder.finish(),
        digests: reading.digests,
        at_zero: reading.at_zero,
        files,
        ..whole
    })
}

impl ReadPaths {
    /// Takes one more file.
    fn and(mut self, other: Self, joined: &Joined) -> Result<Self> {
        let roles =
            |layout: &PathsLayout| layout.columns.iter().map(|(role, _)| role.name()).collect::<Vec<&'static str>>();
        joined.agree(&roles(&self.layout), &roles(&other.layout))?;
        self.layout.time_style = self.layout.time_style.merge(other.layout.time_style);
        self.layout.typed_person &= other.layout.typed_person;
        self.layout.line_times = self.layout.line_times.filter(|_| other.layout.line_times.is_some());
        add_new(&mut self.unmapped, other.unmapped);
        self.rows += other.rows;
        self.refused += other.refused;
        self.uncompared.extend(other.uncompared);
        Ok(self)
    }
}

fn read_one(
    opened: Opened,
    options: &ReadOptions,
    reading: &mut Reading,
    joined: &mut Joined,
    name: String,
    progress: &dyn Progress,
) -> Result<ReadPaths> {
    let format = opened.format;
    reading.before = joined.lines;
    reading.times = Times::new(options)?;
    let earlier = std::mem::take(&mut reading.builder);
    let (read, line_times) = match format.kind {
        FormatKind::Points(form) => {
            progress.stage("reading", 0);
            let found = marked::read(opened, form, options.bad_lines, &options.columns, reading, name)?;
            reading.absorb(vec![(found.block, 0)]);
            progress.go_on()?;
            (found.fields, found.line_times)
        }
        _ => (fields::read(opened.source, format, options, reading, progress)?, None),
    };
    joined.lines += read.lines;
    let times = &reading.times;
    read.uncompared.note_many("a time with digits beyond the nanoseconds", times.finer());
    let settled = times.settle(options)?;
    // Only the whole file can tell whether the month came first.
    if settled.is_exchanged {
        reading.builder.change_times(exchange);
    }
    let own = std::mem::replace(&mut reading.builder, earlier);
    reading.builder.append(own);
    let columns: Vec<(Role, String)> =
        read.layout.columns.into_iter().map(|(role, name)| (Role::ALL[role], name)).collect();
    let is_typed = |role: Role| read.layout.typed[role as usize];
    let layout = PathsLayout {
        header: read.layout.header,
        time_style: settled.style.unwrap_or(TimeStyle::ISO),
        time_zone: times.zone.clone(),
        typed_time: is_typed(Role::Time),
        typed_person: is_typed(Role::User),
        raw_cells: false,
        line_times,
        columns,
    };
    Ok(ReadPaths {
        paths: PathsBuilder::default().finish(),
        digests: Digests::new(),
        format,
        layout,
        rows: read.rows,
        refused: read.refused,
        unmapped: read.layout.unmapped,
        uncompared: joined.told(read.uncompared.sentences()),
        files: Files::default(),
        at_zero: 0,
    })
}

pub(super) struct Reading {
    cells: Option<CellTable>,
    key: Option<DigestKey>,
    times: Times,
    /// The lines of the files before.
    before: u64,
    builder: PathsBuilder,
    digests: Digests,
    at_zero: u64,
}

/// A block: points, what their times told, digests.
pub(super) struct Block {
    builder: PathsBuilder,
    times: Times,
    hasher: Option<RowHasher>,
    digests: Digests,
    at_zero: u64,
}

impl RowConsumer<ROLE_COUNT> for Reading {
    const ROLES: &'static Roles = &ROLES;
    const TIME: Option<usize> = Some(Role::Time as usize);
    type Part = Block;

    fn wants_rest(&self) -> bool {
        self.key.is_some()
    }

    fn part(&self) -> Block {
        Block {
            builder: PathsBuilder::default(),
            times: self.times.part(),
            hasher: self.key.as_ref().map(DigestKey::hasher),
            digests: Digests::new(),
            at_zero: 0,
        }
    }

    fn row<'n>(
        &self,
        block: &mut Block,
        fields: Fields<'_, ROLE_COUNT>,
        line: u64,
        name_of: impl Fn(usize) -> &'n str,
    ) -> Result<()> {
        let Fields { texts: [person, time, lat, lon, place, cell, trip, label], instant, rest, .. } = fields;
        let in_column = |error: Error, role: Role| error.in_column(name_of(role as usize));
        if person.is_empty() {
            return Err(in_column(
                Error::data("the id of the person is missing")
                    .with_hint("`--bad-lines skip` leaves such lines out and counts them"),
                Role::User,
            ));
        }
        let (instant, local) =
            block.times.read(instant, "", time, line).map_err(|error| in_column(error, Role::Time))?;
        let at = match (&self.cells, lat.is_empty() && lon.is_empty()) {
            (Some(table), true) => table.place(cell).map_err(|error| in_column(error, Role::Cell))?,
            (None, true) if !cell.is_empty() => {
                return Err(in_column(
                    Error::data("the line has a cell and no coordinates")
                        .with_hint("say where cells are: `--cells TABLE`, a CSV file with the header `cell,lat,lon`"),
                    Role::Cell,
                ));
            }
            _ => degrees(lat, lon)
                .map_err(|(error, is_lon)| in_column(error, if is_lon { Role::Lon } else { Role::Lat }))?,
        };
        block.at_zero += u64::from(at == (0.0, 0.0));
        block.builder.push(person, Point { time: local, lat: at.0, lon: at.1, marks: [place, cell, trip, label] });
        if let Some(hasher) = &mut block.hasher {
            hasher.number(Some(instant.millis));
            hasher.number(Some(i64::from(instant.nanos)));
            // As they are written: the same number may be written in many ways, and each of them may tell somebody something.
            for text in [lat, lon, place, cell, trip, label] {
                hasher.value(Some(text.as_bytes()));
            }
            hasher.value(Some(rest));
            block.digests.add(person, hasher.finish(), line);
        }
        Ok(())
    }

    fn absorb(&mut self, parts: Vec<(Block, u64)>) {
        for (block, lines) in parts {
            self.builder.append(block.builder);
            self.times.absorb(block.times, lines);
            self.digests.append(&block.digests, self.before + lines);
            self.at_zero += block.at_zero;
        }
    }
}

/// A latitude and a longitude; or what is wrong, and whether it is the longitude.
pub(super) fn degrees(lat: &str, lon: &str) -> std::result::Result<(f64, f64), (Error, bool)> {
    let number = |text: &str, what: &str| {
        let problem = |problem: String| {
            Error::data(problem).with_value(text).with_hint(
                "degrees are written as -73.9893085; `--bad-lines skip` leaves such lines out and counts them",
            )
        };
        let text = text.trim_ascii();
        if text.is_empty() {
            return Err(problem(format!("the {what} is missing")));
        }
        let number = text.parse::<f64>().map_err(|_| problem(format!("the {what} is no number")))?;
        if number.is_finite() { Ok(number) } else { Err(problem(format!("the {what} is no number"))) }
    };
    let lat_number = number(lat, "latitude").map_err(|error| (error, false))?;
    let lon_number = number(lon, "longitude").map_err(|error| (error, true))?;
    let hint = "latitudes and longitudes are degrees; `--bad-lines skip` leaves such lines out and counts them";
    if lat_number.abs() > 90.0 {
        let error = Error::data("the latitude is beyond 90 degrees").with_value(lat);
        let looks_swapped = lon_number.abs() <= 90.0 && lat_number.abs() <= 180.0;
        let swapped = "the columns look swapped: `--column lat=… lon=…` says which is which";
        return Err((error.with_hint(if looks_swapped { swapped } else { hint }), false));
    }
    if lon_number.abs() > 180.0 {
        return Err((Error::data("the longitude is beyond 180 degrees").with_value(lon).with_hint(hint), true));
    }
    Ok((lat_number, lon_number))
}

/// Refuses a file that cannot be paths, or whose rows say nowhere where anybody was.
pub(crate) fn refuse_placeless(layout: &PathsLayout, options: &ReadOptions) -> Result<()> {
    let (lat, lon) = (layout.has(Role::Lat), layout.has(Role::Lon));
    if (lat && lon) || (options.cells.is_some() && layout.has(Role::Cell)) {
        return Ok(());
    }
    Err(Error::data("cannot tell which columns are the latitude and the longitude")
        .with_hint("name them: `--column lat=… lon=…`; of cells, `--column cell=… --cells TABLE`"))
}

/// Refuses formats without columns.
pub(crate) fn refuse_format(format: Format) -> Result<()> {
    match format.kind {
        FormatKind::Fimi | FormatKind::Log(_) => Err(Error::parameter("format", "cannot hold paths")
            .with_hint("paths are written as tsv, csv, jsonl (also .gz, .zst) or parquet")),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degrees_are_checked() {
        assert_eq!(degrees(" 47.5", "-180").unwrap(), (47.5, -180.0));
        for (lat, lon, says) in [
            ("91", "10", "look swapped"),
            ("-120.5", "45.2", "look swapped"),
            ("91", "100", "degrees;"),
            ("181", "3", "degrees;"),
            ("10", "180.1", "beyond 180"),
            ("NaN", "3", "latitude is no number"),
            ("1", "inf", "longitude is no number"),
            ("", "3", "latitude is missing"),
            ("1", "x", "longitude is no number"),
        ] {
            let (error, _) = degrees(lat, lon).unwrap_err();
            let said = error.describe(false);
            assert!(said.contains(says), "{said}");
            assert!(lat.len() < 3 || !said.contains(lat), "{said}");
        }
    }
}
