//! Ctrl-C: a run that is interrupted leaves nothing but its checkpoint.

use std::fs;
use std::io::Write as _;
use std::process::Stdio;
use std::time::Duration;

use crate::support::running::{interrupt, running_when};
use crate::support::{LOG, Sandbox};

/// A folder with a log that takes some seconds to protect.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.done(&["synth", "queries", "--persons", "800", "--mean-lines", "30", "--out", "log.tsv", "--quiet"]);
    sandbox
}

/// Whether the command has begun to write its release.
fn has_begun(sandbox: &Sandbox) -> bool {
    sandbox.listing().iter().any(|name| name.starts_with(".throng-"))
}

#[test]
fn an_interrupted_run_leaves_nothing() {
    let sandbox = sandbox();
    let before = sandbox.listing();
    let args = ["protect", "log.tsv", "--out", "out", "--key", "key.csv"];
    let again = || {
        fs::remove_dir_all(sandbox.path("out")).unwrap();
        fs::remove_file(sandbox.path("key.csv")).unwrap();
        fs::remove_file(sandbox.path("key.csv.json")).unwrap();
    };
    let child = running_when(&sandbox, &args, || has_begun(&sandbox), again);
    let ran = interrupt(child);
    assert_eq!(ran.code, 130, "{ran:?}");
    assert!(ran.stderr.contains("interrupted"), "{ran:?}");
    assert_eq!(sandbox.listing(), before);
}

#[test]
fn an_interrupted_run_leaves_its_checkpoint() {
    let sandbox = sandbox();
    let args = ["protect", "log.tsv", "--out", "out", "--checkpoint", "kept"];
    let again = || fs::remove_dir_all(sandbox.path("out")).unwrap();
    let child = running_when(&sandbox, &args, || has_begun(&sandbox), again);
    let ran = interrupt(child);
    assert_eq!(ran.code, 130, "{ran:?}");
    assert!(ran.stderr.contains("only the checkpoint stays"), "{ran:?}");
    assert_eq!(sandbox.listing(), ["kept/", "kept/journal", "log.tsv"]);
}

#[test]
fn a_run_that_waits_for_its_input_can_be_interrupted() {
    let sandbox = Sandbox::new();
    let mut child = sandbox.command(&["protect", "-", "--out", "out"]).stdin(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(LOG.as_bytes()).unwrap();
    while !has_begun(&sandbox) && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    let ran = interrupt(child);
    assert_eq!(ran.code, 130, "{ran:?}");
    assert!(sandbox.listing().is_empty(), "{:?}", sandbox.listing());
}
