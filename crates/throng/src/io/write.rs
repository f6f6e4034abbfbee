//! What writing has in common, whatever the data: who is written, pieces of text in parallel, the hash of it, compression.

use std::io::{self, Write};

use rayon::prelude::*;
use sha2::{Digest as _, Sha256};
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::Compression;
use super::source::hex;

/// A person to be written.
#[derive(Debug, Clone, Copy)]
pub struct Person<'a> {
    /// The name to write.
    pub name: &'a str,
    /// Whose rows to write: a person of the data.
    pub person: u32,
}

/// A writer that knows the SHA-256 of what went through it.
#[derive(Debug)]
pub struct HashingWriter<W> {
    inner: W,
    hasher: Sha256,
}

impl<W: Write> HashingWriter<W> {
    /// Writes to `inner`.
    pub fn new(inner: W) -> Self {
        Self { inner, hasher: Sha256::new() }
    }

    /// The writer below, and the hash in lower-case hexadecimal.
    pub fn finish(self) -> (W, String) {
        (self.inner, hex(&self.hasher.finalize()))
    }
}

impl<W: Write> Write for HashingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.inner.write(bytes)?;
        self.hasher.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

pub(super) fn failed(cause: io::Error) -> Error {
    Error::io("write the data", cause)
}

/// Cuts persons into pieces of about this weight.
pub(super) fn cut<'p, 'a>(
    persons: &'p [Person<'a>],
    weight: usize,
    weight_of: impl Fn(&Person<'_>) -> usize,
) -> Vec<&'p [Person<'a>]> {
    let mut pieces = Vec::new();
    let (mut start, mut sum) = (0, 0);
    for (at, person) in persons.iter().enumerate() {
        sum += weight_of(person);
        if sum >= weight {
            pieces.push(&persons[start..=at]);
            (start, sum) = (at + 1, 0);
        }
    }
    if start < persons.len() {
        pieces.push(&persons[start..]);
    }
    pieces
}

/// A text that is written in pieces: formatted and compressed in parallel, written in their order.
pub(super) struct Pieces<'a, W: Write + Send> {
    out: &'a mut W,
    compression: Compression,
    /// What comes first, while it is not yet written.
    first: Option<Vec<u8>>,
}

impl<'a, W: Write + Send> Pieces<'a, W> {
    pub(super) fn new(out: &'a mut W, compression: Compression, first: Vec<u8>) -> Self {
        Self { out, compression, first: Some(first) }
    }

    /// Writes pieces; `weigh` says how much of the work each is.
    pub(super) fn append<P: Sync>(
        &mut self,
        pieces: &[P],
        weigh: impl Fn(&P) -> u64,
        format: impl Fn(&P, &mut Vec<u8>) -> Result<()> + Sync,
        progress: &dyn Progress,
    ) -> Result<()> {
        let compression = self.compression;
        // Some pieces at a time, so that formatted ones do not pile up; those before are written meanwhile.
        let mut formatted: Vec<Result<Vec<u8>>> = Vec::new();
        for batch in pieces.chunks(4 * rayon::current_num_threads().max(1)) {
            progress.go_on()?;
            let first = self.first.take().unwrap_or_default();
            let format_piece = |(at, piece): (usize, &P)| {
                let mut text = if at == 0 { first.clone() } else { Vec::new() };
                format(piece, &mut text)?;
                compress(text, compression).map_err(failed)
            };
            let (next, written) = rayon::join(
                || batch.par_iter().with_max_len(1).enumerate().map(format_piece).collect(),
                || write_all(self.out, std::mem::take(&mut formatted)),
            );
            written?;
            formatted = next;
            progress.advance(batch.iter().map(&weigh).sum());
        }
        write_all(self.out, formatted)
    }

    /// Ends the text, with what comes last.
    pub(super) fn finish(mut self, last: Vec<u8>) -> Result<()> {
        let is_empty = last.is_empty() && self.first.is_none();
        let mut rest = self.first.take().unwrap_or_default();
        rest.extend(last);
        if !is_empty {
            self.out.write_all(&compress(rest, self.compression).map_err(failed)?).map_err(failed)?;
        }
        self.out.flush().map_err(failed)
    }
}

fn write_all(out: &mut impl Write, texts: Vec<Result<Vec<u8>>>) -> Result<()> {
    texts.into_iter().try_for_each(|text| out.write_all(&text?).map_err(failed))
}

/// A JSON string.
pub(super) fn push_json(text: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(serde_json::Value::from(text).to_string().as_bytes());
}

/// A JSON string, or a number where ids or items were numbers and this one still is.
pub(super) fn push_typed(text: &str, is_typed: bool, out: &mut Vec<u8>) {
    if is_typed && text.parse::<i64>().is_ok_and(|number| number.to_string() == text) {
        out.extend_from_slice(text.as_bytes());
    } else {
        push_json(text, out);
    }
}

pub(super) fn compress(text: Vec<u8>, compression: Compression) -> io::Result<Vec<u8>> {
    match compression {
        Compression::None => Ok(text),
        Compression::Gzip => {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(6));
            encoder.write_all(&text)?;
            encoder.finish()
        }
        Compression::Zstd => zstd::stream::encode_all(text.as_slice(), 3),
        Compression::Bzip2 => {
            let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::new(6));
            encoder.write_all(&text)?;
            encoder.finish()
        }
    }
}

/// A writer that ends what it has begun.
pub(crate) trait Finish: Write {
    /// Writes what is left.
    fn end(self: Box<Self>) -> std::io::Result<()>;
}

impl Finish for &mut (dyn Write + Send) {
    fn end(mut self: Box<Self>) -> std::io::Result<()> {
        self.flush()
    }
}

impl<W: Write> Finish for flate2::write::GzEncoder<W> {
    fn end(self: Box<Self>) -> std::io::Result<()> {
        self.finish().map(drop)
    }
}

impl<W: Write> Finish for zstd::stream::write::Encoder<'_, W> {
    fn end(self: Box<Self>) -> std::io::Result<()> {
        self.finish().map(drop)
    }
}

impl<W: Write> Finish for bzip2::write::BzEncoder<W> {
    fn end(self: Box<Self>) -> std::io::Result<()> {
        self.finish().map(drop)
    }
}

/// A writer that compresses as it goes.
pub(crate) fn compressed<'w>(
    out: &'w mut (dyn Write + Send),
    compression: Compression,
) -> std::io::Result<Box<dyn Finish + Send + 'w>> {
    Ok(match compression {
        Compression::None => Box::new(out),
        Compression::Gzip => Box::new(flate2::write::GzEncoder::new(out, flate2::Compression::new(6))),
        Compression::Zstd => Box::new(zstd::stream::write::Encoder::new(out, 3)?),
        Compression::Bzip2 => Box::new(bzip2::write::BzEncoder::new(out, bzip2::Compression::new(6))),
    })
}
