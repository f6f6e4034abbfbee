//! JSON lines: one object a line, its keys the columns.
//!
//! Ids and times may be strings or numbers; `null` and an absent key are both missing.

use std::borrow::Cow;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use memchr::memchr;
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use throng_core::data::time::TimeStyle;
use throng_core::{Error, Result};

use super::columns::{self, Role};
use super::rows::{Texts, Told, When, not_utf8};
use super::scan::{BadLines, BlockResult, Consumer, LineReader, ReadOptions};
use super::{Layout, Row};

/// Reads blocks of a JSON-lines file.
pub(super) struct Reader {
    /// The keys with a role, in the order of the first line.
    keys: Vec<(Role, String)>,
    /// For each role whether some line has its key.
    seen: [AtomicBool; 5],
    typed_person: bool,
    typed_time: bool,
    /// Whether some line has keys without a role.
    has_rest: AtomicBool,
}

impl Reader {
    pub(super) fn new(head: &[u8], options: &ReadOptions) -> Result<Self> {
        let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
        // The first line that can be read names the keys; one that cannot is skipped if such lines are.
        let lines = (1u64..).zip(head.split(|&byte| byte == b'\n')).filter(|(_, line)| !line.trim_ascii().is_empty());
        let mut tried = lines.map(|(number, line)| (number, serde_json::from_slice::<Keys<'_>>(line)));
        let found = match options.bad_lines {
            BadLines::Fail => tried.next(),
            BadLines::Skip => tried.find(|(_, keys)| keys.is_ok()),
        };
        let number = found.as_ref().map_or(1, |(number, _)| *number);
        let is_none = || {
            let is_array = head.trim_ascii_start().starts_with(b"[");
            let hint = if is_array {
                "this is one JSON array; `jq -c '.[]' FILE` makes lines of it"
            } else {
                "one object a line: {\"user\": …, \"query\": …, \"time\": …}"
            };
            Error::data("the line is no JSON object").with_hint(hint)
        };
        let first = match found {
            Some((_, Ok(keys))) => keys,
            Some((_, Err(cause))) => return Err(no_object(&cause, is_none).at_line(number)),
            None => return Err(is_none().at_line(number)),
        };
        let names: Vec<&str> = first.0.iter().map(|(name, _)| name.as_ref()).collect();
        // Optional keys may be absent from the first line: one of the lines after it may tell their names.
        let later: Vec<Keys<'_>> = tried.filter_map(|(_, keys)| keys.ok()).collect();
        let mut known = names.clone();
        for role in Role::ALL.into_iter().filter(|role| !role.is_required()) {
            let is_named = |name: &&str| columns::role_of_name(name) == Some(role);
            let chosen = options.columns.iter().find(|choice| choice.role == role);
            let name = match chosen {
                Some(choice) => choice.name.as_str(),
                None if names.iter().any(is_named) => continue,
                None => {
                    let mut others = later.iter().flat_map(|keys| &keys.0).map(|(name, _)| name.as_ref());
                    others.find(is_named).unwrap_or(role.name())
                }
            };
            if !known.contains(&name) {
                known.push(name);
            }
        }
        let Some(roles) = columns::assign(&known, &options.columns)? else {
            return Err(columns::missing_column(&names, &options.columns));
        };
        let shown = columns::shown(&known, |_| false);
        let (keys, _) = columns::by_role(&roles, &known, &shown);
        let is_text = |wanted: Role| {
            let key = keys.iter().find(|(role, _)| *role == wanted).map(|(_, name)| name.as_str());
            first.0.iter().any(|(name, raw)| Some(name.as_ref()) == key && raw.get().starts_with('"'))
        };
        let (typed_person, typed_time) = (!is_text(Role::User), !is_text(Role::Time));
        Ok(Self { keys, typed_person, typed_time, seen: Default::default(), has_rest: AtomicBool::new(false) })
    }

    fn object<'a>(&self, line: &'a [u8]) -> Result<Object<'a>> {
        let not_json = |cause: serde_json::Error| {
            no_object(&cause, || {
                Error::data("the line is no JSON object with plain values")
                    .with_hint("`--bad-lines skip` leaves such lines out and counts them")
            })
        };
        let text = std::str::from_utf8(line).map_err(|_| not_utf8())?;
        let mut deserializer = serde_json::Deserializer::from_str(text);
        let object = ObjectSeed { keys: &self.keys }.deserialize(&mut deserializer).map_err(not_json)?;
        deserializer.end().map_err(not_json)?;
        let note = |flag: &AtomicBool| {
            if !flag.load(Ordering::Relaxed) {
                flag.store(true, Ordering::Relaxed);
            }
        };
        self.seen.iter().zip(object.has_key).filter(|(_, has_key)| *has_key).for_each(|(seen, _)| note(seen));
        if object.has_rest {
            note(&self.has_rest);
        }
        Ok(object)
    }

    fn row<'a>(&self, object: &'a Object<'a>, wants_rest: bool) -> Result<(Row<'a>, Told)> {
        let text = |role: Role| object.values[role as usize].as_deref().unwrap_or_default();
        let texts = Texts {
            person: text(Role::User),
            query: text(Role::Query),
            time: When::Text(text(Role::Time)),
            rank: text(Role::Rank),
            url: text(Role::Url),
            rest: if wants_rest { object.rest.as_bytes() } else { &[] },
        };
        texts.row(|role| self.name_of(role))
    }

    fn name_of(&self, role: Role) -> &str {
        self.keys.iter().find(|(other, _)| *other == role).map_or(role.name(), |(_, name)| name)
    }
}

impl LineReader for Reader {
    fn read<C: Consumer>(&self, block: &[u8], consumer: &C, policy: BadLines) -> BlockResult<C::Part> {
        let mut result = BlockResult::new(consumer.part());
        let mut start = 0;
        while start < block.len() {
            let end = memchr(b'\n', &block[start..]).map_or(block.len(), |at| start + at);
            let bytes = block[start..end].trim_ascii();
            start = end + 1;
            result.lines += 1;
            let line = result.lines;
            let bytes = if line == 1 { bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes) } else { bytes };
            if bytes.is_empty() {
                continue;
            }
            let object;
            let row = match self.object(bytes) {
                Ok(read) => {
                    object = read;
                    self.row(&object, consumer.wants_rest())
                }
                Err(error) => Err(error),
            };
            if !result.take(row, line, consumer, policy) {
                break;
            }
        }
        result
    }

    fn layout(&self, style: Option<TimeStyle>) -> Layout {
        let unmapped = if self.has_rest.load(Ordering::Relaxed) { vec!["other keys".to_owned()] } else { Vec::new() };
        Layout {
            columns: self
                .keys
                .iter()
                .filter(|(role, _)| self.seen[*role as usize].load(Ordering::Relaxed))
                .cloned()
                .collect(),
            header: true,
            time_style: style.unwrap_or(TimeStyle::ISO),
            typed_time: self.typed_time,
            typed_person: self.typed_person,
            raw_cells: false,
            unmapped,
        }
    }
}

/// What serde is told of a key that an object has twice. Whichever value counted, the other would be in the file unread.
const TWICE: &str = "a key twice";

/// The error for a line that cannot be read: that a key is there twice, or else what the caller says.
pub(super) fn no_object(cause: &serde_json::Error, otherwise: impl FnOnce() -> Error) -> Error {
    if is_twice(cause) {
        return Error::data("the line has a key twice")
            .with_hint("every key stands once in an object; `--bad-lines skip` leaves such lines out and counts them");
    }
    otherwise()
}

/// Whether what is wrong is that a key is there twice.
pub(super) fn is_twice(cause: &serde_json::Error) -> bool {
    cause.to_string().starts_with(TWICE)
}

/// Whether a text comes twice.
fn has_twice<'a>(texts: impl Iterator<Item = &'a str> + Clone) -> bool {
    // Few are compared with each other; a list of terms can be long.
    let count = texts.clone().count();
    if count <= 16 {
        return texts.clone().enumerate().any(|(at, text)| texts.clone().take(at).any(|other| other == text));
    }
    let mut sorted: Vec<&str> = texts.collect();
    sorted.sort_unstable();
    sorted.windows(2).any(|pair| pair[0] == pair[1])
}

/// The keys of an object in their order, with their raw values; none of them twice.
pub(super) struct Keys<'a>(pub(super) Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de> de::Deserialize<'de> for Keys<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct KeysVisitor;
        impl<'de> Visitor<'de> for KeysVisitor {
            type Value = Keys<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Self::Value, A::Error> {
                let mut keys = Vec::new();
                while let Some(Text(key)) = map.next_key()? {
                    keys.push((key, map.next_value::<&RawValue>()?));
                }
                if has_twice(keys.iter().map(|(key, _)| key.as_ref())) {
                    return Err(de::Error::custom(TWICE));
                }
                Ok(Keys(keys))
            }
        }
        deserializer.deserialize_map(KeysVisitor)
    }
}

/// The values of one line.
struct Object<'a> {
    values: [Option<Cow<'a, str>>; 5],
    /// Which roles have a key, if only with `null`.
    has_key: [bool; 5],
    /// Keys without a role with their values, sorted by key.
    rest: String,
    has_rest: bool,
}

struct ObjectSeed<'k> {
    keys: &'k [(Role, String)],
}

impl<'de> DeserializeSeed<'de> for ObjectSeed<'_> {
    type Value = Object<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> std::result::Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for ObjectSeed<'_> {
    type Value = Object<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with plain values")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Self::Value, A::Error> {
        let mut values = [None, None, None, None, None];
        let mut has_key = [false; 5];
        let mut rest: Vec<(Cow<'de, str>, &RawValue)> = Vec::new();
        while let Some(Text(key)) = map.next_key()? {
            match self.keys.iter().find(|(_, name)| *name == key) {
                Some((role, _)) => {
                    if has_key[*role as usize] {
                        return Err(de::Error::custom(TWICE));
                    }
                    values[*role as usize] = map.next_value::<Plain<'de>>()?.0;
                    has_key[*role as usize] = true;
                }
                None => rest.push((key, map.next_value()?)),
            }
        }
        rest.sort_by(|left, right| left.0.cmp(&right.0));
        if rest.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return Err(de::Error::custom(TWICE));
        }
        let has_rest = !rest.is_empty();
        let rest = rest
            .iter()
            .map(|(key, value)| format!("{}:{key}{}:{}", key.len(), value.get().len(), value.get()))
            .collect();
        Ok(Object { values, has_key, rest, has_rest })
    }
}

/// A string, borrowed where it holds no escapes.
struct Text<'a>(Cow<'a, str>);

impl<'de> de::Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct TextVisitor;
        impl<'de> Visitor<'de> for TextVisitor {
            type Value = Text<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> std::result::Result<Self::Value, E> {
                Ok(Text(Cow::Borrowed(text)))
            }
            fn visit_str<E>(self, text: &str) -> std::result::Result<Self::Value, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(TextVisitor)
    }
}

/// A string, a number as it is written, or nothing.
pub(super) struct Plain<'a>(pub(super) Option<Cow<'a, str>>);

impl<'de> de::Deserialize<'de> for Plain<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let raw: &RawValue = de::Deserialize::deserialize(deserializer)?;
        let text = raw.get();
        match text.as_bytes()[0] {
            b'n' => Ok(Self(None)),
            b'"' => {
                let Text(text) = serde_json::from_str(text).map_err(de::Error::custom)?;
                Ok(Self(Some(text)))
            }
            b'-' | b'0'..=b'9' => Ok(Self(Some(Cow::Borrowed(text)))),
            _ => Err(de::Error::custom("a list, object or truth value where a plain value is expected")),
        }
    }
}
