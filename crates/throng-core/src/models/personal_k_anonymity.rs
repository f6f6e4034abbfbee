//! Personal k-anonymity: every person has the same record as many others as they asked for themselves, and at least k - 1.
//!
//! Paper      Ours; that everybody sets their own k is the idea of Gedik, Liu. Location privacy in mobile systems: a personalized
//!            anonymization model. ICDCS 2005.
//! Promises   whoever knows a person's record, or any part of it, as it stands in the release, is left with as many persons as this
//!            person asked for.
//! Does not   hide that somebody in a large crowd asked for one: how large a crowd is can be seen. It cannot be checked without the
//!            original, which has the wishes, and the key, which says whose they are.
//!
//! # Idea
//! The lines of every person of the release are brought into one order and compared, all values but the id; persons with equal lines are
//! a crowd. Every person of the release stands for somebody of the original, by the key, or for several accounts of theirs. The crowd
//! must have as many members as the most that they ask for, and at least k. Somebody of the release of whom the key says nothing may ask
//! for anything: the claim fails.
//!
//! # Cost
//! Time O(n log n) comparisons of records, memory that of the lines of the release.

use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use super::{ModelWithKey, Verdict, Witness};
use crate::data::queries::Line;
use crate::data::{Dataset as _, QueryLog};
use crate::error::{Error, Result};
use crate::info::{self, Info, Parameter, ParameterKind};

/// The card of the model.
pub const INFO: Info = Info {
    name: "personal-k-anonymity",
    summary: "every person has exactly the same record as as many others as they asked for themselves, at least k - 1",
    paper: "Ours, after Gedik, Liu. Location privacy in mobile systems: a personalized anonymization model. ICDCS 2005",
    details: "A column of the original (`--k-column NAME`) says among how many persons somebody asks to be: a whole number of at least 2; \
        of several rows of a person the largest counts; an empty cell asks for nothing, and the general k holds. A record is all rows of a \
        person in the release, in any order, with every value but the id. The crowd of a person are all who have the same record. \
        It must have as many members as this person asks for, and at least k.\n\
        It needs the original, for the wishes, and the key, for whose they are: `throng check RELEASE --original FILE --key FILE`. Who \
        checks a release without them is told that this claim was not checked.\n\
        Achieved are k, the smallest crowd; asking, how many persons asked for a number; and short, how many have a smaller crowd than \
        they asked for, or are nobody of whom the key knows.\n\
        Promises: whoever links a person to the release by what their record says is left with as many persons as this person asked for.\n\
        Does not promise: that it stays unknown who asked for much. A crowd that is larger than others has somebody in it who did, \
        probably; the column itself is never published.",
    parameters: &[info::K, K_COLUMN],
};

/// The parameter that names the column of what persons ask for.
pub const K_COLUMN: Parameter = Parameter {
    name: "k-column",
    summary: "the column that says among how many persons somebody asks to be: their own k, at least 2; it is never published",
    kind: ParameterKind::Text,
    default: "none",
};

/// What the model can be told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// How many persons share a record, at least, also if nobody asks for it.
    pub k: usize,
    /// The column of the original that says what persons ask for.
    pub k_column: Option<String>,
}

impl Default for Params {
    fn default() -> Self {
        Self { k: 5, k_column: None }
    }
}

/// The model with checked parameters.
#[derive(Debug, Clone)]
pub struct PersonalKAnonymity {
    k: usize,
    column: Option<String>,
}

impl PersonalKAnonymity {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        if params.k < 2 {
            return Err(Error::parameter("k", format!("is {}, but must be at least 2", params.k))
                .with_hint("every file is 1-anonymous: there is nothing to check"));
        }
        Ok(Self { k: params.k, column: params.k_column })
    }
}

impl ModelWithKey<QueryLog> for PersonalKAnonymity {
    fn column(&self) -> Option<&str> {
        self.column.as_deref()
    }

    fn check(&self, original: &QueryLog, release: &QueryLog, links: &[(u32, u32)]) -> Verdict {
        let crowds = crowd_sizes(release);
        let wishes = original.wishes().unwrap_or_default();
        let mut asked: Vec<Option<u32>> = vec![None; release.persons()];
        for &(person, published) in links {
            let wish = wishes.get(person as usize).copied().unwrap_or(0);
            let known = &mut asked[published as usize];
            *known = Some(known.unwrap_or(0).max(wish));
        }
        // Nothing is enough for somebody of whom nothing is known.
        let needed = |asked: Option<u32>| asked.map(|wish| (wish as usize).max(self.k));
        let is_short = |(asked, crowd): (&Option<u32>, &usize)| needed(*asked).is_none_or(|needed| *crowd < needed);
        let short: Vec<usize> =
            asked.iter().zip(&crowds).enumerate().filter(|(_, both)| is_short(*both)).map(|(at, _)| at).collect();
        let holds = short.is_empty() && !crowds.is_empty();
        let achieved = Map::from_iter([
            ("k".to_owned(), json!(crowds.iter().min().unwrap_or(&0))),
            ("asking".to_owned(), json!(asked.iter().filter(|asked| asked.is_some_and(|wish| wish > 0)).count())),
            ("short".to_owned(), json!(short.len())),
        ]);
        let witness = short.first().map(|&person| {
            let numbers = Map::from_iter([("asked".to_owned(), json!(needed(asked[person])))]);
            Witness { numbers, ..Witness::of_group(person as u32, crowds[person]) }
        });
        Verdict { holds, achieved, witness }
    }
}

/// How many persons of a log have the same lines as each.
fn crowd_sizes(log: &QueryLog) -> Vec<usize> {
    let record = |person: usize| {
        let mut lines: Vec<Line> = log.lines(person).collect();
        lines.sort_unstable();
        lines
    };
    let mut records: Vec<(Vec<Line>, usize)> = (0..log.persons()).map(|person| (record(person), person)).collect();
    records.sort_unstable();
    let mut sizes = vec![0; log.persons()];
    for crowd in records.chunk_by(|left, right| left.0 == right.0) {
        crowd.iter().for_each(|&(_, person)| sizes[person] = crowd.len());
    }
    sizes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::data::QueryLogBuilder;

    /// A log whose person `p` has the lines of the letters `records[p]`.
    fn log(records: &[&str]) -> QueryLog {
        let mut builder = QueryLogBuilder::new();
        for (person, record) in records.iter().enumerate() {
            for letter in record.chars() {
                builder.push(&format!("p{person}"), &letter.to_string(), 0, None, None);
            }
        }
        builder.finish()
    }

    fn check(wishes: &[u32], records: &[&str], links: &[(u32, u32)], k: usize) -> Verdict {
        let original = log(&vec!["x"; wishes.len()]).with_wishes(wishes.to_vec());
        let model = PersonalKAnonymity::new(Params { k, ..Params::default() }).unwrap();
        model.check(&original, &log(records), links)
    }

    #[test]
    fn by_hand() {
        // Crowds of three and of two; the order of lines is nothing.
        let records = ["ab", "ba", "c", "ab", "c"];
        let links = [(0, 0), (1, 1), (2, 2), (3, 3), (4, 4)];
        let numbers = |k: usize, asking: usize, short: usize| {
            Map::from_iter([("k".into(), json!(k)), ("asking".into(), json!(asking)), ("short".into(), json!(short))])
        };
        let holds = check(&[3, 0, 2, 0, 0], &records, &links, 2);
        assert_eq!((holds.holds, holds.achieved, holds.witness), (true, numbers(2, 2, 0), None));
        // The third asks for three and has two; the fifth only shares their crowd.
        let fails = check(&[0, 0, 3, 0, 0], &records, &links, 2);
        assert_eq!((fails.holds, fails.achieved), (false, numbers(2, 1, 1)));
        let witness = fails.witness.unwrap();
        assert_eq!((witness.person, witness.group_size, &witness.numbers["asked"]), (2, 2, &json!(3)));
        // Whatever they ask for, k holds for all.
        assert!(!check(&[0, 0, 2, 0, 2], &records, &links, 3).holds);
    }

    #[test]
    fn who_stands_for_whom() {
        let records = ["a", "a", "b", "b"];
        // Two accounts of one person: the more demanding one counts.
        assert!(check(&[0, 0, 0, 0, 2], &records, &[(0, 0), (1, 1), (2, 2), (3, 3), (4, 3)], 2).holds);
        assert!(!check(&[0, 0, 0, 0, 3], &records, &[(0, 0), (1, 1), (2, 2), (3, 3), (4, 3)], 2).holds);
        // Of one person of the release nobody knows who they are.
        let unknown = check(&[0; 4], &records, &[(0, 0), (1, 1), (2, 2)], 2);
        assert_eq!((unknown.holds, &unknown.achieved["short"]), (false, &json!(1)));
        assert_eq!(unknown.witness.map(|witness| witness.numbers["asked"].clone()), Some(json!(null)));
        // Somebody who is not in the release asks in vain, and for nothing.
        assert!(check(&[0, 0, 0, 0, 99], &records, &[(0, 0), (1, 1), (2, 2), (3, 3)], 2).holds);
        assert!(!check(&[], &[], &[], 2).holds);
    }

    proptest! {
        /// Each person is compared with each.
        #[test]
        fn equals_comparing_all(
            persons in prop::collection::vec(("[ab]{1,3}", 0..5u32), 1..20),
            k in 2..4usize,
        ) {
            let records: Vec<&str> = persons.iter().map(|person| person.0.as_str()).collect();
            let wishes: Vec<u32> = persons.iter().map(|person| person.1).collect();
            let links: Vec<(u32, u32)> = (0..persons.len() as u32).map(|person| (person, person)).collect();
            let sorted = |record: &str| {
                let mut letters: Vec<char> = record.chars().collect();
                letters.sort_unstable();
                letters
            };
            let crowd = |record: &str| records.iter().filter(|other| sorted(other) == sorted(record)).count();
            let short = persons.iter().filter(|(record, wish)| crowd(record) < k.max(*wish as usize)).count();
            let found = check(&wishes, &records, &links, k);
            prop_assert_eq!(&found.achieved["short"], &json!(short));
            prop_assert_eq!(found.holds, short == 0);
        }
    }
}
