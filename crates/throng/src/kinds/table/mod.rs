//! The room of tables: rows of cells under named columns, each with a role.
//!
//! Roles are said, by `--column` or a certificate, and never guessed. A column without one is not part of a release; a file that
//! is judged is judged with it as a plain one.

mod hierarchies;
mod naming;
mod noise;
mod project;
mod roles;
mod schema;
mod studies;
mod typing;

use std::io::Write;
use std::sync::Arc;

use serde_json::{Value, json};
use throng_core::accounts::{Accounts, ROWS_DROPPED};
use throng_core::data::table::{
    Cell, Classes, Column, ColumnRole, ColumnSettings, ColumnType, Missing, Table, TableSettings, cell,
};
use throng_core::data::{Dataset, Strings};
use throng_core::methods::Method;
use throng_core::methods::table::{linked, murmuration};
use throng_core::models::table_k_anonymity::{self, TableKAnonymity};
use throng_core::models::{Model as _, Witness, population};
use throng_core::progress::Progress;
use throng_core::release::{Claim, Protected, Release};
use throng_core::synth::table as made_up;
use throng_core::{Error, Result, Rng};

use super::ask::{Ask, ColumnRecord, TableRecord};
use super::{
    About, Barred, Evidenced, KindCard, Kinded, Made, Naming, Purpose, Read, Ready, Recognition, Shown, Wants, Written,
    lookalikes_of,
};
use crate::catalog::{self, Shelf};
use crate::io::{
    self, Format, FormatKind, LookAt, Opened, Person, Place, ReadTable, TableColumn, TableLayout, knows_person,
};
use crate::pending;
use crate::run::{Certified, StudyPart, SynthRequest, refuse_existing};
use crate::words::{Line, counted, thousands, who};

pub(crate) use project::{is_project, kind_of_schemas, limit_of};
pub use schema::Schema;

/// A class of fewer persons is not shown by what it says: the value could be one person's.
const FEW: u64 = 5;
/// How many columns are named by which people are alone.
const RAREST: usize = 3;

impl Kinded for Table {
    const CARD: KindCard = KindCard {
        name: "table",
        summary: "rows of cells under named columns: what is known, or should not be, of each person",
        person: ["person", "persons"],
        row: ["row", "rows"],
        fact: <Self as Dataset>::FACTS[0].names,
        heading: "A table of {}",
        facts: <Self as Dataset>::FACTS,
        unknown: ["value", "values"],
        without_ids: "one a row",
        made_up: ["csv", ".csv, .tsv, .jsonl (also .gz, .zst) or .parquet"],
        roles: "quasi=…, sensitive=…, identifier=…, plain=…, person=…, each a list with commas, or * for all others",
        has_several_rows: false,
        other_default: " (murmuration if all quasi columns are numbers and no codes)",
        ..KindCard::PLAIN
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
        let ask = &project::with_project(opened.location(), ask)?;
        let read = io::read_opened_table(opened, &ask.reading(), progress)?;
        let found = Found::of(read, ask, purpose, false)?;
        let mut data = found.data;
        if let (Some(path), Purpose::Original) = (&ask.population, purpose) {
            let whole = read_population(path, ask, progress)?;
            population::refuse_foreign(&whole, &data).map_err(|error| error.in_file(path.display().to_string()))?;
            data = data.within(Arc::new(whole));
        }
        if let (Some(path), Purpose::Original) = (&ask.noise_file, purpose) {
            data = data.with_noise(Some(Arc::new(noise::read(path)?)));
        }
        if let (Some(target), Purpose::Original) = (&ask.target, purpose) {
            data.find(target)?;
            data = data.with_target(Some(target.clone()));
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

    /// Numbers alone are averaged; what has a hierarchy is generalised, and so are codes: a mean of postcodes is none. Averages need a row
    /// a person, and a number in every cell.
    fn fitting_method(&self) -> Option<(&'static str, &'static str)> {
        let quasi = self.of_role(ColumnRole::Quasi);
        let is_plain = |&at: &usize| {
            let column = &self.columns()[at];
            column.kind.is_numeric()
                && column.hierarchy.is_none()
                && !column.has_codes()
                && !io::table::knows_code(&column.name)
                && !column.numbers().iter().any(|number| number.is_nan())
        };
        (!quasi.is_empty() && !self.has_several_rows() && quasi.iter().all(is_plain)).then_some((
            murmuration::INFO.name,
            "all quasi columns are numbers, so the method is murmuration, which publishes means; `--method flock` publishes intervals",
        ))
    }

    fn refuse_original(&self, about: &About<Self>, ask: &Ask) -> Result<()> {
        naming::refuse_named(self, about, ask)
    }

    fn flags_lacking(read: &Read<Self>, ask: &Ask) -> String {
        let is_given =
            |name: &str| ask.hierarchies.iter().any(|said| said.split_once('=').is_some_and(|(own, _)| own == name));
        let columns = read.data.columns().iter().filter(|column| {
            column.role == ColumnRole::Quasi
                && !column.kind.is_numeric()
                && column.hierarchy.is_none()
                && !is_given(&column.name)
        });
        columns
            .map(|column| format!(" --hierarchy {}", crate::words::quoted(&format!("{}=flat", column.name))))
            .collect()
    }

    fn singled_out_by_unmapped(read: &Read<Self>) -> Vec<String> {
        naming::singled_out_by_unmapped(&read.data, &read.about.unmapped)
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
        // An order says nothing of values that nobody sees.
        let published = |column: &Column| {
            let own = about.layout.columns.iter().find(|own| own.name == column.name)?;
            let is_seen = |value: &&String| column.values.iter().any(|text| text == value.as_str());
            let order = own.settings.order.iter().filter(is_seen).cloned().collect();
            Some(TableColumn { settings: Arc::new(ColumnSettings { order, ..(*own.settings).clone() }), ..own.clone() })
        };
        let mut columns: Vec<TableColumn> = records.columns().iter().filter_map(published).collect();
        // Where rows are linked, the column of persons has pseudonyms, and stands first.
        let person = about.layout.columns.iter().find(|own| own.role == ColumnRole::Person);
        let person = person.filter(|_| records.has_ids()).cloned();
        let is_linked = person.is_some();
        columns.splice(0..0, person);
        let names_persons = |column: &&TableColumn| {
            column.role == ColumnRole::Identifier || (column.role == ColumnRole::Person && !is_linked)
        };
        let unpublished = about.layout.columns.iter().filter(names_persons).cloned().collect();
        Ok((format, TableLayout { columns, unpublished, ..about.layout.clone() }))
    }

    /// A class of middling size: what it publishes, and how many values of the original each cell may be.
    fn example(original: &Self, records: &Self, k: usize) -> Option<Value> {
        let quasi = records.quasi().ok()?;
        let classes = Classes::of(records, &quasi);
        let person_of = records.person_of_rows();
        let persons = |class: usize| throng_core::data::table::classes::persons(classes.rows(class), &person_of);
        let mut sizes: Vec<(usize, usize)> = (0..classes.len()).map(|class| (persons(class), class)).collect();
        sizes.retain(|(persons, _)| *persons as u64 >= FEW.max(k as u64));
        sizes.sort_unstable();
        let &(persons, class) = sizes.get(sizes.len() / 2)?;
        let row = classes.rows(class)[0] as usize;
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for at in quasi {
            let column = &records.columns()[at];
            let own = &original.columns()[original.find(&column.name).ok()?];
            let (text, numbers, hierarchy) = (column.text(row), own.numbers(), own.hierarchy.as_deref());
            let cell = Cell::of(text, own);
            let covers = |(value, known): (usize, &str)| {
                let leaf = hierarchy.and_then(|hierarchy| hierarchy.leaf(known));
                known == text || cell.covers(hierarchy, leaf, numbers[value])
            };
            let count = own.values.iter().enumerate().filter(|&pair| covers(pair)).count() as u64;
            before.push(match count {
                0 => format!("{}: a number near it", column.name),
                count => format!("{}: {}", column.name, counted(count, "value", "values")),
            });
            after.push(format!("{} {text}", column.name));
        }
        Some(json!({"before": before, "after": after, "more": 0, "class": persons}))
    }

    fn protected(
        method: &dyn Method<Self>,
        original: &Self,
        ask: &Ask,
        rng: &mut Rng,
        progress: &dyn Progress,
    ) -> Result<Protected<Self>> {
        if !ask.link_rows {
            return method.protect(original, rng, progress);
        }
        let Some(k) = method.parameters().get("k").and_then(Value::as_u64).filter(|k| *k > 1) else {
            return Err(Error::parameter("link-rows", "needs a method with a k of at least 2"));
        };
        linked::protect(method, original, k as usize, rng, progress)
    }

    fn schema_guess(read: &Read<Self>) -> Option<String> {
        let Read { data, about } = read;
        let guess = |own: &TableColumn| {
            let column = data.columns().iter().find(|column| column.name == own.name);
            let is_said = !about.unmapped.contains(&own.name);
            let (role, because) = match column {
                Some(column) if !is_said => roles::guess(column, data.rows()),
                _ => (own.role, "as said"),
            };
            let kind_because = match own.kind {
                ColumnType::Integer => "every value reads as a whole number",
                ColumnType::Real => "every value reads as a number",
                ColumnType::Date => "every value reads as a day",
                ColumnType::Text => "some values are neither numbers nor days",
            };
            let (because, kind_because) = (because.to_owned(), kind_because.to_owned());
            schema::Guessed { name: own.name.clone(), role, because, kind: own.kind, kind_because }
        };
        let guessed: Vec<schema::Guessed> = about.layout.columns.iter().map(guess).collect();
        let often = |text: &&str| ["?", "NA", "N/A", "NULL", "null", "NaN", "nan", "-", "."].contains(text);
        let mut missing: Vec<String> = about.layout.missing_values.clone();
        for column in data.columns() {
            let found = column.values.iter().filter(often).filter(|text| !missing.iter().any(|own| own == text));
            let found: Vec<String> = found.map(str::to_owned).collect();
            missing.extend(found);
        }
        Some(schema::text(&guessed, &missing))
    }

    /// Means and noisy numbers with as many digits as their column had, where that was asked for.
    fn laid_out(records: Self, layout: &TableLayout) -> Self {
        let Some(digits) = &layout.rounded else { return records };
        let rounded = |column: &Column| {
            let known = digits.iter().find(|(name, _)| *name == column.name).map(|(_, digits)| *digits);
            match (column.role, column.kind, known) {
                (ColumnRole::Quasi, ColumnType::Integer | ColumnType::Real, Some(digits)) => {
                    let text = |row: usize| rounded_text(column.text(row), digits);
                    let texts: Vec<String> = (0..records.rows()).map(text).collect();
                    let Column { values, cells, .. } =
                        Column::new(&column.name, column.role, texts.iter().map(String::as_str));
                    Column { values, cells, ..column.clone() }
                }
                _ => column.clone(),
            }
        };
        let columns = records.columns().iter().map(rounded).collect();
        records.with_columns(columns)
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
        let found = Found::of(read, &ask, Purpose::Release, false)?;
        let (data, meant) = (found.data, &written.release.records);
        let persons = &written.release.persons;
        let rows: Vec<usize> = persons.iter().flat_map(|person| meant.range(person.record as usize)).collect();
        let is_same_column = |(own, other): (&Column, &Column)| {
            let same = |(row, &record): (usize, &usize)| own.text(row) == other.text(record);
            own.role == other.role && rows.iter().enumerate().all(same)
        };
        let is_same_person = |(person, other): (usize, &throng_core::release::Published)| {
            !meant.has_ids()
                || (data.names().get(person as u32) == other.pseudonym
                    && data.range(person).len() == meant.range(other.record as usize).len())
        };
        let is_whole = is_clean
            && data.rows() == rows.len()
            && data.has_ids() == meant.has_ids()
            && data.persons() == persons.len()
            && persons.iter().enumerate().all(is_same_person)
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

    /// Rows that nothing links look like so many persons, also where several are of one. Whoever publishes them knows whose they are: the
    /// model counts persons, beside what it says of the file alone.
    fn achieved_by_persons(
        written: &Written<'_, Self>,
        seen: &Self,
        claim: &Claim,
    ) -> Result<Option<serde_json::Map<String, Value>>> {
        if seen.has_ids() || claim.model != table_k_anonymity::INFO.name {
            return Ok(None);
        }
        let whose: Vec<u32> = written.release.persons.iter().map(|person| person.person).collect();
        by_persons(seen, &whose, claim)
    }

    fn columns(_layout: &TableLayout) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// Several columns have one role, and each has its name.
    fn named_fields(layout: &TableLayout) -> Vec<(&'static str, String)> {
        layout.columns.iter().map(|column| (column.role.name(), column.name.clone())).collect()
    }

    fn table_record(layout: &TableLayout) -> Option<TableRecord> {
        let record = |name: String, column: &TableColumn| ColumnRecord {
            name,
            role: column.role,
            kind: column.kind,
            weight: Some(column.settings.weight).filter(|weight| *weight != 1.0),
            distance: column.settings.distance,
            order: column.settings.order.clone(),
            labels: false,
        };
        let column = |(at, column): (usize, &TableColumn)| {
            record(if layout.header { column.name.clone() } else { (at + 1).to_string() }, column)
        };
        // Where columns have names, whoever has the original knows by them whose its rows are.
        let others = layout.unpublished.iter().filter(|_| layout.header);
        let others = others.map(|own| record(own.name.clone(), own));
        Some(TableRecord {
            columns: layout.columns.iter().enumerate().map(column).chain(others).collect(),
            missing: layout.missing,
            missing_values: layout.missing_values.clone(),
        })
    }

    fn studied(&self, study: &str, draws: usize, seed: u64, progress: &dyn Progress) -> Result<Option<Vec<StudyPart>>> {
        match study {
            "guessing" => studies::guessing(self, draws, seed, progress).map(Some),
            _ => Ok(None),
        }
    }

    fn with_secrets_of(self, records: &Self) -> Self {
        let noise = records.noise().cloned();
        if noise.is_some() { self.with_noise(noise) } else { self }
    }

    fn noise_text(&self) -> Result<Option<Vec<u8>>> {
        self.noise().map(|noise| noise::text(noise)).transpose()
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

    fn identifiers_left_out(layout: &TableLayout) -> u64 {
        layout.unpublished.iter().filter(|column| column.role == ColumnRole::Identifier).count() as u64
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
        certified: &Certified,
        _needs_sensitive: bool,
        progress: &dyn Progress,
    ) -> Result<Evidenced<Self>> {
        let Read { data, mut about } = Self::read(opened, ask, Purpose::Release, progress)?;
        // Roles hang on names: a column under another name would be judged as another, or not at all.
        let certified = certified.certificate.as_ref().and_then(|certificate| certificate.table.as_ref());
        if let Some(certified) = certified {
            let names: Vec<&String> = about.layout.columns.iter().map(|column| &column.name).collect();
            // What names persons is not published; the certificate says where it stood in the original.
            let is_published = |column: &&ColumnRecord| match column.role {
                ColumnRole::Identifier => false,
                ColumnRole::Person => names.contains(&&column.name),
                ColumnRole::Quasi | ColumnRole::Sensitive | ColumnRole::Plain => true,
            };
            if !certified.columns.iter().filter(is_published).map(|column| &column.name).eq(names.iter().copied()) {
                about.uncompared.push("certificate.json, which names other columns than the data have".to_owned());
            }
        }
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
            notes: data
                .has_ids()
                .then(|| lookalikes_of(data.names()))
                .flatten()
                .into_iter()
                .chain(about.notes)
                .collect(),
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
        let value = crate::words::value;
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
        let ask = &project::with_project(opened.location(), ask)?;
        let read = io::read_opened_table(opened, &ask.reading(), progress)?;
        let names: Vec<&str> = read.columns.iter().map(|(name, ..)| name.as_str()).collect();
        let roles = roles::roles(&names, ask, &Schema::of(ask)?)?;
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
        shown.extend(data.has_ids().then(|| super::rows_each(data)));
        let mut lines = Vec::new();
        let mut list = Vec::new();
        let mut rarest: Vec<(f64, String)> = Vec::new();
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
            if role == ColumnRole::Quasi {
                rarest.push((alone, own.name.clone()));
            }
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
        // Those that are, or look, quasi: by which of them most people are alone.
        rarest.retain(|(alone, _)| *alone > 0.0);
        rarest.sort_by(|left, right| right.0.total_cmp(&left.0).then_with(|| left.1.cmp(&right.1)));
        rarest.truncate(RAREST);
        if !rarest.is_empty() {
            let said = |(alone, name): &(f64, String)| format!("{name} ({})", crate::words::percent(*alone));
            let text = rarest.iter().map(said).collect::<Vec<_>>().join(", ");
            lines.push(Line::new("rarest", format!("of quasi columns, most are alone by {text}")));
        }
        let rarest: Vec<Value> = rarest.iter().map(|(alone, name)| json!({"name": name, "unique": alone})).collect();
        shown.push(Shown { lines, values: vec![("table", json!({"columns": list, "rarest": rarest}))] });
        Ok(shown)
    }

    fn synth(request: &SynthRequest, stdout: &mut (dyn Write + Send), progress: &dyn Progress) -> Result<Made> {
        let shape = if request.shape.is_empty() { made_up::SHAPES[0] } else { request.shape.as_str() };
        let params = made_up::Params { persons: request.persons, shape: shape.to_owned(), seed: request.seed };
        progress.stage("making up a table", 0);
        let made_up::MadeTable { table, hierarchies } = made_up::table(&params)?;
        let format = request.format_of(&Self::CARD)?;
        Self::check_format(format, None)?;
        let column = |column: &Column| TableColumn {
            name: column.name.clone(),
            role: column.role,
            kind: column.kind,
            typed: matches!(column.kind, ColumnType::Integer | ColumnType::Real),
            settings: Arc::clone(&column.settings),
        };
        let layout = TableLayout {
            columns: table.columns().iter().map(column).collect(),
            unpublished: Vec::new(),
            header: true,
            raw_cells: false,
            missing: Missing::Own,
            missing_values: Vec::new(),
            rounded: None,
            repeated: None,
            reals: Vec::new(),
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

/// What is achieved for a claim of k-anonymity by persons, if some have several of the rows; an error if it does not hold so.
fn by_persons(data: &Table, whose: &[u32], claim: &Claim) -> Result<Option<serde_json::Map<String, Value>>> {
    let mut different = whose.to_vec();
    different.sort_unstable();
    different.dedup();
    if different.len() == whose.len() {
        return Ok(None);
    }
    let names: Vec<String> = whose.iter().map(u32::to_string).collect();
    let (table, _) = Table::of_persons(data.columns().to_vec(), names.iter().map(String::as_str));
    let table = table.with_settings(data.settings());
    let params = serde_json::from_value(Value::Object(claim.parameters.clone()))
        .map_err(|cause| Error::internal(cause.to_string()))?;
    let verdict = TableKAnonymity::new(params)?.check(&table)?;
    if !verdict.holds {
        return Err(Error::internal(format!(
            "the rows of a class are of too few persons, so nothing was published: {}",
            Value::Object(verdict.achieved)
        )));
    }
    // Nothing links rows: what they say all together is no matter.
    let k = verdict.achieved.into_iter().filter(|(name, _)| name == "k");
    Ok(Some(k.collect()))
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
    let own = project::with_project(&location, &own)?;
    let read = io::read_opened_table(opened, &own.reading(), progress)?;
    Ok(Found::of(read, &own, Purpose::Original, false).map_err(|error| error.in_file(path.display().to_string()))?.data)
}

/// What a table says of the nodes of a graph.
pub(super) struct Nodes {
    /// The nodes, in the order of the table.
    pub(super) names: Strings,
    /// What is known of them, where some column has a role.
    pub(super) attributes: Option<Table>,
    /// How the table holds that; what names nodes is not published.
    pub(super) layout: TableLayout,
    /// Columns without a role.
    pub(super) unmapped: Vec<String>,
    /// What the user should know.
    pub(super) notes: Vec<String>,
    /// Whatever else is in the file.
    pub(super) uncompared: Vec<String>,
    /// Malformed lines that were left out.
    pub(super) refused: u64,
}

impl Nodes {
    /// Nodes of which nothing is known.
    pub(super) fn none(names: Strings) -> Self {
        let layout = TableLayout {
            columns: Vec::new(),
            unpublished: Vec::new(),
            header: true,
            raw_cells: false,
            missing: Missing::default(),
            missing_values: Vec::new(),
            rounded: None,
            repeated: None,
            reals: Vec::new(),
        };
        let (unmapped, notes, uncompared) = (Vec::new(), Vec::new(), Vec::new());
        Self { names, attributes: None, layout, unmapped, notes, uncompared, refused: 0 }
    }
}

/// Reads what a table says of nodes: the column of persons is that of nodes, and each of them has one row.
pub(super) fn nodes(read: ReadTable, ask: &Ask, purpose: Purpose) -> Result<Nodes> {
    let names: Vec<&str> = read.columns.iter().map(|(name, ..)| name.as_str()).collect();
    let roles = roles::roles(&names, ask, &Schema::of(ask)?)?;
    let at = roles.iter().position(|role| *role == Some(ColumnRole::Person));
    let at = at.ok_or_else(|| {
        Error::data("no column says which node a row is about")
            .with_hint("name it: `--column id=NAME`; each node has one row")
    })?;
    let (name, ids, cells, _) = &read.columns[at];
    let mut is_known = vec![false; ids.len()];
    for (row, &cell) in cells.iter().enumerate() {
        if std::mem::replace(&mut is_known[cell as usize], true) {
            return Err(Error::data("a node has two rows")
                .at_line(read.lines[row])
                .with_value(ids.get(cell))
                .in_column(name)
                .with_hint("each node has one row"));
        }
    }
    let names: Strings = cells.iter().map(|&cell| ids.get(cell)).collect();
    if names.iter().any(str::is_empty) {
        return Err(Error::data("the id of a node is missing").in_column(name));
    }
    let is_nothing_said = |role: &Option<ColumnRole>| matches!(role, None | Some(ColumnRole::Person));
    if (purpose == Purpose::Original && roles.iter().all(is_nothing_said)) || read.columns.len() == 1 {
        let unmapped = read.columns.iter().zip(&roles).filter(|(_, role)| role.is_none());
        let unmapped = unmapped.map(|((name, ..), _)| name.clone()).collect();
        return Ok(Nodes { unmapped, uncompared: read.uncompared, refused: read.refused, ..Nodes::none(names) });
    }
    let Found { data, about } = Found::of(read, ask, purpose, true)?;
    let attributes = Table::of_rows(data.columns().to_vec()).with_settings(data.settings());
    if purpose == Purpose::Original {
        for at in attributes.of_role(ColumnRole::Plain) {
            naming::refuse_own_values(&attributes, &attributes.columns()[at])?;
        }
    }
    let is_own = |column: &&TableColumn| matches!(column.role, ColumnRole::Person | ColumnRole::Identifier);
    let unpublished = about.layout.columns.iter().filter(is_own).cloned().collect();
    let columns = about.layout.columns.iter().filter(|column| !is_own(column)).cloned().collect();
    let About { layout, unmapped, notes, uncompared, refused, .. } = about;
    let layout = TableLayout { columns, unpublished, ..layout };
    Ok(Nodes { names, attributes: Some(attributes), layout, unmapped, notes, uncompared, refused })
}

/// The roles of columns by their names, as they were said.
pub(super) fn roles_of(names: &[&str], ask: &Ask) -> Result<Vec<Option<ColumnRole>>> {
    roles::roles(names, ask, &Schema::of(ask)?)
}

/// A table with its roles, and what was learned of it.
struct Found {
    data: Table,
    about: About<Table>,
}

impl Found {
    /// `takes_bare` says whether a file of values with no level above them is a hierarchy, of height 0: for nodes it is.
    fn of(read: ReadTable, ask: &Ask, purpose: Purpose, takes_bare: bool) -> Result<Self> {
        let ReadTable { columns: read_columns, lines, format, header, refused, mut uncompared, files } = read;
        let names: Vec<&str> = read_columns.iter().map(|(name, ..)| name.as_str()).collect();
        let schema = Schema::of(ask)?;
        if purpose != Purpose::Release {
            schema.refuse_unknown(&names, ask)?;
        }
        let roles = roles::roles(&names, ask, &schema)?;
        let mut notes = Vec::new();
        let unmapped: Vec<String> =
            names.iter().zip(&roles).filter(|(_, role)| role.is_none()).map(|(name, _)| (*name).to_owned()).collect();
        let mut persons: Option<(Strings, Vec<u32>)> = None;
        let (mut columns, mut layout, mut doubtful) = (Vec::new(), Vec::new(), None);
        // Models may be asked about any column of a file that is judged.
        let mut beside: Vec<Column> = Vec::new();
        let mut identifiers = naming::Identifiers::default();
        let rows = lines.len();
        for ((name, values, cells, typed), role) in read_columns.into_iter().zip(roles) {
            let settings = Arc::new(settings_of(&name, ask, &schema));
            let kind = typing::type_of(&name, (&values, &cells), ask, &schema, purpose)?;
            if role.is_none() && knows_person(&name) && values.len() < rows {
                doubtful = Some(name.clone());
            }
            let shown = role.unwrap_or(ColumnRole::Plain);
            if purpose == Purpose::Release && matches!(shown, ColumnRole::Person | ColumnRole::Identifier) {
                let (name, values, cells) = (name.clone(), Arc::new(values.clone()), cells.clone());
                let settings = Arc::clone(&settings);
                beside.push(Column { name, role: shown, kind, values, cells, hierarchy: None, settings });
            }
            if role.is_some() || purpose != Purpose::Original {
                layout.push(TableColumn {
                    name: name.clone(),
                    role: shown,
                    kind,
                    typed,
                    settings: Arc::clone(&settings),
                });
            }
            match shown {
                ColumnRole::Person => {
                    if let Some(row) = cells.iter().position(|&cell| values.get(cell).is_empty()) {
                        return Err(Error::data("the id of the person is missing").at_line(lines[row]).in_column(name));
                    }
                    persons = Some((values, cells));
                }
                ColumnRole::Identifier => {
                    identifiers.look(&name, values.len(), rows);
                    if purpose == Purpose::Release {
                        notes.push(format!("the file has a column that names persons: {name}"));
                    }
                }
                _ if role.is_none() && purpose == Purpose::Original => {}
                _ => {
                    let values = Arc::new(values);
                    columns.push(Column { name, role: shown, kind, values, cells, hierarchy: None, settings });
                }
            }
        }
        hierarchies::attach(&mut columns, ask, &schema, [purpose == Purpose::Original, takes_bare], &mut notes)?;
        if purpose == Purpose::Original && ask.table.is_none() {
            let untold = |column: &&Column| schema.column(&column.name).is_none_or(|said| said.kind.is_none());
            columns.iter().filter(untold).try_for_each(|column| typing::refuse_nearly_numbers(column, &lines))?;
        }
        if let (Purpose::Release, false) = (purpose, unmapped.is_empty()) {
            notes.push(format!(
                "{} no role ({}), and {} as plain",
                counted(unmapped.len() as u64, "column has", "columns have"),
                unmapped.join(", "),
                if unmapped.len() == 1 { "counts" } else { "count" }
            ));
        }
        if schema.models > 0 && purpose == Purpose::Original {
            notes.push(format!(
                "the project asks ARX for {}, which {} not taken over: `--k` and `--model` say what a release must satisfy",
                counted(schema.models as u64, "model", "models"),
                if schema.models == 1 { "is" } else { "are" }
            ));
        }
        if let (Some(name), None) = (doubtful, &persons) {
            notes.push(format!(
                "the column `{name}` is named like persons, and its values repeat: if rows are of the same person, say so with \
                 `--column person={name}`"
            ));
        }
        let repeated = identifiers.repeated().filter(|_| persons.is_none());
        if columns.is_empty() && purpose == Purpose::Original {
            return Err(Error::refused("no column has a role: nothing would be published").with_hint(
                "say what columns hold: `--column quasi=age,zip sensitive=disease identifier=name plain=notes`; `plain=*` takes all \
                 others",
            ));
        }
        let columns_empty = columns.is_empty();
        let (data, first_lines) = match persons {
            None if columns_empty => return Err(Error::refused("no column is left to look at")),
            None => {
                let order: Vec<u32> = (0..lines.len() as u32).collect();
                (Table::of_rows(columns).with_beside(&beside, &order), lines)
            }
            Some((values, cells)) => {
                let (table, order) = Table::of_persons(columns, cells.iter().map(|&cell| values.get(cell)));
                let table = table.with_beside(&beside, &order);
                let first = |person: usize| lines[order[table.range(person).start] as usize];
                let first_lines = (0..table.persons()).map(first).collect();
                (table, first_lines)
            }
        };
        if purpose == Purpose::Release {
            uncompared.extend(naming::not_compared(&data, &unmapped));
        }
        let certified = ask.table.as_ref();
        let missing = ask.missing.or(schema.missing).or(certified.map(|record| record.missing)).unwrap_or_default();
        let data = data.with_settings(TableSettings { missing, keeps_suppressed: ask.keep_suppressed });
        let missing_values = match certified {
            Some(record) if schema.missing_values.is_empty() => record.missing_values.clone(),
            _ => schema.missing_values.clone(),
        };
        let digits = |column: &Column| (column.name.clone(), column.values.iter().map(digits).max().unwrap_or(0));
        let rounded = ask.round.then(|| data.columns().iter().map(digits).collect());
        let about = About {
            file_kind: <Table as Kinded>::CARD.name,
            format,
            layout: TableLayout {
                columns: layout,
                unpublished: Vec::new(),
                header,
                raw_cells: false,
                missing,
                missing_values,
                rounded,
                repeated,
                reals: Vec::new(),
            },
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

/// A number with so many digits after its point, half away from zero; anything else as it is.
fn rounded_text(text: &str, digits: usize) -> String {
    match cell::number(text) {
        Some(number) if !text.contains("..") => {
            let scale = 10f64.powi(digits.min(300) as i32);
            let rounded = (number * scale).round() / scale;
            format!("{:.digits$}", if rounded == 0.0 { 0.0 } else { rounded })
        }
        _ => text.to_owned(),
    }
}

/// How many digits a number has after its point; none for what is no number.
fn digits(text: &str) -> usize {
    let is_plain = cell::number(text).is_some() && !text.contains(['e', 'E']);
    if is_plain { text.trim().split_once('.').map_or(0, |(_, digits)| digits.len()) } else { 0 }
}

/// What was said of a column beside its role: by a schema, or by a certificate.
fn settings_of(name: &str, ask: &Ask, schema: &Schema) -> ColumnSettings {
    let mut settings = schema.settings(name);
    let Some(record) = &ask.table else { return settings };
    if settings.missing.is_empty() {
        settings.missing.clone_from(&record.missing_values);
    }
    if let (None, Some(column)) = (schema.column(name), record.columns.iter().find(|column| column.name == name)) {
        settings.weight = column.weight.unwrap_or(1.0);
        settings.distance = column.distance;
        settings.order.clone_from(&column.order);
    }
    settings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn persons_are_counted_where_nothing_links_their_rows() {
        let column = Column::new("age", ColumnRole::Quasi, ["30", "30", "30", "40", "40", "40"].into_iter());
        let data = Table::of_rows(vec![column]);
        let claim = Claim::new(&table_k_anonymity::INFO, [("k", json!(2))]);
        assert_eq!(by_persons(&data, &[0, 1, 2, 3, 4, 5], &claim).unwrap(), None);
        // The file alone shows three rows in each class.
        let found = by_persons(&data, &[0, 1, 1, 2, 0, 0], &claim).unwrap().unwrap();
        assert_eq!(Value::Object(found), json!({"k": 2}));
        // Three rows of forty-year-olds are three of one person.
        assert!(by_persons(&data, &[0, 1, 1, 2, 2, 2], &claim).unwrap_err().is_internal());
    }
}
