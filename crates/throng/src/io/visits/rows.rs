//! Visits in rows with named columns: CSV, tab-separated, Parquet.

use throng_core::Result;
use throng_core::data::time::{TimeStyle, to_text};
use throng_core::progress::Progress;

use super::super::fields::{self, FieldLayout, Fields, FieldsRead, RowConsumer};
use super::super::roles::Roles;
use super::super::source::Source;
use super::super::{ColumnChoice, Format, ReadOptions};
use super::raw::{FIELDS, Field, Raw};
use super::read::{TakenPart, Taking, bad};
use super::{Counts, LogForm, PersonBy, TimeWriting, VisitsLayout};

/// Reads the rows of a file.
pub(super) fn read(
    source: Source,
    format: Format,
    options: &ReadOptions,
    whole: &mut Taking,
    progress: &dyn Progress,
) -> Result<FieldsRead> {
    // Words that say who a visitor is are no columns.
    let is_column = |choice: &&ColumnChoice| choice.role != "person" || whole.person == PersonBy::Column;
    let columns = options.columns.iter().filter(is_column).cloned().collect();
    let options = ReadOptions { columns, ..options.clone() };
    fields::read(source, format, &options, &mut Rows(whole), progress)
}

/// How a file holds visits, whose rows were read.
pub(super) fn layout(read: &FieldLayout, whole: &Taking) -> VisitsLayout {
    VisitsLayout {
        form: LogForm::Rows,
        name: "rows".to_owned(),
        columns: read.columns.iter().map(|(role, name)| (Field::ALL[*role], name.clone())).collect(),
        person: whole.person,
        said_person: None,
        timeout: None,
        time: whole.time.unwrap_or(TimeWriting::Style(TimeStyle::ISO)),
        zone: whole.zone.clone(),
        header: read.header,
        raw_cells: false,
        counts: Counts::default(),
        first: Vec::new(),
    }
}

struct Rows<'t>(&'t mut Taking);

impl RowConsumer<FIELDS> for Rows<'_> {
    const ROLES: &'static Roles = &super::ROLES;
    const TIME: Option<usize> = Some(Field::Time as usize);
    type Part = TakenPart;

    fn part(&self) -> TakenPart {
        self.0.part()
    }

    fn row<'n>(
        &self,
        part: &mut TakenPart,
        fields: Fields<'_, FIELDS>,
        line: u64,
        _name_of: impl Fn(usize) -> &'n str,
    ) -> Result<()> {
        let mut raw = Raw::default();
        for field in Field::ALL.into_iter().filter(|&field| fields.has[field as usize]) {
            raw.put(field, fields.texts[field as usize]);
        }
        if let Some(read) = fields.instant {
            raw.values[Field::Time as usize] = Some(to_text(read.instant.millis, TimeStyle::ISO).into());
        }
        self.0.take(part, &raw, line, false).map(drop).map_err(|problem| bad(&problem))
    }

    fn absorb(&mut self, parts: Vec<(TakenPart, u64)>) {
        for (part, before) in parts {
            self.0.absorb(part, before);
        }
    }
}
