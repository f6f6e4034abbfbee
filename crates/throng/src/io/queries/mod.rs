//! Reading and writing search logs: rows with a person, a query, a time, and what was clicked.
//!
//! The rows come from `fields`, whatever the format; `rows` makes rows of a log of them, and a consumer makes something of
//! those: `log` a data set in memory, `digests` what the checker looks at, `find` the line of a value.

mod digests;
mod estimate;
mod find;
mod log;
mod places;
mod rows;
mod times;
mod write;

use throng_core::data::time::{self, Instant, TimeStyle};
use throng_core::models::personal_k_anonymity::K_COLUMN;
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::cells::is_number;
use super::fields::{self, Fields, RowConsumer};
use super::files::{Files, Joined, add_new};
use super::head::{Head, Likeness};
use super::roles::{RoleCard, Roles, Suits};
use super::scan::{BadLines, ReadOptions};
use super::time_zone::TimeZone;
use super::{Format, FormatKind, Location, Opened};

pub use digests::{Checked, read_digests, read_opened_digests};
pub use estimate::{LogSize, TableSize, estimate_bytes, estimate_log};
pub use find::first_line_with;
pub use log::{ReadLog, read_log, read_opened_log};
pub use places::log_places;
pub(super) use times::Times;
pub use times::read_times;
pub use write::{LogWriter, write_persons};

/// What a column of a query log holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// Who.
    User,
    /// The query string.
    Query,
    /// When.
    Time,
    /// The rank of the clicked result.
    Rank,
    /// The clicked URL.
    Url,
    /// The day, where the time has a column of its own.
    Date,
    /// Among how many persons somebody asks to be; never guessed, and never published.
    Wish,
}

/// The roles of a query log, in the order of [`Role`].
pub(crate) static ROLES: Roles = Roles {
    of: "a query log does",
    cards: &[
        RoleCard {
            name: "user",
            other_name: Some("person"),
            required: true,
            may_be_cut: false,
            suits: Suits::TextOrNumber,
            known_names: PERSON_NAMES,
            beside: None,
        },
        RoleCard {
            name: "query",
            other_name: None,
            required: true,
            may_be_cut: false,
            suits: Suits::TextOrNumber,
            known_names: &[
                "query",
                "searchquery",
                "querystring",
                "search",
                "searchterm",
                "keywords",
                "q",
                "suchanfrage",
                "suchbegriff",
                "suchwort",
                "recherche",
                "busqueda",
                "consulta",
                "ricerca",
                "zoekterm",
                "zoekopdracht",
            ],
            beside: None,
        },
        RoleCard {
            name: "time",
            other_name: None,
            required: true,
            may_be_cut: false,
            suits: Suits::Time,
            known_names: &[
                "querytime",
                "time",
                "timestamp",
                "datetime",
                "searchtime",
                "timeofday",
                "uhrzeit",
                "zeit",
                "zeitpunkt",
                "zeitstempel",
                "heure",
                "hora",
                "tijd",
                "date",
                "datum",
                "fecha",
                "ts",
                "tsutc",
                "when",
                "createdat",
                "created",
                "searchedat",
                "eventtime",
                "t",
            ],
            beside: None,
        },
        RoleCard {
            name: "rank",
            other_name: None,
            required: false,
            may_be_cut: true,
            suits: Suits::TextOrNumber,
            known_names: &["itemrank", "rank", "clickrank", "position", "r"],
            beside: None,
        },
        RoleCard {
            name: "url",
            other_name: None,
            required: false,
            may_be_cut: true,
            suits: Suits::Text,
            known_names: &["clickurl", "url", "clickedurl", "link", "domain", "site", "u"],
            beside: None,
        },
        RoleCard {
            name: "date",
            other_name: None,
            required: false,
            may_be_cut: false,
            suits: Suits::Text,
            known_names: &["date", "querydate", "searchdate", "datum", "fecha"],
            beside: Some((Role::Time as usize, &["time", "timeofday", "uhrzeit", "zeit", "heure", "hora", "tijd"])),
        },
        RoleCard {
            name: K_COLUMN.name,
            other_name: None,
            required: false,
            may_be_cut: true,
            suits: Suits::TextOrNumber,
            known_names: &[],
            beside: None,
        },
    ],
};

/// Names that columns of persons usually have.
pub(super) const PERSON_NAMES: &[&str] = &[
    "anonid",
    "user",
    "userid",
    "uid",
    "person",
    "personid",
    "searcher",
    "searcherid",
    "customer",
    "customerid",
    "client",
    "clientid",
    "member",
    "memberid",
    "account",
    "accountid",
    "subscriber",
    "subscriberid",
    "visitor",
    "visitorid",
    "patient",
    "patientid",
    "subject",
    "subjectid",
    "username",
    "login",
    "email",
    "nutzer",
    "benutzer",
    "kunde",
    "kundennummer",
    "utilisateur",
    "usuario",
    "cliente",
    "utente",
    "gebruiker",
    "klant",
    "device",
    "deviceid",
    "cookie",
    "cookieid",
    "session",
    "sessionid",
    "id",
];

/// AOL's columns in AOL's order, which is that of the roles.
const AOL: &[&str] = &["AnonID", "Query", "QueryTime", "ItemRank", "ClickURL"];

impl Role {
    /// Every role, those of AOL's columns first and in their order.
    pub const ALL: [Self; 7] = [Self::User, Self::Query, Self::Time, Self::Rank, Self::Url, Self::Date, Self::Wish];

    /// The role's name, as in `--column user=…`.
    pub fn name(self) -> &'static str {
        ROLES.cards[self as usize].name
    }
}

/// One row of a query log.
#[derive(Debug)]
pub struct Row<'a> {
    /// Who.
    pub person: &'a str,
    /// The query string.
    pub query: &'a str,
    /// When; as if it were UTC, if no zone is named.
    pub time: Instant,
    /// What clocks showed then, in milliseconds: those of the zone that the times are published in, else of UTC.
    pub local: i64,
    /// The rank of the clicked result.
    pub rank: Option<u32>,
    /// The clicked URL.
    pub url: Option<&'a str>,
    /// Among how many persons they ask to be.
    pub wish: Option<u32>,
    /// Everything in the row that has no role, for the checker; empty when there is nothing or nobody asked.
    pub rest: &'a [u8],
}

/// How a file writes its rows, so that a release can be written the same way.
#[derive(Debug, Clone, PartialEq)]
pub struct Layout {
    /// The columns that have a role, in the order of the file.
    pub columns: Vec<(Role, String)>,
    /// Whether a header line names the columns.
    pub header: bool,
    /// How times are written.
    pub time_style: TimeStyle,
    /// The zone that they are local in, where one is named.
    pub time_zone: Option<TimeZone>,
    /// How many blanks a day has, where it is a column of its own.
    pub blanks_in_date: usize,
    /// Whether a time is a number or timestamp of the format itself, not text.
    pub typed_time: bool,
    /// Whether ids are numbers of the format itself, not text.
    pub typed_person: bool,
    /// Whether cells of CSV that look like formulas of a spreadsheet are written as they are.
    pub raw_cells: bool,
    /// Columns of the input that have no role, which are never copied.
    pub unmapped: Vec<String>,
}

impl Layout {
    /// The name of the column with a role; the role's own name if there is none.
    pub fn name_of(&self, role: Role) -> &str {
        self.columns.iter().find(|(other, _)| *other == role).map_or(role.name(), |(_, name)| name)
    }

    /// Whether the day has a column of its own.
    pub fn has_date(&self) -> bool {
        self.columns.iter().any(|(role, _)| *role == Role::Date)
    }

    /// A time for people: ISO 8601, in UTC or with the offset of the zone.
    pub fn shown_time(&self, local: i64) -> String {
        let Some(zone) = &self.time_zone else { return time::to_text(local, TimeStyle::ISO) };
        let mut text = Vec::new();
        zone.format(
            local,
            TimeStyle::Calendar { separator: b'T', zone: time::Zone::Offset(0), fraction: 0 },
            &mut text,
        );
        String::from_utf8_lossy(&text).into_owned()
    }

    /// AOL's five columns with their header.
    pub fn aol() -> Self {
        Self {
            columns: Role::ALL.into_iter().zip(AOL).map(|(role, name)| (role, (*name).to_owned())).collect(),
            header: true,
            time_style: TimeStyle::AOL,
            time_zone: None,
            blanks_in_date: 0,
            typed_time: false,
            typed_person: false,
            raw_cells: false,
            unmapped: Vec::new(),
        }
    }
}

/// What was learned of a file while reading it.
#[derive(Debug, Clone)]
pub struct Scanned {
    /// Its format.
    pub format: Format,
    /// How it writes its rows.
    pub layout: Layout,
    /// The number of rows that were read.
    pub rows: u64,
    /// The number of malformed lines that were left out.
    pub refused: u64,
    /// Whether times were read with day and month in each other's place, which only the whole file could tell.
    is_exchanged: bool,
    /// What the file holds beside its rows, which no model compares; a release has none of it.
    pub uncompared: Vec<String>,
    /// Where the lines of several files begin.
    pub files: Files,
}

impl Scanned {
    /// Takes one more file: it has the same roles, and the layout stays that of the first.
    fn and(mut self, other: Self, joined: &Joined) -> Result<Self> {
        let roles = |layout: &Layout| layout.columns.iter().map(|(role, _)| role.name()).collect::<Vec<_>>();
        joined.agree(&roles(&self.layout), &roles(&other.layout))?;
        if self.is_exchanged != other.is_exchanged {
            return Err(Error::data(
                "the month comes before the day in the times of some files, and not in those of others",
            )
            .with_hint("write the times of all files alike: 2006-05-31 23:00:52 is never misread"));
        }
        self.layout.time_style = self.layout.time_style.merge(other.layout.time_style);
        self.layout.typed_person &= other.layout.typed_person;
        add_new(&mut self.layout.unmapped, other.layout.unmapped);
        self.rows += other.rows;
        self.refused += other.refused;
        self.uncompared.extend(other.uncompared);
        Ok(self)
    }
}

/// How much a file looks like a query log: a header or first object that names person, query and time, or times in lines
/// without a header. One that names some of it is meant as a log, and its reader says what is missing.
pub(crate) fn likeness(head: &Head, options: &ReadOptions) -> Option<Likeness> {
    if head.format.kind == FormatKind::Fimi || !ROLES.have_all(&options.columns) {
        return None;
    }
    // Whose the rows are is a role of other kinds too.
    if Role::ALL[1..].iter().any(|&role| ROLES.is_chosen(role as usize, &options.columns)) {
        return Some(Likeness::said());
    }
    let names = head.names();
    if matches!(ROLES.assign(&names, &options.columns), Ok(Some(_))) {
        return Some(Likeness::certain("it has columns with the names of a person, a query and a time"));
    }
    let first: Vec<&str> = head.rows.first().into_iter().flatten().map(String::as_str).collect();
    if looks_like_aol(&first) && options.columns.is_empty() {
        // Things by their numbers are no queries.
        let because = "it has no header, and a time in its third column, as AOL's files do";
        return (!are_numbers(head, 1)).then(|| Likeness::possible(because));
    }
    let is_meant = head.has_times || !options.columns.is_empty() || has_name_of_log(&names);
    is_meant.then(|| Likeness::possible("it has times, or a column with a name of search logs"))
}

/// Whether a column has nothing but numbers, in several rows.
fn are_numbers(head: &Head, column: usize) -> bool {
    let cells: Vec<&String> = head.rows.iter().filter_map(|row| row.get(column)).collect();
    cells.len() > 1 && cells.iter().all(|cell| is_number(cell.trim()))
}

/// Whether a header names something that a query log must have.
pub(super) fn has_name_of_log(names: &[&str]) -> bool {
    // A single letter is as likely an item.
    let is_name = |name: &str| name.len() > 1 && ROLES.cards[..3].iter().any(|card| card.knows(name));
    names.iter().any(|name| is_name(name))
}

/// Whether a line without a header is one of AOL's, or of its form: the third cell is a plausible time.
fn looks_like_aol(cells: &[&str]) -> bool {
    (3..=5).contains(&cells.len()) && is_plausible_time(cells[2])
}

/// Whether a cell is a time at which somebody may have searched: a small number is none, although it could be seconds.
pub(crate) fn is_plausible_time(cell: &str) -> bool {
    // From 1990 to 2100.
    const MILLIS: std::ops::Range<i64> = 631_152_000_000..4_102_444_800_000;
    time::parse(cell.trim()).is_some_and(|(instant, _)| MILLIS.contains(&instant.millis))
}

/// Makes something of the rows of a log. Parts see blocks; the whole takes the parts in the order of the file.
trait Consumer: Sync {
    /// What one block becomes.
    type Part: Send;
    /// Whether rows should come with what has no role.
    fn wants_rest(&self) -> bool {
        false
    }
    /// An empty part.
    fn part(&self) -> Self::Part;
    /// Takes a row at a line of the block, counted from 1.
    fn row(&self, part: &mut Self::Part, row: &Row<'_>, line: u64);
    /// Takes parts in the order of the file, each with the number of lines before it.
    fn absorb(&mut self, parts: Vec<(Self::Part, u64)>);
}

/// Reads a file into a consumer, as a query log whatever it looks like.
fn scan<C: Consumer>(
    location: &Location,
    options: &ReadOptions,
    consumer: &mut C,
    progress: &dyn Progress,
) -> Result<Scanned> {
    scan_opened(Opened::open(location, options)?, options, consumer, progress)
}

/// Reads a file that is open already, and those after it, into a consumer.
fn scan_opened<C: Consumer>(
    opened: Opened,
    options: &ReadOptions,
    consumer: &mut C,
    progress: &dyn Progress,
) -> Result<Scanned> {
    let mut whole: Option<Scanned> = None;
    let times = Times::new(options)?;
    let files = Joined::read(opened, options, |opened, joined| {
        let scanned = scan_one(opened, options, &times, consumer, joined, progress)?;
        whole = Some(match whole.take() {
            Some(first) => first.and(scanned, joined)?,
            None => scanned,
        });
        Ok(())
    })?;
    let whole = whole.ok_or_else(|| Error::internal("no file was read"))?;
    Ok(Scanned { files, ..whole })
}

/// Reads one file into a consumer, whose lines come after those of the files before; its times as is said of all.
fn scan_one<C: Consumer>(
    opened: Opened,
    options: &ReadOptions,
    times: &Times,
    consumer: &mut C,
    joined: &mut Joined,
    progress: &dyn Progress,
) -> Result<Scanned> {
    let Opened { source, format, .. } = opened;
    if format.kind == FormatKind::Fimi {
        return Err(Error::data("a file with one basket a line is no query log")
            .with_hint("leave out `--kind queries`, or name the format with `--format`"));
    }
    let mut lines = Lines { consumer, before: joined.lines, times: times.part() };
    let read = fields::read(source, format, options, &mut lines, progress)?;
    joined.lines += read.lines;
    let times = lines.times;
    read.uncompared.note_many("a time with digits beyond the nanoseconds", times.finer());
    let settled = times.settle(options)?;
    let role = |(role, name): (usize, String)| (Role::ALL[role], name);
    // What persons ask for is not for anybody who reads a release.
    let (wishes, columns): (Vec<_>, Vec<_>) =
        read.layout.columns.into_iter().map(role).partition(|(role, _)| *role == Role::Wish);
    let unmapped = read.layout.unmapped.into_iter().chain(wishes.into_iter().map(|(_, name)| name)).collect();
    let is_typed = |role: Role| read.layout.typed[role as usize];
    let usual = if matches!(format.kind, FormatKind::Tsv | FormatKind::Csv) { TimeStyle::AOL } else { TimeStyle::ISO };
    let layout = Layout {
        header: read.layout.header,
        time_style: settled.style.unwrap_or(usual),
        time_zone: times.zone,
        blanks_in_date: times.blanks_in_date.unwrap_or(0),
        typed_time: is_typed(Role::Time),
        typed_person: is_typed(Role::User),
        raw_cells: false,
        columns,
        unmapped,
    };
    Ok(Scanned {
        format,
        layout,
        rows: read.rows,
        refused: read.refused,
        is_exchanged: settled.is_exchanged,
        uncompared: joined.told(read.uncompared.sentences()),
        files: Files::default(),
    })
}

/// A consumer of the rows of a log, and what their times told.
struct Lines<'c, C> {
    consumer: &'c mut C,
    /// The lines of the files before.
    before: u64,
    times: Times,
}

impl<C: Consumer> RowConsumer<7> for Lines<'_, C> {
    const ROLES: &'static Roles = &ROLES;
    const TIME: Option<usize> = Some(Role::Time as usize);
    type Part = (C::Part, Times);

    /// AOL's columns in AOL's order, recognised by the time in the third.
    fn without_header(cells: &[&str], options: &ReadOptions) -> Option<&'static [&'static str]> {
        let is_skipped = (3..=5).contains(&cells.len()) && options.bad_lines == BadLines::Skip;
        (looks_like_aol(cells) || is_skipped).then_some(AOL)
    }

    fn wants_rest(&self) -> bool {
        self.consumer.wants_rest()
    }

    fn part(&self) -> Self::Part {
        (self.consumer.part(), self.times.part())
    }

    #[inline]
    fn row<'n>(
        &self,
        (part, times): &mut Self::Part,
        fields: Fields<'_, 7>,
        line: u64,
        name_of: impl Fn(usize) -> &'n str,
    ) -> Result<()> {
        let row = rows::row(fields, times, line, name_of)?;
        self.consumer.row(part, &row, line);
        Ok(())
    }

    fn absorb(&mut self, parts: Vec<(Self::Part, u64)>) {
        let mut own = Vec::with_capacity(parts.len());
        for ((part, times), before) in parts {
            self.times.absorb(times, before);
            own.push((part, self.before + before));
        }
        self.consumer.absorb(own);
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, repeat};

    use super::super::source::Source;
    use super::*;
    use throng_core::Rng;
    use throng_core::progress::Silent;

    /// A line that never ends is refused where it becomes too long: what comes after it is not waited for.
    #[test]
    fn a_line_without_an_end() {
        for (name, first) in [
            ("tsv", &b"AnonID\tQuery\tQueryTime\n1\t"[..]),
            ("csv", b"user,query,time\n1,\""),
            ("jsonl", b"{\"user\":1,\"query\":\"x\",\"time\":1149116452}\n{\"user\":"),
        ] {
            let source = Source::from_raw(&Location::Stdin, Box::new(first.chain(repeat(b'0'))), None).unwrap();
            let opened = Opened::new(source, Format::parse(name).unwrap());
            let read = read_opened_digests(opened, &ReadOptions::default(), &mut Rng::seeded(1), &Silent);
            let error = read.unwrap_err();
            assert_eq!(error.to_string(), "the line is longer than 16 MiB", "{name}");
            assert_eq!(error.place().and_then(|place| place.line), Some(2), "{name}");
        }
    }
}
