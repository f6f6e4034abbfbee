//! Addresses that nobody has, for the visitors of a release: reserved ones of IPv4 (240.0.0.0/4) and those for documentation of IPv6
//! (2001:db8::/32), drawn at random, each once.

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, Ipv6Addr};

use crate::data::Strings;
use crate::error::{Error, Result};
use crate::rng::Rng;

/// The last address of 240.0.0.0/4 is the broadcast address, and is left out.
const V4: u64 = (1 << 28) - 1;

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
}
