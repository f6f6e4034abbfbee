//! What the frequency measures share: the most popular values before and after, and how well their order is kept.
//!
//! The ten most popular by count, ties in the order of the strings, so that nothing depends on the order of a file. The
//! rank correlation is Spearman's, with mean ranks for ties, over all values that are among the ten before or after.

use rayon::prelude::*;
use serde_json::{Value, json};

use super::super::{Context, Measure, Measured, Pair};
use crate::data::{Line, QueryLog};

/// How many values count as the most popular.
pub(super) const TOP: usize = 10;

/// Units of a headline, by how many values were compared: there may be fewer than ten.
const OF: [&str; TOP + 1] = ["of 0", "of 1", "of 2", "of 3", "of 4", "of 5", "of 6", "of 7", "of 8", "of 9", "of 10"];

/// The most popular values of an original and its release.
#[derive(Debug)]
pub(super) struct Tops {
    /// How many values of the original were compared.
    compared: usize,
    /// How many of them stay among the most popular.
    kept: usize,
    /// Everything else.
    pub(super) parts: Value,
}

impl Tops {
    /// The number under the name of a measure; not defined where the original has no values.
    pub(super) fn measured<D>(self, measure: &impl Measure<D>) -> Measured {
        let value = (self.compared > 0).then_some(self.kept as f64);
        let unit = if self.compared > 0 { OF[self.compared] } else { measure.info().unit };
        Measured { unit, ..measure.measured(value, self.parts) }
    }
}

/// How often a value occurs before and after, and how many persons of the original have it.
#[derive(Debug, Clone)]
pub(super) struct Popularity<'a> {
    pub(super) text: &'a str,
    pub(super) before: u64,
    pub(super) after: u64,
    pub(super) persons: u32,
}

/// How many of the most popular values stay among them, and the parts, in which a value of fewer than k persons is not shown.
pub(super) fn compare(values: &[Popularity<'_>], total_before: u64, total_after: u64, context: &Context<'_>) -> Tops {
    let top = |count: fn(&Popularity<'_>) -> u64| {
        let mut order: Vec<usize> = (0..values.len()).filter(|&at| count(&values[at]) > 0).collect();
        let rank = |&at: &usize| (std::cmp::Reverse(count(&values[at])), values[at].text);
        if order.len() > TOP {
            order.select_nth_unstable_by_key(TOP, rank);
            order.truncate(TOP);
        }
        order.sort_unstable_by_key(rank);
        order
    };
    let (before, after) = (top(|value| value.before), top(|value| value.after));
    let kept = before.iter().filter(|at| after.contains(at)).count();
    let mut union = before.clone();
    union.extend(after.iter().filter(|at| !before.contains(at)));
    let counts = |count: fn(&Popularity<'_>) -> u64| union.iter().map(|&at| count(&values[at])).collect::<Vec<u64>>();
    let correlation = rank_correlation(&counts(|value| value.before), &counts(|value| value.after));
    let share = |count: u64, total: u64| count as f64 / total.max(1) as f64;
    let show = |list: &[usize]| {
        let entry = |&at: &usize| {
            let value = &values[at];
            let is_shown = context.show_values || value.persons as usize >= context.shared_by;
            let text = if is_shown { json!(value.text) } else { Value::Null };
            json!({"value": text, "before": share(value.before, total_before), "after": share(value.after, total_after)})
        };
        list.iter().map(entry).collect::<Vec<Value>>()
    };
    let parts = json!({
        "top_before": show(&before),
        "top_after": show(&after),
        "compared": before.len(),
        "rank_correlation": correlation,
        "total_before": total_before,
        "total_after": total_after,
    });
    Tops { compared: before.len(), kept, parts }
}

/// The same for values of the lines of a search log: `before` and `after` give those of a line by their numbers, which `values` is
/// above, and `text` the string of a number. Persons are counted only where they may be asked for, at the most popular.
pub(super) fn compare_lines<'a, 't>(
    pair: &Pair<'_, QueryLog>,
    values: usize,
    text: impl Fn(u32) -> &'t str,
    before: impl Fn(&Line) -> &'a [u32] + Sync,
    after: impl Fn(&Line) -> &'a [u32],
    context: &Context<'_>,
) -> Tops {
    let mut counts = [vec![0u32; values], vec![0u32; values]];
    let (mut total_before, mut total_after) = (0, 0);
    let mut count = |list: usize, value: u32, copies: u32| {
        let count = &mut counts[list][value as usize];
        *count = count.saturating_add(copies);
    };
    for line in (0..pair.original.persons()).flat_map(|person| pair.original.lines(person)) {
        for &value in before(&line) {
            count(0, value, 1);
            total_before += 1;
        }
    }
    for (person, &copies) in pair.multiplicity.iter().enumerate() {
        for line in pair.release.lines(person) {
            for &value in after(&line) {
                count(1, value, copies);
                total_after += u64::from(copies);
            }
        }
    }
    let least = [0, 1].map(|list| least_of_top(&counts[list]));
    let is_popular = |value: u32| (0..2).any(|list| counts[list][value as usize] >= least[list]);
    let popular: Vec<u32> = (0..values as u32).filter(|&value| is_popular(value)).collect();
    // Nobody is in two parts.
    const PARTS: usize = 8;
    let persons = pair.original.persons();
    let part = |part: usize| {
        let mut having = Counted::new(popular.len());
        for person in persons * part / PARTS..persons * (part + 1) / PARTS {
            for line in pair.original.lines(person) {
                for &value in before(&line).iter().filter(|&&value| is_popular(value)) {
                    having.count(popular.partition_point(|&other| other < value) as u32, person);
                }
            }
        }
        having.persons
    };
    let parts: Vec<Vec<u32>> = (0..PARTS).into_par_iter().map(part).collect();
    let having: Vec<u32> = (0..popular.len()).map(|at| parts.iter().map(|part| part[at]).sum()).collect();
    let popularity = |(&value, persons): (&u32, u32)| {
        let [before, after] = [0, 1].map(|list| u64::from(counts[list][value as usize]));
        Popularity { text: text(value), before, after, persons }
    };
    let values: Vec<Popularity<'_>> = popular.iter().zip(having).map(popularity).collect();
    compare(&values, total_before, total_after, context)
}

/// The count that a value must have to be among the most popular, at least 1.
fn least_of_top(counts: &[u32]) -> u32 {
    let mut top = [0u32; TOP];
    for &count in counts {
        if count > top[TOP - 1] {
            let at = top.partition_point(|&other| other >= count);
            top[at..].rotate_right(1);
            top[at] = count;
        }
    }
    top[TOP - 1].max(1)
}

/// Persons counted at values, one person after the other.
pub(super) struct Counted {
    /// How many persons were counted at each value.
    pub(super) persons: Vec<u32>,
    /// The last person who was counted at each value.
    last: Vec<Option<usize>>,
}

impl Counted {
    pub(super) fn new(values: usize) -> Self {
        Self { persons: vec![0; values], last: vec![None; values] }
    }

    /// Counts a person at a value. Whether they were not counted there before.
    pub(super) fn count(&mut self, value: u32, person: usize) -> bool {
        let is_new = self.last[value as usize] != Some(person);
        self.last[value as usize] = Some(person);
        self.persons[value as usize] += u32::from(is_new);
        is_new
    }
}

/// Spearman's rank correlation with mean ranks for ties; `None` where one side does not vary.
fn rank_correlation(left: &[u64], right: &[u64]) -> Option<f64> {
    let (left, right) = (mean_ranks(left), mean_ranks(right));
    let mean = (left.len() as f64 + 1.0) / 2.0;
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - mean) * (b - mean)).sum::<f64>();
    let scale = (product(&left, &left) * product(&right, &right)).sqrt();
    (scale > 0.0).then(|| product(&left, &right) / scale)
}

fn mean_ranks(values: &[u64]) -> Vec<f64> {
    let rank = |value: u64| {
        let below = values.iter().filter(|&&other| other < value).count();
        let equal = values.iter().filter(|&&other| other == value).count();
        below as f64 + (equal as f64 + 1.0) / 2.0
    };
    values.iter().map(|&value| rank(value)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::CONTEXT;
    use super::*;

    #[test]
    fn correlation_by_hand() {
        assert_eq!(rank_correlation(&[1, 2, 3], &[10, 20, 30]), Some(1.0));
        assert_eq!(rank_correlation(&[1, 2, 3], &[30, 20, 10]), Some(-1.0));
        // Ranks 1, 2, 3 and 1, 3, 2: 1 - 6 * 2 / (3 * 8) = 0.5.
        assert_eq!(rank_correlation(&[1, 2, 3], &[1, 3, 2]), Some(0.5));
        assert_eq!(rank_correlation(&[1, 1], &[1, 2]), None);
        assert_eq!(mean_ranks(&[5, 1, 5]), [2.5, 1.0, 2.5]);
    }

    #[test]
    fn ties_do_not_depend_on_order() {
        let value = |text, before, after| Popularity { text, before, after, persons: 2 };
        let values: Vec<_> =
            ["l", "k", "j", "i", "h", "g", "f", "e", "d", "c", "b", "a"].map(|t| value(t, 1, 1)).into();
        let Tops { compared, kept, parts } = compare(&values, 12, 12, &CONTEXT);
        assert_eq!((compared, kept), (10, 10));
        assert_eq!(parts["top_before"][0]["value"], "a");
        assert_eq!(parts["top_before"][9]["value"], "j");
    }
}
