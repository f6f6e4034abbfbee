//! Writing baskets in the form of a layout: persons in the order given, each one's items in the order of their labels.
//!
//! Persons are cut into pieces by their items, never by the number of threads, so the bytes are the same on any machine.
//! The order of labels says nothing about the original, as the order in which it was read would. Groups are numbered by
//! their first person, whose place is random.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;

use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::{ArrayRef, Int64Array, StringArray};
use arrow_schema::{DataType, Field, Schema};
use rayon::prelude::*;
use throng_core::data::Baskets;
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::super::cells::Cells;
use super::super::columns::{self, BatchWriter};
use super::super::fields::write::{Column, RowSource, RowWriter, Sort, Value};
use super::super::write::{Person, Pieces, cut, push_json, push_typed};
use super::super::{Format, FormatKind};
use super::text::{is_comment, is_mark};
use super::{BasketLayout, Form};

/// Items in a piece, about.
const PIECE: usize = 1 << 16;

/// Writes persons. Gives the number of their items, copies included.
pub fn write_baskets<W: Write + Send>(
    out: &mut W,
    format: Format,
    layout: &BasketLayout,
    baskets: &Baskets,
    persons: &[Person<'_>],
    progress: &dyn Progress,
) -> Result<u64> {
    let order = Order::new(baskets);
    let items: u64 = persons.iter().map(|person| baskets.range(person.person as usize).len() as u64).sum();
    let has_rows = format.separator().is_some() || format.kind.has_typed_columns();
    if let (Form::Long, Some(person), true) = (layout.form, &layout.person, has_rows) {
        let mut columns = vec![
            Column { name: person.clone(), sort: Sort::Person { typed: layout.typed_person }, optional: false },
            Column { name: layout.item.clone(), sort: Sort::Text, optional: true },
        ];
        if layout.item_first {
            columns.reverse();
        }
        refuse_unwritable(format.kind, layout.form, baskets, persons)?;
        let mut rows = RowWriter::new(out, format, columns, layout.header, layout.raw_cells, PIECE)?;
        rows.append(&Pairs { baskets, order: &order, item_first: layout.item_first }, persons, progress)?;
        rows.finish()?;
        return Ok(items);
    }
    let pieces = cut(persons, PIECE, |person| 1 + baskets.range(person.person as usize).len());
    if format.kind.has_typed_columns() {
        write_lists(out, format.kind, layout, baskets, &pieces, &order)?;
        return Ok(items);
    }
    refuse_unwritable(format.kind, layout.form, baskets, persons)?;
    let groups = Groups::new(baskets, persons);
    let mut text = Pieces::new(out, format.compression, Vec::new());
    let write = |piece: &&[Person<'_>], out: &mut Vec<u8>| {
        piece.iter().try_for_each(|person| write_person(format, layout, baskets, person, &order, &groups, out))
    };
    text.append(&pieces, |piece| piece.len() as u64, write, progress)?;
    let mut rest = Vec::new();
    groups.write(baskets, &order, &mut rest);
    text.finish(rest)?;
    Ok(items)
}

/// Persons and items as rows. A person with nothing has a row without an item.
struct Pairs<'a> {
    baskets: &'a Baskets,
    order: &'a Order,
    item_first: bool,
}

impl RowSource for Pairs<'_> {
    fn rows_of(&self, person: u32) -> usize {
        self.baskets.range(person as usize).len().max(1)
    }

    fn weight_of(&self, person: u32) -> usize {
        1 + self.baskets.range(person as usize).len()
    }

    fn each<'s>(&'s self, person: u32, mut take: impl FnMut(&[Value<'s>])) {
        let mut give = |item: Value<'s>| match self.item_first {
            true => take(&[item, Value::Person]),
            false => take(&[Value::Person, item]),
        };
        let labels = self.order.labels(self.baskets, person);
        if labels.is_empty() {
            give(Value::Nothing);
        }
        labels.into_iter().for_each(|label| give(Value::Text(label)));
    }
}

/// The place of each item in the order of labels.
struct Order(Vec<u32>);

impl Order {
    fn new(baskets: &Baskets) -> Self {
        let mut items: Vec<u32> = (0..baskets.item_count() as u32).collect();
        items
            .par_sort_unstable_by(|&left, &right| baskets.label(left).cmp(baskets.label(right)).then(left.cmp(&right)));
        let mut place = vec![0; items.len()];
        for (at, item) in (0u32..).zip(items) {
            place[item as usize] = at;
        }
        Self(place)
    }

    fn labels<'a>(&self, baskets: &'a Baskets, person: u32) -> Vec<&'a str> {
        let mut items = baskets.basket(person as usize).to_vec();
        items.sort_unstable_by_key(|&item| self.0[item as usize]);
        items.into_iter().map(|item| baskets.label(item)).collect()
    }
}

/// The published numbers of groups, from 1 in the order of their first persons.
struct Groups(BTreeMap<u32, usize>);

impl Groups {
    fn new(baskets: &Baskets, persons: &[Person<'_>]) -> Self {
        let mut numbers = BTreeMap::new();
        if let Some(grouping) = baskets.grouping() {
            for person in persons {
                let next = numbers.len() + 1;
                numbers.entry(grouping.group_of[person.person as usize]).or_insert(next);
            }
        }
        Self(numbers)
    }

    fn write(&self, baskets: &Baskets, order: &Order, out: &mut Vec<u8>) {
        let Some(grouping) = baskets.grouping() else { return };
        let mut groups: Vec<(usize, u32)> = self.0.iter().map(|(&group, &number)| (number, group)).collect();
        groups.sort_unstable();
        for (number, group) in groups {
            out.extend_from_slice(format!("{{\"group\":{number},\"sensitive\":{{").as_bytes());
            let mut counts = grouping.sensitive[group as usize].clone();
            counts.sort_unstable_by_key(|&(item, _)| order.0[item as usize]);
            for (at, (item, count)) in counts.into_iter().enumerate() {
                out.extend_from_slice(if at > 0 { b"," } else { b"" });
                push_json(baskets.label(item), out);
                out.extend_from_slice(format!(":{count}").as_bytes());
            }
            out.extend_from_slice(b"}}\n");
        }
    }
}

fn write_person(
    format: Format,
    layout: &BasketLayout,
    baskets: &Baskets,
    person: &Person<'_>,
    order: &Order,
    groups: &Groups,
    out: &mut Vec<u8>,
) -> Result<()> {
    let mut labels = order.labels(baskets, person.person);
    match (format.kind, layout.form) {
        (FormatKind::JsonLines, _) => {
            let mut fields: Vec<(&str, Vec<u8>)> = Vec::new();
            if let Some(key) = &layout.person {
                let mut text = Vec::new();
                push_typed(person.name, layout.typed_person, &mut text);
                fields.push((key, text));
            }
            if let Some(grouping) = baskets.grouping() {
                let number = groups.0[&grouping.group_of[person.person as usize]];
                fields.push(("group", number.to_string().into_bytes()));
            }
            let mut list = b"[".to_vec();
            for (at, label) in labels.iter().enumerate() {
                list.extend_from_slice(if at > 0 { b"," } else { b"" });
                push_typed(label, layout.typed_item, &mut list);
            }
            list.push(b']');
            fields.insert(if layout.item_first { 0 } else { fields.len() }, (&layout.item, list));
            for (at, (key, value)) in fields.into_iter().enumerate() {
                out.push(if at > 0 { b',' } else { b'{' });
                push_json(key, out);
                out.push(b':');
                out.extend_from_slice(&value);
            }
            out.extend_from_slice(b"}\n");
        }
        (FormatKind::Fimi, _) => {
            // A line must not begin like a comment.
            if let Some(at) = labels.iter().position(|label| !label.starts_with(is_comment)) {
                labels[..=at].rotate_right(1);
            }
            if labels.first().is_some_and(|label| label.starts_with(is_comment)) {
                return Err(unwritable_as_fimi());
            }
            out.extend_from_slice(labels.join(" ").as_bytes());
            out.push(b'\n');
        }
        (_, Form::Lines) => {
            let cells = Cells::of(format, layout.raw_cells);
            for (at, label) in labels.iter().enumerate() {
                out.extend((at > 0).then_some(cells.separator()));
                cells.push(label.as_bytes(), out);
            }
            out.push(b'\n');
        }
        _ => return Err(Error::internal("baskets of rows are written as rows")),
    }
    Ok(())
}

/// Refuses items that a format of text cannot hold.
fn refuse_unwritable(kind: FormatKind, form: Form, baskets: &Baskets, persons: &[Person<'_>]) -> Result<()> {
    let mut is_seen = vec![false; baskets.item_count()];
    for person in persons {
        baskets.basket(person.person as usize).iter().for_each(|&item| is_seen[item as usize] = true);
    }
    let labels = || (0u32..).zip(&is_seen).filter(|(_, seen)| **seen).map(|(item, _)| baskets.label(item));
    if !kind.has_typed_columns() && labels().any(|label| label.is_empty() || label.trim().len() < label.len()) {
        return Err(Error::refused("some items cannot be written: their name is empty, or has blanks around it")
            .with_hint("give those nodes of the taxonomy another name"));
    }
    let is_bad = |label: &str| label.contains(|c: char| c.is_ascii_whitespace()) || is_mark(label);
    match kind {
        FormatKind::Fimi if labels().any(is_bad) => Err(unwritable_as_fimi()),
        FormatKind::Tsv if form == Form::Long && labels().any(|label| label.contains(['\t', '\n', '\r'])) => {
            Err(unwritable("tsv", "holds a tab or a line end"))
        }
        _ => Ok(()),
    }
}

fn unwritable_as_fimi() -> Error {
    unwritable("fimi", "holds a blank, is -1 or -2, or begins with @, # or %")
}

fn unwritable(format: &str, why: &str) -> Error {
    Error::refused(format!("some items cannot be written as {format}: their name {why}"))
        .with_hint("choose another format: `--format csv`, `jsonl` or `parquet`")
}

fn write_lists<W: Write + Send>(
    out: &mut W,
    kind: FormatKind,
    layout: &BasketLayout,
    baskets: &Baskets,
    pieces: &[&[Person<'_>]],
    order: &Order,
) -> Result<()> {
    let list = DataType::List(Arc::new(Field::new("item", DataType::Utf8, true)));
    let mut fields = vec![Field::new(&layout.item, list, false)];
    if let Some(person) = &layout.person {
        let kind = if layout.typed_person { DataType::Int64 } else { DataType::Utf8 };
        fields.insert(usize::from(layout.item_first), Field::new(person, kind, false));
    }
    let schema = Arc::new(Schema::new(fields));
    let mut writer = BatchWriter::new(out, kind, &schema)?;
    for piece in pieces {
        let names: Vec<&str> = piece.iter().map(|person| person.name).collect();
        let mut lists = ListBuilder::new(StringBuilder::new());
        for person in *piece {
            lists.append_value(order.labels(baskets, person.person).into_iter().map(Some));
        }
        let mut arrays: Vec<ArrayRef> = vec![Arc::new(lists.finish())];
        if layout.person.is_some() {
            let names: ArrayRef = if layout.typed_person {
                let number = |name: &&str| name.parse::<i64>().map_err(|_| Error::internal("a pseudonym is no number"));
                Arc::new(Int64Array::from(names.iter().map(number).collect::<Result<Vec<_>>>()?))
            } else {
                Arc::new(StringArray::from(names))
            };
            arrays.insert(usize::from(layout.item_first), names);
        }
        writer.write(&columns::batch(&schema, arrays)?)?;
    }
    writer.finish()
}
