//! `throng desk`: what the local page asks of the command behind it. Not for people, so not in the help.
//!
//! # Idea
//! - `catalogue` gives everything that a page needs to make its forms and to say what things are, from the catalogue, the kinds, the flags of the
//!   commands and `docs/promise.md`: so the page lists nothing itself.
//! - `line` turns a request (`{"command", "file", "request", "places", "folder"}`, on standard input) into the arguments of the command, and into the
//!   line that people would type. The keys of a request are those of a recipe's step (`throng::keywords`). A key that nobody
//!   knows is refused with the nearest that there is; a value that the command does not take is refused in its own words.
//!
//! # Files
//! A page may name only what it sent, by a handle of `places`: a flag that takes a file is given nothing else, and a flag that writes somewhere is
//! none that a page may give. What a command writes lies in `folder`, and in the shown line beside the file.

use std::ffi::OsString;
use std::io::Read as _;
use std::path::Path;

use clap::builder::ValueParser;
use clap::{Arg, ArgAction};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use throng::catalog::{self, Role};
use throng::keywords::{self, Shape, Tongue};
use throng::kinds::{AnyKind, KINDS};
use throng::report;
use throng_core::{Error, ParameterKind, Result};

use super::Done;
use crate::args::{self, Desk};
use crate::failure;
use crate::printer::Printer;

/// The commands that a page can run.
const COMMANDS: [&str; 7] = ["inspect", "audit", "protect", "check", "measure", "attack", "compare"];
/// Flags that write somewhere, or that say how this program itself behaves.
const NOT_FOR_PAGES: [&str; 23] = [
    "out",
    "html",
    "charts",
    "checkpoint",
    "ledger",
    "dataset",
    "continues",
    "sign",
    "password-file",
    "token-key",
    "noise-file",
    "positions",
    "schema-out",
    "overwrite",
    "json",
    "quiet",
    "threads",
    "config",
    "no-config",
    "watched",
    "show-values",
    "help",
    "version",
];
/// Flags whose text names a file, or something else by a word: what stands before the file, and the words.
const TEXT_WITH_FILE: [(&str, &[&str]); 2] = [("taxonomy", &["wordnet"]), ("hierarchy", &["flat"])];
/// What is asked.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    command: String,
    file: String,
    request: Map<String, Value>,
    places: std::collections::BTreeMap<String, Place>,
    folder: String,
}

/// Where something is, and what its owner calls it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Place {
    path: String,
    name: String,
    #[serde(default)]
    key: Option<String>,
}

pub(super) fn run(args: &Desk, printer: &Printer) -> Result<Done> {
    let answer = if args.what == "catalogue" { catalogue() } else { line()? };
    printer.json(&answer)?;
    Ok(if answer["error"].is_object() { Done::Fails } else { Done::Fine })
}

/// The arguments of a request, as the command takes them and as people would type them.
fn line() -> Result<Value> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).map_err(|cause| Error::io("read the request", cause))?;
    let question: Question = serde_json::from_str(&text)
        .map_err(|cause| Error::refused(format!("the request cannot be understood: {cause}")))?;
    let line = Line::of(&question)?;
    let typed: Vec<OsString> = std::iter::once("throng".to_owned()).chain(line.args()).map(OsString::from).collect();
    // What the table of keys has no word on, the command itself has.
    if let Err(error) = args::parse(typed) {
        return Ok(failure::of_arguments(&error));
    }
    Ok(json!({"args": line.args(), "shown": line.shown(), "name": line.name, "names": line.names}))
}

/// What a command is told, twice: with the places of files, and with their names.
struct Line<'a> {
    question: &'a Question,
    real: Map<String, Value>,
    named: Map<String, Value>,
    is_dry: bool,
    /// What a release of it is called.
    name: String,
    /// Every place with its name.
    names: Vec<(String, String)>,
}

impl<'a> Line<'a> {
    fn of(question: &'a Question) -> Result<Self> {
        let root = args::command();
        let command = root.find_subcommand(&question.command).filter(|_| COMMANDS.contains(&question.command.as_str()));
        let command = command.ok_or_else(|| Error::unknown("command", &question.command, COMMANDS))?;
        let (real, named) = (Map::new(), Map::new());
        let mut line = Self { question, real, named, is_dry: false, name: String::new(), names: Vec::new() };
        let mut request = question.request.clone();
        let file = line.place("file", &question.file)?;
        let stem = stem(&file.name);
        line.name = format!("{stem}-release");
        if matches!(question.command.as_str(), "measure" | "attack") {
            line.file("original", &file);
            let release = request.remove("release").ok_or_else(|| Error::parameter("release", "is not there"))?;
            let release = line.place("release", release.as_str().unwrap_or_default())?;
            line.file("release", &release);
            if let Some(key) = release.key.clone().filter(|_| !request.contains_key("key")) {
                line.file("key", &Place { path: key, name: format!("{stem}-key.csv"), key: None });
            }
        } else {
            line.file("in", &file);
        }
        line.outputs(&stem, &mut request)?;
        let mut errors = Vec::new();
        for (key, value) in request {
            let key = key.replace('_', "-");
            let flag = command.get_arguments().find(|flag| flag.get_long() == Some(&key));
            errors.extend(line.told(&key, flag, value).err());
        }
        errors.extend(keywords::problems(&question.command, &line.real).into_iter().map(|(_, error)| error));
        if errors.is_empty() { Ok(line) } else { Err(Error::parameters(errors)) }
    }

    fn args(&self) -> Vec<String> {
        let dry = self.is_dry.then(|| "--dry-run".to_owned());
        keywords::arguments(&self.question.command, &self.real).into_iter().chain(dry).collect()
    }

    fn shown(&self) -> String {
        let dry = if self.is_dry { " --dry-run" } else { "" };
        keywords::command_line(&self.question.command, &self.named) + dry
    }

    /// What a command writes: into the folder of the run, and as people would call it.
    fn outputs(&mut self, stem: &str, request: &mut Map<String, Value>) -> Result<()> {
        let folder = Path::new(&self.question.folder);
        let place = |own: &str, name: String| Place { path: folder.join(own).display().to_string(), name, key: None };
        match self.question.command.as_str() {
            "protect" => {
                let switch = |value: Option<Value>, name: &str| match value {
                    None | Some(Value::Null) => Ok(false),
                    Some(Value::Bool(wanted)) => Ok(wanted),
                    Some(_) => Err(Error::parameter(name, "must be `true` or `false`")),
                };
                self.is_dry = switch(request.remove("dry-run").or_else(|| request.remove("dry_run")), "dry-run")?;
                let wants_key = switch(request.remove("key"), "key")?;
                self.file("out", &place("release", format!("{stem}-release")));
                if wants_key {
                    self.file("key", &place("key.csv", format!("{stem}-key.csv")));
                }
            }
            "compare" => self.file("out", &place("comparison", format!("{stem}-comparison"))),
            "audit" => self.file("html", &place("audit.html", format!("{stem}-audit.html"))),
            _ => {}
        }
        Ok(())
    }

    /// Where a handle leads.
    fn place(&self, key: &str, handle: &str) -> Result<Place> {
        self.question.places.get(handle).cloned().ok_or_else(|| {
            Error::parameter(key, "names no file that is here")
                .with_hint("send the file first, and name it by what you get: `f1`; a release by its run: `r1`")
        })
    }

    /// A key that is a file.
    fn file(&mut self, key: &str, place: &Place) {
        self.names.push((place.path.clone(), place.name.clone()));
        self.real.insert(key.to_owned(), json!(place.path));
        self.named.insert(key.to_owned(), json!(place.name));
    }

    /// A key of a request with its value.
    fn told(&mut self, key: &str, flag: Option<&Arg>, value: Value) -> Result<()> {
        if NOT_FOR_PAGES.contains(&key) || ["in", "original", "release"].contains(&key) && flag.is_none() {
            return Err(Error::parameter(key, "is none that a page may give"));
        }
        if has_nul(&value) {
            return Err(Error::parameter(key, "has a NUL in it"));
        }
        let value = self.eased(key, value);
        let words = TEXT_WITH_FILE.iter().find(|(own, _)| *own == key).map(|(_, words)| *words);
        let (real, named) = match flag.filter(|flag| takes_path(flag) || words.is_some()) {
            Some(_) => self.placed(key, words.unwrap_or_default(), &value)?,
            None => (value.clone(), value),
        };
        self.real.insert(key.to_owned(), real);
        self.named.insert(key.to_owned(), named);
        Ok(())
    }

    /// Numbers that a form gives as text.
    fn eased(&self, key: &str, value: Value) -> Value {
        let known = keywords::of(&self.question.command, Tongue::Flags);
        let shape = known.iter().find(|keyword| keyword.name == key).map(|keyword| keyword.shape);
        match (shape, &value) {
            (Some(Shape::Count | Shape::Number), Value::String(text)) => match text.parse::<serde_json::Number>() {
                Ok(number) => Value::Number(number),
                Err(_) => value,
            },
            _ => value,
        }
    }

    /// A value with handles in it: with the places, and with the names. `words` may stand for a file.
    fn placed(&mut self, key: &str, words: &[&str], value: &Value) -> Result<(Value, Value)> {
        match value {
            Value::String(text) => {
                let (before, handle) = match text.split_once('=') {
                    Some((column, handle)) if !words.is_empty() => (format!("{column}="), handle),
                    _ => (String::new(), text.as_str()),
                };
                if words.contains(&handle) {
                    return Ok((value.clone(), value.clone()));
                }
                let place = self.place(key, handle)?;
                self.names.push((place.path.clone(), place.name.clone()));
                Ok((json!(before.clone() + &place.path), json!(before + &place.name)))
            }
            Value::Array(several) => {
                let pairs = several.iter().map(|one| self.placed(key, words, one)).collect::<Result<Vec<_>>>()?;
                let (real, named): (Vec<Value>, Vec<Value>) = pairs.into_iter().unzip();
                Ok((json!(real), json!(named)))
            }
            Value::Object(of) => {
                let (mut real, mut named) = (Map::new(), Map::new());
                for (name, one) in of {
                    let (path, shown) = self.placed(key, words, one)?;
                    real.insert(name.clone(), path);
                    named.insert(name.clone(), shown);
                }
                Ok((real.into(), named.into()))
            }
            Value::Null => Ok((Value::Null, Value::Null)),
            _ => Err(Error::parameter(key, "must name a file that is here, as `f1`")),
        }
    }
}

/// Whether any text of a value has a NUL: no program can be given one.
fn has_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(several) => several.iter().any(has_nul),
        Value::Object(named) => named.iter().any(|(name, value)| name.contains('\0') || has_nul(value)),
        _ => false,
    }
}

/// Whether a flag stands alone.
fn is_switch(flag: &Arg) -> bool {
    matches!(flag.get_action(), ArgAction::SetTrue)
}

/// Whether a flag takes a file.
fn takes_path(flag: &Arg) -> bool {
    flag.get_value_parser().type_id() == ValueParser::path_buf().type_id()
}

/// What the file is called without its folder and endings.
fn stem(name: &str) -> String {
    let last = name.rsplit('/').next().unwrap_or(name);
    let stem = last.split('.').find(|part| !part.is_empty()).unwrap_or("data");
    stem.to_owned()
}

/// Everything that there is.
fn catalogue() -> Value {
    let of = |role: Role| -> Value {
        let variants =
            catalog::items_of(role).into_iter().flat_map(|item| catalog::variants(&item)).collect::<Vec<_>>();
        variants.iter().map(card).collect()
    };
    let root = args::command();
    let flags = |name: &str| {
        let command = root.find_subcommand(name);
        let shown = command.into_iter().flat_map(clap::Command::get_arguments).filter(|flag| !flag.is_hide_set());
        let keys: Vec<String> = keywords::of(name, Tongue::Flags).into_iter().map(|keyword| keyword.name).collect();
        let is_key = |long: &str| !NOT_FOR_PAGES.contains(&long) && keys.iter().any(|key| key == long);
        shown.filter(|flag| flag.get_long().is_some_and(is_key)).map(described).collect::<Value>()
    };
    json!({
        "throng": env!("CARGO_PKG_VERSION"),
        "kinds": KINDS.iter().map(|kind| kind_card(*kind)).collect::<Value>(),
        "methods": of(Role::Method),
        "models": of(Role::Model),
        "measures": of(Role::Measure),
        "attacks": of(Role::Attack),
        "commands": COMMANDS.iter().map(|name| ((*name).to_owned(), flags(name))).collect::<Map<String, Value>>(),
    })
}

fn kind_card(kind: &dyn AnyKind) -> Value {
    let card = kind.card();
    let default = kind.listed().into_iter().find(|listed| listed.role == Role::Method).map(|listed| listed.info.name);
    json!({
        "name": card.name,
        "summary": card.summary,
        "person": card.person,
        "row": card.row,
        "fact": card.fact,
        "method": default,
        "roles": roles(card.roles),
        "made_up": Some(card.made_up[0]).filter(|format| !format.is_empty()).map(|format| if format == "fimi" { "dat" } else { format }),
    })
}

/// The names of roles, in the text that says them: `user=…, time=…`.
fn roles(text: &str) -> Vec<&str> {
    let mut roles: Vec<&str> = Vec::new();
    for part in text.split("=…").filter(|part| *part != text) {
        let name =
            part.rsplit(|letter: char| !(letter.is_ascii_lowercase() || letter == '_')).next().unwrap_or_default();
        if !name.is_empty() && !roles.contains(&name) {
            roles.push(name);
        }
    }
    // What stands behind the last sign is no role.
    if !text.ends_with("=…") && roles.len() > 1 && !text.contains(&format!("{}=…", roles[roles.len() - 1])) {
        roles.pop();
    }
    roles
}

fn card(item: &catalog::Item) -> Value {
    let info = item.info();
    let parameters = info.parameters.iter().map(|parameter| {
        let (takes, choices): (&str, &[&str]) = match parameter.kind {
            ParameterKind::Count => ("count", &[]),
            ParameterKind::Share => ("share", &[]),
            ParameterKind::Weight => ("weight", &[]),
            ParameterKind::Switch => ("switch", &[]),
            ParameterKind::Choice(choices) => ("choice", choices),
            ParameterKind::Duration => ("span", &[]),
            _ => ("text", &[]),
        };
        json!({"name": parameter.name, "summary": parameter.summary, "default": parameter.default, "takes": takes, "choices": choices})
    });
    let mut card = json!({
        "name": info.name,
        "summary": info.summary,
        "details": info.details,
        "paper": info.paper,
        "kinds": item.kinds,
        "parameters": parameters.collect::<Value>(),
    });
    if let Some(measure) = item.listed.measure {
        card["unit"] = json!(measure.unit);
        card["better"] = json!(measure.better.to_string());
    }
    if item.listed.role == Role::Model {
        let promise = item.kinds.first().and_then(|kind| report::promise_in_short(info.name, kind));
        if let Some((promise, not)) = promise {
            card["promise"] = json!(promise);
            card["not"] = json!(not);
        }
    }
    card
}

fn described(flag: &Arg) -> Value {
    let choices: Vec<String> = match flag.is_hide_possible_values_set() {
        true => Vec::new(),
        false => flag.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect(),
    };
    json!({
        "name": flag.get_long(),
        "help": flag.get_help().map(ToString::to_string),
        "takes": if is_switch(flag) { "switch" } else if takes_path(flag) { "file" } else { "text" },
        "choices": choices,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(command: &str, request: Value) -> Result<(String, Vec<String>)> {
        let place = |path: &str, name: &str| json!({"path": path, "name": name});
        let question: Question = serde_json::from_value(json!({
            "command": command, "file": "f1", "request": request, "folder": "/p/r1",
            "places": {"f1": place("/p/f1/a b.tsv", "a b.tsv"), "f2": place("/p/f2/-x", "-x"), "r1": place("/p/r0/release", "a-release")},
        }))
        .unwrap();
        let line = Line::of(&question)?;
        Ok((line.shown(), line.args()))
    }

    #[test]
    fn lines() {
        let (shown, args) =
            asked("protect", json!({"k": "5", "method": "kindred", "seed": "7", "keep_ids": true, "raw-cells": false}))
                .unwrap();
        assert_eq!(shown, "throng protect 'a b.tsv' --out 'a b-release' --method kindred --seed 7 --keep-ids --k 5");
        assert_eq!(args[..4], ["protect", "/p/f1/a b.tsv", "--out", "/p/r1/release"]);
        let (shown, args) =
            asked("protect", json!({"column": {"user": "Who=x", "url": null}, "taxonomy": ["wordnet", "f2"]})).unwrap();
        assert!(shown.contains(" --column url= user=Who=x --taxonomy wordnet --taxonomy=-x"), "{shown}");
        assert!(args.contains(&"/p/f2/-x".to_owned()), "{args:?}");
        let (shown, _) = asked("measure", json!({"release": "r1", "key": "f2"})).unwrap();
        assert_eq!(shown, "throng measure 'a b.tsv' a-release --key=-x");
        let (shown, args) = asked("protect", json!({"key": true, "dry-run": true})).unwrap();
        assert_eq!(shown, "throng protect 'a b.tsv' --out 'a b-release' --key 'a b-key.csv' --dry-run");
        assert_eq!(args.last().map(String::as_str), Some("--dry-run"));
    }

    #[test]
    fn what_is_refused() {
        for (command, request) in [
            ("protect", json!({"kk": 5})),
            ("protect", json!({"out": "/tmp/x"})),
            ("protect", json!({"drop": "/etc/passwd"})),
            ("protect", json!({"key": "/tmp/key"})),
            ("protect", json!({"taxonomy": "/etc/passwd"})),
            ("protect", json!({"hierarchy": ["zip=/etc/passwd"]})),
            ("protect", json!({"config": "f1"})),
            ("protect", json!({"show_values": true})),
            ("protect", json!({"watched": true})),
            ("protect", json!({"k": [[1]]})),
            ("audit", json!({"html": "x.html"})),
            ("measure", json!({})),
            ("measure", json!({"release": "/etc"})),
            ("synth", json!({})),
            ("link", json!({})),
        ] {
            assert!(asked(command, request.clone()).is_err(), "{command} {request}");
        }
    }

    /// Every flag that could name a file is known as one, in whatever way it says so.
    #[test]
    fn no_flag_takes_a_file_unseen() {
        let root = args::command();
        for name in COMMANDS {
            for flag in root.find_subcommand(name).unwrap().get_arguments().filter(|flag| flag.get_long().is_some()) {
                let long = flag.get_long().unwrap();
                let what = flag.get_value_names().unwrap_or_default().join(" ");
                let files = ["FILE", "DIR", "RELEASE", "LOG", "REF", "TABLE"];
                let says_file = what.split(|sign: char| !sign.is_ascii_uppercase()).any(|word| files.contains(&word));
                let is_known = takes_path(flag)
                    || NOT_FOR_PAGES.contains(&long)
                    || TEXT_WITH_FILE.iter().any(|(own, _)| *own == long);
                assert!(!says_file || is_known, "{name} --{long} {what}");
            }
        }
    }

    #[test]
    fn roles_of_kinds() {
        assert_eq!(roles("user=…, time=…, lat=…"), ["user", "time", "lat"]);
        assert_eq!(
            roles("user=… (person=… where a person has several), date=… (where the day has a column of its own)"),
            ["user", "person", "date"]
        );
        for kind in KINDS {
            for role in roles(kind.card().roles) {
                assert!(kind.card().roles.contains(&format!("{role}=…")), "{role} of {}", kind.card().name);
            }
        }
    }
}
