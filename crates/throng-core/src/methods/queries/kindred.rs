//! Kindred: searchers with the same interests become one of at least k, with a record chosen for what they looked for.
//!
//! Paper      Ours. MDAV: Domingo-Ferrer, Torra 2005; the divergence is that of Lin 1991; the exposure that of
//!            Navarro-Arribas et al. 2012.
//! Claims     user-k-anonymity(k), content-threshold(m); with `--k-column` personal-k-anonymity(k).
//! Does not   hide what a group has in common: its members are alike, and the record says what they are interested in.
//!
//! # Idea
//! 1. Every person is a mix of words (stop words out), a mix of concepts (ancestors at a depth of the taxonomy), and an activity.
//! 2. Groups of k to 2k - 1 like persons: MDAV, then moves and exchanges that lower the sum of pairwise divergence. Above 2,000
//!    persons in blocks cut along the principal direction of the square roots of the mixes (`partition/grouping.rs`). Accounts that are
//!    probably one person's (`aggregate/alike.rs`, `--accounts`) stay together and count as one: their first stands for all.
//! 3. Only phrases that at least m persons' queries hold may be published (`aggregate/content.rs`, `--min-persons`): every string is
//!    cut to one. What members are interested in is taken from what they wrote.
//! 4. The record of a group has as many lines as its members have on average, where queries are cut at most twice as many as are left to
//!    them. How many of them differ is tried out: as many as are worth most to the members, in what they keep and in how varied they are
//!    themselves (`--variety`). Lines are chosen, one by one, among the members' phrases, such that the members' summed divergence from
//!    the record is least, that of words two and a half times (one and a half times where queries are cut), that of strings half. No
//!    member is exposed above 100 / k; where the record is too short for that it becomes longer, up to three times
//!    (`aggregate/chosen.rs`).
//! 5. The hours of the week are chosen in the same way. A line gets one of those at which its string was issued, if one is left; the
//!    date is the nearest to the mean time of the group's lines with that string; published to the hour. Rank and host as in 001.
//! 6. Every member is published with that record.
//!
//! # Formula
//! distance(u, v)² = words * JSD(words of u, of v) + concepts * JSD(concepts of u, of v) + activity * (5 / k)^1.5 * (a(u) - a(v))²,
//! with a the logarithm of the number of lines over twice its standard deviation, so that it counts as much as a mix, and no single
//! busy person sets the scale. Words weigh four and a half times as much as concepts: of real people's words hardly any agree, and
//! they would say nothing otherwise. The activity keeps records as varied as their members. With a large k it says less: the record is a
//! mean of many anyway, and who is alike is hard enough to find (`docs/methods.md` shows what other weights give).
//!
//! # Cost
//! Time O(n²) divergences and memory 4 n² bytes for the n persons of a block; the choice of a record is near linear in the lines
//! of its members.

mod times;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use siphasher::sip128::SipHasher13;

use self::times::{Hours, Period};
use super::user_microaggregation::TIME_RESOLUTION;
use super::{Threshold, check_min_persons, clusters_of, nothing_is_left};
use crate::accounts;
use crate::aggregate::chosen::{self, Chosen, Voices, Wanted, choose};
use crate::aggregate::content::CutLog;
use crate::aggregate::queries::{Aggregation, Values};
use crate::aggregate::rounded_mean;
use crate::concepts::mixes::{DEPTH, Mix, Words, at_depth, mix_of};
use crate::concepts::{Meaning, Texts as _};
use crate::data::queries::MISSING;
use crate::data::time::HOUR;
use crate::data::{Clusters, Interner, QueryLog, Strings};
use crate::distance::divergence::Shares;
use crate::distance::{DistanceMatrix, Pairwise};
use crate::error::{Error, Result};
use crate::info::{self, Info, Parameter, ParameterKind};
use crate::methods::refusals::{PERSONS, check_k};
use crate::methods::wishes::{check_wishes, claims, wishes_of};
use crate::methods::{Method, Prepared, shown_parameters};
use crate::models::content_threshold::{self, Accounts};
use crate::models::k_anonymity;
use crate::models::personal_k_anonymity::K_COLUMN;
use crate::partition::Partition;
use crate::partition::blocks::{Limits, Sketches};
use crate::partition::grouping::{self, Comparable, Groups, How, Least, Plan, Standing, microaggregated};
use crate::partition::mdav::medoid;
use crate::pieces::{Coordinates, InBlocks, Scales};
use crate::progress::Progress;
use crate::release::Protected;
use crate::rng::Rng;

/// The card of the method.
pub const INFO: Info = Info {
    name: "kindred",
    summary: "groups of k searchers with the same interests, one record a group, chosen to keep what they looked for",
    paper: "ours; the divergence is that of Lin. Divergence measures based on the Shannon entropy. IEEE Transactions on \
            Information Theory 37 (1991)",
    details: "1. A person is a mix of words, a mix of concepts (WordNet unless `--taxonomy` gives another; deeper ones count as their \
        ancestor at `--depth`), and an activity.\n\
        2. Two persons are as far apart as their mixes diverge: sqrt(words * JSD + concepts * JSD + activity * (5 / k)^1.5 * difference of the \
        logarithms of their numbers of lines, squared, over twice their standard deviation). `--weight-words`, `--weight-concepts` and `--weight-activity` set the three \
        weights; with `--weight-concepts 0` no taxonomy is needed.\n\
        3. MDAV cuts the persons into groups of k to 2k - 1; then persons move and change places while the sum of pairwise divergence \
        falls. Above 2,000 persons this is done in blocks of like persons; the certificate says so. `--exact` leaves out blocks, \
        moves and exchanges. Who asks to be one of more than k (`--k-column NAME`, a column of the original) is served first: a group has as many members as any of them \
        asks for.\n\
        4. Only phrases whose words lie inside the queries of at least m persons may be published (`--min-persons m`, default 3; 1 \
        switches it off): every query is cut to one, rarest word first, and left out if no content word remains. Text is published in \
        normal form: the words in lower case, each once, in the order in which most persons have them. Accounts that are probably one \
        person's count once there and towards k (`--accounts`).\n\
        5. A group's record has as many lines as its members have on average (where queries are cut, twice as many as are left to them at most). How \
        many of them differ is tried out, beginning with `--variety` times as many as members have: more keep more words, and a record is less like one \
        person's; each is worth what members keep, 1 - sqrt(JSD), less 0.16 * 5 / k * (1.35 / variety)^2 times how much the entropy of their queries changes \
        (three times that below 12 lines, half of it where queries are cut). Lines are chosen one by one \
        among the members' phrases such that the summed divergence of what members wrote, in words (two and a half times; one and a half times where \
        queries are cut), concepts and strings (half), is least; every \
        member has one voice, and nobody's profile exposure may rise above 100 / k: a record that is too short for that becomes longer, up to three times. \
        `--representative quota` takes the lines as user-microaggregation does: better for log-level frequencies.\n\
        6. Hours of the week are chosen in the same way, and times are published to the hour, or coarser (`--time-resolution`). Rank and URL are those of \
        user-microaggregation.\n\
        7. Every member is published with that record, under a fresh pseudonym.\n\
        Claims user-k-anonymity(k), content-threshold(m) where m is above 1, and with `--k-column` personal-k-anonymity. Members of a group are alike: that all of them are interested in something is no secret any more.\n\
        Cost: all n(n-1)/2 divergences of a block, and 4 n² bytes of memory for its n persons.",
    parameters: &[
        info::K,
        K_COLUMN,
        REPRESENTATIVE,
        Parameter { default: "3", ..content_threshold::MIN_PERSONS },
        content_threshold::ACCOUNTS,
        Parameter { default: "1h", ..TIME_RESOLUTION },
        WEIGHT_WORDS,
        WEIGHT_CONCEPTS,
        WEIGHT_ACTIVITY,
        VARIETY,
        DEPTH_PARAMETER,
        grouping::EXACT,
        grouping::BLOCK_SIZE,
    ],
};

const REPRESENTATIVE: Parameter = Parameter {
    name: "representative",
    summary: "a group's record: chosen to keep interests, or a quota of each member's lines",
    kind: ParameterKind::Choice(&["chosen", "quota"]),
    default: "chosen",
};

const WEIGHT_WORDS: Parameter = Parameter {
    name: "weight-words",
    summary: "what words weigh when persons are compared",
    kind: ParameterKind::Weight,
    default: "4.5",
};

const WEIGHT_CONCEPTS: Parameter = Parameter {
    name: "weight-concepts",
    summary: "what concepts weigh when persons are compared; 0 needs no taxonomy",
    kind: ParameterKind::Weight,
    default: "1",
};

const WEIGHT_ACTIVITY: Parameter = Parameter {
    name: "weight-activity",
    summary: "what the number of lines weighs when persons are compared, with k = 5: more with a smaller k, less with a larger",
    kind: ParameterKind::Weight,
    default: "0.115",
};

const VARIETY: Parameter = Parameter {
    name: "variety",
    summary: "how varied a record may be, beside its members: a greater one keeps more words, a smaller one is more like a person",
    kind: ParameterKind::Weight,
    default: "1.35",
};

const DEFAULT_VARIETY: f64 = 1.35;

/// What the divergence of words weighs when the lines of a record are chosen; that of concepts weighs 1.
const WORDS_CHOSEN: f64 = 2.5;
/// The same where queries are cut: a phrase of few words says less of what somebody meant.
const WORDS_CHOSEN_OF_CUT: f64 = 1.5;
/// What the divergence of whole strings weighs there.
const STRINGS_CHOSEN: f64 = 0.5;

/// A record may have so many times the lines of its members if it would expose somebody above the cap otherwise.
const LONGEST: usize = 3;
/// It has at most so many times the lines that are left to its members where queries are cut: few phrases are not repeated for ever.
const REPEATED: usize = 2;
/// What it costs that a record is more or less varied than a member, by as much as that member is: as this much more of a mix kept. With
/// k = 5 and the default variety; half of it where queries are cut, which makes records less varied.
const APART: f64 = 0.16;
/// Three times of it for records of fewer lines: one line more or less is much there.
const SHORT: usize = 12;

const DEPTH_PARAMETER: Parameter = Parameter {
    name: "depth",
    summary: "concepts deeper in the taxonomy count as their ancestor at this level",
    kind: ParameterKind::Count,
    default: "6",
};

/// What the method can be told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// How many persons share a record, at least.
    pub k: usize,
    /// The column of what persons ask for themselves.
    pub k_column: Option<String>,
    /// How a group's record is made.
    pub representative: Representative,
    /// What a line says is said by at least so many persons.
    pub min_persons: usize,
    /// What becomes of accounts that are probably one person's.
    pub accounts: Accounts,
    /// Times are multiples of so many seconds: of an hour at least.
    pub time_resolution: u64,
    /// What words weigh.
    pub weight_words: f64,
    /// What concepts weigh.
    pub weight_concepts: f64,
    /// What the number of lines weighs.
    pub weight_activity: f64,
    /// How varied a record may be, beside its members.
    pub variety: f64,
    /// The level of the taxonomy at which concepts are compared.
    pub depth: u32,
    /// No blocks, no refinement.
    pub exact: bool,
    /// The size of blocks; 0 if it is left to us.
    pub block_size: usize,
}

/// How a group's record is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Representative {
    /// Lines chosen to keep what members are interested in.
    #[default]
    Chosen,
    /// A quota of each member's lines, as in Navarro-Arribas et al. 2012.
    Quota,
}

/// Times are published to the hour.
const SECONDS_AN_HOUR: u64 = HOUR as u64 / 1000;

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
            representative: Representative::Chosen,
            min_persons: 3,
            accounts: Accounts::Once,
            time_resolution: SECONDS_AN_HOUR,
            weight_words: 4.5,
            weight_concepts: 1.0,
            weight_activity: 0.115,
            variety: DEFAULT_VARIETY,
            depth: DEPTH,
            exact: false,
            block_size: 0,
        }
    }
}

/// The method with checked parameters.
#[derive(Debug, Clone)]
pub struct Kindred {
    params: Params,
}

impl Kindred {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        let mut errors: Vec<Error> = check_k(params.k).into_iter().collect();
        let weights = [params.weight_words, params.weight_concepts, params.weight_activity];
        if weights.iter().all(|&weight| weight == 0.0) {
            errors.push(
                Error::parameter("weight-words", "is 0, and so are all other weights")
                    .with_hint("without a weight all persons are alike; leave them out for the default"),
            );
        }
        if !(0.1..=1000.0).contains(&params.variety) {
            errors.push(
                Error::parameter("variety", format!("is {}, but must be from 0.1 to 1000", params.variety))
                    .with_hint("1 is as varied as a person; greater keeps more words"),
            );
        }
        if params.depth < 1 {
            errors.push(Error::parameter("depth", "is 0, but the root of a taxonomy is at level 1"));
        }
        if params.time_resolution < SECONDS_AN_HOUR || !params.time_resolution.is_multiple_of(SECONDS_AN_HOUR) {
            errors.push(Error::parameter("time-resolution", "must be an hour, or several").with_hint(
                "kindred publishes times to the hour; `--method user-microaggregation` can publish them finer",
            ));
        }
        errors.extend(check_min_persons(params.min_persons));
        errors.extend(params.plan().check(params.k));
        if errors.is_empty() { Ok(Self { params }) } else { Err(Error::parameters(errors)) }
    }

    /// Times are multiples of so many milliseconds.
    fn resolution(&self) -> i64 {
        self.params.time_resolution as i64 * 1000
    }

    /// How many different strings are tried first in a record of so many lines, and what it costs to be more or less varied than
    /// its members.
    fn varied(&self, issued: &[Mix], lines: usize, k: usize) -> (usize, f64) {
        let all: usize = issued.iter().map(Vec::len).sum();
        let variety = self.params.variety;
        let short = if lines < SHORT { 3.0 } else { 1.0 };
        let cut = if self.params.min_persons > 1 { 0.5 } else { 1.0 };
        // What is kept is less with a larger k, and so is what may be paid for it.
        let apart = APART * short * cut * (5.0 / k as f64) * (DEFAULT_VARIETY / variety).powi(2);
        ((variety * all as f64 / issued.len() as f64).round() as usize, apart)
    }

    /// What each person asks for, the most of their accounts; nothing where nobody was asked.
    fn wishes(&self, original: &QueryLog, clusters: &Clusters) -> Result<Vec<u32>> {
        let wishes = wishes_of(original, self.params.k_column.as_deref())?;
        if wishes.is_empty() {
            return Ok(Vec::new());
        }
        let wish = |cluster: &[(u32, u32)]| cluster.iter().map(|&(account, _)| wishes[account as usize]).max();
        Ok(clusters.clusters().map(|cluster| wish(cluster).unwrap_or(0)).collect())
    }

    /// Refuses too few persons, and more than can be compared all with all.
    fn check(&self, clusters: &Clusters, least: Least<'_>) -> Result<()> {
        let (persons, alike) = (clusters.len(), clusters.accounts_alike());
        check_wishes(persons, least, PERSONS).map_err(|error| match alike {
            0 => error,
            _ => error.with_hint(format!(
                "{alike} accounts are probably those of {} persons, and these count once: choose a smaller k, or, if every \
                 account is another person's, `--accounts apart`",
                clusters.persons_alike()
            )),
        })?;
        self.params.plan().refuse_too_many::<AtK<'_>>(persons, least.greatest(), DistanceMatrix::bytes)
    }
}

impl Method<QueryLog> for Kindred {
    fn protect(&self, original: &QueryLog, _rng: &mut Rng, progress: &dyn Progress) -> Result<Protected<QueryLog>> {
        let k = self.params.k;
        let clusters = clusters_of(original, self.params.accounts)?;
        let wishes = self.wishes(original, &clusters)?;
        self.check(&clusters, Least { k, wishes: &wishes })?;
        let searchers = Searchers::of(self, original, &clusters, wishes, progress)?;
        let at_k = AtK { searchers: &searchers, k };
        let groups = self.params.plan().groups(&at_k.standing(), searchers.least(k), progress)?;
        searchers.protected(groups, k, progress)
    }

    fn prepared<'a>(
        &'a self,
        original: &'a QueryLog,
        progress: &dyn Progress,
    ) -> Result<Option<Box<dyn Prepared<QueryLog> + 'a>>> {
        let (plan, k) = (self.params.plan(), self.params.k);
        let clusters = clusters_of(original, self.params.accounts)?;
        let wishes = self.wishes(original, &clusters)?;
        let least = Least { k, wishes: &wishes };
        self.check(&clusters, least)?;
        // Where there are blocks they depend on k.
        if !plan.is_whole::<AtK<'_>>(clusters.len(), least.greatest()) {
            return Ok(None);
        }
        Ok(Some(Box::new(Searchers::of(self, original, &clusters, wishes, progress)?)))
    }

    fn parameters(&self) -> Map<String, Value> {
        shown_parameters(&self.params)
    }

    fn needs_meaning(&self) -> bool {
        self.params.weight_concepts > 0.0
    }

    fn cuts_content(&self) -> bool {
        self.params.min_persons > 1
    }

    fn counts_accounts_once(&self) -> bool {
        self.params.accounts == Accounts::Once
    }
}

/// The persons of a log with what their strings are made of.
struct Searchers<'a> {
    method: &'a Kindred,
    log: &'a QueryLog,
    content: Content,
    /// What may be published of the log, and what that is made of; `None` if all may be.
    cut: Option<(CutLog, Content)>,
    /// For each word the coordinate that stands for it in sketches.
    word_at: Vec<u32>,
    /// The logarithm of each person's number of lines, over twice its standard deviation.
    activity: Vec<f64>,
    /// The hours that the log goes over.
    period: Period,
    /// The first account of each cluster, who stands for all of it when groups are formed.
    standing: Vec<u32>,
    clusters: Arc<Clusters>,
    /// All accounts of each cluster.
    accounts: Vec<Vec<u32>>,
    /// What each cluster asks for; nothing where nobody was asked.
    wishes: Vec<u32>,
}

/// What the strings of a log are made of.
struct Content {
    words: Words,
    /// String `s` has the concepts `concepts[starts[s]..starts[s + 1]]`, none deeper than the depth.
    starts: Vec<u32>,
    concepts: Vec<u32>,
}

impl Content {
    fn of(log: &QueryLog, at_depth: &[u32], vocabulary: &mut Interner) -> Self {
        let mut content = Self { words: Words::of(log, vocabulary), starts: vec![0], concepts: Vec::new() };
        for string in 0..log.queries().len() as u32 {
            content.add_concepts(log.meaning(), string, at_depth);
        }
        content
    }

    /// Of a log that was cut, of which the strings that lost nothing are known.
    fn of_cut(&self, log: &QueryLog, cut: &CutLog, at_depth: &[u32], vocabulary: &mut Interner) -> Result<Self> {
        let phrases = cut.log.queries();
        let mut whole = vec![MISSING; phrases.len()];
        for (string, &phrase) in (0u32..).zip(&cut.phrase_of) {
            if phrase != MISSING && phrases.get(phrase) == log.queries().get(string) {
                whole[phrase as usize] = string;
            }
        }
        let parts: Strings =
            (0u32..).zip(&whole).filter(|(_, of)| **of == MISSING).map(|(phrase, _)| phrases.get(phrase)).collect();
        let meaning = match log.meaning().filter(|_| !at_depth.is_empty()) {
            Some(meaning) => Some(Arc::new(meaning.of_strings(&parts)?)),
            None => None,
        };
        // New words come in the order of the parts, as they would one by one: others have their numbers already.
        let words_of_parts = Words::of_strings(&parts, vocabulary);
        let mut content = Self { words: Words::new(), starts: vec![0], concepts: Vec::new() };
        let mut part = 0;
        for string in whole {
            if string == MISSING {
                content.words.push_like(words_of_parts.of_string(part));
                content.add_concepts(meaning.as_ref(), part, at_depth);
                part += 1;
            } else {
                content.words.push_like(self.words.of_string(string));
                content.concepts.extend_from_slice(self.concepts(string));
                content.end();
            }
        }
        Ok(content)
    }

    fn add_concepts(&mut self, meaning: Option<&Arc<Meaning>>, string: u32, at_depth: &[u32]) {
        if let Some(meaning) = meaning.filter(|_| !at_depth.is_empty()) {
            self.concepts.extend(meaning.concepts(string).iter().map(|&concept| at_depth[concept as usize]));
        }
        self.end();
    }

    /// The concepts of a string end here.
    fn end(&mut self) {
        self.starts
            .push(u32::try_from(self.concepts.len()).expect("more than four billion phrases in distinct strings"));
    }

    fn concepts(&self, string: u32) -> &[u32] {
        &self.concepts[self.starts[string as usize] as usize..self.starts[string as usize + 1] as usize]
    }
}

impl<'a> Searchers<'a> {
    fn of(
        method: &'a Kindred,
        log: &'a QueryLog,
        clusters: &Arc<Clusters>,
        wishes: Vec<u32>,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let content = method.params.threshold().cut(log, progress)?;
        Self::with(method, log, clusters, wishes, content, &Scales::of(log))
    }

    /// The same with what may be published decided already, and the scales of a log that these persons may be a part of.
    fn with(
        method: &'a Kindred,
        log: &'a QueryLog,
        clusters: &Arc<Clusters>,
        wishes: Vec<u32>,
        cut: Option<CutLog>,
        scales: &Scales,
    ) -> Result<Self> {
        let Params { weight_concepts, depth, .. } = method.params;
        let at_depth = if weight_concepts > 0.0 {
            let meaning =
                log.meaning().ok_or_else(|| Error::internal("the log comes without what its queries mean"))?;
            let tree = meaning.taxonomy();
            (0..tree.len() as u32).map(|node| at_depth(tree, node, depth)).collect()
        } else {
            Vec::new()
        };
        let mut vocabulary = Interner::new();
        let content = Content::of(log, &at_depth, &mut vocabulary);
        let cut = match cut {
            Some(cut) => {
                let content = content.of_cut(log, &cut, &at_depth, &mut vocabulary)?;
                Some((cut, content))
            }
            None => None,
        };
        let (mean, scale) = scales.activity();
        let activity = |person: usize| ((log.range(person).len().max(1) as f64).ln() - mean) / scale;
        let activity = (0..log.persons()).map(activity).collect();
        let word_at = vocabulary.into_strings().iter().map(coordinate_of).collect();
        let period = Period::of(scales.time());
        let standing = clusters.clusters().map(|cluster| cluster[0].1).collect();
        let all = |cluster: &[(u32, u32)]| cluster.iter().map(|&(account, _)| account).collect();
        let accounts = clusters.clusters().map(all).collect();
        Ok(Self {
            method,
            log,
            content,
            cut,
            word_at,
            activity,
            period,
            standing,
            clusters: Arc::clone(clusters),
            accounts,
            wishes,
        })
    }

    /// How large groups are, at least.
    fn least(&self, k: usize) -> Least<'_> {
        Least { k, wishes: &self.wishes }
    }

    fn words_of(&self, person: usize) -> Mix {
        self.content.words.mix(self.log, person)
    }

    fn concepts_of(&self, person: usize) -> Mix {
        let strings = self.log.query_ids(self.log.range(person));
        mix_of(strings.iter().flat_map(|&string| self.content.concepts(string)).copied().collect())
    }

    /// What may be published, and what that is made of.
    fn publishable(&self) -> (&QueryLog, &Content) {
        self.cut.as_ref().map_or((self.log, &self.content), |(cut, content)| (&cut.log, content))
    }

    /// The strings of a person. One that may be published has the number that it has there, the others have numbers beyond.
    fn strings_of(&self, person: usize) -> Mix {
        let strings = self.log.query_ids(self.log.range(person)).iter().copied();
        let Some((CutLog { log: cut, phrase_of, is_whole, .. }, _)) = &self.cut else {
            return mix_of(strings.collect());
        };
        let number = |string: u32| match phrase_of[string as usize] {
            phrase if phrase != MISSING && is_whole[string as usize] => phrase,
            _ => cut.queries().len() as u32 + string,
        };
        mix_of(strings.map(number).collect())
    }

    fn protected(&self, groups: Groups, k: usize, progress: &dyn Progress) -> Result<Protected<QueryLog>> {
        let protected = self.published(groups, k, progress)?;
        if self.method.params.min_persons > 1 && protected.records.rows() == 0 {
            return Err(nothing_is_left(self.method.params.min_persons));
        }
        Ok(protected)
    }

    /// Records of groups, of which nothing may be published perhaps.
    fn published(&self, groups: Groups, k: usize, progress: &dyn Progress) -> Result<Protected<QueryLog>> {
        let groups = groups.with_all(&self.standing, &self.accounts);
        let (publishable, _) = self.publishable();
        // Chosen lines get their hour later.
        let resolution = match self.method.params.representative {
            Representative::Quota => self.method.resolution(),
            Representative::Chosen => 1000,
        };
        let aggregation = Aggregation::new(publishable, resolution);
        let forced = AtomicU64::new(0);
        let (records, lines_above_cap) = match self.method.params.representative {
            Representative::Quota => (aggregation.log_of(&groups.members, progress), None),
            Representative::Chosen => {
                let record = |members: &[u32]| self.record(&aggregation, members, k, &forced);
                let records = aggregation.log_by(&groups.members, progress, record);
                (records, Some(forced.into_inner()))
            }
        };
        let claims = claims(&k_anonymity::USER, k, self.method.params.k_column.as_deref());
        let record_of = groups.record_of(self.log.persons());
        let mut protected = Protected::new(records, record_of, claims).grouped(groups.grouped);
        if let Some(lines) = lines_above_cap {
            protected = protected.counted(accounts::LINES_ABOVE_CAP, lines);
        }
        Ok(self.method.params.threshold().with_claim_of_part(protected, self.log, publishable))
    }

    /// The record of a group: strings that may be published, and the values of each line. Adds to `above_cap` how many lines had
    /// to expose a member too much.
    fn record<'b>(
        &self,
        aggregation: &'b Aggregation<'b>,
        members: &[u32],
        k: usize,
        above_cap: &AtomicU64,
    ) -> Vec<(u32, Values<'b>)> {
        let (publishable, content) = self.publishable();
        if members.iter().all(|&member| publishable.range(member as usize).is_empty()) {
            return Vec::new();
        }
        let each = |of: &dyn Fn(usize) -> Mix| members.iter().map(|&member| of(member as usize)).collect::<Vec<Mix>>();
        let lines =
            |log: &QueryLog| members.iter().map(|&member| log.range(member as usize).len()).sum::<usize>() as u64;
        let mean = |lines: u64| rounded_mean(lines, members.len()).max(1) as usize;
        let length = match self.cut {
            Some(_) => mean(lines(self.log)).min(REPEATED * mean(lines(publishable))),
            None => mean(lines(self.log)),
        };
        let words = |string: u32| content.words.of_string(string);
        let concepts = |string: u32| content.concepts(string);
        let voices = Voices {
            publishable: each(&|member| mix_of(publishable.query_ids(publishable.range(member)).to_vec())),
            issued: each(&|member| self.strings_of(member)),
            contents: vec![
                chosen::Content {
                    members: each(&|member| self.words_of(member)),
                    of_string: &words,
                    weight: if self.cut.is_some() { WORDS_CHOSEN_OF_CUT } else { WORDS_CHOSEN },
                },
                chosen::Content {
                    members: each(&|member| self.concepts_of(member)),
                    of_string: &concepts,
                    weight: 1.0,
                },
            ],
            strings: STRINGS_CHOSEN,
        };
        let (different, apart) = self.method.varied(&voices.issued, length, k);
        let wanted = Wanted { lines: length, longest: LONGEST * length, different, apart, cap: 1.0 / k as f64 };
        let Chosen { lines: chosen, forced } = choose(&voices, wanted);
        above_cap.fetch_add(forced as u64, Ordering::Relaxed);
        let values = aggregation.values_by(members, |string, keys| {
            if chosen.binary_search_by_key(&string, |line| line.0).is_ok() {
                keys.push(string);
            }
        });
        let length = chosen.iter().map(|line| line.1 as usize).sum();
        let mut hours = Hours::choose(publishable, members, length);
        let resolution = self.method.resolution();
        let time_of = |time: i64, hour: u32| self.period.nearest(time, hour).div_euclid(resolution) * resolution;
        let mut record = Vec::with_capacity(length);
        for ((string, copies), (_, value)) in chosen.into_iter().zip(values) {
            let lines =
                (0..copies).map(|_| (string, Values { time: time_of(value.time, hours.take(string)), ..value }));
            record.extend(lines);
        }
        record
    }
}

impl InBlocks for Kindred {
    fn min_persons(&self) -> usize {
        self.params.min_persons
    }

    fn dimensions(&self) -> usize {
        DIMENSIONS
    }

    fn limits(&self, persons: usize) -> Option<Limits> {
        self.params.plan().limits::<AtK<'_>>(persons, self.params.k)
    }

    fn sketches(&self, log: &QueryLog, scales: &Scales) -> Result<Vec<(Coordinates, u64)>> {
        let clusters = Arc::new(Clusters::apart(log.persons()));
        let searchers = Searchers::with(self, log, &clusters, Vec::new(), None, scales)?;
        let at_k = AtK { searchers: &searchers, k: self.params.k };
        let sketch = |person: usize| {
            let mut coordinates = Vec::new();
            at_k.sketch(person, &mut coordinates);
            (coordinates, at_k.work(person))
        };
        Ok((0..log.persons()).map(sketch).collect())
    }

    fn protect_block(
        &self,
        block: &QueryLog,
        cut: Option<CutLog>,
        scales: &Scales,
        progress: &dyn Progress,
    ) -> Result<Protected<QueryLog>> {
        let clusters = Arc::new(Clusters::apart(block.persons()));
        let searchers = Searchers::with(self, block, &clusters, Vec::new(), cut, scales)?;
        let (plan, at_k) = (self.params.plan(), AtK { searchers: &searchers, k: self.params.k });
        let plan = plan.inside_of::<AtK<'_>>(scales.persons() as usize, self.params.k);
        let groups = plan.groups(&at_k.standing(), searchers.least(self.params.k), progress)?;
        searchers.published(groups, self.params.k, progress)
    }
}

/// The persons of a log as they are compared for groups of k.
#[derive(Clone, Copy)]
struct AtK<'a> {
    searchers: &'a Searchers<'a>,
    k: usize,
}

impl AtK<'_> {
    /// One account for each cluster: whoever has several is one of the k, and all of their accounts go where the first goes.
    fn standing(&self) -> Standing<'_, Self> {
        Standing { records: self, numbers: &self.searchers.standing }
    }

    /// What words, concepts and activity weigh.
    fn weights(&self) -> [f64; 3] {
        let params = &self.searchers.method.params;
        // The weight that was asked for is that of k = 5.
        let of_k = (5.0 / self.k as f64).powf(1.5);
        [params.weight_words, params.weight_concepts, params.weight_activity * of_k]
    }
}

impl Sketches for AtK<'_> {
    fn len(&self) -> usize {
        self.searchers.log.persons()
    }

    fn dimensions(&self) -> usize {
        DIMENSIONS
    }

    /// The square roots of the shares: two persons are near where their mixes are alike.
    fn sketch(&self, record: usize, into: &mut Vec<(u32, f32)>) {
        let [of_words, of_concepts, of_activity] = self.weights();
        let searchers = self.searchers;
        add_roots(&searchers.words_of(record), of_words, |word| searchers.word_at[word as usize], into);
        // Nodes of a taxonomy have the same numbers everywhere.
        let of_concept = |concept: u32| (SKETCHED + concept.wrapping_mul(0x9E37_79B1) as usize % SKETCHED) as u32;
        add_roots(&searchers.concepts_of(record), of_concepts, of_concept, into);
        let activity = of_activity.sqrt() * searchers.activity[record];
        into.push((DIMENSIONS as u32 - 1, activity as f32));
    }

    fn work(&self, record: usize) -> u64 {
        self.searchers.log.range(record).len() as u64
    }
}

/// So many coordinates stand for all words, and for all concepts.
const SKETCHED: usize = 4_096;
/// So many coordinates a sketch has: words, concepts, activity.
const DIMENSIONS: usize = 2 * SKETCHED + 1;

/// The coordinate that stands for a word: by its bytes, so that it is the same in every log that has the word.
fn coordinate_of(word: &str) -> u32 {
    let hash = SipHasher13::new().hash(word.as_bytes()).as_u128();
    (hash % SKETCHED as u128) as u32
}

/// Adds the square roots of the shares of a mix, each at the coordinate of its thing; things that meet in one are added up.
fn add_roots(mix: &[(u32, u64)], weight: f64, coordinate_of: impl Fn(u32) -> u32, into: &mut Vec<(u32, f32)>) {
    let all: u64 = mix.iter().map(|&(_, count)| count).sum();
    if weight == 0.0 {
        return;
    }
    let start = into.len();
    into.extend(
        mix.iter().map(|&(thing, count)| (coordinate_of(thing), (weight * count as f64 / all as f64).sqrt() as f32)),
    );
    into[start..].sort_unstable_by_key(|coordinate| coordinate.0);
    let mut kept = start;
    for at in start..into.len() {
        if kept > start && into[kept - 1].0 == into[at].0 {
            into[kept - 1].1 += into[at].1;
        } else {
            into[kept] = into[at];
            kept += 1;
        }
    }
    into.truncate(kept);
}

/// The mixes of the persons of a block.
struct Mixes {
    words: Shares,
    concepts: Shares,
    activity: Vec<f64>,
    weights: [f64; 3],
}

impl Pairwise for Mixes {
    /// Divergences of one kind, while they are added up.
    type Scratch = Vec<f64>;

    fn len(&self) -> usize {
        self.activity.len()
    }

    fn scratch(&self) -> Vec<f64> {
        vec![0.0; self.len()]
    }

    fn distance(&self, left: usize, right: usize, scratch: &mut Vec<f64>) -> f64 {
        let (left, right) = (left.min(right), left.max(right));
        let mut all = vec![0.0; right - left];
        self.distances_after(left, &mut all, scratch);
        all.last().copied().unwrap_or(0.0)
    }

    fn distances_after(&self, left: usize, into: &mut [f64], scratch: &mut Vec<f64>) {
        let [words, concepts, activity] = self.weights;
        for (sum, other) in into.iter_mut().zip(left + 1..) {
            let apart = self.activity[left] - self.activity[other];
            *sum = activity * apart * apart;
        }
        for (weight, shares) in [(words, &self.words), (concepts, &self.concepts)] {
            if weight > 0.0 {
                let divergences = &mut scratch[..into.len()];
                shares.divergences_after(left, divergences);
                into.iter_mut().zip(divergences).for_each(|(sum, divergence)| *sum += weight * *divergence);
            }
        }
        into.iter_mut().for_each(|sum| *sum = sum.sqrt());
    }
}

impl Comparable for AtK<'_> {
    type Compared = DistanceMatrix;

    const WHOLE: usize = 2_000;
    const BLOCK: usize = 256;
    const WORK: u64 = u64::MAX;
    const IS_REFINED: bool = true;

    fn compare(&self, block: &[u32], progress: &dyn Progress) -> Result<DistanceMatrix> {
        let searchers = self.searchers;
        let persons = || block.iter().map(|&person| person as usize);
        let mixes = Mixes {
            words: Shares::of(persons().map(|person| searchers.words_of(person))),
            concepts: Shares::of(persons().map(|person| searchers.concepts_of(person))),
            activity: block.iter().map(|&person| searchers.activity[person as usize]).collect(),
            weights: self.weights(),
        };
        let is_whole = block.len() == searchers.standing.len();
        Ok(if is_whole { DistanceMatrix::compute(&mixes, progress) } else { DistanceMatrix::compute_here(&mixes) })
    }

    fn group(&self, distances: &DistanceMatrix, how: How<'_>, progress: &dyn Progress) -> Partition {
        microaggregated(distances, how, progress)
    }

    fn centre(&self, distances: &DistanceMatrix, members: &[u32]) -> u32 {
        medoid(distances, members)
    }
}

impl Prepared<QueryLog> for Searchers<'_> {
    fn protect(&self, k: usize, _rng: &mut Rng, progress: &dyn Progress) -> Result<Protected<QueryLog>> {
        let least = self.least(k);
        self.method.check(&self.clusters, least)?;
        let (plan, at_k) = (self.method.params.plan(), AtK { searchers: self, k });
        let distances = plan.whole(&at_k.standing(), progress)?;
        let groups = plan.groups_of_whole(&at_k.standing(), &distances, least, progress)?;
        self.protected(groups, k, progress)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_varied_a_record_is() {
        let varied = |variety: f64, min_persons: usize, lines: usize, k: usize| {
            let method = Kindred::new(Params { variety, min_persons, ..Params::default() }).unwrap();
            // Four different ones a person.
            let single = |strings: std::ops::Range<u32>| strings.map(|string| (string, 1)).collect::<Mix>();
            method.varied(&[single(0..2), single(2..4), single(4..12)], lines, k)
        };
        assert_eq!(varied(1.5, 1, SHORT, 5).0, 6);
        assert_eq!(varied(DEFAULT_VARIETY, 1, SHORT, 5), (5, APART));
        // A short one is held to its members more, one that is cut less, one for more persons less.
        assert_eq!(varied(DEFAULT_VARIETY, 1, SHORT - 1, 5).1, 3.0 * APART);
        assert_eq!(varied(DEFAULT_VARIETY, 3, SHORT, 10).1, APART / 4.0);
        // Whoever wants it less varied holds it to them more.
        assert_eq!(varied(DEFAULT_VARIETY / 2.0, 1, SHORT, 5).1, 4.0 * APART);
    }
}
