//! One record before and after, for people to see what protection does: made up, out of values that enough persons share.
//!
//! # Idea
//! 1. Before: the facts that most persons of the original have, each at least k. No person need have all of them, and they say
//!    nothing of who is in a group with whom.
//! 2. After: the published record that is most like it: with most of these facts as they are, then with most of them under a more
//!    general name, then with the fewest others. Of what it has, only that is shown which k persons of the original share too; the
//!    rest is counted.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::kinds::Kinded;

/// How many facts the made-up record has.
const FACTS: usize = 4;
/// How many facts of the published record are shown.
const SHOWN: usize = 6;

/// The example of a report; nothing if fewer than two facts are shared by k persons, or no record has anything of them.
pub fn example<D: Kinded>(original: &D, records: &D, persons_of_records: &[u32], k: usize) -> Value {
    if let Some(example) = D::example(original, records, k) {
        return example;
    }
    let shared = shared(original, k);
    let before = &shared[..shared.len().min(FACTS)];
    if before.len() < 2 {
        return Value::Null;
    }
    // Whoever has a fact has what is more general, too.
    let names_of = |&fact: &u32| std::iter::once(original.fact(fact)).chain(original.more_general(fact));
    let names: BTreeSet<String> = shared.iter().flat_map(names_of).collect();
    let own: Vec<String> = before.iter().map(|&fact| original.fact(fact)).collect();
    // What may stand for each of them: the more general, the less it counts.
    let mut standing: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for (at, &fact) in before.iter().enumerate() {
        for (steps, name) in original.more_general(fact).into_iter().enumerate() {
            standing.entry(name).or_insert((at, steps + 1));
        }
    }
    standing.extend(own.iter().enumerate().map(|(at, name)| (name.clone(), (at, 0))));
    let standing_of = |fact: u32| standing.get(&records.fact(fact)).copied();
    let published = records.facts(0);
    let known: Vec<Option<(usize, usize)>> = (0..published.count() as u32).map(standing_of).collect();
    let facts_of = |record: usize| published.of(record).iter().copied().collect::<BTreeSet<u32>>();
    let likeness = |record: usize| {
        let facts = facts_of(record);
        let mut steps: [Option<usize>; FACTS] = [None; FACTS];
        for (at, step) in facts.iter().filter_map(|&fact| known[fact as usize]) {
            steps[at] = Some(steps[at].map_or(step, |other| other.min(step)));
        }
        let found = steps.iter().flatten();
        let exact = found.clone().filter(|&&step| step == 0).count();
        (exact, found.count(), std::cmp::Reverse(facts.len()), std::cmp::Reverse(record))
    };
    let published_for = (0..records.persons()).filter(|&record| persons_of_records[record] > 0);
    let Some(best) = published_for.map(likeness).max().filter(|likeness| likeness.1 > 0) else { return Value::Null };
    let record = best.3.0;
    let facts = facts_of(record);
    let (like, others): (Vec<u32>, Vec<u32>) = facts.iter().partition(|&&fact| known[fact as usize].is_some());
    let others = others.into_iter().filter(|&fact| names.contains(&records.fact(fact)));
    let after: Vec<String> = like.into_iter().chain(others).take(SHOWN).map(|fact| records.fact(fact)).collect();
    let persons = persons_of_records[record];
    json!({
        "before": own,
        "more": facts.len() - after.len(),
        "after": after,
        "persons": (persons as usize >= k).then_some(persons),
    })
}

/// The facts that at least k persons have, those of most persons first; ties in the order of their names.
fn shared<D: Kinded>(original: &D, k: usize) -> Vec<u32> {
    let all = original.facts(0);
    let (mut persons, mut last) = (vec![0u32; all.count()], vec![u32::MAX; all.count()]);
    for person in 0..original.persons() as u32 {
        for &fact in all.of(person as usize).iter() {
            if std::mem::replace(&mut last[fact as usize], person) != person {
                persons[fact as usize] += 1;
            }
        }
    }
    let may_stand = |&fact: &u32| persons[fact as usize] as usize >= k.max(1) && original.may_be_shown(fact);
    let mut facts: Vec<u32> = (0..all.count() as u32).filter(may_stand).collect();
    facts.sort_by_cached_key(|&fact| (std::cmp::Reverse(persons[fact as usize]), original.fact(fact)));
    facts
}

#[cfg(test)]
mod tests {
    use throng_core::data::{QueryLog, QueryLogBuilder};

    use super::*;

    fn log(persons: &[&[&str]]) -> QueryLog {
        let mut builder = QueryLogBuilder::new();
        for (person, queries) in persons.iter().enumerate() {
            queries.iter().for_each(|query| builder.push(&person.to_string(), query, 0, None, None));
        }
        builder.finish()
    }

    #[test]
    fn only_what_enough_persons_have_is_in_it() {
        let original =
            log(&[&["roses", "weather", "anna lindqvist"], &["roses", "weather"], &["weather", "the", "pins"]]);
        let records = log(&[&["tulips"], &["weather", "roses", "pins", "needles"], &["roses", "weather", "pins"]]);
        // Pins are one person's, and only counted.
        let example = |k| example(&original, &records, &[3, 3, 3], k);
        // Weather is everybody's and comes first; of two records with both, the shorter one.
        let expected = json!({"before": ["weather", "roses"], "after": ["roses", "weather"], "more": 1, "persons": 3});
        let found = example(2);
        let sorted = |list: &Value| list.as_array().unwrap().iter().map(ToString::to_string).collect::<BTreeSet<_>>();
        assert_eq!(sorted(&found["after"]), sorted(&expected["after"]));
        assert_eq!(
            (&found["before"], &found["more"], &found["persons"]),
            (&expected["before"], &expected["more"], &expected["persons"])
        );
        // Only one search is everybody's.
        assert_eq!(example(3), Value::Null);
    }

    #[test]
    fn a_release_in_normal_form_is_like_what_people_wrote() {
        let original = log(&[&["www.roses.example", "Weather!"], &["www.roses.example", "Weather!"]]);
        let records = log(&[&["weather", "www roses example", "pins"]]);
        let found = example(&original, &records, &[2], 2);
        assert_eq!(found["before"], json!(["Weather!", "www.roses.example"]));
        assert_eq!(found["after"], json!(["weather", "www roses example"]));
    }
}
