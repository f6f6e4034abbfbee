//! The commands: keywords become a request, the library runs it, and what it found goes back as JSON and words.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_ipc::writer::StreamWriter;
use arrow_schema::ArrowError;

use pyo3::prelude::*;
use pyo3_arrow::PyTable;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use throng::inputs::{Inputs, Source};
use throng::io::Format;
use throng::keywords::{self, Tongue};
use throng::kinds;
use throng::run::{
    self, AttackRequest, AuditRequest, CheckRequest, CompareRequest, InspectRequest, MeasureRequest, ProtectRequest,
    SynthRequest,
};
use throng::words;
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use crate::errors::exception;
use crate::frames::{Given, batches_of, given};
use crate::held::Held;
use crate::running::{self, Manner};

/// What a command found: JSON, the same in words, a page if it made one, and what the user should know beside it.
type Found = (String, String, Option<String>, Vec<String>);

/// The request that keywords make.
fn request<R: DeserializeOwned>(function: &str, keywords: &str) -> Result<R> {
    let wrong = |cause: serde_json::Error| Error::internal(cause.to_string());
    let keywords: Map<String, Value> = serde_json::from_str(keywords).map_err(wrong)?;
    serde_json::from_value(keywords::request(function, keywords, Tongue::Python)?).map_err(|cause| {
        Error::parameter(function, format!("was called with keywords that do not go together: {cause}"))
    })
}

fn text(found: &impl Serialize) -> Result<String> {
    serde_json::to_string(found).map_err(|cause| Error::internal(cause.to_string()))
}

/// Protects data. Gives the release in memory, or none if it went into a folder; JSON of what was found; the folder; and notes.
#[pyfunction]
pub(crate) fn protect(
    py: Python<'_>,
    keywords: &str,
    data: &Bound<'_, PyAny>,
    out: Option<PathBuf>,
    key: Option<PathBuf>,
    with_key: bool,
    manner: &Manner,
) -> PyResult<(Option<Held>, String, Vec<String>)> {
    let raise = |error: Error| exception(py, &error, manner.show_values);
    let Given { inputs, schema } = given(data, manner.show_values)?;
    let mut request: ProtectRequest = request("protect", keywords).map_err(raise)?;
    request.file = inputs;
    request.key = key;
    request.with_key = with_key;
    request.in_memory = out.is_none();
    request.out = out.unwrap_or_default();
    let outcome = running::run(py, manner, |progress| run::protect(&request, progress))?;
    let found = json!({
        "release": outcome.release.display().to_string(),
        "certificate": outcome.certificate,
        "measures": outcome.measures,
        "attacks": outcome.attacks,
        "skipped": outcome.skipped,
        "unmapped": outcome.unmapped,
        "unused": outcome.unused,
        "policy": outcome.policy,
        "ledger": outcome.ledger,
        "signed_by": outcome.signed_by,
    });
    let held = outcome.held.map(|release| Held { release, schema });
    Ok((held, text(&found).map_err(raise)?, outcome.notes))
}

/// Runs one of the commands that look at data, the first of which is the original where there are two.
#[pyfunction]
pub(crate) fn look(
    py: Python<'_>,
    function: &str,
    keywords: &str,
    data: &Bound<'_, PyAny>,
    other: Option<&Bound<'_, PyAny>>,
    manner: &Manner,
) -> PyResult<Found> {
    let first = given(data, manner.show_values)?.inputs;
    let second = other.map(|other| given(other, manner.show_values)).transpose()?.map(|given| given.inputs);
    running::run(py, manner, |progress| found(function, keywords, (first, second), manner.show_values, progress))
}

fn found(
    function: &str,
    keywords: &str,
    (first, second): (Inputs, Option<Inputs>),
    show_values: bool,
    progress: &dyn Progress,
) -> Result<Found> {
    Ok(match function {
        "inspect" => {
            let request = InspectRequest { file: first, ..request(function, keywords)? };
            let found = run::inspect(&request, progress)?;
            (text(&found)?, words::as_text(&found.words()), None, found.notes)
        }
        "check" => {
            let request = CheckRequest { file: first, original: second, show_values, ..request(function, keywords)? };
            let found = run::check(&request, progress)?;
            (text(&found)?, words::as_text(&found.words()), None, found.notes)
        }
        "measure" => {
            let (original, release) = (first, second.unwrap_or_default());
            let request = MeasureRequest { original, release, show_values, ..request(function, keywords)? };
            let found = run::measure(&request, progress)?;
            (text(&found)?, words::measures(&found.measures, &found.skipped), None, found.notes)
        }
        "attack" => {
            let (original, release) = (first, second.unwrap_or_default());
            let request = AttackRequest { original, release, ..request(function, keywords)? };
            let found = run::attack(&request, progress)?;
            (text(&found)?, words::attacks(&found.attacks, &found.skipped), None, found.notes)
        }
        "audit" => {
            let request = AuditRequest { file: first, show_values, ..request(function, keywords)? };
            let found = run::audit(&request, progress)?;
            (text(&found)?, words::as_text(&found.words()), None, found.notes)
        }
        "compare" => {
            let mut request = CompareRequest { file: first, ..request(function, keywords)? };
            if request.ks.is_empty() {
                request.ks = run::parse_ks("2..10")?;
            }
            // What is compared is of use to its owner only: it is made where nobody else can look, and removed.
            let failed = |cause| Error::io("make a folder for a comparison", cause);
            let place = tempfile::Builder::new().prefix(".throng-").tempdir().map_err(failed)?;
            if request.out == Path::new("") {
                request.out = place.path().join("comparison");
            }
            request.file = in_file(request.file, place.path())?;
            let found = run::compare(&request, progress)?;
            let page = throng::pending::dated(&request.out).join("comparison.html");
            let page = std::fs::read_to_string(&page).map_err(|cause| Error::io("read the comparison", cause))?;
            drop(place);
            (text(&found)?, found.text(), Some(page), Vec::new())
        }
        other => return Err(Error::internal(format!("there is no function `{other}`"))),
    })
}

/// Data in a file, for a command that goes on from one that was stopped and so must be able to read its data again: what is in memory is
/// written into the folder, which is removed with everything in it.
fn in_file(inputs: Inputs, folder: &Path) -> Result<Inputs> {
    let path = folder.join("data.arrow");
    let failed =
        |cause: ArrowError| Error::io("write the data to compare on", std::io::Error::other(cause.to_string()));
    let (schema, batches) = match inputs.source() {
        Source::Files(_) => return Ok(inputs),
        Source::Batches(frame) => (Arc::clone(frame.schema()), frame.batches().to_vec()),
        Source::Release(held) => held.batches()?,
    };
    let file = File::create(&path).map_err(|cause| Error::io("write the data to compare on", cause))?;
    let mut writer = StreamWriter::try_new_buffered(file, &schema).map_err(failed)?;
    batches.iter().try_for_each(|batch| writer.write(batch)).and_then(|()| writer.finish()).map_err(failed)?;
    Ok(path.into())
}

/// Made-up data: a table, or lines of JSON of a kind that is not made up as columns.
#[derive(IntoPyObject)]
pub(crate) enum MadeUp {
    Table(PyTable),
    Lines(String),
}

/// Makes data up; nothing is given back if they went into a file.
#[pyfunction]
pub(crate) fn synth(py: Python<'_>, kind: &str, keywords: &str, manner: &Manner) -> PyResult<Option<MadeUp>> {
    let raise = |error: Error| exception(py, &error, manner.show_values);
    let mut request: SynthRequest = request("synth", keywords).map_err(raise)?;
    request.kind = kind.to_owned();
    let is_lines = kinds::named(kind).map_err(raise)?.card().made_up[0] == "jsonl";
    let in_memory = request.out == Path::new("");
    if in_memory {
        request.out = PathBuf::from("-");
        request.format = Some(Format::parse(if is_lines { "jsonl" } else { "arrow" }).map_err(raise)?);
    }
    let bytes = running::run(py, manner, |progress| {
        let mut bytes = Vec::new();
        run::synth(&request, &mut bytes, progress)?;
        Ok(bytes)
    })?;
    if !in_memory {
        return Ok(None);
    }
    if is_lines {
        return Ok(Some(MadeUp::Lines(String::from_utf8_lossy(&bytes).into_owned())));
    }
    let (schema, batches) = batches_of(&bytes).map_err(raise)?;
    Ok(Some(MadeUp::Table(PyTable::try_new(batches, schema)?)))
}

/// The format that the name of a file says, if it says one.
#[pyfunction]
pub(crate) fn format_of(path: PathBuf) -> Option<String> {
    Format::of_path(&path).map(|format| format.to_string())
}
