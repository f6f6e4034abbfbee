//! Sessions of people and programs who do what they should.

use super::{CLIENTS, Connection, SERVERS, content as at, few, port, spread};
use crate::rng::Rng;

/// A session from a time on.
pub(super) fn session(time: f64, rng: &mut Rng, into: &mut Vec<Connection>) {
    let source = rng.below(u64::from(CLIENTS)) as u32;
    match rng.below(100) {
        0..=44 => web(time, source, rng, into),
        45..=59 => names(time, source, rng, into),
        60..=73 => mail(time, source, rng, into),
        74..=81 => files(time, source, rng, into),
        82..=87 => terminal(time, source, rng, into),
        88..=93 => pings(time, source, rng, into),
        _ => others(time, source, rng, into),
    }
}

/// A connection that nothing is special about.
pub(super) fn plain(time: f64, source: u32, host: u32, service: &'static str, rng: &mut Rng) -> Connection {
    Connection {
        time,
        source,
        port: port(rng),
        host,
        duration: 0,
        protocol: "tcp",
        service,
        flag: "SF",
        src_bytes: 0,
        dst_bytes: 0,
        content: [0; 16],
        label: "normal",
    }
}

/// One of the servers that have a service.
fn server(first: u32, count: u32, rng: &mut Rng) -> u32 {
    (first + rng.below(u64::from(count)) as u32) % SERVERS
}

/// Now and then a connection fails, for no bad reason.
fn may_fail(mut connection: Connection, rng: &mut Rng) -> Connection {
    let chance = rng.unit();
    let flag = match chance {
        c if c < 0.010 => "REJ",
        c if c < 0.014 => "S0",
        c if c < 0.020 => "S1",
        c if c < 0.024 => "RSTO",
        _ => return connection,
    };
    connection.flag = flag;
    if flag == "REJ" || flag == "S0" {
        (connection.src_bytes, connection.dst_bytes, connection.content) = (0, 0, [0; 16]);
    }
    connection
}

fn web(time: f64, source: u32, rng: &mut Rng, into: &mut Vec<Connection>) {
    let host = server(0, 12, rng);
    let mut time = time;
    for _ in 0..1 + rng.below(14) {
        let mut one = plain(time, source, host, "http", rng);
        one.src_bytes = spread(240.0, 0.3, rng);
        one.dst_bytes = spread(3_000.0, 1.3, rng);
        one.duration = if rng.unit() < 0.05 { few(20, rng) } else { 0 };
        one.content[at::LOGGED_IN] = 1;
        into.push(may_fail(one, rng));
        time += 0.6 * -(1.0 - rng.unit()).ln();
    }
}

fn names(time: f64, source: u32, rng: &mut Rng, into: &mut Vec<Connection>) {
    let host = server(12, 3, rng);
    for query in 0..1 + rng.below(4) {
        let mut one = plain(time + 0.05 * query as f64, source, host, "domain_u", rng);
        one.protocol = "udp";
        one.src_bytes = 30 + rng.below(25);
        one.dst_bytes = 30 + rng.below(160);
        into.push(one);
    }
}

fn mail(time: f64, source: u32, rng: &mut Rng, into: &mut Vec<Connection>) {
    let host = server(15, 5, rng);
    let mut one = plain(time, source, host, "smtp", rng);
    one.duration = few(6, rng);
    one.src_bytes = spread(1_100.0, 0.7, rng);
    one.dst_bytes = 290 + rng.below(90);
    one.content[at::LOGGED_IN] = 1;
    into.push(may_fail(one, rng));
    if rng.unit() < 0.3 {
        let mut fetched = plain(time + 1.0 + rng.unit(), source, host, "pop_3", rng);
        fetched.duration = 1 + few(8, rng);
        fetched.src_bytes = 60 + rng.below(40);
        fetched.dst_bytes = spread(2_500.0, 1.2, rng);
        fetched.content[at::LOGGED_IN] = 1;
        // People mistype their passwords.
        fetched.content[at::FAILED_LOGINS] = u32::from(rng.unit() < 0.02);
        into.push(may_fail(fetched, rng));
    }
}

fn files(time: f64, source: u32, rng: &mut Rng, into: &mut Vec<Connection>) {
    let host = server(20, 5, rng);
    let is_guest = rng.unit() < 0.25;
    let mut control = plain(time, source, host, "ftp", rng);
    control.duration = 5 + few(60, rng) * 4 + rng.below(30) as u32;
    control.src_bytes = 100 + rng.below(400);
    control.dst_bytes = 300 + rng.below(1_600);
    control.content[at::LOGGED_IN] = 1;
    control.content[at::HOT] = u32::from(is_guest) + few(2, rng);
    control.content[at::GUEST_LOGIN] = u32::from(is_guest);
    control.content[at::FILE_CREATIONS] = u32::from(!is_guest && rng.unit() < 0.1);
    into.push(may_fail(control, rng));
    for part in 0..1 + rng.below(4) {
        let mut data = plain(time + 1.0 + part as f64, source, host, "ftp_data", rng);
        let is_upload = rng.unit() < 0.3;
        data.duration = few(4, rng);
        *(if is_upload { &mut data.src_bytes } else { &mut data.dst_bytes }) = spread(6_000.0, 1.4, rng);
        data.content[at::LOGGED_IN] = 1;
        into.push(data);
    }
}

fn terminal(time: f64, source: u32, rng: &mut Rng, into: &mut Vec<Connection>) {
    let host = server(25, 8, rng);
    let service = if rng.unit() < 0.6 { "telnet" } else { "ssh" };
    let mut one = plain(time, source, host, service, rng);
    one.duration = spread(140.0, 1.2, rng) as u32;
    one.src_bytes = spread(700.0, 1.0, rng);
    one.dst_bytes = spread(5_000.0, 1.2, rng);
    one.content[at::LOGGED_IN] = 1;
    one.content[at::FAILED_LOGINS] = u32::from(rng.unit() < 0.03);
    one.content[at::HOT] = few(2, rng);
    one.content[at::ACCESS_FILES] = u32::from(rng.unit() < 0.05);
    one.content[at::FILE_CREATIONS] = u32::from(rng.unit() < 0.08);
    // Who looks after the machine becomes root in the open.
    if rng.unit() < 0.02 {
        one.content[at::SU_ATTEMPTED] = 1;
        one.content[at::ROOT] = 1 + few(6, rng);
    }
    into.push(may_fail(one, rng));
}

fn pings(time: f64, source: u32, rng: &mut Rng, into: &mut Vec<Connection>) {
    let host = server(0, SERVERS, rng);
    let service = if rng.unit() < 0.5 { "eco_i" } else { "ecr_i" };
    let bytes = 30 + rng.below(60);
    for echo in 0..1 + rng.below(3) {
        let mut one = plain(time + echo as f64, source, host, service, rng);
        one.protocol = "icmp";
        one.src_bytes = bytes;
        into.push(one);
    }
}

fn others(time: f64, source: u32, rng: &mut Rng, into: &mut Vec<Connection>) {
    let host = server(33, 7, rng);
    let mut one = plain(time, source, host, "finger", rng);
    match rng.below(4) {
        0 => {
            one.src_bytes = 5 + rng.below(8);
            one.dst_bytes = 100 + rng.below(400);
        }
        1 => {
            one.service = "auth";
            one.src_bytes = 8 + rng.below(5);
            one.dst_bytes = 20 + rng.below(30);
        }
        2 => {
            (one.protocol, one.service) = ("udp", "ntp_u");
            (one.src_bytes, one.dst_bytes) = (48, 48);
        }
        _ => {
            (one.protocol, one.service) = ("udp", "private");
            one.src_bytes = 90 + rng.below(30);
            one.dst_bytes = 90 + rng.below(80);
        }
    }
    into.push(may_fail(one, rng));
}
