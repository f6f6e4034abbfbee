//! Whether the files of a masked network are byte by byte what throng writes for the rows that were read of them.
//!
//! Models look at counts and cells. Whatever else can be put into a file without changing these (blank lines, quotes, the order of rows, which of
//! both ends stands first, rows of no edges, comments, keys) would carry anything, and nobody would look there. So what was read is written
//! again, and the bytes are compared. What is compressed is compared when it is unpacked.

use throng_core::data::graph::Masked;
use throng_core::{Error, Result};

use super::super::source::Source;
use super::super::{Compression, Format, FormatKind, Location};
use super::{file_of, graphml_of_masked, sibling, tables_of_masked};

/// The names of the files that are other than throng writes them, given the clusters in the order in which they are published, and the names of
/// all files that such a network has beside the first.
pub(crate) fn other_than_written(
    names: &[&str],
    masked: &Masked,
    format: Format,
    location: &Location,
) -> Result<(Vec<String>, Vec<String>)> {
    let format = Format { compression: Compression::None, ..format };
    let name_of = |place: &Location| match file_of(place) {
        Some(path) => path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        None => place.to_string(),
    };
    if format.kind == FormatKind::GraphMl {
        let is_it = Source::unpacked(location)? == graphml_of_masked(names, masked, format)?;
        return Ok((if is_it { Vec::new() } else { vec![name_of(location)] }, Vec::new()));
    }
    let beside = |what: &str| {
        let path = file_of(location).and_then(|path| sibling(path, what));
        path.map(Location::File).ok_or_else(|| Error::internal("the clusters of a masked network lie in no file"))
    };
    let places = [location.clone(), beside("edges")?, beside("values")?];
    let found = places
        .iter()
        .map(|place| match file_of(place).is_some_and(|path| !path.is_file()) {
            true => Ok(None),
            false => Source::unpacked(place).map(Some),
        })
        .collect::<Result<Vec<Option<Vec<u8>>>>>()?;
    let mut fewest: Option<Vec<String>> = None;
    let mut also = Vec::new();
    // A certificate does not say whether cells that look like formulas were written as they are.
    for raw_cells in [false, true] {
        let tables = tables_of_masked(names, masked, format, raw_cells)?;
        let meant = [Some(tables.nodes), Some(tables.edges), tables.values];
        also = places[1..]
            .iter()
            .zip(&meant[1..])
            .filter(|(_, meant)| meant.is_some())
            .map(|(place, _)| name_of(place))
            .collect();
        let pairs = places.iter().zip(found.iter().zip(&meant));
        let others: Vec<String> =
            pairs.filter(|(_, (found, meant))| found != meant).map(|(place, _)| name_of(place)).collect();
        if fewest.as_ref().is_none_or(|fewest| others.len() < fewest.len()) {
            fewest = Some(others);
        }
    }
    Ok((fewest.unwrap_or_default(), also))
}
