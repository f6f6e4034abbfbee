//! What the methods for baskets lose and take: `cargo bench --bench baskets`.
//!
//! Made-up baskets: 53,058 long ones over WordNet, as many as in the thesis, and 10,000 short ones over a balanced tree; k = 5, 7, 10 and 15. Then 500,000 long ones for time and memory. Every run is a process of its own; its
//! time is that of the method alone, its memory that of everything, the data included.

#![allow(clippy::print_stdout)]

#[allow(dead_code, reason = "the other benchmarks use more of it")]
mod support;

use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use support::{asked_for, cpu, machine, thousands};
use throng::taxonomy::wordnet;
use throng_core::Rng;
use throng_core::aggregate::baskets::distortion;
use throng_core::data::Baskets;
use throng_core::methods::Method;
use throng_core::methods::baskets::clump::{self, Clump};
use throng_core::methods::baskets::flock::{self, Effort, Flock};
use throng_core::methods::baskets::partition::{self, Partition};
use throng_core::progress::Silent;
use throng_core::synth::baskets::{BasketsSynth, Params, Style};
use throng_core::taxonomy::generate::balanced;

const METHODS: [&str; 4] = ["clump", "partition", "flock-fast", "flock"];

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(at) = arguments.iter().position(|argument| argument == "one") {
        return one(&arguments[at + 1..]);
    }
    if !asked_for() {
        println!("baskets: run it with cargo bench --bench baskets");
        return;
    }
    println!("{}\n", machine());
    println!("| baskets | k | method | GGD | below clump | wall | CPU | memory |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    for (data, persons) in [("long", 53_058), ("short", 10_000)] {
        for k in [5, 7, 10, 15] {
            table(data, persons, k, &METHODS);
        }
    }
    table("long", 500_000, 5, &["clump", "flock-fast", "flock"]);
    println!();
    println!(
        "Targets: GGD of flock at least 35 % below clump's, at k = 5 40 % below the better of clump and partition."
    );
    println!("53,058 baskets, k = 5: clump 0.3 s, flock-fast 1 s, flock 4 s; 500,000: 15 s and 60 s, 1.5 GB.");
}

/// Runs some methods on the same data and prints a line for each.
fn table(data: &str, persons: usize, k: usize, methods: &[&str]) {
    let mut clump = None;
    for method in methods {
        let arguments = ["one", data, &persons.to_string(), &k.to_string(), method];
        let program = std::env::current_exe().expect("this program has a path");
        let output = Command::new(program).args(arguments).output().expect("this program starts");
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8_lossy(&output.stdout);
        let numbers: Vec<f64> = text.split_whitespace().map(|number| number.parse().expect("a number")).collect();
        let [share, wall, cpu, memory] = numbers[..] else { panic!("four numbers: {text}") };
        let below = 100.0 * (1.0 - share / *clump.get_or_insert(share));
        println!(
            "| {} {data} | {k} | {method} | {:.2} % | {below:.1} % | {wall:.2} s | {cpu:.2} s | {memory:.0} MB |",
            thousands(persons as u64),
            100.0 * share,
        );
    }
}

/// Runs one method and prints the share of the worst case, wall seconds, CPU seconds and megabytes.
fn one(arguments: &[String]) {
    let (data, method) = (arguments[0].as_str(), arguments[3].as_str());
    let persons = arguments[1].parse().expect("a number of persons");
    let k = arguments[2].parse().expect("k");
    let items: Vec<String> = (1..=1000).map(|item| item.to_string()).collect();
    let (taxonomy, mean_items, style) = match data {
        "long" => (wordnet().expect("it is embedded"), 21.0, Style::Searches),
        _ => (Arc::new(balanced(items.iter().map(String::as_str), 5).expect("a tree")), 5.0, Style::Shopping),
    };
    let params = Params { persons, mean_items, seed: 1, style };
    let baskets = BasketsSynth::new(params, Arc::clone(&taxonomy)).expect("good parameters").block(0..persons);
    let method: Box<dyn Method<Baskets>> = match method {
        "clump" => Box::new(Clump::new(clump::Params { k, ..clump::Params::default() }).expect("good parameters")),
        "partition" => Box::new(Partition::new(partition::Params { k }).expect("good parameters")),
        "flock-fast" => Box::new(Flock::new(flock::Params { k, effort: Effort::Fast }).expect("good parameters")),
        _ => Box::new(Flock::new(flock::Params { k, effort: Effort::Normal }).expect("good parameters")),
    };
    let (start, before) = (Instant::now(), cpu());
    let protected = method.protect(&baskets, &mut Rng::seeded(1), &Silent).expect("good data");
    let (wall, cpu) = (start.elapsed().as_secs_f64(), cpu() - before);
    let record =
        |person: usize| protected.records.basket(protected.record_of[person].expect("nobody is left out") as usize);
    let lost: u64 =
        (0..persons).map(|person| distortion(&taxonomy, baskets.basket(person).len(), record(person))).sum();
    let share = lost as f64 / f64::from(taxonomy.loss_unit()) / baskets.rows() as f64;
    println!("{share} {wall} {cpu} {}", memory());
}

/// The most megabytes that this process held at once; 0 elsewhere than on Linux.
fn memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = peak.and_then(|peak| peak.trim().strip_suffix(" kB")).and_then(|peak| peak.parse::<f64>().ok());
    kibibytes.unwrap_or(0.0) * 1024.0 / 1e6
}
