//! Sessions of attackers: what each attack of the four families leaves in records.

use super::normal::plain;
use super::{CLIENTS, Connection, Family, SERVERS, content as at, few, port, spread};
use crate::rng::Rng;

/// Services that somebody who looks for open doors tries.
const DOORS: [&str; 12] =
    ["private", "ftp", "telnet", "http", "smtp", "finger", "auth", "imap4", "pop_3", "ssh", "uucp", "whois"];

/// A session of an attack of a family.
pub(super) fn session(family: Family, time: f64, rng: &mut Rng, into: &mut Vec<Connection>) {
    let from = into.len();
    let source = CLIENTS + rng.below(50) as u32;
    let host = rng.below(u64::from(SERVERS)) as u32;
    let label = match family {
        Family::Dos => denial(time, source, host, rng, into),
        Family::Probe => probe(time, source, host, rng, into),
        Family::R2l => entry(time, source, host, rng, into),
        Family::U2r => rise(time, source, host, rng, into),
    };
    into[from..].iter_mut().for_each(|connection| connection.label = label);
}

fn denial(time: f64, source: u32, host: u32, rng: &mut Rng, into: &mut Vec<Connection>) -> &'static str {
    match rng.below(10) {
        0..=3 => {
            // Connections that are never opened, as fast as they go, each from another port.
            let service = DOORS[rng.index(DOORS.len())];
            let gap = 0.004 + 0.02 * rng.unit();
            for flood in 0..80 + rng.below(300) {
                let mut one = plain(time + gap * flood as f64, source, host, service, rng);
                one.flag = if rng.unit() < 0.93 { "S0" } else { "REJ" };
                into.push(one);
            }
            "neptune"
        }
        4..=6 => {
            // Answers to pings that nobody sent, from everywhere.
            let bytes = 520 + 8 * rng.below(120);
            for flood in 0..80 + rng.below(250) {
                let from = rng.below(u64::from(CLIENTS)) as u32;
                let mut one = plain(time + 0.006 * flood as f64, from, host, "ecr_i", rng);
                one.protocol = "icmp";
                one.src_bytes = bytes + rng.below(3);
                into.push(one);
            }
            "smurf"
        }
        7 => {
            for request in 0..10 + rng.below(40) {
                let mut one = plain(time + 0.3 * request as f64, source, host, "http", rng);
                one.src_bytes = 54_000 + rng.below(1_000);
                one.dst_bytes = 8_000 + rng.below(600);
                one.duration = few(5, rng);
                one.content[at::HOT] = 2;
                one.content[at::LOGGED_IN] = 1;
                one.content[at::COMPROMISED] = u32::from(rng.unit() < 0.5);
                into.push(one);
            }
            "back"
        }
        8 => {
            for piece in 0..20 + rng.below(80) {
                let mut one = plain(time + 0.03 * piece as f64, source, host, "private", rng);
                (one.protocol, one.src_bytes) = ("udp", 28);
                one.content[at::WRONG_FRAGMENT] = if rng.unit() < 0.9 { 3 } else { 1 };
                into.push(one);
            }
            "teardrop"
        }
        _ => {
            for piece in 0..10 + rng.below(30) {
                let mut one = plain(time + 0.2 * piece as f64, source, host, "ecr_i", rng);
                (one.protocol, one.src_bytes) = ("icmp", 1_400 + rng.below(100));
                one.content[at::WRONG_FRAGMENT] = 1;
                into.push(one);
            }
            "pod"
        }
    }
}

fn probe(time: f64, source: u32, host: u32, rng: &mut Rng, into: &mut Vec<Connection>) -> &'static str {
    let count = 30 + rng.below(120);
    match rng.below(4) {
        0 => {
            // All doors of one host.
            let gap = 0.05 + 0.4 * rng.unit();
            for door in 0..count {
                let mut one = plain(time + gap * door as f64, source, host, DOORS[rng.index(DOORS.len())], rng);
                one.flag = ["REJ", "RSTR", "SF"][usize::from(rng.unit() < 0.35) + usize::from(rng.unit() < 0.03)];
                one.duration = if one.flag == "RSTR" { few(30, rng) } else { 0 };
                into.push(one);
            }
            "portsweep"
        }
        1 => {
            // One small ping to every host.
            let bytes = 8 + 10 * rng.below(2);
            for step in 0..count {
                let host = (host + step as u32) % SERVERS;
                let mut one = plain(time + 0.04 * step as f64, source, host, "eco_i", rng);
                (one.protocol, one.src_bytes) = ("icmp", bytes);
                into.push(one);
            }
            "ipsweep"
        }
        2 => {
            // All doors of all hosts.
            for door in 0..count {
                let host = (host + rng.below(5) as u32) % SERVERS;
                let mut one = plain(time + 0.02 * door as f64, source, host, DOORS[rng.index(DOORS.len())], rng);
                one.flag = if rng.unit() < 0.75 { "REJ" } else { "S0" };
                into.push(one);
            }
            "satan"
        }
        _ => {
            let from_port = port(rng);
            for door in 0..count {
                let mut one = plain(time + 0.08 * door as f64, source, host, "private", rng);
                one.flag = if rng.unit() < 0.8 { "SH" } else { "RSTR" };
                one.port = from_port;
                into.push(one);
            }
            "nmap"
        }
    }
}

fn entry(time: f64, source: u32, host: u32, rng: &mut Rng, into: &mut Vec<Connection>) -> &'static str {
    match rng.below(5) {
        0 | 1 => {
            let service = ["telnet", "pop_3", "ftp"][rng.index(3)];
            for guess in 0..4 + rng.below(20) {
                let mut one = plain(time + 1.5 * guess as f64, source, host, service, rng);
                one.duration = 1 + few(4, rng);
                one.src_bytes = 100 + rng.below(50);
                one.dst_bytes = 150 + rng.below(60);
                one.flag = if rng.unit() < 0.8 { "SF" } else { "RSTO" };
                one.content[at::HOT] = 1;
                one.content[at::FAILED_LOGINS] = 1 + few(4, rng);
                into.push(one);
            }
            "guess_passwd"
        }
        2 | 3 => {
            // Copies taken from where a guest should not be.
            let mut control = plain(time, source, host, "ftp", rng);
            control.duration = 200 + rng.below(2_000) as u32;
            control.src_bytes = 300 + rng.below(1_200);
            control.dst_bytes = 1_000 + rng.below(3_500);
            control.content[at::HOT] = 18 + rng.below(12) as u32;
            control.content[at::LOGGED_IN] = 1;
            control.content[at::GUEST_LOGIN] = 1;
            into.push(control);
            for part in 0..2 + rng.below(10) {
                let mut data = plain(time + 2.0 + 3.0 * part as f64, source, host, "ftp_data", rng);
                data.src_bytes = spread(250_000.0, 0.6, rng);
                data.duration = 5 + few(30, rng);
                data.content[at::LOGGED_IN] = 1;
                data.content[at::GUEST_LOGIN] = 1;
                data.content[at::HOT] = 1 + few(3, rng);
                into.push(data);
            }
            "warezclient"
        }
        _ => {
            for try_ in 0..1 + rng.below(3) {
                let mut one = plain(time + 4.0 * try_ as f64, source, host, "imap4", rng);
                one.duration = few(6, rng);
                one.src_bytes = 1_400 + rng.below(120);
                one.dst_bytes = if rng.unit() < 0.5 { 0 } else { 200 + rng.below(100) };
                one.flag = if rng.unit() < 0.6 { "SF" } else { "RSTO" };
                one.content[at::ROOT_SHELL] = u32::from(rng.unit() < 0.7);
                into.push(one);
            }
            "imap"
        }
    }
}

fn rise(time: f64, source: u32, host: u32, rng: &mut Rng, into: &mut Vec<Connection>) -> &'static str {
    let mut one = plain(time, source, host, "telnet", rng);
    one.duration = 30 + spread(120.0, 0.7, rng) as u32;
    one.src_bytes = spread(1_600.0, 0.5, rng);
    one.dst_bytes = spread(4_000.0, 0.8, rng);
    one.content[at::LOGGED_IN] = 1;
    one.content[at::ROOT_SHELL] = u32::from(rng.unit() < 0.9);
    let label = match rng.below(3) {
        0 => {
            one.content[at::HOT] = 2 + few(4, rng);
            one.content[at::COMPROMISED] = 1 + few(3, rng);
            one.content[at::FILE_CREATIONS] = 1 + few(3, rng);
            one.content[at::SHELLS] = u32::from(rng.unit() < 0.6);
            "buffer_overflow"
        }
        1 => {
            one.content[at::HOT] = 1 + few(4, rng);
            one.content[at::ROOT] = 2 + few(5, rng);
            one.content[at::FILE_CREATIONS] = 1 + few(4, rng);
            one.content[at::ACCESS_FILES] = few(2, rng);
            "loadmodule"
        }
        _ => {
            one.content[at::HOT] = few(3, rng);
            one.content[at::ROOT] = 3 + few(8, rng);
            one.content[at::COMPROMISED] = 1 + few(4, rng);
            one.content[at::URGENT] = u32::from(rng.unit() < 0.1);
            "rootkit"
        }
    };
    into.push(one);
    label
}
