//! Row-shaped data of any kind: text with separators, JSON lines, Parquet and Arrow, each read in one place as fields by role, and
//! written in one place.
//!
//! A kind says which roles it has ([`Roles`]) and takes rows whose values stand in the order of those roles, whatever the file
//! calls its columns and however it writes them. Formats, compressions, chosen columns, malformed lines and the limits of
//! what may be read come with it. The number of roles is known when the program is compiled, so that a row is an array.

mod arrow_column;
mod columns;
pub(super) mod delimited;
pub(super) mod json_lines;
pub(super) mod write;

use throng_core::data::time::Read;
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::roles::Roles;
use super::scan::{self, BadLines, BlockConsumer, BlockResult, ReadOptions, Totals};
use super::source::Source;
use super::uncompared::Uncompared;
use super::{Format, FormatKind};

pub(super) use arrow_column::{Column, is_number};

/// The values of a row by role; an empty text where there is none.
pub(super) struct Fields<'a, const N: usize> {
    /// The texts.
    pub(super) texts: [&'a str; N],
    /// Which roles have a value in this row, if only an empty one.
    pub(super) has: [bool; N],
    /// The point in time, where the format has those and the kind has a role for one. Its text is empty then.
    pub(super) instant: Option<Read>,
    /// Everything without a role, so that different rows have different bytes; empty unless somebody wants it.
    pub(super) rest: &'a [u8],
    /// Every cell with the name of its column, in the order of the row; none unless somebody wants them.
    pub(super) cells: &'a [NamedCell<'a>],
}

/// A cell and the name of its column.
#[derive(Debug, Clone, Copy)]
pub(super) struct NamedCell<'a> {
    pub(super) column: &'a str,
    /// Empty where there is no value.
    pub(super) text: &'a str,
    /// Whether it is a number of the format itself, not text.
    pub(super) typed: bool,
}

/// Makes something of rows with so many roles. Parts see blocks; the whole takes the parts in the order of the file.
pub(super) trait RowConsumer<const N: usize>: Sync {
    /// The roles, as many as that.
    const ROLES: &'static Roles;
    /// The role that is a point in time, if there is one.
    const TIME: Option<usize> = None;
    /// What one block becomes.
    type Part: Send;

    /// The names of the columns of a file whose first line, these cells, is no header; `None` if it should have one. They have
    /// the first roles in their order.
    fn without_header(_cells: &[&str], _options: &ReadOptions) -> Option<&'static [&'static str]> {
        None
    }
    /// Whether rows should come with what has no role.
    fn wants_rest(&self) -> bool {
        false
    }
    /// Whether rows should come with all of their cells. Columns need no role then, and may have any names.
    fn wants_cells(&self) -> bool {
        false
    }
    /// An empty part.
    fn part(&self) -> Self::Part;
    /// Takes a row at a line of the block, counted from 1, unless it is malformed. `name_of` tells the column of a role.
    fn row<'n>(
        &self,
        part: &mut Self::Part,
        fields: Fields<'_, N>,
        line: u64,
        name_of: impl Fn(usize) -> &'n str,
    ) -> Result<()>;
    /// Takes parts in the order of the file, each with the number of lines before it.
    fn absorb(&mut self, parts: Vec<(Self::Part, u64)>);
}

/// How a file writes its rows.
#[derive(Debug)]
pub(super) struct FieldLayout {
    /// The columns that have a role, in the order of the file.
    pub(super) columns: Vec<(usize, String)>,
    /// The place of each of them among all columns, from 0.
    pub(super) places: Vec<usize>,
    /// How many columns there are.
    pub(super) width: usize,
    /// Whether a header line, or the format itself, names the columns.
    pub(super) header: bool,
    /// For each role whether its values are of a type of the format itself, not text.
    pub(super) typed: Vec<bool>,
    /// Columns without a role, as they may be shown.
    pub(super) unmapped: Vec<String>,
}

/// What was learned of a file while its rows were read.
#[derive(Debug)]
pub(super) struct FieldsRead {
    pub(super) layout: FieldLayout,
    pub(super) rows: u64,
    pub(super) refused: u64,
    /// All lines, with the header and those that are empty.
    pub(super) lines: u64,
    pub(super) uncompared: Uncompared,
}

/// Reads the rows of a file into a consumer.
pub(super) fn read<const N: usize, C: RowConsumer<N>>(
    source: Source,
    format: Format,
    options: &ReadOptions,
    consumer: &mut C,
    progress: &dyn Progress,
) -> Result<FieldsRead> {
    if format.kind.has_typed_columns() {
        return columns::read(source, format, options, consumer, progress);
    }
    scan::refuse_parquet(&source)?;
    scan::stage(&source, progress);
    match format.kind {
        FormatKind::JsonLines => {
            let reader = json_lines::Reader::<N>::new(&source.head, C::ROLES, options)?;
            read_lines(source, format, 0, &reader, options.bad_lines, consumer, progress)
        }
        FormatKind::Tsv | FormatKind::Csv => {
            let (mut reader, skip) =
                delimited::Reader::<N>::new::<C>(&source.head, format, options, consumer.wants_cells())?;
            reader.fills_short_lines = options.fills_short_lines;
            read_lines(source, format, skip, &reader, options.bad_lines, consumer, progress)
        }
        FormatKind::Fimi => Err(Error::data("a file with one basket a line has no columns").with_hint(
            "formats with columns are tsv, csv, jsonl and parquet; name the one that it is with `--format`",
        )),
        FormatKind::Log(_) => Err(Error::data("an access log has no columns").with_hint(
            "formats with columns are tsv, csv, jsonl and parquet; name the one that it is with `--format`",
        )),
        FormatKind::GraphMl | FormatKind::Gml => Err(Error::data("a network in GraphML or GML has no rows")
            .with_hint("it is read as a graph: `--kind graph`; formats with columns are tsv, csv, jsonl and parquet")),
        FormatKind::Points(_) => Err(Error::data("a file of points in a form of its own has no rows")
            .with_hint("it is read as paths: `--kind paths`; formats with columns are tsv, csv, jsonl and parquet")),
        FormatKind::Parquet | FormatKind::Arrow => Err(Error::internal("a file of columns is read elsewhere")),
    }
}

/// Turns blocks of lines into rows.
trait LineReader<const N: usize>: Sync {
    /// Reads a block whose records are whole.
    fn read<C: RowConsumer<N>>(&self, block: &[u8], consumer: &C, policy: BadLines) -> BlockResult<C::Part>;
    /// How the file writes its rows, once all of it was read.
    fn layout(&self) -> Result<FieldLayout>;
}

fn read_lines<const N: usize, C: RowConsumer<N>, R: LineReader<N>>(
    source: Source,
    format: Format,
    skip: usize,
    reader: &R,
    policy: BadLines,
    consumer: &mut C,
    progress: &dyn Progress,
) -> Result<FieldsRead> {
    let uncompared = source.uncompared.clone();
    let totals = scan::read_blocks(source, format, skip, policy, &mut Rows::<N, _, _> { reader, consumer }, progress)?;
    finish(&totals, reader.layout()?, uncompared)
}

fn finish(totals: &Totals, layout: FieldLayout, uncompared: Uncompared) -> Result<FieldsRead> {
    let (rows, refused) = totals.counts()?;
    Ok(FieldsRead { layout, rows, refused, lines: totals.lines, uncompared })
}

/// A consumer of rows, with the reader that makes them.
struct Rows<'a, const N: usize, R, C> {
    reader: &'a R,
    consumer: &'a mut C,
}

impl<const N: usize, R: LineReader<N>, C: RowConsumer<N>> BlockConsumer for Rows<'_, N, R, C> {
    type Part = C::Part;

    fn part(&self) -> C::Part {
        self.consumer.part()
    }

    fn read(&self, block: &[u8], policy: BadLines) -> BlockResult<C::Part> {
        self.reader.read(block, self.consumer, policy)
    }

    fn absorb(&mut self, parts: Vec<(C::Part, u64)>) {
        self.consumer.absorb(parts);
    }
}

impl<P> BlockResult<P> {
    /// Takes a row that was malformed or not. Whether reading goes on.
    #[inline]
    pub(super) fn take(&mut self, row: Result<()>, line: u64, policy: BadLines) -> bool {
        match row {
            Ok(()) => {
                self.rows += 1;
                true
            }
            Err(error) => self.bad_line(error, line, policy),
        }
    }
}

/// Adds a value without a role, so that different rows become different bytes.
fn push_rest(rest: &mut Vec<u8>, column: &str, value: &[u8]) {
    // By the name of its column: several files may have different ones in the same place.
    for bytes in [column.as_bytes(), value] {
        rest.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
        rest.extend_from_slice(bytes);
    }
}

/// The places of the columns that have a role.
fn places(roles: &[Option<usize>]) -> Vec<usize> {
    (0..roles.len()).filter(|&at| roles[at].is_some()).collect()
}

/// The columns that have a role, and the names of those that have none, as they may be shown.
fn by_role(
    roles: &[Option<usize>],
    names: &[impl AsRef<str>],
    shown: &[String],
) -> (Vec<(usize, String)>, Vec<String>) {
    let (mut columns, mut unmapped) = (Vec::new(), Vec::new());
    for ((role, name), shown) in roles.iter().zip(names).zip(shown) {
        match role {
            Some(role) => columns.push((*role, name.as_ref().to_owned())),
            None => unmapped.push(shown.clone()),
        }
    }
    (columns, unmapped)
}

/// The error for bytes that are no text.
pub(super) fn not_utf8() -> Error {
    Error::data("the text is not UTF-8").with_hint(
        "`--encoding` says what it is: windows-1252, windows-1251, shift_jis, …; `--bad-lines skip` leaves such lines out",
    )
}
