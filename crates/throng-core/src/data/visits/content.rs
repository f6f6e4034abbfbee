//! The texts of an access log that finders look at: paths, query strings, referrers.

use super::{Part, Visits};
use crate::data::content::{Content, Field, Replaced};
use crate::data::queries::MISSING;
use crate::finders::mask::Form;

/// The fields, the path first.
const FIELDS: [(&str, Part); 3] = [("path", Part::Path), ("query", Part::Query), ("referrer", Part::Referrer)];

impl Content for Visits {
    /// A line whose path is gone is still a line: it has a time and an answer.
    const ROWS_CAN_GO: bool = false;

    fn fields(&self) -> Vec<Field<'_>> {
        FIELDS.map(|(role, part)| Field { role, form: Form::Url, texts: self.texts(part) }).into()
    }

    fn texts_of_rows(&self, person: usize) -> impl Iterator<Item = impl AsRef<[u32]>> {
        self.range(person).map(|row| FIELDS.map(|(_, part)| self.column(part)[row]))
    }

    fn with_texts(&self, fields: Vec<Replaced>) -> Self {
        let mut log = self.clone();
        for ((_, part), Replaced { texts, number_of, .. }) in FIELDS.into_iter().zip(fields) {
            let at = part as usize;
            log.columns[at].iter_mut().filter(|id| **id != MISSING).for_each(|id| *id = number_of[*id as usize]);
            log.texts[at] = texts;
        }
        log
    }
}
