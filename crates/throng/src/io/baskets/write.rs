//! Writing baskets in the form of a layout: persons in the order given, each one's items in the order of their labels.
//!
//! Persons are cut into pieces by their items, never by the number of threads, so the bytes are the same on any machine.
//! The order of labels says nothing about the original, as the order in which it was read would. Groups are numbered by
//! their first person, whose place is random.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;

use ::parquet::arrow::ArrowWriter;
use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use rayon::prelude::*;
use throng_core::data::Baskets;
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::super::cells::Cells;
use super::super::write::{Person, compress, failed, parquet_failed, parquet_properties};
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
    if format.kind == FormatKind::Parquet {
        write_parquet(out, layout, baskets, persons, &order)?;
        return Ok(items);
    }
    let groups = Groups::new(baskets, persons);
    let pieces = pieces(baskets, persons);
    let mut first = header(format.kind, layout);
    for batch in pieces.chunks(4 * rayon::current_num_threads().max(1)) {
        let start = std::mem::take(&mut first);
        let texts: Vec<Result<Vec<u8>>> = batch
            .par_iter()
            .with_max_len(1)
            .enumerate()
            .map(|(at, piece)| {
                let mut text = if at == 0 { start.clone() } else { Vec::new() };
                for person in *piece {
                    write_person(format.kind, layout, baskets, person, &order, &groups, &mut text)?;
                }
                compress(text, format.compression).map_err(failed)
            })
            .collect();
        for text in texts {
            out.write_all(&text?).map_err(failed)?;
        }
        progress.advance(batch.iter().map(|piece| piece.len() as u64).sum());
        progress.go_on()?;
    }
    // What is left: the header of a file without persons, and the sensitive items of groups.
    let mut rest = first;
    groups.write(baskets, &order, &mut rest);
    if !rest.is_empty() {
        out.write_all(&compress(rest, format.compression).map_err(failed)?).map_err(failed)?;
    }
    out.flush().map_err(failed)?;
    Ok(items)
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
                push_json(baskets.label(item), false, out);
                out.extend_from_slice(format!(":{count}").as_bytes());
            }
            out.extend_from_slice(b"}}\n");
        }
    }
}

fn header(kind: FormatKind, layout: &BasketLayout) -> Vec<u8> {
    let mut text = Vec::new();
    if let (Form::Long, Some(person)) = (layout.form, &layout.person)
        && kind != FormatKind::JsonLines
    {
        push_pair(kind, layout, person, &layout.item, &mut text);
    }
    text
}

/// A row with a person and an item.
fn push_pair(kind: FormatKind, layout: &BasketLayout, person: &str, item: &str, out: &mut Vec<u8>) {
    let (first, second) = if layout.item_first { (item, person) } else { (person, item) };
    let cells = Cells { kind, raw: layout.raw_cells };
    cells.push(first.as_bytes(), out);
    out.push(cells.separator());
    cells.push(second.as_bytes(), out);
    out.push(b'\n');
}

fn write_person(
    kind: FormatKind,
    layout: &BasketLayout,
    baskets: &Baskets,
    person: &Person<'_>,
    order: &Order,
    groups: &Groups,
    out: &mut Vec<u8>,
) -> Result<()> {
    let mut labels = order.labels(baskets, person.person);
    if labels.iter().any(|label| label.is_empty() || label.trim().len() < label.len()) {
        return Err(Error::refused("some items cannot be written: their name is empty, or has blanks around it")
            .with_hint("give those nodes of the taxonomy another name"));
    }
    match (kind, layout.form) {
        (FormatKind::JsonLines, _) => {
            let mut fields: Vec<(&str, Vec<u8>)> = Vec::new();
            if let Some(key) = &layout.person {
                let mut text = Vec::new();
                push_json(person.name, layout.typed_person, &mut text);
                fields.push((key, text));
            }
            if let Some(grouping) = baskets.grouping() {
                let number = groups.0[&grouping.group_of[person.person as usize]];
                fields.push(("group", number.to_string().into_bytes()));
            }
            let mut list = b"[".to_vec();
            for (at, label) in labels.iter().enumerate() {
                list.extend_from_slice(if at > 0 { b"," } else { b"" });
                push_json(label, layout.typed_item, &mut list);
            }
            list.push(b']');
            fields.insert(if layout.item_first { 0 } else { fields.len() }, (&layout.item, list));
            for (at, (key, value)) in fields.into_iter().enumerate() {
                out.push(if at > 0 { b',' } else { b'{' });
                push_json(key, false, out);
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
            let is_bad = |label: &&str| label.contains(|c: char| c.is_ascii_whitespace()) || is_mark(label);
            if labels.iter().any(is_bad) || labels.first().is_some_and(|label| label.starts_with(is_comment)) {
                return Err(unwritable("fimi", "holds a blank, is -1 or -2, or begins with @, # or %"));
            }
            out.extend_from_slice(labels.join(" ").as_bytes());
            out.push(b'\n');
        }
        (_, Form::Lines) => {
            for (at, label) in labels.iter().enumerate() {
                out.extend_from_slice(if at > 0 { b"," } else { b"" });
                Cells { kind, raw: layout.raw_cells }.push(label.as_bytes(), out);
            }
            out.push(b'\n');
        }
        _ => {
            let is_bad = |label: &&str| kind == FormatKind::Tsv && label.contains(['\t', '\n', '\r']);
            if labels.iter().any(is_bad) {
                return Err(unwritable("tsv", "holds a tab or a line end"));
            }
            if labels.is_empty() {
                labels.push("");
            }
            for label in labels {
                push_pair(kind, layout, person.name, label, out);
            }
        }
    }
    Ok(())
}

fn unwritable(format: &str, why: &str) -> Error {
    Error::refused(format!("some items cannot be written as {format}: their name {why}"))
        .with_hint("choose another format: `--format csv`, `jsonl` or `parquet`")
}

/// A JSON string, or a number where ids or items were numbers and this one still is.
fn push_json(text: &str, is_typed: bool, out: &mut Vec<u8>) {
    if is_typed && text.parse::<i64>().is_ok_and(|number| number.to_string() == text) {
        out.extend_from_slice(text.as_bytes());
    } else {
        out.extend_from_slice(serde_json::Value::from(text).to_string().as_bytes());
    }
}

/// Cuts persons into pieces of about [`PIECE`] items.
fn pieces<'p, 'a>(baskets: &Baskets, persons: &'p [Person<'a>]) -> Vec<&'p [Person<'a>]> {
    let mut pieces = Vec::new();
    let (mut start, mut items) = (0, 0);
    for (at, person) in persons.iter().enumerate() {
        items += 1 + baskets.range(person.person as usize).len();
        if items >= PIECE {
            pieces.push(&persons[start..=at]);
            (start, items) = (at + 1, 0);
        }
    }
    if start < persons.len() {
        pieces.push(&persons[start..]);
    }
    pieces
}

fn write_parquet<W: Write + Send>(
    out: &mut W,
    layout: &BasketLayout,
    baskets: &Baskets,
    persons: &[Person<'_>],
    order: &Order,
) -> Result<()> {
    let list = DataType::List(Arc::new(Field::new("item", DataType::Utf8, true)));
    let is_long = layout.form == Form::Long;
    let mut fields = vec![Field::new(&layout.item, if is_long { DataType::Utf8 } else { list }, is_long)];
    if let Some(person) = &layout.person {
        let kind = if layout.typed_person { DataType::Int64 } else { DataType::Utf8 };
        fields.insert(usize::from(layout.item_first), Field::new(person, kind, false));
    }
    let schema = Arc::new(Schema::new(fields));
    let mut writer =
        ArrowWriter::try_new(&mut *out, schema.clone(), Some(parquet_properties()?)).map_err(parquet_failed)?;
    for piece in pieces(baskets, persons) {
        let (mut names, mut items): (Vec<&str>, Vec<Option<&str>>) = (Vec::new(), Vec::new());
        let mut lists = ListBuilder::new(StringBuilder::new());
        for person in piece {
            let labels = order.labels(baskets, person.person);
            if is_long {
                // A person with nothing has a row without an item.
                names.extend(std::iter::repeat_n(person.name, labels.len().max(1)));
                items.extend(if labels.is_empty() { vec![None] } else { labels.into_iter().map(Some).collect() });
            } else {
                names.push(person.name);
                lists.append_value(labels.into_iter().map(Some));
            }
        }
        let items: ArrayRef = if is_long { Arc::new(StringArray::from(items)) } else { Arc::new(lists.finish()) };
        let mut arrays = vec![items];
        if layout.person.is_some() {
            let names: ArrayRef = if layout.typed_person {
                let number = |name: &&str| name.parse::<i64>().map_err(|_| Error::internal("a pseudonym is no number"));
                Arc::new(Int64Array::from(names.iter().map(number).collect::<Result<Vec<_>>>()?))
            } else {
                Arc::new(StringArray::from(names))
            };
            arrays.insert(usize::from(layout.item_first), names);
        }
        let batch = RecordBatch::try_new(schema.clone(), arrays)
            .map_err(|cause| Error::internal(format!("a batch does not fit: {cause}")))?;
        writer.write(&batch).map_err(parquet_failed)?;
    }
    writer.finish().map_err(parquet_failed)?;
    drop(writer);
    out.flush().map_err(failed)
}
