//! Refinement of tables (downcoding): who generalised as little as possible gives away what was not so.
//!
//! Paper      Ours, after downcoding (Cohen. Attacks on Deidentification's Defenses. USENIX Security 2022): minimality is knowledge.
//!
//! # Idea
//! 1. A class of n rows publishes a label v of a hierarchy: each row has one of the L leaves under v. Had all been under one child of v,
//!    a minimal method would have published the child: those ways are out (as `refinement.rs` counts them for baskets).
//! 2. It publishes an interval `lo..hi`: a minimal method says by it that both ends occur. Of n values two are known.
//! 3. What is left over is what the attacker must guess among. One way left: all n values are known, up to who has which.
//!
//! # Formula
//! Labels: B = C(L + n - 1, n), A = B - the sum over children c of C(L_c + n - 1, n). Intervals of L values: B the same, A = C(L + n - 3, n
//! - 2); A = 1 for n = 2, and B / A = (L + n - 1) (L + n - 2) / (n (n - 1)). log2(B / A) bits are given away.
//!
//! # Readings
//! Ours: the values of an interval are those of the finest digits that the column publishes: whole numbers, days, or tenths. What is one
//! value, or `*` in a column without a hierarchy, is no position. Where the link is known, `parts.true` is the share of positions of which
//! the premise holds: 1 for a minimal method.
//!
//! # Cost
//! Time O(classes x columns), and for each different (n, L) as `refinement.rs`.
//!
//! # Does not
//! use how frequent values are, nor put columns together.

use serde_json::{Value, json};

use super::refinement::{INFO as OF_BASKETS, Ways};
use super::{Asked, Attack, AttackInfo, Outcome, Scene};
use crate::data::table::{Cell, Classes, Column, ColumnType, Hierarchy, Table};
use crate::error::Result;
use crate::info::Info;

/// The card of the attack.
pub const INFO: AttackInfo = AttackInfo {
    info: Info {
        summary: "somebody who knows that no cell was generalised more than it had to be counts what can still stand behind it",
        details: "For each class of n rows and each quasi column in which it publishes a label of a hierarchy: B ways to give the rows leaves \
            under the label; those under one child could not be, or the child would have been published; A are left. An interval says \
            that both its ends occur. A position with A = 1 is recovered whole: an interval of a class of two is.\n\
            attempts are positions, one for each class and column; hits those with A = 1; parts.bits the mean of log2(B / A), which is what \
            minimality gives away, parts.labels and parts.intervals the same for each sort; parts.true the share of positions of which the \
            premise holds (with --key): 1 for flock, mondrian and mdav, which publish the lowest label and the tightest interval; less for \
            full-domain, which generalises whole columns.\n\
            No bound: no model promises anything here. Needs hierarchies for labels, and neither the original nor a key.",
        ..OF_BASKETS.info
    },
    needs: &[],
    ..OF_BASKETS
};

/// The attack.
#[derive(Debug, Clone, Copy)]
pub struct Refinement;

/// What a class publishes in a column, where it is not one value.
struct Position {
    class: u32,
    column: String,
    cell: Cell,
    recovered: bool,
    bits: f64,
}

/// Positions, and the records of each class.
struct Seen {
    positions: Vec<Position>,
    classes: Classes,
}

impl Attack<Table> for Refinement {
    fn info(&self) -> &'static AttackInfo {
        &INFO
    }

    fn attack(&self, scene: &Scene<'_, Table>, _asked: &Asked) -> Result<Vec<Outcome>> {
        let looking = scene.knowing_nothing().looking(|released, ()| {
            let table = released.data;
            let quasi = table.quasi()?;
            let classes = Classes::of(table, &quasi);
            let mut ways = Ways::default();
            let mut positions = Vec::new();
            for &at in &quasi {
                let column = &table.columns()[at];
                let digits = digits(column);
                for class in 0..classes.len() {
                    let row = classes.rows(class)[0] as usize;
                    let cell = Cell::of(column.text(row), column);
                    let n = classes.size(class) as u64;
                    let Some((recovered, bits)) = given_away(cell, column, n, digits, &mut ways) else { continue };
                    positions.push(Position {
                        class: class as u32,
                        column: column.name.clone(),
                        cell,
                        recovered,
                        bits,
                    });
                }
            }
            Ok(Seen { positions, classes })
        })?;
        looking.once(
            |_, ()| Ok(()),
            |truth, seen, (), ()| {
                let holds = truth.link.map(|_| {
                    let mut owners = vec![None; seen.classes.of.len()];
                    for person in 0..crate::data::Dataset::persons(truth.original) as u32 {
                        for record in truth.records_of(person) {
                            if let Some(owner) = owners.get_mut(record as usize) {
                                *owner = Some(truth.original.range(person as usize).start);
                            }
                        }
                    }
                    let is_true = |position: &&Position| {
                        let rows = seen.classes.rows(position.class as usize).iter();
                        let own: Vec<usize> = rows.filter_map(|&row| owners[row as usize]).collect();
                        truth
                            .original
                            .find(&position.column)
                            .is_ok_and(|at| premise(position.cell, &truth.original.columns()[at], &own))
                    };
                    seen.positions.iter().filter(is_true).count() as f64 / seen.positions.len().max(1) as f64
                });
                let recovered = seen.positions.iter().filter(|position| position.recovered).count();
                let of = |is: fn(&Cell) -> bool| sort(seen.positions.iter().filter(|position| is(&position.cell)));
                let all = sort(seen.positions.iter());
                vec![
                    Outcome::new(&INFO, seen.positions.len() as u64, recovered as f64)
                        .with_knowledge(json!({"minimal": true}))
                        .with_parts(json!({
                            "bits": all["bits"],
                            "labels": of(|cell| matches!(cell, Cell::Node(..))),
                            "intervals": of(|cell| matches!(cell, Cell::Interval(..))),
                            "true": holds.filter(|_| !seen.positions.is_empty()),
                        })),
                ]
            },
        )
    }
}

/// Positions, those recovered, and the mean of bits.
fn sort<'a>(positions: impl Iterator<Item = &'a Position>) -> Value {
    let (mut count, mut recovered, mut bits) = (0u64, 0u64, 0.0);
    for position in positions {
        count += 1;
        recovered += u64::from(position.recovered);
        bits += position.bits;
    }
    json!({"positions": count, "recovered": recovered, "bits": (count > 0).then(|| bits / count as f64)})
}

/// Whether all is given away of what n rows publish in a column, and how many bits; nothing where it is one value.
fn given_away(cell: Cell, column: &Column, n: u64, digits: u32, ways: &mut Ways) -> Option<(bool, f64)> {
    match (cell, &column.hierarchy) {
        (Cell::Node(level, node), Some(hierarchy)) if hierarchy.leaves_under(level, node) > 1 => {
            let (level, children) = children(hierarchy, level, node);
            let under: Vec<u32> = children.into_iter().map(|child| hierarchy.leaves_under(level, child)).collect();
            Some(ways.not_under_one(n, under.iter().sum(), &under))
        }
        (Cell::Interval(low, high), _) if low < high => {
            let values = ((high - low) * 10f64.powi(digits as i32)).round() + 1.0;
            let n = n as f64;
            // Of one row alone nothing is known: it cannot have both ends.
            if n < 2.0 {
                return Some((false, 0.0));
            }
            let share = (values + n - 1.0) * (values + n - 2.0) / (n * (n - 1.0));
            Some((n == 2.0, share.log2()))
        }
        _ => None,
    }
}

/// The children of a label, and their level: of the lowest level on which it has several.
fn children(hierarchy: &Hierarchy, mut level: usize, node: u32) -> (usize, Vec<u32>) {
    let mut nodes = vec![node];
    while level > 0 && nodes.len() == 1 {
        level -= 1;
        let parents = hierarchy.parents(level);
        nodes = (0u32..).zip(&parents).filter(|(_, parent)| **parent == nodes[0]).map(|(child, _)| child).collect();
    }
    (level, nodes)
}

/// How many digits after the point the finest number of a column has.
fn digits(column: &Column) -> u32 {
    if matches!(column.kind, ColumnType::Date | ColumnType::Integer) {
        return 0;
    }
    let of = |text: &str| text.split_once('.').map_or(0, |(_, digits)| digits.trim_end_matches('0').len() as u32);
    let ends = column.values.iter().flat_map(|text| text.split("..").map(of).collect::<Vec<_>>());
    ends.max().unwrap_or(0).min(9)
}

/// Whether rows are as a minimal method's cell says: not all under one child, or both ends among them.
fn premise(cell: Cell, column: &Column, rows: &[usize]) -> bool {
    match (cell, &column.hierarchy) {
        (Cell::Node(level, node), Some(hierarchy)) => {
            let (level, _) = children(hierarchy, level, node);
            let leaves = rows.iter().filter_map(|&row| hierarchy.leaf(column.text(row)));
            let mut below: Vec<u32> = leaves.map(|leaf| hierarchy.node(level, leaf)).collect();
            below.sort_unstable();
            below.dedup();
            below.len() > 1
        }
        (Cell::Interval(low, high), _) => {
            let has = |end: f64| rows.iter().any(|&row| column.kind.number(column.text(row)) == Some(end));
            has(low) && has(high)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::asked;
    use super::*;
    use crate::data::table::testing::{generalised, table, twelve};
    use crate::methods::Method as _;
    use crate::methods::table::mondrian::{self, Mondrian};
    use crate::progress::Silent;
    use crate::rng::Rng;

    fn attack(original: &Table, release: &Table) -> Outcome {
        let multiplicity = vec![1; crate::data::Dataset::persons(release)];
        let link: Vec<Option<u32>> = (0..crate::data::Dataset::persons(original) as u32).map(Some).collect();
        let scene = Scene::new(original, release, &multiplicity, Some(&link), &Silent);
        Refinement.attack(&scene, &asked()).unwrap().remove(0)
    }

    /// All multisets of size n over so many values that have both ends, and all there are.
    fn literal(values: u32, n: u32) -> (u32, u32) {
        fn count(values: u32, n: u32, least: u32, has: (bool, bool), found: &mut (u32, u32)) {
            if n == 0 {
                found.1 += 1;
                found.0 += u32::from(has.0 && has.1);
                return;
            }
            for value in least..values {
                count(values, n - 1, value, (has.0 || value == 0, has.1 || value == values - 1), found);
            }
        }
        let mut found = (0, 0);
        count(values, n, 0, (false, false), &mut found);
        found
    }

    #[test]
    fn an_interval_says_that_both_ends_occur() {
        for (values, n) in [(2, 2), (5, 2), (5, 3), (4, 5), (9, 4)] {
            let (left, all) = literal(values, n);
            let column = Column::new("x", crate::data::table::ColumnRole::Quasi, ["1"].into_iter());
            let cell = Cell::Interval(0.0, f64::from(values - 1));
            let (recovered, bits) = given_away(cell, &column, u64::from(n), 0, &mut Ways::default()).unwrap();
            assert!((bits - (f64::from(all) / f64::from(left)).log2()).abs() < 1e-9, "{values} {n}");
            assert_eq!(recovered, left == 1);
        }
    }

    /// 410** of two rows (three leaves, each a child): 6 multisets less the 3 of one leaf; 482** of two: 3 less 2, one is left.
    #[test]
    fn labels_as_for_baskets() {
        let original = twelve();
        let outcome = attack(&original, &generalised(&original, &[("zip", 1)]));
        assert_eq!((outcome.attempts, outcome.parts["labels"]["positions"].as_u64()), (4, Some(4)));
        assert_eq!(outcome.hits, 1.0);
        // The first class is 41075 twice: a whole column was generalised, and the premise is false there.
        assert!(outcome.parts["true"].as_f64().unwrap() < 1.0, "{outcome:?}");
    }

    #[test]
    fn mondrian_is_minimal() {
        let rows: Vec<String> = (0..40).map(|row| format!("{} {}", row * 7 % 40, row * 3 % 11)).collect();
        let own = table("x:q y:q", &rows.iter().map(String::as_str).collect::<Vec<_>>());
        let params = mondrian::Params { k: 2, ..mondrian::Params::default() };
        let found = Mondrian::new(params).unwrap().protect(&own, &mut Rng::seeded(1), &Silent).unwrap();
        let outcome = attack(&own, &found.records);
        assert_eq!(outcome.parts["true"], json!(1.0));
        assert!(outcome.hits > 0.0 && outcome.parts["bits"].as_f64().unwrap() > 1.0);
    }
}
