//! What of a report may be published: numbers that confirm no guess about a single person.
//!
//! A number with sixteen digits tells whoever has a guess of the original whether it is right, and a count of one tells of
//! one person. So `report.json`, and with it `report.html`, holds less than was measured. `--json` and the private report hold
//! all of it, and `certificate.json` keeps its counts.
//!
//! # Rule
//! It is for everything but what is in [`AS_IT_IS`], and for the certificate's `accounting`, whatever it is called, so that a new
//! measure, attack or part of a report follows it by itself:
//! 1. A number with a fraction is a measure: three significant digits of it are left.
//! 2. A whole number is a count. From 1 to k - 1 it stands as the text `"<k"`. What is no count of anything in the data is
//!    in [`NO_COUNTS`].
//! 3. A number of groups counts their persons: it is hidden where the groups of that size have fewer than k together.
//! 4. A share of persons is a count in disguise, and stands as `"<k"` where it is one of 1 to k - 1 persons: all of
//!    `exposure`, and `above` and what ends in `_share` beside a number of `persons`.
//!    So is `unique_before` of an attack, a share of its `attempts`.
//! 5. So is the share of all lines or items that one value has before (`before`, beside `total_before`).
//!
//! The headline of a measure, its `value`, stays a number. So do the `hits` of an attack, which may have a fraction: they have the
//! three digits of its rate.

use serde_json::{Map, Value};

/// Whole numbers that say how something was measured or attacked, not how much there is.
const NO_COUNTS: [&str; 9] = ["depth", "clusters", "compared", "classes", "size", "p", "q", "draws", "top"];

/// What an attacker knows.
const KNOWLEDGE: &str = "knowledge";

/// Numbers that have a fraction by nature, also where they come as whole ones.
const MEASURED: [&str; 8] = ["hits", "rate", "found", "baseline", "control", "residual", "bound", "unique"];

/// Parts of a report that are no measurement, or have a rule of their own.
const AS_IT_IS: [&str; 10] =
    ["format", "title", "date", "certificate", "example", "groups", "maps", "network", "skipped", "run"];

/// The published form of a report of data in which everybody hides among k.
pub fn published(mut report: Value, k: u64) -> Value {
    let persons = |of: &str| report["certificate"][of]["persons"].as_u64().unwrap_or(0);
    let (before, after) = (persons("input"), persons("output"));
    let hide = |shares: Option<&mut Value>, persons: u64| {
        let shares = shares.and_then(Value::as_object_mut).into_iter().flatten();
        shares.for_each(|(_, share)| hide_share(share, persons, k));
    };
    hide(report.pointer_mut("/exposure/unique_by"), before);
    hide(report.pointer_mut("/exposure/unique_by_after"), after);
    for sort in report.pointer_mut("/exposure/singled_out").and_then(Value::as_array_mut).into_iter().flatten() {
        hide(sort.get_mut("before"), before);
        hide(sort.get_mut("after"), after);
    }
    for size in report.pointer_mut("/groups/sizes").and_then(Value::as_array_mut).into_iter().flatten() {
        if let (Some(each), Some(groups)) = (size["size"].as_u64(), size["groups"].as_u64()) {
            // Enough persons: the number of groups is then no secret, however small it is.
            size["groups"] = if each.saturating_mul(groups) < k { fewer_than(k) } else { groups.into() };
        }
    }
    if let Some(accounting) = report.pointer_mut("/certificate/accounting") {
        walk(accounting, k);
    }
    for attack in report.get_mut("attacks").and_then(Value::as_array_mut).into_iter().flatten() {
        if let (Some(attempts), Some(share)) = (attack["attempts"].as_u64(), attack.pointer_mut("/parts/unique_before"))
        {
            hide_share(share, attempts, k);
        }
    }
    for (name, part) in report.as_object_mut().into_iter().flatten() {
        if !AS_IT_IS.contains(&name.as_str()) {
            walk(part, k);
        }
    }
    report
}

/// A number of the report for people, where it is hidden.
pub(super) fn in_words(text: &str) -> Option<String> {
    let k: u64 = text.strip_prefix('<')?.parse().ok()?;
    Some(format!("fewer than {k}"))
}

fn fewer_than(k: u64) -> Value {
    format!("<{k}").into()
}

fn walk(value: &mut Value, k: u64) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(|inner| walk(inner, k)),
        Value::Object(map) => {
            hide_shares(map, k);
            // How much an attacker knows is no count of anything.
            for (name, inner) in map.iter_mut().filter(|(name, _)| *name != KNOWLEDGE) {
                match inner.as_u64() {
                    Some(whole) if MEASURED.contains(&name.as_str()) => *inner = three_digits(whole as f64).into(),
                    Some(count) if (1..k).contains(&count) && !NO_COUNTS.contains(&name.as_str()) => {
                        *inner = fewer_than(k);
                    }
                    _ => walk(inner, k),
                }
            }
        }
        Value::Number(number) if number.is_f64() => {
            *value = number.as_f64().map_or(Value::Null, |number| three_digits(number).into());
        }
        _ => {}
    }
}

/// Hides the shares of an object that stand for too few of what it counts.
fn hide_shares(map: &mut Map<String, Value>, k: u64) {
    let count = |name: &str| map.get(name).and_then(Value::as_u64);
    let lines = count("total_before");
    if let Some(persons) = count("persons") {
        let undefined = count("undefined").unwrap_or(0);
        for (name, share) in map.iter_mut() {
            match name.as_str() {
                "above" => hide_share(share, persons, k),
                name if name.ends_with("_share") => hide_share(share, persons + undefined, k),
                _ => {}
            }
        }
    }
    if let Some(lines) = lines {
        let tops = map.values_mut().filter_map(Value::as_array_mut).flatten();
        tops.filter_map(|top| top.get_mut("before")).for_each(|share| hide_share(share, lines, k));
    }
}

/// Hides a share if it is one of fewer than k.
fn hide_share(share: &mut Value, of: u64, k: u64) {
    // A thousandth is room for shares that are not exact.
    let is_few = |share: f64| share > 0.0 && share * of as f64 + 0.001 < k as f64;
    if share.as_f64().is_some_and(is_few) {
        *share = fewer_than(k);
    }
}

/// A number with three significant digits.
pub(super) fn three_digits(number: f64) -> f64 {
    format!("{number:.2e}").parse().unwrap_or(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn three_digits_are_left() {
        for (number, left) in
            [(96.375_12, 96.4), (0.000_123_456, 0.000_123), (-1234.5, -1230.0), (0.0, 0.0), (2.0, 2.0)]
        {
            assert_eq!(three_digits(number), left);
        }
        assert_eq!(json!(three_digits(100.0 / 3.0)).to_string(), "33.3");
    }

    #[test]
    fn few_are_hidden_and_measures_are_rounded() {
        let report = json!({
            "certificate": {
                "input": {"persons": 1000, "rows": 3}, "output": {"persons": 990, "rows": 3},
                "method": {"parameters": {"k": 5}},
                "accounting": {"persons_dropped": 10, "lines_above_cap": 1, "rows_refused": 0},
            },
            "exposure": {"unique_by": {"1": 0.001, "2": 0.123_456}, "unique_by_after": {"1": 0.0, "2": 0.005_051},
                "singled_out": [{"facts": "times", "before": {"1": 0.001, "2": 0.987_654}, "after": {"1": 0.002, "2": 0.5}}]},
            "groups": {"count": 3, "sizes": [{"size": 5, "groups": 2}, {"size": 1, "groups": 4}]},
            "measures": [{"name": "m", "value": 2.345_67, "parts": {
                "persons": 961, "undefined": 4, "undefined_share": 4.0 / 965.0, "above": 1.0 / 961.0, "cap": 20.0,
                "depth": 3, "by_size": {"1": 0.001, "2": 7},
                "top_before": [{"value": null, "before": 2.0 / 300.0, "after": 0.5}, {"value": "a", "before": 0.25, "after": 0.0}],
                "total_before": 300,
            }}],
            "attacks": [{"name": "a", "attempts": 4, "hits": 1.234_56, "rate": 0.308_64, "interval": [0.123_45, 1.0],
                "knowledge": {"p": 2}, "unprotected": {"rate": 0.987_654}}],
        });
        let shown = published(report.clone(), 5);
        assert_eq!(
            shown,
            json!({
                "certificate": {
                    "input": {"persons": 1000, "rows": 3}, "output": {"persons": 990, "rows": 3},
                    "method": {"parameters": {"k": 5}},
                    "accounting": {"persons_dropped": 10, "lines_above_cap": "<5", "rows_refused": 0},
                },
                "exposure": {"unique_by": {"1": "<5", "2": 0.123}, "unique_by_after": {"1": 0.0, "2": 0.00505},
                    "singled_out": [{"facts": "times", "before": {"1": "<5", "2": 0.988}, "after": {"1": "<5", "2": 0.5}}]},
                "groups": {"count": 3, "sizes": [{"size": 5, "groups": 2}, {"size": 1, "groups": "<5"}]},
                "measures": [{"name": "m", "value": 2.35, "parts": {
                    "persons": 961, "undefined": "<5", "undefined_share": "<5", "above": "<5", "cap": 20.0,
                    "depth": 3, "by_size": {"1": 0.001, "2": 7},
                    "top_before": [{"value": null, "before": "<5", "after": 0.5}, {"value": "a", "before": 0.25, "after": 0.0}],
                    "total_before": 300,
                }}],
                "attacks": [{"name": "a", "attempts": "<5", "hits": 1.23, "rate": 0.309, "interval": [0.123, 1.0],
                    "knowledge": {"p": 2}, "unprotected": {"rate": 0.988}}],
            })
        );
        // Nothing more happens the second time, and k = 1 hides nothing.
        assert_eq!(published(shown.clone(), 5), shown);
        assert_eq!(published(report, 1)["measures"][0]["parts"]["undefined"], 4);
    }

    #[test]
    fn attacks_and_whatever_comes_after_them_are_rounded_too() {
        let report = json!({
            "format": 1, "certificate": {"accounting": {}}, "skipped": [{"name": "a", "reason": "3 persons"}],
            "attacks": [{
                "name": "known-queries", "attempts": 3, "hits": 2.123_456, "rate": 0.707_818_7, "interval": [0.123_456, 1.0],
                "found": 1, "baseline": 0.000_983_28, "control": null, "bound": 0.2, "verdict": "above",
                "knowledge": {"p": 2, "with": ["times"]}, "before": {"rate": 0.971_234, "hits": 4},
                "parts": {"exact": {"rate": 0.012_345, "found": 0.5}, "bits": 0.050_123},
            }, {"name": "degree", "attempts": 61, "parts": {"unique_before": 1.0 / 61.0}}, {
                "name": "neighbourhood", "attempts": 61, "parts": {"unique_before": 10.0 / 61.0},
            }],
            "content": [{"finder": "email", "rows": 2, "left": 0}],
        });
        let shown = published(report, 5);
        assert_eq!(
            shown["attacks"][0],
            json!({
                "name": "known-queries", "attempts": "<5", "hits": 2.12, "rate": 0.708, "interval": [0.123, 1.0],
                "found": 1.0, "baseline": 0.000_983, "control": null, "bound": 0.2, "verdict": "above",
                "knowledge": {"p": 2, "with": ["times"]}, "before": {"rate": 0.971, "hits": 4.0},
                "parts": {"exact": {"rate": 0.0123, "found": 0.5}, "bits": 0.0501},
            })
        );
        assert_eq!(shown["attacks"][1]["parts"], json!({"unique_before": "<5"}));
        assert_eq!(shown["attacks"][2]["parts"], json!({"unique_before": 0.164}));
        assert_eq!(shown["content"], json!([{"finder": "email", "rows": "<5", "left": 0}]));
        assert_eq!((&shown["format"], &shown["skipped"][0]["reason"]), (&json!(1), &json!("3 persons")));
    }

    #[test]
    fn hidden_numbers_in_words() {
        assert_eq!(in_words("<5").as_deref(), Some("fewer than 5"));
        assert_eq!((in_words("5"), in_words("<script>")), (None, None));
    }
}
