use super::*;
use crate::progress::Silent;

fn rows(rows: &[&[f64]]) -> Rows {
    Rows::new(rows[0].len(), rows.concat()).unwrap()
}

fn close(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-6
}

/// Draws two clouds that overlap.
fn clouds(count: usize, features: usize, seed: u64) -> (Rows, Vec<bool>) {
    let mut rng = Rng::seeded(seed);
    let mut positive: Vec<bool> = (0..count).map(|row| row < 2 || rng.unit() < 0.4).collect();
    positive[1] = false;
    let centre = |positive: bool| if positive { 0.7 } else { -0.2 };
    let values = positive.iter().flat_map(|&one| (0..features).map(move |_| one)).map(|one| centre(one) + rng.normal());
    (Rows::new(features, values.collect()).unwrap(), positive)
}

fn all_kernels(features: usize) -> [Kernel; 3] {
    let gamma = 1.0 / features as f64;
    [Kernel::Linear, Kernel::Polynomial { gamma, degree: 3 }, Kernel::Radial { gamma }]
}

/// By hand: (1, 0) and (2, 2) positive, (-1, 0) and (-2, -2) negative. The border is x = 0 with the margin 1 on both sides, held by
/// the two inner points: w = (1, 0), alpha = 1/2 each, rho 0, objective -1/2.
#[test]
fn four_points_by_hand() {
    let points = rows(&[&[1.0, 0.0], &[2.0, 2.0], &[-1.0, 0.0], &[-2.0, -2.0]]);
    let params = SvmParams { tolerance: 1e-9, ..SvmParams::default() };
    let svm = Svm::learn(&points, &[true, true, false, false], Kernel::Linear, &params, &Silent).unwrap();
    assert_eq!(svm.support(), &rows(&[&[1.0, 0.0], &[-1.0, 0.0]]));
    assert!(close(svm.coefficients()[0], 0.5) && close(svm.coefficients()[1], -0.5), "{svm:?}");
    assert!(close(svm.rho(), 0.0) && close(svm.objective(), -0.5), "{svm:?}");
    for (point, score) in points.iter().zip([1.0, 2.0, -1.0, -2.0]) {
        assert!(close(svm.score(point), score));
    }
}

/// By hand: with a cost of 1/8 all four weights of 0, 1 (negative) and 2, 3 (positive) are at the bound: w = (2 + 3 - 0 - 1)/8 = 1/2.
/// Missing is y - w x: 0, 1/2 at the positive ones 2, 3 with sign: 1 - 1 = 0, 1 - 3/2 = -1/2; negative: -1 - 0 = -1, -1 - 1/2 = -3/2.
/// No weight is free: what may rise are the negative ones (most -1), what may fall the positive ones (least -1/2); rho is 3/4.
#[test]
fn weights_at_the_bounds_by_hand() {
    let points = rows(&[&[0.0], &[1.0], &[2.0], &[3.0]]);
    let params = SvmParams { tolerance: 1e-9, cost: 0.125, ..SvmParams::default() };
    let svm = Svm::learn(&points, &[false, false, true, true], Kernel::Linear, &params, &Silent).unwrap();
    assert_eq!(svm.coefficients(), &[-0.125, -0.125, 0.125, 0.125]);
    assert!(close(svm.rho(), 0.75), "{}", svm.rho());
    // 1/2 w^2 - 4/8.
    assert!(close(svm.objective(), 0.125 - 0.5));
}

#[test]
fn kernels_by_hand() {
    let (one, other) = ([1.0, 2.0], [3.0, -1.0]);
    assert_eq!(Kernel::Linear.of(&one, &other), 1.0);
    assert_eq!(Kernel::Polynomial { gamma: 3.0, degree: 2 }.of(&one, &other), 9.0);
    // |x - z|^2 = 4 + 9.
    assert!(close(Kernel::Radial { gamma: 0.1 }.of(&one, &other), (-1.3f64).exp()));
}

/// The conditions of the best, worked out anew from the answer: at every example what is missing fits to its weight.
fn misses(points: &Rows, positive: &[bool], svm: &Svm, cost: f64) -> f64 {
    let mut worst = 0.0f64;
    let mut sum = 0.0;
    for (point, is_positive) in points.iter().zip(positive) {
        let margin = if *is_positive { svm.score(point) } else { -svm.score(point) };
        let alpha = svm.support().iter().position(|support| support == point).map_or(0.0, |at| {
            sum += svm.coefficients()[at];
            svm.coefficients()[at].abs()
        });
        assert!((0.0..=cost).contains(&alpha));
        worst = worst.max(match alpha {
            0.0 => 1.0 - margin,
            alpha if alpha == cost => margin - 1.0,
            _ => (margin - 1.0).abs(),
        });
    }
    assert!(close(sum, 0.0), "{sum}");
    worst
}

#[test]
fn the_conditions_of_the_best_hold_within_the_tolerance() {
    for seed in 0..12 {
        let features = 1 + seed as usize % 5;
        let (points, positive) = clouds(40 + 17 * seed as usize, features, seed);
        for kernel in all_kernels(features) {
            for (cost, tolerance) in [(0.5, 1e-3), (10.0, 1e-5)] {
                let params = SvmParams { cost, tolerance, ..SvmParams::default() };
                let svm = Svm::learn(&points, &positive, kernel, &params, &Silent).unwrap();
                let missed = misses(&points, &positive, &svm, cost);
                assert!(missed <= 1.01 * tolerance + 1e-7, "{seed} {kernel:?} {cost}: {missed}");
            }
        }
    }
}

/// Rows are worked out again when there is no room for them, and examples that are left aside come back: nothing else changes.
#[test]
fn neither_memory_nor_threads_change_the_answer() {
    let (points, positive) = clouds(1_500, 60, 5);
    let kernel = Kernel::Radial { gamma: 0.01 };
    let learn = |memory: usize| {
        let params = SvmParams { memory, cost: 0.3, ..SvmParams::default() };
        Svm::learn(&points, &positive, kernel, &params, &Silent).unwrap()
    };
    let whole = learn(MEMORY);
    assert_eq!(whole, learn(0));
    assert_eq!(whole, learn(200_000));
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(whole, pool.install(|| learn(MEMORY)));
    }
    let free = whole.coefficients().iter().filter(|weight| weight.abs() < 0.3).count();
    assert!(free > 0 && free < whole.coefficients().len() && whole.support().len() < points.len());
    assert!(misses(&points, &positive, &whole, 0.3) <= 1.1e-3);
}

/// Slow and obvious: the same best by moving along single pairs until nothing moves.
#[test]
fn a_plain_climb_comes_to_the_same_objective() {
    let (points, positive) = clouds(24, 3, 9);
    for kernel in all_kernels(3) {
        let cost = 2.0;
        let params = SvmParams { cost, tolerance: 1e-9, ..SvmParams::default() };
        let svm = Svm::learn(&points, &positive, kernel, &params, &Silent).unwrap();
        let sign = |at: usize| if positive[at] { 1.0 } else { -1.0 };
        let k = |one: usize, other: usize| kernel.of(points.row(one), points.row(other));
        let count = points.len();
        let mut alpha = vec![0.0f64; count];
        for _ in 0..3_000 {
            for one in 0..count {
                for other in 0..one {
                    let missing = |at: usize| sign(at) - (0..count).map(|s| alpha[s] * sign(s) * k(s, at)).sum::<f64>();
                    let curvature = k(one, one) + k(other, other) - 2.0 * k(one, other);
                    if curvature <= 1e-12 {
                        continue;
                    }
                    let wanted = (missing(one) - missing(other)) / curvature;
                    let range = |at: usize| if positive[at] { (0.0, cost) } else { (-cost, 0.0) };
                    let (u, v) = (alpha[one] * sign(one), alpha[other] * sign(other));
                    let (low, high) =
                        ((range(one).0 - u).max(v - range(other).1), (range(one).1 - u).min(v - range(other).0));
                    let moved = wanted.clamp(low, high);
                    alpha[one] = (u + moved) * sign(one);
                    alpha[other] = (v - moved) * sign(other);
                }
            }
        }
        let mut objective = -alpha.iter().sum::<f64>();
        for one in 0..count {
            for other in 0..count {
                objective += 0.5 * alpha[one] * alpha[other] * sign(one) * sign(other) * k(one, other);
            }
        }
        assert!(
            (objective - svm.objective()).abs() < 1e-6 * objective.abs(),
            "{kernel:?} {objective} {}",
            svm.objective()
        );
    }
}

#[test]
fn scales_by_hand() {
    let points = rows(&[&[1.0, 5.0, 0.1], &[3.0, 5.0, 0.1], &[5.0, 5.0, 0.1]]);
    let scale = Scale::of(&points, Scaling::Standard);
    let root = (8.0f64 / 3.0).sqrt();
    assert_eq!(scale, Scale::Standard { mean: scale_mean(&scale), deviation: vec![root, 0.0, 0.0] });
    assert_eq!(scale.apply(&points).row(2), &[2.0 / root, 0.0, 0.0]);
    // What never varied says nothing later either.
    assert_eq!(scale.apply(&rows(&[&[3.0, 9.0, 1.0]])).row(0), &[0.0, 0.0, 0.0]);
    assert_eq!(Scale::of(&points, Scaling::None).apply(&points), points);
    assert!(!scale.is_constant());
    assert!(Scale::of(&rows(&[&[0.1], &[0.1], &[0.1]]), Scaling::Standard).is_constant());
}

fn scale_mean(scale: &Scale) -> Vec<f64> {
    let Scale::Standard { mean, .. } = scale else { panic!("not standard") };
    assert!(close(mean[0], 3.0) && close(mean[1], 5.0));
    mean.clone()
}

/// Of two examples that are 2 apart every pair is: sigma 2, gamma 1/8.
#[test]
fn the_usual_gamma_by_hand() {
    assert!(close(usual_gamma(&rows(&[&[0.0], &[2.0]]), 3), 0.125));
    // Most are the same: the distance of those that differ counts.
    let same: Vec<&[f64]> = std::iter::repeat_n(&[1.0][..], 9).chain([&[4.0][..]]).collect();
    assert!(close(usual_gamma(&rows(&same), 3), 1.0 / 18.0));
    assert_eq!(usual_gamma(&rows(&[&[1.0], &[1.0]]), 3), 1.0);
    let (points, _) = clouds(50, 3, 1);
    assert_eq!(usual_gamma(&points, 1), usual_gamma(&points, 1));
    assert_ne!(usual_gamma(&points, 1), usual_gamma(&points, 2));
}

#[test]
fn bad_input_is_an_error() {
    let points = rows(&[&[0.0], &[1.0]]);
    let learn =
        |params: SvmParams| ScaledSvm::learn(&points, &[true, false], &params, &Silent).map(|_| ()).unwrap_err();
    let usual = SvmParams::default();
    for (params, name) in [
        (SvmParams { tolerance: 0.0, ..usual }, "tolerance"),
        (SvmParams { cost: -1.0, ..usual }, "cost"),
        (SvmParams { gamma: Some(f64::NAN), ..usual }, "gamma"),
        (SvmParams { sigma: Some(0.0), ..usual }, "sigma"),
        (SvmParams { gamma: Some(1.0), sigma: Some(1.0), ..usual }, "sigma"),
        (SvmParams { degree: 0, ..usual }, "degree"),
    ] {
        assert!(learn(params).to_string().contains(&format!("`{name}`")), "{name}");
    }
    let one_side = ScaledSvm::learn(&points, &[true, true], &usual, &Silent).unwrap_err();
    assert!(one_side.to_string().contains("one side"));
    assert!(Rows::new(1, vec![f64::NAN]).is_err() && Rows::new(2, vec![1.0]).is_err());
    let large = rows(&[&[1e200, 1.0], &[-1e200, 2.0], &[3e200, 1.0]]);
    let params = SvmParams { scaling: Scaling::None, ..usual };
    let error = Svm::learn(&large, &[true, false, true], Kernel::Linear, &params, &Silent).unwrap_err();
    assert!(error.to_string().contains("too large"));
}

#[test]
fn a_kernel_is_read_back_as_it_was_written() {
    for kernel in all_kernels(7) {
        let text = serde_json::to_string(&kernel).unwrap();
        assert_eq!(serde_json::from_str::<Kernel>(&text).unwrap(), kernel);
    }
    assert_eq!(
        serde_json::to_string(&Kernel::Radial { gamma: 0.5 }).unwrap(),
        r#"{"name":"rbf","gamma":0.5,"degree":null}"#
    );
    for bad in [r#"{"name":"rbf","gamma":0.0,"degree":null}"#, r#"{"name":"linear","gamma":1.0,"degree":null}"#] {
        assert!(serde_json::from_str::<Kernel>(bad).is_err());
    }
}
