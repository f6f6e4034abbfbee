//! `throng inspect`: what is this file, and how exposed are the people in it?

use serde::Serialize;
use serde_json::Value;
use throng_core::concepts::{Coverage, Mapper};
use throng_core::data::time::{TimeStyle, to_text};
use throng_core::data::{Baskets, Interner};
use throng_core::distance::user_distance::{QueryWeights, Scales, UserParts, UserSpace};
use throng_core::measures::risk::uniqueness;
use throng_core::progress::Progress;
use throng_core::taxonomy::fit::{Unknown, fit};
use throng_core::{Error, Kind, Result, Rng};

use super::load::{BasketOptions, LoadedTaxonomy, form_name, load_baskets, load_documents};
use crate::io::{Location, Opened, ReadOptions, read_log, read_opened_log};
use crate::report;

/// How many samples of strings with their concepts are shown.
const SAMPLES: usize = 20;

/// What a file is, whatever it is.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum Inspection {
    /// A query log.
    Queries(Inspected),
    /// Baskets.
    Baskets(InspectedBaskets),
    /// Documents.
    Documents(InspectedDocuments),
}

/// What a file is, and how exposed the people in it are.
#[derive(Debug, Clone, Serialize)]
pub struct Inspected {
    /// The kind of data.
    pub kind: &'static str,
    /// The file's format.
    pub format: String,
    /// How many persons.
    pub persons: usize,
    /// How many rows.
    pub rows: usize,
    /// Malformed lines that were skipped.
    pub rows_refused: u64,
    /// How many different query strings.
    pub distinct_queries: usize,
    /// How many different URLs.
    pub distinct_urls: usize,
    /// Rows with a clicked URL.
    pub rows_with_click: usize,
    /// The first point in time.
    pub first_time: String,
    /// The last point in time.
    pub last_time: String,
    /// The column of each role.
    pub columns: serde_json::Map<String, Value>,
    /// Columns without a role, which a release would not have.
    pub unmapped: Vec<String>,
    /// The share of persons whom 1, 2, 3 of their distinct queries single out.
    pub unique_by: Value,
    /// If asked for: how much of the queries is understood.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub concepts: Option<ConceptsFound>,
}

/// What a file of baskets is, and how exposed the people in it are.
#[derive(Debug, Clone, Serialize)]
pub struct InspectedBaskets {
    /// The kind of data.
    pub kind: &'static str,
    /// The file's format.
    pub format: String,
    /// How many persons.
    pub persons: usize,
    /// How many items all persons have together, copies included.
    pub rows: usize,
    /// Malformed lines that were skipped.
    pub rows_refused: u64,
    /// How many different items.
    pub distinct_items: usize,
    /// How many items a person has.
    pub lengths: Lengths,
    /// With a taxonomy: different items that it does not know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub items_unknown: Option<u64>,
    /// With a taxonomy: how often those occur.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub occurrences_unknown: Option<u64>,
    /// The column of each role.
    pub columns: serde_json::Map<String, Value>,
    /// Columns without a role, which a release would not have.
    pub unmapped: Vec<String>,
    /// The share of persons whom 1, 2, 3 of their distinct items single out.
    pub unique_by: Value,
    /// If asked for: how much of the items is understood.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub concepts: Option<ConceptsFound>,
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

/// What a folder or file of documents is, and how exposed they are.
#[derive(Debug, Clone, Serialize)]
pub struct InspectedDocuments {
    /// The kind of data.
    pub kind: &'static str,
    /// `folder`, or the file's format and whether it has texts or vectors.
    pub format: String,
    /// How many documents.
    pub persons: usize,
    /// How many terms all documents have together, each counted once a document.
    pub rows: usize,
    /// Files or lines that could not be read and were skipped.
    pub rows_refused: u64,
    /// Files of a folder that are hidden, links or of other endings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files_left_out: Option<u64>,
    /// How many words the texts have, stop words included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<u64>,
    /// How many different terms.
    pub distinct_terms: usize,
    /// How many different terms a document has.
    pub lengths: Lengths,
    /// With a taxonomy: different words that it does not know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub items_unknown: Option<u64>,
    /// With a taxonomy: how often those occur.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub occurrences_unknown: Option<u64>,
    /// How many different labels there are.
    pub distinct_labels: usize,
    /// Labels that at least k documents have, and how many: the name of a smaller group could say too much.
    pub labels: serde_json::Map<String, Value>,
    /// The column of each role.
    pub columns: serde_json::Map<String, Value>,
    /// Columns without a role, which a release would not have.
    pub unmapped: Vec<String>,
    /// The share of documents that 1, 2, 3 of their terms single out.
    pub unique_by: Value,
}

/// How many items persons have.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Lengths {
    /// The fewest.
    pub least: usize,
    /// The mean.
    pub mean: f64,
    /// As many as half of the persons have at the most.
    pub median: usize,
    /// The most.
    pub greatest: usize,
    /// Persons with nothing.
    pub empty: usize,
}

impl Lengths {
    fn of(mut lengths: Vec<usize>) -> Self {
        lengths.sort_unstable();
        let at = |place: usize| lengths.get(place).copied().unwrap_or_default();
        let last = lengths.len().saturating_sub(1);
        Self {
            least: at(0),
            mean: lengths.iter().sum::<usize>() as f64 / lengths.len().max(1) as f64,
            median: at(last / 2),
            greatest: at(last),
            empty: lengths.partition_point(|&length| length == 0),
        }
    }
}

/// Labels that fewer documents have are not shown.
const K: usize = 5;

/// Looks at a file.
pub fn inspect(
    location: &Location,
    options: &ReadOptions,
    baskets: &BasketOptions,
    seed: u64,
    progress: &dyn Progress,
) -> Result<Inspection> {
    inspect_concepts(location, options, baskets, seed, None, progress)
}

/// Looks at a file, and with `concepts` also at what its strings mean: samples are strings that so many persons share.
pub fn inspect_concepts(
    location: &Location,
    options: &ReadOptions,
    baskets: &BasketOptions,
    seed: u64,
    concepts: Option<usize>,
    progress: &dyn Progress,
) -> Result<Inspection> {
    let knowledge = concepts.map(|k| Ok::<_, Error>((baskets.knowledge()?, k))).transpose()?;
    let understood = |texts: &dyn Fn(&Mapper, usize) -> Coverage| {
        knowledge.as_ref().map(|(knowledge, k)| {
            progress.stage("concepts", 0);
            let taxonomy = knowledge.taxonomy.name.clone();
            ConceptsFound { taxonomy, coverage: texts(knowledge.mapper(), *k) }
        })
    };
    let opened = Opened::open(location, options)?;
    if baskets.kind_of(&opened) == Kind::Baskets {
        let (mut found, data) = inspect_baskets(opened, options, baskets, seed, progress)?;
        found.concepts = understood(&|mapper, k| Coverage::of(mapper, &data, k, SAMPLES));
        return Ok(Inspection::Baskets(found));
    }
    if opened.kind == Kind::Documents {
        return inspect_documents(opened, options, baskets, seed, progress).map(Inspection::Documents);
    }
    let read = read_opened_log(opened, options, progress)?;
    let log = &read.log;
    progress.stage("exposure", 0);
    let unique = uniqueness::unique_by(log, &mut Rng::seeded(seed));
    let (first, last) = log.time_span().unwrap_or_default();
    let layout = &read.scanned.layout;
    Ok(Inspection::Queries(Inspected {
        kind: Kind::Queries.name(),
        format: read.scanned.format.to_string(),
        persons: log.persons(),
        rows: log.rows(),
        rows_refused: read.scanned.refused,
        distinct_queries: log.queries().len(),
        distinct_urls: log.urls().len(),
        rows_with_click: log.rows_with_url(),
        first_time: to_text(first, TimeStyle::ISO),
        last_time: to_text(last, TimeStyle::ISO),
        columns: layout
            .columns
            .iter()
            .map(|(role, name)| (role.name().to_owned(), Value::from(name.as_str())))
            .collect(),
        unmapped: layout.unmapped.clone(),
        unique_by: report::unique_by(unique),
        concepts: understood(&|mapper, k| Coverage::of(mapper, log, k, SAMPLES)),
    }))
}

/// Looks at baskets as they are; a taxonomy that was given only says how many items it knows.
fn inspect_baskets(
    opened: Opened,
    options: &ReadOptions,
    baskets: &BasketOptions,
    seed: u64,
    progress: &dyn Progress,
) -> Result<(InspectedBaskets, Baskets)> {
    let taxonomy = (!baskets.taxonomies.is_empty()).then(|| LoadedTaxonomy::load(&baskets.taxonomies)).transpose()?;
    let loaded = load_baskets(opened, options, progress)?;
    let data = &loaded.baskets;
    let fitted = taxonomy.map(|loaded| fit(&[data], &loaded.taxonomy, Unknown::Drop)).transpose()?;
    let fitted = fitted.as_ref().and_then(|fitted| fitted.first());
    progress.stage("exposure", 0);
    let unique = uniqueness::unique_by(data, &mut Rng::seeded(seed));
    let lengths = (0..data.persons()).map(|person| data.range(person).len()).collect();
    let found = InspectedBaskets {
        kind: Kind::Baskets.name(),
        format: loaded.format.to_string(),
        persons: data.persons(),
        rows: data.rows(),
        rows_refused: loaded.refused,
        distinct_items: data.item_count(),
        lengths: Lengths::of(lengths),
        items_unknown: fitted.map(|fitted| fitted.items_unknown),
        occurrences_unknown: fitted.map(|fitted| fitted.occurrences_unknown),
        columns: loaded.layout.columns().iter().map(|&(role, name)| (role.to_owned(), Value::from(name))).collect(),
        unmapped: loaded.layout.unmapped.clone(),
        unique_by: report::unique_by(unique),
        concepts: None,
    };
    Ok((found, loaded.baskets))
}

/// Looks at documents. Texts need a taxonomy; one that was given also says how many terms of vectors it knows.
fn inspect_documents(
    opened: Opened,
    options: &ReadOptions,
    baskets: &BasketOptions,
    seed: u64,
    progress: &dyn Progress,
) -> Result<InspectedDocuments> {
    let is_folder = matches!(opened.location(), Location::Folder(_));
    let loaded = load_documents(opened, options, baskets, !baskets.taxonomies.is_empty(), progress)?;
    let read = &loaded.read;
    let data = &read.documents;
    progress.stage("exposure", 0);
    let unique = uniqueness::unique_by(data, &mut Rng::seeded(seed));
    let lengths = (0..data.persons()).map(|document| data.range(document).len()).collect();
    let mut counts = vec![0usize; data.classes().len()];
    for class in (0..data.persons()).filter_map(|document| data.class(document)) {
        counts[class as usize] += 1;
    }
    let mut labels: Vec<(&str, usize)> = data.classes().iter().zip(counts).filter(|(_, count)| *count >= K).collect();
    labels.sort_unstable();
    Ok(InspectedDocuments {
        kind: Kind::Documents.name(),
        format: form_name(read),
        persons: data.persons(),
        rows: data.rows(),
        rows_refused: read.refused,
        files_left_out: is_folder.then_some(read.left_out),
        words: read.words,
        distinct_terms: data.terms().len(),
        lengths: Lengths::of(lengths),
        items_unknown: loaded.unknown.map(|(words, _)| words),
        occurrences_unknown: loaded.unknown.map(|(_, occurrences)| occurrences),
        distinct_labels: data.classes().len(),
        labels: labels.into_iter().map(|(label, count)| (label.to_owned(), Value::from(count))).collect(),
        columns: read.columns.iter().map(|(role, name)| (role.name().to_owned(), Value::from(name.as_str()))).collect(),
        unmapped: read.unmapped.clone(),
        unique_by: report::unique_by(unique),
    })
}

/// The distance of two persons with its parts.
#[derive(Debug, Clone, Serialize)]
pub struct DistanceOutcome {
    /// The user distance.
    pub distance: f64,
    /// What it is made of.
    pub parts: UserParts,
}

/// The user distance of two persons of a file, named by their ids.
pub fn distance(
    location: &Location,
    options: &ReadOptions,
    persons: [&str; 2],
    weights: QueryWeights,
    progress: &dyn Progress,
) -> Result<DistanceOutcome> {
    let read = read_log(location, options, progress)?;
    let names = Interner::from(read.log.names());
    let find = |name: &str, which: &str| {
        names.find(name).map(|person| person as usize).ok_or_else(|| {
            Error::data(format!("the {which} person given is not in the file"))
                .with_value(name)
                .with_hint("give two ids as they stand in the user column")
                .in_file(location.to_string())
        })
    };
    let (left, right) = (find(persons[0], "first")?, find(persons[1], "second")?);
    let space = UserSpace::new(Scales::of(&read.log), weights, &[&read.log]);
    let (distance, parts) = space.parts(left, right);
    Ok(DistanceOutcome { distance, parts })
}
