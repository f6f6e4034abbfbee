//! Taxonomies in files: recognised from their content, read, joined.

use std::path::Path;
use std::sync::Arc;

use throng_core::taxonomy::{Taxonomy, child_parent};
use throng_core::{Error, Result};

use crate::io::{Location, Source};

/// The taxonomy that `--taxonomy` names: `wordnet`, or a file in any of the forms that throng reads.
pub fn load(spec: &str) -> Result<Arc<Taxonomy>> {
    if spec == "wordnet" {
        return Err(Error::refused("WordNet is not there yet"));
    }
    read(Path::new(spec)).map(Arc::new)
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

fn read(path: &Path) -> Result<Taxonomy> {
    let source = Source::open(&Location::File(path.to_owned()))?;
    let bytes = source.into_bytes()?;
    let text = std::str::from_utf8(&bytes).map_err(|_| {
        Error::data("the taxonomy is not UTF-8")
            .with_hint("convert the file to UTF-8")
            .in_file(path.display().to_string())
    })?;
    child_parent::read(text).map_err(|error| error.in_file(path.display().to_string()))
}
