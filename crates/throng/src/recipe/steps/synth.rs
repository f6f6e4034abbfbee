//! The step that makes data up.

use std::io::sink;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use throng_core::Result;

use super::{Did, Work};
use crate::run::{self, ConnectionsRequest, SynthRequest};

/// What is told of connection records.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Connections {
    #[serde(rename = "kind")]
    _kind: String,
    rows: Option<usize>,
    seed: u64,
}

/// Where the data lie, which says their format.
pub(in super::super) fn place(keys: &Map<String, Value>) -> String {
    match keys.get("format").and_then(Value::as_str) {
        // What files of that format are called.
        Some("fimi") => "data.dat".to_owned(),
        Some(format) => format!("data.{format}"),
        None => "data.csv".to_owned(),
    }
}

pub(in super::super) fn synth(work: &Work<'_>) -> Result<Did> {
    if work.command == "connections" {
        let request: Connections = work.request()?;
        let out = work.folder.join(place(&work.keys));
        let made = run::synth_connections(&ConnectionsRequest {
            rows: request.rows.unwrap_or(10_000),
            seed: request.seed,
            out,
        })?;
        return Ok(Did::fine(json!({"rows": made.rows, "attacks": made.attacks})));
    }
    let request = SynthRequest { out: work.folder.join(place(&work.keys)), ..work.request()? };
    let made = run::synth(&request, &mut sink(), work.progress)?;
    Ok(Did::fine(json!({"rows": made.rows, "persons": request.persons + request.plant * request.accounts})))
}
