//! `throng synth`.

use std::path::Path;

use serde_json::json;
use throng::io::{ColumnChoice, Format};
use throng::kinds::{self, Ask};
use throng::run::{self, ConnectionsRequest, ProfileRequest, RecordsRequest, SynthRequest};
use throng::words;
use throng_core::synth::records;
use throng_core::{Error, Result};

use super::Done;
use crate::args::Synth;
use crate::printer::Printer;

pub(super) fn run(args: &Synth, printer: &Printer) -> Result<Done> {
    if args.what == "town" {
        return super::geocode::town(args, printer);
    }
    if let Some(log) = &args.profile {
        return describe(args, log, printer);
    }
    if args.what == RECORDS {
        return records(args, printer);
    }
    if args.what == CONNECTIONS {
        return connections(args, printer);
    }
    let request = SynthRequest {
        kind: args.what.clone(),
        persons: args.persons,
        mean_lines: args.mean_lines,
        clicks_only: args.clicks_only,
        plant: args.plant,
        accounts: args.accounts,
        mean_items: args.mean_items,
        style: args.style.clone(),
        shape: args.shape.clone().unwrap_or_default(),
        degree: args.degree,
        nodes_out: args.nodes_out.clone(),
        paper: args.paper,
        site: args.site.clone(),
        bots: args.bots,
        days: args.days,
        items: args.items,
        mean_ratings: args.mean_ratings,
        half_stars: args.half_stars,
        items_file: args.items_file.clone(),
        hierarchies_out: args.hierarchies_out.clone(),
        taxonomies: args.taxonomy.clone(),
        seed: args.seed,
        out: args.out.clone().unwrap_or_default(),
        format: args.format.as_deref().map(Format::parse).transpose()?,
    };
    kinds::named(&args.what)?;
    if request.to_stdout() && printer.json {
        return Err(Error::refused("`--json` and `--out -` both want standard output"));
    }
    let made = run::synth(&request, &mut std::io::stdout(), printer.progress())?;
    let out = request.out.display().to_string();
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

/// What is made up for `throng link`, and is no kind of data.
const RECORDS: &str = "records";

/// What is made up for detectors of intrusions, and is no kind of data.
const CONNECTIONS: &str = "connections";

fn records(args: &Synth, printer: &Printer) -> Result<Done> {
    let params = records::Params { records: args.records, copies: args.copies, changed: args.changed };
    let request = RecordsRequest { params, seed: args.seed, out: args.out.clone().unwrap_or_default() };
    let made = run::synth_records(&request)?;
    if printer.json {
        printer.json(&made)?;
    } else if printer.wants_summary() {
        let count = words::counted(made.records, "record", "records");
        printer.text(&format!("made up {count}: {} in {}\n", made.files.join(", "), made.folder))?;
    }
    Ok(Done::Fine)
}

fn connections(args: &Synth, printer: &Printer) -> Result<Done> {
    let request = ConnectionsRequest { rows: args.rows, seed: args.seed, out: args.out.clone().unwrap_or_default() };
    let made = run::synth_connections(&request)?;
    if printer.json {
        printer.json(&made)?;
    } else if printer.wants_summary() {
        let count = words::counted(made.rows as u64, "record", "records");
        printer.text(&format!("made up {count}, {} of them of attacks, in {}\n", made.attacks, made.file))?;
    }
    Ok(Done::Fine)
}

/// Prints the shape of a log instead of making one up.
fn describe(args: &Synth, log: &Path, printer: &Printer) -> Result<Done> {
    if !kinds::named(&args.what)?.card().can_be_planted {
        return Err(Error::parameter(
            "profile",
            format!("describes search logs: `throng synth queries --profile {}`", log.display()),
        ));
    }
    let ask = Ask {
        format: args.format.as_deref().map(Format::parse).transpose()?,
        columns: args.column.iter().map(|text| ColumnChoice::parse(text)).collect::<Result<_>>()?,
        ..Ask::default()
    };
    let found = run::profile(&ProfileRequest { file: vec![log.to_owned()].into(), ask }, printer.progress())?;
    if printer.json {
        printer.json(&found.profile)?;
    } else {
        printer.text(&found.words())?;
    }
    Ok(Done::Fine)
}
