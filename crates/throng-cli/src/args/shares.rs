//! What can be typed after `throng shares`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub(crate) struct SharesArgs {
    #[command(subcommand)]
    pub(crate) command: SharesCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SharesCommand {
    /// Put together what can be: the searches that enough persons typed, as a file without shares
    #[command(after_help = "Example:\n  throng shares open release --out opened.tsv")]
    Open(SharesOpen),
}

#[derive(Debug, Args)]
pub(crate) struct SharesOpen {
    /// A release folder whose lines show shares, or its data file
    pub(crate) release: PathBuf,
    /// The file to make, in the format that its ending says, else in that of the release; it must not exist
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
}
