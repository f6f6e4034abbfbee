//! What somebody met who tried throng for the first time with files of their own.

use crate::support::{Ran, Sandbox};

/// A small log as CSV, twelve rows of four persons.
fn log(header: &str) -> String {
    let row = |at: usize| format!("k{},garden chairs,2024-03-07 12:{at:02}:02\n", at % 4);
    format!("{header}{}", (0..12).map(row).collect::<String>())
}

fn refused(ran: &Ran, words: &str) {
    assert!(ran.code == 2 && ran.stderr.contains(words) && ran.stderr.contains("hint: "), "{words}: {ran:?}");
}

/// A page replaces an older page, and never a key or somebody's data.
#[test]
fn a_page_replaces_nothing_but_a_page() {
    let sandbox = Sandbox::with_log();
    sandbox.done(&["protect", "log.tsv", "--out", "out", "--k", "3", "--seed", "5", "--key", "key.csv"]);
    let key = sandbox.read("key.csv");
    sandbox.write("mine.html", "<!doctype html><p>my page</p>");
    for place in ["key.csv", "mine.html"] {
        refused(&sandbox.run(&["audit", "log.tsv", "--html", place]), "something else than a page of throng's own");
        let private = ["report", "out", "--private", place, "--original", "log.tsv", "--key", "key.csv"];
        refused(&sandbox.run(&private), "something else than a page of throng's own");
    }
    assert_eq!((sandbox.read("key.csv"), sandbox.read("mine.html").len()), (key, 29));
    for _ in 0..2 {
        assert_eq!(sandbox.run(&["audit", "log.tsv", "--html", "audit.html"]).code, 1);
        sandbox.done(&["report", "out", "--private", "own.html", "--original", "log.tsv", "--key", "key.csv"]);
    }
}

/// The first line of a file without a header is a row: one word that is a name of columns too does not make the others names.
#[test]
fn a_row_is_not_told_as_a_header() {
    let sandbox = Sandbox::new();
    for (file, rows) in [
        ("words.csv", "Schmidt Anna,hiv test,datum\nHuber Bob,flu,morgen\nMaier Eve,tea,heute\n"),
        ("times.csv", "Schmidt Anna,hiv test,datum\nHuber Bob,flu,2024-03-01\nMaier Eve,tea,2024-03-02\n"),
    ] {
        sandbox.write(file, rows);
        for flags in [&[][..], &["--kind", "queries"], &["--kind", "queries", "--column", "user=who"]] {
            let ran = sandbox.run(&[&["inspect", file], flags].concat());
            assert!(ran.code == 2 && !ran.stderr.contains("Anna") && !ran.stderr.contains("hiv"), "{ran:?}");
        }
    }
    // Names of columns are told, so that one can be chosen.
    sandbox.write("log.csv", log("who,query,when_it_was\n"));
    let ran = sandbox.run(&["inspect", "log.csv", "--column", "user=Kunde"]);
    refused(&ran, "the columns are who, query, when_it_was");
}

/// A title above the names of columns is not taken for them.
#[test]
fn a_title_above_the_header() {
    let sandbox = Sandbox::new();
    sandbox.write("log.csv", log("Export of the shop,,\nuser,query,time\n"));
    refused(&sandbox.run(&["inspect", "log.csv"]), "not in the first line, but in line 2");
    sandbox.write("log.csv", log("user,query,time\n"));
    sandbox.done(&["inspect", "log.csv"]);
}

/// Ids that are names are nothing that a crowd hides.
#[test]
fn ids_that_name_people() {
    let sandbox = Sandbox::new();
    let row = |at: usize| format!("p{}@post.example,tea,2024-03-07 12:00:00\n", at % 6);
    sandbox.write("mails.csv", format!("user,query,time\n{}", (0..12).map(row).collect::<String>()));
    let ran = sandbox.run(&["audit", "mails.csv", "--k", "3"]);
    assert!(ran.code == 1 && ran.stdout.contains("but the ids look like e-mail addresses"), "{ran:?}");
    assert!(!ran.stdout.contains("nothing, for this promise"), "{ran:?}");
    sandbox.write("plain.csv", sandbox.read("mails.csv").replace("@post.example", ""));
    assert_eq!(sandbox.run(&["audit", "plain.csv", "--k", "3"]).code, 0);

    let protect =
        ["protect", "plain.csv", "--method", "user-microaggregation", "--k", "3", "--keep-ids", "--out", "kept"];
    sandbox.done(&protect);
    let ran = sandbox.run(&["audit", "kept", "--k", "3"]);
    assert!(ran.code == 1 && ran.stdout.contains("the ids are those of the original"), "{ran:?}");
    assert!(ran.stdout.contains("without `--keep-ids`"), "{ran:?}");
    let ran = sandbox.run(&["check", "kept"]);
    assert!(ran.stderr.contains("the ids are those of the original (`--keep-ids`)"), "{ran:?}");
}

/// Keys of JSON lines are known by the same names as columns are.
#[test]
fn times_of_json_lines() {
    let sandbox = Sandbox::new();
    for key in ["ts", "time", "date", "when", "created_at", "@timestamp"] {
        let row = |at: usize| {
            format!("{{\"{key}\":\"2024-03-07T12:{at:02}:02Z\",\"customer_id\":{},\"searchTerm\":\"tea\"}}\n", at % 4)
        };
        sandbox.write("log.jsonl", (0..12).map(row).collect::<String>());
        let found = sandbox.done(&["inspect", "log.jsonl", "--json"]).json();
        assert_eq!((&found["columns"]["time"], &found["persons"]), (&key.into(), &4.into()), "{key}");
    }
    sandbox.write("log.jsonl", "{\"moment\":\"2024-03-07\",\"user\":1,\"query\":\"tea\"}\n");
    let ran = sandbox.run(&["inspect", "log.jsonl"]);
    refused(&ran, "cannot tell which column is the time, of moment, user, query");
}

/// What a release of baskets keeps is not told without the taxonomy that it was made with.
#[test]
fn a_measure_without_the_taxonomy() {
    let sandbox = Sandbox::with_baskets();
    let protect = [
        "protect",
        "baskets.dat",
        "--taxonomy",
        "food.csv",
        "--k",
        "2",
        "--seed",
        "1",
        "--out",
        "out",
        "--key",
        "key.csv",
    ];
    sandbox.done(&protect);
    let measure = ["measure", "baskets.dat", "out", "--key", "key.csv"];
    refused(&sandbox.run(&measure), "the release was made with the taxonomy food.csv");
    sandbox.done(&[&measure[..], &["--taxonomy", "food.csv"]].concat());
    sandbox.done(&[&measure[..], &["--force"]].concat());
    // The original comes first.
    refused(&sandbox.run(&["measure", "out", "baskets.dat"]), "the original is a release");
}

/// A file of three columns has three, and so has its release.
#[test]
fn three_columns_without_a_header() {
    let sandbox = Sandbox::new();
    sandbox.write("log.csv", log(""));
    let found = sandbox.done(&["inspect", "log.csv", "--json"]).json();
    assert_eq!(found["columns"], serde_json::json!({"user": "1", "query": "2", "time": "3"}));
    let ran = sandbox.run(&["audit", "log.csv"]);
    assert!(ran.stdout.contains("told apart by the column 1;"), "{ran:?}");
    let protect = ["protect", "log.csv", "--method", "user-microaggregation", "--k", "2", "--out", "out"];
    sandbox.done(&protect);
    assert!(sandbox.read("out/data.csv").lines().all(|line| line.matches(',').count() == 2));
    sandbox.done(&["check", "out"]);
}

/// A till's receipts are baskets, if somebody says whose.
#[test]
fn receipts_of_a_till() {
    let sandbox = Sandbox::new();
    let rows: String =
        (0..12).map(|at| format!("{};{};{at},99\n", 900 + at / 3, ["milk", "beer", "tea"][at % 3])).collect();
    sandbox.write("till.csv", format!("Bonnummer;Artikel;Preis\n{rows}"));
    refused(&sandbox.run(&["inspect", "till.csv"]), "`--column person=… item=Artikel`");
    let column = ["--column", "person=Bonnummer", "item=Artikel"];
    let found = sandbox.done(&[&["inspect", "till.csv", "--json"], &column[..]].concat()).json();
    assert_eq!(found["persons"], 4);
}

/// A row for each person is a table, whatever stands beside what is known of them.
#[test]
fn tables_of_patients() {
    let sandbox = Sandbox::new();
    let patient = |at: usize| format!("{at},Name{at},19{:02}-07-11,F,890{at:02},flu\n", 40 + at);
    let patients: String = (0..12).map(patient).collect();
    let header = "patient_id,name,birthdate,sex,postcode,diagnosis\n";
    sandbox.write("patients.csv", format!("{header}{patients}"));
    for command in
        [&["inspect", "patients.csv"][..], &["protect", "patients.csv", "--taxonomy", "wordnet", "--out", "out"]]
    {
        refused(&sandbox.run(command), "this looks like a table with a row for each person");
    }
    // Several rows of one person are baskets, whatever else is said of them.
    sandbox.write("visits.csv", format!("{header}{patients}{patients}"));
    let found = sandbox.done(&["inspect", "visits.csv", "--json"]).json();
    assert_eq!((&found["kind"], &found["persons"]), (&"baskets".into(), &12.into()));
}

/// A taxonomy is made of a column of items, and never of whole lines; the advice of an audit works as it is written.
#[test]
fn a_taxonomy_of_a_column() {
    let sandbox = Sandbox::new();
    let rows: String =
        (0..24).map(|at| format!("{};{};{at},99\n", 900 + at / 3, ["milk", "beer", "tea", "rice"][at % 4])).collect();
    sandbox.write("till.csv", format!("Bonnummer;Artikel;Preis\n{rows}"));
    let generate = ["taxonomy", "generate", "till.csv", "--fanout", "5", "--out", "items.csv"];
    refused(&sandbox.run(&generate), "the lines are cells of a table, not baskets");
    let column = ["--column", "person=Bonnummer", "item=Artikel"];
    let ran = sandbox.run(&[&["audit", "till.csv"], &column[..]].concat());
    assert!(ran.code == 1, "{ran:?}");
    for command in [
        "throng protect till.csv --column person=Bonnummer item=Artikel --taxonomy items.csv --out release --k 5",
        "throng taxonomy generate till.csv --column item=Artikel person=Bonnummer --fanout 5 --out items.csv",
    ] {
        assert!(ran.stdout.contains(command), "{command}: {ran:?}");
    }
    sandbox.done(&[&generate[..], &column].concat());
    let tree = sandbox.read("items.csv");
    assert!(tree.contains("milk") && !tree.contains("900"), "{tree}");
    sandbox.done(
        &[&["protect", "till.csv", "--taxonomy", "items.csv", "--out", "release", "--k", "5"], &column[..]].concat(),
    );
}

/// What is wrong with a name is said with what is right.
#[test]
fn names_that_are_not_there() {
    let sandbox = Sandbox::with_log();
    refused(&sandbox.run(&["inspect", "log.tsv", "--time-zone", "Berlin"]), "did you mean `Europe/Berlin`?");
    let ran = sandbox.run(&["inspect", "log.tsv", "--time-zone", "my own clock"]);
    refused(&ran, "Europe/Berlin");
    assert!(ran.stderr.len() < 500, "{ran:?}");
    refused(&sandbox.run(&["inspect", "nothing.tsv"]), "is it spelled as it is there?");
}
