//! The core as its users call it: against slow and literal implementations, and what its methods promise.
//!
//! One binary for all of it; `cargo test -p throng-core --test it reference` runs one file.

mod kindred;
mod properties;
mod reference;
mod semantic;
mod support;
mod wishes;
