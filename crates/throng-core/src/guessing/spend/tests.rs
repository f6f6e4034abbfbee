//! Whether budgets are spent, whether slopes are slopes, and whether anybody finds a better noise.

use super::*;
use crate::data::Dataset as _;
use crate::data::table::noise::{Noise, Scale};
use crate::data::table::{Column, ColumnRole, Table};
use crate::guessing::Bound;
use crate::synth::table as made_up;

/// A made-up table with all columns quasi.
fn made(shape: &str, persons: usize, seed: u64) -> Table {
    let made = made_up::table(&made_up::Params { persons, shape: shape.to_owned(), seed }).unwrap().table;
    let columns = made.columns().iter().map(|column| Column { role: ColumnRole::Quasi, ..column.clone() }).collect();
    made.with_columns(columns)
}

fn budget(noise: &Noise, distortion: f64, spread: Spread, objective: Objective) -> Budget {
    Budget {
        distortion,
        spread,
        objective,
        real_weights: vec![1.0; noise.real.len()],
        other_weights: vec![1.0; noise.categorical.len()],
        values: noise.categorical.iter().map(|own| own.values.len()).collect(),
    }
}

fn bound_of(points: &Points, units: &Noise, spent: &Spent) -> f64 {
    let noise = Noise { variances: spent.variances.clone(), flips: spent.flips.clone(), ..units.clone() };
    Bound::of(points, &noise).value
}

#[test]
fn all_of_the_budget_is_spent_and_no_more() {
    for shape in ["numeric", "census"] {
        let table = made(shape, 120, 3);
        let units = Noise::units(&table, Scale::Standard).unwrap();
        let points = Points::of(&table, &units).unwrap();
        for spread in [Spread::One, Spread::Attribute, Spread::Record] {
            for objective in [Objective::Log, Objective::Bound] {
                let budget = budget(&units, 0.5, spread, objective);
                let spent = spend(&points, &budget);
                assert!((spent.distortion - 0.5).abs() < 1e-6, "{shape} {spread:?} {objective:?} {}", spent.distortion);
                assert!((budget.cost(&spent.variances, &spent.flips) - 0.5).abs() < 1e-6);
                assert_eq!(spent.variances.len(), if spread == Spread::Record { table.rows() } else { 1 });
                assert!(spent.variances.iter().flatten().all(|variance| *variance > 0.0));
            }
        }
    }
}

/// Equal rows are equally likely: their variances agree to the last digit.
#[test]
fn equal_rows_have_equal_variances() {
    let numbers: Vec<String> = (0..40).map(|row| (row * row % 11).to_string()).collect();
    let column = Column::new("x", ColumnRole::Quasi, numbers.iter().map(String::as_str));
    let table = Table::of_rows(vec![column]);
    let units = Noise::units(&table, Scale::Standard).unwrap();
    let points = Points::of(&table, &units).unwrap();
    let spent = spend(&points, &budget(&units, 0.3, Spread::Record, Objective::Log));
    for (one, number) in numbers.iter().enumerate() {
        let other = numbers.iter().position(|other| other == number).unwrap();
        assert_eq!(spent.variances[one], spent.variances[other], "rows {one} and {other}");
    }
}

/// A flip that says nothing any more spends no more; what is left goes to the others.
#[test]
fn flips_end_where_values_say_nothing() {
    let table = made("census", 80, 1);
    let units = Noise::units(&table, Scale::Standard).unwrap();
    let points = Points::of(&table, &units).unwrap();
    let spent = spend(&points, &budget(&units, 50.0, Spread::Attribute, Objective::Bound));
    for (own, flip) in units.categorical.iter().zip(&spent.flips) {
        assert!(*flip <= most(own.values.len()) + 1e-12);
    }
    assert!((spent.distortion - 50.0).abs() < 1e-6, "{}", spent.distortion);
}

/// The slope is what the value changes by, for both ways of working it out.
#[test]
fn slopes_are_slopes() {
    let table = made("census", 40, 2);
    let units = Noise::units(&table, Scale::Standard).unwrap();
    let points = Points::of(&table, &units).unwrap();
    for objective in [Objective::Log, Objective::Bound] {
        let budget = budget(&units, 1.0, Spread::Attribute, objective);
        let fixed = vec![None; units.categorical.len()];
        let task = Task { points: &points, budget: &budget, fixed: &fixed, left: 1.0, stands_for: 2.5 };
        let goods = task.goods();
        let crowd = Crowd::of(&points);
        let free: Vec<f64> = (0..goods.len()).map(|at| 0.3 * at as f64 - 0.5).collect();
        let mut slope = vec![0.0; goods.len()];
        let mut none = vec![0.0; goods.len()];
        task.evaluate_lines(&goods, &crowd, &free, &mut slope);
        for at in 0..goods.len() {
            let mut value = |by: f64| {
                let mut other = free.clone();
                other[at] += by;
                task.evaluate_lines(&goods, &crowd, &other, &mut none)
            };
            let seen = (value(1e-5) - value(-1e-5)) / 2e-5;
            assert!((seen - slope[at]).abs() < 1e-6 * (1.0 + seen.abs()), "{objective:?} {at}: {seen} {}", slope[at]);
        }
    }
}

/// A variance for each row is at least as good as one for each column, which is at least as good as one.
#[test]
fn more_freedom_is_no_worse() {
    for (shape, seed) in [("numeric", 1), ("numeric", 2), ("census", 1)] {
        let table = made(shape, 150, seed);
        let units = Noise::units(&table, Scale::Standard).unwrap();
        let points = Points::of(&table, &units).unwrap();
        let bound = |spread| bound_of(&points, &units, &spend(&points, &budget(&units, 0.4, spread, Objective::Bound)));
        let [one, attribute, record] = [Spread::One, Spread::Attribute, Spread::Record].map(bound);
        assert!(one <= attribute + 1e-9 && attribute <= record + 1e-6, "{shape} {one} {attribute} {record}");
    }
}

/// One variance a column reaches what a long random search finds, to two in a thousand.
#[test]
fn nobody_finds_a_better_bound() {
    for (shape, seed, distortion) in [("numeric", 4, 0.1), ("numeric", 5, 1.0), ("census", 6, 0.3), ("census", 7, 2.0)]
    {
        let table = made(shape, 90, seed);
        let units = Noise::units(&table, Scale::Standard).unwrap();
        let points = Points::of(&table, &units).unwrap();
        let budget = budget(&units, distortion, Spread::Attribute, Objective::Bound);
        let ours = bound_of(&points, &units, &spend(&points, &budget));
        let mut rng = Rng::seeded(seed);
        let goods = units.real.len() + units.categorical.len();
        let mut best: (f64, Vec<f64>) = (0.0, vec![0.0; goods]);
        for round in 0..1500 {
            // At first anywhere, then near the best that was found.
            let reach = if round < 500 { 4.0 } else { 2.0 * 0.996f64.powi(round - 500) };
            let from = if round < 500 { vec![0.0; goods] } else { best.1.clone() };
            let free: Vec<f64> = from.iter().map(|number| number + reach * rng.normal()).collect();
            let (shares, _) = shares(&free);
            let amounts: Vec<f64> = shares.iter().map(|share| share * distortion).collect();
            let flips = amounts[units.real.len()..].iter().zip(&budget.values);
            let flips: Vec<f64> = flips.map(|(flip, &values)| flip.min(most(values))).collect();
            let noise = Noise { variances: vec![amounts[..units.real.len()].to_vec()], flips, ..units.clone() };
            let value = Bound::of(&points, &noise).value;
            if value > best.0 {
                best = (value, free);
            }
        }
        assert!(ours >= 0.998 * best.0, "{shape} {seed} {distortion}: {ours} below {}", best.0);
    }
}

/// Rows beyond the sample are given noise too, and the budget is kept.
#[test]
fn a_sample_is_enough() {
    let table = made("numeric", SAMPLE + 300, 9);
    let units = Noise::units(&table, Scale::Standard).unwrap();
    let points = Points::of(&table, &units).unwrap();
    let spent = spend(&points, &budget(&units, 0.3, Spread::Attribute, Objective::Log));
    assert_eq!(spent.sample, Some(SAMPLE));
    assert!((spent.distortion - 0.3).abs() < 1e-6);
}
