//! Files that the page was given: uploads, files taken from the one folder that it may read, and made-up data.
//!
//! Each lies under its own name in a folder of its own, in the private folder: its owner's alone (0700, 0600) and gone at the end. A name is one
//! part of a path, whatever letters it has; nothing that comes from a request is ever put together with a path otherwise.
//!
//! # The folder
//! What lies below it is named by parts between slashes; none of them may be a link, so that nothing outside is read. Hidden files are not
//! shown.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use throng::pending::{self, Pending};

/// The longest name.
const LONGEST_NAME: usize = 200;
/// How many files of the folder are shown, and how deep.
const MOST_SHOWN: usize = 1000;
const DEEPEST: usize = 8;
/// What makes a folder a release.
const CERTIFICATE: &str = "certificate.json";

/// A file that a run may read.
#[derive(Debug, Clone)]
pub(crate) struct Held {
    pub(crate) path: PathBuf,
    /// What its owner calls it, as a command of theirs would name it.
    pub(crate) shown: String,
    bytes: u64,
}

/// Why there is no file: a status and what to say.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Refusal(pub(crate) u16, pub(crate) String);

fn refuse<T>(status: u16, message: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal(status, message.into()))
}

/// All files.
#[derive(Debug)]
pub(crate) struct Files {
    private: PathBuf,
    /// The folder that may be read and saved to: as it was named, and where it is.
    folder: Option<(PathBuf, PathBuf)>,
    largest: u64,
    held: Mutex<Vec<Option<Held>>>,
}

impl Files {
    /// Files below a private folder, and a folder of the user's.
    pub(crate) fn new(private: &Path, folder: Option<(PathBuf, PathBuf)>, largest: u64) -> io::Result<Self> {
        let private = private.join("files");
        pending::new_folder(&private)?;
        Ok(Self { private, folder, largest, held: Mutex::default() })
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Option<Held>>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A file by its handle, as `f1`.
    pub(crate) fn get(&self, handle: &str) -> Option<Held> {
        let number: usize = handle.strip_prefix('f')?.parse().ok()?;
        self.lock().get(number.checked_sub(1)?)?.clone()
    }

    /// Every file, with its handle.
    pub(crate) fn listed(&self) -> Value {
        let held = self.lock();
        let one = |(at, held): (usize, &Option<Held>)| {
            held.as_ref().map(|held| json!({"file": format!("f{}", at + 1), "name": held.shown, "bytes": held.bytes}))
        };
        held.iter().enumerate().filter_map(one).collect()
    }

    /// The size that no upload may exceed.
    pub(crate) fn largest(&self) -> u64 {
        self.largest
    }

    /// Whether there is a folder to read from and save to.
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.folder.as_ref().map(|(named, _)| named.as_path())
    }

    /// A new place for a file; it is given to nobody until it is [kept](Self::keep).
    fn place(&self, name: &str) -> Result<(usize, PathBuf), Refusal> {
        let number = {
            let mut held = self.lock();
            held.push(None);
            held.len()
        };
        let folder = self.private.join(format!("f{number}"));
        pending::new_folder(&folder).map_err(|cause| failed(&cause))?;
        Ok((number, folder.join(name)))
    }

    /// Gives a file its handle; or removes what there is of it.
    fn keep(
        &self,
        (number, path): (usize, PathBuf),
        shown: String,
        made: Result<u64, Refusal>,
    ) -> Result<Value, Refusal> {
        match made {
            Ok(bytes) => {
                let kept = json!({"file": format!("f{number}"), "bytes": bytes, "name": shown});
                self.lock()[number - 1] = Some(Held { path, shown, bytes });
                Ok(kept)
            }
            Err(refusal) => {
                let _ = path.parent().map(fs::remove_dir_all);
                Err(refusal)
            }
        }
    }

    /// Takes an upload of a length.
    pub(crate) fn upload(&self, name: &str, length: u64, body: &mut dyn Read) -> Result<Value, Refusal> {
        check_name(name)?;
        if length > self.largest {
            return refuse(
                413,
                format!("the file has {length} bytes, but at most {} are taken (`--largest`)", self.largest),
            );
        }
        let place = self.place(name)?;
        let written = written(&place.1, length, body);
        self.keep(place, name.to_owned(), written)
    }

    /// What lies in the folder.
    pub(crate) fn shown(&self) -> Value {
        let Some((named, real)) = &self.folder else { return json!({"folder": null, "files": [], "is_all": true}) };
        let mut found = Vec::new();
        let is_all = look(real, "", 0, &mut found);
        found.sort_by(|one: &(String, u64, bool), other| one.0.cmp(&other.0));
        let files: Vec<Value> = found
            .into_iter()
            .map(|(name, bytes, is_release)| json!({"name": name, "bytes": bytes, "release": is_release}))
            .collect();
        json!({"folder": named.display().to_string(), "files": files, "is_all": is_all})
    }

    /// Takes a file, or a release, from the folder.
    pub(crate) fn take(&self, name: &str) -> Result<Value, Refusal> {
        let Some((named, real)) = &self.folder else {
            return refuse(409, "no folder was given: start it as `throng serve DIR` to read files of DIR");
        };
        let path = below(real, name)?;
        let about = path.symlink_metadata().map_err(|cause| failed(&cause))?;
        let last = name.rsplit('/').next().unwrap_or(name);
        check_name(last)?;
        if about.is_dir() && !path.join(CERTIFICATE).is_file() {
            return refuse(422, "is a folder, and no release");
        }
        let place = self.place(last)?;
        let copied = if about.is_dir() { self.copy_folder(&path, &place.1) } else { self.copy_file(&path, &place.1) };
        self.keep(place, named.join(name).display().to_string(), copied)
    }

    fn copy_file(&self, from: &Path, to: &Path) -> Result<u64, Refusal> {
        let mut file = File::open(from).map_err(|cause| failed(&cause))?;
        let about = file.metadata().map_err(|cause| failed(&cause))?;
        if !about.is_file() {
            return refuse(422, "is no file");
        }
        if about.len() > self.largest {
            return refuse(
                413,
                format!("the file has {} bytes, but at most {} are taken (`--largest`)", about.len(), self.largest),
            );
        }
        let mut into = pending::new_file(to).map_err(|cause| failed(&cause))?;
        io::copy(&mut Read::take(&mut file, self.largest), &mut into).map_err(|cause| failed(&cause))
    }

    /// A release: a folder with files, and nothing in folders but files.
    fn copy_folder(&self, from: &Path, to: &Path) -> Result<u64, Refusal> {
        pending::new_folder(to).map_err(|cause| failed(&cause))?;
        let mut bytes = 0;
        for entry in fs::read_dir(from).map_err(|cause| failed(&cause))? {
            let entry = entry.map_err(|cause| failed(&cause))?;
            let kind = entry.file_type().map_err(|cause| failed(&cause))?;
            if !kind.is_file() {
                return refuse(422, "something in it is no file, as in no release");
            }
            bytes += self.copy_file(&entry.path(), &to.join(entry.file_name()))?;
        }
        Ok(bytes)
    }

    /// Makes a file by a command, which is told where.
    pub(crate) fn make(&self, name: &str, make: impl FnOnce(&Path) -> Result<(), Refusal>) -> Result<Value, Refusal> {
        check_name(name)?;
        let place = self.place(name)?;
        let made = make(&place.1)
            .and_then(|()| fs::metadata(&place.1).map(|about| about.len()).map_err(|cause| failed(&cause)));
        self.keep(place, name.to_owned(), made)
    }

    /// Saves a folder into the user's, whole or not at all, never over something.
    pub(crate) fn save(&self, from: &Path, name: &str) -> Result<Value, Refusal> {
        let Some((named, real)) = &self.folder else {
            return refuse(
                409,
                "no folder was given: start it as `throng serve DIR` to save into DIR, or download the release",
            );
        };
        check_name(name)?;
        if name.starts_with('.') {
            return refuse(422, "the name begins with a dot: it would be hidden");
        }
        let place = real.join(name);
        if place.symlink_metadata().is_ok() {
            return refuse(409, "something of that name is there already: give another name");
        }
        let copied = || -> io::Result<Pending> {
            let unfinished = Pending::folder(&place)?;
            copy_into(from, unfinished.path())?;
            Ok(unfinished)
        };
        let unfinished = copied().map_err(|cause| failed(&cause))?;
        pending::publish(vec![(unfinished, place)]).map_err(|error| Refusal(409, error.message()))?;
        Ok(json!({"saved": named.join(name).display().to_string()}))
    }
}

/// Copies everything in a folder of ours into a new one.
fn copy_into(from: &Path, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let place = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            pending::new_folder(&place)?;
            copy_into(&entry.path(), &place)?;
        } else {
            let mut into = pending::new_file(&place)?;
            io::copy(&mut File::open(entry.path())?, &mut into)?;
            into.sync_all()?;
        }
    }
    Ok(())
}

/// Writes a body of a length into a new file.
fn written(path: &Path, length: u64, body: &mut dyn Read) -> Result<u64, Refusal> {
    let mut file = pending::new_file(path).map_err(|cause| failed(&cause))?;
    let (mut buffer, mut written) = (vec![0; 256 << 10], 0);
    while written < length {
        let read = body.read(&mut buffer).map_err(|cause| match cause.kind() {
            ErrorKind::WouldBlock | ErrorKind::TimedOut => {
                Refusal(408, "the rest of the file did not come in time".to_owned())
            }
            _ => Refusal(400, "the file was cut off before its end".to_owned()),
        })?;
        if read == 0 {
            return refuse(400, "the file was cut off before its end");
        }
        file.write_all(&buffer[..read]).map_err(|cause| failed(&cause))?;
        written += read as u64;
    }
    Ok(written)
}

/// What went wrong with a file, without its name.
fn failed(cause: &io::Error) -> Refusal {
    match cause.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Refusal(
            507,
            "the disk is full: make room, or set TMPDIR to a folder that has some, and start again".to_owned(),
        ),
        ErrorKind::NotFound => Refusal(404, "there is no such file".to_owned()),
        ErrorKind::PermissionDenied => Refusal(422, "it may not be read or written".to_owned()),
        _ => Refusal(500, format!("could not read or write: {}", cause.kind())),
    }
}

/// Refuses a name that is not one part of a path.
fn check_name(name: &str) -> Result<(), Refusal> {
    let mut parts = Path::new(name).components();
    let is_part = matches!((parts.next(), parts.next()), (Some(Component::Normal(part)), None) if part == name);
    if !is_part || name.contains(['/', '\\', '\0']) {
        return refuse(422, "the name of a file is a name without slashes, and not `.` or `..`");
    }
    if name.len() > LONGEST_NAME {
        return refuse(422, format!("the name has {} bytes, but may have at most {LONGEST_NAME}", name.len()));
    }
    Ok(())
}

/// A path below a folder, no part of which is a link.
fn below(folder: &Path, name: &str) -> Result<PathBuf, Refusal> {
    let mut path = folder.to_owned();
    for part in name.split('/') {
        check_name(part)?;
        path.push(part);
        let about = path.symlink_metadata().map_err(|cause| failed(&cause))?;
        if !about.is_dir() && !about.is_file() {
            return refuse(422, "links and devices are not followed");
        }
    }
    Ok(path)
}

/// Looks for files and releases. Says whether these are all.
fn look(folder: &Path, before: &str, depth: usize, found: &mut Vec<(String, u64, bool)>) -> bool {
    let Ok(entries) = fs::read_dir(folder) else { return true };
    let mut is_all = true;
    let mut entries: Vec<_> = entries.flatten().collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (Ok(about), Ok(own)) = (entry.path().symlink_metadata(), entry.file_name().into_string()) else { continue };
        if own.starts_with('.') {
            continue;
        }
        if found.len() >= MOST_SHOWN {
            return false;
        }
        let name = format!("{before}{own}");
        if about.is_file() {
            found.push((name, about.len(), false));
        } else if about.is_dir() && entry.path().join(CERTIFICATE).is_file() {
            found.push((name, 0, true));
        } else if about.is_dir() {
            is_all &= depth < DEEPEST && look(&entry.path(), &format!("{name}/"), depth + 1, found);
        }
    }
    is_all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_folder() -> (tempfile::TempDir, Files) {
        let place = tempfile::tempdir().unwrap();
        let (private, folder) = (place.path().join("private"), place.path().join("data"));
        fs::create_dir(&private).unwrap();
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("a.csv"), "abc").unwrap();
        fs::create_dir(folder.join("sub")).unwrap();
        fs::write(folder.join("sub/b.csv"), "abcd").unwrap();
        fs::write(place.path().join("outside.csv"), "secret").unwrap();
        let files = Files::new(&private, Some((PathBuf::from("data"), folder)), 10).unwrap();
        (place, files)
    }

    #[test]
    fn names() {
        for name in ["a.csv", "a b", "<b>x", "..a", "\u{202e}x", "\u{1b}[2J", "-rf", "a*"] {
            assert_eq!(check_name(name), Ok(()), "{name:?}");
        }
        let long = "x".repeat(10_000);
        for name in ["", ".", "..", "a/b", "/a", "a/", "a\\b", "..\\a", "a\0b", &long] {
            assert!(check_name(name).is_err(), "{name:.20?}");
        }
    }

    #[test]
    fn uploads() {
        let (place, files) = with_folder();
        let kept = files.upload("x.csv", 3, &mut &b"abc"[..]).unwrap();
        assert_eq!(kept, json!({"file": "f1", "bytes": 3, "name": "x.csv"}));
        let held = files.get("f1").unwrap();
        assert_eq!(fs::read(&held.path).unwrap(), b"abc");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
            assert_eq!((mode(&held.path), mode(held.path.parent().unwrap())), (0o600, 0o700));
        }
        assert_eq!(files.upload("x.csv", 11, &mut &b"abc"[..]).unwrap_err().0, 413);
        assert_eq!(files.upload("x.csv", 4, &mut &b"abc"[..]).unwrap_err().0, 400);
        assert_eq!(files.upload("../x.csv", 3, &mut &b"abc"[..]).unwrap_err().0, 422);
        // Nothing is left of what was cut off.
        assert_eq!(fs::read_dir(place.path().join("private/files")).unwrap().count(), 1);
        for handle in ["f0", "f2", "f", "x", "f99999999999999999999"] {
            assert!(files.get(handle).is_none(), "{handle}");
        }
    }

    #[test]
    fn the_folder() {
        let (place, files) = with_folder();
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(place.path().join("outside.csv"), place.path().join("data/link.csv")).unwrap();
            std::os::unix::fs::symlink(place.path(), place.path().join("data/up")).unwrap();
        }
        let names: Vec<Value> =
            files.shown()["files"].as_array().unwrap().iter().map(|file| file["name"].clone()).collect();
        assert_eq!(names, ["a.csv", "sub/b.csv"]);
        let taken = files.take("sub/b.csv").unwrap();
        assert_eq!(taken["name"], "data/sub/b.csv");
        assert_eq!(fs::read(files.get("f1").unwrap().path).unwrap(), b"abcd");
        for name in [
            "../outside.csv",
            "/etc/passwd",
            "sub/../a.csv",
            "link.csv",
            "up/outside.csv",
            "sub",
            "",
            "./a.csv",
            "none",
        ] {
            assert!(files.take(name).is_err(), "{name}");
        }
        let outside = place.path().join("outside.csv").display().to_string();
        assert!(files.take(&outside).is_err());
    }

    #[test]
    fn saving() {
        let (place, files) = with_folder();
        let release = place.path().join("release");
        fs::create_dir(&release).unwrap();
        fs::write(release.join(CERTIFICATE), "{}").unwrap();
        assert_eq!(files.save(&release, "out").unwrap(), json!({"saved": "data/out"}));
        assert_eq!(fs::read(place.path().join("data/out").join(CERTIFICATE)).unwrap(), b"{}");
        for name in ["out", "a.csv", "../out", ".hidden", "", "/tmp/out"] {
            assert!(files.save(&release, name).is_err(), "{name}");
        }
        assert_eq!(files.take("out").unwrap()["bytes"], 2);
        let names = fs::read_dir(place.path().join("data")).unwrap().count();
        assert_eq!(names, 3, "nothing else was left there");
    }
}
