//! `throng link evaluate`: found pairs or clusters against the truth.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;

use serde::Serialize;
use throng_core::{Error, Result};

use super::tables::Csv;

/// What to evaluate.
#[derive(Debug, Clone)]
pub struct EvaluateLinkRequest {
    /// Pairs as `match` writes them.
    pub pairs: PathBuf,
    /// The truth: `a,b` or `id,cluster`.
    pub truth: PathBuf,
    /// Clusters as `dedupe` writes them; their pairs are evaluated instead.
    pub clusters: Option<PathBuf>,
}

/// How right it is.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EvaluatedLink {
    /// The share of the found pairs that are true; nothing if none was found.
    pub precision: Option<f64>,
    /// The share of the true pairs that were found; nothing if there is none.
    pub recall: Option<f64>,
    /// The harmonic mean of both.
    pub f1: Option<f64>,
    /// How many pairs are true.
    pub true_pairs: u64,
    /// How many were found.
    pub found_pairs: u64,
    /// How many were found and are true.
    pub right_pairs: u64,
}

/// Counts.
pub fn evaluate_link(request: &EvaluateLinkRequest) -> Result<EvaluatedLink> {
    let truth = Csv::read(&request.truth)?;
    if truth.has("cluster") {
        let truth = clusters(&truth)?;
        let of = |id: &str| truth.get(id).copied();
        let true_pairs = pairs_in(truth.values().copied());
        let (found_pairs, right_pairs) = match &request.clusters {
            Some(place) => {
                let found = Csv::read(place)?;
                let (id, cluster) = (found.column("id")?, found.column("cluster")?);
                let mut sizes: BTreeMap<&str, u64> = BTreeMap::new();
                let mut both: BTreeMap<(&str, u32), u64> = BTreeMap::new();
                for (line, row) in &found.rows {
                    let own = of(&row[id]).ok_or_else(|| not_in_truth(&found, *line))?;
                    *sizes.entry(&row[cluster]).or_default() += 1;
                    *both.entry((&row[cluster], own)).or_default() += 1;
                }
                let pairs = |sizes: &mut dyn Iterator<Item = u64>| sizes.map(|size| size * (size - 1) / 2).sum::<u64>();
                (pairs(&mut sizes.into_values()), pairs(&mut both.into_values()))
            }
            None => {
                let found = Csv::read(&request.pairs)?;
                let (mut count, mut right) = (0, 0);
                for (line, a, b) in matches(&found)? {
                    let one = of(a).ok_or_else(|| not_in_truth(&found, line))?;
                    let other = of(b).ok_or_else(|| not_in_truth(&found, line))?;
                    count += 1;
                    right += u64::from(one == other);
                }
                (count, right)
            }
        };
        return Ok(EvaluatedLink::of(true_pairs, found_pairs, right_pairs));
    }
    if let Some(place) = &request.clusters {
        return Err(Error::data("clusters are held against clusters, but the truth has pairs")
            .in_file(place.display().to_string())
            .with_hint("the truth of one file has the columns id,cluster"));
    }
    let (a, b) = (truth.column("a")?, truth.column("b")?);
    let true_pairs: HashSet<(&str, &str)> =
        truth.rows.iter().map(|(_, row)| (row[a].as_str(), row[b].as_str())).collect();
    let found = Csv::read(&request.pairs)?;
    let found: HashSet<(&str, &str)> = matches(&found)?.into_iter().map(|(_, a, b)| (a, b)).collect();
    let right = found.intersection(&true_pairs).count() as u64;
    Ok(EvaluatedLink::of(true_pairs.len() as u64, found.len() as u64, right))
}

/// The pairs that are called matches, with their lines.
fn matches(found: &Csv) -> Result<Vec<(u64, &str, &str)>> {
    let (a, b) = (found.column("a")?, found.column("b")?);
    let class = if found.has("class") { Some(found.column("class")?) } else { None };
    let is_match = |row: &[String]| class.is_none_or(|class| row[class] == "match");
    Ok(found
        .rows
        .iter()
        .filter(|(_, row)| is_match(row))
        .map(|(line, row)| (*line, row[a].as_str(), row[b].as_str()))
        .collect())
}

fn not_in_truth(found: &Csv, line: u64) -> Error {
    Error::data("an id is not in the truth")
        .in_file(found.name.clone())
        .at_line(line)
        .with_hint("the truth has every record once, as id,cluster")
}

/// The cluster of every id, as numbers.
fn clusters(truth: &Csv) -> Result<HashMap<&str, u32>> {
    let (id, cluster) = (truth.column("id")?, truth.column("cluster")?);
    let mut numbers: HashMap<&str, u32> = HashMap::new();
    let mut of = HashMap::new();
    for (line, row) in &truth.rows {
        let next = numbers.len() as u32;
        let number = *numbers.entry(&row[cluster]).or_insert(next);
        if of.insert(row[id].as_str(), number).is_some() {
            return Err(Error::data("an id occurs twice").in_file(truth.name.clone()).at_line(*line));
        }
    }
    Ok(of)
}

fn pairs_in(clusters: impl Iterator<Item = u32>) -> u64 {
    let mut sizes: BTreeMap<u32, u64> = BTreeMap::new();
    clusters.for_each(|cluster| *sizes.entry(cluster).or_default() += 1);
    sizes.into_values().map(|size| size * (size - 1) / 2).sum()
}

impl EvaluatedLink {
    fn of(true_pairs: u64, found_pairs: u64, right_pairs: u64) -> Self {
        let share = |of: u64| (of > 0).then(|| right_pairs as f64 / of as f64);
        let f1 = (true_pairs + found_pairs > 0).then(|| 2.0 * right_pairs as f64 / (true_pairs + found_pairs) as f64);
        Self { precision: share(found_pairs), recall: share(true_pairs), f1, true_pairs, found_pairs, right_pairs }
    }
}
