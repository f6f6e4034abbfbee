//! What can be typed after `throng geocode private` and `throng geocode attack chaff`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use throng::run::{
    AnswerRequest, ChaffAttackRequest, ChaffRequest, EncodeAddressesRequest, MatchEncodedRequest, OpenPlacesRequest,
};

use super::geocode::Reference;

#[derive(Debug, Subcommand)]
pub(crate) enum GeocodePrivate {
    /// Send addresses among made-up ones of the same postcodes, under other ids and in another order
    #[command(after_help = "Examples:\n  \
        throng geocode private chaff patients.csv --ref addresses.csv --chaff 4 --state chaff.state --out queries.csv\n  \
        throng geocode private unchaff answer.csv --state chaff.state --out places.csv\n\n\
        What a provider can still guess is measured, not promised: `throng geocode attack chaff`.")]
    Chaff(PrivateChaff),
    /// Take the answers to what was really asked out of a provider's answer
    #[command(
        after_help = "Example:\n  throng geocode private unchaff answer.csv --state chaff.state --out places.csv"
    )]
    Unchaff(PrivateUnchaff),
    /// Send addresses under other ids and in another order, as one who asks for others: `unchaff` gives them their ids back
    #[command(
        after_help = "Example:\n  throng geocode private proxy patients.csv --state proxy.state --out queries.csv"
    )]
    Proxy(PrivateProxy),
    /// Encode addresses, or a reference with its places sealed, under a secret of holder and provider, for a third party to compare
    #[command(after_help = "Examples:\n  \
        throng geocode private encode patients.csv --secret-file secret --key rows.csv --out patients.enc\n  \
        throng geocode private encode reference.csv --reference --secret-file secret --out reference.enc\n  \
        throng geocode private match patients.enc --ref reference.enc --out found.csv\n  \
        throng geocode private open found.csv --key rows.csv --secret-file secret --out places.csv")]
    Encode(PrivateEncode),
    /// As the third party: the most similar row of an encoded reference for each encoded address, its place still sealed
    #[command(after_help = "Example:\n  throng geocode private match patients.enc --ref reference.enc --out found.csv")]
    Match(PrivateMatch),
    /// As the holder: open the places that were found
    #[command(
        after_help = "Example:\n  throng geocode private open found.csv --key rows.csv --secret-file secret --out places.csv"
    )]
    Open(PrivateOpen),
}

#[derive(Debug, Args)]
pub(crate) struct PrivateChaff {
    /// The addresses: id,address or id,number,street,suburb,postcode
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) reference: Reference,
    /// How many made-up addresses for each
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub(crate) chaff: usize,
    /// Send all addresses as they are written, errors and all; else those that the reference knows as it writes them
    #[arg(long)]
    pub(crate) as_written: bool,
    /// Where it is kept which are real, and whose; it stays with you
    #[arg(long, value_name = "FILE")]
    pub(crate) state: PathBuf,
    /// The file to send
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct PrivateUnchaff {
    /// What the provider answered, with the column id
    pub(crate) answer: PathBuf,
    /// What chaff or proxy kept
    #[arg(long, value_name = "FILE")]
    pub(crate) state: PathBuf,
    /// The file to make
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct PrivateProxy {
    /// The addresses: id,address or id,number,street,suburb,postcode
    pub(crate) file: PathBuf,
    /// Where it is kept whose they are; it stays with you
    #[arg(long, value_name = "FILE")]
    pub(crate) state: PathBuf,
    /// The file to send
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct PrivateEncode {
    /// Addresses id,number,street,suburb,postcode, or a reference
    pub(crate) file: PathBuf,
    /// It is the provider's reference, with places
    #[arg(long)]
    pub(crate) reference: bool,
    /// A file with the secret of holder and provider, at least 16 bytes
    #[arg(long, value_name = "FILE")]
    pub(crate) secret_file: PathBuf,
    /// Where the ids of the rows are kept; it stays with the holder
    #[arg(long, value_name = "FILE")]
    pub(crate) key: Option<PathBuf>,
    /// The file to make, for the third party only
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct PrivateMatch {
    /// The holder's encoded addresses
    pub(crate) file: PathBuf,
    /// The provider's encoded reference
    #[arg(long = "ref", value_name = "FILE")]
    pub(crate) reference: PathBuf,
    /// Rows that are less similar are not found
    #[arg(long, value_name = "X", default_value_t = 0.75)]
    pub(crate) lower: f64,
    /// The file to make: row,score,sealed
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct PrivateOpen {
    /// What the third party found
    pub(crate) file: PathBuf,
    /// The ids of the rows
    #[arg(long, value_name = "FILE")]
    pub(crate) key: PathBuf,
    /// The file with the secret
    #[arg(long, value_name = "FILE")]
    pub(crate) secret_file: PathBuf,
    /// The file to make: id,lat,lon,score,ref
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct GeocodeChaffAttack {
    /// What was sent
    pub(crate) sent: PathBuf,
    #[command(flatten)]
    pub(crate) reference: Reference,
    /// What was kept: which are real
    #[arg(long, value_name = "FILE")]
    pub(crate) state: PathBuf,
}

impl PrivateChaff {
    pub(crate) fn request(&self) -> ChaffRequest {
        ChaffRequest {
            file: self.file.clone(),
            chaff: Some((self.reference.file(), self.chaff)),
            as_written: self.as_written,
            state: self.state.clone(),
            out: self.out.clone(),
        }
    }
}

impl PrivateProxy {
    pub(crate) fn request(&self) -> ChaffRequest {
        ChaffRequest {
            file: self.file.clone(),
            chaff: None,
            as_written: true,
            state: self.state.clone(),
            out: self.out.clone(),
        }
    }
}

impl PrivateUnchaff {
    pub(crate) fn request(&self) -> AnswerRequest {
        AnswerRequest { answer: self.answer.clone(), state: self.state.clone(), out: self.out.clone() }
    }
}

impl PrivateEncode {
    pub(crate) fn request(&self) -> EncodeAddressesRequest {
        EncodeAddressesRequest {
            file: self.file.clone(),
            is_reference: self.reference,
            secret: self.secret_file.clone(),
            key: self.key.clone(),
            out: self.out.clone(),
        }
    }
}

impl PrivateMatch {
    pub(crate) fn request(&self) -> MatchEncodedRequest {
        MatchEncodedRequest {
            queries: self.file.clone(),
            reference: self.reference.clone(),
            lower: self.lower,
            out: self.out.clone(),
        }
    }
}

impl PrivateOpen {
    pub(crate) fn request(&self) -> OpenPlacesRequest {
        OpenPlacesRequest {
            matches: self.file.clone(),
            key: self.key.clone(),
            secret: self.secret_file.clone(),
            out: self.out.clone(),
        }
    }
}

impl GeocodeChaffAttack {
    pub(crate) fn request(&self) -> ChaffAttackRequest {
        ChaffAttackRequest { sent: self.sent.clone(), state: self.state.clone(), reference: self.reference.file() }
    }
}
