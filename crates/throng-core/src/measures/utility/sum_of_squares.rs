//! Sums of squares: how far persons were moved, against how far they are from the average.
//!
//! Paper      001 (Navarro-Arribas et al. 2012), section 3.1; reading Q27a.
//!
//! # Formula
//! SSE = sum of d(original, released)², SST = sum of d(original, G)², SSA = sum of d(released, G)², with d the user distance
//! under the scales of the original and G the aggregation of all persons. L = 100 SSE / SST.
//!
//! # Cost
//! Three distances a person.

use serde_json::json;

use super::super::{Context, Measure, MeasureInfo, Measured, Pair};
use crate::aggregate::queries::{Aggregation, log_of_records};
use crate::data::QueryLog;
use crate::distance::distances_of;
use crate::distance::user_distance::{QueryWeights, Scales, UserSpace};
use crate::error::Result;
use crate::info::{Info, Kind};

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "sum-of-squares",
        summary: "how far persons were moved under the user distance, against how far they are from the average",
        paper: "Navarro-Arribas, Torra, Erola, Castellà-Roca. User k-anonymity for privacy preserving data mining of \
                query logs. Information Processing and Management 48 (2012), section 3.1",
        details: "SSE = sum of d(original, released)², SST = sum of d(original, G)², SSA = sum of d(released, G)²; d is the \
            user distance with the scales of the original, G the aggregation of all persons.\n\
            The headline is L = 100 SSE / SST: 0 when nobody moved, 100 when everybody might as well be the average. \
            Needs the link between persons (--key, or kept ids).\n\
            Documents: d is the document distance over the 50 most frequent terms, and SST = SSE + SSA (paper 000).",
        kinds: &[Kind::Queries, Kind::Documents],
        parameters: &[],
    },
    unit: "%",
    better: "lower",
    needs_link: true,
    needs_taxonomy: false,
    needs_meaning: false,
    costly: false,
};

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct SumOfSquares;

impl Measure<QueryLog> for SumOfSquares {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, QueryLog>, context: &Context<'_>) -> Result<Measured> {
        let persons = pair.original.persons();
        let everybody: Vec<u32> = (0..persons as u32).collect();
        let average = log_of_records([Aggregation::new(pair.original, 1000).record(&everybody)]);
        let logs = [pair.original, pair.release, &average];
        let space = UserSpace::new(Scales::of(pair.original), QueryWeights::Text, &logs);
        let linked = pair.linked();
        context.progress.stage("sum of squares", 3 * linked.len() as u64);
        // Persons of the space: first the original's, then the release's, then the average.
        let centre = persons + pair.release.persons();
        let squares = |pairs: &[(usize, usize)]| {
            let distances = distances_of(&space, pairs);
            context.progress.advance(pairs.len() as u64);
            distances.into_iter().map(|distance| distance * distance).collect::<Vec<f64>>()
        };
        let moved: Vec<(usize, usize)> = linked.iter().map(|&(own, released)| (own, persons + released)).collect();
        let original: Vec<(usize, usize)> = linked.iter().map(|&(own, _)| (own, centre)).collect();
        // Records stand for several persons: one distance each is enough.
        let released: Vec<(usize, usize)> = (persons..centre).map(|released| (released, centre)).collect();
        let from_average = squares(&released);
        let sse: f64 = squares(&moved).iter().sum();
        let sst: f64 = squares(&original).iter().sum();
        let ssa: f64 = linked.iter().map(|&(_, released)| from_average[released]).sum();
        let loss = (sst > 0.0).then(|| 100.0 * sse / sst);
        Ok(self.measured(loss, json!({"sse": sse, "ssa": ssa, "sst": sst, "l": loss, "persons": linked.len()})))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{log, measure};
    use super::*;

    #[test]
    fn nothing_moved_is_no_loss() {
        let original = log(&[&["a", "b"], &["c"], &["d", "e", "f"]]);
        let result = measure(&SumOfSquares, &original, &original);
        assert_eq!(result.value, Some(0.0));
        assert_eq!(result.parts["ssa"], result.parts["sst"]);
    }

    #[test]
    fn by_hand() {
        // Two persons with one line each, same minute, one word each: all scales are constant, so the user distance is
        // half the line distance, (3 * 2 * H / 3) / 6 = H / 3, H = 1 for words without a common letter: d = 1/6.
        // G is the aggregation of both: one line, the first person's word. SST = 0 + 1/36.
        let original = log(&[&["aaa"], &["bbb"]]);
        let swapped = log(&[&["bbb"], &["aaa"]]);
        let result = measure(&SumOfSquares, &original, &swapped);
        let square = |value: f64| value * value;
        assert_eq!(result.parts["sst"], square(1.0 / 6.0));
        assert_eq!(result.parts["sse"], 2.0 * square(1.0 / 6.0));
        assert_eq!(result.parts["ssa"], square(1.0 / 6.0));
        assert_eq!(result.value, Some(200.0));
    }
}
