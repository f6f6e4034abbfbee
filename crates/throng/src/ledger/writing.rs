//! Writing into a ledger: one at a time, a whole line or nothing.
//!
//! The file is locked while the place of a line is taken and its release gets its papers and its name. So two runs that end
//! together both have their lines, and neither has the other's number.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use throng_core::{Error, Result, Rng};

use super::pending_line::{Announced, Came, PendingLine, sync_folder};
use super::{LedgerPlace, Line, PeopleKey, key_place, next_place, verify, verify_under};
use crate::limits;
use crate::pending::{self, Pending};

/// A ledger that nobody else writes into meanwhile.
#[derive(Debug)]
pub struct Writing {
    path: PathBuf,
    file: File,
    lines: Vec<Line>,
    length: u64,
    /// Whether the file was made for this, and goes again if nothing is written.
    is_new: bool,
    announced: Option<Announced>,
}

impl Writing {
    /// Opens a ledger, or begins one, as soon as nobody else writes into it. What a run that was killed left undone is finished or
    /// undone; the text says so.
    pub fn begin(path: &Path, patience: Duration) -> Result<(Self, Option<String>)> {
        let (file, is_new) = locked(path, patience)?;
        let mut writing = Self { path: path.to_owned(), file, lines: Vec::new(), length: 0, is_new, announced: None };
        let mut bytes = Vec::new();
        let failed = |cause| Error::io(format!("read the ledger {}", path.display()), cause);
        (&writing.file).take(limits::MOST_LEDGER_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
        limits::refuse_longer(bytes.len() as u64, limits::MOST_LEDGER_BYTES)
            .map_err(|error| error.in_file(path.display().to_string()))?;
        let note = writing.settle(&mut bytes)?;
        writing.length = bytes.len() as u64;
        writing.lines = verify_under(&bytes, key_beside(path)?.as_ref()).map_err(|broken| broken.error(path))?;
        Ok((writing, note))
    }

    /// What has left before.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// The place of the next line.
    pub fn place(&self) -> LedgerPlace {
        next_place(&self.lines)
    }

    /// The key that makes numbers of persons: the one beside the ledger, or a new one, which is to be published with the release.
    pub fn people_key(&self) -> Result<(PeopleKey, Option<(Pending, PathBuf)>)> {
        let place = key_place(&self.path);
        if place.symlink_metadata().is_ok() {
            return Ok((read_key(&place)?, None));
        }
        if self.lines.iter().any(|line| line.people.is_some() || line.mac.is_some()) {
            return Err(Error::refused(format!("the key of the ledger, {}, is not there", place.display())).with_hint(
                "without it nobody can tell whether the same people were released before, nor who wrote its lines: bring it back, or begin \
                 another ledger",
            ));
        }
        let mut rng = Rng::secure()?;
        let mut key = [0; 32];
        key.chunks_mut(8).for_each(|part| part.copy_from_slice(&rng.bits().to_le_bytes()));
        let failed = |cause| Error::io(format!("write {}", place.display()), cause);
        let (mut file, unfinished) = Pending::file(&place, true).map_err(failed)?;
        let text: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
        file.write_all(format!("{text}\n").as_bytes()).and_then(|()| file.sync_all()).map_err(failed)?;
        Ok((key, Some((unfinished, place))))
    }

    /// Puts the next line down beside the ledger, for a release that is about to get its name.
    pub fn announce(&mut self, line: &Line, release: &Path, unpublished: &Path) -> Result<()> {
        let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let pending =
            PendingLine { line: line.clone(), release: absolute(release), unpublished: absolute(unpublished) };
        self.announced = Some(pending.announce(&self.path)?);
        Ok(())
    }

    /// Appends a line. If that fails, the ledger is as it was.
    pub fn append(&mut self, line: &Line, release: &Path) -> Result<()> {
        let failed = |cause| {
            Error::io(format!("write into the ledger {}", self.path.display()), cause)
                .with_hint("nothing was published, and the ledger is as it was")
        };
        // The names of release and key must not be younger than the line.
        sync_folder(release).and_then(|()| sync_folder(&self.path)).map_err(failed)?;
        let text = format!("{}\n", line.text()?);
        let written = self.file.write_all(text.as_bytes()).and_then(|()| self.file.sync_all());
        if let Err(cause) = written {
            // What could not be written whole is taken back.
            let _ = self.file.set_len(self.length).and_then(|()| self.file.sync_all());
            return Err(failed(cause));
        }
        self.length += text.len() as u64;
        self.lines.push(line.clone());
        Ok(())
    }

    /// Finishes or undoes what a run left that was killed while it published.
    fn settle(&mut self, bytes: &mut Vec<u8>) -> Result<Option<String>> {
        let place = PendingLine::place(&self.path);
        if place.symlink_metadata().is_err() {
            return Ok(None);
        }
        let gone =
            || std::fs::remove_file(&place).map_err(|cause| Error::io(format!("remove {}", place.display()), cause));
        let Some(left) = PendingLine::read(&self.path)? else {
            gone()?;
            return Ok(None);
        };
        let text = format!("{}\n", left.line.text()?);
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        // Half of this very line is no damage: it is cut off, and written again if its release is there.
        if bytes.len() > whole && text.as_bytes().starts_with(&bytes[whole..]) {
            let failed = |cause| Error::io(format!("mend the ledger {}", self.path.display()), cause);
            self.file.set_len(whole as u64).and_then(|()| self.file.sync_all()).map_err(failed)?;
            bytes.truncate(whole);
        }
        let lines = verify(bytes).map_err(|broken| broken.error(&self.path))?;
        let note = match left.came(bytes) {
            Came::ToTheEnd => None,
            Came::ToTheRelease if next_place(&lines).previous == left.line.previous => {
                self.length = bytes.len() as u64;
                self.append(&left.line, &left.release)?;
                bytes.extend_from_slice(text.as_bytes());
                let (n, release) = (left.line.n, left.release.display());
                Some(format!(
                    "wrote line {n} of the ledger: the run that published {release} was killed before it could"
                ))
            }
            Came::Nowhere => None,
            Came::ToTheRelease | Came::Unknown => {
                return Err(Error::refused(format!(
                    "a run was killed while it published {}, and whether it did cannot be told",
                    left.release.display()
                ))
                .in_file(place.display().to_string())
                .with_hint(
                    "put that release back to its place, and the next run writes its line; if it was never published, or is destroyed, \
                     remove this file",
                ));
            }
        };
        gone()?;
        Ok(note)
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        // While the lock is held: later the file there would be another run's.
        self.announced = None;
        if self.is_new && self.length == 0 && self.lines.is_empty() {
            // Still locked: whoever waits for it sees that it is gone, and begins another one.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// A ledger that is there, to add to it.
pub(super) fn open_to_append(path: &Path) -> Result<File> {
    OpenOptions::new().read(true).append(true).open(path).map_err(|cause| unwritable(path, cause))
}

fn unwritable(path: &Path, cause: std::io::Error) -> Error {
    Error::io(format!("write into the ledger {}", path.display()), cause)
        .with_hint("no release is made without its line: choose a ledger that can be written")
}

/// Whether somebody is writing into a ledger.
pub(super) fn is_written(path: &Path) -> bool {
    File::open(path).is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// The file with its lock, and whether it was made.
fn locked(path: &Path, patience: Duration) -> Result<(File, bool)> {
    let begun = Instant::now();
    loop {
        let mut options = OpenOptions::new();
        options.read(true).append(true);
        let (file, is_new) = match options.open(path) {
            Ok(file) => (file, false),
            Err(cause) if cause.kind() == ErrorKind::NotFound => match options.create_new(true).open(path) {
                Ok(file) => (file, true),
                // A link that leads nowhere is there, and cannot be opened.
                Err(cause) if cause.kind() == ErrorKind::AlreadyExists && begun.elapsed() >= patience => {
                    return Err(unwritable(path, cause));
                }
                Err(cause) if cause.kind() == ErrorKind::AlreadyExists => {
                    if path.is_symlink() && !path.exists() {
                        return Err(unwritable(path, cause));
                    }
                    continue;
                }
                Err(cause) => return Err(unwritable(path, cause)),
            },
            Err(cause) => return Err(unwritable(path, cause)),
        };
        match file.try_lock() {
            Ok(()) if is_at(&file, path) => {
                (&file).seek(SeekFrom::Start(0)).map_err(|cause| unwritable(path, cause))?;
                return Ok((file, is_new));
            }
            // Somebody removed it, or put another one there, while this one waited.
            Ok(()) => {}
            Err(TryLockError::WouldBlock) if begun.elapsed() < patience => {
                std::thread::sleep(Duration::from_millis(20));
            }
            Err(TryLockError::WouldBlock) => {
                return Err(Error::refused(format!(
                    "the ledger {} is locked: another run has been writing into it for {} seconds",
                    path.display(),
                    patience.as_secs()
                ))
                .with_hint("wait until it has ended; nothing was published"));
            }
            Err(TryLockError::Error(cause)) => {
                return Err(Error::io(format!("lock the ledger {}", path.display()), cause)
                    .with_hint("two runs could write at once: put the ledger on a disk whose files can be locked"));
            }
        }
    }
}

/// Whether an open file is the one that has a name.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    match (file.metadata(), path.metadata()) {
        (Ok(open), Ok(named)) => (open.dev(), open.ino()) == (named.dev(), named.ino()),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}

/// The key of a ledger, if it is there and may be read.
pub(super) fn key_beside(ledger: &Path) -> Result<Option<PeopleKey>> {
    let place = key_place(ledger);
    match File::open(&place) {
        Err(cause) if matches!(cause.kind(), ErrorKind::NotFound | ErrorKind::PermissionDenied) => Ok(None),
        _ => read_key(&place).map(Some),
    }
}

fn read_key(place: &Path) -> Result<PeopleKey> {
    pending::refuse_readable_by_others(place, "key of the ledger")?;
    let text = limits::read_file(place, "the key of the ledger ", limits::MOST_LIST_BYTES)?;
    let digits = text.strip_suffix(b"\n").unwrap_or(&text);
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    let bytes: Option<Vec<u8>> =
        digits.iter().all(u8::is_ascii_hexdigit).then(|| digits.chunks(2).map(byte).collect()).flatten();
    bytes.and_then(|bytes| bytes.try_into().ok()).ok_or_else(|| {
        Error::data("the key of the ledger is damaged: it has 64 hexadecimal digits")
            .in_file(place.display().to_string())
            .with_hint("bring it back from a copy, or begin another ledger")
    })
}
