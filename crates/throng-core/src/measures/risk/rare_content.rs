//! Rare content: how many released lines say what hardly anybody said.
//!
//! Paper      Ours.
//!
//! # Formula
//! Of all lines of the release, one for each person who has it, the share whose query has words that lie together inside the
//! queries of fewer than m persons of the original; m = 3. A line without a word counts as rare. Parts: m = 2, 3 and 5.
//!
//! # Cost
//! That of `models/sharing.rs`: one pass over the queries of the original.

use serde_json::{Map, Value, json};

use super::super::{Context, Measure, MeasureInfo, Measured, Pair};
use crate::data::QueryLog;
use crate::error::Result;
use crate::info::Info;
use crate::models::sharing::persons_saying;

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "rare-content",
        summary: "share of released lines whose words lie inside the queries of fewer than 3 persons",
        paper: "Ours: what the model content-threshold promises, counted line by line",
        details: "For every released line: how many persons of the original have a query that holds all its words, whatever their case \
            and order. The value is the share of lines with fewer than 3 such persons; parts.fewer_than has it for 2, 3 and 5. Lines \
            count once for each person who is published with them; a line without a word is rare.\n\
            0: nobody can be told by what a line says alone. Releases that were made with `--min-persons 3` have 0.",
        parameters: &[],
    },
    unit: "%",
    better: "lower",
    undefined: "the release has no lines",
    ..MeasureInfo::DEFAULT
};

/// Fewer persons than this make a line rare.
const FEW: u32 = 3;

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct RareContent;

impl Measure<QueryLog> for RareContent {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, QueryLog>, _context: &Context<'_>) -> Result<Measured> {
        let release = pair.release;
        let saying = persons_saying(pair.original, release.queries());
        let mut lines_of = vec![0u64; saying.len()];
        for (person, &persons) in pair.multiplicity.iter().enumerate() {
            for &query in release.query_ids(release.range(person)) {
                lines_of[query as usize] += u64::from(persons);
            }
        }
        let lines: u64 = lines_of.iter().sum();
        let share = |few: u32| {
            let rare = saying.iter().zip(&lines_of).filter(|(persons, _)| **persons < few);
            (lines > 0).then(|| 100.0 * rare.map(|(_, lines)| lines).sum::<u64>() as f64 / lines as f64)
        };
        let parts: Map<String, Value> = [2, FEW, 5].iter().map(|few| (few.to_string(), json!(share(*few)))).collect();
        Ok(self.measured(share(FEW), json!({"lines": lines, "fewer_than": parts})))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{CONTEXT, log};
    use super::*;

    #[test]
    fn by_hand() {
        let original = log(&[&["red car", "my red hat"], &["car red"], &["red CAR wash", "hat"]]);
        // Red car: three persons. Hat: two. My red hat: one. Blue: nobody. The second record is that of three persons.
        let release = log(&[&["red car", "hat", "red car"], &["hat red", "blue"]]);
        let pair = Pair { original: &original, release: &release, multiplicity: vec![1, 3], link: None };
        let measured = RareContent.measure(&pair, &CONTEXT).unwrap();
        // Of nine lines: seven with fewer than three persons (hat; three times hat red and blue), six with fewer than two.
        assert_eq!(measured.value, Some(700.0 / 9.0));
        assert_eq!(measured.parts["fewer_than"]["2"], 600.0 / 9.0);
        assert_eq!(measured.parts["fewer_than"]["5"], 100.0);
        assert_eq!(measured.parts["lines"], 9);
        let nothing = Pair { original: &original, release: &log(&[]), multiplicity: vec![], link: None };
        assert_eq!(RareContent.measure(&nothing, &CONTEXT).unwrap().value, None);
    }
}
