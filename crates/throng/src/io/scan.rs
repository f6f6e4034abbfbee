//! Driving a reader over a file: blocks in parallel, results in order, bad lines by the book.

use std::path::PathBuf;
use std::sync::mpsc;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::encoding::Encoding;
use super::roles::ColumnChoice;
use super::source::{Event, Source};
use super::{Compression, Delimiter, Format, Location};

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
    /// What stands between cells, if it is not what it looks like.
    pub delimiter: Option<Delimiter>,
    /// What the text is written in, if it is not what it looks like.
    pub encoding: Option<Encoding>,
    /// Whether the first line is a row, so that columns have numbers for names.
    pub no_header: bool,
    /// Which column holds what; guessed where nothing is said.
    pub columns: Vec<ColumnChoice>,
    /// What to do with malformed lines.
    pub bad_lines: BadLines,
    /// How times are written, if it is not to be found out.
    pub time_format: Option<String>,
    /// The zone that times are local in, by its IANA name.
    pub time_zone: Option<String>,
    /// The form of the lines of an access log, by its name or as a directive of Apache or nginx, if it is not to be found out.
    pub log_format: Option<String>,
    /// How many bits of an IPv6 address tell visitors apart, if not as many as usual.
    pub ipv6_prefix: Option<u8>,
    /// How long a pause inside a session may be, in seconds, if not as long as usual.
    pub timeout: Option<u64>,
    /// The table that says where the cells of a telephone network are.
    pub cells: Option<PathBuf>,
    /// How many rows are kept as they were read, to be shown.
    pub rows: Option<usize>,
    /// Whether a row of a table may lack cells at its end, which are empty then.
    pub fills_short_lines: bool,
    /// Whether this is only a part of the file: what the whole would decide is left open.
    pub is_sample: bool,
    /// How many blocks of text are read at once, if not as many as threads can use.
    pub at_once: Option<usize>,
}

impl ReadOptions {
    /// Takes `role=name`.
    pub fn choose_column(&mut self, text: &str) -> Result<()> {
        self.columns.push(ColumnChoice::parse(text)?);
        Ok(())
    }
}

/// What became of a block.
pub(super) struct BlockResult<P> {
    pub(super) part: P,
    pub(super) lines: u64,
    pub(super) rows: u64,
    pub(super) refused: u64,
    /// The first malformed line, counted from 1 in the block, if such lines stop the run.
    pub(super) error: Option<Error>,
}

impl<P> BlockResult<P> {
    pub(super) fn new(part: P) -> Self {
        Self { part, lines: 0, rows: 0, refused: 0, error: None }
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
}

/// What was read of a file so far.
#[derive(Default)]
pub(super) struct Totals {
    /// All lines, with the header and those that are empty.
    pub(super) lines: u64,
    rows: u64,
    refused: u64,
}

impl Totals {
    /// Adds a block. Gives its part with the number of lines before it, or its malformed line.
    pub(super) fn add<P>(&mut self, block: BlockResult<P>) -> Result<(P, u64)> {
        let before = self.lines;
        if let Some(error) = block.error {
            let line = error.place().and_then(|place| place.line).unwrap_or(1);
            return Err(error.at_line(before + line));
        }
        self.lines += block.lines;
        self.rows += block.rows;
        self.refused += block.refused;
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
}

/// Refuses a Parquet file that is to be read as text.
pub(super) fn refuse_parquet(source: &Source) -> Result<()> {
    if source.is_binary() {
        let what = if source.head.starts_with(b"PAR1") { "a Parquet file" } else { "an Arrow stream" };
        return Err(Error::data(format!("this is {what}, not text"))
            .with_hint("leave out `--format` (in protect, `--input-format`): throng sees what it is"));
    }
    Ok(())
}

/// Says that a file is being read, and how long it is if that is known.
pub(super) fn stage(source: &Source, progress: &dyn Progress) {
    let total = match (&source.location, source.compression) {
        (Location::File(path), Compression::None) if source.encoding == Encoding::UTF_8 => {
            std::fs::metadata(path).map_or(0, |metadata| metadata.len())
        }
        _ => 0,
    };
    progress.stage("reading", total);
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

/// Reads a text file block by block, in parallel, after `skip` bytes of it.
pub(super) fn read_blocks<B: BlockConsumer>(
    source: Source,
    format: Format,
    skip: usize,
    policy: BadLines,
    consumer: &mut B,
    progress: &dyn Progress,
) -> Result<Totals> {
    // The header, if it was skipped, is a line too.
    let lines = source.lines_before() + memchr::memchr_iter(b'\n', &source.head[..skip]).count() as u64;
    let mut totals = Totals { lines, ..Totals::default() };
    progress.advance(skip as u64);
    // As many blocks as are read at once wait for their turn.
    let (batch, is_whole) = (source.at_once, source.is_whole);
    let blocks = source.into_blocks(skip, format);
    if is_whole {
        // What the first look has read to its end is not worth a thread.
        for event in blocks {
            let result = read_event(event, consumer, policy, progress)?;
            progress.go_on()?;
            consumer.absorb(vec![totals.add(result)?]);
        }
        return Ok(totals);
    }
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
            let read = |event| read_event(event, shared, policy, progress);
            let results: Vec<_> = events.into_par_iter().with_max_len(1).map(read).collect();
            progress.go_on()?;
            let parts = results.into_iter().map(|result| totals.add(result?)).collect::<Result<_>>()?;
            consumer.absorb(parts);
        }
        Ok(totals)
    })
}

/// What was read of a file in its order: the totals, and what each block became, with the number of lines before it.
type InOrder<P> = (Totals, Vec<(P, u64)>);

/// Reads a text file block by block, one after the other, where a line says what those after it mean.
pub(super) fn read_in_order<P>(
    source: Source,
    format: Format,
    mut read: impl FnMut(&[u8]) -> BlockResult<P>,
    progress: &dyn Progress,
) -> Result<InOrder<P>> {
    let mut totals = Totals { lines: source.lines_before(), ..Totals::default() };
    let mut parts = Vec::new();
    for event in source.into_blocks(0, format) {
        let result = match event {
            Event::Block(block) => {
                progress.advance(block.len() as u64);
                read(&block)
            }
            Event::TooLong => return Err(too_long().at_line(totals.lines + 1)),
            Event::Failed(error) => return Err(error),
        };
        progress.go_on()?;
        parts.push(totals.add(result)?);
    }
    Ok((totals, parts))
}

/// The error for a line above the limit.
fn too_long() -> Error {
    let limit = super::LONGEST_LINE >> 20;
    Error::data(format!("the line is longer than {limit} MiB"))
        .with_hint("is this text in lines? `--bad-lines skip` leaves such lines out")
}

fn read_event<B: BlockConsumer>(
    event: Event,
    consumer: &B,
    policy: BadLines,
    progress: &dyn Progress,
) -> Result<BlockResult<B::Part>> {
    match event {
        Event::Block(block) => {
            let result = consumer.read(&block, policy);
            progress.advance(block.len() as u64);
            Ok(result)
        }
        Event::TooLong => {
            let mut result = BlockResult::new(consumer.part());
            result.lines = 1;
            result.bad_line(too_long(), 1, policy);
            Ok(result)
        }
        Event::Failed(error) => Err(error),
    }
}
