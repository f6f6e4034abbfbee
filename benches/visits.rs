//! How long access logs take: `cargo bench --bench visits`.
//!
//! The program itself, all in (reading, `kindred` with k = 5, writing, its own check, the default measures), on made-up logs of 10 thousand and 60 thousand
//! visitors, beside a reference run in the same session: read the file, group its lines by address and agent, and write them again, in one thread
//! and with nothing understood. So the ratio means the same on any machine.
//!
//! `THRONG_BENCH_MOST` is the greatest number of visitors.

#![allow(clippy::print_stdout)]

#[allow(dead_code, reason = "the other benchmarks use more of it")]
mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use support::{HEAD, asked_for, machine, run, text, thousands};

const THRONG: &str = env!("CARGO_BIN_EXE_throng");

/// Visitors, and days that give them about 17 lines each.
const SIZES: [(u64, &str); 2] = [(10_000, "14"), (60_000, "30")];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["reference", from, to] => reference(from, to),
        _ if asked_for() => bench(),
        _ => println!("visits: run it with cargo bench --bench visits"),
    }
}

/// Reads a log, groups its lines by the first word and what stands between the last quotes, and writes them.
fn reference(from: &str, to: &str) {
    let log = fs::read_to_string(from).expect("the made-up log");
    let mut groups: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for line in log.lines() {
        let address = line.split(' ').next().unwrap_or_default();
        let agent = line.rsplit('"').nth(1).unwrap_or_default();
        groups.entry((address, agent)).or_default().push(line);
    }
    let mut out = String::with_capacity(log.len());
    for line in groups.values().flatten() {
        out.push_str(line);
        out.push('\n');
    }
    fs::write(to, out).expect("a new file");
}

fn bench() {
    let most = std::env::var("THRONG_BENCH_MOST").ok().and_then(|most| most.parse().ok()).unwrap_or(60_000);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let this = std::env::current_exe().expect("the path of the benchmark");
    println!("{}\n", machine());
    print!("{HEAD}");
    for (persons, days) in SIZES.into_iter().filter(|&(persons, _)| persons <= most) {
        let log = folder.path().join(format!("{persons}.log"));
        let number = persons.to_string();
        let synth = [
            "synth",
            "visits",
            "--persons",
            &number,
            "--site",
            "irregular",
            "--days",
            days,
            "--seed",
            "1",
            "--quiet",
            "--out",
        ];
        run(THRONG, &[&synth[..], &[text(&log)]].concat(), &[0]);
        let what = format!("{} visitors, {} lines", thousands(persons), thousands(lines(&log)));
        let regrouped = folder.path().join("regrouped.log");
        let plain = run(&this, &["reference", text(&log), text(&regrouped)], &[0]);
        println!("| read, group, rewrite | {what} | {} | |", plain.cells());
        let release = folder.path().join(format!("release-{persons}"));
        let protect = ["protect", text(&log), "--k", "5", "--seed", "1", "--quiet", "--out", text(&release)];
        let cost = run(THRONG, &protect, &[0]);
        let ratio = cost.cpu.zip(plain.cpu).map_or(String::new(), |(own, plain)| format!("{:.0}", own / plain));
        println!("| `kindred`, in all | {what} | {} | {ratio} |", cost.cells());
    }
}

fn lines(file: &Path) -> u64 {
    fs::read(file).expect("the made-up log").iter().filter(|byte| **byte == b'\n').count() as u64
}
