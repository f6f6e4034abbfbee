//! `throng paths cluster --party`: clusters over several holders.

use std::process::Child;

use crate::support::{Ran, Sandbox};

/// Paths of so many holders, in files of their own and pooled in their order.
fn with_holders(holders: usize) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.done(&["synth", "paths", "--persons", "24", "--days", "3", "--seed", "5", "--out", "all.csv"]);
    let all = sandbox.read("all.csv");
    let (header, rows) = all.split_once('\n').unwrap();
    let user = header.split(',').position(|name| name == "user").unwrap();
    let mut persons: Vec<&str> = Vec::new();
    let mut files = vec![format!("{header}\n"); holders];
    for row in rows.lines() {
        let person = row.split(',').nth(user).unwrap();
        let number = persons.iter().position(|other| *other == person).unwrap_or_else(|| {
            persons.push(person);
            persons.len() - 1
        });
        files[number * holders / 24] += &format!("{row}\n");
    }
    let pooled = files.iter().fold(format!("{header}\n"), |pooled, file| pooled + file.split_once('\n').unwrap().1);
    for (number, file) in files.iter().enumerate() {
        sandbox.write(&format!("{number}.csv"), file);
    }
    sandbox.write("pooled.csv", pooled);
    std::fs::create_dir(sandbox.path("shared")).unwrap();
    sandbox
}

const NAMES: [&str; 4] = ["alice", "bob", "3", "4"];

fn run(sandbox: &Sandbox, holders: usize, more: &[&str]) {
    let count = holders.to_string();
    let start = |role: &str, file: Option<&str>, out: Option<&str>| -> Child {
        let mut args = vec!["paths", "cluster"];
        args.extend(file);
        args.extend([
            "--party",
            "--role",
            role,
            "--holders",
            &count,
            "--exchange",
            "shared",
            "--wait",
            "60",
            "--points",
            "16",
        ]);
        args.extend(more);
        args.extend(out.into_iter().flat_map(|out| ["--out", out]));
        sandbox.command(&args).spawn().unwrap()
    };
    let mut children = vec![start("carol", None, None), start("dealer", None, None)];
    for (number, name) in NAMES.iter().enumerate().take(holders) {
        children.push(start(name, Some(&format!("{number}.csv")), Some(&format!("{name}.out"))));
    }
    for child in children {
        let ran = Ran::from(child.wait_with_output().unwrap());
        assert_eq!(ran.code, 0, "{ran:?}");
    }
    let left: Vec<String> = sandbox.listing().into_iter().filter(|name| name.starts_with("shared/")).collect();
    assert_eq!(left, ["shared/"], "messages are left");
}

/// The labels of the holders, one behind the other.
fn labels(sandbox: &Sandbox, holders: usize) -> String {
    let mut text = String::new();
    for name in &NAMES[..holders] {
        let own = sandbox.read(&format!("{name}.out"));
        let (header, rows) = own.split_once('\n').unwrap();
        if text.is_empty() {
            text = format!("{header}\n");
        }
        text += rows;
    }
    text
}

#[test]
fn labels_are_those_of_the_pooled_file() {
    for (holders, more) in [
        (2, &["--clusters", "4"][..]),
        (3, &["--clusters", "5"]),
        (2, &["--clusters", "3", "--origin", "47,8", "--interval", "2024-03-04T06:00:00Z..2024-03-05T10:00:00Z"]),
    ] {
        let sandbox = with_holders(holders);
        if more.len() > 2 {
            // Agreed before: the origin is that of the made-up places.
            let row = sandbox.read("pooled.csv").lines().nth(1).unwrap().to_owned();
            let header = sandbox.read("pooled.csv").lines().next().unwrap().to_owned();
            let cell = |name: &str| {
                row.split(',').nth(header.split(',').position(|own| own == name).unwrap()).unwrap().to_owned()
            };
            let origin = format!(
                "{},{}",
                cell("lat").parse::<f64>().unwrap().round(),
                cell("lon").parse::<f64>().unwrap().round()
            );
            let day = &cell("time")[..10];
            let interval = format!("{day}T06:00:00Z..{day}T20:00:00Z");
            let more = ["--clusters", "3", "--origin", &origin, "--interval", &interval];
            run(&sandbox, holders, &more);
            sandbox.done(
                &[&["paths", "cluster", "pooled.csv", "--points", "16", "--out", "labels.csv"][..], &more].concat(),
            );
        } else {
            run(&sandbox, holders, more);
            sandbox.done(
                &[&["paths", "cluster", "pooled.csv", "--points", "16", "--out", "labels.csv"][..], more].concat(),
            );
        }
        assert_eq!(labels(&sandbox, holders), sandbox.read("labels.csv"), "{holders}");
    }
}

/// By files, every step; and messages that do not belong there.
#[test]
fn every_step_by_files() {
    let sandbox = with_holders(2);
    let step = |role: &str, rest: &[&str]| -> Ran {
        let mut args = vec!["paths", "cluster"];
        match role {
            "alice" => args.push("0.csv"),
            "bob" => args.push("1.csv"),
            _ => {}
        }
        let state = format!("{role}.state");
        args.extend(["--party", "--role", role, "--points", "8", "--clusters", "3", "--state", &state]);
        args.extend(rest);
        sandbox.run(&args)
    };
    let done = |role: &str, rest: &[&str]| {
        let ran = step(role, rest);
        assert_eq!(ran.code, 0, "{role} {rest:?}: {ran:?}");
    };
    done("alice", &["--send", "1.msg"]);
    done("bob", &["--receive", "1.msg", "--send", "2.msg"]);
    done("alice", &["--receive", "2.msg", "--send", "3b.msg", "--send", "3d.msg", "--send", "3c.msg"]);
    done("dealer", &["--receive", "3d.msg", "--send", "4a.msg", "--send", "4b.msg"]);
    // Bob's of alice's, another step's, another session's, a damaged one: nothing changes.
    let before = (sandbox.read("alice.state"), sandbox.listing());
    let damaged = sandbox.read("4a.msg").replacen("\nA", "\nB", 1).replacen("\nb", "\nc", 1) + "x";
    sandbox.write("damaged.msg", &damaged);
    for bad in ["4b.msg", "3d.msg", "1.msg", "damaged.msg"] {
        let ran = step("alice", &["--receive", bad, "--send", "5.msg"]);
        assert_eq!(ran.code, 2, "{bad}: {ran:?}");
        assert_eq!(sandbox.read("alice.state"), before.0, "{bad}");
    }
    done("alice", &["--receive", "4a.msg", "--send", "5.msg"]);
    done(
        "bob",
        &["--receive", "3b.msg", "--receive", "4b.msg", "--receive", "5.msg", "--send", "6.msg", "--send", "7b.msg"],
    );
    done("alice", &["--receive", "6.msg", "--send", "7a.msg"]);
    let ran = sandbox.run(&[
        "paths",
        "cluster",
        "--party",
        "--role",
        "carol",
        "--points",
        "9",
        "--clusters",
        "3",
        "--receive",
        "3c.msg",
    ]);
    assert!(ran.code == 2 && ran.stderr.contains("other parameters"), "{ran:?}");
    done(
        "carol",
        &["--receive", "3c.msg", "--receive", "7a.msg", "--receive", "7b.msg", "--send", "8a.msg", "--send", "8b.msg"],
    );
    done("alice", &["--receive", "8a.msg", "--out", "alice.out"]);
    done("bob", &["--receive", "8b.msg", "--out", "bob.out"]);
    sandbox.done(&["paths", "cluster", "pooled.csv", "--points", "8", "--clusters", "3", "--out", "labels.csv"]);
    assert_eq!(labels(&sandbox, 2), sandbox.read("labels.csv"));
    assert!(!sandbox.listing().iter().any(|name| name.ends_with(".state")), "{:?}", sandbox.listing());
}

#[test]
fn what_cannot_be_clustered_together_is_refused() {
    let sandbox = with_holders(2);
    let party = ["paths", "cluster", "--party", "--role"];
    for (rest, says) in [
        (&["alice"][..], "whose paths?"),
        (&["dealer", "0.csv"], "neither the dealer nor carol has paths"),
        (&["eve"], "no role called `eve`"),
        (&["alice", "0.csv", "--radius", "100"], "radius"),
        (&["alice", "0.csv", "--distance", "route"], "distance"),
        (&["alice", "0.csv", "--holders", "1"], "holders"),
        (&["alice", "0.csv", "--origin", "0,0", "--send", "x.msg", "--state", "x.state", "--points", "0"], "points"),
    ] {
        let ran = sandbox.run(&[&party[..], rest].concat());
        assert!(ran.code == 2 && ran.stderr.contains(says), "{rest:?}: {ran:?}");
    }
}
