//! Lines of cells with `::` between, as MovieLens has them: person, item, rating and perhaps a time, without a header.

use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::super::fields::{FieldLayout, Fields, RowConsumer};
use super::super::head::first_line;
use super::super::scan::{self, BadLines, BlockConsumer, BlockResult};
use super::super::source::Source;
use super::super::{Delimiter, Format, FormatKind, Opened};
use super::NAMES;
use crate::words::counted;

/// Whether a file begins like one of them.
pub(super) fn begins(head: &[u8], is_pairs: bool) -> bool {
    let Ok(line) = std::str::from_utf8(first_line(head)) else { return false };
    let cells = line.trim_end().split("::").count();
    !line.contains(['\t', ',']) && ((3..=5).contains(&cells) || (is_pairs && cells == 2))
}

/// Its lines, as they are cut.
pub(super) fn format(opened: &Opened) -> Format {
    Format { kind: FormatKind::Tsv, compression: opened.source.compression, delimiter: Delimiter::TAB }
}

/// What stands between cells.
pub(super) const SEPARATOR: &str = "::";

/// So many columns, each with its role.
pub(super) fn layout(columns: usize) -> FieldLayout {
    FieldLayout {
        columns: NAMES.iter().take(columns).enumerate().map(|(role, name)| (role, (*name).to_owned())).collect(),
        places: (0..columns).collect(),
        width: columns,
        header: false,
        typed: vec![false; NAMES.len()],
        unmapped: Vec::new(),
    }
}

/// Reads a file. Gives the number of malformed lines that were left out, and of columns.
pub(super) fn read<C: RowConsumer<4>>(
    source: Source,
    format: Format,
    policy: BadLines,
    reading: &mut C,
    progress: &dyn Progress,
) -> Result<Lined> {
    let first = String::from_utf8_lossy(first_line(&source.head)).into_owned();
    let columns = first.trim_end().split(SEPARATOR).count().min(NAMES.len());
    scan::stage(&source, progress);
    let uncompared = source.uncompared.clone();
    let totals = scan::read_blocks(source, format, 0, policy, &mut Lines { reading, columns }, progress)?;
    Ok(Lined { refused: totals.counts()?.1, lines: totals.lines, columns, uncompared: uncompared.sentences() })
}

/// What was learned of such a file.
pub(super) struct Lined {
    /// Malformed lines that were left out.
    pub(super) refused: u64,
    pub(super) lines: u64,
    pub(super) columns: usize,
    pub(super) uncompared: Vec<String>,
}

struct Lines<'a, C> {
    reading: &'a mut C,
    columns: usize,
}

impl<C: RowConsumer<4>> BlockConsumer for Lines<'_, C> {
    type Part = C::Part;

    fn part(&self) -> C::Part {
        self.reading.part()
    }

    fn read(&self, block: &[u8], policy: BadLines) -> BlockResult<C::Part> {
        let mut result = BlockResult::new(self.reading.part());
        for line in block.split_inclusive(|&byte| byte == b'\n') {
            result.lines += 1;
            let number = result.lines;
            let line = line.trim_ascii_end();
            if line.is_empty() {
                continue;
            }
            let row = self.row(line, &mut result.part, number);
            if !result.take(row, number, policy) {
                break;
            }
        }
        result
    }

    fn absorb(&mut self, parts: Vec<(C::Part, u64)>) {
        self.reading.absorb(parts);
    }
}

impl<C: RowConsumer<4>> Lines<'_, C> {
    fn row(&self, line: &[u8], block: &mut C::Part, number: u64) -> Result<()> {
        let line = std::str::from_utf8(line).map_err(|_| super::super::fields::not_utf8())?;
        let cells: Vec<&str> = line.split(SEPARATOR).collect();
        if cells.len() != self.columns {
            return Err(Error::data(format!(
                "the line has {}, not {}",
                counted(cells.len() as u64, "column", "columns"),
                self.columns
            ))
            .with_hint("a line is a person, an item, a rating and perhaps a time, with `::` between; `--bad-lines skip` leaves others out"));
        }
        let at = |role: usize| cells.get(role).copied().unwrap_or("");
        let fields = Fields {
            texts: [at(0), at(1), at(2), at(3)],
            has: std::array::from_fn(|role| role < cells.len()),
            instant: None,
            rest: &[],
            cells: &[],
        };
        self.reading.row(block, fields, number, |role| NAMES[role])
    }
}
