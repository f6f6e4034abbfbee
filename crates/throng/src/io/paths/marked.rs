//! Paths in forms of their own: GPX, GeoJSON, and the files of GeoLife. Each is read as a whole, and gives points one after the other.
//!
//! A person is who the file names, else the file itself (of GeoLife, its folder). Whatever is in a point and has no role is part of what
//! a check compares; whatever stands beside the points is counted, so that a check fails on it.

use std::path::Path;

use throng_core::{Error, Result};

use super::super::fields::{FieldLayout, Fields, FieldsRead, RowConsumer as _};
use super::super::roles::ColumnChoice;
use super::super::scan::BadLines;
use super::super::uncompared::Uncompared;
use super::super::{FormatKind, Location, Opened, PointsForm, fields};
use super::read::{Block, Reading};
use super::{ROLE_COUNT, ROLES, Role, geojson, gpx, plt};

/// What a file of such a form has.
pub(super) struct ReadMarked {
    pub(super) block: Block,
    pub(super) fields: FieldsRead,
    /// What the times of lines are called, where there are nothing but lines.
    pub(super) line_times: Option<String>,
}

/// A point as a file has it.
#[derive(Debug, Default)]
pub(super) struct Found<'a> {
    pub(super) person: &'a str,
    pub(super) time: &'a str,
    pub(super) lat: &'a str,
    pub(super) lon: &'a str,
    pub(super) place: &'a str,
    pub(super) trip: &'a str,
    pub(super) label: &'a str,
    /// Everything else, so that different points have different bytes.
    pub(super) rest: &'a [u8],
    pub(super) line: u64,
}

/// Takes points while a file is read.
pub(super) struct Taker<'r> {
    reading: &'r Reading,
    block: Block,
    policy: BadLines,
    rows: u64,
    refused: u64,
    unmapped: Vec<String>,
    uncompared: Uncompared,
    /// Which of the texts any point has: place, trip, label.
    has: [bool; 3],
    /// What points without a person's name are of.
    pub(super) file: String,
}

impl Taker<'_> {
    /// Takes a point, unless it is malformed.
    pub(super) fn point(&mut self, found: &Found<'_>) -> Result<()> {
        let person = if found.person.is_empty() { self.file.as_str() } else { found.person };
        let texts = [person, found.time, found.lat, found.lon, found.place, "", found.trip, found.label];
        let fields = Fields { texts, has: [true; ROLE_COUNT], instant: None, rest: found.rest, cells: &[] };
        match self.reading.row(&mut self.block, fields, found.line, |role| ROLES.cards[role].name) {
            Ok(()) => {
                self.rows += 1;
                for (has, text) in self.has.iter_mut().zip([found.place, found.trip, found.label]) {
                    *has |= !text.is_empty();
                }
                Ok(())
            }
            Err(error) => self.refuse(error, found.line),
        }
    }

    /// Notes what is malformed.
    pub(super) fn refuse(&mut self, error: Error, line: u64) -> Result<()> {
        match self.policy {
            BadLines::Fail => Err(error.at_line(line)),
            BadLines::Skip => {
                self.refused += 1;
                Ok(())
            }
        }
    }

    /// Notes what stands at a point and has no role.
    pub(super) fn unmapped(&mut self, name: &str) {
        if !self.unmapped.iter().any(|known| known == name) {
            self.unmapped.push(name.to_owned());
        }
    }

    /// Notes what stands beside the points.
    pub(super) fn beside(&self, what: &'static str) {
        self.uncompared.note(what);
    }

    /// Notes so many of a sort.
    pub(super) fn beside_many(&self, what: &'static str, count: u64) {
        self.uncompared.note_many(what, count);
    }

    pub(super) fn has_none(&self) -> bool {
        self.rows == 0
    }
}

/// Reads a file.
pub(super) fn read(
    opened: Opened,
    form: PointsForm,
    policy: BadLines,
    columns: &[ColumnChoice],
    reading: &Reading,
    file: String,
) -> Result<ReadMarked> {
    let uncompared = opened.source.uncompared.clone();
    let bytes = opened.source.into_bytes()?;
    let text = std::str::from_utf8(&bytes).map_err(|_| fields::not_utf8())?;
    let mut taker = Taker {
        reading,
        block: reading.part(),
        policy,
        rows: 0,
        refused: 0,
        unmapped: Vec::new(),
        uncompared,
        has: [false; 3],
        file,
    };
    let mut line_times = None;
    let names: Vec<(Role, String)> = match form {
        PointsForm::Gpx => {
            refuse_other_names(columns, &GPX_NAMES)?;
            gpx::parse(text, &mut taker)?;
            fixed(&GPX_NAMES)
        }
        PointsForm::Plt => {
            refuse_other_names(columns, &PLT_NAMES)?;
            plt::parse(text, &mut taker)?;
            fixed(&PLT_NAMES)
        }
        PointsForm::GeoJson => {
            let (names, times) = geojson::parse(text, columns, &mut taker)?;
            line_times = times;
            names
        }
    };
    if taker.has_none() {
        let problem = if taker.refused > 0 { "no point of the file could be read" } else { "the file has no points" };
        return Err(Error::data(problem).with_hint("there is nobody to protect in it"));
    }
    let [place, trip, label] = taker.has;
    let is_there = |role: Role| match role {
        Role::Place => place,
        Role::Trip => trip,
        Role::Label => label,
        _ => true,
    };
    let columns: Vec<(usize, String)> =
        names.into_iter().filter(|(role, _)| is_there(*role)).map(|(role, name)| (role as usize, name)).collect();
    let layout = FieldLayout {
        places: (0..columns.len()).collect(),
        width: columns.len(),
        columns,
        header: true,
        typed: vec![false; ROLE_COUNT],
        unmapped: taker.unmapped,
    };
    let lines = memchr::memchr_iter(b'\n', &bytes).count() as u64 + u64::from(bytes.last() != Some(&b'\n'));
    let fields = FieldsRead { layout, rows: taker.rows, refused: taker.refused, lines, uncompared: taker.uncompared };
    Ok(ReadMarked { block: taker.block, fields, line_times })
}

const GPX_NAMES: [(Role, &str); 6] = [
    (Role::User, "trk/name"),
    (Role::Time, "time"),
    (Role::Lat, "lat"),
    (Role::Lon, "lon"),
    (Role::Place, "name"),
    (Role::Label, "type"),
];

const PLT_NAMES: [(Role, &str); 4] =
    [(Role::User, "folder"), (Role::Time, "time"), (Role::Lat, "lat"), (Role::Lon, "lon")];

/// What GPX calls a role.
pub(super) fn name_in_gpx(role: Role) -> &'static str {
    GPX_NAMES.iter().find(|(own, _)| *own == role).map_or(role.name(), |(_, name)| name)
}

fn fixed(names: &[(Role, &str)]) -> Vec<(Role, String)> {
    names.iter().map(|(role, name)| (*role, (*name).to_owned())).collect()
}

/// Refuses names of columns in a form that has names of its own.
fn refuse_other_names(columns: &[ColumnChoice], names: &[(Role, &str)]) -> Result<()> {
    let is_own = |choice: &ColumnChoice| names.iter().any(|(_, name)| choice.name == *name);
    match columns.iter().all(is_own) {
        true => Ok(()),
        false => Err(Error::parameter("column", "names a column, and a file of this form has none")
            .with_hint("what it has is known: leave the flag out")),
    }
}

/// What the points of files are of that name nobody: the file, without its folder and endings, and of GeoLife the folder. Two that would
/// be called the same are called by their whole places.
pub(super) fn names_of_files(places: &[Location]) -> Vec<String> {
    let named: Vec<(String, String)> = places.iter().map(name_of).collect();
    let is_taken = |own: &(String, String)| named.iter().any(|other| other.0 == own.0 && other.1 != own.1);
    named.iter().map(|own| if is_taken(own) { own.1.clone() } else { own.0.clone() }).collect()
}

/// A short name, and the whole place.
fn name_of(place: &Location) -> (String, String) {
    let Location::File(path) = place else { return ("1".to_owned(), place.to_string()) };
    let text = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let name = text(path);
    let stem = |name: &str| {
        let plain = [".gz", ".zst", ".bz2"].iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name);
        plain.rsplit_once('.').map_or(plain, |(stem, _)| stem).to_owned()
    };
    if is_plt(path)
        && let Some(folder) = path.parent().filter(|folder| folder.file_name().is_some())
    {
        let is_inner = text(folder).eq_ignore_ascii_case("trajectory");
        let folder = folder.parent().filter(|outer| is_inner && outer.file_name().is_some()).unwrap_or(folder);
        return (text(folder), folder.display().to_string());
    }
    (stem(&name), path.display().to_string())
}

fn is_plt(path: &Path) -> bool {
    super::super::Format::of_path(path).is_some_and(|format| format.kind == FormatKind::Points(PointsForm::Plt))
}

/// The line of a place in a text, found from that of one before.
pub(super) struct Lines<'a> {
    text: &'a str,
    counted: (usize, u64),
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, counted: (0, 1) }
    }

    /// The line of a part of the text.
    pub(super) fn of(&mut self, part: &str) -> u64 {
        let at = (part.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize).min(self.text.len());
        let (from, lines) = if at >= self.counted.0 { self.counted } else { (0, 1) };
        let more = memchr::memchr_iter(b'\n', &self.text.as_bytes()[from..at]).count() as u64;
        self.counted = (at, lines + more);
        lines + more
    }
}

/// Adds what has no role, so that different points have different bytes.
pub(super) fn push_rest(rest: &mut Vec<u8>, name: &str, value: &str) {
    for text in [name, value] {
        rest.extend_from_slice(&(text.len() as u64).to_le_bytes());
        rest.extend_from_slice(text.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_names() {
        let names = |places: &[&str]| {
            names_of_files(&places.iter().map(|place| Location::File(place.into())).collect::<Vec<_>>())
        };
        assert_eq!(names(&["a/walk.gpx", "ride.geojson.gz"]), ["walk", "ride"]);
        assert_eq!(names(&["a/walk.gpx", "b/walk.gpx"]), ["a/walk.gpx", "b/walk.gpx"]);
        assert_eq!(
            names(&["Data/000/Trajectory/1.plt", "Data/000/Trajectory/2.plt", "Data/001/3.plt"]),
            ["000", "000", "001"]
        );
        assert_eq!(names(&["x/000/1.plt", "y/000/1.plt"]), ["x/000", "y/000"]);
        assert_eq!(names(&["1.plt"]), ["1"]);
    }
}
