//! `throng attack`.

use throng::run::{self, AttackRequest, EncodingAttackRequest};
use throng::words;
use throng_core::{Error, Result};

use super::{Done, note_unused};
use crate::args::AttackArgs;
use crate::printer::Printer;

pub(super) fn run(args: &AttackArgs, printer: &Printer) -> Result<Done> {
    if run::is_encoded_file(&args.release) {
        return encoded(args, printer);
    }
    if args.salt.is_some() {
        return Err(Error::parameter("salt", "is of encoded records, but the second file is none")
            .with_hint("`throng link encode` makes them"));
    }
    if args.report.is_some() {
        return Err(Error::parameter(
            "report",
            "is of encoded records: attacks on a release stand in its report already",
        ));
    }
    let parse_k = |text: &String| {
        let bad = || Error::parameter("k", format!("is `{text}`, but must be a whole number of at least 1"));
        text.parse::<usize>().ok().filter(|&k| k >= 1).ok_or_else(bad)
    };
    let p = args.shared.p.as_ref().or(args.known.as_ref());
    let usual = AttackRequest::default();
    let request = AttackRequest {
        original: args.before.clone().into(),
        release: args.release.as_path().into(),
        attacks: args.attack.clone(),
        key: args.shared.key.clone(),
        p: p.map(|text| run::parse_numbers("p", "1..5", text)).transpose()?.unwrap_or(usual.p),
        with: args.with.clone(),
        targets: args.targets,
        radius_one: args.radius_one,
        draws: args.draws,
        cell: args.cell.clone(),
        time: args.time.clone(),
        noise: args.noise,
        knowledge: args.knowledge.clone(),
        reference: args.reference.clone(),
        control: args.control.clone(),
        other: args.other.clone(),
        other_key: args.other_key.clone(),
        top: args.top,
        seeds: args.seeds.clone(),
        k: args.shared.k.as_ref().map(parse_k).transpose()?,
        force: args.force,
        seed: args.shared.seed.unwrap_or(usual.seed),
        ask: args.shared.ask(args.shared.format.as_deref())?,
    };
    let outcome = run::attack(&request, printer.progress())?;
    let unused = args.shared.parameters().into_iter().map(|(name, _)| name).filter(|name| name != "k" && name != "p");
    note_unused("attack", outcome.kind, &args.shared, &unused.collect::<Vec<_>>(), printer);
    outcome.notes.iter().for_each(|note| printer.note(note));
    if printer.json {
        printer.json(&outcome)?;
    } else {
        printer.text(&words::attacks(&outcome.attacks, &outcome.skipped))?;
    }
    Ok(match outcome.attacks.is_empty() {
        // Nobody tried: that says nothing of the release.
        true => Done::Partly,
        false if outcome.is_above() => Done::Fails,
        false => Done::Fine,
    })
}

/// Attacks encoded records.
fn encoded(args: &AttackArgs, printer: &Printer) -> Result<Done> {
    let [original] = args.before.as_slice() else {
        return Err(Error::refused("encoded records are attacked with one file of records"));
    };
    let request = EncodingAttackRequest {
        original: original.clone(),
        encoded: args.release.clone(),
        schema: args.shared.schema.clone(),
        key: args.shared.key.clone(),
        salt: args.salt.clone(),
        attacks: args.attack.clone(),
        knowledge: args.knowledge.clone(),
        targets: args.targets.unwrap_or(1000),
        seed: args.shared.seed.unwrap_or_default(),
        report: args.report.clone(),
        options: args.shared.ask(args.shared.format.as_deref())?.reading(),
    };
    let outcome = run::attack_encoded(&request, printer.progress())?;
    if printer.json {
        printer.json(&outcome)?;
    } else {
        printer.text(&words::attacks(&outcome.attacks, &outcome.skipped))?;
    }
    Ok(Done::Fine)
}
