//! The papers of a release that was made on many machines: every claim judged on the files as they were read back, then certificate, report
//! and page.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value, json};
use throng_core::accounts::{
    Accounts, GROUPS_EMPTY, IDENTIFIERS_LEFT_OUT, LINES_ABOVE_CAP, OCCURRENCES_SUPPRESSED, OCCURRENCES_UNKNOWN,
    PERSONS_DROPPED, ROWS_DROPPED, ROWS_REFUSED,
};
use throng_core::data::{QueryLog, Strings};
use throng_core::measures::Measured;
use throng_core::models::content_threshold::Said as SaidBy;
use throng_core::models::{content_threshold, k_anonymity};
use throng_core::partition::grouping::Grouped;
use throng_core::pieces::{Piece as _, Tallied, Tally};
use throng_core::{Error, Result};

use super::cells::{Cells, FileSeen, OfCells};
use super::searches::Searches;
use super::{Plan, Seen, State, of_files, parsed};
use crate::certificate::{self, Certificate, ClaimRecord, Input, Output};
use crate::io;
use crate::kinds::{self, Kinded, NORMAL_FORM, TableRecord, TaxonomyRecord};
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

/// What is said of a release in its papers.
struct Said {
    input: Input,
    output: Output,
    method: certificate::Method,
    claims: Vec<ClaimRecord>,
    /// Whether persons have pseudonyms.
    has_ids: bool,
    text: Option<String>,
    taxonomy: Option<TaxonomyRecord>,
    table: Option<TableRecord>,
    accounting: Accounts,
    measures: Vec<Measured>,
    /// Every measure of the kind.
    names: Vec<&'static str>,
}

/// The release of a search log.
pub(super) fn finish(worker: &Searches, found: &Found<'_>) -> Result<Papers> {
    let state: State = parsed(found.state, "state")?;
    let (read, protected) = (seen_of(found.read)?, seen_of(found.protected)?);
    let contents: Vec<Vec<u8>> = found.files.iter().map(|(_, seen)| seen.clone()).collect();
    let (tally, texts, hashes) = of_files(&contents)?;
    let tallied = tally.verdict();
    let claims = claims(worker, &tallied, &protected, (&texts.queries, found.said))?;
    let scales = state.scales()?;
    let accounting = Accounts::new()
        .with(PERSONS_DROPPED, scales.persons() - tallied.persons)
        .with(ROWS_DROPPED, protected.rows_dropped)
        .with(GROUPS_EMPTY, protected.groups_empty)
        .with(LINES_ABOVE_CAP, protected.above_cap)
        .with(ROWS_REFUSED, read.refused)
        .complete();
    let is_cut = worker.method.min_persons() > 1;
    let mut measures = Vec::new();
    for measure in worker.measures()? {
        if let Some((mean, _, undefined)) = protected.measures.finish(measure.info().info.name) {
            measures.push(measure.measured(mean, json!({"undefined": undefined})));
        }
    }
    let said = Said {
        input: input_of::<QueryLog>(&worker.plan, scales.persons(), scales.rows()),
        output: output_of::<QueryLog>(&worker.layout(&QueryLog::default())?, found, &hashes, &tallied),
        method: certificate::Method {
            name: worker.info.name.to_owned(),
            parameters: worker.method.parameters(),
            grouping: Some(Grouped { blocks: protected.blocks, largest_block: protected.largest, refined: true }),
        },
        claims,
        has_ids: true,
        text: Some(if is_cut { NORMAL_FORM } else { "as written" }.to_owned()),
        taxonomy: worker.method.needs_meaning().then(|| worker.knowledge.record()),
        table: None,
        accounting,
        measures,
        names: names_of::<QueryLog>()?,
    };
    papers(&worker.plan, worker.k(), said, &tallied)
}

/// The release of baskets, or of a table.
pub(super) fn finish_cells<D: Cells>(worker: &OfCells<D>, found: &Found<'_>) -> Result<Papers> {
    let state: State = parsed(found.state, "state")?;
    let (read, protected) = (seen_of(found.read)?, seen_of(found.protected)?);
    let (mut tally, mut whole, mut hashes) = (Tally::default(), 0u128, Vec::new());
    for (_, bytes) in &found.files {
        let file: FileSeen = parsed(bytes, "files")?;
        tally = tally.merge(file.tally);
        whole = whole.wrapping_add(file.whole);
        hashes.push(file.sha256);
    }
    let tallied = tally.verdict();
    refuse_unlike(&tallied, &protected)?;
    if whole != protected.whole {
        return Err(Error::internal(
            "the files hold other rows than those that were protected, so they were not published",
        ));
    }
    if tallied.k < worker.k() as u64 {
        return Err(fails(D::MODEL.name, &tallied));
    }
    let columns = state.columns()?;
    let (_, layout) = D::released(&[], worker, &state)?;
    let dropped = columns.rows.saturating_sub(tallied.rows);
    let taxonomy = D::taxonomy(worker)?;
    let mut accounting = Accounts::new()
        .with(PERSONS_DROPPED, columns.persons.saturating_sub(tallied.persons))
        .with(ROWS_DROPPED, dropped)
        .with(ROWS_REFUSED, read.refused);
    if taxonomy.is_some() {
        accounting = accounting.with(OCCURRENCES_UNKNOWN, protected.unknown).with(OCCURRENCES_SUPPRESSED, dropped);
    }
    let left_out = D::identifiers_left_out(&layout);
    if left_out > 0 {
        accounting = accounting.with(IDENTIFIERS_LEFT_OUT, left_out);
    }
    let said = Said {
        input: input_of::<D>(&worker.plan, columns.persons, columns.rows),
        output: output_of::<D>(&layout, found, &hashes, &tallied),
        method: certificate::Method {
            name: worker.info.name.to_owned(),
            parameters: worker.method.parameters(),
            grouping: Some(Grouped { blocks: protected.blocks, largest_block: protected.largest, refined: true }),
        },
        claims: vec![worker.claim(tallied.k)],
        has_ids: worker.head.has_ids(),
        text: None,
        taxonomy,
        table: D::table_record(&layout),
        accounting: accounting.complete(),
        measures: worker.measured(&protected.measures)?,
        names: names_of::<D>()?,
    };
    papers(&worker.plan, worker.k(), said, &tallied)
}

fn seen_of(bytes: &[u8]) -> Result<Seen> {
    if bytes.is_empty() { Ok(Seen::default()) } else { Seen::from_bytes(bytes) }
}

fn names_of<D: Kinded>() -> Result<Vec<&'static str>> {
    Ok(D::SHELF.measures(&[], false)?.into_iter().map(|measure| measure.info().info.name).collect())
}

fn input_of<D: Kinded>(plan: &Plan, persons: u64, rows: u64) -> Input {
    Input {
        kind: D::CARD.name.to_owned(),
        persons,
        rows,
        time_format: plan.ask.time_format.clone(),
        person: None,
        columns: BTreeMap::new(),
        log_format: None,
        ipv6_prefix: None,
        humans: None,
        bots: None,
    }
}

fn output_of<D: Kinded>(layout: &D::Layout, found: &Found<'_>, hashes: &[String], tallied: &Tallied) -> Output {
    let mut listed: Vec<(&str, &str)> =
        found.files.iter().zip(hashes).map(|((name, _), hash)| (name.as_str(), hash.as_str())).collect();
    listed.sort_unstable();
    let times = D::time_form(layout);
    Output {
        kind: None,
        file: DATA.to_owned(),
        format: None,
        sha256: io::hash_of_list(&listed),
        also: Vec::new(),
        persons: tallied.persons,
        rows: tallied.rows,
        columns: kinds::column_map::<D>(layout),
        delimiter: None,
        header: None,
        time_format: times.format,
        time_zone: times.zone,
        log_format: None,
        timeout: None,
        humans: None,
        bots: None,
    }
}

fn papers(plan: &Plan, k: usize, said: Said, tallied: &Tallied) -> Result<Papers> {
    let mut certificate = Certificate {
        format: certificate::FORMAT,
        throng: env!("CARGO_PKG_VERSION").to_owned(),
        engine: Some(plan.engine.clone()),
        input: said.input,
        output: said.output,
        method: said.method,
        claims: said.claims,
        promise: None,
        randomness: if plan.seeded { "seeded" } else { "secure" }.to_owned(),
        ids: if said.has_ids { "pseudonyms" } else { "none" }.to_owned(),
        text: said.text,
        taxonomy: said.taxonomy,
        table: said.table,
        search: None,
        noise: None,
        sensitive_items: None,
        accounting: said.accounting,
        content: Vec::new(),
        policy: None,
        ledger: None,
        report_sha256: None,
    };
    let report = report_of(plan, k, &certificate, (&said.measures, &said.names), tallied)?;
    let text = certificate::json_text(&report)?;
    certificate.report_sha256 = Some(io::hash_bytes(&text));
    let page = report::html(&report, false)?;
    let as_text = |bytes: Vec<u8>| String::from_utf8(bytes).map_err(|cause| Error::internal(cause.to_string()));
    Ok(Papers { certificate: as_text(certificate.text()?)?, report: as_text(text)?, page })
}

/// Refuses files that do not hold every person once.
fn refuse_unlike(tallied: &Tallied, protected: &Seen) -> Result<()> {
    if tallied.is_in_order && tallied.persons == protected.persons {
        return Ok(());
    }
    Err(Error::internal("the files do not hold every person of the release once, so it was not published"))
}

fn fails(model: &str, tallied: &Tallied) -> Error {
    Error::internal(format!("the release does not satisfy {model}: k is {}, so it was not published", tallied.k))
}

/// Every claim of the method with what the files achieve.
fn claims(
    worker: &Searches,
    tallied: &Tallied,
    protected: &Seen,
    (queries, said): (&[String], &[u8]),
) -> Result<Vec<ClaimRecord>> {
    refuse_unlike(tallied, protected)?;
    let k = worker.k() as u64;
    if tallied.k < k {
        return Err(fails(k_anonymity::USER.name, tallied));
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
        let fewest = SaidBy::from_bytes(said)?.fewest(&strings);
        if (fewest as usize) < least {
            let model = content_threshold::INFO.name;
            return Err(Error::internal(format!(
                "the release does not satisfy {model}: {fewest} persons said a line of it, so it was not published"
            )));
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

fn report_of(
    plan: &Plan,
    k: usize,
    certificate: &Certificate,
    (measures, names): (&[Measured], &[&'static str]),
    tallied: &Tallied,
) -> Result<Value> {
    let is_there = |name: &str| measures.iter().any(|measured| measured.name == name);
    let skipped: Vec<Skipped> = names
        .iter()
        .filter(|name| !is_there(name))
        .map(|name| Skipped {
            name,
            reason: "no machine has all persons: measure a sample with `throng measure`".to_owned(),
        })
        .collect();
    let sizes: Vec<Value> =
        tallied.sizes.iter().map(|(size, groups)| json!({"size": size, "groups": groups})).collect();
    let date = (!plan.seeded).then(report::today);
    let report = Report {
        format: report::FORMAT,
        title: plan.title.as_deref(),
        date: date.as_deref(),
        certificate,
        exposure: json!({}),
        example: Value::Null,
        groups: json!({"count": tallied.sizes.values().sum::<u64>(), "sizes": sizes}),
        measures,
        attacks: &[],
        maps: Value::Null,
        network: Value::Null,
        skipped: &skipped,
        run: None,
    };
    let report = serde_json::to_value(&report).map_err(|cause| Error::internal(cause.to_string()))?;
    Ok(report::published(report, k as u64))
}
