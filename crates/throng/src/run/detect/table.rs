//! Reading a table that a detector learns from, or judges: any format that has rows, and the files of KDD Cup 1999, which have no header.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use throng_core::detectors::records::{Column, Learnt, Records, kdd};
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use crate::io::{self, BadLines, Format, Opened, ReadOptions, ReadTable};

/// How a table is read.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TableReading {
    /// Its format, if it is not what it looks like.
    pub format: Option<String>,
    /// Whether the first line is a row; columns have numbers for names then, from 1. Records of KDD have their own names without that.
    pub no_header: bool,
    /// What to do with malformed lines.
    pub bad_lines: BadLines,
}

/// A table that was read.
pub(super) struct LabelledTable {
    pub(super) records: Records,
    /// The file as the user named it.
    pub(super) name: String,
    /// Whether its rows are records of KDD without a header.
    pub(super) is_kdd: bool,
    /// What should be said.
    pub(super) notes: Vec<String>,
}

impl LabelledTable {
    /// Reads a file.
    pub(super) fn read(path: &Path, reading: &TableReading, progress: &dyn Progress) -> Result<Self> {
        let location = io::resolve(path)?;
        let name = location.to_string();
        let format = reading.format.as_deref().map(Format::parse).transpose()?;
        let mut options = ReadOptions {
            format,
            no_header: reading.no_header,
            bad_lines: reading.bad_lines,
            ..ReadOptions::default()
        };
        let opened = Opened::open(&location, &options)?;
        let width = opened.first_cells().and_then(|cells| kdd::without_header(&cells));
        options.no_header |= width.is_some();
        let placed = |error: Error| error.in_file(name.clone());
        let table = io::read_opened_table(opened, &options, progress).map_err(placed)?;
        let ReadTable { columns, lines, refused, uncompared, .. } = table;
        if lines.is_empty() {
            return Err(placed(Error::data("the table has no rows").with_hint("a detector needs rows to look at")));
        }
        let mut notes: Vec<String> = uncompared;
        if refused > 0 {
            let lines = crate::words::counted(refused, "malformed line was", "malformed lines were");
            notes.push(format!("{lines} left out"));
        }
        let column = |(at, (name, values, cells, _)): (usize, (String, throng_core::data::Strings, Vec<u32>, bool))| {
            let name = match width {
                Some(_) if at < kdd::COLUMNS.len() => kdd::COLUMNS[at].to_owned(),
                _ => name,
            };
            Column { name, values: values.iter().map(str::to_owned).collect(), cells }
        };
        let columns = columns.into_iter().enumerate().map(column).collect();
        Ok(Self { records: Records { columns, lines }, name, is_kdd: width.is_some(), notes })
    }

    /// Says of an error which file it is about.
    pub(super) fn place(&self, error: Error) -> Error {
        error.in_file(self.name.clone())
    }
}

/// The column of labels: the one that is named, or that of KDD.
pub(super) fn label_column(table: &LabelledTable, named: Option<&str>) -> Result<String> {
    match named {
        Some(name) => Ok(name.to_owned()),
        None if table.is_kdd => Ok("label".to_owned()),
        None => Err(Error::parameter("label", "is not given: which column says what is positive?")
            .with_hint("`--label COLUMN --positive-label VALUE`")),
    }
}

/// The columns that a model looks at, in its order, by which rows are known again.
pub(super) fn arranged<'a>(records: &'a Records, learnt: &Learnt, label: &str) -> Result<Vec<&'a Column>> {
    let missing = |name: &str| Error::data(format!("the table has no column `{name}`, which the model looks at"));
    learnt.columns(label).into_iter().map(|name| records.column(name).ok_or_else(|| missing(name))).collect()
}

/// Exactly one table of several inputs.
pub(super) fn only(inputs: &[PathBuf]) -> Result<&Path> {
    match inputs {
        [one] => Ok(one),
        [] => Err(Error::parameter("input", "is not given: a table to look at is needed")),
        _ => Err(Error::parameter("input", "names several tables, and the model looks at one")),
    }
}
