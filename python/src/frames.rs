//! Data that come from Python and go back: paths, whatever has `__arrow_c_stream__`, and releases.

use std::io::Cursor;
use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_cast::{CastOptions, cast_with_options};
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, Field, Schema, SchemaRef};
use pyo3::prelude::*;
use pyo3_arrow::PyTable;
use throng::inputs::Inputs;
use throng::io::Frame;
use throng_core::{Error, Result};

use crate::errors::exception;
use crate::held::Held;

/// What Python gave as data, and the columns of a frame.
pub(crate) struct Given {
    pub(crate) inputs: Inputs,
    pub(crate) schema: Option<SchemaRef>,
}

/// Data as Python gives them: a release, paths, or a frame. What is no such thing is refused in Python already.
pub(crate) fn given(data: &Bound<'_, PyAny>, show_values: bool) -> PyResult<Given> {
    if let Ok(held) = data.cast::<Held>() {
        return Ok(Given { inputs: held.get().release.clone().into(), schema: None });
    }
    if let Ok(paths) = data.extract::<Vec<PathBuf>>() {
        return Ok(Given { inputs: paths.into(), schema: None });
    }
    let raise = |error: &Error| exception(data.py(), error, show_values);
    let (batches, schema) = data
        .extract::<PyTable>()
        .map_err(|cause| {
            raise(
                &Error::data("the data could not be taken over as Arrow")
                    .with_cause(std::io::Error::other(cause.to_string()))
                    .with_hint("a frame has named columns; a stream that was read before is used up"),
            )
        })?
        .into_inner();
    let frame = Frame::new(Arc::clone(&schema), batches).map_err(|error| raise(&error))?;
    Ok(Given { inputs: frame.into(), schema: Some(schema) })
}

/// The batches with the types that columns of the same names have in another schema, wherever all values have one of that type.
pub(crate) fn with_types_of(
    wanted: &Schema,
    schema: &SchemaRef,
    batches: &[RecordBatch],
) -> Result<(SchemaRef, Vec<RecordBatch>)> {
    let strict = CastOptions { safe: false, ..CastOptions::default() };
    let failed = |cause: ArrowError| Error::internal(cause.to_string());
    let mut fields = Vec::new();
    let mut columns = vec![Vec::new(); batches.len()];
    for (at, field) in schema.fields().iter().enumerate() {
        let kind = wanted.field_with_name(field.name()).ok().map(Field::data_type);
        let cast = kind.and_then(|kind| {
            let cast = |batch: &RecordBatch| cast_with_options(batch.column(at), kind, &strict);
            batches.iter().map(cast).collect::<std::result::Result<Vec<_>, _>>().ok()
        });
        let (kind, arrays) = match (kind, cast) {
            (Some(kind), Some(arrays)) => (kind.clone(), arrays),
            _ => (field.data_type().clone(), batches.iter().map(|batch| Arc::clone(batch.column(at))).collect()),
        };
        fields.push(Field::new(field.name(), kind, true));
        columns.iter_mut().zip(arrays).for_each(|(columns, array)| columns.push(array));
    }
    let schema = Arc::new(Schema::new(fields));
    let batch = |columns| RecordBatch::try_new(Arc::clone(&schema), columns).map_err(failed);
    let batches = columns.into_iter().map(batch).collect::<Result<_>>()?;
    Ok((schema, batches))
}

/// The batches of a stream in memory that throng wrote.
pub(crate) fn batches_of(bytes: &[u8]) -> Result<(SchemaRef, Vec<RecordBatch>)> {
    let failed = |cause: ArrowError| Error::data("the Arrow stream cannot be read").with_cause(cause);
    let reader = StreamReader::try_new(Cursor::new(bytes), None).map_err(failed)?;
    let schema = reader.schema();
    Ok((schema, reader.collect::<std::result::Result<_, _>>().map_err(failed)?))
}

/// Columns without rows as bytes, and back.
pub(crate) fn schema_bytes(schema: &Schema) -> Result<Vec<u8>> {
    let failed = |cause: ArrowError| Error::internal(cause.to_string());
    let mut writer = StreamWriter::try_new(Vec::new(), schema).map_err(failed)?;
    writer.finish().map_err(failed)?;
    writer.into_inner().map_err(failed)
}
