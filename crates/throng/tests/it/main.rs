//! The library as its users call it: every entry of the catalogue, every format, and files that are not what they should be.
//!
//! One binary for all of it; `cargo test -p throng --test it contract` runs one file.

mod arrow;
mod baskets_io;
mod concepts;
mod contract;
mod contract_baskets;
mod contract_kinds;
mod damaged;
mod document_meaning;
mod documents;
mod door;
mod formulas;
mod fuzz;
mod ledger;
mod library;
mod old_ways;
mod parquet;
mod publish;
mod report;
mod robust;
mod stopped;
mod support;
mod taxonomy;
mod threads;
mod uncompared;
#[cfg(unix)]
mod unfinished;
