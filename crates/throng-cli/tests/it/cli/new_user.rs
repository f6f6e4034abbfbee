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
    let found = sandbox.done(&["inspect", "patients.csv", "--json"]).json();
    assert_eq!((&found["kind"], &found["persons"]), (&"table".into(), &12.into()));
    // Nobody is looked up by a column that nobody named.
    refused(&sandbox.run(&["protect", "patients.csv", "--out", "out"]), "no column has a role");
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

/// A session is no person: that is said wherever one is taken for it.
#[test]
fn sessions_are_no_persons() {
    let sandbox = Sandbox::new();
    let row = |at: usize| format!("s{},k{},garden chairs,2024-03-07 12:{at:02}:02\n", at % 6, at % 3);
    let rows: String = (0..12).map(row).collect();
    for (column, what) in
        [("session_id", "a session"), ("Cookie", "a cookie"), ("deviceId", "a device"), ("client_ip", "")]
    {
        sandbox.write("log.csv", format!("{column},who,query,time\n{rows}"));
        let said = format!("persons are told apart by the column {column}, but {what} is no person");
        let chosen: &[&str] = if what.is_empty() { &["--column", "user=client_ip"] } else { &[] };
        for command in
            [&["inspect", "log.csv"][..], &["check", "log.csv", "--k", "2"], &["audit", "log.csv", "--k", "2"]]
        {
            let ran = sandbox.run(&[command, chosen].concat());
            assert_eq!(ran.stderr.contains(&said), !what.is_empty(), "{column}: {ran:?}");
        }
    }
    sandbox.write("log.csv", format!("session_id,who,query,time\n{rows}"));
    let protect = ["protect", "log.csv", "--method", "user-microaggregation", "--k", "2", "--out", "out"];
    let ran = sandbox.done(&protect);
    assert!(ran.stderr.contains("`--column user=NAME` (the other columns: who)"), "{ran:?}");
    // Somebody said who is who; and nobody need know it of a release.
    let ran = sandbox.done(&["inspect", "log.csv", "--column", "person=who", "user=session_id"]);
    assert!(!ran.stderr.contains("no person"), "{ran:?}");
    let ran = sandbox.done(&["check", "out"]);
    assert!(!ran.stderr.contains("no person"), "{ran:?}");
}

/// What finds most people is what is said first: in a report, in an audit, after a run and before it.
#[test]
fn the_worst_is_said_first() {
    let sandbox = Sandbox::new();
    // Everybody searches for the same, each at hours of their own.
    let row = |at: usize| format!("p{},garden chairs,2024-03-{:02} {:02}:00:00\n", at % 8, 1 + at / 8, at % 8);
    sandbox.write("log.csv", format!("user,query,time\n{}", (0..24).map(row).collect::<String>()));
    let ran = sandbox.done(&["inspect", "log.csv"]);
    assert!(ran.stdout.contains("more by times (the day and the hour of a search): 1: 100.0 %"), "{ran:?}");
    let ran = sandbox.run(&["audit", "log.csv", "--k", "2"]);
    let worst = "; whoever knows the day and hour of one search of a person finds 100.0 %";
    assert!(ran.code == 1 && ran.stdout.contains(worst), "{ran:?}");
    let ran = sandbox.done(&["protect", "log.csv", "--k", "2", "--seed", "1", "--out", "out"]);
    let before = "one known time (the day and the hour of a search) singled out 100.0 % of the persons";
    assert!(ran.stdout.contains(before), "{ran:?}");
    let page = sandbox.read("out/report.html");
    let lead = "Somebody who knows the day and hour of one search of a person found them in 100 of 100 cases before, in 0 of 100 now.";
    assert!(page.contains(&format!("<p class=\"lead\">{lead}</p>")), "{page}");
    assert_eq!(sandbox.json("out/report.json")["exposure"]["singled_out"][0]["facts"], "times");
}

/// The same quantity is the same number, of the original and of the release.
#[test]
fn a_report_and_an_audit_say_the_same() {
    let sandbox = Sandbox::new();
    sandbox.done(&["synth", "queries", "--persons", "60", "--seed", "3", "--out", "log.tsv", "--quiet"]);
    let method = ["--method", "query-threshold", "--min-persons", "3"];
    sandbox.done(&[&["protect", "log.tsv", "--out", "out", "--seed", "1", "--quiet"], &method[..]].concat());
    let rounded = |share: &serde_json::Value| format!("{:.2e}", share.as_f64().unwrap());
    let report = sandbox.json("out/report.json");
    for (file, when) in [("log.tsv", "before"), ("out", "after")] {
        let audit = sandbox.run(&["audit", file, "--json"]).json();
        for sort in audit["singled_out"].as_array().unwrap() {
            let all = report["exposure"]["singled_out"].as_array().unwrap();
            let same = all.iter().find(|other| other["facts"] == sort["facts"]).unwrap();
            for known in ["1", "2", "3"] {
                // Of few persons a report says nothing.
                if same[when][known].is_number() {
                    assert_eq!(rounded(&sort["alone"][known]), rounded(&same[when][known]), "{file}: {sort} {same}");
                }
            }
        }
    }
    assert_eq!(report["exposure"]["unique_by"], report["exposure"]["singled_out"][0]["before"]);
}

/// Lines of single words may be a list of anything; what is guessed of others is said.
#[test]
fn single_words_are_no_baskets() {
    let sandbox = Sandbox::with_baskets();
    for (file, words) in [("words.txt", "a\nb\nc\na\n"), ("words.csv", "milk\nred beer\nmilk\n")] {
        sandbox.write(file, words);
        for command in ["inspect", "check", "audit"] {
            refused(&sandbox.run(&[command, file]), "every line of the file is a single ");
        }
        let found = sandbox.done(&["inspect", file, "--kind", "baskets", "--json"]).json();
        assert_eq!(found["kind"], "baskets");
    }
    let protect = ["protect", "baskets.dat", "--taxonomy", "food.csv", "--k", "2"];
    let ran = sandbox.done(&[&protect[..], &["--out", "guessed"]].concat());
    assert!(ran.stderr.contains("the file is taken for baskets: it has lines of words and no columns"), "{ran:?}");
    let ran = sandbox.done(&[&protect[..], &["--out", "said", "--kind", "baskets"]].concat());
    assert!(!ran.stderr.contains("taken for"), "{ran:?}");
    let ran = sandbox.done(&["check", "guessed"]);
    assert!(!ran.stderr.contains("taken for"), "{ran:?}");
}

/// A key inside another object is named with a dot, and stands under that name in the release.
#[test]
fn keys_inside_objects() {
    let sandbox = Sandbox::new();
    let row = |at: usize| {
        let moment = format!("2024-03-07T12:{at:02}:02Z");
        format!(
            "{{\"user\":{{\"id\":{},\"name\":\"SECRET\"}},\"query\":\"tea\",\"at\":{{\"utc\":{{\"time\":\"{moment}\"}}}}}}\n",
            at % 4
        )
    };
    sandbox.write("log.jsonl", (0..12).map(row).collect::<String>());
    let time = ["--column", "time=at.utc.time"];
    for command in ["inspect", "protect"] {
        let out: &[&str] = if command == "protect" { &["--out", "none"] } else { &[] };
        let ran = sandbox.run(&[&[command, "log.jsonl"], out, &time[..]].concat());
        refused(&ran, "the value is an object, not a text or a number");
        let hint = "it has the keys id, name; name one with a dot: `--column user=user.id`";
        assert!(ran.stderr.contains(hint) && !ran.stderr.contains("SECRET"), "{ran:?}");
    }
    let both = [&time[..], &["user=user.id"]].concat();
    let found = sandbox.done(&[&["inspect", "log.jsonl", "--json"], &both[..]].concat()).json();
    assert_eq!((&found["persons"], &found["columns"]["user"]), (&4.into(), &"user.id".into()));
    let protect = ["protect", "log.jsonl", "--method", "user-microaggregation", "--k", "2", "--out", "out"];
    let ran = sandbox.done(&[&protect[..], &both].concat());
    assert!(ran.stderr.contains("1 column has no role"), "{ran:?}");
    let data = sandbox.read("out/data.jsonl");
    assert!(data.contains("\"user.id\":") && !data.contains("SECRET"), "{data}");
    sandbox.done(&["check", "out"]);
    // What is beside a named key in the same object is compared.
    let row =
        |at: usize| format!("{{\"u\":{{\"id\":\"p{at}\",\"more\":{at}}},\"query\":\"tea\",\"time\":\"2024-03-07\"}}\n");
    sandbox.write("alike.jsonl", (0..4).map(row).collect::<String>());
    let check = ["check", "alike.jsonl", "--k", "2", "--column", "user=u.id"];
    assert_eq!(sandbox.run(&check).code, 1);
    sandbox.write(
        "alike.jsonl",
        (0..4)
            .map(|at| format!("{{\"u\":{{\"id\":\"p{at}\",\"more\":7}},\"query\":\"tea\",\"time\":\"2024-03-07\"}}\n"))
            .collect::<String>(),
    );
    assert_eq!(sandbox.run(&check).code, 0);
    // Baskets too.
    let row = |at: usize| format!("{{\"who\":{{\"id\":{at}}},\"has\":{{\"items\":[\"milk\",\"tea\"]}}}}\n");
    sandbox.write("baskets.jsonl", (0..4).map(row).collect::<String>());
    let column = ["--column", "person=who.id", "item=has.items"];
    let found = sandbox.done(&[&["inspect", "baskets.jsonl", "--json"], &column[..]].concat()).json();
    assert_eq!((&found["persons"], &found["rows"], &found["unmapped"]), (&4.into(), &8.into(), &serde_json::json!([])));
}

/// What a settings file says is not noted as if it had been typed.
#[test]
fn a_setting_that_means_nothing_here() {
    let sandbox = Sandbox::with_log();
    sandbox.write("throng.toml", "k = 3\n");
    let ran = sandbox.done(&["inspect", "log.tsv"]);
    assert!(ran.stderr.contains("note: `k` of ./throng.toml means nothing here and is ignored"), "{ran:?}");
    let ran = sandbox.done(&["inspect", "log.tsv", "--k", "3"]);
    assert!(ran.stderr.contains("note: `--k` means nothing here and is ignored"), "{ran:?}");
}

/// `--kind baskets` does not make baskets of names of columns, and what looks like something else is said to.
#[test]
fn a_kind_that_is_said_and_doubtful() {
    let sandbox = Sandbox::new();
    sandbox.write("log.csv", log("user,query,time\n"));
    let kind = ["--kind", "baskets"];
    let ran = sandbox.run(&[&["inspect", "log.csv"], &kind[..]].concat());
    refused(&ran, "this looks like queries, not like baskets");
    assert!(ran.stderr.contains("`--as baskets`"), "{ran:?}");
    sandbox.write("table.csv", "name,age,town\nann,30,ulm\nbob,40,rom\ncid,50,ulm\n");
    refused(&sandbox.run(&[&["inspect", "table.csv"], &kind[..]].concat()), "this looks like table, not like baskets");
    let found = sandbox.done(&[&["inspect", "table.csv", "--json", "--no-header"], &kind[..]].concat()).json();
    assert_eq!(found["persons"], 4);
    let line = "1.2.3.4 - - [07/Mar/2024:12:00:01 +0100] \"GET / HTTP/1.1\" 200 12\n";
    sandbox.write("access.log", line.repeat(4));
    let ran = sandbox.done(&[&["inspect", "access.log"], &kind[..]].concat());
    assert!(ran.stderr.contains("the file looks like visits, and is read as baskets because"), "{ran:?}");
}

/// Titles above columns that nobody knows, and above lines of items, are not rows; none of them is shown.
#[test]
fn titles_above_what_is_not_known() {
    let sandbox = Sandbox::new();
    let rows = "wer,was,wann\nann,tee,2024-03-07\nbob,tee,2024-03-08\ncid,rum,2024-03-08\ndan,rum,2024-03-09\n";
    let items = "milk bread\nbeer milk\nbread\nbeer bread\nmilk\nbeer\nmilk bread\nbeer milk\n";
    let cells = items.replace(' ', ",");
    for (file, text, says, keep) in [
        ("one.csv", format!("SECRET export of the shop\n{rows}"), "the first line is no row", "tail -n +2"),
        ("two.csv", format!("SECRET export,,\nof March,,\n{rows}"), "the first 2 lines are no row", "tail -n +3"),
        ("comment.csv", format!("# SECRET export, of March, all\n{rows}"), "begins with a comment", "tail -n +2"),
        ("words.dat", format!("SECRET baskets of March\n{items}"), "looks like a title", "tail -n +2"),
        ("cells.csv", format!("SECRET baskets of March\n{cells}"), "looks like a title", "tail -n +2"),
        ("numbers.dat", "SECRET sales\n1 2\n2 3 4\n1 4\n2 3 1\n".to_owned(), "a title above numbers", "tail -n +2"),
        ("header.dat", format!("person items\n{items}"), "looks like names of columns", "tail -n +2"),
    ] {
        sandbox.write(file, text);
        let ran = sandbox.run(&["inspect", file]);
        refused(&ran, says);
        assert!(ran.stderr.contains(keep) && !ran.stderr.contains("SECRET"), "{file}: {ran:?}");
    }
    // Columns that were named are found where they are.
    sandbox.write("chosen.csv", format!("SECRET export,of March,2024\n{rows}"));
    let ran = sandbox.run(&["inspect", "chosen.csv", "--column", "user=wer", "query=was", "time=wann"]);
    refused(&ran, "not in the first line, but in line 2");
    // Without titles nothing is in doubt.
    for (file, text) in [("plain.dat", items.to_owned()), ("plain.csv", cells.clone())] {
        sandbox.write(file, text);
        sandbox.done(&["inspect", file]);
    }
}

/// Lines that end with a carriage return alone are lines.
#[test]
fn line_ends_of_old_macs() {
    let sandbox = Sandbox::with_baskets();
    sandbox.write("log.csv", log("user,query,time\n").replace('\n', "\r"));
    sandbox.write("log.tsv", log("user,query,time\n").replace(',', "\t").replace('\n', "\r"));
    for file in ["log.csv", "log.tsv"] {
        let found = sandbox.done(&["inspect", file, "--json"]).json();
        assert_eq!((&found["persons"], &found["rows"]), (&4.into(), &12.into()), "{file}");
        let ran = sandbox.done(&["inspect", file]);
        assert!(ran.stdout.contains("with old Mac line ends"), "{ran:?}");
    }
    let baskets = sandbox.read("baskets.dat");
    sandbox.write("old.dat", baskets.replace('\n', "\r"));
    let persons = |file: &str| sandbox.done(&["inspect", file, "--json"]).json()["persons"].clone();
    assert_eq!(persons("old.dat"), persons("baskets.dat"));
    let ran = sandbox.done(&["protect", "log.csv", "--method", "user-microaggregation", "--k", "2", "--out", "out"]);
    assert!(ran.stderr.contains("with old Mac line ends; the release is UTF-8"), "{ran:?}");
    sandbox.done(&["check", "out"]);
}
