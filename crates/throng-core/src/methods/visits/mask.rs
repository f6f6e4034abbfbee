//! Masked addresses: what everybody does with an access log today, and why it hides nobody.
//!
//! Paper      none: the practice of web analysers (GoAccess' `--anonymize-ip`, Matomo's and AWStats' masks).
//! Claims     nothing.
//! Does not   hide anybody. Four of five visitors of a real log are alone by /24 and agent; pages, times, query strings and referrers stay.
//!
//! # Idea
//! The last bits of every address become 0. Everything else stays as it is, but for the field of users, which no method publishes.
//!
//! # Cost
//! O(visitors) beside a copy of the log.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::data::visits::Part;
use crate::data::{Dataset, Interner, Visits};
use crate::error::{Error, Result};
use crate::info::{Info, Parameter, ParameterKind};
use crate::methods::{Method, shown_parameters};
use crate::progress::Progress;
use crate::release::Protected;
use crate::rng::Rng;

/// The card of the method.
pub const INFO: Info = Info {
    name: "mask",
    summary: "an old way that promises nothing: the last bits of every address become 0",
    paper: "the practice of web analysers: GoAccess, Matomo, AWStats",
    details: "1. Of every IPv4 address `--mask-v4` bits are kept, of every IPv6 address `--mask-v6`; the others become 0. The name of a host \
        stays as it is.\n\
        2. Everything else stays as it is: agents, pages, query strings, referrers and times, to the second. Only who had logged in is never \
        published.\n\
        It promises nothing, and claims nothing. Whoever knows a visitor's browser and the beginning of their address, or two of their pages, \
        mostly knows which lines are theirs: `throng inspect` says of how many. It is here to be compared with.\n\
        It has no k.",
    parameters: &[MASK_V4, MASK_V6],
};

const MASK_V4: Parameter = Parameter {
    name: "mask-v4",
    summary: "how many bits of an IPv4 address are kept",
    kind: ParameterKind::Count,
    default: "24",
};

const MASK_V6: Parameter = Parameter {
    name: "mask-v6",
    summary: "how many bits of an IPv6 address are kept",
    kind: ParameterKind::Count,
    default: "48",
};

/// What the method can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// How many bits of an IPv4 address are kept.
    pub mask_v4: u32,
    /// How many bits of an IPv6 address are kept.
    pub mask_v6: u32,
}

impl Default for Params {
    fn default() -> Self {
        Self { mask_v4: 24, mask_v6: 48 }
    }
}

/// The method with checked parameters.
#[derive(Debug, Clone, Copy)]
pub struct Mask {
    params: Params,
}

impl Mask {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        let above = |name: &str, bits: u32, most: u32| {
            (bits > most).then(|| Error::parameter(name, format!("is {bits}, but an address has {most} bits")))
        };
        let errors: Vec<Error> = [above("mask-v4", params.mask_v4, 32), above("mask-v6", params.mask_v6, 128)]
            .into_iter()
            .flatten()
            .collect();
        if errors.is_empty() { Ok(Self { params }) } else { Err(Error::parameters(errors)) }
    }

    /// The one address of a visitor, masked.
    fn address_of(&self, original: &Visits, person: usize) -> Result<String> {
        let mut addresses = original
            .range(person)
            .map(|row| original.text(Part::Address, row).map_or("-".to_owned(), |own| self.masked(own)));
        let first = addresses.next().unwrap_or("-".to_owned());
        if addresses.any(|other| other != first) {
            return Err(Error::refused("a visitor has several addresses, which `mask` would put in the place of each other")
                .with_hint("`mask` is for visitors who are told by their addresses: `--person address+agent` or `--person address`"));
        }
        Ok(first)
    }

    /// An address without its last bits.
    fn masked(&self, address: &str) -> String {
        match address.parse::<IpAddr>() {
            Ok(IpAddr::V4(v4)) => {
                let mask = u32::MAX.checked_shl(32 - self.params.mask_v4).unwrap_or(0);
                Ipv4Addr::from_bits(v4.to_bits() & mask).to_string()
            }
            Ok(IpAddr::V6(v6)) => {
                let mask = u128::MAX.checked_shl(128 - self.params.mask_v6).unwrap_or(0);
                Ipv6Addr::from_bits(v6.to_bits() & mask).to_string()
            }
            Err(_) => address.to_owned(),
        }
    }
}

impl Method<Visits> for Mask {
    fn protect(&self, original: &Visits, _rng: &mut Rng, _progress: &dyn Progress) -> Result<Protected<Visits>> {
        let persons = 0..original.persons();
        let addresses = persons.clone().map(|person| self.address_of(original, person)).collect::<Result<Vec<_>>>()?;
        // Whoever is told by their agent too goes on being told by it.
        let agent =
            |person: usize| original.range(person).find_map(|row| original.text(Part::Agent, row)).unwrap_or("-");
        let ends = |person: usize| original.names().get(person as u32).strip_suffix(agent(person));
        let by_agent = persons.clone().all(|person| ends(person).is_some_and(|address| address.ends_with(' ')));
        let mut names = Interner::new();
        let mut name = |(person, address): (usize, String)| {
            names.intern(&if by_agent { format!("{address} {}", agent(person)) } else { address })
        };
        let record_of: Vec<u32> = persons.zip(addresses).map(&mut name).collect();
        let names: Vec<String> = names.strings().iter().map(str::to_owned).collect();
        let joined =
            original.joined(&record_of, names.len()).ok_or_else(|| Error::internal("visitors cannot be joined"))?;
        Ok(Protected::new(joined.published_as(names), record_of.into_iter().map(Some).collect(), Vec::new()))
    }

    fn parameters(&self) -> Map<String, Value> {
        shown_parameters(&self.params)
    }

    fn promises(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::visits::{Visit, VisitsBuilder};
    use crate::progress::Silent;

    fn log(lines: &[(&str, &str, &str)]) -> Visits {
        let mut builder = VisitsBuilder::new();
        for (line, &(name, address, agent)) in (1..).zip(lines) {
            let mut visit = Visit { time: line as i64 * 60_000, ..Visit::default() };
            visit.texts[Part::Address as usize] = Some(address);
            visit.texts[Part::Agent as usize] = Some(agent);
            builder.push(name, &visit, line);
        }
        builder.finish().0
    }

    fn protected(log: &Visits) -> Result<Protected<Visits>> {
        Mask::new(Params::default()).unwrap().protect(log, &mut Rng::seeded(1), &Silent)
    }

    /// Neighbours with the same agent become one visitor, as whoever reads the release sees them.
    #[test]
    fn who_looks_the_same_becomes_one() {
        let lines = [
            ("192.0.2.1 A", "192.0.2.1", "A"),
            ("192.0.2.9 B", "192.0.2.9", "B"),
            ("192.0.2.2 A", "192.0.2.2", "A"),
            ("2001:db8:1:2::/64 A", "2001:db8:1:2::3", "A"),
            ("2001:db8:1:2::/64 A", "2001:db8:1:2::4", "A"),
        ];
        let masked = protected(&log(&lines)).unwrap();
        assert_eq!(masked.records.published().unwrap(), ["192.0.2.0 A", "192.0.2.0 B", "2001:db8:1:: A"]);
        assert_eq!(masked.record_of, [Some(0), Some(1), Some(0), Some(2)]);
        assert_eq!((0..3).map(|record| masked.records.range(record).len()).collect::<Vec<_>>(), [2, 1, 2]);
        // By address alone agents tell nobody apart.
        let masked = protected(&log(&[("192.0.2.1", "192.0.2.1", "A"), ("192.0.2.9", "192.0.2.9", "B")])).unwrap();
        assert_eq!(masked.records.published().unwrap(), ["192.0.2.0"]);
        // One who has several addresses cannot be published under one of them.
        let error = protected(&log(&[("ann", "192.0.2.1", "A"), ("ann", "198.51.100.1", "A")])).unwrap_err();
        assert!(error.to_string().contains("several addresses"), "{error}");
    }

    #[test]
    fn the_last_bits_go() {
        let mask = |mask_v4, mask_v6| Mask::new(Params { mask_v4, mask_v6 }).unwrap();
        assert_eq!(mask(24, 48).masked("192.0.2.77"), "192.0.2.0");
        assert_eq!(mask(16, 48).masked("192.0.2.77"), "192.0.0.0");
        assert_eq!(mask(0, 0).masked("192.0.2.77"), "0.0.0.0");
        assert_eq!(mask(32, 128).masked("192.0.2.77"), "192.0.2.77");
        assert_eq!(mask(24, 48).masked("2001:db8:1:2::3"), "2001:db8:1::");
        assert_eq!(mask(24, 0).masked("2001:db8::3"), "::");
        assert_eq!(mask(24, 48).masked("host.example"), "host.example");
        let error = Mask::new(Params { mask_v4: 33, mask_v6: 48 }).unwrap_err();
        assert_eq!(error.to_string(), "`mask-v4` is 33, but an address has 32 bits");
    }
}
