//! The text of a file: UTF-8, else UTF-16 if it begins with a mark, else Windows-1252.
//!
//! # Readings
//! The usual collections of documents are older than UTF-8 and have single bytes of Latin-1 in them. Such a file is read
//! as Windows-1252, as browsers do: its English words are right whatever its true encoding is, and what is not is counted
//! among the unknown words. A file with zero bytes is no text.

use throng_core::{Error, Result};

/// What the bytes 0x80 to 0x9f mean in Windows-1252; those above are the characters of that number.
const WINDOWS_1252: [char; 32] = [
    '\u{20ac}', ' ', '\u{201a}', '\u{192}', '\u{201e}', '\u{2026}', '\u{2020}', '\u{2021}', '\u{2c6}', '\u{2030}',
    '\u{160}', '\u{2039}', '\u{152}', ' ', '\u{17d}', ' ', ' ', '\u{2018}', '\u{2019}', '\u{201c}', '\u{201d}',
    '\u{2022}', '\u{2013}', '\u{2014}', '\u{2dc}', '\u{2122}', '\u{161}', '\u{203a}', '\u{153}', ' ', '\u{17e}',
    '\u{178}',
];

/// The character of a byte in Windows-1252.
pub(super) fn windows_1252(byte: u8) -> char {
    match byte {
        0x80..=0x9f => WINDOWS_1252[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

/// The text of a file.
pub(super) fn decode(bytes: Vec<u8>) -> Result<String> {
    let wide = |read: fn([u8; 2]) -> u16| {
        let units = bytes[2..].chunks_exact(2).map(|pair| read([pair[0], pair[1]]));
        char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
    };
    match bytes.as_slice() {
        [0xff, 0xfe, ..] => return Ok(wide(u16::from_le_bytes)),
        [0xfe, 0xff, ..] => return Ok(wide(u16::from_be_bytes)),
        _ => {}
    }
    if memchr::memchr(0, &bytes).is_some() {
        return Err(Error::data("the file is not text, whatever its name says")
            .with_hint("take it out of the folder, or leave such files out with `--bad-lines skip`"));
    }
    Ok(match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => error.into_bytes().into_iter().map(windows_1252).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_encoding() {
        let text = |bytes: &[u8]| decode(bytes.to_vec()).unwrap();
        assert_eq!(text("caf\u{e9}".as_bytes()), "caf\u{e9}");
        assert_eq!(text(b"caf\xe9 \x93x\x94 \x80"), "caf\u{e9} \u{201c}x\u{201d} \u{20ac}");
        assert_eq!(text(b"\xff\xfea\0b\0"), "ab");
        assert_eq!(text(b"\xfe\xff\0a\xd8\0"), "a\u{fffd}");
        assert_eq!(text(b""), "");
        assert!(decode(b"a\0b".to_vec()).unwrap_err().to_string().contains("not text"));
    }
}
