//! Reading and writing data sets: recognising a file, streaming it in parallel, writing it back in its own form.
//!
//! A file goes through the same steps whatever it is: `source` opens and decompresses it and cuts it into blocks at record
//! borders, a reader (`delimited`, `json_lines`, `parquet`) turns a block into [`Row`]s, and a consumer (`log` for a data
//! set in memory, `digests` for the checker) makes something of them. Blocks are read in parallel and put together in the
//! order of the file, so the result does not depend on the number of threads. Baskets and documents have readers of their
//! own, in `baskets` and `documents`; `kind` tells them from query logs.

mod arrow_column;
mod baskets;
mod cells;
mod columns;
mod decompress;
mod delimited;
mod digests;
mod documents;
mod estimate;
mod find;
mod json_lines;
mod kind;
mod log;
mod parquet;
mod parquet_file;
mod rows;
mod scan;
mod source;
mod uncompared;
mod write;

use std::fmt::{self, Display};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use throng_core::data::time::{Instant, TimeStyle};
use throng_core::{Error, Result};

pub use baskets::{BasketLayout, Form, ReadBaskets, read_baskets, read_opened_baskets, write_baskets};
pub use cells::csv_field;
pub use columns::{ColumnChoice, Role};
pub use delimited::csv_records;
pub use digests::{Checked, read_digests, read_opened_digests};
pub use documents::{
    DocumentForm, DocumentRole, ReadDocuments, hash_folder, read_documents, read_opened_documents, release_format,
    write_documents,
};
pub use estimate::{LogSize, TableSize, estimate_bytes, estimate_log};
pub use find::first_line_with;
pub use kind::Opened;
pub use log::{ReadLog, read_log, read_opened_log};
pub use scan::{BadLines, ReadOptions, Scanned};
pub use source::{LONGEST_LINE, hash_file, is_release, read_release_certificate, resolve};
pub(crate) use source::{Source, blocks_at_once};
pub(crate) use write::compressed;
pub use write::{HashingWriter, LogWriter, Person, write_persons};

/// What a file's rows look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormatKind {
    /// Tab-separated, no quoting.
    Tsv,
    /// Comma-separated, quoted where needed.
    Csv,
    /// One JSON object a line.
    JsonLines,
    /// Apache Parquet.
    Parquet,
    /// One basket a line, items separated by blanks.
    Fimi,
}

/// How a file is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    None,
    /// gzip.
    Gzip,
    /// Zstandard.
    Zstd,
}

/// A file format: the form of its rows and its compression. Written down as its name, `tsv.gz`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Format {
    /// The form of its rows.
    pub kind: FormatKind,
    /// Its compression.
    pub compression: Compression,
}

/// Names and descriptions of the formats, for `throng list formats`.
pub const FORMATS: &[(&str, &str)] = &[
    ("tsv", "tab-separated, no quoting; AOL's AnonID, Query, QueryTime, ItemRank, ClickURL with or without its header"),
    ("csv", "comma-separated with quotes, any column names; or one basket a line without a header"),
    ("jsonl", "one JSON object a line"),
    ("parquet", "Apache Parquet"),
    ("fimi", "one basket a line, items separated by blanks, as FIMI's and SPMF's files"),
    ("folder", "documents: a folder of .txt, .md, .html and .pdf files"),
];

impl FormatKind {
    fn name(self) -> &'static str {
        match self {
            Self::Tsv => "tsv",
            Self::Csv => "csv",
            Self::JsonLines => "jsonl",
            Self::Parquet => "parquet",
            Self::Fimi => "fimi",
        }
    }
}

impl Format {
    /// Reads a format's name: `tsv`, `csv.gz`, `jsonl.zst`, `parquet`.
    pub fn parse(text: &str) -> Result<Self> {
        let (name, compression) = split_compression(text);
        let kind = match name {
            "tsv" | "aol" => FormatKind::Tsv,
            "csv" => FormatKind::Csv,
            "jsonl" | "ndjson" => FormatKind::JsonLines,
            "parquet" if compression == Compression::None => FormatKind::Parquet,
            "fimi" | "spmf" | "dat" => FormatKind::Fimi,
            _ => {
                let known = FORMATS.iter().map(|&(name, _)| name).filter(|name| *name != "folder");
                return Err(Error::unknown("format", text, known));
            }
        };
        Ok(Self { kind, compression })
    }

    /// The format that a file's name promises, if it does.
    pub fn of_path(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let (name, compression) = split_compression(&name);
        let kind = match name.rsplit_once('.')?.1 {
            "tsv" | "txt" | "tab" => FormatKind::Tsv,
            "csv" => FormatKind::Csv,
            "jsonl" | "ndjson" | "json" => FormatKind::JsonLines,
            "parquet" => FormatKind::Parquet,
            "fimi" | "dat" | "basket" => FormatKind::Fimi,
            _ => return None,
        };
        Some(Self { kind, compression })
    }
}

fn split_compression(name: &str) -> (&str, Compression) {
    if let Some(name) = name.strip_suffix(".gz") {
        (name, Compression::Gzip)
    } else if let Some(name) = name.strip_suffix(".zst") {
        (name, Compression::Zstd)
    } else {
        (name, Compression::None)
    }
}

impl TryFrom<String> for Format {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        Self::parse(&text)
    }
}

impl From<Format> for String {
    fn from(format: Format) -> Self {
        format.to_string()
    }
}

/// The format as the ending of a file name.
impl Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.name())?;
        f.write_str(match self.compression {
            Compression::None => "",
            Compression::Gzip => ".gz",
            Compression::Zstd => ".zst",
        })
    }
}

/// Where data come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Location {
    /// Standard input.
    Stdin,
    /// A file.
    File(PathBuf),
    /// A folder of documents.
    Folder(PathBuf),
}

impl Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdin => f.write_str("standard input"),
            Self::File(path) | Self::Folder(path) => write!(f, "{}", path.display()),
        }
    }
}

/// One row of a file, whatever the file is.
#[derive(Debug)]
pub struct Row<'a> {
    /// Who.
    pub person: &'a str,
    /// The query string.
    pub query: &'a str,
    /// When.
    pub time: Instant,
    /// The rank of the clicked result.
    pub rank: Option<u32>,
    /// The clicked URL.
    pub url: Option<&'a str>,
    /// Everything in the row that has no role, for the checker; empty when there is nothing or nobody asked.
    pub rest: &'a [u8],
}

/// How a file writes its rows, so that a release can be written the same way.
#[derive(Debug, Clone, PartialEq)]
pub struct Layout {
    /// The columns that have a role, in the order of the file.
    pub columns: Vec<(Role, String)>,
    /// Whether a header line names the columns.
    pub header: bool,
    /// How times are written.
    pub time_style: TimeStyle,
    /// Whether a time is a number or timestamp of the format itself, not text.
    pub typed_time: bool,
    /// Whether ids are numbers of the format itself, not text.
    pub typed_person: bool,
    /// Whether cells of CSV that look like formulas of a spreadsheet are written as they are.
    pub raw_cells: bool,
    /// Columns of the input that have no role, which are never copied.
    pub unmapped: Vec<String>,
}

impl Layout {
    /// The name of the column with a role; the role's own name if there is none.
    pub fn name_of(&self, role: Role) -> &str {
        self.columns.iter().find(|(other, _)| *other == role).map_or(role.name(), |(_, name)| name)
    }

    /// AOL's five columns with their header.
    pub fn aol() -> Self {
        Self {
            columns: columns::AOL.iter().map(|&(role, name)| (role, name.to_owned())).collect(),
            header: true,
            time_style: TimeStyle::AOL,
            typed_time: false,
            typed_person: false,
            raw_cells: false,
            unmapped: Vec::new(),
        }
    }
}
