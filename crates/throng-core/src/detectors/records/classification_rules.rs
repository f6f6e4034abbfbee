//! Detector `classification-rules`: an ordered list of rules that people can read, learnt one after the other from what the rules before
//! leave over.
//!
//! Papers     Fürnkranz, Widmer. Incremental Reduced Error Pruning. 1994. Cohen. Fast Effective Rule Induction. 1995 (when to stop).
//!
//! # Idea
//! 1. Labels are taken from the rarest to the most frequent but one; the most frequent, or the one in order, is what remains.
//! 2. For a label, rows are cut into two thirds to grow a rule on and one third to prune it on. A rule grows by the condition with the
//!    most gain until it covers no other label; then last conditions go while that makes it better on the other third.
//! 3. Rows that a rule covers are done with. A label is done when its next rule is wrong more often than right, or makes the description
//!    longer than the shortest so far by more than [`SURPLUS`] bits.
//!
//! # Formula
//! Gain of a condition: p (lb(p/(p + n)) - lb(P/(P + N))); worth on the pruning part: (p - n)/(p + n). Description: bits of the
//! conditions, and of which rows are exceptions.
//! Score: the chance that the first rule that holds says, (p + 1)/(p + n + 2) on the pruning part, that a row is positive.
//!
//! # Cost
//! Time O(labels x rules x conditions x rows x columns); numbers are looked at in at most [`STEPS`] steps.

use serde::{Deserialize, Serialize};

use super::{Column, LabelRule, Records, number, plain_label};
use crate::error::{Error, Result};
use crate::info::Info;
use crate::progress::Progress;
use crate::rng::Rng;

/// The card.
pub const INFO: Info = Info {
    name: "classification-rules",
    summary: "an ordered list of readable rules: if count > 50 and flag = S0 then neptune",
    paper: "Cohen. Fast Effective Rule Induction. 1995. Castellano et al. Composing Miners to Develop an Intrusion Detection Solution.",
    details: "Idea: labels from the rarest on; a rule grows on two thirds of the rows by the condition with the most gain, and is pruned on the \
              other third; the rows that it covers are done with. A label ends where rules are wrong more often than right or cost more bits \
              than they save.\n\
              Formula: score = (p + 1)/(p + n + 2) of the first rule that holds, counted on its pruning part, or one minus that if it says \
              that the row is in order; flagged above 0.5.\n\
              Cost: time O(labels x rules x conditions x rows x columns).\n\
              Does not: find what needs sums or products of columns.",
    parameters: &[],
};

/// Bits by which a description may be longer than the shortest so far.
pub const SURPLUS: f64 = 64.0;
/// Different steps of a number that are looked at.
pub const STEPS: usize = 255;
/// So many rules a label has at most.
const MOST_RULES: usize = 200;

/// A condition on one column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// The column.
    pub column: String,
    /// How it is compared.
    pub is: Comparison,
    /// With what: a number for `>` and `<=`.
    pub value: String,
}

/// How a cell is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Comparison {
    /// The same text.
    #[serde(rename = "=")]
    Equal,
    /// A greater number.
    #[serde(rename = ">")]
    Above,
    /// The same number or a lower one.
    #[serde(rename = "<=")]
    AtMost,
}

/// A rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// All of these hold; nothing for whatever is left.
    #[serde(rename = "if")]
    pub conditions: Vec<Condition>,
    /// Then this is the label.
    pub then: String,
    /// How many rows of the pruning part it covers, that no rule before it did.
    pub coverage: u64,
    /// What share of them have the label.
    pub precision: f64,
    /// Which rules are alike, once they were reviewed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<usize>,
}

impl Rule {
    /// The rule in words.
    pub fn text(&self) -> String {
        if self.conditions.is_empty() {
            return format!("else {}", self.then);
        }
        let sign = |is: Comparison| match is {
            Comparison::Equal => "=",
            Comparison::Above => ">",
            Comparison::AtMost => "<=",
        };
        let one = |condition: &Condition| format!("{} {} {}", condition.column, sign(condition.is), condition.value);
        format!("if {} then {}", self.conditions.iter().map(one).collect::<Vec<_>>().join(" and "), self.then)
    }
}

/// What was learnt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RulesModel {
    /// The columns of the training table, and whether each is one of numbers.
    pub columns: Vec<(String, bool)>,
    /// In order; the last holds of everything.
    pub rules: Vec<Rule>,
    /// What of the label is positive.
    pub positive: Vec<String>,
}

impl RulesModel {
    /// The score of every row: how likely it is positive.
    pub fn scores(&self, records: &Records, label: &str) -> Result<(Vec<f64>, u64)> {
        let names: Vec<&str> = self.columns.iter().map(|(name, _)| name.as_str()).collect();
        records.arranged(&names, label)?;
        let mut scores = vec![f64::NAN; records.len()];
        for rule in &self.rules {
            let right = rule.precision * rule.coverage as f64;
            let chance = (right + 1.0) / (rule.coverage as f64 + 2.0);
            let score = if self.positive.contains(&rule.then) { chance } else { 1.0 - chance };
            let holds = covered(rule, records)?;
            let open = scores.iter_mut().zip(holds).filter(|(score, holds)| *holds && score.is_nan());
            open.for_each(|(place, _)| *place = score);
        }
        scores.iter_mut().filter(|score| score.is_nan()).for_each(|score| *score = 0.0);
        Ok((scores, 0))
    }

    /// Learns from a table.
    pub fn train(records: &Records, label: &LabelRule, seed: u64, progress: &dyn Progress) -> Result<Self> {
        let missing = || Error::data(format!("the table has no column `{}`", label.column));
        let labels = records.column(&label.column).ok_or_else(missing)?;
        let stepped: Vec<Stepped> = records
            .columns
            .iter()
            .filter(|column| column.name != label.column)
            .map(|column| Stepped::of(column, &records.lines))
            .collect::<Result<_>>()?;
        if stepped.is_empty() {
            return Err(Error::data("the table has no column but the label")
                .with_hint("a detector learns from the other columns"));
        }
        let mut learner = Learner::new(stepped, labels, seed);
        let rules = learner.learn(label, progress)?;
        let mut positive: Vec<String> = learner.names.iter().filter(|name| label.is_positive(name)).cloned().collect();
        positive.sort();
        let columns = learner.columns.iter().map(|column| (column.name.clone(), column.cuts.is_some())).collect();
        Ok(Self { columns, rules, positive })
    }
}

/// Which rows a rule covers.
pub fn covered(rule: &Rule, records: &Records) -> Result<Vec<bool>> {
    let mut holds = vec![true; records.len()];
    for condition in &rule.conditions {
        let column = records.column(&condition.column).ok_or_else(|| {
            Error::data(format!("the table has no column `{}`, which a rule looks at", condition.column))
        })?;
        let limit = number(&condition.value);
        let is = |text: &String| match condition.is {
            Comparison::Equal => text.trim() == condition.value,
            Comparison::Above => number(text).zip(limit).is_some_and(|(own, limit)| own > limit),
            Comparison::AtMost => number(text).zip(limit).is_some_and(|(own, limit)| own <= limit),
        };
        let of_value: Vec<bool> = column.values.iter().map(is).collect();
        holds.iter_mut().zip(&column.cells).for_each(|(holds, &cell)| *holds &= of_value[cell as usize]);
    }
    Ok(holds)
}

/// A column in steps: of numbers, or the places of its values.
struct Stepped {
    name: String,
    /// The highest number of each step, if it is one of numbers.
    cuts: Option<Vec<f64>>,
    values: Vec<String>,
    /// The step of each row.
    steps: Vec<u32>,
    count: usize,
}

impl Stepped {
    fn of(column: &Column, lines: &[u64]) -> Result<Self> {
        let numbers: Option<Vec<f64>> = column.values.iter().map(|text| number(text)).collect();
        let values: Vec<String> = column.values.iter().map(|text| text.trim().to_owned()).collect();
        let Some(numbers) = numbers else {
            let (steps, count) = (column.cells.clone(), values.len());
            return Ok(Self { name: column.name.clone(), cuts: None, values, steps, count });
        };
        if let Some(row) = column.cells.iter().position(|&cell| !numbers[cell as usize].is_finite()) {
            return Err(Error::data("not a finite number, in a column of numbers")
                .in_column(&column.name)
                .at_line(lines[row])
                .with_value(column.text(row)));
        }
        let mut sorted: Vec<f64> = column.cells.iter().map(|&cell| numbers[cell as usize]).collect();
        sorted.sort_by(f64::total_cmp);
        let mut distinct = sorted.clone();
        distinct.dedup();
        let cuts: Vec<f64> = if distinct.len() <= STEPS {
            distinct
        } else {
            let mut cuts: Vec<f64> = (1..=STEPS).map(|step| sorted[step * sorted.len() / STEPS - 1]).collect();
            cuts.dedup();
            cuts
        };
        let of_value: Vec<u32> = numbers.iter().map(|number| cuts.partition_point(|cut| cut < number) as u32).collect();
        let steps = column.cells.iter().map(|&cell| of_value[cell as usize]).collect();
        Ok(Self { name: column.name.clone(), count: cuts.len(), cuts: Some(cuts), values: Vec::new(), steps })
    }

    fn condition(&self, is: Comparison, step: usize) -> Condition {
        let value = match &self.cuts {
            Some(cuts) => cuts[step].to_string(),
            None => self.values[step].clone(),
        };
        Condition { column: self.name.clone(), is, value }
    }
}

/// A condition by the numbers of its column and step.
#[derive(Clone, Copy, PartialEq)]
struct Test {
    column: usize,
    is: Comparison,
    step: u32,
}

struct Learner {
    columns: Vec<Stepped>,
    names: Vec<String>,
    /// The label of each row.
    labels: Vec<u32>,
    rng: Rng,
}

impl Learner {
    fn new(columns: Vec<Stepped>, labels: &Column, seed: u64) -> Self {
        let mut names: Vec<String> = labels.values.iter().map(|text| plain_label(text).to_owned()).collect();
        names.sort();
        names.dedup();
        let place = |text: &String| names.partition_point(|name| name.as_str() < plain_label(text)) as u32;
        let places: Vec<u32> = labels.values.iter().map(place).collect();
        let labels = labels.cells.iter().map(|&cell| places[cell as usize]).collect();
        Self { columns, names, labels, rng: Rng::seeded(seed) }
    }

    fn holds(&self, test: Test, row: u32) -> bool {
        let step = self.columns[test.column].steps[row as usize];
        match test.is {
            Comparison::Equal => step == test.step,
            Comparison::Above => step > test.step,
            Comparison::AtMost => step <= test.step,
        }
    }

    fn learn(&mut self, rule: &LabelRule, progress: &dyn Progress) -> Result<Vec<Rule>> {
        let mut counts = vec![0usize; self.names.len()];
        self.labels.iter().for_each(|&label| counts[label as usize] += 1);
        let mut order: Vec<usize> = (0..self.names.len()).filter(|&label| counts[label] > 0).collect();
        // What is in order is what remains; if several labels are, or none is named, the most frequent.
        let is_normal = |label: usize| !rule.is_positive(&self.names[label]);
        order.sort_by_key(|&label| (is_normal(label), counts[label], label));
        let Some(rest) = order.pop() else { return Ok(Vec::new()) };
        let mut open: Vec<u32> = (0..self.labels.len() as u32).collect();
        let mut rules = Vec::new();
        progress.stage("rules", order.len() as u64);
        for label in order {
            self.of_label(label as u32, &mut open, &mut rules, progress)?;
            progress.advance(1);
        }
        let right = open.iter().filter(|&&row| self.labels[row as usize] as usize == rest).count();
        rules.push(Rule {
            conditions: Vec::new(),
            then: self.names[rest].clone(),
            coverage: open.len() as u64,
            precision: if open.is_empty() { 1.0 } else { right as f64 / open.len() as f64 },
            group: None,
        });
        Ok(rules)
    }

    /// The rules of a label, from the rows that are left.
    fn of_label(
        &mut self,
        label: u32,
        open: &mut Vec<u32>,
        rules: &mut Vec<Rule>,
        progress: &dyn Progress,
    ) -> Result<()> {
        let is_own = |labels: &[u32], row: u32| labels[row as usize] == label;
        let tests: f64 = self.columns.iter().map(|column| column.count as f64).sum();
        let mut own: Vec<Vec<Test>> = Vec::new();
        let mut covered_wrong = 0usize;
        let all_own = open.iter().filter(|&&row| is_own(&self.labels, row)).count();
        let mut left = all_own;
        let all = open.len();
        let mut shortest = exceptions(all_own, all);
        while left > 0 && own.len() < MOST_RULES {
            progress.go_on()?;
            let (grow, prune) = self.parts(label, open);
            let test = self.grow(label, grow);
            let (test, right, wrong) = self.prune(label, test, &prune);
            if test.is_empty() || (right == 0 && !prune.is_empty()) || wrong >= right.max(1) {
                break;
            }
            let covers = |row: &u32| test.iter().all(|&test| self.holds(test, *row));
            let taken = open.iter().filter(|row| covers(row));
            let (mut taken_own, mut taken_wrong) = (0, 0);
            taken.for_each(|&row| if is_own(&self.labels, row) { taken_own += 1 } else { taken_wrong += 1 });
            if taken_own == 0 {
                break;
            }
            own.push(test);
            left -= taken_own;
            covered_wrong += taken_wrong;
            let theory: f64 = own.iter().map(|rule| bits_of_rule(rule.len(), tests)).sum();
            let covered = all_own - left + covered_wrong;
            let length = theory + exceptions(covered_wrong, covered) + exceptions(left, all - covered);
            if length > shortest + SURPLUS {
                break;
            }
            shortest = shortest.min(length);
            let last = &own[own.len() - 1];
            rules.push(Rule {
                conditions: self.conditions(last),
                then: self.names[label as usize].clone(),
                coverage: (right + wrong) as u64,
                precision: right as f64 / (right + wrong).max(1) as f64,
                group: None,
            });
            open.retain(|row| !last.iter().all(|&test| self.holds(test, *row)));
        }
        Ok(())
    }

    /// Two thirds to grow on, one to prune on, of the label and of the others alike.
    fn parts(&mut self, label: u32, open: &[u32]) -> (Vec<u32>, Vec<u32>) {
        let mut rows = open.to_vec();
        self.rng.shuffle(&mut rows);
        let (own, others): (Vec<u32>, Vec<u32>) = rows.into_iter().partition(|&row| self.labels[row as usize] == label);
        let cut = |rows: &[u32]| (2 * rows.len()).div_ceil(3);
        let (own_cut, others_cut) = (cut(&own), cut(&others));
        let grow = [&own[..own_cut], &others[..others_cut]].concat();
        let prune = [&own[own_cut..], &others[others_cut..]].concat();
        (grow, prune)
    }

    fn grow(&self, label: u32, mut rows: Vec<u32>) -> Vec<Test> {
        let mut tests = Vec::new();
        loop {
            let own = rows.iter().filter(|&&row| self.labels[row as usize] == label).count();
            if own == 0 || own == rows.len() {
                return tests;
            }
            let Some(best) = self.best_test(label, &rows, own) else { return tests };
            if tests.contains(&best) {
                return tests;
            }
            rows.retain(|&row| self.holds(best, row));
            tests.push(best);
        }
    }

    /// The condition with the most gain; the first of equal ones.
    fn best_test(&self, label: u32, rows: &[u32], own: usize) -> Option<Test> {
        let before = (own as f64 / rows.len() as f64).log2();
        let gain = |right: u32, wrong: u32| {
            if right == 0 {
                0.0
            } else {
                f64::from(right) * ((f64::from(right) / f64::from(right + wrong)).log2() - before)
            }
        };
        let mut best: Option<(f64, Test)> = None;
        for (at, column) in self.columns.iter().enumerate() {
            let mut counts = vec![[0u32; 2]; column.count];
            for &row in rows {
                let is_other = self.labels[row as usize] != label;
                counts[column.steps[row as usize] as usize][usize::from(is_other)] += 1;
            }
            let all = [own as u32, (rows.len() - own) as u32];
            let mut below = [0u32; 2];
            for (step, count) in counts.iter().enumerate() {
                let mut consider = |is: Comparison, part: [u32; 2]| {
                    let worth = gain(part[0], part[1]);
                    if worth > 1e-9 && best.is_none_or(|(most, _)| worth > most + 1e-9) {
                        best = Some((worth, Test { column: at, is, step: step as u32 }));
                    }
                };
                if column.cuts.is_none() {
                    consider(Comparison::Equal, *count);
                } else if step + 1 < column.count {
                    below = [below[0] + count[0], below[1] + count[1]];
                    consider(Comparison::AtMost, below);
                    consider(Comparison::Above, [all[0] - below[0], all[1] - below[1]]);
                }
            }
        }
        best.map(|(_, test)| test)
    }

    /// Last conditions go while the rule is no worse without them; with what it is worth then.
    fn prune(&self, label: u32, tests: Vec<Test>, rows: &[u32]) -> (Vec<Test>, usize, usize) {
        let counts = |tests: &[Test]| {
            let held = rows.iter().filter(|&&row| tests.iter().all(|&test| self.holds(test, row)));
            held.fold((0, 0), |(right, wrong), &row| match self.labels[row as usize] == label {
                true => (right + 1, wrong),
                false => (right, wrong + 1),
            })
        };
        let worth = |(right, wrong): (usize, usize)| {
            if right + wrong == 0 { -1.0 } else { (right as f64 - wrong as f64) / (right + wrong) as f64 }
        };
        let mut length = tests.len();
        let mut best = counts(&tests);
        for shorter in (1..tests.len()).rev() {
            let found = counts(&tests[..shorter]);
            if worth(found) >= worth(best) {
                (length, best) = (shorter, found);
            }
        }
        (tests[..length].to_vec(), best.0, best.1)
    }

    /// The conditions, without those that a later one makes idle.
    fn conditions(&self, tests: &[Test]) -> Vec<Condition> {
        let is_idle = |(at, test): (usize, &Test)| {
            tests[at + 1..].iter().any(|later| later.column == test.column && later.is == test.is)
        };
        let kept = tests.iter().enumerate().filter(|&(at, test)| !is_idle((at, test)));
        kept.map(|(_, test)| self.columns[test.column].condition(test.is, test.step as usize)).collect()
    }
}

/// The bits of which rows of some are exceptions.
fn exceptions(count: usize, of: usize) -> f64 {
    let (count, of) = (count as f64, of as f64);
    let part = |some: f64| if some > 0.0 { -some * (some / of).log2() } else { 0.0 };
    part(count) + part(of - count) + (of + 1.0).log2()
}

/// The bits of a rule with so many conditions, half of them because the order of conditions says nothing.
fn bits_of_rule(conditions: usize, of: f64) -> f64 {
    let count = conditions as f64;
    0.5 * (count * of.max(2.0).log2() + (count + 1.0).log2())
}
