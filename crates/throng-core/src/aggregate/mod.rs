//! Making one record out of the records of a group.

pub mod alike;
pub mod baskets;
pub(crate) mod chosen;
pub mod content;
pub mod documents;
pub(crate) mod marks;
pub mod normal;
pub mod queries;

/// Shares `total` out in proportion to `weights` by the largest remainder, ties to the earlier (reading Q17).
///
/// The shares are whole numbers that add up to `total`; without any weight all are 0.
pub fn largest_remainder(weights: &[usize], total: usize) -> Vec<usize> {
    let sum: u128 = weights.iter().map(|&weight| weight as u128).sum();
    if sum == 0 {
        return vec![0; weights.len()];
    }
    let exact = |weight: usize| (weight as u128 * total as u128 / sum, weight as u128 * total as u128 % sum);
    let mut shares: Vec<usize> = weights.iter().map(|&weight| exact(weight).0 as usize).collect();
    let missing = total - shares.iter().sum::<usize>();
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by_key(|&at| (std::cmp::Reverse(exact(weights[at]).1), at));
    for at in order.into_iter().take(missing) {
        shares[at] += 1;
    }
    shares
}

/// A mean of whole numbers, rounded half up.
pub fn rounded_mean(sum: u64, count: usize) -> u64 {
    let count = count as u64;
    (2 * sum + count) / (2 * count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_by_hand() {
        // 10 shared over 5, 3, 1: 5.56, 3.33, 1.11; the one missing goes to the largest remainder.
        assert_eq!(largest_remainder(&[5, 3, 1], 10), [6, 3, 1]);
        // Equal remainders: the earlier wins.
        assert_eq!(largest_remainder(&[1, 1, 1], 2), [1, 1, 0]);
        assert_eq!(largest_remainder(&[1, 1, 1, 1], 1), [1, 0, 0, 0]);
        assert_eq!(largest_remainder(&[7, 7], 0), [0, 0]);
        assert_eq!(largest_remainder(&[0, 4], 3), [0, 3]);
        assert_eq!(largest_remainder(&[], 3), [0usize; 0]);
    }

    #[test]
    fn means_round_half_up() {
        assert_eq!(rounded_mean(3, 2), 2);
        assert_eq!(rounded_mean(4, 3), 1);
        assert_eq!(rounded_mean(5, 3), 2);
        assert_eq!(rounded_mean(0, 3), 0);
    }
}
