//! The real command, run in folders of its own.
//!
//! One binary for all of it; `cargo test -p throng-cli --test it pages` runs one file.

mod architecture;
#[cfg(unix)]
mod checkpoint;
mod cli;
mod corpus;
mod documentation;
#[cfg(unix)]
mod folders;
mod golden;
mod pages;
mod serve;
mod support;
#[cfg(unix)]
mod terminal;
#[cfg(unix)]
mod unfinished;
