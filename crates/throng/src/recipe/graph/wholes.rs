//! What the steps are together: their order, the kinds of what goes between them, and whether a `when` can be answered at all.

use throng_core::Error;
use throng_core::error::nearest;

use super::super::commands::Command;
use super::super::condition::Condition;
use super::super::reading::{Entry, Wrongs};
use super::{Builder, Data, Source, Step, WHEN, When};
use crate::catalog::{self, Role};
use crate::keywords;

impl Builder<'_> {
    /// Steps by how many come before them. None if some wait for each other, which is said.
    pub(super) fn waves(&self, steps: &mut [Step], wrongs: &mut Wrongs) -> Option<Vec<Vec<usize>>> {
        let mut wave: Vec<Option<usize>> = vec![None; steps.len()];
        loop {
            let mut is_more = false;
            for number in 0..steps.len() {
                if wave[number].is_some() {
                    continue;
                }
                let before: Option<Vec<usize>> = steps[number].needs.iter().map(|&need| wave[need]).collect();
                if let Some(before) = before {
                    wave[number] = Some(before.into_iter().max().map_or(0, |last| last + 1));
                    is_more = true;
                }
            }
            if !is_more {
                break;
            }
        }
        if let Some(first) = wave.iter().position(Option::is_none) {
            let circle = circle(steps, &wave, first);
            let names: Vec<String> = circle.iter().map(|&step| format!("`{}`", steps[step].name)).collect();
            let begin = circle.first().copied().unwrap_or(first);
            let error = Error::data(match names.as_slice() {
                [only] => format!("the step {only} waits for itself"),
                _ => format!("the steps {} wait for each other", names.join(", ")),
            })
            .with_hint("a step takes what earlier ones give: one of these joints, or a `when`, must go");
            wrongs.add(self.reader, &self.written.steps[begin].at, error);
            return None;
        }
        let wave: Vec<usize> = wave.into_iter().flatten().collect();
        let count = wave.iter().max().map_or(0, |last| last + 1);
        Some((0..count).map(|number| (0..steps.len()).filter(|&step| wave[step] == number).collect()).collect())
    }

    /// The kinds of what steps give, and whether methods, models and attacks are for what they get.
    pub(super) fn kinds(&self, data: &[Data], steps: &mut [Step], waves: &[Vec<usize>], wrongs: &mut Wrongs) {
        for &number in waves.iter().flatten() {
            let step = &steps[number];
            let entry = &self.written.steps[number];
            let taken = step.joints.iter().filter(|joint| joint.is_input);
            let kinds: Vec<(&str, Option<String>)> = taken
                .map(|joint| {
                    let kind = match &joint.source {
                        Source::Data(at) => data.get(*at).and_then(|data| data.kind.clone()),
                        Source::Step(at, _) => steps[*at].kind.clone(),
                    };
                    (joint.text.as_str(), kind)
                })
                .collect();
            let said = entry.text("as").or_else(|| entry.text("kind")).map(str::to_owned);
            let of_input = kinds.iter().find_map(|(_, kind)| kind.clone());
            if let Some((kind, (other_name, other))) = of_input.as_ref().and_then(|kind| {
                let other = kinds.iter().find(|(_, other)| other.as_ref().is_some_and(|other| other != kind))?;
                Some((kind, (other.0, other.1.clone().unwrap_or_default())))
            }) && step.command.name != "copy"
                && step.command.name != "report"
            {
                let error = Error::data(format!("`{}` is {kind}, and `{other_name}` is {other}", kinds[0].0))
                    .with_hint("a step takes data of one kind");
                wrongs.add(self.reader, &entry.at, error);
            }
            let kind = said.or(of_input);
            if let Some(kind) = &kind {
                self.is_for(entry, step.command, kind, wrongs);
            }
            steps[number].kind = kind;
        }
    }

    /// Says which methods, models, measures and attacks are not for data of a kind.
    fn is_for(&self, entry: &Entry, command: &Command, kind: &str, wrongs: &mut Wrongs) {
        for (key, role) in keywords::roles(command.name) {
            let Some(key) = entry.key(key) else { continue };
            for (said, at) in key.texts().unwrap_or_default() {
                let name = said.split(':').next().unwrap_or_default();
                let Ok(item) = catalog::item(*role, name) else { continue };
                // Detectors of records take data of any kind that have rows.
                if *role == Role::Detector {
                    continue;
                }
                let is_general = *role == Role::Model && name == "k-anonymity";
                if !is_general && !item.kinds.contains(&kind) {
                    let error = Error::data(format!(
                        "the {} `{name}` is for {}, not for {kind}",
                        role.name(),
                        item.kinds.join(", ")
                    ))
                    .with_hint(format!("`throng list {}s` shows those that are", role.name()));
                    wrongs.add(self.reader, at, error);
                }
            }
        }
    }

    /// When a step runs.
    pub(super) fn when(&self, entry: &Entry, known: &[Option<&'static Command>], wrongs: &mut Wrongs) -> Option<When> {
        let key = entry.key(WHEN)?;
        let Some(text) = key.value.as_str() else {
            wrongs.add(self.reader, &key.value_at, Error::data("`when` must be a condition, in quotes"));
            return None;
        };
        let condition = match Condition::read(text) {
            Ok(condition) => condition,
            Err((at, error)) => {
                wrongs.add(self.reader, &self.inside(key, text, &at), error);
                return None;
            }
        };
        for (name, at) in condition.names() {
            let mut path = name.split('.');
            let first = path.next().unwrap_or_default();
            let rest: Vec<&str> = path.collect();
            let step = self.written.steps.iter().position(|step| step.name == first);
            let error = match step {
                None => {
                    let names = self.written.steps.iter().map(|step| step.name.as_str());
                    Some(Error::unknown("step", first, names))
                }
                Some(step) => known.get(step).copied().flatten().and_then(|command| cannot_say(command, first, &rest)),
            };
            if let Some(error) = error {
                wrongs.add(self.reader, &self.inside(key, text, at), error);
            }
        }
        Some(When { text: text.to_owned(), condition })
    }
}

/// Why the result of a step cannot have a key.
fn cannot_say(command: &Command, step: &str, path: &[&str]) -> Option<Error> {
    let is_no_key = |problem: String| Some(Error::data(problem));
    let Some(first) = path.first() else {
        return is_no_key(format!("`{step}` is a step, and no number or word of its result"))
            .map(|error| error.with_hint(format!("for example `{step}.{}`", command.says.last().unwrap_or(&"rows"))));
    };
    if command.says.is_empty() || path.iter().any(|key| key.is_empty()) {
        let is_empty = path.iter().any(|key| key.is_empty());
        return if is_empty { is_no_key(format!("`{step}.{}` is no name", path.join("."))) } else { None };
    }
    // Lists may be named themselves before the name of an entry.
    let lists =
        [("attacks", Role::Attack), ("measures", Role::Measure), ("claims", Role::Model), ("models", Role::Model)];
    let (entry, rest, is_listed) = match lists.iter().find(|(list, _)| list == first) {
        Some(_) if path.len() > 1 => (path[1], &path[2..], true),
        _ => (*first, &path[1..], false),
    };
    if !is_listed && command.says.contains(&entry) {
        return None;
    }
    let named = command.named.iter().find(|named| catalog::item(named.role, entry).is_ok());
    let suggest = |what: String, name: &str, known: Vec<&str>| {
        let error = Error::data(what);
        Some(match nearest(name, known.iter().copied()) {
            Some((edits, near)) if edits <= name.len().max(near.len()) / 2 => {
                error.with_hint(format!("did you mean `{near}`?"))
            }
            _ => error.with_hint(format!("there are {}", known.join(", "))),
        })
    };
    match (named, rest.first()) {
        (Some(named), Some(key)) if named.keys.contains(key) => None,
        (Some(named), Some(key)) => {
            suggest(format!("the result of `{step}` has no `{key}` of `{entry}`"), key, named.keys.to_vec())
        }
        (Some(_), None) => is_no_key(format!("`{step}.{}` is no number or word", path.join("."))),
        (None, _) => {
            let mut known: Vec<&str> = command.says.to_vec();
            for named in command.named {
                known.extend(catalog::items_of(named.role).iter().map(|item| item.info().name));
            }
            suggest(format!("the result of `{step}`, which runs {}, has no `{entry}`", command.name), entry, known)
        }
    }
}

/// Steps that wait for each other, from one that waits for itself at last.
fn circle(steps: &[Step], wave: &[Option<usize>], first: usize) -> Vec<usize> {
    let mut way = vec![first];
    loop {
        let last = way[way.len() - 1];
        let Some(next) = steps[last].needs.iter().copied().find(|&need| wave[need].is_none()) else { return way };
        if let Some(begin) = way.iter().position(|&step| step == next) {
            let mut circle = way.split_off(begin);
            // From the first of the file, each before the one that takes from it.
            circle.reverse();
            let least = circle.iter().enumerate().min_by_key(|(_, step)| **step).map_or(0, |(at, _)| at);
            circle.rotate_left(least);
            return circle;
        }
        way.push(next);
    }
}
