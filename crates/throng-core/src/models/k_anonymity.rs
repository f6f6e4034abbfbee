//! k-anonymity: every person has exactly the same record as at least k - 1 others.
//!
//! Paper      Samarati 2001 and Sweeney 2002. For search logs as *user k-anonymity*: Navarro-Arribas et al. 2012,
//!            section 2.1. For baskets as *transactional k-anonymity*: paper 002 (thesis on Clump), section 2.6 and Definition
//!            3.3.1, after He and Naughton 2009. For documents as *record k-anonymity*: paper 000 (ARES report), section 2.1.
//! Promises   whoever knows a person's record, or any part of it, as it stands in the release, is left with at least k
//!            persons.
//! Does not   hide what the records say. If a query names its writer, it still does; what all k have in common is out.
//!
//! # Idea
//! Persons are grouped by equal record; the smallest group is the k that the data achieve. What a record is, the evidence
//! knows ([`EqualRecords`]): of a file of rows the multiset of a person's rows, all values but the person's own id, as
//! [`Digests`]; of baskets the bag of items, and the group where sensitive items are published by group; of documents the
//! vector, compared exactly, and the class that the file publishes. An empty record is a record like any other.
//!
//! One model, with a card for each name that it has in papers and certificates.
//!
//! # Cost
//! Time O(n log n) comparisons of records, memory O(n), for n persons.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use super::digests::Digests;
use super::{Model, Verdict, Witness};
use crate::data::{Baskets, Documents};
use crate::error::{Error, Result};
use crate::info::{self, Info};

/// The card for search logs.
pub const USER: Info = Info {
    name: "user-k-anonymity",
    summary: "every person has exactly the same record as at least k - 1 others",
    paper: "Navarro-Arribas, Torra, Erola, Castellà-Roca. User k-anonymity for privacy preserving data mining of query \
            logs. Information Processing and Management 48 (2012), section 2.1",
    details: "A record is all rows of a person, in any order, with every value but the person's id. The k achieved is \
        the smallest number of persons with equal records.\n\
        It reads the file alone: who made it, and how, does not matter. Rows are compared by keyed 128-bit hashes with a \
        fresh key each time, so two different records cannot be made to look equal.\n\
        Promises: whoever links a person to the release by what their record says is left with at least k persons.\n\
        Does not promise: that queries do not name people, that k persons of a group differ in anything else, or \
        anything against someone who knows the link between persons and pseudonyms.",
    parameters: &[info::K],
};

/// The card for baskets.
pub const TRANSACTION: Info = Info {
    name: "transaction-k-anonymity",
    summary: "every basket occurs at least k times",
    paper: "He, Naughton. Anonymization of set-valued data via top-down, local generalization. VLDB 2009; as reviewed in \
            Milani Fard's thesis (Simon Fraser University, 2010), section 2.6",
    details: "A basket is a bag of items as they stand in the file: copies count, the order does not. An empty basket is a \
        basket too. Where sensitive items are published by group, the number of the group belongs to the record. The k \
        achieved is the smallest number of persons with equal records.\n\
        It reads the file alone: who made it, and how, does not matter. With a taxonomy, a general item is one item like any \
        other.\n\
        Promises: whoever links a person to the release by any of their items, present or absent, is left with at least k \
        persons.\n\
        Does not promise: that the k persons of a group differ in anything else; what all of them have is known of each. It \
        promises nothing against someone who knows the link between persons and lines.",
    parameters: &[info::K],
};

/// The card for documents.
pub const RECORD: Info = Info {
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
    parameters: &[info::K],
};

/// What the model can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// How many persons share a record, at least.
    pub k: usize,
}

impl Default for Params {
    fn default() -> Self {
        Self { k: 5 }
    }
}

/// The model with checked parameters.
#[derive(Debug, Clone, Copy)]
pub struct KAnonymity {
    k: usize,
}

impl KAnonymity {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        if params.k < 2 {
            return Err(Error::parameter("k", format!("is {}, but must be at least 2", params.k))
                .with_hint("every file is 1-anonymous: there is nothing to check"));
        }
        Ok(Self { k: params.k })
    }
}

impl<E: EqualRecords> Model<E> for KAnonymity {
    fn check(&self, evidence: &E) -> Result<Verdict> {
        // The group of the lowest person comes first, so the witness is the first person of the smallest group.
        let smallest = evidence.groups().into_iter().min_by_key(Vec::len);
        let achieved = smallest.as_ref().map_or(0, Vec::len);
        let holds = achieved >= self.k;
        let witness = smallest.filter(|_| !holds).map(|group| {
            let witness = Witness::of_group(group[0], group.len());
            match evidence.items(group[0]) {
                Some(items) => {
                    Witness { items, numbers: Map::from_iter([("support".into(), json!(group.len()))]), ..witness }
                }
                None => witness,
            }
        });
        Ok(Verdict { holds, achieved: Map::from_iter([("k".into(), json!(achieved))]), witness })
    }
}

/// Evidence that tells which persons have equal records.
pub trait EqualRecords {
    /// Groups of persons with equal records, as lists of person numbers in rising order; the group of the lowest person
    /// first.
    fn groups(&self) -> Vec<Vec<u32>>;

    /// The items of a person's record, where the evidence still has them.
    fn items(&self, _person: u32) -> Option<Vec<u32>> {
        None
    }
}

/// The groups of so many persons whose records have this order.
pub(crate) fn groups_by(persons: usize, order: impl Fn(u32, u32) -> Ordering) -> Vec<Vec<u32>> {
    let mut all: Vec<u32> = (0..persons as u32).collect();
    all.sort_unstable_by(|&left, &right| order(left, right).then(left.cmp(&right)));
    let mut groups: Vec<Vec<u32>> =
        all.chunk_by(|&left, &right| order(left, right).is_eq()).map(<[u32]>::to_vec).collect();
    groups.sort_unstable_by_key(|group| group[0]);
    groups
}

impl EqualRecords for Digests {
    fn groups(&self) -> Vec<Vec<u32>> {
        self.groups()
    }
}

/// A basket is a bag: copies count, the order does not.
impl EqualRecords for Baskets {
    fn groups(&self) -> Vec<Vec<u32>> {
        let group = |person: u32| self.grouping().map(|grouping| grouping.group_of[person as usize]);
        let record = |person: u32| (group(person), self.basket(person as usize));
        groups_by(self.persons(), |left, right| record(left).cmp(&record(right)))
    }

    fn items(&self, person: u32) -> Option<Vec<u32>> {
        Some(self.basket(person as usize).to_vec())
    }
}

/// A vector is a multiset of terms with weights, compared exactly: a weight in its last digit tells documents apart.
impl EqualRecords for Documents {
    fn groups(&self) -> Vec<Vec<u32>> {
        let entry = |left: &(u32, f64), right: &(u32, f64)| left.0.cmp(&right.0).then(left.1.total_cmp(&right.1));
        // Sorted by term here, whatever order the data have: a term may stand twice, and then its weights are in order too.
        let by_term = |document: usize| {
            let mut vector = self.vector(document).to_vec();
            vector.sort_unstable_by(entry);
            vector
        };
        let vectors: Vec<Vec<(u32, f64)>> = (0..self.persons()).map(by_term).collect();
        groups_by(self.persons(), |left, right| {
            let (own, other) = (&vectors[left as usize], &vectors[right as usize]);
            let entries = own.iter().zip(other).map(|(own, other)| entry(own, other)).find(|order| order.is_ne());
            let class = |document: u32| self.class(document as usize);
            own.len()
                .cmp(&other.len())
                .then(entries.unwrap_or(Ordering::Equal))
                .then_with(|| class(left).cmp(&class(right)))
        })
    }

    fn items(&self, person: u32) -> Option<Vec<u32>> {
        Some(self.vector(person as usize).iter().map(|&(term, _)| term).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<E: EqualRecords>(k: usize, evidence: &E) -> Verdict {
        KAnonymity::new(Params { k }).unwrap().check(evidence).unwrap()
    }

    #[test]
    fn k_below_two_is_refused() {
        assert_eq!(KAnonymity::new(Params { k: 1 }).unwrap_err().to_string(), "`k` is 1, but must be at least 2");
    }

    mod rows {
        use super::*;

        fn digests(records: &[u128]) -> Digests {
            let mut digests = Digests::new();
            for (person, &record) in records.iter().enumerate() {
                digests.add(&person.to_string(), record, person as u64 + 1);
            }
            digests
        }

        fn check(k: usize, records: &[u128]) -> Verdict {
            super::check(k, &digests(records))
        }

        #[test]
        fn holds_when_every_record_is_shared() {
            let verdict = check(2, &[7, 8, 7, 8, 8]);
            assert!(verdict.holds);
            assert_eq!(verdict.achieved["k"], 2);
            assert_eq!(verdict.witness, None);
        }

        #[test]
        fn fails_with_the_first_person_of_the_smallest_group() {
            let verdict = check(3, &[7, 8, 9, 7, 8, 8, 7, 9, 5, 6]);
            assert!(!verdict.holds);
            assert_eq!(verdict.witness, Some(Witness::of_group(8, 1)));
            assert_eq!(verdict.achieved["k"], 1);
        }

        #[test]
        fn nobody_achieves_nothing() {
            assert_eq!(check(2, &[]).achieved["k"], 0);
            assert!(!check(2, &[]).holds);
        }
    }

    mod baskets {
        use super::super::super::testing::{baskets, random};
        use super::*;
        use crate::data::baskets::Grouping;
        use proptest::prelude::*;

        #[test]
        fn copies_count_and_the_order_does_not() {
            let verdict = check(2, &baskets(&["a a b", "c", "b a a", "c", "c"]));
            assert!(verdict.holds);
            assert_eq!((&verdict.achieved["k"], verdict.witness), (&json!(2), None));
            let verdict = check(2, &baskets(&["c", "a a b", "a b", "c", "a a b"]));
            let witness = verdict.witness.unwrap();
            assert_eq!((witness.person, witness.group_size, witness.items), (2, 1, vec![1, 2]));
            assert_eq!(witness.numbers["support"], 1);
        }

        #[test]
        fn a_group_tells_persons_apart() {
            let grouped = |group_of: Vec<u32>| {
                let sensitive = vec![Vec::new(); 2];
                baskets(&["a", "a", "a", "a"]).with_grouping(Grouping { group_of, sensitive })
            };
            assert_eq!(check(2, &grouped(vec![0, 1, 0, 1])).achieved["k"], 2);
            assert_eq!(check(2, &grouped(vec![0, 1, 0, 0])).witness.unwrap().person, 1);
        }

        #[test]
        fn empty_baskets_and_nobody() {
            assert!(check(2, &baskets(&["", "a", "", "a"])).holds);
            assert_eq!(check(2, &baskets(&["", "a", "a"])).witness.unwrap().person, 0);
            assert!(!check(2, &baskets(&[])).holds);
        }

        proptest! {
            #![proptest_config(ProptestConfig::with_cases(2000))]
            #[test]
            fn as_by_counting(data in random(8, 3, 3), k in 2..5usize) {
                let sizes: Vec<usize> = (0..data.persons())
                    .map(|own| (0..data.persons()).filter(|&other| data.basket(own) == data.basket(other)).count())
                    .collect();
                let achieved = sizes.iter().copied().min().unwrap_or(0);
                let verdict = check(k, &data);
                prop_assert_eq!(&verdict.achieved["k"], &json!(achieved));
                prop_assert_eq!(verdict.holds, achieved >= k);
                let expected = sizes.iter().position(|&size| size == achieved).filter(|_| achieved < k);
                prop_assert_eq!(verdict.witness.map(|witness| witness.person as usize), expected);
            }
        }
    }

    mod documents {
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
}
