//! A release follows the umask, and what a killed run left is removed by the next one.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::support::Sandbox;
use crate::support::running::kill;

fn mode(sandbox: &Sandbox, name: &str) -> u32 {
    fs::metadata(sandbox.path(name)).unwrap().permissions().mode() & 0o777
}

#[test]
fn a_release_follows_the_umask_and_a_key_does_not() {
    let sandbox = Sandbox::with_log();
    for (umask, folder, file) in
        [("000", 0o777, 0o666), ("022", 0o755, 0o644), ("027", 0o750, 0o640), ("077", 0o700, 0o600)]
    {
        let out = format!("out{umask}");
        let line = format!("umask {umask}; exec \"$0\" protect log.tsv --out {out} --k 2 --key {out}.key");
        let done = Command::new("sh")
            .args(["-c", &line, env!("CARGO_BIN_EXE_throng")])
            .current_dir(sandbox.path("."))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .unwrap();
        assert!(done.success());
        assert_eq!(mode(&sandbox, &out), folder, "{umask}");
        for name in ["data.tsv", "certificate.json", "report.json", "report.html"] {
            assert_eq!(mode(&sandbox, &format!("{out}/{name}")), file, "{umask} {name}");
        }
        assert_eq!(mode(&sandbox, &format!("{out}.key")), 0o600);
        assert_eq!(mode(&sandbox, &format!("{out}.key.json")), 0o600);
    }
}

#[test]
fn what_a_killed_run_left_is_removed_by_the_next_one() {
    let sandbox = Sandbox::with_log();
    let before = sandbox.listing();
    // It waits for its input, and so lives until it is killed.
    let mut waiting = sandbox.command(&["protect", "-", "--out", "out", "--key", "key.csv"]);
    let mut child = waiting.stdin(Stdio::piped()).spawn().unwrap();
    let hidden = || sandbox.listing().into_iter().filter(|name| name.starts_with(".throng-")).collect::<Vec<_>>();
    // The folder of the release, and those of the key and its companion, each with its marker.
    while hidden().iter().filter(|name| name.ends_with("/marker")).count() < 3 {
        assert!(child.try_wait().unwrap().is_none(), "it was not caught in the middle");
        std::thread::sleep(Duration::from_millis(1));
    }
    // A run beside it leaves it alone as long as it lives.
    let ran = sandbox.done(&["protect", "log.tsv", "--out", "small", "--k", "2"]);
    assert!(!ran.stderr.contains("hidden folder"), "{ran:?}");
    kill(child);
    assert!(!sandbox.path("out").exists() && !hidden().is_empty());
    let ran = sandbox.done(&["protect", "log.tsv", "--out", "again", "--k", "2"]);
    assert!(ran.stderr.contains("note: removed 3 hidden folders of runs that were killed"), "{ran:?}");
    let new = |name: &String| !before.contains(name) && !name.starts_with("small") && !name.starts_with("again");
    assert_eq!(sandbox.listing().into_iter().filter(new).collect::<Vec<_>>(), Vec::<String>::new());
}
