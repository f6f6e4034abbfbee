//! What may never be published: removed before anything else, counted, and looked for once more in what was written.

use std::fs;

use serde_json::json;

use crate::support::Sandbox;

/// A log of twelve persons who all search for roses and cars, and some for what must not leave.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    let mut log = "user,query,time,url\n".to_owned();
    for person in 0..12 {
        let at = |minute: usize| format!("2006-03-01 10:{:02}:00", (person + minute) % 60);
        log += &format!("p{person},garden roses,{},http://roses.example\n", at(0));
        log += &format!("p{person},used cars,{},\n", at(1));
        if person < 6 {
            log += &format!("p{person},Acme takeover,{},\n", at(2));
            log += &format!("p{person},takeover of nothing,{},http://www.acme.example/x\n", at(3));
            log += &format!("p{person},call 555-1234,{},\n", at(4));
        }
    }
    log += "p99,ACME shares,2006-03-01 12:00:00,\n";
    sandbox.write("log.csv", log);
    sandbox.write("never.txt", "# the lawyers' list\nacme\n/\\d{3}-\\d{4}/\nzeppelin\n");
    sandbox
}

const FLAGS: [&str; 6] = ["--k", "3", "--seed", "5", "--min-persons", "1"];

#[test]
fn barred_rows_are_removed_and_counted() {
    let sandbox = sandbox();
    for method in ["kindred", "user-microaggregation", "semantic-microaggregation", "interest-microaggregation"] {
        let protect = ["protect", "log.csv", "--out", method, "--method", method, "--drop", "never.txt"];
        let flags = if method.starts_with("interest") { &FLAGS[..4] } else { &FLAGS[..] };
        let ran = sandbox.run(&[&protect[..], flags].concat());
        assert_eq!(ran.code, 0, "{method}: {ran:?}");
        let data = sandbox.read(&format!("{method}/data.csv")).to_lowercase();
        assert!(!data.contains("acme") && !data.contains("555"), "{method}: {data}");
        let certificate = sandbox.json(&format!("{method}/certificate.json"));
        let accounting = &certificate["accounting"];
        assert_eq!((&accounting["rows_barred"], &accounting["persons_barred"]), (&json!(19), &json!(1)), "{method}");
        assert_eq!((&certificate["input"]["persons"], &certificate["input"]["rows"]), (&json!(13), &json!(43)));
        assert!(accounting["persons_dropped"].as_u64() >= Some(1));
        // Neither the list nor what is in it is in the release.
        for file in ["certificate.json", "report.json", "report.html"] {
            let text = sandbox.read(&format!("{method}/{file}")).to_lowercase();
            assert!(!text.contains("never.txt") && !text.contains("acme") && !text.contains("zeppelin"), "{file}");
        }
    }
    let protect = ["protect", "log.csv", "--out", "out", "--drop", "never.txt", "--measure", "query-frequency"];
    sandbox.snapshot("drop", &[&protect[..], &FLAGS].concat());
}

#[test]
fn names_are_looked_through() {
    let sandbox = sandbox();
    let log = sandbox.read("log.csv");
    sandbox.write("column.csv", log.replacen("query", "acme_asked", 1));
    sandbox.write("ids.csv", log.replace("p3,", "john.acme,"));
    let column = ["protect", "column.csv", "--out", "column", "--drop", "never.txt", "--column", "query=acme_asked"];
    let ids = ["protect", "ids.csv", "--out", "ids", "--drop", "never.txt", "--keep-ids"];
    for (protect, what) in [(&column[..], "the name of a column"), (&ids, "an id that is kept")] {
        let ran = sandbox.run(&[protect, &FLAGS].concat());
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.stderr.contains(what) && ran.stderr.contains("line 2 of the list"), "{ran:?}");
        assert!(!ran.stderr.contains("john.acme"), "{ran:?}");
    }
    let ran = sandbox.run(&[&ids[..6], &FLAGS].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
}

#[test]
fn what_a_method_brings_back_is_not_published() {
    let sandbox = Sandbox::new();
    // The whole query is nobody's, until a threshold cuts longer ones to it.
    let mut log = "user,query,time\n".to_owned();
    for person in 0..9 {
        log += &format!("p{person},secret plan number{person},2006-03-01 10:0{person}:00\n");
    }
    sandbox.write("log.csv", log);
    sandbox.write("whole.txt", "\"secret plan\"\n");
    let flags = ["--method", "user-microaggregation", "--k", "3", "--min-persons", "3", "--one-row-per-person"];
    let protect = [&["protect", "log.csv", "--out", "out", "--drop", "whole.txt"][..], &flags].concat();
    let ran = sandbox.snapshot("drop-brought-back", &protect);
    assert!(ran.code == 2 && !ran.stderr.contains("secret"), "{ran:?}");
    assert!(!sandbox.path("out").exists());
}

#[test]
fn for_every_kind() {
    let sandbox = Sandbox::with_baskets();
    sandbox.write("never.txt", "beef\n");
    let flags = ["--k", "2", "--seed", "1", "--drop", "never.txt", "--taxonomy", "food.csv"];
    sandbox.done(&[&["protect", "baskets.dat", "--out", "plain"][..], &flags].concat());
    assert!(!sandbox.read("plain/data.fimi").contains("Beef"));
    assert_eq!(sandbox.json("plain/certificate.json")["accounting"]["rows_barred"], 3);
    // A taxonomy may bring a word back: Chicken becomes Meat.
    sandbox.write("meat.txt", "meat\n");
    let over = ["protect", "baskets.dat", "--out", "over", "--taxonomy", "food.csv", "--drop", "meat.txt", "--k", "2"];
    let ran = sandbox.run(&[&over[..], &["--seed", "1"]].concat());
    assert!(ran.code == 2 && ran.stderr.contains("would still say"), "{ran:?}");
    // The words of a log as baskets: whole queries are barred before they are words.
    sandbox.write("log.csv", "user,query,time\na,red roses,2006-03-01 10:00:00\nb,red roses,2006-03-01 10:00:00\nb,blue sky,2006-03-01 10:00:00\na,blue sky,2006-03-01 10:00:00\n");
    sandbox.write("whole.txt", "\"red roses\"\n");
    let words = ["protect", "log.csv", "--as", "baskets", "--out", "words", "--k", "2", "--drop", "whole.txt"];
    sandbox.done(&[&words[..], &["--unknown", "own-leaf", "--seed", "1"]].concat());
    assert!(!sandbox.read("words/data.csv").contains("rose"));
    // Documents: terms.
    fs::create_dir(sandbox.path("docs")).unwrap();
    for name in ["1", "2", "3", "4"] {
        sandbox.write(&format!("docs/{name}.txt"), "the dog, the cat and the horse");
    }
    sandbox.write("dog.txt", "Dog\n");
    let documents = ["protect", "docs", "--out", "vectors", "--k", "2", "--seed", "1", "--drop"];
    sandbox.done(&[&documents[..], &["dog.txt"]].concat());
    let data = sandbox.read("vectors/data.jsonl");
    assert!(!data.contains("dog") && data.contains("\"cat\":0.5"), "{data}");
    let several = sandbox.run(&[&documents[..], &["two.txt"]].concat());
    assert_eq!(several.code, 2);
    sandbox.write("two.txt", "cat\nSECRET dog\n");
    let several =
        sandbox.snapshot("drop-documents", &["protect", "docs", "--out", "x", "--k", "2", "--drop", "two.txt"]);
    assert!(several.code == 2 && !several.stderr.contains("SECRET"));
    // A comparison is of what could be published.
    let compare =
        ["compare", "baskets.dat", "--out", "compared", "--methods", "flock", "--k", "2", "--drop", "never.txt"];
    sandbox.done(&[&compare[..], &["--taxonomy", "food.csv"]].concat());
}

#[test]
fn lists_that_say_nothing() {
    let sandbox = sandbox();
    let protect = |list: &str| {
        sandbox.write("list.txt", list);
        sandbox
            .run(&[&["protect", "log.csv", "--out", "out", "--drop", "list.txt", "--show-values"][..], &FLAGS].concat())
    };
    for list in ["", "# nothing\n", "fine\n/SECRET(/\n", "...\n", "/x*/\n", "garden\nused\ntakeover\nacme\ncall\n"] {
        let ran = protect(list);
        assert!(ran.code == 2 && ran.stderr.contains("list.txt") && !ran.stderr.contains("SECRET"), "{list}: {ran:?}");
    }
    assert!(!sandbox.path("out").exists());
}
