//! How far apart visitors, sessions or lines are: address, agent, paths, time, and of lines the referrer.

use std::collections::BTreeMap;
use std::net::IpAddr;

use crate::data::queries::MISSING;
use crate::data::visits::Part;
use crate::data::{Interner, Visits};
use crate::distance::{DistanceMatrix, Pairwise};
use crate::error::Result;
use crate::partition::Partition;
use crate::partition::blocks::Sketches;
use crate::partition::grouping::{Comparable, How, microaggregated};
use crate::partition::mdav::medoid;
use crate::progress::Progress;

/// How much address, agent, paths, time and referrer weigh.
pub(super) type Weights = [f64; 5];

/// What is compared: lines of one visitor each.
pub(super) struct Units<'v> {
    visits: &'v Visits,
    weights: Weights,
    each: Vec<Unit>,
    /// For each path its segments, as numbers.
    segments: Vec<Vec<u32>>,
    /// For each referrer its host and segments, as numbers.
    referrers: Vec<Vec<u32>>,
    span: f64,
}

struct Unit {
    address: Address,
    /// A row that has the agent, and of a line everything.
    first: usize,
    /// The most frequent paths, in rising order.
    paths: Vec<u32>,
    time: f64,
    lines: u64,
}

#[derive(Debug, PartialEq)]
enum Address {
    V4(u32),
    V6(u128),
    Name(Vec<String>),
}

/// So many paths of a visitor are compared.
const MOST_PATHS: usize = 40;
/// So many numbers a path has in a sketch.
const SKETCH: usize = 32;

impl<'v> Units<'v> {
    /// Units of these rows each.
    pub(super) fn of(visits: &'v Visits, units: &[Vec<usize>], weights: Weights) -> Self {
        let mut names = Interner::new();
        let mut cut = |path: &str| -> Vec<u32> {
            path.split('/').filter(|part| !part.is_empty()).map(|part| names.intern(part)).collect()
        };
        let segments = visits.texts(Part::Path).iter().map(&mut cut).collect();
        let plain = |referrer: &str| {
            let rest = referrer.split_once("://").map_or(referrer, |(_, rest)| rest);
            rest.split(['?', '#']).next().unwrap_or_default().to_owned()
        };
        let referrers = visits.texts(Part::Referrer).iter().map(|referrer| cut(&plain(referrer))).collect();
        let each = units.iter().map(|rows| unit(visits, rows)).collect();
        let span = visits.time_span().map_or(1.0, |(first, last)| (last - first).max(1) as f64);
        Self { visits, weights, each, segments, referrers, span }
    }

    fn distance(&self, left: usize, right: usize) -> f64 {
        let (own, other) = (&self.each[left], &self.each[right]);
        let parts = [
            address_distance(&own.address, &other.address),
            self.agent_distance(own.first, other.first),
            self.path_distance(&own.paths, &other.paths),
            (own.time - other.time).abs() / self.span,
            if self.weights[4] > 0.0 { self.referrer_distance(own.first, other.first) } else { 0.0 },
        ];
        let all: f64 = self.weights.iter().sum();
        parts.iter().zip(&self.weights).map(|(part, weight)| part * weight).sum::<f64>() / all
    }

    fn agent_distance(&self, left: usize, right: usize) -> f64 {
        let (own, other) = (self.visits.agent(left), self.visits.agent(right));
        let (family, system) = (own.family == other.family, own.system == other.system);
        let share = |is_same: bool, weight: f64| if is_same { weight } else { 0.0 };
        1.0 - share(family, 0.4)
            - share(system, 0.3)
            - share(family && own.major == other.major, 0.2)
            - share(system && own.system_major == other.system_major, 0.1)
    }

    fn path_distance(&self, left: &[u32], right: &[u32]) -> f64 {
        if left.is_empty() || right.is_empty() {
            return f64::from(u8::from(left.is_empty() != right.is_empty()));
        }
        let between = |own: u32, other: u32| {
            if own == other { 0.0 } else { apart(&self.segments[own as usize], &self.segments[other as usize]) }
        };
        let minima = |from: &[u32], to: &[u32]| {
            let least = |&own: &u32| to.iter().map(|&other| between(own, other)).fold(1.0, f64::min);
            from.iter().map(least).sum::<f64>() / from.len() as f64
        };
        (minima(left, right) + minima(right, left)) / 2.0
    }

    fn referrer_distance(&self, left: usize, right: usize) -> f64 {
        let column = self.visits.column(Part::Referrer);
        match (column[left], column[right]) {
            (MISSING, MISSING) => 0.0,
            (MISSING, _) | (_, MISSING) => 1.0,
            (own, other) => apart(&self.referrers[own as usize], &self.referrers[other as usize]),
        }
    }
}

/// 1 less the share of segments that are the same, from the left.
fn apart(own: &[u32], other: &[u32]) -> f64 {
    let common = own.iter().zip(other).take_while(|(own, other)| own == other).count();
    if own == other { 0.0 } else { 1.0 - common as f64 / own.len().max(other.len()).max(1) as f64 }
}

fn unit(visits: &Visits, rows: &[usize]) -> Unit {
    let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
    let paths = rows.iter().map(|&row| visits.column(Part::Path)[row]).filter(|&path| path != MISSING);
    paths.for_each(|path| *counts.entry(path).or_default() += 1);
    let mut paths: Vec<(u32, usize)> = counts.into_iter().collect();
    paths.sort_by_key(|&(path, count)| (std::cmp::Reverse(count), path));
    let mut paths: Vec<u32> = paths.into_iter().take(MOST_PATHS).map(|(path, _)| path).collect();
    paths.sort_unstable();
    let address = rows.iter().find_map(|&row| visits.text(Part::Address, row)).unwrap_or("-");
    let sum: f64 = rows.iter().map(|&row| visits.time(row) as f64).sum();
    Unit {
        address: match address.parse::<IpAddr>() {
            Ok(IpAddr::V4(v4)) => Address::V4(v4.to_bits()),
            Ok(IpAddr::V6(v6)) => Address::V6(v6.to_bits()),
            Err(_) => Address::Name(address.rsplit('.').map(str::to_owned).collect()),
        },
        first: rows[0],
        paths,
        time: sum / rows.len() as f64,
        lines: rows.len() as u64,
    }
}

fn address_distance(left: &Address, right: &Address) -> f64 {
    match (left, right) {
        (Address::V4(left), Address::V4(right)) => 1.0 - f64::from((left ^ right).leading_zeros()) / 32.0,
        (Address::V6(left), Address::V6(right)) => 1.0 - f64::from((left ^ right).leading_zeros()) / 128.0,
        (Address::Name(left), Address::Name(right)) => {
            let common = left.iter().zip(right).take_while(|(left, right)| left == right).count();
            1.0 - common as f64 / left.len().max(right.len()).max(1) as f64
        }
        _ => 1.0,
    }
}

impl Sketches for Units<'_> {
    fn len(&self) -> usize {
        self.each.len()
    }

    fn dimensions(&self) -> usize {
        SKETCH + 12
    }

    /// First segments of paths, the class of the browser, the beginning of the address, the time.
    fn sketch(&self, record: usize, into: &mut Vec<(u32, f32)>) {
        let unit = &self.each[record];
        let share = 1.0 / unit.paths.len().max(1) as f32;
        let mut first = [0.0f32; SKETCH];
        for &path in &unit.paths {
            let segment = self.segments[path as usize].first().copied().unwrap_or(0);
            first[segment as usize % SKETCH] += share;
        }
        into.extend((0..).zip(first).filter(|(_, share)| *share > 0.0));
        let class = self.visits.agent(unit.first).class as u32;
        into.push((SKETCH as u32 + class, 0.7));
        if let Address::V4(bits) = unit.address {
            into.push((SKETCH as u32 + 10, (bits >> 16) as f32 / 65_536.0));
        }
        into.push((SKETCH as u32 + 11, (unit.time / self.span).fract() as f32));
    }

    fn work(&self, record: usize) -> u64 {
        self.each[record].lines.min(MOST_PATHS as u64)
    }
}

/// Some units, compared all with all.
struct Space<'a> {
    units: &'a Units<'a>,
    members: &'a [u32],
}

impl Pairwise for Space<'_> {
    type Scratch = ();

    fn len(&self) -> usize {
        self.members.len()
    }

    fn scratch(&self) {}

    fn distance(&self, left: usize, right: usize, _scratch: &mut ()) -> f64 {
        self.units.distance(self.members[left] as usize, self.members[right] as usize)
    }
}

impl Comparable for Units<'_> {
    type Compared = DistanceMatrix;

    const WHOLE: usize = 2_000;
    const BLOCK: usize = 256;
    const WORK: u64 = 4_000_000;
    const IS_REFINED: bool = false;

    fn compare(&self, block: &[u32], progress: &dyn Progress) -> Result<DistanceMatrix> {
        let space = Space { units: self, members: block };
        let is_whole = block.len() == self.len();
        Ok(if is_whole { DistanceMatrix::compute(&space, progress) } else { DistanceMatrix::compute_here(&space) })
    }

    fn group(&self, compared: &DistanceMatrix, how: How<'_>, progress: &dyn Progress) -> Partition {
        microaggregated(compared, how, progress)
    }

    fn centre(&self, compared: &DistanceMatrix, members: &[u32]) -> u32 {
        medoid(compared, members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::visits::{Agent, Visit, VisitsBuilder};

    #[test]
    fn addresses_by_hand() {
        assert_eq!(address_distance(&Address::V4(0xc000_0201), &Address::V4(0xc000_0201)), 0.0);
        assert_eq!(address_distance(&Address::V4(0), &Address::V4(0x8000_0000)), 1.0);
        assert_eq!(address_distance(&Address::V4(0xc000_0200), &Address::V4(0xc000_0280)), 1.0 - 24.0 / 32.0);
        let name = |text: &str| Address::Name(text.rsplit('.').map(str::to_owned).collect());
        assert_eq!(address_distance(&name("a.b.example"), &name("c.b.example")), 1.0 - 2.0 / 3.0);
        assert_eq!(address_distance(&name("a"), &Address::V4(1)), 1.0);
    }

    /// Two lines whose five parts are 8/32, .1, 1/3, 1 and 1/2.
    #[test]
    fn five_parts_by_hand() {
        let mut builder = VisitsBuilder::new();
        for (address, agent, path, time, referrer) in [
            ("192.0.2.0", "a", "/x/y/1", 0, "https://s.example/a?q=1"),
            ("192.0.2.128", "b", "/x/y/2", 1000, "http://s.example/b"),
        ] {
            let mut visit = Visit { time, ..Visit::default() };
            for (part, text) in
                [(Part::Address, address), (Part::Agent, agent), (Part::Path, path), (Part::Referrer, referrer)]
            {
                visit.texts[part as usize] = Some(text);
            }
            builder.push(address, &visit, 1);
        }
        let log = builder.finish().0.with_agents(|agent| Agent {
            family: "Chrome".into(),
            major: "1".into(),
            system: "Linux".into(),
            system_major: agent.into(),
            ..Agent::NONE
        });
        let parts = [8.0 / 32.0, 0.1, 1.0 / 3.0, 1.0, 0.5];
        for (at, expected) in parts.into_iter().enumerate() {
            let mut weights = [0.0; 5];
            weights[at] = 2.0;
            let found = Units::of(&log, &[vec![0], vec![1]], weights).distance(0, 1);
            assert!((found - expected).abs() < 1e-12, "{at}: {found}");
        }
        let found = Units::of(&log, &[vec![0], vec![1]], [1.0; 5]).distance(0, 1);
        assert!((found - parts.iter().sum::<f64>() / 5.0).abs() < 1e-12);
    }
}
