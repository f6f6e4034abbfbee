//! Reading ratings for the checker: one digest a person, of everything that stands in their rows, to the letter.

use throng_core::models::digests::{DigestKey, Digests, RowHasher};
use throng_core::progress::Progress;
use throng_core::{Error, Result, Rng};

use super::super::fields::{Fields, RowConsumer};
use super::super::files::Files;
use super::super::roles::Roles;
use super::super::scan::ReadOptions;
use super::super::{Format, Opened};
use super::{NAMES, RATING, ROLES, RatingsLayout, TIME, check_ids, is_row, number, read_all};

/// The digests of a file, and what was learned while reading.
#[derive(Debug)]
pub struct RatingDigests {
    /// One digest a person.
    pub digests: Digests,
    /// The format.
    pub format: Format,
    /// How rows are written.
    pub layout: RatingsLayout,
    /// How many lines were left out.
    pub refused: u64,
    /// Columns without a role, which are compared, too.
    pub unmapped: Vec<String>,
    /// Whatever else is in the file and belongs to no row.
    pub uncompared: Vec<String>,
    /// Where the lines of several files begin.
    pub files: Files,
}

/// Reads open files into digests, with a fresh key. All columns count but the person's, as they are written: 3.5 and 3.50 are not the same.
pub fn read_opened_rating_digests(
    opened: Opened,
    options: &ReadOptions,
    rng: &mut Rng,
    progress: &dyn Progress,
) -> Result<RatingDigests> {
    let mut reading = Reading { key: DigestKey::new(rng), digests: Digests::new(), before: 0 };
    let read = read_all(opened, options, &mut reading, |reading, lines| reading.before = lines, progress)?;
    Ok(RatingDigests {
        digests: reading.digests,
        format: read.format,
        layout: read.layout,
        refused: read.refused,
        unmapped: read.unmapped,
        uncompared: read.uncompared,
        files: read.files,
    })
}

struct Reading {
    key: DigestKey,
    digests: Digests,
    /// The lines of the files before.
    before: u64,
}

impl RowConsumer<4> for Reading {
    const ROLES: &'static Roles = &ROLES;
    const TIME: Option<usize> = Some(TIME);
    type Part = (Digests, RowHasher);

    fn without_header(cells: &[&str], _options: &ReadOptions) -> Option<&'static [&'static str]> {
        is_row(cells, false).then_some(NAMES)
    }

    fn wants_rest(&self) -> bool {
        true
    }

    fn part(&self) -> Self::Part {
        (Digests::new(), self.key.hasher())
    }

    fn row<'n>(
        &self,
        (digests, hasher): &mut Self::Part,
        fields: Fields<'_, 4>,
        line: u64,
        name_of: impl Fn(usize) -> &'n str,
    ) -> Result<()> {
        let [person, item, rating, time] = fields.texts;
        check_ids(person, item, &name_of)?;
        if number(rating).is_none() {
            return Err(Error::data("the rating is not a number").with_value(rating).in_column(name_of(RATING)));
        }
        hasher.value(Some(item.as_bytes()));
        hasher.value(Some(rating.as_bytes()));
        hasher.value(Some(time.as_bytes()));
        hasher.number(fields.instant.map(|read| read.instant.millis));
        hasher.number(fields.instant.map(|read| i64::from(read.instant.nanos)));
        hasher.value(Some(fields.rest));
        digests.add(person, hasher.finish(), line);
        Ok(())
    }

    fn absorb(&mut self, parts: Vec<(Self::Part, u64)>) {
        for ((part, _), before) in parts {
            self.digests.append(&part, self.before + before);
        }
    }
}
