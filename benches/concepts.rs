//! How long `semantic-microaggregation` takes: `cargo bench --bench concepts`.
//!
//! Makes up 1,000 persons with about 55 thousand lines and protects them with the program itself, with its default measures,
//! under each distance and plain; then 5,000 persons under the default. In the same run some of the distances are computed the
//! literal way, a double loop over the concepts of two persons with the sets of what generalises them at hand, so that the
//! speed is a ratio that means the same on any machine. All sampled distances must agree to 12 digits.

#![allow(clippy::print_stdout)]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use support::{HEAD, asked_for, machine, run, text, thousands};
use throng::io::{Location, ReadOptions, read_log};
use throng_core::Rng;
use throng_core::concepts::{Mapper, Meaning, Texts as _};
use throng_core::data::QueryLog;
use throng_core::distance::semantic_distance::{SemanticDistance, SetDistance};
use throng_core::progress::Silent;
use throng_core::taxonomy::Taxonomy;
use throng_core::taxonomy::fit::Unknown;

const THRONG: &str = env!("CARGO_BIN_EXE_throng");

/// The literal way stops after so many pairs of persons, or after so long.
const PAIRS: usize = 5000;
const PATIENCE: Duration = Duration::from_secs(20);

fn main() {
    if !asked_for() {
        println!("concepts: run it with cargo bench --bench concepts");
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let make = |persons: usize| {
        let original = folder.path().join(format!("{persons}.tsv"));
        let persons = persons.to_string();
        let synth =
            ["synth", "queries", "--persons", &persons, "--mean-lines", "55", "--seed", "1", "--quiet", "--out"];
        run(THRONG, &[&synth[..], &[text(&original)]].concat(), &[0]);
        original
    };
    let protect = |original: &Path, more: &[&str]| {
        let cost = |time: usize| {
            let release = folder.path().join(format!("{}-{time}-{}", text(original).len(), more.join("")));
            let fixed = ["protect", text(original), "--method", "semantic-microaggregation", "--k", "3", "--seed", "1"];
            run(THRONG, &[&fixed[..], &["--quiet", "--out", text(&release)], more].concat(), &[0])
        };
        cost(1).best(cost(2))
    };

    println!("{}\n", machine());
    print!("{HEAD}");
    let original = make(1000);
    let log = read_log(&Location::File(original.clone()), &ReadOptions::default(), &Silent).expect("made-up data").log;
    let size = format!("{} persons, {} lines", thousands(log.persons() as u64), thousands(log.rows() as u64));
    for distance in ["minimum-sum", "average", "minimum", "maximum", "maximum-sum"] {
        let cost = protect(&original, &["--distance", distance]);
        println!("| `protect`, k = 3, {distance} | {size} | {} | |", cost.cells());
    }
    println!("| `protect`, k = 3, plain | {size} | {} | |", protect(&original, &["--plain"]).cells());

    let taxonomy = throng::taxonomy::wordnet().expect("it is embedded");
    let lexicon = throng::taxonomy::lexicon().expect("it is embedded");
    let mapper = Mapper::new(Arc::clone(&taxonomy)).with_lexicon(lexicon);
    let meaning = Meaning::of(&mapper, &[log.queries()], Unknown::Drop);
    let log = log.with_meaning(Arc::new(meaning.expect("made-up data").remove(0)));
    let sets = sets_of(&log);
    let (start, before) = (Instant::now(), support::cpu());
    let space = SemanticDistance::new(&taxonomy, sets.iter().flatten().copied());
    let matrix = space.matrix(SetDistance::MinimumSum, &sets, &Silent).expect("good data");
    let (wall, cpu) = (start.elapsed().as_secs_f64(), support::cpu() - before);
    let (pairs, literal) = literal(&sets, &taxonomy, |left, right| matrix.get(left, right));
    let concepts: usize = sets.iter().map(Vec::len).sum();
    let different = sets.iter().flatten().collect::<BTreeSet<_>>().len();
    let size = format!(
        "{} persons, {} concepts, {} different",
        thousands(sets.len() as u64),
        thousands(concepts as u64),
        thousands(different as u64)
    );
    let ratio = format!("1/{}", thousands((literal / cpu.max(0.01)) as u64));
    println!("| the distances alone, minimum-sum | {size} | {wall:.2} s | {cpu:.2} s | | {ratio} |");
    println!("| the same literally (estimate) | {size} | | {literal:.0} s | | 1 |");

    let original = make(5000);
    let log = read_log(&Location::File(original.clone()), &ReadOptions::default(), &Silent).expect("made-up data").log;
    let size = format!("{} persons, {} lines", thousands(log.persons() as u64), thousands(log.rows() as u64));
    println!("| `protect`, k = 3, minimum-sum | {size} | {} | |", protect(&original, &[]).cells());
    println!();
    println!("Target: 1,000 persons in a few seconds on two cores, below 1 GB; the distances below a second.");
    println!(
        "`protect` is the better of two runs. The estimate is from {} pairs, one thread.",
        thousands(pairs as u64)
    );
}

/// The concepts of every person who has some.
fn sets_of(log: &QueryLog) -> Vec<Vec<u32>> {
    (0..log.persons()).map(|person| log.concepts_of(person)).filter(|set| !set.is_empty()).collect()
}

/// Computes the distances of some pairs of persons by the literal way. Gives their number, and how many seconds all pairs
/// would take: the work of a pair is the product of the two numbers of concepts, so time is scaled by the sum of these.
fn literal(sets: &[Vec<u32>], taxonomy: &Taxonomy, fast: impl Fn(usize, usize) -> f64) -> (usize, f64) {
    let above: BTreeMap<u32, BTreeSet<u32>> = (sets.iter().flatten())
        .map(|&concept| (concept, taxonomy.generalisations(concept).into_iter().collect()))
        .collect();
    let delta = |left: u32, right: u32| {
        let (left, right) = (&above[&left], &above[&right]);
        let (common, all) = (left.intersection(right).count() as f64, left.union(right).count() as f64);
        (all - common) / all
    };
    let side = |from: &[u32], to: &[u32]| -> f64 {
        let nearest = |from: u32| to.iter().map(|&to| delta(from, to)).fold(f64::INFINITY, f64::min);
        from.iter().map(|&from| nearest(from)).sum()
    };
    let mut rng = Rng::seeded(1);
    let (mut pairs, mut work, mut spent) = (0, 0, Duration::ZERO);
    while pairs < PAIRS && spent < PATIENCE {
        let (left, right) = (rng.index(sets.len()), rng.index(sets.len()));
        if left == right {
            continue;
        }
        let (own, other) = (&sets[left], &sets[right]);
        let start = Instant::now();
        let distance = (side(own, other) + side(other, own)) / (own.len() + other.len()) as f64;
        spent += start.elapsed();
        assert!((distance - fast(left, right)).abs() < 1e-12, "persons {left} and {right}");
        pairs += 1;
        work += own.len() * other.len();
    }
    let concepts: usize = sets.iter().map(Vec::len).sum();
    let squares: usize = sets.iter().map(|set| set.len() * set.len()).sum();
    let all = (concepts * concepts - squares) / 2;
    (pairs, spent.as_secs_f64() * all as f64 / work as f64)
}
