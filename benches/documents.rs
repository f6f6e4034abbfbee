//! How long `document-microaggregation` takes: `cargo bench --bench documents`.
//!
//! Made-up documents of 600 words over WordNet, twenty topics, in vectors of 50 and 100 terms. Every run is a process of its own,
//! making up the documents included. Beside it stands what Wu-Palmer alone would take the literal way, over all pairs of senses
//! of all pairs of terms of all pairs of documents; all sampled similarities must be equal.

#![allow(clippy::print_stdout)]

#[allow(dead_code, reason = "the other benchmarks use more of it")]
mod support;

#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../crates/throng/tests/it/support/literal_wu_palmer.rs"]
mod literal;

use std::sync::Arc;
use std::time::{Duration, Instant};

use support::{HEAD, asked_for, machine, run, thousands};
use throng::taxonomy::wordnet;
use throng_core::Rng;
use throng_core::data::{Documents, DocumentsBuilder};
use throng_core::distance::document_distance::DocumentSpace;
use throng_core::distance::wu_palmer::Layout;
use throng_core::methods::Method as _;
use throng_core::methods::documents::document_microaggregation::{DocumentMicroaggregation, Params};
use throng_core::progress::Silent;

/// Different words that documents are made of.
const VOCABULARY: usize = 8000;
const WORDS: usize = 600;
const TOPICS: usize = 20;

/// The literal way stops after so long.
const PATIENCE: Duration = Duration::from_secs(5);

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(at) = arguments.iter().position(|argument| argument == "one") {
        let number = |text: &String| text.parse::<usize>().expect("a whole number");
        return one(number(&arguments[at + 1]), number(&arguments[at + 2]));
    }
    if !asked_for() {
        println!("documents: run it with cargo bench --bench documents");
        return;
    }
    println!("{}\n", machine());
    print!("{HEAD}");
    let program = std::env::current_exe().expect("this program has a path");
    for terms in [50, 100] {
        for documents in [50, 500, 2000] {
            let cost = run(&program, &["one", &documents.to_string(), &terms.to_string()], &[0]);
            let literal = literal_seconds(documents, terms);
            let ratio = cost.cpu.map_or("?".into(), |cpu| format!("1/{:.1}", literal / cpu));
            let size = format!("{} documents, {terms} terms", thousands(documents as u64));
            println!("| `document-microaggregation`, k = 5 | {size} | {} | {ratio} |", cost.cells());
            println!("| Wu-Palmer alone, literally (estimate) | {size} | | {literal:.0} s | | 1 |");
        }
    }
    println!("\nThe estimate is from pairs of terms of random documents, one thread; their similarities are equal.");
}

/// Protects made-up documents.
fn one(documents: usize, terms: usize) {
    let method = DocumentMicroaggregation::new(Params { terms, ..Params::default() }).expect("good parameters");
    let protected = method.protect(&made_up(documents), &mut Rng::seeded(1), &Silent).expect("made-up documents");
    println!("{}", protected.records.rows());
}

/// Half of a document's words are those of its topic, half are anybody's; few words are frequent, most are rare.
fn made_up(documents: usize) -> Documents {
    let tree = wordnet().expect("WordNet is embedded");
    let net = tree.wordnet().expect("WordNet is part of it").0;
    let single = |synset: u32| net.words(synset).next().filter(|word| !word.contains('_')).map(str::to_lowercase);
    let words: Vec<String> = (0..net.synsets() as u32).filter_map(single).collect();
    let mut rng = Rng::seeded(5);
    let vocabulary = rng.sample(words.len(), VOCABULARY);
    let mut builder = DocumentsBuilder::new(Some(Arc::clone(&tree)));
    for document in 0..documents {
        let topic = rng.index(TOPICS);
        let word = |_| {
            let rank = (VOCABULARY as f64).powf(rng.unit()) as usize - 1;
            let at = if rng.index(2) == 0 { rank * 7 + topic * 397 } else { rank * 3 };
            vocabulary[at % VOCABULARY]
        };
        let mut drawn: Vec<u32> = (0..WORDS).map(word).collect();
        drawn.sort_unstable();
        let counts = drawn.chunk_by(|left, right| left == right);
        let vector = counts.map(|same| (words[same[0] as usize].as_str(), same.len() as f64 / WORDS as f64));
        builder.push_vector(&document.to_string(), vector, None);
    }
    builder.finish()
}

/// How many seconds all pairs of terms of all pairs of documents would take over all pairs of senses.
fn literal_seconds(documents: usize, terms: usize) -> f64 {
    let made_up = made_up(documents);
    let space = DocumentSpace::of(&[&made_up], terms).expect("WordNet is there");
    let net = space.meanings().taxonomy().wordnet().expect("WordNet is there").0;
    let mut layout = Layout::new(space.meanings());
    let mut rng = Rng::seeded(1);
    let (mut pairs, mut spent) = (0, Duration::ZERO);
    while spent < PATIENCE {
        let mut term = || {
            let vector = space.vector(rng.index(documents));
            vector[rng.index(vector.len())].0
        };
        let (left, right) = (term(), term());
        let start = Instant::now();
        let expected = literal::similarity(net, space.term(left), space.term(right));
        spent += start.elapsed();
        pairs += 1;
        let mut found = Vec::new();
        layout.similarities(space.profile(left), [space.profile(right)].into_iter(), &mut found);
        assert_eq!(found, [expected], "{} and {}", space.term(left), space.term(right));
    }
    let all = (documents * (documents - 1) / 2 * terms * terms) as f64;
    spent.as_secs_f64() / f64::from(pairs) * all
}
