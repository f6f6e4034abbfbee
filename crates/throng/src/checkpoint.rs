//! A checkpoint: what a long run has done so far, so that the same command goes on after it was killed.
//!
//! The folder holds one file, the journal, to which entries are only added. The first say what the run is about and where
//! its generator began; the others are finished pieces of work. A run that goes on takes these as they are, does the rest
//! from the same generator, and so gives the bytes that the killed one would have given.
//!
//! # Form
//! An entry is the lengths of its key and its value (4 bytes each, the lowest first), 8 bytes of the SHA-256 of these, the
//! key, the value, and 8 bytes of the SHA-256 of all of it. The last entry may be cut short by a kill: it is left out.
//! Anything else that does not add up is damage.
//!
//! # Secrecy
//! Whoever has the journal can undo the release: the generator gives the pseudonyms, the groups who is with whom. Folder
//! and file are their owner's alone, never inside a release, and gone when the run is done.
//!
//! Does not   survive a power cut for certain: entries reach the disk when the system writes them.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use throng_core::progress::{Journal, Progress};
use throng_core::{Error, Result, Rng};

use crate::pending::{Pending, lies_inside, new_file, new_folder, refuse_in_release};

/// The version of the form of a journal.
const FORMAT: u32 = 1;
/// The file in the folder.
const JOURNAL: &str = "journal";
/// The bytes of a hash that an entry holds.
const CHECK: usize = 8;
/// Keys of the checkpoint itself begin with a dot, those of pieces of work do not.
const PLAN: &str = ".plan";
const GENERATOR: &str = ".generator";
const UNFINISHED: &str = ".unfinished";

/// What a run is about: it goes on only if this is the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    format: u32,
    throng: String,
    input_sha256: String,
    /// Hashes of the other files that the result depends on.
    others_sha256: Vec<String>,
    /// The request, as JSON.
    request: serde_json::Value,
}

impl Plan {
    /// A run of this version of throng: the hash of its input, those of the other files it reads, and whatever else its
    /// result depends on.
    pub fn new(input_sha256: String, others_sha256: Vec<String>, request: serde_json::Value) -> Self {
        Self { format: FORMAT, throng: env!("CARGO_PKG_VERSION").to_owned(), input_sha256, others_sha256, request }
    }
}

/// The folder of a run that can go on.
#[derive(Debug)]
pub struct Checkpoint {
    folder: PathBuf,
    journal: Mutex<Written>,
}

#[derive(Debug)]
struct Written {
    file: File,
    /// The length of all whole entries.
    length: u64,
    entries: BTreeMap<String, Vec<u8>>,
}

impl Checkpoint {
    /// Refuses a folder that would be published.
    pub fn check_place(folder: &Path, release: &Path) -> Result<()> {
        if lies_inside(folder, release) || lies_inside(release, folder) {
            return Err(Error::refused("the checkpoint and the release folder would lie inside each other")
                .with_hint("a checkpoint is as secret as the original: put it where only you can read it"));
        }
        refuse_in_release(folder, "checkpoint")
    }

    /// Begins a checkpoint, or goes on with the one that the same run began.
    pub fn open(folder: &Path, plan: &Plan) -> Result<Self> {
        let failed = |cause| {
            Error::io(format!("keep a checkpoint in {}", folder.display()), cause)
                .with_hint("the folder that `--checkpoint` lies in must exist and be writable")
        };
        let refused = |why: &str, hint: &str| {
            Error::refused(format!("the checkpoint in {} {why}", folder.display())).with_hint(hint)
        };
        if folder.symlink_metadata().is_err() {
            new_folder(folder).map_err(failed)?;
        }
        let place = folder.join(JOURNAL);
        let is_ours = |entry: io::Result<std::fs::DirEntry>| entry.is_ok_and(|entry| entry.file_name() == JOURNAL);
        if !std::fs::read_dir(folder).map_err(failed)?.all(is_ours) {
            return Err(Error::refused(format!("the folder {} holds something else", folder.display()))
                .with_hint("`--checkpoint` needs a folder of its own: name one that does not exist"));
        }
        keep_private(folder, 0o700).map_err(failed)?;
        let mut file = match OpenOptions::new().read(true).write(true).open(&place) {
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => new_file(&place),
            opened => opened,
        }
        .map_err(failed)?;
        keep_private(&place, 0o600).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(refused(
                    "is in use",
                    "another run keeps its work there: wait for it, or name another folder",
                ));
            }
            Err(TryLockError::Error(cause)) => return Err(failed(cause)),
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed)?;
        let Some((entries, length)) = entries_of(&bytes) else {
            return Err(refused("is damaged", "remove the folder and begin anew: what was done is lost"));
        };
        // What a kill cut short is done again.
        file.set_len(length).and_then(|()| file.seek(SeekFrom::Start(length))).map_err(failed)?;
        let checkpoint = Self { folder: folder.to_owned(), journal: Mutex::new(Written { file, length, entries }) };
        let anew = "run the command that began it, name another folder, or remove this one and begin anew";
        match checkpoint.recall(PLAN).map(|text| serde_json::from_slice::<Plan>(&text)) {
            None => {
                let text = serde_json::to_vec(plan).map_err(|cause| Error::internal(cause.to_string()))?;
                checkpoint.keep(PLAN, &text)?;
            }
            Some(Ok(known)) if known == *plan => {}
            Some(Ok(known)) if known.throng == plan.throng && known.format == plan.format => {
                let other_input = known.input_sha256 != plan.input_sha256 || known.others_sha256 != plan.others_sha256;
                return Err(refused(if other_input { "is of another input" } else { "is of other flags" }, anew));
            }
            Some(_) => return Err(refused("was begun by another version of throng", anew)),
        }
        Ok(checkpoint)
    }

    /// The generator of the run, as it was at the beginning; a fresh one is made only if there was none.
    pub fn generator(&self, fresh: impl FnOnce() -> Result<Rng>) -> Result<Rng> {
        if let Some(state) = self.recall(GENERATOR)
            && let Ok(state) = state.as_slice().try_into()
        {
            return Ok(Rng::from_state(state));
        }
        let rng = fresh()?;
        self.keep(GENERATOR, &rng.state())?;
        Ok(rng)
    }

    /// Removes what the killed run left unfinished, and notes what this one would leave.
    pub fn tidy_after(&self, unfinished: &[&Pending]) -> Result<()> {
        let paths = self.recall(UNFINISHED).and_then(|text| serde_json::from_slice::<Vec<PathBuf>>(&text).ok());
        for path in paths.unwrap_or_default() {
            // What is gone, or does not go, does no harm.
            let _ = if path.is_dir() { std::fs::remove_dir_all(&path) } else { std::fs::remove_file(&path) };
        }
        let paths = unfinished.iter().map(|own| std::path::absolute(own.whole())).collect::<io::Result<Vec<_>>>();
        let paths = paths.map_err(|cause| Error::io("find the way to the release", cause))?;
        // A name that cannot be kept is not kept: the hidden folder then stays, as it does without a checkpoint.
        self.keep(UNFINISHED, &serde_json::to_vec(&paths).unwrap_or_default())
    }

    /// How many pieces of work are kept.
    pub fn pieces(&self) -> usize {
        self.lock().entries.keys().filter(|key| !key.starts_with('.')).count()
    }

    /// Removes all of it.
    pub fn remove(self) -> Result<()> {
        let removed = std::fs::remove_file(self.folder.join(JOURNAL)).and_then(|()| std::fs::remove_dir(&self.folder));
        removed.map_err(|cause| Error::io(format!("remove the checkpoint {}", self.folder.display()), cause))
    }

    fn lock(&self) -> MutexGuard<'_, Written> {
        self.journal.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Journal for Checkpoint {
    fn recall(&self, key: &str) -> Option<Vec<u8>> {
        self.lock().entries.get(key).cloned()
    }

    fn keep(&self, key: &str, value: &[u8]) -> Result<()> {
        let mut written = self.lock();
        let entry = entry(key, value)?;
        if let Err(cause) = written.file.write_all(&entry) {
            // Half an entry in the middle would be damage.
            let _ = written.file.set_len(written.length);
            return Err(Error::io(format!("write the checkpoint {}", self.folder.display()), cause)
                .with_hint("what is done is kept: the same command goes on from there"));
        }
        written.length += entry.len() as u64;
        written.entries.insert(key.to_owned(), value.to_vec());
        Ok(())
    }
}

/// Somebody who listens, and a checkpoint that keeps.
pub struct WithJournal<'a> {
    /// Who listens.
    pub listener: &'a dyn Progress,
    /// What keeps, if anything does.
    pub checkpoint: Option<&'a Checkpoint>,
}

impl Progress for WithJournal<'_> {
    fn stage(&self, name: &str, total: u64) {
        self.listener.stage(name, total);
    }

    fn advance(&self, steps: u64) {
        self.listener.advance(steps);
    }

    fn is_stopped(&self) -> bool {
        self.listener.is_stopped()
    }

    fn journal(&self) -> Option<&dyn Journal> {
        self.checkpoint.map(|checkpoint| checkpoint as &dyn Journal)
    }
}

fn check_of(bytes: &[u8]) -> [u8; CHECK] {
    let hash = Sha256::digest(bytes);
    std::array::from_fn(|at| hash[at])
}

fn entry(key: &str, value: &[u8]) -> Result<Vec<u8>> {
    let length = |length: usize| {
        u32::try_from(length).map_err(|_| Error::internal("a piece of work is too large for the checkpoint"))
    };
    let mut entry = Vec::with_capacity(8 + 2 * CHECK + key.len() + value.len());
    entry.extend_from_slice(&length(key.len())?.to_le_bytes());
    entry.extend_from_slice(&length(value.len())?.to_le_bytes());
    entry.extend_from_slice(&check_of(&entry));
    entry.extend_from_slice(key.as_bytes());
    entry.extend_from_slice(value);
    entry.extend_from_slice(&check_of(&entry));
    Ok(entry)
}

/// The entries of a journal, and the length of those that are whole; `None` if it is damaged.
fn entries_of(bytes: &[u8]) -> Option<(BTreeMap<String, Vec<u8>>, u64)> {
    let mut entries = BTreeMap::new();
    let mut rest = bytes;
    while let Some((lengths, after)) = rest.split_first_chunk::<8>()
        && let Some((check, after)) = after.split_first_chunk::<CHECK>()
    {
        if *check != check_of(lengths) {
            return None;
        }
        let [key, value] = [0, 4].map(|at| u32::from_le_bytes(std::array::from_fn(|byte| lengths[at + byte])) as usize);
        let whole = bytes_of_entry(key, value);
        if rest.len() < whole {
            break;
        }
        let (entry, next) = rest.split_at(whole);
        let (body, check) = entry.split_at(whole - CHECK);
        if check != check_of(body) {
            // The last one may have its length and not yet its bytes.
            if next.is_empty() {
                break;
            }
            return None;
        }
        let key_and_value = &after[..key + value];
        let name = std::str::from_utf8(&key_and_value[..key]).ok()?;
        entries.insert(name.to_owned(), key_and_value[key..].to_vec());
        rest = next;
    }
    Some((entries, (bytes.len() - rest.len()) as u64))
}

fn bytes_of_entry(key: usize, value: usize) -> usize {
    8 + CHECK + key + value + CHECK
}

/// Takes a folder or file away from everybody but its owner.
fn keep_private(path: &Path, mode: u32) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))?;
    }
    let _ = (path, mode);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(input: &str, flags: &str) -> Plan {
        Plan::new(input.to_owned(), Vec::new(), flags.into())
    }

    fn open(folder: &Path) -> Result<Checkpoint> {
        Checkpoint::open(folder, &plan("1", "k"))
    }

    #[test]
    fn what_was_kept_is_recalled() {
        let outside = tempfile::tempdir().unwrap();
        let folder = outside.path().join("checkpoint");
        let checkpoint = open(&folder).unwrap();
        let mut first = checkpoint.generator(Rng::secure).unwrap();
        checkpoint.keep("block-1", b"one").unwrap();
        checkpoint.keep("block-2", b"").unwrap();
        checkpoint.keep("block-1", b"another").unwrap();
        let in_use = open(&folder).unwrap_err().to_string();
        assert!(in_use.ends_with("is in use"), "{in_use}");
        drop(checkpoint);
        let checkpoint = open(&folder).unwrap();
        assert_eq!(checkpoint.recall("block-1").as_deref(), Some(b"another".as_slice()));
        assert_eq!(checkpoint.recall("block-2").as_deref(), Some(b"".as_slice()));
        assert_eq!((checkpoint.recall("block-3"), checkpoint.pieces()), (None, 2));
        assert_eq!(checkpoint.generator(Rng::secure).unwrap().bits(), first.bits());
        checkpoint.remove().unwrap();
        assert!(!folder.exists());
    }

    #[test]
    fn a_journal_may_end_anywhere_and_be_damaged_nowhere() {
        let outside = tempfile::tempdir().unwrap();
        let folder = outside.path().join("checkpoint");
        let checkpoint = open(&folder).unwrap();
        for number in 0..3 {
            checkpoint.keep(&number.to_string(), &[number; 5]).unwrap();
        }
        drop(checkpoint);
        let place = folder.join(JOURNAL);
        let whole = std::fs::read(&place).unwrap();
        for length in 0..whole.len() {
            std::fs::write(&place, &whole[..length]).unwrap();
            let checkpoint = open(&folder).unwrap();
            let kept = (0..3u8).take_while(|number| checkpoint.recall(&number.to_string()) == Some(vec![*number; 5]));
            let kept = kept.count();
            assert_eq!(kept, checkpoint.pieces(), "{length}");
            // What is cut off can be kept again.
            for number in kept as u8..3 {
                checkpoint.keep(&number.to_string(), &[number; 5]).unwrap();
            }
            assert_eq!(std::fs::read(&place).unwrap(), whole, "{length}");
        }
        let last = bytes_of_entry(1, 5);
        for at in 0..whole.len() - last {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            std::fs::write(&place, &damaged).unwrap();
            let error = open(&folder).unwrap_err();
            assert!(error.to_string().ends_with("is damaged"), "{at}: {error}");
        }
    }

    #[test]
    fn another_run_is_refused() {
        let outside = tempfile::tempdir().unwrap();
        let folder = outside.path().join("checkpoint");
        drop(open(&folder).unwrap());
        let why = |plan: &Plan| Checkpoint::open(&folder, plan).unwrap_err().to_string();
        assert!(why(&plan("2", "k")).ends_with("is of another input"));
        assert!(why(&plan("1", "m")).ends_with("is of other flags"));
        let older = Plan { throng: "0.0.1".to_owned(), ..plan("1", "k") };
        assert!(why(&older).ends_with("was begun by another version of throng"));
        std::fs::write(folder.join("notes.txt"), "mine").unwrap();
        assert!(why(&plan("1", "k")).ends_with("holds something else"));
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_may_look() {
        use std::os::unix::fs::PermissionsExt as _;
        let outside = tempfile::tempdir().unwrap();
        let folder = outside.path().join("checkpoint");
        std::fs::create_dir(&folder).unwrap();
        std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o755)).unwrap();
        let _checkpoint = open(&folder).unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&folder), mode(&folder.join(JOURNAL))), (0o700, 0o600));
    }

    #[test]
    fn neither_inside_the_other() {
        let outside = tempfile::tempdir().unwrap();
        let path = |name: &str| outside.path().join(name);
        for (folder, release) in [("out", "out"), ("out/checkpoint", "out"), ("c", "c/out"), ("out/../out/c", "out")] {
            assert!(Checkpoint::check_place(&path(folder), &path(release)).is_err(), "{folder} {release}");
        }
        Checkpoint::check_place(&path("out2"), &path("out")).unwrap();
    }
}
