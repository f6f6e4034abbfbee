//! `throng attack`: what it says, what it refuses, and its exit codes.

use crate::support::Sandbox;

/// A folder with the small log, a release of it, and its key.
fn released() -> Sandbox {
    let sandbox = Sandbox::with_log();
    sandbox.done(&["protect", "log.tsv", "--out", "out", "--k", "2", "--seed", "1", "--key", "key.csv", "--quiet"]);
    sandbox
}

#[test]
fn a_release_and_the_unprotected_file() {
    let sandbox = released();
    sandbox.snapshot("attack", &["attack", "log.tsv", "out", "--key", "key.csv", "--p", "1..3"]);
    let ran = sandbox.snapshot("attack-json", &["attack", "log.tsv", "out", "--key", "key.csv", "--p", "2", "--json"]);
    let found = &ran.json()["attacks"][0];
    assert!(found["rate"].as_f64().unwrap() <= 0.5 && found["bound"] == 0.5 && found["verdict"] == "below");
    assert_eq!(found["knowledge"], serde_json::json!({"p": 2, "with": [], "known_mean": 1.6}));
    // The other spelling is the same.
    let other = sandbox.done(&["attack", "log.tsv", "out", "--key", "key.csv", "--known", "2", "--json"]);
    assert_eq!(other.stdout, ran.stdout);
    sandbox.snapshot("attack-itself", &["attack", "log.tsv", "log.tsv", "--p", "2", "--with", "times,clicks"]);
    // Whoever is right more often than was promised makes the exit code 1.
    sandbox.snapshot("attack-above", &["attack", "log.tsv", "log.tsv", "--p", "2", "--k", "5"]);
    // Baskets without ids are linked with themselves by their lines.
    let baskets = Sandbox::with_baskets();
    let itself = baskets.done(&["attack", "baskets.dat", "baskets.dat", "--p", "2", "--json"]).json();
    assert!(itself["attacks"][0]["rate"].as_f64().unwrap() > 0.5, "{itself}");
}

#[test]
fn knowledge_that_is_given() {
    let sandbox = released();
    let line = |person: &str, facts: &str| format!("{{\"person\": \"{person}\", \"facts\": [{facts}]}}\n");
    sandbox.write(
        "known.jsonl",
        line("SECRETann", "{\"query\": \"garden roses\", \"time\": \"2006-03-01 10:00:30\"}")
            + &line("SECRETann", "{\"query\": \"SECRET clinic\", \"time\": \"2006-03-01 10:05:00\"}")
            + &line("SECRETgus", "{\"query\": \"weather\", \"time\": \"2006-03-04 08:00:00\"}"),
    );
    let given = ["attack", "log.tsv", "log.tsv", "--knowledge", "known.jsonl", "--json"];
    let found = sandbox.done(&given).json()["attacks"][0].clone();
    // "garden roses" leads to 2 of 7 (garden rose is another word), "SECRET clinic" to one; "weather" to 3.
    assert_eq!((&found["attempts"], &found["knowledge"]["given"]), (&2.into(), &true.into()));
    let hits = (0.5 + 1.0) / 2.0 + 1.0 / 3.0;
    assert!((found["hits"].as_f64().unwrap() - hits).abs() < 1e-12, "{found}");
    let timed = sandbox.done(&[&given[..], &["--with", "times"]].concat()).json()["attacks"][0].clone();
    assert!((timed["hits"].as_f64().unwrap() - 2.0).abs() < 1e-12, "{timed}");
    sandbox.write("stranger.jsonl", line("SECRETann", "{\"query\": \"x\"}") + &line("SECRETzoe", "{\"query\": \"x\"}"));
    sandbox.snapshot("attack-stranger", &["attack", "log.tsv", "log.tsv", "--knowledge", "stranger.jsonl"]);
    sandbox.write("broken.jsonl", line("SECRETann", "{\"query\": \"x\"}") + "{\"person\": SECRET\n");
    sandbox.snapshot("attack-broken", &["attack", "log.tsv", "log.tsv", "--knowledge", "broken.jsonl"]);
    sandbox.snapshot(
        "attack-lacks-times",
        &["attack", "log.tsv", "log.tsv", "--knowledge", "stranger.jsonl", "--with", "times"],
    );
}

#[test]
fn what_cannot_be_attacked_is_refused() {
    let sandbox = released();
    sandbox.snapshot("attack-without-key", &["attack", "log.tsv", "out"]);
    sandbox.snapshot("attack-named-without-key", &["attack", "log.tsv", "out", "--attack", "known-queries"]);
    sandbox.done(&["protect", "log.tsv", "--out", "other", "--k", "3", "--seed", "2", "--key", "other.csv", "--quiet"]);
    sandbox.snapshot("attack-other-release", &["attack", "log.tsv", "out", "--key", "other.csv"]);
    sandbox.snapshot("attack-unknown", &["attack", "log.tsv", "out", "--attack", "known-querys"]);
    for (flag, value) in [("--p", "0"), ("--p", "x"), ("--draws", "0"), ("--targets", "0"), ("--with", "names")] {
        let ran = sandbox.run(&["attack", "log.tsv", "out", "--key", "key.csv", flag, value]);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{flag} {value}");
        assert!(!ran.stderr.contains("SECRET"), "{}", ran.stderr);
    }
    let baskets = Sandbox::with_baskets();
    baskets.done(&[
        "protect",
        "baskets.dat",
        "--out",
        "out",
        "--k",
        "2",
        "--seed",
        "1",
        "--key",
        "key.csv",
        "--taxonomy",
        "food.csv",
        "--quiet",
    ]);
    baskets.snapshot("attack-baskets-with-times", &["attack", "baskets.dat", "out", "--with", "times"]);
    baskets.snapshot("attack-without-taxonomy", &["attack", "baskets.dat", "out", "--key", "key.csv"]);
    let found = baskets.done(&["attack", "baskets.dat", "out", "--key", "key.csv", "--taxonomy", "food.csv", "--json"]);
    let names: Vec<String> =
        found.json()["attacks"].as_array().unwrap().iter().map(|one| one["name"].to_string()).collect();
    assert!(names.contains(&"\"known-items\"".to_owned()) && names.contains(&"\"absence\"".to_owned()), "{names:?}");
}

/// A folder with a made-up log of so many persons.
fn made_up(persons: &str) -> Sandbox {
    let sandbox = Sandbox::with_log();
    sandbox.done(&["synth", "queries", "--persons", persons, "--seed", "5", "--out", "big.tsv", "--quiet"]);
    sandbox
}

#[test]
fn two_releases_undo_each_other() {
    let sandbox = made_up("150");
    for (k, out, key) in [("5", "five", "five.csv"), ("4", "four", "four.csv")] {
        sandbox.done(&["protect", "big.tsv", "--out", out, "--k", k, "--seed", "1", "--key", key, "--quiet"]);
    }
    let both = ["attack", "big.tsv", "five", "--key", "five.csv", "--other", "four"];
    let ran = sandbox.run(&[&both[..], &["--other-key", "four.csv", "--attack", "intersection", "--json"]].concat());
    let found = &ran.json()["attacks"][0];
    assert_eq!((ran.code, &found["verdict"], &found["bound"]), (1, &"above".into(), &0.25.into()), "{found}");
    assert!(found["rate"].as_f64().unwrap() > 0.3 && found["parts"]["alone"].as_f64().unwrap() > 0.1, "{found}");
    // By the keys alone: persons with the same two groups.
    let groups = |key: &str| -> std::collections::BTreeMap<String, String> {
        let row = |line: &str| {
            let fields: Vec<&str> = line.split(',').collect();
            (fields[0].to_owned(), fields[2].to_owned())
        };
        sandbox.read(key).lines().skip(1).map(row).collect()
    };
    let (five, four) = (groups("five.csv"), groups("four.csv"));
    let mut crowds = std::collections::BTreeMap::new();
    for (person, group) in five.iter().filter(|(person, _)| four.contains_key(*person)) {
        *crowds.entry((group, &four[person])).or_insert(0u32) += 1;
    }
    let persons: u32 = crowds.values().sum();
    assert_eq!(found["attempts"], persons);
    let rate = crowds.len() as f64 / f64::from(persons);
    assert!((found["rate"].as_f64().unwrap() - rate).abs() < 1e-9);
    // The same release twice adds nothing.
    let same = ["attack", "big.tsv", "five", "--key", "five.csv", "--other", "five", "--other-key", "five.csv"];
    let same = sandbox.done(&[&same[..], &["--attack", "intersection", "--json"]].concat()).json();
    assert_eq!(same["attacks"][0]["verdict"], "below");
    for (name, flags) in [
        ("attack-refused-other-alone", &["--attack", "intersection"][..]),
        ("attack-refused-other-key", &["--other-key", "five.csv"]),
    ] {
        assert_eq!(sandbox.snapshot(name, &[&both[..], flags].concat()).code, 2);
    }
}

#[test]
fn people_who_took_no_part() {
    let sandbox = made_up("150");
    let protect = ["protect", "big.tsv", "--out", "out", "--seed", "1", "--held-out-persons", "0.2", "--quiet"];
    assert_eq!(sandbox.snapshot("protect-refused-held-out-without-key", &protect).code, 2);
    sandbox.done(&[&protect[..], &["--key", "key.csv"]].concat());
    let held_out = sandbox.read("key.csv").lines().filter(|line| line.ends_with(",,")).count();
    assert_eq!(held_out, 30);
    let certificate: serde_json::Value = serde_json::from_str(&sandbox.read("out/certificate.json")).unwrap();
    assert_eq!(
        (&certificate["accounting"]["persons_held_out"], &certificate["input"]["persons"]),
        (&30.into(), &150.into())
    );
    let attack = ["attack", "big.tsv", "out", "--key", "key.csv", "--attack", "membership,homogeneity", "--json"];
    let found = sandbox.done(&attack).json();
    let [membership, homogeneity] = [0, 1].map(|at| found["attacks"][at].clone());
    assert_eq!(
        (&membership["bound"], &membership["verdict"], &membership["attempts"]),
        (&serde_json::Value::Null, &"none".into(), &120.into())
    );
    assert!(membership["parts"]["auc"].as_f64().unwrap() > 0.5, "{membership}");
    assert_eq!(membership["parts"]["others"], 30);
    assert!(homogeneity["control"].as_f64().unwrap() < homogeneity["rate"].as_f64().unwrap(), "{homogeneity}");
    // Others may come from a file of their own, of the same kind.
    let other = ["attack", "log.tsv", "log.tsv", "--control", "big.tsv", "--attack", "membership", "--json"];
    assert_eq!(sandbox.done(&other).json()["attacks"][0]["parts"]["others"], 150);
    for share in ["0", "1.5", "150", "-1", "many"] {
        let ran = sandbox.run(&["protect", "big.tsv", "--out", "x", "--key", "x.csv", "--held-out-persons", share]);
        assert_eq!(ran.code, 2, "{share}: {}", ran.stderr);
    }
}

#[test]
fn what_minimal_generalisation_gives_away() {
    let sandbox = Sandbox::with_baskets();
    sandbox.write("fruit.csv", "child,parent\nApple,Fruit\nOrange,Fruit\nFruit,Food\nBeef,Food\n");
    sandbox.write("fruit.dat", "Fruit\nFruit\n");
    let attack = [
        "attack",
        "fruit.dat",
        "fruit.dat",
        "--kind",
        "baskets",
        "--taxonomy",
        "fruit.csv",
        "--attack",
        "refinement",
        "--json",
    ];
    let found = sandbox.done(&attack).json()["attacks"][0].clone();
    assert_eq!((&found["attempts"], &found["hits"], &found["rate"]), (&1.into(), &1.0.into(), &1.0.into()), "{found}");
    assert!((found["parts"]["bits"].as_f64().unwrap() - 3f64.log2()).abs() < 1e-12, "{found}");
    let without = ["attack", "baskets.dat", "baskets.dat", "--attack", "refinement"];
    assert_eq!(sandbox.snapshot("attack-refinement-without-taxonomy", &without).code, 2);
    // Data of another kind are nobody's reference.
    let mixed = made_up("60");
    mixed.write("baskets.dat", "milk bread\nmilk beer\nbread\nbeer milk\n");
    let other = ["attack", "big.tsv", "big.tsv", "--control", "baskets.dat", "--attack", "membership"];
    assert_eq!(mixed.snapshot("attack-control-of-another-kind", &other).code, 2);
    let plain = ["attack", "big.tsv", "big.tsv", "--reference", "log.tsv", "--attack", "frequency"];
    assert_eq!(mixed.snapshot("attack-no-hashed-words", &plain).code, 2);
}
