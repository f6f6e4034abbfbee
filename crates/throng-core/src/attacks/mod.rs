//! Attacks: an adversary with stated knowledge plays against a release, and it is counted how often they are right.
//!
//! An attack is a *knowledge* drawn from the original by a seeded rule, a *procedure* that sees only that knowledge and the release,
//! and a *score* given by the link. [`scene`] holds by types who sees what; [`statistics`] counts, the same for all.

pub mod absence;
mod around;
mod candidates;
mod card;
pub mod co_occurrence;
pub mod degree;
pub mod edges;
pub mod frequency;
pub mod guessing;
pub mod homogeneity;
pub mod homogeneity_table;
pub mod injection;
pub mod intersection;
mod known;
pub mod known_items;
pub mod known_pages;
pub mod known_queries;
pub mod membership;
mod nearest;
pub mod neighbourhood;
mod page_index;
pub mod paths;
pub mod profile_linkage;
pub mod profile_match;
mod query_index;
pub mod record_linkage;
mod records;
pub mod refinement;
pub mod refinement_table;
pub mod scene;
pub mod scoreboard;
mod statements;
pub mod statistics;
mod structure;
mod tokens;

use serde_json::{Map, Value, json};

pub use candidates::{Candidates, Matched};
pub use card::AttackInfo;
pub use paths::PlacesKnown;
pub use scene::{Knowing, Looking, Released, Scene, Source, Truth};
pub use statistics::{Attempt, Outcome};
pub use tokens::Seed;
pub(crate) use tokens::is_hashed;

use crate::error::Result;
use crate::models::k_anonymity::{RECORD, TRANSACTION, USER};
use crate::models::{graph_k_anonymity, table_k_anonymity};
use crate::rng::Rng;

/// Plays the adversary against a release.
pub trait Attack<D>: Send + Sync {
    /// The card.
    fn info(&self) -> &'static AttackInfo;
    /// What the adversary achieves: one outcome for each setting that is asked and means something to it. Called only with a scene
    /// that has what the card says it needs.
    fn attack(&self, scene: &Scene<'_, D>, asked: &Asked) -> Result<Vec<Outcome>>;
}

/// What an attacker knows beside each fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct With {
    /// When it was.
    pub times: bool,
    /// Which page was clicked.
    pub clicks: bool,
    /// Which browser it was.
    pub browser: bool,
    /// When it was, to some weeks.
    pub dates: bool,
}

impl With {
    /// Its words, as `--with` and JSON spell them.
    pub fn words(self) -> Vec<&'static str> {
        [(self.times, "times"), (self.clicks, "clicks"), (self.browser, "browser"), (self.dates, "dates")]
            .into_iter()
            .filter_map(|(is, word)| is.then_some(word))
            .collect()
    }

    /// Whether nothing is known beside facts.
    pub fn is_nothing(self) -> bool {
        self == Self::default()
    }

    /// Whether an attack with this card heeds all of it.
    pub fn is_heeded_by(self, card: &AttackInfo) -> bool {
        self.words().iter().all(|word| card.with.contains(word))
    }

    /// What one or the other has.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            times: self.times || other.times,
            clicks: self.clicks || other.clicks,
            browser: self.browser || other.browser,
            dates: self.dates || other.dates,
        }
    }
}

/// How much an attacker knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setting {
    /// How many facts of the target.
    pub p: usize,
    /// What beside each.
    pub with: With,
}

impl Setting {
    /// So many facts and nothing beside them.
    pub const fn plain(p: usize) -> Self {
        Self { p, with: With { times: false, clicks: false, browser: false, dates: false } }
    }

    /// So many facts with their times.
    pub const fn timed(p: usize) -> Self {
        Self { p, with: With { times: true, clicks: false, browser: false, dates: false } }
    }

    /// So many facts with their browsers.
    pub const fn with_browser(p: usize) -> Self {
        Self { p, with: With { times: false, clicks: false, browser: true, dates: false } }
    }
}

/// How many persons somebody who makes up persons in a graph makes friends with, unless it is said.
pub const INJECTED: usize = 10;
/// How many hashed words are attacked unless it is said.
pub const TOP: usize = 300;

/// The least k of claims of k-anonymity, by whichever name; `None` if there is none.
pub fn least_k(promises: &[Promise]) -> Option<f64> {
    let names = [USER.name, TRANSACTION.name, RECORD.name, table_k_anonymity::INFO.name, graph_k_anonymity::INFO.name];
    let is_one = |promise: &&Promise| names.contains(&promise.model.as_str());
    let ks = promises.iter().filter(is_one).filter_map(|promise| promise.parameters.get("k")?.as_f64());
    ks.filter(|&k| k >= 1.0).reduce(f64::min)
}

/// What is asked of attacks. The same for all; an attack heeds what it knows.
#[derive(Debug, Clone)]
pub struct Asked {
    /// How much the attacker knows, one outcome each.
    pub settings: Vec<Setting>,
    /// How many persons are attacked, at most.
    pub targets: usize,
    /// How often knowledge is drawn of each.
    pub draws: usize,
    /// The seed of targets and draws.
    pub seed: u64,
    /// What is known, where nothing is drawn.
    pub given: Option<Given>,
    /// What the release claims.
    pub promises: Vec<Promise>,
    /// The k that another release of the same persons claims.
    pub other_k: Option<f64>,
    /// Texts of which alone an attacker believes what a record says; all if there are none. Sensitive items are in the data.
    pub sensitive: Vec<String>,
    /// How many hashed words are attacked, the most frequent ones.
    pub top: usize,
    /// Hashed words that are known already.
    pub seeds: Vec<Seed>,
    /// How finely somebody is known to have been somewhere.
    pub places: PlacesKnown,
    /// By how much known ratings are off, at most.
    pub noise: f64,
    /// Graphs: whether the graph that somebody's neighbours form is known, instead of how many neighbours each has.
    pub radius_one: bool,
    /// Graphs: how many persons an attacker makes friends with, through persons whom they make up.
    pub injected: usize,
}

/// By how much known ratings are off, at most, unless it is said.
pub const RATING_NOISE: f64 = 1.0;

impl Asked {
    /// What `protect` and `compare` ask for: in every report.
    pub fn for_reports(promises: Vec<Promise>) -> Self {
        Self {
            settings: vec![
                Setting::plain(1),
                Setting::plain(2),
                Setting::plain(3),
                Setting::plain(5),
                Setting::timed(2),
                Setting::with_browser(2),
            ],
            targets: 1000,
            draws: 5,
            seed: 0,
            given: None,
            promises,
            other_k: None,
            sensitive: Vec::new(),
            top: TOP,
            seeds: Vec::new(),
            places: PlacesKnown::default(),
            noise: RATING_NOISE,
            radius_one: false,
            injected: INJECTED,
        }
    }

    /// The k that the release claims, by whichever name.
    pub fn least_k(&self) -> Option<f64> {
        least_k(&self.promises)
    }

    /// The persons who are attacked, of so many: all, or as many as asked, drawn by the seed.
    pub fn targets_of(&self, persons: usize) -> Vec<u32> {
        Rng::seeded(self.seed).sample(persons, self.targets)
    }

    /// The settings that an attack with this card heeds.
    pub fn heeded(&self, card: &AttackInfo) -> Vec<Setting> {
        self.settings.iter().copied().filter(|setting| setting.with.is_heeded_by(card)).collect()
    }

    /// The draws of a person in a setting: the same whatever else is asked.
    pub fn rng(&self, person: u32, setting: Setting) -> Rng {
        let With { times, clicks, browser, dates } = setting.with;
        let with = u64::from(times) | u64::from(clicks) << 1 | u64::from(dates) << 62 | u64::from(browser) << 63;
        let stream = u64::from(person) << 24 | (setting.p as u64 & 0x3f_ffff) << 2 | with;
        Rng::seeded_stream(self.seed, stream)
    }

    /// The parameter of a claimed model, of the first claim that has both.
    pub fn promised(&self, model: &str, parameter: &str) -> Option<f64> {
        let claims = self.promises.iter().filter(|promise| promise.model == model);
        claims.filter_map(|promise| promise.parameters.get(parameter)?.as_f64()).next()
    }

    /// The chance to pick somebody out of a crowd that a claimed k-anonymity promises: 1/k.
    pub fn one_in_k(&self, model: &str) -> Option<f64> {
        self.promised(model, "k").filter(|&k| k >= 1.0).map(|k| 1.0 / k)
    }
}

/// A claim of a release.
#[derive(Debug, Clone, PartialEq)]
pub struct Promise {
    /// The model.
    pub model: String,
    /// Its parameters.
    pub parameters: Map<String, Value>,
}

/// Knowledge that is given, not drawn.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Given {
    /// What is looked at beside each fact.
    pub with: With,
    /// Persons of the original and what is known of them; several for a person are several draws.
    pub draws: Vec<(u32, Vec<GivenFact>)>,
}

/// One thing that is known of a person.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GivenFact {
    /// The query, item or path, as written in the original.
    pub text: String,
    /// Milliseconds since 1970, as the original's times are read.
    pub time: Option<i64>,
    /// The clicked page.
    pub url: Option<String>,
    /// The browser.
    pub browser: Option<String>,
}

/// What an outcome says of the knowledge behind it.
fn knowledge(setting: Option<Setting>, with: With) -> Value {
    match setting {
        Some(setting) => json!({"p": setting.p, "with": with.words()}),
        None => json!({"given": true, "with": with.words()}),
    }
}

#[cfg(test)]
mod references;
#[cfg(test)]
mod tests;

#[cfg(test)]
pub(crate) mod testing {
    //! What tests of attacks ask for.

    use super::Asked;

    /// Everything as usual, and nothing is promised.
    pub(crate) fn asked() -> Asked {
        Asked::for_reports(Vec::new())
    }
}
