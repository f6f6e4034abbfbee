//! Whether a file of GPX is byte by byte what throng writes for the points that were read of it: what XML can carry beside them, nobody
//! compares. What is compressed is compared when it is unpacked.

use throng_core::Result;
use throng_core::progress::Silent;

use super::super::source::Source;
use super::super::write::Person;
use super::super::{Compression, Format, FormatKind, Location, PointsForm};
use super::{ReadPaths, write_paths};

/// Whether it is so; what is no file of GPX is looked at elsewhere.
pub(crate) fn is_as_written(read: &ReadPaths, location: &Location) -> Result<bool> {
    if read.format.kind != FormatKind::Points(PointsForm::Gpx) || !matches!(location, Location::File(_)) {
        return Ok(true);
    }
    let name = |person: u32| Person { name: read.paths.names().get(person), person };
    let persons: Vec<Person<'_>> = (0..read.paths.persons() as u32).map(name).collect();
    let format = Format { compression: Compression::None, ..read.format };
    let mut meant = Vec::new();
    write_paths(&mut meant, format, &read.layout, &read.paths, &persons, &Silent)?;
    Ok(Source::unpacked(location)? == meant)
}
