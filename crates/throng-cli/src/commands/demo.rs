//! `throng demo`: the whole story on made-up searches.

use std::path::{Path, PathBuf};

use serde_json::json;
use throng::pending::Pending;
use throng::run::{self, CheckRequest, InspectRequest, ProtectRequest, SynthRequest};
use throng::words::{self, Line};
use throng_core::{Error, Result};

use super::{Done, check};
use crate::args::Demo;
use crate::printer::Printer;

const PERSONS: usize = 500;
const K: &str = "5";
/// How many searches the attacker knows.
const KNOWN: u64 = 2;

pub(super) fn run(args: &Demo, printer: &Printer) -> Result<Done> {
    let out = match &args.out {
        Some(out) if out.exists() => {
            return Err(Error::refused(format!("the folder {} exists already", out.display()))
                .with_hint("choose another name for `--out`, or remove the folder"));
        }
        Some(out) => out.clone(),
        None => free_folder(),
    };
    std::fs::create_dir(&out).map_err(|cause| Error::io(format!("make the folder {}", out.display()), cause))?;
    // If anything fails the folder goes away again.
    let unfinished = Pending::new(&out);
    let step = |title: &str| -> Result<()> {
        if printer.wants_summary() { printer.text(&format!("\n{title}\n")) } else { Ok(()) }
    };
    let show = |text: &str| -> Result<()> { if printer.wants_summary() { printer.text(text) } else { Ok(()) } };

    let original = out.join("searches.tsv");
    step(&format!(
        "1. Made-up searches of {PERSONS} persons (no real person in them): throng inspect {}",
        original.display()
    ))?;
    let request = SynthRequest {
        kind: "queries".to_owned(),
        persons: PERSONS,
        seed: args.seed.unwrap_or(1),
        out: original.clone(),
        ..SynthRequest::default()
    };
    run::synth(&request, &mut std::io::sink(), printer.progress())?;
    let request = InspectRequest { file: original.clone().into(), ..InspectRequest::default() };
    let found = run::inspect(&request, printer.progress())?;
    show(&words::as_text(&found.words()))?;

    step(&format!(
        "2. Protected: throng protect {} --out {} --k {K}",
        original.display(),
        out.join("release").display()
    ))?;
    let release = out.join("release");
    let request = ProtectRequest {
        file: original.clone().into(),
        out: release.clone(),
        parameters: vec![("k".to_owned(), K.to_owned())],
        seed: args.seed,
        ..ProtectRequest::default()
    };
    let outcome = run::protect(&request, printer.progress())?;
    // What an attacker achieves is the next step.
    let mut said = outcome.words(&release.display().to_string());
    said.retain(|line| line.label != "attack");
    show(&words::as_text(&said))?;
    show(&words::measures(&outcome.measures, &outcome.skipped))?;

    step(&format!(
        "3. Attacked by the same command, as its report shows: somebody who knows {KNOWN} searches of a person looks for them, in the \
         original and in the release"
    ))?;
    let attack = outcome.attacks.iter().find(|attacked| {
        let knowledge = &attacked.outcome.knowledge;
        knowledge["p"] == KNOWN && knowledge["with"].as_array().is_none_or(Vec::is_empty)
    });
    let said = attack.and_then(|attack| attack.in_words());
    show(&words::as_text(&said.into_iter().map(|said| Line::new("attack", said)).collect::<Vec<_>>()))?;

    let checked = |file: &Path, model: Option<&str>| {
        let request = CheckRequest {
            file: file.into(),
            model: model.map(str::to_owned),
            original: Some(original.clone().into()),
            ..CheckRequest::default()
        };
        run::check(&request, printer.progress())
    };
    step(&format!(
        "4. Checked by the independent verifier: throng check {} --original {}",
        release.display(),
        original.display()
    ))?;
    let after = checked(&release, None)?;
    show(&words::as_text(&after.words()))?;
    step(&format!("5. The original, checked the same way, for comparison: throng check {}", original.display()))?;
    let before = checked(&original, Some("user-k-anonymity"))?;
    show(&words::as_text(&before.words()))?;

    // The folder is finished: give it the name it has, so that it stays.
    unfinished.keep();
    if printer.json {
        printer.json(&json!({
            "folder": out.display().to_string(),
            "original": found,
            "certificate": outcome.certificate,
            "measures": outcome.measures,
            "attack": attack,
            "check": after,
            "check_of_original": before,
        }))?;
    } else if printer.wants_summary() {
        printer.text(&format!(
            "\nNext: throng inspect YOUR_FILE, then throng protect YOUR_FILE --out DIR --k 5\n\
             Open in a browser: {}\n",
            release.join("report.html").display()
        ))?;
    }
    Ok(check::done(&after))
}

/// `throng-demo`, or the first of `throng-demo-2`, … that is free.
fn free_folder() -> PathBuf {
    let names = std::iter::once("throng-demo".to_owned()).chain((2u32..).map(|number| format!("throng-demo-{number}")));
    names.map(PathBuf::from).find(|folder| !folder.exists()).unwrap_or_default()
}
