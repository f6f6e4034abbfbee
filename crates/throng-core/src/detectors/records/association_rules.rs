//! Detector `association-rules`: what usually goes together in records, and which records break it.
//!
//! Papers     Agrawal, Srikant. Fast Algorithms for Mining Association Rules. 1994. Zaki. Scalable Algorithms for Association Mining. 2000
//!            (sets of rows instead of scans).
//!
//! # Idea
//! 1. Frequent sets of items grow by one item at a time, each with the set of its rows as bits; the items of a set are of different columns.
//! 2. Each of a set's items in turn is what the others imply.
//! 3. A record is out of place as far as it breaks rules that others keep. Rules with the label in them judge nobody: the label of a record
//!    that is scored is not known.
//!
//! # Formula
//! support = share of the records with all items; confidence = support / support of the left side; lift = confidence / support of the right
//! side. Score = sum of the weights of the rules whose left side holds and right side does not / sum of all weights;
//! weight = 1/(1 - confidence), with one broken record more than there were, and one kept: what hardly ever happens says most.
//!
//! # Cost
//! Time O(frequent sets x items x records / 64).

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use super::episodes::Episode;
use super::items::{Bits, ItemColumn, Items};
use super::{LabelRule, Records};
use crate::error::{Error, Result};
use crate::info::{Info, Parameter, ParameterKind};
use crate::progress::Progress;

/// The card.
pub const INFO: Info = Info {
    name: "association-rules",
    summary: "what usually goes together in records, and which records break it",
    paper: "Agrawal, Srikant. Fast Algorithms for Mining Association Rules. 1994. Castellano et al. Composing Miners to Develop an Intrusion Detection Solution.",
    details: "Idea: all rules from one to most-items - 1 items to one item, with support and confidence at or above the limits; an item is \
              column=value, numbers with more than 10 values are cut at their terciles. With --only-normal learnt from the rows in order and \
              without their label: what breaks the rules is an anomaly.\n\
              Formula: score = weighted share of the rules whose left side holds and right side does not; the weight of a rule is \
              1/(1 - confidence), as if one record more had kept it and one more broken it. Flagged above the score that tells the training rows apart best: most recall less false alarms.\n\
              Cost: time O(frequent sets x items x rows / 64).\n\
              Does not: find what is rare and in order; and rules with the label in them judge nobody.",
    parameters: &[
        Parameter {
            name: "support",
            summary: "the share of records with all items of a rule, at least",
            kind: ParameterKind::Share,
            default: "0.1",
        },
        Parameter {
            name: "confidence",
            summary: "the share of records with the left side that have the right side, at least",
            kind: ParameterKind::Share,
            default: "0.8",
        },
        Parameter {
            name: "most-items",
            summary: "how many items a rule has, at most",
            kind: ParameterKind::Count,
            default: "4",
        },
    ],
};

/// So many rules are found at most.
pub const MOST_RULES: usize = 3_000_000;

/// Column and value of each item of one side.
pub type Side = BTreeMap<String, String>;

/// A rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// What holds.
    #[serde(rename = "if")]
    pub left: Side,
    /// What holds then.
    pub then: Side,
    /// The share of the records with all of it.
    pub support: f64,
    /// The share of the records with the left side that have the right side.
    pub confidence: f64,
    /// How much more often that is than in all records.
    pub lift: f64,
    /// Which rules are alike, once they were reviewed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<usize>,
}

impl Rule {
    /// The rule in words.
    pub fn text(&self) -> String {
        let side =
            |side: &Side| side.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(", ");
        format!("{} -> {}", side(&self.left), side(&self.then))
    }
}

/// How to learn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AssociationParams {
    /// The least support.
    pub support: f64,
    /// The least confidence.
    pub confidence: f64,
    /// How many items a rule has at most.
    pub most_items: usize,
    /// Whether only rows in order are learnt from, without their label.
    pub only_normal: bool,
}

impl Default for AssociationParams {
    fn default() -> Self {
        Self { support: 0.1, confidence: 0.8, most_items: 4, only_normal: false }
    }
}

impl AssociationParams {
    /// Checks them all.
    pub fn check(&self) -> Result<()> {
        let mut errors = Vec::new();
        for (name, value) in [("support", self.support), ("confidence", self.confidence)] {
            if !(value > 0.0 && value <= 1.0) {
                errors.push(Error::parameter(name, format!("must be a share above 0 and at most 1, and is {value}")));
            }
        }
        if !(2..=8).contains(&self.most_items) {
            errors.push(Error::parameter("most-items", format!("must be from 2 to 8, and is {}", self.most_items)));
        }
        if errors.is_empty() { Ok(()) } else { Err(Error::parameters(errors)) }
    }
}

/// What was learnt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AssociationModel {
    /// How cells become items.
    pub columns: Vec<ItemColumn>,
    /// Whether only rows in order were learnt from.
    pub only_normal: bool,
    /// A column that nothing was learnt from: the time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ignored: Option<String>,
    /// How many records were learnt from.
    pub records: u64,
    /// By falling confidence, support, then text.
    pub rules: Vec<Rule>,
    /// What follows what, if that was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub episodes: Vec<Episode>,
    /// The score above which a record is flagged.
    pub threshold: f64,
}

/// A rule by the numbers of its items.
struct Found {
    left: Vec<u32>,
    right: u32,
    both: u64,
    of_left: u64,
    of_right: u64,
}

impl AssociationModel {
    /// Learns from a table.
    pub fn train(
        records: &Records,
        label: &LabelRule,
        params: AssociationParams,
        progress: &dyn Progress,
    ) -> Result<Self> {
        params.check()?;
        let truth = label.truth(records)?;
        let rows: Vec<u32> =
            (0..records.len() as u32).filter(|&row| !params.only_normal || !truth[row as usize]).collect();
        let own: Vec<&super::Column> =
            records.columns.iter().filter(|column| !params.only_normal || column.name != label.column).collect();
        let columns: Vec<ItemColumn> =
            own.iter().map(|column| ItemColumn::of(column, &rows, &records.lines)).collect::<Result<_>>()?;
        let pairs: Vec<(&ItemColumn, &super::Column)> = columns.iter().zip(own).collect();
        let items = Items::of(&pairs, None).some(&rows);
        let found = mine(&items, &params, progress)?;
        let total = rows.len() as f64;
        let side = |list: &[u32]| -> Side {
            let named = |item: &u32| {
                let (column, value) = &items.names[*item as usize];
                (columns[*column].name.clone(), value.clone())
            };
            list.iter().map(named).collect()
        };
        let mut rules: Vec<(String, Rule)> = found
            .iter()
            .map(|found| {
                let confidence = found.both as f64 / found.of_left as f64;
                let rule = Rule {
                    left: side(&found.left),
                    then: side(&[found.right]),
                    support: found.both as f64 / total,
                    confidence,
                    lift: confidence / (found.of_right as f64 / total),
                    group: None,
                };
                (rule.text(), rule)
            })
            .collect();
        rules.sort_by(|(text, one), (other_text, other)| {
            other
                .confidence
                .total_cmp(&one.confidence)
                .then(other.support.total_cmp(&one.support))
                .then_with(|| text.cmp(other_text))
        });
        let rules: Vec<Rule> = rules.into_iter().map(|(_, rule)| rule).collect();
        let records_read = rows.len() as u64;
        let mut model = Self {
            columns,
            only_normal: params.only_normal,
            ignored: None,
            records: records_read,
            rules,
            episodes: Vec::new(),
            threshold: 0.0,
        };
        let (scores, _) = model.scores(records, &label.column)?;
        model.threshold = best_threshold(&scores, &truth);
        Ok(model)
    }

    /// The names of the columns that judge a record.
    pub fn column_names(&self, label: &str) -> Vec<&str> {
        self.columns.iter().map(|column| column.name.as_str()).filter(|name| *name != label).collect()
    }

    /// The rules that judge: those without the label in them.
    fn judging_rules<'a>(&'a self, label: &'a str) -> impl Iterator<Item = &'a Rule> {
        self.rules.iter().filter(move |rule| !rule.left.contains_key(label) && !rule.then.contains_key(label))
    }

    /// Whether any rule judges.
    pub fn judges(&self, label: &str) -> bool {
        self.judging_rules(label).next().is_some()
    }

    /// The scores of a table, and how many cells have a value that no rule knows.
    pub fn scores(&self, records: &Records, label: &str) -> Result<(Vec<f64>, u64)> {
        let judging: Vec<&ItemColumn> = self.columns.iter().filter(|column| column.name != label).collect();
        let names: Vec<&str> = judging.iter().map(|column| column.name.as_str()).collect();
        let timeless;
        let records = match &self.ignored {
            Some(ignored) => {
                timeless = records.without(ignored);
                &timeless
            }
            None => records,
        };
        let columns = records.arranged(&names, label)?;
        let place: HashMap<&str, usize> = names.iter().enumerate().map(|(at, name)| (*name, at)).collect();
        let unlabelled: Vec<&Rule> = self.judging_rules(label).collect();
        let item_of = |(name, value): (&String, &'_ String)| match place.get(name.as_str()) {
            Some(&at) => Ok((at, value.clone())),
            None => Err(Error::data(format!("a rule of the model names a column `{name}` that it does not have"))),
        };
        let mut numbers: HashMap<(&str, &str), u32> = HashMap::new();
        let mut known: Vec<(usize, String)> = Vec::new();
        for (name, value) in unlabelled.iter().flat_map(|rule| rule.left.iter().chain(&rule.then)) {
            if let Entry::Vacant(entry) = numbers.entry((name.as_str(), value.as_str())) {
                entry.insert(0);
                known.push(item_of((name, value))?);
            }
        }
        known.sort();
        for (at, (column, value)) in known.iter().enumerate() {
            numbers.insert((names[*column], value.as_str()), at as u32);
        }
        let pairs: Vec<(&ItemColumn, &super::Column)> = judging.iter().copied().zip(columns).collect();
        let items = Items::of(&pairs, Some(&known));
        let bits = items.bits();
        let bits_of = |(name, value): (&String, &String)| {
            numbers.get(&(name.as_str(), value.as_str())).map(|&at| &bits[at as usize])
        };
        let mut scores = vec![0.0; records.len()];
        let mut whole = 0.0;
        for rule in &unlabelled {
            let weight = weight(rule, self.records);
            whole += weight;
            let mut sets = rule.left.iter().filter_map(bits_of);
            let (Some(first), Some(right)) = (sets.next(), rule.then.iter().next().and_then(bits_of)) else { continue };
            match sets.next() {
                None => first.without(right).for_each(|row| scores[row] += weight),
                Some(second) => {
                    let held = sets.fold(first.and(second), |held, next| held.and(next));
                    held.without(right).for_each(|row| scores[row] += weight);
                }
            }
        }
        if whole > 0.0 {
            scores.iter_mut().for_each(|score| *score /= whole);
        }
        Ok((scores, 0))
    }
}

/// How much a rule that is broken says.
fn weight(rule: &Rule, records: u64) -> f64 {
    let covered = rule.support / rule.confidence * records as f64;
    let broken = covered * (1.0 - rule.confidence);
    (covered + 2.0) / (broken + 1.0)
}

/// The score that leaves most positive rows above it and fewest others; in the middle between two scores, the highest of equal ones.
fn best_threshold(scores: &[f64], truth: &[bool]) -> f64 {
    let positive = truth.iter().filter(|&&positive| positive).count().max(1) as f64;
    let others = (truth.len() as f64 - positive).max(1.0);
    let mut order: Vec<(f64, bool)> = scores.iter().copied().zip(truth.iter().copied()).collect();
    order.sort_by(|one, other| other.0.total_cmp(&one.0));
    let (mut best, mut found) = (0.0, order.first().map_or(0.0, |(score, _)| *score));
    let mut worth = 0.0;
    for (at, (score, is_positive)) in order.iter().enumerate() {
        worth += if *is_positive { 1.0 / positive } else { -1.0 / others };
        let next = order.get(at + 1).map(|next| next.0);
        if next != Some(*score) && worth > best + 1e-12 {
            (best, found) = (worth, next.map_or(*score / 2.0, |next| (score + next) / 2.0));
        }
    }
    found
}

/// All rules by the numbers of their items.
fn mine(items: &Items, params: &AssociationParams, progress: &dyn Progress) -> Result<Vec<Found>> {
    let rows = items.len();
    let least = least_count(params.support, rows);
    let bits = items.bits();
    let frequent: Vec<u32> = (0..bits.len() as u32).filter(|&item| bits[item as usize].count() >= least).collect();
    progress.stage("frequent sets", frequent.len() as u64);
    let mut search =
        Search { items, bits: &bits, frequent: &frequent, least, most: params.most_items, sets: Vec::new() };
    for (at, &item) in frequent.iter().enumerate() {
        progress.go_on()?;
        search.grow(&mut vec![item], &bits[item as usize], at)?;
        progress.advance(1);
    }
    // Sets were found in the order of their items.
    let sets = search.sets;
    let count = |set: &[u32]| {
        let place = sets.binary_search_by(|(other, _)| other.as_slice().cmp(set));
        place.map_or(0, |place| sets[place].1)
    };
    let mut found = Vec::new();
    for (set, both) in sets.iter().filter(|(set, _)| set.len() > 1) {
        for right in set {
            let left: Vec<u32> = set.iter().copied().filter(|item| item != right).collect();
            let of_left = count(&left);
            if is_at_least(*both, params.confidence, of_left) {
                found.push(Found { left, right: *right, both: *both, of_left, of_right: count(&[*right]) });
            }
        }
        if found.len() > MOST_RULES {
            return Err(too_many());
        }
    }
    Ok(found)
}

fn too_many() -> Error {
    Error::data(format!("more than {MOST_RULES} rules have that support and confidence"))
        .with_hint("a greater `--support` or `--confidence`, or fewer `--most-items`, leaves those that matter")
}

/// The least whole number that is so large a share of all.
fn least_count(share: f64, of: usize) -> u64 {
    let about = (share * of as f64).floor() as u64;
    (about.saturating_sub(1)..=about + 1)
        .find(|&count| is_at_least(count, share, of as u64))
        .unwrap_or(about + 1)
        .max(1)
}

/// Whether a count is so large a share of another, as it would be written.
fn is_at_least(count: u64, share: f64, of: u64) -> bool {
    count as f64 / of as f64 >= share
}

struct Search<'a> {
    items: &'a Items,
    bits: &'a [Bits],
    frequent: &'a [u32],
    least: u64,
    most: usize,
    /// Frequent sets and how many rows have each.
    sets: Vec<(Vec<u32>, u64)>,
}

impl Search<'_> {
    /// Notes a frequent set, and goes on with later items of other columns.
    fn grow(&mut self, set: &mut Vec<u32>, rows: &Bits, last: usize) -> Result<()> {
        self.sets.push((set.clone(), rows.count()));
        // A set has about as many rules as items, at a confidence that is not low.
        if self.sets.len() > MOST_RULES {
            return Err(too_many());
        }
        if set.len() == self.most {
            return Ok(());
        }
        let column = |item: u32| self.items.names[item as usize].0;
        for at in last + 1..self.frequent.len() {
            let item = self.frequent[at];
            if column(item) == column(self.frequent[last]) || rows.count_and(&self.bits[item as usize]) < self.least {
                continue;
            }
            let held = rows.and(&self.bits[item as usize]);
            set.push(item);
            self.grow(set, &held, at)?;
            set.pop();
        }
        Ok(())
    }
}
