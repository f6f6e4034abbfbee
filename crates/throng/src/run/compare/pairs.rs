//! Methods person by person: for how many one keeps less than another.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Kept, shared_by};

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

/// All pairs of different methods with the same k, by k and then in the order of the cells.
pub(super) fn of(cells: &[Kept]) -> Vec<MethodPair> {
    let mut pairs = Vec::new();
    for kept in cells {
        let others = cells.iter().filter(|other| other.cell.k == kept.cell.k && other.cell.method != kept.cell.method);
        pairs.extend(others.filter_map(|other| pair(kept, other)));
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
            cell: Cell { method: method.to_owned(), k, persons_dropped: 0, measures: Vec::new(), skipped: Vec::new() },
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
        let found: Vec<_> = of(&cells)
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
    fn nothing_to_compare_gives_nothing() {
        assert_eq!(of(&[kept("a", 2, &[Some(1.0); 6], &[Some(1.0); 6])]), []);
        let without = |method: &str| Kept { by_person: BTreeMap::new(), ..kept(method, 2, &[], &[]) };
        assert_eq!(of(&[without("a"), without("b")]), []);
    }
}
