//! How time and memory grow with the number of persons: `cargo bench --bench scale`.
//!
//! For 1,000, 10,000, 65,000 and 650,000 made-up persons, and for each kind of data: the reference reads the file, groups its lines by
//! person and writes them again; then `protect` with the default measures, its own check included, in a process of its own. The ratio
//! is in CPU time, so that it holds on any machine. The growth exponent is the slope between a size and the one before: 1 is in
//! proportion to the data. For query logs the loss of blocks is set against the exact method on the smallest log.
//!
//! `THRONG_BENCH_DIR` is a folder to work in, where made-up files are kept and found again; else a temporary one.
//! `THRONG_BENCH_MOST` is the greatest number of persons. The folder needs 10 GB for the largest log.

#![allow(clippy::print_stdout)]

#[path = "support/rewrite.rs"]
mod rewrite;
mod support;

use std::fs;
use std::path::{Path, PathBuf};

use support::{Cost, HEAD, asked_for, machine, run, text, thousands};

const THRONG: &str = env!("CARGO_BIN_EXE_throng");

const SIZES: [u64; 4] = [1_000, 10_000, 65_000, 650_000];

/// A kind of data, a method, and the greatest number of persons it is run with.
struct Series {
    what: &'static str,
    synth: &'static str,
    file: &'static str,
    flags: &'static [&'static str],
    most: u64,
}

const SERIES: [Series; 4] = [
    Series {
        what: "`user-microaggregation`, k = 5",
        synth: "queries",
        file: "queries.tsv",
        flags: &["--method", "user-microaggregation", "--k", "5"],
        most: 650_000,
    },
    Series {
        what: "`kindred`, k = 5",
        synth: "queries",
        file: "queries.tsv",
        flags: &["--method", "kindred", "--k", "5"],
        most: 650_000,
    },
    Series {
        what: "`flock`, k = 5",
        synth: "baskets",
        file: "baskets.txt",
        flags: &["--kind", "baskets", "--method", "flock", "--k", "5", "--taxonomy", "wordnet"],
        most: 650_000,
    },
    Series {
        what: "`semantic-microaggregation`, k = 3",
        synth: "queries",
        file: "queries.tsv",
        flags: &["--method", "semantic-microaggregation", "--k", "3"],
        most: 65_000,
    },
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["rewrite", from, to] => rewrite::rewrite(from, to),
        _ if asked_for() => bench(),
        _ => println!("scale: run it with cargo bench --bench scale"),
    }
}

fn bench() {
    let most: u64 = std::env::var("THRONG_BENCH_MOST").ok().and_then(|most| most.parse().ok()).unwrap_or(u64::MAX);
    let own = std::env::var_os("THRONG_BENCH_DIR").map(PathBuf::from);
    let folder = match &own {
        Some(folder) => tempfile::tempdir_in(folder).expect("THRONG_BENCH_DIR is a folder to write in"),
        None => tempfile::tempdir().expect("a temporary folder"),
    };
    let files = own.as_deref().unwrap_or(folder.path());
    println!("{}\n", machine());
    print!("{}", HEAD.replace("ratio", "× rewriting | growth").replace("| --- |\n", "| --- | --- |\n"));
    for series in &SERIES {
        let mut before: Option<(u64, f64)> = None;
        for persons in SIZES.into_iter().filter(|&persons| persons <= most.min(series.most)) {
            let file = made_up(files, series, persons);
            let reference = (series.synth == "queries").then(|| cost_of_rewriting(&file, folder.path()));
            let release = folder.path().join("release");
            let mut arguments = vec!["protect", text(&file), "--out", text(&release), "--seed", "1", "--quiet"];
            arguments.extend(series.flags);
            let cost = run(THRONG, &arguments, &[0]);
            fs::remove_dir_all(&release).expect("remove the release");
            let ratio = reference.and_then(|reference| Some(format!("{:.0}", cost.cpu? / reference.cpu?)));
            let growth = before.zip(cost.cpu).map(|((persons_before, cpu_before), cpu)| {
                (cpu / cpu_before).ln() / (persons as f64 / persons_before as f64).ln()
            });
            println!(
                "| {} | {} persons | {} | {} | {} |",
                series.what,
                thousands(persons),
                cost.cells(),
                ratio.unwrap_or_default(),
                growth.map_or(String::new(), |growth| format!("{growth:.2}")),
            );
            before = cost.cpu.map(|cpu| (persons, cpu));
        }
    }
    losses(&made_up(files, &SERIES[0], SIZES[0]), folder.path());
}

/// The made-up file of a series with so many persons.
fn made_up(folder: &Path, series: &Series, persons: u64) -> PathBuf {
    let file = folder.join(format!("{persons}-{}", series.file));
    if !file.exists() {
        let persons = persons.to_string();
        run(
            THRONG,
            &["synth", series.synth, "--persons", &persons, "--seed", "1", "--quiet", "--out", text(&file)],
            &[0],
        );
    }
    file
}

fn cost_of_rewriting(file: &Path, folder: &Path) -> Cost {
    let this = std::env::current_exe().expect("the path of the benchmark");
    let copy = folder.join("copy.tsv");
    let once = || {
        let cost = run(&this, &["rewrite", text(file), text(&copy)], &[0]);
        fs::remove_file(&copy).expect("remove the copy");
        cost
    };
    once().best(once())
}

/// The loss L of the exact method, of the whole with refinement, and of blocks, on one log.
fn losses(log: &Path, folder: &Path) {
    println!("\n| loss L on {} | exact | refined | blocks |", log.file_name().unwrap_or_default().display());
    println!("| --- | --- | --- | --- |");
    for k in ["3", "5", "10"] {
        let loss = |flags: &[&str]| {
            let release = folder.join("release");
            let mut arguments = vec!["protect", text(log), "--out", text(&release), "--seed", "1", "--quiet"];
            arguments.extend(["--k", k, "--method", "user-microaggregation", "--measure", "sum-of-squares"]);
            arguments.extend(flags);
            run(THRONG, &arguments, &[0]);
            let report = fs::read(release.join("report.json")).expect("a report");
            fs::remove_dir_all(&release).expect("remove the release");
            let report: serde_json::Value = serde_json::from_slice(&report).expect("JSON");
            report["measures"][0]["value"].as_f64().expect("a loss")
        };
        let (exact, refined, blocks) = (loss(&["--exact"]), loss(&[]), loss(&["--block-size", "64"]));
        println!("| k = {k} | {exact:.2} | {refined:.2} | {blocks:.2} |");
    }
}
