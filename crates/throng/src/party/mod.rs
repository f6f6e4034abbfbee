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

use std::path::{Path, PathBuf};

use serde_json::Value;
use throng_core::Result;
use throng_core::progress::Progress;

pub use files::Steps;

pub(crate) use files::Finished;
pub(crate) use message::{Body, Message, Section, hex, sha256};
pub(crate) use talk::{About, Halt, Talk};

/// How messages get from one party to the other, as the user said.
#[derive(Debug, Clone, Default)]
pub struct Transport {
    /// Messages of others to read.
    pub receive: Vec<PathBuf>,
    /// Messages to make.
    pub send: Vec<PathBuf>,
    /// The party's secret between two steps.
    pub state: Option<PathBuf>,
    /// A folder that all parties share.
    pub exchange: Option<PathBuf>,
    /// How long to wait for a message there, in seconds.
    pub timeout: u64,
}

/// Runs a protocol by the transport that was asked for.
pub(crate) fn transported(
    transport: &Transport,
    out: Option<&Path>,
    about: About,
    (parameters, inputs): (&Value, &[u8]),
    progress: &dyn Progress,
    protocol: impl FnOnce(&mut Talk<'_>) -> std::result::Result<Finished, Halt>,
) -> Result<Steps> {
    match &transport.exchange {
        Some(folder) => folder::by_folder(folder, transport, out, about, progress, protocol),
        None => files::by_files(transport, out, about, parameters, inputs, protocol),
    }
}
