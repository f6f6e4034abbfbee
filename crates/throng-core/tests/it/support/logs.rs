//! Random search logs: few words, few times and few hosts, so that ties and repeats occur; and all that is odd.

use proptest::collection::vec;
use proptest::prelude::*;
use throng_core::data::{QueryLog, QueryLogBuilder};

/// A line as plain values.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Line {
    pub(crate) query: String,
    pub(crate) time: i64,
    pub(crate) rank: Option<u32>,
    pub(crate) url: Option<String>,
}

/// Persons with their lines.
pub(crate) type Persons = Vec<Vec<Line>>;

/// The name of a person in the log that [`build`] makes.
pub(crate) fn name(person: usize) -> String {
    format!("person {person}")
}

/// The log of these persons.
pub(crate) fn build(persons: &[Vec<Line>]) -> QueryLog {
    let mut builder = QueryLogBuilder::new();
    for (person, lines) in persons.iter().enumerate() {
        for line in lines {
            builder.push(&name(person), &line.query, line.time, line.rank, line.url.as_deref());
        }
    }
    builder.finish()
}

/// The persons of a log.
pub(crate) fn plain(log: &QueryLog) -> Persons {
    let lines = |person| {
        let plain = |line: throng_core::data::Line| Line {
            query: log.queries().get(line.query).to_owned(),
            time: line.time,
            rank: line.rank,
            url: line.url.map(|url| log.urls().get(url).to_owned()),
        };
        log.lines(person).map(plain).collect()
    };
    (0..log.persons()).map(lines).collect()
}

/// Logs of some persons with some lines each, at least one.
pub(crate) fn persons(
    persons: std::ops::RangeInclusive<usize>,
    lines: std::ops::RangeInclusive<usize>,
) -> impl Strategy<Value = Persons> {
    vec(vec(line(), lines), persons)
}

fn line() -> impl Strategy<Value = Line> {
    let rank = prop_oneof![2 => Just(None), 3 => (1u32..6).prop_map(Some), 1 => (0u32..500).prop_map(Some)];
    let time = prop_oneof![
        6 => (0i64..8).prop_map(|minute| 1_140_000_000_000 + minute * 60_000),
        2 => 1_140_000_000_000i64..1_140_000_600_000,
        1 => -5_000i64..5_000,
    ];
    let url = prop_oneof![2 => Just(None), 3 => url().prop_map(Some)];
    (query(), time, rank, url).prop_map(|(query, time, rank, url)| Line { query, time, rank, url })
}

fn query() -> impl Strategy<Value = String> {
    let blank = prop_oneof![8 => Just(" "), 1 => Just("  "), 1 => Just("\t"), 1 => Just("\u{a0}")];
    prop_oneof![
        1 => Just(String::new()),
        1 => Just("  ".to_owned()),
        14 => vec((word(), blank), 1..5).prop_map(|words| {
            let text: String = words.iter().flat_map(|(word, blank)| [word.as_str(), blank]).collect();
            text.trim_end().to_owned()
        }),
    ]
}

fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        10 => "[ab]{1,3}",
        4 => prop::sample::select(vec!["garden", "gardens", "Garden", "guardian", "jaguar", "jaguars", "roses"])
            .prop_map(str::to_owned),
        2 => "[a-e]{1,12}",
        1 => "[ab]{60,70}",
        1 => "[abc]{64,140}",
        1 => "[äöüßéñ漢字かな]{1,5}",
        1 => "[\u{4e00}-\u{5200}]{1,6}",
        1 => "\\PC{1,5}".prop_map(|text| text.replace(char::is_whitespace, "_")),
    ]
}

fn url() -> impl Strategy<Value = String> {
    let host = prop_oneof![
        12 => vec(prop::sample::select(vec!["com", "a", "b", "www"]), 1..5),
        1 => vec(prop::sample::select(vec!["x", "y"]), 1..61),
    ];
    let before = prop::sample::select(vec!["http://", "https://", "", "HTTP://", "ftp://me:pw@"]);
    let after = prop::sample::select(vec!["", "/", "/path?q=a.b#c", ":8080/x", "."]);
    prop_oneof![
        1 => Just("http://".to_owned()),
        20 => (before, host, after, any::<bool>()).prop_map(|(before, labels, after, upper)| {
            let host = labels.join(".");
            format!("{before}{}{after}", if upper { host.to_uppercase() } else { host })
        }),
    ]
}
