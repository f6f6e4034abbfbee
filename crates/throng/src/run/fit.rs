//! Whether a run fits into the memory that it is allowed, judged before its data are read.

use serde_json::{Map, Value};
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::Skipped;
use crate::catalog::AnyMeasure;
use crate::io::{self, Opened, ReadOptions};
use crate::memory::{self, Work};

/// The persons that every method compares all with all.
const COMPARED_AT_ONCE: f64 = 5_000.0;
/// The fewest blocks of text that are read at once.
const FEWEST_BLOCKS: usize = 2;

/// How a run fits into the memory that it is allowed.
#[derive(Debug, Default)]
pub(super) struct Fit {
    /// How many blocks of text may be read at once, if that is limited.
    pub(super) at_once: Option<usize>,
    /// Measures that do not fit.
    pub(super) skipped: Vec<Skipped>,
}

/// Judges a search log. Refuses one that does not fit; takes away measures that do not.
pub(super) fn fit_log(
    limit: u64,
    opened: &Opened,
    options: &ReadOptions,
    parameters: &Map<String, Value>,
    by_meaning: bool,
    measures: &mut Vec<AnyMeasure>,
    progress: &dyn Progress,
) -> Result<Fit> {
    progress.stage("judging the size", 0);
    let log = io::estimate_log(opened, options)?;
    let is_exact = parameters.get("exact").and_then(Value::as_bool).unwrap_or(false);
    let work = Work {
        log,
        k: parameters.get("k").and_then(Value::as_u64).unwrap_or(5) as usize,
        threads: rayon::current_num_threads(),
        blocks: io::blocks_at_once(),
        is_whole: is_exact || log.persons.strings <= COMPARED_AT_ONCE,
        by_meaning,
    };
    let limited = Work { blocks: FEWEST_BLOCKS, ..work };
    let limit = limit as f64;
    let Some(work) = [work, limited].into_iter().find(|work| work.needs() <= limit) else {
        let (needed, allowed) = (memory::shown(limited.needs()), memory::shown(limit));
        return Err(Error::refused(format!("this needs about {needed} of memory, and `--memory` allows {allowed}"))
            .with_hint(if is_exact {
                "allow that much, or leave out `--exact`"
            } else {
                "allow that much, or protect a part of the persons"
            }));
    };
    let mut skipped = Vec::new();
    measures.retain(|measure| {
        let card = measure.info();
        let needed = work.with_measure(card);
        if needed > limit {
            let reason = format!("needs about {} of memory, above what `--memory` allows", memory::shown(needed));
            skipped.push(Skipped { name: card.info.name, reason });
        }
        needed <= limit
    });
    Ok(Fit { at_once: Some(work.blocks), skipped })
}
