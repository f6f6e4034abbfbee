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
#[cfg(feature = "network")]
mod tls;

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
    /// A connection, in builds that have network code.
    pub tls: Tls,
    /// How long to wait for a message of a folder or a connection, in seconds.
    pub timeout: u64,
}

impl Transport {
    /// Whether all steps are taken at once.
    pub(crate) fn is_by_itself(&self) -> bool {
        self.exchange.is_some() || self.tls.is_asked()
    }

    /// Whether this build can talk like that; asked before anything is read.
    pub(crate) fn refuse_unbuilt(&self) -> Result<()> {
        #[cfg(not(feature = "network"))]
        if self.tls.is_asked() {
            return Err(no_network());
        }
        Ok(())
    }
}

/// A connection to the other of two parties.
#[derive(Debug, Clone, Default)]
pub struct Tls {
    /// Wait here for the other side.
    pub listen: Option<String>,
    /// Go there.
    pub connect: Option<String>,
    /// The own certificate.
    pub certificate: Option<PathBuf>,
    /// Its key.
    pub key: Option<PathBuf>,
    /// The certificate that the other side must show.
    pub peer: Option<PathBuf>,
    /// The address need not be on this machine.
    pub allow_network: bool,
}

impl Tls {
    /// Whether anything of it was said.
    fn is_asked(&self) -> bool {
        let files = [&self.certificate, &self.key, &self.peer];
        self.listen.is_some() || self.connect.is_some() || self.allow_network || files.iter().any(|file| file.is_some())
    }
}

/// What a build without network code says when it is asked for a connection.
#[cfg(not(feature = "network"))]
fn no_network() -> throng_core::Error {
    throng_core::Error::refused("this build has no network code at all")
        .with_hint("messages travel as files (`--receive`, `--send`) or through a folder (`--exchange`); `cargo build --features network` makes a build that knows TLS")
}

/// Makes a certificate and its key for TLS, in a folder. Gives their places.
pub fn certificate(name: &str, folder: &Path) -> Result<[PathBuf; 2]> {
    #[cfg(feature = "network")]
    return tls::certificate(name, folder);
    #[cfg(not(feature = "network"))]
    {
        let _ = (name, folder);
        Err(no_network())
    }
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
    transport.refuse_unbuilt()?;
    #[cfg(feature = "network")]
    if transport.tls.is_asked() {
        return if about.addressed {
            Err(throng_core::Error::refused("TLS is for two parties, and this protocol has more")
                .with_hint("`--exchange DIR` is for any number"))
        } else if transport.exchange.is_some()
            || transport.state.is_some()
            || !transport.receive.is_empty()
            || !transport.send.is_empty()
        {
            Err(throng_core::Error::refused(
                "a connection takes the place of `--receive`, `--send`, `--state` and `--exchange`",
            ))
        } else {
            tls::by_tls(&transport.tls, transport, out, about, progress, protocol)
        };
    }
    match &transport.exchange {
        Some(folder) => folder::by_folder(folder, transport, out, about, progress, protocol),
        None => files::by_files(transport, out, about, parameters, inputs, protocol),
    }
}
