//! What a release of ratings keeps, from the command line: measures, reports and comparisons.

use serde_json::Value;

use crate::support::Sandbox;

const MEASURES: [&str; 4] = ["prediction-error", "top-n-overlap", "rating-distribution", "ratings-kept"];

fn with_release() -> Sandbox {
    let sandbox = Sandbox::new();
    let made = ["--persons", "120", "--items", "100", "--mean-ratings", "35", "--seed", "3", "--out", "r.csv"];
    sandbox.done(&[&["synth", "ratings"][..], &made].concat());
    sandbox.done(&["protect", "r.csv", "--k", "5", "--out", "release", "--seed", "1", "--key", "key.csv"]);
    sandbox
}

fn measured<'a>(found: &'a Value, name: &str) -> &'a Value {
    found["measures"].as_array().unwrap().iter().find(|one| one["name"] == name).unwrap()
}

fn names(found: &Value) -> Vec<&str> {
    found["measures"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect()
}

#[test]
fn what_a_release_of_ratings_keeps() {
    let sandbox = with_release();
    let found = sandbox.done(&["measure", "r.csv", "release", "--key", "key.csv", "--json"]).json();
    assert_eq!(names(&found), MEASURES);
    let error = measured(&found, "prediction-error");
    let part = |name: &str| error["parts"][name].as_f64().unwrap();
    assert!((part("increase") - (error["value"].as_f64().unwrap() / part("original") - 1.0)).abs() < 1e-12);
    assert!(part("bias") > 0.5 && part("item_mean") > part("original") && part("undefined") < 0.2, "{error}");
    assert!(measured(&found, "ratings-kept")["parts"]["difference"].as_f64().unwrap() < 1.0);
    // The same in the report, with three digits.
    let report: Value = serde_json::from_str(&sandbox.read("release/report.json")).unwrap();
    assert_eq!(names(&report), MEASURES);
    let round = |value: &Value| (value.as_f64().unwrap() * 100.0).round();
    assert_eq!(round(&measured(&report, "prediction-error")["value"]), round(&error["value"]));
    assert!(
        sandbox
            .read("release/report.html")
            .contains("Whoever predicts what people would like from the release is off by")
    );
    // Without a key nobody's own group is left out, and one measure cannot be.
    let ran = sandbox.done(&["measure", "r.csv", "release"]);
    assert!(
        ran.stdout.contains("own group of a person was not left out") && ran.stdout.contains("ratings-kept"),
        "{}",
        ran.stdout
    );
    let unlinked = sandbox.done(&["measure", "r.csv", "release", "--json"]).json();
    let own = measured(&unlinked, "prediction-error");
    assert!(own["value"].as_f64() < error["value"].as_f64() && own["parts"]["note"].is_string(), "{own}");
    assert_eq!(unlinked["skipped"][0]["name"], "ratings-kept");
    // A file keeps all of itself.
    let itself = sandbox.done(&["measure", "r.csv", "r.csv", "--json"]).json();
    let values: Vec<f64> =
        MEASURES[1..].iter().map(|name| measured(&itself, name)["value"].as_f64().unwrap()).collect();
    assert_eq!(values, [1.0, 0.0, 1.0]);
    assert_eq!(measured(&itself, "prediction-error")["parts"]["increase"], 0.0);
}

#[test]
fn methods_for_ratings_are_compared_on_what_they_have_not_seen() {
    let sandbox = with_release();
    let base = ["compare", "r.csv", "--methods", "kindred,rating-microaggregation", "--k", "3,6", "--json"];
    let found = sandbox.done(&[&base[..], &["--out", "plain"]].concat()).json();
    let cell = &found["cells"][0];
    assert_eq!(names(cell), MEASURES);
    let labels: Vec<&str> =
        cell["attacks"].as_array().unwrap().iter().map(|one| one["label"].as_str().unwrap()).collect();
    assert_eq!(labels, ["scoreboard-2", "scoreboard-4", "scoreboard-8", "scoreboard-16"]);
    let found = sandbox.done(&[&base[..], &["--held-out", "--out", "held-out"]].concat()).json();
    let held_out = &found["held_out"];
    let [built, scored] = ["build_rows", "score_rows"].map(|name| held_out[name].as_u64().unwrap());
    let rows = sandbox.read("r.csv").lines().count() as u64 - 1;
    assert_eq!((built + scored, held_out["what"].as_str()), (rows, Some("fifths")));
    assert!(scored * 9 < rows * 2 && scored * 11 > rows * 2);
    for cell in found["cells"].as_array().unwrap() {
        assert_eq!(names(cell), ["prediction-error"]);
        assert_eq!(measured(cell, "prediction-error")["parts"]["ratings"], scored);
    }
    assert!(sandbox.read("held-out/comparison.html").contains("four fifths of what every person has"));
    let ran = sandbox.run(&[&base[..], &["--held-out", "--measures", "ratings-kept", "--out", "other"]].concat());
    assert!(ran.code == 2 && ran.stderr.contains("does not judge what was held out"), "{}", ran.stderr);
}
