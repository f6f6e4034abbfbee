//! `psi` and `psi-count`: which records both parties have, or how many.
//!
//! Step 1, alice: `counts.blinded`, her blinded elements in random order. Step 2, bob: `counts.evaluated`, what his key made of them, in the
//! same order (`psi-count`: in another), and `counts.tags`, the tags of his own inputs, ascending by bytes. Step 3, alice, with `--share-result`:
//! `counts.tags`, the common tags, ascending.

use std::collections::HashMap;

use serde_json::{Map, json};
use throng_core::Error;
use throng_core::party::intersection::{Asked, TAG, Tag, evaluated, own_count_tags, padding, tags};
use throng_core::party::oprf::{ELEMENT, Element, Scale};

use super::{Inputs, PartyRequest};
use crate::party::{Body, Finished, Halt, Message, Talk};

type Ended = Result<Finished, Halt>;

/// The protocol `psi`.
pub(super) fn run(talk: &mut Talk<'_>, request: &PartyRequest, inputs: &Inputs) -> Ended {
    if request.role == "alice" { alice(talk, request, inputs) } else { bob(talk, request, inputs) }
}

fn alice(talk: &mut Talk<'_>, request: &PartyRequest, inputs: &Inputs) -> Ended {
    let (texts, asked) = ask(talk, request, inputs, false)?;
    let answer = talk.receive("bob", 2, true)?;
    let (elements, his) = answered(&answer, texts.len())?;
    let own = asked.tags(&texts, &elements).map_err(|place| no_element(&answer, place))?;
    // Inputs that only fill up have no record.
    let is_his: Vec<bool> = own[..inputs.different.len()].iter().map(|tag| his.binary_search(tag).is_ok()).collect();
    let (out, found) = inputs.chosen(|input| is_his[input as usize]);
    if request.share_result {
        let mut common: Vec<Tag> =
            own.into_iter().zip(&is_his).filter(|(_, is_his)| **is_his).map(|(tag, _)| tag).collect();
        common.sort_unstable();
        talk.send("bob", 3, true, || Ok(Body::default().section("tags", TAG, common.as_flattened())))?;
    }
    Ok(finished(out, found))
}

fn bob(talk: &mut Talk<'_>, request: &PartyRequest, inputs: &Inputs) -> Ended {
    let question = talk.receive("alice", 1, false)?;
    let (texts, key) = own(talk, request, inputs);
    // Worked out once, unless the common ones are awaited.
    let mut made: Option<Vec<Tag>> = None;
    talk.send("alice", 2, true, || {
        let [blinded] = question.sections([("blinded", ELEMENT)])?;
        let elements = evaluated(blinded.as_chunks().0, &key).map_err(|place| no_element(&question, place))?;
        let own = made.insert(tags(&texts, &key));
        let mut sorted = own.clone();
        sorted.sort_unstable();
        Ok(Body::default().section("evaluated", ELEMENT, elements.as_flattened()).section(
            "tags",
            TAG,
            sorted.as_flattened(),
        ))
    })?;
    if !request.share_result {
        return Ok(Finished::default());
    }
    talk.forget();
    let result = talk.receive("alice", 3, true)?;
    let [common] = result.sections([("tags", TAG)])?;
    let common = ascending(&result, common.as_chunks().0, 0)?;
    let own = made.unwrap_or_else(|| tags(&texts, &key));
    let place_of: HashMap<Tag, u32> = own.iter().copied().zip(0..).collect();
    let mut is_hers = vec![false; own.len()];
    for (line, tag) in common.iter().enumerate() {
        let input = place_of.get(tag).filter(|&&input| (input as usize) < inputs.different.len());
        is_hers[*input.ok_or_else(|| result.wrong("a tag is none of those that were sent", line))? as usize] = true;
    }
    let (out, found) = inputs.chosen(|input| is_hers[input as usize]);
    Ok(finished(out, found))
}

/// The protocol `psi-count`.
pub(super) fn count(talk: &mut Talk<'_>, request: &PartyRequest, inputs: &Inputs) -> Ended {
    if request.role == "bob" {
        let question = talk.receive("alice", 1, false)?;
        let (texts, key) = own(talk, request, inputs);
        let mut order: Vec<usize> = (0..question.count("blinded")?.min(u64::from(u32::MAX)) as usize).collect();
        talk.rng().shuffle(&mut order);
        talk.send("alice", 2, true, || {
            let [blinded] = question.sections([("blinded", ELEMENT)])?;
            let elements = evaluated(blinded.as_chunks().0, &key).map_err(|place| no_element(&question, place))?;
            let shuffled: Vec<Element> = order.iter().map(|&at| elements[at]).collect();
            let mut own = own_count_tags(&texts, &key);
            own.sort_unstable();
            Ok(Body::default().section("evaluated", ELEMENT, shuffled.as_flattened()).section(
                "tags",
                TAG,
                own.as_flattened(),
            ))
        })?;
        return Ok(Finished::default());
    }
    let (texts, asked) = ask(talk, request, inputs, true)?;
    let answer = talk.receive("bob", 2, true)?;
    let (elements, his) = answered(&answer, texts.len())?;
    let own = asked.count_tags(&elements).map_err(|place| no_element(&answer, place))?;
    let count = own.iter().filter(|tag| his.binary_search(tag).is_ok()).count();
    let found = Map::from_iter([("count".to_owned(), json!(count))]);
    Ok(Finished { out: Some(format!("{}\n", json!({"count": count})).into_bytes()), needs_out: false, found })
}

/// Alice's first message.
fn ask(
    talk: &mut Talk<'_>,
    request: &PartyRequest,
    inputs: &Inputs,
    one_blind: bool,
) -> Result<(Vec<String>, Asked), Halt> {
    talk.begin();
    let texts = filled(talk, request, inputs);
    let asked = Asked::draw(texts.len(), one_blind, talk.rng());
    talk.send("bob", 1, false, || {
        Ok(Body::default().section("blinded", ELEMENT, asked.blinded(&texts).as_flattened()))
    })?;
    Ok((texts, asked))
}

/// Bob's inputs and his key.
fn own(talk: &mut Talk<'_>, request: &PartyRequest, inputs: &Inputs) -> (Vec<String>, Scale) {
    let texts = filled(talk, request, inputs);
    (texts, Scale::draw(talk.rng()))
}

/// The inputs, and those that fill up.
fn filled(talk: &mut Talk<'_>, request: &PartyRequest, inputs: &Inputs) -> Vec<String> {
    let mut texts = inputs.different.clone();
    if request.pad {
        texts.extend(padding(texts.len(), talk.rng()));
    }
    texts
}

/// Bob's answer: as many elements as were sent, and his tags.
fn answered(answer: &Message, sent: usize) -> Result<(Vec<Element>, Vec<Tag>), Halt> {
    if answer.count("evaluated")? != sent as u64 {
        return Err(answer
            .wrong(format!("{sent} elements were sent, and another number came back"), 0)
            .at_line(1)
            .into());
    }
    let [elements, tags] = answer.sections([("evaluated", ELEMENT), ("tags", TAG)])?;
    let tags = ascending(answer, tags.as_chunks().0, sent)?;
    Ok((elements.as_chunks().0.to_vec(), tags))
}

/// Tags that stand in order, after so many lines.
fn ascending(message: &Message, tags: &[Tag], lines: usize) -> Result<Vec<Tag>, Halt> {
    match tags.windows(2).position(|pair| pair[0] >= pair[1]) {
        None => Ok(tags.to_vec()),
        Some(at) => Err(message.wrong("the tags are not in ascending order, each once", lines + at + 1).into()),
    }
}

fn no_element(message: &Message, place: usize) -> Error {
    message.wrong("a line is no element of the group, or the identity", place)
}

fn finished(out: Vec<u8>, found: u64) -> Finished {
    Finished { out: Some(out), needs_out: true, found: Map::from_iter([("found".to_owned(), json!(found))]) }
}
