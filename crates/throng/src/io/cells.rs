//! Cells of a text file, and those of a CSV file that a spreadsheet would take for a formula.
//!
//! A cell that begins with `=`, `+`, `-` or `@` is computed when somebody opens the file in a spreadsheet: whoever wrote that
//! query then runs commands on the reader's machine. Such a cell is written with a `'` before it, which a spreadsheet hides,
//! unless it reads as a number, a time or an interval of them. The reader takes one `'` away again, so that the file means
//! the same with and without it. A cell that has a `'` there of its own gets another one.

use throng_core::data::time;

use super::{Delimiter, Format, FormatKind};

/// How the cells of a text file are written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cells {
    pub(super) kind: FormatKind,
    delimiter: Delimiter,
    /// Whether cells of CSV that look like formulas are left as they are.
    pub(super) raw: bool,
}

impl Cells {
    /// Cells of a format.
    pub(super) fn of(format: Format, raw: bool) -> Self {
        Self { kind: format.kind, delimiter: format.delimiter, raw }
    }

    /// What stands between cells.
    pub(super) fn separator(self) -> u8 {
        if self.kind == FormatKind::Csv { self.delimiter.byte() } else { b'\t' }
    }

    /// A cell: quoted where CSV needs it; TSV has no quoting, so a tab or line end inside a value becomes a blank.
    pub(super) fn push(self, bytes: &[u8], out: &mut Vec<u8>) {
        let special = |byte: &u8| matches!(byte, b'\t' | b'\n' | b'\r');
        let has_mark = self.kind == FormatKind::Csv && self.needs_mark(bytes);
        if self.is_plain(bytes) {
            out.extend(has_mark.then_some(b'\''));
            out.extend_from_slice(bytes);
        } else if self.kind == FormatKind::Csv {
            out.push(b'"');
            out.extend(has_mark.then_some(b'\''));
            for &byte in bytes {
                if byte == b'"' {
                    out.push(b'"');
                }
                out.push(byte);
            }
            out.push(b'"');
        } else {
            out.extend(bytes.iter().map(|byte| if special(byte) { b' ' } else { *byte }));
        }
    }

    /// Whether all of these texts, which are also given side by side, are written as they are.
    pub(super) fn are_plain<'a>(self, together: &str, mut texts: impl Iterator<Item = &'a str>) -> bool {
        self.is_plain(together.as_bytes())
            && (self.kind != FormatKind::Csv || !texts.any(|text| self.needs_mark(text.as_bytes())))
    }

    /// Whether a cell needs no quotes, and nothing in its place.
    fn is_plain(self, bytes: &[u8]) -> bool {
        let separator = self.separator();
        match self.kind {
            FormatKind::Csv => {
                memchr::memchr3(separator, b'"', b'\n', bytes).is_none() && memchr::memchr(b'\r', bytes).is_none()
            }
            _ => memchr::memchr3(separator, b'\n', b'\r', bytes).is_none(),
        }
    }

    fn needs_mark(self, cell: &[u8]) -> bool {
        match cell.first() {
            Some(b'\'') => is_formula(cell),
            Some(b'=' | b'+' | b'-' | b'@' | b'\t' | b'\r') if !self.raw => is_formula(cell) && !is_harmless(cell),
            _ => false,
        }
    }
}

/// Writes a cell of a CSV file, quoted where needed.
pub fn csv_field(bytes: &[u8], out: &mut Vec<u8>) {
    Cells { kind: FormatKind::Csv, delimiter: Delimiter::COMMA, raw: false }.push(bytes, out);
}

/// A cell of a CSV file as it was meant: without the `'` before what looks like a formula.
pub(super) fn unmarked(cell: &[u8]) -> &[u8] {
    match cell {
        [b'\'', rest @ ..] if is_formula(rest) => rest,
        _ => cell,
    }
}

/// Whether a cell begins like a formula, after any number of `'`.
fn is_formula(cell: &[u8]) -> bool {
    let mut rest = cell.iter().skip_while(|byte| **byte == b'\'').skip_while(|byte| matches!(byte, b'\t' | b'\r'));
    matches!(rest.next(), Some(b'=' | b'+' | b'-' | b'@'))
}

/// Whether a cell reads as a number, a time, or an interval of two of them.
fn is_harmless(cell: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(cell) else { return false };
    let is_one = |text: &str| is_number(text) || time::parse(text).is_some();
    is_one(text) || text.split_once("..").is_some_and(|(from, to)| is_one(from) && is_one(to))
}

/// Whether a text is a number in figures.
pub(crate) fn is_number(text: &str) -> bool {
    let figures = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent.strip_prefix(['+', '-']).unwrap_or(exponent))),
        None => (unsigned, None),
    };
    let has_digits = match mantissa.split_once('.') {
        Some((whole, fraction)) => {
            (figures(whole) && fraction.is_empty()) || (figures(fraction) && (whole.is_empty() || figures(whole)))
        }
        None => figures(mantissa),
    };
    has_digits && exponent.is_none_or(figures)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(cell: &str, raw: bool) -> String {
        let mut out = Vec::new();
        Cells { kind: FormatKind::Csv, delimiter: Delimiter::COMMA, raw }.push(cell.as_bytes(), &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn formulas_get_a_mark() {
        for (cell, as_written) in [
            ("=1+1", "'=1+1"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("+49 30 1234", "'+49 30 1234"),
            ("-", "'-"),
            ("=\"x\"", "\"'=\"\"x\"\"\""),
            ("\t=1", "'\t=1"),
            ("\r=1", "\"'\r=1\""),
            ("'=1", "''=1"),
            ("'roses", "'roses"),
            ("-73.97", "-73.97"),
            ("+1", "+1"),
            ("-5..10", "-5..10"),
            ("-1e-5", "-1e-5"),
            ("-.5", "-.5"),
            ("-inf", "'-inf"),
            ("-5..=1", "'-5..=1"),
            ("a=b", "a=b"),
            ("", ""),
        ] {
            assert_eq!(written(cell, false), as_written, "{cell:?}");
        }
        assert_eq!(written("=1+1", true), "=1+1");
        assert_eq!(written("'=1", true), "''=1");
        let mut out = Vec::new();
        Cells { kind: FormatKind::Tsv, delimiter: Delimiter::COMMA, raw: false }.push(b"=1", &mut out);
        assert_eq!(out, b"=1");
    }

    proptest! {
        /// What is written is read again.
        #[test]
        fn marks_come_and_go(cell in "['=+@\t\r,\"0-9.a-]{0,6}", raw: bool) {
            let text = written(&cell, raw);
            let records = super::super::csv_records(format!("{text},end").as_bytes());
            prop_assert_eq!(&records[0].1[0], cell.as_bytes(), "{:?}", text);
        }
    }
}
