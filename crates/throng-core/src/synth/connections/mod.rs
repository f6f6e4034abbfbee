//! Made-up connection records in the form of KDD Cup 1999: clients, servers and attackers are simulated, and what a record says of its
//! neighbours in time is counted on the records before it.
//!
//! # Idea
//! 1. Sessions of normal traffic and attacks of four families begin at drawn times; each makes connections ([`Connection`]).
//! 2. All connections stand in the order of their times, and [`traffic`] counts for each what came before it.
//! 3. [`cells`] writes a record: 41 features and the label.
//!
//! # Formula
//! Of records up to this one, itself included: the last two seconds to the same host (`count` and its rates) and of the same service
//! (`srv_`), and the last hundred connections to the same host (`dst_host_`). A rate is a share with two digits: `serror` of flags S0 to S3,
//! `rerror` of REJ and RSTR, `same_srv` and `diff_srv` of the same and of other services, `srv_diff_host` of other hosts,
//! `dst_host_same_src_port` of the same source port, `dst_host_srv_diff_host` of other sources among the same service.
//!
//! # What it does not do
//! It is no traffic of anybody, and easier than real traffic: a detector that is right here may be wrong there.

mod attacks;
mod normal;
mod traffic;

pub use crate::detectors::records::kdd::{COLUMNS, Family};
pub use traffic::{HUNDRED, SECONDS, Traffic, traffic};

use crate::rng::Rng;

/// What share of the records attacks are.
pub const ATTACKS: f64 = 0.1;
/// What share of those each family has.
const FAMILIES: [(Family, f64); 4] =
    [(Family::Dos, 0.5), (Family::Probe, 0.25), (Family::R2l, 0.17), (Family::U2r, 0.08)];
/// So many normal connections begin in a second.
const PER_SECOND: f64 = 12.0;
/// The servers and the clients that there are.
pub(super) const SERVERS: u32 = 40;
pub(super) const CLIENTS: u32 = 600;

/// A connection as it was made, before anything is counted.
#[derive(Debug, Clone, PartialEq)]
pub struct Connection {
    /// When it began, in seconds.
    pub time: f64,
    /// Who made it.
    pub source: u32,
    /// From which port.
    pub port: u16,
    /// To whom.
    pub host: u32,
    /// How long it took, in seconds.
    pub duration: u32,
    /// tcp, udp or icmp.
    pub protocol: &'static str,
    /// What was asked for.
    pub service: &'static str,
    /// How it ended.
    pub flag: &'static str,
    /// Bytes from the source.
    pub src_bytes: u64,
    /// Bytes from the host.
    pub dst_bytes: u64,
    /// From `land` to `is_guest_login`, as the records have them: 16 numbers.
    pub content: [u32; 16],
    /// `normal`, or the name of the attack.
    pub label: &'static str,
}

/// Places in [`Connection::content`].
pub(super) mod content {
    pub(crate) const WRONG_FRAGMENT: usize = 1;
    pub(crate) const URGENT: usize = 2;
    pub(crate) const HOT: usize = 3;
    pub(crate) const FAILED_LOGINS: usize = 4;
    pub(crate) const LOGGED_IN: usize = 5;
    pub(crate) const COMPROMISED: usize = 6;
    pub(crate) const ROOT_SHELL: usize = 7;
    pub(crate) const SU_ATTEMPTED: usize = 8;
    pub(crate) const ROOT: usize = 9;
    pub(crate) const FILE_CREATIONS: usize = 10;
    pub(crate) const SHELLS: usize = 11;
    pub(crate) const ACCESS_FILES: usize = 12;
    pub(crate) const GUEST_LOGIN: usize = 15;
}

/// Makes up so many connections, in the order of their times.
pub fn connections(rows: usize, rng: &mut Rng) -> Vec<Connection> {
    let attacks = (rows as f64 * ATTACKS).round() as usize;
    let span = (rows as f64 / PER_SECOND).max(10.0);
    let mut all = Vec::with_capacity(rows + 500);
    let mut left = attacks;
    for (at, (family, share)) in FAMILIES.into_iter().enumerate() {
        let last = at + 1 == FAMILIES.len();
        let wanted = if last { left } else { ((attacks as f64 * share).round() as usize).min(left) };
        left -= wanted;
        let end = all.len() + wanted;
        while all.len() < end {
            attacks::session(family, rng.unit() * span, rng, &mut all);
        }
        all.truncate(end);
    }
    while all.len() < rows {
        normal::session(rng.unit() * span, rng, &mut all);
    }
    all.truncate(rows);
    // The sort keeps the order of those that begin at once.
    all.sort_by(|one, other| one.time.total_cmp(&other.time));
    all
}

/// A record: the 41 features and the label.
pub fn cells(connection: &Connection, traffic: &Traffic) -> Vec<String> {
    let mut cells = vec![
        connection.duration.to_string(),
        connection.protocol.to_owned(),
        connection.service.to_owned(),
        connection.flag.to_owned(),
        connection.src_bytes.to_string(),
        connection.dst_bytes.to_string(),
    ];
    cells.extend(connection.content.iter().map(u32::to_string));
    cells.extend(traffic.cells());
    cells.push(connection.label.to_owned());
    cells
}

/// A number around a middle, whose logarithm is spread by so much.
pub(super) fn spread(middle: f64, by: f64, rng: &mut Rng) -> u64 {
    (middle * (by * rng.normal()).exp()).round().max(1.0) as u64
}

/// From 0 to below a bound, most often little: halved again and again.
pub(super) fn few(most: u32, rng: &mut Rng) -> u32 {
    let mut count = 0;
    while count < most && rng.unit() < 0.5 {
        count += 1;
    }
    count
}

/// A port that a client has.
pub(super) fn port(rng: &mut Rng) -> u16 {
    1_024 + rng.below(60_000) as u16
}

#[cfg(test)]
mod tests;
