//! Lists of edges without names: two ids a line with blanks, tabs, commas or semicolons between, and comments, as SNAP has them.

use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::super::fields::not_utf8;
use super::super::scan::{self, BadLines, BlockConsumer, BlockResult};
use super::super::uncompared::Uncompared;
use super::super::{Delimiter, Format, FormatKind, Opened};
use super::{Block, EDGE_ROLES, Edges};

/// What was learned of a list.
pub(super) struct Found {
    pub(super) lines: u64,
    pub(super) refused: u64,
    /// The most values that a line has.
    pub(super) width: usize,
    pub(super) uncompared: Uncompared,
}

/// Reads a list.
pub(super) fn read(opened: Opened, policy: BadLines, edges: &mut Edges, progress: &dyn Progress) -> Result<Found> {
    let source = opened.source;
    scan::refuse_parquet(&source)?;
    scan::stage(&source, progress);
    let uncompared = source.uncompared.clone();
    let format = Format { kind: FormatKind::Fimi, compression: source.compression, delimiter: Delimiter::COMMA };
    let before = edges.pairs.len();
    let mut list = List { edges, width: 0, comments: 0 };
    let totals = scan::read_blocks(source, format, 0, policy, &mut list, progress)?;
    let List { width, comments, edges } = list;
    uncompared.note_many("a comment line", comments);
    // A list of nothing but comments is a graph without edges.
    let refused = match totals.counts() {
        Ok((_, refused)) => refused,
        Err(_) if edges.pairs.len() == before && policy == BadLines::Fail => 0,
        Err(error) => return Err(error),
    };
    Ok(Found { lines: totals.lines, refused, width, uncompared })
}

struct List<'a> {
    edges: &'a mut Edges,
    width: usize,
    comments: u64,
}

impl BlockConsumer for List<'_> {
    type Part = Block;

    fn part(&self) -> Block {
        Block::default()
    }

    fn read(&self, block: &[u8], policy: BadLines) -> BlockResult<Block> {
        let mut result = BlockResult::new(Block::default());
        for line in block.split_inclusive(|&byte| byte == b'\n') {
            result.lines += 1;
            let number = result.lines;
            let line = line.trim_ascii();
            if line.is_empty() {
                continue;
            }
            if line.starts_with(b"#") || line.starts_with(b"%") {
                result.part.comments += 1;
                continue;
            }
            let row = row(line, &mut result.part, number);
            if !result.take(row, number, policy) {
                break;
            }
        }
        result
    }

    fn absorb(&mut self, parts: Vec<(Block, u64)>) {
        for (block, before) in parts {
            self.width = self.width.max(block.width);
            self.comments += block.comments;
            self.edges.take(block, before);
        }
    }
}

fn row(line: &[u8], block: &mut Block, number: u64) -> Result<()> {
    let line = std::str::from_utf8(line).map_err(|_| not_utf8())?;
    if line.contains('"') {
        return Err(Error::data("a list of edges without names has no quotes")
            .with_hint("give its columns names, `source,target`, or say `--column source=1 target=2 --no-header`"));
    }
    let mut words =
        line.split(|c: char| c.is_ascii_whitespace() || matches!(c, ',' | ';')).filter(|word| !word.is_empty());
    let (Some(source), Some(target)) = (words.next(), words.next()) else {
        return Err(Error::data("the line has one value, and an edge has two ends")
            .with_hint("`--bad-lines skip` leaves such lines out and counts them"));
    };
    // Names above them, with blanks between.
    if number == 1 && block.edges.is_empty() && EDGE_ROLES.are_named(&[source, target]) && words.clone().count() <= 2 {
        block.width = block.width.max(2);
        return Ok(());
    }
    block.width = block.width.max(2 + words.count());
    block.edge(source, target, number);
    Ok(())
}
