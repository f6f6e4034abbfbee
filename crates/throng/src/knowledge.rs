//! What an attacker knows, in a file: `--knowledge FILE` of `throng attack`; and hashed words that they know, `--seeds FILE`.
//!
//! JSON lines, one draw each: `{"person": "17", "facts": [{"query": "red car", "time": "2006-03-01 10:00:00", "url": "…"}]}`; of baskets
//! `{"item": "milk"}`, of access logs `{"path": "/a", "browser": "Firefox"}`. Several lines of a person are several draws. Times are read as those of the original are. A line that
//! cannot be read, an unknown person and a fact that lacks what is asked for are errors with their line; no value is in them.

use std::path::Path;

use serde::Deserialize;
use serde_json::Value;
use throng_core::attacks::{Given, GivenFact, Seed, With};
use throng_core::data::{Interner, Strings};
use throng_core::{Error, Result};

use crate::io::{ReadOptions, csv_records, read_times};
use crate::limits;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Draw {
    person: Value,
    facts: Vec<Fact>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fact {
    query: Option<String>,
    item: Option<String>,
    path: Option<String>,
    time: Option<Value>,
    url: Option<String>,
    browser: Option<String>,
}

/// Reads hashed words that are known already, `--seeds FILE`: CSV with the header `token,word`.
pub fn read_seeds(path: &Path) -> Result<Vec<Seed>> {
    let bytes = limits::read_file(path, "the known pairs in ", limits::MOST_LIST_BYTES)?;
    seeds(&bytes).map_err(|error| error.in_file(path.display().to_string()))
}

/// The same of bytes.
pub fn seeds(bytes: &[u8]) -> Result<Vec<Seed>> {
    let records = csv_records(bytes);
    let wrong = |problem: &str, line: u64| {
        Error::data(problem).at_line(line).with_hint("CSV with the header `token,word`, one pair a line")
    };
    let column = |name: &str| records.first()?.1.iter().position(|field| field == name.as_bytes());
    let (Some(token), Some(word)) = (column("token"), column("word")) else {
        return Err(wrong("the file has no columns `token` and `word`", 1));
    };
    let seed = |(line, row): &(u64, Vec<Vec<u8>>)| {
        let field = |at: usize| {
            row.get(at).and_then(|bytes| std::str::from_utf8(bytes).ok()).map(|text| text.trim().to_lowercase())
        };
        match (field(token).filter(|token| !token.is_empty()), field(word).filter(|word| !word.is_empty())) {
            (Some(token), Some(word)) => Ok(Seed { line: *line, token, word }),
            _ => Err(wrong("the line lacks a token or a word", *line)),
        }
    };
    records[1..].iter().map(seed).collect()
}

/// Reads what is known of persons of an original, whose facts are called `word` (`query`, `item`, `path`).
pub fn read(path: &Path, word: &str, names: &Strings, with: With, times: &ReadOptions) -> Result<Given> {
    let bytes = limits::read_file(path, "the knowledge in ", limits::MOST_LIST_BYTES)?;
    parse(&bytes, word, names, with, times).map_err(|error| error.in_file(path.display().to_string()))
}

/// The same of bytes.
pub fn parse(bytes: &[u8], word: &str, names: &Strings, with: With, times: &ReadOptions) -> Result<Given> {
    let text = std::str::from_utf8(bytes).map_err(|_| Error::data("the knowledge is not UTF-8"))?;
    let persons = Interner::from(names);
    let mut draws: Vec<(u32, Vec<GivenFact>)> = Vec::new();
    let mut written: Vec<(u64, String)> = Vec::new();
    for (number, line) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
        if line.trim().is_empty() {
            continue;
        }
        let wrong = |problem: &str| Error::data(problem).at_line(number);
        let draw: Draw = serde_json::from_str(line).map_err(|cause| {
            // What a parser says may quote the line.
            wrong(&format!("the line is no draw of knowledge, at its character {}", cause.column())).with_hint(format!(
                "one object a line: {{\"person\": \"17\", \"facts\": [{{\"{word}\": \"…\"}}]}}, each key once, no others"
            ))
        })?;
        let name = match &draw.person {
            Value::String(name) => name.clone(),
            Value::Number(name) => name.to_string(),
            _ => return Err(wrong("the person is neither text nor a number")),
        };
        let person = persons.find(&name).ok_or_else(|| {
            wrong("the person is not in the original")
                .with_value(&name)
                .with_hint("ids are those of ORIGINAL, not pseudonyms")
        })?;
        let mut facts = Vec::new();
        for fact in draw.facts {
            let named = [("query", fact.query), ("item", fact.item), ("path", fact.path)];
            let mut named = named.into_iter().filter_map(|(name, text)| Some((name, text?)));
            let text = match (named.next(), named.next()) {
                (Some((name, text)), None) if name == word => text,
                _ => return Err(wrong(&format!("a fact has no `{word}`, or something else beside it"))),
            };
            if with.times {
                let time = match fact.time {
                    Some(Value::String(time)) => time,
                    Some(Value::Number(time)) => time.to_string(),
                    Some(_) => return Err(wrong("the time of a fact is neither text nor a number")),
                    None => return Err(wrong("a fact has no `time`, which `--with times` asks for")),
                };
                written.push((number, time));
            }
            if with.clicks && fact.url.is_none() {
                return Err(wrong("a fact has no `url`, which `--with clicks` asks for"));
            }
            if with.browser && fact.browser.is_none() {
                return Err(wrong("a fact has no `browser`, which `--with browser` asks for"));
            }
            facts.push(GivenFact { text, time: None, url: fact.url, browser: fact.browser });
        }
        if facts.is_empty() {
            return Err(wrong("the line has no facts"));
        }
        draws.push((person, facts));
    }
    if draws.is_empty() {
        return Err(
            Error::data("nothing is known of anybody").with_hint("one object a line, `throng attack --help` shows one")
        );
    }
    let texts: Vec<(u64, &str)> = written.iter().map(|(line, text)| (*line, text.as_str())).collect();
    let mut read = read_times(&texts, times)?.into_iter();
    for fact in draws.iter_mut().flat_map(|(_, facts)| facts) {
        fact.time = if with.times { read.next() } else { None };
    }
    Ok(Given { with, draws })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMES: With = With { times: true, clicks: false, browser: false, dates: false };
    const CLICKS: With = With { times: false, clicks: true, browser: false, dates: false };
    const BROWSER: With = With { times: false, clicks: false, browser: true, dates: false };

    fn of(text: &str, with: With) -> Result<Given> {
        parse(text.as_bytes(), "query", &["a", "17"].into_iter().collect(), with, &ReadOptions::default())
    }

    #[test]
    fn persons_with_several_draws() {
        let text = "\u{feff}{\"person\": \"17\", \"facts\": [{\"query\": \"red car\", \"time\": \"1970-01-01 00:01:00\"}]}\n\n\
                    {\"person\": 17, \"facts\": [{\"query\": \"x\", \"time\": \"1970-01-02 00:00:00\", \"url\": \"\"}]}\n";
        let given = of(text, TIMES).unwrap();
        let fact = |text: &str, time, url: Option<&str>| GivenFact {
            text: text.into(),
            time,
            url: url.map(str::to_owned),
            browser: None,
        };
        assert_eq!(
            given.draws,
            [(1, vec![fact("red car", Some(60_000), None)]), (1, vec![fact("x", Some(86_400_000), Some(""))])]
        );
        // What is not asked for is not looked at.
        assert_eq!(of(text, With::default()).unwrap().draws[0].1, [fact("red car", None, None)]);
    }

    #[test]
    fn what_cannot_be_read_is_an_error_with_its_line_and_without_values() {
        let good = "{\"person\": \"a\", \"facts\": [{\"query\": \"x\"}]}\n";
        for (line, with, problem) in [
            ("{\"person\": \"secret\", \"facts\": [{\"query\": \"x\"}]}", With::default(), "not in the original"),
            ("{\"person\": \"a\", \"facts\": [{\"query\": \"secret\"}", With::default(), "no draw of knowledge"),
            ("{\"person\": \"a\", \"facts\": [{\"query\": \"x\", \"query\": \"secret\"}]}", With::default(), "no draw"),
            ("{\"person\": \"a\", \"secret\": 1, \"facts\": []}", With::default(), "no draw of knowledge"),
            ("{\"person\": [], \"facts\": [{\"query\": \"x\"}]}", With::default(), "neither text nor"),
            ("{\"person\": \"a\", \"facts\": []}", With::default(), "no facts"),
            ("{\"person\": \"a\", \"facts\": [{\"item\": \"secret\"}]}", With::default(), "no `query`"),
            ("{\"person\": \"a\", \"facts\": [{\"query\": \"x\"}]}", TIMES, "no `time`"),
            ("{\"person\": \"a\", \"facts\": [{\"query\": \"x\", \"time\": true}]}", TIMES, "neither text nor"),
            ("{\"person\": \"a\", \"facts\": [{\"query\": \"x\", \"time\": \"secret\"}]}", TIMES, "cannot be read"),
            ("{\"person\": \"a\", \"facts\": [{\"query\": \"x\"}]}", CLICKS, "no `url`"),
            ("{\"person\": \"a\", \"facts\": [{\"query\": \"x\"}]}", BROWSER, "no `browser`"),
            (
                "{\"person\": \"a\", \"facts\": [{\"query\": \"x\", \"path\": \"secret\"}]}",
                With::default(),
                "no `query`",
            ),
            ("secret", With::default(), "no draw of knowledge"),
        ] {
            let before = if with == With::default() { good } else { "\n" };
            let error = of(&format!("{before}{line}"), with).unwrap_err();
            assert!(error.to_string().contains(problem), "{line}: {error}");
            assert_eq!(error.place().and_then(|place| place.line), Some(2), "{line}");
            assert!(!error.to_string().contains("secret"), "{error}");
        }
        assert!(of("\n", With::default()).unwrap_err().to_string().contains("nothing is known"));
        assert!(parse(&[0xff], "query", &Strings::new(), TIMES, &ReadOptions::default()).is_err());
    }
}
