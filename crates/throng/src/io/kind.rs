//! What a file is, from its first bytes: its format, and what kind of data it holds.
//!
//! What looks like a query log is one: a header or first object that names person, query and time, or AOL's columns. Else
//! a file is baskets if it names a person and an item, holds lists of items, or is lines of words or of cells among which
//! there is no time. A folder that is no release is documents; so is a file that names a text and no query, or terms with
//! weights. Whatever is left is taken for a query log, whose reader says what is missing.

use memchr::memchr;
use throng_core::data::time::{self, TimeStyle};
use throng_core::{Error, Kind, Result};

use super::baskets::{item_column, lists};
use super::columns::{self, Role};
use super::delimited::split_line;
use super::documents::looks_like_documents;
use super::json_lines::Keys;
use super::parquet_file::ParquetFile;
use super::scan::ReadOptions;
use super::source::Source;
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
            !is_log(&names, options) && (is_long(&names, options) || without_header)
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
