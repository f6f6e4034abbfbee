//! Records to be linked: fields in columns, the values of each interned, of one file or of two.
//!
//! Two files stand one behind the other: records below `first` are of the first, the others of the second. A pair of a file with
//! itself is any two records, the lower number first; a pair of two files has one of each.

use std::collections::HashMap;

use super::similarity::{Comparison, date_parts};

/// The number of a value that is missing.
pub const MISSING: u32 = u32::MAX;

/// One field of all records.
#[derive(Debug, Clone)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// How two of its values are compared.
    pub comparison: Comparison,
    /// The different values.
    pub values: Values,
    /// The value of each record, or [`MISSING`].
    pub cells: Vec<u32>,
    /// Whether it changes with others when a person moves, as [`moves`] says of its name.
    pub moves: bool,
}

/// Whether a column of this name holds a part of where somebody lives or is reached: such fields change together.
pub fn moves(column: &str) -> bool {
    let plain: String = column.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    const PLACES: [&str; 16] = [
        "street",
        "address",
        "suburb",
        "city",
        "town",
        "postcode",
        "zip",
        "postal",
        "state",
        "phone",
        "telephone",
        "mobile",
        "locality",
        "county",
        "housenumber",
        "strasse",
    ];
    PLACES.iter().any(|place| plain.starts_with(place) || plain.ends_with(place))
}

/// The different values of a field.
#[derive(Debug, Clone)]
pub enum Values {
    /// Texts.
    Text(Vec<String>),
    /// Filters of so many words each, one behind the other.
    Bits {
        /// How many words a filter has.
        words: usize,
        /// The words of all filters.
        bits: Vec<u64>,
    },
    /// Values of which nothing is known but how alike they are.
    Alike {
        /// How many there are.
        count: usize,
        /// The similarity of each pair that has one, the lower value first.
        similar: HashMap<(u32, u32), f32>,
    },
}

impl Values {
    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Text(texts) => texts.len(),
            Self::Bits { words, bits } => bits.len() / (*words).max(1),
            Self::Alike { count, .. } => *count,
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Field {
    /// The cut points between levels.
    pub fn cuts(&self) -> &'static [f64] {
        match self.values {
            Values::Text(_) => self.comparison.cuts(),
            Values::Bits { .. } | Values::Alike { .. } => Comparison::Dice.cuts(),
        }
    }

    /// How many levels there are, the equal one among them.
    pub fn levels(&self) -> usize {
        self.cuts().len() + 2
    }

    /// How alike two different values are, from 0 to 1.
    pub fn similarity(&self, one: u32, other: u32) -> f64 {
        if one == other {
            return 1.0;
        }
        match &self.values {
            Values::Text(texts) => self.comparison.of(&texts[one as usize], &texts[other as usize]),
            Values::Bits { words, bits } => {
                let filter = |value: u32| &bits[value as usize * words..(value as usize + 1) * words];
                super::bits::dice(filter(one), filter(other))
            }
            Values::Alike { similar, .. } => {
                similar.get(&(one.min(other), one.max(other))).map_or(0.0, |&similarity| f64::from(similarity))
            }
        }
    }

    /// The level of a pair of records, `None` if either has no value.
    pub fn level(&self, one: u32, other: u32) -> Option<u8> {
        let (one, other) = (self.cells[one as usize], self.cells[other as usize]);
        if one == MISSING || other == MISSING {
            return None;
        }
        let cuts = self.cuts();
        if one == other {
            return Some(cuts.len() as u8 + 1);
        }
        let similarity = self.similarity(one, other);
        let below = cuts.iter().position(|&cut| similarity >= cut).unwrap_or(cuts.len());
        Some((cuts.len() - below) as u8)
    }

    /// How often each value occurs in some records.
    pub fn counts(&self, records: std::ops::Range<usize>) -> Vec<u32> {
        let mut counts = vec![0; self.values.len()];
        for &cell in &self.cells[records] {
            if cell != MISSING {
                counts[cell as usize] += 1;
            }
        }
        counts
    }
}

/// The comparison that suits these values, as far as a look at them tells.
pub fn guess_comparison(values: &[String]) -> Comparison {
    let seen = values.iter().filter(|value| !value.is_empty()).take(1000).count().max(1);
    let dates = values
        .iter()
        .filter(|value| !value.is_empty())
        .take(1000)
        .filter(|value| {
            date_parts(value).is_some_and(|[year, month, day]| {
                let within =
                    |part: &str, most: u32| part.parse::<u32>().is_ok_and(|number| (1..=most).contains(&number));
                (1850..2100).contains(&year.parse::<u32>().unwrap_or(0)) && within(month, 12) && within(day, 31)
            })
        })
        .count();
    if dates * 2 >= seen { Comparison::Date } else { Comparison::JaroWinkler }
}

/// Records of one file or of two.
#[derive(Debug, Clone)]
pub struct Records {
    /// The fields.
    pub fields: Vec<Field>,
    /// How many records there are.
    pub rows: usize,
    /// How many of them are of the first file; `None` for pairs inside one file.
    pub first: Option<usize>,
}

impl Records {
    /// How many pairs there are in all.
    pub fn pairs(&self) -> u64 {
        let rows = self.rows as u64;
        match self.first {
            Some(first) => first as u64 * (rows - first as u64),
            None => rows * rows.saturating_sub(1) / 2,
        }
    }

    /// The records of the left side and those of the right.
    pub fn sides(&self) -> [std::ops::Range<usize>; 2] {
        match self.first {
            Some(first) => [0..first, first..self.rows],
            None => [0..self.rows, 0..self.rows],
        }
    }
}
