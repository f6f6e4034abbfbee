//! Which word says something about which topic: words themselves, WordNet's unique beginners, parts that are learned, or a list.
//!
//! Paper      Castellano et al. (paper 003): a repository of thematic keywords. Miller. Nouns in WordNet: A Lexical Inheritance System.
//!            International Journal of Lexicography 3 (1990): the 25 unique beginners.
//!
//! # Idea
//! - `words`: every word that at least so many persons have is a topic of its own.
//! - `wordnet`: a noun, by its most frequent sense, belongs to the nearest unique beginner above it.
//! - `learned:N`: N parts of who uses which word, each word in one of them.
//! - a list: topics with keywords, compared by their stems; a word is in one topic only.

use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::lines::LineWords;
use super::parts::parts_of_words;
use crate::concepts::mixes::Mix;
use crate::data::queries::MISSING;
use crate::data::{Interner, Strings};
use crate::error::{Error, Result};
use crate::progress::Progress;
use crate::taxonomy::ROOT;
use crate::taxonomy::wordnet::WordNet;
use crate::text::stem::stem;
use crate::text::{lowered, written_words};

/// The most parts that are learned.
pub const MOST_PARTS: usize = 1000;
/// How many words stand for a part that was learned.
const WORDS_OF_A_PART: usize = 3;

/// The unique beginners of WordNet's nouns, each with the synsets that it stands for in WordNet 3.0.
pub const BEGINNERS: [(&str, &[&str]); 25] = [
    ("act", &["act#2"]),
    ("animal", &["animal"]),
    ("artifact", &["artifact"]),
    ("attribute", &["attribute#2"]),
    ("body", &["body", "body_part", "body_substance"]),
    ("cognition", &["cognition"]),
    ("communication", &["communication#2"]),
    ("event", &["event"]),
    ("feeling", &["feeling"]),
    ("food", &["food", "food#2"]),
    ("group", &["group"]),
    ("location", &["location"]),
    ("motive", &["motivation"]),
    ("object", &["natural_object", "geological_formation", "body_of_water"]),
    ("person", &["person"]),
    ("phenomenon", &["phenomenon"]),
    ("plant", &["plant#2", "plant_part"]),
    ("possession", &["possession#2"]),
    ("process", &["process#6"]),
    ("quantity", &["measure#2"]),
    ("relation", &["relation"]),
    ("shape", &["shape#2"]),
    ("state", &["state#2"]),
    ("substance", &["matter#3", "substance#4"]),
    ("time", &["time_period", "time#5"]),
];

/// Where topics come from.
#[derive(Debug, Clone)]
pub enum Source {
    /// Words.
    Words,
    /// WordNet's unique beginners.
    WordNet(Arc<WordNet>),
    /// So many parts, by a seed.
    Learned {
        /// How many.
        parts: usize,
        /// The seed.
        seed: u64,
    },
    /// Topics with their keywords.
    Listed(Vec<(String, Vec<String>)>),
}

impl Source {
    /// Its name.
    pub fn name(&self) -> String {
        match self {
            Self::Words => "words".to_owned(),
            Self::WordNet(_) => "wordnet".to_owned(),
            Self::Learned { parts, .. } => format!("learned:{parts}"),
            Self::Listed(_) => "file".to_owned(),
        }
    }
}

/// What a topic is called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TopicName {
    /// Its name.
    pub name: String,
    /// How many persons have what it is called by, if it is called by words of theirs.
    pub persons: Option<u32>,
}

impl TopicName {
    /// Its name, if at least so many persons share it.
    pub fn shared(&self, k: usize) -> Option<&str> {
        self.persons.is_none_or(|persons| persons as usize >= k).then_some(&self.name)
    }
}

/// Topics as they are written down.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TopicsRecord {
    /// Where they come from: `words`, `wordnet`, `learned:N` or `file`.
    pub source: String,
    /// What they are called.
    pub names: Vec<TopicName>,
    /// Words, or their stems, in rising order, each with the number of its topic; none for `wordnet`.
    pub words: Vec<(String, u32)>,
}

/// Topics, and which words say something about them.
#[derive(Debug, Clone)]
pub struct Topics {
    source: String,
    names: Vec<TopicName>,
    by: By,
}

#[derive(Debug, Clone)]
enum By {
    Words {
        words: Interner,
        topic: Vec<u32>,
        by_stem: bool,
    },
    /// For each synset its beginner.
    Nouns(Arc<WordNet>, Vec<u32>),
}

/// Somebody's lines, or some of them.
pub type LinesOf = (usize, Range<usize>);

impl Topics {
    /// The topics of some lines: of words, those that at least so many persons have there.
    pub fn build(
        source: &Source,
        words: &LineWords,
        of: &[LinesOf],
        least_persons: usize,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let plain = |name: &str| TopicName { name: name.to_owned(), persons: None };
        let (names, listed, by_stem) = match source {
            Source::Words => {
                let (kept, persons, _) = shared_words(words, of, least_persons);
                let name = |(word, &persons): (&String, &u32)| TopicName { name: word.clone(), persons: Some(persons) };
                (kept.iter().zip(&persons).map(name).collect(), kept.into_iter().zip(0..).collect(), false)
            }
            Source::Learned { parts, seed } => {
                if *parts == 0 || *parts > MOST_PARTS {
                    return Err(Error::parameter(
                        "topics",
                        format!("asks for {parts} parts, but 1 to {MOST_PARTS} can be learned"),
                    ));
                }
                let (kept, persons, mixes) = shared_words(words, of, least_persons);
                let part = parts_of_words(&mixes, kept.len(), *parts, *seed, progress)?;
                let name = |number: u32| {
                    let mut own: Vec<usize> = (0..kept.len()).filter(|&word| part[word] == number).collect();
                    own.sort_by_key(|&word| (std::cmp::Reverse(persons[word]), word));
                    own.truncate(WORDS_OF_A_PART);
                    let said: Vec<&str> = own.iter().map(|&word| kept[word].as_str()).collect();
                    let least = own.iter().map(|&word| persons[word]).min();
                    TopicName { name: format!("{}: {}", number + 1, said.join(" ")), persons: least }
                };
                ((0..*parts as u32).map(name).collect(), kept.into_iter().zip(part).collect(), false)
            }
            Source::Listed(topics) => {
                (topics.iter().map(|(name, _)| plain(name)).collect::<Vec<_>>(), stems(topics)?, true)
            }
            Source::WordNet(wordnet) => {
                let names = BEGINNERS.iter().map(|(name, _)| plain(name)).collect();
                let by = By::Nouns(Arc::clone(wordnet), beginners(wordnet)?);
                return Ok(Self { source: source.name(), names, by });
            }
        };
        Ok(Self { source: source.name(), names, by: by_words(listed, by_stem) })
    }

    /// Topics that were written down; nothing if they contradict themselves. WordNet's need WordNet.
    pub fn of_record(record: &TopicsRecord, wordnet: impl FnOnce() -> Result<Arc<WordNet>>) -> Result<Option<Self>> {
        let TopicsRecord { source, names, words } = record;
        let (source, names) = (source.clone(), names.clone());
        if source == "wordnet" {
            let wordnet = wordnet()?;
            let beginners = beginners(&wordnet)?;
            let is_whole = names.len() == BEGINNERS.len() && words.is_empty();
            return Ok(is_whole.then(|| Self { source, names, by: By::Nouns(wordnet, beginners) }));
        }
        let rise = words.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let fit = words.iter().all(|&(_, topic)| (topic as usize) < names.len());
        let by_stem = source == "file";
        Ok((rise && fit).then(|| Self { source, names, by: by_words(words.clone(), by_stem) }))
    }

    /// To be written down.
    pub fn record(&self) -> TopicsRecord {
        let mut listed: Vec<(String, u32)> = match &self.by {
            By::Words { words, topic, .. } => {
                words.strings().iter().map(str::to_owned).zip(topic.iter().copied()).collect()
            }
            By::Nouns(..) => Vec::new(),
        };
        listed.sort();
        TopicsRecord { source: self.source.clone(), names: self.names.clone(), words: listed }
    }

    /// Where they come from.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// What they are called.
    pub fn names(&self) -> &[TopicName] {
        &self.names
    }

    /// The topic of a word in lower case, if it says something about one.
    pub fn of_word(&self, word: &str) -> Option<u32> {
        match &self.by {
            By::Words { words, topic, by_stem } => {
                let found = if *by_stem { words.find(&stem(word)) } else { words.find(word) };
                found.map(|word| topic[word as usize])
            }
            By::Nouns(wordnet, beginners) => {
                let sense = wordnet.senses_of_any_form(word).first()?;
                Some(beginners[*sense as usize]).filter(|&beginner| beginner != MISSING)
            }
        }
    }

    /// The topic of each of some words, or [`MISSING`].
    pub fn of_words(&self, words: &Strings) -> Vec<u32> {
        words.iter().map(|word| self.of_word(word).unwrap_or(MISSING)).collect()
    }
}

fn by_words(listed: Vec<(String, u32)>, by_stem: bool) -> By {
    let (mut words, mut topics) = (Interner::new(), Vec::with_capacity(listed.len()));
    for (word, topic) in listed {
        if words.intern(&word) as usize == topics.len() {
            topics.push(topic);
        }
    }
    By::Words { words, topic: topics, by_stem }
}

/// The words that at least so many persons have in some lines, in rising order, how many have each, and how often each person has them.
fn shared_words(words: &LineWords, of: &[LinesOf], least: usize) -> (Vec<String>, Vec<u32>, Vec<Mix>) {
    let mixes: Vec<Mix> = of.iter().map(|(person, lines)| words.mix(*person, lines.clone())).collect();
    let mut persons = vec![0u32; words.vocabulary().len()];
    mixes.iter().flatten().for_each(|&(word, _)| persons[word as usize] += 1);
    let text = |word: &u32| words.vocabulary().get(*word);
    let mut kept: Vec<u32> =
        (0..persons.len() as u32).filter(|&word| persons[word as usize] as usize >= least).collect();
    kept.sort_by(|one, other| text(one).cmp(text(other)));
    let mut place = vec![MISSING; persons.len()];
    kept.iter().zip(0..).for_each(|(&word, at)| place[word as usize] = at);
    let of_kept = |mix: Mix| -> Mix {
        let mut own: Mix = mix.into_iter().map(|(word, count)| (place[word as usize], count)).collect();
        own.retain(|&(word, _)| word != MISSING);
        own.sort_unstable();
        own
    };
    let numbers = kept.iter().map(|&word| persons[word as usize]).collect();
    (kept.iter().map(|word| text(word).to_owned()).collect(), numbers, mixes.into_iter().map(of_kept).collect())
}

/// The stems of keywords, in rising order, each with the number of its topic.
fn stems(topics: &[(String, Vec<String>)]) -> Result<Vec<(String, u32)>> {
    let mut all: Vec<(String, u32, &str)> = Vec::new();
    for (number, (name, keywords)) in (0u32..).zip(topics) {
        for keyword in keywords {
            let words: Vec<&str> = written_words(keyword).collect();
            let [word] = words[..] else {
                return Err(Error::data(format!("the keyword `{keyword}` of the topic `{name}` is not one word"))
                    .with_hint("keywords are compared word by word: write its words one by one"));
            };
            all.push((stem(&lowered(word)), number, keyword));
        }
    }
    all.sort();
    for pair in all.windows(2) {
        if pair[0].0 == pair[1].0 && pair[0].1 != pair[1].1 {
            let [one, other] = [&pair[0], &pair[1]].map(|(_, topic, word)| (&topics[*topic as usize].0, word));
            let what = if one.1 == other.1 {
                format!("the keyword `{}` is in two topics, `{}` and `{}`", one.1, one.0, other.0)
            } else {
                format!("the keywords `{}` of `{}` and `{}` of `{}` have one stem", one.1, one.0, other.1, other.0)
            };
            return Err(Error::data(what).with_hint("a word says something about one topic: take it out of the other"));
        }
    }
    let mut stems: Vec<(String, u32)> = all.into_iter().map(|(stem, topic, _)| (stem, topic)).collect();
    stems.dedup();
    Ok(stems)
}

/// For each synset the nearest unique beginner above it, or [`MISSING`].
fn beginners(wordnet: &WordNet) -> Result<Vec<u32>> {
    let mut found = vec![MISSING; wordnet.synsets()];
    for (number, (name, synsets)) in (0u32..).zip(BEGINNERS) {
        for synset in synsets {
            let Some(root) = wordnet.find_name(synset) else {
                return Err(Error::data(format!(
                    "this WordNet has no synset `{synset}`, which stands for the beginner `{name}`"
                ))
                .with_hint("topics of WordNet need its version 3.0"));
            };
            found[root as usize] = number;
        }
    }
    // Synsets come after what lies above them.
    for synset in 0..found.len() {
        if found[synset] == MISSING && synset != ROOT as usize {
            let above = wordnet.hypernyms(synset as u32).first().copied().unwrap_or(ROOT);
            found[synset] = found[above as usize];
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::QueryLogBuilder;
    use crate::profiles::Profile;
    use crate::profiles::lines::Pages;
    use crate::progress::Silent;

    fn listed(topics: &[(&str, &[&str])]) -> Source {
        let own =
            |(name, words): &(&str, &[&str])| ((*name).to_owned(), words.iter().map(|&word| word.to_owned()).collect());
        Source::Listed(topics.iter().map(own).collect())
    }

    /// Three pages as the paper has them (its Figure 8: a row a page, a column a topic, in each how often its keywords occur):
    ///
    /// | page | sport | music | travel |
    /// | --- | --- | --- | --- |
    /// | a | 4 | 0 | 0 |
    /// | b | 1 | 2 | 0 |
    /// | c | 0 | 1 | 2 |
    /// | all | 5 (50 %) | 3 (30 %) | 2 (20 %) |
    #[test]
    fn three_pages_by_hand() {
        let mut builder = QueryLogBuilder::new();
        for (minute, url) in [(0, "http://a.example"), (1, "http://b.example/x"), (2, "http://c.example")] {
            builder.push("1", "go", minute * 60_000, None, Some(url));
        }
        let mut pages = Pages::new();
        pages.add("a.example", "Football, footballs and goals: the league.");
        pages.add("b.example/x.html", "The song of a goal. Bands!");
        pages.add("c.example", "Hotels, flights, a band of flying.");
        let words = LineWords::of(&builder.finish(), &pages);
        let source = listed(&[
            ("sport", &["football", "goal", "league"]),
            ("music", &["song", "band"]),
            ("travel", &["hotel", "flight"]),
        ]);
        let topics = Topics::build(&source, &words, &[(0, 0..3)], 5, &Silent).unwrap();
        let topic_of = topics.of_words(words.vocabulary());
        let counts = |lines| words.counts(0, lines, |word| topic_of[word as usize]);
        assert_eq!(
            (counts(0..1), counts(1..2), counts(2..3)),
            (vec![(0, 4)], vec![(0, 1), (1, 2)], vec![(1, 1), (2, 2)])
        );
        // Of all pages, not the mean of their percentages: that would be 44 % sport.
        assert_eq!(Profile::of(&counts(0..3)).unwrap().shares(), [(0, 0.5), (1, 0.3), (2, 0.2)]);
        let again = Topics::of_record(&topics.record(), || Err(Error::internal("not asked for"))).unwrap().unwrap();
        assert_eq!((again.record(), again.of_word("leagues"), again.of_word("lead")), (topics.record(), Some(0), None));
    }

    #[test]
    fn a_word_is_in_one_topic() {
        let words = LineWords::of(&QueryLogBuilder::new().finish(), &Pages::new());
        let refused =
            |topics: &[(&str, &[&str])]| Topics::build(&listed(topics), &words, &[], 5, &Silent).unwrap_err().message();
        let message = refused(&[("sport", &["goal", "club"]), ("night", &["bar", "Club"])]);
        assert!(message.contains("club") && message.contains("sport") && message.contains("night"), "{message}");
        let message = refused(&[("sport", &["running"]), ("code", &["run"])]);
        assert!(message.contains("running") && message.contains("`code`"), "{message}");
        assert!(refused(&[("sport", &["ice hockey"])]).contains("one word"));
        assert!(Topics::build(&listed(&[("sport", &["goal", "goals"])]), &words, &[], 5, &Silent).is_ok());
    }

    #[test]
    fn words_of_few_persons_are_no_topics() {
        let mut builder = QueryLogBuilder::new();
        for person in 0..6 {
            builder.push(&person.to_string(), if person < 5 { "zebra the ant" } else { "ant bee" }, 0, None, None);
        }
        let words = LineWords::of(&builder.finish(), &Pages::new());
        let of: Vec<LinesOf> = (0..6).map(|person| (person, 0..1)).collect();
        let topics = Topics::build(&Source::Words, &words, &of, 5, &Silent).unwrap();
        let names: Vec<(&str, Option<u32>)> =
            topics.names().iter().map(|name| (name.name.as_str(), name.persons)).collect();
        assert_eq!(names, [("ant", Some(6)), ("zebra", Some(5))]);
        assert_eq!((topics.names()[1].shared(5), topics.names()[1].shared(6)), (Some("zebra"), None));
        assert_eq!((topics.of_word("bee"), topics.of_word("zebra"), topics.of_word("the")), (None, Some(1), None));
        let learned = Topics::build(&Source::Learned { parts: 2, seed: 0 }, &words, &of, 5, &Silent).unwrap();
        assert_eq!(learned.names().len(), 2);
        assert!(learned.of_word("ant").is_some() && learned.of_word("bee").is_none());
        assert!(Topics::build(&Source::Learned { parts: 0, seed: 0 }, &words, &of, 5, &Silent).is_err());
    }
}
