//! How made-up persons word their queries: patterns filled in, other forms of the same query, slips of the keyboard.

use std::fmt::Write as _;

use super::person::{Interest, Person};
use super::world::{Piece, World, mix};
use crate::Rng;

/// No query has more words.
const MOST_WORDS: usize = 7;

/// A query as meant, and what it is about: that decides which results it has.
#[derive(Debug, Default)]
pub(super) struct Query {
    pub(super) text: String,
    /// The town or family name in it, without blanks; empty if there is none.
    name: String,
    topic: usize,
    /// The topic's word that the query turns on.
    word: usize,
    spare: String,
}

impl Query {
    /// Makes a new query of an interest.
    pub(super) fn compose(&mut self, world: &World, person: &Person, interest: &Interest, rng: &mut Rng) {
        let topic = world.topics.get(interest.topic);
        self.text.clear();
        self.name.clear();
        self.topic = interest.topic;
        self.word = interest.words[0];
        let kind = rng.unit();
        if kind < 0.004 {
            self.push_word(world.foreign_words[rng.index(world.foreign_words.len())]);
        }
        let pattern = if kind < 0.3 { topic.phrases.pick(rng) } else { world.patterns.pick(rng) };
        for piece in pattern {
            self.push_piece(*piece, world, person, interest, rng);
        }
    }

    /// Turns the query into another form of itself: a word more, a word less or a word replaced.
    pub(super) fn reformulate(&mut self, world: &World, person: &Person, interest: &Interest, rng: &mut Rng) {
        let words = self.text.split(' ').count();
        let change = rng.unit();
        if change < 0.05 && words < MOST_WORDS {
            self.text.insert(0, ' ');
            self.text.insert_str(0, world.adjectives.pick(rng));
            return;
        }
        if words == 1 || (change < 0.5 && words < MOST_WORDS) {
            let piece = match rng.below(10) {
                0..=5 => Piece::TopicWord,
                6..=7 => Piece::Noun,
                8 => Piece::Place,
                _ => Piece::Number,
            };
            self.push_piece(piece, world, person, interest, rng);
            return;
        }
        let changed = rng.index(words);
        let text = std::mem::take(&mut self.text);
        self.text = std::mem::take(&mut self.spare);
        self.text.clear();
        for (position, word) in text.split(' ').enumerate() {
            if position != changed {
                self.push_word(word);
                continue;
            }
            if self.name.contains(word) {
                self.name.clear();
            }
            if change > 0.75 {
                self.push_piece(Piece::TopicWord, world, person, interest, rng);
            }
        }
        self.spare = text;
    }

    /// Writes the query as typed: seldom with a slip in a word or with stray punctuation.
    pub(super) fn write_typed(&self, person: &Person, rng: &mut Rng, out: &mut String) {
        write_typed(&self.text, person.misspelling, rng, out);
    }

    /// Writes the URL of the result with this rank. The same words have the same results, whoever asks.
    pub(super) fn write_result(&self, world: &World, rank: u32, out: &mut String) {
        let hash = mix(mix(self.topic as u64, self.word as u64), u64::from(rank));
        if !self.name.is_empty() && hash % 5 < 2 {
            world.write_small_site(&self.name, hash >> 3, out);
        } else {
            out.push_str(&world.topics.get(self.topic).hosts.at_hash(hash).url);
        }
    }

    fn push_piece(&mut self, piece: Piece, world: &World, person: &Person, interest: &Interest, rng: &mut Rng) {
        match piece {
            Piece::Text(text) => self.push_word(text),
            Piece::TopicWord => {
                let words = &world.topics.get(interest.topic).words;
                let liked = interest.words[rng.index(interest.words.len())];
                self.word = if rng.unit() < 0.5 { liked } else { words.pick_index(rng) };
                if self.text.ends_with(words.get(self.word)) {
                    self.word = words.pick_index(rng);
                }
                self.push_word(words.get(self.word));
            }
            Piece::Adjective => self.push_word(world.adjectives.pick(rng)),
            Piece::Noun => self.push_word(world.nouns.pick(rng)),
            Piece::Place => {
                let at_home = rng.unit() < 0.5;
                let town = world.towns.get(if at_home { person.home } else { world.towns.pick_index(rng) });
                self.push_name(&town.name);
                if rng.unit() < 0.5 {
                    self.push_word(town.state);
                }
            }
            Piece::Name => {
                if rng.unit() < 0.4 {
                    self.push_word(world.given_names[rng.index(world.given_names.len())]);
                }
                if rng.unit() < 0.6 {
                    self.push_name(&person.family_names[rng.index(person.family_names.len())]);
                } else {
                    self.push_name(&world.family_name(rng));
                }
            }
            Piece::Number => self.push_number("", number(rng)),
            Piece::Model => {
                let letters = [b'a' + rng.below(26) as u8, b'a' + rng.below(26) as u8].map(char::from);
                let series: String = letters[..1 + rng.index(2)].iter().collect();
                self.push_number(&series, [10, 50, 100][rng.index(3)] * (1 + rng.below(60)));
            }
        }
    }

    fn push_word(&mut self, word: &str) {
        if !self.text.is_empty() {
            self.text.push(' ');
        }
        self.text.push_str(word);
    }

    fn push_name(&mut self, name: &str) {
        self.push_word(name);
        self.name.clear();
        self.name.extend(name.split(' '));
    }

    fn push_number(&mut self, series: &str, number: u64) {
        self.push_word(series);
        let _ = write!(self.text, "{number}");
    }
}

/// A number as it comes up in queries: a recent year, a small count, a price, a form's or a house's number.
fn number(rng: &mut Rng) -> u64 {
    match rng.below(10) {
        0..=4 => 2006 - (40.0 * rng.unit() * rng.unit()) as u64,
        5..=7 => 1 + rng.below(30),
        8 => 100 * (1 + rng.below(50)),
        _ => 1000 + rng.below(9000),
    }
}

/// Writes a text as typed, with at most [`MOST_WORDS`] words: seldom a slip in a word, seldom stray punctuation.
pub(super) fn write_typed(text: &str, misspelling: f64, rng: &mut Rng, out: &mut String) {
    let (before, after) = match rng.below(1000) {
        0..=2 => ("\"", "\""),
        3 => ("\"", ""),
        4 => ("", "\""),
        5..=7 => ("", "?"),
        8 => ("", "."),
        9 => ("", ","),
        10 => ("", "'s"),
        11 => ("", "!"),
        12 => ("- ", ""),
        13 => ("", " &"),
        _ => ("", ""),
    };
    out.push_str(before);
    for (position, word) in text.split(' ').take(MOST_WORDS).enumerate() {
        if position > 0 {
            out.push(' ');
        }
        if rng.unit() < misspelling {
            write_misspelt(word, rng, out);
        } else {
            out.push_str(word);
        }
    }
    out.push_str(after);
}

/// Writes a word with two letters swapped, one dropped or one doubled. Very short words come out right.
fn write_misspelt(word: &str, rng: &mut Rng, out: &mut String) {
    let letters = word.len();
    if letters < 4 || !word.is_ascii() {
        out.push_str(word);
        return;
    }
    let at = 1 + rng.index(letters - 2);
    let (start, letter, rest) = (&word[..at], &word[at..=at], &word[at + 1..]);
    match rng.below(3) {
        0 => out.extend([start, &rest[..1], letter, &rest[1..]]),
        1 => out.extend([start, rest]),
        _ => out.extend([start, letter, letter, rest]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_change_one_letter() {
        let mut rng = Rng::seeded(1);
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..200 {
            let mut text = String::new();
            write_misspelt("rose", &mut rng, &mut text);
            seen.insert(text);
        }
        assert_eq!(Vec::from_iter(&seen), ["roe", "roes", "roose", "rosse", "rse", "rsoe"]);
    }

    #[test]
    fn short_and_foreign_words_come_out_right() {
        let mut text = String::new();
        write_misspelt("cat", &mut Rng::seeded(1), &mut text);
        write_misspelt("café", &mut Rng::seeded(1), &mut text);
        assert_eq!(text, "catcafé");
    }
}
