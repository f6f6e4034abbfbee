//! Browser usage: whether browsers keep their share of sessions.
//!
//! Paper      000 (ARES report), chapter 3, Table 3.1.
//!
//! # Formula
//! The largest difference of a class's share of sessions, in points. The class of a session is that of its first line.
//!
//! # Cost
//! Time O(lines log lines), memory O(different values).

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::super::super::{Context, Measure, MeasureInfo, Measured, Pair};
use super::{counts, once};
use crate::data::Visits;
use crate::data::visits::{Class, Part};
use crate::error::Result;
use crate::info::Info;

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "browser-usage",
        summary: "the largest difference of a browser's share of sessions",
        paper: "Navarro-Arribas, Torra. New privacy-preserving data mining techniques. Deliverable WP4.T2 of the ARES project (2010), chapter 3",
        details: "Browsers are classes: edge, opera, chrome, firefox, msie, safari, android, bot, other. The headline is the largest difference of a class's \
            share of sessions between the original and the release, in points. Parts: the same for lines (`per_click`) and visitors \
            (`per_visitor`), half of the sum of all differences (`half_sum`), `classes` with the shares of sessions before and after, and \
            `families` with those of the paper's five: firefox, msie, safari, mozilla, others. A comparison over several k says how each \
            class moves: the standard deviation of its share (`sigma`) and how it changes with k (`slope`); slopes add up to 0.",
        parameters: &[],
    },
    unit: "points",
    better: "lower",
    says: "The share of no browser has changed by more than {}.",
    undefined: "there are no sessions",
    trend: "classes",
    ..MeasureInfo::DEFAULT
};

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct BrowserUsage;

impl Measure<Visits> for BrowserUsage {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, Visits>, _context: &Context<'_>) -> Result<Measured> {
        let own = once(pair.original);
        let compare = |of: fn(&Visits, usize) -> Vec<Class>| {
            let before = counts(pair.original, &own, |person| of(pair.original, person));
            let after = counts(pair.release, &pair.multiplicity, |person| of(pair.release, person));
            Class::ALL.map(|class| [share(&before, class), share(&after, class)])
        };
        let most = |shares: &[[f64; 2]]| shares.iter().map(|[own, other]| (own - other).abs()).fold(0.0, f64::max);
        let sessions = compare(|visits, person| {
            visits.sessions(person).iter().filter_map(|rows| rows.first().map(|&row| visits.agent(row).class)).collect()
        });
        let clicks = compare(|visits, person| visits.range(person).map(|row| visits.agent(row).class).collect());
        let visitors =
            compare(|visits, person| visits.range(person).take(1).map(|row| visits.agent(row).class).collect());
        let sum: f64 = sessions.iter().map(|[own, other]| (own - other).abs()).sum();
        let classes = Class::ALL.iter().zip(&sessions).filter(|(_, shares)| **shares != [0.0, 0.0]);
        let classes: Map<String, Value> =
            classes.map(|(class, shares)| (class.name().to_owned(), json!(shares))).collect();
        let of_paper = |visits: &Visits, person: usize| -> Vec<&'static str> {
            let first = |rows: &Vec<usize>| rows.first().copied();
            let family =
                |row: usize| visits.agent(row).class.of_paper(visits.text(Part::Agent, row).unwrap_or_default());
            visits.sessions(person).iter().filter_map(first).map(family).collect()
        };
        let before = counts(pair.original, &own, |person| of_paper(pair.original, person));
        let after = counts(pair.release, &pair.multiplicity, |person| of_paper(pair.release, person));
        let families: Map<String, Value> = ["firefox", "msie", "safari", "mozilla", "others"]
            .into_iter()
            .map(|family| (family.to_owned(), json!([share(&before, family), share(&after, family)])))
            .collect();
        let parts = json!({
            "per_click": most(&clicks),
            "per_visitor": most(&visitors),
            "half_sum": sum / 2.0,
            "classes": classes,
            "families": families,
        });
        Ok(self.measured((pair.original.rows() > 0).then(|| most(&sessions)), parts))
    }
}

/// A class's share of all, in per cent.
fn share<K: Ord>(counts: &BTreeMap<K, u64>, class: K) -> f64 {
    let all = counts.values().sum::<u64>().max(1) as f64;
    100.0 * counts.get(&class).copied().unwrap_or(0) as f64 / all
}

#[cfg(test)]
mod tests {
    use super::super::super::super::testing::CONTEXT;
    use super::*;
    use crate::data::VisitsBuilder;
    use crate::data::visits::{Agent, Visit};

    fn log(agents: &[&str]) -> Visits {
        let mut builder = VisitsBuilder::new();
        for (person, agent) in agents.iter().enumerate() {
            let mut visit = Visit::default();
            visit.texts[Part::Agent as usize] = Some(agent);
            builder.push(&person.to_string(), &visit, 1);
        }
        builder.finish().0.with_agents(|agent| Agent { class: Class::of_family(agent, false), ..Agent::NONE })
    }

    #[test]
    fn by_hand() {
        let (original, release) =
            (log(&["Chrome", "Chrome", "Firefox", "x"]), log(&["Chrome", "Chrome", "Chrome", "x"]));
        let pair = Pair { original: &original, release: &release, multiplicity: vec![1; 4], link: None };
        let found = BrowserUsage.measure(&pair, &CONTEXT).unwrap();
        assert_eq!(found.value, Some(25.0));
        assert_eq!((&found.parts["half_sum"], &found.parts["classes"]["chrome"]), (&json!(25.0), &json!([50.0, 75.0])));
        assert_eq!(found.parts["families"]["firefox"], json!([25.0, 0.0]));
        assert_eq!(found.parts["families"]["others"], json!([75.0, 100.0]));
    }
}
