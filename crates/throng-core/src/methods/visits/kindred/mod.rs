//! Kindred: visitors who were at the same places of a site become one of at least k, with a record that keeps what analysers count.
//!
//! Paper      Ours, after 000 (ARES report), chapter 3, whose microaggregation of access logs it is held against; MDAV: Domingo-Ferrer, Torra
//!            2005.
//! Claims     user-k-anonymity(k), content-threshold(m).
//! Does not   hide what a group has in common: all its members were there, and use a browser of that class.
//!
//! # Idea
//! 1. Bots are grouped among bots. Groups lie inside one class of browsers and system (`strata.rs`), which keeps the shares of browsers.
//! 2. Visitors are alike by the nodes of the site's tree, by paths, lines and sessions (`distance.rs`): MDAV, then moves and exchanges; large
//!    strata in blocks.
//! 3. What fewer than m visitors of the log have is not published: paths become patterns along the site's own tree (`patterns.rs`),
//!    agents are rebuilt, referrers cut to their site (`shared.rs`).
//! 4. The record of a group has sessions, days, lines and pages as the members on average (`sessions.rs`), paths chosen to be near all members
//!    under a cap on what few of them have (`choice.rs`), pages with the assets that they pull (`units.rs`), put together in `record.rs`.
//!    Where records would tell too much of their members on average, lines are exchanged (`exposure.rs`).
//! 5. What rounding left out of a group is owed by the next (`debts.rs`), so that totals come out right over the whole log.
//!
//! # Guarantee
//! All members of a group have the same record, and a group has at least k of one sort; whatever a record says of paths, agents, referrers, hosts,
//! versions and query strings at least m visitors of the log have; of a member at most 1/k of their lines are in the record with a path that
//! fewer than min(m, size) members have.
//!
//! # Cost
//! Time O(n²) comparisons and memory 4 n² bytes for the n visitors of a block; the records are near linear in the lines.

mod choice;
mod debts;
mod distance;
mod exposure;
mod patterns;
mod record;
mod sessions;
mod shared;
mod strata;
#[cfg(test)]
mod tests;
mod units;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use self::distance::Profiles;
use self::patterns::Patterns;
use self::record::Recorder;
pub use self::shared::QueryStrings;
use self::shared::Shared;
use self::strata::strata;
use super::visit_microaggregation::{BOTS, Bots};
use crate::data::{Visits, VisitsBuilder};
use crate::distance::DistanceMatrix;
use crate::error::{Error, Result};
use crate::info::{self, Info, Parameter, ParameterKind};
use crate::methods::queries::user_microaggregation::TIME_RESOLUTION;
use crate::methods::refusals::{PERSONS, check_enough, check_k};
use crate::methods::{Method, shown_parameters};
use crate::models::{content_threshold, content_threshold_visits, k_anonymity};
use crate::partition::grouping::{BLOCK_SIZE, EXACT, Grouped, Least, Plan, Standing};
use crate::progress::{Progress, Quiet};
use crate::release::{Claim, Protected};
use crate::rng::Rng;

/// The card of the method.
pub const INFO: Info = Info {
    name: "kindred",
    summary: "groups of k visitors who were at the same places, one record a group that keeps sessions, pages and browsers",
    paper: "ours, after Navarro-Arribas, Torra. New privacy-preserving data mining techniques. Deliverable WP4.T2 of the ARES project (2010), \
            chapter 3",
    details: "1. Bots are grouped among bots (`--bots apart`), with everybody (`mix`), or left out (`drop`). Groups lie inside one class of browsers on \
        one system; a stratum of fewer than 4 k visitors joins others of its class, and then all others of its sort.\n\
        2. Two visitors are as far apart as sqrt(H²(nodes of the site's tree to depth 3) + 2 H²(paths) + (difference of ln lines)² + (difference of ln \
        sessions)²), H being Hellinger's distance, the logarithms over four times their standard deviation. MDAV makes groups of k to 2k - 1; then \
        visitors move and change places. More than 2,000 of a stratum are cut into blocks of like ones; `--exact` leaves out blocks and moves.\n\
        3. What fewer than m visitors of the log have (`--min-persons`, default 3) is not published. A path becomes the pattern with the most kept that m \
        visitors share: segments that are digits, hex, UUIDs or dates become `*` first, `/user/*/edit`, else its tail does, `/blog/*`. A segment `*` stands \
        for one segment, as the last one for one or more; `/*` for any path; a literal `*` is written `%2A`. `--taxonomy FILE`, a CSV file `child,parent` of \
        paths and patterns that cover them, overrules that for the paths in it. An agent is rebuilt from its family, version and \
        system; a referrer is `scheme://host/` of the most specific host; query strings are left out, or kept as far as m visitors have their \
        pairs (`--query-strings keep-shared`).\n\
        4. The record of a group has as many sessions, days, lines and pages as its members on average. Its paths are those that bring it nearest to all \
        members, by the sum of their Jensen-Shannon divergences. For every member the lines of paths that fewer than min(m, size) members have, counted as \
        the smaller of the member's and the record's, are at most 1/k of the member's lines; what is over goes up the tree. The mean profile exposure level \
        of all members is held to 100 (0.62 + 0.38 / k) %, by exchanging lines for others that the log has most.\n\
        5. Pages keep the assets that they pull, and the order of the log's own steps. Sessions start at multiples of `--time-resolution` (default 1h); \
        lengths and pauses are means and quantiles of many. Bytes are the median of the path's.\n\
        6. What a group's rounding did not publish (lines, sessions, pages, days, hours, statuses and methods, referring sites) is owed by the next \
        group, so that totals come out right.\n\
        Claims user-k-anonymity(k), and content-threshold(m) where m is above 1. The class of a visitor's browser is not hidden, nor what all members of a group have \
        in common.",
    parameters: &[
        info::K,
        Parameter { default: "3", ..content_threshold::MIN_PERSONS },
        Parameter { default: "1h", ..TIME_RESOLUTION },
        QUERY_STRINGS,
        BOTS,
        EXACT,
        BLOCK_SIZE,
    ],
};

const QUERY_STRINGS: Parameter = Parameter {
    name: "query-strings",
    summary: "query strings of requests: none is published, or the pairs `name=value` that enough visitors have",
    kind: ParameterKind::Choice(&["drop", "keep-shared"]),
    default: "drop",
};

/// What the method can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// How many visitors share a record, at least.
    pub k: usize,
    /// What a line says is said by at least so many visitors.
    pub min_persons: usize,
    /// Sessions start at multiples of so many seconds.
    pub time_resolution: u64,
    /// What becomes of query strings.
    pub query_strings: QueryStrings,
    /// What becomes of declared bots.
    pub bots: Bots,
    /// No blocks, no refinement.
    pub exact: bool,
    /// The size of blocks; 0 if it is left to us.
    pub block_size: usize,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            k: 5,
            min_persons: 3,
            time_resolution: 3600,
            query_strings: QueryStrings::Drop,
            bots: Bots::Apart,
            exact: false,
            block_size: 0,
        }
    }
}

/// The method with checked parameters.
#[derive(Debug, Clone, Copy)]
pub struct Kindred {
    params: Params,
}

impl Kindred {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        let mut errors: Vec<Error> = check_k(params.k).into_iter().collect();
        if params.min_persons < 1 {
            errors.push(
                Error::parameter("min-persons", "is 0, but must be at least 1")
                    .with_hint("1 publishes what any one visitor has; `--min-persons 3` what at least three have"),
            );
        }
        if params.time_resolution < 1 {
            errors.push(Error::parameter("time-resolution", "is 0, but must be at least a second"));
        }
        errors.extend(params.plan().check(params.k));
        if errors.is_empty() { Ok(Self { params }) } else { Err(Error::parameters(errors)) }
    }

    /// Groups of one sort of visitors, those of a stratum side by side, in an order that says nothing.
    fn groups(
        &self,
        original: &Visits,
        profiles: &Profiles,
        sort: &[u32],
        rng: &mut Rng,
        progress: &dyn Progress,
    ) -> Result<(Vec<Vec<u32>>, Grouped)> {
        let (k, plan) = (self.params.k, self.params.plan());
        let mut all = Vec::new();
        let mut grouped = Grouped { blocks: 0, largest_block: 0, refined: false };
        for stratum in strata(original, sort, k) {
            progress.go_on()?;
            plan.refuse_too_many::<Profiles>(stratum.len(), k, DistanceMatrix::bytes)?;
            let standing = Standing { records: profiles, numbers: &stratum };
            let groups = plan.groups(&standing, Least { k, wishes: &[] }, &Quiet(progress))?;
            let of = groups.grouped;
            grouped = Grouped {
                blocks: grouped.blocks + of.blocks,
                largest_block: grouped.largest_block.max(of.largest_block),
                refined: of.refined,
            };
            let named = |members: &Vec<u32>| members.iter().map(|&member| stratum[member as usize]).collect();
            let mut members: Vec<Vec<u32>> = groups.members.iter().map(named).collect();
            rng.shuffle(&mut members);
            all.append(&mut members);
            progress.advance(stratum.len() as u64);
        }
        Ok((all, grouped))
    }
}

impl Params {
    fn plan(&self) -> Plan {
        Plan { is_exact: self.exact, block_size: self.block_size }
    }
}

impl Method<Visits> for Kindred {
    fn protect(&self, original: &Visits, rng: &mut Rng, progress: &dyn Progress) -> Result<Protected<Visits>> {
        let Params { k, min_persons, bots, query_strings, time_resolution, .. } = self.params;
        let all: Vec<u32> = (0..original.persons() as u32).collect();
        let (of_bots, humans): (Vec<u32>, Vec<u32>) = match bots {
            Bots::Mix => (Vec::new(), all),
            Bots::Apart | Bots::Drop => all.into_iter().partition(|&person| original.is_bot(person as usize)),
        };
        check_enough(if bots == Bots::Apart { humans.len().max(of_bots.len()) } else { humans.len() }, k, PERSONS)?;
        progress.stage("groups", original.persons() as u64);
        let patterns = Patterns::of(original, min_persons);
        let shared = Shared::of(original, &patterns, query_strings, min_persons);
        let profiles = Profiles::of(original, &patterns);
        let resolution = time_resolution.min(i64::MAX as u64 / 2000) as i64 * 1000;
        let mut recorder = Recorder::new(original, &patterns, &shared, (k, min_persons), resolution);
        let mut builder = VisitsBuilder::new();
        let mut record_of = vec![None; original.persons()];
        let mut records = 0u32;
        let mut made: Option<Grouped> = None;
        // Fewer than k of a sort cannot hide among themselves, and are left out.
        let sorts = [(of_bots, bots == Bots::Apart), (humans, true)];
        for (sort, _) in sorts.into_iter().filter(|(sort, is_kept)| *is_kept && sort.len() >= k) {
            let (groups, grouped) = self.groups(original, &profiles, &sort, rng, progress)?;
            made = Some(made.map_or(grouped, |before| Grouped {
                blocks: before.blocks + grouped.blocks,
                largest_block: before.largest_block.max(grouped.largest_block),
                refined: grouped.refined,
            }));
            for members in &groups {
                progress.go_on()?;
                recorder.add(members, &records.to_string(), &mut builder);
                members.iter().for_each(|&member| record_of[member as usize] = Some(records));
                records += 1;
            }
        }
        let mut claims = vec![Claim::new(&k_anonymity::USER, [("k", json!(k))])];
        if min_persons > 1 {
            claims.push(Claim::new(&content_threshold_visits::INFO, [("min-persons", json!(min_persons))]));
        }
        let protected = Protected::new(builder.finish().0.with_agents_like(original), record_of, claims);
        Ok(match made {
            Some(grouped) => protected.grouped(grouped),
            None => protected,
        })
    }

    fn parameters(&self) -> Map<String, Value> {
        shown_parameters(&self.params)
    }

    fn cuts_content(&self) -> bool {
        self.params.min_persons > 1
    }
}
