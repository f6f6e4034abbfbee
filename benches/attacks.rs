//! How long attacks take: `cargo bench --bench attacks`.
//!
//! First inside `protect`, on 1,000 made-up persons with 50 thousand lines: the same run with and without `--no-attacks`. Then `throng attack`
//! by itself with p = 1 to 5, on a release of 65,000 persons and on the unprotected file; the reference is to read the same file
//! (`throng inspect`), so that the ratio means the same on any machine. `THRONG_BENCH_MOST` is the number of persons. Last, the search for
//! accounts that are alike, by itself, in the same log in memory, beside reading it there; `THRONG_BENCH_ALIKE=1` runs nothing else.

#![allow(clippy::print_stdout)]

mod support;

use std::path::Path;
use std::time::Instant;

use support::{Cost, HEAD, asked_for, cpu, machine, most_memory, run, text, thousands};
use throng::io::{Location, ReadOptions, read_log};
use throng_core::data::Clusters;
use throng_core::progress::Silent;

const THRONG: &str = env!("CARGO_BIN_EXE_throng");

fn main() {
    if !asked_for() {
        println!("attacks: run it with cargo bench --bench attacks");
        return;
    }
    let most: u64 = std::env::var("THRONG_BENCH_MOST").ok().and_then(|most| most.parse().ok()).unwrap_or(65_000);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let place = |name: &str| folder.path().join(name);
    let synth = |persons: &str, lines: &str, file: &str| {
        let fixed =
            ["synth", "queries", "--seed", "1", "--quiet", "--persons", persons, "--mean-lines", lines, "--out"];
        run(THRONG, &[&fixed[..], &[text(&place(file))]].concat(), &[0])
    };
    println!("{}\n", machine());
    print!("{HEAD}");
    if std::env::var_os("THRONG_BENCH_ALIKE").is_some() {
        synth(&most.to_string(), "55.7", "large.tsv");
        return alike(&place("large.tsv"));
    }
    synth("1000", "50", "small.tsv");
    let protect = |name: &str, flags: &[&str]| -> Cost {
        let once = |time: usize| {
            let out = place(&format!("{name}-{time}"));
            let fixed =
                ["protect", text(&place("small.tsv")), "--k", "5", "--seed", "1", "--quiet", "--out", text(&out)]
                    .map(str::to_owned);
            let all: Vec<&str> = fixed.iter().map(String::as_str).chain(flags.iter().copied()).collect();
            run(THRONG, &all, &[0])
        };
        once(1).best(once(2))
    };
    let without = protect("without", &["--no-attacks"]);
    let with = protect("with", &[]);
    let size = "1,000 persons, 50 thousand lines";
    println!("| `protect --no-attacks` | {size} | {} | |", without.cells());
    let extra =
        with.cpu.zip(without.cpu).map_or("?".to_owned(), |(with, without)| format!("+{:.2} CPU s", with - without));
    println!("| `protect` with its attacks | {size} | {} | {extra} |", with.cells());

    let persons = most.to_string();
    synth(&persons, "55", "large.tsv");
    let (large, release, key) = (place("large.tsv"), place("release"), place("key.csv"));
    let flags =
        ["--method", "user-microaggregation", "--seed", "1", "--quiet", "--no-attacks", "--measure", "query-frequency"];
    let files = ["protect", text(&large), "--k", "5", "--out", text(&release), "--key", text(&key)];
    run(THRONG, &[&files[..], &flags[..]].concat(), &[0]);
    let reading = run(THRONG, &["inspect", text(&large), "--quiet"], &[0]);
    let size = format!("{} persons", thousands(most));
    println!("| `inspect`, for reference | {size} | {} | 1 |", reading.cells());
    let ratio =
        |cost: &Cost| cost.cpu.zip(reading.cpu).map_or("?".to_owned(), |(own, other)| format!("{:.1}", own / other));
    for (what, release, more) in [
        ("`attack`, a release, p = 1..5", text(&release), &["--key", text(&key)][..]),
        ("`attack`, the file itself, p = 1..5", text(&large), &[]),
        ("`attack`, the file itself, with times", text(&large), &["--with", "times"]),
    ] {
        let attack = ["attack", text(&large), release, "--quiet"];
        let cost = run(THRONG, &[&attack[..], more].concat(), &[0]);
        println!("| {what} | {size} | {} | {} |", cost.cells(), ratio(&cost));
    }
    alike(&large);
}

/// Reads a log, and looks for accounts that are alike in it.
fn alike(path: &Path) {
    let timed = |start: (Instant, f64)| Cost {
        wall: start.0.elapsed().as_secs_f64(),
        cpu: Some(cpu() - start.1),
        memory: most_memory(),
    };
    let start = (Instant::now(), cpu());
    let log = read_log(&Location::File(path.to_owned()), &ReadOptions::default(), &Silent).expect("a made-up log").log;
    let reading = timed(start);
    let start = (Instant::now(), cpu());
    let clusters = Clusters::alike(&log);
    let looking = timed(start);
    let lines: u64 = (0..log.persons()).map(|person| log.range(person).len() as u64).sum();
    let size = format!("{} lines", thousands(lines));
    println!("| reading into memory, for reference | {size} | {} | 1 |", reading.cells());
    let ratio = looking.cpu.zip(reading.cpu).map_or("?".to_owned(), |(own, other)| format!("{:.1}", own / other));
    println!(
        "| alike accounts ({} found) | {size} | {} | {ratio} |",
        thousands(clusters.accounts_alike() as u64),
        looking.cells()
    );
}
