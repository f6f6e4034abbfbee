//! Runs that are killed and go on: the same bytes, and nothing left behind but what was asked for.

use std::fs;

use crate::support::Sandbox;
use crate::support::running::{kill, running_when};

const FILES: [&str; 4] = ["data.tsv", "certificate.json", "report.json", "report.html"];

/// A folder with a log that takes about a second to protect.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.done(&["synth", "queries", "--persons", "500", "--mean-lines", "20", "--seed", "3", "--out", "log.tsv"]);
    sandbox
}

fn protect<'a>(out: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["protect", "log.tsv", "--out", out, "--quiet"], more].concat()
}

/// Starts a run and kills it as soon as something is there, while it is still running.
fn kill_when(sandbox: &Sandbox, args: &[&str], is_due: impl Fn(&[String]) -> bool) {
    let again = || {
        fs::remove_dir_all(sandbox.path("out")).unwrap();
        for key in ["key.csv", "key.csv.json"] {
            let _ = fs::remove_file(sandbox.path(key));
        }
    };
    kill(running_when(sandbox, args, || is_due(&sandbox.listing()), again));
}

fn has(listing: &[String], start: &str, end: &str) -> bool {
    listing.iter().any(|name| name.starts_with(start) && name.ends_with(end))
}

#[test]
fn a_killed_run_goes_on_and_gives_the_same_bytes() {
    let sandbox = sandbox();
    let seeded = ["--seed", "7", "--checkpoint", "kept", "--key", "key.csv"];
    sandbox.done(&protect("whole", &["--seed", "7"]));
    let before = sandbox.listing();
    let run = protect("out", &seeded);
    // When the work begins, when the data are being written, when they are there, and at the report.
    let knows_what_it_makes = || {
        let journal = fs::read(sandbox.path("kept/journal")).unwrap_or_default();
        journal.windows(11).any(|key| key == b".unfinished")
    };
    kill_when(&sandbox, &run, |_| knows_what_it_makes());
    for file in ["data.tsv", "certificate.json"] {
        kill_when(&sandbox, &run, |listing| has(listing, ".throng-", file));
    }
    assert!(!sandbox.path("out").exists() && sandbox.path("kept/journal").exists());
    sandbox.done(&run);
    for file in FILES {
        assert_eq!(
            fs::read(sandbox.path("out").join(file)).unwrap(),
            fs::read(sandbox.path("whole").join(file)).unwrap()
        );
    }
    let mut expected = before;
    expected.extend(FILES.map(|file| format!("out/{file}")));
    expected.extend(["key.csv", "key.csv.json", "out/"].map(str::to_owned));
    expected.sort();
    assert_eq!(sandbox.listing(), expected, "no checkpoint, and nothing of the killed runs");
}

#[test]
fn without_a_seed_the_generator_goes_on() {
    let sandbox = sandbox();
    kill_when(&sandbox, &protect("out", &["--checkpoint", "kept"]), |listing| has(listing, ".throng-", "/"));
    assert!(sandbox.path("kept/journal").exists());
    fs::create_dir(sandbox.path("copy")).unwrap();
    fs::copy(sandbox.path("kept/journal"), sandbox.path("copy/journal")).unwrap();
    sandbox.done(&protect("one", &["--checkpoint", "kept"]));
    sandbox.done(&protect("two", &["--checkpoint", "copy", "--threads", "1"]));
    sandbox.done(&protect("other", &[]));
    assert_eq!(sandbox.read("one/data.tsv"), sandbox.read("two/data.tsv"));
    // Their reports say how long each took.
    let [one, two] = ["one", "two"].map(|out| {
        let mut certificate = sandbox.json(&format!("{out}/certificate.json"));
        certificate.as_object_mut().unwrap().remove("report_sha256").unwrap();
        certificate
    });
    assert_eq!(one, two);
    assert_eq!(sandbox.json("one/certificate.json")["randomness"], "secure");
    assert_ne!(sandbox.read("one/data.tsv"), sandbox.read("other/data.tsv"));
    assert!(!sandbox.path("kept").exists() && !sandbox.path("copy").exists());
}

#[test]
fn another_run_is_refused() {
    let sandbox = sandbox();
    kill_when(&sandbox, &protect("out", &["--checkpoint", "kept"]), |listing| has(listing, ".throng-", "/"));
    let refused = |args: &[&str], why: &str| {
        let ran = sandbox.run(args);
        assert!(ran.code == 2 && ran.stderr.contains(why) && ran.stderr.contains("hint: "), "{ran:?}");
        assert!(sandbox.path("kept/journal").exists());
    };
    refused(&protect("out", &["--checkpoint", "kept", "--k", "7"]), "is of other flags");
    refused(&protect("out", &["--checkpoint", "kept", "--seed", "7"]), "is of other flags");
    refused(&protect("out", &["--checkpoint", "out/kept"]), "inside each other");
    refused(&protect("kept/out", &["--checkpoint", "kept"]), "inside each other");
    refused(&["protect", "-", "--out", "out", "--checkpoint", "kept"], "needs a file");
    let log = sandbox.read("log.tsv");
    sandbox.write("log.tsv", format!("{log}9\tanother\t2006-03-01 10:00:00\t\t\n"));
    refused(&protect("out", &["--checkpoint", "kept"]), "is of another input");
    sandbox.write("log.tsv", log);
    let mut journal = fs::read(sandbox.path("kept/journal")).unwrap();
    journal[20] ^= 1;
    sandbox.write("kept/journal", journal);
    refused(&protect("out", &["--checkpoint", "kept"]), "is damaged");
    sandbox.write("kept/notes.txt", "mine");
    refused(&protect("out", &["--checkpoint", "kept"]), "holds something else");
}

#[test]
fn a_run_that_did_nothing_leaves_no_checkpoint() {
    let sandbox = Sandbox::with_log();
    let before = sandbox.listing();
    let ran = sandbox.run(&protect("out", &["--checkpoint", "kept", "--k", "5000"]));
    assert_eq!(ran.code, 2, "{ran:?}");
    assert_eq!(sandbox.listing(), before);
}
