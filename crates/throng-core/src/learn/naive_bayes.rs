//! Naive Bayes (multinomial): which class most likely has these features, taken each by itself.
//!
//! # Formula
//! The class c with the greatest ln(n(c) / n) + sum of x(f) ln((w(c, f) + 1) / (w(c) + v)): n(c) of n examples are of c, x(f) is
//! the weight of feature f, w(c, f) its sum over the examples of c, w(c) the sum of all of them, v the number of features
//! learnt. Ties go to the lower class.
//!
//! # Cost
//! Learning: sorting all features of all examples. A class: one search a class and feature.

/// What was learnt.
#[derive(Debug)]
pub struct NaiveBayes {
    classes: Vec<Learnt>,
}

/// What is known of a class.
#[derive(Debug)]
struct Learnt {
    class: u32,
    /// ln(n(c) / n).
    prior: f64,
    /// w(c, f) by feature in rising order.
    weights: Vec<(u32, f64)>,
    /// w(c) + v.
    whole: f64,
}

impl NaiveBayes {
    /// Learns from classes with their weighted features; `None` of no example.
    pub fn learn(examples: impl IntoIterator<Item = (u32, Vec<(u32, f64)>)>) -> Option<Self> {
        let (mut classes, mut weights): (Vec<u32>, Vec<(u32, u32, f64)>) = (Vec::new(), Vec::new());
        for (class, features) in examples {
            classes.push(class);
            weights.extend(features.into_iter().map(|(feature, weight)| (class, feature, weight)));
        }
        // A stable sort: sums have one order.
        weights.sort_by_key(|&(class, feature, _)| (class, feature));
        let same = weights.chunk_by(|left, right| (left.0, left.1) == (right.0, right.1));
        let sums: Vec<(u32, u32, f64)> =
            same.map(|same| (same[0].0, same[0].1, same.iter().map(|&(_, _, weight)| weight).sum())).collect();
        let mut features: Vec<u32> = sums.iter().map(|&(_, feature, _)| feature).collect();
        features.sort_unstable();
        features.dedup();
        let all = classes.len() as f64;
        classes.sort_unstable();
        let learnt = |same: &[u32]| {
            let own = sums.iter().filter(|sum| sum.0 == same[0]);
            let weights: Vec<(u32, f64)> = own.map(|&(_, feature, sum)| (feature, sum)).collect();
            let whole = weights.iter().map(|&(_, sum)| sum).sum::<f64>() + features.len() as f64;
            Learnt { class: same[0], prior: (same.len() as f64 / all).ln(), weights, whole }
        };
        let classes: Vec<Learnt> = classes.chunk_by(|left, right| left == right).map(learnt).collect();
        (!classes.is_empty()).then_some(Self { classes })
    }

    /// The most likely class of something with these features.
    pub fn class(&self, features: &[(u32, f64)]) -> u32 {
        let score = |learnt: &Learnt| {
            let log = |&(feature, weight): &(u32, f64)| {
                let known = learnt.weights.binary_search_by_key(&feature, |&(feature, _)| feature);
                weight * ((known.map_or(0.0, |at| learnt.weights[at].1) + 1.0) / learnt.whole).ln()
            };
            learnt.prior + features.iter().map(log).sum::<f64>()
        };
        let (first, others) = (&self.classes[0], &self.classes[1..]);
        let mut best = (score(first), first.class);
        for learnt in others {
            let score = score(learnt);
            if score > best.0 {
                best = (score, learnt.class);
            }
        }
        best.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        assert!(NaiveBayes::learn([]).is_none());
        let examples = [(7, vec![(1, 2.0)]), (3, vec![(2, 1.0)]), (7, vec![(1, 1.0), (2, 1.0)])];
        let learnt = NaiveBayes::learn(examples).unwrap();
        // Class 3: ln(1/3) + x(1) ln(1/3) + x(2) ln(2/3). Class 7: ln(2/3) + x(1) ln(4/6) + x(2) ln(2/6).
        assert_eq!(learnt.class(&[]), 7);
        assert_eq!(learnt.class(&[(2, 2.0)]), 3);
        assert_eq!(learnt.class(&[(1, 1.0)]), 7);
        // A tie, 1/3 × 2/3 against 2/3 × 1/3, goes to the lower class.
        assert_eq!(learnt.class(&[(2, 1.0)]), 3);
    }
}
