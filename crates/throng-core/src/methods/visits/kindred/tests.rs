//! The method as a whole, on made-up logs: what it promises, held by others' code.

use std::collections::BTreeMap;

use super::*;
use crate::data::Dataset as _;
use crate::data::visits::{Agent, Class, Part, TIMEOUT, Visit};
use crate::measures::risk::unshared_exposure::UnsharedExposure;
use crate::measures::{Context, Measure as _, Pair};
use crate::models::ModelWithOriginal as _;
use crate::models::k_anonymity::EqualRecords as _;
use crate::progress::Silent;
use crate::synth::visits::{Params as Made, Site, VisitsSynth};

/// Browsers told by a word of their agents.
fn told(text: &str) -> Agent {
    let families =
        [("Edg/", "Edge"), ("OPR/", "Opera"), ("Firefox/", "Firefox"), ("Chrome/", "Chrome"), ("Safari/", "Safari")];
    let is_bot = text.contains("bot") || !text.starts_with("Mozilla");
    let family = families.iter().find(|(word, _)| text.contains(word)).map_or("", |(_, family)| family);
    let system = ["Windows", "Android", "iPhone", "Mac OS X", "Linux"].into_iter().find(|system| text.contains(system));
    Agent {
        family: if is_bot { String::new() } else { family.to_owned() },
        major: text.split("Chrome/").nth(1).and_then(|rest| rest.split('.').next()).unwrap_or_default().to_owned(),
        system: system.unwrap_or_default().to_owned(),
        class: Class::of_family(family, is_bot),
        is_bot,
        ..Agent::NONE
    }
}

fn made_up(site: Site, persons: usize, seed: u64) -> Visits {
    VisitsSynth::new(Made { persons, site, bots: 0.2, days: 7, seed }).unwrap().log().with_agents(told)
}

fn protected(log: &Visits, params: Params) -> Protected<Visits> {
    Kindred::new(params).unwrap().protect(log, &mut Rng::seeded(1), &Silent).unwrap()
}

/// The visitors of each record.
fn groups(protected: &Protected<Visits>) -> BTreeMap<u32, Vec<usize>> {
    let mut groups: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (person, record) in protected.record_of.iter().enumerate() {
        record.iter().for_each(|&record| groups.entry(record).or_default().push(person));
    }
    groups
}

/// Everybody is one of k of their sort; what is said is shared; nobody is exposed above the cap; totals come out right.
#[test]
fn the_promises_hold() {
    for (site, seed) in [(Site::Uniform, 1), (Site::Irregular, 2), (Site::Irregular, 3)] {
        let log = made_up(site, 400, seed);
        for k in [3, 10] {
            let protected = protected(&log, Params { k, ..Params::default() });
            let groups = groups(&protected);
            assert!(protected.record_of.iter().all(Option::is_some));
            assert!(groups.values().all(|members| (k..2 * k).contains(&members.len())));
            assert!(
                groups.values().all(|members| members.iter().all(|&own| log.is_bot(own) == log.is_bot(members[0])))
            );
            // As published, one record for each visitor.
            let given: Vec<u32> = protected.record_of.iter().map(|record| record.unwrap()).collect();
            let release = protected.records.of_persons(&given).in_release_order();
            assert!(release.groups().iter().all(|group| group.len() >= k));
            let model = content_threshold_visits::ContentThresholdVisits::new(content_threshold_visits::Params {
                min_persons: 3,
            });
            let verdict = model.unwrap().check(&log, &release).unwrap();
            assert!(verdict.holds, "{:?} {:?}", verdict.achieved, verdict.witness);
            let link = Some((0..log.persons() as u32).map(Some).collect());
            let pair = Pair { original: &log, release: &release, multiplicity: vec![1; log.persons()], link };
            let context = Context { k, shared_by: k, show_values: false, seed: 0, progress: &Silent };
            let exposed = UnsharedExposure.measure(&pair, &context).unwrap();
            assert_eq!(exposed.parts["above"], 0.0, "k = {k}, seed {seed}");
            let sessions =
                |visits: &Visits| (0..visits.persons()).map(|person| visits.sessions_of(person)).sum::<usize>();
            assert!(sessions(&log).abs_diff(sessions(&release)) < 2 * k, "{} {}", sessions(&log), sessions(&release));
            assert!(log.rows().abs_diff(release.rows()) < 2 * k, "{} {}", log.rows(), release.rows());
        }
    }
}

/// The same bytes for any number of threads, and another order of groups for another seed.
#[test]
fn threads_change_nothing() {
    let log = made_up(Site::Irregular, 300, 4);
    let with = |threads: usize, seed: u64| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let method = Kindred::new(Params { k: 4, ..Params::default() }).unwrap();
        pool.install(|| method.protect(&log, &mut Rng::seeded(seed), &Silent).unwrap())
    };
    let (one, many) = (with(1, 1), with(4, 1));
    assert_eq!((&one.records, &one.record_of), (&many.records, &many.record_of));
    assert_ne!(one.records, with(1, 2).records);
}

/// Sessions of a record start at multiples of the resolution, and are as far apart as sessions are.
#[test]
fn sessions_are_laid_out() {
    let log = made_up(Site::Uniform, 200, 5);
    for resolution in [900, 3600, 86_400] {
        let records = protected(&log, Params { k: 3, time_resolution: resolution, ..Params::default() }).records;
        for record in 0..records.persons() {
            let mut last: Option<i64> = None;
            for rows in records.sessions(record) {
                let start = records.time(rows[0]);
                assert_eq!(start % (resolution as i64 * 1000), 0);
                assert!(last.is_none_or(|last| start - last > TIMEOUT));
                last = rows.iter().map(|&row| records.time(row)).max();
            }
        }
    }
}

/// What one visitor has alone is nowhere in a release, whatever field it stands in.
#[test]
fn what_one_visitor_has_is_not_published() {
    let mut builder = VisitsBuilder::new();
    for person in 0..12 {
        for (minute, path) in [(0, "/"), (1, "/news/today"), (2, "/user/77/edit")] {
            let mut visit = Visit {
                time: minute * 60_000,
                status: Some(200),
                bytes: Some(1000 + person as u64),
                ..Visit::default()
            };
            let is_odd = person == 5;
            let own_path = path.replace("77", &(900 + person).to_string());
            let path = if is_odd && minute == 1 { "/secretpath/x" } else { &own_path };
            let agent = if is_odd { "Mozilla/5.0 (Rareagent)" } else { "Mozilla/5.0 (Windows) Chrome/126.0.0.0" };
            let referrer =
                if is_odd { "https://search.example/?q=secretsearch" } else { "https://search.example/?q=a" };
            for (part, text) in [
                (Part::Path, path),
                (Part::Agent, agent),
                (Part::Referrer, referrer),
                (Part::Query, if is_odd { "token=secrettoken&page=1" } else { "page=1" }),
                (Part::User, if is_odd { "secretuser" } else { "ann" }),
                (Part::Host, if is_odd { "secrethost.example" } else { "www.example" }),
                (Part::Version, if is_odd { "HTTP/0.7" } else { "HTTP/1.1" }),
                (Part::Method, if is_odd { "ODDMETHOD" } else { "GET" }),
            ] {
                visit.texts[part as usize] = Some(text);
            }
            builder.push(&format!("192.0.2.{person} {agent}"), &visit, 1);
        }
    }
    let log = builder.finish().0.with_agents(told);
    for query_strings in [QueryStrings::Drop, QueryStrings::KeepShared] {
        let records = protected(&log, Params { k: 3, query_strings, ..Params::default() }).records;
        let all = |part: Part| records.texts(part).iter().map(str::to_owned).collect::<Vec<_>>();
        let every = Part::ALL.into_iter().flat_map(all).collect::<Vec<_>>().join("\n");
        for secret in ["secret", "Rareagent", "HTTP/0.7", "ODDMETHOD", "90"] {
            assert!(!every.contains(secret), "{secret} in {every}");
        }
        assert!(every.contains("/user/*/edit") && every.contains("https://search.example/\n"), "{every}");
        assert_eq!(
            all(Part::Query),
            if query_strings == QueryStrings::Drop { vec![] } else { vec!["page=1".to_owned()] }
        );
        assert_eq!(all(Part::User), [""; 0]);
    }
}

/// Bots may be left out, or mixed; fewer than k of a sort are left out.
#[test]
fn bots_as_asked_for() {
    let log = made_up(Site::Uniform, 60, 6);
    let dropped = protected(&log, Params { k: 3, bots: Bots::Drop, ..Params::default() });
    let is_right = |(person, record): (usize, &Option<u32>)| record.is_none() == log.is_bot(person);
    assert!(dropped.record_of.iter().enumerate().all(is_right));
    let mixed = protected(&log, Params { k: 3, bots: Bots::Mix, ..Params::default() });
    assert!(mixed.record_of.iter().all(Option::is_some));
    let [humans, bots] = log.humans_and_bots();
    let k = bots + 1;
    assert!(humans >= k);
    let few = protected(&log, Params { k, ..Params::default() });
    assert!(few.record_of.iter().enumerate().all(is_right));
}

/// Logs at the edge: no paths at all, no agents, one line each.
#[test]
fn odd_logs_survive() {
    let mut builder = VisitsBuilder::new();
    for person in 0..7 {
        builder.push(&person.to_string(), &Visit { time: person, status: Some(408), ..Visit::default() }, 1);
    }
    let log = builder.finish().0;
    let found = protected(&log, Params { k: 3, ..Params::default() });
    assert!(found.record_of.iter().all(Option::is_some));
    assert_eq!(found.records.texts(Part::Path).len(), 0);
    let error = Kindred::new(Params::default())
        .unwrap()
        .protect(&log.of_persons(&[0]), &mut Rng::seeded(1), &Silent)
        .unwrap_err();
    assert!(error.to_string().contains("fewer than k = 5"), "{error}");
}

#[test]
fn bad_parameters_are_refused_together() {
    let bad = Params { k: 1, min_persons: 0, time_resolution: 0, ..Params::default() };
    let error = Kindred::new(bad).unwrap_err().to_string();
    for name in ["`k`", "`min-persons`", "`time-resolution`"] {
        assert!(error.contains(name), "{error}");
    }
}
