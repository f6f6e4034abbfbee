//! A web access log: visitors with lines of time, request, answer, referrer and agent.
//!
//! Columns of interned ids, the lines of a visitor side by side in the order of time (reading W4; lines of the same moment in the order of
//! the file), visitors numbered by first appearance. Sessions are worked out once: from the session column where the file has one, else a
//! pause of more than the timeout ends one, [`TIMEOUT`] unless somebody says otherwise (reading W2: a gap of exactly 30 minutes stays inside).
//!
//! Texts of all fields are columns of the same form, so that whatever is done to one is done to all. A line costs 62 bytes beside its
//! strings.

mod agent;
mod builder;
mod content;
mod crowds;
pub mod pattern;
pub mod rebuilt;
mod tree;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::queries::MISSING;
use super::strings::{Interner, Strings};
use super::time::HOUR;
use super::{Dataset, FactSort, Facts};
use crate::error::Result;
use crate::info::Need;
use crate::release::addresses::{self, Network};
use crate::rng::Rng;

pub use agent::{Agent, Class};
pub use builder::{Visit, VisitsBuilder};
pub use crowds::Crowd;
pub use tree::PathTree;

/// A pause that is longer than this ends a session, unless somebody says otherwise, in milliseconds.
pub const TIMEOUT: i64 = 30 * 60 * 1000;

/// The longest pause inside a session, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Timeout(i64);

impl Default for Timeout {
    fn default() -> Self {
        Self(TIMEOUT)
    }
}

/// A field of text that a line has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// Where the request came from.
    Address,
    /// `GET`, `POST`, ….
    Method,
    /// The path of the page, without its query string. A line without a request has none.
    Path,
    /// The query string, without its question mark.
    Query,
    /// The page that the visitor came from.
    Referrer,
    /// What the browser says of itself.
    Agent,
    /// The virtual host.
    Host,
    /// Who had logged in.
    User,
    /// The session, where the file says which it is.
    Session,
    /// The version of HTTP, as `HTTP/1.1`.
    Version,
}

/// How many fields of text there are.
pub const PARTS: usize = 10;

impl Part {
    /// All fields, in their order.
    pub const ALL: [Self; PARTS] = [
        Self::Address,
        Self::Method,
        Self::Path,
        Self::Query,
        Self::Referrer,
        Self::Agent,
        Self::Host,
        Self::User,
        Self::Session,
        Self::Version,
    ];
}

/// A web access log.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Visits {
    names: Strings,
    /// Visitor `p` has the lines `starts[p]..starts[p + 1]`.
    starts: Vec<usize>,
    texts: [Strings; PARTS],
    columns: [Vec<u32>; PARTS],
    time: Vec<i64>,
    /// 0 where there is none.
    status: Vec<u16>,
    /// [`u64::MAX`] where there is none.
    bytes: Vec<u64>,
    /// The number of the session of each line, among those of its visitor.
    session: Vec<u32>,
    timeout: Timeout,
    /// What each agent is, in the order of their texts.
    agents: Vec<Agent>,
    /// For each record the name that it is published under, where a method has made those itself; no two have the same.
    published: Option<Arc<[String]>>,
    /// For each record the network that its addresses are drawn from, where a method says so.
    networks: Option<Arc<[Option<Network>]>>,
    /// What paths go up to, where somebody gave another tree than the site's own.
    tree: Option<Arc<PathTree>>,
}

impl Visits {
    /// The number of visitors.
    pub fn persons(&self) -> usize {
        self.names.len()
    }

    /// The number of lines.
    pub fn rows(&self) -> usize {
        self.time.len()
    }

    /// The names of the visitors.
    pub fn names(&self) -> &Strings {
        &self.names
    }

    /// The lines of a visitor.
    pub fn range(&self, person: usize) -> Range<usize> {
        self.starts[person]..self.starts[person + 1]
    }

    /// The different texts of a field.
    pub fn texts(&self, part: Part) -> &Strings {
        &self.texts[part as usize]
    }

    /// A field of all lines: ids of its texts, or [`MISSING`].
    pub fn column(&self, part: Part) -> &[u32] {
        &self.columns[part as usize]
    }

    /// What a field of a line says.
    pub fn text(&self, part: Part, row: usize) -> Option<&str> {
        let id = self.columns[part as usize][row];
        (id != MISSING).then(|| self.texts[part as usize].get(id))
    }

    /// When the request came, in milliseconds since 1970.
    pub fn time(&self, row: usize) -> i64 {
        self.time[row]
    }

    /// What the server answered.
    pub fn status(&self, row: usize) -> Option<u16> {
        Some(self.status[row]).filter(|&status| status != 0)
    }

    /// How much it answered.
    pub fn bytes(&self, row: usize) -> Option<u64> {
        Some(self.bytes[row]).filter(|&bytes| bytes != u64::MAX)
    }

    /// The number of the session of a line, among those of its visitor.
    pub fn session(&self, row: usize) -> u32 {
        self.session[row]
    }

    /// How many sessions a visitor has.
    pub fn sessions_of(&self, person: usize) -> usize {
        self.session[self.range(person)].iter().max().map_or(0, |&last| last as usize + 1)
    }

    /// The lines of each session of a visitor, in the order of time.
    pub fn sessions(&self, person: usize) -> Vec<Vec<usize>> {
        let mut sessions = vec![Vec::new(); self.sessions_of(person)];
        for row in self.range(person) {
            sessions[self.session[row] as usize].push(row);
        }
        sessions
    }

    /// What the agent of a line is.
    pub fn agent(&self, row: usize) -> &Agent {
        static NONE: Agent = Agent::NONE;
        let id = self.columns[Part::Agent as usize][row];
        if id == MISSING { &NONE } else { &self.agents[id as usize] }
    }

    /// What the agents are, in the order of their texts.
    pub fn agents(&self) -> &[Agent] {
        &self.agents
    }

    /// Whether a visitor is a declared bot: the agent of some line of theirs is.
    pub fn is_bot(&self, person: usize) -> bool {
        self.range(person).any(|row| self.agent(row).is_bot)
    }

    /// How many visitors are humans, and how many bots.
    pub fn humans_and_bots(&self) -> [usize; 2] {
        let bots = (0..self.persons()).into_par_iter().filter(|&person| self.is_bot(person)).count();
        [self.persons() - bots, bots]
    }

    /// Whether some line has a field.
    pub fn has_part(&self, part: Part) -> bool {
        !self.texts[part as usize].is_empty()
    }

    /// The first and the last point in time, in milliseconds. `None` for a log without lines.
    pub fn time_span(&self) -> Option<(i64, i64)> {
        Some((*self.time.iter().min()?, *self.time.iter().max()?))
    }

    /// The longest pause inside a session, in milliseconds.
    pub fn timeout(&self) -> i64 {
        self.timeout.0
    }

    /// The same log, with another longest pause inside a session, in milliseconds.
    #[must_use]
    pub fn with_timeout(mut self, timeout: i64) -> Self {
        self.timeout = Timeout(timeout);
        self.settle_sessions();
        self
    }

    /// The same log, in which paths go up a given tree.
    #[must_use]
    pub fn with_tree(mut self, tree: Arc<PathTree>) -> Self {
        self.tree = Some(tree);
        self
    }

    /// The tree that paths go up, where it is not the site's own.
    pub fn tree(&self) -> Option<&PathTree> {
        self.tree.as_deref()
    }

    /// The same log, with what its agents are; each different one is looked at once.
    #[must_use]
    pub fn with_agents(mut self, parse: impl Fn(&str) -> Agent + Sync) -> Self {
        let texts = &self.texts[Part::Agent as usize];
        self.agents = (0..texts.len() as u32).into_par_iter().map(|id| parse(texts.get(id))).collect();
        self
    }

    /// The same log, its agents being what those of another are that has all of them; others are what nothing is.
    #[must_use]
    pub fn with_agents_like(mut self, other: &Self) -> Self {
        let known = self.texts[Part::Agent as usize].ids_in(&other.texts[Part::Agent as usize]);
        self.agents = known.iter().map(|id| id.map_or(Agent::NONE, |id| other.agents[id as usize].clone())).collect();
        self
    }

    /// The same log, in which a visitor is an address.
    #[must_use]
    pub fn by_address(&self) -> Self {
        let (mut names, mut owners) = (Interner::new(), Vec::with_capacity(self.persons()));
        for person in 0..self.persons() {
            let address = self.range(person).find_map(|row| self.text(Part::Address, row)).unwrap_or("-");
            owners.push(names.intern(address));
        }
        let count = names.strings().len();
        let joined = self.joined(&owners, count).expect("visitors can be joined");
        Self { names: names.into_strings(), ..joined }
    }

    /// The same records, each to be published under a name of its own that the method has made: an address, or an address, a blank and
    /// the agent, as visitors are read.
    #[must_use]
    pub fn published_as(mut self, names: Vec<String>) -> Self {
        assert_eq!(names.len(), self.persons(), "one name for each record");
        self.published = Some(names.into());
        self
    }

    /// The same records, those that have a network to be published under fresh addresses inside it.
    #[must_use]
    pub fn in_networks(mut self, networks: Vec<Option<Network>>) -> Self {
        assert_eq!(networks.len(), self.persons(), "one network, or none, for each record");
        self.networks = Some(networks.into());
        self
    }

    /// The names that records are published under, where a method has made them.
    pub fn published(&self) -> Option<&[String]> {
        self.published.as_deref()
    }

    /// The log with some fields alone, and times in whole seconds: what a file of some form can hold.
    #[must_use]
    pub fn held_by(mut self, has: impl Fn(Part) -> bool, has_status: bool, has_bytes: bool) -> Self {
        for part in Part::ALL.into_iter().filter(|part| !has(*part)) {
            self.columns[part as usize].fill(MISSING);
            self.texts[part as usize] = Strings::new();
            if part == Part::Agent {
                self.agents.clear();
            }
        }
        self.time.iter_mut().for_each(|time| *time = time.div_euclid(1000) * 1000);
        if !has_status {
            self.status.fill(0);
        }
        if !has_bytes {
            self.bytes.fill(u64::MAX);
        }
        self.settle_sessions();
        self
    }

    /// The log without the lines of which some text is barred, and without the visitors of whom no line is left.
    #[must_use]
    pub fn without(&self, is_barred: impl Fn(&str) -> bool + Sync) -> Self {
        let barred = |strings: &Strings| -> Vec<bool> {
            (0..strings.len() as u32).into_par_iter().map(|id| is_barred(strings.get(id))).collect()
        };
        let barred: Vec<Vec<bool>> = self.texts.iter().map(barred).collect();
        let is_taken = |row: &usize| {
            let is_out = |(column, barred): (&Vec<u32>, &Vec<bool>)| {
                let id = column[*row];
                id != MISSING && barred[id as usize]
            };
            !self.columns.iter().zip(&barred).any(is_out)
        };
        self.of_lines(&(0..self.persons() as u32).collect::<Vec<_>>(), is_taken, true)
    }

    /// Some lines of some visitors; visitors of whom none is left may go.
    fn of_lines(&self, persons: &[u32], is_taken: impl Fn(&usize) -> bool, empty_go: bool) -> Self {
        let (mut rows, mut starts, mut kept) = (Vec::new(), vec![0], Vec::new());
        for &person in persons {
            let before = rows.len();
            rows.extend(self.range(person as usize).filter(&is_taken));
            if rows.len() > before || !empty_go {
                starts.push(rows.len());
                kept.push(person);
            }
        }
        let names = kept.iter().map(|&person| self.names.get(person)).collect();
        let (published, networks) = (self.published.as_ref(), self.networks.as_ref());
        Self {
            published: published.map(|all| kept.iter().map(|&person| all[person as usize].clone()).collect()),
            networks: networks.map(|all| kept.iter().map(|&person| all[person as usize]).collect()),
            ..self.of_rows(names, starts, &rows)
        }
    }

    /// Some of the lines, cut up anew: visitor `p` has the lines `rows[starts[p]..starts[p + 1]]`, which must be in the order of time.
    /// With the strings of these lines alone.
    #[must_use]
    pub fn of_rows(&self, names: Strings, starts: Vec<usize>, rows: &[usize]) -> Self {
        let mut log = Self {
            names,
            starts,
            time: rows.iter().map(|&row| self.time[row]).collect(),
            status: rows.iter().map(|&row| self.status[row]).collect(),
            bytes: rows.iter().map(|&row| self.bytes[row]).collect(),
            timeout: self.timeout,
            tree: self.tree.clone(),
            ..Self::default()
        };
        for part in Part::ALL {
            let at = part as usize;
            let column = rows.iter().map(|&row| self.columns[at][row]).collect();
            let (texts, column, used) = only_used(&self.texts[at], column);
            (log.texts[at], log.columns[at]) = (texts, column);
            if part == Part::Agent && !self.agents.is_empty() {
                log.agents = used.iter().map(|&id| self.agents[id as usize].clone()).collect();
            }
        }
        log.settle_sessions();
        log
    }

    /// Works out which line belongs to which session.
    fn settle_sessions(&mut self) {
        let ids = &self.columns[Part::Session as usize];
        let mut session = vec![0; self.time.len()];
        for person in 0..self.names.len() {
            let mut seen: BTreeMap<u32, u32> = BTreeMap::new();
            let (mut number, mut last) = (0, None);
            for row in self.starts[person]..self.starts[person + 1] {
                if ids[row] != MISSING {
                    // What the file says; its sessions may lie inside each other.
                    let new = seen.len() as u32;
                    session[row] = *seen.entry(ids[row]).or_insert(new);
                    continue;
                }
                if last.is_some_and(|last| self.time[row] - last > self.timeout.0) {
                    number += 1;
                }
                last = Some(self.time[row]);
                session[row] = number;
            }
            if !seen.is_empty() && last.is_some() {
                // Lines without a session come after those that have one.
                let range = self.starts[person]..self.starts[person + 1];
                for row in range.filter(|&row| ids[row] == MISSING) {
                    session[row] += seen.len() as u32;
                }
            }
        }
        self.session = session;
    }

    /// The hours, each of its day, in which visitors came, as facts: numbered in the order of time.
    fn hours(&self) -> Facts<'_> {
        let hour = |row: usize| self.time[row].div_euclid(HOUR);
        let mut different = BTreeSet::new();
        different.extend((0..self.rows()).map(hour));
        let hours: Vec<i64> = different.into_iter().collect();
        let count = hours.len();
        let number = move |row: usize| hours.partition_point(|&other| other < hour(row)) as u32;
        Facts::new(count, move |person| self.range(person).map(&number).collect())
    }

    /// A field as facts.
    fn facts_of(&self, part: Part) -> Facts<'_> {
        let (texts, column) = (self.texts(part), self.column(part));
        let of = move |person: usize| column[self.range(person)].iter().copied().filter(|&id| id != MISSING).collect();
        Facts::new(texts.len(), of).ordered(move |left, right| texts.get(left).cmp(texts.get(right)))
    }
}

/// The strings of a column alone, in the order of their ids; the column with their new ids; and their old ids.
fn only_used(strings: &Strings, mut column: Vec<u32>) -> (Strings, Vec<u32>, Vec<u32>) {
    let mut is_used = vec![false; strings.len()];
    column.iter().filter(|&&id| id != MISSING).for_each(|&id| is_used[id as usize] = true);
    let used: Vec<u32> = (0..strings.len() as u32).filter(|&id| is_used[id as usize]).collect();
    let mut number = vec![MISSING; strings.len()];
    (0..).zip(&used).for_each(|(new, &old)| number[old as usize] = new);
    column.iter_mut().filter(|id| **id != MISSING).for_each(|id| *id = number[*id as usize]);
    (used.iter().map(|&id| strings.get(id)).collect(), column, used)
}

impl Dataset for Visits {
    const FACTS: &'static [FactSort] = &[
        FactSort {
            names: ["path", "paths"],
            means: "the path of a page, without its query string",
            known: ["one path that a visitor asked for", "{} paths that a visitor asked for"],
        },
        FactSort {
            names: ["time", "times"],
            means: "the day and the hour of a request",
            known: ["the day and hour of one request of a visitor", "the days and hours of {} requests of a visitor"],
        },
        FactSort {
            names: ["browser", "browsers"],
            means: "the whole user agent",
            known: ["the browser of a visitor", "{} browsers of a visitor"],
        },
    ];

    fn persons(&self) -> usize {
        self.persons()
    }

    fn rows(&self) -> usize {
        self.rows()
    }

    fn names(&self) -> &Strings {
        self.names()
    }

    fn of_persons(&self, persons: &[u32]) -> Self {
        self.of_lines(persons, |_| true, false)
    }

    fn joined(&self, owners: &[u32], persons: usize) -> Option<Self> {
        let mut parts: Vec<Vec<usize>> = vec![Vec::new(); persons];
        (0..).zip(owners).for_each(|(part, &owner)| parts[owner as usize].push(part));
        let (mut starts, mut rows, mut names) = (vec![0], Vec::with_capacity(self.rows()), Strings::new());
        for parts in &parts {
            let before = rows.len();
            parts.iter().for_each(|&part| rows.extend(self.range(part)));
            rows[before..].sort_by_key(|&row: &usize| self.time[row]);
            starts.push(rows.len());
            names.push(parts.first().map_or("", |&part| self.names.get(part as u32)));
        }
        Some(self.of_rows(names, starts, &rows))
    }

    /// Lines by time, then path, then everything else.
    fn in_release_order(self) -> Self {
        let key = |row: usize| {
            let text = |part: Part| self.text(part, row);
            let others = [Part::Method, Part::Query, Part::Referrer, Part::Agent, Part::Host, Part::Version].map(text);
            (self.time[row], text(Part::Path), others, self.status[row], self.bytes[row], self.session[row])
        };
        let mut rows: Vec<usize> = (0..self.rows()).collect();
        for person in 0..self.persons() {
            rows[self.range(person)].sort_by(|&left, &right| key(left).cmp(&key(right)));
        }
        let mut ordered = self.of_rows(self.names.clone(), self.starts.clone(), &rows);
        ordered.published.clone_from(&self.published);
        ordered.networks.clone_from(&self.networks);
        ordered
    }

    fn facts(&self, sort: usize) -> Facts<'_> {
        match sort {
            0 => self.facts_of(Part::Path),
            1 => self.hours(),
            _ => self.facts_of(Part::Agent),
        }
    }

    fn has(&self, _need: Need) -> bool {
        false
    }

    /// Addresses that nobody has, or those that the method made.
    fn published_names(&self, given: &[(u32, u32)], names: &Strings, rng: &mut Rng) -> Option<Result<Vec<String>>> {
        if let Some(published) = &self.published {
            return Some(Ok(given.iter().map(|&(_, record)| published[record as usize].clone()).collect()));
        }
        let is_v6 =
            |person: u32| names.get(person).split(' ').next().is_some_and(|address| address.matches(':').count() > 1);
        // The form of an address is that of most who have the record, so that it tells none of them from the others.
        let mut forms = vec![[0usize; 2]; self.persons()];
        given.iter().for_each(|&(person, record)| forms[record as usize][usize::from(is_v6(person))] += 1);
        let are_v6: Vec<bool> =
            given.iter().map(|&(_, record)| forms[record as usize]).map(|[v4, v6]| v6 > v4).collect();
        if let Some(networks) = &self.networks {
            let networks: Vec<Option<Network>> = given.iter().map(|&(_, record)| networks[record as usize]).collect();
            return Some(addresses::draw_in(&networks, &are_v6, names, rng));
        }
        Some(addresses::draw(&are_v6, names, rng))
    }

    fn has_own_names(&self) -> bool {
        self.published.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visit<'a>(address: &'a str, agent: Option<&'a str>, minute: i64, path: &'a str) -> Visit<'a> {
        let mut visit = Visit { time: minute * 60_000, ..Visit::default() };
        visit.texts[Part::Address as usize] = Some(address);
        visit.texts[Part::Agent as usize] = agent;
        visit.texts[Part::Path as usize] = Some(path);
        visit
    }

    fn log(visits: &[Visit<'_>]) -> Visits {
        let mut builder = VisitsBuilder::new();
        for (line, visit) in (1..).zip(visits) {
            let [address, agent] = [Part::Address, Part::Agent].map(|part| visit.texts[part as usize].unwrap_or("-"));
            builder.push(&format!("{address} {agent}"), visit, line);
        }
        builder.finish().0
    }

    fn sessions(log: &Visits, person: usize) -> Vec<Vec<&str>> {
        let paths = |rows: &Vec<usize>| rows.iter().filter_map(|&row| log.text(Part::Path, row)).collect();
        log.sessions(person).iter().map(paths).collect()
    }

    /// Exactly 30:00 stays; lines out of order; two agents behind one address; midnight.
    #[test]
    fn a_pause_ends_a_session() {
        let made = log(&[
            visit("1.2.3.4", Some("A"), 31, "/b"),
            visit("1.2.3.4", Some("B"), 2, "/x"),
            visit("1.2.3.4", Some("A"), 1, "/a"),
            visit("1.2.3.4", Some("A"), 62, "/c"),
            visit("1.2.3.4", None, 23 * 60 + 59, "/m"),
            visit("1.2.3.4", None, 24 * 60 + 1, "/n"),
        ]);
        assert_eq!(made.names().iter().collect::<Vec<_>>(), ["1.2.3.4 A", "1.2.3.4 B", "1.2.3.4 -"]);
        assert_eq!(sessions(&made, 0), [vec!["/a", "/b"], vec!["/c"]]);
        assert_eq!(sessions(&made, 1), [vec!["/x"]]);
        assert_eq!(sessions(&made, 2), [vec!["/m", "/n"]]);
        let some = made.of_persons(&[2, 0]);
        assert_eq!(sessions(&some, 1), [vec!["/a", "/b"], vec!["/c"]]);
        let patient = made.clone().with_timeout(31 * 60_000);
        assert_eq!(sessions(&patient, 0), [vec!["/a", "/b", "/c"]]);
        assert_eq!(sessions(&patient.of_persons(&[0]), 0), [vec!["/a", "/b", "/c"]]);
        assert_eq!(some.texts(Part::Path).iter().collect::<Vec<_>>(), ["/b", "/a", "/c", "/m", "/n"]);
    }

    /// What the file calls sessions are sessions, whatever their times.
    #[test]
    fn a_session_column_is_believed() {
        let mut visits = [
            visit("h", None, 0, "/a"),
            visit("h", None, 1, "/b"),
            visit("h", None, 500, "/c"),
            visit("h", None, 2, "/d"),
        ];
        for (visit, id) in visits.iter_mut().zip([Some("s"), Some("t"), Some("s"), None]) {
            visit.texts[Part::Session as usize] = id;
        }
        let made = log(&visits);
        assert_eq!(sessions(&made, 0), [vec!["/a", "/c"], vec!["/b"], vec!["/d"]]);
        assert_eq!(made.sessions_of(0), 3);
    }

    #[test]
    fn what_is_barred_goes() {
        let made = log(&[visit("1.1.1.1", Some("A"), 0, "/a"), visit("2.2.2.2", Some("A"), 0, "/secret")]);
        let left = made.without(|text| text.contains("secret"));
        assert_eq!(left.names().iter().collect::<Vec<_>>(), ["1.1.1.1 A"]);
        assert_eq!(left.rows(), 1);
    }

    #[test]
    fn bots_are_told_by_their_agents() {
        let made = log(&[visit("1.1.1.1", Some("Bot"), 0, "/a"), visit("2.2.2.2", Some("A"), 0, "/a")])
            .with_agents(|text| Agent { is_bot: text == "Bot", ..Agent::NONE });
        assert_eq!(made.humans_and_bots(), [1, 1]);
        assert!(made.is_bot(0) && !made.is_bot(1));
    }
}
