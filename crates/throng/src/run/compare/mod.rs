//! `throng compare`: several methods with several k on the same data, every measure side by side.
//!
//! # Idea
//! 1. The data are read once. What a method works out that does not depend on k, its distances, is worked out once.
//! 2. Every pair of a method and a k is a cell. Cells run in parallel; each is kept in a file as soon as it is done, so a
//!    run that was stopped goes on where it was.
//! 3. When all are there, `comparison.json`, `comparison.csv` and `comparison.html` are written, and the files of the cells
//!    go away.
//!
//! Nothing is published: records are measured where they are made, and never written.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use throng_core::concepts::Texts as _;
use throng_core::data::{Baskets, Documents, QueryLog};
use throng_core::measures::{Context, Measure, Pair};
use throng_core::methods::Method;
use throng_core::progress::{Progress, Silent};
use throng_core::release::Protected;
use throng_core::taxonomy::fit::fit;
use throng_core::{Error, Kind, Result, Rng};

use super::load::{BasketOptions, load_baskets, load_documents, with_meaning_of_nodes, with_sensitive};
use super::measure::{Semantics, on_baskets, on_documents, on_queries, run};
use super::protect::needs_meaning;
use crate::catalog::{self, AnyMeasure, AnyMethod};
use crate::io::{self, Location, Opened, ReadOptions};
use crate::pending::{self, Pending};
use crate::report::comparison;

/// What to compare.
#[derive(Debug, Clone)]
pub struct CompareRequest {
    /// The original: a file.
    pub file: PathBuf,
    /// The folder for the comparison: new, or that of the same comparison, unfinished.
    pub out: PathBuf,
    /// Methods as typed: a name, or a name with parameters, `flock:effort=fast`.
    pub methods: Vec<String>,
    /// The values of k.
    pub ks: Vec<usize>,
    /// The measures; all that are not costly when empty.
    pub measures: Vec<String>,
    /// At most this many persons, drawn at random.
    pub sample: Option<usize>,
    /// The seed of everything that is drawn.
    pub seed: u64,
    /// How to read the original.
    pub options: ReadOptions,
    /// Taxonomies and the rest.
    pub baskets: BasketOptions,
}

/// A finished comparison.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Comparison {
    /// The version of this form.
    pub format: u32,
    /// The version of throng.
    pub throng: String,
    /// What was compared on.
    pub input: Input,
    /// The methods, in the order in which they were given.
    pub methods: Vec<String>,
    /// The values of k, rising.
    pub k: Vec<usize>,
    /// Every method with every k.
    pub cells: Vec<Cell>,
    /// What to choose, in words.
    pub recommendation: Option<comparison::Recommendation>,
}

/// What was compared on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Input {
    /// The kind of data.
    pub kind: String,
    /// How many persons were protected.
    pub persons: u64,
    /// How many rows they have.
    pub rows: u64,
    /// How many persons the file has, if only a sample was taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampled_from: Option<u64>,
}

/// A method with a k, and what was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// The method as typed.
    pub method: String,
    /// k.
    pub k: usize,
    /// Persons of the original who got no record.
    pub persons_dropped: u64,
    /// Every number: see `throng measure --json`.
    pub measures: Vec<Value>,
    /// What was not measured, and why.
    pub skipped: Vec<Value>,
}

/// What an unfinished comparison was about: it goes on only if this is the same.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Plan {
    format: u32,
    throng: String,
    input_sha256: String,
    methods: Vec<String>,
    measures: Vec<String>,
    sample: Option<usize>,
    seed: u64,
    /// How the data are read and understood.
    reading: String,
}

/// The version of the form of a comparison.
const FORMAT: u32 = 1;

/// Compares methods and values of k on one file, and writes the comparison.
pub fn compare(request: &CompareRequest, progress: &dyn Progress) -> Result<Comparison> {
    let methods = request.methods.iter().map(|typed| Choice::parse(typed)).collect::<Result<Vec<_>>>()?;
    refuse_empty(request, &methods)?;
    let location = io::resolve(&request.file)?;
    let opened = Opened::open(&location, &request.options)?;
    let kind = request.baskets.kind_of(&opened);
    for choice in &methods {
        catalog::refuse_other_kind("method", choice.entry.info, kind)?;
    }
    let measures = catalog::measures_for(kind, &request.measures, false)?;
    let folder = Folder::open(request, &location)?;
    let work = Work { request, methods: &methods, folder: &folder, progress };
    // A run that did nothing leaves nothing.
    let (input, cells) = work.on(kind, opened, &measures).inspect_err(|_| folder.remove_if_nothing_is_done())?;
    let mut comparison = Comparison {
        format: FORMAT,
        throng: env!("CARGO_PKG_VERSION").to_owned(),
        input,
        methods: request.methods.clone(),
        k: request.ks.clone(),
        cells,
        recommendation: None,
    };
    comparison.recommendation = comparison::recommendation(&comparison);
    folder.finish(&comparison)?;
    Ok(comparison)
}

/// A method with its parameters, as typed.
#[derive(Debug)]
struct Choice {
    typed: String,
    entry: &'static catalog::MethodEntry,
    parameters: Vec<(String, String)>,
}

impl Choice {
    /// Reads `name` or `name:parameter=value:parameter=value`; a parameter alone is a switch.
    fn parse(typed: &str) -> Result<Self> {
        let mut parts = typed.split(':');
        let entry = catalog::method(parts.next().unwrap_or_default())?;
        let parameters: Vec<(String, String)> = parts
            .map(|part| part.split_once('=').unwrap_or((part, "true")))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let (_, unused) = catalog::parameters(entry.info, &parameters)?;
        if let Some(name) = unused.first() {
            let known = entry.info.parameters.iter().map(|parameter| parameter.name);
            return Err(Error::unknown(&format!("parameter of {}", entry.info.name), name, known));
        }
        if parameters.iter().any(|(name, _)| name == "k") {
            return Err(Error::refused("k belongs to the whole comparison: give it with `--k`"));
        }
        Ok(Self { typed: typed.to_owned(), entry, parameters })
    }

    fn build(&self, kind: Kind, k: usize) -> Result<AnyMethod> {
        let mut typed = self.parameters.clone();
        typed.push(("k".to_owned(), k.to_string()));
        (self.entry.build)(kind, catalog::parameters(self.entry.info, &typed)?.0)
    }
}

fn refuse_empty(request: &CompareRequest, methods: &[Choice]) -> Result<()> {
    if methods.is_empty() || request.ks.is_empty() {
        return Err(Error::refused("there is nothing to compare").with_hint("give `--methods A,B` and `--k 2..10`"));
    }
    let mut names: Vec<&str> = methods.iter().map(|choice| choice.typed.as_str()).collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(Error::refused(format!("the method `{}` is given twice", pair[0]))),
        None => Ok(()),
    }
}

/// Values of k as typed: `2..10` (both included), `3`, or several of them with commas between.
pub fn parse_ks(text: &str) -> Result<Vec<usize>> {
    let wrong = || {
        Error::parameter("k", format!("is `{text}`, but must be values of k"))
            .with_hint("for example `--k 2..10`, which is 2, 3 and so on to 10, or `--k 3,5,10`")
    };
    let mut ks = Vec::new();
    for part in text.split(',') {
        let number = |text: &str| text.trim().parse::<usize>().map_err(|_| wrong());
        match part.split_once("..") {
            Some((first, last)) => {
                let (first, last) = (number(first)?, number(last.trim_start_matches('='))?);
                if first > last || last - first > 1000 {
                    let why = if first > last { "an empty range" } else { "more than a thousand values" };
                    return Err(
                        Error::parameter("k", format!("is `{text}`, {why}")).with_hint("for example `--k 2..10`")
                    );
                }
                ks.extend(first..=last);
            }
            None => ks.push(number(part)?),
        }
    }
    ks.sort_unstable();
    ks.dedup();
    if let Some(&least) = ks.first().filter(|&&least| least < 2) {
        return Err(Error::parameter("k", format!("begins with {least}, but must be at least 2"))
            .with_hint("k = 1 is the original, which every figure begins with"));
    }
    Ok(ks)
}

/// The grid while it is worked on.
struct Work<'a> {
    request: &'a CompareRequest,
    methods: &'a [Choice],
    folder: &'a Folder,
    progress: &'a dyn Progress,
}

/// One kind of data in the grid.
struct Subject<'a, D: 'static> {
    kind: Kind,
    original: &'a D,
    persons: usize,
    measures: &'a [&'static dyn Measure<D>],
    /// Takes a method out of the catalogue's.
    pick: fn(AnyMethod) -> Option<Box<dyn Method<D>>>,
    /// Makes records ready for the measures.
    finish: &'a (dyn Fn(D) -> Result<D> + Sync),
}

impl Work<'_> {
    /// Reads the data and fills the grid.
    fn on(&self, kind: Kind, opened: Opened, measures: &[AnyMeasure]) -> Result<(Input, Vec<Cell>)> {
        let cells = self.methods.len() * self.request.ks.len();
        let begin = || self.progress.stage("comparing", cells as u64);
        let mut found = match kind {
            Kind::Queries => self.on_queries(opened, measures, &begin)?,
            Kind::Baskets => self.on_baskets(opened, measures, &begin)?,
            Kind::Documents => self.on_documents(opened, measures, &begin)?,
            _ => return Err(Error::internal("a kind of data that cannot be compared")),
        };
        // In the order of the methods as typed, then of k.
        let place = |cell: &Cell| self.methods.iter().position(|choice| choice.typed == cell.method);
        found.1.sort_by_key(|cell| (place(cell), cell.k));
        Ok(found)
    }

    fn on_queries(&self, opened: Opened, measures: &[AnyMeasure], begin: &dyn Fn()) -> Result<(Input, Vec<Cell>)> {
        let log = io::read_opened_log(opened, &self.request.options, self.progress)?.log;
        let all = log.persons();
        let mut log = match self.sampled(all) {
            Some(persons) => log.of_persons(&persons),
            None => log,
        };
        let by_meaning = self.methods.iter().any(
            |choice| matches!(choice.build(Kind::Queries, 2), Ok(AnyMethod::Queries(method)) if method.needs_meaning()),
        );
        let knowledge = if by_meaning || needs_meaning(measures) {
            let knowledge = self.request.baskets.knowledge()?;
            let meaning = knowledge.of(&[log.queries()])?.remove(0);
            log = log.with_meaning(meaning);
            Some(knowledge)
        } else {
            None
        };
        let finish = |records: QueryLog| match (&knowledge, log.meaning()) {
            (Some(knowledge), Some(meaning)) => {
                let own = knowledge.like(meaning, records.queries())?;
                Ok(records.with_meaning(own))
            }
            _ => Ok(records),
        };
        begin();
        let subject = Subject {
            kind: Kind::Queries,
            original: &log,
            persons: log.persons(),
            measures: &on_queries(measures),
            pick: |method| match method {
                AnyMethod::Queries(method) => Some(method),
                _ => None,
            },
            finish: &finish,
        };
        let cells = self.cells(&subject, &self.methods.iter().collect::<Vec<_>>())?;
        Ok((self.input(Kind::Queries, log.persons(), log.rows(), all), cells))
    }

    fn on_baskets(&self, opened: Opened, measures: &[AnyMeasure], begin: &dyn Fn()) -> Result<(Input, Vec<Cell>)> {
        let options = &self.request.baskets;
        let raw = load_baskets(opened, &self.request.options, self.progress)?.baskets;
        if raw.grouping().is_some() {
            return Err(Error::refused("sensitive items are published by group: this is a release, not an original"));
        }
        let all = raw.persons();
        let raw = match self.sampled(all) {
            Some(persons) => raw.of_persons(&persons),
            None => raw,
        };
        let (mut cells, mut rows) = (Vec::new(), raw.occurrences());
        // Methods that go by meaning see the items as they are written, the others as nodes of the taxonomy.
        let (by_meaning, by_items): (Vec<&Choice>, Vec<&Choice>) = self.methods.iter().partition(
            |choice| matches!(choice.build(Kind::Baskets, 2), Ok(AnyMethod::Baskets(method)) if method.needs_meaning()),
        );
        begin();
        let measures = on_baskets(measures);
        let pick = |method| match method {
            AnyMethod::Baskets(method) => Some(method),
            _ => None,
        };
        let mut on = |original: &Baskets, methods: &[&Choice]| -> Result<()> {
            let subject = Subject {
                kind: Kind::Baskets,
                original,
                persons: original.persons(),
                measures: &measures,
                pick,
                finish: &|records| Ok(records),
            };
            cells.extend(self.cells(&subject, methods)?);
            Ok(())
        };
        if !by_items.is_empty() {
            let fitted = match options.taxonomy()? {
                Some(loaded) => fit(&[&raw], &loaded.taxonomy, options.rule())?.remove(0).baskets,
                None => raw.clone(),
            };
            let fitted = match options.sensitive()? {
                Some(labels) => with_sensitive(fitted, &labels).0,
                None => fitted,
            };
            rows = fitted.occurrences();
            on(&with_meaning_of_nodes(fitted), &by_items)?;
        }
        if !by_meaning.is_empty() {
            let meaning = options.knowledge()?.of(&[raw.labels()])?.remove(0);
            on(&raw.clone().with_meaning(meaning), &by_meaning)?;
        }
        Ok((self.input(Kind::Baskets, raw.persons(), rows, all), cells))
    }

    fn on_documents(&self, opened: Opened, measures: &[AnyMeasure], begin: &dyn Fn()) -> Result<(Input, Vec<Cell>)> {
        let loaded = load_documents(opened, &self.request.options, &self.request.baskets, true, self.progress)?;
        let documents = loaded.read.documents;
        let all = documents.len();
        let documents = match self.sampled(all) {
            Some(chosen) => documents.of_documents(&chosen),
            None => documents,
        };
        begin();
        let finish = |records: Documents| match documents.taxonomy() {
            Some(taxonomy) => Ok(records.with_taxonomy(Arc::clone(taxonomy))),
            None => Ok(records),
        };
        let subject = Subject {
            kind: Kind::Documents,
            original: &documents,
            persons: documents.len(),
            measures: &on_documents(measures),
            pick: |method| match method {
                AnyMethod::Documents(method) => Some(method),
                _ => None,
            },
            finish: &finish,
        };
        let cells = self.cells(&subject, &self.methods.iter().collect::<Vec<_>>())?;
        Ok((self.input(Kind::Documents, documents.len(), documents.rows(), all), cells))
    }

    /// The persons of the sample in rising order; `None` if all are taken.
    fn sampled(&self, persons: usize) -> Option<Vec<u32>> {
        let most = self.request.sample.filter(|&most| most < persons)?;
        let mut chosen = Rng::seeded(self.request.seed).sample(persons, most);
        chosen.sort_unstable();
        Some(chosen)
    }

    fn input(&self, kind: Kind, persons: usize, rows: usize, all: usize) -> Input {
        Input {
            kind: kind.name().to_owned(),
            persons: persons as u64,
            rows: rows as u64,
            sampled_from: (persons < all).then_some(all as u64),
        }
    }

    /// All cells of some methods, those that are done already from their files.
    fn cells<D: Semantics + Sync + 'static>(&self, subject: &Subject<'_, D>, methods: &[&Choice]) -> Result<Vec<Cell>> {
        let most = self.request.ks.last().copied().unwrap_or_default();
        if subject.persons < most {
            return Err(Error::data(format!("there are {} persons, fewer than k = {most}", subject.persons))
                .with_hint("compare smaller values of k, or data of more persons"));
        }
        let mut cells = Vec::new();
        for choice in methods {
            let done: BTreeMap<usize, Cell> =
                self.request.ks.iter().filter_map(|&k| Some((k, self.folder.cell(&choice.typed, k)?))).collect();
            let open: Vec<usize> = self.request.ks.iter().copied().filter(|k| !done.contains_key(k)).collect();
            self.progress.advance(done.len() as u64);
            cells.extend(done.into_values());
            if open.is_empty() {
                continue;
            }
            let build = |k: usize| {
                let method = choice.build(subject.kind, k)?;
                (subject.pick)(method).ok_or_else(|| Error::internal("a method of another kind of data"))
            };
            let any = build(open[0])?;
            let prepared = any.prepared(subject.original, &Silent)?;
            let cell = |&k: &usize| -> Result<Cell> {
                // Every cell has a stream of its own, whatever ran before it.
                let mut rng = Rng::seeded_stream(self.request.seed, k as u64);
                let protected = match &prepared {
                    Some(prepared) => prepared.protect(k, &mut rng, &Silent)?,
                    None => build(k)?.protect(subject.original, &mut rng, &Silent)?,
                };
                let cell = self.measured(subject, choice, k, protected)?;
                self.folder.keep(&cell)?;
                self.progress.advance(1);
                Ok(cell)
            };
            cells.extend(open.par_iter().map(cell).collect::<Result<Vec<_>>>()?);
        }
        Ok(cells)
    }

    fn measured<D: Semantics + 'static>(
        &self,
        subject: &Subject<'_, D>,
        choice: &Choice,
        k: usize,
        protected: Protected<D>,
    ) -> Result<Cell> {
        let Protected { records, record_of, .. } = protected;
        let count = record_of.iter().flatten().max().map_or(0, |&last| last as usize + 1);
        let mut multiplicity = vec![0; count];
        for &record in record_of.iter().flatten() {
            multiplicity[record as usize] += 1;
        }
        let persons_dropped = record_of.iter().filter(|record| record.is_none()).count() as u64;
        let release = (subject.finish)(records)?;
        let pair = Pair { original: subject.original, release: &release, multiplicity, link: Some(record_of) };
        // A comparison of small k is read by the same people: what it shows, at least five share.
        let context = Context { k: k.max(5), show_values: false, seed: self.request.seed, progress: &Silent };
        let outcome = run(subject.measures, &pair, &context)?;
        Ok(Cell {
            method: choice.typed.clone(),
            k,
            persons_dropped,
            measures: outcome.measures.iter().map(json).collect::<Result<_>>()?,
            skipped: outcome.skipped.iter().map(json).collect::<Result<_>>()?,
        })
    }
}

fn json(value: &impl Serialize) -> Result<Value> {
    serde_json::to_value(value).map_err(|cause| Error::internal(cause.to_string()))
}

/// The folder of a comparison, with what is done of it.
#[derive(Debug)]
struct Folder {
    path: PathBuf,
}

/// Inside the folder: what it is about, and every cell that is done. All of it goes away at the end.
const UNFINISHED: &str = "unfinished";

impl Folder {
    fn open(request: &CompareRequest, location: &Location) -> Result<Self> {
        let input_sha256 = match location {
            Location::File(file) => io::hash_file(file)?,
            Location::Folder(folder) => io::hash_folder(folder)?,
            Location::Stdin => {
                return Err(Error::refused("a comparison needs a file, not standard input")
                    .with_hint("it may be stopped, and goes on by reading the file again"));
            }
        };
        let plan = Plan {
            format: FORMAT,
            throng: env!("CARGO_PKG_VERSION").to_owned(),
            input_sha256,
            methods: request.methods.clone(),
            measures: request.measures.clone(),
            sample: request.sample,
            seed: request.seed,
            reading: format!("{:?} {:?}", request.options, request.baskets),
        };
        let folder = Self { path: request.out.clone() };
        let place = request.out.join(UNFINISHED).join("plan.json");
        if let Ok(text) = std::fs::read(&place) {
            let known: Option<Plan> = serde_json::from_slice(&text).ok();
            return match known {
                Some(known) if known == plan => Ok(folder),
                Some(known) if (known.format, &known.throng) != (plan.format, &plan.throng) => {
                    Err(folder.refused("was begun by another version of throng"))
                }
                Some(_) => Err(folder.refused("is of another file, or with other methods, measures or flags")),
                None => Err(folder.refused("is damaged")),
            };
        }
        if request.out.symlink_metadata().is_ok() {
            return Err(Error::refused(format!("the folder {} exists already", request.out.display()))
                .with_hint("choose another name for `--out`, or remove the folder"));
        }
        let failed = |cause| Error::io(format!("make the folder {}", request.out.display()), cause);
        std::fs::create_dir(&request.out).map_err(failed)?;
        std::fs::create_dir(request.out.join(UNFINISHED)).map_err(failed)?;
        folder.write(&Path::new(UNFINISHED).join("plan.json"), &pretty(&plan)?)?;
        Ok(folder)
    }

    fn refused(&self, why: &str) -> Error {
        Error::refused(format!("the unfinished comparison in {} {why}", self.path.display()))
            .with_hint("choose another name for `--out`, or remove the folder")
    }

    /// Whole or not at all: a run that is stopped leaves no half of a file.
    fn write(&self, name: &Path, text: &[u8]) -> Result<()> {
        let place = self.path.join(name);
        let failed = |cause| Error::io(format!("write {}", place.display()), cause);
        let (mut file, pending) = Pending::file(&place, false).map_err(failed)?;
        file.write_all(text).and_then(|()| file.sync_all()).map_err(failed)?;
        pending::publish(vec![(pending, place)])
    }

    /// The file of a cell. A method as typed may hold what a name may not.
    fn name_of(method: &str, k: usize) -> PathBuf {
        let safe = |letter: char| if letter.is_ascii_alphanumeric() || letter == '-' { letter } else { '_' };
        Path::new(UNFINISHED).join(format!("{}-{k}.json", method.chars().map(safe).collect::<String>()))
    }

    fn remove_if_nothing_is_done(&self) {
        let unfinished = self.path.join(UNFINISHED);
        let has_cell = std::fs::read_dir(&unfinished).is_ok_and(|files| files.count() > 1);
        if !has_cell {
            // What does not go does no harm: the same command finds it and goes on.
            let _ = std::fs::remove_dir_all(unfinished).and_then(|()| std::fs::remove_dir(&self.path));
        }
    }

    fn cell(&self, method: &str, k: usize) -> Option<Cell> {
        let text = std::fs::read(self.path.join(Self::name_of(method, k))).ok()?;
        serde_json::from_slice(&text).ok().filter(|cell: &Cell| (cell.method.as_str(), cell.k) == (method, k))
    }

    fn keep(&self, cell: &Cell) -> Result<()> {
        let name = Self::name_of(&cell.method, cell.k);
        // One that is there could not be read.
        let _ = std::fs::remove_file(self.path.join(&name));
        self.write(&name, &pretty(cell)?)
    }

    fn finish(&self, comparison: &Comparison) -> Result<()> {
        self.write(Path::new("comparison.csv"), comparison::csv(comparison).as_bytes())?;
        self.write(Path::new("comparison.html"), comparison::html(comparison)?.as_bytes())?;
        self.write(Path::new("comparison.json"), &pretty(comparison)?)?;
        let unfinished = self.path.join(UNFINISHED);
        std::fs::remove_dir_all(&unfinished)
            .map_err(|cause| Error::io(format!("remove {}", unfinished.display()), cause))
    }
}

fn pretty(value: &impl Serialize) -> Result<Vec<u8>> {
    let mut text = serde_json::to_vec_pretty(value).map_err(|cause| Error::internal(cause.to_string()))?;
    text.push(b'\n');
    Ok(text)
}
