//! A line that is about to be written: it lies beside the ledger, as `FILE.pending`, from before its release gets its name until the
//! line is written.
//!
//! A release and its line are two files, and no system gives two files their names in one step. So the line is put down first, where
//! it says of which release it is; then the release gets its name; then the line is appended; then this is removed. Whoever opens the
//! ledger next finds out how far a run came that was killed in between:
//!
//! | what there is | what happened | what is done |
//! | --- | --- | --- |
//! | half a pending line | nothing was published yet | it is removed |
//! | the line is the ledger's last | all but this removal | it is removed |
//! | the release has its name and this certificate | the line is missing, or half of it is there | the line is written |
//! | the unpublished folder is still there | the release has no name | the pending line is removed |
//! | neither | the release was moved or removed by somebody | nothing: a person must say which |

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use throng_core::{Error, Result};

use super::{Line, beside};
use crate::certificate::Certificate;
use crate::{io, limits, pending};

/// A line that is about to be written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PendingLine {
    /// The line.
    pub line: Line,
    /// Where its release will be.
    pub release: PathBuf,
    /// Where its release is until then.
    pub unpublished: PathBuf,
}

/// How far the run came that left a pending line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Came {
    /// The line is written.
    ToTheEnd,
    /// The release has its name, the line is not written.
    ToTheRelease,
    /// Nothing was published.
    Nowhere,
    /// That cannot be told.
    Unknown,
}

/// Removes the file when it goes out of scope: what it was for is done, or undone.
#[derive(Debug)]
pub(super) struct Announced(PathBuf);

impl Drop for Announced {
    fn drop(&mut self) {
        // What stays is found, and understood, by whoever opens the ledger next.
        let _ = std::fs::remove_file(&self.0);
    }
}

impl PendingLine {
    /// Where the pending line of a ledger lies.
    pub fn place(ledger: &Path) -> PathBuf {
        beside(ledger, ".pending")
    }

    /// The pending line of a ledger. One that is not whole is none: its release was not published yet.
    pub fn read(ledger: &Path) -> Result<Option<Self>> {
        let place = Self::place(ledger);
        if place.symlink_metadata().is_err() {
            return Ok(None);
        }
        let bytes = limits::read_file(&place, "the pending line ", limits::MOST_REPORT_BYTES)?;
        Ok(serde_json::from_slice(&bytes).ok())
    }

    /// Puts it down, so that it survives whatever happens next.
    pub(super) fn announce(&self, ledger: &Path) -> Result<Announced> {
        let place = Self::place(ledger);
        let failed = |cause| Error::io(format!("write {}", place.display()), cause);
        let text = serde_json::to_vec(self).map_err(|cause| Error::internal(cause.to_string()))?;
        // Whoever holds the lock has settled what lay there.
        let _ = std::fs::remove_file(&place);
        let mut file = pending::new_file(&place).map_err(failed)?;
        let announced = Announced(place.clone());
        file.write_all(&text).and_then(|()| file.sync_all()).and_then(|()| sync_folder(&place)).map_err(failed)?;
        Ok(announced)
    }

    /// Whether its line is the last of a ledger.
    pub(super) fn is_written(&self, bytes: &[u8]) -> bool {
        self.line.text().is_ok_and(|text| {
            let text = format!("{text}\n");
            bytes.ends_with(text.as_bytes())
        })
    }

    /// Whether it is the line of a certificate.
    pub(super) fn is_of(&self, certificate_sha256: &str) -> bool {
        self.line.certificate_sha256 == certificate_sha256
    }

    /// How far the run came.
    pub(super) fn came(&self, bytes: &[u8]) -> Came {
        let is_there = |folder: &Path| {
            io::hash_file(&Certificate::place(folder)).is_ok_and(|hash| hash == self.line.certificate_sha256)
        };
        if self.is_written(bytes) {
            Came::ToTheEnd
        } else if is_there(&self.release) {
            Came::ToTheRelease
        } else if is_there(&self.unpublished) {
            Came::Nowhere
        } else {
            Came::Unknown
        }
    }

    /// In a sentence.
    pub fn says(&self) -> String {
        format!(
            "a run ended between publishing {} and writing its line {}: the next `protect --ledger` or `ledger add` writes it if the \
             release is there",
            self.release.display(),
            self.line.n
        )
    }
}

/// Makes the names in the folder of a file survive a power cut, where the system can.
pub(super) fn sync_folder(path: &Path) -> std::io::Result<()> {
    #[cfg(unix)]
    File::open(pending::folder_of(path))?.sync_all()?;
    #[cfg(not(unix))]
    let _: (&Path, Option<File>) = (path, None);
    Ok(())
}
