//! `throng link encode`: records as filters that can be compared by somebody who has not got the secret.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rayon::prelude::*;
use serde::Serialize;
use serde_json::Value;
use throng_core::link::bits::Filters;
use throng_core::link::encode::harden::Hardening;
use throng_core::link::encode::hashing::{keyed, own_key};
use throng_core::link::encode::schema::{Format, Schema};
use throng_core::link::encode::sets::{Set, set_of};
use throng_core::link::encode::{Encoder, Prepared, bytes, words};
use throng_core::link::key::{Key, Part};
use throng_core::link::phonetic::{nysiis, soundex};
use throng_core::link::records::MISSING;
use throng_core::progress::Progress;
use throng_core::{Error, Result, Rng};

use super::clk::{LinkEncoding, SetColumn, Written};
use super::secret::SecretSource;
use super::tables::{RecordFile, records};
use super::{Outputs, csv_line};
use crate::io::ReadOptions;
use crate::party::{hex, sha256};

/// What to encode.
#[derive(Debug, Clone)]
pub struct EncodeRequest {
    /// The records.
    pub file: PathBuf,
    /// The linkage schema.
    pub schema: PathBuf,
    /// Where the secret is.
    pub secret: SecretSource,
    /// The file to make.
    pub out: PathBuf,
    /// Where the ids of the rows are kept.
    pub key: Option<PathBuf>,
    /// Whether bit for bit as clkhash does.
    pub compat: bool,
    /// How.
    pub encoding: LinkEncoding,
    /// By which sound texts are hashed, for the encoding `hash`.
    pub phonetic: Option<Phonetic>,
    /// How filters are hardened; as usual where nothing is said.
    pub harden: Vec<String>,
    /// For the encoding `qgram-sets`: from which similarity on values can be compared.
    pub least: f64,
    /// Keys of blocks, `tokens` for the usual ones; none for no blocks.
    pub block: Vec<String>,
    /// Smaller blocks are filled with rows that are nobody's.
    pub min_block: usize,
    /// For tests and research: the order of rows, noise and filling rows repeat themselves.
    pub seed: Option<u64>,
    /// The column of ids.
    pub id: Option<String>,
    /// How to read the file.
    pub options: ReadOptions,
}

/// By which sound texts are hashed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phonetic {
    /// Soundex.
    Soundex,
    /// NYSIIS.
    Nysiis,
}

/// What was encoded.
#[derive(Debug, Serialize)]
pub struct EncodedRecords {
    /// The file that was made.
    pub file: String,
    /// How many records it has.
    pub records: u64,
    /// How many rows of it are nobody's.
    pub filling: u64,
    /// How: `clkhash`, or one of our own encodings.
    pub encoding: String,
    /// Bits of a filter.
    pub length: usize,
    /// How they are hardened.
    pub harden: String,
    /// How many blocks there are.
    pub blocks: u64,
    /// The share of the bits that are set, before hardening.
    pub bits_set: f64,
    /// What should be said.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// What the attack made of unhardened filters, for whoever is about to publish some.
const RATE: &str = "the attack encoding-graph, which knows the schema and a list of the people but not the secret, gave 900 of 900 surnames \
    behind such filters back within seconds";

/// From here on diffusion was seen to cost matches: one in a thousand at a fill of .16, three in a hundred at .29.
const MOST_FILLED: f64 = 0.2;

/// Encodes the records of a file.
pub fn encode_records(request: &EncodeRequest, progress: &dyn Progress) -> Result<EncodedRecords> {
    for place in [Some(&request.out), request.key.as_ref()].into_iter().flatten() {
        crate::pending::refuse_stdout(place)?;
        crate::run::refuse_existing(place)?;
    }
    let hardening = request.hardening()?;
    let (schema, schema_sha256) = read_schema(&request.schema)?;
    let secret = request.secret.read()?;
    let file = RecordFile::read(&request.file, request.id.as_deref(), &request.options, progress)?;
    let mut notes = Vec::new();
    if schema.says_folds_as_documented {
        notes.push(
            "the schema says `xorFolds`, as documented: clkhash itself reads `xor_folds` only, and does not fold"
                .to_owned(),
        );
    }
    progress.stage("encoding", 0);
    let mut rng = request.seed.map_or_else(Rng::secure, |seed| Ok(Rng::seeded(seed)))?;
    let how = How {
        encoding: request.encoding,
        phonetic: request.phonetic,
        hardening: &hardening,
        no_header: request.options.no_header,
        least: request.least,
    };
    let mut made = encode(&file, schema, &secret, &how, &mut rng)?;
    let rows = file.rows();
    let mut outputs = Outputs::default();
    let (mut filling, mut blocks) = (0, 0);
    if request.compat {
        let filters = &made.columns[0].0;
        let clks: Vec<String> =
            (0..rows).into_par_iter().map(|row| STANDARD.encode(bytes(filters.get(row), made.length))).collect();
        // Base64 needs no escapes.
        let text = format!("{{\"clks\":[\"{}\"]}}\n", clks.join("\",\""));
        let text = if clks.is_empty() { "{\"clks\":[]}\n".to_owned() } else { text };
        outputs.write(&request.out, text.as_bytes(), false)?;
        notes.push(format!("the filters are clkhash's, not hardened: {RATE}; without `--compat` they are hardened"));
    } else {
        let Some(key) = &request.key else {
            return Err(Error::refused("nobody could say whose the rows are")
                .with_hint("`--key ROWS.csv` keeps their ids; it stays with you"));
        };
        let tokens = if request.block.is_empty() { None } else { Some(tokens(&file, &made.names, request, &secret)?) };
        let tokens = tokens.map(|mut tokens| {
            blocks = tokens.concat().into_iter().flatten().collect::<std::collections::BTreeSet<_>>().len() as u64;
            filling = fill(&mut made, &mut tokens, request.min_block, &mut rng);
            tokens.into_iter().map(|own| own.into_iter().flatten().collect()).collect::<Vec<Vec<String>>>()
        });
        let mut order: Vec<u32> = (0..(rows + filling) as u32).collect();
        rng.shuffle(&mut order);
        let written = Written {
            encoding: request.encoding,
            length: made.length,
            schema_sha256,
            harden: hardening.name(),
            check: hex(&keyed(own_key(&secret, "check")?.as_slice(), &["throng link"])?[..16]),
            columns: &made.columns,
            sets: (request.encoding == LinkEncoding::QgramSets).then_some((&made.sets, request.least)),
            tokens: tokens.as_deref(),
            order: &order,
        };
        outputs.write(&request.out, &written.file()?, false)?;
        let mut text = b"row,id\n".to_vec();
        for (number, &row) in (1u64..).zip(&order) {
            let id = if (row as usize) < rows { file.id(row as usize) } else { String::new() };
            csv_line(&[&number.to_string(), &id], &mut text);
        }
        outputs.write(key, &text, true)?;
        match request.encoding {
            LinkEncoding::Hash => notes.push("equal records have equal hashes: how often each occurs can be counted".to_owned()),
            LinkEncoding::QgramSets => {
                notes.push(
                    "equal values have equal hashes, and how many q-grams each has can be seen: how often each occurs can be counted, as of filters of single columns"
                        .to_owned(),
                );
                if made.cut > 0 {
                    notes.push(format!(
                        "{} too long for all its sets of q-grams: likenesses as low as {} are not seen of it (`--least`)",
                        crate::words::counted(made.cut, "value is", "values are"),
                        request.least
                    ));
                }
            }
            _ if hardening == Hardening::none() => notes.push(format!("the filters are not hardened: {RATE}")),
            LinkEncoding::Fields => notes.push(
                "a filter for each column matches as well as plain text, and is easier to attack than one filter over all: equal values have equal filters, \
                 and how often each occurs can be counted"
                    .to_owned(),
            ),
            LinkEncoding::Clk => {}
        }
        if hardening.diffusion > 3 && made.filled > MOST_FILLED {
            notes.push(format!(
                "{} of the bits are set before hardening: diffusion then costs matches; fewer bits for each column, or a greater `l`, in the schema keep them",
                crate::words::percent(made.filled)
            ));
        }
        if filling > rows {
            notes.push(format!(
                "{} of the rows are nobody's, to fill blocks below `--min-block` {}: coarser keys need fewer",
                crate::words::thousands(filling as u64),
                request.min_block
            ));
        }
    }
    outputs.publish()?;
    Ok(EncodedRecords {
        file: request.out.display().to_string(),
        records: rows as u64,
        filling: filling as u64,
        encoding: if request.compat { "clkhash".to_owned() } else { request.encoding.name().to_owned() },
        length: made.length,
        harden: hardening.name(),
        blocks,
        bits_set: made.filled,
        notes,
    })
}

impl EncodeRequest {
    fn hardening(&self) -> Result<Hardening> {
        let is_sets = self.encoding == LinkEncoding::QgramSets;
        let is_hash = self.encoding == LinkEncoding::Hash || is_sets;
        if is_sets && !(self.least > 0.0 && self.least <= 1.0) {
            return Err(Error::parameter("least", format!("is {}, but must be above 0 and not above 1", self.least)));
        }
        if is_sets && !self.block.is_empty() {
            return Err(Error::parameter(
                "block",
                "goes with filters: sets of q-grams find what is alike by themselves",
            ));
        }
        if self.compat && self.encoding != LinkEncoding::Clk {
            return Err(Error::parameter("encoding", "is of our own files: clkhash has one filter over all columns"));
        }
        if self.phonetic.is_some() && self.encoding != LinkEncoding::Hash {
            return Err(Error::parameter(
                "phonetic",
                "is for `--encoding hash`: filters compare texts that are alike as they are",
            ));
        }
        let said = Hardening::parse(&self.harden)?;
        if self.compat || is_hash {
            if said != Hardening::none() {
                let what =
                    if self.compat { "clkhash's filters are not hardened" } else { "hashes have no bits to harden" };
                return Err(Error::parameter("harden", format!("goes with filters of our own: {what}")));
            }
            if self.compat && !self.block.is_empty() {
                return Err(Error::parameter("block", "goes with files of our own: clkhash's have no blocks"));
            }
            return Ok(said);
        }
        let hardening = if self.harden.is_empty() { Hardening::default() } else { said };
        if self.encoding == LinkEncoding::Fields && hardening == Hardening::none() {
            return Err(Error::refused("filters of single columns are not made without hardening")
                .with_hint("they are read back in seconds: leave `--harden` out, or say `--harden diffusion=8`"));
        }
        Ok(hardening)
    }
}

/// Reads a schema, and its hash.
pub(super) fn read_schema(path: &Path) -> Result<(Schema, String)> {
    let name = path.display().to_string();
    let text = std::fs::read(path).map_err(|cause| Error::io(format!("read the schema {name}"), cause))?;
    let value: Value = serde_json::from_slice(&text).map_err(|cause| {
        Error::data("the schema is no JSON")
            .in_file(&name)
            .with_cause(cause)
            .with_hint("docs/link.md has one to begin with")
    })?;
    let schema = Schema::parse(&value).map_err(|error| error.in_file(&name))?;
    Ok((schema, sha256(crate::canonical::text(&value).as_bytes())))
}

/// How records are encoded.
#[derive(Debug)]
pub(super) struct How<'a> {
    pub(super) encoding: LinkEncoding,
    pub(super) phonetic: Option<Phonetic>,
    pub(super) hardening: &'a Hardening,
    /// From which similarity on sets of q-grams tell.
    pub(super) least: f64,
    /// Whether columns are found by their place.
    pub(super) no_header: bool,
}

/// Encoded records, in the order of their file.
pub(super) struct Made {
    /// The filters of each column, and which rows have none.
    pub(super) columns: Vec<(Filters, Vec<bool>)>,
    pub(super) length: usize,
    /// The names of the columns in the file.
    pub(super) names: Vec<String>,
    /// The share of the bits that were set before hardening.
    pub(super) filled: f64,
    /// The sets of q-grams of each column, if that is what was asked for.
    pub(super) sets: Vec<SetColumn>,
    /// How many values have too many sets.
    pub(super) cut: u64,
}

/// Encodes records.
pub(super) fn encode(file: &RecordFile, schema: Schema, secret: &[u8], how: &How<'_>, rng: &mut Rng) -> Result<Made> {
    let encoder = Encoder::new(schema, secret)?;
    let rows = file.rows();
    let names: Vec<(usize, String)> = (encoder.schema.hashed())
        .map(|(at, feature, _)| (at, if how.no_header { (at + 1).to_string() } else { feature.identifier.clone() }))
        .collect();
    let places = names.iter().map(|(at, name)| Ok((*at, file.column(name)?))).collect::<Result<Vec<_>>>()?;
    let names: Vec<String> = names.into_iter().map(|(_, name)| name).collect();
    if how.encoding == LinkEncoding::Hash {
        let filters = hashes(file, &encoder, &places, secret, how.phonetic)?;
        let columns = vec![(filters, vec![false; rows])];
        return Ok(Made { columns, length: 256, names, filled: 0.5, sets: Vec::new(), cut: 0 });
    }
    if how.encoding == LinkEncoding::QgramSets {
        let (sets, cut) = sets(file, &encoder, &places, secret, how.least)?;
        let columns = sets.iter().map(SetColumn::whole).collect();
        return Ok(Made { columns, length: 64, names, filled: 0.5, sets, cut });
    }
    let salt = how.hardening.salt.as_deref().map(|salt| file.column(salt)).transpose()?;
    let prepared =
        places.iter().map(|&(at, column)| prepare(file, &encoder, at, column, salt)).collect::<Result<Vec<_>>>()?;
    let length = encoder.schema.length;
    let mut ones = 0u64;
    let mut harden = |filters: Filters, purpose: &str| {
        ones += filters.ones().into_iter().map(u64::from).sum::<u64>();
        how.hardening.harden(filters, length, secret, purpose, rng)
    };
    let columns = match how.encoding {
        LinkEncoding::Fields => (prepared.iter().zip(&places))
            .map(|(column, (at, _))| {
                let plain = encoder.filters(&[column], rows);
                let missing = plain.ones().into_iter().map(|ones| ones == 0).collect();
                Ok((harden(plain, &format!("column {at}"))?, missing))
            })
            .collect::<Result<_>>()?,
        _ => vec![(harden(encoder.filters(&prepared.iter().collect::<Vec<_>>(), rows), "")?, vec![false; rows])],
    };
    let columns: Vec<(Filters, Vec<bool>)> = columns;
    let filled = ones as f64 / (columns.len() * rows * length).max(1) as f64;
    Ok(Made { columns, length: how.hardening.length(length)?, names, filled, sets: Vec::new(), cut: 0 })
}

/// The columns of a file, cut and hashed: what an attacker knows of their own list.
pub(super) fn prepared(
    file: &RecordFile,
    schema: Schema,
    secret: &[u8],
    salt: Option<&str>,
    no_header: bool,
) -> Result<Vec<Prepared>> {
    let encoder = Encoder::new(schema, secret)?;
    let salt = salt.map(|salt| file.column(salt)).transpose()?;
    let name = |at: usize, name: &str| if no_header { (at + 1).to_string() } else { name.to_owned() };
    (encoder.schema.hashed())
        .map(|(at, feature, _)| prepare(file, &encoder, at, file.column(&name(at, &feature.identifier))?, salt))
        .collect()
}

/// Cuts and hashes a column, each different value, or pair of value and salt, once.
fn prepare(
    file: &RecordFile,
    encoder: &Encoder,
    feature: usize,
    column: usize,
    salt: Option<usize>,
) -> Result<Prepared> {
    let (_, values, cells, _) = &file.table.columns[column];
    let (pairs, cells): (Vec<(&str, &str)>, Vec<u32>) = match salt.map(|salt| &file.table.columns[salt]) {
        None => (values.iter().map(|value| (value, "")).collect(), cells.clone()),
        Some((_, salts, of_salt, _)) => {
            let mut numbers: HashMap<(u32, u32), u32> = HashMap::new();
            let mut pairs = Vec::new();
            let number = |(&cell, &salt): (&u32, &u32)| {
                *numbers.entry((cell, salt)).or_insert_with(|| {
                    pairs.push((values.get(cell), salts.get(salt)));
                    pairs.len() as u32 - 1
                })
            };
            let cells = cells.iter().zip(of_salt).map(number).collect();
            (pairs, cells)
        }
    };
    let first_rows = cells.clone();
    encoder.prepare(feature, &pairs, cells)?.map_err(|(value, wrong)| {
        let row = first_rows.iter().position(|&cell| cell as usize == value).unwrap_or(0);
        Error::data(format!("a value {wrong}"))
            .in_column(&encoder.schema.features[feature].identifier)
            .at_line(file.table.lines[row])
            .in_file(file.name.clone())
            .with_value(pairs[value].0)
            .with_hint("`throng link clean` brings values into one form; a `missingValue` in the schema says what stands for none")
    })
}

/// The keyed hash of all columns of each record; a record without any value gets one that no other has.
fn hashes(
    file: &RecordFile,
    encoder: &Encoder,
    places: &[(usize, usize)],
    secret: &[u8],
    phonetic: Option<Phonetic>,
) -> Result<Filters> {
    let key = own_key(secret, "hash")?;
    let mut columns: Vec<(Vec<String>, &[u32])> = Vec::new();
    for &(at, column) in places {
        let (_, values, cells, _) = &file.table.columns[column];
        // The same checks, the same words of an error.
        prepare(file, encoder, at, column, None)?;
        let Some(hashing) = &encoder.schema.features[at].hashing else { continue };
        let is_text = matches!(hashing.format, Format::Text { .. } | Format::Pattern(_));
        let form = |value: &str| {
            let plain = hashing.plain(value).unwrap_or_default();
            let plain = plain.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
            match phonetic.filter(|_| is_text && plain.chars().any(char::is_alphabetic)) {
                Some(Phonetic::Soundex) => soundex(&plain),
                Some(Phonetic::Nysiis) => nysiis(&plain),
                None => plain,
            }
        };
        columns.push((values.iter().map(form).collect(), cells));
    }
    let rows = (0..file.rows()).into_par_iter().map(|row| {
        let texts: Vec<&str> = columns.iter().map(|(values, cells)| values[cells[row] as usize].as_str()).collect();
        if texts.iter().all(|text| text.is_empty()) {
            let number = row.to_string();
            return Ok(words(&keyed(own_key(secret, "nobody")?.as_slice(), &[&file.name, &number])?));
        }
        Ok(words(&keyed(key.as_slice(), &texts)?))
    });
    Ok(Filters { words: 4, bits: rows.collect::<Result<Vec<_>>>()?.concat() })
}

/// The sets of q-grams of each column, and how many values have too many of them.
fn sets(
    file: &RecordFile,
    encoder: &Encoder,
    places: &[(usize, usize)],
    secret: &[u8],
    least: f64,
) -> Result<(Vec<SetColumn>, u64)> {
    let (mut columns, mut cut) = (Vec::new(), 0);
    for &(at, column) in places {
        let (_, values, cells, _) = &file.table.columns[column];
        // The same checks, the same words of an error.
        prepare(file, encoder, at, column, None)?;
        let Some(hashing) = &encoder.schema.features[at].hashing else { continue };
        let key = own_key(secret, &format!("sets of column {at}"))?;
        let texts: Vec<&str> = values.iter().collect();
        let made: Vec<(Set, bool)> = texts
            .par_iter()
            .map(|value| set_of(key.as_slice(), &hashing.tokens(value).unwrap_or_default(), least))
            .collect::<Result<_>>()?;
        cut += made.iter().filter(|(_, is_cut)| *is_cut).count() as u64;
        columns.push(SetColumn { values: made.into_iter().map(|(set, _)| set).collect(), cells: cells.clone() });
    }
    Ok((columns, cut))
}

/// The block tokens of each record, one a key.
fn tokens(
    file: &RecordFile,
    names: &[String],
    request: &EncodeRequest,
    secret: &[u8],
) -> Result<Vec<Vec<Option<String>>>> {
    let own = records(&[file], names, &[])?;
    let keys: Vec<Key> = match request.block.as_slice() {
        [word] if word == "tokens" => (own.fields.iter().enumerate())
            .filter(|(_, field)| field.values.len() > 20)
            .map(|(field, of)| {
                let sounds = Part::of_field(of).contains(&Part::Nysiis);
                Key(vec![throng_core::link::key::KeyPart {
                    field,
                    part: if sounds { Part::Nysiis } else { Part::Whole },
                }])
            })
            .collect(),
        keys => keys.iter().map(|key| Key::parse(key, &own.fields)).collect::<Result<_>>()?,
    };
    if keys.is_empty() {
        return Err(Error::parameter("block", "says tokens, but no column has enough values to make blocks")
            .with_hint("name keys: `--block surname:nysiis+birth:year`"));
    }
    let secret = own_key(secret, "blocks")?;
    let texts = |field: usize| match &own.fields[field].values {
        throng_core::link::records::Values::Text(texts) => texts.as_slice(),
        throng_core::link::records::Values::Bits { .. } | throng_core::link::records::Values::Alike { .. } => &[],
    };
    let token = |row: usize, key: &Key| -> Result<Option<String>> {
        let words = key.words(&own.fields);
        let mut parts = vec![words];
        for part in &key.0 {
            let cell = own.fields[part.field].cells[row];
            let made = if cell == MISSING { None } else { part.part.of_text(&texts(part.field)[cell as usize]) };
            match made {
                Some(made) => parts.push(made),
                None => return Ok(None),
            }
        }
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        Ok(Some(STANDARD.encode(&keyed(secret.as_slice(), &parts)?[..12])))
    };
    (0..file.rows()).into_par_iter().map(|row| keys.iter().map(|key| token(row, key)).collect()).collect()
}

/// Adds rows that are nobody's until no block is smaller than it may be. Gives how many.
fn fill(made: &mut Made, tokens: &mut Vec<Vec<Option<String>>>, least: usize, rng: &mut Rng) -> usize {
    let rows = tokens.len();
    let keys = tokens.first().map_or(0, Vec::len);
    // For each key the tokens that need a row, once for each that is lacking.
    let mut wanted: Vec<Vec<String>> = Vec::with_capacity(keys);
    for key in 0..keys {
        let mut counts: BTreeMap<&String, usize> = BTreeMap::new();
        tokens.iter().filter_map(|own| own[key].as_ref()).for_each(|token| *counts.entry(token).or_default() += 1);
        let lacking =
            |(token, count): (&String, usize)| std::iter::repeat_n(token.clone(), least.saturating_sub(count));
        let mut list: Vec<String> = counts.into_iter().flat_map(lacking).collect();
        rng.shuffle(&mut list);
        wanted.push(list);
    }
    let count = wanted.iter().map(Vec::len).max().unwrap_or(0);
    for _ in 0..count {
        let own = wanted.iter_mut().enumerate().map(|(key, list)| match list.pop() {
            Some(token) => Some(token),
            None => tokens[rng.index(rows)][key].clone(),
        });
        let own: Vec<Option<String>> = own.collect();
        tokens.push(own);
        // The bits of a real row in another order: as many ones, and like nobody's.
        let from = rng.index(rows);
        let mut order: Vec<usize> = (0..made.length).collect();
        rng.shuffle(&mut order);
        for (filters, missing) in &mut made.columns {
            let real = filters.get(from).to_vec();
            let mut filter = vec![0u64; filters.words];
            for (place, &from) in order.iter().enumerate() {
                filter[place / 64] |= (real[from / 64] >> (63 - from % 64) & 1) << (63 - place % 64);
            }
            filters.bits.extend(filter);
            missing.push(missing[from]);
        }
    }
    count
}
