//! Steps that hand on what others made: report, a page with what steps found; and copy, the one step that writes outside of the state folder.

use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Value, json};
use throng_core::{Error, Result};

use super::super::commands::Sort;
use super::super::limits::MOST_STATE_BYTES;
use super::super::page::{self, Shown};
use super::super::state::{self, Hashing};
use super::{Copied, Did, Work};
use crate::inputs::Inputs;
use crate::pending::{self, Pending};
use crate::{limits, report as reports};

/// What `report` is told.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ReportRequest {
    #[serde(rename = "file")]
    _file: Inputs,
    title: Option<String>,
    date: Option<String>,
}

pub(in super::super) fn report(work: &Work<'_>) -> Result<Did> {
    let request: ReportRequest = work.request()?;
    request.date.as_deref().map(reports::check_date).transpose()?;
    let mut shown = Vec::new();
    let mut names = Vec::new();
    for input in &work.inputs {
        let found = match &input.found {
            None => Value::Null,
            Some(place) => {
                let bytes = limits::read_file(place, "", MOST_STATE_BYTES)?;
                serde_json::from_slice(&bytes).map_err(|cause| {
                    Error::data("what the step found cannot be read")
                        .with_cause(cause)
                        .in_file(place.display().to_string())
                })?
            }
        };
        names.push(input.name.clone());
        shown.push(Shown {
            name: input.name.clone(),
            what: input.sort.in_words().to_owned(),
            numbers: page::numbers(&found),
        });
    }
    let title = request.title.as_deref().unwrap_or("What was found");
    let text = page::findings(title, request.date.as_deref(), &shown);
    let place = work.folder.join("report.html");
    fs::write(&place, text).map_err(|cause| Error::io(format!("write {}", place.display()), cause))?;
    Ok(Did::fine(json!({"pages": 1, "shown": names})))
}

pub(in super::super) fn copy(work: &Work<'_>) -> Result<Did> {
    let said = work.text("to").ok_or_else(|| Error::parameter("to", "must say where to"))?;
    let to = pending::dated(&work.base.join(said));
    let failed = |cause| Error::io(format!("write {}", to.display()), cause);
    let paths: Vec<(&str, Sort, &Path)> = work
        .inputs_of("in")
        .flat_map(|input| input.paths.iter().map(|path| (input.name.as_str(), input.sort, path.as_path())))
        .collect();
    let is_secret = paths.iter().any(|(_, sort, _)| *sort == Sort::Profiles);
    let made = match paths.as_slice() {
        [(_, _, only)] if only.is_file() => {
            let (mut out, made) = Pending::file(&to, is_secret).map_err(failed)?;
            let mut from = fs::File::open(only).map_err(failed)?;
            std::io::copy(&mut from, &mut out).and_then(|_| out.sync_all()).map_err(failed)?;
            made
        }
        several => {
            let made = Pending::folder(&to).map_err(failed)?;
            for (name, _, path) in several {
                match (several.len(), path.is_dir()) {
                    (1, true) => copy_folder(path, made.path())?,
                    (_, true) => {
                        let place = made.path().join(name);
                        pending::new_folder(&place).map_err(failed)?;
                        copy_folder(path, &place)?;
                    }
                    (_, false) => {
                        let end = path.extension().map(|end| format!(".{}", end.to_string_lossy())).unwrap_or_default();
                        copy_file(path, &made.path().join(format!("{name}{end}")))?;
                    }
                }
            }
            if is_secret { made.with_own_modes() } else { made }
        }
    };
    pending::tidy_beside(&[&made]);
    let hashing = Hashing::default();
    let sha256 = hashing.hash(made.path())?.ok_or_else(|| Error::internal("what was copied is not there"))?;
    let mut files = Vec::new();
    if made.path().is_dir() {
        state::files_below(made.path(), made.path(), &mut files)?;
    }
    let there = if to.symlink_metadata().is_ok() { hashing.hash(&to)? } else { None };
    if let Some(there) = &there
        && *there != sha256
        && !work.copied.contains(there)
    {
        return Err(Error::refused(
            "something else is there, which this step did not make, or which was changed since",
        )
        .in_file(to.display().to_string())
        .with_hint("move it away, or choose another place; it was not touched"));
    }
    let found = json!({"to": said, "files": files.len().max(1), "sha256": sha256});
    let copied = Copied { made, to, sha256 };
    Ok(Did { copied: Some(copied), ..Did::fine(found) })
}

/// Copies all files of a folder into one that is there.
fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    let failed = |cause| Error::io(format!("copy {}", from.display()), cause);
    for entry in fs::read_dir(from).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let place = to.join(entry.file_name());
        if entry.file_type().map_err(failed)?.is_dir() {
            pending::new_folder(&place).map_err(failed)?;
            copy_folder(&entry.path(), &place)?;
        } else {
            copy_file(&entry.path(), &place)?;
        }
    }
    Ok(())
}

fn copy_file(from: &Path, to: &Path) -> Result<()> {
    let failed = |cause| Error::io(format!("copy {}", from.display()), cause);
    let mut out = pending::new_file(to).map_err(failed)?;
    let mut read = fs::File::open(from).map_err(failed)?;
    std::io::copy(&mut read, &mut out).and_then(|_| out.sync_all()).map_err(failed)
}
