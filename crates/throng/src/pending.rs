//! Files that are being written and must not stay if the run ends early.
//!
//! What a run makes is written beside its place under a hidden name, and [`publish`] gives all of it its names when it is
//! whole: everything appears, or nothing does. Whoever ends the program from outside (Ctrl-C) calls [`remove_all`] first.
//!
//! Does not   survive a power cut or `kill -9` in the middle: what is hidden then stays hidden, and of several names the
//!            first ones may be there without the last.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use throng_core::{Error, Result};

static PENDING: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn lock() -> MutexGuard<'static, Vec<PathBuf>> {
    PENDING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A path that is removed when this goes out of scope, unless it was kept or published.
#[derive(Debug)]
pub struct Pending {
    path: PathBuf,
}

impl Pending {
    /// Watches over a file or folder.
    pub fn new(path: &Path) -> Self {
        lock().push(path.to_owned());
        Self { path: path.to_owned() }
    }

    /// A folder beside a place, readable by its owner only.
    pub fn folder(place: &Path) -> io::Result<Self> {
        let ((), pending) = Self::make(place, |builder, parent| Ok(((), builder.tempdir_in(parent)?.keep())))?;
        Ok(pending)
    }

    /// An empty file beside a place, readable by its owner only or by everybody who may read new files.
    pub fn file(place: &Path, is_private: bool) -> io::Result<(File, Self)> {
        Self::make(place, |builder, parent| {
            #[cfg(unix)]
            if !is_private {
                builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
            }
            Ok(builder.tempfile_in(parent)?.keep()?)
        })
    }

    fn make<T>(
        place: &Path,
        make: impl FnOnce(&mut tempfile::Builder<'_, '_>, &Path) -> io::Result<(T, PathBuf)>,
    ) -> io::Result<(T, Self)> {
        // Held while it is made, so that an interruption does not miss it.
        let mut pending = lock();
        std::fs::metadata(folder_of(place))?;
        // The library's message holds the name that was tried, which says nothing to anybody.
        let made = make(tempfile::Builder::new().prefix(".throng-"), folder_of(place));
        let (made, path) = made.map_err(|cause| io::Error::from(cause.kind()))?;
        pending.push(path.clone());
        Ok((made, Self { path }))
    }

    /// The path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// From here on it stays.
    pub fn keep(self) {
        lock().retain(|path| *path != self.path);
    }
}

/// The folder that a place lies in.
pub fn folder_of(place: &Path) -> &Path {
    place.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."))
}

/// Whether a path is a folder or something in it, whatever links and dots it is written with.
pub fn lies_inside(path: &Path, folder: &Path) -> bool {
    real(path).starts_with(real(folder))
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

/// Gives finished files and folders their names, one after the other. If one cannot have its name, none keeps it.
///
/// Nothing is overwritten: a place where something stands is an error.
pub fn publish(finished: Vec<(Pending, PathBuf)>) -> Result<()> {
    // Held until the end, so that an interruption finds all of them in their places or none.
    let mut pending = lock();
    for (at, (unfinished, place)) in finished.iter().enumerate() {
        let rename = || -> Result<()> {
            if place.symlink_metadata().is_ok() {
                return Err(Error::refused(format!("{} exists already", place.display())).with_hint(
                    "somebody made it while throng was running; nothing was published: run again with another name",
                ));
            }
            std::fs::rename(&unfinished.path, place)
                .map_err(|cause| Error::io(format!("write {}", place.display()), cause))
        };
        if let Err(error) = rename() {
            for (_, place) in &finished[..at] {
                remove(place);
            }
            return Err(error);
        }
    }
    pending.retain(|path| finished.iter().all(|(published, _)| published.path != *path));
    Ok(())
}

/// Writes a file whole or not at all, in the place of the one that is there.
pub fn replace(place: &Path, bytes: &[u8], is_private: bool) -> Result<()> {
    let failed = |cause| Error::io(format!("write {}", place.display()), cause);
    let (mut file, unfinished) = Pending::file(place, is_private).map_err(failed)?;
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(failed)?;
    if place.is_file() {
        std::fs::remove_file(place).map_err(failed)?;
    }
    publish(vec![(unfinished, place.to_owned())])
}

impl Drop for Pending {
    fn drop(&mut self) {
        let mut pending = lock();
        if let Some(at) = pending.iter().position(|path| *path == self.path) {
            remove(&self.path);
            pending.swap_remove(at);
        }
    }
}

/// Removes everything unfinished, for a program that is about to end. Nothing can be published after it.
pub fn remove_all() {
    let pending = lock();
    for path in pending.iter() {
        remove(path);
    }
    // The lock is never given back: the other threads must not finish what was just removed.
    std::mem::forget(pending);
}

fn remove(path: &Path) {
    if path.is_dir() {
        // Another thread may still be writing into it: try again until it is gone.
        for _ in 0..50 {
            if std::fs::remove_dir_all(path).is_ok() || !path.exists() {
                return;
            }
        }
    } else {
        // Nothing can be done about a file that does not go, and the program is ending.
        let _ = std::fs::remove_file(path);
    }
}
