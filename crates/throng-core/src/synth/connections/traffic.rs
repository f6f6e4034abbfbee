//! What a record says of the records before it: counted as they come, a window a host, a service and an end.

use std::collections::VecDeque;

use super::{Connection, SERVERS};

/// How far back the features of time look, in seconds.
pub const SECONDS: f64 = 2.0;
/// How far back those of a host look, in connections to it.
pub const HUNDRED: usize = 100;

/// The nineteen features of traffic, in the order of the records.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Traffic {
    /// `count` and `srv_count`.
    pub counts: [usize; 2],
    /// From `serror_rate` to `srv_diff_host_rate`.
    pub rates: [f64; 7],
    /// `dst_host_count` and `dst_host_srv_count`.
    pub host_counts: [usize; 2],
    /// From `dst_host_same_srv_rate` to `dst_host_srv_rerror_rate`.
    pub host_rates: [f64; 8],
}

impl Traffic {
    pub(super) fn cells(&self) -> Vec<String> {
        let counts = |counts: [usize; 2]| counts.map(|count| count.to_string());
        let rate = |rate: &f64| format!("{rate:.2}");
        let mut cells = counts(self.counts).to_vec();
        cells.extend(self.rates.iter().map(rate));
        cells.extend(counts(self.host_counts));
        cells.extend(self.host_rates.iter().map(rate));
        cells
    }
}

/// Whether a connection was never opened.
pub(super) fn is_opening_error(flag: &str) -> bool {
    ["S0", "S1", "S2", "S3"].contains(&flag)
}

/// Whether a connection was refused.
pub(super) fn is_refusal(flag: &str) -> bool {
    ["REJ", "RSTR"].contains(&flag)
}

/// Counts for all connections, which stand in the order of their times.
pub fn traffic(connections: &[Connection]) -> Vec<Traffic> {
    let mut window: VecDeque<usize> = VecDeque::new();
    let mut of_host: Vec<VecDeque<usize>> = vec![VecDeque::new(); SERVERS as usize];
    let mut found = Vec::with_capacity(connections.len());
    for (at, now) in connections.iter().enumerate() {
        window.push_back(at);
        while window.front().is_some_and(|&first| connections[first].time <= now.time - SECONDS) {
            window.pop_front();
        }
        let own = &mut of_host[now.host as usize];
        own.push_back(at);
        if own.len() > HUNDRED {
            own.pop_front();
        }
        let recent = Tally::of(window.iter().map(|&at| &connections[at]), now);
        let host = Tally::of(own.iter().map(|&at| &connections[at]), now);
        found.push(Traffic {
            counts: [recent.host, recent.service],
            rates: [
                share(recent.host_opening, recent.host),
                share(recent.service_opening, recent.service),
                share(recent.host_refused, recent.host),
                share(recent.service_refused, recent.service),
                share(recent.both, recent.host),
                share(recent.host - recent.both, recent.host),
                share(recent.service - recent.both, recent.service),
            ],
            host_counts: [host.host, host.service],
            host_rates: [
                share(host.service, host.host),
                share(host.host - host.service, host.host),
                share(host.same_port, host.host),
                share(host.service_other_source, host.service),
                share(host.host_opening, host.host),
                share(host.service_opening, host.service),
                share(host.host_refused, host.host),
                share(host.service_refused, host.service),
            ],
        });
    }
    found
}

fn share(some: usize, of: usize) -> f64 {
    if of == 0 { 0.0 } else { some as f64 / of as f64 }
}

/// Connections of a window that are like one.
#[derive(Default)]
struct Tally {
    host: usize,
    service: usize,
    both: usize,
    host_opening: usize,
    service_opening: usize,
    host_refused: usize,
    service_refused: usize,
    same_port: usize,
    service_other_source: usize,
}

impl Tally {
    fn of<'a>(window: impl Iterator<Item = &'a Connection>, now: &Connection) -> Self {
        let mut tally = Self::default();
        for other in window {
            let (host, service) = (other.host == now.host, other.service == now.service);
            let (opening, refused) = (is_opening_error(other.flag), is_refusal(other.flag));
            let add = |count: &mut usize, is: bool| *count += usize::from(is);
            add(&mut tally.host, host);
            add(&mut tally.service, service);
            add(&mut tally.both, host && service);
            add(&mut tally.host_opening, host && opening);
            add(&mut tally.service_opening, service && opening);
            add(&mut tally.host_refused, host && refused);
            add(&mut tally.service_refused, service && refused);
            add(&mut tally.same_port, host && other.port == now.port);
            add(&mut tally.service_other_source, service && other.source != now.source);
        }
        tally
    }
}
