//! Driving a reader over a file: blocks in parallel, results in order, bad lines by the book.

use std::sync::mpsc;

use rayon::prelude::*;
use throng_core::data::time::TimeStyle;
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::columns::ColumnChoice;
use super::source::{Event, Source};
use super::{Compression, Format};
use super::{FormatKind, Layout, Location, Row, delimited, json_lines, parquet};

/// What to do with a malformed line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BadLines {
    /// Stop.
    #[default]
    Fail,
    /// Leave it out and count it.
    Skip,
}

/// How to read a file.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// Overrules what the file looks like.
    pub format: Option<Format>,
    /// Columns chosen by the user.
    pub columns: Vec<ColumnChoice>,
    /// What to do with malformed lines.
    pub bad_lines: BadLines,
}

/// What was learned of a file while reading it.
#[derive(Debug, Clone)]
pub struct Scanned {
    /// Its format.
    pub format: Format,
    /// How it writes its rows.
    pub layout: Layout,
    /// The number of rows that were read.
    pub rows: u64,
    /// The number of malformed lines that were left out.
    pub refused: u64,
}

/// Makes something of the rows of a file. Parts see blocks; the whole takes the parts in the order of the file.
pub(super) trait Consumer: Sync {
    /// What one block becomes.
    type Part: Send;
    /// Whether rows should come with what has no role.
    fn wants_rest(&self) -> bool {
        false
    }
    /// An empty part.
    fn part(&self) -> Self::Part;
    /// Takes a row at a line of the block, counted from 1.
    fn row(&self, part: &mut Self::Part, row: &Row<'_>, line: u64);
    /// Takes parts in the order of the file, each with the number of lines before it.
    fn absorb(&mut self, parts: Vec<(Self::Part, u64)>);
}

/// What became of a block.
pub(super) struct BlockResult<P> {
    pub(super) part: P,
    pub(super) lines: u64,
    pub(super) rows: u64,
    pub(super) refused: u64,
    pub(super) style: Option<TimeStyle>,
    /// The first malformed line, counted from 1 in the block, if such lines stop the run.
    pub(super) error: Option<Error>,
}

impl<P> BlockResult<P> {
    pub(super) fn new(part: P) -> Self {
        Self { part, lines: 0, rows: 0, refused: 0, style: None, error: None }
    }

    /// Notes a malformed line. Whether reading goes on.
    fn bad_line(&mut self, error: Error, line: u64, policy: BadLines) -> bool {
        match policy {
            BadLines::Skip => {
                self.refused += 1;
                true
            }
            BadLines::Fail => {
                self.error = Some(error.at_line(line));
                false
            }
        }
    }

    /// Takes a line, malformed or not. Whether reading goes on.
    #[inline]
    pub(super) fn take<C: Consumer<Part = P>>(
        &mut self,
        row: Result<(Row<'_>, TimeStyle)>,
        line: u64,
        consumer: &C,
        policy: BadLines,
    ) -> bool {
        match row {
            Ok((row, style)) => {
                if self.style != Some(style) {
                    self.style = merge(self.style, Some(style));
                }
                self.rows += 1;
                consumer.row(&mut self.part, &row, line);
                true
            }
            Err(error) => self.bad_line(error, line, policy),
        }
    }
}

fn merge(known: Option<TimeStyle>, other: Option<TimeStyle>) -> Option<TimeStyle> {
    match (known, other) {
        (Some(known), Some(other)) => Some(known.merge(other)),
        _ => known.or(other),
    }
}

/// What was read of a file so far.
#[derive(Default)]
pub(super) struct Totals {
    lines: u64,
    rows: u64,
    refused: u64,
    style: Option<TimeStyle>,
}

impl Totals {
    /// Adds a block. Gives its part with the number of lines before it, or its malformed line.
    pub(super) fn add<P>(&mut self, block: BlockResult<P>) -> Result<(P, u64)> {
        let before = self.lines;
        if let Some(error) = block.error {
            let line = error.place().and_then(|place| place.line).unwrap_or(1);
            return Err(error.at_line(before + line));
        }
        self.style = merge(self.style, block.style);
        self.lines += block.lines;
        self.rows += block.rows;
        self.refused += block.refused;
        Ok((block.part, before))
    }

    /// What was learned of the file, given how it writes its rows.
    pub(super) fn finish(self, format: Format, layout: impl FnOnce(Option<TimeStyle>) -> Layout) -> Result<Scanned> {
        if self.rows == 0 {
            let problem = if self.refused > 0 { "no line of the file could be read" } else { "the file has no rows" };
            return Err(Error::data(problem).with_hint("there is nobody to protect in it"));
        }
        Ok(Scanned { format, layout: layout(self.style), rows: self.rows, refused: self.refused })
    }
}

/// Reads a file into a consumer.
pub(super) fn scan<C: Consumer>(
    location: &Location,
    options: &ReadOptions,
    consumer: &mut C,
    progress: &dyn Progress,
) -> Result<Scanned> {
    let source = Source::open(location)?;
    let format = recognise(&source, options);
    let named = |error: Error| error.in_file(location.to_string());
    if format.kind == FormatKind::Parquet {
        return parquet::scan(source, options, consumer, progress).map_err(named);
    }
    if source.head.starts_with(b"PAR1") {
        return Err(named(Error::data("this is a Parquet file, not text").with_hint("leave out `--format`")));
    }
    let total = if let (Location::File(path), Compression::None) = (location, source.compression) {
        std::fs::metadata(path).map_or(0, |metadata| metadata.len())
    } else {
        0
    };
    progress.stage("reading", total);
    match format.kind {
        FormatKind::JsonLines => {
            let reader = json_lines::Reader::new(&source.head, options).map_err(named)?;
            scan_blocks(source, format, 0, &reader, options.bad_lines, consumer, progress)
        }
        FormatKind::Tsv | FormatKind::Csv | FormatKind::Parquet => {
            let (reader, skip) = delimited::Reader::new(&source.head, format.kind, options).map_err(named)?;
            scan_blocks(source, format, skip, &reader, options.bad_lines, consumer, progress)
        }
    }
    .map_err(named)
}

/// What the user said, else what the bytes say, else what the name says.
fn recognise(source: &Source, options: &ReadOptions) -> Format {
    let by_name = match &source.location {
        Location::File(path) => Format::of_path(path).map(|format| format.kind),
        Location::Stdin => None,
    };
    let head = source.head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&source.head);
    let first_line = &head[..memchr::memchr(b'\n', head).unwrap_or(head.len())];
    let kind = options.format.map(|format| format.kind).unwrap_or_else(|| {
        if head.starts_with(b"PAR1") {
            FormatKind::Parquet
        } else if first_line.trim_ascii_start().starts_with(b"{") {
            FormatKind::JsonLines
        } else if let Some(kind) = by_name
            && kind != FormatKind::Parquet
            && (kind != FormatKind::Tsv || first_line.contains(&b'\t'))
        {
            kind
        } else if first_line.contains(&b'\t') || !first_line.contains(&b',') {
            FormatKind::Tsv
        } else {
            FormatKind::Csv
        }
    });
    Format { kind, compression: source.compression }
}

/// Reads blocks of lines: something that turns bytes into rows.
pub(super) trait LineReader: Sync {
    /// Reads a block whose records are whole.
    fn read<C: Consumer>(&self, block: &[u8], consumer: &C, policy: BadLines) -> BlockResult<C::Part>;
    /// The layout, given how times were written.
    fn layout(&self, style: Option<TimeStyle>) -> Layout;
}

fn scan_blocks<C: Consumer, R: LineReader>(
    source: Source,
    format: Format,
    skip: usize,
    reader: &R,
    policy: BadLines,
    consumer: &mut C,
    progress: &dyn Progress,
) -> Result<Scanned> {
    // The header, if it was skipped, is the first line.
    let lines = u64::from(skip > 0 && memchr::memchr(b'\n', &source.head[..skip]).is_some());
    let mut totals = Totals { lines, ..Totals::default() };
    progress.advance(skip as u64);
    let threads = rayon::current_num_threads().max(1);
    let blocks = source.into_blocks(skip, format.kind);
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::sync_channel(8 * threads);
        scope.spawn(move || {
            for event in blocks {
                // Nobody listens any more after an error.
                if sender.send(event).is_err() {
                    return;
                }
            }
        });
        while let Ok(first) = receiver.recv() {
            let mut events = vec![first];
            while events.len() < 8 * threads
                && let Ok(event) = receiver.try_recv()
            {
                events.push(event);
            }
            let shared: &C = consumer;
            let results: Vec<_> = events
                .into_par_iter()
                .with_max_len(1)
                .map(|event| match event {
                    Event::Block(block) => {
                        let result = reader.read(&block, shared, policy);
                        progress.advance(block.len() as u64);
                        Ok(result)
                    }
                    Event::TooLong => {
                        let mut result = BlockResult::new(shared.part());
                        result.lines = 1;
                        let limit = super::LONGEST_LINE >> 20;
                        let error = Error::data(format!("the line is longer than {limit} MiB")).with_hint(
                            "is this a log with one search a line? `--bad-lines skip` leaves such lines out",
                        );
                        result.bad_line(error, 1, policy);
                        Ok(result)
                    }
                    Event::Failed(error) => Err(error),
                })
                .collect();
            let parts = results.into_iter().map(|result| totals.add(result?)).collect::<Result<_>>()?;
            consumer.absorb(parts);
        }
        Ok(())
    })?;
    totals.finish(format, |style| reader.layout(style))
}
