//! A made-up person at work: sessions, new queries and those that come again, clicks.
//!
//! # Idea
//! 1. A session is about one interest. Each line of it is either a string that the person has not had before, or one that comes again:
//!    mostly one of the same session (another click, another page), else any earlier line, so that what was often asked is asked
//!    more often still.
//! 2. A new string is a site's name or host, what everybody asks, a query of the interest, or another form of the query before.
//!
//! # Formula
//! After n lines the next one is new with the probability NEW (n + 1)^-TIRED.

use super::person::{LAST_SECOND, Person};
use super::wording::{Query, write_result, write_typed};
use super::world::World;
use crate::Rng;

/// How likely the first lines are new strings, and how that falls with the number of lines.
const NEW: f64 = 0.75;
const TIRED: f64 = 0.12;
/// The share of strings that come again which come again in the same session.
const SAME_SESSION: f64 = 0.94;
/// What is asked because everybody asks it, among new strings.
const CROWD: f64 = 0.0165;
/// The share of sites that everybody knows among those that are named.
const KNOWN_SITES: f64 = 0.5;
/// Among those, the share of sites that have no topic.
const FAMOUS: f64 = 0.08;
/// The share of a person's favourite site among those that they name.
const FAVOURITE: f64 = 0.4;
/// The share of lines without a click, in logs that have such.
const WITHOUT_CLICK: f64 = 0.47;

/// The lines of a person, their strings in one piece.
#[derive(Debug)]
pub(super) struct History {
    pub(super) id: u64,
    text: String,
    pub(super) lines: Vec<Line>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Line {
    pub(super) second: i64,
    pub(super) query: Span,
    /// Rank and URL.
    pub(super) click: Option<(u32, Span)>,
    results: Results,
}

/// What a query finds.
#[derive(Debug, Clone, Copy)]
enum Results {
    /// One site, by its URL.
    Site(Span),
    /// Sites about a word of a topic, and about a name.
    About { topic: usize, word: usize, name: Span },
}

/// A piece of a history's text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    start: usize,
    end: usize,
}

impl History {
    pub(super) fn new(id: u64, lines: usize) -> Self {
        Self { id, text: String::with_capacity(lines * 32), lines: Vec::with_capacity(lines + 8) }
    }

    pub(super) fn text(&self, span: Span) -> &str {
        &self.text[span.start..span.end]
    }

    /// Adds what `write` writes to the text.
    pub(super) fn add(&mut self, write: impl FnOnce(&mut String)) -> Span {
        let start = self.text.len();
        write(&mut self.text);
        Span { start, end: self.text.len() }
    }

    /// Adds a line without a click.
    pub(super) fn push_plain(&mut self, second: i64, query: Span) {
        let nothing = Span { start: 0, end: 0 };
        self.lines.push(Line { second, query, click: None, results: Results::Site(nothing) });
    }
}

/// A person at work.
pub(super) struct Searcher<'world> {
    pub(super) world: &'world World,
    pub(super) person: Person,
    pub(super) rng: Rng,
    pub(super) query: Query,
    pub(super) history: History,
    /// Whether only lines with a click are kept.
    pub(super) clicks_only: bool,
}

impl Searcher<'_> {
    /// Some lines within minutes about one interest.
    pub(super) fn session(&mut self, most: usize) {
        let interest = self.person.interest(self.world, &mut self.rng);
        let mut second = self.person.session_start(&mut self.rng);
        let first = self.history.lines.len();
        let mut asked = false;
        loop {
            let lines = self.history.lines.len();
            let is_new = lines == 0 || self.rng.unit() < NEW * ((lines + 1) as f64).powf(-TIRED);
            if !is_new {
                let again = if lines > first && self.rng.unit() < SAME_SESSION {
                    let back = self.rng.index(lines - first).min(self.rng.index(lines - first));
                    lines - 1 - back
                } else {
                    self.rng.index(lines)
                };
                let Line { query, results, .. } = self.history.lines[again];
                self.push(second, query, results);
            } else {
                let what = self.rng.unit() - self.person.navigation;
                if what < 0.0 {
                    self.visit(second, interest.topic);
                } else if what < CROWD {
                    self.follow_the_crowd(second);
                } else {
                    if asked && self.rng.unit() < self.person.reformulation {
                        self.query.reformulate(self.world, &self.person, &interest, &mut self.rng);
                    } else {
                        self.query.compose(self.world, &self.person, &interest, &mut self.rng);
                    }
                    asked = true;
                    self.ask(second);
                }
            }
            if self.history.lines.len() >= most || self.rng.unit() < 0.2 {
                return;
            }
            // Another click carries the time of its query as often as its own.
            if self.rng.unit() < 0.8 {
                second += 4 + (-80.0 * (1.0 - self.rng.unit()).ln()) as i64;
            }
        }
    }

    /// Adds a line, with a click on one of its results or with none.
    fn push(&mut self, second: i64, query: Span, results: Results) {
        let Self { world, rng, history, .. } = self;
        let is_clicked = self.clicks_only || rng.unit() >= WITHOUT_CLICK;
        let click = is_clicked.then(|| match results {
            Results::Site(url) => (1, url),
            Results::About { topic, word, name } => {
                let rank = clicked_rank(rng);
                let name = history.text(name).to_owned();
                (rank, history.add(|text| write_result(world, topic, word, &name, rank, text)))
            }
        });
        history.lines.push(Line { second: second.min(LAST_SECOND), query, click, results });
    }

    /// Types the query.
    fn ask(&mut self, second: i64) {
        let Self { person, rng, query, history, .. } = self;
        let typed = history.add(|text| query.write_typed(person, rng, text));
        let name = history.add(|text| text.push_str(&query.name));
        let results = Results::About { topic: query.topic, word: query.word, name };
        self.push(second, typed, results);
    }

    /// Goes to a site by typing its name, or its host.
    fn visit(&mut self, second: i64, topic: usize) {
        let Self { world, person, rng, history, .. } = self;
        let is_favourite = rng.unit() < FAVOURITE;
        let habit = if is_favourite { person.favourite.1 } else { rng.unit() };
        let known = (is_favourite || rng.unit() < KNOWN_SITES).then(|| match rng.unit() {
            _ if is_favourite => world.sites.get(person.favourite.0),
            share if share < FAMOUS => world.sites.pick(rng),
            _ => world.topics.get(topic).hosts.pick(rng),
        });
        let (query, url) = match known {
            Some(site) => {
                let query = history.add(|text| match habit {
                    habit if habit < 0.2 => write_typed(&site.slug, person.misspelling, rng, text),
                    habit if habit < 0.24 => write_typed(&site.name, person.misspelling, rng, text),
                    _ => write_host(&site.slug, site.domain, habit, text),
                });
                (query, history.add(|text| text.push_str(&site.url)))
            }
            None => {
                let slug = history.add(|text| world.write_slug(topic, rng, text));
                let slug = history.text(slug).to_owned();
                let domain = world.domain(rng);
                let query = history.add(|text| match habit {
                    habit if habit < 0.3 => text.push_str(&slug),
                    _ => write_host(&slug, domain, habit, text),
                });
                (query, history.add(|text| text.extend(["http://www.", &slug, domain])))
            }
        };
        self.push(second, query, Results::Site(url));
    }

    /// Asks what everybody asks.
    fn follow_the_crowd(&mut self, second: i64) {
        let Self { world, rng, history, .. } = self;
        let query = history.add(|text| text.push_str(world.queries.pick(rng)));
        let url = history.add(|text| text.push_str(&world.sites.pick(rng).url));
        self.push(second, query, Results::Site(url));
    }
}

/// Writes a host as people type it into the field for queries.
fn write_host(slug: &str, domain: &str, habit: f64, out: &mut String) {
    let before = if habit < 0.6 {
        ""
    } else if habit < 0.99 {
        "www."
    } else {
        "http www."
    };
    out.extend([before, slug, domain]);
}

/// The rank of a clicked result: mostly the first, seldom beyond the first page, hardly ever beyond the tenth.
fn clicked_rank(rng: &mut Rng) -> u32 {
    let share = rng.unit();
    if share < 0.45 {
        1
    } else if share < 0.94 {
        // Falls from the second to the tenth.
        2 + (9.0 * rng.unit().powi(2)) as u32
    } else {
        // From 11 on, with a tail as 1 / rank to 500.
        (11.0 * (500.0_f64 / 11.0).powf(rng.unit().powi(2))) as u32
    }
}
