//! Makes `data/wordnet-3.0-words.lexicon` from WordNet's dictionary files:
//! `cargo run --release --example make_lexicon -- /usr/share/wordnet crates/throng/data/wordnet-3.0-words.lexicon`.

use std::io::Write as _;
use std::path::Path;

use throng_core::concepts::Lexicon;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(folder), Some(out)) = (arguments.next(), arguments.next()) else {
        return Err("give the folder with WordNet's dictionary files, and the file to make".into());
    };
    let file = |name: &str| std::fs::read_to_string(Path::new(&folder).join(name));
    let read =
        |class: &str| Ok::<_, std::io::Error>((file(&format!("index.{class}"))?, file(&format!("{class}.exc"))?));
    let files = [read("noun")?, read("verb")?, read("adj")?, read("adv")?];
    let files = files.each_ref().map(|(index, exceptions)| (index.as_str(), exceptions.as_str()));
    let lexicon = Lexicon::from_dictionary(files, &file("cntlist.rev")?);
    let mut encoder = zstd::Encoder::new(Vec::new(), 19)?;
    encoder.include_checksum(true)?;
    encoder.write_all(lexicon.write().as_bytes())?;
    std::fs::write(out, encoder.finish()?)?;
    Ok(())
}
