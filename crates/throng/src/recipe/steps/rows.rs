//! Steps over rows: select, integrate, filter, sample, split. They take any file that has rows and write CSV with a header.
//!
//! A cell is a text, and a condition compares it as what stands beside it: with a number as a number, with a word as a word. A cell that is no
//! number is unequal to every number, and neither smaller nor greater.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::json;
use throng_core::data::Strings;
use throng_core::data::time::{TimeColumn, exchange};
use throng_core::progress::Progress;
use throng_core::{Error, Result, Rng};

use super::super::condition::{Comparison, Condition, Operand};
use super::{Did, Work};
use crate::inputs::Inputs;
use crate::io::{self, Opened, ReadTable, csv_field};
use crate::kinds::Ask;

/// Rows in memory, each cell a number of a text.
#[derive(Debug, Default)]
pub(super) struct Rows {
    names: Vec<String>,
    columns: Vec<(Strings, Vec<u32>)>,
    len: usize,
}

/// What `select` is told.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct SelectRequest {
    file: Inputs,
    files: Option<String>,
    columns: Vec<String>,
    #[serde(rename = "where")]
    condition: Option<String>,
    time: Option<String>,
    from: Option<String>,
    until: Option<String>,
    ask: Ask,
}

/// What `filter` is told.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct FilterRequest {
    file: Inputs,
    #[serde(rename = "where")]
    condition: String,
    ask: Ask,
}

/// What `integrate` is told.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct IntegrateRequest {
    file: Inputs,
    on: Option<String>,
    unmatched: Option<String>,
    ask: Ask,
}

/// What `sample` is told.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct SampleRequest {
    file: Inputs,
    rows: Option<usize>,
    share: Option<f64>,
    by: Option<String>,
    seed: u64,
    ask: Ask,
}

/// What `split` is told.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct SplitRequest {
    file: Inputs,
    share: Option<f64>,
    by: Option<String>,
    order: Option<String>,
    seed: u64,
    ask: Ask,
}

pub(in super::super) fn select(work: &Work<'_>) -> Result<Did> {
    let request: SelectRequest = work.request()?;
    let mut paths = request.file.paths()?;
    if let Some(pattern) = &request.files {
        let matcher = glob::Pattern::new(pattern).map_err(|cause| {
            Error::parameter("files", format!("is `{pattern}`, which is no pattern")).with_cause(cause)
        })?;
        paths.retain(|path| path.file_name().is_some_and(|name| matcher.matches(&name.to_string_lossy())));
        if paths.is_empty() {
            return Err(Error::parameter("files", format!("is `{pattern}`, and no file is called so")));
        }
    }
    let rows = read_all(&paths, &request.ask, work.progress)?;
    let mut kept: Vec<u32> = (0..rows.len as u32).collect();
    if let Some(text) = &request.condition {
        rows.keep(&mut kept, text)?;
    }
    if request.from.is_some() || request.until.is_some() {
        rows.keep_between(&mut kept, &request)?;
    } else if request.time.is_some() {
        return Err(Error::parameter("time", "names the column of `from` and `until`, which are not there"));
    }
    let columns = match request.columns.as_slice() {
        [] => (0..rows.names.len()).collect(),
        names => names.iter().map(|name| rows.column(name)).collect::<Result<Vec<_>>>()?,
    };
    rows.write(&work.folder.join("data.csv"), &columns, &kept)?;
    let names: Vec<&String> = columns.iter().map(|&column| &rows.names[column]).collect();
    Ok(Did::fine(json!({"rows": kept.len(), "of": rows.len, "columns": names})))
}

pub(in super::super) fn filter(work: &Work<'_>) -> Result<Did> {
    let request: FilterRequest = work.request()?;
    let rows = read_all(&request.file.paths()?, &request.ask, work.progress)?;
    let mut kept: Vec<u32> = (0..rows.len as u32).collect();
    rows.keep(&mut kept, &request.condition)?;
    written(work, &rows, &kept)
}

pub(in super::super) fn integrate(work: &Work<'_>) -> Result<Did> {
    let request: IntegrateRequest = work.request()?;
    let paths = request.file.paths()?;
    let Some(on) = &request.on else {
        if request.unmatched.is_some() {
            return Err(Error::parameter("unmatched", "is for a join: `on` names its column"));
        }
        let rows = read_all(&paths, &request.ask, work.progress)?;
        let all: Vec<u32> = (0..rows.len as u32).collect();
        return written(work, &rows, &all);
    };
    let keeps = request.unmatched.as_deref() == Some("keep");
    let mut tables = paths.iter().map(|path| read_one(path, &request.ask, work.progress));
    let mut joined = tables.next().ok_or_else(|| Error::internal("a join of nothing"))??;
    for table in tables {
        joined = join(&joined, &table?, on, keeps)?;
        work.progress.go_on()?;
    }
    let all: Vec<u32> = (0..joined.len as u32).collect();
    written(work, &joined, &all)
}

pub(in super::super) fn sample(work: &Work<'_>) -> Result<Did> {
    let request: SampleRequest = work.request()?;
    let rows = read_all(&request.file.paths()?, &request.ask, work.progress)?;
    let groups = rows.groups(request.by.as_deref())?;
    let count = match (request.rows, request.share) {
        (Some(count), None) => count.min(groups.len()),
        (None, Some(share)) => portion(share, groups.len())?,
        _ => return Err(Error::parameter("sample", "needs either `rows` or `share`")),
    };
    let mut order: Vec<u32> = (0..groups.len() as u32).collect();
    Rng::seeded(request.seed).shuffle(&mut order);
    order.truncate(count);
    let mut kept: Vec<u32> = order.into_iter().flat_map(|group| groups[group as usize].iter().copied()).collect();
    kept.sort_unstable();
    written(work, &rows, &kept)
}

pub(in super::super) fn split(work: &Work<'_>) -> Result<Did> {
    let request: SplitRequest = work.request()?;
    let rows = read_all(&request.file.paths()?, &request.ask, work.progress)?;
    let groups = rows.groups(request.by.as_deref())?;
    if groups.len() < 2 {
        return Err(Error::data("there is only one row, or one group of rows, and two parts are to be made"));
    }
    let count = portion(request.share.unwrap_or(0.7), groups.len())?.clamp(1, groups.len() - 1);
    let mut order: Vec<u32> = (0..groups.len() as u32).collect();
    if request.order.as_deref() != Some("file") {
        Rng::seeded(request.seed).shuffle(&mut order);
    }
    let columns: Vec<usize> = (0..rows.names.len()).collect();
    let mut counts = [0; 2];
    let (train, test) = order.split_at(count);
    for ((part, name), counted) in [(train, "train"), (test, "test")].into_iter().zip(&mut counts) {
        let mut kept: Vec<u32> = part.iter().flat_map(|group| groups[*group as usize].iter().copied()).collect();
        kept.sort_unstable();
        rows.write(&work.folder.join(format!("{name}.csv")), &columns, &kept)?;
        *counted = kept.len();
    }
    Ok(Did::fine(json!({"train": counts[0], "test": counts[1]})))
}

/// How many of some a share is.
fn portion(share: f64, of: usize) -> Result<usize> {
    if !(share > 0.0 && share < 1.0) {
        return Err(Error::parameter("share", format!("is {share}, but must be between 0 and 1")));
    }
    Ok((share * of as f64).round() as usize)
}

/// Writes all columns of some rows.
fn written(work: &Work<'_>, rows: &Rows, kept: &[u32]) -> Result<Did> {
    let columns: Vec<usize> = (0..rows.names.len()).collect();
    rows.write(&work.folder.join("data.csv"), &columns, kept)?;
    Ok(Did::fine(json!({"rows": kept.len(), "of": rows.len, "columns": rows.names})))
}

fn read_one(path: &Path, ask: &Ask, progress: &dyn Progress) -> Result<Rows> {
    let location = io::resolve(path)?;
    // Logs lack the cells at the end of a line that have no value.
    let options = io::ReadOptions { fills_short_lines: true, ..ask.reading() };
    let read = Opened::open(&location, &options).and_then(|opened| io::read_opened_table(opened, &options, progress));
    let ReadTable { columns, lines, .. } = read.map_err(|error| error.in_file(location.to_string()))?;
    let mut rows = Rows { len: lines.len(), ..Rows::default() };
    for (name, strings, cells, _) in columns {
        rows.names.push(name);
        rows.columns.push((strings, cells));
    }
    Ok(rows)
}

/// The rows of several files one after the other, columns by their names.
pub(super) fn read_all(paths: &[PathBuf], ask: &Ask, progress: &dyn Progress) -> Result<Rows> {
    let mut tables = paths.iter();
    let first = tables.next().ok_or_else(|| Error::internal("rows of no file"))?;
    let mut rows = read_one(first, ask, progress)?;
    for path in tables {
        progress.go_on()?;
        let other = read_one(path, ask, progress)?;
        let differ = |names: &[String], others: &[String]| names.iter().find(|name| !others.contains(name)).cloned();
        if let Some(name) = differ(&rows.names, &other.names).or_else(|| differ(&other.names, &rows.names)) {
            return Err(Error::data(format!("the files have different columns: only one has `{name}`"))
                .in_file(path.display().to_string())
                .with_hint("a step `select` with `columns` makes them alike; `on` joins files by a column instead"));
        }
        for (name, (strings, cells)) in rows.names.iter().zip(&mut rows.columns) {
            let (more, more_cells) = &other.columns[other.column(name)?];
            let before = strings.len() as u32;
            strings.append(more);
            cells.extend(more_cells.iter().map(|cell| before + cell));
        }
        rows.len += other.len;
    }
    Ok(rows)
}

/// Rows that agree in a column side by side, in the order of the first; those of the first without a match, if they are kept, with empty cells.
fn join(one: &Rows, other: &Rows, on: &str, keeps: bool) -> Result<Rows> {
    let (key, other_key) = (one.column(on)?, other.column(on)?);
    let more: Vec<usize> = (0..other.names.len()).filter(|&column| column != other_key).collect();
    if let Some(twice) = more.iter().map(|&column| &other.names[column]).find(|name| one.names.contains(name)) {
        return Err(Error::data(format!("both files have a column `{twice}`"))
            .with_hint("leave it out of one of them by a step `select` with `columns`"));
    }
    let mut by_key: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for row in 0..other.len as u32 {
        by_key.entry(other.cell(row, other_key)).or_default().push(row);
    }
    let mut pairs: Vec<(u32, Option<u32>)> = Vec::new();
    for row in 0..one.len as u32 {
        match by_key.get(one.cell(row, key)) {
            Some(rows) => pairs.extend(rows.iter().map(|&other| (row, Some(other)))),
            None if keeps => pairs.push((row, None)),
            None => {}
        }
    }
    let mut joined = Rows { len: pairs.len(), ..Rows::default() };
    for (name, (strings, cells)) in one.names.iter().zip(&one.columns) {
        joined.names.push(name.clone());
        joined.columns.push((strings.clone(), pairs.iter().map(|&(row, _)| cells[row as usize]).collect()));
    }
    for column in more {
        let (strings, cells) = &other.columns[column];
        let mut strings = strings.clone();
        let empty = strings.push("");
        joined.names.push(other.names[column].clone());
        joined
            .columns
            .push((strings, pairs.iter().map(|&(_, row)| row.map_or(empty, |row| cells[row as usize])).collect()));
    }
    Ok(joined)
}

impl Rows {
    /// How many rows there are.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Writes all columns of some rows.
    pub(super) fn write_all(&self, path: &Path, kept: &[u32]) -> Result<()> {
        let columns: Vec<usize> = (0..self.names.len()).collect();
        self.write(path, &columns, kept)
    }

    fn column(&self, name: &str) -> Result<usize> {
        self.names
            .iter()
            .position(|own| own == name)
            .ok_or_else(|| Error::unknown("column", name, self.names.iter().map(String::as_str)))
    }

    fn cell(&self, row: u32, column: usize) -> &str {
        let (strings, cells) = &self.columns[column];
        strings.get(cells[row as usize])
    }

    /// Rows that belong together: those with one value of a column, in the order of their first; else each by itself.
    fn groups(&self, by: Option<&str>) -> Result<Vec<Vec<u32>>> {
        let Some(by) = by else { return Ok((0..self.len as u32).map(|row| vec![row]).collect()) };
        let column = self.column(by)?;
        let (mut groups, mut known): (Vec<Vec<u32>>, BTreeMap<&str, usize>) = (Vec::new(), BTreeMap::new());
        for row in 0..self.len as u32 {
            let group = *known.entry(self.cell(row, column)).or_insert(groups.len());
            if group == groups.len() {
                groups.push(Vec::new());
            }
            groups[group].push(row);
        }
        Ok(groups)
    }

    /// Keeps the rows for which a condition holds.
    fn keep(&self, kept: &mut Vec<u32>, text: &str) -> Result<()> {
        let condition = Condition::read(text).map_err(|(_, error)| error)?;
        let mut columns = BTreeMap::new();
        for name in condition.names().iter().map(|(name, _)| *name).collect::<BTreeSet<_>>() {
            columns.insert(name, self.column(name)?);
        }
        kept.retain(|&row| row_holds(&condition, &|name| self.cell(row, columns[name])));
        Ok(())
    }

    /// Keeps the rows of a span of time.
    fn keep_between(&self, kept: &mut Vec<u32>, request: &SelectRequest) -> Result<()> {
        let said = request.ask.columns.iter().find(|choice| choice.role == "time").map(|choice| choice.name.clone());
        let column = match request.time.clone().or(said) {
            Some(name) => self.column(&name)?,
            None => {
                let is_time =
                    |name: &String| ["time", "timestamp", "date", "querytime"].contains(&name.to_lowercase().as_str());
                self.names.iter().position(is_time).ok_or_else(|| {
                    Error::data("it cannot be told which column holds times").with_hint("`time = \"COLUMN\"` names it")
                })?
            }
        };
        let mut times = TimeColumn::new(None);
        let mut read = Vec::with_capacity(self.len);
        for row in 0..self.len as u32 {
            let text = self.cell(row, column);
            let time = if text.is_empty() { None } else { times.read(text, u64::from(row) + 2).ok() };
            if time.is_none() && !text.is_empty() {
                return Err(Error::data("a time cannot be understood")
                    .at_line(u64::from(row) + 2)
                    .in_column(self.names[column].clone())
                    .with_value(text));
            }
            read.push(time.map(|time| time.instant.millis));
        }
        let settled = times.settle().map_err(|_| {
            Error::data("it cannot be told whether the day or the month comes first in the times")
                .in_column(self.names[column].clone())
                .with_hint("write them as 2006-03-01")
        })?;
        let bound = |key: &str, text: Option<&str>| -> Result<Option<i64>> {
            let Some(text) = text else { return Ok(None) };
            let wrong = || {
                Error::parameter(key, format!("is `{text}`, but must be a time, as 2006-03-01 or 2006-03-01 12:00:00"))
            };
            TimeColumn::new(None).read(text, 1).map(|read| Some(read.instant.millis)).map_err(|_| wrong())
        };
        let (from, until) = (bound("from", request.from.as_deref())?, bound("until", request.until.as_deref())?);
        if let (Some(from), Some(until)) = (from, until)
            && from >= until
        {
            return Err(Error::parameter("until", "is not after `from`").with_hint("`until` itself is not taken"));
        }
        kept.retain(|&row| {
            read[row as usize].is_some_and(|time| {
                let time = if settled.is_exchanged { exchange(time) } else { time };
                from.is_none_or(|from| time >= from) && until.is_none_or(|until| time < until)
            })
        });
        Ok(())
    }

    fn write(&self, path: &Path, columns: &[usize], kept: &[u32]) -> Result<()> {
        let failed = |cause| Error::io(format!("write {}", path.display()), cause);
        let mut out = BufWriter::new(File::create_new(path).map_err(failed)?);
        let mut line = Vec::new();
        let push = |line: &mut Vec<u8>, at: usize, text: &str| {
            if at > 0 {
                line.push(b',');
            }
            // A single empty cell must not look like an empty line.
            if columns.len() == 1 && text.is_empty() {
                line.extend_from_slice(b"\"\"")
            } else {
                csv_field(text.as_bytes(), line)
            }
        };
        for (at, &column) in columns.iter().enumerate() {
            push(&mut line, at, &self.names[column]);
        }
        line.push(b'\n');
        for &row in kept {
            for (at, &column) in columns.iter().enumerate() {
                push(&mut line, at, self.cell(row, column));
            }
            line.push(b'\n');
            if line.len() > 1 << 16 {
                out.write_all(&line).map_err(failed)?;
                line.clear();
            }
        }
        out.write_all(&line).and_then(|()| out.flush()).map_err(failed)
    }
}

/// Whether a condition holds for a row.
fn row_holds<'a>(condition: &'a Condition, cell: &impl Fn(&'a str) -> &'a str) -> bool {
    match condition {
        Condition::And(one, other) => row_holds(one, cell) && row_holds(other, cell),
        Condition::Or(one, other) => row_holds(one, cell) || row_holds(other, cell),
        Condition::Not(inner) => !row_holds(inner, cell),
        Condition::Compare(one, comparison, other) => cells_compare(one, *comparison, other, cell),
    }
}

fn cells_compare<'a>(
    one: &'a Operand,
    comparison: Comparison,
    other: &'a Operand,
    cell: &impl Fn(&'a str) -> &'a str,
) -> bool {
    let text = |operand: &'a Operand| match operand {
        Operand::Name(name, _) => Some(cell(name)),
        Operand::Word(word) => Some(word.as_str()),
        Operand::Truth(yes) => Some(if *yes { "true" } else { "false" }),
        Operand::Number(_) => None,
    };
    let number = |operand: &'a Operand| match operand {
        Operand::Number(number) => Some(*number),
        Operand::Name(name, _) => cell(name).trim().parse::<f64>().ok().filter(|number| number.is_finite()),
        Operand::Word(_) | Operand::Truth(_) => None,
    };
    if let (Some(one), Some(other)) = (number(one), number(other)) {
        return match comparison {
            Comparison::Less => one < other,
            Comparison::AtMost => one <= other,
            Comparison::Equal => one == other,
            Comparison::Unequal => one != other,
            Comparison::AtLeast => one >= other,
            Comparison::Greater => one > other,
        };
    }
    match (text(one), text(other), comparison) {
        (Some(one), Some(other), Comparison::Equal) => one == other,
        (Some(one), Some(other), Comparison::Unequal) => one != other,
        (_, _, comparison) => comparison == Comparison::Unequal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(text: &str, cells: &[(&str, &str)]) -> bool {
        let condition = Condition::read(text).unwrap();
        row_holds(&condition, &|name| cells.iter().find(|(own, _)| *own == name).unwrap().1)
    }

    #[test]
    fn cells_are_what_they_are_compared_with() {
        let cells = [("label", "normal."), ("count", "51"), ("flag", "S0"), ("empty", ""), ("port", "007")];
        for (text, expected) in [
            ("label != 'normal.'", false),
            ("count > 50 and flag == 'S0'", true),
            ("count == '51'", true),
            ("count < 9", false),
            ("empty < 9", false),
            ("empty != 9", true),
            ("flag > 3", false),
            ("not flag > 3", true),
            ("port == 7", true),
            ("port == '7'", false),
            ("empty == ''", true),
        ] {
            assert_eq!(holds(text, &cells), expected, "{text}");
        }
    }
}
