//! Semantic microaggregation: persons who look for the same things become one of at least k with the same record.
//!
//! Paper      Batet, Erola, Sánchez, Castellà-Roca. Semantic anonymisation of set-valued data. ICAART 2014 (paper 004).
//! Claims     user-k-anonymity(k) for query logs, transaction-k-anonymity(k) for baskets.
//! Does not   hide what a word says: published terms are those of the data, and one that a single person used may be drawn.
//!            The times, ranks and hosts of a concept that one member looked for once are that line's
//!            (`--time-resolution` coarsens times).
//!
//! # Idea
//! 1. Every person is the set of the concepts of their words. 2. All distances between persons under the semantic distance.
//!    3. Groups of k to 2k - 1 persons by MDAV. 4. A group's record has one term for each concept of its medoid, drawn from all
//!    terms of the whole data set with that concept. 5. Every member is published with that record.
//!
//! # Readings
//! S3 and S4: a person may lie apart from themselves, and that counts when a medoid is sought. S6: concepts are sets. S7: MDAV
//! as in Algorithm 1 of 001. S8: one record a group; terms are drawn uniformly over their occurrences. S9: one term a concept.
//! S10: `--plain` compares the raw strings, and the record is the medoid's strings. Ours: time, rank and host of a published
//! term are aggregated as in 001 over the group's own lines with that concept; a label drawn for two concepts of a basket
//! stands there once; persons without a concept cannot be compared and are left out.
//!
//! # Cost
//! The distances (see `semantic_distance`), then time O(n² / k), memory 4 n² bytes, for n persons.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::baskets::check_k;
use super::queries::user_microaggregation::{MOST_PERSONS, TIME_RESOLUTION};
use super::{Method, shown_parameters};
use crate::aggregate::queries::{Aggregation, log_of_records};
use crate::concepts::{Meaning, Texts};
use crate::data::{Baskets, QueryLog};
use crate::distance::DistanceMatrix;
use crate::distance::semantic_distance::{self, SemanticDistance, SetDistance, plain_matrix};
use crate::error::{Error, Result};
use crate::info::{self, Info, Kind, Parameter, ParameterKind};
use crate::partition::mdav::{Average, mdav, medoid};
use crate::progress::Progress;
use crate::release::{Claim, Protected};
use crate::rng::Rng;

/// The card of the method.
pub const INFO: Info = Info {
    name: "semantic-microaggregation",
    summary: "groups of k persons whose words mean alike, one shared record a group, its terms drawn from all data",
    paper: "Batet, Erola, Sánchez, Castellà-Roca. Semantic anonymisation of set-valued data. ICAART 2014",
    details: "1. Words become concepts of a taxonomy, WordNet unless `--taxonomy` gives another; a person is the set of theirs.\n\
        2. The semantic distance between all pairs of persons (throng explain semantic-distance).\n\
        3. MDAV cuts the persons into groups of k to 2k - 1: the person farthest from the medoid with their k - 1 nearest, the \
        person farthest from that one with theirs, and so on.\n\
        4. A group's record has one term for each concept of its medoid, the member nearest to all: drawn at random among all \
        occurrences, in the whole data, of terms with that concept.\n\
        5. In a query log time and rank of a published term are means over the group's lines with that concept; its URL is the \
        common right-most part of their host names. In baskets the terms are items.\n\
        6. Every member is published with that record, under a fresh pseudonym. Persons without a concept are left out and \
        counted.\n\
        With `--plain` strings are compared as they are, equal or not, and the record holds the medoid's: for comparison.\n\
        Claims user-k-anonymity(k) for query logs, transaction-k-anonymity(k) for baskets. It does not hide what a term says: \
        terms are published as they are, and a concept that one member looked for once comes with one person's second, rank and \
        host.\n\
        Cost: all n(n-1)/2 distances; 4 n² bytes of memory for n persons.",
    kinds: &[Kind::Queries, Kind::Baskets],
    parameters: &[info::K, semantic_distance::DISTANCE, PLAIN, TIME_RESOLUTION],
};

const PLAIN: Parameter = Parameter {
    name: "plain",
    summary: "compare strings, equal or not, in the place of what they mean",
    kind: ParameterKind::Switch,
    default: "false",
};

/// What the method can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// How many persons share a record, at least.
    pub k: usize,
    /// How distances of concepts become a distance of persons.
    pub distance: SetDistance,
    /// Whether to compare strings in the place of concepts.
    pub plain: bool,
    /// Published times are multiples of this many seconds. Baskets have none.
    pub time_resolution: u64,
}

impl Default for Params {
    fn default() -> Self {
        Self { k: 5, distance: SetDistance::MinimumSum, plain: false, time_resolution: 1 }
    }
}

/// The method with checked parameters.
#[derive(Debug, Clone, Copy)]
pub struct SemanticMicroaggregation {
    params: Params,
}

impl SemanticMicroaggregation {
    /// Checks the parameters, for one of the kinds of data.
    pub fn new(params: Params, kind: Kind) -> Result<Self> {
        let mut errors: Vec<Error> = check_k(params.k).into_iter().collect();
        if params.time_resolution < 1 {
            errors.push(Error::parameter("time-resolution", "is 0, but must be at least one second"));
        }
        if kind == Kind::Baskets && params.time_resolution != Params::default().time_resolution {
            errors.push(Error::parameter("time-resolution", "is given, but baskets have no times"));
        }
        if errors.is_empty() { Ok(Self { params }) } else { Err(Error::parameters(errors)) }
    }

    fn claim(&self, model: &'static str) -> Claim {
        Claim { model, parameters: Map::from_iter([("k".into(), json!(self.params.k))]) }
    }

    /// What a string stands for: its concepts, or with `plain` itself.
    fn add_keys(&self, meaning: &Meaning, string: u32, keys: &mut Vec<u32>) {
        if self.params.plain { keys.push(string) } else { keys.extend_from_slice(meaning.concepts(string)) }
    }

    /// The groups of the persons who have something, with the medoid's concepts or strings.
    fn groups(&self, texts: &impl Texts, meaning: &Meaning, progress: &dyn Progress) -> Result<Vec<Group>> {
        let set = |person: usize| {
            let mut keys = Vec::new();
            texts.strings_of(person).iter().for_each(|&string| self.add_keys(meaning, string, &mut keys));
            keys.sort_unstable();
            keys.dedup();
            keys
        };
        let (persons, sets): (Vec<u32>, Vec<Vec<u32>>) =
            (0..texts.persons()).map(|person| (person as u32, set(person))).filter(|(_, set)| !set.is_empty()).unzip();
        self.check_persons(persons.len(), texts.persons())?;
        let distances = self.distances(meaning, &sets, progress)?;
        let partition = mdav(&distances, self.params.k, Average::Medoid, progress);
        let group = |members: &Vec<u32>| Group {
            keys: sets[medoid(&distances, members) as usize].clone(),
            members: members.iter().map(|&member| persons[member as usize]).collect(),
        };
        Ok(partition.groups.iter().map(group).collect())
    }

    fn distances(&self, meaning: &Meaning, sets: &[Vec<u32>], progress: &dyn Progress) -> Result<DistanceMatrix> {
        if self.params.plain {
            return Ok(plain_matrix(self.params.distance, sets, progress));
        }
        let space = SemanticDistance::new(meaning.taxonomy(), sets.iter().flatten().copied());
        space.matrix(self.params.distance, sets, progress)
    }

    /// Refuses too few persons with something to compare, and too many.
    fn check_persons(&self, having: usize, all: usize) -> Result<()> {
        let k = self.params.k;
        let choose = "choose a smaller k, or data of more persons";
        if all < k {
            let persons = if all == 1 { "is 1 person".to_owned() } else { format!("are {all} persons") };
            return Err(Error::data(format!("there {persons}, fewer than k = {k}")).with_hint(choose));
        }
        if self.params.plain && having < k {
            return Err(Error::data(format!("of {all} persons only {having} have an item, fewer than k = {k}"))
                .with_hint(choose));
        }
        if having == 0 {
            return Err(Error::data(format!("the taxonomy has none of the words of the {all} persons")).with_hint(
                "is it for other data, or another language? `--taxonomy` gives one, `--unknown own-leaf` makes every word a \
                 concept; `throng inspect FILE --concepts` shows what was found",
            ));
        }
        if having < k {
            return Err(Error::data(format!(
                "of {all} persons only {having} have a word that is in the taxonomy, fewer than k = {k}"
            ))
            .with_hint(
                "choose a smaller k, or a taxonomy with their words; `throng inspect FILE --concepts` shows what was found",
            ));
        }
        if having > MOST_PERSONS {
            return Err(Error::refused(format!(
                "the exact method compares all pairs of persons: {having} persons would need {} GB of memory",
                DistanceMatrix::bytes(having) / 1_000_000_000
            ))
            .with_hint(format!("split the data into parts of at most {MOST_PERSONS} persons and protect each")));
        }
        Ok(())
    }
}

/// Persons who get one record.
struct Group {
    /// In rising order.
    members: Vec<u32>,
    /// The concepts of the medoid, or with `plain` its strings, in rising order.
    keys: Vec<u32>,
}

/// The record of each person; `None` for those in no group.
fn record_of(groups: &[Group], persons: usize) -> Vec<Option<u32>> {
    let mut record_of = vec![None; persons];
    for (record, group) in (0u32..).zip(groups) {
        group.members.iter().for_each(|&member| record_of[member as usize] = Some(record));
    }
    record_of
}

/// What the data come with if a method asks for it.
fn meaning_of(texts: &impl Texts) -> Result<&Meaning> {
    let meaning = texts.meaning().map(AsRef::as_ref);
    meaning.ok_or_else(|| Error::internal("the data come without what their words mean"))
}

/// For each concept the terms that have it, as often as they occur in the whole data set.
struct Pool {
    /// Concept, term, and the occurrences of terms of that concept up to and with this one; in rising order.
    entries: Vec<(u32, u32, u64)>,
}

impl Pool {
    /// The terms that `add` gives for each string, in pairs of concept and term, once for each occurrence of the string.
    fn new(texts: &impl Texts, add: impl Fn(u32, &mut Vec<(u32, u32)>)) -> Self {
        let mut occurrences = vec![0u64; texts.strings().len()];
        for person in 0..texts.persons() {
            texts.strings_of(person).iter().for_each(|&string| occurrences[string as usize] += 1);
        }
        let (mut all, mut own) = (Vec::new(), Vec::new());
        for (string, &count) in (0u32..).zip(&occurrences).filter(|&(_, &count)| count > 0) {
            own.clear();
            add(string, &mut own);
            all.extend(own.iter().map(|&(concept, term)| (concept, term, count)));
        }
        all.sort_unstable();
        let mut entries: Vec<(u32, u32, u64)> = Vec::new();
        for (concept, term, count) in all {
            let before = entries.last().filter(|last| last.0 == concept).map_or(0, |last| last.2);
            match entries.last_mut() {
                Some(last) if (last.0, last.1) == (concept, term) => last.2 += count,
                _ => entries.push((concept, term, before + count)),
            }
        }
        Self { entries }
    }

    /// A term of a concept, each as likely as it is frequent. `None` of a concept that does not occur.
    fn draw(&self, concept: u32, rng: &mut Rng) -> Option<u32> {
        let start = self.entries.partition_point(|entry| entry.0 < concept);
        let end = self.entries.partition_point(|entry| entry.0 <= concept);
        let own = &self.entries[start..end];
        let drawn = rng.below(own.last()?.2);
        Some(own[own.partition_point(|entry| entry.2 <= drawn)].1)
    }
}

impl Method<QueryLog> for SemanticMicroaggregation {
    fn protect(&self, original: &QueryLog, rng: &mut Rng, progress: &dyn Progress) -> Result<Protected<QueryLog>> {
        let meaning = meaning_of(original)?;
        let groups = self.groups(original, meaning, progress)?;
        let aggregation = Aggregation::new(original, self.params.time_resolution as i64 * 1000);
        let pool = Pool::new(original, |string, pairs| {
            pairs.extend(meaning.concepts(string).iter().copied().zip(meaning.terms(string).iter().copied()));
        });
        let mut records = Vec::with_capacity(groups.len());
        for group in &groups {
            let mut record = Vec::with_capacity(group.keys.len());
            for (key, values) in
                aggregation.values_by(&group.members, |query, keys| self.add_keys(meaning, query, keys))
            {
                if group.keys.binary_search(&key).is_err() {
                    continue;
                }
                let term = if self.params.plain {
                    Some(original.queries().get(key))
                } else {
                    pool.draw(key, rng).map(|term| meaning.term(term))
                };
                record.extend(term.map(|term| values.line(term)));
            }
            records.push(record);
        }
        Ok(Protected {
            records: log_of_records(records),
            record_of: record_of(&groups, original.persons()),
            claims: vec![self.claim("user-k-anonymity")],
        })
    }

    fn parameters(&self) -> Map<String, Value> {
        shown_parameters(&self.params)
    }

    fn needs_meaning(&self) -> bool {
        true
    }
}

impl Method<Baskets> for SemanticMicroaggregation {
    fn protect(&self, original: &Baskets, rng: &mut Rng, progress: &dyn Progress) -> Result<Protected<Baskets>> {
        let meaning = meaning_of(original)?;
        let groups = self.groups(original, meaning, progress)?;
        // What is published is an item, not a phrase of it: an item counts once for each of its concepts.
        let pool = Pool::new(original, |item, pairs| {
            pairs.extend(meaning.concepts(item).iter().map(|&concept| (concept, item)));
            pairs.sort_unstable();
            pairs.dedup();
        });
        let mut record = |group: &Group| {
            let mut items: Vec<u32> = if self.params.plain {
                group.keys.clone()
            } else {
                group.keys.iter().filter_map(|&concept| pool.draw(concept, rng)).collect()
            };
            items.sort_unstable();
            items.dedup();
            items
        };
        let records: Vec<Vec<u32>> = groups.iter().map(&mut record).collect();
        Ok(Protected {
            records: original.records(&records),
            record_of: record_of(&groups, original.persons()),
            claims: vec![self.claim("transaction-k-anonymity")],
        })
    }

    fn parameters(&self) -> Map<String, Value> {
        shown_parameters(&self.params)
    }

    fn needs_meaning(&self) -> bool {
        true
    }
}
