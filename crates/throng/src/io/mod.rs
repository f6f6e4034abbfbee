//! Reading and writing data sets: recognising a file, streaming it in parallel, writing it back in its own form.
//!
//! A file goes through the same steps whatever it is: `source` opens and decompresses it and cuts it into blocks at record
//! borders; `head` looks at its beginning, so that every kind can say how much it looks like its own; `fields` turns blocks into rows of fields by role, for every kind that comes in rows. `queries`, `baskets` and `documents` make data sets
//! of them, and read what is theirs alone. Blocks are read in parallel and put together in the order of the file, so the
//! result does not depend on the number of threads.

mod arrow_stream;
pub(crate) mod baskets;
mod byte_files;
mod cells;
mod coarser;
mod columns;
mod decompress;
pub(crate) mod deid;
mod delimiter;
pub(crate) mod documents;
mod encoding;
mod fields;
mod files;
pub(crate) mod graph;
mod guarded;
mod head;
mod named_rows;
mod opened;
mod parquet_dictionary;
mod parquet_file;
mod parquet_footer;
mod parts;
pub mod paths;
mod pin_image;
pub(crate) mod places;
pub(crate) mod queries;
pub mod ratings;
mod roles;
mod scan;
mod source;
pub(crate) mod table;
pub(crate) mod time_zone;
mod uncompared;
pub(crate) mod visits;
mod write;
mod xml;

use std::fmt::{self, Display};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use throng_core::{Error, Result};

pub use arrow_stream::Frame;
pub(crate) use arrow_stream::batches_of;
pub(crate) use baskets::basket_places;
pub use baskets::{BasketLayout, Form, ReadBaskets, read_baskets, read_opened_baskets, write_baskets};
pub(crate) use baskets::{knows_item, knows_person};
pub(crate) use byte_files::{ByteFileOptions, ByteFiles};
pub use cells::csv_field;
pub(crate) use cells::is_number;
pub(crate) use coarser::coarser_column;
pub use delimiter::Delimiter;
pub(crate) use documents::document_places;
pub use documents::{
    DocumentForm, DocumentRole, ReadDocuments, hash_folder, read_documents, read_opened_documents, read_pages,
    release_format, write_documents,
};
pub use encoding::Encoding;
pub use fields::delimited::csv_records;
pub use files::{Files, hash_of};
pub(crate) use head::{Degree, Head, Likeness};
pub use named_rows::NamedRows;
pub use opened::Opened;
pub(crate) use parts::{PARTS, hash_of_list, hash_of_parts, parts_of};
pub use pin_image::PinImage;
pub use places::{LookAt, Place};
pub(crate) use queries::is_plausible_time;
pub use queries::{
    Checked, Layout, LogSize, LogWriter, ReadLog, Role, Row, Scanned, TableSize, estimate_bytes, estimate_log,
    first_line_with, log_places, read_digests, read_log, read_opened_digests, read_opened_log, read_times,
    write_persons,
};
pub use ratings::{RatingsLayout, read_opened_ratings, write_ratings};
pub use roles::{ColumnChoice, RoleCard, Roles, Suits};
pub(crate) use roles::{check_known, plain as plain_name};
pub use scan::{BadLines, ReadOptions};
pub use source::{LONGEST_LINE, hash_file, is_release, read_release_certificate, resolve};
pub(crate) use source::{Source, blocks_at_once, hash_bytes};
pub use table::{ReadTable, TableColumn, TableLayout, read_opened_table, write_table};
pub(crate) use table::{numbers_written, table_places};
pub use time_zone::TimeZone;
pub use visits::{LogName, ReadVisits, VisitsLayout};
pub(crate) use visits::{PersonBy, is_as_written, read_opened_visits, write_visits};
pub(crate) use write::compressed;
pub use write::{HashingWriter, Person};

/// What a file's rows look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormatKind {
    /// Tab-separated, no quoting.
    Tsv,
    /// Separated by commas or other characters, quoted where needed.
    Csv,
    /// One JSON object a line.
    JsonLines,
    /// Apache Parquet.
    Parquet,
    /// A stream of Apache Arrow.
    Arrow,
    /// One basket a line, items separated by blanks.
    Fimi,
    /// An access log as servers write it.
    Log(LogName),
    /// GraphML: a graph with what is known of its nodes.
    GraphMl,
    /// GML: the same in another form; read only.
    Gml,
    /// Points in space and time in a form of their own.
    Points(PointsForm),
}

/// A form of files of points in space and time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PointsForm {
    /// GPX: tracks of devices.
    Gpx,
    /// GeoJSON: points and lines with times.
    GeoJson,
    /// The files of GeoLife; read only.
    Plt,
}

impl PointsForm {
    fn name(self) -> &'static str {
        match self {
            Self::Gpx => "gpx",
            Self::GeoJson => "geojson",
            Self::Plt => "plt",
        }
    }
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
    /// bzip2.
    Bzip2,
}

impl Compression {
    /// What it adds to the name of a file.
    fn ending(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Gzip => ".gz",
            Self::Zstd => ".zst",
            Self::Bzip2 => ".bz2",
        }
    }
}

/// A file format: the form of its rows and its compression. Written down as its name, `tsv.gz`, which says nothing of what
/// stands between the cells of CSV.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Format {
    /// The form of its rows.
    pub kind: FormatKind,
    /// Its compression.
    pub compression: Compression,
    /// What stands between the cells of CSV; of no use for the others.
    pub delimiter: Delimiter,
}

/// Names and descriptions of the formats, for `throng list formats`.
pub const FORMATS: &[(&str, &str)] = &[
    ("tsv", "tab-separated, no quoting; AOL's AnonID, Query, QueryTime, ItemRank, ClickURL with or without its header"),
    (
        "csv",
        "separated by commas, semicolons, pipes or tabs, with quotes, any column names; or one basket a line without a header",
    ),
    ("jsonl", "one JSON object a line"),
    ("parquet", "Apache Parquet"),
    ("arrow", "Apache Arrow: a stream of record batches (IPC), not compressed; also a file of them, read only"),
    ("fimi", "one basket a line, items separated by blanks, as FIMI's and SPMF's files"),
    (
        "log",
        "access logs: combined, common, vhost-combined, vhost-common, ovh, gandi, icecast, main (nginx's example), w3c, elb, alb, s3, \
         haproxy, each of them a name of its own, or whatever `--log-format` says",
    ),
    ("graphml", "graphs: nodes and edges with plain data; a masked network in one file"),
    ("gml", "graphs: nodes and edges with plain data; read only"),
    ("gpx", "paths: tracks of GPX 1.0 and 1.1"),
    ("geojson", "paths: points with a time, and lines with a time for each point"),
    ("plt", "paths: the files of GeoLife, a folder a person; read only"),
    ("deid", "tables: a project of ARX, with roles and hierarchies; read only"),
    ("folder", "documents: a folder of .txt, .md, .html and .pdf files"),
];

impl FormatKind {
    /// Whether it keeps columns of types of its own, in batches.
    pub(crate) fn has_typed_columns(self) -> bool {
        matches!(self, Self::Parquet | Self::Arrow)
    }

    /// Whether it is read as a whole, and has no rows.
    pub(crate) fn has_no_rows(self) -> bool {
        self.is_network() || matches!(self, Self::Points(_))
    }

    /// Whether it is a form of graphs alone.
    pub(crate) fn is_network(self) -> bool {
        matches!(self, Self::GraphMl | Self::Gml)
    }

    fn name(self) -> &'static str {
        match self {
            Self::GraphMl => "graphml",
            Self::Gml => "gml",
            Self::Points(form) => form.name(),
            Self::Tsv => "tsv",
            Self::Csv => "csv",
            Self::JsonLines => "jsonl",
            Self::Parquet => "parquet",
            Self::Arrow => "arrow",
            Self::Fimi => "fimi",
            Self::Log(name) => name.name(),
        }
    }
}

impl Format {
    /// A format in its usual form.
    pub const fn new(kind: FormatKind, compression: Compression) -> Self {
        Self { kind, compression, delimiter: Delimiter::COMMA }
    }

    /// Reads a format's name: `tsv`, `csv.gz`, `jsonl.zst`, `parquet`.
    pub fn parse(text: &str) -> Result<Self> {
        let (name, compression) = split_compression(text);
        let kind = match name {
            "tsv" | "aol" => FormatKind::Tsv,
            "csv" => FormatKind::Csv,
            "jsonl" | "ndjson" => FormatKind::JsonLines,
            "parquet" if compression == Compression::None => FormatKind::Parquet,
            "arrow" if compression == Compression::None => FormatKind::Arrow,
            "fimi" | "spmf" | "dat" => FormatKind::Fimi,
            "graphml" => FormatKind::GraphMl,
            "gml" => FormatKind::Gml,
            "gpx" => FormatKind::Points(PointsForm::Gpx),
            "geojson" => FormatKind::Points(PointsForm::GeoJson),
            "plt" => FormatKind::Points(PointsForm::Plt),
            _ => match LogName::parse(name) {
                Some(name) => FormatKind::Log(name),
                None => {
                    let known = FORMATS.iter().map(|&(name, _)| name).filter(|name| !["folder", "deid"].contains(name));
                    let logs = visits::NAMED.iter().map(|named| named.name).chain(["w3c"]);
                    return Err(Error::unknown("format", text, known.chain(logs)));
                }
            },
        };
        Ok(Self::new(kind, compression))
    }

    /// Whether it is CSV with something else than commas.
    pub fn is_unusual(self) -> bool {
        self.kind == FormatKind::Csv && self.delimiter != Delimiter::COMMA
    }

    /// What stands between cells, where there are any.
    pub fn separator(self) -> Option<Delimiter> {
        match self.kind {
            FormatKind::Csv => Some(self.delimiter),
            FormatKind::Tsv => Some(Delimiter::TAB),
            FormatKind::JsonLines
            | FormatKind::Parquet
            | FormatKind::Arrow
            | FormatKind::Fimi
            | FormatKind::Log(_)
            | FormatKind::GraphMl
            | FormatKind::Gml
            | FormatKind::Points(_) => None,
        }
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
            "arrow" | "arrows" | "feather" => FormatKind::Arrow,
            "fimi" | "dat" | "basket" => FormatKind::Fimi,
            "log" => FormatKind::Log(LogName::Any),
            "graphml" => FormatKind::GraphMl,
            "gml" => FormatKind::Gml,
            "gpx" => FormatKind::Points(PointsForm::Gpx),
            "geojson" | "geojsonl" | "geojsons" => FormatKind::Points(PointsForm::GeoJson),
            "plt" => FormatKind::Points(PointsForm::Plt),
            _ => return None,
        };
        Some(Self::new(kind, compression))
    }
}

fn split_compression(name: &str) -> (&str, Compression) {
    if let Some(name) = name.strip_suffix(".gz") {
        (name, Compression::Gzip)
    } else if let Some(name) = name.strip_suffix(".zst") {
        (name, Compression::Zstd)
    } else if let Some(name) = name.strip_suffix(".bz2") {
        (name, Compression::Bzip2)
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
        format!("{}{}", format.kind.name(), format.compression.ending())
    }
}

/// The format as the ending of a file name.
impl Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_log = matches!(self.kind, FormatKind::Log(_));
        f.write_str(if is_log { LogName::Any.name() } else { self.kind.name() })?;
        f.write_str(self.compression.ending())
    }
}

/// Where data come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Location {
    /// Standard input.
    Stdin,
    /// Bytes in memory: standard input that was read to its end, to be read more than once, or a release that was handed out.
    Held(Held),
    /// Record batches in memory.
    Frame(Frame),
    /// A file.
    File(PathBuf),
    /// A folder of documents.
    Folder(PathBuf),
    /// Several files or folders, one after the other.
    Several(Vec<Location>),
}

/// Data in memory. They are about people: nothing of them is shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Held {
    bytes: bytes::Bytes,
    /// Whether they came from standard input.
    is_stdin: bool,
}

impl Held {
    /// All that there is to read, but not more than a limit.
    pub(crate) fn read(from: impl std::io::Read, most: u64) -> Result<Self> {
        let mut bytes = Vec::new();
        from.take(most + 1)
            .read_to_end(&mut bytes)
            .map_err(|cause| Error::io(format!("read {}", Location::Stdin), cause))?;
        if bytes.len() as u64 > most {
            return Err(Error::data(format!("more than {} MiB cannot be held to be read twice", most >> 20))
                .in_file(Location::Stdin.to_string())
                .with_hint("save them to a file"));
        }
        Ok(Self { bytes: bytes.into(), is_stdin: true })
    }

    /// The bytes.
    pub(crate) fn bytes(&self) -> &bytes::Bytes {
        &self.bytes
    }
}

impl From<Vec<u8>> for Held {
    fn from(bytes: Vec<u8>) -> Self {
        Self { bytes: bytes.into(), is_stdin: false }
    }
}

impl fmt::Debug for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Held({} bytes)", self.bytes.len())
    }
}

impl Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdin | Self::Held(Held { is_stdin: true, .. }) => f.write_str("standard input"),
            Self::Held(_) | Self::Frame(_) => f.write_str("the data"),
            Self::File(path) | Self::Folder(path) => write!(f, "{}", path.display()),
            Self::Several(places) => match places.as_slice() {
                [] => f.write_str("no file"),
                [only] => write!(f, "{only}"),
                [first, second] => write!(f, "{first} and {second}"),
                [first, others @ ..] => write!(f, "{first} and {} other files", others.len()),
            },
        }
    }
}
