//! Reading and writing paths: rows with a person, a time and a place.
//!
//! The rows come from `fields`, whatever the format; `read` makes points of them, `write` rows of points. Forms without rows are read as a whole
//! (`marked`): GPX, GeoJSON and the files of GeoLife, which may lie in a `folder`. Where a row has a cell and no
//! coordinates, a table of cells says where that is.

mod as_written;
mod cell_table;
mod folder;
mod geojson;
mod gpx;
mod marked;
mod plt;
mod read;
mod write;
mod write_marked;

use throng_core::data::time::{self, TimeStyle};

use super::cells::is_number;
use super::head::{Head, Likeness};
use super::queries::{PERSON_NAMES, is_plausible_time};
use super::roles::{RoleCard, Roles, Suits};
use super::scan::ReadOptions;
use super::time_zone::TimeZone;
use super::{FormatKind, PointsForm};

pub(crate) use as_written::is_as_written;
pub(crate) use folder::files_of_paths;
pub use read::{ReadPaths, read_opened_paths};
pub(crate) use read::{refuse_format, refuse_placeless};
pub use write::{PathsWriter, write_journeys, write_paths};

/// What a column of paths holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// Who.
    User,
    /// When.
    Time,
    /// The latitude in degrees.
    Lat,
    /// The longitude in degrees.
    Lon,
    /// The name of the place.
    Place,
    /// The cell of a telephone network.
    Cell,
    /// The trip.
    Trip,
    /// What somebody said of it.
    Label,
}

/// How many roles there are.
pub(super) const ROLE_COUNT: usize = 8;

impl Role {
    /// Every role.
    pub const ALL: [Self; ROLE_COUNT] =
        [Self::User, Self::Time, Self::Lat, Self::Lon, Self::Place, Self::Cell, Self::Trip, Self::Label];

    /// The role's name, as in `--column user=…`.
    pub fn name(self) -> &'static str {
        ROLES.cards[self as usize].name
    }
}

const fn card(name: &'static str, known_names: &'static [&'static str]) -> RoleCard {
    RoleCard {
        name,
        other_name: None,
        required: false,
        may_be_cut: true,
        suits: Suits::TextOrNumber,
        known_names,
        beside: None,
    }
}

/// The roles of paths, in the order of [`Role`].
pub(crate) static ROLES: Roles = Roles {
    of: "paths do",
    cards: &[
        RoleCard { other_name: Some("person"), required: true, may_be_cut: false, ..card("user", PERSON_NAMES) },
        RoleCard {
            required: true,
            may_be_cut: false,
            suits: Suits::Time,
            ..card(
                "time",
                &[
                    "time",
                    "timestamp",
                    "datetime",
                    "date",
                    "utctime",
                    "utctimestamp",
                    "checkintime",
                    "localtime",
                    "zeit",
                    "zeitpunkt",
                    "zeitstempel",
                    "uhrzeit",
                    "datum",
                    "heure",
                    "hora",
                    "fecha",
                    "tijd",
                    "ts",
                    "when",
                    "recordedat",
                    "createdat",
                    "t",
                ],
            )
        },
        card("lat", &["lat", "latitude", "breite", "breitengrad", "latitud", "latitudine"]),
        card(
            "lon",
            &[
                "lon",
                "lng",
                "long",
                "longitude",
                "laenge",
                "länge",
                "laengengrad",
                "längengrad",
                "longitud",
                "longitudine",
            ],
        ),
        card("place", &["place", "placeid", "venue", "venueid", "poi", "poiid", "locationid", "spot"]),
        card("cell", &["cell", "cellid", "antenna", "tower", "celltower", "lac"]),
        card("trip", &["trip", "tripid", "trajectory", "trajectoryid", "journey", "journeyid", "ride", "rideid"]),
        card("label", &["label", "mode", "transportmode", "class", "activity"]),
    ],
};

/// How a file writes its rows, so that a release can be written the same way.
#[derive(Debug, Clone, PartialEq)]
pub struct PathsLayout {
    /// The columns that have a role, in the order of the file.
    pub columns: Vec<(Role, String)>,
    /// Whether a header line names the columns.
    pub header: bool,
    /// How times are written.
    pub time_style: TimeStyle,
    /// The zone that they are local in, where one is named.
    pub time_zone: Option<TimeZone>,
    /// Whether a time is a number or timestamp of the format itself, not text.
    pub typed_time: bool,
    /// Whether ids are numbers of the format itself, not text.
    pub typed_person: bool,
    /// Whether cells of CSV that look like formulas of a spreadsheet are written as they are.
    pub raw_cells: bool,
    /// What the times of lines are called, where a file of GeoJSON has nothing but lines.
    pub line_times: Option<String>,
}

impl PathsLayout {
    /// Four columns, with times in ISO 8601.
    pub fn plain() -> Self {
        Self {
            columns: Role::ALL[..4].iter().map(|&role| (role, role.name().to_owned())).collect(),
            header: true,
            time_style: TimeStyle::ISO,
            time_zone: None,
            typed_time: true,
            typed_person: false,
            raw_cells: false,
            line_times: None,
        }
    }

    /// Whether a column has a role.
    pub fn has(&self, role: Role) -> bool {
        self.columns.iter().any(|(other, _)| *other == role)
    }

    /// Calls columns as another form does, where one of both has names of its own.
    pub(crate) fn rename(&mut self, from: FormatKind, to: FormatKind) {
        if from == to || !(from.has_no_rows() || to.has_no_rows()) {
            return;
        }
        self.header = true;
        for (role, name) in &mut self.columns {
            *name = if to == FormatKind::Points(PointsForm::Gpx) { marked::name_in_gpx(*role) } else { role.name() }
                .to_owned();
        }
    }

    /// A time for people: ISO 8601, in UTC or with the offset of the zone.
    pub fn shown_time(&self, local: i64) -> String {
        let Some(zone) = &self.time_zone else { return time::to_text(local, TimeStyle::ISO) };
        let mut text = Vec::new();
        let style = TimeStyle::Calendar { separator: b'T', zone: time::Zone::Offset(0), fraction: 0 };
        zone.format(local, style, &mut text);
        String::from_utf8_lossy(&text).into_owned()
    }
}

/// How much a file looks like paths: columns named for a person, a time and a place on the earth, or for a cell where a table of cells
/// is given.
pub(crate) fn likeness(head: &Head, options: &ReadOptions) -> Option<Likeness> {
    if head.format.kind.is_network()
        || matches!(head.format.kind, FormatKind::Fimi | FormatKind::Log(_))
        || !ROLES.have_all(&options.columns)
    {
        return None;
    }
    if let FormatKind::Points(form) = head.format.kind {
        return Some(Likeness::certain(match form {
            PointsForm::Gpx => "it is GPX",
            PointsForm::GeoJson => "it is GeoJSON",
            PointsForm::Plt => "it is a file of GeoLife",
        }));
    }
    // Whose rows are, when, and what they are labelled is of other kinds too.
    let own = [Role::Lat, Role::Lon, Role::Place, Role::Cell, Role::Trip];
    if own.iter().any(|&role| ROLES.is_chosen(role as usize, &options.columns)) {
        return Some(Likeness::said());
    }
    let roles = ROLES.guess(&head.names(), &options.columns).ok()?;
    let has = |role: Role| roles.contains(&Some(role as usize));
    if options.cells.is_some() && has(Role::Cell) {
        return Some(Likeness::certain("it has a column of cells, and a table of cells is given"));
    }
    if roles.iter().all(Option::is_some) && [Role::User, Role::Time, Role::Cell].into_iter().all(has) {
        return Some(Likeness::strong("it has columns for a person, a time and a cell"));
    }
    match (has(Role::Lat) && has(Role::Lon), has(Role::User) && has(Role::Time)) {
        (true, true) => Some(Likeness::certain("it has columns for a person, a time, a latitude and a longitude")),
        (true, false) if has(Role::Time) => {
            Some(Likeness::strong("it has columns for a time, a latitude and a longitude"))
        }
        _ if options.columns.is_empty() && are_places(head) => {
            Some(Likeness::probable("its lines have a latitude, a longitude and a time"))
        }
        _ => None,
    }
}

/// Whether nearly all lines have two degrees side by side, with several digits after the point, and a time.
fn are_places(head: &Head) -> bool {
    let degree = |cell: &str, most: f64| {
        let cell = cell.trim();
        let has_digits = cell.split_once('.').is_some_and(|(_, digits)| digits.len() >= 3);
        has_digits && is_number(cell) && cell.parse::<f64>().is_ok_and(|degree| degree.abs() <= most)
    };
    let is_place = |row: &&Vec<String>| {
        let pair = row.windows(2).any(|pair| degree(&pair[0], 90.0) && degree(&pair[1], 180.0));
        pair && row.iter().any(|cell| !degree(cell, 180.0) && is_plausible_time(cell))
    };
    let places = head.rows.iter().filter(is_place).count();
    places > 0 && places * 10 >= head.rows.len() * 9
}
