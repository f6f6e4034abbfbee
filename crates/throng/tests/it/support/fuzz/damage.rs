//! Ways to damage a file: single bits, cuts, repetitions, pieces of other files, numbers and words that are easily wrong.

use throng_core::Rng;

/// Numbers at which arithmetic ends.
const NUMBERS: [&str; 16] = [
    "0",
    "-1",
    "1",
    "255",
    "256",
    "65536",
    "2147483647",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "18446744073709551616",
    "1e308",
    "1e999",
    "0.00001",
];

/// Words that mean something in one format or another.
const WORDS: [&[u8]; 36] = [
    b"\n",
    b"\r\n",
    b"\r",
    b"\t",
    b",",
    b";",
    b"\"",
    b"\"\"",
    b"\\",
    b"\\u0000",
    b"\\ud800",
    b"{",
    b"}",
    b"[",
    b"]",
    b"[[[[[[[[",
    b"null",
    b"true",
    b":",
    b"/",
    b"\0",
    b"\xff",
    b"\xef\xbb\xbf",
    b"\xc3\xa4",
    b"\xe2\x80\xae",
    b"\xf0\x9f\x98\x80",
    b"user",
    b"item",
    b"text",
    b"id",
    b"time",
    b"child,parent",
    b"<p>",
    b"</",
    b"&#x110000;",
    b"<<",
];

/// One of the files with one to four damages.
pub(super) fn damage(seeds: &[Vec<u8>], rng: &mut Rng) -> Vec<u8> {
    let mut bytes = seeds[rng.index(seeds.len())].clone();
    if rng.below(4) == 0 && damage_arrow_schema(&mut bytes, rng) {
        return bytes;
    }
    for _ in 0..=rng.index(4) {
        once(&mut bytes, seeds, rng);
    }
    bytes
}

fn once(bytes: &mut Vec<u8>, seeds: &[Vec<u8>], rng: &mut Rng) {
    if bytes.is_empty() {
        bytes.extend_from_slice(WORDS[rng.index(WORDS.len())]);
        return;
    }
    let at = rng.index(bytes.len());
    let length = 1 + rng.index((bytes.len() - at).min(64));
    match rng.below(10) {
        0 => bytes[at] ^= 1 << rng.below(8),
        1 => bytes[at] = rng.bits() as u8,
        2 => bytes[at] = [0, 0x7f, 0x80, 0xff][rng.index(4)],
        3 => drop(bytes.drain(at..at + length)),
        4 => bytes.truncate(at),
        5 => {
            let piece = bytes[at..at + length].repeat(1 + rng.index(40));
            bytes.splice(at..at, piece);
        }
        6 => {
            let other = &seeds[rng.index(seeds.len())];
            bytes.truncate(at);
            bytes.extend_from_slice(&other[rng.index(other.len())..]);
        }
        7 => {
            let to = rng.index(bytes.len());
            let piece: Vec<u8> = bytes.drain(at..at + length).collect();
            let to = to.min(bytes.len());
            bytes.splice(to..to, piece);
        }
        8 => {
            let word = WORDS[rng.index(WORDS.len())];
            bytes.splice(at..at, word.iter().copied());
        }
        _ => {
            let is_digit = |at: &usize| bytes[*at].is_ascii_digit();
            let start = (at..bytes.len()).find(is_digit).unwrap_or(at);
            let end = (start..bytes.len()).find(|at| !is_digit(at)).unwrap_or(bytes.len());
            bytes.splice(start..end, NUMBERS[rng.index(NUMBERS.len())].bytes());
        }
    }
}

/// Damages the Arrow schema in the footer of a Parquet file, which is a message in base64 that random bytes would never be.
/// Whether there is one.
fn damage_arrow_schema(bytes: &mut [u8], rng: &mut Rng) -> bool {
    let key = b"ARROW:schema";
    let Some(start) = bytes.windows(key.len()).position(|window| window == key) else { return false };
    // Its length stands between the key and the text; no byte of it is a letter of base64 that four others follow.
    let is_text =
        |at: &usize| bytes[*at..].len() >= 16 && bytes[*at..*at + 16].iter().all(|&byte| value(byte).is_some());
    let Some(start) = (start + key.len()..bytes.len()).find(is_text) else { return false };
    let end = (start..bytes.len()).find(|&at| value(bytes[at]).is_none()).unwrap_or(bytes.len());
    let text = &mut bytes[start..end];
    for _ in 0..=rng.index(6) {
        // A byte of the message lies in two of the four letters.
        let at = rng.index(text.len());
        let (one, other) = (at, (at + 1).min(text.len() - 1));
        match rng.below(3) {
            0 => text[one] = LETTERS[rng.index(64)],
            1 => (text[one], text[other]) = (LETTERS[rng.index(64)], LETTERS[rng.index(64)]),
            _ => (text[one], text[other]) = (b'A', b'A'),
        }
    }
    true
}

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn value(letter: u8) -> Option<usize> {
    LETTERS.iter().position(|&other| other == letter)
}
