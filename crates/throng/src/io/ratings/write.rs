//! Writing ratings in the form of a layout.

use std::io::{self, Write};

use throng_core::data::{Ratings, Strings};
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::super::fields::write::{Column, RowSource, RowWriter, Sort, TimeForm, TimePart, Value};
use super::super::write::{Person, compressed};
use super::super::{Compression, Format};
use super::double_colon::SEPARATOR;
use super::{ITEM, RATING, RatingsLayout, TIME, USER};

/// Rows in a piece, about.
const PIECE: usize = 1 << 15;

/// Writes persons with their ratings. Gives the number of rows.
pub fn write_ratings<W: Write + Send>(
    out: &mut W,
    format: Format,
    layout: &RatingsLayout,
    ratings: &Ratings,
    persons: &[Person<'_>],
    progress: &dyn Progress,
) -> Result<u64> {
    if !layout.has_double_colons {
        return rows(out, format, layout, ratings, persons, progress);
    }
    // Cells are written with tabs, and each tab becomes two colons on its way to the file.
    let failed = |cause| Error::io("write the ratings", cause);
    let holds_tab = |text: &str| text.contains(['\t', '\n', '\r']) || text.contains(SEPARATOR);
    let is_written = |item: u32| ratings.count_of_item(item) > 0;
    if (0..ratings.items() as u32).any(|item| is_written(item) && holds_tab(ratings.item_ids().get(item))) {
        return Err(Error::refused("an id has a tab or `::` in it, and cannot stand between `::`")
            .with_hint("`--format csv` writes any id"));
    }
    let mut packed = compressed(out, format.compression).map_err(failed)?;
    let plain = Format { compression: Compression::None, ..format };
    let written = rows(&mut Colons(&mut packed), plain, layout, ratings, persons, progress)?;
    packed.end().map_err(failed)?;
    Ok(written)
}

/// Writes two colons for every tab.
struct Colons<W>(W);

impl<W: Write> Write for Colons<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for (at, piece) in bytes.split(|&byte| byte == b'\t').enumerate() {
            if at > 0 {
                self.0.write_all(SEPARATOR.as_bytes())?;
            }
            self.0.write_all(piece)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

fn rows<W: Write + Send>(
    out: &mut W,
    format: Format,
    layout: &RatingsLayout,
    ratings: &Ratings,
    persons: &[Person<'_>],
    progress: &dyn Progress,
) -> Result<u64> {
    // 007 is no number: it would come back as 7.
    let is_whole = |text: &str| text.parse::<i64>().is_ok_and(|number| number.to_string() == text);
    let mut written = (0..ratings.items() as u32).filter(|&item| ratings.count_of_item(item) > 0);
    let has_numbers = layout.typed[ITEM] && written.all(|item| is_whole(ratings.item_ids().get(item)));
    let mut writer = RatingsWriter::new(out, format, layout, has_numbers)?;
    writer.append(ratings, persons, progress)?;
    writer.finish()
}

/// Writes ratings one after the other into one file.
pub(crate) struct RatingsWriter<'a, W: Write + Send> {
    roles: Vec<usize>,
    has_numbers: bool,
    rows: RowWriter<'a, W>,
}

impl<'a, W: Write + Send> RatingsWriter<'a, W> {
    /// Begins a file, whose items are numbers of the format itself, or text.
    pub(crate) fn new(out: &'a mut W, format: Format, layout: &RatingsLayout, has_numbers: bool) -> Result<Self> {
        let column = |(role, name): &(usize, String)| Column {
            name: name.clone(),
            sort: match *role {
                USER => Sort::Person { typed: layout.typed[USER] },
                ITEM if has_numbers => Sort::Number { whole: true },
                ITEM => Sort::Text,
                RATING => Sort::Weight,
                _ => Sort::Time(TimeForm {
                    style: layout.time_style,
                    zone: None,
                    part: TimePart::Whole,
                    typed: layout.typed[TIME],
                }),
            },
            optional: *role == TIME,
        };
        let columns = layout.columns.iter().map(column).collect();
        let rows = RowWriter::new(out, format, columns, layout.header, layout.raw_cells, PIECE)?;
        Ok(Self { roles: layout.columns.iter().map(|(role, _)| *role).collect(), has_numbers, rows })
    }

    /// Writes persons.
    pub(crate) fn append(&mut self, ratings: &Ratings, persons: &[Person<'_>], progress: &dyn Progress) -> Result<()> {
        let cells = self.rows.cells();
        let plain = |strings: &Strings| cells.are_plain(strings.text(), strings.iter());
        let plain_items = plain(ratings.item_ids());
        let source = Source { ratings, roles: &self.roles, has_numbers: self.has_numbers, plain_items };
        self.rows.append(&source, persons, progress)
    }

    /// Ends the file. Gives the number of rows.
    pub(crate) fn finish(self) -> Result<u64> {
        self.rows.finish()
    }
}

/// Ratings as rows.
struct Source<'a> {
    ratings: &'a Ratings,
    roles: &'a [usize],
    has_numbers: bool,
    /// Whether no item needs a closer look.
    plain_items: bool,
}

impl RowSource for Source<'_> {
    fn rows_of(&self, person: u32) -> usize {
        self.ratings.count_of_person(person)
    }

    fn each<'s>(&'s self, person: u32, mut take: impl FnMut(&[Value<'s>])) {
        let mut values = [Value::Nothing; 4];
        let values = &mut values[..self.roles.len()];
        let items = self.ratings.item_ids();
        for rating in self.ratings.timed_of_person(person) {
            for (value, role) in values.iter_mut().zip(self.roles) {
                *value = match *role {
                    USER => Value::Person,
                    ITEM if self.has_numbers => Value::Number(items.get(rating.item)),
                    ITEM => Value::String(items, rating.item, self.plain_items),
                    RATING => Value::Weight(rating.value),
                    _ => rating.time.map_or(Value::Nothing, Value::Time),
                };
            }
            take(values);
        }
    }
}
