//! How many visitors of a log are alone, or in a small crowd, by what somebody may know of them: the table of `inspect`.
//!
//! # Idea
//! For a class (agent, network, set of paths) a visitor's crowd is everybody of the same class. Whoever knows some paths is left with all
//! visitors who have them; which of a visitor's paths are known, see `measures/risk/uniqueness.rs`. Masking makes visitors one, who
//! stay as many persons.
//!
//! # Cost
//! O(lines log lines).

use std::collections::BTreeMap;
use std::net::IpAddr;

use super::{Part, Visits};
use crate::data::Dataset as _;
use crate::data::queries::MISSING;
use crate::measures::risk::uniqueness;
use crate::rng::Rng;

/// How many visitors stand out by something that is known of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Crowd {
    /// What is known.
    pub known: &'static str,
    /// The share of visitors who are alone.
    pub alone: f64,
    /// The share of visitors whose crowd has fewer than 5.
    pub below_5: f64,
    /// Both shares in the log with masked addresses; none where a visitor has addresses of several networks, which cannot be masked.
    pub masked: Option<[f64; 2]>,
}

/// A minute in milliseconds.
const MINUTE: i64 = 60_000;

impl Visits {
    /// The crowds of the visitors, by what is known of them, and what is left of that if addresses are masked as usual: to /24 and /48.
    pub fn crowds(&self) -> Vec<Crowd> {
        let everybody: Vec<u32> = (0..self.persons() as u32).collect();
        let mut crowds = self.crowds_of(&everybody);
        let masked = self.masked().map(|(masked, owners)| masked.crowds_of(&owners));
        for (at, crowd) in crowds.iter_mut().enumerate() {
            crowd.masked = masked.as_ref().map(|masked| [masked[at].alone, masked[at].below_5]);
        }
        crowds
    }

    /// The log with visitors as they are told apart once addresses are masked: neighbours with the same agent are one. And who became
    /// which of them.
    fn masked(&self) -> Option<(Self, Vec<u32>)> {
        let mut numbers: BTreeMap<(String, Vec<u32>), u32> = BTreeMap::new();
        let mut owners = Vec::with_capacity(self.persons());
        for person in 0..self.persons() {
            let network = self.network_of(person, 24);
            let is_one = |row: usize| self.text(Part::Address, row).is_none_or(|own| network_of(own, 24) == network);
            if !self.range(person).all(is_one) {
                return None;
            }
            let new = numbers.len() as u32;
            owners.push(*numbers.entry((network, self.set_of(person, Part::Agent))).or_insert(new));
        }
        Some((self.joined(&owners, numbers.len())?, owners))
    }

    /// The crowds of persons, each of whom is one of the visitors; several may be the same, and hide among each other.
    fn crowds_of(&self, visitor_of: &[u32]) -> Vec<Crowd> {
        let persons = || visitor_of.iter().map(|&visitor| visitor as usize);
        let agents: Vec<Vec<u32>> = persons().map(|visitor| self.set_of(visitor, Part::Agent)).collect();
        let paths: Vec<Vec<u32>> = persons().map(|visitor| self.set_of(visitor, Part::Path)).collect();
        let network = |bits: u32| -> Vec<String> { persons().map(|visitor| self.network_of(visitor, bits)).collect() };
        let (n24, n16) = (network(24), network(16));
        let both = |left: &[String]| left.iter().cloned().zip(agents.iter().cloned()).collect::<Vec<_>>();
        let sets_and_agents = paths.iter().cloned().zip(agents.iter().cloned()).collect::<Vec<_>>();
        let mut crowds = vec![
            by_class("agent", agents.clone()),
            by_class("/24", n24.clone()),
            by_class("/24 + agent", both(&n24)),
            by_class("/16 + agent", both(&n16)),
            by_class("set of paths", paths),
            by_class("set + agent", sets_and_agents),
        ];
        // The very numbers that are said of other kinds.
        let found = uniqueness::exposure_of_records(&self.facts(0), visitor_of, 5, &mut Rng::seeded(0));
        for (at, known) in ["one path", "two paths", "three paths"].into_iter().enumerate() {
            crowds.push(Crowd { known, alone: found.alone[at], below_5: found.below_k[at], masked: None });
        }
        crowds.push(self.by_minute(visitor_of));
        crowds
    }

    /// One path, and the minute in which somebody asked for it.
    fn by_minute(&self, visitor_of: &[u32]) -> Crowd {
        let mut persons: BTreeMap<(u32, i64), Vec<u32>> = BTreeMap::new();
        let key = |row: usize| (self.column(Part::Path)[row], self.time(row).div_euclid(MINUTE));
        for (person, &visitor) in (0u32..).zip(visitor_of) {
            for row in self.range(visitor as usize) {
                let all = persons.entry(key(row)).or_default();
                if all.last() != Some(&person) {
                    all.push(person);
                }
            }
        }
        let mut rng = Rng::seeded(0);
        let size = |&visitor: &u32| {
            let range = self.range(visitor as usize);
            if range.is_empty() {
                return visitor_of.len();
            }
            persons[&key(range.start + rng.index(range.len()))].len()
        };
        of_sizes("one path and its minute", &visitor_of.iter().map(size).collect::<Vec<_>>())
    }

    /// The different texts of a field that a visitor has, in rising order.
    pub fn set_of(&self, person: usize, part: Part) -> Vec<u32> {
        let column = &self.column(part)[self.range(person)];
        let mut own: Vec<u32> = column.iter().copied().filter(|&id| id != MISSING).collect();
        own.sort_unstable();
        own.dedup();
        own
    }

    /// The network of a visitor's first address; of IPv6 twice as many bits; a host as it is.
    fn network_of(&self, person: usize, bits: u32) -> String {
        network_of(self.range(person).find_map(|row| self.text(Part::Address, row)).unwrap_or("-"), bits)
    }
}

/// The network of an address; of IPv6 twice as many bits; a host as it is.
fn network_of(address: &str, bits: u32) -> String {
    match address.parse::<IpAddr>() {
        Ok(IpAddr::V4(v4)) => (v4.to_bits() >> (32 - bits)).to_string(),
        Ok(IpAddr::V6(v6)) => format!("v6 {}", v6.to_bits() >> (128 - 2 * bits)),
        Err(_) => address.to_owned(),
    }
}

fn by_class<K: Ord>(known: &'static str, classes: Vec<K>) -> Crowd {
    let mut sizes: BTreeMap<&K, usize> = BTreeMap::new();
    classes.iter().for_each(|class| *sizes.entry(class).or_default() += 1);
    of_sizes(known, &classes.iter().map(|class| sizes[class]).collect::<Vec<_>>())
}

fn of_sizes(known: &'static str, sizes: &[usize]) -> Crowd {
    let share = |most: usize| sizes.iter().filter(|&&size| size <= most).count() as f64 / sizes.len().max(1) as f64;
    Crowd { known, alone: share(1), below_5: share(4), masked: None }
}

#[cfg(test)]
mod tests {
    use super::super::{Visit, VisitsBuilder};
    use super::*;

    #[test]
    fn by_hand() {
        let mut builder = VisitsBuilder::new();
        for (address, agent, minute, path) in [
            ("192.0.2.1", "A", 0, "/"),
            ("192.0.2.2", "A", 0, "/"),
            ("192.0.3.1", "B", 5, "/"),
            ("198.51.100.1", "A", 9, "/x"),
        ] {
            let mut visit = Visit { time: minute * MINUTE, ..Visit::default() };
            visit.texts[Part::Address as usize] = Some(address);
            visit.texts[Part::Agent as usize] = Some(agent);
            visit.texts[Part::Path as usize] = Some(path);
            builder.push(&format!("{address} {agent}"), &visit, 1);
        }
        let crowds = builder.finish().0.crowds();
        let alone = |known: &str| crowds.iter().find(|crowd| crowd.known == known).unwrap().alone;
        assert_eq!(alone("agent"), 0.25);
        assert_eq!(alone("/24"), 0.5);
        assert_eq!(alone("/24 + agent"), 0.5);
        assert_eq!(alone("/16 + agent"), 0.5);
        assert_eq!(alone("set of paths"), 0.25);
        assert_eq!(alone("set + agent"), 0.5);
        assert_eq!(alone("three paths"), 0.25);
        assert_eq!(alone("one path and its minute"), 0.5);
        assert!(crowds.iter().all(|crowd| crowd.below_5 == 1.0));
        // Masked, the first two are one visitor, and still two persons: nobody is easier to find by it.
        let masked = |known: &str| crowds.iter().find(|crowd| crowd.known == known).unwrap().masked.unwrap()[0];
        let near = |known: &str, share: f64| assert!((masked(known) - share).abs() < 1e-12, "{known}");
        near("agent", 0.25);
        near("/24", 0.5);
        near("/24 + agent", 0.5);
        near("set of paths", 0.25);
        near("one path", 0.25);
        near("one path and its minute", 0.5);
    }
}
