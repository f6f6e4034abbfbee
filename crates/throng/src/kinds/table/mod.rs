//! The room of tables: rows of cells under named columns, each with a role.
//!
//! Roles are said, by `--column` or a certificate, and never guessed. A column without one is not part of a release; a file that
//! is judged is judged with it as a plain one.

mod hierarchies;
mod roles;

use std::io::Write;
use std::sync::Arc;

use serde_json::{Value, json};
use throng_core::accounts::{Accounts, ROWS_DROPPED};
use throng_core::data::table::{Column, ColumnRole, ColumnType, Table};
use throng_core::data::{Dataset, Strings};
use throng_core::models::{Witness, population};
use throng_core::progress::Progress;
use throng_core::release::{Published, Release};
use throng_core::synth::table as made_up;
use throng_core::{Error, Result};

use super::ask::{Ask, ColumnRecord, TableRecord, TaxonomyRecord};
use super::{
    About, Barred, Evidenced, KindCard, Kinded, Made, Naming, Purpose, Read, Ready, Recognition, Shown, Wants, Written,
};
use crate::catalog::{self, Shelf};
use crate::io::{
    self, Format, FormatKind, LookAt, Opened, Person, Place, ReadTable, TableColumn, TableLayout, knows_person,
};
use crate::pending;
use crate::run::{Certified, SynthRequest, refuse_existing};
use crate::words::{Line, counted, thousands, who};

/// A class of fewer persons is not shown by what it says: the value could be one person's.
const FEW: u64 = 5;

impl Kinded for Table {
    const CARD: KindCard = KindCard {
        name: "table",
        summary: "rows of cells under named columns: what is known, or should not be, of each person",
        person: ["person", "persons"],
        row: ["row", "rows"],
        fact: <Self as Dataset>::FACTS[0].names,
        heading: "A table of {}",
        facts: <Self as Dataset>::FACTS,
        found: "found them",
        unknown: ["value", "values"],
        refused: ["malformed line was", "malformed lines were"],
        without_ids: "one a row",
        made_of: &[],
        made_up: ["csv", ".csv, .tsv, .jsonl (also .gz, .zst) or .parquet"],
        roles: "quasi=…, sensitive=…, identifier=…, plain=…, person=…, each a list with commas, or * for all others",
        has_several_rows: false,
        release_has_own_columns: false,
        has_times: false,
        has_sensitive: false,
        judged_by_taxonomy: false,
        can_be_planted: false,
    };
    const SHELF: Shelf<Self> = catalog::TABLE;
    const RECOGNITION: Recognition = Recognition {
        looks_like: "rows of as many cells under names, some about a person",
        roles: &io::table::ROLES,
        takes_folders: false,
        takes_any_cells: false,
        likeness: io::table::likeness,
    };

    type Layout = TableLayout;
    type Evidence = Self;

    fn fact(&self, fact: u32) -> String {
        let (column, value) = self.fact_of(fact);
        format!("{} {value}", column.name)
    }

    fn more_general(&self, fact: u32) -> Vec<String> {
        let (column, value) = self.fact_of(fact);
        let Some(hierarchy) = &column.hierarchy else { return Vec::new() };
        let Some(leaf) = hierarchy.leaf(value) else { return Vec::new() };
        let label = |level: usize| format!("{} {}", column.name, hierarchy.label(level, hierarchy.node(level, leaf)));
        (1..=hierarchy.height()).map(label).collect()
    }

    fn read(opened: Opened, ask: &Ask, purpose: Purpose, progress: &dyn Progress) -> Result<Read<Self>> {
        let read = io::read_opened_table(opened, &ask.reading(), progress)?;
        let found = Found::of(read, ask, purpose)?;
        let mut data = found.data;
        if let (Some(path), Purpose::Original) = (&ask.population, purpose) {
            let whole = read_population(path, ask, progress)?;
            population::refuse_foreign(&whole, &data).map_err(|error| error.in_file(path.display().to_string()))?;
            data = data.within(Arc::new(whole));
        }
        let (data, barred) = Barred::remove(data, ask, purpose, |table, list| {
            let bars: Vec<Vec<bool>> = table
                .columns()
                .iter()
                .map(|column| column.values.iter().map(|text| list.bars(text)).collect())
                .collect();
            let is_barred =
                |row: usize| table.columns().iter().zip(&bars).any(|(column, bars)| bars[column.cells[row] as usize]);
            Ok(table.retaining(|row| !is_barred(row)))
        })?;
        Ok(Read { data, about: About { barred, ..found.about } })
    }

    fn understand(parts: Vec<Self>, _about: &About<Self>, _ask: &Ask, _wants: Wants) -> Result<Ready<Self>> {
        let mut ready = Ready::plain(parts);
        if let Some(table) = ready.parts.first() {
            for at in table.of_role(ColumnRole::Quasi) {
                let column = &table.columns()[at];
                if column.values.len() == 1 && table.rows() > 1 {
                    ready.notes.push(format!("the column `{}` says the same in every row", column.name));
                }
            }
        }
        Ok(ready)
    }

    /// A release has its labels; what they stand for is in the hierarchies of the original.
    fn understand_pair(
        original: Read<Self>,
        release: Read<Self>,
        _ask: &Ask,
        _certified: Option<&TaxonomyRecord>,
        _wants: Wants,
    ) -> Result<Ready<Self>> {
        Ok(Ready::plain(vec![original.data, release.data]))
    }

    fn understand_records(records: Self, _original: &Self) -> Result<Self> {
        Ok(records)
    }

    fn check_format(input: Format, asked: Option<Format>) -> Result<()> {
        match asked.unwrap_or(input).kind {
            FormatKind::Fimi => Err(Error::refused("a table cannot be written as fimi, which has one basket a line")
                .with_hint("choose tsv, csv, jsonl (also .gz, .zst) or parquet")),
            _ => Ok(()),
        }
    }

    fn release_layout(about: &About<Self>, asked: Option<Format>, records: &Self) -> Result<(Format, TableLayout)> {
        let format = asked.unwrap_or(about.format);
        let is_torn = |text: &str| text.contains(['\t', '\n', '\r']);
        if format.kind == FormatKind::Tsv && records.columns().iter().any(|column| column.values.iter().any(is_torn)) {
            return Err(Error::refused("a value has a tab or a line end in it, which tsv cannot hold")
                .with_hint("choose another format: `--format csv`"));
        }
        let published = |column: &Column| about.layout.columns.iter().find(|own| own.name == column.name).cloned();
        let columns: Vec<TableColumn> = records.columns().iter().filter_map(published).collect();
        let names_persons = |column: &&TableColumn| matches!(column.role, ColumnRole::Person | ColumnRole::Identifier);
        let unpublished = about.layout.columns.iter().filter(names_persons).cloned().collect();
        Ok((format, TableLayout { columns, unpublished, ..about.layout.clone() }))
    }

    fn with_raw_cells(mut layout: TableLayout, raw: bool) -> TableLayout {
        layout.raw_cells = raw;
        layout
    }

    fn write<W: Write + Send>(
        out: &mut W,
        format: Format,
        layout: &TableLayout,
        records: &Self,
        persons: &[Person<'_>],
        progress: &dyn Progress,
    ) -> Result<u64> {
        io::write_table(out, format, layout, records, persons, progress)
    }

    fn read_back(written: &Written<'_, Self>, progress: &dyn Progress) -> Result<Self> {
        let ask = written.ask();
        let read = io::read_opened_table(written.open()?, &written.reading(), progress)?;
        let is_clean = read.refused == 0 && read.uncompared.is_empty();
        let found = Found::of(read, &ask, Purpose::Release)?;
        let (data, meant) = (found.data, &written.release.records);
        let is_same_column = |(own, other): (&Column, &Column)| {
            let same = |(row, person): (usize, &Published)| {
                let record = meant.range(person.record as usize).start;
                own.text(row) == other.text(record)
            };
            own.role == other.role && written.release.persons.iter().enumerate().all(same)
        };
        let is_whole = is_clean
            && data.rows() == written.release.persons.len()
            && data.columns().len() == meant.columns().len()
            && data.columns().iter().zip(meant.columns()).all(is_same_column);
        if !is_whole {
            return Err(Error::internal("the release does not hold the rows and cells that were written"));
        }
        // What models need beside the file: what lies above sensitive values.
        let columns = data.columns().iter().zip(meant.columns());
        let columns =
            columns.map(|(own, meant)| Column { hierarchy: meant.hierarchy.clone(), ..own.clone() }).collect();
        Ok(data.with_columns(columns))
    }

    fn columns(_layout: &TableLayout) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    fn table_record(layout: &TableLayout) -> Option<TableRecord> {
        let column = |(at, column): (usize, &TableColumn)| ColumnRecord {
            name: if layout.header { column.name.clone() } else { (at + 1).to_string() },
            role: column.role,
            kind: column.kind,
        };
        // Where columns have names, whoever has the original knows by them whose its rows are.
        let others = layout.unpublished.iter().filter(|_| layout.header);
        let others = others.map(|own| ColumnRecord { name: own.name.clone(), role: own.role, kind: own.kind });
        Some(TableRecord { columns: layout.columns.iter().enumerate().map(column).chain(others).collect() })
    }

    fn has_header(layout: &TableLayout) -> bool {
        layout.header
    }

    fn group_of_records(&self) -> Option<&[u32]> {
        self.group_of()
    }

    fn rows_of(&self, person: usize) -> usize {
        self.range(person).len()
    }

    fn texts(&self) -> Vec<&str> {
        self.columns().iter().flat_map(|column| column.values.iter()).collect()
    }

    fn account(original: &Self, _release: &Release<Self>, rows: u64, accounts: &mut Accounts) {
        let dropped = (original.rows() as u64).saturating_sub(rows);
        *accounts = std::mem::take(accounts).with(ROWS_DROPPED, dropped);
    }

    fn remark(release: &Release<Self>) -> Option<String> {
        let records = &release.records;
        let quasi = records.of_role(ColumnRole::Quasi);
        let is_lost = |at: &&usize| {
            let column = &records.columns()[**at];
            (0..records.rows()).all(|row| column.text(row) == throng_core::data::table::STAR)
        };
        let lost: Vec<&str> = quasi.iter().filter(is_lost).map(|&at| records.columns()[at].name.as_str()).collect();
        (!lost.is_empty() && records.rows() > 0).then(|| {
            format!("nothing is left of {}: try a smaller k, another method, or fewer quasi columns", lost.join(", "))
        })
    }

    fn evidence(
        opened: Opened,
        ask: &Ask,
        _certified: &Certified,
        _needs_sensitive: bool,
        progress: &dyn Progress,
    ) -> Result<Evidenced<Self>> {
        let Read { data, about } = Self::read(opened, ask, Purpose::Release, progress)?;
        let person = about.layout.columns.iter().find(|column| column.role == ColumnRole::Person);
        Ok(Evidenced {
            persons: data.persons(),
            rows: data.rows() as u64,
            refused: about.refused,
            person_column: person.map(|column| column.name.clone()).unwrap_or_default(),
            ids_look_drawn: throng_core::release::look_drawn(data.names()),
            unmapped: Vec::new(),
            unmapped_count: false,
            uncompared: about.uncompared,
            notes: about.notes,
            evidence: data,
            first_lines: about.first_lines,
            files: about.files,
        })
    }

    fn witness(seen: &Evidenced<Self>, witness: &Witness, naming: &Naming) -> Value {
        let table = &seen.evidence;
        let place = seen.first_lines.get(witness.person as usize).map(|&line| seen.files.place(line));
        let mut named = naming.of(table.names().get(witness.person), place, table.has_ids(), witness);
        let may_be_shown = naming.show_values || witness.group_size as u64 >= FEW;
        if may_be_shown && (witness.person as usize) < table.persons() {
            let row = table.range(witness.person as usize).start;
            let cells = table.of_role(ColumnRole::Quasi).into_iter().map(|at| {
                let column = &table.columns()[at];
                (column.name.clone(), json!(column.text(row)))
            });
            named["class"] = Value::Object(cells.collect());
        }
        named
    }

    /// Which class: its size, where it is first seen, and the model's own numbers.
    fn witness_in_words(witness: &Value) -> String {
        let size = witness["group_size"].as_u64().unwrap_or_default();
        const KNOWN: [&str; 6] = ["group_size", "pseudonym", "person", "line", "file", "class"];
        let numbers = witness.as_object().into_iter().flatten().filter(|(name, _)| !KNOWN.contains(&name.as_str()));
        let value = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let numbers: Vec<String> = numbers.map(|(name, found)| format!("{name} = {}", value(found))).collect();
        let cells = witness["class"].as_object().into_iter().flatten();
        let cells: Vec<String> = cells.map(|(name, found)| format!("{name} {}", value(found))).collect();
        let class = match cells.as_slice() {
            [] => String::new(),
            cells => format!(" ({})", cells.join(", ")),
        };
        let numbers = if numbers.is_empty() { String::new() } else { format!("; {}", numbers.join(", ")) };
        let persons = counted(size, "person", "persons");
        format!("{}: the class{class} has {persons}{numbers}", who(witness, "row"))
    }

    fn places(opened: Opened, ask: &Ask, look: LookAt<'_>, progress: &dyn Progress) -> Result<Option<Vec<Place>>> {
        if opened.location().each().len() > 1 {
            return Ok(None);
        }
        let read = io::read_opened_table(opened, &ask.reading(), progress)?;
        let names: Vec<&str> = read.columns.iter().map(|(name, ..)| name.as_str()).collect();
        let roles = roles::roles(&names, ask)?;
        let field = |name: &str| {
            let at = names.iter().position(|other| *other == name)?;
            let is_text = ColumnType::of(read.columns[at].1.iter().collect::<Vec<_>>().into_iter()) == ColumnType::Text;
            let role = roles[at].unwrap_or(ColumnRole::Plain);
            (is_text && matches!(role, ColumnRole::Plain | ColumnRole::Sensitive)).then(|| role.name())
        };
        Ok(Some(io::table_places(&read, field, look)))
    }

    fn shown(read: &Read<Self>, _ask: &Ask) -> Result<Vec<Shown>> {
        let Read { data, about } = read;
        let persons = thousands(data.persons() as u64);
        let mut shown = vec![
            Shown::new(
                "persons",
                if data.has_ids() { persons } else { format!("{persons} (one a row)") },
                vec![("persons", json!(data.persons()))],
            ),
            Shown::new("rows", thousands(data.rows() as u64), vec![("rows", json!(data.rows()))]),
        ];
        let mut lines = Vec::new();
        let mut list = Vec::new();
        for own in &about.layout.columns {
            let Some(column) = data.columns().iter().find(|column| column.name == own.name) else {
                lines.push(Line::new(&own.name, format!("{}, as said", own.role.name())));
                list.push(json!({"name": own.name, "role": own.role.name(), "because": "as said"}));
                continue;
            };
            let is_said = !about.unmapped.contains(&own.name);
            let (role, because) = if is_said { (own.role, "as said") } else { roles::guess(column, data.rows()) };
            let different = column.values.len();
            let alone = alone_by(data, column);
            let text = format!(
                "{}, {} different, {} of persons alone by it; {} ({because})",
                own.kind.name(),
                thousands(different as u64),
                crate::words::percent(alone),
                if is_said { role.name().to_owned() } else { format!("{}?", role.name()) },
            );
            lines.push(Line::new(&own.name, text));
            list.push(json!({
                "name": own.name, "type": own.kind.name(), "different": different, "unique": alone,
                "role": if is_said { json!(role.name()) } else { Value::Null },
                "guess": if is_said { Value::Null } else { json!(role.name()) }, "because": because,
            }));
        }
        shown.push(Shown { lines, values: vec![("table", json!({"columns": list}))] });
        Ok(shown)
    }

    fn synth(request: &SynthRequest, stdout: &mut (dyn Write + Send), progress: &dyn Progress) -> Result<Made> {
        let params = made_up::Params { persons: request.persons, shape: request.shape.clone(), seed: request.seed };
        progress.stage("making up a table", 0);
        let made_up::MadeTable { table, hierarchies } = made_up::table(&params)?;
        let format = request.format_of(&Self::CARD)?;
        Self::check_format(format, None)?;
        let column = |column: &Column| TableColumn {
            name: column.name.clone(),
            role: column.role,
            kind: column.kind,
            typed: matches!(column.kind, ColumnType::Integer | ColumnType::Real),
        };
        let layout = TableLayout {
            columns: table.columns().iter().map(column).collect(),
            unpublished: Vec::new(),
            header: true,
            raw_cells: false,
        };
        let folder = request.hierarchies_out.as_deref();
        if let Some(folder) = folder {
            refuse_existing(folder)?;
        }
        let rows = request.to_file(stdout, |mut out| {
            let person = |person: u32| Person { name: "", person };
            let persons: Vec<Person<'_>> = (0..table.persons() as u32).map(person).collect();
            io::write_table(&mut out, format, &layout, &table, &persons, progress)
        })?;
        if let Some(folder) = folder {
            let failed = |cause| Error::io(format!("write {}", folder.display()), cause);
            std::fs::create_dir_all(folder).map_err(failed)?;
            for (name, lines) in &hierarchies {
                let text: String = lines.iter().map(|line| line.join(";") + "\n").collect();
                pending::replace(&folder.join(format!("{name}.csv")), text.as_bytes(), false)?;
            }
        }
        let persons = counted(request.persons as u64, "person", "persons");
        Ok(Made { rows, said: format!("{} of {persons}", counted(rows, "row", "rows")) })
    }
}

/// The share of rows whose value in a column nobody else has.
fn alone_by(data: &Table, column: &Column) -> f64 {
    let mut counts = vec![0u32; column.values.len()];
    column.cells.iter().for_each(|&cell| counts[cell as usize] += 1);
    counts.iter().filter(|count| **count == 1).count() as f64 / data.rows().max(1) as f64
}

/// Reads the table that the rows are a part of, with the same roles and hierarchies.
fn read_population(path: &std::path::Path, ask: &Ask, progress: &dyn Progress) -> Result<Table> {
    let own = Ask { population: None, format: None, delimiter: None, encoding: None, drop: None, ..ask.clone() };
    let location = crate::io::Location::File(path.to_owned());
    let opened = Opened::open(&location, &own.reading())?;
    let read = io::read_opened_table(opened, &own.reading(), progress)?;
    Ok(Found::of(read, &own, Purpose::Original).map_err(|error| error.in_file(path.display().to_string()))?.data)
}

/// A table with its roles, and what was learned of it.
struct Found {
    data: Table,
    about: About<Table>,
}

impl Found {
    fn of(read: ReadTable, ask: &Ask, purpose: Purpose) -> Result<Self> {
        let ReadTable { columns: read_columns, lines, format, header, refused, uncompared, files } = read;
        let names: Vec<&str> = read_columns.iter().map(|(name, ..)| name.as_str()).collect();
        let roles = roles::roles(&names, ask)?;
        let mut notes = Vec::new();
        let unmapped: Vec<String> =
            names.iter().zip(&roles).filter(|(_, role)| role.is_none()).map(|(name, _)| (*name).to_owned()).collect();
        let mut persons: Option<(Strings, Vec<u32>)> = None;
        let (mut columns, mut layout, mut doubtful) = (Vec::new(), Vec::new(), None);
        let rows = lines.len();
        for ((name, values, cells, typed), role) in read_columns.into_iter().zip(roles) {
            let kind = type_of(&name, &values, ask);
            if role.is_none() && knows_person(&name) && values.len() < rows {
                doubtful = Some(name.clone());
            }
            let shown = role.unwrap_or(ColumnRole::Plain);
            if role.is_some() || purpose != Purpose::Original {
                layout.push(TableColumn { name: name.clone(), role: shown, kind, typed });
            }
            match shown {
                ColumnRole::Person => {
                    if let Some(row) = cells.iter().position(|&cell| values.get(cell).is_empty()) {
                        return Err(Error::data("the id of the person is missing").at_line(lines[row]).in_column(name));
                    }
                    persons = Some((values, cells));
                }
                ColumnRole::Identifier => {
                    if purpose == Purpose::Release {
                        notes.push(format!("the file has a column that names persons: {name}"));
                    }
                }
                _ if role.is_none() && purpose == Purpose::Original => {}
                _ => columns.push(Column { name, role: shown, kind, values: Arc::new(values), cells, hierarchy: None }),
            }
        }
        hierarchies::attach(&mut columns, ask, purpose == Purpose::Original, &mut notes)?;
        if let (Purpose::Release, false) = (purpose, unmapped.is_empty()) {
            notes.push(format!(
                "{} no role ({}), and {} as plain",
                counted(unmapped.len() as u64, "column has", "columns have"),
                unmapped.join(", "),
                if unmapped.len() == 1 { "counts" } else { "count" }
            ));
        }
        if let (Some(name), None) = (doubtful, &persons) {
            notes.push(format!(
                "the column `{name}` is named like persons, and its values repeat: if rows are of the same person, say so with \
                 `--column person={name}`"
            ));
        }
        if columns.is_empty() && purpose == Purpose::Original {
            return Err(Error::refused("no column has a role: nothing would be published").with_hint(
                "say what columns hold: `--column quasi=age,zip sensitive=disease identifier=name plain=notes`; `plain=*` takes all \
                 others",
            ));
        }
        let columns_empty = columns.is_empty();
        let (data, first_lines) = match persons {
            None if columns_empty => return Err(Error::refused("no column is left to look at")),
            None => (Table::of_rows(columns), lines),
            Some((values, cells)) => {
                let (table, order) = Table::of_persons(columns, cells.iter().map(|&cell| values.get(cell)));
                let first = |person: usize| lines[order[table.range(person).start] as usize];
                let first_lines = (0..table.persons()).map(first).collect();
                (table, first_lines)
            }
        };
        let about = About {
            file_kind: <Table as Kinded>::CARD.name,
            format,
            layout: TableLayout { columns: layout, unpublished: Vec::new(), header, raw_cells: false },
            rows: rows as u64,
            refused,
            unmapped,
            uncompared,
            first_lines,
            files,
            barred: Barred::default(),
            notes,
        };
        Ok(Self { data, about })
    }
}

/// What the values of a column are: as a certificate says, or as they all are.
fn type_of(name: &str, values: &Strings, ask: &Ask) -> ColumnType {
    let said = ask.table.as_ref().and_then(|table| table.columns.iter().find(|column| column.name == name));
    said.map_or_else(|| ColumnType::of(values.iter().collect::<Vec<_>>().into_iter()), |column| column.kind)
}
