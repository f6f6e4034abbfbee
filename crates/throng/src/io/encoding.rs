//! In which encoding a text is written, and the text as UTF-8.
//!
//! UTF-8 is read as it is. A mark at the beginning, or a zero in every other byte, tells UTF-16. A text that is not UTF-8 is
//! taken for Windows-1252 only if its beginning reads like the text of a western language; else the user must say what it is.
//! Whatever is not UTF-8 is decoded while it is read, block by block, so that no reader need know.

use std::fmt;
use std::io::{self, Read};

use encoding_rs::{Decoder, DecoderResult, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use serde::{Deserialize, Serialize};
use throng_core::{Error, Result};

/// The encoding of a text. Written down as its name, `windows-1252`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Encoding(&'static encoding_rs::Encoding);

impl Encoding {
    /// What every release is written in.
    pub const UTF_8: Self = Self(UTF_8);

    /// Reads the name of an encoding, one of those that browsers know.
    pub fn parse(text: &str) -> Result<Self> {
        let label = match text.trim().to_ascii_lowercase().as_str() {
            "latin-1" => "latin1".to_owned(),
            "utf16" => "utf-16".to_owned(),
            label => label.to_owned(),
        };
        let found = encoding_rs::Encoding::for_label_no_replacement(label.as_bytes());
        let usual = ["utf-8", "utf-16", "utf-16be", "windows-1252", "latin1", "windows-1251", "shift_jis", "gb18030"];
        found.map(Self).ok_or_else(|| Error::unknown("encoding", text, usual))
    }

    /// Its name for people.
    pub fn in_words(self) -> String {
        self.0.name().replacen("windows", "Windows", 1)
    }

    /// What a text is written in that begins so, if nobody says.
    pub(super) fn sniff(head: &[u8]) -> Self {
        if let Some((marked, _)) = encoding_rs::Encoding::for_bom(head) {
            return Self(marked);
        }
        let begin = &head[..head.len().min(4096) & !1];
        let zeros = |from: usize| begin.iter().skip(from).step_by(2).filter(|&&byte| byte == 0).count();
        let most = |zeros: usize| zeros > 0 && zeros * 20 > begin.len() / 2 * 19;
        match (zeros(0), zeros(1)) {
            (0, low) if most(low) => Self(UTF_16LE),
            (high, 0) if most(high) => Self(UTF_16BE),
            _ if is_western(head) => Self(WINDOWS_1252),
            _ => Self::UTF_8,
        }
    }

    /// The encoding of a text that begins so and is said to be in this one: a mark tells which UTF-16 it is.
    pub(super) fn as_marked(self, head: &[u8]) -> Self {
        match encoding_rs::Encoding::for_bom(head) {
            Some((marked, _)) if [UTF_16LE, UTF_16BE].contains(&self.0) && marked != UTF_8 => Self(marked),
            _ => self,
        }
    }
}

impl TryFrom<String> for Encoding {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        Self::parse(&text)
    }
}

impl From<Encoding> for String {
    fn from(encoding: Encoding) -> Self {
        encoding.to_string()
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name())
    }
}

/// Whether bytes that are not UTF-8 read like a western text in Windows-1252: nothing that binary and damaged data have, letters
/// rather than signs, most of them inside words, and never three of them beyond ASCII in a row, as nearly every word of another
/// alphabet has.
fn is_western(head: &[u8]) -> bool {
    // The last character may be cut off.
    let is_utf8 = std::str::from_utf8(head).map_or_else(|error| error.error_len().is_none(), |_| true);
    let is_binary = |byte: &u8| {
        matches!(byte, 0x81 | 0x8d | 0x8f | 0x90 | 0x9d | 0x7f | 0xfe | 0xff)
            || (*byte < b' ' && !matches!(byte, 9 | 10 | 12 | 13))
    };
    if is_utf8 || head.iter().any(is_binary) || has_utf8_character(head) {
        return false;
    }
    let is_letter = |byte: &u8| matches!(byte, 0xc0..=0xd6 | 0xd8..=0xf6 | 0xf8..=0xff);
    let of_word = |at: usize| head.get(at).is_some_and(|byte| byte.is_ascii_alphabetic() || is_letter(byte));
    let (mut high, mut letters, mut in_words) = (0, 0, 0);
    for (at, byte) in head.iter().enumerate().filter(|(_, byte)| !byte.is_ascii()) {
        high += 1;
        letters += usize::from(is_letter(byte));
        in_words += usize::from(is_letter(byte) && (of_word(at.wrapping_sub(1)) || of_word(at + 1)));
    }
    let has_three = head.windows(3).any(|three| three.iter().all(|byte| !byte.is_ascii()));
    letters * 10 >= high * 9 && in_words * 3 >= high * 2 && !has_three
}

/// Whether some bytes beyond ASCII are a character of UTF-8: then it is such a text, damaged elsewhere.
fn has_utf8_character(head: &[u8]) -> bool {
    head.utf8_chunks().any(|chunk| !chunk.valid().is_ascii())
}

/// A text in another encoding, read as UTF-8.
pub(super) struct Decoded<R> {
    inner: R,
    encoding: Encoding,
    decoder: Decoder,
    /// Bytes read and not yet decoded: from where, to where.
    input: Vec<u8>,
    from: usize,
    to: usize,
    ended: bool,
    /// Text decoded and not yet given out.
    output: Vec<u8>,
    given: usize,
}

/// Bytes that are decoded at once.
const BUFFER: usize = 1 << 16;
/// No byte becomes more bytes of UTF-8 than this.
const MOST_OF_A_BYTE: usize = 3;

impl<R: Read> Decoded<R> {
    pub(super) fn new(inner: R, encoding: Encoding) -> Self {
        Self {
            inner,
            encoding,
            decoder: encoding.0.new_decoder_with_bom_removal(),
            input: vec![0; BUFFER],
            from: 0,
            to: 0,
            ended: false,
            output: Vec::new(),
            given: 0,
        }
    }

    /// Decodes some more; nothing more if there is nothing.
    fn refill(&mut self) -> io::Result<()> {
        self.given = 0;
        self.output.resize(MOST_OF_A_BYTE * BUFFER + 16, 0);
        if self.from == self.to && !self.ended {
            (self.from, self.to) = (0, self.inner.read(&mut self.input)?);
            self.ended = self.to == 0;
        }
        let input = &self.input[self.from..self.to];
        let (result, read, written) =
            self.decoder.decode_to_utf8_without_replacement(input, &mut self.output, self.ended);
        self.from += read;
        self.output.truncate(written);
        match result {
            DecoderResult::Malformed(..) => {
                Err(io::Error::new(io::ErrorKind::InvalidData, NotInEncoding(self.encoding)))
            }
            DecoderResult::InputEmpty | DecoderResult::OutputFull => Ok(()),
        }
    }
}

impl<R: Read> Read for Decoded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.given == self.output.len() {
            if self.ended && self.from == self.to {
                return Ok(0);
            }
            self.refill()?;
        }
        let count = buffer.len().min(self.output.len() - self.given);
        buffer[..count].copy_from_slice(&self.output[self.given..self.given + count]);
        self.given += count;
        Ok(count)
    }
}

/// Bytes are no text in the encoding that they should be in.
#[derive(Debug)]
pub(super) struct NotInEncoding(pub(super) Encoding);

impl std::error::Error for NotInEncoding {}

impl fmt::Display for NotInEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the text is not {}", self.0.in_words())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(head: &[u8]) -> String {
        Encoding::sniff(head).to_string()
    }

    #[test]
    fn encodings_are_told_apart() {
        assert_eq!(name("user;größe\n1;süß\n".as_bytes()), "UTF-8");
        assert_eq!(name(b"user;gr\xf6\xdfe\n1;s\xfc\xdf\n"), "windows-1252");
        assert_eq!(name(b"\xff\xfeu\0s\0"), "UTF-16LE");
        assert_eq!(name(b"\xfe\xff\0u\0s"), "UTF-16BE");
        assert_eq!(name(b"u\0s\0e\0r\0\n\0"), "UTF-16LE");
        assert_eq!(name(b"\0u\0s\0e\0r\0\n"), "UTF-16BE");
        assert_eq!(name(b"\xef\xbb\xbfuser\n"), "UTF-8");
        // A character that is cut off at the end, a damaged character in a text with others, binary data, Cyrillic, Polish in
        // Windows-1250, signs alone, a letter alone, and a byte that is hardly ever one: none of them is western.
        for other in [
            &b"caf\xc3"[..],
            "süß ".as_bytes().iter().chain(b"\xfc\n").copied().collect::<Vec<u8>>().as_slice(),
            b"\x01\xfc\n",
            b"\xef\xf0\xe8\xe2\xe5\xf2\n",
            b"pi\xb3ka no\xbfna\n",
            b"5 \xa4\n",
            b"roses \xe4 query\n",
            b"roses\xff\n",
        ] {
            assert_eq!(name(other), "UTF-8", "{other:?}");
        }
    }

    #[test]
    fn texts_are_decoded_in_blocks() {
        let text = "größe € 😀\n".repeat(20_000);
        for (encoding, bytes) in [
            (Encoding(UTF_16LE), text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>()),
            (Encoding(UTF_16BE), text.encode_utf16().flat_map(u16::to_be_bytes).collect()),
        ] {
            let mut read = String::new();
            Decoded::new(bytes.as_slice(), encoding).read_to_string(&mut read).unwrap();
            assert!(read == text, "{encoding}");
            // Half a character at the end.
            let cut = &bytes[..bytes.len() - 1];
            assert!(Decoded::new(cut, encoding).read_to_string(&mut String::new()).is_err());
        }
        let mut read = String::new();
        Decoded::new(&b"\x80 f\xfcr"[..], Encoding::parse("latin-1").unwrap()).read_to_string(&mut read).unwrap();
        assert_eq!(read, "€ für");
        assert!(Encoding::parse("utf-9").is_err());
    }
}
