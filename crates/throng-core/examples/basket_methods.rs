//! Time, memory and loss of basket methods at the size of the thesis: 53,058 made-up persons with 21 items each on
//! average, drawn by Zipf's law from the nodes of a tree as large as WordNet's nouns.
//!
//! `cargo run --release -p throng-core --example basket_methods -- METHOD [TREE.csv] [PERSONS]`
//!
//! METHOD is apriori, apriori-3 (m = 3), hghs, coherence, rho-uncertainty, rho-uncertainty-keep or cahd; TREE.csv has lines `child,parent` (`-`: a random tree).

#![allow(clippy::print_stdout, reason = "an example shows its numbers")]

use std::sync::Arc;
use std::time::Instant;

use throng_core::data::{Baskets, BasketsBuilder};
use throng_core::methods::Method;
use throng_core::methods::baskets::{apriori, cahd, coherence, hghs, rho_uncertainty};
use throng_core::progress::Silent;
use throng_core::rng::Rng;
use throng_core::taxonomy::{Taxonomy, TaxonomyBuilder};

const NODES: usize = 82_115;
const WORDS: usize = 30_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |place: usize| arguments.get(place).map(String::as_str);
    let taxonomy = match argument(1) {
        None | Some("-") => random_tree(&mut Rng::seeded(1)),
        Some(path) => {
            let text = std::fs::read_to_string(path)?;
            Taxonomy::from_edges(text.lines().skip(1).filter_map(|line| line.split_once(',')))?
        }
    };
    let persons = argument(2).map_or(Ok(53_058), str::parse)?;
    let original = zipf_baskets(Arc::new(taxonomy), persons, &mut Rng::seeded(2));
    let method: Box<dyn Method<Baskets>> = match argument(0).unwrap_or("apriori") {
        "apriori" => Box::new(apriori::Apriori::new(apriori::Params::default())?),
        "hghs" => Box::new(hghs::Hghs::new(hghs::Params::default())?),
        "coherence" => Box::new(coherence::Coherence::new(coherence::Params::default())?),
        "cahd" => Box::new(cahd::Cahd::new(cahd::Params { p: 5, ..Default::default() })?),
        "rho-uncertainty" => Box::new(rho_uncertainty::RhoUncertainty::new(rho_uncertainty::Params::default())?),
        "rho-uncertainty-keep" => {
            let params = rho_uncertainty::Params { keep_sensitive: true, ..Default::default() };
            Box::new(rho_uncertainty::RhoUncertainty::new(params)?)
        }
        "apriori-3" => Box::new(apriori::Apriori::new(apriori::Params { m: 3, ..Default::default() })?),
        other => return Err(format!("unknown method {other}").into()),
    };
    println!("{} persons, {} items", original.persons(), original.rows());
    let (before, start) = (cpu_seconds(), Instant::now());
    let protected = method.protect(&original, &mut Rng::seeded(3), &Silent)?;
    let seconds = start.elapsed().as_secs_f64();
    println!("{:.2} CPU s, {seconds:.2} s, peak {} MB", cpu_seconds() - before, peak_megabytes());
    show_loss(&original, &protected.records);
    Ok(())
}

/// NCP by occurrences, a missing item costs 1; and how many items are published.
fn show_loss(original: &Baskets, records: &Baskets) {
    let Some(taxonomy) = original.taxonomy() else { return };
    let all = f64::from(taxonomy.leaves(0));
    let (mut loss, mut own, mut missing) = (0.0, 0.0, 0);
    for person in 0..original.persons() {
        let record = records.basket(person);
        for &item in original.basket(person) {
            let weight = |node: u32| if taxonomy.is_leaf(node) { 0.0 } else { f64::from(taxonomy.leaves(node)) / all };
            own += weight(item);
            match taxonomy.ancestors(item).find(|node| record.binary_search(node).is_ok()) {
                Some(node) => loss += weight(node),
                None => (loss, missing) = (loss + 1.0, missing + 1),
            }
        }
    }
    let mut distinct = records.items().to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    let (items, distinct) = (original.rows() as f64, distinct.len());
    println!("loss {:.3} % (the original's own {:.3} %)", 100.0 * loss / items, 100.0 * own / items);
    println!("{missing} suppressed, {} published, {distinct} distinct", records.rows());
}

fn random_tree(rng: &mut Rng) -> Taxonomy {
    let mut parents = vec![0];
    let mut builder = TaxonomyBuilder::new();
    builder.node("0");
    for child in 1..NODES {
        let node = rng.index(child);
        // Sisters of what is there more often than children of it: four fifths are leaves, as in WordNet.
        let parent = if rng.index(5) < 2 { parents[node] } else { node };
        parents.push(parent);
        builder.add(&child.to_string(), &parent.to_string()).expect("every node is new");
    }
    builder.finish().expect("node 0 is above all")
}

fn zipf_baskets(taxonomy: Arc<Taxonomy>, persons: usize, rng: &mut Rng) -> Baskets {
    let mut nodes: Vec<u32> = (1..taxonomy.len() as u32).collect();
    rng.shuffle(&mut nodes);
    nodes.truncate(WORDS);
    let mut sums = Vec::with_capacity(nodes.len());
    for rank in 0..nodes.len() {
        sums.push(sums.last().copied().unwrap_or(0.0) + 1.0 / (rank as f64 + 1.0));
    }
    let all = sums.last().copied().unwrap_or(1.0);
    let mut builder = BasketsBuilder::new(Some(taxonomy), false);
    for person in 0..persons {
        let person = builder.person(&(person + 1).to_string());
        // Lengths fall off as in a search log: most are short, some very long; 21 on average.
        let length = 1 + (-20.0 * (1.0 - rng.unit()).ln()) as usize;
        for _ in 0..length {
            let draw = rng.unit() * all;
            builder.push(person, nodes[sums.partition_point(|&sum| sum < draw).min(nodes.len() - 1)]);
        }
    }
    // Sensitive items are neither frequent nor rare.
    builder.finish().with_sensitive(nodes[200..250].to_vec())
}

fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |place: usize| fields.get(place).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}

fn peak_megabytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|field| field.parse::<u64>().ok()).unwrap_or(0) / 1024
}
