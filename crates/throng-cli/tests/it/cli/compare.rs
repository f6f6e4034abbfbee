//! `throng compare`: what it refuses, and days held out.

use std::fs;

use crate::support::{BASKETS, LOG, Sandbox};

#[test]
fn comparisons_that_are_refused() {
    let sandbox = Sandbox::with_log();
    sandbox.write("baskets.dat", BASKETS);
    let before = sandbox.listing();
    let base = ["compare", "log.tsv", "--out", "out"];
    let methods = ["--methods", "user-microaggregation"];
    let cases: [(&str, &[&str]); 17] = [
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
    sandbox.done(&["synth", "queries", "--persons", "60", "--mean-lines", "20", "--seed", "2", "--out", "log.tsv"]);
    let methods = ["--methods", "user-microaggregation,kindred:min-persons=1", "--k", "3,30"];
    sandbox
        .snapshot("compare-held-out", &[&["compare", "log.tsv", "--held-out", "--out", "out"], &methods[..]].concat());
    let comparison = sandbox.json("out/comparison.json");
    let [build, score, left_out] =
        ["build_rows", "score_rows", "persons_left_out"].map(|key| comparison["held_out"][key].as_u64().unwrap());
    let log = sandbox.read("log.tsv");
    assert_eq!(comparison["input"]["rows"], build + score);
    assert_eq!(comparison["input"]["persons"], 60 - left_out);
    assert!(left_out > 0 && build + score < log.lines().count() as u64 - 1, "{left_out}");
    let csv = sandbox.read("out/comparison.csv");
    assert!(
        csv.starts_with("method,k,persons_dropped,build_rows,score_rows,persons_left_out,interests-kept,"),
        "{csv}"
    );
    assert!(csv.contains(&format!(",0,{build},{score},{left_out},")), "{csv}");
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
    let measure = ["--key", "key.csv", "--measure", "interests-kept,held-out-linkage", "--k", "5", "--json"];
    let measured = sandbox.done(&[&["measure", "odd.tsv", "release", "--force"], &measure[..]].concat()).json();
    assert_eq!(measured["measures"], comparison["cells"][0]["measures"]);

    let sandbox = Sandbox::new();
    sandbox.write("one-day-each.tsv", LOG.replace("2006-03-05", "2006-03-04"));
    let nobody = ["compare", "one-day-each.tsv", "--held-out", "--out", "out"];
    assert_eq!(sandbox.snapshot("compare-refused-held-out-nobody", &[&nobody[..], &methods].concat()).code, 2);
}

#[test]
fn folders_in_which_no_comparison_goes_on() {
    let sandbox = Sandbox::with_log();
    let compare = ["compare", "log.tsv", "--out", "out", "--methods", "user-microaggregation", "--k", "2..3"];
    sandbox.done(&compare);
    sandbox.snapshot("compare-refused-finished", &compare);
    fs::remove_dir_all(sandbox.path("out")).unwrap();
    fs::create_dir_all(sandbox.path("out/unfinished")).unwrap();
    for (name, plan) in [
        ("another-version", "{\"format\": 1, \"throng\": \"0.0.1\", \"from\": \"long ago\"}"),
        ("damaged", "{\"format\": 1, \"thro"),
    ] {
        sandbox.write("out/unfinished/plan.json", plan);
        let ran = sandbox.snapshot(&format!("compare-refused-{name}"), &compare);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{name}");
        assert_eq!(sandbox.read("out/unfinished/plan.json"), plan);
    }
    fs::remove_dir_all(sandbox.path("out/unfinished")).unwrap();
    sandbox.snapshot("compare-refused-exists", &compare);
}
