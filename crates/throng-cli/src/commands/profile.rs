//! `throng profile`.

use throng::run::{self, EvaluateProfilesRequest, ProfilesBuilt, ProfilesCompared, ProfilesEvaluated, ProfilesUpdated};
use throng::words::{self, Line, counted, thousands};
use throng_core::Result;

use super::Done;
use crate::args::{ProfileArgs, ProfileCommand};
use crate::printer::Printer;

/// How many alarms are shown in words.
const SHOWN: usize = 20;
/// How many topics of each.
const TOPICS: usize = 3;

pub(super) fn run(args: &ProfileArgs, show_values: bool, printer: &Printer) -> Result<Done> {
    let mut done = Done::Fine;
    match &args.command {
        ProfileCommand::Build(args) => {
            let request = args.request()?;
            let built = run::build_profiles(&request, printer.progress())?;
            built.notes.iter().for_each(|note| printer.note(note));
            let place = request.out.display();
            printer
                .note(&format!("{place} is as secret as the log: it recognises its persons, and only you can read it"));
            if printer.json {
                printer.json(&built)?;
            } else if printer.wants_summary() {
                printer.text(&words::as_text(&shown_built(&built)))?;
            }
        }
        ProfileCommand::Compare(args) => {
            let found = run::compare_profiles(&args.request(show_values)?, printer.progress())?;
            found.notes.iter().for_each(|note| printer.note(note));
            if printer.json {
                printer.json(&found)?
            } else {
                printer.text(&words::as_text(&compared(&found)))?
            }
            if args.alarm && found.alarms > 0 {
                done = Done::Fails;
            }
        }
        ProfileCommand::Update(args) => {
            let found = run::update_profiles(&args.request()?, printer.progress())?;
            found.notes.iter().for_each(|note| printer.note(note));
            if printer.json {
                printer.json(&found)?;
            } else if printer.wants_summary() {
                printer.text(&words::as_text(&updated(&found)))?;
            }
            if args.alarm && found.refused > 0 {
                done = Done::Fails;
            }
        }
        ProfileCommand::Chart(args) => {
            let drawn = run::chart_profile(&args.request(show_values)?, printer.progress())?;
            drawn.notes.iter().for_each(|note| printer.note(note));
            if printer.json {
                printer.json(&drawn)?;
            } else if printer.wants_summary() {
                let lines = [
                    Line::new("line", thousands(drawn.line)),
                    Line::new("distance", words::number(drawn.distance)),
                    Line::new("alarm", if drawn.alarm { "yes" } else { "no" }),
                    Line::new("topics", thousands(drawn.topics as u64)),
                ];
                printer.text(&words::as_text(&lines))?;
            }
        }
    }
    Ok(done)
}

/// `throng detect evaluate --detector profiles`.
pub(super) fn evaluate(request: &EvaluateProfilesRequest, printer: &Printer) -> Result<Done> {
    let found = run::evaluate_profiles(request, printer.progress())?;
    found.notes.iter().for_each(|note| printer.note(note));
    if printer.json {
        printer.json(&found)?
    } else {
        printer.text(&evaluated(&found))?
    }
    Ok(Done::Fine)
}

fn evaluated(found: &ProfilesEvaluated) -> String {
    let shown = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.3}"));
    let mut text = format!(
        "{:16} {:8} {:>7} {:>12} {:>7} {:>8}\n",
        "topics", "distance", "auc", "equal error", "named", "persons"
    );
    for trial in &found.profiles {
        text.push_str(&format!(
            "{:16} {:8} {:>7} {:>12} {:>7} {:>8}\n",
            trial.topics,
            trial.distance.name(),
            shown(trial.auc),
            shown(trial.equal_error),
            shown(trial.named),
            trial.persons
        ));
    }
    text
}

fn shown_built(built: &ProfilesBuilt) -> Vec<Line> {
    vec![
        Line::new("profiles", thousands(built.persons as u64)),
        Line::new("without one", thousands(built.without_profile as u64)),
        Line::new("topics", format!("{} ({})", thousands(built.topics_count as u64), built.topics)),
    ]
}

fn compared(found: &ProfilesCompared) -> Vec<Line> {
    let mut lines = vec![
        Line::new("distance", found.distance.name()),
        Line::new("judged", counted(found.judged as u64, "person", "persons")),
        Line::new("not judged", thousands(found.not_judged as u64)),
        Line::new("alarms", thousands(found.alarms as u64)),
    ];
    let alarms = || found.persons.iter().filter(|person| person.alarm);
    for person in alarms().take(SHOWN) {
        let id = person.id.as_ref().map_or_else(String::new, |id| format!(" ({id})"));
        let percent = |share: f64| format!("{:.0} %", 100.0 * share);
        let topics: Vec<String> = (person.topics.iter().take(TOPICS))
            .map(|topic| format!("{} {} to {}", topic.name, percent(topic.own), percent(topic.now)))
            .collect();
        let limit = person.limit.map_or_else(String::new, words::number);
        let distance = words::number(person.distance);
        lines.push(Line::more(format!("line {}{id}: {distance} above {limit}; {}", person.line, topics.join(", "))));
    }
    if alarms().count() > SHOWN {
        lines.push(Line::more(format!("and {} more; --json shows all", alarms().count() - SHOWN)));
    }
    lines
}

fn updated(found: &ProfilesUpdated) -> Vec<Line> {
    let mut lines = vec![
        Line::new("updated", counted(found.updated as u64, "profile", "profiles")),
        Line::new("new", thousands(found.added as u64)),
        Line::new("refused", thousands(found.refused as u64)),
        Line::new("not judged", thousands(found.not_judged as u64)),
    ];
    if found.refused > 0 {
        let shown: Vec<String> = found.refused_lines.iter().take(SHOWN).map(u64::to_string).collect();
        let more = if found.refused > SHOWN { ", …" } else { "" };
        let shown = shown.join(", ");
        lines.push(Line::more(format!(
            "their lines raise an alarm (first lines {shown}{more}); --accept takes them in"
        )));
    }
    lines
}
