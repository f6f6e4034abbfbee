//! What a `when` asks of what steps found: a number or a word by its name, lists by the names of their entries.

use serde_json::Value;
use throng_core::{Error, Result};

use super::condition::Known;

/// The name of an entry of a list, if it has one.
pub(super) fn name_of(entry: &Value) -> Option<&str> {
    ["name", "model", "detector", "method", "family"].into_iter().find_map(|key| entry.get(key)?.as_str())
}

/// Words that tell how something ended, the worst first.
const WORST_WORDS: [&str; 7] = ["above", "fails", "failed", "partly", "below", "holds", "none"];
/// Numbers that are better the greater they are; others are worse.
const GREATER_IS_BETTER: [&str; 7] = ["accuracy", "precision", "recall", "auc", "k", "smallest_crowd", "rows"];

/// Values under a name, each with whether less of it is worse.
fn under<'v>(value: &'v Value, path: &[&str], less_is_worse: bool, found: &mut Vec<(&'v Value, bool)>) {
    let Some((first, rest)) = path.split_first() else {
        found.push((value, less_is_worse));
        return;
    };
    match value {
        Value::Object(object) => match object.get(*first) {
            Some(inner) => {
                let said = object.get("better").and_then(Value::as_str);
                let is_less = match said {
                    Some(better) if *first == "value" => better == "higher",
                    _ => less_is_worse || GREATER_IS_BETTER.contains(first),
                };
                under(inner, rest, is_less, found);
            }
            None => {
                for list in object.values().filter(|value| value.is_array()) {
                    under(list, path, less_is_worse, found);
                }
            }
        },
        Value::Array(entries) => {
            for entry in entries.iter().filter(|entry| name_of(entry) == Some(*first)) {
                under(entry, rest, less_is_worse, found);
            }
        }
        _ => {}
    }
}

/// The value of a name in what a step found; of several entries of a name the worst.
pub(super) fn worst<'v>(found: &'v Value, step: &str, path: &[&str]) -> Result<Known<'v>> {
    let mut values = Vec::new();
    under(found, path, false, &mut values);
    let known: Vec<(Known<'v>, bool)> =
        values.into_iter().filter_map(|(value, less_is_worse)| Some((Known::of(value)?, less_is_worse))).collect();
    let worst = known.into_iter().reduce(|one, other| if is_worse(&other, &one) { other } else { one });
    worst.map(|(known, _)| known).ok_or_else(|| {
        Error::data(format!("what `{step}` found has no number or word `{}`", path.join(".")))
            .with_hint("a condition on what is not there is neither true nor false: look at the step's found.json in the state folder")
    })
}

fn is_worse(one: &(Known<'_>, bool), other: &(Known<'_>, bool)) -> bool {
    match (&one.0, &other.0) {
        (Known::Number(number), Known::Number(before)) => {
            if one.1 {
                number < before
            } else {
                number > before
            }
        }
        (Known::Word(word), Known::Word(before)) => {
            let rank = |word: &str| WORST_WORDS.iter().position(|known| *known == word).unwrap_or(WORST_WORDS.len());
            rank(word) < rank(before)
        }
        (Known::Truth(yes), Known::Truth(before)) => !*yes && *before,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lists_are_reached_by_name_and_the_worst_counts() {
        let attacks = json!({
            "verdict": "above",
            "attacks": [
                {"name": "profile-match", "rate": 0.01, "verdict": "below"},
                {"name": "profile-match", "rate": 0.04, "verdict": "above"},
                {"name": "uniqueness", "rate": 0.5, "verdict": "none"},
            ],
        });
        let of = |path: &[&str]| worst(&attacks, "proof", path).unwrap();
        assert_eq!(of(&["profile-match", "rate"]), Known::Number(0.04));
        assert_eq!(of(&["attacks", "profile-match", "rate"]), Known::Number(0.04));
        assert_eq!(of(&["profile-match", "verdict"]), Known::Word("above"));
        assert_eq!(of(&["verdict"]), Known::Word("above"));
        let measures = json!({"measures": [
            {"name": "a", "value": 3, "better": "higher"}, {"name": "a", "value": 2, "better": "higher"},
            {"name": "b", "value": 3, "better": "lower"}, {"name": "b", "value": 2, "better": "lower", "parts": {"words": 9}},
        ]});
        let of = |path: &[&str]| worst(&measures, "m", path).unwrap();
        assert_eq!((of(&["a", "value"]), of(&["b", "value"])), (Known::Number(2.0), Known::Number(3.0)));
        assert_eq!(of(&["b", "parts", "words"]), Known::Number(9.0));
        let error = worst(&measures, "m", &["c", "value"]).unwrap_err();
        assert_eq!(error.to_string(), "what `m` found has no number or word `c.value`");
        assert!(worst(&json!({"a": null}), "m", &["a"]).is_err());
    }
}
