//! `throng detect` on labelled tables: models that learn, judge, are reviewed and set side by side.

use crate::support::Sandbox;

/// Rows of which the slow ones on port 80 are bad.
fn table(rows: u32, seed: u32) -> String {
    let mut text = String::from("time,port,size,label\n");
    for row in 0..rows {
        let draw = (row * 7_919 + seed * 104_729) % 1_009;
        let (size, port) = (draw % 100, if draw.is_multiple_of(3) { "80" } else { "other" });
        let label = if size > 60 && port == "80" { "bad" } else { "fine" };
        text.push_str(&format!("{row},{port},{},{label}\n", size * 10 + row % 7));
    }
    text.replace("other", "web")
}

fn trained() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("train.csv", table(300, 1));
    sandbox.write("test.csv", table(200, 2));
    sandbox
}

const LABEL: [&str; 4] = ["--label", "label", "--positive-label", "bad"];

fn train(sandbox: &Sandbox, detector: &str, more: &[&str]) -> serde_json::Value {
    let out = format!("{detector}.json");
    let fixed = ["detect", "train", "train.csv", "--detector", detector, "--out", &out, "--json"];
    sandbox.done(&[&fixed[..], &LABEL, more].concat()).json()
}

fn model(sandbox: &Sandbox, name: &str) -> serde_json::Value {
    serde_json::from_slice(&std::fs::read(sandbox.path(name)).unwrap()).unwrap()
}

#[test]
fn help_of_learning() {
    let sandbox = Sandbox::new();
    for command in ["train", "review"] {
        sandbox.snapshot(&format!("help-detect-{command}"), &["detect", command, "--help"]);
    }
    for detector in ["svm", "association-rules", "classification-rules", "neural-network"] {
        sandbox.snapshot(&format!("explain-{detector}"), &["explain", detector]);
    }
}

#[test]
fn a_machine_is_learnt_and_scores_what_it_learnt_from() {
    let sandbox = trained();
    let said = train(&sandbox, "svm", &["--kernel", "rbf", "--gamma", "0.2", "--tolerance", "1e-6"]);
    assert_eq!((said["detector"].as_str(), said["rows"].as_u64()), (Some("svm"), Some(300)));
    let file = model(&sandbox, "svm.json");
    assert_eq!(file["format"], 1);
    assert_eq!(file["kernel"], serde_json::json!({"name": "rbf", "gamma": 0.2, "degree": null}));
    assert_eq!(file["features"], serde_json::json!(["time", "port=80", "port=web", "size"]));
    assert_eq!((file["cost"].as_f64(), file["tolerance"].as_f64()), (Some(100.0), Some(1e-6)));
    let number = |value: &serde_json::Value| value.as_f64().unwrap();
    let list = |value: &serde_json::Value| value.as_array().unwrap().iter().map(number).collect::<Vec<f64>>();
    let support: Vec<Vec<f64>> = file["support"].as_array().unwrap().iter().map(list).collect();
    let (coefficients, rho) = (list(&file["coefficients"]), number(&file["rho"]));
    assert!(coefficients.iter().sum::<f64>().abs() < 1e-6);
    let (mean, deviation) = (list(&file["scale"]["mean"]), list(&file["scale"]["deviation"]));
    // The score of the first row, from the model file alone: 0,web or 80,size.
    let text = std::fs::read_to_string(sandbox.path("train.csv")).unwrap();
    let found = sandbox.done(&["detect", "score", "train.csv", "--model", "svm.json", "--json"]).json();
    assert_eq!((found["detector"].as_str(), found["scored"].as_u64()), (Some("svm"), Some(300)));
    for (row, line) in text.lines().skip(1).enumerate().take(20) {
        let cells: Vec<&str> = line.split(',').collect();
        let is = |port: &str| f64::from(u8::from(cells[1] == port));
        let raw = [cells[0].parse().unwrap(), is("80"), is("web"), cells[2].parse::<f64>().unwrap()];
        let scaled: Vec<f64> = (0..4).map(|at| (raw[at] - mean[at]) / deviation[at]).collect();
        let kernel =
            |one: &[f64]| (-0.2 * one.iter().zip(&scaled).map(|(one, other)| (one - other).powi(2)).sum::<f64>()).exp();
        let score = support.iter().zip(&coefficients).map(|(one, weight)| weight * kernel(one)).sum::<f64>() - rho;
        let said = &found["scores"][row];
        assert_eq!(said["line"], row as u64 + 2);
        assert!((number(&said["score"]) - score).abs() < 1e-9);
        assert_eq!(said["flag"], score > 0.0);
    }
    // The same bytes for any threads, and without the label the same scores.
    train_as(&sandbox, "again.json", &["--threads", "1"]);
    train_as(&sandbox, "twice.json", &["--threads", "3"]);
    let bytes = |name: &str| std::fs::read(sandbox.path(name)).unwrap();
    assert_eq!(bytes("again.json"), bytes("twice.json"));
    let cut: String = text.lines().map(|line| format!("{}\n", line.rsplit_once(',').unwrap().0)).collect();
    sandbox.write("cut.csv", cut);
    let unlabelled = sandbox.done(&["detect", "score", "cut.csv", "--model", "svm.json", "--json"]).json();
    assert_eq!(unlabelled["scores"], found["scores"]);
    assert_eq!(sandbox.run(&["detect", "score", "cut.csv", "--model", "svm.json", "--alarm"]).code, 1);
    let above = ["detect", "score", "cut.csv", "--model", "svm.json", "--alarm", "--threshold", "1000"];
    assert_eq!(sandbox.run(&above).code, 0);
}

fn train_as(sandbox: &Sandbox, out: &str, more: &[&str]) {
    let fixed = ["detect", "train", "train.csv", "--detector", "svm", "--out", out];
    sandbox.done(&[&fixed[..], &LABEL, more].concat());
}

#[test]
fn models_side_by_side() {
    let sandbox = trained();
    train(&sandbox, "svm", &[]);
    train(&sandbox, "classification-rules", &[]);
    train(&sandbox, "neural-network", &["--hidden", "4"]);
    let models = ["svm.json", "classification-rules.json", "neural-network.json"];
    let found = sandbox.done(&[&["detect", "evaluate"][..], &models, &["test.csv", "--json"]].concat()).json();
    assert_eq!(found["rows"], 200);
    for judged in found["models"].as_array().unwrap() {
        assert!(judged["accuracy"].as_f64().unwrap() > 0.85, "{judged}");
        assert_eq!(judged["families"]["bad"]["recall"], judged["recall"]);
        assert_eq!(judged["known"], 0);
    }
    // Rows of the training table are counted, and refused if that is wished.
    let again = sandbox.done(&["detect", "evaluate", "svm.json", "train.csv", "--json"]).json();
    assert_eq!(again["models"][0]["known"], 300);
    let refused = sandbox.run(&["detect", "evaluate", "svm.json", "train.csv", "--strict"]);
    assert_eq!(refused.code, 2);
}

#[test]
fn rules_are_found_and_reviewed() {
    let sandbox = trained();
    train(&sandbox, "association-rules", &["--support", "0.05", "--confidence", "0.6"]);
    let file = model(&sandbox, "association-rules.json");
    let rules = file["rules"].as_array().unwrap();
    assert!(
        rules.iter().any(|rule| rule["then"] == serde_json::json!({"label": "fine"}) && rule["if"]["port"] == "web")
    );
    let confidence: Vec<f64> = rules.iter().map(|rule| rule["confidence"].as_f64().unwrap()).collect();
    assert!(confidence.is_sorted_by(|one, other| one >= other));
    let review = |out: &str, more: &[&str]| {
        let fixed = ["detect", "review", "association-rules.json", "--out", out, "--json"];
        sandbox.done(&[&fixed[..], more].concat()).json()
    };
    let labels = review("labels.json", &["--template", "* -> label=*"]);
    let kept = model(&sandbox, "labels.json");
    assert_eq!(kept["rules"].as_array().unwrap().len() as u64, labels["rules"].as_u64().unwrap());
    assert!(kept["rules"].as_array().unwrap().iter().all(|rule| rule["then"].get("label").is_some()));
    let fewer = review("fewer.json", &["--redundant"]);
    assert!(fewer["rules"].as_u64() < fewer["before"].as_u64());
    let grouped = review("grouped.json", &["--group", "0.7", "--on", "train.csv"]);
    assert!(grouped["groups"].as_u64() < grouped["rules"].as_u64());
    // The model keeps all rows of so small a table.
    assert_eq!(review("kept.json", &["--group", "0.7"]), grouped);
    assert_eq!(model(&sandbox, "kept.json"), model(&sandbox, "grouped.json"));
    // What a review wrote is a model like any other.
    sandbox.done(&["detect", "score", "test.csv", "--model", "fewer.json"]);
    train(&sandbox, "classification-rules", &[]);
    let rules = model(&sandbox, "classification-rules.json");
    assert!(rules["rules"][0]["if"].as_array().unwrap().len() == 2, "{}", rules["rules"]);
}

#[test]
fn events_that_follow_each_other() {
    let sandbox = trained();
    let more = ["--window", "3s", "--column", "time=time", "event=port", "--support", "0.2"];
    train(&sandbox, "association-rules", &more);
    let file = model(&sandbox, "association-rules.json");
    let episodes = file["episodes"].as_array().unwrap();
    assert!(!episodes.is_empty());
    for episode in episodes {
        let events = episode["events"].as_array().unwrap().len();
        assert!((2..=3).contains(&events) && episode["support"].as_f64().unwrap() >= 0.2, "{episode}");
    }
    sandbox.done(&["detect", "score", "test.csv", "--model", "association-rules.json"]);
}

#[test]
fn made_up_connections_are_read_with_and_without_a_header() {
    let sandbox = Sandbox::new();
    let made =
        sandbox.done(&["synth", "connections", "--rows", "3000", "--seed", "4", "--out", "c.csv", "--json"]).json();
    assert_eq!((made["rows"].as_u64(), made["attacks"].as_u64()), (Some(3000), Some(300)));
    let text = std::fs::read_to_string(sandbox.path("c.csv")).unwrap();
    let (header, rows) = text.split_once('\n').unwrap();
    assert_eq!(header.split(',').count(), 42);
    let bare: String = rows.lines().map(|line| format!("{line}.\n")).collect();
    sandbox.write("kddcup.data", &bare);
    let by_header =
        ["detect", "train", "c.csv", "--detector", "classification-rules", "--label", "label", "--out", "a.json"];
    sandbox.done(&by_header);
    sandbox.done(&["detect", "train", "kddcup.data", "--detector", "classification-rules", "--out", "b.json"]);
    assert_eq!(model(&sandbox, "a.json")["rules"], model(&sandbox, "b.json")["rules"]);
    let found = sandbox.done(&["detect", "evaluate", "a.json", "kddcup.data", "--json"]).json();
    for family in ["dos", "probe", "r2l", "u2r"] {
        assert!(found["models"][0]["families"][family]["recall"].as_f64().unwrap() > 0.5, "{found}");
    }
    sandbox.snapshot("synth-connections", &["synth", "connections", "--rows", "200", "--out", "few.csv"]);
    sandbox.snapshot("synth-connections-none", &["synth", "connections", "--rows", "0", "--out", "none.csv"]);
    sandbox.snapshot("synth-connections-parquet", &["synth", "connections", "--rows", "9", "--out", "none.parquet"]);
}

#[test]
fn what_cannot_be_learnt_or_scored() {
    let sandbox = trained();
    train(&sandbox, "svm", &[]);
    let text = std::fs::read_to_string(sandbox.path("train.csv")).unwrap();
    let refuse = |name: &str, input: &str, more: &[&str]| {
        let fixed = ["detect", "train", input, "--detector", "svm", "--out", "none.json"];
        sandbox.snapshot(&format!("detect-train-{name}"), &[&fixed[..], more].concat());
        assert!(!sandbox.path("none.json").exists());
    };
    refuse("no-label", "train.csv", &[]);
    refuse("wrong-label", "train.csv", &["--label", "labels", "--positive-label", "bad"]);
    refuse("no-such-value", "train.csv", &["--label", "label", "--positive-label", "worse"]);
    refuse("tolerance", "train.csv", &["--label", "label", "--positive-label", "bad", "--tolerance", "0"]);
    refuse("no-table", "nothing.csv", &LABEL);
    sandbox.write("nan.csv", text.replacen("\n3,", "\nNaN,", 1));
    refuse("nan", "nan.csv", &LABEL);
    sandbox.write("one.csv", text.replace(",fine", ",bad"));
    refuse("one-class", "one.csv", &LABEL);
    sandbox.write("constant.csv", "a,label\n1,bad\n1,fine\n1,bad\n");
    refuse("constant", "constant.csv", &LABEL);
    sandbox.write("empty.csv", "a,label\n");
    refuse("empty", "empty.csv", &LABEL);
    let score = |name: &str, input: &str, model: &str| {
        sandbox.snapshot(&format!("detect-model-{name}"), &["detect", "score", input, "--model", model]);
    };
    sandbox.write("missing.csv", "time,port,label\n1,80,bad\n");
    score("missing-feature", "missing.csv", "svm.json");
    sandbox.write("new.csv", "time,port,size,more\n1,80,3,4\n");
    score("new-feature", "new.csv", "svm.json");
    let model = std::fs::read_to_string(sandbox.path("svm.json")).unwrap();
    sandbox.write("edited.json", model.replacen("\"rho\":", "\"rho\":1", 1));
    score("edited", "test.csv", "edited.json");
    sandbox.write("version.json", model.replacen("\"format\":1", "\"format\":2", 1));
    score("version", "test.csv", "version.json");
    sandbox.write("other.json", model.replacen("\"detector\":\"svm\"", "\"detector\":\"svn\"", 1));
    score("detector", "test.csv", "other.json");
    score("no-model", "test.csv", "test.csv");
    let existing = [&["detect", "train", "train.csv", "--detector", "svm", "--out", "svm.json"][..], &LABEL].concat();
    sandbox.snapshot("detect-train-exists", &existing);
    sandbox.snapshot("detect-review-nothing", &["detect", "review", "svm.json", "--out", "none.json"]);
    sandbox.snapshot("detect-review-svm", &["detect", "review", "svm.json", "--redundant", "--out", "none.json"]);
    sandbox.snapshot("detect-evaluate-nothing", &["detect", "evaluate", "test.csv"]);
    sandbox.snapshot("detect-evaluate-no-truth", &["detect", "evaluate", "svm.json", "new.csv"]);
}
