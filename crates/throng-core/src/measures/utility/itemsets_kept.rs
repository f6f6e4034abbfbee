//! Itemsets kept: how many frequent itemsets are still found in the release, as they are or more general.
//!
//! Paper      The question of papers 001 and 002: what mining still finds. Supports under generalisation after Srikant and
//!            Agrawal. Mining generalized association rules. VLDB 1995. The definition below is ours.
//!
//! # Idea
//! 1. Frequent itemsets of the original: one to three different items, as they stand, that at least 1 % of its persons have,
//!    and at least 2. The 200 most frequent items are looked at, and of each size the 2,000 most frequent itemsets.
//! 2. A record has an item if it holds it or something under it. An itemset is *kept* if as many persons of the release
//!    have it as made it frequent in the original.
//! 3. One that is not kept is lifted: all its items go up by one step, except those right under the root. It is *recovered*
//!    if it is frequent after some steps, and its items are still different ones, none above another. Otherwise it is *lost*.
//! 4. The other way round: frequent itemsets of the release, the root left out, are *true* if they are frequent in the
//!    original too.
//!
//! # Formula
//! Headline = 100 (kept + recovered) / frequent itemsets of the original.
//!
//! # Cost
//! Time O(triples of frequent items in baskets + itemsets x steps x records / 64), memory O(records / 8) a node.

use std::cmp::Reverse;

use hashbrown::HashMap;
use serde_json::{Map, Value, json};

use super::super::holders::Holders;
use super::super::items::release_as_original;
use super::super::{Context, Measure, MeasureInfo, Measured, Pair};
use crate::data::Baskets;
use crate::error::Result;
use crate::info::Info;
use crate::taxonomy::{ROOT, Taxonomy};

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "itemsets-kept",
        summary: "how many frequent itemsets are still frequent in the release, as they are or more general",
        paper: "Supports under generalisation: Srikant, Agrawal. Mining generalized association rules. VLDB 1995",
        details: "Frequent itemsets of the original: one to three different items that at least 1 % of its persons have, and at \
            least 2 persons; of the 200 most frequent items, and of each size the 2,000 most frequent sets. A record has an item \
            if it holds it or something under it. A set that as many persons of the release have is kept. One that is not \
            is lifted step by step, all its items to their parents, but none to the root; if it becomes frequent while its \
            items are different ones, none above another, it is recovered at that level. The headline is the share of \
            both.\n\
            Parts: `before`, the number of frequent itemsets; `kept`, `recovered` and `lost`; `steps`, the mean number of \
            steps of those recovered; the same `by_size`; `after`, the number of frequent itemsets of the release (without the \
            root), and `after_true`, how many of them are frequent in the original too. Items that are published for a \
            group only are not found. Needs no link.",
        parameters: &[],
    },
    unit: "%",
    better: "higher",
    says: "Of the sets of items that many people have together, {} can still be found.",
    undefined: "no set of items is frequent in the original",
    ..MeasureInfo::DEFAULT
};

/// The share of persons who have a frequent itemset.
const SUPPORT: f64 = 0.01;
/// The greatest number of items in a set.
const SIZES: usize = 3;
/// How many of the most frequent items are looked at.
const ITEMS: usize = 200;
/// How many of the most frequent itemsets of a size are looked at.
const ITEMSETS: usize = 2000;

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct ItemsetsKept;

impl Measure<Baskets> for ItemsetsKept {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, Baskets>, _context: &Context<'_>) -> Result<Measured> {
        let release = release_as_original(pair)?;
        let taxonomy = pair.original.taxonomy().map(AsRef::as_ref);
        let least = ((pair.original.persons() as f64 * SUPPORT).ceil() as u64).max(2);
        let before = Holders::new(pair.original, |_| 1);
        let after = Holders::new(&release, |record| pair.multiplicity[record]);
        let mut supports = Supports::new(&after, taxonomy);
        let mut tallies = [Tally::default(); SIZES];
        for set in frequent(&before, least, |_| true) {
            let tally = &mut tallies[set.len() - 1];
            tally.before += 1;
            match lifts(taxonomy, &set).position(|lifted| supports.of(&lifted) >= least) {
                Some(0) => tally.kept += 1,
                Some(steps) => {
                    tally.recovered += 1;
                    tally.steps += steps as u64;
                }
                None => {}
            }
        }
        let mut originals = Supports::new(&before, taxonomy);
        let found = frequent(&after, least, |item| taxonomy.is_none() || item != ROOT);
        let still = found.iter().filter(|set| originals.of(set) >= least).count();
        let all = tallies.iter().fold(Tally::default(), |sum, tally| sum.plus(tally));
        let by_size: Map<String, Value> =
            (1..).zip(&tallies).map(|(size, tally): (u32, &Tally)| (size.to_string(), tally.parts().into())).collect();
        let mut parts = all.parts();
        parts.insert("by_size".into(), by_size.into());
        parts.insert("after".into(), json!(found.len()));
        parts.insert("after_true".into(), json!(still));
        let share = (all.before > 0).then(|| 100.0 * (all.kept + all.recovered) as f64 / all.before as f64);
        Ok(self.measured(share, parts.into()))
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    before: u64,
    kept: u64,
    recovered: u64,
    steps: u64,
}

impl Tally {
    fn plus(self, other: &Self) -> Self {
        Self {
            before: self.before + other.before,
            kept: self.kept + other.kept,
            recovered: self.recovered + other.recovered,
            steps: self.steps + other.steps,
        }
    }

    fn parts(&self) -> Map<String, Value> {
        let steps = (self.recovered > 0).then(|| self.steps as f64 / self.recovered as f64);
        let lost = self.before - self.kept - self.recovered;
        Map::from_iter([
            ("before".into(), json!(self.before)),
            ("kept".into(), json!(self.kept)),
            ("recovered".into(), json!(self.recovered)),
            ("lost".into(), json!(lost)),
            ("steps".into(), json!(steps)),
        ])
    }
}

/// The set as it is, then with all items one step up, and so on, as long as they say something of each.
fn lifts<'a>(taxonomy: Option<&'a Taxonomy>, set: &[u32]) -> impl Iterator<Item = Vec<u32>> + 'a {
    std::iter::successors(Some(set.to_vec()), move |set| {
        let taxonomy = taxonomy?;
        let up = |&item: &u32| if taxonomy.parent(item) == ROOT { item } else { taxonomy.parent(item) };
        let lifted: Vec<u32> = set.iter().map(up).collect();
        let is_apart = |(at, &left): (usize, &u32)| {
            lifted[at + 1..].iter().all(|&right| !taxonomy.is_under(left, right) && !taxonomy.is_under(right, left))
        };
        (lifted != *set && lifted.iter().enumerate().all(is_apart)).then_some(lifted)
    })
}

/// How many persons have an item or something under it, by bitmaps of records.
struct Supports<'a> {
    holders: &'a Holders<'a>,
    taxonomy: Option<&'a Taxonomy>,
    bitmaps: HashMap<u32, Vec<u64>, foldhash::fast::FixedState>,
}

impl<'a> Supports<'a> {
    fn new(holders: &'a Holders<'a>, taxonomy: Option<&'a Taxonomy>) -> Self {
        Self { holders, taxonomy, bitmaps: HashMap::default() }
    }

    fn of(&mut self, set: &[u32]) -> u64 {
        let words = self.holders.rows().len().div_ceil(64);
        let mut common = vec![u64::MAX; words];
        for &item in set {
            let bitmap = self.bitmaps.entry(item).or_insert_with(|| {
                let mut bitmap = vec![0; words];
                for entry in self.holders.under(self.taxonomy, item).iter().filter(|entry| entry.chance == 1.0) {
                    bitmap[entry.record as usize / 64] |= 1 << (entry.record % 64);
                }
                bitmap
            });
            common.iter_mut().zip(bitmap).for_each(|(word, other)| *word &= *other);
        }
        let mut support = 0;
        for (at, mut word) in common.into_iter().enumerate() {
            while word != 0 {
                // Beyond the last record there is nothing in any bitmap; a set has at least one item.
                support += self.holders.weights()[at * 64 + word.trailing_zeros() as usize];
                word &= word - 1;
            }
        }
        support
    }
}

/// The frequent itemsets of records as they stand, by size, and in a size by support, then by item.
fn frequent(holders: &Holders<'_>, least: u64, is_wanted: impl Fn(u32) -> bool) -> Vec<Vec<u32>> {
    let mut counts: HashMap<u32, u64, foldhash::fast::FixedState> = HashMap::default();
    for (row, &weight) in holders.rows().iter().zip(holders.weights()) {
        for same in row.chunk_by(|left, right| left == right) {
            *counts.entry(same[0]).or_default() += weight;
        }
    }
    let mut items: Vec<(u32, u64)> =
        counts.into_iter().filter(|&(item, count)| count >= least && is_wanted(item)).collect();
    items.sort_unstable_by_key(|&(item, count)| (Reverse(count), item));
    items.truncate(ITEMS);
    let mut number_of: HashMap<u32, usize, foldhash::fast::FixedState> = HashMap::default();
    number_of.extend(items.iter().enumerate().map(|(number, &(item, _))| (item, number)));
    // Pairs and triples in two triangles of counts, the triples by frequent pair.
    let rows: Vec<(Vec<usize>, u64)> = holders
        .rows()
        .iter()
        .zip(holders.weights())
        .map(|(row, &weight)| {
            let mut own: Vec<usize> =
                row.chunk_by(|left, right| left == right).filter_map(|same| number_of.get(&same[0]).copied()).collect();
            own.sort_unstable();
            (own, weight)
        })
        .collect();
    let width = items.len();
    let mut pairs = vec![0u64; width * width];
    for (row, weight) in &rows {
        for (at, &first) in row.iter().enumerate() {
            row[at + 1..].iter().for_each(|&second| pairs[first * width + second] += weight);
        }
    }
    let mut place_of = vec![usize::MAX; width * width];
    let common: Vec<usize> = (0..pairs.len()).filter(|&pair| pairs[pair] >= least).collect();
    common.iter().enumerate().for_each(|(place, &pair)| place_of[pair] = place);
    let mut triples = vec![0u64; common.len() * width];
    for (row, weight) in &rows {
        for (at, &first) in row.iter().enumerate() {
            for (next, &second) in row.iter().enumerate().skip(at + 1) {
                let place = place_of[first * width + second];
                if place != usize::MAX {
                    let counts = &mut triples[place * width..(place + 1) * width];
                    row[next + 1..].iter().for_each(|&third| counts[third] += weight);
                }
            }
        }
    }
    let name = |number: usize| items[number].0;
    let best = |sets: Vec<(u64, Vec<usize>)>| {
        let mut sets: Vec<(Reverse<u64>, Vec<u32>)> = sets
            .into_iter()
            .filter(|&(count, _)| count >= least)
            .map(|(count, numbers)| {
                let mut set: Vec<u32> = numbers.into_iter().map(name).collect();
                set.sort_unstable();
                (Reverse(count), set)
            })
            .collect();
        sets.sort_unstable();
        sets.truncate(ITEMSETS);
        sets.into_iter().map(|(_, set)| set)
    };
    let singles = items.iter().enumerate().map(|(number, &(_, count))| (count, vec![number])).collect();
    let doubles = common.iter().map(|&pair| (pairs[pair], vec![pair / width, pair % width])).collect();
    let trebles = triples.iter().enumerate().filter(|&(_, &count)| count >= least).map(|(at, &count)| {
        let pair = common[at / width];
        (count, vec![pair / width, pair % width, at % width])
    });
    best(singles).chain(best(doubles)).chain(best(trebles.collect())).collect()
}

#[cfg(test)]
mod tests {
    use super::super::super::items::tests::generalised;
    use super::super::super::testing::measure_baskets;
    use super::*;
    use crate::data::baskets::tests::baskets;
    use crate::taxonomy::tests::food;
    use proptest::prelude::*;
    use std::sync::Arc;

    #[test]
    fn by_hand() {
        let food = Arc::new(food());
        // Frequent with two persons: Apple, Beef, Milk, {Apple, Beef}, {Apple, Milk}.
        let original = baskets(&food, &["Apple Beef", "Apple Beef Milk", "Apple Milk", "Orange"]);
        let same = measure_baskets(&ItemsetsKept, &original, &original, false).unwrap();
        assert_eq!((same.value, &same.parts["before"], &same.parts["kept"]), (Some(100.0), &json!(5), &json!(5)));
        assert_eq!((&same.parts["after"], &same.parts["after_true"]), (&json!(5), &json!(5)));
        // Beef stays; Apple and {Apple, Beef} are found one step up; Milk is gone, and with it {Apple, Milk}.
        let release = baskets(&food, &["Fruit Beef", "Fruit Beef Food", "Fruit Food", "Fruit"]);
        let result = measure_baskets(&ItemsetsKept, &original, &release, false).unwrap();
        assert_eq!(result.value, Some(60.0));
        assert_eq!(
            (&result.parts["kept"], &result.parts["recovered"], &result.parts["lost"]),
            (&json!(1), &json!(2), &json!(2))
        );
        assert_eq!((&result.parts["steps"], &result.parts["by_size"]["2"]["recovered"]), (&json!(1.0), &json!(1)));
        // Fruit, Beef and both of them; Food says nothing.
        assert_eq!((&result.parts["after"], &result.parts["after_true"]), (&json!(3), &json!(3)));
        let nobody = baskets(&food, &[]);
        assert_eq!(measure_baskets(&ItemsetsKept, &nobody, &nobody, false).unwrap().value, None);
    }

    #[test]
    fn items_that_become_one_say_nothing_of_both() {
        let food = food();
        let node = |label| food.find(label).unwrap();
        let steps = |set: &[u32]| lifts(Some(&food), set).collect::<Vec<_>>();
        let mixed = [node("Apple"), node("Beef")];
        assert_eq!(steps(&mixed), [mixed.to_vec(), vec![node("Fruit"), node("Meat")]]);
        assert_eq!(steps(&[node("Apple"), node("Orange")]).len(), 1);
        assert_eq!(steps(&[node("Fruit")]).len(), 1);
    }

    #[test]
    fn supports_over_several_words() {
        let food = Arc::new(food());
        let mut rng = crate::rng::Rng::seeded(2);
        let nodes = food.len();
        let mut draw = |most: usize| {
            let count = 1 + rng.index(most);
            rng.sample(nodes, count)
        };
        let rows: Vec<Vec<u32>> = (0..300).map(|_| draw(5)).collect();
        let data = super::super::super::items::tests::of_rows(&food, rows.clone());
        let holders = Holders::new(&data, |person| person as u32 % 3);
        let mut supports = Supports::new(&holders, Some(&food));
        for _ in 0..300 {
            let set = draw(3);
            let has = |row: &Vec<u32>| set.iter().all(|&item| row.iter().any(|&own| food.is_under(own, item)));
            let expected: u64 = (0..300).filter(|&person| has(&rows[person])).map(|person| person as u64 % 3).sum();
            assert_eq!(supports.of(&set), expected);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]
        #[test]
        fn frequent_itemsets_as_by_trying_all((original, _) in generalised(), least in 1..4u64) {
            let holders = Holders::new(&original, |_| 1);
            let nodes = original.item_count() as u32;
            let support = |set: &[u32]| {
                let has = |person: &usize| set.iter().all(|item| original.basket(*person).contains(item));
                (0..original.persons()).filter(has).count() as u64
            };
            let mut expected = Vec::new();
            for a in 0..nodes {
                expected.push(vec![a]);
                for b in a + 1..nodes {
                    expected.push(vec![a, b]);
                    expected.extend((b + 1..nodes).map(|c| vec![a, b, c]));
                }
            }
            expected.retain(|set| support(set) >= least);
            let found = frequent(&holders, least, |_| true);
            let in_order = |left: &Vec<u32>, right: &Vec<u32>| {
                left.len() < right.len() || (left.len() == right.len() && support(left) >= support(right))
            };
            prop_assert!(found.is_sorted_by(in_order));
            let mut found = found;
            found.sort();
            expected.sort();
            prop_assert_eq!(found, expected);
        }
    }
}
