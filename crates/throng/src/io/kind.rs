//! What a file is, from its first bytes: its format, and what kind of data it holds.
//!
//! What looks like a query log is one: a header or first object that names person, query and time, or AOL's columns. Else
//! a file is baskets if it names a person and an item, holds lists of items, or is lines of words or of cells among which
//! there is no time. A folder that is no release is documents; so is a file that names a text and no query, or terms with
//! weights. Lines of cells that could as well be a table are an error: nothing is guessed where a guess would be believed.
//! Whatever is left is taken for a query log, whose reader says what is missing.

use memchr::memchr;
use throng_core::data::time::{self, TimeStyle};
use throng_core::{Error, Kind, Result};

use super::baskets::{item_column, lists};
use super::cells::is_number;
use super::columns::{self, Role};
use super::delimited::{each_record, split_line};
use super::documents::looks_like_documents;
use super::json_lines::Keys;
use super::parquet_file::ParquetFile;
use super::scan::ReadOptions;
use super::source::{HEAD, Source};
use super::{Compression, Format, FormatKind, Location};

/// An open file whose first bytes were looked at.
pub struct Opened {
    pub(super) source: Source,
    /// Its format.
    pub format: Format,
    /// What kind of data it holds.
    pub kind: Kind,
}

impl Opened {
    /// Opens a file. What the options say overrules what the bytes say.
    pub fn open(location: &Location, options: &ReadOptions) -> Result<Self> {
        if let Location::Folder(path) = location {
            if options.kind.is_some_and(|kind| kind != Kind::Documents) {
                return Err(Error::data("this is a folder, not a file")
                    .with_hint("a folder is read as documents; give the data file")
                    .in_file(path.display().to_string()));
            }
            // A release of it is JSON lines, unless another format is asked for.
            let format = Format { kind: FormatKind::JsonLines, compression: Compression::None };
            return Ok(Self { source: Source::folder(location), format, kind: Kind::Documents });
        }
        let mut source = Source::open(location)?;
        source.at_once = options.at_once.unwrap_or(source.at_once);
        let format = recognise_format(&source, options);
        let kind = match options.kind {
            Some(kind) => kind,
            None => {
                recognise_kind(&mut source, format, options).map_err(|error| error.in_file(location.to_string()))?
            }
        };
        Ok(Self { source, format, kind })
    }

    /// Reads at most so many blocks at once, if a number is given.
    pub fn limit(&mut self, at_once: Option<usize>) {
        self.source.at_once = at_once.unwrap_or(self.source.at_once);
    }

    /// Where it is.
    pub fn location(&self) -> &Location {
        &self.source.location
    }
}

fn without_mark(head: &[u8]) -> &[u8] {
    head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head)
}

fn first_line(head: &[u8]) -> &[u8] {
    &head[..memchr(b'\n', head).unwrap_or(head.len())]
}

/// What the user said, else what the bytes say, else what the name says.
fn recognise_format(source: &Source, options: &ReadOptions) -> Format {
    let (by_name, is_text) = match &source.location {
        Location::File(path) => {
            let name = path.to_string_lossy().to_ascii_lowercase();
            let name = name.trim_end_matches(".gz").trim_end_matches(".zst");
            (Format::of_path(path).map(|format| format.kind), name.ends_with(".txt"))
        }
        Location::Stdin | Location::Folder(_) => (None, false),
    };
    let head = without_mark(&source.head);
    let line = first_line(head);
    let has_tabs = line.contains(&b'\t');
    let kind = options.format.map(|format| format.kind).unwrap_or_else(|| match by_name {
        _ if head.starts_with(b"PAR1") => FormatKind::Parquet,
        _ if line.trim_ascii_start().starts_with(b"{") => FormatKind::JsonLines,
        Some(FormatKind::Tsv) if has_tabs || !(is_text || line.contains(&b',')) => FormatKind::Tsv,
        Some(kind @ (FormatKind::Csv | FormatKind::JsonLines | FormatKind::Fimi)) => kind,
        _ if has_tabs => FormatKind::Tsv,
        _ if line.contains(&b',') => FormatKind::Csv,
        _ => FormatKind::Fimi,
    });
    Format { kind, compression: source.compression }
}

fn recognise_kind(source: &mut Source, format: Format, options: &ReadOptions) -> Result<Kind> {
    if !options.document_columns.is_empty() {
        return Ok(Kind::Documents);
    }
    if format.kind == FormatKind::Fimi || options.item_column.is_some() {
        return Ok(Kind::Baskets);
    }
    if options.columns.iter().any(|choice| choice.role != Role::User) {
        return Ok(Kind::Queries);
    }
    let is_baskets = match format.kind {
        FormatKind::Fimi => true,
        FormatKind::Parquet => {
            let file = ParquetFile::open(source)?;
            let names: Vec<&str> = file.schema().fields().iter().map(|field| field.name().as_str()).collect();
            !is_log(&names, options) && (!lists(file.schema()).is_empty() || is_long(&names, options))
        }
        FormatKind::JsonLines => {
            let lines =
                without_mark(&source.head).split(|&byte| byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
            let keys = lines.take(100).find_map(|line| serde_json::from_slice::<Keys<'_>>(line).ok());
            let Some(Keys(keys)) = keys else { return Ok(Kind::Queries) };
            let names: Vec<&str> = keys.iter().map(|(name, _)| name.as_ref()).collect();
            let is_list = |name: &str| keys.iter().any(|(key, raw)| key == name && raw.get().starts_with('['));
            let group = names.contains(&"group") && names.contains(&"sensitive");
            let is_baskets = group || item_column(&names, options).is_some_and(|at| is_list(names[at]));
            let is_object = |at: usize| keys[at].1.get().starts_with('{');
            if !is_log(&names, options) && !is_baskets && looks_like_documents(&names, options, is_object) {
                return Ok(Kind::Documents);
            }
            !is_log(&names, options) && is_baskets
        }
        FormatKind::Tsv | FormatKind::Csv => {
            let mut lines = without_mark(&source.head).split(|&byte| byte == b'\n');
            let mut fields = || {
                let line = String::from_utf8_lossy(lines.next().unwrap_or_default()).into_owned();
                split_line(line.trim_end_matches('\r'), format.kind)
            };
            let (first, second) = (fields(), fields());
            let names: Vec<&str> = first.iter().map(String::as_str).collect();
            // A log whose columns are separated otherwise is still meant as a log: its reader says what is wrong.
            let parts: Vec<&str> = names.iter().flat_map(|name| name.split(';')).collect();
            if !is_log(&names, options) && !is_long(&names, options) && looks_like_documents(&names, options, |_| false)
            {
                return Ok(Kind::Documents);
            }
            // A log without a header, or with one that is not understood, has times; baskets have none.
            let is_time = |field: &String| matches!(time::parse(field), Some((_, TimeStyle::Calendar { .. })));
            let without_header = format.kind == FormatKind::Csv
                && options.columns.is_empty()
                && !columns::looks_like_log(&parts)
                && !first.iter().chain(&second).any(is_time);
            let is_long = is_long(&names, options);
            if !is_log(&names, options) && !is_long && without_header && is_table(whole_lines(source)) {
                return Err(Error::data(
                    "the file could be baskets, one a line, or a table with a row for each person",
                )
                .with_hint(
                    "all lines have as many cells, and some columns hold numbers; baskets are `--kind baskets`, and a \
                         table is not read yet",
                ));
            }
            !is_log(&names, options) && (is_long || without_header)
        }
    };
    Ok(if is_baskets { Kind::Baskets } else { Kind::Queries })
}

fn is_log(names: &[&str], options: &ReadOptions) -> bool {
    matches!(columns::assign(names, &options.columns), Ok(Some(_)))
}

/// Whether the columns name a person and an item.
fn is_long(names: &[&str], options: &ReadOptions) -> bool {
    item_column(names, options).is_some()
        && columns::person_column(names, &options.columns).is_ok_and(|at| at.is_some())
}

/// The first bytes of a text without its mark, up to the end of a line.
fn whole_lines(source: &Source) -> &[u8] {
    let head = without_mark(&source.head);
    // A short file may lack its last line end; of a longer one the last line may be cut.
    let is_whole = source.head.len() < HEAD;
    let end = if is_whole { None } else { memchr::memrchr(b'\n', head).map(|at| at + 1) };
    &head[..end.unwrap_or(head.len())]
}

/// Whether lines of cells look like a table: at least two, all with as many cells, and some column of numbers, under a name or
/// not. Baskets have as many items as they have, and which of them stands first means nothing.
fn is_table(text: &[u8]) -> bool {
    let mut lines = 0;
    let mut is_even = true;
    // For each column whether there were numbers so far, and nothing else but a name in the first line.
    let mut numbers: Vec<(bool, bool)> = Vec::new();
    // Lines without a cell, which the reader of cells passes over, are baskets too.
    let has_empty_line = text.split(|&byte| byte == b'\n').rev().skip(1).any(|line| line.trim_ascii().is_empty());
    each_record(text, |cells, _| {
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
        is_even
    });
    lines > 1 && numbers.len() > 1 && is_even && !has_empty_line && numbers.contains(&(true, true))
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
        ] {
            assert!(is_table(table.as_bytes()), "{table}");
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
            assert!(!is_table(baskets.as_bytes()), "{baskets}");
        }
    }
}
