//! What graphs lose and how long they take: `cargo bench --bench graphs`.
//!
//! The program itself on made-up friends of the sizes of two real graphs (4,000 persons with 88,000 edges, 37,000 with 184,000), three seeds each:
//! the printed `sangreea` and `shoal` beside each other, weights (0, 1) and (0.5, 0.5). For the latter what is known of persons is dealt out anew by
//! chance, so that it has nothing to do with edges. Then a graph of 300,000 persons, and the printed algorithm as it is written down, with a vector
//! of n for every node, beside ours on 2,000 persons: both must find the same clusters.
//!
//! `THRONG_BENCH_MOST` is the greatest number of persons (37,000), `THRONG_BENCH_SEEDS` how many seeds (3).

#![allow(clippy::print_stdout)]

#[allow(dead_code, reason = "the other benchmarks use more of it")]
mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use support::{asked_for, cpu, machine, run, text, thousands};
use throng_core::data::{Dataset as _, Graph};
use throng_core::methods::graph::sangreea::{self, Sangreea};
use throng_core::progress::Silent;
use throng_core::{Rng, synth};

const THRONG: &str = env!("CARGO_BIN_EXE_throng");

/// What the persons' columns hold; the folder of hierarchies follows.
const ROLES: [&str; 4] = ["--column", "id=id", "quasi=age,zip,sex,work", "--hierarchies"];

fn main() {
    if !asked_for() {
        println!("graphs: run it with cargo bench --bench graphs");
        return;
    }
    let number = |name: &str, or: u64| std::env::var(name).ok().and_then(|said| said.parse().ok()).unwrap_or(or);
    let (most, seeds) = (number("THRONG_BENCH_MOST", 37_000), number("THRONG_BENCH_SEEDS", 3));
    println!("{}\n", machine());
    println!(
        "| persons | seed | k | weights | method | structure-lost | NGIL | J | by printed | certain | withheld | CPU | memory |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for seed in 1..=seeds {
        for (persons, degree, ks) in [(4_000, "44", &["5", "10"][..]), (37_000, "9.95", &["5"])] {
            if persons <= most {
                let made = Made::new(persons, degree, seed);
                for k in ks {
                    let printed = made.row(k, "0", &["--method", "sangreea", "--exact"], None);
                    made.row(k, "0", &[], Some(printed));
                    if persons < 10_000 {
                        made.row(k, "0", &["--max-confidence", "0.9"], Some(printed));
                        let printed = made.row(k, "0.5", &["--method", "sangreea", "--exact"], None);
                        made.row(k, "0.5", &[], Some(printed));
                    }
                }
            }
        }
    }
    if most >= 300_000 {
        Made::new(300_000, "10", 1).row("5", "0", &[], None);
    }
    literal();
}

/// A made-up graph in files.
struct Made {
    folder: tempfile::TempDir,
    persons: u64,
    seed: u64,
}

impl Made {
    fn new(persons: u64, degree: &str, seed: u64) -> Self {
        let made = Self { folder: tempfile::tempdir().expect("a temporary folder"), persons, seed };
        let (number, said) = (persons.to_string(), seed.to_string());
        let (edges, nodes, hierarchies) = (made.place("edges.csv"), made.place("nodes.csv"), made.place("h"));
        let synth = ["synth", "graph", "--shape", "friends", "--persons", &number, "--degree", degree, "--seed", &said];
        let out =
            ["--out", text(&edges), "--nodes-out", text(&nodes), "--hierarchies-out", text(&hierarchies), "--quiet"];
        run(THRONG, &[&synth[..], &out].concat(), &[0]);
        // The same persons, each with what is known of somebody else.
        let file = fs::read_to_string(&nodes).expect("the made-up persons");
        let mut lines = file.lines();
        let head = lines.next().expect("a header");
        let (ids, mut known): (Vec<&str>, Vec<&str>) = lines.filter_map(|line| line.split_once(',')).unzip();
        Rng::seeded(9).shuffle(&mut known);
        let dealt =
            ids.iter().zip(&known).fold(format!("{head}\n"), |file, (id, known)| file + id + "," + known + "\n");
        fs::write(made.place("dealt.csv"), dealt).expect("a new file");
        made
    }

    fn place(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Protects, measures, and prints a row. Gives J.
    fn row(&self, k: &str, alpha: &str, method: &[&str], printed: Option<f64>) -> f64 {
        let weight: f64 = alpha.parse().expect("a number");
        let (edges, release) = (self.place("edges.csv"), self.place("release"));
        // Both weights are of the same columns; without weight they are published all the same.
        let nodes = self.place(if weight > 0.0 { "dealt.csv" } else { "nodes.csv" });
        let hierarchies = self.place("h");
        let mut own: Vec<&str> = vec!["--nodes", text(&nodes)];
        own.extend(ROLES.into_iter().chain([text(&hierarchies)]));
        let beta = (1.0 - weight).to_string();
        let mut protect = vec!["protect", text(&edges), "--k", k, "--alpha", alpha, "--beta", &beta, "--seed", "1"];
        protect.extend(["--no-attacks", "--quiet", "--out", text(&release)]);
        let _ = fs::remove_dir_all(&release);
        let cost = run(THRONG, &[&protect[..], method, &own].concat(), &[0]);
        let measure = ["measure", text(&edges), text(&release), "--json"];
        let found = asked(&[&measure[..], &own[..2], &own[own.len() - 2..]].concat());
        let value = |name: &str| {
            let all = found["measures"].as_array().expect("measures");
            let one = all.iter().find(|measure| measure["name"] == name);
            one.and_then(|measure| measure["value"].as_f64()).unwrap_or(f64::NAN)
        };
        let (lost, ngil) = (value("structure-lost"), value("generalisation-loss"));
        let j = weight * ngil + (1.0 - weight) * lost;
        let attack = asked(&["attack", text(&edges), text(&release), "--attack", "edges", "--json"]);
        let certain = attack["attacks"][0]["rate"].as_f64().unwrap_or(f64::NAN);
        let certificate = fs::read(release.join("certificate.json")).expect("a certificate");
        let certificate: Value = serde_json::from_slice(&certificate).expect("JSON");
        let withheld = certificate["accounting"]["edges_withheld"].as_f64();
        let all = edges_of(&edges);
        println!(
            "| {} | {} | {k} | ({alpha}, {beta}) | {} | {lost:.4} | {ngil:.4} | {j:.4} | {} | {:.2} % | {} | {} | {} |",
            thousands(self.persons),
            self.seed,
            match method {
                ["--method", name, rest @ ..] => format!("`{name}` {}", rest.join(" ")),
                more => format!("`shoal` {}", more.join(" ")),
            },
            printed.map_or_else(String::new, |printed| format!("{:.3}", j / printed)),
            100.0 * certain,
            withheld.map_or_else(String::new, |edges| format!("{:.2} %", 100.0 * edges / all)),
            cost.cpu.map_or_else(|| "?".to_owned(), |cpu| format!("{cpu:.2} s")),
            cost.memory.map_or_else(|| "?".to_owned(), |bytes| format!("{:.0} MB", bytes as f64 / 1e6)),
        );
        j
    }
}

fn edges_of(file: &Path) -> f64 {
    fs::read(file).expect("the made-up edges").iter().filter(|byte| **byte == b'\n').count() as f64 - 1.0
}

/// What the program says as JSON.
fn asked(arguments: &[&str]) -> Value {
    let output = Command::new(THRONG).args(arguments).output().expect("the program");
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{arguments:?}: {}", String::from_utf8_lossy(&output.stderr)))
}

/// Ours and the algorithm as it is written down, k = 5 on structure alone.
fn literal() {
    const PERSONS: usize = 2_000;
    let params = synth::graph::Params { persons: PERSONS, degree: 22.0, shape: "friends".to_owned(), seed: 1 };
    let graph = synth::graph::graph(&params).expect("a made-up graph").graph;
    let graph = graph.with_attributes(None).expect("a graph without attributes");
    let method = Sangreea::new(sangreea::Params { k: 5, alpha: 0.0, beta: 1.0, exact: true }).expect("parameters");
    const TIMES: u32 = 20;
    let start = cpu();
    let mut own = Vec::new();
    for _ in 0..TIMES {
        own = method.partition(&graph, &Silent).expect("clusters");
    }
    let own_seconds = (cpu() - start) / f64::from(TIMES);
    let start = cpu();
    let other = printed(&graph, 5);
    let seconds = cpu() - start;
    assert_eq!(own, other, "both are the printed algorithm");
    println!(
        "\nexact `sangreea`, {} persons, k = 5, (0, 1): {own_seconds:.4} CPU s, with vectors of n {seconds:.2} CPU s: {:.0} times, the same clusters",
        thousands(PERSONS as u64),
        seconds / own_seconds.max(1e-9)
    );
}

/// The pseudocode with a vector of n for every node; a distance compares two of them, place by place. Distances are compared as whole numbers.
fn printed(graph: &Graph, k: usize) -> Vec<Vec<u32>> {
    let n = graph.persons();
    let vector = |node: u32| {
        let mut vector = vec![false; n];
        graph.neighbours(node).iter().for_each(|&other| vector[other as usize] = true);
        vector
    };
    let vectors: Vec<Vec<bool>> = (0..n as u32).map(vector).collect();
    let apart = |x: u32, y: u32| {
        let (one, other) = (&vectors[x as usize], &vectors[y as usize]);
        let differ = one.iter().zip(other).filter(|(one, other)| one != other).count();
        // Without the places of both: they differ there if they are neighbours.
        differ - if one[y as usize] { 2 } else { 0 }
    };
    let mut left: Vec<u32> = (0..n as u32).collect();
    let mut clusters: Vec<Vec<u32>> = Vec::new();
    while !left.is_empty() {
        let seed = *left.iter().max_by_key(|&&node| (graph.degree(node), std::cmp::Reverse(node))).expect("somebody");
        left.retain(|&node| node != seed);
        let mut cluster = vec![seed];
        while cluster.len() < k && !left.is_empty() {
            let far = |x: u32| cluster.iter().map(|&y| apart(x, y)).sum::<usize>();
            let next = *left.iter().min_by_key(|&&x| (far(x), x)).expect("somebody");
            left.retain(|&node| node != next);
            cluster.push(next);
        }
        clusters.push(cluster);
    }
    assert!(clusters.iter().all(|cluster| cluster.len() == k), "{n} persons are whole clusters");
    clusters
}
