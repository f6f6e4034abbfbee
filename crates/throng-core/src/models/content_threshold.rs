//! Content threshold: what a line of the release says, at least so many persons of the original said.
//!
//! Paper      Ours; the idea of a threshold on what is published of a query log is Adar's (User 4XXXXX9, 2007).
//! Promises   whoever reads a query of the release reads words that at least m persons of the original wrote together.
//! Does not   hide who is who, nor keep a name out that m persons looked for. It cannot be checked without the original.
//!
//! # Idea
//! For every different query of the release: how many persons of the original have a query that holds all its words, whatever
//! their case, order and marks between them; and is one of them a content word? For every different URL: a bare host is the
//! right-most part of hosts that how many persons clicked; any other URL was clicked by how many, to the letter? The smallest
//! number is the m that the release achieves.
//!
//! # Cost
//! That of `models/sharing.rs`: one pass over the queries of the original.

use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use super::sharing::{persons_clicking, persons_saying};
use super::{ModelWithOriginal, Verdict, Witness};
use crate::data::queries::MISSING;
use crate::data::{QueryLog, Strings};
use crate::error::{Error, Result};
use crate::info::{Info, Parameter, ParameterKind};
use crate::text::has_content_word;

/// The card of the model.
pub const INFO: Info = Info {
    name: "content-threshold",
    summary: "the words of every released query lie together inside the queries of at least m persons of the original",
    paper: "Ours, after the threshold on published queries of Adar. User 4XXXXX9: anonymizing query logs. Query Log Analysis \
            Workshop, WWW 2007",
    details: "Every different query of the release has a content word (no stop word), and at least m persons of the original have a \
        query that holds all its words: whatever their case, their order, and what stands between them. Every different URL is a \
        host, or the right-most part of hosts, that at least m persons clicked; one with a path was clicked as it is by as many. The \
        number achieved is the smallest.\n\
        It needs the original: `throng check RELEASE --model content-threshold --original FILE`. Who checks a release without it \
        is told that this claim was not checked.\n\
        Promises: no line says anything that fewer than m persons said. A name, a number or an address that one person searched \
        for is not in it.\n\
        Does not promise: that a person is one of k (user-k-anonymity says that), that m persons did not all write the same name, \
        or that the words of one line were meant alike by all of them. Nor anything about times and ranks.",
    parameters: &[Parameter { default: "3", ..MIN_PERSONS }],
};

/// The parameter that everything about the content of queries shares; it says nothing by default.
pub const MIN_PERSONS: Parameter = Parameter {
    name: "min-persons",
    summary: "so many persons must have said what a published line says, at least; 1 for no threshold",
    kind: ParameterKind::Count,
    default: "1",
};

/// What the model can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// So many persons said it, at least.
    pub min_persons: usize,
}

impl Default for Params {
    fn default() -> Self {
        Self { min_persons: 3 }
    }
}

/// The model with checked parameters.
#[derive(Debug, Clone, Copy)]
pub struct ContentThreshold {
    min_persons: usize,
}

impl ContentThreshold {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        if params.min_persons < 2 {
            return Err(Error::parameter("min-persons", format!("is {}, but must be at least 2", params.min_persons))
                .with_hint("whatever a log says, one person said it: there is nothing to check"));
        }
        Ok(Self { min_persons: params.min_persons })
    }
}

impl ModelWithOriginal<QueryLog> for ContentThreshold {
    fn check(&self, original: &QueryLog, release: &QueryLog) -> Verdict {
        let queries: Vec<u32> = persons_saying(original, release.queries())
            .into_iter()
            .zip(release.queries().iter())
            .map(|(persons, text)| if has_content_word(text) { persons } else { 0 })
            .collect();
        let urls = persons_clicking(original, release.urls());
        // The first line, person by person, of those that fewest persons said.
        let mut rarest: Option<(u32, Witness)> = None;
        for person in 0..release.persons() {
            for line in release.lines(person) {
                let query = (queries[line.query as usize], "query", line.query);
                let url = line.url.map_or((MISSING, "url", 0), |url| (urls[url as usize], "url", url));
                let (persons, column, value) = if url.0 < query.0 { url } else { query };
                if rarest.as_ref().is_none_or(|(fewest, _)| persons < *fewest) {
                    let numbers = Map::from_iter([("column".into(), json!(column))]);
                    let witness =
                        Witness { person: person as u32, group_size: persons as usize, items: vec![value], numbers };
                    rarest = Some((persons, witness));
                }
            }
        }
        let achieved = rarest.as_ref().map_or(0, |&(fewest, _)| fewest as usize);
        let holds = achieved >= self.min_persons;
        Verdict {
            holds,
            achieved: Map::from_iter([("min-persons".into(), json!(achieved))]),
            witness: rarest.filter(|_| !holds).map(|(_, witness)| witness),
        }
    }

    fn value<'a>(&self, release: &'a QueryLog, witness: &Witness) -> Option<&'a str> {
        let table: &Strings = if witness.numbers["column"] == "url" { release.urls() } else { release.queries() };
        witness.items.first().map(|&value| table.get(value))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::aggregate::content::cut;
    use crate::data::QueryLogBuilder;
    use crate::progress::Silent;
    use crate::text::lower_words;

    fn log(rows: &[(&str, &str, Option<&str>)]) -> QueryLog {
        let mut builder = QueryLogBuilder::new();
        for &(person, query, url) in rows {
            builder.push(person, query, 0, None, url);
        }
        builder.finish()
    }

    fn check(min_persons: usize, original: &QueryLog, release: &QueryLog) -> Verdict {
        ContentThreshold::new(Params { min_persons }).unwrap().check(original, release)
    }

    fn original() -> QueryLog {
        log(&[
            ("ann", "Red car, in Springfield", Some("http://www.cars.com/ann")),
            ("ann", "car red", None),
            ("bob", "red  CAR ", Some("http://m.cars.com")),
            ("cid", "buy a car: red!", Some("cars.com")),
            ("cid", "the and", None),
            ("bob", "the and", None),
        ])
    }

    #[test]
    fn by_hand() {
        let released = |query: &str, url: Option<&str>| {
            let verdict = check(3, &original(), &log(&[("x", query, url)]));
            (verdict.holds, verdict.achieved["min-persons"].as_u64().unwrap())
        };
        assert_eq!(released("car RED", None), (true, 3));
        assert_eq!(released("car", Some("cars.com")), (true, 3));
        assert_eq!(released("car", Some("com")), (true, 3));
        assert_eq!(released("car", Some("www.cars.com")), (false, 1));
        assert_eq!(released("car", Some("rs.com")), (false, 0));
        // More than a host: to the letter.
        assert_eq!(released("car", Some("http://m.cars.com")), (false, 1));
        assert_eq!(released("car", Some("")), (false, 0));
        assert_eq!(released("red springfield", None), (false, 1));
        assert_eq!(released("red buy springfield", None), (false, 0));
        assert_eq!(released("red lorry", None), (false, 0));
        // Two persons said it, but it says nothing.
        assert_eq!(released("the and", None), (false, 0));
        assert_eq!(released("", None), (false, 0));
        assert!(!check(2, &original(), &log(&[])).holds);
    }

    #[test]
    fn the_first_of_the_rarest_is_the_witness() {
        let release = log(&[
            ("x", "red car", Some("cars.com")),
            ("x", "springfield", None),
            ("y", "car", Some("www.cars.com")),
            ("y", "buy", None),
        ]);
        let model = ContentThreshold::new(Params::default()).unwrap();
        let witness = model.check(&original(), &release).witness.unwrap();
        assert_eq!((witness.person, witness.group_size), (0, 1));
        assert_eq!(model.value(&release, &witness), Some("springfield"));
        let release = log(&[("x", "red car", Some("cars.com")), ("y", "car", Some("www.cars.com"))]);
        let witness = model.check(&original(), &release).witness.unwrap();
        assert_eq!((witness.person, witness.numbers["column"].as_str()), (1, Some("url")));
        assert_eq!(model.value(&release, &witness), Some("www.cars.com"));
        let error = ContentThreshold::new(Params { min_persons: 1 }).unwrap_err();
        assert_eq!(error.to_string(), "`min-persons` is 1, but must be at least 2");
    }

    proptest! {
        #[test]
        fn holds_for_what_was_cut_and_for_nothing_rarer(
            rows in prop::collection::vec((0..6usize, "[abcdtheA]{1,2}([ -]{1,2}[abcdtheB]{1,3}){0,4}", 0..5usize), 1..30),
            least in 2..5usize,
        ) {
            let names = ["ann", "bob", "cid", "dan", "eve", "fay"];
            let urls = [None, Some("http://a.b.com/x"), Some("c.b.com"), Some("b.com"), Some("http://a.org")];
            let rows: Vec<_> = rows.iter().map(|(person, query, url)| (names[*person], query.as_str(), urls[*url])).collect();
            let original = log(&rows);
            let release = cut(&original, least, &Silent).log;
            if release.rows() > 0 {
                let verdict = check(least, &original, &release);
                prop_assert!(verdict.holds, "{:?}", verdict);
                // As it is defined.
                let words = |text: &str| lower_words(text).collect::<Vec<_>>();
                let persons = |query: &str| {
                    let phrase = words(query);
                    let holds = |own: String| phrase.iter().all(|word| words(&own).contains(word));
                    let has = |person: &usize| {
                        original.lines(*person).any(|line| holds(original.queries().get(line.query).to_owned()))
                    };
                    (0..original.persons()).filter(has).count() as u32
                };
                let expected: Vec<u32> = original.queries().iter().map(persons).collect();
                prop_assert_eq!(persons_saying(&original, original.queries()), expected);
            }
            // A line that nobody else has, planted at the end, is found.
            let mut planted: Vec<_> = rows.clone();
            planted.push(("gil", "zyx 1234", None));
            let mut released = QueryLogBuilder::new();
            for line in release.lines(0).chain((1..release.persons()).flat_map(|person| release.lines(person))) {
                released.push("x", release.queries().get(line.query), 0, None, None);
            }
            released.push("y", "1234 zyx", 0, None, None);
            let released = released.finish();
            let model = ContentThreshold::new(Params { min_persons: least }).unwrap();
            let verdict = model.check(&log(&planted), &released);
            prop_assert!(!verdict.holds);
            prop_assert_eq!(model.value(&released, verdict.witness.as_ref().unwrap()), Some("1234 zyx"));
        }
    }
}
