//! A linear fit: the weights of features with the least squared error.
//!
//! # Idea
//! Sums of products of features are added up once for each part of the examples; those of any union of parts are their sum, and the
//! weights come from them by Cholesky's decomposition. A little is added to the diagonal, so that features that say the same share
//! their weight instead of dividing by nothing.
//!
//! # Formula
//! (X'X + r I) w = X'y, with a constant among the features, r = 1e-8 of the mean of the diagonal.
//!
//! # Cost
//! Time O(examples x features^2) once, O(features^3) a fit.

/// Sums of products over some examples.
#[derive(Debug, Clone, PartialEq)]
pub struct Sums {
    size: usize,
    /// X'X, row by row, then X'y.
    products: Vec<f64>,
    targets: Vec<f64>,
}

impl Sums {
    /// Nothing yet, for examples with so many features; a constant is added to them.
    pub fn new(features: usize) -> Self {
        let size = features + 1;
        Self { size, products: vec![0.0; size * size], targets: vec![0.0; size] }
    }

    /// Adds an example.
    pub fn add(&mut self, features: &[f64], target: f64) {
        let size = self.size;
        let value = |at: usize| if at + 1 == size { 1.0 } else { features[at] };
        for row in 0..size {
            let own = value(row);
            if own == 0.0 {
                continue;
            }
            self.targets[row] += own * target;
            for (column, product) in self.products[row * size..][..=row].iter_mut().enumerate() {
                *product += own * value(column);
            }
        }
    }

    /// Adds the sums of other examples.
    pub fn join(&mut self, other: &Self) {
        self.products.iter_mut().zip(&other.products).for_each(|(own, other)| *own += other);
        self.targets.iter_mut().zip(&other.targets).for_each(|(own, other)| *own += other);
    }

    /// The weights with the least squared error, the constant last.
    pub fn fit(&self) -> Vec<f64> {
        let size = self.size;
        let diagonal: f64 = (0..size).map(|at| self.products[at * size + at]).sum::<f64>() / size as f64;
        let ridge = 1e-8 * diagonal.max(f64::MIN_POSITIVE);
        // The lower triangle: L L' = X'X + r I.
        let mut lower = self.products.clone();
        for row in 0..size {
            lower[row * size + row] += ridge;
            for column in 0..=row {
                let known: f64 = (0..column).map(|at| lower[row * size + at] * lower[column * size + at]).sum();
                let rest = lower[row * size + column] - known;
                lower[row * size + column] =
                    if row == column { rest.max(ridge).sqrt() } else { rest / lower[column * size + column] };
            }
        }
        let mut weights = self.targets.clone();
        for row in 0..size {
            let known: f64 = (0..row).map(|at| lower[row * size + at] * weights[at]).sum();
            weights[row] = (weights[row] - known) / lower[row * size + row];
        }
        for row in (0..size).rev() {
            let known: f64 = (row + 1..size).map(|at| lower[at * size + row] * weights[at]).sum();
            weights[row] = (weights[row] - known) / lower[row * size + row];
        }
        weights
    }
}

/// What weights say of an example.
pub fn predict(weights: &[f64], features: &[f64]) -> f64 {
    let constant = weights.last().copied().unwrap_or(0.0);
    constant + features.iter().zip(weights).map(|(feature, weight)| feature * weight).sum::<f64>()
}

/// The correlation of pairs of numbers; `None` if one side does not vary.
pub fn correlation(pairs: &[(f64, f64)]) -> Option<f64> {
    let count = pairs.len() as f64;
    let (one, other) =
        (pairs.iter().map(|pair| pair.0).sum::<f64>() / count, pairs.iter().map(|pair| pair.1).sum::<f64>() / count);
    let (mut both, mut of_one, mut of_other) = (0.0, 0.0, 0.0);
    for pair in pairs {
        both += (pair.0 - one) * (pair.1 - other);
        of_one += (pair.0 - one).powi(2);
        of_other += (pair.1 - other).powi(2);
    }
    let whole = (of_one * of_other).sqrt();
    (whole > 0.0 && whole.is_finite()).then(|| both / whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plane_is_found_again() {
        let mut sums = Sums::new(2);
        let mut halves = [Sums::new(2), Sums::new(2)];
        for row in 0..50 {
            let features = [f64::from(row % 7), f64::from(row * row % 11)];
            let target = 3.0 * features[0] - 2.0 * features[1] + 5.0;
            sums.add(&features, target);
            halves[row as usize % 2].add(&features, target);
        }
        let weights = sums.fit();
        for (found, expected) in weights.iter().zip([3.0, -2.0, 5.0]) {
            assert!((found - expected).abs() < 1e-4, "{weights:?}");
        }
        let mut joined = halves[0].clone();
        joined.join(&halves[1]);
        assert!(joined.fit().iter().zip(&weights).all(|(one, other)| (one - other).abs() < 1e-6));
        assert!((predict(&weights, &[1.0, 1.0]) - 6.0).abs() < 1e-4);
    }

    /// By hand: y = 1, 2, 4 at x = 0, 1, 2 has the line 5/6 + 3/2 x.
    #[test]
    fn a_line_by_hand() {
        let mut sums = Sums::new(1);
        for (x, y) in [(0.0, 1.0), (1.0, 2.0), (2.0, 4.0)] {
            sums.add(&[x], y);
        }
        let weights = sums.fit();
        assert!((weights[0] - 1.5).abs() < 1e-6 && (weights[1] - 5.0 / 6.0).abs() < 1e-6, "{weights:?}");
    }

    /// Features that say the same, or nothing, do no harm.
    #[test]
    fn what_says_the_same_shares_its_weight() {
        let mut sums = Sums::new(3);
        for row in 0..20 {
            let x = f64::from(row % 5);
            sums.add(&[x, x, 0.0], 4.0 * x);
        }
        let weights = sums.fit();
        assert!((weights[0] + weights[1] - 4.0).abs() < 1e-3 && weights.iter().all(|weight| weight.is_finite()));
    }

    #[test]
    fn correlations() {
        assert!((correlation(&[(1.0, 2.0), (2.0, 4.0), (3.0, 6.0)]).unwrap() - 1.0).abs() < 1e-12);
        assert_eq!(correlation(&[(1.0, 2.0), (1.0, 4.0)]), None);
        assert_eq!(correlation(&[]), None);
    }
}
