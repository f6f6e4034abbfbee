//! What methods promise, and which of them promise the same: only those are compared with each other.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use throng_core::release::Claim;

use super::Comparison;
use crate::words::worth_saying;

/// A model with its parameters, as a method claims it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Promise {
    /// The model.
    pub model: String,
    /// Its parameters.
    pub parameters: Map<String, Value>,
}

impl From<&Claim> for Promise {
    fn from(claim: &Claim) -> Self {
        Self { model: claim.model.to_owned(), parameters: claim.parameters.clone() }
    }
}

impl Promise {
    /// The model with its parameters in a word: `km-anonymity:k=5,m=2`.
    pub fn as_typed(&self) -> String {
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let parameters = worth_saying(&self.parameters).map(|(name, value)| format!("{name}={}", text(value)));
        let parameters = parameters.collect::<Vec<_>>().join(",");
        if parameters.is_empty() { self.model.clone() } else { format!("{}:{parameters}", self.model) }
    }

    /// The same for any k.
    fn for_any_k(&self) -> Self {
        let mut parameters = self.parameters.clone();
        parameters.remove("k");
        Self { model: self.model.clone(), parameters }
    }
}

/// A promise for any k, and the methods that make it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Promised<'a> {
    pub(crate) promise: Promise,
    pub(crate) methods: Vec<&'a str>,
}

impl Comparison {
    /// What a method promises with every k.
    fn promises_of(&self, method: &str) -> Vec<Promise> {
        let mut cells = self.cells.iter().filter(|cell| cell.method == method);
        let claims = |cell: &super::Cell| cell.claims.iter().map(Promise::for_any_k).collect::<Vec<_>>();
        let first = cells.next().map(claims).unwrap_or_default();
        cells.fold(first, |kept, cell| {
            let own = claims(cell);
            kept.into_iter().filter(|promise| own.contains(promise)).collect()
        })
    }

    /// Every promise with the methods that make it, in the order of the methods. The same model with other parameters is another
    /// promise.
    pub(crate) fn promised(&self) -> Vec<Promised<'_>> {
        let mut all: Vec<Promised<'_>> = Vec::new();
        for method in &self.methods {
            for promise in self.promises_of(method) {
                match all.iter_mut().find(|promised| promised.promise == promise) {
                    Some(promised) => promised.methods.push(method),
                    None => all.push(Promised { promise, methods: vec![method] }),
                }
            }
        }
        all
    }
}
