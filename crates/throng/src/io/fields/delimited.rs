//! Tab- and comma-separated files, AOL's among them.
//!
//! TSV has no quoting: a quote is a character like any other, as real queries need it. CSV has RFC 4180 quotes, read by
//! `csv-core`. A line may lack columns at its end if they are optional (AOL's lines without a click).

use memchr::memchr;
use throng_core::{Error, Result};

use super::super::FormatKind;
use super::super::cells::unmarked;
use super::super::roles::{self, RoleCard, Roles};
use super::super::scan::{BadLines, BlockResult, ReadOptions};
use super::{FieldLayout, Fields, LineReader, RowConsumer, by_role, not_utf8, push_rest};

/// Reads blocks of a delimited file.
pub(super) struct Reader<const N: usize> {
    kind: FormatKind,
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
}

impl<const N: usize> Reader<N> {
    /// Looks at the first bytes: the columns, and how many bytes the header takes.
    pub(super) fn new<C: RowConsumer<N>>(
        head: &[u8],
        kind: FormatKind,
        options: &ReadOptions,
    ) -> Result<(Self, usize)> {
        let mark = if head.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        let end = memchr(b'\n', head).map_or(head.len(), |at| at + 1);
        let line = std::str::from_utf8(&head[mark..end])
            .map_err(|_| Error::data("the line is not UTF-8").at_line(1).with_hint("convert the file to UTF-8"))?;
        let cells = split_line(line.trim_end_matches(['\n', '\r']), kind);
        let fields: Vec<&str> = cells.iter().map(String::as_str).collect();
        if let Some(roles) = C::ROLES.assign(&fields, &options.columns)? {
            let shown = shown_names(&cells, &head[end..], kind);
            return Ok((Self::with_columns(kind, C::ROLES, cells, shown, roles, true), end));
        }
        let known = if options.columns.is_empty() { C::without_header(&fields, options) } else { None };
        let Some(known) = known else { return Err(C::ROLES.missing_column(&fields, &options.columns)) };
        let names: Vec<String> = known.iter().map(|&name| name.to_owned()).collect();
        let roles = (0..names.len()).map(Some).collect();
        Ok((Self::with_columns(kind, C::ROLES, names.clone(), names, roles, false), mark))
    }

    fn with_columns(
        kind: FormatKind,
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
        Self { kind, all, names, shown, roles, place, header, least }
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
        if fields.len() < self.least || fields.len() > self.names.len() {
            return Err(Error::data(format!("the line has {} columns, not {}", fields.len(), self.names.len()))
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
                push_rest(rest, at, field.bytes());
            }
        }
        consumer.row(part, Fields { texts, has, instant: None, rest }, line, |role| self.name_of(role))
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

    fn read_commas<C: RowConsumer<N>>(&self, block: &[u8], consumer: &C, policy: BadLines) -> BlockResult<C::Part> {
        let mut result = BlockResult::new(consumer.part());
        let mut rest = Vec::new();
        result.lines = each_record(block, |fields, line, quotes| {
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
        match self.kind {
            FormatKind::Csv => self.read_commas(block, consumer, policy),
            // Nearly every block is valid as a whole; only where it is not are fields looked at one by one.
            _ => match std::str::from_utf8(block) {
                Ok(text) => self.read_tabs(block, |from, to| &text[from..to], consumer, policy),
                Err(_) => self.read_tabs(block, |from, to| &block[from..to], consumer, policy),
            },
        }
    }

    fn layout(&self) -> Result<FieldLayout> {
        let (columns, unmapped) = by_role(&self.roles, &self.names, &self.shown);
        Ok(FieldLayout { columns, header: self.header, typed: vec![false; N], unmapped })
    }
}

/// The names of a header as they may be shown, given the rows after it.
fn shown_names(names: &[String], rows: &[u8], kind: FormatKind) -> Vec<String> {
    let mut values = Vec::new();
    let mut look = |cell: &[u8]| {
        if let Some(name) = names.iter().find(|name| name.as_bytes() == cell && !cell.is_empty()) {
            values.push(name.as_str());
        }
    };
    if kind == FormatKind::Csv {
        each_record(rows, |cells, _, _| {
            cells.iter().for_each(|cell| look(cell));
            true
        });
    } else {
        rows.split(|byte| matches!(byte, b'\t' | b'\n')).for_each(|cell| look(cell.trim_ascii_end()));
    }
    roles::shown(names, |name| values.contains(&name))
}

/// The fields of a header line.
pub(in super::super) fn split_line(line: &str, kind: FormatKind) -> Vec<String> {
    if kind != FormatKind::Csv {
        return line.split('\t').map(str::to_owned).collect();
    }
    let (_, fields) = csv_records(line.as_bytes()).into_iter().next().unwrap_or_default();
    fields.into_iter().map(|field| String::from_utf8_lossy(&field).into_owned()).collect()
}

/// The records of a whole CSV text, each with the line that it begins in, counted from 1.
pub fn csv_records(text: &[u8]) -> Vec<(u64, Vec<Vec<u8>>)> {
    let mut records = Vec::new();
    each_record(text, |fields, line, _| {
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
    pub(in super::super) fn of(record: &[u8]) -> Self {
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
                if !matches!(rest[cell_end..].first(), None | Some(b',')) {
                    return Self::Astray;
                }
            }
            match memchr::memchr(b',', &rest[cell_end..]) {
                Some(comma) => rest = &rest[cell_end + comma + 1..],
                None => return Self::Fine,
            }
        }
    }

    /// The error for a record whose quotes are astray.
    pub(in super::super) fn check(self) -> Result<()> {
        match self {
            Self::Fine => Ok(()),
            Self::Astray => Err(Error::data("a quote is not closed, or something stands behind a closed one").with_hint(
                "a cell with a quote, a comma or a line end in it is quoted as a whole, and quotes inside are doubled; \
                 `--bad-lines skip` leaves such records out, with all lines that they run over",
            )),
        }
    }
}

/// Goes over the records of a CSV text, each with the line that it begins in and without marks before formulas, until `take` wants no more. Gives the
/// number of lines that it went over.
pub(in super::super) fn each_record(text: &[u8], mut take: impl FnMut(&[&[u8]], u64, Quotes) -> bool) -> u64 {
    let mut reader = csv_core::Reader::new();
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
                if !take(&record, line, Quotes::of(&text[std::mem::replace(&mut begin, end)..end])) {
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
            assert_eq!(Quotes::of(fine.as_bytes()), Quotes::Fine, "{fine}");
        }
        for astray in ["\"a,b", "\"a\"b,c", "a,\"b\nc,d\ne,\"f\",g", "\"\"\"", "\"a\" ,b"] {
            assert_eq!(Quotes::of(astray.as_bytes()), Quotes::Astray, "{astray}");
        }
    }
}
