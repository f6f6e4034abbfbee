//! `throng detect` on files: training, scoring, acquiring, and the paper's experiments on made-up files.

use std::collections::{BTreeMap, BTreeSet};

use sha2::{Digest as _, Sha256};

use crate::support::Sandbox;

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Made-up programs: a header, words of a small language, and for the positive ones now and then a word of their own.
fn programs(sandbox: &Sandbox, folder: &str, seed: u64, count: usize, is_positive: bool) -> Vec<Vec<u8>> {
    let mut state = seed;
    let mut draw = move |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    std::fs::create_dir_all(sandbox.path(folder)).unwrap();
    let files: Vec<Vec<u8>> = (0..count)
        .map(|_| {
            let mut file = b"\x7fMADE\0\0\0\0\0\0\0\0\0\0".to_vec();
            for _ in 0..120 {
                let word = draw(40);
                let own = if is_positive { draw(8) == 0 } else { draw(60) == 0 };
                if own {
                    file.extend(b"unpack!");
                }
                file.extend([b'a' + (word % 20) as u8, b'a' + (word / 2) as u8, 0, 1, b'x', (word % 7) as u8]);
            }
            file
        })
        .collect();
    for (number, file) in files.iter().enumerate() {
        std::fs::write(sandbox.path(&format!("{folder}/f{number}")), file).unwrap();
    }
    files
}

fn with_programs() -> Sandbox {
    let sandbox = Sandbox::new();
    programs(&sandbox, "bad", 1, 20, true);
    programs(&sandbox, "good", 2, 40, false);
    sandbox
}

const TRAIN: &[&str] =
    &["detect", "train", "--detector", "files", "--positive", "bad", "--negative", "good", "--out", "model.json"];

fn train(sandbox: &Sandbox, more: &[&str]) -> serde_json::Value {
    sandbox.done(&[TRAIN, more, &["--json"]].concat()).json()
}

#[test]
fn lists_and_vectors_are_a_literal_count() {
    let sandbox = with_programs();
    // One that is too short for an n-gram, in the good ones.
    sandbox.write("good/short", b"abc");
    let found =
        train(&sandbox, &["--grams", "grams.csv", "--vectors", "vectors.csv", "--top", "11..210", "--features", "7"]);
    assert_eq!(
        (found["files"].as_u64(), found["positives"].as_u64(), found["short"].as_u64()),
        (Some(61), Some(20), Some(1))
    );
    let mut files = BTreeMap::new();
    for (folder, label) in [("bad", 1), ("good", 0)] {
        for entry in std::fs::read_dir(sandbox.path(folder)).unwrap() {
            let bytes = std::fs::read(entry.unwrap().path()).unwrap();
            files.insert(sha256(&bytes), (bytes, label));
        }
    }
    let mut with: BTreeMap<&[u8], usize> = BTreeMap::new();
    for (bytes, _) in files.values() {
        for gram in bytes.windows(5).collect::<BTreeSet<_>>() {
            *with.entry(gram).or_default() += 1;
        }
    }
    let mut list: Vec<(&[u8], usize)> = with.into_iter().collect();
    list.sort_by_key(|one| std::cmp::Reverse(one.1));
    let hex = |gram: &[u8]| gram.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let mut wanted = "rank,gram,files\n".to_owned();
    for (rank, (gram, count)) in list.iter().enumerate().skip(10).take(200) {
        wanted.push_str(&format!("{},{},{count}\n", rank + 1, hex(gram)));
    }
    assert_eq!(sandbox.read("grams.csv"), wanted);

    let vectors = sandbox.read("vectors.csv");
    let mut lines = vectors.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    assert_eq!((header[0], header[1], header.len()), ("sha256", "label", 9));
    assert_eq!(lines.clone().count(), 61);
    // A word of the positive ones tells them apart best.
    assert!(hex(b"unpack!").contains(header[2]), "{header:?}");
    for (line, (hash, (bytes, label))) in lines.zip(&files) {
        let mut counts: BTreeMap<&[u8], u32> = BTreeMap::new();
        bytes.windows(5).for_each(|gram| *counts.entry(gram).or_default() += 1);
        let greatest = f64::from(counts.values().copied().max().unwrap_or(1));
        let mut wanted = format!("{hash},{label}");
        for &name in &header[2..] {
            let count = counts.iter().find(|(gram, _)| hex(gram) == name).map_or(0, |(_, &count)| count);
            wanted.push_str(&format!(",{}", f64::from(count) / greatest));
        }
        assert_eq!(line, wanted);
    }
}

#[test]
fn a_model_is_the_same_for_any_threads_and_order_and_scores_new_files() {
    let sandbox = with_programs();
    train(&sandbox, &["--represent", "tfidf"]);
    let model = sandbox.read("model.json");
    let json = sandbox.json("model.json");
    let keys: Vec<&str> = json.as_object().unwrap().keys().map(String::as_str).collect();
    for key in [
        "format",
        "detector",
        "kernel",
        "cost",
        "tolerance",
        "scale",
        "features",
        "support",
        "coefficients",
        "rho",
        "objective",
        "trained_on",
        "known",
    ] {
        assert!(keys.contains(&key), "{key} is not in {keys:?}");
    }
    assert_eq!((json["format"].as_u64(), json["detector"].as_str()), (Some(1), Some("files")));
    let known: Vec<&str> = json["known"].as_array().unwrap().iter().map(|hash| hash.as_str().unwrap()).collect();
    assert!(known.is_sorted() && known.len() == 60);
    assert!(!model.contains("bad/") && !model.contains("good/"));

    // Other names, other order, one thread, and a list instead of folders.
    let mut list = "label,path\n".to_owned();
    std::fs::create_dir(sandbox.path("mixed")).unwrap();
    for (folder, label, count) in [("good", "negative", 40), ("bad", "1", 20)] {
        for number in (0..count).rev() {
            let name = format!("z{}{folder}", count - number);
            std::fs::copy(sandbox.path(&format!("{folder}/f{number}")), sandbox.path(&format!("mixed/{name}")))
                .unwrap();
            list.push_str(&format!("{label},{name}\n"));
        }
    }
    sandbox.write("mixed/list.csv", list);
    sandbox.done(&[
        "detect",
        "train",
        "mixed/list.csv",
        "--detector",
        "files",
        "--represent",
        "tfidf",
        "--out",
        "again.json",
        "--threads",
        "1",
    ]);
    assert_eq!(model, sandbox.read("again.json"));

    programs(&sandbox, "new/bad", 3, 10, true);
    programs(&sandbox, "new/good", 4, 10, false);
    let found = sandbox.done(&["detect", "score", "new", "--model", "model.json", "--json", "--show-values"]).json();
    assert_eq!((found["detector"].as_str(), found["scored"].as_u64()), (Some("files"), Some(20)));
    let scores = found["scores"].as_array().unwrap();
    let hashes: Vec<&str> = scores.iter().map(|score| score["sha256"].as_str().unwrap()).collect();
    assert!(hashes.is_sorted());
    for score in scores {
        assert_eq!(score["flag"], score["path"].as_str().unwrap().contains("new/bad"), "{score}");
        assert_eq!(score["flag"], score["score"].as_f64().unwrap() > 0.0);
    }
    let hidden = sandbox.done(&["detect", "score", "new", "--model", "model.json", "--json"]);
    assert!(!hidden.stdout.contains("new/"));
    assert_eq!(sandbox.run(&["detect", "score", "new", "--model", "model.json", "--alarm"]).code, 1);
    let none =
        sandbox.done(&["detect", "score", "new", "--model", "model.json", "--threshold", "1e9", "--json"]).json();
    assert_eq!(none["flagged"], 0);
}

#[test]
fn what_to_look_at_is_nearest_to_the_border_and_never_known() {
    let sandbox = with_programs();
    train(&sandbox, &[]);
    programs(&sandbox, "stream", 5, 30, true);
    // Two known files, and one that comes twice.
    std::fs::copy(sandbox.path("bad/f0"), sandbox.path("stream/k0")).unwrap();
    std::fs::copy(sandbox.path("good/f0"), sandbox.path("stream/k1")).unwrap();
    std::fs::copy(sandbox.path("stream/f0"), sandbox.path("stream/again")).unwrap();
    let acquire = |more: &[&str]| {
        sandbox.done(&[&["detect", "acquire", "stream", "--model", "model.json", "--json"], more].concat()).json()
    };
    let found = acquire(&["--budget", "4"]);
    assert_eq!((found["strategy"].as_str(), found["seen_before"].as_u64()), (Some("simple-margin"), Some(2)));
    let scores = sandbox.done(&["detect", "score", "stream", "--model", "model.json", "--json"]).json();
    let known = sandbox.json("model.json")["known"].clone();
    let mut wanted: Vec<(f64, String)> = scores["scores"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|score| !known.as_array().unwrap().contains(&score["sha256"]))
        .map(|score| (score["score"].as_f64().unwrap(), score["sha256"].as_str().unwrap().to_owned()))
        .collect();
    wanted.sort_by(|left, right| left.0.abs().total_cmp(&right.0.abs()).then(left.1.cmp(&right.1)));
    wanted.dedup();
    assert_eq!(wanted.len(), 30);
    let of = |found: &serde_json::Value| -> Vec<(f64, String)> {
        let acquired = found["acquired"].as_array().unwrap().iter();
        acquired.map(|file| (file["score"].as_f64().unwrap(), file["sha256"].as_str().unwrap().to_owned())).collect()
    };
    assert_eq!(of(&found), wanted[..4]);
    let near: Vec<_> = wanted.iter().filter(|(score, _)| score.abs() < 1.0).cloned().collect();
    assert_eq!(of(&acquire(&["--margin"])), near);
    assert_eq!(of(&acquire(&["--budget", "5", "--diverse"])).len(), 5);

    let random = acquire(&["--budget", "3", "--strategy", "random", "--seed", "8"]);
    assert_eq!(random, acquire(&["--budget", "3", "--strategy", "random", "--seed", "8"]));
    assert_ne!(random, acquire(&["--budget", "3", "--strategy", "random", "--seed", "9"]));

    let again = &["--budget", "2", "--strategy", "error-reduction", "--positive", "bad", "--negative", "good"];
    let reduced = acquire(again);
    assert_eq!(of(&reduced).len(), 2);
    assert_eq!(reduced, acquire(&[again, &["--threads", "1"][..]].concat()));
    let alone = sandbox.run(&[
        "detect",
        "acquire",
        "stream",
        "--model",
        "model.json",
        "--budget",
        "2",
        "--strategy",
        "error-reduction",
    ]);
    assert!(alone.code == 2 && alone.stderr.contains("learns again"), "{}", alone.stderr);
    programs(&sandbox, "others", 6, 5, true);
    let other = sandbox.run(&[
        "detect",
        "acquire",
        "stream",
        "--model",
        "model.json",
        "--budget",
        "2",
        "--strategy",
        "error-reduction",
        "--positive",
        "others",
        "--negative",
        "good",
    ]);
    assert!(other.code == 2 && other.stderr.contains("not the files that the model learnt from"), "{}", other.stderr);
}

#[test]
fn table_1_and_ten_days_are_repeatable() {
    let sandbox = with_programs();
    let evaluate = |more: &[&str]| {
        let all = [
            &[
                "detect",
                "evaluate",
                "--detector",
                "files",
                "--positive",
                "bad",
                "--negative",
                "good",
                "--features",
                "20",
                "--json",
            ],
            more,
        ];
        sandbox.done(&all.concat()).json()
    };
    let table = evaluate(&["--table", "1"]);
    let kernels = table["kernels"].as_array().unwrap();
    let names: Vec<&str> = kernels.iter().map(|one| one["kernel"].as_str().unwrap()).collect();
    assert_eq!(names, ["linear", "poly", "rbf"]);
    for one in kernels {
        let value = |key: &str| one[key].as_f64().unwrap();
        let (fp, fnn) = (value("false_positive_rate") * 40.0, value("false_negative_rate") * 20.0);
        assert!((value("accuracy") - (1.0 - (fp + fnn) / 60.0)).abs() < 1e-12);
        assert!(value("accuracy") > 0.8, "{one}");
    }
    assert_eq!(table, evaluate(&["--table", "1", "--threads", "1"]));

    let days = &["--days", "3", "--daily", "9", "--budget", "3", "--known", "12", "--chart", "days.svg"];
    let found = evaluate(days);
    let strategies = found["strategies"].as_array().unwrap();
    let names: Vec<&str> = strategies.iter().map(|one| one["strategy"].as_str().unwrap()).collect();
    assert_eq!(names, ["simple-margin", "error-reduction", "random", "everything"]);
    for one in strategies {
        let all = one["strategy"] == "everything";
        assert_eq!(one["acquired"].as_f64().unwrap(), if all { 27.0 } else { 9.0 }, "{one}");
        assert_eq!((one["new"].as_f64(), one["stream"].as_f64()), (Some(27.0), Some(36.0)));
        assert_eq!(one["accuracy"].as_array().unwrap().len(), 4);
        assert_eq!(one["initial_accuracy"], strategies[0]["initial_accuracy"]);
        assert_eq!(
            one["recall_new_malicious"].as_f64() == Some(1.0) && one["recall_new_benign"].as_f64() == Some(1.0),
            all
        );
    }
    assert_eq!(found, evaluate(&[&days[..8], &["--threads", "1"]].concat()));
    assert!(sandbox.read("days.svg").contains("simple-margin"));
    let many = sandbox.run(&[
        "detect",
        "evaluate",
        "--detector",
        "files",
        "--positive",
        "bad",
        "--negative",
        "good",
        "--days",
        "3",
        "--daily",
        "90",
        "--budget",
        "3",
    ]);
    assert!(many.code == 2 && many.stderr.contains("would do"), "{}", many.stderr);
}

#[test]
fn bad_input_has_one_clear_error() {
    let sandbox = with_programs();
    let fails = |args: &[&str], words: &[&str]| {
        let ran = sandbox.run(args);
        assert_eq!(ran.code, 2, "{args:?}: {}", ran.stderr);
        for word in words {
            assert!(ran.stderr.contains(word), "`{word}` is not said: {}", ran.stderr);
        }
        assert!(ran.stdout.is_empty());
    };
    let train = |positive: &'static str, negative: &'static str| {
        ["detect", "train", "--detector", "files", "--out", "m.json", "--positive", positive, "--negative", negative]
    };
    std::fs::create_dir(sandbox.path("empty")).unwrap();
    fails(&train("empty", "good"), &["no positive file", "empty"]);
    fails(&train("bad", "empty"), &["no negative file"]);
    fails(&train("bad", "nowhere"), &["nowhere"]);
    std::fs::create_dir(sandbox.path("both")).unwrap();
    std::fs::copy(sandbox.path("bad/f3"), sandbox.path("both/same")).unwrap();
    fails(&train("bad", "both"), &["the same bytes are in both classes", "both/same", "take it out"]);
    fails(
        &["detect", "train", "--detector", "files", "--out", "m.json", "--positive", "bad"],
        &["--positive DIR --negative DIR"],
    );
    fails(&[&train("bad", "good")[..], &["--n", "9"]].concat(), &["3 to 6"]);
    fails(&[&train("bad", "good")[..], &["--top", "5..1"]].concat(), &["--top 1..5500"]);
    fails(&[&train("bad", "good")[..], &["--top", "900001..900002"]].concat(), &["different n-grams"]);
    fails(&[&train("bad", "good")[..], &["--tolerance", "0"]].concat(), &["tolerance"]);
    fails(&[&train("bad", "good")[..], &["--largest", "100"]].concat(), &["more than 100 bytes", "--bad-lines skip"]);
    fails(&[&train("/dev/null", "good")[..]].concat(), &["a device"]);
    sandbox.write("list.csv", "path,label\nbad/f0,evil\n");
    fails(&["detect", "train", "list.csv", "--detector", "files", "--out", "m.json"], &["list.csv:2", "`label`"]);
    assert!(!sandbox.path("m.json").exists());

    let skipped = sandbox.done(&[TRAIN, &["--largest", "840", "--bad-lines", "skip", "--json"]].concat()).json();
    assert_eq!(skipped["skipped"].as_u64().unwrap() + skipped["files"].as_u64().unwrap(), 60);
    assert!(skipped["skipped"].as_u64().unwrap() > 0);

    let model = sandbox.read("model.json");
    let score = ["detect", "score", "good", "--model", "changed.json"];
    // Where something stands, nothing is written.
    fails(TRAIN, &["exists already"]);
    sandbox.write("changed.json", model.replacen("\"rho\":", "\"rho\":1", 1));
    fails(&score, &["changed.json", "changed after it was written"]);
    sandbox.write("changed.json", model.replacen("\"format\":1", "\"format\":2", 1));
    fails(&score, &["the form 2"]);
    sandbox.write("changed.json", model.replacen("\"files\"", "\"twins\"", 1));
    fails(&score, &["twins", "changed.json"]);
    sandbox.write("changed.json", "user,item\n");
    fails(&score, &["no model"]);
}

#[cfg(unix)]
#[test]
fn links_are_counted_and_not_followed() {
    let sandbox = with_programs();
    std::os::unix::fs::symlink("f0", sandbox.path("bad/link")).unwrap();
    std::os::unix::fs::symlink("../good", sandbox.path("bad/folder")).unwrap();
    let found = train(&sandbox, &[]);
    assert_eq!((found["files"].as_u64(), found["links"].as_u64()), (Some(60), Some(2)));
    std::os::unix::fs::symlink("bad", sandbox.path("named")).unwrap();
    let ran = sandbox.run(&["detect", "score", "named", "--model", "model.json"]);
    assert!(ran.code == 2 && ran.stderr.contains("links are not followed"), "{}", ran.stderr);
}
