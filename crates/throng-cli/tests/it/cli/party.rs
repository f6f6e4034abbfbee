//! `throng link party`: protocols between parties, by files and through a shared folder.

use std::collections::BTreeSet;
use std::process::Child;

use serde_json::{Value, json};
use throng_core::Rng;
use throng_core::party::intersection::{Asked, Tag, evaluated, tags};
use throng_core::party::oprf::{Element, Scale};

use crate::support::{Ran, Sandbox};

const ALICE: &str = "id,name,born\na1, SECRETanna ,2001-02-03\na2,SECRETBob,1999-01-01\na3,SECRETbob,1999-01-01\na4,,1980-05-05\na5,SECRETeve,1970-07-07\n";
const BOB: &str =
    "name,born,key\nsecretANNA,2001-02-03,b9\nSECRETzoe,1960-06-06,b8\nSECRETbob,1999-01-01,b7\n,1999-01-01,b6\n";

fn with_records() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("a.csv", ALICE);
    sandbox.write("b.csv", BOB);
    sandbox
}

/// A step of alice with her file, or of bob with his.
fn step<'a>(protocol: &'a str, role: &'a str, rest: &[&'a str]) -> Vec<&'a str> {
    let mut args = vec!["link", "party", "--protocol", protocol, "--role", role];
    match role {
        "alice" => args.extend(["a.csv", "--on", "name,born"]),
        "bob" => args.extend(["b.csv", "--on", "name,born", "--id", "key"]),
        _ => {}
    }
    args.extend(rest);
    args
}

fn psi_until_two(sandbox: &Sandbox, more: &[&str]) {
    let all = |rest: &[&'static str]| {
        rest.iter().copied().chain(more.iter().copied()).map(str::to_owned).collect::<Vec<String>>()
    };
    let run = |role: &str, rest: Vec<String>| {
        let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
        sandbox.done(&step("psi", role, &rest))
    };
    run("alice", all(&["--send", "1.msg", "--state", "alice.state"]));
    run("bob", all(&["--receive", "1.msg", "--send", "2.msg", "--state", "bob.state"]));
}

/// No value of a record is in a file that travels or stays between steps.
fn assert_no_values(sandbox: &Sandbox, names: &[&str]) {
    for name in names {
        let text = sandbox.read(name).to_lowercase();
        assert!(!text.contains("secret") && !text.contains("1999-01-01"), "{name}");
    }
}

#[test]
fn alice_learns_which_records_bob_has() {
    let sandbox = with_records();
    sandbox.done(&step("psi", "alice", &["--send", "1.msg", "--state", "alice.state"]));
    let first: Value = serde_json::from_str(sandbox.read("1.msg").lines().next().unwrap()).unwrap();
    assert_eq!(first["counts"], json!({"blinded": 3}));
    assert_eq!(
        (&first["reply_to"], &first["step"], &first["suite"]),
        (&Value::Null, &json!(1), &json!("ristretto255-SHA512"))
    );
    assert_eq!(sandbox.read("1.msg").lines().count(), 4);
    let bob = sandbox.done(&step("psi", "bob", &["--receive", "1.msg", "--send", "2.msg", "--json"])).json();
    assert_eq!((&bob["done"], &bob["left_out"], &bob["inputs"]), (&json!(true), &json!(1), &json!(3)));
    assert_no_values(&sandbox, &["1.msg", "2.msg", "alice.state"]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(sandbox.path("alice.state").metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
    let end = step("psi", "alice", &["--receive", "2.msg", "--state", "alice.state", "--out", "both.csv", "--json"]);
    let found = sandbox.done(&end).json();
    assert_eq!((&found["found"], &found["left_out"], &found["records"]), (&json!(3), &json!(1), &json!(5)));
    assert_eq!(sandbox.read("both.csv"), "id\na1\na2\na3\n");
    assert!(!sandbox.listing().contains(&"alice.state".to_owned()));
    sandbox.snapshot(
        "party-replayed",
        &step("psi", "alice", &["--receive", "2.msg", "--state", "alice.state", "--out", "again.csv"]),
    );
}

#[test]
fn both_learn_it_and_sizes_can_be_rounded() {
    for more in [&["--share-result"][..], &["--share-result", "--pad"]] {
        let sandbox = with_records();
        psi_until_two(&sandbox, more);
        let counts = |name: &str| {
            serde_json::from_str::<Value>(sandbox.read(name).lines().next().unwrap()).unwrap()["counts"].clone()
        };
        let size = if more.len() == 2 { 4 } else { 3 };
        assert_eq!(counts("2.msg"), json!({"evaluated": size, "tags": size}));
        let last =
            [&["--receive", "2.msg", "--state", "alice.state", "--send", "3.msg", "--out", "alice.csv"][..], more]
                .concat();
        sandbox.done(&step("psi", "alice", &last));
        assert_eq!(counts("3.msg"), json!({"tags": 2}));
        let last = [&["--receive", "3.msg", "--state", "bob.state", "--out", "bob.csv"][..], more].concat();
        sandbox.done(&step("psi", "bob", &last));
        assert_eq!(sandbox.read("alice.csv"), "id\na1\na2\na3\n");
        assert_eq!(sandbox.read("bob.csv"), "id\nb9\nb7\n");
        assert!(!sandbox.listing().iter().any(|name| name.ends_with(".state")));
    }
}

#[test]
fn alice_learns_how_many() {
    let sandbox = with_records();
    sandbox.done(&step("psi-count", "alice", &["--send", "1.msg", "--state", "alice.state"]));
    sandbox.done(&step("psi-count", "bob", &["--receive", "1.msg", "--send", "2.msg"]));
    let end =
        step("psi-count", "alice", &["--receive", "2.msg", "--state", "alice.state", "--out", "count.json", "--json"]);
    assert_eq!(sandbox.done(&end).json()["count"], 2);
    assert_eq!(sandbox.read("count.json"), "{\"count\":2}\n");
}

/// The SHA-256 of some bytes, in hex.
fn sha256(bytes: &[u8]) -> String {
    use sha2::Digest as _;
    sha2::Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let number = (0..3).fold(0u32, |number, at| number << 8 | u32::from(three.get(at).copied().unwrap_or(0)));
        for letter in 0..4 {
            let shown = LETTERS[(number >> (18 - 6 * letter) & 63) as usize];
            text.push(if letter <= three.len() { shown as char } else { '=' });
        }
    }
    text
}

fn unbase64(text: &str) -> Vec<u8> {
    const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bits: Vec<u32> =
        text.trim_end_matches('=').chars().map(|letter| LETTERS.find(letter).unwrap() as u32).collect();
    let bytes = bits.chunks(4).flat_map(|four| {
        let number = (0..4).fold(0u32, |number, at| number << 6 | four.get(at).copied().unwrap_or(0));
        [(number >> 16) as u8, (number >> 8) as u8, number as u8].into_iter().take(four.len() - 1)
    });
    bytes.collect()
}

/// A message as somebody else's program writes it.
fn message(header: &Value, lines: &[Vec<u8>]) -> String {
    let body: String = lines.iter().map(|line| base64(line) + "\n").collect();
    let mut header = header.clone();
    header["throng"] = json!("message");
    header["version"] = json!(1);
    header["suite"] = json!("ristretto255-SHA512");
    header["body_sha256"] = json!(sha256(body.as_bytes()));
    format!("{header}\n{body}")
}

fn lines<const N: usize>(text: &str) -> Vec<[u8; N]> {
    text.lines().skip(1).map(|line| unbase64(line).try_into().unwrap()).collect()
}

/// Bob, by somebody else who has read the documentation.
fn strange_bob(question: &str, inputs: &[&str]) -> String {
    let mut rng = Rng::seeded(1);
    let key = Scale::draw(&mut rng);
    let first: Value = serde_json::from_str(question.lines().next().unwrap()).unwrap();
    let answer: Vec<Element> = evaluated(&lines::<32>(question), &key).unwrap();
    let inputs: Vec<String> = inputs.iter().map(|&input| input.to_owned()).collect();
    let tags: BTreeSet<Tag> = tags(&inputs, &key).into_iter().collect();
    let header = json!({
        "protocol": "psi", "step": 2, "from": "bob", "session": first["session"], "reply_to": sha256(question.as_bytes()),
        "counts": {"evaluated": answer.len(), "tags": tags.len()}, "their_version": "0.1"
    });
    let body: Vec<Vec<u8>> =
        answer.iter().map(|line| line.to_vec()).chain(tags.iter().map(|line| line.to_vec())).collect();
    message(&header, &body)
}

#[test]
fn somebody_elses_program_can_be_either_side() {
    let sandbox = with_records();
    sandbox.done(&step("psi", "alice", &["--send", "1.msg", "--state", "alice.state"]));
    sandbox.write("2.msg", strange_bob(&sandbox.read("1.msg"), &["secretbob\u{1f}1999-01-01", "nobody\u{1f}x"]));
    sandbox.done(&step("psi", "alice", &["--receive", "2.msg", "--state", "alice.state", "--out", "both.csv"]));
    assert_eq!(sandbox.read("both.csv"), "id\na2\na3\n");

    // And alice.
    let inputs: Vec<String> = ["secretzoe\u{1f}1960-06-06", "nobody\u{1f}x"].map(str::to_owned).into();
    let asked = Asked::draw(2, false, &mut Rng::seeded(2));
    let header = json!({
        "protocol": "psi", "step": 1, "from": "alice", "session": "00112233445566778899aabbccddeeff", "reply_to": null,
        "counts": {"blinded": 2}
    });
    let question = message(&header, &asked.blinded(&inputs).iter().map(|line| line.to_vec()).collect::<Vec<_>>());
    sandbox.write("q.msg", &question);
    sandbox.done(&step(
        "psi",
        "bob",
        &["--receive", "q.msg", "--send", "r.msg", "--state", "bob.state", "--share-result"],
    ));
    let answer = sandbox.read("r.msg");
    let first: Value = serde_json::from_str(answer.lines().next().unwrap()).unwrap();
    assert_eq!(first["reply_to"], json!(sha256(question.as_bytes())));
    let elements: Vec<Element> =
        answer.lines().skip(1).take(2).map(|line| unbase64(line).try_into().unwrap()).collect();
    let his: Vec<Tag> = answer.lines().skip(3).map(|line| unbase64(line).try_into().unwrap()).collect();
    assert!(his.is_sorted());
    let own = asked.tags(&inputs, &elements).unwrap();
    assert_eq!(own.iter().map(|tag| his.contains(tag)).collect::<Vec<_>>(), [true, false]);
    let header = json!({
        "protocol": "psi", "step": 3, "from": "alice", "session": first["session"], "reply_to": sha256(answer.as_bytes()),
        "counts": {"tags": 1}
    });
    sandbox.write("s.msg", message(&header, &[own[0].to_vec()]));
    sandbox.done(&step(
        "psi",
        "bob",
        &["--receive", "s.msg", "--state", "bob.state", "--share-result", "--out", "bob.csv"],
    ));
    assert_eq!(sandbox.read("bob.csv"), "id\nb8\n");
}

/// Each bad message: one error, exit 2, the state as it was, nothing made; and then the right one is read.
#[test]
fn bad_messages_change_nothing() {
    let sandbox = with_records();
    psi_until_two(&sandbox, &["--share-result"]);
    sandbox.done(&step("psi", "alice", &["--send", "other.msg", "--state", "other.state", "--share-result"]));
    sandbox.done(&step("psi", "bob", &["--receive", "other.msg", "--send", "other2.msg"]));
    sandbox.done(&step("psi-count", "alice", &["--send", "count.msg", "--state", "count.state"]));
    sandbox.done(&step("psi-count", "bob", &["--receive", "count.msg", "--send", "count2.msg"]));
    let good = sandbox.read("2.msg");
    let (first, body) = good.split_once('\n').unwrap();
    let header: Value = serde_json::from_str(first).unwrap();
    let body: Vec<Vec<u8>> = body.lines().map(unbase64).collect();
    let with = |key: &str, value: Value| {
        let mut header = header.clone();
        header[key] = value;
        message(&header, &body)
    };
    let with_line = |at: usize, line: Vec<u8>| {
        let mut body = body.clone();
        body[at] = line;
        message(&header, &body)
    };
    let mut not_canonical = vec![0xff; 32];
    not_canonical[31] = 0x7f;
    let swapped = {
        let mut body = body.clone();
        body.swap(3, 4);
        message(&header, &body)
    };
    let bad: Vec<(&str, String)> = vec![
        ("cut", good[..good.len() - 9].to_owned()),
        ("no-line", good[..40].to_owned()),
        ("bit", good.replacen('A', "B", 1)),
        ("crlf", good.replace('\n', "\r\n")),
        ("empty", String::new()),
        ("version", good.replacen("\"version\":1", "\"version\":2", 1)),
        ("protocol", with("protocol", json!("edit"))),
        ("step", with("step", json!(3))),
        ("role", with("from", json!("alice"))),
        ("session", with("session", json!("00112233445566778899aabbccddeeff"))),
        ("session-form", with("session", json!("00112233445566778899AABBCCDDEEFF"))),
        ("reply", with("reply_to", json!(sha256(b"another")))),
        ("no-reply", with("reply_to", Value::Null)),
        ("fewer", with("counts", json!({"evaluated": 2, "tags": 3}))),
        ("more", with("counts", json!({"evaluated": 3, "tags": 4}))),
        ("shifted", with("counts", json!({"evaluated": 4, "tags": 2}))),
        ("no-count", with("counts", json!({"evaluated": 3}))),
        ("huge", with("counts", json!({"evaluated": 3, "tags": u64::MAX}))),
        ("identity", with_line(1, vec![0; 32])),
        ("canonical", with_line(1, not_canonical)),
        ("short", with_line(1, vec![1; 31])),
        ("long", with_line(1, vec![1; 33])),
        ("tag", with_line(4, vec![1; 15])),
        ("unsorted", swapped),
        ("twice", with_line(4, body[3].clone())),
        ("other-session", sandbox.read("other2.msg")),
        ("count-protocol", sandbox.read("count2.msg")),
        ("own", sandbox.read("1.msg")),
    ];
    let (state, before) = (sandbox.read("alice.state"), sandbox.listing());
    let args =
        ["--receive", "bad.msg", "--state", "alice.state", "--share-result", "--send", "3.msg", "--out", "both.csv"];
    for (name, text) in bad {
        sandbox.write("bad.msg", text);
        let ran = sandbox.run(&step("psi", "alice", &args));
        assert_eq!(ran.code, 2, "{name}: {ran:?}");
        assert!(ran.stderr.starts_with("error: ") && ran.stderr.contains("bad.msg"), "{name}: {ran:?}");
        std::fs::remove_file(sandbox.path("bad.msg")).unwrap();
        assert_eq!((sandbox.read("alice.state"), sandbox.listing()), (state.clone(), before.clone()), "{name}");
    }
    sandbox.write("bad.msg", with_line(1, vec![0; 32]));
    sandbox.snapshot("party-identity", &step("psi", "alice", &args));
    // Other parameters, another file, nothing to read, no place for what is found.
    sandbox.snapshot(
        "party-parameters",
        &step("psi", "alice", &["--receive", "2.msg", "--state", "alice.state", "--out", "both.csv"]),
    );
    sandbox.write("a.csv", ALICE.replace("eve", "ivy"));
    sandbox.snapshot("party-file-changed", &step("psi", "alice", &args));
    sandbox.write("a.csv", ALICE);
    sandbox.snapshot("party-nothing-received", &step("psi", "alice", &["--state", "alice.state", "--share-result"]));
    sandbox.snapshot(
        "party-no-out",
        &step("psi", "alice", &["--receive", "2.msg", "--state", "alice.state", "--share-result", "--send", "3.msg"]),
    );
    assert_eq!(sandbox.read("alice.state"), state);
    sandbox.done(&step(
        "psi",
        "alice",
        &["--receive", "2.msg", "--state", "alice.state", "--share-result", "--send", "3.msg", "--out", "both.csv"],
    ));
    // Bob is not given tags that he never sent.
    let third = sandbox.read("3.msg");
    let header: Value = serde_json::from_str(third.lines().next().unwrap()).unwrap();
    let body: Vec<Vec<u8>> = third.lines().skip(1).map(|_| vec![7; 16]).take(1).collect();
    let mut one = header.clone();
    one["counts"] = json!({"tags": 1});
    sandbox.write("bad3.msg", message(&one, &body));
    let state = sandbox.read("bob.state");
    let ran = sandbox.run(&step(
        "psi",
        "bob",
        &["--receive", "bad3.msg", "--state", "bob.state", "--share-result", "--out", "bob.csv"],
    ));
    assert_eq!((ran.code, sandbox.read("bob.state")), (2, state), "{ran:?}");
    sandbox.done(&step(
        "psi",
        "bob",
        &["--receive", "3.msg", "--state", "bob.state", "--share-result", "--out", "bob.csv"],
    ));
}

#[test]
fn what_cannot_begin_is_refused() {
    let sandbox = with_records();
    sandbox.snapshot("party-unknown", &["link", "party", "--protocol", "psy", "--role", "alice"]);
    sandbox.snapshot("party-role", &step("psi", "carol", &["a.csv", "--on", "name"]));
    sandbox.snapshot("party-no-state", &step("psi", "alice", &["--send", "1.msg"]));
    sandbox.snapshot("party-no-send", &step("psi", "alice", &["--state", "alice.state"]));
    sandbox.snapshot("party-bob-first", &step("psi", "bob", &["--send", "1.msg", "--state", "bob.state"]));
    sandbox.snapshot("party-dealer-with-file", &step("edit", "dealer", &["a.csv", "--on", "name", "--pad"]));
}

/// All parties at once, through a shared folder.
fn exchanged(sandbox: &Sandbox, protocol: &str, roles: &[&str], more: &[&str]) -> Vec<Ran> {
    std::fs::create_dir_all(sandbox.path("shared")).unwrap();
    let start = |role: &&str| -> Child {
        let out = format!("{role}.out");
        let mut args = step(protocol, role, &["--exchange", "shared", "--wait", "60", "--json"]);
        args.extend(more);
        if *role != "dealer" && !(protocol.starts_with("psi") && *role == "bob") {
            args.extend(["--out", out.as_str()]);
        }
        sandbox.command(&args).spawn().unwrap()
    };
    let children: Vec<Child> = roles.iter().map(start).collect();
    let ran: Vec<Ran> = children.into_iter().map(|child| Ran::from(child.wait_with_output().unwrap())).collect();
    for (role, ran) in roles.iter().zip(&ran) {
        assert_eq!(ran.code, 0, "{protocol} {role}: {ran:?}");
    }
    assert!(
        !sandbox.listing().iter().any(|name| name.starts_with("shared/") && name != "shared/"),
        "messages are left: {:?}",
        sandbox.listing()
    );
    ran
}

#[test]
fn a_shared_folder_does_the_same() {
    let sandbox = with_records();
    exchanged(&sandbox, "psi", &["bob", "alice"], &[]);
    assert_eq!(sandbox.read("alice.out"), "id\na1\na2\na3\n");
    let ran = exchanged(&with_records(), "psi-count", &["alice", "bob"], &[]);
    assert_eq!(ran[0].json()["count"], 2);
}

/// The rows of a CSV file of a result, with the ids that bob's rows stand for.
fn joined(sandbox: &Sandbox) -> Vec<(String, String, String)> {
    let rows: Vec<String> =
        sandbox.read("bob.out").lines().skip(1).map(|line| line.split_once(',').unwrap().1.to_owned()).collect();
    let mut found: Vec<(String, String, String)> = sandbox
        .read("alice.out")
        .lines()
        .skip(1)
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            let row: usize = cells[1].parse().unwrap();
            (cells[0].to_owned(), rows[row - 1].clone(), cells.get(2).copied().unwrap_or_default().to_owned())
        })
        .collect();
    found.sort();
    found
}

/// The plain edit distance of two inputs.
fn plain(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, letter) in one.chars().enumerate() {
        let mut before = std::mem::replace(&mut row[0], i + 1);
        for j in 0..other.len() {
            let next = (before + usize::from(letter != other[j])).min(row[j] + 1).min(row[j + 1] + 1);
            before = std::mem::replace(&mut row[j + 1], next);
        }
    }
    row[other.len()]
}

#[test]
fn edit_distances_are_the_plain_ones() {
    let sandbox = with_records();
    exchanged(&sandbox, "edit", &["dealer", "bob", "alice"], &[]);
    let own = [
        ("a1", "secretanna\u{1f}2001-02-03"),
        ("a2", "secretbob\u{1f}1999-01-01"),
        ("a3", "secretbob\u{1f}1999-01-01"),
        ("a5", "secreteve\u{1f}1970-07-07"),
    ];
    let his = [
        ("b7", "secretbob\u{1f}1999-01-01"),
        ("b8", "secretzoe\u{1f}1960-06-06"),
        ("b9", "secretanna\u{1f}2001-02-03"),
    ];
    let expected: Vec<(String, String, String)> = own
        .iter()
        .flat_map(|(a, one)| {
            his.iter().map(move |(b, other)| ((*a).to_owned(), (*b).to_owned(), plain(one, other).to_string()))
        })
        .collect();
    assert_eq!(joined(&sandbox), expected);

    let sandbox = with_records();
    exchanged(&sandbox, "edit", &["dealer", "bob", "alice"], &["--at-most", "7"]);
    let near: Vec<(String, String)> = joined(&sandbox).into_iter().map(|(a, b, _)| (a, b)).collect();
    let expected: Vec<(String, String)> = expected
        .into_iter()
        .filter(|(_, _, distance)| distance.parse::<u32>().unwrap() <= 7)
        .map(|(a, b, _)| (a, b))
        .collect();
    assert_eq!(near, expected);
}

#[test]
fn similarities_by_shares_and_by_samples() {
    let sandbox = with_records();
    exchanged(&sandbox, "scalar", &["alice", "dealer", "bob"], &[]);
    let exact = joined(&sandbox);
    assert_eq!(exact.len(), 12);
    for (a, b, similarity) in &exact {
        let similarity: f64 = similarity.parse().unwrap();
        let is_same = [("a1", "b9"), ("a2", "b7"), ("a3", "b7")].contains(&(a.as_str(), b.as_str()));
        assert!(is_same == (similarity > 0.99), "{a} {b} {similarity}");
    }
    let sandbox = with_records();
    exchanged(&sandbox, "scalar", &["alice", "bob"], &["--samples", "60"]);
    for ((a, b, exact), (_, _, sampled)) in exact.iter().zip(joined(&sandbox)) {
        let (exact, sampled): (f64, f64) = (exact.parse().unwrap(), sampled.parse().unwrap());
        // About 17 weights of about 0.24: a count is binomial, with a deviation of about 0.55 at 60 samples.
        assert!((exact - sampled).abs() < 3.0, "{a} {b} {exact} {sampled}");
    }
}

/// Every step by files, with a dealer: scalar in full.
#[test]
fn a_dealer_by_files() {
    let sandbox = with_records();
    sandbox.done(&step("scalar", "alice", &["--send", "1.msg", "--state", "alice.state"]));
    sandbox.done(&step("scalar", "bob", &["--receive", "1.msg", "--send", "2.msg", "--state", "bob.state"]));
    sandbox.snapshot("party-dealer-sends-two", &step("scalar", "dealer", &["--receive", "2.msg", "--send", "3a.msg"]));
    sandbox.done(&step("scalar", "dealer", &["--receive", "2.msg", "--send", "3a.msg", "--send", "3b.msg"]));
    // Alice is given bob's.
    let ran =
        sandbox.run(&step("scalar", "alice", &["--receive", "3b.msg", "--send", "4.msg", "--state", "alice.state"]));
    assert!(ran.code == 2 && ran.stderr.contains("reader"), "{ran:?}");
    sandbox.done(&step("scalar", "alice", &["--receive", "3a.msg", "--send", "4.msg", "--state", "alice.state"]));
    let last =
        ["--receive", "3b.msg", "--receive", "4.msg", "--send", "5.msg", "--state", "bob.state", "--out", "bob.out"];
    sandbox.done(&step("scalar", "bob", &last));
    sandbox.done(&step("scalar", "alice", &["--receive", "5.msg", "--state", "alice.state", "--out", "alice.out"]));
    assert_eq!(joined(&sandbox).len(), 12);
    assert_no_values(&sandbox, &["1.msg", "2.msg", "3a.msg", "3b.msg", "4.msg", "5.msg"]);
    // Other parameters than the peer's.
    sandbox.done(&step("scalar", "alice", &["--send", "x.msg", "--state", "x.state", "--q", "3"]));
    let ran = sandbox.run(&step("scalar", "bob", &["--receive", "x.msg", "--send", "y.msg", "--state", "y.state"]));
    assert!(ran.code == 2 && ran.stderr.contains("other parameters"), "{ran:?}");
}

/// A peer that is dead is waited for, and not for ever.
#[test]
fn a_peer_that_says_nothing() {
    let sandbox = with_records();
    std::fs::create_dir(sandbox.path("shared")).unwrap();
    let ran = sandbox.run(&step("psi", "alice", &["--exchange", "shared", "--wait", "1", "--out", "x.csv"]));
    assert!(ran.code == 2 && ran.stderr.contains("no message of bob came in 1 seconds"), "{ran:?}");
    assert!(!sandbox.listing().contains(&"x.csv".to_owned()));
    // What it left is named.
    let ran = sandbox.run(&step("psi", "alice", &["--exchange", "shared", "--wait", "1", "--out", "x.csv"]));
    assert!(ran.code == 2 && ran.stderr.contains("earlier session"), "{ran:?}");
}
