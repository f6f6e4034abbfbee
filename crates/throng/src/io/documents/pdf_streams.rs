//! Unpacking the streams of a PDF, never beyond a limit.
//!
//! # Idea
//! A stream may pass through any number of filters, and a few hundred bytes that are packed three times become gigabytes. 1.
//! What our reader asks for is unpacked here, filter by filter; whatever a filter puts out takes of the [`Room`] there is.
//! 2. What the library unpacks for itself (the table of objects, objects in streams) cannot be held back. So all streams of
//!    the file, pictures aside, are found by their words and unpacked here before the library sees the file.
//!
//! # Readings
//! Damaged data end where the damage is. The library reads on behind it: where that could become more than there is room
//! for, the file is refused. In a file with a password nothing can be unpacked beforehand: there, streams that are packed
//! more than once are refused.

use std::borrow::Cow;
use std::io::Read as _;

use hayro_syntax::Filter;
use hayro_syntax::object::{Array, Dict, Number, Object, Stream};

/// Deflate makes at most so many bytes of one.
const MOST_OF_ONE: u64 = 1032;

/// How many bytes may still be unpacked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Room(pub(super) u64);

/// There is no room for what a stream holds.
#[derive(Debug, PartialEq)]
pub(super) struct Beyond;

type Unpacked<T> = std::result::Result<T, Beyond>;

impl Room {
    fn take(&mut self, bytes: usize) -> Unpacked<()> {
        self.0 = self.0.checked_sub(bytes as u64).ok_or(Beyond)?;
        Ok(())
    }

    /// What a stream holds. `None` if it is damaged before its first byte, or a picture.
    pub(super) fn unpack<'a>(&mut self, stream: &Stream<'a>) -> Unpacked<Option<Cow<'a, [u8]>>> {
        let mut data = stream.raw_data();
        self.take(data.len())?;
        for (at, filter) in stream.filters().iter().enumerate() {
            let about = parameters(stream.dict(), at);
            let Some(step) = Step::of(*filter, about.as_ref()) else {
                if at == 0 && *filter == Filter::Crypt {
                    continue;
                }
                return Ok(None);
            };
            let mut unpacked = step.apply(&data, self)?.bytes;
            if let (Step::Flate | Step::Lzw { .. }, Some(about)) = (&step, &about) {
                let Some(rows) = Rows::of(about) else { return Ok(None) };
                unpacked = rows.undo(unpacked);
            }
            data = Cow::Owned(unpacked);
        }
        Ok(Some(data))
    }
}

/// The parameters of a filter, given by its place among those of a stream.
fn parameters<'a>(dict: &Dict<'a>, at: usize) -> Option<Dict<'a>> {
    let of = |key: &str| -> Option<Dict<'a>> {
        let one = dict.get::<Dict<'_>>(key).filter(|_| at == 0);
        one.or_else(|| dict.get::<Array<'_>>(key)?.iter::<Object<'_>>().nth(at)?.into_dict())
    };
    of("DP").or_else(|| of("DecodeParms"))
}

/// A filter that is no picture's.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Step {
    Hex,
    Ascii85,
    RunLength,
    Flate,
    Lzw {
        /// Whether codes become longer one code early.
        early: bool,
    },
}

impl Step {
    fn of(filter: Filter, about: Option<&Dict<'_>>) -> Option<Self> {
        Some(match filter {
            Filter::AsciiHexDecode => Self::Hex,
            Filter::Ascii85Decode => Self::Ascii85,
            Filter::RunLengthDecode => Self::RunLength,
            Filter::FlateDecode => Self::Flate,
            Filter::LzwDecode => {
                let early = about.and_then(|about| about.get::<Number>("EarlyChange"));
                Self::Lzw { early: early.is_none_or(|early| early.as_f64() != 0.0) }
            }
            _ => return None,
        })
    }

    /// The filter that a name in a file means.
    fn named(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"ASCIIHexDecode" | b"AHx" => Self::Hex,
            b"ASCII85Decode" | b"A85" => Self::Ascii85,
            b"RunLengthDecode" | b"RL" => Self::RunLength,
            b"FlateDecode" | b"Fl" => Self::Flate,
            b"LZWDecode" | b"LZW" => Self::Lzw { early: true },
            _ => return None,
        })
    }

    /// Whether a few bytes can become many.
    fn is_packing(self) -> bool {
        matches!(self, Self::RunLength | Self::Flate | Self::Lzw { .. })
    }

    fn apply(self, data: &[u8], room: &mut Room) -> Unpacked<Applied> {
        let bytes = match self {
            Self::Flate => return flate(data, room),
            Self::Hex => hex(data, room)?,
            Self::Ascii85 => ascii_85(data, room)?,
            Self::RunLength => run_length(data, room)?,
            Self::Lzw { early } => lzw(data, early, room)?,
        };
        Ok(Applied { bytes, read: data.len(), is_damaged: false })
    }
}

/// What a filter made of some bytes.
#[derive(Debug, PartialEq)]
struct Applied {
    bytes: Vec<u8>,
    /// How many bytes it read.
    read: usize,
    /// Whether it could not read on.
    is_damaged: bool,
}

fn flate(data: &[u8], room: &mut Room) -> Unpacked<Applied> {
    // Two bytes before the data tell how they are packed; some writers leave them out.
    let has_header = matches!(data, [first, second, ..] if first & 0x0f == 8 && second & 0x20 == 0
        && (u16::from(*first) << 8 | u16::from(*second)) % 31 == 0);
    let skip = if has_header { 2 } else { 0 };
    let mut bytes = Vec::new();
    let mut decoder = flate2::read::DeflateDecoder::new(&data[skip..]).take(room.0 + 1);
    let is_damaged = decoder.read_to_end(&mut bytes).is_err();
    room.take(bytes.len())?;
    let read = (decoder.get_ref().total_in() as usize + skip).min(data.len());
    Ok(Applied { bytes, read, is_damaged })
}

fn hex(data: &[u8], room: &mut Room) -> Unpacked<Vec<u8>> {
    room.take(data.len() / 2 + 1)?;
    let digits: Vec<u8> = data
        .iter()
        .take_while(|byte| **byte != b'>')
        .filter_map(|byte| char::from(*byte).to_digit(16))
        .map(|digit| digit as u8)
        .collect();
    Ok(digits.chunks(2).map(|pair| pair[0] << 4 | pair.get(1).copied().unwrap_or(0)).collect())
}

fn ascii_85(data: &[u8], room: &mut Room) -> Unpacked<Vec<u8>> {
    let (mut unpacked, mut group) = (Vec::new(), Vec::with_capacity(5));
    let mut flush = |group: &mut Vec<u8>, room: &mut Room| -> Unpacked<()> {
        let length = group.len().saturating_sub(1);
        group.resize(5, 84);
        let value = group.iter().fold(0u32, |value, digit| value.wrapping_mul(85).wrapping_add(u32::from(*digit)));
        group.clear();
        room.take(length)?;
        unpacked.extend_from_slice(&value.to_be_bytes()[..length]);
        Ok(())
    };
    for &byte in data {
        match byte {
            b'!'..=b'u' => {
                group.push(byte - b'!');
                if group.len() == 5 {
                    flush(&mut group, room)?;
                }
            }
            b'z' => {
                flush(&mut group, room)?;
                group.resize(5, 0);
                flush(&mut group, room)?;
            }
            b'~' => break,
            _ => {}
        }
    }
    flush(&mut group, room)?;
    Ok(unpacked)
}

fn run_length(mut data: &[u8], room: &mut Room) -> Unpacked<Vec<u8>> {
    let mut unpacked = Vec::new();
    while let Some((&length, rest)) = data.split_first() {
        match (length, rest) {
            (0..=127, _) => {
                let length = (usize::from(length) + 1).min(rest.len());
                room.take(length)?;
                unpacked.extend_from_slice(&rest[..length]);
                data = &rest[length..];
            }
            (129.., [byte, after @ ..]) => {
                let length = 257 - usize::from(length);
                room.take(length)?;
                unpacked.resize(unpacked.len() + length, *byte);
                data = after;
            }
            _ => break,
        }
    }
    Ok(unpacked)
}

/// Codes of 9 to 12 bits: a byte, the end, a new beginning, or a string that was seen, which is the one before and a byte.
fn lzw(data: &[u8], early: bool, room: &mut Room) -> Unpacked<Vec<u8>> {
    const BEGIN: usize = 256;
    const END: usize = 257;
    const LARGEST: usize = 4096;
    let mut unpacked: Vec<u8> = Vec::new();
    // Where each string from code 258 on lies in what is unpacked.
    let mut table: Vec<(usize, usize)> = Vec::new();
    let mut before: Option<(usize, usize)> = None;
    let (mut held, mut bits, mut bytes) = (0u32, 0, data.iter());
    loop {
        let size = 258 + table.len() + usize::from(early);
        let width = [512, 1024, 2048].iter().fold(9, |width, limit| width + u32::from(size >= *limit));
        while bits < width {
            let Some(byte) = bytes.next() else { return Ok(unpacked) };
            held = held << 8 | u32::from(*byte);
            bits += 8;
        }
        let code = (held >> (bits - width) & ((1 << width) - 1)) as usize;
        bits -= width;
        let start = unpacked.len();
        let (from, length) = match (code, before) {
            (BEGIN, _) => {
                table.clear();
                before = None;
                continue;
            }
            (END, _) => return Ok(unpacked),
            (..BEGIN, _) => {
                room.take(1)?;
                unpacked.push(code as u8);
                (start, 0)
            }
            (258.., _) if code - 258 < table.len() => table[code - 258],
            // The string before and its own first byte.
            (258.., Some((from, length))) if code - 258 == table.len() && code < LARGEST => (from, length + 1),
            _ => return Ok(unpacked),
        };
        room.take(length)?;
        for at in from..from + length {
            unpacked.push(unpacked[at]);
        }
        if let Some((from, length)) = before
            && 258 + table.len() < LARGEST
        {
            table.push((from, length + 1));
        }
        before = Some((start, unpacked.len() - start));
    }
}

/// Rows of bytes of which each is told as a difference to those beside and above it.
struct Rows {
    /// 1: not at all, 2: to the one beside, from 10 on: each row says how.
    sort: u32,
    pixel: usize,
    row: usize,
}

impl Rows {
    /// `None` if that is not known.
    fn of(about: &Dict<'_>) -> Option<Self> {
        let number = |key: &str, usual: f64| about.get::<Number>(key).map_or(usual, |number| number.as_f64());
        let sort = number("Predictor", 1.0) as u32;
        let (colors, bits, columns) = (number("Colors", 1.0), number("BitsPerComponent", 8.0), number("Columns", 1.0));
        let is_known = sort == 1 || sort >= 10 || sort == 2 && bits == 8.0;
        let (pixel, row) = ((colors * bits / 8.0).ceil(), (columns * colors * bits / 8.0).ceil());
        let is_sensible = (1.0..=1024.0).contains(&pixel) && (1.0..=1e9).contains(&row);
        (is_known && (sort == 1 || is_sensible)).then_some(Self { sort, pixel: pixel as usize, row: row as usize })
    }

    fn undo(&self, mut data: Vec<u8>) -> Vec<u8> {
        if self.sort == 1 {
            return data;
        }
        let head = usize::from(self.sort >= 10);
        let (mut from, mut to) = (0, 0);
        while from + head < data.len() {
            let (sort, length) = (if head == 1 { data[from] } else { 1 }, self.row.min(data.len() - from - head));
            for at in 0..length {
                let left = if at >= self.pixel { data[to + at - self.pixel] } else { 0 };
                let above = if to >= self.row { data[to + at - self.row] } else { 0 };
                let corner = if at >= self.pixel && to >= self.row { data[to + at - self.row - self.pixel] } else { 0 };
                let guess = match sort {
                    1 => left,
                    2 => above,
                    3 => ((u16::from(left) + u16::from(above)) / 2) as u8,
                    4 => nearest(left, above, corner),
                    _ => 0,
                };
                data[to + at] = data[from + head + at].wrapping_add(guess);
            }
            (from, to) = (from + head + length, to + length);
        }
        data.truncate(to);
        data
    }
}

/// Which of the three is nearest to left and above without the corner.
fn nearest(left: u8, above: u8, corner: u8) -> u8 {
    let guess = i16::from(left) + i16::from(above) - i16::from(corner);
    let far = |byte: u8| (guess - i16::from(byte)).abs();
    if far(left) <= far(above) && far(left) <= far(corner) {
        left
    } else if far(above) <= far(corner) {
        above
    } else {
        corner
    }
}

/// Whether there is no room for what the streams of a file, pictures aside, unpack to, all filters counted.
pub(super) fn unpacks_beyond(bytes: &[u8], most: u64) -> bool {
    let has_password = memchr::memmem::find(bytes, b"/Encrypt").is_some();
    let mut room = Room(most);
    // Words that look like streams could have the same bytes read again and again.
    let mut reading = Room(64 * bytes.len() as u64 + most);
    memchr::memmem::find_iter(bytes, b"stream").any(|found| {
        let (before, after) = (&bytes[found.saturating_sub(16 << 10)..found], &bytes[found + 6..]);
        let opened = memchr::memmem::rfind(before, b"obj").unwrap_or(0);
        let dictionary = unescaped(&before[opened..]);
        let is_picture = memchr::memmem::find(&dictionary, b"/Image").is_some();
        if before.ends_with(b"end") || is_picture {
            return false;
        }
        let start = after.iter().take(2).take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        let data = &after[start..];
        let steps = steps(&dictionary, data);
        if has_password && steps.iter().filter(|step| step.is_packing()).count() > 1 {
            return true;
        }
        let read = unpack_found(data, &steps, !has_password, &mut room);
        read.and_then(|read| reading.take(read + dictionary.len())).is_err()
    })
}

/// The filters that a dictionary names; where it only refers to them, that which the data look like.
fn steps(dictionary: &[u8], data: &[u8]) -> Vec<Step> {
    let of = |key: &[u8]| {
        memchr::memmem::find_iter(dictionary, key).find_map(|at| {
            let value = dictionary[at + key.len()..].trim_ascii_start();
            matches!(value.first(), Some(b'/' | b'[' | b'0'..=b'9')).then_some(value)
        })
    };
    let Some(value) = of(b"/Filter").or_else(|| of(b"/F")) else { return Vec::new() };
    match value.first() {
        Some(b'[') => {
            let names = value.split(|byte| *byte == b']').next().unwrap_or_default();
            names.split(|byte| *byte == b'/').skip(1).filter_map(|name| Step::named(first_word(name))).collect()
        }
        Some(b'/') => Step::named(first_word(&value[1..])).into_iter().collect(),
        // What deflate packed begins with this byte, mostly.
        _ if data.first() == Some(&0x78) => vec![Step::Flate],
        _ => Vec::new(),
    }
}

fn first_word(text: &[u8]) -> &[u8] {
    text.split(|byte| !byte.is_ascii_alphanumeric()).next().unwrap_or_default()
}

/// Letters of names can be written as their number: `#46` is F.
fn unescaped(dictionary: &[u8]) -> Cow<'_, [u8]> {
    if !dictionary.contains(&b'#') {
        return Cow::Borrowed(dictionary);
    }
    let (mut text, mut rest) = (Vec::with_capacity(dictionary.len()), dictionary);
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    while let Some((&first, after)) = rest.split_first() {
        let pair = if first == b'#' { after.first().and_then(digit).zip(after.get(1).and_then(digit)) } else { None };
        text.push(pair.map_or(first, |(high, low)| (high << 4 | low) as u8));
        rest = &after[if pair.is_some() { 2 } else { 0 }..];
    }
    Cow::Owned(text)
}

/// Unpacks the data of a stream whose end is not known. Gives how many bytes were read.
fn unpack_found(data: &[u8], steps: &[Step], is_damage_refused: bool, room: &mut Room) -> Unpacked<usize> {
    let Some((first, others)) = steps.split_first() else { return Ok(0) };
    let until_end = |data: &[u8]| memchr::memmem::find(data, b"endstream").unwrap_or(data.len());
    // What tells its own end may go on behind a word that looks like one.
    let end = if *first == Step::Flate { data.len() } else { until_end(data) };
    let mut applied = first.apply(&data[..end], room)?;
    let mut left = if applied.is_damaged { until_end(&data[applied.read..]) } else { 0 };
    let read = applied.read + left;
    for step in others {
        if left > 0 && is_damage_refused {
            return Err(Beyond);
        }
        let before = std::mem::take(&mut applied.bytes);
        applied = step.apply(&before, room)?;
        left = if applied.is_damaged { before.len() - applied.read } else { 0 };
    }
    if is_damage_refused && left as u64 * MOST_OF_ONE > room.0 { Err(Beyond) } else { Ok(read) }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn packed(data: &[u8]) -> Vec<u8> {
        let mut packer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
        packer.write_all(data).unwrap();
        packer.finish().unwrap()
    }

    fn stream(dictionary: &str, data: &[u8]) -> Vec<u8> {
        let head = format!("7 0 obj\n<< {dictionary} /Length {} >>\nstream\r\n", data.len());
        [head.as_bytes(), data, b"\nendstream\nendobj\n"].concat()
    }

    #[test]
    fn filters() {
        let apply = |step: Step, data: &[u8]| step.apply(data, &mut Room(1000)).unwrap().bytes;
        assert_eq!(apply(Step::Hex, b"4 86\n97>zz"), b"Hi\x70");
        assert_eq!(apply(Step::Ascii85, b"87cURD_*#TDfTZ)~>"), b"Hello, world");
        assert_eq!(apply(Step::Ascii85, b"z87cUR\nDZ~>"), b"\0\0\0\0Hello");
        assert_eq!(apply(Step::RunLength, &[2, b'a', b'b', b'c', 254, b'x', 128, 9]), b"abcxxx");
        // The example of the standard.
        let lzw = [0x80, 0x0b, 0x60, 0x50, 0x22, 0x0c, 0x0c, 0x85, 0x01];
        assert_eq!(apply(Step::Lzw { early: true }, &lzw), [45, 45, 45, 45, 45, 65, 45, 45, 45, 66]);
        assert_eq!(apply(Step::Flate, &packed(b"Hello")), b"Hello");
        assert_eq!(apply(Step::Flate, &packed(b"Hello")[2..]), b"Hello");
        for (step, data) in [
            (Step::Hex, &[b'0'; 20][..]),
            (Step::Ascii85, &[b'0'; 15]),
            (Step::RunLength, &[247, b'x']),
            (Step::Lzw { early: true }, &lzw),
            (Step::Flate, &packed(b"0123456789")),
        ] {
            assert_eq!(step.apply(data, &mut Room(9)), Err(Beyond), "{step:?}");
        }
    }

    #[test]
    fn rows_of_differences() {
        let rows = Rows { sort: 15, pixel: 1, row: 3 };
        assert_eq!(rows.undo(vec![1, 1, 1, 1, 2, 1, 1, 1, 4, 1, 0, 0, 3, 1]), [1, 2, 3, 2, 3, 4, 3, 3, 4, 2]);
        assert_eq!(Rows { sort: 2, pixel: 1, row: 3 }.undo(vec![1, 1, 1, 5, 1]), [1, 2, 3, 5, 6]);
        assert_eq!(Rows { sort: 1, pixel: 1, row: 1 }.undo(vec![7]), [7]);
    }

    #[test]
    fn what_unpacks_to_too_much_is_seen_before_it_is_unpacked() {
        let spaces = packed(&vec![b' '; 8 << 20]);
        let page = stream("/Filter /FlateDecode", &spaces);
        assert!(page.len() < 16 << 10, "{}", page.len());
        assert!(unpacks_beyond(&page, (8 << 20) - 1) && !unpacks_beyond(&page, 8 << 20));
        assert!(unpacks_beyond(&[page.clone(), page].concat(), 15 << 20), "all streams together");
        let picture = stream("/Subtype /Image /Filter /FlateDecode", &spaces);
        assert!(!unpacks_beyond(&picture, 1 << 20), "pictures are not unpacked");
        for dictionary in ["/Filter[/Fl]", "/F /Fl", "/Filter /#46lateDecode", "/Filter 9 0 R"] {
            assert!(unpacks_beyond(&stream(dictionary, &spaces), 1 << 20), "{dictionary}");
        }
        assert!(unpacks_beyond(&stream("/Filter /Fl", &spaces[2..]), 1 << 20), "without a header");
    }

    /// Filters one after the other.
    #[test]
    fn chains() {
        let spaces = packed(&vec![b' '; 8 << 20]);
        let hex: Vec<u8> = spaces.iter().flat_map(|byte| format!("{byte:02x}").into_bytes()).collect();
        let twice = packed(&spaces);
        for (dictionary, data) in [
            ("/Filter [/FlateDecode /FlateDecode]", &twice),
            ("/Filter [/AHx /Fl]", &hex),
            ("/Filter [ /FlateDecode/ASCIIHexDecode /FlateDecode ]", &packed(&hex)),
            ("/Filter [/Fl /RL]", &packed(&[129, b' '].repeat(64 << 10))),
        ] {
            assert!(unpacks_beyond(&stream(dictionary, data), 7 << 20), "{dictionary}");
            assert!(!unpacks_beyond(&stream(dictionary, data), 17 << 20), "{dictionary}");
        }
        // Every filter counts.
        assert!(unpacks_beyond(&stream("/Filter [/Fl /Fl]", &twice), (8 << 20) + 100));
        let locked = [stream("/Filter [/Fl /Fl]", &[9; 9]), b"trailer << /Encrypt 4 0 R >>".to_vec()].concat();
        assert!(unpacks_beyond(&locked, 1 << 20));
        // That there is a password is believed, but what can be unpacked is unpacked all the same.
        assert!(unpacks_beyond(&[stream("/Filter /Fl", &spaces), b"% /Encrypt".to_vec()].concat(), 1 << 20));
        // What is damaged could go on.
        let mut damaged = packed(&(0..1_000_000u32).flat_map(u32::to_le_bytes).collect::<Vec<_>>());
        let half = damaged.len() / 2;
        damaged[half..half + 100].fill(0xff);
        assert!(unpacks_beyond(&stream("/Filter /Fl", &damaged), 64 << 20));
    }
}
