//! What every entry of the catalogue for baskets must satisfy. A new method, model or measure is tested by being listed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;
use throng::catalog::{self, Listed, Role};
use throng::io::{Format, FormatKind, Location, ReadOptions, read_baskets};
use throng::kinds::{self, Ask};
use throng::report::published;
use throng::run::{self, CheckRequest, MeasureRequest, ProtectOutcome, ProtectRequest};
use throng_core::accounts::{ITEMS_UNKNOWN, OCCURRENCES_UNKNOWN};
use throng_core::data::Baskets;
use throng_core::measures::MeasureInfo;
use throng_core::progress::Silent;
use throng_core::taxonomy::fit::Unknown;
use throng_core::{Need, Result, Rng};

use crate::support::fixtures::parameters;

const PERSONS: usize = 40;
/// A number that stands nowhere by chance.
const SEED: u64 = 918_273_645_546_372_819;
/// Items that are sensitive, had by some.
const SENSITIVE: [&str; 2] = ["secretflu", "secretgout"];

fn id(person: usize) -> String {
    format!("Xq{person:03}person")
}

/// A tree of three levels over 12 goods, two sensitive items, and an item of everybody's own.
fn taxonomy() -> String {
    let mut text = "child,parent\n".to_owned();
    for good in 0..12 {
        text += &format!("good{good:02},shelf{}\n", good / 4);
    }
    for shelf in 0..3 {
        text += &format!("shelf{shelf},all\n");
    }
    for item in SENSITIVE {
        text += &format!("{item},illness\n");
    }
    text += "illness,all\nown,all\n";
    for person in 0..PERSONS {
        text += &format!("zq{person:03}own,own\n");
    }
    text
}

/// Everybody has an item of their own, some goods and now and then something sensitive; the last person has nothing.
fn rows() -> Vec<Vec<String>> {
    let mut rng = Rng::seeded(5);
    let row = |person: usize| {
        if person + 1 == PERSONS {
            return Vec::new();
        }
        let goods = rng.sample(12, 2 + person % 3).into_iter().map(|good| format!("good{good:02}"));
        let mut row: Vec<String> = goods.chain([format!("zq{person:03}own")]).collect();
        if person.is_multiple_of(10) {
            row.push(SENSITIVE[person / 10 % 2].to_owned());
        }
        row
    };
    (0..PERSONS).map(row).collect()
}

/// The rows in a format, with the ending that makes it known.
fn text(form: &str) -> (&'static str, String) {
    let rows = rows();
    match form {
        "fimi" => ("dat", rows.iter().map(|row| row.join(" ") + "\n").collect()),
        "cells" => ("csv", rows.iter().map(|row| row.join(", ") + "\n").collect()),
        "long" => {
            let mut text = "item\tuser\n".to_owned();
            for (person, row) in rows.iter().enumerate() {
                let items = if row.is_empty() { vec![String::new()] } else { row.clone() };
                items.iter().for_each(|item| text += &format!("{item}\t{}\n", id(person)));
            }
            ("tsv", text)
        }
        _ => {
            let line = |(person, row): (usize, &Vec<String>)| {
                serde_json::json!({"person": id(person), "items": row}).to_string() + "\n"
            };
            ("jsonl", rows.iter().enumerate().map(line).collect())
        }
    }
}

const FORMS: [&str; 4] = ["fimi", "cells", "long", "lists"];

/// Every method in one form, and every form with one method: a method does not know in which form its baskets were.
fn forms_with_methods() -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    FORMS.iter().enumerate().map(|(at, &form)| (form, methods().take(if at == 0 { usize::MAX } else { 1 }).collect()))
}

struct Place {
    folder: TempDir,
    original: PathBuf,
}

impl Place {
    fn new(form: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (ending, text) = text(form);
        let original = folder.path().join(format!("original.{ending}"));
        fs::write(&original, text).unwrap();
        fs::write(folder.path().join("tree.csv"), taxonomy()).unwrap();
        fs::write(folder.path().join("sensitive.txt"), SENSITIVE.join("\n")).unwrap();
        Self { folder, original }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn options(&self) -> Ask {
        Ask {
            taxonomies: vec![self.path("tree.csv").display().to_string()],
            sensitive: Some(self.path("sensitive.txt")),
            ..Ask::default()
        }
    }

    fn request(&self, out: &str, method: &str) -> ProtectRequest {
        ProtectRequest {
            file: self.original.clone().into(),
            out: self.path(out),
            method: Some(method.to_owned()),
            parameters: parameters(method, &[("k", "3"), ("p", "2"), ("m", "2"), ("h", "0.8"), ("rho", "0.5")]),
            seed: Some(SEED),
            ask: self.options(),
            ..ProtectRequest::default()
        }
    }

    fn protect(&self, request: &ProtectRequest) -> Result<ProtectOutcome> {
        run::protect(request, &Silent)
    }

    fn check(&self, file: &Path, model: Option<&str>, parameters: &[(String, String)]) -> run::CheckOutcome {
        let request = CheckRequest {
            only_checkable: false,
            file: file.into(),
            model: model.map(str::to_owned),
            parameters: parameters.to_vec(),
            original: None,
            show_values: false,
            ask: Ask {
                taxonomies: Vec::new(),
                // Lines of one item each could be anything.
                kind: file.is_file().then(|| "baskets".to_owned()),
                ..self.options()
            },
            ..CheckRequest::default()
        };
        run::check(&request, &Silent).map_err(|error| error.describe(true)).unwrap()
    }

    fn listing(&self) -> BTreeSet<String> {
        let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name().to_string_lossy().into_owned();
        fs::read_dir(self.folder.path()).unwrap().map(name).collect()
    }
}

/// What there is for baskets.
fn listed(role: Role) -> impl Iterator<Item = Listed> {
    kinds::named("baskets").unwrap().listed().into_iter().filter(move |listed| listed.role == role)
}

fn methods() -> impl Iterator<Item = &'static str> {
    listed(Role::Method).map(|listed| listed.info.name)
}

fn measures() -> impl Iterator<Item = &'static MeasureInfo> {
    listed(Role::Measure).filter_map(|listed| listed.measure)
}

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let file = |entry: std::io::Result<fs::DirEntry>| {
        let path = entry.unwrap().path();
        (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read(&path).unwrap())
    };
    fs::read_dir(folder).unwrap().map(file).collect()
}

fn read(path: &Path, columns: &BTreeMap<String, String>) -> Baskets {
    let mut options = ReadOptions::default();
    columns.iter().for_each(|(role, name)| options.choose_column(&format!("{role}={name}")).unwrap());
    read_baskets(&Location::File(path.to_owned()), &options, &Silent).unwrap().baskets
}

fn contains(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

#[test]
fn claims_hold_by_the_independent_model_in_every_form() {
    for form in FORMS {
        let place = Place::new(form);
        for method in methods() {
            let request = place.request(method, method);
            let outcome = place.protect(&request).map_err(|error| error.describe(true)).unwrap();
            let certificate = &outcome.certificate;
            assert!(!certificate.claims.is_empty(), "{method} claims nothing");
            assert_eq!((certificate.input.kind.as_str(), certificate.input.persons), ("baskets", PERSONS as u64));
            assert_eq!(certificate.input.rows, rows().iter().map(Vec::len).sum::<usize>() as u64);
            let has_ids = matches!(form, "long" | "lists");
            assert_eq!(certificate.ids, if has_ids { "pseudonyms" } else { "none" });
            assert_eq!(certificate.taxonomy.as_ref().unwrap().name, "tree.csv");
            let all = place.check(&request.out, None, &[]);
            assert!(all.holds() && all.hash_matches == Some(true) && all.kind == "baskets", "{method} {form}");
            // The same on the data file alone, as if somebody else had made it.
            let data = request.out.join(&certificate.output.file);
            for claim in &certificate.claims {
                let parameters: Vec<(String, String)> =
                    claim.parameters.iter().map(|(name, value)| (name.clone(), value.to_string())).collect();
                let alone = place.check(&data, Some(&claim.model), &parameters);
                assert!(alone.holds(), "{method} {form}");
                assert_eq!(alone.achieved, claim.achieved);
                assert_eq!((alone.persons as u64, alone.rows), (certificate.output.persons, certificate.output.rows));
            }
            // The input's form stays, unless sensitive items are published by group.
            let format = Format::of_path(&data).unwrap().kind;
            let is_grouped = read(&data, &certificate.output.columns).grouping().is_some();
            if !is_grouped {
                assert_eq!(format, read_kind(&place.original));
            }
        }
    }
}

fn read_kind(path: &Path) -> FormatKind {
    Format::of_path(path).unwrap().kind
}

#[test]
fn the_original_fails_every_model() {
    for form in FORMS {
        let place = Place::new(form);
        for Listed { info, .. } in listed(Role::Model) {
            let outcome = place.check(&place.original, Some(info.name), &[]);
            assert!(!outcome.holds(), "{} {form}", info.name);
            let witness = outcome.witness.unwrap();
            assert!(witness["line"].is_u64() && witness["items"].is_null(), "{}: {witness}", info.name);
            assert!(!witness.to_string().contains("zq"), "{witness}");
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes_for_any_number_of_threads() {
    for (form, methods) in forms_with_methods() {
        let place = Place::new(form);
        for method in methods {
            let run = |threads: usize, out: &str| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let request = place.request(&format!("{method}-{out}"), method);
                pool.install(|| place.protect(&request)).unwrap();
                files(&request.out)
            };
            let one = run(1, "one");
            assert_eq!(one.len(), 4, "data, certificate, report and its page");
            assert!(one == run(2, "two"), "{method} {form}: two threads give other bytes");
            // A few baskets can come in the same order by chance, but hardly eight times.
            let is_other = (0..8).any(|run| {
                let mut request = place.request(&format!("{method}-secure-{run}"), method);
                request.seed = None;
                let outcome = place.protect(&request).unwrap();
                let data = &outcome.certificate.output.file;
                one[data] != files(&request.out)[data]
            });
            assert!(is_other, "{method} {form}: the order is drawn");
        }
    }
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
    let mut owners: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    for (person, row) in rows().into_iter().enumerate() {
        for item in row {
            owners.entry(item).or_default().insert(person);
        }
    }
    let rare: BTreeSet<&str> =
        owners.iter().filter(|(_, owners)| owners.len() < 3).map(|(item, _)| item.as_str()).collect();
    for (form, methods) in forms_with_methods() {
        let place = Place::new(form);
        for method in methods {
            let mut request = place.request(method, method);
            request.measures = measures().map(|card| card.info.name.to_owned()).collect();
            place.protect(&request).unwrap();
            for (file, bytes) in &files(&request.out) {
                assert!(!contains(bytes, &SEED.to_string()), "{file} holds the seed");
                assert!(!contains(bytes, "person") || file != "data.tsv" && file != "data.dat", "{method}: {file}");
                assert!((0..PERSONS).all(|person| !contains(bytes, &id(person))), "{file} holds an original id");
                assert!(!contains(bytes, &place.folder.path().display().to_string()), "{file} says where we are");
                if file.ends_with(".json") {
                    assert!(!contains(bytes, "zq0"), "{method}: {file} shows a person's own item");
                    let mut shown = Vec::new();
                    strings(&serde_json::from_slice(bytes).unwrap(), &mut shown);
                    let leaks: Vec<&String> = shown.iter().filter(|text| rare.contains(text.as_str())).collect();
                    assert!(leaks.is_empty(), "{method}: {file} shows {leaks:?}");
                }
            }
        }
    }
}

/// Lines are shuffled, and the order of groups and of items says nothing about the original.
#[test]
fn the_order_of_a_release_says_nothing() {
    let place = Place::new("fimi");
    for method in methods() {
        let mut request = place.request(method, method);
        request.key = Some(place.path(&format!("{method}.csv")));
        let outcome = place.protect(&request).unwrap();
        let key = fs::read_to_string(request.key.unwrap()).unwrap();
        let places: Vec<usize> =
            key.lines().skip(1).map(|line| line.split(',').nth(1).unwrap().parse().unwrap()).collect();
        let rising = places.windows(2).filter(|pair| pair[0] < pair[1]).count();
        assert!(rising > places.len() / 5 && rising < places.len() * 4 / 5, "{method}: {rising} of {}", places.len());
        let data = request.out.join(&outcome.certificate.output.file);
        let released = read(&data, &outcome.certificate.output.columns);
        for line in fs::read_to_string(&data).unwrap().lines().filter(|_| released.grouping().is_none()) {
            assert!(line.split(' ').is_sorted(), "{method}: {line}");
        }
        if let Some(grouping) = released.grouping() {
            // Numbered by their first persons, who are anybody.
            let mut seen = 0;
            for &group in &grouping.group_of {
                assert!(group <= seen);
                seen = seen.max(group + 1);
            }
        }
    }
}

#[test]
fn extreme_k_and_one_person() {
    let place = Place::new("long");
    let before = place.listing();
    for method in methods() {
        let has_k = catalog::item(Role::Method, method)
            .unwrap()
            .info()
            .parameters
            .iter()
            .any(|parameter| parameter.name == "k");
        for (k, is_parameter) in [(0, true), (1, true), (PERSONS + 1, false)] {
            let mut request = place.request("out", method);
            request.parameters = parameters(method, &[("k", &k.to_string()), ("p", "2")]);
            if !has_k {
                continue;
            }
            let error = place.protect(&request).map(drop).unwrap_err();
            assert_eq!(error.is_parameter(), is_parameter, "{method} {k}: {error}");
            assert!(is_parameter || error.is_data(), "{method}: {error}");
            assert!(error.hint().is_some() && !error.describe(true).contains("own"), "{}", error.describe(true));
        }
    }
    assert_eq!(place.listing(), before, "nothing is left behind");
}

#[test]
fn what_is_missing_is_said() {
    let place = Place::new("cells");
    let mut without_taxonomy = 0;
    for method in methods() {
        let mut request = place.request(&format!("{method}-flat"), method);
        request.ask.taxonomies.clear();
        if let Err(error) = place.protect(&request) {
            // A method by meaning takes WordNet, which has none of these goods.
            let ways = ["throng taxonomy generate", "throng inspect FILE --concepts"];
            assert!(ways.iter().any(|way| error.describe(false).contains(way)), "{}", error.describe(false));
            without_taxonomy += 1;
        } else {
            fs::remove_dir_all(&request.out).unwrap();
        }
    }
    assert!(without_taxonomy >= 3);
    fs::write(place.path("small.csv"), "child,parent\ngood01,all\n").unwrap();
    fs::write(place.path("other.txt"), "good01\nnobody-has-it\n").unwrap();
    let before = place.listing();
    let refused = |change: &dyn Fn(&mut ProtectRequest)| {
        let mut request = place.request("out", "flock");
        change(&mut request);
        let error = place.protect(&request).map(drop).unwrap_err();
        assert_eq!(place.listing(), before, "nothing is left behind");
        error
    };
    let small = place.path("small.csv").display().to_string();
    let error = refused(&|request| request.ask.taxonomies = vec![small.clone()]);
    assert!(error.is_data() && error.to_string().ends_with("are not in the taxonomy"), "{error}");
    let error = refused(&|request| request.ask.sensitive = Some(place.path("other.txt")));
    assert!(error.to_string().starts_with("1 sensitive item does not occur"), "{error}");
    assert!(!error.describe(false).contains("nobody-has-it") && error.describe(true).contains("nobody-has-it"));
    let error = refused(&|request| request.method = Some("user-microaggregation".to_owned()));
    assert!(error.to_string().contains("is for queries, and the kind of these data is baskets"), "{error}");
    // Unknown items by rule, counted.
    for (rule, word) in [(Unknown::Drop, "drop"), (Unknown::Root, "root"), (Unknown::OwnLeaf, "own-leaf")] {
        let mut request = place.request(word, "flock");
        request.ask = Ask { unknown: Some(rule), taxonomies: vec![small.clone()], ..Default::default() };
        let outcome = place.protect(&request).unwrap();
        let accounting = outcome.certificate.accounting;
        let known = rows().iter().flatten().filter(|item| *item == "good01").count() as u64;
        assert_eq!(accounting.get(OCCURRENCES_UNKNOWN), Some(outcome.certificate.input.rows - known), "{word}");
        assert!(accounting.get(ITEMS_UNKNOWN) > Some(40));
        assert_eq!(outcome.certificate.taxonomy.unwrap().unknown, rule);
        assert!(place.check(&request.out, None, &[]).holds());
    }
}

#[test]
fn measures_agree_with_the_report() {
    for form in FORMS {
        let place = Place::new(form);
        for method in ["flock", "apriori", "cahd", "semantic-microaggregation"] {
            let mut request = place.request(method, method);
            request.key = Some(place.path(&format!("{method}-key.csv")));
            request.measures = measures().map(|card| card.info.name.to_owned()).collect();
            place.protect(&request).unwrap();
            let report: Value = serde_json::from_slice(&files(&request.out)["report.json"]).unwrap();
            let measure = |key: Option<PathBuf>, taxonomies: Vec<String>| {
                let request = MeasureRequest {
                    held_out: false,
                    attacks: false,
                    // Without the taxonomy it is refused, unless somebody insists.
                    force: taxonomies.is_empty(),
                    original: place.original.clone().into(),
                    release: request.out.clone().into(),
                    measures: Vec::new(),
                    key,
                    k: None,
                    show_values: false,
                    seed: 0,
                    ask: Ask { taxonomies, ..Ask::default() },
                };
                run::measure(&request, &Silent).map_err(|error| error.describe(true)).unwrap()
            };
            let outcome = measure(request.key.clone(), place.options().taxonomies);
            // A method by meaning publishes items as they are, not nodes.
            let by_meaning = method == "semantic-microaggregation";
            let flat =
                measures().filter(|card| card.needs.contains(&Need::Taxonomy) && by_meaning).map(|card| card.info.name);
            let skipped: Vec<&str> = outcome.skipped.iter().map(|skipped| skipped.name).collect();
            assert!(skipped == flat.collect::<Vec<_>>() && outcome.notes.is_empty(), "{method}: {skipped:?}");
            assert_eq!(outcome.measures.len(), report["measures"].as_array().unwrap().len());
            let measured: Value = serde_json::from_slice(&serde_json::to_vec(&outcome.measures).unwrap()).unwrap();
            // The report shows less: what is measured anew must be the same after that.
            let k = report["certificate"]["method"]["parameters"]["k"].as_u64().unwrap_or(5);
            let measured = published(serde_json::json!({"measures": measured}), k)["measures"].take();
            for (own, reported) in measured.as_array().unwrap().iter().zip(report["measures"].as_array().unwrap()) {
                assert_eq!(own, reported, "{method} {form}");
            }
            // Without key and taxonomy: lines are not linked by their numbers, and what is missing is said.
            let outcome = measure(None, Vec::new());
            let skipped: BTreeSet<&str> = outcome.skipped.iter().map(|skipped| skipped.name).collect();
            let needy = measures().filter(|card| !card.needs.is_empty());
            assert_eq!(skipped, needy.map(|card| card.info.name).collect(), "{method} {form}");
            assert!(outcome.notes.iter().any(|note| note.contains("tree.csv")));
        }
    }
}

#[test]
fn words_of_a_query_log() {
    let place = Place::new("fimi");
    let log = place.path("log.tsv");
    let mut text = "AnonID\tQuery\tQueryTime\n".to_owned();
    for (person, row) in rows().iter().enumerate() {
        for item in row.iter().chain([&"Unheard-of!".to_owned()]) {
            text += &format!("{}\t{} {}\t2006-03-01 10:00:00\n", id(person), item.to_uppercase(), item);
        }
    }
    fs::write(&log, text).unwrap();
    for (format, file) in [(None, "data.tsv"), (Some("jsonl"), "data.jsonl"), (Some("fimi"), "data.fimi")] {
        let mut request = place.request(file, "flock");
        request.file = log.clone().into();
        request.format = format.map(|name| Format::parse(name).unwrap());
        request.ask.as_kind = Some("baskets".to_owned());
        request.key = Some(place.path(&format!("{file}.key")));
        let outcome = place.protect(&request).map_err(|error| error.describe(true)).unwrap();
        let certificate = &outcome.certificate;
        assert_eq!((certificate.input.kind.as_str(), certificate.output.kind.as_deref()), ("queries", Some("baskets")));
        assert_eq!((certificate.output.file.as_str(), certificate.output.persons), (file, PERSONS as u64));
        // Two words of everybody's, each once, are not in the tree.
        let accounting = &certificate.accounting;
        assert_eq!(
            (accounting.get(ITEMS_UNKNOWN), accounting.get(OCCURRENCES_UNKNOWN)),
            (Some(2), Some(2 * PERSONS as u64))
        );
        assert!(place.check(&request.out, None, &[]).holds());
        let measured = run::measure(
            &MeasureRequest {
                held_out: false,
                attacks: false,
                force: false,
                original: log.clone().into(),
                release: request.out.clone().into(),
                measures: Vec::new(),
                key: request.key.clone(),
                k: None,
                show_values: false,
                seed: 0,
                ask: Ask { as_kind: Some("baskets".to_owned()), ..place.options() },
            },
            &Silent,
        );
        let measured = measured.map_err(|error| error.describe(true)).unwrap();
        assert!(measured.skipped.is_empty() && !measured.measures.is_empty());
    }
    // Not asked for, the log is a log.
    let mut request = place.request("log", "flock");
    request.file = log.into();
    let error = place.protect(&request).map(drop).unwrap_err();
    assert!(error.hint().unwrap().contains("--as baskets"), "{error}");
}

/// Nothing can be vouched for that was not looked at.
#[test]
fn other_columns_and_bad_lines_are_not_vouched_for() {
    let place = Place::new("fimi");
    let file = place.path("more.csv");
    fs::write(&file, "person,item,zip\na,x,1\nb,x,2\nc,x,3\n").unwrap();
    let k = [("k".to_owned(), "3".to_owned())];
    let outcome = place.check(&file, Some("transaction-k-anonymity"), &k);
    assert!(!outcome.holds() && outcome.witness.unwrap()["columns_not_read"] == 1);
    fs::write(&file, "person,item\na,x\nb,x\nc,x\n").unwrap();
    assert!(place.check(&file, Some("transaction-k-anonymity"), &k).holds());
}
