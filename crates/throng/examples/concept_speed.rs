//! How many queries a second one core maps to concepts of WordNet, and how many it understands:
//! `cargo run --release --example concept_speed`.

use throng::taxonomy;
use throng_core::concepts::{How, Mapper, Scratch};
use throng_core::synth::queries::{Params, QueriesSynth};

#[expect(clippy::print_stdout, reason = "an example prints")]
fn main() -> throng_core::Result<()> {
    let persons = 4000;
    let log = QueriesSynth::new(Params { persons, ..Params::default() })?.block(0..persons);
    let queries = log.queries();
    let start = seconds();
    let mapper = Mapper::new(taxonomy::wordnet()?).with_lexicon(taxonomy::lexicon()?);
    let mut scratch = Scratch::default();
    // The first misspelt word makes the index of spellings.
    mapper.phrases_with("xqzpqwy", &mut scratch, |_| {});
    println!("ready after {:.2} s", seconds() - start);
    let mut ways = [0u64; How::ALL.len()];
    let start = seconds();
    for query in queries.iter() {
        mapper.phrases_with(query, &mut scratch, |phrase| ways[phrase.how as usize] += 1);
    }
    let taken = seconds() - start;
    let rate = queries.len() as f64 / taken;
    println!("{} different queries in {taken:.2} s of one core: {rate:.0} a second", queries.len());
    for how in How::ALL {
        println!("{:>10} {}", how.name(), ways[how as usize]);
    }
    Ok(())
}

/// How long this thread has been computing: other programs may be running.
fn seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|nanoseconds| nanoseconds.parse::<f64>().ok()).unwrap_or_default() / 1e9
}
