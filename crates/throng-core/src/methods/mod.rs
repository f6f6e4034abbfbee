//! Methods: each protects a data set and claims models.
//!
//! A method never checks itself: the models do, on the bytes of the release.

pub mod baskets;
pub mod documents;
pub mod graph;
pub mod paths;
pub mod queries;
pub mod ratings;
mod refusals;
pub mod semantic_microaggregation;
pub mod table;
pub mod visits;
mod wishes;

use crate::error::{Error, Result};
use crate::models::on_classes::Demand;
use crate::progress::Progress;
use crate::release::Protected;
use crate::rng::Rng;

/// Protects a data set and claims models.
pub trait Method<D>: std::fmt::Debug + Send + Sync {
    /// Protects a data set. The same data, parameters and seed give the same result for any number of threads.
    fn protect(&self, original: &D, rng: &mut Rng, progress: &dyn Progress) -> Result<Protected<D>>;

    /// The parameters as the certificate shows them: k, and whatever is not at its default.
    fn parameters(&self) -> serde_json::Map<String, serde_json::Value>;

    /// Everything that does not depend on k, worked out once for one data set; `None` if there is nothing to share.
    ///
    /// What it then gives for a k is what [`Self::protect`] gives for that k.
    fn prepared<'a>(&'a self, _original: &'a D, _progress: &dyn Progress) -> Result<Option<Box<dyn Prepared<D> + 'a>>> {
        Ok(None)
    }

    /// Takes what a release must satisfy beside what the method promises by itself. Whoever cannot hold it refuses it.
    fn demand(&mut self, demands: Vec<Demand>) -> Result<()> {
        match demands.first() {
            None => Ok(()),
            Some(demand) => Err(Error::refused(format!("the method cannot hold the model `{}`", demand.claim.model))
                .with_hint("choose another method, or check the release with `throng check --model`")),
        }
    }

    /// Whether the data must come with what their strings mean (`Texts::meaning`).
    fn needs_meaning(&self) -> bool {
        false
    }

    /// Whether it promises anything: an old way claims no model, and has no k.
    fn promises(&self) -> bool {
        true
    }

    /// Whether it hides persons among others who look the same: what does not has no k, and refuses one.
    fn makes_crowds(&self) -> bool {
        true
    }

    /// Whether it adds noise whose parameters somebody may ask to keep.
    fn adds_noise(&self) -> bool {
        false
    }

    /// Whether it draws a key that somebody may ask to keep (`Protected::secret`).
    fn has_key(&self) -> bool {
        false
    }

    /// Whether it holds, beside the data, a copy cut to what several persons say.
    fn cuts_content(&self) -> bool {
        false
    }

    /// Whether accounts that are probably one person's count once towards k.
    fn counts_accounts_once(&self) -> bool {
        false
    }
}

/// A method that has worked out, for one data set, everything that does not depend on k.
pub trait Prepared<D>: Sync {
    /// Protects the data set with this k.
    fn protect(&self, k: usize, rng: &mut Rng, progress: &dyn Progress) -> Result<Protected<D>>;
}

/// The parameters that a certificate shows: k, and whatever differs from the default.
fn shown_parameters<P: serde::Serialize + Default>(params: &P) -> serde_json::Map<String, serde_json::Value> {
    let object = |params: &P| match serde_json::to_value(params) {
        Ok(serde_json::Value::Object(map)) => map,
        _ => serde_json::Map::new(),
    };
    let defaults = object(&P::default());
    object(params).into_iter().filter(|(name, value)| name == "k" || defaults.get(name) != Some(value)).collect()
}
