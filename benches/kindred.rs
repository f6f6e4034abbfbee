//! How long `kindred` takes: `cargo bench --bench kindred`.
//!
//! First the program itself, with its default measures and its own check, on 1,000 made-up persons with 90 thousand lines, beside
//! exact `user-microaggregation` on the same log. Then groups and records alone, for 1,000 to 65,000 persons: the reference is to read
//! the log and to look up what its queries mean, in the same run, so that the ratio means the same on any machine. The memory is
//! the most that was held so far, log and meaning included.
//!
//! `THRONG_BENCH_MOST` is the greatest number of persons; with 650000 the largest file needs 2.5 GB of disk.

#![allow(clippy::print_stdout)]

mod support;

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use support::{HEAD, asked_for, machine, run, text, thousands};
use throng::io::{Location, ReadOptions, read_log};
use throng_core::Rng;
use throng_core::concepts::{Mapper, Meaning};
use throng_core::methods::Method as _;
use throng_core::methods::queries::kindred::{Kindred, Params};
use throng_core::progress::{Progress, Silent};
use throng_core::taxonomy::fit::Unknown;

const THRONG: &str = env!("CARGO_BIN_EXE_throng");

const SIZES: [u64; 4] = [1_000, 10_000, 65_000, 650_000];

fn main() {
    if !asked_for() {
        println!("kindred: run it with cargo bench --bench kindred");
        return;
    }
    let most = std::env::var("THRONG_BENCH_MOST").ok().and_then(|most| most.parse().ok()).unwrap_or(65_000);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let make = |persons: u64, lines: &str| {
        let file = folder.path().join(format!("{persons}-{lines}.tsv"));
        let persons = persons.to_string();
        let synth =
            ["synth", "queries", "--persons", &persons, "--mean-lines", lines, "--seed", "1", "--quiet", "--out"];
        run(THRONG, &[&synth[..], &[text(&file)]].concat(), &[0]);
        file
    };
    println!("{}\n", machine());
    print!("{HEAD}");
    let log = make(1_000, "94");
    let protect = |flags: &[&str]| {
        let once = |time: usize| {
            let release = folder.path().join(format!("{time}{}", flags.concat()));
            let fixed = ["protect", text(&log), "--k", "5", "--seed", "1", "--quiet", "--out", text(&release)];
            run(THRONG, &[&fixed[..], flags].concat(), &[0])
        };
        once(1).best(once(2))
    };
    let exact = protect(&["--method", "user-microaggregation", "--exact"]);
    println!("| exact `user-microaggregation`, in all | 1,000 persons, 90 thousand lines | {} | |", exact.cells());
    for (what, flags) in [("", &[][..]), (", nothing cut", &["--min-persons", "1"])] {
        let cost = protect(flags);
        let ratio = cost.cpu.zip(exact.cpu).map_or(String::new(), |(own, exact)| format!("1/{:.1}", exact / own));
        println!("| `kindred`{what}, in all | 1,000 persons, 90 thousand lines | {} | {ratio} |", cost.cells());
    }
    for persons in SIZES.into_iter().filter(|&persons| persons <= most) {
        groups_and_records(&make(persons, "55"));
    }
}

/// Protects a log, and prints what groups and records took of it.
fn groups_and_records(file: &Path) {
    let begin = support::cpu();
    let log = read_log(&Location::File(file.to_owned()), &ReadOptions::default(), &Silent).expect("made-up data").log;
    let taxonomy = throng::taxonomy::wordnet().expect("it is embedded");
    let mapper = Mapper::new(taxonomy).with_lexicon(throng::taxonomy::lexicon().expect("it is embedded"));
    let meaning = Meaning::of(&mapper, &[log.queries()], Unknown::Drop).expect("made-up data").remove(0);
    let log = log.with_meaning(Arc::new(meaning));
    let (start, before) = (Instant::now(), support::cpu());
    let method = Kindred::new(Params::default()).expect("the defaults are good");
    let stages = Stages::default();
    let protected = method.protect(&log, &mut Rng::seeded(1), &stages).expect("made-up data");
    let (wall, cpu) = (start.elapsed().as_secs_f64(), support::cpu() - before);
    assert!(protected.records.rows() > 0, "something is published");
    let memory = support::most_memory().map_or("?".to_owned(), |bytes| format!("{:.0} MB", bytes as f64 / 1e6));
    println!(
        "| `kindred`, groups and records | {} persons, {} lines | {wall:.2} s | {cpu:.2} s | {memory} | {:.1} × reading and looking up |",
        thousands(log.persons() as u64),
        thousands(log.rows() as u64),
        cpu / (before - begin),
    );
    let seen = stages.0.into_inner().expect("nobody panicked");
    let ends = seen.iter().skip(1).map(|stage| stage.1).chain([before + cpu]);
    let spent = |((stage, start), end): (&(String, f64), f64)| format!("{stage} {:.2} s", end - start);
    let spent: Vec<String> = seen.iter().zip(ends).map(spent).collect();
    println!("| of it, from the stage named on | {} | | | | |", spent.join(", "));
}

/// The stages of a run, and how much CPU time this process had taken when each began.
#[derive(Default)]
struct Stages(Mutex<Vec<(String, f64)>>);

impl Progress for Stages {
    fn stage(&self, name: &str, _total: u64) {
        self.0.lock().expect("nobody panicked").push((name.to_owned(), support::cpu()));
    }

    fn advance(&self, _steps: u64) {}
}
