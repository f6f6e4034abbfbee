//! How long exact `user-microaggregation` takes: `cargo bench --bench exact`.
//!
//! Makes up 1,000 persons with about 90 thousand lines and protects them with the program itself, with its default measures.
//! In the same run some of the distances are computed the literal way, the one that the tests use as reference, so that the
//! speed is a ratio that means the same on any machine. All sampled distances must be equal, to the last bit.

#![allow(clippy::print_stdout)]

mod support;

/// A line as the literal way wants it.
mod logs {
    #[derive(Debug)]
    pub(crate) struct Line {
        pub(crate) query: String,
        pub(crate) time: i64,
        pub(crate) rank: Option<u32>,
        pub(crate) url: Option<String>,
    }
}

#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../crates/throng-core/tests/it/support/literal.rs"]
mod literal;

use std::time::{Duration, Instant};

use literal::Literal;
use logs::Line;
use support::{HEAD, asked_for, machine, run, text, thousands};
use throng::io::{Location, ReadOptions, read_log};
use throng_core::Rng;
use throng_core::data::QueryLog;
use throng_core::distance::Pairwise as _;
use throng_core::distance::user_distance::{QueryWeights, Scales, UserSpace};
use throng_core::progress::Silent;

const THRONG: &str = env!("CARGO_BIN_EXE_throng");

/// The literal way stops after so many pairs of persons, or after so long.
const PAIRS: usize = 2000;
const PATIENCE: Duration = Duration::from_secs(20);

fn main() {
    if !asked_for() {
        println!("exact: run it with cargo bench --bench exact");
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let original = folder.path().join("searches.tsv");
    let synth = ["synth", "queries", "--persons", "1000", "--mean-lines", "94", "--seed", "1", "--quiet", "--out"];
    run(THRONG, &[&synth[..], &[text(&original)]].concat(), &[0]);

    let protect = |release: &str| {
        let release = folder.path().join(release);
        run(THRONG, &["protect", text(&original), "--out", text(&release), "--k", "5", "--seed", "1", "--quiet"], &[0])
    };
    let cost = protect("first").best(protect("second"));

    let read = read_log(&Location::File(original.clone()), &ReadOptions::default(), &Silent).expect("made-up data");
    let (pairs, seconds) = literal(&read.log);

    let size = format!("{} persons, {} lines", thousands(read.log.persons() as u64), thousands(read.log.rows() as u64));
    let ratio = cost.cpu.map_or("?".into(), |cpu| format!("1/{}", thousands((seconds / cpu) as u64)));
    println!("{}\n", machine());
    print!("{HEAD}");
    println!("| `protect`, k = 5, in all | {size} | {} | {ratio} |", cost.cells());
    println!("| the distances alone, literally (estimate) | {size} | | {:.1} h | | 1 |", seconds / 3600.0);
    println!();
    println!("Target: at most 10 CPU s, better 5, and 200 MB. `protect` is the better of two runs.");
    println!(
        "The estimate is from {} pairs of persons, one thread; their distances are equal.",
        thousands(pairs as u64)
    );
}

/// Computes the distances of some pairs of persons by the literal way. Gives their number, and how many seconds all pairs
/// would take: the work of a pair is the product of the two numbers of lines, so time is scaled by the sum of these.
fn literal(log: &QueryLog) -> (usize, f64) {
    let line = |line: throng_core::data::Line| Line {
        query: log.queries().get(line.query).to_owned(),
        time: line.time,
        rank: line.rank,
        url: line.url.map(|url| log.urls().get(url).to_owned()),
    };
    let persons: Vec<Vec<Line>> = (0..log.persons()).map(|person| log.lines(person).map(line).collect()).collect();
    let literal = Literal::of(&persons, false);
    let space = UserSpace::new(Scales::of(log), QueryWeights::Text, &[log]);
    let mut scratch = space.scratch();
    let mut rng = Rng::seeded(1);
    let (mut pairs, mut work, mut spent) = (0, 0, Duration::ZERO);
    while pairs < PAIRS && spent < PATIENCE {
        let left = rng.index(persons.len());
        let right = rng.index(persons.len());
        if left == right {
            continue;
        }
        let start = Instant::now();
        let distance = literal.user(&persons[left], &persons[right]);
        spent += start.elapsed();
        assert_eq!(distance, space.distance(left, right, &mut scratch), "persons {left} and {right}");
        pairs += 1;
        work += persons[left].len() * persons[right].len();
    }
    let lines: usize = persons.iter().map(Vec::len).sum();
    let squares: usize = persons.iter().map(|lines| lines.len() * lines.len()).sum();
    let all = (lines * lines - squares) / 2;
    (pairs, spent.as_secs_f64() * all as f64 / work as f64)
}
