//! `throng compare`.

use throng::catalog;
use throng::kinds::Ask;
use throng::run::{self, CompareRequest, StudyRequest, parse_ks};
use throng::words;
use throng_core::{Error, Result};

use super::{Done, note_unused};
use crate::args::CompareArgs;
use crate::printer::Printer;

pub(super) fn run(args: &CompareArgs, printer: &Printer) -> Result<Done> {
    if args.model.is_some() {
        return Err(Error::parameter("model", "means nothing to compare: each method is asked for what it promises by itself")
            .with_hint("`throng protect --model …` makes a release that satisfies a model, and `throng check --model …` looks at one"));
    }
    if let Some(name) = &args.study {
        return study(name, args, printer);
    }
    let mut asked = args.shared.parameters();
    // A k is asked for by itself, and several of them.
    asked.retain(|(name, _)| name != "k");
    let request = CompareRequest {
        file: args.file.clone().into(),
        out: args.out.clone(),
        overwrite: args.overwrite,
        methods: args
            .methods
            .iter()
            .map(|method| asked.iter().fold(method.clone(), |typed, (name, value)| with(&typed, name, value)))
            .collect(),
        ks: parse_ks(args.shared.k.as_deref().unwrap_or("2..10"))?,
        measures: args.measures.clone(),
        held_out: args.held_out,
        no_attacks: args.no_attacks,
        sample: args.sample,
        seed: args.shared.seed,
        repeat: args.repeat,
        least_k: args.least_k,
        charts: args.charts.clone(),
        title: args.title.clone(),
        date: args.date.clone(),
        ask: Ask { drop: args.drop.clone(), ..args.shared.ask(args.shared.format.as_deref())? },
    };
    let is_unheeded = |name: &&String| !args.methods.iter().any(|method| takes(method, name));
    let unused: Vec<String> =
        asked.iter().map(|(name, _)| name).filter(|name| *name != "exact").filter(is_unheeded).cloned().collect();
    if let Some(name) = unused.iter().find(|name| !printer.from_file.has(name)) {
        return Err(Error::parameter(name, "asks for protection that none of the methods gives")
            .with_hint("leave it out, or compare a method that has it: `throng explain NAME` lists what one takes"));
    }
    let comparison = run::compare(&request, printer.progress())?;
    note_unused("compare", &comparison.input.kind, &args.shared, &unused, printer);
    if printer.json {
        printer.json(&comparison)?;
    } else {
        printer.text(&comparison.text())?;
        if printer.wants_summary() {
            printer.text(&format!(
                "compared    {}\n",
                throng::pending::dated(&args.out).join("comparison.html").display()
            ))?;
        }
    }
    Ok(Done::Fine)
}

/// Repeats a paper's evaluation.
fn study(name: &str, args: &CompareArgs, printer: &Printer) -> Result<Done> {
    let request = StudyRequest {
        file: args.file.clone().into(),
        out: args.out.clone(),
        study: name.to_owned(),
        sample: args.sample,
        repeat: args.repeat,
        seed: args.shared.seed.unwrap_or(0),
        ask: args.shared.ask(args.shared.format.as_deref())?,
    };
    let studied = run::study(&request, printer.progress())?;
    if studied.persons < studied.of {
        printer.note(&format!(
            "drew {} of {} rows; `--sample N` takes others",
            words::thousands(studied.persons as u64),
            words::thousands(studied.of as u64)
        ));
    }
    if printer.json {
        printer.json(&studied)?;
    } else {
        let line = |part: &run::StudyPart| {
            words::Line::new(part.name, studied.folder.join(format!("{}.csv", part.name)).display().to_string())
        };
        printer.text(&words::as_text(&studied.parts.iter().map(line).collect::<Vec<_>>()))?;
    }
    Ok(Done::Fine)
}

/// A method as typed, with a parameter that was given for all of them, if it takes it and has none of its own.
fn with(typed: &str, name: &str, value: &str) -> String {
    let is_said = typed.split(':').skip(1).any(|own| own.split('=').next() == Some(name));
    match (takes(typed, name) && !is_said, value) {
        (true, "true") => format!("{typed}:{name}"),
        (true, value) => format!("{typed}:{name}={value}"),
        (false, _) => typed.to_owned(),
    }
}

/// Whether a method as typed takes a parameter.
fn takes(typed: &str, name: &str) -> bool {
    let method = typed.split(':').next().unwrap_or_default();
    catalog::item(catalog::Role::Method, method)
        .is_ok_and(|item| item.info().parameters.iter().any(|parameter| parameter.name == name))
}
