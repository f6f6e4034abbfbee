//! What the beginning of a file shows, looked at once, for every kind to say whether the file could be its own.

use arrow_schema::DataType;
use memchr::memchr;
use serde_json::value::RawValue;
use throng_core::Result;
use throng_core::data::time;

use super::cells::is_number;
use super::columns::Columns;
use super::fields::delimited::each_row;
use super::fields::json_lines;
use super::scan::ReadOptions;
use super::source::Source;
use super::{Format, FormatKind};

/// That a file looks like data of a kind, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Likeness {
    /// How much.
    pub(crate) degree: Degree,
    /// What of it, in words.
    pub(crate) because: &'static str,
}

impl Likeness {
    pub(super) fn possible(because: &'static str) -> Self {
        Self { degree: Degree::Possible, because }
    }

    pub(super) fn likely(because: &'static str) -> Self {
        Self { degree: Degree::Likely, because }
    }

    pub(super) fn strong(because: &'static str) -> Self {
        Self { degree: Degree::Strong, because }
    }

    pub(super) fn probable(because: &'static str) -> Self {
        Self { degree: Degree::Probable, because }
    }

    pub(super) fn certain(because: &'static str) -> Self {
        Self { degree: Degree::Certain, because }
    }

    /// What the user said.
    pub(super) fn said() -> Self {
        Self::certain("`--column` says so")
    }
}

/// How much a file looks like data of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Degree {
    /// It could be, if nothing else is likelier; or it is meant to be, and its reader knows best what is wrong.
    Possible,
    /// It has the form of it, as other kinds may too if the names of their columns say so.
    Likely,
    /// Its columns have the right names.
    Probable,
    /// It has what no other kind has, whatever else the names of its columns say.
    Strong,
    /// It says so itself, or the user does.
    Certain,
}

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sort {
    Plain,
    List,
    Object,
}

/// The beginning of a file.
#[derive(Debug)]
pub(crate) struct Head {
    /// The file's format.
    pub(crate) format: Format,
    /// The cells of the first line, which may be names, or numbers where it is said to be a row; the keys of the first object;
    /// the columns of a Parquet file or an Arrow stream.
    pub(crate) names: Vec<String>,
    /// What the value of each is, where the format tells.
    pub(crate) sorts: Vec<Sort>,
    /// Whether some cell of the first two lines is a date with a time.
    pub(crate) has_times: bool,
    /// Whether the lines of cells look like a table.
    pub(crate) is_table: bool,
    /// The first lines of a text.
    pub(crate) lines: Vec<String>,
    /// The same as cells, where there are any.
    pub(crate) rows: Vec<Vec<String>>,
}

/// How many lines are looked at one by one.
const LINES: usize = 50;

impl Head {
    /// Looks at a file.
    pub(super) fn of(source: &mut Source, format: Format, options: &ReadOptions) -> Result<Self> {
        let mut head = Self {
            format,
            names: Vec::new(),
            sorts: Vec::new(),
            has_times: false,
            is_table: false,
            lines: Vec::new(),
            rows: Vec::new(),
        };
        if !format.kind.has_typed_columns() {
            let lines = whole_lines(source).split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii_end);
            let lines = lines.filter(|line| !line.is_empty()).take(LINES);
            head.lines = lines.map(|line| String::from_utf8_lossy(line).into_owned()).collect();
        }
        match format.kind {
            FormatKind::Fimi | FormatKind::Log(_) | FormatKind::GraphMl | FormatKind::Gml | FormatKind::Points(_) => {}
            FormatKind::Parquet | FormatKind::Arrow => {
                let file = Columns::open(source, format)?;
                for field in file.schema().fields() {
                    head.names.push(field.name().clone());
                    head.sorts.push(if is_list(field.data_type()) { Sort::List } else { Sort::Plain });
                }
            }
            FormatKind::JsonLines => {
                let (_, first, later) = json_lines::first_object(&source.head, options.bad_lines)?;
                let sort = |raw: &RawValue| match raw.get().as_bytes()[0] {
                    b'[' => Sort::List,
                    b'{' => Sort::Object,
                    _ => Sort::Plain,
                };
                for (key, raw) in &first.0 {
                    head.names.push(key.clone().into_owned());
                    head.sorts.push(sort(raw));
                }
                // Keys inside other objects are there if somebody names them.
                let all: Vec<_> = std::iter::once(&first).chain(&later).collect();
                for name in options.columns.iter().map(|choice| &choice.name) {
                    let path = json_lines::path_of(name, &all);
                    let found = all.iter().find_map(|object| object.inside(&path)).filter(|_| path.len() > 1);
                    if let Some(raw) = found.filter(|_| !head.names.contains(name)) {
                        head.names.push(name.clone());
                        head.sorts.push(sort(raw));
                    }
                }
            }
            FormatKind::Tsv | FormatKind::Csv => {
                let text = whole_lines(source);
                each_row(text, format, |cells| {
                    if head.rows.len() < LINES {
                        let texts = cells.iter().map(|cell| String::from_utf8_lossy(cell).into_owned());
                        head.rows.push(texts.collect());
                    }
                });
                // Figures alone may be anything.
                let is_time = |cell: &String| !is_number(cell.trim()) && time::parse(cell.trim()).is_some();
                head.has_times = head.rows.iter().take(2).flatten().any(is_time);
                head.is_table = is_table(text, format);
                let first = head.rows.first().cloned().unwrap_or_default();
                head.sorts = vec![Sort::Plain; first.len()];
                head.names = match options.no_header {
                    true => (1..=first.len()).map(|number| number.to_string()).collect(),
                    false => first,
                };
            }
        }
        Ok(head)
    }

    /// Whether its lines have no cells, but words.
    pub(crate) fn has_no_cells(&self) -> bool {
        self.format.kind == FormatKind::Fimi
    }

    /// The names as texts.
    pub(crate) fn names(&self) -> Vec<&str> {
        self.names.iter().map(String::as_str).collect()
    }
}

/// Whether a type of Parquet is a list.
pub(super) fn is_list(kind: &DataType) -> bool {
    matches!(kind, DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..))
}

/// The first line of a text.
pub(super) fn first_line(head: &[u8]) -> &[u8] {
    &head[..memchr(b'\n', head).unwrap_or(head.len())]
}

/// The first bytes of a text, up to the end of a line.
pub(super) fn whole_lines(source: &Source) -> &[u8] {
    let head = source.head.as_slice();
    // A short file may lack its last line end; of a longer one the last line may be cut.
    let is_whole = source.is_whole;
    let end = if is_whole { None } else { memchr::memrchr(b'\n', head).map(|at| at + 1) };
    &head[..end.unwrap_or(head.len())]
}

/// Lines of cells that are all as long are a table, if they are as many; fewer may be baskets by chance.
const EVEN_LINES: usize = 8;

/// Whether lines of cells look like a table: at least two, all with as many cells, and some column of numbers, under a name or
/// not; or so many that it cannot be chance. Baskets have as many items as they have, and which of them stands first means
/// nothing.
fn is_table(text: &[u8], format: Format) -> bool {
    let mut lines = 0;
    let mut is_even = true;
    // For each column whether there were numbers so far, and nothing else but a name in the first line.
    let mut numbers: Vec<(bool, bool)> = Vec::new();
    // Lines without a cell, which the reader of cells passes over, are baskets too.
    let has_empty_line = text.split(|&byte| byte == b'\n').rev().skip(1).any(|line| line.trim_ascii().is_empty());
    each_row(text, format, |cells| {
        if lines == 0 {
            numbers = vec![(false, true); cells.len()];
        }
        is_even &= cells.len() == numbers.len();
        for (cell, (has_numbers, is_only)) in cells.iter().zip(&mut numbers) {
            let cell = cell.trim_ascii();
            let is_number = std::str::from_utf8(cell).is_ok_and(is_number);
            *has_numbers |= is_number && lines > 0;
            *is_only &= is_number || lines == 0 || cell.is_empty();
        }
        lines += 1;
    });
    let is_even = is_even && numbers.len() > 1 && !has_empty_line;
    is_even && lines > 1 && (lines >= EVEN_LINES || numbers.contains(&(true, true)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_and_baskets() {
        for table in [
            "30,40\n40,30\n",
            "age,income\n30,high\n40,low",
            "39, State-gov, 77516\n50, Private, 83311\n",
            "a,b\n,1\n,2\n",
            "\"a,b\",1\r\nc,2\r\n",
            &"customer,article\n".repeat(8),
        ] {
            assert!(is_table(table.as_bytes(), Format::parse("csv").unwrap()), "{table}");
        }
        for baskets in [
            "bread,milk\nbeer,wine\n",
            "1,2,3\n4,5\n",
            "1,2\n\n3,4\n",
            "1,2\n",
            "bread,2\n3,milk\nbeer,4\n",
            "1\n2\n",
            "",
        ] {
            assert!(!is_table(baskets.as_bytes(), Format::parse("csv").unwrap()), "{baskets}");
        }
    }
}
