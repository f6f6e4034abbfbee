//! `throng compare`: what it refuses, what it recommends, how it is extended, and days held out.

use std::fs;

use crate::support::{BASKETS, LOG, Sandbox};

#[test]
fn comparisons_that_are_refused() {
    let sandbox = Sandbox::with_log();
    sandbox.write("baskets.dat", BASKETS);
    let before = sandbox.listing();
    let base = ["compare", "log.tsv", "--out", "out"];
    let methods = ["--methods", "user-microaggregation"];
    let cases: [(&str, &[&str]); 20] = [
        ("unknown-measure", &["--k", "2", "--measures", "sum-of-square"]),
        ("measure-of-another-kind", &["--k", "2", "--measures", "average-length"]),
        ("k-empty-range", &["--k", "5..2"]),
        ("k-empty", &["--k", ""]),
        ("k-word", &["--k", "2..many"]),
        ("k-too-many", &["--k", "2..2000"]),
        ("k-below-2", &["--k", "1..3"]),
        ("k-above-persons", &["--k", "2..8"]),
        ("sample-below-k", &["--k", "2..6", "--sample", "5"]),
        ("unknown-method", &["--k", "2", "--methods", "user-microagregation"]),
        ("unknown-parameter", &["--k", "2", "--methods", "user-microaggregation:avrage=medoid"]),
        ("bad-parameter", &["--k", "2", "--methods", "user-microaggregation:average=mode"]),
        ("k-as-parameter", &["--k", "2", "--methods", "user-microaggregation:k=3"]),
        ("method-twice", &["--k", "2", "--methods", "user-microaggregation,user-microaggregation"]),
        ("different-kinds", &["--k", "2", "--methods", "user-microaggregation,flock"]),
        ("least-k-2", &["--k", "2", "--least-k", "2"]),
        ("repeat-0", &["--k", "2", "--repeat", "0"]),
        ("charts-in-a-file", &["--k", "2", "--charts", "log.tsv"]),
        ("held-out-other-measure", &["--k", "2", "--held-out", "--measures", "interests-kept,rare-content"]),
        // One person has lines on both.
        ("held-out-few", &["--k", "2", "--held-out"]),
    ];
    for (name, flags) in cases {
        let chosen = if flags.contains(&"--methods") { &[][..] } else { &methods };
        let ran = sandbox.snapshot(&format!("compare-refused-{name}"), &[&base[..], chosen, flags].concat());
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{name}");
        let says_what_to_do = ran.stderr.contains("\nhint: ") || ran.stderr.contains("must be one of");
        assert!(says_what_to_do && !ran.stderr.contains("SECRET"), "{name}: {}", ran.stderr);
        assert_eq!(sandbox.listing(), before, "{name} left something behind");
    }
    for (name, args) in [
        (
            "method-of-another-kind",
            &["compare", "baskets.dat", "--out", "out", "--methods", "user-microaggregation"][..],
        ),
        ("standard-input", &["compare", "-", "--out", "out", "--methods", "user-microaggregation"]),
        ("out-nowhere", &["compare", "log.tsv", "--out", "no/where", "--methods", "user-microaggregation"]),
        ("held-out-baskets", &["compare", "baskets.dat", "--out", "out", "--methods", "flock", "--held-out"]),
    ] {
        let ran = sandbox.snapshot(&format!("compare-refused-{name}"), args);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{name}");
        assert_eq!(sandbox.listing(), before, "{name} left something behind");
    }
}

/// A comparison is called what it is asked to be called, and names the day, unless equal runs shall give equal bytes.
#[test]
fn title_and_date() {
    let sandbox = Sandbox::with_log();
    let base = ["compare", "log.tsv", "--methods", "user-microaggregation", "--measures", "query-frequency", "--quiet"];
    let compare = |flags: &[&str]| sandbox.done(&[&base[..], flags].concat());
    compare(&["--out", "out", "--k", "2", "--seed", "1", "--title", "Searches <spring>", "--date", "2024-03-31"]);
    let page = sandbox.read("out/comparison.html");
    assert!(page.contains("<h1><bdi>Searches &lt;spring&gt;</bdi></h1>") && page.contains("<p>2024-03-31</p>"));
    // They stay when it is extended, and can be replaced.
    compare(&["--out", "out", "--k", "3", "--seed", "1"]);
    let heading = |out: &str| {
        let comparison = sandbox.json(&format!("{out}/comparison.json"));
        (comparison["title"].clone(), comparison["date"].clone())
    };
    assert_eq!(heading("out"), ("Searches <spring>".into(), "2024-03-31".into()));
    compare(&["--out", "out", "--k", "3", "--seed", "1", "--title", "Other"]);
    assert_eq!(heading("out"), ("Other".into(), "2024-03-31".into()));
    compare(&["--out", "seeded", "--k", "2", "--seed", "1"]);
    assert_eq!(heading("seeded"), (serde_json::Value::Null, serde_json::Value::Null));
    compare(&["--out", "today", "--k", "2"]);
    assert!(heading("today").1.as_str().is_some_and(|day| day.len() == 10));
    let refused = sandbox.run(&[&base[..], &["--out", "odd", "--k", "2", "--date", "31.3.2024"]].concat());
    assert!(refused.code == 2 && refused.stderr.contains("`date` is `31.3.2024`, which is no day"), "{refused:?}");
}

/// The cap on exposure is that of the k of the cell, whatever the smallest crowd that is shown.
#[test]
fn the_cap_is_that_of_k() {
    let sandbox = Sandbox::with_log();
    sandbox.done(&["compare", "log.tsv", "--out", "out", "--methods", "user-microaggregation", "--k", "2,3"]);
    let comparison = sandbox.json("out/comparison.json");
    for cell in comparison["cells"].as_array().unwrap() {
        let measures = cell["measures"].as_array().unwrap();
        let exposure = measures.iter().find(|measure| measure["name"] == "profile-exposure-level").unwrap();
        assert_eq!(exposure["parts"]["cap"].as_f64(), Some(100.0 / cell["k"].as_f64().unwrap()), "{cell}");
    }
}

/// As in `protect` and `check`: a sensitive item that nobody has is refused.
#[test]
fn a_sensitive_item_that_nobody_has() {
    let sandbox = Sandbox::new();
    sandbox.write("baskets.dat", BASKETS);
    sandbox.write("other.txt", "Unicorn\n");
    let refused =
        ["compare", "baskets.dat", "--out", "out", "--methods", "cahd", "--sensitive", "other.txt", "--k", "2"];
    let ran = sandbox.snapshot("compare-refused-sensitive-missing", &refused);
    assert_eq!(ran.code, 2);
}

#[test]
fn a_comparison_on_held_out_days() {
    let sandbox = Sandbox::new();
    sandbox.done(&["synth", "queries", "--persons", "100", "--mean-lines", "40", "--seed", "2", "--out", "log.tsv"]);
    let methods = ["--methods", "user-microaggregation,kindred:min-persons=1", "--k", "3,30"];
    sandbox
        .snapshot("compare-held-out", &[&["compare", "log.tsv", "--held-out", "--out", "out"], &methods[..]].concat());
    let comparison = sandbox.json("out/comparison.json");
    let [build, score, left_out] =
        ["build_rows", "score_rows", "persons_left_out"].map(|key| comparison["held_out"][key].as_u64().unwrap());
    let log = sandbox.read("log.tsv");
    assert_eq!(comparison["input"]["rows"], build + score);
    assert_eq!(comparison["input"]["persons"], 100 - left_out);
    assert!(left_out > 0 && build + score < log.lines().count() as u64 - 1, "{left_out}");
    assert!(sandbox.read("out/comparison.html").contains("are judged by"));

    // The same as protecting the even days and measuring the release against the odd days, in files.
    let is_odd = |line: &&str| {
        let time = throng_core::data::time::parse_aol(line.split('\t').nth(2).unwrap()).unwrap();
        throng_core::data::time::day(time) % 2 == 1
    };
    let (odd, even): (Vec<&str>, Vec<&str>) = log.lines().skip(1).partition(is_odd);
    let persons = |lines: &[&str]| -> std::collections::BTreeSet<String> {
        lines.iter().map(|line| line.split('\t').next().unwrap().to_owned()).collect()
    };
    let both: Vec<String> = persons(&odd).intersection(&persons(&even)).cloned().collect();
    for (name, lines) in [("even.tsv", &even), ("odd.tsv", &odd)] {
        let own = lines.iter().filter(|line| both.iter().any(|person| line.split('\t').next() == Some(person)));
        sandbox.write(
            name,
            [log.lines().next().unwrap()].iter().chain(own).map(|line| format!("{line}\n")).collect::<String>(),
        );
    }
    let protect =
        ["--method", "user-microaggregation", "--k", "3", "--key", "key.csv", "--seed", "0", "--out", "release"];
    sandbox.done(&[&["protect", "even.tsv"], &protect[..]].concat());
    let measure = ["--key", "key.csv", "--measure", "interests-kept", "--k", "5", "--json"];
    let measured = sandbox.done(&[&["measure", "odd.tsv", "release", "--force"], &measure[..]].concat()).json();
    let [kept, linkage] = [0, 1].map(|at| comparison["cells"][0]["measures"][at].clone());
    assert_eq!(measured["measures"][0], kept);
    // The attack takes other lines than the release was made from: nobody compares their hash.
    let attack = ["attack", "odd.tsv", "release", "--key", "key.csv", "--attack", "profile-linkage", "--json"];
    let attacked = sandbox.done(&attack).json()["attacks"][0].clone();
    assert_eq!((&linkage["name"], &linkage["value"]), (&"profile-linkage".into(), &attacked["rate"]), "{attacked}");
    assert_eq!((attacked["bound"].as_f64(), &attacked["parts"]), (Some(1.0 / 3.0), &linkage["parts"]["parts"]));
    // Its old name is understood by `compare`, and `measure` says where it went.
    let old = ["compare", "log.tsv", "--held-out", "--out", "old", "--measures", "held-out-linkage"];
    sandbox.done(&[&old[..], &methods[..2], &["--k", "3", "--quiet"]].concat());
    assert_eq!(sandbox.json("old/comparison.json")["cells"][0]["measures"][0]["value"], linkage["value"]);
    let gone = ["measure", "odd.tsv", "release", "--measure", "held-out-linkage"];
    let ran = sandbox.run(&gone);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("the measure `held-out-linkage` is the attack `profile-linkage` now"),
        "{}",
        ran.stderr
    );

    let sandbox = Sandbox::new();
    sandbox.write("one-day-each.tsv", LOG.replace("2006-03-05", "2006-03-04"));
    let nobody = ["compare", "one-day-each.tsv", "--held-out", "--out", "out"];
    assert_eq!(sandbox.snapshot("compare-refused-held-out-nobody", &[&nobody[..], &methods].concat()).code, 2);
}

/// The method, its parameters, k, seed and measure of every row.
const COLUMNS: &str = "method,parameters,k,seed,measure,unit,value,claim,seconds";

const FILES: [&str; 3] = ["comparison.json", "comparison.csv", "comparison.html"];

/// Methods with different promises are never weighed against each other.
#[test]
fn a_recommendation_for_each_promise() {
    let sandbox = Sandbox::with_baskets();
    let baskets = ["compare", "baskets.dat", "--taxonomy", "food.csv", "--k", "2,3", "--least-k", "3", "--seed", "1"];
    let measures = ["--measures", "group-generalisation-distortion"];
    let both = [&baskets[..], &measures, &["--methods", "flock,apriori:m=2", "--out", "both"]].concat();
    sandbox.snapshot("compare-promises", &both);
    let comparison = sandbox.json("both/comparison.json");
    assert_eq!(comparison["recommendation"], serde_json::Value::Null);
    let found: Vec<[&str; 2]> = comparison["recommendations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|own| [&own["model"], &own["method"]].map(|value| value.as_str().unwrap()))
        .collect();
    assert_eq!(found, [["transaction-k-anonymity", "flock"], ["km-anonymity", "apriori:m=2"]]);
    let csv = sandbox.read("both/comparison.csv");
    assert_eq!(csv.lines().next(), Some(COLUMNS));
    let row = "\napriori,m=2,3,1,group-generalisation-distortion,";
    let row = csv.split(row).nth(1).and_then(|rest| rest.lines().next()).unwrap_or_else(|| panic!("{csv}"));
    assert!(row.ends_with(",\"km-anonymity:k=3,m=2\","), "quoted, and no seconds with a seed: {row}");
    let page = sandbox.read("both/comparison.html");
    for chip in ["tint-1\">transaction-k-anonymity<", "tint-2\">km-anonymity, m = 2<"] {
        assert!(page.contains(chip), "no {chip}");
    }
    // A chart has lines of one promise only.
    for figure in page.split("<figure>").skip(1).filter_map(|rest| rest.split("</figure>").next()) {
        assert!(!(figure.contains("flock, ") && figure.contains("apriori:m=2, ")), "{figure}");
    }
    // Methods that promise the same have one recommendation in common.
    sandbox.done(&[&baskets[..], &measures, &["--methods", "flock,clump", "--out", "same"]].concat());
    let same = sandbox.json("same/comparison.json");
    assert_eq!(same["recommendation"], same["recommendations"][0]);
    assert_eq!((&same["recommendation"]["k"], &same["least_k"]), (&3.into(), &3.into()));
    // Below the floor nothing is recommended.
    sandbox.done(&[&baskets[..6], &measures, &["--methods", "flock", "--out", "below"]].concat());
    let below = sandbox.json("below/comparison.json");
    assert_eq!((&below["recommendation"], &below["recommendations"][0]["k"]), (&().into(), &().into()));
    assert!(sandbox.read("below/comparison.html").contains("No k of 5 or more was compared"));
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_no_seconds() {
    let sandbox = Sandbox::with_log();
    let compare = ["compare", "log.tsv", "--methods", "interest-microaggregation", "--k", "2", "--repeat", "3"];
    let seconds = |out: &str| -> Vec<String> {
        let csv = sandbox.read(&format!("{out}/comparison.csv"));
        csv.lines().skip(1).map(|line| line.rsplit(',').next().unwrap().to_owned()).collect()
    };
    for (out, threads) in [("one", "1"), ("two", "2")] {
        sandbox.done(&[&compare[..], &["--seed", "7", "--threads", threads, "--out", out]].concat());
    }
    for file in FILES {
        assert_eq!(sandbox.read(&format!("one/{file}")), sandbox.read(&format!("two/{file}")), "{file}");
    }
    assert!(seconds("one").iter().all(String::is_empty));
    let comparison = sandbox.json("one/comparison.json");
    assert_eq!(comparison["seeds"], serde_json::json!([7, 8, 9]));
    assert_eq!(comparison["cells"].as_array().unwrap().len(), 3);
    let loss = |cell: &serde_json::Value| {
        let measures = cell["measures"].as_array().unwrap();
        measures.iter().find(|own| own["name"] == "information-loss-ratio").unwrap()["value"].as_f64().unwrap()
    };
    let losses: Vec<f64> = comparison["cells"].as_array().unwrap().iter().map(loss).collect();
    let means = comparison["means"].as_array().unwrap();
    let mean = means.iter().find(|mean| mean["measure"] == "information-loss-ratio").unwrap();
    let expected = losses.iter().sum::<f64>() / 3.0;
    assert!((mean["mean"].as_f64().unwrap() - expected).abs() < 1e-9, "{mean}");
    assert!(mean["standard_deviation"].is_number(), "{mean}");
    sandbox.done(&[&compare[..], &["--out", "timed"]].concat());
    assert!(seconds("timed").iter().all(|seconds| seconds.parse::<f64>().is_ok_and(|seconds| seconds >= 0.0)));
}

#[test]
fn charts_as_files() {
    let sandbox = Sandbox::with_log();
    let methods = "user-microaggregation,user-microaggregation:average=aggregate";
    let compare = ["compare", "log.tsv", "--methods", methods, "--k", "2..4", "--out", "out", "--charts", "out/charts"];
    sandbox.done(&compare);
    let names: Vec<String> =
        sandbox.listing().iter().filter_map(|name| name.strip_prefix("out/charts/")).map(str::to_owned).collect();
    let names: Vec<String> = names.into_iter().filter(|name| name.ends_with(".svg")).collect();
    let page = sandbox.read("out/comparison.html");
    assert_eq!(names.len(), page.matches("<figure>").count(), "a file for each chart of the page");
    for name in ["user-k-anonymity-risk-against-loss.svg", "user-k-anonymity-profile-exposure-level-over-k.svg"] {
        assert!(names.contains(&name.to_owned()), "no {name} in {names:#?}");
        let picture = sandbox.read(&format!("out/charts/{name}"));
        assert!(picture.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""), "{picture}");
        assert_eq!(picture.matches("<svg").count(), picture.matches("</svg>").count());
        assert_eq!(picture.matches(">user-microaggregation:average=aggregate</text>").count(), 1, "{picture}");
    }
    // Drawn again, they are replaced.
    sandbox.write("out/charts/user-k-anonymity-risk-against-loss.svg", "old");
    sandbox.done(&compare);
    assert!(sandbox.read("out/charts/user-k-anonymity-risk-against-loss.svg").starts_with("<svg"));
}

/// A comparison that grew by a k, a method and a seed is the one that would have been made at once.
#[test]
fn a_finished_comparison_is_extended() {
    let sandbox = Sandbox::with_log();
    let base = ["compare", "log.tsv", "--seed", "3"];
    let grown = |more: &[&str]| sandbox.done(&[&base[..], &["--out", "grown"], more].concat());
    grown(&["--methods", "user-microaggregation", "--k", "2"]);
    let first = sandbox.json("grown/comparison.json")["cells"][0].clone();
    grown(&["--methods", "user-microaggregation", "--k", "3"]);
    assert_eq!(sandbox.json("grown/comparison.json")["k"], serde_json::json!([2, 3]));
    grown(&["--methods", "kindred:min-persons=1", "--k", "2"]);
    grown(&["--methods", "user-microaggregation", "--k", "2", "--repeat", "2"]);
    let whole = ["--methods", "user-microaggregation,kindred:min-persons=1", "--k", "2,3", "--repeat", "2"];
    sandbox.done(&[&base[..], &["--out", "whole"], &whole].concat());
    for file in FILES {
        assert_eq!(sandbox.read(&format!("grown/{file}")), sandbox.read(&format!("whole/{file}")), "{file}");
    }
    let comparison = sandbox.json("grown/comparison.json");
    assert_eq!((&comparison["cells"][0], comparison["cells"].as_array().unwrap().len()), (&first, 8));
    assert_eq!(comparison["pairs"].as_array().unwrap().len(), 4, "both orders for each of two k");
    assert!(!sandbox.path("grown/unfinished").exists());

    // What is not the same comparison is refused, and says what differs.
    let before = FILES.map(|file| sandbox.read(&format!("grown/{file}")));
    let again = [&base[..2], &["--methods", "user-microaggregation", "--k", "4", "--out", "grown"]].concat();
    for (name, flags) in [
        ("seed", &["--seed", "4"][..]),
        ("sample", &["--seed", "3", "--sample", "5"]),
        ("measures", &["--seed", "3", "--measures", "rare-content", "--bad-lines", "skip"]),
    ] {
        let ran = sandbox.snapshot(&format!("compare-refused-extended-{name}"), &[&again[..], flags].concat());
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{name}");
    }
    sandbox.write("log.tsv", LOG.replace("2006-03-05", "2006-03-06"));
    let seeded = [&again[..], &["--seed", "3"]].concat();
    assert_eq!(sandbox.snapshot("compare-refused-extended-file", &seeded).code, 2);
    fs::remove_file(sandbox.path("grown/plan.json")).unwrap();
    assert_eq!(sandbox.snapshot("compare-refused-finished", &seeded).code, 2);
    assert_eq!(FILES.map(|file| sandbox.read(&format!("grown/{file}"))), before);
}

#[test]
fn folders_in_which_no_comparison_goes_on() {
    let sandbox = Sandbox::with_log();
    let compare = ["compare", "log.tsv", "--out", "out", "--methods", "user-microaggregation", "--k", "2..3"];
    fs::create_dir_all(sandbox.path("out/unfinished")).unwrap();
    for (name, plan) in [
        ("another-version", "{\"format\": 1, \"throng\": \"0.0.1\", \"from\": \"long ago\"}"),
        ("damaged", "{\"format\": 1, \"thro"),
    ] {
        sandbox.write("out/plan.json", plan);
        let ran = sandbox.snapshot(&format!("compare-refused-{name}"), &compare);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{name}");
        assert_eq!(sandbox.read("out/plan.json"), plan);
    }
    fs::remove_file(sandbox.path("out/plan.json")).unwrap();
    sandbox.snapshot("compare-refused-exists", &compare);
}
