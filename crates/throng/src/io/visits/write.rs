//! Visits, written: in the form of a layout, lines in the order of time over the whole release, ties by path, then address.

use std::borrow::Cow;
use std::io::Write;

use throng_core::Result;
use throng_core::data::time::{self, TimeStyle};
use throng_core::data::visits::Part;
use throng_core::data::{Interner, Strings, Visits};
use throng_core::progress::Progress;

use super::super::Format;
use super::super::fields::write::{Column, RowSource, RowWriter, Sort, TimeForm, TimePart, Value};
use super::super::write::{Person, Pieces};
use super::raw::Field;
use super::template::{Piece, Template};
use super::{LogForm, TimeWriting, VisitsLayout, address_of, times};

/// Lines in a piece.
const PIECE: usize = 1 << 14;

/// Writes persons with their records. Gives the number of lines.
pub(crate) fn write_visits<W: Write + Send>(
    out: &mut W,
    format: Format,
    layout: &VisitsLayout,
    visits: &Visits,
    persons: &[Person<'_>],
    progress: &dyn Progress,
) -> Result<u64> {
    let mut persons = persons.to_vec();
    persons.iter_mut().for_each(|person| person.name = address_of(person.name));
    let persons = &persons[..];
    let mut lines: Vec<(u32, u32)> = Vec::new();
    for (at, person) in (0u32..).zip(persons) {
        lines.extend(visits.range(person.person as usize).map(|row| (row as u32, at)));
    }
    lines.sort_by(|&(left, left_at), &(right, right_at)| {
        let path = |row: u32| visits.text(Part::Path, row as usize);
        let name = |at: u32| persons[at as usize].name;
        (visits.time(left as usize).cmp(&visits.time(right as usize)))
            .then_with(|| path(left).cmp(&path(right)))
            .then_with(|| name(left_at).cmp(name(right_at)))
            .then(left.cmp(&right))
    });
    if layout.form == LogForm::Rows {
        return write_rows(out, format, layout, visits, persons, &lines, progress);
    }
    let first = match &layout.form {
        LogForm::W3c { columns, .. } => {
            let names: Vec<&str> = columns.mapped().into_iter().map(|(_, name)| name).collect();
            format!("#Version: 1.0\n#Fields: {}\n", names.join(" ")).into_bytes()
        }
        _ => Vec::new(),
    };
    let pieces: Vec<&[(u32, u32)]> = lines.chunks(PIECE).collect();
    let mut text = Pieces::new(out, format.compression, first);
    let write = |piece: &&[(u32, u32)], out: &mut Vec<u8>| {
        for &(row, at) in *piece {
            let cells = Cells { visits, row: row as usize, address: persons[at as usize].name, layout };
            match &layout.form {
                LogForm::Line { template, .. } => push_line(template, &cells, out),
                LogForm::W3c { columns, has_tabs, is_quoted } => push_w3c(columns, *has_tabs, *is_quoted, &cells, out),
                LogForm::Json(keys) => keys.write(&cells, out),
                LogForm::Rows => {}
            }
        }
        Ok(())
    };
    text.append(&pieces, |piece| piece.len() as u64, write, progress)?;
    text.finish(Vec::new())?;
    Ok(lines.len() as u64)
}

/// A line of a release.
pub(crate) struct Cells<'a> {
    visits: &'a Visits,
    row: usize,
    /// The address that it is published under.
    address: &'a str,
    layout: &'a VisitsLayout,
}

impl Cells<'_> {
    /// What is written for a value; nothing where there is none. Users are never published.
    pub(crate) fn text(&self, field: Field) -> Option<Cow<'_, str>> {
        let part = |part: Part| self.visits.text(part, self.row).map(Cow::Borrowed);
        match field {
            Field::Address | Field::Person => Some(Cow::Borrowed(self.address)),
            Field::Time => Some(self.time().into()),
            Field::Date => Some(self.day().into()),
            Field::Request => request(self.visits, self.row, self.is_absolute()).map(Cow::Owned),
            Field::Method => part(Part::Method),
            Field::Path => {
                let query = part(Part::Query).filter(|_| !self.layout.has(Field::Query));
                match (part(Part::Path)?, query) {
                    (path, Some(query)) => Some(format!("{path}?{query}").into()),
                    (path, None) => Some(path),
                }
            }
            Field::Query => part(Part::Query),
            Field::Version => part(Part::Version),
            Field::Status => self.visits.status(self.row).map(|status| status.to_string().into()),
            Field::Bytes => self.visits.bytes(self.row).map(|bytes| bytes.to_string().into()),
            Field::Referrer => part(Part::Referrer),
            Field::Agent => part(Part::Agent),
            Field::Host => part(Part::Host),
            Field::User => None,
            Field::Session => part(Part::Session).map(|_| self.session().into()),
        }
    }

    fn is_absolute(&self) -> bool {
        matches!(self.layout.form, LogForm::Line { has_connections: true, .. })
    }

    /// A session under an id of its own: addresses are drawn, so this says nothing else.
    fn session(&self) -> String {
        session_id(self.address, self.visits.session(self.row))
    }

    fn local(&self) -> i64 {
        let time = self.visits.time(self.row);
        self.layout.zone.as_ref().map_or(time, |zone| zone.local(time))
    }

    fn time(&self) -> String {
        let mut out = Vec::new();
        let instant = self.visits.time(self.row);
        match self.layout.time {
            _ if self.layout.has(Field::Date) => {
                let text = time::to_text(self.local(), TimeStyle::AOL);
                return text.split_once(' ').map_or(text.clone(), |(_, time)| time.to_owned());
            }
            TimeWriting::Common { offset: None, has_millis } => {
                times::push_common(self.local(), None, has_millis, &mut out)
            }
            TimeWriting::Common { offset, has_millis } => times::push_common(instant, offset, has_millis, &mut out),
            TimeWriting::Seconds => return instant.div_euclid(1000).to_string(),
            TimeWriting::Style(style) => match style.zone() {
                time::Zone::Unnamed => time::format(self.local(), style, &mut out),
                _ => time::format(instant, style, &mut out),
            },
        }
        String::from_utf8_lossy(&out).into_owned()
    }

    fn day(&self) -> String {
        let text = time::to_text(self.local(), TimeStyle::AOL);
        text.split_once(' ').map_or(text.clone(), |(day, _)| day.to_owned())
    }
}

/// The id of a session of a release.
fn session_id(address: &str, session: u32) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for byte in address.bytes().chain(session.to_le_bytes()) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    format!("{hash:016x}")
}

/// A request line; nothing where there is no path.
fn request(visits: &Visits, row: usize, is_absolute: bool) -> Option<String> {
    let path = visits.text(Part::Path, row)?;
    let mut text = String::new();
    if let Some(method) = visits.text(Part::Method, row) {
        text.push_str(method);
        text.push(' ');
    }
    if is_absolute {
        text.push_str("https://");
        text.push_str(visits.text(Part::Host, row).unwrap_or("-"));
        text.push_str(":443");
    }
    text.push_str(path);
    if let Some(query) = visits.text(Part::Query, row) {
        text.push('?');
        text.push_str(query);
    }
    if let Some(version) = visits.text(Part::Version, row) {
        text.push(' ');
        text.push_str(version);
    }
    Some(text)
}

fn push_line(template: &Template, cells: &Cells<'_>, out: &mut Vec<u8>) {
    for (at, piece) in template.pieces.iter().enumerate() {
        match piece {
            Piece::Literal(text) | Piece::Ignored(text) | Piece::Rest(text) => out.extend_from_slice(text.as_bytes()),
            Piece::Value(field) => {
                let before = at.checked_sub(1).map(|at| &template.pieces[at]);
                let is_quoted = matches!(before, Some(Piece::Literal(literal)) if literal.ends_with('"'));
                let is_word = matches!(field, Field::Status | Field::Bytes | Field::Address | Field::Host);
                let is_word = *field != Field::Time && (is_word || !ends_with_sign(template.pieces.get(at + 1)));
                match cells.text(*field) {
                    None => out.push(b'-'),
                    Some(text) if is_quoted => push_escaped(&text, out),
                    // A blank would end it, but in a time, and where a sign does.
                    Some(text) if is_word => out.extend_from_slice(text.replace(' ', "%20").as_bytes()),
                    Some(text) => out.extend_from_slice(text.as_bytes()),
                }
            }
        }
    }
    out.push(b'\n');
}

/// Whether what ends a value is more than a blank.
fn ends_with_sign(after: Option<&Piece>) -> bool {
    matches!(after, Some(Piece::Literal(literal)) if !literal.trim().is_empty())
}

/// A text in quotes, as servers escape it.
fn push_escaped(text: &str, out: &mut Vec<u8>) {
    for c in text.chars() {
        match c {
            '"' => out.extend_from_slice(b"\\\""),
            '\\' => out.extend_from_slice(b"\\\\"),
            c if c.is_control() => out.extend_from_slice(format!("\\x{:02x}", c as u32).as_bytes()),
            c => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
}

fn push_w3c(columns: &super::w3c::Columns, has_tabs: bool, is_quoted: bool, cells: &Cells<'_>, out: &mut Vec<u8>) {
    for (at, (field, _)) in columns.mapped().into_iter().enumerate() {
        if at > 0 {
            out.push(if has_tabs { b'\t' } else { b' ' });
        }
        let text = cells.text(field).unwrap_or(Cow::Borrowed("-"));
        let text = match field {
            Field::Agent if has_tabs => {
                text.replace('%', "%2525").replace('+', "%252B").replace(' ', "%2520").replace('\t', "%2509").into()
            }
            Field::Agent if is_quoted => text.replace('%', "%25").replace('+', "%2B").into(),
            Field::Agent => text.replace('%', "%25").replace('+', "%2B").replace(' ', "+").into(),
            _ => text,
        };
        // A blank would end it, and a quote begin another.
        if is_quoted || (!has_tabs && (text.contains(' ') || text.starts_with('"'))) {
            out.extend_from_slice(format!("\"{}\"", text.replace('"', "\"\"")).as_bytes());
        } else {
            out.extend_from_slice(text.as_bytes());
        }
    }
    out.push(b'\n');
}

/// Rows with named columns: each line is one of its own, in the order given.
fn write_rows<W: Write + Send>(
    out: &mut W,
    format: Format,
    layout: &VisitsLayout,
    visits: &Visits,
    persons: &[Person<'_>],
    lines: &[(u32, u32)],
    progress: &dyn Progress,
) -> Result<u64> {
    let style = match layout.time {
        TimeWriting::Style(style) => style,
        TimeWriting::Common { .. } | TimeWriting::Seconds => TimeStyle::ISO,
    };
    let time = |part: TimePart| Sort::Time(TimeForm { style, zone: layout.zone.clone(), part, typed: true });
    let column = |(field, name): &(Field, String)| Column {
        name: name.clone(),
        sort: match field {
            Field::Address | Field::Person => Sort::Person { typed: false },
            Field::Time if layout.has(Field::Date) => time(TimePart::TimeOfDay(0)),
            Field::Time => time(TimePart::Whole),
            Field::Date => time(TimePart::Date(0)),
            Field::Status => Sort::Count,
            Field::Bytes => Sort::Weight,
            _ => Sort::Text,
        },
        optional: !matches!(field, Field::Address | Field::Person | Field::Time | Field::Date),
    };
    let columns = layout.columns.iter().map(column).collect();
    let (mut composed, mut ids) = (Interner::new(), Vec::new());
    let composes = [Field::Request, Field::Path, Field::Session].into_iter().filter(|field| layout.has(*field));
    let composes: Vec<Field> = composes.collect();
    for &(row, at) in lines {
        let cells = Cells { visits, row: row as usize, address: persons[at as usize].name, layout };
        for field in &composes {
            ids.push(cells.text(*field).map_or(u32::MAX, |text| composed.intern(&text)));
        }
    }
    let source = Composed { visits, layout, lines, composed: composed.into_strings(), composes, ids };
    let each: Vec<Person<'_>> =
        (0u32..).zip(lines).map(|(line, &(_, at))| Person { name: persons[at as usize].name, person: line }).collect();
    let mut writer = RowWriter::new(out, format, columns, layout.header, layout.raw_cells, PIECE)?;
    writer.append(&source, &each, progress)?;
    writer.finish()
}

struct Composed<'a> {
    visits: &'a Visits,
    layout: &'a VisitsLayout,
    lines: &'a [(u32, u32)],
    composed: Strings,
    composes: Vec<Field>,
    ids: Vec<u32>,
}

impl RowSource for Composed<'_> {
    fn rows_of(&self, _line: u32) -> usize {
        1
    }

    fn each<'s>(&'s self, line: u32, mut take: impl FnMut(&[Value<'s>])) {
        let row = self.lines[line as usize].0 as usize;
        let part = |part: Part| self.visits.text(part, row).map_or(Value::Nothing, Value::Text);
        let value = |(field, _): &(Field, String)| match field {
            Field::Address | Field::Person => Value::Person,
            Field::Time | Field::Date => Value::Time(
                self.layout
                    .zone
                    .as_ref()
                    .map_or_else(|| self.visits.time(row), |zone| zone.local(self.visits.time(row))),
            ),
            Field::Request | Field::Path | Field::Session => {
                let at = self.composes.iter().position(|own| own == field).unwrap_or(0);
                match self.ids[line as usize * self.composes.len() + at] {
                    u32::MAX => Value::Nothing,
                    id => Value::Text(self.composed.get(id)),
                }
            }
            Field::Method => part(Part::Method),
            Field::Query => part(Part::Query),
            Field::Version => part(Part::Version),
            Field::Status => self.visits.status(row).map_or(Value::Nothing, |status| Value::Count(status.into())),
            Field::Bytes => self.visits.bytes(row).map_or(Value::Nothing, |bytes| Value::Weight(bytes as f64)),
            Field::Referrer => part(Part::Referrer),
            Field::Agent => part(Part::Agent),
            Field::Host => part(Part::Host),
            Field::User => Value::Nothing,
        };
        let values: Vec<Value<'s>> = self.layout.columns.iter().map(value).collect();
        take(&values);
    }
}
