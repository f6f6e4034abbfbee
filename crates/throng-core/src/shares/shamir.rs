//! Shamir's scheme: a key becomes shares, any m of which give it back, and fewer of which say nothing of it.
//!
//! Paper      Shamir. How to share a secret. Communications of the ACM 22 (1979).
//! Promises   m - 1 shares are as likely for one key as for any other: nothing is learned from them, whatever one can compute.
//! Does not   say whether a share is genuine; what is sealed under the key has a tag for that.
//!
//! # Idea
//! Every byte of the key is the value at 0 of a polynomial of degree m - 1 over GF(2^8), its other coefficients drawn at random. A
//! share is an index x from 1 to 255 and the values there. Whoever has m of them interpolates at 0.
//!
//! # Formula
//! f(0) = sum over i of y_i · product over j ≠ i of x_j / (x_j - x_i); addition and subtraction are exclusive or, the field is that of
//! AES: polynomials modulo x^8 + x^4 + x^3 + x + 1.
//!
//! # Cost
//! O(m) multiplications a byte and share for splitting, O(c²) for c shares and O(c) a byte for combining. No table and no branch depends
//! on a secret.

use zeroize::Zeroize as _;

use crate::rng::Rng;
use crate::secret::Secret;

/// There are so many indices, and so many different shares.
pub const MOST_SHARES: usize = 255;

/// The values at an index.
pub type Values = [u8; Secret::BYTES];

/// The shares of a key at some indices, none of which may be 0. Any `threshold` of them give the key back.
pub fn split(key: &Secret, threshold: usize, indices: &[u8], rng: &mut Rng) -> Vec<Values> {
    assert!((1..=MOST_SHARES).contains(&threshold) && !indices.contains(&0), "a threshold, and indices of shares");
    // Coefficients from that of the highest power down to the key itself.
    let mut coefficients: Vec<Values> = vec![[0; Secret::BYTES]; threshold];
    coefficients[..threshold - 1].iter_mut().for_each(|values| rng.fill(values));
    coefficients[threshold - 1] = *key.bytes();
    let value = |index: u8| {
        let mut sum = [0; Secret::BYTES];
        for values in &coefficients {
            for (sum, value) in sum.iter_mut().zip(values) {
                *sum = times(*sum, index) ^ value;
            }
        }
        sum
    };
    let shares = indices.iter().map(|&index| value(index)).collect();
    coefficients.zeroize();
    shares
}

/// The key of shares with different indices, none of which is 0. Of too few shares, or of shares of several keys, some other key.
pub fn combine(shares: &[(u8, Values)]) -> Secret {
    let mut key = [0; Secret::BYTES];
    for &(index, values) in shares {
        let others = shares.iter().map(|&(other, _)| other).filter(|&other| other != index);
        let (over, under) =
            others.fold((1, 1), |(over, under), other| (times(over, other), times(under, other ^ index)));
        let weight = times(over, inverse(under));
        for (sum, value) in key.iter_mut().zip(values) {
            *sum ^= times(value, weight);
        }
    }
    let secret = Secret::of(&key);
    key.zeroize();
    secret
}

/// The product of two elements, in the same steps for all of them.
fn times(left: u8, right: u8) -> u8 {
    let (mut product, mut left) = (0, left);
    for bit in 0..8 {
        product ^= left & (right >> bit & 1).wrapping_neg();
        left = left << 1 ^ 0x1b & (left >> 7).wrapping_neg();
    }
    product
}

/// The element whose product with another is 1: its power 254; 0 of 0.
fn inverse(element: u8) -> u8 {
    let (mut power, mut square) = (1, element);
    for _ in 0..7 {
        square = times(square, square);
        power = times(power, square);
    }
    power
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::rng::Rng;

    /// The same, as one learns to multiply polynomials.
    fn by_long_division(left: u8, right: u8) -> u8 {
        let mut product =
            (0..8).filter(|bit| right >> bit & 1 == 1).fold(0u16, |sum, bit| sum ^ u16::from(left) << bit);
        for bit in (8..16).rev() {
            if product >> bit & 1 == 1 {
                product ^= 0x11b << (bit - 8);
            }
        }
        product as u8
    }

    #[test]
    fn the_field_is_that_of_aes() {
        // FIPS 197, sections 4.2 and 4.2.1.
        assert_eq!((times(0x57, 0x83), times(0x57, 0x13)), (0xc1, 0xfe));
        for left in 0..=255 {
            for right in 0..=255 {
                assert_eq!(times(left, right), by_long_division(left, right));
            }
            assert_eq!(times(left, inverse(left)), u8::from(left != 0));
        }
    }

    #[test]
    fn known_interpolations() {
        // The published test vectors of the Java library com.codahale:shamir (class GF256Test).
        for (points, secret) in
            [([(1, 1), (2, 2), (3, 3)], 0), ([(1, 80), (2, 90), (3, 20)], 30), ([(1, 43), (2, 22), (3, 86)], 107)]
        {
            let shares = points.map(|(index, value)| (index, [value; Secret::BYTES]));
            assert_eq!(combine(&shares).bytes(), &[secret; Secret::BYTES]);
        }
    }

    /// By hand: f(x) = 7 + 3x. f(1) = 7 ^ 3 = 4; f(2) = 7 ^ 6 = 1; f(3) = 7 ^ (3 · 3 = 5) = 2.
    #[test]
    fn shares_of_three_persons_by_hand() {
        let share = |index: u8, value: u8| (index, [value; Secret::BYTES]);
        let all = [share(1, 4), share(2, 1), share(3, 2)];
        for two in [[all[0], all[1]], [all[0], all[2]], [all[1], all[2]]] {
            assert_eq!(combine(&two).bytes(), &[7; Secret::BYTES]);
        }
        // More than are needed do no harm.
        assert_eq!(combine(&all).bytes(), &[7; Secret::BYTES]);
        assert_eq!(combine(&all[..1]).bytes(), &[4; Secret::BYTES]);
    }

    proptest! {
        #[test]
        fn as_many_as_the_threshold_and_no_fewer(seed in any::<u64>(), threshold in 2..9usize, more in 0..6usize, turn in 0..9usize) {
            let mut rng = Rng::seeded(seed);
            let key = Secret::draw(&mut rng);
            let mut indices: Vec<u8> = rng.sample(MOST_SHARES, threshold + more).into_iter().map(|at| at as u8 + 1).collect();
            rng.shuffle(&mut indices);
            let values = split(&key, threshold, &indices, &mut rng);
            let mut shares: Vec<(u8, Values)> = indices.into_iter().zip(values).collect();
            prop_assert_eq!(*combine(&shares).bytes(), *key.bytes());
            let count = shares.len();
            shares.rotate_left(turn % count);
            prop_assert_eq!(*combine(&shares[..threshold]).bytes(), *key.bytes());
            prop_assert_ne!(*combine(&shares[..threshold - 1]).bytes(), *key.bytes());
            // With one share fewer every key is possible: the missing share can be chosen for any other.
            let other = Secret::draw(&mut rng);
            let mut forged: Vec<(u8, Values)> = shares[..threshold - 1].to_vec();
            forged.push((shares[threshold - 1].0, [0; Secret::BYTES]));
            let zero = combine(&forged);
            let mut one = forged.clone();
            one[threshold - 1].1 = [1; Secret::BYTES];
            let one = combine(&one);
            // The secret is affine in the missing values: solve for them.
            let last = threshold - 1;
            for at in 0..Secret::BYTES {
                let slope = zero.bytes()[at] ^ one.bytes()[at];
                forged[last].1[at] = times(zero.bytes()[at] ^ other.bytes()[at], inverse(slope));
            }
            prop_assert_eq!(*combine(&forged).bytes(), *other.bytes());
        }
    }

    #[test]
    fn all_indices_may_be_used() {
        let mut rng = Rng::seeded(4);
        let key = Secret::draw(&mut rng);
        let indices: Vec<u8> = (1..=255).collect();
        let values = split(&key, 200, &indices, &mut rng);
        let shares: Vec<(u8, Values)> = indices.into_iter().zip(values).collect();
        assert_eq!(combine(&shares[55..]).bytes(), key.bytes());
        assert_ne!(combine(&shares[56..]).bytes(), key.bytes());
    }
}
