//! Query threshold: only queries that at least m persons typed are published, in plain text or as shares of a secret.
//!
//! Paper      Adar. User 4XXXXX9: anonymizing query logs. Query Log Analysis Workshop, WWW 2007; section 2.2 of the thesis.
//! Claims     content-threshold(m).
//! Does not   hide who is who: a person's lines stand together with their times, so that whoever knows some of them finds the rest.
//!            Two accounts of one person that have nothing else in common count as two.
//!
//! # Idea
//! 1. Queries are brought to normal form: two with the same words are the same text. 2. Lines of a text that fewer than m persons have
//!    leave; accounts that are alike count as one person. 3. Persons get pseudonyms; times and ranks stay; URLs are dropped.
//!
//! With `--shares` no line leaves: each shows a share of its text, sealed, and a text opens to whoever has the shares of m persons
//! (`shares/mod.rs`). What can be opened is what the threshold alone publishes.
//!
//! # Cost
//! That of the normal form; with shares O(m) multiplications a byte for each person and text.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::clusters_of;
use super::lines::{refuse_nothing_left, rewritten};
use crate::accounts;
use crate::aggregate::alike::Clusters;
use crate::aggregate::normal::normal_texts;
use crate::data::queries::MISSING;
use crate::data::{QueryLog, Strings};
use crate::error::{Error, Result};
use crate::info::{self, Info, Parameter};
use crate::methods::refusals::check_k;
use crate::methods::{Method, shown_parameters};
use crate::models::content_threshold::{self, ACCOUNTS, Accounts, MIN_PERSONS, SHARES};
use crate::progress::Progress;
use crate::release::{Claim, Protected};
use crate::rng::Rng;
use crate::shares::sealed::Mark;
use crate::shares::shamir::MOST_SHARES;
use crate::shares::shares_of;
use crate::text::has_content_word;

/// The card of the method.
pub const INFO: Info = Info {
    name: "query-threshold",
    summary: "an old way: only queries that at least m persons typed, all lines of a person together, no k-anonymity",
    paper: "Adar. User 4XXXXX9: anonymizing query logs. Query Log Analysis Workshop, WWW 2007",
    details: "1. Queries are brought to normal form: case, marks, repeats and order of words make no difference.\n\
        2. Lines of a query that fewer than m persons typed leave (`--min-persons`, or k). Accounts that are alike count as one person (`--accounts`).\n\
        3. Persons get pseudonyms. Times and ranks stay as they are; URLs are dropped.\n\
        With `--shares` no line leaves. Every different query is sealed under a key of its own (ChaCha20-Poly1305), the key is split into one \
        share for each person who typed it (Shamir's scheme over GF(2^8), threshold m), and a line shows `label:index:share`. \
        `throng shares open RELEASE --out FILE` puts together what can be: exactly the queries that m persons typed. Nobody can open \
        the others. m is 255 at the most.\n\
        Claims content-threshold(m), and no k-anonymity: a person's lines stand together, with their times, so that somebody who knows two \
        of them has found the person and reads the rest. With shares, equal labels also tell who typed the same rare query.",
    parameters: &[info::K, Parameter { default: "5", ..MIN_PERSONS }, ACCOUNTS, SHARES],
};

/// What the method can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// How many persons must have typed a query, if `min_persons` does not say it.
    pub k: usize,
    /// How many persons must have typed a query, at least.
    pub min_persons: Option<usize>,
    /// What becomes of accounts that are probably one person's.
    pub accounts: Accounts,
    /// Whether lines show shares of what they say.
    pub shares: bool,
}

impl Default for Params {
    fn default() -> Self {
        Self { k: 5, min_persons: None, accounts: Accounts::Once, shares: false }
    }
}

/// The method with checked parameters.
#[derive(Debug, Clone, Copy)]
pub struct QueryThreshold {
    params: Params,
}

impl QueryThreshold {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        let mut errors: Vec<Error> = check_k(params.k).into_iter().collect();
        if let Some(least @ 0..2) = params.min_persons {
            errors.push(
                Error::parameter("min-persons", format!("is {least}, but must be at least 2"))
                    .with_hint("whatever a log says, one person said it: this method publishes what several said"),
            );
        }
        let least = params.min_persons.unwrap_or(params.k);
        if params.shares && least > MOST_SHARES {
            errors.push(
                Error::parameter("shares", format!("can ask for {MOST_SHARES} persons at the most, not {least}"))
                    .with_hint("there are so many indices of shares: choose a smaller `--min-persons` or k"),
            );
        }
        if errors.is_empty() { Ok(Self { params }) } else { Err(Error::parameters(errors)) }
    }

    fn least(&self) -> usize {
        self.params.min_persons.unwrap_or(self.params.k)
    }

    /// The lines of texts that enough persons have.
    fn in_plain(&self, original: &QueryLog, said: &Said) -> Protected<QueryLog> {
        let is_published: Vec<bool> = said.persons.iter().map(|persons| persons.len() >= self.least()).collect();
        let published = |query: u32| said.text(query).filter(|&text| is_published[text as usize]);
        rewritten(original, said.texts.clone(), |_, query| published(query))
    }

    /// All lines, each with a share of its text.
    fn in_shares(&self, original: &QueryLog, said: &Said, rng: &mut Rng) -> Result<Protected<QueryLog>> {
        let mark = Mark::draw(rng);
        let mut shares = Strings::new();
        let mut first = Vec::with_capacity(said.texts.len());
        for (text, persons) in said.texts.iter().zip(&said.persons) {
            first.push(shares.len() as u32);
            for share in shares_of(text, persons.len(), self.least(), mark, rng)? {
                shares.push(&share);
            }
        }
        Ok(rewritten(original, shares, |person, query| {
            let text = said.text(query)? as usize;
            let turn = said.persons[text].binary_search(&said.clusters.first(person as u32)).ok()?;
            Some(first[text] + turn as u32)
        }))
    }
}

/// What the persons of a log typed.
struct Said {
    /// The different texts in normal form.
    texts: Strings,
    /// For each query its text, or [`MISSING`].
    text_of: Vec<u32>,
    /// Which accounts count as one.
    clusters: Arc<Clusters>,
    /// For each text the persons who have it, in rising order: of several accounts that are alike the first. Nobody has a text that
    /// says nothing.
    persons: Vec<Vec<u32>>,
}

impl Said {
    fn in_log(log: &QueryLog, clusters: Arc<Clusters>) -> Self {
        let (texts, text_of) = normal_texts(log, &clusters);
        let mut persons = vec![Vec::new(); texts.len()];
        for &(account, person) in clusters.in_order() {
            for &query in log.query_ids(log.range(account as usize)) {
                if let Some(own) = persons.get_mut(text_of[query as usize] as usize)
                    && own.last() != Some(&person)
                {
                    own.push(person);
                }
            }
        }
        for (own, text) in persons.iter_mut().zip(texts.iter()) {
            if !has_content_word(text) {
                own.clear();
            }
        }
        Self { texts, text_of, clusters, persons }
    }

    /// The text of a query, if it says something.
    fn text(&self, query: u32) -> Option<u32> {
        let text = self.text_of[query as usize];
        (text != MISSING && !self.persons[text as usize].is_empty()).then_some(text)
    }
}

impl Method<QueryLog> for QueryThreshold {
    fn protect(&self, original: &QueryLog, rng: &mut Rng, _progress: &dyn Progress) -> Result<Protected<QueryLog>> {
        let least = self.least();
        let said = Said::in_log(original, clusters_of(original, self.params.accounts)?);
        let why = format!("no query was typed by {least} persons");
        let hint = "choose a smaller `--min-persons` or k, or a log of more persons";
        let plain = refuse_nothing_left(self.in_plain(original, &said), &why, hint)?;
        let dropped = (original.rows() - plain.records.rows()) as u64;
        let mut protected = if self.params.shares { self.in_shares(original, &said, rng)? } else { plain };
        let mut parameters =
            BTreeMap::from([(MIN_PERSONS.name, json!(least)), (ACCOUNTS.name, json!(self.params.accounts))]);
        if self.params.shares {
            parameters.insert(SHARES.name, json!(true));
        }
        protected.claims.push(Claim {
            model: content_threshold::INFO.name,
            parameters: parameters.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
        });
        let account = if self.params.shares { accounts::ROWS_UNREADABLE } else { accounts::ROWS_DROPPED };
        Ok(protected.counted(account, dropped))
    }

    fn parameters(&self) -> Map<String, Value> {
        let mut shown = shown_parameters(&self.params);
        shown.insert(MIN_PERSONS.name.to_owned(), json!(self.least()));
        shown
    }

    fn cuts_content(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::lines::testing::{log, records};
    use super::*;
    use crate::models::ModelWithOriginal as _;
    use crate::models::content_threshold::ContentThreshold;
    use crate::progress::Silent;
    use crate::rng::Rng;
    use crate::shares;

    fn protected(log: &QueryLog, least: usize, shares: bool) -> Result<Protected<QueryLog>> {
        let method = QueryThreshold::new(Params { min_persons: Some(least), shares, ..Params::default() }).unwrap();
        method.protect(log, &mut Rng::seeded(3), &Silent)
    }

    fn by_hand() -> QueryLog {
        log(&[
            ("ann", "Red car!", 1),
            ("ann", "ann made-up", 2),
            ("bob", "car red", 3),
            ("cid", "red  CAR car", 4),
            ("cid", "used car", 5),
            ("dan", "used car", 6),
            ("dan", "the of", 7),
            ("ann", "the of", 8),
            ("bob", "the of", 9),
        ])
    }

    #[test]
    fn what_three_persons_typed() {
        let log = by_hand();
        let found = protected(&log, 3, false).unwrap();
        let red = |minute: i64| vec![("red car".to_owned(), minute)];
        assert_eq!(records(&found), [(0, red(1)), (1, red(3)), (2, red(4))]);
        let claimed = [("accounts".to_owned(), json!("once")), ("min-persons".to_owned(), json!(3))];
        assert_eq!(found.claims[0].parameters, Map::from_iter(claimed));
        assert_eq!(found.accounts.get(accounts::ROWS_DROPPED), Some(6));
        assert_eq!(records(&protected(&log, 2, false).unwrap()).len(), 4);
        let error = protected(&log, 4, false).unwrap_err();
        assert_eq!(error.to_string(), "nothing is left to publish: no query was typed by 4 persons");
        assert_eq!(protected(&log, 4, true).unwrap_err().to_string(), error.to_string());
    }

    /// Two accounts that share three strings which nobody else has are probably one person's.
    #[test]
    fn accounts_of_one_person() {
        let rare = ["red oak desk", "blue fern vase", "tin owl lamp"];
        let of = |name: &'static str| rare.map(|text| (name, text, 1));
        let mut rows: Vec<(&str, &str, i64)> = [of("ann"), of("ann too")].concat();
        let names = ["bob", "cid", "dan", "eve", "fay", "gus", "hal"];
        rows.extend(names.map(|name| (name, "used car", 2)));
        let log = log(&rows);
        let texts = |log: &QueryLog, accounts: Accounts, shares: bool| {
            let params = Params { min_persons: Some(2), accounts, shares, ..Params::default() };
            let found = QueryThreshold::new(params)?.protect(log, &mut Rng::seeded(3), &Silent)?;
            assert_eq!(found.claims[0].parameters["accounts"], json!(accounts));
            let model = content_threshold::Params { min_persons: 2, accounts, shares };
            assert!(ContentThreshold::new(model)?.check(log, &found.records)?.holds);
            Ok::<_, Error>(if shares {
                shares::open(found.records.queries()).unwrap().texts.len()
            } else {
                let lines = records(&found).into_iter().flat_map(|(_, lines)| lines);
                lines.map(|(text, _)| text).collect::<std::collections::BTreeSet<_>>().len()
            })
        };
        for shares in [false, true] {
            // Once: one person said it. Apart: two did.
            assert_eq!(texts(&log, Accounts::Once, shares).unwrap(), 1);
            assert_eq!(texts(&log, Accounts::Apart, shares).unwrap(), 4);
            // Merged: they are one person in everything, and must be before the method sees them.
            let merged = log.clone().merged(&Clusters::alike(&log));
            assert_eq!(texts(&merged, Accounts::Merge, shares).unwrap(), 1);
            assert!(texts(&log, Accounts::Merge, shares).unwrap_err().to_string().contains("were not"));
        }
    }

    /// What the shares of a release open: by person the texts and minutes.
    fn opened(found: &Protected<QueryLog>) -> Vec<(u32, Vec<(String, i64)>)> {
        let opened = shares::open(found.records.queries()).unwrap();
        let number = |text: &str| found.records.queries().iter().position(|other| other == text).unwrap();
        let text = |share: &str| Some(opened.texts.get(opened.text_of[number(share)]?).to_owned());
        let lines = |lines: Vec<(String, i64)>| -> Vec<(String, i64)> {
            lines.into_iter().filter_map(|(share, minute)| Some((text(&share)?, minute))).collect()
        };
        let all = records(found).into_iter().map(|(person, own)| (person, lines(own)));
        all.filter(|(_, own)| !own.is_empty()).collect()
    }

    #[test]
    fn shares_open_to_the_same() {
        let log = by_hand();
        for least in [2, 3] {
            let (plain, shared) = (protected(&log, least, false).unwrap(), protected(&log, least, true).unwrap());
            assert_eq!(opened(&shared), records(&plain), "{least}");
            // All lines are there, but for those that say nothing.
            assert_eq!(shared.records.rows(), 6);
            assert_eq!(shared.accounts.get(accounts::ROWS_UNREADABLE), plain.accounts.get(accounts::ROWS_DROPPED));
            assert_eq!(shared.claims[0].parameters["shares"], json!(true));
        }
        // A person who types a text twice has one share of it.
        let twice = self::log(&[("ann", "rose", 1), ("ann", "Rose?", 2), ("bob", "rose", 3)]);
        let shared = protected(&twice, 2, true).unwrap();
        let found = records(&shared);
        assert_eq!(found[0].1[0].0, found[0].1[1].0);
        assert_ne!(found[0].1[0].0, found[1].1[0].0);
        assert!(shares::open(&[found[0].1[0].0.as_str()].into_iter().collect()).unwrap().texts.is_empty());
    }

    #[test]
    fn refusals() {
        let wrong = |params: Params| QueryThreshold::new(params).unwrap_err().to_string();
        assert_eq!(wrong(Params { k: 1, ..Params::default() }), "`k` is 1, but must be at least 2");
        let error = wrong(Params { min_persons: Some(1), ..Params::default() });
        assert_eq!(error, "`min-persons` is 1, but must be at least 2");
        let error = wrong(Params { k: 256, shares: true, ..Params::default() });
        assert_eq!(error, "`shares` can ask for 255 persons at the most, not 256");
    }

    proptest! {
        #[test]
        fn exactly_what_enough_persons_typed(
            rows in prop::collection::vec((0..6usize, "[abcA]( [abB]!?){0,2}"), 1..40),
            least in 2..5usize,
        ) {
            let names = ["ann", "bob", "cid", "dan", "eve", "fay"];
            let rows: Vec<(&str, &str, i64)> = rows.iter().map(|(person, text)| (names[*person], text.as_str(), 0)).collect();
            let log = log(&rows);
            // As it is defined, accounts that are alike being one.
            let clusters = Clusters::alike(&log);
            let set = |text: &str| crate::text::normal::normal_words(text).into_iter().collect::<std::collections::BTreeSet<_>>();
            let has = |person: usize, words: &std::collections::BTreeSet<String>| {
                log.lines(person).any(|line| set(log.queries().get(line.query)) == *words)
            };
            let persons = |text: &str| {
                let words = set(text);
                let own = (0..log.persons()).filter(|&person| has(person, &words)).map(|person| clusters.first(person as u32));
                own.collect::<std::collections::BTreeSet<_>>().len()
            };
            let expected = rows.iter().filter(|row| has_content_word(row.1) && persons(row.1) >= least).count();
            let plain = match protected(&log, least, false) {
                Err(_) => {
                    prop_assert_eq!(expected, 0);
                    return Ok(());
                }
                Ok(plain) => plain,
            };
            prop_assert_eq!(plain.records.rows(), expected);
            let shared = protected(&log, least, true).unwrap();
            prop_assert_eq!(opened(&shared), records(&plain));
            // Both hold by the model, and with a greater threshold neither would.
            for (found, shares) in [(&plain, false), (&shared, true)] {
                let model = |min_persons: usize| {
                    let params = content_threshold::Params { min_persons, shares, ..Default::default() };
                    ContentThreshold::new(params).unwrap().check(&log, &found.records).unwrap()
                };
                prop_assert!(model(least).holds, "{:?}", model(least));
                prop_assert!(!model(7).holds);
            }
        }
    }
}
