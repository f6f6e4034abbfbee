//! The file of a model: JSON with everything that is needed to score a file, and nothing of where the training files were.

use std::path::Path;

use serde::{Deserialize, Serialize};
use throng_core::detectors::files::counting;
use throng_core::detectors::files::selection::Representation;
use throng_core::detectors::files::{Files, from_hexadecimal, hexadecimal};
use throng_core::learn::svm::{Kernel, Rows, Scale, ScaledSvm, Svm};
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use crate::canonical;
use crate::io::hash_bytes;
use crate::limits;

/// The name of the detector.
pub(super) const DETECTOR: &str = "files";
/// The version of the form.
const FORMAT: u32 = 1;
/// The longest model that is read.
const MOST_BYTES: u64 = 1 << 30;

/// What was learnt from files.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FilesModel {
    pub(super) n: usize,
    pub(super) represent: Representation,
    /// The features.
    pub(super) grams: Vec<u64>,
    /// What their term frequencies are multiplied by, if by anything.
    pub(super) weights: Option<Vec<f64>>,
    pub(super) cost: f64,
    pub(super) tolerance: f64,
    pub(super) machine: ScaledSvm,
    /// The hashes of the training files, in order.
    pub(super) known: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Form {
    format: u32,
    detector: String,
    n: usize,
    represent: Representation,
    kernel: Kernel,
    cost: f64,
    tolerance: f64,
    scale: Scale,
    features: Vec<String>,
    weights: Option<Vec<f64>>,
    support: Vec<Vec<f64>>,
    coefficients: Vec<f64>,
    rho: f64,
    objective: f64,
    trained_on: String,
    known: Vec<String>,
    /// The hash of everything else, as canonical JSON.
    #[serde(default)]
    sha256: String,
}

impl FilesModel {
    /// The SHA-256 of the list of hashes, one a line.
    pub(super) fn trained_on(&self) -> String {
        hash_bytes(self.known.iter().map(|hash| format!("{hash}\n")).collect::<String>().as_bytes())
    }

    /// The text of its file.
    pub(super) fn text(&self) -> Result<String> {
        let svm = &self.machine.svm;
        let mut form = Form {
            format: FORMAT,
            detector: DETECTOR.to_owned(),
            n: self.n,
            represent: self.represent,
            kernel: svm.kernel(),
            cost: self.cost,
            tolerance: self.tolerance,
            scale: self.machine.scale.clone(),
            features: self.grams.iter().map(|&gram| hexadecimal(gram, self.n)).collect(),
            weights: self.weights.clone(),
            support: svm.support().iter().map(<[f64]>::to_vec).collect(),
            coefficients: svm.coefficients().to_vec(),
            rho: svm.rho(),
            objective: svm.objective(),
            trained_on: self.trained_on(),
            known: self.known.clone(),
            sha256: String::new(),
        };
        form.sha256 = hash_of(&form)?;
        let text = serde_json::to_string(&form).map_err(|cause| Error::internal(cause.to_string()))?;
        Ok(text + "\n")
    }

    /// Reads a model.
    pub(super) fn read(path: &Path) -> Result<Self> {
        let bytes = limits::read_file(path, "the model ", MOST_BYTES)?;
        Self::of(&bytes).map_err(|error| error.in_file(path.display().to_string()))
    }

    fn of(bytes: &[u8]) -> Result<Self> {
        let another = "train it again: `throng detect train --detector files`";
        #[derive(Deserialize)]
        struct Head {
            format: u32,
            detector: String,
        }
        let head: Head = serde_json::from_slice(bytes)
            .map_err(|cause| Error::data("this is no model").with_cause(cause).with_hint(another))?;
        if head.detector != DETECTOR {
            return Err(Error::data(format!("this is a model of `{}`, not of `{DETECTOR}`", head.detector))
                .with_hint("give a model that `throng detect train --detector files` wrote"));
        }
        if head.format != FORMAT {
            return Err(Error::data(format!("the model has the form {}, and {FORMAT} is known", head.format))
                .with_hint(another));
        }
        let mut form: Form = serde_json::from_slice(bytes)
            .map_err(|cause| Error::data("the model is damaged").with_cause(cause).with_hint(another))?;
        let damaged = |what: &str| Error::data(format!("the model is damaged: {what}")).with_hint(another);
        let said = std::mem::take(&mut form.sha256);
        if hash_of(&form)? != said {
            return Err(damaged("it was changed after it was written"));
        }
        let grams: Option<Vec<u64>> = form
            .features
            .iter()
            .map(|text| from_hexadecimal(text).filter(|&(_, n)| n == form.n).map(|(gram, _)| gram))
            .collect();
        let grams = grams.filter(|grams| !grams.is_empty()).ok_or_else(|| damaged("a feature is no n-gram"))?;
        let fits = |count: Option<usize>| count.is_none_or(|count| count == grams.len());
        if !fits(form.weights.as_ref().map(Vec::len))
            || !fits(form.scale.features())
            || form.support.iter().any(|row| row.len() != grams.len())
        {
            return Err(damaged("its parts are not of one length"));
        }
        let support = Rows::new(grams.len(), form.support.concat())?;
        let svm = Svm::from_parts(form.kernel, support, form.coefficients, form.rho, form.objective)?;
        Ok(Self {
            n: form.n,
            represent: form.represent,
            grams,
            weights: form.weights,
            cost: form.cost,
            tolerance: form.tolerance,
            machine: ScaledSvm { scale: form.scale, svm },
            known: form.known,
        })
    }

    /// The features of files, as the model knows them.
    pub(super) fn rows(&self, files: &impl Files, progress: &dyn Progress) -> Result<Rows> {
        let counts = counting::count(files, self.n, &self.grams, progress)?;
        let mut values = Vec::with_capacity(counts.len() * self.grams.len());
        for of_file in &counts {
            match &self.weights {
                Some(weights) => {
                    values.extend(of_file.term_frequencies().zip(weights).map(|(term, weight)| term * weight));
                }
                None => values.extend(of_file.term_frequencies()),
            }
        }
        Rows::new(self.grams.len(), values)
    }
}

fn hash_of(form: &Form) -> Result<String> {
    let value = serde_json::to_value(form).map_err(|cause| Error::internal(cause.to_string()))?;
    Ok(hash_bytes(canonical::text(&value).as_bytes()))
}
