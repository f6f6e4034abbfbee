//! Sequential minimal optimisation: the weights of the examples, two at a time.
//!
//! Papers     Fan, Chen, Lin. Working Set Selection Using Second Order Information. 2005 (the pair).
//!            Joachims. Making Large-Scale SVM Learning Practical. 1999 (examples that are left aside).
//!
//! # Idea
//! 1. u = alpha y is a weight between 0 and C for positive examples, between -C and 0 for negative ones; u sums to 0. What is missing
//!    at an example is f = y - sum of u K. At the best, no weight that may rise has more missing than one that may fall.
//! 2. The weight that rises is where most is missing; with it falls the one that brings most: (f_i - f_j)^2 / (K_ii + K_jj - 2 K_ij).
//! 3. Examples at a bound that no step would choose are left aside. Before the end they are looked at again.
//! 4. It ends when the most missing of what may rise is above the least missing of what may fall by less than the tolerance.
//!    rho is the mean of -f over weights between the bounds; the middle of what the bounds allow where there are none.
//!
//! # Cost
//! A step takes O(examples) and two rows of the kernel. Ties go to the first; the answer does not depend on threads.

use super::cache::Cache;
use super::{Kernel, Rows, SvmParams};
use crate::error::{Error, Result};
use crate::progress::Progress;

/// Stands for a curvature that is not above 0.
const LEAST_CURVATURE: f64 = 1e-12;
/// After so many steps, at most, examples are left aside.
const STEPS_BETWEEN: usize = 1_000;
/// So many steps are enough for anything that can be solved; for each example, and in all.
const MOST_STEPS: (usize, usize) = (100, 10_000_000);

/// The answer.
pub(super) struct Solved {
    /// alpha y of every example.
    pub(super) weights: Vec<f64>,
    pub(super) rho: f64,
    pub(super) objective: f64,
}

/// Finds the weights.
pub(super) fn solve(
    rows: &Rows,
    is_positive: &[bool],
    kernel: Kernel,
    params: &SvmParams,
    progress: &dyn Progress,
) -> Result<Solved> {
    let mut state = State::new(rows, is_positive, kernel, params);
    let most = MOST_STEPS.1.max(MOST_STEPS.0.saturating_mul(rows.len()));
    progress.stage("support vectors", 0);
    let between = rows.len().min(STEPS_BETWEEN);
    let mut until_aside = between;
    for step in 0..most {
        if step % STEPS_BETWEEN == 0 {
            progress.advance(1);
            progress.go_on()?;
        }
        until_aside -= 1;
        if until_aside == 0 {
            until_aside = between;
            state.leave_aside(params.tolerance);
        }
        if state.is_best(params.tolerance) {
            state.look_at_all();
            if state.is_best(params.tolerance) {
                return state.answer();
            }
            until_aside = 1;
        }
        state.step()?;
    }
    Err(Error::data(format!("no border was found in {most} steps to a tolerance of {}", params.tolerance))
        .with_hint("a larger `--tolerance`, a smaller `--cost` or `--scale standard` helps"))
}

/// Everything by place; the first `active` places are looked at.
struct State<'a> {
    cache: Cache<'a>,
    cost: f64,
    /// Which example is at a place.
    order: Vec<u32>,
    active: usize,
    is_positive: Vec<bool>,
    weights: Vec<f64>,
    missing: Vec<f64>,
    /// 0 where a weight may rise, else minus infinity.
    may_rise: Vec<f64>,
    /// 0 where a weight may fall, else infinity.
    may_fall: Vec<f64>,
    own: Vec<f64>,
    /// Where most is missing of what may rise, and least of what may fall.
    most: (usize, f64),
    least: f64,
    /// Whether all were looked at again when the end was near.
    was_near: bool,
}

impl<'a> State<'a> {
    fn new(rows: &'a Rows, is_positive: &[bool], kernel: Kernel, params: &SvmParams) -> Self {
        let cache = Cache::new(rows, kernel, params.memory);
        let count = rows.len();
        let order: Vec<u32> = (0..count as u32).collect();
        let own = order.iter().map(|&example| cache.own(example)).collect();
        let mut state = Self {
            cache,
            cost: params.cost,
            active: count,
            weights: vec![0.0; count],
            missing: is_positive.iter().map(|&positive| if positive { 1.0 } else { -1.0 }).collect(),
            may_rise: vec![0.0; count],
            may_fall: vec![0.0; count],
            is_positive: is_positive.to_vec(),
            own,
            order,
            most: (0, 0.0),
            least: 0.0,
            was_near: false,
        };
        (0..count).for_each(|place| state.settle_bounds(place));
        state.find_ends();
        state
    }

    /// Lowest and highest weight at a place.
    fn bounds(&self, place: usize) -> (f64, f64) {
        if self.is_positive[place] { (0.0, self.cost) } else { (-self.cost, 0.0) }
    }

    fn settle_bounds(&mut self, place: usize) {
        let (low, high) = self.bounds(place);
        let weight = self.weights[place];
        self.may_rise[place] = if weight < high { 0.0 } else { f64::NEG_INFINITY };
        self.may_fall[place] = if weight > low { 0.0 } else { f64::INFINITY };
    }

    fn find_ends(&mut self) {
        let mut most = (usize::MAX, f64::NEG_INFINITY);
        let mut least = f64::INFINITY;
        let flags = self.may_rise[..self.active].iter().zip(&self.may_fall[..self.active]);
        for (place, (&missing, (rise, fall))) in self.missing[..self.active].iter().zip(flags).enumerate() {
            if missing + rise > most.1 {
                most = (place, missing);
            }
            least = least.min(missing + fall);
        }
        (self.most, self.least) = (most, least);
    }

    fn is_best(&self, tolerance: f64) -> bool {
        self.most.1 - self.least < tolerance
    }

    /// One pair of weights moves.
    fn step(&mut self) -> Result<()> {
        let (rises, missing) = self.most;
        let active = self.active;
        self.cache.ask(rises, None, &self.order, active);
        let example = self.order[rises];
        let Some(falls) = self.best_partner(missing, self.own[rises], self.cache.row(example)) else {
            return Err(too_large());
        };
        self.cache.ask(falls, Some(example), &self.order, active);
        let (row, other) = (self.cache.row(example), self.cache.row(self.order[falls]));
        let curvature = (self.own[rises] + self.own[falls] - 2.0 * row[falls]).max(LEAST_CURVATURE);
        let (up, down) = (self.bounds(rises).1 - self.weights[rises], self.weights[falls] - self.bounds(falls).0);
        let wanted = (missing - self.missing[falls]) / curvature;
        let moved = wanted.min(up).min(down);
        let pairs = row[..active].iter().zip(&other[..active]);
        for (missing, (one, other)) in self.missing[..active].iter_mut().zip(pairs) {
            *missing -= moved * (one - other);
        }
        self.weights[rises] = if moved >= up { self.bounds(rises).1 } else { self.weights[rises] + moved };
        self.weights[falls] = if moved >= down { self.bounds(falls).0 } else { self.weights[falls] - moved };
        self.settle_bounds(rises);
        self.settle_bounds(falls);
        self.find_ends();
        Ok(())
    }

    /// The weight that brings most if it falls.
    fn best_partner(&self, most: f64, own: f64, row: &[f64]) -> Option<usize> {
        let active = self.active;
        let (mut best, mut found) = (f64::NEG_INFINITY, None);
        let sides = self.may_fall[..active].iter().zip(&self.own[..active]).zip(&row[..active]);
        for (place, (&missing, ((fall, other), kernel))) in self.missing[..active].iter().zip(sides).enumerate() {
            let gap = most - (missing + fall);
            if gap > 0.0 {
                let gain = gap * gap / (own + other - 2.0 * kernel).max(LEAST_CURVATURE);
                if gain > best {
                    (best, found) = (gain, Some(place));
                }
            }
        }
        found
    }

    /// Examples at a bound that no step would choose are left aside.
    fn leave_aside(&mut self, tolerance: f64) {
        if !self.was_near && self.most.1 - self.least <= 10.0 * tolerance {
            self.was_near = true;
            self.look_at_all();
        }
        let (most, least) = (self.most.1, self.least);
        let mut place = 0;
        while place < self.active {
            if self.is_idle(place, most, least) {
                self.active -= 1;
                while self.active > place && self.is_idle(self.active, most, least) {
                    self.active -= 1;
                }
                self.swap(place, self.active);
            }
            place += 1;
        }
        self.find_ends();
    }

    fn is_idle(&self, place: usize, most: f64, least: f64) -> bool {
        let (rises, falls) = (self.may_rise[place] == 0.0, self.may_fall[place] == 0.0);
        (!falls && self.missing[place] < least) || (!rises && self.missing[place] > most)
    }

    fn swap(&mut self, one: usize, other: usize) {
        if one == other {
            return;
        }
        self.cache.swap(one, other);
        self.order.swap(one, other);
        self.is_positive.swap(one, other);
        self.weights.swap(one, other);
        self.missing.swap(one, other);
        self.may_rise.swap(one, other);
        self.may_fall.swap(one, other);
        self.own.swap(one, other);
    }

    /// Works out what is missing at the examples that were left aside, and looks at them again.
    fn look_at_all(&mut self) {
        let (active, count) = (self.active, self.order.len());
        if active < count {
            let sign = |positive: &bool| if *positive { 1.0 } else { -1.0 };
            let mut missing: Vec<f64> = self.is_positive[active..].iter().map(sign).collect();
            let mut kernels = vec![0.0; count - active];
            for place in (0..count).filter(|&place| self.weights[place] != 0.0) {
                self.cache.beyond(place, &self.order, active, &mut kernels);
                let weight = self.weights[place];
                missing.iter_mut().zip(&kernels).for_each(|(missing, kernel)| *missing -= weight * kernel);
            }
            self.missing[active..].copy_from_slice(&missing);
            self.active = count;
            self.find_ends();
        }
    }

    fn answer(self) -> Result<Solved> {
        let count = self.order.len();
        let is_free = |&place: &usize| self.may_rise[place] == 0.0 && self.may_fall[place] == 0.0;
        let (mut sum, mut free) = (0.0, 0usize);
        for place in (0..count).filter(is_free) {
            sum += self.missing[place];
            free += 1;
        }
        let middle = if free > 0 { sum / free as f64 } else { (self.most.1 + self.least) / 2.0 };
        let mut weights = vec![0.0; count];
        let mut objective = 0.0;
        for place in 0..count {
            weights[self.order[place] as usize] = self.weights[place];
            let sign = if self.is_positive[place] { 1.0 } else { -1.0 };
            objective -= 0.5 * self.weights[place] * (sign + self.missing[place]);
        }
        if !(middle.is_finite() && objective.is_finite()) {
            return Err(too_large());
        }
        Ok(Solved { weights, rho: -middle, objective })
    }
}

fn too_large() -> Error {
    Error::data("kernels of the examples are too large to be told apart")
        .with_hint("`--scale standard` or a smaller `--gamma` helps")
}
