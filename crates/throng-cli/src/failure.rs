//! Errors as programs read them: with `--json`, `{"error": {"code": …, "message": …, "place": …, "hint": …}}` on standard output,
//! beside the words on standard error.

use serde_json::{Value, json};
use throng_core::Error;
use throng_core::error::{ErrorKind, Place};

/// The code of arguments that cannot be understood.
const USAGE: &str = "usage";

/// An error of a run. Its raw value is a key of its own, and only there if it was asked for.
pub(crate) fn of_run(error: &Error, show_values: bool) -> Value {
    json!({"error": described(error, show_values)})
}

fn described(error: &Error, show_values: bool) -> Value {
    let mut document = json!({
        "code": error.code(),
        "message": error.message(),
        "place": error.place().map(place),
        "hint": error.hint(),
    });
    if let (Some(value), true) = (error.value(), show_values) {
        document["value"] = json!(value);
    }
    if let ErrorKind::Parameters(errors) = error.kind() {
        document["errors"] = errors.iter().map(|error| described(error, show_values)).collect();
    }
    document
}

fn place(place: &Place) -> Value {
    let file = (!place.file.is_empty()).then_some(&place.file);
    json!({"file": file, "line": place.line, "column": place.column})
}

/// Arguments that cannot be understood. Their answer is paragraphs: what is wrong, tips, and how the command is used.
pub(crate) fn of_arguments(error: &clap::Error) -> Value {
    let text = error.render().to_string();
    let mut paragraphs = text.trim_end().split("\n\n");
    let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let message = one_line(paragraphs.next().unwrap_or_default().trim_start_matches("error: "));
    let rest: Vec<String> = paragraphs.map(one_line).collect();
    let hint = rest
        .iter()
        .find_map(|text| text.strip_prefix("tip: "))
        .or_else(|| rest.iter().map(String::as_str).find(|text| text.starts_with("Usage: ")));
    json!({"error": {"code": USAGE, "message": message, "place": null, "hint": hint}})
}
