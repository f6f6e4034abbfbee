//! What the page says of methods, models and measures: their sentences in the catalogue.

use crate::catalog::{self, Role};
use crate::run::Comparison;
use crate::words::attacker;

/// A name with blanks instead of dashes.
pub(super) fn spaced(name: &str) -> String {
    name.replace('-', " ")
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
    match (catalog::measure_card(name), catalog::attack_card(name)) {
        (Some(card), _) => format!("{}. {} is better", card.info.summary, capitalised(card.better)),
        // On held-out days an attack stands among the measures.
        (None, Some(card)) => format!("how often somebody is right who {}, as a share. Lower is better", card.who[0]),
        (None, None) => String::new(),
    }
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

/// The sentences of a text. A point inside a number is followed by no blank.
pub(super) fn sentences(text: &str) -> Vec<String> {
    let parts: Vec<&str> = text.split(". ").collect();
    let last = parts.len() - 1;
    let sentence = |(at, part): (usize, &&str)| if at < last { format!("{part}.") } else { (*part).to_owned() };
    parts.iter().enumerate().map(sentence).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::made_up;

    #[test]
    fn an_attack_among_the_measures_has_its_sentence() {
        let comparison =
            made_up::comparison(vec![made_up::cell("kindred", 5, 0, &[], &[("profile-linkage", Some(0.1))])]);
        assert!(of_measure(&comparison, "profile-linkage").contains("knows what a person searched on other days"));
        assert_eq!(of_measure(&comparison, "nothing"), "");
    }
}
