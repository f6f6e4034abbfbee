//! The steps of a release that is made on many machines, on record batches: what a worker does with the persons it has, and what the
//! driver makes of what all workers found. Python's Dask and Spark call them (`python/throng/_distributed.py`), one after the other.
//!
//! Search logs are in `searches`, baskets and tables in `cells`. Rows travel with fixed columns: person, query (of baskets and tables the
//! cells of a row, as JSON), time, rank, url, and `part`, where they go next. What is counted travels as bytes ([`throng_core::pieces`]); everything that was decided so far is the
//! [`State`], which every worker is given.

mod cells;
mod finish;
mod rows;
mod searches;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::RecordBatch;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use throng_core::data::table::Whole;
use throng_core::data::{Baskets, QueryLog, Table};
use throng_core::models::content_threshold::Said;
use throng_core::partition::blocks::Cuts;
use throng_core::pieces::{
    Columns, Counts, Decided, Key, Keys, Leaves, MeasurePart, Moments, Orders, Piece, Scales, Sketch, Tally,
};
use throng_core::progress::{Progress, Silent};
use throng_core::{Error, Result};

pub use finish::{DATA, Found, Papers};
pub use rows::schema;

use self::cells::OfCells;
use self::searches::Searches;
use crate::io::{Compression, Format, FormatKind, Frame, Location, Opened};
use crate::kinds::{self, Ask, Kinded, Purpose, Read};
use crate::run::requests::typed_parameters;

/// The files of a release are of this format.
const FORMAT: Format = Format::new(FormatKind::Parquet, Compression::None);

/// What is asked, the same for all workers. It holds the keys of the run: as secret as the original.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The method; that of the kind, or the one that fits the columns, when not given.
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
    /// Whether the rows are a release that is judged, and not an original.
    #[serde(default)]
    pub judges: bool,
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
    /// What the columns of baskets or of a table hold.
    columns: Option<Columns>,
    /// How the numbers of each column lie in the whole table.
    wholes: Vec<Option<Whole>>,
    /// As what the columns of the release are written.
    sorts: Sorts,
}

/// For each column of a release whether all of its values are whole numbers, and whether all are numbers.
type Sorts = BTreeMap<String, [bool; 2]>;

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
    /// The sum of the hashes of all rows that are to be written, where those are cells.
    whole: u128,
    /// Items that the taxonomy does not know.
    unknown: u64,
    sorts: Sorts,
}

impl Piece for Seen {
    const NAME: &'static str = "seen";

    fn merge(mut self, other: Self) -> Self {
        for (name, [whole, real]) in other.sorts {
            let own = self.sorts.entry(name).or_insert([true, true]);
            *own = [own[0] && whole, own[1] && real];
        }
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
            whole: self.whole.wrapping_add(other.whole),
            unknown: self.unknown + other.unknown,
            sorts: self.sorts,
        }
    }
}

/// What a plan means, worked out once a process.
pub trait Worker: Send + Sync {
    /// Runs a step on the rows of a worker, or on a file (`check`).
    fn step(&self, name: &str, state: &[u8], batches: Vec<RecordBatch>, file: &[u8]) -> Result<Given>;
    /// What is decided once a step is done: the new state, and what comes next in a word (`more` where the step is to be done again,
    /// `skip` where the next is needless, else the name of a step that comes between).
    fn decide(
        &self,
        name: &str,
        state: &[u8],
        found: &[u8],
        progress: &dyn Progress,
    ) -> Result<(Vec<u8>, &'static str)>;
    /// Whether persons are cut into blocks.
    fn has_blocks(&self, state: &[u8]) -> Result<bool>;
    /// The k-anonymity of the kind, by its name.
    fn model(&self) -> &'static str;
    /// Judges every claim on what the files showed. A claim that does not hold is an error, and nothing may be published.
    fn finish(&self, found: &Found<'_>) -> Result<Papers>;
}

/// What a plan means; `head` is the beginning of the data, from which kind, columns and the form of times are recognised.
pub fn worker(plan: &[u8], head: &Frame) -> Result<Arc<dyn Worker>> {
    kept(&LAST_WORKER, plan, || {
        let plan: Plan = parsed(plan, "plan")?;
        let name = kinds::kind_of(&Location::Frame(head.clone()), &plan.ask)?;
        Ok(match name {
            name if name == QueryLog::CARD.name => Arc::new(Searches::of(plan, head)?) as Arc<dyn Worker>,
            name if name == Baskets::CARD.name => Arc::new(OfCells::<Baskets>::of(plan, head)?),
            name if name == Table::CARD.name => Arc::new(OfCells::<Table>::of(plan, head)?),
            other => {
                return Err(Error::refused(format!("{other} are not protected on many machines")).with_hint(
                    "search logs, baskets and tables are; `throng.protect` takes every kind on one machine",
                ));
            }
        })
    })
}

/// What a step gives: rows that go on, what was counted, or the bytes of a file.
pub type Given = (Vec<RecordBatch>, Vec<u8>);

/// The value of the last call, with the bytes that it was made of.
type Last<T> = Mutex<Option<(Vec<u8>, Arc<T>)>>;

static LAST_WORKER: Last<dyn Worker> = Mutex::new(None);
static LAST_STATE: Last<State> = Mutex::new(None);

/// The value of some bytes: made anew unless they are those of the last call.
fn kept<T: ?Sized>(last: &Last<T>, bytes: &[u8], make: impl FnOnce() -> Result<Arc<T>>) -> Result<Arc<T>> {
    if let Some((known, value)) = &*last.lock().unwrap_or_else(PoisonError::into_inner)
        && known == bytes
    {
        return Ok(Arc::clone(value));
    }
    let value = make()?;
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

fn first_eight(key: &[u8; 16]) -> [u8; 8] {
    std::array::from_fn(|at| key[at])
}

fn last_eight(key: &[u8; 16]) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|at| key[8 + at]))
}

fn read<D: Kinded>(frame: &Frame, ask: &Ask, judges: bool) -> Result<Read<D>> {
    let purpose = if judges { Purpose::Release } else { Purpose::Original };
    D::read(Opened::open(&Location::Frame(frame.clone()), &ask.reading())?, ask, purpose, &Silent)
}

/// What a check says, once the records of all persons are counted.
pub fn verdict(worker: &dyn Worker, model: Option<&str>, k: u64, tally: &[u8]) -> Result<Value> {
    let own = worker.model();
    if let Some(other) = model.filter(|name| *name != own && *name != "k-anonymity") {
        return Err(Error::parameter("model", format!("is `{other}`, which is not checked on many machines"))
            .with_hint(format!("`{own}` is; `throng.check` checks every model on one machine")));
    }
    let tallied = Tally::from_bytes(tally)?.verdict();
    let claim = json!({
        "model": own, "parameters": {"k": k}, "verdict": if tallied.k >= k { "holds" } else { "fails" },
        "achieved": {"k": tallied.k},
    });
    let mut said = claim.clone();
    said["claims"] = json!([claim]);
    said["persons"] = json!(tallied.persons);
    said["rows"] = json!(tallied.rows);
    Ok(said)
}

impl State {
    fn of(bytes: &[u8]) -> Result<Self> {
        if bytes.is_empty() { Ok(Self::default()) } else { parsed(bytes, "state") }
    }

    fn scales(&self) -> Result<&Scales> {
        self.scales.as_ref().ok_or_else(|| Error::internal("the scales are not known yet"))
    }

    fn decided(&self) -> Result<&Decided> {
        self.decided.as_ref().ok_or_else(|| Error::internal("nothing is decided yet"))
    }

    fn columns(&self) -> Result<&Columns> {
        self.columns.as_ref().ok_or_else(|| Error::internal("the columns are not known yet"))
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
        "columns" => all::<Columns>(pieces),
        "moments" => all::<Moments>(pieces),
        "words" | "sites" | "sets" => all::<Counts>(pieces),
        "candidates" | "published" => all::<Keys>(pieces),
        "orders" => all::<Orders>(pieces),
        "sample" => all::<Vec<Sketch>>(pieces),
        "leaves" => all::<Leaves>(pieces),
        "said" => all::<Said>(pieces),
        "tally" => all::<Tally>(pieces),
        other => Err(Error::internal(format!("nothing is put together after `{other}`"))),
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
