//! What can be typed after `throng policy`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use throng::io::Format;
use throng::kinds::{self, Ask, ColumnChoice};
use throng::run::PolicyRequest;
use throng_core::Result;

use super::role_and_column;

#[derive(Debug, Args)]
pub(crate) struct PolicyArgs {
    #[command(subcommand)]
    pub(crate) command: PolicyCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PolicyCommand {
    /// What each rule of a policy says of a release: holds, breaks, or cannot be judged. Exit 0 if all hold, else 1
    #[command(after_help = "Examples:\n  \
        throng policy check policy.toml   (can it be understood?)\n  \
        throng policy check policy.toml release --ledger releases.ledger\n  \
        throng protect searches.csv --out release --policy policy.toml")]
    Check(PolicyCheck),
}

#[derive(Debug, Args)]
pub(crate) struct PolicyCheck {
    /// The policy, a TOML file
    pub(crate) policy: PathBuf,
    /// A release folder, or a file; without one the policy itself is checked
    pub(crate) release: Option<PathBuf>,
    /// The ledger of what has left, for rules about it
    #[arg(long, value_name = "FILE")]
    pub(crate) ledger: Option<PathBuf>,
    /// What the data set is called, if the release is not in the ledger
    #[arg(long, value_name = "NAME")]
    pub(crate) dataset: Option<String>,
    /// A release of the ledger that was made without this policy, to see what it says; may be repeated
    #[arg(long, value_name = "DIR")]
    pub(crate) earlier: Vec<PathBuf>,
    /// The certificate must be signed with this key, the NAME.pub of `throng keys new` or of minisign
    #[arg(long, value_name = "FILE")]
    pub(crate) trusted: Option<PathBuf>,
    /// Where concepts are looked up: wordnet, or a taxonomy file; may be repeated [default: wordnet]
    #[arg(long, value_name = "wordnet|FILE")]
    pub(crate) taxonomy: Vec<String>,
    /// The kind of data, of a file [default: recognised from the file]
    #[arg(long, value_name = "KIND")]
    pub(crate) kind: Option<String>,
    /// The format of a file, if it is not what it looks like
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<String>,
    /// Which column of a file holds what, as user=AnonID
    #[arg(long, value_name = "ROLE=COLUMN", num_args = 1.., value_parser = role_and_column)]
    pub(crate) column: Vec<String>,
    /// A file with sensitive items, one a line, for minimums that need them
    #[arg(long, value_name = "FILE")]
    pub(crate) sensitive: Option<PathBuf>,
}

impl PolicyCheck {
    /// What is asked for.
    pub(crate) fn request(&self) -> Result<PolicyRequest> {
        let kind = self.kind.as_deref().map(|name| kinds::named(name).map(|kind| kind.card().name.to_owned()));
        let ask = Ask {
            kind: kind.transpose()?,
            format: self.format.as_deref().map(Format::parse).transpose()?,
            columns: self.column.iter().map(|text| ColumnChoice::parse(text)).collect::<Result<_>>()?,
            taxonomies: self.taxonomy.clone(),
            sensitive: self.sensitive.clone(),
            ..Ask::default()
        };
        Ok(PolicyRequest {
            policy: self.policy.clone(),
            release: self.release.clone(),
            ledger: self.ledger.clone(),
            dataset: self.dataset.clone(),
            earlier: self.earlier.clone(),
            trusted: self.trusted.clone(),
            ask,
        })
    }
}
