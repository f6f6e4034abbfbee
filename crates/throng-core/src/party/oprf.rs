//! An oblivious pseudorandom function: the client learns F(key, input), the server neither.
//!
//! Paper      Davidson, Faz-Hernandez, Sullivan, Wood. RFC 9497, mode OPRF, suite ristretto255-SHA512.
//!
//! # Idea
//! 1. The client hashes its input to the group and multiplies it by a random scalar, the blind. 2. The server multiplies what it
//!    gets by its key. 3. The client divides by the blind, and hashes input and product.
//!
//! # Formula
//! F(k, x) = SHA-512(len(x) x len(N) N "Finalize"), N = k · H(x) serialised, lengths of two bytes.
//!
//! # Cost
//! Two group operations for each side and element, of about 50 microseconds each.
//!
//! Does not   stop a client from asking for any input that it can guess, and proves nothing of the server (that is mode VOPRF).

use curve25519_dalek::ristretto::{CompressedRistretto, RistrettoPoint};
use curve25519_dalek::scalar::Scalar;
use curve25519_dalek::traits::IsIdentity as _;
use sha2::{Digest as _, Sha512};
use zeroize::Zeroizing;

use crate::rng::Rng;

/// The name of the suite.
pub const SUITE: &str = "ristretto255-SHA512";

/// How many bytes an element has.
pub const ELEMENT: usize = 32;

/// The longest input, in bytes: its length is written with two.
pub const MOST_INPUT: usize = u16::MAX as usize;

/// `"OPRFV1-" || 0x00 || "-" || suite`: the context of mode OPRF.
const CONTEXT: &[u8] = b"OPRFV1-\x00-ristretto255-SHA512";

/// An element of the group, as it is sent.
pub type Element = [u8; ELEMENT];

/// A secret scalar other than 0: a key, or a blind.
#[derive(Clone)]
pub struct Scale(Zeroizing<Scalar>);

impl Scale {
    /// Draws one.
    pub fn draw(rng: &mut Rng) -> Self {
        let mut bytes = Zeroizing::new([0; 64]);
        loop {
            rng.fill(bytes.as_mut_slice());
            let scalar = Scalar::from_bytes_mod_order_wide(&bytes);
            if scalar != Scalar::ZERO {
                return Self(Zeroizing::new(scalar));
            }
        }
    }

    /// One over it.
    #[must_use]
    pub fn inverse(&self) -> Self {
        Self(Zeroizing::new(self.0.invert()))
    }

    /// One over each, for the price of a few multiplications each.
    #[must_use]
    pub fn inverses(all: &[Self]) -> Vec<Self> {
        let mut scalars: Vec<Scalar> = all.iter().map(|scale| *scale.0).collect();
        if !scalars.is_empty() {
            Scalar::invert_batch_alloc(&mut scalars);
        }
        scalars.into_iter().map(|scalar| Self(Zeroizing::new(scalar))).collect()
    }
}

impl std::fmt::Debug for Scale {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Scale")
    }
}

/// `expand_message_xmd` of RFC 9380 with SHA-512, for 64 bytes: one block.
fn expand(message: &[&[u8]], prefix: &[u8]) -> [u8; 64] {
    let tag = |hash: &mut Sha512| {
        hash.update(prefix);
        hash.update(CONTEXT);
        hash.update([(prefix.len() + CONTEXT.len()) as u8]);
    };
    let mut first = Sha512::new();
    first.update([0; 128]);
    message.iter().for_each(|part| first.update(part));
    first.update([0, 64, 0]);
    tag(&mut first);
    let mut second = Sha512::new();
    second.update(first.finalize());
    second.update([1]);
    tag(&mut second);
    second.finalize().into()
}

/// The element that an input stands for. That it is the identity happens for nobody.
fn hash_to_group(input: &[u8]) -> RistrettoPoint {
    RistrettoPoint::from_uniform_bytes(&expand(&[input], b"HashToGroup-"))
}

/// An input times a scalar: blinded by the client, or evaluated by the server on an input of its own.
pub fn scaled_input(input: &[u8], scale: &Scale) -> Element {
    (hash_to_group(input) * *scale.0).compress().to_bytes()
}

/// An element times a scalar: evaluated by the server, or unblinded by the client. `None` if the bytes are not the one canonical form of
/// an element, or the identity.
pub fn scaled_element(element: &Element, scale: &Scale) -> Option<Element> {
    let point = CompressedRistretto(*element).decompress().filter(|point| !point.is_identity())?;
    Some((point * *scale.0).compress().to_bytes())
}

/// The output for an input and its evaluated, unblinded element.
pub fn output(input: &[u8], element: &Element) -> [u8; 64] {
    let mut hash = Sha512::new();
    hash.update((input.len() as u16).to_be_bytes());
    hash.update(input);
    hash.update((ELEMENT as u16).to_be_bytes());
    hash.update(element);
    hash.update(b"Finalize");
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(hex: &str) -> Vec<u8> {
        (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
    }

    fn element(hex: &str) -> Element {
        bytes(hex).try_into().unwrap()
    }

    fn scale(hex: &str) -> Scale {
        Scale(Zeroizing::new(Scalar::from_canonical_bytes(element(hex)).unwrap()))
    }

    /// `DeriveKeyPair` of the RFC, which only its vectors need: we draw keys.
    fn derived_key(seed: &[u8], info: &[u8]) -> Scalar {
        let length = (info.len() as u16).to_be_bytes();
        Scalar::from_bytes_mod_order_wide(&expand(&[seed, &length, info, &[0]], b"DeriveKeyPair"))
    }

    /// RFC 9497, appendix A.1.1: both vectors of mode OPRF.
    #[test]
    fn vectors_of_the_rfc() {
        let key = "5ebcea5ee37023ccb9fc2d2019f9d7737be85591ae8652ffa9ef0f4d37063b0e";
        assert_eq!(derived_key(&[0xa3; 32], b"test key"), *scale(key).0);
        let blind = scale("64d37aed22a27f5191de1c1d69fadb899d8862b58eb4220029e036ec4c1f6706");
        let vectors = [
            (
                "00",
                "609a0ae68c15a3cf6903766461307e5c8bb2f95e7e6550e1ffa2dc99e412803c",
                "7ec6578ae5120958eb2db1745758ff379e77cb64fe77b0b2d8cc917ea0869c7e",
                "527759c3d9366f277d8c6020418d96bb393ba2afb20ff90df23fb7708264e2f3\
                 ab9135e3bd69955851de4b1f9fe8a0973396719b7912ba9ee8aa7d0b5e24bcf6",
            ),
            (
                "5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a",
                "da27ef466870f5f15296299850aa088629945a17d1f5b7f5ff043f76b3c06418",
                "b4cbf5a4f1eeda5a63ce7b77c7d23f461db3fcab0dd28e4e17cecb5c90d02c25",
                "f4a74c9c592497375e796aa837e907b1a045d34306a749db9f34221f7e750cb4\
                 f2a6413a6bf6fa5e19ba6348eb673934a722a7ede2e7621306d18951e7cf2c73",
            ),
        ];
        for (input, blinded, evaluated, expected) in vectors {
            let input = bytes(input);
            assert_eq!(scaled_input(&input, &blind), element(blinded));
            assert_eq!(scaled_element(&element(blinded), &scale(key)), Some(element(evaluated)));
            let unblinded = scaled_element(&element(evaluated), &blind.inverse()).unwrap();
            assert_eq!(unblinded, scaled_input(&input, &scale(key)), "the server's own input gives the same");
            assert_eq!(output(&input, &unblinded).to_vec(), bytes(expected));
        }
    }

    /// Appendix A of RFC 9496: what is no element is refused, and the identity too.
    #[test]
    fn elements_are_decoded_strictly() {
        let one = Scale(Zeroizing::new(Scalar::ONE));
        let bad = [
            "0000000000000000000000000000000000000000000000000000000000000000",
            "00ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
            "f3ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "0100000000000000000000000000000000000000000000000000000000000000",
            "26948d35ca62e643e26a83177332e6b6afeb9d08e4268b650f1f5bbd8d81d371",
            "de6a7b00deadc788eb6b6c8d20c0ae96c2f2019078fa604fee5b87d6e989ad7b",
        ];
        for hex in bad {
            assert_eq!(scaled_element(&element(hex), &one), None, "{hex}");
        }
        let good = element("e2f2ae0a6abc4e71a884a961c500515f58e30b6aa582dd8db6a65945e08d2d76");
        assert_eq!(scaled_element(&good, &one), Some(good));
    }

    #[test]
    fn many_inverses_are_the_inverses() {
        let mut rng = Rng::seeded(1);
        let scales: Vec<Scale> = (0..5).map(|_| Scale::draw(&mut rng)).collect();
        let inverses = Scale::inverses(&scales);
        assert!(scales.iter().zip(&inverses).all(|(scale, inverse)| *scale.0 * *inverse.0 == Scalar::ONE));
        assert!(Scale::inverses(&[]).is_empty());
    }
}
