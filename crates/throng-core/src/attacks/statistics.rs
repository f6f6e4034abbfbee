//! The statistics of attacks, the same for all: hits, rate, interval, found, baseline, control, residual, bound, verdict.
//!
//! Paper      Wilson. Probable inference, the law of succession, and statistical inference. JASA 22 (1927). Control and residual are
//!            those of Giomi, Boenisch, Wehmeyer, Tasnádi: A Unified Framework for Quantifying Privacy Risk in Synthetic Data
//!            (Anonymeter). PoPETs 2023.
//!
//! # Idea
//! 1. A guess is uniform among c candidates: 1/c of a hit if the target is one of them, else none. That is exact, and has less
//!    noise than drawing the guess.
//! 2. The unit is the person, for several draws of one person are not independent: a person's draws are averaged, `attempts` counts
//!    persons, `hits` is the sum of their means.
//! 3. Who was left out of the release is an attempt without a hit.
//!
//! # Formula
//! interval: (h + z²/2 ± z √(h (n − h)/n + z²/4)) / (n + z²), cut to [0, 1], z = 1.959963984540054; h may be a fraction.
//! residual = max(0, (rate − control)/(1 − control)).

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::AttackInfo;

/// The 97.5th percentile of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// What became of the attempts on one person: the means over the draws.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Attempt {
    /// How much of a hit.
    pub hit: f64,
    /// The share of draws in which the target was among candidates that the knowledge singled out.
    pub found: f64,
}

impl Attempt {
    /// The mean of several; nothing of none.
    pub fn mean(draws: impl IntoIterator<Item = Self>) -> Self {
        let (mut sum, mut count) = (Self::default(), 0u32);
        for draw in draws {
            sum = Self { hit: sum.hit + draw.hit, found: sum.found + draw.found };
            count += 1;
        }
        let count = f64::from(count.max(1));
        Self { hit: sum.hit / count, found: sum.found / count }
    }
}

/// What an attack achieved.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Outcome {
    /// The attack's name.
    pub name: &'static str,
    /// How many were attacked.
    pub attempts: u64,
    /// How many of them were hit; fractions are guesses among several.
    pub hits: f64,
    /// hits / attempts; `None` of nobody.
    pub rate: Option<f64>,
    /// The 95 % interval of the rate.
    pub interval: [f64; 2],
    /// The share of attempts in which the target was among candidates that were singled out; `None` for an attack without candidates.
    pub found: Option<f64>,
    /// What the same attacker achieves without the release.
    pub baseline: Option<f64>,
    /// What the same attack achieves on persons who are not in the release.
    pub control: Option<f64>,
    /// What the rate has beyond the control.
    pub residual: Option<f64>,
    /// What the claimed model promises the rate to be, at most.
    pub bound: Option<f64>,
    /// `above`, `below` or `none`.
    pub verdict: &'static str,
    /// What the attacker knew.
    pub knowledge: Value,
    /// Everything else.
    pub parts: Value,
    /// Figures that only this attack has, beside the others.
    #[serde(flatten)]
    pub own: Map<String, Value>,
}

impl Outcome {
    /// The outcome of so many attempts with so many hits.
    pub fn new(card: &AttackInfo, attempts: u64, hits: f64) -> Self {
        Self {
            name: card.info.name,
            attempts,
            hits,
            rate: (attempts > 0).then(|| hits / attempts as f64),
            interval: wilson(hits, attempts),
            found: None,
            baseline: None,
            control: None,
            residual: None,
            bound: None,
            verdict: "none",
            knowledge: json!({}),
            parts: json!({}),
            own: Map::new(),
        }
    }

    /// The outcome of attempts on persons, each of whom may be among candidates.
    pub fn of(card: &AttackInfo, persons: &[Attempt]) -> Self {
        let attempts = persons.len() as u64;
        let found: f64 = persons.iter().map(|person| person.found).sum();
        let hits = persons.iter().map(|person| person.hit).sum();
        let found = (attempts > 0).then(|| found / attempts as f64);
        Self { found, ..Self::new(card, attempts, hits) }
    }

    /// The same with what the attacker achieves without the release.
    #[must_use]
    pub fn with_baseline(self, baseline: Option<f64>) -> Self {
        Self { baseline, ..self }
    }

    /// The same with what the attack achieves on persons who are not in the release.
    #[must_use]
    pub fn with_control(self, control: Option<f64>) -> Self {
        let residual = |(rate, control): (f64, f64)| match 1.0 - control {
            // Whoever is always right of everybody learned nothing from the release.
            room if room <= 0.0 => 0.0,
            room => ((rate - control) / room).max(0.0),
        };
        Self { control, residual: self.rate.zip(control).map(residual), ..self }
    }

    /// The same with what a model promises, and the verdict.
    #[must_use]
    pub fn with_bound(self, bound: Option<f64>) -> Self {
        let verdict = match bound {
            None => "none",
            Some(bound) if self.interval[0] > bound => "above",
            Some(_) => "below",
        };
        Self { bound, verdict, ..self }
    }

    /// The same with what was known.
    #[must_use]
    pub fn with_knowledge(self, knowledge: Value) -> Self {
        Self { knowledge, ..self }
    }

    /// The same with everything else.
    #[must_use]
    pub fn with_parts(self, parts: Value) -> Self {
        Self { parts, ..self }
    }

    /// Whether the attack achieves more than was promised.
    pub fn is_above(&self) -> bool {
        self.verdict == "above"
    }
}

/// Wilson's 95 % interval of a rate; all there is of no attempts.
pub fn wilson(hits: f64, attempts: u64) -> [f64; 2] {
    if attempts == 0 {
        return [0.0, 1.0];
    }
    let n = attempts as f64;
    let centre = (hits + Z * Z / 2.0) / (n + Z * Z);
    // Sums of fractions may be a last digit above the number of attempts.
    let spread = (hits * (n - hits) / n).max(0.0);
    let half = Z / (n + Z * Z) * (spread + Z * Z / 4.0).sqrt();
    // Without a hit the lower end is 0, of which rounding would leave a trace.
    let low = if hits > 0.0 { (centre - half).max(0.0) } else { 0.0 };
    [low, (centre + half).min(1.0)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const CARD: AttackInfo = AttackInfo::DEFAULT;

    fn near(left: f64, right: f64) -> bool {
        (left - right).abs() < 5e-5
    }

    /// 12 of 1,017 by hand: z² = 3.841459; centre (12 + 1.920729)/1020.841459 = 0.0136365; half width
    /// 1.959964/1020.841459 · √(12·1005/1017 + 0.960365) = 0.00191995 · √12.818772 = 0.0068741.
    #[test]
    fn wilson_by_hand() {
        let [low, high] = wilson(12.0, 1017);
        assert!(near(low, 0.006_762) && near(high, 0.020_511), "{low} {high}");
        // Nobody of ten: [0, z²/(10 + z²)]; all of ten is its mirror image.
        let [low, high] = wilson(0.0, 10);
        assert!(low == 0.0 && near(high, 3.841_459 / 13.841_459), "{low} {high}");
        let mirrored = wilson(10.0, 10);
        assert!(near(mirrored[0], 1.0 - high) && near(mirrored[1], 1.0));
        assert_eq!(wilson(0.0, 0), [0.0, 1.0]);
        // Half a hit of one attempt lies in the middle: symmetric about 1/2.
        let [low, high] = wilson(0.5, 1);
        assert!(near(low + high, 1.0), "{low} {high}");
    }

    #[test]
    fn a_person_counts_once_and_fractions_count() {
        let draws = [Attempt { hit: 1.0, found: 1.0 }, Attempt { hit: 0.0, found: 0.0 }];
        let person = Attempt::mean(draws);
        assert_eq!(person, Attempt { hit: 0.5, found: 0.5 });
        let outcome = Outcome::of(&CARD, &[person, Attempt { hit: 0.25, found: 1.0 }, Attempt::default()]);
        assert_eq!((outcome.attempts, outcome.hits, outcome.rate, outcome.found), (3, 0.75, Some(0.25), Some(0.5)));
        let nobody = Outcome::of(&CARD, &[]);
        assert_eq!((nobody.rate, nobody.found, nobody.verdict), (None, None, "none"));
    }

    #[test]
    fn control_residual_bound_and_verdict() {
        let half = || Outcome::new(&CARD, 1000, 500.0);
        // (.5 - .2)/(1 - .2) = .375.
        assert!(near(half().with_control(Some(0.2)).residual.unwrap(), 0.375));
        assert_eq!(half().with_control(Some(0.7)).residual, Some(0.0));
        assert_eq!(half().with_control(Some(1.0)).residual, Some(0.0));
        assert_eq!((half().with_control(None).residual, half().with_bound(None).verdict), (None, "none"));
        assert_eq!(half().with_bound(Some(0.2)).verdict, "above");
        // The rate is above, but not surely.
        assert_eq!(half().with_bound(Some(0.49)).verdict, "below");
        assert!(!half().with_bound(Some(0.5)).is_above());
    }

    proptest! {
        #[test]
        fn the_interval_holds_the_rate_and_is_wider_for_fewer(n in 1u64..5000, share in 0.0..=1.0f64) {
            let hits = share * n as f64;
            let [low, high] = wilson(hits, n);
            prop_assert!(0.0 <= low && low <= share + 1e-12 && share <= high + 1e-12 && high <= 1.0);
            let [less, more] = wilson(hits * 4.0, n * 4);
            prop_assert!(more - less <= high - low + 1e-12);
        }
    }
}
