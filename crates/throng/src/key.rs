//! The key file: who became whom. Written only on request, never inside a release.
//!
//! CSV with the header `person,pseudonym,group`; beside it `FILE.json` ties the input's hash to the release's.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde_json::json;
use throng_core::data::{Interner, Strings};
use throng_core::release::Published;
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

    /// Writes the key: persons with the number of their group. Gives the finished files and their places, for [`publish`](crate::pending::publish).
    pub fn write(
        self,
        names: &Strings,
        persons: &[Published],
        group_of: &[u32],
        input_hash: Option<&str>,
        release_hash: &str,
    ) -> Result<Vec<(Pending, PathBuf)>> {
        let mut order: Vec<(&Published, u32)> = persons.iter().zip(group_of.iter().copied()).collect();
        order.sort_by_key(|(person, _)| person.person);
        let mut text = b"person,pseudonym,group\n".to_vec();
        for (person, group) in order {
            csv_field(names.get(person.person).as_bytes(), &mut text);
            text.push(b',');
            csv_field(person.pseudonym.as_bytes(), &mut text);
            text.extend_from_slice(format!(",{}\n", group + 1).as_bytes());
        }
        let tie = json!({"format": 1, "input": {"sha256": input_hash}, "release": {"sha256": release_hash}});
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

/// The hashes of the original and the release that a key was written with, as far as the file beside it says so.
pub fn hashes(key: &Path) -> Result<[Option<String>; 2]> {
    let place = companion(key);
    if !place.is_file() {
        return Ok([None, None]);
    }
    let bytes = limits::read_file(&place, "", limits::MOST_KEY_BYTES)?;
    let damaged = |_| Error::data("the file beside the key is damaged").in_file(place.display().to_string());
    let tie: serde_json::Value = serde_json::from_slice(&bytes).map_err(damaged)?;
    Ok(["input", "release"].map(|what| tie[what]["sha256"].as_str().map(str::to_owned)))
}

/// Reads a key: for each person of the original their number in the release.
pub fn read(key: &Path, original: &Strings, release: &Strings) -> Result<Vec<Option<u32>>> {
    let bytes = limits::read_file(key, "the key file ", limits::MOST_KEY_BYTES)?;
    let records = csv_records(&bytes);
    let wrong = |problem: &str, line: u64| Error::data(problem).at_line(line).in_file(key.display().to_string());
    let Some(((_, header), rows)) = records.split_first() else { return Err(wrong("the key file is empty", 1)) };
    let column = |name: &str| header.iter().position(|field| field == name.as_bytes());
    let (Some(person), Some(pseudonym)) = (column("person"), column("pseudonym")) else {
        return Err(wrong("this is no key file: its header must be `person,pseudonym,group`", 1));
    };
    let (original, release) = (Interner::from(original), Interner::from(release));
    let mut link = vec![None; original.strings().len()];
    let mut found = 0;
    for (line, row) in rows {
        let field = |column: usize| row.get(column).and_then(|bytes| std::str::from_utf8(bytes).ok());
        let (Some(person), Some(pseudonym)) = (field(person), field(pseudonym)) else {
            return Err(wrong("the line of the key file lacks a column", *line));
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
