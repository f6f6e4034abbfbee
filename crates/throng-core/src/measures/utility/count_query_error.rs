//! Count query error: how far off the answers to random COUNT queries are.
//!
//! Paper      The workload of He and Naughton, VLDB 2009, and of Ghinita, Tao, Kalnis, ICDE 2008, both reviewed in paper 002,
//!            chapter 2. No figure of theirs can be recomputed; the workload and the bound below are ours.
//!
//! # Idea
//! 1. A query asks how many persons have all of one, two or three items: 200 queries of each size, from the seed. Items are
//!    drawn from the basket of a random person, up to ten times until the true answer is no less than the bound below;
//!    else the draw with the greatest answer is taken. Without this most triples would be those of one person, and any
//!    answer would do.
//! 2. The answer from the release: a general item stands for each leaf under it with the same probability, items stand for
//!    leaves independently of each other, and persons are added up.
//! 3. An item that is published for a group only is had by each of its persons with the same probability.
//!
//! # Formula
//! P(person has q) = 1 - product over items r of the record of (1 - P(r is q)); P(r is q) = 1 for r at or under q, leaves(q)
//! / leaves(r) for r above q, 0 otherwise. The answer is the sum over persons of the product over the items of the query.
//! Error = |answer - truth| / max(truth, bound), bound = 0.1 % of the persons of the original, at least 1. The headline is
//! the mean over all queries.
//!
//! # Cost
//! Time O(queries x records with an item above that of a query), memory O(items).

use rayon::prelude::*;
use serde_json::{Map, Value, json};

use super::super::holders::Holders;
use super::super::items::{end, release_as_original};
use super::super::{Context, Measure, MeasureInfo, Measured, Pair, mean};
use crate::data::Baskets;
use crate::error::Result;
use crate::info::Info;
use crate::rng::Rng;
use crate::taxonomy::Taxonomy;

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "count-query-error",
        summary: "how far off the answers to random COUNT queries of one to three items are, average relative error",
        paper: "After He, Naughton. Anonymization of set-valued data via top-down, local generalization. VLDB 2009",
        details: "A query asks how many persons have all of one, two or three items; an item with others under it in the \
            taxonomy is had by whoever has one of them. 200 queries of each size, the items drawn from the basket of a random \
            person, up to ten times until the true answer is at least the bound; the same seed gives the same queries. The \
            release answers as if a general item were each leaf under it with \
            the same probability, independently of all others; an item that is published for a group is had by each of its \
            persons with the same probability. The error is |answer - truth| / max(truth, bound), and the bound 0.1 % of the \
            persons, at least 1, so that rare items do not rule.\n\
            Parts: `by_size`, the mean error by the number of items; `median`; `queries`; `bound`. Needs no link.",
        parameters: &[],
    },
    unit: "relative error",
    better: "lower",
    says: "Whoever counts the people who have certain items is wrong by {%}, on average.",
    undefined: "the original has no items to ask for",
    ..MeasureInfo::DEFAULT
};

/// The number of queries of each size.
const QUERIES: usize = 200;
/// How often the items of a query are drawn, at most, until enough persons have them.
const DRAWS: usize = 10;
/// Looking through a record costs about as much as so many entries of a list.
const ROW: usize = 8;
/// The greatest number of items in a query.
const SIZES: usize = 3;

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct CountQueryError;

impl Measure<Baskets> for CountQueryError {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, Baskets>, context: &Context<'_>) -> Result<Measured> {
        let release = release_as_original(pair)?;
        let taxonomy = pair.original.taxonomy().map(AsRef::as_ref);
        let bound = (pair.original.persons() as f64 / 1000.0).max(1.0);
        let before = Holders::new(pair.original, |_| 1);
        let after = Holders::new(&release, |record| pair.multiplicity[record]);
        let able = able(pair.original);
        let queries: Vec<usize> = (0..SIZES * QUERIES).filter(|query| !able[query / QUERIES].is_empty()).collect();
        context.progress.stage("count queries", queries.len() as u64);
        let scratch = || (vec![1.0; before.rows().len()], vec![1.0; after.rows().len()]);
        let errors: Vec<f64> = queries
            .par_iter()
            .map_init(scratch, |(own, other), &number| {
                let mut rng = Rng::seeded_stream(context.seed, number as u64);
                let size = number / QUERIES;
                let (mut query, mut truth) = (Vec::new(), 0.0);
                for _ in 0..DRAWS {
                    let drawn = draw(pair.original, able[size][rng.index(able[size].len())], size + 1, &mut rng);
                    let count = answer(&before, taxonomy, &drawn, false, own);
                    if count > truth {
                        (query, truth) = (drawn, count);
                    }
                    if truth >= bound {
                        break;
                    }
                }
                let answer = answer(&after, taxonomy, &query, true, other);
                context.progress.advance(1);
                (answer - truth).abs() / truth.max(bound)
            })
            .collect();
        let by_size: Map<String, Value> = (0..SIZES)
            .map(|size| {
                let own = queries.iter().zip(&errors).filter(|(query, _)| *query / QUERIES == size);
                ((size + 1).to_string(), json!(mean(&own.map(|(_, &error)| error).collect::<Vec<f64>>())))
            })
            .collect();
        let mut sorted = errors.clone();
        sorted.sort_by(f64::total_cmp);
        let median = sorted.get(sorted.len() / 2);
        let parts = json!({"by_size": by_size, "median": median, "queries": queries.len(), "bound": bound});
        Ok(self.measured(mean(&errors), parts))
    }
}

/// For each size the persons who have as many different items.
fn able(original: &Baskets) -> [Vec<usize>; SIZES] {
    let mut able = [const { Vec::new() }; SIZES];
    for person in 0..original.persons() {
        let distinct = original.basket(person).chunk_by(|left, right| left == right).count();
        able[..distinct.min(SIZES)].iter_mut().for_each(|persons| persons.push(person));
    }
    able
}

/// Random items of a person.
fn draw(original: &Baskets, person: usize, size: usize, rng: &mut Rng) -> Vec<u32> {
    let mut set = original.basket(person).to_vec();
    set.dedup();
    rng.sample(set.len(), size).into_iter().map(|at| set[at as usize]).collect()
}

/// How many persons have all items of a query. `absent` is 1 for every record, before and after.
fn answer(holders: &Holders<'_>, taxonomy: Option<&Taxonomy>, query: &[u32], general: bool, absent: &mut [f64]) -> f64 {
    // An item is this entry: for sure at or under it, else with the share of its leaves.
    let share = |item: u32, above: u32| {
        taxonomy.map_or(0.0, |taxonomy| f64::from(taxonomy.leaves(item)) / f64::from(taxonomy.leaves(above)))
    };
    let lists = |item: u32| {
        let above = taxonomy.filter(|_| general).into_iter().flat_map(move |taxonomy| taxonomy.ancestors(item).skip(1));
        std::iter::once((holders.under(taxonomy, item), 1.0))
            .chain(above.map(move |above| (holders.exactly(above), share(item, above))))
    };
    let length = |item: u32| lists(item).map(|(entries, _)| entries.len()).sum::<usize>();
    // The item with the fewest entries comes first: only who may have it matters for the others.
    let mut query: Vec<(usize, u32)> = query.iter().map(|&item| (length(item), item)).collect();
    query.sort_unstable();
    let mut chances: Vec<(u32, f64)> = Vec::new();
    for (number, &(length, item)) in query.iter().enumerate() {
        if number > 0 && !holders.has_groups() && chances.len() * ROW < length {
            let is = |own: u32| match taxonomy {
                _ if own >= item && own < end(taxonomy, item) => 1.0,
                Some(taxonomy) if general && taxonomy.is_under(item, own) => share(item, own),
                _ => 0.0,
            };
            for (record, chance) in &mut chances {
                let row = holders.rows()[*record as usize];
                *chance *= 1.0 - row.iter().map(|&own| 1.0 - is(own)).product::<f64>();
            }
            chances.retain(|&(_, chance)| chance > 0.0);
            continue;
        }
        let mut touched = Vec::new();
        for (entries, share) in lists(item) {
            for entry in entries {
                let absent = &mut absent[entry.record as usize];
                let factor = (1.0 - share * entry.chance).powi(entry.copies as i32);
                if *absent == 1.0 && factor < 1.0 {
                    touched.push(entry.record);
                }
                *absent *= factor;
            }
        }
        if number == 0 {
            chances = touched.iter().map(|&record| (record, 1.0 - absent[record as usize])).collect();
        } else {
            chances.iter_mut().for_each(|(record, chance)| *chance *= 1.0 - absent[*record as usize]);
            chances.retain(|&(_, chance)| chance > 0.0);
        }
        touched.iter().for_each(|&record| absent[record as usize] = 1.0);
    }
    chances.iter().map(|&(record, chance)| chance * holders.weights()[record as usize] as f64).sum()
}

#[cfg(test)]
mod tests {
    use super::super::super::items::tests::generalised;
    use super::super::super::testing::measure_baskets;
    use super::*;
    use crate::data::baskets::Grouping;
    use crate::data::baskets::tests::baskets;
    use crate::taxonomy::tests::food;
    use proptest::prelude::*;
    use std::sync::Arc;

    fn ask(data: &Baskets, query: &str, general: bool) -> f64 {
        let taxonomy = data.taxonomy().unwrap();
        let mut query: Vec<u32> = query.split(' ').map(|label| taxonomy.find(label).unwrap()).collect();
        query.sort_unstable();
        let holders = Holders::new(data, |_| 1);
        answer(&holders, Some(taxonomy), &query, general, &mut vec![1.0; holders.rows().len()])
    }

    #[test]
    fn answers_by_hand() {
        let food = Arc::new(food());
        let original = baskets(&food, &["Apple Beef", "Orange Beef", "Apple Milk", "Apple Apple"]);
        assert_eq!(ask(&original, "Apple", false), 3.0);
        assert_eq!(ask(&original, "Fruit", false), 4.0);
        assert_eq!(ask(&original, "Apple Beef", false), 1.0);
        let release = baskets(&food, &["Fruit Beef", "Fruit Beef", "Food", "Fruit Fruit"]);
        let close =
            |query: &str, expected: f64| assert!((ask(&release, query, true) - expected).abs() < 1e-12, "{query}");
        // Two fruits are an apple with 1 - (2/3)^2; food is one with 1/8.
        close("Apple", 1.0 / 3.0 + 1.0 / 3.0 + 1.0 / 8.0 + 5.0 / 9.0);
        close("Apple Beef", 2.0 / 3.0 + 1.0 / 64.0);
        // A fruit is a fruit for sure; food is one with 3/8.
        close("Fruit", 3.0 + 3.0 / 8.0);
    }

    #[test]
    fn groups_answer_by_chance() {
        let food = Arc::new(food());
        let beef = food.find("Beef").unwrap();
        let release = baskets(&food, &["Apple", "Apple", "Milk", "Apple"])
            .with_grouping(Grouping { group_of: vec![0, 0, 0, 1], sensitive: vec![vec![(beef, 1)], vec![]] });
        let close =
            |query: &str, expected: f64| assert!((ask(&release, query, true) - expected).abs() < 1e-12, "{query}");
        close("Beef", 1.0);
        close("Apple Beef", 2.0 / 3.0);
    }

    #[test]
    fn nothing_changed_is_no_error_and_everything_lost_is_one() {
        let food = Arc::new(food());
        let original = baskets(&food, &["Apple Beef Milk", "Orange Beef", "Apple Milk", "Apple Apple"]);
        let result = measure_baskets(&CountQueryError, &original, &original, false).unwrap();
        assert_eq!(result.value, Some(0.0));
        assert_eq!((&result.parts["queries"], &result.parts["bound"]), (&json!(600), &json!(1.0)));
        let nothing = baskets(&food, &["", "", "", ""]);
        assert_eq!(measure_baskets(&CountQueryError, &original, &nothing, false).unwrap().value, Some(1.0));
        let result = measure_baskets(&CountQueryError, &nothing, &nothing, false).unwrap();
        assert_eq!((result.value, &result.parts["queries"]), (None, &json!(0)));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]
        #[test]
        fn answers_as_by_definition((original, release) in generalised(), draws: [prop::sample::Index; 2]) {
            let tree = original.taxonomy().unwrap();
            let mut query: Vec<u32> = draws.iter().map(|index| index.index(tree.len()) as u32).collect();
            query.sort_unstable();
            query.dedup();
            let is = |r: u32, q: u32| match (tree.is_under(r, q), tree.is_under(q, r)) {
                (true, _) => 1.0,
                (_, true) => f64::from(tree.leaves(q)) / f64::from(tree.leaves(r)),
                _ => 0.0,
            };
            let has = |row: &[u32], q: u32| 1.0 - row.iter().map(|&r| 1.0 - is(r, q)).product::<f64>();
            let all = |person: usize| query.iter().map(|&q| has(release.basket(person), q)).product::<f64>();
            let expected: f64 = (0..release.persons()).map(all).sum();
            let holders = Holders::new(&release, |_| 1);
            let mut scratch = vec![1.0; holders.rows().len()];
            prop_assert!((answer(&holders, Some(tree), &query, true, &mut scratch) - expected).abs() < 1e-9);
            prop_assert!(scratch.iter().all(|&absent| absent == 1.0));
            let under = |person: &usize| query.iter().all(|&q| original.basket(*person).iter().any(|&r| tree.is_under(r, q)));
            let holders = Holders::new(&original, |_| 1);
            let truth = answer(&holders, Some(tree), &query, false, &mut vec![1.0; holders.rows().len()]);
            prop_assert_eq!(truth, (0..original.persons()).filter(under).count() as f64);
        }
    }
}
