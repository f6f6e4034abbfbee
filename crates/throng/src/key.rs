//! The key file: who became whom. Written only on request, never inside a release.
//!
//! CSV with the header `person,pseudonym,group`; beside it `FILE.json` ties the input's hash to the release's.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde_json::json;
use throng_core::data::{Interner, Strings};
use throng_core::release::Published;
use throng_core::secret::Secret;
use throng_core::{Error, Result};

use crate::io::{csv_field, csv_records};
use crate::limits;
use crate::pending::{Pending, folder_of, lies_inside, refuse_in_release};

/// Refuses a key file that would be published, or would overwrite something.
pub fn check_place(key: &Path, release: &Path) -> Result<()> {
    if lies_inside(key, release) {
        return Err(Error::refused("the key file would lie inside the release folder and be published with it")
            .with_hint("put it where only you can read it"));
    }
    refuse_in_release(key, "key file")?;
    for path in [key.to_owned(), companion(key)] {
        if path.symlink_metadata().is_ok() {
            return Err(Error::refused(format!("the key file {} exists already", path.display()))
                .with_hint("choose another name, or remove it; throng never overwrites a key"));
        }
    }
    Ok(())
}

fn companion(key: &Path) -> PathBuf {
    let mut name = key.as_os_str().to_owned();
    name.push(".json");
    PathBuf::from(name)
}

/// Who is in a key.
#[derive(Debug, Clone, Copy)]
pub struct Who<'a> {
    /// The names of persons, or of their accounts.
    pub names: &'a Strings,
    /// Who became whom.
    pub persons: &'a [Published],
    /// The number of the group of each of those.
    pub group_of: &'a [u32],
    /// Whether groups are called as in the release: their pseudonym is that of each of their persons.
    pub groups_are_published: bool,
    /// Who was held out.
    pub held_out: &'a [String],
    /// Everybody who was drawn, if a sample was.
    pub sampled: Option<&'a [String]>,
}

impl Who<'_> {
    /// The text of a key file: persons with their group, and those who were held out.
    pub fn text(&self) -> Vec<u8> {
        let Self { names, persons, group_of, groups_are_published, held_out, .. } = *self;
        let mut order: Vec<(&Published, u32)> = persons.iter().zip(group_of.iter().copied()).collect();
        order.sort_by_key(|(person, _)| person.person);
        let mut text = b"person,pseudonym,group\n".to_vec();
        for (person, group) in order {
            csv_field(names.get(person.person).as_bytes(), &mut text);
            text.push(b',');
            csv_field(person.pseudonym.as_bytes(), &mut text);
            text.push(b',');
            match groups_are_published {
                true => csv_field(person.pseudonym.as_bytes(), &mut text),
                false => text.extend_from_slice((group + 1).to_string().as_bytes()),
            }
            text.push(b'\n');
        }
        // Of those who were held out nothing is in the release, not even a pseudonym.
        for name in held_out {
            csv_field(name.as_bytes(), &mut text);
            text.extend_from_slice(b",,\n");
        }
        text
    }
}

/// A key file and its companion, begun beside their places, readable by their owner only.
#[derive(Debug)]
pub struct UnwrittenKey {
    files: [(File, Pending, PathBuf); 2],
}

/// Begins a key file, so that a place where none can be written is found early.
pub fn begin(key: &Path) -> Result<UnwrittenKey> {
    let file = |place: PathBuf| {
        let (file, pending) = Pending::file(&place, true).map_err(|cause| {
            Error::io(format!("write a key file into the folder {}", folder_of(key).display()), cause)
                .with_hint("the folder that `--key` lies in must exist and be writable")
        })?;
        Ok((file, pending, place))
    };
    Ok(UnwrittenKey { files: [file(key.to_owned())?, file(companion(key))?] })
}

impl UnwrittenKey {
    /// The files, as they are until they are published.
    pub fn unfinished(&self) -> impl Iterator<Item = &Pending> {
        self.files.iter().map(|(_, pending, _)| pending)
    }

    /// Writes the key: persons with the number of their group, and those who were held out. Of a sample, the file beside it has
    /// everybody who was drawn. Gives the finished files and their places, for [`publish`](crate::pending::publish).
    pub fn write(self, who: &Who<'_>, input_hash: Option<&str>, release_hash: &str) -> Result<Vec<(Pending, PathBuf)>> {
        let text = who.text();
        let mut tie = json!({"format": 1, "input": {"sha256": input_hash}, "release": {"sha256": release_hash}});
        if let Some(sampled) = who.sampled {
            tie["sampled"] = json!(sampled);
        }
        let tie = format!("{tie:#}\n");
        let mut finished = Vec::new();
        for ((mut file, pending, place), bytes) in self.files.into_iter().zip([text.as_slice(), tie.as_bytes()]) {
            file.write_all(bytes)
                .and_then(|()| file.sync_all())
                .map_err(|cause| Error::io(format!("write the key file {}", place.display()), cause))?;
            finished.push((pending, place));
        }
        Ok(finished)
    }
}

/// A secret beside the key that a method may leave: the key of hashed words, the parameters of noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SecretFile {
    /// What it is called.
    pub name: &'static str,
    /// Its flag, without dashes.
    pub flag: &'static str,
}

/// The key of hashed words.
pub const TOKEN_KEY: SecretFile = SecretFile { name: "token key", flag: "token-key" };
/// The parameters of noise.
pub const NOISE_FILE: SecretFile = SecretFile { name: "noise file", flag: "noise-file" };

impl SecretFile {
    /// Refuses a place for it where it would be published, or would overwrite something.
    pub fn check_place(self, place: &Path, release: &Path, key: Option<&Path>) -> Result<()> {
        let Self { name, .. } = self;
        if lies_inside(place, release) {
            return Err(Error::refused(format!(
                "the {name} would lie inside the release folder and be published with it"
            ))
            .with_hint("put it where only you can read it"));
        }
        refuse_in_release(place, name)?;
        if place.symlink_metadata().is_ok() || key.is_some_and(|key| key == place || companion(key) == place) {
            return Err(Error::refused(format!("the {name} {} exists already, or is the key file", place.display()))
                .with_hint("choose another name; every release has one of its own, and throng never overwrites one"));
        }
        Ok(())
    }

    /// Begins it, so that a place where none can be written is found early.
    pub fn begin(self, place: &Path) -> Result<UnwrittenSecret> {
        let Self { name, flag } = self;
        let (file, pending) = Pending::file(place, true).map_err(|cause| {
            Error::io(format!("write a {name} into the folder {}", folder_of(place).display()), cause)
                .with_hint(format!("the folder that `--{flag}` lies in must exist and be writable"))
        })?;
        Ok(UnwrittenSecret { file, pending, place: place.to_owned(), name })
    }
}

/// A secret, begun beside its place, readable by its owner only.
#[derive(Debug)]
pub struct UnwrittenSecret {
    file: File,
    pending: Pending,
    place: PathBuf,
    name: &'static str,
}

impl UnwrittenSecret {
    /// The file, as it is until it is published.
    pub fn unfinished(&self) -> &Pending {
        &self.pending
    }

    /// Writes a key as hexadecimal digits. Gives the finished file and its place, for [`publish`](crate::pending::publish).
    pub fn write_digits(self, secret: &Secret) -> Result<(Pending, PathBuf)> {
        let digits = secret.bytes().iter().map(|byte| format!("{byte:02x}")).collect::<String>() + "\n";
        self.write(digits.as_bytes())
    }

    /// Writes it. Gives the finished file and its place, for [`publish`](crate::pending::publish).
    pub fn write(mut self, bytes: &[u8]) -> Result<(Pending, PathBuf)> {
        self.file
            .write_all(bytes)
            .and_then(|()| self.file.sync_all())
            .map_err(|cause| Error::io(format!("write the {} {}", self.name, self.place.display()), cause))?;
        Ok((self.pending, self.place))
    }
}

/// The hashes of the original and the release that a key was written with, as far as the file beside it says so.
pub fn hashes(key: &Path) -> Result<[Option<String>; 2]> {
    let tie = tie(key)?;
    Ok(["input", "release"].map(|what| tie[what]["sha256"].as_str().map(str::to_owned)))
}

/// What the file beside a key says; `null` if there is none.
fn tie(key: &Path) -> Result<serde_json::Value> {
    let place = companion(key);
    if !place.is_file() {
        return Ok(serde_json::Value::Null);
    }
    let bytes = limits::read_file(&place, "", limits::MOST_KEY_BYTES)?;
    let damaged = |_| Error::data("the file beside the key is damaged").in_file(place.display().to_string());
    serde_json::from_slice(&bytes).map_err(damaged)
}

/// The persons of an original whom a sample was drawn of, held out or not, in rising order; `None` if everybody was protected.
pub fn sampled(key: &Path, original: &Strings) -> Result<Option<Vec<u32>>> {
    let tie = tie(key)?;
    let Some(sampled) = tie["sampled"].as_array() else { return Ok(None) };
    let original = Interner::from(original);
    let mut persons: Vec<u32> = sampled.iter().filter_map(|name| original.find(name.as_str()?)).collect();
    persons.sort_unstable();
    persons.dedup();
    Ok(Some(persons))
}

/// The persons of an original whom a release was made from, those who are not in it but were looked at included, in rising order; `None` if
/// all were.
pub fn protected(key: &Path, original: &Strings) -> Result<Option<Vec<u32>>> {
    let (sampled, held_out) = (sampled(key, original)?, held_out(key, original)?);
    if sampled.is_none() && held_out.is_empty() {
        return Ok(None);
    }
    let all = sampled.unwrap_or_else(|| (0..original.len() as u32).collect());
    Ok(Some(all.into_iter().filter(|person| held_out.binary_search(person).is_err()).collect()))
}

/// A line of a key: its number, and person, pseudonym and group. A person who was held out has neither pseudonym nor group.
struct Row {
    line: u64,
    person: String,
    pseudonym: String,
    group: String,
}

fn wrong(key: &Path, problem: &str, line: u64) -> Error {
    Error::data(problem).at_line(line).in_file(key.display().to_string())
}

fn rows(key: &Path) -> Result<Vec<Row>> {
    let bytes = limits::read_file(key, "the key file ", limits::MOST_KEY_BYTES)?;
    let records = csv_records(&bytes);
    let Some(((_, header), rows)) = records.split_first() else { return Err(wrong(key, "the key file is empty", 1)) };
    let column = |name: &str| header.iter().position(|field| field == name.as_bytes());
    let (Some(person), Some(pseudonym)) = (column("person"), column("pseudonym")) else {
        return Err(wrong(key, "this is no key file: its header must be `person,pseudonym,group`", 1));
    };
    let group = column("group");
    let row = |(line, row): &(u64, Vec<Vec<u8>>)| {
        let field =
            |column: usize| row.get(column).and_then(|bytes| std::str::from_utf8(bytes).ok()).map(str::to_owned);
        let (Some(person), Some(pseudonym)) = (field(person), field(pseudonym)) else {
            return Err(wrong(key, "the line of the key file lacks a column", *line));
        };
        Ok(Row { line: *line, person, pseudonym, group: group.and_then(field).unwrap_or_default() })
    };
    rows.iter().map(row).collect()
}

/// Reads a key: persons of the original with their numbers in the release, of which one person may have several. By person, each pair
/// once.
pub fn read(key: &Path, original: &Strings, release: &Strings) -> Result<Vec<(u32, u32)>> {
    let (original, release) = (Interner::from(original), Interner::from(release));
    let mut links = Vec::new();
    for Row { person, pseudonym, .. } in rows(key)?.iter().filter(|row| !row.pseudonym.is_empty()) {
        if let (Some(person), Some(pseudonym)) = (original.find(person), release.find(pseudonym)) {
            links.push((person, pseudonym));
        }
    }
    if links.is_empty() {
        return Err(wrong(key, "the key links nobody of this original with this release", 1)
            .with_hint("is it the key of another release? `FILE.json` beside it names the hashes"));
    }
    links.sort_unstable();
    links.dedup();
    Ok(links)
}

/// The persons of an original whom the release was not made from: those whom the key lists without a pseudonym, in rising order.
pub fn held_out(key: &Path, original: &Strings) -> Result<Vec<u32>> {
    let original = Interner::from(original);
    let all = rows(key)?;
    let held_out = all.iter().filter(|row| row.pseudonym.is_empty());
    let mut persons: Vec<u32> = held_out.filter_map(|row| original.find(&row.person)).collect();
    persons.sort_unstable();
    persons.dedup();
    Ok(persons)
}

/// For each person of one of two keys the groups that they are in, as numbers; `None` where they have no pseudonym. A person with several lines is in
/// all of their groups at once.
pub fn groups([own, other]: [&Path; 2]) -> Result<Vec<[Option<u32>; 2]>> {
    groups_beside(groups_in(own)?, other)
}

/// The persons of a key, each with their group as often as they have one.
fn groups_in(key: &Path) -> Result<Vec<(String, String)>> {
    let in_release = rows(key)?.into_iter().filter(|row| !row.pseudonym.is_empty());
    let group = |row: Row| match row.group.is_empty() {
        true => Err(wrong(key, "the line of the key file names no group", row.line)),
        false => Ok((row.person, row.group)),
    };
    in_release.map(group).collect()
}

/// The same for persons with their groups, of whom no key need be written, and the key of another release.
pub fn groups_beside(own: Vec<(String, String)>, other: &Path) -> Result<Vec<[Option<u32>; 2]>> {
    let mut groups_of: BTreeMap<String, [BTreeSet<String>; 2]> = BTreeMap::new();
    for (at, persons) in [own, groups_in(other)?].into_iter().enumerate() {
        for (person, group) in persons {
            groups_of.entry(person).or_default()[at].insert(group);
        }
    }
    let mut numbers = Interner::new();
    // No group is named with a line break in it.
    let mut number = |groups: BTreeSet<String>| {
        (!groups.is_empty()).then(|| numbers.intern(&groups.into_iter().collect::<Vec<_>>().join("\n")))
    };
    let groups: Vec<[Option<u32>; 2]> = groups_of.into_values().map(|both| both.map(&mut number)).collect();
    if !groups.iter().any(|both| both.iter().all(Option::is_some)) {
        return Err(wrong(other, "the two releases have no person in common, by their keys", 1)
            .with_hint("they must be the keys of two releases of the same people"));
    }
    Ok(groups)
}

/// The link by equal ids, for a release that kept them; `None` when no id of the release is in the original.
pub fn link_by_ids(original: &Strings, release: &Strings) -> Option<Vec<(u32, u32)>> {
    let release = Interner::from(release);
    let links: Vec<(u32, u32)> =
        (0u32..).zip(original.iter()).filter_map(|(person, name)| Some((person, release.find(name)?))).collect();
    (!links.is_empty()).then_some(links)
}
