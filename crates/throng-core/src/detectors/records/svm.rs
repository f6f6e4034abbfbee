//! Detector `svm`: a support vector machine over any table of numbers and words.

use serde::{Deserialize, Serialize};

use super::features::Features;
use super::{LabelRule, Records};
use crate::error::{Error, Result};
use crate::info::{Info, Parameter, ParameterKind};
use crate::learn::svm::{Kernel, Rows, Scale, ScaledSvm, Svm, SvmParams};
use crate::progress::Progress;

/// The card.
pub const INFO: Info = Info {
    name: "svm",
    summary: "the widest margin between two classes of rows, in the space of a kernel",
    paper: "Cortes, Vapnik. Support-Vector Networks. 1995. Moskovitch, Nissim, Elovici. Malicious Code Detection Using Active Learning. 2009.",
    details: "Idea: columns of numbers are features as they are, others one feature a value; each feature is brought to mean 0 and deviation 1 \
              (--scale none: left as it is). Training rows that hold the border are kept as its support.\n\
              Formula: score = sum of alpha y K(x, support) - rho; flagged above 0. Kernels: linear x'z; poly (gamma x'z)^degree; rbf \
              exp(-gamma |x - z|^2). Without --gamma and --sigma, sigma is the median distance of 1,000 pairs of training rows.\n\
              Cost: rows of the kernel are worked out when they are asked for, and kept within --memory.\n\
              Does not: say how likely anything is; and the model holds rows of the training table.",
    parameters: &[
        Parameter {
            name: "kernel",
            summary: "how alike two rows are",
            kind: ParameterKind::Choice(&["linear", "poly", "rbf"]),
            default: "rbf",
        },
        Parameter {
            name: "cost",
            summary: "what a row on the wrong side costs",
            kind: ParameterKind::Weight,
            default: "100",
        },
        Parameter {
            name: "degree",
            summary: "the power of the polynomial kernel",
            kind: ParameterKind::Count,
            default: "2",
        },
        Parameter {
            name: "tolerance",
            summary: "how much the conditions of the best may be missed by",
            kind: ParameterKind::Weight,
            default: "0.001",
        },
    ],
};

/// What was learnt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Form", into = "Form")]
pub struct SvmModel {
    /// What features are made of.
    pub columns: Features,
    /// C.
    pub cost: f64,
    /// How much the conditions may be missed by.
    pub tolerance: f64,
    /// The machine behind its scale.
    pub machine: ScaledSvm,
}

/// The model as its file has it.
#[derive(Serialize, Deserialize)]
struct Form {
    kernel: Kernel,
    cost: f64,
    tolerance: f64,
    scale: Scale,
    columns: Features,
    features: Vec<String>,
    support: Vec<Vec<f64>>,
    coefficients: Vec<f64>,
    rho: f64,
    objective: f64,
}

impl From<SvmModel> for Form {
    fn from(model: SvmModel) -> Self {
        let svm = &model.machine.svm;
        Self {
            kernel: svm.kernel(),
            cost: model.cost,
            tolerance: model.tolerance,
            scale: model.machine.scale.clone(),
            features: model.columns.names(),
            columns: model.columns,
            support: svm.support().iter().map(<[f64]>::to_vec).collect(),
            coefficients: svm.coefficients().to_vec(),
            rho: svm.rho(),
            objective: svm.objective(),
        }
    }
}

impl TryFrom<Form> for SvmModel {
    type Error = Error;

    fn try_from(form: Form) -> Result<Self> {
        let width = form.columns.len();
        let is_wide = form.features.len() == width && form.scale.features().is_none_or(|features| features == width);
        if !is_wide || form.support.iter().any(|row| row.len() != width) {
            return Err(Error::data("its parts do not have the same number of features"));
        }
        let support = Rows::new(width, form.support.concat())?;
        let svm = Svm::from_parts(form.kernel, support, form.coefficients, form.rho, form.objective)?;
        Ok(Self {
            columns: form.columns,
            cost: form.cost,
            tolerance: form.tolerance,
            machine: ScaledSvm { scale: form.scale, svm },
        })
    }
}

impl SvmModel {
    /// Learns from a table.
    pub fn train(records: &Records, label: &LabelRule, params: &SvmParams, progress: &dyn Progress) -> Result<Self> {
        params.check()?;
        let columns = Features::of(records, &label.column)?;
        let (rows, _) = columns.rows(records, &label.column)?;
        refuse_constant(&rows)?;
        let machine = ScaledSvm::learn(&rows, &label.truth(records)?, params, progress)?;
        Ok(Self { columns, cost: params.cost, tolerance: params.tolerance, machine })
    }

    /// The scores of a table, and how many cells have a value that no training row had.
    pub fn scores(&self, records: &Records, label: &str) -> Result<(Vec<f64>, u64)> {
        let (rows, unseen) = self.columns.rows(records, label)?;
        Ok((self.machine.scores(&rows), unseen))
    }
}

/// Refuses rows that are all the same.
pub(super) fn refuse_constant(rows: &Rows) -> Result<()> {
    if rows.iter().all(|row| row == rows.row(0)) {
        return Err(Error::data("all rows have the same features: there is nothing to tell them apart by")
            .with_hint("a detector learns from columns that differ between the classes"));
    }
    Ok(())
}
