//! What the methods for tables lose and take: `cargo bench --bench tables`.
//!
//! Made-up tables: numbers in clumps with heavy tails for microaggregation, a census with hierarchies for generalisation; several seeds,
//! all methods on the same rows, so that what counts is a ratio of one run. Every run is a process of its own; its time is that of the
//! method alone, its memory that of everything, the data included.

#![allow(clippy::print_stdout)]

#[allow(dead_code, reason = "the other benchmarks use more of it")]
mod support;

use std::process::Command;
use std::time::Instant;

use support::{asked_for, cpu, machine, thousands};
use throng_core::Rng;
use throng_core::data::Dataset as _;
use throng_core::data::table::{Column, ColumnRole, Hierarchy, Table};
use throng_core::measures::utility::{normalised_certainty_penalty_table, sum_of_squares_table};
use throng_core::measures::{Context, Measure as _, Pair};
use throng_core::methods::Method;
use throng_core::methods::table::{flock, full_domain, mdav, mondrian, murmuration};
use throng_core::progress::Silent;
use throng_core::synth::table as made_up;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(at) = arguments.iter().position(|argument| argument == "one") {
        return one(&arguments[at + 1..]);
    }
    if !asked_for() {
        println!("tables: run it with cargo bench --bench tables");
        return;
    }
    println!("{}\n", machine());
    println!("| rows | seed | k | method | loss | below the first | wall | CPU | memory |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    let averaging = ["mdav", "murmuration-fast", "murmuration", "murmuration-high"];
    for seed in [1, 2, 3] {
        for k in [3, 5, 10] {
            table("numeric", 1_080, seed, k, &averaging);
        }
    }
    table("numeric", 20_000, 1, 5, &averaging[..3]);
    let generalising = ["mondrian", "flock-fast", "flock", "full-domain"];
    for seed in [1, 2, 3] {
        for k in [5, 10] {
            table("census", 30_000, seed, k, &generalising);
        }
    }
    table("census", 1_000_000, 1, 5, &["mondrian", "flock", "full-domain"]);
    println!();
    println!("Targets: mdav on 20,000 rows 1.2 CPU s; flock 20 CPU s; 1,000,000 rows 4 min and 2 GB.");
}

/// Runs some methods on the same data and prints a line for each.
fn table(shape: &str, rows: usize, seed: u64, k: usize, methods: &[&str]) {
    let mut first = None;
    for method in methods {
        let arguments = ["one", shape, &rows.to_string(), &seed.to_string(), &k.to_string(), method];
        let program = std::env::current_exe().expect("this program has a path");
        let output = Command::new(program).args(arguments).output().expect("this program starts");
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8_lossy(&output.stdout);
        let numbers: Vec<f64> = text.split_whitespace().map(|number| number.parse().expect("a number")).collect();
        let [loss, wall, cpu, memory] = numbers[..] else { panic!("four numbers: {text}") };
        let below = 100.0 * (1.0 - loss / *first.get_or_insert(loss));
        println!(
            "| {} {shape} | {seed} | {k} | {method} | {loss:.4} | {below:.1} % | {wall:.2} s | {cpu:.2} s | {memory:.0} MB |",
            thousands(rows as u64),
        );
    }
}

/// Runs one method and prints its loss, wall seconds, CPU seconds and megabytes.
fn one(arguments: &[String]) {
    let shape = arguments[0].as_str();
    let number = |at: usize| arguments[at].parse::<usize>().expect("a number");
    let (persons, seed, k) = (number(1), number(2) as u64, number(3));
    let made = made_up::table(&made_up::Params { persons, shape: shape.to_owned(), seed }).expect("good parameters");
    let column = |column: &Column| {
        let lines = made.hierarchies.iter().find(|(name, _)| *name == column.name);
        let hierarchy = lines.map(|(_, lines)| Hierarchy::new(lines).expect("a hierarchy").into());
        let is_quasi = shape == "numeric" || hierarchy.is_some();
        let role = if is_quasi { ColumnRole::Quasi } else { ColumnRole::Plain };
        Column { role, hierarchy, ..column.clone() }
    };
    let columns = made.table.columns().iter().map(column).collect();
    let table = made.table.with_columns(columns);
    let averages = |effort| murmuration::Params { k, effort };
    let flocks = |effort| flock::Params { k, effort, ..flock::Params::default() };
    let method: Box<dyn Method<Table>> = match arguments[4].as_str() {
        "mdav" => Box::new(mdav::Mdav::new(mdav::Params { k }).expect("good parameters")),
        "murmuration-fast" => {
            Box::new(murmuration::Murmuration::new(averages(murmuration::Effort::Fast)).expect("good parameters"))
        }
        "murmuration" => {
            Box::new(murmuration::Murmuration::new(averages(murmuration::Effort::Normal)).expect("good parameters"))
        }
        "murmuration-high" => {
            Box::new(murmuration::Murmuration::new(averages(murmuration::Effort::High)).expect("good parameters"))
        }
        "mondrian" => {
            let params = mondrian::Params { k, ..mondrian::Params::default() };
            Box::new(mondrian::Mondrian::new(params).expect("good parameters"))
        }
        "flock-fast" => Box::new(flock::Flock::new(flocks(flock::Effort::Fast)).expect("good parameters")),
        "flock" => Box::new(flock::Flock::new(flocks(flock::Effort::Normal)).expect("good parameters")),
        _ => {
            let params = full_domain::Params { k, suppress: 0.05, ..full_domain::Params::default() };
            Box::new(full_domain::FullDomain::new(params).expect("good parameters"))
        }
    };
    let (start, before) = (Instant::now(), cpu());
    let protected = method.protect(&table, &mut Rng::seeded(1), &Silent).expect("good data");
    let (wall, cpu) = (start.elapsed().as_secs_f64(), cpu() - before);
    let pair = Pair {
        original: &table,
        release: &protected.records,
        multiplicity: vec![1; protected.records.persons()],
        link: Some(protected.record_of.clone()),
    };
    let context = Context { k, shared_by: k, show_values: false, seed: 0, progress: &Silent };
    let loss = if shape == "numeric" {
        sum_of_squares_table::SumOfSquares.measure(&pair, &context)
    } else {
        normalised_certainty_penalty_table::NormalisedCertaintyPenalty.measure(&pair, &context)
    };
    let loss = loss.expect("good data").value.expect("a number");
    println!("{loss} {wall} {cpu} {}", support::most_memory().unwrap_or(0) as f64 / 1e6);
}
