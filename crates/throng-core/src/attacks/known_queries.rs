//! Known queries: somebody knows p searches of a person, and looks for the record that shows most of them.
//!
//! Paper      Ours, after the reporters who found a searcher in AOL's log. Barbaro, Zeller. A Face Is Exposed for AOL Searcher No.
//!            4417749. The New York Times, 9 August 2006.
//!
//! # Idea
//! 1. Knowledge: p different query strings as written in the original; beside each the time or the clicked page of one line with it.
//! 2. Parts of a known query. Words: a line has a word, and all its words are words of the query. Time: a line lies in the same window.
//!    Site: the host of a line is that of the known page or a right-most part of it. One line: if there are several parts, all of
//!    them in one line.
//! 3. A part that c of N persons match adds ln((N + 1)/c) to those; the greatest sum wins.
//!
//! # Formula
//! A guess among c candidates hits 1/c. Baseline 1/N; bound 1/k where k-anonymity of persons is claimed: those who look the same have the
//! same sum, so there is no k-anonymous release on which the rate is above.
//!
//! # Readings
//! Ours: who has none of the known strings to the letter leaves the plain attacker (`parts.exact`) as blind as nothing that matches leaves the
//! other: everybody is a candidate, and nobody is found.
//!
//! # Cost
//! That of the index and, for each target, its different strings with the records that match them.
//!
//! # Does not
//! know misspelt or half-remembered searches, or anything beyond the release: whoever has more learns more.

use super::known::{self, Guess, Known};
use super::query_index::{QueryFact, QueryIndex, Searcher};
use super::{Asked, Attack, AttackInfo, Outcome, Scene, With};
use crate::data::{Interner, QueryLog, Strings};
use crate::error::Result;
use crate::info::{Info, Need};
use crate::models::k_anonymity::USER;
use crate::rng::Rng;
use crate::text::host::host_of;

/// The card of the attack.
pub const INFO: AttackInfo = AttackInfo {
    info: Info {
        name: "known-queries",
        summary: "somebody knows a few searches of a person, and looks for the record that shows most of them",
        paper: "ours, after the searcher whom reporters found in AOL's log: Barbaro, Zeller. A Face Is Exposed for AOL Searcher No. \
                4417749. The New York Times (2006)",
        details: "Knows p different searches of the target (--p), with --with times when one of each was, with --with clicks the page that was \
            clicked. A record matches the words of a search if one of its lines has no other words; the time if one of its lines is \
            of the same day, hour or minute, whichever the release tells apart; the site if one of its lines is of that host or of what \
            the release left of it; and all of them together if one line does. What c of N persons match counts ln((N + 1)/c); the \
            greatest sum wins, and a guess among c equals hits 1/c.\n\
            p = 1 is no sample: all different searches of each target are tried. For more, --draws draws of each.\n\
            parts.exact is the plain attacker, who takes those who have all known searches to the letter: a release looks safer \
            against them than it is.\n\
            Baseline 1/N; bound 1/k where user-k-anonymity is claimed. Needs the link between persons (--key, or kept ids).",
        parameters: &[],
    },
    who: ["knows one search", "knows {} searches"],
    needs: &[Need::Link],
    with: &["times", "clicks"],
    takes_given: true,
    in_reports: true,
    ..AttackInfo::DEFAULT
};

/// The attack.
#[derive(Debug, Clone, Copy)]
pub struct KnownQueries;

/// What is known, and the strings of it.
struct Knowledge {
    known: Known<QueryFact>,
    strings: Strings,
}

impl Attack<QueryLog> for KnownQueries {
    fn info(&self) -> &'static AttackInfo {
        &INFO
    }

    fn attack(&self, scene: &Scene<'_, QueryLog>, asked: &Asked) -> Result<Vec<Outcome>> {
        let knowing = scene.knowing(|source| Ok(draw(source.original, asked)))?;
        let looking = knowing.looking(|released, knowledge| {
            let with = knowledge.known.runs.iter().fold(With::default(), |with, run| with.or(run.with));
            Ok(QueryIndex::new(released, &knowledge.strings, with))
        })?;
        looking.all(
            |knowledge| knowledge.known.targets.len(),
            |index, knowledge, target, say| {
                let mut searcher = Searcher::new(index, &knowledge.strings);
                for facts in knowledge.known.targets[target].all_draws() {
                    say(Guess { best: searcher.candidates(facts), exact: index.exact(facts) });
                }
            },
            |truth, index, knowledge, target, guess| {
                let records = truth.records_of(knowledge.known.targets[target].person);
                guess.attempts_on(records.filter_map(|record| index.record(record)), index.persons())
            },
            |index, knowledge, attempts| {
                known::outcomes(&INFO, &knowledge.known, attempts, index.persons(), |_| asked.one_in_k(USER.name))
            },
        )
    }
}

/// What the attacker knows of each target.
fn draw(original: &QueryLog, asked: &Asked) -> Knowledge {
    let mut strings = Interner::new();
    let known = match &asked.given {
        Some(given) => known::given(given, |fact| QueryFact {
            query: strings.intern(&fact.text),
            time: fact.time.filter(|_| given.with.times),
            host: host(fact.url.as_deref().filter(|_| given.with.clicks), &mut strings),
        }),
        None => {
            let different = |person: u32| -> Vec<u32> {
                let mut queries = original.query_ids(original.range(person as usize)).to_vec();
                queries.sort_unstable();
                queries.dedup();
                queries
            };
            known::drawn(asked, &asked.heeded(&INFO), original.persons(), different, |person, query, with, rng| {
                fact(original, person, query, with, rng, &mut strings)
            })
        }
    };
    Knowledge { known, strings: strings.into_strings() }
}

/// A query of a person, with what is known beside it: that of one of their lines with it, drawn.
fn fact(log: &QueryLog, person: u32, query: u32, with: With, rng: &mut Rng, strings: &mut Interner) -> QueryFact {
    let number = strings.intern(log.queries().get(query));
    if with.is_nothing() {
        return QueryFact { query: number, time: None, host: None };
    }
    let rows: Vec<usize> = log.range(person as usize).filter(|&row| log.line(row).query == query).collect();
    let line = log.line(rows[rng.index(rows.len())]);
    let url = line.url.filter(|_| with.clicks).map(|url| log.urls().get(url));
    QueryFact { query: number, time: with.times.then_some(line.time), host: host(url, strings) }
}

/// The host of a known page among the known strings, if it has one.
fn host(url: Option<&str>, strings: &mut Interner) -> Option<u32> {
    url.map(host_of).filter(|host| !host.is_empty()).map(|host| strings.intern(&host))
}
