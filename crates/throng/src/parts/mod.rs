//! The steps of a release that is made on many machines, on record batches: what a worker does with the persons it has, and what the
//! driver makes of what all workers found. Python's Dask and Spark call them (`python/throng/_distributed.py`), one after the other.
//!
//! Search logs, with the methods that protect block by block ([`InBlocks`]). Rows travel with fixed columns: person, query, time, rank, url,
//! and `part`, where they go next. What is counted travels as bytes ([`throng_core::pieces`]); everything that was decided so far is the
//! [`State`], which every worker is given.

mod finish;
mod rows;

use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::RecordBatch;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use throng_core::accounts::{GROUPS_EMPTY, LINES_ABOVE_CAP, ROWS_DROPPED};
use throng_core::data::{Clusters, QueryLog, Strings};
use throng_core::measures::{Context, Measure, Pair};
use throng_core::methods::Method;
use throng_core::methods::queries::{kindred, user_microaggregation};
use throng_core::models::content_threshold::Said;
use throng_core::partition::blocks::{Cuts, Drawn, SAMPLE};
use throng_core::pieces::{
    Counts, Decided, InBlocks, Key, Keys, Leaves, MeasurePart, Orders, Piece, Scales, Sketch, Tally, candidates,
    count_orders, count_sets, count_sites, count_words, cut, free_width, pseudonym, published,
};
use throng_core::progress::{Progress, Silent};
use throng_core::release::Protected;
use throng_core::{Error, Info, Result, Rng};

pub use finish::{DATA, Found, Papers, finish};
pub use rows::schema;

use self::rows::{Rows, log_of};
use crate::io::{self, Compression, Format, FormatKind, Frame, Location, Opened, Person};
use crate::kinds::{About, Ask, Kinded, Knowledge, Purpose, Read};
use crate::parameters::typed;
use crate::run::requests::typed_parameters;

/// The measures that are sums over persons.
const MEASURES: [&str; 3] = ["profile-exposure-level", "information-loss-ratio", "interests-kept"];
/// The files of a release are of this format.
const FORMAT: Format = Format::new(FormatKind::Parquet, Compression::None);

/// What is asked, the same for all workers. It holds the keys of the run: as secret as the original.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The method; the default of search logs when not given.
    pub method: Option<String>,
    /// Its parameters.
    #[serde(with = "typed_parameters")]
    pub parameters: Vec<(String, String)>,
    /// How the original is read and understood.
    pub ask: Ask,
    /// The key of hashes and of pseudonyms.
    pub key: Key,
    /// The key of the check of the written files, from the system's randomness whatever the seed.
    pub check: Key,
    /// How many parts persons are in.
    pub parts: u32,
    /// How many files are written.
    pub files: u32,
    /// What runs it.
    pub engine: String,
    /// Whether it is seeded.
    pub seeded: bool,
    /// What the data set is called, for the report.
    #[serde(default)]
    pub title: Option<String>,
}

/// Everything that was decided so far.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct State {
    scales: Option<Scales>,
    words: Option<Counts>,
    decided: Option<Decided>,
    /// Candidates, or sets that are published.
    keys: Option<Keys>,
    cuts: Option<Cuts>,
    /// The block of each leaf.
    block_of: Vec<u32>,
    /// Which part each block goes to.
    part_of: Vec<u32>,
    /// What the release says.
    said: Texts,
}

/// The different queries and URLs of a release, in rising order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Texts {
    queries: Vec<String>,
    urls: Vec<String>,
}

impl Piece for Texts {
    const NAME: &'static str = "texts";

    fn merge(mut self, other: Self) -> Self {
        for (own, more) in [(&mut self.queries, other.queries), (&mut self.urls, other.urls)] {
            own.extend(more);
            own.sort_unstable();
            own.dedup();
        }
        self
    }
}

/// What a part of the rows, or of the files, showed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Seen {
    refused: u64,
    rows: u64,
    persons: u64,
    rows_dropped: u64,
    groups_empty: u64,
    above_cap: u64,
    blocks: usize,
    largest: usize,
    measures: MeasurePart,
}

impl Piece for Seen {
    const NAME: &'static str = "seen";

    fn merge(self, other: Self) -> Self {
        Self {
            refused: self.refused + other.refused,
            rows: self.rows + other.rows,
            persons: self.persons + other.persons,
            rows_dropped: self.rows_dropped + other.rows_dropped,
            groups_empty: self.groups_empty + other.groups_empty,
            above_cap: self.above_cap + other.above_cap,
            blocks: self.blocks + other.blocks,
            largest: self.largest.max(other.largest),
            measures: self.measures.merge(other.measures),
        }
    }
}

/// A method for many machines.
trait Distributed: Method<QueryLog> + InBlocks {}
impl<M: Method<QueryLog> + InBlocks> Distributed for M {}

/// What a plan means, worked out once a process.
pub struct Worker {
    plan: Plan,
    info: &'static Info,
    method: Box<dyn Distributed>,
    about: About<QueryLog>,
    /// What strings mean, where the method or a measure asks for it.
    knowledge: Knowledge,
}

/// What a step gives: rows that go on, what was counted, or the bytes of a file.
pub type Given = (Vec<RecordBatch>, Vec<u8>);

static LAST_WORKER: Mutex<Option<(Vec<u8>, Arc<Worker>)>> = Mutex::new(None);
static LAST_STATE: Mutex<Option<(Vec<u8>, Arc<State>)>> = Mutex::new(None);

/// The value of some bytes: made anew unless they are those of the last call.
fn kept<T>(last: &Mutex<Option<(Vec<u8>, Arc<T>)>>, bytes: &[u8], make: impl FnOnce() -> Result<T>) -> Result<Arc<T>> {
    if let Some((known, value)) = &*last.lock().unwrap_or_else(PoisonError::into_inner)
        && known == bytes
    {
        return Ok(Arc::clone(value));
    }
    let value = Arc::new(make()?);
    *last.lock().unwrap_or_else(PoisonError::into_inner) = Some((bytes.to_vec(), Arc::clone(&value)));
    Ok(value)
}

fn parsed<T: DeserializeOwned>(bytes: &[u8], what: &str) -> Result<T> {
    serde_json::from_slice(bytes).map_err(|cause| {
        Error::parameter(what.to_owned(), format!("cannot be understood: {cause}"))
            .with_hint("all machines need the same version of throng")
    })
}

fn written(value: &impl Serialize) -> Result<Vec<u8>> {
    serde_json::to_vec(value).map_err(|cause| Error::internal(cause.to_string()))
}

impl Worker {
    /// What a plan means; `head` is the beginning of the data, from which columns and the form of times are recognised.
    pub fn of(plan: &[u8], head: &Frame) -> Result<Arc<Self>> {
        kept(&LAST_WORKER, plan, || {
            let plan: Plan = parsed(plan, "plan")?;
            let (info, method) = method_of(&plan)?;
            let about = read(head, &plan.ask)?.about;
            let knowledge = plan.ask.knowledge()?;
            Ok(Self { plan, info, method, about, knowledge })
        })
    }

    /// Runs a step on the rows of a worker, or on a file (`check`).
    pub fn step(&self, name: &str, state: &[u8], batches: Vec<RecordBatch>, file: &[u8]) -> Result<Given> {
        let state =
            kept(&LAST_STATE, state, || if state.is_empty() { Ok(State::default()) } else { parsed(state, "state") })?;
        if name == "read" {
            return self.read(batches);
        }
        if name == "check" {
            return Ok((Vec::new(), self.check(file)?));
        }
        let rows = Rows::of(&batches)?;
        if name == "write" {
            return Ok((Vec::new(), self.write(&rows)?));
        }
        if name == "protect" {
            return self.protect(&rows, &state);
        }
        let log = log_of(&rows.sorted());
        let (key, apart) = (&self.plan.key, Clusters::apart(log.persons()));
        let bytes = match name {
            "scales" => Scales::of(&log).to_bytes(),
            "words" => count_words(&log, &apart, key).to_bytes(),
            "sites" => count_sites(&log, &apart, key).to_bytes(),
            "candidates" => candidates(&log, state.decided()?).to_bytes(),
            "sets" => count_sets(&log, &apart, state.decided()?, state.keys()?).to_bytes(),
            "published" => published(&log, state.decided()?).to_bytes(),
            "orders" => count_orders(&log, &apart, state.decided()?, state.keys()?).to_bytes(),
            "sample" => self.sample(log, &state)?.to_bytes(),
            "leaves" => self.leaves(log, &state)?.1.to_bytes(),
            "said" => {
                let [queries, urls]: [Strings; 2] =
                    [&state.said.queries, &state.said.urls].map(|texts| texts.iter().map(String::as_str).collect());
                Said::of(&log, &queries, &urls).to_bytes()
            }
            "place" => return self.place(log, &state),
            other => Err(Error::internal(format!("there is no step `{other}`"))),
        }?;
        Ok((Vec::new(), bytes))
    }

    /// Rows as they come, as rows that travel: whole persons go to one part.
    fn read(&self, batches: Vec<RecordBatch>) -> Result<Given> {
        let Some(first) = batches.first() else { return Ok((Vec::new(), Seen::default().to_bytes()?)) };
        if batches.iter().all(|batch| batch.num_rows() == 0) {
            return Ok((Vec::new(), Seen::default().to_bytes()?));
        }
        let frame = Frame::new(first.schema(), batches)?;
        let Read { data, about } = read(&frame, &self.plan.ask)?;
        let form =
            |about: &About<QueryLog>| (QueryLog::columns(&about.layout), format!("{:?}", about.layout.time_style));
        if form(&about) != form(&self.about) {
            return Err(Error::data(
                "the columns or times of a partition are written otherwise than those of the first",
            )
            .with_hint("name the columns with `columns=`, the form of times with `time_format=`"));
        }
        let parts = u128::from(self.plan.parts);
        let part = |name: &str| (self.plan.key.hash(name.as_bytes()) % parts) as u32;
        let seen = Seen { refused: about.refused, rows: data.rows() as u64, ..Seen::default() };
        Ok((
            vec![rows::of_log(&data, &|person| {
                (data.names().get(person).to_owned(), part(data.names().get(person)), 0)
            })?],
            seen.to_bytes()?,
        ))
    }

    fn understood(&self, log: QueryLog) -> Result<QueryLog> {
        if !self.method.needs_meaning() {
            return Ok(log);
        }
        self.meant(log)
    }

    fn meant(&self, log: QueryLog) -> Result<QueryLog> {
        let meaning = self.knowledge.of(&[log.queries()])?.remove(0);
        Ok(log.with_meaning(meaning))
    }

    /// The sketches of persons who belong to the sample: those with the least hashes.
    fn sample(&self, log: QueryLog, state: &State) -> Result<Vec<Sketch>> {
        let scales = state.scales()?;
        let persons = u128::from(scales.persons().max(1));
        let most = if persons <= SAMPLE as u128 { u128::MAX } else { u128::MAX / persons * SAMPLE as u128 };
        let hash = |person: u32| self.plan.key.hash(log.names().get(person).as_bytes());
        let drawn: Vec<u32> = (0..log.persons() as u32).filter(|&person| hash(person) <= most).collect();
        let hashes: Vec<u128> = drawn.iter().map(|&person| hash(person)).collect();
        let own = self.understood(throng_core::data::Dataset::of_persons(&log, &drawn))?;
        let sketches = self.method.sketches(&own, scales)?;
        let sketch = |(person, (coordinates, work))| Sketch { person, coordinates, work };
        let mut sketches: Vec<Sketch> = hashes.into_iter().zip(sketches).map(sketch).collect();
        sketches.sort_unstable_by_key(|sketch| sketch.person);
        Ok(sketches)
    }

    /// The leaf of each person of a log, and how many each leaf has.
    fn leaves(&self, log: QueryLog, state: &State) -> Result<(Vec<u32>, Leaves)> {
        let cuts = state.cuts.as_ref().ok_or_else(|| Error::internal("the cuts are not learned yet"))?;
        let log = self.understood(log)?;
        let sketches = self.method.sketches(&log, state.scales()?)?;
        let leaf_of: Vec<u32> = sketches.iter().map(|(sketch, _)| cuts.leaf_of_sketch(sketch)).collect();
        let mut leaves = Leaves::none(cuts.leaves());
        (0..).zip(&leaf_of).for_each(|(person, &leaf)| leaves.add(leaf, log.range(person).len() as u64));
        Ok((leaf_of, leaves))
    }

    /// Sends persons to the parts of their blocks.
    fn place(&self, log: QueryLog, state: &State) -> Result<Given> {
        let names = log.names().clone();
        let copy = log.clone();
        let block_of: Vec<u32> = match &state.cuts {
            Some(_) => self.leaves(log, state)?.0.into_iter().map(|leaf| state.block_of[leaf as usize]).collect(),
            None => vec![0; copy.persons()],
        };
        let part = |block: u32| state.part_of.get(block as usize).copied().unwrap_or(0);
        let to = |person: u32| {
            let block = block_of[person as usize];
            (names.get(person).to_owned(), part(block), block)
        };
        Ok((vec![rows::of_log(&copy, &to)?], Vec::new()))
    }

    /// Protects the blocks that a worker has: the rows of their records under pseudonyms, which go to the file of their pseudonym.
    fn protect(&self, rows: &Rows, state: &State) -> Result<Given> {
        let scales = state.scales()?;
        let width = free_width(scales.digits())?;
        let (mut given, mut seen) = (Vec::new(), Seen::default());
        for block in rows.blocks() {
            let block = self.meant(log_of(&block))?;
            let cut = state.decided.as_ref().map(|decided| cut(&block, decided));
            let protected = self.method.protect_block(&block, cut, scales, &Silent)?;
            let Protected { records, record_of, grouped, accounts, .. } = protected;
            let counted = |account| accounts.get(account).unwrap_or(0);
            seen.rows_dropped += counted(ROWS_DROPPED);
            seen.groups_empty += counted(GROUPS_EMPTY);
            seen.above_cap += counted(LINES_ABOVE_CAP);
            seen.persons += record_of.iter().flatten().count() as u64;
            if let Some(grouped) = grouped {
                seen.blocks += grouped.blocks;
                seen.largest = seen.largest.max(grouped.largest_block);
            }
            self.measure(&block, &records, &record_of, &mut seen.measures)?;
            let names: Vec<(u32, String)> = (0u32..)
                .zip(&record_of)
                .filter_map(|(person, record)| {
                    record.map(|record| (record, pseudonym(&self.plan.key, block.names().get(person), width)))
                })
                .collect();
            given.push(rows::of_records(&records, &names, self.plan.files)?);
        }
        Ok((given, seen.to_bytes()?))
    }

    fn measure(
        &self,
        block: &QueryLog,
        records: &QueryLog,
        record_of: &[Option<u32>],
        into: &mut MeasurePart,
    ) -> Result<()> {
        let records = records.clone().with_meaning_like(block)?;
        let mut multiplicity = vec![0; records.persons()];
        record_of.iter().flatten().for_each(|&record| multiplicity[record as usize] += 1);
        let k = self.k();
        let context = Context { k, shared_by: k, show_values: false, seed: 0, progress: &Silent };
        let pair = Pair { original: block, release: &records, multiplicity, link: Some(record_of.to_vec()) };
        let linked = pair.linked().len() as u64;
        for measure in self.measures()? {
            let found = measure.measure(&pair, &context)?;
            let persons = if found.name == "interests-kept" { block.persons() as u64 } else { linked };
            into.add(&found, persons);
        }
        Ok(())
    }

    fn measures(&self) -> Result<Vec<&'static dyn Measure<QueryLog>>> {
        QueryLog::SHELF.measures(&MEASURES.map(str::to_owned), true)
    }

    fn k(&self) -> usize {
        crate::run::k_of(&self.method.parameters())
    }

    /// The bytes of a file of the persons that a worker has, in the order of their pseudonyms.
    fn write(&self, rows: &Rows) -> Result<Vec<u8>> {
        let log = log_of(&rows.sorted());
        let layout = self.layout(&log)?;
        let persons: Vec<Person<'_>> =
            (0..log.persons() as u32).map(|person| Person { name: log.names().get(person), person }).collect();
        let mut bytes = Vec::new();
        QueryLog::write(&mut bytes, FORMAT, &layout, &log, &persons, &Silent)?;
        Ok(bytes)
    }

    fn layout(&self, log: &QueryLog) -> Result<<QueryLog as Kinded>::Layout> {
        let (_, mut layout) = QueryLog::release_layout(&self.about, Some(FORMAT), log)?;
        // Pseudonyms have more digits than a number of a column may have.
        layout.typed_person = false;
        Ok(layout)
    }

    /// What a written file shows, read as anybody would read it: a tally of its records, what it says, and its hash.
    fn check(&self, file: &[u8]) -> Result<Vec<u8>> {
        let location = Location::Held(file.to_vec().into());
        let options =
            io::ReadOptions { format: Some(FORMAT), columns: self.release_columns()?, ..self.plan.ask.reading() };
        let mut rng =
            Rng::seeded_stream(u64::from_le_bytes(first_eight(&self.plan.check.0)), last_eight(&self.plan.check.0));
        let checked = io::read_opened_digests(Opened::open(&location, &options)?, &options, &mut rng, &Silent)?;
        if !checked.scanned.uncompared.is_empty() || checked.scanned.refused > 0 {
            return Err(Error::internal("a written file holds more than the rows of the release"));
        }
        let log = io::read_opened_log(Opened::open(&location, &options)?, &options, &Silent)?.log;
        let sorted = |strings: &Strings| {
            let mut texts: Vec<String> = strings.iter().map(str::to_owned).collect();
            texts.sort_unstable();
            texts
        };
        let texts = Texts { queries: sorted(log.queries()), urls: sorted(log.urls()) };
        written(&json!({"tally": Tally::of(&checked.digests), "texts": texts, "sha256": io::hash_bytes(file)}))
    }

    fn release_columns(&self) -> Result<Vec<crate::kinds::ColumnChoice>> {
        let columns = QueryLog::columns(&self.layout(&QueryLog::default())?);
        Ok(columns.into_iter().map(|(role, name)| crate::kinds::ColumnChoice { role: role.to_owned(), name }).collect())
    }
}

fn first_eight(key: &[u8; 16]) -> [u8; 8] {
    std::array::from_fn(|at| key[at])
}

fn last_eight(key: &[u8; 16]) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|at| key[8 + at]))
}

fn read(frame: &Frame, ask: &Ask) -> Result<Read<QueryLog>> {
    QueryLog::read(Opened::open(&Location::Frame(frame.clone()), &ask.reading())?, ask, Purpose::Original, &Silent)
}

/// The method of a plan: one that protects block by block, every account a person.
fn method_of(plan: &Plan) -> Result<(&'static Info, Box<dyn Distributed>)> {
    let name = plan.method.as_deref().unwrap_or(kindred::INFO.name);
    let mut parameters = plan.parameters.clone();
    let refused = |parameter: &str, hint: &str| {
        Error::parameter(parameter.to_owned(), "cannot be heeded on many machines").with_hint(hint.to_owned())
    };
    match parameters.iter().find(|(name, _)| name == "accounts").map(|(_, said)| said.as_str()) {
        None => parameters.push(("accounts".to_owned(), "apart".to_owned())),
        Some("apart") => {}
        Some(_) => {
            return Err(refused(
                "accounts",
                "no machine sees all accounts: every account is a person here, `accounts=\"apart\"`",
            ));
        }
    }
    for (parameter, hint) in [("exact", "it compares all persons with all"), ("k-column", "protect on one machine")] {
        if parameters.iter().any(|(name, said)| name == parameter && said != "false") {
            return Err(refused(parameter, hint));
        }
    }
    let build = |info: &'static Info| -> Result<Map<String, Value>> {
        let (values, unused) = typed(info, &parameters)?;
        match unused.first() {
            Some(unused) => Err(Error::parameter(unused.clone(), format!("is no parameter of `{}`", info.name))
                .with_hint("`throng.explain` lists what a method takes")),
            None => Ok(values),
        }
    };
    let wrong = |cause: serde_json::Error| Error::internal(cause.to_string());
    match name {
        "kindred" => {
            let params = serde_json::from_value(Value::Object(build(&kindred::INFO)?)).map_err(wrong)?;
            Ok((&kindred::INFO, Box::new(kindred::Kindred::new(params)?)))
        }
        "user-microaggregation" => {
            let info = &user_microaggregation::INFO;
            let params = serde_json::from_value(Value::Object(build(info)?)).map_err(wrong)?;
            Ok((info, Box::new(user_microaggregation::UserMicroaggregation::new(params)?)))
        }
        other => Err(Error::parameter("method", format!("is `{other}`, which does not run on many machines"))
            .with_hint("`kindred` and `user-microaggregation` do")),
    }
}

impl State {
    fn scales(&self) -> Result<&Scales> {
        self.scales.as_ref().ok_or_else(|| Error::internal("the scales are not known yet"))
    }

    fn decided(&self) -> Result<&Decided> {
        self.decided.as_ref().ok_or_else(|| Error::internal("nothing is decided yet"))
    }

    fn keys(&self) -> Result<&Keys> {
        self.keys.as_ref().ok_or_else(|| Error::internal("there are no candidates yet"))
    }
}

/// Puts together what workers found in a step.
pub fn merged(name: &str, pieces: &[Vec<u8>]) -> Result<Vec<u8>> {
    fn all<P: Piece>(pieces: &[Vec<u8>]) -> Result<Vec<u8>> {
        let mut whole: Option<P> = None;
        for bytes in pieces.iter().filter(|bytes| !bytes.is_empty()) {
            let piece = P::from_bytes(bytes)?;
            whole = Some(match whole {
                Some(whole) => whole.merge(piece),
                None => piece,
            });
        }
        whole.map_or_else(|| Ok(Vec::new()), |whole| whole.to_bytes())
    }
    match name {
        "read" | "protect" => all::<Seen>(pieces),
        "scales" => all::<Scales>(pieces),
        "words" | "sites" | "sets" => all::<Counts>(pieces),
        "candidates" | "published" => all::<Keys>(pieces),
        "orders" => all::<Orders>(pieces),
        "sample" => all::<Vec<Sketch>>(pieces),
        "leaves" => all::<Leaves>(pieces),
        "said" => all::<Said>(pieces),
        other => Err(Error::internal(format!("nothing is put together after `{other}`"))),
    }
}

impl Worker {
    /// What is decided once a step is done: the new state, and what comes next in a word (`more` where the step is to be done again,
    /// `skip` where the next is needless).
    pub fn decide(
        &self,
        name: &str,
        state: &[u8],
        found: &[u8],
        progress: &dyn Progress,
    ) -> Result<(Vec<u8>, &'static str)> {
        let mut state: State = if state.is_empty() { State::default() } else { parsed(state, "state")? };
        let min_persons = self.method.min_persons();
        let mut next = "";
        match name {
            "scales" => {
                let scales = if found.is_empty() { Scales::default() } else { Scales::from_bytes(found)? };
                let (persons, k) = (scales.persons(), self.k() as u64);
                if persons < k {
                    return Err(Error::refused(format!("there are {persons} persons, fewer than k = {k}"))
                        .with_hint("choose a smaller k, or data of more persons"));
                }
                free_width(scales.digits())?;
                state.scales = Some(scales);
                next = if min_persons > 1 { "" } else { "skip" };
            }
            "words" => state.words = Some(Counts::from_bytes(found)?),
            "sites" => {
                let words = state.words.take().unwrap_or_default();
                state.decided = Some(Decided::new(self.plan.key, min_persons, words, Counts::from_bytes(found)?));
            }
            "candidates" => {
                let keys = Keys::from_bytes(found)?;
                next = if keys.is_empty() { "skip" } else { "" };
                state.keys = Some(keys);
            }
            "sets" => {
                let grows = match &mut state.decided {
                    Some(decided) => decided.decide(Counts::from_bytes(found)?),
                    None => false,
                };
                next = if grows { "more" } else { "" };
            }
            "published" => state.keys = Some(Keys::from_bytes(found)?),
            "orders" => {
                if let Some(decided) = &mut state.decided {
                    decided.settle(Orders::from_bytes(found)?);
                }
                state.keys = None;
            }
            "sample" => {
                let persons = state.scales()?.persons() as usize;
                let limits = self.method.limits(persons).ok_or_else(|| Error::internal("there is one block"))?;
                let sketches = Vec::<Sketch>::from_bytes(found)?;
                let weight = persons as f64 / sketches.len().max(1) as f64;
                let each = sketches.iter().map(|sketch| (sketch.coordinates.as_slice(), sketch.work));
                let drawn = Drawn::of_sketches(each, self.method.dimensions());
                state.cuts = Some(Cuts::learn(&drawn, weight, limits, progress));
            }
            "leaves" => {
                let limits = self.method.limits(state.scales()?.persons() as usize);
                let leaves = Leaves::from_bytes(found)?;
                state.block_of = leaves.blocks(limits.map_or(1, |limits| limits.least));
                state.part_of = parts_of(&leaves.rows_of_blocks(&state.block_of), self.plan.parts);
            }
            other => return Err(Error::internal(format!("nothing is decided after `{other}`"))),
        }
        if name == "scales" && self.method.limits(state.scales()?.persons() as usize).is_none() {
            state.part_of = vec![0];
        }
        Ok((written(&state)?, next))
    }

    /// Whether persons are cut into blocks.
    pub fn has_blocks(&self, state: &[u8]) -> Result<bool> {
        let state: State = parsed(state, "state")?;
        Ok(self.method.limits(state.scales()?.persons() as usize).is_some())
    }
}

/// The part of each block: parts of about as many rows, in the order of the blocks.
fn parts_of(rows: &[u64], parts: u32) -> Vec<u32> {
    let all: u64 = rows.iter().sum::<u64>().max(1);
    let mut before = 0;
    rows.iter()
        .map(|&own| {
            let part = before * u64::from(parts) / all;
            before += own;
            (part as u32).min(parts.saturating_sub(1))
        })
        .collect()
}

/// What the files say, once they are all read: how many persons have the same record, and what is to be asked of the original.
fn of_files(files: &[Vec<u8>]) -> Result<(Tally, Texts, Vec<String>)> {
    let (mut tally, mut texts, mut hashes) = (Tally::default(), Texts::default(), Vec::new());
    for file in files {
        #[derive(Deserialize)]
        struct File {
            tally: Tally,
            texts: Texts,
            sha256: String,
        }
        let file: File = parsed(file, "files")?;
        tally = tally.merge(file.tally);
        texts = texts.merge(file.texts);
        hashes.push(file.sha256);
    }
    Ok((tally, texts, hashes))
}

/// The state in which workers count who says what the files say.
pub fn asked_of_original(files: &[Vec<u8>]) -> Result<Vec<u8>> {
    let (_, said, _) = of_files(files)?;
    written(&State { said, ..State::default() })
}
