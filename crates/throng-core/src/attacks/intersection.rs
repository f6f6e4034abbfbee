//! Intersection: two releases of the same people undo each other.
//!
//! Paper      Ours, after Ganta, Kasiviswanathan, Smith. Composition attacks and auxiliary information in data privacy. KDD 2008.
//!
//! # Idea
//! 1. The attacker has found the target's group in both releases: the worst case, for the groups come from the keys.
//! 2. Candidates are the persons who are in both of these groups. Each release alone leaves k of them, both together fewer.
//!
//! # Formula
//! A guess among c persons with the same two groups hits 1/c. attempts: persons who are in both releases; baseline 1/attempts; bound
//! 1/min(k, k'): what either release promised when it stood alone. parts.alone: the share of persons whose two groups nobody else has.
//!
//! # Readings
//! Ours: nobody is drawn, everybody counts: it costs nothing. A person whom a release shows in several records is in all of their groups at
//! once.
//!
//! # Cost
//! The persons sorted by their groups.

use serde_json::json;

use super::{Asked, Attack, AttackInfo, Outcome, Scene};
use crate::data::Dataset;
use crate::error::Result;
use crate::info::{Info, Need};

/// The card of the attack.
pub const INFO: AttackInfo = AttackInfo {
    info: Info {
        name: "intersection",
        summary: "somebody who found a person's group in two releases keeps whoever is in both",
        paper: "ours, after Ganta, Kasiviswanathan, Smith. Composition attacks and auxiliary information in data privacy. KDD 2008",
        details: "Two releases of the same people (--other RELEASE --other-key FILE). The attacker has found the target's group in both, which \
            is the worst case: groups come from the keys. Candidates are the persons with the same two groups, and a guess among c of them \
            hits 1/c.\n\
            Everybody who has a pseudonym in both keys is attacked; parts.alone is the share of them who are left alone. Baseline: a guess \
            among all of them. Bound 1/min(k, k') of the two claims, as each release promises it: above it the second release has broken \
            the first.",
        parameters: &[],
    },
    who: ["found the group in both releases", "found the group in both releases"],
    needs: &[Need::OtherRelease],
    ..AttackInfo::DEFAULT
};

/// The attack.
#[derive(Debug, Clone, Copy)]
pub struct Intersection;

impl<D: Dataset> Attack<D> for Intersection {
    fn info(&self) -> &'static AttackInfo {
        &INFO
    }

    fn attack(&self, scene: &Scene<'_, D>, asked: &Asked) -> Result<Vec<Outcome>> {
        let knowing = scene.having_found(|truth| {
            let groups = truth.groups.unwrap_or_default().iter();
            Ok(groups.filter_map(|&[here, there]| Some([here?, there?])).collect::<Vec<[u32; 2]>>())
        })?;
        let least = asked.least_k().zip(asked.other_k).map(|(own, other)| own.min(other));
        knowing.looking(|_, _| Ok(()))?.once(
            |(), groups| Ok(crowds(groups)),
            |_, (), groups, crowds| {
                let alone = crowds.iter().filter(|&&persons| persons == 1).count();
                let share = |of: usize| (!groups.is_empty()).then(|| of as f64 / groups.len() as f64);
                // 1/c of each of c persons is one hit for them all: exact.
                let outcome = Outcome::new(&INFO, groups.len() as u64, crowds.len() as f64);
                vec![
                    // Whose groups are known is among those who have both.
                    Outcome { found: share(groups.len()), ..outcome }
                        .with_baseline(share(1))
                        .with_bound(least.map(|k| 1.0 / k))
                        .with_knowledge(json!({"groups": 2}))
                        .with_parts(json!({"alone": share(alone)})),
                ]
            },
        )
    }
}

/// For each two groups that somebody is in, how many are.
fn crowds(groups: &[[u32; 2]]) -> Vec<u32> {
    let mut sorted = groups.to_vec();
    sorted.sort_unstable();
    sorted.chunk_by(|left, right| left == right).map(|same| same.len() as u32).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Promise;
    use super::super::testing::asked;
    use super::*;
    use crate::measures::testing::log;
    use crate::progress::Silent;

    fn outcome(groups: &[[Option<u32>; 2]], k: u32, other_k: f64) -> Outcome {
        let nobody = log(&[]);
        let scene = Scene::new(&nobody, &nobody, &[], None, &Silent).with_groups(Some(groups));
        assert!(scene.lacks(&INFO).is_none());
        let parameters = [("k".to_owned(), json!(k))].into_iter().collect();
        let promises = vec![Promise { model: "user-k-anonymity".to_owned(), parameters }];
        Intersection.attack(&scene, &Asked { promises, other_k: Some(other_k), ..asked() }).unwrap().remove(0)
    }

    /// Six persons in two groups of three, and then in three of two: {0, 1} share both, all others are alone.
    #[test]
    fn six_by_hand() {
        let groups = [[0, 0], [0, 0], [0, 1], [1, 1], [1, 2], [1, 2]].map(|both| both.map(Some));
        let found = outcome(&groups, 3, 2.0);
        // 1/2 + 1/2 + 1 + 1 + 1/2 + 1/2.
        assert_eq!((found.attempts, found.hits, found.rate), (6, 4.0, Some(4.0 / 6.0)));
        assert_eq!((found.found, found.baseline, found.bound), (Some(1.0), Some(1.0 / 6.0), Some(0.5)));
        assert_eq!(found.parts["alone"], json!(2.0 / 6.0));
        // Six are too few to be sure of it: Wilson's interval begins at 0.30.
        assert_eq!(found.verdict, "below");
    }

    #[test]
    fn who_is_in_one_alone_is_no_attempt() {
        let found = outcome(&[[Some(0), None], [None, Some(1)], [Some(0), Some(1)], [None, None]], 2, 2.0);
        assert_eq!((found.attempts, found.hits), (1, 1.0));
        let nobody = outcome(&[[None, None]], 2, 2.0);
        assert_eq!(
            (nobody.attempts, nobody.rate, nobody.baseline, &nobody.parts["alone"]),
            (0, None, None, &json!(null))
        );
    }

    #[test]
    fn a_second_release_breaks_the_first() {
        // Groups of five by the number, and groups of four across them.
        let groups: Vec<_> = (0..400u32).map(|person| [Some(person / 5), Some(person % 100)]).collect();
        let found = outcome(&groups, 5, 4.0);
        assert_eq!((found.rate, found.bound, found.verdict), (Some(1.0), Some(0.25), "above"));
        // The same groups again add nothing.
        let same: Vec<_> = (0..400u32).map(|person| [Some(person / 5), Some(person / 5)]).collect();
        assert_eq!((outcome(&same, 5, 5.0).rate, outcome(&same, 5, 5.0).verdict), (Some(0.2), "below"));
    }

    proptest! {
        /// Each person is compared with each.
        #[test]
        fn equals_comparing_all(groups in prop::collection::vec([0u32..4, 0u32..4], 0..30)) {
            let likes = |own: &[u32; 2]| groups.iter().filter(|other| *other == own).count();
            let hits: f64 = groups.iter().map(|own| 1.0 / likes(own) as f64).sum();
            let alone = groups.iter().filter(|own| likes(own) == 1).count();
            let crowds = crowds(&groups);
            prop_assert!((hits - crowds.len() as f64).abs() < 1e-9);
            prop_assert_eq!(alone, crowds.iter().filter(|&&persons| persons == 1).count());
        }
    }
}
