//! Classifiers, fits and the climb that finds parameters: each learns from examples, and says the class or the number of something else.
//!
//! A classifier knows nothing of documents, persons or releases: an example is a class with its features, or with a number that
//! distances are asked for. Measures use them to see what a release still teaches, and what it teaches an attacker.

pub mod lbfgs;
pub mod linear;
pub mod naive_bayes;
pub mod nearest_neighbour;
pub mod perceptron;
pub mod singular;
pub mod svm;
pub mod tree;
