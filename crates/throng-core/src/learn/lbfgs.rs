//! L-BFGS: the maximum of a smooth function of many numbers, by its slope.
//!
//! Paper      Liu, Nocedal. On the limited memory BFGS method for large scale optimization. Mathematical Programming 45 (1989).
//!
//! # Idea
//! 1. The last few steps and what they changed in the slope say how the function bends; two loops over them turn the slope into a
//!    direction, without a matrix.
//! 2. Along the direction a step is taken, halved until the function rises as far as its slope promises (Armijo).
//! 3. It ends where the slope is nearly nothing, where no step helps, or after so many evaluations.
//!
//! # Cost
//! One evaluation a step and some 4 x [`MEMORY`] passes over the numbers; memory 2 x [`MEMORY`] copies of them.
//!
//! # Does not
//! know whether a maximum is the highest: it depends on the start.

/// So many steps are remembered.
const MEMORY: usize = 10;
/// A step must bring this share of what the slope promises.
const ENOUGH: f64 = 1e-4;
/// A step is halved so often, at most.
const HALVINGS: usize = 30;

/// Where the search ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Maximum {
    /// The numbers.
    pub at: Vec<f64>,
    /// The value of the function there.
    pub value: f64,
    /// How often the function was evaluated.
    pub evaluations: usize,
}

/// When the search ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Until {
    /// The greatest slope in any direction is at most this.
    pub slope: f64,
    /// A step brings less than this.
    pub gain: f64,
    /// The function was evaluated so often.
    pub evaluations: usize,
}

/// Climbs from a start. The function gives its value and writes its slope.
pub fn climb(start: Vec<f64>, until: Until, mut function: impl FnMut(&[f64], &mut [f64]) -> f64) -> Maximum {
    let size = start.len();
    let mut at = start;
    let mut slope = vec![0.0; size];
    let mut value = function(&at, &mut slope);
    let mut evaluations = 1;
    let mut steps: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
    let (mut other, mut other_slope) = (vec![0.0; size], vec![0.0; size]);
    let mut small_gains = 0;
    while evaluations < until.evaluations && greatest(&slope) > until.slope {
        let mut direction = direction(&slope, &steps);
        let mut promised = dot(&direction, &slope);
        if promised <= 0.0 || !promised.is_finite() {
            steps.clear();
            direction.clone_from(&slope);
            promised = dot(&slope, &slope);
        }
        // Without a memory the length of a step is not known: begin with one that moves the steepest number by 1.
        let mut length = if steps.is_empty() { 1.0 / greatest(&direction) } else { 1.0 };
        let mut is_up = false;
        for _ in 0..HALVINGS {
            for (other, (own, along)) in other.iter_mut().zip(at.iter().zip(&direction)) {
                *other = own + length * along;
            }
            let found = function(&other, &mut other_slope);
            evaluations += 1;
            if found.is_finite() && found >= value + ENOUGH * length * promised {
                let gain = found - value;
                let step: Vec<f64> = other.iter().zip(&at).map(|(new, old)| new - old).collect();
                let bend: Vec<f64> = slope.iter().zip(&other_slope).map(|(old, new)| old - new).collect();
                if dot(&step, &bend) > 1e-12 * dot(&bend, &bend) {
                    if steps.len() == MEMORY {
                        steps.remove(0);
                    }
                    steps.push((step, bend));
                }
                std::mem::swap(&mut at, &mut other);
                std::mem::swap(&mut slope, &mut other_slope);
                value = found;
                small_gains = if gain < until.gain { small_gains + 1 } else { 0 };
                is_up = true;
                break;
            }
            if evaluations >= until.evaluations {
                break;
            }
            length *= 0.5;
        }
        if small_gains >= 3 {
            break;
        }
        if !is_up {
            if steps.is_empty() {
                break;
            }
            steps.clear();
        }
    }
    Maximum { at, value, evaluations }
}

/// The slope, bent by what the last steps have shown.
fn direction(slope: &[f64], steps: &[(Vec<f64>, Vec<f64>)]) -> Vec<f64> {
    let mut direction = slope.to_vec();
    let mut shares = vec![0.0; steps.len()];
    for (share, (step, bend)) in shares.iter_mut().zip(steps).rev() {
        *share = dot(step, &direction) / dot(step, bend);
        add(&mut direction, -*share, bend);
    }
    if let Some((step, bend)) = steps.last() {
        let scale = dot(step, bend) / dot(bend, bend);
        direction.iter_mut().for_each(|number| *number *= scale);
    }
    for (share, (step, bend)) in shares.iter().zip(steps) {
        let back = dot(bend, &direction) / dot(step, bend);
        add(&mut direction, share - back, step);
    }
    direction
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

fn add(to: &mut [f64], times: f64, what: &[f64]) {
    to.iter_mut().zip(what).for_each(|(to, what)| *to += times * what);
}

fn greatest(slope: &[f64]) -> f64 {
    slope.iter().fold(0.0, |most, number| most.max(number.abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNTIL: Until = Until { slope: 1e-9, gain: 0.0, evaluations: 500 };

    /// -(1 - x)^2 - 100 (y - x^2)^2, the usual crooked valley upside down: its summit is at (1, 1).
    #[test]
    fn it_climbs_a_crooked_ridge() {
        let found = climb(vec![-1.2, 1.0], UNTIL, |at, slope| {
            let (x, y) = (at[0], at[1]);
            slope[0] = 2.0 * (1.0 - x) + 400.0 * x * (y - x * x);
            slope[1] = -200.0 * (y - x * x);
            -(1.0 - x).powi(2) - 100.0 * (y - x * x).powi(2)
        });
        assert!(found.at.iter().all(|number| (number - 1.0).abs() < 1e-6), "{found:?}");
        assert!(found.evaluations < 100, "{found:?}");
    }

    #[test]
    fn it_ends_where_it_is_told() {
        let bowl = |at: &[f64], slope: &mut [f64]| {
            slope.iter_mut().zip(at).enumerate().for_each(|(n, (slope, at))| *slope = -2.0 * (n + 1) as f64 * at);
            -at.iter().enumerate().map(|(n, at)| (n + 1) as f64 * at * at).sum::<f64>()
        };
        let found = climb(vec![3.0; 50], UNTIL, bowl);
        assert!(found.value > -1e-12);
        let short = climb(vec![3.0; 50], Until { evaluations: 3, ..UNTIL }, bowl);
        assert!(short.evaluations <= 3 && short.value < found.value);
        assert_eq!(climb(vec![0.0; 2], UNTIL, bowl).evaluations, 1);
    }
}
