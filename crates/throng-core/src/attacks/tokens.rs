//! Hashed words and how an attacker undoes them: tokens and words counted, assigned to each other, and the assignment scored.
//!
//! # Idea
//! 1. The most frequent tokens of the release, and as many of the most frequent words of a log that the attacker has.
//! 2. Some assignment of words to tokens is the guess; pairs that are known already stay.
//! 3. Truth: lines of a person with the same time and rank in original and release are the same line, so that its words are its tokens.
//!
//! # Formula
//! attempts: occurrences of the attacked tokens, those of known pairs left out; hits: occurrences of those to which their word was assigned.
//! Baseline: whoever takes every token for the most frequent word is right as often as that occurs.
//!
//! # Cost
//! Time linear in the lines, and for m tokens O(m²) for each line's pairs at most; memory 16 m² bytes.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::{Asked, AttackInfo, Outcome, Scene, Truth};
use crate::data::{Interner, QueryLog};
use crate::distance::assignment::Assignment;
use crate::error::{Error, Result};
use crate::text::{lower_words, lowered, written_words};

/// What is added inside of logarithms: what was never seen may be.
pub(super) const UNSEEN: f64 = 1e-7;

/// Words of a log with how many lines hold them, most frequent first.
pub(super) struct Counted {
    words: Interner,
    /// For each string of the log its different words, and how many lines have the string.
    strings: Vec<(Vec<u32>, u64)>,
    /// For each word how many lines hold it, and how often it occurs.
    holding: Vec<u64>,
    occurrences: Vec<u64>,
    lines: u64,
}

impl Counted {
    /// The words of the lines of a log, of records that stand for so many persons each.
    pub(super) fn of(log: &QueryLog, multiplicity: impl Fn(usize) -> u32) -> Self {
        let mut lines_of = vec![0u64; log.queries().len()];
        for person in 0..log.persons() {
            let times = u64::from(multiplicity(person));
            log.query_ids(log.range(person)).iter().for_each(|&query| lines_of[query as usize] += times);
        }
        let mut words = Interner::new();
        let (mut strings, mut holding, mut occurrences) = (Vec::new(), Vec::new(), Vec::new());
        for (string, &lines) in log.queries().iter().zip(&lines_of).filter(|(_, lines)| **lines > 0) {
            let mut own: Vec<u32> = written_words(string).map(|word| words.intern(&lowered(word))).collect();
            holding.resize(words.strings().len(), 0);
            occurrences.resize(words.strings().len(), 0);
            own.iter().for_each(|&word| occurrences[word as usize] += lines);
            own.sort_unstable();
            own.dedup();
            own.iter().for_each(|&word| holding[word as usize] += lines);
            strings.push((own, lines));
        }
        Self { words, strings, holding, occurrences, lines: lines_of.iter().sum() }
    }

    /// The words that most lines hold, at most so many, without some; ties in the order of the alphabet.
    fn top(&self, count: usize, without: &BTreeSet<u32>) -> Vec<u32> {
        let mut words: Vec<u32> = (0..self.holding.len() as u32).filter(|word| !without.contains(word)).collect();
        let key = |word: &u32| (std::cmp::Reverse(self.holding[*word as usize]), self.words.strings().get(*word));
        words.sort_by(|left, right| key(left).cmp(&key(right)));
        words.truncate(count);
        words
    }

    /// For each two of some words the share of lines that hold both; on the diagonal the share that holds one.
    fn shares(&self, chosen: &[u32]) -> Vec<f64> {
        let side = chosen.len();
        let mut place = vec![usize::MAX; self.holding.len()];
        chosen.iter().enumerate().for_each(|(at, &word)| place[word as usize] = at);
        let mut counts = vec![0u64; side * side];
        let mut own = Vec::new();
        for (words, lines) in &self.strings {
            own.clear();
            own.extend(words.iter().map(|&word| place[word as usize]).filter(|&at| at != usize::MAX));
            for &left in &own {
                own.iter().for_each(|&right| counts[left * side + right] += lines);
            }
        }
        counts.into_iter().map(|count| count as f64 / self.lines.max(1) as f64).collect()
    }
}

/// Tokens and words side by side: what an attacker has before the first guess.
pub(super) struct Tokens<'a> {
    release: &'a QueryLog,
    counted: Counted,
    /// The attacked tokens, then those of known pairs; and as many words, then those of known pairs in the same order. There may be fewer
    /// words to guess than tokens.
    tokens: Vec<u32>,
    words: Vec<String>,
    /// How many tokens, and how many words, have no known pair.
    pub(super) open: usize,
    pub(super) open_words: usize,
    /// Shares of lines that hold both, of tokens and of words.
    pub(super) of_tokens: Vec<f64>,
    pub(super) of_words: Vec<f64>,
    /// The number of lines of the release.
    pub(super) lines: f64,
}

impl<'a> Tokens<'a> {
    /// The most frequent tokens of a release, and the most frequent words of another log.
    pub(super) fn new(
        release: &'a QueryLog,
        multiplicity: &[u32],
        reference: &QueryLog,
        asked: &Asked,
    ) -> Result<Self> {
        let counted = Counted::of(release, |record| multiplicity[record]);
        let known = Counted::of(reference, |_| 1);
        let (mut seed_tokens, mut seed_words) = (Vec::new(), Vec::new());
        for Seed { line, token, word } in &asked.seeds {
            let find = |table: &Counted, text: &str, taken: &[u32], what: &str| {
                let number = table.words.find(text);
                let wrong = |problem: String| Err(Error::data(problem).at_line(*line).with_value(text));
                match number {
                    None => wrong(format!("a known pair names a {what} that is not there")),
                    Some(number) if taken.contains(&number) => wrong(format!("two known pairs name the same {what}")),
                    Some(number) => Ok(number),
                }
            };
            seed_tokens.push(find(&counted, token, &seed_tokens, "token of the release")?);
            seed_words.push(find(&known, word, &seed_words, "word of the reference")?);
        }
        let mut tokens = counted.top(asked.top, &seed_tokens.iter().copied().collect());
        let mut words = known.top(tokens.len(), &seed_words.iter().copied().collect());
        let (open, open_words) = (tokens.len(), words.len());
        tokens.extend(seed_tokens);
        words.extend(seed_words);
        let (of_tokens, of_words) = (counted.shares(&tokens), known.shares(&words));
        let words = words.into_iter().map(|word| known.words.strings().get(word).to_owned()).collect();
        let lines = counted.lines as f64;
        Ok(Self { release, counted, tokens, words, open, open_words, of_tokens, of_words, lines })
    }

    /// How many tokens there are, known pairs among them; and how many words.
    pub(super) fn sides(&self) -> [usize; 2] {
        [self.tokens.len(), self.words.len()]
    }

    /// Gives each open token the word of its own that gains most in all, by `gain(token, word)`. A token without a word gets none.
    pub(super) fn assigned(&self, gain: impl Fn(usize, usize) -> f64) -> Vec<Option<usize>> {
        let columns = self.open.max(self.open_words);
        let mut gains = vec![0.0; self.open * columns];
        for token in 0..self.open {
            for word in 0..self.open_words {
                gains[token * columns + word] = gain(token, word);
            }
        }
        // Whole numbers, of which sums are exact; no word at all is worse than any.
        let greatest = gains.iter().fold(f64::MIN_POSITIVE, |greatest, gain| gain.abs().max(greatest));
        let whole = |gain: f64| (gain / greatest * (1u64 << 40) as f64).round() as i64;
        let mut whole: Vec<i64> = gains.into_iter().map(whole).collect();
        for row in whole.chunks_mut(columns.max(1)) {
            row[self.open_words..].fill(-1 << 42);
        }
        let mut assignment = Assignment::default();
        let found = assignment.solve(&whole, self.open, columns);
        found.iter().map(|&word| (word < self.open_words).then_some(word)).collect()
    }

    /// What a guess hits, by what persons of the original wrote.
    fn outcome(
        &self,
        truth: Truth<'_, QueryLog>,
        card: &'static AttackInfo,
        guess: &[Option<usize>],
        asked: &Asked,
    ) -> Outcome {
        let written = written(truth, self.release, &self.counted, &self.tokens[..self.open]);
        let occurrences = |token: usize| self.counted.occurrences[self.tokens[token] as usize];
        let is_hit = |token: &usize| {
            let guessed = guess[*token].map(|word| self.words[word].as_str());
            guessed.is_some() && guessed == written.get(&self.tokens[*token]).map(String::as_str)
        };
        let inverted: Vec<usize> = (0..self.open).filter(is_hit).collect();
        let attempts: u64 = (0..self.open).map(occurrences).sum();
        let hits: u64 = inverted.iter().copied().map(occurrences).sum();
        let most = (0..self.open).map(occurrences).max();
        Outcome::new(card, attempts, hits as f64)
            .with_baseline(most.map(|most| most as f64 / attempts as f64))
            .with_knowledge(json!({"top": asked.top, "seeds": asked.seeds.len()}))
            .with_parts(json!({"tokens": self.open, "inverted": inverted.len()}))
    }
}

/// A pair of token and word that the attacker knows beforehand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seed {
    /// The line of the file in which it stands.
    pub line: u64,
    /// The token.
    pub token: String,
    /// The word.
    pub word: String,
}

/// Attacks hashed words by a way to guess.
pub(super) fn attack(
    scene: &Scene<'_, QueryLog>,
    asked: &Asked,
    card: &'static AttackInfo,
    guess: impl FnOnce(&Tokens<'_>) -> Vec<Option<usize>>,
) -> Result<Vec<Outcome>> {
    let looking = scene.knowing_nothing().looking(|released, ()| {
        let reference = released.reference.ok_or_else(|| Error::refused(crate::info::Need::Reference.reason()))?;
        Tokens::new(released.data, released.multiplicity, reference, asked)
    })?;
    looking.once(
        |tokens, ()| Ok(guess(tokens)),
        |truth, tokens, (), guess| vec![tokens.outcome(truth, card, &guess, asked)],
    )
}

/// Whether all words of a log are tokens, as `token-hashing` makes them: sixteen hexadecimal digits.
pub(crate) fn is_hashed(log: &QueryLog) -> bool {
    let is_token = |word: &str| {
        word.len() == 16 && word.bytes().all(|digit| digit.is_ascii_digit() || (b'a'..=b'f').contains(&digit))
    };
    let mut words = log.queries().iter().flat_map(crate::text::written_words).peekable();
    words.peek().is_some() && words.all(is_token)
}

/// For some tokens the words that persons of the original wrote: those of the only line with the same time and rank.
fn written(truth: Truth<'_, QueryLog>, release: &QueryLog, counted: &Counted, tokens: &[u32]) -> BTreeMap<u32, String> {
    let mut open: BTreeSet<u32> = tokens.iter().copied().collect();
    let mut written = BTreeMap::new();
    for person in 0..truth.original.persons() {
        let Some(record) = truth.record_of(person as u32).filter(|_| !open.is_empty()) else { continue };
        let [own, released] =
            [(truth.original, person), (release, record as usize)].map(|(log, person)| only_lines(log, person));
        for (place, query) in own {
            let (Some(query), Some(Some(hashed))) = (query, released.get(&place)) else { continue };
            let words: Vec<String> = lower_words(truth.original.queries().get(query)).collect();
            let hashed: Vec<String> = lower_words(release.queries().get(*hashed)).collect();
            if words.len() == hashed.len() {
                for (word, token) in words.into_iter().zip(hashed) {
                    if let Some(token) = counted.words.find(&token).filter(|token| open.remove(token)) {
                        written.insert(token, word);
                    }
                }
            }
        }
    }
    written
}

/// By time and rank the query of a person's lines; `None` where several lines have both.
fn only_lines(log: &QueryLog, person: usize) -> BTreeMap<(i64, Option<u32>), Option<u32>> {
    let mut only = BTreeMap::new();
    for line in log.lines(person) {
        only.entry((line.time, line.rank)).and_modify(|query| *query = None).or_insert(Some(line.query));
    }
    only
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::super::testing::asked;
    use super::*;
    use crate::measures::testing::log;
    use crate::progress::Silent;

    /// A log whose words became tokens: sixteen times the letter of their place in the list.
    pub(in super::super) fn hashed(persons: &[&[&str]], words: &[&str]) -> QueryLog {
        let token = |word: &str| {
            let at = words.iter().position(|other| *other == word).unwrap();
            "abcdef".chars().nth(at).unwrap().to_string().repeat(16)
        };
        let query = |query: &&str| query.split(' ').map(token).collect::<Vec<_>>().join(" ");
        let rows: Vec<Vec<String>> = persons.iter().map(|rows| rows.iter().map(query).collect()).collect();
        let rows: Vec<Vec<&str>> = rows.iter().map(|rows| rows.iter().map(String::as_str).collect()).collect();
        log(&rows.iter().map(Vec::as_slice).collect::<Vec<_>>())
    }

    #[test]
    fn counted_by_hand() {
        let log = log(&[&["red car", "red red"], &["car", "blue"]]);
        let counted = Counted::of(&log, |person| if person == 0 { 2 } else { 1 });
        let found: Vec<_> = counted
            .top(9, &BTreeSet::new())
            .into_iter()
            .map(|word| {
                (counted.words.strings().get(word), counted.holding[word as usize], counted.occurrences[word as usize])
            })
            .collect();
        assert_eq!((found, counted.lines), (vec![("red", 4, 6), ("car", 3, 3), ("blue", 1, 1)], 6));
        let chosen = counted.top(2, &BTreeSet::new());
        assert_eq!(counted.shares(&chosen), [4.0 / 6.0, 2.0 / 6.0, 2.0 / 6.0, 3.0 / 6.0]);
    }

    #[test]
    fn tokens_are_recognised() {
        assert!(is_hashed(&hashed(&[&["red car"], &["car"]], &["red", "car"])));
        assert!(!is_hashed(&log(&[&["aaaaaaaaaaaaaaaa red"]])));
        assert!(!is_hashed(&log(&[&["--"]])) && !is_hashed(&log(&[])));
    }

    #[test]
    fn lines_at_the_same_time_say_nothing() {
        let original = log(&[&["red car", "blue"]]);
        let release = hashed(&[&["red car", "blue"]], &["red", "car", "blue"]);
        let counted = Counted::of(&release, |_| 1);
        let link = [Some(0)];
        let truth = Truth { original: &original, control: None, link: Some(&link), further: &[], groups: None };
        let found = written(truth, &release, &counted, &[0, 1, 2]);
        assert_eq!(found.into_values().collect::<Vec<_>>(), ["red", "car", "blue"]);
        let mut builder = crate::data::QueryLogBuilder::new();
        builder.push("0", "red", 0, None, None);
        builder.push("0", "blue", 0, None, None);
        let twice = builder.finish();
        assert!(written(Truth { original: &twice, ..truth }, &release, &counted, &[0, 1, 2]).is_empty());
    }

    #[test]
    fn known_pairs_are_checked() {
        let release = hashed(&[&["red car"]], &["red", "car"]);
        let reference = log(&[&["red car"]]);
        let scene = Scene::new(&reference, &release, &[1], None, &Silent).with_reference(Some(&reference));
        let seed = |line: u64, token: &str, word: &str| Seed { line, token: token.repeat(16), word: word.to_owned() };
        let problem = |seeds: Vec<Seed>| {
            attack(&scene, &Asked { seeds, ..asked() }, &super::super::frequency::INFO, |_| Vec::new())
                .unwrap_err()
                .to_string()
        };
        assert!(problem(vec![seed(2, "f", "red")]).contains("token of the release that is not there"));
        assert!(problem(vec![seed(2, "a", "dog")]).contains("word of the reference that is not there"));
        assert!(
            problem(vec![seed(2, "a", "red"), seed(3, "a", "car")]).contains("two known pairs name the same token")
        );
        assert!(problem(vec![seed(2, "a", "red"), seed(3, "b", "red")]).contains("two known pairs name the same word"));
    }

    proptest! {
        /// Every way to give words to tokens is tried; no gain is near another, so that the best is one alone.
        #[test]
        fn equals_all_assignments(gains in prop::collection::vec(-50i32..50, 16), words in 1usize..5) {
            let names = ["red", "car", "blue", "dog"];
            let release = hashed(&[&["red"], &["car"], &["blue"], &["dog"]], &names);
            let reference = log(&[&names[..words]]);
            let tokens = Tokens::new(&release, &[1; 4], &reference, &asked()).unwrap();
            let gain = |token: usize, word: usize| f64::from(gains[token * 4 + word]);
            let sum = |guess: &[Option<usize>]| {
                guess.iter().enumerate().filter_map(|(token, word)| Some(gain(token, (*word)?))).sum::<f64>()
            };
            let found = tokens.assigned(gain);
            prop_assert_eq!(found.iter().flatten().collect::<BTreeSet<_>>().len(), words);
            let mut best = f64::MIN;
            let mut all = vec![Vec::new()];
            for _ in 0..4 {
                all = all.into_iter().flat_map(|way: Vec<Option<usize>>| {
                    let free: Vec<Option<usize>> = std::iter::once(None).chain((0..words).map(Some)).filter(|word| word.is_none() || !way.contains(word)).collect();
                    free.into_iter().map(move |word| [way.clone(), vec![word]].concat())
                }).collect();
            }
            for way in all.iter().filter(|way| way.iter().flatten().count() == words) {
                best = best.max(sum(way));
            }
            prop_assert!((sum(&found) - best).abs() < 1e-6, "{} {best}", sum(&found));
        }
    }
}
