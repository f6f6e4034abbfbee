//! Runs behind the doors: what they make is what the command makes, they can be stopped, and nothing of them stays.

use std::time::{Duration, Instant};

use serde_json::json;

use super::{Served, made_up};
use crate::support::Sandbox;

/// A file of the archive: stored, so its bytes stand there as they are.
fn stored<'a>(archive: &'a [u8], name: &str) -> &'a [u8] {
    let at = archive.windows(name.len()).position(|part| part == name.as_bytes()).expect(name);
    let number = |from: usize| u32::from_le_bytes(archive[from..from + 4].try_into().unwrap()) as usize;
    assert_eq!(&archive[at - 30..at - 26], b"PK\x03\x04");
    let (size, start) = (number(at - 12), at + name.len());
    &archive[start..start + size]
}

#[test]
fn a_release_is_that_of_the_shown_command() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("data")).unwrap();
    let (_, bytes) = made_up(&sandbox, 30);
    let served = Served::start_in(sandbox, &["data"]).enter();
    let file = served.send("searches.tsv", &bytes);
    let state =
        served.run("protect", &file, json!({"k": 3, "seed": 7, "method": "user-microaggregation", "key": true}));
    assert_eq!((&state["state"], &state["exit"]), (&json!("done"), &json!(0)), "{state}");
    let shown = state["shown"].as_str().unwrap();
    assert_eq!(
        shown,
        "throng protect searches.tsv --out searches-release --method user-microaggregation --seed 7 --key searches-key.csv --k 3"
    );
    let args: Vec<&str> = shown.split(' ').skip(1).collect();
    served.sandbox.done(&args);
    let run = state["run"].as_str().unwrap();
    let archive = served.get(&format!("/api/runs/{run}/release.zip"));
    let again = served.get(&format!("/api/runs/{run}/release.zip"));
    assert_eq!(archive.body, again.body);
    for name in ["data.tsv", "certificate.json", "report.html", "report.json"] {
        let own = std::fs::read(served.sandbox.path("searches-release").join(name)).unwrap();
        assert!(stored(&archive.body, &format!("searches-release/{name}")) == own, "{name} differs");
    }
    // What is said of it does not say where it lies.
    assert!(!state.to_string().contains("/.throng-"), "{state}");
    // The key is given away once.
    let key = served.post(&format!("/api/runs/{run}/key"), &json!({}));
    assert_eq!(key.body, std::fs::read(served.sandbox.path("searches-key.csv")).unwrap());
    assert_eq!(served.post(&format!("/api/runs/{run}/key"), &json!({})).status, 404);
    assert!(!served.private().iter().any(|name| name.contains("key")), "{:?}", served.private());
    // The report may be shown in the page, and run nothing but its own.
    let report = served.get(&format!("/api/runs/{run}/report.html"));
    assert!(
        report.head.contains("script-src 'none'") && report.head.contains("sandbox allow-scripts"),
        "{}",
        report.head
    );
    // Saved whole, never over something.
    assert_eq!(served.post(&format!("/api/runs/{run}/save"), &json!({"name": "kept"})).status, 201);
    assert_eq!(served.post(&format!("/api/runs/{run}/save"), &json!({"name": "kept"})).status, 409);
    assert_eq!(served.post(&format!("/api/runs/{run}/save"), &json!({"name": "../kept"})).status, 422);
    assert_eq!(served.sandbox.run(&["check", "data/kept", "--only-checkable"]).code, 0);
    // A run is a file of later runs.
    let checked = served.run("check", run, json!({}));
    assert_eq!(checked["result"]["claims"][0]["verdict"], "holds", "{checked}");
    let measured = served.run("measure", &file, json!({"release": run, "measure": "information-loss-ratio"}));
    assert_eq!(measured["state"], "done", "{measured}");
    let (ran, sandbox) = served.quit();
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(!sandbox.listing().iter().any(|name| name.contains(".throng-")));
}

#[test]
fn what_is_wrong_is_said_as_the_command_says_it() {
    let served = Served::start(&[]).enter();
    let (_, bytes) = made_up(&served.sandbox, 20);
    let file = served.send("s.tsv", &bytes);
    let ask = |command: &str, request: serde_json::Value| {
        served.post("/api/runs", &json!({"command": command, "file": file, "request": request}))
    };
    for (request, message) in [
        (json!({"kk": 3}), "`kk` is no key of `protect`"),
        (json!({"k": "many"}), "`k` is `many`, but must be a whole number"),
        (json!({"method": "kindrd"}), "there is no method called `kindrd`"),
    ] {
        let answer = ask("protect", request);
        assert_eq!((answer.status, answer.json()["error"]["message"].as_str().unwrap()), (422, message));
    }
    for (command, status) in [("synth", 422), ("", 422), ("protect; rm", 422)] {
        assert_eq!(ask(command, json!({})).status, status, "{command}");
    }
    let few = served.run("protect", &file, json!({"k": 500}));
    assert_eq!((&few["state"], &few["exit"]), (&json!("failed"), &json!(2)), "{few}");
    assert_eq!(few["error"]["message"], "there are 20 persons, fewer than k = 500");
    assert_eq!(few["error"]["place"]["file"], "s.tsv");
    assert_eq!(few["result"], json!(null));
    assert_eq!(served.get(&format!("/api/runs/{}/release.zip", few["run"].as_str().unwrap())).status, 409);
    served.quit();
}

/// A run that takes long enough to be met at work.
fn long_run(served: &Served) -> String {
    let (_, bytes) = made_up(&served.sandbox, 600);
    let file = served.send("s.tsv", &bytes);
    let (run, _) = served.begin("protect", &file, json!({"k": 5}));
    served.when(&run, |state| state["state"] == "running" && state["stage"] != "");
    run
}

#[test]
fn a_run_is_stopped_within_a_second() {
    let served = Served::start(&[]).enter();
    let run = long_run(&served);
    // Two run at once, the others wait; one that waits is stopped, too.
    let others: Vec<String> = (0..3).map(|_| served.begin("protect", "f1", json!({"k": 5})).0).collect();
    assert_eq!(served.get(&format!("/api/runs/{}", others[2])).json()["state"], "waiting");
    let start = Instant::now();
    for run in others.iter().rev().chain([&run]) {
        let stopped = served.request("DELETE", &format!("/api/runs/{run}"), b"").json();
        assert_eq!(stopped["state"], "stopped", "{stopped}");
    }
    assert!(start.elapsed() < Duration::from_secs(4), "four of them took {:?}", start.elapsed());
    assert!(!served.private().iter().any(|name| name.contains("/runs/r")), "{:?}", served.private());
    let (ran, _) = served.quit();
    assert_eq!(ran.code, 0, "{ran:?}");
}

#[cfg(unix)]
#[test]
fn a_signal_in_the_middle_of_a_run() {
    for name in ["TERM", "INT"] {
        let served = Served::start(&[]).enter();
        long_run(&served);
        served.signal(name);
        let (ran, sandbox) = served.ended();
        assert_eq!(ran.code, 130, "{ran:?}");
        assert_eq!(
            sandbox.listing().iter().filter(|name| name.starts_with("private/")).count(),
            1,
            "{:?}",
            sandbox.listing()
        );
    }
}

/// After a kill the command ends by itself, and the next server removes what was left, and says so.
#[cfg(unix)]
#[test]
fn a_server_that_was_killed() {
    let served = Served::start(&[]).enter();
    long_run(&served);
    served.signal("KILL");
    let (_, sandbox) = served.ended();
    assert!(sandbox.listing().iter().any(|name| name.starts_with("private/.throng-")));
    std::thread::sleep(Duration::from_secs(2));
    // What is somebody else's stays.
    std::fs::create_dir(sandbox.path("private/.throng-not-ours")).unwrap();
    let served = Served::start_in(sandbox, &[]).enter();
    let (ran, sandbox) = served.quit();
    assert!(ran.stderr.contains("removed the hidden folder of a run that was killed"), "{ran:?}");
    let left: Vec<String> = sandbox.listing().into_iter().filter(|name| name.starts_with("private/.")).collect();
    assert_eq!(left, ["private/.throng-not-ours/"]);
}

#[test]
fn nobody_asks() {
    let served = Served::start(&["--idle", "3s"]).enter();
    let run = long_run(&served);
    let start = Instant::now();
    let (ran, _) = served.ended();
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stderr.contains("nobody asked for anything"), "{ran:?}");
    assert!(start.elapsed() >= Duration::from_secs(2), "{run} was stopped when it was forgotten");
}

#[test]
fn bad_starts() {
    let sandbox = Sandbox::new();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    for (args, word) in [
        (&["serve", "--port", &port][..], "is in use"),
        (&["serve", "nowhere"], "nowhere"),
        (&["serve", "--idle", "soon"], "`idle` is `soon`"),
        (&["serve", "--largest", "much"], "`largest` is `much`"),
    ] {
        let ran = sandbox.run(args);
        assert!(ran.code == 2 && ran.stderr.contains(word) && ran.stdout.is_empty(), "{args:?}: {ran:?}");
    }
    // The program without the other one beside it.
    std::fs::create_dir(sandbox.path("alone")).unwrap();
    let alone = sandbox.path("alone/throng");
    if std::fs::hard_link(env!("CARGO_BIN_EXE_throng"), &alone).is_err() {
        std::fs::copy(env!("CARGO_BIN_EXE_throng"), &alone).unwrap();
    }
    let output = std::process::Command::new(&alone).arg("serve").env("PATH", sandbox.path("alone")).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(2) && said.contains("cargo install"), "{said}");
}

/// The command has no server in it; the server has no method in it.
#[test]
fn each_program_has_its_own() {
    let has = |program: &str, word: &[u8]| {
        let bytes = std::fs::read(program).unwrap();
        bytes.windows(word.len()).any(|part| part == word)
    };
    let (command, server) = (env!("CARGO_BIN_EXE_throng"), env!("CARGO_BIN_EXE_throng-serve"));
    let page: &[u8] = b"frame-ancestors 'self'; form-action 'none'";
    assert!(has(server, page) && !has(command, page));
    let method: &[u8] = b"Groups of k searchers with the same interests";
    let method_lower: &[u8] = b"groups of k searchers with the same interests";
    assert!(has(command, method) || has(command, method_lower));
    assert!(!has(server, method) && !has(server, method_lower));
}
