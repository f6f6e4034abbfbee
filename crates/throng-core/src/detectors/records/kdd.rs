//! The columns and labels of KDD Cup 1999, the best known connection records: a connection is a line, with what it did, and what its
//! neighbours in time and at its host did.
//!
//! Known weaknesses of the real set: three quarters of its records are duplicates and two attacks make most of it, so that an accuracy
//! above .99 says little. Remove duplicates before splitting, and look at the recall of each family.

use serde::Serialize;

/// The 41 features, then the label.
pub const COLUMNS: [&str; 42] = [
    "duration",
    "protocol_type",
    "service",
    "flag",
    "src_bytes",
    "dst_bytes",
    "land",
    "wrong_fragment",
    "urgent",
    "hot",
    "num_failed_logins",
    "logged_in",
    "num_compromised",
    "root_shell",
    "su_attempted",
    "num_root",
    "num_file_creations",
    "num_shells",
    "num_access_files",
    "num_outbound_cmds",
    "is_host_login",
    "is_guest_login",
    "count",
    "srv_count",
    "serror_rate",
    "srv_serror_rate",
    "rerror_rate",
    "srv_rerror_rate",
    "same_srv_rate",
    "diff_srv_rate",
    "srv_diff_host_rate",
    "dst_host_count",
    "dst_host_srv_count",
    "dst_host_same_srv_rate",
    "dst_host_diff_srv_rate",
    "dst_host_same_src_port_rate",
    "dst_host_srv_diff_host_rate",
    "dst_host_serror_rate",
    "dst_host_srv_serror_rate",
    "dst_host_rerror_rate",
    "dst_host_srv_rerror_rate",
    "label",
];

/// The families of attacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// Denial of service.
    Dos,
    /// Looking for weak places.
    Probe,
    /// Getting in from outside.
    R2l,
    /// Getting more rights than one has.
    U2r,
}

impl Family {
    /// Its name in outputs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dos => "dos",
            Self::Probe => "probe",
            Self::R2l => "r2l",
            Self::U2r => "u2r",
        }
    }
}

const ATTACKS: &[(Family, &[&str])] = &[
    (
        Family::Dos,
        &["back", "land", "neptune", "pod", "smurf", "teardrop", "apache2", "mailbomb", "processtable", "udpstorm"],
    ),
    (Family::Probe, &["ipsweep", "nmap", "portsweep", "satan", "mscan", "saint"]),
    (
        Family::R2l,
        &[
            "ftp_write",
            "guess_passwd",
            "imap",
            "multihop",
            "phf",
            "spy",
            "warezclient",
            "warezmaster",
            "named",
            "sendmail",
            "snmpgetattack",
            "snmpguess",
            "worm",
            "xlock",
            "xsnoop",
        ],
    ),
    (Family::U2r, &["buffer_overflow", "loadmodule", "perl", "rootkit", "httptunnel", "ps", "sqlattack", "xterm"]),
];

/// The family of an attack, if its name is one of KDD's.
pub fn family(label: &str) -> Option<Family> {
    let label = super::plain_label(label);
    ATTACKS.iter().find(|(_, names)| names.contains(&label)).map(|(family, _)| *family)
}

/// Whether the first line of a file is a record of KDD, which has no header; then how many columns it has.
pub fn without_header(cells: &[&str]) -> Option<usize> {
    let is_protocol = cells.get(1).is_some_and(|cell| ["tcp", "udp", "icmp"].contains(&cell.trim()));
    let is_number = |cell: Option<&&str>| cell.is_some_and(|cell| super::number(cell).is_some());
    let is_width = cells.len() == COLUMNS.len() || cells.len() + 1 == COLUMNS.len();
    (is_width && is_protocol && is_number(cells.first()) && is_number(cells.get(4))).then_some(cells.len())
}
