//! What can be typed of protocols between parties.

use std::path::PathBuf;

use clap::Args;
use throng::party::{Tls, Transport};
use throng::run::{PartyProtocol, PartyRequest};
use throng_core::Result;

use super::link::RecordArgs;

/// How messages travel between parties.
#[derive(Debug, Args)]
#[command(next_help_heading = "Messages")]
pub(crate) struct TransportArgs {
    /// A message of another party to read; repeatable
    #[arg(long, value_name = "FILE")]
    pub(crate) receive: Vec<PathBuf>,
    /// Where to write the next message; repeatable, in the order in which the step says whom they are for
    #[arg(long, value_name = "FILE")]
    pub(crate) send: Vec<PathBuf>,
    /// What this party keeps from step to step: its secret, removed by the last step
    #[arg(long, value_name = "FILE")]
    pub(crate) state: Option<PathBuf>,
    /// Take all steps at once through a folder that all parties share
    #[arg(long, value_name = "DIR")]
    pub(crate) exchange: Option<PathBuf>,
    /// How long to wait for a message
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    pub(crate) wait: u64,
    /// TLS: wait for the other party at this address; only in builds with the feature network
    #[arg(long, value_name = "ADDR", conflicts_with = "connect")]
    pub(crate) listen: Option<String>,
    /// TLS: go to the other party at this address
    #[arg(long, value_name = "ADDR")]
    pub(crate) connect: Option<String>,
    /// TLS: the own certificate
    #[arg(long, value_name = "PEM")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// TLS: its key
    #[arg(long, value_name = "PEM")]
    pub(crate) tls_key: Option<PathBuf>,
    /// TLS: the one certificate that the other party may show
    #[arg(long, value_name = "PEM")]
    pub(crate) peer_cert: Option<PathBuf>,
    /// TLS: the address may be on another machine
    #[arg(long)]
    pub(crate) allow_network: bool,
}

impl TransportArgs {
    pub(crate) fn transport(&self) -> Transport {
        Transport {
            receive: self.receive.clone(),
            send: self.send.clone(),
            state: self.state.clone(),
            exchange: self.exchange.clone(),
            tls: Tls {
                listen: self.listen.clone(),
                connect: self.connect.clone(),
                certificate: self.tls_cert.clone(),
                key: self.tls_key.clone(),
                peer: self.peer_cert.clone(),
                allow_network: self.allow_network,
            },
            timeout: self.wait,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct LinkCertificate {
    /// The name of the party; the files are NAME.pem, to be given to the other party, and NAME.key, which stays
    #[arg(long, value_name = "NAME")]
    pub(crate) name: String,
    /// The folder in which both are made
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct LinkParty {
    /// This party's records; a dealer has none
    pub(crate) file: Option<PathBuf>,
    /// psi, psi-count, scalar or edit
    #[arg(long, value_name = "NAME")]
    pub(crate) protocol: String,
    /// Who this party is: alice, bob or dealer
    #[arg(long, value_name = "WHO")]
    pub(crate) role: String,
    /// The columns whose values are compared, in the same order on both sides
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub(crate) on: Vec<String>,
    /// What this party learns is written here
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// psi: bob learns too which of his records alice has; both say it
    #[arg(long)]
    pub(crate) share_result: bool,
    /// psi and psi-count: round the size of the own set up to a power of 2
    #[arg(long)]
    pub(crate) pad: bool,
    /// scalar: how many characters a q-gram has
    #[arg(long, value_name = "Q", default_value_t = 2)]
    pub(crate) q: usize,
    /// scalar: how many buckets q-grams are counted in
    #[arg(long, value_name = "N", default_value_t = 1024)]
    pub(crate) dimensions: usize,
    /// scalar: counts, or tf-idf, which gives rare q-grams more weight
    #[arg(long, value_name = "HOW", default_value = "counts")]
    pub(crate) weights: String,
    /// scalar: draw so many samples of each record and count what is common, without a dealer; not exact
    #[arg(long, value_name = "N")]
    pub(crate) samples: Option<u32>,
    /// edit: learn only which pairs are at most so many edits apart
    #[arg(long, value_name = "N")]
    pub(crate) at_most: Option<u8>,
    #[command(flatten)]
    pub(crate) transport: TransportArgs,
    #[command(flatten)]
    pub(crate) reading: RecordArgs,
}

impl LinkParty {
    pub(crate) fn request(&self) -> Result<PartyRequest> {
        Ok(PartyRequest {
            protocol: PartyProtocol::parse(&self.protocol)?,
            role: self.role.clone(),
            file: self.file.clone(),
            on: self.on.clone(),
            id: self.reading.id.clone(),
            transport: self.transport.transport(),
            out: self.out.clone(),
            share_result: self.share_result,
            pad: self.pad,
            q: self.q,
            dimensions: self.dimensions,
            weights: self.weights.clone(),
            samples: self.samples,
            at_most: self.at_most,
            options: self.reading.options()?,
        })
    }
}

/// Clusters over several holders.
#[derive(Debug, Args)]
#[command(next_help_heading = "Several holders")]
pub(crate) struct PathsPartyArgs {
    /// Clusters over several holders who do not show their paths
    #[arg(long, requires = "role")]
    pub(crate) party: bool,
    /// Who this party is: alice, bob, 3 and so on have paths; dealer deals random numbers; carol clusters
    #[arg(long, value_name = "WHO", requires = "party")]
    pub(crate) role: Option<String>,
    /// How many holders there are; all parties say the same
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(crate) holders: usize,
    #[command(flatten)]
    pub(crate) transport: TransportArgs,
}
