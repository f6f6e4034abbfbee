//! Baskets in rows: a person and one of their items each, in any format that has rows.

use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::super::fields::{self, Fields, RowConsumer};
use super::super::roles::Roles;
use super::super::source::Source;
use super::super::{Format, ReadOptions};
use super::{BasketLayout, File, Form, ITEM, PERSON, Part, ROLES, Whole};

/// Reads a file into the whole.
pub(super) fn read(
    source: Source,
    format: Format,
    options: &ReadOptions,
    whole: &mut Whole,
    progress: &dyn Progress,
) -> Result<File> {
    let read = fields::read(source, format, options, &mut Rows(whole), progress)?;
    let columns = read.layout.columns;
    let name = |role: usize| columns.iter().find(|(other, _)| *other == role).map(|(_, name)| name.clone());
    let layout = BasketLayout {
        person: name(PERSON),
        item: name(ITEM).unwrap_or_default(),
        item_first: columns.first().is_some_and(|(role, _)| *role == ITEM),
        header: read.layout.header,
        typed_person: read.layout.typed[PERSON],
        unmapped: read.layout.unmapped,
        ..BasketLayout::new(Form::Long, true)
    };
    Ok(File { layout, lines: read.lines, refused: read.refused, uncompared: read.uncompared })
}

struct Rows<'w>(&'w mut Whole);

impl RowConsumer<2> for Rows<'_> {
    const ROLES: &'static Roles = &ROLES;
    type Part = Part;

    fn part(&self) -> Part {
        Part::default()
    }

    fn row<'n>(
        &self,
        part: &mut Part,
        fields: Fields<'_, 2>,
        line: u64,
        name_of: impl Fn(usize) -> &'n str,
    ) -> Result<()> {
        if fields.texts[PERSON].is_empty() {
            return Err(no_id(name_of(PERSON)));
        }
        let person = part.person(Some(fields.texts[PERSON]), line);
        part.push(person, fields.texts[ITEM]);
        Ok(())
    }

    fn absorb(&mut self, parts: Vec<(Part, u64)>) {
        for (part, before) in parts {
            self.0.add(&part, before, true);
        }
    }
}

/// The error for a line without an id.
pub(super) fn no_id(column: &str) -> Error {
    Error::data("the id of the person is missing")
        .in_column(column)
        .with_hint("`--bad-lines skip` leaves such lines out and counts them")
}
