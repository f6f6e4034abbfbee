//! The commands as functions: inspect, protect, check, measure. They read and write files and return what they found;
//! the command line only prints it.

mod check;
mod compare;
mod fit;
mod inspect;
mod load;
mod measure;
mod protect;
mod protect_baskets;
mod protect_documents;
mod report;
mod sample;
mod synth;

use serde::Serialize;

pub use check::{CheckOutcome, CheckRequest, ClaimOutcome, check};
pub use compare::{Cell, CompareRequest, Comparison, HeldOut, MethodPair, compare, parse_ks};
pub use inspect::{
    ConceptsFound, DistanceOutcome, Inspected, InspectedBaskets, InspectedDocuments, Inspection, Lengths, distance,
    inspect, inspect_concepts,
};
pub use load::{BasketOptions, TaxonomyRecord};
pub use measure::{Certified, MeasureOutcome, MeasureRequest, measure, release_options};
pub use protect::{ProtectOutcome, ProtectRequest, protect};
pub use report::{PrivateReport, report};
pub use synth::{synth_baskets, synth_documents, synth_queries};

/// A measure that was not run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// Its name.
    pub name: &'static str,
    /// Why.
    pub reason: String,
}
