//! Baskets in files of typed columns, one of them of lists; those with a row for each item are read like any rows.

use arrow_array::cast::AsArray as _;
use arrow_array::{Array as _, ArrayRef};
use arrow_schema::DataType;
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::super::Format;
use super::super::columns::Columns;
use super::super::fields::{Column, is_number};
use super::super::head::is_list;
use super::super::roles::{self, ColumnChoice};
use super::super::scan::{BadLines, BlockResult, ReadOptions, Totals};
use super::super::source::Source;
use super::long::{self, no_id};
use super::{BasketLayout, File, Form, ITEM, Part, ROLES, Whole, find_columns};

/// Reads a file into the whole.
pub(super) fn read(
    mut source: Source,
    format: Format,
    options: &ReadOptions,
    whole: &mut Whole,
    progress: &dyn Progress,
) -> Result<File> {
    let file = Columns::open(&mut source, format)?;
    let schema = file.schema().clone();
    let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    // A single column of lists holds the items, whatever its name.
    let mut options = options.clone();
    let lists: Vec<usize> = (0..names.len()).filter(|&at| is_list(schema.field(at).data_type())).collect();
    if let ([only], false) = (lists.as_slice(), ROLES.is_chosen(ITEM, &options.columns)) {
        let (role, name) = (ROLES.cards[ITEM].name.to_owned(), names[*only].to_owned());
        options.columns.push(ColumnChoice { role, name });
    }
    let is_lists = find_columns(&names, &options, false).is_ok_and(|(_, item)| lists.contains(&item));
    if !is_lists {
        return long::read(source, format, &options, whole, progress);
    }
    progress.stage("reading", file.rows());
    let (person, item) = find_columns(&names, &options, false)?;
    let shown = roles::shown(&names, |_| false);
    let others = (0..names.len()).filter(|&at| Some(at) != person && at != item);
    let layout = BasketLayout {
        person: person.map(|at| names[at].to_owned()),
        item: names[item].to_owned(),
        item_first: person.is_some_and(|person| item < person),
        typed_person: person.is_some_and(|at| is_number(schema.field(at).data_type())),
        unmapped: others.map(|at| shown[at].clone()).collect(),
        ..BasketLayout::new(Form::Lists, person.is_some())
    };
    let mut wanted: Vec<usize> = person.into_iter().chain([item]).collect();
    wanted.sort_unstable();
    let mut batches = file.batches(&wanted, &source.uncompared)?;
    let mut totals = Totals::default();
    while let Some(batch) = batches.next()? {
        let column = |wanted_at: usize| wanted.iter().position(|&at| at == wanted_at).map(|at| batch.column(at));
        let persons =
            person.and_then(column).zip(person).map(|(array, at)| Column::new(array, names[at])).transpose()?;
        let Some(items) = column(item) else { return Err(Error::internal("a column was not read")) };
        let result = read_batch(persons.as_ref(), items, names[item], options.bad_lines)?;
        progress.advance(result.lines);
        progress.go_on()?;
        let (part, before) = totals.add(result)?;
        whole.add(&part, before, person.is_some());
    }
    let (_, refused) = totals.counts()?;
    Ok(File { layout, lines: totals.lines, refused, uncompared: source.uncompared })
}

/// The place of a row's items among the values of a column.
type RangeOf<'a> = Box<dyn Fn(usize) -> std::ops::Range<usize> + 'a>;

fn read_batch(
    persons: Option<&Column<'_>>,
    items: &ArrayRef,
    name: &str,
    policy: BadLines,
) -> Result<BlockResult<Part>> {
    let (values, range): (&ArrayRef, RangeOf<'_>) = match items.data_type() {
        DataType::List(_) => {
            let (list, offsets) = (items.as_list::<i32>(), items.as_list::<i32>().offsets());
            (list.values(), Box::new(|row| offsets[row] as usize..offsets[row + 1] as usize))
        }
        DataType::LargeList(_) => {
            let (list, offsets) = (items.as_list::<i64>(), items.as_list::<i64>().offsets());
            (list.values(), Box::new(|row| offsets[row] as usize..offsets[row + 1] as usize))
        }
        DataType::FixedSizeList(_, size) => {
            let (list, size) = (items.as_fixed_size_list(), *size as usize);
            (list.values(), Box::new(move |row| row * size..(row + 1) * size))
        }
        _ => return Err(Error::internal("lists that are none")),
    };
    let column = Column::new(values, name)?;
    let (mut id, mut label) = (String::new(), String::new());
    let mut result = BlockResult::new(Part::default());
    for row in 0..items.len() {
        result.lines += 1;
        let line = result.lines;
        let mut take = |part: &mut Part| -> Result<()> {
            let id = persons.map(|persons| persons.text(row, &mut id)).transpose()?;
            if id == Some("") {
                return Err(no_id(persons.map_or("", |persons| persons.name)));
            }
            let place = if items.is_null(row) { 0..0 } else { range(row) };
            // The whole list is looked at before anything of it is taken.
            for at in place.clone() {
                column.text(at, &mut label)?;
            }
            let person = part.person(id, line);
            for at in place {
                part.push(person, column.text(at, &mut label)?);
            }
            Ok(())
        };
        let done = take(&mut result.part);
        match done {
            Ok(()) => result.rows += 1,
            Err(error) => {
                if !result.bad_line(error, line, policy) {
                    break;
                }
            }
        }
    }
    Ok(result)
}
