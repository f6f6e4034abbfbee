//! Microaggregation of visitors: groups of at least k who are near each other, each published with the record of their group.
//!
//! Paper      000 (ARES report), chapter 3, which microaggregates access logs and cites its distance (reading W6); the record by the quotas of
//!            001 (Navarro-Arribas et al. 2012), section 3.2.
//! Claims     user-k-anonymity(k).
//! Does not   hide what the records say: a path that one visitor has may stand in the record of their group. It does not keep the shares of
//!            browsers: a group has the agent that most of its members have.
//!
//! # Idea
//! 1. Bots are grouped among bots. 2. Visitors are compared by address, agent, paths and time. 3. MDAV. 4. The record of a group has as many
//!    lines as its members on average; each path gets its share of them, by quotas; the times of a path are means of the group's lines with it.
//!
//! # Formula
//! d = (a d_address + b d_agent + c d_path + t d_time) / (a + b + c + t), all weights 1. d_address = 1 - common prefix bits / all bits, of names
//! 1 - common labels from the right / the more labels. d_agent = 1 - (.4 family + .3 system + .2 major + .1 system version). d_path = mean
//! of minima, both ways, of 1 - common segments from the left / the more segments. d_time = difference of mean times / span of the log.
//!
//! # Readings
//! Ours: of a visitor the 40 most frequent paths are compared. A record has no query strings and no referrers: nothing says how to average them.
//!
//! # Cost
//! Time O(n^2) comparisons up to 2,000 visitors, above that in blocks; a comparison O(paths^2).

use std::collections::BTreeMap;
use std::net::IpAddr;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::data::queries::MISSING;
use crate::data::visits::{Part, Visit};
use crate::data::{Interner, Visits, VisitsBuilder};
use crate::distance::{DistanceMatrix, Pairwise};
use crate::error::{Error, Result};
use crate::info::{self, Info, Parameter, ParameterKind};
use crate::methods::refusals::{PERSONS, check_enough, check_k};
use crate::methods::{Method, shown_parameters};
use crate::models::k_anonymity;
use crate::partition::Partition;
use crate::partition::blocks::Sketches;
use crate::partition::grouping::{BLOCK_SIZE, Comparable, EXACT, How, Least, Plan, Standing, microaggregated};
use crate::partition::mdav::medoid;
use crate::progress::Progress;
use crate::release::{Claim, Protected};
use crate::rng::Rng;

/// The card of the method.
pub const INFO: Info = Info {
    name: "visit-microaggregation",
    summary: "groups of at least k visitors who are near each other, all published with the record of their group",
    paper: "Navarro-Arribas, Torra. New privacy-preserving data mining techniques. Deliverable WP4.T2 of the ARES project (2010), chapter 3; its \
            distance is only cited there",
    details: "1. Bots are grouped among bots (`--bots apart`), with everybody (`mix`), or left out (`drop`).\n\
        2. Visitors are compared by address (common prefix bits), agent (family .4, system .3, major .2, system version .1), paths (segments from \
        the left, mean of minima both ways) and mean time, with settable weights; of a visitor the 40 most frequent paths.\n\
        3. MDAV makes groups of k to 2k - 1.\n\
        4. The record of a group has as many lines as its members on average. Every path gets its share of them by quotas; its times are means \
        of the group's lines with that path, its method, status and size the most frequent there; the agent is the most frequent of the group. \
        Query strings and referrers are left out.\n\
        5. Every visitor gets a fresh address.\n\
        It claims user-k-anonymity. It does not claim that what the records say is shared: a rare path may stand in one.",
    parameters: &[info::K, BOTS, ADDRESS_WEIGHT, AGENT_WEIGHT, PATH_WEIGHT, TIME_WEIGHT, EXACT, BLOCK_SIZE],
};

pub(super) const BOTS: Parameter = Parameter {
    name: "bots",
    summary: "declared bots: grouped apart, mixed with everybody, or dropped",
    kind: ParameterKind::Choice(&["apart", "mix", "drop"]),
    default: "apart",
};

const fn weight(name: &'static str, summary: &'static str) -> Parameter {
    Parameter { name, summary, kind: ParameterKind::Weight, default: "1" }
}

const ADDRESS_WEIGHT: Parameter = weight("address-weight", "how much addresses weigh in the distance");
const AGENT_WEIGHT: Parameter = weight("agent-weight", "how much agents weigh");
const PATH_WEIGHT: Parameter = weight("path-weight", "how much paths weigh");
const TIME_WEIGHT: Parameter = weight("time-weight", "how much mean times weigh");

/// What becomes of declared bots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bots {
    /// Grouped among bots.
    Apart,
    /// Grouped with everybody.
    Mix,
    /// Left out.
    Drop,
}

/// What the method can be told.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// The least size of a group.
    pub k: usize,
    /// What becomes of declared bots.
    pub bots: Bots,
    /// How much addresses weigh.
    pub address_weight: f64,
    /// How much agents weigh.
    pub agent_weight: f64,
    /// How much paths weigh.
    pub path_weight: f64,
    /// How much mean times weigh.
    pub time_weight: f64,
    /// The whole data at once.
    pub exact: bool,
    /// The size of blocks; 0 leaves it to us.
    pub block_size: usize,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            k: 5,
            bots: Bots::Apart,
            address_weight: 1.0,
            agent_weight: 1.0,
            path_weight: 1.0,
            time_weight: 1.0,
            exact: false,
            block_size: 0,
        }
    }
}

impl Params {
    fn plan(&self) -> Plan {
        Plan { is_exact: self.exact, block_size: self.block_size }
    }

    fn weights(&self) -> [f64; 4] {
        [self.address_weight, self.agent_weight, self.path_weight, self.time_weight]
    }
}

/// The method with checked parameters.
#[derive(Debug, Clone, Copy)]
pub struct VisitMicroaggregation {
    params: Params,
}

impl VisitMicroaggregation {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        let mut errors: Vec<Error> = check_k(params.k).into_iter().collect();
        errors.extend(params.plan().check(params.k));
        if params.weights().iter().sum::<f64>() <= 0.0 {
            errors.push(Error::parameter("path-weight", "is 0 as all others are, so that everybody would be alike"));
        }
        if errors.is_empty() { Ok(Self { params }) } else { Err(Error::parameters(errors)) }
    }
}

impl Method<Visits> for VisitMicroaggregation {
    fn protect(&self, original: &Visits, _rng: &mut Rng, progress: &dyn Progress) -> Result<Protected<Visits>> {
        let all: Vec<u32> = (0..original.persons() as u32).collect();
        let is_bot = |person: &u32| original.is_bot(*person as usize);
        let (bots, humans): (Vec<u32>, Vec<u32>) = match self.params.bots {
            Bots::Mix => (Vec::new(), all),
            Bots::Apart | Bots::Drop => all.into_iter().partition(is_bot),
        };
        let k = self.params.k;
        check_enough(humans.len().max(bots.len()), k, PERSONS)?;
        let visitors = Visitors::of(original, self.params.weights());
        let mut record_of = vec![None; original.persons()];
        let mut builder = VisitsBuilder::new();
        let mut records = 0u32;
        let mut grouped = None;
        // Fewer than k of a sort cannot hide among themselves, and are left out.
        let sorts = [(humans, true), (bots, self.params.bots == Bots::Apart)];
        for (sort, _) in sorts.into_iter().filter(|(sort, is_kept)| *is_kept && sort.len() >= k) {
            let standing = Standing { records: &visitors, numbers: &sort };
            self.params.plan().refuse_too_many::<Visitors<'_>>(sort.len(), k, DistanceMatrix::bytes)?;
            let groups = self.params.plan().groups(&standing, Least { k, wishes: &[] }, progress)?;
            grouped = grouped.or(Some(groups.grouped));
            for members in &groups.members {
                let members: Vec<u32> = members.iter().map(|&member| sort[member as usize]).collect();
                add_record(original, &members, &records.to_string(), &mut builder);
                members.iter().for_each(|&member| record_of[member as usize] = Some(records));
                records += 1;
            }
        }
        let claims = vec![Claim::new(&k_anonymity::USER, [("k", json!(k))])];
        let records = builder.finish().0.with_agents_like(original);
        let protected = Protected::new(records, record_of, claims);
        Ok(match grouped {
            Some(grouped) => protected.grouped(grouped),
            None => protected,
        })
    }

    fn parameters(&self) -> Map<String, Value> {
        shown_parameters(&self.params)
    }
}

/// Adds the record of a group.
fn add_record(visits: &Visits, members: &[u32], name: &str, builder: &mut VisitsBuilder) {
    let rows = || members.iter().flat_map(|&member| visits.range(member as usize));
    let all = rows().count();
    let lines = ((2 * all + members.len()) / (2 * members.len())).max(1);
    let mut of_path: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    rows().for_each(|row| of_path.entry(visits.column(Part::Path)[row]).or_default().push(row));
    let agent = most_frequent(rows().filter_map(|row| visits.text(Part::Agent, row)));
    let host = most_frequent(rows().filter_map(|row| visits.text(Part::Host, row)));
    let mut paths: Vec<(u32, Vec<usize>)> = of_path.into_iter().collect();
    paths.iter_mut().for_each(|(_, rows)| rows.sort_by_key(|&row| visits.time(row)));
    let counts: Vec<usize> = paths.iter().map(|(_, rows)| rows.len()).collect();
    for ((_, rows), quota) in paths.iter().zip(quotas(&counts, lines)) {
        let text = |part: Part| most_frequent(rows.iter().filter_map(|&row| visits.text(part, row)));
        let status = most_frequent(rows.iter().filter_map(|&row| visits.status(row)));
        let bytes = most_frequent(rows.iter().filter_map(|&row| visits.bytes(row)));
        for part in 0..quota {
            let range = part * rows.len() / quota..((part + 1) * rows.len() / quota).max(part * rows.len() / quota + 1);
            let chunk = &rows[range.start.min(rows.len() - 1)..range.end.min(rows.len())];
            let sum: i128 = chunk.iter().map(|&row| i128::from(visits.time(row))).sum();
            let mean = (sum / chunk.len().max(1) as i128) as i64;
            let mut visit = Visit { time: mean.div_euclid(1000) * 1000, status, bytes, ..Visit::default() };
            for (part, value) in [
                (Part::Address, Some("-")),
                (Part::Agent, agent),
                (Part::Host, host),
                (Part::Path, visits.text(Part::Path, rows[0])),
                (Part::Method, text(Part::Method)),
                (Part::Version, text(Part::Version)),
            ] {
                visit.texts[part as usize] = value;
            }
            builder.push(name, &visit, 1);
        }
    }
}

/// How many of so many lines each path gets: its share, rounded so that they add up; the largest remainders first, ties to the lower number.
fn quotas(counts: &[usize], lines: usize) -> Vec<usize> {
    let all: usize = counts.iter().sum();
    let mut quotas: Vec<usize> = counts.iter().map(|count| count * lines / all).collect();
    let left = lines - quotas.iter().sum::<usize>();
    let mut order: Vec<usize> = (0..counts.len()).collect();
    order.sort_by_key(|&at| (std::cmp::Reverse(counts[at] * lines % all), at));
    order.into_iter().take(left).for_each(|at| quotas[at] += 1);
    quotas
}

/// The most frequent of some values; ties to the lower one.
fn most_frequent<T: Ord>(values: impl Iterator<Item = T>) -> Option<T> {
    let mut counts: BTreeMap<T, usize> = BTreeMap::new();
    values.for_each(|value| *counts.entry(value).or_default() += 1);
    counts.into_iter().min_by_key(|(_, count)| std::cmp::Reverse(*count)).map(|(value, _)| value)
}

/// Visitors, ready to be compared.
struct Visitors<'v> {
    visits: &'v Visits,
    weights: [f64; 4],
    each: Vec<Visitor>,
    /// For each path its segments, as numbers.
    segments: Vec<Vec<u32>>,
    span: f64,
}

struct Visitor {
    address: Address,
    /// A row that has the agent.
    first: usize,
    /// The most frequent paths, in rising order.
    paths: Vec<u32>,
    time: f64,
    lines: u64,
}

enum Address {
    V4(u32),
    V6(u128),
    Name(Vec<String>),
}

/// So many paths of a visitor are compared.
const MOST_PATHS: usize = 40;
/// So many numbers a path has in a sketch.
const SKETCH: usize = 32;

impl<'v> Visitors<'v> {
    fn of(visits: &'v Visits, weights: [f64; 4]) -> Self {
        let mut names = Interner::new();
        let mut cut =
            |path: &str| path.split('/').filter(|part| !part.is_empty()).map(|part| names.intern(part)).collect();
        let segments = visits.texts(Part::Path).iter().map(&mut cut).collect();
        let each = (0..visits.persons()).map(|person| visitor(visits, person)).collect();
        let span = visits.time_span().map_or(1.0, |(first, last)| (last - first).max(1) as f64);
        Self { visits, weights, each, segments, span }
    }

    fn distance(&self, left: usize, right: usize) -> f64 {
        let (own, other) = (&self.each[left], &self.each[right]);
        let parts = [
            address_distance(&own.address, &other.address),
            self.agent_distance(own.first, other.first),
            self.path_distance(&own.paths, &other.paths),
            (own.time - other.time).abs() / self.span,
        ];
        let all: f64 = self.weights.iter().sum();
        parts.iter().zip(&self.weights).map(|(part, weight)| part * weight).sum::<f64>() / all
    }

    fn agent_distance(&self, left: usize, right: usize) -> f64 {
        let (own, other) = (self.visits.agent(left), self.visits.agent(right));
        let (family, system) = (own.family == other.family, own.system == other.system);
        let share = |is_same: bool, weight: f64| if is_same { weight } else { 0.0 };
        1.0 - share(family, 0.4)
            - share(system, 0.3)
            - share(family && own.major == other.major, 0.2)
            - share(system && own.system_major == other.system_major, 0.1)
    }

    fn path_distance(&self, left: &[u32], right: &[u32]) -> f64 {
        if left.is_empty() || right.is_empty() {
            return f64::from(u8::from(left.is_empty() != right.is_empty()));
        }
        let between = |own: u32, other: u32| {
            if own == other {
                return 0.0;
            }
            let (own, other) = (&self.segments[own as usize], &self.segments[other as usize]);
            let common = own.iter().zip(other).take_while(|(own, other)| own == other).count();
            1.0 - common as f64 / own.len().max(other.len()).max(1) as f64
        };
        let minima = |from: &[u32], to: &[u32]| {
            let least = |&own: &u32| to.iter().map(|&other| between(own, other)).fold(1.0, f64::min);
            from.iter().map(least).sum::<f64>() / from.len() as f64
        };
        (minima(left, right) + minima(right, left)) / 2.0
    }
}

fn visitor(visits: &Visits, person: usize) -> Visitor {
    let rows = visits.range(person);
    let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
    let paths = visits.column(Part::Path)[rows.clone()].iter().filter(|&&path| path != MISSING);
    paths.for_each(|&path| *counts.entry(path).or_default() += 1);
    let mut paths: Vec<(u32, usize)> = counts.into_iter().collect();
    paths.sort_by_key(|&(path, count)| (std::cmp::Reverse(count), path));
    let mut paths: Vec<u32> = paths.into_iter().take(MOST_PATHS).map(|(path, _)| path).collect();
    paths.sort_unstable();
    let address = rows.clone().find_map(|row| visits.text(Part::Address, row)).unwrap_or("-");
    let sum: f64 = rows.clone().map(|row| visits.time(row) as f64).sum();
    Visitor {
        address: match address.parse::<IpAddr>() {
            Ok(IpAddr::V4(v4)) => Address::V4(v4.to_bits()),
            Ok(IpAddr::V6(v6)) => Address::V6(v6.to_bits()),
            Err(_) => Address::Name(address.rsplit('.').map(str::to_owned).collect()),
        },
        first: rows.start,
        paths,
        time: sum / rows.len().max(1) as f64,
        lines: rows.len() as u64,
    }
}

fn address_distance(left: &Address, right: &Address) -> f64 {
    match (left, right) {
        (Address::V4(left), Address::V4(right)) => 1.0 - f64::from((left ^ right).leading_zeros()) / 32.0,
        (Address::V6(left), Address::V6(right)) => 1.0 - f64::from((left ^ right).leading_zeros()) / 128.0,
        (Address::Name(left), Address::Name(right)) => {
            let common = left.iter().zip(right).take_while(|(left, right)| left == right).count();
            1.0 - common as f64 / left.len().max(right.len()).max(1) as f64
        }
        _ => 1.0,
    }
}

impl Sketches for Visitors<'_> {
    fn len(&self) -> usize {
        self.each.len()
    }

    fn dimensions(&self) -> usize {
        SKETCH + 12
    }

    /// First segments of paths, the class of the browser, the beginning of the address, the time.
    fn sketch(&self, record: usize, into: &mut Vec<(u32, f32)>) {
        let visitor = &self.each[record];
        let share = 1.0 / visitor.paths.len().max(1) as f32;
        let mut first = [0.0f32; SKETCH];
        for &path in &visitor.paths {
            let segment = self.segments[path as usize].first().copied().unwrap_or(0);
            first[segment as usize % SKETCH] += share;
        }
        into.extend((0..).zip(first).filter(|(_, share)| *share > 0.0));
        let class = self.visits.agent(visitor.first).class as u32;
        into.push((SKETCH as u32 + class, 0.7));
        if let Address::V4(bits) = visitor.address {
            into.push((SKETCH as u32 + 10, (bits >> 16) as f32 / 65_536.0));
        }
        into.push((SKETCH as u32 + 11, (visitor.time / self.span).fract() as f32));
    }

    fn work(&self, record: usize) -> u64 {
        self.each[record].lines.min(MOST_PATHS as u64)
    }
}

/// Some visitors, compared all with all.
struct Space<'a> {
    visitors: &'a Visitors<'a>,
    members: &'a [u32],
}

impl Pairwise for Space<'_> {
    type Scratch = ();

    fn len(&self) -> usize {
        self.members.len()
    }

    fn scratch(&self) {}

    fn distance(&self, left: usize, right: usize, _scratch: &mut ()) -> f64 {
        self.visitors.distance(self.members[left] as usize, self.members[right] as usize)
    }
}

impl Comparable for Visitors<'_> {
    type Compared = DistanceMatrix;

    const WHOLE: usize = 2_000;
    const BLOCK: usize = 256;
    const WORK: u64 = 4_000_000;
    const IS_REFINED: bool = false;

    fn compare(&self, block: &[u32], progress: &dyn Progress) -> Result<DistanceMatrix> {
        let space = Space { visitors: self, members: block };
        let is_whole = block.len() == self.len();
        Ok(if is_whole { DistanceMatrix::compute(&space, progress) } else { DistanceMatrix::compute_here(&space) })
    }

    fn group(&self, compared: &DistanceMatrix, how: How<'_>, progress: &dyn Progress) -> Partition {
        microaggregated(compared, how, progress)
    }

    fn centre(&self, compared: &DistanceMatrix, members: &[u32]) -> u32 {
        medoid(compared, members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::k_anonymity::EqualRecords;
    use crate::progress::Silent;
    use crate::synth::visits::{Params as Made, Site, VisitsSynth};

    fn protected(bots: Bots, k: usize) -> (Visits, Protected<Visits>) {
        let made = Made { persons: 200, site: Site::Irregular, bots: 0.2, days: 7, seed: 3 };
        let log = VisitsSynth::new(made).unwrap().log();
        let log = log.with_agents(|agent| crate::data::visits::Agent {
            is_bot: agent.contains("bot") || !agent.starts_with("Mozilla"),
            ..crate::data::visits::Agent::NONE
        });
        let method = VisitMicroaggregation::new(Params { k, bots, ..Params::default() }).unwrap();
        let protected = method.protect(&log, &mut Rng::seeded(1), &Silent).unwrap();
        (log, protected)
    }

    #[test]
    fn quotas_add_up() {
        assert_eq!(quotas(&[3, 3, 1], 3), [1, 1, 1]);
        assert_eq!(quotas(&[4, 2, 1], 3), [2, 1, 0]);
        assert_eq!(quotas(&[1, 1, 1], 2), [1, 1, 0]);
        assert_eq!(quotas(&[5], 4), [4]);
    }

    /// Everybody shares their record with k - 1 others, and no bot is in a group of humans.
    #[test]
    fn groups_are_large_enough_and_bots_apart() {
        for k in [2, 5] {
            let (log, protected) = protected(Bots::Apart, k);
            let mut members: BTreeMap<u32, Vec<bool>> = BTreeMap::new();
            for (person, record) in protected.record_of.iter().enumerate() {
                members.entry(record.unwrap()).or_default().push(log.is_bot(person));
            }
            assert!(members.values().all(|bots| bots.len() >= k && bots.len() < 2 * k));
            assert!(members.values().all(|bots| bots.iter().all(|&is_bot| is_bot == bots[0])));
            assert_eq!(protected.records.persons(), members.len());
            let given: Vec<u32> = protected.record_of.iter().map(|record| record.unwrap()).collect();
            let smallest = protected.records.of_persons_given(&given).groups().iter().map(Vec::len).min();
            assert!(smallest >= Some(k), "{smallest:?}");
        }
    }

    #[test]
    fn bots_may_be_dropped() {
        let (log, protected) = protected(Bots::Drop, 3);
        let is_right = |(person, record): (usize, &Option<u32>)| record.is_none() == log.is_bot(person);
        assert!(protected.record_of.iter().enumerate().all(is_right));
    }

    impl Visits {
        fn of_persons_given(&self, given: &[u32]) -> Self {
            crate::data::Dataset::of_persons(self, given)
        }
    }

    #[test]
    fn distances_by_hand() {
        assert_eq!(address_distance(&Address::V4(0xc000_0201), &Address::V4(0xc000_0201)), 0.0);
        assert_eq!(address_distance(&Address::V4(0), &Address::V4(0x8000_0000)), 1.0);
        assert_eq!(address_distance(&Address::V4(0xc000_0200), &Address::V4(0xc000_0280)), 1.0 - 24.0 / 32.0);
        let name = |text: &str| Address::Name(text.rsplit('.').map(str::to_owned).collect());
        assert_eq!(address_distance(&name("a.b.example"), &name("c.b.example")), 1.0 - 2.0 / 3.0);
        assert_eq!(address_distance(&name("a"), &Address::V4(1)), 1.0);
    }

    #[test]
    fn bad_parameters_are_refused() {
        assert!(VisitMicroaggregation::new(Params { k: 1, ..Params::default() }).is_err());
        let none =
            Params { address_weight: 0.0, agent_weight: 0.0, path_weight: 0.0, time_weight: 0.0, ..Params::default() };
        assert!(VisitMicroaggregation::new(none).is_err());
    }
}
