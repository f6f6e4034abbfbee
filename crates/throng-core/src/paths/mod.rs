//! What is made of paths in the open: journeys from raw points, and counts of people by cell and time.

pub mod cells;
pub mod cluster;
pub mod cube;
pub mod maps;
pub mod outline;
pub mod patterns;
pub mod reconstruct;
pub mod rules;
