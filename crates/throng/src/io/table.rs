//! Reading and writing tables: any columns, in any format that has rows.
//!
//! Cells are taken as they are, without a look at what they mean: which column has which role, and which type, is for the room of
//! tables to say. A cell without a value is empty. JSON lines may lack keys; a key that comes late is a column all the same.

use std::io::Write;
use std::sync::Arc;

use throng_core::data::table::{Column as DataColumn, ColumnRole, ColumnSettings, ColumnType, Missing, cell};
use throng_core::data::{Interner, Strings, Table};
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::fields::write::{Column, RowSource, RowWriter, Sort, Value};
use super::fields::{self, Fields, RowConsumer};
use super::files::{Files, Joined};
use super::head::{Head, Likeness, Sort as HeadSort};
use super::places::{self, LookAt, Place};
use super::roles::{RoleCard, Roles, Suits};
use super::scan::ReadOptions;
use super::write::Person;
use super::{Format, FormatKind, Opened, is_number, is_plausible_time, knows_item, knows_person};

/// Rows in a piece, about.
const PIECE: usize = 1 << 14;

/// A column of a table as it is written.
#[derive(Debug, Clone, PartialEq)]
pub struct TableColumn {
    /// Its name.
    pub name: String,
    /// What it holds of a person.
    pub role: ColumnRole,
    /// What its values are.
    pub kind: ColumnType,
    /// Whether the file holds numbers of the format itself.
    pub typed: bool,
    /// What else was said of it.
    pub settings: Arc<ColumnSettings>,
}

/// How a file holds a table, so that a release can be written the same way.
#[derive(Debug, Clone)]
pub struct TableLayout {
    /// The columns, in the order of the file; in a release those that are published.
    pub columns: Vec<TableColumn>,
    /// Columns of the original that say who somebody is, and that a release does not have.
    pub unpublished: Vec<TableColumn>,
    /// Whether a header line, or the format itself, names the columns.
    pub header: bool,
    /// Whether cells of CSV that look like formulas of a spreadsheet are written as they are.
    pub raw_cells: bool,
    /// What a missing value is.
    pub missing: Missing,
    /// Texts that stand for a missing value, beside the empty one.
    pub missing_values: Vec<String>,
    /// Whether means and noisy numbers are rounded to what their column has, and to how many digits after the point each has.
    pub rounded: Option<Vec<(String, usize)>>,
    /// A column of identifiers whose values repeat, where no column says whose rows are.
    pub repeated: Option<String>,
    /// Columns whose numbers are written as numbers that need not be whole, whatever they are: several files need one type.
    pub reals: Vec<String>,
}

/// A table as a file has it.
#[derive(Debug)]
pub struct ReadTable {
    /// The columns: name, values, cells, and whether they are numbers of the format.
    pub columns: Vec<(String, Strings, Vec<u32>, bool)>,
    /// The line of each row.
    pub lines: Vec<u64>,
    /// Its format.
    pub format: Format,
    /// Whether a header line, or the format itself, names the columns.
    pub header: bool,
    /// Malformed lines that were left out.
    pub refused: u64,
    /// Whatever else is in the file.
    pub uncompared: Vec<String>,
    /// Where the lines of several files begin.
    pub files: Files,
}

/// Reads a file that is open already, and those after it.
pub fn read_opened_table(opened: Opened, options: &ReadOptions, progress: &dyn Progress) -> Result<ReadTable> {
    // Roles are given by the room: a reader that knows them could not read columns that have none.
    let options = &ReadOptions { columns: Vec::new(), ..options.clone() };
    let format = opened.format;
    let mut rows = Rows::default();
    let mut header = true;
    let (mut refused, mut uncompared) = (0, Vec::new());
    let files = Joined::read(opened, options, |opened, joined| {
        rows.before = joined.lines;
        let count = rows.whole.columns.len();
        let Opened { source, format, .. } = opened;
        let read = fields::read::<0, _>(source, format, options, &mut rows, progress)?;
        if count > 0 && rows.whole.columns.len() != count {
            return Err(Error::data("the files do not have the same columns")
                .with_hint("files of one data set have columns of the same names"));
        }
        // Lines of text are counted with their header.
        joined.lines += read.lines;
        header = read.layout.header;
        refused += read.refused;
        uncompared.extend(joined.told(read.uncompared.sentences()));
        Ok(())
    })?;
    let Part { columns, lines } = rows.whole;
    let columns: Vec<(String, Strings, Vec<u32>, bool)> = columns
        .into_iter()
        .map(|column| (column.name, column.values.into_strings(), column.cells, column.typed))
        .collect();
    refuse_names(&columns, header)?;
    Ok(ReadTable { columns, lines, format, header, refused, uncompared, files })
}

/// Refuses names that are none, or that two columns have.
fn refuse_names(columns: &[(String, Strings, Vec<u32>, bool)], header: bool) -> Result<()> {
    for (at, (name, ..)) in columns.iter().enumerate() {
        if header && (is_number(name.trim()) || is_plausible_time(name)) {
            return Err(Error::data("the first line looks like a row, not like the names of columns")
                .at_line(1)
                .with_hint("`--no-header` if it is a row: columns have numbers for names then, from 1"));
        }
        if name.trim().is_empty() {
            return Err(Error::data(format!("column {} has no name", at + 1))
                .at_line(1)
                .with_hint("give it one: roles are given by names"));
        }
        if columns[..at].iter().any(|(other, ..)| other == name) {
            return Err(Error::data(format!("columns with the same name, the second is column {}", at + 1))
                .at_line(1)
                .with_hint("give one of them another name: roles are given by names"));
        }
    }
    Ok(())
}

/// A column of a part of a file.
#[derive(Debug, Default)]
struct PartColumn {
    name: String,
    values: Interner,
    cells: Vec<u32>,
    typed: bool,
}

/// Some rows.
#[derive(Debug, Default)]
struct Part {
    columns: Vec<PartColumn>,
    lines: Vec<u64>,
}

impl Part {
    /// The column with this name, most often at this place; a new one where there is none.
    fn column(&mut self, place: usize, name: &str) -> &mut PartColumn {
        let found = match self.columns.get(place) {
            Some(column) if column.name == name => Some(place),
            _ => self.columns.iter().position(|column| column.name == name),
        };
        let at = found.unwrap_or_else(|| {
            let mut values = Interner::new();
            // Rows before it lack it.
            let cells = self.lines.iter().map(|_| values.intern("")).collect();
            self.columns.push(PartColumn { name: name.to_owned(), values, cells, typed: true });
            self.columns.len() - 1
        });
        &mut self.columns[at]
    }

    /// A row is over: columns that it lacks are empty in it.
    fn end(&mut self, line: u64) {
        self.lines.push(line);
        let rows = self.lines.len();
        for column in self.columns.iter_mut().filter(|column| column.cells.len() < rows) {
            let empty = column.values.intern("");
            column.cells.resize(rows, empty);
        }
    }
}

#[derive(Debug, Default)]
struct Rows {
    whole: Part,
    /// The lines of the files before.
    before: u64,
}

static NO_ROLES: Roles = Roles { of: "a table does", cards: &[] };

impl RowConsumer<0> for Rows {
    const ROLES: &'static Roles = &NO_ROLES;
    type Part = Part;

    fn wants_cells(&self) -> bool {
        true
    }

    fn part(&self) -> Part {
        Part::default()
    }

    fn row<'n>(
        &self,
        part: &mut Part,
        fields: Fields<'_, 0>,
        line: u64,
        _name_of: impl Fn(usize) -> &'n str,
    ) -> Result<()> {
        for (place, cell) in fields.cells.iter().enumerate() {
            let rows = part.lines.len();
            let column = part.column(place, cell.column);
            // Two columns of one name fill one twice; that is refused when all is read.
            if column.cells.len() > rows {
                return Err(Error::data("two columns have the same name")
                    .in_column(cell.column)
                    .with_hint("give one of them another name"));
            }
            let value = column.values.intern(cell.text);
            column.cells.push(value);
            column.typed &= cell.typed || cell.text.is_empty();
        }
        part.end(line);
        Ok(())
    }

    fn absorb(&mut self, parts: Vec<(Part, u64)>) {
        for (part, before) in parts {
            let rows = self.whole.lines.len();
            for (place, own) in part.columns.into_iter().enumerate() {
                let column = self.whole.column(place, &own.name);
                let number: Vec<u32> = own.values.strings().iter().map(|text| column.values.intern(text)).collect();
                column.cells.extend(own.cells.iter().map(|&cell| number[cell as usize]));
                column.typed &= own.typed;
            }
            let lines = part.lines.into_iter().map(|line| self.before + before + line);
            self.whole.lines.extend(lines);
            let rows = rows.max(self.whole.lines.len());
            for column in self.whole.columns.iter_mut().filter(|column| column.cells.len() < rows) {
                let empty = column.values.intern("");
                column.cells.resize(rows, empty);
            }
        }
    }
}

/// Writes rows, in the order in which their persons are given. Gives their number.
pub fn write_table<W: Write + Send>(
    out: &mut W,
    format: Format,
    layout: &TableLayout,
    table: &Table,
    persons: &[Person<'_>],
    progress: &dyn Progress,
) -> Result<u64> {
    let is_person = |column: &&TableColumn| column.role == ColumnRole::Person;
    let person = layout.columns.iter().position(|column| is_person(&column));
    let numbers: Vec<Option<Sort>> = layout
        .columns
        .iter()
        .filter(|column| !is_person(column))
        .zip(table.columns())
        .map(|(column, data)| number_sort(layout, column, data, format.kind))
        .collect();
    let mut sorts = numbers.iter();
    let column = |column: &TableColumn| {
        let sort = match is_person(&column) {
            true => Sort::Person { typed: false },
            false => sorts.next().cloned().flatten().unwrap_or(Sort::Text),
        };
        Column { name: column.name.clone(), sort, optional: !is_person(&column) }
    };
    let columns = layout.columns.iter().map(column).collect();
    let has_header =
        layout.header || matches!(format.kind, FormatKind::JsonLines | FormatKind::Parquet | FormatKind::Arrow);
    let mut rows = RowWriter::new(out, format, columns, has_header, layout.raw_cells, PIECE)?;
    let are_numbers: Vec<bool> = numbers.iter().map(Option::is_some).collect();
    rows.append(&Source { table, are_numbers: &are_numbers, person }, persons, progress)?;
    rows.finish()
}

/// How a column is written as numbers of the format, if all of its values are, and were.
fn number_sort(layout: &TableLayout, column: &TableColumn, data: &DataColumn, format: FormatKind) -> Option<Sort> {
    if !column.typed || !matches!(format, FormatKind::JsonLines | FormatKind::Parquet | FormatKind::Arrow) {
        return None;
    }
    if format == FormatKind::JsonLines {
        let mut values = data.values.iter().filter(|text| !text.is_empty());
        return values.all(is_json_number).then_some(Sort::Number { whole: false });
    }
    let [is_whole, is_real] = numbers_written(data);
    let whole = is_whole && !layout.reals.contains(&column.name);
    (is_whole || is_real).then_some(Sort::Number { whole })
}

/// Whether all values of a column can be written as whole numbers, and whether they can be written as numbers, so that they read the
/// same.
pub(crate) fn numbers_written(data: &DataColumn) -> [bool; 2] {
    let is_whole = |text: &str| text.parse::<i64>().is_ok_and(|number| number.to_string() == text);
    let is_real = |text: &str| cell::number(text).is_some_and(|number| number.to_string() == text);
    let values = || data.values.iter().filter(|text| !text.is_empty());
    [values().all(is_whole), values().all(is_real)]
}

/// Whether a text is a number as JSON has it, or a truth value.
fn is_json_number(text: &str) -> bool {
    matches!(serde_json::from_str(text), Ok(serde_json::Value::Number(_) | serde_json::Value::Bool(_)))
        && !text.starts_with(char::is_whitespace)
        && !text.ends_with(char::is_whitespace)
}

struct Source<'a> {
    table: &'a Table,
    are_numbers: &'a [bool],
    /// Where the column of persons stands, if there is one.
    person: Option<usize>,
}

impl RowSource for Source<'_> {
    fn rows_of(&self, person: u32) -> usize {
        self.table.range(person as usize).len()
    }

    fn each<'s>(&'s self, person: u32, mut take: impl FnMut(&[Value<'s>])) {
        for row in self.table.range(person as usize) {
            let value = |(column, &is_number): (&'s DataColumn, &bool)| match column.text(row) {
                "" => Value::Nothing,
                text if is_number => Value::Number(text),
                text => Value::Text(text),
            };
            let mut values: Vec<Value<'s>> = self.table.columns().iter().zip(self.are_numbers).map(value).collect();
            if let Some(at) = self.person {
                values.insert(at, Value::Person);
            }
            take(&values);
        }
    }
}

/// The roles of tables. All of them are said, none is guessed: a column that nobody named must not become one that people are
/// looked up by.
pub(crate) static ROLES: Roles = Roles {
    of: "a table does",
    cards: &[role("quasi"), role("sensitive"), role("identifier"), role("plain"), role("person")],
};

const fn role(name: &'static str) -> RoleCard {
    RoleCard {
        name,
        other_name: None,
        required: false,
        may_be_cut: false,
        suits: Suits::TextOrNumber,
        known_names: &[],
        beside: None,
    }
}

/// How much a file looks like a table: its columns are said to be quasi or the like, or it has rows of as many cells under names,
/// a column of numbers among them, or several columns about a person.
pub(crate) fn likeness(head: &Head, options: &ReadOptions) -> Option<Likeness> {
    if head.format.kind.has_no_rows() {
        return None;
    }
    let is_own = |role: &str| ROLES.cards.iter().any(|card| card.name == role && role != "person");
    if options.columns.iter().any(|choice| is_own(&choice.role)) {
        return ROLES.have_all(&options.columns).then(Likeness::said);
    }
    if !options.columns.is_empty() || head.sorts.iter().any(|sort| *sort != HeadSort::Plain) {
        return None;
    }
    let named = plain_names(head);
    if named.len() < 2 || named.iter().any(|name| QUERIES.contains(&name.as_str())) {
        return None;
    }
    if is_table_of_persons(head) {
        return Some(Likeness::strong("it has columns about a person, and no person twice"));
    }
    let attributes = named.iter().filter(|name| ATTRIBUTES.contains(&name.as_str())).count();
    match head.format.kind {
        FormatKind::Tsv | FormatKind::Csv if is_named_table(head) => {
            Some(Likeness::likely("it has rows of as many cells under names, numbers among them"))
        }
        FormatKind::JsonLines | FormatKind::Parquet | FormatKind::Arrow if attributes > 1 => {
            Some(Likeness::likely("it has columns about a person"))
        }
        _ => None,
    }
}

/// Names of columns that make a search log of a file.
const QUERIES: &[&str] = &["query", "q", "search", "searchterm", "searchquery", "keywords", "suchbegriff", "text"];

/// The names of the columns, in lower case, letters and digits only.
fn plain_names(head: &Head) -> Vec<String> {
    let plain = |name: &String| name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    head.names.iter().map(plain).collect()
}

/// Rows of as many cells under names, with a column of numbers; with several where there are times, for a log has those too.
fn is_named_table(head: &Head) -> bool {
    let Some((first, rows)) = head.rows.split_first() else { return false };
    let is_name = |cell: &String| !cell.trim().is_empty() && !is_number(cell.trim()) && !is_plausible_time(cell);
    let are_names = first.iter().all(is_name) && (1..first.len()).all(|at| !first[..at].contains(&first[at]));
    let is_numbers = |at: usize| rows.iter().all(|row| row.get(at).is_some_and(|cell| is_number(cell.trim())));
    let numbers = (0..first.len()).filter(|at| is_numbers(*at)).count();
    let has_items = head.names.iter().any(|name| knows_item(name));
    head.is_table && are_names && !has_items && numbers > usize::from(head.has_times)
}

/// Several columns about a person, and no person, or nobody's name, twice: a thing beside them is one more attribute, not what is in a basket.
fn is_table_of_persons(head: &Head) -> bool {
    let named = plain_names(head);
    let attributes = named.iter().filter(|name| ATTRIBUTES.contains(&name.as_str())).count();
    let is_person = |at: &usize| !ATTRIBUTES.contains(&named[*at].as_str()) && knows_person(&head.names[*at]);
    let is_each_once = |at: usize| {
        let mut persons: Vec<&String> = head.rows.iter().skip(1).filter_map(|row| row.get(at)).collect();
        let all = persons.len();
        persons.sort_unstable();
        persons.dedup();
        all > 0 && persons.len() == all
    };
    let is_name = |at: &usize| NAMES.contains(&named[*at].as_str());
    let told_apart_by = (0..named.len()).find(is_person).or_else(|| (0..named.len()).find(is_name));
    match told_apart_by {
        Some(at) => attributes > 1 && is_each_once(at),
        // Nobody is named: rows with an age, a sex and the like are persons, and a thing beside them is what each has.
        None => attributes > 1 && matches!(head.format.kind, FormatKind::Tsv | FormatKind::Csv) && head.is_table,
    }
}

/// Names of columns whose numbers are codes: nothing lies between two of them.
const CODES: &[&str] = &["zip", "zipcode", "postcode", "postalcode", "plz", "postleitzahl", "cap", "cp", "fips"];

/// Whether a column of this name has codes, however much they look like numbers.
pub(crate) fn knows_code(name: &str) -> bool {
    let plain: String = name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    CODES.contains(&plain.as_str())
}

/// Names of columns that say who somebody is.
const NAMES: &[&str] =
    &["name", "firstname", "lastname", "surname", "fullname", "phone", "email", "vorname", "nachname", "telefon"];

/// Whether a column of this name says who somebody is.
pub(crate) fn knows_name(name: &str) -> bool {
    let plain: String = name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    NAMES.contains(&plain.as_str())
}

/// What tables say of a person, a name for each column of it.
pub(crate) const ATTRIBUTES: &[&str] = &[
    "name",
    "firstname",
    "lastname",
    "surname",
    "fullname",
    "birthdate",
    "birthday",
    "birthyear",
    "dateofbirth",
    "dob",
    "age",
    "sex",
    "gender",
    "postcode",
    "postalcode",
    "zip",
    "zipcode",
    "city",
    "town",
    "street",
    "address",
    "phone",
    "nationality",
    "race",
    "income",
    "salary",
    "education",
    "occupation",
    "workclass",
    "maritalstatus",
    "nativecountry",
    "insurance",
    "vorname",
    "nachname",
    "geburtsdatum",
    "geburtstag",
    "geburtsjahr",
    "alter",
    "geschlecht",
    "plz",
    "ort",
    "wohnort",
    "strasse",
    "straße",
    "adresse",
    "telefon",
    "beruf",
];

/// Whether a column of this name is about a person, and so likely one that people are looked up by.
pub(crate) fn knows_attribute(name: &str) -> bool {
    let plain: String = name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    ATTRIBUTES.contains(&plain.as_str())
}

/// The places of what is found in the texts of a table.
pub(crate) fn table_places(
    read: &ReadTable,
    is_text: impl Fn(&str) -> Option<&'static str>,
    look: LookAt<'_>,
) -> Vec<Place> {
    let mut found = Vec::new();
    for (name, values, cells, _) in &read.columns {
        let Some(field) = is_text(name) else { continue };
        for (&line, &cell) in read.lines.iter().zip(cells) {
            places::add(&mut found, line, field, values.get(cell), look);
        }
    }
    found.sort_unstable();
    found
}
