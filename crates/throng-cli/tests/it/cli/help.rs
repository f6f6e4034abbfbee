//! What the command says of itself: help, the manual page, the catalogue.

use throng::catalog;

use crate::support::Sandbox;

#[test]
fn help() {
    let sandbox = Sandbox::new();
    sandbox.snapshot("help", &["--help"]);
    sandbox.snapshot("help-short", &["-h"]);
    sandbox.snapshot("version", &["--version"]);
    for command in [
        "demo",
        "inspect",
        "protect",
        "audit",
        "check",
        "measure",
        "attack",
        "compare",
        "report",
        "list",
        "explain",
        "synth",
        "serve",
        "completions",
        "man",
    ] {
        sandbox.snapshot(&format!("help-{command}"), &[command, "--help"]);
    }
    sandbox.snapshot("help-shares", &["shares", "--help"]);
    sandbox.snapshot("help-shares-open", &["shares", "open", "--help"]);
    sandbox.snapshot("help-taxonomy", &["taxonomy", "--help"]);
    for command in ["import", "show", "path", "generate"] {
        sandbox.snapshot(&format!("help-taxonomy-{command}"), &["taxonomy", command, "--help"]);
    }
    // Help of the command that shows help is what it shows.
    for (asked, same) in [
        (&["help", "--help"][..], &["help"][..]),
        (&["help", "-h"], &["help"]),
        (&["help", "protect", "--help"], &["help", "protect"]),
        (&["--quiet", "help", "check", "--help"], &["help", "check"]),
    ] {
        assert_eq!(sandbox.done(asked).stdout, sandbox.done(same).stdout, "{asked:?}");
    }
    let none = sandbox.run(&[]);
    assert_eq!((none.code, none.stdout.as_str()), (2, ""));
}

#[test]
fn completions_and_the_manual_page() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = sandbox.done(&["completions", shell]).stdout;
        for word in ["protect", "--time-resolution", "--bad-lines"] {
            assert!(script.contains(word.trim_start_matches('-')), "{shell} does not complete {word}");
        }
    }
    let page = sandbox.done(&["man"]).stdout;
    assert!(page.contains(".TH") && page.contains("protect") && page.contains("keep\\-ids"));
    sandbox.snapshot("completions-unknown", &["completions", "tcsh"]);
}

#[test]
fn list_and_explain() {
    let sandbox = Sandbox::new();
    sandbox.snapshot("list", &["list"]);
    sandbox.snapshot("list-json", &["list", "--json"]);
    sandbox.snapshot("list-measures", &["list", "measures"]);
    for item in catalog::items() {
        let name = item.info().name;
        sandbox.snapshot(&format!("explain-{name}"), &["explain", name]);
        let card = sandbox.done(&["explain", name, "--json"]).json();
        let cards = card.as_array().cloned().unwrap_or_else(|| vec![card]);
        assert!(cards.iter().all(|card| card["name"] == name) && cards.iter().any(|card| card["role"] == item.role()));
    }
    sandbox.snapshot("explain-unknown", &["explain", "user-distanse"]);
    sandbox.snapshot("list-unknown", &["list", "method"]);
}
