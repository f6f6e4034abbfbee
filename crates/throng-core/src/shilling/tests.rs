//! Every attack by hand on a small file, and what all profiles have in common on random ones.

use proptest::prelude::*;

use super::*;
use crate::data::ratings::of_rows;
use crate::progress::Silent;
use crate::recommenders;
use crate::rng::Rng;

/// Random ratings: some of so many persons and items, whole or half stars, every item rated once at least.
fn random_ratings(seed: u64, persons: u64, items: u64, parts: u64) -> Ratings {
    let mut rng = Rng::seeded(seed);
    let mut rows: Vec<(String, String, f64)> = Vec::new();
    for person in 0..persons {
        for item in 0..items {
            if item == person % items || rng.below(3) > 0 {
                let value = 1.0 + rng.below(4 * parts + 1) as f64 / parts as f64;
                rows.push((format!("p{person}"), format!("i{item}"), value));
            }
        }
    }
    of_rows(&rows.iter().map(|row| (row.0.as_str(), row.1.as_str(), row.2)).collect::<Vec<_>>())
}

fn params(attack: Attack, direction: Direction, whole: bool) -> Params {
    Params { direction, size: 0.2, filler: 0.3, selected: None, count_at_least: 2, whole, ..Params::usual(attack) }
}

/// The mean of an item over persons who rated the target low or high, as it is written.
fn mean_over(ratings: &Ratings, target: u32, item: u32, is_in: impl Fn(f64) -> bool) -> f64 {
    let raters: Vec<u32> =
        ratings.of_item(target).filter(|&(_, value)| is_in(value)).map(|(person, _)| person).collect();
    let values: Vec<f64> = raters.iter().filter_map(|&person| ratings.get(person, item)).collect();
    if values.is_empty() { ratings.mean_of_item(item) } else { values.iter().sum::<f64>() / values.len() as f64 }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn profiles_are_what_the_table_says(seed in any::<u64>(), parts in 1u64..3, whole in any::<bool>(), nuke in any::<bool>()) {
        let ratings = random_ratings(seed, 30, 20, parts);
        let mut rng = Rng::seeded(seed);
        let target = rng.below(20) as u32;
        let genres: Vec<Vec<u32>> = (0..20).map(|item| vec![item % 2]).collect();
        let direction = if nuke { Direction::Nuke } else { Direction::Push };
        let scale = ratings.scale();
        let end = if nuke { scale.low } else { scale.high };
        for attack in Attack::ALL {
            let params = params(attack, direction, whole);
            let injection = match prepare(&ratings, Some(target), Some((&genres, &genres[target as usize])), &params) {
                Ok(injection) => injection,
                Err(error) => {
                    prop_assert!(attack == Attack::Segment, "{}", error.describe(true));
                    continue;
                }
            };
            prop_assert_eq!((injection.profiles, injection.fillers, injection.target_value), (6, 6, end));
            let profiles = injection.draw(&mut rng);
            prop_assert_eq!(profiles.len(), 6);
            let selected_at = if attack == Attack::Segment { scale.high } else { end };
            for profile in &profiles {
                let (selected, fillers) = profile.split_at(injection.selected.len());
                prop_assert_eq!(fillers.len(), 6);
                let mut items: Vec<u32> = profile.iter().map(|rating| rating.0).collect();
                items.sort_unstable();
                items.dedup();
                prop_assert!(items.len() == profile.len() && !items.contains(&target));
                prop_assert!(selected.iter().zip(&injection.selected).all(|(one, item)| *one == (*item, selected_at)));
                let listed = if matches!(attack, Attack::Il | Attack::Ih) { 6 - injection.shortfall } else { 0 };
                prop_assert!(fillers[..listed].iter().all(|filler| filler.1 == end));
                for &(item, value) in &fillers[listed..] {
                    prop_assert!((scale.low..=scale.high).contains(&value));
                    let expected = match attack {
                        Attack::Random => scale.nearest(value),
                        Attack::Segment => scale.low,
                        _ if whole => scale.nearest(value),
                        Attack::Bandwagon => ratings.mean(),
                        Attack::Average | Attack::Il | Attack::Ih => ratings.mean_of_item(item),
                        Attack::Ul => mean_over(&ratings, target, item, |value| scale.is_low(value)),
                        Attack::Uh => mean_over(&ratings, target, item, |value| scale.is_high(value)),
                    };
                    prop_assert!((value - expected).abs() < 1e-12, "{attack:?} {value} {expected}");
                }
            }
        }
    }

    /// Measured on ratings with profiles: the definition, pair by pair.
    #[test]
    fn a_shift_is_its_definition(seed in any::<u64>()) {
        let ratings = random_ratings(seed, 30, 12, 1);
        let mut rng = Rng::seeded(seed);
        let target = rng.below(12) as u32;
        let injection = prepare(&ratings, Some(target), None, &params(Attack::Average, Direction::Push, false)).unwrap();
        let mut profiles = injection.draw(&mut rng);
        profiles.iter_mut().for_each(|profile| profile.push((target, injection.target_value)));
        let poisoned = ratings.with_more(&profiles);
        let Ok(users) = draw_users(&ratings, &[target], 5, &mut rng) else { return Ok(()) };
        prop_assert!(users.iter().all(|&user| ratings.get(user, target).is_none()));
        for name in [recommenders::Name::UserPearson, recommenders::Name::ItemAdjustedCosine] {
            let usual = recommenders::Params { neighbours: 5, ..recommenders::Params::usual(name) };
            let targets = [(Some(target), Some(target))];
            let both: Vec<User> = users.iter().map(|&user| (user, user)).collect();
            let found = measure(&ratings, &poisoned, &targets, &both, usual, &Silent).unwrap();
            let strict = recommenders::Recommender::new(recommenders::Params { fallback: recommenders::Fallback::None, ..usual }).unwrap();
            let one = |ratings: &Ratings, user| strict.predict(ratings, &[(Some(user), Some(target))], &Silent).unwrap()[0].value;
            let shifts: Vec<f64> = users.iter().filter_map(|&user| Some(one(&poisoned, user)? - one(&ratings, user)?)).collect();
            prop_assert_eq!((found.pairs, found.undefined), (shifts.len(), users.len() - shifts.len()));
            let expected = (!shifts.is_empty()).then(|| shifts.iter().sum::<f64>() / shifts.len() as f64);
            prop_assert_eq!(found.shift.is_some(), expected.is_some());
            prop_assert!((found.shift.unwrap_or(0.0) - expected.unwrap_or(0.0)).abs() < 1e-12);
        }
    }
}

#[test]
fn favourites_by_hand() {
    // a and b rate the target t high: both give x a 5, a gives y a 5 and b a 4, both give z a 4; c rates it low and likes w.
    let ratings = of_rows(&[
        ("a", "t", 5.0),
        ("a", "y", 5.0),
        ("a", "x", 5.0),
        ("a", "z", 4.0),
        ("b", "t", 4.0),
        ("b", "x", 5.0),
        ("b", "y", 4.0),
        ("b", "z", 4.0),
        ("c", "t", 1.0),
        ("c", "w", 5.0),
    ]);
    let id = |item: u32| ratings.item_ids().get(item);
    let list = |attack, count_at_least, direction| {
        let params = Params { filler: 0.8, size: 0.1, count_at_least, direction, ..Params::usual(attack) };
        let injection = prepare(&ratings, Some(0), None, &params).unwrap();
        let profile = &injection.draw(&mut Rng::seeded(1))[0];
        let listed: Vec<&str> =
            profile.iter().take(injection.fillers - injection.shortfall).map(|&(item, _)| id(item)).collect();
        (listed, injection.shortfall, injection.is_rounded_up, injection.class)
    };
    // x has two 5s, y one; then z two 4s, and y, which is in the list already, one.
    assert_eq!(list(Attack::Ih, 1, Direction::Push), (vec!["x", "y", "z"], 1, true, Some(Class::High)));
    assert_eq!(list(Attack::Ih, 2, Direction::Push), (vec!["x", "z"], 2, true, Some(Class::High)));
    assert_eq!(list(Attack::Il, 1, Direction::Push), (vec!["w"], 3, true, Some(Class::High)));
    assert_eq!(list(Attack::Ih, 1, Direction::Nuke), (vec![], 4, true, Some(Class::High)));
}

#[test]
fn selected_items_by_hand() {
    let ratings = random_ratings(5, 40, 12, 1);
    let most_rated = |target: u32| {
        let mut items: Vec<u32> = (0..12).filter(|&item| item != target).collect();
        items.sort_by_key(|&item| std::cmp::Reverse(ratings.count_of_item(item)));
        items
    };
    let usual = Params { filler: 0.1, ..Params::usual(Attack::Bandwagon) };
    let injection = prepare(&ratings, Some(3), None, &usual).unwrap();
    assert_eq!(injection.selected, most_rated(3)[..5]);
    let nuke = prepare(&ratings, Some(3), None, &Params { direction: Direction::Nuke, ..usual }).unwrap();
    let low = |item: u32| ratings.of_item(item).filter(|&(_, value)| value <= 2.0).count();
    assert!(nuke.selected.windows(2).all(|pair| low(pair[0]) >= low(pair[1])));
    let segment = Params { filler: 0.1, segment: Some(vec![7, 2, 7]), ..Params::usual(Attack::Segment) };
    assert_eq!(prepare(&ratings, None, None, &segment).unwrap().selected, [7, 2]);
}

#[test]
fn what_cannot_be_done_is_refused() {
    let ratings = random_ratings(5, 40, 12, 1);
    let refused =
        |target, params: &Params| prepare(&ratings, target, None, params).map(|_| ()).unwrap_err().describe(false);
    for attack in [Attack::Ul, Attack::Uh, Attack::Il, Attack::Ih] {
        assert!(refused(None, &Params::usual(attack)).contains("nobody to learn from"));
    }
    assert!(refused(Some(0), &Params::usual(Attack::Segment)).contains("--items"));
    assert!(
        refused(Some(0), &Params { segment: Some(vec![0]), ..Params::usual(Attack::Segment) })
            .contains("beside the target")
    );
    assert!(refused(Some(0), &Params { filler: 1.0, ..Params::usual(Attack::Random) }).contains("12 fillers"));
    for size in [0.0, -1.0, 1.5, f64::NAN] {
        assert!(refused(Some(0), &Params { size, ..Params::usual(Attack::Random) }).contains("size"));
    }
    assert!(prepare(&ratings, None, None, &Params::usual(Attack::Random)).is_ok());
    let equal = of_rows(&[("a", "x", 3.0), ("b", "x", 3.0)]);
    assert!(prepare(&equal, Some(0), None, &Params::usual(Attack::Random)).is_err());
}

#[test]
fn shares_are_rounded_half_up() {
    assert_eq!((rounded(0.03, 943), rounded(0.03, 1682), rounded(0.5, 5), rounded(0.01, 49)), (28, 50, 3, 0));
}

/// R8: around the mean of all ratings, on the scale.
#[test]
fn random_fillers_have_the_mean_of_all_ratings() {
    let ratings = random_ratings(5, 60, 40, 1);
    let params = Params { size: 1.0, filler: 0.5, ..Params::usual(Attack::Random) };
    let profiles = prepare(&ratings, Some(0), None, &params).unwrap().draw(&mut Rng::seeded(2));
    let values: Vec<f64> = profiles.iter().flatten().map(|rating| rating.1).collect();
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    assert!((mean - ratings.mean()).abs() < 0.15, "{mean}");
    assert!(values.iter().all(|value| value.fract() == 0.0));
}

/// A plan of everything on small ratings.
fn plan(draws: usize) -> Plan {
    let usual = |name| recommenders::Params { neighbours: 5, ..recommenders::Params::usual(name) };
    Plan {
        attacks: Attack::ALL.into_iter().filter(|&attack| attack != Attack::Segment).collect(),
        direction: Direction::Push,
        sizes: vec![0.05, 0.2],
        filler: 0.3,
        whole: false,
        count_at_least: 2,
        targets: vec![(Class::Low, 2), (Class::High, 2)],
        target_ratings: 2,
        users: 4,
        draws,
        recommenders: recommenders::Name::ALL.map(usual).to_vec(),
        seed: 7,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30))]

    /// In memory it is to the bit what recommenders say of the ratings with the profiles behind them.
    #[test]
    fn poisoned_predictions_are_those_of_the_poisoned_ratings(seed in any::<u64>(), parts in 1u64..3, amplification in 1u32..4) {
        let ratings = random_ratings(seed, 30, 14, parts);
        let mut rng = Rng::seeded(seed);
        let items = [rng.below(14) as u32, rng.below(14) as u32];
        let Ok(persons) = draw_users(&ratings, &items, 5, &mut rng) else { return Ok(()) };
        for attack in [Attack::Random, Attack::Average, Attack::Ul, Attack::Ih] {
            let injection = prepare(&ratings, Some(items[0]), None, &params(attack, Direction::Push, false)).unwrap();
            let mut profiles = injection.draw(&mut rng);
            profiles.iter_mut().for_each(|profile| profile.push((items[0], injection.target_value)));
            let whole = ratings.with_more(&profiles);
            for name in recommenders::Name::ALL {
                for (candidates, means, significance) in [
                    (recommenders::Candidates::Raters, recommenders::Means::CoRated, 0),
                    (recommenders::Candidates::Raters, recommenders::Means::All, 3),
                    (recommenders::Candidates::Nearest, recommenders::Means::CoRated, 0),
                ] {
                    let params = recommenders::Params {
                        neighbours: 4,
                        amplification: f64::from(amplification),
                        fallback: recommenders::Fallback::None,
                        candidates,
                        means,
                        significance,
                        ..recommenders::Params::usual(name)
                    };
                    let strict = recommenders::Recommender::new(params).unwrap();
                    let watched = recommenders::Poisoned::of(&ratings, &persons, &items, params).unwrap();
                    for (data, profiles) in [(&ratings, &[][..]), (&whole, &profiles[..])] {
                        let pairs: Vec<_> = persons.iter().map(|&person| (Some(person), Some(items[0]))).collect();
                        let expected = strict.predict(data, &pairs, &Silent).unwrap();
                        let found = watched[0].predict(profiles).unwrap();
                        let bits = |value: Option<f64>| value.map(f64::to_bits);
                        let expected: Vec<_> = expected.iter().map(|prediction| bits(prediction.value)).collect();
                        prop_assert_eq!(found.into_iter().map(bits).collect::<Vec<_>>(), expected, "{:?} {:?}", name, candidates);
                    }
                }
            }
        }
    }
}

/// Ratings of which a third of the items is rated low by most, and a third high; every item is rated, and not by all.
fn torn_ratings() -> Ratings {
    let mut rng = Rng::seeded(3);
    let mut rows: Vec<(String, String, f64)> = Vec::new();
    for person in 0..60u64 {
        for item in 0..30u64 {
            if rng.below(3) > 0 {
                continue;
            }
            let value = [1, 4, 2][item as usize % 3] + rng.below(2);
            rows.push((format!("p{person}"), format!("i{item}"), value as f64));
        }
    }
    of_rows(&rows.iter().map(|row| (row.0.as_str(), row.1.as_str(), row.2)).collect::<Vec<_>>())
}

#[test]
fn an_experiment_is_the_same_whatever_else_is_tried() {
    let ratings = torn_ratings();
    let whole = experiment(&ratings, None, &plan(2), &Silent).unwrap();
    assert_eq!(whole.shifts.len(), 4 * 2 * 7 * 2 * 2);
    assert!(whole.left_out.is_empty() && whole.targets.len() == 4);
    for one in &whole.shifts {
        let users = whole.targets.iter().find(|drawn| drawn.draw == one.draw).map_or(0, |drawn| drawn.users);
        assert_eq!(one.pairs + one.undefined, 2 * users, "{one:?}");
    }
    let less = Plan { attacks: vec![Attack::Average, Attack::Il], sizes: vec![0.2], ..plan(2) };
    let less = Plan { recommenders: vec![less.recommenders[2]], ..less };
    let found = experiment(&ratings, None, &less, &Silent).unwrap();
    let same = whole
        .shifts
        .iter()
        .filter(|one| one.recommender == 2 && one.size == 0.2 && [Attack::Average, Attack::Il].contains(&one.attack));
    let same: Vec<Shifted> = same.map(|one| Shifted { recommender: 0, ..one.clone() }).collect();
    assert_eq!(found.shifts, same);
    // Targets are of their class, and nobody who is predicted rated one.
    for drawn in &whole.targets {
        assert!(drawn.items.iter().all(|&item| Class::of(&ratings, item) == Some(drawn.class)));
    }
}

#[test]
fn a_target_without_a_segment_counts_as_undefined() {
    let ratings = torn_ratings();
    let alone: Vec<Vec<u32>> = (0..30).map(|item| vec![item]).collect();
    let plan = Plan { attacks: vec![Attack::Segment, Attack::Average], ..plan(1) };
    let found = experiment(&ratings, Some(&alone), &plan, &Silent).unwrap();
    assert_eq!(found.left_out.len(), 4);
    let of = |attack| found.shifts.iter().filter(move |one| one.attack == attack);
    assert!(of(Attack::Segment).all(|one| one.pairs == 0 && one.undefined > 0 && one.shift.is_none()));
    assert!(of(Attack::Average).any(|one| one.shift.is_some()));
    let refused = |plan: &Plan| experiment(&ratings, None, plan, &Silent).unwrap_err().describe(false);
    assert!(refused(&plan).contains("--items"));
    assert!(refused(&Plan { attacks: Vec::new(), ..plan.clone() }).contains("attacks"));
    assert!(refused(&Plan { sizes: vec![1.5], attacks: vec![Attack::Ul], ..plan.clone() }).contains("sizes"));
    assert!(refused(&Plan { users: 0, attacks: vec![Attack::Ul], ..plan }).contains("users"));
}

/// Findings by hand: means over draws, the sign of nuking, and what was not tried.
#[test]
fn findings_are_read_off_the_shifts() {
    let mut plan = Plan { attacks: vec![Attack::Ul, Attack::Average], sizes: vec![0.03, 0.12], ..plan(2) };
    plan.recommenders = vec![recommenders::Params::usual(recommenders::Name::UserPearson)];
    let one = |attack, size, draw, shift| Shifted {
        recommender: 0,
        class: Class::Low,
        attack,
        size,
        draw,
        shift,
        hit_shift: None,
        pairs: 1,
        undefined: 0,
    };
    let shifts = vec![
        one(Attack::Ul, 0.03, 1, Some(1.0)),
        one(Attack::Ul, 0.03, 2, Some(2.0)),
        one(Attack::Ul, 0.12, 1, Some(3.0)),
        one(Attack::Average, 0.03, 1, Some(1.25)),
        one(Attack::Average, 0.03, 2, None),
        one(Attack::Average, 0.12, 1, Some(4.0)),
    ];
    let found = Experiment { shifts, targets: Vec::new(), left_out: Vec::new() };
    let first = |plan: &Plan| findings(plan, &found).remove(0);
    let compared = |size, upper, lower, holds| Compared { size, upper, lower, holds };
    assert_eq!(first(&plan).sizes, [compared(0.03, 1.5, 1.25, true), compared(0.12, 3.0, 4.0, false)]);
    assert_eq!(first(&plan).holds, Some(false));
    plan.direction = Direction::Nuke;
    assert_eq!(first(&plan).sizes[1], compared(0.12, -3.0, -4.0, true));
    let others = findings(&plan, &found);
    assert!(others[1..].iter().all(|finding| finding.holds.is_none() && finding.sizes.is_empty()));
    assert!(others.iter().all(|finding| (2..=5).contains(&finding.figure)));
}
