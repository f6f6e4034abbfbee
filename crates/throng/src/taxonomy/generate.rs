//! Taxonomies over the items of a file of baskets.

use std::path::Path;

use throng_core::data::table::Hierarchy;
use throng_core::data::table::levels::{self, Levels};
use throng_core::data::{Interner, Strings};
use throng_core::progress::Silent;
use throng_core::taxonomy::{Taxonomy, co_occurrence, generate as groups};
use throng_core::{Error, Result};

use crate::io::{self, ColumnChoice, Location, Opened, ReadOptions, Source, knows_item};
use crate::pending;
use crate::run::refuse_existing;

/// What items are grouped by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Grouping {
    /// Their natural order, numbers by value.
    Order,
    /// Intervals of this width, for numbers.
    Intervals(f64),
    /// Which items are found together.
    CoOccurrence,
}

/// A tree over the items of a file with one basket a line. Items are separated by blanks, or by commas if the first line has
/// one; one item a line is a list of items.
pub fn generate(path: &Path, grouping: Grouping, fanout: usize) -> Result<Taxonomy> {
    let location = if path == Path::new("-") { Location::Stdin } else { Location::File(path.to_owned()) };
    let source = Source::open(&location, None)?;
    let bytes = source.into_bytes()?;
    let placed = |error: Error| error.in_file(location.to_string());
    let text = std::str::from_utf8(&bytes)
        .map_err(|_| placed(Error::data("the file is not UTF-8").with_hint("convert it to UTF-8")))?;
    let mut items = Interner::new();
    let (mut all, mut ends) = (Vec::new(), Vec::new());
    let text = text.trim_start_matches('\u{feff}');
    refuse_cells(text).map_err(placed)?;
    let commas = text.lines().next().is_some_and(|line| line.contains(','));
    // SPMF marks comments and metadata so.
    for line in text.lines().filter(|line| !line.starts_with(['#', '%', '@'])) {
        if commas {
            all.extend(line.split(',').map(str::trim).filter(|item| !item.is_empty()).map(|item| items.intern(item)));
        } else {
            all.extend(line.split_whitespace().map(|item| items.intern(item)));
        }
        ends.push(all.len());
    }
    let labels = items.into_strings();
    let tree = match grouping {
        Grouping::Order => groups::balanced(labels.iter(), fanout),
        Grouping::Intervals(width) => groups::intervals(labels.iter(), width, fanout),
        Grouping::CoOccurrence => {
            let starts = std::iter::once(0).chain(ends.iter().copied());
            let baskets = starts.zip(&ends).map(|(start, &end)| &all[start..end]);
            co_occurrence::by_co_occurrence(&labels, baskets, fanout)
        }
    };
    tree.map_err(placed)
}

/// A tree over the items of a column of a file, whatever its format.
pub fn generate_by_columns(
    path: &Path,
    columns: Vec<ColumnChoice>,
    grouping: Grouping,
    fanout: usize,
) -> Result<Taxonomy> {
    let location = if path == Path::new("-") { Location::Stdin } else { Location::File(path.to_owned()) };
    let options = ReadOptions { columns, ..ReadOptions::default() };
    let baskets = io::read_baskets(&location, &options, &Silent)?.baskets;
    let tree = match grouping {
        Grouping::Order => groups::balanced(baskets.labels().iter(), fanout),
        Grouping::Intervals(width) => groups::intervals(baskets.labels().iter(), width, fanout),
        Grouping::CoOccurrence => {
            let all = (0..baskets.persons()).map(|person| baskets.basket(person));
            co_occurrence::by_co_occurrence(baskets.labels(), all, fanout)
        }
    };
    tree.map_err(|error| error.in_file(location.to_string()))
}

/// A hierarchy over the values of a column of a table, written in ARX's form: a line for each value, level by level. The file must
/// not exist.
pub fn generate_levels(path: &Path, column: &str, levels: &Levels, out: &Path) -> Result<Hierarchy> {
    refuse_existing(out)?;
    let location = if path == Path::new("-") { Location::Stdin } else { Location::File(path.to_owned()) };
    let placed = |error: Error| error.in_file(location.to_string());
    let opened = Opened::open(&location, &ReadOptions::default())?;
    let read = io::read_opened_table(opened, &ReadOptions::default(), &Silent)?;
    let find = |(name, ..): &&(String, Strings, Vec<u32>, bool)| name == column;
    let (_, values, ..) =
        read.columns.iter().find(find).ok_or_else(|| {
            placed(Error::unknown("column", column, read.columns.iter().map(|(name, ..)| name.as_str())))
        })?;
    let mut texts: Vec<&str> = values.iter().collect();
    texts.sort_by(|left, right| natural(left).total_cmp(&natural(right)).then(left.cmp(right)));
    let lines = levels::lines(&texts, levels).map_err(|error| placed(error.in_column(column)))?;
    let hierarchy = Hierarchy::new(&lines).map_err(|error| placed(error.in_column(column)))?;
    let cell = |cell: &String| match cell.contains([';', '"', '\n', '\r']) || cell.trim() != cell {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.clone(),
    };
    let text: String = lines.iter().map(|line| line.iter().map(cell).collect::<Vec<_>>().join(";") + "\n").collect();
    pending::replace(out, text.as_bytes(), false)?;
    Ok(hierarchy)
}

/// Numbers by value, before texts.
fn natural(text: &str) -> f64 {
    throng_core::data::table::cell::number(text).unwrap_or(f64::INFINITY)
}

/// Refuses lines of cells, whole or with everything in them as items: which column has the items must be said.
fn refuse_cells(text: &str) -> Result<()> {
    let lines = || text.lines().filter(|line| !line.trim().is_empty());
    let cells = |sign: char| {
        let count = lines().next().map_or(0, |line| line.matches(sign).count());
        count > 0 && lines().nth(1).is_some() && lines().all(|line| line.matches(sign).count() == count)
    };
    let names_items =
        || lines().next().is_some_and(|line| line.split(',').any(|name| knows_item(name.trim_matches('"'))));
    if cells(';') || cells('\t') || (cells(',') && names_items()) {
        return Err(Error::data("the lines are cells of a table, not baskets")
            .with_hint("say which column has the items, and whose they are: `--column person=… item=…`"));
    }
    Ok(())
}
