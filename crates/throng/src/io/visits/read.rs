//! From lines to visits.

use std::borrow::Cow;

use serde_json::{Value, json};
use throng_core::data::time::TimeStyle;
use throng_core::data::visits::Part;
use throng_core::data::{Visits, VisitsBuilder};
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::super::files::{Files, Joined, add_new};
use super::super::scan::{self, BadLines, BlockConsumer, BlockResult};
use super::super::time_zone::TimeZone;
use super::super::uncompared::Uncompared;
use super::super::{Format, FormatKind, Opened, ReadOptions};
use super::raw::{Field, Problem, Raw, Settled, address_key, settle};
use super::seams::Edges;
use super::{
    IPV6_PREFIX, LogForm, LogName, NAMED, PersonBy, TimeWriting, VisitsLayout, first_lines, json, json_objects, named,
    rows, said_template, seams, times, unknown_person, unlike_all, w3c,
};

/// Visits as read.
#[derive(Debug)]
pub struct ReadVisits {
    /// The log; what its agents are is not known yet.
    pub visits: Visits,
    /// How the file holds it.
    pub layout: VisitsLayout,
    /// The file's format.
    pub format: Format,
    /// Malformed lines that were left out on request.
    pub refused: u64,
    /// Values without a role.
    pub unmapped: Vec<String>,
    /// What the file holds beside its lines.
    pub uncompared: Vec<String>,
    /// The line in which each visitor first appears.
    pub first_lines: Vec<u64>,
    /// Where the lines of several files begin.
    pub files: Files,
}

/// What was strange, by number of lines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Lines without a request.
    pub without_request: u64,
    /// Requests that are none.
    pub malformed: u64,
    /// Lines with several addresses, of which the first was taken.
    pub several_addresses: u64,
    /// Lines of connections without a request, which are no visits.
    pub connections: u64,
    /// Lines that name who had logged in.
    pub users: u64,
    /// Lines without an address, or with one that is unknown.
    pub without_address: u64,
    /// Lines that do not say who the visitor is, where that is asked of a user, a session or a column.
    pub without_person: u64,
    /// Lines whose address is the name of a host.
    pub host_names: u64,
    /// Lines at the end of one file that stand again at the beginning of another.
    pub at_seams: u64,
    /// Files whose lines are all those of another.
    pub copies: u64,
}

impl Counts {
    fn add(&mut self, other: Self) {
        self.without_request += other.without_request;
        self.malformed += other.malformed;
        self.several_addresses += other.several_addresses;
        self.connections += other.connections;
        self.users += other.users;
        self.without_address += other.without_address;
        self.host_names += other.host_names;
        self.without_person += other.without_person;
    }
}

/// Reads visits from a file that is open, and from those after it.
pub(crate) fn read_opened_visits(opened: Opened, options: &ReadOptions, progress: &dyn Progress) -> Result<ReadVisits> {
    let format = opened.format;
    let mut whole = Taking::new(options)?;
    whole.is_several = !opened.others.is_empty();
    let (mut layout, mut unmapped, mut uncompared): (Option<VisitsLayout>, Vec<String>, Vec<String>) =
        (None, Vec::new(), Vec::new());
    let (mut refused, mut edges) = (0, Vec::new());
    let files = Joined::read(opened, options, |opened, joined| {
        whole.lines_before = joined.lines;
        let read = read_one(opened, options, &mut whole, progress)?;
        edges.push(std::mem::take(&mut whole.edges));
        joined.lines += read.lines;
        refused += read.refused;
        uncompared.extend(joined.told(read.uncompared));
        add_new(&mut unmapped, read.unmapped);
        match &layout {
            None => layout = Some(read.layout),
            Some(first) if first.name != read.layout.name => {
                return Err(Error::data(format!(
                    "the files are in two formats: the first is {}, and this one {}",
                    first.name, read.layout.name
                ))
                .with_hint("files of one log have one format"));
            }
            Some(_) => {}
        }
        Ok(())
    })?;
    let mut layout = layout.ok_or_else(|| Error::internal("no file was read"))?;
    let Taking { builder, counts, first, .. } = whole;
    let (edges, copies) = seams::without_copies(edges);
    (layout.counts, layout.first) = (Counts { at_seams: seams::equal_lines(&edges), copies, ..counts }, first);
    (layout.said_person, layout.timeout) = (said_person(options).map(str::to_owned), options.timeout);
    let (mut visits, first_lines) = builder.finish();
    if let Some(seconds) = options.timeout {
        visits = visits.with_timeout(seconds as i64 * 1000);
    }
    Ok(ReadVisits { visits, layout, format, refused, unmapped, uncompared, first_lines, files })
}

/// Who a visitor is said to be.
fn said_person(options: &ReadOptions) -> Option<&str> {
    options.columns.iter().find(|choice| choice.role == "person").map(|choice| choice.name.as_str())
}

/// What was learned of one file.
struct OneRead {
    layout: VisitsLayout,
    lines: u64,
    refused: u64,
    unmapped: Vec<String>,
    uncompared: Vec<String>,
}

fn read_one(opened: Opened, options: &ReadOptions, whole: &mut Taking, progress: &dyn Progress) -> Result<OneRead> {
    let Opened { source, format, .. } = opened;
    let is_text = matches!(format.kind, FormatKind::Log(_) | FormatKind::JsonLines | FormatKind::Fimi)
        || options.log_format.is_some();
    if !is_text {
        let read = rows::read(source, format, options, whole, progress)?;
        let (lines, refused, uncompared) = (read.lines, read.refused, read.uncompared.sentences());
        let mut layout = rows::layout(&read.layout, whole);
        layout.raw_cells = false;
        return Ok(OneRead { layout, lines, refused, unmapped: read.layout.unmapped, uncompared });
    }
    scan::refuse_parquet(&source)?;
    scan::stage(&source, progress);
    let text = String::from_utf8_lossy(&source.head).into_owned();
    let (mut form, name, mut unmapped) = form_of(&text, format, options)?;
    let column = said_person(options).filter(|_| whole.person == PersonBy::Column);
    if let LogForm::W3c { columns, .. } = &mut form {
        columns.take_person(column);
        unmapped = columns.unmapped();
    }
    if let Some(said) = column.filter(|_| !columns_of(&form).iter().any(|(field, _)| *field == Field::Person)) {
        return Err(unknown_person(said, &unmapped));
    }
    let uncompared = source.uncompared.clone();
    whole.time = None;
    let totals = match &mut form {
        LogForm::W3c { columns: all, .. } => {
            let mut columns = w3c::Columns::default();
            let mut day = None;
            scan::read_in_order(
                source,
                format,
                |block| {
                    let mut part = BlockResult::new(whole.part());
                    each_line(block, &mut part, options.bad_lines, |part, line, number| {
                        if let Some(mut next) = w3c::Columns::of_line(line) {
                            next.take_person(column);
                            // A release has all that was ever named.
                            all.add_new(&next);
                            add_new(&mut unmapped, next.unmapped());
                            columns = next;
                            return Ok(false);
                        }
                        if line.starts_with('#') {
                            if !line.starts_with("#Version") {
                                uncompared.note("a directive");
                            }
                            day = w3c::day_of(line).map(str::to_owned).or(day.take());
                            return Ok(false);
                        }
                        let mut raw = Raw::default();
                        columns.read(line, &mut raw)?;
                        if let Some(day) = day.as_deref().filter(|_| columns.lack_days()) {
                            raw.put(Field::Date, day.to_owned());
                        }
                        whole.take(part, &raw, number, false)
                    });
                    part
                },
                progress,
            )?
        }
        form => {
            let mut lines = Lines { form, whole: &*whole, uncompared: &uncompared, parts: Vec::new() };
            let totals = scan::read_blocks(source, format, 0, options.bad_lines, &mut lines, progress)?;
            (totals, lines.parts)
        }
    };
    let (totals, parts) = totals;
    for (part, before) in parts {
        whole.absorb(part, before);
    }
    let (_, refused) = totals.counts()?;
    let layout = VisitsLayout {
        columns: columns_of(&form),
        form,
        name,
        person: whole.person,
        said_person: None,
        timeout: None,
        time: whole.time.unwrap_or(TimeWriting::Style(TimeStyle::ISO)),
        zone: whole.zone.clone(),
        header: true,
        raw_cells: false,
        counts: Counts::default(),
        first: Vec::new(),
    };
    Ok(OneRead { layout, lines: totals.lines, refused, unmapped, uncompared: uncompared.sentences() })
}

/// The form of a text, what it is called, and what of it has no role.
fn form_of(text: &str, format: Format, options: &ReadOptions) -> Result<(LogForm, String, Vec<String>)> {
    if let Some(said) = options.log_format.as_deref().filter(|said| !matches!(*said, "w3c" | "json")) {
        let (form, name) = said_template(said)?;
        return Ok((form, name, Vec::new()));
    }
    if format.kind == FormatKind::JsonLines {
        let lines: Vec<String> = first_lines(text).map(str::to_owned).collect();
        let objects = json_objects(&lines);
        let keys = json::Keys::of(&objects, &options.columns);
        if !keys.are_of_visits() {
            return Err(Error::data("cannot tell which keys are the address, the time and the request").at_line(1).with_hint(
                "name them: `--column address=… time=… request=…` (or path=…); keys of inner objects with dots: request.uri",
            ));
        }
        // Any line may have a key of its own.
        let unmapped = keys.unmapped(text.lines().filter_map(|line| serde_json::from_str(line).ok()));
        return Ok((LogForm::Json(keys), "json".to_owned(), unmapped));
    }
    let lines = first_lines(text);
    let directives = ["#Fields:", "#Version:", "#Software:", "#Date:", "#Start-Date:"];
    let said = if let FormatKind::Log(name) = format.kind { name } else { LogName::Any };
    let is_w3c = lines.clone().any(|line| directives.iter().any(|directive| line.starts_with(directive)));
    match said {
        LogName::Named(at) => {
            let (form, name) = said_template(NAMED[at as usize].name)?;
            Ok((form, name, Vec::new()))
        }
        LogName::Any | LogName::W3c if is_w3c || said == LogName::W3c => {
            let Some(columns) = lines.clone().find_map(w3c::Columns::of_line) else {
                return Err(Error::data("a W3C log has a line `#Fields:`, and there is none").at_line(1).with_hint(
                    "put back the line that names the columns: `#Fields: date time c-ip cs-method cs-uri-stem …`",
                ));
            };
            let first = lines.clone().find(|line| !line.starts_with('#')).unwrap_or_default();
            let (has_tabs, is_quoted) = (first.contains('\t'), first.starts_with('"'));
            let unmapped = columns.unmapped();
            Ok((LogForm::W3c { columns, has_tabs, is_quoted }, "w3c".to_owned(), unmapped))
        }
        LogName::Any | LogName::W3c => match named::recognise(lines.clone().filter(|line| !line.starts_with('#'))) {
            Some(at) => {
                let (form, name) = said_template(NAMED[at].name)?;
                Ok((form, name, Vec::new()))
            }
            None => {
                let is_bad = |line: &&str| !line.starts_with('#') && named::recognise([*line].into_iter()).is_none();
                let bad = lines.clone().find(is_bad).unwrap_or_default();
                Err(unlike_all(bad))
            }
        },
    }
}

/// The values of a form with what they are called.
fn columns_of(form: &LogForm) -> Vec<(Field, String)> {
    match form {
        LogForm::Line { template, .. } => {
            template.fields().into_iter().map(|field| (field, field.name().to_owned())).collect()
        }
        LogForm::W3c { columns, .. } => {
            columns.mapped().into_iter().map(|(field, name)| (field, name.to_owned())).collect()
        }
        LogForm::Json(keys) => keys.keys.iter().map(|key| (key.field, key.name())).collect(),
        LogForm::Rows => Vec::new(),
    }
}

/// What is read so far, and how.
pub(super) struct Taking {
    builder: VisitsBuilder,
    counts: Counts,
    first: Vec<Value>,
    pub(super) time: Option<TimeWriting>,
    lines_before: u64,
    rows: usize,
    pub(super) person: PersonBy,
    pub(super) zone: Option<TimeZone>,
    pub(super) ipv6_prefix: u8,
    /// Whether the log is several files.
    is_several: bool,
    /// The first and the last lines of the file, of several.
    edges: Edges,
}

/// A block.
#[derive(Default)]
pub(super) struct TakenPart {
    builder: VisitsBuilder,
    counts: Counts,
    first: Vec<Value>,
    time: Option<TimeWriting>,
    edges: Edges,
}

impl Taking {
    fn new(options: &ReadOptions) -> Result<Self> {
        let person = PersonBy::of(options);
        Ok(Self {
            builder: VisitsBuilder::new(),
            counts: Counts::default(),
            first: Vec::new(),
            time: None,
            lines_before: 0,
            rows: options.rows.unwrap_or(0),
            person,
            zone: options.time_zone.as_deref().map(TimeZone::named).transpose()?,
            ipv6_prefix: if person.is_by_whole_address() { 128 } else { options.ipv6_prefix.unwrap_or(IPV6_PREFIX) },
            is_several: false,
            edges: Edges::default(),
        })
    }

    pub(super) fn part(&self) -> TakenPart {
        TakenPart::default()
    }

    /// Takes the values of a line. Whether it is a row.
    pub(super) fn take(
        &self,
        part: &mut TakenPart,
        raw: &Raw<'_>,
        line: u64,
        has_connections: bool,
    ) -> std::result::Result<bool, Problem> {
        let settled = settle(raw, self.zone.as_ref())?;
        // Nothing can be asked of a load balancer without a method and a path.
        let is_request = settled.text(Part::Path).is_some() && settled.text(Part::Method).is_some();
        if has_connections && !is_request {
            part.counts.connections += 1;
            return Ok(false);
        }
        if part.time.is_none() {
            part.time = raw.get(Field::Time).map(TimeWriting::of);
        }
        part.counts.without_request += u64::from(settled.odd.without_request);
        part.counts.malformed += u64::from(settled.odd.malformed);
        part.counts.several_addresses += u64::from(settled.odd.several_addresses);
        part.counts.users += u64::from(settled.text(Part::User).is_some());
        part.counts.without_address += u64::from(settled.odd.without_address);
        part.counts.host_names += u64::from(settled.odd.host_name);
        if self.is_several {
            part.edges.add(&raw.values);
        }
        if part.first.len() < self.rows {
            part.first.push(shown(&settled));
        }
        let (name, is_said) = self.name_of(&settled);
        part.counts.without_person += u64::from(!is_said);
        part.builder.push(&name, &settled.visit(), line);
        Ok(true)
    }

    /// Who the visitor of a line is, and whether the line says what tells visitors apart.
    fn name_of(&self, settled: &Settled<'_>) -> (String, bool) {
        let address =
            || settled.text(Part::Address).map_or("-".into(), |address| address_key(address, self.ipv6_prefix));
        let own = match self.person {
            PersonBy::AddressAndAgent | PersonBy::WholeAddressAndAgent => None,
            PersonBy::Address | PersonBy::WholeAddress => return (address().into_owned(), true),
            PersonBy::User => settled.text(Part::User),
            PersonBy::Session => settled.text(Part::Session),
            PersonBy::Column => settled.person,
        };
        let needs_own = matches!(self.person, PersonBy::User | PersonBy::Session | PersonBy::Column);
        match own {
            Some(own) => (own.to_owned(), true),
            None => (format!("{} {}", address(), settled.text(Part::Agent).unwrap_or("-")), !needs_own),
        }
    }

    pub(super) fn absorb(&mut self, part: TakenPart, before: u64) {
        self.counts.add(part.counts);
        self.builder.absorb(part.builder, self.lines_before + before);
        self.time = self.time.or(part.time);
        self.edges.absorb(part.edges);
        let room = self.rows.saturating_sub(self.first.len());
        self.first.extend(part.first.into_iter().take(room));
    }
}

/// A line as it was read.
fn shown(settled: &Settled<'_>) -> Value {
    let visit = settled.visit();
    let text = |part: Part| visit.texts[part as usize];
    json!({
        "address": text(Part::Address),
        "time": times::rfc3339(visit.time),
        "method": text(Part::Method),
        "path": text(Part::Path),
        "query": text(Part::Query),
        "status": visit.status,
        "bytes": visit.bytes,
        "referrer": text(Part::Referrer),
        "agent": text(Part::Agent),
        "host": text(Part::Host),
        "user": text(Part::User),
    })
}

/// Lines that say by themselves what they are.
struct Lines<'t> {
    form: &'t LogForm,
    whole: &'t Taking,
    uncompared: &'t Uncompared,
    parts: Vec<(TakenPart, u64)>,
}

impl BlockConsumer for Lines<'_> {
    type Part = TakenPart;

    fn part(&self) -> TakenPart {
        self.whole.part()
    }

    fn read(&self, block: &[u8], policy: BadLines) -> BlockResult<TakenPart> {
        let mut result = BlockResult::new(self.part());
        each_line(block, &mut result, policy, |part, line, number| {
            if line.starts_with('#') && matches!(self.form, LogForm::Line { .. }) {
                self.uncompared.note("a comment");
                return Ok(false);
            }
            let mut raw = Raw::default();
            let has_connections = match self.form {
                LogForm::Line { template, has_connections } => {
                    template.read(line, &mut raw)?;
                    if raw.has_more {
                        self.uncompared.note("a value of a line that says nothing of a visit");
                    }
                    *has_connections
                }
                LogForm::Json(keys) => {
                    keys.read(line, &mut raw)?;
                    false
                }
                LogForm::W3c { columns, .. } => {
                    columns.read(line, &mut raw)?;
                    false
                }
                LogForm::Rows => false,
            };
            self.whole.take(part, &raw, number, has_connections)
        });
        result
    }

    fn absorb(&mut self, parts: Vec<(TakenPart, u64)>) {
        self.parts.extend(parts);
    }
}

/// Goes over the lines of a block. `take` says whether a line is a row.
fn each_line<P>(
    block: &[u8],
    result: &mut BlockResult<P>,
    policy: BadLines,
    mut take: impl FnMut(&mut P, &str, u64) -> std::result::Result<bool, Problem>,
) {
    for line in block.split_inclusive(|&byte| byte == b'\n') {
        result.lines += 1;
        let line = line.trim_ascii_end();
        if line.is_empty() {
            continue;
        }
        let text = match std::str::from_utf8(line) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => Cow::Owned(super::template::percent_escaped(line)),
        };
        let number = result.lines;
        match take(&mut result.part, &text, number) {
            Ok(is_row) => result.rows += u64::from(is_row),
            Err(problem) => {
                if !result.bad_line(bad(&problem), number, policy) {
                    return;
                }
            }
        }
    }
}

/// The error for a line that is no visit.
pub(super) fn bad(problem: &Problem) -> Error {
    let place = if problem.column == 0 { String::new() } else { format!(" in column {}", problem.column) };
    Error::data(format!("the line is no visit: {} is expected{place}", problem.expected))
        .with_hint("`--bad-lines skip` leaves such lines out; `--log-format` takes Apache's or nginx's own directive")
}
