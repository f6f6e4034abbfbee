//! Tables on many machines: a row is the cells of the columns that have a role, and every row is a person.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use serde_json::{Value, json};
use throng_core::data::table::{Column, ColumnRole, ColumnSettings};
use throng_core::data::{Dataset as _, Table};
use throng_core::measures::Measured;
use throng_core::methods::table::{flock, murmuration};
use throng_core::models::table_k_anonymity;
use throng_core::pieces::{Columns, Coordinates, Kinds, MeasurePart, Moments, of_rows};
use throng_core::{Error, Info, Result};

use super::super::Sorts;
use super::{Cells, OfCells, State, Whose};
use crate::io::{Frame, TableLayout, numbers_written};
use crate::kinds::{Ask, Kinded, Read};

const NCP: &str = "normalised-certainty-penalty";
/// A share of a sum, which is summed too.
const SSE: &str = "sum-of-squares";

impl Cells for Table {
    const MODEL: &'static Info = &table_k_anonymity::INFO;
    const METHODS: &'static [&'static str] = &[flock::INFO.name, murmuration::INFO.name];
    const MEASURES: &'static [&'static str] = &[NCP, SSE];

    fn unheeded(ask: &Ask) -> Option<&'static str> {
        let is_of_persons = |choice: &crate::kinds::ColumnChoice| choice.role == ColumnRole::Person.name();
        let asked = [
            ("person", ask.columns.iter().any(is_of_persons)),
            ("schema", ask.schema.is_some()),
            ("population", ask.population.is_some()),
            ("noise-file", ask.noise_file.is_some()),
            ("target", ask.target.is_some()),
            ("link-rows", ask.link_rows),
            ("keep-suppressed", ask.keep_suppressed),
            ("round", ask.round),
            ("policy", ask.policy.is_some()),
            ("drop", ask.drop.is_some()),
        ];
        asked.into_iter().find(|(_, is_asked)| *is_asked).map(|(name, _)| name)
    }

    fn travelling(&self) -> Vec<(String, Vec<String>)> {
        let cells = |row: usize| self.columns().iter().map(|column| column.text(row).to_owned()).collect();
        (0..self.rows()).map(|row| (String::new(), cells(row))).collect()
    }

    fn columns_of(&self) -> Columns {
        Columns {
            persons: self.persons() as u64,
            rows: self.rows() as u64,
            columns: self.columns().iter().map(Kinds::of).collect(),
            ..Columns::default()
        }
    }

    fn moments(&self, columns: &Columns) -> Moments {
        Moments::of(self.columns(), &columns.columns)
    }

    /// Read as a file of these columns would be, each of the type that it has in all rows.
    fn built_of(persons: &[Whose], of: &OfCells<Self>, state: &State) -> Result<(Self, u64)> {
        let frame = frame(&of.head, persons)?;
        let kinds = state.columns.as_ref().map(|columns| columns.columns.as_slice());
        let Read { data, .. } = super::read::<Table>(&frame, &ask_of(of, kinds), false)?;
        let columns = data.columns().iter().enumerate().map(|(at, column)| {
            let whole = state.wholes.get(at).copied().flatten().filter(|_| column.generalised_by().is_none());
            let settings = ColumnSettings { whole, ..(*column.settings).clone() };
            column.clone().with_settings(settings)
        });
        let columns = columns.collect();
        Ok((data.with_columns(columns), 0))
    }

    fn sketches(&self) -> Result<Vec<Coordinates>> {
        of_rows(self)
    }

    fn sorts(&self) -> Sorts {
        let sort = |column: &Column| (column.name.clone(), numbers_written(column));
        self.columns().iter().map(sort).collect()
    }

    fn released(persons: &[Whose], of: &OfCells<Self>, state: &State) -> Result<(Self, TableLayout)> {
        let known = &state.columns()?.columns;
        let column = |(at, own): (usize, &Column)| {
            let kind = known.get(at).map_or(own.kind, Kinds::kind);
            let cells = persons.iter().map(|whose| whose.rows[0][at].as_str());
            Column { kind, ..Column::new(&own.name, own.role, cells) }
        };
        let records = Table::of_rows(of.head.columns().iter().enumerate().map(column).collect());
        let (_, mut layout) = Self::release_layout(&of.about, Some(super::FORMAT), &records)?;
        for (column, data) in layout.columns.iter_mut().zip(records.columns()) {
            let [whole, real] = state.sorts.get(&column.name).copied().unwrap_or_default();
            column.kind = data.kind;
            column.typed &= whole || real;
            if column.typed && !whole {
                layout.reals.push(column.name.clone());
            }
        }
        Ok((records, layout))
    }

    fn judged(&self, person: usize) -> Vec<Vec<&str>> {
        let quasi = self.of_role(ColumnRole::Quasi);
        self.range(person).map(|row| quasi.iter().map(|&at| self.columns()[at].text(row)).collect()).collect()
    }

    fn judged_of<'w>(whose: &'w Whose, head: &Self) -> Vec<Vec<&'w str>> {
        let quasi = head.of_role(ColumnRole::Quasi);
        whose.rows.iter().map(|cells| quasi.iter().map(|&at| cells[at].as_str()).collect()).collect()
    }

    fn counted(whose: &Whose) -> usize {
        whose.rows.len()
    }

    fn add_measured(found: &Measured, block: &Self, into: &mut MeasurePart) {
        if found.name == SSE {
            for part in ["sse", "sst"] {
                into.add_sum(&format!("{SSE} {part}"), found.parts[part].as_f64().unwrap_or(0.0));
            }
            return;
        }
        into.add(found, block.rows() as u64);
    }

    fn measured(name: &str, parts: &MeasurePart) -> Option<(Option<f64>, Value)> {
        if name == NCP {
            // A mean covers nothing: of some blocks alone there is no penalty.
            let (mean, _, undefined) = parts.finish(NCP)?;
            return Some((mean.filter(|_| undefined == 0), json!({})));
        }
        let (error, total) = (parts.sum(&format!("{SSE} sse"))?, parts.sum(&format!("{SSE} sst"))?);
        let value = (total > 0.0).then(|| 100.0 * error / total);
        Some((value, json!({"sse": error, "sst": total, "ssa": total - error})))
    }
}

/// Rows as a frame of texts.
fn frame(head: &Table, persons: &[Whose]) -> Result<Frame> {
    let names: Vec<&str> = head.columns().iter().map(|column| column.name.as_str()).collect();
    let schema = Schema::new(names.iter().map(|name| Field::new(*name, DataType::Utf8, true)).collect::<Vec<_>>());
    let schema = Arc::new(schema);
    let cells = |at: usize| {
        let cell = |whose: &Whose| Some(whose.rows[0][at].clone()).filter(|text| !text.is_empty());
        Arc::new(persons.iter().map(cell).collect::<StringArray>()) as ArrayRef
    };
    let batch = RecordBatch::try_new(Arc::clone(&schema), (0..names.len()).map(cells).collect())
        .map_err(|cause| Error::internal(cause.to_string()))?;
    Frame::new(schema, vec![batch])
}

/// How to read some rows again: roles as they were found, types as all rows have them.
fn ask_of(of: &OfCells<Table>, known: Option<&[Kinds]>) -> Ask {
    let head = of.head.columns();
    let record = Table::table_record(&of.about.layout).map(|mut record| {
        record.columns.retain(|column| head.iter().any(|own| own.name == column.name));
        for column in &mut record.columns {
            let at = head.iter().position(|own| own.name == column.name);
            if let Some(kind) = at.and_then(|at| known?.get(at)).map(Kinds::kind) {
                column.kind = kind;
            }
        }
        record
    });
    let table = record.filter(|_| known.is_some());
    // Before types are known they are found out, with roles by name.
    let columns = if table.is_some() { Vec::new() } else { roles(head) };
    Ask { columns, table, format: None, delimiter: None, encoding: None, no_header: false, ..of.plan.ask.clone() }
}

fn roles(head: &[Column]) -> Vec<crate::kinds::ColumnChoice> {
    let mut roles: Vec<crate::kinds::ColumnChoice> = Vec::new();
    for role in ColumnRole::ALL {
        let names: Vec<&str> =
            head.iter().filter(|column| column.role == role).map(|column| column.name.as_str()).collect();
        if !names.is_empty() {
            roles.push(crate::kinds::ColumnChoice { role: role.name().to_owned(), name: names.join(",") });
        }
    }
    roles
}
