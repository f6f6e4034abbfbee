//! Access logs as a new user met them: what went wrong, and does no longer.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::support::Sandbox;

const FIREFOX: &str = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:127.0) Gecko/20100101 Firefox/127.0";

/// A line of a combined log.
fn line(address: &str, user: &str, second: usize, path: &str) -> String {
    format!(
        "{address} - {user} [01/May/2024:10:00:{second:02} +0000] \"GET {path} HTTP/1.1\" 200 512 \"-\" \"{FIREFOX}\"\n"
    )
}

/// A log of ten visitors, each of whom asks for some paths.
fn log(addresses: &[String], paths: &[&str]) -> String {
    let of =
        |(at, address): (usize, &String)| paths.iter().map(|path| line(address, "-", at, path)).collect::<String>();
    addresses.iter().enumerate().map(of).collect()
}

fn neighbours(count: usize) -> Vec<String> {
    (0..count).map(|at| format!("203.0.113.{at}")).collect()
}

/// What finders take out of a path leaves a pattern; every line stays a line.
#[test]
fn what_is_masked_in_a_path_leaves_a_pattern() {
    let sandbox = Sandbox::new();
    for (name, path, left) in [
        ("mini", "/u/anna.smith@corp.example", "/u/*"),
        ("inside", "/u/to-anna.smith@corp.example/x", "/u/"),
        ("first", "/anna.smith@corp.example", "/*"),
    ] {
        sandbox.write(&format!("{name}.log"), log(&neighbours(10), &["/", path]));
        for method in ["kindred", "visit-microaggregation"] {
            let (file, out) = (format!("{name}.log"), format!("{name}-{method}"));
            sandbox.done(&["protect", &file, "--out", &out, "--scrub-shared", "--method", method]);
            let data = sandbox.read(&format!("{out}/data.log"));
            assert!(data.lines().count() >= 10 && !data.contains("anna"), "{data}");
            assert!(data.contains(&format!("GET {left}")), "{method} {name}: {data}");
            assert!(!data.contains("\"-\" 200"), "{data}");
            sandbox.done(&["check", &out, "--original", &file]);
        }
    }
}

/// Of other kinds, rows that lose everything go, and the accounts add up.
#[test]
fn rows_that_lose_everything_leave_the_accounts_right() {
    let sandbox = Sandbox::new();
    let row = |person: usize, query: &str| format!("{person}\t{query}\t2024-03-0{} 10:00:00\n", 1 + person % 9);
    let queries = ["anna.smith@corp.example", "red car", "blue bike", "green boat"];
    // Whose line is taken for a record is a matter of their order.
    let of = |person: usize| (0..4).map(move |at| row(person, queries[(person + at) % 4])).collect::<String>();
    let rows: String = (0..10).map(of).collect();
    sandbox.write("log.tsv", format!("user\tquery\ttime\n{rows}"));
    sandbox.write("baskets.dat", "anna.smith@corp.example milk bread\n".repeat(10));
    sandbox.write("food.csv", "child,parent\nanna.smith@corp.example,food\nmilk,food\nbread,food\n");
    for (file, more) in [
        ("log.tsv", &["--method", "user-microaggregation"][..]),
        ("baskets.dat", &["--kind", "baskets", "--taxonomy", "food.csv"][..]),
    ] {
        let out = format!("{file}-release");
        let args = [&["protect", file, "--out", &out, "--scrub-shared"][..], more].concat();
        sandbox.done(&args);
        sandbox.done(&["check", &out, "--only-checkable"]);
    }
}

#[test]
fn a_person_that_is_nothing_is_refused_with_the_nearest() {
    let sandbox = Sandbox::new();
    sandbox.write("users.log", log(&neighbours(10), &["/"]));
    for args in [
        &["protect", "users.log", "--person", "adress", "--out", "r"][..],
        &["inspect", "users.log", "--person", "adress"],
        &["inspect", "users.log", "--column", "person=adress"],
    ] {
        let ran = sandbox.run(args);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.stderr.contains("`adress`") && ran.stderr.contains("did you mean `address`?"), "{}", ran.stderr);
        assert!(ran.stderr.contains("address, address+agent, user, session"), "{}", ran.stderr);
    }
    let ran = sandbox.run(&["inspect", "users.log", "--person", "cookie"]);
    assert!(ran.code == 2 && !ran.stderr.contains("did you mean"), "{}", ran.stderr);
    // Columns of W3C and JSON logs may be named; one that is not there may not.
    let w3c = "#Fields: date time c-ip cs-uri-stem x-cookie\n2024-03-07 11:00:01 192.0.2.7 /a one\n2024-03-07 11:00:02 192.0.2.7 /a two\n";
    sandbox.write("w3c.log", w3c);
    let found = sandbox.done(&["inspect", "w3c.log", "--person", "x-cookie", "--json"]).json();
    assert_eq!(found["persons"], 2);
    let ran = sandbox.run(&["inspect", "w3c.log", "--person", "x-cooky"]);
    assert!(ran.code == 2 && ran.stderr.contains("did you mean `x-cookie`?"), "{}", ran.stderr);
    let rows: String = (0..12)
        .map(|at| {
            format!("#Fields: date time c-ip cs-uri-stem x-cookie\n2024-03-07 11:00:01 192.0.2.7 /a c{}\n", at / 2)
        })
        .collect();
    sandbox.write("long.log", rows);
    sandbox.done(&["protect", "long.log", "--person", "x-cookie", "--k", "3", "--out", "cookies"]);
    let file = sandbox.json("cookies/certificate.json")["output"]["file"].as_str().unwrap().to_owned();
    assert!(!sandbox.read(&format!("cookies/{file}")).contains("cookie"));
    sandbox.done(&["check", "cookies", "--original", "long.log"]);
}

#[test]
fn lines_without_a_user_are_told() {
    let sandbox = Sandbox::new();
    let text: String =
        (0..12).map(|at| line(&format!("203.0.113.{at}"), if at < 4 { "-" } else { "ann" }, at, "/")).collect();
    sandbox.write("users.log", text);
    let said = "4 of 12 lines have no user: whoever sent such lines is taken for a visitor by address and agent";
    let ran = sandbox.done(&["inspect", "users.log", "--person", "user", "--json"]);
    assert!(ran.stderr.contains(said), "{}", ran.stderr);
    assert_eq!((&ran.json()["rows_without_person"], &ran.json()["persons"]), (&json!(4), &json!(5)));
    let ran = sandbox.done(&["protect", "users.log", "--person", "user", "--k", "2", "--out", "r"]);
    assert!(ran.stderr.contains(said), "{}", ran.stderr);
    assert!(!sandbox.done(&["inspect", "users.log"]).stderr.contains("no user"));
}

/// Whoever knows that somebody uses IPv6 finds a group, not a pseudonym.
#[test]
fn the_form_of_an_address_is_that_of_the_group() {
    let sandbox = Sandbox::new();
    for (name, v6) in [("one", 1), ("most", 7)] {
        let mut addresses = neighbours(10 - v6);
        addresses.extend((0..v6).map(|at| format!("2a01:{at}::1")));
        let file = format!("{name}.log");
        sandbox.write(&file, log(&addresses, &["/", "/a"]));
        for (method, unit) in
            [("kindred", None), ("visit-microaggregation", None), ("visit-microaggregation", Some("session"))]
        {
            let out = format!("{name}-{method}-{}", unit.unwrap_or("visitor"));
            let mut args = vec!["protect", &file, "--out", &out, "--method", method];
            args.extend(unit.into_iter().flat_map(|unit| ["--unit", unit]));
            sandbox.done(&args);
            let data = sandbox.read(&format!("{out}/data.log"));
            let addresses: BTreeSet<&str> = data.lines().map(|line| line.split(' ').next().unwrap()).collect();
            let of_v6 = addresses.iter().filter(|address| address.contains(':')).count();
            // A form is had by nobody, or by whole groups.
            for had in [of_v6, addresses.len() - of_v6] {
                assert!(had == 0 || had >= 5, "{out}: {data}");
            }
            assert_eq!(of_v6 > 0, v6 > 5, "{out}: {data}");
        }
    }
    // A release in which one of them stands out is not k-anonymous.
    let odd: String = sandbox.read("one-kindred-visitor/data.log");
    let first = odd.split(' ').next().unwrap().to_owned();
    sandbox.write("odd.log", odd.replace(&format!("{first} "), "2001:db8::7 "));
    let ran = sandbox.run(&["check", "odd.log", "--model", "user-k-anonymity", "--k", "2"]);
    assert_eq!(ran.code, 1, "{ran:?}");
}

/// Masking makes visitors one, not findable; and the same fact has one number.
#[test]
fn masking_finds_nobody_and_a_fact_has_one_number() {
    let sandbox = Sandbox::new();
    sandbox.write("same.log", log(&neighbours(20), &["/"]));
    let found = sandbox.done(&["inspect", "same.log", "--json"]).json();
    for row in found["known_by"].as_array().unwrap() {
        assert!(row["masked"]["alone"].as_f64() <= row["alone"].as_f64(), "{row}");
    }
    sandbox.done(&["synth", "visits", "--persons", "80", "--seed", "3", "--out", "access.log"]);
    let found = sandbox.done(&["inspect", "access.log", "--json"]).json();
    let rows = found["known_by"].as_array().unwrap();
    let alone: Vec<&Value> = ["one path", "two paths", "three paths"]
        .iter()
        .map(|known| &rows.iter().find(|row| row["known"] == *known).unwrap()["alone"])
        .collect();
    let exposure = sandbox.done(&["inspect", "access.log"]).stdout;
    for (at, share) in (1..).zip(alone) {
        let said = format!("{at}: {:.1} %", 100.0 * share.as_f64().unwrap());
        assert!(exposure.contains(&format!("            {said}\n")), "{said}\n{exposure}");
    }
}

/// Another release of the same people is compared, whatever the kind; also where nobody wants to hear of it.
#[test]
fn another_release_is_attacked_in_every_kind_and_said_quietly() {
    let sandbox = Sandbox::new();
    sandbox.done(&["synth", "visits", "--persons", "60", "--seed", "3", "--out", "access.log"]);
    sandbox.done(&["synth", "documents", "--persons", "60", "--seed", "3", "--out", "documents.jsonl"]);
    let rows: String =
        (0..60).map(|at| format!("p{at},{},{}\n", 20 + (at * 7) % 50, ["a", "b", "c"][at % 3])).collect();
    sandbox.write("table.csv", format!("name,age,illness\n{rows}"));
    let table = &["--column", "quasi=age", "sensitive=illness", "person=name", "--link-rows"][..];
    for (file, more) in [("access.log", &[][..]), ("documents.jsonl", &[]), ("table.csv", table)] {
        let (one, two) = (format!("{file}-1"), format!("{file}-2"));
        let (key_one, key_two) = (format!("{one}.csv"), format!("{two}.csv"));
        let args = ["protect", file, "--out", &one, "--key", &key_one, "--k", "3"];
        sandbox.done(&[&args[..], more].concat());
        let args = [
            "protect",
            file,
            "--out",
            &two,
            "--key",
            &key_two,
            "--k",
            "4",
            "--quiet",
            "--other",
            &one,
            "--other-key",
            &key_one,
        ];
        let ran = sandbox.run(&[&args[..], more].concat());
        let report = sandbox.json(&format!("{two}/report.json"));
        let attacks = report["attacks"].as_array().unwrap();
        let found = attacks
            .iter()
            .find(|attack| attack["name"] == "intersection")
            .unwrap_or_else(|| panic!("{file}: {attacks:?}"));
        let is_above = found["above_promise"] == true || ran.code == 1;
        assert_eq!(ran.stderr.contains("MORE than the release promises"), is_above, "{file}: {ran:?}");
        assert_eq!(ran.stderr.lines().count(), usize::from(is_above), "{file}: {ran:?}");
        if file == "access.log" {
            assert_eq!(ran.code, 1, "{ran:?}");
        }
    }
}

#[test]
fn a_comparison_has_a_loss_to_recommend_by() {
    let sandbox = Sandbox::new();
    sandbox.done(&["synth", "visits", "--persons", "80", "--seed", "3", "--out", "access.log"]);
    let args =
        ["compare", "access.log", "--methods", "kindred,visit-microaggregation,mask", "--k", "3,5", "--out", "c"];
    let ran = sandbox.done(&args);
    assert!(ran.stdout.contains("the mean by: pages kept, sections kept, hours kept"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("recommended nothing, for user-k-anonymity"), "{}", ran.stdout);
    let page = sandbox.read("c/comparison.html");
    for word in ["information loss", "semantic loss", "interests kept", "suppressed items", "certainty penalty"] {
        assert!(!page.to_lowercase().contains(word) && !ran.stdout.contains(word), "{word}");
    }
    // Days that no method saw: what was kept of them is less.
    sandbox.done(&["compare", "access.log", "--methods", "kindred", "--k", "3", "--held-out", "--out", "d"]);
    let [all, held_out] = ["c", "d"].map(|folder| {
        let cell = sandbox.json(&format!("{folder}/comparison.json"))["cells"][0].clone();
        let measures = cell["measures"].as_array().unwrap().clone();
        measures.iter().find(|measure| measure["name"] == "pages-kept").unwrap()["value"].as_f64().unwrap()
    });
    assert!(held_out > 0.0 && held_out < all, "{held_out} {all}");
}

/// The certificate says how the original was read.
#[test]
fn an_original_is_read_as_it_was() {
    let sandbox = Sandbox::new();
    let row = |at: usize| {
        format!(
            "{{\"ts\": {}, \"who\": {{\"ip\": \"203.0.113.{at}\"}}, \"req\": \"GET /shop/ HTTP/1.1\", \"status\": 200, \"ua\": \"{FIREFOX}\"}}\n",
            1714530264 + at
        )
    };
    sandbox.write("nested.jsonl", (0..10).map(row).collect::<String>());
    let ran = sandbox.run(&["inspect", "nested.jsonl"]);
    assert!(ran.code == 2 && ran.stderr.contains("of an access log `--column address="), "{}", ran.stderr);
    sandbox.done(&[
        "protect",
        "nested.jsonl",
        "--out",
        "nested",
        "--column",
        "address=who.ip",
        "time=ts",
        "request=req",
        "agent=ua",
    ]);
    sandbox.done(&["check", "nested", "--original", "nested.jsonl"]);
    let row = |at: usize| format!("{} | GET /a HTTP/1.1 | 203.0.113.{at} | 200\n", 1714530264 + at);
    sandbox.write("own.log", (0..10).map(row).collect::<String>());
    let format = "$msec | $request | $remote_addr | $status";
    for (out, more) in [("own", &[][..]), ("rows", &["--format", "csv"][..])] {
        sandbox.done(
            &[&["protect", "own.log", "--out", out, "--log-format", format, "--person", "address"][..], more].concat(),
        );
        sandbox.done(&["check", out, "--original", "own.log"]);
    }
}

#[test]
fn units_are_counted_in_words() {
    let sandbox = Sandbox::new();
    sandbox.done(&["synth", "visits", "--persons", "80", "--seed", "3", "--out", "access.log"]);
    for unit in ["line", "session"] {
        let args = ["protect", "access.log", "--out", unit, "--method", "visit-microaggregation", "--unit", unit];
        let ran = sandbox.done(&args);
        let certificate = sandbox.json(&format!("{unit}/certificate.json"));
        let [before, after] = ["input", "output"].map(|part| certificate[part]["persons"].as_u64().unwrap());
        let what = if unit == "line" { "address" } else { "pseudonym" };
        let said = ran.stdout.lines().find(|line| line.starts_with("visitors")).unwrap();
        assert!(said.contains(&format!("of {before}, under {after} {what}")), "{said}");
        let ran = sandbox.done(&["check", unit]);
        assert!(!ran.stderr.contains("--keep-ids") && !ran.stdout.contains("alone+"), "{ran:?}");
    }
    assert_eq!(sandbox.json("line/certificate.json")["ids"], "masked");
    assert_eq!(sandbox.json("session/certificate.json")["ids"], "pseudonyms");
}

#[test]
fn a_log_format_that_does_not_fit_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("users.log", log(&neighbours(3), &["/"]));
    let ran = sandbox.run(&["inspect", "users.log", "--log-format", "%h %l %u %t \"%r\" %>s %D"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(
        ran.stderr.contains("users.log:1") && ran.stderr.contains("a number is expected in column"),
        "{}",
        ran.stderr
    );
}

/// A report says what was left out, and promises what concerns its kind.
#[test]
fn a_report_says_what_was_left_out() {
    let sandbox = Sandbox::new();
    let text: String =
        (0..10).map(|at| line(&format!("203.0.113.{at}"), if at < 6 { "ann" } else { "-" }, at, "/a?q=1")).collect();
    sandbox.write("access.log", text);
    sandbox.done(&["protect", "access.log", "--out", "r"]);
    let accounting = &sandbox.json("r/certificate.json")["accounting"];
    assert_eq!((&accounting["users_left_out"], &accounting["query_strings_left_out"]), (&json!(6), &json!(10)));
    let page = sandbox.read("r/report.html");
    assert!(!page.contains("Nothing was left out"));
    for said in ["6 lines have the name of somebody who had logged in", "10 lines have a query string"] {
        assert!(page.contains(said), "{said}");
    }
    assert!(!page.contains("stop word") && !page.contains("normal form"));
    sandbox.done(&["check", "r", "--original", "access.log"]);
    let rows: String = (0..30).map(|at| format!("p{at},{},{}\n", 20 + at % 5, ["a", "b"][at % 2])).collect();
    sandbox.write("table.csv", format!("name,age,illness\n{rows}"));
    sandbox.done(&[
        "protect",
        "table.csv",
        "--out",
        "t",
        "--column",
        "quasi=age",
        "sensitive=illness",
        "identifier=name",
    ]);
    assert_eq!(sandbox.json("t/certificate.json")["accounting"]["identifiers_left_out"], 1);
    assert!(sandbox.read("t/report.html").contains("left out: what names persons is never published."));
    sandbox.done(&["check", "t"]);
}

#[test]
fn a_log_that_is_given_twice_is_told() {
    let sandbox = Sandbox::new();
    let text = log(&neighbours(10), &["/"]);
    sandbox.write("a.log", &text);
    // The same lines in another order are the same log, too, but for its first ones.
    sandbox.write("b.log", &text);
    let ran = sandbox.done(&["inspect", "a.log", "b.log", "--json"]);
    assert!(ran.stderr.contains("1 file has the same lines as another"), "{}", ran.stderr);
    assert_eq!(ran.json()["files_again"], 1);
    let counts: BTreeMap<&str, u64> =
        ["rows", "rows_at_seams"].into_iter().map(|name| (name, ran.json()[name].as_u64().unwrap())).collect();
    assert_eq!(counts, BTreeMap::from([("rows", 20), ("rows_at_seams", 0)]));
    let ran = sandbox.run(&["protect", "a.log", "--out", "r", "--taxonomy", "wordnet"]);
    assert!(ran.code == 2 && ran.stderr.contains("`taxonomy` is no file"), "{}", ran.stderr);
}
