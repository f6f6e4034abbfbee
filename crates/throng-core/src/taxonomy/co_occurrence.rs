//! Taxonomies from data: items that are found together lie close together.
//!
//! # Idea
//! 1. Every item has a vector: how often it shares a basket with each other item. Frequent companions count less
//!    (1 / sqrt of their frequency), large baskets too (1 / their size), so that no item and no basket decides alone.
//!    The vectors are random projections to 64 numbers, drawn from a hash of the item's place in natural order; cosines
//!    survive that within about 1/8.
//! 2. All items are cut in two by spherical 2-means, which starts at the vector farthest from the mean and the one farthest
//!    from that, then the larger half, and so on until there are `fanout` groups. Each of them is cut again in the same way.
//!    The smaller side of a cut has at least a fifth, so the tree stays low.
//! 3. Groups are called by their most frequent items: `bread+milk+14_more`; the root is `all`.
//!
//! Ties go to natural order; the same baskets give the same tree on any number of threads.
//!
//! # Cost
//! Time O(64 (t + n log n)) for t items in all baskets and n different ones; memory 256 bytes an item.

use std::ops::Range;

use rayon::prelude::*;

use super::Taxonomy;
use super::generate::{Group, check_fanout, in_natural_order};
use crate::data::{Interner, Strings};
use crate::error::Result;

const SIZE: usize = 64;
type Vector = [f32; SIZE];
/// Rounds of 2-means; more change next to nothing.
const ROUNDS: usize = 8;
/// Groups below this many items are cut on one thread.
const SMALL: usize = 2048;

/// A tree over items that groups what is bought together. A basket lists items by their number in `labels`.
pub fn by_co_occurrence<'a, I>(labels: &Strings, baskets: I, fanout: usize) -> Result<Taxonomy>
where
    I: IntoIterator<Item = &'a [u32]>,
{
    check_fanout(fanout)?;
    let items = in_natural_order(labels.iter())?;
    let mut places = Interner::new();
    items.iter().for_each(|item| {
        places.intern(item);
    });
    let place: Vec<Option<u32>> = labels.iter().map(|label| places.find(label)).collect();
    let baskets: Vec<Vec<u32>> = baskets
        .into_iter()
        .map(|basket| {
            let mut basket: Vec<u32> = basket.iter().filter_map(|&item| place[item as usize]).collect();
            basket.sort_unstable();
            basket.dedup();
            basket
        })
        .collect();
    let mut frequency = vec![0u32; items.len()];
    baskets.iter().flatten().for_each(|&item| frequency[item as usize] += 1);
    let vectors = vectors(&baskets, &frequency);
    let mut order: Vec<u32> = (0..items.len() as u32).collect();
    let groups = cut(&mut order, 0, &vectors, fanout);
    let ordered: Vec<&str> = order.iter().map(|&item| items[item as usize]).collect();
    Ok(groups.into_taxonomy(&ordered, |under| name(&order[under.clone()], &items, &frequency)))
}

/// `bread+milk+14_more`: the two most frequent items of a group and how many more there are.
fn name(group: &[u32], items: &[&str], frequency: &[u32]) -> String {
    let mut group = group.to_vec();
    group.sort_by_key(|&item| (std::cmp::Reverse(frequency[item as usize]), item));
    let named: Vec<&str> = group.iter().take(2).map(|&item| items[item as usize]).collect();
    match group.len() - named.len() {
        0 => named.join("+"),
        more => format!("{}+{more}_more", named.join("+")),
    }
}

/// The projected vector of each item, of length 1; zero for an item that is always alone.
fn vectors(baskets: &[Vec<u32>], frequency: &[u32]) -> Vec<Vector> {
    let drawn: Vec<Vector> = (0u64..)
        .zip(frequency)
        .map(|(item, &count)| {
            let bits = scramble(item);
            let weight = 1.0 / (count.max(1) as f32).sqrt();
            std::array::from_fn(|at| if bits >> at & 1 == 1 { weight } else { -weight })
        })
        .collect();
    let mut vectors = vec![[0.0; SIZE]; frequency.len()];
    for basket in baskets.iter().filter(|basket| basket.len() > 1) {
        let mut sum = [0.0; SIZE];
        basket.iter().for_each(|&item| add(&mut sum, &drawn[item as usize], 1.0));
        let weight = 1.0 / (basket.len() - 1) as f32;
        for &item in basket {
            let vector = &mut vectors[item as usize];
            add(vector, &sum, weight);
            add(vector, &drawn[item as usize], -weight);
        }
    }
    vectors.iter_mut().for_each(unit);
    vectors
}

/// Cuts items into at most `fanout` groups, each of them again, and puts them in the order of the tree, which begins at
/// `start`.
fn cut(items: &mut [u32], start: usize, vectors: &[Vector], fanout: usize) -> Group {
    if items.len() <= fanout {
        return Group::above((start..start + items.len()).map(Group::item).collect());
    }
    let mut parts: Vec<Range<usize>> = std::iter::once(0..items.len()).collect();
    while parts.len() < fanout {
        let largest = (0..parts.len()).rev().max_by_key(|&at| parts[at].len()).unwrap_or(0);
        let part = parts[largest].clone();
        if part.len() < 2 {
            break;
        }
        let middle = part.start + halve(&mut items[part.clone()], vectors);
        parts.splice(largest..=largest, [part.start..middle, middle..part.end]);
    }
    let mut pieces: Vec<(usize, &mut [u32])> = Vec::new();
    let mut rest = items;
    for part in &parts {
        let (piece, after) = rest.split_at_mut(part.len());
        pieces.push((start + part.start, piece));
        rest = after;
    }
    Group::above(pieces.into_par_iter().map(|(start, piece)| cut(piece, start, vectors, fanout)).collect())
}

/// Sorts items into two halves that are alike within; gives the size of the first.
fn halve(items: &mut [u32], vectors: &[Vector]) -> usize {
    let vector = |item: u32| &vectors[item as usize];
    let farthest = |from: &Vector| {
        let nearness = |item: u32| dot(vector(item), from);
        items.iter().copied().min_by(|&left, &right| nearness(left).total_cmp(&nearness(right)).then(left.cmp(&right)))
    };
    let mut mean = [0.0; SIZE];
    items.iter().for_each(|&item| add(&mut mean, vector(item), 1.0));
    let first = farthest(&mean).map_or([0.0; SIZE], |item| *vector(item));
    let second = farthest(&first).map_or([0.0; SIZE], |item| *vector(item));
    let mut centres = [first, second];
    let side = |centres: &[Vector; 2], item: u32| dot(vector(item), &centres[1]) - dot(vector(item), &centres[0]);
    for _ in 0..ROUNDS {
        let sides: Vec<f32> = if items.len() < SMALL {
            items.iter().map(|&item| side(&centres, item)).collect()
        } else {
            items.par_iter().map(|&item| side(&centres, item)).collect()
        };
        let mut next = [[0.0; SIZE]; 2];
        for (&item, side) in items.iter().zip(sides) {
            add(&mut next[usize::from(side > 0.0)], vector(item), 1.0);
        }
        next.iter_mut().for_each(unit);
        if next == centres {
            break;
        }
        centres = next;
    }
    let mut sides: Vec<(f32, u32)> = items.iter().map(|&item| (side(&centres, item), item)).collect();
    sides.sort_by(|left, right| left.0.total_cmp(&right.0).then(left.1.cmp(&right.1)));
    let border = sides.partition_point(|&(side, _)| side <= 0.0);
    for (place, (_, item)) in items.iter_mut().zip(sides) {
        *place = item;
    }
    let least = items.len().div_ceil(5);
    border.clamp(least, items.len() - least)
}

fn add(to: &mut Vector, vector: &Vector, weight: f32) {
    to.iter_mut().zip(vector).for_each(|(to, value)| *to += weight * value);
}

fn dot(left: &Vector, right: &Vector) -> f32 {
    let mut sums = [0.0; 8];
    for (left, right) in left.chunks_exact(8).zip(right.chunks_exact(8)) {
        (0..8).for_each(|at| sums[at] += left[at] * right[at]);
    }
    sums.iter().sum()
}

fn unit(vector: &mut Vector) {
    let length = dot(vector, vector).sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|value| *value /= length);
    }
}

/// 64 bits that look random, the same for the same number everywhere (splitmix64).
fn scramble(number: u64) -> u64 {
    let mut bits = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}

#[cfg(test)]
mod tests {
    use super::super::ROOT;
    use super::*;
    use crate::rng::Rng;
    use proptest::prelude::*;

    /// Baskets over `kinds` shops that share no item: what a tree should find again.
    fn shops(kinds: u32, each: u32, baskets: usize) -> (Strings, Vec<Vec<u32>>) {
        let labels: Vec<String> = (0..kinds * each).map(|item| format!("i{item}")).collect();
        let mut rng = Rng::seeded(1);
        let mut draw = |below: u32| rng.below(u64::from(below)) as u32;
        let baskets = (0..baskets).map(|_| {
            let shop = draw(kinds);
            // Neighbouring items belong to different shops, so that natural order is no help.
            (0..5).map(|_| shop + kinds * draw(each)).collect()
        });
        let baskets = baskets.collect();
        (labels.iter().map(String::as_str).collect(), baskets)
    }

    #[test]
    fn what_is_found_together_lies_together() {
        let (labels, baskets) = shops(4, 25, 2000);
        let tree = by_co_occurrence(&labels, baskets.iter().map(Vec::as_slice), 4).unwrap();
        for group in tree.children(ROOT) {
            let shops: Vec<u32> = (group..tree.end(group))
                .filter(|&node| tree.is_leaf(node))
                .map(|node| tree.label(node)[1..].parse::<u32>().unwrap() % 4)
                .collect();
            assert!(shops.len() == 25 && shops.iter().all(|shop| *shop == shops[0]), "{shops:?}");
        }
        assert!(tree.label(1).ends_with("+23_more"), "{}", tree.label(1));
    }

    #[test]
    fn the_order_of_labels_and_threads_do_not_matter() {
        let (labels, baskets) = shops(3, 20, 300);
        let tree = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| by_co_occurrence(&labels, baskets.iter().map(Vec::as_slice), 3)).unwrap()
        };
        super::super::tests::assert_same(&tree(1), &tree(4));
        let count = labels.len() as u32;
        let reversed: Strings = (0..count).rev().map(|item| labels.get(item)).collect();
        let renamed: Vec<Vec<u32>> =
            baskets.iter().map(|basket| basket.iter().map(|item| count - 1 - item).collect()).collect();
        let other = by_co_occurrence(&reversed, renamed.iter().map(Vec::as_slice), 3).unwrap();
        super::super::tests::assert_same(&tree(1), &other);
    }

    proptest! {
        #[test]
        fn any_baskets_give_a_tree_of_all_items(
            baskets in prop::collection::vec(prop::collection::vec(0..12u32, 0..5), 0..20),
            fanout in 2..5usize,
        ) {
            let labels: Vec<String> = (0..12).map(|item| format!("i{item}")).collect();
            let labels: Strings = labels.iter().map(String::as_str).collect();
            let tree = by_co_occurrence(&labels, baskets.iter().map(Vec::as_slice), fanout).unwrap();
            prop_assert_eq!(tree.leaves(ROOT), 12);
            prop_assert!(labels.iter().all(|item| tree.is_leaf(tree.find(item).unwrap())));
            for node in (0..tree.len() as u32).filter(|&node| !tree.is_leaf(node)) {
                prop_assert!((2..=fanout).contains(&tree.children(node).count()));
            }
        }
    }
}
