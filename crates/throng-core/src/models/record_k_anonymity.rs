//! Record k-anonymity: every vector of terms and weights is that of at least k documents.
//!
//! Paper      000 (ARES report), section 2.1: "in the resulting set of document vectors, there will be k indistinguishable
//!            vectors".
//! Promises   whoever knows a document, or any part of it, and looks for it in the release, is left with at least k.
//! Does not   hide what the k have in common: the terms of the vector are out.
//!
//! # Idea
//! A vector is a multiset of terms with weights, compared exactly: a weight in its last digit tells documents apart. A class
//! that the file publishes belongs to the record. Documents are sorted by record; the shortest run of equal ones is the k
//! that the data achieve. An empty vector is a vector like any other.
//!
//! # Cost
//! Time O(n log n) comparisons of vectors, memory O(n) for n documents.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use super::{Model, Verdict, Witness};
use crate::data::Documents;
use crate::error::{Error, Result};
use crate::info::{self, Info, Kind};

/// The card of the model.
pub const INFO: Info = Info {
    name: "record-k-anonymity",
    summary: "every vector of terms and weights is that of at least k documents",
    paper: "Navarro-Arribas, Torra. New privacy-preserving data mining techniques. Deliverable WP4.T2 of the ARES project (2010), \
            section 2.1; after Samarati, Sweeney 1998",
    details: "A record is a document's vector as it stands in the file: terms with their weights, in any order, compared exactly; \
        and its class, where the file has one. An empty vector is a vector too. The k achieved is the smallest number of \
        documents with equal records.\n\
        It reads the file alone: who made it, and how, does not matter.\n\
        Promises: whoever links a document to the release by its terms or their weights is left with at least k documents.\n\
        Does not promise: that the k documents differ in anything else; what the vector says is known of each. It promises \
        nothing about a person who wrote, or is the subject of, several documents, nor against someone who knows the link \
        between documents and lines.",
    kinds: &[Kind::Documents],
    parameters: &[info::K],
};

/// What the model can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// How many documents share a vector, at least.
    pub k: usize,
}

impl Default for Params {
    fn default() -> Self {
        Self { k: 5 }
    }
}

/// The model with checked parameters.
#[derive(Debug, Clone, Copy)]
pub struct RecordKAnonymity {
    k: usize,
}

impl RecordKAnonymity {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        if params.k < 2 {
            return Err(Error::parameter("k", format!("is {}, but must be at least 2", params.k))
                .with_hint("every file is 1-anonymous: there is nothing to check"));
        }
        Ok(Self { k: params.k })
    }
}

impl Model<Documents> for RecordKAnonymity {
    fn check(&self, data: &Documents) -> Verdict {
        // Sorted by term here, whatever order the data have: a term may stand twice, and then its weights are in order too.
        let by_term = |document: usize| {
            let mut vector = data.vector(document).to_vec();
            vector.sort_unstable_by(|left, right| left.0.cmp(&right.0).then(left.1.total_cmp(&right.1)));
            vector
        };
        let vectors: Vec<Vec<(u32, f64)>> = (0..data.persons()).map(by_term).collect();
        let order = |left: u32, right: u32| {
            let entry =
                |(left, right): (&(u32, f64), &(u32, f64))| left.0.cmp(&right.0).then(left.1.total_cmp(&right.1));
            let (own, other) = (&vectors[left as usize], &vectors[right as usize]);
            let entries = own.iter().zip(other).map(entry).find(|order| order.is_ne()).unwrap_or(Ordering::Equal);
            let class = |document: u32| data.class(document as usize);
            own.len().cmp(&other.len()).then(entries).then_with(|| class(left).cmp(&class(right)))
        };
        let mut documents: Vec<u32> = (0..data.persons() as u32).collect();
        documents.sort_unstable_by(|&left, &right| order(left, right).then(left.cmp(&right)));
        // Equal documents stand in rising order, so the first of a run is its witness; ties go to the lower number.
        let runs = documents.chunk_by(|&left, &right| order(left, right).is_eq());
        let smallest = runs.map(|run| (run.len(), run[0])).min();
        let achieved = smallest.map_or(0, |(size, _)| size);
        let holds = achieved >= self.k;
        let witness = smallest.filter(|_| !holds).map(|(size, document)| Witness {
            items: data.vector(document as usize).iter().map(|&(term, _)| term).collect(),
            numbers: Map::from_iter([("support".into(), json!(size))]),
            ..Witness::of_group(document, size)
        });
        Verdict { holds, achieved: Map::from_iter([("k".into(), json!(achieved))]), witness }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::DocumentsBuilder;
    use proptest::prelude::*;

    type Row<'a> = (&'a [(&'a str, f64)], Option<&'a str>);

    fn documents(rows: &[Row<'_>]) -> Documents {
        let mut builder = DocumentsBuilder::new(None);
        for (number, (vector, class)) in rows.iter().enumerate() {
            builder.push_vector(&number.to_string(), vector.iter().copied(), *class);
        }
        builder.finish()
    }

    fn check(k: usize, data: &Documents) -> Verdict {
        RecordKAnonymity::new(Params { k }).unwrap().check(data)
    }

    #[test]
    fn weights_count_and_the_order_does_not() {
        let cat_dog: Row<'_> = (&[("cat", 0.5), ("dog", 0.5)], None);
        let dog_cat: Row<'_> = (&[("dog", 0.5), ("cat", 0.5)], None);
        let verdict = check(2, &documents(&[cat_dog, dog_cat]));
        assert!(verdict.holds);
        assert_eq!((&verdict.achieved["k"], verdict.witness), (&json!(2), None));
        let nearly: Row<'_> = (&[("cat", 0.5), ("dog", 0.500_000_000_000_000_1)], None);
        let verdict = check(2, &documents(&[cat_dog, nearly, dog_cat]));
        let witness = verdict.witness.unwrap();
        assert_eq!((witness.person, witness.group_size, witness.items.len()), (1, 1, 2));
        assert_eq!(witness.numbers["support"], 1);
        // Copies of a term count.
        let twice: Row<'_> = (&[("cat", 0.5), ("cat", 0.5)], None);
        assert!(!check(2, &documents(&[twice, (&[("cat", 0.5)], None), twice])).holds);
    }

    #[test]
    fn a_published_class_tells_documents_apart() {
        let cat = |class| (&[("cat", 1.0)][..], class);
        assert!(check(2, &documents(&[cat(Some("x")), cat(Some("x"))])).holds);
        assert!(!check(2, &documents(&[cat(Some("x")), cat(Some("y"))])).holds);
        assert!(!check(2, &documents(&[cat(Some("x")), cat(None)])).holds);
    }

    #[test]
    fn empty_vectors_and_no_document() {
        let (empty, cat): (Row<'_>, Row<'_>) = ((&[], None), (&[("cat", 1.0)], None));
        assert!(check(2, &documents(&[empty, cat, empty, cat])).holds);
        assert_eq!(check(2, &documents(&[cat, empty, cat])).witness.unwrap().person, 1);
        assert!(!check(2, &documents(&[])).holds);
        let error = RecordKAnonymity::new(Params { k: 1 }).unwrap_err();
        assert_eq!(error.to_string(), "`k` is 1, but must be at least 2");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn as_by_counting(
            rows in prop::collection::vec((prop::collection::vec((0..3usize, 0..2u8), 0..3), 0..2usize), 0..8),
            k in 2..5usize,
        ) {
            const TERMS: [&str; 3] = ["cat", "dog", "emu"];
            const CLASSES: [Option<&str>; 2] = [None, Some("x")];
            let entry = |&(term, half): &(usize, u8)| (TERMS[term], f64::from(half) / 2.0);
            let vectors: Vec<Vec<(&str, f64)>> = rows.iter().map(|(vector, _)| vector.iter().map(entry).collect()).collect();
            let with_class: Vec<Row<'_>> = vectors.iter().zip(&rows).map(|(v, &(_, class))| (&v[..], CLASSES[class])).collect();
            let data = documents(&with_class);
            // Two documents are the same if each entry is as often in the one as in the other.
            let copies = |vector: &[(&str, f64)], entry: &(&str, f64)| vector.iter().filter(|other| *other == entry).count();
            let same = |left: &Row<'_>, right: &Row<'_>| {
                left.1 == right.1
                    && left.0.len() == right.0.len()
                    && left.0.iter().all(|entry| copies(left.0, entry) == copies(right.0, entry))
            };
            let sizes: Vec<usize> =
                with_class.iter().map(|own| with_class.iter().filter(|other| same(own, other)).count()).collect();
            let achieved = sizes.iter().copied().min().unwrap_or(0);
            let verdict = check(k, &data);
            prop_assert_eq!(&verdict.achieved["k"], &json!(achieved));
            prop_assert_eq!(verdict.holds, achieved >= k);
            let expected = sizes.iter().position(|&size| size == achieved).filter(|_| achieved < k);
            prop_assert_eq!(verdict.witness.map(|witness| witness.person as usize), expected);
        }
    }
}
