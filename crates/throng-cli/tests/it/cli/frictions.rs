//! What was found when every line of the list of frictions was tried anew with files of our own.

use serde_json::Value;

use crate::support::Sandbox;

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// Of two values of a key one would be in the file unread: for every kind, however deep the object lies.
#[test]
fn a_key_twice_is_malformed_in_access_logs_too() {
    let sandbox = Sandbox::new();
    let line = |more: &str| {
        format!(
            "{{\"remote_addr\":\"192.0.2.1\",\"time\":\"2024-03-01T10:00:00Z\",\"request\":\"GET / HTTP/1.1\",\"status\":200{more}}}\n"
        )
    };
    for more in [",\"status\":404", ",\"extra\":{\"a\":1,\"a\":2}", ",\"extra\":[{\"a\":1,\"a\":2}]"] {
        sandbox.write("visits.jsonl", format!("{}{}", line(""), line(more)));
        for command in [&["inspect", "visits.jsonl"][..], &["check", "visits.jsonl", "--k", "2"]] {
            let ran = sandbox.run(command);
            assert!(ran.code == 2 && ran.stderr.contains("every key once is expected"), "{more} {command:?}: {ran:?}");
            assert!(ran.stderr.contains("visits.jsonl:2"), "{ran:?}");
        }
        let ran = sandbox.run(&["inspect", "visits.jsonl", "--bad-lines", "skip", "--json"]);
        assert_eq!(json(&ran.stdout)["rows_refused"], 1, "{ran:?}");
    }
}

/// Ids that differ in how a number is written are told of in tables, too, and the hint names no role that a kind does not have.
#[test]
fn ids_that_look_alike_are_told_in_tables() {
    let sandbox = Sandbox::new();
    sandbox.write("table.csv", "id,age,place\n1,30,Linz\n01,30,Linz\n");
    let ran =
        sandbox.run(&["check", "table.csv", "--k", "2", "--kind", "table", "--column", "quasi=age,place", "person=id"]);
    assert!(ran.stderr.contains("1 id differs from another only in how a number is written"), "{ran:?}");
    assert!(ran.stderr.contains("with `--column`") && !ran.stderr.contains("user="), "{ran:?}");
}

/// The same measure of the same release is one number, whatever the seed of a comparison is.
#[test]
fn compare_and_protect_measure_alike() {
    let sandbox = Sandbox::new();
    sandbox.done(&["synth", "baskets", "--persons", "60", "--seed", "1", "--out", "baskets.dat"]);
    let flags = ["--kind", "baskets", "--taxonomy", "wordnet", "--seed", "5", "--k", "5", "--no-attacks"];
    let protected =
        sandbox.run(&[&["protect", "baskets.dat", "--out", "out", "--method", "clump", "--json"][..], &flags].concat());
    let compared = sandbox
        .run(&[&["compare", "baskets.dat", "--out", "grid", "--methods", "clump", "--json"][..], &flags].concat());
    let value = |measures: &Value| {
        let all = measures.as_array().unwrap();
        all.iter().find(|measure| measure["name"] == "count-query-error").unwrap()["value"].as_f64().unwrap()
    };
    let compared = json(&compared.stdout);
    assert_eq!(value(&json(&protected.stdout)["measures"]), value(&compared["cells"][0]["measures"]));
}

/// What asks for protection is heeded by every compared method that has it, and refused where none has.
#[test]
fn compare_heeds_what_asks_for_protection() {
    let sandbox = Sandbox::new();
    sandbox.write("baskets.dat", "1 2\n1 2\n3 4\n3 4\n1 4\n1 4\n");
    sandbox.write("tax.csv", "child,parent\n1,a\n2,a\n3,b\n4,b\na,all\nb,all\n");
    let compare = |methods: &str, flags: &[&str]| {
        let base = ["compare", "baskets.dat", "--kind", "baskets", "--taxonomy", "tax.csv", "--k", "2", "--no-attacks"];
        sandbox.run(&[&base, &["--out", "grid", "--overwrite", "--json", "--methods", methods][..], flags].concat())
    };
    let ran = compare("clump", &["--m", "3"]);
    assert!(ran.code == 2 && ran.stdout.contains("asks for protection that none of the methods gives"), "{ran:?}");
    let ran = compare("clump,apriori,apriori:m=1", &["--m", "3"]);
    assert!(ran.code == 0 && !ran.stderr.contains("means nothing"), "{ran:?}");
    let found = json(&ran.stdout);
    let m = |cell: &Value| cell["claims"][0]["parameters"]["m"].clone();
    let ms: Vec<Value> = found["cells"].as_array().unwrap().iter().map(m).collect();
    assert_eq!(ms, [Value::Null, Value::from(3), Value::from(1)]);
}

/// A taxonomy that has none of the items leaves nothing to publish: refused for baskets as for documents and searches.
#[test]
fn a_taxonomy_without_any_item_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("baskets.csv", "qxzv,wvvk\nqxzv,wvvk,zzxy\n".repeat(5));
    let protect = ["protect", "baskets.csv", "--kind", "baskets", "--taxonomy", "wordnet", "--out", "out"];
    let ran = sandbox.run(&[&protect[..], &["--unknown", "drop"]].concat());
    assert!(ran.code == 2 && ran.stderr.contains("the taxonomy has none of the items"), "{ran:?}");
}

/// Letters are no baskets of words.
#[test]
fn prose_is_no_basket() {
    let sandbox = Sandbox::new();
    let letter = "Dear Sir,\nI have been to the doctor on Monday, and the results are not good.\nMy wife says that we should move; the \
                  house is sold.\nYours sincerely, the tenant\n";
    sandbox.write("letter.txt", letter);
    sandbox.write("line.txt", "the dog and the cat number 7 went to the hospital for surgery of the heart\n");
    sandbox.write(
        "brief.txt",
        "Ich war am Montag beim Arzt.\nDie Befunde sind leider nicht gut.\nWir ziehen bald nach Linz um.\n",
    );
    for file in ["letter.txt", "line.txt", "brief.txt"] {
        for command in ["inspect", "check", "audit"] {
            let ran = sandbox.run(&[command, file]);
            assert!(ran.code == 2 && ran.stderr.contains("read like sentences, not like baskets"), "{file}: {ran:?}");
        }
    }
    // Names of things have such words, too.
    sandbox.write(
        "films.csv",
        "the lord of the rings,alien\nalien,the good the bad and the ugly,heat\nheat,alien\n".repeat(3),
    );
    sandbox.done(&["inspect", "films.csv"]);
    sandbox.done(&["inspect", "line.txt", "--kind", "baskets"]);
}

/// Whoever took the wrong column for the person sees it: how many rows a person has stands everywhere.
#[test]
fn rows_of_a_person_are_always_shown() {
    let sandbox = Sandbox::with_log();
    let found = json(&sandbox.done(&["inspect", "log.tsv", "--json"]).stdout);
    let (persons, rows) = (found["persons"].as_f64().unwrap(), found["rows"].as_f64().unwrap());
    assert_eq!(found["rows_per_person"]["mean"].as_f64().unwrap(), rows / persons);
    let ran = sandbox.done(&["inspect", "log.tsv"]);
    assert!(ran.stdout.contains("\nper person  "), "{ran:?}");
    let each = format!("{} a person)", (10.0 * rows / persons).round() / 10.0);
    let ran = sandbox.run(&["check", "log.tsv"]);
    assert!(ran.stdout.contains(&each), "{each}: {ran:?}");
    let ran = sandbox.done(&["protect", "log.tsv", "--out", "out", "--k", "3"]);
    assert!(ran.stdout.contains(&each), "{each}: {ran:?}");
}

/// A method, model or measure is listed with the kinds of data that it is for.
#[test]
fn lists_name_the_kinds() {
    let sandbox = Sandbox::new();
    let found = json(&sandbox.done(&["list", "methods", "--json"]).stdout);
    let kinds = |name: &str| {
        let all = found["methods"].as_array().unwrap();
        all.iter().find(|method| method["name"] == name).unwrap()["kinds"].clone()
    };
    assert_eq!(kinds("kindred"), serde_json::json!(["queries", "visits", "paths", "ratings"]));
    assert_eq!(kinds("flock"), serde_json::json!(["baskets", "table"]));
    let ran = sandbox.done(&["list", "methods"]);
    assert!(ran.stdout.lines().any(|line| line.starts_with("  flock") && line.contains("baskets, table")), "{ran:?}");
}

/// The sentence at the top of a table's report is about as much knowledge as finds people: one cell finds hardly anybody.
#[test]
fn the_report_of_a_table_is_about_several_cells() {
    let sandbox = Sandbox::new();
    sandbox.done(&["synth", "table", "--persons", "200", "--seed", "1", "--out", "table.csv"]);
    let protect =
        ["protect", "table.csv", "--out", "out", "--seed", "1", "--hierarchy", "sex=flat", "--hierarchy", "zip=flat"];
    sandbox.done(&[&protect[..], &["--column", "quasi=age,sex,zip", "sensitive=work"]].concat());
    let page = sandbox.read("out/report.html");
    let lead = page.split("<p class=\"lead\">").nth(1).unwrap().split("</p>").next().unwrap().to_owned();
    assert!(
        lead.starts_with("Somebody who knows three cells of a person&#x27;s row") || lead.contains("three cells"),
        "{lead}"
    );
    // The attacker whom a promise is about comes first, with the numbers of the table below.
    let said = page.split("<p class=\"headline\">").nth(1).unwrap().split("</p>").next().unwrap().to_owned();
    assert!(said.contains("all quasi cells") && said.contains("promised at most 20"), "{said}");
    // A risk is nothing that a release keeps.
    let keeps = page.split("What the release keeps").nth(1).unwrap().split("</section>").next().unwrap().to_owned();
    assert!(!keeps.contains("likelihood") && keeps.contains("is left open."), "{keeps}");
}

/// The example of a report is there when texts were published in normal form.
#[test]
fn a_report_shows_a_record_before_and_after() {
    let sandbox = Sandbox::new();
    let rows = |person: usize| {
        let row = |(at, query): (usize, &str)| format!("p{person},{query},2024-03-0{} 10:00:00\n", at + 1);
        ["www.roses.example", "Garden Chairs!", "weather", "oak tables"]
            .into_iter()
            .enumerate()
            .map(row)
            .collect::<String>()
    };
    sandbox.write("log.csv", format!("user,query,time\n{}", (0..12).map(rows).collect::<String>()));
    sandbox.done(&["protect", "log.csv", "--out", "out", "--k", "3", "--seed", "1"]);
    let example = &json(&sandbox.read("out/report.json"))["example"];
    assert!(example["before"].as_array().is_some_and(|before| before.len() == 4), "{example}");
    assert!(sandbox.read("out/report.html").contains("One record, before and after"));
}

/// What somebody did to a release is a finding, not a run that failed; a key that is public signs nothing; a file that is no ledger is asked
/// about; two columns of one name are told.
#[test]
fn what_is_wrong_is_named() {
    let sandbox = Sandbox::with_log();
    let protect = ["protect", "log.tsv", "--k", "2", "--method", "user-microaggregation", "--seed", "1"];
    sandbox.done(&[&protect[..], &["--out", "out"]].concat());
    sandbox.done(&["keys", "new", "--out", "mine"]);
    let ran = sandbox.run(&[&protect[..], &["--out", "signed", "--sign", "mine.pub"]].concat());
    assert!(ran.code == 2 && ran.stderr.contains("this is the public key"), "{ran:?}");
    let ran = sandbox.run(&["ledger", "show", "log.tsv"]);
    assert!(ran.code != 0 && ran.stderr.contains("is this file a ledger?"), "{ran:?}");
    sandbox.write("twins.csv", "user,user,query,time\na,b,roses,2024-01-01 10:00\n");
    let ran = sandbox.run(&["inspect", "twins.csv"]);
    assert!(ran.code == 2 && ran.stderr.contains("two columns have the name of the one that is the user"), "{ran:?}");
    sandbox.done(&["inspect", "twins.csv", "--column", "user=2"]);
    let data = sandbox.read("out/data.tsv");
    sandbox.write("out/data.tsv", format!("{data}x\n"));
    let ran = sandbox.run(&["check", "out", "--json"]);
    assert!(ran.code == 1 && json(&ran.stdout)["hash_matches"] == false, "{ran:?}");
}
