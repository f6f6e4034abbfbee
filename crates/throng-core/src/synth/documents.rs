//! Made-up documents on several topics, with no real person in them.
//!
//! Claims     the same seed and taxonomy give the same documents, in whatever blocks they are made.
//! Does not   make sense: sentences have the shape of English and the nouns of their topic, no more.
//!
//! # Idea
//! 1. A topic is a handful of subtrees of the taxonomy. In WordNet they are well-known ones (animals, food, vehicles, …); in
//!    another taxonomy the largest subtrees that are not nearly everything.
//! 2. A topic has its own vocabulary: some hundred nouns, of which few are frequent and many rare (Zipf's law).
//! 3. Document i is drawn from its own random stream (seed, i): a topic, a few nouns that it is about, a length from a
//!    log-normal distribution, sometimes a second topic that it touches. Sentences are patterns of function words with nouns
//!    in their places, now and then in the plural.
//!
//! # Formula
//! nouns of a document = exp(mu + 0.6 z) with z standard normal, cut to 5 .. 20 · mean; mu such that the mean comes out.
//!
//! # Cost
//! Time and memory O(words); the vocabulary is some kilobytes.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use crate::taxonomy::{ROOT, Taxonomy};
use crate::{Error, Result, Rng};

/// The stream that vocabularies are drawn from; documents have the low ones.
const VOCABULARY: u64 = u64::MAX;
/// How many different nouns a topic has, at most.
const NOUNS: usize = 300;
/// How many topics are made of a taxonomy that is not WordNet, at most.
const MOST_TOPICS: usize = 8;

/// Topics over WordNet: a label, and the subtrees that its nouns come from, by a word whose first sense is meant.
const TOPICS: &[(&str, &[&str])] = &[
    ("animals", &["mammal", "bird", "fish", "reptile"]),
    ("computing", &["computer", "software", "electronic_equipment", "peripheral"]),
    ("cooking", &["dish", "vegetable", "edible_fruit", "spice"]),
    ("health", &["illness", "medicine", "medical_procedure", "symptom"]),
    ("music", &["musical_instrument", "musician", "musical_composition", "dancing"]),
    ("sport", &["athlete", "sports_equipment", "athletic_game", "contest"]),
    ("travel", &["vehicle", "hotel", "road", "journey"]),
    ("weather", &["weather", "cloud", "storm", "season"]),
];

/// Sentences: `#` is a noun, `@` one in the plural.
const PATTERNS: &[&str] = &[
    "The # is near the #.",
    "There are many @ in the #.",
    "She said that a # can be more than a #.",
    "We have seen the # and the # before.",
    "A # with a # was found there.",
    "Most @ are not like @.",
    "It was about the #, and then about a #.",
    "They went from the # to the #.",
    "Where is the # of the #?",
    "He wrote that the # should be under the #.",
    "All of these @ have a #.",
    "I would have a #, but not this #.",
];

/// How many documents, how long, and which ones of all possible.
#[derive(Debug, Clone)]
pub struct Params {
    /// The number of documents, at least 1.
    pub persons: usize,
    /// About how many nouns a document has on average, in 5..=10000.
    pub mean_nouns: f64,
    /// Which documents: the same seed gives the same ones.
    pub seed: u64,
}

impl Default for Params {
    fn default() -> Self {
        Self { persons: 1000, mean_nouns: 120.0, seed: 0 }
    }
}

/// A made-up document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    /// Its id: a number from 1 on, with zeros before.
    pub id: String,
    /// Its topic.
    pub label: String,
    /// Its text.
    pub text: String,
}

/// A maker of made-up documents.
#[derive(Debug)]
pub struct DocumentsSynth {
    params: Params,
    topics: Vec<Topic>,
}

#[derive(Debug)]
struct Topic {
    label: String,
    /// Nouns, the most frequent first.
    nouns: Vec<String>,
    /// How frequent all nouns up to each are.
    frequency: Vec<f64>,
}

impl DocumentsSynth {
    /// Checks the parameters and draws the vocabulary of every topic.
    pub fn new(params: Params, taxonomy: &Arc<Taxonomy>) -> Result<Self> {
        let mut errors = Vec::new();
        if params.persons == 0 {
            errors.push(Error::parameter("persons", "is 0, but must be at least 1"));
        }
        if !(5.0..=10_000.0).contains(&params.mean_nouns) {
            let problem = format!("is {}, but must be from 5 to 10000", params.mean_nouns);
            errors.push(Error::parameter("mean-nouns", problem));
        }
        if !errors.is_empty() {
            return Err(Error::parameters(errors));
        }
        let mut rng = Rng::seeded_stream(params.seed, VOCABULARY);
        let topics: Vec<Topic> = subtrees(taxonomy)
            .into_iter()
            .filter_map(|(label, nodes)| Topic::new(label, &nodes, taxonomy, &mut rng))
            .collect();
        if topics.is_empty() {
            return Err(Error::refused("the taxonomy has no words to make documents of")
                .with_hint("its items must be single words of at least three letters; `--taxonomy wordnet` has them"));
        }
        Ok(Self { params, topics })
    }

    /// The number of all documents.
    pub fn persons(&self) -> usize {
        self.params.persons
    }

    /// Some of the documents, which must be among all. Blocks put together are all of them.
    pub fn block(&self, documents: Range<usize>) -> Vec<Made> {
        assert!(documents.end <= self.params.persons, "there is no such document");
        documents.into_par_iter().with_min_len(16).map(|document| self.document(document)).collect()
    }

    fn document(&self, document: usize) -> Made {
        let mut rng = Rng::seeded_stream(self.params.seed, document as u64);
        let topic = &self.topics[rng.index(self.topics.len())];
        let other = (rng.unit() < 0.3).then(|| &self.topics[rng.index(self.topics.len())]);
        // What it is about comes again and again.
        let about: Vec<&str> = (0..2 + rng.index(5)).map(|_| topic.noun(&mut rng)).collect();
        let mu = self.params.mean_nouns.ln() - 0.18;
        let length = (mu + 0.6 * rng.normal()).exp().round().clamp(5.0, 20.0 * self.params.mean_nouns) as usize;
        let (mut text, mut nouns) = (String::new(), 0);
        while nouns < length {
            if !text.is_empty() {
                text.push(if rng.unit() < 0.15 { '\n' } else { ' ' });
            }
            for letter in PATTERNS[rng.index(PATTERNS.len())].chars() {
                if !matches!(letter, '#' | '@') {
                    text.push(letter);
                    continue;
                }
                nouns += 1;
                let noun = match (rng.unit(), other) {
                    (draw, _) if draw < 0.4 => about[rng.index(about.len())],
                    (draw, Some(other)) if draw < 0.55 => other.noun(&mut rng),
                    _ => topic.noun(&mut rng),
                };
                text.push_str(noun);
                if letter == '@' {
                    text.push_str(if noun.ends_with(['s', 'x', 'z', 'h']) { "es" } else { "s" });
                }
            }
        }
        text.push('\n');
        let width = self.params.persons.to_string().len();
        Made { id: format!("{:0width$}", document + 1), label: topic.label.clone(), text }
    }
}

impl Topic {
    fn new(label: String, nodes: &[u32], taxonomy: &Taxonomy, rng: &mut Rng) -> Option<Self> {
        let mut nouns: Vec<String> = nodes
            .iter()
            .flat_map(|&node| node..taxonomy.end(node))
            .filter_map(|node| {
                // A word of its own, whose meaning here is its usual one.
                let name = taxonomy.label(node);
                let is_word = name.chars().count() >= 3 && name.chars().all(|letter| letter.is_ascii_lowercase());
                (is_word && taxonomy.find(name) == Some(node)).then(|| name.to_owned())
            })
            .collect();
        nouns.sort_unstable();
        nouns.dedup();
        rng.shuffle(&mut nouns);
        nouns.truncate(NOUNS);
        let mut sum = 0.0;
        let frequency = (0..nouns.len())
            .map(|rank| {
                sum += 1.0 / (rank as f64 + 4.0);
                sum
            })
            .collect();
        (!nouns.is_empty()).then_some(Self { label, nouns, frequency })
    }

    fn noun(&self, rng: &mut Rng) -> &str {
        let share = rng.unit() * self.frequency[self.frequency.len() - 1];
        let at = self.frequency.partition_point(|&up_to| up_to <= share);
        &self.nouns[at.min(self.nouns.len() - 1)]
    }
}

/// Topics as labels with the nodes that their nouns lie under.
fn subtrees(taxonomy: &Taxonomy) -> Vec<(String, Vec<u32>)> {
    if taxonomy.wordnet().is_some() {
        let find = |names: &[&str]| names.iter().filter_map(|name| taxonomy.find(name)).collect::<Vec<_>>();
        return TOPICS.iter().map(|(label, names)| ((*label).to_owned(), find(names))).collect();
    }
    // From the top down: a subtree that is nearly everything is taken apart.
    let mut nodes = vec![ROOT];
    while nodes.len() < MOST_TOPICS {
        let widest = nodes
            .iter()
            .copied()
            .filter(|&node| !taxonomy.is_leaf(node))
            .max_by_key(|&node| (taxonomy.leaves(node), std::cmp::Reverse(node)));
        let Some(widest) = widest else { break };
        nodes.retain(|&node| node != widest);
        nodes.extend(taxonomy.children(widest));
    }
    nodes.sort_unstable_by_key(|&node| (std::cmp::Reverse(taxonomy.leaves(node)), node));
    nodes.truncate(MOST_TOPICS);
    nodes.into_iter().map(|node| (taxonomy.label(node).to_owned(), vec![node])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::taxonomy::tests::food;

    fn small() -> Arc<Taxonomy> {
        let words = ["cat", "dog", "lion", "tea", "milk", "juice", "oak", "elm"];
        let edges = words
            .iter()
            .enumerate()
            .map(|(at, word)| (*word, ["animal", "animal", "animal", "drink", "drink", "drink", "tree", "tree"][at]));
        let tops = ["animal", "drink", "tree"].map(|top| (top, "thing"));
        Arc::new(Taxonomy::from_edges(edges.chain(tops)).unwrap())
    }

    #[test]
    fn blocks_are_everything_and_seeds_differ() {
        let make = |seed| DocumentsSynth::new(Params { persons: 60, mean_nouns: 20.0, seed }, &small()).unwrap();
        let synth = make(1);
        let all = synth.block(0..60);
        assert_eq!(all, [synth.block(0..25), synth.block(25..60)].concat());
        assert_eq!((all[0].id.as_str(), all[59].id.as_str()), ("01", "60"));
        assert_ne!(all, make(2).block(0..60));
        let labels: std::collections::BTreeSet<&str> = all.iter().map(|made| made.label.as_str()).collect();
        assert!(labels.len() > 1, "{labels:?}");
        let lengths: std::collections::BTreeSet<usize> = all.iter().map(|made| made.text.len()).collect();
        assert!(lengths.len() > 20);
    }

    #[test]
    fn bad_parameters_and_taxonomies_are_refused() {
        let refused = |persons, mean_nouns| {
            DocumentsSynth::new(Params { persons, mean_nouns, seed: 0 }, &small()).unwrap_err().to_string()
        };
        assert!(refused(0, 1.0).contains("`persons` is 0") && refused(0, 1.0).contains("`mean-nouns` is 1"));
        // Names in capitals are none of the words of a text.
        let error = DocumentsSynth::new(Params::default(), &Arc::new(food())).unwrap_err();
        assert!(error.to_string().contains("no words"));
    }
}
