//! `throng link extract`: a researcher gets the records of a cohort, the holders do not learn which were taken, and who matched sees none.
//!
//! Paper      Christen. Geocode Matching and Privacy Preservation. PinKDD 2008, section 4 (its reference 42).
//!
//! `pack`: each record's payload is sealed under a key of its own (ChaCha20-Poly1305), all padded to one length. The sealed payloads go to the researcher,
//! the keys to carol. `choose`: carol keeps the keys of the matched rows and passes them on. `open`: the researcher opens what the keys open.
//! Carol and the researcher together can open everything.
//!
//! `P.enc` is text: a line of JSON (`throng` = `payloads`, `version` 1, `pack`, `columns`, `rows`, `body_sha256`), then a sealed payload a line, row 1 first.
//! `P.keys` is CSV `pack,row,match,key`: `match` is the row of the encoded file. `chosen.keys` is CSV `pair,side,pack,row,key`.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use throng_core::progress::Progress;
use throng_core::secret::Secret;
use throng_core::shares::sealed::{self, Mark};
use throng_core::{Error, Result, Rng};

use super::tables::{Csv, RecordFile};
use super::translate::rows_key;
use super::{Outputs, csv_line};
use crate::io::ReadOptions;
use crate::party::{hex, sha256};

/// What a holder packs.
#[derive(Debug, Clone)]
pub struct PackRequest {
    /// The records.
    pub file: PathBuf,
    /// The columns of the payload.
    pub columns: Vec<String>,
    /// The ids of the rows of the encoded file.
    pub rows: PathBuf,
    /// The file for the researcher.
    pub out: PathBuf,
    /// The file for carol.
    pub keys: PathBuf,
    /// The column of ids.
    pub id: Option<String>,
    /// How to read the file.
    pub options: ReadOptions,
}

/// What was packed, chosen or opened.
#[derive(Debug, Serialize)]
pub struct Extracted {
    /// The file that was made.
    pub file: String,
    /// How many records.
    pub records: u64,
}

#[derive(Debug, Serialize, Deserialize)]
struct Header {
    throng: String,
    version: u64,
    pack: String,
    columns: Vec<String>,
    rows: u64,
    body_sha256: String,
}

/// What stands between the values of a payload, and before what fills it up.
const SEPARATOR: char = '\u{1f}';
const FILLING: char = '\u{1e}';

/// Seals the payload of each record.
pub fn extract_pack(request: &PackRequest, progress: &dyn Progress) -> Result<Extracted> {
    if request.columns.is_empty() {
        return Err(Error::parameter("columns", "names no column: what shall the researcher get?"));
    }
    let file = RecordFile::read(&request.file, request.id.as_deref(), &request.options, progress)?;
    let columns = request.columns.iter().map(|name| file.column(name)).collect::<Result<Vec<_>>>()?;
    // The row of the encoded file of each id.
    let matched: HashMap<String, String> =
        rows_key(&request.rows)?.into_iter().filter(|(_, id)| !id.is_empty()).map(|(row, id)| (id, row)).collect();
    if matched.len() != file.rows() {
        return Err(Error::data(format!("the file has {} records, its key {}", file.rows(), matched.len()))
            .in_file(request.rows.display().to_string())
            .with_hint("both must be of one file: pack the file that was encoded"));
    }
    let mut rng = Rng::secure()?;
    let mut payloads = Vec::with_capacity(file.rows());
    for row in 0..file.rows() {
        let id = file.id(row);
        let number = matched.get(&id).ok_or_else(|| {
            Error::data("a record is not in the key file").at_line(file.table.lines[row]).in_file(file.name.clone())
        })?;
        let mut values = Vec::with_capacity(columns.len());
        for &column in &columns {
            let (name, values_of, cells, _) = &file.table.columns[column];
            let value = values_of.get(cells[row]);
            if value.contains([SEPARATOR, FILLING]) {
                return Err(Error::data("a value holds U+001E or U+001F, which stand between values")
                    .in_column(name)
                    .at_line(file.table.lines[row])
                    .in_file(file.name.clone()));
            }
            values.push(value);
        }
        payloads.push((values.join(&SEPARATOR.to_string()), number.clone()));
    }
    // All of one length: the sealed text says nothing of what is in it.
    let longest = payloads.iter().map(|(payload, _)| payload.len()).max().unwrap_or(0);
    for (payload, _) in &mut payloads {
        let lacking = longest - payload.len();
        payload.push(FILLING);
        payload.extend(std::iter::repeat_n(FILLING, lacking));
    }
    rng.shuffle(&mut payloads);
    let (pack, mark) = (hex(&rng.key()), Mark::draw(&mut rng));
    let (mut body, mut keys) = (String::new(), b"pack,row,match,key\n".to_vec());
    for (row, (payload, number)) in (1u64..).zip(&payloads) {
        let key = Secret::draw(&mut rng);
        body.push_str(&sealed::seal(payload, &key, mark)?);
        body.push('\n');
        csv_line(&[&pack, &row.to_string(), number, &hex(key.bytes())], &mut keys);
    }
    let header = Header {
        throng: "payloads".to_owned(),
        version: 1,
        pack,
        columns: request.columns.clone(),
        rows: payloads.len() as u64,
        body_sha256: sha256(body.as_bytes()),
    };
    let header = serde_json::to_string(&header).map_err(|cause| Error::internal(cause.to_string()))?;
    let mut outputs = Outputs::default();
    outputs.write(&request.out, format!("{header}\n{body}").as_bytes(), false)?;
    outputs.write(&request.keys, &keys, true)?;
    outputs.publish()?;
    Ok(Extracted { file: request.out.display().to_string(), records: payloads.len() as u64 })
}

/// What carol chooses.
#[derive(Debug, Clone)]
pub struct ChooseRequest {
    /// Pairs as `match` writes them, of encoded files.
    pub pairs: PathBuf,
    /// The keys of both holders, a's first.
    pub keys: Vec<PathBuf>,
    /// The file for the researcher.
    pub out: PathBuf,
}

/// A row of the encoded file, with its pack, the row there and its key.
type Keys = HashMap<String, [String; 3]>;

fn read_keys(path: &Path) -> Result<Keys> {
    let csv = Csv::read(path)?;
    let places = [csv.column("pack")?, csv.column("row")?, csv.column("key")?];
    let of = csv.column("match")?;
    let mut keys = Keys::new();
    for (line, cells) in &csv.rows {
        if keys.insert(cells[of].clone(), places.map(|place| cells[place].clone())).is_some() {
            return Err(Error::data("two keys are of one row").in_file(csv.name.clone()).at_line(*line));
        }
    }
    Ok(keys)
}

/// Keeps the keys of matched rows.
pub fn extract_choose(request: &ChooseRequest) -> Result<Extracted> {
    let [a, b] = request.keys.as_slice() else {
        return Err(Error::parameter(
            "keys",
            format!("names {} files, but must name two: a's and b's", request.keys.len()),
        ));
    };
    let keys = [read_keys(a)?, read_keys(b)?];
    let csv = Csv::read(&request.pairs)?;
    let places = [csv.column("a")?, csv.column("b")?];
    let class = csv.column("class")?;
    let mut text = b"pair,side,pack,row,key\n".to_vec();
    let mut pairs = 0u64;
    for (line, cells) in csv.rows.iter().filter(|(_, cells)| cells[class] == "match") {
        pairs += 1;
        for ((keys, place), side) in keys.iter().zip(places).zip(["a", "b"]) {
            let [pack, row, key] = keys.get(&cells[place]).ok_or_else(|| {
                Error::data("no key is of this row")
                    .in_column(side)
                    .at_line(*line)
                    .in_file(csv.name.clone())
                    .with_hint("`throng link match` with one-to-one leaves out rows that are nobody's; are these the keys of the matched files?")
            })?;
            csv_line(&[&pairs.to_string(), side, pack, row, key], &mut text);
        }
    }
    let mut outputs = Outputs::default();
    outputs.write(&request.out, &text, true)?;
    outputs.publish()?;
    Ok(Extracted { file: request.out.display().to_string(), records: pairs })
}

/// What the researcher opens.
#[derive(Debug, Clone)]
pub struct OpenCohortRequest {
    /// The sealed payloads of both holders, a's first.
    pub payloads: Vec<PathBuf>,
    /// What carol chose.
    pub chosen: PathBuf,
    /// The file to make.
    pub out: PathBuf,
}

struct Payloads {
    name: String,
    header: Header,
    rows: Vec<String>,
}

impl Payloads {
    fn read(path: &Path) -> Result<Self> {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|cause| Error::io(format!("read {name}"), cause))?;
        let wrong = |what: &str| {
            Error::data(what)
                .at_line(1)
                .in_file(&name)
                .with_hint("it must be a file that `throng link extract pack` made, byte by byte")
        };
        let (first, body) = text.split_once('\n').ok_or_else(|| wrong("this is no file of sealed payloads"))?;
        let header: Header = serde_json::from_str(first).map_err(|_| wrong("this is no file of sealed payloads"))?;
        if header.throng != "payloads" || header.version != 1 {
            return Err(wrong("this is no file of sealed payloads of version 1"));
        }
        if header.body_sha256 != sha256(body.as_bytes()) || body.lines().count() as u64 != header.rows {
            return Err(wrong("the file is damaged: its checksum is not that of its rows"));
        }
        Ok(Self { rows: body.lines().map(str::to_owned).collect(), name, header })
    }
}

/// Opens the chosen payloads: a line a pair, a's columns and then b's.
pub fn extract_open(request: &OpenCohortRequest) -> Result<Extracted> {
    let [a, b] = request.payloads.as_slice() else {
        return Err(Error::parameter(
            "payload",
            format!("names {} files, but must name two: a's and b's", request.payloads.len()),
        ));
    };
    let sides = [Payloads::read(a)?, Payloads::read(b)?];
    let chosen = Csv::read(&request.chosen)?;
    let [pair, side, pack, row, key] = [
        chosen.column("pair")?,
        chosen.column("side")?,
        chosen.column("pack")?,
        chosen.column("row")?,
        chosen.column("key")?,
    ];
    let mut header = vec!["pair".to_owned()];
    for (payloads, name) in sides.iter().zip(["a", "b"]) {
        header.extend(payloads.header.columns.iter().map(|column| format!("{name}_{column}")));
    }
    let mut text = Vec::new();
    csv_line(&header.iter().map(String::as_str).collect::<Vec<_>>(), &mut text);
    let mut records = 0;
    for lines in chosen.rows.chunks(2) {
        let mut cells = vec![lines[0].1[pair].clone()];
        for (at, (name, payloads)) in ["a", "b"].into_iter().zip(&sides).enumerate() {
            let placed = |error: Error| error.in_file(chosen.name.clone()).at_line(lines[0].0);
            let own = lines.get(at).filter(|(_, own)| own[side] == name && own[pair] == cells[0]);
            let (line, own) = own.ok_or_else(|| placed(Error::data("a pair has not both sides")))?;
            if own[pack] != payloads.header.pack {
                return Err(placed(Error::data(format!(
                    "the keys of {name} are of another pack than {}",
                    payloads.name
                )))
                .with_hint("`--payload` takes a's file first, then b's, as `choose` took the keys"));
            }
            let number = own[row].parse::<usize>().ok().and_then(|number| number.checked_sub(1));
            let label = number.and_then(|number| payloads.rows.get(number));
            let opened = label.and_then(|label| sealed::open(label, &secret(&own[key])?));
            let opened = opened.ok_or_else(|| {
                Error::data("a payload cannot be opened by its key").in_file(chosen.name.clone()).at_line(*line)
            })?;
            cells.extend(opened.trim_end_matches(FILLING).split(SEPARATOR).map(str::to_owned));
        }
        csv_line(&cells.iter().map(String::as_str).collect::<Vec<_>>(), &mut text);
        records += 1;
    }
    let mut outputs = Outputs::default();
    outputs.write(&request.out, &text, true)?;
    outputs.publish()?;
    Ok(Extracted { file: request.out.display().to_string(), records })
}

fn secret(digits: &str) -> Option<Secret> {
    let bytes = (0..digits.len() / 2).map(|at| u8::from_str_radix(digits.get(2 * at..2 * at + 2)?, 16).ok());
    let bytes: Vec<u8> = bytes.collect::<Option<_>>()?;
    Some(Secret::of(&bytes.try_into().ok()?))
}
