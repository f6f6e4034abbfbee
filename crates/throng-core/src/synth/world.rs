//! The world in which the made-up persons search: topics with their sites, towns, family names.
//!
//! The world is the same for every seed, so that logs of different seeds are samples of one population.

use std::fmt::Write as _;

use super::tail::{Syllables, plural};
use super::vocabulary::{self, TopicWords};
use crate::Rng;

/// Hosts of a topic; the tail beyond them is made from the names in a query.
const HOSTS_OF_A_TOPIC: usize = 400;
/// A topic has so many corners: jazz is far from country music.
pub(super) const CORNERS: usize = 4;
/// How often somebody stays in their corner of a topic.
const IN_CORNER: f64 = 0.8;
const TITLES_OF_A_TOPIC: usize = 90;
const TOWNS: usize = 5000;
const COMMON_FAMILY_NAMES: usize = 6000;
/// Makes, products and shops that more than one person knows.
const KNOWN_MAKES: usize = 8000;

/// All that exists before the first person does.
#[derive(Debug)]
pub(super) struct World {
    pub(super) topics: Popular<Topic>,
    pub(super) sites: Popular<Site>,
    pub(super) queries: Popular<&'static str>,
    pub(super) patterns: Popular<Vec<Piece>>,
    pub(super) adjectives: Popular<&'static str>,
    pub(super) nouns: Popular<&'static str>,
    pub(super) verbs: Popular<&'static str>,
    pub(super) towns: Popular<Town>,
    pub(super) family_names: Popular<String>,
    pub(super) makes: Popular<String>,
    pub(super) given_names: Popular<&'static str>,
    rare_words: Popular<String>,
    pub(super) foreign_words: Vec<&'static str>,
    pub(super) streets: Vec<&'static str>,
    pub(super) places: Vec<&'static str>,
    pub(super) host_endings: Vec<&'static str>,
    pub(super) syllables: Syllables,
}

/// Something to be interested in.
#[derive(Debug)]
pub(super) struct Topic {
    pub(super) words: Popular<String>,
    pub(super) phrases: Popular<Vec<Piece>>,
    /// Songs, shows, products and the like: whole queries that some people share.
    pub(super) titles: Popular<String>,
    pub(super) hosts: Popular<Site>,
}

/// A site that can be named and clicked.
#[derive(Debug)]
pub(super) struct Site {
    /// Its name as two words.
    pub(super) name: String,
    /// Its name as one word.
    pub(super) slug: String,
    pub(super) url: String,
    pub(super) domain: &'static str,
}

/// A town and the state around it.
#[derive(Debug)]
pub(super) struct Town {
    pub(super) name: String,
    pub(super) state: &'static str,
}

/// A part of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece {
    Text(&'static str),
    TopicWord,
    Adjective,
    Noun,
    Place,
    Name,
    Number,
    Model,
    Make,
    Verb,
}

impl World {
    pub(super) fn new() -> Self {
        let mut rng = Rng::seeded(0);
        let syllables = Syllables::new();
        let host_endings: Vec<&str> = vocabulary::HOST_ENDINGS.split(' ').collect();
        let towns = distinct(TOWNS, |name| syllables.write_town(&mut rng, name));
        let family_names = distinct(COMMON_FAMILY_NAMES, |name| syllables.write_family_name(&mut rng, name));
        let makes = distinct(KNOWN_MAKES, |name| syllables.write_make(&mut rng, name));
        let states: Vec<&str> = vocabulary::STATES.split(", ").collect();
        let towns: Vec<Town> =
            towns.into_iter().map(|name| Town { name, state: states[rng.index(states.len())] }).collect();
        let topics =
            vocabulary::TOPICS.iter().map(|topic| Topic::new(topic, &host_endings, &towns, &makes, &mut rng)).collect();
        let mut rare_words: Vec<&str> = vocabulary::RARE.split(' ').collect();
        rng.shuffle(&mut rare_words);
        let site_words: Vec<&str> = vocabulary::SITES.split(' ').collect();
        let sites = site_words.chunks_exact(2).map(|pair| Site::new(pair[0], pair[1], "www.", ".com")).collect();
        Self {
            topics: Popular::new(topics, 0.4, 4.0),
            sites: Popular::new(sites, 1.0, 1.0),
            queries: Popular::new(vocabulary::POPULAR.split(", ").collect(), 0.8, 4.0),
            patterns: Popular::new(patterns(vocabulary::PATTERNS), 0.7, 0.0),
            adjectives: Popular::new(vocabulary::ADJECTIVES.split(' ').collect(), 0.85, 3.0),
            nouns: Popular::new(vocabulary::NOUNS.split(' ').collect(), 0.7, 5.0),
            verbs: Popular::new(vocabulary::VERBS.split(' ').collect(), 0.5, 2.0),
            towns: Popular::new(towns, 0.6, 20.0),
            family_names: Popular::new(family_names, 0.55, 20.0),
            makes: Popular::new(makes, 0.55, 20.0),
            given_names: Popular::new(vocabulary::GIVEN_NAMES.split(' ').collect(), 0.5, 4.0),
            rare_words: Popular::new(with_plurals(&rare_words), 0.3, 10.0),
            foreign_words: vocabulary::FOREIGN.split(' ').collect(),
            streets: vocabulary::STREETS.split(' ').collect(),
            places: vocabulary::PLACES.split(' ').collect(),
            host_endings,
            syllables,
        }
    }

    /// A family name, which nobody else need have.
    pub(super) fn family_name(&self, rng: &mut Rng) -> String {
        let mut name = String::new();
        if rng.unit() < 0.55 {
            name.push_str(self.family_names.pick(rng));
        } else {
            self.syllables.write_family_name(rng, &mut name);
        }
        name
    }

    /// A word of the long tail, which nobody else need know.
    pub(super) fn tail_word(&self, rng: &mut Rng) -> String {
        let mut word = String::new();
        self.write_tail_word(rng, &mut word);
        word
    }

    /// Writes a word of the long tail: a make, a product, a family name, a word of another language, two words run together.
    pub(super) fn write_tail_word(&self, rng: &mut Rng, out: &mut String) {
        match rng.below(100) {
            0..22 => out.push_str(self.rare_words.pick(rng)),
            22..60 => out.push_str(self.makes.pick(rng)),
            60..70 => self.syllables.write_make(rng, out),
            70..87 => out.push_str(&self.family_name(rng)),
            87..93 => self.syllables.write_foreign(rng, out),
            _ => {
                let words = &self.topics.pick(rng).words;
                out.extend([words.pick(rng), words.pick(rng)].map(String::as_str));
            }
        }
    }

    /// Writes the name of a small site without its domain.
    pub(super) fn write_slug(&self, topic: usize, rng: &mut Rng, out: &mut String) {
        let start = out.len();
        let words = &self.topics.get(topic).words;
        match rng.below(10) {
            0..3 => self.write_tail_word(rng, out),
            3..6 => {
                self.write_tail_word(rng, out);
                out.push_str(words.pick(rng));
            }
            6..8 => out.extend([words.pick(rng), words.pick(rng)].map(String::as_str)),
            8 => {
                out.push_str(&self.towns.pick(rng).name);
                out.push_str(self.host_endings[rng.index(self.host_endings.len())]);
            }
            _ => {
                out.push_str(words.pick(rng));
                out.push_str(self.host_endings[rng.index(self.host_endings.len())]);
            }
        }
        if rng.unit() < 0.04 {
            let _ = write!(out, "{}", 1 + rng.below(2006));
        }
        let slug: String = out[start..].split(' ').collect();
        out.truncate(start);
        out.push_str(&slug);
    }

    /// A site that somebody goes to again and again: most of all the first few.
    pub(super) fn favourite_site(&self, rng: &mut Rng) -> usize {
        [0; 3].map(|_| self.sites.pick_index(rng)).into_iter().fold(usize::MAX, usize::min)
    }

    /// How a host ends.
    pub(super) fn domain(&self, rng: &mut Rng) -> &'static str {
        vocabulary::DOMAINS[rng.index(vocabulary::DOMAINS.len())]
    }

    /// Writes the URL of a small site about a person or a town.
    pub(super) fn write_small_site(&self, slug: &str, hash: u64, out: &mut String) {
        let ending = self.host_endings[hash as usize % self.host_endings.len()];
        let domain = vocabulary::DOMAINS[(hash >> 32) as usize % vocabulary::DOMAINS.len()];
        for part in ["http://www.", slug, ending, domain] {
            out.push_str(part);
        }
    }
}

impl Topic {
    fn new(topic: &'static TopicWords, host_endings: &[&str], towns: &[Town], makes: &[String], rng: &mut Rng) -> Self {
        let mut words = vec![topic.name];
        for word in topic.words.split(' ') {
            if !words.contains(&word) {
                words.push(word);
            }
        }
        let mut hosts: Vec<Site> = Vec::new();
        while hosts.len() < HOSTS_OF_A_TOPIC {
            let word = words[rng.index(words.len())];
            let host = match rng.below(100) {
                0..=2 => Site::new(&towns[rng.index(towns.len())].name, "college", "www.", ".edu"),
                3..=4 => Site::new(&towns[rng.index(towns.len())].name, "county", "www.", ".gov"),
                kind => {
                    let second = if kind < 45 {
                        words[rng.index(words.len())]
                    } else {
                        host_endings[rng.index(host_endings.len())]
                    };
                    let prefix = ["", "", "members.", "forum.", "shop."].get(rng.index(40)).copied().unwrap_or("www.");
                    Site::new(word, second, prefix, vocabulary::DOMAINS[rng.index(vocabulary::DOMAINS.len())])
                }
            };
            let stutters = host.name == format!("{word} {word}");
            if !stutters && hosts.iter().all(|other| other.url != host.url) {
                hosts.push(host);
            }
        }
        let phrases = patterns(topic.phrases);
        let titles = distinct(TITLES_OF_A_TOPIC, |title| write_title(&words, makes, rng, title));
        Self {
            words: Popular::new(with_plurals(&words), 1.0, 3.0),
            titles: Popular::new(titles, 0.5, 2.0),
            phrases: Popular::new(phrases, 0.3, 0.0),
            hosts: Popular::new(hosts, 0.7, 0.0),
        }
    }
}

impl Site {
    fn new(first: &str, second: &str, prefix: &str, domain: &'static str) -> Self {
        let name = format!("{first} {second}");
        let slug = name.replace(' ', "");
        let url = format!("http://{prefix}{slug}{domain}");
        Self { name, slug, url, domain }
    }
}

/// Writes something that is called after two words of a topic, or after a make.
fn write_title(words: &[&str], makes: &[String], rng: &mut Rng, out: &mut String) {
    let [first, second] = [0, 1].map(|_| words[rng.index(words.len())]);
    let make = makes[rng.index(makes.len())].as_str();
    match rng.below(6) {
        0 => out.extend([first, " ", second]),
        1 => out.extend(["the ", first, " of ", second]),
        2 => out.extend([make, " ", first]),
        3 => out.extend([first, " ", make]),
        4 => out.extend([first, second]),
        _ => out.extend(["the ", first, " ", second]),
    }
}

/// Words in the order of their popularity with their plurals among them, each further behind.
fn with_plurals(words: &[&str]) -> Vec<String> {
    let mut ranked: Vec<(usize, String)> = Vec::new();
    for (rank, word) in words.iter().enumerate() {
        ranked.push((2 * rank, (*word).to_owned()));
        // Some lists have both forms.
        let plural = plural(word).filter(|plural| !words.contains(&plural.as_str()));
        ranked.extend(plural.map(|plural| (3 * rank + 7, plural)));
    }
    ranked.sort();
    ranked.into_iter().map(|(_, word)| word).collect()
}

/// Items with the popularity of Zipf and Mandelbrot: item number r (from 1) comes up in proportion to r + flat to the power of minus the
/// exponent. The more flat, the less do the first stand out.
#[derive(Debug)]
pub(super) struct Popular<T> {
    items: Vec<T>,
    /// The share of the items up to and including each.
    cumulative: Vec<f64>,
}

impl<T> Popular<T> {
    fn new(items: Vec<T>, exponent: f64, flat: f64) -> Self {
        let mut total = 0.0;
        let mut cumulative: Vec<f64> = (1..=items.len())
            .map(|rank| {
                total += (rank as f64 + flat).powf(-exponent);
                total
            })
            .collect();
        for share in &mut cumulative {
            *share /= total;
        }
        Self { items, cumulative }
    }

    pub(super) fn pick(&self, rng: &mut Rng) -> &T {
        &self.items[self.pick_index(rng)]
    }

    pub(super) fn pick_index(&self, rng: &mut Rng) -> usize {
        self.index_at(rng.unit())
    }

    /// An item of one of several corners, or, seldom, of any. Each corner has as many popular items as another.
    pub(super) fn pick_in_corner(&self, corner: usize, rng: &mut Rng) -> usize {
        let index = self.pick_index(rng);
        let inside = index - index % CORNERS + corner;
        if rng.unit() < IN_CORNER && inside < self.items.len() { inside } else { index }
    }

    /// The item that a hash stands for: the same hash, the same item.
    pub(super) fn at_hash(&self, hash: u64) -> &T {
        &self.items[self.index_at((hash >> 11) as f64 / (1u64 << 53) as f64)]
    }

    pub(super) fn get(&self, index: usize) -> &T {
        &self.items[index]
    }

    fn index_at(&self, share: f64) -> usize {
        self.cumulative.partition_point(|&end| end <= share).min(self.items.len() - 1)
    }
}

/// `count` distinct strings.
fn distinct(count: usize, mut write: impl FnMut(&mut String)) -> Vec<String> {
    let mut seen = hashbrown::HashSet::with_hasher(foldhash::fast::FixedState::default());
    let mut texts = Vec::with_capacity(count);
    while texts.len() < count {
        let mut text = String::new();
        write(&mut text);
        if seen.insert(text.clone()) {
            texts.push(text);
        }
    }
    texts
}

/// The pieces of each pattern, one a word.
fn patterns(list: &'static str) -> Vec<Vec<Piece>> {
    let piece = |word| match word {
        "*" => Piece::TopicWord,
        "~" => Piece::Adjective,
        "^" => Piece::Noun,
        "+" => Piece::Make,
        "!" => Piece::Verb,
        "@" => Piece::Place,
        "&" => Piece::Name,
        "#" => Piece::Number,
        "%" => Piece::Model,
        text => Piece::Text(text),
    };
    list.split(", ").map(|pattern| pattern.split(' ').map(piece).collect()).collect()
}

/// Mixes two numbers into one without pattern (the finisher of SplitMix64).
pub(super) fn mix(left: u64, right: u64) -> u64 {
    let mut hash = left.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ right.wrapping_add(0x632b_e59b_d9b4_e019);
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_topic_is_rich_enough() {
        let world = World::new();
        assert!(world.topics.items.len() >= 40);
        for topic in &world.topics.items {
            assert!(topic.words.items.len() >= 41, "{}", topic.words.items[0]);
            assert!(topic.phrases.items.len() >= 12, "{}", topic.words.items[0]);
            assert!(
                topic
                    .words
                    .items
                    .iter()
                    .all(|word| word.chars().all(|letter| letter.is_ascii_lowercase() || letter == ' '))
            );
        }
    }

    #[test]
    fn popularity_falls_with_the_rank() {
        let popular = Popular::new(vec!["first", "second", "third"], 1.0, 0.0);
        let mut rng = Rng::seeded(1);
        let mut counts = [0; 3];
        for _ in 0..11_000 {
            counts[popular.pick_index(&mut rng)] += 1;
        }
        assert!((5700..6300).contains(&counts[0]) && (1800..2200).contains(&counts[2]), "{counts:?}");
    }
}
