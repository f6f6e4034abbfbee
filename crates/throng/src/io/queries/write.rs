//! Writing a log in the form of a layout.

use std::io::Write;

use throng_core::Result;
use throng_core::data::{QueryLog, Strings};
use throng_core::progress::Progress;

use super::super::Format;
use super::super::cells::Cells;
use super::super::fields::write::{Column, RowSource, RowWriter, Sort, TimeForm, TimePart, Value};
use super::super::write::Person;
use super::{Layout, Role};

/// Rows in a piece, about.
const PIECE: usize = 1 << 15;

/// Writes a whole log's persons at once. Gives the number of rows.
pub fn write_persons<W: Write + Send>(
    out: &mut W,
    format: Format,
    layout: &Layout,
    log: &QueryLog,
    persons: &[Person<'_>],
    progress: &dyn Progress,
) -> Result<u64> {
    let mut writer = LogWriter::new(out, format, layout)?;
    writer.append(log, persons, progress)?;
    writer.finish()
}

/// Writes logs one after the other into one file.
pub struct LogWriter<'a, W: Write + Send> {
    roles: Vec<Role>,
    rows: RowWriter<'a, W>,
}

impl<'a, W: Write + Send> LogWriter<'a, W> {
    /// Begins a file.
    pub fn new(out: &'a mut W, format: Format, layout: &Layout) -> Result<Self> {
        let time = |part: TimePart| TimeForm {
            style: layout.time_style,
            zone: layout.time_zone.clone(),
            part,
            typed: layout.typed_time && part == TimePart::Whole,
        };
        let column = |(role, name): &(Role, String)| Column {
            name: name.clone(),
            sort: match role {
                Role::User => Sort::Person { typed: layout.typed_person },
                Role::Query | Role::Url => Sort::Text,
                Role::Time if layout.has_date() => Sort::Time(time(TimePart::TimeOfDay(layout.blanks_in_date))),
                Role::Time => Sort::Time(time(TimePart::Whole)),
                Role::Date => Sort::Time(time(TimePart::Date(layout.blanks_in_date))),
                Role::Rank | Role::Wish => Sort::Count,
            },
            optional: matches!(role, Role::Rank | Role::Url | Role::Wish),
        };
        let columns = layout.columns.iter().map(column).collect();
        let rows = RowWriter::new(out, format, columns, layout.header, layout.raw_cells, PIECE)?;
        Ok(Self { roles: layout.columns.iter().map(|(role, _)| *role).collect(), rows })
    }

    /// Writes persons of a log.
    pub fn append(&mut self, log: &QueryLog, persons: &[Person<'_>], progress: &dyn Progress) -> Result<()> {
        let lines = Lines::new(log, &self.roles, self.rows.cells());
        self.rows.append(&lines, persons, progress)
    }

    /// Ends the file. Gives the number of rows.
    pub fn finish(self) -> Result<u64> {
        self.rows.finish()
    }
}

/// The lines of a log as rows.
struct Lines<'a> {
    log: &'a QueryLog,
    roles: &'a [Role],
    /// Whether no query, and no URL, needs a closer look: true of nearly every log, and known from one look at all.
    plain_queries: bool,
    plain_urls: bool,
}

impl<'a> Lines<'a> {
    fn new(log: &'a QueryLog, roles: &'a [Role], cells: Cells) -> Self {
        let plain = |strings: &Strings| cells.are_plain(strings.text(), strings.iter());
        Self { log, roles, plain_queries: plain(log.queries()), plain_urls: plain(log.urls()) }
    }
}

impl RowSource for Lines<'_> {
    fn rows_of(&self, person: u32) -> usize {
        self.log.range(person as usize).len()
    }

    fn touch(&self, person: u32) {
        self.log.touch(self.log.range(person as usize));
    }

    fn each<'s>(&'s self, person: u32, mut take: impl FnMut(&[Value<'s>])) {
        let mut values = [Value::Nothing; Role::ALL.len()];
        let values = &mut values[..self.roles.len()];
        for line in self.log.lines(person as usize) {
            for (value, role) in values.iter_mut().zip(self.roles) {
                *value = match role {
                    Role::User => Value::Person,
                    Role::Query => Value::String(self.log.queries(), line.query, self.plain_queries),
                    Role::Time | Role::Date => Value::Time(line.time),
                    Role::Rank => line.rank.map_or(Value::Nothing, Value::Count),
                    Role::Wish => Value::Nothing,
                    Role::Url => {
                        line.url.map_or(Value::Nothing, |url| Value::String(self.log.urls(), url, self.plain_urls))
                    }
                };
            }
            take(values);
        }
    }
}
