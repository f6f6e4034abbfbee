//! Content threshold of ratings: every item of the release was rated by at least so many persons of the original.
//!
//! Paper      Ours; the idea of a threshold on what is published is Adar's (User 4XXXXX9, 2007).
//! Promises   whoever reads an item reads what at least m persons of the original rated.
//! Does not   hide who is who, nor what they gave it; and says nothing of values and times. It cannot be checked without the original.
//!
//! # Idea
//! Persons of the original are counted for each item of the release, each of them once; the smallest count is what is achieved. An item that
//! the original does not have has nobody.
//!
//! # Cost
//! Time and memory linear in ratings.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use super::content_threshold::MIN_PERSONS;
use super::{ModelWithOriginal, Verdict, Witness};
use crate::data::Ratings;
use crate::error::{Error, Result};
use crate::info::{Info, Parameter};

/// The card of the model.
pub const INFO: Info = Info {
    name: "content-threshold",
    summary: "every released item was rated by at least m persons",
    paper: "Ours, after the threshold on published queries of Adar. User 4XXXXX9: anonymizing query logs. Query Log Analysis \
            Workshop, WWW 2007",
    details: "Every different item of the release is one that at least m persons of the original rated, whatever they gave it. The number \
        achieved is the smallest.\n\
        It needs the original: `throng check RELEASE --model content-threshold --original FILE`. Who checks a release without it is told that this \
        claim was not checked.\n\
        Promises: no item of the release is one that fewer than m persons rated; what a single person rated and nobody else is not in it.\n\
        Does not promise: that a person is one of k (user-k-anonymity says that), that m persons are m humans, or that m of a group rated an item. Nor \
        anything about what an item was given, and when.",
    parameters: &[Parameter { default: "3", ..MIN_PERSONS }],
};

/// What the model can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// So many persons rated it, at least.
    pub min_persons: usize,
}

impl Default for Params {
    fn default() -> Self {
        Self { min_persons: 3 }
    }
}

/// The model with checked parameters.
#[derive(Debug, Clone, Copy)]
pub struct ContentThresholdRatings {
    min_persons: usize,
}

impl ContentThresholdRatings {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        if params.min_persons < 2 {
            return Err(Error::parameter("min-persons", format!("is {}, but must be at least 2", params.min_persons))
                .with_hint("whatever was rated, one person rated it: there is nothing to check"));
        }
        Ok(Self { min_persons: params.min_persons })
    }
}

impl ModelWithOriginal<Ratings> for ContentThresholdRatings {
    fn check(&self, original: &Ratings, release: &Ratings) -> Result<Verdict> {
        let mut raters: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
        for person in 0..original.persons() as u32 {
            for (item, _) in original.of_person(person) {
                let who = raters.entry(original.item_ids().get(item)).or_default();
                if who.last() != Some(&person) {
                    who.push(person);
                }
            }
        }
        let counts: Vec<usize> = release.item_ids().iter().map(|item| raters.get(item).map_or(0, Vec::len)).collect();
        let mut rarest: Option<Witness> = None;
        for person in 0..release.persons() as u32 {
            for (item, _) in release.of_person(person) {
                let persons = counts[item as usize];
                if rarest.as_ref().is_none_or(|rarest| persons < rarest.group_size) {
                    let numbers =
                        Map::from_iter([("column".into(), json!("item")), ("persons".into(), json!(persons))]);
                    rarest = Some(Witness { person, group_size: persons, items: vec![item], numbers });
                }
            }
        }
        // A release without an item has none that few rated.
        let achieved = rarest.as_ref().map_or(original.persons(), |rarest| rarest.group_size);
        let holds = achieved >= self.min_persons;
        Ok(Verdict {
            holds,
            achieved: Map::from_iter([("min-persons".into(), json!(achieved))]),
            witness: rarest.filter(|_| !holds),
        })
    }

    fn value<'a>(&self, release: &'a Ratings, witness: &Witness) -> Option<&'a str> {
        witness.items.first().map(|&item| release.item_ids().get(item))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::ratings::of_rows;

    #[test]
    fn by_hand() {
        let original = of_rows(&[
            ("a", "x", 3.0),
            ("b", "x", 4.0),
            ("c", "x", 1.0),
            ("a", "own", 5.0),
            ("b", "two", 2.0),
            ("c", "two", 1.0),
        ]);
        let model = ContentThresholdRatings::new(Params { min_persons: 3 }).unwrap();
        let check = |rows: &[(&str, &str, f64)]| {
            let release = of_rows(rows);
            let verdict = model.check(&original, &release).unwrap();
            let value = verdict.witness.as_ref().and_then(|witness| model.value(&release, witness)).map(str::to_owned);
            (verdict.holds, verdict.achieved["min-persons"].as_u64().unwrap(), value)
        };
        assert_eq!(check(&[("1", "x", 2.5), ("2", "x", 2.5)]), (true, 3, None));
        assert_eq!(check(&[("1", "x", 2.5), ("2", "two", 2.5)]), (false, 2, Some("two".to_owned())));
        assert_eq!(check(&[("1", "own", 2.5), ("2", "two", 2.5)]), (false, 1, Some("own".to_owned())));
        assert_eq!(check(&[("1", "nowhere", 2.5), ("2", "x", 2.5)]), (false, 0, Some("nowhere".to_owned())));
        assert!(ContentThresholdRatings::new(Params { min_persons: 1 }).is_err());
    }
}
