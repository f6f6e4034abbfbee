//! Document microaggregation: every document becomes one of at least k with the same vector of general terms.
//!
//! Paper      000 (ARES report), chapter 2.
//! Claims     record-k-anonymity(k).
//! Does not   hide what a group has in common: a term that all members share is published as it is.
//!
//! # Idea
//! 1. A document is its N most frequent terms. 2. All distances between documents: terms matched one to one by meaning
//!    (`document_distance.rs`). 3. Groups of k to 2k - 1 documents by MDAV around the medoid. 4. One vector a group: matched
//!    terms generalised to their deepest common hypernym, with the mean of their weights (`aggregate/documents.rs`).
//! 5. Every member is published with that vector.
//!
//! # Readings
//! D1 to D6 of READINGS.md; Q14, Q15 and Q15a for MDAV. Ours: a document without any term that the taxonomy knows is in no group
//! and is left out, and so are the members of a group whose vector is empty; the caller counts both.
//!
//! After MDAV documents change groups while the sum of squares falls; above 1,000 documents steps 2 and 3 are done in blocks of
//! documents about like things (`partition/grouping.rs`). `--exact` is the paper: no blocks, MDAV alone.
//!
//! # Cost
//! Time O(n²) matchings of O(N³) at worst; memory 4 n² bytes for the n documents of a block, and t² bytes for t different terms.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::aggregate::documents::Aggregation;
use crate::concepts::interests::Categories;
use crate::data::{Documents, DocumentsBuilder};
use crate::distance::document_distance::{DocumentSpace, MOST_TERMS};
use crate::distance::{DistanceMatrix, Selected};
use crate::error::{Error, Result};
use crate::info::{self, Info, Parameter, ParameterKind};
use crate::methods::refusals::{DOCUMENTS, check_having, check_k};
use crate::methods::{Method, Prepared, shown_parameters};
use crate::models::k_anonymity;
use crate::partition::Partition;
use crate::partition::blocks::Sketches;
use crate::partition::grouping::{self, Comparable, Groups, How, Least, Plan, microaggregated};
use crate::partition::mdav::medoid;
use crate::progress::Progress;
use crate::release::{Claim, Protected};
use crate::rng::Rng;

/// The card of the method.
pub const INFO: Info = Info {
    name: "document-microaggregation",
    summary: "groups of k documents of like meaning by MDAV, one shared vector of general terms a group",
    paper: "Navarro-Arribas, Torra. New privacy-preserving data mining techniques. Deliverable WP4.T2 of the ARES project (2010), \
            chapter 2: Towards semantic PPDM",
    details: "1. A document is its N most frequent terms that the taxonomy knows (--terms N).\n\
        2. The document distance between all pairs (throng explain document-distance): terms are paired one to one, such that \
        the sum of their Wu-Palmer similarities over all senses is greatest.\n\
        3. MDAV cuts the documents into groups of k to 2k - 1: the document farthest from the medoid with its k - 1 nearest, \
        the document farthest from that one with its nearest, and so on. Then documents move and change places between groups while \
        the sum of squared distances within groups falls.\n\
        4. The members of a group are folded together: paired terms become their deepest common hypernym, terms without a \
        partner are dropped, the weight is the mean over the members. Pairs that come to the same name are one term, their \
        weights added.\n\
        5. Every member is published with that vector. A document without any known term is left out, and so are the members \
        of a group that has nothing in common; both are counted.\n\
        Above 1,000 documents steps 2 and 3 are done in blocks of documents about like things; the certificate says so. `--exact` \
        keeps the paper's method: all pairs of all documents, at most 10,000, and MDAV alone.\n\
        Claims record-k-anonymity(k). It does not hide what a group has in common: a term that all members share is \
        published as it is, and k-anonymity says nothing about texts of the same person in several groups.\n\
        Cost: all n(n-1)/2 matchings of a block, and 4 n² bytes of memory for its n documents.",
    parameters: &[info::K, TERMS, grouping::EXACT, grouping::BLOCK_SIZE],
};

const TERMS: Parameter = Parameter {
    name: "terms",
    summary: "how many of the most frequent terms of a document are used",
    kind: ParameterKind::Count,
    default: "50",
};

/// More documents than this are not compared all with all: too long, and too much memory: 50 million matchings, 400 MB of distances.
pub const MOST_DOCUMENTS: usize = 10_000;

/// What the method can be told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// How many documents share a vector, at least.
    pub k: usize,
    /// How many of the most frequent terms of a document are used.
    pub terms: usize,
    /// The paper's method on the whole data.
    pub exact: bool,
    /// The size of blocks; 0 if it is left to us.
    pub block_size: usize,
}

impl Params {
    fn plan(&self) -> Plan {
        Plan { is_exact: self.exact, block_size: self.block_size }
    }
}

impl Default for Params {
    fn default() -> Self {
        Self { k: 5, terms: 50, exact: false, block_size: 0 }
    }
}

/// The method with checked parameters.
#[derive(Debug, Clone)]
pub struct DocumentMicroaggregation {
    params: Params,
}

impl DocumentMicroaggregation {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        let mut errors = Vec::new();
        errors.extend(check_k(params.k));
        if params.terms < 1 || params.terms > MOST_TERMS {
            errors.push(
                Error::parameter("terms", format!("is {}, but must be from 1 to {MOST_TERMS}", params.terms))
                    .with_hint("50 and 100 are usual; the time grows with the cube of it"),
            );
        }
        errors.extend(params.plan().check(params.k));
        if errors.is_empty() { Ok(Self { params }) } else { Err(Error::parameters(errors)) }
    }
}

/// So many levels of the taxonomy are in a sketch.
const SKETCHED_LEVELS: usize = 7;

/// The documents that have a known term, ready to be compared and grouped.
struct Known<'a> {
    method: &'a DocumentMicroaggregation,
    original: &'a Documents,
    /// Which they are.
    numbers: Vec<usize>,
    space: DocumentSpace,
    /// What their terms mean, by the most frequent sense.
    categories: Categories,
}

impl<'a> Known<'a> {
    fn of(
        method: &'a DocumentMicroaggregation,
        original: &'a Documents,
        k: usize,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let all = DocumentSpace::of(&[original], method.params.terms)?;
        let numbers: Vec<usize> =
            (0..original.persons()).filter(|&document| !all.vector(document).is_empty()).collect();
        refuse_too_few(original.persons(), numbers.len(), k)?;
        if numbers.len() > MOST_DOCUMENTS && method.params.plan().is_whole::<Self>(numbers.len(), k) {
            return Err(Error::refused(format!(
                "all pairs of documents are to be matched, and {} documents are more than {MOST_DOCUMENTS}",
                numbers.len()
            ))
            .with_hint("leave out `--exact`, and like documents are compared in blocks"));
        }
        let mut space = all.select(&numbers);
        space.prepare(progress);
        let first_sense = |term: u32| space.senses(term).get(..1).unwrap_or_default();
        let categories = Categories::of(space.meanings().taxonomy(), space.terms(), first_sense, SKETCHED_LEVELS);
        Ok(Self { method, original, numbers, space, categories })
    }

    fn protected(&self, groups: &Groups, k: usize) -> Protected<Documents> {
        let vectors: Vec<Vec<(&str, f64)>> = groups
            .members
            .par_iter()
            .map_init(|| Aggregation::new(&self.space), |aggregation, members| aggregation.vector(members))
            .collect();
        let mut records = DocumentsBuilder::new(self.original.taxonomy().cloned());
        let mut record_of = vec![None; self.original.persons()];
        let published = groups.members.iter().zip(vectors).filter(|(_, vector)| !vector.is_empty());
        for (record, (members, vector)) in (0u32..).zip(published) {
            records.push_vector(&record.to_string(), vector, None);
            for &member in members {
                record_of[self.numbers[member as usize]] = Some(record);
            }
        }
        let claim = Claim::new(&k_anonymity::RECORD, [("k", json!(k))]);
        Protected::new(records.finish(), record_of, vec![claim]).grouped(groups.grouped)
    }
}

impl Sketches for Known<'_> {
    fn len(&self) -> usize {
        self.numbers.len()
    }

    fn dimensions(&self) -> usize {
        self.categories.count()
    }

    fn sketch(&self, record: usize, into: &mut Vec<(u32, f32)>) {
        let terms = self.space.vector(record);
        let mut categories: Vec<u32> =
            terms.iter().flat_map(|&(term, _)| self.categories.of_string(term)).copied().collect();
        categories.sort_unstable();
        let all = categories.len() as f32;
        let share = |same: &[u32]| (same[0], (same.len() as f32 / all).sqrt());
        into.extend(categories.chunk_by(|left, right| left == right).map(share));
    }

    fn work(&self, record: usize) -> u64 {
        self.space.vector(record).len() as u64
    }
}

impl Comparable for Known<'_> {
    type Compared = DistanceMatrix;

    const WHOLE: usize = 1_000;
    const BLOCK: usize = 128;
    const WORK: u64 = u64::MAX;
    const IS_REFINED: bool = true;

    fn compare(&self, block: &[u32], progress: &dyn Progress) -> Result<DistanceMatrix> {
        let selected = Selected { space: &self.space, records: block };
        let is_whole = block.len() == self.len();
        Ok(if is_whole {
            DistanceMatrix::compute(&selected, progress)
        } else {
            DistanceMatrix::compute_here(&selected)
        })
    }

    fn group(&self, distances: &DistanceMatrix, how: How<'_>, progress: &dyn Progress) -> Partition {
        microaggregated(distances, how, progress)
    }

    fn centre(&self, distances: &DistanceMatrix, members: &[u32]) -> u32 {
        medoid(distances, members)
    }
}

/// Documents with all distances between them, which do not depend on k.
struct Compared<'a> {
    known: Known<'a>,
    distances: DistanceMatrix,
}

impl Prepared<Documents> for Compared<'_> {
    fn protect(&self, k: usize, _rng: &mut Rng, progress: &dyn Progress) -> Result<Protected<Documents>> {
        refuse_too_few(self.known.original.persons(), self.known.len(), k)?;
        let plan = self.known.method.params.plan();
        Ok(self
            .known
            .protected(&plan.groups_of_whole(&self.known, &self.distances, Least { k, wishes: &[] }, progress)?, k))
    }
}

impl Method<Documents> for DocumentMicroaggregation {
    fn protect(&self, original: &Documents, _rng: &mut Rng, progress: &dyn Progress) -> Result<Protected<Documents>> {
        let k = self.params.k;
        let known = Known::of(self, original, k, progress)?;
        Ok(known.protected(&self.params.plan().groups(&known, Least { k, wishes: &[] }, progress)?, k))
    }

    fn prepared<'a>(
        &'a self,
        original: &'a Documents,
        progress: &dyn Progress,
    ) -> Result<Option<Box<dyn Prepared<Documents> + 'a>>> {
        let (plan, k) = (self.params.plan(), self.params.k);
        // Where there are blocks they depend on k.
        if !plan.is_whole::<Known<'_>>(original.persons(), k) {
            return Ok(None);
        }
        let known = Known::of(self, original, k, progress)?;
        let distances = plan.whole(&known, progress)?;
        Ok(Some(Box::new(Compared { known, distances })))
    }

    fn parameters(&self) -> Map<String, Value> {
        shown_parameters(&self.params)
    }
}

fn refuse_too_few(documents: usize, known: usize, k: usize) -> Result<()> {
    check_having(known, documents, "a term that the taxonomy knows", k, DOCUMENTS)
        .map_err(|error| error.with_hint("choose a smaller k, or a taxonomy that has the words of these texts"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Silent;
    use crate::taxonomy::tests::food;
    use std::sync::Arc;

    fn documents(rows: &[&str]) -> Documents {
        let mut builder = DocumentsBuilder::new(Some(Arc::new(food())));
        for (number, row) in rows.iter().enumerate() {
            builder.push_vector(&format!("d{number}"), row.split_whitespace().map(|term| (term, 0.25)), None);
        }
        builder.finish()
    }

    fn protect(rows: &[&str], k: usize) -> Result<Protected<Documents>> {
        let method = DocumentMicroaggregation::new(Params { k, ..Params::default() })?;
        method.protect(&documents(rows), &mut Rng::seeded(1), &Silent)
    }

    fn shown(records: &Documents, record: usize) -> Vec<(&str, f64)> {
        records.vector(record).iter().map(|&(term, weight)| (records.terms().get(term), weight)).collect()
    }

    #[test]
    fn like_documents_come_together() {
        let protected =
            protect(&["Beef Milk", "Apple Orange", "Chicken Butter", "", "Banana Apple", "spam"], 2).unwrap();
        let record_of = &protected.record_of;
        assert_eq!((record_of[0], record_of[1]), (record_of[2], record_of[4]));
        assert_eq!((record_of[3], record_of[5]), (None, None));
        assert_eq!(shown(&protected.records, record_of[0].unwrap() as usize), [("Dairy", 0.25), ("Meat", 0.25)]);
        assert_eq!(shown(&protected.records, record_of[1].unwrap() as usize), [("Apple", 0.25), ("Fruit", 0.25)]);
        assert_eq!(protected.claims[0].model, "record-k-anonymity");
    }

    #[test]
    fn one_group_when_k_is_everybody() {
        let protected = protect(&["Beef", "Milk", "Apple"], 3).unwrap();
        assert_eq!(protected.record_of, [Some(0); 3]);
        assert_eq!(shown(&protected.records, 0), [("Food", 0.25)]);
    }

    #[test]
    fn refusals() {
        let error = |result: Result<Protected<Documents>>| result.unwrap_err().to_string();
        assert_eq!(error(protect(&["Beef", "Milk"], 1)), "`k` is 1, but must be at least 2");
        assert_eq!(error(protect(&["Beef", "Milk"], 3)), "there are 2 documents, fewer than k = 3");
        let unknown = error(protect(&["Beef", "", "spam"], 2));
        assert_eq!(unknown, "of 3 documents only 1 has a term that the taxonomy knows, fewer than k = 2");
        for terms in [0, 1001] {
            let error = DocumentMicroaggregation::new(Params { terms, ..Params::default() }).unwrap_err();
            assert_eq!(error.to_string(), format!("`terms` is {terms}, but must be from 1 to 1000"));
        }
        let method = DocumentMicroaggregation::new(Params::default()).unwrap();
        let bare = DocumentsBuilder::new(None).finish();
        assert!(method.protect(&bare, &mut Rng::seeded(1), &Silent).unwrap_err().to_string().contains("no taxonomy"));
    }

    #[test]
    fn only_what_was_changed_is_shown() {
        let method = DocumentMicroaggregation::new(Params { terms: 100, ..Params::default() }).unwrap();
        assert_eq!(Value::Object(method.parameters()), json!({"k": 5, "terms": 100}));
    }
}
