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

/// The files of a release hold what throng wrote into them: a key inside the report undoes the release as one beside it does.
#[test]
fn whatever_else_is_in_the_files_of_a_release_fails_the_check() {
    let sandbox = Sandbox::with_log();
    let method = "user-microaggregation";
    sandbox.done(&["protect", "log.tsv", "--out", "out", "--k", "2", "--method", method, "--key", "key.csv"]);
    let key = sandbox.read("key.csv");
    let changes: [(&str, &dyn Fn(String) -> String); 5] = [
        ("report.html", &|page| page + &key),
        ("report.json", &|text| text.replacen('{', "{\"key\": \"ann is 1\",", 1)),
        ("certificate.json", &|text| text.replacen('{', "{\"key\": \"ann is 1\",", 1)),
        // The second of two equal keys is the one that is read.
        ("certificate.json", &|text| text.replacen('{', "{\"randomness\": \"ann is 1\",", 1)),
        ("certificate.sig", &|_| format!("{key}{key}")),
    ];
    for (name, change) in changes {
        let path = sandbox.path(&format!("out/{name}"));
        let before = fs::read_to_string(&path).unwrap_or_default();
        fs::write(&path, change(before.clone())).unwrap();
        let ran = sandbox.run(&["check", "out"]);
        assert!(ran.code == 1 && ran.stdout.contains(&format!("not compared: {name}")), "{name}: {ran:?}");
        fs::write(&path, before).unwrap();
        sandbox.done(&["check", "out"]);
    }
    // Nor is a page drawn of a report, or of data, that were changed.
    for name in ["report.json", "data.tsv"] {
        let path = sandbox.path(&format!("out/{name}"));
        let before = fs::read_to_string(&path).unwrap();
        fs::write(&path, before.replacen('1', "2", 1)).unwrap();
        let ran = sandbox.run(&["report", "out"]);
        assert!(ran.code == 2 && ran.stderr.contains("hint: "), "{name}: {ran:?}");
        fs::write(&path, before).unwrap();
    }
}

/// What is secret lies in no release, whichever it is.
#[test]
fn secrets_are_not_written_into_another_release() {
    let sandbox = Sandbox::with_log();
    let protect = ["protect", "log.tsv", "--k", "2", "--method", "user-microaggregation", "--out"];
    sandbox.done(&[&protect[..], &["out"]].concat());
    let before = sandbox.listing();
    for secret in [&["--key", "out/key.csv"], &["--checkpoint", "out/kept"]] {
        let ran = sandbox.run(&[&protect[..], &["new"], &secret[..]].concat());
        assert!(ran.code == 2 && ran.stderr.contains("would lie inside the release"), "{ran:?}");
        assert_eq!(sandbox.listing(), before);
    }
    sandbox.done(&[&protect[..], &["new", "--key", "key.csv"]].concat());
    let private = ["report", "new", "--private", "out/mine.html", "--original", "log.tsv", "--key", "key.csv"];
    let ran = sandbox.run(&private);
    assert!(ran.code == 2 && ran.stderr.contains("would lie inside the release"), "{ran:?}");
}
