//! A caller can stop a run at any step: it ends with an error of its own, and leaves nothing behind.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use throng::run::{self, CompareRequest, ProtectRequest};
use throng_core::progress::{Progress, Silent};

/// Everything below a folder.
fn listing(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    let below: Vec<PathBuf> = found.iter().filter(|path| path.is_dir()).flat_map(|path| listing(path)).collect();
    found.extend(below);
    found.sort();
    found
}

/// Somebody who stops a run after so many steps.
struct Stopping {
    steps_left: AtomicU64,
}

impl Stopping {
    fn after(steps: u64) -> Self {
        Self { steps_left: AtomicU64::new(steps) }
    }

    fn step(&self) {
        let _ = self.steps_left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
    }
}

impl Progress for Stopping {
    fn stage(&self, _name: &str, _total: u64) {
        self.step();
    }

    fn advance(&self, _steps: u64) {
        self.step();
    }

    fn is_stopped(&self) -> bool {
        self.steps_left.load(Ordering::Relaxed) == 0
    }
}

/// Runs something again and again, stopped one step later each time, until it gets through.
fn at_every_step(place: &Path, mut run: impl FnMut(&dyn Progress) -> throng_core::Result<()>) {
    let before = listing(place);
    for steps in 0..2000 {
        match run(&Stopping::after(steps)) {
            Ok(()) => {
                assert!(steps > 5, "stopped {steps} times only");
                return;
            }
            Err(error) => assert!(error.is_stopped(), "step {steps}: {}", error.describe(true)),
        }
        assert_eq!(listing(place), before, "step {steps}");
    }
    panic!("it never got through");
}

fn log_in(place: &Path) -> PathBuf {
    let path = place.join("log.csv");
    let line = |person: u32| format!("u{},roses and wine {},11491164{person:02}\n", person / 2, person % 3);
    let text: String = (10..30).map(line).collect();
    fs::write(&path, format!("user,query,time\n{text}")).unwrap();
    path
}

#[test]
fn a_stopped_protect_leaves_nothing() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    for method in ["user-microaggregation", "kindred", "interest-microaggregation", "semantic-microaggregation"] {
        let request = ProtectRequest {
            file: log_in(place),
            out: place.join("out"),
            method: Some(method.to_owned()),
            parameters: vec![("k".to_owned(), "2".to_owned())],
            measures: vec!["profile-exposure-level".to_owned(), "query-frequency".to_owned()],
            ..ProtectRequest::default()
        };
        at_every_step(place, |progress| run::protect(&request, progress).map(|_| ()));
        assert!(place.join("out").join("certificate.json").exists(), "{method}");
        fs::remove_dir_all(place.join("out")).unwrap();
    }
}

#[test]
fn a_stopped_protect_of_baskets_leaves_nothing() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    fs::write(place.join("baskets.dat"), "milk apple\nmilk\nbeef apple\nmilk apple\nbeef\nbeef milk\n".repeat(4))
        .unwrap();
    fs::write(place.join("tree.csv"), "child,parent\nmilk,food\napple,food\nbeef,food\n").unwrap();
    for method in ["flock", "clump", "partition", "apriori"] {
        let mut request = ProtectRequest {
            file: place.join("baskets.dat"),
            out: place.join("out"),
            method: Some(method.to_owned()),
            parameters: vec![("k".to_owned(), "2".to_owned())],
            measures: vec!["average-length".to_owned()],
            ..ProtectRequest::default()
        };
        request.ask.taxonomies = vec![place.join("tree.csv").display().to_string()];
        at_every_step(place, |progress| run::protect(&request, progress).map(|_| ()));
        fs::remove_dir_all(place.join("out")).unwrap();
    }
}

#[test]
fn a_stopped_comparison_keeps_only_cells_that_are_whole() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    let request = |out: &str| CompareRequest {
        file: log_in(place),
        out: place.join(out),
        methods: vec!["user-microaggregation".to_owned(), "kindred".to_owned()],
        ks: vec![2, 3],
        measures: vec!["profile-exposure-level".to_owned()],
        ..CompareRequest::default()
    };
    run::compare(&request("whole"), &Silent).unwrap();
    let mut stops = 0;
    while let Err(error) = run::compare(&request("stopped"), &Stopping::after(stops)) {
        assert!(error.is_stopped(), "step {stops}: {}", error.describe(true));
        stops += 1;
    }
    assert!(stops > 3, "{stops}");
    let table = |out: &str| fs::read_to_string(place.join(out).join("comparison.csv")).unwrap();
    assert_eq!(table("stopped"), table("whole"));
}
