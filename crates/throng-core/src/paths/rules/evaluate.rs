//! What rules are worth for people who did not teach them.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde::Serialize;

use super::{Params, Taught, apply_to, grow, too_few};
use crate::Result;
use crate::data::Paths;
use crate::rng::Rng;

/// Into so many parts persons are dealt.
const FOLDS: usize = 10;

/// How often rules are right about people who did not teach them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Evaluation {
    /// The share of tracks whose label is said right.
    pub accuracy: f64,
    /// The same, if everybody were said to have the label that is the most frequent among those who teach.
    pub baseline: f64,
    /// How many tracks were judged.
    pub tracks: usize,
    /// Of how many persons.
    pub persons: usize,
    /// Into how many parts they were dealt.
    pub folds: usize,
    /// Each label.
    pub labels: Vec<LabelWorth>,
    /// Tracks without a label, or with one of too few persons.
    pub left_out: usize,
}

/// How well a label is said.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LabelWorth {
    /// The label.
    pub label: String,
    /// How many tracks have it.
    pub tracks: usize,
    /// Of the tracks that are said to have it, the share that does; nothing, if none is.
    pub precision: Option<f64>,
    /// Of the tracks that have it, the share that is said to.
    pub recall: f64,
}

/// Judges each tenth of the persons by the rules that the others teach.
pub fn evaluate(paths: &Paths, params: &Params, rng: &mut Rng) -> Result<Evaluation> {
    let taught = Taught::of(paths, params)?;
    let (fold_of, folds) = dealt(&taught, rng);
    if folds < 2 {
        return Err(too_few(params.k));
    }
    let (mut right, mut right_by_most, mut judged) = (0, 0, 0);
    // For each label: how many have it, are said to have it, and both.
    let mut counts: BTreeMap<u32, [usize; 3]> = BTreeMap::new();
    for fold in 0..folds {
        let (asked, teaching): (Vec<usize>, Vec<usize>) =
            (0..taught.examples.len()).partition(|&row| fold_of[taught.person(row) as usize] == fold);
        let (leaves, otherwise) = grow::rules(&taught, &teaching, params).ok_or_else(|| too_few(params.k))?;
        for row in asked {
            let (is, said) = (taught.labels[row], apply_to(&taught.examples[row], &leaves).unwrap_or(otherwise));
            judged += 1;
            right += usize::from(is == said);
            right_by_most += usize::from(is == otherwise);
            counts.entry(is).or_default()[0] += 1;
            counts.entry(said).or_default()[1] += 1;
            counts.entry(said).or_default()[2] += usize::from(is == said);
        }
    }
    let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
    let worth = |(label, [tracks, said, both]): (u32, [usize; 3])| LabelWorth {
        label: taught.label_name(label),
        tracks,
        precision: (said > 0).then(|| share(both, said)),
        recall: share(both, tracks),
    };
    let everybody: Vec<usize> = (0..taught.examples.len()).collect();
    Ok(Evaluation {
        accuracy: share(right, judged),
        baseline: share(right_by_most, judged),
        tracks: judged,
        persons: taught.persons(&everybody),
        folds,
        labels: counts.into_iter().map(worth).collect(),
        left_out: taught.left_out,
    })
}

/// The part of each person, and how many parts there are: persons whose points are all equal are dealt together.
fn dealt(taught: &Taught<'_>, rng: &mut Rng) -> (Vec<usize>, usize) {
    let paths = taught.paths;
    let mut persons: Vec<usize> = (0..taught.examples.len()).map(|row| taught.person(row) as usize).collect();
    persons.dedup();
    let points = |person: usize| paths.range(person).map(|point| (paths.time(point), paths.place(point)));
    let order = |&left: &usize, &right: &usize| -> Ordering {
        points(left).partial_cmp(points(right)).unwrap_or(Ordering::Equal).then(left.cmp(&right))
    };
    persons.sort_by(order);
    let mut crowds: Vec<Vec<usize>> =
        persons.chunk_by(|&left, &right| points(left).eq(points(right))).map(<[usize]>::to_vec).collect();
    // In the order of the file, so that the draw depends on nothing else.
    crowds.sort_by_key(|crowd| crowd.iter().min().copied());
    rng.shuffle(&mut crowds);
    let folds = FOLDS.min(crowds.len());
    let mut fold_of = vec![usize::MAX; paths.persons()];
    for (crowd, at) in crowds.iter().zip(0..) {
        crowd.iter().for_each(|&person| fold_of[person] = at % folds.max(1));
    }
    (fold_of, folds)
}
