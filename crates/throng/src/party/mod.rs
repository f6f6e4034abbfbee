//! Talking between parties: what a message looks like, and how it gets from one to the other.
//!
//! A protocol is written once, as a function of a [`Talk`]: it sends and receives in its own order and knows nothing of files. By files
//! ([`by_files`]) it is run again from its beginning at every step: what was sent is skipped, what was received is read from the state, and randomness
//! comes from where it began, so that nothing of it must be written down twice. Through a folder ([`by_folder`]) it is run once, and waits. TLS
//! is the same with a connection in the place of the folder, in builds with the feature `network` only.

mod files;
mod folder;
mod message;
mod talk;

pub use files::Steps;

pub(crate) use files::{Finished, by_files};
pub(crate) use folder::by_folder;
pub(crate) use message::{Body, Message, Section};
pub(crate) use talk::{About, Halt, Talk};

/// How messages get from one party to the other, as the user said.
#[derive(Debug, Clone, Default)]
pub struct Transport {
    /// Messages of others to read.
    pub receive: Vec<std::path::PathBuf>,
    /// Messages to make.
    pub send: Vec<std::path::PathBuf>,
    /// The party's secret between two steps.
    pub state: Option<std::path::PathBuf>,
    /// A folder that all parties share.
    pub exchange: Option<std::path::PathBuf>,
    /// How long to wait for a message there, in seconds.
    pub timeout: u64,
}
