//! `scalar --samples`: the paper's stochastic scalar product, by counting an intersection.
//!
//! Paper      Ravikumar, Cohen, Fienberg. A Secure Protocol for Computing String Distance Metrics. 2004 (reference 40 of Christen 2008).
//!
//! # Idea
//! Each record draws a bucket in each of so many trials, with a chance in proportion to its vector there. A trial in which both records of a pair drew the same
//! bucket counts; counted by `psi-count` with another blind for each of alice's records and another key for each of bob's.
//!
//! # Formula
//! similarity ≈ count / samples · |x| · |y|, |x| the sum of the weights of a vector of length 1: the mean of the count is samples · Σ x·y / (|x| · |y|).
//!
//! # Cost
//! samples group operations for each of alice's records, and two for each pair.

use serde_json::json;
use throng_core::Result;
use throng_core::party::intersection::{Asked, TAG, Tag, evaluated, own_count_tags};
use throng_core::party::oprf::{ELEMENT, Element, Scale};
use throng_core::party::vectors::{SCALE, vectors};

use super::scalar::{counted, expect, pairs, rows_and_ids, shuffled};
use super::{Inputs, PartyRequest};
use crate::party::{Body, Finished, Halt, Talk};
use crate::run::link::csv_line;

/// The protocol. Step 1, alice: `counts.vectors`, the sum of each vector (8 bytes, 2^-16), and `counts.blinded`, a record after the other. Step 2, bob:
/// the same of his, then for each of his records what its key made of alice's elements, in another order in each record, and the tags of his draws.
pub(super) fn run(
    talk: &mut Talk<'_>,
    request: &PartyRequest,
    inputs: &Inputs,
    samples: u32,
) -> std::result::Result<Finished, Halt> {
    let samples = samples as usize;
    let is_alice = request.role == "alice";
    if is_alice {
        talk.begin();
    }
    let question = if is_alice { None } else { Some(talk.receive("alice", 1, false)?) };
    let (ids, texts) = shuffled(talk, inputs);
    let (draws, sums) = drawn(talk, request, &texts, samples)?;
    let sums_section: Vec<u8> = sums.iter().flat_map(|sum| sum.to_le_bytes()).collect();
    if let Some(question) = question {
        let hers = counted(&question, "vectors", None)?;
        expect(&question, "blinded", hers * samples)?;
        let keys: Vec<Scale> = draws.iter().map(|_| Scale::draw(talk.rng())).collect();
        let orders: Vec<Vec<u32>> = (0..draws.len() * hers)
            .map(|_| {
                let mut order: Vec<u32> = (0..samples as u32).collect();
                talk.rng().shuffle(&mut order);
                order
            })
            .collect();
        talk.send("alice", 2, true, || {
            let [_, blinded] = question.sections([("vectors", 8), ("blinded", ELEMENT)])?;
            let (mut answers, mut tags) = (Vec::<Element>::new(), Vec::<Tag>::new());
            for (record, (draws, key)) in draws.iter().zip(&keys).enumerate() {
                let made = evaluated(blinded.as_chunks().0, key).map_err(|place| {
                    question.wrong("a line is no element of the group, or the identity", hers + place)
                })?;
                for (other, elements) in made.chunks(samples).enumerate() {
                    answers.extend(orders[record * hers + other].iter().map(|&at| elements[at as usize]));
                }
                let mut own = own_count_tags(draws, key);
                own.sort_unstable();
                tags.extend(own);
            }
            Ok(Body::default()
                .section("vectors", 8, &sums_section)
                .section("evaluated", ELEMENT, answers.as_flattened())
                .section("tags", TAG, tags.as_flattened()))
        })?;
        return Ok(Finished { out: Some(rows_and_ids(&ids)), needs_out: true, found: pairs([hers, ids.len()]) });
    }
    let asked: Vec<Asked> = draws.iter().map(|_| Asked::draw(samples, true, talk.rng())).collect();
    talk.send("bob", 1, false, || {
        let blinded: Vec<Element> = asked.iter().zip(&draws).flat_map(|(asked, draws)| asked.blinded(draws)).collect();
        Ok(Body::default().section("vectors", 8, &sums_section).section("blinded", ELEMENT, blinded.as_flattened()))
    })?;
    let answer = talk.receive("bob", 2, true)?;
    let his = counted(&answer, "vectors", None)?;
    expect(&answer, "evaluated", his * ids.len() * samples)?;
    expect(&answer, "tags", his * samples)?;
    let [his_sums, answers, tags] = answer.sections([("vectors", 8), ("evaluated", ELEMENT), ("tags", TAG)])?;
    let his_sums: Vec<u64> = his_sums.as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect();
    let (answers, tags): (&[Element], &[Tag]) = (answers.as_chunks().0, tags.as_chunks().0);
    let mut found: Vec<Vec<f64>> = vec![Vec::with_capacity(his); ids.len()];
    for (record, (sum, tags)) in his_sums.iter().zip(tags.chunks(samples)).enumerate() {
        let tags: std::collections::BTreeSet<Tag> = tags.iter().copied().collect();
        for (at, asked) in asked.iter().enumerate() {
            let first = (record * ids.len() + at) * samples;
            let own = asked.count_tags(&answers[first..first + samples]).map_err(|place| {
                answer.wrong("a line is no element of the group, or the identity", his + first + place)
            })?;
            let count = own.iter().filter(|tag| tags.contains(*tag)).count();
            found[at].push(count as f64 / samples as f64 * (sums[at] as f64 / SCALE) * (*sum as f64 / SCALE));
        }
    }
    let mut out = b"a,b,similarity\n".to_vec();
    for (id, row) in ids.iter().zip(&found) {
        for (b, similarity) in row.iter().enumerate() {
            csv_line(&[id, &(b + 1).to_string(), &format!("{similarity:.6}")], &mut out);
        }
    }
    let mut said = pairs([ids.len(), his]);
    said.insert("samples".to_owned(), json!(samples));
    Ok(Finished { out: Some(out), needs_out: true, found: said })
}

/// What each record draws in each trial, as inputs; and the sums of the vectors.
fn drawn(
    talk: &mut Talk<'_>,
    request: &PartyRequest,
    texts: &[String],
    samples: usize,
) -> Result<(Vec<Vec<String>>, Vec<u64>)> {
    let vectors = vectors(texts, request.form()?);
    let (mut draws, mut sums) = (Vec::with_capacity(texts.len()), Vec::with_capacity(texts.len()));
    for row in 0..texts.len() {
        let weights = vectors.row(row);
        let sum: u64 = weights.iter().sum();
        let one = |trial: usize, talk: &mut Talk<'_>| {
            let mut left = talk.rng().below(sum.max(1));
            let bucket = weights.iter().position(|&weight| {
                let is_here = left < weight;
                left = left.saturating_sub(weight);
                is_here
            });
            format!("{trial}\u{1f}{}", bucket.unwrap_or_default())
        };
        draws.push((0..samples).map(|trial| one(trial, talk)).collect());
        sums.push(sum);
    }
    Ok((draws, sums))
}
