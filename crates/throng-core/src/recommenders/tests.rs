//! Tables 1 and 2 of the paper, and every formula against one that is written down as it stands.

use proptest::prelude::*;

use super::*;
use crate::data::ratings::of_rows;
use crate::progress::Silent;
use crate::rng::Rng;

/// Tables 1 and 2: Alice, five persons, and two attack profiles.
const TABLE: &[(&str, [f64; 5])] = &[
    ("Alice", [4.0, 4.0, 1.0, 3.0, 0.0]),
    ("User 1", [2.0, 3.0, 0.0, 2.0, 1.0]),
    ("User 2", [4.0, 1.0, 2.0, 0.0, 2.0]),
    ("User 3", [0.0, 3.0, 4.0, 4.0, 4.0]),
    ("User 4", [4.0, 0.0, 1.0, 3.0, 0.0]),
    ("User 5", [3.0, 4.0, 3.0, 4.0, 2.0]),
    ("Attack 1", [4.0, 4.0, 3.0, 4.0, 5.0]),
    ("Attack 2", [4.0, 3.0, 2.0, 4.0, 5.0]),
];

fn table(rows: usize) -> Ratings {
    let items = ["Item 1", "Item 2", "Item 3", "Item 4", "Item 5"];
    let rated = |(person, values): &(&'static str, [f64; 5])| -> Vec<(&'static str, &'static str, f64)> {
        let person = *person;
        items
            .into_iter()
            .zip(*values)
            .filter(|(_, value)| *value > 0.0)
            .map(|(item, value)| (person, item, value))
            .collect()
    };
    of_rows(&TABLE[..rows].iter().flat_map(rated).collect::<Vec<_>>())
}

fn user_pearson() -> Recommender {
    Recommender::new(Params::usual(Name::UserPearson)).unwrap()
}

/// R2: the paper cuts off what comes after four digits.
#[test]
fn tables_1_and_2_of_the_paper() {
    let printed = [
        ("User 4", "1.0000"),
        ("Attack 1", "0.9428"),
        ("Attack 2", "0.7385"),
        ("User 1", "0.5000"),
        ("User 5", "0.4082"),
        ("User 2", "0.1889"),
        ("User 3", "-0.7559"),
    ];
    for (rows, expected) in [(6, 5), (8, 7)] {
        let ratings = table(rows);
        let similar = user_pearson().similar(&ratings, 0);
        let cut = |value: f64| format!("{:.4}", (value * 1e4 + value.signum() * 1e-7).trunc() / 1e4);
        let found: Vec<(&str, String)> =
            similar.iter().map(|similar| (ratings.person_ids().get(similar.number), cut(similar.similarity))).collect();
        let printed: Vec<(&str, String)> = printed
            .iter()
            .filter(|(person, _)| rows == 8 || person.starts_with("User"))
            .map(|&(person, value)| (person, value.to_owned()))
            .collect();
        assert_eq!(found, printed);
        assert_eq!(found.len(), expected);
    }
}

/// R3: the rating of the nearest rater of item 5 is 1 before the attack (the paper misprints 2) and 5 after it.
#[test]
fn the_nearest_rater_of_the_target() {
    for (rows, expected) in [(6, 1.0), (8, 5.0)] {
        let ratings = table(rows);
        let similar = user_pearson().similar(&ratings, 0);
        assert_eq!(similar.iter().find_map(|similar| ratings.get(similar.number, 4)), Some(expected));
    }
}

#[test]
fn predictions_by_hand() {
    let ratings = table(6);
    let predict =
        |params: Params, pair: Pair| Recommender::new(params).unwrap().predict(&ratings, &[pair], &Silent).unwrap()[0];
    let usual = Params::usual(Name::UserPearson);
    let alice = (Some(0), Some(4));
    // Alice's mean is 3, that of user 1 is 2.
    let nearest = predict(Params { neighbours: 1, ..usual }, alice);
    assert_eq!(nearest, Prediction { value: Some(3.0 + (1.0 - 2.0)), neighbours: 1, fallback: None });
    // User 4, the most similar of all, did not rate the item.
    let none = predict(Params { neighbours: 1, candidates: Candidates::Nearest, ..usual }, alice);
    assert_eq!(none, Prediction { value: Some(3.0), neighbours: 0, fallback: Some(FellBack::UserMean) });
    let nothing =
        predict(Params { neighbours: 1, candidates: Candidates::Nearest, fallback: Fallback::None, ..usual }, alice);
    assert_eq!(nothing, Prediction { value: None, neighbours: 0, fallback: None });
    let unknown = predict(usual, (None, Some(4)));
    assert_eq!((unknown.value, unknown.fallback), (Some(ratings.mean()), Some(FellBack::GlobalMean)));
    // R1: with the means over all items, user 1 is at 0.7071.
    let all = Recommender::new(Params { means: Means::All, ..usual }).unwrap().similar(&ratings, 0);
    assert!((all.iter().find(|similar| similar.number == 1).unwrap().similarity - 0.5f64.sqrt()).abs() < 1e-12);
}

/// R14: a profile of nothing but the highest rating adds nothing to an adjusted cosine.
#[test]
fn equal_ratings_do_not_move_an_adjusted_cosine() {
    let ratings = table(6);
    let recommender = Recommender::new(Params::usual(Name::ItemAdjustedCosine)).unwrap();
    let before: Vec<f64> = recommender.similar(&ratings, 4).iter().map(|similar| similar.similarity).collect();
    let profiles = vec![vec![(4, 5.0), (0, 5.0), (1, 5.0)]; 3];
    let after: Vec<f64> =
        recommender.similar(&ratings.with_more(&profiles), 4).iter().map(|similar| similar.similarity).collect();
    assert_eq!(before, after);
}

#[test]
fn all_ratings_equal_leave_means_only() {
    let ratings = of_rows(&[("a", "x", 3.3), ("a", "y", 3.3), ("b", "x", 3.3), ("b", "y", 3.3), ("b", "z", 3.3)]);
    for name in [Name::UserPearson, Name::ItemAdjustedCosine] {
        let recommender = Recommender::new(Params::usual(name)).unwrap();
        assert!(recommender.similar(&ratings, 0).is_empty());
        let prediction = recommender.predict(&ratings, &[(Some(0), Some(2))], &Silent).unwrap()[0];
        assert!(prediction.fallback.is_some() && prediction.value == Some(3.3));
    }
}

#[test]
fn parameters_are_checked() {
    let usual = Params::usual(Name::ItemCosine);
    assert!(Recommender::new(Params { neighbours: 0, ..usual }).is_err());
    for amplification in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(Recommender::new(Params { amplification, ..usual }).is_err());
    }
    assert_eq!(Name::parse("item-cosine").unwrap(), Name::ItemCosine);
    assert!(Name::parse("item-cosin").unwrap_err().describe(false).contains("item-cosine"));
    assert!((amplified(0.5, 10.0) - 0.5f64.powi(10)).abs() < 1e-18);
    assert!((amplified(0.5, 2.5) - 0.5f64.powf(2.5)).abs() < 1e-15);
}

// The formulas as they are written, on rows of person, item and value in the order of a file.
type Rows = Vec<(u32, u32, f64)>;

fn value(rows: &Rows, person: u32, item: u32) -> Option<f64> {
    rows.iter().find(|row| row.0 == person && row.1 == item).map(|row| row.2)
}

fn mean_of(rows: &Rows, person: u32) -> f64 {
    let own: Vec<f64> = rows.iter().filter(|row| row.0 == person).map(|row| row.2).collect();
    own.iter().sum::<f64>() / own.len() as f64
}

fn similarity_by_letter(rows: &Rows, params: &Params, left: u32, right: u32) -> Option<f64> {
    let mut both: Vec<(f64, f64)> = Vec::new();
    for number in 0..20 {
        let pair = if params.name == Name::UserPearson {
            (value(rows, left, number), value(rows, right, number))
        } else {
            (value(rows, number, left), value(rows, number, right))
        };
        if let (Some(x), Some(y)) = pair {
            both.push(match params.name {
                Name::ItemAdjustedCosine => (x - mean_of(rows, number), y - mean_of(rows, number)),
                Name::UserPearson if params.means == Means::All => (x - mean_of(rows, left), y - mean_of(rows, right)),
                _ => (x, y),
            });
        }
    }
    let n = both.len() as f64;
    if params.name == Name::UserPearson && params.means == Means::CoRated {
        let (x, y) = both.iter().fold((0.0, 0.0), |sum, both| (sum.0 + both.0, sum.1 + both.1));
        both.iter_mut().for_each(|both| *both = (both.0 - x / n, both.1 - y / n));
    }
    let sum = |of: fn(&(f64, f64)) -> f64| both.iter().map(of).sum::<f64>();
    let (xy, xx, yy) = (sum(|both| both.0 * both.1), sum(|both| both.0 * both.0), sum(|both| both.1 * both.1));
    if xx < 1e-12 || yy < 1e-12 {
        return None;
    }
    let weight =
        if params.significance == 0 { 1.0 } else { n.min(params.significance.into()) / f64::from(params.significance) };
    Some(xy / (xx.sqrt() * yy.sqrt()) * weight)
}

/// The prediction, and whether it hangs on which of two nearly equal similarities is the larger.
fn predicted_by_letter(rows: &Rows, params: &Params, person: u32, item: u32) -> (Option<f64>, bool) {
    let is_user_based = params.name == Name::UserPearson;
    let mut candidates: Vec<(f64, f64, u32)> = Vec::new();
    if is_user_based && params.candidates == Candidates::Nearest {
        let mut all: Vec<(f64, u32)> = Vec::new();
        for (order, row) in rows.iter().enumerate() {
            if row.0 != person && !rows[..order].iter().any(|other| other.0 == row.0) {
                all.extend(similarity_by_letter(rows, params, person, row.0).map(|similarity| (similarity, row.0)));
            }
        }
        all.sort_by(|left, right| right.0.total_cmp(&left.0));
        let is_close = all.windows(2).any(|pair| (pair[0].0 - pair[1].0).abs() < 1e-9)
            || all.iter().any(|candidate| candidate.0.abs() < 1e-9);
        all.truncate(params.neighbours);
        for (similarity, other) in all {
            candidates.extend(value(rows, other, item).map(|value| (similarity, value, other)));
        }
        return (weighted(rows, params, person, &candidates), is_close);
    }
    for row in rows {
        let other = if is_user_based {
            (row.1 == item && row.0 != person).then_some(row.0)
        } else {
            (row.0 == person && row.1 != item).then_some(row.1)
        };
        if let Some(other) = other {
            let (left, right) = if is_user_based { (person, other) } else { (item, other) };
            let similarity = similarity_by_letter(rows, params, left, right);
            candidates.extend(similarity.map(|similarity| (similarity, row.2, other)));
        }
    }
    candidates.sort_by(|left, right| right.0.total_cmp(&left.0));
    let is_close = candidates.len() > params.neighbours
        && (candidates[params.neighbours - 1].0 - candidates[params.neighbours].0).abs() < 1e-9
        // Or on which side of 0 it comes out.
        || candidates.iter().any(|candidate| candidate.0.abs() < 1e-9);
    candidates.truncate(params.neighbours);
    (weighted(rows, params, person, &candidates), is_close)
}

fn weighted(rows: &Rows, params: &Params, person: u32, candidates: &[(f64, f64, u32)]) -> Option<f64> {
    let (mut above, mut below) = (0.0, 0.0);
    for &(similarity, value, other) in candidates.iter().filter(|candidate| candidate.0 > 1e-9) {
        let weight = similarity * similarity.abs().powf(params.amplification - 1.0);
        above += weight * if params.name == Name::UserPearson { value - mean_of(rows, other) } else { value };
        below += weight;
    }
    let base = if params.name == Name::UserPearson { mean_of(rows, person) } else { 0.0 };
    (below > 0.0).then(|| base + above / below)
}

/// A small file: some of 8 persons and 7 items, whole or half stars, in any order.
fn files() -> impl Strategy<Value = Rows> {
    (any::<u64>(), 1u64..3, 3usize..40).prop_map(|(seed, parts, count)| {
        let mut rng = Rng::seeded(seed);
        let mut rows: Rows = Vec::new();
        for _ in 0..count {
            let (person, item) = (rng.below(8) as u32, rng.below(7) as u32);
            if value(&rows, person, item).is_none() {
                rows.push((person, item, 1.0 + rng.below(4 * parts + 1) as f64 / parts as f64));
            }
        }
        rows
    })
}

fn read(rows: &Rows) -> Ratings {
    let names: Vec<(String, String, f64)> =
        rows.iter().map(|row| (row.0.to_string(), row.1.to_string(), row.2)).collect();
    of_rows(&names.iter().map(|row| (row.0.as_str(), row.1.as_str(), row.2)).collect::<Vec<_>>())
}

fn settings() -> impl Strategy<Value = Params> {
    (0usize..3, 1usize..6, 0usize..3, 0u32..2, any::<bool>(), any::<bool>()).prop_map(
        |(name, neighbours, amplification, significance, nearest, all)| Params {
            neighbours,
            amplification: [1.0, 10.0, 2.5][amplification],
            significance: 3 * significance,
            candidates: if nearest { Candidates::Nearest } else { Candidates::Raters },
            means: if all { Means::All } else { Means::CoRated },
            fallback: Fallback::None,
            ..Params::usual(Name::ALL[name])
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn predictions_are_the_formulas(rows in files(), params in settings()) {
        let ratings = read(&rows);
        let recommender = Recommender::new(params).unwrap();
        let number = |ids: &crate::data::Strings, id: u32| ids.iter().position(|other| other == id.to_string()).map(|at| at as u32);
        let pairs: Vec<(u32, u32)> = (0..8).flat_map(|person| (0..7).map(move |item| (person, item))).collect();
        let numbers: Vec<Pair> = pairs
            .iter()
            .map(|&(person, item)| (number(ratings.person_ids(), person), number(ratings.item_ids(), item)))
            .collect();
        let found = recommender.predict(&ratings, &numbers, &Silent).unwrap();
        for ((&(person, item), numbers), found) in pairs.iter().zip(&numbers).zip(found) {
            let (expected, is_close) = predicted_by_letter(&rows, &params, person, item);
            match (numbers, expected) {
                // Equal similarities that are not equal numbers in the letter's form: the next test is about those.
                ((Some(_), Some(_)), _) if is_close => {}
                ((Some(_), Some(_)), Some(expected)) => {
                    prop_assert!(found.value.is_some_and(|value| (value - expected).abs() < 1e-9), "{found:?} {expected}");
                }
                _ => prop_assert_eq!(found.value, None),
            }
        }
    }

    /// Ties are held to exactly where sums are exact: the similarities as they come out, sorted by hand.
    #[test]
    fn ties_go_to_the_first_in_the_file(rows in files(), neighbours in 1usize..4) {
        let ratings = read(&rows);
        let params = Params { neighbours, ..Params::usual(Name::UserPearson) };
        let recommender = Recommender::new(params).unwrap();
        for person in 0..ratings.persons() as u32 {
            let similar = recommender.similar(&ratings, person);
            for item in 0..ratings.items() as u32 {
                let mut raters: Vec<(f64, u32, f64)> = ratings
                    .of_item(item)
                    .filter_map(|(rater, value)| {
                        let similar = similar.iter().find(|similar| similar.number == rater)?;
                        Some((similar.similarity, rater, value))
                    })
                    .collect();
                // A stable sort keeps the order of the file.
                raters.sort_by(|left, right| right.0.total_cmp(&left.0));
                raters.truncate(neighbours);
                raters.retain(|rater| rater.0 > 0.0);
                let above: f64 = raters.iter().map(|&(s, rater, value)| s * (value - ratings.mean_of_person(rater))).sum();
                let below: f64 = raters.iter().map(|rater| rater.0).sum();
                let found = recommender.predict(&ratings, &[(Some(person), Some(item))], &Silent).unwrap()[0];
                prop_assert_eq!(found.neighbours, raters.len());
                let expected = if raters.is_empty() { ratings.mean_of_person(person) } else { ratings.mean_of_person(person) + above / below };
                prop_assert!((found.value.unwrap() - expected).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn the_bias_model_is_its_formula(rows in files()) {
        let ratings = read(&rows);
        let mean = rows.iter().map(|row| row.2).sum::<f64>() / rows.len() as f64;
        let of_item = |item: u32| {
            let own: Vec<f64> = rows.iter().filter(|row| row.1 == item).map(|row| row.2 - mean).collect();
            own.iter().sum::<f64>() / (own.len() as f64 + 10.0)
        };
        let bias = Bias::fit(&ratings);
        for &(person, item, _) in &rows {
            let own: Vec<f64> = rows.iter().filter(|row| row.0 == person).map(|row| row.2 - mean - of_item(row.1)).collect();
            let expected = mean + of_item(item) + own.iter().sum::<f64>() / (own.len() as f64 + 5.0);
            let number = |ids: &crate::data::Strings, id: u32| ids.iter().position(|other| other == id.to_string()).unwrap() as u32;
            let found = bias.predict(number(ratings.person_ids(), person), number(ratings.item_ids(), item));
            prop_assert!((found - expected).abs() < 1e-12);
        }
    }

    /// Alone or among others, with one thread or several: the same bits.
    #[test]
    fn a_prediction_does_not_depend_on_others(rows in files(), params in settings()) {
        let ratings = read(&rows);
        let recommender = Recommender::new(Params { fallback: Fallback::Mean, clip: true, ..params }).unwrap();
        let pairs: Vec<Pair> = (0..ratings.persons() as u32)
            .flat_map(|person| (0..ratings.items() as u32).map(move |item| (Some(person), Some(item))))
            .collect();
        let predict = |pairs: &[Pair], threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| recommender.predict(&ratings, pairs, &Silent).unwrap())
        };
        let all = predict(&pairs, 1);
        prop_assert_eq!(&all, &predict(&pairs, 3));
        for (pair, together) in pairs.iter().zip(&all).step_by(7) {
            prop_assert_eq!(predict(&[*pair], 1)[0], *together);
        }
    }

    /// Folds are all ratings, each once, and the rest keeps the order of the file.
    #[test]
    fn folds_are_the_whole(rows in files(), seed in any::<u64>()) {
        let ratings = read(&rows);
        let mut seen: Rows = Vec::new();
        for fold in folds(&ratings, 3.min(ratings.len()).max(2).min(ratings.len()), &mut Rng::seeded(seed)).into_iter().flatten() {
            prop_assert_eq!(fold.training.len() + fold.test.len(), ratings.len());
            let out: Rows = fold.test.iter().map(|&((person, item), value)| (person.unwrap(), item.unwrap(), value)).collect();
            for item in 0..ratings.items() as u32 {
                let expected: Vec<(u32, f64)> =
                    ratings.of_item(item).filter(|&(person, _)| !out.iter().any(|row| (row.0, row.1) == (person, item))).collect();
                prop_assert_eq!(fold.training.of_item(item).collect::<Vec<_>>(), expected);
            }
            for person in 0..ratings.persons() as u32 {
                let expected: Vec<(u32, f64)> =
                    ratings.of_person(person).filter(|&(item, _)| !out.iter().any(|row| (row.0, row.1) == (person, item))).collect();
                prop_assert_eq!(fold.training.of_person(person).collect::<Vec<_>>(), expected);
            }
            seen.extend(out);
        }
        prop_assert!(ratings.len() < 2 || seen.len() == ratings.len());
    }
}
