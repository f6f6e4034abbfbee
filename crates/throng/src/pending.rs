//! Files that are being written and must not stay if the run ends early.
//!
//! A release is written into a folder beside its place and renamed when it is whole. Whoever ends the program from outside
//! (Ctrl-C) calls [`remove_all`] first.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

static PENDING: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A path that is removed when this goes out of scope, unless it was kept.
#[derive(Debug)]
pub struct Pending {
    path: PathBuf,
}

impl Pending {
    /// Watches over a file or folder.
    pub fn new(path: &Path) -> Self {
        PENDING.lock().unwrap_or_else(PoisonError::into_inner).push(path.to_owned());
        Self { path: path.to_owned() }
    }

    /// The path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives the finished file or folder its name. From here on it stays.
    pub fn rename(self, to: &Path) -> std::io::Result<()> {
        // Held until the end, so that an interruption either removes the whole or finds it renamed.
        let mut pending = PENDING.lock().unwrap_or_else(PoisonError::into_inner);
        std::fs::rename(&self.path, to)?;
        pending.retain(|path| *path != self.path);
        Ok(())
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        let mut pending = PENDING.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = pending.iter().position(|path| *path == self.path) {
            remove(&self.path);
            pending.swap_remove(at);
        }
    }
}

/// Removes everything unfinished, for a program that is about to end. Nothing can be published after it.
pub fn remove_all() {
    let pending = PENDING.lock().unwrap_or_else(PoisonError::into_inner);
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
