//! Where a secret comes from: a file or the environment, never an argument, which other programs on the machine can see.

use std::path::PathBuf;

use throng_core::{Error, Result};
use zeroize::Zeroizing;

use crate::run::geocode::{LEAST_SECRET, read_secret};

/// Where the secret is.
#[derive(Debug, Clone)]
pub enum SecretSource {
    /// In a file; one newline at its end is not part of it.
    File(PathBuf),
    /// In a variable of the environment with this name.
    Environment(String),
}

impl SecretSource {
    /// The secret, wiped when it is dropped.
    pub(crate) fn read(&self) -> Result<Zeroizing<Vec<u8>>> {
        match self {
            Self::File(path) => read_secret(path),
            Self::Environment(name) => {
                let value = std::env::var_os(name).ok_or_else(|| {
                    Error::refused(format!("the environment has no `{name}`"))
                        .with_hint("`--secret-env` takes the name of a variable that holds the secret, not the secret")
                })?;
                let bytes = Zeroizing::new(value.into_encoded_bytes());
                if bytes.len() < LEAST_SECRET {
                    return Err(Error::refused(format!(
                        "the secret in `{name}` has {} bytes, but must have at least {LEAST_SECRET}",
                        bytes.len()
                    ))
                    .with_hint("`head -c 32 /dev/urandom | base64` makes one"));
                }
                Ok(bytes)
            }
        }
    }
}
