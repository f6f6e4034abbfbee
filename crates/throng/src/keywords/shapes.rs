//! What keys take, and the form that a request has their values in.

use serde_json::{Value, json};
use throng_core::taxonomy::fit::Unknown;
use throng_core::{Error, Result};

use super::Tongue;
use crate::io::{Delimiter, Encoding, Format};
use crate::{kinds, memory, parameters, run};

/// What a key takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Any text.
    Text,
    /// One text, or several.
    Texts,
    /// One text, or several; typed with commas between them.
    List,
    /// A path.
    Path,
    /// One path, or several.
    Paths,
    /// Yes or no.
    Switch,
    /// A whole number.
    Count,
    /// One whole number, several, or a text such as `2..10`.
    Counts,
    /// A number.
    Number,
    /// One of some words.
    Choice(&'static [&'static str]),
    /// The name of a kind of data.
    Kind,
    /// What is made up: a kind of data, or something else.
    MadeUp,
    /// Columns by role.
    Columns,
    /// Who a person is: another way to name one column.
    Person,
    /// One model, or several.
    Models,
    /// Something by name, written `NAME=VALUE`.
    Named,
    /// The name of a format.
    Format,
    /// What stands between cells.
    Delimiter,
    /// The name of an encoding.
    Encoding,
    /// What becomes of unknown items.
    Unknown,
    /// A span of time.
    Span,
    /// An amount of memory.
    Memory,
    /// A parameter of methods or models, as the catalogue says.
    Parameter(ParameterKindName),
}

/// What a parameter takes, as far as types tell it apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParameterKindName {
    /// A whole number.
    Count,
    /// Any number.
    Number,
    /// Yes or no.
    Switch,
    /// A text.
    Text,
}

/// How yes and no are written.
fn truth(yes: bool, tongue: Tongue) -> &'static str {
    match (tongue, yes) {
        (Tongue::Python, true) => "`True`",
        (Tongue::Python, false) => "`False`",
        (Tongue::Flags, true) => "`true`",
        (Tongue::Flags, false) => "`false`",
    }
}

/// What is wrong with the value of a key.
fn must_be(name: &str, value: &Value, what: &str, tongue: Tongue) -> Error {
    let is = match value {
        Value::String(text) => format!("`{text}`"),
        Value::Bool(yes) => truth(*yes, tongue).to_owned(),
        Value::Number(number) => format!("`{number}`"),
        Value::Array(_) => "a list".to_owned(),
        _ => if tongue == Tongue::Python { "a mapping" } else { "a table" }.to_owned(),
    };
    Error::parameter(name, format!("is {is}, but must be {what}"))
}

/// A parameter as it would be typed.
pub(super) fn typed(name: &str, value: &Value, tongue: Tongue) -> Result<Value> {
    match value {
        Value::String(_) | Value::Number(_) | Value::Bool(_) => Ok(value.clone()),
        _ => {
            let or = format!("a text, a number, {} or {}", truth(true, tongue), truth(false, tongue));
            Err(must_be(name, value, &or, tongue))
        }
    }
}

/// A value in the form that a request has.
pub(super) fn shaped(name: &str, shape: Shape, value: Value, tongue: Tongue) -> Result<Value> {
    let wrong = |value: &Value, what: &str| must_be(name, value, what, tongue);
    let text = |value: &Value| value.as_str().map(str::to_owned).ok_or_else(|| wrong(value, "a text"));
    let is_count = |value: &Value| value.as_u64().is_some();
    Ok(match shape {
        Shape::Text | Shape::Path => text(&value)?.into(),
        Shape::Person => json!([{"role": "person", "name": text(&value)?}]),
        Shape::Texts | Shape::List | Shape::Paths | Shape::Models => match value {
            Value::Array(several) => several.iter().map(text).collect::<Result<Vec<_>>>()?.into(),
            one => vec![text(&one)?].into(),
        },
        Shape::Switch if value.is_boolean() => value,
        Shape::Switch => {
            return Err(wrong(&value, &format!("{} or {}", truth(true, tongue), truth(false, tongue))));
        }
        Shape::Count if is_count(&value) => value,
        // The bare switch asks for the usual number.
        Shape::Count if name == "concepts" && value == Value::Bool(true) => 5.into(),
        Shape::Count => return Err(wrong(&value, "a whole number, 0 or greater")),
        Shape::Counts => match value {
            Value::Array(several) if several.iter().all(is_count) => several.into(),
            Value::String(text) => run::parse_numbers(name, "1..5", &text)?.into(),
            one if is_count(&one) => vec![one].into(),
            other => return Err(wrong(&other, "a whole number, several, or a text such as `2..10`")),
        },
        Shape::Number if value.is_number() => value,
        Shape::Number => return Err(wrong(&value, "a number")),
        Shape::Choice(choices) => {
            let chosen = text(&value)?;
            if !choices.contains(&chosen.as_str()) {
                return Err(wrong(&value, &format!("one of {}", choices.join(", "))));
            }
            // A request says of these whether it is so.
            match name {
                "suppressed" => (chosen == "keep").into(),
                "unknown-nodes" | "unknown_nodes" => (chosen == "add").into(),
                _ => value,
            }
        }
        Shape::Kind => kinds::named(&text(&value)?)?.card().name.into(),
        Shape::MadeUp if value == "connections" => value,
        Shape::MadeUp => kinds::named(&text(&value)?)?.card().name.into(),
        Shape::Columns => columns(name, value, tongue)?,
        Shape::Named => match value {
            Value::Object(named) => {
                let one = |(name, value): (String, Value)| Ok(format!("{name}={}", text(&value)?));
                named.into_iter().map(one).collect::<Result<Vec<_>>>()?.into()
            }
            other => shaped(name, Shape::Texts, other, tongue)?,
        },
        Shape::Format => {
            Format::parse(&text(&value)?)?;
            value
        }
        Shape::Delimiter => {
            Delimiter::parse(&text(&value)?)?;
            value
        }
        Shape::Encoding => {
            Encoding::parse(&text(&value)?)?;
            value
        }
        Shape::Unknown => {
            Unknown::parse(&text(&value)?)?;
            value
        }
        Shape::Span if is_count(&value) => value,
        Shape::Span => parameters::span(name, &text(&value)?)?.into(),
        Shape::Memory if is_count(&value) => value,
        Shape::Memory => memory::parse(&text(&value)?)?.into(),
        Shape::Parameter(_) => typed(name, &value, tongue)?,
    })
}

/// Columns by role: a table, or as flags name them.
fn columns(name: &str, value: Value, tongue: Tongue) -> Result<Value> {
    let text = |value: &Value| value.as_str().map(str::to_owned).ok_or_else(|| must_be(name, value, "a text", tongue));
    let one = |said: &Value| {
        let choice = kinds::ColumnChoice::parse(&text(said)?)?;
        serde_json::to_value(choice).map_err(|cause| Error::internal(cause.to_string()))
    };
    match value {
        Value::Object(columns) => {
            let column = |(role, column): (String, Value)| match column {
                // No column is meant to have the role.
                Value::Null => Ok(json!({"role": role, "name": ""})),
                Value::Number(number) => Ok(json!({"role": role, "name": number.to_string()})),
                Value::Array(several) => {
                    Ok(json!({"role": role, "name": several.iter().map(text).collect::<Result<Vec<_>>>()?.join(",")}))
                }
                other => Ok(json!({"role": role, "name": text(&other)?})),
            };
            Ok(columns.into_iter().map(column).collect::<Result<Vec<_>>>()?.into())
        }
        Value::Array(several) if tongue == Tongue::Flags => {
            Ok(several.iter().map(one).collect::<Result<Vec<_>>>()?.into())
        }
        Value::String(_) if tongue == Tongue::Flags => Ok(vec![one(&value)?].into()),
        other if tongue == Tongue::Flags => Err(must_be(name, &other, "a table such as `{ user = \"who\" }`", tongue)),
        other => Err(must_be(name, &other, "a mapping such as `{\"user\": \"who\"}`", tongue)),
    }
}
