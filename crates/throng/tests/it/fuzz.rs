//! A short run of the fuzzer on every reader, and everything that a long one found.

use std::fs;

use crate::support::fuzz::{NAMES, target};

/// Executions for each target: seconds altogether.
const EXECUTIONS: u64 = 300;

#[test]
fn no_reader_panics_on_damaged_files() {
    for name in NAMES {
        let folder = tempfile::tempdir().unwrap();
        let target = target(name, folder.path()).unwrap_or_else(|| panic!("no target {name}"));
        assert!(!target.seeds().is_empty(), "{name}");
        target.run(EXECUTIONS, 1, |found| {
            let place = std::env::temp_dir().join(format!("throng-fuzz-{name}-{}", found.execution));
            fs::write(&place, &found.bytes).unwrap();
            panic!("{name} panics on {}: {}", place.display(), found.said);
        });
    }
}
