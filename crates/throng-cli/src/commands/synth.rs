//! `throng synth`.

use std::path::Path;

use serde_json::json;
use throng::io::Format;
use throng::run;
use throng_core::synth::queries::{Params, QueriesSynth};
use throng_core::{Error, Kind, Result};

use super::{Done, thousands};
use crate::args::{Synth, parse_kind};
use crate::printer::Printer;

pub(super) fn run(args: &Synth, printer: &Printer) -> Result<Done> {
    if parse_kind(&args.what)? != Kind::Queries {
        return Err(Error::refused(format!("there are no made-up {} yet", args.what)));
    }
    let synth = QueriesSynth::new(Params { persons: args.persons, mean_lines: args.mean_lines, seed: args.seed })?;
    let to_stdout = args.out == Path::new("-");
    let format = match (&args.format, Format::of_path(&args.out)) {
        (Some(text), _) => Format::parse(text)?,
        (None, Some(format)) => format,
        (None, None) if to_stdout => Format::parse("tsv")?,
        (None, None) => {
            return Err(Error::parameter("out", format!("is `{}`, whose ending says no format", args.out.display()))
                .with_hint("end it with .tsv, .csv, .jsonl (also .gz, .zst) or .parquet, or say `--format`"));
        }
    };
    if to_stdout && printer.json {
        return Err(Error::refused("`--json` and `--out -` both want standard output"));
    }
    let file = (!to_stdout).then_some(args.out.as_path());
    let rows = run::synth_queries(&synth, file, &mut std::io::stdout(), format, printer.progress())?;
    if printer.json {
        printer.json(&json!({"file": args.out.display().to_string(), "persons": args.persons, "rows": rows}))?;
    } else if !to_stdout && printer.wants_summary() {
        let (persons, rows) = (thousands(args.persons as u64), thousands(rows));
        printer.text(&format!("made up {rows} searches of {persons} persons: {}\n", args.out.display()))?;
    }
    Ok(Done::FINE)
}
