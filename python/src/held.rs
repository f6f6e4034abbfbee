//! A release in memory, for Python: data, certificate, report, and the key where it was asked for.

use std::path::PathBuf;

use arrow_schema::SchemaRef;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use pyo3_arrow::PyTable;
use throng::held_release::HeldRelease;
use throng::io::Format;
use throng_core::{Error, Result};

use crate::errors::exception;
use crate::frames::{batches_of, schema_bytes, with_types_of};
use crate::running::{self, Manner};

/// A release in memory, and the columns of the frame that it was made of.
#[pyclass(frozen)]
pub(crate) struct Held {
    pub(crate) release: HeldRelease,
    pub(crate) schema: Option<SchemaRef>,
}

/// What a release is pickled as: data, certificate, report, page, and the columns of the original. No key.
type Parts<'py> = (Bound<'py, PyBytes>, Bound<'py, PyBytes>, Bound<'py, PyBytes>, String, Option<Bound<'py, PyBytes>>);

#[pymethods]
impl Held {
    /// One that was pickled.
    #[staticmethod]
    fn of_parts(
        py: Python<'_>,
        data: Vec<u8>,
        certificate: &[u8],
        report: Vec<u8>,
        page: String,
        columns: Option<&[u8]>,
    ) -> PyResult<Self> {
        let made = || {
            let schema = columns.map(|bytes| batches_of(bytes).map(|(schema, _)| schema)).transpose()?;
            Ok(Self { release: HeldRelease::from_parts(data, certificate, report, page)?, schema })
        };
        made().map_err(|error: Error| exception(py, &error, false))
    }

    /// Its parts, for being pickled.
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Parts<'py>> {
        let raise = |error: Error| exception(py, &error, false);
        let certificate = self.release.certificate().text().map_err(raise)?;
        let columns = self.schema.as_deref().map(schema_bytes).transpose().map_err(raise)?;
        Ok((
            PyBytes::new(py, self.release.bytes()),
            PyBytes::new(py, &certificate),
            PyBytes::new(py, self.release.report_text()),
            self.release.html().to_owned(),
            columns.map(|bytes| PyBytes::new(py, &bytes)),
        ))
    }

    /// The data as a table, with the types of the original's columns where it was a frame.
    fn table(&self, py: Python<'_>) -> PyResult<PyTable> {
        let made = || -> Result<_> {
            let (schema, batches) = self.release.batches()?;
            match &self.schema {
                Some(wanted) => with_types_of(wanted, &schema, &batches),
                None => Ok((schema, batches)),
            }
        };
        let (schema, batches) = py.detach(made).map_err(|error| exception(py, &error, false))?;
        PyTable::try_new(batches, schema)
    }

    /// The certificate, as JSON.
    fn certificate(&self, py: Python<'_>) -> PyResult<String> {
        let text = self.release.certificate().text().map_err(|error| exception(py, &error, false))?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// The report, as JSON.
    fn report(&self) -> String {
        String::from_utf8_lossy(self.release.report_text()).into_owned()
    }

    /// The report, as a page.
    fn html(&self) -> &str {
        self.release.html()
    }

    /// Who became whom, as a key file has it; nothing if it was not asked for.
    fn key(&self) -> Option<&[u8]> {
        self.release.key()
    }

    /// Writes it as a release folder, without its key.
    fn save(&self, py: Python<'_>, folder: PathBuf, format: Option<&str>, manner: &Manner) -> PyResult<PathBuf> {
        let format = format.map(Format::parse).transpose().map_err(|error| exception(py, &error, false))?;
        running::run(py, manner, |progress| self.release.save(&folder, format, progress))
    }
}
