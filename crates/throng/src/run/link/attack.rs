//! `throng attack ORIGINAL ENCODED`: what somebody who has not got the secret reads out of encoded records.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;

use serde_json::json;
use throng_core::attacks::AttackInfo;
use throng_core::attacks::statistics::Outcome;
use throng_core::link::bits::Filters;
use throng_core::link::encode::attack::{self, FREQUENCY, GRAPH, PATTERN, Token};
use throng_core::link::encode::harden::Hardening;
use throng_core::link::encode::schema::Schema;
use throng_core::progress::Progress;
use throng_core::{Error, Result, Rng};

use super::Outputs;
use super::clk::{Clk, LinkEncoding, is_encoded};
use super::encoding::{How, encode, prepared, read_schema};
use super::tables::RecordFile;
use super::translate::rows_key;
use crate::io::ReadOptions;
use crate::report;
use crate::run::{AttackOutcome, Skipped};

/// What to attack.
#[derive(Debug, Clone)]
pub struct EncodingAttackRequest {
    /// The records that were encoded.
    pub original: PathBuf,
    /// The encoded file: ours or clkhash's.
    pub encoded: PathBuf,
    /// Its schema.
    pub schema: Option<PathBuf>,
    /// The ids of its rows; clkhash's are in the order of the original.
    pub key: Option<PathBuf>,
    /// The column that salted the tokens.
    pub salt: Option<String>,
    /// The attacks; all of them if none is named.
    pub attacks: Vec<String>,
    /// The attacker's list; the original if there is none.
    pub knowledge: Option<PathBuf>,
    /// How many records are attacked by likeness and by patterns.
    pub targets: usize,
    /// The seed of targets and of the attacker's secret.
    pub seed: u64,
    /// The page to make.
    pub report: Option<PathBuf>,
    /// How to read the records.
    pub options: ReadOptions,
}

/// Whether an encoded file is attacked, and not a release.
pub fn is_encoded_file(path: &std::path::Path) -> bool {
    is_encoded(path)
}

/// Records by the values of the columns that are encoded: equal ones have one number.
#[derive(Default)]
struct People {
    numbers: HashMap<Vec<String>, usize>,
}

impl People {
    fn of(&mut self, file: &RecordFile, columns: &[usize]) -> Vec<usize> {
        let values = |row: usize| -> Vec<String> {
            let value = |&column: &usize| {
                let (_, values, cells, _) = &file.table.columns[column];
                values.get(cells[row]).to_owned()
            };
            columns.iter().map(value).collect()
        };
        let number = |row: usize| {
            let next = self.numbers.len();
            *self.numbers.entry(values(row)).or_insert(next)
        };
        (0..file.rows()).map(number).collect()
    }
}

/// Attacks an encoded file.
pub fn attack_encoded(request: &EncodingAttackRequest, progress: &dyn Progress) -> Result<AttackOutcome> {
    let cards = [&FREQUENCY, &PATTERN, &GRAPH];
    let names = || cards.iter().map(|card| card.info.name);
    for name in &request.attacks {
        if !names().any(|known| known == name) {
            return Err(Error::unknown("attack on encoded records", name, names()));
        }
    }
    if let Some(place) = &request.report {
        crate::pending::refuse_stdout(place)?;
        crate::run::refuse_existing(place)?;
    }
    let Some(schema) = &request.schema else {
        return Err(Error::parameter("schema", "must name the schema of the encoded file: the attacker knows it"));
    };
    let (schema, schema_sha256) = read_schema(schema)?;
    let clk = Clk::read(&request.encoded)?;
    let in_encoded = |error: Error| error.in_file(clk.name.clone());
    if clk.header.as_ref().is_some_and(|header| header.schema_sha256 != schema_sha256) {
        return Err(in_encoded(Error::data("it was encoded by another schema")));
    }
    let hardening = hardening(&clk, request.salt.as_deref())?;
    let has_filters = !matches!(clk.encoding(), LinkEncoding::Hash | LinkEncoding::QgramSets);
    if has_filters && clk.columns[0].words != hardening.length(schema.length)?.div_ceil(64) {
        return Err(in_encoded(Error::data("its filters do not have the length that the schema says")));
    }
    let read = |path| RecordFile::read(path, None, &request.options, progress);
    let original = read(&request.original)?;
    let knowledge = request.knowledge.as_deref().map(read).transpose()?;
    let list = knowledge.as_ref().unwrap_or(&original);
    let no_header = request.options.no_header;
    let places = |file: &RecordFile| -> Result<Vec<usize>> {
        let name = |at: usize, name: &str| if no_header { (at + 1).to_string() } else { name.to_owned() };
        schema.hashed().map(|(at, feature, _)| file.column(&name(at, &feature.identifier))).collect()
    };
    let mut people = People::default();
    let of_original = people.of(&original, &places(&original)?);
    let of_list = people.of(list, &places(list)?);
    // Whose each encoded row is; nobody's rows fill blocks.
    let owners = owners(&clk, request, &original)?;
    let truth: Vec<Option<usize>> = owners.iter().map(|owner| owner.map(|row| of_original[row])).collect();

    let mut rng = Rng::seeded(request.seed);
    let mut secret = [0u8; 32];
    rng.fill(&mut secret);
    let least = clk.header.as_ref().and_then(|header| header.least).unwrap_or(1.0);
    let how = How { encoding: clk.encoding(), phonetic: None, hardening: &hardening, no_header, least };
    let own = encode(list, schema.clone(), &secret, &how, &mut rng)?;
    let own: Vec<Filters> = own.columns.into_iter().map(|(filters, _)| filters).collect();
    let scene = Scene { clk: &clk, own, truth, of_list, list, request };
    let mut found = AttackOutcome { kind: "encoded records", ..AttackOutcome::default() };
    for card in cards {
        if !request.attacks.is_empty() && !request.attacks.iter().any(|name| name == card.info.name) {
            continue;
        }
        progress.go_on()?;
        progress.stage(card.info.name, 0);
        if !has_filters && card.info.name != FREQUENCY.info.name {
            let reason = match clk.encoding() {
                LinkEncoding::Hash => "hashes of different records are not alike: only equal ones can be counted",
                _ => {
                    "it reads filters, and there are none; likenesses of sets tell as much as those of filters that are not hardened"
                }
            };
            let reason = reason.to_owned();
            found.skipped.push(Skipped { name: card.info.name, reason });
            continue;
        }
        let outcome = match card.info.name {
            "encoding-graph" => scene.graph(&mut rng),
            "encoding-pattern" => {
                scene.pattern(schema.clone(), &secret, hardening.salt.as_deref(), no_header, &mut rng)?
            }
            _ => scene.frequency(),
        };
        found.attacks.push(outcome);
    }
    if let Some(place) = &request.report {
        let attacks = found.attacks.iter().map(serde_json::to_value).collect::<std::result::Result<Vec<_>, _>>();
        let attacks = attacks.map_err(|cause| Error::internal(cause.to_string()))?;
        let of = crate::words::counted(clk.rows() as u64, "encoded record", "encoded records");
        let mut outputs = Outputs::default();
        outputs.write(place, report::attacks_page(&of, &attacks, &report::today())?.as_bytes(), false)?;
        outputs.publish()?;
    }
    Ok(found)
}

fn hardening(clk: &Clk, salt: Option<&str>) -> Result<Hardening> {
    let Some(header) = &clk.header else { return Ok(Hardening::none()) };
    let words: Vec<String> = header
        .harden
        .split(',')
        .map(|word| match (word, salt) {
            ("salt", Some(column)) => Ok(format!("salt={column}")),
            ("salt", None) => Err(Error::parameter(
                "salt",
                "must name the column that salted the tokens: the attacker knows the scheme",
            )
            .in_file(clk.name.clone())),
            _ => Ok(word.to_owned()),
        })
        .collect::<Result<_>>()?;
    Hardening::parse(&words)
}

/// The record of each encoded row.
fn owners(clk: &Clk, request: &EncodingAttackRequest, original: &RecordFile) -> Result<Vec<Option<usize>>> {
    let Some(key) = &request.key else {
        if clk.header.is_none() && clk.rows() == original.rows() {
            return Ok((0..clk.rows()).map(Some).collect());
        }
        return Err(match clk.header.is_some() {
            true => Error::parameter("key", "must name the file of rows: without it nobody can say who was found"),
            false => Error::data(format!("it has {} filters, the original {} records", clk.rows(), original.rows()))
                .in_file(clk.name.clone()),
        });
    };
    let ids = rows_key(key)?;
    let by_id = original.by_id();
    let owner = |row: usize| -> Result<Option<usize>> {
        let unknown = |what: &str| Error::data(what.to_owned()).in_file(key.display().to_string());
        let id = ids.get(&(row + 1).to_string()).ok_or_else(|| unknown("the key lacks a row of the encoded file"))?;
        if id.is_empty() {
            return Ok(None);
        }
        by_id.get(id).map(|&row| Some(row as usize)).ok_or_else(|| unknown("the key has an id that the original lacks"))
    };
    (0..clk.rows()).map(owner).collect()
}

/// What the attacker has, and the truth that judges the guesses.
struct Scene<'a> {
    clk: &'a Clk,
    /// The list, encoded under the attacker's own secret.
    own: Vec<Filters>,
    /// Who each encoded row is.
    truth: Vec<Option<usize>>,
    /// Who each row of the list is.
    of_list: Vec<usize>,
    list: &'a RecordFile,
    request: &'a EncodingAttackRequest,
}

impl Scene<'_> {
    fn outcome(&self, card: &AttackInfo, rows: &[usize], hits: f64, parts: serde_json::Value) -> Outcome {
        let mut counts: BTreeMap<usize, u64> = BTreeMap::new();
        rows.iter().filter_map(|&row| self.truth[row]).for_each(|person| *counts.entry(person).or_default() += 1);
        let most = counts.into_values().max().unwrap_or(0);
        let attempts = rows.len() as u64;
        let mut outcome =
            Outcome::new(card, attempts, hits).with_baseline((attempts > 0).then(|| most as f64 / attempts as f64));
        outcome.knowledge = json!({
            "scheme": "encoding, schema and hardening; not the secret",
            "list": if self.request.knowledge.is_some() { "given" } else { "the original" },
            "records": self.list.rows(),
        });
        outcome.parts = parts;
        outcome
    }

    /// The rows that are somebody's.
    fn real(&self) -> Vec<usize> {
        (0..self.truth.len()).filter(|&row| self.truth[row].is_some()).collect()
    }

    fn frequency(&self) -> Outcome {
        let mut first: HashMap<usize, usize> = HashMap::new();
        for (row, &person) in self.of_list.iter().enumerate() {
            first.entry(person).or_insert(row);
        }
        let truth: Vec<Option<usize>> =
            self.truth.iter().map(|person| person.and_then(|person| first.get(&person).copied())).collect();
        let hits = attack::by_frequency(&self.clk.columns, &self.own, &truth);
        let rows = self.real();
        let sum = rows.iter().map(|&row| hits[row]).sum();
        self.outcome(&FREQUENCY, &rows, sum, json!({}))
    }

    /// Rows of the encoded file and of the list, drawn if there are too many: people of both are drawn together, which only helps the
    /// attacker. Rows that are equal stand for one.
    fn drawn(&self, rng: &mut Rng) -> (Vec<usize>, Vec<usize>) {
        let mut persons: Vec<usize> = self.truth.iter().flatten().copied().collect();
        persons.sort_unstable();
        persons.dedup();
        let share = (self.request.targets as f64 / persons.len().max(1) as f64).min(1.0);
        rng.shuffle(&mut persons);
        persons.truncate(self.request.targets);
        let chosen: HashSet<usize> = persons.into_iter().collect();
        let known: HashSet<usize> = self.truth.iter().flatten().copied().collect();
        let rows =
            self.real().into_iter().filter(|&row| self.truth[row].is_some_and(|person| chosen.contains(&person)));
        let mut seen = HashSet::new();
        let list = (0..self.of_list.len()).filter(|&row| seen.insert(self.of_list[row])).filter(|&row| {
            match known.contains(&self.of_list[row]) {
                true => chosen.contains(&self.of_list[row]),
                false => rng.unit() < share,
            }
        });
        (rows.collect(), list.collect())
    }

    fn graph(&self, rng: &mut Rng) -> Outcome {
        let (rows, list) = self.drawn(rng);
        // Equal filters are one node.
        let mut nodes: Vec<usize> = Vec::new();
        let mut number: HashMap<Vec<&[u64]>, usize> = HashMap::new();
        let node_of: Vec<usize> = rows
            .iter()
            .map(|&row| {
                let key: Vec<&[u64]> = self.clk.columns.iter().map(|filters| filters.get(row)).collect();
                *number.entry(key).or_insert_with(|| {
                    nodes.push(row);
                    nodes.len() - 1
                })
            })
            .collect();
        let given = attack::by_graph(&some(&self.clk.columns, &nodes), &some(&self.own, &list));
        let hit = |(&row, &node): (&usize, &usize)| {
            let guess = given[node].map(|at| self.of_list[list[at]]);
            guess.is_some() && guess == self.truth[row]
        };
        let hits = rows.iter().zip(&node_of).filter(|pair| hit(*pair)).count();
        self.outcome(&GRAPH, &rows, hits as f64, json!({"filters": nodes.len(), "list": list.len()}))
    }

    fn pattern(
        &self,
        schema: Schema,
        secret: &[u8],
        salt: Option<&str>,
        no_header: bool,
        rng: &mut Rng,
    ) -> Result<Outcome> {
        let (rows, list) = self.drawn(rng);
        let mut place = vec![None; self.of_list.len()];
        list.iter().enumerate().for_each(|(at, &row)| place[row] = Some(at as u32));
        let columns = prepared(self.list, schema, secret, salt, no_header)?;
        let of = |tokens: Vec<Token>| -> Vec<Token> {
            let kept = |token: Token| Token {
                rows: token.rows.iter().filter_map(|&row| place[row as usize]).collect(),
                ..token
            };
            tokens.into_iter().map(kept).collect()
        };
        let (mut sums, mut found) = (vec![0.0; rows.len()], 0);
        // One filter over all columns holds the tokens of all; else each column is attacked by itself and people fit in all of them.
        let is_one = self.clk.columns.len() == 1;
        let attacked: Vec<Vec<Token>> = match is_one {
            true => vec![of(columns.iter().flat_map(|column| column.tokens()).collect())],
            false => columns.iter().map(|column| of(column.tokens())).collect(),
        };
        let mut people: Vec<Option<Vec<u32>>> = vec![None; rows.len()];
        for (filters, tokens) in self.clk.columns.iter().zip(&attacked) {
            let drawn = &some(std::slice::from_ref(filters), &rows)[0];
            let (fitting, count) = attack::by_pattern(drawn, self.clk.length(), tokens, list.len());
            found += count;
            for (own, fitting) in people.iter_mut().zip(fitting) {
                let both: Vec<u32> = match own.take() {
                    None => fitting,
                    Some(own) => {
                        let both: Vec<u32> = own.iter().copied().filter(|person| fitting.contains(person)).collect();
                        if both.is_empty() { own } else { both }
                    }
                };
                *own = Some(both);
            }
        }
        for ((sum, &row), people) in sums.iter_mut().zip(&rows).zip(&people) {
            let people = people.as_deref().unwrap_or_default();
            let right = people.iter().filter(|&&at| Some(self.of_list[list[at as usize]]) == self.truth[row]).count();
            *sum = right as f64 / people.len().max(1) as f64;
        }
        Ok(self.outcome(&PATTERN, &rows, sums.iter().sum(), json!({"tokens_found": found, "list": list.len()})))
    }
}

/// Some rows of filters.
fn some(columns: &[Filters], rows: &[usize]) -> Vec<Filters> {
    let of = |filters: &Filters| Filters {
        words: filters.words,
        bits: rows.iter().flat_map(|&row| filters.get(row)).copied().collect(),
    };
    columns.iter().map(of).collect()
}
