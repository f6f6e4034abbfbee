//! `throng report`: a release's page drawn again, or, elsewhere, the custodian's own with everything in it.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::{Certified, MeasureRequest, measure};
use crate::io::{self, Location};
use crate::kinds::Ask;
use crate::limits;
use crate::pending;
use crate::report;

/// The custodian's own report: values are shown whoever has them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PrivateReport {
    /// Where to write it: never into the release.
    pub place: PathBuf,
    /// What to measure, values included.
    pub measure: MeasureRequest,
}

/// Draws the report of a release folder again, or the private one. Gives the place of the page.
pub fn report(folder: &Path, private: Option<&PrivateReport>, progress: &dyn Progress) -> Result<PathBuf> {
    let path = folder.join("report.json");
    let text = limits::read_file(&path, "", limits::MOST_REPORT_BYTES)
        .map_err(|error| error.with_hint("give the folder of a release"))?;
    let damaged = |_| Error::data("the report is damaged").in_file(path.display().to_string());
    let mut known: Value = serde_json::from_slice(&text).map_err(damaged)?;
    if !known.is_object() {
        return Err(report::not_a_report().in_file(path.display().to_string()));
    }
    let Certified { certificate: Some(certificate), location: Location::File(data), .. } =
        Certified::open_release(folder, &Ask::default())?
    else {
        return Err(Error::internal("a release without a certificate was opened"));
    };
    if io::hash_file(&data)? != certificate.output.sha256 {
        return Err(Error::refused("the data are not those that the certificate was written for")
            .in_file(data.display().to_string())
            .with_hint("a report of other data would not be true: `throng check` says what holds of them"));
    }
    if certificate.report_sha256.as_ref().is_some_and(|hash| *hash != io::hash_bytes(&text)) {
        return Err(Error::refused("the report was changed after the certificate was written")
            .in_file(path.display().to_string())
            .with_hint("protect the original again"));
    }
    let Some(private) = private else {
        let page = report::html(&known, false)?;
        let place = folder.join("report.html");
        pending::replace(&place, page.as_bytes(), false)?;
        return Ok(place);
    };
    pending::refuse_in_release(&private.place, "private report")?;
    let value = |value: serde_json::Result<Value>| value.map_err(|cause| Error::internal(cause.to_string()));
    // What the published report does not show: the certificate's counts, and all digits of the measures.
    known["certificate"] = value(serde_json::to_value(certificate))?;
    let outcome = measure(&private.measure, progress)?;
    known["measures"] = value(serde_json::to_value(&outcome.measures))?;
    known["skipped"] = value(serde_json::to_value(&outcome.skipped))?;
    pending::replace(&private.place, report::html(&known, true)?.as_bytes(), true)?;
    Ok(private.place.clone())
}
