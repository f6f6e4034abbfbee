//! Profile match: how often the profile of somebody's earlier lines leads to their own record.
//!
//! Paper      Ours, after the masquerader of Castellano et al. (paper 003; reading I1): what recognises a person who is not himself
//!            recognises persons. The divergence is that of Lin (1991).
//!
//! # Idea
//! 1. Somebody has the first half in time of a person's lines: of everybody with at least 40 lines, the half rounded down.
//! 2. They make a profile of words: those that at least 5 of these halves have, stop words left out.
//! 3. They take the released record whose own profile of these words has the least Jensen-Shannon divergence from it.
//!
//! # Formula
//! If the nearest records are those of c persons and the target is among them, that is 1/c of a hit. Baseline 1/N; bound 1/k where k-anonymity
//! of persons is claimed. before: the same with the second halves of the original in place of the release.
//!
//! # Cost
//! That of the index; for each target the records that share a word with them, which is why so many targets are drawn of more. `before` costs
//! the same once more.
//!
//! # Does not
//! know topics: words tell persons apart better than the topics that they belong to.

use rayon::prelude::*;
use serde_json::json;

use super::nearest::{KnownMixes, Nearest, take_nearest};
use super::{Asked, Attack, AttackInfo, Attempt, Outcome, Scene};
use crate::concepts::mixes::Mix;
use crate::data::{Interner, Strings};
use crate::error::Result;
use crate::info::{Info, Need};
use crate::models::k_anonymity::USER;
use crate::profiles::lines::{TextWords, Worded};
use crate::profiles::{LEAST_LINES, LEAST_PERSONS};

/// The card of the attack.
pub const INFO: AttackInfo = AttackInfo {
    info: Info {
        name: "profile-match",
        summary: "somebody has a person's earlier lines, makes a profile of their words, and takes the record that is most like it",
        paper: "ours, after the masquerader of Castellano et al. (paper 003); the distance is that of Lin. Divergence measures based on the \
                Shannon entropy. IEEE Transactions on Information Theory 37 (1991)",
        details: "What recognises a masquerader (throng profile) re-identifies a person. The attacker has the first half in time of a \
            person's lines, of everybody with at least 40 of them, and counts the words that at least 5 of these halves have, stop words \
            left out: of searches the words of the query, of visits those of the path and its query string. They take the released record \
            with the least Jensen-Shannon divergence of these words, equal within 1e-9; a guess among the c persons of the nearest records \
            hits 1/c.\n\
            before is what the same attacker achieves where nothing is protected: the share of first halves whose nearest second half of \
            the original is the same person's.\n\
            Baseline 1/N; bound 1/k where user-k-anonymity is claimed. Needs the link between persons (--key, or kept ids). Of more than \
            --targets persons so many are drawn. profile-linkage is the same with lines that the release was not made from, and with \
            concepts beside words.",
        parameters: &[],
    },
    who: ["has the profile of earlier lines", "has the profile of earlier lines"],
    needs: &[Need::Link],
    in_reports: true,
    in_audit: true,
    ..AttackInfo::DEFAULT
};

/// The attack.
#[derive(Debug, Clone, Copy)]
pub struct ProfileMatch;

/// What is known: the profiles of first halves.
struct Halves {
    targets: Vec<u32>,
    /// Words, the first `topics` of which are those that enough halves have.
    vocabulary: Strings,
    topics: u32,
    mixes: Vec<[Mix; 1]>,
    /// What these halves lead to where nothing is protected.
    before: Option<f64>,
}

impl KnownMixes for Halves {
    fn targets(&self) -> &[u32] {
        &self.targets
    }

    fn mixes(&self, target: usize) -> &[Mix] {
        &self.mixes[target]
    }
}

impl<D: Worded> Attack<D> for ProfileMatch {
    fn info(&self) -> &'static AttackInfo {
        &INFO
    }

    fn attack(&self, scene: &Scene<'_, D>, asked: &Asked) -> Result<Vec<Outcome>> {
        let knowing = scene.knowing(|source| Ok(Halves::of(source.original, asked)))?;
        let look = |released: super::Released<'_, D>, halves: &Halves| {
            let release = released.data;
            let words = TextWords::of(release, &mut Interner::from(&halves.vocabulary));
            let is_topic = |word: u32| word < halves.topics;
            let mix = |record: usize| -> [Mix; 1] {
                let rows =
                    if released.multiplicity[record] > 0 { release.lines_of(record).collect() } else { Vec::new() };
                [words.mix(release, &rows, is_topic)]
            };
            let mixes: Vec<[Mix; 1]> = (0..release.persons()).into_par_iter().map(mix).collect();
            Ok(Nearest::of_equal(&mixes, released.multiplicity))
        };
        take_nearest(knowing, look, |nearest, halves, persons| {
            let outcome = Outcome::of(&INFO, persons)
                .with_baseline((nearest.persons() > 0).then(|| 1.0 / nearest.persons() as f64))
                .with_bound(asked.one_in_k(USER.name))
                .with_knowledge(json!({"lines": "first half"}))
                .with_parts(json!({"words": halves.topics, "before": halves.before}));
            vec![Outcome { own: [("before".to_owned(), json!(halves.before))].into_iter().collect(), ..outcome }]
        })
    }
}

impl Halves {
    fn of<D: Worded>(original: &D, asked: &Asked) -> Self {
        let mut vocabulary = Interner::new();
        let words = TextWords::of(original, &mut vocabulary);
        let is_long = |person: &u32| original.lines_of(*person as usize).len() >= 2 * LEAST_LINES;
        let long: Vec<u32> = (0..original.persons() as u32).filter(is_long).collect();
        let halves: Vec<[Mix; 2]> = long
            .par_iter()
            .map(|&person| {
                let rows = original.in_time(person as usize);
                let (first, second) = rows.split_at(rows.len() / 2);
                [first, second].map(|rows| words.mix(original, rows, |_| true))
            })
            .collect();
        let mut having = vec![0u32; vocabulary.strings().len()];
        halves.iter().flat_map(|[first, _]| first).for_each(|&(word, _)| having[word as usize] += 1);
        // The words that count come first: a smaller number is all there is to ask.
        let (mut topics, mut number) = (Interner::new(), vec![u32::MAX; having.len()]);
        for (word, number) in number.iter_mut().enumerate().filter(|(word, _)| having[*word] as usize >= LEAST_PERSONS)
        {
            *number = topics.intern(vocabulary.strings().get(word as u32));
        }
        let of_topics = |mix: &Mix| -> Mix {
            let own = mix.iter().map(|&(word, count)| (number[word as usize], count));
            let mut own: Mix = own.filter(|(topic, _)| *topic != u32::MAX).collect();
            own.sort_unstable();
            own
        };
        let second: Vec<[Mix; 1]> = halves.par_iter().map(|[_, second]| [of_topics(second)]).collect();
        let later = Nearest::of_equal(&second, &vec![1; long.len()]);
        let chosen = asked.targets_of(long.len());
        let mixes: Vec<[Mix; 1]> = chosen.iter().map(|&at| [of_topics(&halves[at as usize][0])]).collect();
        let attempt = |(mix, &at): (&[Mix; 1], &u32)| later.candidates(mix).attempt(later.record(at), later.persons());
        let before: Vec<Attempt> = mixes.par_iter().zip(&chosen).map(attempt).collect();
        Self {
            targets: chosen.iter().map(|&at| long[at as usize]).collect(),
            topics: topics.strings().len() as u32,
            vocabulary: topics.into_strings(),
            mixes,
            before: (!before.is_empty()).then(|| Attempt::mean(before).hit),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Promise;
    use super::super::testing::asked;
    use super::*;
    use crate::data::visits::{Part, Visit, VisitsBuilder};
    use crate::data::{QueryLog, QueryLogBuilder, Visits};
    use crate::profiles::{Distance, Profile};
    use crate::progress::Silent;

    /// Of each person the words of their lines, line by line.
    fn log(persons: &[Vec<String>]) -> QueryLog {
        let mut builder = QueryLogBuilder::new();
        for (person, lines) in persons.iter().enumerate() {
            for (minute, line) in (0..).zip(lines) {
                builder.push(&person.to_string(), line, minute * 60_000, None, None);
            }
        }
        builder.finish()
    }

    fn visits(persons: &[Vec<String>]) -> Visits {
        let mut builder = VisitsBuilder::new();
        for (person, lines) in persons.iter().enumerate() {
            for (minute, line) in (0..).zip(lines) {
                let mut visit = Visit { time: minute * 60_000, ..Visit::default() };
                let path = format!("/{}", line.replace(' ', "/"));
                visit.texts[Part::Path as usize] = Some(&path);
                builder.push(&person.to_string(), &visit, 1);
            }
        }
        builder.finish().0
    }

    fn run<D: Worded>(original: &D, release: &D, link: &[Option<u32>], asked: &Asked) -> Outcome {
        let multiplicity = vec![1; release.persons()];
        let scene = Scene::new(original, release, &multiplicity, Some(link), &Silent);
        ProfileMatch.attack(&scene, asked).unwrap().remove(0)
    }

    /// Twelve persons of two sorts: six say ant, and six bee; in their second halves the first of each sort says the other's word as often.
    fn twelve() -> Vec<Vec<String>> {
        let own = |person: usize| if person < 6 { "ant" } else { "bee" };
        let other = |person: usize| if person < 6 { "bee" } else { "ant" };
        (0..12)
            .map(|person| {
                let turns = person % 6 == 0;
                let line = |line: usize| {
                    (if turns && line >= 20 && line.is_multiple_of(2) { other(person) } else { own(person) }).to_owned()
                };
                (0..40).map(line).collect()
            })
            .collect()
    }

    #[test]
    fn twelve_by_hand() {
        let parameters = [("k".to_owned(), json!(5))].into_iter().collect();
        let promises = vec![Promise { model: "user-k-anonymity".to_owned(), parameters }];
        let link: Vec<Option<u32>> = (0..12).map(Some).collect();
        for outcome in [
            run(&log(&twelve()), &log(&twelve()), &link, &Asked { promises: promises.clone(), ..asked() }),
            run(&visits(&twelve()), &visits(&twelve()), &link, &Asked { promises: promises.clone(), ..asked() }),
        ] {
            // The nearest records of an ant are the five who say nothing else: ten of twelve hit 1/5, the two who turn are not among them.
            assert_eq!((outcome.attempts, outcome.parts["words"].as_u64()), (12, Some(2)));
            assert!((outcome.hits - 2.0).abs() < 1e-12, "{}", outcome.hits);
            assert_eq!(
                (outcome.found, outcome.baseline, outcome.bound),
                (Some(10.0 / 12.0), Some(1.0 / 12.0), Some(0.2))
            );
            // The same of second halves.
            assert!((outcome.own["before"].as_f64().unwrap() - 2.0 / 12.0).abs() < 1e-12);
            assert_eq!((outcome.verdict, outcome.knowledge), ("below", json!({"lines": "first half"})));
        }
    }

    #[test]
    fn short_records_and_rare_words_are_not_looked_at() {
        let mut persons = twelve();
        persons.push(vec!["ant".to_owned(); 39]);
        // A word of four persons.
        persons.iter_mut().take(4).for_each(|lines| lines[0] = "zebra".to_owned());
        let (log, link) = (log(&persons), (0..13).map(Some).collect::<Vec<_>>());
        let outcome = run(&log, &log, &link, &asked());
        assert_eq!((outcome.attempts, outcome.parts["words"].as_u64(), outcome.bound), (12, Some(2), None));
        assert_eq!(run(&log, &log, &link, &Asked { targets: 4, ..asked() }).attempts, 4);
        let few = run(&super::tests::log(&persons[12..]), &log, &link, &asked());
        assert_eq!((few.attempts, few.rate, &few.own["before"]), (0, None, &json!(null)));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        /// Every first half is compared with every record, word by word.
        #[test]
        fn as_the_slow_way(
            lines in prop::collection::vec(prop::collection::vec((0..7u32, 0..7u32), 38..46), 6..11),
            left_out in 0..6usize,
        ) {
            let persons: Vec<Vec<String>> =
                lines.iter().map(|lines| lines.iter().map(|(one, other)| format!("w{one} w{}", one * other)).collect()).collect();
            let original = log(&persons);
            let mut link: Vec<Option<u32>> = (0..persons.len() as u32).rev().map(Some).collect();
            link[left_out] = None;
            let released: Vec<Vec<String>> = persons.iter().rev().cloned().collect();
            let found = run(&original, &log(&released), &link, &asked());

            let words = |lines: &[String]| -> Vec<String> {
                lines.iter().flat_map(|line| line.split(' ').map(str::to_owned)).collect()
            };
            let long: Vec<usize> = (0..persons.len()).filter(|&person| persons[person].len() >= 40).collect();
            let half = |person: usize| persons[person].len() / 2;
            let mut vocabulary: Vec<String> = long.iter().flat_map(|&person| words(&persons[person][..half(person)])).collect();
            vocabulary.sort();
            vocabulary.dedup();
            vocabulary.retain(|word| {
                long.iter().filter(|&&person| words(&persons[person][..half(person)]).contains(word)).count() >= 5
            });
            let profile = |lines: &[String]| {
                let own = words(lines);
                let count = |word: &String| own.iter().filter(|other| *other == word).count() as u64;
                Profile::of(&vocabulary.iter().enumerate().map(|(at, word)| (at as u32, count(word))).collect::<Vec<_>>())
            };
            let attempt = |own: Option<Profile>, others: &[Option<Profile>], target: Option<usize>| {
                let distance = |other: &Option<Profile>| match (&own, other) {
                    (Some(own), Some(other)) => Distance::Jsd.of(own, other),
                    _ => 1.0,
                };
                let distances: Vec<f64> = others.iter().map(distance).collect();
                let least = distances.iter().copied().fold(f64::INFINITY, f64::min);
                let nearest: Vec<usize> = (0..others.len()).filter(|&at| distances[at] < least + 1e-9).collect();
                match target {
                    Some(target) if nearest.contains(&target) => 1.0 / nearest.len() as f64,
                    _ => 0.0,
                }
            };
            let records: Vec<Option<Profile>> = released.iter().map(|lines| profile(lines)).collect();
            let later: Vec<Option<Profile>> = long.iter().map(|&person| profile(&persons[person][half(person)..])).collect();
            let first = |person: usize| profile(&persons[person][..half(person)]);
            let hits: f64 = long.iter().map(|&person| attempt(first(person), &records, link[person].map(|record| record as usize))).sum();
            let before: f64 = long.iter().enumerate().map(|(at, &person)| attempt(first(person), &later, Some(at))).sum();
            prop_assert_eq!(found.attempts as usize, long.len());
            prop_assert!((found.hits - hits).abs() < 1e-9, "{} {hits}", found.hits);
            if !long.is_empty() {
                prop_assert!((found.own["before"].as_f64().unwrap() - before / long.len() as f64).abs() < 1e-9);
            }
        }
    }
}
