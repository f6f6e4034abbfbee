//! What methods that promise the same risk and lose, over k, and where that curve bends.

use super::recommend::chance;
use super::{Comparison, Spread};

/// What methods that promise the same risk and lose, over k.
pub(super) struct Curve<'a> {
    /// What is risked, in words; `None` if nothing was measured: then it is the chance to be picked out of k.
    pub(super) risked: Option<&'static str>,
    /// In the order of k.
    pub(super) points: Vec<Point<'a>>,
    /// Losses that differ by no more may do so by chance.
    chance: f64,
}

/// The methods with a k.
pub(super) struct Point<'a> {
    pub(super) k: usize,
    /// The one that counts: of those that risk and lose least together, as far as one can tell, one that is safer than the others.
    pub(super) best: Weighed<'a>,
    /// Those that risk and lose as little together, as far as one can tell.
    pub(super) as_good: Vec<Weighed<'a>>,
    /// All others, the least price first.
    pub(super) worse: Vec<Weighed<'a>>,
}

/// What a method risks and loses with a k.
#[derive(Debug, Clone, Copy)]
pub(super) struct Weighed<'a> {
    pub(super) method: &'a str,
    pub(super) risk: f64,
    pub(super) loss: Spread,
    /// Risk and loss together: a point of one weighs as much as a point of the other.
    pub(super) price: Spread,
}

impl<'a> Curve<'a> {
    pub(super) fn of(comparison: &'a Comparison, methods: &[&'a str]) -> Option<Self> {
        let losses = comparison.losses(methods);
        let risk = comparison.risk(methods);
        let risk_measure = risk.map(|(name, _)| name);
        let chance = chance(comparison.input.persons);
        let weighed = |&method: &&'a str, k: usize| {
            let risk = match risk {
                Some((name, _)) => comparison.spread(method, k, name)?.mean,
                None => 100.0 / k as f64,
            };
            let loss = comparison.lost(method, k, &losses)?;
            let price =
                comparison.price(method, k, &losses, risk_measure).unwrap_or(Spread { mean: risk + loss.mean, ..loss });
            Some(Weighed { method, risk, loss, price })
        };
        let point = |&k: &usize| {
            let mut all: Vec<Weighed<'a>> = methods.iter().filter_map(|method| weighed(method, k)).collect();
            all.sort_by(|left, right| left.price.mean.total_cmp(&right.price.mean));
            let least = all.first()?.price;
            let is_as_good = |own: &Weighed<'_>| own.price.is_like(least) || own.price.mean - least.mean <= chance;
            let (mut as_good, worse): (Vec<_>, Vec<_>) = all.into_iter().partition(is_as_good);
            // They are in the order of their prices; one that is safer by more than chance goes first.
            let safest =
                (0..as_good.len()).min_by(|&left, &right| as_good[left].risk.total_cmp(&as_good[right].risk))?;
            let first = if as_good[0].risk - as_good[safest].risk > chance { safest } else { 0 };
            let best = as_good.remove(first);
            Some(Point { k, best, as_good, worse })
        };
        let points: Vec<Point<'a>> = comparison.k.iter().filter_map(point).collect();
        (!losses.is_empty() && !points.is_empty()).then_some(Self {
            risked: risk.map(|(_, word)| word),
            points,
            chance,
        })
    }

    /// Where it bends.
    pub(super) fn bend(&self) -> Bend {
        let places: Vec<(f64, f64)> = self.points.iter().map(|point| (point.best.risk, point.best.loss.mean)).collect();
        bend(&places, self.chance)
    }
}

/// Where a curve bends.
#[derive(Debug, PartialEq)]
pub(super) enum Bend {
    At(usize),
    /// The greatest k loses no more than any other.
    NoLoss,
    /// Losses differ by no more than chance.
    Untold,
    Nowhere,
}

/// Less than this below the line is no knee: it is 1 from corner to corner.
const STRAIGHT: f64 = 0.02;

/// The knee of risk against loss, from the smallest k to the greatest. Losses that differ by no more than `chance` do not differ.
fn bend(points: &[(f64, f64)], chance: f64) -> Bend {
    let (Some(&(most_risk, least_loss)), Some(&(least_risk, most_loss))) = (points.first(), points.last()) else {
        return Bend::Nowhere;
    };
    let losses = || points.iter().map(|&(_, loss)| loss);
    let [least, most] = [losses().fold(f64::INFINITY, f64::min), losses().fold(f64::NEG_INFINITY, f64::max)];
    if points.len() > 1 && most > least && most - least <= chance {
        return Bend::Untold;
    }
    if points.len() > 1 && most_loss <= least {
        return Bend::NoLoss;
    }
    if most_risk <= least_risk || most_loss <= least_loss {
        return Bend::Nowhere;
    }
    // The line goes from (1, 0) to (0, 1): what lies below it sums to less than 1.
    let below = |&(risk, loss): &(f64, f64)| {
        1.0 - (risk - least_risk) / (most_risk - least_risk) - (loss - least_loss) / (most_loss - least_loss)
    };
    let mut knee = (STRAIGHT.max(chance / (most_loss - least_loss)), Bend::Nowhere);
    for (at, point) in points.iter().enumerate() {
        if below(point) > knee.0 {
            knee = (below(point), Bend::At(at));
        }
    }
    knee.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knees_by_hand() {
        // Below the line by .3, .4, .3 of its height.
        let five = [(100.0, 0.0), (50.0, 10.0), (30.0, 15.0), (20.0, 25.0), (0.0, 50.0)];
        assert_eq!(bend(&five, 0.0), Bend::At(2));
        // .4 of 50 is 20.
        assert_eq!(bend(&five, 19.0), Bend::At(2));
        assert_eq!(bend(&five, 20.0), Bend::Nowhere);
        assert_eq!(bend(&five, 50.0), Bend::Untold);
        // Of two equal ones the first.
        assert_eq!(bend(&[(4.0, 0.0), (2.0, 1.0), (1.0, 2.0), (0.0, 4.0)], 0.0), Bend::At(1));
        assert_eq!(bend(&[(2.0, 0.0), (1.0, 1.0), (0.0, 2.0)], 0.0), Bend::Nowhere);
        // It bends the other way.
        assert_eq!(bend(&[(4.0, 0.0), (3.0, 3.0), (0.0, 4.0)], 0.0), Bend::Nowhere);
        assert_eq!(bend(&[(4.0, 1.0), (3.0, 2.0), (2.0, 1.0)], 0.0), Bend::NoLoss);
        // Less is lost in between.
        assert_eq!(bend(&[(4.0, 2.0), (3.0, 0.5), (2.0, 1.0)], 0.0), Bend::Nowhere);
        // A greater k is not safer.
        assert_eq!(bend(&[(1.0, 1.0), (3.0, 2.0)], 0.0), Bend::Nowhere);
        assert_eq!(bend(&[(1.0, 1.0)], 0.0), Bend::Nowhere);
        assert_eq!(bend(&[], 0.0), Bend::Nowhere);
    }
}
