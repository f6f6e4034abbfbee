//! Methods person by person: for how many one keeps less than another.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Kept, NO_K, shared_by};

/// For how many persons a method keeps less than another, with the same k.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MethodPair {
    /// k.
    pub k: usize,
    /// The method as typed.
    pub method: String,
    /// The other one.
    pub other: String,
    /// For concepts and for words the share of persons of whose own the method keeps less than the other one; `None` if they are
    /// fewer than k, or fewer than five.
    pub keeps_less: BTreeMap<String, Option<f64>>,
    /// For concepts and for words how many persons have some.
    pub persons: BTreeMap<String, u64>,
}

/// All pairs of different methods with the same k and this seed, by k and then in the order of the cells. Cells of a finished
/// comparison have their pairs in it.
pub(super) fn of(cells: &[Kept], mut finished: Vec<MethodPair>, seed: u64) -> Vec<MethodPair> {
    let mut pairs = Vec::new();
    // Methods without a k have nobody to be compared with at the same k.
    for kept in cells.iter().filter(|kept| kept.cell.seed == seed && kept.cell.k != NO_K) {
        let is_other = |other: &&Kept| {
            (other.cell.k, other.cell.seed) == (kept.cell.k, seed) && other.cell.method != kept.cell.method
        };
        for other in cells.iter().filter(is_other) {
            let is_same = |pair: &MethodPair| {
                pair.k == kept.cell.k && pair.method == kept.cell.method && pair.other == other.cell.method
            };
            let known = finished.iter().position(is_same).map(|at| finished.swap_remove(at));
            pairs.extend(known.or_else(|| pair(kept, other)));
        }
    }
    pairs.sort_by_key(|pair| pair.k);
    pairs
}

/// A method beside another one; `None` if it was not measured what persons keep.
fn pair(kept: &Kept, other: &Kept) -> Option<MethodPair> {
    let k = kept.cell.k;
    let (mut keeps_less, mut persons) = (BTreeMap::new(), BTreeMap::new());
    for (part, values) in &kept.by_person {
        let both: Vec<(f64, f64)> =
            values.iter().zip(other.by_person.get(part)?).filter_map(|(own, other)| (*own).zip(*other)).collect();
        let less = both.iter().filter(|(own, other)| own < other).count();
        let share = (both.len() >= shared_by(k)).then(|| less as f64 / both.len() as f64);
        keeps_less.insert(part.clone(), share);
        persons.insert(part.clone(), both.len() as u64);
    }
    let [method, other] = [kept, other].map(|kept| kept.cell.method.clone());
    (!persons.is_empty()).then_some(MethodPair { k, method, other, keeps_less, persons })
}

#[cfg(test)]
mod tests {
    use super::super::Cell;
    use super::*;

    fn kept(method: &str, k: usize, concepts: &[Option<f64>], words: &[Option<f64>]) -> Kept {
        let by_person = [("concepts", concepts), ("words", words)];
        Kept {
            cell: Cell {
                method: method.to_owned(),
                k,
                seed: 7,
                claims: Vec::new(),
                persons_dropped: 0,
                seconds: None,
                measures: Vec::new(),
                attacks: Vec::new(),
                skipped: Vec::new(),
            },
            by_person: by_person.map(|(name, values)| (name.to_owned(), values.to_vec())).into(),
        }
    }

    #[test]
    fn by_hand() {
        let cells = [
            // One has no concept, and one was dropped and keeps nothing.
            kept("a", 2, &[Some(0.5), Some(0.5), Some(0.1), None, Some(0.0), Some(0.2)], &[Some(0.5); 6]),
            kept("a", 6, &[Some(0.5); 6], &[Some(0.5); 6]),
            kept("b", 2, &[Some(0.5), Some(0.6), Some(0.0), None, Some(0.3), Some(0.2)], &[Some(0.4); 6]),
            kept("b", 6, &[Some(0.6), Some(0.6), Some(0.6), None, Some(0.6), Some(0.6)], &[Some(0.5); 6]),
        ];
        let found: Vec<_> = of(&cells, Vec::new(), 7)
            .iter()
            .map(|pair| {
                let numbers = (pair.keeps_less["concepts"], pair.keeps_less["words"], pair.persons["concepts"]);
                (pair.k, pair.method.clone() + &pair.other, numbers)
            })
            .collect();
        let expected = [
            (2, "ab", (Some(2.0 / 5.0), Some(0.0), 5)),
            (2, "ba", (Some(1.0 / 5.0), Some(1.0), 5)),
            // Five persons are fewer than six.
            (6, "ab", (None, Some(0.0), 5)),
            (6, "ba", (None, Some(0.0), 5)),
        ];
        assert_eq!(found, expected.map(|(k, names, numbers)| (k, names.to_owned(), numbers)));
    }

    #[test]
    fn finished_pairs_stay_and_other_seeds_have_none() {
        // What single persons keep is gone from a finished comparison.
        let gone = |method: &str| Kept { by_person: BTreeMap::new(), ..kept(method, 2, &[], &[]) };
        let made = of(&[kept("a", 2, &[Some(0.5); 6], &[]), kept("b", 2, &[Some(0.4); 6], &[])], Vec::new(), 7);
        assert_eq!(made.len(), 2);
        assert_eq!(of(&[gone("a"), gone("b")], made.clone(), 7), made);
        assert_eq!(of(&[kept("a", 2, &[Some(0.5); 6], &[]), kept("b", 2, &[Some(0.4); 6], &[])], Vec::new(), 8), []);
    }

    #[test]
    fn nothing_to_compare_gives_nothing() {
        assert_eq!(of(&[kept("a", 2, &[Some(1.0); 6], &[Some(1.0); 6])], Vec::new(), 7), []);
        let without = |method: &str| Kept { by_person: BTreeMap::new(), ..kept(method, 2, &[], &[]) };
        assert_eq!(of(&[without("a"), without("b")], Vec::new(), 7), []);
    }
}
