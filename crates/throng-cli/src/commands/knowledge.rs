//! `throng paths cluster`, `patterns` and `classify`.

use throng::run::{self, Applied, ClustersMade, Judged, PatternsFound};
use throng::words::{self, Line, counted, percent};
use throng_core::Result;
use throng_core::paths::patterns::Pattern;
use throng_core::paths::rules::Rules;

use crate::args::{Classify, ClassifyCommand, Cluster, Patterns};
use crate::printer::Printer;

pub(super) fn cluster(args: &Cluster, printer: &Printer) -> Result<()> {
    if args.several.party {
        return super::link::steps(&run::cluster_party(&args.party()?, printer.progress())?, printer);
    }
    let made = run::cluster_paths(&args.request()?, printer.progress())?;
    made.notes.iter().for_each(|note| printer.note(note));
    if printer.json {
        printer.json(&made)
    } else if args.out.is_none() {
        printer.text(&made.text)
    } else if printer.wants_summary() {
        printer.text(&words::as_text(&clusters(&made)))
    } else {
        Ok(())
    }
}

fn clusters(made: &ClustersMade) -> Vec<Line> {
    let what = if made.tracks == made.persons { "persons".to_owned() } else { format!("{} trips", made.tracks) };
    let mut lines =
        vec![Line::new("clusters", format!("{} of {what}, {} in none", made.clusters.len(), made.unclustered))];
    if let Some([from, to]) = &made.interval {
        lines.push(Line::new("interval", format!("{from} to {to}")));
    }
    for cluster in &made.clusters {
        let hidden = if cluster.summary.is_some() { "" } else { ": too few for a summary" };
        let persons = counted(cluster.persons as u64, "person", "persons");
        lines.push(Line::new(format!("cluster {}", cluster.cluster), format!("{persons}{hidden}")));
    }
    lines
}

pub(super) fn patterns(args: &Patterns, printer: &Printer) -> Result<()> {
    let found = run::find_patterns(&args.request()?, printer.progress())?;
    found.notes.iter().for_each(|note| printer.note(note));
    if printer.json {
        printer.json(&found)
    } else if args.out.is_some() && !printer.wants_summary() {
        Ok(())
    } else {
        printer.text(&words::as_text(&patterns_found(&found, args.out.is_some())))
    }
}

/// So many patterns are shown in words.
const SHOWN: usize = 20;

fn patterns_found(found: &PatternsFound, in_file: bool) -> Vec<Line> {
    let patterns = &found.found.patterns;
    let count = counted(patterns.len() as u64, "pattern", "patterns");
    let mut lines = vec![Line::new(
        "patterns",
        format!("{count} of at least {} of {} persons", found.found.support, found.found.persons),
    )];
    for pattern in patterns.iter().take(SHOWN) {
        lines.push(Line::new(counted(pattern.persons as u64, "person", "persons"), in_words(pattern)));
    }
    if patterns.len() > SHOWN {
        let where_to = if in_file { "in the file" } else { "with `--out FILE` or `--json`" };
        lines.push(Line::new("more", format!("{} {where_to}", patterns.len() - SHOWN)));
    }
    lines
}

fn in_words(pattern: &Pattern) -> String {
    let mut text = pattern.cells[0].clone();
    for (step, cell) in pattern.cells.iter().skip(1).enumerate() {
        let took = pattern
            .transitions
            .as_ref()
            .map_or_else(String::new, |steps| format!(" ({} min)", (steps[step].typical as f64 / 60.0).round()));
        text.push_str(&format!(" >{took} {cell}"));
    }
    text
}

pub(super) fn classify(args: &Classify, printer: &Printer) -> Result<()> {
    match &args.command {
        ClassifyCommand::Train(args) => {
            let trained = run::train_rules(&args.request()?, printer.progress())?;
            trained.notes.iter().for_each(|note| printer.note(note));
            match printer.json {
                true => printer.json(&trained),
                false => printer.text(&words::as_text(&rules(&trained.rules))),
            }
        }
        ClassifyCommand::Apply(args) => {
            let applied = run::apply_rules(&args.request()?, printer.progress())?;
            applied.notes.iter().for_each(|note| printer.note(note));
            if printer.json {
                printer.json(&applied)
            } else if args.out.is_none() {
                printer.text(&applied.text)
            } else {
                printer.text(&words::as_text(&labels(&applied)))
            }
        }
        ClassifyCommand::Evaluate(args) => {
            let judged = run::judge_rules(&args.request()?, printer.progress())?;
            judged.notes.iter().for_each(|note| printer.note(note));
            match printer.json {
                true => printer.json(&judged),
                false => printer.text(&words::as_text(&worth(&judged))),
            }
        }
    }
}

fn rules(rules: &Rules) -> Vec<Line> {
    let mut lines = Vec::new();
    for rule in &rules.rules {
        let conditions: Vec<String> = rule.conditions.iter().map(ToString::to_string).collect();
        let conditions =
            if conditions.is_empty() { "always".to_owned() } else { format!("if {}", conditions.join(", ")) };
        let text = format!("{conditions} ({} of {} right, {} persons)", rule.right, rule.tracks, rule.persons);
        lines.push(Line::new(rule.label.clone(), text));
    }
    lines.push(Line::new("otherwise", rules.otherwise.clone()));
    if rules.left_out > 0 {
        lines.push(Line::new("left out", format!("{} without a label that enough persons have", rules.left_out)));
    }
    lines
}

fn labels(applied: &Applied) -> Vec<Line> {
    applied.counts.iter().map(|(label, count)| Line::new(label.clone(), count.to_string())).collect()
}

fn worth(judged: &Judged) -> Vec<Line> {
    let found = &judged.evaluation;
    let mut lines = vec![
        Line::new(
            "right",
            format!(
                "{} of {} ({} always saying the most frequent label)",
                percent(found.accuracy),
                found.tracks,
                percent(found.baseline)
            ),
        ),
        Line::new(
            "judged",
            format!("{} persons in {} parts, each by rules that the others taught", found.persons, found.folds),
        ),
    ];
    for label in &found.labels {
        let precision = label
            .precision
            .map_or_else(|| "never said".to_owned(), |share| format!("right {} of the time", percent(share)));
        lines.push(Line::new(label.label.clone(), format!("{} found, {precision}", percent(label.recall))));
    }
    lines
}
