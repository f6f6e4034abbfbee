//! `throng inspect`: what is this file, and how exposed are the people in it?

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value, json};
use throng_core::concepts::Coverage;
use throng_core::data::Interner;
use throng_core::distance::user_distance::{QueryWeights, UserParts};
use throng_core::finders::scrub;
use throng_core::finders::{COUNT, FINDERS, Finder, Scratch};
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::attacked;
use super::certified::Certified;
use super::protect::SingledOutBefore;
use crate::content;
use crate::inputs::Inputs;
use crate::io::{Location, Opened, Place};
use crate::kinds::{self, About, Alike, Ask, ColumnShown, Kinded, Purpose, Read, Shown};
use crate::pending;
use crate::report;
use crate::words::{self, Line};

/// How many samples of strings with their concepts are shown.
const SAMPLES: usize = 20;

/// What to look at.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct InspectRequest {
    /// Files or folders of documents, which are one data set; a release folder or `-`.
    pub file: Inputs,
    /// How much a taxonomy understands, with samples that at least so many persons share.
    pub concepts: Option<usize>,
    /// Whether to say what finders find in texts.
    pub content: bool,
    /// The file to write where they do.
    pub positions: Option<PathBuf>,
    /// The file to write a guess of the schema into.
    pub schema_out: Option<PathBuf>,
    /// The seed of what is drawn.
    pub seed: u64,
    /// How to read and understand it.
    pub ask: Ask,
}

/// What a file is, and how exposed the people in it are.
#[derive(Debug, Clone)]
pub struct Inspection {
    /// The kind of data.
    pub kind: &'static str,
    /// What was found, line by line.
    pub shown: Vec<Shown>,
    /// Malformed lines that were skipped.
    pub rows_refused: u64,
    /// Columns without a role, which a release would not have.
    pub unmapped: Vec<String>,
    /// What the user should know beside it.
    pub notes: Vec<String>,
}

/// As JSON, one object with everything that was found.
impl Serialize for Inspection {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_map(self.shown.iter().flat_map(|shown| &shown.values).map(|(key, value)| (key, value)))
    }
}

impl Inspection {
    /// What the file is, in words.
    pub fn words(&self) -> Vec<Line> {
        self.shown.iter().flat_map(|shown| shown.lines.iter().cloned()).collect()
    }

    /// A value by its key in JSON.
    pub fn value(&self, key: &str) -> Option<&Value> {
        self.shown.iter().flat_map(|shown| &shown.values).find(|(name, _)| *name == key).map(|(_, value)| value)
    }
}

/// How much of a file is understood, and by which taxonomy.
#[derive(Debug, Clone, Serialize)]
pub struct ConceptsFound {
    /// The taxonomy: `wordnet`, or the names of its files.
    pub taxonomy: String,
    /// The figures, and samples that at least k persons share.
    #[serde(flatten)]
    pub coverage: Coverage,
}

/// Looks at a file.
pub fn inspect(request: &InspectRequest, progress: &dyn Progress) -> Result<Inspection> {
    let certified = Certified::open(&request.file, &request.ask)?;
    let (kind, opened) = kinds::open(&certified.location, &certified.ask)?;
    kind.inspect(request, &certified, opened, progress)
}

/// Looks at data of a kind.
pub(crate) fn inspect_as<D: Kinded>(
    request: &InspectRequest,
    certified: &Certified,
    mut opened: Opened,
    progress: &dyn Progress,
) -> Result<Inspection> {
    // Why it was guessed is shown anyway; that it looks like something else is not.
    let doubt = opened.doubt.take().filter(|_| certified.ask.kind.is_some());
    let ask = &certified.ask;
    let knowledge = request.concepts.map(|k| Ok::<_, Error>((ask.knowledge()?, k))).transpose()?;
    let (dialect, delimiter, encoding) = (opened.dialect(), opened.delimiter(), opened.encoding());
    let is_certified = certified.certificate.is_some() && request.ask.kind.is_none();
    let because = if is_certified { "its certificate says so" } else { opened.because };
    let read = D::read(opened, ask, Purpose::Look, progress)?;
    if let Some(place) = &request.schema_out {
        let Some(text) = D::schema_guess(&read) else {
            return Err(Error::parameter(
                "schema-out",
                format!("is for tables, and this is of the kind {}", D::CARD.name),
            ));
        };
        super::refuse_existing(place)?;
        pending::replace(place, text.as_bytes(), false)?;
    }
    let Read { data, about } = &read;
    progress.stage("exposure", 0);
    let singled_out = SingledOutBefore::of(data, request.seed);
    let form = D::form(about);
    let form_in_words = if dialect.is_empty() { form.clone() } else { format!("{form}, {dialect}") };
    let mut shown = vec![
        Shown::new(
            "kind",
            format!("{} ({form_in_words})", D::CARD.name),
            vec![
                ("kind", json!(D::CARD.name)),
                ("format", json!(form)),
                ("delimiter", json!(delimiter)),
                ("encoding", json!(encoding)),
                ("rows_refused", json!(about.refused)),
            ],
        ),
        Shown::new("because", because, vec![("because", json!(because))]),
    ];
    shown.push(columns_of::<D>(about, &request.ask));
    shown.push(Shown::quietly(vec![("unmapped", json!(about.unmapped))]));
    if let files @ 2.. = certified.location.each().len() {
        shown.push(Shown::new("files", files.to_string(), vec![("files", json!(files))]));
    }
    shown.extend(D::shown(&read, ask)?);
    let is_theirs = certified.certificate.is_some() || kinds::knows_persons::<D>(ask);
    let alike = if is_theirs { None } else { data.alike() };
    shown.extend(alike.map(|alike| Shown::quietly(vec![("accounts_alike", json!(alike.accounts))])));
    shown.push(Shown {
        lines: words::exposure(&D::CARD, &singled_out),
        values: vec![
            ("unique_by", report::unique_by(singled_out.first().map(|first| first.alone).unwrap_or_default())),
            ("singled_out", report::singled_out(&singled_out)),
        ],
    });
    let attacks = attacked::exposure(data, Vec::new(), false, progress)?;
    if !attacks.is_empty() {
        shown.push(Shown { lines: words::exposed(&attacks), values: vec![("attacks", json!(attacks))] });
    }
    if let Some((knowledge, k)) = &knowledge {
        progress.stage("concepts", 0);
        let Some(coverage) = data.coverage(&knowledge.mapper, *k, SAMPLES) else {
            return Err(Error::refused(format!("`--concepts` looks at strings, which {} do not have", D::CARD.name))
                .with_hint("a taxonomy given with `--taxonomy` says how many words it knows"));
        };
        let found = ConceptsFound { taxonomy: knowledge.taxonomy.name.clone(), coverage };
        let values = vec![("concepts", json!(found))];
        shown.push(Shown { lines: words::concepts(&D::CARD, &found), values });
    }
    if request.content {
        progress.stage("finders", 0);
        shown.push(content_of::<D>(request, certified, data, progress)?);
    }
    let mut notes = about.notes.clone();
    notes.extend(about.oddities(data));
    notes.extend(alike.and_then(Alike::in_words).map(|said| format!("{said}; {}", kinds::IF_ALIKE)));
    notes.extend(doubt);
    if certified.certificate.is_none() {
        notes.extend(about.no_person());
    }
    let odd = match certified.certificate {
        None => kinds::one_row_each(&D::CARD, &certified.ask, data.persons(), about.rows),
        Some(_) => None,
    };
    notes.extend(odd.map(|odd| format!("{odd}; {}", kinds::say_who(&about.unmapped))));
    Ok(Inspection { kind: D::CARD.name, shown, rows_refused: about.refused, unmapped: about.unmapped.clone(), notes })
}

/// What finders find; where, if somebody wants to know, is written for the custodian's eyes only.
fn content_of<D: Kinded>(
    request: &InspectRequest,
    certified: &Certified,
    data: &D,
    progress: &dyn Progress,
) -> Result<Shown> {
    let finders = content::finders([true; COUNT])?;
    let look = |text: &str| {
        let (mut scratch, mut hits) = (Scratch::default(), Vec::new());
        finders.find(text, &mut scratch, &mut hits);
        hits
    };
    let found = scrub::look(data, &finders);
    let (mut rows, mut persons) = (found.rows, found.persons);
    // What a document says is more than the terms that it becomes.
    if request.positions.is_some() || D::CARD.release_has_own_columns {
        let places = match &certified.location {
            Location::Stdin | Location::Several(_) => None,
            location => {
                let (_, opened) = kinds::open(location, &certified.ask)?;
                D::places(opened, &certified.ask, &look, progress)?
            }
        };
        if let Some(path) = &request.positions {
            let Some(places) = &places else {
                return Err(Error::parameter("positions", "needs one file whose texts have lines")
                    .with_hint("give one file at a time, not standard input, a folder or vectors of terms"));
            };
            write_positions(path, places, &request.file.paths()?)?;
        }
        if let (Some(places), true) = (places, D::CARD.release_has_own_columns) {
            // A line is a document.
            let lines = |finder: usize| {
                let own = places.iter().filter(|place| place.finder == finder).map(|place| place.line);
                own.collect::<BTreeSet<u64>>().len() as u64
            };
            rows = std::array::from_fn(lines);
            persons = rows;
        }
    }
    let list: Vec<Value> = FINDERS
        .iter()
        .zip(rows.iter().zip(persons))
        .map(|(finder, (rows, persons))| json!({"finder": finder.info.name, "rows": rows, "persons": persons}))
        .collect();
    let (of, row) = (D::CARD.person, D::CARD.row);
    let line = |(finder, (&rows, &persons)): (&&Finder, (&u64, &u64))| {
        let (name, whose) = (finder.info.name, words::counted(persons, of[0], of[1]));
        Line::new(name, format!("in {} of {whose}", words::counted(rows, row[0], row[1])))
    };
    let found = FINDERS.iter().zip(rows.iter().zip(&persons)).filter(|(_, (rows, _))| **rows > 0);
    let mut lines: Vec<Line> = found.map(line).collect();
    if lines.is_empty() {
        lines.push(Line::new("content", "finders found nothing"));
    }
    Ok(Shown { lines, values: vec![("content", json!(list))] })
}

/// Writes where something was found: for the custodian alone.
fn write_positions(path: &Path, places: &[Place], inputs: &[PathBuf]) -> Result<()> {
    pending::refuse_in_release(path, "list of positions")?;
    pending::refuse_inside(path, "list of positions", inputs)?;
    if inputs.iter().any(|input| pending::lies_inside(input, path)) {
        return Err(Error::refused("the list of positions would replace the data").with_hint("choose another file"));
    }
    let mut text = String::from("line,field,finder,start,end\n");
    for Place { line, field, finder, start, end } in places {
        let _ = writeln!(text, "{line},{field},{},{start},{end}", FINDERS[*finder].info.name);
    }
    pending::replace(path, text.as_bytes(), true)
}

/// Which column has which role, and why.
fn columns_of<D: Kinded>(about: &About<D>, ask: &Ask) -> Shown {
    let columns = kinds::columns_shown::<D>(&about.layout, ask);
    let map = |value: fn(&ColumnShown) -> &str| -> Map<String, Value> {
        columns.iter().map(|column| (column.role.to_owned(), json!(value(column)))).collect()
    };
    let values =
        vec![("columns", json!(map(|column| &column.name))), ("columns_because", json!(map(|column| column.because)))];
    match columns.as_slice() {
        [] => Shown::quietly(values),
        columns => Shown::new("columns", ColumnShown::in_words(columns), values),
    }
}

/// Which persons to compare.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DistanceRequest {
    /// A file, a release folder or `-`.
    pub file: Inputs,
    /// Their ids, as they stand in the file.
    pub persons: [String; 2],
    /// Whether the number of words weighs double, as printed in the paper, or the words themselves, as its text has it.
    pub printed_weights: bool,
    /// How to read the file.
    pub ask: Ask,
}

/// The distance of two persons with its parts.
#[derive(Debug, Clone, Serialize)]
pub struct DistanceOutcome {
    /// The user distance.
    pub distance: f64,
    /// What it is made of.
    pub parts: UserParts,
}

/// The distance of two persons of a file, named by their ids.
pub fn distance(request: &DistanceRequest, progress: &dyn Progress) -> Result<DistanceOutcome> {
    let certified = Certified::open(&request.file, &request.ask)?;
    let (kind, opened) = kinds::open(&certified.location, &certified.ask)?;
    kind.distance(request, &certified, opened, progress)
}

/// The distance of two persons in data of a kind.
pub(crate) fn distance_as<D: Kinded>(
    request: &DistanceRequest,
    certified: &Certified,
    opened: Opened,
    progress: &dyn Progress,
) -> Result<DistanceOutcome> {
    let Read { data, .. } = D::read(opened, &certified.ask, Purpose::Look, progress)?;
    let names = Interner::from(data.names());
    let find = |name: &str, which: &str| {
        names.find(name).map(|person| person as usize).ok_or_else(|| {
            Error::data(format!("the {which} person given is not in the file"))
                .with_value(name)
                .with_hint("give two ids as they stand in the user column")
                .in_file(certified.location.to_string())
        })
    };
    let persons = [find(&request.persons[0], "first")?, find(&request.persons[1], "second")?];
    let weights = if request.printed_weights { QueryWeights::Printed } else { QueryWeights::Text };
    data.distance(persons, weights).ok_or_else(|| {
        Error::refused(format!("the user distance is one of search logs, and these are {}", D::CARD.name))
            .with_hint("leave out `--distance`; `throng list distances` shows what there is")
    })
}
