//! What a cell says: a number, a day, a label of a hierarchy, an interval, or nothing at all.
//!
//! A release may say less than its original. A label stands for all leaves below it; `lo..hi` for everything from lo to hi, both
//! ends included; `*` for anything. How much a cell leaves open is its penalty, from 0 (one value) to 1 (all of them).

use super::{Column, ColumnType, Hierarchy};

/// The cell that says nothing.
pub const STAR: &str = "*";

/// What a cell of a column says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cell {
    /// A node of the hierarchy: its level and number.
    Node(usize, u32),
    /// Everything from one number to another; both may be the same.
    Interval(f64, f64),
    /// A value that is no number, in a column without a hierarchy.
    Value,
    /// Anything.
    All,
}

impl Cell {
    /// What a text says in a column like this one, which is the original's.
    pub fn of(text: &str, column: &Column) -> Self {
        if let Some(hierarchy) = &column.hierarchy
            && let Some((level, node)) = hierarchy.find(text)
        {
            return Self::Node(level, node);
        }
        match interval(text, column.kind) {
            _ if text == STAR => Self::All,
            Some((low, high)) => Self::Interval(low, high),
            None => Self::Value,
        }
    }

    /// How much it leaves open, given the least and the greatest number of the original: leaves under a label by all leaves, 0 for
    /// one leaf; width by range; 1 for anything.
    pub fn penalty(self, hierarchy: Option<&Hierarchy>, range: (f64, f64)) -> f64 {
        match (self, hierarchy) {
            (Self::Node(level, node), Some(hierarchy)) => match hierarchy.leaves_under(level, node) {
                1 => 0.0,
                leaves => f64::from(leaves) / f64::from(hierarchy.leaves()),
            },
            (Self::Interval(low, high), _) => width(low, high, range),
            (Self::Value, _) => 0.0,
            (Self::All | Self::Node(..), _) => 1.0,
        }
    }

    /// Whether it covers a value of the original: its leaf, or its number.
    pub fn covers(self, hierarchy: Option<&Hierarchy>, leaf: Option<u32>, number: f64) -> bool {
        match (self, hierarchy, leaf) {
            (Self::Node(level, node), Some(hierarchy), Some(leaf)) => hierarchy.node(level, leaf) == node,
            (Self::Interval(low, high), _, _) => low <= number && number <= high,
            (Self::All, _, _) => true,
            _ => false,
        }
    }
}

/// The share of a range that an interval takes; 0 where there is no range.
pub fn width(low: f64, high: f64, range: (f64, f64)) -> f64 {
    let whole = range.1 - range.0;
    if whole > 0.0 { ((high - low) / whole).clamp(0.0, 1.0) } else { 0.0 }
}

/// A number, finite, as people write it: digits with a point and an exponent.
pub fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+' | b'e' | b'E'));
    text.parse::<f64>().ok().filter(|number| is_plain && number.is_finite())
}

/// The number of a day since 1970, written as 2024-03-31.
pub fn day(text: &str) -> Option<f64> {
    let bytes = text.as_bytes();
    let is_date = bytes.len() == 10
        && bytes
            .iter()
            .enumerate()
            .all(|(at, byte)| if matches!(at, 4 | 7) { *byte == b'-' } else { byte.is_ascii_digit() });
    let (instant, _) = is_date.then(|| crate::data::time::parse(text)).flatten()?;
    Some(instant.millis.div_euclid(86_400_000) as f64)
}

/// The day with this number since 1970, as 2024-03-31; a half day is rounded up.
pub fn date(number: f64) -> String {
    let millis = ((number + 0.5).floor() * 86_400_000.0) as i64;
    crate::data::time::day_text(millis)
}

/// The ends of an interval, or a number twice.
pub fn interval(text: &str, kind: ColumnType) -> Option<(f64, f64)> {
    let of = |text: &str| match kind {
        // A release may hold numbers where its own cells look like texts.
        ColumnType::Text => number(text).or_else(|| day(text)),
        _ => kind.number(text).or_else(|| number(text)),
    };
    match text.split_once("..") {
        Some((low, high)) => Some((of(low)?, of(high)?)).filter(|(low, high)| low <= high),
        None => of(text).map(|number| (number, number)),
    }
}

/// A number with the fewest digits that read back as the same.
pub fn shortest(number: f64) -> String {
    // Zero has one form.
    let number = if number == 0.0 { 0.0 } else { number };
    format!("{number}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::table::ColumnRole;

    #[test]
    fn texts_say_what_they_say() {
        let number = Column::new("a", ColumnRole::Quasi, ["1", "20"].into_iter());
        assert_eq!(Cell::of("7", &number), Cell::Interval(7.0, 7.0));
        assert_eq!(Cell::of("-5..5", &number), Cell::Interval(-5.0, 5.0));
        assert_eq!(Cell::of("5..-5", &number), Cell::Value);
        assert_eq!(Cell::of("*", &number), Cell::All);
        assert_eq!(Cell::Interval(5.0, 10.0).penalty(None, (0.0, 20.0)), 0.25);
        assert_eq!(Cell::Interval(5.0, 5.0).penalty(None, (5.0, 5.0)), 0.0);
        assert_eq!(Cell::Value.penalty(None, (0.0, 0.0)), 0.0);
        let date = Column::new("a", ColumnRole::Quasi, ["2024-01-01"].into_iter());
        assert_eq!(Cell::of("1970-01-02..1970-01-31", &date), Cell::Interval(1.0, 30.0));
        let hierarchy = Hierarchy::of_text("a;x;*\nb;x;*\nc;c;*\n").unwrap();
        let text = Column::new("a", ColumnRole::Quasi, ["a"].into_iter()).with_hierarchy(hierarchy.into());
        let hierarchy = text.hierarchy.as_deref();
        assert!((Cell::of("x", &text).penalty(hierarchy, (0.0, 0.0)) - 2.0 / 3.0).abs() < 1e-12);
        assert_eq!(Cell::of("c", &text).penalty(hierarchy, (0.0, 0.0)), 0.0);
        assert_eq!(Cell::of("*", &text).penalty(hierarchy, (0.0, 0.0)), 1.0);
        assert!(Cell::of("x", &text).covers(hierarchy, Some(1), f64::NAN));
        assert!(!Cell::of("x", &text).covers(hierarchy, Some(2), f64::NAN));
    }

    #[test]
    fn only_plain_numbers_are_numbers() {
        for text in ["inf", "NaN", "1e999", "", "0x10", "1,5", "infinity"] {
            assert_eq!(number(text), None, "{text}");
        }
        assert_eq!(number(" 1.5e3 "), Some(1500.0));
        assert_eq!(shortest(-0.0), "0");
        assert_eq!(shortest(0.1 + 0.2), "0.30000000000000004");
    }
}
