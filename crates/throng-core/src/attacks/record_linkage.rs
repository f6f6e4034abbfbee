//! Record linkage: somebody who knows all quasi cells of a person takes the nearest rows of the release for theirs.
//!
//! Paper      Pagliuca, Seri 1999 and Domingo-Ferrer, Torra 2001, distance-based record linkage; mixed columns are ours.
//!
//! # Idea
//! 1. The attacker knows the row of the target in the original, as far as its quasi columns go.
//! 2. A released row is as far from it as the sum over columns of: nothing if the published cell covers the value; else, for numbers,
//!    the squared distance from the interval or the mean by the squared range; for anything else 1.
//! 3. The nearest rows are the candidates; the guess is one of them.
//!
//! # Formula
//! hits = the sum over targets of 1 / c if a row of the target is among the nearest, which are those of c persons; baseline
//! 1 / persons; bound 1 / k. Whose rows are one person's the attacker need not know: the score does.
//!
//! # Cost
//! Time O(targets x classes x columns).
//!
//! # Does not
//! use what is sensitive, nor that every row is somebody's.

use std::sync::OnceLock;

use super::{Asked, Attack, AttackInfo, Attempt, Outcome, Scene, Truth};
use crate::data::Dataset as _;
use crate::data::table::{Cell, Classes, ColumnType, Table};
use crate::error::Result;
use crate::info::{Info, Need};
use crate::models::table_k_anonymity;

/// The card of the attack.
pub const INFO: AttackInfo = AttackInfo {
    info: Info {
        name: "record-linkage",
        summary: "somebody who knows all quasi cells of a person takes the nearest rows for theirs",
        paper: "Domingo-Ferrer, Torra. Disclosure control methods and information loss for microdata. 2001",
        details: "The attacker has the target's quasi cells, as a register has them, and takes the nearest rows of the release: a column \
            whose published cell covers the value counts nothing, a number outside counts its squared distance by the squared range, \
            anything else 1. hits adds up 1 / c for targets of whom a row is among the nearest, which are rows of c persons.\n\
            table-k-anonymity(k) promises at most 1 / k. Needs the link between rows (--key).",
        parameters: &[],
    },
    who: ["knows all quasi cells, and takes the nearest rows", "knows all quasi cells, and takes the nearest rows"],
    needs: &[Need::Link],
    in_reports: true,
    ..AttackInfo::DEFAULT
};

/// The attack.
#[derive(Debug, Clone, Copy)]
pub struct RecordLinkage;

/// What is known of a target, column by column: the text, its leaf where there is a hierarchy, its number.
type Known = Vec<(String, Option<u32>, f64)>;

/// What the attacker knows beside the targets: the columns, as a register has them.
struct Register {
    targets: Vec<(u32, Known)>,
    /// For each quasi column its name, and the column without rows.
    columns: Vec<crate::data::table::Column>,
    ranges: Vec<f64>,
}

/// The release as the attacker sees it: its classes, and what each says in every column.
struct Seen {
    classes: Classes,
    /// Where the rows of each record begin, and where the last one's end.
    starts: Vec<u32>,
    cells: Vec<Vec<Cell>>,
    texts: Vec<Vec<String>>,
}

impl Attack<Table> for RecordLinkage {
    fn info(&self) -> &'static AttackInfo {
        &INFO
    }

    fn attack(&self, scene: &Scene<'_, Table>, asked: &Asked) -> Result<Vec<Outcome>> {
        let knowing = scene.knowing(|source| {
            let table = source.original;
            let quasi = table.quasi()?;
            let known = |person: u32| {
                let row = table.range(person as usize).start;
                let cell = |&at: &usize| {
                    let column = &table.columns()[at];
                    let text = column.text(row);
                    let leaf = column.hierarchy.as_ref().and_then(|tree| tree.leaf(text));
                    (text.to_owned(), leaf, column.kind.number(text).unwrap_or(f64::NAN))
                };
                (person, quasi.iter().map(cell).collect())
            };
            let range = |&at: &usize| {
                let numbers = table.columns()[at].numbers();
                let some = numbers.iter().copied().filter(|number| !number.is_nan());
                let width = some.clone().fold(f64::NEG_INFINITY, f64::max) - some.fold(f64::INFINITY, f64::min);
                if width > 0.0 { width } else { 1.0 }
            };
            let bare = |&at: &usize| crate::data::table::Column { cells: Vec::new(), ..table.columns()[at].clone() };
            Ok(Register {
                targets: asked.targets_of(table.persons()).into_iter().map(known).collect(),
                columns: quasi.iter().map(bare).collect(),
                ranges: quasi.iter().map(range).collect(),
            })
        })?;
        let looking = knowing.looking(|released, register| {
            let table = released.data;
            let mut places = Vec::new();
            for column in &register.columns {
                places.push(table.find(&column.name)?);
            }
            let classes = Classes::of(table, &places);
            let text = |class: usize, at: usize| table.columns()[at].text(classes.rows(class)[0] as usize).to_owned();
            let texts: Vec<Vec<String>> =
                (0..classes.len()).map(|class| places.iter().map(|&at| text(class, at)).collect()).collect();
            let says = |texts: &Vec<String>| {
                texts.iter().zip(&register.columns).map(|(text, column)| Cell::of(text, column)).collect()
            };
            let cells = texts.iter().map(says).collect();
            let ends = (0..table.persons()).map(|record| table.range(record).end as u32);
            Ok(Seen { classes, starts: std::iter::once(0).chain(ends).collect(), cells, texts })
        })?;
        let all_persons = scene.persons()[0].max(1);
        let owners: OnceLock<Vec<u32>> = OnceLock::new();
        looking.all(
            |register| register.targets.len(),
            |seen, register, target, say| {
                let (_, known) = &register.targets[target];
                let mut best = (f64::INFINITY, Vec::new());
                for class in 0..seen.classes.len() {
                    // What differs in the last digits of a sum is as near.
                    let slack = if best.0.is_finite() { 1e-12 * best.0.max(1.0) } else { 0.0 };
                    let distance = distance(seen, register, class, known, best.0 + slack);
                    if distance < best.0 - slack {
                        best = (distance, vec![class]);
                    } else if distance <= best.0 + slack {
                        best.1.push(class);
                    }
                }
                say(best.1);
            },
            |truth, seen, register, target, nearest: Vec<usize>| {
                let person = register.targets[target].0;
                let owners = owners.get_or_init(|| seen.owners(truth));
                let rows = nearest.iter().flat_map(|&class| seen.classes.rows(class));
                let mut persons: Vec<u32> = rows.map(|&row| owners[row as usize]).collect();
                persons.sort_unstable();
                persons.dedup();
                let own = persons.binary_search(&person).is_ok();
                Attempt { hit: if own { 1.0 / persons.len() as f64 } else { 0.0 }, found: f64::from(u8::from(own)) }
            },
            |_, _, attempts| {
                let persons: Vec<Attempt> = attempts.iter().map(|draws| Attempt::mean(draws.iter().copied())).collect();
                let bound = asked.one_in_k(table_k_anonymity::INFO.name);
                vec![Outcome::of(&INFO, &persons).with_baseline(Some(1.0 / all_persons as f64)).with_bound(bound)]
            },
        )
    }
}

impl Seen {
    /// For each row whose it is. Rows of nobody who is known are of somebody each.
    fn owners(&self, truth: Truth<'_, Table>) -> Vec<u32> {
        let persons = truth.original.persons() as u32;
        let mut owners: Vec<u32> = (0..self.classes.of.len() as u32).map(|row| persons + row).collect();
        for person in 0..persons {
            for record in truth.records_of(person) {
                let Some(&[start, end]) = self.starts.get(record as usize..record as usize + 2) else { continue };
                owners[start as usize..end as usize].fill(person);
            }
        }
        owners
    }
}

/// How far a class is from what is known; no more than `most` is worked out.
fn distance(seen: &Seen, register: &Register, class: usize, known: &Known, most: f64) -> f64 {
    let mut sum = 0.0;
    for (at, (text, leaf, number)) in known.iter().enumerate() {
        let column = &register.columns[at];
        let cell = seen.cells[class][at];
        if seen.texts[class][at] == *text || cell.covers(column.hierarchy.as_deref(), *leaf, *number) {
            continue;
        }
        sum += match cell {
            Cell::Interval(low, high) if column.kind != ColumnType::Text => {
                let outside = (low - number).max(number - high).max(0.0);
                (outside / register.ranges[at]).powi(2)
            }
            _ => 1.0,
        };
        if sum > most {
            return sum;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::super::testing::asked;
    use super::*;
    use crate::data::table::testing::{generalised, twelve};
    use crate::data::table::{Column, ColumnRole};
    use crate::progress::Silent;

    /// Three persons with two rows each, one class of all rows but the last one's second: whoever looks somebody up by their first
    /// row is left with three persons, be it in the file of persons or in a release in which nothing links rows.
    #[test]
    fn persons_are_counted_and_not_rows() {
        let cells = ["30", "30", "30", "30", "30", "40"];
        let column = || vec![Column::new("age", ColumnRole::Quasi, cells.into_iter())];
        let (original, _) = Table::of_persons(column(), ["a", "a", "b", "b", "c", "c"].into_iter());
        let outcome = attack(&original, &original);
        assert!((outcome.hits - 1.0).abs() < 1e-9, "{outcome:?}");
        let release = Table::of_rows(column());
        let link = [Some(0), Some(2), Some(4)];
        let scene = Scene::new(&original, &release, &[1; 6], Some(&link), &Silent);
        let scene = scene.with_further(&[(0, 1), (1, 3), (2, 5)]);
        let outcome = RecordLinkage.attack(&scene, &asked()).unwrap().remove(0);
        assert!((outcome.hits - 1.0).abs() < 1e-9 && outcome.found == Some(1.0), "{outcome:?}");
    }

    fn attack(original: &Table, release: &Table) -> Outcome {
        let multiplicity = vec![1; release.persons()];
        let link: Vec<Option<u32>> = (0..original.persons() as u32).map(Some).collect();
        let scene = Scene::new(original, release, &multiplicity, Some(&link), &Silent);
        RecordLinkage.attack(&scene, &asked()).unwrap().remove(0)
    }

    #[test]
    fn classes_hide_their_members() {
        let original = twelve();
        // Classes of 2, 5, 2 and 3 rows, each covering its own: one hit a class.
        let outcome = attack(&original, &generalised(&original, &[("zip", 1)]));
        assert!((outcome.hits - 4.0).abs() < 1e-9 && outcome.found == Some(1.0), "{outcome:?}");
        // Unprotected: 8 different rows.
        let plain = attack(&original, &original);
        let different = Classes::of(&original, &[0, 1]).len() as f64;
        assert!((plain.hits - different).abs() < 1e-9);
    }
}
