//! `encode`, `match` and `open`: places from a provider, found by a third party that has neither addresses nor places.
//!
//! Holder and provider share a secret. Each encodes what it has; the provider's file has the places too, sealed. Carol gets both files, and finds for each row of the
//! holder's the most similar one of the provider's. The holder opens the sealed places.
//!
//! An encoded file is text: a line of JSON (`throng` = `addresses`, `version` 1, `holds` = `queries` or `reference`, `rows`, `check`, `body_sha256`), then a line a row in
//! random order: base64 of the filter, and in a reference a comma, the number of the row's key and the sealed place in hex. `ROWS.csv` (`row,id`) stays with the holder.

use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use throng_core::geocode::Address;
use throng_core::geocode::encoded::{Encoder, Filter, WORDS, nearest};
use throng_core::progress::Progress;
use throng_core::shares::sealed::{self, Mark};
use throng_core::{Error, Result, Rng};

use super::super::files::{TextFile, degrees};
use super::super::mask::read_secret;
use super::super::reference::ReferenceFile;
use crate::io::NamedRows;
use crate::party::{hex, sha256};

/// What to encode.
#[derive(Debug, Clone)]
pub struct EncodeAddressesRequest {
    /// Addresses `id,number,street,suburb,postcode`, or a reference with places.
    pub file: PathBuf,
    /// Whether it is the provider's reference.
    pub is_reference: bool,
    /// The file with the secret.
    pub secret: PathBuf,
    /// Where the rows' ids are kept; a reference needs none.
    pub key: Option<PathBuf>,
    /// The file to make.
    pub out: PathBuf,
}

/// What was encoded.
#[derive(Debug, Serialize)]
pub struct EncodedAddresses {
    /// How many rows.
    pub rows: usize,
    /// `queries` or `reference`.
    pub holds: String,
    /// What should be said.
    #[serde(skip)]
    pub notes: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Header {
    throng: String,
    version: u64,
    holds: String,
    rows: u64,
    check: String,
    body_sha256: String,
}

const ADDRESSES: &str = "addresses";
const REFERENCE: &str = "reference";

/// Encodes addresses, or a reference.
pub fn encode_addresses(request: &EncodeAddressesRequest, progress: &dyn Progress) -> Result<EncodedAddresses> {
    let encoder = Encoder::new(&read_secret(&request.secret)?);
    let mut rng = Rng::secure()?;
    let mut notes = Vec::new();
    let mut rows: Vec<(Filter, String, String)> = Vec::new();
    if request.is_reference {
        if request.key.is_some() {
            return Err(Error::parameter("key", "is for a holder's addresses: a reference needs none"));
        }
        let read = ReferenceFile { file: request.file.clone(), offset: None }.read(progress)?;
        notes = read.notes();
        let mark = Mark::draw(&mut rng);
        for (number, dwelling) in (0..).zip(read.reference.dwellings()) {
            let street = &read.reference.streets[dwelling.street as usize].written;
            let address =
                Address::of_parts(&dwelling.number.to_string(), &street.street, &street.suburb, &street.postcode);
            let place = read.reference.places().get(number);
            let text = format!("{},{},{}", degrees(place.0), degrees(place.1), read.reference.id(dwelling.source));
            let key = rng.key();
            let sealed = sealed::seal(&text, &encoder.sealing(&key), mark)?;
            rows.push((encoder.filter(&address), format!(",{}{sealed}", hex(&key)), String::new()));
        }
    } else {
        let read = NamedRows::read(&request.file, progress)?;
        let [id, number, street, suburb, postcode] =
            read.columns(["id", "number", "street", "suburb", "postcode"], "a file of addresses to encode").map_err(|error| {
                error.with_hint("`throng link clean` cuts addresses on one line into these columns; or `--reference`, if it is one with places")
            })?;
        for row in 0..read.len() {
            let cell = |column: usize| read.cell(row, column);
            let address = Address::of_parts(cell(number), cell(street), cell(suburb), cell(postcode));
            rows.push((encoder.filter(&address), String::new(), cell(id).to_owned()));
        }
    }
    progress.go_on()?;
    rng.shuffle(&mut rows);
    let mut body = String::new();
    for (filter, sealed, _) in &rows {
        let bytes: Vec<u8> = filter.iter().flat_map(|word| word.to_le_bytes()).collect();
        STANDARD.encode_string(&bytes, &mut body);
        body.push_str(sealed);
        body.push('\n');
    }
    let holds = if request.is_reference { REFERENCE } else { ADDRESSES };
    let header = Header {
        throng: "addresses".to_owned(),
        version: 1,
        holds: holds.to_owned(),
        rows: rows.len() as u64,
        check: hex(&encoder.check()),
        body_sha256: sha256(body.as_bytes()),
    };
    let header = serde_json::to_string(&header).map_err(|cause| Error::internal(cause.to_string()))?;
    let mut files = vec![TextFile::of(&request.out, format!("{header}\n{body}").into_bytes())?];
    match (&request.key, request.is_reference) {
        (Some(key), false) => {
            let mut file = TextFile::csv(key, "row,id")?.private();
            (1..).zip(&rows).for_each(|(row, (_, _, id))| file.row(&[&format!("{row}"), id]));
            files.push(file);
        }
        (None, false) => {
            return Err(Error::refused("nobody could say whose the rows are")
                .with_hint("`--key ROWS.csv` keeps their ids; it stays with you"));
        }
        _ => {}
    }
    TextFile::publish(files)?;
    Ok(EncodedAddresses { rows: rows.len(), holds: holds.to_owned(), notes })
}

/// An encoded file.
struct Encoded {
    check: String,
    filters: Vec<Filter>,
    sealed: Vec<String>,
}

impl Encoded {
    fn read(path: &Path, holds: &str) -> Result<Self> {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|cause| Error::io(format!("read {name}"), cause))?;
        let damaged = |problem: &str, line: u64| {
            Error::data(problem)
                .at_line(line)
                .in_file(&name)
                .with_hint("it must be a file that `throng geocode private encode` made, byte by byte")
        };
        let (first, body) = text.split_once('\n').ok_or_else(|| damaged("this is no file of encoded addresses", 1))?;
        let header: Header =
            serde_json::from_str(first).map_err(|_| damaged("this is no file of encoded addresses", 1))?;
        if header.throng != "addresses" || header.version != 1 {
            return Err(damaged("this is no file of encoded addresses of version 1", 1));
        }
        if header.holds != holds {
            return Err(damaged(&format!("it holds `{}`, but must hold `{holds}` here", header.holds), 1));
        }
        if header.body_sha256 != sha256(body.as_bytes()) {
            return Err(damaged("the file is damaged: its checksum is not that of its rows", 1));
        }
        let (mut filters, mut sealed) = (Vec::new(), Vec::new());
        for (line, row) in (2..).zip(body.lines()) {
            let (filter, rest) = row.split_once(',').unwrap_or((row, ""));
            let bytes = STANDARD.decode(filter).ok().filter(|bytes| bytes.len() == WORDS * 8);
            let bytes = bytes.ok_or_else(|| damaged("a row has no filter", line))?;
            let words = bytes.as_chunks::<8>().0;
            filters.push(std::array::from_fn(|at| u64::from_le_bytes(words[at])));
            if rest.is_empty() == (holds == REFERENCE) {
                return Err(damaged("a row has another form than the file says", line));
            }
            sealed.push(rest.to_owned());
        }
        if filters.len() as u64 != header.rows {
            return Err(damaged("the file has another number of rows than it says", 1));
        }
        Ok(Self { check: header.check, filters, sealed })
    }
}

/// What carol matches.
#[derive(Debug, Clone)]
pub struct MatchEncodedRequest {
    /// The holder's encoded addresses.
    pub queries: PathBuf,
    /// The provider's encoded reference.
    pub reference: PathBuf,
    /// Less similar rows are not found.
    pub lower: f64,
    /// The file to make: `row,score,sealed`.
    pub out: PathBuf,
}

/// Finds the most similar row of the reference for each query. Gives how many queries there are, and how many were found.
pub fn match_encoded(request: &MatchEncodedRequest, progress: &dyn Progress) -> Result<(usize, usize)> {
    if !(0.0..=1.0).contains(&request.lower) {
        return Err(Error::parameter("lower", format!("is {}, but must be from 0 to 1", request.lower)));
    }
    let mut out = TextFile::csv(&request.out, "row,score,sealed")?;
    let queries = Encoded::read(&request.queries, ADDRESSES)?;
    let reference = Encoded::read(&request.reference, REFERENCE)?;
    if queries.check != reference.check {
        return Err(Error::data("the two files were encoded under different secrets")
            .in_file(request.queries.display().to_string())
            .with_hint("holder and provider must use the same secret file"));
    }
    progress.stage("comparing", queries.filters.len() as u64);
    let found: Vec<Option<(usize, f64)>> = queries
        .filters
        .par_iter()
        .map(|filter| {
            progress.advance(1);
            if progress.is_stopped() { None } else { nearest(filter, &reference.filters) }
        })
        .collect();
    progress.go_on()?;
    let mut matched = 0;
    for (row, found) in (1..).zip(&found) {
        let row = format!("{row}");
        match found.filter(|(_, score)| *score >= request.lower) {
            Some((at, score)) => {
                matched += 1;
                out.row(&[&row, &format!("{score:.4}"), &reference.sealed[at]]);
            }
            None => out.row(&[&row, "", ""]),
        }
    }
    TextFile::publish(vec![out])?;
    Ok((found.len(), matched))
}

/// What the holder opens.
#[derive(Debug, Clone)]
pub struct OpenPlacesRequest {
    /// What carol found.
    pub matches: PathBuf,
    /// Whose the rows are.
    pub key: PathBuf,
    /// The file with the secret.
    pub secret: PathBuf,
    /// The file to make: `id,lat,lon,score,ref`.
    pub out: PathBuf,
}

/// What was opened.
#[derive(Debug, Serialize)]
pub struct OpenedPlaces {
    /// How many addresses there are.
    pub records: usize,
    /// How many have a place.
    pub placed: usize,
}

/// Opens the places that carol found.
pub fn open_places(request: &OpenPlacesRequest, progress: &dyn Progress) -> Result<OpenedPlaces> {
    let encoder = Encoder::new(&read_secret(&request.secret)?);
    let mut out = TextFile::csv(&request.out, "id,lat,lon,score,ref")?;
    let key = NamedRows::read(&request.key, progress)?;
    let [number, id] = key.columns(["row", "id"], "a file of rows")?;
    let matches = NamedRows::read(&request.matches, progress)?;
    let [row, score, sealed] = matches.columns(["row", "score", "sealed"], "what carol found")?;
    if key.len() != matches.len() {
        return Err(Error::data(format!("{} rows were matched, and the key has {}", matches.len(), key.len()))
            .in_file(&matches.file)
            .with_hint("both must be of the same encoded file"));
    }
    let mut placed = 0;
    for at in 0..key.len() {
        if key.cell(at, number) != matches.cell(at, row) {
            return Err(matches.wrong("it is not the row of the key's same line", at, row));
        }
        let label = matches.cell(at, sealed);
        if label.is_empty() {
            out.row(&[key.cell(at, id), "", "", "", ""]);
            continue;
        }
        let text = label.split_at_checked(32).and_then(|(nonce, label)| {
            let nonce = u128::from_str_radix(nonce, 16).ok()?.to_be_bytes();
            sealed::open(label, &encoder.sealing(&nonce))
        });
        let text = text.ok_or_else(|| {
            matches
                .wrong("a place cannot be opened", at, sealed)
                .with_hint("it was sealed under another secret, or changed on its way")
        })?;
        let mut cells = text.splitn(3, ',');
        let mut cell = || cells.next().unwrap_or_default();
        let (lat, lon, source) = (cell(), cell(), cell());
        out.row(&[key.cell(at, id), lat, lon, matches.cell(at, score), source]);
        placed += 1;
    }
    TextFile::publish(vec![out])?;
    Ok(OpenedPlaces { records: key.len(), placed })
}
