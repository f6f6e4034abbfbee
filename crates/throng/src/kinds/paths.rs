//! The room of paths: persons with points in time and space.

use std::io::Write;

use serde_json::{Value, json};
use throng_core::accounts::Accounts;
use throng_core::data::paths::{Mark, PathsBuilder, Point};
use throng_core::data::time::{self, TimeStyle};
use throng_core::data::{Dataset, Paths};
use throng_core::models::Witness;
use throng_core::models::written_paths::WrittenPaths;
use throng_core::paths::maps;
use throng_core::progress::{Progress, Silent};
use throng_core::release::{Release, look_drawn};
use throng_core::synth::paths::{Params, PathsSynth};
use throng_core::{Error, Result};

use super::ask::Ask;
use super::{
    About, Barred, Evidenced, HeldApart, KindCard, Kinded, Known, Made, Naming, Purpose, Read, Recognition, Shown,
    TimeForm, Written, lookalikes_of,
};
use crate::catalog::{self, Shelf};
use crate::drop_list::Bars;
use crate::io::paths::{self, PathsLayout, PathsWriter, ReadPaths, Role};
use crate::io::{Compression, Format, FormatKind, LookAt, Opened, Person, Place, PointsForm};
use crate::report;
use crate::run::{Certified, SynthRequest};
use crate::words::{self, counted, thousands};

impl Kinded for Paths {
    const CARD: KindCard = KindCard {
        name: "paths",
        summary: "paths: who was where, and when",
        person: ["person", "persons"],
        row: ["point", "points"],
        fact: <Self as Dataset>::FACTS[0].names,
        heading: "Paths of {}",
        facts: <Self as Dataset>::FACTS,
        unknown: ["place", "places"],
        made_up: ["csv", ".csv, .tsv, .jsonl (also .gz, .zst) or .parquet"],
        roles: "user=…, time=…, lat=…, lon=…, place=…, cell=…, trip=…, label=…",
        release_has_own_columns: true,
        has_times: true,
        ..KindCard::PLAIN
    };
    const SHELF: Shelf<Self> = catalog::PATHS;
    const RECOGNITION: Recognition = Recognition {
        looks_like: "columns for a person, a time, a latitude and a longitude, or GPX, GeoJSON or GeoLife's files",
        roles: &paths::ROLES,
        takes_folders: false,
        takes_any_cells: false,
        likeness: paths::likeness,
    };
    const HELD_OUT: Option<HeldApart> = Some(HeldApart::Days);
    const HAS_CELLS: bool = true;
    const KNOWN: Known = Known { facts: &[1, 2, 3, 4], draws: 20, targets: 1000, is_for_reports: true };

    type Layout = PathsLayout;
    type Evidence = WrittenPaths;

    fn fact(&self, fact: u32) -> String {
        let (cell, day) = self.cell_and_day(fact);
        format!("tile {cell} on {}", time::day_text(day))
    }

    fn read(opened: Opened, ask: &Ask, purpose: Purpose, progress: &dyn Progress) -> Result<Read<Self>> {
        let read = read_paths(opened, ask, false, progress)?;
        let notes = notes_of(&read);
        let (data, barred) = Barred::remove(read.paths, ask, purpose, without)?;
        let about = About {
            file_kind: Self::CARD.name,
            format: read.format,
            layout: read.layout,
            rows: read.rows,
            refused: read.refused,
            unmapped: read.unmapped,
            uncompared: read.uncompared,
            first_lines: Vec::new(),
            files: read.files,
            barred,
            notes,
        };
        Ok(Read { data, about })
    }

    fn held_apart(&self) -> Option<[Self; 2]> {
        Some([false, true].map(|are_odd| self.of_days(are_odd)))
    }

    fn check_format(input: Format, asked: Option<Format>) -> Result<()> {
        paths::refuse_format(asked.unwrap_or(input))
    }

    /// The input's columns that the records have something for, and coordinates where it had cells.
    fn release_layout(about: &About<Self>, asked: Option<Format>, records: &Self) -> Result<(Format, PathsLayout)> {
        let (input, output) = (about.format, asked.unwrap_or(about.format));
        // A release is one file, and those of GeoLife have no place for a name.
        let output = match output.kind {
            FormatKind::Points(PointsForm::Plt) => Format::new(FormatKind::Csv, Compression::None),
            _ => output,
        };
        let mut layout = about.layout.clone();
        if input.kind != output.kind {
            layout.header |= output.kind != FormatKind::Tsv;
            layout.typed_person &=
                matches!(output.kind, FormatKind::JsonLines | FormatKind::Parquet | FormatKind::Arrow);
            layout.typed_time |= output.kind.has_typed_columns();
        }
        layout.rename(input.kind, output.kind);
        layout.columns.retain(|(role, _)| match mark_of(*role) {
            Some(mark) => records.has(mark),
            None => true,
        });
        for role in [Role::Lat, Role::Lon] {
            if !layout.has(role) {
                layout.columns.push((role, role.name().to_owned()));
            }
        }
        Ok((output, layout))
    }

    fn maps(original: &Self, records: &Self, multiplicity: &[u32], k: usize) -> Result<Value> {
        let maps = maps::maps(original, records, multiplicity, k as u64)?;
        Ok(maps.map_or(Value::Null, |maps| report::maps::numbers(&maps)))
    }

    /// A column of a Parquet file has one type: kept ids are numbers there only if all of them are.
    fn with_ids(mut layout: PathsLayout, format: Format, are_numbers: bool) -> PathsLayout {
        layout.typed_person &= !format.kind.has_typed_columns() || are_numbers;
        layout
    }

    fn with_raw_cells(mut layout: PathsLayout, raw: bool) -> PathsLayout {
        layout.raw_cells = raw;
        layout
    }

    fn write<W: Write + Send>(
        out: &mut W,
        format: Format,
        layout: &PathsLayout,
        records: &Self,
        persons: &[Person<'_>],
        progress: &dyn Progress,
    ) -> Result<u64> {
        paths::write_paths(out, format, layout, records, persons, progress)
    }

    fn read_back(written: &Written<'_, Self>, progress: &dyn Progress) -> Result<WrittenPaths> {
        let read = read_paths(written.open()?, &written.ask(), true, progress)?;
        let found = (read.paths.persons(), read.rows, read.refused);
        if found != (written.release.persons.len(), written.rows, 0)
            || !read.uncompared.is_empty()
            || !holds_what_was_meant(&read.paths, written.release)
        {
            return Err(Error::internal("the release does not hold the persons and points that were written"));
        }
        Ok(WrittenPaths { digests: read.digests, paths: read.paths })
    }

    fn columns(layout: &PathsLayout) -> Vec<(&'static str, String)> {
        layout.columns.iter().map(|(role, name)| (role.name(), name.clone())).collect()
    }

    fn has_header(layout: &PathsLayout) -> bool {
        layout.header
    }

    /// ISO 8601 and points in time of the format itself need not be said.
    fn time_form(layout: &PathsLayout) -> TimeForm {
        let is_said = match layout.time_style {
            TimeStyle::Calendar { .. } => false,
            TimeStyle::Pattern(_) => !layout.typed_time,
            TimeStyle::Number(_) => true,
        };
        TimeForm {
            format: is_said.then(|| layout.time_style.to_format()),
            zone: layout.time_zone.as_ref().map(|zone| zone.name().to_owned()),
        }
    }

    fn rows_of(&self, person: usize) -> usize {
        self.range(person).len()
    }

    fn texts(&self) -> Vec<&str> {
        Mark::ALL.into_iter().flat_map(|mark| Paths::texts(self, mark).iter()).collect()
    }

    fn account(_original: &Self, _release: &Release<Self>, _rows: u64, _accounts: &mut Accounts) {}

    fn evidence(
        opened: Opened,
        ask: &Ask,
        certified: &Certified,
        _needs_sensitive: bool,
        progress: &dyn Progress,
    ) -> Result<Evidenced<Self>> {
        let mut read = read_paths(opened, ask, true, progress)?;
        if certified.certificate.as_ref().is_some_and(|certificate| !certificate.is_of_a_newer_throng())
            && !paths::is_as_written(&read, &certified.location)?
        {
            read.uncompared.push("something in the file that is not as throng writes its points".to_owned());
        }
        let user =
            super::columns_shown::<Self>(&read.layout, ask).into_iter().find(|column| column.role == Role::User.name());
        let mut notes = notes_of(&read);
        notes.extend(lookalikes_of(read.digests.names()));
        Ok(Evidenced {
            persons: read.paths.persons(),
            rows: read.rows,
            refused: read.refused,
            person_column: user.map_or_else(String::new, |column| column.name),
            ids_look_drawn: look_drawn(read.digests.names()),
            unmapped: read.unmapped,
            unmapped_count: true,
            uncompared: read.uncompared,
            first_lines: Vec::new(),
            files: read.files,
            notes,
            evidence: WrittenPaths { digests: read.digests, paths: read.paths },
        })
    }

    fn witness(seen: &Evidenced<Self>, witness: &Witness, naming: &Naming) -> Value {
        let digests = &seen.evidence.digests;
        let line = digests.tallies()[witness.person as usize].first_line;
        naming.of(digests.names().get(witness.person), Some(seen.files.place(line)), true, witness)
    }

    fn witness_in_words(witness: &Value) -> String {
        let Some(column) = witness["column"].as_str() else { return words::alone(witness, Self::CARD.person[0]) };
        let who = match words::line_of(witness) {
            Some(line) => format!("of the person in {line}"),
            None => "of a person".to_owned(),
        };
        if witness["centre"] == false {
            return format!("a point {who} is the centre of no tile");
        }
        let persons = match witness["persons"].as_u64().or(witness["group_size"].as_u64()).unwrap_or_default() {
            0 => "nobody".to_owned(),
            count => format!("only {}", counted(count, "person", "persons")),
        };
        match column {
            "lat" => format!("a point {who} is where {persons} of the original was"),
            other => format!("the {other} of a point {who} is one that {persons} of the original has"),
        }
    }

    fn places(_opened: Opened, _ask: &Ask, _look: LookAt<'_>, _progress: &dyn Progress) -> Result<Option<Vec<Place>>> {
        Ok(None)
    }

    fn shown(read: &Read<Self>, _ask: &Ask) -> Result<Vec<Shown>> {
        let (paths, layout) = (&read.data, &read.about.layout);
        let (first, last) = paths.time_span().unwrap_or_default();
        let [first, last] = [first, last].map(|time| layout.shown_time(time));
        let single = (0..Paths::persons(paths)).filter(|&person| paths.range(person).len() == 1).count();
        Ok(vec![
            Shown::new(
                "persons",
                thousands(Paths::persons(paths) as u64),
                vec![("persons", json!(Paths::persons(paths)))],
            ),
            Shown::new(
                "points",
                format!(
                    "{} ({} with one only)",
                    thousands(paths.points() as u64),
                    counted(single as u64, "person", "persons")
                ),
                vec![
                    ("rows", json!(paths.points())),
                    ("persons_with_one_point", json!(single)),
                    ("resorted", json!(paths.resorted())),
                ],
            ),
            super::rows_each(paths),
            Shown::new(
                "cells",
                counted(Dataset::facts(paths, 1).count() as u64, "tile of zoom 15", "tiles of zoom 15"),
                vec![("tiles_of_zoom_15", json!(Dataset::facts(paths, 1).count()))],
            ),
            Shown::new(
                "times",
                format!("{first} to {last}"),
                vec![
                    ("first_time", json!(first)),
                    ("last_time", json!(last)),
                    ("time_format", json!(layout.time_style.to_format())),
                ],
            ),
        ])
    }

    fn synth(request: &SynthRequest, stdout: &mut (dyn Write + Send), progress: &dyn Progress) -> Result<Made> {
        let SynthRequest { persons, days, seed, .. } = *request;
        let synth = PathsSynth::new(Params { persons, days, seed })?;
        let format = request.format_of(&Self::CARD)?;
        paths::refuse_format(format)?;
        let rows = request.to_file(stdout, |out| make_up(&synth, out, format, progress))?;
        let persons = counted(synth.persons() as u64, "person", "persons");
        Ok(Made { rows, said: format!("{} of {persons}", counted(rows, "point", "points")) })
    }
}

/// Reads a file, which must say where people were.
pub(crate) fn read_paths(opened: Opened, ask: &Ask, with_digests: bool, progress: &dyn Progress) -> Result<ReadPaths> {
    let location = opened.location().to_string();
    let read = paths::read_opened_paths(opened, &ask.reading(), with_digests, progress)?;
    paths::refuse_placeless(&read.layout, &ask.reading()).map_err(|error| error.in_file(location))?;
    Ok(read)
}

/// What the user should know of a file.
pub(crate) fn notes_of(read: &ReadPaths) -> Vec<String> {
    let mut notes = Vec::new();
    if read.at_zero > 0 {
        let points = counted(read.at_zero, "point lies", "points lie");
        notes.push(format!(
            "{points} at latitude 0 and longitude 0, in the sea off Africa: usually that is where a place is missing"
        ));
    }
    if read.paths.resorted() > 0 {
        let points = counted(read.paths.resorted(), "point came", "points came");
        notes.push(format!("{points} after a later one of the same person: points are taken in the order of time"));
    }
    notes
}

/// The sort of text that a column holds, if it holds any.
fn mark_of(role: Role) -> Option<Mark> {
    match role {
        Role::Place => Some(Mark::Place),
        Role::Cell => Some(Mark::Cell),
        Role::Trip => Some(Mark::Trip),
        Role::Label => Some(Mark::Label),
        Role::User | Role::Time | Role::Lat | Role::Lon => None,
    }
}

/// Whether a file has the points that were meant: places to the seventh decimal, and what stands beside them.
fn holds_what_was_meant(found: &Paths, release: &Release<Paths>) -> bool {
    let records = &release.records;
    let is_same = |own: usize, other: usize| {
        let texts = |paths: &Paths, point: usize| Mark::ALL.map(|mark| paths.text(mark, point).map(str::to_owned));
        found.place(own) == records.place(other) && texts(found, own) == texts(records, other)
    };
    release.persons.iter().enumerate().all(|(number, person)| {
        let (own, other) = (found.range(number), records.range(person.record as usize));
        found.names().get(number as u32) == person.pseudonym
            && own.len() == other.len()
            && own.zip(other).all(|(own, other)| is_same(own, other))
    })
}

/// Paths without points beside which something stands that may never be published.
fn without(paths: &Paths, who: &dyn Bars) -> Result<Paths> {
    let barred = Mark::ALL.map(|mark| paths.texts(mark).iter().map(|text| who.bars(text)).collect::<Vec<bool>>());
    let mut kept = PathsBuilder::default();
    for person in 0..Paths::persons(paths) {
        for point in paths.range(person) {
            let is_barred = |mark: &Mark| {
                let id = paths.mark(*mark, point);
                barred[*mark as usize].get(id as usize).copied().unwrap_or(false)
            };
            if !Mark::ALL.iter().any(is_barred) {
                let (lat, lon) = paths.place(point);
                let marks = Mark::ALL.map(|mark| paths.text(mark, point).unwrap_or_default());
                kept.push(paths.names().get(person as u32), Point { time: paths.time(point), lat, lon, marks });
            }
        }
    }
    Ok(kept.finish())
}

/// Persons made up at a time.
const BLOCK: usize = 5000;

fn make_up(
    synth: &PathsSynth,
    mut out: &mut (dyn Write + Send),
    format: Format,
    progress: &dyn Progress,
) -> Result<u64> {
    progress.stage("making up paths", synth.persons() as u64);
    let layout = PathsLayout::plain();
    let mut writer = PathsWriter::new(&mut out, format, &layout)?;
    let mut start = 0;
    while start < synth.persons() {
        let end = (start + BLOCK).min(synth.persons());
        let made = synth.block(start..end);
        let person = |person: u32| Person { name: made.names().get(person), person };
        let persons: Vec<Person<'_>> = (0..Paths::persons(&made) as u32).map(person).collect();
        writer.append(&made, &persons, &Silent)?;
        progress.advance((end - start) as u64);
        start = end;
    }
    writer.finish()
}
