//! `throng report`.

use throng::run::{self, Heading, MeasureRequest, PrivateReport};
use throng_core::{Error, Result};

use super::{Done, note_unused};
use crate::args::ReportArgs;
use crate::printer::Printer;

pub(super) fn run(args: &ReportArgs, printer: &Printer) -> Result<Done> {
    let private = match (&args.private, args.shared.original()) {
        (Some(place), Some(original)) => Some(PrivateReport {
            place: place.clone(),
            measure: MeasureRequest {
                force: false,
                original,
                release: args.release.as_path().into(),
                measures: args.measure.clone(),
                key: args.shared.key.clone(),
                k: None,
                show_values: true,
                held_out: false,
                attacks: false,
                seed: args.shared.seed.unwrap_or(0),
                ask: args.shared.ask(args.shared.format.as_deref())?,
            },
        }),
        (Some(_), None) => {
            return Err(Error::refused("the private report shows values of the original, which is not given")
                .with_hint("give `--original FILE`, and `--key FILE` if the release has pseudonyms"));
        }
        (None, _) => None,
    };
    let unused: Vec<String> = args.shared.parameters().into_iter().map(|(name, _)| name).collect();
    note_unused("report", "", &args.shared, &unused, printer);
    let heading = Heading { title: args.title.clone(), date: args.date.clone() };
    let place = run::report(&args.release, &heading, private.as_ref(), printer.progress())?;
    if printer.json {
        printer.json(&serde_json::json!({"report": place.display().to_string()}))?;
    } else if printer.wants_summary() {
        printer.text(&format!("report      {}\n", place.display()))?;
    }
    Ok(Done::Fine)
}
