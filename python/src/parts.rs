//! The steps of a release that is made on many machines, for `throng._distributed`: not public. Rows come and go as Arrow, whatever else as bytes.

use arrow_array::RecordBatch;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use pyo3_arrow::PyTable;
use serde_json::{Map, Value, json};
use throng::io::Frame;
use throng::keywords::{self, Tongue};
use throng::parts::{self, Found};
use throng::run::ProtectRequest;
use throng_core::{Error, Result};

use crate::errors::exception;
use crate::running::{self, Manner};

/// What keywords ask for, for all workers: `said` has the keys, the engine and how many parts there are.
#[pyfunction]
pub(crate) fn parts_plan<'py>(
    py: Python<'py>,
    asked: &str,
    said: &str,
    key: [u8; 16],
    check: [u8; 16],
) -> PyResult<Bound<'py, PyBytes>> {
    let made = || -> Result<Vec<u8>> {
        let wrong = |cause: serde_json::Error| Error::internal(cause.to_string());
        let given: Map<String, Value> = serde_json::from_str(asked).map_err(wrong)?;
        let request: ProtectRequest = serde_json::from_value(keywords::request("protect", given, Tongue::Python)?)
            .map_err(|cause| {
                Error::parameter("protect", format!("was called with keywords that do not go together: {cause}"))
            })?;
        refuse_unheeded(&request)?;
        let mut plan: Map<String, Value> = serde_json::from_str(said).map_err(wrong)?;
        let parameters: Map<String, Value> =
            request.parameters.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
        plan.insert("method".into(), json!(request.method));
        plan.insert("parameters".into(), Value::Object(parameters));
        plan.insert("ask".into(), json!(request.ask));
        plan.insert("title".into(), json!(request.title));
        plan.insert("seeded".into(), json!(request.seed.is_some()));
        plan.insert("key".into(), json!(key));
        plan.insert("check".into(), json!(check));
        serde_json::to_vec(&plan).map_err(wrong)
    };
    made().map(|plan| PyBytes::new(py, &plan)).map_err(|error| exception(py, &error, false))
}

/// Refuses what no worker heeds: nothing that asks for protection is passed over.
fn refuse_unheeded(request: &ProtectRequest) -> Result<()> {
    let plain = ProtectRequest {
        method: request.method.clone(),
        parameters: request.parameters.clone(),
        seed: request.seed,
        title: request.title.clone(),
        ask: request.ask.clone(),
        ..ProtectRequest::default()
    };
    if *request == plain {
        return Ok(());
    }
    let (asked, heeded) = (json!(request), json!(plain));
    let names = asked.as_object().into_iter().flatten();
    let name = names.map(|(name, _)| name.as_str()).find(|name| asked[*name] != heeded[*name]).unwrap_or("protect");
    Err(Error::parameter(name.to_owned(), "cannot be heeded on many machines").with_hint(
        "a method, its parameters, columns, a taxonomy, hierarchies and a seed are; protect on one machine for everything else",
    ))
}

fn frame(data: &Bound<'_, PyAny>) -> PyResult<Frame> {
    let (batches, schema) = data.extract::<PyTable>()?.into_inner();
    Frame::new(schema, batches).map_err(|error| exception(data.py(), &error, false))
}

/// Runs a step on the rows of a worker, or on a file.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "Python passes what a step may need one by one")]
pub(crate) fn parts_step<'py>(
    py: Python<'py>,
    plan: &[u8],
    head: &Bound<'_, PyAny>,
    name: &str,
    state: &[u8],
    data: Option<&Bound<'_, PyAny>>,
    file: &[u8],
    manner: &Manner,
) -> PyResult<(Option<PyTable>, Bound<'py, PyBytes>)> {
    let head = frame(head)?;
    let batches: Vec<RecordBatch> = match data {
        Some(data) => frame(data)?.batches().to_vec(),
        None => Vec::new(),
    };
    let (given, bytes) = running::run(py, manner, |_| parts::worker(plan, &head)?.step(name, state, batches, file))?;
    let goes_on = matches!(name, "read" | "place" | "protect");
    let table = goes_on.then(|| PyTable::try_new(given, parts::schema())).transpose()?;
    Ok((table, PyBytes::new(py, &bytes)))
}

/// Puts together what workers found.
#[pyfunction]
pub(crate) fn parts_merged<'py>(py: Python<'py>, name: &str, pieces: Vec<Vec<u8>>) -> PyResult<Bound<'py, PyBytes>> {
    let merged = py.detach(|| parts::merged(name, &pieces)).map_err(|error| exception(py, &error, false))?;
    Ok(PyBytes::new(py, &merged))
}

/// What is decided once a step is done.
#[pyfunction]
pub(crate) fn parts_decide<'py>(
    py: Python<'py>,
    plan: &[u8],
    head: &Bound<'_, PyAny>,
    name: &str,
    state: &[u8],
    found: &[u8],
    manner: &Manner,
) -> PyResult<(Bound<'py, PyBytes>, &'static str, bool)> {
    let head = frame(head)?;
    let (state, next, has_blocks) = running::run(py, manner, |progress| {
        let worker = parts::worker(plan, &head)?;
        let (state, next) = worker.decide(name, state, found, progress)?;
        let has_blocks = worker.has_blocks(&state)?;
        Ok((state, next, has_blocks))
    })?;
    Ok((PyBytes::new(py, &state), next, has_blocks))
}

/// The state in which workers count who says what the files say.
#[pyfunction]
pub(crate) fn parts_asked<'py>(py: Python<'py>, files: Vec<Vec<u8>>) -> PyResult<Bound<'py, PyBytes>> {
    let state = py.detach(|| parts::asked_of_original(&files)).map_err(|error| exception(py, &error, false))?;
    Ok(PyBytes::new(py, &state))
}

/// What a check says as JSON, once the records of all persons are counted.
#[pyfunction]
pub(crate) fn parts_verdict(
    py: Python<'_>,
    plan: &[u8],
    head: &Bound<'_, PyAny>,
    model: Option<&str>,
    k: u64,
    tally: &[u8],
    manner: &Manner,
) -> PyResult<String> {
    let head = frame(head)?;
    running::run(py, manner, |_| Ok(parts::verdict(parts::worker(plan, &head)?.as_ref(), model, k, tally)?.to_string()))
}

/// The certificate, the report and the page, once every claim holds on the files.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "everything that was found, one by one")]
pub(crate) fn parts_finish(
    py: Python<'_>,
    plan: &[u8],
    head: &Bound<'_, PyAny>,
    state: &[u8],
    read: &[u8],
    protected: &[u8],
    files: Vec<(String, Vec<u8>)>,
    said: &[u8],
    manner: &Manner,
) -> PyResult<(String, String, String)> {
    let head = frame(head)?;
    let papers = running::run(py, manner, |_| {
        let worker = parts::worker(plan, &head)?;
        worker.finish(&Found { state, read, protected, files, said })
    })?;
    Ok((papers.certificate, papers.report, papers.page))
}
