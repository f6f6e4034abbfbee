//! `throng report`: a release's page drawn again, or, elsewhere, the custodian's own with everything in it.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::{Certified, MeasureRequest, measure};
use crate::certificate::{self, Certificate};
use crate::io;
use crate::kinds::Ask;
use crate::limits;
use crate::pending;
use crate::release_folder::SIGNATURE;
use crate::report;
use crate::signature;

/// What the report says of itself: `None` leaves it as it is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Heading {
    /// What the data set is called.
    pub title: Option<String>,
    /// The day, as `YYYY-MM-DD`.
    pub date: Option<String>,
}

/// The custodian's own report: all values are shown, however rare, and who is still most exposed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PrivateReport {
    /// Where to write it: never into the release.
    pub place: PathBuf,
    /// What to measure, values included.
    pub measure: MeasureRequest,
}

/// Draws the report of a release folder again, or the private one. Gives the place of the page. Another title or date becomes part
/// of the release: its `report.json`, and the certificate's hash of it, are written again.
pub fn report(
    folder: &Path,
    heading: &Heading,
    private: Option<&PrivateReport>,
    progress: &dyn Progress,
) -> Result<PathBuf> {
    heading.date.as_deref().map(report::check_date).transpose()?;
    let path = folder.join("report.json");
    let text = limits::read_file(&path, "", limits::MOST_REPORT_BYTES)
        .map_err(|error| error.with_hint("give the folder of a release"))?;
    let damaged = |_| Error::data("the report is damaged").in_file(path.display().to_string());
    let mut known: Value = serde_json::from_slice(&text).map_err(damaged)?;
    if !known.is_object() {
        return Err(report::not_a_report().in_file(path.display().to_string()));
    }
    let Certified { certificate: Some(mut certificate), location: data, .. } =
        Certified::open_release(folder, &Ask::default())?
    else {
        return Err(Error::internal("a release without a certificate was opened"));
    };
    if !certificate.output.is_of(&data)? {
        return Err(Error::refused("the data are not those that the certificate was written for")
            .in_file(data.to_string())
            .with_hint("a report of other data would not be true: `throng check` says what holds of them"));
    }
    if certificate.report_sha256.as_ref().is_some_and(|hash| *hash != io::hash_bytes(&text)) {
        return Err(Error::refused("the report was changed after the certificate was written")
            .in_file(path.display().to_string())
            .with_hint("protect the original again"));
    }
    if !certificate.is_of_a_newer_throng() && report::has_more(&known, &certificate) {
        return Err(Error::refused("the report has more in it than throng writes into one")
            .in_file(path.display().to_string())
            .with_hint("protect the original again"));
    }
    for (name, value) in [("title", &heading.title), ("date", &heading.date)] {
        if let Some(value) = value {
            known[name] = value.as_str().into();
        }
    }
    let Some(private) = private else {
        let page = report::html(&known, false)?;
        if *heading != Heading::default() {
            refuse_signed(folder, &certificate)?;
            let text = certificate::json_text(&known)?;
            certificate.report_sha256 = Some(io::hash_bytes(&text));
            pending::replace(&path, &text, false)?;
            pending::replace(&Certificate::place(folder), &certificate.text()?, false)?;
        }
        let place = folder.join("report.html");
        pending::replace(&place, page.as_bytes(), false)?;
        return Ok(place);
    };
    pending::refuse_in_release(&private.place, "private report")?;
    pending::refuse_replacing_other(&private.place, "private report")?;
    let value = |value: serde_json::Result<Value>| value.map_err(|cause| Error::internal(cause.to_string()));
    // What the published report does not show: the certificate's counts, and all digits of the measures.
    known["certificate"] = value(serde_json::to_value(certificate))?;
    // The attacks are played again, where the release had any: the published ones have three digits.
    let has_attacks = known["attacks"].as_array().is_some_and(|attacks| !attacks.is_empty());
    let outcome = measure(&MeasureRequest { attacks: has_attacks, ..private.measure.clone() }, progress)?;
    for attacked in &outcome.attacks {
        let found = value(serde_json::to_value(attacked))?;
        let is_it = |old: &&mut Value| old["name"] == found["name"] && old["knowledge"] == found["knowledge"];
        if let Some(old) = known["attacks"].as_array_mut().and_then(|all| all.iter_mut().find(is_it)) {
            *old = found;
        }
    }
    known["measures"] = value(serde_json::to_value(&outcome.measures))?;
    known["exposed"] = value(serde_json::to_value(&outcome.exposed))?;
    known["skipped"] = value(serde_json::to_value(&outcome.skipped))?;
    pending::replace_page(&private.place, &report::html(&known, true)?, "private report", true)?;
    Ok(private.place.clone())
}

/// A signature, and the line of a ledger, are for the certificate as it is.
fn refuse_signed(folder: &Path, certificate: &Certificate) -> Result<()> {
    for name in [signature::FILE, SIGNATURE] {
        let signature = folder.join(name);
        if signature.symlink_metadata().is_ok() {
            return Err(Error::refused("the certificate is signed, and another title or date would change it")
                .in_file(signature.display().to_string())
                .with_hint("remove the signature, and sign the release again afterwards"));
        }
    }
    if certificate.ledger.is_some() {
        return Err(Error::refused("a ledger names this certificate, and another title or date would change it")
            .in_file(Certificate::place(folder).display().to_string())
            .with_hint("give `--title` and `--date` to `protect`"));
    }
    Ok(())
}
