//! Files that are being written and must not stay if the run ends early.
//!
//! What a run makes is written beside its place in a hidden folder, and [`publish`] gives all of it its names when it is
//! whole: everything appears, or nothing does. Whoever ends the program from outside (Ctrl-C) calls [`remove_all`] first.
//!
//! # Secrecy
//! The hidden folder and all that [`new_file`] and [`new_folder`] make in it are their owner's alone from the moment they
//! exist, whatever the umask: what was not checked yet is nobody else's to read. [`publish`] then gives what is for
//! everybody the modes that new files and folders have there. What is private stays its owner's.
//!
//! # After a kill
//! `kill -9` leaves the hidden folder. It holds a marker, a file that its process keeps locked as long as it lives. So
//! [`tidy_beside`] can tell what is left of a dead run from what somebody is working on: it is a real folder of the same
//! owner, with our name, with our marker and nothing else beside what we make, and the lock is free. Whatever lacks one of
//! these is not touched. The marker lies beside what is made, not in it, so it is never published.
//!
//! Does not   survive a power cut or `kill -9` while names are given: of several names the first ones may be there without
//!            the last.

use std::ffi::OsStr;
use std::fs::{File, Metadata, OpenOptions, Permissions};
use std::io::{self, Read as _, Write as _};
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use throng_core::{Error, Result};

static PENDING: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn lock() -> MutexGuard<'static, Vec<PathBuf>> {
    PENDING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How the name of a hidden folder begins.
const HIDDEN: &str = ".throng-";
/// What lies in it: the marker, what is made, and what shows the modes of new files.
const MARKER: &str = "marker";
const MADE: &str = "made";
const PROBE: &str = "probe";
/// What the marker says, as soon as it is locked.
const MARK: &[u8] = b"throng is at work here. If no throng is running, this folder can be removed.\n";

/// Something that is removed when this goes out of scope, unless it was kept or published.
#[derive(Debug)]
pub struct Pending {
    /// What is made.
    path: PathBuf,
    /// What is removed: the hidden folder around it, or the path itself.
    whole: PathBuf,
    /// Whether whoever may read new files there may read it when it is published.
    is_for_all: bool,
    /// Locked as long as this lives.
    _marker: Option<File>,
}

impl Pending {
    /// Watches over a file or folder where it lies.
    pub fn new(path: &Path) -> Self {
        lock().push(path.to_owned());
        Self { path: path.to_owned(), whole: path.to_owned(), is_for_all: false, _marker: None }
    }

    /// A folder beside a place, readable by its owner only until it is published. Make what is in it with [`new_file`] and
    /// [`new_folder`].
    pub fn folder(place: &Path) -> io::Result<Self> {
        let ((), pending) = Self::make(place, true, new_folder)?;
        Ok(pending)
    }

    /// An empty file beside a place, readable by its owner only, at least until it is published.
    pub fn file(place: &Path, is_private: bool) -> io::Result<(File, Self)> {
        Self::make(place, !is_private, new_file)
    }

    fn make<T>(place: &Path, is_for_all: bool, make: fn(&Path) -> io::Result<T>) -> io::Result<(T, Self)> {
        // Held while it is made, so that an interruption does not miss it.
        let mut pending = lock();
        std::fs::metadata(folder_of(place))?;
        // The library's message holds the name that was tried, which says nothing to anybody.
        let whole = hidden_folder(folder_of(place)).map_err(|cause| io::Error::from(cause.kind()))?;
        pending.push(whole.clone());
        let marked = marker(&whole).and_then(|marker| Ok((marker, make(&whole.join(MADE))?)));
        match marked {
            Ok((marker, made)) => Ok((made, Self { path: whole.join(MADE), whole, is_for_all, _marker: Some(marker) })),
            Err(cause) => {
                remove(&whole);
                pending.pop();
                Err(cause)
            }
        }
    }

    /// The path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is left if the run is killed: the hidden folder around it, or the path itself.
    pub fn whole(&self) -> &Path {
        &self.whole
    }

    /// The same, but for modes: what is in it has its own already.
    #[must_use]
    pub fn with_own_modes(mut self) -> Self {
        self.is_for_all = false;
        self
    }

    /// From here on it stays.
    pub fn keep(self) {
        lock().retain(|path| *path != self.whole);
    }
}

/// A new file that only its owner may read.
pub fn new_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.read(true).write(true).create_new(true).open(path)
}

/// A new folder that only its owner may look into.
pub fn new_folder(path: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

fn hidden_folder(parent: &Path) -> io::Result<PathBuf> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(HIDDEN);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    Ok(builder.tempdir_in(parent)?.keep())
}

/// Marks a hidden folder as ours. The mark is written when the lock is held: who sees it and gets the lock knows that
/// whoever wrote it is dead.
fn marker(folder: &Path) -> io::Result<File> {
    let mut file = new_file(&folder.join(MARKER))?;
    // Where files cannot be locked nobody else gets the lock either: the folder then stays after a kill.
    let _ = file.try_lock();
    file.write_all(MARK)?;
    Ok(file)
}

/// Removes what dead runs left beside what this one makes. Says so, if there was something.
pub fn tidy_beside(unfinished: &[&Pending]) -> Option<String> {
    match unfinished.iter().map(|own| dead_removed(own)).sum() {
        0 => None,
        1 => Some("removed the hidden folder of a run that was killed".to_owned()),
        folders => Some(format!("removed {folders} hidden folders of runs that were killed")),
    }
}

fn dead_removed(own: &Pending) -> usize {
    let Ok(entries) = std::fs::read_dir(folder_of(&own.whole)) else { return 0 };
    let is_hidden = |name: &OsStr| name.to_str().is_some_and(|name| name.starts_with(HIDDEN));
    let hidden = entries.flatten().filter(|entry| is_hidden(&entry.file_name())).map(|entry| entry.path());
    hidden.filter(|folder| remove_if_dead(folder, &own.whole).unwrap_or(false)).count()
}

/// Removes a hidden folder if it is provably that of a dead run of the owner of another one. Says whether it is gone.
fn remove_if_dead(folder: &Path, own: &Path) -> io::Result<bool> {
    let marker = folder.join(MARKER);
    let (around, mark, own) = (folder.symlink_metadata()?, marker.symlink_metadata()?, own.metadata()?);
    if !around.is_dir() || !mark.is_file() || owner(&around) != owner(&own) || owner(&mark) != owner(&own) {
        return Ok(false);
    }
    for entry in std::fs::read_dir(folder)? {
        let name = entry?.file_name();
        if ![MARKER, MADE, PROBE].iter().any(|ours| name == *ours) {
            return Ok(false);
        }
    }
    let file = File::open(&marker)?;
    let mut text = Vec::new();
    (&file).take(1 + MARK.len() as u64).read_to_end(&mut text)?;
    if text != MARK || file.try_lock().is_err() {
        return Ok(false);
    }
    remove(folder);
    Ok(!folder.exists())
}

/// Whom something belongs to, where the system says so.
#[cfg(unix)]
fn owner(metadata: &Metadata) -> Option<u32> {
    Some(std::os::unix::fs::MetadataExt::uid(metadata))
}

#[cfg(not(unix))]
fn owner(_: &Metadata) -> Option<u32> {
    None
}

/// The modes that new files and folders have.
struct Modes {
    file: Permissions,
    folder: Permissions,
}

impl Modes {
    /// Looks at a file and a folder that were made as everybody makes them.
    fn found_in(hidden: &Path) -> io::Result<Self> {
        let folder = hidden.join(PROBE);
        std::fs::create_dir(&folder)?;
        let file = File::create_new(folder.join(PROBE))?;
        Ok(Self { file: file.metadata()?.permissions(), folder: folder.metadata()?.permissions() })
    }

    /// Gives them to everything below a path, and to the path last.
    fn give_to(&self, path: &Path) -> io::Result<()> {
        if !path.symlink_metadata()?.is_dir() {
            return std::fs::set_permissions(path, self.file.clone());
        }
        for entry in std::fs::read_dir(path)? {
            self.give_to(&entry?.path())?;
        }
        std::fs::set_permissions(path, self.folder.clone())
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

/// Whether two paths lead to the same place.
pub fn is_same_place(one: &Path, other: &Path) -> bool {
    real(one) == real(other)
}

/// Refuses a place for what a run makes inside a folder that it reads.
pub fn refuse_inside(place: &Path, what: &str, inputs: &[PathBuf]) -> Result<()> {
    if let Some(input) = inputs.iter().find(|input| input.is_dir() && lies_inside(place, input)) {
        return Err(Error::refused(format!("the {what} would lie inside {}, which is read", input.display()))
            .with_hint("the next run would read it as part of the data: choose a place outside of that folder"));
    }
    Ok(())
}

/// Refuses to replace a folder that is read, or that something lies in that is read.
pub fn refuse_replacing_input(place: &Path, inputs: &[PathBuf]) -> Result<()> {
    match inputs.iter().find(|input| lies_inside(input, place)) {
        None => Ok(()),
        Some(input) => Err(Error::refused(format!("{} would be replaced, and the data are in it", place.display()))
            .in_file(input.display().to_string())
            .with_hint("give another name for `--out`")),
    }
}

/// A path with `{date}` in it as of today: the local date, as 2026-11-17.
pub fn dated(path: &Path) -> PathBuf {
    const DATE: &str = "{date}";
    match path.to_str() {
        Some(text) if text.contains(DATE) => text.replace(DATE, &crate::report::today()).into(),
        _ => path.to_owned(),
    }
}

/// Refuses `-` where a folder is made: standard output cannot hold one.
pub fn refuse_stdout(out: &Path) -> Result<()> {
    if out == Path::new("-") {
        return Err(Error::parameter("out", "is `-`, but must be the name of a folder")
            .with_hint("a folder is made, which standard output cannot hold; for one called so give `./-`"));
    }
    Ok(())
}

/// Refuses a secret that others on the machine can read.
pub fn refuse_readable_by_others(path: &Path, what: &str) -> Result<()> {
    #[cfg(unix)]
    if let Ok(metadata) = path.metadata() {
        let mode = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o777;
        if mode & 0o077 != 0 {
            return Err(Error::refused(format!(
                "others can read the {what} (its mode is {mode:o}), so it is not used"
            ))
            .in_file(path.display().to_string())
            .with_hint("close it (`chmod 600`); if somebody may have read it, make a new one"));
        }
    }
    #[cfg(not(unix))]
    let _ = (path, what);
    Ok(())
}

/// Refuses a place for something secret inside a release, whichever it is.
pub fn refuse_in_release(place: &Path, what: &str) -> Result<()> {
    match real(place).ancestors().skip(1).find(|folder| folder.join("certificate.json").symlink_metadata().is_ok()) {
        None => Ok(()),
        Some(release) => Err(Error::refused(format!("the {what} would lie inside the release {}", release.display()))
            .with_hint("it would be published with it: put it where only you can read it")),
    }
}

/// Refuses a place in a folder that is not there, is none, or that nobody may write into, as far as it is seen without writing.
pub fn refuse_unwritable(place: &Path) -> io::Result<()> {
    let folder = std::fs::metadata(folder_of(place))?;
    if !folder.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    if folder.permissions().readonly() {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    Ok(())
}

/// What the beginning of every page of throng's own says.
const PAGE_MARK: &[u8] = b"<meta name=\"generator\" content=\"throng\">";

/// Refuses a place for a page where something stands that is no page of throng's own: a key or somebody's data.
pub fn refuse_replacing_other(place: &Path, what: &str) -> Result<()> {
    let mut beginning = Vec::new();
    let read = File::open(place).and_then(|file| file.take(1024).read_to_end(&mut beginning));
    let is_own = read.is_ok() && memchr::memmem::find(&beginning, PAGE_MARK).is_some();
    if is_own || place.symlink_metadata().is_err() {
        return Ok(());
    }
    Err(Error::refused(format!("something else than a page of throng's own is there, which the {what} would replace"))
        .in_file(place.display().to_string())
        .with_hint("give another name, which ends in `.html`; or remove what is there first"))
}

/// Writes a page whole or not at all, in the place of an older one or of nothing.
pub fn replace_page(place: &Path, page: &str, what: &str, is_private: bool) -> Result<()> {
    refuse_replacing_other(place, what)?;
    replace(place, page.as_bytes(), is_private)
}

/// Where a path leads, links and dots resolved as far as it exists.
fn real(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let existing = absolute.ancestors().find_map(|ancestor| Some((ancestor, std::fs::canonicalize(ancestor).ok()?)));
    match existing {
        Some((ancestor, mut real)) => {
            // What does not exist is no link: its dots are what they say.
            for part in absolute.strip_prefix(ancestor).unwrap_or(Path::new("")).components() {
                match part {
                    Component::ParentDir => drop(real.pop()),
                    part => real.push(part),
                }
            }
            real
        }
        None => absolute,
    }
}

/// Gives finished files and folders their names, one after the other. If one cannot have its name, none keeps it.
///
/// Nothing is overwritten: a place where something stands is an error.
pub fn publish(finished: Vec<(Pending, PathBuf)>) -> Result<()> {
    publish_all(finished, None, || Ok(()))
}

/// The same, but for one place: the folder that stands there stays until the new one is in its place, and is removed then.
pub fn publish_over(finished: Vec<(Pending, PathBuf)>, place: &Path) -> Result<()> {
    publish_all(finished, Some(place), || Ok(()))
}

/// The same, with or without a place that is replaced, and with a last step when all have their names: if it fails, none keeps its
/// name, and what was replaced is back.
pub fn publish_sealed(
    finished: Vec<(Pending, PathBuf)>,
    over: Option<&Path>,
    seal: impl FnOnce() -> Result<()>,
) -> Result<()> {
    publish_all(finished, over, seal)
}

fn publish_all(
    finished: Vec<(Pending, PathBuf)>,
    over: Option<&Path>,
    seal: impl FnOnce() -> Result<()>,
) -> Result<()> {
    // Held until the end, so that an interruption finds all of them in their places or none.
    let mut pending = lock();
    let mut replaced = None;
    let take_back = |published: &[(Pending, PathBuf)], replaced: Option<&Pending>| {
        for (unfinished, place) in published {
            match replaced {
                // What stood there took the place of what was unfinished.
                Some(over) if over.path == unfinished.path => drop(exchange(&unfinished.path, place)),
                _ => remove(place),
            }
        }
    };
    for (at, (unfinished, place)) in finished.iter().enumerate() {
        let mut rename = || -> Result<()> {
            let is_there = place.symlink_metadata().is_ok();
            let is_replaced = is_there && over == Some(place.as_path());
            if is_there && !is_replaced {
                return Err(Error::refused(format!("{} exists already", place.display())).with_hint(
                    "somebody made it while throng was running; nothing was published: run again with another name",
                ));
            }
            let failed = |cause| Error::io(format!("write {}", place.display()), cause);
            if unfinished.is_for_all {
                let modes = Modes::found_in(&unfinished.whole).map_err(failed)?;
                modes.give_to(&unfinished.path).map_err(failed)?;
            }
            let rename = if is_replaced { exchange } else { |new: &Path, place: &Path| std::fs::rename(new, place) };
            rename(&unfinished.path, place).map_err(failed)?;
            if is_replaced {
                replaced = Some(unfinished);
            }
            Ok(())
        };
        if let Err(error) = rename() {
            take_back(&finished[..at], replaced);
            return Err(error);
        }
    }
    if let Err(error) = seal() {
        take_back(&finished, replaced);
        return Err(error);
    }
    for (published, _) in &finished {
        remove(&published.whole);
        pending.retain(|path| *path != published.whole);
    }
    Ok(())
}

/// Puts a finished folder in the place of another one, which takes the place of what was unfinished.
fn exchange(new: &Path, place: &Path) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        use rustix::io::Errno;
        match renameat_with(CWD, new, CWD, place, RenameFlags::EXCHANGE) {
            Ok(()) => return Ok(()),
            // A file system, or a system, that cannot do it in one step.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
    // In two steps; if the program is killed between them, the old folder stays beside, where nobody tidies it away.
    let aside = new.with_file_name("replaced");
    std::fs::rename(place, &aside)?;
    if let Err(cause) = std::fs::rename(new, place) {
        std::fs::rename(&aside, place)?;
        return Err(cause);
    }
    std::fs::rename(&aside, new)
}

/// Writes a file whole or not at all, in the place of the one that is there.
pub fn replace(place: &Path, bytes: &[u8], is_private: bool) -> Result<()> {
    let failed = |cause| Error::io(format!("write {}", place.display()), cause);
    let (mut file, unfinished) = Pending::file(place, is_private).map_err(failed)?;
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(failed)?;
    // What a killed run left of the same file is replaced as well.
    tidy_beside(&[&unfinished]);
    if place.is_file() {
        std::fs::remove_file(place).map_err(failed)?;
    }
    publish(vec![(unfinished, place.to_owned())])
}

impl Drop for Pending {
    fn drop(&mut self) {
        let mut pending = lock();
        if let Some(at) = pending.iter().position(|path| *path == self.whole) {
            remove(&self.whole);
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
