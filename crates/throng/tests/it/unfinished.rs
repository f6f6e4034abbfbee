//! What is not published yet is its owner's alone, from the moment it exists.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use throng::pending::{self, Pending};
use throng::run::{self, CompareRequest, ProtectRequest, SynthRequest};
use throng_core::progress::Progress;

/// Everything below a folder, with its mode.
fn modes(folder: &Path) -> Vec<(String, u32)> {
    fn walk(root: &Path, folder: &Path, into: &mut Vec<(String, u32)>) {
        let Ok(entries) = fs::read_dir(folder) else { return };
        for entry in entries.flatten() {
            let path = entry.path();
            // What was renamed meanwhile is no longer there.
            let Ok(metadata) = path.symlink_metadata() else { continue };
            into.push((path.strip_prefix(root).unwrap().display().to_string(), metadata.permissions().mode() & 0o777));
            if metadata.is_dir() {
                walk(root, &path, into);
            }
        }
    }
    let mut found = Vec::new();
    walk(folder, folder, &mut found);
    found
}

/// Looks at everything in a folder whenever something advances.
struct Watch<'a> {
    folder: &'a Path,
    seen: Mutex<Vec<(String, u32)>>,
}

impl Watch<'_> {
    fn look(&self) {
        self.seen.lock().unwrap().extend(modes(self.folder));
    }

    /// What was seen with a name that begins like this, and with other modes than an owner's.
    fn open_to_others(&self, start: &str) -> Vec<(String, u32)> {
        let seen = self.seen.lock().unwrap();
        let below: Vec<_> = seen.iter().filter(|(name, _)| name.starts_with(start)).cloned().collect();
        assert!(below.len() > 2, "{seen:?}");
        below.into_iter().filter(|(_, mode)| mode & 0o077 != 0).collect()
    }
}

impl Progress for Watch<'_> {
    fn stage(&self, _name: &str, _total: u64) {
        self.look();
    }

    fn advance(&self, _steps: u64) {
        self.look();
    }
}

/// The modes of a new file and a new folder.
fn usual(folder: &Path) -> (u32, u32) {
    fs::write(folder.join("new.txt"), "").unwrap();
    fs::create_dir(folder.join("new")).unwrap();
    let mode = |name: &str| folder.join(name).metadata().unwrap().permissions().mode() & 0o777;
    (mode("new.txt"), mode("new"))
}

fn log_in(folder: &Path) -> PathBuf {
    let path = folder.join("log.csv");
    fs::write(&path, "user,query,time\nann,roses,1149116452\nbob,roses,1149116453\n").unwrap();
    path
}

#[test]
fn an_unfinished_release_is_for_its_owner_only() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    let request = ProtectRequest {
        file: log_in(place).into(),
        out: place.join("out"),
        method: Some("user-microaggregation".to_owned()),
        parameters: vec![("k".to_owned(), "2".to_owned())],
        key: Some(place.join("key.csv")),
        ..ProtectRequest::default()
    };
    let watch = Watch { folder: place, seen: Mutex::default() };
    run::protect(&request, &watch).unwrap();
    let seen = watch.seen.lock().unwrap().clone();
    assert!(seen.iter().any(|(name, _)| name.starts_with(".throng-") && name.ends_with("data.csv")), "{seen:?}");
    assert_eq!(watch.open_to_others(".throng-"), []);

    let (file, folder) = usual(place);
    for (name, mode) in modes(place) {
        let expected = match name.as_str() {
            "key.csv" | "key.csv.json" => 0o600,
            "out" | "new" => folder,
            _ => file,
        };
        assert_eq!(mode, expected, "{name}");
    }
}

#[test]
fn an_unfinished_folder_of_texts_is_for_its_owner_only() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    let request = SynthRequest {
        kind: "documents".to_owned(),
        persons: 1200,
        out: place.join("texts"),
        ..SynthRequest::default()
    };
    let watch = Watch { folder: place, seen: Mutex::default() };
    run::synth(&request, &mut std::io::sink(), &watch).unwrap();
    assert_eq!(watch.open_to_others(".throng-"), []);
    let (file, folder) = usual(place);
    for (name, mode) in modes(place) {
        assert_eq!(mode, if name.ends_with(".txt") { file } else { folder }, "{name}");
    }
}

#[test]
fn the_cells_of_an_unfinished_comparison_are_for_their_owner_only() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    let request = CompareRequest {
        file: log_in(place).into(),
        overwrite: false,
        out: place.join("out"),
        methods: vec!["user-microaggregation".to_owned()],
        ks: vec![2],
        ..CompareRequest::default()
    };
    let watch = Watch { folder: place, seen: Mutex::default() };
    run::compare(&request, &watch).unwrap();
    assert_eq!(watch.open_to_others("out/unfinished"), []);
    let (file, folder) = usual(place);
    for (name, mode) in modes(place) {
        let expected = if place.join(&name).is_dir() { folder } else { file };
        // The plan stays, with a hash of the original: for its owner only.
        assert_eq!(mode, if name.ends_with("plan.json") { 0o600 } else { expected }, "{name}");
    }
}

/// Names and modes of what is in a folder.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = modes(folder).into_iter().map(|(name, _)| name).collect();
    names.sort();
    names
}

/// Only what is provably left of a dead run of ours is removed.
#[test]
fn what_may_be_somebody_elses_is_not_touched() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    // What a killed run leaves: here of one that is still alive.
    let alive = Pending::folder(&place.join("out")).unwrap();
    let marker = fs::read(alive.whole().join("marker")).unwrap();
    let folder = |name: &str, files: &[(&str, &[u8])]| {
        let folder = place.join(name);
        fs::create_dir(&folder).unwrap();
        files.iter().for_each(|(name, bytes)| fs::write(folder.join(name), bytes).unwrap());
    };
    folder(".throng-empty", &[]);
    folder(".throng-none", &[("made", b"data")]);
    folder(".throng-other", &[("marker", b"another program"), ("made", b"data")]);
    folder(".throng-more", &[("marker", &marker), ("made", b"data"), ("mine.txt", b"mine")]);
    folder("throng-visible", &[("marker", &marker), ("made", b"data")]);
    fs::write(place.join(".throng-file"), &marker).unwrap();
    std::os::unix::fs::symlink("throng-visible", place.join(".throng-link")).unwrap();
    let before = names(place);
    let own = Pending::folder(&place.join("next")).unwrap();
    assert_eq!(pending::tidy_beside(&[&own]), None);
    let mine = own.whole().file_name().unwrap().to_str().unwrap().to_owned();
    let others = |names: Vec<String>| names.into_iter().filter(|name| !name.starts_with(&mine)).collect::<Vec<_>>();
    assert_eq!(others(names(place)), before);

    // The same with the marker of a run that is dead, which is to say without its lock.
    folder(".throng-dead", &[("marker", &marker), ("made", b"data")]);
    folder(".throng-dead-too", &[("marker", &marker)]);
    let note = pending::tidy_beside(&[&own]).unwrap();
    assert_eq!(note, "removed 2 hidden folders of runs that were killed");
    assert_eq!(others(names(place)), before);
    drop((own, alive));
    assert!(!names(place).iter().any(|name| name.ends_with("/made") && name.starts_with(&mine)));
}
