//! What every entry of the catalogue must satisfy, and what every format must keep. A new entry is tested by being listed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;
use throng::catalog::{self, Listed, Role as ItemRole};
use throng::io::{Format, Layout, Location, LogWriter, Person, ReadOptions, Role, read_log};
use throng::kinds::{self, Ask, ColumnChoice};
use throng::report::published;
use throng::run::{self, CheckRequest, MeasureRequest, ProtectOutcome, ProtectRequest};
use throng_core::accounts::{GROUPS_EMPTY, ROWS_DROPPED};
use throng_core::data::time::{self, Number, TimeStyle};
use throng_core::data::{QueryLog, QueryLogBuilder};
use throng_core::measures::MeasureInfo;
use throng_core::progress::Silent;
use throng_core::synth::queries::{Params, QueriesSynth};
use throng_core::{Error, Need, Result};

const FORMATS: [&str; 6] = ["tsv", "csv", "jsonl", "parquet", "tsv.gz", "csv.zst"];
const PERSONS: usize = 21;
/// Methods that make no crowds: see `old_ways.rs`.
const OLD_WAYS: [&str; 5] =
    ["query-threshold", "token-hashing", "split-personality", "shorten-sessions", "drop-infrequent"];
/// A number that stands nowhere by chance.
const SEED: u64 = 918_273_645_546_372_819;

/// An id that stands nowhere by chance.
fn id(person: usize) -> String {
    format!("Xq{person:03}person")
}

/// Made-up searches, and for each person a query of their own and one that all share.
fn log() -> QueryLog {
    let synth = QueriesSynth::new(Params { persons: PERSONS, mean_lines: 7.0, seed: 11, ..Params::default() })
        .unwrap()
        .block(0..PERSONS);
    let mut builder = QueryLogBuilder::new();
    for person in 0..PERSONS {
        for line in synth.lines(person) {
            let url = line.url.map(|url| synth.urls().get(url));
            builder.push(&id(person), synth.queries().get(line.query), line.time, line.rank, url);
        }
        let time = 1_142_000_000_000 + person as i64 * 1000;
        builder.push(&id(person), &format!("my own zq{person:03}secret"), time, None, None);
        builder.push(&id(person), "weather tomorrow", time, Some(2), Some("http://www.weather.example"));
    }
    builder.finish()
}

fn format(name: &str) -> Format {
    Format::parse(name).unwrap()
}

fn write(log: &QueryLog, path: &Path, name: &str, layout: &Layout) {
    let mut file = fs::File::create(path).unwrap();
    let mut writer = LogWriter::new(&mut file, format(name), layout).unwrap();
    let person = |person: u32| Person { name: log.names().get(person), person };
    writer.append(log, &(0..log.persons() as u32).map(person).collect::<Vec<_>>(), &Silent).unwrap();
    writer.finish().unwrap();
}

fn read(path: &Path) -> throng::io::ReadLog {
    read_log(&Location::File(path.to_owned()), &ReadOptions::default(), &Silent).unwrap()
}

/// A log as plain values, whatever the ids of its strings: persons in order, their lines in order.
type Plain = Vec<(String, Vec<(String, i64, Option<u32>, Option<String>)>)>;

fn plain(log: &QueryLog) -> Plain {
    let lines = |person: usize| {
        let line = |line: throng_core::data::Line| {
            let url = line.url.map(|url| log.urls().get(url).to_owned());
            (log.queries().get(line.query).to_owned(), line.time, line.rank, url)
        };
        log.lines(person).map(line).collect()
    };
    (0..log.persons()).map(|person| (log.names().get(person as u32).to_owned(), lines(person))).collect()
}

/// A folder with an original in it.
struct Place {
    folder: TempDir,
    original: PathBuf,
}

impl Place {
    fn new(log: &QueryLog, name: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let original = folder.path().join(format!("original.{name}"));
        write(log, &original, name, &Layout::aol());
        Self { folder, original }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn request(&self, out: &str, method: &str, k: usize) -> ProtectRequest {
        ProtectRequest {
            file: self.original.clone().into(),
            out: self.path(out),
            method: Some(method.to_owned()),
            parameters: vec![("k".to_owned(), k.to_string())],
            seed: Some(SEED),
            // One that is quickly done: what a test says of measures it asks for itself.
            measures: vec!["query-frequency".to_owned()],
            ..ProtectRequest::default()
        }
    }

    fn protect(&self, out: &str, method: &str, k: usize) -> Result<ProtectOutcome> {
        run::protect(&self.request(out, method, k), &Silent)
    }

    /// Everything that lies in the folder.
    fn listing(&self) -> BTreeSet<String> {
        let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name().to_string_lossy().into_owned();
        fs::read_dir(self.folder.path()).unwrap().map(name).collect()
    }
}

fn check(file: &Path, model: Option<&str>, parameters: &[(&str, String)]) -> run::CheckOutcome {
    check_beside(None, file, model, parameters)
}

fn check_beside(
    original: Option<&Path>,
    file: &Path,
    model: Option<&str>,
    parameters: &[(&str, String)],
) -> run::CheckOutcome {
    let request = CheckRequest {
        only_checkable: false,
        file: file.into(),
        model: model.map(str::to_owned),
        parameters: parameters.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect(),
        original: original.map(Into::into),
        show_values: false,
        ask: Ask::default(),
        ..CheckRequest::default()
    };
    run::check(&request, &Silent).unwrap()
}

/// The files of a folder with their bytes.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let file = |entry: std::io::Result<fs::DirEntry>| {
        let path = entry.unwrap().path();
        (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read(&path).unwrap())
    };
    fs::read_dir(folder).unwrap().map(file).collect()
}

fn contains(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

/// Methods for query logs that hide people in crowds. Those for baskets, and the old ways, have a contract of their own.
fn methods() -> impl Iterator<Item = &'static str> {
    listed(ItemRole::Method).map(|listed| listed.info.name).filter(|name| !OLD_WAYS.contains(name))
}

/// What there is for query logs.
fn listed(role: ItemRole) -> impl Iterator<Item = Listed> {
    kinds::named("queries").unwrap().listed().into_iter().filter(move |listed| listed.role == role)
}

/// Every method in one format, and every format with one method: a method does not know in which format its log was.
fn formats_with_methods() -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    FORMATS.iter().enumerate().map(|(at, &name)| (name, methods().take(if at == 0 { usize::MAX } else { 1 }).collect()))
}

/// Cards of the measures for query logs.
fn measures() -> impl Iterator<Item = &'static MeasureInfo> {
    listed(ItemRole::Measure).filter_map(|listed| listed.measure)
}

// The cards.

#[test]
fn every_card_is_complete_and_its_file_has_its_name() {
    let core = Path::new(env!("CARGO_MANIFEST_DIR")).join("../throng-core/src");
    for item in catalog::items() {
        let info = item.info();
        let name = info.name;
        assert!(
            !name.is_empty()
                && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-'),
            "{name}"
        );
        let file = format!("{}.rs", name.replace('-', "_"));
        let of_kinds_in = |folder: &str| -> Vec<String> {
            item.kinds.iter().map(|kind| format!("{folder}/{kind}")).chain([folder.to_owned()]).collect()
        };
        let folders: Vec<String> = match item.listed.role {
            ItemRole::Method => of_kinds_in("methods"),
            ItemRole::Model => vec!["models".to_owned()],
            ItemRole::Measure => [of_kinds_in("measures/risk"), of_kinds_in("measures/utility")].concat(),
            ItemRole::Attack => of_kinds_in("attacks"),
            ItemRole::Distance => vec!["distance".to_owned()],
            ItemRole::Detector => vec!["detectors".to_owned(), "detectors/records".to_owned()],
        };
        // That at least k records are equal is one model under several names.
        let shared = name.ends_with("-k-anonymity") && core.join("models/k_anonymity.rs").is_file();
        let named = |folder: &String| {
            let place = core.join(folder);
            place.join(&file).is_file() || place.join(name.replace('-', "_")).join("mod.rs").is_file()
        };
        let own = || folders.iter().any(named);
        assert!(shared || own(), "{name}: no file {file}");
        assert!(!info.summary.is_empty() && !info.summary.ends_with('.'), "{name}: {}", info.summary);
        assert!(!info.summary.contains('\n'), "{name}: the summary is one line");
        assert!(!info.paper.is_empty() && !info.details.is_empty() && !item.kinds.is_empty(), "{name}");
        for parameter in info.parameters {
            assert!(!parameter.summary.is_empty() && !parameter.summary.ends_with('.'), "{name} {}", parameter.name);
            let typed = [(parameter.name.to_owned(), parameter.default.to_owned())];
            let (values, unused) = throng::parameters::typed(info, &typed).unwrap();
            assert!(values.len() == 1 && unused.is_empty(), "{name}: the default of {} is no value", parameter.name);
        }
        if let Some(measure) = item.listed.measure {
            assert!(["lower", "higher"].contains(&measure.better), "{name}");
        }
        if let Some(attack) = item.listed.attack {
            assert!(attack.who.iter().all(|who| !who.is_empty()), "{name}: what the attacker knows, in words");
            assert!(!attack.who[0].contains("{}"), "{name}: of one thing there is no number");
        }
    }
}

#[test]
fn every_default_makes_a_method_and_a_model() {
    for kind in kinds::KINDS {
        for Listed { role, info, .. } in kind.listed() {
            assert!(kind.check_parameters(role, info.name, &[]).is_ok(), "{}", info.name);
        }
    }
}

// Methods.

#[test]
fn claims_hold_by_the_independent_model() {
    let log = log();
    for (name, methods) in formats_with_methods() {
        let place = Place::new(&log, name);
        for method in methods {
            for k in [2, 3, 8, PERSONS] {
                let out = format!("{method}-{k}");
                let outcome = place.protect(&out, method, k).unwrap();
                let certificate = &outcome.certificate;
                assert!(!certificate.claims.is_empty(), "{method} claims nothing");
                assert_eq!(certificate.input.persons, PERSONS as u64);
                assert_eq!(certificate.input.rows, log.rows() as u64);
                assert_eq!(certificate.output.file, format!("data.{name}"));
                let all = check_beside(Some(&place.original), &place.path(&out), None, &[]);
                assert!(all.holds() && all.hash_matches == Some(true), "{method} {k} {name}");
                assert_eq!(all.claims.len(), certificate.claims.len());
                // The same on the data file alone, as if somebody else had made it.
                let data = place.path(&out).join(&certificate.output.file);
                for claim in &certificate.claims {
                    let typed =
                        |value: &serde_json::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                    let parameters: Vec<(&str, String)> =
                        claim.parameters.iter().map(|(name, value)| (name.as_str(), typed(value))).collect();
                    let alone = check_beside(Some(&place.original), &data, Some(&claim.model), &parameters);
                    assert!(alone.holds(), "{method} {k} {name}");
                    assert_eq!(alone.achieved, claim.achieved);
                    assert_eq!(alone.persons as u64, certificate.output.persons);
                    assert_eq!(alone.rows, certificate.output.rows);
                }
            }
        }
    }
}

#[test]
fn content_thresholds_hold_and_are_claimed() {
    let place = Place::new(&log(), "tsv");
    let has_threshold = |method: &&str| {
        let info = catalog::item(ItemRole::Method, method).unwrap().info();
        info.parameters.iter().any(|parameter| parameter.name == "min-persons")
    };
    for method in methods().filter(has_threshold) {
        for least in [2, 3, 5] {
            let out = format!("{method}-{least}");
            let mut request = place.request(&out, method, 3);
            request.parameters.push(("min-persons".to_owned(), least.to_string()));
            request.measures = vec!["rare-content".to_owned()];
            let outcome = run::protect(&request, &Silent).unwrap();
            let claims = &outcome.certificate.claims;
            let claim = claims.iter().find(|claim| claim.model == "content-threshold").unwrap();
            assert_eq!(claim.needs.as_deref(), Some("original"));
            assert!(claim.achieved["min-persons"].as_u64() >= Some(least), "{method} {least}: {claim:?}");
            let accounting = &outcome.certificate.accounting;
            assert!(
                accounting.get(ROWS_DROPPED) > Some(0) && accounting.get(GROUPS_EMPTY).is_some(),
                "{method} {least}"
            );
            // Nothing rare is left, by the measure too.
            let rare = outcome.measures.iter().find(|measured| measured.name == "rare-content").unwrap();
            if least >= 3 {
                assert_eq!(rare.value, Some(0.0), "{method} {least}");
            }
            // Who has the original can check it, who has not is told so.
            let whole = check_beside(Some(&place.original), &request.out, None, &[]);
            assert!(whole.holds() && whole.claims.iter().all(|claim| claim.verdict == "holds"), "{method} {least}");
            let alone = check(&request.out, None, &[]);
            let verdict = |model: &str| alone.claims.iter().find(|claim| claim.model == model).unwrap().verdict;
            assert_eq!(alone.verdict, "partly");
            assert_eq!((verdict("content-threshold"), verdict("user-k-anonymity")), ("unchecked", "holds"));
        }
        let mut request = place.request("nothing", method, 3);
        request.parameters.push(("min-persons".to_owned(), (PERSONS + 1).to_string()));
        let error = run::protect(&request, &Silent).unwrap_err();
        assert!(error.to_string().contains("nothing is left to publish"), "{error}");
        assert!(!place.listing().contains("nothing"));
    }
}

#[test]
fn the_original_fails_every_model() {
    let place = Place::new(&log(), "tsv");
    // What needs the key is tried where there is one.
    let has_no_key = |listed: &Listed| listed.info.name != "personal-k-anonymity";
    for Listed { info, .. } in listed(ItemRole::Model).filter(has_no_key) {
        let outcome = check_beside(Some(&place.original), &place.original, Some(info.name), &[]);
        assert!(!outcome.holds(), "{}", info.name);
        assert!(outcome.witness.is_some_and(|witness| witness["line"].is_u64()));
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes_for_any_number_of_threads() {
    for (name, methods) in formats_with_methods() {
        let place = Place::new(&log(), name);
        for method in methods {
            let run = |threads: usize, out: &str| {
                let mut request = place.request(out, method, 3);
                request.measures.clear();
                on_threads(threads, || run::protect(&request, &Silent).map(drop)).unwrap();
                files(&place.path(out))
            };
            let one = run(1, &format!("{method}-one"));
            let names: Vec<&str> = one.keys().map(String::as_str).collect();
            assert_eq!(names, ["certificate.json", &format!("data.{name}"), "report.html", "report.json"]);
            assert!(one == run(2, &format!("{method}-two")), "{method} {name}: two threads give other bytes");
            assert!(one == run(1, &format!("{method}-again")), "{method} {name}: not repeatable");
            let mut request = place.request(&format!("{method}-secure"), method, 3);
            request.seed = None;
            let outcome = run::protect(&request, &Silent).unwrap();
            assert_eq!(outcome.certificate.randomness, "secure");
            assert!(one[&format!("data.{name}")] != files(&request.out)[&format!("data.{name}")], "fresh pseudonyms");
        }
    }
}

#[test]
fn extreme_k() {
    let place = Place::new(&log(), "csv");
    let before = place.listing();
    for method in methods() {
        let error = place.protect("above", method, PERSONS + 1).unwrap_err();
        assert!(error.is_data(), "{error}");
        let text = error.describe(true);
        assert!(text.contains(&PERSONS.to_string()) && text.contains(&(PERSONS + 1).to_string()), "{text}");
        assert!(error.hint().is_some());
        for k in [0, 1] {
            assert!(place.protect("low", method, k).unwrap_err().is_parameter());
        }
    }
    assert_eq!(place.listing(), before, "nothing is left behind");
    for method in methods() {
        let outcome = place.protect(&format!("{method}-all"), method, PERSONS).unwrap();
        assert_eq!(outcome.certificate.output.persons, PERSONS as u64);
    }
}

#[test]
fn one_person() {
    let mut builder = QueryLogBuilder::new();
    builder.push("only", "alone here", 1_142_000_000_000, None, None);
    let place = Place::new(&builder.finish(), "tsv");
    let before = place.listing();
    for method in methods() {
        let error = place.protect("out", method, 2).unwrap_err();
        assert!(error.is_data() && !error.describe(true).contains("alone"), "{error}");
    }
    assert_eq!(place.listing(), before);
}

/// Every string in a JSON document but its keys.
fn strings(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::String(text) => into.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| strings(item, into)),
        Value::Object(map) => map.values().for_each(|item| strings(item, into)),
        _ => {}
    }
}

#[test]
fn a_release_gives_nobody_away() {
    let log = log();
    let k = 3;
    // Query strings and words of fewer than k persons.
    let mut issuers: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    for (person, (_, lines)) in plain(&log).into_iter().enumerate() {
        for (query, ..) in lines {
            for word in query.split_whitespace() {
                issuers.entry(word.to_owned()).or_default().insert(person);
            }
            issuers.entry(query).or_default().insert(person);
        }
    }
    let rare: BTreeSet<&str> =
        issuers.iter().filter(|(_, persons)| persons.len() < k).map(|(text, _)| text.as_str()).collect();
    assert!(rare.len() > PERSONS && issuers["weather tomorrow"].len() == PERSONS);
    for (name, methods) in formats_with_methods() {
        let place = Place::new(&log, name);
        for method in methods {
            let mut request = place.request(&format!("{method}-out"), method, k);
            request.measures = measures().map(|card| card.info.name.to_owned()).collect();
            let outcome = run::protect(&request, &Silent).unwrap();
            let files = files(&request.out);
            for (file, bytes) in &files {
                assert!(!contains(bytes, &SEED.to_string()), "{file} holds the seed");
                for person in 0..PERSONS {
                    assert!(!contains(bytes, &id(person)), "{file} holds an original id");
                }
            }
            let published = read(&request.out.join(&outcome.certificate.output.file)).log;
            assert_eq!(published.persons(), PERSONS);
            assert!(published.names().iter().all(|name| !name.contains("person")));
            for file in ["certificate.json", "report.json"] {
                let document: Value = serde_json::from_slice(&files[file]).unwrap();
                let mut shown = Vec::new();
                strings(&document, &mut shown);
                assert!(!contains(&files[file], "secret"), "{file} shows a person's own query");
                for text in &shown {
                    assert!(
                        !rare.contains(text.as_str()),
                        "{file} shows `{text}`, which fewer than {k} persons issued"
                    );
                }
            }
            // What all share may be shown, so the search above can find something.
            let report = String::from_utf8(files["report.json"].clone()).unwrap()
                + &String::from_utf8(files["report.html"].clone()).unwrap();
            assert!(report.contains("weather tomorrow"));
        }
    }
}

// Measures.

#[test]
fn measures_agree_with_the_report() {
    for (name, methods) in formats_with_methods() {
        let place = Place::new(&log(), name);
        let all: Vec<String> = measures().map(|card| card.info.name.to_owned()).collect();
        for method in methods {
            let mut request = place.request(&format!("{method}-out"), method, 3);
            request.key = Some(place.path(&format!("{method}-key.csv")));
            request.measures = all.clone();
            run::protect(&request, &Silent).unwrap();
            let report: Value = serde_json::from_slice(&files(&request.out)["report.json"]).unwrap();
            let measure = |key: Option<PathBuf>, measures: &[String]| {
                let request = MeasureRequest {
                    held_out: false,
                    attacks: false,
                    force: false,
                    original: place.original.clone().into(),
                    release: request.out.clone().into(),
                    measures: measures.to_vec(),
                    key,
                    k: None,
                    show_values: false,
                    seed: 0,
                    ask: Ask::default(),
                };
                run::measure(&request, &Silent).unwrap()
            };
            let outcome = measure(request.key.clone(), &all);
            assert!(outcome.skipped.is_empty());
            // Through text like the report, for reading a number may change its last digit.
            let measured: Value = serde_json::from_slice(&serde_json::to_vec(&outcome.measures).unwrap()).unwrap();
            // The report shows less: what is measured anew must be the same after that.
            let k = report["certificate"]["method"]["parameters"]["k"].as_u64().unwrap_or(5);
            let measured = published(serde_json::json!({"measures": measured}), k)["measures"].take();
            let names: Vec<&str> = outcome.measures.iter().map(|measure| measure.name).collect();
            assert_eq!(names, all);
            for (own, reported) in measured.as_array().unwrap().iter().zip(report["measures"].as_array().unwrap()) {
                assert_eq!(own, reported, "{method} {name}");
                assert!(own["value"].as_f64().is_some_and(f64::is_finite), "{own}");
            }
            // Without the key nobody knows who became whom.
            let outcome = measure(None, &all);
            let linked = |needs: bool| -> Vec<&str> {
                measures().filter(|card| card.needs.contains(&Need::Link) == needs).map(|card| card.info.name).collect()
            };
            assert_eq!(outcome.skipped.iter().map(|skipped| skipped.name).collect::<Vec<_>>(), linked(true));
            assert_eq!(outcome.measures.iter().map(|measure| measure.name).collect::<Vec<_>>(), linked(false));
            assert!(!linked(true).is_empty());
            // Unasked, all but those that run on request alone.
            let is_on_request = |name: &str| catalog::measure_card(name).is_some_and(|card| card.on_request);
            let unasked: Vec<&str> = all.iter().map(String::as_str).filter(|name| !is_on_request(name)).collect();
            let outcome = measure(request.key.clone(), &[]);
            assert_eq!(outcome.measures.iter().map(|measure| measure.name).collect::<Vec<_>>(), unasked);
            assert!(outcome.skipped.is_empty());
        }
    }
}

#[test]
fn kept_ids_are_a_link() {
    let place = Place::new(&log(), "tsv");
    for method in methods() {
        let mut request = place.request(&format!("{method}-kept"), method, 3);
        request.keep_ids = true;
        let outcome = run::protect(&request, &Silent).unwrap();
        assert_eq!(outcome.certificate.ids, "kept");
        let request = MeasureRequest {
            held_out: false,
            attacks: false,
            force: false,
            original: place.original.clone().into(),
            release: request.out.into(),
            measures: Vec::new(),
            key: None,
            k: None,
            show_values: false,
            seed: 0,
            ask: Ask::default(),
        };
        assert!(run::measure(&request, &Silent).unwrap().skipped.is_empty());
    }
}

// Formats.

#[test]
fn every_format_comes_back_as_it_was() {
    let mut builder = QueryLogBuilder::new();
    let queries =
        ["plain", "", "two  blanks", "quote \" inside", "\"quoted\"", "comma, here", "ünïcode 漢字", "back\\slash"];
    for (at, query) in queries.iter().enumerate() {
        for (person, rank) in [("a", None), ("person b", Some(0)), ("ç,\"x\"", Some(4_000_000_000))] {
            let url = (at % 2 == 0).then_some("http://www.example.com/a,b?q=\"x\"");
            builder.push(person, query, 1_142_000_000_000 + at as i64 * 1000, rank, url);
        }
    }
    let odd = builder.finish();
    let folder = tempfile::tempdir().unwrap();
    for kind in ["tsv", "csv", "jsonl", "parquet"] {
        for compression in ["", ".gz", ".zst"] {
            let name = format!("{kind}{compression}");
            if kind == "parquet" && !compression.is_empty() {
                continue;
            }
            for (which, log) in [("odd", &odd), ("made-up", &log())] {
                let (first, second) =
                    (folder.path().join(format!("{which}-1.{name}")), folder.path().join(format!("{which}-2.{name}")));
                write(log, &first, &name, &Layout::aol());
                let once = read(&first);
                assert_eq!(once.scanned.format, format(&name));
                assert_eq!(plain(&once.log), plain(log), "{which} {name}");
                write(&once.log, &second, &name, &once.scanned.layout);
                let twice = read(&second);
                assert_eq!(once.log, twice.log, "{which} {name}");
                assert_eq!(once.scanned.layout, twice.scanned.layout, "{which} {name}");
                assert_eq!(fs::read(&first).unwrap(), fs::read(&second).unwrap(), "{which} {name}");
            }
        }
    }
}

#[test]
fn line_ends_inside_values_survive_where_the_format_can_hold_them() {
    let mut builder = QueryLogBuilder::new();
    for person in ["a", "b\nb"] {
        builder.push(person, "two\nlines\r\nand a\ttab", 1_142_000_000_000, Some(1), Some("x\ny"));
    }
    let log = builder.finish();
    let folder = tempfile::tempdir().unwrap();
    for name in ["csv", "jsonl", "parquet"] {
        let path = folder.path().join(format!("log.{name}"));
        write(&log, &path, name, &Layout::aol());
        assert_eq!(plain(&read(&path).log), plain(&log), "{name}");
    }
    // TSV has no quoting: blanks instead, and as many rows.
    let path = folder.path().join("log.tsv");
    write(&log, &path, "tsv", &Layout::aol());
    let read = plain(&read(&path).log);
    assert_eq!(read[1].0, "b b");
    assert_eq!(read[0].1[0].0, "two lines  and a tab");
}

/// A file in which each time is the only line of two persons, so that a release with k = 2 has it as it is.
fn twins(times: &[&str]) -> String {
    let mut text = "user,query,time,rank,url\n".to_owned();
    for (at, time) in times.iter().enumerate() {
        for person in ["ann", "bob"] {
            text += &format!("{person}{at},query {at},{time},,\n");
        }
    }
    text
}

#[test]
fn the_way_times_are_written_is_kept() {
    let cases: [&[&str]; 8] = [
        &["2006-05-31 23:00:52", "2006-06-01 00:00:00"],
        &["2006-05-31T23:00:52", "2006-06-01T00:00:00"],
        &["2006-05-31T23:00:52Z", "2006-06-01T00:00:00Z"],
        &["2006-05-31T23:00:52.000Z", "2006-06-01T00:00:00.000Z"],
        &["2006-05-31T23:00:52+02:00", "2006-06-01T00:00:00+02:00"],
        &["2006-05-31T23:00:52.0-04:30", "2006-06-01T00:00:00.0-04:30"],
        &["1149116452", "1149120000"],
        &["1149116452000", "1149120000000"],
    ];
    for times in cases {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("log.csv");
        fs::write(&file, twins(times)).unwrap();
        let place = Place { original: file, folder };
        place.protect("out", "user-microaggregation", 2).unwrap();
        let published = fs::read_to_string(place.path("out").join("data.csv")).unwrap();
        let shown: BTreeSet<&str> = published.lines().skip(1).map(|line| line.split(',').nth(2).unwrap()).collect();
        assert_eq!(shown, times.iter().copied().collect(), "{published}");
        assert_eq!(published.lines().next(), Some("user,query,time,rank,url"));
    }
}

#[test]
fn zones_that_differ_become_utc() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("log.csv");
    fs::write(&file, twins(&["2006-05-31T23:00:52+02:00", "2006-05-31T23:00:52+01:00"])).unwrap();
    let place = Place { original: file, folder };
    place.protect("out", "user-microaggregation", 2).unwrap();
    let published = fs::read_to_string(place.path("out").join("data.csv")).unwrap();
    let shown: BTreeSet<&str> = published.lines().skip(1).map(|line| line.split(',').nth(2).unwrap()).collect();
    assert_eq!(shown, BTreeSet::from(["2006-05-31T21:00:52+00:00", "2006-05-31T22:00:52+00:00"]));
}

#[test]
fn columns_keep_their_names_and_order_and_others_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("log.tsv");
    let mut text = "country\ttimestamp\tq\tuser_id\n".to_owned();
    for person in ["ann", "bob"] {
        text += &format!("Xland-{person}\t2006-05-31T23:00:52Z\troses\t{person}\n");
    }
    fs::write(&file, text).unwrap();
    let place = Place { original: file, folder };
    let outcome = place.protect("out", "user-microaggregation", 2).unwrap();
    assert_eq!(outcome.unmapped, ["country"]);
    let published = fs::read_to_string(place.path("out").join("data.tsv")).unwrap();
    assert!(published.starts_with("timestamp\tq\tuser_id\n") && !published.contains("Xland"), "{published}");
    assert_eq!(published.lines().count(), 3);
}

#[test]
fn a_release_can_have_another_format() {
    let log = log();
    let mut seen: Option<Plain> = None;
    // Reading knows nothing of writing: every format is read for one, and written from one.
    let pairs = FORMATS.map(|to| (FORMATS[0], to)).into_iter().chain(FORMATS.map(|from| (from, FORMATS[3])));
    for (from, to) in pairs {
        let place = Place::new(&log, from);
        let mut request = place.request(&format!("to-{to}"), "user-microaggregation", 3);
        request.format = Some(format(to));
        let outcome = run::protect(&request, &Silent).unwrap();
        assert_eq!(outcome.certificate.output.file, format!("data.{to}"));
        let read = read(&request.out.join(format!("data.{to}")));
        assert_eq!(read.scanned.format, format(to));
        // The same release, whatever the formats.
        let published = plain(&read.log);
        assert_eq!(seen.get_or_insert_with(|| published.clone()), &published, "{from} to {to}");
        assert!(check(&request.out, None, &[]).holds());
    }
}

#[test]
fn epoch_times_stay_numbers_in_json_and_parquet() {
    let layout = |time_style| Layout { time_style, typed_time: true, ..Layout::aol() };
    for style in [TimeStyle::Number(Number::Seconds(0)), TimeStyle::Number(Number::Millis)] {
        for name in ["jsonl", "parquet"] {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join(format!("log.{name}"));
            write(&log(), &file, name, &layout(style));
            assert_eq!(read(&file).scanned.layout.time_style, style, "{name}");
            let place = Place { original: file, folder };
            place.protect("out", "user-microaggregation", 3).unwrap();
            let data = place.path("out").join(format!("data.{name}"));
            assert_eq!(read(&data).scanned.layout.time_style, style, "{name}");
            if name == "jsonl" {
                let text = fs::read_to_string(&data).unwrap();
                let line: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
                assert!(line["QueryTime"].is_i64(), "{line}");
            }
        }
    }
}

#[test]
fn files_without_a_header_stay_without_one() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("log.txt");
    // AOL's lines have three to five fields.
    let lines = [
        "ann\troses\t2006-05-31 23:00:52",
        "ann\tcars\t2006-05-31 23:00:52\t\t",
        "bob\troses\t2006-05-31 23:00:52\t1\thttp://x.org",
    ];
    fs::write(&file, lines.join("\n")).unwrap();
    let place = Place { original: file, folder };
    let outcome = place.protect("out", "user-microaggregation", 2).unwrap();
    assert_eq!(outcome.certificate.input.rows, 3);
    let published = fs::read_to_string(place.path("out").join(&outcome.certificate.output.file)).unwrap();
    assert!(published.lines().all(|line| time::parse(line.split('\t').nth(2).unwrap()).is_some()), "{published}");
    assert!(check(&place.path("out"), None, &[]).holds());
}

#[test]
fn keys_of_json_lines_are_found_wherever_they_first_stand() {
    let line = |more: &str| format!("{{\"user\": 7, \"query\": \"roses\", \"time\": 1149116452{more}}}\n");
    let both = |rank: &str, url: &str| line(&format!(", \"{rank}\": 3, \"{url}\": \"http://x.org\""));
    for (text, expected) in [
        (both("rank", "url"), Some(("rank", "url"))),
        (both("ItemRank", "ClickURL"), Some(("ItemRank", "ClickURL"))),
        (both("position", "link"), Some(("position", "link"))),
        (line("") + &both("rank", "url"), Some(("rank", "url"))),
        (line("") + &line("") + &both("position", "link"), Some(("position", "link"))),
        (line("").repeat(5000) + &both("rank", "url"), Some(("rank", "url"))),
        (line(", \"rank\": null, \"url\": null"), Some(("rank", "url"))),
        (line(""), None),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.jsonl");
        fs::write(&path, &text).unwrap();
        let read = read(&path);
        let mut names = vec!["user", "query", "time"];
        names.extend(expected.iter().flat_map(|(rank, url)| [rank, url]));
        let columns: Vec<&str> = read.scanned.layout.columns.iter().map(|(_, name)| name.as_str()).collect();
        assert_eq!(columns, names);
        assert!(read.scanned.layout.unmapped.is_empty());
        let clicks = text.matches("x.org").count();
        assert_eq!(read.log.lines(0).filter(|line| line.rank == Some(3) && line.url.is_some()).count(), clicks);
    }
}

#[test]
fn ids_that_are_numbers_and_words_can_be_kept_in_any_format() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("log.jsonl");
    let lines: Vec<String> = ["17", "\"ann\"", "1.5", "\"007\""]
        .iter()
        .map(|id| format!("{{\"user\": {id}, \"query\": \"roses\", \"time\": 1149116452}}\n"))
        .collect();
    fs::write(&file, lines.concat()).unwrap();
    let place = Place { original: file, folder };
    for name in ["jsonl", "parquet", "tsv", "csv"] {
        let mut request = place.request(name, "user-microaggregation", 2);
        request.keep_ids = true;
        request.format = Some(format(name));
        run::protect(&request, &Silent).map_err(|error: Error| error.describe(true)).unwrap();
        let published = read(&request.out.join(format!("data.{name}"))).log;
        let names: BTreeSet<&str> = published.names().iter().collect();
        assert_eq!(names, BTreeSet::from(["007", "1.5", "17", "ann"]), "{name}");
    }
}

#[test]
fn chosen_columns_are_remembered_by_the_certificate() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("log.csv");
    fs::write(&file, twins(&["2006-05-31T23:00:52Z"]).replace("user,query,time", "who,what,when")).unwrap();
    let place = Place { original: file, folder };
    let mut request = place.request("out", "user-microaggregation", 2);
    request.ask.columns =
        ["user=who", "query=what", "time=when"].iter().map(|text| ColumnChoice::parse(text).unwrap()).collect();
    let outcome = run::protect(&request, &Silent).unwrap();
    assert_eq!(outcome.certificate.output.columns[Role::User.name()], "who");
    let checked = check(&place.path("out"), None, &[]);
    assert!(checked.holds() && checked.persons == 2);
}
