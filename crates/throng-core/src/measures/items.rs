//! What the measures of baskets share: items of both sides under the same numbers, and which item stands for which.

use std::borrow::Cow;
use std::sync::Arc;

use super::Pair;
use crate::data::baskets::Grouping;
use crate::data::{Baskets, Interner};
use crate::error::{Error, Result};
use crate::taxonomy::Taxonomy;

/// The taxonomy of the original, or why there is no measure without it.
pub(super) fn taxonomy<'a>(pair: &Pair<'a, Baskets>) -> Result<&'a Taxonomy> {
    pair.original.taxonomy().map(AsRef::as_ref).ok_or_else(|| {
        Error::refused("needs the taxonomy of the items")
            .with_hint("name it with `--taxonomy wordnet` or `--taxonomy FILE`")
    })
}

/// The release with its items under the numbers of the original. An item that the original has no number for gets one
/// beyond all of them where there is no taxonomy, and is an error where there is one.
pub(super) fn release_as_original<'a>(pair: &Pair<'a, Baskets>) -> Result<Cow<'a, Baskets>> {
    let (original, release) = (pair.original, pair.release);
    let same = match (original.taxonomy(), release.taxonomy()) {
        (Some(left), Some(right)) => Arc::ptr_eq(left, right) || left.labels().iter().eq(right.labels().iter()),
        _ => false,
    };
    if same {
        return Ok(Cow::Borrowed(release));
    }
    let mut number_of: Vec<Option<u32>> = vec![None; release.item_count()];
    let mut labels = Interner::from(original.labels());
    let published = release.grouping().map_or(&[][..], |grouping| &grouping.sensitive);
    for &item in release.items().iter().chain(published.iter().flatten().map(|(item, _)| item)) {
        let number = &mut number_of[item as usize];
        if number.is_none() {
            let label = release.label(item);
            *number = Some(match original.taxonomy() {
                None => labels.intern(label),
                Some(taxonomy) => taxonomy.find(label).ok_or_else(|| {
                    Error::data("the release has an item that the taxonomy of the original does not know")
                        .with_value(label)
                        .with_hint("measure both with the taxonomy that the release was made with")
                })?,
            });
        }
    }
    let number = |item: u32| number_of[item as usize].unwrap_or(item);
    let rows = (0..release.persons()).map(|person| release.basket(person).iter().map(|&item| number(item)).collect());
    let renumbered = original.records::<Vec<u32>>(rows);
    Ok(Cow::Owned(match release.grouping() {
        None => renumbered,
        Some(grouping) => {
            let renumber = |items: &Vec<(u32, u32)>| items.iter().map(|&(item, count)| (number(item), count)).collect();
            let sensitive = grouping.sensitive.iter().map(renumber).collect();
            renumbered.with_grouping(Grouping { group_of: grouping.group_of.clone(), sensitive })
        }
    }))
}

/// One beyond the last node at or under an item: only the item itself without a taxonomy.
pub(super) fn end(taxonomy: Option<&Taxonomy>, item: u32) -> u32 {
    taxonomy.map_or(item + 1, |taxonomy| taxonomy.end(item))
}

/// Which items of a record stand for a distinct item each, at or under them.
pub(super) struct Matched {
    /// Items of the original that none stands for.
    pub(super) suppressed: u64,
    /// Items of the record that stand for none.
    pub(super) added: u64,
    /// The sum of `loss` over the items of the record that stand for one.
    pub(super) loss: u64,
}

/// As many items of a record as can be stand for a distinct item of the original each; both in rising order.
pub(super) fn matched(taxonomy: Option<&Taxonomy>, original: &[u32], record: &[u32]) -> Matched {
    // From the last node to the first, so that what lies under an item has been served before it. What is left of the
    // original under an item may go to it or to any above: the choice does not matter. The nearest is on top.
    let mut left = original.iter().rev().peekable();
    let mut open: Vec<u32> = Vec::new();
    let mut result = Matched { suppressed: original.len() as u64, added: 0, loss: 0 };
    for &item in record.iter().rev() {
        while let Some(&other) = left.next_if(|&&other| other >= item) {
            open.push(other);
        }
        if open.last().is_some_and(|&other| other < end(taxonomy, item)) {
            open.pop();
            result.suppressed -= 1;
            result.loss += taxonomy.map_or(0, |taxonomy| u64::from(taxonomy.loss_count(item)));
        } else {
            result.added += 1;
        }
    }
    result
}

/// For each item of the original the lowest item of the record at or above it; both in rising order.
pub(super) fn lowest_above<'a>(
    taxonomy: Option<&'a Taxonomy>,
    original: &'a [u32],
    record: &'a [u32],
) -> impl Iterator<Item = (u32, Option<u32>)> + 'a {
    let mut left = record.iter().peekable();
    let mut open: Vec<u32> = Vec::new();
    original.iter().map(move |&item| {
        while let Some(&above) = left.next_if(|&&above| above <= item) {
            open.push(above);
        }
        while open.pop_if(|above| end(taxonomy, *above) <= item).is_some() {}
        (item, open.last().copied())
    })
}

/// How many persons the records stand for together.
pub(super) fn persons(pair: &Pair<'_, Baskets>) -> u64 {
    pair.multiplicity.iter().map(|&copies| u64::from(copies)).sum()
}

/// The sum of something over all records, each as often as it stands for a person.
pub(super) fn over_records(pair: &Pair<'_, Baskets>, of_record: impl Fn(usize) -> u64) -> u64 {
    pair.multiplicity.iter().enumerate().map(|(record, &copies)| of_record(record) * u64::from(copies)).sum()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::data::BasketsBuilder;
    use crate::taxonomy::TaxonomyBuilder;
    use proptest::prelude::*;

    /// A random tree of up to `nodes` nodes.
    pub(in super::super) fn trees(nodes: usize) -> impl Strategy<Value = Arc<Taxonomy>> {
        prop::collection::vec(any::<prop::sample::Index>(), 1..nodes).prop_map(|parents| {
            let mut builder = TaxonomyBuilder::new();
            builder.node("0");
            for (child, parent) in parents.iter().enumerate() {
                builder.add(&(child + 1).to_string(), &parent.index(child + 1).to_string()).unwrap();
            }
            Arc::new(builder.finish().unwrap())
        })
    }

    /// A random tree, random baskets over it, and a record for each that generalises or leaves out.
    pub(in super::super) fn generalised() -> impl Strategy<Value = (Baskets, Baskets)> {
        let item = (any::<prop::sample::Index>(), 0..6usize);
        (trees(14), prop::collection::vec(prop::collection::vec(item, 0..6), 1..6)).prop_map(|(tree, rows)| {
            let node = |index: &prop::sample::Index| index.index(tree.len()) as u32;
            let original = of_rows(&tree, rows.iter().map(|row| row.iter().map(|(index, _)| node(index)).collect()));
            let records = rows.iter().map(|row| {
                // Up by some steps; five is to leave out.
                let up = |(index, steps): &(prop::sample::Index, usize)| {
                    let at = tree.ancestors(node(index)).take(steps + 1).last();
                    at.filter(|_| *steps < 5)
                };
                row.iter().filter_map(up).collect::<Vec<u32>>()
            });
            let release = original.records(records);
            (original, release)
        })
    }

    pub(in super::super) fn of_rows(tree: &Arc<Taxonomy>, rows: impl IntoIterator<Item = Vec<u32>>) -> Baskets {
        let mut builder = BasketsBuilder::new(Some(Arc::clone(tree)), false);
        for (line, row) in rows.into_iter().enumerate() {
            let person = builder.person(&(line + 1).to_string());
            row.into_iter().for_each(|item| builder.push(person, item));
        }
        builder.finish()
    }

    /// A random tree with two random baskets.
    fn two_baskets() -> impl Strategy<Value = (Baskets, Baskets)> {
        let row = || prop::collection::vec(any::<prop::sample::Index>(), 0..6);
        (trees(10), row(), row()).prop_map(|(tree, left, right)| {
            let one = |row: &[prop::sample::Index]| {
                of_rows(&tree, [row.iter().map(|index| index.index(tree.len()) as u32).collect()])
            };
            (one(&left), one(&right))
        })
    }

    /// The greatest number of items of a record that stand for a distinct item each, by trying everything.
    fn most(tree: &Taxonomy, original: &mut Vec<u32>, record: &[u32]) -> u64 {
        let Some((&item, others)) = record.split_first() else { return 0 };
        let mut best = most(tree, original, others);
        for at in 0..original.len() {
            if tree.is_under(original[at], item) {
                let taken = original.remove(at);
                best = best.max(1 + most(tree, original, others));
                original.insert(at, taken);
            }
        }
        best
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn as_many_as_can_be_are_matched((baskets, other) in two_baskets()) {
            let tree = baskets.taxonomy().unwrap();
            let (original, record) = (baskets.basket(0), other.basket(0));
            let result = matched(Some(tree), original, record);
            let most = most(tree, &mut original.to_vec(), record);
            prop_assert_eq!(result.suppressed, original.len() as u64 - most);
            prop_assert_eq!(result.added, record.len() as u64 - most);
            for (item, above) in lowest_above(Some(tree), original, record) {
                prop_assert_eq!(above, tree.ancestors(item).find(|node| record.contains(node)));
            }
        }
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
        let (original, release) = (of(&[&["a", "b"]]), of(&[&["b", "c"]]));
        let pair = Pair { original: &original, release: &release, multiplicity: vec![1], link: None };
        assert_eq!(release_as_original(&pair).unwrap().basket(0), [1, 2]);
        assert!(taxonomy(&pair).unwrap_err().to_string().contains("taxonomy"));
    }
}
