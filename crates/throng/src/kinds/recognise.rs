//! What kind of data a file holds.
//!
//! Every kind says how much the beginning of a file looks like its own data; the likeliest is it. Two that are equally likely
//! are an error that names both, and so is none: nothing is guessed where a guess would be believed. What is known to be of a
//! kind that throng does not have (`foreign`) is called so, unless the user says what to read it as.

use throng_core::{Error, Result};

use super::{AnyKind, Ask, KINDS, foreign, named};
use crate::io::{ColumnChoice, Degree, Head, Likeness, Location, Opened, ReadOptions, Roles, check_known};

/// How a kind is recognised.
#[derive(Debug, Clone, Copy)]
pub struct Recognition {
    /// What a file of it has, in words.
    pub looks_like: &'static str,
    /// What its columns hold.
    pub roles: &'static Roles,
    /// Whether a folder of files can be such data.
    pub takes_folders: bool,
    /// Whether any lines of cells can be such data, so that a table of something else could be taken for it.
    pub takes_any_cells: bool,
    /// How much the beginning of a file looks like it.
    pub(crate) likeness: fn(&Head, &ReadOptions) -> Option<Likeness>,
}

/// Opens a file, or the first of several, as the kind that it is worked on as: what was asked for, else what it looks like.
pub(crate) fn open(location: &Location, ask: &Ask) -> Result<(&'static dyn AnyKind, Opened)> {
    let [first, others @ ..] = location.each() else { return Err(Error::internal("there is no file to open")) };
    let (kind, opened) = open_one(first, ask)?;
    let as_it_is = Ask { as_kind: None, ..ask.clone() };
    for other in others {
        let (_, found) = open_one(other, &as_it_is)?;
        if found.kind != opened.kind {
            let name = |kind: Option<&'static str>| kind.unwrap_or_default();
            let problem = format!("{first} is taken for {}, and {other} for {}", name(opened.kind), name(found.kind));
            return Err(Error::data(problem)
                .in_file(other.to_string())
                .with_hint("files of one data set are of one kind; `--kind` overrules what they are taken for"));
        }
    }
    Ok((kind, opened.followed_by(others)))
}

/// The columns that are named, and that the beginning of every file has. Nothing is known of standard input, which is read once.
pub(crate) fn columns_that_are_there(location: &Location, ask: &Ask) -> Result<Vec<ColumnChoice>> {
    let options = ReadOptions { columns: Vec::new(), ..ask.reading() };
    let mut columns = ask.columns.clone();
    for place in location.each().iter().filter(|place| matches!(place, Location::File(_))) {
        if !columns.is_empty() {
            let head = Opened::open(place, &options)?.head(&options)?;
            columns.retain(|choice| head.names.contains(&choice.name));
        }
    }
    Ok(columns)
}

fn open_one(location: &Location, ask: &Ask) -> Result<(&'static dyn AnyKind, Opened)> {
    let roles: Vec<&Roles> = KINDS.iter().map(|kind| kind.recognition().roles).collect();
    check_known(&roles, &ask.columns)?;
    let asked = ask.kind.as_deref().map(named).transpose()?;
    if let Location::Folder(path) = location {
        refuse_folder(asked).map_err(|error| error.in_file(path.display().to_string()))?;
    }
    let mut opened = Opened::open(location, &ask.reading())?;
    let kind = match (asked, location) {
        (Some(kind), _) => (kind, "`--kind` says so"),
        (None, Location::Folder(_)) => (kind_of_folders()?, "it is a folder"),
        (None, _) => recognise(&mut opened, &ask.reading()).map_err(|error| error.in_file(location.to_string()))?,
    };
    let (kind, because) = kind;
    (opened.kind, opened.because) = (Some(kind.card().name), because);
    Ok((taken_as(kind, ask)?, opened))
}

/// The name of the kind that a file looks like, or is said to be.
pub fn kind_of(location: &Location, ask: &Ask) -> Result<&'static str> {
    let (kind, _) = open(location, &Ask { as_kind: None, ..ask.clone() })?;
    Ok(kind.card().name)
}

/// The kind that a file of a kind is taken as.
fn taken_as(kind: &'static dyn AnyKind, ask: &Ask) -> Result<&'static dyn AnyKind> {
    let Some(wanted) = &ask.as_kind else { return Ok(kind) };
    let wanted = named(wanted)?;
    let (name, card) = (kind.card().name, wanted.card());
    if card.name != name && !card.made_of.contains(&name) {
        return Err(Error::refused(format!("{name} cannot be taken as {}", card.name))
            .with_hint("`--as baskets` takes the words of a search log; leave it out for anything else"));
    }
    Ok(wanted)
}

fn refuse_folder(asked: Option<&dyn AnyKind>) -> Result<()> {
    if asked.is_none_or(|kind| kind.recognition().takes_folders) {
        return Ok(());
    }
    let takers: Vec<&str> = takers_of_folders().map(|kind| kind.card().name).collect();
    Err(Error::data("this is a folder, not a file")
        .with_hint(format!("a folder is read as {}; give the data file", takers.join(" or "))))
}

fn takers_of_folders() -> impl Iterator<Item = &'static dyn AnyKind> {
    KINDS.iter().copied().filter(|kind| kind.recognition().takes_folders)
}

fn kind_of_folders() -> Result<&'static dyn AnyKind> {
    let takers: Vec<&'static dyn AnyKind> = takers_of_folders().collect();
    match takers[..] {
        [only] => Ok(only),
        _ => Err(could_be(&takers, "a folder")),
    }
}

/// The kind that a file looks like, and why.
fn recognise(opened: &mut Opened, options: &ReadOptions) -> Result<(&'static dyn AnyKind, &'static str)> {
    let head = opened.head(options)?;
    let like = |kind: &&'static dyn AnyKind| Some(((kind.recognition().likeness)(&head, options)?, *kind));
    let likenesses: Vec<(Likeness, &'static dyn AnyKind)> = KINDS.iter().filter_map(like).collect();
    let most = likenesses.iter().map(|(likeness, _)| likeness.degree).max();
    if options.columns.is_empty() && most <= Some(Degree::Possible) {
        refuse_title(&head)?;
    }
    if let Some(foreign) = foreign::recognise(&head, most).filter(|_| options.columns.is_empty()) {
        return Err(foreign.refusal(&head));
    }
    let likeliest: Vec<(Likeness, &'static dyn AnyKind)> =
        likenesses.into_iter().filter(|(likeness, _)| Some(likeness.degree) == most).collect();
    match likeliest[..] {
        [(_, only)] if most == Some(Degree::Possible) && has_one_column(&head) && only.recognition().takes_any_cells => {
            Err(Error::data("every line of the file is a single cell").with_hint(format!(
                "`--delimiter` says what stands between cells, if something unusual does; `--kind {}` takes each as one item",
                only.card().name
            )))
        }
        // A table without names is not taken for lines of something else.
        [(_, only)] if most == Some(Degree::Possible) && head.is_table && only.recognition().takes_any_cells => {
            let name = only.card().name;
            Err(Error::data(format!("the file could be {name}, one a line, or a table with a row for each person"))
                .with_hint(format!(
                    "all lines have as many cells; {name} are `--kind {name}`, columns are named with `--column`, and a \
                     table is `--kind table`, with `--no-header` if its first line is a row"
                )))
        }
        [(likeness, only)] => Ok((only, likeness.because)),
        [] => Err(unlike_all(&head)),
        [..] => {
            let kinds: Vec<&'static dyn AnyKind> = likeliest.iter().map(|(_, kind)| *kind).collect();
            Err(could_be(&kinds, &head.names.join(", ")))
        }
    }
}

/// How many lines of titles are looked for.
const TITLES: usize = 5;

/// Refuses a file whose columns have their names in a later line: titles stand above them.
fn refuse_title(head: &Head) -> Result<()> {
    let is_header = |row: &Vec<String>| {
        let names: Vec<&str> = row.iter().map(String::as_str).collect();
        names.len() > 1 && KINDS.iter().any(|kind| kind.recognition().roles.are_named(&names))
    };
    let line = head.rows.iter().take(1 + TITLES).position(is_header).unwrap_or(0);
    if line == 0 {
        return Ok(());
    }
    let first = line + 1;
    Err(Error::data(format!("the names of the columns are not in the first line, but in line {first}"))
        .at_line(1)
        .with_hint(format!("delete what stands above them: `tail -n +{first} FILE`")))
}

/// Whether every line of a file is a single cell, with some sign in it as often in all: something unusual that stands between
/// cells, and not one item each.
fn has_one_column(head: &Head) -> bool {
    let signs = |row: &[String], sign: u8| row[0].bytes().filter(|byte| *byte == sign).count();
    let is_even = |sign: u8| {
        let count = head.rows.first().map_or(0, |row| signs(row, sign));
        count > 0 && head.rows.iter().all(|row| signs(row, sign) == count)
    };
    let is_single = head.rows.len() > 1 && head.rows.iter().all(|row| row.len() == 1);
    is_single && (b'!'..=b'~').filter(u8::is_ascii_punctuation).any(is_even)
}

/// The error for a file that several kinds know.
fn could_be(kinds: &[&'static dyn AnyKind], seen: &str) -> Error {
    let names: Vec<&str> = kinds.iter().map(|kind| kind.card().name).collect();
    Error::data(format!("the file could be {}", names.join(" or ")))
        .with_value(seen)
        .with_hint(format!("say which: `--kind {}`", names.join("` or `--kind ")))
}

/// The error for a file that no kind knows.
fn unlike_all(head: &Head) -> Error {
    let kinds: Vec<String> =
        KINDS.iter().map(|kind| format!("{}: {}", kind.card().name, kind.recognition().looks_like)).collect();
    let hint = format!("{}; name columns with `--column`, or the kind with `--kind`", kinds.join("; "));
    Error::data("cannot tell what kind of data this is").at_line(1).with_value(head.names.join(", ")).with_hint(hint)
}
