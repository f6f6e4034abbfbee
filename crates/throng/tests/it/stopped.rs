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

/// Somebody who stops a run when asked for the so many-th time.
struct StoppingWhenAsked {
    asks_left: AtomicU64,
}

impl Progress for StoppingWhenAsked {
    fn stage(&self, _name: &str, _total: u64) {}

    fn advance(&self, _steps: u64) {}

    fn is_stopped(&self) -> bool {
        let asked = self.asks_left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        asked.is_err()
    }
}

/// How often a run asks whether it is to go on, which it does inside of whatever takes long.
fn asks_of(request: &ProtectRequest) -> u64 {
    let stopping = StoppingWhenAsked { asks_left: AtomicU64::new(u64::MAX) };
    run::protect(request, &stopping).unwrap();
    fs::remove_dir_all(&request.out).unwrap();
    u64::MAX - stopping.asks_left.into_inner()
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
            file: log_in(place).into(),
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
    for method in ["flock", "clump", "partition", "apriori", "hghs", "optimal-km"] {
        let mut request = ProtectRequest {
            file: place.join("baskets.dat").into(),
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
        file: log_in(place).into(),
        out: place.join(out),
        methods: vec!["user-microaggregation".to_owned(), "kindred".to_owned()],
        ks: vec![2, 3],
        measures: vec!["profile-exposure-level".to_owned()],
        seed: Some(0),
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

/// A search that goes over many nodes of a taxonomy asks between them, and stops at whichever ask it is told to.
#[test]
fn a_long_search_asks_while_it_searches() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    let basket = |person: u32| format!("i{} i{} i{}\n", person % 12, person % 7, (person * person) % 11);
    fs::write(place.join("baskets.dat"), (0..60).map(basket).collect::<String>()).unwrap();
    let edge = |item: u32| format!("i{item},g{}\n", item % 4);
    let tree: String = (0..12).map(edge).chain((0..4).map(|group| format!("g{group},all\n"))).collect();
    fs::write(place.join("tree.csv"), format!("child,parent\n{tree}")).unwrap();
    for method in ["hghs", "optimal-km"] {
        let mut request = ProtectRequest {
            file: place.join("baskets.dat").into(),
            out: place.join("out"),
            method: Some(method.to_owned()),
            parameters: vec![("k".to_owned(), "4".to_owned())],
            measures: vec!["average-length".to_owned()],
            ..ProtectRequest::default()
        };
        request.ask.taxonomies = vec![place.join("tree.csv").display().to_string()];
        let asks = asks_of(&request);
        assert!(asks > 12, "{method} asked {asks} times only");
        let before = listing(place);
        for left in 0..asks {
            let stopping = StoppingWhenAsked { asks_left: AtomicU64::new(left) };
            let error = run::protect(&request, &stopping).unwrap_err();
            assert!(error.is_stopped(), "{method}, ask {left}: {}", error.describe(true));
            assert_eq!(listing(place), before, "{method}, ask {left}");
        }
    }
}
