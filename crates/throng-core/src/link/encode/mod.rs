//! Records as filters of bits that two holders can compare through a third who does not see them.
//!
//! Papers     Schnell, Bachteler, Reiher. Privacy-preserving record linkage using Bloom filters. BMC Medical Informatics 9, 2009.
//!            Schnell, Borgs. Randomized response and balanced Bloom filters. ICDM workshops 2016 (`blip`, `balance`).
//!            Armknecht, Heng, Schnell. Strengthening privacy-preserving record linkage using diffusion. PoPETs 2023.
//!
//! A [`schema`] says how a value becomes [`tokens`]; [`hashing`] gives each token its places, the same ones for everybody who has the
//! secret; the tokens of all columns set bits in one filter (bit for bit what clkhash 0.18.3 makes), or in one filter a column; [`harden`]
//! changes the bits so that they tell less.
//!
//! # Cost
//! Each different value is cut once and each different token hashed once; a row costs the bits that it sets.

pub mod attack;
mod date;
pub mod harden;
pub mod hashing;
pub mod mixture;
pub mod schema;
pub mod sets;
pub mod tokens;

use std::collections::HashMap;

use rayon::prelude::*;

use self::hashing::{Keys, Placer};
use self::schema::{Schema, Strategy};
use self::tokens::Wrong;
use super::bits::Filters;
use crate::error::Result;

/// Encodes by a schema and a secret.
pub struct Encoder {
    /// The schema.
    pub schema: Schema,
    keys: Vec<Keys>,
}

/// A column's values, cut and hashed.
#[derive(Debug, Clone, Default)]
pub struct Prepared {
    /// For each value its tokens, and how many bits each sets.
    values: Vec<Vec<(u32, u32)>>,
    /// For each token its places.
    places: Vec<Vec<u32>>,
    /// The value of each row.
    pub cells: Vec<u32>,
}

impl Prepared {
    /// The tokens of the column, with the rows that have them: what somebody who makes a list of their own knows of it.
    pub fn tokens(&self) -> Vec<attack::Token> {
        let bits = |places: &Vec<u32>| attack::Token { rows: Vec::new(), bits: places.len() };
        let mut tokens: Vec<attack::Token> = self.places.iter().map(bits).collect();
        for (row, &cell) in (0..).zip(&self.cells) {
            for &(token, _) in &self.values[cell as usize] {
                let rows = &mut tokens[token as usize].rows;
                if rows.last() != Some(&row) {
                    rows.push(row);
                }
            }
        }
        tokens
    }
}

/// A value of a column that cannot be encoded: which, and why.
pub type WrongValue = (usize, Wrong);

impl Encoder {
    /// Makes the keys.
    pub fn new(schema: Schema, secret: &[u8]) -> Result<Self> {
        let keys = schema.kdf.keys(secret, schema.features.len())?;
        Ok(Self { schema, keys })
    }

    /// Cuts and hashes the different values of the column at a place of the schema. With a value may stand a salt: the same value under
    /// another salt has other bits.
    pub fn prepare(
        &self,
        feature: usize,
        values: &[(&str, &str)],
        cells: Vec<u32>,
    ) -> Result<std::result::Result<Prepared, WrongValue>> {
        let Some(hashing) = &self.schema.features[feature].hashing else {
            return Ok(Ok(Prepared { values: vec![Vec::new(); values.len()], places: Vec::new(), cells }));
        };
        let cut: Vec<std::result::Result<Vec<String>, Wrong>> =
            values.par_iter().map(|(value, _)| hashing.tokens(value)).collect();
        let mut numbers: HashMap<(String, &str), u32, foldhash::fast::FixedState> = HashMap::default();
        // Each token in bytes, and the most bits that it sets.
        let mut tokens: Vec<(Vec<u8>, u32)> = Vec::new();
        let mut of_value = Vec::with_capacity(values.len());
        for (at, (tokens_of, &(_, salt))) in cut.into_iter().zip(values).enumerate() {
            let own = match tokens_of {
                Ok(own) => own,
                Err(wrong) => return Ok(Err((at, wrong))),
            };
            let count = own.len() as u32;
            let mut list = Vec::with_capacity(own.len());
            for (place, token) in own.into_iter().enumerate() {
                let bits = match hashing.strategy {
                    Strategy::OfToken(bits) => bits,
                    Strategy::OfFeature(bits) => bits / count + u32::from((place as u32) < bits % count),
                };
                let number = *numbers.entry((token, salt)).or_insert_with_key(|(token, salt)| {
                    let mut bytes = hashing.encoding.bytes(token);
                    if !salt.is_empty() {
                        bytes.push(0x1f);
                        bytes.extend_from_slice(salt.as_bytes());
                    }
                    tokens.push((bytes, 0));
                    tokens.len() as u32 - 1
                });
                let most = &mut tokens[number as usize].1;
                *most = bits.max(*most);
                list.push((number, bits));
            }
            of_value.push(list);
        }
        let placer = Placer::new(hashing.hash, self.schema.unfolded(), &self.keys[feature])?;
        let places = tokens.par_iter().map(|(bytes, most)| placer.places(bytes, *most)).collect::<Result<_>>()?;
        Ok(Ok(Prepared { values: of_value, places, cells }))
    }

    /// One filter a row over some columns.
    pub fn filters(&self, columns: &[&Prepared], rows: usize) -> Filters {
        let (length, unfolded) = (self.schema.length, self.schema.unfolded());
        let words = length.div_ceil(64);
        let mut bits = vec![0u64; rows * words];
        bits.par_chunks_mut(words).enumerate().for_each_init(
            || vec![0u64; unfolded.div_ceil(64)],
            |whole, (row, filter)| {
                let target: &mut [u64] = if unfolded == length { filter } else { whole };
                target.fill(0);
                for column in columns {
                    for &(token, count) in &column.values[column.cells[row] as usize] {
                        for &place in &column.places[token as usize][..count as usize] {
                            target[place as usize / 64] |= 1 << (63 - place % 64);
                        }
                    }
                }
                if unfolded != length {
                    filter.fill(0);
                    for place in (0..unfolded).filter(|place| whole[place / 64] >> (63 - place % 64) & 1 == 1) {
                        let place = place % length;
                        filter[place / 64] ^= 1 << (63 - place % 64);
                    }
                }
            },
        );
        Filters { words, bits }
    }
}

/// The bytes of a filter of so many bits: bit 0 is the highest of byte 0.
pub fn bytes(filter: &[u64], length: usize) -> Vec<u8> {
    let mut bytes: Vec<u8> = filter.iter().flat_map(|word| word.to_be_bytes()).collect();
    bytes.truncate(length.div_ceil(8));
    bytes
}

/// The filter of some bytes.
pub fn words(bytes: &[u8]) -> Vec<u64> {
    let word = |some: &[u8]| {
        let mut whole = [0; 8];
        whole[..some.len()].copy_from_slice(some);
        u64::from_be_bytes(whole)
    };
    bytes.chunks(8).map(word).collect()
}

#[cfg(test)]
mod tests;
