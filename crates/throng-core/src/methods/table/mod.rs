//! Methods for tables, and what they have in common: what every class must satisfy, and how classes are published.
//!
//! A method makes classes of rows, says what each publishes in its quasi columns, and leaves rows out that are in none. Sensitive
//! and plain columns are published as they are; identifiers are not.

pub mod flock;
pub mod full_domain;
pub mod guessing_noise;
pub mod linked;
pub mod mdav;
pub mod mondrian;
pub mod murmuration;
mod noise;
mod population;
pub mod probabilistic_noise;
pub mod quality;

use std::sync::Arc;

use serde_json::json;

use crate::accounts::ROWS_SUPPRESSED;
use crate::data::table::cell::{self, shortest};
use crate::data::table::{Column, ColumnRole, ColumnType, Hierarchy, STAR, Table, classes};
use crate::data::{Dataset as _, Interner};
use crate::error::{Error, Result};
use crate::info::{Parameter, ParameterKind};
use crate::models::on_classes::{Asks, ClassCondition, Demand, SensitiveValues, columns_of, condition};
use crate::models::population::PopulationModel;
use crate::models::table_k_anonymity;
use crate::release::{Claim, Protected};

pub(crate) use mdav::mean_and_deviation;
use population::Covering;

/// The parameter that says how many rows may be left out.
pub(crate) const SUPPRESS: Parameter = Parameter {
    name: "suppress",
    summary: "the share of rows that may be left out, at most",
    kind: ParameterKind::Weight,
    default: "0",
};

/// Refuses what is no share of rows.
pub(crate) fn check_suppress(share: f64) -> Result<()> {
    if (0.0..=1.0).contains(&share) {
        return Ok(());
    }
    Err(Error::parameter("suppress", format!("is {share}, but must be a share from 0 to 1")))
}

/// What every class of a release must satisfy.
#[derive(Debug, Clone, Default)]
pub(crate) struct Demands {
    k: usize,
    models: Vec<Demand>,
}

impl Demands {
    pub(crate) fn new(k: usize) -> Result<Self> {
        if k < 1 {
            return Err(Error::parameter("k", "is 0, but must be at least 1"));
        }
        Ok(Self { k, models: Vec::new() })
    }

    pub(crate) fn add(&mut self, models: Vec<Demand>) {
        self.models.extend(models);
    }

    /// The demands on the classes of a table; an error where they cannot be met, or ask for nothing.
    pub(crate) fn bind<'a>(&self, table: &'a Table) -> Result<Bound<'a>> {
        if self.k == 1 && self.models.is_empty() {
            return Err(Error::parameter("k", "is 1, but must be at least 2").with_hint(
                "one person alone is no crowd; `--k 1` asks for no k-anonymity, and needs a `--model` that asks for something else",
            ));
        }
        if self.k > table.persons() {
            return Err(Error::parameter(
                "k",
                format!("is {}, but there are only {} persons", self.k, table.persons()),
            )
            .with_hint("nobody can hide among more persons than there are: choose a smaller k"));
        }
        let (mut conditions, mut of_population) = (Vec::new(), Vec::new());
        for demand in &self.models {
            match &demand.asks {
                Asks::OfPopulation(model) => of_population.push(Arc::clone(model)),
                Asks::OfRows(model) => {
                    model.refuse(table)?;
                    for at in columns_of(table, model.column(), model.name())? {
                        let condition = condition(model.as_ref(), &SensitiveValues::of(table, at, table)?)?;
                        conditions.push(Condition { name: model.name(), cells: &table.columns()[at].cells, condition });
                    }
                }
            }
        }
        let covering = if of_population.is_empty() { None } else { Some(Covering::of(table, &Quasi::all(table)?)?) };
        let person_of = table.has_several_rows().then(|| table.person_of_rows());
        Ok(Bound { k: self.k, person_of, conditions, of_population, covering })
    }

    /// Refuses models of the population, for a method whose cells cover no rows.
    pub(crate) fn refuse_population(&self, method: &str) -> Result<()> {
        let is_of_population = |demand: &&Demand| matches!(demand.asks, Asks::OfPopulation(_));
        match self.models.iter().find(is_of_population) {
            None => Ok(()),
            Some(demand) => Err(Error::refused(format!(
                "the method `{method}` cannot hold the model `{}`: a mean covers no rows of a population",
                demand.claim.model
            ))
            .with_hint("choose `--method flock`, `mondrian` or `full-domain`")),
        }
    }

    /// Refuses models that let no class of the population be lacking, for a method whose classes are not made of whole columns.
    pub(crate) fn refuse_every_class(&self, method: &str) -> Result<()> {
        let is_so = |demand: &&Demand| matches!(&demand.asks, Asks::OfPopulation(model) if model.needs_every_class());
        match self.models.iter().find(is_so) {
            None => Ok(()),
            Some(demand) => Err(Error::refused(format!(
                "the method `{method}` cannot hold the model `{}` with strict=true: which classes a release lacks is known only \
                 when it is whole",
                demand.claim.model
            ))
            .with_hint("choose `--method full-domain`, or leave out strict=true")),
        }
    }

    /// What is claimed of a release, of which some rows were left out or not.
    pub(crate) fn claims(&self, suppressed: usize) -> Vec<Claim> {
        let crowd = (self.k > 1).then(|| Claim::new(&table_k_anonymity::INFO, [("k", json!(self.k))]));
        let of_model = |demand: &Demand| {
            let mut claim = demand.claim.clone();
            // Shares are those of all rows: who has not all of them cannot know them.
            let has_reference = matches!(&demand.asks, Asks::OfRows(model) if model.has_reference());
            if suppressed > 0 && has_reference {
                claim.parameters.insert("reference".to_owned(), json!("original"));
            }
            claim
        };
        crowd.into_iter().chain(self.models.iter().map(of_model)).collect()
    }
}

/// Demands on the classes of one table.
pub(crate) struct Bound<'a> {
    pub(crate) k: usize,
    /// For each row its person, where a person has several.
    person_of: Option<Vec<u32>>,
    pub(crate) conditions: Vec<Condition<'a>>,
    pub(crate) of_population: Vec<Arc<dyn PopulationModel>>,
    /// The population, if somebody asks of it.
    covering: Option<Covering>,
}

/// What a model asks of the classes by one sensitive column.
pub(crate) struct Condition<'a> {
    pub(crate) name: &'static str,
    pub(crate) cells: &'a [u32],
    pub(crate) condition: Box<dyn ClassCondition>,
}

impl Condition<'_> {
    /// Whether a class of these rows satisfies it.
    fn holds(&self, rows: &[u32], scratch: &mut Vec<u32>) -> bool {
        let counts = classes::counts(rows.iter().map(|&row| self.cells[row as usize]), scratch);
        self.condition.holds(self.condition.reach(&counts, rows.len() as u32))
    }
}

impl Bound<'_> {
    /// How many persons some rows have, in rising order or not.
    pub(crate) fn persons(&self, rows: &[u32], scratch: &mut Vec<u32>) -> usize {
        match &self.person_of {
            None => rows.len(),
            Some(of) => classes::counts(rows.iter().map(|&row| of[row as usize]), scratch).len(),
        }
    }

    /// Whether persons are counted, and not rows.
    pub(crate) fn counts_persons(&self) -> bool {
        self.person_of.is_some()
    }

    /// Whether a class of these rows satisfies everything, if it publishes the lowest label above its values, and intervals.
    pub(crate) fn holds(&self, rows: &[u32], scratch: &mut Vec<u32>) -> bool {
        self.holds_by_rows(rows, scratch)
            && self.covering.as_ref().is_none_or(|covering| self.may_cover(rows.len() as u64, covering.covered(rows)))
    }

    /// Whether a class of these rows satisfies everything that is not about the population.
    pub(crate) fn holds_by_rows(&self, rows: &[u32], scratch: &mut Vec<u32>) -> bool {
        rows.len() >= self.k
            && self.persons(rows, scratch) >= self.k
            && self.conditions.iter().all(|condition| condition.holds(rows, scratch))
    }

    /// Whether a class of so many rows may cover so many of the population.
    pub(crate) fn may_cover(&self, rows: u64, covered: u64) -> bool {
        self.of_population.iter().all(|model| model.holds(rows, covered))
    }

    /// Whether no class of the population may be lacking.
    pub(crate) fn needs_every_class(&self) -> bool {
        self.of_population.iter().any(|model| model.needs_every_class())
    }

    /// Whether something is asked beside enough rows.
    pub(crate) fn asks_more(&self) -> bool {
        !self.conditions.is_empty() || !self.of_population.is_empty()
    }

    /// The model that all rows as one class do not satisfy.
    pub(crate) fn failing(&self, rows: usize) -> Option<&'static str> {
        let all: Vec<u32> = (0..rows as u32).collect();
        let failing = self.conditions.iter().find(|condition| !condition.holds(&all, &mut Vec::new()));
        failing.map(|condition| condition.name).or_else(|| {
            let covered = self.covering.as_ref()?.covered(&all);
            let failing = self.of_population.iter().find(|model| !model.holds(rows as u64, covered));
            failing.map(|model| model.name())
        })
    }

    /// The error for a table that does not satisfy everything as one class: nothing coarser can be made of it.
    pub(crate) fn refuse_impossible(&self, rows: usize) -> Result<()> {
        match self.failing(rows) {
            None => Ok(()),
            Some(model) => Err(Error::refused(format!(
                "the model `{model}` fails even if all rows look the same: no release of all rows satisfies it"
            ))
            .with_hint("ask for less: a class cannot be more diverse than the whole table")),
        }
    }
}

/// What a class publishes in a column.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Shown {
    /// A label of the hierarchy.
    Label(usize, u32),
    /// From one value to another, by their numbers in the column.
    Span(u32, u32),
    /// A number.
    Mean(f64),
}

/// A quasi column as methods work on it: leaves of a hierarchy, or numbers.
pub(crate) struct Quasi<'a> {
    pub(crate) column: &'a Column,
    /// The hierarchy, and for each value its leaf.
    pub(crate) tree: Option<(Arc<Hierarchy>, Vec<u32>)>,
    /// For each value its number, where there is no hierarchy.
    pub(crate) numbers: Vec<f64>,
    /// The least and the greatest number.
    pub(crate) range: (f64, f64),
}

/// Refuses to average codes: there is no mean of postcodes.
fn refuse_codes(table: &Table, is_averaged: impl Fn(&Column) -> bool) -> Result<()> {
    let quasi = table.of_role(ColumnRole::Quasi).into_iter().map(|at| &table.columns()[at]);
    match quasi.filter(|column| column.has_codes()).find(|column| is_averaged(column)) {
        None => Ok(()),
        Some(column) => Err(Error::refused("the numbers of a quasi column begin with zeros: they are codes, which have no mean")
            .in_column(&column.name)
            .with_hint(
                "choose `--method flock`, which publishes intervals of codes, or give the column a hierarchy: `throng taxonomy generate \
                 --mask N`",
            )),
    }
}

impl<'a> Quasi<'a> {
    /// The quasi columns of a table: each has a hierarchy, or numbers.
    pub(crate) fn all(table: &'a Table) -> Result<Vec<Self>> {
        table.quasi()?.into_iter().map(|at| Self::of(&table.columns()[at])).collect()
    }

    fn of(column: &'a Column) -> Result<Self> {
        if let Some(hierarchy) = column.generalised_by() {
            let leaves = column.leaves(hierarchy)?;
            return Ok(Self {
                column,
                tree: Some((Arc::clone(hierarchy), leaves)),
                numbers: Vec::new(),
                range: (0.0, 0.0),
            });
        }
        if !column.kind.is_numeric() {
            return Err(Error::refused("a quasi column of texts has no hierarchy, so its values cannot be generalised")
                .in_column(&column.name)
                .with_hint(format!(
                    "give one: `--hierarchy {0}=FILE`; make one: `throng taxonomy generate`; or `--hierarchy {0}=flat` publishes a \
                     value or `*`",
                    column.name
                )));
        }
        Self::of_numbers(column)
    }

    /// The quasi columns of a table, those without a hierarchy as numbers to be averaged.
    pub(crate) fn all_averaged(table: &'a Table) -> Result<Vec<Self>> {
        refuse_codes(table, |column| column.generalised_by().is_none())?;
        Self::all(table)
    }

    /// The quasi columns of a table as numbers, whatever lies above them.
    pub(crate) fn all_numbers(table: &'a Table) -> Result<Vec<Self>> {
        let number = |at: usize| {
            let column = &table.columns()[at];
            if !column.kind.is_numeric() {
                return Err(Error::refused("a quasi column has texts, which cannot be averaged")
                    .in_column(&column.name)
                    .with_hint(
                        "choose `--method mdav`, which also takes labels of a hierarchy, or `--method mondrian`",
                    ));
            }
            Self::of_numbers(column)
        };
        refuse_codes(table, |_| true)?;
        table.quasi()?.into_iter().map(number).collect()
    }

    fn of_numbers(column: &'a Column) -> Result<Self> {
        let numbers = column.numbers();
        if let Some(value) = numbers.iter().position(|number| number.is_nan()) {
            let row = column.cells.iter().position(|&cell| cell as usize == value).map_or(0, |row| row + 1);
            return Err(Error::data(format!("a number is missing, first in row {row}")).in_column(&column.name).with_hint(
                "a missing number cannot be averaged or put into an interval: give the column a hierarchy (`throng taxonomy generate`), or take such \
                 rows out of the file; rows are counted without the header",
            ));
        }
        let low = numbers.iter().copied().fold(f64::INFINITY, f64::min);
        let high = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let range = column.settings.whole.map_or((low, high), |whole| (whole.low, whole.high));
        Ok(Self { column, tree: None, numbers, range })
    }

    /// What a class of these rows publishes: the lowest label above all of its values, or the interval that they lie in.
    pub(crate) fn shown(&self, rows: &[u32]) -> Shown {
        let cells = || rows.iter().map(|&row| self.column.cells[row as usize]);
        match &self.tree {
            Some((hierarchy, leaves)) => {
                let level = hierarchy.common_level(cells().map(|cell| leaves[cell as usize]));
                let first = cells().next().map_or(0, |cell| leaves[cell as usize]);
                Shown::Label(level, hierarchy.node(level, first))
            }
            None => {
                let key = |cell: &u32| self.numbers[*cell as usize];
                let least = cells().min_by(|left, right| key(left).total_cmp(&key(right)).then(left.cmp(right)));
                let most = cells().max_by(|left, right| key(left).total_cmp(&key(right)).then(right.cmp(left)));
                Shown::Span(least.unwrap_or(0), most.unwrap_or(0))
            }
        }
    }

    /// How much what is published leaves open, by the weight of the column.
    pub(crate) fn penalty(&self, shown: &Shown) -> f64 {
        let open = match (shown, &self.tree) {
            (Shown::Label(level, node), Some((hierarchy, _))) => {
                cell::Cell::Node(*level, *node).penalty(Some(hierarchy), self.range)
            }
            (Shown::Span(low, high), _) => {
                cell::width(self.numbers[*low as usize], self.numbers[*high as usize], self.range)
            }
            (Shown::Mean(_), _) => 0.0,
            _ => 1.0,
        };
        self.weight() * open
    }

    /// What the column counts in distances and losses.
    pub(crate) fn weight(&self) -> f64 {
        self.column.settings.weight
    }

    /// The same as a cell of the release.
    pub(crate) fn text(&self, shown: &Shown) -> String {
        match (shown, &self.tree) {
            (Shown::Label(level, node), Some((hierarchy, _))) => hierarchy.label(*level, *node).to_owned(),
            (Shown::Span(low, high), _) => {
                let (low_text, high_text) = (self.column.values.get(*low), self.column.values.get(*high));
                if self.numbers[*low as usize] == self.numbers[*high as usize] {
                    low_text.to_owned()
                } else {
                    format!("{low_text}..{high_text}")
                }
            }
            (Shown::Mean(mean), _) if self.column.kind == ColumnType::Date => cell::date(*mean),
            (Shown::Mean(mean), _) => shortest(*mean),
            _ => STAR.to_owned(),
        }
    }
}

/// Classes and what each publishes in each quasi column; rows of no class are left out.
pub(crate) fn publish(
    table: &Table,
    quasi: &[Quasi<'_>],
    classes: &[Vec<u32>],
    shown: impl Fn(usize, usize) -> Shown,
    demands: &Demands,
) -> Protected<Table> {
    let mut rows: Vec<(u32, u32)> = Vec::with_capacity(table.rows());
    for (class, members) in (0u32..).zip(classes) {
        rows.extend(members.iter().map(|&row| (row, class)));
    }
    rows.sort_unstable();
    let suppressed = suppressed_rows(table.rows(), &rows);
    // Rows that are in no class may be one of their own that says nothing.
    let is_kept = table.settings().keeps_suppressed
        && !suppressed.is_empty()
        && demands.bind(table).is_ok_and(|bound| bound.holds(&suppressed, &mut Vec::new()));
    if is_kept {
        rows.extend(suppressed.iter().map(|&row| (row, classes.len() as u32)));
        rows.sort_unstable();
    }
    let quasi_names: Vec<&str> = quasi.iter().map(|quasi| quasi.column.name.as_str()).collect();
    let mut columns = Vec::new();
    for column in table.columns() {
        match quasi_names.iter().position(|name| *name == column.name) {
            Some(at) => {
                let mut values = Interner::new();
                let mut of_class: Vec<u32> =
                    (0..classes.len()).map(|class| values.intern(&quasi[at].text(&shown(class, at)))).collect();
                of_class.push(if is_kept { values.intern(STAR) } else { 0 });
                columns.push(Column {
                    values: Arc::new(values.into_strings()),
                    cells: rows.iter().map(|&(_, class)| of_class[class as usize]).collect(),
                    ..column.clone()
                });
            }
            None if matches!(column.role, ColumnRole::Sensitive | ColumnRole::Plain) => {
                columns.push(Column {
                    cells: rows.iter().map(|&(row, _)| column.cells[row as usize]).collect(),
                    ..column.clone()
                });
            }
            None => {}
        }
    }
    let left_out = table.rows() - rows.len();
    let person_of = table.person_of_rows();
    let owners: Vec<u32> = rows.iter().map(|&(row, _)| person_of[row as usize]).collect();
    let records = Table::of_rows(columns).with_groups(rows.iter().map(|&(_, class)| class).collect());
    let mut protected = Protected::of_parts(records, &owners, table.persons());
    protected.claims = demands.claims(left_out);
    protected.counted(ROWS_SUPPRESSED, suppressed.len() as u64)
}

/// The rows that are in no class, in rising order, given those that are in one.
fn suppressed_rows(rows: usize, published: &[(u32, u32)]) -> Vec<u32> {
    let mut is_published = vec![false; rows];
    published.iter().for_each(|&(row, _)| is_published[row as usize] = true);
    (0..rows as u32).filter(|&row| !is_published[row as usize]).collect()
}
