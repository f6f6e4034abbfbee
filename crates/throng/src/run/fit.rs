//! Whether a run fits into the memory that it is allowed, judged before its data are read.

use serde_json::Value;
use throng_core::data::QueryLog;
use throng_core::methods::Method;
use throng_core::progress::Progress;
use throng_core::{Error, Need, Result};

use super::Skipped;
use super::protect::needs_meaning;
use crate::catalog::{AnyMeasure, AnyMethod};
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

/// Judges a run before its data are read. Refuses one that does not fit; takes away measures that do not.
pub(super) fn fit(
    limit: u64,
    opened: &Opened,
    options: &ReadOptions,
    method: &AnyMethod,
    measures: &mut Vec<AnyMeasure>,
    progress: &dyn Progress,
) -> Result<Fit> {
    progress.stage("judging the size", 0);
    match method {
        AnyMethod::Queries(method) => fit_log(limit, opened, options, method.as_ref(), measures),
        AnyMethod::Baskets(_) => {
            refuse_above(limit, memory::of_baskets(io::estimate_bytes(opened)?), ALLOW)?;
            Ok(Fit::default())
        }
        AnyMethod::Documents(_) => {
            refuse_above(limit, memory::of_documents(io::estimate_bytes(opened)?), ALLOW)?;
            Ok(Fit::default())
        }
    }
}

const ALLOW: &str = "allow that much, or protect a part of the persons";

fn refuse_above(limit: u64, needed: f64, hint: &str) -> Result<()> {
    if needed <= limit as f64 {
        return Ok(());
    }
    let (needed, allowed) = (memory::shown(needed), memory::shown(limit as f64));
    Err(Error::refused(format!("this needs about {needed} of memory, and `--memory` allows {allowed}")).with_hint(hint))
}

fn fit_log(
    limit: u64,
    opened: &Opened,
    options: &ReadOptions,
    method: &dyn Method<QueryLog>,
    measures: &mut Vec<AnyMeasure>,
) -> Result<Fit> {
    let log = io::estimate_log(opened, options)?;
    let (parameters, by_meaning) = (method.parameters(), method.needs_meaning());
    let is_exact = parameters.get("exact").and_then(Value::as_bool).unwrap_or(false);
    let usual = Work {
        log,
        k: parameters.get("k").and_then(Value::as_u64).unwrap_or(5) as usize,
        threads: rayon::current_num_threads(),
        blocks: io::blocks_at_once(),
        is_whole: is_exact || log.persons.strings <= COMPARED_AT_ONCE,
        block_size: parameters.get("block-size").and_then(Value::as_u64).unwrap_or(0) as usize,
        has_taxonomy: by_meaning || needs_meaning(measures),
        by_meaning,
        is_cut: method.cuts_content(),
    };
    // First fewer blocks at once, then no measures that need a taxonomy.
    let fewer = Work { blocks: FEWEST_BLOCKS, ..usual };
    let least = Work { has_taxonomy: by_meaning, ..fewer };
    refuse_above(limit, least.needs(), if is_exact { "allow that much, or leave out `--exact`" } else { ALLOW })?;
    let work = [usual, fewer].into_iter().find(|work| work.needs() <= limit as f64).unwrap_or(least);
    let mut skipped = Vec::new();
    measures.retain(|measure| {
        let card = measure.info();
        let has_taxonomy = work.has_taxonomy || card.needs.contains(&Need::Meaning);
        let with_measure = Work { has_taxonomy, ..work };
        let needed = with_measure.needs().max(with_measure.with_measure(card));
        let fits = needed <= limit as f64;
        if !fits {
            let reason = format!("needs about {} of memory, above what `--memory` allows", memory::shown(needed));
            skipped.push(Skipped { name: card.info.name, reason });
        }
        fits
    });
    Ok(Fit { at_once: Some(work.blocks), skipped })
}
