//! Taxonomies as JSON trees, in either of two forms.
//!
//! - `{"name": "Food", "children": [{"name": "Fruit", "children": ["Apple", "Orange"]}]}`: other keys are ignored, a child
//!   that is only a name needs no object.
//! - `{"Food": {"Fruit": {"Apple": {}, "Orange": {}}, "Meat": ["Beef", "Chicken"]}}`: keys are items; what lies under one is
//!   an object, a list of names, or `null`, a number or the like for nothing.
//!
//! Every name is one item. Children stand in the order of the file.

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::{Taxonomy, TaxonomyBuilder};
use crate::error::{Error, Result};

/// No tree may be deeper than this.
const DEEPEST: usize = 500;

/// Reads a file's text.
pub fn read(text: &str) -> Result<Taxonomy> {
    let text = text.trim_start_matches('\u{feff}');
    let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at).collect();
    let mut reader = Reader { text, breaks, builder: TaxonomyBuilder::new() };
    let root: &RawValue = serde_json::from_str(text).map_err(|error| broken(&error, 1))?;
    if !root.get().starts_with(['{', '[']) {
        return Err(Error::data("a taxonomy in JSON is an object").at_line(1));
    }
    reader.read_under(None, root, 0)?;
    reader.builder.finish()
}

struct Reader<'a> {
    text: &'a str,
    /// Where lines end.
    breaks: Vec<usize>,
    builder: TaxonomyBuilder,
}

impl<'a> Reader<'a> {
    /// Adds what a value says to lie under an item.
    fn read_under(&mut self, parent: Option<&str>, value: &'a RawValue, depth: usize) -> Result<()> {
        let line = self.line(value);
        if depth > DEEPEST {
            return Err(Error::data(format!("the tree is more than {DEEPEST} levels deep")).at_line(line));
        }
        match value.get().as_bytes()[0] {
            b'{' => {
                let members: Members<'a> = self.parse(value)?;
                let member = |key: &str| members.0.iter().find(|(other, _)| other == key).map(|(_, value)| *value);
                match member("name") {
                    Some(name) if !name.get().starts_with(['{', '[']) => {
                        let name = self.name(name)?;
                        self.add(&name, parent, line)?;
                        member("children").map_or(Ok(()), |value| self.read_under(Some(&name), value, depth + 1))
                    }
                    _ => members.0.iter().try_for_each(|(name, value)| {
                        self.add(name, parent, self.line(value))?;
                        self.read_under(Some(name), value, depth + 1)
                    }),
                }
            }
            b'[' => self.parse::<Vec<&RawValue>>(value)?.into_iter().try_for_each(|value| {
                if value.get().starts_with(['{', '[']) {
                    return self.read_under(parent, value, depth + 1);
                }
                let name = self.name(value)?;
                self.add(&name, parent, self.line(value))
            }),
            b'"' => Err(Error::data("text stands where the items under another belong")
                .at_line(line)
                .with_hint("write a list of names, an object, or null for nothing")),
            _ => Ok(()),
        }
    }

    fn add(&mut self, name: &str, parent: Option<&str>, line: u64) -> Result<()> {
        self.builder.at_line(line);
        if self.builder.contains(name) {
            return Err(Error::data("two items of the taxonomy have the same name")
                .with_value(name)
                .at_line(line)
                .with_hint("every name is one item; give one of the two another name"));
        }
        match parent {
            Some(parent) => self.builder.add(name, parent),
            None => {
                self.builder.node(name);
                Ok(())
            }
        }
    }

    /// A name, which may be a number.
    fn name(&self, value: &'a RawValue) -> Result<String> {
        let text = value.get();
        let name = if text.starts_with('"') { self.parse(value)? } else { text.to_owned() };
        if name.is_empty() || text == "null" {
            return Err(Error::data("an item of the taxonomy has no name").at_line(self.line(value)));
        }
        Ok(name)
    }

    fn parse<T: Deserialize<'a>>(&self, value: &'a RawValue) -> Result<T> {
        serde_json::from_str(value.get()).map_err(|error| broken(&error, self.line(value)))
    }

    /// The line where a value begins.
    fn line(&self, value: &RawValue) -> u64 {
        let at = value.get().as_ptr() as usize - self.text.as_ptr() as usize;
        self.breaks.partition_point(|&end| end < at) as u64 + 1
    }
}

fn broken(error: &serde_json::Error, first: u64) -> Error {
    let text = error.to_string();
    let text = text.split(" at line ").next().unwrap_or_default();
    Error::data(format!("this is no JSON: {text}")).at_line(first + (error.line() as u64).saturating_sub(1))
}

/// The members of an object in their order.
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{assert_same, food};
    use super::*;

    #[test]
    fn both_forms_are_the_same_tree() {
        let named = r#"{"children": [
            {"name": "Fruit", "size": 3, "children": ["Apple", {"name": "Orange", "children": []}, {"name": "Banana"}]},
            {"name": "Meat", "children": [{"name": "Beef", "children": null}, "Chicken"]},
            {"name": "Dairy", "children": ["Milk", "Cheese", "Butter"]}], "name": "Food"}"#;
        let nested = r#"{"Food": {"Fruit": {"Apple": {}, "Orange": null, "Banana": 3},
            "Meat": ["Beef", "Chicken"], "Dairy": [{"Milk": [], "Cheese": {}}, "Butter"]}}"#;
        assert_same(&read(named).unwrap(), &food());
        assert_same(&read(nested).unwrap(), &food());
        assert_same(&read(&format!("[{nested}]")).unwrap(), &food());
        assert_eq!(read(r#"{"all": [1, 2.50]}"#).unwrap().label(2), "2.50");
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
        for (text, problem, line) in [
            ("{\"a\":\n {\"b\": {},\n \"b\": {}}}", "the same name", "line 3"),
            ("{\"a\":\n {\"b\": {\n \"a\": {}}}}", "the same name", "line 3"),
            ("{\"a\": {},\n \"b\": {}}", "2 roots", "line 2"),
            ("{\"a\": [\"b\",\n\n \"\"]}", "no name", "line 3"),
            ("{\"a\":\n \"b\"}", "text stands", "line 2"),
            ("{\"a\":\n {\"b\": }}", "no JSON", "line 2"),
            ("{\"a\":\n [\"\\ud800\"]}", "no JSON", "line 2"),
            ("{}", "empty", ""),
            ("3", "is an object", "line 1"),
            (&deep, "deep", "line 1"),
        ] {
            let error = read(text).unwrap_err().describe(false);
            assert!(error.contains(problem) && error.contains(line), "{text:.50}: {error}");
        }
    }
}
