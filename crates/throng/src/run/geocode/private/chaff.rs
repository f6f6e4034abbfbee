//! `chaff`, `proxy` and `unchaff`: asking a provider under other ids, in another order, among made-up addresses.
//!
//! The state is CSV with `query,id`, the queries of the file in its order; made-up ones are not in it. It stays with whoever asks.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::{Value, json};
use throng_core::attacks::statistics::wilson;
use throng_core::geocode::chaff::{Chaff, guessed};
use throng_core::geocode::reference::Dwelling;
use throng_core::geocode::{Address, Level, Located, Matcher, Places, Reference};
use throng_core::progress::Progress;
use throng_core::{Error, Result, Rng};

use super::super::files::TextFile;
use super::super::reference::ReferenceFile;
use crate::io::NamedRows;
use crate::pending;

/// What to ask.
#[derive(Debug, Clone)]
pub struct ChaffRequest {
    /// The addresses: `id,address` or `id,number,street,suburb,postcode`.
    pub file: PathBuf,
    /// Where made-up addresses come from, and how many for each; nothing for a proxy, who only changes ids and order.
    pub chaff: Option<(ReferenceFile, usize)>,
    /// Addresses that are known are sent as they are written, errors and all.
    pub as_written: bool,
    /// Where it is kept which answer is whose.
    pub state: PathBuf,
    /// What is sent.
    pub out: PathBuf,
}

/// What is sent.
#[derive(Debug, Serialize)]
pub struct Asked {
    /// How many addresses the file has.
    pub records: usize,
    /// How many made-up ones are among them.
    pub made_up: usize,
    /// How many known addresses are sent as the reference writes them.
    pub rewritten: usize,
    /// What should be said.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// How a file holds addresses.
enum Form {
    Line(usize),
    Parts([usize; 4]),
}

const PARTS: [&str; 4] = ["number", "street", "suburb", "postcode"];

impl Form {
    fn of(rows: &NamedRows) -> Result<Self> {
        match rows.column("address") {
            Some(line) => Ok(Self::Line(line)),
            None => Ok(Self::Parts(rows.columns(PARTS, "a file of addresses without `address`")?)),
        }
    }

    fn header(&self) -> &'static str {
        match self {
            Self::Line(_) => "id,address",
            Self::Parts(_) => "id,number,street,suburb,postcode",
        }
    }

    fn cells(&self, rows: &NamedRows, row: usize) -> Vec<String> {
        match self {
            Self::Line(line) => vec![rows.cell(row, *line).to_owned()],
            Self::Parts(parts) => parts.iter().map(|&part| rows.cell(row, part).to_owned()).collect(),
        }
    }

    /// An address of the reference in this form.
    fn written(&self, reference: &Reference, dwelling: Dwelling) -> Vec<String> {
        let street = &reference.streets[dwelling.street as usize].written;
        match self {
            Self::Line(_) => {
                vec![format!("{} {}, {} {}", dwelling.number, street.street, street.suburb, street.postcode)]
            }
            Self::Parts(_) => {
                vec![dwelling.number.to_string(), street.street.clone(), street.suburb.clone(), street.postcode.clone()]
            }
        }
    }

    fn located(&self, matcher: &Matcher<'_>, rows: &NamedRows, row: usize) -> Located {
        match self {
            Self::Line(line) => matcher.locate_line(rows.cell(row, *line)),
            Self::Parts(parts) => {
                let [number, street, suburb, postcode] = parts.map(|part| rows.cell(row, part));
                matcher.locate(&Address::of_parts(number, street, suburb, postcode))
            }
        }
    }
}

/// Writes what is sent, and keeps whose it is.
pub fn chaff(request: &ChaffRequest, progress: &dyn Progress) -> Result<Asked> {
    pending::refuse_in_release(&request.state, "state")?;
    let rows = NamedRows::read(&request.file, progress)?;
    let id = rows.columns(["id"], "a file of addresses")?[0];
    let form = Form::of(&rows)?;
    let mut out = TextFile::csv(&request.out, form.header())?;
    let mut state = TextFile::csv(&request.state, "query,id")?.private();
    let mut rng = Rng::secure()?;
    let mut sent: Vec<Vec<String>> = Vec::new();
    let (mut notes, mut rewritten) = (Vec::new(), 0);
    let (mut seen, mut queries) = (std::collections::HashSet::new(), Vec::new());
    for row in 0..rows.len() {
        if !seen.insert(rows.cell(row, id)) {
            return Err(rows.wrong("an id occurs twice", row, id).with_hint("the answers could not be told apart"));
        }
    }
    let read = match &request.chaff {
        Some((reference, count)) if (1..=1000).contains(count) => Some((reference.read(progress)?, *count)),
        Some(_) => return Err(Error::parameter("chaff", "must be from 1 to 1000")),
        None => None,
    };
    let tools = read
        .as_ref()
        .map(|(read, count)| (Matcher::new(&read.reference), Chaff::new(&read.reference), &read.reference, *count));
    progress.stage("drawing addresses", rows.len() as u64);
    for row in 0..rows.len() {
        progress.go_on()?;
        let mut cells = form.cells(&rows, row);
        if let Some((matcher, chaff, reference, count)) = &tools {
            let located = form.located(matcher, &rows, row);
            let found = located.source.filter(|_| located.level <= Level::Neighbour);
            let nearest = located.place.and_then(|place| reference.places().nearest(place));
            let near = nearest.map(|(number, _)| reference.dwellings()[number as usize]);
            let postcode = near.map(|near| reference.streets[near.street as usize].postcode);
            let dwelling = near.filter(|near| found == Some(near.source));
            if let Some(dwelling) = dwelling.filter(|_| !request.as_written) {
                cells = form.written(reference, dwelling);
                rewritten += 1;
            }
            sent.extend((0..*count).map(|_| {
                let query = drawn_id(&mut rng);
                std::iter::once(query).chain(form.written(reference, chaff.draw(postcode, &mut rng))).collect()
            }));
        }
        let query = drawn_id(&mut rng);
        queries.push(query.clone());
        sent.push(std::iter::once(query).chain(cells).collect());
        progress.advance(1);
    }
    rng.shuffle(&mut sent);
    for cells in &sent {
        out.row(&cells.iter().map(String::as_str).collect::<Vec<_>>());
    }
    for (row, query) in queries.iter().enumerate() {
        state.row(&[query, rows.cell(row, id)]);
    }
    if let Some((read, _)) = &read {
        notes.extend(read.notes());
        let unknown = rows.len() - rewritten;
        if unknown > 0 && !request.as_written {
            notes.push(format!(
                "{} not among the addresses of the reference: sent as written, which can tell them from made-up ones",
                crate::words::counted(unknown as u64, "address is", "addresses are")
            ));
        }
    }
    TextFile::publish(vec![out, state])?;
    Ok(Asked { records: rows.len(), made_up: sent.len() - rows.len(), rewritten, notes })
}

fn drawn_id(rng: &mut Rng) -> String {
    format!("{:016x}", rng.bits())
}

/// Which answers to take.
#[derive(Debug, Clone)]
pub struct AnswerRequest {
    /// What the provider answered: CSV with `id`.
    pub answer: PathBuf,
    /// What was kept when it was asked.
    pub state: PathBuf,
    /// The file to make.
    pub out: PathBuf,
}

/// The queries of a state with the ids that they stand for, in the order of the file.
fn kept(state: &Path, progress: &dyn Progress) -> Result<Vec<(String, String)>> {
    pending::refuse_readable_by_others(state, "state")?;
    let rows = NamedRows::read(state, progress)?;
    let [query, id] = rows.columns(["query", "id"], "a state")?;
    Ok((0..rows.len()).map(|row| (rows.cell(row, query).to_owned(), rows.cell(row, id).to_owned())).collect())
}

/// Writes the answers to what was really asked, under the ids of the file and in its order. Gives how many.
pub fn unchaff(request: &AnswerRequest, progress: &dyn Progress) -> Result<usize> {
    let kept = kept(&request.state, progress)?;
    let rows = NamedRows::read(&request.answer, progress)?;
    let id = rows.columns(["id"], "an answer")?[0];
    let names: Vec<String> = rows.names().map(str::to_owned).collect();
    let mut header = Vec::new();
    super::super::files::csv_row(&names.iter().map(String::as_str).collect::<Vec<_>>(), &mut header);
    header.pop();
    let mut out = TextFile::csv(&request.out, &String::from_utf8_lossy(&header))?;
    let mut row_of: HashMap<&str, usize> = HashMap::new();
    for row in 0..rows.len() {
        if row_of.insert(rows.cell(row, id), row).is_some() {
            return Err(rows
                .wrong("an id was answered twice", row, id)
                .with_hint("take the answer as the provider sent it"));
        }
    }
    for (query, own) in &kept {
        let row = *row_of.get(query.as_str()).ok_or_else(|| {
            Error::data("the answer lacks an address that was asked for")
                .in_file(&rows.file)
                .with_hint("is it the answer to what this state was kept for? The provider must answer every line")
        })?;
        let cells: Vec<&str> =
            (0..names.len()).map(|column| if column == id { own.as_str() } else { rows.cell(row, column) }).collect();
        out.row(&cells);
    }
    TextFile::publish(vec![out])?;
    Ok(kept.len())
}

/// What to attack.
#[derive(Debug, Clone)]
pub struct ChaffAttackRequest {
    /// What was sent.
    pub sent: PathBuf,
    /// What was kept: the truth.
    pub state: PathBuf,
    /// The reference, which the provider has.
    pub reference: ReferenceFile,
}

/// What came of it.
#[derive(Debug, Serialize)]
pub struct ChaffAttacked {
    /// Every attack.
    pub attacks: Vec<Value>,
    /// What should be said.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// Addresses within so many kilometres are near.
const NEAR: f64 = 0.15;

/// Plays the provider, who knows how many addresses are real and wants to know which.
pub fn attack_chaff(request: &ChaffAttackRequest, progress: &dyn Progress) -> Result<ChaffAttacked> {
    let real: std::collections::HashSet<String> =
        kept(&request.state, progress)?.into_iter().map(|(query, _)| query).collect();
    let read = request.reference.read(progress)?;
    let rows = NamedRows::read(&request.sent, progress)?;
    let id = rows.columns(["id"], "what was sent")?[0];
    let form = Form::of(&rows)?;
    let matcher = Matcher::new(&read.reference);
    progress.stage("attacking", rows.len() as u64);
    let located: Vec<Located> = (0..rows.len()).map(|row| form.located(&matcher, &rows, row)).collect();
    progress.go_on()?;
    let is_real: Vec<bool> = (0..rows.len()).map(|row| real.contains(rows.cell(row, id))).collect();
    let count = is_real.iter().filter(|&&is_real| is_real).count();
    if count == 0 || count != real.len() {
        return Err(Error::data("the state is not that of what was sent").in_file(&rows.file));
    }
    let written: Vec<String> =
        (0..rows.len()).map(|row| form.cells(&rows, row).join("\u{1f}").to_lowercase()).collect();
    let mut times: HashMap<&str, usize> = HashMap::new();
    written.iter().for_each(|text| *times.entry(text).or_default() += 1);
    let errors: Vec<f64> =
        located.iter().map(|located| if located.level == Level::Exact { 0.0 } else { 2.0 - located.score }).collect();
    let repeats: Vec<f64> = written.iter().map(|text| times[text.as_str()] as f64).collect();
    let places: Vec<(f64, f64)> = located.iter().filter_map(|located| located.place).collect();
    let (sent, all) = (Places::new(places), read.reference.places());
    // More asked for near here than as many addresses would have: where the real ones lie together.
    let crowds: Vec<f64> = located
        .iter()
        .map(|located| {
            let Some(place) = located.place else { return 0.0 };
            sent.count_within(place, NEAR) as f64 / all.count_within(place, NEAR).max(1) as f64
        })
        .collect();
    let both: Vec<f64> = errors
        .iter()
        .zip(&repeats)
        .zip(&crowds)
        .map(|((error, times), crowd)| error * 100.0 + times + crowd / 1e3)
        .collect();
    let attack = |(name, knows, suspicion): (&str, &str, &[f64])| {
        let hits = guessed(suspicion, &is_real, count);
        json!({
            "name": name,
            "attempts": count,
            "hits": hits,
            "rate": hits / count as f64,
            "interval": wilson(hits, count as u64),
            "baseline": count as f64 / rows.len() as f64,
            "knowledge": {"knows": knows},
            "parts": {"sent": rows.len()},
        })
    };
    let attacks = [
        (
            "errors",
            "the reference, and how many addresses are real: those with errors are taken first",
            errors.as_slice(),
        ),
        ("repeats", "how many are real: those that occur more than once are taken first", &repeats),
        (
            "crowds",
            "the reference, and how many are real: those are taken first that lie closer together than addresses do",
            &crowds,
        ),
        ("together", "all of this", &both),
    ];
    Ok(ChaffAttacked { attacks: attacks.into_iter().map(attack).collect(), notes: read.notes() })
}
