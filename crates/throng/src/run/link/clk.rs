//! The file of encoded records: what a holder gives to whoever matches.
//!
//! Text: a line of JSON (`throng` = `clk`, `version` 1, `encoding`, `length` in bits, `columns`, `rows`, `schema_sha256`, `harden`, `check`, `blocks`, `body_sha256`),
//! then a line a row in random order: the filters in base64 with commas between columns, an empty one for a missing value; where there are block
//! tokens, a semicolon and the tokens in base64 with blanks between. In the place of a filter `qgram-sets` has how many q-grams a value has, and behind it, each behind a `|`, the hashes (8 bytes each, ascending) of
//! the set of all of them, of all but one, and so on; its header has `least`, the similarity from which on sets tell. No id, no secret, no salt, no name of a column. clkhash's
//! `{"clks": [base64, …]}` is read too.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use throng_core::link::bits::Filters;
use throng_core::link::encode::sets::Set;
use throng_core::link::encode::{bytes, words};
use throng_core::{Error, Result};

use crate::party::sha256;

/// How a record is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LinkEncoding {
    /// One filter over all columns.
    Clk,
    /// A filter for each column.
    Fields,
    /// A keyed hash of all columns together.
    Hash,
    /// Keyed hashes of sets of q-grams, for each column.
    QgramSets,
}

/// A row of an encoded file: its filters, none where the value is missing, and its block tokens.
type Row = (Vec<Option<Vec<u64>>>, Vec<String>);

impl LinkEncoding {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Clk => "clk",
            Self::Fields => "fields",
            Self::Hash => "hash",
            Self::QgramSets => "qgram-sets",
        }
    }

    /// Reads a name.
    pub fn parse(name: &str) -> Result<Self> {
        let all = [Self::Clk, Self::Fields, Self::Hash, Self::QgramSets];
        let known = || all.iter().map(|one| one.name());
        all.into_iter().find(|one| one.name() == name).ok_or_else(|| Error::unknown("encoding", name, known()))
    }
}

/// The first line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Header {
    throng: String,
    version: u64,
    pub(crate) encoding: LinkEncoding,
    /// Bits of a filter.
    pub(crate) length: usize,
    /// Filters of a row.
    pub(crate) columns: usize,
    rows: u64,
    pub(crate) schema_sha256: String,
    pub(crate) harden: String,
    /// A keyed hash of a fixed text: two files of one secret have the same.
    pub(crate) check: String,
    /// Whether rows have block tokens.
    pub(crate) blocks: bool,
    /// Of sets of q-grams, from which similarity on they tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) least: Option<f64>,
    body_sha256: String,
}

/// An encoded file.
#[derive(Debug)]
pub(crate) struct Clk {
    /// The file as the user named it.
    pub(crate) name: String,
    /// What it says of itself; nothing if it is clkhash's.
    pub(crate) header: Option<Header>,
    /// The filters of each column; of sets of q-grams the hash of all of them.
    pub(crate) columns: Vec<Filters>,
    /// For each column the sets of q-grams of each row, if the file has such.
    pub(crate) sets: Vec<Vec<Set>>,
    /// For each column the rows that have no value.
    pub(crate) missing: Vec<Vec<bool>>,
    /// The block tokens of each row.
    pub(crate) tokens: Vec<Vec<String>>,
}

const LENGTHS: std::ops::RangeInclusive<usize> = 1..=1 << 23;

/// What is written of the encoding, beside the rows.
#[derive(Debug)]
pub(crate) struct Written<'a> {
    pub(crate) encoding: LinkEncoding,
    pub(crate) length: usize,
    pub(crate) schema_sha256: String,
    pub(crate) harden: String,
    pub(crate) check: String,
    /// The columns: filters by row, and which rows have none.
    pub(crate) columns: &'a [(Filters, Vec<bool>)],
    /// The sets of each column, if that is what is written, and from which similarity on they tell.
    pub(crate) sets: Option<(&'a [SetColumn], f64)>,
    /// The tokens of each row, if there are any.
    pub(crate) tokens: Option<&'a [Vec<String>]>,
    /// The rows in the order in which they are written.
    pub(crate) order: &'a [u32],
}

impl Written<'_> {
    /// The file.
    pub(crate) fn file(self) -> Result<Vec<u8>> {
        let line = |&row: &u32| {
            let row = row as usize;
            let mut line = String::new();
            for (at, (filters, missing)) in self.columns.iter().enumerate() {
                if at > 0 {
                    line.push(',');
                }
                if let Some((sets, _)) = self.sets {
                    sets[at].write(row, &mut line);
                } else if !missing[row] {
                    STANDARD.encode_string(bytes(filters.get(row), self.length), &mut line);
                }
            }
            if let Some(tokens) = self.tokens {
                line.push(';');
                line.push_str(&tokens[row].join(" "));
            }
            line.push('\n');
            line
        };
        let body = self.order.par_iter().map(line).collect::<Vec<String>>().concat();
        let header = Header {
            throng: "clk".to_owned(),
            version: 1,
            encoding: self.encoding,
            length: self.length,
            columns: self.columns.len(),
            rows: self.order.len() as u64,
            schema_sha256: self.schema_sha256,
            harden: self.harden,
            check: self.check,
            blocks: self.tokens.is_some(),
            least: self.sets.map(|(_, least)| least),
            body_sha256: sha256(body.as_bytes()),
        };
        let header = serde_json::to_string(&header).map_err(|cause| Error::internal(cause.to_string()))?;
        Ok(format!("{header}\n{body}").into_bytes())
    }
}

/// Whether a file is encoded, by its beginning.
pub(crate) fn is_encoded(path: &Path) -> bool {
    use std::io::Read as _;
    let mut first = Vec::new();
    let Ok(file) = std::fs::File::open(path) else { return false };
    if !path.is_file() || file.take(64).read_to_end(&mut first).is_err() {
        return false;
    }
    let plain: String = String::from_utf8_lossy(&first).chars().filter(|letter| !letter.is_whitespace()).collect();
    plain.starts_with("{\"throng\":\"clk\"") || plain.starts_with("{\"clks\":[")
}

impl Clk {
    /// How many rows there are.
    pub(crate) fn rows(&self) -> usize {
        self.columns.first().map_or(0, Filters::len)
    }

    /// Bits of a filter.
    pub(crate) fn length(&self) -> usize {
        self.header
            .as_ref()
            .map_or_else(|| self.columns.first().map_or(0, |filters| filters.words * 64), |own| own.length)
    }

    /// The encoding; clkhash has one.
    pub(crate) fn encoding(&self) -> LinkEncoding {
        self.header.as_ref().map_or(LinkEncoding::Clk, |header| header.encoding)
    }

    /// Reads a file.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|cause| match cause.kind() {
            std::io::ErrorKind::InvalidData => Error::data("this is no file of encoded records").in_file(&name),
            _ => Error::io(format!("read {name}"), cause),
        })?;
        let (first, body) = text.split_once('\n').unwrap_or((&text, ""));
        match serde_json::from_str::<Header>(first) {
            Ok(header) if header.throng == "clk" => Self::of_ours(name, header, body),
            _ if first.trim_start().starts_with("{\"throng\"") => Err(damaged(
                &name,
                "this is no file of encoded records of version 1: its first line lacks something, or has something that none has",
                1,
            )),
            _ => Self::of_clkhash(name, &text),
        }
    }

    /// What a person should know of it: filters that no record has.
    pub(crate) fn notes(&self) -> Vec<String> {
        let (mut empty, mut full) = (0u64, 0u64);
        // Of sets of q-grams these are hashes.
        if !self.sets.is_empty() {
            return Vec::new();
        }
        for (filters, missing) in self.columns.iter().zip(&self.missing) {
            for (ones, _) in filters.ones().into_iter().zip(missing).filter(|(_, missing)| !**missing) {
                empty += u64::from(ones == 0);
                full += u64::from(ones as usize == self.length());
            }
        }
        let note = |(count, what): (u64, &str)| {
            let filters = crate::words::counted(count, "filter has", "filters have");
            format!("{}: {filters} {what}: no record is encoded so", self.name)
        };
        let found = [(empty, "no bit"), (full, "every bit")];
        found.into_iter().filter(|(count, _)| *count > 0).map(note).collect()
    }

    fn of_ours(name: String, header: Header, body: &str) -> Result<Self> {
        if header.version != 1 {
            return Err(damaged(&name, "this is no file of encoded records of version 1", 1));
        }
        if header.body_sha256 != sha256(body.as_bytes()) {
            return Err(damaged(&name, "the file is damaged: its checksum is not that of its rows", 1));
        }
        if !LENGTHS.contains(&header.length) || !(1..=4096).contains(&header.columns) {
            return Err(damaged(&name, "it says a length or a number of columns that cannot be", 1));
        }
        let lines: Vec<&str> = body.lines().collect();
        if lines.len() as u64 != header.rows {
            return Err(damaged(&name, "the file has another number of rows than it says", 1));
        }
        if header.encoding == LinkEncoding::QgramSets {
            return Self::of_sets(name, header, &lines);
        }
        let width = header.length.div_ceil(64);
        let row = |(at, line): (usize, &&str)| -> Result<Row> {
            let wrong = |what: &str| damaged(&name, what, at as u64 + 2);
            let (filters, tokens) = match (line.split_once(';'), header.blocks) {
                (Some(both), true) => both,
                (None, false) => (*line, ""),
                _ => return Err(wrong("a row has another form than the file says")),
            };
            let filters = filters
                .split(',')
                .map(|text| match text {
                    "" => Ok(None),
                    text => {
                        filter(text, header.length).map(Some).ok_or_else(|| wrong("a row has a filter that is none"))
                    }
                })
                .collect::<Result<Vec<_>>>()?;
            if filters.len() != header.columns {
                return Err(wrong("a row has another number of filters than the file says"));
            }
            Ok((filters, tokens.split_whitespace().map(str::to_owned).collect()))
        };
        let rows = lines.par_iter().enumerate().map(row).collect::<Result<Vec<_>>>()?;
        let mut columns = vec![Filters { words: width, bits: Vec::with_capacity(rows.len() * width) }; header.columns];
        let mut missing = vec![Vec::with_capacity(rows.len()); header.columns];
        let mut tokens = Vec::with_capacity(rows.len());
        for (filters, own) in rows {
            for (at, filter) in filters.into_iter().enumerate() {
                missing[at].push(filter.is_none());
                match filter {
                    Some(filter) => columns[at].bits.extend(filter),
                    None => columns[at].bits.extend(std::iter::repeat_n(0, width)),
                }
            }
            tokens.push(own);
        }
        Ok(Self { name, header: Some(header), columns, sets: Vec::new(), missing, tokens })
    }

    fn of_sets(name: String, header: Header, lines: &[&str]) -> Result<Self> {
        if header.blocks || header.length != 64 || !header.least.is_some_and(|least| (0.0..=1.0).contains(&least)) {
            return Err(damaged(&name, "it says what files of sets of q-grams do not have", 1));
        }
        let row = |(at, line): (usize, &&str)| {
            let cells: Option<Vec<Set>> = line.split(',').map(read_set).collect();
            cells.filter(|cells| cells.len() == header.columns).ok_or_else(|| {
                damaged(&name, "a row has sets that are none, or not as many as the file says", at as u64 + 2)
            })
        };
        let rows = lines.par_iter().enumerate().map(row).collect::<Result<Vec<_>>>()?;
        let mut sets = vec![Vec::with_capacity(rows.len()); header.columns];
        for row in rows {
            row.into_iter().zip(&mut sets).for_each(|(set, column)| column.push(set));
        }
        let whole = |column: &Vec<Set>| Filters { words: 1, bits: column.iter().map(hash_of_all).collect() };
        let columns = sets.iter().map(whole).collect();
        let missing = sets.iter().map(|column| column.iter().map(|set| set.grams == 0).collect()).collect();
        let tokens = vec![Vec::new(); lines.len()];
        Ok(Self { name, header: Some(header), columns, sets, missing, tokens })
    }

    fn of_clkhash(name: String, text: &str) -> Result<Self> {
        #[derive(Deserialize)]
        struct Document {
            clks: Vec<String>,
        }
        let document: Document =
            serde_json::from_str(text).map_err(|_| damaged(&name, "this is no file of encoded records", 1))?;
        let bytes = document.clks.first().and_then(|text| STANDARD.decode(text).ok()).map_or(0, |bytes| bytes.len());
        if !LENGTHS.contains(&(bytes * 8)) {
            return Err(damaged(&name, "it holds no filter", 1));
        }
        let rows = document.clks.par_iter().enumerate().map(|(at, text)| {
            filter(text, bytes * 8).ok_or_else(|| {
                Error::data(format!("filter {} is no base64 text, or not as long as the first", at + 1)).in_file(&name)
            })
        });
        let rows = rows.collect::<Result<Vec<_>>>()?;
        let count = rows.len();
        let filters = Filters { words: bytes.div_ceil(8), bits: rows.concat() };
        Ok(Self {
            name,
            header: None,
            columns: vec![filters],
            sets: Vec::new(),
            missing: vec![vec![false; count]],
            tokens: vec![Vec::new(); count],
        })
    }
}

/// The sets of a column: those of each different value, and the value of each row.
#[derive(Debug)]
pub(crate) struct SetColumn {
    pub(crate) values: Vec<Set>,
    pub(crate) cells: Vec<u32>,
}

impl SetColumn {
    /// The hash of all q-grams of each row in the place of a filter, and which rows have none.
    pub(crate) fn whole(&self) -> (Filters, Vec<bool>) {
        let of = |cell: &u32| &self.values[*cell as usize];
        let bits = self.cells.iter().map(|cell| hash_of_all(of(cell))).collect();
        (Filters { words: 1, bits }, self.cells.iter().map(|cell| of(cell).grams == 0).collect())
    }

    fn write(&self, row: usize, line: &mut String) {
        use std::fmt::Write as _;
        let set = &self.values[self.cells[row] as usize];
        if set.grams == 0 {
            return;
        }
        let _ = write!(line, "{}", set.grams);
        for hashes in &set.subsets {
            line.push('|');
            let bytes: Vec<u8> = hashes.iter().flat_map(|hash| hash.to_be_bytes()).collect();
            STANDARD.encode_string(bytes, line);
        }
    }
}

/// The hash of all q-grams of a value: equal values have the same.
fn hash_of_all(set: &Set) -> u64 {
    set.subsets.first().and_then(|hashes| hashes.first()).copied().unwrap_or(0)
}

/// Reads the sets of a value; nothing is one without q-grams.
fn read_set(text: &str) -> Option<Set> {
    const MOST_GRAMS: u32 = 1 << 16;
    if text.is_empty() {
        return Some(Set::default());
    }
    let mut parts = text.split('|');
    let grams: u32 = parts.next()?.parse().ok().filter(|grams| (1..=MOST_GRAMS).contains(grams))?;
    let hashes = |text: &str| -> Option<Vec<u64>> {
        let bytes = STANDARD.decode(text).ok().filter(|bytes| !bytes.is_empty() && bytes.len() % 8 == 0)?;
        Some(bytes.chunks_exact(8).map(|hash| u64::from_be_bytes(std::array::from_fn(|at| hash[at]))).collect())
    };
    let subsets: Vec<Vec<u64>> = parts.map(hashes).collect::<Option<_>>()?;
    let is_fine = (1..=grams as usize).contains(&subsets.len()) && subsets[0].len() == 1;
    is_fine.then_some(Set { grams, subsets })
}

fn filter(text: &str, length: usize) -> Option<Vec<u64>> {
    let bytes = STANDARD.decode(text).ok().filter(|bytes| bytes.len() == length.div_ceil(8))?;
    // Bits behind the last one would count as common.
    let spare = bytes.len() * 8 - length;
    (bytes.last().is_none_or(|last| last & ((1u16 << spare) - 1) as u8 == 0)).then(|| words(&bytes))
}

fn damaged(name: &str, what: &str, line: u64) -> Error {
    Error::data(what)
        .at_line(line)
        .in_file(name)
        .with_hint("it must be a file that `throng link encode` made, byte by byte, or clkhash's JSON")
}
