//! How many queries a second one core maps to concepts of WordNet, and how many it understands:
//! `cargo run --release --example concept_speed`.

use std::time::Instant;

use throng::taxonomy;
use throng_core::concepts::{How, Mapper, Scratch};
use throng_core::synth::queries::{Params, QueriesSynth};

#[expect(clippy::print_stdout, reason = "an example prints")]
fn main() -> throng_core::Result<()> {
    let persons = 4000;
    let log = QueriesSynth::new(Params { persons, ..Params::default() })?.block(0..persons);
    let queries = log.queries();
    let start = Instant::now();
    let mapper = Mapper::new(taxonomy::wordnet()?).with_lexicon(taxonomy::lexicon()?);
    let mut scratch = Scratch::default();
    // The first misspelt word makes the index of spellings.
    mapper.phrases_with("xqzpqwy", &mut scratch, |_| {});
    println!("ready after {:.2} s", start.elapsed().as_secs_f64());
    let mut ways = [0u64; How::ALL.len()];
    let start = Instant::now();
    for query in queries.iter() {
        mapper.phrases_with(query, &mut scratch, |phrase| ways[phrase.how as usize] += 1);
    }
    let seconds = start.elapsed().as_secs_f64();
    let rate = queries.len() as f64 / seconds;
    println!("{} different queries in {seconds:.2} s on one core: {rate:.0} a second", queries.len());
    for how in How::ALL {
        println!("{:>10} {}", how.name(), ways[how as usize]);
    }
    Ok(())
}
