//! How requests are written down: parameters as an object, whose values may be text, numbers, or true and false.

/// Parameters as typed, as an object.
pub(crate) mod typed_parameters {
    use std::collections::BTreeMap;

    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};
    use serde_json::Value;

    pub(crate) fn serialize<S: Serializer>(parameters: &[(String, String)], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(parameters.iter().map(|(name, text)| (name, text)))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<(String, String)>, D::Error> {
        let text = |(name, value): (String, Value)| match value {
            Value::String(text) => Ok((name, text)),
            Value::Number(number) => Ok((name, number.to_string())),
            Value::Bool(yes) => Ok((name, yes.to_string())),
            _ => Err(D::Error::custom(format!("the parameter `{name}` is neither text nor a number"))),
        };
        BTreeMap::<String, Value>::deserialize(deserializer)?.into_iter().map(text).collect()
    }
}
