//! Confidence bounding: nobody can be surer of a sensitive value than h.
//!
//! Paper      Wang, Fung, Yu. Handicapping attacker's confidence. KAIS 2007. With k: Wong, Li, Fu, Wang. (alpha, k)-anonymity.
//!            KDD 2006; (X, Y)-privacy of Wang and Fung, 2006.
//! Promises   in every class a sensitive value has at most the share h.
//! Does not   say how often the value is in the whole: h must be above that for a release to exist.
//!
//! # Formula
//! q(v) <= h for every class and value v, or for the values that are listed. What is achieved is the largest share.
//!
//! # Cost
//! Time O(rows log rows).

use serde::{Deserialize, Serialize};

use super::on_classes::{COLUMN, ClassCondition, ClassModel, SensitiveValues, at_most, check_share, class_model};
use crate::error::{Error, Result};
use crate::info::{self, Info, Parameter, ParameterKind};

/// The card.
pub const INFO: Info = Info {
    name: "confidence",
    summary: "no sensitive value has a greater share of a class than h",
    paper: "Wang, Fung, Yu. Handicapping attacker's confidence: an alternative to k-anonymization. KAIS 11 (2007)",
    details: "For every class, the rows that agree in all quasi columns, and every sensitive value, or each of `values=a+b`: at most \
        the share h of its rows has it. What is achieved is the largest share.\n\
        Together with k-anonymity (`--k` beside it) it is (alpha, k)-anonymity, and (X, Y)-privacy with X the quasi columns and Y the \
        sensitive value.\n\
        Promises: whoever finds a person's class names their sensitive value with a confidence of at most h.\n\
        Does not promise: that a class says no more than the whole table (t-closeness); an h below the share that a value has in the \
        table cannot be reached.",
    parameters: &[
        info::H,
        Parameter {
            name: "values",
            summary: "the values that it is about, joined by +, if not all are meant",
            kind: ParameterKind::Text,
            default: "all",
        },
        COLUMN,
    ],
};

/// What the model can be told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// The largest share.
    pub h: f64,
    /// The values that it is about, joined by `+`; empty for all.
    pub values: String,
    /// The sensitive column; empty for all.
    pub column: String,
}

impl Default for Params {
    fn default() -> Self {
        Self { h: 0.8, values: String::new(), column: String::new() }
    }
}

/// The model with checked parameters.
#[derive(Debug, Clone)]
pub struct Confidence(Params);

impl Confidence {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        check_share("h", params.h)?;
        Ok(Self(params))
    }
}

impl ClassModel for Confidence {
    fn name(&self) -> &'static str {
        INFO.name
    }

    fn key(&self) -> &'static str {
        "h"
    }

    fn column(&self) -> &str {
        &self.0.column
    }

    fn bind(&self, values: &SensitiveValues<'_>) -> Result<Box<dyn ClassCondition>> {
        let named: Vec<&str> = self.0.values.split('+').filter(|value| !value.is_empty()).collect();
        let find = |name: &&str| {
            let found = values.texts.iter().position(|text| text == name).map(|at| at as u32);
            found.ok_or_else(|| {
                Error::parameter("values", "names a value that the column does not have")
                    .with_value(*name)
                    .in_column(values.column)
            })
        };
        let about = named.iter().map(find).collect::<Result<Vec<u32>>>()?;
        Ok(Box::new(Share { h: self.0.h, about: (!named.is_empty()).then_some(about) }))
    }
}

class_model!(Confidence);

struct Share {
    h: f64,
    /// The values that it is about; all where there is none.
    about: Option<Vec<u32>>,
}

impl ClassCondition for Share {
    fn reach(&self, counts: &[(u32, u32)], rows: u32) -> f64 {
        let is_meant = |value: u32| self.about.as_ref().is_none_or(|about| about.contains(&value));
        let most = counts.iter().filter(|(value, _)| is_meant(*value)).map(|&(_, count)| count).max().unwrap_or(0);
        f64::from(most) / f64::from(rows.max(1))
    }

    fn holds(&self, reach: f64) -> bool {
        at_most(reach, self.h)
    }

    fn is_worse(&self, reach: f64, other: f64) -> bool {
        reach > other
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::table::testing::{generalised, twelve};
    use crate::models::Model as _;

    fn check(h: f64, values: &str) -> crate::models::Verdict {
        let model = Confidence::new(Params { h, values: values.to_owned(), column: String::new() }).unwrap();
        model.check(&generalised(&twelve(), &[("zip", 1)])).unwrap()
    }

    #[test]
    fn the_twelve_rows() {
        assert_eq!(check(0.9, "").achieved["h"], 1);
        assert!(check(1.0, "").holds && !check(0.9, "").holds);
        // gout: 2 of 5, 1 of 2, 1 of 3; ulcer: 2 of 5, none, 1 of 3.
        assert_eq!(check(0.5, "gout").achieved["h"], 0.5);
        assert!(check(0.5, "gout+ulcer").holds && !check(0.4, "gout+ulcer").holds);
        assert_eq!(check(0.5, "ulcer").achieved["h"], 0.4);
    }

    #[test]
    fn what_is_no_share_and_what_is_no_value_is_refused() {
        for h in [0.0, 1.5, -1.0] {
            assert!(Confidence::new(Params { h, ..Params::default() }).is_err());
        }
        let model = Confidence::new(Params { values: "plague".into(), ..Params::default() }).unwrap();
        let error = model.check(&twelve()).unwrap_err().describe(false);
        assert!(error.contains("a value that the column does not have") && !error.contains("plague"), "{error}");
    }
}
