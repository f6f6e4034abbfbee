//! For a job that runs every night: replacing a release, dates, dry runs, settings files and the environment.

use std::fs;

use serde_json::json;

use crate::support::{LOG, Sandbox};

const FLAGS: [&str; 6] = ["--k", "2", "--measure", "query-frequency", "--min-persons", "1"];

fn protect(sandbox: &Sandbox, more: &[&str]) -> crate::support::Ran {
    sandbox.run(&[&["protect", "log.tsv", "--out", "out"][..], &FLAGS, more].concat())
}

#[test]
fn a_release_is_replaced_whole() {
    let sandbox = Sandbox::with_log();
    assert_eq!(protect(&sandbox, &["--overwrite", "--seed", "1"]).code, 0);
    let first = sandbox.read("out/data.tsv");
    let refused = protect(&sandbox, &["--seed", "2"]);
    assert!(refused.code == 2 && refused.stderr.contains("--overwrite"), "{refused:?}");
    assert_eq!(sandbox.read("out/data.tsv"), first);
    assert_eq!(protect(&sandbox, &["--overwrite", "--seed", "2"]).code, 0);
    assert_ne!(sandbox.read("out/data.tsv"), first);
    assert_eq!(sandbox.run(&["check", "out", "--only-checkable"]).code, 0);
    // A run that fails leaves the old one as it was, and nothing else.
    let before = (sandbox.listing(), sandbox.read("out/data.tsv"));
    sandbox.write("log.tsv", format!("{LOG}SECRETzoe\tx\tnever\n"));
    assert_eq!(protect(&sandbox, &["--overwrite", "--seed", "3"]).code, 2);
    assert_eq!((sandbox.listing(), sandbox.read("out/data.tsv")), before);
}

#[test]
fn only_a_release_of_ours_is_replaced() {
    let sandbox = Sandbox::with_log();
    let again = |name: &str| {
        let args = ["protect", "log.tsv", "--out", "out", "--overwrite", "--k", "2", "--seed", "1"];
        let before = sandbox.listing();
        let ran = sandbox.snapshot(&format!("overwrite-{name}"), &args);
        assert_eq!(ran.code, 2, "{name}: {ran:?}");
        assert_eq!(sandbox.listing(), before, "{name}");
    };
    fs::create_dir(sandbox.path("out")).unwrap();
    again("empty-folder");
    sandbox.write("out/thesis.txt", "ten years of work");
    again("other-folder");
    fs::remove_dir_all(sandbox.path("out")).unwrap();
    sandbox.write("out", "a file");
    again("file");
    fs::remove_file(sandbox.path("out")).unwrap();
    assert_eq!(protect(&sandbox, &["--seed", "1"]).code, 0);
    sandbox.write("out/notes.txt", "mine");
    again("more-in-it");
    fs::remove_file(sandbox.path("out/notes.txt")).unwrap();
    sandbox.write("out/data.tsv", "changed");
    again("changed");
    // Whatever is in it is as throng wrote it.
    fs::remove_dir_all(sandbox.path("out")).unwrap();
    assert_eq!(protect(&sandbox, &["--seed", "1"]).code, 0);
    for (name, text) in [
        ("report.html", "<p>my remarks</p>".to_owned()),
        ("certificate.json", sandbox.read("out/certificate.json").replacen('{', "{\"remark\": \"mine\",", 1)),
        ("certificate.sig", "c2lnbmVk".to_owned()),
    ] {
        let before = fs::read_to_string(sandbox.path("out").join(name)).ok();
        sandbox.write(&format!("out/{name}"), &text);
        let ran = protect(&sandbox, &["--overwrite", "--seed", "1"]);
        assert!(ran.code == 2 && sandbox.read(&format!("out/{name}")) == text, "{name}: {ran:?}");
        match before {
            Some(before) => sandbox.write(&format!("out/{name}"), before),
            None => fs::remove_file(sandbox.path("out").join(name)).unwrap(),
        }
    }
    // Nor is a folder with a certificate that somebody wrote for a file of their own.
    fs::create_dir(sandbox.path("mine")).unwrap();
    sandbox.write("mine/log.csv", "user,query,time\n");
    let hash = throng::io::hash_file(&sandbox.path("mine/log.csv")).unwrap();
    let mut certificate = sandbox.json("out/certificate.json");
    (certificate["output"]["file"], certificate["output"]["sha256"]) = (json!("log.csv"), json!(hash));
    certificate.as_object_mut().unwrap().remove("report_sha256");
    sandbox.write("mine/certificate.json", certificate.to_string());
    let args = ["protect", "log.tsv", "--out", "mine", "--overwrite", "--k", "2", "--seed", "1"];
    assert!(sandbox.run(&args).code == 2 && sandbox.path("mine/log.csv").exists());
    // What is read is never replaced.
    fs::remove_dir_all(sandbox.path("out")).unwrap();
    assert_eq!(protect(&sandbox, &["--seed", "1"]).code, 0);
    let own = sandbox.run(&["protect", "out", "--out", "out", "--overwrite", "--k", "2", "--seed", "1"]);
    assert!(own.code == 2 && sandbox.path("out/data.tsv").exists(), "{own:?}");
    #[cfg(unix)]
    {
        fs::rename(sandbox.path("out"), sandbox.path("real")).unwrap();
        std::os::unix::fs::symlink(sandbox.path("real"), sandbox.path("out")).unwrap();
        let link = protect(&sandbox, &["--overwrite", "--seed", "1"]);
        assert!(link.code == 2 && link.stderr.contains("link"), "{link:?}");
    }
}

#[test]
fn a_comparison_is_replaced_whole() {
    let sandbox = Sandbox::with_log();
    let compare = |k: &str, more: &[&str]| {
        let methods = ["--methods", "user-microaggregation", "--measures", "query-frequency"];
        sandbox.run(&[&["compare", "log.tsv", "--out", "compared", "--k", k][..], &methods, more].concat())
    };
    assert_eq!(compare("2", &["--overwrite"]).code, 0);
    let refused = compare("3", &["--seed", "9"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert_eq!(compare("3", &["--overwrite"]).code, 0);
    assert_eq!(sandbox.json("compared/comparison.json")["k"], json!([3]));
    sandbox.write("compared/mine.txt", "x");
    assert_eq!(compare("2", &["--overwrite"]).code, 2);
    assert_eq!(sandbox.json("compared/comparison.json")["k"], json!([3]));
}

#[test]
fn the_date_is_in_the_name() {
    let sandbox = Sandbox::with_log();
    let args = ["protect", "log.tsv", "--out", "night-{date}", "--key", "key-{date}.csv", "--seed", "1", "--json"];
    let made = sandbox.done(&[&args[..], &FLAGS].concat()).json();
    let name = made["release"].as_str().unwrap();
    let date = name.strip_prefix("night-").unwrap();
    assert!(date.len() == 10 && date.starts_with("20") && date.matches('-').count() == 2, "{name}");
    assert!(sandbox.path(name).join("data.tsv").exists() && sandbox.path(&format!("key-{date}.csv")).exists());
}

#[test]
fn a_dry_run_writes_nothing() {
    let sandbox = Sandbox::with_log();
    let before = sandbox.listing();
    let dry = ["protect", "log.tsv", "--out", "out", "--k", "2", "--dry-run"];
    let ran = sandbox.done(&dry);
    for word in
        ["nothing was written", "user = AnonID", "persons", "per person", "kindred", "user-k-anonymity", "about"]
    {
        assert!(ran.stdout.contains(word), "{word}: {}", ran.stdout);
    }
    assert!(!ran.stdout.contains("SECRET"));
    let found = sandbox.done(&[&dry[..], &["--json"]].concat()).json();
    assert_eq!((&found["persons"], &found["rows"]), (&json!(7), &json!(12)));
    assert_eq!((&found["rows_per_person"]["least"], &found["rows_per_person"]["greatest"]), (&json!(1), &json!(2)));
    assert_eq!(found["claims"][0], json!({"model": "user-k-anonymity", "parameters": {"k": 2}}));
    assert!(found["expected"]["seconds"].is_number() && found["expected"]["memory_bytes"].as_u64() > Some(1_000_000));
    assert_eq!(sandbox.listing(), before);
    // Whatever protect would refuse is refused.
    for more in [&["--out", "log.tsv"][..], &["--time-resolution", "1s"], &["--k", "1"], &["--k", "50"]] {
        let args =
            [&["protect", "log.tsv", "--dry-run"][..], if more[0] == "--out" { &[] } else { &["--out", "out"] }, more];
        assert_eq!(sandbox.run(&args.concat()).code, 2, "{more:?}");
    }
    for (kind, file) in [("baskets", "made.dat"), ("documents", "made.jsonl")] {
        sandbox.done(&["synth", kind, "--persons", "40", "--out", file]);
        let before = sandbox.listing();
        let found =
            sandbox.done(&["protect", file, "--out", "out", "--taxonomy", "wordnet", "--dry-run", "--json"]).json();
        assert_eq!((&found["kind"], &found["persons"]), (&json!(kind), &json!(40)));
        assert!(found["claims"].as_array().is_some_and(|claims| !claims.is_empty()), "{found}");
        assert_eq!(sandbox.listing(), before);
    }
}

#[test]
fn settings_lie_beside_the_data() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.path("data")).unwrap();
    sandbox.write("data/log.tsv", LOG);
    sandbox.write(
        "data/throng.toml",
        "k = 3\nthreads = 1\n\n[protect]\nout = \"release\"\nmethod = \"user-microaggregation\"\nseed = 7\n\
         measure = [\"query-frequency\", \"word-frequency\"]\n\n[protect.column]\nuser = \"AnonID\"\n\n[compare]\nsample = 5\n",
    );
    let ran = sandbox.snapshot("settings", &["protect", "data/log.tsv"]);
    assert_eq!(ran.code, 0);
    let certificate = sandbox.json("data/release/certificate.json");
    assert_eq!(
        (&certificate["method"]["name"], &certificate["method"]["parameters"]["k"]),
        (&json!("user-microaggregation"), &json!(3))
    );
    // A flag overrules the file; what still applies is said, even quietly.
    let ran = sandbox.done(&["protect", "data/log.tsv", "--out", "other", "--k", "2", "--quiet"]);
    assert!(
        ran.stderr.contains("throng.toml") && !ran.stderr.contains("k = 3") && !ran.stderr.contains("out ="),
        "{ran:?}"
    );
    assert_eq!(sandbox.json("other/certificate.json")["method"]["parameters"]["k"], 2);
    let ran = sandbox.run(&["protect", "data/log.tsv", "--no-config"]);
    assert!(ran.code == 2 && ran.stderr.contains("--out"), "{ran:?}");
    // A pattern lies where its folder lies.
    assert!(sandbox.run(&["inspect", "data/*.tsv"]).stderr.contains("throng.toml"));
    // Who judges takes nothing from a file that came with the data, unless it is named.
    let judged = sandbox.run(&["check", "data/log.tsv", "--k", "2", "--json"]);
    assert!(!judged.stderr.contains("throng.toml"));
    let judged = sandbox.run(&["check", "data/log.tsv", "--config", "data/throng.toml", "--json"]).json();
    assert_eq!(judged["claims"][0]["parameters"]["k"], 3);
}

/// What takes a promise back is typed, or stands in a file that somebody named: one beside the data may have come with them.
#[test]
fn switches_that_must_be_meant() {
    let sandbox = Sandbox::with_log();
    sandbox.write("throng.toml", "keep-ids = true\n");
    let found = protect(&sandbox, &["--seed", "1"]);
    assert!(found.code == 2 && found.stderr.contains("type `--keep-ids`"), "{found:?}");
    assert_eq!(protect(&sandbox, &["--seed", "1", "--no-config"]).code, 0);
    assert_eq!(sandbox.json("out/certificate.json")["ids"], "pseudonyms");
    for more in [&["--config", "throng.toml"][..], &["--keep-ids"]] {
        assert_eq!(protect(&sandbox, &[&["--seed", "1", "--overwrite"], more].concat()).code, 0);
        assert_eq!(sandbox.json("out/certificate.json")["ids"], "kept");
    }
    // A release has nothing in it but itself.
    let inside = sandbox.run(&[&["protect", "out/data.tsv", "--out", "out/again", "--no-config"][..], &FLAGS].concat());
    assert!(inside.code == 2 && inside.stderr.contains("inside the release"), "{inside:?}");
}

#[test]
fn wrong_settings() {
    let sandbox = Sandbox::with_log();
    let wrong = [
        ("unknown", "kk = 3\n"),
        ("unknown-of-command", "[protect]\nmehtod = \"kindred\"\n"),
        ("unknown-command", "[protct]\nk = 3\n"),
        ("no-toml", "k = \n"),
        ("value", "[protect]\nbad-lines = \"ignore\"\n"),
        ("sort", "[protect]\nkeep-ids = \"yes\"\n"),
    ];
    for (name, text) in wrong {
        sandbox.write("own.toml", text);
        let args = ["protect", "log.tsv", "--out", "out", "--config", "own.toml"];
        let ran = sandbox.snapshot(&format!("settings-{name}"), &args);
        assert_eq!(ran.code, 2, "{name}: {ran:?}");
        let found = sandbox.run(&[&args[..], &["--json"]].concat()).json();
        assert!(found["error"]["code"].is_string(), "{name}");
    }
    let ran = sandbox.run(&["inspect", "log.tsv", "--config", "nowhere.toml", "--json"]);
    assert_eq!((ran.code, &ran.json()["error"]["code"]), (2, &json!("not-found")));
}

#[test]
fn the_environment_comes_before_the_file() {
    let sandbox = Sandbox::with_log();
    sandbox.write("throng.toml", "threads = 0\n[protect]\nmemory = \"1K\"\n");
    let run = |variables: &[(&str, &str)], args: &[&str]| {
        let mut command =
            sandbox.command(&[&["protect", "log.tsv", "--out", "out", "--seed", "1"][..], &FLAGS, args].concat());
        command.envs(variables.iter().copied());
        crate::support::Ran::from(command.output().unwrap())
    };
    assert!(run(&[], &[]).stderr.contains("threads"));
    assert!(run(&[("THRONG_THREADS", "2")], &[]).stderr.contains("memory"));
    assert!(run(&[("THRONG_THREADS", "x"), ("THRONG_MEMORY", "4G")], &[]).stderr.contains("threads"));
    assert!(run(&[("THRONG_THREADS", "2"), ("THRONG_MEMORY", "2K")], &[]).stderr.contains("memory"));
    assert!(run(&[("THRONG_QUIET", "perhaps")], &[]).stderr.contains("THRONG_QUIET"));
    let variables = [("THRONG_THREADS", "x"), ("THRONG_MEMORY", "4G"), ("THRONG_QUIET", "1")];
    let ran = run(&variables, &["--threads", "2"]);
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", ""), "{ran:?}");
}
