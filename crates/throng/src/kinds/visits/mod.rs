//! The room of access logs: visitors with lines of request, answer, referrer and agent.

mod synth;

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use throng_core::accounts::{
    Accounts, GROUPS_MADE, GROUPS_OF_ONE, GROUPS_WITH_BOTS, QUERY_STRINGS_LEFT_OUT, USERS_LEFT_OUT,
};
use throng_core::data::queries::MISSING;
use throng_core::data::visits::{Part, PathTree};
use throng_core::data::{Dataset, Visits};
use throng_core::models::Witness;
use throng_core::models::visit_k_anonymity::SESSION;
use throng_core::profiles::lines::{LineWords, Pages};
use throng_core::progress::Progress;
use throng_core::release::{Published, Release, addresses};
use throng_core::taxonomy::fit::Unknown;
use throng_core::{Error, Result};

use super::ask::{Ask, TaxonomyRecord};
use super::{
    About, Barred, Evidenced, HeldApart, KindCard, Kinded, Made, Naming, Purpose, Read, Ready, Recognition, Shown,
    TimeForm, Wants, Written,
};
use crate::agents;
use crate::catalog::{self, Shelf};
use crate::io::visits::{self, Field, LogName, times};
use crate::io::{self, Format, FormatKind, LookAt, Opened, Person, PersonBy, Place, VisitsLayout};
use crate::run::{Certified, SynthRequest};
use crate::taxonomy;
use crate::words::{self, counted, percent, thousands};

impl Kinded for Visits {
    const CARD: KindCard = KindCard {
        name: "visits",
        summary: "a web access log: which visitor asked for which page, when, and with what browser",
        person: ["visitor", "visitors"],
        row: ["line", "lines"],
        fact: <Self as Dataset>::FACTS[0].names,
        heading: "Visits of {}",
        facts: <Self as Dataset>::FACTS,
        unknown: ["path", "paths"],
        made_up: ["log", ".log, .jsonl, .csv, .tsv (also .gz, .zst, .bz2) or .parquet"],
        roles: "address=…, time=…, request=… (or method=…, path=…, query=…), status=…, bytes=…, referrer=…, agent=…, host=…, user=…, \
                session=…; person=… (address, address+agent, user, session, or a column)",
        has_several_rows: false,
        release_has_own_columns: true,
        has_times: true,
        ..KindCard::PLAIN
    };
    const SHELF: Shelf<Self> = catalog::VISITS;
    const HELD_OUT: Option<HeldApart> = Some(HeldApart::Days);
    const HEEDED: &'static [&'static str] = &["timeout"];
    const RECOGNITION: Recognition = Recognition {
        looks_like: "lines of a web server, or columns for an address, a time and a request",
        roles: &visits::ROLES,
        takes_folders: false,
        takes_any_cells: false,
        likeness: visits::likeness,
    };

    type Layout = VisitsLayout;
    type Evidence = Self;

    fn fact(&self, fact: u32) -> String {
        self.texts(Part::Path).get(fact).to_owned()
    }

    fn read(opened: Opened, ask: &Ask, purpose: Purpose, progress: &dyn Progress) -> Result<Read<Self>> {
        let read = io::read_opened_visits(opened, &ask.reading(), progress)?;
        agents::check()?;
        let mut log = read.visits.with_agents(agents::parse);
        let mut layout = read.layout;
        // A release without its certificate: every address that was drawn is a visitor's.
        let is_drawn = |log: &Self| Visits::texts(log, Part::Address).iter().all(addresses::are_drawn);
        if purpose == Purpose::Release && layout.person == PersonBy::AddressAndAgent && is_drawn(&log) {
            log = log.by_address();
            layout.person = PersonBy::WholeAddress;
        }
        let rows = log.rows() as u64;
        let (data, barred) = Barred::remove(log, ask, purpose, |log, who| Ok(log.without(|text| who.bars(text))))?;
        let notes = notes_of(&layout, &data);
        let about = About {
            file_kind: Self::CARD.name,
            format: read.format,
            rows,
            refused: read.refused,
            unmapped: read.unmapped,
            uncompared: read.uncompared,
            layout,
            first_lines: read.first_lines,
            files: read.files,
            barred,
            notes,
        };
        Ok(Read { data, about })
    }

    /// A policy may look concepts up in a taxonomy; without one it is the tree that paths go up.
    fn understand(parts: Vec<Self>, _about: &About<Self>, ask: &Ask, _wants: Wants) -> Result<Ready<Self>> {
        if ask.taxonomies.is_empty() || ask.policy.is_some() {
            return Ok(Ready::plain(parts));
        }
        let [file] = &ask.taxonomies[..] else {
            return Err(Error::parameter("taxonomy", "is several, but paths go up one tree")
                .with_hint("write all pairs of child and parent into one file"));
        };
        let (tree, record) = tree_of(file)?;
        let parts = parts.into_iter().map(|part| part.with_tree(Arc::clone(&tree))).collect();
        Ok(Ready { taxonomy: Some(record), ..Ready::plain(parts) })
    }

    fn understand_records(records: Self, _original: &Self) -> Result<Self> {
        Ok(records.with_agents(agents::parse))
    }

    /// Of visitors who came on both.
    fn held_apart(&self) -> Option<[Self; 2]> {
        let is_odd = |row: usize| throng_core::data::time::day(self.time(row)) % 2 != 0;
        let has = |person: usize, odd: bool| self.range(person).any(|row| is_odd(row) == odd);
        let both: Vec<usize> = (0..self.persons()).filter(|&person| has(person, false) && has(person, true)).collect();
        Some([false, true].map(|odd| {
            let (mut rows, mut starts) = (Vec::new(), vec![0]);
            for &person in &both {
                rows.extend(self.range(person).filter(|&row| is_odd(row) == odd));
                starts.push(rows.len());
            }
            self.of_rows(both.iter().map(|&person| self.names().get(person as u32)).collect(), starts, &rows)
        }))
    }

    fn check_format(_input: Format, asked: Option<Format>) -> Result<()> {
        match asked.map(|format| format.kind) {
            Some(FormatKind::Fimi) => Err(Error::parameter("format", "is one basket a line, which cannot hold visits")
                .with_hint("visits are written as combined, w3c and other logs, tsv, csv, jsonl or parquet")),
            _ => Ok(()),
        }
    }

    /// The input's form; in another format, what is usual there. Whoever has an address of their own is a visitor.
    fn release_layout(about: &About<Self>, asked: Option<Format>, records: &Self) -> Result<(Format, VisitsLayout)> {
        let format = asked.unwrap_or(about.format);
        let mut layout = if format.kind == about.format.kind || asked.is_none() {
            about.layout.clone()
        } else {
            about.layout.converted(format, records)?
        };
        layout = layout.without_persons();
        let is_by_agent = |names: &[String]| names.iter().any(|name| name.contains(' '));
        layout.person = match records.published().is_some_and(is_by_agent) {
            true => PersonBy::WholeAddressAndAgent,
            false => PersonBy::WholeAddress,
        };
        layout.first.clear();
        layout.header = true;
        Ok((format, layout))
    }

    fn laid_out(records: Self, layout: &VisitsLayout) -> Self {
        let request = layout.has(Field::Request);
        let has = |part: Part| match part {
            Part::Address => true,
            Part::Method => request || layout.has(Field::Method),
            Part::Path => request || layout.has(Field::Path),
            Part::Query => request || layout.has(Field::Path) || layout.has(Field::Query),
            Part::Version => request || layout.has(Field::Version),
            Part::Referrer => layout.has(Field::Referrer),
            Part::Agent => layout.has(Field::Agent),
            Part::Host => layout.has(Field::Host) || layout.is_absolute(),
            // Users are never published.
            Part::User => false,
            Part::Session => layout.has(Field::Session),
        };
        records.held_by(has, layout.has(Field::Status), layout.has(Field::Bytes))
    }

    fn with_raw_cells(mut layout: VisitsLayout, raw: bool) -> VisitsLayout {
        layout.raw_cells = raw;
        layout
    }

    fn write<W: Write + Send>(
        out: &mut W,
        format: Format,
        layout: &VisitsLayout,
        records: &Self,
        persons: &[Person<'_>],
        progress: &dyn Progress,
    ) -> Result<u64> {
        io::write_visits(out, format, layout, records, persons, progress)
    }

    fn read_back(written: &Written<'_, Self>, progress: &dyn Progress) -> Result<Self> {
        let read = io::read_opened_visits(written.open()?, &written.reading(), progress)?;
        let found = &read.visits;
        let has_all_persons = found.persons() == written.release.written().len();
        if !holds_what_was_meant(found, written.release)
            || !has_all_persons
            || read.refused > 0
            || !read.uncompared.is_empty()
        {
            return Err(Error::internal("the release does not hold the visitors and lines that were written"));
        }
        Ok(read.visits)
    }

    fn columns(layout: &VisitsLayout) -> Vec<(&'static str, String)> {
        let person = (layout.person != PersonBy::Column).then(|| ("person", layout.person.name().to_owned()));
        let named = layout.columns.iter().map(|(field, name)| (field.name(), name.clone()));
        named.chain(person).collect()
    }

    /// A request says a method, a path and a version.
    fn named_fields(layout: &VisitsLayout) -> Vec<(&'static str, String)> {
        let inside = layout.has(Field::Request).then_some([Field::Method, Field::Path, Field::Query, Field::Version]);
        let inside = inside.into_iter().flatten().map(|field| (field.name(), field.name().to_owned()));
        Self::columns(layout).into_iter().chain(inside).collect()
    }

    fn has_header(layout: &VisitsLayout) -> bool {
        layout.header
    }

    fn time_form(layout: &VisitsLayout) -> TimeForm {
        TimeForm { format: None, zone: layout.zone.as_ref().map(|zone| zone.name().to_owned()) }
    }

    fn log_format(layout: &VisitsLayout) -> Option<String> {
        layout.log_format()
    }

    fn said_person(layout: &VisitsLayout) -> Option<String> {
        layout.said_person.clone()
    }

    fn timeout(layout: &VisitsLayout) -> Option<u64> {
        layout.timeout
    }

    fn humans_and_bots(&self, persons: &mut dyn Iterator<Item = u32>) -> Option<[u64; 2]> {
        let mut counts = [0; 2];
        persons.for_each(|person| counts[usize::from(self.is_bot(person as usize))] += 1);
        Some(counts)
    }

    fn rows_of(&self, person: usize) -> usize {
        self.range(person).len()
    }

    fn texts(&self) -> Vec<&str> {
        let parts = [Part::Path, Part::Query, Part::Referrer, Part::Agent, Part::Host, Part::User];
        parts.into_iter().flat_map(|part| Visits::texts(self, part).iter()).collect()
    }

    fn account(original: &Self, release: &Release<Self>, _rows: u64, accounts: &mut Accounts) {
        let having = |part: Part| original.column(part).iter().filter(|&&id| id != MISSING).count() as u64;
        let mut add = |account, count: u64| {
            if count > 0 {
                *accounts = std::mem::take(accounts).with(account, count);
            }
        };
        add(USERS_LEFT_OUT, having(Part::User));
        // Where some are kept, too few visitors had the others.
        if !release.records.has_part(Part::Query) {
            add(QUERY_STRINGS_LEFT_OUT, having(Part::Query));
        }
    }

    fn remark(release: &Release<Self>) -> Option<String> {
        let counted = |account| release.accounts.get(account).unwrap_or(0);
        let (made, of_one) = (counted(GROUPS_MADE), counted(GROUPS_OF_ONE));
        if made > 0 {
            let unit =
                if release.claims.iter().any(|claim| claim.model == SESSION.name) { "sessions" } else { "lines" };
            let share = percent(of_one as f64 / made as f64);
            return Some(format!(
                "{share} of the groups are {unit} of one visitor: this unit does not hide visitors, `--unit visitor` does"
            ));
        }
        if counted(GROUPS_WITH_BOTS) > 0 {
            let groups = words::counted(counted(GROUPS_WITH_BOTS), "group has", "groups have");
            return Some(format!(
                "{groups} humans and declared bots in it: a bot is no person to hide among, `--bots apart` keeps them apart"
            ));
        }
        (release.claims.is_empty() && release.records.has_own_names()).then(|| {
            "masked addresses hide hardly anybody: `throng inspect` shows how many visitors are alone by /24 and agent".to_owned()
        })
    }

    fn evidence(
        opened: Opened,
        ask: &Ask,
        certified: &Certified,
        _needs_sensitive: bool,
        progress: &dyn Progress,
    ) -> Result<Evidenced<Self>> {
        let mut read = io::read_opened_visits(opened, &ask.reading(), progress)?;
        if certified.certificate.as_ref().is_some_and(|certificate| !certificate.is_of_a_newer_throng())
            && !io::is_as_written(&read, &certified.location)?
        {
            read.uncompared.push("something in the lines that is not as throng writes their values".to_owned());
        }
        let visits = read.visits;
        // Inside a network that is published on purpose nobody can tell whether an address was drawn.
        let method = certified.certificate.as_ref().map(|certificate| &certificate.method);
        let is_in_networks = method.is_some_and(|method| method.parameters.get("address") == Some(&json!("prefix")));
        let ids_look_drawn = is_in_networks || Visits::texts(&visits, Part::Address).iter().all(addresses::are_drawn);
        Ok(Evidenced {
            persons: visits.persons(),
            rows: visits.rows() as u64,
            refused: read.refused,
            person_column: read.layout.person.in_words().to_owned(),
            ids_look_drawn,
            unmapped: read.unmapped,
            unmapped_count: false,
            uncompared: read.uncompared,
            first_lines: read.first_lines,
            files: read.files,
            notes: Vec::new(),
            evidence: visits,
        })
    }

    fn witness(seen: &Evidenced<Self>, witness: &Witness, naming: &Naming) -> Value {
        let place = seen.first_lines.get(witness.person as usize).map(|&line| seen.files.place(line));
        naming.of(seen.evidence.names().get(witness.person), place, true, witness)
    }

    fn witness_in_words(witness: &Value) -> String {
        let Some(column) = witness["column"].as_str() else { return words::alone(witness, Self::CARD.person[0]) };
        // A line of a release that says what too few visitors of the original had.
        let visitors = match witness["group_size"].as_u64().unwrap_or_default() {
            0 => "nobody".to_owned(),
            count => format!("only {}", words::counted(count, "visitor", "visitors")),
        };
        format!("a line of {} has a {column} that {visitors} had", words::who(witness, Self::CARD.person[0]))
    }

    fn line_words(&self, pages: &Pages) -> Option<LineWords> {
        Some(LineWords::of(self, pages))
    }

    fn places(_opened: Opened, _ask: &Ask, _look: LookAt<'_>, _progress: &dyn Progress) -> Result<Option<Vec<Place>>> {
        Ok(None)
    }

    fn form(about: &About<Self>) -> String {
        let compression = about.format.to_string();
        let ending = compression.split_once('.').map_or(String::new(), |(_, ending)| format!(".{ending}"));
        match about.format.kind {
            FormatKind::Log(_) => format!("{}{ending}", about.layout.shown_name()),
            _ => about.format.to_string(),
        }
    }

    fn shown(read: &Read<Self>, ask: &Ask) -> Result<Vec<Shown>> {
        let (log, layout) = (&read.data, &read.about.layout);
        let (first, last) = log.time_span().unwrap_or_default();
        let [first, last] = [first, last].map(times::rfc3339);
        let [humans, bots] = log.humans_and_bots();
        let sessions: usize = (0..log.persons()).map(|person| log.sessions_of(person)).sum();
        let paths = log.texts(Part::Path).len();
        let counts = layout.counts;
        let mut shown = vec![
            Shown::new(
                "visitors",
                format!(
                    "{} by {} ({}, {})",
                    thousands(log.persons() as u64),
                    layout.person.in_words(),
                    counted(humans as u64, "human", "humans"),
                    counted(bots as u64, "declared bot", "declared bots")
                ),
                vec![("persons", json!(log.persons())), ("humans", json!(humans)), ("bots", json!(bots))],
            ),
            Shown::new(
                "lines",
                format!("{} in {}", thousands(log.rows() as u64), counted(sessions as u64, "session", "sessions")),
                vec![
                    ("rows", json!(log.rows())),
                    ("sessions", json!(sessions)),
                    ("rows_without_request", json!(counts.without_request)),
                    ("rows_malformed", json!(counts.malformed)),
                    ("rows_with_user", json!(counts.users)),
                    ("rows_without_address", json!(counts.without_address)),
                    ("rows_with_host_name", json!(counts.host_names)),
                    ("rows_at_seams", json!(counts.at_seams)),
                    ("rows_without_person", json!(counts.without_person)),
                    ("files_again", json!(counts.copies)),
                ],
            ),
            super::rows_each(log),
            Shown::new(
                "pages",
                format!(
                    "{}, {}",
                    counted(paths as u64, "different path", "different paths"),
                    counted(log.texts(Part::Agent).len() as u64, "different agent", "different agents")
                ),
                vec![("distinct_paths", json!(paths)), ("distinct_agents", json!(log.texts(Part::Agent).len()))],
            ),
            Shown::new(
                "times",
                format!("{first} to {last}"),
                vec![("first_time", json!(first)), ("last_time", json!(last))],
            ),
        ];
        if ask.rows.is_some() {
            shown.push(Shown::quietly(vec![("rows_read", Value::Array(layout.first.clone()))]));
        }
        let crowds = log.crowds();
        let line = |crowd: &throng_core::data::visits::Crowd| {
            let masked = crowd.masked.map_or_else(String::new, |[alone, below_5]| {
                format!("; with masked addresses {} and {}", percent(alone), percent(below_5))
            });
            let text = format!("{}: {}, {}{masked}", crowd.known, percent(crowd.alone), percent(crowd.below_5));
            words::Line::new("", text)
        };
        let heading = "share of visitors who are alone by what may be known of them, and who are in a crowd below 5:";
        let heading = (!crowds.is_empty()).then(|| words::Line::new("alone", heading));
        let values: Vec<Value> = crowds
            .iter()
            .map(|crowd| {
                let masked = crowd.masked.map(|[alone, below_5]| json!({"alone": alone, "below_5": below_5}));
                json!({"known": crowd.known, "alone": crowd.alone, "below_5": crowd.below_5, "masked": masked})
            })
            .collect();
        let lines = heading.into_iter().chain(crowds.iter().map(line)).collect();
        shown.push(Shown { lines, values: vec![("known_by", Value::Array(values))] });
        Ok(shown)
    }

    fn synth(request: &SynthRequest, stdout: &mut (dyn Write + Send), progress: &dyn Progress) -> Result<Made> {
        synth::make(request, stdout, progress)
    }
}

/// The tree of paths in a file, and what a certificate says of it.
fn tree_of(file: &str) -> Result<(Arc<PathTree>, TaxonomyRecord)> {
    let path = Path::new(file);
    if !path.is_file() {
        return Err(Error::parameter("taxonomy", "is no file")
            .with_hint("for access logs give a CSV file of paths with the header `child,parent`"));
    }
    let text = taxonomy::text_of(path)?;
    let tree = PathTree::read(&text).map_err(|error| error.in_file(path.display().to_string()))?;
    if tree.is_empty() {
        return Err(Error::data("the tree has no path").in_file(path.display().to_string()));
    }
    // The folder that a file lies in is nobody's business.
    let name = path.file_name().map_or_else(|| file.to_owned(), |name| name.to_string_lossy().into_owned());
    let sha256 = Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    Ok((Arc::new(tree), TaxonomyRecord { name, sha256, unknown: Unknown::OwnLeaf, by_phrase: false }))
}

/// What a line says, for comparing what was written with what was meant: fields of text as numbers of the texts that were found.
type Line = ([u32; COMPARED.len()], i64, Option<u16>, Option<u64>);

/// The fields of text that are compared; the address is that of the visitor.
const COMPARED: [Part; 7] =
    [Part::Method, Part::Path, Part::Query, Part::Referrer, Part::Agent, Part::Host, Part::Version];

/// A text that is in no line of what was found.
const NOWHERE: u32 = MISSING - 1;

/// Whether a log that was read back has the lines of a release, each under the address that it was to be published with. One address is
/// looked at after the other, and texts are compared by their numbers: a copy of all lines would be the largest thing in memory.
fn holds_what_was_meant(found: &Visits, release: &Release<Visits>) -> bool {
    let meant = &release.records;
    // A field that is not there is written as an empty one.
    let known = COMPARED.map(|part| {
        let texts = meant.texts(part);
        let number = |(text, id): (&str, Option<u32>)| if text.is_empty() { MISSING } else { id.unwrap_or(NOWHERE) };
        texts.iter().zip(texts.ids_in(found.texts(part))).map(number).collect::<Vec<u32>>()
    });
    let empty =
        COMPARED.map(|part| (0u32..).zip(found.texts(part).iter()).find(|(_, text)| text.is_empty()).map(|(id, _)| id));
    let lines_found = |person: usize| {
        found.range(person).map(|row| {
            let mut at = 0;
            let ids = COMPARED.map(|part| {
                let id = found.column(part)[row];
                at += 1;
                if empty[at - 1] == Some(id) { MISSING } else { id }
            });
            (ids, found.time(row), found.status(row), found.bytes(row))
        })
    };
    let lines_meant = |record: usize| {
        meant.range(record).map(|row| {
            let mut at = 0;
            let ids = COMPARED.map(|part| {
                let id = meant.column(part)[row];
                at += 1;
                if id == MISSING { MISSING } else { known[at - 1][id as usize] }
            });
            (ids, meant.time(row), meant.status(row), meant.bytes(row))
        })
    };
    // Visitors and records by their addresses; all lines of a visitor have one.
    let of = found.column(Part::Address);
    if (0..found.persons()).any(|person| of[found.range(person)].windows(2).any(|pair| pair[0] != pair[1])) {
        return false;
    }
    let address = |person: usize| found.range(person).next().map(|row| found.text(Part::Address, row).unwrap_or("-"));
    let mut visitors: Vec<(&str, usize)> =
        (0..found.persons()).filter_map(|person| Some((address(person)?, person))).collect();
    visitors.sort_unstable();
    let has_rows = |person: &&&Published| !meant.range(person.record as usize).is_empty();
    let mut records: Vec<(&str, usize)> = release
        .written()
        .iter()
        .filter(has_rows)
        .map(|person| (visits::address_of(&person.pseudonym), person.record as usize))
        .collect();
    records.sort_unstable();
    let mut left = &records[..];
    for same in visitors.chunk_by(|one, other| one.0 == other.0) {
        let count = left.iter().take_while(|(address, _)| *address == same[0].0).count();
        let (own, rest) = left.split_at(count);
        left = rest;
        let mut lines: Vec<Line> = same.iter().flat_map(|&(_, person)| lines_found(person)).collect();
        let mut expected: Vec<Line> = own.iter().flat_map(|&(_, record)| lines_meant(record)).collect();
        lines.sort_unstable();
        expected.sort_unstable();
        if lines != expected {
            return false;
        }
    }
    left.is_empty()
}

/// What a custodian should know of the file.
fn notes_of(layout: &VisitsLayout, data: &Visits) -> Vec<String> {
    let counts = layout.counts;
    let mut notes = Vec::new();
    let own = match layout.person {
        PersonBy::User => "user",
        PersonBy::Session => "session",
        _ => "person in the column that `--person` names",
    };
    if counts.without_person > 0 {
        notes.push(format!(
            "{} of {} no {own}: whoever sent such lines is taken for a visitor by address and agent",
            thousands(counts.without_person),
            counted(data.rows() as u64, "line has", "lines have")
        ));
    }
    let mut say = |count: u64, one: &str, many: &str, rest: &str| {
        if count > 0 {
            notes.push(format!("{}{rest}", counted(count, one, many)));
        }
    };
    say(counts.users, "line names who had logged in", "lines name who had logged in", ": that is never published");
    say(counts.without_request, "line has no request", "lines have no request", "");
    say(counts.malformed, "request is malformed", "requests are malformed", ": what they ask for is not published");
    say(
        counts.several_addresses,
        "line has several addresses",
        "lines have several addresses",
        ": the first was taken",
    );
    say(
        counts.without_address,
        "line has no address, or one that is unknown",
        "lines have no address, or one that is unknown",
        ": whoever has the same browser is one visitor there",
    );
    say(
        counts.host_names,
        "line has the name of a host for an address",
        "lines have the name of a host for an address",
        ": it is taken as it is",
    );
    say(
        counts.at_seams,
        "line at the end of one file stands again at the beginning of another",
        "lines at the end of one file stand again at the beginning of another",
        ": they were counted twice, for nothing is removed",
    );
    say(
        counts.copies,
        "file has the same lines as another",
        "files have the same lines as others",
        ": all of them were counted twice, for nothing is removed; give each log once",
    );
    say(
        counts.connections,
        "connection without a request was left out",
        "connections without a request were left out",
        "",
    );
    if !data.has_part(Part::Agent) {
        notes.push("no line names its browser: visitors are told apart by their addresses alone".to_owned());
    }
    notes
}

/// What a made-up log is written as, if nothing else is said.
const MADE_UP: LogName = LogName::Named(0);
