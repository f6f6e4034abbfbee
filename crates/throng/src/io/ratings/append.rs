//! A file of ratings with more rows behind it: its own bytes first, then rows in its form, as another piece of the same compression.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::Path;

use throng_core::data::time;
use throng_core::{Error, Result};

use super::super::encoding::Encoding;
use super::super::source::{Source, open_file};
use super::super::write::{compressed, push_json, push_typed};
use super::super::{FormatKind, Location, Opened};
use super::{Form, ITEM, RATING, USER, double_colon::SEPARATOR};

/// A row to be added.
#[derive(Debug, Clone, PartialEq)]
pub struct Appended {
    /// The id of the person.
    pub user: String,
    /// The id of the item.
    pub item: String,
    /// The rating.
    pub value: f64,
    /// When, in milliseconds.
    pub time: Option<i64>,
}

/// What lines of an open file end with, if rows can be added to it as text.
pub(super) fn line_end(opened: &Opened) -> Option<&'static str> {
    let source = &opened.source;
    let is_plain = !source.is_binary() && source.encoding == Encoding::UTF_8 && !source.has_old_ends;
    let first = source.head.iter().position(|&byte| byte == b'\n');
    let has_return = first.is_some_and(|at| at > 0 && source.head[at - 1] == b'\r');
    is_plain.then_some(if has_return { "\r\n" } else { "\n" })
}

/// Writes a file of this form with more rows into another one.
pub fn append(path: &Path, form: &Form, rows: &[Appended], out: &mut File) -> Result<()> {
    let Some(line_end) = form.line_end else {
        return Err(Error::refused(
            "rows can be added to text in UTF-8 only, not to columns of Parquet or to another encoding",
        )
        .in_file(path.display().to_string())
        .with_hint("write the ratings as CSV or JSON lines first"));
    };
    let failed = |cause| Error::io("write the ratings", cause);
    let mut last = [b'\n'];
    let mut text = Source::open(&Location::File(path.to_owned()), None)?.into_reader();
    let mut buffer = vec![0; 1 << 16];
    loop {
        let read = text.read(&mut buffer).map_err(|cause| Error::io(format!("read {}", path.display()), cause))?;
        if read == 0 {
            break;
        }
        last[0] = buffer[read - 1];
    }
    std::io::copy(&mut open_file(path)?, out).map_err(failed)?;
    let mut lines = Vec::new();
    if last[0] != b'\n' {
        lines.extend_from_slice(line_end.as_bytes());
    }
    for row in rows {
        form.push(row, &mut lines);
        lines.extend_from_slice(line_end.as_bytes());
    }
    let mut packed = compressed(out, form.format.compression).map_err(failed)?;
    packed.write_all(&lines).map_err(failed)?;
    packed.end().map_err(failed)
}

impl Form {
    fn push(&self, row: &Appended, out: &mut Vec<u8>) {
        let texts: Vec<String> = self
            .layout
            .columns
            .iter()
            .map(|&(role, _)| match role {
                USER => row.user.clone(),
                ITEM => row.item.clone(),
                RATING => shown(row.value),
                _ => match (row.time, self.time_style) {
                    (Some(time), Some(style)) => time::to_text(time, style),
                    _ => String::new(),
                },
            })
            .collect();
        if self.format.kind == FormatKind::JsonLines {
            out.push(b'{');
            let filled = self.layout.columns.iter().zip(&texts).filter(|(_, text)| !text.is_empty());
            for (at, ((role, name), text)) in filled.enumerate() {
                if at > 0 {
                    out.extend_from_slice(b", ");
                }
                push_json(name, out);
                out.extend_from_slice(b": ");
                push_typed(text, self.layout.typed[*role], out);
            }
            out.push(b'}');
            return;
        }
        let mut cells = vec![""; self.layout.width];
        for (&place, text) in self.layout.places.iter().zip(&texts) {
            cells[place] = text;
        }
        for (at, cell) in cells.into_iter().enumerate() {
            let is_csv = self.format.kind == FormatKind::Csv;
            match at {
                0 => {}
                _ if self.has_double_colons => out.extend_from_slice(SEPARATOR.as_bytes()),
                _ if is_csv => out.push(self.format.delimiter.byte()),
                _ => out.push(b'\t'),
            }
            let needs_quotes = is_csv
                && cell
                    .bytes()
                    .any(|byte| byte == self.format.delimiter.byte() || matches!(byte, b'"' | b'\n' | b'\r'));
            if needs_quotes {
                out.extend_from_slice(format!("\"{}\"", cell.replace('"', "\"\"")).as_bytes());
            } else {
                out.extend_from_slice(cell.as_bytes());
            }
        }
    }
}

/// A rating as it is written: whole, in halves, or with six decimals and more, from which the very number is read again.
fn shown(value: f64) -> String {
    let short = value.to_string();
    match short.split_once('.') {
        Some((_, decimals)) if decimals != "5" && decimals.len() < 6 => format!("{value:.6}"),
        _ => short,
    }
}
