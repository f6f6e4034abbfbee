//! The schema of a table: a file that says what its columns hold, how they are generalised, what they weigh.
//!
//! Everything in it is known or an error that names the nearest. Flags overrule it. A guess of one is written by `inspect`, with a
//! reason for each role and type, for somebody to review.

use std::path::{Path, PathBuf};

use throng_core::data::table::{ColumnRole, ColumnSettings, ColumnType, Missing, ValueDistance};
use throng_core::{Error, Result};
use toml::de::DeTable;

use crate::kinds::Ask;
use crate::limits;
use crate::placed_toml::{Item, Reader};

/// The keys of a schema.
const KEYS: [&str; 2] = ["table", "columns"];
/// The keys of `[table]`.
const TABLE_KEYS: [&str; 3] = ["missing", "missing_values", "person"];
/// The keys of a column.
const COLUMN_KEYS: [&str; 8] = ["role", "type", "hierarchy", "generalise", "weight", "levels", "distance", "order"];

const ROLES: [(&str, ColumnRole); 5] = [
    ("quasi", ColumnRole::Quasi),
    ("sensitive", ColumnRole::Sensitive),
    ("identifier", ColumnRole::Identifier),
    ("plain", ColumnRole::Plain),
    ("person", ColumnRole::Person),
];
const TYPES: [(&str, ColumnType); 4] = [
    ("integer", ColumnType::Integer),
    ("real", ColumnType::Real),
    ("date", ColumnType::Date),
    ("text", ColumnType::Text),
];
const DISTANCES: [(&str, ValueDistance); 3] =
    [("equal", ValueDistance::Equal), ("ordered", ValueDistance::Ordered), ("hierarchy", ValueDistance::Hierarchy)];

/// Where the hierarchy of a column is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum HierarchyAt {
    /// In a file, or `flat`.
    Place(String),
    /// Here, in ARX's form.
    Text(String),
}

/// What a schema says of a column.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct SchemaColumn {
    pub(crate) role: Option<ColumnRole>,
    pub(crate) kind: Option<ColumnType>,
    pub(crate) hierarchy: Option<HierarchyAt>,
    /// Whether values become intervals, or labels of the hierarchy.
    pub(crate) intervals: Option<bool>,
    pub(crate) weight: Option<f64>,
    pub(crate) levels: Option<(usize, usize)>,
    pub(crate) distance: Option<ValueDistance>,
    pub(crate) order: Vec<String>,
}

/// What is said of a table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Schema {
    pub(crate) missing: Option<Missing>,
    pub(crate) missing_values: Vec<String>,
    /// Columns by name, in the order of the file.
    pub(crate) columns: Vec<(String, SchemaColumn)>,
    /// How many models a project of ARX asks for.
    pub(crate) models: usize,
}

impl Schema {
    /// What a command was told: by a file, and below it by the project that the data lie in.
    pub(super) fn of(ask: &Ask) -> Result<Self> {
        let below = ask.project.as_deref().cloned().unwrap_or_default();
        Ok(match &ask.schema {
            Some(path) => Self::read(path)?.over(below),
            None => below,
        })
    }

    /// Reads a file.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let named = |error: Error| error.in_file(path.display().to_string());
        let bytes = limits::read_file(path, "the schema ", limits::MOST_LIST_BYTES)?;
        let text = String::from_utf8(bytes).map_err(|_| named(Error::data("the schema is not UTF-8")))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        Self::parse(text.trim_start_matches('\u{feff}'), folder).map_err(named)
    }

    /// Reads a text; files that it names lie in or below a folder.
    pub(crate) fn parse(text: &str, folder: &Path) -> Result<Self> {
        let reader = Reader { text };
        let root = DeTable::parse(text).map_err(|error| {
            let problem = Error::data(format!("the schema is no TOML: {}", error.message()));
            let hint = "a line is `key = value`, and text stands in quotes";
            reader.at(error.span().unwrap_or(0..0), problem.with_hint(hint))
        })?;
        let root = root.get_ref();
        reader.known_keys(root, "key of a schema", &KEYS)?;
        let mut schema = Self::default();
        if let Some(columns) = root.get("columns") {
            let table = reader.table(columns, "columns")?;
            let mut named: Vec<_> = table.iter().collect();
            named.sort_by_key(|(key, _)| key.span().start);
            for (name, item) in named {
                let name = name.get_ref().to_string();
                let column = reader.column(item, &name, folder)?;
                schema.columns.push((name, column));
            }
        }
        if let Some(item) = root.get("table") {
            let table = reader.table(item, "table")?;
            reader.known_keys(table, "key of `[table]`", &TABLE_KEYS)?;
            let all = [("own", Missing::Own), ("wild", Missing::Wild)];
            schema.missing = table.get("missing").map(|item| reader.one_of(item, "missing", &all)).transpose()?;
            if let Some(list) = table.get("missing_values") {
                schema.missing_values = reader.texts(list, "missing_values")?;
            }
            if let Some(person) = table.get("person") {
                let name = reader.word(person, "person")?.to_owned();
                schema.person(&name).map_err(|problem| reader.wrong(person, problem))?;
            }
        }
        let persons = schema.columns.iter().filter(|(_, column)| column.role == Some(ColumnRole::Person)).count();
        if persons > 1 {
            return Err(
                Error::data("the schema names several columns of persons").with_hint("one column says whose a row is")
            );
        }
        Ok(schema)
    }

    /// Says which column holds persons.
    fn person(&mut self, name: &str) -> std::result::Result<(), String> {
        match self.columns.iter_mut().find(|(own, _)| own == name) {
            None => {
                let column = SchemaColumn { role: Some(ColumnRole::Person), ..SchemaColumn::default() };
                self.columns.push((name.to_owned(), column));
                Ok(())
            }
            Some((_, column)) => match column.role.replace(ColumnRole::Person) {
                None | Some(ColumnRole::Person) => Ok(()),
                Some(other) => Err(format!("`person` is the column `{name}`, which is {} below", other.name())),
            },
        }
    }

    /// This over another that says what this does not.
    fn over(mut self, below: Self) -> Self {
        self.missing = self.missing.or(below.missing);
        self.models = below.models;
        if self.missing_values.is_empty() {
            self.missing_values = below.missing_values;
        }
        for (name, other) in below.columns {
            match self.columns.iter_mut().find(|(own, _)| *own == name) {
                None => self.columns.push((name, other)),
                Some((_, own)) => {
                    own.role = own.role.or(other.role);
                    own.kind = own.kind.or(other.kind);
                    own.hierarchy = own.hierarchy.take().or(other.hierarchy);
                    own.intervals = own.intervals.or(other.intervals);
                    own.levels = own.levels.or(other.levels);
                }
            }
        }
        self
    }

    /// What is said of a column.
    pub(super) fn column(&self, name: &str) -> Option<&SchemaColumn> {
        self.columns.iter().find(|(own, _)| own == name).map(|(_, column)| column)
    }

    /// Refuses a column that the table does not have.
    pub(super) fn refuse_unknown(&self, names: &[&str], ask: &Ask) -> Result<()> {
        let stranger = self.columns.iter().find(|(own, _)| !names.contains(&own.as_str()));
        match stranger {
            None => Ok(()),
            Some((name, _)) => {
                let error = Error::unknown("column", name, names.iter().copied());
                Err(match &ask.schema {
                    Some(path) => error.in_file(path.display().to_string()),
                    None => error,
                })
            }
        }
    }

    /// What else is said of a column, for methods, models and measures.
    pub(super) fn settings(&self, name: &str) -> ColumnSettings {
        let usual = ColumnSettings { missing: self.missing_values.clone(), ..ColumnSettings::default() };
        let Some(column) = self.column(name) else { return usual };
        ColumnSettings {
            weight: column.weight.unwrap_or(usual.weight),
            levels: column.levels,
            intervals: column.intervals == Some(true),
            distance: column.distance,
            order: column.order.clone(),
            ..usual
        }
    }

    /// The files that it names.
    pub(crate) fn files(&self) -> impl Iterator<Item = PathBuf> {
        self.columns.iter().filter_map(|(_, column)| match &column.hierarchy {
            Some(HierarchyAt::Place(place)) => Some(PathBuf::from(place)),
            _ => None,
        })
    }
}

impl<'a> Reader<'a> {
    fn texts(&self, item: &Item<'a>, name: &str) -> Result<Vec<String>> {
        let text = |item: &Item<'a>| {
            let text = item.get_ref().as_str().map(str::to_owned);
            text.ok_or_else(|| self.wrong(item, format!("`{name}` must be a list of texts, in quotes")))
        };
        self.list(item, name)?.iter().map(text).collect()
    }

    fn column(&self, item: &Item<'a>, name: &str, folder: &Path) -> Result<SchemaColumn> {
        let table = self.table(item, &format!("columns.{name}"))?;
        self.known_keys(table, "key of a column", &COLUMN_KEYS)?;
        let mut column = SchemaColumn {
            role: table.get("role").map(|item| self.one_of(item, "role", &ROLES)).transpose()?,
            kind: table.get("type").map(|item| self.one_of(item, "type", &TYPES)).transpose()?,
            intervals: (table.get("generalise"))
                .map(|item| self.one_of(item, "generalise", &[("interval", true), ("hierarchy", false)]))
                .transpose()?,
            distance: table.get("distance").map(|item| self.one_of(item, "distance", &DISTANCES)).transpose()?,
            ..SchemaColumn::default()
        };
        if let Some(item) = table.get("hierarchy") {
            let place = self.word(item, "hierarchy")?;
            let place = match place {
                super::hierarchies::FLAT => place.to_owned(),
                file => folder.join(file).display().to_string(),
            };
            column.hierarchy = Some(HierarchyAt::Place(place));
        }
        if let Some(item) = table.get("weight") {
            let weight = self.number(item, "weight")?.as_f64().filter(|weight| *weight > 0.0);
            column.weight = Some(weight.ok_or_else(|| self.wrong(item, "`weight` must be above 0"))?);
        }
        if let Some(item) = table.get("levels") {
            let levels = self.list(item, "levels")?;
            let level = |item: &Item<'a>| usize::try_from(self.whole(item, "levels").ok()?).ok();
            let ends: Option<Vec<usize>> = levels.iter().map(level).collect();
            column.levels = match ends.as_deref() {
                Some([low, high]) if low <= high => Some((*low, *high)),
                _ => {
                    return Err(self
                        .wrong(item, "`levels` must be the lowest and the highest level that are allowed")
                        .with_hint("for example `levels = [0, 3]`"));
                }
            };
        }
        if let Some(item) = table.get("order") {
            column.order = self.texts(item, "order")?;
            let twice = (1..column.order.len()).any(|at| column.order[..at].contains(&column.order[at]));
            if twice {
                return Err(self.wrong(item, "`order` names a value twice"));
            }
        }
        Ok(column)
    }
}

/// A column of a table as a guess of its schema says it.
pub(super) struct Guessed {
    pub(super) name: String,
    pub(super) role: ColumnRole,
    pub(super) because: String,
    pub(super) kind: ColumnType,
    pub(super) kind_because: String,
}

/// The text of a schema that was guessed, with a reason for each role and type.
pub(super) fn text(columns: &[Guessed], missing_values: &[String]) -> String {
    let mut text = String::from(
        "# A guess, for you to review: nothing here is known. Roles: quasi (people can be looked up by it), sensitive (nobody should\n\
         # learn it), identifier (it names somebody, and is left out), plain (neither), person (whose row it is).\n\n[table]\n\
         missing = \"own\"\n",
    );
    if !missing_values.is_empty() {
        let list: Vec<String> = missing_values.iter().map(|value| quoted(value)).collect();
        text += &format!("missing_values = [{}]  # values that often mean that nothing is known\n", list.join(", "));
    }
    for Guessed { name, role, because, kind, kind_because } in columns {
        text += &format!("\n[columns.{}]\n", quoted(name));
        text += &format!("role = \"{}\"  # {because}\n", role.name());
        text += &format!("type = \"{}\"  # {kind_because}\n", kind.name());
    }
    text
}

/// A text as TOML writes it.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            c if c.is_control() => quoted.push_str(&format!("\\u{:04X}", c as u32)),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse(text: &str) -> Result<Schema> {
        Schema::parse(text, Path::new("folder"))
    }

    #[test]
    fn every_key_is_read() {
        let schema = parse(
            "[table]\nmissing = \"wild\"\nmissing_values = [\"?\", \"NA\"]\nperson = \"patient_id\"\n[columns.age]\nrole = \"quasi\"\n\
             type = \"integer\"\nhierarchy = \"age.csv\"\ngeneralise = \"hierarchy\"\nweight = 1.5\nlevels = [0, 3]\n\
             [columns.disease]\nrole = \"sensitive\"\ndistance = \"ordered\"\norder = [\"none\", \"mild\", \"severe\"]\n",
        )
        .unwrap();
        assert_eq!(schema.missing, Some(Missing::Wild));
        assert_eq!(schema.column("patient_id").unwrap().role, Some(ColumnRole::Person));
        let age = schema.settings("age");
        assert_eq!((age.weight, age.levels, age.intervals, age.missing.len()), (1.5, Some((0, 3)), false, 2));
        assert_eq!(schema.files().collect::<Vec<_>>(), [Path::new("folder").join("age.csv")]);
        assert_eq!(schema.settings("disease").order, ["none", "mild", "severe"]);
        assert_eq!(schema.settings("other").weight, 1.0);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        for (text, problem) in [
            ("[columns.age]\nrule = \"quasi\"\n", "role"),
            ("[column.age]\n", "columns"),
            ("[table]\nmissing_value = []\n", "missing_values"),
            ("[columns.age]\nrole = \"quazi\"\n", "quasi"),
            ("[columns.age]\ntype = \"int\"\n", "integer"),
            ("[columns.age]\nweight = 0\n", "above 0"),
            ("[columns.age]\nweight = -1.0\n", "0 or greater"),
            ("[columns.age]\nlevels = [3, 0]\n", "lowest"),
            ("[columns.age]\norder = [\"a\", \"a\"]\n", "twice"),
            ("[table]\nperson = \"a\"\n[columns.a]\nrole = \"quasi\"\n", "quasi"),
            ("[columns.a]\nrole = \"person\"\n[columns.b]\nrole = \"person\"\n", "several"),
            ("role = quasi", "no TOML"),
        ] {
            let error = parse(text).unwrap_err();
            let said = format!("{} {}", error.describe(false), error.hint().unwrap_or_default());
            assert!(said.contains(problem), "{text:?}: {said}");
        }
    }

    proptest! {
        /// Whatever columns are called, a guess reads back as it was written.
        #[test]
        fn a_guess_reads_back(names in prop::collection::vec("\\PC{1,8}|[\\x01-\\x7f]{1,4}", 1..4), role in 0usize..4, kind in 0usize..4) {
            let mut names = names;
            names.sort();
            names.dedup();
            let columns: Vec<Guessed> = names
                .iter()
                .map(|name| Guessed {
                    name: name.clone(),
                    role: ROLES[role].1,
                    because: "so".to_owned(),
                    kind: TYPES[kind].1,
                    kind_because: "so".to_owned(),
                })
                .collect();
            let schema = parse(&text(&columns, &["?".to_owned()])).unwrap();
            let mut found: Vec<&String> = schema.columns.iter().map(|(name, _)| name).collect();
            found.sort();
            prop_assert_eq!(found, names.iter().collect::<Vec<_>>());
            for (_, column) in &schema.columns {
                prop_assert_eq!((column.role, column.kind), (Some(ROLES[role].1), Some(TYPES[kind].1)));
            }
        }
    }
}
