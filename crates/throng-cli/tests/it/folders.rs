//! What lies in a folder that is read, and in one that is published.

use std::fs;

use crate::support::Sandbox;

/// A folder with texts, and a link to it.
fn texts() -> Sandbox {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.path("docs")).unwrap();
    for at in 0..4 {
        sandbox.write(&format!("docs/{at}.txt"), "the dog and the cat eat bread and cheese");
    }
    sandbox
}

#[test]
fn nothing_is_written_into_the_folder_that_is_read() {
    let sandbox = texts();
    #[cfg(unix)]
    std::os::unix::fs::symlink("docs", sandbox.path("link")).unwrap();
    #[cfg(not(unix))]
    fs::create_dir(sandbox.path("link")).unwrap();
    let before = sandbox.listing();
    let absolute = sandbox.path("docs/rel").display().to_string();
    let compare = ["compare", "docs", "--methods", "document-microaggregation", "--k", "2", "--out", "docs/rel"];
    for (args, what) in [
        (vec!["protect", "docs", "--k", "2", "--out", "docs/rel"], "release folder"),
        (vec!["protect", "docs", "--k", "2", "--out", "docs/gone/../rel"], "release folder"),
        (vec!["protect", "docs", "--k", "2", "--out", "./docs/../docs/rel"], "release folder"),
        (vec!["protect", "docs", "--k", "2", "--out", &absolute], "release folder"),
        (vec!["protect", "link", "--k", "2", "--out", "docs/rel"], "release folder"),
        (vec!["protect", "docs", "--k", "2", "--out", "rel", "--key", "docs/key.csv"], "key file"),
        (vec!["protect", "docs", "--k", "2", "--out", "rel", "--checkpoint", "docs/kept"], "checkpoint"),
        (compare.to_vec(), "comparison"),
    ] {
        if cfg!(not(unix)) && args.contains(&"link") {
            continue;
        }
        let ran = sandbox.run(&args);
        assert!(ran.code == 2 && ran.stderr.contains(&format!("the {what} would lie inside")), "{args:?}: {ran:?}");
        assert!(ran.stderr.contains("hint: "), "{ran:?}");
        assert_eq!(sandbox.listing(), before, "{args:?}");
    }
    // Beside it, and in a folder whose name only begins the same way, all is well.
    sandbox.done(&["protect", "docs", "--k", "2", "--out", "docs-rel", "--key", "docs.key"]);
}

#[test]
fn whatever_else_lies_in_a_release_fails_the_check() {
    let sandbox = Sandbox::with_log();
    let method = "user-microaggregation";
    sandbox.done(&["protect", "log.tsv", "--out", "out", "--k", "2", "--method", method, "--key", "key.csv"]);
    sandbox.done(&["check", "out"]);
    sandbox.done(&["report", "out"]);
    sandbox.write("out/certificate.sig", "signed");
    sandbox.done(&["check", "out"]);
    fs::copy(sandbox.path("key.csv"), sandbox.path("out/key.csv")).unwrap();
    sandbox.write("out/.hid\u{1b}[2Jden", "");
    fs::create_dir(sandbox.path("out/more")).unwrap();
    let ran = sandbox.run(&["check", "out"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let line = ran.stdout.lines().find(|line| line.starts_with("folder")).unwrap_or_else(|| panic!("{ran:?}"));
    assert!(line.contains("FAILS") && line.ends_with(": .hid\\u{1b}[2Jden, key.csv, more"), "{line}");
    let found = sandbox.run(&["check", "out", "--json"]).json();
    assert_eq!((&found["verdict"], &found["witness"]["other_files"]), (&"fails".into(), &3.into()));
    assert_eq!(found["other_files"].as_array().unwrap().len(), 3);
}
