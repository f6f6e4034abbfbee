//! The steps on search logs, with the methods that protect block by block ([`InBlocks`]).

use std::sync::Arc;

use arrow_array::RecordBatch;
use serde_json::{Map, Value, json};
use throng_core::accounts::{GROUPS_EMPTY, LINES_ABOVE_CAP, ROWS_DROPPED};
use throng_core::data::{Clusters, QueryLog, Strings};
use throng_core::measures::{Context, Measure, Pair};
use throng_core::methods::Method;
use throng_core::methods::queries::{kindred, user_microaggregation};
use throng_core::models::content_threshold::Said;
use throng_core::models::digests::{DigestKey, Digests};
use throng_core::models::k_anonymity;
use throng_core::partition::blocks::{Cuts, Drawn, SAMPLE};
use throng_core::pieces::{
    Counts, Decided, InBlocks, Keys, Leaves, MeasurePart, Orders, Piece, Scales, Sketch, Tally, candidates,
    count_orders, count_sets, count_sites, count_words, cut, free_width, pseudonym, published,
};
use throng_core::progress::{Progress, Silent};
use throng_core::release::Protected;
use throng_core::{Error, Info, Result, Rng};

use super::finish::{Found, Papers, finish};
use super::rows::{self, Rows, log_of};
use super::{
    FORMAT, Given, LAST_STATE, Plan, Seen, State, Texts, Worker, first_eight, kept, last_eight, parts_of, read, written,
};
use crate::io::{self, Frame, Location, Opened, Person};
use crate::kinds::{About, Kinded, Knowledge, Read};
use crate::parameters::typed;

/// The measures that are sums over persons.
const MEASURES: [&str; 3] = ["profile-exposure-level", "information-loss-ratio", "interests-kept"];

/// A method for many machines.
pub(super) trait Distributed: Method<QueryLog> + InBlocks {}
impl<M: Method<QueryLog> + InBlocks> Distributed for M {}

/// A plan for search logs.
pub(super) struct Searches {
    pub(super) plan: Plan,
    pub(super) info: &'static Info,
    pub(super) method: Box<dyn Distributed>,
    about: About<QueryLog>,
    /// What strings mean, where the method or a measure asks for it.
    pub(super) knowledge: Knowledge,
}

impl Worker for Searches {
    fn step(&self, name: &str, state: &[u8], batches: Vec<RecordBatch>, file: &[u8]) -> Result<Given> {
        let state = kept(&LAST_STATE, state, || State::of(state).map(Arc::new))?;
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
            "tally" => {
                let (seed, stream) = (first_eight(&self.plan.check.0), last_eight(&self.plan.check.0));
                let key = DigestKey::new(&mut Rng::seeded_stream(u64::from_le_bytes(seed), stream));
                Tally::of(&Digests::of(&log, &key)).to_bytes()
            }
            "place" => return self.place(log, &state),
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
        let min_persons = self.method.min_persons();
        let mut next = "";
        match name {
            "begin" => next = "scales",
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
            "protect" => {}
            other => return Err(Error::internal(format!("nothing is decided after `{other}`"))),
        }
        if name == "scales" && self.method.limits(state.scales()?.persons() as usize).is_none() {
            state.part_of = vec![0];
        }
        Ok((written(&state)?, next))
    }

    fn has_blocks(&self, state: &[u8]) -> Result<bool> {
        let scales = State::of(state)?.scales;
        Ok(scales.is_some_and(|scales| self.method.limits(scales.persons() as usize).is_some()))
    }

    fn model(&self) -> &'static str {
        k_anonymity::USER.name
    }

    fn finish(&self, found: &Found<'_>) -> Result<Papers> {
        finish(self, found)
    }
}

impl Searches {
    pub(super) fn of(plan: Plan, head: &Frame) -> Result<Self> {
        let (info, method) = method_of(&plan)?;
        let about = read::<QueryLog>(head, &plan.ask, plan.judges)?.about;
        let knowledge = plan.ask.knowledge()?;
        Ok(Self { plan, info, method, about, knowledge })
    }

    /// Rows as they come, as rows that travel: whole persons go to one part.
    fn read(&self, batches: Vec<RecordBatch>) -> Result<Given> {
        let Some(first) = batches.first() else { return Ok((Vec::new(), Seen::default().to_bytes()?)) };
        if batches.iter().all(|batch| batch.num_rows() == 0) {
            return Ok((Vec::new(), Seen::default().to_bytes()?));
        }
        let frame = Frame::new(first.schema(), batches)?;
        let Read { data, about } = read::<QueryLog>(&frame, &self.plan.ask, self.plan.judges)?;
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

    pub(super) fn measures(&self) -> Result<Vec<&'static dyn Measure<QueryLog>>> {
        QueryLog::SHELF.measures(&MEASURES.map(str::to_owned), true)
    }

    pub(super) fn k(&self) -> usize {
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

    pub(super) fn layout(&self, log: &QueryLog) -> Result<<QueryLog as Kinded>::Layout> {
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
