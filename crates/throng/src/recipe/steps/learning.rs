//! Steps that learn from labelled data, and judge what was learnt.

use throng_core::Result;

use super::{Did, Work, as_json};
use crate::io::BadLines;
use crate::run::{self, TableReading, TrainTableRequest};

/// Where a model lies.
const MODEL: &str = "model.json";

pub(in super::super) fn train(work: &Work<'_>) -> Result<Did> {
    let request = TrainTableRequest { out: work.folder.join(MODEL), ..work.request()? };
    let trained = run::train_table(&request, work.progress)?;
    Ok(Did::fine(as_json(&trained)?).with_notes(trained.notes))
}

/// How a table is read, as the keys of a step say it.
pub(super) fn reading(work: &Work<'_>) -> TableReading {
    TableReading {
        format: work.text("format").map(str::to_owned),
        no_header: work.keys.get("no-header").is_some_and(|said| *said == true),
        bad_lines: if work.text("bad-lines") == Some("skip") { BadLines::Skip } else { BadLines::Fail },
    }
}
