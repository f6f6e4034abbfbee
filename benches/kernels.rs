//! How many instructions the inner loops take: `cargo bench --bench kernels`.
//!
//! Time on a busy machine says little; instructions, counted by callgrind (Debian package `valgrind`), are the same to within
//! a thousandth. Each kernel is a process of its own that makes up its data and works on it; another only makes up the data,
//! and the difference counts.

#![allow(clippy::print_stdout, clippy::print_stderr)]

#[allow(dead_code, reason = "the other benchmarks use more of it")]
mod support;

use std::hint::black_box;
use std::process::Command;
use std::sync::Arc;

use support::{asked_for, thousands};
use throng_core::Rng;
use throng_core::data::QueryLog;
use throng_core::distance::semantic_distance::{SemanticDistance, SetDistance};
use throng_core::distance::user_distance::{QueryWeights, Scales, UserSpace};
use throng_core::distance::{DistanceMatrix, Pairwise as _};
use throng_core::methods::Method as _;
use throng_core::methods::baskets::flock::{self, Effort, Flock};
use throng_core::partition::mdav::{Average, mdav};
use throng_core::progress::Silent;
use throng_core::synth::{baskets, queries};
use throng_core::taxonomy::generate::balanced;
use throng_core::text::edit_distance::{Outline, QueryPattern, Words};

/// A kernel's name, and what it is counted by.
const KERNELS: [(&str, &str, u64); 5] = [
    ("edit distance", "pair of a query and a word", 200 * 200),
    ("user distance", "pair of persons", 60 * 59 / 2),
    ("MDAV", "record", 1000),
    ("semantic distance", "pair of persons", 200 * 199 / 2),
    ("marks of baskets, flock-fast", "basket", 2000),
];

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(at) = arguments.iter().position(|argument| argument == "one") {
        return one(&arguments[at + 1], arguments[at + 2] == "work");
    }
    if !asked_for() {
        println!("kernels: run it with cargo bench --bench kernels");
        return;
    }
    if Command::new("valgrind").arg("--version").output().is_err() {
        eprintln!("kernels: NOTHING WAS COUNTED, as there is no valgrind; install it, as by apt install valgrind");
        return;
    }
    println!("| kernel | instructions | for each |");
    println!("| --- | --- | --- |");
    for (kernel, unit, units) in KERNELS {
        let instructions = count(kernel, "work").saturating_sub(count(kernel, "idle"));
        println!("| {kernel} | {} | {} a {unit} |", thousands(instructions), thousands(instructions / units));
    }
}

/// The instructions of a process that makes up the data of a kernel, and works on it or not.
fn count(kernel: &str, what: &str) -> u64 {
    let program = std::env::current_exe().expect("this program has a path");
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program)
        .args(["one", kernel, what])
        // One thread does all work: threads that wait for work would be counted too.
        .env("RAYON_NUM_THREADS", "1")
        .output()
        .expect("valgrind starts");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{kernel}: {text}");
    let collected = text.lines().find_map(|line| line.split_once("Collected :"));
    let (_, number) = collected.expect("callgrind says how many instructions it collected");
    number.trim().parse().expect("a number of instructions")
}

/// Makes up the data of a kernel, and works on it or not.
fn one(kernel: &str, works: bool) {
    match kernel {
        "edit distance" => {
            let log = searches(40);
            let mut words = Words::new();
            let queries: Vec<Vec<Outline>> =
                log.queries().iter().take(200).map(|query| words_of(&mut words, query)).collect();
            let others: Vec<Outline> = queries.iter().flatten().take(200).copied().collect();
            let mut pattern = QueryPattern::default();
            for own in queries.iter().filter(|_| works) {
                pattern.load(&words, own);
                for other in &others {
                    pattern.distances(&words, other, |_, distance| {
                        black_box(distance);
                    });
                }
            }
        }
        "user distance" => {
            let log = searches(60);
            let space = UserSpace::new(Scales::of(&log), QueryWeights::Text, &[&log]);
            let mut scratch = space.scratch();
            for right in (0..space.len()).filter(|_| works) {
                for left in 0..right {
                    black_box(space.distance(left, right, &mut scratch));
                }
            }
        }
        "MDAV" => {
            let mut rng = Rng::seeded(1);
            let points: Vec<(f64, f64)> = (0..1000).map(|_| (rng.index(1000) as f64, rng.index(1000) as f64)).collect();
            let distance = |left: usize, right: usize| {
                (points[left].0 - points[right].0).abs() + (points[left].1 - points[right].1).abs()
            };
            let distances = DistanceMatrix::from_fn(points.len(), distance);
            if works {
                black_box(mdav(&distances, 5, Average::Medoid, &Silent));
            }
        }
        "semantic distance" => {
            let (taxonomy, baskets) = shopping(200);
            let sets: Vec<Vec<u32>> = (0..200).map(|person| baskets.basket(person).to_vec()).collect();
            let space = SemanticDistance::new(&taxonomy, sets.iter().flatten().copied());
            if works {
                black_box(space.matrix(SetDistance::MinimumSum, &sets, &Silent).expect("good data"));
            }
        }
        _ => {
            let (_, baskets) = shopping(2000);
            let flock = Flock::new(flock::Params { k: 5, effort: Effort::Fast }).expect("good parameters");
            if works {
                black_box(flock.protect(&baskets, &mut Rng::seeded(1), &Silent).expect("good data"));
            }
        }
    }
}

/// Made-up searches of some persons.
fn searches(persons: usize) -> QueryLog {
    let params = queries::Params { persons, mean_lines: 55.0, seed: 1, ..queries::Params::default() };
    queries::QueriesSynth::new(params).expect("good parameters").block(0..persons)
}

/// The distinct words of a query.
fn words_of(words: &mut Words, query: &str) -> Vec<Outline> {
    let mut distinct: Vec<u32> = throng_core::text::words(query).map(|word| words.intern(word)).collect();
    distinct.sort_unstable();
    distinct.dedup();
    distinct.into_iter().map(|word| words.outline(word)).collect()
}

/// Made-up baskets of some persons, over a balanced tree.
fn shopping(persons: usize) -> (Arc<throng_core::taxonomy::Taxonomy>, throng_core::data::Baskets) {
    let items: Vec<String> = (1..=1000).map(|item| item.to_string()).collect();
    let taxonomy = Arc::new(balanced(items.iter().map(String::as_str), 5).expect("a tree"));
    let params = baskets::Params { persons, mean_items: 5.0, seed: 1, style: baskets::Style::Shopping };
    let baskets = baskets::BasketsSynth::new(params, Arc::clone(&taxonomy)).expect("good parameters").block(0..persons);
    (taxonomy, baskets)
}
