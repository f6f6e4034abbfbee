//! Documents by their meaning in WordNet: the example of paper 000, and Wu-Palmer against its literal form.

use std::sync::Arc;

use proptest::prelude::*;
use throng::taxonomy;
use throng_core::Rng;
use throng_core::data::{Documents, DocumentsBuilder};
use throng_core::distance::document_distance::DocumentSpace;
use throng_core::distance::wu_palmer::{Layout, UNIT, WuPalmer};
use throng_core::distance::{DistanceMatrix, Pairwise as _};
use throng_core::methods::Method as _;
use throng_core::methods::documents::document_microaggregation::{DocumentMicroaggregation, Params};
use throng_core::models::Model as _;
use throng_core::models::k_anonymity::{self, KAnonymity};
use throng_core::progress::Silent;
use throng_core::release::Protected;
use throng_core::taxonomy::Taxonomy;

use crate::support::literal_wu_palmer;

fn wordnet() -> Arc<Taxonomy> {
    taxonomy::wordnet().unwrap()
}

fn documents(rows: &[&[(&str, f64)]]) -> Documents {
    let mut builder = DocumentsBuilder::new(Some(wordnet()));
    for (number, row) in rows.iter().enumerate() {
        builder.push_vector(&number.to_string(), row.iter().copied(), None);
    }
    builder.finish()
}

fn protect(documents: &Documents, k: usize, terms: usize) -> Protected<Documents> {
    let method = DocumentMicroaggregation::new(Params { k, terms, exact: true, ..Params::default() }).unwrap();
    method.protect(documents, &mut Rng::seeded(1), &Silent).unwrap()
}

fn shown(documents: &Documents, at: usize) -> Vec<(&str, f64)> {
    let mut vector: Vec<(&str, f64)> =
        documents.vector(at).iter().map(|&(term, weight)| (documents.terms().get(term), weight)).collect();
    vector.sort_by(|left, right| left.0.cmp(right.0));
    vector
}

/// Table 2.1 of paper 000 in full (reading D1).
#[test]
fn the_example_of_the_report() {
    let original = documents(&[
        &[("keyboard", 0.3), ("laptop", 0.4), ("software", 0.3)],
        &[("horse", 0.7), ("dog", 0.2), ("cat", 0.1)],
        &[("hardware", 0.3), ("screen", 0.3), ("computer", 0.4)],
        &[("lion", 0.5), ("monkey", 0.3), ("tiger", 0.2)],
    ]);
    let protected = protect(&original, 2, 50);
    let released: Vec<Vec<(&str, f64)>> =
        protected.record_of.iter().map(|record| shown(&protected.records, record.unwrap() as usize)).collect();
    let machines = vec![("abstraction", 0.3), ("computer", 0.4), ("instrumentality", 0.3)];
    let animals = vec![("big_cat", 0.3), ("carnivore", 0.2), ("placental", 0.5)];
    assert_eq!(released, [machines.clone(), animals.clone(), machines, animals]);
}

/// Reading D1: keyboard and computer are the most similar pair of the first group, and are not matched.
#[test]
fn similarities_of_the_report() {
    let meanings = WuPalmer::new(wordnet());
    let similarity = |left: &str, right: &str| {
        let profile = |word: &str| meanings.profile(&meanings.senses(word));
        let mut found = Vec::new();
        Layout::new(&meanings).similarities(&profile(left), [&profile(right)].into_iter(), &mut found);
        found[0] as f64 / UNIT as f64
    };
    assert_eq!(format!("{:.4}", similarity("keyboard", "computer")), "0.8235");
    assert_eq!(
        similarity("cat", "lion") + similarity("dog", "tiger"),
        similarity("cat", "tiger") + similarity("dog", "lion")
    );
    // A released term is looked up like any word.
    assert_eq!(similarity("big_cat", "big cats"), 1.0);
}

/// Words of WordNet, with one and with many senses.
fn word() -> impl Strategy<Value = String> {
    let tree = wordnet();
    let net = Arc::clone(tree.wordnet().unwrap().0);
    let any = (0..net.synsets() as u32, any::<prop::sample::Index>()).prop_map(move |(synset, at)| {
        let words: Vec<&str> = net.words(synset).collect();
        words[at.index(words.len())].to_owned()
    });
    prop_oneof![
        any,
        prop::sample::select(vec!["head", "line", "point", "cut", "bank", "cats", "screens"]).prop_map(str::to_owned)
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// The fast way, over everything above two words, is the literal one, over all pairs of senses; with a table, too.
    #[test]
    fn wu_palmer_is_literal(words in prop::collection::vec(word(), 2..6)) {
        let tree = wordnet();
        let net = tree.wordnet().unwrap().0;
        let mut space = DocumentSpace::new(&tree, 50);
        for word in &words {
            space.add_vector([(word.as_str(), 1.0)]);
        }
        let direct = DistanceMatrix::compute(&space, &Silent);
        space.prepare(&Silent);
        for left in 0..words.len() {
            for right in 0..words.len() {
                let expected = literal_wu_palmer::similarity(net, &words[left], &words[right]);
                let expected = (UNIT - expected) as f64 / UNIT as f64;
                prop_assert_eq!(direct.get(left, right), expected, "{} and {}", &words[left], &words[right]);
                prop_assert_eq!(space.distance(left, right, &mut space.scratch()), expected);
            }
        }
    }

    /// Every release is what it claims; terms are what all members have in common, or the members are left out.
    #[test]
    fn releases_hold_their_claim(rows in prop::collection::vec(prop::collection::vec(word(), 1..6), 2..14), k in 2usize..4) {
        prop_assume!(rows.len() >= k);
        let vectors: Vec<Vec<(&str, f64)>> = rows
            .iter()
            .map(|row| row.iter().enumerate().map(|(at, word)| (word.as_str(), 1.0 / (at + 2) as f64)).collect())
            .collect();
        let original = documents(&vectors.iter().map(Vec::as_slice).collect::<Vec<_>>());
        let protected = protect(&original, k, 4);
        // The file as it would be published: each document with its vector.
        let mut published = DocumentsBuilder::new(None);
        for (at, record) in protected.record_of.iter().enumerate() {
            let record = record.expect("all words are nouns of WordNet") as usize;
            published.push_vector(&at.to_string(), shown(&protected.records, record), None);
        }
        let model = KAnonymity::new(k_anonymity::Params { k }).unwrap();
        prop_assert!(model.check(&published.finish()).unwrap().holds);
        // A group has no more terms than its shortest member.
        for (at, record) in protected.record_of.iter().enumerate() {
            let vector = shown(&protected.records, record.unwrap() as usize);
            prop_assert!(!vector.is_empty() && vector.len() <= rows[at].len().min(4));
        }
    }
}

/// The same result for any number of threads.
#[test]
fn the_same_with_one_thread_and_three() {
    let tree = wordnet();
    let net = tree.wordnet().unwrap().0;
    let mut rng = Rng::seeded(7);
    let mut builder = DocumentsBuilder::new(Some(tree.clone()));
    for number in 0..40 {
        let mut words: Vec<&str> =
            (0..12).map(|_| net.words(rng.index(net.synsets()) as u32).next().unwrap()).collect();
        words.sort_unstable();
        words.dedup();
        let vector = words.into_iter().zip(1..).map(|(word, at)| (word, 1.0 / f64::from(at)));
        builder.push_vector(&number.to_string(), vector, None);
    }
    let original = builder.finish();
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let protected = pool.install(|| protect(&original, 3, 10));
        let records = &protected.records;
        let vectors: Vec<Vec<(String, u64)>> = (0..records.persons())
            .map(|record| {
                shown(records, record).into_iter().map(|(term, weight)| (term.to_owned(), weight.to_bits())).collect()
            })
            .collect();
        (protected.record_of.clone(), vectors)
    };
    assert_eq!(with(1), with(3));
}
