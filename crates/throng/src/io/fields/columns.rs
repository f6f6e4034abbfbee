//! Parquet and Arrow: columns of any sensible type, in batches.
//!
//! Ids may be text or numbers; times text, numbers, dates or timestamps; other numbers whole or floating-point (tools with
//! gaps in a column make floats of them), or text.

use throng_core::Result;
use throng_core::progress::Progress;

use super::super::columns::Columns;
use super::super::scan::{BlockResult, ReadOptions, Totals};
use super::super::source::Source;
use super::super::{Format, roles};
use super::arrow_column::{Column, check_role, is_number, is_text};
use super::{FieldLayout, Fields, FieldsRead, NamedCell, RowConsumer, by_role, finish, places, push_rest};

/// Reads a file into a consumer.
pub(super) fn read<const N: usize, C: RowConsumer<N>>(
    mut source: Source,
    format: Format,
    options: &ReadOptions,
    consumer: &mut C,
    progress: &dyn Progress,
) -> Result<FieldsRead> {
    let file = Columns::open(&mut source, format)?;
    progress.stage("reading", file.rows());
    let schema = file.schema().clone();
    let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    C::ROLES.check_chosen(&names, &roles::shown(&names, |_| false), &options.columns)?;
    let Some(mut roles) = C::ROLES.assign(&names, &options.columns)? else {
        let shown = C::ROLES.shown_in_error(&names, &roles::shown(&names, |_| false), true);
        return Err(C::ROLES.missing_column(&names, &shown, &options.columns));
    };
    // A value of a type of its own needs nothing beside it.
    let is_text_of = |role: usize| {
        let at = roles.iter().position(|other| *other == Some(role));
        at.is_some_and(|at| is_text(schema.field(at).data_type()))
    };
    let is_alone = |role: &usize| match C::ROLES.cards[*role].beside {
        Some((other, _)) => {
            let are_texts = is_text_of(*role) && is_text_of(other);
            !are_texts && !C::ROLES.is_chosen(*role, &options.columns)
        }
        None => false,
    };
    let alone: Vec<usize> = (0..N).filter(is_alone).collect();
    roles.iter_mut().filter(|role| role.is_some_and(|role| alone.contains(&role))).for_each(|role| *role = None);
    let mut typed = vec![false; N];
    for (at, role) in roles.iter().enumerate() {
        let Some(role) = *role else { continue };
        let kind = schema.field(at).data_type();
        check_role(&C::ROLES.cards[role], kind, names[at])?;
        typed[role] = if C::TIME == Some(role) { !is_text(kind) } else { is_number(kind) };
    }
    let (columns, unmapped) = by_role(&roles, &names, &roles::shown(&names, |_| false));
    // Columns that nobody asks for are not even unpacked.
    let wanted: Vec<usize> =
        (0..names.len()).filter(|&at| consumer.wants_rest() || consumer.wants_cells() || roles[at].is_some()).collect();
    let mut batches = file.batches(&wanted, &source.uncompared)?;
    let mut totals = Totals::default();
    while let Some(batch) = batches.next()? {
        progress.go_on()?;
        let (mut columns, mut rest) = ([const { None }; N], Vec::new());
        for (array, &at) in batch.columns().iter().zip(&wanted) {
            let column = Column::new(array, names[at])?;
            match roles[at] {
                Some(role) => columns[role] = Some(column),
                None => rest.push(column),
            }
        }
        let mut result = BlockResult::new(consumer.part());
        let mut cells = Cells { texts: [const { String::new() }; N], rest: Vec::new() };
        for at in 0..batch.num_rows() {
            result.lines += 1;
            let line = result.lines;
            let row = cells.row(&columns, &rest, at, consumer, &mut result.part, line);
            if !result.take(row, line, options.bad_lines) {
                break;
            }
        }
        progress.advance(result.lines);
        consumer.absorb(vec![totals.add(result)?]);
    }
    let layout = FieldLayout { columns, places: places(&roles), width: names.len(), header: true, typed, unmapped };
    finish(&totals, layout, source.uncompared)
}

/// Buffers for the values of one row.
struct Cells<const N: usize> {
    texts: [String; N],
    rest: Vec<u8>,
}

impl<const N: usize> Cells<N> {
    fn row<C: RowConsumer<N>>(
        &mut self,
        columns: &[Option<Column<'_>>; N],
        rest: &[Column<'_>],
        at: usize,
        consumer: &C,
        part: &mut C::Part,
        line: u64,
    ) -> Result<()> {
        self.rest.clear();
        let mut buffer = String::new();
        for column in rest.iter().filter(|_| consumer.wants_rest()) {
            if let Some(bytes) = column.bytes(at, &mut buffer)? {
                push_rest(&mut self.rest, column.name, bytes);
            }
        }
        let (mut texts, mut has, mut instant) = ([""; N], [false; N], None);
        for (role, (column, buffer)) in columns.iter().zip(&mut self.texts).enumerate() {
            let Some(column) = column else { continue };
            has[role] = column.has_value(at);
            if C::TIME == Some(role) {
                instant = column.instant(at)?;
            }
            if C::TIME != Some(role) || instant.is_none() {
                texts[role] = column.text(at, buffer)?;
            }
        }
        let name_of = |role: usize| columns[role].as_ref().map_or(C::ROLES.cards[role].name, |column| column.name);
        let mut own: Vec<String> = Vec::new();
        if consumer.wants_cells() {
            for column in rest {
                own.push(column.cell(at, &mut buffer)?);
            }
        }
        let cells: Vec<NamedCell<'_>> = rest
            .iter()
            .zip(&own)
            .map(|(column, text)| NamedCell { column: column.name, text, typed: column.is_typed() })
            .collect();
        consumer.row(part, Fields { texts, has, instant, rest: &self.rest, cells: &cells }, line, name_of)
    }
}
