//! delta-disclosure privacy: a sensitive value is about as likely in a class as in the whole table.
//!
//! Paper      Brickell, Shmatikov. The cost of privacy: destruction of data-mining utility in anonymized data publishing. KDD 2008.
//! Promises   whoever finds somebody's class changes what they believe of a value by at most the factor e^delta.
//! Does not   count values that a class lacks, unless strict: by the letter they make delta infinite.
//!
//! # Formula, q the share of a value in a class, p in the reference
//! |ln(q / p)| <= delta for every value that the class has. strict: for every value of the table. reading=arx: with the logarithm
//! to the base 2, and strictly below delta, as ARX has it.
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
    name: "delta-disclosure",
    summary: "a sensitive value is about as likely in a class as in the whole table",
    paper: "Brickell, Shmatikov. The cost of privacy: destruction of data-mining utility in anonymized data publishing. KDD 2008",
    details: "For every class and every sensitive value in it, q its share there and p its share in the reference: |ln(q / p)| is at \
        most delta. strict=true: values of the table that a class does not have count too, and make delta infinite (null). \
        reading=arx: the logarithm to the base 2, and strictly below delta.\n\
        The reference is the file itself, or the original (`--original`). `protect` compares with the input before rows were left \
        out; if some were, whoever checks it needs the original.\n\
        Promises: whoever finds a person's class changes what they believe of a value that is in it by at most the factor e^delta.\n\
        Does not promise, unless strict: that nobody learns which values a class does not have.",
    parameters: &[
        Parameter {
            name: "delta",
            summary: "the largest logarithm of the factor by which a value becomes likelier or less likely",
            kind: ParameterKind::Weight,
            default: "1",
        },
        Parameter {
            name: "strict",
            summary: "whether values that a class lacks count, or classes that a release lacks",
            kind: ParameterKind::Switch,
            default: "false",
        },
        Parameter {
            name: "reading",
            summary: "the paper's logarithm and bound, or ARX's",
            kind: ParameterKind::Choice(&["natural", "arx"]),
            default: "natural",
        },
        REFERENCE,
        COLUMN,
    ],
};

/// Whose logarithm and bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reading {
    /// Natural, at most delta.
    #[default]
    Natural,
    /// To the base 2, below delta.
    Arx,
}

/// What the model can be told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// The largest logarithm.
    pub delta: f64,
    /// Whether values that a class lacks count.
    pub strict: bool,
    /// Whose logarithm.
    pub reading: Reading,
    /// Whose shares classes are compared with.
    pub reference: Reference,
    /// The sensitive column; empty for all.
    pub column: String,
}

impl Default for Params {
    fn default() -> Self {
        let (reading, reference) = (Reading::Natural, Reference::File);
        Self { delta: 1.0, strict: false, reading, reference, column: String::new() }
    }
}

/// The model with checked parameters.
#[derive(Debug, Clone)]
pub struct DeltaDisclosure(Params);

impl DeltaDisclosure {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        if params.delta <= 0.0 || !params.delta.is_finite() {
            return Err(Error::parameter("delta", format!("is {}, but must be above 0", params.delta)));
        }
        Ok(Self(params))
    }
}

impl ClassModel for DeltaDisclosure {
    fn name(&self) -> &'static str {
        INFO.name
    }

    fn key(&self) -> &'static str {
        "delta"
    }

    fn column(&self) -> &str {
        &self.0.column
    }

    fn has_reference(&self) -> bool {
        true
    }

    fn bind(&self, values: &SensitiveValues<'_>) -> Result<Box<dyn ClassCondition>> {
        let shares = values.shares.clone();
        let present = shares.iter().filter(|share| **share > 0.0).count();
        Ok(Box::new(Factor { params: self.0.clone(), shares, present }))
    }
}

class_model!(DeltaDisclosure);

struct Factor {
    params: Params,
    shares: Vec<f64>,
    /// How many values the reference has.
    present: usize,
}

impl ClassCondition for Factor {
    fn reach(&self, counts: &[(u32, u32)], rows: u32) -> f64 {
        if self.params.strict && counts.len() < self.present {
            return f64::INFINITY;
        }
        let logarithm = |&(value, count): &(u32, u32)| {
            let factor = f64::from(count) / f64::from(rows) / self.shares[value as usize];
            f64::abs(if self.params.reading == Reading::Arx { factor.log2() } else { factor.ln() })
        };
        counts.iter().map(logarithm).fold(0.0, f64::max)
    }

    fn holds(&self, reach: f64) -> bool {
        match self.params.reading {
            Reading::Natural => at_most(reach, self.params.delta),
            Reading::Arx => reach < self.params.delta,
        }
    }

    fn is_worse(&self, reach: f64, other: f64) -> bool {
        reach > other
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::data::table::testing::{generalised, twelve};
    use crate::models::{Model as _, Verdict};

    fn check(delta: f64, strict: bool, reading: Reading) -> Verdict {
        let model = DeltaDisclosure::new(Params { delta, strict, reading, ..Params::default() }).unwrap();
        model.check(&generalised(&twelve(), &[("zip", 1)])).unwrap()
    }

    #[test]
    fn the_twelve_rows() {
        let verdict = check(0.9, false, Reading::Natural);
        // flu in the first class: ln(1 / (5/12)) = 0.87547.
        assert!(verdict.holds && (verdict.achieved["delta"].as_f64().unwrap() - 0.875_468_737_353_9).abs() < 1e-9);
        let arx = check(1.3, false, Reading::Arx);
        assert!(arx.holds && (arx.achieved["delta"].as_f64().unwrap() - (2.4f64).log2()).abs() < 1e-9);
        let strict = check(9.0, true, Reading::Natural);
        assert!(!strict.holds && strict.achieved["delta"] == Value::Null);
    }

    #[test]
    fn the_bound_of_arx_is_strict() {
        let delta = check(9.0, false, Reading::Arx).achieved["delta"].as_f64().unwrap();
        assert!(!check(delta, false, Reading::Arx).holds);
        let delta = check(9.0, false, Reading::Natural).achieved["delta"].as_f64().unwrap();
        assert!(check(delta, false, Reading::Natural).holds);
    }
}
