//! The record of a group: its lines put together out of sessions, pages, assets, and what else a line says.
//!
//! # Idea
//! 1. Sessions are planned (`sessions.rs`), and pages and assets chosen (`choice.rs`), as many of each as the members have on average.
//! 2. Where all records so far would tell too much of their members, lines are exchanged (`exposure.rs`).
//! 3. Pages are put in order: a session begins with the page that is owed most as a beginning, and goes on with the step that is owed most.
//! 4. Assets are laid beside a page that pulls them (`units.rs`), in the sessions that have room; what is a pattern comes last, so that it
//!    stands between no two pages.
//! 5. Pauses are quantiles of the log's, scaled to the session's duration.
//! 6. Method and status of a line are among those of the group's lines with its path, its referrer among those of the group's first lines of
//!    sessions, other pages or assets, always the ones that the members have most and that are owed most.

use std::collections::BTreeMap;

use super::choice::{Candidate, Cap, choose};
use super::debts::Debts;
use super::exposure::{Exposure, limit};
use super::patterns::Patterns;
use super::sessions::{Planned, Plans, Session, sessions_of};
use super::shared::Shared;
use super::units::Units;
use crate::data::queries::MISSING;
use crate::data::visits::pattern::{covers, is_page, is_pattern};
use crate::data::visits::{Class, Part, Visit};
use crate::data::{Visits, VisitsBuilder};

/// How much a pattern is worth beside a path, when lines are chosen.
const PATTERN: f64 = 0.6;
/// How much a debt weighs against what the members have.
const DEBT: f64 = 0.5;

/// Everything that records are made of, and what is owed.
pub(super) struct Recorder<'a> {
    visits: &'a Visits,
    patterns: &'a Patterns,
    shared: &'a Shared,
    units: Units,
    plans: Plans,
    k: usize,
    min_persons: usize,
    /// What is owed of texts, in lines; of texts as the beginning of a session.
    texts: Debts,
    entries: Debts,
    /// Of methods with statuses, by their numbers.
    answers: Debts,
    numbers: BTreeMap<(u32, u16), usize>,
    /// Of referrers, 0 being none: of first lines, of other pages, and of assets.
    referrers: [Debts; 3],
    /// Of agents, and of classes of browsers, in sessions.
    agents: Debts,
    classes: Debts,
    has_sessions: bool,
    /// The pages and assets with most lines that may be published as they are.
    popular: Vec<u32>,
    /// What records tell of their members so far, summed up, and of how many.
    told: (f64, usize),
}

/// A line of a record before its text is written.
#[derive(Debug, Clone, Copy)]
struct Line {
    /// A text of the patterns, or [`MISSING`].
    text: u32,
    is_asset: bool,
    is_first: bool,
    time: i64,
    session: usize,
}

impl<'a> Recorder<'a> {
    pub(super) fn new(
        visits: &'a Visits,
        patterns: &'a Patterns,
        shared: &'a Shared,
        (k, min_persons): (usize, usize),
        resolution: i64,
    ) -> Self {
        let units = Units::of(visits, patterns, min_persons);
        let durations = (0..visits.persons())
            .flat_map(|person| sessions_of(visits, person, |_| false))
            .map(|session| session.duration)
            .collect();
        let first = visits.time_span().map_or(0, |(first, _)| first);
        Self {
            visits,
            patterns,
            shared,
            units,
            plans: Plans::of(durations, first, resolution),
            k,
            min_persons,
            texts: Debts::of(patterns.texts().len() + 1),
            entries: Debts::of(patterns.texts().len() + 1),
            answers: Debts::default(),
            numbers: BTreeMap::new(),
            referrers: [Debts::default(), Debts::default(), Debts::default()],
            agents: Debts::of(shared.agents.len() + 1),
            classes: Debts::of(Class::ALL.len()),
            has_sessions: visits.has_part(Part::Session),
            popular: popular(visits, patterns),
            told: (0.0, 0),
        }
    }

    /// The text that a line is published with.
    fn text_of(&self, row: usize) -> u32 {
        self.patterns.published(self.visits.column(Part::Path)[row])
    }

    /// Adds the record of a group.
    pub(super) fn add(&mut self, members: &[u32], name: &str, builder: &mut VisitsBuilder) {
        let rows: Vec<Vec<usize>> =
            members.iter().map(|&member| self.visits.range(member as usize).collect()).collect();
        let sessions: Vec<Vec<Session>> = members
            .iter()
            .map(|&member| sessions_of(self.visits, member as usize, |row| !self.patterns.is_asset(self.text_of(row))))
            .collect();
        let planned = self.plans.plan(&sessions);
        let agent = self.agent(members, &sessions, planned.len());
        let lengths: Vec<u32> = rows.iter().map(|rows| rows.len() as u32).collect();
        let mut cap = Cap::new(&lengths, self.k);
        for row in rows.iter().flatten() {
            self.texts.owe(place(self.text_of(*row)), 1);
        }
        let [pages, lines] =
            [|own: &Planned| own.pages, |own: &Planned| own.lines].map(|of| planned.iter().map(of).sum::<usize>());
        let chosen_pages = self.chosen(&rows, false, pages, &mut cap);
        let chosen_assets = self.chosen(&rows, true, lines - chosen_pages.len(), &mut cap);
        let (chosen_pages, chosen_assets) = self.tempered(&rows, chosen_pages, chosen_assets);
        chosen_pages.iter().chain(&chosen_assets).for_each(|&text| self.texts.pay(place(text), members.len() as u64));
        self.owe_order(&rows);
        let lines = self.laid(&planned, chosen_pages, chosen_assets, members.len());
        self.write(&lines, &rows, agent, name, builder);
    }

    /// What the beginnings and steps of the members owe.
    fn owe_order(&mut self, rows: &[Vec<usize>]) {
        for own in rows {
            let mut last: Option<(u32, u32)> = None;
            for &row in own {
                let (text, session) = (self.text_of(row), self.visits.session(row));
                if self.patterns.is_asset(text) {
                    continue;
                }
                match last.filter(|&(_, before)| before == session) {
                    Some((from, _)) => self.units.owe((from, text), 1),
                    None => self.entries.owe(place(text), 1),
                }
                last = Some((text, session));
            }
        }
    }

    /// The agent of a record: the one that most sessions of the members have, and that is owed most.
    fn agent(&mut self, members: &[u32], sessions: &[Vec<Session>], count: usize) -> u32 {
        let class = |agent: u32| self.shared.classes.get(agent as usize).map_or(Class::Other, |&class| class) as usize;
        let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
        for (&member, sessions) in members.iter().zip(sessions) {
            *counts.entry(self.shared.agent_of[member as usize]).or_default() += sessions.len() as u64;
        }
        for (&agent, &count) in &counts {
            self.agents.owe(place(agent), count);
            self.classes.owe(class(agent), count);
        }
        let all: u64 = counts.values().sum();
        let score = |agent: u32, own: u64| {
            let owed = |debts: &Debts, thing: usize| (debts.each(thing, members.len()) / count as f64).clamp(-3.0, 3.0);
            own as f64 / all as f64 + DEBT * owed(&self.agents, place(agent)) + owed(&self.classes, class(agent))
        };
        let best = counts.iter().max_by(|left, right| {
            score(*left.0, *left.1).total_cmp(&score(*right.0, *right.1)).then(right.0.cmp(left.0))
        });
        let agent = best.map_or(MISSING, |(&agent, _)| agent);
        let paid = (count * members.len()) as u64;
        self.agents.pay(place(agent), paid);
        self.classes.pay(class(agent), paid);
        agent
    }

    /// So many pages, or assets, of a record, each as often as it is chosen. Where nothing may be said a line has no path.
    fn chosen(&self, rows: &[Vec<usize>], assets: bool, length: usize, cap: &mut Cap) -> Vec<u32> {
        if length == 0 {
            return Vec::new();
        }
        let size = rows.len();
        let enough = self.min_persons.min(size);
        // For each member what their lines are published as, and what they are themselves.
        let mut marks: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let mut owns: Vec<BTreeMap<u32, u32>> = vec![BTreeMap::new(); size];
        let mut totals = vec![0u32; size];
        for (member, rows) in rows.iter().enumerate() {
            for &row in rows {
                let (path, text) = (self.visits.column(Part::Path)[row], self.text_of(row));
                if path != MISSING {
                    *owns[member].entry(self.patterns.own(path)).or_default() += 1;
                }
                if self.patterns.is_asset(text) == assets {
                    marks.entry(text).or_insert_with(|| vec![0; size])[member] += 1;
                    totals[member] += 1;
                }
            }
        }
        // How many lines of each member a text covers, by the ways up of their paths.
        let covered = |text: u32| -> Vec<u32> {
            let of = |own: &BTreeMap<u32, u32>| {
                let is_under = |path: u32| path == text || self.patterns.ups(path).contains(&text);
                own.iter().filter(|(path, _)| is_under(**path)).map(|(_, &count)| count).sum()
            };
            owns.iter().map(of).collect()
        };
        let holders = |lines: &[u32]| lines.iter().filter(|&&count| count > 0).count();
        let mut texts: Vec<u32> = Vec::new();
        let mut candidates: Vec<Candidate> = Vec::new();
        let mut of_text: BTreeMap<u32, usize> = BTreeMap::new();
        let mut below: Vec<u32> = Vec::new();
        for (&text, needs) in &marks {
            let lines = match text {
                MISSING => needs.clone(),
                text if is_pattern(self.patterns.texts().get(text)) => covered(text),
                _ => needs.clone(),
            };
            let is_shared = text == MISSING || holders(&lines) >= enough;
            if !is_shared {
                below.push(text);
            }
            of_text.insert(text, candidates.len());
            texts.push(text);
            candidates.push(self.candidate(text, needs.clone(), lines, is_shared, size));
        }
        for text in below {
            let at = of_text[&text];
            let pattern = self.patterns.texts().get(text);
            // What is not shared is held against every line that it truly covers.
            if is_pattern(pattern) {
                let lines = |own: &BTreeMap<u32, u32>| {
                    let is_covered = |path: u32| covers(pattern, self.patterns.texts().get(path));
                    own.iter().filter(|(path, _)| is_covered(**path)).map(|(_, &count)| count).sum()
                };
                candidates[at].lines = owns.iter().map(lines).collect();
            }
            let way = |up: &&u32| match of_text.get(*up) {
                Some(&known) => candidates[known].is_shared,
                None => holders(&covered(**up)) >= enough,
            };
            let Some(&up) = self.patterns.ups(text).iter().find(way) else { continue };
            let above = *of_text.entry(up).or_insert_with(|| {
                texts.push(up);
                candidates.push(self.candidate(up, vec![0; size], Vec::new(), true, size));
                candidates.len() - 1
            });
            candidates[at].up = Some(above);
            let needs = candidates[at].needs.clone();
            candidates[above].needs.iter_mut().zip(needs).for_each(|(all, need)| *all += need);
        }
        let counts = choose(&candidates, &totals, length, cap);
        let mut chosen: Vec<u32> = Vec::with_capacity(length);
        for (&text, &count) in texts.iter().zip(&counts) {
            chosen.extend(std::iter::repeat_n(text, count as usize));
        }
        chosen.resize(length, MISSING);
        chosen
    }

    /// The same lines, with some exchanged where the record would tell too much of its members.
    fn tempered(&mut self, rows: &[Vec<usize>], mut pages: Vec<u32>, mut assets: Vec<u32>) -> (Vec<u32>, Vec<u32>) {
        let size = rows.len();
        let own = |rows: &Vec<usize>| {
            let mut own: BTreeMap<u32, u32> = BTreeMap::new();
            for path in rows.iter().map(|&row| self.visits.column(Part::Path)[row]).filter(|&path| path != MISSING) {
                *own.entry(self.patterns.own(path)).or_default() += 1;
            }
            own
        };
        let members: Vec<BTreeMap<u32, u32>> = rows.iter().map(own).collect();
        let exposure = Exposure::of(&members);
        let mut counts: BTreeMap<u32, u32> = BTreeMap::new();
        pages.iter().chain(&assets).for_each(|&text| *counts.entry(text).or_default() += 1);
        let length = pages.len() + assets.len();
        // What is left of what all members so far may be exposed by, for those of this group.
        let left = (limit(self.k) * (self.told.1 + size) as f64 - self.told.0) / size as f64;
        let enough = self.min_persons.min(size);
        if exposure.level(&counts, length) > left {
            // Nobody of the group has it, or enough have.
            let is_fine = |text: u32| {
                let holders = members.iter().filter(|own| own.contains_key(&text)).count();
                holders == 0 || holders >= enough
            };
            let fine = self.popular.iter().copied().filter(|&text| is_fine(text));
            let may: Vec<(u32, f64)> = fine.map(|text| (text, self.texts.each(place(text), size))).collect();
            let section = |text: u32| (self.patterns.is_asset(text), self.patterns.section(text));
            for (from, to) in exposure.temper(&mut counts, left, section, &may) {
                let lines = if self.patterns.is_asset(from) { &mut assets } else { &mut pages };
                if let Some(at) = lines.iter().position(|&text| text == from) {
                    lines[at] = to;
                }
            }
        }
        self.told = (self.told.0 + size as f64 * exposure.level(&counts, length), self.told.1 + size);
        (pages, assets)
    }

    fn candidate(&self, text: u32, needs: Vec<u32>, lines: Vec<u32>, is_shared: bool, size: usize) -> Candidate {
        let is_whole = text == MISSING || !is_pattern(self.patterns.texts().get(text));
        let worth = if is_whole { 1.0 } else { PATTERN };
        Candidate { needs, lines, is_shared, up: None, owed: self.texts.each(place(text), size), worth }
    }

    /// Pages and assets, laid into sessions.
    fn laid(&mut self, planned: &[Planned], pages: Vec<u32>, mut assets: Vec<u32>, size: usize) -> Vec<Line> {
        let mut left: BTreeMap<u32, usize> = BTreeMap::new();
        pages.iter().for_each(|&page| *left.entry(page).or_default() += 1);
        let mut orders: Vec<Vec<u32>> = Vec::with_capacity(planned.len());
        for own in planned {
            let mut order: Vec<u32> = Vec::with_capacity(own.pages);
            for _ in 0..own.pages {
                let Some(page) = self.next_page(&left, order.last().copied(), size) else { break };
                match order.last() {
                    Some(&from) => self.units.owe((from, page), -(size as i64)),
                    None => self.entries.pay(place(page), size as u64),
                }
                if let Some(count) = left.get_mut(&page) {
                    *count -= 1;
                    if *count == 0 {
                        left.remove(&page);
                    }
                }
                order.push(page);
            }
            orders.push(order);
        }
        // Patterns last: the measure of steps, and whoever reads the log, would take them for pages.
        let is_late = |text: u32| text == MISSING || is_page(self.patterns.texts().get(text));
        assets.sort_by_key(|&text| (is_late(text), text));
        let mut lines = Vec::new();
        for (session, (own, order)) in planned.iter().zip(&orders).enumerate() {
            let mut room = own.lines - order.len();
            let mut pulled: Vec<Vec<u32>> = vec![Vec::new(); order.len().max(1)];
            for (at, &page) in order.iter().enumerate() {
                let mut look = 0;
                while room > 0 && look < assets.len() {
                    let asset = assets[look];
                    if self.units.pulls(page, asset) && !pulled[at].contains(&asset) {
                        pulled[at].push(assets.remove(look));
                        room -= 1;
                    } else {
                        look += 1;
                    }
                }
            }
            // What no page of the session pulls goes with its last one; later sessions may have use for what theirs pull.
            let unused = assets.iter().rev().take(room).count();
            let last = pulled.len() - 1;
            pulled[last].extend(assets.split_off(assets.len() - unused));
            self.time(own, order, &pulled, session, &mut lines);
        }
        lines
    }

    /// The page that comes next: the beginning, or the step, that is owed most.
    fn next_page(&self, left: &BTreeMap<u32, usize>, last: Option<u32>, size: usize) -> Option<u32> {
        let score = |&page: &u32| match last {
            Some(from) => self.units.owed((from, page)).map_or(-1e9, |owed| owed as f64 / size as f64),
            None => self.entries.each(place(page), size),
        };
        left.keys().copied().max_by(|one, other| score(one).total_cmp(&score(other)).then(other.cmp(one)))
    }

    /// The lines of a session, with their times.
    fn time(&self, own: &Planned, order: &[u32], pulled: &[Vec<u32>], session: usize, lines: &mut Vec<Line>) {
        let before = lines.len();
        let mut offset = 0;
        for (at, assets) in pulled.iter().enumerate() {
            let mut push = |text: u32, is_asset: bool, time: i64| {
                lines.push(Line { text, is_asset, is_first: false, time, session });
            };
            if at > 0 {
                // The quantiles come in a scattered order, the same for all sessions.
                offset += self.units.pause((at as f64 * 0.618_033_988_749_895).fract()).max(1000);
            }
            if let Some(&page) = order.get(at) {
                push(page, false, offset);
            }
            for (number, &asset) in assets.iter().enumerate() {
                let delay = self.units.delay((number as f64 + 0.5) / assets.len() as f64);
                push(asset, true, offset + delay);
            }
        }
        let made = &mut lines[before..];
        let longest = made.iter().map(|line| line.time).max().unwrap_or(0);
        for line in made.iter_mut() {
            let scaled =
                if longest > 0 { i128::from(line.time) * i128::from(own.duration) / i128::from(longest) } else { 0 };
            line.time = own.start + (scaled as i64).div_euclid(1000) * 1000;
        }
        if let Some(first) = made.first_mut() {
            first.is_first = true;
        }
    }

    /// Writes the lines of a record.
    fn write(&mut self, lines: &[Line], rows: &[Vec<usize>], agent: u32, name: &str, builder: &mut VisitsBuilder) {
        let size = rows.len();
        let visits = self.visits;
        let firsts = self.first_rows(rows);
        let mut answers: BTreeMap<u32, Options> = BTreeMap::new();
        let mut any = [Options::default(), Options::default()];
        let mut referrers = [Options::default(), Options::default(), Options::default()];
        let mut queries: BTreeMap<u32, Options> = BTreeMap::new();
        let mut hosts: BTreeMap<u32, BTreeMap<u32, usize>> = BTreeMap::new();
        let mut versions: BTreeMap<u32, usize> = BTreeMap::new();
        for (member, &row) in
            rows.iter().enumerate().flat_map(|(member, rows)| rows.iter().map(move |row| (member, row)))
        {
            let text = self.text_of(row);
            let is_asset = self.patterns.is_asset(text);
            if let Some(answer) = self.answer(row) {
                self.answers.owe(answer, 1);
                answers.entry(text).or_default().add(answer);
                any[usize::from(is_asset)].add(answer);
            }
            let sort = if is_asset { 2 } else { usize::from(firsts[member].binary_search(&row).is_err()) };
            let referrer = visits.column(Part::Referrer)[row];
            let referrer = self.shared.referrer_of.get(referrer as usize).map_or(MISSING, |&own| own);
            self.referrers[sort].owe(place(referrer), 1);
            referrers[sort].add(place(referrer));
            let query = visits.column(Part::Query)[row];
            queries
                .entry(text)
                .or_default()
                .add(place(self.shared.query_of.get(query as usize).map_or(MISSING, |&own| own)));
            let host = visits.column(Part::Host)[row];
            if self.shared.is_host.get(host as usize).is_some_and(|&may| may) {
                *hosts.entry(text).or_default().entry(host).or_default() += 1;
                *hosts.entry(MISSING).or_default().entry(host).or_default() += 1;
            }
            let version = visits.column(Part::Version)[row];
            if self.shared.is_version.get(version as usize).is_some_and(|&may| may) {
                *versions.entry(version).or_default() += 1;
            }
        }
        let mut of_text: BTreeMap<u32, usize> = BTreeMap::new();
        let mut of_sort = [0usize; 3];
        let sort_of = |line: &Line| if line.is_asset { 2 } else { usize::from(!line.is_first) };
        for line in lines {
            *of_text.entry(line.text).or_default() += 1;
            of_sort[sort_of(line)] += 1;
        }
        let most = |counts: Option<&BTreeMap<u32, usize>>| {
            counts.and_then(|counts| {
                counts.iter().min_by_key(|(id, count)| (std::cmp::Reverse(**count), **id)).map(|(&id, _)| id)
            })
        };
        let version = most(Some(&versions));
        let pairs: Vec<(u32, u16)> = {
            let mut pairs = vec![(MISSING, 0); self.numbers.len()];
            self.numbers.iter().for_each(|(&pair, &number)| pairs[number] = pair);
            pairs
        };
        for line in lines {
            let given = of_text[&line.text];
            let options = answers.get_mut(&line.text).unwrap_or(&mut any[usize::from(line.is_asset)]);
            let answer = options.pick(given, size, &self.answers);
            let (method, status) = answer.map_or((self.shared.method, 0), |answer| {
                self.answers.pay(answer, size as u64);
                pairs[answer]
            });
            let sort = sort_of(line);
            let referrer = referrers[sort].pick(of_sort[sort], size, &self.referrers[sort]).unwrap_or(0);
            self.referrers[sort].pay(referrer, size as u64);
            let query =
                queries.get_mut(&line.text).and_then(|own| own.pick(given, size, &Debts::default())).unwrap_or(0);
            let host = most(hosts.get(&line.text)).or_else(|| most(hosts.get(&MISSING)));
            let session = self.has_sessions.then(|| line.session.to_string());
            let has_body = !matches!(status, 204 | 304);
            let mut visit = Visit {
                time: line.time,
                status: (status != 0).then_some(status),
                bytes: self.shared.bytes.get(line.text as usize).copied().flatten().filter(|_| has_body),
                ..Visit::default()
            };
            let had = |part: Part, id: Option<u32>| id.filter(|&id| id != MISSING).map(|id| visits.texts(part).get(id));
            let has_path = line.text != MISSING;
            visit.texts[Part::Address as usize] = Some("-");
            visit.texts[Part::Path as usize] = has_path.then(|| self.patterns.texts().get(line.text));
            visit.texts[Part::Method as usize] = had(Part::Method, has_path.then_some(method));
            visit.texts[Part::Query as usize] =
                (has_path && query > 0).then(|| self.shared.queries.get(query as u32 - 1));
            visit.texts[Part::Referrer as usize] =
                (referrer > 0).then(|| self.shared.referrers.get(referrer as u32 - 1));
            visit.texts[Part::Agent as usize] = (agent != MISSING).then(|| self.shared.agents.get(agent));
            visit.texts[Part::Host as usize] = had(Part::Host, host);
            visit.texts[Part::Version as usize] = had(Part::Version, version.filter(|_| has_path));
            visit.texts[Part::Session as usize] = session.as_deref();
            builder.push(name, &visit, 1);
        }
    }

    /// For each member the lines that a session of theirs begins with, in rising order.
    fn first_rows(&self, rows: &[Vec<usize>]) -> Vec<Vec<usize>> {
        let of = |own: &Vec<usize>| {
            let mut seen: Vec<u32> = Vec::new();
            let is_first = |row: &usize| {
                let session = self.visits.session(*row);
                let is_new = !seen.contains(&session);
                if is_new {
                    seen.push(session);
                }
                is_new
            };
            own.iter().copied().filter(is_first).collect()
        };
        rows.iter().map(of).collect()
    }

    /// The number of a line's method and status, as far as they may be published; in the place of a rare method stands the most frequent.
    fn answer(&mut self, row: usize) -> Option<usize> {
        let method = self.visits.column(Part::Method)[row];
        let may = method == MISSING || self.shared.is_method.get(method as usize).is_some_and(|&may| may);
        let method = if may { method } else { self.shared.method };
        let status = self.visits.status(row).filter(|status| self.shared.statuses.binary_search(status).is_ok())?;
        let next = self.numbers.len();
        Some(*self.numbers.entry((method, status)).or_insert(next))
    }
}

/// So many pages, and as many assets, may stand in the place of others.
const POPULAR: usize = 48;

/// The pages and the assets with most lines that may be published as they are.
fn popular(visits: &Visits, patterns: &Patterns) -> Vec<u32> {
    let mut lines = vec![0u64; patterns.texts().len()];
    for &path in visits.column(Part::Path).iter().filter(|&&path| path != MISSING) {
        let text = patterns.published(path);
        if text == patterns.own(path) {
            lines[text as usize] += 1;
        }
    }
    let most = |assets: bool| {
        let is_of_sort = |text: &u32| lines[*text as usize] > 0 && patterns.is_asset(*text) == assets;
        let mut texts: Vec<u32> = (0..lines.len() as u32).filter(is_of_sort).collect();
        texts.sort_by_key(|&text| (std::cmp::Reverse(lines[text as usize]), text));
        texts.truncate(POPULAR);
        texts
    };
    [most(false), most(true)].concat()
}

/// A number for a thing, 0 for none.
fn place(thing: u32) -> usize {
    if thing == MISSING { 0 } else { thing as usize + 1 }
}

/// What the lines of a group have, and how often each was given to a line of the record.
#[derive(Debug, Clone, Default)]
struct Options {
    counts: BTreeMap<usize, (u64, u64)>,
    all: u64,
}

impl Options {
    fn add(&mut self, thing: usize) {
        self.counts.entry(thing).or_default().0 += 1;
        self.all += 1;
    }

    /// What the next of so many lines gets: what lacks most of its share, and is owed most.
    fn pick(&mut self, lines: usize, size: usize, debts: &Debts) -> Option<usize> {
        let score = |thing: usize, (count, given): (u64, u64)| {
            let share = count as f64 / self.all as f64 * lines as f64 - given as f64;
            share + DEBT * debts.each(thing, size).clamp(-3.0, 3.0)
        };
        let best = self.counts.iter().max_by(|left, right| {
            score(*left.0, *left.1).total_cmp(&score(*right.0, *right.1)).then(right.0.cmp(left.0))
        });
        let thing = best.map(|(&thing, _)| thing)?;
        self.counts.entry(thing).or_default().1 += 1;
        Some(thing)
    }
}
