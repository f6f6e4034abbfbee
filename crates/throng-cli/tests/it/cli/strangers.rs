//! Files of strangers: what they are taken for, and what is asked instead of guessed.

use crate::support::Sandbox;

/// Searches of so many customers, a row number before each.
fn searches(customers: usize, each: usize) -> String {
    let row = |at: usize| {
        format!("{at},c{},garden chairs {},2024-03-07 12:{:02}:02,10.0.0.{at}\n", at % customers, at % 7, at % 60)
    };
    format!("id,customer,search_term,timestamp,ip\n{}", (0..customers * each).map(row).collect::<String>())
}

const PROTECT: [&str; 7] = ["--out", "out", "--k", "2", "--method", "user-microaggregation", "--quiet"];

/// A row number is nobody: the customer is the person, and where no column is known to be one, nothing is guessed.
#[test]
fn who_is_a_person() {
    let sandbox = Sandbox::new();
    sandbox.write("log.csv", searches(8, 5));
    let column = ["--column", "query=search_term", "time=timestamp"];
    sandbox.done(&[&["protect", "log.csv"], &PROTECT[..], &column].concat());
    assert_eq!(sandbox.json("out/certificate.json")["input"]["persons"], 8);

    sandbox.write("other.csv", searches(8, 5).replace("customer", "who"));
    let before = sandbox.listing();
    let protect = ["protect", "other.csv", "--out", "new", "--k", "2", "--method", "user-microaggregation"];
    let ran = sandbox.snapshot("strangers-row-numbers", &[&protect[..], &column].concat());
    assert!(ran.code == 2 && ran.stderr.contains("the other columns: who, ip"), "{ran:?}");
    assert_eq!(sandbox.listing(), before);
    let ran = sandbox.run(&[&["inspect", "other.csv"], &column[..]].concat());
    assert!(ran.code == 0 && ran.stderr.contains("nearly every row is another person"), "{ran:?}");
    let ran = sandbox.run(&[&["check", "other.csv"], &column[..]].concat());
    assert!(ran.stderr.contains("nearly every row is another person"), "{ran:?}");

    // Whoever knows better says so.
    sandbox.done(&[&protect[..], &["--one-row-per-person"], &column].concat());
    let named = ["--column", "user=who", "query=search_term", "time=timestamp"];
    sandbox.done(&[&["protect", "other.csv", "--out", "named"], &PROTECT[2..], &named].concat());
    // The original of a release is read as it was.
    sandbox.done(&["measure", "other.csv", "named", "--measure", "query-frequency"]);
}

/// A table is not baskets with a customer in each, whatever its columns are called.
#[test]
fn tables_are_no_baskets() {
    let sandbox = Sandbox::new();
    let rows: String = (0..12).map(|at| format!("c{},{}\n", at % 4, ["milk", "beer", "bread"][at % 3])).collect();
    sandbox.write("bought.csv", format!("shopper,good\n{rows}"));
    let ran = sandbox.snapshot("strangers-a-table", &["inspect", "bought.csv"]);
    assert_eq!(ran.code, 2);
    let column = ["--column", "person=shopper", "item=good"];
    let found = sandbox.run(&[&["inspect", "bought.csv", "--json"], &column[..]].concat()).json();
    assert_eq!((&found["kind"], &found["persons"]), (&"baskets".into(), &4.into()));
}

/// A quote that is not closed runs over the lines of other people: it is malformed, not a query.
#[test]
fn quotes_astray() {
    let sandbox = Sandbox::new();
    let row = |at: usize| format!("u{},garden chairs,2024-03-07 12:{at:02}:02\n", at % 4);
    let rows = |from: usize, to: usize| (from..to).map(row).collect::<String>();
    let stray = "u1,\"lawn,2024-03-07 12:10:02\n";
    let closed = "u2,\"=A1\",2024-03-07 12:11:02\n";
    sandbox.write("log.csv", format!("user,query,time\n{}{stray}{}{closed}{}", rows(0, 8), rows(8, 12), rows(12, 20)));
    let ran = sandbox.snapshot("strangers-stray-quote", &["inspect", "log.csv"]);
    assert_eq!(ran.code, 2);
    let skipped = sandbox.run(&["inspect", "log.csv", "--bad-lines", "skip", "--json"]).json();
    assert_eq!(skipped["rows"], 16);
}

/// `check` knows the natural claim of a kind, by any name.
#[test]
fn the_natural_model() {
    let sandbox = Sandbox::with_log();
    for model in [&[][..], &["--model", "k-anonymity"], &["--model", "user-k-anonymity"]] {
        let found = sandbox.run(&[&["check", "log.tsv", "--json", "--k", "2"], model].concat()).json();
        assert_eq!(found["model"], "user-k-anonymity", "{model:?}");
    }
    sandbox.write("baskets.dat", "milk beer\nmilk beer\n");
    let found = sandbox.run(&["check", "baskets.dat", "--model", "k-anonymity", "--k", "2", "--json"]).json();
    assert_eq!((&found["model"], &found["verdict"]), (&"transaction-k-anonymity".into(), &"holds".into()));
}

/// What cannot be checked without the original is passed over on request only.
#[test]
fn only_what_can_be_checked() {
    let sandbox = Sandbox::new();
    sandbox.done(&["synth", "queries", "--persons", "30", "--seed", "2", "--out", "log.tsv"]);
    sandbox.done(&["protect", "log.tsv", "--out", "out", "--k", "3", "--key", "key.csv", "--quiet"]);
    assert_eq!(sandbox.run(&["check", "out"]).code, 3);
    let ran = sandbox.run(&["check", "out", "--only-checkable"]);
    assert!(ran.code == 0 && ran.stdout.contains("not checked: needs the original"), "{ran:?}");

    // A key belongs to its original.
    let log = sandbox.read("log.tsv");
    sandbox.write("other.tsv", &log[..log.trim_end().rfind('\n').unwrap() + 1]);
    let measure = ["measure", "other.tsv", "out", "--key", "key.csv", "--measure", "information-loss-ratio"];
    let ran = sandbox.snapshot("strangers-another-original", &measure);
    assert_eq!(ran.code, 2);
    sandbox.done(&[&measure[..], &["--force"]].concat());
    sandbox.done(&[&["measure", "log.tsv"], &measure[2..]].concat());
}

/// What asks for protection is heeded or refused.
#[test]
fn flags_that_ask_for_protection() {
    let sandbox = Sandbox::new();
    sandbox.done(&["synth", "queries", "--persons", "30", "--seed", "2", "--out", "log.tsv"]);
    let protect = ["protect", "log.tsv", "--k", "3", "--quiet", "--out"];
    sandbox.done(&[&protect[..], &["days", "--time-resolution", "1d"]].concat());
    let data = sandbox.read("days/data.tsv");
    assert!(data.lines().skip(1).all(|line| line.split('\t').nth(2).unwrap().ends_with(" 00:00:00")), "{data:.300}");
    assert_eq!(sandbox.json("days/certificate.json")["method"]["parameters"]["time-resolution"], 86_400);
    let before = sandbox.listing();
    sandbox.write("list.txt", "flu\n");
    for unheeded in [
        &["--time-resolution", "15m"][..],
        &["--m", "2"],
        &["--rho", "0.5"],
        &["--sensitive", "list.txt"],
        &["--method", "interest-microaggregation", "--min-persons", "3"],
    ] {
        let ran = sandbox.run(&[&protect[..], &["out"], unheeded].concat());
        assert!(ran.code == 2 && ran.stderr.contains("hint: "), "{unheeded:?}: {ran:?}");
    }
    let ran = sandbox.run(&[&protect[..], &["-"]].concat());
    assert!(ran.code == 2 && ran.stderr.contains("`out` is `-`"), "{ran:?}");
    let ran = sandbox.run(&["compare", "log.tsv", "--methods", "kindred", "--out", "-"]);
    assert!(ran.code == 2 && ran.stderr.contains("`out` is `-`"), "{ran:?}");
    assert_eq!(sandbox.listing().len(), before.len() + 1);
}

/// Files that must be unpacked or saved otherwise first are called what they are.
#[test]
fn archives_and_spreadsheets() {
    let sandbox = Sandbox::new();
    let files: [(&str, &[u8], &str); 6] = [
        ("a.xlsx", b"PK\x03\x04\x14\0\x06\0\x08\0[Content_Types].xml\nxl/workbook.xml", "an Excel file"),
        ("a.zip", b"PK\x03\x04\x14\0\0\0\x08\0log.tsv\n", "a ZIP archive"),
        ("a.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0\n", "an old Excel or Word file"),
        ("a.xz", b"\xfd7zXZ\0\0\n", "an xz file"),
        ("a.db", b"SQLite format 3\0\n", "an SQLite database"),
        ("a.pdf", b"%PDF-1.7\n", "a PDF file"),
    ];
    for (name, bytes, what) in files {
        sandbox.write(name, bytes);
        let ran = sandbox.run(&["inspect", name]);
        let says = format!("this is {what}, not data");
        assert!(ran.code == 2 && ran.stderr.contains(&says) && ran.stderr.contains("hint: "), "{name}: {ran:?}");
    }
}

/// A log with semicolons in Windows-1252, as a German Excel writes it.
fn german() -> Vec<u8> {
    let queries = ["Gartenst\u{fc}hle", "Zug nach K\u{f6}ln", "\u{d6}fen; gebraucht"];
    let row = |at: usize| format!("k{};\"{}\";2024-03-07 12:{at:02}:02\r\n", at % 4, queries[at % 3]);
    let text = format!("Kunde;Suchbegriff;Zeit\r\n{}", (0..12).map(row).collect::<String>());
    text.chars().map(|letter| u8::try_from(u32::from(letter)).unwrap()).collect()
}

/// How a text is written is found out, said, and kept where it matters: the release has the same separator, in UTF-8, and is
/// read again without any flag; so is the original beside it.
#[test]
fn semicolons_and_windows() {
    let sandbox = Sandbox::new();
    sandbox.write("log.csv", german());
    sandbox.snapshot("strangers-semicolons", &["inspect", "log.csv"]);
    let found = sandbox.run(&["inspect", "log.csv", "--json"]).json();
    assert_eq!((&found["delimiter"], &found["encoding"]), (&";".into(), &"windows-1252".into()));
    assert_eq!(found["columns_because"]["user"], "by name");

    let ran = sandbox.done(&[&["protect", "log.csv", "--key", "key.csv"], &PROTECT[..6]].concat());
    let says = "the file is semicolon-separated, Windows-1252; the release is semicolon-separated, UTF-8";
    assert!(ran.stderr.contains(says), "{ran:?}");
    assert!(sandbox.read("out/data.csv").starts_with("Kunde;Suchbegriff;Zeit\n"));
    assert!(sandbox.read("out/data.csv").contains("Zug nach K\u{f6}ln"));
    assert_eq!(sandbox.json("out/certificate.json")["output"]["delimiter"], ";");
    sandbox.done(&["check", "out"]);
    sandbox.done(&["check", "out", "--original", "log.csv"]);
    sandbox.done(&["measure", "log.csv", "out", "--key", "key.csv", "--measure", "query-frequency"]);
    let ran = sandbox.run(&["check", "log.csv", "--k", "2"]);
    assert!(ran.stderr.contains("note: the file is semicolon-separated, Windows-1252"), "{ran:?}");

    // Another format is written as usual.
    sandbox.done(&[&["protect", "log.csv", "--format", "csv", "--out", "commas"], &PROTECT[2..]].concat());
    assert!(sandbox.read("commas/data.csv").starts_with("Kunde,Suchbegriff,Zeit\n"));
    assert!(sandbox.json("commas/certificate.json")["output"]["delimiter"].is_null());
    sandbox.done(&["check", "commas"]);

    // What stands in a release beside its rows fails the check, Excel's line too.
    let data = sandbox.read("out/data.csv");
    sandbox.write("with.csv", format!("sep=;\n{data}"));
    sandbox.write("without.csv", data);
    assert_eq!(sandbox.run(&["check", "without.csv", "--k", "2"]).code, 0);
    let ran = sandbox.run(&["check", "with.csv", "--k", "2", "--json"]);
    assert!(ran.code == 1 && ran.json()["not_compared"][0].as_str().unwrap().contains("`sep=`"), "{ran:?}");
}

/// Columns without names are told by their numbers, and the release is read again without any flag.
#[test]
fn columns_by_number() {
    let sandbox = Sandbox::new();
    let row = |at: usize| format!("2024-03-07 12:{at:02}:02\tx\tk{}\tgarden chairs {}\n", at % 4, at % 3);
    sandbox.write("log.tsv", (0..12).map(row).collect::<String>());
    let numbers = ["--no-header", "--column", "user=3", "query=4", "time=1"];
    sandbox.snapshot("strangers-no-header", &[&["inspect", "log.tsv"], &numbers[..]].concat());
    sandbox.done(&[&["protect", "log.tsv"], &PROTECT[..], &numbers].concat());
    let output = &sandbox.json("out/certificate.json")["output"];
    assert_eq!((&output["header"], &output["columns"]["user"]), (&false.into(), &"2".into()));
    assert_eq!(sandbox.read("out/data.tsv").lines().count(), 12);
    sandbox.done(&["check", "out"]);
    sandbox.done(&[&["measure", "log.tsv", "out", "--measure", "query-frequency"], &numbers[..]].concat());
    // In another format they have names.
    sandbox.done(&[&["protect", "log.tsv", "--format", "jsonl", "--out", "objects"], &PROTECT[2..], &numbers].concat());
    assert!(sandbox.read("objects/data.jsonl").starts_with("{\"time\":"), "{}", sandbox.read("objects/data.jsonl"));
    sandbox.done(&["check", "objects"]);

    // A header is none of the persons, and a row is no header.
    let ran = sandbox.run(&[&["inspect", "log.tsv"], &numbers[1..]].concat());
    assert!(ran.code == 2 && ran.stderr.contains("--no-header"), "{ran:?}");
}

/// An id for each visit, and the name of whoever came: somebody is told before the visits are taken for persons.
#[test]
fn an_id_for_each_visit() {
    let sandbox = Sandbox::new();
    let row = |at: usize| format!("{},{},garden chairs,2024-03-07 12:{:02}:02\n", at / 3, at / 30, at % 60);
    let rows: String = (0..120).map(row).collect();
    sandbox.write("log.csv", format!("id,name,query,time\n{rows}"));
    let ran = sandbox.run(&["inspect", "log.csv"]);
    assert!(ran.code == 0 && ran.stderr.contains("`--column user=2`"), "{ran:?}");
    let ran = sandbox.run(&["inspect", "log.csv", "--column", "user=name"]);
    assert!(ran.code == 0 && !ran.stderr.contains("--column"), "{ran:?}");
}
