//! Known pages: somebody knows p pages that a visitor asked for, and looks for the record that shows most of them.
//!
//! Paper      Ours, as `known-queries`, after the reporters who found a searcher in AOL's log. Barbaro, Zeller. A Face Is Exposed for AOL
//!            Searcher No. 4417749. The New York Times, 9 August 2006.
//!
//! # Idea
//! 1. Knowledge: p different paths as written in the original; beside each the time, or the family of the browser, of one line with it.
//! 2. Parts of a known page. Path: a line has it, or a pattern that covers it. Time: a line lies in the same window. Browser: a line is of the
//!    same family. One line: if there are several parts, all of them in one line.
//! 3. A part that c of N visitors match adds ln((N + 1)/c) to those; the greatest sum wins.
//!
//! # Formula
//! A guess among c candidates hits 1/c. Baseline 1/N; bound 1/k where k-anonymity of visitors is claimed: those who look the same have the
//! same sum.
//!
//! # Cost
//! That of the index; for each draw the records that match its rarest part, or a bit for each record.
//!
//! # Does not
//! know addresses, query strings, referrers or the order of pages: whoever has more learns more.

use super::known::{self, Known};
use super::page_index::{PageFact, PageIndex};
use super::{Asked, Attack, AttackInfo, Outcome, Scene, With};
use crate::data::visits::Part;
use crate::data::{Interner, Strings, Visits};
use crate::error::Result;
use crate::info::{Info, Need};
use crate::models::k_anonymity::USER;
use crate::rng::Rng;

/// The card of the attack.
pub const INFO: AttackInfo = AttackInfo {
    info: Info {
        name: "known-pages",
        summary: "somebody knows a few pages of a visitor, and looks for the record that shows most of them",
        paper: "ours, as known-queries, after the searcher whom reporters found in AOL's log: Barbaro, Zeller. A Face Is Exposed for AOL \
                Searcher No. 4417749. The New York Times (2006)",
        details: "Knows p different paths of the target (--p), with --with times when one of each was, with --with browser the family of the \
            browser, as uap-core names it. A record matches a path if one of its lines has it, or a pattern that covers it: a segment * \
            stands for one segment, as the last one for one or more, /* for any path; %2A is a literal star. It matches the time if one of \
            its lines is of the same day, hour or minute, whichever the release tells apart; the browser if one of its lines is of that \
            family; and all of them together if one line does. What c of N visitors match counts ln((N + 1)/c); the greatest sum wins, and \
            a guess among c equals hits 1/c.\n\
            p = 1 is no sample: all different paths of each target are tried. For more, --draws draws of each.\n\
            parts.exact is the plain attacker, who takes those who have all known paths to the letter: a release looks safer against them \
            than it is.\n\
            Baseline 1/N; bound 1/k where user-k-anonymity is claimed. Needs the link between visitors (--key, or kept ids).",
        parameters: &[],
    },
    who: ["knows one page", "knows {} pages"],
    needs: &[Need::Link],
    with: &["times", "browser"],
    takes_given: true,
    in_reports: true,
    ..AttackInfo::DEFAULT
};

/// The attack.
#[derive(Debug, Clone, Copy)]
pub struct KnownPages;

/// What is known, and the strings of it.
struct Knowledge {
    known: Known<PageFact>,
    strings: Strings,
}

impl Attack<Visits> for KnownPages {
    fn info(&self) -> &'static AttackInfo {
        &INFO
    }

    fn attack(&self, scene: &Scene<'_, Visits>, asked: &Asked) -> Result<Vec<Outcome>> {
        let knowing = scene.knowing(|source| Ok(draw(source.original, asked)))?;
        let looking = knowing.looking(|released, knowledge| {
            let with = knowledge.known.runs.iter().fold(With::default(), |with, run| with.or(run.with));
            let facts = knowledge.known.targets.iter().flat_map(|target| target.all_draws()).flatten();
            Ok(PageIndex::new(released, with, facts, &knowledge.strings))
        })?;
        looking.all(
            |knowledge| knowledge.known.targets.len(),
            |index, knowledge, target, say| {
                for facts in knowledge.known.targets[target].all_draws() {
                    say(index.guess(facts, &knowledge.strings));
                }
            },
            |truth, index, knowledge, target, guess| {
                guess.attempts_on(truth.records_of(knowledge.known.targets[target].person), index.persons())
            },
            |index, knowledge, attempts| {
                known::outcomes(&INFO, &knowledge.known, attempts, index.persons(), |_| asked.one_in_k(USER.name))
            },
        )
    }
}

/// What the attacker knows of each target.
fn draw(original: &Visits, asked: &Asked) -> Knowledge {
    let mut strings = Interner::new();
    let known = match &asked.given {
        Some(given) => known::given(given, |fact| PageFact {
            path: strings.intern(&fact.text),
            time: fact.time.filter(|_| given.with.times),
            browser: fact.browser.as_deref().filter(|_| given.with.browser).map(|family| strings.intern(family)),
        }),
        None => {
            let different = |person: u32| original.set_of(person as usize, Part::Path);
            known::drawn(asked, &asked.heeded(&INFO), original.persons(), different, |person, path, with, rng| {
                fact(original, person, path, with, rng, &mut strings)
            })
        }
    };
    Knowledge { known, strings: strings.into_strings() }
}

/// A path of a visitor, with what is known beside it: that of one of their lines with it, drawn.
fn fact(log: &Visits, person: u32, path: u32, with: With, rng: &mut Rng, strings: &mut Interner) -> PageFact {
    let number = strings.intern(log.texts(Part::Path).get(path));
    if with.is_nothing() {
        return PageFact { path: number, time: None, browser: None };
    }
    let has_it = |row: &usize| log.column(Part::Path)[*row] == path;
    let rows: Vec<usize> = log.range(person as usize).filter(has_it).collect();
    let row = rows[rng.index(rows.len())];
    let browser = with.browser.then(|| strings.intern(&log.agent(row).family));
    PageFact { path: number, time: with.times.then(|| log.time(row)), browser }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::super::page_index::tests::covers;
    use super::super::testing;
    use super::super::{Given, GivenFact, Promise, Setting};
    use super::*;
    use crate::data::Dataset;
    use crate::data::visits::{Agent, Class, Visit, VisitsBuilder};
    use crate::progress::Silent;

    /// Visitor, path, minute, browser.
    type Row = (u32, &'static str, i64, &'static str);

    fn log(rows: &[Row]) -> Visits {
        let mut builder = VisitsBuilder::new();
        for &(person, path, minute, agent) in rows {
            let mut visit = Visit { time: minute * 60_000, ..Visit::default() };
            visit.texts[Part::Path as usize] = Some(path);
            visit.texts[Part::Agent as usize] = Some(agent);
            builder.push(&person.to_string(), &visit, 1);
        }
        builder.finish().0.with_agents(|agent| Agent {
            family: agent.to_owned(),
            class: Class::of_family(agent, false),
            ..Agent::NONE
        })
    }

    fn asked(settings: &[Setting], k: Option<u64>) -> Asked {
        let promise = |k: u64| Promise {
            model: USER.name.to_owned(),
            parameters: [("k".to_owned(), json!(k))].into_iter().collect(),
        };
        Asked {
            settings: settings.to_vec(),
            draws: 4,
            promises: k.map(promise).into_iter().collect(),
            ..testing::asked()
        }
    }

    fn run(original: &Visits, release: &Visits, link: &[Option<u32>], asked: &Asked) -> Vec<Outcome> {
        let multiplicity = vec![1; release.persons()];
        let scene = Scene::new(original, release, &multiplicity, Some(link), &Silent);
        KnownPages.attack(&scene, asked).unwrap()
    }

    fn itself(persons: usize) -> Vec<Option<u32>> {
        (0..persons as u32).map(Some).collect()
    }

    /// Three visitors; the release has patterns. `/user/1/edit` of 0 is covered by records 0 and 1, `/` by all, `/blog/x` by 2 alone.
    #[test]
    fn patterns_match_what_they_cover() {
        let original = log(&[
            (0, "/user/1/edit", 0, "Chrome"),
            (0, "/", 1, "Chrome"),
            (1, "/", 0, "Firefox"),
            (2, "/blog/x", 0, "Chrome"),
        ]);
        let release = log(&[
            (0, "/user/*/edit", 0, "Chrome"),
            (0, "/", 0, "Chrome"),
            (1, "/user/*/edit", 0, "Firefox"),
            (1, "/", 0, "Firefox"),
            (2, "/blog/*", 0, "Chrome"),
            (2, "/", 0, "Chrome"),
        ]);
        let found = &run(&original, &release, &itself(3), &asked(&[Setting::plain(1)], Some(2)))[0];
        // 0: (1/2 + 1/3)/2; 1: 1/3; 2: 1.
        assert!((found.hits - (5.0 / 12.0 + 1.0 / 3.0 + 1.0)).abs() < 1e-12, "{}", found.hits);
        assert_eq!((found.attempts, found.bound), (3, Some(0.5)));
        // To the letter only `/` is there, which all have.
        assert_eq!(found.parts["exact"]["rate"], json!((0.5 * (1.0 / 3.0 + 1.0 / 3.0) + 1.0 / 3.0 + 1.0 / 3.0) / 3.0));
        // With the browser 0 is told from 1 by either path; 1 is the only Firefox.
        let found = &run(&original, &release, &itself(3), &asked(&[Setting::with_browser(1)], None))[0];
        assert!((found.hits - (0.5 * (1.0 + 0.5) + 1.0 + 1.0)).abs() < 1e-12, "{}", found.hits);
        assert_eq!(found.knowledge, json!({"p": 1, "with": ["browser"]}));
    }

    const PATHS: [&str; 9] = ["/", "/a", "/a/b", "/a/*", "/*", "/a/*/c", "/x*", "/a/1/c", "/a/%2A"];
    const BROWSERS: [&str; 3] = ["Chrome", "Firefox", ""];

    fn logs(persons: usize) -> impl Strategy<Value = Visits> {
        let unit = prop_oneof![Just(1i64), Just(60), Just(1440)];
        let line = (0..PATHS.len(), 0..4i64, 0..BROWSERS.len());
        (unit, prop::collection::vec(prop::collection::vec(line, 1..5), 1..=persons)).prop_map(|(unit, persons)| {
            let rows = persons.into_iter().enumerate().flat_map(|(person, lines)| {
                let row = move |(path, time, browser): (usize, i64, usize)| {
                    (person as u32, PATHS[path], time * unit, BROWSERS[browser])
                };
                lines.into_iter().map(row)
            });
            log(&rows.collect::<Vec<Row>>())
        })
    }

    fn draws_of(persons: usize) -> impl Strategy<Value = Vec<(u32, Vec<GivenFact>)>> {
        let fact = (0..PATHS.len(), 0..3000i64, 0..BROWSERS.len()).prop_map(|(path, minute, browser)| GivenFact {
            text: PATHS[path].to_owned(),
            time: Some(minute * 60_000),
            url: None,
            browser: Some(BROWSERS[browser].to_owned()),
        });
        prop::collection::vec((0..persons as u32, prop::collection::vec(fact, 1..4)), 1..8)
    }

    /// Slow and obvious: for each part of a fact whether each visitor of the release matches it.
    fn parts_of(release: &Visits, fact: &GivenFact, with: With) -> Vec<Vec<bool>> {
        let window = [1440, 60]
            .into_iter()
            .find(|minutes| (0..release.rows()).all(|row| release.time(row) % (minutes * 60_000) == 0))
            .unwrap_or(1)
            * 60_000;
        let path = |row: usize| release.text(Part::Path, row).is_some_and(|own| covers(own, &fact.text));
        let time = |row: usize| release.time(row).div_euclid(window) == fact.time.unwrap_or(0).div_euclid(window);
        let browser = |row: usize| Some(release.agent(row).family.as_str()) == fact.browser.as_deref();
        let matching = |is: &dyn Fn(usize) -> bool| {
            (0..release.persons()).map(|person| release.range(person).any(is)).collect::<Vec<bool>>()
        };
        let mut parts = vec![matching(&path)];
        if with.times {
            parts.push(matching(&time));
        }
        if with.browser {
            parts.push(matching(&browser));
        }
        if with.times || with.browser {
            parts.push(matching(&|row| path(row) && (!with.times || time(row)) && (!with.browser || browser(row))));
        }
        parts
    }

    proptest! {
        #[test]
        fn found_as_by_the_reference(
            release in logs(6), draws in draws_of(6), times: bool, browser: bool, links in prop::collection::vec(0..8u32, 6),
        ) {
            let original = log(&(0..6).map(|person| (person, "/a", 0, "Chrome")).collect::<Vec<Row>>());
            let persons = release.persons();
            let link: Vec<Option<u32>> = links.iter().map(|&at| Some(at).filter(|&at| (at as usize) < persons)).collect();
            let with = With { times, browser, ..With::default() };
            let mut asked = asked(&[], None);
            asked.given = Some(Given { with, draws: draws.clone() });
            let found = run(&original, &release, &link, &asked).remove(0);
            let mut hits = 0.0;
            for person in 0..6u32 {
                let own: Vec<_> = draws.iter().filter(|draw| draw.0 == person).collect();
                for (_, facts) in &own {
                    let mut sums = vec![0.0f64; persons];
                    for part in facts.iter().flat_map(|fact| parts_of(&release, fact, with)) {
                        let count = part.iter().filter(|is| **is).count();
                        for at in (0..persons).filter(|&at| part[at]) {
                            sums[at] += ((persons + 1) as f64 / count as f64).ln();
                        }
                    }
                    let most = sums.iter().copied().fold(0.0, f64::max);
                    let best: Vec<usize> = (0..persons).filter(|&at| sums[at] >= most - 1e-9).collect();
                    if link[person as usize].is_some_and(|record| best.contains(&(record as usize))) {
                        hits += 1.0 / best.len() as f64 / own.len() as f64;
                    }
                }
            }
            prop_assert!((found.hits - hits).abs() < 1e-9, "{} {hits}", found.hits);
        }

        #[test]
        fn nobody_is_picked_out_of_k_equal_records(records in logs(5), original in logs(5), k in 1..5u32, p in 1..4usize, browser: bool) {
            let copies: Vec<u32> = (0..records.persons() as u32).flat_map(|record| (0..k).map(move |_| record)).collect();
            let release = records.of_persons(&copies);
            let link: Vec<Option<u32>> =
                (0..original.persons() as u32).map(|person| Some(person).filter(|&at| (at as usize) < copies.len())).collect();
            let setting = Setting { p, with: With { browser, ..With::default() } };
            let outcome = &run(&original, &release, &link, &asked(&[setting], Some(k.into())))[0];
            prop_assert!(outcome.rate.unwrap() <= 1.0 / f64::from(k) + 1e-12);
            prop_assert!(!outcome.is_above());
        }
    }
}
