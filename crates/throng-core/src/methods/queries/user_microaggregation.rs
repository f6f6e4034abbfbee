//! User microaggregation: every searcher becomes one of at least k with the same record.
//!
//! Paper      Navarro-Arribas, Torra, Erola, Castellà-Roca. User k-anonymity for privacy preserving data mining of query
//!            logs. Information Processing and Management 48 (2012).
//! Claims     user-k-anonymity(k); with `--min-persons m` also content-threshold(m), with `--k-column` personal-k-anonymity(k).
//! Does not   hide what a query says: strings of the members are published as they are, or cut to what m persons say. A string
//!            that one member issued once brings that line's second, rank and host with it (`--time-resolution` coarsens times).
//!
//! # Idea
//! 1. All distances between persons under the user distance. 2. Groups of k to 2k - 1 persons by MDAV. 3. Persons change groups
//!    while the sum of squares falls. 4. One record a group, lines taken from its members in proportion. 5. Every member is
//!    published with that record. Above 2,000 persons the first three are done in blocks of persons of like activity, time and
//!    habits (`partition/grouping.rs`). `--exact` is the paper: no blocks, no third step.
//!
//! # Readings
//! Q14 to Q21 of READINGS.md. `--average aggregate` takes the aggregate of all persons left as MDAV's average record,
//! `--query-weights printed` takes equation 1 as printed.
//!
//! # Cost
//! Time O(n²) distances, memory 4 n² bytes, for n persons in one block; in blocks time and memory grow with n.

use std::borrow::Cow;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Threshold, check_min_persons, refuse_unmerged};
use crate::aggregate::content::CutLog;
use crate::aggregate::queries::{Aggregation, log_of_records};
use crate::data::QueryLog;
use crate::distance::user_distance::{self, Hosts, QueryWeights, Scales, UserSpace};
use crate::distance::user_sketch::SKETCH;
use crate::distance::{DistanceMatrix, distances_of};
use crate::error::{Error, Result};
use crate::info::{self, Info, Parameter, ParameterKind};
use crate::methods::refusals::{PERSONS, check_k};
use crate::methods::wishes::{check_wishes, claims, wishes_of};
use crate::methods::{Method, Prepared, shown_parameters};
use crate::models::content_threshold::{ACCOUNTS, Accounts, MIN_PERSONS};
use crate::models::k_anonymity;
use crate::models::personal_k_anonymity::K_COLUMN;
use crate::partition::Partition;
use crate::partition::blocks::{Limits, Sketches};
use crate::partition::grouping::{self, Comparable, Groups, How, Least, Plan, microaggregated_around};
use crate::partition::mdav::{Average, medoid};
use crate::pieces::{self, Coordinates, InBlocks};
use crate::progress::Progress;
use crate::release::Protected;
use crate::rng::Rng;

/// The card of the method.
pub const INFO: Info = Info {
    name: "user-microaggregation",
    summary: "groups of k like searchers by MDAV under the user distance, one shared record a group",
    paper: "Navarro-Arribas, Torra, Erola, Castellà-Roca. User k-anonymity for privacy preserving data mining of query \
            logs. Information Processing and Management 48 (2012)",
    details: "1. The user distance between all pairs of persons (throng explain user-distance).\n\
        2. MDAV cuts the persons into groups of k to 2k - 1: the person farthest from the average with their k - 1 \
        nearest, the person farthest from that one with theirs, and so on.\n\
        3. Persons move and change places between groups while the sum of squared distances within groups falls.\n\
        4. A group's record has as many lines as its members have on average. Each member gives lines in proportion to \
        their own, each of their query strings in proportion to its frequency.\n\
        5. Time and rank of a published line are means over the group's lines with that string; its URL is the common \
        right-most part of their host names.\n\
        6. Every member is published with that record, under a fresh pseudonym.\n\
        Above 2,000 persons steps 1 to 3 are done in blocks of persons of like activity, time and habits; the certificate says so. \
        `--exact` keeps the paper's method: all pairs of all persons, and no step 3.\n\
        With `--min-persons m` every query is cut beforehand, rarest word first, to a phrase whose words lie inside the queries of at \
        least m persons, and every URL to the part of its host that as many clicked; what has no content word left is left out.\n\
        Who asks to be one of more than k (`--k-column NAME`, a column of the original) is served first: a group has as many members as any of them \
        asks for.\n\
        Claims user-k-anonymity(k), with `--min-persons` content-threshold(m), and with `--k-column` personal-k-anonymity. Without a threshold, it does not hide what a query says: \
        strings are published as they are. A string that occurs once in a group comes with one person's second, rank and host.\n\
        Cost: all n(n-1)/2 distances of a block, and 4 n² bytes of memory for its n persons.",
    parameters: &[
        info::K,
        K_COLUMN,
        AVERAGE,
        user_distance::QUERY_WEIGHTS,
        TIME_RESOLUTION,
        MIN_PERSONS,
        ACCOUNTS,
        grouping::EXACT,
        grouping::BLOCK_SIZE,
    ],
};

const AVERAGE: Parameter = Parameter {
    name: "average",
    summary: "MDAV's average record: the medoid of the persons left, or their aggregate",
    kind: ParameterKind::Choice(&["medoid", "aggregate"]),
    default: "medoid",
};

/// The parameter that coarsens published times.
pub const TIME_RESOLUTION: Parameter = Parameter {
    name: "time-resolution",
    summary: "published times are rounded to multiples of this",
    kind: ParameterKind::Duration,
    default: "1s",
};

/// What the method can be told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// How many persons share a record, at least.
    pub k: usize,
    /// The column of what persons ask for themselves.
    pub k_column: Option<String>,
    /// MDAV's average record (Q14).
    pub average: AverageRecord,
    /// Which part of a query weighs double (Q6).
    pub query_weights: QueryWeights,
    /// Published times are multiples of this many seconds.
    pub time_resolution: u64,
    /// So many persons said what a line says, at least.
    pub min_persons: usize,
    /// What becomes of accounts that are probably one person's.
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

/// MDAV's average record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AverageRecord {
    /// The person nearest to all others.
    #[default]
    Medoid,
    /// The aggregate of all persons left.
    Aggregate,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            k: 5,
            k_column: None,
            average: AverageRecord::Medoid,
            query_weights: QueryWeights::Text,
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
pub struct UserMicroaggregation {
    params: Params,
}

impl UserMicroaggregation {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        let mut errors: Vec<Error> = check_k(params.k).into_iter().collect();
        if params.time_resolution < 1 {
            errors.push(Error::parameter("time-resolution", "is 0, but must be at least one second"));
        }
        errors.extend(check_min_persons(params.min_persons));
        errors.extend(params.plan().check(params.k));
        if errors.is_empty() { Ok(Self { params }) } else { Err(Error::parameters(errors)) }
    }
}

/// The persons of a log, ready to be compared and grouped.
struct Persons<'a> {
    method: &'a UserMicroaggregation,
    original: &'a QueryLog,
    scales: Scales,
    hosts: Hosts,
    sketches: Vec<[f32; SKETCH]>,
    aggregation: Aggregation<'a>,
    /// What each person asks for; nothing where nobody was asked.
    wishes: &'a [u32],
}

/// The persons of a block with all distances between them.
struct Block {
    persons: Vec<u32>,
    space: UserSpace,
    distances: DistanceMatrix,
}

impl<'a> Persons<'a> {
    fn of(method: &'a UserMicroaggregation, original: &'a QueryLog, wishes: &'a [u32], scales: Scales) -> Self {
        let sketches = (0..original.persons()).into_par_iter().map(|person| scales.sketch(original, person)).collect();
        let aggregation = Aggregation::new(original, method.params.time_resolution as i64 * 1000);
        Self { method, original, scales, hosts: Hosts::of(original), sketches, aggregation, wishes }
    }

    /// How large groups are, at least.
    fn least(&self, k: usize) -> Least<'a> {
        Least { k, wishes: self.wishes }
    }

    /// Refuses more persons than can be compared all with all.
    fn check_size(&self, k: usize) -> Result<()> {
        let (persons, least) = (self.original.persons(), self.least(k).greatest());
        self.method.params.plan().refuse_too_many::<Self>(persons, least, DistanceMatrix::bytes)
    }

    fn protected(&self, groups: &Groups, k: usize, progress: &dyn Progress) -> Protected<QueryLog> {
        let records = self.aggregation.log_of(&groups.members, progress);
        let claims = claims(&k_anonymity::USER, k, self.method.params.k_column.as_deref());
        Protected::new(records, groups.record_of(self.original.persons()), claims).grouped(groups.grouped)
    }
}

impl Sketches for Persons<'_> {
    fn len(&self) -> usize {
        self.original.persons()
    }

    fn dimensions(&self) -> usize {
        SKETCH
    }

    fn sketch(&self, record: usize, into: &mut Vec<(u32, f32)>) {
        into.extend((0..).zip(self.sketches[record]));
    }

    fn work(&self, record: usize) -> u64 {
        self.original.range(record).len() as u64
    }
}

impl Comparable for Persons<'_> {
    type Compared = Block;

    const WHOLE: usize = 2_000;
    const BLOCK: usize = 64;
    const WORK: u64 = 400_000;
    const IS_REFINED: bool = true;

    fn compare(&self, block: &[u32], progress: &dyn Progress) -> Result<Block> {
        let weights = self.method.params.query_weights;
        let space = UserSpace::of_persons(self.scales, weights, self.original, &self.hosts, block);
        let is_whole = block.len() == self.len();
        let distances =
            if is_whole { DistanceMatrix::compute(&space, progress) } else { DistanceMatrix::compute_here(&space) };
        Ok(Block { persons: block.to_vec(), space, distances })
    }

    fn group(&self, block: &Block, how: How<'_>, progress: &dyn Progress) -> Partition {
        if self.method.params.average == AverageRecord::Medoid {
            return microaggregated_around(Average::Medoid, &block.distances, how, progress);
        }
        let mut space = block.space.clone();
        let mut to_aggregate = |left: &[u32]| {
            let persons: Vec<u32> = left.iter().map(|&at| block.persons[at as usize]).collect();
            space.add(&log_of_records([self.aggregation.record(&persons)]));
            let average = block.persons.len();
            let pairs: Vec<(usize, usize)> = left.iter().map(|&at| (at as usize, average)).collect();
            let distances = distances_of(&space, &pairs);
            space.remove_last();
            distances
        };
        microaggregated_around(Average::Made(&mut to_aggregate), &block.distances, how, progress)
    }

    fn centre(&self, block: &Block, members: &[u32]) -> u32 {
        medoid(&block.distances, members)
    }
}

impl InBlocks for UserMicroaggregation {
    fn min_persons(&self) -> usize {
        self.params.min_persons
    }

    fn dimensions(&self) -> usize {
        SKETCH
    }

    fn limits(&self, persons: usize) -> Option<Limits> {
        self.params.plan().limits::<Persons<'_>>(persons, self.params.k)
    }

    fn sketches(&self, log: &QueryLog, scales: &pieces::Scales) -> Result<Vec<(Coordinates, u64)>> {
        let scales = scales.of_users();
        let sketch = |person: usize| ((0..).zip(scales.sketch(log, person)).collect(), log.range(person).len() as u64);
        Ok((0..log.persons()).map(sketch).collect())
    }

    fn protect_block(
        &self,
        block: &QueryLog,
        cut: Option<CutLog>,
        scales: &pieces::Scales,
        progress: &dyn Progress,
    ) -> Result<Protected<QueryLog>> {
        let k = self.params.k;
        let log = match cut {
            Some(cut) => Cow::Owned(cut.log.with_meaning_like(block)?),
            None => Cow::Borrowed(block),
        };
        let persons = Persons::of(self, &log, &[], scales.of_users());
        let plan = self.params.plan().inside_of::<Persons<'_>>(scales.persons() as usize, k);
        let groups = plan.groups(&persons, Least { k, wishes: &[] }, progress)?;
        let protected = persons.protected(&groups, k, progress);
        Ok(self.params.threshold().with_claim_of_part(protected, block, &log))
    }
}

/// The persons of a log with all distances between them: they do not depend on k.
struct Compared<'a> {
    persons: Persons<'a>,
    whole: Block,
}

impl Prepared<QueryLog> for Compared<'_> {
    fn protect(&self, k: usize, _rng: &mut Rng, progress: &dyn Progress) -> Result<Protected<QueryLog>> {
        let least = self.persons.least(k);
        check_wishes(self.persons.original.persons(), least, PERSONS)?;
        let plan = self.persons.method.params.plan();
        Ok(self.persons.protected(&plan.groups_of_whole(&self.persons, &self.whole, least, progress)?, k, progress))
    }
}

impl Method<QueryLog> for UserMicroaggregation {
    fn protect(&self, original: &QueryLog, _rng: &mut Rng, progress: &dyn Progress) -> Result<Protected<QueryLog>> {
        let least = Least { k: self.params.k, wishes: wishes_of(original, self.params.k_column.as_deref())? };
        check_wishes(original.persons(), least, PERSONS)?;
        let log = self.params.threshold().cut_to_content(original, progress)?;
        let persons = Persons::of(self, &log, least.wishes, Scales::of(&log));
        persons.check_size(self.params.k)?;
        let groups = self.params.plan().groups(&persons, least, progress)?;
        let protected = persons.protected(&groups, self.params.k, progress);
        self.params.threshold().with_content_claim(protected, original, &log)
    }

    fn prepared<'a>(
        &'a self,
        original: &'a QueryLog,
        progress: &dyn Progress,
    ) -> Result<Option<Box<dyn Prepared<QueryLog> + 'a>>> {
        let plan = self.params.plan();
        let least = Least { k: self.params.k, wishes: wishes_of(original, self.params.k_column.as_deref())? };
        // Where there are blocks they depend on k; and a log that is cut is nobody's to keep.
        if !plan.is_whole::<Persons<'_>>(original.persons(), least.greatest()) || self.params.min_persons > 1 {
            return Ok(None);
        }
        refuse_unmerged(original, self.params.accounts)?;
        let persons = Persons::of(self, original, least.wishes, Scales::of(original));
        persons.check_size(self.params.k)?;
        let whole = plan.whole(&persons, progress)?;
        Ok(Some(Box::new(Compared { persons, whole })))
    }

    fn parameters(&self) -> Map<String, Value> {
        shown_parameters(&self.params)
    }

    fn cuts_content(&self) -> bool {
        self.params.min_persons > 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::QueryLogBuilder;
    use crate::progress::Silent;
    use serde_json::json;

    fn tiny() -> QueryLog {
        // Two busy gardeners, two drivers with one line each, and a fifth person between them.
        let mut builder = QueryLogBuilder::new();
        for (person, query, hour) in [
            ("ann", "garden roses", 1),
            ("ann", "rose bushes", 2),
            ("bob", "car parts", 9),
            ("cid", "garden rose", 1),
            ("cid", "rose bush", 2),
            ("dan", "cars part", 9),
            ("eve", "car garden", 5),
        ] {
            builder.push(person, query, hour * 3_600_000, None, None);
        }
        builder.finish()
    }

    fn groups(params: Params) -> Vec<Option<u32>> {
        let method = UserMicroaggregation::new(params).unwrap();
        method.protect(&tiny(), &mut Rng::seeded(1), &Silent).unwrap().record_of
    }

    #[test]
    fn like_persons_come_together() {
        let record_of = groups(Params { k: 2, ..Params::default() });
        assert_eq!(record_of[0], record_of[2]);
        assert_eq!(record_of[1], record_of[3]);
        let aggregate = groups(Params { k: 2, average: AverageRecord::Aggregate, ..Params::default() });
        assert_eq!(aggregate[1], aggregate[3]);
    }

    #[test]
    fn one_group_when_k_is_everybody() {
        assert_eq!(groups(Params { k: 5, ..Params::default() }), [Some(0); 5]);
    }

    #[test]
    fn refusals() {
        for k in [0, 1] {
            let error = UserMicroaggregation::new(Params { k, ..Params::default() }).unwrap_err();
            assert_eq!(error.to_string(), format!("`k` is {k}, but must be at least 2"));
        }
        let method = UserMicroaggregation::new(Params { k: 6, ..Params::default() }).unwrap();
        let error = method.protect(&tiny(), &mut Rng::seeded(1), &Silent).unwrap_err();
        assert_eq!(error.to_string(), "there are 5 persons, fewer than k = 6");
    }

    #[test]
    fn only_what_was_changed_is_shown() {
        let method = UserMicroaggregation::new(Params { time_resolution: 60, ..Params::default() }).unwrap();
        assert_eq!(Value::Object(method.parameters()), json!({"k": 5, "time-resolution": 60}));
    }
}
