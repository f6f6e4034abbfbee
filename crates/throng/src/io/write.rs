//! What writing has in common, whatever the data: who is written, the hash of it, compression.

use std::io::{self, Write};

use ::parquet::basic::{Compression as ParquetCompression, ZstdLevel};
use ::parquet::file::properties::WriterProperties;
use sha2::{Digest as _, Sha256};
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

/// How Parquet files are written.
pub(super) fn parquet_properties() -> Result<WriterProperties> {
    let compression = ParquetCompression::ZSTD(ZstdLevel::try_new(3).map_err(parquet_failed)?);
    let builder = WriterProperties::builder().set_compression(compression);
    Ok(builder.set_created_by(format!("throng {}", env!("CARGO_PKG_VERSION"))).build())
}

pub(super) fn failed(cause: io::Error) -> Error {
    Error::io("write the data", cause)
}

/// The library wraps the cause of a failed write; without it a full disk would look like a damaged file.
pub(super) fn parquet_failed(cause: ::parquet::errors::ParquetError) -> Error {
    match cause {
        ::parquet::errors::ParquetError::External(cause) => match cause.downcast::<io::Error>() {
            Ok(cause) => failed(*cause),
            Err(cause) => failed(io::Error::other(cause)),
        },
        cause => failed(io::Error::other(cause)),
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

/// A writer that compresses as it goes.
pub(crate) fn compressed<'w>(
    out: &'w mut (dyn Write + Send),
    compression: Compression,
) -> std::io::Result<Box<dyn Finish + 'w>> {
    Ok(match compression {
        Compression::None => Box::new(out),
        Compression::Gzip => Box::new(flate2::write::GzEncoder::new(out, flate2::Compression::new(6))),
        Compression::Zstd => Box::new(zstd::stream::write::Encoder::new(out, 3)?),
    })
}
