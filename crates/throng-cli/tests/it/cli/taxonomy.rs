//! `throng taxonomy`.

use serde_json::json;

use crate::support::Sandbox;

/// Figure 1.3 of paper 002, as pairs.
const FOOD: &str = "child,parent\nFruit,Food\nApple,Fruit\nOrange,Fruit\nBanana,Fruit\nMeat,Food\nBeef,Meat\n\
                    Chicken,Meat\nDairy,Food\nMilk,Dairy\nCheese,Dairy\nButter,Dairy\n";

#[test]
fn taxonomy() {
    let sandbox = Sandbox::new();
    sandbox.write("food.csv", FOOD.as_bytes());
    sandbox.snapshot("taxonomy-import", &["taxonomy", "import", "food.csv", "--out", "food.taxonomy"]);
    sandbox.snapshot("taxonomy-import-exists", &["taxonomy", "import", "food.csv", "--out", "food.taxonomy"]);
    sandbox.snapshot("taxonomy-show", &["taxonomy", "show", "food.taxonomy"]);
    sandbox.snapshot("taxonomy-show-item", &["taxonomy", "show", "Fruit", "--taxonomy", "food.taxonomy"]);
    sandbox.snapshot("taxonomy-show-json", &["taxonomy", "show", "food.taxonomy", "Meat", "Milk", "--json"]);
    sandbox.snapshot("taxonomy-path", &["taxonomy", "path", "food.csv", "Apple", "Milk"]);
    let path = sandbox.done(&["taxonomy", "path", "Beef", "Chicken", "--taxonomy", "food.csv", "--json"]).json();
    assert_eq!((&path["common_ancestor"], &path["path"]), (&json!("Meat"), &json!(["Beef", "Meat", "Chicken"])));
    assert_eq!(path["loss"], 1.0 / 7.0);
    sandbox.done(&["taxonomy", "import", "food.taxonomy", "--out", "back.csv", "--quiet"]);
    assert_eq!(sandbox.read("back.csv"), FOOD);
}

#[test]
fn taxonomy_wordnet() {
    let sandbox = Sandbox::new();
    sandbox.snapshot("taxonomy-wordnet", &["taxonomy", "show"]);
    sandbox.snapshot("taxonomy-wordnet-word", &["taxonomy", "show", "mice"]);
    sandbox.snapshot("taxonomy-wordnet-path", &["taxonomy", "path", "dogs", "cat"]);
    sandbox.snapshot("taxonomy-wordnet-unknown", &["taxonomy", "show", "elefant"]);
    let shown = sandbox.done(&["taxonomy", "show", "domestic dog", "--json"]).json();
    assert_eq!((&shown["item"], &shown["level"]), (&json!("dog"), &json!(14)));
    assert_eq!(sandbox.done(&["taxonomy", "show", "dogs", "--json"]).json()["senses"][1], "frump");
}

#[test]
fn taxonomy_generate() {
    let sandbox = Sandbox::new();
    sandbox.write("baskets.dat", b"1 2 30\n2 10\n4 5 6\n10 11 12 1\n");
    let generate = ["taxonomy", "generate", "baskets.dat", "--fanout", "4", "--out"];
    sandbox.snapshot("taxonomy-generate", &[&generate[..], &["tree.csv"]].concat());
    let csv = sandbox.read("tree.csv");
    assert!(csv.starts_with("child,parent\n1..4,all\n1,1..4\n2,1..4\n4,1..4\n5..10,all\n"), "{csv}");
    sandbox.snapshot("taxonomy-generate-intervals", &[&generate[..], &["wide.taxonomy", "--width", "10"]].concat());
    sandbox.snapshot("taxonomy-generate-from-data", &[&generate[..], &["data.taxonomy", "--from-data"]].concat());
    let made = sandbox.done(&[&generate[..], &["other.taxonomy", "--json"]].concat()).json();
    assert_eq!((&made["leaves"], &made["file"]), (&json!(9), &json!("other.taxonomy")));
    let failed = ["taxonomy", "generate", "baskets.dat", "--fanout", "1", "--out", "no.csv"];
    sandbox.snapshot("taxonomy-generate-fanout", &failed);
    sandbox.write("words.dat", b"1 two\n");
    let failed = ["taxonomy", "generate", "words.dat", "--fanout", "2", "--width", "5", "--out", "no.csv"];
    sandbox.snapshot("taxonomy-generate-words", &failed);
}

#[test]
fn taxonomy_refusals() {
    let sandbox = Sandbox::new();
    for (name, text) in [
        ("circle.csv", "child,parent\na,r\nb,c\nc,b\n"),
        ("two-parents.csv", "child,parent\na,r\nb,r\na,b\n"),
        ("roots.txt", "Top/Arts\nTop/Sports\nTpo/Games\n"),
        ("twice.json", "{\"Food\": {\n \"Fruit\": [\"Kiwi\"],\n \"Birds\": [\"Kiwi\"]}}\n"),
        ("ragged.arx", "1;low;*\n9;*\n"),
        ("unknown.txt", "hello\n"),
    ] {
        sandbox.write(name, text.as_bytes());
        let failed = sandbox.snapshot(
            &format!("taxonomy-bad-{}", name.replace('.', "-")),
            &["taxonomy", "import", name, "--out", "x.taxonomy"],
        );
        assert_eq!(failed.code, 2);
    }
    sandbox.snapshot("taxonomy-bad-shown", &["taxonomy", "show", "circle.csv", "--show-values"]);
    sandbox.snapshot("taxonomy-bad-form", &["taxonomy", "import", "unknown.txt", "--format", "arxx", "--out", "x"]);
    sandbox.snapshot("taxonomy-bad-path", &["taxonomy", "path", "dog"]);
}
