//! Documents through every command.

use std::fs;

use serde_json::json;

use crate::support::Sandbox;

/// Documents on three topics, in a folder for each.
fn texts(sandbox: &Sandbox) {
    let topics = [
        ("animals", ["cat", "dog", "horse", "lion", "tiger", "monkey"]),
        ("plants", ["oak", "elm", "rose", "tulip", "fern", "moss"]),
        ("tools", ["hammer", "saw", "drill", "chisel", "wrench", "pliers"]),
    ];
    for (topic, nouns) in topics {
        fs::create_dir_all(sandbox.path(&format!("texts/{topic}"))).unwrap();
        for at in 0..6 {
            let (first, second, third) = (nouns[at], nouns[(at + 1) % 6], nouns[(at + 3) % 6]);
            let text = format!("The {first}s and a {second}, and the {first} of SECRETname{at} by the {third}.\n");
            sandbox.write(&format!("texts/{topic}/SECRET{at}.txt"), text);
        }
    }
    sandbox.write("texts/notes.doc", "no document");
}

#[test]
fn documents_protect_check_measure_inspect() {
    let sandbox = Sandbox::new();
    texts(&sandbox);
    sandbox.snapshot("documents-inspect", &["inspect", "texts"]);
    let protect = ["protect", "texts", "--out", "out", "--k", "3", "--seed", "5", "--key", "key.csv"];
    let shown = ["--measure", "sum-of-squares,classification-kept"];
    sandbox.snapshot("documents-protect", &[&protect[..], &shown].concat());
    sandbox.snapshot("documents-check-release", &["check", "out"]);
    let fails = ["check", "texts", "--model", "record-k-anonymity", "--k", "2"];
    assert!(!sandbox.snapshot("documents-check-fails", &fails).stdout.contains("SECRET"));
    sandbox.snapshot("documents-measure", &["measure", "texts", "out", "--key", "key.csv"]);
    sandbox.snapshot("documents-measure-without-key", &["measure", "texts", "out"]);
    sandbox.snapshot("documents-inspect-release", &["inspect", "out"]);
    let certificate = sandbox.json("out/certificate.json");
    assert_eq!(certificate["input"], json!({"kind": "documents", "persons": 18, "rows": 55}));
    assert_eq!(certificate["output"]["columns"], json!({"id": "id", "terms": "terms"}));
    for file in ["out/certificate.json", "out/report.json", "out/report.html", "out/data.jsonl"] {
        let text = sandbox.read(file);
        assert!(!text.contains("SECRET") && !text.contains("animals") && !text.contains(".txt"), "{file}");
    }
    assert_eq!(sandbox.read("out/data.jsonl").lines().count(), 18);
    let csv = ["protect", "texts", "--out", "csv", "--k", "3", "--seed", "5", "--format", "csv", "--json"];
    assert_eq!(sandbox.done(&csv).json()["certificate"]["output"]["file"], "data.csv");
    assert!(sandbox.read("csv/data.csv").starts_with("id,term,weight\n"));
    assert_eq!(sandbox.done(&["check", "csv", "--json"]).json()["verdict"], "holds");
}

#[test]
fn documents_that_are_refused() {
    let sandbox = Sandbox::new();
    texts(&sandbox);
    fs::create_dir(sandbox.path("empty")).unwrap();
    sandbox.snapshot("documents-refused-empty-folder", &["inspect", "empty"]);
    sandbox.write("texts/animals/scan.pdf", "%PDF-1.4\nSECRET");
    sandbox.snapshot("documents-refused-damaged-pdf", &["inspect", "texts"]);
    sandbox.snapshot("documents-damaged-pdf-skipped", &["inspect", "texts", "--bad-lines", "skip"]);
    sandbox.write("d.jsonl", "{\"id\":1,\"text\":\"cat SECRET\"}\n{\"id\":1,\"text\":\"dog\"}\n");
    sandbox.snapshot("documents-refused-label-missing", &["inspect", "d.jsonl", "--column", "label=topic"]);
    sandbox.snapshot("documents-refused-two-of-one-id", &["inspect", "d.jsonl"]);
    sandbox.snapshot("documents-refused-few", &["protect", "d.jsonl", "--out", "out", "--bad-lines", "skip"]);
    sandbox.snapshot("documents-refused-kind", &["inspect", "texts", "--kind", "baskets"]);
    sandbox.snapshot("documents-refused-format", &["protect", "d.jsonl", "--out", "out", "--format", "fimi"]);
}

#[test]
fn documents_made_up() {
    let sandbox = Sandbox::new();
    sandbox.snapshot("documents-synth", &["synth", "documents", "--persons", "30", "--seed", "3", "--out", "d.jsonl"]);
    sandbox.done(&["synth", "documents", "--persons", "30", "--seed", "3", "--out", "folder"]);
    let (file, folder) =
        (sandbox.done(&["inspect", "d.jsonl", "--json"]), sandbox.done(&["inspect", "folder", "--json"]));
    let (file, folder) = (file.json(), folder.json());
    for key in ["persons", "rows", "words", "distinct_terms", "labels", "lengths"] {
        assert_eq!(file[key], folder[key], "{key}");
    }
    sandbox.snapshot("documents-synth-refused", &["synth", "documents", "--out", "d.doc"]);
}
