//! Sums of squares of documents: how far vectors were moved, against how far apart the groups are.
//!
//! Paper      000 (ARES report), section 2.4; reading D7. The card is that of `sum_of_squares.rs`.
//!
//! # Formula
//! SSE = sum over documents of d(document, its released vector)², SSA = sum over documents of d(its released vector, G)², which
//! is size × squared distance for each group, SST = SSE + SSA, L = 100 SSE / SST; d is the document distance, G the
//! aggregation of all documents.
//!
//! # Readings
//! Ours: d is over the 50 most frequent terms, whatever the release was made with, so that L means the same for all releases.
//! Documents that are not in the release, and those without any known term, are left out and counted.
//!
//! # Cost
//! Two distances a document, and the aggregation of all.

use serde_json::json;

use super::super::{Context, Measure, MeasureInfo, Measured, Pair};
use super::sum_of_squares::INFO;
use crate::aggregate::documents::Aggregation;
use crate::data::Documents;
use crate::distance::distances_of;
use crate::distance::document_distance::DocumentSpace;
use crate::error::Result;

/// Documents are compared over so many of their most frequent terms.
const TERMS: usize = 50;

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct SumOfSquaresDocuments;

impl Measure<Documents> for SumOfSquaresDocuments {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, Documents>, context: &Context<'_>) -> Result<Measured> {
        // Documents of the space: first the original's, then the release's, then the average.
        let mut space = DocumentSpace::of(&[pair.original, pair.release], TERMS)?;
        let documents = pair.original.persons();
        let centre = documents + pair.release.persons();
        let known: Vec<u32> = (0..documents as u32).filter(|&own| !space.vector(own as usize).is_empty()).collect();
        context.progress.stage("sum of squares", 0);
        let average = Aggregation::new(&space).vector(&known);
        let average: Vec<(String, f64)> = average.into_iter().map(|(name, weight)| (name.to_owned(), weight)).collect();
        space.add_vector(average.iter().map(|(name, weight)| (name.as_str(), *weight)));

        let squares = |pairs: &[(usize, usize)]| -> Vec<f64> {
            distances_of(&space, pairs).into_iter().map(|distance| distance * distance).collect()
        };
        let linked: Vec<(usize, usize)> =
            pair.linked().into_iter().filter(|&(own, _)| !space.vector(own).is_empty()).collect();
        let moved: Vec<(usize, usize)> = linked.iter().map(|&(own, released)| (own, documents + released)).collect();
        // Records stand for several documents: one distance each is enough.
        let released: Vec<(usize, usize)> = (documents..centre).map(|released| (released, centre)).collect();
        let from_average = squares(&released);
        let distances = squares(&moved);
        let mut exposed = vec![None; documents];
        for (&(own, _), square) in linked.iter().zip(&distances) {
            exposed[own] = Some(100.0 * (1.0 - square.sqrt()).max(0.0));
        }
        let sse: f64 = distances.iter().sum();
        let ssa: f64 = linked.iter().map(|&(_, released)| from_average[released]).sum();
        let sst = sse + ssa;
        let loss = (sst > 0.0).then(|| 100.0 * sse / sst);
        let parts = json!({
            "sse": sse, "ssa": ssa, "sst": sst, "l": loss,
            "documents": linked.len(), "left_out": documents - linked.len(),
        });
        Ok(Measured { exposed, ..self.measured(loss, parts) })
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::CONTEXT;
    use super::*;
    use crate::data::DocumentsBuilder;
    use crate::taxonomy::tests::food;
    use std::sync::Arc;

    fn documents(rows: &[&str]) -> Documents {
        let mut builder = DocumentsBuilder::new(Some(Arc::new(food())));
        for (number, row) in rows.iter().enumerate() {
            builder.push_vector(&number.to_string(), row.split_whitespace().map(|term| (term, 0.5)), None);
        }
        builder.finish()
    }

    fn measure(original: &[&str], release: &[&str], link: &[Option<u32>]) -> Measured {
        let (original, release) = (documents(original), documents(release));
        let multiplicity = vec![1; release.persons()];
        let pair = Pair { original: &original, release: &release, multiplicity, link: Some(link.to_vec()) };
        SumOfSquaresDocuments.measure(&pair, &CONTEXT).unwrap()
    }

    #[test]
    fn nothing_moved_is_no_loss() {
        let result = measure(&["Beef", "Milk"], &["Beef", "Milk"], &[Some(0), Some(1)]);
        assert_eq!((result.value, result.parts["sse"].as_f64()), (Some(0.0), Some(0.0)));
        // Everything is the same: 0/0.
        assert_eq!(measure(&["Beef", "Beef"], &["Beef"], &[Some(0), Some(0)]).value, None);
    }

    #[test]
    fn by_hand() {
        // Beef and Chicken became Meat: 1 - 4/5 each. Apple and Banana became Fruit likewise. One document is not released, one
        // has no known term. G: Beef, Chicken: Meat; with Apple: Food, and so it stays. Meat is 1 - 2/3 from Food.
        let rows = ["Beef", "Chicken", "Apple", "Banana", "Milk", "spam"];
        let result = measure(&rows, &["Meat", "Fruit"], &[Some(0), Some(0), Some(1), Some(1), None, Some(0)]);
        let part = |name: &str| result.parts[name].as_f64().unwrap();
        assert!((part("sse") - 4.0 / 25.0).abs() < 1e-12 && (part("ssa") - 4.0 / 9.0).abs() < 1e-12);
        assert_eq!(part("sst"), part("sse") + part("ssa"));
        assert!((result.value.unwrap() - 100.0 * 36.0 / 136.0).abs() < 1e-9);
        assert_eq!((part("documents"), part("left_out")), (4.0, 2.0));
    }
}
