//! The papers of a release that was made on many machines: every claim judged on the files as they were read back, then certificate, report
//! and page.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value, json};
use throng_core::accounts::{Accounts, GROUPS_EMPTY, LINES_ABOVE_CAP, PERSONS_DROPPED, ROWS_DROPPED, ROWS_REFUSED};
use throng_core::data::{QueryLog, Strings};
use throng_core::models::content_threshold::Said;
use throng_core::models::{content_threshold, k_anonymity};
use throng_core::partition::grouping::Grouped;
use throng_core::pieces::{Piece as _, Tallied};
use throng_core::{Error, Result};

use super::{Seen, State, Worker, of_files, parsed};
use crate::certificate::{self, Certificate, ClaimRecord, Input, Output};
use crate::io;
use crate::kinds::{self, Kinded, NORMAL_FORM};
use crate::report::{self, Report};
use crate::run::Skipped;

/// The data of the release: a folder of files.
pub const DATA: &str = "data.parquet";

/// What a driver knows at the end.
pub struct Found<'a> {
    /// Everything that was decided.
    pub state: &'a [u8],
    /// What reading the rows showed, of all of them.
    pub read: &'a [u8],
    /// What protecting showed.
    pub protected: &'a [u8],
    /// Name of each file that was written, and what reading it back showed.
    pub files: Vec<(String, Vec<u8>)>,
    /// How many persons of the original say what the files say; empty where nothing was asked.
    pub said: &'a [u8],
}

/// The papers of a release.
#[derive(Debug, Serialize)]
pub struct Papers {
    /// `certificate.json`.
    pub certificate: String,
    /// `report.json`.
    pub report: String,
    /// `report.html`.
    pub page: String,
}

/// Judges every claim on what the files showed. A claim that does not hold is an error, and nothing may be published.
pub fn finish(worker: &Worker, found: &Found<'_>) -> Result<Papers> {
    let state: State = parsed(found.state, "state")?;
    let (read, protected) = (Seen::from_bytes(found.read)?, Seen::from_bytes(found.protected)?);
    let contents: Vec<Vec<u8>> = found.files.iter().map(|(_, seen)| seen.clone()).collect();
    let (tally, texts, hashes) = of_files(&contents)?;
    let tallied = tally.verdict();
    let claims = claims(worker, &tallied, &protected, (&texts.queries, found.said))?;
    let scales = state.scales()?;
    let mut listed: Vec<(&str, &str)> =
        found.files.iter().zip(&hashes).map(|((name, _), hash)| (name.as_str(), hash.as_str())).collect();
    listed.sort_unstable();
    let layout = worker.layout(&QueryLog::default())?;
    let times = QueryLog::time_form(&layout);
    let accounting = Accounts::new()
        .with(PERSONS_DROPPED, scales.persons() - tallied.persons)
        .with(ROWS_DROPPED, protected.rows_dropped)
        .with(GROUPS_EMPTY, protected.groups_empty)
        .with(LINES_ABOVE_CAP, protected.above_cap)
        .with(ROWS_REFUSED, read.refused)
        .complete();
    let ask = &worker.plan.ask;
    let is_cut = worker.method.min_persons() > 1;
    let mut certificate = Certificate {
        format: certificate::FORMAT,
        throng: env!("CARGO_PKG_VERSION").to_owned(),
        engine: Some(worker.plan.engine.clone()),
        input: Input {
            kind: QueryLog::CARD.name.to_owned(),
            persons: scales.persons(),
            rows: scales.rows(),
            time_format: ask.time_format.clone(),
            person: None,
            columns: BTreeMap::new(),
            log_format: None,
            ipv6_prefix: None,
            humans: None,
            bots: None,
        },
        output: Output {
            kind: None,
            file: DATA.to_owned(),
            format: None,
            sha256: io::hash_of_list(&listed),
            also: Vec::new(),
            persons: tallied.persons,
            rows: tallied.rows,
            columns: kinds::column_map::<QueryLog>(&layout),
            delimiter: None,
            header: None,
            time_format: times.format,
            time_zone: times.zone,
            log_format: None,
            timeout: None,
            humans: None,
            bots: None,
        },
        method: certificate::Method {
            name: worker.info.name.to_owned(),
            parameters: worker.method.parameters(),
            grouping: Some(Grouped { blocks: protected.blocks, largest_block: protected.largest, refined: true }),
        },
        claims,
        promise: None,
        randomness: if worker.plan.seeded { "seeded" } else { "secure" }.to_owned(),
        ids: "pseudonyms".to_owned(),
        text: Some(if is_cut { NORMAL_FORM } else { "as written" }.to_owned()),
        taxonomy: worker.method.needs_meaning().then(|| worker.knowledge.record()),
        table: None,
        search: None,
        noise: None,
        sensitive_items: None,
        accounting,
        content: Vec::new(),
        policy: None,
        ledger: None,
        report_sha256: None,
    };
    let report = report_of(worker, &certificate, &protected, &tallied)?;
    let text = certificate::json_text(&report)?;
    certificate.report_sha256 = Some(io::hash_bytes(&text));
    let page = report::html(&report, false)?;
    let as_text = |bytes: Vec<u8>| String::from_utf8(bytes).map_err(|cause| Error::internal(cause.to_string()));
    Ok(Papers { certificate: as_text(certificate.text()?)?, report: as_text(text)?, page })
}

/// Every claim of the method with what the files achieve.
fn claims(
    worker: &Worker,
    tallied: &Tallied,
    protected: &Seen,
    (queries, said): (&[String], &[u8]),
) -> Result<Vec<ClaimRecord>> {
    let refused = |says: String| Error::internal(format!("{says}, so it was not published"));
    if !tallied.is_in_order || tallied.persons != protected.persons {
        return Err(refused("the files do not hold every person of the release once".to_owned()));
    }
    let k = worker.k() as u64;
    if tallied.k < k {
        return Err(refused(format!("the release does not satisfy {}: k is {}", k_anonymity::USER.name, tallied.k)));
    }
    let record = |model: &str, parameters: Value, achieved: Value, needs: Option<&str>| ClaimRecord {
        model: model.to_owned(),
        parameters: object(parameters),
        verdict: "holds".to_owned(),
        achieved: object(achieved),
        needs: needs.map(str::to_owned),
    };
    let mut claims = vec![record(k_anonymity::USER.name, json!({"k": k}), json!({"k": tallied.k}), None)];
    let least = worker.method.min_persons();
    if least > 1 {
        let strings: Strings = queries.iter().map(String::as_str).collect();
        let fewest = Said::from_bytes(said)?.fewest(&strings);
        if (fewest as usize) < least {
            let model = content_threshold::INFO.name;
            return Err(refused(format!("the release does not satisfy {model}: {fewest} persons said a line of it")));
        }
        claims.push(record(
            content_threshold::INFO.name,
            json!({"min-persons": least, "accounts": "apart"}),
            json!({"min-persons": fewest}),
            Some("original"),
        ));
    }
    Ok(claims)
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

fn report_of(worker: &Worker, certificate: &Certificate, protected: &Seen, tallied: &Tallied) -> Result<Value> {
    let mut measures = Vec::new();
    for measure in worker.measures()? {
        if let Some((mean, _, undefined)) = protected.measures.finish(measure.info().info.name) {
            measures.push(measure.measured(mean, json!({"undefined": undefined})));
        }
    }
    let is_there = |name: &str| measures.iter().any(|measured| measured.name == name);
    let skipped: Vec<Skipped> = QueryLog::SHELF
        .measures(&[], false)?
        .into_iter()
        .map(|measure| measure.info().info.name)
        .filter(|name| !is_there(name))
        .map(|name| Skipped {
            name,
            reason: "no machine has all persons: measure a sample with `throng measure`".to_owned(),
        })
        .collect();
    let sizes: Vec<Value> =
        tallied.sizes.iter().map(|(size, groups)| json!({"size": size, "groups": groups})).collect();
    let date = (!worker.plan.seeded).then(report::today);
    let report = Report {
        format: report::FORMAT,
        title: worker.plan.title.as_deref(),
        date: date.as_deref(),
        certificate,
        exposure: json!({}),
        example: Value::Null,
        groups: json!({"count": tallied.sizes.values().sum::<u64>(), "sizes": sizes}),
        measures: &measures,
        attacks: &[],
        maps: Value::Null,
        skipped: &skipped,
        run: None,
    };
    let report = serde_json::to_value(&report).map_err(|cause| Error::internal(cause.to_string()))?;
    Ok(report::published(report, worker.k() as u64))
}
