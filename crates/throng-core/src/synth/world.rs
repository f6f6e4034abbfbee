//! The world in which the made-up persons search: topics with their sites, towns, family names.
//!
//! The world is the same for every seed, so that logs of different seeds are samples of one population.

use super::vocabulary::{self, TopicWords};
use crate::Rng;

/// Hosts of a topic; the tail beyond them is made from the names in a query.
const HOSTS_OF_A_TOPIC: usize = 400;
const TOWNS: usize = 6000;
const COMMON_FAMILY_NAMES: usize = 3000;

/// All that exists before the first person does.
#[derive(Debug)]
pub(super) struct World {
    pub(super) topics: Popular<Topic>,
    pub(super) sites: Popular<Site>,
    pub(super) queries: Popular<&'static str>,
    pub(super) patterns: Popular<Vec<Piece>>,
    pub(super) adjectives: Popular<&'static str>,
    pub(super) nouns: Popular<&'static str>,
    pub(super) towns: Popular<Town>,
    pub(super) family_names: Popular<String>,
    pub(super) given_names: Vec<&'static str>,
    pub(super) foreign_words: Vec<&'static str>,
    host_endings: Vec<&'static str>,
    syllables: Syllables,
}

/// Something to be interested in.
#[derive(Debug)]
pub(super) struct Topic {
    pub(super) words: Popular<&'static str>,
    pub(super) phrases: Popular<Vec<Piece>>,
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
}

impl World {
    pub(super) fn new() -> Self {
        let mut rng = Rng::seeded(0);
        let syllables = Syllables::new();
        let host_endings: Vec<&str> = vocabulary::HOST_ENDINGS.split(' ').collect();
        let towns = distinct(TOWNS, |name| syllables.write_town(&mut rng, name));
        let family_names = distinct(COMMON_FAMILY_NAMES, |name| syllables.write_family_name(&mut rng, name));
        let states: Vec<&str> = vocabulary::STATES.split(", ").collect();
        let towns: Vec<Town> =
            towns.into_iter().map(|name| Town { name, state: states[rng.index(states.len())] }).collect();
        let topics =
            vocabulary::TOPICS.iter().map(|topic| Topic::new(topic, &host_endings, &towns, &mut rng)).collect();
        let site_words: Vec<&str> = vocabulary::SITES.split(' ').collect();
        let sites = site_words.chunks_exact(2).map(|pair| Site::new(pair[0], pair[1], "www.", ".com")).collect();
        Self {
            topics: Popular::new(topics, 0.5),
            sites: Popular::new(sites, 1.0),
            queries: Popular::new(vocabulary::POPULAR.split(", ").collect(), 0.9),
            patterns: Popular::new(patterns(vocabulary::PATTERNS), 0.7),
            adjectives: Popular::new(vocabulary::ADJECTIVES.split(' ').collect(), 0.8),
            nouns: Popular::new(vocabulary::NOUNS.split(' ').collect(), 0.8),
            towns: Popular::new(towns, 0.6),
            family_names: Popular::new(family_names, 0.7),
            given_names: vocabulary::GIVEN_NAMES.split(' ').collect(),
            foreign_words: vocabulary::FOREIGN.split(' ').collect(),
            host_endings,
            syllables,
        }
    }

    /// A family name, which nobody else need have.
    pub(super) fn family_name(&self, rng: &mut Rng) -> String {
        let mut name = String::new();
        if rng.unit() < 0.3 {
            name.push_str(self.family_names.pick(rng));
        } else {
            self.syllables.write_family_name(rng, &mut name);
        }
        name
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
    fn new(topic: &'static TopicWords, host_endings: &[&str], towns: &[Town], rng: &mut Rng) -> Self {
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
        Self { words: Popular::new(words, 0.8), phrases: Popular::new(phrases, 0.5), hosts: Popular::new(hosts, 0.9) }
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

/// Items with Zipf popularity: item number r (from 1) comes up in proportion to r to the power of minus the exponent.
#[derive(Debug)]
pub(super) struct Popular<T> {
    items: Vec<T>,
    /// The share of the items up to and including each.
    cumulative: Vec<f64>,
}

impl<T> Popular<T> {
    fn new(items: Vec<T>, exponent: f64) -> Self {
        let mut total = 0.0;
        let mut cumulative: Vec<f64> = (1..=items.len())
            .map(|rank| {
                total += (rank as f64).powf(-exponent);
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

/// What made-up names are put together from.
#[derive(Debug)]
struct Syllables {
    onsets: Vec<&'static str>,
    rhymes: Vec<&'static str>,
    name_endings: Vec<&'static str>,
    town_endings: Vec<&'static str>,
}

impl Syllables {
    fn new() -> Self {
        let split = |text: &'static str| text.split(' ').collect();
        Self {
            onsets: split(vocabulary::ONSETS),
            rhymes: split(vocabulary::RHYMES),
            name_endings: split(vocabulary::NAME_ENDINGS),
            town_endings: split(vocabulary::TOWN_ENDINGS),
        }
    }

    fn write_family_name(&self, rng: &mut Rng, out: &mut String) {
        let syllables = if rng.unit() < 0.45 { 2 } else { 1 };
        self.write(rng, syllables, &self.name_endings, out);
    }

    fn write_town(&self, rng: &mut Rng, out: &mut String) {
        if let Some(first) = ["new ", "lake ", "east ", "west ", "fort ", "mount "].get(rng.index(40)) {
            out.push_str(first);
        }
        self.write(rng, 1, &self.town_endings, out);
    }

    fn write(&self, rng: &mut Rng, syllables: usize, endings: &[&str], out: &mut String) {
        for _ in 0..syllables {
            out.push_str(self.onsets[rng.index(self.onsets.len())]);
            out.push_str(self.rhymes[rng.index(self.rhymes.len())]);
        }
        out.push_str(endings[rng.index(endings.len())]);
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
        let popular = Popular::new(vec!["first", "second", "third"], 1.0);
        let mut rng = Rng::seeded(1);
        let mut counts = [0; 3];
        for _ in 0..11_000 {
            counts[popular.pick_index(&mut rng)] += 1;
        }
        assert!((5700..6300).contains(&counts[0]) && (1800..2200).contains(&counts[2]), "{counts:?}");
    }
}
