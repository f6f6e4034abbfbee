//! Keys of blocks: records that agree in one are compared, others are not.
//!
//! A key is one part or more, each made of one field: its whole value, how it sounds, its beginning, the year or the day of a date,
//! or some bits of a filter. A record without a value in any of them is in no block of that key.

use serde::Serialize;
use std::collections::HashMap;

use super::phonetic::{nysiis, soundex};
use super::records::{Field, MISSING, Records, Values};
use super::similarity::{Comparison, date_parts};
use crate::error::{Error, Result};
use crate::rng::Rng;

/// What of a value is in a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// All of it.
    Whole,
    /// Its NYSIIS code.
    Nysiis,
    /// Its Soundex code.
    Soundex,
    /// Its first so many characters.
    Prefix(usize),
    /// The year of a date.
    Year,
    /// Month and day of a date.
    Day,
    /// Some bits of a filter, drawn under this number.
    Sample(u64),
}

/// One field of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyPart {
    /// The field.
    pub field: usize,
    /// What of it.
    pub part: Part,
}

/// A key of blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key(pub Vec<KeyPart>);

/// A key in words, for whoever reads a result.
#[derive(Debug, Clone, Serialize)]
pub struct KeyUsed {
    /// Its parts.
    pub key: String,
    /// How many pairs it brought that no key before it had.
    pub pairs: u64,
    /// Blocks that were too large and were cut by a further column.
    pub cut: u64,
    /// Blocks that were too large, cut or not, and were dropped.
    pub dropped: u64,
}

/// How many bits of a filter a sample has.
const SAMPLED_BITS: usize = 20;

impl Part {
    /// This part of a text, if it has it.
    pub fn of_text(self, text: &str) -> Option<String> {
        let made = match self {
            Self::Whole => text.to_owned(),
            Self::Nysiis => nysiis(text),
            Self::Soundex => soundex(text),
            Self::Prefix(length) => text.chars().take(length).collect(),
            Self::Year => date_parts(text)?[0].to_owned(),
            Self::Day => {
                let [_, month, day] = date_parts(text)?;
                format!("{month}{day}")
            }
            Self::Sample(_) => return None,
        };
        (!made.is_empty()).then_some(made)
    }

    /// The parts that are worth trying on a field.
    pub fn of_field(field: &Field) -> Vec<Self> {
        match (&field.values, field.comparison) {
            (Values::Bits { .. }, _) => (0..6).map(Self::Sample).chain([Self::Whole]).collect(),
            (Values::Alike { .. }, _) => vec![Self::Whole],
            (Values::Text(_), Comparison::Date) => vec![Self::Whole, Self::Year, Self::Day],
            (Values::Text(_), Comparison::Number | Comparison::Exact) => vec![Self::Whole],
            (Values::Text(texts), _) => {
                let has_letters = texts.iter().take(200).filter(|text| text.chars().any(char::is_alphabetic)).count()
                    * 2
                    > texts.len().min(200);
                if has_letters {
                    vec![Self::Whole, Self::Nysiis, Self::Prefix(3)]
                } else {
                    vec![Self::Whole, Self::Prefix(3)]
                }
            }
        }
    }

    /// The number of this part for each value of a field; equal numbers are equal parts, and 0 is none.
    pub fn codes(self, field: &Field) -> Vec<u32> {
        match &field.values {
            Values::Text(texts) => {
                let mut numbers: HashMap<String, u32> = HashMap::new();
                texts
                    .iter()
                    .map(|text| match self.of_text(text) {
                        None => 0,
                        Some(made) => {
                            let next = numbers.len() as u32 + 1;
                            *numbers.entry(made).or_insert(next)
                        }
                    })
                    .collect()
            }
            Values::Alike { count, .. } => (1..=*count as u32).collect(),
            Values::Bits { words, bits } => {
                let Self::Sample(number) = self else { return (1..=field.values.len() as u32).collect() };
                let mut rng = Rng::seeded_stream(number, words.wrapping_mul(64) as u64);
                let places = rng.sample(words * 64, SAMPLED_BITS);
                let mut numbers: HashMap<u64, u32> = HashMap::new();
                bits.chunks_exact((*words).max(1))
                    .map(|filter| {
                        let sampled = places.iter().fold(0u64, |sampled, &place| {
                            sampled << 1 | filter[place as usize / 64] >> (place % 64) & 1
                        });
                        let next = numbers.len() as u32 + 1;
                        *numbers.entry(sampled).or_insert(next)
                    })
                    .collect()
            }
        }
    }
}

impl Key {
    /// Reads `surname:nysiis+birth:year`.
    pub fn parse(text: &str, fields: &[Field]) -> Result<Self> {
        let wrong = |problem: String| {
            Error::parameter("block", problem).with_hint(
                "keys are names of columns joined by +, as `surname:nysiis+birth:year,postcode`; parts are whole, \
                            nysiis, soundex, prefix3, year and day",
            )
        };
        let mut parts = Vec::new();
        for piece in text.split('+') {
            let (name, part) = piece.trim().rsplit_once(':').unwrap_or((piece.trim(), "whole"));
            let field = fields.iter().position(|field| field.name == name).ok_or_else(|| {
                Error::unknown("column to block by", name, fields.iter().map(|field| field.name.as_str()))
            })?;
            let part = match part {
                "whole" => Part::Whole,
                "nysiis" => Part::Nysiis,
                "soundex" => Part::Soundex,
                "year" => Part::Year,
                "day" => Part::Day,
                _ => match part.strip_prefix("prefix").and_then(|length| length.parse::<usize>().ok()) {
                    Some(length @ 1..) => Part::Prefix(length),
                    _ => return Err(wrong(format!("has the part `{part}`, which is none"))),
                },
            };
            let is_text = matches!(fields[field].values, Values::Text(_));
            if !is_text && part != Part::Whole {
                return Err(wrong(format!("asks for a part of `{name}`, which is encoded")));
            }
            parts.push(KeyPart { field, part });
        }
        Ok(Self(parts))
    }

    /// The key in words.
    pub fn words(&self, fields: &[Field]) -> String {
        let word = |part: &KeyPart| {
            let name = &fields[part.field].name;
            match part.part {
                Part::Whole => name.clone(),
                Part::Nysiis => format!("{name}:nysiis"),
                Part::Soundex => format!("{name}:soundex"),
                Part::Prefix(length) => format!("{name}:prefix{length}"),
                Part::Year => format!("{name}:year"),
                Part::Day => format!("{name}:day"),
                Part::Sample(number) => format!("{name}:bits{number}"),
            }
        };
        self.0.iter().map(word).collect::<Vec<_>>().join("+")
    }

    /// Whether it uses a field.
    pub fn uses(&self, field: usize) -> bool {
        self.0.iter().any(|part| part.field == field)
    }
}

/// The numbers of all parts that some keys use.
#[derive(Debug, Default)]
pub struct Codes(Vec<(KeyPart, Vec<u32>)>);

impl Codes {
    /// Makes those that are lacking.
    pub fn add(&mut self, records: &Records, keys: &[Key]) {
        for &part in keys.iter().flat_map(|key| &key.0) {
            if !self.0.iter().any(|(known, _)| *known == part) {
                self.0.push((part, part.part.codes(&records.fields[part.field])));
            }
        }
    }

    /// The numbers of a part by value.
    pub fn of(&self, part: KeyPart) -> &[u32] {
        self.0.iter().find(|(known, _)| *known == part).map_or(&[], |(_, codes)| codes)
    }

    /// The block of every record of a range under a key, 0 for none. Different blocks may rarely have one number.
    pub fn blocks(&self, records: &Records, key: &Key, range: std::ops::Range<usize>) -> Vec<u32> {
        let parts: Vec<(&[u32], &[u32])> =
            key.0.iter().map(|&part| (records.fields[part.field].cells.as_slice(), self.of(part))).collect();
        range
            .map(|record| {
                let mut mixed = 0x9e37_79b9_7f4a_7c15_u64;
                for (cells, codes) in &parts {
                    let cell = cells[record];
                    let code = if cell == MISSING { 0 } else { codes[cell as usize] };
                    if code == 0 {
                        return 0;
                    }
                    mixed = mix(mixed, code);
                }
                ((mixed >> 32) as u32).max(1)
            })
            .collect()
    }
}

/// A number mixed into another one.
pub(super) fn mix(mixed: u64, code: u32) -> u64 {
    let product = u128::from(mixed ^ u64::from(code)).wrapping_mul(0xd6e8_feb8_6659_fd93_a076_1d64_78bd_642f);
    (product >> 64) as u64 ^ product as u64
}
