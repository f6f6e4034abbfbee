//! The old ways: what they claim, what they keep, and why they fail. Their contract, beside that of all methods.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;
use throng::io::{Location, ReadOptions, read_log};
use throng::prelude::*;
use throng::report::published;
use throng::run::AttackRequest;

const OLD_WAYS: [&str; 5] =
    ["query-threshold", "token-hashing", "split-personality", "shorten-sessions", "drop-infrequent"];

/// Twelve persons who all ask for the weather, each with something of their own, over several days.
fn original(folder: &TempDir) -> PathBuf {
    let path = folder.path().join("original.tsv");
    let mut text = "user\tquery\ttime\trank\turl\n".to_owned();
    for person in 0..12 {
        for day in 1..=3 {
            let time = format!("2006-03-0{day} {person:02}:0{day}:00");
            text += &format!("Xq{person:02}id\tWeather  tomorrow\t{time}\t1\thttp://weather.example/a\n");
            text += &format!("Xq{person:02}id\tmy own zq{person:02}secret cat\t2006-03-0{day} 12:{person:02}:00\t\t\n");
        }
        text +=
            &format!("Xq{person:02}id\tred car {}\t2006-03-05 13:{person:02}:00\t2\thttp://cars.example\n", person % 4);
    }
    fs::write(&path, text).unwrap();
    path
}

fn request(original: &Path, out: PathBuf, method: &str) -> ProtectRequest {
    ProtectRequest {
        file: original.to_owned().into(),
        out,
        method: Some(method.to_owned()),
        seed: Some(7),
        ..ProtectRequest::default()
    }
}

fn with(mut request: ProtectRequest, parameters: &[(&str, &str)]) -> ProtectRequest {
    request.parameters = parameters.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
    request
}

fn data_of(release: &Path) -> QueryLog {
    log_of(&release.join("data.tsv"))
}

fn log_of(path: &Path) -> QueryLog {
    read_log(&Location::File(path.to_owned()), &ReadOptions::default(), &Silent).unwrap().log
}

/// Every line, whoever has it, in order.
fn lines(log: &QueryLog) -> Vec<(String, i64, Option<u32>)> {
    let mut lines: Vec<(String, i64, Option<u32>)> = (0..log.persons())
        .flat_map(|person| log.lines(person))
        .map(|line| (log.queries().get(line.query).to_owned(), line.time, line.rank))
        .collect();
    lines.sort();
    lines
}

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let file = |entry: std::io::Result<fs::DirEntry>| {
        let path = entry.unwrap().path();
        (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read(&path).unwrap())
    };
    fs::read_dir(folder).unwrap().map(file).collect()
}

#[test]
fn they_say_what_they_promise_and_that_is_little() {
    let folder = tempfile::tempdir().unwrap();
    let original = original(&folder);
    for method in OLD_WAYS {
        let out = folder.path().join(method);
        let outcome = protect(&request(&original, out.clone(), method), &Silent).unwrap();
        let certificate: Value = serde_json::from_slice(&fs::read(out.join("certificate.json")).unwrap()).unwrap();
        let page = fs::read_to_string(out.join("report.html")).unwrap();
        let report: Value = serde_json::from_slice(&fs::read(out.join("report.json")).unwrap()).unwrap();
        let summary = throng::words::as_text(&outcome.words("out"));
        let checked = check(&CheckRequest { file: out.clone().into(), ..CheckRequest::default() }, &Silent).unwrap();
        let claims = certificate["claims"].as_array().unwrap();
        if method == "query-threshold" {
            assert_eq!((claims.len(), &claims[0]["model"]), (1, &Value::from("content-threshold")));
            assert_eq!(claims[0]["parameters"]["min-persons"], 5);
            assert!(!claims.iter().any(|claim| claim["model"] == "user-k-anonymity"));
            assert_eq!(checked.verdict, "partly");
        } else {
            assert!(claims.is_empty(), "{method}");
            for text in [certificate["promise"].as_str().unwrap(), &page, &summary] {
                assert!(text.contains("promises nothing"), "{method}: {text}");
            }
            assert!(report["certificate"]["promise"].as_str().unwrap().contains("promises nothing"));
            assert_eq!(
                (checked.verdict, checked.claims.len(), checked.hash_matches),
                ("nothing claimed", 0, Some(true))
            );
            assert!(!checked.holds());
            let words = throng::words::as_text(&checked.words());
            assert!(words.contains("promises nothing") && !words.contains("holds"), "{words}");
        }
        assert_eq!(certificate["randomness"], "seeded");
        // No id, no seed.
        for (name, bytes) in files(&out) {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            assert!(!text.contains("Xq"), "{method}: {name} holds an original id");
        }
        // Whoever changes the data is found out, claim or not.
        let data = out.join("data.tsv");
        let mut bytes = fs::read(&data).unwrap();
        let last = bytes.len() - 3;
        bytes[last] ^= 1;
        fs::write(&data, bytes).unwrap();
        let changed = check(&CheckRequest { file: out.into(), ..CheckRequest::default() }, &Silent);
        assert!(changed.map_or(true, |changed| changed.verdict == "fails"), "{method}");
    }
}

#[test]
fn a_k_and_a_token_key_are_refused_where_they_mean_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let original = original(&folder);
    let before = files(folder.path());
    for method in OLD_WAYS {
        let out = folder.path().join("out");
        if method != "query-threshold" {
            let error = protect(&with(request(&original, out.clone(), method), &[("k", "5")]), &Silent).unwrap_err();
            assert!(error.is_parameter() && error.to_string().contains("promises nothing"), "{error}");
        }
        if method != "token-hashing" {
            let mut request = request(&original, out.clone(), method);
            request.token_key = Some(folder.path().join("token.key"));
            assert!(protect(&request, &Silent).unwrap_err().to_string().starts_with("`token-key`"));
        }
        let unheeded = with(request(&original, out, method), &[("time-resolution", "1h")]);
        assert!(protect(&unheeded, &Silent).unwrap_err().is_parameter());
    }
    assert_eq!(files(folder.path()), before);
}

#[test]
fn the_same_seed_gives_the_same_bytes_for_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let original = original(&folder);
    for method in OLD_WAYS {
        let run = |threads: usize| {
            let out = folder.path().join(format!("{method}-{threads}"));
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let shares: &[(&str, &str)] = if method == "query-threshold" { &[("shares", "true")] } else { &[] };
            let request = with(request(&original, out.clone(), method), shares);
            pool.install(|| protect(&request, &Silent).map(drop)).unwrap();
            files(&out)
        };
        assert!(run(1) == run(3), "{method}");
    }
}

#[test]
fn the_key_has_several_rows_a_person_and_measures_cope() {
    let folder = tempfile::tempdir().unwrap();
    let original = original(&folder);
    for method in OLD_WAYS {
        let (out, key) = (folder.path().join(method), folder.path().join(format!("{method}.csv")));
        let mut request = request(&original, out.clone(), method);
        request.key = Some(key.clone());
        let outcome = protect(&request, &Silent).unwrap();
        let text = fs::read_to_string(&key).unwrap();
        let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split(',').collect()).collect();
        let persons: BTreeSet<&str> = rows.iter().map(|row| row[0]).collect();
        let pseudonyms: BTreeSet<&str> = rows.iter().map(|row| row[1]).collect();
        assert_eq!((persons.len(), pseudonyms.len()), (12, rows.len()), "{method}");
        let has_several = matches!(method, "split-personality" | "shorten-sessions");
        assert_eq!(rows.len() > 12, has_several, "{method}");
        assert_eq!(outcome.certificate.output.persons, rows.len() as u64);
        assert_eq!(outcome.certificate.accounting.get(throng_core::accounts::PERSONS_DROPPED), Some(0));
        // The key tells which lines are one person's, so what is measured with it is what the report says.
        let measuring = MeasureRequest {
            original: original.clone().into(),
            release: out.into(),
            key: Some(key),
            ..MeasureRequest::default()
        };
        let measured = measure(&measuring, &Silent).unwrap();
        for own in &outcome.measures {
            let other = measured.measures.iter().find(|other| other.name == own.name).unwrap();
            let rounded = |value: Option<f64>| published(serde_json::json!({"measures": [value]}), 5);
            assert_eq!(rounded(own.value), rounded(other.value), "{method}: {}", own.name);
        }
        if has_several {
            // All lines are there, cut up anew: nothing is lost to whoever holds the key.
            assert_eq!(
                outcome.measures.iter().find(|own| own.name == "information-loss-ratio").unwrap().value,
                Some(0.0)
            );
            let kept = ProtectRequest { keep_ids: true, key: None, out: folder.path().join("kept"), ..request };
            assert!(protect(&kept, &Silent).unwrap_err().to_string().contains("keep-ids"));
        }
    }
}

#[test]
fn the_token_key_is_kept_on_request_and_undoes_the_tokens() {
    let folder = tempfile::tempdir().unwrap();
    let original = original(&folder);
    let (out, key) = (folder.path().join("out"), folder.path().join("token.key"));
    let mut request = request(&original, out.clone(), "token-hashing");
    request.token_key = Some(key.clone());
    protect(&request, &Silent).unwrap();
    let digits = fs::read_to_string(&key).unwrap();
    assert_eq!((digits.len(), digits.ends_with('\n')), (65, true));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(fs::metadata(&key).unwrap().permissions().mode() & 0o777, 0o600);
    }
    assert!(files(&out).values().all(|bytes| !String::from_utf8_lossy(bytes).contains(digits.trim())));
    let log = data_of(&out);
    assert!(log.queries().iter().all(|query| query.split(' ').all(|token| token.len() == 16)));
    assert_eq!((log.rows(), log.urls().len(), log.lines(0).filter(|line| line.rank.is_some()).count()), (84, 0, 4));
    let times = |log: &QueryLog| lines(log).into_iter().map(|line| line.1).collect::<BTreeSet<_>>();
    assert_eq!(times(&log), times(&log_of(&original)));
    // It is never overwritten, nor published.
    request.out = folder.path().join("again");
    assert!(protect(&request, &Silent).unwrap_err().to_string().contains("exists already"));
    request.token_key = Some(request.out.join("token.key"));
    assert!(protect(&request, &Silent).unwrap_err().to_string().contains("inside the release folder"));
    assert!(!request.out.exists());
    // Without it the key is thrown away: another run, other tokens.
    let unseeded = ProtectRequest { seed: None, token_key: None, ..request };
    protect(&unseeded, &Silent).unwrap();
    let other = data_of(&unseeded.out);
    let words = |log: &QueryLog| log.queries().iter().map(str::to_owned).collect::<BTreeSet<_>>();
    assert!(words(&other).is_disjoint(&words(&log)));
}

#[test]
fn shares_open_to_exactly_what_the_threshold_publishes() {
    let folder = tempfile::tempdir().unwrap();
    let original = original(&folder);
    let at = |name: &str| folder.path().join(name);
    for least in ["2", "3", "12"] {
        let [plain, shared, opened] = ["plain", "shared", "opened.tsv"].map(|name| at(&format!("{least}-{name}")));
        protect(&with(request(&original, plain.clone(), "query-threshold"), &[("min-persons", least)]), &Silent)
            .unwrap();
        let parameters = [("min-persons", least), ("shares", "true")];
        protect(&with(request(&original, shared.clone(), "query-threshold"), &parameters), &Silent).unwrap();
        // Every line is there, and none says anything.
        let log = data_of(&shared);
        assert_eq!(log.rows(), 84);
        assert!(log.queries().iter().all(|share| throng_core::shares::Share::parse(share).is_some()));
        let asked = SharesRequest { release: shared.clone(), out: opened.clone(), ..SharesRequest::default() };
        let found = open_shares(&asked, &Silent).unwrap();
        assert_eq!(lines(&log_of(&opened)), lines(&data_of(&plain)));
        assert_eq!(found.rows + found.rows_closed, 84);
        assert!(open_shares(&asked, &Silent).unwrap_err().to_string().contains("exists already"));
        // The claim is checked on the bytes, with the original, by opening them.
        let mut checking = CheckRequest { file: shared.clone().into(), ..CheckRequest::default() };
        assert_eq!(check(&checking, &Silent).unwrap().verdict, "partly");
        checking.original = Some(original.clone().into());
        assert!(check(&checking, &Silent).unwrap().holds());
        checking.parameters = vec![("min-persons".to_owned(), "13".to_owned())];
        assert_eq!(check(&checking, &Silent).unwrap().verdict, "fails");
    }
}

#[test]
fn with_one_share_too_few_nothing_opens() {
    let folder = tempfile::tempdir().unwrap();
    let original = original(&folder);
    let shared = folder.path().join("shared");
    let parameters = [("min-persons", "12"), ("shares", "true")];
    protect(&with(request(&original, shared.clone(), "query-threshold"), &parameters), &Silent).unwrap();
    let text = fs::read_to_string(shared.join("data.tsv")).unwrap();
    let (header, rows) = text.split_once('\n').unwrap();
    let first = rows.split('\t').next().unwrap();
    let eleven: String = rows.lines().filter(|row| !row.starts_with(first)).map(|row| format!("{row}\n")).collect();
    let few = folder.path().join("few.tsv");
    fs::write(&few, format!("{header}\n{eleven}")).unwrap();
    let request = SharesRequest { release: few, out: folder.path().join("opened.tsv"), ..SharesRequest::default() };
    let found = open_shares(&request, &Silent).unwrap();
    assert_eq!((found.texts, found.rows, found.rows_closed), (0, 0, 77));
    assert_eq!(fs::read_to_string(&request.out).unwrap().lines().count(), 1);
}

#[test]
fn mixed_and_broken_shares_are_one_clear_error() {
    let folder = tempfile::tempdir().unwrap();
    let original = original(&folder);
    let parameters = [("min-persons", "3"), ("shares", "true")];
    let [one, two] = [(1, "one"), (2, "two")].map(|(seed, name)| {
        let out = folder.path().join(name);
        let request = ProtectRequest {
            seed: Some(seed),
            ..with(request(&original, out.clone(), "query-threshold"), &parameters)
        };
        protect(&request, &Silent).unwrap();
        fs::read_to_string(out.join("data.tsv")).unwrap()
    });
    let (header, rows) = one.split_once('\n').unwrap();
    let open = |text: &str| {
        let (file, out) = (folder.path().join("mixed.tsv"), folder.path().join("opened.tsv"));
        fs::write(&file, text).unwrap();
        let request = SharesRequest { release: file, out: out.clone(), ..SharesRequest::default() };
        let error = open_shares(&request, &Silent).unwrap_err();
        assert!(!out.exists() && error.hint().is_some());
        (error.message(), error.place().and_then(|place| place.line))
    };
    let (said, line) = open(&(one.clone() + two.split_once('\n').unwrap().1));
    assert_eq!(line, Some(rows.lines().count() as u64 + 2));
    assert!(said.contains("shares of two releases are mixed"), "{said}");
    let (said, line) = open(&format!("{header}\n{rows}99999999\tred car\t2006-03-05 13:00:00\t\t\n"));
    assert!(line.is_some() && said.contains("this is no share"), "{said}");
    // The data of another release in the folder of this one.
    fs::write(folder.path().join("one/data.tsv"), two).unwrap();
    let request = SharesRequest {
        release: folder.path().join("one"),
        out: folder.path().join("x.tsv"),
        ..SharesRequest::default()
    };
    let error = open_shares(&request, &Silent).unwrap_err();
    assert!(error.to_string().contains("not those of the certificate"), "{error}");
}

/// Why they fail, beside the promise of a method that has one.
#[test]
fn a_comparison_runs_them_once_and_recommends_none() {
    let folder = tempfile::tempdir().unwrap();
    let original = original(&folder);
    let request = CompareRequest {
        file: original.into(),
        out: folder.path().join("comparison"),
        methods: ["user-microaggregation", "token-hashing", "shorten-sessions", "query-threshold"]
            .map(str::to_owned)
            .into(),
        ks: vec![3, 5],
        measures: vec!["information-loss-ratio".to_owned(), "profile-exposure-level".to_owned()],
        seed: Some(1),
        ..CompareRequest::default()
    };
    let comparison = compare(&request, &Silent).unwrap();
    let count = |method: &str| comparison.cells.iter().filter(|cell| cell.method == method).count();
    assert_eq!(
        ["user-microaggregation", "token-hashing", "shorten-sessions", "query-threshold"].map(count),
        [2, 1, 1, 2]
    );
    let recommended: Vec<&str> = comparison.recommendations.iter().filter_map(|own| own.method.as_deref()).collect();
    assert!(!recommended.contains(&"token-hashing") && !recommended.contains(&"shorten-sessions"), "{recommended:?}");
    let text = comparison.text();
    assert!(text.lines().any(|line| line.starts_with("token-hashing") && line.ends_with("nothing")), "{text}");
    let json: Value = serde_json::from_slice(&fs::read(request.out.join("comparison.json")).unwrap()).unwrap();
    let cells = json["cells"].as_array().unwrap();
    assert!(cells.iter().filter(|cell| cell["method"] == "token-hashing").all(|cell| cell["k"].is_null()));
    assert!(fs::read_to_string(request.out.join("comparison.html")).unwrap().contains(">nothing</td>"));
    // The same again: everything is there already.
    let again = compare(&request, &Silent).unwrap();
    assert_eq!(again.cells, comparison.cells);
}

/// Words are gone, minutes are not: who knows two searches with their times finds nearly everybody. And whoever finds one of several
/// pseudonyms of a person has found the person.
#[test]
fn times_find_people_whatever_became_of_the_words() {
    let folder = tempfile::tempdir().unwrap();
    let made = made_up(&folder, 150);
    let rate = |method: &str, with: &[&str]| {
        let (out, key) = (folder.path().join(method), folder.path().join(format!("{method}.csv")));
        if !out.exists() {
            let measures = vec!["query-frequency".to_owned()];
            let request = ProtectRequest { key: Some(key.clone()), measures, ..request(&made, out.clone(), method) };
            protect(&request, &Silent).unwrap();
        }
        let attacking = AttackRequest {
            original: made.clone().into(),
            release: out.into(),
            key: Some(key),
            attacks: vec!["known-queries".to_owned()],
            p: vec![2],
            with: with.iter().map(|&word| word.to_owned()).collect(),
            targets: Some(150),
            draws: Some(3),
            ..AttackRequest::default()
        };
        throng::run::attack(&attacking, &Silent).unwrap().attacks[0].rate
    };
    let (words, times) = (rate("token-hashing", &[]), rate("token-hashing", &["times"]));
    assert!(words.unwrap_or_default() < 0.1 && times.unwrap_or_default() >= 0.9, "{words:?} {times:?}");
    for method in ["shorten-sessions", "split-personality"] {
        let found = rate(method, &["times"]);
        assert!(found.unwrap_or_default() > 0.5, "{method}: {found:?}");
    }
}

/// Makes up searches of some persons.
fn made_up(folder: &TempDir, persons: usize) -> PathBuf {
    let out = folder.path().join("made-up.tsv");
    let request = SynthRequest {
        kind: "queries".to_owned(),
        persons,
        mean_lines: 30.0,
        seed: 2,
        out: out.clone(),
        ..SynthRequest::default()
    };
    synth(&request, &mut Vec::new(), &Silent).unwrap();
    out
}

/// Whoever has one personality of somebody finds another: they share words.
#[test]
fn personalities_of_one_person_are_linked_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let request = ProtectRequest {
        key: Some(path("key.csv")),
        measures: vec!["query-frequency".to_owned()],
        no_attacks: true,
        ..request(&made_up(&folder, 150), path("split"), "split-personality")
    };
    protect(&request, &Silent).unwrap();
    let key = fs::read_to_string(path("key.csv")).unwrap();
    let owner: BTreeMap<&str, &str> = key
        .lines()
        .skip(1)
        .map(|line| {
            let mut cells = line.split(',');
            let person = cells.next().unwrap();
            (cells.next().unwrap(), person)
        })
        .collect();
    let data = fs::read_to_string(path("split/data.tsv")).unwrap();
    let (head, rows) = data.split_once('\n').unwrap();
    let mut personalities: BTreeMap<&str, BTreeMap<&str, Vec<&str>>> = BTreeMap::new();
    for (pseudonym, row) in rows.lines().map(|row| row.split_once('\t').unwrap()) {
        personalities.entry(owner[pseudonym]).or_default().entry(pseudonym).or_default().push(row);
    }
    // The largest one is known, the others are the release.
    let (mut known, mut release, mut rest) =
        (format!("{head}\n"), format!("{head}\n"), "person,pseudonym,group\n".to_owned());
    let mut targets = 0;
    for (person, own) in personalities.iter().filter(|(_, own)| own.len() > 1) {
        let largest =
            own.iter().max_by_key(|(pseudonym, rows)| (rows.len(), **pseudonym)).map(|(pseudonym, _)| *pseudonym);
        targets += 1;
        for (pseudonym, rows) in own {
            let is_known = Some(*pseudonym) == largest;
            let (file, name) = if is_known { (&mut known, person) } else { (&mut release, pseudonym) };
            rows.iter().for_each(|row| *file += &format!("{name}\t{row}\n"));
            if !is_known {
                rest += &format!("{person},{pseudonym},\n");
            }
        }
    }
    for (name, text) in [("known.tsv", known), ("release.tsv", release), ("rest.csv", rest)] {
        fs::write(path(name), text).unwrap();
    }
    let attacking = AttackRequest {
        original: path("known.tsv").into(),
        release: path("release.tsv").into(),
        key: Some(path("rest.csv")),
        attacks: vec!["profile-linkage".to_owned()],
        p: vec![1],
        targets: Some(1000),
        draws: Some(1),
        ..AttackRequest::default()
    };
    let outcome = throng::run::attack(&attacking, &Silent).unwrap().attacks.remove(0);
    let (rate, blindly) = (outcome.rate.unwrap(), outcome.baseline.unwrap());
    assert_eq!(outcome.attempts, targets);
    assert!(rate > 20.0 * blindly, "{rate} {blindly}");
}

/// An attacker of other days sees pseudonyms, not who has several of them.
#[test]
fn a_comparison_on_other_days_does_not_join_what_was_split() {
    let folder = tempfile::tempdir().unwrap();
    let methods = ["user-microaggregation", "split-personality", "shorten-sessions"].map(str::to_owned);
    let request = CompareRequest {
        file: made_up(&folder, 60).into(),
        out: folder.path().join("comparison"),
        methods: methods.into(),
        ks: vec![3],
        held_out: true,
        seed: Some(1),
        ..CompareRequest::default()
    };
    let comparison = compare(&request, &Silent).unwrap();
    let linkage = |method: &str| {
        let cell = comparison.cells.iter().find(|cell| cell.method == method).unwrap();
        cell.measures.iter().find(|measure| measure["name"] == "profile-linkage").unwrap().clone()
    };
    let blindly = |method: &str| linkage(method)["parts"]["baseline"].as_f64().unwrap();
    let persons = 1.0 / blindly("user-microaggregation");
    for method in ["split-personality", "shorten-sessions"] {
        assert!(1.0 / blindly(method) > 2.0 * persons, "{method}: {}", linkage(method));
    }
    assert_ne!(linkage("split-personality")["value"], linkage("shorten-sessions")["value"]);
}
