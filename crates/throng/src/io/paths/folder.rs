//! A folder of paths: the files of GeoLife, a sub-folder a person, or files of GPX or GeoJSON.

use std::path::{Path, PathBuf};

use throng_core::{Error, Result};

use super::super::{Format, FormatKind, PointsForm};

/// No folder lies in more others than this.
const DEEPEST: usize = 16;

/// The files of paths in a folder, in the order of their names; none if it has none. A folder with several sorts of them, or with documents
/// beside, is refused.
pub(crate) fn files_of_paths(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Found::default();
    found.look(folder, 0)?;
    let Some((first, form)) = found.paths.first().cloned() else { return Ok(Vec::new()) };
    let other = found.paths.iter().find(|(_, other)| *other != form).map(|(path, _)| path).or(found.document.as_ref());
    if let Some(other) = other {
        let problem = format!("the folder has two kinds of data: {} and {}", first.display(), other.display());
        return Err(Error::refused(problem)
            .in_file(folder.display().to_string())
            .with_hint("name the files that are meant: `'FOLDER/*.gpx'`"));
    }
    Ok(found.paths.into_iter().map(|(path, _)| path).collect())
}

#[derive(Default)]
struct Found {
    paths: Vec<(PathBuf, PointsForm)>,
    /// The first document.
    document: Option<PathBuf>,
}

impl Found {
    fn look(&mut self, folder: &Path, depth: usize) -> Result<()> {
        let failed = |cause| Error::io(format!("read {}", folder.display()), cause);
        let mut entries =
            std::fs::read_dir(folder).map_err(failed)?.collect::<std::io::Result<Vec<_>>>().map_err(failed)?;
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
            let kind = entry.file_type().map_err(failed)?;
            if name.starts_with('.') {
                continue;
            }
            if kind.is_dir() && depth < DEEPEST {
                self.look(&path, depth + 1)?;
            } else if kind.is_file() {
                match Format::of_path(&path).map(|format| format.kind) {
                    Some(FormatKind::Points(form)) => self.paths.push((path, form)),
                    // What modes people went by, in GeoLife.
                    _ if name == "labels.txt" => {}
                    _ if is_document(&name) => drop(self.document.get_or_insert(path)),
                    _ => {}
                }
            }
        }
        Ok(())
    }
}

fn is_document(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    [".txt", ".md", ".html", ".pdf"].iter().any(|ending| name.ends_with(ending)) && !name.starts_with("readme")
}
