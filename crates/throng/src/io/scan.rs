//! Driving a reader over a file: blocks in parallel, results in order, bad lines by the book.

use std::sync::mpsc;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use throng_core::data::time::TimeStyle;
use throng_core::progress::Progress;
use throng_core::{Error, Kind, Result};

use super::columns::{ColumnChoice, Role};
use super::documents::DocumentRole;
use super::kind::Opened;
use super::rows::Told;
use super::source::{Event, Source};
use super::uncompared::Uncompared;
use super::{Compression, Format};
use super::{FormatKind, Layout, Location, Row, delimited, json_lines, parquet};

/// What to do with a malformed line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
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
    /// Overrules what kind of data it looks like.
    pub kind: Option<Kind>,
    /// Columns chosen by the user; of baskets, the person's.
    pub columns: Vec<ColumnChoice>,
    /// The column of baskets that holds the item or the items.
    pub item_column: Option<String>,
    /// The columns of documents that were chosen.
    pub document_columns: Vec<(DocumentRole, String)>,
    /// What to do with malformed lines.
    pub bad_lines: BadLines,
    /// How many blocks of text are read at once, if not as many as threads can use.
    pub at_once: Option<usize>,
}

impl ReadOptions {
    /// Takes `role=name`: a role of a query log, `person` or `item` of baskets, or a role of documents.
    pub fn choose_column(&mut self, text: &str) -> Result<()> {
        let (role, name) = text.split_once('=').unwrap_or((text, ""));
        match (role, DocumentRole::parse(role)) {
            ("item" | "items", _) if text.contains('=') => self.item_column = Some(name.to_owned()),
            ("person", _) if text.contains('=') => {
                self.columns.push(ColumnChoice { role: Role::User, name: name.to_owned() });
            }
            (_, Some(role)) if text.contains('=') => self.document_columns.push((role, name.to_owned())),
            _ => self.columns.push(ColumnChoice::parse(text)?),
        }
        Ok(())
    }
}

impl ReadOptions {
    /// Refuses columns that only documents have.
    pub(super) fn refuse_document_columns(&self, who: &str) -> Result<()> {
        let Some((role, _)) = self.document_columns.first() else { return Ok(()) };
        Err(Error::parameter("column", format!("names the {}, which {who} not have", role.name()))
            .with_hint("only documents have it: `--kind documents`"))
    }
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
    /// What the file holds beside its rows, which no model compares; a release has none of it.
    pub uncompared: Vec<String>,
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
    /// Times with digits beyond the nanoseconds.
    finer: u64,
    /// The first malformed line, counted from 1 in the block, if such lines stop the run.
    pub(super) error: Option<Error>,
}

impl<P> BlockResult<P> {
    pub(super) fn new(part: P) -> Self {
        Self { part, lines: 0, rows: 0, refused: 0, style: None, finer: 0, error: None }
    }

    /// Notes a malformed line. Whether reading goes on.
    pub(super) fn bad_line(&mut self, error: Error, line: u64, policy: BadLines) -> bool {
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
        row: Result<(Row<'_>, Told)>,
        line: u64,
        consumer: &C,
        policy: BadLines,
    ) -> bool {
        match row {
            Ok((row, told)) => {
                if self.style != Some(told.style) {
                    self.style = merge(self.style, Some(told.style));
                }
                self.finer += u64::from(told.is_finer);
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
    finer: u64,
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
        self.finer += block.finer;
        Ok((block.part, before))
    }

    /// How many rows were read, and how many malformed lines left out.
    pub(super) fn counts(&self) -> Result<(u64, u64)> {
        if self.rows == 0 {
            let problem = if self.refused > 0 { "no line of the file could be read" } else { "the file has no rows" };
            return Err(Error::data(problem).with_hint("there is nobody to protect in it"));
        }
        Ok((self.rows, self.refused))
    }

    /// What was learned of the file, given how it writes its rows.
    pub(super) fn finish(
        self,
        format: Format,
        uncompared: &Uncompared,
        layout: impl FnOnce(Option<TimeStyle>) -> Layout,
    ) -> Result<Scanned> {
        let (rows, refused) = self.counts()?;
        uncompared.note_many("a time with digits beyond the nanoseconds", self.finer);
        Ok(Scanned { format, layout: layout(self.style), rows, refused, uncompared: uncompared.sentences() })
    }
}

/// Reads a file into a consumer, as a query log whatever it looks like.
pub(super) fn scan<C: Consumer>(
    location: &Location,
    options: &ReadOptions,
    consumer: &mut C,
    progress: &dyn Progress,
) -> Result<Scanned> {
    let options = ReadOptions { kind: Some(Kind::Queries), ..options.clone() };
    scan_opened(Opened::open(location, &options)?, &options, consumer, progress)
}

/// Reads a file that is open already into a consumer.
pub(super) fn scan_opened<C: Consumer>(
    opened: Opened,
    options: &ReadOptions,
    consumer: &mut C,
    progress: &dyn Progress,
) -> Result<Scanned> {
    let Opened { source, format, .. } = opened;
    let location = source.location.clone();
    let named = |error: Error| error.in_file(location.to_string());
    options.refuse_document_columns("a query log does")?;
    if options.item_column.is_some() {
        return Err(Error::parameter("column", "names the item, which a query log does not have")
            .with_hint("the roles of a query log are user, query, time, rank and url; baskets are `--kind baskets`"));
    }
    if format.kind == FormatKind::Parquet {
        return parquet::scan(source, options, consumer, progress).map_err(named);
    }
    refuse_parquet(&source).map_err(named)?;
    stage(&source, progress);
    match format.kind {
        FormatKind::JsonLines => {
            let reader = json_lines::Reader::new(&source.head, options).map_err(named)?;
            scan_blocks(source, format, 0, &reader, options.bad_lines, consumer, progress)
        }
        FormatKind::Fimi => Err(Error::data("a file with one basket a line is no query log")
            .with_hint("leave out `--kind queries`, or name the format with `--format`")),
        FormatKind::Tsv | FormatKind::Csv | FormatKind::Parquet => {
            let (reader, skip) = delimited::Reader::new(&source.head, format.kind, options).map_err(named)?;
            scan_blocks(source, format, skip, &reader, options.bad_lines, consumer, progress)
        }
    }
    .map_err(named)
}

/// Refuses a Parquet file that is to be read as text.
pub(super) fn refuse_parquet(source: &Source) -> Result<()> {
    if source.head.starts_with(b"PAR1") {
        return Err(Error::data("this is a Parquet file, not text")
            .with_hint("leave out `--format` (in protect, `--input-format`): throng sees what it is"));
    }
    Ok(())
}

/// Says that a file is being read, and how long it is if that is known.
pub(super) fn stage(source: &Source, progress: &dyn Progress) {
    let total = match (&source.location, source.compression) {
        (Location::File(path), Compression::None) => std::fs::metadata(path).map_or(0, |metadata| metadata.len()),
        _ => 0,
    };
    progress.stage("reading", total);
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
    let uncompared = source.uncompared.clone();
    let totals = read_blocks(source, format.kind, skip, policy, &mut Rows { reader, consumer }, progress)?;
    totals.finish(format, &uncompared, |style| reader.layout(style))
}

/// Makes something of the blocks of a file.
pub(super) trait BlockConsumer: Sync {
    /// What one block becomes.
    type Part: Send;
    /// An empty part.
    fn part(&self) -> Self::Part;
    /// Reads a block whose records are whole.
    fn read(&self, block: &[u8], policy: BadLines) -> BlockResult<Self::Part>;
    /// Takes parts in the order of the file, each with the number of lines before it.
    fn absorb(&mut self, parts: Vec<(Self::Part, u64)>);
}

/// A consumer of rows, with the reader that makes them.
struct Rows<'a, R, C> {
    reader: &'a R,
    consumer: &'a mut C,
}

impl<R: LineReader, C: Consumer> BlockConsumer for Rows<'_, R, C> {
    type Part = C::Part;

    fn part(&self) -> C::Part {
        self.consumer.part()
    }

    fn read(&self, block: &[u8], policy: BadLines) -> BlockResult<C::Part> {
        self.reader.read(block, self.consumer, policy)
    }

    fn absorb(&mut self, parts: Vec<(C::Part, u64)>) {
        self.consumer.absorb(parts);
    }
}

/// Reads a text file block by block, in parallel, after `skip` bytes of it.
pub(super) fn read_blocks<B: BlockConsumer>(
    source: Source,
    kind: FormatKind,
    skip: usize,
    policy: BadLines,
    consumer: &mut B,
    progress: &dyn Progress,
) -> Result<Totals> {
    // The header, if it was skipped, is the first line.
    let lines = u64::from(skip > 0 && memchr::memchr(b'\n', &source.head[..skip]).is_some());
    let mut totals = Totals { lines, ..Totals::default() };
    progress.advance(skip as u64);
    // As many blocks as are read at once wait for their turn.
    let batch = source.at_once;
    let blocks = source.into_blocks(skip, kind);
    let stopper = blocks.stopper();
    std::thread::scope(|scope| {
        // Dropped at the end of this, also after an error.
        let _stopper = stopper;
        let (sender, receiver) = mpsc::sync_channel(batch);
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
            while events.len() < batch
                && let Ok(event) = receiver.try_recv()
            {
                events.push(event);
            }
            let shared: &B = consumer;
            let results: Vec<_> = events
                .into_par_iter()
                .with_max_len(1)
                .map(|event| match event {
                    Event::Block(block) => {
                        let result = shared.read(&block, policy);
                        progress.advance(block.len() as u64);
                        Ok(result)
                    }
                    Event::TooLong => {
                        let mut result = BlockResult::new(shared.part());
                        result.lines = 1;
                        let limit = super::LONGEST_LINE >> 20;
                        let error = Error::data(format!("the line is longer than {limit} MiB"))
                            .with_hint("is this text in lines? `--bad-lines skip` leaves such lines out");
                        result.bad_line(error, 1, policy);
                        Ok(result)
                    }
                    Event::Failed(error) => Err(error),
                })
                .collect();
            progress.go_on()?;
            let parts = results.into_iter().map(|result| totals.add(result?)).collect::<Result<_>>()?;
            consumer.absorb(parts);
        }
        Ok(totals)
    })
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, repeat};

    use super::super::baskets::read_opened_baskets;
    use super::super::digests::read_opened_digests;
    use super::*;
    use throng_core::Rng;
    use throng_core::progress::Silent;

    /// A line that never ends is refused where it becomes too long: what comes after it is not waited for.
    #[test]
    fn a_line_without_an_end() {
        for (name, first) in [
            ("tsv", &b"AnonID\tQuery\tQueryTime\n1\t"[..]),
            ("csv", b"user,query,time\n1,\""),
            ("jsonl", b"{\"user\":1,\"query\":\"x\",\"time\":1149116452}\n{\"user\":"),
        ] {
            let source = Source::from_raw(&Location::Stdin, Box::new(first.chain(repeat(b'0')))).unwrap();
            let opened = Opened { source, format: Format::parse(name).unwrap(), kind: Kind::Queries };
            let read = read_opened_digests(opened, &ReadOptions::default(), &mut Rng::seeded(1), &Silent);
            let error = read.unwrap_err();
            assert_eq!(error.to_string(), "the line is longer than 16 MiB", "{name}");
            assert_eq!(error.place().and_then(|place| place.line), Some(2), "{name}");
        }
        let source = Source::from_raw(&Location::Stdin, Box::new((&b"1 2\n"[..]).chain(repeat(b'0')))).unwrap();
        let opened = Opened { source, format: Format::parse("fimi").unwrap(), kind: Kind::Baskets };
        let error = read_opened_baskets(opened, &ReadOptions::default(), &Silent).unwrap_err();
        assert_eq!(error.to_string(), "the line is longer than 16 MiB");
    }
}
