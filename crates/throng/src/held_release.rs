//! A release in memory: data, certificate, report, and the key if it was asked for.
//!
//! The data are the bytes of one Arrow stream, without dictionaries and compression. They were written, read back and checked as a file
//! would have been, and the certificate has their SHA-256; record batches are decoded from these very bytes. A key never leaves with
//! them: [`HeldRelease::save`] does not write it, and nothing shows it.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use serde_json::Value;
use throng_core::progress::Progress;
use throng_core::{Error, Result};
use zeroize::Zeroizing;

use crate::certificate::Certificate;
use crate::io::{self, Compression, Format, FormatKind, Held};
use crate::run;

/// The format of data in memory.
pub(crate) const HELD_FORMAT: Format = Format::new(FormatKind::Arrow, Compression::None);

/// A release in memory. Cheap to clone.
#[derive(Clone)]
pub struct HeldRelease(Arc<Parts>);

struct Parts {
    data: Held,
    certificate: Certificate,
    report: Vec<u8>,
    page: String,
    key: Option<Zeroizing<Vec<u8>>>,
}

impl HeldRelease {
    pub(crate) fn new(
        data: Held,
        certificate: Certificate,
        (report, page): (Vec<u8>, String),
        key: Option<Zeroizing<Vec<u8>>>,
    ) -> Self {
        Self(Arc::new(Parts { data, certificate, report, page, key }))
    }

    /// One that left this process and came back: its parts as they are in files, the data as an Arrow stream. Data that are not
    /// those of the certificate are an error.
    pub fn from_parts(data: Vec<u8>, certificate: &[u8], report: Vec<u8>, page: String) -> Result<Self> {
        let wrong = |cause| Error::data("the certificate is not one of throng's").with_cause(cause);
        let certificate: Certificate = serde_json::from_slice(certificate).map_err(wrong)?;
        if io::hash_bytes(&data) != certificate.output.sha256 {
            return Err(Error::data("the data are not those that the certificate was written for")
                .with_hint("protect the original again"));
        }
        Ok(Self::new(data.into(), certificate, (report, page), None))
    }

    /// The bytes of the data: one Arrow stream.
    pub fn bytes(&self) -> &[u8] {
        self.0.data.bytes()
    }

    pub(crate) fn data(&self) -> &Held {
        &self.0.data
    }

    /// The data as record batches, decoded from the bytes that were checked.
    pub fn batches(&self) -> Result<(SchemaRef, Vec<RecordBatch>)> {
        io::batches_of(self.0.data.bytes())
    }

    /// The certificate.
    pub fn certificate(&self) -> &Certificate {
        &self.0.certificate
    }

    /// The report, as it may be published.
    pub fn report(&self) -> Result<Value> {
        serde_json::from_slice(&self.0.report).map_err(|cause| Error::internal(cause.to_string()))
    }

    /// The same, to the letter.
    pub fn report_text(&self) -> &[u8] {
        &self.0.report
    }

    /// The report as a page.
    pub fn html(&self) -> &str {
        &self.0.page
    }

    /// Who became whom, as a key file has it; only where it was asked for.
    pub fn key(&self) -> Option<&[u8]> {
        self.0.key.as_ref().map(|key| key.as_slice())
    }

    /// The same without its key.
    #[must_use]
    pub fn without_key(&self) -> Self {
        let Parts { data, certificate, report, page, .. } = &*self.0;
        Self::new(data.clone(), certificate.clone(), (report.clone(), page.clone()), None)
    }

    /// Writes it as a release folder, whole or not at all, in a format: what the command would have written. The file is read back
    /// and compared before the folder gets its name. The key is not written.
    pub fn save(&self, folder: &Path, format: Option<Format>, progress: &dyn Progress) -> Result<PathBuf> {
        run::save(self, folder, format.unwrap_or(HELD_FORMAT), progress)
    }
}

impl PartialEq for HeldRelease {
    fn eq(&self, other: &Self) -> bool {
        self.0.certificate == other.0.certificate && self.0.data == other.0.data
    }
}

impl fmt::Debug for HeldRelease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let output = &self.0.certificate.output;
        write!(f, "HeldRelease({} persons, {} rows)", output.persons, output.rows)
    }
}
