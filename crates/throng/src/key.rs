//! The key file: who became whom. Written only on request, never inside a release.
//!
//! CSV with the header `person,pseudonym,group`; beside it `FILE.json` ties the input's hash to the release's.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde_json::json;
use throng_core::data::{Interner, Strings};
use throng_core::release::Published;
use throng_core::{Error, Result};

use crate::io::{csv_field, csv_records};
use crate::pending::Pending;

/// Refuses a key file that would be published, or would overwrite something.
pub fn check_place(key: &Path, release: &Path) -> Result<()> {
    if real(key).starts_with(real(release)) {
        return Err(Error::refused("the key file would lie inside the release folder and be published with it")
            .with_hint("put it where only you can read it"));
    }
    for path in [key.to_owned(), companion(key)] {
        if path.exists() {
            return Err(Error::refused(format!("the key file {} exists already", path.display()))
                .with_hint("choose another name, or remove it; throng never overwrites a key"));
        }
    }
    Ok(())
}

/// Where a path leads, links and dots resolved as far as it exists.
fn real(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let existing = absolute.ancestors().find_map(|ancestor| Some((ancestor, std::fs::canonicalize(ancestor).ok()?)));
    match existing {
        Some((ancestor, real)) => real.join(absolute.strip_prefix(ancestor).unwrap_or(Path::new(""))),
        None => absolute,
    }
}

fn companion(key: &Path) -> PathBuf {
    let mut name = key.as_os_str().to_owned();
    name.push(".json");
    PathBuf::from(name)
}

/// A key that is written but does not have its name yet.
#[derive(Debug)]
pub struct WrittenKey {
    files: Vec<(Pending, PathBuf)>,
}

/// Writes the key beside its place, readable by its owner only.
pub fn write(
    key: &Path,
    names: &Strings,
    persons: &[Published],
    input_hash: Option<&str>,
    release_hash: &str,
) -> Result<WrittenKey> {
    let mut order: Vec<&Published> = persons.iter().collect();
    order.sort_by_key(|person| person.person);
    let mut text = b"person,pseudonym,group\n".to_vec();
    for person in order {
        csv_field(names.get(person.person).as_bytes(), &mut text);
        text.push(b',');
        csv_field(person.pseudonym.as_bytes(), &mut text);
        text.extend_from_slice(format!(",{}\n", person.record + 1).as_bytes());
    }
    let tie = json!({"format": 1, "input": {"sha256": input_hash}, "release": {"sha256": release_hash}});
    let tie = format!("{tie:#}\n");
    let mut files = Vec::new();
    for (path, bytes) in [(key.to_owned(), text.as_slice()), (companion(key), tie.as_bytes())] {
        let mut unfinished = path.as_os_str().to_owned();
        unfinished.push(".part");
        let unfinished = PathBuf::from(unfinished);
        let failed = |cause| Error::io(format!("write the key file {}", path.display()), cause);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&unfinished).map_err(failed)?;
        let pending = Pending::new(&unfinished);
        file.write_all(bytes).and_then(|()| file.sync_all()).map_err(failed)?;
        files.push((pending, path));
    }
    Ok(WrittenKey { files })
}

impl WrittenKey {
    /// Gives the key its name.
    pub fn keep(self) -> Result<()> {
        for (pending, path) in self.files {
            pending
                .rename(&path)
                .map_err(|cause| Error::io(format!("write the key file {}", path.display()), cause))?;
        }
        Ok(())
    }
}

/// Reads a key: for each person of the original their number in the release.
pub fn read(key: &Path, original: &Strings, release: &Strings) -> Result<Vec<Option<u32>>> {
    let bytes = std::fs::read(key).map_err(|cause| Error::io(format!("read the key file {}", key.display()), cause))?;
    let records = csv_records(&bytes);
    let wrong =
        |problem: &str, line: usize| Error::data(problem).at_line(line as u64).in_file(key.display().to_string());
    let Some((header, rows)) = records.split_first() else { return Err(wrong("the key file is empty", 1)) };
    let column = |name: &str| header.iter().position(|field| field == name.as_bytes());
    let (Some(person), Some(pseudonym)) = (column("person"), column("pseudonym")) else {
        return Err(wrong("this is no key file: its header must be `person,pseudonym,group`", 1));
    };
    let (original, release) = (Interner::from(original), Interner::from(release));
    let mut link = vec![None; original.strings().len()];
    let mut found = 0;
    for (at, row) in rows.iter().enumerate() {
        let field = |column: usize| row.get(column).and_then(|bytes| std::str::from_utf8(bytes).ok());
        let (Some(person), Some(pseudonym)) = (field(person), field(pseudonym)) else {
            return Err(wrong("the line of the key file lacks a column", at + 2));
        };
        if let (Some(person), Some(pseudonym)) = (original.find(person), release.find(pseudonym)) {
            link[person as usize] = Some(pseudonym);
            found += 1;
        }
    }
    if found == 0 {
        return Err(wrong("the key links nobody of this original with this release", 1)
            .with_hint("is it the key of another release? `FILE.json` beside it names the hashes"));
    }
    Ok(link)
}

/// The link by equal ids, for a release that kept them; `None` when no id of the release is in the original.
pub fn link_by_ids(original: &Strings, release: &Strings) -> Option<Vec<Option<u32>>> {
    let release = Interner::from(release);
    let link: Vec<Option<u32>> = original.iter().map(|name| release.find(name)).collect();
    link.iter().any(Option::is_some).then_some(link)
}
