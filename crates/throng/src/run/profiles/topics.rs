//! `--topics`: which topics profiles are of, and files of topics.

use std::path::Path;

use throng_core::profiles::topics::Source;
use throng_core::{Error, Result};
use toml::de::DeTable;

use crate::limits;
use crate::placed_toml::Reader;
use crate::taxonomy;

/// How many parts are learned, where nobody says.
const PARTS: usize = 50;

/// `words`, `wordnet`, `learned:N`, or a file.
pub(super) fn source(spec: &str, seed: u64) -> Result<Source> {
    if let Some(rest) = spec.strip_prefix("learned") {
        let parts = match rest.strip_prefix(':') {
            Some(number) => number.parse().ok(),
            None => rest.is_empty().then_some(PARTS),
        };
        if let Some(parts) = parts {
            return Ok(Source::Learned { parts, seed });
        }
        return Err(Error::parameter(
            "topics",
            format!("is `{spec}`, but so many parts are learned as in `learned:50`"),
        ));
    }
    match spec {
        "words" => Ok(Source::Words),
        "wordnet" => {
            let tree = taxonomy::wordnet()?;
            let nouns = tree.wordnet().map(|(nouns, _)| nouns.clone());
            nouns.map(Source::WordNet).ok_or_else(|| Error::internal("the embedded WordNet has no nouns"))
        }
        file => listed(Path::new(file)),
    }
}

/// The topics of a file: `[topics]` with a list of keywords for each.
fn listed(path: &Path) -> Result<Source> {
    let named = |error: Error| error.in_file(path.display().to_string());
    if path.symlink_metadata().is_err() {
        return Err(Error::parameter("topics", format!("is `{}`, and there is no such file", path.display()))
            .with_hint("topics are `words`, `wordnet`, `learned:50` or a TOML file with `[topics]` in it"));
    }
    let bytes = limits::read_file(path, "the topics ", limits::MOST_TOPICS_BYTES)?;
    let text = String::from_utf8(bytes).map_err(|_| named(Error::data("the file is no text in UTF-8")))?;
    parse(&text).map(Source::Listed).map_err(named)
}

fn parse(text: &str) -> Result<Vec<(String, Vec<String>)>> {
    const HINT: &str = "topics are written as `[topics]` and below it lines as `sport = [\"football\", \"goal\"]`";
    let reader = Reader { text };
    let table = DeTable::parse(text).map_err(|cause| {
        let error = Error::data(format!("this is no TOML: {}", cause.message())).with_hint(HINT);
        cause.span().map_or_else(|| Error::data("this is no TOML").with_hint(HINT), |span| reader.at(span, error))
    })?;
    let table = table.get_ref();
    reader.known_keys(table, "key", &["topics"])?;
    let Some(topics) = table.get("topics") else {
        return Err(Error::data("the file has no `[topics]`").at_line(1).with_hint(HINT));
    };
    let mut found = Vec::new();
    let mut entries: Vec<_> = reader.table(topics, "topics")?.iter().collect();
    // In the order of the file.
    entries.sort_by_key(|(key, _)| key.span().start);
    let mut places: Vec<(String, String, std::ops::Range<usize>)> = Vec::new();
    for (name, list) in entries {
        let mut keywords = Vec::new();
        for item in reader.list(list, name.get_ref())? {
            let keyword = reader.word(item, "a keyword")?.to_owned();
            let key = keyword.to_lowercase();
            if let Some((_, topic, _)) =
                places.iter().find(|(other, topic, _)| *other == key && topic != name.get_ref().as_ref())
            {
                let problem = format!("the keyword `{keyword}` is in two topics, `{topic}` and `{}`", name.get_ref());
                return Err(reader
                    .wrong(item, problem)
                    .with_hint("a word says something about one topic: take it out of the other"));
            }
            places.push((key, name.get_ref().to_string(), item.span()));
            keywords.push(keyword);
        }
        if keywords.is_empty() {
            return Err(reader.wrong(list, format!("the topic `{}` has no keyword", name.get_ref())).with_hint(HINT));
        }
        found.push((name.get_ref().to_string(), keywords));
    }
    if found.is_empty() {
        return Err(reader.wrong(topics, "`[topics]` has no topic").with_hint(HINT));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topics_are_read_in_their_order() {
        let topics = parse("[topics]\nsport = [\"football\", \"goal\"]\nart = [\"song\"]\n").unwrap();
        assert_eq!(
            topics.iter().map(|(name, words)| (name.as_str(), words.len())).collect::<Vec<_>>(),
            [("sport", 2), ("art", 1)]
        );
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        for (text, line, words) in [
            ("[topics]\nsport = [\"goal\"]\nnight = [\n \"bar\",\n \"Goal\"]\n", 5, vec!["Goal", "sport", "night"]),
            ("[topic]\nsport = [\"goal\"]\n", 1, vec!["topic"]),
            ("[topics]\nsport = []\n", 2, vec!["sport", "no keyword"]),
            ("[topics]\nsport = \"goal\"\n", 2, vec!["list"]),
            ("[topics]\nsport = [3]\n", 2, vec!["keyword"]),
            ("[topics]\n", 1, vec!["no topic"]),
            ("[topics\n", 1, vec!["TOML"]),
        ] {
            let error = parse(text).unwrap_err();
            let said = error.describe(false);
            assert!(words.iter().all(|word| said.contains(word)), "{said}");
            assert_eq!(error.place().and_then(|place| place.line), Some(line), "{said}");
        }
        for spec in ["learned:x", "learned50", "no such file.toml"] {
            assert!(source(spec, 0).unwrap_err().is_parameter(), "{spec}");
        }
        assert!(matches!(source("learned", 0).unwrap(), Source::Learned { parts: 50, .. }));
    }
}
