//! Joints: which output of which step, or which data, an input of a step is.

use throng_core::Error;

use super::super::commands::{Command, Sort};
use super::super::reading::{Entry, Wrongs};
use super::{Builder, in_words};
use crate::keywords::{self, Shape, Tongue};

/// An input of a step.
#[derive(Debug, Clone)]
pub(in super::super) struct Joint {
    /// The key that names it.
    pub(in super::super) key: String,
    /// Its name: `log`, `release`, `split.train`.
    pub(in super::super) text: String,
    pub(in super::super) source: Source,
    /// Whether the step takes it as what it looks at; else it goes with that, as a file.
    pub(in super::super) is_input: bool,
}

/// Where an input comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) enum Source {
    /// From the recipe's data.
    Data(usize),
    /// From a step: its one output, or one of its parts.
    Step(usize, Option<String>),
}

impl Source {
    pub(in super::super) fn step(&self) -> Option<usize> {
        match self {
            Self::Data(_) => None,
            Self::Step(step, _) => Some(*step),
        }
    }
}

impl Builder<'_> {
    /// The inputs of a step.
    pub(super) fn joints(
        &self,
        entry: &Entry,
        command: &Command,
        known: &[Option<&'static Command>],
        wrongs: &mut Wrongs,
    ) -> Vec<Joint> {
        let mut joints = Vec::new();
        for takes in command.takes {
            let Some(key) = entry.key(takes.key) else {
                if takes.is_needed {
                    let error = Error::data(format!("the step `{}` does not say what it takes", entry.name)).with_hint(
                        format!("`{} = \"NAME\"`, where NAME is that of {}", takes.key, in_words(takes.sorts)),
                    );
                    wrongs.add(self.reader, &entry.at, error);
                }
                continue;
            };
            // That it is no text is said with the other keys.
            let Some(texts) = key.texts() else { continue };
            if texts.is_empty() || texts.len() > 1 && !takes.is_many {
                let must = if takes.is_many { "name one input at least" } else { "name one input" };
                wrongs.add(self.reader, &key.value_at, Error::data(format!("`{}` must {must}", takes.key)));
            }
            for (text, at) in texts {
                match self.source(text, known) {
                    Err(error) => wrongs.add(self.reader, at, error),
                    // What it gives is not known, and that is said there.
                    Ok(None) => {}
                    Ok(Some((Source::Step(from, _), _))) if command.name == "assess" && !self.learns(from) => {
                        let error = Error::data(format!("`{text}` is no step that learns"))
                            .with_hint("`assess` judges on the training set, which a step `train` has");
                        wrongs.add(self.reader, at, error);
                    }
                    Ok(Some((source, sort))) if takes.sorts.contains(&sort) => {
                        joints.push(Joint { key: takes.key.to_owned(), text: text.to_owned(), source, is_input: true });
                    }
                    Ok(Some((_, sort))) => {
                        let error = Error::data(format!(
                            "`{text}` is {}, but `{}` of {} takes {}",
                            sort.in_words(),
                            takes.key,
                            command.name,
                            in_words(takes.sorts)
                        ))
                        .with_hint("`throng run --explain` shows what every step takes and gives");
                        wrongs.add(self.reader, at, error);
                    }
                }
            }
        }
        let is_file = |shape: Shape| matches!(shape, Shape::Path | Shape::Paths);
        let named = entry.keys.iter().map(|key| (key.name.clone(), key.value.clone())).collect();
        let listed = keywords::of(command.of_keys(&named), Tongue::Flags);
        // Other files may be outputs of steps, too.
        for key in &entry.keys {
            let is_written = command.writes.iter().any(|writes| writes.key == key.name) || key.name == "to";
            let is_taken = command.takes.iter().any(|takes| takes.key == key.name);
            let may_be = listed.iter().any(|keyword| keyword.name == key.name && is_file(keyword.shape));
            if !may_be || is_written || is_taken {
                continue;
            }
            for (text, at) in key.texts().unwrap_or_default() {
                if self.folder.join(text).exists() {
                    continue;
                }
                match self.source(text, known) {
                    Ok(Some((source, _))) => {
                        joints.push(Joint { key: key.name.clone(), text: text.to_owned(), source, is_input: false });
                    }
                    // A part that a step does not have is no file either.
                    Err(error) if text.split_once('.').is_some_and(|(step, _)| self.is_step(step)) => {
                        wrongs.add(self.reader, at, error);
                    }
                    _ => {}
                }
            }
        }
        joints
    }

    fn learns(&self, step: usize) -> bool {
        self.written.steps[step].text("run") == Some("train")
    }

    fn is_step(&self, name: &str) -> bool {
        self.written.steps.iter().any(|step| step.name == name)
    }

    /// What a joint is called by; nothing of a step that runs what nobody knows.
    fn source(&self, text: &str, known: &[Option<&'static Command>]) -> Result<Option<(Source, Sort)>, Error> {
        if let Some(data) = self.written.data.iter().position(|data| data.name == text) {
            return Ok(Some((Source::Data(data), Sort::Data)));
        }
        let (name, part) = match text.split_once('.') {
            Some((name, part)) => (name, Some(part)),
            None => (text, None),
        };
        let Some(at) = self.written.steps.iter().position(|step| step.name == name) else {
            return Err(Error::unknown("data or step", text, self.names(known).iter().map(String::as_str)));
        };
        let Some(command) = known.get(at).copied().flatten() else { return Ok(None) };
        if part.is_none() && !command.parts.is_empty() {
            let parts: Vec<String> = command.parts.iter().map(|part| format!("`{name}.{part}`")).collect();
            return Err(Error::data(format!("the step `{name}` has more outputs than one"))
                .with_hint(format!("name the one that is meant: {}", parts.join(" or "))));
        }
        if part == Some("key") && command.name == "protect" {
            return Err(Error::data("the key of a release never leaves the state folder")
                .with_hint("`measure`, `attack` and `check` find it by themselves"));
        }
        let is_beside = |part: &str| command.also.iter().any(|(name, ..)| *name == part);
        let written =
            |part: &str| self.written.steps[at].key(part).is_some() && command.writes.iter().any(|own| own.key == part);
        if let Some(part) = part.filter(|part| !command.parts.contains(part) && !is_beside(part) && !written(part)) {
            let own = command.parts.iter().copied().chain(command.also.iter().map(|(name, ..)| *name));
            let made = command.writes.iter().map(|own| own.key).filter(|key| written(key));
            let parts: Vec<&str> = own.chain(made).collect();
            if parts.is_empty() {
                return Err(Error::data(format!("the step `{name}` has one output and no `{part}`"))
                    .with_hint(format!("it is called `{name}`")));
            }
            return Err(Error::unknown(&format!("output of the step `{name}`"), part, parts));
        }
        let sort = command.sort_of(part, |key| self.written.steps[at].key(key).is_some());
        if sort == Sort::Nothing {
            return Err(Error::data(format!("`{text}` is nothing that another step may take")));
        }
        Ok(Some((Source::Step(at, part.map(str::to_owned)), sort)))
    }

    /// The names of everything that a step can take.
    fn names(&self, known: &[Option<&'static Command>]) -> Vec<String> {
        let mut names: Vec<String> = self.written.data.iter().map(|data| data.name.clone()).collect();
        for (entry, command) in self.written.steps.iter().zip(known) {
            match command {
                Some(command) if !command.parts.is_empty() => {
                    names.extend(command.parts.iter().map(|part| format!("{}.{part}", entry.name)));
                }
                _ => names.push(entry.name.clone()),
            }
        }
        names
    }
}
