//! Flock for tables: equal rows first, then classes join where that leaves least open, then rows move.
//!
//! Paper      Ours; bottom-up joins after Xu et al., KDD 2006 (local recoding), with exact penalties.
//! Promises   k-anonymity, and every model that is asked for. For k-anonymity alone no row is left out; for other models rows that
//!            cost more than they are worth, at most the share `suppress` of all.
//! Does not   try every join: candidates are neighbours in some orders of the rows.
//!
//! # Idea
//! 1. Rows that are equal in all quasi columns are one *block*, and a block is a class to begin with. What a class leaves open is its
//!    rows times the penalty of its hull: the lowest label above its values, or the interval that they lie in, column by column.
//! 2. In rounds, every class that does not yet satisfy what is asked looks for the class with which it grows least, by the smaller
//!    number of rows. The cheapest third of these joins is made, each class in one of them. With models beside k a join that would
//!    break a class that satisfies them is avoided, and a class whose join costs more than its rows leave open if they are
//!    missing is left out, as long as that is allowed.
//! 3. Candidates are the neighbours in several sorted orders of the classes: each begins with another column, two go from coarse to
//!    fine in all columns at once; when few classes are left that need one, all classes are candidates.
//! 4. Then, pass by pass: a block moves to the class in which it costs less, if its own still satisfies everything; a class all of
//!    whose blocks cost less elsewhere is dissolved; a class that can be cut as `mondrian` does is cut.
//! 5. Should `mondrian` leave less open, its classes are taken to step 4 instead: flock is never worse.
//! 6. With models beside k, classes that publish the same are judged as one, and joined on if that broke them.
//!
//! # Cost
//! Time O(rounds x classes x candidates x columns); memory O(rows x columns).

mod classes;
mod spans;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::mondrian::Cutting;
use super::{Demands, Quasi, Shown, publish};
use crate::data::Dataset as _;
use crate::data::table::Table;
use crate::error::{Error, Result};
use crate::info::{self, Info, Parameter, ParameterKind};
use crate::methods::{Method, shown_parameters};
use crate::models::on_classes::Demand;
use crate::progress::{Progress, Quiet};
use crate::release::Protected;
use crate::rng::Rng;
use classes::Flocking;
use spans::Blocks;

/// The card.
pub const INFO: Info = Info {
    name: "flock",
    summary: "equal rows first, then classes join where that leaves least open, then rows move",
    paper: "Ours. Local recoding: Xu, Wang, Pei, Wang, Shi, Fu. Utility-based anonymization using local recoding. KDD 2006",
    details: "Rows that are equal in all quasi columns are a class to begin with. Classes that do not satisfy what is asked join the one \
        with which they grow least in what they leave open, the cheapest joins first; then rows move to classes in which they cost \
        less, and classes whose rows all fit better elsewhere are dissolved. A class publishes the lowest label above its values, or \
        the interval `lo..hi` of its numbers. Columns of texts need a hierarchy; numbers may have one.\n\
        Claims table-k-anonymity(k), unless k is 1, and every `--model` that is asked for. For k-anonymity alone it leaves no row out; \
        for other models rows that can join nothing at a lower cost than their loss, at most the share `suppress`. `--effort` says \
        how many neighbours are looked at and how often rows are moved.",
    parameters: &[
        info::K,
        Parameter { default: "0.05", ..super::SUPPRESS },
        Parameter {
            name: "effort",
            summary: "how long it tries",
            kind: ParameterKind::Choice(&["fast", "normal", "high"]),
            default: "normal",
        },
    ],
};

/// How long it tries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effort {
    /// Few neighbours, one pass of moves.
    Fast,
    /// The usual.
    #[default]
    Normal,
    /// Many neighbours, many passes.
    High,
}

impl Effort {
    /// How many neighbours are looked at on each side in an order, fewer where there are very many, and how many passes of moves
    /// are made, at most.
    fn work(self, blocks: usize) -> (usize, usize) {
        let (neighbours, passes) = match self {
            Self::Fast => (6, 2),
            Self::Normal => (24, 6),
            Self::High => (48, 16),
        };
        ((neighbours * 100_000 / blocks.max(100_000)).max(4), passes)
    }
}

/// What the method can be told.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// How many persons a class has, at least.
    pub k: usize,
    /// The share of rows that may be left out.
    pub suppress: f64,
    /// How long it tries.
    pub effort: Effort,
}

impl Default for Params {
    fn default() -> Self {
        Self { k: 5, suppress: 0.05, effort: Effort::Normal }
    }
}

/// The method with checked parameters.
#[derive(Debug, Clone)]
pub struct Flock {
    params: Params,
    demands: Demands,
}

impl Flock {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        super::check_suppress(params.suppress)?;
        Ok(Self { demands: Demands::new(params.k)?, params })
    }
}

impl Method<Table> for Flock {
    fn protect(&self, original: &Table, _rng: &mut Rng, progress: &dyn Progress) -> Result<Protected<Table>> {
        let bound = self.demands.bind(original)?;
        // A twentieth of a hundred rows is five of them, also where that is no whole number of halves.
        let spare = (self.params.suppress * original.rows() as f64 + 1e-9).floor() as u32;
        let is_possible = bound.failing(original.rows()).is_none();
        if spare == 0 {
            bound.refuse_impossible(original.rows())?;
        }
        let quasi = Quasi::all(original)?;
        let blocks = Blocks::of(original, &quasi)?;
        let (neighbours, passes) = self.params.effort.work(blocks.len());
        let quiet = Quiet(progress);
        let cutting = Cutting { quasi: &quasi, bound: &bound, is_relaxed: false, progress: &quiet };
        let moved = |flocking: &mut Flocking<'_>| -> Result<()> {
            progress.stage("moving rows", passes as u64);
            for _ in 0..passes {
                let has_changed = flocking.move_blocks(progress) | flocking.cut(|rows| cutting.classes(rows));
                progress.go_on()?;
                progress.advance(1);
                if !has_changed {
                    break;
                }
            }
            Ok(())
        };
        let mut flocking = Flocking::new(&blocks, &bound, neighbours, spare);
        progress.stage("joining classes", 0);
        flocking.join_all(progress);
        progress.go_on()?;
        flocking.cut(|rows| cutting.classes(rows));
        moved(&mut flocking)?;
        if is_possible {
            // Cuts from above are another beginning; they are seldom the better one.
            let classes = cutting.classes((0..original.rows() as u32).collect());
            progress.go_on()?;
            let mut other = Flocking::of(&blocks, &bound, neighbours, 0, blocks.in_classes(&classes));
            if other.cost() < flocking.cost() {
                moved(&mut other)?;
                flocking = other;
            }
        }
        if bound.asks_more() {
            // Classes that publish the same are one class to whoever reads it.
            while flocking.merge_equal() {
                flocking.join_all(progress);
                progress.go_on()?;
            }
        }
        let stranded = flocking.stranded();
        let mut classes: Vec<Vec<u32>> =
            flocking.finish().iter().map(|own| blocks.rows_of(own)).filter(|class| !class.is_empty()).collect();
        if stranded > 0 || classes.is_empty() {
            let kept: usize = classes.iter().map(Vec::len).sum();
            let share = ((original.rows() - kept) as f64 / original.rows() as f64 * 1e4).ceil() / 1e4;
            bound.refuse_impossible(original.rows())?;
            return Err(Error::refused(format!("{stranded} rows are in no class that satisfies the models"))
                .with_hint(format!("`--suppress {share}` leaves them out; or ask for less")));
        }
        classes.iter_mut().for_each(|class| class.sort_unstable());
        classes.sort_unstable_by_key(|class| class[0]);
        let shown: Vec<Vec<Shown>> =
            classes.par_iter().map(|class| quasi.iter().map(|quasi| quasi.shown(class)).collect()).collect();
        Ok(publish(original, &quasi, &classes, |class, at| shown[class][at].clone(), &self.demands))
    }

    fn parameters(&self) -> serde_json::Map<String, serde_json::Value> {
        shown_parameters(&self.params)
    }

    fn demand(&mut self, demands: Vec<Demand>) -> Result<()> {
        self.demands.add(demands);
        self.demands.refuse_every_class(INFO.name)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::data::table::testing::{table, twelve, with_hierarchies};
    use crate::data::table::{Column, ColumnRole, Hierarchy, cell};
    use crate::models::Model as _;
    use crate::models::l_diversity::{self, LDiversity};
    use crate::models::on_classes::Asks;
    use crate::models::table_k_anonymity::{self, TableKAnonymity};
    use crate::progress::Silent;
    use crate::release::Claim;

    fn protect(method: &dyn Method<Table>, table: &Table) -> Protected<Table> {
        method.protect(table, &mut crate::rng::Rng::seeded(1), &Silent).unwrap()
    }

    fn penalty(table: &Table, release: &Table) -> f64 {
        let quasi = Quasi::all(table).unwrap();
        let of = |quasi: &Quasi<'_>| {
            let at = release.find(&quasi.column.name).unwrap();
            let hierarchy = quasi.column.hierarchy.as_deref();
            let one = |row: usize| {
                cell::Cell::of(release.columns()[at].text(row), quasi.column).penalty(hierarchy, quasi.range)
            };
            (0..release.rows()).map(one).sum::<f64>()
        };
        quasi.iter().map(of).sum::<f64>() / (release.rows() * quasi.len()) as f64
    }

    /// 1 2 3 | 10 11 12: no other classes of three leave less open.
    #[test]
    fn neighbours_come_together() {
        let table = table("x:q", &["1", "10", "2", "11", "3", "12"]);
        let found = protect(&Flock::new(Params { k: 3, ..Params::default() }).unwrap(), &table).records;
        let cells: Vec<&str> = (0..6).map(|row| found.columns()[0].text(row)).collect();
        assert_eq!(cells, ["1..3", "10..12", "1..3", "10..12", "1..3", "10..12"]);
    }

    fn people(persons: usize, seed: u64) -> Table {
        let params = crate::synth::table::Params { persons, shape: "census".into(), seed };
        let made = crate::synth::table::table(&params).unwrap();
        let mut columns = made.table.columns().to_vec();
        for column in &mut columns {
            let lines = made.hierarchies.iter().find(|(name, _)| *name == column.name);
            column.hierarchy = lines.map(|(_, lines)| Hierarchy::new(lines).unwrap().into());
            if ["age", "sex", "zip", "education", "country", "marital_status"].contains(&column.name.as_str()) {
                column.role = ColumnRole::Quasi;
            }
        }
        made.table.with_columns(columns)
    }

    #[test]
    fn it_never_leaves_more_open_than_mondrian() {
        for (persons, seed) in [(60, 1), (200, 2), (600, 3), (600, 4), (1500, 5)] {
            let table = people(persons, seed);
            for k in [2, 5, 10, 25] {
                let flock = protect(&Flock::new(Params { k, ..Params::default() }).unwrap(), &table).records;
                let params = super::super::mondrian::Params { k, relaxed: false };
                let mondrian = protect(&super::super::mondrian::Mondrian::new(params).unwrap(), &table).records;
                let model = TableKAnonymity::new(table_k_anonymity::Params { k, linked: false }).unwrap();
                assert!(model.check(&flock).unwrap().holds);
                assert_eq!(flock.rows(), persons);
                let (flock, mondrian) = (penalty(&table, &flock), penalty(&table, &mondrian));
                assert!(flock <= mondrian + 1e-9, "{persons} {k}: {flock} {mondrian}");
            }
        }
    }

    /// The first sixteen rows say `a` alone, the others `a` and `b` by turns: all rows together do not hold confidence 0.5, and
    /// without the first they do.
    #[test]
    fn what_cannot_be_held_is_left_out_and_counted() {
        let says = |row: usize| if row < 16 || row.is_multiple_of(2) { "a" } else { "b" };
        let lines: Vec<String> = (0..40).map(|row| format!("{row} {}", says(row))).collect();
        let table = table("x:q s:s", &lines.iter().map(String::as_str).collect::<Vec<_>>());
        let model = crate::models::confidence::Confidence::new(crate::models::confidence::Params {
            h: 0.5,
            ..Default::default()
        })
        .unwrap();
        let claim = Claim::new(&crate::models::confidence::INFO, []);
        let ask = |suppress: f64| {
            let mut method = Flock::new(Params { k: 4, suppress, ..Params::default() }).unwrap();
            let asks = Asks::OfRows(std::sync::Arc::new(model.clone()));
            method.demand(vec![Demand { claim: claim.clone(), asks }]).unwrap();
            method.protect(&table, &mut crate::rng::Rng::seeded(1), &Silent)
        };
        assert!(ask(0.0).unwrap_err().describe(false).contains("`confidence` fails even if"));
        let found = ask(0.5).unwrap();
        assert!(model.check(&found.records).unwrap().holds);
        assert!(found.records.rows() >= 20 && found.records.rows() < 40);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        /// Whatever the rows, models hold, cells cover what they stand for, and no row is lost.
        #[test]
        fn models_hold_and_cells_cover(rows in prop::collection::vec((0usize..6, 0i32..9, 0usize..3), 4..40), k in 1usize..4) {
            let column = |name: &str, role, texts: Vec<String>| Column::new(name, role, texts.iter().map(String::as_str));
            let table = Table::of_rows(vec![
                column("a", ColumnRole::Quasi, rows.iter().map(|row| format!("a{}", row.0)).collect()),
                column("n", ColumnRole::Quasi, rows.iter().map(|row| row.1.to_string()).collect()),
                column("s", ColumnRole::Sensitive, rows.iter().map(|row| format!("s{}", row.2)).collect()),
            ]);
            let tree: String = (0..6).map(|leaf| format!("a{leaf};x{};*\n", leaf / 2)).collect();
            let table = with_hierarchies(table, &[("a", &tree)]);
            let model = LDiversity::new(l_diversity::Params::default()).unwrap();
            let mut method = Flock::new(Params { k, suppress: 0.0, ..Params::default() }).unwrap();
            method.demand(vec![Demand { claim: Claim::new(&l_diversity::INFO, []), asks: Asks::OfRows(std::sync::Arc::new(model.clone())) }]).unwrap();
            let Ok(found) = method.protect(&table, &mut crate::rng::Rng::seeded(1), &Silent) else {
                // One value in the whole table.
                prop_assert!(rows.iter().all(|row| row.2 == rows[0].2));
                return Ok(());
            };
            prop_assert_eq!(found.records.rows(), table.rows());
            prop_assert!(model.check(&found.records).unwrap().holds);
            let crowds = TableKAnonymity::new(table_k_anonymity::Params { k: k.max(2), linked: false }).unwrap();
            let is_crowded = k < 2 || crowds.check(&found.records).unwrap().holds;
            prop_assert!(is_crowded);
            for at in 0..2 {
                let own = &table.columns()[at];
                let hierarchy = own.hierarchy.as_deref();
                for row in 0..table.rows() {
                    let says = cell::Cell::of(found.records.columns()[at].text(row), own);
                    let leaf = hierarchy.and_then(|tree| tree.leaf(own.text(row)));
                    prop_assert!(says.covers(hierarchy, leaf, cell::number(own.text(row)).unwrap_or(f64::NAN)));
                }
            }
        }
    }

    #[test]
    fn the_twelve_rows_hold() {
        let found =
            protect(&Flock::new(Params { k: 3, effort: Effort::High, ..Params::default() }).unwrap(), &twelve());
        assert!(
            TableKAnonymity::new(table_k_anonymity::Params { k: 3, linked: false })
                .unwrap()
                .check(&found.records)
                .unwrap()
                .holds
        );
    }
}
