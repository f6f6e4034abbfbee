//! Lines of cells with tabs, commas or other characters between, AOL's among them.
//!
//! TSV has no quoting: a quote is a character like any other, as real queries need it. CSV has RFC 4180 quotes, read by
//! `csv-core`, whatever stands between its cells. A line may lack columns at its end if they are optional (AOL's lines without
//! a click). Where the first line is a row, columns are known by their numbers, or are AOL's.

use memchr::memchr;
use throng_core::data::time;
use throng_core::{Error, Result};

use super::super::cells::{is_number, unmarked};
use super::super::roles::{self, ColumnChoice, RoleCard, Roles};
use super::super::scan::{BadLines, BlockResult, ReadOptions};
use super::super::{Delimiter, Format, FormatKind};
use super::{FieldLayout, Fields, LineReader, NamedCell, RowConsumer, by_role, not_utf8, places, push_rest};
use crate::words::counted;

/// Reads blocks of a delimited file.
pub(super) struct Reader<const N: usize> {
    format: Format,
    all: &'static Roles,
    names: Vec<String>,
    /// The names as they may be shown.
    shown: Vec<String>,
    roles: Vec<Option<usize>>,
    /// For each role the column that holds it.
    place: [Option<usize>; N],
    header: bool,
    /// A line needs at least this many fields.
    least: usize,
    /// Whether cells that a row lacks at its end are empty, where all cells are wanted.
    pub(super) fills_short_lines: bool,
}

impl<const N: usize> Reader<N> {
    /// Looks at the first bytes: the columns, and how many bytes the header takes.
    pub(super) fn new<C: RowConsumer<N>>(
        head: &[u8],
        format: Format,
        options: &ReadOptions,
        wants_cells: bool,
    ) -> Result<(Self, usize)> {
        let end = memchr(b'\n', head).map_or(head.len(), |at| at + 1);
        let line = std::str::from_utf8(&head[..end]).map_err(|_| not_utf8().at_line(1))?;
        let cells = split_line(line.trim_end_matches(['\n', '\r']), format);
        let fields: Vec<&str> = cells.iter().map(String::as_str).collect();
        let names_none = options.columns.iter().all(ColumnChoice::is_none);
        if options.no_header && (wants_cells || !names_none) {
            return Ok((Self::by_number::<C>(head, format, options)?, 0));
        }
        let shown_in_error = || {
            let shown = shown_names(&cells, &head[end..], format);
            C::ROLES.shown_in_error(&fields, &shown, is_header(&cells, &head[end..], format))
        };
        if !options.no_header && !C::ROLES.has_all_columns(&fields, &options.columns) {
            C::ROLES.check_chosen(&fields, &shown_in_error(), &options.columns)?;
        }
        if !options.no_header
            && let Some(roles) = C::ROLES.assign(&fields, &options.columns)?
        {
            let shown = shown_names(&cells, &head[end..], format);
            let numbered = Roles::chosen_by_number(&fields, &options.columns);
            if numbered.iter().any(|&at| shown[at] != cells[at] || is_value(&cells[at])) {
                return Err(Error::data("the first line looks like a row, not like the names of columns")
                    .at_line(1)
                    .with_hint("`--no-header` if it is a row; else name the columns as they are called there"));
            }
            return Ok((Self::with_columns(format, C::ROLES, cells, shown, roles, true), end));
        }
        let known = if names_none { C::without_header(&fields, options) } else { None };
        let Some(known) = known else {
            return Err(C::ROLES.missing_column(&fields, &shown_in_error(), &options.columns));
        };
        // Only as many as there are: a release has no column that the file does not have.
        let mut most = cells.len();
        each_row(head, format, |cells| most = most.max(cells.len()));
        let names: Vec<String> = known.iter().take(most).map(|&name| name.to_owned()).collect();
        let is_left_out = |&role: &usize| C::ROLES.is_left_out(role, &options.columns);
        let roles = (0..names.len()).map(|role| Some(role).filter(|role| !is_left_out(role))).collect();
        Ok((Self::with_columns(format, C::ROLES, names.clone(), names, roles, false), 0))
    }

    /// Columns that have no names: each with a role is called by it, the others by their numbers.
    fn by_number<C: RowConsumer<N>>(head: &[u8], format: Format, options: &ReadOptions) -> Result<Self> {
        // Lines may lack columns at their end, the first too.
        let mut most = 0;
        each_row(head, format, |cells| most = most.max(cells.len()));
        let mut names: Vec<String> = (1..=most).map(|number| number.to_string()).collect();
        let shown = names.iter().map(|number| format!("column {number}")).collect();
        let fields: Vec<&str> = names.iter().map(String::as_str).collect();
        let Some(roles) = C::ROLES.assign(&fields, &options.columns)? else {
            return Err(C::ROLES.missing_column(&fields, &[], &options.columns));
        };
        for (name, role) in names.iter_mut().zip(&roles) {
            if let Some(role) = role {
                *name = C::ROLES.cards[*role].name.to_owned();
            }
        }
        Ok(Self::with_columns(format, C::ROLES, names, shown, roles, false))
    }

    fn with_columns(
        format: Format,
        all: &'static Roles,
        names: Vec<String>,
        shown: Vec<String>,
        roles: Vec<Option<usize>>,
        header: bool,
    ) -> Self {
        let place: [Option<usize>; N] = std::array::from_fn(|role| roles.iter().position(|&other| other == Some(role)));
        let last = names.len().saturating_sub(1);
        // The fields that a line must have for a role.
        let needed = |(at, card): (Option<usize>, &RoleCard)| match at {
            Some(at) if card.required => Some(if card.may_be_cut && at == last { last } else { at + 1 }),
            _ => None,
        };
        let least = place.into_iter().zip(all.cards).filter_map(needed).max().unwrap_or(0);
        Self { format, all, names, shown, roles, place, header, least, fills_short_lines: false }
    }

    /// Takes one row from its fields.
    #[inline]
    fn row<'r, 'a: 'r, C: RowConsumer<N>, F: Field<'a>>(
        &self,
        fields: &[F],
        rest: &'r mut Vec<u8>,
        consumer: &C,
        part: &mut C::Part,
        line: u64,
    ) -> Result<()> {
        let needs_all = consumer.wants_cells() && !self.fills_short_lines;
        let least = if needs_all { self.names.len() } else { self.least };
        if fields.len() < least || fields.len() > self.names.len() {
            return Err(Error::data(format!(
                "the line has {}, not {}",
                counted(fields.len() as u64, "column", "columns"),
                self.names.len()
            ))
            .with_hint("`--bad-lines skip` leaves such lines out and counts them"));
        }
        let (mut texts, mut has) = ([""; N], [false; N]);
        for role in 0..N {
            let Some(field) = self.place[role].and_then(|at| fields.get(at)) else { continue };
            texts[role] = field.text().ok_or_else(|| not_utf8().in_column(self.name_of(role)))?;
            has[role] = true;
        }
        rest.clear();
        if consumer.wants_rest() {
            for (at, field) in fields.iter().enumerate().filter(|&(at, _)| self.roles[at].is_none()) {
                push_rest(rest, &self.names[at], field.bytes());
            }
        }
        let mut cells = Vec::new();
        if consumer.wants_cells() {
            cells.reserve_exact(self.names.len());
            for (field, name) in fields.iter().zip(&self.names) {
                let text = field.text().ok_or_else(|| not_utf8().in_column(name))?;
                cells.push(NamedCell { column: name, text, typed: false });
            }
            let lacking = self.names.iter().skip(fields.len());
            cells.extend(lacking.map(|name| NamedCell { column: name, text: "", typed: false }));
        }
        consumer.row(part, Fields { texts, has, instant: None, rest, cells: &cells }, line, |role| self.name_of(role))
    }

    fn name_of(&self, role: usize) -> &str {
        // A file without a header has the role's name, for its own would be one that it does not have.
        match self.place[role] {
            Some(at) if self.header => &self.names[at],
            _ => self.all.cards[role].name,
        }
    }

    fn read_tabs<'b, C: RowConsumer<N>, F: Field<'b>>(
        &self,
        block: &'b [u8],
        cut: impl Fn(usize, usize) -> F,
        consumer: &C,
        policy: BadLines,
    ) -> BlockResult<C::Part> {
        let mut result = BlockResult::new(consumer.part());
        let mut rest = Vec::new();
        let mut fields: Vec<F> = Vec::new();
        let mut start = 0;
        while start < block.len() {
            fields.clear();
            let mut field = start;
            // One pass finds tabs and the line end.
            let end = loop {
                let found = memchr::memchr2(b'\t', b'\n', &block[field..]).map_or(block.len(), |at| field + at);
                if found < block.len() && block[found] == b'\t' {
                    fields.push(cut(field, found));
                    field = found + 1;
                    continue;
                }
                let end = if block[field..found].ends_with(b"\r") { found - 1 } else { found };
                fields.push(cut(field, end));
                break found;
            };
            start = end + 1;
            result.lines += 1;
            if fields.len() == 1 && fields[0].bytes().is_empty() {
                continue;
            }
            let line = result.lines;
            let row = self.row(&fields, &mut rest, consumer, &mut result.part, line);
            if !result.take(row, line, policy) {
                break;
            }
        }
        result
    }

    fn read_quoted<C: RowConsumer<N>>(&self, block: &[u8], consumer: &C, policy: BadLines) -> BlockResult<C::Part> {
        let mut result = BlockResult::new(consumer.part());
        let mut rest = Vec::new();
        result.lines = each_record(self.format.delimiter, block, |fields, line, quotes| {
            let row = quotes.check().and_then(|()| self.row(fields, &mut rest, consumer, &mut result.part, line));
            result.take(row, line, policy)
        });
        result
    }
}

/// A field of a line: text, or bytes that may be text.
trait Field<'a>: Copy {
    fn bytes(&self) -> &'a [u8];
    /// `None` if it is not UTF-8.
    fn text(&self) -> Option<&'a str>;
}

impl<'a> Field<'a> for &'a str {
    fn bytes(&self) -> &'a [u8] {
        self.as_bytes()
    }

    fn text(&self) -> Option<&'a str> {
        Some(self)
    }
}

impl<'a> Field<'a> for &'a [u8] {
    fn bytes(&self) -> &'a [u8] {
        self
    }

    fn text(&self) -> Option<&'a str> {
        std::str::from_utf8(self).ok()
    }
}

impl<const N: usize> LineReader<N> for Reader<N> {
    fn read<C: RowConsumer<N>>(&self, block: &[u8], consumer: &C, policy: BadLines) -> BlockResult<C::Part> {
        match self.format.kind {
            FormatKind::Csv => self.read_quoted(block, consumer, policy),
            // Nearly every block is valid as a whole; only where it is not are fields looked at one by one.
            _ => match std::str::from_utf8(block) {
                Ok(text) => self.read_tabs(block, |from, to| &text[from..to], consumer, policy),
                Err(_) => self.read_tabs(block, |from, to| &block[from..to], consumer, policy),
            },
        }
    }

    fn layout(&self) -> Result<FieldLayout> {
        let (columns, unmapped) = by_role(&self.roles, &self.names, &self.shown);
        Ok(FieldLayout {
            columns,
            places: places(&self.roles),
            width: self.names.len(),
            header: self.header,
            typed: vec![false; N],
            unmapped,
        })
    }
}

/// Whether a cell of a first line is rather a value than a name.
fn is_value(cell: &str) -> bool {
    is_number(cell.trim()) || time::parse(cell).is_some()
}

/// Whether what stands below a first line shows that it is a header: a column of nothing but numbers or times below a word.
fn is_header(names: &[String], rows: &[u8], format: Format) -> bool {
    let mut is_typed: Vec<bool> = names.iter().map(|name| !name.trim().is_empty() && !is_value(name)).collect();
    let mut count = 0;
    each_row(rows, format, |cells| {
        count += 1;
        for (at, is_typed) in is_typed.iter_mut().enumerate() {
            *is_typed &= cells.get(at).and_then(|cell| std::str::from_utf8(cell).ok()).is_some_and(is_value);
        }
    });
    count > 1 && is_typed.contains(&true)
}

/// The names of a header as they may be shown, given the rows after it.
fn shown_names(names: &[String], rows: &[u8], format: Format) -> Vec<String> {
    let mut values = Vec::new();
    let mut look = |cell: &[u8]| {
        if let Some(name) = names.iter().find(|name| name.as_bytes() == cell && !cell.is_empty()) {
            values.push(name.as_str());
        }
    };
    each_row(rows, format, |cells| cells.iter().for_each(|cell| look(cell)));
    roles::shown(names, |name| values.contains(&name))
}

/// Goes over the rows of a text as cells.
pub(in super::super) fn each_row(text: &[u8], format: Format, mut take: impl FnMut(&[&[u8]])) {
    if format.kind == FormatKind::Csv {
        each_record(format.delimiter, text, |cells, _, _| {
            take(cells);
            true
        });
        return;
    }
    for line in text.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line)) {
        if !line.is_empty() {
            take(&line.split(|&byte| byte == b'\t').collect::<Vec<_>>());
        }
    }
}

/// The fields of a header line.
pub(in super::super) fn split_line(line: &str, format: Format) -> Vec<String> {
    if format.kind != FormatKind::Csv {
        return line.split('\t').map(str::to_owned).collect();
    }
    let mut fields = Vec::new();
    each_record(format.delimiter, line.as_bytes(), |cells, _, _| {
        fields = cells.iter().map(|cell| String::from_utf8_lossy(cell).into_owned()).collect();
        false
    });
    fields
}

/// The records of a whole CSV text with commas, each with the line that it begins in, counted from 1.
pub fn csv_records(text: &[u8]) -> Vec<(u64, Vec<Vec<u8>>)> {
    let mut records = Vec::new();
    each_record(Delimiter::COMMA, text, |fields, line, _| {
        records.push((line, fields.iter().map(|field| field.to_vec()).collect()));
        true
    });
    records
}

/// Whether the quotes of a record are as they should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Quotes {
    /// Every quoted cell ends where its quote does.
    Fine,
    /// A quote is never closed, or something stands behind a closed one: where cells and lines end is a guess.
    Astray,
}

impl Quotes {
    /// Looks at a whole record.
    pub(in super::super) fn of(record: &[u8], delimiter: Delimiter) -> Self {
        if memchr::memchr(b'"', record).is_none() {
            return Self::Fine;
        }
        let mut rest = record.trim_ascii_end();
        while let [b'\n' | b'\r', after @ ..] = rest {
            rest = after;
        }
        loop {
            let mut cell_end = 0;
            if rest.first() == Some(&b'"') {
                // A doubled quote stays inside.
                let mut at = 1;
                loop {
                    let Some(quote) = memchr::memchr(b'"', &rest[at..]) else { return Self::Astray };
                    at += quote + 1;
                    if rest.get(at) != Some(&b'"') {
                        break;
                    }
                    at += 1;
                }
                cell_end = at;
                if rest[cell_end..].first().is_some_and(|&byte| byte != delimiter.byte()) {
                    return Self::Astray;
                }
            }
            match memchr::memchr(delimiter.byte(), &rest[cell_end..]) {
                Some(end) => rest = &rest[cell_end + end + 1..],
                None => return Self::Fine,
            }
        }
    }

    /// The error for a record whose quotes are astray.
    pub(in super::super) fn check(self) -> Result<()> {
        match self {
            Self::Fine => Ok(()),
            Self::Astray => Err(Error::data("a quote is not closed, or something stands behind a closed one").with_hint(
                "a cell with a quote, a line end or what stands between cells in it is quoted as a whole, and quotes inside are doubled; \
                 `--bad-lines skip` leaves such records out, with all lines that they run over",
            )),
        }
    }
}

/// Goes over the records of a CSV text, each with the line that it begins in and without marks before formulas, until `take`
/// wants no more. Gives the number of lines that it went over.
pub(in super::super) fn each_record(
    delimiter: Delimiter,
    text: &[u8],
    mut take: impl FnMut(&[&[u8]], u64, Quotes) -> bool,
) -> u64 {
    let mut reader = csv_core::ReaderBuilder::new().delimiter(delimiter.byte()).build();
    let (mut output, mut ends) = (vec![0; 1024], vec![0; 64]);
    let (mut written, mut fields) = (0, 0);
    let mut input = text;
    let mut lines = 0;
    // Empty lines, and the second half of a CRLF, are read with the record after them.
    let empty_lines = |input: &[u8]| {
        let ends = input.iter().take_while(|byte| matches!(byte, b'\r' | b'\n'));
        ends.filter(|&&byte| byte == b'\n').count() as u64
    };
    let mut first = 1 + empty_lines(input);
    let mut begin = 0;
    loop {
        let (state, read, wrote, ended) = reader.read_record(input, &mut output[written..], &mut ends[fields..]);
        lines += memchr::memchr_iter(b'\n', &input[..read]).count() as u64;
        input = &input[read..];
        written += wrote;
        fields += ended;
        match state {
            csv_core::ReadRecordResult::OutputFull => output.resize(2 * output.len(), 0),
            csv_core::ReadRecordResult::OutputEndsFull => ends.resize(2 * ends.len(), 0),
            // An empty input tells the parser that the text is over.
            csv_core::ReadRecordResult::InputEmpty => {}
            csv_core::ReadRecordResult::Record => {
                let line = std::mem::replace(&mut first, lines + 1 + empty_lines(input));
                let record: Vec<&[u8]> =
                    (0..fields).map(|at| unmarked(&output[if at == 0 { 0 } else { ends[at - 1] }..ends[at]])).collect();
                let end = text.len() - input.len();
                if !take(&record, line, Quotes::of(&text[std::mem::replace(&mut begin, end)..end], delimiter)) {
                    return lines;
                }
                (written, fields) = (0, 0);
            }
            csv_core::ReadRecordResult::End => {
                return lines + u64::from(!text.is_empty() && !text.ends_with(b"\n"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_end_where_their_cell_does() {
        for fine in
            ["a,b", "\"a\",b", "\"a,\"\"b\"\"\",\"\"\r\n", "5\" pipe,b", "\n\"a\nb\",c", "\"\"\"\"", "a,\"\"", ""]
        {
            assert_eq!(Quotes::of(fine.as_bytes(), Delimiter::COMMA), Quotes::Fine, "{fine}");
        }
        for astray in ["\"a,b", "\"a\"b,c", "a,\"b\nc,d\ne,\"f\",g", "\"\"\"", "\"a\" ,b"] {
            assert_eq!(Quotes::of(astray.as_bytes(), Delimiter::COMMA), Quotes::Astray, "{astray}");
        }
    }
}
