//! `throng geocode`, and `throng synth town`.

use serde_json::json;
use throng::run::{self, Asked, CheckPointsRequest, MaskDone, ReferenceFile};
use throng::words::{self, Line, counted};
use throng_core::models::spatial_k_anonymity::INFO;
use throng_core::{Error, Result};

use super::Done;
use crate::args::{Check, GeocodeArgs, GeocodeAttack, GeocodeCommand, GeocodeMatch, GeocodePrivate, Synth};
use crate::printer::Printer;

pub(super) fn run(args: &GeocodeArgs, printer: &Printer) -> Result<Done> {
    match &args.command {
        GeocodeCommand::Index(args) => {
            let found = run::index(&args.request(), printer.progress())?;
            finish(&found, &found.notes, printer, || {
                vec![
                    Line::new("level", found.level),
                    Line::new("addresses", counted(found.addresses as u64, "address", "addresses")),
                    Line::new(
                        "streets",
                        format!("{} in {}", found.streets, counted(found.suburbs as u64, "suburb", "suburbs")),
                    ),
                    Line::new("postcodes", found.postcodes.to_string()),
                ]
            })?;
        }
        GeocodeCommand::Match(args) if args.stream => return stream(args, printer),
        GeocodeCommand::Match(args) => {
            let found = run::geocode_match(&args.request(), printer.progress())?;
            finish(&found, &found.notes, printer, || {
                let mut lines = vec![Line::new(
                    "placed",
                    format!("{:.1} % of {}", found.rate * 100.0, counted(found.records as u64, "address", "addresses")),
                )];
                lines.extend(found.levels.iter().map(|(level, count)| Line::new(level.clone(), count.to_string())));
                lines
            })?;
        }
        GeocodeCommand::Mask(args) => {
            let found = run::mask(&args.request()?, printer.progress())?;
            finish(&found, &found.notes, printer, || masked(&found))?;
        }
        GeocodeCommand::Attack(GeocodeAttack::PinMap(args)) => {
            let found = run::pin_map(&args.request()?, printer.progress())?;
            finish(&found, &found.notes, printer, || {
                let mut lines = vec![Line::new("pins", found.pins.to_string())];
                let share = |name: &str, value: Option<f64>| {
                    value.map(|value| Line::new(name, format!("{:.1} %", value * 100.0)))
                };
                lines.extend(share("right", found.right));
                lines.extend(share("within 14 m", found.within_14m));
                lines.extend(share("within 70 m", found.within_70m));
                lines.extend(found.mean_error_m.map(|mean| Line::new("mean error", format!("{mean:.1} m"))));
                lines
            })?;
        }
        GeocodeCommand::Attack(GeocodeAttack::Mask(args)) => {
            let found = run::attack_mask(&args.request(), printer.progress())?;
            finish(&found, &found.notes, printer, || {
                let of = |attack: &serde_json::Value| {
                    let rate = attack["rate"].as_f64().unwrap_or_default() * 100.0;
                    let candidates = attack["parts"]["candidates"].as_f64().unwrap_or_default();
                    let name = attack["name"].as_str().unwrap_or_default().to_owned();
                    Line::new(
                        name,
                        format!(
                            "{rate:.2} % right, {candidates:.1} candidates; knows {}",
                            attack["knowledge"]["knows"].as_str().unwrap_or_default()
                        ),
                    )
                };
                found.attacks.iter().map(of).collect()
            })?;
        }
        GeocodeCommand::Attack(GeocodeAttack::Chaff(args)) => {
            let found = run::attack_chaff(&args.request(), printer.progress())?;
            finish(&found, &found.notes, printer, || {
                let of = |attack: &serde_json::Value| {
                    let percent = |key: &str| attack[key].as_f64().unwrap_or_default() * 100.0;
                    Line::new(
                        attack["name"].as_str().unwrap_or_default().to_owned(),
                        format!(
                            "{:.1} % right, {:.1} % by chance; knows {}",
                            percent("rate"),
                            percent("baseline"),
                            attack["knowledge"]["knows"].as_str().unwrap_or_default()
                        ),
                    )
                };
                found.attacks.iter().map(of).collect()
            })?;
        }
        GeocodeCommand::Private(args) => private(args, printer)?,
        GeocodeCommand::Reverse(args) => {
            let found = run::reverse(&args.request(), printer.progress())?;
            finish(&found, &found.notes, printer, || {
                let mean =
                    found.mean_distance_m.map_or_else(|| "not defined".to_owned(), |mean| format!("{mean:.2} m"));
                vec![Line::new("points", found.points.to_string()), Line::new("mean distance", mean)]
            })?;
        }
    }
    Ok(Done::Fine)
}

fn private(args: &GeocodePrivate, printer: &Printer) -> Result<()> {
    let addresses = |count: usize| counted(count as u64, "address", "addresses");
    let asked = |found: &Asked| {
        finish(found, &found.notes, printer, || {
            vec![
                Line::new("to send", addresses(found.records + found.made_up)),
                Line::new("made up", found.made_up.to_string()),
            ]
        })
    };
    match args {
        GeocodePrivate::Chaff(args) => asked(&run::chaff(&args.request(), printer.progress())?),
        GeocodePrivate::Proxy(args) => asked(&run::chaff(&args.request(), printer.progress())?),
        GeocodePrivate::Unchaff(args) => {
            let records = run::unchaff(&args.request(), printer.progress())?;
            finish(&json!({"records": records}), &[], printer, || vec![Line::new("answered", addresses(records))])
        }
        GeocodePrivate::Encode(args) => {
            let found = run::encode_addresses(&args.request(), printer.progress())?;
            finish(&found, &found.notes, printer, || vec![Line::new("encoded", addresses(found.rows))])
        }
        GeocodePrivate::Match(args) => {
            let (records, found) = run::match_encoded(&args.request(), printer.progress())?;
            finish(&json!({"records": records, "found": found}), &[], printer, || {
                vec![Line::new("found", format!("{found} of {}", addresses(records)))]
            })
        }
        GeocodePrivate::Open(args) => {
            let found = run::open_places(&args.request(), printer.progress())?;
            finish(&found, &[], printer, || {
                vec![Line::new("placed", format!("{} of {}", found.placed, addresses(found.records)))]
            })
        }
    }
}

fn masked(found: &MaskDone) -> Vec<Line> {
    let number = |measure: &str, part: &str| found.measures[measure][part].as_f64().unwrap_or_default();
    let mut lines = vec![
        Line::new("method", found.method),
        Line::new(
            "spatial-k-anonymity",
            format!("{} for k = {}, {}", found.verdict, found.k, counted(found.points as u64, "point", "points")),
        ),
    ];
    if !found.measures.is_null() {
        lines.push(Line::new(
            "local-k",
            format!("{} at least, {} in the middle", number("local-k", "least"), number("local-k", "median")),
        ));
        lines.push(Line::new(
            "shift",
            format!("{:.0} m in the mean, {:.0} m at most", number("shift", "mean"), number("shift", "most")),
        ));
    }
    if let Some(kept) = found.measures["clusters-kept"].as_f64() {
        lines.push(Line::new("clusters-kept", format!("{:.1} % of the pairs", kept * 100.0)));
    }
    lines
}

/// `throng check FILE --model spatial-k-anonymity`.
pub(super) fn check(args: &Check, parameters: &[(String, String)], printer: &Printer) -> Result<Done> {
    let name = INFO.name;
    let said = args.model.first().map_or("", String::as_str);
    let own = said.split_once(':').map(|(_, rest)| {
        rest.strip_prefix("k=").ok_or_else(|| Error::parameter("model", format!("`{name}` has the parameter `k`")))
    });
    let k = own.transpose()?.or(args.shared.k.as_deref()).unwrap_or("20");
    if let Some((flag, _)) = parameters.first() {
        return Err(Error::parameter(flag.clone(), format!("means nothing to `{name}`")));
    }
    if args.model.len() > 1 || args.trusted.is_some() || args.ledger.is_some() || args.policy.is_some() {
        return Err(Error::refused(format!("`{name}` is checked alone")));
    }
    let ([masked], [original], Some(reference)) =
        (args.file.as_slice(), args.shared.original.as_slice(), &args.reference)
    else {
        return Err(Error::refused(format!("`{name}` needs one file of masked points, `--original` and `--ref`"))
            .with_hint(
                "throng check masked.csv --model spatial-k-anonymity --k 20 --original points.csv --ref reference.csv",
            ));
    };
    let request = CheckPointsRequest {
        masked: masked.clone(),
        original: original.clone(),
        reference: ReferenceFile { file: reference.clone(), offset: args.offset },
        k: k.parse().map_err(|_| Error::parameter("k", format!("is `{k}`, but must be a whole number")))?,
    };
    let found = run::check_points(&request, printer.progress())?;
    if printer.json {
        printer.json(&found)?;
    } else {
        let mut lines = vec![
            Line::new(found.model, format!("{} (k = {k})", found.verdict)),
            Line::new("points", found.points.to_string()),
        ];
        lines.extend(found.achieved["k"].as_u64().map(|least| Line::new("least k", least.to_string())));
        if let Some(witness) = &found.witness {
            lines.push(Line::new(
                "witness",
                format!("line {}: {}", witness["line"], witness["problem"].as_str().unwrap_or_default()),
            ));
        }
        lines.extend(found.not_compared.iter().map(|what| Line::new("not compared", what.clone())));
        printer.text(&words::as_text(&lines))?;
    }
    Ok(if found.verdict == "holds" { Done::Fine } else { Done::Fails })
}

/// Prints what was found.
fn finish(
    found: &impl serde::Serialize,
    notes: &[String],
    printer: &Printer,
    lines: impl FnOnce() -> Vec<Line>,
) -> Result<()> {
    notes.iter().for_each(|note| printer.note(note));
    if printer.json {
        printer.json(found)?;
    } else if printer.wants_summary() {
        printer.text(&words::as_text(&lines()))?;
    }
    Ok(())
}

fn stream(args: &GeocodeMatch, printer: &Printer) -> Result<Done> {
    if printer.json {
        return Err(Error::refused("`--stream` and `--json` both want standard output"));
    }
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    args.stream()?.answer(&mut input, &mut output, printer.progress())?;
    Ok(Done::Fine)
}

/// Makes up a town.
pub(super) fn town(args: &Synth, printer: &Printer) -> Result<Done> {
    let request = crate::args::town(args.out.clone(), args.persons, args.addresses, args.seed);
    let made = run::town(&request)?;
    if printer.json {
        printer.json(&made)?;
    } else if printer.wants_summary() {
        let residents = counted(made.residents as u64, "person", "persons");
        printer.text(&format!("made up a town of {} addresses and {residents}: {}\n", made.addresses, made.folder))?;
    }
    Ok(Done::Fine)
}
