//! `throng inspect`.

use std::fmt::Write as _;

use throng::io::Role;
use throng::run::Inspection;
use throng::{io, run};
use throng_core::concepts::coverage::{Known, SamplePhrase};
use throng_core::distance::user_distance::QueryWeights;
use throng_core::{Error, Kind, Result};

use super::{Done, note_refused, note_unmapped, note_unused, number, percent, thousands};
use crate::args::Inspect;
use crate::printer::Printer;

pub(super) fn run(args: &Inspect, printer: &Printer) -> Result<Done> {
    let options = args.shared.read_options(args.shared.format.as_deref())?;
    let options = run::release_options(&args.file, &options)?.options;
    let location = io::resolve(&args.file)?;
    let concepts = args.concepts.then(|| least_persons(args)).transpose()?;
    let used = |name: &String| name == "k" && concepts.is_some();
    let parameters: Vec<String> =
        args.shared.parameters().into_iter().map(|(name, _)| name).filter(|name| !used(name)).collect();
    if let Some([first, second]) = args.distance.as_deref() {
        let weights = if args.query_weights == "printed" { QueryWeights::Printed } else { QueryWeights::Text };
        note_unused("inspect", Kind::Queries.name(), &args.shared, &parameters, printer);
        let outcome = run::distance(&location, &options, [first, second], weights, printer.progress())?;
        if printer.json {
            printer.json(&outcome)?;
        } else {
            printer.text(&distance_text(&outcome))?;
        }
        return Ok(Done::FINE);
    }
    let baskets = args.shared.basket_options()?;
    let seed = args.shared.seed.unwrap_or(0);
    let found = run::inspect_concepts(&location, &options, &baskets, seed, concepts, printer.progress())?;
    let (kind, refused, unmapped) = match &found {
        Inspection::Queries(found) => (found.kind, found.rows_refused, &found.unmapped),
        Inspection::Baskets(found) => (found.kind, found.rows_refused, &found.unmapped),
        Inspection::Documents(found) => (found.kind, found.rows_refused, &found.unmapped),
    };
    note_unused("inspect", kind, &args.shared, &parameters, printer);
    note_refused(kind, refused, printer);
    note_unmapped(unmapped, "not part of a release", printer);
    if printer.json {
        printer.json(&found)?;
    } else {
        printer.text(&text(&found))?;
    }
    Ok(Done::FINE)
}

/// How many persons share each sample.
fn least_persons(args: &Inspect) -> Result<usize> {
    const USUAL: usize = 5;
    let Some(text) = &args.shared.k else { return Ok(USUAL) };
    let number = text.parse::<usize>().ok().filter(|&k| k >= 2);
    number.ok_or_else(|| Error::parameter("k", format!("is `{text}`, but must be a whole number of at least 2")))
}

/// What a file is, in words.
pub(super) fn text(found: &Inspection) -> String {
    match found {
        Inspection::Queries(found) => queries_text(found),
        Inspection::Baskets(found) => baskets_text(found),
        Inspection::Documents(found) => documents_text(found),
    }
}

fn baskets_text(found: &run::InspectedBaskets) -> String {
    let mut text = String::new();
    let lengths = &found.lengths;
    let _ = writeln!(text, "kind        {} ({})", found.kind, found.format);
    let _ = writeln!(
        text,
        "persons     {} ({} with nothing)",
        thousands(found.persons as u64),
        thousands(lengths.empty as u64)
    );
    let (rows, different) = (thousands(found.rows as u64), thousands(found.distinct_items as u64));
    let _ = writeln!(text, "items       {rows} ({different} different)");
    let _ = writeln!(
        text,
        "lengths     {} to {}, mean {}, median {}",
        lengths.least,
        lengths.greatest,
        number(lengths.mean),
        lengths.median
    );
    if let (Some(items), Some(occurrences)) = (found.items_unknown, found.occurrences_unknown) {
        let (items, occurrences) = (thousands(items), thousands(occurrences));
        let _ = writeln!(text, "taxonomy    does not know {items} items of {occurrences} occurrences");
    }
    exposure_text("items", &found.unique_by, &mut text);
    concepts_text("items", found.concepts.as_ref(), &mut text);
    text
}

fn documents_text(found: &run::InspectedDocuments) -> String {
    let mut text = String::new();
    let lengths = &found.lengths;
    let _ = writeln!(text, "kind        {} ({})", found.kind, found.format);
    let (documents, empty) = (thousands(found.persons as u64), thousands(lengths.empty as u64));
    let _ = writeln!(text, "documents   {documents} ({empty} without a term)");
    if let Some(count @ 1..) = found.files_left_out {
        let files = if count == 1 { "file" } else { "files" };
        let _ = writeln!(text, "left out    {} {files}: hidden, links, or of other endings", thousands(count));
    }
    if let Some(words) = found.words {
        let _ = writeln!(text, "words       {}", thousands(words));
    }
    let _ = writeln!(text, "terms       {} different", thousands(found.distinct_terms as u64));
    let _ = writeln!(
        text,
        "lengths     {} to {} terms, mean {}, median {}",
        lengths.least,
        lengths.greatest,
        number(lengths.mean),
        lengths.median
    );
    if let (Some(items), Some(occurrences)) = (found.items_unknown, found.occurrences_unknown) {
        let (items, occurrences) = (thousands(items), thousands(occurrences));
        let _ = writeln!(text, "taxonomy    does not know {items} words of {occurrences} occurrences");
    }
    if found.distinct_labels > 0 {
        let labels = found.labels.iter().map(|(label, count)| format!("{label} {count}")).collect::<Vec<_>>();
        let hidden = found.distinct_labels - found.labels.len();
        let hidden = (hidden > 0).then(|| format!("{hidden} of fewer than 5 documents"));
        let labels: Vec<String> = labels.into_iter().chain(hidden).collect();
        let _ = writeln!(text, "labels      {}", labels.join(", "));
    }
    let _ = writeln!(text, "exposure    share of documents singled out by knowing this many of their terms:");
    shares_text(&found.unique_by, &mut text);
    text
}

fn exposure_text(what: &str, unique_by: &serde_json::Value, text: &mut String) {
    let _ = writeln!(text, "exposure    share of persons singled out by knowing this many of their {what}:");
    shares_text(unique_by, text);
}

fn shares_text(unique_by: &serde_json::Value, text: &mut String) {
    for known in ["1", "2", "3"] {
        let _ = writeln!(text, "            {known}: {}", percent(unique_by[known].as_f64().unwrap_or_default()));
    }
}

fn queries_text(found: &run::Inspected) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "kind        {} ({})", found.kind, found.format);
    let column = |role: &Role| Some(format!("{} = {}", role.name(), found.columns.get(role.name())?.as_str()?));
    let columns: Vec<String> = Role::ALL.iter().filter_map(column).collect();
    let _ = writeln!(text, "columns     {}", columns.join(", "));
    let _ = writeln!(text, "persons     {}", thousands(found.persons as u64));
    let clicked = found.rows_with_click as f64 / found.rows.max(1) as f64;
    let _ = writeln!(text, "rows        {} ({} with a click)", thousands(found.rows as u64), percent(clicked));
    let _ = writeln!(text, "queries     {} different strings", thousands(found.distinct_queries as u64));
    let _ = writeln!(text, "times       {} to {}", found.first_time, found.last_time);
    exposure_text("queries", &found.unique_by, &mut text);
    concepts_text("queries", found.concepts.as_ref(), &mut text);
    text
}

fn concepts_text(what: &str, found: Option<&run::ConceptsFound>, text: &mut String) {
    let Some(run::ConceptsFound { taxonomy, coverage }) = found else { return };
    let part =
        |known: &Known| format!("{} of {} ({})", thousands(known.known), thousands(known.all), percent(known.share));
    let ways = &coverage.found;
    let _ = writeln!(text, "concepts    of {taxonomy}: {} different", thousands(coverage.different_concepts));
    let _ = writeln!(text, "            {} with a concept, each different one counted once", part(&coverage.strings));
    let _ = writeln!(text, "            {} with a concept, as often as they occur", part(&coverage.lines));
    let _ = writeln!(text, "            {} persons with a concept", part(&coverage.persons));
    let _ = writeln!(
        text,
        "phrases     {} known: {} exact, {} shortened, {} by spelling, {} by site",
        part(&coverage.phrases),
        thousands(ways.exact),
        thousands(ways.shortened),
        thousands(ways.spelling),
        thousands(ways.site)
    );
    let _ = writeln!(
        text,
        "            {} occurrences of {} different phrases unknown",
        thousands(ways.unknown),
        thousands(coverage.phrases_unknown)
    );
    let k = coverage.k;
    if coverage.samples.is_empty() {
        let _ = writeln!(text, "samples     none: no {what} are shared by {k} persons");
        return;
    }
    let _ = writeln!(text, "samples     the most frequent {what} of at least {k} persons:");
    for sample in &coverage.samples {
        let meaning = |phrase: &SamplePhrase| match (&phrase.concept, phrase.path.as_slice()) {
            (Some(concept), [.., above, _]) => format!("{} = {concept} < {above}", phrase.term),
            (Some(concept), _) => format!("{} = {concept}", phrase.term),
            (None, _) => format!("{} = ?", phrase.term),
        };
        let phrases: Vec<String> = sample.phrases.iter().map(meaning).collect();
        let phrases = if phrases.is_empty() { "-".to_owned() } else { phrases.join("; ") };
        let _ = writeln!(text, "            {} ({} persons): {phrases}", sample.text, thousands(sample.persons));
    }
}

fn distance_text(outcome: &run::DistanceOutcome) -> String {
    let mut text = String::new();
    let parts = &outcome.parts;
    let _ = writeln!(text, "user distance    {}   = (activity + lines) / 2", number(outcome.distance));
    let _ = writeln!(text, "  activity       {}   difference in the number of lines", number(parts.activity));
    let _ = writeln!(text, "  lines          {}   Hausdorff distance over the lines", number(parts.lines));
    let Some(line) = &parts.deciding else {
        text.push_str("  both have the same lines\n");
        return text;
    };
    let whose = if line.from_first { "first" } else { "second" };
    let _ = writeln!(text, "  decided by a line of the {whose} person and its nearest at the other:");
    let _ = writeln!(text, "    time         {}", number(line.time));
    let _ = writeln!(text, "    rank         {}", number(line.rank));
    let _ = writeln!(text, "    url          {}", number(line.url));
    let _ = writeln!(text, "    query        {}   counts three times", number(line.query));
    let _ = writeln!(text, "      terms      {}   difference in the number of words", number(line.terms));
    let _ = writeln!(text, "      words      {}   Hausdorff distance over the words", number(line.words));
    text
}
