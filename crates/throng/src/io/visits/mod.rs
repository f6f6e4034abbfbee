//! Reading and writing access logs, in the formats that servers, proxies and load balancers write.
//!
//! A format is a template of one line (`template`, those with a name in `named`), the W3C extended format (`w3c`), JSON lines (`json`), or
//! rows with named columns (`rows`), which go through `io/fields`. Whatever it is, a line becomes values by what they are (`raw`), and
//! these become a visit; who the visitor is, [`PersonBy`] says. Lines are read in parallel and put together in the order of the file.

mod as_written;
mod json;
mod named;
mod raw;
mod read;
mod rows;
mod seams;
mod template;
pub(crate) mod times;
mod w3c;
mod write;

use serde_json::Value;
use throng_core::data::Visits;
use throng_core::data::time::TimeStyle;
use throng_core::data::visits::Part;
use throng_core::error::nearest as nearest_name;
use throng_core::{Error, Result};

use super::head::{Head, Likeness};
use super::roles::{RoleCard, Roles, Suits};
use super::time_zone::TimeZone;
use super::{Format, FormatKind, ReadOptions};

pub(crate) use as_written::is_as_written;
pub(crate) use named::{NAMED, nearest};
pub(crate) use raw::Field;
use raw::Problem;
pub(crate) use read::Counts;
pub use read::ReadVisits;
pub(crate) use read::read_opened_visits;
use template::Template;
pub(crate) use write::write_visits;

/// Which of the log formats a file has: one with a name by its place in the list, W3C's, or whichever it looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogName {
    /// What it looks like, or what `--log-format` says.
    Any,
    /// W3C extended.
    W3c,
    /// One of [`NAMED`].
    Named(u8),
}

impl LogName {
    /// Reads a name.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        match name {
            "log" => Some(Self::Any),
            "w3c" => Some(Self::W3c),
            "nginx" => Self::parse("combined"),
            _ => named::place(name).map(|at| Self::Named(at as u8)),
        }
    }

    /// What it is called.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Any => "log",
            Self::W3c => "w3c",
            Self::Named(at) => NAMED[at as usize].name,
        }
    }
}

/// How a file holds visits.
#[derive(Debug, Clone)]
pub struct VisitsLayout {
    pub(crate) form: LogForm,
    /// What the form is called.
    pub(crate) name: String,
    /// The values that a line has, and what the file calls them.
    pub(crate) columns: Vec<(Field, String)>,
    /// Who is a visitor.
    pub(crate) person: PersonBy,
    /// What was said of it when an original was read.
    pub(crate) said_person: Option<String>,
    /// How long a pause inside a session may be, in seconds, where that was said.
    pub(crate) timeout: Option<u64>,
    /// How times are written.
    pub(crate) time: TimeWriting,
    /// The zone that times are local in, where one is named.
    pub(crate) zone: Option<TimeZone>,
    pub(crate) header: bool,
    pub(crate) raw_cells: bool,
    /// What was counted while it was read.
    pub(crate) counts: Counts,
    /// The first lines as they were read, if somebody wants to see them.
    pub(crate) first: Vec<Value>,
}

impl VisitsLayout {
    /// Whether requests have the host in them.
    pub(crate) fn is_absolute(&self) -> bool {
        matches!(self.form, LogForm::Line { has_connections: true, .. })
    }

    /// What it is called: a directive of somebody's own is not shown.
    pub(crate) fn shown_name(&self) -> &str {
        if LogName::parse(&self.name).is_some() || self.name == "json" { &self.name } else { "own log format" }
    }

    /// What must be said for lines of it to be read again.
    pub(crate) fn log_format(&self) -> Option<String> {
        matches!(self.form, LogForm::Line { .. }).then(|| self.name.clone())
    }

    /// The same for another format: what is usual there.
    pub(crate) fn converted(&self, format: Format, records: &Visits) -> Result<Self> {
        let mut layout = self.clone();
        let has = |field: Field| match field {
            Field::Referrer => records.has_part(Part::Referrer),
            Field::Agent => records.has_part(Part::Agent),
            Field::Host => records.has_part(Part::Host),
            Field::Session => records.has_part(Part::Session),
            Field::Status | Field::Bytes | Field::Address | Field::Time | Field::Request => true,
            _ => false,
        };
        match format.kind {
            FormatKind::Log(LogName::W3c) => {
                let columns = w3c::Columns::of_line(w3c::USUAL).unwrap_or_default();
                layout.columns = columns.mapped().into_iter().map(|(field, name)| (field, name.to_owned())).collect();
                layout.form = LogForm::W3c { columns, has_tabs: false, is_quoted: false };
                layout.name = "w3c".to_owned();
            }
            FormatKind::Log(name) => {
                let name = if let LogName::Named(_) = name { name.name() } else { "combined" };
                (layout.form, layout.name) = said_template(name)?;
                let LogForm::Line { template, .. } = &layout.form else {
                    return Err(Error::internal("a format with a name has a form"));
                };
                layout.columns = template.fields().into_iter().map(|field| (field, field.name().to_owned())).collect();
                let has_iso = layout.is_absolute();
                layout.time = match (layout.time, has_iso, name == "haproxy") {
                    (_, true, _) => TimeWriting::Style(TimeStyle::ISO),
                    (_, _, true) => TimeWriting::Common { offset: None, has_millis: true },
                    (TimeWriting::Common { offset: Some(offset), .. }, ..) => {
                        TimeWriting::Common { offset: Some(offset), has_millis: false }
                    }
                    _ => TimeWriting::Common { offset: Some(0), has_millis: false },
                };
            }
            FormatKind::JsonLines => {
                let keys = json::Keys::usual(has);
                layout.columns = keys.keys.iter().map(|key| (key.field, key.name())).collect();
                (layout.form, layout.name) = (LogForm::Json(keys), "json".to_owned());
                layout.time = TimeWriting::Style(TimeStyle::ISO);
            }
            FormatKind::Tsv | FormatKind::Csv | FormatKind::Parquet | FormatKind::Arrow => {
                let columns = Field::ALL.into_iter().filter(|field| has(*field));
                layout.columns = columns.map(|field| (field, field.name().to_owned())).collect();
                (layout.form, layout.name) = (LogForm::Rows, "rows".to_owned());
                layout.time = TimeWriting::Style(TimeStyle::ISO);
                layout.header = true;
            }
            FormatKind::Fimi => {
                return Err(Error::parameter("format", "is one basket a line, which cannot hold visits"));
            }
            FormatKind::GraphMl | FormatKind::Gml => {
                return Err(Error::parameter("format", "is for graphs, and cannot hold visits"));
            }
            FormatKind::Points(_) => {
                return Err(Error::parameter("format", "is for paths, and cannot hold visits"));
            }
        }
        Ok(layout)
    }

    /// That of a made-up log, in a format.
    pub(crate) fn made_up(format: Format, visits: &Visits) -> Result<Self> {
        let (form, name) = said_template("combined")?;
        let layout = Self {
            form,
            name,
            columns: Vec::new(),
            person: PersonBy::default(),
            said_person: None,
            timeout: None,
            time: TimeWriting::Common { offset: Some(0), has_millis: false },
            zone: None,
            header: true,
            raw_cells: false,
            counts: Counts::default(),
            first: Vec::new(),
        };
        layout.converted(format, visits)
    }

    /// The same for a release, in which an address says who a visitor is and no column of persons does.
    pub(crate) fn without_persons(mut self) -> Self {
        self.columns.retain(|(field, _)| *field != Field::Person);
        match &mut self.form {
            LogForm::W3c { columns, .. } => columns.take_person(None),
            LogForm::Json(keys) => keys.keys.retain(|key| key.field != Field::Person),
            LogForm::Line { .. } | LogForm::Rows => {}
        }
        self
    }

    /// Whether lines have a value.
    pub(crate) fn has(&self, field: Field) -> bool {
        self.columns.iter().any(|(own, _)| *own == field)
    }
}

/// The form of the lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LogForm {
    Line {
        template: Template,
        has_connections: bool,
    },
    W3c {
        columns: w3c::Columns,
        has_tabs: bool,
        is_quoted: bool,
    },
    Json(json::Keys),
    /// Cells under the names of columns.
    Rows,
}

/// How the times of a release are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TimeWriting {
    /// As Apache does, with an offset in minutes or without a zone, and with `.000` or without.
    Common { offset: Option<i16>, has_millis: bool },
    /// Seconds since 1970.
    Seconds,
    /// As in all kinds of data.
    Style(throng_core::data::time::TimeStyle),
}

impl TimeWriting {
    /// How the first time of a file is written.
    pub(crate) fn of(text: &str) -> Self {
        use throng_core::data::time::{self, TimeStyle};
        let is_number = text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        match time::parse(text) {
            _ if text.as_bytes().get(2) == Some(&b'/') && text.as_bytes().get(11) == Some(&b':') => {
                Self::Common { offset: times::offset_of(text), has_millis: text.as_bytes().get(20) == Some(&b'.') }
            }
            _ if is_number => Self::Seconds,
            Some((_, style)) => Self::Style(style),
            None => Self::Style(TimeStyle::ISO),
        }
    }
}

/// Who is a visitor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum PersonBy {
    /// An address with an agent, as written.
    #[default]
    AddressAndAgent,
    /// An address.
    Address,
    /// Who has logged in; whoever has not is an address with an agent.
    User,
    /// A session of the file; a line without one is of an address with an agent.
    Session,
    /// What a column says.
    Column,
    /// An address of a release.
    WholeAddress,
    /// An address of a release, with an agent.
    WholeAddressAndAgent,
}

impl PersonBy {
    /// What `--person`, `--column person=…` or a certificate says; anything else names a column.
    pub(crate) fn of(options: &ReadOptions) -> Self {
        let said = options.columns.iter().find(|choice| choice.role == "person").map(|choice| choice.name.as_str());
        let named = [
            Self::AddressAndAgent,
            Self::Address,
            Self::User,
            Self::Session,
            Self::WholeAddress,
            Self::WholeAddressAndAgent,
        ];
        said.map_or(Self::default(), |said| named.into_iter().find(|by| by.name() == said).unwrap_or(Self::Column))
    }

    /// Whether every address is another visitor, whatever its first bits are: those of a release are made, each for one visitor.
    pub(crate) fn is_by_whole_address(self) -> bool {
        matches!(self, Self::WholeAddress | Self::WholeAddressAndAgent)
    }

    /// What it is called.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::AddressAndAgent => "address+agent",
            Self::Address => "address",
            Self::User => "user",
            Self::Session => "session",
            Self::Column => "column",
            Self::WholeAddress => "address alone",
            Self::WholeAddressAndAgent => "address alone+agent",
        }
    }

    /// What it is, for people.
    pub(crate) fn in_words(self) -> &'static str {
        match self {
            Self::WholeAddress => "address",
            Self::WholeAddressAndAgent => "address and agent",
            _ => self.name(),
        }
    }
}

/// The error for a `--person` that is neither a way to tell visitors apart nor a column of the file.
pub(crate) fn unknown_person(said: &str, columns: &[String]) -> Error {
    let ways = [PersonBy::Address, PersonBy::AddressAndAgent, PersonBy::User, PersonBy::Session].map(PersonBy::name);
    let known = ways.into_iter().chain(columns.iter().map(String::as_str));
    let near = nearest_name(said, known).filter(|(edits, _)| 2 * edits <= said.chars().count());
    let near = near.map_or(String::new(), |(_, name)| format!("did you mean `{name}`? "));
    let columns = match columns {
        [] => "the file has no other column".to_owned(),
        columns => format!("other columns of the file are {}", columns.join(", ")),
    };
    Error::parameter(
        "person",
        format!("is `{said}`, which is no way to tell visitors apart, and no column of the file"),
    )
    .with_hint(format!("{near}visitors are told apart by {}; {columns}", ways.join(", ")))
}

/// The address in the name of a visitor, which may be one with an agent behind it.
pub(crate) fn address_of(name: &str) -> &str {
    name.split_once(' ').map_or(name, |(address, _)| address)
}

/// How many bits of an IPv6 address tell visitors apart, unless somebody says otherwise.
pub(crate) const IPV6_PREFIX: u8 = 64;

/// The roles of visits, in the order of [`Field`].
pub(crate) static ROLES: Roles = Roles {
    of: "access logs do",
    cards: &[
        RoleCard {
            required: true,
            ..card(
                "address",
                &[
                    "address",
                    "remoteaddr",
                    "ip",
                    "clientip",
                    "remoteip",
                    "ipaddress",
                    "remotehost",
                    "clienthost",
                    "cip",
                    "clientaddress",
                ],
            )
        },
        RoleCard {
            required: true,
            suits: Suits::Time,
            ..card(
                "time",
                &["time", "timeiso8601", "timestamp", "datetime", "ts", "timelocal", "date", "startutc", "eventtime"],
            )
        },
        RoleCard {
            beside: Some((Field::Time as usize, &["time", "timelocal"])),
            ..card("date", &["date", "day", "datelocal"])
        },
        card("request", &["request", "requestline"]),
        card("method", &["method", "requestmethod", "httpmethod", "csmethod"]),
        card("path", &["path", "requesturi", "uri", "requestpath", "url", "csuristem", "page"]),
        card("query", &["query", "querystring", "args", "csuriquery"]),
        card("version", &["serverprotocol", "protocol", "httpversion", "version", "csversion"]),
        card("status", &["status", "statuscode", "downstreamstatus", "responsecode", "scstatus"]),
        card("bytes", &["bytes", "bodybytessent", "bytessent", "size", "length", "downstreamcontentsize", "scbytes"]),
        card("referrer", &["referrer", "referer", "httpreferer", "httpreferrer", "requestreferer", "cs(referer)"]),
        card("agent", &["agent", "useragent", "httpuseragent", "requestuseragent", "browser", "cs(useragent)"]),
        card("host", &["host", "vhost", "servername", "httphost", "requesthost", "virtualhost", "cshost"]),
        card("user", &["remoteuser", "user", "username", "authuser", "clientusername", "csusername"]),
        card("session", &["session", "sessionid", "sid"]),
        card("person", &[]),
    ],
};

const fn card(name: &'static str, known_names: &'static [&'static str]) -> RoleCard {
    RoleCard {
        name,
        other_name: None,
        required: false,
        may_be_cut: false,
        suits: Suits::TextOrNumber,
        known_names,
        beside: None,
    }
}

/// How much a file looks like an access log.
pub(crate) fn likeness(head: &Head, options: &ReadOptions) -> Option<Likeness> {
    if options.log_format.is_some() {
        return Some(Likeness::certain("`--log-format` says so"));
    }
    if !ROLES.have_all(&options.columns) {
        return None;
    }
    let is_said = options.columns.iter().any(|choice| {
        let is_own = ["address", "agent", "referrer", "path", "status"].contains(&choice.role.as_str());
        is_own || matches!(choice.name.as_str(), "address" | "address+agent")
    });
    match head.format.kind {
        FormatKind::Log(_) => Some(Likeness::certain("its lines have the form of a server's")),
        _ if is_said => Some(Likeness::said()),
        FormatKind::Fimi | FormatKind::GraphMl | FormatKind::Gml | FormatKind::Points(_) => None,
        FormatKind::JsonLines => {
            let objects = json_objects(&head.lines);
            let keys = json::Keys::of(&objects, &options.columns);
            let has = |field: Field| keys.keys.iter().any(|key| key.field == field);
            (keys.are_of_visits() && has(Field::Address))
                .then(|| Likeness::strong("it has addresses, times and requests"))
        }
        FormatKind::Tsv | FormatKind::Csv | FormatKind::Parquet | FormatKind::Arrow => {
            let names = head.names();
            let knows = |field: Field| names.iter().any(|name| ROLES.cards[field as usize].knows(name));
            let has_what =
                knows(Field::Request) || (knows(Field::Path) && (knows(Field::Status) || knows(Field::Agent)));
            // A search log has columns of its own names: a file that has both is neither by itself.
            (knows(Field::Address) && knows(Field::Time) && has_what)
                .then(|| Likeness::certain("it has columns of addresses, times and requests"))
        }
    }
}

/// The objects of some first lines.
fn json_objects(lines: &[String]) -> Vec<Value> {
    lines.iter().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Whether the first lines of a text are those of a server: W3C's, or in one of the formats with a name.
pub(crate) fn looks_like_log(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    let lines = first_lines(&text);
    if lines.clone().any(|line| w3c::Columns::of_line(line).is_some_and(|columns| columns.are_of_visits())) {
        return true;
    }
    // Directives without columns, of a W3C log whose line `#Fields:` is lost.
    let is_directive = |line: &str| ["#Software:", "#Version:"].iter().any(|begin| line.starts_with(begin));
    if lines.clone().next().is_some_and(is_directive) {
        return true;
    }
    named::recognise(lines.filter(|line| !line.starts_with('#'))).is_some()
}

/// The first whole lines of a text that have something in them.
fn first_lines(text: &str) -> impl Iterator<Item = &str> + Clone {
    let whole = text.rfind('\n').map_or(text, |end| &text[..end]);
    whole.lines().map(str::trim_end).filter(|line| !line.is_empty()).take(50)
}

/// The error for a text that is in none of the formats: the nearest three, and where each failed.
pub(crate) fn unlike_all(line: &str) -> Error {
    let failed: Vec<String> = nearest(line)
        .into_iter()
        .map(|(named, Problem { column, expected })| {
            format!("{} ({}) fails at column {column}, where {expected} is expected", named.name, named.summary)
        })
        .collect();
    Error::data("the lines are in no format of access logs that is known").with_hint(format!(
        "the nearest: {}; `--log-format` takes Apache's or nginx's own directive",
        failed.join("; ")
    ))
}

/// The template that somebody gave, by its name or as a directive.
fn said_template(text: &str) -> Result<(LogForm, String)> {
    if let Some(LogName::Named(at)) = LogName::parse(text) {
        let at = at as usize;
        let form = LogForm::Line { template: named::template(at).clone(), has_connections: NAMED[at].has_connections };
        return Ok((form, NAMED[at].name.to_owned()));
    }
    let template = Template::directive(text).map_err(|problem| {
        Error::parameter("log-format", problem).with_hint(
            "give the directive as it stands in the server's configuration: '%h %l %u %t \"%r\" %>s %b', or \
             '$remote_addr [$time_local] \"$request\" $status'",
        )
    })?;
    Ok((LogForm::Line { template, has_connections: false }, text.to_owned()))
}
