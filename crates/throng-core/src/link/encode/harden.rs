//! Filters that tell less: folding, balancing, diffusion, noise.
//!
//! # Idea
//! `fold`: the halves are put together by XOR. `balance`: the complement stands beside the filter, and all bits change places by the secret,
//! so that every filter has as many ones. `diffusion=T`: each published bit is the XOR of T bits at places drawn from the secret; every bit
//! goes into T published ones, so who counts which bits go together counts mixtures. `blip=P`: each bit is turned over with probability P.
//! They are applied in this order. (`salt` works before all of them, where tokens are hashed.)
//!
//! Does not   hide that two filters are equal, without `blip`: no encoding that can be matched without the secret does.

use rayon::prelude::*;

use super::hashing::own_key;
use crate::error::{Error, Result};
use crate::link::bits::Filters;
use crate::rng::Rng;

/// What is done to filters.
#[derive(Debug, Clone, PartialEq)]
pub struct Hardening {
    /// Of how many bits each published one is made; 1 for none of it.
    pub diffusion: usize,
    /// Whether the halves are put together.
    pub fold: bool,
    /// Whether every filter has as many ones.
    pub balance: bool,
    /// How often a bit is turned over.
    pub blip: f64,
    /// The column whose value goes into every token.
    pub salt: Option<String>,
}

/// Of how many bits each published one is made, unless told: with fewer than 7 the attack [`super::attack::by_graph`] gave surnames back.
const DIFFUSION: usize = 8;

impl Default for Hardening {
    fn default() -> Self {
        Self { diffusion: DIFFUSION, ..Self::none() }
    }
}

impl Hardening {
    /// Nothing.
    pub fn none() -> Self {
        Self { diffusion: 1, fold: false, balance: false, blip: 0.0, salt: None }
    }

    /// Reads a list such as `diffusion=3`, `blip=0.05`.
    pub fn parse(words: &[String]) -> Result<Self> {
        let mut made = Self::none();
        let wrong = |problem: String| {
            Error::parameter("harden", problem).with_hint(
                "none, or some of diffusion=T, fold, balance, blip=P, salt=COLUMN: `--harden diffusion=3,balance`",
            )
        };
        let mut seen: Vec<&str> = Vec::new();
        for word in words {
            let (name, value) = word.split_once('=').map_or((word.as_str(), None), |(name, value)| (name, Some(value)));
            if seen.contains(&name) || (name == "none" && words.len() > 1) {
                return Err(wrong(format!("says `{name}` beside something that it does not go with")));
            }
            seen.push(name);
            match (name, value) {
                ("none", None) => {}
                ("fold", None) => made.fold = true,
                ("balance", None) => made.balance = true,
                ("diffusion", Some(count)) => {
                    let count = count.parse().ok().filter(|count| (2..=64).contains(count));
                    made.diffusion = count.ok_or_else(|| wrong("needs a diffusion from 2 to 64".to_owned()))?;
                }
                ("blip", Some(share)) => {
                    let share = share.parse().ok().filter(|share: &f64| *share > 0.0 && *share < 0.5);
                    made.blip = share.ok_or_else(|| wrong("needs a blip above 0 and below 0.5".to_owned()))?;
                }
                ("salt", Some(column)) if !column.is_empty() => made.salt = Some(column.to_owned()),
                _ => return Err(wrong(format!("has `{word}`, which is not known"))),
            }
        }
        Ok(made)
    }

    /// The same in one line, for a file that says how it was made; the salt's column is not named.
    pub fn name(&self) -> String {
        let mut parts = Vec::new();
        parts.extend(self.salt.is_some().then(|| "salt".to_owned()));
        parts.extend(self.fold.then(|| "fold".to_owned()));
        parts.extend(self.balance.then(|| "balance".to_owned()));
        parts.extend((self.diffusion > 1).then(|| format!("diffusion={}", self.diffusion)));
        parts.extend((self.blip > 0.0).then(|| format!("blip={}", self.blip)));
        if parts.is_empty() { "none".to_owned() } else { parts.join(",") }
    }

    /// The length that filters of a length have afterwards.
    pub fn length(&self, length: usize) -> Result<usize> {
        if self.fold && !length.is_multiple_of(2) {
            return Err(Error::parameter("harden", format!("says fold, but {length} bits have no two halves")));
        }
        let length = if self.fold { length / 2 } else { length };
        let length = if self.balance { length * 2 } else { length };
        if self.diffusion > length {
            return Err(Error::parameter(
                "harden",
                format!("says diffusion={}, but a filter has {length} bits", self.diffusion),
            ));
        }
        Ok(length)
    }

    /// Hardens filters of a length, by the secret. `purpose` tells apart the columns that have filters of their own. Noise comes from `rng`.
    pub fn harden(
        &self,
        filters: Filters,
        length: usize,
        secret: &[u8],
        purpose: &str,
        rng: &mut Rng,
    ) -> Result<Filters> {
        let published = self.length(length)?;
        let half = if self.fold { length / 2 } else { length };
        let key = own_key(secret, &format!("harden {purpose}"))?;
        let mut drawn = Rng::of_key(&key);
        let order = if self.balance { shuffled(published, &mut drawn) } else { Vec::new() };
        let mixed = if self.diffusion > 1 { places(published, self.diffusion, &mut drawn) } else { Vec::new() };
        if *self == Self::none() || (self.diffusion == 1 && !self.fold && !self.balance && self.blip == 0.0) {
            return Ok(filters);
        }
        let words = published.div_ceil(64);
        let mut bits = vec![0u64; filters.len() * words];
        bits.par_chunks_mut(words).enumerate().for_each(|(row, out)| {
            let filter = filters.get(row);
            let is_set = |place: usize| filter[place / 64] >> (63 - place % 64) & 1 == 1;
            let folded = |place: usize| is_set(place) ^ (self.fold && is_set(place + half));
            let whole: Vec<bool> = if self.balance {
                order.iter().map(|&place| if place < half { folded(place) } else { !folded(place - half) }).collect()
            } else {
                (0..half).map(folded).collect()
            };
            for place in 0..published {
                let bit = match mixed.get(place) {
                    Some(from) => from.iter().fold(false, |bit, &from| bit ^ whole[from]),
                    None => whole[place],
                };
                out[place / 64] |= u64::from(bit) << (63 - place % 64);
            }
        });
        if self.blip > 0.0 {
            for row in bits.chunks_exact_mut(words) {
                for place in 0..published {
                    row[place / 64] ^= u64::from(rng.unit() < self.blip) << (63 - place % 64);
                }
            }
        }
        Ok(Filters { words, bits })
    }
}

fn shuffled(length: usize, rng: &mut Rng) -> Vec<usize> {
    let mut order: Vec<usize> = (0..length).collect();
    rng.shuffle(&mut order);
    order
}

/// For each published bit, the different places that it is made of. Every place is used equally often.
fn places(length: usize, count: usize, rng: &mut Rng) -> Vec<Vec<usize>> {
    let mut made: Vec<Vec<usize>> = vec![Vec::with_capacity(count); length];
    for _ in 0..count {
        let mut order = shuffled(length, rng);
        for at in 0..length {
            // A place that the bit has already changes places with another's: with one that both can take.
            let mut tries = 0;
            while made[at].contains(&order[at]) {
                let other = rng.index(length);
                let fits = !made[at].contains(&order[other]) && (other > at || !made[other].contains(&order[at]));
                if fits && other < at {
                    let own = made[other].len() - 1;
                    made[other][own] = order[at];
                }
                if fits || tries > 1000 {
                    order.swap(at, other);
                }
                tries += 1;
                if tries > 2000 {
                    break;
                }
            }
            made[at].push(order[at]);
        }
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_is_used_equally_often_and_never_twice_in_a_bit() {
        for (length, count) in [(64, 3), (1024, 3), (100, 10), (7, 2)] {
            let made = places(length, count, &mut Rng::seeded(1));
            let mut used = vec![0; length];
            for from in &made {
                let mut sorted = from.clone();
                sorted.sort_unstable();
                sorted.dedup();
                assert_eq!(sorted.len(), count);
                from.iter().for_each(|&place| used[place] += 1);
            }
            assert!(used.iter().all(|&times| times == count), "{length} {count} {used:?}");
        }
    }

    #[test]
    fn hardening_is_what_its_name_says() {
        let filters = Filters { words: 1, bits: vec![0xf0f0_0000_0000_0001, 3] };
        let harden = |words: &[&str], length| {
            let hardening = Hardening::parse(&words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>()).unwrap();
            hardening.harden(filters.clone(), length, b"a secret of many bytes", "", &mut Rng::seeded(1)).unwrap()
        };
        assert_eq!(harden(&["none"], 64), filters);
        // Halves: 0xf0f00000 and 0x00000001.
        assert_eq!(harden(&["fold"], 64).bits, [0xf0f0_0001_0000_0000, 0x0000_0003_0000_0000]);
        let balanced = harden(&["balance"], 64);
        assert_eq!(balanced.ones(), [64, 64]);
        assert_ne!(balanced.get(0), balanced.get(1));
        // XOR is linear: what two filters differ in decides where the hardened ones do.
        let mixed = harden(&["diffusion=3"], 64);
        let third = Filters { words: 1, bits: vec![filters.bits[0] ^ filters.bits[1], 0] };
        let hardening = Hardening { diffusion: 3, ..Hardening::none() };
        let difference = hardening.harden(third, 64, b"a secret of many bytes", "", &mut Rng::seeded(1)).unwrap();
        assert_eq!(mixed.bits[0] ^ mixed.bits[1], difference.bits[0]);
        assert_eq!(difference.bits[1], 0);
        let other = hardening.harden(filters.clone(), 64, b"another secret of bytes", "", &mut Rng::seeded(1)).unwrap();
        assert_ne!(other, mixed);
        for wrong in [&["diffusion=1"][..], &["blip=0.5"], &["none", "fold"], &["fold", "fold"], &["salt="], &["x"]] {
            assert!(Hardening::parse(&wrong.iter().map(|&word| word.to_owned()).collect::<Vec<_>>()).is_err());
        }
        assert_eq!(Hardening::default().name(), "diffusion=8");
    }

    #[test]
    fn noise_turns_over_as_many_bits_as_it_says() {
        let filters = Filters { words: 16, bits: vec![0; 16 * 200] };
        let hardening = Hardening { blip: 0.05, ..Hardening::none() };
        let noisy = hardening.harden(filters, 1024, b"a secret of many bytes", "", &mut Rng::seeded(2)).unwrap();
        let share = noisy.ones().iter().sum::<u32>() as f64 / (200.0 * 1024.0);
        assert!((share - 0.05).abs() < 0.002, "{share}");
    }
}
