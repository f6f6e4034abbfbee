//! What is usual, in figures that a few unusual ones cannot move: medians, and deviations from them.

/// What a normal distribution's median absolute deviation must be multiplied by to be its deviation.
pub const NORMAL: f64 = 1.4826;

/// The middle of some values, the mean of the two middle ones of an even number; 0 of none.
pub fn median(mut values: Vec<f64>) -> f64 {
    let count = values.len();
    if count == 0 {
        return 0.0;
    }
    let (below, &mut middle, _) = values.select_nth_unstable_by(count / 2, f64::total_cmp);
    if count % 2 == 1 {
        return middle;
    }
    let lower = below.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    f64::midpoint(lower, middle)
}

/// The median of the absolute deviations from a centre, as a deviation.
pub fn spread(values: &[f64], centre: f64) -> f64 {
    NORMAL * median(values.iter().map(|value| (value - centre).abs()).collect())
}

/// How many deviations each value is above the median; 0 everywhere where more than half are equal.
pub fn deviations(values: &[f64]) -> Vec<f64> {
    let centre = median(values.to_vec());
    let spread = spread(values, centre);
    values.iter().map(|value| if spread > 0.0 { (value - centre) / spread } else { 0.0 }).collect()
}

/// What is left of values after the parabola that fits them best over some places, in deviations; fitted again three times without
/// those further off than so many. A parabola that the places do not determine is a line or a constant.
pub fn beside_parabola(places: &[f64], values: &[f64], limit: f64) -> Vec<f64> {
    let mut scores = vec![0.0; values.len()];
    let mut is_in = vec![true; values.len()];
    for _ in 0..4 {
        let chosen: Vec<(f64, f64)> =
            (0..values.len()).filter(|&at| is_in[at]).map(|at| (places[at], values[at])).collect();
        let fit = Parabola::fitted(&chosen);
        let left: Vec<f64> = chosen.iter().map(|&(place, value)| value - fit.at(place)).collect();
        let spread = spread(&left, median(left.clone()));
        // What rounding leaves of an exact fit is nothing.
        let tiny = 1e-12 * chosen.iter().map(|(_, value)| value.abs()).fold(f64::MIN_POSITIVE, f64::max);
        for at in 0..values.len() {
            let rest = values[at] - fit.at(places[at]);
            scores[at] = if spread > tiny { rest / spread } else { 0.0 };
            is_in[at] = scores[at].abs() <= limit;
        }
        if spread <= tiny {
            break;
        }
    }
    scores
}

/// A parabola as a sum of polynomials that are orthogonal over the places that it was fitted to.
struct Parabola {
    mean: f64,
    /// For each degree that the places determine: the polynomial's own coefficients, and its weight.
    terms: Vec<([f64; 3], f64)>,
}

impl Parabola {
    fn fitted(points: &[(f64, f64)]) -> Self {
        let count = points.len() as f64;
        let mean = points.iter().map(|(place, _)| place).sum::<f64>() / count;
        let inner = |left: &[f64; 3], right: &dyn Fn(f64, f64) -> f64| {
            points
                .iter()
                .map(|&(place, value)| polynomial(left, place - mean) * right(place - mean, value))
                .sum::<f64>()
        };
        let mut terms: Vec<([f64; 3], f64)> = Vec::new();
        let scale = points.iter().map(|(place, _)| (place - mean).abs()).fold(0.0, f64::max);
        for degree in 0..3 {
            let mut own = [0.0; 3];
            own[degree] = 1.0;
            for (other, _) in &terms {
                let share = inner(other, &|place, _| place.powi(degree as i32))
                    / inner(other, &|place, _| polynomial(other, place));
                (0..3).for_each(|at| own[at] -= share * other[at]);
            }
            let norm = inner(&own, &|place, _| polynomial(&own, place));
            if norm <= 1e-10 * count * scale.powi(2 * degree as i32) {
                break;
            }
            let weight = inner(&own, &|_, value| value) / norm;
            terms.push((own, weight));
        }
        Self { mean, terms }
    }

    fn at(&self, place: f64) -> f64 {
        self.terms.iter().map(|(own, weight)| weight * polynomial(own, place - self.mean)).sum()
    }
}

fn polynomial(coefficients: &[f64; 3], at: f64) -> f64 {
    coefficients[0] + at * (coefficients[1] + at * coefficients[2])
}

/// The natural logarithm of a bound of the chance that a sum of independent yes-or-no draws with this mean reaches a number or
/// more (Chernoff); 0 where the number is not above the mean.
pub fn chance_of_sum(reached: f64, mean: f64, draws: f64) -> f64 {
    if reached <= mean || draws <= 0.0 {
        return 0.0;
    }
    let (share, expected) = ((reached / draws).min(1.0), (mean / draws).max(f64::MIN_POSITIVE));
    if share >= 1.0 {
        return draws * expected.ln();
    }
    -draws * (share * (share / expected).ln() + (1.0 - share) * ((1.0 - share) / (1.0 - expected)).ln())
}

/// The natural logarithm of the chance that so many draws with this probability reach a number of hits or more, exactly.
pub fn chance_of_hits(hits: usize, draws: usize, probability: f64) -> f64 {
    if hits == 0 || probability >= 1.0 {
        return 0.0;
    }
    if probability <= 0.0 {
        return f64::NEG_INFINITY;
    }
    let (yes, no) = (probability.ln(), (-probability).ln_1p());
    let mut choose = 0.0;
    for at in 0..hits {
        choose += ((draws - at) as f64 / (hits - at) as f64).ln();
    }
    let first = choose + hits as f64 * yes + (draws - hits) as f64 * no;
    // Terms after the first, relative to it.
    let (mut term, mut sum) = (1.0, 1.0);
    for at in hits..draws {
        term *= (draws - at) as f64 / (at + 1) as f64 * (yes - no).exp();
        sum += term;
        if term < 1e-17 * sum {
            break;
        }
    }
    (first + f64::ln(sum)).min(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        assert_eq!(median(vec![]), 0.0);
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), 2.5);
        assert_eq!(deviations(&[1.0, 1.0, 1.0, 9.0]), [0.0; 4]);
    }

    #[test]
    fn a_parabola_leaves_nothing_of_itself_and_all_of_an_outlier() {
        let places: Vec<f64> = (0..40).map(f64::from).collect();
        let mut values: Vec<f64> =
            places.iter().map(|place| 3.0 - 2.0 * place + 0.1 * place * place + 0.01 * (place * 37.0).sin()).collect();
        values[7] += 50.0;
        let scores = beside_parabola(&places, &values, 2.5);
        assert!(scores[7] > 1000.0, "{}", scores[7]);
        assert!(scores.iter().enumerate().all(|(at, score)| at == 7 || score.abs() < 4.0));
        // Places that are all the same leave the constant.
        assert!(beside_parabola(&[2.0; 5], &[1.0, 2.0, 3.0, 4.0, 5.0], 2.5)[4] > 0.5);
        assert_eq!(beside_parabola(&places, &vec![0.3; 40], 2.5), vec![0.0; 40]);
    }

    #[test]
    fn chances_by_a_plain_sum() {
        for (hits, draws, probability) in [(3usize, 10usize, 0.2f64), (1, 5, 0.01), (20, 20, 0.3), (7, 50, 0.5)] {
            let choose = |hits: usize| (0..hits).map(|at| (draws - at) as f64 / (at + 1) as f64).product::<f64>();
            let plain: f64 = (hits..=draws)
                .map(|hits| {
                    choose(hits) * probability.powi(hits as i32) * (1.0 - probability).powi((draws - hits) as i32)
                })
                .sum();
            let found = chance_of_hits(hits, draws, probability);
            assert!((found - plain.ln()).abs() < 1e-9, "{hits} of {draws}: {found} and {}", plain.ln());
            assert!(chance_of_sum(hits as f64, probability * draws as f64, draws as f64) >= found - 1e-9);
        }
        assert_eq!(chance_of_hits(0, 9, 0.1), 0.0);
        assert_eq!(chance_of_sum(2.0, 3.0, 9.0), 0.0);
    }
}
