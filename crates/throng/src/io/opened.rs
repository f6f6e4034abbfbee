//! An open file: its format from its first bytes, and what its beginning shows of the kind of data in it.

use std::path::Path;

use throng_core::{Error, Result};

use super::arrow_stream::{self, ArrowStream};
use super::encoding::Encoding;
use super::head::{Head, first_line};
use super::parquet_file::ParquetFile;
use super::scan::ReadOptions;
use super::source::Source;
use super::{Compression, Delimiter, Format, FormatKind, Location, LogName, PointsForm, visits};

/// An open file whose first bytes were looked at.
pub struct Opened {
    pub(super) source: Source,
    /// Its format.
    pub format: Format,
    /// What kind of data it holds, by its name, once somebody found out.
    pub(crate) kind: Option<&'static str>,
    /// Why it is taken for that kind, in words.
    pub(crate) because: &'static str,
    /// What is to be said of that, where it is a guess or in doubt.
    pub(crate) doubt: Option<String>,
    /// The files that come after it, if it is the first of several.
    pub(super) others: Vec<Location>,
}

impl Opened {
    /// Opens a file. What the options say overrules what the bytes say.
    pub fn open(location: &Location, options: &ReadOptions) -> Result<Self> {
        if let Location::Several(places) = location {
            let [first, others @ ..] = places.as_slice() else {
                return Err(Error::internal("there is no file to open"));
            };
            return Ok(Self { others: others.to_vec(), ..Self::open(first, options)? });
        }
        if let Location::Folder(_) = location {
            // A release of it is JSON lines, unless another format is asked for.
            let format = Format::new(FormatKind::JsonLines, Compression::None);
            return Ok(Self::new(Source::folder(location), format));
        }
        if let Location::Frame(_) = location {
            return Ok(Self::new(Source::frame(location), Format::new(FormatKind::Arrow, Compression::None)));
        }
        let mut source = Source::open(location, options.encoding)?;
        source.at_once = options.at_once.unwrap_or(source.at_once);
        refuse_no_rows(&source).map_err(|error| error.in_file(location.to_string()))?;
        let format = recognise_format(&source, options).map_err(|error| error.in_file(location.to_string()))?;
        Ok(Self::new(source, format))
    }

    pub(super) fn new(source: Source, format: Format) -> Self {
        Self { source, format, kind: None, because: "", doubt: None, others: Vec::new() }
    }

    /// What the beginning of the file shows.
    pub(crate) fn head(&mut self, options: &ReadOptions) -> Result<Head> {
        Head::of(&mut self.source, self.format, options)
    }

    /// What the data file of a release holds beside its rows that throng does not write into one, in words.
    pub(crate) fn more_than_throng_writes(&mut self) -> Result<Vec<&'static str>> {
        match self.format.kind {
            FormatKind::Parquet => ParquetFile::open(&mut self.source)?.more_than_throng_writes(),
            FormatKind::Arrow => ArrowStream::open(&mut self.source)?.more_than_throng_writes(&self.source),
            FormatKind::Tsv
            | FormatKind::Csv
            | FormatKind::JsonLines
            | FormatKind::Fimi
            | FormatKind::Log(_)
            | FormatKind::GraphMl
            | FormatKind::Gml
            | FormatKind::Points(_) => Ok(Vec::new()),
        }
    }

    /// The first of several files, which are read after it.
    pub(crate) fn followed_by(self, others: &[Location]) -> Self {
        Self { others: others.to_vec(), ..self }
    }

    /// Reads at most so many blocks at once, if a number is given.
    pub fn limit(&mut self, at_once: Option<usize>) {
        self.source.at_once = at_once.unwrap_or(self.source.at_once);
    }

    /// The cells of the first line of a text, where no cell is quoted.
    pub(crate) fn first_cells(&self) -> Option<Vec<&str>> {
        let separator = char::from(self.delimiter()?.byte());
        let line = std::str::from_utf8(first_line(self.source.head.as_slice())).ok()?;
        Some(line.trim_end().split(separator).collect())
    }

    /// Where it is; of several files, the first.
    pub fn location(&self) -> &Location {
        &self.source.location
    }

    /// What stands between its cells, where it has cells.
    pub fn delimiter(&self) -> Option<Delimiter> {
        self.format.separator()
    }

    /// What its text is written in; nothing for what is no text, or a folder of texts.
    pub fn encoding(&self) -> Option<Encoding> {
        let is_text = !self.format.kind.has_typed_columns() && !matches!(self.source.location, Location::Folder(_));
        is_text.then_some(self.source.encoding)
    }

    /// How its text is written where that is not the usual way: `semicolon-separated, Windows-1252`. Empty if it is.
    pub fn dialect(&self) -> String {
        let delimiter = self.format.is_unusual().then(|| self.format.delimiter.in_words());
        let encoding = self.encoding().filter(|encoding| *encoding != Encoding::UTF_8).map(Encoding::in_words);
        let ends = self.source.has_old_ends.then(|| "with old Mac line ends".to_owned());
        delimiter.into_iter().chain(encoding).chain(ends).collect::<Vec<_>>().join(", ")
    }
}

/// Refuses a text that is marked up, and what is no text at all.
fn refuse_no_rows(source: &Source) -> Result<()> {
    let head = source.head.as_slice();
    let begin = head.trim_ascii_start();
    let begins = |text: &str| begin.get(..text.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(text.as_bytes()));
    let page = begins("<!doctype html") || begins("<html");
    if page || (begins("<?xml") && !is_graphml(head) && !is_gpx(head)) {
        let what = if page { "a web page" } else { "an XML file" };
        return Err(Error::data(format!("this is {what}, not rows of data")).with_hint(
            "was something else downloaded than was meant? Data come as tsv, csv, jsonl or parquet, documents as a folder",
        ));
    }
    let controls = head.iter().filter(|&&byte| byte < b' ' && !matches!(byte, 9..=13)).count();
    if !source.is_binary() && controls * 20 > head.len() {
        return Err(Error::data("this is no text, but binary data of a form that is not known")
            .with_hint("data come as tsv, csv, jsonl or parquet; `throng list formats` shows what is read"));
    }
    Ok(())
}

/// Whether these are the first bytes of GraphML.
fn is_graphml(head: &[u8]) -> bool {
    let begin = head.trim_ascii_start();
    begin.starts_with(b"<") && memchr::memmem::find(&begin[..begin.len().min(4096)], b"<graphml").is_some()
}

/// Whether these are the first bytes of GPX.
fn is_gpx(head: &[u8]) -> bool {
    let begin = head.trim_ascii_start();
    begin.starts_with(b"<") && memchr::memmem::find(&begin[..begin.len().min(4096)], b"<gpx").is_some()
}

/// Whether these are the first bytes of GeoJSON: an object that says it is a feature, or has some.
fn is_geojson(head: &[u8]) -> bool {
    let begin = head.trim_ascii_start();
    let begin = &begin[..begin.len().min(4096)];
    let has = |text: &str| memchr::memmem::find(begin, text.as_bytes()).is_some();
    begin.starts_with(b"{") && (has("\"FeatureCollection\"") || (has("\"Feature\"") && has("\"geometry\"")))
}

/// Whether these are the first bytes of GML: a word and a list, after comments and a line that names the program.
fn is_gml(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(&head[..head.len().min(4096)]);
    let is_said = |line: &&str| {
        let line = line.trim_start();
        !line.is_empty() && !line.starts_with('#') && !["Creator", "Version"].iter().any(|word| line.starts_with(word))
    };
    let mut lines = text.lines().filter(is_said);
    let Some(after) = lines.next().and_then(|line| line.trim_start().strip_prefix("graph")) else { return false };
    let after = after.trim_start();
    after.starts_with('[') || (after.is_empty() && lines.next().is_some_and(|line| line.trim_start().starts_with('[')))
}

/// What the user said, else what the bytes say, else what the name says.
fn recognise_format(source: &Source, options: &ReadOptions) -> Result<Format> {
    let head = source.head.as_slice();
    // Excel's first line goes before what the other lines look like.
    let said = options.delimiter.or(source.excel);
    let (by_bytes, delimiter) = match said {
        _ if head.starts_with(b"PAR1") => (FormatKind::Parquet, Delimiter::COMMA),
        _ if arrow_stream::begins(head) => (FormatKind::Arrow, Delimiter::COMMA),
        Some(said) => (of_cells(said, by_name(source)), said),
        None if is_graphml(head) => (FormatKind::GraphMl, Delimiter::COMMA),
        None if is_gml(head) => (FormatKind::Gml, Delimiter::COMMA),
        None if is_gpx(head) => (FormatKind::Points(PointsForm::Gpx), Delimiter::COMMA),
        None if is_geojson(head) => (FormatKind::Points(PointsForm::GeoJson), Delimiter::COMMA),
        None if first_line(head).trim_ascii().eq_ignore_ascii_case(b"Geolife trajectory") => {
            (FormatKind::Points(PointsForm::Plt), Delimiter::COMMA)
        }
        // What is called so, and does not begin as it should, is refused by its reader.
        None if let Some(kind @ FormatKind::Points(_)) = by_name(source) => (kind, Delimiter::COMMA),
        None if options.log_format.is_some() => (FormatKind::Log(LogName::Any), Delimiter::COMMA),
        None if first_line(head).trim_ascii_start().starts_with(b"{") => (FormatKind::JsonLines, Delimiter::COMMA),
        None if visits::looks_like_log(head) => (FormatKind::Log(LogName::Any), Delimiter::COMMA),
        None => of_lines(source),
    };
    let kind = options.format.map_or(by_bytes, |format| format.kind);
    let problem = match kind {
        FormatKind::Tsv if delimiter != Delimiter::TAB => "tsv is separated by tabs",
        FormatKind::Tsv | FormatKind::Csv => "",
        FormatKind::JsonLines
        | FormatKind::Parquet
        | FormatKind::Arrow
        | FormatKind::Fimi
        | FormatKind::Log(_)
        | FormatKind::GraphMl
        | FormatKind::Gml
        | FormatKind::Points(_) => "the file has no cells",
    };
    if options.delimiter.is_some() && !problem.is_empty() {
        return Err(Error::parameter("delimiter", format!("says what stands between cells, but {problem}"))
            .with_hint("leave it out, or say that the format is csv"));
    }
    let usual = Format::new(kind, source.compression);
    Ok(if kind == FormatKind::Csv { Format { delimiter, ..usual } } else { usual })
}

fn by_name(source: &Source) -> Option<FormatKind> {
    match &source.location {
        Location::File(path) => Format::of_path(path).map(|format| format.kind),
        Location::Stdin | Location::Held(_) | Location::Frame(_) | Location::Folder(_) | Location::Several(_) => None,
    }
}

/// The format of cells, given what its name promises: in a file that is called CSV, quotes mean what they mean there.
fn of_cells(delimiter: Delimiter, by_name: Option<FormatKind>) -> FormatKind {
    if delimiter == Delimiter::TAB && by_name != Some(FormatKind::Csv) { FormatKind::Tsv } else { FormatKind::Csv }
}

/// The format of lines of text, and what stands between their cells.
fn of_lines(source: &Source) -> (FormatKind, Delimiter) {
    let head = source.head.as_slice();
    let (by_name, first) = (by_name(source), first_line(head));
    let is_text_file = matches!(&source.location, Location::File(path) if is_text(path));
    let (found, is_even) = match Delimiter::sniff(head) {
        // A tab is hardly ever part of a cell.
        _ if by_name != Some(FormatKind::Csv) && first.contains(&b'\t') => {
            (Delimiter::TAB, Delimiter::TAB.is_even(head))
        }
        Some(found) => (found, found.is_even(head)),
        None => (Delimiter::COMMA, false),
    };
    // A sign in a line of words makes cells of it only if it does so in all lines alike; commas and tabs always do.
    let is_usual = by_name != Some(FormatKind::Fimi) && matches!(found, Delimiter::COMMA | Delimiter::TAB);
    let is_cells = first.contains(&found.byte()) && (is_usual || is_even || !first.contains(&b' '));
    let kind = match by_name {
        Some(kind @ (FormatKind::Csv | FormatKind::JsonLines)) => kind,
        _ if is_cells => of_cells(found, by_name),
        Some(FormatKind::Tsv) if !is_text_file => FormatKind::Tsv,
        _ => FormatKind::Fimi,
    };
    (kind, found)
}

/// Whether a file is called a text, and nothing more.
fn is_text(path: &Path) -> bool {
    let name = path.to_string_lossy().to_ascii_lowercase();
    name.trim_end_matches(".gz").trim_end_matches(".zst").ends_with(".txt")
}
