//! Files, releases and reports: everything of throng that touches the disk and is not the command line.
//!
//! A program that uses throng begins with [`prelude`]. The other modules are what the command line is made of, and change as it
//! does.

mod agents;
#[doc(hidden)]
pub mod canonical;
#[doc(hidden)]
pub mod cards;
#[doc(hidden)]
pub mod catalog;
#[doc(hidden)]
pub mod certificate;
#[doc(hidden)]
pub mod checkpoint;
#[doc(hidden)]
pub mod content;
#[doc(hidden)]
pub mod drop_list;
mod field_names;
#[doc(hidden)]
pub mod held_release;
#[doc(hidden)]
pub mod ids;
#[doc(hidden)]
pub mod inputs;
#[doc(hidden)]
pub mod io;
#[doc(hidden)]
pub mod key;
#[doc(hidden)]
pub mod keywords;
#[doc(hidden)]
pub mod kinds;
#[doc(hidden)]
pub mod knowledge;
#[doc(hidden)]
pub mod ledger;
#[doc(hidden)]
pub mod limits;
#[doc(hidden)]
pub mod memory;
#[doc(hidden)]
pub mod parameters;
#[doc(hidden)]
pub mod parts;
#[doc(hidden)]
pub mod party;
#[doc(hidden)]
pub mod pending;
mod placed_toml;
#[doc(hidden)]
pub mod policy;
pub mod prelude;
#[doc(hidden)]
pub mod recipe;
#[doc(hidden)]
pub mod release_folder;
#[doc(hidden)]
pub mod report;
#[doc(hidden)]
pub mod run;
#[doc(hidden)]
pub mod signature;
#[doc(hidden)]
pub mod taxonomy;
#[doc(hidden)]
pub mod words;
