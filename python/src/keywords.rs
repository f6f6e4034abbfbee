//! Keywords: what a function of Python may be told, and where that stands in a request of the library.
//!
//! A request is a value that can be written as JSON. So keywords come as JSON, each is looked up here, brought into the form that the
//! request has, and put in its place. One that nobody knows is refused with the nearest that there is. Parameters of methods and models
//! are those of the catalogue, with `_` for `-`.

use serde_json::{Map, Value, json};
use throng::catalog::Role;
use throng::io::{Delimiter, Encoding, Format};
use throng::kinds::{self, KINDS};
use throng::{memory, parameters};
use throng_core::error::nearest;
use throng_core::info::{H, K, M, P, RHO};
use throng_core::taxonomy::fit::Unknown;
use throng_core::{Error, Parameter, ParameterKind, Result};

/// What a keyword takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Any text.
    Text,
    /// One text, or several.
    Texts,
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
    /// Columns by role.
    Columns,
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

/// What a parameter takes, as far as Python's types tell it apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ParameterKindName {
    /// A whole number.
    Count,
    /// Any number.
    Number,
    /// Yes or no.
    Switch,
    /// A text.
    Text,
}

/// A keyword of a function.
#[derive(Debug, Clone)]
pub(crate) struct Keyword {
    /// Its name in Python.
    pub(crate) name: String,
    /// Where it stands in the request: keys with dots between them. Nothing for a parameter.
    place: &'static str,
    /// What it takes.
    pub(crate) shape: Shape,
}

/// Parameters that every method and model that has them is told by one keyword.
const EVERYWHERE: [&Parameter; 5] = [&K, &M, &H, &P, &RHO];

/// Functions that have keywords of their own.
pub(crate) const FUNCTIONS: [&str; 8] =
    ["protect", "inspect", "check", "measure", "attack", "audit", "compare", "synth"];

/// How data are read and understood: keywords of every function that reads some.
const READING: &[(&str, &str, Shape)] = &[
    ("kind", "ask.kind", Shape::Kind),
    ("as_kind", "ask.as", Shape::Text),
    ("delimiter", "ask.delimiter", Shape::Delimiter),
    ("encoding", "ask.encoding", Shape::Encoding),
    ("no_header", "ask.no_header", Shape::Switch),
    ("columns", "ask.columns", Shape::Columns),
    ("time_format", "ask.time_format", Shape::Text),
    ("time_zone", "ask.time_zone", Shape::Text),
    ("log_format", "ask.log_format", Shape::Text),
    ("ipv6_prefix", "ask.ipv6_prefix", Shape::Count),
    ("timeout", "ask.timeout", Shape::Span),
    ("cells", "ask.cells", Shape::Text),
    ("bad_lines", "ask.bad_lines", Shape::Choice(&["fail", "skip"])),
    ("one_row_per_person", "ask.one_row_per_person", Shape::Switch),
    ("taxonomy", "ask.taxonomies", Shape::Texts),
    ("unknown", "ask.unknown", Shape::Unknown),
    ("sensitive", "ask.sensitive", Shape::Path),
    ("hierarchy", "ask.hierarchies", Shape::Named),
    ("hierarchies", "ask.hierarchies_in", Shape::Path),
    ("schema", "ask.schema", Shape::Path),
    ("missing", "ask.missing", Shape::Choice(&["own", "wild"])),
    ("population", "ask.population", Shape::Path),
    ("target", "ask.target", Shape::Text),
    ("nodes", "ask.nodes", Shape::Path),
    ("unknown_nodes", "ask.add_unknown_nodes", Shape::Choice(&["fail", "add"])),
];

/// Keywords of one function, beside those of reading and the parameters of the catalogue.
fn own(function: &str) -> &'static [(&'static str, &'static str, Shape)] {
    match function {
        "protect" => &[
            ("method", "method", Shape::Text),
            ("seed", "seed", Shape::Count),
            ("format", "format", Shape::Format),
            ("input_format", "ask.format", Shape::Format),
            ("model", "models", Shape::Texts),
            ("measures", "measures", Shape::Texts),
            ("no_attacks", "no_attacks", Shape::Switch),
            ("title", "title", Shape::Text),
            ("date", "date", Shape::Text),
            ("keep_ids", "keep_ids", Shape::Switch),
            ("raw_cells", "raw_cells", Shape::Switch),
            ("round", "ask.round", Shape::Switch),
            ("suppressed", "ask.keep_suppressed", Shape::Choice(&["drop", "keep"])),
            ("link_rows", "ask.link_rows", Shape::Switch),
            ("drop", "ask.drop", Shape::Path),
            ("drop_shills", "ask.drop_shills", Shape::Path),
            ("policy", "ask.policy", Shape::Path),
            ("scrub", "content.scrub", Shape::Texts),
            ("scrub_shared", "content.shared", Shape::Switch),
            ("sample", "sample", Shape::Number),
            ("other", "other", Shape::Path),
            ("expand", "ask.expand", Shape::Count),
            ("other_key", "other_key", Shape::Path),
            ("held_out_persons", "held_out_persons", Shape::Number),
            ("memory", "memory", Shape::Memory),
            // What only a release folder can have.
            ("overwrite", "overwrite", Shape::Switch),
            ("token_key", "token_key", Shape::Path),
            ("noise_file", "noise_file", Shape::Path),
            ("checkpoint", "checkpoint", Shape::Path),
            ("ledger", "ledger.file", Shape::Path),
            ("dataset", "ledger.dataset", Shape::Text),
            ("continues", "ledger.continues", Shape::Counts),
            ("earlier", "earlier", Shape::Paths),
            ("sign", "sign.key", Shape::Path),
            ("password_file", "sign.password_file", Shape::Path),
        ],
        "inspect" => &[
            ("format", "ask.format", Shape::Format),
            ("concepts", "concepts", Shape::Count),
            ("content", "content", Shape::Switch),
            ("positions", "positions", Shape::Path),
            ("schema_out", "schema_out", Shape::Path),
            ("seed", "seed", Shape::Count),
        ],
        "check" => &[
            ("format", "ask.format", Shape::Format),
            ("noise_file", "ask.noise_file", Shape::Path),
            ("model", "model", Shape::Text),
            ("more_models", "more_models", Shape::Texts),
            ("key", "key", Shape::Path),
            ("only_checkable", "only_checkable", Shape::Switch),
            ("trusted", "trusted", Shape::Path),
            ("ledger", "ledger", Shape::Path),
            ("policy", "policy", Shape::Path),
            ("earlier", "earlier", Shape::Paths),
        ],
        "measure" => &[
            ("format", "ask.format", Shape::Format),
            ("noise_file", "ask.noise_file", Shape::Path),
            ("measures", "measures", Shape::Texts),
            ("expansions", "ask.expansions", Shape::Count),
            ("key", "key", Shape::Path),
            ("k", "k", Shape::Count),
            ("held_out", "held_out", Shape::Switch),
            ("force", "force", Shape::Switch),
            ("seed", "seed", Shape::Count),
        ],
        "attack" => &[
            ("format", "ask.format", Shape::Format),
            ("noise_file", "ask.noise_file", Shape::Path),
            ("attacks", "attacks", Shape::Texts),
            ("key", "key", Shape::Path),
            ("p", "p", Shape::Counts),
            ("with_", "with", Shape::Texts),
            ("targets", "targets", Shape::Count),
            ("radius_one", "radius_one", Shape::Switch),
            ("draws", "draws", Shape::Count),
            ("noise", "noise", Shape::Number),
            ("knowledge", "knowledge", Shape::Path),
            ("reference", "reference", Shape::Path),
            ("control", "control", Shape::Path),
            ("other", "other", Shape::Path),
            ("other_key", "other_key", Shape::Path),
            ("top", "top", Shape::Count),
            ("seeds", "seeds", Shape::Path),
            ("k", "k", Shape::Count),
            ("force", "force", Shape::Switch),
            ("seed", "seed", Shape::Count),
        ],
        "audit" => {
            &[("format", "ask.format", Shape::Format), ("html", "html", Shape::Path), ("seed", "seed", Shape::Count)]
        }
        "compare" => &[
            ("format", "ask.format", Shape::Format),
            ("methods", "methods", Shape::Texts),
            ("k", "ks", Shape::Counts),
            ("out", "out", Shape::Path),
            ("overwrite", "overwrite", Shape::Switch),
            ("measures", "measures", Shape::Texts),
            ("held_out", "held_out", Shape::Switch),
            ("no_attacks", "no_attacks", Shape::Switch),
            ("drop", "ask.drop", Shape::Path),
            ("sample", "sample", Shape::Count),
            ("seed", "seed", Shape::Count),
            ("repeat", "repeat", Shape::Count),
            ("least_k", "least_k", Shape::Count),
            ("charts", "charts", Shape::Path),
            ("title", "title", Shape::Text),
            ("date", "date", Shape::Text),
        ],
        "synth" => &[
            ("persons", "persons", Shape::Count),
            ("mean_lines", "mean_lines", Shape::Number),
            ("clicks_only", "clicks_only", Shape::Switch),
            ("plant", "plant", Shape::Count),
            ("accounts", "accounts", Shape::Count),
            ("mean_items", "mean_items", Shape::Number),
            ("style", "style", Shape::Choice(&["shopping", "searches"])),
            ("shape", "shape", Shape::Choice(&["census", "patients", "numeric", "friends", "random", "rmat"])),
            ("site", "site", Shape::Choice(&["uniform", "irregular"])),
            ("bots", "bots", Shape::Number),
            ("days", "days", Shape::Count),
            ("degree", "degree", Shape::Number),
            ("nodes_out", "nodes_out", Shape::Path),
            ("paper", "paper", Shape::Switch),
            ("hierarchies_out", "hierarchies_out", Shape::Path),
            ("taxonomy", "taxonomies", Shape::Texts),
            ("seed", "seed", Shape::Count),
            ("out", "out", Shape::Path),
            ("format", "format", Shape::Format),
        ],
        _ => &[],
    }
}

/// Every keyword of a function, each once.
pub(crate) fn of(function: &str) -> Vec<Keyword> {
    let reads = FUNCTIONS.contains(&function) && function != "synth";
    let reading = if reads { READING } else { &[] };
    let listed = own(function).iter().chain(reading);
    let mut keywords: Vec<Keyword> =
        listed.map(|&(name, place, shape)| Keyword { name: name.to_owned(), place, shape }).collect();
    for parameter in catalogued(function) {
        let name = parameter.name.replace('-', "_");
        if keywords.iter().all(|known| known.name != name) {
            let kind = match parameter.kind {
                ParameterKind::Count => ParameterKindName::Count,
                ParameterKind::Share | ParameterKind::Weight => ParameterKindName::Number,
                ParameterKind::Switch => ParameterKindName::Switch,
                _ => ParameterKindName::Text,
            };
            keywords.push(Keyword { name, place: "", shape: Shape::Parameter(kind) });
        }
    }
    keywords
}

/// The parameters that a function takes: those of all methods, or of all models.
fn catalogued(function: &str) -> Vec<&'static Parameter> {
    // Said of a model itself, for keywords of these names mean something else: `l-diversity:kind=entropy`.
    const OTHERWISE: [&str; 2] = ["kind", "column"];
    let role = match function {
        "protect" => Role::Method,
        "check" => Role::Model,
        "audit" => return EVERYWHERE.to_vec(),
        _ => return Vec::new(),
    };
    let mut parameters: Vec<&Parameter> = EVERYWHERE.to_vec();
    let listed = KINDS.iter().flat_map(|kind| kind.listed()).filter(|listed| listed.role == role);
    for parameter in listed.flat_map(|listed| listed.info.parameters) {
        if !OTHERWISE.contains(&parameter.name) && parameters.iter().all(|known| known.name != parameter.name) {
            parameters.push(parameter);
        }
    }
    parameters
}

/// The request that keywords make. All that are wrong are said together.
pub(crate) fn request(function: &str, given: Map<String, Value>) -> Result<Value> {
    let known = of(function);
    let parameters = catalogued(function);
    let mut request = json!({});
    let mut errors = Vec::new();
    for (name, value) in given {
        if value.is_null() {
            continue;
        }
        let Some(keyword) = known.iter().find(|keyword| keyword.name == name) else {
            errors.push(unknown(function, &name, &known));
            continue;
        };
        // What a method and the reading of data are both told is one keyword.
        if let Some(parameter) = parameters.iter().find(|parameter| parameter.name.replace('-', "_") == name)
            && own(function).iter().all(|(own, ..)| *own != name)
        {
            match typed(&name, &value) {
                Ok(text) => put(&mut request, &["parameters", parameter.name], text),
                Err(error) => errors.push(error),
            }
        }
        if !keyword.place.is_empty() {
            match shaped(&name, keyword.shape, value) {
                Ok(value) => put(&mut request, &keyword.place.split('.').collect::<Vec<_>>(), value),
                Err(error) => errors.push(error),
            }
        }
    }
    if errors.is_empty() { Ok(request) } else { Err(Error::parameters(errors)) }
}

/// A keyword that a function does not have.
fn unknown(function: &str, name: &str, known: &[Keyword]) -> Error {
    let problem = format!("is no keyword of `throng.{function}`");
    let hint = match nearest(name, known.iter().map(|keyword| keyword.name.as_str())) {
        Some((edits, near)) if edits <= name.len().max(near.len()) / 2 => format!("did you mean `{near}`?"),
        _ => format!("`help(throng.{function})` and `throng.explain` show what there is"),
    };
    Error::parameter(name, problem).with_hint(hint)
}

/// Puts a value into an object, under keys each of which is in the one before.
fn put(object: &mut Value, keys: &[&str], value: Value) {
    let mut place = object;
    for key in keys {
        place = &mut place[*key];
    }
    *place = value;
}

/// What is wrong with the value of a keyword.
fn must_be(name: &str, value: &Value, what: &str) -> Error {
    let is = match value {
        Value::String(text) => format!("`{text}`"),
        Value::Bool(yes) => if *yes { "`True`" } else { "`False`" }.to_owned(),
        Value::Number(number) => format!("`{number}`"),
        Value::Array(_) => "a list".to_owned(),
        _ => "a mapping".to_owned(),
    };
    Error::parameter(name, format!("is {is}, but must be {what}"))
}

/// A parameter as it would be typed.
fn typed(name: &str, value: &Value) -> Result<Value> {
    match value {
        Value::String(_) | Value::Number(_) | Value::Bool(_) => Ok(value.clone()),
        _ => Err(must_be(name, value, "a text, a number, `True` or `False`")),
    }
}

/// A value in the form that a request has.
fn shaped(name: &str, shape: Shape, value: Value) -> Result<Value> {
    let text = |value: &Value| value.as_str().map(str::to_owned).ok_or_else(|| must_be(name, value, "a text"));
    let is_count = |value: &Value| value.as_u64().is_some();
    Ok(match shape {
        Shape::Text | Shape::Path => text(&value)?.into(),
        Shape::Texts | Shape::Paths => match value {
            Value::Array(several) => several.iter().map(text).collect::<Result<Vec<_>>>()?.into(),
            one => vec![text(&one)?].into(),
        },
        Shape::Switch if value.is_boolean() => value,
        Shape::Switch => return Err(must_be(name, &value, "`True` or `False`")),
        Shape::Count if is_count(&value) => value,
        // The bare switch asks for the usual number.
        Shape::Count if name == "concepts" && value == Value::Bool(true) => 5.into(),
        Shape::Count => return Err(must_be(name, &value, "a whole number, 0 or greater")),
        Shape::Counts => match value {
            Value::Array(several) if several.iter().all(is_count) => several.into(),
            Value::String(text) => throng::run::parse_numbers(name, "1..5", &text)?.into(),
            one if is_count(&one) => vec![one].into(),
            other => return Err(must_be(name, &other, "a whole number, several, or a text such as `2..10`")),
        },
        Shape::Number if value.is_number() => value,
        Shape::Number => return Err(must_be(name, &value, "a number")),
        Shape::Choice(choices) => {
            let chosen = text(&value)?;
            if !choices.contains(&chosen.as_str()) {
                return Err(must_be(name, &value, &format!("one of {}", choices.join(", "))));
            }
            // A request says of this one whether it is so.
            match name {
                "suppressed" => (chosen == "keep").into(),
                "unknown_nodes" => (chosen == "add").into(),
                _ => value,
            }
        }
        Shape::Kind => kinds::named(&text(&value)?)?.card().name.into(),
        Shape::Columns => {
            let Value::Object(columns) = value else {
                return Err(must_be(name, &value, "a mapping such as `{\"user\": \"who\"}`"));
            };
            let column = |(role, column): (String, Value)| match column {
                // No column is meant to have the role.
                Value::Null => Ok(json!({"role": role, "name": ""})),
                Value::Number(number) => Ok(json!({"role": role, "name": number.to_string()})),
                Value::Array(several) => {
                    Ok(json!({"role": role, "name": several.iter().map(text).collect::<Result<Vec<_>>>()?.join(",")}))
                }
                other => Ok(json!({"role": role, "name": text(&other)?})),
            };
            columns.into_iter().map(column).collect::<Result<Vec<_>>>()?.into()
        }
        Shape::Named => match value {
            Value::Object(named) => {
                let one = |(name, value): (String, Value)| Ok(format!("{name}={}", text(&value)?));
                named.into_iter().map(one).collect::<Result<Vec<_>>>()?.into()
            }
            other => shaped(name, Shape::Texts, other)?,
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
        Shape::Parameter(_) => typed(name, &value)?,
    })
}
