//! Scores against slow references, and what no detector may look at.

use proptest::prelude::*;

use super::*;
use crate::data::ratings::{Ratings, of_rows};
use crate::progress::Silent;
use crate::rng::Rng;
use crate::shilling::{self, Attack, Class};

const ALL: [&dyn Detector<Ratings>; 8] = [
    &rdma::Rdma,
    &wdma::Wdma,
    &degsim::Degsim,
    &length_variance::LengthVariance,
    &pca_varselect::PcaVarselect,
    &popularity_fit::PopularityFit,
    &twins::Twins,
    &crowd_fit::CrowdFit,
];

/// Random small files: who rates what, from 1 to 5.
fn small() -> impl Strategy<Value = Vec<(usize, usize, u8)>> {
    proptest::collection::btree_map((0usize..9, 0usize..8), 1u8..6, 8..60)
        .prop_map(|rows| rows.into_iter().map(|((person, item), value)| (person, item, value)).collect())
}

fn built(rows: &[(usize, usize, u8)]) -> Ratings {
    let names: Vec<(String, String, f64)> = rows
        .iter()
        .map(|(person, item, value)| (format!("p{person}"), format!("i{item}"), f64::from(*value)))
        .collect();
    let rows: Vec<(&str, &str, f64)> =
        names.iter().map(|(person, item, value)| (person.as_str(), item.as_str(), *value)).collect();
    of_rows(&rows)
}

fn close(found: &[f64], expected: &[f64], within: f64) -> bool {
    found.len() == expected.len()
        && found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() <= within)
}

proptest! {
    #[test]
    fn scores_are_those_of_the_references(rows in small()) {
        let ratings = built(&rows);
        let scores = |detector: &dyn Detector<Ratings>| detector.detect(&ratings, &Silent).unwrap().scores;
        prop_assert!(close(&scores(&rdma::Rdma), &references::weighed_deviation(&ratings, 1), 1e-12));
        prop_assert!(close(&scores(&wdma::Wdma), &references::weighed_deviation(&ratings, 2), 1e-12));
        prop_assert!(close(&scores(&degsim::Degsim), &references::degsim(&ratings), 1e-9));
        let triples = references::triples(&ratings);
        let expected: Vec<f64> = triples.iter().map(|&share| if share > 0.3 { share } else { 0.0 }).collect();
        prop_assert!(close(&scores(&twins::Twins), &expected, 1e-12), "{:?} and {expected:?}", scores(&twins::Twins));
    }

    #[test]
    fn the_order_of_rows_and_fractions_are_not_looked_at(rows in small(), seed in 0u64..1000) {
        let ratings = built(&rows);
        let mut shuffled = rows.clone();
        Rng::seeded(seed).shuffle(&mut shuffled);
        let again = built(&shuffled);
        for detector in ALL {
            let (first, second) = (detector.detect(&ratings, &Silent).unwrap(), detector.detect(&again, &Silent).unwrap());
            // Eigenvectors of equal values are not determined.
            if detector.info().name == "pca-varselect" {
                continue;
            }
            for (person, id) in (0..).zip(ratings.person_ids().iter()) {
                let other = again.person_ids().iter().position(|other| other == id).unwrap();
                let (left, right) = (first.scores[person], second.scores[other]);
                prop_assert!((left - right).abs() <= 1e-9 * left.abs().max(1.0), "{}: {left} and {right}", detector.info().name);
            }
        }
    }
}

#[test]
fn shares_in_the_first_eigenvectors() {
    // Random ratings have eigenvalues that are told apart.
    let ratings = trial::ratings(40, 60, 3);
    let found = pca_varselect::PcaVarselect.detect(&ratings, &Silent).unwrap();
    assert!(close(&found.scores, &references::first_shares(&ratings), 1e-6));
}

#[test]
fn shares_found_at_the_count_share_ties() {
    let found = Found::beyond(vec![5.0, 3.0, 3.0, 1.0], 4.0, Suspect::High);
    assert_eq!(found.found_at_count(&[true, true, false, false]), Some(0.75));
    assert_eq!(found.found_at_count(&[false; 4]), None);
    let low = Found::beyond(vec![5.0, 3.0, 2.0, 1.0], 1.5, Suspect::Low);
    assert_eq!((low.flagged(), low.found_at_count(&[false, false, true, true])), (1, Some(1.0)));
}

/// Ratings with profiles of an attack behind them, and who is made up.
fn poisoned(
    ratings: &Ratings,
    attack: Attack,
    size: f64,
    class: Class,
    seed: u64,
) -> Option<(Ratings, Vec<bool>, u32)> {
    let mut rng = Rng::seeded(seed);
    let target = trial::target(ratings, class, &mut rng)?;
    let genres: Vec<Vec<u32>> = (0..ratings.items() as u32).map(|item| vec![item % 6]).collect();
    let params = shilling::Params { size, whole: true, ..shilling::Params::usual(attack) };
    let injection = shilling::prepare(ratings, Some(target), Some((&genres, &[target % 6])), &params).unwrap();
    let mut profiles = injection.draw(&mut rng);
    profiles.iter_mut().for_each(|profile| profile.push((target, injection.target_value)));
    let whole = ratings.with_more(&profiles);
    let is_shill = (0..whole.persons()).map(|person| person >= ratings.persons()).collect();
    Some((whole, is_shill, target))
}

#[test]
#[ignore = "a table for people"]
#[expect(clippy::print_stdout, reason = "a table for people")]
fn table_of_detection() {
    for (persons, items, seed) in [(943, 1682, 1u64), (943, 1682, 2), (1500, 800, 4)] {
        let ratings = trial::ratings(persons, items, seed);
        let clean = crowd_fit::CrowdFit.detect(&ratings, &Silent).unwrap();
        println!(
            "{persons} x {items}, {} ratings; clean: {} flagged, target {:?}",
            ratings.len(),
            clean.flagged(),
            clean.target
        );
        for size in [0.01, 0.03] {
            print!("  {size}: ");
            for attack in Attack::ALL {
                let (mut recall, mut precision, mut hits, mut n) = (0.0, 0.0, 0, 0);
                for draw in 0..2u64 {
                    let class = if draw % 2 == 0 { Class::Low } else { Class::High };
                    let Some((whole, is_shill, target)) = poisoned(&ratings, attack, size, class, 10 * seed + draw)
                    else {
                        continue;
                    };
                    let found = crowd_fit::CrowdFit.detect(&whole, &Silent).unwrap();
                    let right = (0..whole.persons()).filter(|&at| is_shill[at] && found.flags[at]).count() as f64;
                    recall += right / is_shill.iter().filter(|&&is| is).count() as f64;
                    precision += right / (found.flagged() as f64).max(1.0);
                    hits += usize::from(found.target.is_some_and(|found| found.item == target));
                    n += 1;
                }
                print!("{} {:.2}/{:.2} t{hits}/{n}  ", attack.name(), recall / f64::from(n), precision / f64::from(n));
            }
            println!();
        }
    }
}

#[test]
fn results_do_not_hang_on_threads_and_extremes_survive() {
    let many = trial::ratings(120, 90, 5);
    let one = of_rows(&[("a", "x", 3.0)]);
    let equal = of_rows(&[("a", "x", 3.0), ("b", "x", 3.0), ("b", "y", 3.0)]);
    for detector in ALL {
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| detector.detect(&many, &Silent).unwrap())
        };
        assert_eq!(run(1), run(3), "{}", detector.info().name);
        for ratings in [&one, &equal] {
            let found = detector.detect(ratings, &Silent).unwrap();
            assert_eq!(found.scores.len(), ratings.persons());
            assert!(found.scores.iter().all(|score| score.is_finite()) && found.threshold.is_finite());
        }
    }
}

#[test]
fn shills_are_found_on_made_up_ratings_and_few_others() {
    let ratings = trial::ratings(500, 700, 7);
    let clean = crowd_fit::CrowdFit.detect(&ratings, &Silent).unwrap();
    assert!(clean.flagged() <= 5 && clean.target.is_none(), "{} flagged", clean.flagged());
    for attack in [Attack::Random, Attack::Average, Attack::Ih] {
        let (whole, is_shill, target) = poisoned(&ratings, attack, 0.03, Class::Low, 3).unwrap();
        let found = crowd_fit::CrowdFit.detect(&whole, &Silent).unwrap();
        let right = (0..whole.persons()).filter(|&at| is_shill[at] && found.flags[at]).count();
        assert!(right >= 14 && found.flagged() <= right + 6, "{attack:?}: {right} of 15, {} flagged", found.flagged());
        assert_eq!(found.target.map(|target| target.item), Some(target), "{attack:?}");
        assert_eq!(found.target.map(|target| target.direction), Some(crate::shilling::Direction::Push));
    }
    // Twins alone are flagged, whatever they rate.
    let profile: Vec<(u32, f64)> = ratings.of_person(3).collect();
    let twins = ratings.with_more(&vec![profile; 2]);
    let found = crowd_fit::CrowdFit.detect(&twins, &Silent).unwrap();
    for person in [3, 500, 501] {
        assert!(found.flags[person] && found.reasons[person].contains(&Reason::Twins));
    }
}
