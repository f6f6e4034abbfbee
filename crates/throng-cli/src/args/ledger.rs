//! What can be typed to put a release on record: a ledger, keys, a signature; and `throng ledger`, `keys` and `certificate`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use throng::run::{LedgerRequest, SignRequest};
use throng_core::{Error, Result};

/// What `protect` puts a release on record with.
#[derive(Debug, Args)]
#[command(next_help_heading = "Ledger and signature")]
pub(crate) struct Recording {
    /// Write a line of the release into this ledger, which is begun if it is not there, with its key FILE.key beside it
    #[arg(long, value_name = "FILE")]
    pub(crate) ledger: Option<PathBuf>,
    /// For --ledger: what the data set is called, the same from release to release
    #[arg(long, value_name = "NAME")]
    pub(crate) dataset: Option<String>,
    /// For --ledger: this release is meant to be of the same people as that of line N, and of the lines that N continues; of
    /// several lines with commas
    #[arg(long, value_name = "N", value_delimiter = ',')]
    pub(crate) continues: Vec<u64>,
    /// For --policy: a release of the ledger that was made without it, to see what it says; may be repeated
    #[arg(long, value_name = "DIR")]
    pub(crate) earlier: Vec<PathBuf>,
    /// Sign the certificate with this secret key, the NAME.key of `throng keys new` or of minisign
    #[arg(long, value_name = "FILE")]
    pub(crate) sign: Option<PathBuf>,
    /// For --sign: a file whose first line is the password of the key
    #[arg(long, value_name = "FILE")]
    pub(crate) password_file: Option<PathBuf>,
}

impl Recording {
    /// The ledger that was asked for.
    pub(crate) fn ledger(&self) -> Result<Option<LedgerRequest>> {
        let without = |name: &str| {
            Error::parameter(name, "means nothing without a ledger").with_hint("name one: `--ledger FILE`")
        };
        match (&self.ledger, &self.dataset, self.continues.as_slice()) {
            (Some(file), Some(dataset), continues) => {
                Ok(Some(LedgerRequest { file: file.clone(), dataset: dataset.clone(), continues: continues.to_vec() }))
            }
            (Some(_), None, _) => Err(Error::parameter("dataset", "must be given with a ledger")
                .with_hint("say what the data are called, the same from release to release: `--dataset NAME`")),
            (None, Some(_), _) => Err(without("dataset")),
            (None, None, []) => Ok(None),
            (None, None, _) => Err(without("continues")),
        }
    }

    /// Who signs.
    pub(crate) fn sign(&self) -> Result<Option<SignRequest>> {
        match (&self.sign, &self.password_file) {
            (Some(key), password_file) => {
                Ok(Some(SignRequest { key: key.clone(), password_file: password_file.clone() }))
            }
            (None, Some(_)) => Err(Error::parameter("password-file", "means nothing without a key")
                .with_hint("name the key that it opens: `--sign FILE`")),
            (None, None) => Ok(None),
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct LedgerArgs {
    #[command(subcommand)]
    pub(crate) command: LedgerCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LedgerCommand {
    /// What was released, line by line
    Show(LedgerFile),
    /// Whether every line is as it was written, numbered and chained. Exit 0 yes, 1 no, with the line
    Verify(LedgerFile),
    /// Write the line of a release that is not in it: made without --ledger, or by a run that was killed
    Add(LedgerAdd),
}

#[derive(Debug, Args)]
pub(crate) struct LedgerFile {
    /// The ledger
    pub(crate) ledger: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct LedgerAdd {
    /// The ledger; it is begun if it is not there
    pub(crate) ledger: PathBuf,
    /// The release folder
    pub(crate) release: PathBuf,
    /// What the data set is called, the same from release to release
    #[arg(long, value_name = "NAME")]
    pub(crate) dataset: String,
    /// It is meant to be of the same people as the release of line N, and of the lines that N continues; of several lines with
    /// commas
    #[arg(long, value_name = "N", value_delimiter = ',')]
    pub(crate) continues: Vec<u64>,
    /// The link between its persons and pseudonyms, so that the same people are noticed
    #[arg(long, value_name = "FILE")]
    pub(crate) key: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct KeysArgs {
    #[command(subcommand)]
    pub(crate) command: KeysCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum KeysCommand {
    /// Make a secret key NAME.key, which signs, and a public key NAME.pub, which verifies
    New(KeysNew),
}

#[derive(Debug, Args)]
pub(crate) struct KeysNew {
    /// The name of both files, without their endings
    #[arg(long, value_name = "NAME")]
    pub(crate) out: PathBuf,
    /// Put the secret key behind a password: the first line of this file
    #[arg(long, value_name = "FILE")]
    pub(crate) password_file: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct CertificateArgs {
    /// The release folder
    pub(crate) release: PathBuf,
    /// As it is, or as an in-toto Statement v1 about the data file
    #[arg(long, value_name = "FORM", default_value = "plain", value_parser = ["plain", "in-toto"])]
    pub(crate) format: String,
}
