//! How made-up persons word their queries: patterns filled in, other forms of the same query, slips of the keyboard.

use std::fmt::Write as _;

use super::person::{Interest, Person};
use super::tail::write_misspelt;
use super::world::{Piece, World, mix};
use crate::Rng;

/// No query has more words.
const MOST_WORDS: usize = 9;
/// The share of queries that are a phrase of their topic.
const PHRASES: f64 = 0.06;
/// The share of queries that are a title of their topic.
const TITLES: f64 = 0.106;
/// Where a word of the topic stands in a pattern: the share that the person's own words have, and that of the long tail.
const OWN: f64 = 0.42;
const TAIL: f64 = 0.2;
/// Where a general adjective or noun stands in a pattern: the share of the one that comes up with the interest.
const GENERAL: f64 = 0.7;

/// A query as meant, and what it is about: that decides which results it has.
#[derive(Debug, Default)]
pub(super) struct Query {
    pub(super) text: String,
    /// The town or family name in it, without blanks; empty if there is none.
    pub(super) name: String,
    pub(super) topic: usize,
    /// The topic's word that the query turns on.
    pub(super) word: usize,
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
        if kind > 1.0 - TITLES {
            self.push_word(topic.titles.pick(rng));
            return;
        }
        let pattern = if kind < PHRASES { topic.phrases.pick(rng) } else { world.patterns.pick(rng) };
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
        if words == 1 || (change < 0.34 && words < MOST_WORDS) {
            let piece = match rng.below(10) {
                0..=5 => Piece::TopicWord,
                6..=7 => Piece::Noun,
                _ => Piece::Place,
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
            if change > 0.62 {
                self.push_piece(Piece::TopicWord, world, person, interest, rng);
            }
        }
        self.spare = text;
    }

    /// Writes the query as typed: seldom with a slip in a word or with stray punctuation.
    pub(super) fn write_typed(&self, person: &Person, rng: &mut Rng, out: &mut String) {
        write_typed(&self.text, person.misspelling, rng, out);
    }

    fn push_piece(&mut self, piece: Piece, world: &World, person: &Person, interest: &Interest, rng: &mut Rng) {
        match piece {
            Piece::Text(text) => self.push_word(text),
            Piece::TopicWord => self.push_topic_word(world, interest, rng),
            Piece::Adjective if rng.unit() < GENERAL => self.push_word(interest.adjective),
            Piece::Adjective => self.push_word(world.adjectives.pick(rng)),
            Piece::Noun if rng.unit() < GENERAL => self.push_word(interest.noun),
            Piece::Noun => self.push_word(world.nouns.pick(rng)),
            Piece::Place => {
                let at_home = rng.unit() < 0.4;
                let town = world.towns.get(if at_home { person.home } else { world.towns.pick_index(rng) });
                self.push_name(&town.name);
                if rng.unit() < 0.33 {
                    self.push_word(town.state);
                }
            }
            Piece::Name => self.push_person(world, person, rng),
            Piece::Verb => self.push_word(world.verbs.pick(rng)),
            Piece::Make => self.push_word(world.makes.pick(rng)),
            Piece::Number => self.push_number("", number(rng)),
            Piece::Model => {
                let letters = [b'a' + rng.below(26) as u8, b'a' + rng.below(26) as u8].map(char::from);
                let series: String = letters[..1 + rng.index(2)].iter().collect();
                self.push_number(&series, [1, 10, 50, 100][rng.index(4)] * (1 + rng.below(60)));
            }
        }
    }

    /// A word of the topic, or one of the long tail that this person connects with it.
    fn push_topic_word(&mut self, world: &World, interest: &Interest, rng: &mut Rng) {
        let words = &world.topics.get(interest.topic).words;
        let share = rng.unit();
        if share < TAIL {
            if !self.text.is_empty() {
                self.text.push(' ');
            }
            world.write_tail_word(rng, &mut self.text);
            return;
        }
        if share < TAIL + OWN {
            let liked = rng.index(interest.words.len() + interest.own.len());
            if let Some(own) = liked.checked_sub(interest.words.len()) {
                self.push_word(&interest.own[own]);
                return;
            }
            self.word = interest.words[liked];
        } else {
            self.word = words.pick_in_corner(interest.corner, rng);
        }
        if self.text.ends_with(words.get(self.word)) {
            self.word = words.pick_index(rng);
        }
        self.push_word(words.get(self.word));
    }

    /// Somebody, by family name or by both names; seldom what is called after somebody.
    fn push_person(&mut self, world: &World, person: &Person, rng: &mut Rng) {
        let kind = rng.below(10);
        if kind == 0 {
            let _ = write!(self.text, "{}{} ", if self.text.is_empty() { "" } else { " " }, 1 + rng.below(2999));
            self.text.truncate(self.text.trim_end().len());
        } else if kind < 6 {
            self.push_word(world.given_names.pick(rng));
        }
        if rng.unit() < 0.35 {
            self.push_name(&person.family_names[rng.index(person.family_names.len())]);
        } else {
            self.push_name(&world.family_name(rng));
        }
        match kind {
            0 => self.push_word(world.streets[rng.index(world.streets.len())]),
            9 => self.push_word(world.places[rng.index(world.places.len())]),
            _ => {}
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

/// Writes the URL of the result with this rank. The same words have the same results, whoever asks.
pub(super) fn write_result(world: &World, topic: usize, word: usize, name: &str, rank: u32, out: &mut String) {
    let hash = mix(mix(topic as u64, word as u64), u64::from(rank));
    if !name.is_empty() && hash % 5 < 2 {
        world.write_small_site(name, hash >> 3, out);
    } else {
        out.push_str(&world.topics.get(topic).hosts.at_hash(hash).url);
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
