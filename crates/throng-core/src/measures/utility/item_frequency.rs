//! Item frequency: whether the most popular items stay the most popular.
//!
//! Paper      Ours, after 001 (Navarro-Arribas et al. 2012), section 4.5, with items in the place of queries.
//!
//! # Formula
//! The frequency of an item is its share of all items of all baskets, copies included. The headline is how many of the ten
//! most popular items of the original are among the ten most popular of the release.
//!
//! # Readings
//! Ours: a general item counts as itself, not as what lies under it. It may be shown if at least k persons of the original
//! have it; one that nobody has, for a release may generalise, if at least k have something under it. Items that a release
//! gives for a group as a whole are left out.
//!
//! # Cost
//! Time O(items, times the depth of the taxonomy), memory O(distinct items).

use super::super::{Context, Drawn, Measure, MeasureInfo, Measured, Pair};
use super::frequency::{Counted, Popularity, compare};
use crate::data::{Baskets, Interner};
use crate::error::Result;
use crate::info::Info;

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "item-frequency",
        summary: "how many of the ten most popular items stay among the ten most popular",
        paper: "ours, after Navarro-Arribas, Torra, Erola, Castellà-Roca. User k-anonymity for privacy preserving data mining \
                of query logs. Information Processing and Management 48 (2012), section 4.5",
        details: "An item's frequency is its share of all items of all baskets; a general item counts as itself. Parts: the ten \
            most popular before and after with their frequencies, and Spearman's rank correlation over both tens. An item that \
            fewer than k persons of the original have is not shown, nor one that only the release has if fewer than k have \
            something under it.",
        parameters: &[],
    },
    unit: "of 10",
    better: "higher",
    says: "Of the most frequent items, {} are still among the most frequent.",
    undefined: "the original has no items",
    drawn: Drawn::Tops,
    ..MeasureInfo::DEFAULT
};

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct ItemFrequency;

impl Measure<Baskets> for ItemFrequency {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, Baskets>, context: &Context<'_>) -> Result<Measured> {
        let (original, release) = (pair.original, pair.release);
        let mut labels = Interner::from(original.labels());
        let released: Vec<u32> = release.labels().iter().map(|label| labels.intern(label)).collect();
        let mut values: Vec<Popularity<'_>> =
            labels.strings().iter().map(|text| Popularity { text, before: 0, after: 0, persons: 0 }).collect();
        let (mut having, mut having_under) = (Counted::new(values.len()), Counted::new(values.len()));
        for person in 0..original.persons() {
            for &item in original.basket(person) {
                values[item as usize].before += 1;
                having.count(item, person);
                // What is above one that the person was counted at, they were counted at too.
                let mut above = original.taxonomy().into_iter().flat_map(|taxonomy| taxonomy.ancestors(item));
                let _ = above.find(|&node| !having_under.count(node, person));
            }
        }
        let mut total_after = 0;
        for (record, &copies) in pair.multiplicity.iter().enumerate() {
            for &item in release.basket(record) {
                values[released[item as usize] as usize].after += u64::from(copies);
                total_after += u64::from(copies);
            }
        }
        for (value, (having, under)) in values.iter_mut().zip(having.persons.into_iter().zip(having_under.persons)) {
            value.persons = if value.before > 0 { having } else { under };
        }
        Ok(compare(&values, original.rows() as u64, total_after, context).measured(self))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::measure_baskets;
    use super::*;
    use crate::data::BasketsBuilder;
    use crate::data::baskets::tests::baskets;
    use serde_json::{Value, json};
    use std::sync::Arc;

    #[test]
    fn general_items_are_shown_if_enough_have_something_under_them() {
        let food = Arc::new(crate::taxonomy::tests::food());
        let original = baskets(&food, &["Apple Milk", "Orange Milk"]);
        let release = baskets(&food, &["Fruit Milk", "Fruit Cheese"]);
        let result = measure_baskets(&ItemFrequency, &original, &release, false).unwrap();
        assert_eq!(result.value, Some(1.0));
        assert_eq!(result.parts["top_before"][0], json!({"value": "Milk", "before": 0.5, "after": 0.25}));
        assert_eq!(result.parts["top_after"][0], json!({"value": "Fruit", "before": 0.0, "after": 0.5}));
        // One person's apple, one person's orange, nobody's cheese.
        let shown = ["top_before", "top_after"].map(|name| result.parts[name].as_array().unwrap().clone()).concat();
        let hidden = shown.iter().filter(|value| value["value"] == Value::Null).count();
        assert_eq!((shown.len(), hidden), (6, 3));
        // One person has fruit as such: their share is not shown, though others have fruit.
        let original = baskets(&food, &["Apple", "Orange", "Fruit"]);
        let result = measure_baskets(&ItemFrequency, &original, &release, false).unwrap();
        assert_eq!(result.parts["top_after"][0]["value"], Value::Null);
    }

    #[test]
    fn labels_meet_without_a_taxonomy() {
        let of = |rows: &[&[&str]]| {
            let mut builder = BasketsBuilder::new(None, false);
            for (line, row) in rows.iter().enumerate() {
                let person = builder.person(&line.to_string());
                for label in *row {
                    let item = builder.label(label);
                    builder.push(person, item);
                }
            }
            builder.finish()
        };
        let result =
            measure_baskets(&ItemFrequency, &of(&[&["a", "b"], &["b"]]), &of(&[&["b", "c"], &["b"]]), false).unwrap();
        assert_eq!(result.value, Some(1.0));
        assert_eq!(result.parts["top_after"][0]["value"], "b");
        assert_eq!(result.parts["top_after"][1]["value"], Value::Null);
        assert_eq!(result.parts["total_after"], 3);
    }
}
