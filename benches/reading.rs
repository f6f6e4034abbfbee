//! How long reading takes, against a bare copy of the same file: `cargo bench --bench reading`.
//!
//! Makes up an AOL file of 650,000 persons (36 million lines, 2.4 GB), then, in the same run and twice in turn: copies it,
//! inspects it, copies it through the reader and the writer of the library, and checks it. Each is a process of its own.
//! The file is in the page cache from the first, so what is measured is not the disk.
//!
//! The bare copy is `std::io::copy` through a buffer of 1 MiB, not a memory-mapped copy: mapping a file needs `unsafe`,
//! which this workspace forbids. It is kept from copying inside the kernel, where some file systems copy nothing at all.
//!
//! `THRONG_BENCH_DIR` is a folder to work in, where the file is kept and found again; else a temporary one.
//! `THRONG_BENCH_PERSONS` is another number of persons. The folder needs room for the file twice.

#![allow(clippy::print_stdout)]

#[path = "support/rewrite.rs"]
mod rewrite;
mod support;

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write as _};
use std::path::{Path, PathBuf};

use support::{Cost, HEAD, asked_for, machine, run, text, thousands};

const THRONG: &str = env!("CARGO_BIN_EXE_throng");

/// The persons of the real file.
const PERSONS: &str = "650000";

fn main() {
    // The copies are processes of their own, this program with other arguments, so that they are measured like the rest.
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["bare-copy", from, to] => bare_copy(from, to),
        ["throng-copy", from, to] => rewrite::rewrite(from, to),
        _ if asked_for() => bench(),
        _ => println!("reading: run it with cargo bench --bench reading"),
    }
}

fn bare_copy(from: &str, to: &str) {
    let mut from = File::open(from).expect("the made-up file");
    let mut to = BufWriter::with_capacity(1 << 20, File::create_new(to).expect("a new file"));
    // What is behind a `dyn` is unknown to the library, which would else ask the kernel to copy.
    let from: &mut dyn Read = &mut from;
    io::copy(from, &mut to).and_then(|_| to.flush()).expect("room for a copy");
}

fn bench() {
    let persons = std::env::var("THRONG_BENCH_PERSONS").unwrap_or_else(|_| PERSONS.into());
    let own = std::env::var_os("THRONG_BENCH_DIR").map(PathBuf::from);
    let folder = match &own {
        Some(folder) => tempfile::tempdir_in(folder).expect("THRONG_BENCH_DIR is a folder to write in"),
        None => tempfile::tempdir().expect("a temporary folder"),
    };
    let name = if persons == PERSONS { "aol.tsv".into() } else { format!("aol-{persons}.tsv") };
    let log = own.as_deref().unwrap_or(folder.path()).join(name);
    if !log.exists() {
        run(THRONG, &["synth", "queries", "--persons", &persons, "--seed", "1", "--quiet", "--out", text(&log)], &[0]);
    }
    let lines = count_lines(&log);
    let bytes = fs::metadata(&log).expect("the made-up file").len();

    let this = std::env::current_exe().expect("the path of the benchmark");
    let copied = folder.path().join("copy.tsv");
    let copy = |how: &str| {
        let cost = run(&this, &[how, text(&log), text(&copied)], &[0]);
        assert_eq!(fs::metadata(&copied).expect("a copy").len(), bytes, "the {how} has another length");
        fs::remove_file(&copied).expect("remove the copy");
        cost
    };
    let round = || {
        [
            copy("bare-copy"),
            run(THRONG, &["inspect", text(&log), "--json", "--quiet"], &[0]),
            copy("throng-copy"),
            // The original is not anonymous: 1 is the right answer.
            run(THRONG, &["check", text(&log), "--model", "user-k-anonymity", "--quiet"], &[0, 1]),
        ]
    };
    let (first, second) = (round(), round());
    let best: Vec<Cost> = first.iter().zip(second).map(|(first, second)| first.best(second)).collect();

    let size = format!("{} lines, {:.2} GB", thousands(lines), bytes as f64 / 1e9);
    println!("{}\n", machine());
    print!("{HEAD}");
    for (what, cost) in ["bare copy", "`inspect`", "read and write", "`check`"].iter().zip(&best) {
        println!("| {what} | {size} | {} | {:.1} |", cost.cells(), cost.wall / best[0].wall);
    }
    println!();
    println!("Target: at most 4 times, below 3 GB. Each is the better of two runs; the ratio is of wall times.");
    println!("The bare copy is std::io::copy through a buffer of 1 MiB, not a memory-mapped one.");
}

/// Counts the lines, and brings the file into the page cache.
fn count_lines(path: &Path) -> u64 {
    let mut file = File::open(path).expect("the made-up file");
    let mut buffer = vec![0; 1 << 20];
    let mut lines = 0;
    loop {
        let count = file.read(&mut buffer).expect("the made-up file");
        if count == 0 {
            return lines;
        }
        lines += buffer[..count].iter().filter(|&&byte| byte == b'\n').count() as u64;
    }
}
