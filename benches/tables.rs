//! What the methods for tables lose and take: `cargo bench --bench tables`.
//!
//! Made-up tables: numbers in clumps with heavy tails for microaggregation, a census with hierarchies for generalisation; several seeds,
//! all methods on the same rows, so that what counts is a ratio of one run. Every run is a process of its own; its time is that of the
//! method alone, its memory that of everything, the data included. Then noise, guessed by somebody who knows it, and a check of all
//! models against reading the file.

#![allow(clippy::print_stdout)]

#[allow(dead_code, reason = "the other benchmarks use more of it")]
mod support;

use std::process::Command;
use std::time::Instant;

use support::{asked_for, cpu, machine, thousands};
use throng::prelude::{Ask, CheckRequest, ColumnChoice, Inputs, check};
use throng_core::Rng;
use throng_core::data::Dataset as _;
use throng_core::data::table::{Column, ColumnRole, Hierarchy, Table};
use throng_core::guessing::ranks;
use throng_core::guessing::spend::{Objective, Spread};
use throng_core::measures::utility::{normalised_certainty_penalty_table, sum_of_squares_table};
use throng_core::measures::{Context, Measure as _, Pair};
use throng_core::methods::Method;
use throng_core::methods::table::guessing_noise::{GuessingNoise, Params};
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
    println!("Targets: mdav on 20,000 rows 1.2 CPU s; flock 20 CPU s; 1,000,000 rows 4 min and 2 GB.\n");
    guessed_first();
    all_models();
}

/// The share that is guessed first under noise by record and objective `log`, against one variance for all: the same rows, paired.
fn guessed_first() {
    println!("| distortion | seed | one variance, guessed first | by record, `log` | points fewer |");
    println!("| --- | --- | --- | --- | --- |");
    for distortion in [0.2, 1.0] {
        for seed in [1, 2, 3, 4, 5] {
            let table = made("numeric", 300, seed);
            let share = |spread| {
                let params = Params { distortion, noise: spread, objective: Objective::Log, ..Params::default() };
                let method = GuessingNoise::new(params).expect("good parameters");
                let (noise, points, _) = method.noise(&table).expect("good data");
                let links: Vec<(u32, u32)> = (0..points.rows() as u32).map(|row| (row, row)).collect();
                let draw = |draw: u64| {
                    let published = points.disturbed(&noise, &mut Rng::seeded(draw));
                    ranks::known(&points, &published, &noise, &links).expect("rows").first
                };
                5.0 * (0..20).map(draw).sum::<f64>()
            };
            let (one, record) = (share(Spread::One), share(Spread::Record));
            println!("| {distortion} | {seed} | {one:.1} % | {record:.1} % | {:.1} |", one - record);
        }
    }
    println!("\nTargets: 5 points fewer at 0.2, 2 at 1, on real rows.\n");
}

/// What all models take on 100,000 rows, against reading the file.
fn all_models() {
    let file = std::env::temp_dir().join(format!("throng-bench-{}.csv", std::process::id()));
    let table = made("census", 100_000, 1);
    let names: Vec<&str> = table.columns().iter().map(|column| column.name.as_str()).collect();
    let line = |row: usize| table.columns().iter().map(|column| column.text(row)).collect::<Vec<_>>().join(",");
    let text: String =
        std::iter::once(names.join(",")).chain((0..table.rows()).map(line)).map(|line| line + "\n").collect();
    std::fs::write(&file, text).expect("a file in the temporary folder");
    let ask = Ask {
        kind: Some("table".to_owned()),
        columns: [("quasi", "age,sex,zip,education,marital_status,country,hours"), ("sensitive", "work")]
            .map(|(role, name)| ColumnChoice { role: role.to_owned(), name: name.to_owned() })
            .into(),
        ..Ask::default()
    };
    let models = [
        "k-anonymity:k=5",
        "xy-anonymity:k=2,x=age+sex,y=work",
        "l-diversity:l=2",
        "l-diversity:l=2,kind=entropy",
        "l-diversity:l=2,kind=recursive",
        "confidence:h=0.5",
        "t-closeness:t=0.2,distance=equal",
        "t-closeness:t=0.2,distance=ordered",
        "beta-likeness:beta=1",
        "delta-disclosure:delta=1",
    ];
    let checked = |models: &[&str]| {
        let before = cpu();
        let mut more_models: Vec<String> = models.iter().map(|model| (*model).to_owned()).collect();
        let model = Some(more_models.remove(0));
        let file = Inputs::from(file.as_path());
        let request = CheckRequest { file, model, more_models, ask: ask.clone(), ..CheckRequest::default() };
        check(&request, &Silent).expect("a table");
        cpu() - before
    };
    let (read, all) = (checked(&models[..1]), checked(&models));
    println!(
        "Check of 100,000 rows: k-anonymity, which is reading the file, {read:.2} CPU s; all models {all:.2}: {:.1} times.",
        all / read
    );
    println!("Target: 5 times reading.");
    let _ = std::fs::remove_file(file);
}

/// A made-up table and its quasi columns, with hierarchies: all columns of numbers, of a census those that have one.
fn made(shape: &str, persons: usize, seed: u64) -> Table {
    let made = made_up::table(&made_up::Params { persons, shape: shape.to_owned(), seed }).expect("good parameters");
    let column = |column: &Column| {
        let lines = made.hierarchies.iter().find(|(name, _)| *name == column.name);
        let hierarchy = lines.map(|(_, lines)| Hierarchy::new(lines).expect("a hierarchy").into());
        let is_quasi = shape == "numeric" || hierarchy.is_some();
        let role = if is_quasi { ColumnRole::Quasi } else { ColumnRole::Plain };
        Column { role, hierarchy, ..column.clone() }
    };
    let columns = made.table.columns().iter().map(column).collect();
    made.table.with_columns(columns)
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
    let table = made(shape, persons, seed);
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
