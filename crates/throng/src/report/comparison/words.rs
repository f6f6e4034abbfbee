//! What the page says of methods, models and measures: their sentences in the catalogue.

use crate::catalog::{self, Role};
use crate::run::Comparison;
use crate::words::attacker;

/// A name with blanks instead of dashes.
pub(super) fn spaced(name: &str) -> String {
    name.replace('-', " ")
}

/// A name with its unit, where it has one.
pub(super) fn with_unit(name: &str, unit: &str) -> String {
    if unit.is_empty() { name.to_owned() } else { format!("{name}, {unit}") }
}

/// With a capital letter.
pub(super) fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// What a measure or the column of an attack says, and which direction is better.
pub(super) fn of_measure(comparison: &Comparison, name: &str) -> String {
    if let Some(attack) = comparison.attack(name) {
        let who = attacker(attack["name"].as_str().unwrap_or_default(), &attack["knowledge"]);
        return format!("how often somebody is right who {who}. Lower is better");
    }
    catalog::measure_card(name)
        .map_or_else(String::new, |card| format!("{}. {} is better", card.info.summary, capitalised(card.better)))
}

/// What a method as typed does.
pub(super) fn of_method(typed: &str) -> String {
    let name = typed.split(':').next().unwrap_or_default();
    catalog::item(Role::Method, name).map_or_else(|_| String::new(), |item| capitalised(item.info().summary))
}

/// What a model promises.
pub(super) fn of_model(name: &str) -> String {
    catalog::item(Role::Model, name).map_or_else(|_| String::new(), |item| capitalised(item.info().summary))
}
