//! t-closeness: the sensitive values of every class are spread nearly as in the whole table.
//!
//! Paper      Li, Li, Venkatasubramanian. t-Closeness: Privacy Beyond k-Anonymity and l-Diversity. ICDE 2007.
//! Promises   whoever finds somebody's class learns little more than the table says of everybody.
//! Does not   hide what the table says of everybody.
//!
//! # Formula, q the shares in a class, p in the reference; the distance is the earth mover's
//! equal        half the sum of |q - p|
//! ordered      the sum of the absolute cumulated differences, values in their order, by (values - 1)
//! hierarchy    every leaf has the extra q - p. At an inner node pos is the sum of the children's positive extras, neg that of the
//!              negative ones without their sign: it pays (height of the node / height of the tree) x min(pos, neg), and has the
//!              extra pos - neg. The distance is the sum of what is paid.
//!
//! # Cost
//! Time O(rows log rows), for ordered and hierarchy O(classes x values).

use serde::{Deserialize, Serialize};

use super::on_classes::{
    COLUMN, ClassCondition, ClassModel, REFERENCE, Reference, SensitiveValues, at_most, check_share, class_model,
};
use crate::data::table::ValueDistance;
use crate::error::{Error, Result};
use crate::info::{Info, Parameter, ParameterKind};

/// The card.
pub const INFO: Info = Info {
    name: "t-closeness",
    summary: "sensitive values are spread in every class nearly as in the whole table",
    paper: "Li, Li, Venkatasubramanian. t-Closeness: Privacy Beyond k-Anonymity and l-Diversity. ICDE 2007",
    details: "The earth mover's distance between the shares of values in a class and in the reference is at most t, for every class. \
        distance=equal: half the sum of the differences. distance=ordered: values have an order, numbers by value and texts \
        as a schema says or alphabetically, and neighbours are near; the sum of the absolute cumulated differences by the number of values less one. \
        distance=hierarchy: values are as far apart as the level on which they meet (`--hierarchy` of the sensitive column).\n\
        The reference is the file itself, or the original (`--original`). `protect` compares with the input before rows were left \
        out; if some were, whoever checks it needs the original.\n\
        Promises: whoever finds a person's class learns of their sensitive value at most t more than the whole table says.\n\
        Does not promise: anything about what the whole table says, nor about single rare values (beta-likeness).",
    parameters: &[
        Parameter { name: "t", summary: "the largest distance", kind: ParameterKind::Share, default: "0.2" },
        Parameter {
            name: "distance",
            summary: "how far values are apart: as the schema says of the column, where it says nothing all alike; all alike; by their places in \
                an order; by the level on which they meet",
            kind: ParameterKind::Choice(&["schema", "equal", "ordered", "hierarchy"]),
            default: "schema",
        },
        REFERENCE,
        COLUMN,
    ],
};

/// How far values are apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Distance {
    /// As was said of the column, else all alike.
    #[default]
    Schema,
    /// All alike.
    Equal,
    /// By their places in an order.
    Ordered,
    /// By the level on which they meet.
    Hierarchy,
}

/// What the model can be told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// The largest distance.
    pub t: f64,
    /// How far values are apart.
    pub distance: Distance,
    /// Whose shares classes are compared with.
    pub reference: Reference,
    /// The sensitive column; empty for all.
    pub column: String,
}

impl Default for Params {
    fn default() -> Self {
        Self { t: 0.2, distance: Distance::Schema, reference: Reference::File, column: String::new() }
    }
}

/// The model with checked parameters.
#[derive(Debug, Clone)]
pub struct TCloseness(Params);

impl TCloseness {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        check_share("t", params.t)?;
        Ok(Self(params))
    }
}

impl ClassModel for TCloseness {
    fn name(&self) -> &'static str {
        INFO.name
    }

    fn key(&self) -> &'static str {
        "t"
    }

    fn column(&self) -> &str {
        &self.0.column
    }

    fn has_reference(&self) -> bool {
        true
    }

    fn bind(&self, values: &SensitiveValues<'_>) -> Result<Box<dyn ClassCondition>> {
        let (t, shares) = (self.0.t, values.shares.clone());
        let distance = match self.0.distance {
            Distance::Schema => values.settings.distance.unwrap_or_default(),
            Distance::Equal => ValueDistance::Equal,
            Distance::Ordered => ValueDistance::Ordered,
            Distance::Hierarchy => ValueDistance::Hierarchy,
        };
        Ok(match distance {
            ValueDistance::Equal => Box::new(Equal { t, shares }),
            ValueDistance::Ordered => {
                let ranks = values.ranks();
                let mut by_rank = vec![0.0; shares.len()];
                let wild = values.wild.iter().filter(|wild| **wild).count();
                ranks.iter().zip(&shares).for_each(|(&rank, &share)| by_rank[rank as usize] = share);
                by_rank.truncate(shares.len() - wild);
                Box::new(Ordered { t, by_rank, ranks })
            }
            ValueDistance::Hierarchy => Box::new(Tree::new(t, values)?),
        })
    }
}

class_model!(TCloseness);

struct Equal {
    t: f64,
    shares: Vec<f64>,
}

impl ClassCondition for Equal {
    fn reach(&self, counts: &[(u32, u32)], rows: u32) -> f64 {
        // Values that a class does not have differ by their share in the reference.
        let (mut differences, mut present) = (0.0, 0.0);
        for &(value, count) in counts {
            let share = self.shares[value as usize];
            differences += (f64::from(count) / f64::from(rows) - share).abs();
            present += share;
        }
        0.5 * (differences + (1.0 - present).max(0.0))
    }

    fn holds(&self, reach: f64) -> bool {
        at_most(reach, self.t)
    }

    fn is_worse(&self, reach: f64, other: f64) -> bool {
        reach > other
    }
}

struct Ordered {
    t: f64,
    by_rank: Vec<f64>,
    ranks: Vec<u32>,
}

impl ClassCondition for Ordered {
    fn reach(&self, counts: &[(u32, u32)], rows: u32) -> f64 {
        if self.by_rank.len() < 2 {
            return 0.0;
        }
        let mut own = vec![0.0; self.by_rank.len()];
        for &(value, count) in counts {
            own[self.ranks[value as usize] as usize] = f64::from(count) / f64::from(rows);
        }
        let (mut cumulated, mut sum) = (0.0, 0.0);
        for (own, share) in own.iter().zip(&self.by_rank) {
            cumulated += own - share;
            sum += f64::abs(cumulated);
        }
        sum / (self.by_rank.len() - 1) as f64
    }

    fn holds(&self, reach: f64) -> bool {
        at_most(reach, self.t)
    }

    fn is_worse(&self, reach: f64, other: f64) -> bool {
        reach > other
    }
}

/// Values as leaves of a hierarchy.
struct Tree {
    t: f64,
    shares: Vec<f64>,
    leaf_of: Vec<u32>,
    leaves: usize,
    /// For each level but the last, for each of its nodes the node above it.
    parents: Vec<Vec<u32>>,
}

impl Tree {
    fn new(t: f64, values: &SensitiveValues<'_>) -> Result<Self> {
        let missing = || {
            Error::refused("the distance by a hierarchy needs one of the sensitive column")
                .in_column(values.column)
                .with_hint(format!(
                    "give it: `--hierarchy {}=FILE`, or another distance: `distance=equal`",
                    values.column
                ))
        };
        let hierarchy = values.hierarchy.ok_or_else(missing)?;
        let leaf = |(text, &wild): (&&str, &bool)| {
            // What may be anything is never counted under its own text.
            if wild {
                return Ok(0);
            }
            hierarchy.leaf(text).ok_or_else(|| {
                Error::data("a value is not in the hierarchy of its column").with_value(*text).in_column(values.column)
            })
        };
        Ok(Self {
            t,
            shares: values.shares.clone(),
            leaf_of: values.texts.iter().zip(&values.wild).map(leaf).collect::<Result<_>>()?,
            leaves: hierarchy.leaves() as usize,
            parents: (0..hierarchy.height()).map(|level| hierarchy.parents(level)).collect(),
        })
    }
}

impl ClassCondition for Tree {
    fn reach(&self, counts: &[(u32, u32)], rows: u32) -> f64 {
        let mut extra = vec![0.0; self.leaves];
        for (&leaf, &share) in self.leaf_of.iter().zip(&self.shares) {
            extra[leaf as usize] -= share;
        }
        for &(value, count) in counts {
            extra[self.leaf_of[value as usize] as usize] += f64::from(count) / f64::from(rows);
        }
        let height = self.parents.len() as f64;
        let mut paid = 0.0;
        for (level, parents) in (1u32..).zip(&self.parents) {
            let nodes = parents.iter().max().map_or(0, |&most| most as usize + 1);
            let (mut positive, mut negative) = (vec![0.0; nodes], vec![0.0; nodes]);
            for (&parent, &extra) in parents.iter().zip(&extra) {
                let side = if extra > 0.0 { &mut positive } else { &mut negative };
                side[parent as usize] += f64::abs(extra);
            }
            paid += f64::from(level) / height
                * positive.iter().zip(&negative).map(|(up, down)| f64::min(*up, *down)).sum::<f64>();
            extra = positive.iter().zip(&negative).map(|(up, down)| up - down).collect();
        }
        paid
    }

    fn holds(&self, reach: f64) -> bool {
        at_most(reach, self.t)
    }

    fn is_worse(&self, reach: f64, other: f64) -> bool {
        reach > other
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::on_classes::testing::of_class;
    use super::*;
    use crate::data::table::Hierarchy;
    use crate::data::table::testing::{generalised, table, twelve};
    use crate::models::Model as _;

    fn model(distance: Distance) -> TCloseness {
        TCloseness::new(Params { t: 0.2, distance, ..Params::default() }).unwrap()
    }

    fn reach(distance: Distance, class: &[&str], whole: &[&str]) -> f64 {
        of_class(&model(distance), class, whole).achieved["t"].as_f64().unwrap()
    }

    /// The example of the paper: incomes 3 to 11 thousand, all equally frequent.
    #[test]
    fn the_published_example() {
        let whole = ["3", "4", "5", "6", "7", "8", "9", "10", "11"];
        assert!((reach(Distance::Ordered, &["3", "4", "5"], &whole) - 0.375).abs() < 1e-12);
        assert!((reach(Distance::Ordered, &["6", "8", "11"], &whole) - 1.0 / 6.0).abs() < 1e-12);
    }

    #[test]
    fn the_twelve_rows() {
        let table = generalised(&twelve(), &[("zip", 1)]);
        let t = |distance| model(distance).check(&table).unwrap().achieved["t"].as_f64().unwrap();
        assert!((t(Distance::Equal) - 7.0 / 12.0).abs() < 1e-12);
        assert!((t(Distance::Ordered) - 5.0 / 12.0).abs() < 1e-12);
    }

    #[test]
    fn a_hierarchy_is_needed_where_it_is_asked_for() {
        let error = model(Distance::Hierarchy).check(&twelve()).unwrap_err();
        assert!(error.hint().unwrap().contains("--hierarchy illness="));
    }

    fn by_tree(class: &[&str], whole: &[&str], text: &str) -> f64 {
        let rows = |values: &[&str]| {
            let lines: Vec<String> = values.iter().map(|value| format!("x {value}")).collect();
            let table = table("q:q s:s", &lines.iter().map(String::as_str).collect::<Vec<_>>());
            let mut columns = table.columns().to_vec();
            columns[1].hierarchy = Some(Hierarchy::of_text(text).unwrap().into());
            table.with_columns(columns)
        };
        super::super::on_classes::check(&model(Distance::Hierarchy), &rows(class), &rows(whole)).unwrap().achieved["t"]
            .as_f64()
            .unwrap()
    }

    /// a and b meet on level 1 of 2: moving all of b to a costs half of what moving c to a costs.
    #[test]
    fn near_values_cost_less() {
        let text = "a;x;*\nb;x;*\nc;y;*\nd;y;*\n";
        assert!((by_tree(&["a", "a"], &["a", "b"], text) - 0.25).abs() < 1e-12);
        assert!((by_tree(&["a", "a"], &["a", "c"], text) - 0.5).abs() < 1e-12);
    }

    proptest! {
        /// With a tree of height one the distance by the tree is the equal distance.
        #[test]
        fn a_flat_tree_is_equal_distance(class in prop::collection::vec(0usize..4, 1..12), whole in prop::collection::vec(0usize..4, 1..12)) {
            const NAMES: [&str; 4] = ["a", "b", "c", "d"];
            let name = |values: &[usize]| values.iter().map(|&value| NAMES[value]).collect::<Vec<_>>();
            let whole = [name(&class), name(&whole)].concat();
            let tree = by_tree(&name(&class), &whole, "a;*\nb;*\nc;*\nd;*\n");
            prop_assert!((tree - reach(Distance::Equal, &name(&class), &whole)).abs() < 1e-12);
        }
    }
}
