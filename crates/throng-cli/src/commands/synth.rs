//! `throng synth`.

use serde_json::json;
use throng::io::Format;
use throng::kinds;
use throng::run::{self, SynthRequest};
use throng_core::{Error, Result};

use super::Done;
use crate::args::Synth;
use crate::printer::Printer;

pub(super) fn run(args: &Synth, printer: &Printer) -> Result<Done> {
    let request = SynthRequest {
        kind: args.what.clone(),
        persons: args.persons,
        mean_lines: args.mean_lines,
        plant: args.plant,
        accounts: args.accounts,
        mean_items: args.mean_items,
        style: args.style.clone(),
        shape: args.shape.clone(),
        hierarchies_out: args.hierarchies_out.clone(),
        taxonomies: args.taxonomy.clone(),
        seed: args.seed,
        out: args.out.clone(),
        format: args.format.as_deref().map(Format::parse).transpose()?,
    };
    kinds::named(&args.what)?;
    if request.to_stdout() && printer.json {
        return Err(Error::refused("`--json` and `--out -` both want standard output"));
    }
    let made = run::synth(&request, &mut std::io::stdout(), printer.progress())?;
    let out = args.out.display().to_string();
    if printer.json {
        let mut found = json!({"file": out, "persons": args.persons + args.plant * args.accounts, "rows": made.rows});
        if args.plant > 0 {
            found["facts"] = json!(request.facts_place().display().to_string());
        }
        printer.json(&found)?;
    } else if !request.to_stdout() && printer.wants_summary() {
        printer.text(&format!("made up {}: {out}\n", made.said))?;
    }
    Ok(Done::Fine)
}
