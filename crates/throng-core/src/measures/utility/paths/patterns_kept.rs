//! Patterns kept: whether people still go through the same cells one after the other.
//!
//! Paper      Ours, with the patterns of Giannotti, Nanni, Pinelli, Pedreschi. Trajectory pattern mining. KDD 2007.
//!
//! # Formula
//! Patterns of two or three tiles of zoom 13, which at least a twentieth of the persons follow (and at least k), a step within a day, as
//! `throng paths patterns` finds them, before (B) and after (A). Precision = |A ∩ B| / |A|, recall = |A ∩ B| / |B|; the number is
//! 2 · |A ∩ B| / (|A| + |B|), their harmonic mean. Where a hundred thousand would not be enough, patterns of two tiles only.
//!
//! # Cost
//! That of the patterns, twice, of at most 10,000 persons each.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_json::json;

use super::super::super::{Context, Headline, Lost, MOST_COMPARED, Measure, MeasureInfo, Measured, Pair};
use crate::data::{Paths, Strings};
use crate::error::Result;
use crate::info::Info;
use crate::paths::cube::Cells;
use crate::paths::patterns::{self, Params};
use crate::progress::Quiet;

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "patterns-kept",
        summary: "whether people still go through the same tiles of about four kilometres one after the other",
        paper: "Ours, with the patterns of Giannotti, Nanni, Pinelli, Pedreschi. Trajectory pattern mining. KDD 2007",
        details: "Patterns of two or three tiles of zoom 13 that at least a twentieth of the persons (and at least k) go through in order, each within \
            a day of the one before, as `throng paths patterns` finds them, before and after. Part `precision`: of those after, the share that were \
            there before; `recall`: of those before, the share that still are. The headline is their harmonic mean, 1 if both are the same. Where there \
            are more than 100,000 of them, patterns of two tiles only.",
        parameters: &[],
    },
    unit: "of 1",
    better: "higher",
    says: "Of the ways that many people go, {%} is kept.",
    undefined: "there is no pattern before nor after, or far too many",
    judges_held_out: true,
    headline: Some(Headline::Loss(Lost::Kept)),
    ..MeasureInfo::DEFAULT
};

/// How long patterns are, at most; the first of which there are not too many.
const LONGEST: [usize; 2] = [3, 2];

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct PatternsKept;

impl Measure<Paths> for PatternsKept {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn most_persons(&self) -> usize {
        MOST_COMPARED
    }

    fn measure(&self, pair: &Pair<'_, Paths>, context: &Context<'_>) -> Result<Measured> {
        let release = match pair.multiplicity.iter().all(|&times| times == 1) {
            true => Cow::Borrowed(pair.release),
            false => Cow::Owned(repeated(pair.release, &pair.multiplicity)),
        };
        let mut found = None;
        for longest in LONGEST {
            if let Some(before) = patterns_of(pair.original, longest, context)?
                && let Some(after) = patterns_of(&release, longest, context)?
            {
                found = Some((longest, before, after));
                break;
            }
        }
        let Some((longest, before, after)) = found else { return Ok(self.measured(None, json!({"longest": null}))) };
        let both = before.intersection(&after).count() as f64;
        let share = |all: usize| (all > 0).then(|| both / all as f64);
        let value = share(before.len() + after.len()).map(|half| 2.0 * half);
        let parts = json!({
            "precision": share(after.len()),
            "recall": share(before.len()),
            "patterns_before": before.len(),
            "patterns_after": after.len(),
            "longest": longest,
        });
        Ok(self.measured(value, parts))
    }
}

/// The cells of the patterns of some paths; nothing if there are too many to say anything.
fn patterns_of(paths: &Paths, longest: usize, context: &Context<'_>) -> Result<Option<BTreeSet<Vec<String>>>> {
    let params = Params { cells: Cells::Tile(13), k: context.k.max(2), longest, ..Params::default() };
    match patterns::patterns(paths, &params, &Quiet(context.progress)) {
        Err(error) if error.is_refused() => Ok(None),
        found => Ok(Some(found?.patterns.into_iter().map(|pattern| pattern.cells).collect())),
    }
}

/// Paths in which each record stands as often as it stands for persons.
fn repeated(paths: &Paths, multiplicity: &[u32]) -> Paths {
    let (mut names, mut starts, mut points) = (Strings::new(), vec![0], Vec::new());
    for (person, &copies) in multiplicity.iter().enumerate().take(paths.persons()) {
        for copy in 0..copies {
            names.push(&format!("{person} {copy}"));
            points.extend(paths.range(person));
            starts.push(points.len());
        }
    }
    paths.picked(names, starts, &points)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{measure, paths};
    use super::*;

    fn ways(ways: &[&[f64]]) -> Paths {
        let names: Vec<String> = (0..ways.len()).map(|person| person.to_string()).collect();
        let points: Vec<(&str, f64, f64)> = ways
            .iter()
            .zip(&names)
            .flat_map(|(lats, name)| lats.iter().map(|&lat| (name.as_str(), lat, 8.0)))
            .collect();
        paths(&points)
    }

    /// Two go from 47 to 48 and two from 48 to 49; afterwards two go from 47 to 48, and two back.
    #[test]
    fn by_hand() {
        let original = ways(&[&[47.0, 48.0], &[47.0, 48.0], &[48.0, 49.0], &[48.0, 49.0]]);
        let release = ways(&[&[47.0, 48.0], &[47.0, 48.0], &[48.0, 47.0], &[48.0, 47.0]]);
        let found = measure(&PatternsKept, &original, &release);
        assert_eq!((found.value, found.parts["precision"].as_f64()), (Some(0.5), Some(0.5)));
        assert_eq!(measure(&PatternsKept, &original, &original).value, Some(1.0));
        assert_eq!(measure(&PatternsKept, &original, &ways(&[&[47.0]])).value, Some(0.0));
        assert_eq!(measure(&PatternsKept, &ways(&[&[1.0]]), &ways(&[&[1.0]])).value, None);
        // Two who go through hundreds of tiles, an hour each, have too many triples of them, and few pairs.
        let long: Vec<f64> = (0..400).map(|step| f64::from(step) / 10.0).collect();
        let long = ways(&[&long, &long]);
        let found = measure(&PatternsKept, &long, &long);
        assert_eq!((found.value, found.parts["longest"].as_u64()), (Some(1.0), Some(2)));
        // A record that stands for two.
        let once = ways(&[&[47.0, 48.0], &[48.0, 47.0]]);
        let pair = Pair { original: &original, release: &once, multiplicity: vec![2, 2], link: None };
        let found = PatternsKept.measure(&pair, &super::super::super::super::testing::CONTEXT).unwrap();
        assert_eq!(found.value, Some(0.5));
    }
}
