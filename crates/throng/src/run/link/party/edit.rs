//! `edit`: the edit distances between the texts of two parties, the tables held in shares.
//!
//! Step 1, alice to bob: the lengths of her texts. 2, bob to the dealer: the lengths of both. 3, the dealer to alice: her key and the lengths;
//! and to bob: his key, and what was worked out with both. 4, alice to bob: her characters under masks. 5, bob to alice: his, and his share of the first
//! opening. From there on each message has the shares of the last opening and of the next one, until bob sends his share of the results.
//! Alice's `--out` has `a,b,distance`, or with `--at-most` the pairs `a,b` that near; b is a row of bob's `--out`, `row,id`.

use serde_json::json;
use throng_core::party::edit::{Holder, MOST_CELLS, MOST_CHARACTERS, Shape, Side, deal};
use throng_core::party::product::KEY;
use throng_core::{Error, Result};

use super::scalar::{counted, key_of, keys, pairs, rows_and_ids, shuffled};
use super::{Inputs, PartyRequest};
use crate::party::{Body, Finished, Halt, Message, Section, Talk};
use crate::run::link::csv_line;

/// What the numbers of a message are.
pub(super) const SUITE: &str = "additive-shares-2^8";

/// The protocol `edit`.
pub(super) fn run(talk: &mut Talk<'_>, request: &PartyRequest, inputs: &Inputs) -> std::result::Result<Finished, Halt> {
    match request.role.as_str() {
        "dealer" => dealer(talk, request),
        "alice" => alice(talk, request, inputs),
        _ => bob(talk, request, inputs),
    }
}

fn alice(talk: &mut Talk<'_>, request: &PartyRequest, inputs: &Inputs) -> std::result::Result<Finished, Halt> {
    talk.begin();
    let (ids, texts) = characters(talk, inputs)?;
    let own = lengths(&texts);
    talk.send("bob", 1, false, || Ok(Body::default().long("lengths", &own)))?;
    let help = talk.receive("dealer", 3, false)?;
    let sizes = [counted(&help, "alice", Some(own.len()))?, counted(&help, "bob", None)?];
    let [key, hers, his] =
        bytes(&help, [Section::Lines("key", KEY), Section::Long("alice", sizes[0]), Section::Long("bob", sizes[1])])?;
    if hers != own {
        return Err(help.wrong("the lengths are not those that were sent", 1).into());
    }
    let shape = shape(&help, own, his, request)?;
    let key = key_of(&help, &key)?;
    let mut holder = Holder::new(Side::Alice, &texts, shape.clone(), &key, &[]);
    talk.send("bob", 4, false, || Ok(Body::default().long("masked", &holder.masked())))?;
    let results = opened(talk, &mut holder, &shape, None)?;
    let all: Vec<u8> = holder.results().iter().zip(&results).map(|(own, his)| own.wrapping_add(*his)).collect();
    let width = shape.lengths[1].len();
    let mut out = if shape.at_most.is_some() { b"a,b\n".to_vec() } else { b"a,b,distance\n".to_vec() };
    let mut near = 0u64;
    for (pair, &result) in all.iter().enumerate() {
        let (id, row) = (&ids[pair / width], (pair % width + 1).to_string());
        match shape.at_most {
            None => csv_line(&[id, &row, &result.to_string()], &mut out),
            Some(_) if result == 1 => {
                near += 1;
                csv_line(&[id, &row], &mut out);
            }
            Some(_) => {}
        }
    }
    let mut found = pairs([ids.len(), width]);
    if shape.at_most.is_some() {
        found.insert("near".to_owned(), json!(near));
    }
    Ok(Finished { out: Some(out), needs_out: true, found })
}

fn bob(talk: &mut Talk<'_>, request: &PartyRequest, inputs: &Inputs) -> std::result::Result<Finished, Halt> {
    let question = talk.receive("alice", 1, false)?;
    let [hers] = bytes(&question, [Section::Long("lengths", counted(&question, "lengths", None)?)])?;
    let (ids, texts) = characters(talk, inputs)?;
    let shape = shape(&question, hers, lengths(&texts), request)?;
    talk.send("dealer", 2, false, || {
        Ok(Body::default().long("alice", &shape.lengths[0]).long("bob", &shape.lengths[1]))
    })?;
    let help = talk.receive("dealer", 3, true)?;
    let [key, dealt] = bytes(&help, [Section::Lines("key", KEY), Section::Long("dealt", shape.dealt())])?;
    let mut holder = Holder::new(Side::Bob, &texts, shape.clone(), &key_of(&help, &key)?, &dealt);
    let masked = talk.receive("alice", 4, false)?;
    let [masked] = bytes(&masked, [Section::Long("masked", holder.expected())])?;
    opened(talk, &mut holder, &shape, Some(&masked))?;
    Ok(Finished { out: Some(rows_and_ids(&ids)), needs_out: true, found: pairs([shape.lengths[0].len(), ids.len()]) })
}

fn dealer(talk: &mut Talk<'_>, request: &PartyRequest) -> std::result::Result<Finished, Halt> {
    let asked = talk.receive("bob", 2, false)?;
    let sizes = [counted(&asked, "alice", None)?, counted(&asked, "bob", None)?];
    let [hers, his] = bytes(&asked, [Section::Long("alice", sizes[0]), Section::Long("bob", sizes[1])])?;
    let shape = shape(&asked, hers, his, request)?;
    let keys = keys(talk);
    talk.send("alice", 3, false, || {
        let body = Body::default().section("key", KEY, &keys[0]);
        Ok(body.long("alice", &shape.lengths[0]).long("bob", &shape.lengths[1]))
    })?;
    talk.send("bob", 3, true, || {
        Ok(Body::default().section("key", KEY, &keys[1]).long("dealt", &deal(&keys[0], &keys[1], &shape)))
    })?;
    Ok(Finished { found: pairs([shape.lengths[0].len(), shape.lengths[1].len()]), ..Finished::default() })
}

/// Opens one thing after the other, and gives the other's share of the results, which only bob sends. Message k, from 0, is bob's where k is even: it has its
/// sender's shares of opening k − 1 and of opening k. Whoever has read it has opened both.
fn opened(
    talk: &mut Talk<'_>,
    holder: &mut Holder,
    shape: &Shape,
    masked: Option<&[u8]>,
) -> std::result::Result<Vec<u8>, Halt> {
    let is_bob = masked.is_some();
    let other = if is_bob { "alice" } else { "bob" };
    let sizes = shape.sizes();
    let own_masked = holder.masked();
    if let Some(masked) = masked {
        holder.take(masked);
    }
    // The own share of the opening before.
    let mut own: Vec<u8> = Vec::new();
    for k in 0..=sizes.len() {
        let step = 5 + k as u64;
        if (k % 2 == 0) == is_bob {
            let before = std::mem::take(&mut own);
            if k < sizes.len() {
                own = holder.share();
            }
            talk.send(other, step, true, || {
                let mut body = if k == 0 {
                    Body::default().long("masked", &own_masked)
                } else {
                    Body::default().long("share", &before)
                };
                if k < sizes.len() {
                    body = body.long("next", &own);
                } else if is_bob {
                    body = body.long("results", holder.results());
                }
                Ok(body)
            })?;
            continue;
        }
        let message = talk.receive(other, step, true)?;
        let first =
            if k == 0 { Section::Long("masked", holder.expected()) } else { Section::Long("share", sizes[k - 1]) };
        let second = if k < sizes.len() { Some(Section::Long("next", sizes[k])) } else { None };
        let results = (k == sizes.len() && !is_bob).then_some(Section::Long("results", shape.pairs()));
        let sections: Vec<Section<'_>> = [Some(first), second, results].into_iter().flatten().collect();
        let mut parts = message.parts(&sections)?.into_iter();
        let first = parts.next().unwrap_or_default();
        if k == 0 {
            holder.take(&first)
        } else {
            holder.open(&own, &first)
        }
        if k < sizes.len() {
            own = holder.share();
            holder.open(&own, &parts.next().unwrap_or_default());
        } else if let Some(results) = parts.next() {
            return Ok(results);
        }
    }
    let step = 6 + sizes.len() as u64;
    if sizes.len() % 2 == 1 {
        if is_bob {
            talk.send(other, step, true, || Ok(Body::default().long("results", holder.results())))?;
        } else {
            let message = talk.receive(other, step, true)?;
            return Ok(message.parts(&[Section::Long("results", shape.pairs())])?.remove(0));
        }
    }
    Ok(Vec::new())
}

/// The sections of a message.
fn bytes<const N: usize>(message: &Message, sections: [Section<'_>; N]) -> Result<[Vec<u8>; N]> {
    let mut parts = message.parts(&sections)?.into_iter();
    Ok(std::array::from_fn(|_| parts.next().unwrap_or_default()))
}

/// The lengths and the limit, when the tables are not too large.
fn shape(message: &Message, hers: Vec<u8>, his: Vec<u8>, request: &PartyRequest) -> Result<Shape> {
    if hers.contains(&0) || his.contains(&0) {
        return Err(message.wrong("a text has no characters", 0).at_line(1));
    }
    let shape = Shape { lengths: [hers, his], at_most: request.at_most };
    if shape.cells() > MOST_CELLS {
        return Err(Error::refused(format!("the tables of all pairs have {} cells", shape.cells())).with_hint(
            format!(
                "at most {MOST_CELLS} are taken, 65 bytes each from the dealer: give the records of one block at a time"
            ),
        ));
    }
    Ok(shape)
}

/// The records in a random order, as ids and characters.
fn characters(talk: &mut Talk<'_>, inputs: &Inputs) -> Result<(Vec<String>, Vec<Vec<char>>)> {
    let (ids, texts) = shuffled(talk, inputs);
    let texts: Vec<Vec<char>> = texts.iter().map(|text| text.chars().collect()).collect();
    match texts.iter().map(Vec::len).max() {
        Some(longest) if longest > MOST_CHARACTERS => Err(Error::refused(format!("a record has {longest} characters"))
            .with_hint(format!("at most {MOST_CHARACTERS} are compared: name fewer columns with `--on`"))),
        _ => Ok((ids, texts)),
    }
}

fn lengths(texts: &[Vec<char>]) -> Vec<u8> {
    texts.iter().map(|text| text.len() as u8).collect()
}
