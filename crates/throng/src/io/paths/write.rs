//! Writing paths in the form of a layout: latitudes and longitudes with seven decimals.

use std::io::Write;

use throng_core::Result;
use throng_core::data::Paths;
use throng_core::data::paths::{MISSING, Mark};
use throng_core::paths::reconstruct::Journeys;
use throng_core::progress::Progress;

use super::super::fields::write::{Column, RowSource, RowWriter, Sort, TimeForm, TimePart, Value};
use super::super::write::Person;
use super::super::{Format, FormatKind};
use super::write_marked::MarkedWriter;
use super::{PathsLayout, Role};

/// Rows in a piece, about.
const PIECE: usize = 1 << 15;

/// Writes all persons at once. Gives the number of rows.
pub fn write_paths<W: Write + Send>(
    out: &mut W,
    format: Format,
    layout: &PathsLayout,
    paths: &Paths,
    persons: &[Person<'_>],
    progress: &dyn Progress,
) -> Result<u64> {
    let mut writer = PathsWriter::new(out, format, layout)?;
    writer.append(paths, persons, progress)?;
    writer.finish()
}

/// Writes paths one after the other into one file.
pub struct PathsWriter<'a, W: Write + Send> {
    roles: Vec<Role>,
    target: Target<'a, W>,
}

enum Target<'a, W: Write + Send> {
    Rows(RowWriter<'a, W>),
    Marked(MarkedWriter<'a, W>),
}

impl<'a, W: Write + Send> PathsWriter<'a, W> {
    /// Begins a file.
    pub fn new(out: &'a mut W, format: Format, layout: &PathsLayout) -> Result<Self> {
        super::read::refuse_format(format)?;
        let target = match format.kind {
            FormatKind::Points(form) => Target::Marked(MarkedWriter::new(out, form, format, layout)),
            _ => {
                let columns = columns_of(layout);
                Target::Rows(RowWriter::new(out, format, columns, layout.header, layout.raw_cells, PIECE)?)
            }
        };
        Ok(Self { roles: layout.columns.iter().map(|(role, _)| *role).collect(), target })
    }

    /// Writes persons.
    pub fn append(&mut self, paths: &Paths, persons: &[Person<'_>], progress: &dyn Progress) -> Result<()> {
        match &mut self.target {
            Target::Rows(rows) => rows.append(&Points { paths, roles: &self.roles }, persons, progress),
            Target::Marked(marked) => marked.append(paths, persons, progress),
        }
    }

    /// Ends the file. Gives the number of rows.
    pub fn finish(self) -> Result<u64> {
        match self.target {
            Target::Rows(rows) => rows.finish(),
            Target::Marked(marked) => marked.finish(),
        }
    }
}

/// Writes points with their trips and stays, under the names of their persons. Gives the number of rows.
pub fn write_journeys<W: Write + Send>(
    out: &mut W,
    format: Format,
    layout: &PathsLayout,
    journeys: &Journeys,
    progress: &dyn Progress,
) -> Result<u64> {
    let mut layout = layout.clone();
    for role in [Role::Lat, Role::Lon, Role::Trip] {
        if !layout.has(role) {
            layout.columns.push((role, role.name().to_owned()));
        }
    }
    let mut columns = columns_of(&layout);
    columns.push(Column { name: STAY.to_owned(), sort: Sort::Count, optional: true });
    super::read::refuse_format(format)?;
    let mut rows = RowWriter::new(out, format, columns, true, layout.raw_cells, PIECE)?;
    let roles: Vec<Role> = layout.columns.iter().map(|(role, _)| *role).collect();
    let paths = journeys.paths.clone().with_trips(&journeys.trips);
    let names = |person: u32| Person { name: paths.names().get(person), person };
    let persons: Vec<Person<'_>> = (0..paths.persons() as u32).map(names).collect();
    rows.append(
        &WithStays { points: Points { paths: &paths, roles: &roles }, stays: &journeys.stays_of },
        &persons,
        progress,
    )?;
    rows.finish()
}

/// The column of stays.
const STAY: &str = "stay";

/// Points with the numbers of their stays behind them.
struct WithStays<'a> {
    points: Points<'a>,
    stays: &'a [u32],
}

impl RowSource for WithStays<'_> {
    fn rows_of(&self, person: u32) -> usize {
        self.points.rows_of(person)
    }

    fn each<'s>(&'s self, person: u32, mut take: impl FnMut(&[Value<'s>])) {
        let mut stays = self.stays[self.points.paths.range(person as usize)].iter();
        let mut all = Vec::new();
        self.points.each(person, |values| {
            all.clear();
            all.extend_from_slice(values);
            all.push(stays.next().filter(|&&stay| stay > 0).map_or(Value::Nothing, |&stay| Value::Count(stay)));
            take(&all);
        });
    }
}

/// The columns of a layout.
fn columns_of(layout: &PathsLayout) -> Vec<Column> {
    let time = time_form(layout);
    let column = |(role, name): &(Role, String)| Column {
        name: name.clone(),
        sort: match role {
            Role::User => Sort::Person { typed: layout.typed_person },
            Role::Time => Sort::Time(time.clone()),
            Role::Lat | Role::Lon => Sort::Weight,
            Role::Place | Role::Cell | Role::Trip | Role::Label => Sort::Text,
        },
        optional: !matches!(role, Role::User | Role::Time | Role::Lat | Role::Lon),
    };
    layout.columns.iter().map(column).collect()
}

/// How times are written.
pub(super) fn time_form(layout: &PathsLayout) -> TimeForm {
    TimeForm {
        style: layout.time_style,
        zone: layout.time_zone.clone(),
        part: TimePart::Whole,
        typed: layout.typed_time,
    }
}

/// Points as rows.
struct Points<'a> {
    paths: &'a Paths,
    roles: &'a [Role],
}

impl RowSource for Points<'_> {
    fn rows_of(&self, person: u32) -> usize {
        self.paths.range(person as usize).len()
    }

    fn each<'s>(&'s self, person: u32, mut take: impl FnMut(&[Value<'s>])) {
        let mut values = [Value::Nothing; Role::ALL.len()];
        let values = &mut values[..self.roles.len()];
        for point in self.paths.range(person as usize) {
            let (lat, lon) = self.paths.place(point);
            let text = |mark: Mark| match self.paths.mark(mark, point) {
                MISSING => Value::Nothing,
                id => Value::String(self.paths.texts(mark), id, false),
            };
            for (value, role) in values.iter_mut().zip(self.roles) {
                *value = match role {
                    Role::User => Value::Person,
                    Role::Time => Value::Time(self.paths.time(point)),
                    Role::Lat => Value::Degrees(lat),
                    Role::Lon => Value::Degrees(lon),
                    Role::Place => text(Mark::Place),
                    Role::Cell => text(Mark::Cell),
                    Role::Trip => text(Mark::Trip),
                    Role::Label => text(Mark::Label),
                };
            }
            take(values);
        }
    }
}
