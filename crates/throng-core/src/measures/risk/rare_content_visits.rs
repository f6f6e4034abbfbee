//! Rare content of access logs: how many released lines say what hardly any visitor has.
//!
//! Paper      Ours.
//!
//! # Formula
//! Of all lines of the release that have a path, one for each visitor who has it, the share whose path, or pattern, fewer than m visitors of
//! the original have; m = 3. Parts: m = 2, 3 and 5, and for the other fields of a line the share of lines that have one which fewer than 3 have.
//!
//! # Cost
//! That of the model content-threshold: one pass over the original, and one over the different texts of the release.

use serde_json::{Map, Value, json};

use super::super::{Context, Measure, MeasureInfo, Measured, Pair};
use crate::data::Visits;
use crate::data::queries::MISSING;
use crate::data::visits::Part;
use crate::error::Result;
use crate::info::Info;
use crate::models::content_threshold_visits::{COLUMNS, Had};

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "rare-content",
        summary: "share of released lines whose path, or pattern, fewer than 3 visitors have",
        paper: "Ours: what the model content-threshold promises, counted line by line",
        details: "For every released line with a path: how many visitors of the original have that path, or one that the pattern covers. The value is the share \
            of lines with fewer than 3 such visitors; parts.fewer_than has it for 2, 3 and 5; parts.fields has, for query strings, referrers, agents, virtual hosts and \
            versions of HTTP, the share of the lines that have one which fewer than 3 visitors have. Lines count once for each visitor who is published with them.\n\
            0: nobody can be told by what a line asks for alone. Releases that were made with `--min-persons 3` have 0 everywhere.",
        parameters: &[],
    },
    unit: "%",
    better: "lower",
    undefined: "the release has no lines",
    ..MeasureInfo::DEFAULT
};

/// Fewer visitors than this make a line rare.
const FEW: usize = 3;

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct RareContentVisits;

impl Measure<Visits> for RareContentVisits {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, Visits>, _context: &Context<'_>) -> Result<Measured> {
        let had = Had::of(pair.original);
        let release = pair.release;
        // The share of lines of which a field is had by fewer, and how many lines have that field.
        let of = |part: Part| {
            let visitors: Vec<usize> = release.texts(part).iter().map(|text| had.visitors(part, text)).collect();
            let mut lines_of = vec![0u64; visitors.len()];
            for (person, &persons) in pair.multiplicity.iter().enumerate() {
                for &id in release.column(part)[release.range(person)].iter().filter(|&&id| id != MISSING) {
                    lines_of[id as usize] += u64::from(persons);
                }
            }
            let lines: u64 = lines_of.iter().sum();
            let share = move |few: usize| {
                let rare = visitors.iter().zip(&lines_of).filter(|(visitors, _)| **visitors < few);
                (lines > 0).then(|| 100.0 * rare.map(|(_, lines)| lines).sum::<u64>() as f64 / lines as f64)
            };
            (lines, share)
        };
        let (lines, share) = of(Part::Path);
        let fewer: Map<String, Value> = [2, FEW, 5].iter().map(|few| (few.to_string(), json!(share(*few)))).collect();
        let others = COLUMNS.iter().filter(|(part, _)| *part != Part::Path);
        let fields: Map<String, Value> =
            others.map(|&(part, name)| (name.to_owned(), json!(of(part).1(FEW)))).collect();
        Ok(self.measured(share(FEW), json!({"lines": lines, "fewer_than": fewer, "fields": fields})))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::CONTEXT;
    use super::*;
    use crate::data::VisitsBuilder;
    use crate::data::visits::Visit;

    fn log(lines: &[(usize, &str, &str)]) -> Visits {
        let mut builder = VisitsBuilder::new();
        for &(who, path, agent) in lines {
            let mut visit = Visit::default();
            visit.texts[Part::Path as usize] = Some(path);
            visit.texts[Part::Agent as usize] = Some(agent);
            builder.push(&who.to_string(), &visit, 1);
        }
        builder.finish().0
    }

    #[test]
    fn by_hand() {
        let original = log(&[(0, "/a/1", "A"), (1, "/a/2", "A"), (2, "/a/3", "A"), (2, "/b", "B"), (1, "/b", "A")]);
        // The pattern has three visitors, /b two, /a/1 one. The second record is that of three visitors.
        let release = log(&[(0, "/a/*", "A"), (0, "/b", "A"), (1, "/a/1", "B")]);
        let pair = Pair { original: &original, release: &release, multiplicity: vec![1, 3], link: None };
        let measured = RareContentVisits.measure(&pair, &CONTEXT).unwrap();
        assert_eq!(measured.value, Some(80.0));
        assert_eq!(
            (&measured.parts["fewer_than"]["2"], &measured.parts["fewer_than"]["5"]),
            (&json!(60.0), &json!(100.0))
        );
        assert_eq!(
            (&measured.parts["fields"]["agent"], &measured.parts["fields"]["host"]),
            (&json!(60.0), &json!(null))
        );
        let nothing = Pair { original: &original, release: &log(&[]), multiplicity: vec![], link: None };
        assert_eq!(RareContentVisits.measure(&nothing, &CONTEXT).unwrap().value, None);
    }
}
