//! What a recipe has done: the state folder with the outputs of its steps, and the lock, which says what each was made of.
//!
//! `nightly.toml` has the folder `nightly.state`, its owner's alone, and the file `nightly.lock` beside it. The folder has a marker that says
//! whose it is; one without is somebody else's, and is refused, never changed. While a recipe runs the marker is locked, so that a second
//! run of the same recipe sees it.
//!
//! # What a hash is of
//! Of a file its bytes, of a folder the names and bytes of all files in it. A hash is remembered with the size, the number and the time of
//! change of its file, which nobody can set, and not computed again while these are the same. A file that was changed just before it was read is
//! hashed again the next time, for another change may fall into the same moment.

use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};
use throng_core::{Error, Result};

use super::limits::{MOST_FILES, MOST_STATE_BYTES};
use crate::{io, limits, pending};

/// The marker in the folder.
const MARKER: &str = ".throng-run.json";
/// What is remembered of hashes.
const HASHES: &str = ".hashes.json";
/// The version of the forms.
const FORMAT: u64 = 1;
/// What stands for the hash of a step that failed.
pub(super) const FAILED: &str = "failed";
/// How long ago a file must have been changed for its hash to be remembered: longer than the clock of a file system takes for a step.
const SETTLED: Duration = Duration::from_millis(50);

/// Where a recipe keeps what it has done.
#[derive(Debug, Clone)]
pub(super) struct Places {
    /// The recipe.
    pub(super) recipe: PathBuf,
    /// Its folder.
    pub(super) state: PathBuf,
    /// Its lock.
    pub(super) lock: PathBuf,
}

impl Places {
    pub(super) fn of(recipe: &Path) -> Result<Self> {
        let stem = recipe.file_stem().filter(|_| recipe.file_name().is_some());
        let stem = stem.ok_or_else(|| Error::parameter("recipe", "must be the name of a file"))?;
        let beside = |end: &str| {
            let mut name = stem.to_owned();
            name.push(end);
            recipe.with_file_name(name)
        };
        Ok(Self { recipe: recipe.to_owned(), state: beside(".state"), lock: beside(".lock") })
    }

    /// The name of the recipe.
    pub(super) fn name(&self) -> String {
        self.recipe.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// The folder of a step.
    pub(super) fn step(&self, name: &str) -> PathBuf {
        self.state.join(name)
    }
}

/// Whether a folder is the state of a recipe.
pub(super) fn is_state(folder: &Path) -> bool {
    folder.join(MARKER).is_file()
}

/// What a step was made of.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Record {
    /// What it ran.
    pub(super) run: String,
    /// The version of that.
    pub(super) version: u32,
    /// What it was told.
    pub(super) parameters: Map<String, Value>,
    /// The hash of each input, by its name.
    pub(super) inputs: BTreeMap<String, String>,
    /// The hash of all that it made.
    pub(super) output: String,
    /// What could not be checked, if something could not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) partly: Option<String>,
    /// The hash of what it copied out of the folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) copied: Option<String>,
}

/// The lock.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Lock {
    throng: u64,
    recipe: String,
    pub(super) steps: BTreeMap<String, Record>,
}

/// What is remembered of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Remembered {
    size: u64,
    file: [u64; 2],
    changed: [i64; 2],
    sha256: String,
}

/// The state of a recipe, open for a run.
#[derive(Debug)]
pub(super) struct State {
    pub(super) places: Places,
    pub(super) lock: Lock,
    pub(super) hashing: Hashing,
    /// Locked as long as this lives; none of a run that only looks.
    _marker: Option<File>,
}

/// Computes hashes, and remembers them.
#[derive(Debug, Default)]
pub(super) struct Hashing(Mutex<Hashes>);

#[derive(Debug, Default)]
struct Hashes {
    known: BTreeMap<String, Remembered>,
    /// Those that were asked for in this run: others are forgotten at its end.
    asked: BTreeMap<String, Remembered>,
}

impl State {
    /// Opens the state for a run, or begins one.
    pub(super) fn open(places: &Places, is_fresh: bool) -> Result<Self> {
        refuse_others(places)?;
        let failed = |cause| Error::io(format!("keep the state in {}", places.state.display()), cause);
        if places.state.symlink_metadata().is_err() {
            begin(places)?;
        }
        #[cfg(unix)]
        {
            let only_owner = std::os::unix::fs::PermissionsExt::from_mode(0o700);
            std::fs::set_permissions(&places.state, only_owner).map_err(failed)?;
        }
        let marker = File::options().read(true).write(true).open(places.state.join(MARKER)).map_err(failed)?;
        match marker.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Error::refused(format!("{} is running already", places.name()))
                    .in_file(places.state.display().to_string())
                    .with_hint("wait for the other `throng run`, or end it; it will go on where it was"));
            }
            Err(TryLockError::Error(cause)) => return Err(failed(cause)),
        }
        tidy_beside(&places.lock).and_then(|()| tidy_beside(&places.state.join(MARKER))).map_err(failed)?;
        let mut state = Self::look(places, is_fresh)?;
        state._marker = Some(marker);
        Ok(state)
    }

    /// The state as it is, for a run that changes nothing.
    pub(super) fn look(places: &Places, is_fresh: bool) -> Result<Self> {
        refuse_others(places)?;
        let mut lock = read_lock(places)?;
        let mut hashes = Hashes::default();
        if is_fresh {
            // What was copied stays known, so that it is replaced and not taken for somebody else's.
            for record in lock.steps.values_mut() {
                record.version = 0;
            }
        } else if let Ok(bytes) = limits::read_file(&places.state.join(HASHES), "", MOST_STATE_BYTES) {
            // Whatever is wrong with it, all hashes can be computed again.
            hashes.known = serde_json::from_slice(&bytes).unwrap_or_default();
        }
        Ok(Self { places: places.clone(), lock, hashing: Hashing(Mutex::new(hashes)), _marker: None })
    }

    /// Writes the lock: whole, or as it was.
    pub(super) fn write_lock(&mut self) -> Result<()> {
        self.lock.throng = FORMAT;
        self.lock.recipe = self.places.name();
        let mut text = serde_json::to_vec_pretty(&self.lock).map_err(|cause| Error::internal(cause.to_string()))?;
        text.push(b'\n');
        replace(&self.places.lock, &text)
    }

    /// Keeps what was learned of hashes.
    pub(super) fn write_hashes(&self) -> Result<()> {
        let hashes = self.hashing.0.lock().unwrap_or_else(PoisonError::into_inner);
        if hashes.asked == hashes.known {
            return Ok(());
        }
        let text = serde_json::to_vec(&hashes.asked).map_err(|cause| Error::internal(cause.to_string()))?;
        drop(hashes);
        replace(&self.places.state.join(HASHES), &text)
    }
}

impl Hashing {
    /// The hash of a file or folder; none if it is not there.
    pub(super) fn hash(&self, path: &Path) -> Result<Option<String>> {
        let failed = |cause| Error::io(format!("read {}", path.display()), cause);
        match path.metadata() {
            Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(cause) => Err(failed(cause)),
            Ok(about) if about.is_dir() => self.hash_folder(path).map(Some),
            Ok(about) if about.is_file() => self.hash_file(path, &about).map(Some),
            Ok(_) => Err(Error::refused("is neither a file nor a folder").in_file(path.display().to_string())),
        }
    }

    /// One hash of several files, in an order that does not depend on their folder.
    pub(super) fn hash_of_all(&self, paths: &[PathBuf]) -> Result<Option<String>> {
        if let [only] = paths {
            return self.hash(only);
        }
        let mut hasher = Sha256::new();
        for path in paths {
            let Some(hash) = self.hash(path)? else { return Ok(None) };
            hasher.update(hash.as_bytes());
        }
        Ok(Some(hex(&hasher.finalize())))
    }

    fn hash_folder(&self, folder: &Path) -> Result<String> {
        let mut files = Vec::new();
        files_below(folder, folder, &mut files)?;
        files.sort();
        let mut hasher = Sha256::new();
        for (name, path) in files {
            let about = path.metadata().map_err(|cause| Error::io(format!("read {}", path.display()), cause))?;
            let hash = self.hash_file(&path, &about)?;
            hasher.update((name.len() as u64).to_le_bytes());
            hasher.update(name.as_bytes());
            hasher.update(hash.as_bytes());
        }
        Ok(hex(&hasher.finalize()))
    }

    fn hash_file(&self, path: &Path, about: &std::fs::Metadata) -> Result<String> {
        let Some((file, changed)) = identity(about) else { return io::hash_file(path) };
        let real = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let key = real.to_string_lossy().into_owned();
        {
            let mut hashes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let known = hashes.known.get(&key).or_else(|| hashes.asked.get(&key)).cloned();
            if let Some(known) = known
                && known.size == about.len()
                && known.file == file
                && known.changed == changed
            {
                let hash = known.sha256.clone();
                hashes.asked.insert(key, known);
                return Ok(hash);
            }
        }
        let begun = SystemTime::now();
        let sha256 = io::hash_file(path)?;
        let is_settled = begun.duration_since(UNIX_EPOCH).is_ok_and(|now| {
            let seconds = u64::try_from(changed[0]).unwrap_or_default();
            let nanos = u32::try_from(changed[1]).unwrap_or_default();
            Duration::new(seconds, nanos) + SETTLED < now
        });
        if is_settled {
            let remembered = Remembered { size: about.len(), file, changed, sha256: sha256.clone() };
            let mut hashes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            hashes.asked.insert(key, remembered);
        }
        Ok(sha256)
    }
}

/// What tells a file from others and from itself before a change, where the system has that.
#[cfg(unix)]
pub(super) fn identity(about: &std::fs::Metadata) -> Option<([u64; 2], [i64; 2])> {
    use std::os::unix::fs::MetadataExt as _;
    Some(([about.dev(), about.ino()], [about.ctime(), about.ctime_nsec()]))
}

#[cfg(not(unix))]
pub(super) fn identity(_: &std::fs::Metadata) -> Option<([u64; 2], [i64; 2])> {
    None
}

/// Every file below a folder with its name from there. Links to files are followed, links to folders are not: they could go in circles.
pub(super) fn files_below(root: &Path, folder: &Path, files: &mut Vec<(String, PathBuf)>) -> Result<()> {
    let failed = |cause| Error::io(format!("read the folder {}", folder.display()), cause);
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let about = path.symlink_metadata().map_err(failed)?;
        if about.is_dir() {
            files_below(root, &path, files)?;
        } else if path.is_file() {
            let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
            files.push((name, path));
        }
        if files.len() > MOST_FILES {
            return Err(Error::refused(format!("has more than {MOST_FILES} files")).in_file(root.display().to_string()));
        }
    }
    Ok(())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Makes the folder with its marker: whole or not at all.
fn begin(places: &Places) -> Result<()> {
    let failed = |cause| Error::io(format!("make the folder {}", places.state.display()), cause);
    let unfinished = pending::Pending::folder(&places.state).map_err(failed)?.with_own_modes();
    let mut marker = pending::new_file(&unfinished.path().join(MARKER)).map_err(failed)?;
    let text = json!({"throng": FORMAT, "recipe": places.name()});
    marker.write_all(format!("{text}\n").as_bytes()).and_then(|()| marker.sync_all()).map_err(failed)?;
    pending::tidy_beside(&[&unfinished]);
    pending::publish(vec![(unfinished, places.state.clone())])
}

/// Removes what killed runs left beside a place.
fn tidy_beside(place: &Path) -> std::io::Result<()> {
    let (_, unfinished) = pending::Pending::file(place, true)?;
    pending::tidy_beside(&[&unfinished]);
    Ok(())
}

/// Refuses a folder or a lock that are somebody else's.
fn refuse_others(places: &Places) -> Result<()> {
    let refused = |path: &Path, why: String, hint: &str| {
        Err(Error::refused(why).in_file(path.display().to_string()).with_hint(hint))
    };
    if let Ok(about) = places.state.symlink_metadata() {
        if !about.is_dir() {
            return refused(
                &places.state,
                "the state of the recipe would lie here, and something else does".to_owned(),
                "call the recipe otherwise, or bring that away; throng does not touch it",
            );
        }
        let marker = limits::read_file(&places.state.join(MARKER), "", 64 << 10).ok();
        let marker: Option<Value> = marker.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let of = marker.as_ref().and_then(|marker| marker["recipe"].as_str());
        let form = marker.as_ref().and_then(|marker| marker["throng"].as_u64());
        match (of, form) {
            (Some(name), Some(FORMAT)) if name == places.name() => {}
            (Some(name), Some(FORMAT)) => {
                return refused(
                    &places.state,
                    format!("the folder is the state of another recipe, `{name}`"),
                    "give the recipe its old name, or move the folder away; nothing in it was touched",
                );
            }
            (_, Some(other)) if other != FORMAT => {
                return refused(
                    &places.state,
                    format!("the folder is a state of the form {other}, and this throng knows {FORMAT}"),
                    "take the throng that made it, or move the folder away",
                );
            }
            _ => {
                return refused(
                    &places.state,
                    "the folder is no state of a recipe".to_owned(),
                    "call the recipe otherwise, or move the folder away; throng neither uses nor removes it",
                );
            }
        }
    }
    read_lock(places).map(drop)
}

fn read_lock(places: &Places) -> Result<Lock> {
    let shown = places.lock.display().to_string();
    let bytes = match places.lock.symlink_metadata() {
        Err(_) => return Ok(Lock::default()),
        Ok(_) => limits::read_file(&places.lock, "the lock ", MOST_STATE_BYTES)?,
    };
    let lock: Lock = serde_json::from_slice(&bytes).map_err(|cause| {
        Error::refused("the file is no lock of a recipe, or was changed by hand")
            .with_cause(cause)
            .in_file(shown.clone())
            .with_hint("move it away: all steps run again then")
    })?;
    if lock.throng != FORMAT || lock.recipe != places.name() {
        return Err(Error::refused(format!("the lock is of another recipe, `{}`", lock.recipe))
            .in_file(shown)
            .with_hint("give the recipe its old name, or move the lock away"));
    }
    Ok(lock)
}

/// Writes a private file in the place of another one in one step, so that one of both is there whenever the run ends.
fn replace(place: &Path, bytes: &[u8]) -> Result<()> {
    let failed = |cause| Error::io(format!("write {}", place.display()), cause);
    let (mut file, unfinished) = pending::Pending::file(place, true).map_err(failed)?;
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(failed)?;
    std::fs::rename(unfinished.path(), place).map_err(failed)
}
