//! What kind of data a file holds.
//!
//! Every kind says how much the beginning of a file looks like its own data; the likeliest is it. Two that are equally likely
//! are an error that names both, and so is none: nothing is guessed where a guess would be believed. What is known to be of a
//! kind that throng does not have (`foreign`) is called so, unless the user says what to read it as.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use throng_core::data::Paths;
use throng_core::text::lower_words;
use throng_core::text::stop_words::is_stop_word;
use throng_core::{Error, Result};

use super::{AnyKind, Ask, KINDS, Kinded, foreign, named};
use crate::io::paths::files_of_paths;
use crate::io::{
    ColumnChoice, Degree, FormatKind, Head, Likeness, Location, Opened, ReadOptions, Roles, check_known, is_number,
    knows_item, knows_person,
};

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
    for place in location.each().iter().filter(|place| matches!(place, Location::File(_) | Location::Frame(_))) {
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
    let has_schema = ask.schema.is_some() || super::is_project(location);
    let said = ask.kind.as_deref().or_else(|| ask.nodes.is_some().then(super::kind_of_nodes));
    let said = said.or_else(|| has_schema.then(super::kind_of_schemas));
    let asked = said.map(named).transpose()?;
    if let Location::Folder(path) = location {
        refuse_folder(asked).map_err(|error| error.in_file(path.display().to_string()))?;
    }
    let mut opened = Opened::open(location, &ask.reading())?;
    let named = |error: Error| error.in_file(location.to_string());
    let (kind, because) = match (asked, location) {
        (Some(kind), Location::Folder(_)) => (kind, SAID),
        (Some(kind), _) if ask.is_certified => (kind, SAID),
        (Some(kind), _) => {
            opened.doubt = doubt(kind, &mut opened, &ask.reading()).map_err(named)?;
            (kind, SAID)
        }
        (None, Location::Folder(_)) => (kind_of_folders()?, "it is a folder"),
        (None, _) => {
            let (kind, likeness) = recognise(&mut opened, &ask.reading()).map_err(named)?;
            if kind.recognition().takes_any_cells && likeness.degree < Degree::Certain && !names_columns(likeness) {
                let name = kind.card().name;
                opened.doubt = Some(format!(
                    "the file is taken for {name}: {}; `--kind {name}` says that it is so, `--column` that it is not",
                    likeness.because
                ));
            }
            (kind, likeness.because)
        }
    };
    (opened.kind, opened.because) = (Some(kind.card().name), because);
    Ok((taken_as(kind, ask)?, opened))
}

/// Why a file is taken for the kind that was asked for.
const SAID: &str = "`--kind` says so";

/// Whether a file is taken for a kind because its columns have the right names, or it has lists: hardly a guess.
fn names_columns(likeness: Likeness) -> bool {
    likeness.because.contains("names of a person") || likeness.because.contains("lists")
}

/// What to say of a file that is taken for a kind because somebody said so, and looks like something else. Lines of cells are
/// refused where the first of them would be a basket, and are names of columns: that is hardly meant.
fn doubt(kind: &'static dyn AnyKind, opened: &mut Opened, options: &ReadOptions) -> Result<Option<String>> {
    // Whatever is wrong with it, its reader says.
    let Ok(head) = opened.head(options) else { return Ok(None) };
    let name = kind.card().name;
    let is_row_each = kind.recognition().takes_any_cells && head.format.kind == FormatKind::Csv;
    if is_row_each && options.columns.is_empty() && !options.no_header {
        let like = |kind: &dyn AnyKind| {
            (kind.recognition().likeness)(&head, options).filter(|like| like.degree > Degree::Possible)
        };
        let other =
            KINDS.iter().filter(|other| other.card().name != name).find_map(|other| Some((other, like(*other)?)));
        let is_own = like(kind).is_some();
        if let (false, Some((other, like))) = (is_own, other) {
            let other = other.card().name;
            return Err(Error::refused(format!("this looks like {other}, not like {name}: {}", like.because)).with_hint(format!(
                "`--as {name}` takes the words of a search log; `--column` says which columns are the person and the item; \
                 `--no-header` takes every line as one of the {name}, the first too"
            )));
        }
        if !is_own && foreign::has_header(&head) {
            return Err(Error::refused(format!(
                "the first line looks like names of columns, and would be one of the {name}"
            ))
            .at_line(1)
            .with_hint(
                "`--column person=… item=…` says which columns are the person and the item; `--no-header` takes every line as a \
                 basket, the first too",
            ));
        }
    }
    let likeness = |kind: &dyn AnyKind| (kind.recognition().likeness)(&head, options);
    let is_certain = |other: &dyn AnyKind| likeness(other).is_some_and(|like| like.degree == Degree::Certain);
    let other = || {
        let is_own = likeness(kind).is_some_and(|like| like.degree > Degree::Possible);
        KINDS
            .iter()
            .find(|other| !is_own && other.card().name != name && is_certain(**other))
            .map(|other| other.card().name)
    };
    let looks = foreign::recognise(&head, None).map(|foreign| foreign.name()).or_else(other);
    Ok(looks
        .filter(|_| options.columns.is_empty())
        .map(|looks| format!("the file looks like {looks}, and is read as {name} because `--kind` says so")))
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

/// The files of a folder that are data of a kind by themselves, if that kind is asked for or none is; none of a folder of documents.
pub(crate) fn files_in(folder: &Path, ask: &Ask) -> Result<Vec<PathBuf>> {
    let asked = ask.kind.as_deref().map(named).transpose()?;
    let is_other = asked.is_some_and(|kind| kind.card().name != <Paths as Kinded>::CARD.name);
    if is_other { Ok(Vec::new()) } else { files_of_paths(folder) }
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
fn recognise(opened: &mut Opened, options: &ReadOptions) -> Result<(&'static dyn AnyKind, Likeness)> {
    let head = opened.head(options)?;
    refuse_title_above_chosen(&head, &options.columns)?;
    let like = |kind: &&'static dyn AnyKind| Some(((kind.recognition().likeness)(&head, options)?, *kind));
    let likenesses: Vec<(Likeness, &'static dyn AnyKind)> = KINDS.iter().filter_map(like).collect();
    let most = likenesses.iter().map(|(likeness, _)| likeness.degree).max();
    if options.columns.is_empty() && most <= Some(Degree::Possible) {
        refuse_title(&head)?;
    }
    if options.columns.is_empty() && options.format.is_none() && most <= Some(Degree::Probable) {
        refuse_title_of_rows(&head)?;
    }
    if let Some(foreign) = foreign::recognise(&head, most).filter(|_| options.columns.is_empty()) {
        return Err(foreign.refusal(&head));
    }
    let likeliest: Vec<(Likeness, &'static dyn AnyKind)> =
        likenesses.into_iter().filter(|(likeness, _)| Some(likeness.degree) == most).collect();
    match likeliest[..] {
        [(_, only)]
            if most <= Some(Degree::Probable)
                && options.format.is_none()
                && is_prose(&head)
                && only.recognition().takes_any_cells =>
        {
            let name = only.card().name;
            Err(Error::data(format!("the lines read like sentences, not like {name}")).with_hint(format!(
                "texts are documents: give the folder that they are in, or name a column: `--column text=…`; if every line is one of \
                 the {name} all the same, say `--kind {name}`"
            )))
        }
        [(_, only)]
            if most <= Some(Degree::Probable)
                && options.format.is_none()
                && has_single_words(&head)
                && !is_called_baskets(opened.location())
                && only.recognition().takes_any_cells =>
        {
            let name = only.card().name;
            Err(Error::data("every line of the file is a single word, which may be a list of anything").with_hint(format!(
                "`--kind {name}` takes each line as one of the {name}, with a single item; `--delimiter` says what stands between \
                 cells, if something unusual does"
            )))
        }
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
        [(likeness, only)] => Ok((only, likeness)),
        [] => Err(unlike_all(&head)),
        [..] => {
            let kinds: Vec<&'static dyn AnyKind> = likeliest.iter().map(|(_, kind)| *kind).collect();
            Err(could_be(&kinds, &head.names.join(", ")))
        }
    }
}

/// How many lines of titles are looked for.
const TITLES: usize = 5;

/// The error for a file whose columns have their names in a later line, counted from 0.
fn titles_above(line: usize) -> Error {
    let first = line + 1;
    Error::data(format!("the names of the columns are not in the first line, but in line {first}"))
        .at_line(1)
        .with_hint(format!("delete what stands above them: `tail -n +{first} FILE`"))
}

/// Refuses a file whose columns have their names in a later line: titles stand above them.
fn refuse_title(head: &Head) -> Result<()> {
    let is_header = |row: &Vec<String>| {
        let names: Vec<&str> = row.iter().map(String::as_str).collect();
        names.len() > 1 && KINDS.iter().any(|kind| kind.recognition().roles.are_named(&names))
    };
    match head.rows.iter().take(1 + TITLES).position(is_header) {
        Some(line @ 1..) => Err(titles_above(line)),
        _ => Ok(()),
    }
}

/// The same where columns were named, and are found in a later line only.
fn refuse_title_above_chosen(head: &Head, chosen: &[ColumnChoice]) -> Result<()> {
    // A number is a place.
    let named: Vec<&String> =
        chosen.iter().map(|choice| &choice.name).filter(|name| name.parse::<usize>().is_err()).collect();
    let has_all = |row: &Vec<String>| named.iter().all(|name| row.contains(name));
    match head.rows.iter().take(1 + TITLES).position(has_all) {
        Some(line @ 1..) if !named.is_empty() => Err(titles_above(line)),
        _ => Ok(()),
    }
}

/// The fewest lines below a title that show that it is one.
const BELOW: usize = 4;

/// Refuses a title or comment above rows whose columns nobody knows, and a title or header above lines of items. Nothing of it is shown:
/// it may be a row.
fn refuse_title_of_rows(head: &Head) -> Result<()> {
    let filled = |row: &Vec<String>| row.iter().filter(|cell| !cell.trim().is_empty()).count();
    let even = |rows: &[Vec<String>]| {
        let cells = rows.first().map_or(0, Vec::len);
        rows.len() >= BELOW && cells > 1 && rows.iter().all(|row| row.len() == cells && filled(row) > 1)
    };
    let titles = head.rows.iter().take(TITLES).take_while(|row| filled(row) <= 1).count();
    if titles > 0 && even(&head.rows[titles..]) {
        return Err(Error::data(format!(
            "{} no row: all lines below have more cells",
            if titles == 1 { "the first line is".to_owned() } else { format!("the first {titles} lines are") }
        ))
        .at_line(1)
        .with_hint(format!(
            "delete what stands above the names of the columns: `tail -n +{} FILE`; if every line is a basket, say `--kind baskets`",
            titles + 1
        )));
    }
    let is_comment = |row: &Vec<String>| row.first().is_some_and(|cell| cell.trim_start().starts_with('#'));
    let comments = head.rows.iter().take(TITLES).take_while(|row| is_comment(row)).count();
    if comments > 0 && !head.rows.iter().skip(comments).any(is_comment) {
        return Err(Error::data("the file begins with a comment").at_line(1).with_hint(format!(
            "delete it: `tail -n +{} FILE`; if every line is a basket, say `--kind baskets`",
            comments + 1
        )));
    }
    match title_of_items(head) {
        Some(what) => Err(Error::data(format!("the first line looks like {what}, and would be a basket"))
            .at_line(1)
            .with_hint("delete it: `tail -n +2 FILE`; if it is a basket like the others, say `--kind baskets`")),
        None => Ok(()),
    }
}

/// What the first of some lines of items looks like, if it is unlike all the others.
fn title_of_items(head: &Head) -> Option<&'static str> {
    let lines: Vec<Vec<&str>> = match head.has_no_cells() {
        true => {
            let lines = head.lines.iter().filter(|line| !line.starts_with(['#', '%', '@']));
            lines.map(|line| line.split_ascii_whitespace().collect()).collect()
        }
        false => {
            let cells = |row: &'_ Vec<String>| row.len();
            // Lines of as many cells are a table, or are asked about.
            let is_even = head.rows.iter().all(|row| cells(row) == head.rows.first().map_or(0, cells));
            let rows = head.rows.iter().filter(|_| !is_even);
            rows.map(|row| row.iter().map(|cell| cell.trim()).filter(|cell| !cell.is_empty()).collect()).collect()
        }
    };
    let (first, rest) = lines.split_first().filter(|(_, rest)| rest.len() >= BELOW)?;
    let is_number = |item: &&str| is_number(item);
    if !first.iter().any(is_number) && rest.iter().flatten().all(is_number) {
        return Some("a title above numbers");
    }
    if first.iter().all(|name| name.len() > 1 && (knows_item(name) || knows_person(name))) {
        return Some("names of columns");
    }
    let mut lines_with: BTreeMap<&str, usize> = BTreeMap::new();
    for line in rest {
        let mut items = line.clone();
        items.sort_unstable();
        items.dedup();
        items.into_iter().for_each(|item| *lines_with.entry(item).or_default() += 1);
    }
    let shares = |line: &Vec<&str>| line.iter().any(|item| lines_with[item] > 1);
    let words = first.iter().map(|item| item.split_whitespace().count()).sum::<usize>();
    let is_alone = first.iter().all(|item| !lines_with.contains_key(item));
    (words > 2 && is_alone && rest.len() >= 2 * BELOW && rest.iter().all(shares)).then_some("a title")
}

/// Whether the name of a file says that it has one basket a line, as that of a release does.
fn is_called_baskets(location: &Location) -> bool {
    let name = match location {
        Location::File(path) => path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase(),
        _ => return false,
    };
    name.trim_end_matches(".gz").trim_end_matches(".zst").ends_with(".fimi")
}

/// Whether every line of a file is a single word.
fn has_single_words(head: &Head) -> bool {
    let is_word = |line: &String| line.split_ascii_whitespace().count() == 1;
    head.has_no_cells() && head.lines.len() > 1 && head.lines.iter().all(is_word)
}

/// Whether half of the lines or more are sentences: they end as sentences do, or have words between the words that say something. Names of
/// things have these too ("the lord of the rings"), so cells must be long.
fn is_prose(head: &Head) -> bool {
    if head.lines.iter().any(|line| line.starts_with(['{', '['])) {
        return false;
    }
    let words = |line: &str| line.split_whitespace().count();
    let cells: usize = head.rows.iter().map(Vec::len).sum();
    let in_cells: usize = head.rows.iter().flatten().map(|cell| words(cell)).sum();
    let ends = |word: &str| {
        let before = word.trim_end_matches(['.', '!', '?']);
        before.len() < word.len() && before.chars().count() > 1 && before.chars().skip(1).all(char::is_lowercase)
    };
    let joins = |line: &str| {
        let mut found: Vec<String> = lower_words(line).filter(|word| is_stop_word(word)).collect();
        found.sort_unstable();
        found.dedup();
        found.len() > 1
    };
    let is_sentence = |line: &&String| words(line) > 4 && (line.split_whitespace().any(ends) || joins(line));
    let sentences = head.lines.iter().filter(is_sentence).count();
    sentences > 0 && 2 * sentences >= head.lines.len() && in_cells >= 4 * cells
}

/// Whether every line of a file is a single cell: something unusual may stand between cells, and one item each is hardly meant.
fn has_one_column(head: &Head) -> bool {
    head.rows.len() > 1 && head.rows.iter().all(|row| row.len() == 1)
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
