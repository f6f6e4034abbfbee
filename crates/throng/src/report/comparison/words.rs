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
    match (catalog::measure_card_for(&comparison.input.kind, name), catalog::attack_card(name)) {
        (Some(card), _) => format!("{}. {} is better", card.info.summary, capitalised(card.better)),
        // On held-out days an attack stands among the measures.
        (None, Some(card)) => format!("how often somebody is right who {}, as a share. Lower is better", card.who[0]),
        (None, None) => String::new(),
    }
}

/// What a method as typed does.
pub(super) fn of_method(comparison: &Comparison, typed: &str) -> String {
    let name = typed.split(':').next().unwrap_or_default();
    catalog::info_for(&comparison.input.kind, Role::Method, name)
        .map_or_else(String::new, |own| capitalised(own.summary))
}

/// What a model promises.
pub(super) fn of_model(comparison: &Comparison, name: &str) -> String {
    catalog::info_for(&comparison.input.kind, Role::Model, name)
        .map_or_else(String::new, |own| capitalised(own.summary))
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

    /// One word may stand for other things in data of other kinds.
    #[test]
    fn sentences_are_those_of_the_kind() {
        let mut comparison = made_up::comparison(vec![made_up::cell("flock", 5, 0, &[], &[])]);
        let ncp = "normalised-certainty-penalty";
        comparison.input.kind = "baskets".to_owned();
        assert!(
            of_measure(&comparison, ncp).contains("leaves an item")
                && of_method(&comparison, "flock:k=3").contains("basket")
        );
        comparison.input.kind = "table".to_owned();
        assert!(
            of_measure(&comparison, ncp).contains("published cells")
                && !of_method(&comparison, "flock").contains("basket")
        );
    }
}
