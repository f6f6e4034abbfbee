//! Makes `data/us-census-1990.names` from lists of the census:
//! `cargo run --example make_names -- FIRST.csv LAST.csv crates/throng/data/us-census-1990.names`.
//!
//! The first has the columns name, sex and percent, the second name and percent. How often a name is an English word comes from the
//! counts of WordNet's tagged texts, about 230,000 words.

use std::collections::BTreeMap;
use std::io::Write as _;

use throng::taxonomy;
use throng_core::concepts::Lexicon;
use throng_core::concepts::lexicon::Class;
use throng_core::text::stop_words::is_stop_word;

/// Words of which a count of tagged senses says nothing: months are mostly months.
const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// Of 100,000 words of English texts, how many are this one, rounded up.
fn as_word(name: &str, lexicon: &Lexicon) -> u32 {
    const TAGGED: f64 = 2.3;
    if is_stop_word(name) || MONTHS.contains(&name) {
        return 100_000;
    }
    let classes = lexicon.classes(name);
    let count: f64 = Class::ALL
        .iter()
        .map(|&class| classes.weight(class))
        .filter(|weight| *weight > 0)
        .map(|weight| 2f64.powi(weight))
        .sum();
    (count / TAGGED).ceil() as u32
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [first, last, out] = arguments.as_slice() else {
        return Err("give the file of first names, the file of last names, and the file to make".into());
    };
    let lexicon = taxonomy::lexicon()?;
    let mut names: BTreeMap<(char, String), f64> = BTreeMap::new();
    for (sort, file) in [('f', first), ('l', last)] {
        for line in std::fs::read_to_string(file)?.lines().skip(1) {
            let mut cells = line.split(',');
            let (Some(name), Some(percent)) = (cells.next(), cells.next_back()) else {
                return Err("a line is too short".into());
            };
            let (name, percent) = (name.to_lowercase(), percent.trim().parse::<f64>()?);
            if name.len() > 1 && name.bytes().all(|byte| byte.is_ascii_lowercase()) {
                let greatest = names.entry((sort, name)).or_default();
                *greatest = greatest.max(percent);
            }
        }
    }
    let mut text = String::from("throng-names 1\n");
    for ((sort, name), percent) in names {
        text.push_str(&format!("{sort} {name} {} {}\n", (percent * 1000.0).round() as u32, as_word(&name, &lexicon)));
    }
    let mut encoder = zstd::Encoder::new(Vec::new(), 19)?;
    encoder.include_checksum(true)?;
    encoder.write_all(text.as_bytes())?;
    std::fs::write(out, encoder.finish()?)?;
    Ok(())
}
