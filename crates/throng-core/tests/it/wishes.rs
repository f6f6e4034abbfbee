//! What persons ask for themselves, on made-up logs: everybody is one of as many as they ask for, with every method that heeds it that
//! needs no taxonomy, in one block and in several, refined or not, for any number of threads.

use proptest::prelude::*;
use throng_core::data::{Dataset as _, QueryLog};
use throng_core::methods::Method;
use throng_core::methods::queries::kindred::{self, Kindred};
use throng_core::methods::queries::user_microaggregation::{self, UserMicroaggregation};
use throng_core::progress::Silent;
use throng_core::release::Protected;
use throng_core::synth::queries::{Params as SynthParams, QueriesSynth};
use throng_core::{Result, Rng};

fn made_up(persons: usize, wishes: &[u32]) -> QueryLog {
    let log = QueriesSynth::new(SynthParams { persons, mean_lines: 8.0, seed: 7 }).unwrap().block(0..persons);
    let wishes = (0..log.persons()).map(|person| wishes[person % wishes.len()]).collect();
    log.with_wishes(wishes)
}

fn kindred(k: usize, exact: bool, block_size: usize) -> Box<dyn Method<QueryLog>> {
    let column = Some("wish".to_owned());
    let params = kindred::Params { k, weight_concepts: 0.0, k_column: column, exact, block_size, ..Default::default() };
    Box::new(Kindred::new(params).unwrap())
}

fn microaggregation(k: usize, exact: bool, block_size: usize) -> Box<dyn Method<QueryLog>> {
    let column = Some("wish".to_owned());
    let params = user_microaggregation::Params { k, k_column: column, exact, block_size, ..Default::default() };
    Box::new(UserMicroaggregation::new(params).unwrap())
}

fn protect(method: &dyn Method<QueryLog>, log: &QueryLog, threads: usize) -> Result<Protected<QueryLog>> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| method.protect(log, &mut Rng::seeded(1), &Silent))
}

/// Everybody who is in the release shares their record with as many as they ask for, and at least k.
fn assert_met(log: &QueryLog, protected: &Protected<QueryLog>, k: usize) {
    let mut sizes = vec![0; protected.records.persons()];
    protected.record_of.iter().flatten().for_each(|&record| sizes[record as usize] += 1);
    for (record, &wish) in protected.record_of.iter().zip(log.wishes().unwrap()) {
        assert!(record.is_none_or(|record| sizes[record as usize] >= k.max(wish as usize)), "{wish} {sizes:?}");
    }
    let models: Vec<&str> = protected.claims.iter().map(|claim| claim.model).collect();
    assert_eq!(models[..2], ["user-k-anonymity", "personal-k-anonymity"]);
    assert_eq!(protected.claims[1].parameters["k-column"], "wish");
}

#[test]
fn in_one_block_and_in_several() {
    let log = made_up(180, &[0, 0, 0, 12, 0, 4, 0, 0, 25, 0, 0]);
    for make in [kindred, microaggregation] {
        for (exact, block_size) in [(false, 0), (true, 0), (false, 60)] {
            let method = make(3, exact, block_size);
            let protected = protect(method.as_ref(), &log, 2).unwrap();
            assert_met(&log, &protected, 3);
            assert!((protected.grouped.unwrap().blocks > 1) == (block_size > 0));
            let again = protect(method.as_ref(), &log, 1).unwrap();
            assert_eq!((again.record_of, again.records), (protected.record_of, protected.records));
        }
    }
}

/// Few who ask for much do not make everybody's group large.
#[test]
fn others_stay_in_small_groups() {
    let log = made_up(100, &[0]);
    let mut wishes = vec![0; 100];
    (wishes[3], wishes[50], wishes[77]) = (20, 18, 20);
    let log = log.with_wishes(wishes);
    let protected = protect(kindred(3, false, 0).as_ref(), &log, 2).unwrap();
    assert_met(&log, &protected, 3);
    let mut sizes = vec![0; protected.records.persons()];
    protected.record_of.iter().flatten().for_each(|&record| sizes[record as usize] += 1);
    let large = sizes.iter().filter(|&&size| size > 5).count();
    assert_eq!(large, 1, "all three are in one group: {sizes:?}");
}

#[test]
fn what_cannot_be_met_is_refused() {
    let log = made_up(20, &[0, 0, 21]);
    for make in [kindred, microaggregation] {
        let error = protect(make(3, false, 0).as_ref(), &log, 1).unwrap_err();
        let said = error.describe(false);
        assert!(said.contains("somebody asks to be one of more persons than there are"), "{said}");
        // What they ask for is theirs to tell.
        assert!(!said.contains("21") && error.describe(true).contains("21"), "{said}");
        // A log whose wishes were not read is not protected as if there were none.
        let unasked = QueriesSynth::new(SynthParams { persons: 20, mean_lines: 8.0, seed: 7 }).unwrap().block(0..20);
        let error = protect(make(3, false, 0).as_ref(), &unasked, 1).unwrap_err();
        assert!(error.to_string().contains("was not read"), "{error}");
        let larger = made_up(100, &[0, 0, 30]);
        let error = protect(make(3, false, 40).as_ref(), &larger, 1).unwrap_err();
        assert!(error.to_string().contains("blocks must be larger"), "{error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn every_wish_is_met(
        wishes in prop::collection::vec(prop_oneof![4 => Just(0u32), 2 => 2..8u32, 1 => 2..30u32], 1..40),
        persons in 30..60usize,
        k in 2..6usize,
        is_exact: bool,
    ) {
        let log = made_up(persons, &wishes);
        prop_assume!(log.wishes().unwrap().iter().all(|&wish| wish as usize <= log.persons()));
        for make in [kindred, microaggregation] {
            match protect(make(k, is_exact, 0).as_ref(), &log, 2) {
                Ok(protected) => assert_met(&log, &protected, k),
                // Accounts that are alike count once, and may be too few.
                Err(error) => prop_assert!(error.to_string().contains("to be grouped"), "{error}"),
            }
        }
    }
}
