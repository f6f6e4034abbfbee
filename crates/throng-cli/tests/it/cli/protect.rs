//! `throng protect` on a search log: a release from beginning to end, and requests that are refused.

use std::fs;

use serde_json::json;

use crate::support::{LOG, Sandbox};

#[test]
fn protect_check_measure() {
    let sandbox = Sandbox::with_log();
    let protect =
        ["protect", "log.tsv", "--out", "out", "--method", "user-microaggregation", "--k", "3", "--seed", "5"];
    let shown = ["--key", "key.csv", "--measure", "profile-exposure-level,information-loss-ratio,query-frequency"];
    sandbox.snapshot("protect", &[&protect[..], &shown].concat());
    sandbox.snapshot("check-release", &["check", "out"]);
    sandbox.snapshot("check-release-greater-k", &["check", "out", "--k", "5"]);
    sandbox.snapshot("check-data-alone", &["check", "out/data.tsv", "--model", "user-k-anonymity", "--k", "3"]);
    sandbox.snapshot("measure-with-key", &["measure", "log.tsv", "out", "--key", "key.csv"]);
    sandbox.snapshot("measure-without-key", &["measure", "log.tsv", "out"]);
    sandbox.snapshot("measure-one", &["measure", "log.tsv", "out", "--measure", "query-frequency,word-frequency"]);

    // Only what the contract says is in the folder, and nothing secret in the certificate.
    let certificate = sandbox.json("out/certificate.json");
    for key in ["format", "throng", "input", "output", "method", "claims", "randomness", "accounting"] {
        assert!(!certificate[key].is_null(), "no {key}");
    }
    assert_eq!(certificate["input"], json!({"kind": "queries", "persons": 7, "rows": 12}));
    assert_eq!(certificate["output"]["file"], "data.tsv");
    assert_eq!(certificate["output"]["sha256"].as_str().map(str::len), Some(64));
    let grouping = json!({"blocks": 1, "largest_block": 7, "refined": true});
    let method = json!({"name": "user-microaggregation", "parameters": {"k": 3}, "grouping": grouping});
    assert_eq!(certificate["method"], method);
    let claim = json!({"model": "user-k-anonymity", "parameters": {"k": 3}, "verdict": "holds", "achieved": {"k": 3}});
    assert_eq!(certificate["claims"], json!([claim]));
    assert_eq!(certificate["randomness"], "seeded");
    let accounting = json!({"persons_dropped": 0, "rows_dropped": 0, "rows_refused": 0, "sites_lost": 0, "ranks_lost": 0, "accounts_alike": 0});
    assert_eq!(certificate["accounting"], accounting);
    assert!(!sandbox.read("out/report.json").contains("SECRET"));
    assert!(!sandbox.read("out/report.html").contains("SECRET"));
    assert!(!sandbox.read("out/data.tsv").contains("SECRETann"));

    // The key: a header, everybody once, tied to input and release.
    let key = sandbox.read("key.csv");
    assert!(key.starts_with("person,pseudonym,group\nSECRETann,"), "{key}");
    assert_eq!(key.lines().count(), 8);
    let tie = sandbox.json("key.csv.json");
    assert_eq!(tie["release"]["sha256"], certificate["output"]["sha256"]);
    assert_eq!(tie["input"]["sha256"].as_str().map(str::len), Some(64));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |name| fs::metadata(sandbox.path(name)).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode("key.csv"), mode("key.csv.json")), (0o600, 0o600));
        assert_eq!(mode("out"), 0o755);
    }
}

#[test]
fn a_threshold_on_what_lines_say() {
    let sandbox = Sandbox::new();
    let mut log = "user,query,time,rank,url\n".to_owned();
    for person in ["ann", "bob", "cid", "dan", "eve", "fay"] {
        let own = match person {
            "ann" => "anna lind",
            "fay" => "12 elm st",
            _ => "tulip",
        };
        for (minute, query) in ["tulip bulbs", "buy Tulip", "red tulip bulbs", own, own, own].iter().enumerate() {
            let url = if minute == 0 { format!("1,https://{person}.bulbs.example/{person}") } else { ",".to_owned() };
            log += &format!("{person},{query},2024-03-01 09:0{minute}:00,{url}\n");
        }
    }
    sandbox.write("log.csv", &log);
    let method = ["--method", "user-microaggregation", "--k", "3", "--seed", "5", "--measure", "rare-content"];
    let protect = [&["protect", "log.csv"], &method[..]].concat();
    sandbox.snapshot("content-protect", &[&protect[..], &["--min-persons", "3", "--out", "out"]].concat());
    let released = sandbox.read("out/data.csv");
    assert!(
        !released.contains("anna") && !released.contains("elm") && released.contains("bulbs.example"),
        "{released}"
    );
    let claim = &sandbox.json("out/certificate.json")["claims"][1];
    assert_eq!((&claim["model"], &claim["needs"]), (&json!("content-threshold"), &json!("original")));

    sandbox.snapshot("content-check-unchecked", &["check", "out"]);
    sandbox.snapshot("content-check-holds", &["check", "out", "--original", "log.csv"]);
    sandbox.snapshot("content-check-greater", &["check", "out", "--original", "log.csv", "--min-persons", "7"]);
    let model = ["--model", "content-threshold"];
    sandbox.snapshot("content-check-no-original", &[&["check", "out"], &model[..]].concat());

    // Without a threshold the name is published, and the check says in which line.
    sandbox.done(&[&protect[..], &["--out", "plain"]].concat());
    let beside = [&["check", "plain/data.csv", "--original", "log.csv"], &model[..]].concat();
    let fails = sandbox.snapshot("content-check-fails", &beside);
    assert_eq!(fails.code, 1);
    let witness = sandbox.run(&[&beside[..], &["--json"]].concat()).json()["witness"].clone();
    let line = witness["line"].as_u64().unwrap() as usize;
    let shown = sandbox.run(&[&beside[..], &["--json", "--show-values"]].concat()).json()["witness"].clone();
    assert!(witness["value"].is_null() && witness["persons"].as_u64() < Some(3), "{witness}");
    let plain = sandbox.read("plain/data.csv");
    assert!(plain.lines().nth(line - 1).unwrap().contains(shown["value"].as_str().unwrap()), "{shown} {plain}");
    sandbox.snapshot("content-check-stdin", &[&["check", "-", "--original", "log.csv"], &model[..]].concat());
    sandbox.snapshot("content-nothing-left", &[&protect[..], &["--min-persons", "9", "--out", "none"]].concat());
    sandbox.snapshot("content-min-persons-0", &[&protect[..], &["--min-persons", "0", "--out", "none"]].concat());
    sandbox.snapshot("content-original-unused", &["check", "plain", "--original", "log.csv"]);
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_threads_do_not_matter() {
    let sandbox = Sandbox::with_log();
    for (out, threads) in [("one", "1"), ("two", "2")] {
        sandbox.done(&["protect", "log.tsv", "--out", out, "--k", "2", "--seed", "9", "--threads", threads, "--quiet"]);
    }
    for file in ["data.tsv", "certificate.json", "report.json", "report.html"] {
        assert_eq!(sandbox.read(&format!("one/{file}")), sandbox.read(&format!("two/{file}")), "{file}");
    }
    let quiet = sandbox.run(&["protect", "log.tsv", "--out", "three", "--k", "2", "--quiet"]);
    assert_eq!((quiet.code, quiet.stdout.as_str(), quiet.stderr.as_str()), (0, "", ""));
    assert_eq!(sandbox.json("three/certificate.json")["randomness"], "secure");
    assert_ne!(sandbox.read("one/data.tsv"), sandbox.read("three/data.tsv"));
}

#[test]
fn protect_notes_what_it_leaves_out() {
    let sandbox = Sandbox::new();
    sandbox.write("log.csv", "who,what,when,town\nann,roses,1149116452,SECRETville\nbob,roses,1149116453,SECRETham\n");
    let args = [
        "protect",
        "log.csv",
        "--out",
        "out",
        "--k",
        "2",
        "--seed",
        "1",
        "--keep-ids",
        "--exact",
        "--taxonomy",
        "wordnet",
    ];
    let measure = ["--method", "user-microaggregation", "--measure", "query-frequency"];
    let columns = [&measure[..], &["--column", "user=who", "query=what", "time=when"]].concat();
    let ran = sandbox.snapshot("protect-notes", &[&args[..], &columns].concat());
    assert_eq!(ran.code, 0);
    assert!(!sandbox.read("out/data.csv").contains("SECRET"));
    assert_eq!(sandbox.json("out/certificate.json")["ids"], "kept");
    sandbox.snapshot(
        "measure-kept-ids",
        &["measure", "log.csv", "out", "--column", "user=who", "query=what", "time=when"],
    );
}

#[test]
fn requests_that_are_refused() {
    let sandbox = Sandbox::with_log();
    fs::create_dir(sandbox.path("there")).unwrap();
    sandbox.write("there/file", "x");
    sandbox.write("key.csv", "x");
    sandbox.write("other.csv.json", "x");
    let before = sandbox.listing();
    let base = ["protect", "log.tsv", "--out", "out"];
    let cases: [(&str, &[&str]); 21] = [
        ("k-0", &["--k", "0"]),
        ("k-1", &["--k", "1"]),
        ("k-abc", &["--k", "abc"]),
        ("k-negative", &["--k=-3"]),
        (
            "k-and-more",
            &["--method", "user-microaggregation", "--k", "many", "--average", "mode", "--time-resolution", "soon"],
        ),
        ("time-resolution-0", &["--method", "user-microaggregation", "--time-resolution", "0s"]),
        ("min-persons-0", &["--min-persons", "0"]),
        ("weight-negative", &["--weight-words=-1"]),
        ("unknown-method", &["--method", "user-microagregation"]),
        ("unknown-measure", &["--measure", "sum-of-square"]),
        ("unknown-format", &["--format", "xlsx"]),
        ("unknown-kind", &["--kind", "querys"]),
        ("unknown-flag", &["--kk", "3"]),
        ("seed-abc", &["--seed", "abc"]),
        ("threads-0", &["--threads", "0"]),
        ("bad-lines-word", &["--bad-lines", "ignore"]),
        ("key-inside", &["--key", "out/key.csv"]),
        ("key-inside-dots", &["--key", "there/../out/key.csv"]),
        ("key-is-the-release", &["--key", "out"]),
        ("key-exists", &["--key", "key.csv"]),
        ("key-companion-exists", &["--key", "other.csv"]),
    ];
    for (name, flags) in cases {
        let ran = sandbox.snapshot(&format!("refused-{name}"), &[&base[..], flags].concat());
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{name}");
        assert_eq!(sandbox.listing(), before, "{name} left something behind");
    }
    for (name, args) in [
        ("column-before-file", &["protect", "--column", "user=AnonID", "log.tsv", "--out", "out"][..]),
        ("no-parquet", &["inspect", "log.tsv", "--format", "parquet"]),
        ("key-nowhere", &["protect", "log.tsv", "--out", "out", "--key", "no/where.csv"]),
        ("out-exists", &["protect", "log.tsv", "--out", "there", "--k", "2"]),
        ("out-nowhere", &["protect", "log.tsv", "--out", "no/where", "--k", "2"]),
        ("no-file", &["protect", "nothing.tsv", "--out", "out"]),
        ("no-file-inspect", &["inspect", "nothing.tsv"]),
        ("folder-without-certificate", &["inspect", "there"]),
        ("no-out", &["protect", "log.tsv"]),
        ("key-of-another-release", &["measure", "log.tsv", "log.tsv", "--key", "key.csv"]),
        ("key-is-no-file", &["measure", "log.tsv", "log.tsv", "--key", "nokey.csv"]),
        ("json-and-stdout", &["synth", "queries", "--out", "-", "--json"]),
    ] {
        let ran = sandbox.snapshot(&format!("refused-{name}"), args);
        assert_eq!((ran.code, ran.stdout.is_empty()), (2, !args.contains(&"--json")), "{name}");
        assert_eq!(sandbox.listing(), before, "{name} left something behind");
    }
}

#[test]
fn a_key_under_a_link_to_the_release_is_inside_it() {
    #[cfg(unix)]
    {
        let sandbox = Sandbox::with_log();
        std::os::unix::fs::symlink(".", sandbox.path("here")).unwrap();
        let ran = sandbox.run(&["protect", "log.tsv", "--out", "out", "--k", "2", "--key", "here/out/key.csv"]);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(!sandbox.path("out").exists() && ran.stderr.contains("inside the release folder"), "{}", ran.stderr);
    }
}

#[test]
fn too_few_persons() {
    let sandbox = Sandbox::with_log();
    sandbox.write("one.tsv", LOG.lines().take(3).collect::<Vec<_>>().join("\n"));
    let before = sandbox.listing();
    for (name, args) in [
        ("one-person", ["protect", "one.tsv", "--out", "out", "--k", "2", "--key", "key.csv"]),
        ("fewer-than-k", ["protect", "log.tsv", "--out", "out", "--k", "8", "--key", "key.csv"]),
    ] {
        let ran = sandbox.snapshot(&format!("bad-{name}"), &args);
        assert!(ran.code == 2 && !ran.stderr.contains("SECRET") && ran.stderr.contains(args[1]), "{}", ran.stderr);
        assert_eq!(sandbox.listing(), before);
    }
    // One person can be looked at.
    sandbox.snapshot("inspect-one-person", &["inspect", "one.tsv"]);
}

#[test]
fn memory_is_judged_at_the_start() {
    let sandbox = Sandbox::with_log();
    let protect = [
        "protect",
        "log.tsv",
        "--out",
        "out",
        "--method",
        "user-microaggregation",
        "--k",
        "2",
        "--seed",
        "5",
        "--threads",
        "2",
        "--memory",
    ];
    sandbox.snapshot("refused-memory", &[&protect[..], &["20M"]].concat());
    sandbox.snapshot("refused-memory-word", &[&protect[..], &["much"]].concat());
    let short = sandbox.done(&[&protect[..], &["110M", "--json"]].concat()).json();
    assert_eq!(short["skipped"][0]["name"], "semantic-loss");
    assert!(short["skipped"][0]["reason"].as_str().unwrap().ends_with("above what `--memory` allows"), "{short}");
    let with_enough = sandbox.done(&[
        "protect",
        "log.tsv",
        "--out",
        "enough",
        "--method",
        "user-microaggregation",
        "--k",
        "2",
        "--seed",
        "5",
        "--memory",
        "1G",
        "--quiet",
    ]);
    let without_limit = sandbox.done(&[
        "protect",
        "log.tsv",
        "--out",
        "none",
        "--method",
        "user-microaggregation",
        "--k",
        "2",
        "--seed",
        "5",
        "--quiet",
    ]);
    assert_eq!(with_enough.stderr, without_limit.stderr);
    for file in ["data.tsv", "report.json"] {
        assert_eq!(sandbox.read(&format!("enough/{file}")), sandbox.read(&format!("none/{file}")));
    }
    assert_eq!(sandbox.read("out/data.tsv"), sandbox.read("none/data.tsv"));
}

/// A search log has columns, and one basket a line has none.
#[test]
fn a_log_is_not_published_as_baskets() {
    let sandbox = Sandbox::with_log();
    let before = sandbox.listing();
    let ran = sandbox.run(&["protect", "log.tsv", "--out", "out", "--format", "fimi"]);
    assert!(ran.code == 2 && ran.stderr.contains("cannot hold a search log"), "{ran:?}");
    assert!(ran.stderr.contains("hint: a search log is written as"), "{ran:?}");
    assert_eq!(sandbox.listing(), before);
}

/// Clicks: `co.uk` and `com` are no sites, a line that half of the searches did not click has no rank, and what is lost is counted.
#[test]
fn clicks_are_published_as_sites_or_not_at_all() {
    let sandbox = Sandbox::new();
    let mut log = "user,query,time,rank,url\n".to_owned();
    // Three persons for each query, twice each: of different sites, of one, and clicked once in six.
    for line in 0..18 {
        let (person, time) = (line / 2, format!("2024-03-01 10:00:{line:02}"));
        let (query, click) = match person {
            0..3 => ("weather", format!("1,http://site{line}.com/today")),
            3..6 => ("news", format!("{},http://www.bbc.co.uk/{line}", 1 + line % 2)),
            _ => ("maps", (if line == 17 { "3,http://maps.example/" } else { "," }).to_owned()),
        };
        log += &format!("p{person},{query},{time},{click}\n");
    }
    sandbox.write("log.csv", log);
    let args =
        ["protect", "log.csv", "--out", "release", "--k", "3", "--seed", "1", "--method", "user-microaggregation"];
    let said = sandbox.done(&[&args[..], &["--measure", "page-frequency"]].concat());
    assert!(said.stdout.contains("clicks      7 sites and 7 ranks lost"), "{}", said.stdout);
    let data = sandbox.read("release/data.csv");
    for line in data.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        match cells[1] {
            "news" => assert!(cells[4] == "www.bbc.co.uk" && !cells[3].is_empty(), "{line}"),
            _ => assert_eq!(cells[3..], ["", ""], "{line}"),
        }
    }
    let counts = &sandbox.json("release/certificate.json")["accounting"];
    assert_eq!((&counts["sites_lost"], &counts["ranks_lost"]), (&7.into(), &7.into()));
    // Nothing is measured of clicks that nobody made.
    let without: String = sandbox
        .read("log.csv")
        .lines()
        .map(|line| line.splitn(4, ',').take(3).collect::<Vec<_>>().join(",") + "\n")
        .collect();
    sandbox.write("log.csv", without);
    let args =
        ["protect", "log.csv", "--out", "plain", "--k", "3", "--seed", "1", "--measure", "page-frequency", "--json"];
    let measured = &sandbox.done(&args).json()["measures"][0];
    assert!(measured["value"].is_null(), "{measured}");
    assert_eq!(measured["reason"], "the original has no clicked pages");
}
