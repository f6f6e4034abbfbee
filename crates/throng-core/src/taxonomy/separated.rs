//! Separated text with quotes (RFC 4180), record by record with the line where each begins.

use std::borrow::Cow;

use crate::error::{Error, Result};

/// The records of a text. Lines that are empty are left out; fields without quotes lose blanks around them.
#[derive(Debug)]
pub(crate) struct Records<'a> {
    rest: &'a str,
    line: u64,
    separator: char,
}

/// A record, and the line where it begins.
pub(crate) type Record<'a> = (u64, Vec<Cow<'a, str>>);

impl<'a> Records<'a> {
    pub(crate) fn new(text: &'a str, separator: char) -> Self {
        Self { rest: text.trim_start_matches('\u{feff}'), line: 1, separator }
    }

    /// One field and what ended it: the separator, or the end of the line or text.
    fn field(&mut self, start: u64) -> Result<(Cow<'a, str>, bool)> {
        // A separator may be a blank itself, such as a tab.
        let blank = |letter: char| letter != self.separator && matches!(letter, ' ' | '\t');
        let text = self.rest.trim_start_matches(blank);
        let Some(quoted) = text.strip_prefix('"') else {
            let end = text.find([self.separator, '\n']).unwrap_or(text.len());
            let field = text[..end].trim_end_matches('\r').trim_end_matches(blank);
            return Ok((Cow::Borrowed(field), self.ended(&text[end..])));
        };
        let mut field = Cow::Borrowed("");
        let mut text = quoted;
        loop {
            let Some(end) = text.find('"') else {
                return Err(Error::data("a quote is opened and never closed").at_line(start));
            };
            self.line += text[..end].matches('\n').count() as u64;
            field += &text[..end];
            text = &text[end + 1..];
            if !text.starts_with('"') {
                break;
            }
            field += "\"";
            text = &text[1..];
        }
        let after = text.trim_start_matches(blank);
        let after = after.strip_prefix('\r').unwrap_or(after);
        if !after.is_empty() && !after.starts_with([self.separator, '\n']) {
            return Err(Error::data("there is text after a closing quote").at_line(self.line));
        }
        Ok((field, self.ended(after)))
    }

    /// Goes on after a field; whether the record has more.
    fn ended(&mut self, rest: &'a str) -> bool {
        let mut letters = rest.chars();
        let end = letters.next();
        self.rest = letters.as_str();
        self.line += u64::from(end == Some('\n'));
        end == Some(self.separator)
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Result<Record<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let end = self.rest.find('\n').unwrap_or(self.rest.len());
            if !self.rest[..end].trim().is_empty() {
                break;
            }
            if end == self.rest.len() {
                return None;
            }
            self.rest = &self.rest[end + 1..];
            self.line += 1;
        }
        let start = self.line;
        let mut fields = Vec::new();
        loop {
            match self.field(start) {
                Ok((field, more)) => {
                    fields.push(field);
                    if !more {
                        return Some(Ok((start, fields)));
                    }
                }
                Err(error) => {
                    self.rest = "";
                    return Some(Err(error));
                }
            }
        }
    }
}

/// Appends a field of a CSV file, quoted where it must be to be read back as it is.
pub(crate) fn push_field(field: &str, out: &mut String) {
    if field.contains(['"', ',', '\n', '\r']) || field.trim() != field {
        out.push('"');
        out.push_str(&field.replace('"', "\"\""));
        out.push('"');
    } else {
        out.push_str(field);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, separator: char) -> Vec<(u64, Vec<String>)> {
        let records = Records::new(text, separator).map(Result::unwrap);
        records.map(|(line, fields)| (line, fields.iter().map(ToString::to_string).collect())).collect()
    }

    fn record(line: u64, fields: &[&str]) -> (u64, Vec<String>) {
        (line, fields.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn quotes_blanks_and_lines() {
        let text = "\u{feff}a, b ,\r\n\n \"x, \"\"y\"\"\nz\" ,w\r\nlast";
        assert_eq!(
            read(text, ','),
            [record(1, &["a", "b", ""]), record(3, &["x, \"y\"\nz", "w"]), record(5, &["last"])]
        );
        assert_eq!(read("a\tb\t\n", '\t'), [record(1, &["a", "b", ""])]);
        assert_eq!(read("", ','), []);
    }

    #[test]
    fn open_quotes_are_errors() {
        let error = |text| Records::new(text, ',').find_map(Result::err).unwrap().describe(false);
        assert!(error("a\nb,\"c\n\n").contains("line 2"));
        assert!(error("a\nb,\"c\nd\"e").contains("line 3"));
    }
}
