//! From tokens to places in a filter: keys by HKDF, places by HMACs or keyed BLAKE2b, as clkhash 0.18.3 has them.
//!
//! # Formula
//! doubleHash: (HMAC-SHA1(k1, token) + i · HMAC-MD5(k2, token)) mod l for i = 0, 1, …. blakeHash: BLAKE2b-512 with the first key, salted with the
//! decimal number of the block; each block is 32 little-endian numbers of 16 bits, mod l.

use blake2::Blake2bMac512;
use hmac::digest::KeyInit as _;
use hmac::{Hmac, Mac as _};
use md5::Md5;
use sha1::Sha1;
use sha2::{Sha256, Sha512};
use zeroize::Zeroizing;

use super::schema::{Hash, Kdf};
use crate::error::{Error, Result};

/// The two keys of a column, wiped after use.
pub type Keys = [Zeroizing<Vec<u8>>; 2];

fn hmac_of<M: hmac::Mac + hmac::digest::KeyInit>(key: &[u8], parts: &[&[u8]]) -> Result<Vec<u8>> {
    let mut mac =
        <M as hmac::digest::KeyInit>::new_from_slice(key).map_err(|_| Error::internal("a key that is none"))?;
    parts.iter().for_each(|part| mac.update(part));
    Ok(mac.finalize().into_bytes().to_vec())
}

impl Kdf {
    /// Two keys for each of so many columns.
    pub fn keys(&self, secret: &[u8], columns: usize) -> Result<Vec<Keys>> {
        let bytes = self.bytes(secret, 2 * columns * self.key_size)?;
        let mut each = bytes.chunks_exact(self.key_size).map(|key| Zeroizing::new(key.to_vec()));
        let mut keys = Vec::with_capacity(columns);
        while let (Some(first), Some(second)) = (each.next(), each.next()) {
            keys.push([first, second]);
        }
        Ok(keys)
    }

    /// HKDF (RFC 5869).
    fn bytes(&self, secret: &[u8], count: usize) -> Result<Zeroizing<Vec<u8>>> {
        let hmac = |key: &[u8], parts: &[&[u8]]| match self.sha512 {
            true => hmac_of::<Hmac<Sha512>>(key, parts),
            false => hmac_of::<Hmac<Sha256>>(key, parts),
        };
        let none = vec![0; if self.sha512 { 64 } else { 32 }];
        let extracted = Zeroizing::new(hmac(self.salt.as_ref().unwrap_or(&none), &[secret])?);
        let mut bytes = Zeroizing::new(Vec::with_capacity(count + 64));
        let mut last = Zeroizing::new(Vec::new());
        for number in 1..=255u8 {
            if bytes.len() >= count {
                break;
            }
            last = Zeroizing::new(hmac(&extracted, &[&last, &self.info, &[number]])?);
            bytes.extend_from_slice(&last);
        }
        bytes.truncate(count);
        Ok(bytes)
    }
}

/// A key of 32 bytes for something of our own: HKDF over the secret, with words that say what for.
pub fn own_key(secret: &[u8], purpose: &str) -> Result<Zeroizing<[u8; 32]>> {
    let kdf = Kdf { sha512: false, salt: None, info: format!("throng link: {purpose}").into_bytes(), key_size: 32 };
    let bytes = kdf.bytes(secret, 32)?;
    let mut key = Zeroizing::new([0; 32]);
    key.copy_from_slice(&bytes);
    Ok(key)
}

/// The keyed hash of some texts: HMAC-SHA256, each text before its length.
pub fn keyed(key: &[u8], texts: &[&str]) -> Result<[u8; 32]> {
    let mut whole = Zeroizing::new(Vec::new());
    for text in texts {
        whole.extend_from_slice(&(text.len() as u64).to_le_bytes());
        whole.extend_from_slice(text.as_bytes());
    }
    let hash = hmac_of::<Hmac<Sha256>>(key, &[&whole])?;
    let mut bytes = [0; 32];
    bytes.copy_from_slice(&hash);
    Ok(bytes)
}

/// Puts tokens of a column at their places.
pub(super) struct Placer<'a> {
    hash: Hash,
    bits: u64,
    first: &'a [u8],
    sha1: Hmac<Sha1>,
    md5: Hmac<Md5>,
}

impl<'a> Placer<'a> {
    pub(super) fn new(hash: Hash, bits: usize, keys: &'a Keys) -> Result<Self> {
        let wrong = |_| Error::internal("a key that is none");
        Ok(Self {
            hash,
            bits: bits as u64,
            first: &keys[0],
            sha1: Hmac::new_from_slice(&keys[0]).map_err(wrong)?,
            md5: Hmac::new_from_slice(&keys[1]).map_err(wrong)?,
        })
    }

    /// The first so many places of a token.
    pub(super) fn places(&self, token: &[u8], count: u32) -> Result<Vec<u32>> {
        match self.hash {
            Hash::Double { prevent_singularity } => {
                let start = self.rest(&self.sha1.clone().chain_update(token).finalize().into_bytes());
                let second = |more: &str| {
                    let mac = self.md5.clone().chain_update(token).chain_update(more);
                    self.rest(&mac.finalize().into_bytes())
                };
                let mut step = second("");
                let mut tries = '\0'..;
                while prevent_singularity && step == 0 {
                    let more = tries.next().ok_or_else(|| Error::internal("a token that is singular for ever"))?;
                    step = second(more.encode_utf8(&mut [0; 4]));
                }
                Ok((0..u64::from(count)).map(|at| ((start + at * step) % self.bits) as u32).collect())
            }
            Hash::Blake => {
                let mut places = Vec::with_capacity(count as usize);
                for block in 0..count.div_ceil(32) {
                    let mac =
                        Blake2bMac512::new_with_salt_and_personal(Some(self.first), block.to_string().as_bytes(), &[])
                            .map_err(|_| Error::internal("a key that BLAKE2b does not take"))?;
                    let hash = mac.chain_update(token).finalize().into_bytes();
                    let number = |pair: &[u8]| (u64::from(u16::from_le_bytes([pair[0], pair[1]])) % self.bits) as u32;
                    places.extend(hash.chunks_exact(2).map(number).take(count as usize - places.len()));
                }
                Ok(places)
            }
        }
    }

    /// A big-endian number modulo the length.
    fn rest(&self, digest: &[u8]) -> u64 {
        digest.iter().fold(0, |rest, &byte| (rest * 256 + u64::from(byte)) % self.bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hkdf_is_that_of_the_rfc() {
        // RFC 5869, test case 1.
        let kdf = Kdf { sha512: false, salt: Some((0..13).collect()), info: (0xf0..=0xf9).collect(), key_size: 21 };
        let keys = kdf.keys(&[0x0b; 22], 1).unwrap();
        let hex: String = keys.iter().flatten().flat_map(|key| key.iter()).map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865");
    }

    #[test]
    fn singular_tokens_are_those_that_clkhash_knows() {
        // From the tests of clkhash: with these keys the tokens 635 and 1402 set one bit, 666 and 1401 more.
        let keys = [b"secret1", b"secret2"].map(|key| Zeroizing::new(key.to_vec()));
        let different = |prevent_singularity: bool, token: &str| {
            let placer = Placer::new(Hash::Double { prevent_singularity }, 1024, &keys).unwrap();
            let mut places = placer.places(token.as_bytes(), 20).unwrap();
            places.sort_unstable();
            places.dedup();
            places.len()
        };
        for token in ["635", "1402"] {
            assert_eq!(different(false, token), 1);
            assert!(different(true, token) > 1);
        }
        for token in ["666", "1401"] {
            assert!(different(false, token) > 1);
        }
    }
}
