//! A key that a method drew: zeroed when it is dropped, and never shown.

use zeroize::Zeroizing;

use crate::rng::Rng;

/// A key of 256 bits.
#[derive(Clone)]
pub struct Secret(Zeroizing<[u8; Self::BYTES]>);

impl Secret {
    /// How long a key is.
    pub const BYTES: usize = 32;

    /// A fresh key. As unpredictable as the stream it comes from: whoever knows a seed knows the key.
    pub fn draw(rng: &mut Rng) -> Self {
        let mut key = Zeroizing::new([0; Self::BYTES]);
        rng.fill(key.as_mut_slice());
        Self(key)
    }

    /// The key with these bytes.
    pub fn of(bytes: &[u8; Self::BYTES]) -> Self {
        Self(Zeroizing::new(*bytes))
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8; Self::BYTES] {
        &self.0
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Secret")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_differ_and_are_not_shown() {
        let mut rng = Rng::seeded(1);
        let (one, two) = (Secret::draw(&mut rng), Secret::draw(&mut rng));
        assert_ne!(one.bytes(), two.bytes());
        assert_eq!(format!("{one:?}"), "Secret");
        assert_eq!(Secret::of(one.bytes()).bytes(), one.bytes());
    }
}
