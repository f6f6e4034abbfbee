//! Addresses as filters of bits under a secret: whoever lacks the secret can compare two of them, and read neither.
//!
//! Papers     Christen. Geocode Matching and Privacy Preservation. PinKDD 2008, sections 4 and 4.1; Schnell, Bachteler, Reiher. Privacy-preserving record
//!            linkage using Bloom filters. 2009, for filters of q-grams (not in Christen's paper).
//!
//! # Idea
//! 1. Two-letter parts of street, suburb and postcode, the type of the street, and the number (six times) are tokens.
//! 2. Each token sets eight bits of 1,024, at places that HMAC-SHA256 gives under a key made of the secret.
//! 3. Each published bit is the XOR of three, at places drawn from the secret: similar addresses stay similar, and patterns of single tokens are gone.
//!
//! # Cost
//! One HMAC a token; 16 words a comparison.
//!
//! Does not   hide which rows are equal, nor how alike two are. References are public lists: whoever compares them has much to go by, and diffusion only makes that
//!            harder.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use super::address::Address;
use crate::rng::Rng;
use crate::secret::Secret;

/// How many words a filter has.
pub const WORDS: usize = 16;
/// How many bits a filter has.
pub const BITS: usize = WORDS * 64;
/// How many bits a token sets.
const HASHES: usize = 8;
/// How many bits are one published bit.
const DIFFUSION: usize = 3;
/// How often the number counts.
const OF_NUMBER: u8 = 6;

/// A filter.
pub type Filter = [u64; WORDS];

/// Encodes addresses, and derives what else stands under the same secret.
pub struct Encoder {
    secret: Secret,
    /// For each published bit the places of the bits that it is made of.
    places: Vec<[u16; DIFFUSION]>,
}

impl std::fmt::Debug for Encoder {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Encoder")
    }
}

fn mac(key: &[u8], parts: &[&[u8]]) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).unwrap_or_else(|_| unreachable!("any length is a key"));
    for part in parts {
        mac.update(&(part.len() as u64).to_le_bytes());
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

impl Encoder {
    /// An encoder with a secret.
    pub fn new(secret: &[u8]) -> Self {
        let secret = Secret::of(&mac(secret, &[b"throng addresses"]));
        let mut rng = Rng::of_key(&mac(secret.bytes(), &[b"diffusion"]));
        let places = (0..BITS).map(|_| {
            let places = rng.sample(BITS, DIFFUSION);
            std::array::from_fn(|at| places[at] as u16)
        });
        Self { places: places.collect(), secret }
    }

    /// What tells whether two files were made under one secret. Whoever can guess the secret can see by it that they are right.
    pub fn check(&self) -> [u8; 16] {
        let check = mac(self.secret.bytes(), &[b"check"]);
        std::array::from_fn(|at| check[at])
    }

    /// The key that seals what belongs to one row.
    pub fn sealing(&self, row: &[u8; 16]) -> Secret {
        Secret::of(&mac(self.secret.bytes(), &[b"row", row]))
    }

    /// The filter of an address.
    pub fn filter(&self, address: &Address) -> Filter {
        let mut bits = [0u64; WORDS];
        let mut token = |kind: u8, text: &str| {
            let hash = mac(self.secret.bytes(), &[b"token", &[kind], text.as_bytes()]);
            for pair in &hash.as_chunks::<2>().0[..HASHES] {
                let place = usize::from(u16::from_le_bytes(*pair)) % BITS;
                bits[place / 64] |= 1 << (place % 64);
            }
        };
        let grams = |text: &str| {
            let letters: Vec<char> = std::iter::once(' ').chain(text.chars()).chain([' ']).collect();
            letters.windows(2).map(|gram| gram.iter().collect::<String>()).collect::<Vec<_>>()
        };
        if let Some(street) = address.streets.first() {
            grams(&street.name).iter().for_each(|gram| token(b's', gram));
            street.kind.into_iter().for_each(|kind| token(b't', kind));
        }
        for (kind, text) in [(b'u', &address.suburb), (b'p', &address.postcode)] {
            if !text.is_empty() {
                grams(text).iter().for_each(|gram| token(kind, gram));
            }
        }
        if let Some(number) = address.number {
            let value = number.value.to_string();
            (0..OF_NUMBER).for_each(|copy| token(b'0' + copy, &value));
            number.letter.into_iter().for_each(|letter| token(b'l', letter.encode_utf8(&mut [0; 4])));
        }
        let bit = |place: u16| bits[usize::from(place) / 64] >> (place % 64) & 1;
        let mut published = [0u64; WORDS];
        for (at, places) in self.places.iter().enumerate() {
            published[at / 64] |= places.iter().fold(0, |sum, &place| sum ^ bit(place)) << (at % 64);
        }
        published
    }
}

/// The most similar of some filters, and how similar: of equal ones the first.
pub fn nearest(filter: &Filter, others: &[Filter]) -> Option<(usize, f64)> {
    let mut best: Option<(usize, f64)> = None;
    for (at, other) in others.iter().enumerate() {
        let similarity = crate::link::bits::dice(filter, other);
        if best.is_none_or(|(_, most)| similarity > most) {
            best = Some((at, similarity));
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn like_addresses_have_like_filters() {
        let encoder = Encoder::new(b"a secret of sixteen bytes");
        let of = |number: &str, street: &str| encoder.filter(&Address::of_parts(number, street, "Smallville", "2600"));
        let all =
            [of("12", "Garden Street"), of("14", "Garden Street"), of("12", "Harbour Road"), of("3", "Mill Lane")];
        assert_eq!(nearest(&of("12", "Graden St"), &all).unwrap().0, 0);
        assert_eq!(nearest(&of("14", "Gardn Street"), &all).unwrap().0, 1);
        assert_eq!(nearest(&of("12", "Garden Street"), &all), Some((0, 1.0)));
        assert_eq!(nearest(&of("12", "Garden Street"), &[]), None);
    }

    /// Another secret gives filters that say nothing of these: as like as any two of different addresses.
    #[test]
    fn another_secret_is_another_language() {
        let [one, other] = [b"secret number one ....", b"secret number two ...."].map(|secret| Encoder::new(secret));
        let address = Address::of_parts("12", "Garden Street", "Smallville", "2600");
        let like = crate::link::bits::dice(&one.filter(&address), &other.filter(&address));
        assert!(like < 0.55, "{like}");
        assert_ne!(one.check(), other.check());
        assert_ne!(one.sealing(&[0; 16]).bytes(), one.sealing(&[1; 16]).bytes());
    }
}
