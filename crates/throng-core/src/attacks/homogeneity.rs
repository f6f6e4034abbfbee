//! Homogeneity: whoever has found a person's record believes what it says.
//!
//! Paper      Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam. l-diversity: privacy beyond k-anonymity. TKDD 1 (2007), for the attack; its score is
//!            ours.
//!
//! # Idea
//! 1. The attacker has found the target's record; which of its persons the target is does not matter.
//! 2. Each different line of it is a statement: "the target has a query that holds these words"; of baskets: "the target has this item, or one under
//!    it". With `--sensitive`, only those.
//! 3. What share of the statements is true? And of how many of all persons would they be true anyway?
//!
//! # Formula
//! hits = the sum over targets of the share of true statements; baseline = the mean over targets of the mean share of all persons of whom a statement
//! is true; control = the same as the rate, for persons who are not in the release, from the record that is nearest to them. parts: the shares of
//! statements that are true of all members of the record, of exactly one, of none.
//! Bound, for sensitive items alone: h of coherence, rho of rho-uncertainty, 1/p of privacy-degree.
//!
//! # Readings
//! Ours: who was left out of the release is an attempt without a hit; a record that says nothing (no words, nothing sensitive) is no attempt, and
//! `parts.silent` counts its targets. Lines without a word say nothing.
//! Where the model is about sensitive items, records differ from person to person, and whoever had found the very record would read the sensitive
//! items in it. What is promised is about somebody who knows the other items: so the record is found by those, and is that of all persons who
//! hold them; at most p of them, drawn once for each target, where coherence says p. Where sensitive items are published by group, it is the group.
//! The nearest record of a basket is the one with the greatest sum as for `known-items`, of all items; ties go to the lower number.
//!
//! # Cost
//! For each different statement of the targets' records the persons who have it: of words by the rarest of them.
//!
//! # Does not
//! count what follows from a record beyond its own words.

use hashbrown::HashMap;
use rayon::prelude::*;

use super::candidates::{Candidates, Scores, Union};
use super::known_items::{BasketIndex, different_items};
use super::nearest::KnownMixes as _;
use super::profile_linkage::{self, Profiles};
use super::query_index::different_records;
use super::statements::{Crowds, Found, Guess, Owners, Sayers, Score, words_of};
use super::{Asked, Attack, AttackInfo, Outcome, Released, Scene, Setting};
use crate::data::queries::MISSING;
use crate::data::{Baskets, Interner, QueryLog};
use crate::error::Result;
use crate::info::{Info, Need};
use crate::models::{coherence, privacy_degree, rho_uncertainty};

/// The card of the attack.
pub const INFO: AttackInfo = AttackInfo {
    info: Info {
        name: "homogeneity",
        summary: "somebody who found a person's record believes every line of it",
        paper: "Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam. l-diversity: privacy beyond k-anonymity. TKDD 1 (2007); the score is ours",
        details: "Each different line of the target's record is a statement: the target has a query that holds these words (of baskets: has this item, \
            or one under it). With --sensitive only those. hits adds up the shares of true statements; baseline is the mean share of all persons \
            of whom they are true anyway; control, where there are persons who are not in the release, is the same for them, from the record that is \
            nearest to them.\n\
            parts: the shares of statements that are true of all members of the record, of exactly one and of none; parts.silent counts targets \
            whose record says nothing.\n\
            Sensitive items alone have a bound: h of coherence, rho of rho-uncertainty, 1/p of privacy-degree. There the record is found by its other \
            items, at most p where coherence says so. k-anonymity promises nothing: what all members of a group have is known of each. Needs the \
            link between persons (--key, or kept ids).",
        parameters: &[],
    },
    who: ["found the record, and believes what it says", "found the record, and believes what it says"],
    needs: &[Need::Link],
    in_reports: true,
    no_promise: "k-anonymity promises nothing against what all members of a group have in common",
    ..AttackInfo::DEFAULT
};

/// The attack.
#[derive(Debug, Clone, Copy)]
pub struct Homogeneity;

impl Attack<QueryLog> for Homogeneity {
    fn info(&self) -> &'static AttackInfo {
        &INFO
    }

    fn attack(&self, scene: &Scene<'_, QueryLog>, asked: &Asked) -> Result<Vec<Outcome>> {
        let knowing = scene.having_found(|truth| {
            let others = truth.control.map(|control| asked.targets_of(control.persons())).unwrap_or_default();
            let profiles = truth.control.map(|control| Profiles::of(control, others.clone()));
            Ok((Found::all(truth, asked), others, profiles))
        })?;
        let looking = knowing.looking(|released, (_, _, profiles)| {
            let nearest = profiles.as_ref().map(|profiles| profile_linkage::index(released, profiles)).transpose()?;
            let (first, record_of, _) = different_records(released.data, released.multiplicity);
            Ok((released.data, Places { first, of: record_of }, nearest))
        })?;
        looking.once(
            |(release, places, nearest), (found, others, profiles)| {
                let sensitive: Vec<Vec<String>> = asked.sensitive.iter().map(|line| words_of(line)).collect();
                let is_said = |query: &u32| {
                    let words = words_of(release.queries().get(*query));
                    let holds = |of: &Vec<String>| of.iter().all(|word| words.binary_search(word).is_ok());
                    !words.is_empty() && (sensitive.is_empty() || sensitive.iter().any(holds))
                };
                let said_in = |place: u32| {
                    let mut said = release.query_ids(release.range(places.first[place as usize])).to_vec();
                    said.sort_unstable();
                    said.dedup();
                    said.retain(is_said);
                    said
                };
                let mut crowds = Crowds::default();
                let mut crowd = |place: u32| crowds.add(vec![place], |_| said_in(place));
                let crowd_of = found.iter().map(|found| places.of(found.record?).map(&mut crowd)).collect();
                let led = nearest.as_ref().zip(profiles.as_ref()).map(|(nearest, profiles)| {
                    let led = |other: usize| first(&nearest.candidates(profiles.mixes(other)));
                    let places: Vec<Option<u32>> = (0..others.len()).into_par_iter().map(led).collect();
                    places.into_iter().map(|place| place.map(&mut crowd)).collect()
                });
                Ok(Guess { crowds, crowd_of, led })
            },
            |truth, (release, places, _), (found, others, _), mut guess| {
                guess.crowds.fill(truth, |record| places.of(record));
                let own = Sayers::new(truth.original);
                let control = truth.control.map(Sayers::new);
                let text = |statement: u32| release.queries().get(statement);
                let of_others =
                    |statement| control.as_ref().map(|sayers| sayers.of(text(statement))).unwrap_or_default();
                let score = Score::of(
                    &guess,
                    found,
                    others,
                    truth.original.persons(),
                    |statement| own.of(text(statement)),
                    of_others,
                );
                vec![score.outcome(&INFO, None, !asked.sensitive.is_empty())]
            },
        )
    }
}

impl Attack<Baskets> for Homogeneity {
    fn info(&self) -> &'static AttackInfo {
        &INFO
    }

    fn attack(&self, scene: &Scene<'_, Baskets>, asked: &Asked) -> Result<Vec<Outcome>> {
        let knowing = scene.having_found(|truth| {
            let others = truth.control.map(|control| asked.targets_of(control.persons())).unwrap_or_default();
            // By name: data of others have their own numbers.
            let items = |control: &Baskets| {
                let named = |&other: &u32| {
                    let items = different_items(control.basket(other as usize));
                    items.into_iter().map(|item| control.label(item).to_owned()).collect()
                };
                others.iter().map(named).collect()
            };
            let items: Option<Vec<Vec<String>>> = truth.control.map(items);
            Ok((Found::all(truth, asked), others, items))
        })?;
        let looking = knowing.looking(|released, (_, _, items)| {
            let nearest = items.as_ref().map(|_| BasketIndex::new(released));
            Ok((released.data, Places::of_baskets(released), nearest))
        })?;
        looking.once(
            |(release, places, nearest), (found, others, items)| {
                let power = asked.promised(coherence::INFO.name, "p").map(|p| p as usize);
                let mut crowds = Crowds::default();
                let mut crowd =
                    |place: u32, person: u32| add(&mut crowds, release, places, place, person, power, asked);
                let crowd_of = found.iter().map(|found| Some(crowd(places.of(found.record?)?, found.person))).collect();
                let led = nearest.as_ref().zip(items.as_ref()).map(|(index, items)| {
                    let labels = Interner::from(release.labels());
                    let known = |items: &Vec<String>| items.iter().filter_map(|item| labels.find(item)).collect();
                    let items: Vec<Vec<u32>> = items.iter().map(known).collect();
                    let led = nearest_baskets(index, places, &items);
                    led.into_iter().zip(others).map(|(place, &other)| place.map(|place| crowd(place, other))).collect()
                });
                Ok(Guess { crowds, crowd_of, led })
            },
            |truth, (release, places, _), (found, others, _), mut guess| {
                guess.crowds.fill(truth, |record| places.of(record));
                let own = Owners::new(truth.original);
                let control = truth.control.map(Owners::new);
                let label = |item: u32| release.label(item);
                let of_others = |item| control.as_ref().map(|owners| owners.of(label(item))).unwrap_or_default();
                let score =
                    Score::of(&guess, found, others, truth.original.persons(), |item| own.of(label(item)), of_others);
                let is_sensitive = is_about_sensitive(release);
                vec![score.outcome(&INFO, bound(asked).filter(|_| is_sensitive), is_sensitive)]
            },
        )
    }
}

/// What the claims promise of sensitive items.
fn bound(asked: &Asked) -> Option<f64> {
    asked
        .promised(coherence::INFO.name, "h")
        .or_else(|| asked.promised(rho_uncertainty::INFO.name, "rho"))
        .or_else(|| asked.promised(privacy_degree::INFO.name, "p").map(|p| 1.0 / p))
}

/// Whether some items are sensitive, and statements are about those alone.
fn is_about_sensitive(release: &Baskets) -> bool {
    !release.sensitive().is_empty() || release.grouping().is_some()
}

/// Where persons of a release are: who is in the same place looks the same. A place is a different record, or a published group.
struct Places {
    /// The first record of each place.
    first: Vec<usize>,
    /// The place of each record.
    of: Vec<u32>,
}

impl Places {
    fn of(&self, record: u32) -> Option<u32> {
        self.of.get(record as usize).copied().filter(|&place| place != MISSING)
    }

    fn of_baskets(released: Released<'_, Baskets>) -> Self {
        let mut numbers: HashMap<(Option<u32>, &[u32]), u32, foldhash::fast::FixedState> = HashMap::default();
        let (mut first, mut of) = (Vec::new(), Vec::new());
        for (record, &persons) in released.multiplicity.iter().enumerate() {
            let key = match released.data.grouping() {
                Some(grouping) => (Some(grouping.group_of[record]), &[][..]),
                None => (None, released.data.basket(record)),
            };
            let place = (persons > 0).then(|| {
                *numbers.entry(key).or_insert_with(|| {
                    first.push(record);
                    first.len() as u32 - 1
                })
            });
            of.push(place.unwrap_or(MISSING));
        }
        Self { first, of }
    }
}

/// The crowd in which a basket is found: its group, if groups are published; its own like, if no item is sensitive; else all baskets that hold its
/// other items, as far as the attacker knows them.
fn add(
    crowds: &mut Crowds,
    release: &Baskets,
    places: &Places,
    place: u32,
    person: u32,
    power: Option<usize>,
    asked: &Asked,
) -> usize {
    let basket = |place: u32| release.basket(places.first[place as usize]);
    if let Some(grouping) = release.grouping() {
        let group = grouping.group_of[places.first[place as usize]];
        return crowds.add(vec![place], |_| grouping.sensitive[group as usize].iter().map(|&(item, _)| item).collect());
    }
    if release.sensitive().is_empty() {
        return crowds.add(vec![place], |_| different_items(basket(place)));
    }
    let mut open = different_items(basket(place));
    open.retain(|&item| !release.is_sensitive(item));
    if let Some(power) = power {
        let chosen = asked.rng(person, Setting::plain(power)).sample(open.len(), power);
        open = chosen.into_iter().map(|at| open[at as usize]).collect();
    }
    let holds = |place: &u32| open.iter().all(|item| basket(*place).binary_search(item).is_ok());
    let like = (0..places.first.len() as u32).filter(holds).collect();
    crowds.add(like, |like| {
        let items = like.iter().flat_map(|&place| basket(place)).copied();
        let mut said: Vec<u32> = items.filter(|&item| release.is_sensitive(item)).collect();
        said.sort_unstable();
        said.dedup();
        said
    })
}

/// For each of some persons, of whom these items are known, the place of the basket that they lead to.
fn nearest_baskets(index: &BasketIndex<'_>, places: &Places, items: &[Vec<u32>]) -> Vec<Option<u32>> {
    let mut place_of = vec![None; index.multiplicity.len()];
    for (released, &place) in places.of.iter().enumerate().rev() {
        if let Some(record) = index.record(released as u32) {
            place_of[record as usize] = Some(place);
        }
    }
    let mut union = Union::new(index.multiplicity.len());
    let mut scores = Scores::new(index.multiplicity.len(), index.persons);
    let mut nearest = |items: &Vec<u32>| {
        for &item in items {
            let matched = index.matched(item, &mut union);
            scores.add(&matched.records, matched.persons);
        }
        first(&scores.best(&index.multiplicity)).and_then(|record| place_of[record as usize])
    };
    items.iter().map(&mut nearest).collect()
}

/// The lowest of those that were singled out.
fn first(candidates: &Candidates) -> Option<u32> {
    match candidates {
        Candidates::Everybody => None,
        Candidates::Left(records) | Candidates::Singled(records) => records.records.iter().copied().min(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;
    use serde_json::json;

    use super::super::Promise;
    use super::super::testing::asked;
    use super::*;
    use crate::data::baskets::Grouping;
    use crate::data::baskets::tests::baskets;
    use crate::measures::testing::log;
    use crate::progress::Silent;

    fn claim(model: &str, parameter: &str, value: f64) -> Vec<Promise> {
        let parameters = [(parameter.to_owned(), json!(value))].into_iter().collect();
        vec![Promise { model: model.to_owned(), parameters }]
    }

    fn of_log(
        original: &[&[&str]],
        release: &[&[&str]],
        link: &[Option<u32>],
        others: Option<&[&[&str]]>,
        asked: &Asked,
    ) -> Outcome {
        let [original, release] = [original, release].map(log);
        let others = others.map(log);
        let multiplicity = vec![1; release.persons()];
        let scene = Scene::new(&original, &release, &multiplicity, Some(link), &Silent).with_control(others.as_ref());
        assert!(scene.lacks(&INFO).is_none());
        Attack::<QueryLog>::attack(&Homogeneity, &scene, asked).unwrap().remove(0)
    }

    #[test]
    fn searches_by_hand() {
        let record: &[&str] = &["car", "blue", "Tea"];
        let found = of_log(
            &[&["red car", "tea"], &["car", "green tea"], &["dog"], &["car"]],
            // The first two have the same record, though they are two in the file; the third was left out.
            &[record, record, &["dog", "--"]],
            &[Some(0), Some(1), None, Some(2)],
            None,
            &asked(),
        );
        // car and tea are true of the first two, blue is not: 2/3 each. The fourth has no dog.
        assert_eq!(found.attempts, 4);
        assert!((found.hits - 4.0 / 3.0).abs() < 1e-12, "{}", found.hits);
        // car of 3 in 4, tea of 2, blue of nobody; dog of 1: (2 (3/4 + 2/4 + 0)/3 + 1/4) / 3.
        assert!((found.baseline.unwrap() - (2.0 * 1.25 / 3.0 + 0.25) / 3.0).abs() < 1e-12, "{:?}", found.baseline);
        assert_eq!(found.parts, json!({"all": 0.5, "one": 0.0, "none": 0.5, "statements": 4, "silent": 0}));
        assert_eq!((found.bound, found.control, found.found), (None, None, None));
    }

    #[test]
    fn who_was_not_there_is_led_to_the_nearest() {
        let found = of_log(
            &[&["red car"], &["old dog"]],
            &[&["red car"], &["dog"]],
            &[Some(0), Some(1)],
            Some(&[&["blue car"], &["dog"], &["x"]]),
            &asked(),
        );
        // The first is led to "red car", which is not true of them; the second to "dog", which is; the third to nobody.
        assert_eq!((found.rate, found.control, found.residual), (Some(1.0), Some(0.5), Some(1.0)));
    }

    #[test]
    fn sensitive_searches_alone() {
        let asked = Asked { sensitive: vec!["Tea".to_owned(), "old dog".to_owned()], ..asked() };
        let found =
            of_log(&[&["green tea"], &["dog"]], &[&["tea", "car"], &["dog", "car"]], &[Some(0), Some(1)], None, &asked);
        assert_eq!((found.attempts, found.hits, &found.parts["silent"]), (1, 1.0, &json!(1)));
        assert_eq!(found.knowledge, json!({"record": true, "sensitive": true}));
    }

    fn of_baskets(original: &Baskets, release: &Baskets, link: &[Option<u32>], asked: &Asked) -> Outcome {
        let multiplicity = vec![1; release.persons()];
        let scene = Scene::new(original, release, &multiplicity, Some(link), &Silent);
        Attack::<Baskets>::attack(&Homogeneity, &scene, asked).unwrap().remove(0)
    }

    #[test]
    fn general_items_are_true_of_what_is_under_them() {
        let food = Arc::new(crate::taxonomy::tests::food());
        let original = baskets(&food, &["Apple Milk", "Orange", "Beef"]);
        let release = baskets(&food, &["Fruit Milk", "Fruit Milk", "Beef"]);
        let found = of_baskets(&original, &release, &[Some(0), Some(1), Some(2)], &asked());
        assert_eq!((found.attempts, found.hits), (3, 2.5));
        // Fruit 2/3, milk 1/3; beef 1/3.
        assert!((found.baseline.unwrap() - (0.5 + 0.5 + 1.0 / 3.0) / 3.0).abs() < 1e-12);
        assert_eq!(found.parts, json!({"all": 2.0 / 3.0, "one": 2.0 / 3.0, "none": 0.0, "statements": 3, "silent": 0}));
        let promised = Asked { promises: claim("coherence", "h", 0.5), ..asked() };
        assert_eq!(of_baskets(&original, &release, &[Some(0), Some(1), Some(2)], &promised).bound, None);
    }

    /// Two of four with milk and bread have the sensitive beef; who knows milk alone is right in two of four.
    #[test]
    fn sensitive_items_are_found_by_the_others() {
        let food = Arc::new(crate::taxonomy::tests::food());
        let beef = food.find("Beef").unwrap();
        let rows = ["Milk Beef", "Milk Beef", "Milk Apple", "Milk Orange"];
        let data = baskets(&food, &rows).with_sensitive(vec![beef]);
        let link = [Some(0), Some(1), Some(2), Some(3)];
        let asked = Asked { promises: claim("rho-uncertainty", "rho", 0.6), ..asked() };
        let found = of_baskets(&data, &data, &link, &asked);
        // The first two are found by milk: all four, of whom beef is said. The others are found by what they alone have: nothing is said of them.
        assert_eq!((found.attempts, found.hits, found.bound), (2, 2.0, Some(0.6)));
        assert_eq!(found.parts, json!({"all": 0.0, "one": 0.0, "none": 0.0, "statements": 1, "silent": 2}));
    }

    #[test]
    fn sensitive_items_of_a_group_are_those_of_all_its_members() {
        let food = Arc::new(crate::taxonomy::tests::food());
        let beef = food.find("Beef").unwrap();
        let original = baskets(&food, &["Milk Beef", "Milk", "Apple", "Apple"]).with_sensitive(vec![beef]);
        let release = baskets(&food, &["Milk", "Milk", "Apple", "Apple"])
            .with_grouping(Grouping { group_of: vec![0, 0, 1, 1], sensitive: vec![vec![(beef, 1)], Vec::new()] });
        let asked = Asked { promises: claim("privacy-degree", "p", 2.0), ..asked() };
        let found = of_baskets(&original, &release, &[Some(0), Some(1), Some(2), Some(3)], &asked);
        assert_eq!((found.attempts, found.rate, found.bound, found.verdict), (2, Some(0.5), Some(0.5), "below"));
        assert_eq!((&found.parts["one"], &found.parts["silent"]), (&json!(1.0), &json!(2)));
    }

    proptest! {
        /// Every line of the record is held against every line of the person.
        #[test]
        fn equals_reading_every_line(
            original in prop::collection::vec(prop::collection::vec("[a-d]( [a-d]){0,2}", 1..4), 1..6),
            release in prop::collection::vec(prop::collection::vec("[a-e]( [a-e])?", 1..4), 1..4),
            link in prop::collection::vec(prop::option::of(0u32..9), 6),
        ) {
            let link: Vec<Option<u32>> = link[..original.len()].iter().map(|at| at.map(|at| at % release.len() as u32)).collect();
            let set = |text: &str| words_of(text).into_iter().collect::<std::collections::BTreeSet<_>>();
            let is_true = |line: &str, person: &[String]| person.iter().any(|query| set(line).is_subset(&set(query)));
            let (mut hits, mut shares) = (0.0, Vec::new());
            for (person, record) in original.iter().zip(&link) {
                let Some(record) = record else { continue };
                let lines: std::collections::BTreeSet<&String> = release[*record as usize].iter().collect();
                hits += lines.iter().filter(|line| is_true(line, person)).count() as f64 / lines.len() as f64;
                let all = |line: &&String| original.iter().filter(|person| is_true(line, person)).count() as f64 / original.len() as f64;
                shares.push(lines.iter().map(all).sum::<f64>() / lines.len() as f64);
            }
            fn rows(rows: &[Vec<String>]) -> Vec<Vec<&str>> {
                rows.iter().map(|row| row.iter().map(String::as_str).collect()).collect()
            }
            let (original, release) = (rows(&original), rows(&release));
            let before: Vec<&[&str]> = original.iter().map(Vec::as_slice).collect();
            let after: Vec<&[&str]> = release.iter().map(Vec::as_slice).collect();
            let found = of_log(&before, &after, &link, None, &asked());
            prop_assert_eq!(found.attempts, original.len() as u64);
            prop_assert!((found.hits - hits).abs() < 1e-9, "{} {hits}", found.hits);
            let baseline = (!shares.is_empty()).then(|| shares.iter().sum::<f64>() / shares.len() as f64);
            prop_assert!((found.baseline.unwrap_or(-1.0) - baseline.unwrap_or(-1.0)).abs() < 1e-9);
        }
    }
}
