//! Profiles: what the lines of a person are about, as shares of topics. What recognises a masquerader re-identifies a person.
//!
//! Paper      Castellano, Mastronardi, Pisciotta, Tarricone, on intrusion detection by composed miners (paper 003, its Figures 6 to 9); reading
//!            I1. The divergence is that of Lin, Divergence measures based on the Shannon entropy, IEEE Transactions on Information Theory 37
//!            (1991).
//!
//! # Idea
//! 1. [`lines`]: the words of a person's lines, in the order of time.
//! 2. [`topics`]: which word says something about which topic; a profile is the share of each topic of all occurrences (I1).
//! 3. A later profile that is too far from the earlier one raises an alarm: by divergence, or, as in the paper, where a topic leaves a
//!    band of tolerance. [`limits`] says what too far is.
//! 4. [`trial`]: how well that tells persons apart, first halves of their lines against second halves.
//!
//! # Formula
//! JSD(p, q) = ½ Σ p log2(p/m) + ½ Σ q log2(q/m), m = (p + q)/2: between 0 and 1. Band: max |p − q|.
//!
//! # Does not
//! hide anybody: a profile is as secret as the log that it was made from.

pub mod limits;
pub mod lines;
mod parts;
pub mod topics;
pub mod trial;

use serde::{Deserialize, Serialize};

use crate::distance::divergence::common;
use crate::error::{Error, Result};

/// With fewer lines nobody is judged (reading I1).
pub const LEAST_LINES: usize = 20;

/// So many persons must have a word before it is a topic, where nobody says otherwise.
pub const LEAST_PERSONS: usize = 5;

/// How far apart two profiles are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Distance {
    /// The divergence of Jensen and Shannon, base 2.
    #[default]
    Jsd,
    /// The largest difference of the shares of a topic, as the paper has it.
    Band,
}

impl Distance {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Jsd, Self::Band];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Jsd => "jsd",
            Self::Band => "band",
        }
    }

    /// Reads a name.
    pub fn parse(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|distance| distance.name() == name);
        found.ok_or_else(|| Error::unknown("distance", name, Self::ALL.iter().map(|distance| distance.name())))
    }

    /// The distance of two profiles.
    pub fn of(self, left: &Profile, right: &Profile) -> f64 {
        let pairs = left.beside(right);
        match self {
            Self::Jsd => {
                let in_common: f64 = pairs
                    .filter(|(_, [one, other])| *one > 0.0 && *other > 0.0)
                    .map(|(_, [one, other])| common(one, other))
                    .sum();
                (1.0 - in_common / 2.0).clamp(0.0, 1.0)
            }
            Self::Band => pairs.map(|(_, [one, other])| (one - other).abs()).fold(0.0, f64::max),
        }
    }
}

/// The shares of topics of all that a person wrote or read: topics in rising order, with shares above 0 that add up to 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Profile(Vec<(u32, f64)>);

impl Profile {
    /// Of occurrences of topics in rising order; nothing without any occurrence (reading I1).
    pub fn of(counts: &[(u32, u64)]) -> Option<Self> {
        let all: u64 = counts.iter().map(|&(_, count)| count).sum();
        let share = |&(topic, count): &(u32, u64)| (topic, count as f64 / all as f64);
        (all > 0).then(|| Self(counts.iter().filter(|(_, count)| *count > 0).map(share).collect()))
    }

    /// Of shares that somebody wrote down; nothing if they are none of a profile with so many topics.
    pub fn of_shares(shares: Vec<(u32, f64)>, topics: usize) -> Option<Self> {
        let rise = shares.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let fit = shares.iter().all(|&(topic, share)| (topic as usize) < topics && share > 0.0 && share <= 1.0 + 1e-9);
        let sum: f64 = shares.iter().map(|&(_, share)| share).sum();
        (rise && fit && (sum - 1.0).abs() < 1e-6).then_some(Self(shares))
    }

    /// Topics in rising order with their shares.
    pub fn shares(&self) -> &[(u32, f64)] {
        &self.0
    }

    /// The share of a topic.
    pub fn share(&self, topic: u32) -> f64 {
        self.0.binary_search_by_key(&topic, |&(topic, _)| topic).map_or(0.0, |at| self.0[at].1)
    }

    /// What is left of it beside later occurrences, which weigh so much: (1 − w) own + w now.
    #[must_use]
    pub fn forgetting(&self, now: &Self, weight: f64) -> Self {
        let mixed = self.beside(now).map(|(topic, [own, now])| (topic, (1.0 - weight) * own + weight * now));
        Self(mixed.filter(|&(_, share)| share > 0.0).collect())
    }

    /// The topics that one or the other has, in rising order, with both shares.
    pub fn beside<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = (u32, [f64; 2])> + 'a {
        let (mut left, mut right) = (self.0.iter().peekable(), other.0.iter().peekable());
        std::iter::from_fn(move || {
            let [one, two] =
                [left.peek(), right.peek()].map(|next| next.map_or(u64::MAX, |&&(topic, _)| u64::from(topic)));
            let topic = one.min(two);
            let shares =
                [if one == topic { left.next() } else { None }, if two == topic { right.next() } else { None }];
            let topic = u32::try_from(topic).ok()?;
            Some((topic, shares.map(|share| share.map_or(0.0, |&(_, share)| share))))
        })
    }

    /// The topics in which two profiles differ, what matters most to a distance first, at most so many, with both shares.
    pub fn differences(&self, now: &Self, distance: Distance, most: usize) -> Vec<(u32, [f64; 2])> {
        let weight = |[own, now]: [f64; 2]| match distance {
            Distance::Jsd => own + now - if own > 0.0 && now > 0.0 { common(own, now) } else { 0.0 },
            Distance::Band => (own - now).abs(),
        };
        let mut all: Vec<(u32, [f64; 2])> = self.beside(now).collect();
        all.sort_by(|one, other| weight(other.1).total_cmp(&weight(one.1)).then(one.0.cmp(&other.0)));
        all.truncate(most);
        all
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn profile(counts: &[(u32, u64)]) -> Profile {
        Profile::of(counts).unwrap()
    }

    #[test]
    fn by_hand() {
        // (1/2, 1/2) and (1, 0): 1 − (1.5 log2 1.5 + 0.5)/2 = 0.3113.
        let (half, one) = (profile(&[(1, 2), (4, 2)]), profile(&[(1, 7)]));
        assert!((Distance::Jsd.of(&half, &one) - 0.311_278_124_459_132_8).abs() < 1e-12);
        assert_eq!((Distance::Band.of(&half, &one), Distance::Band.of(&one, &half)), (0.5, 0.5));
        assert_eq!((Distance::Jsd.of(&half, &half), Distance::Band.of(&half, &half)), (0.0, 0.0));
        assert_eq!(Distance::Jsd.of(&one, &profile(&[(2, 1)])), 1.0);
        assert_eq!(half.forgetting(&one, 0.2), Profile(vec![(1, 0.8 * 0.5 + 0.2), (4, 0.8 * 0.5)]));
        assert_eq!(one.forgetting(&half, 1.0), half);
        assert!(Profile::of(&[]).is_none() && Profile::of(&[(3, 0)]).is_none());
        assert_eq!((half.share(4), half.share(2)), (0.5, 0.0));
        assert_eq!(half.differences(&one, Distance::Band, 1), [(1, [0.5, 1.0])]);
        assert_eq!(
            half.differences(&one, Distance::Jsd, 9).iter().map(|&(topic, _)| topic).collect::<Vec<_>>(),
            [4, 1]
        );
    }

    #[test]
    fn shares_that_somebody_wrote_are_looked_at() {
        assert!(Profile::of_shares(vec![(0, 0.25), (3, 0.75)], 4).is_some());
        for (shares, topics) in [
            (vec![(0, 0.25), (3, 0.75)], 3),
            (vec![(3, 0.75), (0, 0.25)], 4),
            (vec![(0, 0.25), (3, 0.70)], 4),
            (vec![(0, 1.5), (3, -0.5)], 4),
            (vec![(0, f64::NAN)], 4),
            (vec![], 4),
        ] {
            assert!(Profile::of_shares(shares, topics).is_none());
        }
    }

    proptest! {
        /// The formulas, topic by topic.
        #[test]
        fn as_the_formulas(
            left in prop::collection::btree_map(0..12u32, 1..20u64, 1..8),
            right in prop::collection::btree_map(0..12u32, 1..20u64, 1..8),
        ) {
            let [one, other] = [&left, &right].map(|counts| profile(&counts.clone().into_iter().collect::<Vec<_>>()));
            let (mut jsd, mut band) = (0.0, 0.0f64);
            for topic in 0..12 {
                let (p, q) = (one.share(topic), other.share(topic));
                let to_middle = |share: f64| if share > 0.0 { share * (2.0 * share / (p + q)).log2() } else { 0.0 };
                jsd += (to_middle(p) + to_middle(q)) / 2.0;
                band = band.max((p - q).abs());
            }
            prop_assert!((Distance::Jsd.of(&one, &other) - jsd).abs() < 1e-9);
            prop_assert!((Distance::Band.of(&one, &other) - band).abs() < 1e-12);
            let kept = one.forgetting(&other, 0.3);
            prop_assert!((kept.shares().iter().map(|&(_, share)| share).sum::<f64>() - 1.0).abs() < 1e-12);
        }
    }
}
