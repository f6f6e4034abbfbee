//! What the measures by meaning share: persons before and after, mixes of concepts or words, and how far mixes are apart.
//!
//! # Formula
//! The Jensen-Shannon divergence of two mixes p and q in bits is (KL(p | m) + KL(q | m)) / 2, with m = (p + q) / 2 and
//! KL(p | m) = sum of p log2(p / m); its square root is a distance, 0 for equal mixes and 1 for mixes with nothing in
//! common. Computed from counts, so that equal shares of different totals are exactly equal.

use std::cmp::Ordering;
use std::sync::Arc;

use super::Pair;
pub(super) use crate::concepts::mixes::{DEPTH, Mix, Words, at_depth, concept_mix};
use crate::concepts::{Meaning, Texts};
use crate::error::{Error, Result};

/// What the strings of original and release mean, over one taxonomy.
pub(super) fn meanings<'a, D: Texts>(pair: &Pair<'a, D>) -> Result<[&'a Meaning; 2]> {
    let (Some(own), Some(released)) = (pair.original.meaning(), pair.release.meaning()) else {
        return Err(Error::refused("needs to know what strings mean")
            .with_hint("name a taxonomy with `--taxonomy wordnet` or `--taxonomy FILE`"));
    };
    let (left, right) = (own.taxonomy(), released.taxonomy());
    if !Arc::ptr_eq(left, right) && !left.labels().iter().eq(right.labels().iter()) {
        return Err(Error::refused("original and release were looked up in different taxonomies"));
    }
    Ok([own, released])
}

/// For each person of the original the number of their record; `None` for one who is not in the release.
pub(super) fn records<D: Texts>(pair: &Pair<'_, D>) -> Vec<Option<usize>> {
    let link = pair.link.as_deref().unwrap_or_default();
    (0..pair.original.persons()).map(|person| link.get(person).copied().flatten().map(|at| at as usize)).collect()
}

/// The numbers of two mixes in rising order, with the count in each.
pub(super) fn merged<'a>(
    left: &'a [(u32, u64)],
    right: &'a [(u32, u64)],
) -> impl Iterator<Item = (u32, u64, u64)> + 'a {
    let (mut left, mut right) = (left.iter().copied().peekable(), right.iter().copied().peekable());
    std::iter::from_fn(move || {
        let order = match (left.peek(), right.peek()) {
            (None, None) => return None,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some((own, _)), Some((other, _))) => own.cmp(other),
        };
        let before = if order.is_le() { left.next() } else { None };
        let after = if order.is_ge() { right.next() } else { None };
        let (number, _) = before.or(after)?;
        Some((number, before.map_or(0, |(_, count)| count), after.map_or(0, |(_, count)| count)))
    })
}

/// How many things a mix has in all.
pub(super) fn total(mix: &[(u32, u64)]) -> u64 {
    mix.iter().map(|&(_, count)| count).sum()
}

/// How much two mixes have in common: 1 minus the Jensen-Shannon distance. Nothing at all has nothing in common with
/// anything; nothing with nothing is the same.
pub(crate) fn kept(left: &[(u32, u64)], right: &[(u32, u64)]) -> f64 {
    let (own, other) = (total(left) as f64, total(right) as f64);
    if own == 0.0 || other == 0.0 {
        return if own == other { 1.0 } else { 0.0 };
    }
    let (mut from_left, mut from_right) = (Vec::new(), Vec::new());
    for (_, before, after) in merged(left, right) {
        // Shares times both totals: whole numbers, so that equal shares are equal.
        let (weighted, weighted_other) = (before as f64 * other, after as f64 * own);
        let middle = weighted + weighted_other;
        if before > 0 {
            from_left.push(before as f64 * (2.0 * weighted / middle).log2());
        }
        if after > 0 {
            from_right.push(after as f64 * (2.0 * weighted_other / middle).log2());
        }
    }
    let divergence = (in_order(from_left) / own + in_order(from_right) / other) / 2.0;
    1.0 - divergence.clamp(0.0, 1.0).sqrt()
}

/// A sum in the order of its parts: numbers of words differ between files that hold the same lines.
fn in_order(mut parts: Vec<f64>) -> f64 {
    parts.sort_unstable_by(f64::total_cmp);
    parts.into_iter().sum()
}

/// Half the sum of the differences of shares: which share of one mix would have to change to make it the other.
pub(super) fn total_variation(left: &[(u32, u64)], right: &[(u32, u64)]) -> f64 {
    let (own, other) = (u128::from(total(left)), u128::from(total(right)));
    if own == 0 || other == 0 {
        return if own == other { 0.0 } else { 1.0 };
    }
    let difference =
        |(_, before, after): (u32, u64, u64)| (u128::from(before) * other).abs_diff(u128::from(after) * own);
    let sum: u128 = merged(left, right).map(difference).sum();
    sum as f64 / (2 * own * other) as f64
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::concepts::Mapper;
    use crate::concepts::mixes::mix_of;
    use crate::data::{Baskets, Interner, QueryLog};
    use crate::taxonomy::Taxonomy;
    use crate::taxonomy::fit::Unknown;
    use proptest::prelude::*;

    /// The part of ODP that paper 004 shows.
    pub(crate) fn directory() -> Arc<Taxonomy> {
        let edges = [
            ("Sports", "Top"),
            ("Water Sports", "Sports"),
            ("Swimming", "Water Sports"),
            ("Windsurfing", "Water Sports"),
            ("Regional", "Top"),
            ("Europe", "Regional"),
            ("Regions", "Europe"),
            ("Mediterranean", "Regions"),
        ];
        Arc::new(Taxonomy::from_edges(edges).unwrap())
    }

    /// Two logs with what their queries mean; what is in no taxonomy means nothing.
    pub(crate) fn meaning_of(taxonomy: &Arc<Taxonomy>, original: QueryLog, release: QueryLog) -> [QueryLog; 2] {
        let mapper = Mapper::new(Arc::clone(taxonomy));
        let tables = [original.queries(), release.queries()];
        let mut meanings = Meaning::of(&mapper, &tables, Unknown::Drop).unwrap().into_iter().map(Arc::new);
        [original, release].map(|log| log.with_meaning(meanings.next().unwrap()))
    }

    /// Baskets over a taxonomy with what their items mean: themselves.
    pub(in super::super) fn meaning_of_nodes(baskets: Baskets) -> Baskets {
        let meaning = Meaning::of_nodes(baskets.taxonomy().unwrap());
        baskets.with_meaning(Arc::new(meaning))
    }

    /// The formula with shares, as it is written.
    fn literal(left: &[(u32, u64)], right: &[(u32, u64)]) -> f64 {
        let (own, other) = (total(left) as f64, total(right) as f64);
        let mut divergence = 0.0;
        for (_, before, after) in merged(left, right) {
            let (p, q) = (before as f64 / own, after as f64 / other);
            let m = (p + q) / 2.0;
            divergence += if p > 0.0 { p * (p / m).log2() / 2.0 } else { 0.0 };
            divergence += if q > 0.0 { q * (q / m).log2() / 2.0 } else { 0.0 };
        }
        1.0 - divergence.max(0.0).sqrt()
    }

    #[test]
    fn divergence_by_hand() {
        // p = (1, 0), q = (1/2, 1/2), m = (3/4, 1/4): (log2(4/3) + (log2(2/3) + log2 2) / 2) / 2 = 0.31128.
        let divergence = ((4.0f64 / 3.0).log2() + ((2.0f64 / 3.0).log2() + 1.0) / 2.0) / 2.0;
        assert!((divergence - 0.311_278).abs() < 1e-6);
        assert!((kept(&[(7, 1)], &[(7, 1), (9, 1)]) - (1.0 - divergence.sqrt())).abs() < 1e-12);
        assert_eq!(kept(&[(1, 3), (2, 6)], &[(1, 1), (2, 2)]), 1.0);
        assert_eq!(kept(&[(1, 3), (2, 7), (5, 1)], &[(3, 1), (4, 9)]), 0.0);
        assert_eq!((kept(&[(1, 1)], &[]), kept(&[], &[(1, 1)]), kept(&[], &[])), (0.0, 0.0, 1.0));
        assert_eq!(total_variation(&[(7, 1)], &[(7, 1), (9, 1)]), 0.5);
        assert_eq!(total_variation(&[(7, 2)], &[(9, 1)]), 1.0);
        assert_eq!((total_variation(&[], &[(1, 1)]), total_variation(&[], &[])), (1.0, 0.0));
    }

    #[test]
    fn deep_concepts_become_their_ancestors() {
        let directory = directory();
        let node = |label: &str| directory.find(label).unwrap();
        assert_eq!(at_depth(&directory, node("Mediterranean"), 3), node("Europe"));
        assert_eq!(at_depth(&directory, node("Sports"), 3), node("Sports"));
        assert_eq!(at_depth(&directory, node("Swimming"), 1), node("Top"));
    }

    #[test]
    fn words_without_case_and_stop_words() {
        let log = super::super::testing::log(&[&["The Roses, of roses", "tulips"], &["tulips"]]);
        let mut vocabulary = Interner::new();
        let words = Words::of(&log, &mut vocabulary);
        let named = |person| {
            words
                .mix(&log, person)
                .into_iter()
                .map(|(word, count)| (vocabulary.strings().get(word), count))
                .collect::<Vec<_>>()
        };
        assert_eq!(named(0), [("roses", 2), ("tulips", 1)]);
        assert_eq!(named(1), [("tulips", 1)]);
    }

    proptest! {
        #[test]
        fn counts_give_what_shares_give(
            left in prop::collection::vec(0..9u32, 1..30), right in prop::collection::vec(0..9u32, 1..30)
        ) {
            let (left, right) = (mix_of(left), mix_of(right));
            let both = kept(&left, &right);
            prop_assert!((both - literal(&left, &right)).abs() < 1e-7, "{both} {}", literal(&left, &right));
            prop_assert!((0.0..=1.0).contains(&both));
            prop_assert_eq!(both, kept(&right, &left));
            prop_assert_eq!(kept(&left, &left), 1.0);
            let moved = total_variation(&left, &right);
            prop_assert!((0.0..=1.0).contains(&moved));
            // Both are 0 together.
            prop_assert_eq!(moved == 0.0, both == 1.0);
        }
    }
}
