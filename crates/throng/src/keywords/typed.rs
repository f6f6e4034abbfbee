//! What people would type instead of keys: the equivalent command line.

use serde_json::{Map, Value};

use super::{Keyword, ParameterKindName, Shape, Tongue, of};

/// The command line that means the same as keys in the words of flags: `throng protect searches.tsv --out release --k 5`.
///
/// Keys come in the order of the command's table, so that equal keys give equal lines. Keys that the command does not have are left out.
pub fn command_line(command: &str, given: &Map<String, Value>) -> String {
    let quoted: Vec<String> = arguments(command, given).iter().map(|word| quoted(word)).collect();
    format!("throng {}", quoted.join(" "))
}

/// The same as arguments, as the program itself gets them: the command first.
pub fn arguments(command: &str, given: &Map<String, Value>) -> Vec<String> {
    let mut line = vec![command.to_owned()];
    let known = of(command, Tongue::Flags);
    let (bare, flags): (Vec<&Keyword>, Vec<&Keyword>) = known.iter().partition(|keyword| keyword.is_bare);
    for keyword in bare {
        let Some(value) = given.get(&keyword.name) else { continue };
        // A file whose name looks like a flag is named by its folder, too.
        line.extend(texts(value).into_iter().map(|text| match text.starts_with('-') && text != "-" {
            true => format!("./{text}"),
            false => text,
        }));
    }
    for keyword in flags {
        let Some(value) = given.get(&keyword.name).filter(|value| !value.is_null()) else { continue };
        match (keyword.shape, value) {
            (Shape::Switch | Shape::Parameter(ParameterKindName::Switch), Value::Bool(true)) => {
                line.push(format!("--{}", keyword.flag));
            }
            (Shape::Switch, _) => {}
            (Shape::Count, Value::Bool(_)) => line.push(format!("--{}", keyword.flag)),
            (Shape::Columns, Value::Object(columns)) => {
                line.push(format!("--{}", keyword.flag));
                line.extend(columns.iter().map(|(role, column)| format!("{role}={}", texts(column).join(","))));
            }
            (Shape::Named, Value::Object(named)) => {
                for (name, value) in named {
                    flag(&mut line, keyword, &format!("{name}={}", texts(value).join(",")));
                }
            }
            (Shape::List | Shape::Counts, _) => flag(&mut line, keyword, &texts(value).join(",")),
            (Shape::Parameter(ParameterKindName::Switch), Value::Bool(false)) => {
                line.push(format!("--{}=false", keyword.flag));
            }
            _ => texts(value).iter().for_each(|text| flag(&mut line, keyword, text)),
        }
    }
    line
}

/// Adds a flag with its value.
fn flag(line: &mut Vec<String>, keyword: &Keyword, value: &str) {
    // A value that looks like a flag must hang on its own.
    match value.starts_with('-') {
        true => line.push(format!("--{}={value}", keyword.flag)),
        false => line.extend([format!("--{}", keyword.flag), value.to_owned()]),
    }
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

/// A word as a shell takes it: plain if it is plain, else in quotes; what is not to be seen is written as its code.
fn quoted(text: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_./:=,@%+-".contains(letter);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    let is_seen = |letter: &char| *letter == ' ' || letter.is_ascii_graphic() || letter.is_alphanumeric();
    if text.chars().all(|letter| is_seen(&letter)) {
        return format!("'{}'", text.replace('\'', r"'\''"));
    }
    let mut word = "$'".to_owned();
    for letter in text.chars() {
        let code = u32::from(letter);
        match letter {
            '\'' | '\\' => word.extend(['\\', letter]),
            _ if is_seen(&letter) => word.push(letter),
            _ if code < 0x80 => word.push_str(&format!("\\x{code:02x}")),
            _ if code < 0x1_0000 => word.push_str(&format!("\\u{code:04x}")),
            _ => word.push_str(&format!("\\U{code:08x}")),
        }
    }
    word + "'"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_shell() {
        assert_eq!(quoted("a-b_c.tsv"), "a-b_c.tsv");
        assert_eq!(quoted(""), "''");
        assert_eq!(quoted("it's <b>"), r"'it'\''s <b>'");
        assert_eq!(quoted("\u{e9}"), "'\u{e9}'");
        assert_eq!(quoted("a\u{202e}\u{1b}[2J\n'b\\"), r"$'a\u202e\x1b[2J\x0a\'b\\'");
    }
}
