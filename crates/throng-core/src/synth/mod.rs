//! Made-up data for trying things out: realistic in shape, seeded, and with no real person in it.

pub mod baskets;
pub mod connections;
pub mod documents;
pub mod graph;
pub mod paths;
pub mod planted;
pub mod profile;
pub mod queries;
pub mod ratings;
pub mod records;
pub mod table;
pub mod town;

mod person;
mod searcher;
mod tail;
pub mod visits;
mod vocabulary;
mod wording;
mod world;
