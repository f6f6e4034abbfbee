//! The texts of an access log that finders look at: paths, query strings, referrers.

use super::{Part, Visits, pattern};
use crate::data::Interner;
use crate::data::content::{Content, Field, Replaced};
use crate::data::queries::MISSING;
use crate::finders::mask::Form;

/// The fields, the path first.
const FIELDS: [(&str, Part); 3] = [("path", Part::Path), ("query", Part::Query), ("referrer", Part::Referrer)];

impl Content for Visits {
    /// A line whose path is gone is still a line: it has a time and an answer.
    const ROWS_CAN_GO: bool = false;

    fn fields(&self) -> Vec<Field<'_>> {
        let form = |part: Part| if part == Part::Path { Form::Path } else { Form::Url };
        FIELDS.map(|(role, part)| Field { role, form: form(part), texts: self.texts(part) }).into()
    }

    fn texts_of_rows(&self, person: usize) -> impl Iterator<Item = impl AsRef<[u32]>> {
        self.range(person).map(|row| FIELDS.map(|(_, part)| self.column(part)[row]))
    }

    /// A path of which nothing is left is any path: its line still asks for something.
    fn with_texts(&self, fields: Vec<Replaced>) -> Self {
        let mut log = self.clone();
        for ((_, part), Replaced { mut texts, mut number_of, .. }) in FIELDS.into_iter().zip(fields) {
            let at = part as usize;
            if part == Part::Path && number_of.contains(&MISSING) {
                let mut now = Interner::from(&texts);
                let any = now.intern(pattern::ANY);
                number_of.iter_mut().filter(|id| **id == MISSING).for_each(|id| *id = any);
                texts = now.into_strings();
            }
            log.columns[at].iter_mut().filter(|id| **id != MISSING).for_each(|id| *id = number_of[*id as usize]);
            log.texts[at] = texts;
        }
        log
    }
}
