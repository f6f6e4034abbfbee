//! Files of records as columns with ids.

use std::collections::HashMap;
use std::path::Path;

use throng_core::link::records::{Field, MISSING, Records, Values, guess_comparison, moves};
use throng_core::link::similarity::Comparison;
use throng_core::progress::Progress;
use throng_core::text::alike::folded;
use throng_core::{Error, Result};

use crate::io::{Opened, ReadOptions, ReadTable, csv_records, read_opened_table, resolve};

/// Columns that are taken for the id, in the order in which they are looked for.
const IDS: [&str; 4] = ["id", "rec_id", "unique_id", "record_id"];

/// A file of records.
pub(super) struct RecordFile {
    pub(super) table: ReadTable,
    /// The place of the id's column, if there is one.
    id: Option<usize>,
    /// The file as the user named it.
    pub(super) name: String,
}

impl RecordFile {
    /// Reads a file. `id` names its column of ids.
    pub(super) fn read(path: &Path, id: Option<&str>, options: &ReadOptions, progress: &dyn Progress) -> Result<Self> {
        let location = resolve(path)?;
        let name = location.to_string();
        let placed = |error: Error| error.in_file(name.clone());
        let table = read_opened_table(Opened::open(&location, options)?, options, progress).map_err(placed)?;
        let names: Vec<&str> = table.columns.iter().map(|(name, ..)| name.as_str()).collect();
        let id = match id {
            Some(id) => Some(
                names
                    .iter()
                    .position(|name| *name == id)
                    .ok_or_else(|| placed(Error::unknown("column", id, names.iter().copied())))?,
            ),
            None => IDS.iter().find_map(|id| names.iter().position(|name| name.to_lowercase() == *id)),
        };
        let file = Self { id, name, table };
        file.refuse_repeated_ids()?;
        Ok(file)
    }

    fn refuse_repeated_ids(&self) -> Result<()> {
        let Some(at) = self.id else { return Ok(()) };
        let (name, values, cells, _) = &self.table.columns[at];
        let mut seen = vec![false; values.len()];
        for (row, &cell) in cells.iter().enumerate() {
            if std::mem::replace(&mut seen[cell as usize], true) {
                return Err(Error::data("an id occurs twice")
                    .in_column(name)
                    .at_line(self.table.lines[row])
                    .in_file(self.name.clone())
                    .with_value(values.get(cell))
                    .with_hint(
                        "every record needs its own: name another column with `--id`, or remove what stands twice",
                    ));
            }
        }
        Ok(())
    }

    /// How many records there are.
    pub(super) fn rows(&self) -> usize {
        self.table.lines.len()
    }

    /// The id of a record: that of its column, or its number from 1.
    pub(super) fn id(&self, row: usize) -> String {
        match self.id {
            Some(at) => {
                let (_, values, cells, _) = &self.table.columns[at];
                values.get(cells[row]).to_owned()
            }
            None => (row + 1).to_string(),
        }
    }

    /// The records by their ids.
    pub(super) fn by_id(&self) -> HashMap<String, u32> {
        (0..self.rows()).map(|row| (self.id(row), row as u32)).collect()
    }

    /// The names of the columns without the id.
    pub(super) fn columns(&self) -> impl Iterator<Item = &str> {
        let is_other = |(at, _): &(usize, &(String, _, _, _))| Some(*at) != self.id;
        self.table.columns.iter().enumerate().filter(is_other).map(|(_, (name, ..))| name.as_str())
    }

    /// The place of a column.
    pub(super) fn column(&self, name: &str) -> Result<usize> {
        let names = || self.table.columns.iter().map(|(name, ..)| name.as_str());
        names()
            .position(|other| other == name)
            .ok_or_else(|| Error::unknown("column", name, names()).in_file(self.name.clone()))
    }
}

/// The columns to compare: those asked for, or those of equal name in both files.
pub(super) fn common_columns(files: &[&RecordFile], asked: &[String]) -> Result<Vec<String>> {
    if asked.is_empty() {
        let [first, others @ ..] = files else { return Ok(Vec::new()) };
        let is_common = |name: &&str| others.iter().all(|other| other.columns().any(|column| column == *name));
        let names: Vec<String> = first.columns().filter(is_common).map(str::to_owned).collect();
        if names.is_empty() {
            return Err(Error::data("the files have no column of the same name")
                .in_file(first.name.clone())
                .with_hint("`--columns` names those to compare; give equal columns equal names first"));
        }
        return Ok(names);
    }
    for name in asked {
        for file in files {
            file.column(name)?;
        }
    }
    Ok(asked.to_vec())
}

/// The text that is compared: as people read it, without blanks around.
fn compared(text: &str) -> String {
    folded(text, None).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Records to link: of one file, or of two.
pub(super) fn records(
    files: &[&RecordFile],
    columns: &[String],
    comparisons: &[(String, Comparison)],
) -> Result<Records> {
    for (name, _) in comparisons {
        if !columns.contains(name) {
            return Err(Error::unknown("column to compare", name, columns.iter().map(String::as_str)));
        }
    }
    let rows = files.iter().map(|file| file.rows()).sum();
    let mut fields = Vec::with_capacity(columns.len());
    for name in columns {
        let mut numbers: HashMap<String, u32> = HashMap::new();
        let mut values: Vec<String> = Vec::new();
        let mut cells = Vec::with_capacity(rows);
        for file in files {
            let (_, texts, own, _) = &file.table.columns[file.column(name)?];
            let number: Vec<u32> = texts
                .iter()
                .map(|text| {
                    let text = compared(text);
                    if text.is_empty() {
                        return MISSING;
                    }
                    *numbers.entry(text).or_insert_with_key(|text| {
                        values.push(text.clone());
                        values.len() as u32 - 1
                    })
                })
                .collect();
            cells.extend(own.iter().map(|&cell| number[cell as usize]));
        }
        let said = comparisons.iter().find(|(column, _)| column == name).map(|&(_, comparison)| comparison);
        let comparison = said.unwrap_or_else(|| guess_comparison(&values));
        let moves = moves(name);
        fields.push(Field { name: name.clone(), comparison, values: Values::Text(values), cells, moves });
    }
    let first = (files.len() == 2).then(|| files[0].rows());
    Ok(Records { fields, rows, first })
}

/// A small CSV file of our own forms: pairs, clusters, decisions, rows.
pub(crate) struct Csv {
    /// The file as the user named it.
    pub(crate) name: String,
    header: Vec<String>,
    /// Rows with their lines; each has as many cells as the header.
    pub(crate) rows: Vec<(u64, Vec<String>)>,
}

impl Csv {
    /// Reads a file with a header.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let bytes = std::fs::read(path).map_err(|cause| Error::io(format!("read {}", path.display()), cause))?;
        let name = path.display().to_string();
        let text = |line: u64, cells: Vec<Vec<u8>>| {
            cells
                .into_iter()
                .map(String::from_utf8)
                .collect::<std::result::Result<Vec<String>, _>>()
                .map_err(|_| Error::data("the text is not UTF-8").at_line(line).in_file(name.clone()))
        };
        let mut records = csv_records(&bytes).into_iter();
        let Some((line, header)) = records.next() else {
            return Err(Error::data("the file is empty").in_file(name));
        };
        let header = text(line, header)?;
        let mut rows = Vec::new();
        for (line, cells) in records {
            let cells = text(line, cells)?;
            if cells.iter().all(String::is_empty) {
                continue;
            }
            if cells.len() != header.len() {
                return Err(Error::data(format!("there are {} cells, but {} columns", cells.len(), header.len()))
                    .at_line(line)
                    .in_file(name));
            }
            rows.push((line, cells));
        }
        Ok(Self { name, header, rows })
    }

    /// The names of the columns.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.header.iter().map(String::as_str)
    }

    /// Whether there is a column of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.header.iter().any(|own| own == name)
    }

    /// The place of a column.
    pub(crate) fn column(&self, name: &str) -> Result<usize> {
        self.header.iter().position(|own| own == name).ok_or_else(|| {
            Error::data(format!("there is no column `{name}`"))
                .in_file(self.name.clone())
                .at_line(1)
                .with_hint("is it the file that this command expects there?")
        })
    }
}
