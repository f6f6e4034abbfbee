//! What a release of ratings keeps.

pub mod prediction_error;
pub mod rating_distribution;
pub mod ratings_kept;
pub mod top_n_overlap;

use crate::data::Ratings;
use crate::measures::Pair;
use crate::recommenders::ThirdParty;

/// What a third party makes of the original and of the release, who predicts what persons of the original would give.
fn third_parties<'a>(pair: &Pair<'a, Ratings>, known: &'a Ratings) -> [ThirdParty<'a>; 2] {
    let ones = vec![1; known.persons()];
    [
        ThirdParty::new(known, &ones, false, pair.original),
        ThirdParty::new(pair.release, &pair.multiplicity, true, pair.original),
    ]
}

/// What is left out for a person: themselves, and the record of their group.
fn left_out(pair: &Pair<'_, Ratings>, release: &ThirdParty<'_>, person: u32) -> [Option<u32>; 2] {
    let record = pair.link.as_ref().and_then(|link| link[person as usize]);
    [Some(person), record.map(|record| release.record(record))]
}

#[cfg(test)]
pub(crate) mod testing {
    //! Small ratings for the tests of these measures.

    use crate::data::Ratings;
    use crate::data::ratings::of_rows;
    use crate::measures::testing::CONTEXT;
    use crate::measures::{Measure, Measured, Pair};

    /// Measures a release whose persons have the ids of the original's, if it is said that these are theirs.
    pub(crate) fn measure(
        measure: &dyn Measure<Ratings>,
        original: &[(&str, &str, f64)],
        release: &[(&str, &str, f64)],
        is_linked: bool,
    ) -> Measured {
        let (original, release) = (of_rows(original), of_rows(release));
        let link = is_linked.then(|| original.person_ids().ids_in(release.person_ids()));
        let pair = Pair { original: &original, release: &release, multiplicity: vec![1; release.persons()], link };
        measure.measure(&pair, &CONTEXT).unwrap()
    }
}
