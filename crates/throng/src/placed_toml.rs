//! Reading TOML with the place of every word, so that an error says line, column and the nearest word.

use std::ops::Range;

use serde_json::Value;
use throng_core::{Error, Result};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value and where it stands.
pub(crate) type Item<'i> = Spanned<DeValue<'i>>;

/// A text whose places are known.
pub(crate) struct Reader<'a> {
    pub(crate) text: &'a str,
}

impl<'a> Reader<'a> {
    /// The line and column of a place, from 1.
    pub(crate) fn place(&self, start: usize) -> (u64, u64) {
        let before = self.text.get(..start).unwrap_or(self.text);
        let line = 1 + before.matches('\n').count() as u64;
        let column = 1 + before.rsplit('\n').next().unwrap_or_default().chars().count() as u64;
        (line, column)
    }

    /// An error with the place where it is.
    pub(crate) fn at(&self, span: Range<usize>, error: Error) -> Error {
        let (line, column) = self.place(span.start);
        error.at_line(line).in_column(column.to_string())
    }

    pub(crate) fn wrong<T>(&self, what: &Spanned<T>, problem: impl Into<String>) -> Error {
        self.at(what.span(), Error::data(problem))
    }

    pub(crate) fn known_keys(&self, table: &DeTable<'_>, what: &str, known: &[&str]) -> Result<()> {
        // The first in the file, not of the alphabet.
        let strangers = table.keys().filter(|key| !known.contains(&key.get_ref().as_ref()));
        match strangers.min_by_key(|key| key.span().start) {
            None => Ok(()),
            Some(key) => Err(self.at(key.span(), Error::unknown(what, key.get_ref(), known.iter().copied()))),
        }
    }

    pub(crate) fn whole(&self, item: &Item<'_>, name: &str) -> Result<i64> {
        let number = item.get_ref().as_integer().and_then(|number| number.as_str().parse().ok());
        number.ok_or_else(|| self.wrong(item, format!("`{name}` must be a whole number")))
    }

    /// A number that is 0 or greater.
    pub(crate) fn number(&self, item: &Item<'_>, name: &str) -> Result<Value> {
        let value = match item.get_ref() {
            DeValue::Integer(number) => number.as_str().parse::<u64>().ok().map(Value::from),
            DeValue::Float(number) => number
                .as_str()
                .parse::<f64>()
                .ok()
                .filter(|number| number.is_finite() && *number >= 0.0)
                .map(Value::from),
            _ => None,
        };
        value.ok_or_else(|| self.wrong(item, format!("`{name}` must be a number, 0 or greater")))
    }

    pub(crate) fn flag(&self, item: &Item<'_>, name: &str) -> Result<bool> {
        item.get_ref().as_bool().ok_or_else(|| self.wrong(item, format!("`{name}` must be true or false")))
    }

    pub(crate) fn word<'b>(&self, item: &'b Item<'_>, name: &str) -> Result<&'b str> {
        let text = item.get_ref().as_str().filter(|text| !text.trim().is_empty());
        text.ok_or_else(|| self.wrong(item, format!("`{name}` must be text, in quotes, with a word in it")))
    }

    pub(crate) fn list<'b>(&self, item: &'b Item<'a>, name: &str) -> Result<&'b [Item<'a>]> {
        let list = item.get_ref().as_array().map(AsRef::as_ref);
        list.ok_or_else(|| self.wrong(item, format!("`{name}` must be a list, in square brackets")))
    }

    pub(crate) fn table<'b>(&self, item: &'b Item<'a>, name: &str) -> Result<&'b DeTable<'a>> {
        item.get_ref().as_table().ok_or_else(|| self.wrong(item, format!("`{name}` must be a table, in braces")))
    }

    pub(crate) fn one_of<T: Copy>(&self, item: &Item<'_>, name: &str, all: &[(&'static str, T)]) -> Result<T> {
        let word = self.word(item, name)?;
        let found = all.iter().find(|(known, _)| *known == word).map(|(_, value)| *value);
        found.ok_or_else(|| {
            let known = all.iter().map(|(known, _)| *known);
            self.at(item.span(), Error::unknown(&format!("value of `{name}`"), word, known))
        })
    }
}
