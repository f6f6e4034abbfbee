//! Detectors that learn, against what they must reach: `cargo bench --bench detect`.
//!
//! Files: the programs and libraries of this machine that are dynamically linked and at most 1.5 MB, copied beside each other; positive are those that
//! link the C++ library. What training on them costs (three passes: buckets, candidates, counts) for each n, Table 1 of the paper, and ten
//! days of acquisition by every strategy.

#![allow(clippy::print_stdout)]

#[allow(dead_code, reason = "the other benchmarks use more of it")]
mod support;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;
use support::{HEAD, asked_for, machine, run, text};

const THRONG: &str = env!("CARGO_BIN_EXE_throng");
/// Where programs are.
const PLACES: [&str; 4] = ["/usr/bin", "/usr/sbin", "/usr/lib", "/usr/libexec"];
/// Longer ones would be most of all bytes.
const LARGEST: u64 = 1_500_000;
const SHORTEST: u64 = 8_000;
/// What a program says of the library that makes it positive.
const CPP: &[u8] = b"libstdc++.so";

fn main() {
    if !asked_for() {
        println!("detect: run it with cargo bench --bench detect");
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    println!("{}\n", machine());
    files(folder.path());
}

fn files(folder: &Path) {
    let [positive, negative] = ["positive", "negative"].map(|name| folder.join(name));
    let (found, bytes) = programs(&positive, &negative);
    println!("{found} programs, {:.0} MB\n", bytes as f64 / 1e6);
    if found < 500 {
        println!("too few programs on this machine");
        return;
    }
    let base = ["--positive", text(&positive), "--negative", text(&negative), "--detector", "files", "--quiet"];
    print!("{HEAD}");
    for n in ["3", "4", "5", "6"] {
        let out = folder.join("model.json");
        let cost = run(THRONG, &[&["detect", "train", "--n", n, "--out", text(&out)], &base[..]].concat(), &[0]);
        let size = bytes as f64 / 1e6;
        println!("| train, {n}-grams | {size:.0} MB | {} | {:.0} MB/s |", cost.cells(), size / cost.wall);
    }
    let evaluated = |more: &[&str]| -> Value {
        let arguments = [&["detect", "evaluate", "--json"], &base[..], more].concat();
        let output = std::process::Command::new(THRONG).args(arguments).output().expect("throng runs");
        serde_json::from_slice(&output.stdout).expect("JSON")
    };
    println!("\n| kernel | accuracy | FP | FN |\n| --- | --- | --- | --- |");
    for one in evaluated(&["--table", "1"])["kernels"].as_array().into_iter().flatten() {
        println!(
            "| {} | {} | {} | {} |",
            one["kernel"].as_str().unwrap_or_default(),
            shown(&one["accuracy"]),
            shown(&one["false_positive_rate"]),
            shown(&one["false_negative_rate"])
        );
    }
    println!(
        "\n| strategy | start | day 10 | recall | acquired | positives acquired |\n| --- | --- | --- | --- | --- | --- |"
    );
    let daily = ((found * 4 / 5).saturating_sub(110) / 10).to_string();
    let days = evaluated(&["--days", "10", "--daily", &daily, "--budget", "15"]);
    for one in days["strategies"].as_array().into_iter().flatten() {
        println!(
            "| {} | {} | {} | {} | {} | {} |",
            one["strategy"].as_str().unwrap_or_default(),
            shown(&one["initial_accuracy"]),
            shown(&one["final_accuracy"]),
            shown(&one["final_recall"]),
            one["acquired"],
            one["acquired_malicious"]
        );
    }
}

fn shown(value: &Value) -> String {
    value.as_f64().map_or_else(|| "-".to_owned(), |value| format!("{value:.3}"))
}

/// Copies the programs of this machine into two folders, each once; gives how many and how many bytes.
fn programs(positive: &Path, negative: &Path) -> (usize, u64) {
    [positive, negative].iter().for_each(|folder| std::fs::create_dir_all(folder).expect("a folder"));
    let mut left: Vec<PathBuf> = PLACES.iter().map(PathBuf::from).collect();
    let (mut seen, mut bytes) = (BTreeSet::new(), 0);
    while let Some(path) = left.pop() {
        let Ok(metadata) = path.symlink_metadata() else { continue };
        if metadata.is_dir() {
            left.extend(std::fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
        }
        if !metadata.is_file() || !(SHORTEST..=LARGEST).contains(&metadata.len()) {
            continue;
        }
        let Ok(program) = std::fs::read(&path) else { continue };
        let has = |what: &[u8]| program.windows(what.len()).any(|window| window == what);
        // An ELF file with a dynamic section names the libraries that it links.
        if !program.starts_with(b"\x7fELF") || !has(b".so.") || !seen.insert(program.clone()) {
            continue;
        }
        let folder = if has(CPP) { positive } else { negative };
        std::fs::write(folder.join(seen.len().to_string()), &program).expect("room for a copy");
        bytes += program.len() as u64;
    }
    (seen.len(), bytes)
}
