//! Semantic microaggregation: persons who look for the same things become one of at least k with the same record.
//!
//! Paper      Batet, Erola, Sánchez, Castellà-Roca. Semantic anonymisation of set-valued data. ICAART 2014 (paper 004).
//! Claims     user-k-anonymity(k) for query logs, with `--min-persons m` also content-threshold(m), with `--k-column`
//!            personal-k-anonymity(k); transaction-k-anonymity(k) for baskets.
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
//! Ours: after MDAV persons change groups while the sum of squares falls; above 5,000 persons all of it is done in blocks of
//! persons with like interests (`partition/grouping.rs`). `--exact` is the paper: no blocks, MDAV alone.
//!
//! # Cost
//! The distances (see `semantic_distance`), then time O(n² / k), memory 4 n² bytes, for n persons in one block; in blocks time and
//! memory grow with n.

use std::borrow::Cow;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::queries::user_microaggregation::TIME_RESOLUTION;
use super::queries::{Threshold, check_min_persons, clusters_of};
use super::refusals::{PERSONS, check_enough, check_having, check_k, nothing_known};
use super::wishes::{check_wishes, claims, wishes_of};
use super::{Method, Prepared, shown_parameters};
use crate::aggregate::normal::normal_texts_of;
use crate::aggregate::queries::{Aggregation, log_of_records};
use crate::concepts::interests::Interests;
use crate::concepts::{Meaning, Texts};
use crate::data::{Baskets, QueryLog};
use crate::distance::DistanceMatrix;
use crate::distance::semantic_distance::{self, SemanticDistance, SetDistance, plain_matrix};
use crate::error::{Error, Result};
use crate::info::{self, Info, Parameter, ParameterKind};
use crate::models::content_threshold::{ACCOUNTS, Accounts, MIN_PERSONS};
use crate::models::k_anonymity;
use crate::models::personal_k_anonymity::K_COLUMN;
use crate::partition::Partition;
use crate::partition::blocks::Sketches;
use crate::partition::grouping::{self, Comparable, Groups, How, Least, Plan, microaggregated};
use crate::partition::mdav::medoid;
use crate::progress::Progress;
use crate::release::Protected;
use crate::rng::Rng;
use crate::text::has_content_word;

/// The card of the method.
pub const INFO: Info = Info {
    name: "semantic-microaggregation",
    summary: "groups of k persons whose words mean alike, one shared record a group, its terms drawn from all data",
    paper: "Batet, Erola, Sánchez, Castellà-Roca. Semantic anonymisation of set-valued data. ICAART 2014",
    details: "1. Words become concepts of a taxonomy, WordNet unless `--taxonomy` gives another; a person is the set of theirs.\n\
        2. The semantic distance between all pairs of persons (throng explain semantic-distance).\n\
        3. MDAV cuts the persons into groups of k to 2k - 1: the person farthest from the medoid with their k - 1 nearest, the \
        person farthest from that one with theirs, and so on. Then persons move and change places between groups while the sum of \
        squared distances within groups falls.\n\
        4. A group's record has one term for each concept of its medoid, the member nearest to all: drawn at random among all \
        occurrences, in the whole data, of terms with that concept.\n\
        5. In a query log time and rank of a published term are means over the group's lines with that concept; its URL is the \
        common right-most part of their host names. In baskets the terms are items.\n\
        6. Every member is published with that record, under a fresh pseudonym. Persons without a concept are left out and \
        counted.\n\
        Above 5,000 persons steps 2 and 3 are done in blocks of persons with like interests; the certificate says so. `--exact` keeps \
        the paper's method: all pairs of all persons, MDAV alone.\n\
        With `--plain` strings are compared as they are, equal or not, and the record holds the medoid's: for comparison.\n\
        In a query log, with `--min-persons m`, every query is cut beforehand, rarest word first, to a phrase whose words lie inside \
        the queries of at least m persons, and every URL to the part of its host that as many clicked; text is published in normal form. \
        Accounts that are probably one person's count there as one (`--accounts`), and towards k each for itself.\n\
        Who of a query log asks to be one of more than k (`--k-column NAME`, a column of the original) is served first: a group has as many \
        members as any of them asks for.\n\
        Claims user-k-anonymity(k) for query logs, with `--min-persons` also content-threshold(m), with `--k-column` \
        personal-k-anonymity; transaction-k-anonymity(k) for \
        baskets. Without a threshold it does not hide what a term says: terms are published as they are. A concept that one member looked for once comes with one person's second, rank and \
        host.\n\
        Cost: all n(n-1)/2 distances of a block, and 4 n² bytes of memory for its n persons.",
    parameters: &[
        info::K,
        K_COLUMN,
        semantic_distance::DISTANCE,
        PLAIN,
        TIME_RESOLUTION,
        MIN_PERSONS,
        ACCOUNTS,
        grouping::EXACT,
        grouping::BLOCK_SIZE,
    ],
};

const PLAIN: Parameter = Parameter {
    name: "plain",
    summary: "compare strings, equal or not, in the place of what they mean",
    kind: ParameterKind::Switch,
    default: "false",
};

/// What the method can be told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// How many persons share a record, at least.
    pub k: usize,
    /// The column of what persons ask for themselves. Baskets have none.
    pub k_column: Option<String>,
    /// How distances of concepts become a distance of persons.
    pub distance: SetDistance,
    /// Whether to compare strings in the place of concepts.
    pub plain: bool,
    /// Published times are multiples of this many seconds. Baskets have none.
    pub time_resolution: u64,
    /// So many persons said what a line says, at least. Baskets have no lines.
    pub min_persons: usize,
    /// What becomes of accounts that are probably one person's. Baskets have none.
    pub accounts: Accounts,
    /// The paper's method on the whole data.
    pub exact: bool,
    /// The size of blocks; 0 if it is left to us.
    pub block_size: usize,
}

impl Params {
    fn plan(&self) -> Plan {
        Plan { is_exact: self.exact, block_size: self.block_size }
    }

    fn threshold(&self) -> Threshold {
        Threshold { min_persons: self.min_persons, accounts: self.accounts }
    }
}

impl Default for Params {
    fn default() -> Self {
        Self {
            k: 5,
            k_column: None,
            distance: SetDistance::MinimumSum,
            plain: false,
            time_resolution: 1,
            min_persons: 1,
            accounts: Accounts::Once,
            exact: false,
            block_size: 0,
        }
    }
}

/// The method with checked parameters.
#[derive(Debug, Clone)]
pub struct SemanticMicroaggregation {
    params: Params,
}

impl SemanticMicroaggregation {
    /// Checks the parameters, for search logs.
    pub fn for_queries(params: Params) -> Result<Self> {
        Self::new(params, Vec::new())
    }

    /// Checks the parameters, for baskets, which have neither times nor queries.
    pub fn for_baskets(params: Params) -> Result<Self> {
        let mut errors = Vec::new();
        if params.time_resolution != Params::default().time_resolution {
            errors.push(Error::parameter("time-resolution", "is given, but baskets have no times"));
        }
        if params.min_persons > 1 {
            errors.push(Error::parameter("min-persons", "is given, but it is about queries, and these are baskets"));
        }
        if params.accounts != Accounts::Once {
            errors.push(Error::parameter("accounts", "is given, but it is about queries, and these are baskets"));
        }
        if params.k_column.is_some() {
            let problem =
                "asks for protection that the method does not give to baskets: it reads no such column of them";
            errors.push(
                Error::parameter(K_COLUMN.name, problem).with_hint("only search logs can say what persons ask for"),
            );
        }
        Self::new(params, errors)
    }

    fn new(params: Params, of_kind: Vec<Error>) -> Result<Self> {
        let mut errors: Vec<Error> = check_k(params.k).into_iter().collect();
        if params.time_resolution < 1 {
            errors.push(Error::parameter("time-resolution", "is 0, but must be at least one second"));
        }
        errors.extend(check_min_persons(params.min_persons));
        errors.extend(of_kind);
        errors.extend(params.plan().check(params.k));
        if errors.is_empty() { Ok(Self { params }) } else { Err(Error::parameters(errors)) }
    }

    /// What a string stands for: its concepts, or with `plain` itself.
    fn add_keys(&self, meaning: &Meaning, string: u32, keys: &mut Vec<u32>) {
        if self.params.plain { keys.push(string) } else { keys.extend_from_slice(meaning.concepts(string)) }
    }

    /// The persons who have something, ready to be compared.
    fn persons<'a>(&'a self, texts: &(impl Texts + Sync), meaning: &'a Meaning, wishes: &[u32]) -> Persons<'a> {
        let set = |person: usize| {
            let mut keys = Vec::new();
            texts.strings_of(person).iter().for_each(|&string| self.add_keys(meaning, string, &mut keys));
            keys.sort_unstable();
            keys.dedup();
            keys
        };
        let all: Vec<Vec<u32>> = (0..texts.persons()).into_par_iter().map(set).collect();
        let (numbers, sets): (Vec<u32>, Vec<Vec<u32>>) = (0u32..).zip(all).filter(|(_, set)| !set.is_empty()).unzip();
        let wishes: Vec<u32> = numbers.iter().filter_map(|&person| wishes.get(person as usize).copied()).collect();
        // Whoever is compared with all others needs no sketch.
        let least = Least { k: self.params.k, wishes: &wishes }.greatest();
        let is_whole = self.params.plan().is_whole::<Persons<'_>>(sets.len(), least);
        let interests =
            (!is_whole && !self.params.plain).then(|| Interests::of(texts, &numbers, meaning, SKETCHED_LEVELS));
        Persons { method: self, meaning, all: texts.persons(), numbers, sets, interests, wishes }
    }

    fn protected<D: Publishable>(
        &self,
        original: &D,
        meaning: &Meaning,
        groups: &Groups,
        keys: &[&[u32]],
        k: usize,
        rng: &mut Rng,
    ) -> Protected<D> {
        let records = original.published(self, meaning, &groups.members, keys, rng);
        let claims = claims(D::MODEL, k, self.params.k_column.as_deref());
        Protected::new(records, groups.record_of(original.persons()), claims).grouped(groups.grouped)
    }
}

/// So many levels of the taxonomy are in a sketch.
const SKETCHED_LEVELS: usize = 7;
/// So many coordinates stand for all strings, where strings are compared as they are.
const SKETCHED_STRINGS: u32 = 4_096;

/// The persons of a data set who have something to compare.
struct Persons<'a> {
    method: &'a SemanticMicroaggregation,
    meaning: &'a Meaning,
    /// How many persons there are, with those who have nothing.
    all: usize,
    /// Who they are.
    numbers: Vec<u32>,
    /// The concepts of each, or with `plain` their strings, in rising order.
    sets: Vec<Vec<u32>>,
    /// What they are interested in, where that is needed to cut blocks.
    interests: Option<Interests>,
    /// What each of them asks for; nothing where nobody was asked.
    wishes: Vec<u32>,
}

impl Persons<'_> {
    /// How large groups are, at least.
    fn least(&self, k: usize) -> Least<'_> {
        Least { k, wishes: &self.wishes }
    }

    /// Refuses too few persons with something to compare, and too many.
    fn check(&self, k: usize) -> Result<()> {
        let (having, all, params) = (self.sets.len(), self.all, &self.method.params);
        check_enough(all, k, PERSONS)?;
        if params.plain {
            check_having(having, all, "an item", k, PERSONS)?;
        } else if having == 0 {
            return Err(nothing_known(all));
        } else {
            check_having(having, all, "a word that is in the taxonomy", k, PERSONS).map_err(|error| {
                error.with_hint(
                    "choose a smaller k, or a taxonomy with their words; `throng inspect FILE --concepts` shows what was found",
                )
            })?;
        }
        check_wishes(having, self.least(k), PERSONS)?;
        params.plan().refuse_too_many::<Self>(having, self.least(k).greatest(), DistanceMatrix::bytes)
    }

    /// Groups by the numbers of the data set, with the concepts or strings of the member that stands for each.
    fn named(&self, mut groups: Groups) -> (Groups, Vec<&[u32]>) {
        let keys = groups.centres.iter().map(|&centre| self.sets[centre as usize].as_slice()).collect();
        let number = |member: &mut u32| *member = self.numbers[*member as usize];
        groups.members.iter_mut().flatten().for_each(number);
        groups.centres.iter_mut().for_each(number);
        (groups, keys)
    }
}

impl Sketches for Persons<'_> {
    fn len(&self) -> usize {
        self.sets.len()
    }

    fn dimensions(&self) -> usize {
        1 + self.interests.as_ref().map_or(SKETCHED_STRINGS as usize, Interests::categories)
    }

    /// What a person is interested in, and of how many things: one of many is near to much.
    fn sketch(&self, record: usize, into: &mut Vec<(u32, f32)>) {
        let set = &self.sets[record];
        match &self.interests {
            Some(interests) => interests.sketch(record, into),
            None => {
                let share = 1.0 / (set.len() as f32).sqrt();
                into.extend(set.iter().map(|&string| (string.wrapping_mul(0x9E37_79B1) % SKETCHED_STRINGS, share)));
                into.sort_unstable_by_key(|coordinate| coordinate.0);
                into.dedup_by_key(|coordinate| coordinate.0);
            }
        }
        into.push((self.dimensions() as u32 - 1, SIZE_WEIGHT * (set.len() as f32).ln()));
    }

    fn work(&self, record: usize) -> u64 {
        self.sets[record].len() as u64
    }
}

/// What the number of concepts weighs in a sketch, beside what they are.
const SIZE_WEIGHT: f32 = 0.1;

impl Comparable for Persons<'_> {
    type Compared = DistanceMatrix;

    const WHOLE: usize = 5_000;
    const BLOCK: usize = 512;
    const WORK: u64 = u64::MAX;
    const IS_REFINED: bool = true;

    fn compare(&self, block: &[u32], progress: &dyn Progress) -> Result<DistanceMatrix> {
        let sets: Vec<&[u32]> = block.iter().map(|&record| self.sets[record as usize].as_slice()).collect();
        if self.method.params.plain {
            return Ok(plain_matrix(self.method.params.distance, &sets, progress));
        }
        let space = SemanticDistance::new(self.meaning.taxonomy(), sets.iter().copied().flatten().copied());
        space.matrix(self.method.params.distance, &sets, progress)
    }

    fn group(&self, distances: &DistanceMatrix, how: How<'_>, progress: &dyn Progress) -> Partition {
        microaggregated(distances, how, progress)
    }

    fn centre(&self, distances: &DistanceMatrix, members: &[u32]) -> u32 {
        medoid(distances, members)
    }
}

/// The persons of a data set with all distances between them, which do not depend on k.
struct Compared<'a, D> {
    original: &'a D,
    persons: Persons<'a>,
    distances: DistanceMatrix,
}

impl<D: Publishable> Prepared<D> for Compared<'_, D> {
    fn protect(&self, k: usize, rng: &mut Rng, progress: &dyn Progress) -> Result<Protected<D>> {
        self.persons.check(k)?;
        let method = self.persons.method;
        let groups =
            method.params.plan().groups_of_whole(&self.persons, &self.distances, self.persons.least(k), progress)?;
        let (groups, keys) = self.persons.named(groups);
        Ok(method.protected(self.original, self.persons.meaning, &groups, &keys, k, rng))
    }
}

impl<D: Publishable> Method<D> for SemanticMicroaggregation {
    fn protect(&self, original: &D, rng: &mut Rng, progress: &dyn Progress) -> Result<Protected<D>> {
        let (data, k) = (original.cut(self.params.threshold(), progress)?, self.params.k);
        let meaning = meaning_of(data.as_ref())?;
        let wishes = wishes_of(original, self.params.k_column.as_deref())?;
        let persons = self.persons(data.as_ref(), meaning, wishes);
        persons.check(k)?;
        let (groups, keys) = persons.named(self.params.plan().groups(&persons, persons.least(k), progress)?);
        let protected = self.protected(data.as_ref(), meaning, &groups, &keys, k, rng);
        original.claimed(&data, protected, self.params.threshold())
    }

    fn parameters(&self) -> Map<String, Value> {
        shown_parameters(&self.params)
    }

    fn prepared<'a>(&'a self, original: &'a D, progress: &dyn Progress) -> Result<Option<Box<dyn Prepared<D> + 'a>>> {
        // A log that is cut is nobody's to keep.
        if self.params.min_persons > 1 {
            return Ok(None);
        }
        original.cut(self.params.threshold(), progress)?;
        let wishes = wishes_of(original, self.params.k_column.as_deref())?;
        let persons = self.persons(original, meaning_of(original)?, wishes);
        // Where there are blocks they depend on k.
        if !self.params.plan().is_whole::<Persons<'_>>(persons.len(), persons.least(self.params.k).greatest()) {
            return Ok(None);
        }
        persons.check(self.params.k)?;
        let distances = self.params.plan().whole(&persons, progress)?;
        Ok(Some(Box::new(Compared { original, persons, distances })))
    }

    fn needs_meaning(&self) -> bool {
        true
    }

    fn cuts_content(&self) -> bool {
        self.params.min_persons > 1
    }
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

/// A kind of data that the method can make records of.
trait Publishable: Texts + Sync + Clone {
    /// The model that is claimed.
    const MODEL: &'static Info;

    /// The data as they are worked on: cut to what so many persons say.
    fn cut(&self, threshold: Threshold, progress: &dyn Progress) -> Result<Cow<'_, Self>>;

    /// What was made of them, with the claim that they were cut.
    fn claimed(&self, cut: &Self, protected: Protected<Self>, threshold: Threshold) -> Result<Protected<Self>>;

    /// One record for each group, given its members and the concepts or strings that stand for it.
    fn published(
        &self,
        method: &SemanticMicroaggregation,
        meaning: &Meaning,
        groups: &[Vec<u32>],
        keys: &[&[u32]],
        rng: &mut Rng,
    ) -> Self;
}

impl Publishable for QueryLog {
    const MODEL: &'static Info = &k_anonymity::USER;

    fn cut(&self, threshold: Threshold, progress: &dyn Progress) -> Result<Cow<'_, Self>> {
        threshold.cut_to_content(self, progress)
    }

    /// A term is a part of a phrase, and its words may stand in another order where they stand alone.
    fn claimed(&self, cut: &Self, mut protected: Protected<Self>, threshold: Threshold) -> Result<Protected<Self>> {
        if threshold.min_persons > 1 {
            let clusters = clusters_of(self, threshold.accounts)?;
            let texts = normal_texts_of(protected.records.queries(), self, &clusters);
            protected.records = protected.records.with_query_texts(&texts);
        }
        threshold.with_content_claim(protected, self, cut)
    }

    fn published(
        &self,
        method: &SemanticMicroaggregation,
        meaning: &Meaning,
        groups: &[Vec<u32>],
        keys: &[&[u32]],
        rng: &mut Rng,
    ) -> Self {
        let aggregation = Aggregation::new(self, method.params.time_resolution as i64 * 1000);
        // A phrase of a query that was cut may be a stop word alone: `net`.
        let may_stand = |term: u32| method.params.min_persons <= 1 || has_content_word(meaning.term(term));
        let may_stand: Vec<bool> = (0..meaning.term_count() as u32).map(may_stand).collect();
        let pool = Pool::new(self, |string, pairs| {
            let all = meaning.concepts(string).iter().copied().zip(meaning.terms(string).iter().copied());
            pairs.extend(all.filter(|&(_, term)| may_stand[term as usize]));
        });
        let mut records = Vec::with_capacity(groups.len());
        for (members, own) in groups.iter().zip(keys) {
            let mut record = Vec::with_capacity(own.len());
            for (key, values) in aggregation.values_by(members, |query, keys| method.add_keys(meaning, query, keys)) {
                if own.binary_search(&key).is_err() {
                    continue;
                }
                let term = if method.params.plain {
                    Some(self.queries().get(key))
                } else {
                    pool.draw(key, rng).map(|term| meaning.term(term))
                };
                record.extend(term.map(|term| values.line(term)));
            }
            records.push(record);
        }
        log_of_records(records)
    }
}

impl Publishable for Baskets {
    const MODEL: &'static Info = &k_anonymity::TRANSACTION;

    fn cut(&self, _threshold: Threshold, _progress: &dyn Progress) -> Result<Cow<'_, Self>> {
        Ok(Cow::Borrowed(self))
    }

    fn claimed(&self, _cut: &Self, protected: Protected<Self>, _threshold: Threshold) -> Result<Protected<Self>> {
        Ok(protected)
    }

    fn published(
        &self,
        method: &SemanticMicroaggregation,
        meaning: &Meaning,
        _groups: &[Vec<u32>],
        keys: &[&[u32]],
        rng: &mut Rng,
    ) -> Self {
        // What is published is an item, not a phrase of it: an item counts once for each of its concepts.
        let pool = Pool::new(self, |item, pairs| {
            pairs.extend(meaning.concepts(item).iter().map(|&concept| (concept, item)));
            pairs.sort_unstable();
            pairs.dedup();
        });
        let mut record = |own: &&[u32]| {
            let mut items: Vec<u32> = if method.params.plain {
                own.to_vec()
            } else {
                own.iter().filter_map(|&concept| pool.draw(concept, rng)).collect()
            };
            items.sort_unstable();
            items.dedup();
            items
        };
        let records: Vec<Vec<u32>> = keys.iter().map(&mut record).collect();
        self.records(&records)
    }
}
