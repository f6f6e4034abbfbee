//! The dictionaries of a Parquet file: which of their entries no row uses.
//!
//! # Idea
//! A writer may put the different values of a column once into a page of their own, a dictionary, and number them; the pages
//! of rows then hold numbers. A reader of rows never sees an entry that no row names, nor bytes after the last entry. So the
//! numbers are read here once more, and entries are crossed off.
//!
//! A page of rows begins with levels, which tell where a value is missing or a list begins; only values that are there have a
//! number. Levels and numbers are both written as runs: a header, whose last bit says whether a single number follows that is
//! repeated so many times, or groups of eight numbers with so many bits each.
//!
//! # Cost
//! A byte for each entry. Pages are unpacked until every entry is crossed off: where a writer gives up a dictionary that
//! became too large, no page after that is.

use ::parquet::basic::{Encoding, Type};
use ::parquet::column::page::{Page, PageReader};
use ::parquet::schema::types::ColumnDescriptor;

/// What a dictionary holds that no row shows.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Unused {
    pub(super) entries: u64,
    /// Bytes after the last entry.
    pub(super) bytes: u64,
    /// Pages whose levels are written in a way that was given up in 2013; the entries are not counted then.
    pub(super) old_pages: u64,
}

type Counted<T> = std::result::Result<T, String>;

/// What the dictionary of some pages, if they have one, holds that no row shows. `between` is called before each page.
pub(super) fn unused(
    pages: &mut dyn PageReader,
    column: &ColumnDescriptor,
    mut between: impl FnMut(),
) -> Counted<Unused> {
    let mut next = |pages: &mut dyn PageReader| -> Counted<Option<Page>> {
        between();
        pages.get_next_page().map_err(|cause| cause.to_string())
    };
    if !pages.peek_next_page().map_err(|cause| cause.to_string())?.is_some_and(|page| page.is_dict) {
        return Ok(Unused::default());
    }
    let Some(Page::DictionaryPage { buf, num_values, .. }) = next(pages)? else { return Ok(Unused::default()) };
    let entries = num_values as usize;
    let length = length_of(&buf, entries, column).ok_or("a dictionary is shorter than its entries")?;
    let bytes = (buf.len() - length) as u64;
    drop(buf);
    let mut crossed = Crossed { seen: vec![false; entries], left: entries };
    while crossed.left > 0 {
        let Some(page) = next(pages)? else { break };
        match numbers_of(&page, column)? {
            Numbers::None => {}
            Numbers::Old => return Ok(Unused { entries: 0, bytes, old_pages: 1 }),
            Numbers::Some { bytes, count } => crossed.cross(bytes, count)?,
        }
    }
    Ok(Unused { entries: crossed.left as u64, bytes, old_pages: 0 })
}

/// How many bytes so many entries take; `None` if there are fewer.
fn length_of(bytes: &[u8], entries: usize, column: &ColumnDescriptor) -> Option<usize> {
    let width = match column.physical_type() {
        Type::INT32 | Type::FLOAT => 4,
        Type::INT64 | Type::DOUBLE => 8,
        Type::INT96 => 12,
        // An entry without a byte would let a few bytes claim any number of them.
        Type::FIXED_LEN_BYTE_ARRAY => usize::try_from(column.type_length()).ok().filter(|&width| width > 0)?,
        Type::BOOLEAN => return None,
        Type::BYTE_ARRAY => {
            let mut at = 0usize;
            for _ in 0..entries {
                let length = bytes.get(at..at.checked_add(4)?)?;
                at = at.checked_add(4)?.checked_add(u32::from_le_bytes(length.try_into().ok()?) as usize)?;
            }
            return Some(at).filter(|&end| end <= bytes.len());
        }
    };
    entries.checked_mul(width).filter(|&end| end <= bytes.len())
}

/// The numbers in a page.
enum Numbers<'a> {
    /// The page holds values, or is none of rows.
    None,
    /// It cannot be told how many there are.
    Old,
    Some {
        bytes: &'a [u8],
        count: u64,
    },
}

fn numbers_of<'a>(page: &'a Page, column: &ColumnDescriptor) -> Counted<Numbers<'a>> {
    let is_numbers = matches!(page.encoding(), Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY);
    if !page.is_data_page() || !is_numbers {
        return Ok(Numbers::None);
    }
    let (repeats, defined) = (column.max_rep_level() > 0, column.max_def_level() > 0);
    let (levels, bytes) = match page {
        Page::DataPage { buf, def_level_encoding, rep_level_encoding, .. } => {
            let is_old = |is_there: bool, encoding: &Encoding| is_there && *encoding != Encoding::RLE;
            if is_old(repeats, rep_level_encoding) || is_old(defined, def_level_encoding) {
                return Ok(Numbers::Old);
            }
            let after = if repeats { with_length(buf).ok_or(CUT)?.1 } else { buf };
            if defined { with_length(after).ok_or(CUT)? } else { (&[][..], after) }
        }
        Page::DataPageV2 { buf, def_levels_byte_len, rep_levels_byte_len, .. } => {
            let after = buf.get(*rep_levels_byte_len as usize..).ok_or(CUT)?;
            after.split_at_checked(*def_levels_byte_len as usize).ok_or(CUT)?
        }
        Page::DictionaryPage { .. } => return Ok(Numbers::None),
    };
    let all = u64::from(page.num_values());
    if !defined {
        return Ok(Numbers::Some { bytes, count: all });
    }
    let (most, mut count) = (u32::from(column.max_def_level().unsigned_abs()), 0);
    let width = u32::BITS - most.leading_zeros();
    let read = runs(levels, width, all, |level, times| {
        count += if level == most { times } else { 0 };
        Ok(())
    })?;
    if read < all { Err(CUT.to_owned()) } else { Ok(Numbers::Some { bytes, count }) }
}

const CUT: &str = "a page is shorter than it says";

/// The bytes of levels, which their length in four bytes stands before, and those after them.
fn with_length(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    rest.split_at_checked(u32::from_le_bytes(*length) as usize)
}

/// Entries that were seen.
struct Crossed {
    seen: Vec<bool>,
    left: usize,
}

impl Crossed {
    /// Crosses off what the numbers of a page name: the width of a number, then the runs.
    fn cross(&mut self, bytes: &[u8], count: u64) -> Counted<()> {
        if count == 0 {
            return Ok(());
        }
        let (&width, numbers) = bytes.split_first().ok_or(CUT)?;
        if width > 32 {
            return Err("a number of an entry has more than 32 bits".to_owned());
        }
        let read = runs(numbers, u32::from(width), count, |number, _| {
            let seen = self.seen.get_mut(number as usize).ok_or("a row names an entry that its dictionary has not")?;
            self.left -= usize::from(!*seen);
            *seen = true;
            Ok(())
        })?;
        if read < count { Err(CUT.to_owned()) } else { Ok(()) }
    }
}

/// Calls `take` for at most `count` numbers, each with how many times it stands there. How many there were.
fn runs(
    mut bytes: &[u8],
    width: u32,
    count: u64,
    mut take: impl FnMut(u32, u64) -> std::result::Result<(), &'static str>,
) -> Counted<u64> {
    let mut left = count;
    // Each turn takes a byte at least.
    while left > 0 && !bytes.is_empty() {
        let (header, rest) = header_of(bytes).ok_or(CUT)?;
        bytes = rest;
        if header & 1 == 0 {
            let (number, rest) = bytes.split_at_checked(width.div_ceil(8) as usize).ok_or(CUT)?;
            let number = number.iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte));
            let times = u64::from(header >> 1).min(left);
            if times > 0 {
                take(number, times)?;
            }
            (bytes, left) = (rest, left - times);
        } else {
            let (groups, wide) = (u64::from(header >> 1), u64::from(width));
            // The last group of a page may be cut off after its last number.
            let length = (groups * wide).min(bytes.len() as u64);
            let (packed, rest) = bytes.split_at(length as usize);
            let times = if width == 0 { groups * 8 } else { (length * 8 / wide).min(groups * 8) }.min(left);
            unpack(packed, width, times, &mut take)?;
            (bytes, left) = (rest, left - times);
        }
    }
    Ok(count - left)
}

/// Calls `take` for so many numbers, packed from the lowest bit of each byte on.
fn unpack(
    packed: &[u8],
    width: u32,
    count: u64,
    take: &mut impl FnMut(u32, u64) -> std::result::Result<(), &'static str>,
) -> Counted<()> {
    if width == 0 {
        return if count > 0 { Ok(take(0, count)?) } else { Ok(()) };
    }
    let mask = (1u64 << width) - 1;
    let (mut held, mut bits, mut bytes) = (0u64, 0, packed.iter());
    for _ in 0..count {
        while bits < width {
            held |= u64::from(*bytes.next().ok_or(CUT)?) << bits;
            bits += 8;
        }
        take((held & mask) as u32, 1)?;
        held >>= width;
        bits -= width;
    }
    Ok(())
}

/// The header of a run, in groups of seven bits, and what follows it.
fn header_of(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let mut header = 0u64;
    for (at, byte) in bytes.iter().take(5).enumerate() {
        header |= u64::from(byte & 0x7f) << (7 * at);
        if byte & 0x80 == 0 {
            return Some((u32::try_from(header).ok()?, &bytes[at + 1..]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(bytes: &[u8], width: u32, count: u64) -> Counted<Vec<u32>> {
        let mut found = Vec::new();
        let read = runs(bytes, width, count, |number, times| {
            found.extend(std::iter::repeat_n(number, times as usize));
            Ok(())
        })?;
        assert_eq!(read, found.len() as u64);
        Ok(found)
    }

    #[test]
    fn runs_of_both_sorts() {
        // The example of the description of the format: 0 to 7 with three bits each.
        assert_eq!(numbers(&[0x03, 0x88, 0xc6, 0xfa], 3, 8).unwrap(), [0, 1, 2, 3, 4, 5, 6, 7]);
        // Numbers after the last one are none.
        assert_eq!(numbers(&[0x03, 0x88, 0xc6, 0xfa], 3, 2).unwrap(), [0, 1]);
        assert_eq!(numbers(&[0x06, 0x05, 0x03, 0x01], 1, 5).unwrap(), [5, 5, 5, 1, 0]);
        assert_eq!(numbers(&[0x04, 0x01, 0x02], 12, 2).unwrap(), [0x201, 0x201]);
        assert_eq!(numbers(&[0x03, 0xff, 0xff, 0xff, 0xff], 32, 1).unwrap(), [u32::MAX]);
        assert_eq!(numbers(&[0x04], 0, 2).unwrap(), [0, 0]);
        assert_eq!(numbers(&[0x03], 0, 3).unwrap(), [0, 0, 0]);
        // A run of any length is told at once.
        let mut all = 0;
        runs(&[0xfe, 0xff, 0xff, 0xff, 0x0f, 0x01], 1, u64::MAX, |_, times| {
            all += times;
            Ok(())
        })
        .unwrap();
        assert_eq!(all, (1 << 31) - 1);
    }

    #[test]
    fn damaged_runs() {
        for bytes in [&[0x80][..], &[0xff; 6], &[0x04], &[0xff, 0xff, 0xff, 0xff, 0x7f]] {
            assert!(numbers(bytes, 8, 3).is_err(), "{bytes:?}");
        }
        // Runs of nothing come to an end, and so do those that are cut off.
        assert!(numbers(&[0, 0, 0, 0], 8, 3).unwrap().is_empty());
        assert_eq!(numbers(&[0x03, 0x07], 8, 8).unwrap(), [7]);
    }

    #[test]
    fn entries_are_crossed_off() {
        let mut crossed = Crossed { seen: vec![false; 3], left: 3 };
        crossed.cross(&[2, 0x04, 0x02], 2).unwrap();
        assert_eq!(crossed.left, 2);
        crossed.cross(&[2, 0x03, 0x02 | 0x02 << 2, 0x00], 2).unwrap();
        assert_eq!(crossed.left, 2);
        assert!(crossed.cross(&[2, 0x04, 0x03], 2).unwrap_err().contains("names an entry"));
        assert!(crossed.cross(&[33, 0x04, 0x03], 2).unwrap_err().contains("32 bits"));
        assert!(crossed.cross(&[], 1).is_err() && crossed.cross(&[], 0).is_ok());
    }
}
