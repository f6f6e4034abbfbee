//! Classifiers: each learns classes from examples, and says the class of something else.
//!
//! A classifier knows nothing of documents, persons or releases: an example is a class with its features, or with a number that
//! distances are asked for. Measures use them to see what a release still teaches, and what it teaches an attacker.

pub mod naive_bayes;
pub mod nearest_neighbour;
