//! Split personality: a person's queries by topic, each topic under a pseudonym of its own. An old way, and why it fails.
//!
//! Paper      Adar. User 4XXXXX9: anonymizing query logs. Query Log Analysis Workshop, WWW 2007; section 2.2 of the thesis.
//! Claims     nothing.
//! Does not   hide what a query says, nor when it was typed. Whoever knows some lines of a person finds the personality that they are in;
//!            and personalities of one person share words, sites and hours, by which they are linked again (`profile-linkage`).
//!
//! # Idea
//! 1. The topic of a query is the concept of its last noun phrase that the taxonomy knows, or that concept's ancestor at level 3 (the root
//!    is at 1). 2. Queries without one are a topic of their own. 3. Each topic of a person is published under its own pseudonym.
//!
//! # Cost
//! What queries mean, once; then one pass over the lines.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::lines::in_parts;
use crate::concepts::Texts as _;
use crate::concepts::mixes::at_depth;
use crate::data::QueryLog;
use crate::error::{Error, Result};
use crate::info::Info;
use crate::methods::{Method, shown_parameters};
use crate::progress::Progress;
use crate::release::Protected;
use crate::rng::Rng;

/// The card of the method.
pub const INFO: Info = Info {
    name: "split-personality",
    summary: "an old way that promises nothing: a person's queries by topic, each topic under its own pseudonym",
    paper: "Adar. User 4XXXXX9: anonymizing query logs. Query Log Analysis Workshop, WWW 2007",
    details: "1. The topic of a query is the concept of its last noun phrase that the taxonomy knows, or that concept's ancestor at level 3 \
        (the root is at 1). Queries without one are a topic of their own.\n\
        2. Every topic of a person is published under a pseudonym of its own, its lines as they are. The key has several rows a person.\n\
        It promises nothing, and claims nothing. Who knows some searches of a person finds the personality that they are in, with \
        everything else about that topic. Personalities of one person share words, sites and hours, and are linked again by them.\n\
        It has no k.",
    parameters: &[],
};

/// A topic lies no deeper; the root is at 1.
const DEPTH: u32 = 3;

/// The method has nothing to be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {}

/// The method.
#[derive(Debug, Clone, Copy)]
pub struct SplitPersonality {
    params: Params,
}

impl SplitPersonality {
    /// The method; there is nothing to check.
    pub fn new(params: Params) -> Result<Self> {
        Ok(Self { params })
    }
}

impl Method<QueryLog> for SplitPersonality {
    fn protect(&self, original: &QueryLog, _rng: &mut Rng, _progress: &dyn Progress) -> Result<Protected<QueryLog>> {
        let meaning = original.meaning().ok_or_else(|| Error::internal("topics without what queries mean"))?;
        let topic =
            |query: u32| meaning.concepts(query).last().map(|&concept| at_depth(meaning.taxonomy(), concept, DEPTH));
        let topics: Vec<Option<u32>> = (0..original.queries().len() as u32).map(topic).collect();
        Ok(in_parts(original, |person| {
            let mut parts: BTreeMap<Option<u32>, Vec<usize>> = BTreeMap::new();
            for row in original.range(person) {
                parts.entry(topics[original.line(row).query as usize]).or_default().push(row);
            }
            parts.into_values().collect()
        }))
    }

    fn parameters(&self) -> Map<String, Value> {
        shown_parameters(&self.params)
    }

    fn promises(&self) -> bool {
        false
    }

    fn needs_meaning(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::lines::testing::{log, records};
    use super::*;
    use crate::concepts::{Mapper, Meaning};
    use crate::progress::Silent;
    use crate::taxonomy::Taxonomy;
    use crate::taxonomy::fit::Unknown;

    /// Four levels, so that leaves lie below the topics: food, fruit, berries, strawberry.
    fn taxonomy() -> Taxonomy {
        let edges = [
            ("fruit", "food"),
            ("meat", "food"),
            ("citrus", "fruit"),
            ("berry", "fruit"),
            ("orange", "citrus"),
            ("lemon", "citrus"),
            ("raspberry", "berry"),
            ("beef", "meat"),
        ];
        Taxonomy::from_edges(edges).unwrap()
    }

    fn protected(rows: &[(&str, &str, i64)]) -> Protected<QueryLog> {
        let log = log(rows);
        let mapper = Mapper::new(Arc::new(taxonomy()));
        let meaning = Meaning::of(&mapper, &[log.queries()], Unknown::Drop).unwrap().remove(0);
        let log = log.with_meaning(Arc::new(meaning));
        SplitPersonality::new(Params::default()).unwrap().protect(&log, &mut Rng::seeded(1), &Silent).unwrap()
    }

    #[test]
    fn by_the_last_topic_of_a_query() {
        let found = protected(&[
            ("ann", "orange", 1),
            ("bob", "beef", 2),
            ("ann", "zzz", 3),
            ("ann", "lemon", 4),
            ("ann", "orange with raspberry", 5),
            ("ann", "beef", 6),
            ("ann", "fruit", 7),
        ]);
        let mut all: Vec<(u32, Vec<i64>)> = records(&found)
            .into_iter()
            .map(|(person, lines)| (person, lines.into_iter().map(|line| line.1).collect()))
            .collect();
        all.sort();
        // Unknown; citrus; berries; beef, which is at level 3 itself; fruit, which is above it.
        let expected = [(0, vec![1, 4]), (0, vec![3]), (0, vec![5]), (0, vec![6]), (0, vec![7]), (1, vec![2])];
        assert_eq!(all, expected);
        assert!(found.claims.is_empty());
        assert_eq!(found.given().len(), 6);
        // Lines are as they were.
        assert!((0..6).all(|record| found.records.lines(record).all(|line| line.url.is_some() && line.rank.is_some())));
    }

    #[test]
    fn without_meaning_it_cannot_be_done() {
        let error = SplitPersonality::new(Params::default())
            .unwrap()
            .protect(&log(&[("ann", "orange", 1)]), &mut Rng::seeded(1), &Silent)
            .unwrap_err();
        assert!(error.is_internal());
    }
}
