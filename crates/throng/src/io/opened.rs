//! An open file: its format from its first bytes, and what its beginning shows of the kind of data in it.

use throng_core::Result;

use super::head::{Head, first_line, without_mark};
use super::scan::ReadOptions;
use super::source::Source;
use super::{Compression, Format, FormatKind, Location};

/// An open file whose first bytes were looked at.
pub struct Opened {
    pub(super) source: Source,
    /// Its format.
    pub format: Format,
    /// What kind of data it holds, by its name, once somebody found out.
    pub(crate) kind: Option<&'static str>,
}

impl Opened {
    /// Opens a file. What the options say overrules what the bytes say.
    pub fn open(location: &Location, options: &ReadOptions) -> Result<Self> {
        if let Location::Folder(_) = location {
            // A release of it is JSON lines, unless another format is asked for.
            let format = Format { kind: FormatKind::JsonLines, compression: Compression::None };
            return Ok(Self { source: Source::folder(location), format, kind: None });
        }
        let mut source = Source::open(location)?;
        source.at_once = options.at_once.unwrap_or(source.at_once);
        let format = recognise_format(&source, options);
        Ok(Self { source, format, kind: None })
    }

    /// What the beginning of the file shows.
    pub(crate) fn head(&mut self, options: &ReadOptions) -> Result<Head> {
        Head::of(&mut self.source, self.format, options)
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
