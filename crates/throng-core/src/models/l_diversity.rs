//! l-diversity: every class has several sensitive values.
//!
//! Paper      Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam. l-Diversity: Privacy Beyond k-Anonymity. ICDE 2006.
//! Promises   whoever finds somebody's class does not find one sensitive value there.
//! Does not   change the sensitive column, nor hide that a value is much likelier in a class than in the whole (skewness).
//!
//! # Formula, q the shares of values in a class, r their counts in descending order
//! distinct     at least l values
//! entropy      - sum q ln q >= ln l; the l achieved is the exponential of the smallest entropy
//! recursive    at least l values, and r1 < c (r_l + ... + r_m)
//!
//! # Cost
//! Time O(rows log rows).

use serde::{Deserialize, Serialize};

use super::on_classes::{COLUMN, ClassCondition, ClassModel, SensitiveValues, class_model};
use crate::error::{Error, Result};
use crate::info::{Info, Parameter, ParameterKind};

/// The card.
pub const INFO: Info = Info {
    name: "l-diversity",
    summary: "every class has at least l sensitive values",
    paper: "Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam. l-Diversity: Privacy Beyond k-Anonymity. ICDE 2006",
    details: "A class is the set of rows that agree in all quasi columns. kind=distinct: it has at least l different values of the \
        sensitive column. kind=entropy: - sum q ln q >= ln l, q the shares of values; what is achieved is exp of the smallest entropy. \
        kind=recursive: it has at least l values and r1 < c (r_l + ... + r_m), r the counts in descending order; what is achieved is \
        the largest r1 / (r_l + ... + r_m), null if a class has fewer than l values.\n\
        Promises: whoever finds a person's class is not told one value by it.\n\
        Does not promise: anything about values that mean nearly the same, or that a class is no likelier to have a value than the \
        whole table is (t-closeness). It does not change the sensitive column: a method makes classes larger until they are diverse.",
    parameters: &[
        Parameter {
            name: "l",
            summary: "how many values a class has, at least",
            kind: ParameterKind::Weight,
            default: "2",
        },
        Parameter {
            name: "kind",
            summary: "how values are counted",
            kind: ParameterKind::Choice(&["distinct", "entropy", "recursive"]),
            default: "distinct",
        },
        Parameter {
            name: "c",
            summary: "recursive: the most frequent value is rarer than c times all from the l-th on",
            kind: ParameterKind::Weight,
            default: "3",
        },
        COLUMN,
    ],
};

/// How values are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Each once.
    #[default]
    Distinct,
    /// By the entropy of their shares.
    Entropy,
    /// The most frequent against the rare ones.
    Recursive,
}

/// What the model can be told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// How many values, at least.
    pub l: f64,
    /// How they are counted.
    pub kind: Kind,
    /// Of the recursive kind.
    pub c: f64,
    /// The sensitive column; empty for all.
    pub column: String,
}

impl Default for Params {
    fn default() -> Self {
        Self { l: 2.0, kind: Kind::Distinct, c: 3.0, column: String::new() }
    }
}

/// The model with checked parameters.
#[derive(Debug, Clone)]
pub struct LDiversity(Params);

impl LDiversity {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        let Params { l, kind, c, .. } = params;
        if l < 1.0 {
            return Err(Error::parameter("l", format!("is {l}, but must be at least 1")));
        }
        if kind != Kind::Entropy && l.fract() != 0.0 {
            return Err(Error::parameter("l", format!("is {l}, but must be a whole number"))
                .with_hint("only `kind=entropy` takes others"));
        }
        if kind == Kind::Recursive && c <= 0.0 {
            return Err(Error::parameter("c", format!("is {c}, but must be above 0")));
        }
        Ok(Self(params))
    }
}

impl ClassModel for LDiversity {
    fn name(&self) -> &'static str {
        INFO.name
    }

    fn key(&self) -> &'static str {
        if self.0.kind == Kind::Recursive { "c" } else { "l" }
    }

    fn column(&self) -> &str {
        &self.0.column
    }

    fn bind(&self, _values: &SensitiveValues<'_>) -> Result<Box<dyn ClassCondition>> {
        let Params { l, kind, c, .. } = self.0;
        Ok(match kind {
            Kind::Distinct => Box::new(Distinct(l)),
            Kind::Entropy => Box::new(Entropy(l)),
            Kind::Recursive => Box::new(Recursive { l: l as usize, c }),
        })
    }
}

class_model!(LDiversity);

struct Distinct(f64);

impl ClassCondition for Distinct {
    fn reach(&self, counts: &[(u32, u32)], _rows: u32) -> f64 {
        counts.len() as f64
    }

    fn holds(&self, reach: f64) -> bool {
        reach >= self.0
    }

    fn is_worse(&self, reach: f64, other: f64) -> bool {
        reach < other
    }
}

struct Entropy(f64);

impl ClassCondition for Entropy {
    fn reach(&self, counts: &[(u32, u32)], rows: u32) -> f64 {
        // By size, so that the sum does not depend on the numbers that values have.
        let mut counts: Vec<u32> = counts.iter().map(|&(_, count)| count).collect();
        counts.sort_unstable();
        let share = |count: u32| f64::from(count) / f64::from(rows);
        counts.iter().map(|&count| -share(count) * share(count).ln()).sum::<f64>().exp()
    }

    fn holds(&self, reach: f64) -> bool {
        // Equal shares of l values have the entropy ln l, but for the last digits.
        reach >= self.0 * (1.0 - 1e-12)
    }

    fn is_worse(&self, reach: f64, other: f64) -> bool {
        reach < other
    }
}

struct Recursive {
    l: usize,
    c: f64,
}

impl ClassCondition for Recursive {
    fn reach(&self, counts: &[(u32, u32)], _rows: u32) -> f64 {
        let mut counts: Vec<u32> = counts.iter().map(|&(_, count)| count).collect();
        counts.sort_unstable_by(|left, right| right.cmp(left));
        match counts.get(self.l - 1..) {
            Some(rare @ [_, ..]) => f64::from(counts[0]) / rare.iter().map(|&count| f64::from(count)).sum::<f64>(),
            _ => f64::INFINITY,
        }
    }

    fn holds(&self, reach: f64) -> bool {
        reach < self.c
    }

    fn is_worse(&self, reach: f64, other: f64) -> bool {
        reach > other
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::on_classes::testing::of_class;
    use super::*;
    use crate::data::table::testing::{generalised, twelve};
    use crate::models::Model as _;

    fn model(l: f64, kind: Kind, c: f64) -> LDiversity {
        LDiversity::new(Params { l, kind, c, ..Params::default() }).unwrap()
    }

    #[test]
    fn the_twelve_rows_have_a_class_of_one_value() {
        let table = generalised(&twelve(), &[("zip", 1)]);
        let verdict = model(2.0, Kind::Distinct, 1.0).check(&table).unwrap();
        assert!(!verdict.holds);
        assert_eq!(verdict.achieved["l"], 1);
        let witness = verdict.witness.unwrap();
        assert_eq!((witness.person, witness.group_size, &witness.numbers["sensitive"]), (0, 2, &json!("illness")));
    }

    #[test]
    fn entropy_is_exact_for_equal_shares() {
        let values = ["a", "b", "c"];
        let verdict = of_class(&model(3.0, Kind::Entropy, 1.0), &values, &values);
        assert!(verdict.holds);
        assert!((verdict.achieved["l"].as_f64().unwrap() - 3.0).abs() < 1e-9);
        // Shares 3/4 and 1/4: exp(0.5623351446) = 1.7547653506.
        let verdict = of_class(&model(2.0, Kind::Entropy, 1.0), &["a", "a", "a", "b"], &["a", "b"]);
        assert!(!verdict.holds && (verdict.achieved["l"].as_f64().unwrap() - 1.754_765_350_6).abs() < 1e-9);
    }

    /// The counts are taken in descending order: 13 against 1, not the other way round.
    #[test]
    fn recursive_takes_the_most_frequent_first() {
        let class: Vec<&str> = [vec!["a"; 13], vec!["b"]].concat();
        let verdict = of_class(&model(2.0, Kind::Recursive, 13.0), &class, &class);
        assert!(!verdict.holds);
        assert_eq!(verdict.achieved["c"], 13);
        assert!(of_class(&model(2.0, Kind::Recursive, 13.5), &class, &class).holds);
        let none = of_class(&model(3.0, Kind::Recursive, 99.0), &class, &class);
        assert!(!none.holds && none.achieved["c"] == Value::Null);
        // 5, 3, 2: l = 2: 5 / 5; l = 3: 5 / 2.
        let class: Vec<&str> = [vec!["a"; 3], vec!["b"; 5], vec!["c"; 2]].concat();
        assert_eq!(of_class(&model(2.0, Kind::Recursive, 2.0), &class, &class).achieved["c"], 1);
        assert_eq!(of_class(&model(3.0, Kind::Recursive, 2.0), &class, &class).achieved["c"], 2.5);
    }

    #[test]
    fn bad_parameters_are_refused() {
        for (l, kind, c) in [(0.5, Kind::Distinct, 1.0), (2.5, Kind::Distinct, 1.0), (2.0, Kind::Recursive, 0.0)] {
            assert!(LDiversity::new(Params { l, kind, c, ..Params::default() }).is_err());
        }
        assert!(LDiversity::new(Params { l: 2.5, kind: Kind::Entropy, ..Params::default() }).is_ok());
    }
}
