//! Access logs as JSON lines: nginx-like, Caddy's, Traefik's. Keys by their usual names, those of inner objects with dots.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::super::ColumnChoice;
use super::raw::{Field, Problem, Raw};
use super::write::Cells;

/// Where a file has which value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Keys {
    pub(crate) keys: Vec<Key>,
    /// Other names that a line may have a value under, the likelier ones first: no line must have all keys.
    others: Vec<(Field, Vec<String>)>,
}

/// Where a value is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) field: Field,
    pub(crate) path: Vec<String>,
    /// Whether it is in a list, of which it is the first.
    is_list: bool,
    is_number: bool,
}

/// Names of keys, the likelier ones of a field first.
const NAMES: &[(Field, &[&str])] = &[
    (
        Field::Address,
        &[
            "remote_addr",
            "ip",
            "request.client_ip",
            "client_ip",
            "clientip",
            "ClientHost",
            "request.remote_ip",
            "request.remote_addr",
            "remote_ip",
            "address",
        ],
    ),
    (Field::Time, &["time_iso8601", "date", "time", "ts", "StartUTC", "timestamp", "@timestamp", "time_local", "msec"]),
    (Field::Request, &["request"]),
    (Field::Method, &["request_method", "request.method", "RequestMethod", "method"]),
    (Field::Path, &["request_uri", "request.uri", "RequestPath", "uri", "path", "url"]),
    (Field::Query, &["query_string", "args"]),
    (Field::Version, &["server_protocol", "request.proto", "RequestProtocol", "protocol", "http_version"]),
    (Field::Status, &["status", "DownstreamStatus", "status_code"]),
    (Field::Bytes, &["body_bytes_sent", "bytes", "length", "size", "DownstreamContentSize", "bytes_sent"]),
    (Field::Referrer, &["http_referer", "referrer", "referer", "request_Referer", "request.headers.Referer"]),
    (Field::Agent, &["http_user_agent", "user_agent", "request_User-Agent", "request.headers.User-Agent", "agent"]),
    (Field::Host, &["host", "RequestHost", "request.host", "http_host", "server_name", "vhost"]),
    (Field::User, &["remote_user", "user_id", "ClientUsername", "user"]),
    (Field::Session, &["session", "session_id", "sessionid"]),
];

impl Keys {
    /// Where some first objects have what. Whoever names a key is believed.
    pub(crate) fn of(objects: &[Value], chosen: &[ColumnChoice]) -> Self {
        let (mut keys, mut others): (Vec<Key>, Vec<(Field, Vec<String>)>) = (Vec::new(), Vec::new());
        for field in Field::ALL {
            let names: &[&str] = NAMES.iter().find(|(own, _)| *own == field).map_or(&[], |(_, names)| names);
            let said: Vec<&str> =
                chosen.iter().filter(|choice| choice.role == field.name()).map(|choice| choice.name.as_str()).collect();
            let names = if said.is_empty() { names } else { &said };
            let found = names.iter().find_map(|name| Key::of(field, name, objects));
            keys.extend(found.or_else(|| names.iter().find_map(|name| Key::empty(field, name, objects))));
            if said.is_empty() {
                others.extend(names.iter().map(|name| (field, name.split('.').map(str::to_owned).collect())));
            }
        }
        // Headers that no visitor has sent so far may come later.
        let headers = |key: &Key| key.path.len() == 3 && key.path[1] == "headers" && key.is_list;
        let has_referrer = keys.iter().any(|key| key.field == Field::Referrer);
        if let Some(agent) = keys.iter().find(|key| headers(key)).filter(|_| !has_referrer) {
            let path = vec![agent.path[0].clone(), agent.path[1].clone(), "Referer".to_owned()];
            keys.push(Key { field: Field::Referrer, path, is_list: true, is_number: false });
        }
        Self { keys, others }
    }

    /// The usual keys of nginx, for what a log has.
    pub(crate) fn usual(has: impl Fn(Field) -> bool) -> Self {
        let key = |(field, names): &(Field, &[&str])| {
            let is_number = matches!(field, Field::Status | Field::Bytes);
            Key { field: *field, path: vec![names[0].to_owned()], is_list: false, is_number }
        };
        Self { keys: NAMES.iter().filter(|(field, _)| has(*field)).map(key).collect(), others: Vec::new() }
    }

    /// Whether it says who came when for what.
    pub(crate) fn are_of_visits(&self) -> bool {
        let has = |field: Field| self.keys.iter().any(|key| key.field == field);
        has(Field::Time) && (has(Field::Request) || has(Field::Path)) && (has(Field::Address) || has(Field::Agent))
    }

    /// Keys of some objects that have no role.
    pub(crate) fn unmapped(&self, objects: impl Iterator<Item = Value>) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for object in objects {
            let Some(object) = object.as_object() else { continue };
            let is_known = |name: &&String| self.keys.iter().any(|key| &key.path[0] == *name) || names.contains(name);
            let new: Vec<String> = object.keys().filter(|name| !is_known(name)).cloned().collect();
            names.extend(new);
        }
        names
    }

    /// Reads a line.
    pub(crate) fn read(&self, line: &str, raw: &mut Raw<'_>) -> Result<(), Problem> {
        let mut parser = serde_json::Deserializer::from_str(line);
        let object =
            Once.deserialize(&mut parser).and_then(|object| parser.end().map(|()| object)).map_err(|cause| {
                let is_repeated = cause.to_string().starts_with(REPEATED);
                let expected = if is_repeated { "every key once" } else { "a JSON object" };
                Problem { column: cause.column().max(1), expected: expected.to_owned() }
            })?;
        if !object.is_object() {
            return Err(Problem { column: 1, expected: "a JSON object".to_owned() });
        }
        for key in &self.keys {
            put_value(key.field, at(&object, &key.path), raw);
        }
        for (field, path) in &self.others {
            if raw.values[*field as usize].is_none() {
                put_value(*field, at(&object, path), raw);
            }
        }
        Ok(())
    }

    /// Writes a line.
    pub(crate) fn write(&self, cells: &Cells<'_>, out: &mut Vec<u8>) {
        let mut object = Map::new();
        for key in &self.keys {
            let text = cells.text(key.field);
            let value = match (text, key.is_number) {
                (None, _) => Value::Null,
                (Some(text), true) => serde_json::from_str(&text).unwrap_or(Value::String(text.into_owned())),
                (Some(text), false) => Value::String(text.into_owned()),
            };
            let value = if key.is_list { Value::Array(vec![value]) } else { value };
            put(&mut object, &key.path, value);
        }
        out.extend_from_slice(Value::Object(object).to_string().as_bytes());
        out.push(b'\n');
    }
}

/// Takes a text or a number, or the first of a list.
fn put_value(field: Field, value: Option<&Value>, raw: &mut Raw<'_>) {
    match value {
        Some(Value::String(text)) => raw.put(field, text.clone()),
        Some(Value::Number(number)) => raw.put(field, number.to_string()),
        Some(Value::Array(list)) if list.first().is_some_and(|first| !first.is_array()) => {
            put_value(field, list.first(), raw);
        }
        _ => {}
    }
}

/// What is inside an object, key by key.
fn at<'v>(object: &'v Value, path: &[String]) -> Option<&'v Value> {
    path.iter().try_fold(object, |value, name| value.get(name))
}

/// What the error for a repeated key begins with.
const REPEATED: &str = "a key is repeated";

/// Reads a value whose objects have every key once: of two values one would stay unread.
struct Once;

impl<'de> DeserializeSeed<'de> for Once {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Once {
    type Value = Value;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element_seed(Self)? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Value, A::Error> {
        let mut values = Map::new();
        while let Some(key) = object.next_key::<String>()? {
            let value = object.next_value_seed(Self)?;
            if values.insert(key, value).is_some() {
                return Err(A::Error::custom(REPEATED));
            }
        }
        Ok(Value::Object(values))
    }
}

fn put(object: &mut Map<String, Value>, path: &[String], value: Value) {
    match path {
        [] => {}
        [last] => {
            object.insert(last.clone(), value);
        }
        [first, rest @ ..] => {
            let inner = object.entry(first.clone()).or_insert_with(|| Value::Object(Map::new()));
            if let Some(inner) = inner.as_object_mut() {
                put(inner, rest, value);
            }
        }
    }
}

impl Key {
    /// A key that is there and never has a value.
    fn empty(field: Field, name: &str, objects: &[Value]) -> Option<Self> {
        let is_number = matches!(field, Field::Status | Field::Bytes);
        let is_there = objects.iter().any(|object| object.get(name).is_some_and(Value::is_null));
        is_there.then(|| Self { field, path: vec![name.to_owned()], is_list: false, is_number })
    }

    /// The first of some objects that has a value of this name tells of what sort it is.
    fn of(field: Field, name: &str, objects: &[Value]) -> Option<Self> {
        let paths = [vec![name.to_owned()], name.split('.').map(str::to_owned).collect::<Vec<_>>()];
        paths.into_iter().find_map(|path| {
            let key = |is_list, is_number| Self { field, path: path.clone(), is_list, is_number };
            objects.iter().find_map(|object| match at(object, &path)? {
                Value::String(_) => Some(key(false, false)),
                Value::Number(_) => Some(key(false, true)),
                Value::Array(list) if list.first().is_some_and(Value::is_string) => Some(key(true, false)),
                _ => None,
            })
        })
    }

    /// Its name, with dots.
    pub(crate) fn name(&self) -> String {
        self.path.join(".")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Vec<(&'static str, String)> {
        let keys = Keys::of(&[serde_json::from_str(line).unwrap()], &[]);
        assert!(keys.are_of_visits(), "{keys:?}");
        let mut raw = Raw::default();
        keys.read(line, &mut raw).unwrap();
        let value = |field: Field| raw.values[field as usize].as_deref().map(|text| (field.name(), text.to_owned()));
        Field::ALL.into_iter().filter_map(value).collect()
    }

    fn value(found: &[(&'static str, String)], name: &str) -> String {
        found.iter().find(|(own, _)| *own == name).map_or_else(String::new, |(_, text)| text.clone())
    }

    #[test]
    fn caddy() {
        let found = read(
            r#"{"level":"info","ts":1709812801.25,"request":{"remote_ip":"10.0.0.1","client_ip":"192.0.2.7","proto":"HTTP/2.0","method":"GET","host":"example.com","uri":"/a?b","headers":{"User-Agent":["curl/7"],"Referer":["http://x/"]}},"size":12,"status":200}"#,
        );
        for (name, expected) in [
            ("address", "192.0.2.7"),
            ("time", "1709812801.25"),
            ("path", "/a?b"),
            ("agent", "curl/7"),
            ("referrer", "http://x/"),
            ("bytes", "12"),
            ("host", "example.com"),
        ] {
            assert_eq!(value(&found, name), expected);
        }
    }

    #[test]
    fn traefik_and_nginx() {
        let found = read(
            r#"{"ClientHost":"192.0.2.7","RequestPath":"/a?b","RequestMethod":"GET","RequestHost":"h.example","DownstreamStatus":200,"DownstreamContentSize":7,"request_User-Agent":"A","request_Referer":"-","time":"2024-03-07T12:00:01Z","StartUTC":"2024-03-07T12:00:00Z"}"#,
        );
        assert_eq!(
            (value(&found, "address"), value(&found, "time")),
            ("192.0.2.7".to_owned(), "2024-03-07T12:00:01Z".to_owned())
        );
        assert_eq!((value(&found, "agent"), value(&found, "bytes")), ("A".to_owned(), "7".to_owned()));
        let found = read(
            r#"{"remote_addr":"192.0.2.7","time_iso8601":"2024-03-07T12:00:01+01:00","request":"GET /a HTTP/1.1","status":"200","body_bytes_sent":"5","http_user_agent":"A"}"#,
        );
        assert_eq!(value(&found, "request"), "GET /a HTTP/1.1");
    }

    /// Keys that are repeated, at any depth, would be read in part; lines need not have the same keys.
    #[test]
    fn keys_come_once_and_may_be_absent() {
        let first =
            r#"{"ts":1709812801,"request":{"client_ip":"192.0.2.7","uri":"/a","headers":{"User-Agent":["A"]}}}"#;
        let keys = Keys::of(&[serde_json::from_str(first).unwrap()], &[]);
        let value = |line: &str, field: Field| {
            let mut raw = Raw::default();
            keys.read(line, &mut raw).map(|()| raw.get(field).map(str::to_owned))
        };
        let later = r#"{"ts":1,"request":{"remote_ip":"192.0.2.8","uri":"/b","headers":{"Referer":["http://x/"]}}}"#;
        assert_eq!(value(later, Field::Address).unwrap().as_deref(), Some("192.0.2.8"));
        assert_eq!(value(later, Field::Referrer).unwrap().as_deref(), Some("http://x/"));
        assert_eq!(value(later, Field::Agent).unwrap(), None);
        assert!(keys.keys.iter().any(|key| key.name() == "request.headers.Referer"));
        for line in [r#"{"ts":1,"ts":2}"#, r#"{"ts":1,"request":{"uri":"/a","uri":"/secret"}}"#] {
            assert_eq!(value(line, Field::Time).unwrap_err().expected, "every key once");
        }
        assert_eq!(value(r#"{"ts":1} x"#, Field::Time).unwrap_err().expected, "a JSON object");
    }

    #[test]
    fn names_with_dots_may_be_typed() {
        let line = r#"{"who":{"ip":"192.0.2.7"},"when":"2024-03-07T12:00:01Z","what":"/a"}"#;
        let object: Value = serde_json::from_str(line).unwrap();
        let chosen = ["address=who.ip", "time=when", "path=what"].map(|text| ColumnChoice::parse(text).unwrap());
        assert!(!Keys::of(std::slice::from_ref(&object), &[]).are_of_visits());
        assert!(Keys::of(&[object], &chosen).are_of_visits());
    }
}
