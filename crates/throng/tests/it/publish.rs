//! A release and its key appear together or not at all, whatever happens while they are made.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use throng::run::{self, ProtectRequest};
use throng_core::Result;
use throng_core::progress::{Progress, Silent};

/// Does something when the release is written and being measured: after everything was looked at, before it is published.
struct Meanwhile<F>(F);

impl<F: Fn() + Sync> Progress for Meanwhile<F> {
    fn stage(&self, name: &str, _total: u64) {
        if name == "profile-exposure-level" {
            (self.0)();
        }
    }

    fn advance(&self, _steps: u64) {}
}

/// A folder with a small log in it.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let text = "user,query,time\nann,roses,1149116452\nbob,roses,1149116453\n";
        fs::write(folder.path().join("log.csv"), text).unwrap();
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn protect(&self, key: &str, progress: &dyn Progress) -> Result<()> {
        let request = ProtectRequest {
            file: self.path("log.csv").into(),
            out: self.path("out"),
            method: Some("user-microaggregation".to_owned()),
            parameters: vec![("k".to_owned(), "2".to_owned())],
            key: Some(self.path(key)),
            measures: vec!["profile-exposure-level".to_owned()],
            ..ProtectRequest::default()
        };
        run::protect(&request, progress).map(drop)
    }

    /// The name of everything below the folder, hidden or not.
    fn listing(&self) -> BTreeSet<String> {
        fn walk(root: &Path, folder: &Path, into: &mut BTreeSet<String>) {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                into.insert(path.strip_prefix(root).unwrap().display().to_string());
                if path.is_dir() {
                    walk(root, &path, into);
                }
            }
        }
        let mut listing = BTreeSet::new();
        walk(self.0.path(), self.0.path(), &mut listing);
        listing
    }
}

#[test]
fn a_release_and_its_key_appear_together() {
    let place = Place::new();
    place.protect("key.csv", &Silent).unwrap();
    let expected = [
        "key.csv",
        "key.csv.json",
        "log.csv",
        "out",
        "out/certificate.json",
        "out/data.csv",
        "out/report.html",
        "out/report.json",
    ];
    assert_eq!(place.listing(), expected.map(str::to_owned).into());
}

/// Whatever cannot have its name, the others do not have theirs either, and what stands there stays as it is.
#[test]
fn if_one_name_is_taken_meanwhile_nothing_appears() {
    for taken in ["key.csv", "key.csv.json", "out"] {
        for is_folder in [false, true] {
            let place = Place::new();
            let take = Meanwhile(|| {
                let hidden = place.listing().iter().filter(|name| name.starts_with(".throng-")).count();
                assert!(hidden >= 4, "the data, its folder and two key files are written under other names");
                if is_folder {
                    fs::create_dir(place.path(taken)).unwrap();
                } else {
                    fs::write(place.path(taken), "theirs").unwrap();
                }
            });
            let error = place.protect("key.csv", &take).unwrap_err().describe(true);
            assert!(error.contains(&format!("{taken} exists already")), "{error}");
            assert_eq!(place.listing(), BTreeSet::from(["log.csv".to_owned(), taken.to_owned()]));
            if !is_folder {
                assert_eq!(fs::read_to_string(place.path(taken)).unwrap(), "theirs");
            }
        }
    }
}

/// The folder of the key goes away while the release is made.
#[test]
fn if_the_key_cannot_be_written_there_is_no_release() {
    let place = Place::new();
    fs::create_dir(place.path("safe")).unwrap();
    let lose = Meanwhile(|| fs::rename(place.path("safe"), place.path("elsewhere")).unwrap());
    let error = place.protect("safe/key.csv", &lose).unwrap_err().describe(true);
    assert!(error.contains("safe/key.csv") && error.contains("No such file"), "{error}");
    assert!(!place.path("out").exists());
}

#[test]
fn a_key_without_a_folder_is_refused_before_anything_is_read() {
    let place = Place::new();
    fs::write(place.path("log.csv"), "no log at all").unwrap();
    let error = place.protect("nowhere/key.csv", &Silent).unwrap_err();
    assert!(error.describe(true).contains("nowhere") && error.hint().is_some(), "{error}");
    assert_eq!(place.listing(), BTreeSet::from(["log.csv".to_owned()]));
}
