//! Ids that look the same and are not: persons who may be one person written in two ways.
//!
//! throng takes ids byte for byte. An id with a blank more, a mark of no width, another form of the same accent, a leading
//! zero or a capital letter is another id, and its lines those of another person: whoever is two persons is protected as two. Nobody but the
//! custodian can know which is right, so it is said and nothing is changed.
//!
//! # Idea
//! An id that has nothing of the kind is its own key. The others get a key in which all of that is put right. Ids with one
//! key are lookalikes.
//!
//! # Cost
//! O(n log n) for n ids that are not plain, one look at each of the others.

use std::collections::HashSet;

use throng_core::data::Strings;
use throng_core::text::alike::{digit, is_unseen};
use unicode_normalization::UnicodeNormalization as _;

/// In how many ids and in what respects ids look like others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lookalikes {
    /// How many ids would go if those that look the same were one.
    pub ids: usize,
    differs: [bool; RESPECTS.len()],
}

/// What lookalikes may differ in.
const RESPECTS: [&str; 6] = [
    "blanks",
    "characters that are not seen",
    "how accents are encoded",
    "the width of letters or how they are joined",
    "how a number is written (`1`, `01`, `1.0`)",
    "capital letters",
];
const BLANKS: usize = 0;
const UNSEEN: usize = 1;
const ACCENTS: usize = 2;
const WIDTH: usize = 3;
const NUMBER: usize = 4;
const CAPITALS: usize = 5;

impl Lookalikes {
    /// What to tell the custodian. No id is in it.
    pub fn warning(&self) -> String {
        let respects: Vec<&str> = RESPECTS
            .into_iter()
            .zip(self.differs)
            .filter_map(|(respect, differs)| differs.then_some(respect))
            .collect();
        let ids = if self.ids == 1 { "1 id differs".to_owned() } else { format!("{} ids differ", self.ids) };
        format!(
            "{ids} from another only in {}: they count as different persons; if they are the same, make them equal in the \
             file, or name another column with `--column`",
            respects.join(" or ")
        )
    }
}

/// The ids that look like others; `None` if there are none.
pub fn lookalikes(names: &Strings) -> Option<Lookalikes> {
    let mut keys: Vec<(String, [bool; RESPECTS.len()])> =
        names.iter().filter(|name| !is_plain(name)).map(key).collect();
    let known: HashSet<&str> = keys.iter().map(|(key, _)| key.as_str()).collect();
    let plain: Vec<_> = names.iter().filter(|name| is_plain(name) && known.contains(name)).map(key).collect();
    drop(known);
    keys.extend(plain);
    keys.sort_unstable();
    let mut found = Lookalikes { ids: 0, differs: [false; RESPECTS.len()] };
    for same in keys.chunk_by(|left, right| left.0 == right.0).filter(|same| same.len() > 1) {
        found.ids += same.len() - 1;
        for (at, differs) in found.differs.iter_mut().enumerate() {
            *differs |= same.iter().any(|(_, changed)| changed[at]);
        }
    }
    (found.ids > 0).then_some(found)
}

/// Whether an id is its own key.
fn is_plain(name: &str) -> bool {
    let bytes = name.as_bytes();
    let is_power = bytes.first().is_some_and(u8::is_ascii_digit) && bytes.contains(&b'e');
    bytes.iter().all(|byte| byte.is_ascii_graphic() && !byte.is_ascii_uppercase())
        && !matches!(bytes.first(), Some(b'0' | b'+' | b'-'))
        && !bytes.contains(&b'.')
        && !is_power
}

/// What all lookalikes of an id have in common, and in which respects the id differs from it.
fn key(name: &str) -> (String, [bool; RESPECTS.len()]) {
    let mut changed = [false; RESPECTS.len()];
    let mut becomes = |text: String, respect: usize, new: String| {
        changed[respect] |= text != new;
        new
    };
    let text = name.to_owned();
    let seen = text.chars().filter(|&letter| !is_unseen(letter)).collect();
    let text = becomes(text, UNSEEN, seen);
    let composed = text.nfc().collect();
    let text = becomes(text, ACCENTS, composed);
    let close = text.split_whitespace().collect();
    let text = becomes(text, BLANKS, close);
    let narrow = text.nfkc().filter(|letter| !letter.is_whitespace()).collect();
    let text = becomes(text, WIDTH, narrow);
    let figures: String = text.chars().map(digit).collect();
    let number = number(&figures).unwrap_or(figures);
    let text = becomes(text, NUMBER, number);
    let small = text.to_lowercase();
    let text = becomes(text, CAPITALS, small);
    (text, changed)
}

/// A number as it is usually written: `7` for `007`, `7.0`, `+7` and `0.7e1`.
fn number(text: &str) -> Option<String> {
    /// Whoever writes larger powers of ten writes no id.
    const LARGEST: i32 = 30;
    let (sign, unsigned) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let (mantissa, power) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, power)) => (mantissa, power.parse::<i32>().ok().filter(|power| power.abs() <= LARGEST)?),
        None => (unsigned, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let figures = format!("{whole}{fraction}");
    if whole.is_empty() || !figures.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    // Where the point comes, counted from the left; zeros make room for it.
    let point = whole.len() as i32 + power;
    let (before, after) =
        (usize::try_from(-point).unwrap_or(0), usize::try_from(point - figures.len() as i32).unwrap_or(0));
    let figures = format!("{}{figures}{}", "0".repeat(before), "0".repeat(after));
    let (whole, fraction) = figures.split_at(usize::try_from(point).unwrap_or(0));
    let (whole, fraction) = (whole.trim_start_matches('0'), fraction.trim_end_matches('0'));
    let whole = if whole.is_empty() { "0" } else { whole };
    Some(if fraction.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") })
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_core::data::Interner;

    fn found(names: &[&str]) -> Option<Lookalikes> {
        let mut interner = Interner::new();
        for name in names {
            interner.intern(name);
        }
        lookalikes(interner.strings())
    }

    #[test]
    fn ids_that_differ_in_what_is_hardly_seen() {
        for (names, respect) in [
            (["ann", "ann "], BLANKS),
            (["a b", "a\u{a0}b"], BLANKS),
            (["ann", "ann\0"], UNSEEN),
            (["ann", "a\u{200b}nn"], UNSEEN),
            (["ren\u{e9}", "rene\u{301}"], ACCENTS),
            (["ann", "\u{ff41}nn"], WIDTH),
            (["1", "01"], NUMBER),
            (["1", "1.0"], NUMBER),
            (["007.00", "0007"], NUMBER),
            (["0", "00"], NUMBER),
            (["17", "+17"], NUMBER),
            (["17", "17."], NUMBER),
            (["17", "1.7e1"], NUMBER),
            (["1e2", "100"], NUMBER),
            (["17", "\u{661}\u{667}"], NUMBER),
            (["1.5", "1.50"], NUMBER),
            (["1.5", "01.5"], NUMBER),
            (["0.015", "1.5e-2"], NUMBER),
            (["-7", "-07"], NUMBER),
            (["fina", "\u{fb01}na"], WIDTH),
            (["ann", "ann\u{fe0f}"], UNSEEN),
            (["ann", "ann\u{fe0e}"], UNSEEN),
            (["ann", "a\u{180e}nn"], UNSEEN),
            (["ann", "a\u{34f}nn"], UNSEEN),
            (["ann", "ann\u{e0100}"], UNSEEN),
            (["ann", "ann\u{3164}"], UNSEEN),
            (["ann", "\u{115f}ann"], UNSEEN),
        ] {
            let found = found(&names).unwrap_or_else(|| panic!("{names:?}"));
            let differs = std::array::from_fn(|at| at == respect);
            assert_eq!(found, Lookalikes { ids: 1, differs }, "{names:?}");
            let warning = found.warning();
            assert!(warning.starts_with("1 id differs from another only in") && warning.contains(RESPECTS[respect]));
            assert!(!warning.contains("ann") && !warning.contains(char::is_control), "{warning}");
        }
    }

    #[test]
    fn ids_that_only_resemble_each_other() {
        for names in [
            vec!["ann", "anne", "\u{e4}nn"],
            vec!["1", "10", "100", "1.5", "1.05", "-1", "15", "1.5e-1", "1e99", "1e999", "1e", "e1", "1.2.3", "+", "."],
            vec!["01", "02", "10"],
            vec!["ren\u{e9}", "ren\u{e8}", "rene"],
            vec!["a b", "c d", ""],
            vec![],
        ] {
            assert_eq!(found(&names), None, "{names:?}");
        }
    }

    #[test]
    fn all_of_them_are_counted() {
        let found = found(&["7", "07", " 7", "7.0", "8", "9\u{200d}", "9"]).unwrap();
        assert_eq!((found.ids, found.differs), (4, [true, true, false, false, true, false]));
        assert!(found.warning().starts_with("4 ids differ from another only in blanks or characters"));
    }

    #[test]
    fn many_ids_take_no_time() {
        let mut interner = Interner::new();
        for id in 0..650_000 {
            interner.intern(&id.to_string());
        }
        interner.intern("000017");
        let begun = std::time::Instant::now();
        assert_eq!(lookalikes(interner.strings()).map(|found| found.ids), Some(1));
        assert!(begun.elapsed() < std::time::Duration::from_secs(10), "{:?}", begun.elapsed());
    }
}
