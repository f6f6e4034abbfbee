//! Flags that were not typed: those of the environment, and those of a settings file, `throng.toml`.
//!
//! # Idea
//! 1. The arguments are looked at, whatever is wrong with them, for the command, its files and the flags that were typed.
//! 2. The file is that of `--config`, else the one called `throng.toml` beside the data. Its keys are the names of flags: at the top
//!    for every command that has them, in a table called as a command for that one alone. A key that no command has is refused.
//! 3. Flags of the environment, then of the file, are added to the arguments unless they are there; then all are parsed as if they
//!    had been typed. So a value from a file is checked as one from a shell is.
//!
//! A file that lies beside the data may have come with them. So whatever is taken from it is said, even where `--quiet` is asked
//! for; switches that take something back that throng promises must be typed, or the file named; and commands that judge what somebody else made take nothing from a file that was not named.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};
use throng::inputs::SETTINGS;
use throng::{limits, pending};
use throng_core::{Error, Result};
use toml::{Table, Value};

use crate::args;

/// Flags that a file cannot set.
const NOT_SETTINGS: [&str; 5] = ["config", "no-config", "watched", "help", "version"];
/// Switches that take something back that throng promises, so that a file that was not named cannot set them.
const MUST_BE_MEANT: [&str; 3] = ["keep-ids", "show-values", "raw-cells"];
/// Commands that judge what somebody else made.
const JUDGES: [&str; 3] = ["audit", "check", "report"];
/// Variables of the environment, and their flags.
const VARIABLES: [(&str, &str); 4] = [
    ("THRONG_THREADS", "threads"),
    ("THRONG_MEMORY", "memory"),
    ("THRONG_QUIET", "quiet"),
    ("THRONG_POLICY", "policy"),
];

/// All arguments, and what was taken from a file.
pub(crate) struct Settled {
    pub(crate) args: Vec<OsString>,
    /// What to say of it.
    pub(crate) note: Option<String>,
    /// Whether it must be said: the file was not named.
    pub(crate) must_be_said: bool,
    /// Which flags the file set.
    pub(crate) from_file: FromFile,
}

/// Flags that were not typed, and the file that set them.
#[derive(Debug, Default)]
pub(crate) struct FromFile {
    file: String,
    flags: Vec<String>,
}

impl FromFile {
    /// Whether a flag was set there.
    pub(crate) fn has(&self, flag: &str) -> bool {
        self.flags.iter().any(|set| set == flag)
    }

    /// A flag by its name, as whoever set it knows it.
    pub(crate) fn called(&self, flag: &str) -> String {
        if self.has(flag) {
            return format!("`{flag}` of {}", self.file);
        }
        format!("`--{flag}`")
    }
}

/// Adds what was not typed.
pub(crate) fn settled(args: Vec<OsString>) -> Result<Settled> {
    let mut settled = Settled { args, note: None, must_be_said: false, from_file: FromFile::default() };
    let root = args::command();
    let Ok(matches) = root.clone().ignore_errors(true).try_get_matches_from(&settled.args) else { return Ok(settled) };
    let Some((name, typed)) = matches.subcommand() else { return Ok(settled) };
    let Some(command) = root.find_subcommand(name) else { return Ok(settled) };
    let flags = flags_of(&root, command);
    let is_typed = |flag: &Arg| {
        let id = flag.get_id().as_str();
        typed.try_contains_id(id).is_ok() && typed.value_source(id) == Some(ValueSource::CommandLine)
    };
    let mut open: Vec<&Arg> = flags.into_iter().filter(|flag| !is_typed(flag)).collect();
    let mut added = from_environment(&mut open)?;
    if let Some((path, is_named)) = file_of(name, typed)? {
        let (taken, words) = from_file(&path, name, &root, &open)?;
        let is_switched = |switch: &&str| taken.iter().any(|argument| *argument == *format!("--{switch}"));
        if let Some(switch) = MUST_BE_MEANT.iter().find(|switch| !is_named && is_switched(switch)) {
            return Err(Error::refused(format!("`{switch}` is set by a file that was only found beside the data"))
                .in_file(path.display().to_string())
                .with_hint(format!(
                    "type `--{switch}` if you mean it, or name the file: `--config {}`; `--no-config` leaves it out",
                    path.display()
                )));
        }
        if !words.is_empty() {
            let without = if is_named { "" } else { " (`--no-config` leaves them out)" };
            settled.note = Some(format!("settings of {}: {}{without}", path.display(), words.join(", ")));
            settled.must_be_said = !is_named;
            let flags = words.iter().filter_map(|word| word.split(" = ").next()).map(str::to_owned).collect();
            settled.from_file = FromFile { file: path.display().to_string(), flags };
        }
        added.extend(taken);
    }
    // Whatever comes after `--` is no flag.
    let end = settled.args.iter().position(|argument| argument == "--").unwrap_or(settled.args.len());
    settled.args.splice(end..end, added);
    Ok(settled)
}

/// The flags of a command, with those that every command has.
fn flags_of<'a>(root: &'a Command, command: &'a Command) -> Vec<&'a Arg> {
    let global = root.get_arguments().filter(|flag| flag.is_global_set());
    let is_setting = |flag: &&Arg| flag.get_long().is_some_and(|name| !NOT_SETTINGS.contains(&name));
    command.get_arguments().chain(global).filter(is_setting).collect()
}

/// What the environment says. Flags that it says something of are taken out: a file has no say in them.
fn from_environment(open: &mut Vec<&Arg>) -> Result<Vec<OsString>> {
    let mut added = Vec::new();
    for (variable, name) in VARIABLES {
        let Some(value) = std::env::var_os(variable).filter(|value| !value.is_empty()) else { continue };
        let Some(at) = open.iter().position(|flag| flag.get_long() == Some(name)) else { continue };
        let flag = open.remove(at);
        let Some(text) = value.to_str() else {
            return Err(Error::parameter(variable, "is no text"));
        };
        if flag.get_action().takes_values() {
            added.push(format!("--{name}={text}").into());
            continue;
        }
        match text {
            "1" | "true" | "yes" => added.push(format!("--{name}").into()),
            "0" | "false" | "no" => {}
            _ => {
                return Err(Error::parameter(variable, format!("is `{text}`, but must be 1 or 0"))
                    .with_hint(format!("`{variable}=1` is `--{name}`")));
            }
        }
    }
    Ok(added)
}

/// The settings file, and whether it was named.
fn file_of(command: &str, typed: &ArgMatches) -> Result<Option<(PathBuf, bool)>> {
    if let Some(path) = typed.try_get_one::<PathBuf>("config").ok().flatten() {
        return Ok(Some((path.clone(), true)));
    }
    if JUDGES.contains(&command) || typed.try_get_one::<bool>("no_config").is_ok_and(|no| no == Some(&true)) {
        return Ok(None);
    }
    let inputs = ["file", "before"].into_iter().filter_map(|id| typed.try_get_many::<PathBuf>(id).ok().flatten());
    let mut found: Vec<PathBuf> = Vec::new();
    for input in inputs.flatten().filter(|input| *input != Path::new("-")) {
        let beside = folder_beside(input).join(SETTINGS);
        if beside.is_file() && !found.contains(&beside) {
            found.push(beside);
        }
    }
    match found.as_slice() {
        [] => Ok(None),
        [only] => Ok(Some((only.clone(), false))),
        [first, second, ..] => Err(Error::refused(format!(
            "the files have different settings beside them: {} and {}",
            first.display(),
            second.display()
        ))
        .with_hint("name one: `--config FILE`, or none: `--no-config`")),
    }
}

/// The folder that a file lies in; of a pattern, the last that is no pattern itself.
fn folder_beside(input: &Path) -> &Path {
    let is_pattern = |path: &Path| path.to_string_lossy().contains(['*', '?', '[']);
    let mut folder = pending::folder_of(input);
    while is_pattern(folder) && !folder.exists() {
        folder = pending::folder_of(folder);
    }
    folder
}

/// The arguments of a file for a command, and the same in words.
fn from_file(path: &Path, command: &str, root: &Command, open: &[&Arg]) -> Result<(Vec<OsString>, Vec<String>)> {
    let named = |error: Error| error.in_file(path.display().to_string());
    let text = limits::read_file(path, "the settings ", limits::MOST_LIST_BYTES)?;
    let text = String::from_utf8(text).map_err(|_| named(Error::data("the settings are not UTF-8")))?;
    let table: Table = text.parse().map_err(|error: toml::de::Error| {
        let line = error.span().map_or(1, |span| 1 + text[..span.start.min(text.len())].matches('\n').count() as u64);
        let problem = format!("the settings are no TOML: {}", error.message());
        named(Error::data(problem).at_line(line).with_hint("a line is `key = value`, and text stands in quotes"))
    })?;
    let settings = Settings::of(&table, command, root).map_err(named)?;
    let folder = pending::folder_of(path);
    let (mut added, mut words) = (Vec::new(), Vec::new());
    for (name, value) in settings.0 {
        let Some(flag) = open.iter().find(|flag| flag.get_long() == Some(name)) else { continue };
        let texts = texts(flag, name, value, folder).map_err(named)?;
        if !texts.is_empty() {
            words.push(format!("{name} = {}", texts.join(", ")));
        }
        let is_switch = matches!(flag.get_action(), ArgAction::SetTrue);
        let argument = |text: &String| if is_switch { format!("--{name}") } else { format!("--{name}={text}") };
        added.extend(texts.iter().map(argument).map(OsString::from));
    }
    Ok((added, words))
}

/// Keys and values that are for a command: those of its table, then those at the top that it does not overrule.
struct Settings<'a>(Vec<(&'a str, &'a Value)>);

impl<'a> Settings<'a> {
    fn of(table: &'a Table, command: &str, root: &Command) -> Result<Self> {
        let names = |command: &Command| -> Vec<String> {
            flags_of(root, command).iter().filter_map(|flag| flag.get_long()).map(str::to_owned).collect()
        };
        let mut known: Vec<String> = root.get_subcommands().flat_map(names).collect();
        known.sort_unstable();
        known.dedup();
        let (mut own, mut common) = (Vec::new(), Vec::new());
        for (key, value) in table {
            let section = value.as_table().filter(|_| !known.contains(key) || root.find_subcommand(key).is_some());
            let Some(section) = section.filter(|_| key != "column") else {
                if !known.contains(key) {
                    let commands = root.get_subcommands().map(Command::get_name);
                    return Err(Error::unknown("setting", key, known.iter().map(String::as_str).chain(commands)));
                }
                common.push((key.as_str(), value));
                continue;
            };
            let Some(of) = root.find_subcommand(key) else {
                return Err(Error::unknown("command", key, root.get_subcommands().map(Command::get_name)));
            };
            let known = names(of);
            for (key, value) in section {
                if !known.contains(key) {
                    let what = format!("setting of {}", of.get_name());
                    return Err(Error::unknown(&what, key, known.iter().map(String::as_str)));
                }
                if of.get_name() == command {
                    own.push((key.as_str(), value));
                }
            }
        }
        let overruled = |name: &str| own.iter().any(|(other, _)| *other == name);
        let rest: Vec<(&str, &Value)> = common.into_iter().filter(|(name, _)| !overruled(name)).collect();
        own.extend(rest);
        Ok(Self(own))
    }
}

/// The values of a setting, as they would be typed. Files and folders are meant from where the settings lie.
fn texts(flag: &Arg, name: &str, value: &Value, folder: &Path) -> Result<Vec<String>> {
    let wrong = |must: &str| {
        Error::data(format!("the setting `{name}` must be {must}"))
            .with_hint("`throng help COMMAND` says what its flags take")
    };
    if matches!(flag.get_action(), ArgAction::SetTrue) {
        return match value.as_bool() {
            Some(true) => Ok(vec!["true".to_owned()]),
            Some(false) => Ok(Vec::new()),
            None => Err(wrong("true or false")),
        };
    }
    let is_path = flag.get_value_names().is_some_and(|names| names.iter().any(|name| is_place(name)));
    let text = |value: &Value| match value {
        Value::String(text) if is_path && text != "wordnet" => Ok(folder.join(text).display().to_string()),
        Value::String(text) => Ok(text.clone()),
        Value::Integer(number) => Ok(number.to_string()),
        Value::Float(number) => Ok(number.to_string()),
        Value::Boolean(yes) => Ok(yes.to_string()),
        Value::Datetime(_) | Value::Array(_) | Value::Table(_) => {
            Err(wrong("text, a number, true or false, or a list of them"))
        }
    };
    match value {
        Value::Array(list) => list.iter().map(text).collect(),
        // Which column holds what reads best as a table.
        Value::Table(table) if name == "column" => {
            table.iter().map(|(role, column)| Ok(format!("{role}={}", text(column)?))).collect()
        }
        one => Ok(vec![text(one)?]),
    }
}

/// Whether a value of this name is a file or a folder.
fn is_place(name: &str) -> bool {
    name.contains("FILE") || name.contains("DIR")
}
