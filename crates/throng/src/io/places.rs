//! Where in a file something is: line, field, and characters of the field, for the custodian's eyes.

use std::marker::PhantomData;

use throng_core::Result;
use throng_core::finders::Hit;
use throng_core::progress::Progress;

use super::fields::{self, Fields, RowConsumer};
use super::roles::Roles;
use super::{Opened, ReadOptions};

/// What looks at a text.
pub type LookAt<'a> = &'a (dyn Fn(&str) -> Vec<Hit> + Sync);

/// Where something was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The line of the file, from 1, the header counted.
    pub line: u64,
    /// The name of the field's role.
    pub field: &'static str,
    /// Where it begins, in characters of the field.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// The number of the finder.
    pub finder: usize,
}

/// Adds the places of what is found in a text.
pub(crate) fn add(places: &mut Vec<Place>, line: u64, field: &'static str, text: &str, look: LookAt<'_>) {
    let (mut at, mut characters) = (0, 0);
    for hit in look(text) {
        characters += text[at..hit.start].chars().count();
        let length = text[hit.start..hit.end].chars().count();
        places.push(Place { line, field, start: characters, end: characters + length, finder: hit.finder });
        characters += length;
        at = hit.end;
    }
}

/// The fields of text of rows with so many roles.
pub(super) trait TextRoles: Sync {
    /// The roles of a row.
    const ROLES: &'static Roles;
    /// Which of them is text, and what it is called.
    const TEXT: (usize, &'static str);
}

/// Looks at the texts of a file of rows.
pub(super) fn of_rows<const N: usize, T: TextRoles>(
    opened: Opened,
    options: &ReadOptions,
    look: LookAt<'_>,
    progress: &dyn Progress,
) -> Result<Vec<Place>> {
    let Opened { source, format, .. } = opened;
    let mut rows = Rows::<T> { look, places: Vec::new(), of: PhantomData };
    fields::read::<N, _>(source, format, options, &mut rows, progress)?;
    Ok(rows.places)
}

struct Rows<'a, T> {
    look: LookAt<'a>,
    places: Vec<Place>,
    of: PhantomData<T>,
}

impl<const N: usize, T: TextRoles> RowConsumer<N> for Rows<'_, T> {
    const ROLES: &'static Roles = T::ROLES;
    type Part = Vec<Place>;

    fn part(&self) -> Self::Part {
        Vec::new()
    }

    fn row<'n>(
        &self,
        part: &mut Self::Part,
        fields: Fields<'_, N>,
        line: u64,
        _name_of: impl Fn(usize) -> &'n str,
    ) -> Result<()> {
        add(part, line, T::TEXT.1, fields.texts[T::TEXT.0], self.look);
        Ok(())
    }

    fn absorb(&mut self, parts: Vec<(Self::Part, u64)>) {
        for (part, before) in parts {
            self.places.extend(part.into_iter().map(|place| Place { line: place.line + before, ..place }));
        }
    }
}
