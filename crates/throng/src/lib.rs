//! Files, releases and reports: everything of throng that touches the disk and is not the command line.

pub mod catalog;
pub mod certificate;
pub mod checkpoint;
pub mod ids;
pub mod io;
pub mod key;
pub mod kinds;
pub mod limits;
pub mod memory;
pub mod parameters;
pub mod pending;
pub mod release_folder;
pub mod report;
pub mod run;
pub mod taxonomy;
pub mod words;
