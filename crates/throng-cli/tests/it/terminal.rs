//! Nothing that came from data or names acts on the terminal.

use crate::support::{Ran, Sandbox};

/// Clears the screen, sets colours, deletes, turns the writing around, and ends the line for some readers.
const HOSTILE: &str = "a\u{1b}[2J\u{7f}\u{9b}31m\u{202e}b\u{2028}\u{85}";

fn assert_harmless(ran: &Ran) {
    for text in [&ran.stdout, &ran.stderr] {
        let acts = |letter: char| letter.is_control() && letter != '\n' || ('\u{2028}'..='\u{202e}').contains(&letter);
        assert!(!text.contains(acts), "{ran:?}");
    }
}

#[test]
fn names_of_files_columns_and_arguments() {
    let sandbox = Sandbox::new();
    let mut log = format!("user,query,time,{HOSTILE}\n");
    for person in ["ann", "bob", "cid"] {
        log += &format!("{person},x{HOSTILE},1149116452,7\n");
    }
    let name = format!("log{HOSTILE}.csv");
    sandbox.write(&name, &log);
    let gone = format!("gone{HOSTILE}");
    let out = format!("out{HOSTILE}");
    for args in [
        vec!["inspect", &name],
        vec!["inspect", &name, "--json"],
        vec!["inspect", &gone],
        vec!["protect", &name, "--out", &out, "--k", "3"],
        vec!["check", &out],
        vec!["measure", &name, &out, "--show-values"],
        vec!["measure", &name, &out, "--show-values", "--json"],
        vec!["check", &name, "--model", HOSTILE],
        vec!["check", &name, "--model", "user-k-anonymity", "--k", HOSTILE],
        vec!["report", &out],
        vec!["report", &out, "--json"],
        vec![HOSTILE],
        vec!["inspect", &name, &format!("--{HOSTILE}")],
        vec!["inspect", &name, "--column", &format!("user={HOSTILE}")],
        vec!["explain", HOSTILE],
    ] {
        let ran = sandbox.run(&args);
        assert_harmless(&ran);
        assert!(!ran.stdout.is_empty() || !ran.stderr.is_empty(), "{args:?}");
    }
    let found = sandbox.run(&["inspect", &name]);
    // A name that cannot be printed is not shown at all.
    assert!(found.stderr.contains("no role (column 4)"), "{found:?}");
}

/// An escape of JSON reads as what was escaped.
#[test]
fn json_stays_what_it_is() {
    let sandbox = Sandbox::with_log();
    let out = format!("out{HOSTILE}");
    let ran = sandbox.done(&["protect", "log.tsv", "--out", &out, "--k", "3", "--json"]);
    assert_harmless(&ran);
    assert_eq!(ran.json()["release"], out.as_str());
}
