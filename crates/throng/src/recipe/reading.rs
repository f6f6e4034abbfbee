//! Reading a recipe: TOML with the place of every word, as data and steps. What they mean together is found out by `graph`.

use std::ops::Range;

use serde_json::{Map, Number, Value};
use throng_core::{Error, Result};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::limits::{DEEPEST, LONGEST_NAME, MOST_STEPS};
use crate::placed_toml::{Item, Reader};

/// The version of the form.
const FORMAT: i64 = 1;

/// A recipe as it is written.
#[derive(Debug, Clone, Default)]
pub(super) struct Written {
    pub(super) data: Vec<Entry>,
    pub(super) steps: Vec<Entry>,
}

/// A table of the recipe: `[data.log]`, `[steps.release]`.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) name: String,
    /// Where its name stands.
    pub(super) at: Range<usize>,
    /// Its keys, in the order of the file.
    pub(super) keys: Vec<Key>,
}

/// A key and its value.
#[derive(Debug, Clone)]
pub(super) struct Key {
    pub(super) name: String,
    pub(super) at: Range<usize>,
    pub(super) value: Value,
    /// Where its value stands.
    pub(super) value_at: Range<usize>,
    /// Where each of several values stands.
    pub(super) each_at: Vec<Range<usize>>,
}

impl Entry {
    /// A key.
    pub(super) fn key(&self, name: &str) -> Option<&Key> {
        self.keys.iter().find(|key| key.name == name)
    }

    /// The text of a key, if it is there and one.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.key(name).and_then(|key| key.value.as_str())
    }
}

impl Key {
    /// The texts of its value, each with its place; `None` if it is neither a text nor a list of texts.
    pub(super) fn texts(&self) -> Option<Vec<(&str, &Range<usize>)>> {
        match &self.value {
            Value::String(one) => Some(vec![(one, &self.value_at)]),
            Value::Array(several) => {
                several.iter().zip(&self.each_at).map(|(value, at)| Some((value.as_str()?, at))).collect()
            }
            _ => None,
        }
    }
}

/// What is wrong in a recipe, with the places, so that all of it can be said in the order of the file.
#[derive(Debug, Default)]
pub(super) struct Wrongs(Vec<(usize, Error)>);

impl Wrongs {
    /// Something wrong at a place.
    pub(super) fn add(&mut self, reader: &Reader<'_>, at: &Range<usize>, error: Error) {
        self.0.push((at.start, reader.at(at.clone(), error)));
    }

    /// All of it as one error, if there is any.
    pub(super) fn into_result(mut self, file: &str) -> Result<()> {
        if self.0.is_empty() {
            return Ok(());
        }
        self.0.sort_by_key(|(start, _)| *start);
        Err(Error::parameters(self.0.into_iter().map(|(_, error)| error.in_file(file)).collect()))
    }
}

/// Reads a recipe. What is wrong with single words is put to the others; only a text that is no TOML ends it.
pub(super) fn read(reader: &Reader<'_>, wrongs: &mut Wrongs) -> Result<Written> {
    let mut written = Written::default();
    let root = DeTable::parse(reader.text).map_err(|error| {
        reader.at(
            error.span().unwrap_or(0..0),
            Error::data(format!("the recipe is no TOML: {}", error.message()))
                .with_hint("a line is `key = value`, text stands in quotes, and a step begins with `[steps.NAME]`"),
        )
    })?;
    let root = root.get_ref();
    let mut items: Vec<(&Spanned<_>, &Item<'_>)> = root.iter().collect();
    items.sort_by_key(|(key, _)| key.span().start);
    for (key, item) in items {
        match key.get_ref().as_ref() {
            "throng" => format(reader, item, wrongs),
            "data" => written.data = entries(reader, item, "data", wrongs),
            "steps" => written.steps = entries(reader, item, "steps", wrongs),
            other => {
                let error = Error::unknown("key of a recipe", other, ["throng", "data", "steps"]);
                wrongs.add(reader, &key.span(), error);
            }
        }
    }
    if !root.contains_key("throng") {
        let error = Error::data("the recipe does not say its form").with_hint("its first line is `throng = 1`");
        wrongs.add(reader, &(0..0), error);
    }
    if written.steps.is_empty() && wrongs.0.is_empty() {
        let error = Error::data("the recipe has no step").with_hint("a step begins with `[steps.NAME]`");
        wrongs.add(reader, &(0..0), error);
    }
    if written.steps.len() > MOST_STEPS {
        let error = Error::data(format!("the recipe has {} steps, and {MOST_STEPS} is most", written.steps.len()));
        wrongs.add(reader, &written.steps[MOST_STEPS].at, error);
    }
    Ok(written)
}

fn format(reader: &Reader<'_>, item: &Item<'_>, wrongs: &mut Wrongs) {
    match reader.whole(item, "throng") {
        Ok(FORMAT) => {}
        Ok(other) => {
            let error = Error::data(format!("the recipe is of the form {other}, and this throng knows {FORMAT}"))
                .with_hint("take a newer throng, or write `throng = 1`");
            wrongs.add(reader, &item.span(), error);
        }
        Err(error) => wrongs.0.push((item.span().start, error)),
    }
}

/// The tables of `[data]` or `[steps]`.
fn entries(reader: &Reader<'_>, item: &Item<'_>, what: &str, wrongs: &mut Wrongs) -> Vec<Entry> {
    let table = match reader.table(item, what) {
        Ok(table) => table,
        Err(error) => {
            wrongs.0.push((item.span().start, error));
            return Vec::new();
        }
    };
    let mut entries = Vec::new();
    for (key, item) in table {
        let name = key.get_ref().to_string();
        if let Some(problem) = wrong_name(&name) {
            let error = Error::data(format!("`{}` {problem}", shortened(&name))).with_hint(
                "a name has letters, digits, `_` and `-`; outputs of a step are named behind a dot: `split.train`",
            );
            wrongs.add(reader, &key.span(), error);
            continue;
        }
        match item.get_ref().as_table() {
            Some(table) => entries.push(Entry { name, at: key.span(), keys: keys(reader, table, wrongs) }),
            None => wrongs.add(
                reader,
                &item.span(),
                Error::data(format!("`{what}.{name}` must be a table")).with_hint(format!("write `[{what}.{name}]`")),
            ),
        }
    }
    entries.sort_by_key(|entry| entry.at.start);
    entries
}

/// What is wrong with a name.
fn wrong_name(name: &str) -> Option<&'static str> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    // Words of conditions are no names.
    match name {
        "" => Some("is no name"),
        "and" | "or" | "not" | "true" | "false" => Some("is a word of conditions, and no name"),
        _ if name.len() > LONGEST_NAME => Some("is too long for a name"),
        _ if name.contains('.') => Some("has a dot, and is no name"),
        _ if name.starts_with('-') || !name.chars().all(is_plain) => Some("is no name"),
        _ => None,
    }
}

fn shortened(name: &str) -> String {
    name.chars().take(LONGEST_NAME).collect()
}

fn keys(reader: &Reader<'_>, table: &DeTable<'_>, wrongs: &mut Wrongs) -> Vec<Key> {
    let mut keys = Vec::new();
    for (key, item) in table {
        match value(item, 0) {
            Ok(value) => keys.push(Key {
                name: key.get_ref().to_string(),
                at: key.span(),
                value,
                value_at: item.span(),
                each_at: item.get_ref().as_array().into_iter().flatten().map(Spanned::span).collect(),
            }),
            Err(problem) => wrongs.add(reader, &item.span(), Error::data(format!("`{}` {problem}", key.get_ref()))),
        }
    }
    keys.sort_by_key(|key| key.at.start);
    keys
}

/// A value as JSON.
fn value(item: &Item<'_>, depth: usize) -> std::result::Result<Value, &'static str> {
    if depth > DEEPEST {
        return Err("is nested too deeply");
    }
    Ok(match item.get_ref() {
        DeValue::String(text) => Value::String(text.to_string()),
        DeValue::Boolean(yes) => Value::Bool(*yes),
        DeValue::Integer(number) => {
            let digits = number.as_str().replace('_', "");
            let read = i64::from_str_radix(&digits, number.radix()).map(Value::from);
            read.or_else(|_| u64::from_str_radix(&digits, number.radix()).map(Value::from))
                .map_err(|_| "is a number that is too large")?
        }
        DeValue::Float(number) => {
            let number = number.as_str().replace('_', "").parse::<f64>().ok().and_then(Number::from_f64);
            Value::Number(number.ok_or("must be a number that is finite")?)
        }
        DeValue::Datetime(time) => Value::String(time.to_string()),
        DeValue::Array(several) => {
            Value::Array(several.iter().map(|item| value(item, depth + 1)).collect::<std::result::Result<_, _>>()?)
        }
        DeValue::Table(table) => {
            let entries = table.iter().map(|(key, item)| Ok((key.get_ref().to_string(), value(item, depth + 1)?)));
            Value::Object(entries.collect::<std::result::Result<Map<_, _>, &'static str>>()?)
        }
    })
}
