//! Content threshold: what a line of the release says, at least so many persons of the original said.
//!
//! Paper      Ours; the idea of a threshold on what is published of a query log is Adar's (User 4XXXXX9, 2007).
//! Promises   whoever reads a query of the release reads words that at least m persons of the original wrote together.
//! Does not   hide who is who, nor keep a name out that m persons looked for. It cannot be checked without the original.
//!
//! # Idea
//! For every different query of the release: is it in normal form, and how many persons of the original have a query that holds all
//! its words; and is one of them a content word? Normal form is NFKC, lower case, the words (runs of letters, digits and combining
//! marks) each once, one blank between, in the order in which most persons have them, of several the first in the alphabet. Accounts
//! that are alike count as one person (`models/accounts.rs`), unless `accounts` says that they are apart. For every different URL: a bare host is the
//! right-most part of hosts that how many persons clicked; any other URL was clicked by how many, to the letter? The smallest
//! number is the m that the release achieves.
//!
//! # Cost
//! That of `models/sharing.rs`: one pass over the queries of the original; and that of finding alike accounts.

use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use super::sharing::{Persons, Saying, SayingPart, persons_clicking, said_by};
use super::{ModelWithOriginal, Verdict, Witness, accounts};
use crate::data::queries::MISSING;
use crate::data::{QueryLog, Strings};
use crate::error::{Error, Result};
use crate::info::{Info, Parameter, ParameterKind};
use crate::pieces::Piece;
use crate::shares;
use crate::text::has_content_word;

/// The card of the model.
pub const INFO: Info = Info {
    name: "content-threshold",
    summary: "every released query is in normal form, and its words lie together inside the queries of at least m persons",
    paper: "Ours, after the threshold on published queries of Adar. User 4XXXXX9: anonymizing query logs. Query Log Analysis \
            Workshop, WWW 2007",
    details: "Every different query of the release is in normal form: NFKC, lower case, its words (runs of letters, digits and \
        combining marks) each once, one blank between, in the order in which most persons of the original have them (ties: \
        alphabetical). So nobody's way of writing is in it. It has a content word (no stop word), and at least m persons of the \
        original have a query that holds all its words: whatever their case, their order, and what stands between them. Every different URL is a \
        host, or the right-most part of hosts, that at least m persons clicked; one with a path was clicked as it is by as many. The \
        number achieved is the smallest; 0 for a query that is not in normal form.\n\
        Accounts that share at least 3 strings which at most 10 accounts (and at most half of all) have, if these are at least a fifth of such strings of the \
        one with fewer, are alike, and count as one person (`accounts` is `once` or `merge`; `apart` counts each).\n\
        It needs the original: `throng check RELEASE --model content-threshold --original FILE`. Who checks a release without it \
        is told that this claim was not checked.\n\
        Promises: no line says anything that fewer than m persons said. A name, a number or an address that one person searched \
        for is not in it.\n\
        Does not promise: that somebody whose accounts have little in common counts once, that a person is one of k \
        (user-k-anonymity says that), that m persons did not all write the same name, \
        or that the words of one line were meant alike by all of them. Nor anything about times and ranks.\n\
        With `--shares` the queries of the release are shares: whatever all of them together open is judged, and what does not open \
        says nothing. A query that is no share fails.",
    parameters: &[Parameter { default: "3", ..MIN_PERSONS }, ACCOUNTS, SHARES],
};

/// Whether lines show shares of what they say.
pub const SHARES: Parameter = Parameter {
    name: "shares",
    summary: "lines show shares of a sealed text, `label:index:share`, which open to whoever has those of m persons",
    kind: ParameterKind::Switch,
    default: "false",
};

/// The parameter that everything about the content of queries shares; it says nothing by default.
pub const MIN_PERSONS: Parameter = Parameter {
    name: "min-persons",
    summary: "so many persons must have said what a published line says, at least; 1 for no threshold",
    kind: ParameterKind::Count,
    default: "1",
};

/// The parameter that says what becomes of accounts that are probably one person's.
pub const ACCOUNTS: Parameter = Parameter {
    name: "accounts",
    summary: "accounts that are probably one person's: counted once, merged into one, or apart",
    kind: ParameterKind::Choice(&["once", "merge", "apart"]),
    default: "once",
};

/// What becomes of accounts that are alike, and so probably one person's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Accounts {
    /// They count once.
    #[default]
    Once,
    /// They are one person for everything.
    Merge,
    /// They are persons like any others.
    Apart,
}

/// What the model can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// So many persons said it, at least.
    pub min_persons: usize,
    /// Whether lines show shares of what they say.
    pub shares: bool,
    /// Whether accounts that are alike count once.
    pub accounts: Accounts,
}

impl Default for Params {
    fn default() -> Self {
        Self { min_persons: 3, accounts: Accounts::Once, shares: false }
    }
}

/// The model with checked parameters.
#[derive(Debug, Clone, Copy)]
pub struct ContentThreshold {
    min_persons: usize,
    shares: bool,
    accounts: Accounts,
}

impl ContentThreshold {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        if params.min_persons < 2 {
            return Err(Error::parameter("min-persons", format!("is {}, but must be at least 2", params.min_persons))
                .with_hint("whatever a log says, one person said it: there is nothing to check"));
        }
        Ok(Self { min_persons: params.min_persons, accounts: params.accounts, shares: params.shares })
    }
}

/// How many persons of the original said each of some texts, and whether these are in normal form; nobody said what is not, or has no
/// content word.
fn persons_behind(original: &QueryLog, persons: &Persons, texts: &Strings) -> (Vec<u32>, Vec<bool>) {
    let Saying { persons, is_normal } = said_by(original, persons, texts);
    let said = persons.into_iter().zip(&is_normal).zip(texts.iter());
    let counted = |((persons, &is_normal), text): ((u32, &bool), &str)| {
        if is_normal && has_content_word(text) { persons } else { 0 }
    };
    (said.map(counted).collect(), is_normal)
}

/// How many persons said what each of some shares opens to; [`MISSING`] for one that says nothing, because too few are published, and 0
/// for what is no share of this release.
fn persons_behind_shares(original: &QueryLog, persons: &Persons, queries: &Strings) -> (Vec<u32>, Vec<bool>) {
    match shares::open(queries) {
        Ok(opened) => {
            let (said, normal) = persons_behind(original, persons, &opened.texts);
            let of =
                |text: Option<u32>| text.map_or((MISSING, true), |text| (said[text as usize], normal[text as usize]));
            opened.text_of.iter().map(|&text| of(text)).unzip()
        }
        Err(trouble) => {
            let mut said = vec![MISSING; queries.len()];
            said[trouble.text() as usize] = 0;
            (said, vec![true; queries.len()])
        }
    }
}

/// How many of some persons of an original say what a release says, every account a person: a part of the check of an original that no
/// machine has as a whole.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    queries: SayingPart,
    /// For each URL of the release how many persons clicked what it names.
    urls: Vec<u32>,
}

impl Said {
    /// What the persons of a part of the original say of the different queries and URLs of a release.
    pub fn of(original: &QueryLog, queries: &Strings, urls: &Strings) -> Self {
        let persons = accounts::apart(original);
        Self { queries: SayingPart::of(original, &persons, queries), urls: persons_clicking(original, &persons, urls) }
    }

    /// The fewest persons who say any of them, once all persons are in it: what the release achieves.
    pub fn fewest(&self, queries: &Strings) -> u32 {
        let Saying { persons, is_normal } = self.queries.finish(queries);
        let said = persons.into_iter().zip(is_normal).zip(queries.iter());
        let counted = |((persons, is_normal), text): ((u32, bool), &str)| {
            if is_normal && has_content_word(text) { persons } else { 0 }
        };
        said.map(counted).chain(self.urls.iter().copied()).min().unwrap_or(0)
    }
}

impl Piece for Said {
    const NAME: &'static str = "said";

    fn merge(mut self, other: Self) -> Self {
        self.urls.resize(self.urls.len().max(other.urls.len()), 0);
        self.urls.iter_mut().zip(other.urls).for_each(|(own, more)| *own += more);
        Self { queries: self.queries.merge(other.queries), urls: self.urls }
    }
}

impl ModelWithOriginal<QueryLog> for ContentThreshold {
    fn check(&self, original: &QueryLog, release: &QueryLog) -> Result<Verdict> {
        let persons = match self.accounts {
            Accounts::Once | Accounts::Merge => accounts::alike(original),
            Accounts::Apart => accounts::apart(original),
        };
        let count = if self.shares { persons_behind_shares } else { persons_behind };
        let (queries, is_normal) = count(original, &persons, release.queries());
        let urls = persons_clicking(original, &persons, release.urls());
        // The first line, person by person, of those that fewest persons said.
        let mut rarest: Option<(u32, Witness)> = None;
        for person in 0..release.persons() {
            for line in release.lines(person) {
                let query = (queries[line.query as usize], "query", line.query);
                let url = line.url.map_or((MISSING, "url", 0), |url| (urls[url as usize], "url", url));
                let (persons, column, value) = if url.0 < query.0 { url } else { query };
                if rarest.as_ref().is_none_or(|(fewest, _)| persons < *fewest) {
                    let mut numbers = Map::from_iter([("column".into(), json!(column))]);
                    if column == "query" && !is_normal[value as usize] {
                        numbers.insert("normal_form".into(), json!(false));
                    }
                    let witness =
                        Witness { person: person as u32, group_size: persons as usize, items: vec![value], numbers };
                    rarest = Some((persons, witness));
                }
            }
        }
        // Where no share opens nothing is said, and nothing is achieved.
        let achieved = rarest.as_ref().map_or(0, |&(fewest, _)| if fewest == MISSING { 0 } else { fewest as usize });
        let holds = achieved >= self.min_persons;
        Ok(Verdict {
            holds,
            achieved: Map::from_iter([("min-persons".into(), json!(achieved))]),
            witness: rarest.filter(|_| !holds).map(|(_, witness)| witness),
        })
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
    use crate::aggregate::normal::normal_texts;
    use crate::data::{Clusters, QueryLogBuilder};
    use crate::models::sharing::persons_saying;
    use crate::progress::Silent;
    use crate::text::normal::normal_words;

    fn log(rows: &[(&str, &str, Option<&str>)]) -> QueryLog {
        let mut builder = QueryLogBuilder::new();
        for &(person, query, url) in rows {
            builder.push(person, query, 0, None, url);
        }
        builder.finish()
    }

    fn check(min_persons: usize, original: &QueryLog, release: &QueryLog) -> Verdict {
        let params = Params { min_persons, accounts: Accounts::Apart, ..Params::default() };
        ContentThreshold::new(params).unwrap().check(original, release).unwrap()
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
        // Ann and bob have red before car, ann and cid the other way round: the alphabet decides.
        assert_eq!(released("car red", None), (true, 3));
        let written =
            ["red car", "car RED", "car  red", " car red", "car red ", "car red car", "car: red", "car\u{200b} red"];
        for text in written {
            assert_eq!(released(text, None), (false, 0), "{text}");
        }
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
            ("x", "car red", Some("cars.com")),
            ("x", "springfield", None),
            ("y", "car", Some("www.cars.com")),
            ("y", "buy", None),
        ]);
        let model = ContentThreshold::new(Params::default()).unwrap();
        let witness = model.check(&original(), &release).unwrap().witness.unwrap();
        assert_eq!((witness.person, witness.group_size), (0, 1));
        assert_eq!(model.value(&release, &witness), Some("springfield"));
        let release = log(&[("x", "car red", Some("cars.com")), ("y", "car", Some("www.cars.com"))]);
        let witness = model.check(&original(), &release).unwrap().witness.unwrap();
        assert_eq!((witness.person, witness.numbers["column"].as_str()), (1, Some("url")));
        assert_eq!(model.value(&release, &witness), Some("www.cars.com"));
        // What is not in normal form is said to be so.
        let release = log(&[("x", "car red", None), ("y", "Car red", None)]);
        let witness = model.check(&original(), &release).unwrap().witness.unwrap();
        assert_eq!((witness.person, witness.numbers.get("normal_form")), (1, Some(&json!(false))));
        assert_eq!(model.value(&release, &witness), Some("Car red"));
        let error = ContentThreshold::new(Params { min_persons: 1, ..Params::default() }).unwrap_err();
        assert_eq!(error.to_string(), "`min-persons` is 1, but must be at least 2");
    }

    #[test]
    fn shares_are_judged_by_what_they_open_to() {
        use crate::rng::Rng;
        use crate::shares::sealed::Mark;
        use crate::shares::shares_of;

        let mut rng = Rng::seeded(1);
        let mark = Mark::draw(&mut rng);
        let model = |min_persons: usize| {
            ContentThreshold::new(Params { min_persons, shares: true, ..Params::default() }).unwrap()
        };
        let released = |shares: &[String]| {
            let rows: Vec<_> = shares.iter().map(|share| ("x", share.as_str(), None)).collect();
            log(&rows)
        };
        let achieved = |release: &QueryLog| {
            model(3).check(&original(), release).unwrap().achieved["min-persons"].as_u64().unwrap()
        };
        let mut shares = shares_of("car red", 3, 3, mark, &mut rng).unwrap();
        // Nobody can open it, whatever it says.
        shares.extend(shares_of("springfield", 1, 3, mark, &mut rng).unwrap());
        assert!(model(3).check(&original(), &released(&shares)).unwrap().holds);
        assert_eq!(achieved(&released(&shares)), 3);
        assert_eq!(achieved(&released(&shares[..2])), 0);
        // A method that splits with too small a threshold is found out.
        let mut open = shares.clone();
        open.extend(shares_of("red springfield", 2, 2, mark, &mut rng).unwrap());
        assert_eq!(achieved(&released(&open)), 1);
        // What is no share says whatever it says.
        let mut plain = shares.clone();
        plain.push("car red".to_owned());
        let verdict = model(3).check(&original(), &released(&plain)).unwrap();
        assert_eq!((verdict.holds, verdict.witness.unwrap().items), (false, vec![4]));
        let mut other = shares;
        other.extend(shares_of("car red", 3, 3, Mark::draw(&mut rng), &mut rng).unwrap());
        assert!(!model(3).check(&original(), &released(&other)).unwrap().holds);
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
            let release = cut(&original, least, &Clusters::apart(original.persons()), &Silent).log;
            if release.rows() > 0 {
                let verdict = check(least, &original, &release);
                prop_assert!(verdict.holds, "{:?}", verdict);
                // As it is defined.
                let persons = |query: &str| {
                    let phrase = normal_words(query);
                    let holds = |own: &str| phrase.iter().all(|word| normal_words(own).contains(word));
                    let has = |person: &usize| {
                        original.lines(*person).any(|line| holds(original.queries().get(line.query)))
                    };
                    (0..original.persons()).filter(has).count() as u32
                };
                let expected: Vec<u32> = original.queries().iter().map(persons).collect();
                prop_assert_eq!(persons_saying(&original, original.queries()), expected);
                // In normal form is what everything with the same words is published as.
                let (texts, number) = normal_texts(&original, &Clusters::apart(original.persons()));
                let expected: Vec<bool> =
                    original.queries().iter().zip(&number).map(|(text, &number)| texts.get(number) == text).collect();
                let said = said_by(&original, &accounts::apart(&original), original.queries());
                prop_assert_eq!(said.is_normal, expected);
            }
            // The same where accounts that are alike count once.
            let clusters = Clusters::alike(&original);
            let once = cut(&original, least, &clusters, &Silent).log;
            if once.rows() > 0 {
                for accounts in [Accounts::Once, Accounts::Merge] {
                    let model = ContentThreshold::new(Params { min_persons: least, accounts, ..Params::default() }).unwrap();
                    prop_assert!(model.check(&original, &once).unwrap().holds);
                    prop_assert!(model.check(&original.clone().merged(&clusters), &once).unwrap().holds);
                }
            }
            // A line that nobody else has, planted at the end, is found.
            let mut planted: Vec<_> = rows.clone();
            planted.push(("gil", "zyx 1234", None));
            let mut released = QueryLogBuilder::new();
            for line in release.lines(0).chain((1..release.persons()).flat_map(|person| release.lines(person))) {
                released.push("x", release.queries().get(line.query), 0, None, None);
            }
            released.push("y", "zyx 1234", 0, None, None);
            let released = released.finish();
            let params = Params { min_persons: least, accounts: Accounts::Apart, ..Params::default() };
            let model = ContentThreshold::new(params).unwrap();
            let verdict = model.check(&log(&planted), &released).unwrap();
            prop_assert!(!verdict.holds);
            prop_assert_eq!(model.value(&released, verdict.witness.as_ref().unwrap()), Some("zyx 1234"));
        }
    }
}
