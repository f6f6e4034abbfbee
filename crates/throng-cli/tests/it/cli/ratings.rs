//! `throng recommend` and `throng shill`.

use crate::support::Sandbox;

/// Table 2 of Ray and Mahanti: Alice, five persons and two attack profiles, as CSV.
const TABLE: &str = "\
user,item,rating
Alice,Item 1,4
Alice,Item 2,4
Alice,Item 3,1
Alice,Item 4,3
User 1,Item 1,2
User 1,Item 2,3
User 1,Item 4,2
User 1,Item 5,1
User 2,Item 1,4
User 2,Item 2,1
User 2,Item 3,2
User 2,Item 5,2
User 3,Item 2,3
User 3,Item 3,4
User 3,Item 4,4
User 3,Item 5,4
User 4,Item 1,4
User 4,Item 3,1
User 4,Item 4,3
User 5,Item 1,3
User 5,Item 2,4
User 5,Item 3,3
User 5,Item 4,4
User 5,Item 5,2
";

/// The attack profiles.
const PROFILES: &str = "\
Attack 1,Item 1,4
Attack 1,Item 2,4
Attack 1,Item 3,3
Attack 1,Item 4,4
Attack 1,Item 5,5
Attack 2,Item 1,4
Attack 2,Item 2,3
Attack 2,Item 3,2
Attack 2,Item 4,4
Attack 2,Item 5,5
";

/// Forty persons and thirty items by a rule, as `u.data`.
fn made_up() -> String {
    let mut text = String::new();
    for person in 0..40 {
        for item in 0..30 {
            if (person * 7 + item * 11) % 5 < 3 {
                let rating = 1 + (person * item + person / 3 + item * item) % 5;
                text.push_str(&format!(
                    "{}\t{}\t{rating}\t{}\n",
                    100 + person,
                    7 + item,
                    880_000_000 + person * 977 + item
                ));
            }
        }
    }
    text
}

fn with_table() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("before.csv", TABLE);
    sandbox.write("after.csv", format!("{TABLE}{PROFILES}"));
    sandbox
}

#[test]
fn help_of_ratings() {
    let sandbox = Sandbox::new();
    sandbox.snapshot("help-recommend", &["recommend", "--help"]);
    for command in ["predict", "evaluate", "similar", "top"] {
        sandbox.snapshot(&format!("help-recommend-{command}"), &["recommend", command, "--help"]);
    }
    sandbox.snapshot("help-shill", &["shill", "--help"]);
    for command in ["inject", "measure"] {
        sandbox.snapshot(&format!("help-shill-{command}"), &["shill", command, "--help"]);
    }
}

/// Tables 1 and 2 (the four decimals there are cut off), and the ratings of the nearest rater: 1 before, 5 after.
#[test]
fn the_tables_of_the_paper() {
    let sandbox = with_table();
    sandbox.snapshot("recommend-similar", &["recommend", "similar", "after.csv", "--user", "Alice"]);
    let found = sandbox.done(&["recommend", "similar", "before.csv", "--user", "Alice", "--json"]).json();
    let first = &found["similar"][0];
    assert_eq!(
        (first["user"].as_str(), first["similarity"].as_f64(), first["common"].as_u64()),
        (Some("User 4"), Some(1.0), Some(3))
    );
    let cut: Vec<(&str, f64)> = found["similar"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["user"].as_str().unwrap(), (one["similarity"].as_f64().unwrap() * 1e4 + 1e-6).trunc() / 1e4))
        .collect();
    let printed = [("User 4", 1.0), ("User 1", 0.5), ("User 5", 0.4082), ("User 2", 0.1889), ("User 3", -0.7559)];
    assert!(
        cut.iter().zip(printed).all(|(cut, printed)| cut.0 == printed.0 && (cut.1 - printed.1).abs() < 1.5e-4),
        "{cut:?}"
    );
    let items = sandbox.done(&["recommend", "similar", "before.csv", "--item", "Item 1", "--json"]).json();
    assert!(items["similar"][0]["item"].is_string() && items["similar"][0].get("user").is_none());
}

#[test]
fn predictions_in_the_order_of_the_pairs() {
    let sandbox = with_table();
    sandbox.write("pairs.csv", "user,item,rating\nAlice,Item 5,2\nNobody,Item 5,3\nUser 4,Item 2,\n");
    let args = ["recommend", "predict", "before.csv", "--pairs", "pairs.csv", "--neighbours", "1"];
    sandbox.snapshot("recommend-predict", &args);
    let mut args = args.to_vec();
    args.extend(["--json", "--show-values"]);
    let found = sandbox.done(&args).json();
    assert_eq!(found["recommender"]["name"], "user-pearson");
    let first = &found["predictions"][0];
    assert_eq!(
        (&first["line"], &first["prediction"], &first["neighbours"], &first["user"]),
        (&2.into(), &2.0.into(), &1.into(), &"Alice".into())
    );
    assert!(first["fallback"].is_null());
    assert_eq!(found["predictions"][1]["fallback"], "global-mean");
    assert_eq!((&found["pairs"], &found["fallbacks"], &found["undefined"]), (&3.into(), &1.into(), &0.into()));
    assert!(found["mae"].is_number() && found["rmse"].is_number());
    args.extend(["--fallback", "none"]);
    let none = sandbox.done(&args).json();
    assert!(none["predictions"][1]["prediction"].is_null());
    assert_eq!(none["undefined"], 1);
    sandbox.write("list.txt", "Alice\tItem 5\n");
    let list = sandbox.done(&["recommend", "predict", "before.csv", "--pairs", "list.txt", "--json"]).json();
    assert!(list["mae"].is_null() && list["predictions"][0].get("user").is_none());
}

#[test]
fn all_recommenders_side_by_side() {
    let sandbox = Sandbox::new();
    sandbox.write("u.data", made_up());
    let found = sandbox.done(&["recommend", "evaluate", "u.data", "--folds", "3", "--json"]).json();
    let names: Vec<&str> =
        found["recommenders"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["user-pearson", "item-adjusted-cosine", "item-cosine", "bias", "item-mean"]);
    assert!(found["recommenders"][0]["rmse"].as_f64().unwrap() > 0.1);
    let top = sandbox.done(&["recommend", "top", "u.data", "--user", "104", "--number", "3", "--json"]).json();
    let predictions: Vec<f64> =
        top["items"].as_array().unwrap().iter().map(|item| item["prediction"].as_f64().unwrap()).collect();
    assert!(predictions.len() == 3 && predictions.windows(2).all(|pair| pair[0] >= pair[1]));
}

#[test]
fn what_is_wrong_with_ratings_is_said() {
    let sandbox = with_table();
    sandbox.write("twice.csv", format!("{TABLE}Alice,Item 1,5\n"));
    assert_eq!(sandbox.snapshot("recommend-twice", &["recommend", "similar", "twice.csv", "--user", "Alice"]).code, 2);
    let skipped = sandbox.done(&["recommend", "similar", "twice.csv", "--user", "Alice", "--bad-lines", "skip"]);
    assert!(skipped.stderr.contains("1 line was left out"), "{}", skipped.stderr);
    assert_eq!(sandbox.snapshot("recommend-nobody", &["recommend", "similar", "before.csv", "--user", "Bob"]).code, 2);
    let outside = sandbox.run(&["recommend", "similar", "before.csv", "--user", "Alice", "--scale", "1..3"]);
    assert!(outside.code == 2 && outside.stderr.contains("outside of the scale"), "{}", outside.stderr);
    sandbox.write("equal.csv", "a,x,3\na,y,3\nb,x,3\n");
    let equal = sandbox.done(&["recommend", "similar", "equal.csv", "--user", "a"]);
    assert!(equal.stderr.contains("all ratings are equal"), "{}", equal.stderr);
    sandbox.write("movies.csv", "movieId,title,genres\n1,x,Drama\n");
    let others = sandbox.run(&["recommend", "top", "before.csv", "--user", "Alice", "--items", "movies.csv"]);
    assert!(others.code == 2 && others.stderr.contains("another data set"), "{}", others.stderr);
}

#[test]
fn profiles_come_behind_the_file() {
    let sandbox = Sandbox::new();
    let original = made_up();
    sandbox.write("u.data", &original);
    let args = [
        "shill", "inject", "u.data", "--attack", "average", "--target", "9", "--size", "10%", "--filler", "0.2",
        "--out", "p.data", "--labels", "l.csv", "--json",
    ];
    let found = sandbox.done(&args).json();
    assert_eq!((&found["profiles"], &found["fillers"], &found["shortfall"]), (&4.into(), &6.into(), &0.into()));
    let poisoned = sandbox.read("p.data");
    let added = poisoned.strip_prefix(original.as_str()).unwrap();
    assert_eq!(added.lines().count(), 4 * 7);
    let targets: Vec<&str> = added.lines().filter(|line| line.split('\t').nth(1) == Some("9")).collect();
    assert!(targets.len() == 4 && targets.iter().all(|line| line.split('\t').nth(2) == Some("5")));
    for line in added.lines() {
        let cells: Vec<&str> = line.split('\t').collect();
        assert!(cells.len() == 4 && cells[0].len() == 3 && original.contains(&format!("\t{}\n", cells[3])), "{line}");
    }
    let labels = sandbox.read("l.csv");
    assert_eq!(labels.lines().next(), Some("user,label"));
    assert_eq!((labels.matches(",genuine").count(), labels.matches(",shill").count()), (40, 4));
    let again = [
        "shill", "inject", "u.data", "--attack", "average", "--target", "9", "--size", "10%", "--filler", "0.2",
        "--out", "q.data", "--labels", "m.csv",
    ];
    sandbox.done(&again);
    assert_eq!(sandbox.read("q.data"), poisoned);
    assert_eq!(sandbox.run(&again).code, 2);

    let measured = sandbox
        .done(&["shill", "measure", "u.data", "--after", "p.data", "--target", "9", "--users", "10", "--json"])
        .json();
    assert!(measured["shift"].as_f64().unwrap() > 0.0, "{measured}");
    assert_eq!(measured["pairs"].as_u64().unwrap() + measured["undefined"].as_u64().unwrap(), 10);
    assert_eq!(measured["items"][0]["item"], "9");
    sandbox.write("users.txt", "100\n101\n");
    let two = sandbox
        .done(&["shill", "measure", "u.data", "--after", "p.data", "--target", "9,8", "--users", "users.txt", "--json"])
        .json();
    assert_eq!(two["pairs"].as_u64().unwrap() + two["undefined"].as_u64().unwrap(), 4);
}

#[test]
fn an_injection_that_cannot_be_made_writes_nothing() {
    let sandbox = Sandbox::new();
    sandbox.write("u.data", made_up());
    let refused = |attack: &str, target: &str, more: &[&str]| {
        let mut args =
            vec!["shill", "inject", "u.data", "--attack", attack, "--target", target, "--out", "p", "--labels", "l"];
        args.extend(more);
        let ran = sandbox.run(&args);
        assert_eq!(ran.code, 2, "{args:?}: {ran:?}");
        assert_eq!(sandbox.listing(), ["u.data"]);
        ran.stderr
    };
    assert!(refused("average", "999", &[]).contains("is not in the ratings"));
    assert!(refused("segment", "9", &[]).contains("--items"));
    assert!(refused("random", "9", &["--filler", "1"]).contains("30 fillers"));
    assert!(refused("random", "9", &["--size", "0"]).contains("size"));
    assert!(refused("randm", "9", &[]).contains("random"));
    let one = sandbox.done(&[
        "shill", "inject", "u.data", "--attack", "random", "--target", "9", "--size", "0.001", "--out", "p",
        "--labels", "l",
    ]);
    assert!(one.stderr.contains("one profile was made"), "{}", one.stderr);
}

/// Every form is published in itself, and the check of the written bytes holds.
#[test]
fn ratings_are_published_in_their_own_form() {
    let sandbox = Sandbox::new();
    let made = ["--persons", "60", "--items", "80", "--mean-ratings", "25", "--seed", "1", "--out"];
    for form in ["csv", "tsv.gz", "jsonl", "parquet"] {
        let (file, out) = (format!("made.{form}"), format!("release-{form}"));
        sandbox.run(&[&["synth", "ratings"], &made[..], &[file.as_str()]].concat());
        let ran = sandbox.run(&["protect", &file, "--k", "4", "--out", &out, "--seed", "1"]);
        assert_eq!(ran.code, 0, "{form}: {}", ran.stderr);
        assert_eq!(sandbox.run(&["check", &out, "--original", &file]).code, 0, "{form}");
    }
    let csv = std::fs::read_to_string(sandbox.path("made.csv")).unwrap();
    let colons: String = csv.lines().skip(1).map(|line| line.replace(',', "::") + "\n").collect();
    sandbox.write("made.dat", colons);
    let ran = sandbox.run(&["protect", "made.dat", "--k", "4", "--out", "release-dat", "--seed", "1"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let written = std::fs::read_to_string(sandbox.path("release-dat/data.tsv")).unwrap();
    assert!(written.lines().all(|line| line.split("::").count() == 4 && line.ends_with("::")));
    assert_eq!(sandbox.run(&["check", "release-dat", "--original", "made.dat"]).code, 0);
    // A value written otherwise is another record, although the number is the same.
    let bytes = std::fs::read_to_string(sandbox.path("release-csv/data.csv")).unwrap();
    sandbox.write(
        "longer.csv",
        format!("{}\n{}", bytes.lines().next().unwrap(), {
            let mut lines: Vec<String> = bytes.lines().skip(1).map(str::to_owned).collect();
            lines[0] = lines[0].trim_end_matches(',').to_owned() + "0,";
            lines.join("\n") + "\n"
        }),
    );
    let ran = sandbox.run(&["check", "longer.csv", "--model", "user-k-anonymity:k=4"]);
    assert_eq!(ran.code, 1, "{}", ran.stdout);
}

#[test]
fn what_ratings_cannot_be_published_as_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("one.csv", "user,item,rating\n1,a,3\n1,b,4\n");
    sandbox.write("apart.csv", "user,item,rating\n1,a,3\n1,b,4\n2,c,3\n2,d,4\n");
    let refused = |flags: &[&str]| {
        let ran = sandbox.run(&[flags, &["--out", "release"]].concat());
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        assert!(!sandbox.path("release").exists());
        ran.stderr
    };
    assert!(refused(&["protect", "one.csv", "--one-row-per-person"]).contains("only one person"));
    assert!(
        refused(&["protect", "apart.csv", "--k", "2", "--one-row-per-person"]).contains("nothing could be published")
    );
    assert!(refused(&["protect", "apart.csv", "--k", "2", "--time-resolution", "1d"]).contains("must be a year"));
    assert!(refused(&["protect", "apart.csv", "--k", "2", "--scale", "4..5"]).contains("outside of the scale"));
}
