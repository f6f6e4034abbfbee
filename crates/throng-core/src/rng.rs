//! The one door for randomness.
//!
//! `Rng::secure()` draws its key from the operating system and is what releases use; `Rng::seeded(n)` repeats itself
//! and is for tests and research, and then the certificate says so. Both are ChaCha20, so that a secure release stays
//! unpredictable however much of it is seen.

use rand_chacha::ChaCha20Rng;
use rand_core::{Rng as _, SeedableRng as _};

use crate::error::{Error, Result};

/// A stream of random numbers that knows whether it can be repeated.
#[derive(Debug)]
pub struct Rng {
    stream: ChaCha20Rng,
    seeded: bool,
}

impl Rng {
    /// The size of a [`Self::state`]: key, stream, position, and whether it is seeded.
    pub const STATE: usize = 32 + 8 + 16 + 1;

    /// Unpredictable: the key comes from the operating system.
    pub fn secure() -> Result<Self> {
        let mut key = [0; 32];
        #[expect(clippy::disallowed_methods, reason = "this is the door")]
        getrandom::fill(&mut key)
            .map_err(|_| Error::refused("the operating system gives no random numbers, so nothing can be released"))?;
        Ok(Self { stream: ChaCha20Rng::from_seed(key), seeded: false })
    }

    /// Repeatable: the same seed gives the same numbers, on any machine.
    pub fn seeded(seed: u64) -> Self {
        Self { stream: ChaCha20Rng::seed_from_u64(seed), seeded: true }
    }

    /// An independent stream number `stream` of the same seed, for work that is split over persons or blocks.
    pub fn seeded_stream(seed: u64, stream: u64) -> Self {
        let mut rng = Self::seeded(seed);
        rng.stream.set_stream(stream);
        rng
    }

    /// The stream of a key that somebody drew: two who have the key have the same numbers, and nobody else has them.
    pub fn of_key(key: &[u8; 32]) -> Self {
        Self { stream: ChaCha20Rng::from_seed(*key), seeded: false }
    }

    /// Where the stream is, for a run that goes on after it was ended. Whoever knows it knows all numbers before and after.
    pub fn state(&self) -> [u8; Self::STATE] {
        let mut state = [0; Self::STATE];
        state[..32].copy_from_slice(&self.stream.get_seed());
        state[32..40].copy_from_slice(&self.stream.get_stream().to_le_bytes());
        state[40..56].copy_from_slice(&self.stream.get_word_pos().to_le_bytes());
        state[56] = u8::from(self.seeded);
        state
    }

    /// The stream from where it was.
    pub fn from_state(state: &[u8; Self::STATE]) -> Self {
        let mut stream = ChaCha20Rng::from_seed(std::array::from_fn(|at| state[at]));
        stream.set_stream(u64::from_le_bytes(std::array::from_fn(|at| state[32 + at])));
        stream.set_word_pos(u128::from_le_bytes(std::array::from_fn(|at| state[40 + at])));
        Self { stream, seeded: state[56] == 1 }
    }

    /// Whether the numbers can be repeated by whoever knows the seed.
    pub fn is_seeded(&self) -> bool {
        self.seeded
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.stream.next_u64()
    }

    /// A 128-bit key.
    pub fn key(&mut self) -> [u8; 16] {
        (u128::from(self.bits()) << 64 | u128::from(self.bits())).to_le_bytes()
    }

    /// Fills a place with random bytes.
    pub fn fill(&mut self, bytes: &mut [u8]) {
        self.stream.fill_bytes(bytes);
    }

    /// A whole number in `0..bound`, without bias. `bound` must not be 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        assert!(bound > 0, "an empty range has no number to draw");
        // Lemire's multiplication with rejection of the short tail.
        let mut product = u128::from(self.bits()) * u128::from(bound);
        if (product as u64) < bound {
            let tail = bound.wrapping_neg() % bound;
            while (product as u64) < tail {
                product = u128::from(self.bits()) * u128::from(bound);
            }
        }
        (product >> 64) as u64
    }

    /// An index in `0..len`. `len` must not be 0.
    pub fn index(&mut self, len: usize) -> usize {
        self.below(len as u64) as usize
    }

    /// A number in `[0, 1)` with 53 random bits.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A number from the standard normal distribution (Box and Muller).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }

    /// Puts the items in a random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.index(last + 1));
        }
    }

    /// `count` distinct indices of `0..len` in rising order, all of them when `count` is not below `len`.
    pub fn sample(&mut self, len: usize, count: usize) -> Vec<u32> {
        if count >= len {
            return (0..len as u32).collect();
        }
        // Floyd's algorithm: one draw for each index kept. A few are found fastest in a list.
        const FEW: usize = 32;
        if count <= FEW {
            let mut chosen = Vec::with_capacity(count);
            for last in len - count..len {
                let candidate = self.index(last + 1) as u32;
                match chosen.binary_search(&candidate) {
                    // All that were drawn before are below.
                    Ok(_) => chosen.push(last as u32),
                    Err(place) => chosen.insert(place, candidate),
                }
            }
            return chosen;
        }
        let mut chosen = std::collections::BTreeSet::new();
        for last in len - count..len {
            let candidate = self.index(last + 1) as u32;
            if !chosen.insert(candidate) {
                chosen.insert(last as u32);
            }
        }
        chosen.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_repeats_itself_and_streams_differ() {
        let draw = |mut rng: Rng| (0..4).map(|_| rng.bits()).collect::<Vec<_>>();
        assert_eq!(draw(Rng::seeded(7)), draw(Rng::seeded(7)));
        assert_ne!(draw(Rng::seeded(7)), draw(Rng::seeded(8)));
        assert_ne!(draw(Rng::seeded_stream(7, 1)), draw(Rng::seeded_stream(7, 2)));
        assert_ne!(draw(Rng::secure().unwrap()), draw(Rng::secure().unwrap()));
    }

    #[test]
    fn a_stream_goes_on_from_its_state() {
        for mut rng in [Rng::seeded(7), Rng::seeded_stream(7, 3), Rng::secure().unwrap()] {
            for draws in [0, 1, 5, 100] {
                for _ in 0..draws {
                    rng.bits();
                }
                let mut copy = Rng::from_state(&rng.state());
                assert_eq!(copy.is_seeded(), rng.is_seeded());
                assert_eq!(
                    (0..40).map(|_| copy.bits()).collect::<Vec<_>>(),
                    (0..40).map(|_| rng.bits()).collect::<Vec<_>>()
                );
            }
        }
    }

    #[test]
    fn bounds_hold_and_all_values_come_up() {
        let mut rng = Rng::seeded(1);
        let mut seen = [0u32; 6];
        for _ in 0..6000 {
            seen[rng.below(6) as usize] += 1;
        }
        assert!(seen.iter().all(|&count| (850..1150).contains(&count)), "{seen:?}");
        assert!((0..1000).all(|_| (0.0..1.0).contains(&rng.unit())));
    }

    #[test]
    fn a_sample_has_distinct_indices() {
        let mut rng = Rng::seeded(1);
        let sample = rng.sample(100, 30);
        assert_eq!(sample.len(), 30);
        assert!(sample.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(rng.sample(3, 10), [0, 1, 2]);
    }
}
