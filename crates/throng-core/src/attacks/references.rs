//! Slow and obvious references of attacks: every line looked at, every pair compared, every assignment tried.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use proptest::prelude::*;

use super::absence::Absence;
use super::co_occurrence::CoOccurrence;
use super::frequency::Frequency;
use super::profile_linkage::ProfileLinkage;
use super::testing::asked;
use super::tokens::tests::hashed;
use super::*;
use crate::data::Dataset;
use crate::data::baskets::tests::baskets;
use crate::measures::meanings::tests::{directory, meaning_of};
use crate::measures::testing::log;
use crate::progress::Silent;

/// Hits and found of persons who are among some candidates, or whom nothing leads to.
fn added_up(of_persons: impl Iterator<Item = (usize, Vec<usize>, bool)>) -> [f64; 2] {
    of_persons.fold([0.0; 2], |[hits, found], (person, candidates, is_singled)| {
        let is_among = candidates.contains(&person);
        let hit = if is_among { 1.0 / candidates.len() as f64 } else { 0.0 };
        [hits + hit, found + f64::from(is_among && is_singled)]
    })
}

/// What an attack achieves if person i of the original is record i of the release.
fn outcome<D: Dataset>(attack: &dyn Attack<D>, [original, release]: [&D; 2], asked: &Asked) -> Outcome {
    let link: Vec<Option<u32>> = (0..original.persons() as u32).map(Some).collect();
    let multiplicity = vec![1; release.persons()];
    let scene = Scene::new(original, release, &multiplicity, Some(&link), &Silent);
    attack.attack(&scene, asked).unwrap().remove(0)
}

fn is_near(left: f64, right: f64) -> bool {
    (left - right).abs() < 1e-9
}

const LEAVES: [&str; 4] = ["Apple", "Orange", "Milk", "Cheese"];
const NODES: [&str; 7] = ["Apple", "Orange", "Milk", "Cheese", "Fruit", "Dairy", "Food"];

proptest! {
    /// Everybody has one item, and all that are absent are known: nothing is left to draw.
    #[test]
    fn absence(persons in prop::collection::vec((0..LEAVES.len(), prop::collection::vec(0..NODES.len(), 0..4)), 1..9)) {
        let food = Arc::new(crate::taxonomy::tests::food());
        let own: Vec<&str> = persons.iter().map(|(leaf, _)| LEAVES[*leaf]).collect();
        let shown: Vec<BTreeSet<&str>> = persons.iter().map(|(_, nodes)| nodes.iter().map(|&at| NODES[at]).collect()).collect();
        let rows: Vec<String> = shown.iter().map(|items| items.iter().copied().collect::<Vec<_>>().join(" ")).collect();
        let original = baskets(&food, &own);
        let release = baskets(&food, &rows.iter().map(String::as_str).collect::<Vec<_>>());
        let found = outcome(&Absence, [&original, &release], &Asked { settings: vec![Setting::plain(9)], ..asked() });
        let by_hand = (0..own.len()).map(|person| {
            let absent: BTreeSet<&str> = own.iter().copied().filter(|item| *item != own[person]).collect();
            let above = |item: &&str| food.is_under(food.find(own[person]).unwrap(), food.find(item).unwrap());
            let left: Vec<usize> = (0..own.len()).filter(|&other| shown[other].is_disjoint(&absent)).collect();
            let matched: Vec<usize> = left.iter().copied().filter(|&other| shown[other].iter().any(&above)).collect();
            match (matched.is_empty(), left.is_empty()) {
                (false, _) => (person, matched, true),
                (true, false) => (person, left, false),
                (true, true) => (person, (0..own.len()).collect(), false),
            }
        });
        let [hits, share] = added_up(by_hand);
        prop_assert!(is_near(found.hits, hits), "{} {hits}", found.hits);
        prop_assert!(is_near(found.found.unwrap() * own.len() as f64, share));
    }
}

/// Searches that are one concept of the directory each, but for the last two.
const SEARCHES: [&str; 6] = ["Swimming", "Water Sports", "Europe", "Mediterranean", "xyzzy", "plugh xyzzy"];

/// The shares of some things.
fn shares(things: Vec<String>) -> BTreeMap<String, f64> {
    let all = things.len() as f64;
    things.into_iter().fold(BTreeMap::new(), |mut shares, thing| {
        *shares.entry(thing).or_default() += 1.0 / all;
        shares
    })
}

/// Jensen-Shannon divergence as it is written; 1 from nothing.
fn divergence(left: &BTreeMap<String, f64>, right: &BTreeMap<String, f64>) -> f64 {
    if left.is_empty() || right.is_empty() {
        return 1.0;
    }
    let things: BTreeSet<&String> = left.keys().chain(right.keys()).collect();
    let part = |share: f64, middle: f64| if share > 0.0 { share * (share / middle).log2() / 2.0 } else { 0.0 };
    let of = |thing: &String| {
        let [p, q] = [left, right].map(|shares| shares.get(thing).copied().unwrap_or(0.0));
        part(p, (p + q) / 2.0) + part(q, (p + q) / 2.0)
    };
    things.into_iter().map(of).sum()
}

proptest! {
    #[test]
    fn profile_linkage(
        persons in prop::collection::vec([prop::collection::vec(0..SEARCHES.len(), 1..6), prop::collection::vec(0..SEARCHES.len(), 1..6)], 1..7),
    ) {
        let searches = |half: usize| -> Vec<Vec<&str>> {
            persons.iter().map(|both| both[half].iter().map(|&at| SEARCHES[at]).collect()).collect()
        };
        let halves = [searches(0), searches(1)];
        let [before, after] = [0, 1].map(|half: usize| log(&halves[half].iter().map(Vec::as_slice).collect::<Vec<_>>()));
        let [original, release] = meaning_of(&directory(), before, after);
        let found = outcome(&ProfileLinkage, [&original, &release], &asked());
        let mixes = |searches: &Vec<&str>| {
            let words = searches.iter().flat_map(|search| search.split(' ')).map(str::to_lowercase).collect();
            let concepts = searches.iter().filter(|search| !search.contains("xyzzy")).map(|&search| search.to_owned()).collect();
            [shares(words), shares(concepts)]
        };
        let [known, records] = [0, 1].map(|half: usize| halves[half].iter().map(mixes).collect::<Vec<_>>());
        let by_hand = (0..persons.len()).map(|person| {
            let far: Vec<f64> = records
                .iter()
                .map(|record| (0..2).map(|sort| divergence(&known[person][sort], &record[sort])).sum())
                .collect();
            let least = far.iter().copied().fold(f64::MAX, f64::min);
            let nearest = (0..far.len()).filter(|&record| far[record] <= least + 1e-9).collect();
            (person, nearest, least < 2.0 - 1e-9)
        });
        let [hits, share] = added_up(by_hand);
        prop_assert!(is_near(found.hits, hits), "{} {hits}", found.hits);
        prop_assert!(is_near(found.found.unwrap() * persons.len() as f64, share));
    }
}

const WORDS: [&str; 3] = ["red", "car", "blue"];

/// All ways to give three words to three tokens.
const WAYS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/// The way that gains most; none if another gains as much.
fn best_way(gain: impl Fn(usize, usize) -> f64) -> Option<[usize; 3]> {
    let mut ways: Vec<(f64, [usize; 3])> =
        WAYS.iter().map(|way| ((0..3).map(|token| gain(token, way[token])).sum(), *way)).collect();
    ways.sort_by(|left, right| right.0.total_cmp(&left.0));
    (ways[0].0 - ways[1].0 > 1e-6).then_some(ways[0].1)
}

/// The share of lines that hold both of two words.
fn holding(lines: &[&str], one: usize, other: usize) -> f64 {
    let holds = |line: &str, word: usize| line.split(' ').any(|own| own == WORDS[word]);
    lines.iter().filter(|line| holds(line, one) && holds(line, other)).count() as f64 / lines.len() as f64
}

fn by_frequency(release: &[&str], reference: &[&str]) -> Option<[usize; 3]> {
    best_way(|token, word| {
        let (p, q) = (holding(release, token, token), holding(reference, word, word));
        release.len() as f64 * (p * (q + 1e-7).ln() + (1.0 - p) * (1.0 - q + 1e-7).ln())
    })
}

fn by_co_occurrence(release: &[&str], reference: &[&str]) -> Option<[usize; 3]> {
    let mut guess = by_frequency(release, reference)?;
    for _ in 0..25 {
        let next = best_way(|token, word| {
            let fit = |other: usize| {
                let column = if other == token { word } else { guess[other] };
                let together = holding(reference, word, column);
                holding(release, token, other) * (together + 1e-7).ln() - together
            };
            release.len() as f64 * (0..3).map(fit).sum::<f64>()
        })?;
        if next == guess {
            break;
        }
        guess = next;
    }
    Some(guess)
}

/// Lines of one to three words, and each word once, so that both logs have all of them.
fn searches() -> impl Strategy<Value = Vec<String>> {
    let line = prop::collection::vec(0..WORDS.len(), 1..4);
    let text = |line: Vec<usize>| line.into_iter().map(|at| WORDS[at]).collect::<Vec<_>>().join(" ");
    prop::collection::vec(line.prop_map(text), 0..12)
        .prop_map(|lines| lines.into_iter().chain(WORDS.map(str::to_owned)).collect())
}

proptest! {
    #[test]
    fn hashed_words(release in searches(), reference in searches()) {
        let [lines, others] = [&release, &reference].map(|lines| lines.iter().map(String::as_str).collect::<Vec<&str>>());
        let (original, hidden, known) = (log(&[lines.as_slice()]), hashed(&[lines.as_slice()], &WORDS), log(&[others.as_slice()]));
        let scene = Scene::new(&original, &hidden, &[1], Some(&[Some(0)]), &Silent).with_reference(Some(&known));
        let occurrences = |word: usize| lines.iter().flat_map(|line| line.split(' ')).filter(|own| *own == WORDS[word]).count();
        for (attack, guess) in [
            (&Frequency as &dyn Attack<_>, by_frequency(&lines, &others)),
            (&CoOccurrence, by_co_occurrence(&lines, &others)),
        ] {
            let found = attack.attack(&scene, &asked()).unwrap().remove(0);
            prop_assert_eq!(found.attempts as usize, (0..3).map(occurrences).sum::<usize>());
            // Where two ways are as good either may be taken.
            let Some(guess) = guess else { continue };
            let inverted: Vec<usize> = (0..3).filter(|&token| guess[token] == token).collect();
            prop_assert_eq!(found.hits as usize, inverted.iter().map(|&token| occurrences(token)).sum::<usize>(), "{}", found.name);
            prop_assert_eq!(&found.parts["inverted"], &json!(inverted.len()));
        }
    }
}

/// Of logs that differ enough there is one best way: the comparison above is about something.
#[test]
fn some_ways_are_the_only_best() {
    let (lines, others) =
        (["red", "red", "red car", "car", "blue"], ["red", "red", "red car", "red car", "car", "blue"]);
    assert_eq!(by_frequency(&lines, &others), Some([0, 1, 2]));
    assert_eq!(by_co_occurrence(&lines, &others), Some([0, 1, 2]));
}
