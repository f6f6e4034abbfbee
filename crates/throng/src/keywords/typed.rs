//! What people would type instead of keys: the equivalent command line.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::{Keyword, ParameterKindName, Shape, Tongue, of};

/// The command line that means the same as keys in the words of flags: `throng protect searches.tsv --out release --k 5`.
///
/// Keys come in the order of the command's table, so that equal keys give equal lines. Keys that the command does not have are left out.
pub fn command_line(command: &str, given: &Map<String, Value>) -> String {
    let mut line = format!("throng {command}");
    let known = of(command, Tongue::Flags);
    let (bare, flags): (Vec<&Keyword>, Vec<&Keyword>) = known.iter().partition(|keyword| keyword.is_bare);
    for keyword in bare {
        let Some(value) = given.get(&keyword.name) else { continue };
        for text in texts(value) {
            let _ = write!(line, " {}", quoted(&text));
        }
    }
    for keyword in flags {
        let Some(value) = given.get(&keyword.name).filter(|value| !value.is_null()) else { continue };
        match (keyword.shape, value) {
            (Shape::Switch | Shape::Parameter(ParameterKindName::Switch), Value::Bool(true)) => {
                let _ = write!(line, " --{}", keyword.flag);
            }
            (Shape::Switch, _) => {}
            (Shape::Count, Value::Bool(_)) => {
                let _ = write!(line, " --{}", keyword.flag);
            }
            (Shape::Columns, Value::Object(columns)) => {
                let _ = write!(line, " --{}", keyword.flag);
                for (role, column) in columns {
                    let _ = write!(line, " {}", quoted(&format!("{role}={}", texts(column).join(","))));
                }
            }
            (Shape::Named, Value::Object(named)) => {
                for (name, value) in named {
                    flag(&mut line, keyword, &format!("{name}={}", texts(value).join(",")));
                }
            }
            (Shape::List | Shape::Counts, _) => flag(&mut line, keyword, &texts(value).join(",")),
            (Shape::Parameter(ParameterKindName::Switch), Value::Bool(false)) => {
                let _ = write!(line, " --{}=false", keyword.flag);
            }
            _ => texts(value).iter().for_each(|text| flag(&mut line, keyword, text)),
        }
    }
    line
}

/// Adds a flag with its value.
fn flag(line: &mut String, keyword: &Keyword, value: &str) {
    // A value that looks like a flag must hang on its own.
    let between = if value.starts_with('-') { '=' } else { ' ' };
    let _ = write!(line, " --{}{between}{}", keyword.flag, quoted(value));
}

/// The texts of a value.
fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(several) => several.iter().flat_map(texts).collect(),
        Value::Null => vec![String::new()],
        other => vec![other.to_string()],
    }
}

/// A word as a shell takes it.
fn quoted(text: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_./:=,@%+-".contains(letter);
    if !text.is_empty() && text.chars().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}
