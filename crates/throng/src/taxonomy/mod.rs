//! Taxonomies: WordNet, which is embedded, and files of any form; recognised from their content, read, joined, written.

mod file;
mod generate;

use std::path::Path;
use std::sync::{Arc, OnceLock};

use throng_core::concepts::Lexicon;
use throng_core::taxonomy::{Taxonomy, own};
use throng_core::{Error, Result};

pub(crate) use file::text_of;
pub use file::{Form, read, write};
pub use generate::{Grouping, generate, generate_by_columns, generate_levels};

/// The nouns of WordNet 3.0, made by `throng taxonomy import` from its dictionary files.
const WORDNET: &[u8] = include_bytes!("../../data/wordnet-3.0-nouns.taxonomy");

/// What the words of WordNet 3.0 can be, made by `examples/make_lexicon.rs`.
const LEXICON: &[u8] = include_bytes!("../../data/wordnet-3.0-words.lexicon");

/// The taxonomy that `--taxonomy` names: `wordnet`, a file in any of the forms that throng reads, or a folder with WordNet's
/// dictionary files.
pub fn load(spec: &str) -> Result<Arc<Taxonomy>> {
    if spec == "wordnet" {
        return wordnet();
    }
    let (taxonomy, _) = read(Path::new(spec), None)?;
    Ok(Arc::new(taxonomy))
}

/// Several taxonomies as one. Two and more lie under a new root `all`; a name that is in several belongs to the first.
pub fn load_all(specs: &[String]) -> Result<Arc<Taxonomy>> {
    if let [spec] = specs {
        return load(spec);
    }
    let parts = specs.iter().map(|spec| load(spec)).collect::<Result<Vec<_>>>()?;
    let names = specs.iter().map(|spec| Path::new(spec).file_stem().map_or(spec.into(), |stem| stem.to_string_lossy()));
    let names: Vec<_> = names.collect();
    let parts = names.iter().zip(&parts).map(|(name, part)| (name.as_ref(), part.as_ref()));
    Ok(Arc::new(Taxonomy::join(parts)))
}

/// The tree of WordNet's nouns. It is read once, when it is first asked for.
pub fn wordnet() -> Result<Arc<Taxonomy>> {
    static TREE: OnceLock<Arc<Taxonomy>> = OnceLock::new();
    embedded(&TREE, WORDNET, "the embedded WordNet is damaged", own::read)
}

/// What the words of WordNet can be. It is read once, when it is first asked for.
pub fn lexicon() -> Result<Arc<Lexicon>> {
    static WORDS: OnceLock<Arc<Lexicon>> = OnceLock::new();
    embedded(&WORDS, LEXICON, "the embedded lexicon is damaged", Lexicon::read)
}

/// Reads an embedded file, unless that was done before.
fn embedded<T>(
    cell: &OnceLock<Arc<T>>,
    file: &[u8],
    problem: &str,
    read: impl Fn(&str) -> Result<T>,
) -> Result<Arc<T>> {
    if let Some(value) = cell.get() {
        return Ok(value.clone());
    }
    let broken = |cause| Error::internal(problem).with_cause(cause);
    let bytes = zstd::decode_all(file).map_err(broken)?;
    let text = String::from_utf8(bytes).map_err(|cause| broken(std::io::Error::other(cause)))?;
    let value = Arc::new(read(&text).map_err(|cause| broken(std::io::Error::other(cause)))?);
    Ok(cell.get_or_init(|| value).clone())
}
