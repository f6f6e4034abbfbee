//! `throng serve`, which is the program `throng-serve`: both read these flags.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// The only folder that the page may read files of and save releases to [default: none]
    pub(crate) dir: Option<PathBuf>,
    /// The port of 127.0.0.1 to listen on; 0 is one that is free
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub(crate) port: u16,
    /// Print the address, and do not open a browser
    #[arg(long)]
    pub(crate) no_open: bool,
    /// End after so long without a request and without a run; a run that nobody asks about for so long is stopped
    #[arg(long, value_name = "SPAN", default_value = "30m")]
    pub(crate) idle: String,
    /// The largest file that is taken
    #[arg(long, value_name = "SIZE", default_value = "4G")]
    pub(crate) largest: String,
}
