//! Profile linkage: how often what a person does on other days leads to their own record.
//!
//! Paper      Ours. The divergence is that of Lin, Divergence measures based on the Shannon entropy, IEEE Transactions on
//!            Information Theory 37 (1991).
//!
//! # Idea
//! 1. Somebody knows lines of a person that the release was not made from: here they are the original.
//! 2. They take the record that is nearest to these lines: words and concepts, mixed as for `interests-kept`.
//! 3. Records that are equal line by line are one, of as many persons.
//!
//! # Formula
//! Near is a small JSD(words) + JSD(concepts), equal within 1e-9. If the nearest records are those of c persons and the target is among them, that
//! is 1/c of a hit. Baseline 1/N; bound 1/k where k-anonymity of persons is claimed.
//!
//! # Cost
//! That of the index, and for each target the records that share a word or concept with them.
//!
//! # Does not
//! learn what days have in common: it takes all lines alike.

use std::sync::Arc;

use rayon::prelude::*;
use serde_json::json;

use super::nearest::{KnownMixes, Nearest, take_nearest};
use super::query_index::different_records;
use super::{Asked, Attack, AttackInfo, Outcome, Released, Scene};
use crate::concepts::Texts as _;
use crate::concepts::mixes::{DEPTH, Mix, Words, concept_mix};
use crate::data::{Interner, QueryLog, Strings};
use crate::error::{Error, Result};
use crate::info::{Info, Need};
use crate::models::k_anonymity::USER;
use crate::taxonomy::Taxonomy;

/// The card of the attack.
pub const INFO: AttackInfo = AttackInfo {
    info: Info {
        name: "profile-linkage",
        summary: "somebody knows what a person searched on other days, and takes the record that is most like it",
        paper: "ours; the distance is that of Lin. Divergence measures based on the Shannon entropy. IEEE Transactions on \
                Information Theory 37 (1991)",
        details: "ORIGINAL must be lines that the release was not made from, as `compare --held-out` takes them: against the lines that it was made \
            from, the rate is that of an attacker who knows these already. So it runs only if it is asked for, and the hash beside the key is \
            not compared with ORIGINAL.\n\
            The attacker takes the record with the least divergence of words plus divergence of concepts (Jensen-Shannon, mixes as for \
            interests-kept), equal within 1e-9; a guess among the c persons of the nearest records hits 1/c.\n\
            Baseline 1/N; bound 1/k where user-k-anonymity is claimed. Needs the link between persons (--key, or kept ids).\n\
            It was the measure held-out-linkage, which counted records: a hit of a record is now a hit of one of its persons.",
        parameters: &[],
    },
    who: ["knows what a person searched on other days", "knows what a person searched on other days"],
    needs: &[Need::Link, Need::Meaning],
    on_request: true,
    takes_other_lines: true,
    ..AttackInfo::DEFAULT
};

/// The attack.
#[derive(Debug, Clone, Copy)]
pub struct ProfileLinkage;

impl Attack<QueryLog> for ProfileLinkage {
    fn info(&self) -> &'static AttackInfo {
        &INFO
    }

    fn attack(&self, scene: &Scene<'_, QueryLog>, asked: &Asked) -> Result<Vec<Outcome>> {
        let knowing =
            scene.knowing(|source| Ok(Profiles::of(source.original, asked.targets_of(source.original.persons()))))?;
        take_nearest(knowing, index, |nearest, _, persons| {
            vec![
                Outcome::of(&INFO, persons)
                    .with_baseline((nearest.persons() > 0).then(|| 1.0 / nearest.persons() as f64))
                    .with_bound(asked.one_in_k(USER.name))
                    .with_knowledge(json!({"lines": "other"})),
            ]
        })
    }
}

/// What is known of some persons: the words and concepts of their lines, and how often each occurs.
pub(super) struct Profiles {
    targets: Vec<u32>,
    vocabulary: Strings,
    taxonomy: Option<Arc<Taxonomy>>,
    mixes: Vec<[Mix; 2]>,
}

impl Profiles {
    pub(super) fn of(log: &QueryLog, targets: Vec<u32>) -> Self {
        let mut vocabulary = Interner::new();
        let words = Words::of(log, &mut vocabulary);
        let mixes = |&person: &u32| {
            let concepts = log.meaning().map(|meaning| concept_mix(log, meaning, person as usize, DEPTH));
            [words.mix(log, person as usize), concepts.unwrap_or_default()]
        };
        Self {
            mixes: targets.par_iter().map(mixes).collect(),
            targets,
            vocabulary: vocabulary.into_strings(),
            taxonomy: log.meaning().map(|meaning| Arc::clone(meaning.taxonomy())),
        }
    }
}

impl KnownMixes for Profiles {
    fn targets(&self) -> &[u32] {
        &self.targets
    }

    fn mixes(&self, target: usize) -> &[Mix] {
        &self.mixes[target]
    }
}

/// The index of a release, for looking for some persons. Records have the numbers of [`different_records`].
pub(super) fn index(released: Released<'_, QueryLog>, profiles: &Profiles) -> Result<Nearest> {
    let release = released.data;
    let meaning = release.meaning().filter(|_| profiles.taxonomy.is_some());
    if let (Some(own), Some(meaning)) = (&profiles.taxonomy, meaning)
        && !Arc::ptr_eq(own, meaning.taxonomy())
        && !own.labels().iter().eq(meaning.taxonomy().labels().iter())
    {
        return Err(Error::refused("original and release were looked up in different taxonomies"));
    }
    let words = Words::of(release, &mut Interner::from(&profiles.vocabulary));
    let concepts = |record| meaning.map(|meaning| concept_mix(release, meaning, record, DEPTH)).unwrap_or_default();
    let (first, record_of, multiplicity) = different_records(release, released.multiplicity);
    let mixes: Vec<[Mix; 2]> =
        first.into_par_iter().map(|record| [words.mix(release, record), concepts(record)]).collect();
    Ok(Nearest::new(&mixes.iter().map(|mixes| &mixes[..]).collect::<Vec<_>>(), record_of, multiplicity))
}

#[cfg(test)]
mod tests {
    use super::super::Promise;
    use super::super::testing::asked;
    use super::*;
    use crate::measures::meanings::tests::{directory, meaning_of};
    use crate::measures::testing::log;
    use crate::progress::Silent;

    fn linkage(before: &[&[&str]], after: &[&[&str]], link: &[Option<u32>], asked: &Asked) -> Outcome {
        let [original, release] = meaning_of(&directory(), log(before), log(after));
        let multiplicity = vec![1; release.persons()];
        let scene = Scene::new(&original, &release, &multiplicity, Some(link), &Silent);
        assert!(scene.lacks(&INFO).is_none());
        ProfileLinkage.attack(&scene, asked).unwrap().remove(0)
    }

    #[test]
    fn by_hand() {
        let swimmer: &[&str] = &["Swimming", "Swimming"];
        let traveller: &[&str] = &["Europe", "Mediterranean"];
        let parameters = [("k".to_owned(), json!(2))].into_iter().collect();
        let promises = vec![Promise { model: "user-k-anonymity".to_owned(), parameters }];
        let result = linkage(
            &[&["Swimming"], &["Mediterranean"], &["Windsurfing"], &["Mediterranean"], &["Swimming"], &["nonsense"]],
            // The third record is that of the first person's group again.
            &[swimmer, traveller, swimmer],
            &[Some(0), Some(1), Some(2), Some(0), None, Some(1)],
            &Asked { promises, ..asked() },
        );
        // One of two swimmers: 1/2; the traveller: 1; nothing in common with anybody: 1/3; led to the other; not in the release: nothing; 1/3.
        assert_eq!(result.attempts, 6);
        assert!((result.hits - (0.5 + 1.0 + 1.0 / 3.0 + 1.0 / 3.0)).abs() < 1e-12, "{}", result.hits);
        assert_eq!((result.found, result.baseline, result.bound), (Some(2.0 / 6.0), Some(1.0 / 3.0), Some(0.5)));
        let nobody = linkage(&[&["Swimming"]], &[], &[None], &asked());
        assert_eq!((nobody.attempts, nobody.hits, nobody.baseline, nobody.bound), (1, 0.0, None, None));
    }

    #[test]
    fn words_and_concepts_count_alike() {
        // Divergence of words 0.549 and 0.459, of concepts 0 and 0.311: the second is nearer by words, the first by both.
        let records: [&[&str]; 2] = [&["swimming", "x", "y", "z"], &["Water Sports", "Swimming"]];
        assert_eq!(linkage(&[&["swimming"]], &records, &[Some(0)], &asked()).rate, Some(1.0));
        // With other concepts beside it the first is farther by both.
        let records: [&[&str]; 2] = [&["swimming", "Europe", "Sports", "Regions"], &["Water Sports", "Swimming"]];
        assert_eq!(linkage(&[&["swimming"]], &records, &[Some(0)], &asked()).rate, Some(0.0));
    }

    #[test]
    fn equal_words_at_other_times_are_other_records() {
        let records: [&[&str]; 2] = [&["Swimming", "Europe"], &["Europe", "Swimming"]];
        let result = linkage(&[&["Swimming"]], &records, &[Some(1)], &asked());
        assert_eq!((result.rate, result.found), (Some(0.5), Some(1.0)));
    }

    #[test]
    fn more_persons_are_a_sample() {
        let one: &[&str] = &["Swimming"];
        let result = linkage(&[one; 9], &[one], &[Some(0); 9], &Asked { targets: 4, ..asked() });
        assert_eq!((result.rate, result.attempts), (Some(1.0), 4));
    }
}
