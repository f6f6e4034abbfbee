//! Files of typed columns in batches: Parquet and Arrow, read and written alike.

use std::io::{self, Write};
use std::sync::Arc;

use ::parquet::arrow::ArrowWriter;
use ::parquet::basic::{Compression as ParquetCompression, ZstdLevel};
use ::parquet::errors::ParquetError;
use ::parquet::file::properties::{EnabledStatistics, WriterProperties};
use arrow_array::RecordBatch;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, Schema};
use throng_core::{Error, Result};

use super::arrow_stream::{self, ArrowStream};
use super::parquet_file::{self, ParquetFile};
use super::source::Source;
use super::uncompared::Uncompared;
use super::write::failed;
use super::{Format, FormatKind};

/// An open file of columns.
pub(super) enum Columns {
    Parquet(Box<ParquetFile>),
    Arrow(ArrowStream),
}

impl Columns {
    /// Opens a file and reads what it says of its columns.
    pub(super) fn open(source: &mut Source, format: Format) -> Result<Self> {
        match format.kind {
            FormatKind::Arrow => Ok(Self::Arrow(ArrowStream::open(source)?)),
            _ => Ok(Self::Parquet(Box::new(ParquetFile::open(source)?))),
        }
    }

    /// Its columns.
    pub(super) fn schema(&self) -> &Schema {
        match self {
            Self::Parquet(file) => file.schema(),
            Self::Arrow(stream) => stream.schema(),
        }
    }

    /// How many rows it says that it has; 0 if it does not.
    pub(super) fn rows(&self) -> u64 {
        match self {
            Self::Parquet(file) => file.rows(),
            Self::Arrow(stream) => stream.rows(),
        }
    }

    /// Reads some columns, given by their numbers in rising order. What the file holds beside its columns is noted.
    pub(super) fn batches(self, wanted: &[usize], uncompared: &Uncompared) -> Result<Batches> {
        Ok(match self {
            Self::Parquet(file) => Batches::Parquet(Box::new(file.batches(wanted, uncompared)?)),
            Self::Arrow(stream) => Batches::Arrow(stream.batches(uncompared), wanted.to_vec()),
        })
    }
}

/// The batches of a file.
pub(super) enum Batches {
    Parquet(Box<parquet_file::Batches>),
    Arrow(arrow_stream::Batches, Vec<usize>),
}

impl Batches {
    /// The next batch, with the wanted columns, if there is one.
    pub(super) fn next(&mut self) -> Result<Option<RecordBatch>> {
        match self {
            Self::Parquet(batches) => batches.next(),
            Self::Arrow(batches, wanted) => match batches.next()? {
                Some(batch) => batch.project(wanted).map(Some).map_err(|cause| misfit(&cause)),
                None => Ok(None),
            },
        }
    }
}

/// Writes batches to a file.
pub(super) enum BatchWriter<'a, W: Write + Send> {
    Parquet(Box<ArrowWriter<&'a mut W>>),
    Arrow(Box<StreamWriter<&'a mut W>>),
}

impl<'a, W: Write + Send> BatchWriter<'a, W> {
    /// Begins a file.
    pub(super) fn new(out: &'a mut W, kind: FormatKind, schema: &Arc<Schema>) -> Result<Self> {
        Ok(match kind {
            FormatKind::Arrow => Self::Arrow(Box::new(StreamWriter::try_new(out, schema).map_err(arrow_failed)?)),
            _ => {
                let properties = Some(parquet_properties()?);
                Self::Parquet(Box::new(
                    ArrowWriter::try_new(out, Arc::clone(schema), properties).map_err(parquet_failed)?,
                ))
            }
        })
    }

    /// Writes a batch.
    pub(super) fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        match self {
            Self::Parquet(writer) => writer.write(batch).map_err(parquet_failed),
            Self::Arrow(writer) => writer.write(batch).map_err(arrow_failed),
        }
    }

    /// Ends the file.
    pub(super) fn finish(self) -> Result<()> {
        match self {
            Self::Parquet(mut writer) => {
                writer.finish().map_err(parquet_failed)?;
                writer.inner_mut().flush().map_err(failed)
            }
            Self::Arrow(mut writer) => {
                writer.finish().map_err(arrow_failed)?;
                writer.get_mut().flush().map_err(failed)
            }
        }
    }
}

/// Arrays as a batch of a schema that they were made for.
pub(super) fn batch(schema: &Arc<Schema>, arrays: Vec<arrow_array::ArrayRef>) -> Result<RecordBatch> {
    RecordBatch::try_new(Arc::clone(schema), arrays).map_err(|cause| misfit(&cause))
}

fn misfit(cause: &ArrowError) -> Error {
    Error::internal(format!("a batch does not fit: {cause}"))
}

/// How Parquet files are written: without statistics and indexes, which repeat values where no model looks.
fn parquet_properties() -> Result<WriterProperties> {
    let compression = ParquetCompression::ZSTD(ZstdLevel::try_new(3).map_err(parquet_failed)?);
    let builder = WriterProperties::builder().set_compression(compression);
    let builder = builder.set_statistics_enabled(EnabledStatistics::None).set_offset_index_disabled(true);
    Ok(builder.set_created_by(format!("throng {}", env!("CARGO_PKG_VERSION"))).build())
}

/// The library wraps the cause of a failed write; without it a full disk would look like a damaged file.
fn parquet_failed(cause: ParquetError) -> Error {
    match cause {
        ParquetError::External(cause) => match cause.downcast::<io::Error>() {
            Ok(cause) => failed(*cause),
            Err(cause) => failed(io::Error::other(cause)),
        },
        cause => failed(io::Error::other(cause)),
    }
}

fn arrow_failed(cause: ArrowError) -> Error {
    match cause {
        ArrowError::IoError(_, cause) => failed(cause),
        cause => failed(io::Error::other(cause)),
    }
}
