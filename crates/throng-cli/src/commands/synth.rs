//! `throng synth`.

use std::path::Path;

use serde_json::json;
use throng::io::{Format, FormatKind};
use throng::{run, taxonomy};
use throng_core::synth::baskets::{self, BasketsSynth, Style};
use throng_core::synth::documents::{self, DocumentsSynth};
use throng_core::synth::queries::{self, QueriesSynth};
use throng_core::{Error, Kind, Result};

use super::{Done, thousands};
use crate::args::{Synth, parse_kind};
use crate::printer::Printer;

pub(super) fn run(args: &Synth, printer: &Printer) -> Result<Done> {
    let kind = parse_kind(&args.what)?;
    let to_stdout = args.out == Path::new("-");
    if kind == Kind::Documents {
        return make_documents(args, to_stdout, printer);
    }
    let format = format(args, kind, to_stdout)?;
    if to_stdout && printer.json {
        return Err(Error::refused("`--json` and `--out -` both want standard output"));
    }
    let file = (!to_stdout).then_some(args.out.as_path());
    let (stdout, progress) = (&mut std::io::stdout(), printer.progress());
    let (rows, what) = if kind == Kind::Baskets {
        let specs = if args.taxonomy.is_empty() { vec!["wordnet".to_owned()] } else { args.taxonomy.clone() };
        let style = if args.style == "searches" { Style::Searches } else { Style::Shopping };
        let params = baskets::Params { persons: args.persons, mean_items: args.mean_items, seed: args.seed, style };
        let synth = BasketsSynth::new(params, taxonomy::load_all(&specs)?)?;
        (run::synth_baskets(&synth, file, stdout, format, progress)?, "items")
    } else {
        let params = queries::Params { persons: args.persons, mean_lines: args.mean_lines, seed: args.seed };
        (run::synth_queries(&QueriesSynth::new(params)?, file, stdout, format, progress)?, "searches")
    };
    if printer.json {
        printer.json(&json!({"file": args.out.display().to_string(), "persons": args.persons, "rows": rows}))?;
    } else if !to_stdout && printer.wants_summary() {
        let (persons, rows) = (thousands(args.persons as u64), thousands(rows));
        printer.text(&format!("made up {rows} {what} of {persons} persons: {}\n", args.out.display()))?;
    }
    Ok(Done::FINE)
}

/// Documents are JSON lines, or a folder if the name has no ending.
fn make_documents(args: &Synth, to_stdout: bool, printer: &Printer) -> Result<Done> {
    let format = match (&args.format, Format::of_path(&args.out)) {
        (Some(text), _) => Some(Format::parse(text)?),
        (None, Some(format)) => Some(format),
        (None, None) if to_stdout => Some(Format::parse("jsonl")?),
        (None, None) if args.out.extension().is_none() => None,
        (None, None) => {
            return Err(Error::parameter("out", format!("is `{}`, whose ending says no format", args.out.display()))
                .with_hint("end it with .jsonl (also .gz, .zst), or with nothing for a folder"));
        }
    };
    if to_stdout && printer.json {
        return Err(Error::refused("`--json` and `--out -` both want standard output"));
    }
    let specs = if args.taxonomy.is_empty() { vec!["wordnet".to_owned()] } else { args.taxonomy.clone() };
    let params = documents::Params { persons: args.persons, seed: args.seed, ..documents::Params::default() };
    let synth = DocumentsSynth::new(params, &taxonomy::load_all(&specs)?)?;
    let file = (!to_stdout).then_some(args.out.as_path());
    let words = run::synth_documents(&synth, file, &mut std::io::stdout(), format, printer.progress())?;
    if printer.json {
        printer.json(&json!({"file": args.out.display().to_string(), "persons": args.persons, "rows": words}))?;
    } else if !to_stdout && printer.wants_summary() {
        let (count, words) = (thousands(args.persons as u64), thousands(words));
        printer.text(&format!("made up {count} documents of {words} words: {}\n", args.out.display()))?;
    }
    Ok(Done::FINE)
}

/// What was asked for, else what the file's name says.
fn format(args: &Synth, kind: Kind, to_stdout: bool) -> Result<Format> {
    let is_baskets = kind == Kind::Baskets;
    match (&args.format, Format::of_path(&args.out)) {
        (Some(text), _) => Format::parse(text),
        // Text without tabs is one basket a line.
        (None, Some(format)) if is_baskets && format.kind == FormatKind::Tsv && !is_tsv(&args.out) => {
            Ok(Format { kind: FormatKind::Fimi, ..format })
        }
        (None, Some(format)) => Ok(format),
        (None, None) if to_stdout => Format::parse(if is_baskets { "fimi" } else { "tsv" }),
        (None, None) => {
            let endings = if is_baskets { ".dat, .csv, .jsonl" } else { ".tsv, .csv, .jsonl" };
            Err(Error::parameter("out", format!("is `{}`, whose ending says no format", args.out.display()))
                .with_hint(format!("end it with {endings} (also .gz, .zst) or .parquet, or say `--format`")))
        }
    }
}

fn is_tsv(path: &Path) -> bool {
    path.to_string_lossy().to_ascii_lowercase().contains(".tsv")
}
