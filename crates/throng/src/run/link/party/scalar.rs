//! `scalar`: how alike records of two parties are, as cosines of vectors of q-grams.
//!
//! Exact: step 1, alice to bob: how many vectors. 2, bob to the dealer: how many both have. 3, the dealer to alice: the key of her masks;
//! and to bob: the key of his, and the share worked out with both. 4, alice to bob: her vectors under masks. 5, bob to alice: his, and his share of
//! the products. Rows stand in random order; alice's `--out` has `a,b,similarity` with b a row of bob's `--out`, `row,id`.

use serde_json::{Map, json};
use throng_core::party::product::{Help, KEY, Matrix, deal};
use throng_core::party::vectors::{similarity, vectors};
use throng_core::{Error, Result};

use super::{Inputs, PartyRequest};
use crate::party::{Body, Finished, Halt, Message, Talk};
use crate::run::link::csv_line;

/// What the numbers of a message are.
pub(super) const SUITE: &str = "additive-shares-2^64";

/// How many pairs are compared at most.
const MOST_PAIRS: u64 = 1 << 27;

/// The protocol `scalar`.
pub(super) fn run(talk: &mut Talk<'_>, request: &PartyRequest, inputs: &Inputs) -> std::result::Result<Finished, Halt> {
    if let Some(samples) = request.samples {
        return super::samples::run(talk, request, inputs, samples);
    }
    match request.role.as_str() {
        "dealer" => dealer(talk, request),
        "alice" => alice(talk, request, inputs),
        _ => bob(talk, request, inputs),
    }
}

fn alice(talk: &mut Talk<'_>, request: &PartyRequest, inputs: &Inputs) -> std::result::Result<Finished, Halt> {
    talk.begin();
    let (ids, texts) = shuffled(talk, inputs);
    talk.send("bob", 1, false, || Ok(Body::default().count("vectors", texts.len() as u64)))?;
    let help = talk.receive("dealer", 3, false)?;
    let [key] = help.sections([("key", KEY)])?;
    let rows = [counted(&help, "alice", Some(texts.len()))?, counted(&help, "bob", None)?];
    let own = vectors(&texts, request.form()?);
    let help = Help::of_alice(&key_of(&help, &key)?, rows, request.dimensions);
    talk.send("bob", 4, false, || Ok(section(Body::default(), "masked", &help.masked(&own))))?;
    let answer = talk.receive("bob", 5, true)?;
    let [masked, share] = answer.sections([("masked", request.dimensions * 8), ("share", rows[1] * 8)])?;
    expect(&answer, "masked", rows[1])?;
    expect(&answer, "share", if rows[1] == 0 { 0 } else { rows[0] })?;
    let products = help.share_of_alice(&own, &matrix(request.dimensions, &masked)).plus(&matrix(rows[1], &share));
    let mut out = b"a,b,similarity\n".to_vec();
    for (a, id) in ids.iter().enumerate() {
        for (b, &product) in products.row(a).iter().enumerate() {
            csv_line(&[id, &(b + 1).to_string(), &format!("{:.6}", similarity(product))], &mut out);
        }
    }
    Ok(Finished { out: Some(out), needs_out: true, found: pairs(rows) })
}

fn bob(talk: &mut Talk<'_>, request: &PartyRequest, inputs: &Inputs) -> std::result::Result<Finished, Halt> {
    let question = talk.receive("alice", 1, false)?;
    let (ids, texts) = shuffled(talk, inputs);
    let rows = [counted(&question, "vectors", None)?, texts.len()];
    refuse_many(rows)?;
    talk.send("dealer", 2, false, || Ok(Body::default().count("alice", rows[0] as u64).count("bob", rows[1] as u64)))?;
    let help = talk.receive("dealer", 3, true)?;
    let [key, share] = help.sections([("key", KEY), ("share", rows[1] * 8)])?;
    expect(&help, "share", if rows[1] == 0 { 0 } else { rows[0] })?;
    let help = Help::of_bob(&key_of(&help, &key)?, rows[1], request.dimensions, matrix(rows[1], &share));
    let masked = talk.receive("alice", 4, false)?;
    expect(&masked, "masked", rows[0])?;
    let own = vectors(&texts, request.form()?);
    talk.send("alice", 5, true, || {
        let [theirs] = masked.sections([("masked", request.dimensions * 8)])?;
        let body = section(Body::default(), "masked", &help.masked(&own));
        Ok(section(body, "share", &help.share_of_bob(&matrix(request.dimensions, &theirs))))
    })?;
    Ok(Finished { out: Some(rows_and_ids(&ids)), needs_out: true, found: pairs(rows) })
}

fn dealer(talk: &mut Talk<'_>, request: &PartyRequest) -> std::result::Result<Finished, Halt> {
    let asked = talk.receive("bob", 2, false)?;
    let rows = [counted(&asked, "alice", None)?, counted(&asked, "bob", None)?];
    refuse_many(rows)?;
    let keys = keys(talk);
    let sizes = |body: Body| body.count("alice", rows[0] as u64).count("bob", rows[1] as u64);
    talk.send("alice", 3, false, || Ok(sizes(Body::default().section("key", KEY, &keys[0]))))?;
    talk.send("bob", 3, true, || {
        let share = deal(&keys[0], &keys[1], rows, request.dimensions);
        Ok(section(sizes(Body::default().section("key", KEY, &keys[1])), "share", &share))
    })?;
    Ok(Finished { found: pairs(rows), ..Finished::default() })
}

/// The keys of both holders' masks.
pub(super) fn keys(talk: &mut Talk<'_>) -> [[u8; KEY]; 2] {
    let mut keys = [[0; KEY]; 2];
    keys.iter_mut().for_each(|key| talk.rng().fill(key));
    keys
}

/// The one key of a message.
pub(super) fn key_of(message: &Message, bytes: &[u8]) -> Result<[u8; KEY]> {
    bytes.try_into().map_err(|_| message.wrong("there must be one key", 0))
}

/// Rows of numbers, a line each.
pub(super) fn section(body: Body, name: &str, matrix: &Matrix) -> Body {
    let bytes: Vec<u8> = matrix.cells().iter().flat_map(|cell| cell.to_le_bytes()).collect();
    body.section(name, matrix.columns() * 8, &bytes)
}

/// The numbers of lines.
pub(super) fn matrix(columns: usize, bytes: &[u8]) -> Matrix {
    Matrix::new(columns, bytes.as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect())
}

/// A count that is no more than a file can have, and the expected one.
pub(super) fn counted(message: &Message, name: &str, expected: Option<usize>) -> Result<usize> {
    let count = message.count(name)?;
    if expected.is_some_and(|expected| expected as u64 != count) {
        return Err(message.wrong(format!("its `{name}` is not the number that was sent"), 0).at_line(1));
    }
    u32::try_from(count)
        .map(|count| count as usize)
        .map_err(|_| message.wrong(format!("`{name}` is too large"), 0).at_line(1))
}

/// Refuses a message with another number of lines.
pub(super) fn expect(message: &Message, name: &str, lines: usize) -> Result<()> {
    counted(message, name, Some(lines)).map(drop)
}

/// The records in a random order: their ids and texts.
pub(super) fn shuffled(talk: &mut Talk<'_>, inputs: &Inputs) -> (Vec<String>, Vec<String>) {
    let mut records: Vec<(String, String)> =
        inputs.records().map(|(id, text)| (id.to_owned(), text.to_owned())).collect();
    talk.rng().shuffle(&mut records);
    records.into_iter().unzip()
}

/// Whose records the rows are: stays with their holder.
pub(super) fn rows_and_ids(ids: &[String]) -> Vec<u8> {
    let mut out = b"row,id\n".to_vec();
    for (row, id) in ids.iter().enumerate() {
        csv_line(&[&(row + 1).to_string(), id], &mut out);
    }
    out
}

/// What is said of the pairs.
pub(super) fn pairs(rows: [usize; 2]) -> Map<String, serde_json::Value> {
    Map::from_iter([("pairs".to_owned(), json!(rows[0] as u64 * rows[1] as u64))])
}

fn refuse_many(rows: [usize; 2]) -> Result<()> {
    let pairs = rows[0] as u64 * rows[1] as u64;
    if pairs > MOST_PAIRS {
        return Err(Error::refused(format!("{pairs} pairs are too many: at most {MOST_PAIRS} are compared"))
            .with_hint("give the records of one block at a time"));
    }
    Ok(())
}
