//! Interest microaggregation: searchers with the same interests become one of at least k with the same record.
//!
//! Paper      Erola, Castellà-Roca, Navarro-Arribas, Torra. Semantic microaggregation for the anonymization of query logs.
//!            PSD 2010, as papers 001 and 004 cite it.
//! Claims     user-k-anonymity(k); with `--k-column` personal-k-anonymity(k).
//! Does not   hide what a query says: lines of the members are published with their strings as they are. A string that one
//!            member issued once brings that line's second, rank and host with it (`--time-resolution` coarsens times).
//!
//! # Idea
//! 1. How many of a person's lines fall into each category of the first levels of a taxonomy. 2. Two persons are as similar
//!    as they have lines in common: for each category the lesser of both counts, summed over all levels. 3. Groups of k to
//!    2k - 1 around the most similar pairs (`partition/most_similar.rs`). 4. One record a group: lines of its members, chosen
//!    at random, in proportion. 5. Every member is published with that record.
//!
//! # Formula
//! similarity(u, v) = sum over levels 1..l, over the categories c of the level, of min(lines of u in c, lines of v in c).
//!
//! # Readings
//! The paper itself was not at hand; ours, where citations are silent: a line is in every category that a concept of one of its
//! phrases lies in or under, and counts once in each. Level 1 is the first whose categories say something: below an
//! artificial root, else the root itself. The record has the mean number of lines (Q16), shared out by largest remainder (Q17);
//! a member's share is drawn from their lines without putting back. Time, rank and URL of a published string are
//! aggregated over all lines of the group with it (Q18, Q19). A person without a concept is similar to nobody, and still
//! gets a group: they have lines to give.
//!
//! # Cost
//! Time O(n² c) for n persons in c categories each, memory 2 n² bytes, in one block; above 5,000 persons in blocks of about a
//! thousand (`partition/grouping.rs`), so that time and memory grow with n. `--exact` is one block.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::refuse_unmerged;
use super::user_microaggregation::TIME_RESOLUTION;
use crate::aggregate::queries::{Aggregation, RecordLine, log_of_records};
use crate::aggregate::{largest_remainder, rounded_mean};
use crate::concepts::interests::Interests;
use crate::concepts::{Meaning, Texts as _};
use crate::data::QueryLog;
use crate::error::{Error, Result};
use crate::info::{self, Info, Parameter, ParameterKind};
use crate::methods::refusals::{PERSONS, check_k, nothing_known};
use crate::methods::wishes::{check_wishes, claims, wishes_of};
use crate::methods::{Method, Prepared, shown_parameters};
use crate::models::content_threshold::{ACCOUNTS, Accounts};
use crate::models::k_anonymity;
use crate::models::personal_k_anonymity::K_COLUMN;
use crate::partition::Partition;
use crate::partition::blocks::Sketches;
use crate::partition::grouping::{self, Comparable, Groups, How, Least, Plan};
use crate::partition::most_similar::{Similarities, most_similar, most_similar_of};
use crate::partition::wishes::serve;
use crate::progress::Progress;
use crate::release::Protected;
use crate::rng::Rng;

/// The card of the method.
pub const INFO: Info = Info {
    name: "interest-microaggregation",
    summary: "groups of k searchers with the same interests by a taxonomy, one shared record a group, lines drawn at random",
    paper: "Erola, Castellà-Roca, Navarro-Arribas, Torra. Semantic microaggregation for the anonymization of query logs. \
            Privacy in Statistical Databases (2010)",
    details: "1. Queries become concepts of a taxonomy, WordNet unless `--taxonomy` gives another. A line falls into every \
        category of the first levels (`--levels`) that one of its concepts is or lies under.\n\
        2. Two persons are as similar as they have lines in common: for each category the lesser of both counts, summed.\n\
        3. The two most similar persons start a group; who is most similar to all its members joins, until it has k; and so on. \
        The last group has k to 2k - 1.\n\
        4. A group's record has as many lines as its members have on average. Each member gives lines in proportion to their \
        own, drawn at random.\n\
        5. Time and rank of a published line are means over the group's lines with that string; its URL is the common \
        right-most part of their host names.\n\
        6. Every member is published with that record, under a fresh pseudonym.\n\
        Above 5,000 persons steps 2 and 3 are done in blocks of persons with like interests and activity; the certificate says so. \
        `--exact` compares all pairs of all persons.\n\
        Who asks to be one of more than k (`--k-column NAME`, a column of the original) is served first: a group has as many members as any of them \
        asks for.\n\
        Claims user-k-anonymity(k), and with `--k-column` personal-k-anonymity, in which every account counts for itself; with `--accounts merge` those that are probably one \
        person's are one. It does not hide what a query says: strings are published as they are, and a string \
        that occurs once in a group comes with one person's second, rank and host.\n\
        Cost: all n(n-1)/2 similarities of a block, and 2 n² bytes of memory for its n persons.",
    parameters: &[info::K, K_COLUMN, LEVELS, TIME_RESOLUTION, ACCOUNTS, grouping::EXACT, grouping::BLOCK_SIZE],
};

const LEVELS: Parameter = Parameter {
    name: "levels",
    summary: "how many levels of the taxonomy are compared, from the top",
    kind: ParameterKind::Count,
    default: "6",
};

/// What the method can be told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// How many persons share a record, at least.
    pub k: usize,
    /// The column of what persons ask for themselves.
    pub k_column: Option<String>,
    /// How many levels of the taxonomy are compared, from the top.
    pub levels: usize,
    /// Published times are multiples of this many seconds.
    pub time_resolution: u64,
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
}

impl Default for Params {
    fn default() -> Self {
        Self {
            k: 5,
            k_column: None,
            levels: 6,
            time_resolution: 1,
            accounts: Accounts::Once,
            exact: false,
            block_size: 0,
        }
    }
}

/// The method with checked parameters.
#[derive(Debug, Clone)]
pub struct InterestMicroaggregation {
    params: Params,
}

impl InterestMicroaggregation {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        let mut errors: Vec<Error> = check_k(params.k).into_iter().collect();
        if params.levels < 1 {
            errors.push(
                Error::parameter("levels", "is 0, but must be at least 1")
                    .with_hint("without a level all persons are alike; `--levels 6` is the default"),
            );
        }
        if params.time_resolution < 1 {
            errors.push(Error::parameter("time-resolution", "is 0, but must be at least one second"));
        }
        errors.extend(params.plan().check(params.k));
        if errors.is_empty() { Ok(Self { params }) } else { Err(Error::parameters(errors)) }
    }

    fn persons<'a>(&self, original: &'a QueryLog, k: usize) -> Result<Persons<'a>> {
        refuse_unmerged(original, self.params.accounts)?;
        let meaning = original.meaning();
        let meaning = meaning.ok_or_else(|| Error::internal("the log comes without what its queries mean"))?;
        let wishes = wishes_of(original, self.params.k_column.as_deref())?;
        self.check_persons(original, meaning, Least { k, wishes })?;
        let everybody: Vec<u32> = (0..original.persons() as u32).collect();
        Ok(Persons { original, interests: Interests::of(original, &everybody, meaning, self.params.levels), wishes })
    }

    fn protected(&self, original: &QueryLog, groups: &Groups, k: usize, rng: &mut Rng) -> Protected<QueryLog> {
        let aggregation = Aggregation::new(original, self.params.time_resolution as i64 * 1000);
        let records: Vec<_> =
            groups.members.iter().map(|members| record(original, &aggregation, members, rng)).collect();
        let claims = claims(&k_anonymity::USER, k, self.params.k_column.as_deref());
        let record_of = groups.record_of(original.persons());
        Protected::new(log_of_records(records), record_of, claims).grouped(groups.grouped)
    }

    /// Refuses too few persons, too many, and persons of whom the taxonomy knows nothing.
    fn check_persons(&self, original: &QueryLog, meaning: &Meaning, least: Least<'_>) -> Result<()> {
        let persons = original.persons();
        check_wishes(persons, least, PERSONS)?;
        self.params.plan().refuse_too_many::<Persons<'_>>(persons, least.greatest(), Similarities::bytes)?;
        let is_known =
            |person: usize| original.strings_of(person).iter().any(|&query| !meaning.concepts(query).is_empty());
        if !(0..persons).any(is_known) {
            return Err(nothing_known(persons));
        }
        Ok(())
    }
}

impl Method<QueryLog> for InterestMicroaggregation {
    fn protect(&self, original: &QueryLog, rng: &mut Rng, progress: &dyn Progress) -> Result<Protected<QueryLog>> {
        let k = self.params.k;
        let persons = self.persons(original, k)?;
        let groups = self.params.plan().groups(&persons, persons.least(k), progress)?;
        Ok(self.protected(original, &groups, k, rng))
    }

    fn prepared<'a>(
        &'a self,
        original: &'a QueryLog,
        progress: &dyn Progress,
    ) -> Result<Option<Box<dyn Prepared<QueryLog> + 'a>>> {
        let plan = self.params.plan();
        // Where there are blocks they depend on k.
        let wishes = wishes_of(original, self.params.k_column.as_deref())?;
        let least = Least { k: self.params.k, wishes }.greatest();
        if !plan.is_whole::<Persons<'_>>(original.persons(), least) {
            return Ok(None);
        }
        let persons = self.persons(original, self.params.k)?;
        let similarities = plan.whole(&persons, progress)?;
        Ok(Some(Box::new(Compared { method: self, persons, similarities })))
    }

    fn parameters(&self) -> Map<String, Value> {
        shown_parameters(&self.params)
    }

    fn needs_meaning(&self) -> bool {
        true
    }
}

/// The record of a group: lines of its members in proportion to how many they have, drawn at random.
fn record<'a>(
    log: &'a QueryLog,
    aggregation: &'a Aggregation<'a>,
    members: &[u32],
    rng: &mut Rng,
) -> Vec<RecordLine<'a>> {
    let sizes: Vec<usize> = members.iter().map(|&member| log.range(member as usize).len()).collect();
    let length = rounded_mean(sizes.iter().sum::<usize>() as u64, members.len()).max(1) as usize;
    let values = aggregation.values_by(members, |query, keys| keys.push(query));
    let mut record = Vec::with_capacity(length);
    for (&member, quota) in members.iter().zip(largest_remainder(&sizes, length)) {
        let own = log.query_ids(log.range(member as usize));
        for line in rng.sample(own.len(), quota) {
            let query = own[line as usize];
            let at = values.binary_search_by_key(&query, |&(query, _)| query);
            let value = values[at.expect("every string of a member is a string of the group")].1;
            record.push(value.line(log.queries().get(query)));
        }
    }
    record
}

/// The persons of a log with their interests, ready to be compared and grouped.
struct Persons<'a> {
    original: &'a QueryLog,
    interests: Interests,
    /// What each person asks for; nothing where nobody was asked.
    wishes: &'a [u32],
}

impl<'a> Persons<'a> {
    /// How large groups are, at least.
    fn least(&self, k: usize) -> Least<'a> {
        Least { k, wishes: self.wishes }
    }

    /// How similar all pairs of some persons are.
    fn similarities(&self, persons: &[u32], progress: &dyn Progress) -> Similarities {
        let of = |at: usize| self.interests.of_person(persons[at] as usize);
        let count = persons.len();
        progress.stage("similarities", (count * count.saturating_sub(1) / 2) as u64);
        let row = |own: &mut Vec<u32>, person: usize| {
            of(person).iter().for_each(|&(category, count)| own[category as usize] = count);
            let similarity = |other: usize| {
                let common = |&(category, count): &(u32, u32)| u64::from(count.min(own[category as usize]));
                let sum: u64 = of(other).iter().map(common).sum();
                u32::try_from(sum).unwrap_or(u32::MAX)
            };
            let row: Vec<u32> = if progress.is_stopped() {
                vec![0; count - person - 1]
            } else {
                (person + 1..count).map(similarity).collect()
            };
            of(person).iter().for_each(|&(category, _)| own[category as usize] = 0);
            progress.advance(row.len() as u64);
            row
        };
        let empty = || vec![0; self.interests.categories()];
        Similarities::from_rows((0..count).into_par_iter().map_init(empty, row).collect())
    }
}

impl Sketches for Persons<'_> {
    fn len(&self) -> usize {
        self.interests.persons()
    }

    fn dimensions(&self) -> usize {
        self.interests.categories() + 1
    }

    /// What a person is interested in, and how active they are: the busy have more in common with the busy.
    fn sketch(&self, record: usize, into: &mut Vec<(u32, f32)>) {
        self.interests.sketch(record, into);
        let lines = self.original.range(record).len();
        into.push((self.interests.categories() as u32, (lines.max(1) as f32).ln()));
    }

    fn work(&self, record: usize) -> u64 {
        self.interests.of_person(record).len() as u64
    }
}

impl Comparable for Persons<'_> {
    type Compared = Similarities;

    const WHOLE: usize = 5_000;
    const BLOCK: usize = 1_000;
    const WORK: u64 = u64::MAX;
    const IS_REFINED: bool = false;

    fn compare(&self, block: &[u32], progress: &dyn Progress) -> Result<Similarities> {
        Ok(self.similarities(block, progress))
    }

    fn group(&self, similarities: &Similarities, how: How<'_>, progress: &dyn Progress) -> Partition {
        if how.needs.is_empty() {
            return most_similar(similarities, how.k, progress);
        }
        // The more similar, the nearer.
        let apart = |left: u32, right: u32| -f64::from(similarities.get(left, right));
        let rest = |left: Vec<u32>| most_similar_of(similarities, left, how.k, progress);
        serve(how.needs, how.k, apart).and(how.k, apart, rest)
    }

    fn centre(&self, _similarities: &Similarities, members: &[u32]) -> u32 {
        members[0]
    }
}

/// The persons of a log with how similar all pairs are, which does not depend on k.
struct Compared<'a> {
    method: &'a InterestMicroaggregation,
    persons: Persons<'a>,
    similarities: Similarities,
}

impl Prepared<QueryLog> for Compared<'_> {
    fn protect(&self, k: usize, rng: &mut Rng, progress: &dyn Progress) -> Result<Protected<QueryLog>> {
        let plan = self.method.params.plan();
        let least = self.persons.least(k);
        check_wishes(self.persons.original.persons(), least, PERSONS)?;
        let groups = plan.groups_of_whole(&self.persons, &self.similarities, least, progress)?;
        Ok(self.method.protected(self.persons.original, &groups, k, rng))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::concepts::Mapper;
    use crate::data::QueryLogBuilder;
    use crate::progress::Silent;
    use crate::rng::Rng;
    use crate::taxonomy::Taxonomy;
    use crate::taxonomy::fit::Unknown;
    use crate::taxonomy::tests::food;
    use serde_json::json;

    /// A log with one line a minute, and what its queries mean.
    fn log(taxonomy: Taxonomy, persons: &[Vec<&str>]) -> QueryLog {
        let mut builder = QueryLogBuilder::new();
        for (person, queries) in persons.iter().enumerate() {
            for (minute, query) in queries.iter().enumerate() {
                builder.push(&person.to_string(), query, minute as i64 * 60_000, Some(minute as u32), None);
            }
        }
        let log = builder.finish();
        let mapper = Mapper::new(Arc::new(taxonomy));
        let meaning = Meaning::of(&mapper, &[log.queries()], Unknown::Drop).unwrap().remove(0);
        log.with_meaning(Arc::new(meaning))
    }

    fn similarities(log: &QueryLog, levels: usize) -> Similarities {
        let everybody: Vec<u32> = (0..log.persons() as u32).collect();
        let interests = Interests::of(log, &everybody, log.meaning().unwrap(), levels);
        Persons { original: log, interests, wishes: &[] }.similarities(&everybody, &Silent)
    }

    fn protect(log: &QueryLog, params: Params, seed: u64) -> Protected<QueryLog> {
        InterestMicroaggregation::new(params).unwrap().protect(log, &mut Rng::seeded(seed), &Silent).unwrap()
    }

    #[test]
    fn similarity_by_hand() {
        // Milk twice and an apple; milk and a cheese; beef for an orange, which is two concepts; nothing.
        let persons =
            [vec!["Milk", "Milk", "Apple"], vec!["Milk", "Cheese"], vec!["Beef for Orange"], vec!["nonsense"]];
        let log = log(food(), &persons);
        // Level 1, Food: 3, 2 and 1 lines. Level 2: Dairy 2 and 2, Fruit 1 and 1. Level 3: one milk in common.
        let of = |levels| {
            let all = similarities(&log, levels);
            [all.get(0, 1), all.get(0, 2), all.get(1, 2), all.get(0, 3)]
        };
        assert_eq!(of(1), [2, 1, 1, 0]);
        assert_eq!(of(2), [4, 2, 1, 0]);
        assert_eq!(of(3), [5, 2, 1, 0]);
        assert_eq!(of(6), of(3));
    }

    #[test]
    fn an_artificial_root_is_no_category() {
        let edges = [("Sports", "Top"), ("Swimming", "Sports"), ("Arts", "Top"), ("Music", "Arts")];
        let log = log(Taxonomy::from_edges(edges).unwrap(), &[vec!["Swimming"], vec!["Music"], vec!["Sports"]]);
        let all = similarities(&log, 1);
        assert_eq!([all.get(0, 1), all.get(0, 2)], [0, 1]);
    }

    #[test]
    fn same_interests_come_together() {
        let persons =
            [vec!["Milk", "Butter"], vec!["Beef"], vec!["x"], vec!["Cheese", "Milk"], vec!["Chicken"], vec!["y"]];
        let protected = protect(&log(food(), &persons), Params { k: 2, ..Params::default() }, 1);
        assert_eq!(protected.record_of, [0, 1, 2, 0, 1, 2].map(Some));
        let claim = &protected.claims[0];
        assert_eq!((claim.model, &claim.parameters["k"]), ("user-k-anonymity", &json!(2)));
    }

    #[test]
    fn every_line_of_a_member_can_be_drawn() {
        // Four lines and two: three in all, two of the first's and one of the second's.
        let log = log(food(), &[vec!["Milk", "Beef", "Apple", "Orange"], vec!["Cheese", "Butter"]]);
        let mut drawn: BTreeMap<String, u32> = BTreeMap::new();
        for seed in 0..600 {
            let records = protect(&log, Params { k: 2, ..Params::default() }, seed).records;
            assert_eq!(records.rows(), 3);
            for line in records.lines(0) {
                *drawn.entry(records.queries().get(line.query).to_owned()).or_default() += 1;
            }
        }
        // Each with probability 1/2.
        assert_eq!(drawn.len(), 6);
        assert!(drawn.values().all(|times| (240..=360).contains(times)), "{drawn:?}");
    }

    #[test]
    fn values_are_those_of_the_group() {
        let mut builder = QueryLogBuilder::new();
        for (person, time, rank, url) in [("a", 10, 1, "http://www.milk.com/x"), ("b", 21, 4, "http://m.milk.com")] {
            builder.push(person, "milk", time * 1000, Some(rank), Some(url));
        }
        let log = builder.finish();
        let mapper = Mapper::new(Arc::new(food()));
        let meaning = Meaning::of(&mapper, &[log.queries()], Unknown::Drop).unwrap().remove(0);
        let records = protect(&log.with_meaning(Arc::new(meaning)), Params { k: 2, ..Params::default() }, 1).records;
        let line = records.lines(0).next().unwrap();
        assert_eq!(
            (line.time, line.rank, line.url.map(|url| records.urls().get(url))),
            (16_000, Some(3), Some("milk.com"))
        );
    }

    #[test]
    fn refusals() {
        let error = InterestMicroaggregation::new(Params { k: 1, levels: 0, time_resolution: 0, ..Params::default() })
            .unwrap_err();
        for word in ["`k`", "`levels`", "`time-resolution`"] {
            assert!(error.to_string().contains(word), "{error}");
        }
        let method = InterestMicroaggregation::new(Params { k: 3, ..Params::default() }).unwrap();
        let refused = |persons: &[Vec<&str>]| {
            method.protect(&log(food(), persons), &mut Rng::seeded(1), &Silent).map(drop).unwrap_err()
        };
        let error = refused(&[vec!["Milk"], vec!["Beef"]]);
        assert_eq!(error.to_string(), "there are 2 persons, fewer than k = 3");
        let error = refused(&[vec!["x"], vec!["y"], vec!["z"]]);
        assert_eq!(error.to_string(), "the taxonomy has none of the words of the 3 persons");
        assert!(error.is_data());
        let exact = InterestMicroaggregation::new(Params { exact: true, ..Params::default() }).unwrap();
        let many = log(food(), &vec![vec!["Milk"]; grouping::MOST_COMPARED + 1]);
        let refused = exact.protect(&many, &mut Rng::seeded(1), &Silent).map(drop).unwrap_err().to_string();
        assert!(refused.contains("36001 persons would need 2 GB"), "{refused}");
    }

    /// The formula as it is written: levels, categories of the level, the lesser of both numbers of lines.
    fn literal(log: &QueryLog, left: usize, right: usize, levels: usize) -> u32 {
        let meaning = log.meaning().unwrap();
        let tree = meaning.taxonomy();
        let lines = |person: usize, category: u32| {
            let is_in =
                |query: &&u32| meaning.concepts(**query).iter().any(|&concept| tree.is_under(concept, category));
            log.strings_of(person).iter().filter(is_in).count() as u32
        };
        let first = if tree.is_artificial(0) { 2 } else { 1 };
        let of_level = |level: u32| -> u32 {
            let categories = (0..tree.len() as u32).filter(|&node| tree.level(node) == level);
            categories.map(|category| lines(left, category).min(lines(right, category))).sum()
        };
        (first..first + levels as u32).map(of_level).sum()
    }

    /// Queries of none, one or two words that a small tree has or has not.
    fn some_log() -> impl Strategy<Value = (QueryLog, usize, usize)> {
        let words = ["Milk", "Cheese", "Dairy", "Beef", "Meat", "Apple", "Orange", "Food", "spam", "eggs"];
        let word = prop::sample::select(words.to_vec());
        let query = prop::collection::vec(word, 0..3).prop_map(|words| words.join(" for "));
        let persons = prop::collection::vec(prop::collection::vec(query, 1..9), 2..14);
        (persons, any::<bool>(), 1..5usize, 2..6usize).prop_filter_map(
            "k persons",
            |(persons, artificial, levels, k)| {
                let tree = if artificial {
                    let food = food();
                    let edges: Vec<(String, String)> = (1..food.len() as u32)
                        .map(|node| (food.label(node).to_owned(), food.label(food.parent(node)).to_owned()))
                        .chain([("Food".to_owned(), "Top".to_owned())])
                        .collect();
                    Taxonomy::from_edges(edges.iter().map(|(child, parent)| (child.as_str(), parent.as_str()))).unwrap()
                } else {
                    food()
                };
                let rows: Vec<Vec<&str>> = persons.iter().map(|row| row.iter().map(String::as_str).collect()).collect();
                let log = log(tree, &rows);
                let is_known = (0..log.persons()).any(|person| !log.concepts_of(person).is_empty());
                (log.persons() >= k && is_known).then_some((log, levels, k))
            },
        )
    }

    proptest! {
        #[test]
        fn as_the_formula_and_fair((log, levels, k) in some_log(), seed in any::<u64>()) {
            let all = similarities(&log, levels);
            for right in 0..log.persons() {
                for left in 0..right {
                    prop_assert_eq!(all.get(left as u32, right as u32), literal(&log, left, right, levels));
                }
            }
            let params = Params { k, levels, ..Params::default() };
            let run = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| protect(&log, params.clone(), seed))
            };
            let (one, two) = (run(1), run(2));
            prop_assert_eq!((&one.records, &one.record_of), (&two.records, &two.record_of));
            for record in 0..one.records.persons() {
                let members: Vec<usize> =
                    (0..log.persons()).filter(|&person| one.record_of[person] == Some(record as u32)).collect();
                prop_assert!((k..2 * k).contains(&members.len()));
                let sizes: Vec<usize> = members.iter().map(|&member| log.range(member).len()).collect();
                let total: usize = sizes.iter().sum();
                let length = (total as f64 / sizes.len() as f64 + 0.5).floor().max(1.0) as usize;
                prop_assert_eq!(one.records.range(record).len(), length);
                // No string more often than the members have it: lines are drawn without putting back.
                for (query, times) in one.records.query_counts(record) {
                    let text = one.records.queries().get(query);
                    let own = |&member: &usize| {
                        log.strings_of(member).iter().filter(|&&own| log.queries().get(own) == text).count()
                    };
                    prop_assert!(members.iter().map(own).sum::<usize>() >= times);
                }
            }
            prop_assert!(one.record_of.iter().all(Option::is_some));
        }
    }
}
