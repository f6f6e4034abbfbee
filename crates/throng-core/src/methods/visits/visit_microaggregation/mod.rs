//! Microaggregation of visitors, sessions or lines: groups of at least k that are near each other, each published with the record of its group.
//!
//! Paper      000 (ARES report), chapter 3, which microaggregates access logs and cites its distance (reading W6); the record by the quotas of
//!            001 (Navarro-Arribas et al. 2012), section 3.2.
//! Claims     user-k-anonymity(k) of visitors; session-k-anonymity(k) of sessions; record-k-anonymity(k) of lines, the paper's own unit.
//! Does not   hide what the records say: a path that one visitor has may stand in the record of their group. It does not keep the shares of
//!            browsers: a group has the agent that most of its members have. Groups of sessions or lines may be one visitor's.
//!
//! # Idea
//! 1. Bots are grouped among bots. 2. Units are compared by address, agent, paths and time, lines by their referrers too (`distance`). 3. MDAV.
//!    4. The record of a group has as many lines as its members on average; each path gets its share of them, by quotas; the times of a path
//!    are means of the group's lines with it, in the order of the visitor that stands for the group (`record`). Lines become what they have in
//!    common.
//!
//! # Formula
//! d = (a d_address + b d_agent + c d_path + t d_time + r d_referrer) / (a + b + c + t + r), all weights 1, r = 0 but for lines.
//! d_address = 1 - common prefix bits / all bits, of names 1 - common labels from the right / the more labels. d_agent = 1 - (.4 family + .3
//! system + .2 major + .1 system version). d_path = mean of minima, both ways, of 1 - common segments from the left / the more segments.
//! d_time = difference of mean times / span of the log. d_referrer as d_path, of host and segments.
//!
//! # Readings
//! Ours: of a visitor the 40 most frequent paths are compared. A major counts where the family is the same, a version where the system is. A
//! record has no query strings and no referrers: nothing says how to average them. A session is published under an address of its own. A line
//! is published under the network that its group has in common, at most 16 bits of IPv4 and 32 of IPv6.
//!
//! # Cost
//! Time O(n^2) comparisons up to 2,000 units, above that in blocks; a comparison O(paths^2).

mod distance;
mod record;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use self::distance::{Units, Weights};
use self::record::Records;
use crate::accounts::{GROUPS_MADE, GROUPS_OF_ONE, GROUPS_WITH_BOTS};
use crate::data::visits::Part;
use crate::data::{Interner, Visits};
use crate::distance::DistanceMatrix;
use crate::error::{Error, Result};
use crate::info::{self, Info, Parameter, ParameterKind};
use crate::methods::refusals::{PERSONS, check_enough, check_k};
use crate::methods::{Method, shown_parameters};
use crate::models::{k_anonymity, visit_k_anonymity};
use crate::partition::grouping::{BLOCK_SIZE, EXACT, Least, Plan, Standing};
use crate::progress::Progress;
use crate::release::addresses::Network;
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
        the left, mean of minima both ways) and mean time, with settable weights; of a visitor the 40 most frequent paths. With `--unit session` \
        sessions are compared so, with `--unit line` lines, these by their referrers too.\n\
        3. MDAV makes groups of k to 2k - 1.\n\
        4. The record of a group has as many lines as its members on average. Every path gets its share of them by quotas; its times are means \
        of the group's lines with that path, in the order of the member that stands for the group; method, status and size are the most \
        frequent there, the agent is the most frequent of the group. Query strings and referrers are left out. Where the file says which \
        sessions there are, records have as many as their members on average.\n\
        5. Every visitor, or session, gets a fresh address; with `--address prefix` one inside the longest network that k of the group share, at \
        most /16 and /32.\n\
        6. Of lines, those of a group become one line as often as there are: the path and the network (at most /16 and /32) that they have in \
        common, the mean time, and what is most frequent.\n\
        It claims user-k-anonymity of visitors, session-k-anonymity of sessions, record-k-anonymity of lines; with `--address prefix` \
        network-k-anonymity beside. Sessions and lines of a group may be one visitor's, so the last two do not hide visitors: the run says of \
        how many groups that is so. It does not claim that what the records say is shared: a rare path may stand in one.",
    parameters: &[
        info::K,
        UNIT,
        BOTS,
        ADDRESS,
        ADDRESS_WEIGHT,
        AGENT_WEIGHT,
        PATH_WEIGHT,
        TIME_WEIGHT,
        REFERRER_WEIGHT,
        EXACT,
        BLOCK_SIZE,
    ],
};

const UNIT: Parameter = Parameter {
    name: "unit",
    summary: "what is hidden among k: visitors, sessions, or lines, as in the paper",
    kind: ParameterKind::Choice(&["visitor", "session", "line"]),
    default: "visitor",
};

pub(in crate::methods::visits) const BOTS: Parameter = Parameter {
    name: "bots",
    summary: "declared bots: grouped apart, mixed with everybody, or dropped",
    kind: ParameterKind::Choice(&["apart", "mix", "drop"]),
    default: "apart",
};

const ADDRESS: Parameter = Parameter {
    name: "address",
    summary: "published addresses: fresh ones, or fresh ones inside the longest network that k of the group share",
    kind: ParameterKind::Choice(&["fresh", "prefix"]),
    default: "fresh",
};

const fn weight(name: &'static str, summary: &'static str) -> Parameter {
    Parameter { name, summary, kind: ParameterKind::Weight, default: "1" }
}

const ADDRESS_WEIGHT: Parameter = weight("address-weight", "how much addresses weigh in the distance");
const AGENT_WEIGHT: Parameter = weight("agent-weight", "how much agents weigh");
const PATH_WEIGHT: Parameter = weight("path-weight", "how much paths weigh");
const TIME_WEIGHT: Parameter = weight("time-weight", "how much mean times weigh");
const REFERRER_WEIGHT: Parameter = weight("referrer-weight", "how much referrers weigh; of lines alone");

/// What is hidden among k.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Visitors.
    Visitor,
    /// Sessions.
    Session,
    /// Lines.
    Line,
}

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

/// What addresses are published.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Address {
    /// Those that nobody has.
    Fresh,
    /// Those of a network that k of the group share.
    Prefix,
}

/// What the method can be told.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// The least size of a group.
    pub k: usize,
    /// What is hidden among k.
    pub unit: Unit,
    /// What becomes of declared bots.
    pub bots: Bots,
    /// What addresses are published.
    pub address: Address,
    /// How much addresses weigh.
    pub address_weight: f64,
    /// How much agents weigh.
    pub agent_weight: f64,
    /// How much paths weigh.
    pub path_weight: f64,
    /// How much mean times weigh.
    pub time_weight: f64,
    /// How much referrers weigh, of lines.
    pub referrer_weight: f64,
    /// The whole data at once.
    pub exact: bool,
    /// The size of blocks; 0 leaves it to us.
    pub block_size: usize,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            k: 5,
            unit: Unit::Visitor,
            bots: Bots::Apart,
            address: Address::Fresh,
            address_weight: 1.0,
            agent_weight: 1.0,
            path_weight: 1.0,
            time_weight: 1.0,
            referrer_weight: 1.0,
            exact: false,
            block_size: 0,
        }
    }
}

impl Params {
    fn plan(&self) -> Plan {
        Plan { is_exact: self.exact, block_size: self.block_size }
    }

    fn weights(&self) -> Weights {
        let referrer = if self.unit == Unit::Line { self.referrer_weight } else { 0.0 };
        [self.address_weight, self.agent_weight, self.path_weight, self.time_weight, referrer]
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
        if params.unit == Unit::Line && params.address == Address::Prefix {
            let problem = "is for visitors and sessions: lines are published under the network of their group anyway";
            errors.push(Error::parameter("address", problem));
        }
        if errors.is_empty() { Ok(Self { params }) } else { Err(Error::parameters(errors)) }
    }

    fn claims(&self) -> Vec<Claim> {
        let model = match self.params.unit {
            Unit::Visitor => &k_anonymity::USER,
            Unit::Session => &visit_k_anonymity::SESSION,
            Unit::Line => &visit_k_anonymity::LINE,
        };
        let claim = |model| Claim::new(model, [("k", json!(self.params.k))]);
        let network = (self.params.address == Address::Prefix).then(|| claim(&visit_k_anonymity::NETWORK));
        std::iter::once(claim(model)).chain(network).collect()
    }
}

impl Method<Visits> for VisitMicroaggregation {
    fn protect(&self, original: &Visits, _rng: &mut Rng, progress: &dyn Progress) -> Result<Protected<Visits>> {
        let Params { k, unit, bots: what, .. } = self.params;
        let (rows, owners) = units_of(original, unit);
        let all: Vec<u32> = (0..owners.len() as u32).collect();
        let is_bot: Vec<bool> = (0..original.persons()).map(|person| original.is_bot(person)).collect();
        let of_bot = |unit: &u32| is_bot[owners[*unit as usize] as usize];
        let (bots, humans): (Vec<u32>, Vec<u32>) = match what {
            Bots::Mix => (Vec::new(), all),
            Bots::Apart | Bots::Drop => all.into_iter().partition(of_bot),
        };
        check_enough(if what == Bots::Drop { humans.len() } else { humans.len().max(bots.len()) }, k, PERSONS)?;
        let units = Units::of(original, &rows, self.params.weights());
        let mut records = Records::new(original);
        let mut given: Vec<(u32, u32)> = Vec::new();
        let mut names: Vec<String> = Vec::new();
        let mut networks: Vec<Option<Network>> = Vec::new();
        let (mut of_one, mut with_bots) = (0, 0);
        let mut grouped = None;
        // Fewer than k of a sort cannot hide among themselves, and are left out.
        let sorts = [(humans, true), (bots, what == Bots::Apart)];
        for (sort, _) in sorts.into_iter().filter(|(sort, is_kept)| *is_kept && sort.len() >= k) {
            let standing = Standing { records: &units, numbers: &sort };
            self.params.plan().refuse_too_many::<Units<'_>>(sort.len(), k, DistanceMatrix::bytes)?;
            let groups = self.params.plan().groups(&standing, Least { k, wishes: &[] }, progress)?;
            grouped = grouped.or(Some(groups.grouped));
            for (members, &centre) in groups.members.iter().zip(&groups.centres) {
                let members: Vec<u32> = members.iter().map(|&member| sort[member as usize]).collect();
                let persons: Vec<u32> = members.iter().map(|&member| owners[member as usize]).collect();
                let own: Vec<&[usize]> = members.iter().map(|&member| rows[member as usize].as_slice()).collect();
                of_one += u64::from(persons.iter().all(|&person| person == persons[0]));
                let bots = persons.iter().filter(|&&person| is_bot[person as usize]).count();
                with_bots += u64::from(bots > 0 && bots < persons.len());
                let group = networks.len() as u32;
                networks
                    .push((self.params.address == Address::Prefix).then(|| shared(original, &persons, k)).flatten());
                if unit == Unit::Line {
                    let lines: Vec<usize> = own.iter().map(|rows| rows[0]).collect();
                    names.push(records.add_lines(&lines));
                } else {
                    records.add(&own, &rows[sort[centre as usize] as usize], &group.to_string());
                }
                given.extend(persons.into_iter().map(|person| (person, group)));
            }
        }
        let made = networks.len() as u64;
        let data = records.builder.finish().0.with_agents_like(original).with_timeout(original.timeout());
        let data = match unit {
            // Lines of the same network and agent are one visitor to whoever reads them.
            Unit::Line => {
                let known: Vec<String> = data.names().iter().map(str::to_owned).collect();
                let numbers = Interner::from(data.names());
                let number = |name: &String| numbers.find(name).unwrap_or(0);
                let of_group: Vec<u32> = names.iter().map(number).collect();
                given.iter_mut().for_each(|(_, record)| *record = of_group[*record as usize]);
                given = given.into_iter().collect::<BTreeSet<_>>().into_iter().collect();
                data.published_as(known)
            }
            _ if self.params.address == Address::Prefix => data.in_networks(networks),
            _ => data,
        };
        let mut protected = Protected::new(data, vec![None; original.persons()], self.claims());
        for (person, record) in given {
            match &mut protected.record_of[person as usize] {
                Some(_) => protected.further.push((person, record)),
                none => *none = Some(record),
            }
        }
        if unit != Unit::Visitor {
            protected = protected.counted(GROUPS_MADE, made).counted(GROUPS_OF_ONE, of_one);
        }
        if with_bots > 0 {
            protected = protected.counted(GROUPS_WITH_BOTS, with_bots);
        }
        Ok(match grouped {
            Some(grouped) => protected.grouped(grouped),
            None => protected,
        })
    }

    fn parameters(&self) -> Map<String, Value> {
        shown_parameters(&self.params)
    }
}

/// What is hidden among k: the rows of each unit, and the visitor whose they are.
fn units_of(visits: &Visits, unit: Unit) -> (Vec<Vec<usize>>, Vec<u32>) {
    let persons = (0..visits.persons()).filter(|&person| !visits.range(person).is_empty());
    let units = persons.flat_map(|person| {
        let rows: Vec<Vec<usize>> = match unit {
            Unit::Visitor => vec![visits.range(person).collect()],
            Unit::Session => visits.sessions(person),
            Unit::Line => visits.range(person).map(|row| vec![row]).collect(),
        };
        rows.into_iter().map(move |rows| (rows, person as u32))
    });
    units.unzip()
}

/// The longest network that k visitors of a group share.
fn shared(visits: &Visits, persons: &[u32], k: usize) -> Option<Network> {
    let persons: BTreeSet<u32> = persons.iter().copied().collect();
    let address = |&person: &u32| {
        let mut rows = visits.range(person as usize);
        rows.find_map(|row| visits.text(Part::Address, row))
    };
    Network::shared(persons.iter().filter_map(address), k)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::data::visits::{Agent, Visit, VisitsBuilder};
    use crate::models::Model as _;
    use crate::models::k_anonymity::EqualRecords;
    use crate::progress::Silent;
    use crate::synth::visits::{Params as Made, Site, VisitsSynth};

    fn made_up() -> Visits {
        let made = Made { persons: 200, site: Site::Irregular, bots: 0.2, days: 7, seed: 3 };
        let log = VisitsSynth::new(made).unwrap().log();
        log.with_agents(|agent| Agent { is_bot: agent.contains("bot") || !agent.starts_with("Mozilla"), ..Agent::NONE })
    }

    fn protected(bots: Bots, k: usize) -> (Visits, Protected<Visits>) {
        let log = made_up();
        let method = VisitMicroaggregation::new(Params { k, bots, ..Params::default() }).unwrap();
        let protected = method.protect(&log, &mut Rng::seeded(1), &Silent).unwrap();
        (log, protected)
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
    fn bad_parameters_are_refused() {
        assert!(VisitMicroaggregation::new(Params { k: 1, ..Params::default() }).is_err());
        let none =
            Params { address_weight: 0.0, agent_weight: 0.0, path_weight: 0.0, time_weight: 0.0, ..Params::default() };
        assert!(VisitMicroaggregation::new(none).is_err());
        assert!(VisitMicroaggregation::new(Params { unit: Unit::Line, ..none }).is_ok());
        let lines = Params { unit: Unit::Line, address: Address::Prefix, ..Params::default() };
        assert!(VisitMicroaggregation::new(lines).is_err());
    }

    /// What is published, as it is read: every visitor with each of their records.
    fn published(protected: &Protected<Visits>) -> Visits {
        let records: Vec<u32> = protected.given().into_iter().map(|(_, record)| record).collect();
        protected.records.of_persons_given(&records)
    }

    /// Sessions and lines keep the promise of their unit, and what groups of one visitor there are is counted.
    #[test]
    fn sessions_and_lines_hide_among_k() {
        let log = made_up();
        for k in [2, 4] {
            let of = |unit: Unit| {
                let params = Params { k, unit, ..Params::default() };
                VisitMicroaggregation::new(params).unwrap().protect(&log, &mut Rng::seeded(1), &Silent).unwrap()
            };
            let params = k_anonymity::Params { k };
            let sessions = of(Unit::Session);
            let found = published(&sessions);
            let all: usize = (0..log.persons()).map(|person| log.sessions_of(person)).sum();
            assert_eq!(sessions.given().len(), all);
            let model = visit_k_anonymity::SessionKAnonymity::new(params).unwrap();
            assert!(model.check(&found).unwrap().holds);
            let lines = of(Unit::Line);
            assert_eq!(lines.records.rows(), log.rows());
            let model = visit_k_anonymity::LineKAnonymity::new(params).unwrap();
            assert!(model.check(&lines.records).unwrap().holds);
            let count = |account| lines.accounts.get(account).unwrap_or(0);
            assert!(count(GROUPS_OF_ONE) > 0 && count(GROUPS_OF_ONE) < count(GROUPS_MADE));
            assert_eq!(lines.claims[0].model, "record-k-anonymity");
        }
    }

    /// With sessions in the file their number stays, though groups round it.
    #[test]
    fn sessions_of_the_file_keep_their_number() {
        let mut builder = VisitsBuilder::new();
        let log = made_up();
        for person in 0..log.persons() {
            for row in log.range(person) {
                let mut visit = Visit { time: log.time(row), ..Visit::default() };
                let session = format!("{person}-{}", log.session(row));
                visit.texts = Part::ALL.map(|part| log.text(part, row));
                visit.texts[Part::Session as usize] = Some(&session);
                builder.push(log.names().get(person as u32), &visit, 1);
            }
        }
        let with = builder.finish().0.with_agents_like(&log);
        let sessions = |visits: &Visits| (0..visits.persons()).map(|person| visits.sessions_of(person)).sum::<usize>();
        for k in [3, 10, 29] {
            let method = VisitMicroaggregation::new(Params { k, ..Params::default() }).unwrap();
            let found = published(&method.protect(&with, &mut Rng::seeded(1), &Silent).unwrap());
            let share = sessions(&found) as f64 / sessions(&with) as f64;
            assert!((0.95..1.05).contains(&share), "{k}: {share}");
        }
    }

    #[test]
    fn a_network_of_k_is_published() {
        let log = made_up();
        let params = Params { k: 3, address: Address::Prefix, ..Params::default() };
        let protected =
            VisitMicroaggregation::new(params).unwrap().protect(&log, &mut Rng::seeded(1), &Silent).unwrap();
        assert_eq!(protected.claims[1].model, "network-k-anonymity");
        let release = protected.disguise(log.names(), false, &mut Rng::seeded(2)).unwrap();
        let mut networks: BTreeMap<(u32, String), usize> = BTreeMap::new();
        for person in &release.persons {
            let network = Network::of(&person.pseudonym).map(|network| network.to_string()).unwrap_or_default();
            *networks.entry((person.record, network)).or_default() += 1;
        }
        // Some group shares one; and whoever is in it has an address of it.
        assert!(networks.iter().any(|((_, network), &count)| network.starts_with("10.") && count >= 3));
        assert!(networks.iter().filter(|((_, network), _)| network.starts_with("10.")).all(|(_, &count)| count >= 3));
    }
}
