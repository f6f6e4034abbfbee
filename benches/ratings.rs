//! Ratings against what they must reach: `cargo bench --bench ratings`.
//!
//! Of several made-up sets of ratings, each of another shape: how exposed people are in the file and in releases by `kindred` and
//! `rating-microaggregation` with k 5 and 10 (`scoreboard`, 8 ratings known), and by how much a third party is worse who predicts a held-out fifth
//! from the release, without the person's own group, than from the original (`compare --held-out`). Then what predicting, detecting and
//! protecting cost, and the experiment of the paper on attacks (`shill measure --paper`); `THRONG_BENCH_MOST` is the number of persons of the last rows (162,000 are 25 million ratings), 20,000 if it
//! is not given.

#![allow(clippy::print_stdout)]

#[allow(dead_code, reason = "the other benchmarks use more of it")]
mod support;

use std::path::Path;

use serde_json::Value;
use support::{HEAD, asked_for, machine, run, text, thousands};

const THRONG: &str = env!("CARGO_BIN_EXE_throng");

/// Persons, items, ratings a person, whether there are half stars, and the seed.
const SHAPES: [(u64, u64, u64, bool, u64); 4] =
    [(943, 1682, 106, false, 1), (943, 1682, 106, false, 2), (1000, 800, 60, true, 3), (1500, 3000, 150, false, 4)];

fn main() {
    if !asked_for() {
        println!("ratings: run it with cargo bench --bench ratings");
        return;
    }
    let most: u64 = std::env::var("THRONG_BENCH_MOST").ok().and_then(|most| most.parse().ok()).unwrap_or(20_000);
    let folder = tempfile::tempdir().expect("a temporary folder");
    println!("{}\n", machine());
    println!(
        "| data | method | k | right | right record | in the file itself | held-out error | against the original's |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    for (number, &(persons, items, mean, halves, seed)) in SHAPES.iter().enumerate() {
        let file = folder.path().join(format!("{number}.csv"));
        synth(&file, persons, items, mean, halves, seed);
        kept(folder.path(), number, &file, persons);
    }
    println!();
    print!("{HEAD}");
    experiment(folder.path());
    costs(folder.path(), most);
}

fn synth(file: &Path, persons: u64, items: u64, mean: u64, halves: bool, seed: u64) {
    let [persons, items, mean, seed] = [persons, items, mean, seed].map(|number| number.to_string());
    let fixed =
        ["synth", "ratings", "--persons", &persons, "--items", &items, "--mean-ratings", &mean, "--seed", &seed];
    let more: &[&str] = if halves { &["--half-stars"] } else { &[] };
    run(THRONG, &[&fixed[..], more, &["--quiet", "--out", text(file)]].concat(), &[0]);
}

/// What releases give away and keep.
fn kept(folder: &Path, number: usize, file: &Path, persons: u64) {
    let [plain, held_out] = ["plain", "held-out"].map(|name| folder.join(format!("{number}-{name}")));
    let base =
        ["compare", text(file), "--methods", "kindred,rating-microaggregation", "--k", "5,10", "--quiet", "--out"];
    run(THRONG, &[&base[..], &[text(&plain)]].concat(), &[0]);
    run(THRONG, &[&base[..], &[text(&held_out), "--held-out"]].concat(), &[0]);
    let read = |folder: &Path| -> Value {
        let text = std::fs::read_to_string(folder.join("comparison.json")).expect("a comparison");
        serde_json::from_str(&text).expect("JSON")
    };
    let own =
        json_of(&["attack", text(file), text(file), "--attack", "scoreboard", "--known", "8", "--json", "--quiet"]);
    let before = own["attacks"][0]["rate"].as_f64().unwrap_or(f64::NAN);
    let (plain, held_out) = (read(&plain), read(&held_out));
    for (cell, judged) in cells(&plain).iter().zip(cells(&held_out)) {
        let rate = cell["attacks"].as_array().into_iter().flatten().find(|one| one["label"] == "scoreboard-8");
        let error = &judged["measures"][0];
        println!(
            "| {} persons, set {} | `{}` | {} | {:.1} % | {:.1} % | {:.0} % | {:.4} | {:+.2} % |",
            thousands(persons),
            number + 1,
            cell["method"].as_str().unwrap_or_default(),
            cell["k"],
            100.0 * rate.and_then(|one| one["rate"].as_f64()).unwrap_or(f64::NAN),
            100.0 * rate.and_then(|one| one["found"].as_f64()).unwrap_or(f64::NAN),
            100.0 * before,
            error["value"].as_f64().unwrap_or(f64::NAN),
            100.0 * error["parts"]["increase"].as_f64().unwrap_or(f64::NAN),
        );
    }
}

fn cells(comparison: &Value) -> Vec<Value> {
    comparison["cells"].as_array().cloned().unwrap_or_default()
}

/// What a command prints.
fn json_of(arguments: &[&str]) -> Value {
    let out = std::process::Command::new(THRONG).args(arguments).output().expect("throng runs");
    serde_json::from_slice(&out.stdout).expect("JSON")
}

/// The experiment of the paper: 8 attacks, 5 sizes, 2 recommenders, 20 targets.
fn experiment(folder: &Path) {
    let [file, about, out] = ["paper.csv", "movies.csv", "paper"].map(|name| folder.join(name));
    let made = ["synth", "ratings", "--persons", "943", "--items", "1682", "--mean-ratings", "106", "--seed", "1"];
    run(THRONG, &[&made[..], &["--quiet", "--out", text(&file), "--items-file", text(&about)]].concat(), &[0]);
    let paper = ["shill", "measure", text(&file), "--items", text(&about), "--paper", "--quiet", "--out", text(&out)];
    println!("| `shill measure --paper` | 943 persons | {} | |", run(THRONG, &paper, &[0]).cells());
}

/// What commands cost.
fn costs(folder: &Path, most: u64) {
    let large = folder.join("large.csv");
    synth(&large, most, most * 59_000 / 162_000, 154, true, 1);
    let reading = run(THRONG, &["inspect", text(&large), "--quiet"], &[0]);
    let size = format!("{} persons", thousands(most));
    println!("| `inspect`, with its attack, for reference | {size} | {} | 1 |", reading.cells());
    let ratio = |cost: &support::Cost| {
        cost.cpu.zip(reading.cpu).map_or("?".to_owned(), |(own, other)| format!("{:.1}", own / other))
    };
    let pairs = folder.join("pairs.csv");
    first_lines(&large, 10_000, &pairs);
    let out = folder.join("release");
    for (what, arguments) in [
        (
            "10,000 predictions, `user-pearson`",
            vec!["recommend", "predict", text(&large), "--pairs", text(&pairs), "--recommender", "user-pearson"],
        ),
        ("`detect score`, `crowd-fit`", vec!["detect", "score", text(&large)]),
        (
            "`protect`, `kindred`, k = 5, all in",
            vec!["protect", text(&large), "--k", "5", "--seed", "1", "--out", text(&out)],
        ),
    ] {
        let cost = run(THRONG, &[&arguments[..], &["--quiet"]].concat(), &[0]);
        println!("| {what} | {size} | {} | {} |", cost.cells(), ratio(&cost));
    }
}

/// The header and the first rows of a file.
fn first_lines(file: &Path, rows: usize, into: &Path) {
    let text = std::fs::read_to_string(file).expect("made-up ratings");
    let lines: Vec<&str> = text.lines().take(rows + 1).collect();
    std::fs::write(into, lines.join("\n") + "\n").expect("a file of pairs");
}
