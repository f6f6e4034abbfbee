//! The room of search logs: persons with lines of query, time, rank and clicked URL.

use std::io::Write;
use std::sync::Arc;

use serde_json::{Value, json};
use throng_core::accounts::{Accounts, RANKS_LOST, SITES_LOST};
use throng_core::concepts::{Coverage, Mapper};
use throng_core::data::time::TimeStyle;
use throng_core::data::{Clusters, Dataset, QueryLog, Strings};
use throng_core::distance::user_distance::{QueryWeights, Scales, UserSpace};
use throng_core::measures::Measure;
use throng_core::methods::Method;
use throng_core::models::digests::Digests;
use throng_core::models::{Witness, content_threshold};
use throng_core::profiles::lines::{LineWords, Pages};
use throng_core::progress::{Progress, Silent};
use throng_core::release::{Claim, Release, look_drawn};
use throng_core::shares::Trouble;
use throng_core::shares::log::{OpenedLog, opened_log};
use throng_core::synth::planted::{Planted, Planting};
use throng_core::synth::queries::{self, QueriesSynth};
use throng_core::text::has_content_word;
use throng_core::text::normal::normal_form;
use throng_core::{Error, Result, Rng};

use super::ask::{Ask, Knowledge, TaxonomyRecord, taxonomy_note};
use super::{
    About, Alike, Barred, Evidenced, HeldApart, KindCard, Kinded, Made, Naming, OpenedShares, Purpose, Read, Ready,
    Recognition, SettledBy, Shown, TimeForm, Wants, Written, lookalikes_of, unknown_phrases,
};
use crate::catalog::{self, Shelf};
use crate::drop_list::Bars;
use crate::io::{self, Format, FormatKind, Layout, Location, LogWriter, LookAt, Opened, Person, Place, Role};
use crate::memory::{self, Fit};
use crate::run::{Certified, DistanceOutcome, SynthRequest};
use crate::words::{self, counted, percent, thousands};

/// The column that tells persons apart: its name, or its number in a file without a header.
fn person_column(layout: &Layout, ask: &Ask) -> String {
    let is_user = |column: &super::ColumnShown| column.role == Role::User.name();
    super::columns_shown::<QueryLog>(layout, ask)
        .into_iter()
        .find(is_user)
        .map_or_else(String::new, |column| column.name)
}

impl Kinded for QueryLog {
    const CARD: KindCard = KindCard {
        name: "queries",
        summary: "a search log: who searched for what, when, and what they clicked",
        person: ["person", "persons"],
        row: ["row", "rows"],
        fact: <Self as Dataset>::FACTS[0].names,
        heading: "Searches of {}",
        facts: <Self as Dataset>::FACTS,
        unknown: ["phrase", "phrases"],
        made_up: ["tsv", ".tsv, .csv, .jsonl (also .gz, .zst) or .parquet"],
        roles: "user=… (person=… where a person has several), query=…, time=…, rank=…, url=…, date=… (where the day has a column of its own)",
        has_times: true,
        can_be_planted: true,
        ..KindCard::PLAIN
    };
    const SHELF: Shelf<Self> = catalog::QUERIES;
    const RECOGNITION: Recognition = Recognition {
        looks_like: "columns for a user, a query and a time",
        roles: &io::queries::ROLES,
        takes_folders: false,
        takes_any_cells: false,
        likeness: io::queries::likeness,
    };
    const HELD_OUT: Option<HeldApart> = Some(HeldApart::Days);

    type Layout = Layout;
    type Evidence = Digests;

    fn fact(&self, fact: u32) -> String {
        self.queries().get(fact).to_owned()
    }

    /// The query in normal form, as releases with a threshold have it.
    fn more_general(&self, fact: u32) -> Vec<String> {
        vec![normal_form(self.queries().get(fact))]
    }

    fn may_be_shown(&self, fact: u32) -> bool {
        has_content_word(self.queries().get(fact))
    }

    fn read(mut opened: Opened, ask: &Ask, purpose: Purpose, progress: &dyn Progress) -> Result<Read<Self>> {
        let is_release = purpose == Purpose::Release;
        let coarser = (!is_release).then(|| io::coarser_column(&mut opened, &ask.reading(), Self::RECOGNITION.roles));
        let read = io::read_opened_log(opened, &ask.reading(), progress)?;
        let scanned = read.scanned;
        let rows = read.log.rows() as u64;
        let (data, barred) = Barred::remove(read.log, ask, purpose, without)?;
        let about = About {
            file_kind: Self::CARD.name,
            format: scanned.format,
            rows,
            refused: scanned.refused,
            unmapped: scanned.layout.unmapped.clone(),
            uncompared: scanned.uncompared,
            layout: scanned.layout,
            first_lines: if barred.rows.is_none() { read.first_lines } else { Vec::new() },
            files: scanned.files,
            barred,
            notes: coarser.flatten().into_iter().collect(),
        };
        Ok(Read { data, about })
    }

    fn understand(parts: Vec<Self>, _about: &About<Self>, ask: &Ask, wants: Wants) -> Result<Ready<Self>> {
        let mut ready = Ready::plain(parts);
        if !wants.by_meaning && !wants.to_measure {
            return Ok(ready);
        }
        let knowledge = ask.knowledge()?;
        if wants.by_meaning || wants.of_all {
            ready.parts = with_meanings(ready.parts, &knowledge)?;
        }
        if wants.by_meaning {
            ready.taxonomy = Some(knowledge.record());
            ready.accounts = ready.parts.first().map(unknown_phrases).unwrap_or_default();
        }
        ready.knowledge = Some(knowledge);
        Ok(ready)
    }

    fn understand_pair(
        original: Read<Self>,
        release: Read<Self>,
        ask: &Ask,
        certified: Option<&TaxonomyRecord>,
        wants: Wants,
    ) -> Result<Ready<Self>> {
        let mut ready = Ready::plain(vec![original.data, release.data]);
        if wants.to_measure {
            let knowledge = ask.as_certified(certified).knowledge()?;
            if wants.of_all {
                ready.parts = with_meanings(ready.parts, &knowledge)?;
            }
            ready.notes.extend(taxonomy_note(Some(&knowledge.taxonomy), certified));
            ready.knowledge = Some(knowledge);
        }
        Ok(ready)
    }

    fn understand_samples(parts: Vec<Self>, knowledge: Option<&Knowledge>) -> Result<Vec<Self>> {
        match knowledge {
            Some(knowledge) => with_meanings(parts, knowledge),
            None => Ok(parts),
        }
    }

    fn understand_records(records: Self, original: &Self) -> Result<Self> {
        records.with_meaning_like(original)
    }

    fn held_apart(&self) -> Option<[Self; 2]> {
        Some(QueryLog::of_even_and_odd_days(self))
    }

    fn alike(&self) -> Option<Alike> {
        Some(alike_in(&Clusters::alike(self)))
    }

    fn settled(self, accounts: SettledBy) -> (Self, Option<Alike>) {
        if accounts == SettledBy::Columns {
            let apart = Arc::new(Clusters::apart(self.persons()));
            return (self.with_clusters(apart), None);
        }
        let clusters = Clusters::alike(&self);
        let alike = Some(alike_in(&clusters));
        match accounts {
            SettledBy::Merging => (self.merged(&clusters), alike),
            SettledBy::Noting => (self.with_clusters(Arc::new(clusters)), alike),
            SettledBy::Counting | SettledBy::Columns => (self, alike),
        }
    }

    fn merged_accounts(&self) -> Option<(&Strings, &[u32])> {
        self.accounts().map(|accounts| (accounts.names(), accounts.person_of()))
    }

    fn text_form(claims: &[Claim]) -> Option<&'static str> {
        let is_cut = claims.iter().any(|claim| claim.model == content_threshold::INFO.name);
        Some(if is_cut { super::NORMAL_FORM } else { "as written" })
    }

    /// The input's columns, header and time style; in another format, what fits that format.
    fn check_format(input: Format, asked: Option<Format>) -> Result<()> {
        if asked.unwrap_or(input).kind == FormatKind::Fimi {
            return Err(Error::parameter("format", "is one basket a line, which cannot hold a search log")
                .with_hint("a search log is written as tsv, csv, jsonl or parquet; text also as .gz or .zst"));
        }
        Ok(())
    }

    fn release_layout(about: &About<Self>, asked: Option<Format>, _records: &Self) -> Result<(Format, Layout)> {
        let (input, output) = (about.format, asked.unwrap_or(about.format));
        let mut layout = about.layout.clone();
        if input.kind != output.kind {
            layout.header |= output.kind != FormatKind::Tsv;
            layout.typed_person &=
                matches!(output.kind, FormatKind::JsonLines | FormatKind::Parquet | FormatKind::Arrow);
            layout.typed_time |= output.kind.has_typed_columns();
        }
        Ok((output, layout))
    }

    /// A column of a Parquet file has one type: kept ids are numbers there only if all of them are.
    fn with_ids(mut layout: Layout, format: Format, are_numbers: bool) -> Layout {
        layout.typed_person &= !format.kind.has_typed_columns() || are_numbers;
        layout
    }

    fn with_raw_cells(mut layout: Layout, raw: bool) -> Layout {
        layout.raw_cells = raw;
        layout
    }

    fn write<W: Write + Send>(
        out: &mut W,
        format: Format,
        layout: &Layout,
        records: &Self,
        persons: &[Person<'_>],
        progress: &dyn Progress,
    ) -> Result<u64> {
        io::write_persons(out, format, layout, records, persons, progress)
    }

    fn read_back(written: &Written<'_, Self>, progress: &dyn Progress) -> Result<Digests> {
        let read = io::read_opened_digests(written.open()?, &written.reading(), &mut Rng::secure()?, progress)?;
        let found = (read.digests.names().len(), read.digests.rows(), read.scanned.refused);
        if found != (written.release.persons.len(), written.rows, 0) || !read.scanned.uncompared.is_empty() {
            return Err(Error::internal("the release does not hold the persons and rows that were written"));
        }
        Ok(read.digests)
    }

    fn columns(layout: &Layout) -> Vec<(&'static str, String)> {
        layout.columns.iter().map(|(role, name)| (role.name(), name.clone())).collect()
    }

    fn has_header(layout: &Layout) -> bool {
        layout.header
    }

    /// ISO 8601 and points in time of the format itself need not be said.
    fn time_form(layout: &Layout) -> TimeForm {
        let is_said = match layout.time_style {
            TimeStyle::Calendar { .. } => false,
            TimeStyle::Pattern(_) => !layout.typed_time || layout.has_date(),
            TimeStyle::Number(_) => true,
        };
        TimeForm {
            format: is_said.then(|| layout.time_style.to_format()),
            zone: layout.time_zone.as_ref().map(|zone| zone.name().to_owned()),
        }
    }

    fn rows_of(&self, person: usize) -> usize {
        self.range(person).len()
    }

    fn opened_shares(&self) -> Option<std::result::Result<OpenedShares<Self>, Trouble>> {
        let opened = opened_log(self).map(|opened| {
            let OpenedLog { log, texts, closed, most_unopened } = opened;
            OpenedShares { data: log, texts, closed, most_unopened }
        });
        Some(opened)
    }

    fn texts(&self) -> Vec<&str> {
        self.queries().iter().chain(self.urls().iter()).collect()
    }

    fn account(original: &Self, release: &Release<Self>, _rows: u64, accounts: &mut Accounts) {
        let clicks = |log: &Self, persons: &mut dyn Iterator<Item = u32>| {
            let lines = persons.flat_map(|person| log.lines(person as usize));
            lines.fold([0u64; 2], |[sites, ranks], line| {
                [sites + u64::from(line.url.is_some()), ranks + u64::from(line.rank.is_some())]
            })
        };
        let before = clicks(original, &mut (0..original.persons() as u32));
        let after = clicks(&release.records, &mut release.persons.iter().map(|person| person.record));
        for (account, (before, after)) in [SITES_LOST, RANKS_LOST].into_iter().zip(before.into_iter().zip(after)) {
            if before > 0 {
                *accounts = std::mem::take(accounts).with(account, before.saturating_sub(after));
            }
        }
    }

    fn memory(
        opened: &Opened,
        ask: &Ask,
        method: &dyn Method<Self>,
        measures: &[&'static dyn Measure<Self>],
    ) -> Result<Option<f64>> {
        let size = io::estimate_log(opened, &ask.reading()).ok();
        Ok(size.map(|size| memory::needs_of_log(size, method, measures)))
    }

    fn fit(
        limit: u64,
        opened: &Opened,
        ask: &Ask,
        method: &dyn Method<Self>,
        measures: &mut Vec<&'static dyn Measure<Self>>,
    ) -> Result<Fit> {
        memory::fit_log(limit, io::estimate_log(opened, &ask.reading())?, method, measures)
    }

    fn evidence(
        opened: Opened,
        ask: &Ask,
        _certified: &Certified,
        _needs_sensitive: bool,
        progress: &dyn Progress,
    ) -> Result<Evidenced<Self>> {
        let read = io::read_opened_digests(opened, &ask.reading(), &mut Rng::secure()?, progress)?;
        let scanned = read.scanned;
        Ok(Evidenced {
            persons: read.digests.names().len(),
            rows: read.digests.rows(),
            refused: scanned.refused,
            person_column: person_column(&scanned.layout, ask),
            ids_look_drawn: look_drawn(read.digests.names()),
            unmapped: scanned.layout.unmapped,
            unmapped_count: true,
            uncompared: scanned.uncompared,
            first_lines: Vec::new(),
            files: scanned.files,
            notes: lookalikes_of(read.digests.names()).into_iter().collect(),
            evidence: read.digests,
        })
    }

    fn witness(seen: &Evidenced<Self>, witness: &Witness, naming: &Naming) -> Value {
        let evidence = &seen.evidence;
        let line = evidence.tallies()[witness.person as usize].first_line;
        naming.of(evidence.names().get(witness.person), Some(seen.files.place(line)), true, witness)
    }

    fn witness_in_words(witness: &Value) -> String {
        if witness["column"].is_null() {
            return words::alone(witness, Self::CARD.person[0]);
        }
        // A line of a release that says what too few persons of the original said.
        let persons = match witness["persons"].as_u64().unwrap_or_default() {
            0 => "nobody".to_owned(),
            count => format!("only {}", counted(count, "person", "persons")),
        };
        let line = words::line_of(witness).unwrap_or_else(|| "some line".to_owned());
        let text = if witness["column"] == "url" {
            format!("the URL in {line} is what {persons} clicked")
        } else {
            if witness["normal_form"] == false {
                let text = format!("the query in {line} is not in normal form");
                return witness["value"].as_str().map_or(text.clone(), |value| format!("{text}: {value}"));
            }
            let or_nothing = if witness["persons"] == 0 { ", or has no content word" } else { "" };
            format!("the query in {line} says what {persons} said{or_nothing}")
        };
        match witness["value"].as_str() {
            Some(value) => format!("{text}: {value}"),
            None => text,
        }
    }

    fn line_of(
        location: &Location,
        ask: &Ask,
        column: &str,
        value: &str,
        progress: &dyn Progress,
    ) -> Result<Option<(Option<String>, u64)>> {
        let role = if column == "url" { Role::Url } else { Role::Query };
        io::first_line_with(location, &ask.reading(), role, value, progress)
    }

    fn line_words(&self, pages: &Pages) -> Option<LineWords> {
        Some(LineWords::of(self, pages))
    }

    fn places(opened: Opened, ask: &Ask, look: LookAt<'_>, progress: &dyn Progress) -> Result<Option<Vec<Place>>> {
        io::log_places(opened, &ask.reading(), look, progress).map(Some)
    }

    fn shown(read: &Read<Self>, _ask: &Ask) -> Result<Vec<Shown>> {
        let log = &read.data;
        let (first, last) = log.time_span().unwrap_or_default();
        let layout = &read.about.layout;
        let [first, last] = [first, last].map(|time| layout.shown_time(time));
        let form = Self::time_form(layout);
        let written = form.format.map_or(String::new(), |format| format!(", written as {format}"));
        let zone = form.zone.map_or(String::new(), |zone| format!(", in {zone}"));
        let clicked = log.rows_with_url() as f64 / log.rows().max(1) as f64;
        Ok(vec![
            Shown::new("persons", thousands(log.persons() as u64), vec![("persons", json!(log.persons()))]),
            Shown::new(
                "rows",
                format!("{} ({} with a click)", thousands(log.rows() as u64), percent(clicked)),
                vec![
                    ("rows", json!(log.rows())),
                    ("distinct_urls", json!(log.urls().len())),
                    ("rows_with_click", json!(log.rows_with_url())),
                ],
            ),
            super::rows_each(log),
            Shown::new(
                "queries",
                counted(log.queries().len() as u64, "different string", "different strings"),
                vec![("distinct_queries", json!(log.queries().len()))],
            ),
            Shown::new(
                "times",
                format!("{first} to {last}{zone}{written}"),
                vec![
                    ("first_time", json!(first)),
                    ("last_time", json!(last)),
                    ("time_format", json!(layout.time_style.to_format())),
                    ("time_zone", json!(layout.time_zone.as_ref().map(io::TimeZone::name))),
                ],
            ),
        ])
    }

    fn coverage(&self, mapper: &Mapper, k: usize, samples: usize) -> Option<Coverage> {
        Some(Coverage::of(mapper, self, k, samples))
    }

    fn distance(&self, [left, right]: [usize; 2], weights: QueryWeights) -> Option<DistanceOutcome> {
        let space = UserSpace::new(Scales::of(self), weights, &[self]);
        let (distance, parts) = space.parts(left, right);
        Some(DistanceOutcome { distance, parts })
    }

    fn synth(request: &SynthRequest, stdout: &mut (dyn Write + Send), progress: &dyn Progress) -> Result<Made> {
        let SynthRequest { persons, mean_lines, seed, clicks_only, .. } = *request;
        let params = queries::Params { persons, mean_lines, seed, clicks_only };
        let planting = Planting { persons: request.plant, accounts: request.accounts };
        let synth = QueriesSynth::new(params)?.planting(planting)?;
        let planted = synth.planted();
        let format = request.format_of(&Self::CARD)?;
        if !planted.is_empty() {
            request.write_facts(&facts(&planted))?;
        }
        let made = request.to_file(stdout, |out| make_up(&synth, out, format, progress));
        let rows = made.inspect_err(|_| {
            // Facts about a log that is not there help nobody.
            if !planted.is_empty() {
                let _ = std::fs::remove_file(request.facts_place());
            }
        })?;
        let persons = counted(synth.persons() as u64, "person", "persons");
        let mut said = format!("{} of {persons}", counted(rows, "search", "searches"));
        if !planted.is_empty() {
            let planted = counted(planted.len() as u64, "planted person", "planted persons");
            said = format!("{said}, and the facts of {planted} in {}", request.facts_place().display());
        }
        Ok(Made { rows, said })
    }
}

/// What was planted, one account a line: who it is, which of the planted persons that is, and what they type.
fn facts(planted: &[Planted]) -> String {
    let mut lines = String::new();
    for (number, person) in (1..).zip(planted) {
        let facts: Vec<Value> =
            person.facts.iter().map(|fact| json!({"sort": fact.sort, "query": fact.query})).collect();
        for account in &person.accounts {
            lines += &json!({"person": account, "planted": number, "facts": facts}).to_string();
            lines.push('\n');
        }
    }
    lines
}

/// A log without what may never be published.
pub(super) fn without(log: &QueryLog, who: &dyn Bars) -> Result<QueryLog> {
    Ok(log.without(|text| who.bars(text)))
}

/// Persons made up at a time: enough to keep all cores busy, few enough to stay small.
const BLOCK: usize = 5000;

fn make_up(
    synth: &QueriesSynth,
    mut out: &mut (dyn Write + Send),
    format: Format,
    progress: &dyn Progress,
) -> Result<u64> {
    progress.stage("making up searches", synth.persons() as u64);
    let layout = Layout { typed_time: true, ..Layout::aol() };
    let mut writer = LogWriter::new(&mut out, format, &layout)?;
    let mut start = 0;
    while start < synth.persons() {
        let end = (start + BLOCK).min(synth.persons());
        let log = synth.block(start..end);
        let person = |person: u32| Person { name: log.names().get(person), person };
        let persons: Vec<Person<'_>> = (0..log.persons() as u32).map(person).collect();
        writer.append(&log, &persons, &Silent)?;
        progress.advance((end - start) as u64);
        start = end;
    }
    writer.finish()
}

/// What clusters of accounts are, in numbers.
fn alike_in(clusters: &Clusters) -> Alike {
    Alike { accounts: clusters.accounts_alike(), persons: clusters.persons_alike() }
}

/// Logs with what their queries mean, all over one taxonomy.
fn with_meanings(logs: Vec<QueryLog>, knowledge: &Knowledge) -> Result<Vec<QueryLog>> {
    let tables: Vec<&Strings> = logs.iter().map(QueryLog::queries).collect();
    let meanings = knowledge.of(&tables)?;
    Ok(logs.into_iter().zip(meanings).map(|(log, meaning)| log.with_meaning(meaning)).collect())
}
