//! Methods for documents.

pub mod document_microaggregation;
