//! The form of a message: a line of JSON, then one base64 text a line.
//!
//! Every line ends with a newline. The JSON object has `throng` = `message`, `version` = 1, `protocol`, `suite`, `step`, `from`, `session` (32 hex
//! digits), `reply_to` (SHA-256 in hex of the whole message that is answered, or null), `counts` (an object) and `body_sha256` (of all bytes after the first
//! newline). Protocols of more than two parties add `to` and `parameters`. Unknown keys are ignored.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use throng_core::{Error, Result};

/// What the first line says.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Header {
    pub(crate) throng: String,
    pub(crate) version: u64,
    pub(crate) protocol: String,
    pub(crate) suite: String,
    pub(crate) step: u64,
    pub(crate) from: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) to: Option<String>,
    pub(crate) session: String,
    pub(crate) reply_to: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) parameters: Option<Value>,
    pub(crate) counts: BTreeMap<String, u64>,
    pub(crate) body_sha256: String,
}

/// How many bytes of a long section stand in a line.
pub(crate) const LINE: usize = 3072;

/// What a section of a message must be.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Section<'a> {
    /// Lines of so many bytes each, counted by lines.
    Lines(&'a str, usize),
    /// So many bytes, counted by bytes.
    Long(&'a str, usize),
}

/// The lines of a message while it is made, with what they are.
#[derive(Debug, Default)]
pub(crate) struct Body {
    counts: BTreeMap<String, u64>,
    text: Vec<u8>,
}

impl Body {
    /// A section of lines, each of so many bytes of `bytes`.
    pub(crate) fn section(mut self, name: &str, width: usize, bytes: &[u8]) -> Self {
        let lines = bytes.chunks_exact(width.max(1));
        self.counts.insert(name.to_owned(), lines.len() as u64);
        let mut line = String::new();
        for bytes in lines {
            line.clear();
            STANDARD.encode_string(bytes, &mut line);
            self.text.extend_from_slice(line.as_bytes());
            self.text.push(b'\n');
        }
        self
    }

    /// A long section: its count is that of its bytes, [`LINE`] of them in each line but the last.
    pub(crate) fn long(mut self, name: &str, bytes: &[u8]) -> Self {
        self.counts.insert(name.to_owned(), bytes.len() as u64);
        for bytes in bytes.chunks(LINE) {
            self.text.extend_from_slice(STANDARD.encode(bytes).as_bytes());
            self.text.push(b'\n');
        }
        self
    }

    /// A number that needs no lines.
    pub(crate) fn count(mut self, name: &str, count: u64) -> Self {
        self.counts.insert(name.to_owned(), count);
        self
    }
}

/// SHA-256 in hex.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The text of a message.
pub(crate) fn written(header: Header, body: Body) -> Result<Vec<u8>> {
    let header = Header { counts: body.counts, body_sha256: sha256(&body.text), ..header };
    let mut text = serde_json::to_vec(&header).map_err(|cause| Error::internal(cause.to_string()))?;
    text.push(b'\n');
    text.extend_from_slice(&body.text);
    Ok(text)
}

/// A message that was read.
#[derive(Debug)]
pub(crate) struct Message {
    pub(crate) header: Header,
    /// SHA-256 of the whole text.
    pub(crate) sha256: String,
    /// Where it was found, for errors.
    pub(crate) place: String,
    body: Vec<u8>,
}

impl Message {
    /// Reads a message whose checksum is right.
    pub(crate) fn parse(text: &[u8], place: &str) -> Result<Self> {
        let damaged = |problem: &str| {
            Error::data(problem)
                .in_file(place)
                .with_hint("get the message once more from whoever sent it, as it is, byte by byte")
        };
        let end = memchr::memchr(b'\n', text)
            .ok_or_else(|| damaged("the message is cut off: its first line does not end"))?;
        let header: Header = serde_json::from_slice(&text[..end])
            .map_err(|cause| damaged("the first line is not that of a message").at_line(1).with_cause(cause))?;
        if header.throng != "message" {
            return Err(damaged("this is no message of a protocol").at_line(1));
        }
        if header.version != 1 {
            return Err(Error::data(format!(
                "the message has version {}, and only version 1 is known",
                header.version
            ))
            .in_file(place)
            .with_hint("one of the two parties needs a newer throng"));
        }
        let is_hex = |text: &str, digits: usize| {
            text.len() == digits && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        };
        if !is_hex(&header.session, 32) {
            return Err(damaged("the session is not 32 hexadecimal digits").at_line(1));
        }
        let body = &text[end + 1..];
        if header.body_sha256 != sha256(body) {
            return Err(damaged("the message is damaged: its checksum is not that of its lines"));
        }
        if !body.is_empty() && body.last() != Some(&b'\n') {
            return Err(damaged("the last line does not end with a newline"));
        }
        Ok(Self { header, sha256: sha256(text), place: place.to_owned(), body: body.to_vec() })
    }

    /// The first line alone, with the checksum of the whole: what is kept of a message that is not needed again.
    pub(crate) fn kept(header: Header, sha256: String) -> Self {
        Self { header, sha256, place: "the state".to_owned(), body: Vec::new() }
    }

    /// One of the counts.
    pub(crate) fn count(&self, name: &str) -> Result<u64> {
        self.header.counts.get(name).copied().ok_or_else(|| {
            Error::data(format!("the message does not say how many `{name}` it has"))
                .at_line(1)
                .in_file(&self.place)
                .with_hint("it is not the message that this step reads")
        })
    }

    /// The bytes of sections of lines, when there are just these and every line has its length.
    pub(crate) fn sections<const N: usize>(&self, sections: [(&str, usize); N]) -> Result<[Vec<u8>; N]> {
        let mut parts = self.parts(&sections.map(|(name, width)| Section::Lines(name, width)))?.into_iter();
        Ok(std::array::from_fn(|_| parts.next().unwrap_or_default()))
    }

    /// The bytes of sections, one behind the other, when there are just these and every line has its length.
    pub(crate) fn parts(&self, sections: &[Section<'_>]) -> Result<Vec<Vec<u8>>> {
        let mut lines = self.body.split_inclusive(|&byte| byte == b'\n');
        let mut number = 1;
        let mut found = Vec::with_capacity(sections.len());
        for section in sections {
            let (name, widths) = self.widths(*section)?;
            let mut bytes = Vec::new();
            for width in widths {
                number += 1;
                let Some(line) = lines.next() else {
                    return Err(
                        self.unfit(format!("the message has fewer lines than its count of `{name}` says"), number)
                    );
                };
                let before = bytes.len();
                let decoded = STANDARD.decode_vec(&line[..line.len() - 1], &mut bytes);
                if decoded.is_err() || bytes.len() - before != width {
                    return Err(self.unfit(format!("a line of `{name}` is not base64 of {width} bytes"), number));
                }
            }
            found.push(bytes);
        }
        match lines.next() {
            None => Ok(found),
            Some(_) => Err(self.unfit("the message has more lines than its counts say".to_owned(), number + 1)),
        }
    }

    /// The name of a section, and how many bytes each of its lines has.
    fn widths<'a>(&self, section: Section<'a>) -> Result<(&'a str, Box<dyn Iterator<Item = usize>>)> {
        match section {
            Section::Lines(name, width) => {
                let count = self.count(name)?;
                Ok((name, Box::new((0..count).map(move |_| width))))
            }
            Section::Long(name, bytes) => {
                if self.count(name)? != bytes as u64 {
                    return Err(self.unfit(format!("its `{name}` must have {bytes} bytes"), 1));
                }
                Ok((name, Box::new((0..bytes).step_by(LINE).map(move |from| (bytes - from).min(LINE)))))
            }
        }
    }

    fn unfit(&self, problem: String, line: u64) -> Error {
        Error::data(problem).at_line(line).in_file(&self.place).with_hint(
            "whoever sent it made it wrongly: tell them, and take no other message of theirs for this session",
        )
    }

    /// An error about an item of a section that begins after so many lines.
    pub(crate) fn wrong(&self, problem: impl Into<String>, line: usize) -> Error {
        Error::data(problem)
            .at_line(line as u64 + 2)
            .in_file(&self.place)
            .with_hint("whoever sent it does not keep to the protocol: go no further in this session")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> Header {
        Header {
            throng: "message".to_owned(),
            version: 1,
            protocol: "psi".to_owned(),
            suite: "ristretto255-SHA512".to_owned(),
            step: 1,
            from: "alice".to_owned(),
            to: None,
            session: "0123456789abcdef0123456789abcdef".to_owned(),
            reply_to: None,
            parameters: None,
            counts: BTreeMap::new(),
            body_sha256: String::new(),
        }
    }

    fn made() -> Vec<u8> {
        written(header(), Body::default().section("blinded", 2, b"abcdef").section("tags", 1, b"xy")).unwrap()
    }

    #[test]
    fn a_message_is_what_the_issue_prints() {
        let text = String::from_utf8(made()).unwrap();
        let (first, body) = text.split_once('\n').unwrap();
        assert_eq!(body, "YWI=\nY2Q=\nZWY=\neA==\neQ==\n");
        assert_eq!(
            first,
            format!(
                "{{\"throng\":\"message\",\"version\":1,\"protocol\":\"psi\",\"suite\":\"ristretto255-SHA512\",\"step\":1,\"from\":\"alice\",\
                 \"session\":\"0123456789abcdef0123456789abcdef\",\"reply_to\":null,\"counts\":{{\"blinded\":3,\"tags\":2}},\
                 \"body_sha256\":\"{}\"}}",
                sha256(body.as_bytes())
            )
        );
        let read = Message::parse(text.as_bytes(), "m").unwrap();
        let [blinded, tags] = read.sections([("blinded", 2), ("tags", 1)]).unwrap();
        assert_eq!((blinded.as_slice(), tags.as_slice()), (b"abcdef".as_slice(), b"xy".as_slice()));
        assert_eq!(read.sha256, sha256(text.as_bytes()));
    }

    #[test]
    fn unknown_keys_are_ignored_and_repeated_ones_are_not() {
        let text = String::from_utf8(made()).unwrap();
        let more = text.replacen("{\"throng\"", "{\"later\":[1],\"throng\"", 1);
        assert!(Message::parse(more.as_bytes(), "m").is_ok());
        let twice = text.replacen("{\"throng\"", "{\"step\":2,\"throng\"", 1);
        assert!(Message::parse(twice.as_bytes(), "m").is_err());
    }

    /// Each byte that is changed, and each cut, is seen; nothing panics.
    #[test]
    fn damage_is_seen() {
        let text = made();
        for cut in 0..text.len() {
            assert!(Message::parse(&text[..cut], "m").is_err(), "{cut}");
        }
        let body = memchr::memchr(b'\n', &text).unwrap() + 1;
        for at in 0..text.len() {
            let mut changed = text.clone();
            changed[at] ^= 1;
            let read = Message::parse(&changed, "m");
            assert!(at < body || read.is_err(), "{at}");
        }
    }

    #[test]
    fn sections_are_exact() {
        let read = Message::parse(&made(), "m").unwrap();
        assert!(read.sections([("blinded", 3), ("tags", 1)]).is_err());
        assert!(read.sections([("blinded", 2)]).is_err());
        assert!(read.sections([("blinded", 2), ("more", 1)]).is_err());
        // A last letter whose spare bits are not 0 is not the one form of these bytes.
        let mut text = String::from_utf8(made()).unwrap().replace("YWI=", "YWJ=");
        let sum = sha256(text.split_once('\n').unwrap().1.as_bytes());
        let at = text.find("body_sha256\":\"").unwrap() + 14;
        text.replace_range(at..at + 64, &sum);
        let read = Message::parse(text.as_bytes(), "m").unwrap();
        assert!(read.sections([("blinded", 2), ("tags", 1)]).is_err());
    }
}
