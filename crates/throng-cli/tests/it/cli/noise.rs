//! Noise in tables through every command: how it is added, what it leaves to guess, and what it still teaches.

use serde_json::{Value, json};

use crate::support::Sandbox;

const ROLES: [&str; 3] = ["--column", "quasi=age,hours,sex", "sensitive=income"];

fn sandbox(persons: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let synth = ["synth", "table", "--shape", "census", "--persons", persons, "--seed", "3", "--out", "census.csv"];
    assert_eq!(sandbox.run(&synth).code, 0);
    sandbox
}

fn protect(sandbox: &Sandbox, more: &[&str]) -> crate::support::Ran {
    let first =
        ["protect", "census.csv", "--out", "out", "--seed", "4", "--key", "key.csv", "--noise-file", "noise.json"];
    sandbox.run(&[&first[..], more, &ROLES].concat())
}

/// Tables 1 and 2 of the paper: ages, and what they became; the ranks are 2, 2, 1, 2.
#[test]
fn the_papers_own_table() {
    let sandbox = Sandbox::new();
    sandbox.write("original.csv", "name,age,procedure\nAlice,19,a\nBob,15,b\nChris,52,c\nDiana,25,d\n");
    sandbox.write("release.csv", "age,procedure\n23.1,a\n19.4,b\n49.3,c\n21.1,d\n");
    sandbox.write("key.csv", "person,pseudonym,group\n1,1,1\n2,2,2\n3,3,3\n4,4,4\n");
    let noise = json!({"format": 1, "scale": "raw", "real": [{"column": "age", "mean": 0.0, "deviation": 1.0}],
        "categorical": [], "variances": [[16.0]], "flips": []});
    sandbox.write("noise.json", noise.to_string());
    let roles = ["--column", "quasi=age", "sensitive=procedure", "--key", "key.csv", "--json"];
    let attack = ["attack", "original.csv", "release.csv", "--attack", "guessing"];
    for noise in [&["--noise-file", "noise.json"][..], &[]] {
        let ran = sandbox.run(&[&attack[..], &roles, noise].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let found = ran.json()["attacks"][0].clone();
        assert_eq!((&found["attempts"], &found["hits"], &found["baseline"]), (&json!(4), &json!(1.0), &json!(0.25)));
        assert_eq!((&found["parts"]["mean_rank"], &found["parts"]["median_rank"]), (&json!(1.75), &json!(2.0)));
        assert_eq!(found["verdict"], "none");
    }
    let measure =
        ["measure", "original.csv", "release.csv", "--measure", "guessing-bound", "--noise-file", "noise.json"];
    let ran = sandbox.run(&[&measure[..], &roles].concat());
    let ages: [f64; 4] = [19.0, 15.0, 52.0, 25.0];
    let pairs = ages.iter().flat_map(|one| ages.iter().map(move |other| (-(one - other).powi(2) / 128.0).exp()));
    let bound = pairs.sum::<f64>() / (4.0 * (1.0 + 4f64.ln()));
    let value = ran.json()["measures"][0]["value"].as_f64().unwrap();
    assert!((value - bound).abs() < 1e-12, "{value} {bound}");
}

#[test]
fn noise_is_added_checked_and_guessed() {
    let sandbox = sandbox("120");
    let ran = protect(&sandbox, &["--method", "guessing-noise", "--distortion", "0.5", "--noise", "record", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let certificate = sandbox.json("out/certificate.json");
    let claim = &certificate["claims"][0];
    assert_eq!((&claim["model"], &claim["needs"]), (&json!("guessing-anonymity"), &json!("noise-file")));
    assert_eq!(certificate["claims"].as_array().unwrap().len(), 1);
    assert_eq!((&certificate["noise"]["rows"], &certificate["noise"]["sample"]), (&json!(120), &json!(120)));
    assert!((certificate["noise"]["distortion"].as_f64().unwrap() - 0.5).abs() < 1e-6);
    let noise = sandbox.json("noise.json");
    let keys: Vec<&String> = noise.as_object().unwrap().keys().collect();
    let mut expected = ["format", "scale", "real", "categorical", "variances", "flips"];
    expected.sort_unstable();
    let mut sorted: Vec<&str> = keys.iter().map(|key| key.as_str()).collect();
    sorted.sort_unstable();
    assert_eq!(sorted, expected);
    assert_eq!((noise["variances"].as_array().unwrap().len(), noise["flips"].as_array().unwrap().len()), (120, 1));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(sandbox.path("noise.json")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    // Nothing of it is in the release.
    for file in ["out/certificate.json", "out/report.json", "out/report.html"] {
        let text = sandbox.read(file);
        let deviation = noise["real"][0]["deviation"].to_string();
        assert!(!text.contains(&deviation) && !text.contains("\"variances\""), "{file}");
    }

    let check = ["check", "out", "--original", "census.csv", "--noise-file", "noise.json", "--json"];
    let by_key = sandbox.run(&[&check[..], &["--key", "key.csv"]].concat());
    assert_eq!(by_key.code, 0, "{}", by_key.stderr);
    let achieved = by_key.json()["achieved"].clone();
    assert_eq!(achieved, claim["achieved"]);
    assert!(achieved["f"].as_f64() >= claim["parameters"]["f"].as_f64() && achieved["ranks"] == "key");
    let expected = sandbox.run(&check).json()["achieved"].clone();
    assert_eq!((&expected["ranks"], &expected["f"]), (&json!("expected"), &achieved["f"]));
    // Without its inputs a claim is not checked, and nothing fails.
    for some in [&["check", "out"][..], &["check", "out", "--original", "census.csv"]] {
        let ran = sandbox.run(&[some, &["--json"]].concat());
        assert_eq!((ran.code, &ran.json()["verdict"]), (3, &json!("partly")), "{}", ran.stderr);
    }
    let asked = sandbox.run(&["check", "out", "--model", "guessing-anonymity:f=1"]);
    assert!(asked.code == 2 && asked.stderr.contains("--noise-file"), "{}", asked.stderr);
    let more = sandbox.run(&[&check[..], &["--model", "guessing-anonymity:f=100000"]].concat());
    assert_eq!((more.code, &more.json()["verdict"]), (1, &json!("fails")));

    let pair = ["census.csv", "out", "--key", "key.csv", "--noise-file", "noise.json", "--json"];
    let attacked = sandbox.run(&[&["attack"][..], &pair, &["--attack", "guessing"]].concat()).json();
    let guessing = &attacked["attacks"][0];
    assert_eq!((&guessing["attempts"], &guessing["knowledge"]["noise"]), (&json!(120), &json!(true)));
    let near = |one: &Value, other: &Value| (one.as_f64().unwrap() - other.as_f64().unwrap()).abs() < 1e-9;
    assert!(
        near(&guessing["parts"]["mean_rank"], &achieved["mean_rank"])
            && near(&guessing["rate"], &achieved["guessed_first"])
    );
    let measured = sandbox.run(&[&["measure"][..], &pair, &["--measure", "guessing-bound"]].concat()).json();
    assert!(near(&measured["measures"][0]["value"], &achieved["f"]));
}

#[test]
fn the_rival_gives_every_row_its_own() {
    let sandbox = sandbox("60");
    let roles = ["--column", "quasi=age,hours", "sensitive=income"];
    let first = ["protect", "census.csv", "--out", "out", "--seed", "4", "--noise-file", "noise.json"];
    let ran = sandbox.run(&[&first[..], &["--method", "probabilistic-noise", "--k", "3"], &roles].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(sandbox.json("noise.json")["variances"].as_array().unwrap().len(), 60);
    let check = ["check", "out", "--original", "census.csv", "--noise-file", "noise.json"];
    assert_eq!(sandbox.run(&check).code, 0);
    // By a column, which is not published.
    let lines = sandbox.read("census.csv");
    let wish =
        |(at, line): (usize, &str)| if at == 0 { format!("{line},want\n") } else { format!("{line},{}.5\n", at % 3) };
    sandbox.write("wishes.csv", lines.lines().enumerate().map(wish).collect::<String>());
    let wishes = ["protect", "wishes.csv", "--out", "own", "--method", "probabilistic-noise", "--k-column", "want"];
    let ran = sandbox.run(&[&wishes[..], &roles].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(sandbox.read("own/data.csv").starts_with("age,hours,income\n"));
}

#[test]
fn what_is_still_learnt() {
    let sandbox = sandbox("300");
    assert_eq!(protect(&sandbox, &["--method", "guessing-noise", "--distortion", "0.1"]).code, 0);
    let measure = [
        "measure",
        "census.csv",
        "out",
        "--key",
        "key.csv",
        "--json",
        "--measure",
        "classification-kept,regression-kept",
    ];
    let found = sandbox.run(&[&measure[..], &["--target", "income"]].concat());
    assert_eq!(found.code, 0, "{}", found.stderr);
    let document = found.json();
    for measured in document["measures"].as_array().unwrap() {
        for part in ["before", "after", "on_originals"] {
            assert!(measured["parts"][part].is_f64(), "{measured}");
        }
    }
    let skipped = sandbox.run(&measure).json()["skipped"].clone();
    assert!(skipped[0]["reason"].as_str().unwrap().contains("--target"), "{skipped}");
    let unknown = sandbox.run(&[&measure[..], &["--target", "incme"]].concat());
    assert!(unknown.code == 2 && unknown.stderr.contains("income"), "{}", unknown.stderr);
}

#[test]
fn the_papers_evaluation_on_ones_own_data() {
    let sandbox = sandbox("90");
    let compare = ["compare", "census.csv", "--out", "study", "--study", "guessing", "--seed", "1"];
    let ran = sandbox.run(&[&compare[..], &["--target", "income"], &ROLES].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let heads = [
        ("table-5", "method,objective,unprotected,mean_guesses,mean_variance,records"),
        ("figure-6", "distortion,bound,original"),
        ("figure-7", "distortion,accuracy,original,on_originals"),
        ("figure-8", "distortion,correlation,original,on_originals"),
    ];
    for (name, head) in heads {
        let text = sandbox.read(&format!("study/{name}.csv"));
        assert_eq!(text.lines().next(), Some(head), "{name}");
        assert!(text.lines().count() > 4 && sandbox.read(&format!("study/{name}.svg")).starts_with("<svg"), "{name}");
    }
    let without = sandbox.run(&[&compare[..3], &["other", "--study", "guessing"], &ROLES].concat());
    assert!(without.code == 2 && without.stderr.contains("--target"), "{}", without.stderr);
    let unknown =
        sandbox.run(&[&compare[..3], &["other", "--study", "gessing", "--target", "income"], &ROLES].concat());
    assert!(unknown.code == 2 && unknown.stderr.contains("guessing"), "{}", unknown.stderr);
    assert!(!sandbox.path("other").exists());
}

#[test]
fn what_is_wrong_is_said() {
    let sandbox = sandbox("40");
    let noise = ["--method", "guessing-noise"];
    let refused = |said: &str, args: &[&str]| {
        let ran = sandbox.run(args);
        assert!(ran.code == 2 && ran.stderr.contains(said), "{said}: {}", ran.stderr);
        assert!(!sandbox.path("out").exists() && !sandbox.path("noise.json").exists(), "{said}");
    };
    let protect = |more: &[&'static str]| [&["protect", "census.csv", "--out", "out"], more, &ROLES].concat();
    refused("inside the release folder", &protect(&[&noise[..], &["--noise-file", "out/noise.json"]].concat()));
    refused("`distortion` is 0", &protect(&[&noise[..], &["--distortion", "0"]].concat()));
    refused("`k` asks for a crowd", &protect(&[&noise[..], &["--k", "5"]].concat()));
    refused("`noise-file` names a place", &protect(&["--method", "mondrian", "--noise-file", "noise.json"]));
    refused("has texts", &protect(&["--method", "probabilistic-noise"]));
    let own = protect(&[&noise[..], &["--noise-file", "noise.json", "--key", "key.csv"]].concat());
    assert_eq!(sandbox.run(&own).code, 0);
    // A file of another original, one that is none, and one that is damaged.
    let other = ["synth", "table", "--shape", "census", "--persons", "40", "--seed", "9", "--out", "other.csv"];
    assert_eq!(sandbox.run(&other).code, 0);
    let check =
        |original: &'static str, file: &'static str| ["check", "out", "--original", original, "--noise-file", file];
    let judged = |said: &str, args: [&str; 6]| {
        let ran = sandbox.run(&args);
        assert!(ran.code == 2 && ran.stderr.contains(said), "{said}: {}", ran.stderr);
    };
    judged("of another original", check("other.csv", "noise.json"));
    sandbox.write("none.json", "{\"format\": 1}");
    judged("is no noise file", check("census.csv", "none.json"));
    let mut damaged = sandbox.json("noise.json");
    damaged["flips"] = json!([2.0]);
    sandbox.write("damaged.json", damaged.to_string());
    judged("a flip is no probability", check("census.csv", "damaged.json"));
}
