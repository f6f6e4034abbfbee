//! Keywords: what a command may be told, key by key, and where that stands in its request. The one place where flat keys become requests.
//!
//! A request is a value that can be written as JSON. A recipe, the local page and Python say the same things flat, by names that people
//! know from the command line: `k = 5`, `no-attacks = true`, `column = { user = "who" }`. Each key is looked up here, brought into the form
//! that the request has, and put in its place; one that nobody knows is refused with the nearest that there is, and all that is wrong is
//! said together. Parameters of methods and models are those of the catalogue. [`command_line`] writes what would be typed instead.
//!
//! Keys are the flags' names, and `in`, `original`, `release` for the files; Python's are the same with `_` for `-`, but for a few.
//!
//! Does not   look at files: whether they are there, and of which kind, is found out by whoever reads them.

mod lines;
mod names;
mod shapes;
mod typed;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use throng_core::error::nearest;
use throng_core::info::{H, K, M, P, RHO};
use throng_core::{Error, Parameter, ParameterKind, Result};

pub use self::names::roles;
pub use self::shapes::{ParameterKindName, Shape};
pub use self::typed::{arguments, command_line};
use crate::catalog::Role;
use crate::kinds::KINDS;

/// In whose words keys are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tongue {
    /// As flags of the command line, without their dashes.
    Flags,
    /// As keywords of a function of Python.
    Python,
}

/// A key of a command.
#[derive(Debug, Clone)]
pub struct Keyword {
    /// Its name.
    pub name: String,
    /// The name of its flag.
    pub flag: String,
    /// What it takes.
    pub shape: Shape,
    /// Where it stands in the request: keys with dots between them. Nothing for a parameter.
    place: &'static str,
    /// Whether it is typed without its name.
    is_bare: bool,
}

/// Commands whose requests are made of keys.
pub const COMMANDS: [&str; 8] = ["protect", "inspect", "check", "measure", "attack", "audit", "compare", "synth"];

/// Parameters that every method and model that has them is told by one key.
const EVERYWHERE: [&Parameter; 5] = [&K, &M, &H, &P, &RHO];

/// Every key of a command, each once.
pub fn of(command: &str, tongue: Tongue) -> Vec<Keyword> {
    let reading = if lines::reads(command) { lines::READING } else { &[] };
    let own = lines::own(command);
    // A key of its own means something else there than to reading.
    let reading = reading.iter().filter(|line| own.iter().all(|other| other.flag != line.flag));
    let listed = own.iter().chain(reading);
    let mut keywords: Vec<Keyword> = listed
        .filter_map(|line| {
            let name = match tongue {
                Tongue::Flags if line.has_flag() => line.flag.to_owned(),
                Tongue::Flags => return None,
                Tongue::Python => line.in_python()?,
            };
            let (flag, place) = (line.flag.to_owned(), line.place);
            Some(Keyword { name, flag, shape: line.shape, place, is_bare: line.is_bare })
        })
        .collect();
    for parameter in catalogued(command) {
        let name = match tongue {
            Tongue::Flags => parameter.name.to_owned(),
            Tongue::Python => parameter.name.replace('-', "_"),
        };
        if keywords.iter().all(|known| known.name != name) {
            let kind = match parameter.kind {
                ParameterKind::Count => ParameterKindName::Count,
                ParameterKind::Share | ParameterKind::Weight => ParameterKindName::Number,
                ParameterKind::Switch => ParameterKindName::Switch,
                _ => ParameterKindName::Text,
            };
            let flag = parameter.name.to_owned();
            keywords.push(Keyword { name, flag, shape: Shape::Parameter(kind), place: "", is_bare: false });
        }
    }
    keywords
}

/// The parameters that a command takes: those of all methods, or of all models.
fn catalogued(command: &str) -> Vec<&'static Parameter> {
    // Said of a model itself, for keys of these names mean something else: `l-diversity:kind=entropy`.
    const OTHERWISE: [&str; 2] = ["kind", "column"];
    let role = match command {
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

/// The request that keys make, as JSON. All that are wrong are said together.
pub fn request(command: &str, given: Map<String, Value>, tongue: Tongue) -> Result<Value> {
    placed(command, given, tongue)
        .map_err(|errors| Error::parameters(errors.into_iter().map(|(_, error)| error).collect()))
}

/// The request of a command that keys in the words of flags make.
pub fn asked<R: DeserializeOwned>(command: &str, given: Map<String, Value>) -> Result<R> {
    let request = request(command, given, Tongue::Flags)?;
    serde_json::from_value(request)
        .map_err(|cause| Error::parameter(command, format!("was given keys that do not go together: {cause}")))
}

/// What is wrong with keys in the words of flags, each with the key that it is about: unknown ones, values of another form, and names and
/// parameters that the catalogue does not have.
pub fn problems(command: &str, given: &Map<String, Value>) -> Vec<(String, Error)> {
    match placed(command, given.clone(), Tongue::Flags) {
        Err(errors) => errors,
        Ok(_) => names::unknown(command, given),
    }
}

/// The request that keys make, or what is wrong with each.
fn placed(
    command: &str,
    given: Map<String, Value>,
    tongue: Tongue,
) -> std::result::Result<Value, Vec<(String, Error)>> {
    let known = of(command, tongue);
    let parameters = catalogued(command);
    let mut request = json!({});
    let mut errors = Vec::new();
    for (name, value) in given {
        if value.is_null() {
            continue;
        }
        let Some(keyword) = known.iter().find(|keyword| keyword.name == name) else {
            errors.push((name.clone(), unknown(command, &name, &known, tongue)));
            continue;
        };
        // What a method and the reading of data are both told is one key.
        if let Some(parameter) = parameters.iter().find(|parameter| parameter.name == keyword.flag)
            && lines::own(command).iter().all(|line| line.flag != keyword.flag)
        {
            match shapes::typed(&name, &value, tongue) {
                Ok(text) => put(&mut request, &["parameters", parameter.name], text),
                Err(error) => errors.push((name.clone(), error)),
            }
        }
        if !keyword.place.is_empty() {
            match shapes::shaped(&name, keyword.shape, value, tongue) {
                Ok(value) => place(&mut request, keyword, value),
                Err(error) => errors.push((name, error)),
            }
        }
    }
    if errors.is_empty() { Ok(request) } else { Err(errors) }
}

/// A key that a command does not have.
fn unknown(command: &str, name: &str, known: &[Keyword], tongue: Tongue) -> Error {
    let (problem, otherwise) = match tongue {
        Tongue::Python => (
            format!("is no keyword of `throng.{command}`"),
            format!("`help(throng.{command})` and `throng.explain` show what there is"),
        ),
        Tongue::Flags => (
            format!("is no key of `{command}`"),
            format!("keys are called as the flags: `throng help {command}` shows them"),
        ),
    };
    let hint = match nearest(name, known.iter().map(|keyword| keyword.name.as_str())) {
        Some((edits, near)) if edits <= name.len().max(near.len()) / 2 => format!("did you mean `{near}`?"),
        _ => otherwise,
    };
    Error::parameter(name, problem).with_hint(hint)
}

/// Puts the value of a key into a request.
fn place(request: &mut Value, keyword: &Keyword, value: Value) {
    match (keyword.shape, value) {
        // Columns may be named by two keys.
        (Shape::Columns | Shape::Person, Value::Array(more)) => {
            let columns = &mut request["ask"]["columns"];
            match columns.as_array_mut() {
                Some(columns) => columns.extend(more),
                None => *columns = more.into(),
            }
        }
        // A request tells the first model apart.
        (Shape::Models, Value::Array(mut models)) => {
            if !models.is_empty() {
                put(request, &[keyword.place], models.remove(0));
            }
            put(request, &["more_models"], models.into());
        }
        (_, value) => put(request, &keyword.place.split('.').collect::<Vec<_>>(), value),
    }
}

/// Puts a value into an object, under keys each of which is in the one before.
fn put(object: &mut Value, keys: &[&str], value: Value) {
    let mut place = object;
    for key in keys {
        place = &mut place[*key];
    }
    *place = value;
}

#[cfg(test)]
mod tests;
