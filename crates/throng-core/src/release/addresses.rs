//! Addresses that nobody has, for the visitors of a release: reserved ones of IPv4 (240.0.0.0/4) and those for documentation of IPv6
//! (2001:db8::/32), drawn at random, each once; or fresh addresses inside a network that several visitors share.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::data::Strings;
use crate::error::{Error, Result};
use crate::rng::Rng;

/// The last address of 240.0.0.0/4 is the broadcast address, and is left out.
const V4: u64 = (1 << 28) - 1;

/// A network: the first 16 bits of an IPv4 address, or the first 32 of an IPv6 address. Of a shorter one the others are 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Network {
    /// Of IPv4.
    V4(u16),
    /// Of IPv6.
    V6(u32),
}

/// A network that is shorter says nothing worth keeping.
const LEAST_BITS: u32 = 8;

impl Network {
    /// The network that an address is in; none of what is no address.
    pub fn of(address: &str) -> Option<Self> {
        Some(match address.parse::<IpAddr>().ok()? {
            IpAddr::V4(v4) => Self::V4((v4.to_bits() >> 16) as u16),
            IpAddr::V6(v6) => Self::V6((v6.to_bits() >> 96) as u32),
        })
    }

    /// The longest network that k of some addresses share; none if that is shorter than 8 bits. Of several the one that most have, ties to
    /// the lower one.
    pub fn shared<'a>(addresses: impl Iterator<Item = &'a str>, k: usize) -> Option<Self> {
        let all: Vec<Self> = addresses.filter_map(Self::of).collect();
        (LEAST_BITS..=32).rev().find_map(|bits| {
            let mut counts: BTreeMap<Self, usize> = BTreeMap::new();
            all.iter().filter_map(|network| network.cut(bits)).for_each(|own| *counts.entry(own).or_default() += 1);
            let most = counts.into_iter().max_by_key(|&(network, count)| (count, std::cmp::Reverse(network)))?;
            (most.1 >= k.max(1)).then_some(most.0)
        })
    }

    /// Its first bits alone; none if it has fewer.
    fn cut(self, bits: u32) -> Option<Self> {
        match self {
            Self::V4(own) if bits <= 16 => Some(Self::V4(own & u16::MAX.checked_shl(16 - bits).unwrap_or(0))),
            Self::V4(_) => None,
            Self::V6(own) => Some(Self::V6(own & u32::MAX.checked_shl(32 - bits).unwrap_or(0))),
        }
    }

    /// An address inside it.
    fn address(self, rng: &mut Rng) -> String {
        match self {
            Self::V4(own) => Ipv4Addr::from_bits((u32::from(own) << 16) | rng.below(1 << 16) as u32).to_string(),
            Self::V6(own) => {
                let host = (u128::from(rng.bits()) << 32) | u128::from(rng.below(1 << 32));
                Ipv6Addr::from_bits((u128::from(own) << 96) | host).to_string()
            }
        }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::V4(own) => write!(out, "{}/16", Ipv4Addr::from_bits(u32::from(*own) << 16)),
            Self::V6(own) => write!(out, "{}/32", Ipv6Addr::from_bits(u128::from(*own) << 96)),
        }
    }
}

/// One address for each inside its network, or one that nobody has; none is that of a person with such a name.
pub fn draw_in(networks: &[Option<Network>], are_v6: &[bool], taken: &Strings, rng: &mut Rng) -> Result<Vec<String>> {
    let mut known: BTreeSet<String> =
        taken.iter().filter_map(|name| name.split(' ').next()).map(str::to_owned).collect();
    let mut wanted: BTreeMap<Network, usize> = BTreeMap::new();
    networks.iter().flatten().for_each(|&network| *wanted.entry(network).or_default() += 1);
    for (network, count) in &wanted {
        let is_taken = |address: &&String| Network::of(address) == Some(*network);
        if matches!(network, Network::V4(_)) && count + known.iter().filter(is_taken).count() > 1 << 15 {
            return Err(Error::refused(
                "a network has too few addresses for the visitors who would be published in it",
            )
            .with_hint("`--address fresh` draws addresses that nobody has"));
        }
    }
    let outside: Vec<bool> =
        networks.iter().zip(are_v6).filter(|(network, _)| network.is_none()).map(|(_, is_v6)| *is_v6).collect();
    let mut outside = draw(&outside, taken, rng)?.into_iter();
    let mut draw = |network: &Option<Network>| match network {
        Some(network) => loop {
            let address = network.address(rng);
            if known.insert(address.clone()) {
                break Ok(address);
            }
        },
        None => outside.next().ok_or_else(|| Error::internal("an address for each")),
    };
    networks.iter().map(&mut draw).collect()
}

/// One address for each, of IPv6 where that is said; none is that of a person with such a name.
pub fn draw(are_v6: &[bool], taken: &Strings, rng: &mut Rng) -> Result<Vec<String>> {
    if are_v6.iter().filter(|is_v6| !**is_v6).count() as u64 > V4 / 2 {
        return Err(Error::refused("there are more visitors than addresses that nobody has")
            .with_hint("protect the log in parts"));
    }
    let mut known: BTreeSet<String> = taken
        .iter()
        .filter_map(|name| name.split(' ').next())
        .filter(|name| are_drawn(name))
        .map(str::to_owned)
        .collect();
    let mut draw = |is_v6: bool| loop {
        let address = if is_v6 {
            let host = (u128::from(rng.bits()) << 32) | u128::from(rng.below(1 << 32));
            Ipv6Addr::from_bits((0x2001_0db8 << 96) | host).to_string()
        } else {
            Ipv4Addr::from_bits(0xf000_0000 | rng.below(V4) as u32).to_string()
        };
        if known.insert(address.clone()) {
            return address;
        }
    };
    Ok(are_v6.iter().map(|&is_v6| draw(is_v6)).collect())
}

/// Whether an address is one that could have been drawn.
pub fn are_drawn(address: &str) -> bool {
    let is_v4 = address.parse::<Ipv4Addr>().is_ok_and(|address| address.octets()[0] >= 240);
    is_v4 || address.parse::<Ipv6Addr>().is_ok_and(|address| address.segments()[..2] == [0x2001, 0xdb8])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_nobodys_and_different() {
        let are_v6: Vec<bool> = (0..2000).map(|number| number % 3 == 0).collect();
        let taken: Strings = ["250.0.0.1 Agent", "1.2.3.4 -"].into_iter().collect();
        let drawn = draw(&are_v6, &taken, &mut Rng::seeded(1)).unwrap();
        assert!(drawn.iter().all(|address| are_drawn(address)));
        assert!(drawn.iter().zip(&are_v6).all(|(address, is_v6)| address.contains(':') == *is_v6));
        assert_eq!(drawn.iter().collect::<BTreeSet<_>>().len(), drawn.len());
        assert_eq!(drawn, draw(&are_v6, &taken, &mut Rng::seeded(1)).unwrap());
        assert!(!are_drawn("10.0.0.1") && !are_drawn("2001:db9::1") && !are_drawn("host"));
    }

    #[test]
    fn networks_that_k_share() {
        let shared = |addresses: &[&str], k| Network::shared(addresses.iter().copied(), k).map(|own| own.to_string());
        assert_eq!(shared(&["10.1.2.3", "10.1.9.9", "10.2.0.1"], 2).as_deref(), Some("10.1.0.0/16"));
        // 10.1 and 10.2 have 14 bits in common.
        assert_eq!(shared(&["10.1.2.3", "10.1.9.9", "10.2.0.1"], 3).as_deref(), Some("10.0.0.0/16"));
        assert_eq!(shared(&["10.1.2.3", "192.0.2.1"], 2), None);
        assert_eq!(shared(&["2001:db8:1::1", "2001:db8:2::1", "10.1.1.1"], 2).as_deref(), Some("2001:db8::/32"));
        assert_eq!(shared(&["host", "-"], 2), None);
        assert_eq!(shared(&[], 2), None);
    }

    #[test]
    fn addresses_inside_networks_are_different_and_nobodys_of_the_log() {
        let network = Network::of("10.1.2.3");
        let taken: Strings = ["10.1.0.1 A", "10.1.0.2 A"].into_iter().collect();
        let networks: Vec<Option<Network>> = (0..900).map(|at| network.filter(|_| at % 3 > 0)).collect();
        let drawn = draw_in(&networks, &vec![false; 900], &taken, &mut Rng::seeded(1)).unwrap();
        assert_eq!(drawn.iter().collect::<BTreeSet<_>>().len(), 900);
        for (address, network) in drawn.iter().zip(&networks) {
            assert!(if network.is_some() { Network::of(address) == *network } else { are_drawn(address) });
        }
        assert!(!drawn.iter().any(|address| ["10.1.0.1", "10.1.0.2"].contains(&address.as_str())));
        assert!(draw_in(&vec![network; 40_000], &vec![false; 40_000], &taken, &mut Rng::seeded(1)).is_err());
    }
}
