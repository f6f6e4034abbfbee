//! Names that keys give of things in the catalogue, and parameters that these take: what cannot be there is said before anything runs.

use serde_json::{Map, Value};
use throng_core::{Error, Info};

use crate::catalog::{self, Role};
use crate::parameters;

/// What keys name that the catalogue does not have, each with its key.
pub(super) fn unknown(command: &str, given: &Map<String, Value>) -> Vec<(String, Error)> {
    let mut errors = Vec::new();
    for (key, role) in roles(command) {
        for said in texts(given.get(*key)) {
            if let Err(error) = named(*role, said) {
                errors.push(((*key).to_owned(), error));
            }
        }
    }
    if errors.is_empty() {
        errors.extend(wrong_parameters(command, given));
    }
    errors
}

/// Keys of a command that name things of the catalogue.
pub fn roles(command: &str) -> &'static [(&'static str, Role)] {
    match command {
        "protect" => &[("method", Role::Method), ("model", Role::Model), ("measure", Role::Measure)],
        "check" => &[("model", Role::Model)],
        "measure" => &[("measure", Role::Measure)],
        "attack" => &[("attack", Role::Attack)],
        "score" | "evaluate" | "train" => &[("detector", Role::Detector)],
        "compare" => &[("methods", Role::Method), ("measures", Role::Measure)],
        _ => &[],
    }
}

fn texts(value: Option<&Value>) -> Vec<&str> {
    match value {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// A name as typed, with parameters behind it or none.
fn named(role: Role, said: &str) -> throng_core::Result<catalog::Item> {
    let name = said.split(':').next().unwrap_or_default();
    // Every detector at once.
    if role == Role::Detector && name == "all" {
        return catalog::item(role, catalog::rating_detector(None)?.info().name);
    }
    // A model's general name is that of every kind's own.
    if role == Role::Model && name == "k-anonymity" {
        return catalog::items_of(role).into_iter().next().ok_or_else(|| Error::internal("there are no models"));
    }
    catalog::item(role, name)
}

/// Parameters whose values cannot be meant, on any shelf that has the method or model.
fn wrong_parameters(command: &str, given: &Map<String, Value>) -> Vec<(String, Error)> {
    let (key, role) = match command {
        "protect" => ("method", Role::Method),
        "check" => ("model", Role::Model),
        _ => return Vec::new(),
    };
    let cards: Vec<&'static Info> = match texts(given.get(key)).first() {
        Some(name) => match catalog::item(role, name.split(':').next().unwrap_or_default()) {
            Ok(item) => catalog::variants(&item).iter().map(catalog::Item::info).collect(),
            Err(_) => return Vec::new(),
        },
        None => catalog::items_of(role).iter().map(catalog::Item::info).collect(),
    };
    let mut errors = Vec::new();
    for (name, value) in given {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Number(_) | Value::Bool(_) => value.to_string(),
            _ => continue,
        };
        let typed = [(name.clone(), text)];
        let takers = cards.iter().filter(|info| info.parameters.iter().any(|parameter| parameter.name == name));
        let mut refused: Vec<Option<Error>> = takers.map(|info| parameters::typed(info, &typed).err()).collect();
        if !refused.is_empty() && refused.iter().all(Option::is_some) {
            errors.extend(refused.swap_remove(0).map(|error| (name.clone(), error)));
        }
    }
    errors
}
