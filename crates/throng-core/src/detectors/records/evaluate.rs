//! How right a detector is on rows of which it is known what they are: accuracy, precision, recall, recall of each family, and AUC.
//!
//! # Formula
//! accuracy = right / all; precision = flagged and positive / flagged; recall = flagged and positive / positive. AUC: the chance that a
//! positive row has a higher score than another one, ties half.

use std::collections::BTreeMap;

use super::kdd;
use super::{LabelRule, plain_label};

/// How right a detector was.
#[derive(Debug, Clone, PartialEq)]
pub struct Quality {
    /// Right ones among all.
    pub accuracy: Option<f64>,
    /// Positive ones among those flagged.
    pub precision: Option<f64>,
    /// Flagged ones among the positive.
    pub recall: Option<f64>,
    /// The same for each family of labels.
    pub families: BTreeMap<String, FamilyRecall>,
    /// The chance that a positive row has the higher score.
    pub auc: Option<f64>,
    /// How many are flagged.
    pub flagged: usize,
}

/// How many of a family were found.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct FamilyRecall {
    /// How many rows it has.
    pub rows: usize,
    /// What share of them is flagged.
    pub recall: f64,
}

/// Judges scores by the labels of their rows.
pub fn quality(scores: &[f64], flags: &[bool], labels: &[&str], rule: &LabelRule) -> Quality {
    let truth: Vec<bool> = labels.iter().map(|label| rule.is_positive(label)).collect();
    let count =
        |is: &dyn Fn(bool, bool) -> bool| flags.iter().zip(&truth).filter(|(flag, truth)| is(**flag, **truth)).count();
    let both = count(&|flag, truth| flag && truth);
    let (flagged, positive) = (count(&|flag, _| flag), count(&|_, truth| truth));
    let share = |some: usize, of: usize| (of > 0).then(|| some as f64 / of as f64);
    let mut families: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for (label, &flag) in labels.iter().zip(flags).filter(|(label, _)| rule.is_positive(label)) {
        let name = kdd::family(label).map_or_else(|| plain_label(label).to_owned(), |family| family.name().to_owned());
        let family = families.entry(name).or_default();
        family.0 += 1;
        family.1 += usize::from(flag);
    }
    let recall = |(name, (rows, found)): (String, (usize, usize))| {
        (name, FamilyRecall { rows, recall: found as f64 / rows as f64 })
    };
    Quality {
        accuracy: share(count(&|flag, truth| flag == truth), truth.len()),
        precision: share(both, flagged),
        recall: share(both, positive),
        families: families.into_iter().map(recall).collect(),
        auc: auc(scores, &truth),
        flagged,
    }
}

/// The chance that a positive row has a higher score than another one, ties half; nothing if one sort is missing.
pub fn auc(scores: &[f64], truth: &[bool]) -> Option<f64> {
    let mut order: Vec<(f64, bool)> = scores.iter().copied().zip(truth.iter().copied()).collect();
    order.sort_by(|one, other| one.0.total_cmp(&other.0));
    let (mut before, mut sum) = (0.0, 0.0);
    let (mut positive, mut others) = (0.0, 0.0);
    let mut at = 0;
    while at < order.len() {
        let end = at + order[at..].iter().take_while(|(score, _)| *score == order[at].0).count();
        let own = order[at..end].iter().filter(|(_, truth)| *truth).count() as f64;
        let rest = (end - at) as f64 - own;
        sum += own * (before + rest / 2.0);
        before += rest;
        positive += own;
        others += rest;
        at = end;
    }
    (positive > 0.0 && others > 0.0).then(|| sum / (positive * others))
}
