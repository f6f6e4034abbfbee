//! Whether a report has nothing in it but what throng writes into one: its keys are those of the types, and its names those of the
//! catalogue. Anybody can write a report and its hash into a certificate; but not one that carries something else along.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use throng_core::measures::Measured;
use throng_core::paths::cube::Cells;

use super::{FORMAT, Report, RunFacts, check_date, group_sizes};
use crate::catalog::{Role, items};
use crate::certificate::Certificate;
use crate::field_names::field_names;
use crate::run::Skipped;

/// Whether there is more in a report than throng writes into one.
pub(crate) fn has_more(report: &Value, certificate: &Certificate) -> bool {
    let own = Report {
        format: FORMAT,
        title: None,
        date: None,
        certificate,
        exposure: Value::Null,
        example: Value::Null,
        groups: group_sizes(&[]),
        measures: &[],
        attacks: &[],
        maps: Value::Null,
        network: Value::Null,
        skipped: &[],
        run: None,
    };
    let run = RunFacts { seconds: 0.0, peak_memory_mb: None, threads: 0 };
    let measured = Measured {
        name: "",
        value: None,
        reason: None,
        unit: "",
        better: "",
        parts: Value::Null,
        by_person: BTreeMap::new(),
        exposed: Vec::new(),
    };
    let skipped = Skipped { name: "", reason: String::new() };
    let known = items();
    let is_known = |part: &Value| {
        let is_it = |name: &str| {
            let roles = [Role::Measure, Role::Attack];
            known.iter().any(|item| roles.contains(&item.listed.role) && item.info().name == name)
        };
        part["name"].as_str().is_some_and(is_it)
    };
    let list = |name: &str| report[name].as_array().map(Vec::as_slice).unwrap_or_default();
    let is_own = |part: &Value, keys: &[&str]| match part {
        Value::Null => true,
        part => part.as_object().is_some_and(|part| part.keys().all(|key| keys.contains(&key.as_str()))),
    };
    let is_own = report["format"] == FORMAT
        && is_own(report, &field_names(&own))
        && report["date"].as_str().is_none_or(|date| check_date(date).is_ok())
        && is_own(&report["run"], &field_names(&run))
        && report["run"].as_object().into_iter().flatten().all(|(_, value)| value.is_number() || value.is_null())
        && report["groups"].as_object().into_iter().flatten().all(|(key, _)| own.groups.get(key).is_some())
        && list("measures").iter().all(|part| is_own(part, &field_names(&measured)) && is_known(part))
        && list("skipped").iter().all(|part| is_own(part, &field_names(&skipped)) && is_known(part))
        && list("attacks").iter().all(|attack| is_known(attack) && is_plain_attack(attack))
        && list("measures").iter().all(is_plain_measure)
        && report["exposure"]["singled_out"]
            .as_array()
            .into_iter()
            .flatten()
            .all(|facts| facts["facts"].as_str().is_some_and(is_short) && has_numbers_only(facts, &["facts"]))
        && has_numbers_only(&report["exposure"], &["singled_out"])
        && has_numbers_only(&report["groups"], &[])
        && is_own(&report["maps"], &["cells", "flows", "hours", "frames"])
        && has_numbers_only(&report["maps"], &[])
        && is_own(
            &report["network"],
            &["clusters", "lines", "clusters_in_all", "lines_in_all", "edges", "certain", "matrix"],
        )
        && has_numbers_only(&report["network"], &[])
        && persons_in_groups(&report["groups"]).is_none_or(|persons| persons == certificate.output.persons);
    !is_own
}

/// Whether an attack has numbers, and words that throng writes there.
fn is_plain_attack(attack: &Value) -> bool {
    let is_word = |value: &Value, known: &[&str]| value.as_str().is_some_and(|word| known.contains(&word));
    let with = attack["knowledge"]["with"].as_array().into_iter().flatten();
    is_word(&attack["verdict"], &["above", "below", "none"])
        && with.into_iter().all(|with| is_word(with, &["times", "clicks", "browser", "dates"]))
        && attack["knowledge"].get("rows").is_none_or(|rows| is_word(rows, &["all"]))
        && attack["knowledge"]
            .get("cell")
            .is_none_or(|cell| cell.as_str().is_some_and(|cell| Cells::parse(cell).is_ok()))
        && attack["knowledge"].get("time").is_none_or(|time| is_word(time, &["hour", "day", "none"]))
        && attack["knowledge"].get("days").is_none_or(|days| is_word(days, &["first half"]))
        && attack["knowledge"].get("lines").is_none_or(|lines| is_word(lines, &["first half"]))
        && attack["knowledge"].get("places").is_none_or(|places| *places == json!(["home", "work"]))
        && has_numbers_only(&attack["knowledge"], &["with", "rows", "cell", "time", "days", "lines", "places"])
        && has_numbers_only(attack, &["name", "verdict", "knowledge"])
}

/// Whether the words of a measure are short, and none of them is a note; its values are those of the data.
fn is_plain_measure(measure: &Value) -> bool {
    ["unit", "better"].iter().all(|key| measure[*key].as_str().is_none_or(is_short))
        && measure["reason"].as_str().is_none_or(|reason| reason.chars().count() <= LONGEST_REASON)
        && (measure["value"].is_number() || measure["value"].is_null() || is_few(&measure["value"]))
}

/// No reason why a measure is not defined is longer.
const LONGEST_REASON: usize = 200;

fn is_short(word: &str) -> bool {
    word.chars().count() <= 24 && !word.chars().any(char::is_control)
}

/// Whether a count below k stands there, as `<k`.
fn is_few(value: &Value) -> bool {
    value.as_str().and_then(|text| text.strip_prefix('<')).is_some_and(|k| k.parse::<u64>().is_ok())
}

/// Whether there is nothing but numbers in a value, beside some of its keys, in whatever depth.
fn has_numbers_only(value: &Value, but: &[&str]) -> bool {
    match value {
        Value::Object(map) => map
            .iter()
            .filter(|(key, _)| !but.contains(&key.as_str()))
            .all(|(key, value)| key.chars().count() <= LONGEST_KEY && has_numbers_only(value, &[])),
        Value::Array(list) => list.iter().all(|value| has_numbers_only(value, &[])),
        Value::String(_) => is_few(value),
        Value::Number(_) | Value::Bool(_) | Value::Null => true,
    }
}

/// No name of a number is longer.
const LONGEST_KEY: usize = 40;

/// How many persons the groups of a report have together; nothing where a number is hidden.
fn persons_in_groups(groups: &Value) -> Option<u64> {
    let size = |group: &Value| group["size"].as_u64()?.checked_mul(group["groups"].as_u64()?);
    groups["sizes"].as_array()?.iter().map(size).try_fold(0u64, |sum, size| sum.checked_add(size?))
}
