//! Regression kept: how well a linear fit predicts a column of numbers, from the original and from the release.
//!
//! Paper      The use that Rachlin, Probst, Ghani 2008 measure (figure 8); folds and the third number are ours.
//!
//! # Idea
//! As `classification_kept_table.rs`, with a linear fit (`learn/linear.rs`) in the place of the tree, and the correlation of what is
//! predicted with what is true, over all parts together, in the place of accuracy.
//!
//! # Formula
//! value = 100 x on_originals / before.
//!
//! # Cost
//! Time O(rows x features^2).

use serde_json::json;

use super::super::{Context, Measure, MeasureInfo, Measured, Pair};
use super::lessons::{self, FOLDS, Lessons, Taught};
use crate::data::table::Table;
use crate::error::Result;
use crate::info::{Info, Need};
use crate::learn::linear::{Sums, correlation, predict};

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "regression-kept",
        summary: "how well a linear fit to the release predicts a column of numbers, against the original",
        paper: "ours; for the use in Rachlin, Probst, Ghani 2008, figure 8",
        details: "Rows are cut into ten parts by the seed; a linear fit to nine predicts the tenth. `parts.before` is the correlation of \
            what is predicted with what is true on the original, `parts.after` on the release, `parts.on_originals` that of fits to \
            the release on the original's rows. The headline is 100 on_originals / before.\n\
            A published interval counts as its middle, a label as all that it lies under. Of more than 50,000 rows a sample. Needs \
            a column of numbers to predict (--target), the link between rows (--key), and one row a person.",
        parameters: &[],
    },
    unit: "%",
    better: "higher",
    says: "A straight-line fit to the release predicts {} as well as one to the original.",
    undefined: "the column to predict is none of numbers, nothing predicts it, or a person has several rows",
    needs: &[Need::Target, Need::Link],
    costly: true,
    ..MeasureInfo::DEFAULT
};

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct RegressionKept;

impl Measure<Table> for RegressionKept {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, Table>, context: &Context<'_>) -> Result<Measured> {
        let Some(taught) = Taught::of(pair, context.seed)? else { return Ok(self.measured(None, json!({}))) };
        if !taught.target.kind.is_numeric() {
            return Ok(self.measured(None, json!({})));
        }
        context.progress.stage("linear fits", 0);
        let target = |lessons: &Lessons| -> Vec<f64> {
            lessons.targets.iter().map(|text| lessons::number(text, &taught.target)).collect()
        };
        let (own, released) = (target(&taught.original), target(&taught.release));
        let units = Units::of(&taught.original);
        let fits = |lessons: &Lessons, targets: &[f64], folds: &[usize]| {
            let mut parts = vec![Sums::new(lessons.features); FOLDS];
            for (row, (&target, &fold)) in targets.iter().zip(folds).enumerate() {
                if !target.is_nan() {
                    parts[fold].add(&units.scaled(lessons.row(row)), target);
                }
            }
            let without = |fold: usize| {
                let mut sums = Sums::new(lessons.features);
                (0..FOLDS).filter(|&other| other != fold).for_each(|other| sums.join(&parts[other]));
                sums.fit()
            };
            (0..FOLDS).map(without).collect::<Vec<_>>()
        };
        let fold_of_release = taught.fold_of_release();
        let before = fits(&taught.original, &own, &taught.fold_of);
        let after = fits(&taught.release, &released, &fold_of_release);
        let test = |fits: &[Vec<f64>], lessons: &Lessons, targets: &[f64], folds: &[usize]| {
            let pairs = targets.iter().enumerate().filter(|(_, target)| !target.is_nan());
            let pairs =
                pairs.map(|(row, &target)| (predict(&fits[folds[row]], &units.scaled(lessons.row(row))), target));
            correlation(&pairs.collect::<Vec<_>>())
        };
        context.progress.go_on()?;
        let found = [
            test(&before, &taught.original, &own, &taught.fold_of),
            test(&after, &taught.release, &released, &fold_of_release),
            test(&after, &taught.original, &own, &taught.fold_of),
        ];
        // What hardly correlates at all is no scale to measure by.
        let kept = found[0].filter(|before| *before > 0.01).map(|before| 100.0 * found[2].unwrap_or(0.0) / before);
        let parts = json!({
            "before": found[0], "after": found[1], "on_originals": found[2], "rows": taught.original.rows(), "folds": FOLDS,
        });
        Ok(self.measured(kept, parts))
    }
}

/// The mean and the deviation of each feature, so that fits are of numbers of one size.
struct Units(Vec<(f64, f64)>);

impl Units {
    fn of(lessons: &Lessons) -> Self {
        let unit = |feature: usize| {
            let numbers = (0..lessons.rows()).map(|row| lessons.row(row)[feature]);
            let (mean, deviation) = crate::methods::table::mean_and_deviation(numbers);
            (mean, if deviation > 0.0 { deviation } else { 1.0 })
        };
        Self((0..lessons.features).map(unit).collect())
    }

    fn scaled(&self, features: &[f64]) -> Vec<f64> {
        features.iter().zip(&self.0).map(|(number, (mean, deviation))| (number - mean) / deviation).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::cells::testing::measure;
    use super::*;
    use crate::data::table::testing::table;

    fn of(rows: &[String]) -> Table {
        table("x:q c:p y:s", &rows.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// y = 3 x, and 10 more for some: a fit finds it wholly, and from a release that turns x around its opposite.
    #[test]
    fn a_line_is_kept_or_turned() {
        let row = |row: u32, turned: bool| {
            let x = row * 7 % 40;
            let (shown, more) = (if turned { 39 - x } else { x }, if row.is_multiple_of(3) { "a" } else { "b" });
            format!("{shown} {more} {}", 3 * x + if row.is_multiple_of(3) { 10 } else { 0 })
        };
        let rows = |turned| (0..120).map(|number| row(number, turned)).collect::<Vec<_>>();
        let original = of(&rows(false)).with_target(Some("y".to_owned()));
        let same = measure(&RegressionKept, &original, &of(&rows(false)));
        assert!((same.value.unwrap() - 100.0).abs() < 1e-6 && same.parts["before"].as_f64().unwrap() > 0.999_999);
        let turned = measure(&RegressionKept, &original, &of(&rows(true)));
        assert!(turned.parts["after"].as_f64().unwrap() > 0.999_999);
        assert!(turned.parts["on_originals"].as_f64().unwrap() < -0.9, "{:?}", turned.parts);
        let texts = original.with_target(Some("c".to_owned()));
        assert_eq!(measure(&RegressionKept, &texts, &of(&rows(false))).value, None);
    }
}
