//! Classification kept, for tables: how well a decision tree predicts a column, from the original and from the release.
//!
//! Paper      The use that Rachlin, Probst, Ghani 2008 measure (figure 7); folds, tree and the third number are ours.
//!
//! # Idea
//! Rows are cut into ten parts by the seed. A tree (`learn/tree.rs`) learns from nine and is tested on the tenth: `before` on the
//! original, `after` on the release, and `on_originals` learnt from the release and tested on the original's rows.
//!
//! # Formula
//! value = 100 x on_originals / before.
//!
//! # Readings
//! Numbers become at most 64 steps of about equally many rows of what is learnt from. A column to predict of more than
//! [`MOST_CLASSES`] different numbers is cut at the original's median: below it, or not.
//!
//! # Cost
//! Time O(folds x rows x features x depth).

use rayon::prelude::*;
use serde_json::json;

use super::super::{Context, Measure, MeasureInfo, Measured, Pair, mean};
use super::classification_kept;
use super::lessons::{self, FOLDS, Lessons, Taught};
use crate::data::Interner;
use crate::data::table::Table;
use crate::error::Result;
use crate::info::{Info, Need};
use crate::learn::tree::{Examples, Tree};

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: classification_kept::INFO.info.name,
        summary: "how well a decision tree that learns from the release predicts a column, against the original",
        paper: "ours; for the use in Rachlin, Probst, Ghani 2008, figure 7, with the tree of Breiman, Friedman, Olshen, Stone 1984",
        details: "Rows are cut into ten parts by the seed; a decision tree (Gini, 20 rows a leaf, 12 questions deep at most) learns from nine and \
            is tested on the tenth. `parts.before` is its accuracy on the original, `parts.after` on the release, \
            `parts.on_originals` that of trees that learn from the release and are tested on the original's rows. The headline is 100 \
            on_originals / before. `parts.majority` is the accuracy of always saying the most frequent value. A column of more than 50 \
            different numbers is cut at the original's median.\n\
            A published interval counts as its middle, a label as all that it lies under. Of more than 50,000 rows a sample. Needs \
            a column to predict (--target), the link between rows (--key), and one row a person.",
        parameters: &[],
    },
    needs: &[Need::Target, Need::Link],
    undefined: "the column to predict has one value or too many, or a person has several rows",
    costly: true,
    ..classification_kept::INFO
};

/// A column of more different numbers is cut at the median.
const MOST_CLASSES: usize = 50;
/// Numbers become so many steps, at most.
const STEPS: usize = 64;

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct ClassificationKept;

impl Measure<Table> for ClassificationKept {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, Table>, context: &Context<'_>) -> Result<Measured> {
        let Some(taught) = Taught::of(pair, context.seed)? else { return Ok(self.measured(None, json!({}))) };
        let median = median(&taught);
        let mut names = Interner::new();
        let mut classes_of = |lessons: &Lessons| {
            let class = |text: &String| match median {
                Some(median) if lessons::number(text, &taught.target) < median => names.intern("below"),
                Some(_) => names.intern("not below"),
                None => names.intern(text),
            };
            lessons.targets.iter().map(class).collect::<Vec<u32>>()
        };
        let (own, released) = (classes_of(&taught.original), classes_of(&taught.release));
        let classes = names.strings().len();
        let mut counts = vec![0usize; classes];
        own.iter().for_each(|&class| counts[class as usize] += 1);
        let different = counts.iter().filter(|count| **count > 0).count();
        if different < 2 || classes > 1000 {
            return Ok(self.measured(None, json!({"classes": different})));
        }
        context.progress.stage("decision trees", 0);
        let fold_of_release = taught.fold_of_release();
        let of_fold = |fold: usize| {
            let outside = |folds: &[usize]| -> Vec<u32> {
                (0u32..).zip(folds).filter(|(_, own)| **own != fold).map(|(row, _)| row).collect()
            };
            let inside =
                |folds: &[usize]| -> Vec<usize> { (0..folds.len()).filter(|&row| folds[row] == fold).collect() };
            let before = Learner::learn(&taught.original, &own, outside(&taught.fold_of));
            let after = Learner::learn(&taught.release, &released, outside(&fold_of_release));
            let tested = inside(&taught.fold_of);
            let right = |learner: &Option<Learner>, lessons: &Lessons, classes: &[u32], rows: &[usize]| -> usize {
                let Some(learner) = learner else { return 0 };
                rows.iter().filter(|&&row| learner.class(lessons.row(row)) == classes[row]).count()
            };
            let of_release = inside(&fold_of_release);
            [
                right(&before, &taught.original, &own, &tested),
                right(&after, &taught.release, &released, &of_release),
                right(&after, &taught.original, &own, &tested),
            ]
        };
        let right: Vec<[usize; 3]> = (0..FOLDS).into_par_iter().map(of_fold).collect();
        context.progress.go_on()?;
        let share = |which: usize, rows: usize| {
            let sum: usize = right.iter().map(|right| right[which]).sum();
            (rows > 0).then(|| sum as f64 / rows as f64)
        };
        let rows = taught.original.rows();
        let (before, after, on_originals) = (share(0, rows), share(1, taught.release.rows()), share(2, rows));
        let kept =
            before.zip(on_originals).filter(|(before, _)| *before > 0.0).map(|(before, found)| 100.0 * found / before);
        let most = counts.iter().copied().max().unwrap_or(0);
        let majority = mean(&[most as f64 / rows.max(1) as f64]);
        let parts = json!({
            "before": before, "after": after, "on_originals": on_originals, "majority": majority,
            "classes": different, "rows": rows, "folds": FOLDS,
        });
        Ok(self.measured(kept, parts))
    }
}

/// Where a column of many different numbers is cut into two classes.
fn median(taught: &Taught) -> Option<f64> {
    let Taught { original, target, .. } = taught;
    let mut numbers: Vec<f64> = original.targets.iter().map(|text| lessons::number(text, target)).collect();
    numbers.retain(|number| !number.is_nan());
    numbers.sort_unstable_by(f64::total_cmp);
    let middle = numbers.get(numbers.len() / 2).copied();
    numbers.dedup();
    middle.filter(|_| target.kind.is_numeric() && numbers.len() > MOST_CLASSES)
}

/// A tree, and the steps that its numbers were cut into.
struct Learner {
    cuts: Vec<Vec<f64>>,
    tree: Tree,
}

impl Learner {
    fn learn(lessons: &Lessons, classes: &[u32], rows: Vec<u32>) -> Option<Self> {
        let cuts: Vec<Vec<f64>> = (0..lessons.features).map(|feature| cuts(lessons, &rows, feature)).collect();
        let mut steps = vec![0u8; lessons.rows() * lessons.features];
        for &row in &rows {
            let place = row as usize * lessons.features;
            for (feature, &number) in lessons.row(row as usize).iter().enumerate() {
                steps[place + feature] = step(&cuts[feature], number);
            }
        }
        let tree = Tree::learn(Examples { features: lessons.features, steps: &steps, classes }, rows)?;
        Some(Self { cuts, tree })
    }

    fn class(&self, features: &[f64]) -> u32 {
        let steps: Vec<u8> = features.iter().zip(&self.cuts).map(|(&number, cuts)| step(cuts, number)).collect();
        self.tree.class(&steps)
    }
}

/// How many cuts lie below a number.
fn step(cuts: &[f64], number: f64) -> u8 {
    cuts.partition_point(|&cut| cut < number) as u8
}

/// Where a feature is cut: between different numbers, into parts of about equally many rows.
fn cuts(lessons: &Lessons, rows: &[u32], feature: usize) -> Vec<f64> {
    let mut numbers: Vec<f64> = rows.iter().map(|&row| lessons.row(row as usize)[feature]).collect();
    numbers.sort_unstable_by(f64::total_cmp);
    let mut cuts = Vec::new();
    for part in 1..STEPS {
        let at = part * numbers.len() / STEPS;
        let Some(&number) = numbers.get(at) else { continue };
        // The next number that is different: the cut is in the middle.
        let next = numbers[at..].iter().copied().find(|&other| other > number);
        cuts.extend(next.map(|next| number + (next - number) / 2.0));
    }
    cuts.dedup();
    cuts
}

#[cfg(test)]
mod tests {
    use super::super::super::cells::testing::measure;
    use super::*;
    use crate::data::table::testing::table;

    /// Four hundred rows whose class is whether x is above 10; noise in a second column.
    fn rows(shift: u32) -> Vec<String> {
        (0..400u32)
            .map(|row| format!("{} {} {}", (row + shift) % 20, row * row % 13, if row % 20 > 9 { "y" } else { "n" }))
            .collect()
    }

    fn of(rows: &[String]) -> Table {
        table("x:q z:p c:s", &rows.iter().map(String::as_str).collect::<Vec<_>>())
    }

    #[test]
    fn what_is_kept_is_learnt_and_what_is_gone_is_not() {
        let original = of(&rows(0)).with_target(Some("c".to_owned()));
        let same = measure(&ClassificationKept, &original, &of(&rows(0)));
        assert_eq!(same.value, Some(100.0), "{:?}", same.parts);
        assert_eq!(
            (&same.parts["before"], &same.parts["after"], &same.parts["on_originals"]),
            (&json!(1.0), &json!(1.0), &json!(1.0))
        );
        assert_eq!(same.parts["majority"], json!(0.5));
        // Every x is turned around by half: the release is consistent, and wrong of the original.
        let turned = measure(&ClassificationKept, &original, &of(&rows(10)));
        assert_eq!((&turned.parts["after"], &turned.parts["on_originals"]), (&json!(1.0), &json!(0.0)));
        // All of x is gone: nothing but the majority is left.
        let bare: Vec<String> = rows(0).iter().map(|row| format!("* {}", row.split_once(' ').unwrap().1)).collect();
        let nothing = measure(&ClassificationKept, &original, &of(&bare));
        assert!(nothing.parts["on_originals"].as_f64().unwrap() < 0.65, "{:?}", nothing.parts);
    }

    #[test]
    fn a_column_of_one_value_cannot_be_predicted() {
        let constant = table("x:q c:s", &["1 a", "2 a", "3 a"]).with_target(Some("c".to_owned()));
        assert_eq!(measure(&ClassificationKept, &constant, &constant.clone()).value, None);
    }
}
