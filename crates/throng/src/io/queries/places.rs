//! Where in a search log something is found.

use throng_core::Result;
use throng_core::progress::Progress;

use super::super::places::{self, LookAt, Place};
use super::super::{Opened, ReadOptions};
use super::{Consumer, Row, scan_opened};

/// The places of what is found in queries and URLs.
pub fn log_places(
    opened: Opened,
    options: &ReadOptions,
    look: LookAt<'_>,
    progress: &dyn Progress,
) -> Result<Vec<Place>> {
    let mut looking = Looking { look, places: Vec::new() };
    scan_opened(opened, options, &mut looking, progress)?;
    Ok(looking.places)
}

struct Looking<'a> {
    look: LookAt<'a>,
    places: Vec<Place>,
}

impl Consumer for Looking<'_> {
    type Part = Vec<Place>;

    fn part(&self) -> Self::Part {
        Vec::new()
    }

    fn row(&self, part: &mut Self::Part, row: &Row<'_>, line: u64) {
        places::add(part, line, "query", row.query, self.look);
        places::add(part, line, "url", row.url.unwrap_or_default(), self.look);
    }

    fn absorb(&mut self, parts: Vec<(Self::Part, u64)>) {
        for (part, before) in parts {
            self.places.extend(part.into_iter().map(|place| Place { line: place.line + before, ..place }));
        }
    }
}
