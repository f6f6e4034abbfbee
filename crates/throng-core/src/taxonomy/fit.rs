//! Items find their nodes: from labels of a file to nodes of a taxonomy, and what becomes of those it does not know.
//!
//! # Cost
//! One look-up a distinct label, one pass over the items.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{ROOT, Taxonomy};
use crate::data::{Baskets, BasketsBuilder, Interner, QueryLog};
use crate::error::{Error, Result};
use crate::text::lower_words;

/// What becomes of an item that a taxonomy does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unknown {
    /// It is left out and counted.
    Drop,
    /// It becomes the root: something, nobody knows what.
    Root,
    /// It becomes a leaf of its own, right under the root.
    OwnLeaf,
    /// It is an error.
    Error,
}

impl Unknown {
    /// Every rule with its name on the command line.
    pub const NAMES: [(&'static str, Self); 4] =
        [("drop", Self::Drop), ("root", Self::Root), ("own-leaf", Self::OwnLeaf), ("error", Self::Error)];

    /// The rule with this name.
    pub fn parse(name: &str) -> Result<Self> {
        let found = Self::NAMES.iter().find(|(known, _)| *known == name);
        found
            .map(|&(_, rule)| rule)
            .ok_or_else(|| Error::unknown("rule for unknown items", name, Self::NAMES.iter().map(|&(known, _)| known)))
    }
}

/// Baskets over the nodes of a taxonomy.
#[derive(Debug, Clone)]
pub struct Fitted {
    /// The baskets.
    pub baskets: Baskets,
    /// How many different items the taxonomy does not know.
    pub items_unknown: u64,
    /// How often they occur, all persons together.
    pub occurrences_unknown: u64,
}

/// Baskets over the nodes of a taxonomy. All of them are over the same one: with [`Unknown::OwnLeaf`] it has leaves for
/// the unknown items of all.
pub fn fit(baskets: &[&Baskets], taxonomy: &Arc<Taxonomy>, rule: Unknown) -> Result<Vec<Fitted>> {
    let mut extended = Arc::clone(taxonomy);
    if rule == Unknown::OwnLeaf {
        let labels = baskets.iter().flat_map(|baskets| baskets.labels().iter());
        let mut unknown = labels.filter(|label| taxonomy.find(label).is_none()).peekable();
        if unknown.peek().is_some() {
            extended = Arc::new(taxonomy.with_leaves(unknown));
        }
    }
    baskets.iter().map(|baskets| fit_one(baskets, taxonomy, &extended, rule)).collect()
}

/// `extended` is the taxonomy with leaves for items of their own, if those are wanted.
fn fit_one(baskets: &Baskets, taxonomy: &Taxonomy, extended: &Arc<Taxonomy>, rule: Unknown) -> Result<Fitted> {
    let mut nodes: Vec<Option<u32>> = baskets.labels().iter().map(|label| taxonomy.find(label)).collect();
    let mut count = vec![0u64; nodes.len()];
    for &item in baskets.items() {
        count[item as usize] += 1;
    }
    let unknown: Vec<u32> = (0u32..)
        .zip(&nodes)
        .zip(&count)
        .filter(|((_, node), count)| node.is_none() && **count > 0)
        .map(|((item, _), _)| item)
        .collect();
    let occurrences_unknown = unknown.iter().map(|&item| count[item as usize]).sum();
    match (rule, unknown.first()) {
        (Unknown::Error, Some(&first)) => {
            let (items, occurrences) =
                (plural(unknown.len() as u64, "item"), plural(occurrences_unknown, "occurrence"));
            let verb = if unknown.len() == 1 { "is" } else { "are" };
            return Err(Error::data(format!("{items} ({occurrences}) {verb} not in the taxonomy"))
                .with_value(baskets.label(first))
                .with_hint("add them to it, or say what to do with them: `--unknown drop`, `root` or `own-leaf`"));
        }
        (Unknown::Root, _) => nodes.iter_mut().for_each(|node| *node = node.or(Some(ROOT))),
        (Unknown::OwnLeaf, _) => {
            let labels = baskets.labels().iter();
            nodes.iter_mut().zip(labels).for_each(|(node, label)| *node = node.or_else(|| extended.find(label)));
        }
        (Unknown::Drop | Unknown::Error, _) => {}
    }
    Ok(Fitted {
        baskets: baskets.over_nodes(extended, &nodes),
        items_unknown: unknown.len() as u64,
        occurrences_unknown,
    })
}

fn plural(count: u64, word: &str) -> String {
    if count == 1 { format!("1 {word}") } else { format!("{count} {word}s") }
}

/// The words of each person's queries, each different word once.
pub fn words_of(log: &QueryLog) -> Baskets {
    let mut builder = BasketsBuilder::new(None, true);
    let words: Vec<Vec<u32>> =
        log.queries().iter().map(|query| lower_words(query).map(|word| builder.label(&word)).collect()).collect();
    let mut own = Vec::new();
    for person in 0..log.persons() {
        let number = builder.person(log.names().get(person as u32));
        own.clear();
        own.extend(log.query_ids(log.range(person)).iter().flat_map(|&query| &words[query as usize]));
        own.sort_unstable();
        own.dedup();
        own.iter().for_each(|&word| builder.push(number, word));
    }
    builder.finish()
}

/// Which of some labels are items of the baskets, and which are not: those that nobody has, or that no item is called.
pub fn find_items<'a>(baskets: &Baskets, labels: impl IntoIterator<Item = &'a str>) -> (Vec<u32>, Vec<&'a str>) {
    let own = baskets.taxonomy().is_none().then(|| Interner::from(baskets.labels()));
    let mut occurs = vec![false; baskets.item_count()];
    baskets.items().iter().for_each(|&item| occurs[item as usize] = true);
    for &(item, _) in baskets.grouping().iter().flat_map(|grouping| &grouping.sensitive).flatten() {
        occurs[item as usize] = true;
    }
    let (mut items, mut missing) = (Vec::new(), Vec::new());
    for label in labels {
        let item = match (&own, baskets.taxonomy()) {
            (Some(own), _) => own.find(label),
            (None, taxonomy) => taxonomy.and_then(|taxonomy| taxonomy.find(label)),
        };
        match item.filter(|&item| occurs[item as usize]) {
            Some(item) => items.push(item),
            None => missing.push(label),
        }
    }
    (items, missing)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Dataset as _;
    use crate::data::QueryLogBuilder;
    use crate::taxonomy::tests::food;

    fn rows(rows: &[&str]) -> Baskets {
        let mut builder = BasketsBuilder::new(None, false);
        for (line, row) in rows.iter().enumerate() {
            let person = builder.person(&(line + 1).to_string());
            for word in row.split_whitespace() {
                let item = builder.label(word);
                builder.push(person, item);
            }
        }
        builder.finish()
    }

    fn labels(baskets: &Baskets, person: usize) -> Vec<&str> {
        baskets.basket(person).iter().map(|&item| baskets.label(item)).collect()
    }

    #[test]
    fn every_rule() {
        let food = Arc::new(food());
        let baskets = rows(&["Milk spam Apple", "spam spam", "", "eggs"]);
        let fitted = |rule| fit(&[&baskets], &food, rule).map(|mut fitted| fitted.remove(0));
        let dropped = fitted(Unknown::Drop).unwrap();
        assert_eq!((dropped.items_unknown, dropped.occurrences_unknown), (2, 4));
        assert_eq!(labels(&dropped.baskets, 0), ["Apple", "Milk"]);
        assert!(labels(&dropped.baskets, 1).is_empty() && dropped.baskets.persons() == 4);
        let root = fitted(Unknown::Root).unwrap();
        assert_eq!(labels(&root.baskets, 1), [food.label(ROOT); 2]);
        let error = fitted(Unknown::Error).unwrap_err();
        assert_eq!(error.to_string(), "2 items (4 occurrences) are not in the taxonomy");
        assert!(!error.describe(false).contains("spam") && error.describe(true).contains("spam"));
        assert!(error.is_data());
    }

    #[test]
    fn own_leaves_are_shared() {
        let food = Arc::new(food());
        let (left, right) = (rows(&["Milk spam"]), rows(&["eggs", "spam"]));
        let fitted = fit(&[&left, &right], &food, Unknown::OwnLeaf).unwrap();
        let [left, right] = [&fitted[0].baskets, &fitted[1].baskets];
        assert!(Arc::ptr_eq(left.taxonomy().unwrap(), right.taxonomy().unwrap()));
        assert_eq!(left.basket(0)[1], right.basket(1)[0]);
        assert_eq!(left.taxonomy().unwrap().parent(right.basket(0)[0]), ROOT);
        assert_eq!((fitted[0].items_unknown, fitted[1].occurrences_unknown), (1, 2));
    }

    #[test]
    fn words_of_a_log_once_a_person() {
        let mut builder = QueryLogBuilder::new();
        for (person, query) in [("ann", "Red ROSES"), ("bob", "roses?"), ("ann", "red cars"), ("cid", "--")] {
            builder.push(person, query, 0, None, None);
        }
        let words = words_of(&builder.finish());
        assert_eq!(labels(&words, 0), ["red", "roses", "cars"]);
        assert_eq!((labels(&words, 1), labels(&words, 2).len()), (vec!["roses"], 0));
        assert!(words.has_ids() && words.names().get(2) == "cid");
        let (items, missing) = find_items(&words, ["cars", "boats"]);
        assert_eq!((words.label(items[0]), missing), ("cars", vec!["boats"]));
    }
}
