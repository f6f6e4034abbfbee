//! beta-likeness: no sensitive value is much likelier in a class than in the whole table, by its own share.
//!
//! Paper      Cao, Karras. Publishing microdata with a robust privacy guarantee. PVLDB 5 (2012).
//! Promises   whoever finds somebody's class raises what they believe of a value by at most the factor 1 + beta.
//! Does not   bound how much less likely a value may become.
//!
//! # Formula, q the share of a value in a class, p in the reference, over the values that a class has
//! basic        (q - p) / p <= beta
//! enhanced     (q - p) / p <= min(beta, -ln p)
//! A value that the reference does not have is infinitely likelier.
//!
//! # Cost
//! Time O(rows log rows).

use serde::{Deserialize, Serialize};

use super::on_classes::{
    COLUMN, ClassCondition, ClassModel, REFERENCE, Reference, SensitiveValues, at_most, class_model,
};
use crate::error::{Error, Result};
use crate::info::{Info, Parameter, ParameterKind};

/// The card.
pub const INFO: Info = Info {
    name: "beta-likeness",
    summary: "no sensitive value is much likelier in a class than in the whole table",
    paper: "Cao, Karras. Publishing microdata with a robust privacy guarantee. PVLDB 5 (2012)",
    details: "For every class and every sensitive value in it, q its share there and p its share in the reference: (q - p) / p is at \
        most beta. kind=enhanced: at most -ln p too, which keeps frequent values from becoming certain. What is achieved is the \
        largest (q - p) / p; enhanced, null if some value is above -ln p.\n\
        The reference is the file itself, or the original (`--original`). `protect` compares with the input before rows were left \
        out; if some were, whoever checks it needs the original.\n\
        Promises: whoever finds a person's class becomes surer of a value by at most the factor 1 + beta. Rare values are protected \
        as frequent ones are, other than by t-closeness.\n\
        Does not promise: that a value does not become less likely.",
    parameters: &[
        Parameter {
            name: "beta",
            summary: "how much likelier a value may become, as a part of its share",
            kind: ParameterKind::Weight,
            default: "1",
        },
        Parameter {
            name: "kind",
            summary: "whether frequent values have a bound of their own",
            kind: ParameterKind::Choice(&["basic", "enhanced"]),
            default: "basic",
        },
        REFERENCE,
        COLUMN,
    ],
};

/// Whether frequent values have a bound of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// They have not.
    #[default]
    Basic,
    /// Minus the logarithm of their share.
    Enhanced,
}

/// What the model can be told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// How much likelier a value may become.
    pub beta: f64,
    /// Whether frequent values have a bound of their own.
    pub kind: Kind,
    /// Whose shares classes are compared with.
    pub reference: Reference,
    /// The sensitive column; empty for all.
    pub column: String,
}

impl Default for Params {
    fn default() -> Self {
        Self { beta: 1.0, kind: Kind::Basic, reference: Reference::File, column: String::new() }
    }
}

/// The model with checked parameters.
#[derive(Debug, Clone)]
pub struct BetaLikeness(Params);

impl BetaLikeness {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        if params.beta <= 0.0 || !params.beta.is_finite() {
            return Err(Error::parameter("beta", format!("is {}, but must be above 0", params.beta)));
        }
        Ok(Self(params))
    }
}

impl ClassModel for BetaLikeness {
    fn name(&self) -> &'static str {
        INFO.name
    }

    fn key(&self) -> &'static str {
        "beta"
    }

    fn column(&self) -> &str {
        &self.0.column
    }

    fn has_reference(&self) -> bool {
        true
    }

    fn bind(&self, values: &SensitiveValues<'_>) -> Result<Box<dyn ClassCondition>> {
        let is_enhanced = self.0.kind == Kind::Enhanced;
        Ok(Box::new(Gain { beta: self.0.beta, is_enhanced, shares: values.shares.clone() }))
    }
}

class_model!(BetaLikeness);

struct Gain {
    beta: f64,
    is_enhanced: bool,
    shares: Vec<f64>,
}

impl ClassCondition for Gain {
    fn reach(&self, counts: &[(u32, u32)], rows: u32) -> f64 {
        let mut most = f64::NEG_INFINITY;
        for &(value, count) in counts {
            let (own, share) = (f64::from(count) / f64::from(rows), self.shares[value as usize]);
            let gain = (own - share) / share;
            if self.is_enhanced && gain > -share.ln() {
                return f64::INFINITY;
            }
            most = most.max(gain);
        }
        most
    }

    fn holds(&self, reach: f64) -> bool {
        at_most(reach, self.beta)
    }

    fn is_worse(&self, reach: f64, other: f64) -> bool {
        reach > other
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::super::on_classes::testing::of_class;
    use super::*;
    use crate::data::table::testing::{generalised, twelve};
    use crate::models::Model as _;

    fn model(beta: f64, kind: Kind) -> BetaLikeness {
        BetaLikeness::new(Params { beta, kind, ..Params::default() }).unwrap()
    }

    #[test]
    fn the_twelve_rows() {
        let table = generalised(&twelve(), &[("zip", 1)]);
        let verdict = model(1.4, Kind::Basic).check(&table).unwrap();
        // flu: 5 of 12 in the table, all of the first class: (1 - 5/12) / (5/12) = 1.4.
        assert!((verdict.achieved["beta"].as_f64().unwrap() - 1.4).abs() < 1e-12);
        assert!(!model(1.3, Kind::Basic).check(&table).unwrap().holds);
        // -ln(5/12) = 0.875 is below 1.4.
        let enhanced = model(2.0, Kind::Enhanced).check(&table).unwrap();
        assert!(!enhanced.holds && enhanced.achieved["beta"] == Value::Null);
    }

    #[test]
    fn an_unknown_value_is_infinitely_likelier() {
        let verdict = of_class(&model(9.0, Kind::Basic), &["a"], &["b"]);
        assert!(!verdict.holds && verdict.achieved["beta"] == Value::Null);
        assert!(BetaLikeness::new(Params { beta: 0.0, ..Params::default() }).is_err());
    }
}
