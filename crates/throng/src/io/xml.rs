//! The little of XML that GraphML and GPX need: elements with attributes and text, read one after the other.
//!
//! Comments and processing instructions are passed over and counted, but for the declaration at the beginning. An attribute that an element has
//! twice is an error. A document type is refused: it can define texts that grow without end. So is
//! what is nested too deep, and whatever ends before it should.

use std::borrow::Cow;

use throng_core::{Error, Result};

/// No element lies in more others than this.
const DEEPEST: usize = 64;
/// No element has more attributes than this.
const MOST_ATTRIBUTES: usize = 256;

/// What comes next.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Event<'a> {
    /// An element begins: its name without a prefix, and its attributes.
    Begin(&'a str, Vec<(&'a str, Cow<'a, str>)>),
    /// An element ends.
    End(&'a str),
    /// Text between them, not of blanks alone.
    Text(Cow<'a, str>),
}

/// A text that is read as XML.
pub(super) struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// The line of a place before.
    counted: (usize, u64),
    open: Vec<&'a str>,
    /// An element that ends where it begins.
    ends: Option<&'a str>,
    passed: [u64; 2],
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0, counted: (0, 1), open: Vec::new(), ends: None, passed: [0; 2] }
    }

    /// The line that was come to.
    pub(super) fn line(&mut self) -> u64 {
        let (from, lines) = self.counted;
        let more = memchr::memchr_iter(b'\n', &self.text.as_bytes()[from..self.at]).count() as u64;
        self.counted = (self.at, lines + more);
        lines + more
    }

    /// What was passed over so far, in words for a single one, and how often.
    pub(super) fn passed(&self) -> [(&'static str, u64); 2] {
        let [comments, instructions] = self.passed;
        [("a comment of the XML", comments), ("a processing instruction of the XML", instructions)]
    }

    fn wrong(&mut self, problem: &str) -> Error {
        let line = self.line();
        let error = Error::data(format!("this is no XML: {problem}")).at_line(line);
        match problem.contains("the file ends") || problem.ends_with("does not end") {
            true => error.with_hint("the file may be cut off: get it once more"),
            false => error,
        }
    }

    /// What comes next; nothing at the end.
    pub(super) fn next(&mut self) -> Result<Option<Event<'a>>> {
        if let Some(name) = self.ends.take() {
            self.open.pop();
            return Ok(Some(Event::End(name)));
        }
        loop {
            let rest = &self.text[self.at..];
            if rest.is_empty() {
                return match self.open.last() {
                    None => Ok(None),
                    Some(_) => Err(self.wrong("the file ends inside an element")),
                };
            }
            if !rest.starts_with('<') {
                let end = rest.find('<').unwrap_or(rest.len());
                let text = &rest[..end];
                let decoded = self.decoded(text)?;
                self.at += end;
                if decoded.trim().is_empty() {
                    continue;
                }
                if self.open.is_empty() {
                    return Err(self.wrong("text stands outside of all elements"));
                }
                return Ok(Some(Event::Text(decoded)));
            }
            if rest.starts_with("<!--") {
                self.passed[0] += 1;
                self.pass("-->", "a comment does not end")?;
            } else if rest.starts_with("<?") {
                let is_declaration = self.at == 0 && rest.starts_with("<?xml ");
                self.passed[1] += u64::from(!is_declaration);
                self.pass("?>", "an instruction does not end")?;
            } else if let Some(after) = rest.strip_prefix("<![CDATA[") {
                let Some(end) = after.find("]]>") else { return Err(self.wrong("a text does not end")) };
                self.at += "<![CDATA[".len() + end + 3;
                if self.open.is_empty() {
                    return Err(self.wrong("text stands outside of all elements"));
                }
                return Ok(Some(Event::Text(Cow::Borrowed(&after[..end]))));
            } else if rest.starts_with("<!") {
                return Err(self.wrong("document types are not read"));
            } else if let Some(after) = rest.strip_prefix("</") {
                let Some(end) = after.find('>') else { return Err(self.wrong("the file ends inside a tag")) };
                let name = local(after[..end].trim_ascii());
                self.at += 2 + end + 1;
                return match self.open.pop() {
                    Some(open) if open == name => Ok(Some(Event::End(name))),
                    _ => Err(self.wrong("an element ends that is not open")),
                };
            } else {
                return self.begin().map(Some);
            }
        }
    }

    fn pass(&mut self, end: &str, problem: &str) -> Result<()> {
        match self.text[self.at..].find(end) {
            Some(found) => {
                self.at += found + end.len();
                Ok(())
            }
            None => Err(self.wrong(problem)),
        }
    }

    fn begin(&mut self) -> Result<Event<'a>> {
        let rest = &self.text[self.at + 1..];
        let is_end = |c: char| c.is_ascii_whitespace() || matches!(c, '>' | '/');
        let Some(end) = rest.find(is_end).filter(|end| *end > 0) else { return Err(self.wrong("a tag has no name")) };
        let name = local(&rest[..end]);
        let mut at = end;
        let mut attributes: Vec<(&str, Cow<'_, str>)> = Vec::new();
        loop {
            let left = rest[at..].trim_ascii_start();
            at = rest.len() - left.len();
            if left.starts_with("/>") || left.starts_with('>') {
                break;
            }
            let Some(equals) = left.find(['=', '>', '<']).filter(|at| left.as_bytes()[*at] == b'=') else {
                return Err(self.wrong("the file ends inside a tag, or an attribute has no value"));
            };
            let key = left[..equals].trim_ascii();
            let value = left[equals + 1..].trim_ascii_start();
            let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
            let Some(quote) = quote else { return Err(self.wrong("an attribute has no quotes")) };
            let Some(length) = value[1..].find(quote) else { return Err(self.wrong("a quote does not end")) };
            let text = &value[1..=length];
            if text.contains('<') || key.is_empty() {
                return Err(self.wrong("an attribute has a `<` in it, or no name"));
            }
            attributes.push((key, self.decoded(text)?));
            if attributes.len() > MOST_ATTRIBUTES {
                return Err(self.wrong(&format!("an element has more than {MOST_ATTRIBUTES} attributes")));
            }
            at = rest.len() - value.len() + length + 2;
        }
        let is_before = |at: usize, key: &str| attributes[..at].iter().any(|(other, _)| *other == key);
        if attributes.iter().enumerate().any(|(at, (key, _))| is_before(at, key)) {
            return Err(self.wrong("an element has an attribute twice"));
        }
        let is_whole = rest[at..].starts_with('/');
        self.at += 1 + at + if is_whole { 2 } else { 1 };
        self.open.push(name);
        if self.open.len() > DEEPEST {
            return Err(self.wrong(&format!("more than {DEEPEST} elements lie in each other")));
        }
        if is_whole {
            self.ends = Some(name);
        }
        Ok(Event::Begin(name, attributes))
    }

    /// A text whose signs are what they stand for.
    fn decoded(&mut self, text: &'a str) -> Result<Cow<'a, str>> {
        if !text.contains('&') {
            return Ok(Cow::Borrowed(text));
        }
        match decoded(text) {
            Some(text) => Ok(Cow::Owned(text)),
            None => Err(self.wrong("a sign after `&` is not known")),
        }
    }
}

/// A text whose signs (`&amp;`, `&#233;`) are what they stand for; nothing if one is not known.
pub(super) fn decoded(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        let (sign, after) = rest[at + 1..].split_once(';')?;
        out.push(match sign {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            "apos" => '\'',
            _ => {
                let digits = sign.strip_prefix('#')?;
                let number = match digits.strip_prefix(['x', 'X']) {
                    Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                    None => digits.parse().ok()?,
                };
                char::from_u32(number)?
            }
        });
        rest = after;
    }
    out.push_str(rest);
    Some(out)
}

/// A name without its prefix.
fn local(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

/// Puts a text into an XML file. Characters that XML cannot have become a question mark's replacement.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => out.push_str(&format!("&#{};", c as u32)),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
