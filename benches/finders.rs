//! How long finders look at a line, against reading it: `cargo bench --bench finders`.
//!
//! Makes up a search log, reads it into memory, and lets all finders look at it, in the same run, three times in turn on one thread; the
//! best of each counts. Two ways: each different query and URL once, as `protect`, `inspect` and `audit` do; and the query and the URL of
//! every line, as if nothing were known of the lines before. `THRONG_BENCH_PERSONS` is another number of persons.

#![allow(clippy::print_stdout)]

#[allow(dead_code, reason = "the other benchmarks use more of it")]
mod support;

use std::hint::black_box;
use std::path::Path;

use support::{asked_for, cpu, machine, run, text, thousands};
use throng::io::{Location, ReadOptions, read_log};
use throng_core::finders::{COUNT, Scratch};
use throng_core::progress::Silent;

const THRONG: &str = env!("CARGO_BIN_EXE_throng");

fn main() {
    if !asked_for() {
        println!("finders: run it with cargo bench --bench finders");
        return;
    }
    let threads = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    threads.install(bench);
}

fn bench() {
    let persons = std::env::var("THRONG_BENCH_PERSONS").unwrap_or_else(|_| "20000".into());
    let folder = tempfile::tempdir().expect("a temporary folder");
    let log = folder.path().join("log.tsv");
    run(THRONG, &["synth", "queries", "--persons", &persons, "--seed", "1", "--quiet", "--out", text(&log)], &[0]);
    let finders = throng::content::finders([true; COUNT]).expect("the embedded names");
    let (mut best_read, mut best_once, mut best_look) = (f64::MAX, f64::MAX, f64::MAX);
    let (mut hits_in_all, mut lines) = (0u64, 0u64);
    for _ in 0..3 {
        let start = cpu();
        let read = read(&log);
        best_read = best_read.min(cpu() - start);
        // The texts of lines, as a file has them.
        let texts: Vec<(&str, &str)> = (0..read.persons())
            .flat_map(|person| read.lines(person))
            .map(|line| (read.queries().get(line.query), line.url.map_or("", |url| read.urls().get(url))))
            .collect();
        let (mut scratch, mut hits) = (Scratch::default(), Vec::new());
        let (start, mut all) = (cpu(), 0);
        for (query, url) in &texts {
            for text in [query, url] {
                finders.find(text, &mut scratch, &mut hits);
                all += black_box(&hits).len() as u64;
            }
        }
        best_look = best_look.min(cpu() - start);
        let start = cpu();
        for text in read.queries().iter().chain(read.urls().iter()) {
            finders.find(text, &mut scratch, &mut hits);
            black_box(&hits);
        }
        best_once = best_once.min(cpu() - start);
        (hits_in_all, lines) = (all, texts.len() as u64);
    }
    let nanoseconds = |seconds: f64| seconds * 1e9 / lines as f64;
    println!("{}\n", machine());
    println!("{} lines, {} hits", thousands(lines), thousands(hits_in_all));
    println!("| what | ns a line | ratio |\n| --- | --- | --- |");
    for (what, seconds) in [
        ("reading", best_read),
        ("all finders, each different text once", best_once),
        ("all finders, every line", best_look),
    ] {
        println!("| {what} | {:.0} | {:.2} |", nanoseconds(seconds), seconds / best_read);
    }
}

fn read(path: &Path) -> throng_core::data::QueryLog {
    read_log(&Location::File(path.to_owned()), &ReadOptions::default(), &Silent).expect("a made-up log").log
}
