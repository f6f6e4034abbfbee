//! Whether a report has nothing in it but what throng writes into one: its keys are those of the types, and its names those of the
//! catalogue. Anybody can write a report and its hash into a certificate; but not one that carries something else along.

use std::collections::BTreeMap;

use serde_json::Value;
use throng_core::measures::Measured;

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
        && list("attacks").iter().all(is_known);
    !is_own
}
