//! Parameters of methods and models, as people type them.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use throng_core::{Error, Info, ParameterKind, Result};

/// Parameters as typed, turned into values for an item; those that the item does not have are given back by name.
///
/// All bad values are reported together.
pub fn typed(info: &Info, typed: &[(String, String)]) -> Result<(Map<String, Value>, Vec<String>)> {
    let (mut values, mut unused, mut errors) = (Map::new(), Vec::new(), Vec::new());
    for (name, text) in typed {
        let Some(parameter) = info.parameters.iter().find(|parameter| parameter.name == name) else {
            unused.push(name.clone());
            continue;
        };
        match value(name, text, parameter.kind) {
            Ok(value) => {
                values.insert(name.clone(), value);
            }
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() { Ok((values, unused)) } else { Err(Error::parameters(errors)) }
}

fn value(name: &str, text: &str, kind: ParameterKind) -> Result<Value> {
    match kind {
        ParameterKind::Count => text.parse::<u64>().map(Value::from).map_err(|_| {
            Error::parameter(name, format!("is `{text}`, but must be a whole number"))
                .with_hint(format!("for example `--{name} 5`"))
        }),
        ParameterKind::Share => {
            let share = text.parse::<f64>().ok().filter(|&share| share > 0.0 && share <= 1.0);
            share.map(Value::from).ok_or_else(|| {
                Error::parameter(name, format!("is `{text}`, but must be a fraction above 0, at most 1"))
                    .with_hint(format!("for example `--{name} 0.8`"))
            })
        }
        ParameterKind::Weight => {
            let weight = text.parse::<f64>().ok().filter(|weight| weight.is_finite() && *weight >= 0.0);
            weight.map(Value::from).ok_or_else(|| {
                Error::parameter(name, format!("is `{text}`, but must be a number, 0 or greater"))
                    .with_hint(format!("for example `--{name} 0.5`"))
            })
        }
        ParameterKind::Switch => text
            .parse::<bool>()
            .map(Value::from)
            .map_err(|_| Error::parameter(name, format!("is `{text}`, but must be true or false"))),
        ParameterKind::Choice(choices) => {
            if choices.contains(&text) {
                return Ok(Value::from(text));
            }
            Err(Error::parameter(name, format!("is `{text}`, but must be one of {}", choices.join(", "))))
        }
        ParameterKind::Duration => span(name, text).map(Value::from),
        ParameterKind::Text if text.trim().is_empty() => {
            Err(Error::parameter(name, "is empty, but must be a name")
                .with_hint(format!("for example `--{name} NAME`")))
        }
        ParameterKind::Text => Ok(Value::from(text)),
        _ => Err(Error::internal("a kind of parameter that the catalogue does not read")),
    }
}

/// A span of time in seconds, of a flag.
pub fn span(name: &str, text: &str) -> Result<u64> {
    seconds(text).ok_or_else(|| {
        Error::parameter(name, format!("is `{text}`, but must be a span of time"))
            .with_hint("seconds, minutes, hours or days: `1s`, `15m`, `1h`, `1d`")
    })
}

/// A span of time in seconds.
fn seconds(text: &str) -> Option<u64> {
    let unit = text.chars().last()?;
    let factor = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3600,
        'd' => 86_400,
        'y' => 365 * 86_400,
        _ => return None,
    };
    let number: u64 = text[..text.len() - 1].parse().ok()?;
    let most = if unit == 'y' { 100 * factor } else { 366 * 86_400 };
    number.checked_mul(factor).filter(|&seconds| seconds <= most)
}

pub(crate) fn params<P: DeserializeOwned>(given: Map<String, Value>) -> Result<P> {
    serde_json::from_value(Value::Object(given))
        .map_err(|cause| Error::refused(format!("the parameters cannot be used: {cause}")))
}

/// Parameters that ask for more protection.
const PROTECTING: [&str; 8] = ["k-column", "time-resolution", "min-persons", "accounts", "m", "h", "p", "rho"];

/// Refuses parameters that ask for protection, of which a method knows nothing: they cannot be heeded.
pub(crate) fn refuse_unheeded(method: &Info, unused: &[String]) -> Result<()> {
    let Some(name) = unused.iter().find(|name| PROTECTING.contains(&name.as_str())) else { return Ok(()) };
    Err(Error::parameter(name, format!("asks for protection that the method `{}` does not give", method.name))
        .with_hint(format!(
            "leave it out, or choose a method that has it: `throng explain {}` lists what this one takes",
            method.name
        )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_of_time() {
        assert_eq!(seconds("15m"), Some(900));
        assert_eq!(seconds("1d"), Some(86_400));
        assert_eq!(seconds("2y"), Some(730 * 86_400));
        for bad in ["", "1", "h", "-1h", "1w", "ä", "99999999999999d"] {
            assert_eq!(seconds(bad), None, "{bad}");
        }
    }

    #[test]
    fn bad_parameters_come_together_and_unknown_ones_come_back() {
        let given = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
            pairs.iter().map(|&(name, text)| (name.to_owned(), text.to_owned())).collect()
        };
        let info = crate::catalog::item(crate::catalog::Role::Method, "user-microaggregation").unwrap().info();
        let error = super::typed(info, &given(&[("k", "many"), ("average", "mode")])).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`k` is `many`, but must be a whole number; `average` is `mode`, but must be one of medoid, aggregate"
        );
        let (values, unused) =
            super::typed(info, &given(&[("k", "3"), ("rho", "0.5"), ("time-resolution", "1h")])).unwrap();
        assert_eq!(values["time-resolution"], 3600);
        assert_eq!(unused, ["rho"]);
    }
}
