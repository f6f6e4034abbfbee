//! Membership: was this person among those whom the release was made from?
//!
//! Paper      Ours, after Shokri, Stronati, Song, Shmatikov. Membership inference attacks against machine learning models. S&P 2017; the threshold
//!            at 5 % false alarms is that of Carlini et al. Membership inference attacks from first principles. S&P 2022.
//!
//! # Idea
//! 1. The attacker knows everything that a person searched, or all that is in their basket, and asks how much of it one record covers.
//! 2. People who were not there are covered, too, by chance. Half of them, drawn, say how much of that is usual: the threshold is what 5 % of them
//!    exceed.
//! 3. Whoever exceeds it is taken for a member. The other half of those who were not there is the control.
//!
//! # Formula
//! The statistic of a person is the greatest, over records, of the sum of w over the strings that the record covers, over the sum of w of all their
//! different strings; w = ln((N + 1)/(c + 1/2)) for a string that the records of c of N persons cover. A record covers a query if one of its lines has a
//! word and all its words are words of the query; an item, if it holds the item or a node above it.
//! rate: the share of members above the threshold; control: the same share of the other half; parts.auc: how often a member, drawn, has a greater
//! statistic than somebody who was not there, drawn; equal ones count one half.
//!
//! # Readings
//! Ours: the threshold is the greatest statistic that more than 5 % of the half do not exceed: of m in falling order the one at place ⌊m/20⌋, from 0.
//! Members are persons of the original; who has nothing has the statistic 0. At most as many are taken of both as targets are asked for.
//!
//! # Cost
//! That of the index, and for each person their strings with the records that cover them.
//!
//! # Does not
//! have a bound: no model of ours promises that nobody can tell who took part. Differential privacy would.

use serde_json::json;

use super::candidates::{Matched, Union};
use super::known_items::{BasketIndex, different_items};
use super::query_index::{QueryIndex, Searcher};
use super::{Asked, Attack, AttackInfo, Outcome, Scene, With};
use crate::data::{Baskets, Dataset, Interner, QueryLog, Strings};
use crate::error::{Error, Result};
use crate::info::{Info, Need};
use crate::rng::Rng;

/// The card of the attack.
pub const INFO: AttackInfo = AttackInfo {
    info: Info {
        name: "membership",
        summary: "somebody knows all that a person has, and asks whether they were among those whom the release was made from",
        paper: "ours, after Shokri, Stronati, Song, Shmatikov. Membership inference attacks against machine learning models. S&P 2017",
        details: "Needs people who were not in the original: `protect --held-out-persons 0.1` keeps some out and lists them in the key with an empty \
            pseudonym, or --control FILE has other people's data.\n\
            The attacker asks how much of what a person has one record covers, what few records cover weighing more. The threshold is what 5 % of one \
            half of the others, drawn, exceed; rate is the share of members above it, control that of the other half. parts.auc: how often a member \
            has a greater value than somebody who was not there; 0.5 is blind guessing. parts.threshold: that value.\n\
            Baseline: 0.05, the share of those taken for members whoever they are. No bound: no model of throng promises that nobody can tell who \
            took part; differential privacy would.",
        parameters: &[],
    },
    who: [
        "knows all that a person has, and asks whether they took part",
        "knows all that a person has, and asks whether they took part",
    ],
    needs: &[Need::Control],
    no_promise: "no model of throng promises that nobody can tell who took part",
    ..AttackInfo::DEFAULT
};

/// The share of those who were not there that may exceed the threshold.
const FALSE_ALARMS: f64 = 0.05;

/// The attack.
#[derive(Debug, Clone, Copy)]
pub struct Membership;

/// What is known of members, and of others.
struct Knowledge {
    strings: Strings,
    /// The members who are asked about, with their strings; then the others.
    persons: Vec<Vec<u32>>,
    members: Vec<u32>,
    others: usize,
}

impl Attack<QueryLog> for Membership {
    fn info(&self) -> &'static AttackInfo {
        &INFO
    }

    fn attack(&self, scene: &Scene<'_, QueryLog>, asked: &Asked) -> Result<Vec<Outcome>> {
        let knowing = scene.knowing(|source| {
            let mut strings = Interner::new();
            let of = |log: &QueryLog, person: u32| {
                let own = log.query_ids(log.range(person as usize)).iter();
                own.map(|&query| strings.intern(log.queries().get(query))).collect()
            };
            let mut knowledge = drawn(source.original, source.control, asked, of)?;
            knowledge.strings = strings.into_strings();
            Ok(knowledge)
        })?;
        let looking =
            knowing.looking(|released, known| Ok(QueryIndex::new(released, &known.strings, With::default())))?;
        looking.all(
            |known| known.persons.len(),
            |index, known, person, say| {
                let mut searcher = Searcher::new(index, &known.strings);
                let covering = |string: u32| searcher.covering(string);
                say(statistic(&known.persons[person], index.records(), index.persons(), covering));
            },
            |truth, _, known, person, value| {
                judged(truth.link.is_some(), known, person, value, |at| truth.record_of(at))
            },
            |_, known, values| outcome(known, values),
        )
    }
}

impl Attack<Baskets> for Membership {
    fn info(&self) -> &'static AttackInfo {
        &INFO
    }

    fn attack(&self, scene: &Scene<'_, Baskets>, asked: &Asked) -> Result<Vec<Outcome>> {
        let knowing = scene.knowing(|source| {
            let mut labels = Interner::new();
            let of = |baskets: &Baskets, person: u32| {
                let own = different_items(baskets.basket(person as usize));
                own.into_iter().map(|item| labels.intern(baskets.label(item))).collect()
            };
            let mut knowledge = drawn(source.original, source.control, asked, of)?;
            knowledge.strings = labels.into_strings();
            Ok(knowledge)
        })?;
        let looking = knowing.looking(|released, known| {
            let items = known.strings.ids_in(released.data.labels());
            Ok((BasketIndex::new(released), items))
        })?;
        looking.all(
            |known| known.persons.len(),
            |(index, items), known, person, say| {
                let mut union = Union::new(index.multiplicity.len());
                let mut covering = |string: u32| match items[string as usize] {
                    Some(item) => index.matched(item, &mut union),
                    None => Matched::default(),
                };
                let covering = |string: u32| std::sync::Arc::new(covering(string));
                say(statistic(&known.persons[person], index.multiplicity.len(), index.persons, covering));
            },
            |truth, _, known, person, value| {
                judged(truth.link.is_some(), known, person, value, |at| truth.record_of(at))
            },
            |_, known, values| outcome(known, values),
        )
    }
}

/// Draws members and others, and what each has.
fn drawn<D: Dataset>(
    original: &D,
    control: Option<&D>,
    asked: &Asked,
    mut of: impl FnMut(&D, u32) -> Vec<u32>,
) -> Result<Knowledge> {
    let control = control.ok_or_else(|| Error::refused(Need::Control.reason()))?;
    if control.persons() < 2 {
        return Err(Error::refused(
            "one person who is not in the release is too few: one half sets the threshold, the other is the control",
        ));
    }
    let members = asked.targets_of(original.persons());
    let mut others = asked.targets_of(control.persons());
    // The first half of them sets the threshold.
    Rng::seeded_stream(asked.seed, 1).shuffle(&mut others);
    let mut persons: Vec<Vec<u32>> = members.iter().map(|&person| of(original, person)).collect();
    persons.extend(others.iter().map(|&person| of(control, person)));
    for strings in &mut persons {
        strings.sort_unstable();
        strings.dedup();
    }
    Ok(Knowledge { strings: Strings::new(), persons, members, others: others.len() })
}

/// The greatest share of a person's strings that one record covers, each as heavy as it is rare.
fn statistic(
    strings: &[u32],
    records: usize,
    persons: u64,
    mut covering: impl FnMut(u32) -> std::sync::Arc<Matched>,
) -> f64 {
    let mut covered = vec![0.0; records];
    let mut all = 0.0;
    for &string in strings {
        let matched = covering(string);
        let weight = ((persons as f64 + 1.0) / (matched.persons as f64 + 0.5)).ln();
        all += weight;
        matched.records.iter().for_each(|&record| covered[record as usize] += weight);
    }
    if all > 0.0 { covered.into_iter().fold(0.0, f64::max) / all } else { 0.0 }
}

/// The statistic of a person; below all others for a member whom the release has left out: who is not in it is no hit.
fn judged(
    is_linked: bool,
    known: &Knowledge,
    person: usize,
    value: f64,
    record_of: impl Fn(u32) -> Option<u32>,
) -> f64 {
    match known.members.get(person) {
        Some(&member) if is_linked && record_of(member).is_none() => -1.0,
        _ => value,
    }
}

/// The threshold, and who exceeds it.
fn outcome(known: &Knowledge, values: &[Vec<f64>]) -> Vec<Outcome> {
    let values: Vec<f64> = values.iter().flatten().copied().collect();
    let (members, others) = values.split_at(known.members.len());
    debug_assert_eq!(others.len(), known.others);
    let (first, second) = others.split_at(others.len() / 2);
    let threshold = threshold(first);
    let above = |values: &[f64]| values.iter().filter(|&&value| value > threshold).count() as f64;
    let control = above(second) / second.len() as f64;
    vec![
        Outcome::new(&INFO, members.len() as u64, above(members))
            .with_baseline(Some(FALSE_ALARMS))
            .with_control(Some(control))
            .with_knowledge(json!({"all": true}))
            .with_parts(json!({"auc": auc(members, others), "threshold": threshold, "others": others.len()})),
    ]
}

/// The value that 5 % exceed, at most.
fn threshold(values: &[f64]) -> f64 {
    let mut falling = values.to_vec();
    falling.sort_by(|left, right| right.total_cmp(left));
    falling[(falling.len() as f64 * FALSE_ALARMS) as usize]
}

/// How often one of the first, drawn, is greater than one of the second, drawn; equal ones count one half.
fn auc(first: &[f64], second: &[f64]) -> Option<f64> {
    let mut sorted = second.to_vec();
    sorted.sort_by(f64::total_cmp);
    let below = |value: &f64| {
        let less = sorted.partition_point(|other| other < value);
        let not_more = sorted.partition_point(|other| other <= value);
        (less + not_more) as f64 / 2.0
    };
    let pairs = first.len() * second.len();
    (pairs > 0).then(|| first.iter().map(below).sum::<f64>() / pairs as f64)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::super::testing::asked;
    use super::*;
    use crate::data::baskets::tests::baskets;
    use crate::measures::testing::log;
    use crate::progress::Silent;
    use crate::text::lower_words;

    #[test]
    fn by_hand() {
        let original = log(&[&["red car", "blue sky"], &["red car", "green tea"]]);
        // Two persons share "car", one has "blue sky".
        let release = log(&[&["car", "blue sky"], &["car"]]);
        let others = log(&[&["yellow"], &["red car", "dog"], &["old dog"], &["green tea", "cat"]]);
        let scene =
            Scene::new(&original, &release, &[1, 1], Some(&[Some(0), Some(1)]), &Silent).with_control(Some(&others));
        assert!(scene.lacks(&INFO).is_none());
        let found = Attack::<QueryLog>::attack(&Membership, &scene, &asked()).unwrap().remove(0);
        // N = 2. "red car" is covered by both: ln(3/2.5); "blue sky" by one: ln(3/1.5); what nobody covers: ln(3/0.5).
        // The first has all of theirs: 1. The second ln 1.2 / (ln 1.2 + ln 6) = 0.0924, as has the other with "red car"; the rest 0.
        let second = 1.2f64.ln() / (1.2f64.ln() + 6f64.ln());
        let threshold = found.parts["threshold"].as_f64().unwrap();
        assert!(threshold == 0.0 || (threshold - second).abs() < 1e-12, "{threshold}");
        // Above 0 are both members, above that value one.
        assert_eq!(found.hits, if threshold == 0.0 { 2.0 } else { 1.0 });
        // 4 pairs of the first are won; of the second 3 are, and one is even.
        assert_eq!(found.parts["auc"], json!(7.5 / 8.0));
        assert_eq!((found.attempts, found.bound, found.verdict), (2, None, "none"));
        assert!(found.control.is_some() && found.residual.is_some());
    }

    #[test]
    fn baskets_by_hand() {
        let food = Arc::new(crate::taxonomy::tests::food());
        let original = baskets(&food, &["Apple Milk", "Beef"]);
        let release = baskets(&food, &["Fruit Milk", "Fruit Milk"]);
        let others = baskets(&food, &["Orange", "Chicken"]);
        let scene =
            Scene::new(&original, &release, &[1, 1], Some(&[Some(0), None]), &Silent).with_control(Some(&others));
        let found = Attack::<Baskets>::attack(&Membership, &scene, &asked()).unwrap().remove(0);
        // An apple is covered by fruit, and so is an orange; who was left out is no hit.
        assert_eq!((found.attempts, found.parts["auc"].as_f64()), (2, Some((1.0 + 0.5) / 4.0)));
    }

    #[test]
    fn nobody_to_compare_with_is_refused() {
        let one = log(&[&["red"]]);
        let scene = Scene::new(&one, &one, &[1], Some(&[Some(0)]), &Silent);
        assert_eq!(scene.lacks(&INFO), Some(Need::Control));
        let error = Attack::<QueryLog>::attack(&Membership, &scene.with_control(Some(&one)), &asked()).unwrap_err();
        assert!(error.to_string().contains("too few"), "{error}");
    }

    #[test]
    fn five_per_cent_exceed_the_threshold() {
        let values: Vec<f64> = (0..100).map(f64::from).collect();
        assert_eq!(threshold(&values), 94.0);
        assert_eq!((threshold(&[3.0, 1.0]), threshold(&[7.0])), (3.0, 7.0));
    }

    /// Word by word, line by line, as it is written above.
    fn slow(own: &[String], release: &[Vec<String>]) -> f64 {
        let set = |text: &str| lower_words(text).collect::<std::collections::BTreeSet<_>>();
        let covers = |record: &[String], string: &str| {
            record.iter().any(|line| !set(line).is_empty() && set(line).is_subset(&set(string)))
        };
        let different: std::collections::BTreeSet<&String> = own.iter().collect();
        let weight = |string: &str| {
            let c = release.iter().filter(|record| covers(record, string)).count() as f64;
            ((release.len() as f64 + 1.0) / (c + 0.5)).ln()
        };
        let all: f64 = different.iter().map(|string| weight(string)).sum();
        let share = |record: &Vec<String>| {
            different.iter().filter(|string| covers(record, string)).map(|string| weight(string)).sum::<f64>() / all
        };
        release.iter().map(share).fold(0.0, f64::max)
    }

    proptest! {
        #[test]
        fn equals_looking_at_every_line(
            own in prop::collection::vec("[a-d]( [a-d]){0,2}", 1..5),
            release in prop::collection::vec(prop::collection::vec("[a-e]( [a-e])?", 1..4), 1..5),
        ) {
            let rows = |rows: &[Vec<String>]| {
                let rows: Vec<Vec<&str>> = rows.iter().map(|row| row.iter().map(String::as_str).collect()).collect();
                log(&rows.iter().map(Vec::as_slice).collect::<Vec<_>>())
            };
            let log = rows(&release);
            let mut strings = Interner::new();
            let mut numbers: Vec<u32> = own.iter().map(|string| strings.intern(string)).collect();
            numbers.sort_unstable();
            numbers.dedup();
            let strings = strings.into_strings();
            let multiplicity = vec![1; log.persons()];
            let released = super::super::Released { data: &log, multiplicity: &multiplicity, reference: None };
            let index = QueryIndex::new(released, &strings, With::default());
            let mut searcher = Searcher::new(&index, &strings);
            let found = statistic(&numbers, index.records(), index.persons(), |string| searcher.covering(string));
            prop_assert!((found - slow(&own, &release)).abs() < 1e-12, "{} {}", found, slow(&own, &release));
        }

        #[test]
        fn auc_equals_all_pairs(first in prop::collection::vec(0i32..5, 1..9), second in prop::collection::vec(0i32..5, 1..9)) {
            let [first, second] = [first, second].map(|values| values.into_iter().map(f64::from).collect::<Vec<_>>());
            let won = |left: &f64, right: &f64| if left > right { 1.0 } else if left == right { 0.5 } else { 0.0 };
            let slow: f64 = first.iter().flat_map(|left| second.iter().map(move |right| won(left, right))).sum();
            prop_assert!((auc(&first, &second).unwrap() - slow / (first.len() * second.len()) as f64).abs() < 1e-12);
        }
    }
}
