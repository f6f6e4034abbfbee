//! The steps on baskets and tables: rows that travel as lists of cells, and methods that protect a block as they protect a whole.
//!
//! # Idea
//! 1. A person's rows come together by a hash of the id; a person without one is a row, and goes by a hash of what it says. Rows that
//!    say the same are told apart by their number among those, so that nothing depends on where a row came from.
//! 2. What the columns of a table are, and where their numbers lie, is found out over all rows first, so that a block is scaled and
//!    measured as the whole is.
//! 3. Persons fall through cuts that a sample taught to blocks of at most [`BLOCK`], and each is protected with randomness of its own.
//! 4. Files are read as anybody would read them: equal records are counted, and every row must be one that was meant.

mod baskets;
mod table;

use std::collections::BTreeMap;

use arrow_array::RecordBatch;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use throng_core::measures::{Context, Measured, Pair};
use throng_core::methods::Method;
use throng_core::partition::blocks::{Cuts, Drawn, Limits, SAMPLE};
use throng_core::pieces::{
    Columns, Coordinates, DIMENSIONS, Key, Leaves, MeasurePart, Moments, Piece, Sketch, Tally, WIDEST, free_width,
    pseudonym,
};
use throng_core::progress::{Progress, Silent};
use throng_core::{Error, Info, Result, Rng};

use super::finish::{Found, Papers, finish_cells};
use super::rows::{self, Row, Rows};
use super::{FORMAT, Given, LAST_STATE, Plan, Seen, State, Worker, kept, parsed, parts_of, read, written};
use crate::certificate::ClaimRecord;
use crate::io::{self, Frame, Location, Opened, Person};
use crate::kinds::{self, About, Ask, Kinded, Purpose, TaxonomyRecord};

/// So many persons are a block at most, if nobody says otherwise.
const BLOCK: usize = 20_000;

/// A person with rows of cells.
pub(super) struct Whose {
    /// The id; empty of a person who has none.
    pub(super) name: String,
    /// What tells the person apart from all others.
    pub(super) identity: String,
    /// The cells of each row.
    pub(super) rows: Vec<Vec<String>>,
}

/// A kind whose rows travel as cells.
pub(super) trait Cells: Kinded {
    /// The model that its methods promise, and what is read of it.
    const MODEL: &'static Info;
    /// The methods that run on many machines.
    const METHODS: &'static [&'static str];
    /// Its measures that are sums over persons.
    const MEASURES: &'static [&'static str];

    /// The name of what is asked for, and cannot be heeded.
    fn unheeded(ask: &Ask) -> Option<&'static str>;
    /// Every row with the id of its person, empty where persons have none.
    fn travelling(&self) -> Vec<(String, Vec<String>)>;
    /// What the columns hold.
    fn columns_of(&self) -> Columns;
    /// How far numbers are apart; nothing where there are none.
    fn moments(&self, _columns: &Columns) -> Moments {
        Moments::default()
    }
    /// An original of some persons, understood, and how many of their items nobody knows.
    fn built_of(persons: &[Whose], of: &OfCells<Self>, state: &State) -> Result<(Self, u64)>;
    /// The taxonomy that it is understood by.
    fn taxonomy(_of: &OfCells<Self>) -> Result<Option<TaxonomyRecord>> {
        Ok(None)
    }
    /// The sketch of each person.
    fn sketches(&self) -> Result<Vec<Coordinates>>;
    /// As what the values of each column of a release can be written.
    fn sorts(&self) -> super::Sorts {
        BTreeMap::new()
    }
    /// Persons of a release, as they are written, and the layout of all files.
    fn released(persons: &[Whose], of: &OfCells<Self>, state: &State) -> Result<(Self, Self::Layout)>;
    /// What models look at of each person.
    fn judged(&self, person: usize) -> Vec<Vec<&str>>;
    /// The same of a person whose rows travelled, of a release that begins as `head` does.
    fn judged_of<'w>(whose: &'w Whose, head: &Self) -> Vec<Vec<&'w str>>;
    /// How many rows, or items, a person has.
    fn counted(whose: &Whose) -> usize;
    /// Adds what a measure found in a block.
    fn add_measured(found: &Measured, block: &Self, into: &mut MeasurePart);
    /// A measure of everything.
    fn measured(name: &str, parts: &MeasurePart) -> Option<(Option<f64>, Value)>;
}

/// A plan for such a kind.
pub(super) struct OfCells<D: Cells> {
    pub(super) plan: Plan,
    pub(super) info: &'static Info,
    pub(super) method: Box<dyn Method<D>>,
    pub(super) about: About<D>,
    /// The beginning of the data, understood by nobody.
    pub(super) head: D,
    /// So many persons are a block at most.
    block: usize,
}

/// What a file shows.
#[derive(Serialize, Deserialize)]
pub(super) struct FileSeen {
    pub(super) tally: Tally,
    pub(super) whole: u128,
    pub(super) sha256: String,
}

impl<D: Cells> OfCells<D> {
    pub(super) fn of(plan: Plan, head: &Frame) -> Result<Self> {
        if let Some(name) = D::unheeded(&plan.ask) {
            return Err(Error::parameter(name, "cannot be heeded on many machines").with_hint("protect on one machine"));
        }
        let read = read::<D>(head, &plan.ask, plan.judges)?;
        if !plan.judges {
            kinds::refuse_doubtful(&read.data, &read.about, &plan.ask)?;
        }
        let name = plan.method.clone().or_else(|| read.data.fitting_method().map(|(name, _)| name.to_owned()));
        let entry = D::SHELF.method(name.as_deref())?;
        if !D::METHODS.contains(&entry.info.name) {
            let methods = D::METHODS.join("` and `");
            return Err(Error::parameter(
                "method",
                format!("is `{}`, which does not run on many machines", entry.info.name),
            )
            .with_hint(format!("`{methods}` run there")));
        }
        let mut parameters = plan.parameters.clone();
        let mut block = BLOCK;
        if let Some(at) = parameters.iter().position(|(name, _)| name == "block-size") {
            let (_, said) = parameters.remove(at);
            block = said.parse().map_err(|_| Error::parameter("block-size", "must be a whole number"))?;
        }
        let (method, unused) = entry.with(&parameters)?;
        if let Some(unused) = unused.first() {
            return Err(Error::parameter(unused.clone(), format!("is no parameter of `{}`", entry.info.name))
                .with_hint("`throng.explain` lists what a method takes"));
        }
        let k = crate::run::k_of(&method.parameters());
        if block < 4 * k {
            return Err(Error::parameter("block-size", format!("is {block}, but must be at least 4 k = {}", 4 * k)));
        }
        Ok(Self { plan, info: entry.info, method, about: read.about, head: read.data, block })
    }

    pub(super) fn k(&self) -> usize {
        crate::run::k_of(&self.method.parameters())
    }

    fn limits(&self, persons: u64) -> Option<Limits> {
        // Small blocks have nobody to be like; the half of the largest is where a cut ends.
        let least = (8 * self.k()).clamp(1, self.block / 2);
        (persons > self.block as u64).then_some(Limits { least, most: self.block, work: u64::MAX })
    }

    /// Rows as they come, as rows that travel.
    fn read(&self, batches: Vec<RecordBatch>) -> Result<Given> {
        let is_empty = batches.iter().all(|batch| batch.num_rows() == 0);
        let Some(first) = batches.first().filter(|_| !is_empty) else {
            return Ok((Vec::new(), Seen::default().to_bytes()?));
        };
        let frame = Frame::new(first.schema(), batches)?;
        let read = read::<D>(&frame, &self.plan.ask, self.plan.judges)?;
        if D::named_fields(&read.about.layout) != D::named_fields(&self.about.layout) {
            return Err(Error::data("the columns of a partition are others than those of the first")
                .with_hint("all partitions of one frame have the same columns; name them with `columns=`"));
        }
        let seen = Seen { refused: read.about.refused, rows: read.about.rows, ..Seen::default() };
        let parts = u128::from(self.plan.parts);
        let row = |(name, cells): (String, Vec<String>)| {
            let cells = text_of(&cells);
            let key = if name.is_empty() { &cells } else { &name };
            let part = (self.plan.key.hash(key.as_bytes()) % parts) as u32;
            (name, cells, part, 0)
        };
        Ok((vec![rows::of_cells(read.data.travelling().into_iter().map(row))?], seen.to_bytes()?))
    }

    fn original(&self, persons: &[Whose], state: &State) -> Result<D> {
        D::built_of(persons, self, state).map(|(data, _)| data)
    }

    fn sketched(&self, persons: &[Whose], state: &State) -> Result<Vec<Coordinates>> {
        if persons.is_empty() { Ok(Vec::new()) } else { self.original(persons, state)?.sketches() }
    }

    fn sample(&self, persons: Vec<Whose>, state: &State) -> Result<Vec<Sketch>> {
        let all = u128::from(state.columns()?.persons.max(1));
        let most = if all <= SAMPLE as u128 { u128::MAX } else { u128::MAX / all * SAMPLE as u128 };
        let hash = |whose: &Whose| self.plan.key.hash(whose.identity.as_bytes());
        let drawn: Vec<Whose> = persons.into_iter().filter(|whose| hash(whose) <= most).collect();
        let sketches = self.sketched(&drawn, state)?;
        let sketch = |(whose, coordinates)| Sketch { person: hash(whose), coordinates, work: 1 };
        let mut sketches: Vec<Sketch> = drawn.iter().zip(sketches).map(sketch).collect();
        sketches.sort_unstable_by_key(|sketch| sketch.person);
        Ok(sketches)
    }

    fn leaf_of(&self, persons: &[Whose], state: &State) -> Result<Vec<u32>> {
        let cuts = state.cuts.as_ref().ok_or_else(|| Error::internal("the cuts are not learned yet"))?;
        Ok(self.sketched(persons, state)?.iter().map(|sketch| cuts.leaf_of_sketch(sketch)).collect())
    }

    fn leaves(&self, persons: &[Whose], state: &State) -> Result<Leaves> {
        let mut leaves = Leaves::none(state.cuts.as_ref().map_or(0, Cuts::leaves));
        self.leaf_of(persons, state)?
            .into_iter()
            .zip(persons)
            .for_each(|(leaf, whose)| leaves.add(leaf, whose.rows.len() as u64));
        Ok(leaves)
    }

    /// Sends persons to the parts of their blocks.
    fn place(&self, persons: Vec<Whose>, state: &State) -> Result<Given> {
        let block_of: Vec<u32> = match &state.cuts {
            Some(_) => self.leaf_of(&persons, state)?.into_iter().map(|leaf| state.block_of[leaf as usize]).collect(),
            None => vec![0; persons.len()],
        };
        let rows = persons.iter().zip(block_of).flat_map(|(whose, block)| {
            let part = state.part_of.get(block as usize).copied().unwrap_or(0);
            whose.rows.iter().map(move |cells| (whose.name.clone(), text_of(cells), part, block))
        });
        Ok((vec![rows::of_cells(rows)?], Vec::new()))
    }

    /// Protects the blocks that a worker has: the rows of their records, which go to the file of their pseudonym.
    fn protect(&self, rows: &Rows, state: &State) -> Result<Given> {
        let width = free_width(&state.columns()?.digits)?;
        let (mut given, mut seen) = (Vec::new(), Seen::default());
        for block in rows.blocks() {
            let number = block.first().map_or(0, Row::block);
            let persons = persons_of(&block)?;
            let (original, unknown) = D::built_of(&persons, self, state)?;
            let seed = self.plan.key.hash(format!("block {number}").as_bytes());
            let mut rng = Rng::seeded_stream(seed as u64, (seed >> 64) as u64);
            let protected = D::protected(self.method.as_ref(), &original, &self.plan.ask, &mut rng, &Silent)?;
            let who_has_what = protected.given();
            let records = protected.records.travelling();
            let mut begins = vec![0; protected.records.persons() + 1];
            (0..protected.records.persons())
                .for_each(|at| begins[at + 1] = begins[at] + rows_written(&protected.records, at));
            seen.unknown += unknown;
            seen.persons += who_has_what.len() as u64;
            seen.blocks += 1;
            seen.largest = seen.largest.max(persons.len());
            self.measure(&original, &protected, &mut seen.measures)?;
            for (name, own) in protected.records.sorts() {
                let all = seen.sorts.entry(name).or_insert([true, true]);
                *all = [all[0] && own[0], all[1] && own[1]];
            }
            let mut written = Vec::new();
            let mut last = (u32::MAX, 0u32);
            for (person, record) in who_has_what {
                last = if last.0 == person { (person, last.1 + 1) } else { (person, 0) };
                let identity = format!("{}\u{1}{}", persons[person as usize].identity, last.1);
                let name = pseudonym(&self.plan.key, &identity, width.min(WIDEST));
                let file = rows::file_of(&name, self.plan.files);
                for (_, cells) in &records[begins[record as usize]..begins[record as usize + 1]] {
                    seen.whole = seen.whole.wrapping_add(hash_of(&self.plan.check, cells.iter().map(String::as_str)));
                    written.push((name.clone(), text_of(cells), file, 0));
                }
            }
            given.push(rows::of_cells(written.into_iter())?);
        }
        Ok((given, seen.to_bytes()?))
    }

    fn measure(
        &self,
        original: &D,
        protected: &throng_core::release::Protected<D>,
        into: &mut MeasurePart,
    ) -> Result<()> {
        let records = D::understand_records(protected.records.clone(), original)?;
        let mut multiplicity = vec![0; records.persons()];
        protected.given().iter().for_each(|&(_, record)| multiplicity[record as usize] += 1);
        let k = self.k();
        let context = Context { k, shared_by: k, show_values: false, seed: 0, progress: &Silent };
        let pair = Pair { original, release: &records, multiplicity, link: Some(protected.record_of.clone()) };
        for measure in D::SHELF.measures(&D::MEASURES.iter().map(|&name| name.to_owned()).collect::<Vec<_>>(), true)? {
            D::add_measured(&measure.measure(&pair, &context)?, original, into);
        }
        Ok(())
    }

    /// The bytes of a file of the persons that a worker has, in the order of their pseudonyms.
    fn write(&self, rows: &Rows, state: &State) -> Result<Vec<u8>> {
        let persons = persons_of(&rows.sorted())?;
        let (records, layout) = D::released(&persons, self, state)?;
        let names: Vec<String> = (1..=persons.len()).map(|line| line.to_string()).collect();
        let name = |person: usize| if records.has_ids() { &persons[person].name } else { &names[person] };
        let persons: Vec<Person<'_>> =
            (0..persons.len()).map(|person| Person { name: name(person), person: person as u32 }).collect();
        let mut bytes = Vec::new();
        D::write(&mut bytes, FORMAT, &layout, &records, &persons, &Silent)?;
        Ok(bytes)
    }

    /// What a written file shows, read as anybody would read it.
    fn check(&self, file: &[u8], state: &State) -> Result<Vec<u8>> {
        let (_, layout) = D::released(&[], self, state)?;
        let ask = kinds::ask_of_release::<D>(FORMAT, &layout);
        let location = Location::Held(file.to_vec().into());
        let found = D::read(Opened::open(&location, &ask.reading())?, &ask, Purpose::Release, &Silent)?;
        if !found.about.uncompared.is_empty() || found.about.refused > 0 {
            return Err(Error::internal("a written file holds more than the rows of the release"));
        }
        let data = found.data;
        let mut tally =
            Tally::of_records((0..data.persons()).map(|person| self.digest(data.judged(person))), data.rows() as u64);
        let names = || data.names().iter();
        if let Some((first, last)) = names().min().zip(names().max()).filter(|_| data.has_ids()) {
            tally = tally.between(first, last);
        }
        let rows = data.travelling();
        let whole = rows.iter().map(|(_, cells)| hash_of(&self.plan.check, cells.iter().map(String::as_str)));
        let whole = whole.fold(0u128, u128::wrapping_add);
        written(&FileSeen { tally, whole, sha256: io::hash_bytes(file) })
    }

    /// What stands for all that models look at of a person.
    fn digest(&self, rows: Vec<Vec<&str>>) -> u128 {
        let rows = rows.into_iter().map(|cells| hash_of(&self.plan.check, cells.into_iter()));
        rows.fold(0u128, u128::wrapping_add)
    }

    /// Every measure of all blocks.
    pub(super) fn measured(&self, parts: &MeasurePart) -> Result<Vec<Measured>> {
        let names: Vec<String> = D::MEASURES.iter().map(|&name| name.to_owned()).collect();
        let measures = D::SHELF.measures(&names, true)?.into_iter();
        Ok(measures
            .filter_map(|measure| {
                let (value, parts) = D::measured(measure.info().info.name, parts)?;
                Some(measure.measured(value, parts))
            })
            .collect())
    }

    /// The claim of the method, with what the files achieve.
    pub(super) fn claim(&self, achieved: u64) -> ClaimRecord {
        let object = |value: u64| Map::from_iter([("k".to_owned(), json!(value))]);
        ClaimRecord {
            model: D::MODEL.name.to_owned(),
            parameters: object(self.k() as u64),
            verdict: "holds".to_owned(),
            achieved: object(achieved),
            needs: None,
        }
    }
}

/// How many rows a person of some records is written as.
fn rows_written<D: Cells>(records: &D, person: usize) -> usize {
    records.judged(person).len()
}

/// The hash of the cells of a row.
fn hash_of<'c>(key: &Key, cells: impl Iterator<Item = &'c str>) -> u128 {
    let mut bytes = Vec::new();
    for cell in cells {
        bytes.extend_from_slice(&(cell.len() as u64).to_le_bytes());
        bytes.extend_from_slice(cell.as_bytes());
    }
    key.hash(&bytes)
}

fn text_of(cells: &[String]) -> String {
    json!(cells).to_string()
}

fn cells_of(text: &str) -> Result<Vec<String>> {
    parsed(text.as_bytes(), "row")
}

/// The persons of some sorted rows: those with an id with all of their rows, each row of those without.
fn persons_of(rows: &[Row<'_>]) -> Result<Vec<Whose>> {
    let mut persons: Vec<Whose> = Vec::new();
    let (mut last, mut same) = ("", 0u64);
    for row in rows {
        let cells = cells_of(row.query())?;
        if row.person().is_empty() {
            same = if row.query() == last { same + 1 } else { 0 };
            last = row.query();
            let identity = format!("{}\u{1}{same}", row.query());
            persons.push(Whose { name: String::new(), identity, rows: vec![cells] });
            continue;
        }
        match persons.last_mut() {
            Some(own) if own.name == row.person() => own.rows.push(cells),
            _ => {
                let name = row.person().to_owned();
                persons.push(Whose { identity: name.clone(), name, rows: vec![cells] });
            }
        }
    }
    Ok(persons)
}

impl<D: Cells> Worker for OfCells<D> {
    fn step(&self, name: &str, state: &[u8], batches: Vec<RecordBatch>, file: &[u8]) -> Result<Given> {
        let state = kept(&LAST_STATE, state, || State::of(state).map(std::sync::Arc::new))?;
        if name == "read" {
            return self.read(batches);
        }
        if name == "check" {
            return Ok((Vec::new(), self.check(file, &state)?));
        }
        let rows = Rows::of(&batches)?;
        if name == "protect" {
            return self.protect(&rows, &state);
        }
        if name == "write" {
            return Ok((Vec::new(), self.write(&rows, &state)?));
        }
        let persons = persons_of(&rows.sorted())?;
        let bytes = match name {
            "columns" => self.original(&persons, &state)?.columns_of().to_bytes(),
            "moments" => self.original(&persons, &state)?.moments(state.columns()?).to_bytes(),
            "tally" => {
                let rows: u64 = persons.iter().map(|whose| D::counted(whose) as u64).sum();
                Tally::of_records(persons.iter().map(|whose| self.digest(D::judged_of(whose, &self.head))), rows)
                    .to_bytes()
            }
            "sample" => self.sample(persons, &state)?.to_bytes(),
            "leaves" => self.leaves(&persons, &state)?.to_bytes(),
            "place" => return self.place(persons, &state),
            other => Err(Error::internal(format!("there is no step `{other}`"))),
        }?;
        Ok((Vec::new(), bytes))
    }

    fn decide(
        &self,
        name: &str,
        state: &[u8],
        found: &[u8],
        progress: &dyn Progress,
    ) -> Result<(Vec<u8>, &'static str)> {
        let mut state = State::of(state)?;
        let mut next = "";
        match name {
            // Nothing is to be known before the columns.
            "begin" => next = "columns",
            "columns" => {
                let columns = if found.is_empty() { Columns::default() } else { Columns::from_bytes(found)? };
                let (persons, k) = (columns.persons, self.k() as u64);
                if persons < k {
                    return Err(Error::refused(format!("there are {persons} persons, fewer than k = {k}"))
                        .with_hint("choose a smaller k, or data of more persons"));
                }
                free_width(&columns.digits)?;
                if self.limits(persons).is_none() {
                    state.part_of = vec![0];
                }
                next = if columns.columns.is_empty() { "" } else { "moments" };
                state.columns = Some(columns);
            }
            "moments" => state.wholes = Moments::from_bytes(found)?.wholes(&state.columns()?.columns),
            "sample" => {
                let persons = state.columns()?.persons;
                let limits = self.limits(persons).ok_or_else(|| Error::internal("there is one block"))?;
                let sketches = Vec::<Sketch>::from_bytes(found)?;
                let weight = persons as f64 / sketches.len().max(1) as f64;
                let each = sketches.iter().map(|sketch| (sketch.coordinates.as_slice(), sketch.work));
                state.cuts = Some(Cuts::learn(&Drawn::of_sketches(each, DIMENSIONS), weight, limits, progress));
            }
            "leaves" => {
                let limits = self.limits(state.columns()?.persons);
                let leaves = Leaves::from_bytes(found)?;
                state.block_of = leaves.blocks(limits.map_or(1, |limits| limits.least));
                state.part_of = parts_of(&leaves.rows_of_blocks(&state.block_of), self.plan.parts);
            }
            "protect" if found.is_empty() => {}
            "protect" => state.sorts = Seen::from_bytes(found)?.sorts,
            other => return Err(Error::internal(format!("nothing is decided after `{other}`"))),
        }
        Ok((written(&state)?, next))
    }

    fn has_blocks(&self, state: &[u8]) -> Result<bool> {
        let state = State::of(state)?;
        Ok(state.columns.as_ref().is_some_and(|columns| self.limits(columns.persons).is_some()))
    }

    fn model(&self) -> &'static str {
        D::MODEL.name
    }

    fn finish(&self, found: &Found<'_>) -> Result<Papers> {
        finish_cells(self, found)
    }
}
