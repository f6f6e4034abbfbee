//! A column of a Parquet batch, whatever its type, as the texts of its rows.
//!
//! Text may be marked as such or not, numbers may be of any width, and each may come as a dictionary. Lists and the like
//! have no text: such a column has no role, and a file with one cannot be checked, for nothing can be said of it.

use std::fmt::{Display, Write as _};

use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type,
    DecimalType as _, DurationMicrosecondType, DurationMillisecondType, DurationNanosecondType, DurationSecondType,
    Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, Time32MillisecondType,
    Time32SecondType, Time64MicrosecondType, Time64NanosecondType, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, TimeUnit};
use throng_core::data::time::{self, Instant};
use throng_core::{Error, Result};

use super::super::roles::{RoleCard, Suits};
use super::super::source::LONGEST_LINE;
use super::not_utf8;

/// Refuses a column whose type does not suit its role.
pub(super) fn check_role(role: &RoleCard, kind: &DataType, name: &str) -> Result<()> {
    let (suitable, words): (&[Sort], _) = match role.suits {
        Suits::Text => (&[Sort::Text], "text"),
        Suits::TextOrNumber => (&[Sort::Text, Sort::Number], "text or numbers"),
        Suits::Object => (&[], "objects, which only JSON lines have"),
        Suits::Time => (&[Sort::Text, Sort::Number, Sort::Time], "text, numbers, dates or timestamps"),
    };
    let sort = Sort::of(kind);
    if sort == Sort::Nothing || suitable.contains(&sort) {
        return Ok(());
    }
    Err(Error::data(format!("a column of type {kind} cannot be the {}", role.name))
        .in_column(name)
        .with_hint(format!("it must hold {words}: convert it, or name another with `--column {}=…`", role.name)))
}

/// Whether a type is text.
pub(super) fn is_text(kind: &DataType) -> bool {
    Sort::of(kind) == Sort::Text
}

/// Whether a type is a number.
pub(in super::super) fn is_number(kind: &DataType) -> bool {
    Sort::of(kind) == Sort::Number
}

/// What a type holds.
#[derive(Debug, PartialEq, Eq)]
enum Sort {
    Nothing,
    Text,
    Number,
    Time,
    /// Plain values of no use to us, which the checker compares.
    Other,
    Nested,
}

impl Sort {
    fn of(kind: &DataType) -> Self {
        match kind {
            DataType::Null => Self::Nothing,
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Self::Text,
            // Old writers do not mark text as text, and UUIDs have a fixed size.
            DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => {
                Self::Text
            }
            kind if kind.is_numeric() => Self::Number,
            DataType::Date32 | DataType::Date64 | DataType::Timestamp(..) => Self::Time,
            DataType::Boolean | DataType::Time32(_) | DataType::Time64(_) | DataType::Duration(_) => Self::Other,
            DataType::Dictionary(_, value) => Self::of(value),
            _ => Self::Nested,
        }
    }
}

/// A column of a batch.
pub(in super::super) struct Column<'a> {
    pub(in super::super) name: &'a str,
    array: &'a dyn Array,
    /// For a dictionary: where the value of a row stands.
    keys: Option<Vec<usize>>,
    values: &'a dyn Array,
    read: Read<'a>,
}

/// How to get at a value.
enum Read<'a> {
    Nothing,
    Text(Box<dyn Fn(usize) -> &'a str + 'a>),
    Bytes(Box<dyn Fn(usize) -> &'a [u8] + 'a>),
    Float(Vec<f64>),
    /// So many ticks since 1970, so many to the second.
    Ticks {
        ticks: Vec<i64>,
        per_second: i64,
        /// Whether they name no zone.
        is_local: bool,
    },
    Words(Box<Words<'a>>),
}

/// Writes a value down.
type Words<'a> = dyn Fn(usize, &mut String) + 'a;

impl<'a> Column<'a> {
    pub(in super::super) fn new(array: &'a ArrayRef, name: &'a str) -> Result<Self> {
        let (values, keys) = match array.as_any_dictionary_opt() {
            Some(dictionary) if dictionary.values().is_empty() => (dictionary.values(), Some(vec![0; array.len()])),
            Some(dictionary) => (dictionary.values(), Some(dictionary.normalized_keys())),
            None => (array, None),
        };
        let read = Read::of(values).ok_or_else(|| {
            Error::data(format!("columns of type {} are not read", array.data_type()))
                .in_column(name)
                .with_hint("nothing can be said of what is in it: write the file again without this column, or as text")
        })?;
        Ok(Self { name, array, keys, values, read })
    }

    /// Where the value of a row stands, if there is one.
    fn place(&self, row: usize) -> Option<usize> {
        if self.array.is_null(row) {
            return None;
        }
        let place = self.keys.as_ref().map_or(row, |keys| keys[row]);
        (place < self.values.len() && !self.values.is_null(place)).then_some(place)
    }

    /// Whether a row has a value.
    pub(super) fn has_value(&self, row: usize) -> bool {
        self.place(row).is_some()
    }

    /// The value as bytes, into a buffer where it is no text; none if there is no value.
    pub(super) fn bytes<'b>(&'b self, row: usize, buffer: &'b mut String) -> Result<Option<&'b [u8]>> {
        let Some(place) = self.place(row) else { return Ok(None) };
        buffer.clear();
        match &self.read {
            Read::Nothing => return Ok(None),
            Read::Text(text) => return self.within_limit(text(place).as_bytes()).map(Some),
            Read::Bytes(bytes) => return self.within_limit(bytes(place)).map(Some),
            Read::Float(values) => push(buffer, values[place]),
            Read::Ticks { ticks, .. } => push(buffer, ticks[place]),
            Read::Words(words) => words(place, buffer),
        }
        Ok(Some(buffer.as_bytes()))
    }

    /// A value may be as long as a line of text.
    fn within_limit<'b>(&self, value: &'b [u8]) -> Result<&'b [u8]> {
        if value.len() > LONGEST_LINE {
            return Err(Error::data(format!("the value is longer than {} MiB", LONGEST_LINE >> 20))
                .in_column(self.name)
                .with_hint("`--bad-lines skip` leaves such rows out and counts them"));
        }
        Ok(value)
    }

    /// The value as text; empty if there is none. Not a number is no value: tools write gaps so.
    pub(in super::super) fn text<'b>(&'b self, row: usize, buffer: &'b mut String) -> Result<&'b str> {
        match (&self.read, self.place(row)) {
            (Read::Text(text), Some(place)) => {
                let text = text(place);
                self.within_limit(text.as_bytes()).map(|_| text)
            }
            (Read::Float(values), Some(place)) if values[place].is_nan() => Ok(""),
            _ => {
                let bytes = self.bytes(row, buffer)?.unwrap_or_default();
                std::str::from_utf8(bytes).map_err(|_| not_utf8().in_column(self.name))
            }
        }
    }

    /// The value as a cell of a table: a day or a time as one writes them; empty if there is none.
    pub(super) fn cell(&self, row: usize, buffer: &mut String) -> Result<String> {
        match (&self.read, self.instant(row)?) {
            (Read::Ticks { .. }, Some(read)) => {
                let mut text = Vec::new();
                time::format(read.instant.millis, time::TimeStyle::AOL, &mut text);
                let text = String::from_utf8_lossy(&text).into_owned();
                Ok(text.strip_suffix(" 00:00:00").map_or(text.clone(), str::to_owned))
            }
            _ => self.text(row, buffer).map(str::to_owned),
        }
    }

    /// Whether its values are numbers of the format itself.
    pub(super) fn is_typed(&self) -> bool {
        Sort::of(self.array.data_type()) == Sort::Number
    }

    /// The value as a point in time, where the type is one and there is a value.
    pub(super) fn instant(&self, row: usize) -> Result<Option<time::Read>> {
        match (&self.read, self.place(row)) {
            (Read::Ticks { ticks, per_second, is_local }, Some(place)) => {
                let instant = instant(ticks[place], *per_second);
                let bad = || {
                    Error::data("the time cannot be read")
                        .with_value(format!("{} / {per_second} s since 1970", ticks[place]))
                        .in_column(self.name)
                        .with_hint("it must lie in the years 0 to 9999; `--bad-lines skip` leaves such rows out")
                };
                let instant = instant.ok_or_else(bad)?;
                Ok(Some(time::Read { instant, is_local: *is_local }))
            }
            _ => Ok(None),
        }
    }
}

impl<'a> Read<'a> {
    /// `None` for a type that is not read.
    fn of(array: &'a ArrayRef) -> Option<Self> {
        fn whole<T: ArrowPrimitiveType>(array: &ArrayRef) -> Read<'_>
        where
            T::Native: Display,
        {
            let values = array.as_primitive::<T>().values();
            Read::Words(Box::new(|at, text| push(text, values[at])))
        }
        fn float<T: ArrowPrimitiveType>(array: &ArrayRef) -> Read<'_>
        where
            T::Native: Into<f64>,
        {
            Read::Float(array.as_primitive::<T>().values().iter().map(|&value| value.into()).collect())
        }
        fn ticks<T: ArrowPrimitiveType<Native = i64>>(array: &ArrayRef, per_second: i64) -> Read<'_> {
            let is_local = !matches!(array.data_type(), DataType::Timestamp(_, Some(_)));
            Read::Ticks { ticks: array.as_primitive::<T>().values().to_vec(), per_second, is_local }
        }
        macro_rules! decimal {
            ($kind:ty, $precision:expr, $scale:expr) => {{
                let (values, precision, scale) = (array.as_primitive::<$kind>().values(), *$precision, *$scale);
                Self::Words(Box::new(move |at, text| push(text, <$kind>::format_decimal(values[at], precision, scale))))
            }};
        }
        Some(match array.data_type() {
            DataType::Null => Self::Nothing,
            DataType::Utf8 => Self::Text(Box::new(|at| array.as_string::<i32>().value(at))),
            DataType::LargeUtf8 => Self::Text(Box::new(|at| array.as_string::<i64>().value(at))),
            DataType::Utf8View => Self::Text(Box::new(|at| array.as_string_view().value(at))),
            DataType::Binary => Self::Bytes(Box::new(|at| array.as_binary::<i32>().value(at))),
            DataType::LargeBinary => Self::Bytes(Box::new(|at| array.as_binary::<i64>().value(at))),
            DataType::BinaryView => Self::Bytes(Box::new(|at| array.as_binary_view().value(at))),
            DataType::FixedSizeBinary(_) => {
                Self::Words(Box::new(|at, text| push(text, hexadecimal(array.as_fixed_size_binary().value(at)))))
            }
            DataType::Int8 => whole::<Int8Type>(array),
            DataType::Int16 => whole::<Int16Type>(array),
            DataType::Int32 => whole::<Int32Type>(array),
            DataType::Int64 => whole::<Int64Type>(array),
            DataType::UInt8 => whole::<UInt8Type>(array),
            DataType::UInt16 => whole::<UInt16Type>(array),
            DataType::UInt32 => whole::<UInt32Type>(array),
            DataType::UInt64 => whole::<UInt64Type>(array),
            DataType::Float16 => float::<Float16Type>(array),
            DataType::Float32 => float::<Float32Type>(array),
            DataType::Float64 => float::<Float64Type>(array),
            DataType::Decimal32(precision, scale) => decimal!(Decimal32Type, precision, scale),
            DataType::Decimal64(precision, scale) => decimal!(Decimal64Type, precision, scale),
            DataType::Decimal128(precision, scale) => decimal!(Decimal128Type, precision, scale),
            DataType::Decimal256(precision, scale) => decimal!(Decimal256Type, precision, scale),
            DataType::Date32 => {
                let days = array.as_primitive::<Date32Type>().values();
                let ticks = days.iter().map(|&days| i64::from(days) * 86_400).collect();
                Self::Ticks { ticks, per_second: 1, is_local: true }
            }
            DataType::Date64 => ticks::<Date64Type>(array, 1000),
            DataType::Timestamp(TimeUnit::Second, _) => ticks::<TimestampSecondType>(array, 1),
            DataType::Timestamp(TimeUnit::Millisecond, _) => ticks::<TimestampMillisecondType>(array, 1000),
            DataType::Timestamp(TimeUnit::Microsecond, _) => ticks::<TimestampMicrosecondType>(array, 1_000_000),
            DataType::Timestamp(TimeUnit::Nanosecond, _) => ticks::<TimestampNanosecondType>(array, 1_000_000_000),
            DataType::Boolean => Self::Words(Box::new(|at, text| push(text, array.as_boolean().value(at)))),
            DataType::Time32(TimeUnit::Second) => whole::<Time32SecondType>(array),
            DataType::Time32(_) => whole::<Time32MillisecondType>(array),
            DataType::Time64(TimeUnit::Microsecond) => whole::<Time64MicrosecondType>(array),
            DataType::Time64(_) => whole::<Time64NanosecondType>(array),
            DataType::Duration(TimeUnit::Second) => whole::<DurationSecondType>(array),
            DataType::Duration(TimeUnit::Millisecond) => whole::<DurationMillisecondType>(array),
            DataType::Duration(TimeUnit::Microsecond) => whole::<DurationMicrosecondType>(array),
            DataType::Duration(TimeUnit::Nanosecond) => whole::<DurationNanosecondType>(array),
            _ => return None,
        })
    }
}

fn push(text: &mut String, value: impl Display) {
    let _ = write!(text, "{value}");
}

/// Bytes of a fixed number, which are most often a UUID, as one writes those.
fn hexadecimal(bytes: &[u8]) -> String {
    let mut text = super::super::source::hex(bytes);
    if bytes.len() == 16 {
        for dash in [20, 16, 12, 8] {
            text.insert(dash, '-');
        }
    }
    text
}

/// A number of ticks since 1970, so many to the second, as an instant; `None` outside of the years 0 to 9999, which have
/// four figures.
fn instant(ticks: i64, per_second: i64) -> Option<Instant> {
    let (seconds, rest) = (ticks.div_euclid(per_second), ticks.rem_euclid(per_second));
    let nanos = rest * (1_000_000_000 / per_second);
    (-62_167_219_200..=253_402_300_799)
        .contains(&seconds)
        .then(|| Instant { millis: seconds * 1000 + nanos / 1_000_000, nanos: (nanos % 1_000_000) as u32 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_become_instants() {
        let at = |ticks, per_second| instant(ticks, per_second).map(|instant| (instant.millis, instant.nanos));
        assert_eq!(at(1_149_116_452, 1), Some((1_149_116_452_000, 0)));
        assert_eq!(at(1_149_116_452_123_456_789, 1_000_000_000), Some((1_149_116_452_123, 456_789)));
        assert_eq!(at(-1, 1_000_000), Some((-1, 999_000)));
        assert_eq!(at(i64::MAX, 1), None);
        assert_eq!(at(i64::MIN, 1000), None);
        assert_eq!(at(253_402_300_800, 1), None);
    }

    #[test]
    fn uuids_have_dashes() {
        assert_eq!(hexadecimal(&[0xab; 16]), "abababab-abab-abab-abab-abababababab");
        assert_eq!(hexadecimal(&[1, 2]), "0102");
    }
}
