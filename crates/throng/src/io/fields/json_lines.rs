//! JSON lines: one object a line, its keys the columns.
//!
//! Ids and times may be strings or numbers; `null` and an absent key are both missing. A key inside another object is named with dots,
//! `user.id`, unless an object has a key that is called so itself. What else is in that object has no role.

use std::borrow::Cow;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use memchr::memchr;
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use throng_core::{Error, Result};

use super::super::roles::{self, ColumnChoice, Roles, Suits};
use super::super::scan::{BadLines, BlockResult, ReadOptions};
use super::{FieldLayout, Fields, LineReader, NamedCell, RowConsumer, by_role, not_utf8};

/// Reads blocks of a JSON-lines file.
pub(super) struct Reader<const N: usize> {
    all: &'static Roles,
    /// The keys with a role, in the order of the first line.
    keys: Vec<Key>,
    /// For each role whether some line has its key.
    seen: [AtomicBool; N],
    /// For each role whether its value in the first line is no text.
    typed: Vec<bool>,
    /// Whether some line has keys without a role.
    has_rest: AtomicBool,
    /// Keys that were named on the command line.
    chosen: Vec<ColumnChoice>,
}

/// A key with a role.
struct Key {
    role: usize,
    name: String,
    /// The same, key by key where it lies inside other objects.
    path: Vec<String>,
}

/// The keys that a name with dots goes through, where it is no key itself; else the name alone.
pub(in super::super) fn path_of<'n>(name: &'n str, objects: &[&Keys<'_>]) -> Vec<&'n str> {
    let is_key = objects.iter().any(|object| object.get(name).is_some());
    let path: Vec<&str> = name.split('.').collect();
    let is_there = !is_key && objects.iter().any(|object| object.inside(&path).is_some());
    if is_there { path } else { vec![name] }
}

/// Adds the columns that lie inside other objects to the names of keys. A key that one goes through is no column itself.
pub(in super::super) fn add_inside<'n>(names: &mut Vec<&'n str>, chosen: &'n [ColumnChoice], objects: &[&Keys<'_>]) {
    for choice in chosen {
        if let [first, _, ..] = path_of(&choice.name, objects)[..] {
            names.retain(|name| *name != first);
            names.push(&choice.name);
        }
    }
}

/// The first object of a file, with the number of its line and the objects of the lines after it. It must stand in the first
/// line that is not empty, unless malformed lines are skipped.
pub(in super::super) fn first_object(head: &[u8], policy: BadLines) -> Result<(u64, Keys<'_>, Vec<Keys<'_>>)> {
    let lines = (1u64..).zip(head.split(|&byte| byte == b'\n')).filter(|(_, line)| !line.trim_ascii().is_empty());
    let mut tried = lines.map(|(number, line)| (number, serde_json::from_slice::<Keys<'_>>(line)));
    let found = match policy {
        BadLines::Fail => tried.next(),
        BadLines::Skip => tried.find(|(_, keys)| keys.is_ok()),
    };
    let none = || {
        let is_array = head.trim_ascii_start().starts_with(b"[");
        let hint = if is_array {
            "this is one JSON array; `jq -c '.[]' FILE` makes lines of it"
        } else {
            "one object a line: {\"user\": …, \"query\": …, \"time\": …}"
        };
        Error::data("the line is no JSON object").with_hint(hint)
    };
    match found {
        Some((number, Ok(keys))) => Ok((number, keys, tried.filter_map(|(_, keys)| keys.ok()).collect())),
        Some((number, Err(cause))) => Err(no_object(&cause, none).at_line(number)),
        None => Err(none().at_line(1)),
    }
}

impl<const N: usize> Reader<N> {
    pub(super) fn new(head: &[u8], all: &'static Roles, options: &ReadOptions) -> Result<Self> {
        // The first line that can be read names the keys; one that cannot is skipped if such lines are.
        let (_, first, later) = first_object(head, options.bad_lines)?;
        let names: Vec<&str> = first.0.iter().map(|(name, _)| name.as_ref()).collect();
        let all_objects: Vec<&Keys<'_>> = std::iter::once(&first).chain(&later).collect();
        // Optional keys may be absent from the first line: one of the lines after it may tell their names.
        let mut known = names.clone();
        add_inside(&mut known, &options.columns, &all_objects);
        let is_left_out = |role: usize| all.is_left_out(role, &options.columns);
        for (_, card) in all.cards.iter().enumerate().filter(|(role, card)| !card.required && !is_left_out(*role)) {
            let is_named = |name: &&str| card.knows(name);
            let is_chosen = |choice: &&ColumnChoice| card.is_called(&choice.role);
            let name = match options.columns.iter().find(is_chosen) {
                Some(choice) => choice.name.as_str(),
                None if names.iter().any(is_named) => continue,
                None => {
                    let mut others = later.iter().flat_map(|keys| &keys.0).map(|(name, _)| name.as_ref());
                    match others.find(is_named) {
                        Some(name) => name,
                        // It goes with another role only, whose key has this name where there is no other.
                        None if card.beside.is_some() => continue,
                        None => card.name,
                    }
                }
            };
            if !known.contains(&name) {
                known.push(name);
            }
        }
        all.check_chosen(&known, &roles::shown(&names, |_| false), &options.columns)?;
        let Some(roles) = all.assign(&known, &options.columns)? else {
            let shown = all.shown_in_error(&names, &roles::shown(&names, |_| false), true);
            let error = all.missing_column(&names, &shown, &options.columns);
            let has_inner = all_objects.iter().flat_map(|keys| &keys.0).any(|(_, raw)| raw.get().starts_with('{'));
            // Servers write objects inside objects.
            return Err(match error.hint().filter(|_| has_inner).map(str::to_owned) {
                Some(hint) => error.with_hint(format!(
                    "{hint}; keys of inner objects with dots; of an access log `--column address=… time=… request=…` (or path=…)"
                )),
                None => error,
            });
        };
        let (keys, _) = by_role(&roles, &known, &vec![String::new(); known.len()]);
        let key = |(role, name): (usize, String)| {
            let path = path_of(&name, &all_objects).into_iter().map(str::to_owned).collect();
            Key { role, name, path }
        };
        let keys: Vec<Key> = keys.into_iter().map(key).collect();
        let is_text = |wanted: usize| {
            let key = keys.iter().find(|key| key.role == wanted);
            let raw = key.and_then(|key| first.inside(&key.path));
            raw.is_some_and(|raw| raw.get().starts_with('"'))
        };
        let typed = (0..N).map(|role| !is_text(role)).collect();
        let seen = std::array::from_fn(|_| AtomicBool::new(false));
        Ok(Self { all, keys, typed, seen, has_rest: AtomicBool::new(false), chosen: options.columns.clone() })
    }

    fn object<'a>(&self, line: &'a [u8]) -> Result<Object<'a, N>> {
        let not_json = |cause: serde_json::Error| {
            no_object(&cause, || {
                Error::data("the line is no JSON object with plain values")
                    .with_hint("`--bad-lines skip` leaves such lines out and counts them")
            })
        };
        let text = std::str::from_utf8(line).map_err(|_| not_utf8())?;
        let mut deserializer = serde_json::Deserializer::from_str(text);
        let object =
            ObjectSeed::<N> { all: self.all, keys: &self.keys }.deserialize(&mut deserializer).map_err(not_json)?;
        deserializer.end().map_err(not_json)?;
        if let Some((role, keys)) = object.is_object {
            return Err(self.inside(role, &keys));
        }
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

    fn name_of(&self, role: usize) -> &str {
        self.keys.iter().find(|key| key.role == role).map_or(self.all.cards[role].name, |key| &key.name)
    }

    /// The error for a value that is an object: one of its keys may be what is meant.
    fn inside(&self, role: usize, keys: &[String]) -> Error {
        let name = self.name_of(role);
        let shown = roles::shown(keys, |_| false);
        let error = Error::data("the value is an object, not a text or a number").in_column(name);
        match shown.iter().find(|key| keys.contains(key)) {
            None => error,
            Some(first) => error.with_hint(format!(
                "it has the keys {}; name one with a dot: `--column {}={name}.{first}`",
                shown.join(", "),
                self.all.cards[role].name
            )),
        }
    }
}

impl<const N: usize> LineReader<N> for Reader<N> {
    fn read<C: RowConsumer<N>>(&self, block: &[u8], consumer: &C, policy: BadLines) -> BlockResult<C::Part> {
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
            if consumer.wants_cells() {
                let row = plain_cells(bytes).and_then(|plain| {
                    let cells: Vec<NamedCell<'_>> =
                        plain.iter().map(|(column, text, typed)| NamedCell { column, text, typed: *typed }).collect();
                    let fields = Fields { texts: [""; N], has: [false; N], instant: None, rest: &[], cells: &cells };
                    consumer.row(&mut result.part, fields, line, |role| self.name_of(role))
                });
                if !result.take(row, line, policy) {
                    break;
                }
                continue;
            }
            let row = self.object(bytes).and_then(|object| {
                let texts = std::array::from_fn(|role| object.values[role].as_deref().unwrap_or_default());
                let rest = if consumer.wants_rest() { object.rest.as_bytes() } else { &[] };
                let has = std::array::from_fn(|role| object.values[role].is_some());
                let fields = Fields { texts, has, instant: None, rest, cells: &[] };
                consumer.row(&mut result.part, fields, line, |role| self.name_of(role))
            });
            if !result.take(row, line, policy) {
                break;
            }
        }
        result
    }

    fn layout(&self) -> Result<FieldLayout> {
        // A key may be absent from any line, but not from all of them if somebody named it.
        for key in self.keys.iter().filter(|key| !self.seen[key.role].load(Ordering::Relaxed)) {
            if self.all.is_chosen(key.role, &self.chosen) {
                return Err(self.all.no_such_column(key.role, &key.name));
            }
        }
        let unmapped = if self.has_rest.load(Ordering::Relaxed) { vec!["other keys".to_owned()] } else { Vec::new() };
        let is_seen = |key: &&Key| self.seen[key.role].load(Ordering::Relaxed);
        let columns: Vec<_> = self.keys.iter().filter(is_seen).map(|key| (key.role, key.name.clone())).collect();
        let (places, width) = ((0..columns.len()).collect(), columns.len());
        Ok(FieldLayout { columns, places, width, header: true, typed: self.typed.clone(), unmapped })
    }
}

/// A cell of an object: its key, its text, and whether it is no string.
type PlainCell = (String, String, bool);

/// The cells of an object. A truth value is its word.
fn plain_cells(line: &[u8]) -> Result<Vec<PlainCell>> {
    let not_plain = || {
        Error::data("the line is no JSON object with plain values")
            .with_hint("`--bad-lines skip` leaves such lines out and counts them")
    };
    let text = std::str::from_utf8(line).map_err(|_| not_utf8())?;
    let keys: Keys<'_> = serde_json::from_str(text).map_err(|cause| no_object(&cause, not_plain))?;
    let cell = |(key, raw): (Cow<'_, str>, &'_ RawValue)| {
        let (key, raw) = (key.into_owned(), raw.get());
        match raw.as_bytes()[0] {
            b'n' => Ok((key, String::new(), true)),
            b'"' => Ok((key, serde_json::from_str(raw).map_err(|_| not_plain())?, false)),
            b'{' | b'[' => Err(not_plain().in_column(key)),
            _ => Ok((key, raw.to_owned(), true)),
        }
    };
    keys.0.into_iter().map(cell).collect()
}

/// What serde is told of a key that an object has twice. Whichever value counted, the other would be in the file unread.
const TWICE: &str = "a key twice";

/// The error for a line that cannot be read: that a key is there twice, or else what the caller says.
pub(in super::super) fn no_object(cause: &serde_json::Error, otherwise: impl FnOnce() -> Error) -> Error {
    if is_twice(cause) {
        return Error::data("the line has a key twice")
            .with_hint("every key stands once in an object; `--bad-lines skip` leaves such lines out and counts them");
    }
    otherwise()
}

/// Whether what is wrong is that a key is there twice.
pub(in super::super) fn is_twice(cause: &serde_json::Error) -> bool {
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
pub(in super::super) struct Keys<'a>(pub(in super::super) Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> Keys<'a> {
    /// The value of a key.
    pub(in super::super) fn get(&self, name: &str) -> Option<&'a RawValue> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, raw)| *raw)
    }

    /// The value inside objects inside it.
    pub(in super::super) fn inside(&self, path: &[impl AsRef<str>]) -> Option<&'a RawValue> {
        let (first, rest) = path.split_first()?;
        let raw = self.get(first.as_ref())?;
        if rest.is_empty() { Some(raw) } else { of_object(raw)?.inside(rest) }
    }

    /// Whether anything is in it beside these paths.
    pub(in super::super) fn has_more_than(&self, paths: &[Vec<&str>]) -> bool {
        let mut rest = Vec::new();
        leave_out("", self, paths, &mut rest);
        !rest.is_empty()
    }
}

/// The keys of an object; `None` for another value.
fn of_object(raw: &RawValue) -> Option<Keys<'_>> {
    raw.get().starts_with('{').then(|| serde_json::from_str(raw.get()).ok()).flatten()
}

/// Adds whatever is in an object and at none of these paths, by its path.
fn leave_out<'a>(before: &str, object: &Keys<'a>, paths: &[Vec<&str>], rest: &mut Vec<(Cow<'a, str>, &'a RawValue)>) {
    for (key, raw) in &object.0 {
        let through: Vec<Vec<&str>> =
            paths.iter().filter(|path| path.first() == Some(&key.as_ref())).map(|path| path[1..].to_vec()).collect();
        if through.iter().any(Vec::is_empty) {
            continue;
        }
        let name = format!("{before}{key}");
        match of_object(raw) {
            Some(inner) if !through.is_empty() => leave_out(&format!("{name}."), &inner, &through, rest),
            _ => rest.push((name.into(), raw)),
        }
    }
}

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
struct Object<'a, const N: usize> {
    values: [Option<Cow<'a, str>>; N],
    /// Which roles have a key, if only with `null`.
    has_key: [bool; N],
    /// Keys without a role with their values, sorted by key.
    rest: String,
    has_rest: bool,
    /// A role whose value is an object, with the keys in it.
    is_object: Option<(usize, Vec<String>)>,
}

struct ObjectSeed<'k, const N: usize> {
    all: &'static Roles,
    keys: &'k [Key],
}

impl<const N: usize> ObjectSeed<'_, N> {
    /// Takes what keys with a role name inside an object, and leaves the rest.
    fn take_inside<'de, E: de::Error>(
        &self,
        key: &str,
        raw: &'de RawValue,
        object: &mut Object<'de, N>,
        rest: &mut Vec<(Cow<'de, str>, &'de RawValue)>,
    ) -> std::result::Result<(), E> {
        let own = || self.keys.iter().filter(|own| own.path.len() > 1 && own.path[0] == key);
        let inner = match raw.get().as_bytes()[0] {
            b'n' => return Ok(()),
            b'{' => serde_json::from_str::<Keys<'de>>(raw.get()).map_err(E::custom)?,
            _ => return Err(E::custom("a plain value or a list where an object is expected")),
        };
        for own in own() {
            if let Some(raw) = inner.inside(&own.path[1..]) {
                self.take(own.role, raw, object)?;
            }
        }
        let paths: Vec<Vec<&str>> = own().map(|own| own.path[1..].iter().map(String::as_str).collect()).collect();
        leave_out(&format!("{key}."), &inner, &paths, rest);
        Ok(())
    }

    /// Takes the value of a role.
    fn take<'de, E: de::Error>(
        &self,
        role: usize,
        raw: &'de RawValue,
        object: &mut Object<'de, N>,
    ) -> std::result::Result<(), E> {
        if object.has_key[role] {
            return Err(E::custom(TWICE));
        }
        object.has_key[role] = true;
        object.values[role] = if self.all.cards[role].suits == Suits::Object {
            (raw.get() != "null").then_some(Cow::Borrowed(raw.get()))
        } else if let Some(inner) = of_object(raw) {
            object.is_object.get_or_insert_with(|| (role, inner.0.iter().map(|(key, _)| key.to_string()).collect()));
            None
        } else {
            plain(raw.get())?.0
        };
        Ok(())
    }
}

impl<'de, const N: usize> DeserializeSeed<'de> for ObjectSeed<'_, N> {
    type Value = Object<'de, N>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> std::result::Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, const N: usize> Visitor<'de> for ObjectSeed<'_, N> {
    type Value = Object<'de, N>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with plain values")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Self::Value, A::Error> {
        let mut object = Object {
            values: [const { None }; N],
            has_key: [false; N],
            rest: String::new(),
            has_rest: false,
            is_object: None,
        };
        let mut rest: Vec<(Cow<'de, str>, &RawValue)> = Vec::new();
        while let Some(Text(key)) = map.next_key()? {
            let raw = map.next_value::<&RawValue>()?;
            match self.keys.iter().find(|own| own.path[0] == key) {
                Some(own) if own.path.len() == 1 => self.take(own.role, raw, &mut object)?,
                Some(_) => self.take_inside(&key, raw, &mut object, &mut rest)?,
                None => rest.push((key, raw)),
            }
        }
        rest.sort_by(|left, right| left.0.cmp(&right.0));
        if rest.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return Err(de::Error::custom(TWICE));
        }
        object.has_rest = !rest.is_empty();
        object.rest = rest
            .iter()
            .map(|(key, value)| format!("{}:{key}{}:{}", key.len(), value.get().len(), value.get()))
            .collect();
        Ok(object)
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
pub(in super::super) struct Plain<'a>(pub(in super::super) Option<Cow<'a, str>>);

impl<'de> de::Deserialize<'de> for Plain<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let raw: &RawValue = de::Deserialize::deserialize(deserializer)?;
        plain(raw.get())
    }
}

fn plain<'a, E: de::Error>(text: &'a str) -> std::result::Result<Plain<'a>, E> {
    match text.as_bytes()[0] {
        b'n' => Ok(Plain(None)),
        b'"' => {
            let Text(text) = serde_json::from_str(text).map_err(E::custom)?;
            Ok(Plain(Some(text)))
        }
        b'-' | b'0'..=b'9' => Ok(Plain(Some(Cow::Borrowed(text)))),
        _ => Err(E::custom("a list, object or truth value where a plain value is expected")),
    }
}
