//! `throng profile`: profiles of persons, alarms, and what may not be read.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::support::Sandbox;

/// Three pages as the paper's Figure 8 has them: sport 4, 1, 0; music 0, 2, 1; travel 0, 0, 2.
fn with_pages() -> Sandbox {
    let sandbox = Sandbox::new();
    std::fs::create_dir_all(sandbox.path("mirror/b.example")).unwrap();
    sandbox.write(
        "mirror/a.example.html",
        "<html><script>song song song hotel</script><p>Football, footballs and <b>goals</b>: the league.</p></html>",
    );
    sandbox.write("mirror/b.example/x.txt", "The song of a goal. Bands!");
    sandbox.write("mirror/c.example.md", "# Hotels\n\nFlights, a band of nothing.");
    sandbox.write(
        "topics.toml",
        "[topics]\nsport = [\"football\", \"goal\", \"league\"]\nmusic = [\"song\", \"band\"]\ntravel = [\"hotel\", \"flight\"]\n",
    );
    let line = |person: &str, minute: usize, page: &str| {
        format!("{person}\tgo\t2024-01-01 {:02}:{:02}:00\t{page}\n", minute / 60, minute % 60)
    };
    let header = "AnonID\tQuery\tQueryTime\tClickURL\n";
    let early = ["http://a.example", "http://b.example/x.html", "http://www.c.example/"];
    let early: String = early.iter().enumerate().map(|(minute, page)| line("17", minute, page)).collect();
    sandbox.write("early.tsv", format!("{header}{early}{}", line("18", 5, "http://d.example")));
    // Sixteen times c and four times b: sport 4, music 24, travel 32 of 60.
    let later: String =
        (0..20).map(|at| line("17", at, if at % 5 == 0 { "http://b.example/x" } else { "http://c.example" })).collect();
    sandbox.write("later.tsv", format!("{header}{}{later}", line("18", 1, "http://a.example")));
    sandbox
}

const BUILD: [&str; 8] = ["profile", "build", "early.tsv", "--topics", "topics.toml", "--pages", "mirror", "--out"];

#[test]
fn help_of_profile() {
    let sandbox = Sandbox::new();
    sandbox.snapshot("help-profile", &["profile", "--help"]);
    for command in ["build", "compare", "update", "chart"] {
        sandbox.snapshot(&format!("help-profile-{command}"), &["profile", command, "--help"]);
    }
}

#[test]
fn three_pages_by_hand() {
    let sandbox = with_pages();
    let built = sandbox.done(&[&BUILD[..], &["p.json", "--json"]].concat());
    assert_eq!((&built.json()["persons"], &built.json()["without_profile"]), (&json!(1), &json!(1)));
    assert!(built.stderr.contains("as secret as the log"), "{}", built.stderr);
    let file = sandbox.json("p.json");
    assert_eq!(file["persons"][0]["shares"], json!([[0, 0.5], [1, 0.3], [2, 0.2]]));
    assert!(file["secret"].as_str().unwrap().contains("Never publish"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(sandbox.path("p.json").metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }

    let compare = [
        "profile",
        "compare",
        "later.tsv",
        "--profiles",
        "p.json",
        "--pages",
        "mirror",
        "--distance",
        "band",
        "--json",
    ];
    let found = sandbox.done(&compare).json();
    assert_eq!((&found["judged"], &found["not_judged"], &found["alarms"]), (&json!(1), &json!(1), &json!(1)));
    let person = &found["persons"][0];
    // The header is line 1, person 18 has line 2.
    assert_eq!((&person["line"], &person["alarm"], person.get("id")), (&json!(3), &json!(true), None));
    let near = |value: &Value, expected: f64| assert!((value.as_f64().unwrap() - expected).abs() < 1e-12, "{person}");
    near(&person["distance"], 0.5 - 4.0 / 60.0);
    for (at, (name, own, now)) in
        [("sport", 0.5, 4.0), ("travel", 0.2, 32.0), ("music", 0.3, 24.0)].into_iter().enumerate()
    {
        assert_eq!(person["topics"][at]["name"], name);
        near(&person["topics"][at]["own"], own);
        near(&person["topics"][at]["now"], now / 60.0);
    }
    assert_eq!(sandbox.run(&[&compare[..], &["--alarm"]].concat()).code, 1);
    let wide = sandbox.done(&[&compare[..], &["--alarm", "--tolerance", "0.44", "--show-values"]].concat()).json();
    assert_eq!((&wide["alarms"], &wide["persons"][0]["id"]), (&json!(0), &json!("17")));
    // Three lines are too few for windows: the default says so, and raises no alarm.
    let few = sandbox.done(&["profile", "compare", "later.tsv", "--profiles", "p.json", "--pages", "mirror", "--json"]);
    assert_eq!((&few.json()["persons"][0]["limit"], &few.json()["alarms"]), (&json!(null), &json!(0)));
    assert!(few.stderr.contains("too few earlier windows"), "{}", few.stderr);

    let chart = ["profile", "chart", "p.json", "later.tsv", "--pages", "mirror", "--line", "3", "--out", "suspect.svg"];
    sandbox.done(&chart);
    let svg = sandbox.read("suspect.svg");
    assert!(
        svg.contains("class=\"band\"")
            && svg.contains("class=\"now\"")
            && svg.contains("sport: 50.0 % in the profile, 6.7 % now")
    );
    assert_eq!(sandbox.run(&chart).code, 2, "it exists already");

    let update = ["profile", "update", "p.json", "later.tsv", "--pages", "mirror", "--distance", "band", "--json"];
    let refused = sandbox.run(&[&update[..], &["--alarm"]].concat());
    assert_eq!(
        (refused.code, &refused.json()["refused"], &refused.json()["refused_lines"]),
        (1, &json!(1), &json!([3]))
    );
    assert_eq!(sandbox.json("p.json")["persons"][0]["shares"], json!([[0, 0.5], [1, 0.3], [2, 0.2]]));
    assert_eq!(sandbox.done(&[&update[..], &["--accept"]].concat()).json()["updated"], 1);
    let shares = &sandbox.json("p.json")["persons"][0]["shares"];
    near(&shares[0][1], 0.8 * 0.5 + 0.2 * 4.0 / 60.0);
    near(&shares[2][1], 0.8 * 0.2 + 0.2 * 32.0 / 60.0);
}

const NOUNS: [&str; 40] = [
    "dog", "river", "song", "bank", "car", "bread", "teacher", "window", "storm", "garden", "money", "horse", "shoe",
    "island", "doctor", "tree", "letter", "wine", "house", "game", "fever", "city", "apple", "table", "dance", "bird",
    "metal", "law", "winter", "road", "fish", "book", "army", "child", "cup", "voice", "stone", "tax", "hill", "train",
];

/// Thirty persons with favourites among forty words, of which all have some.
fn log(day: usize, person_of: impl Fn(usize) -> usize) -> String {
    let mut state = 7u64 + day as u64;
    let mut draw = move |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut text = String::from("user,query,time\n");
    for at in 0..30 {
        let favourites = person_of(at);
        for line in 0..100 {
            let word = if draw(10) < 7 { (favourites * 7 + draw(4) as usize * 3) % 40 } else { draw(40) as usize };
            let [word, other] = [NOUNS[word], NOUNS[draw(40) as usize]];
            let _ = writeln!(text, "u{at},{word} {other},2024-01-{day:02} {:02}:{:02}:00", line / 60, line % 60);
        }
    }
    text
}

#[test]
fn a_masquerader_is_recognised_and_others_are_not() {
    let sandbox = Sandbox::new();
    sandbox.write("early.csv", log(1, |at| at));
    // u3 and u17 have changed places.
    sandbox.write(
        "later.csv",
        log(2, |at| match at {
            3 => 17,
            17 => 3,
            _ => at,
        }),
    );
    sandbox.done(&["profile", "build", "early.csv", "--out", "p.json", "--quiet"]);
    let compare = ["profile", "compare", "later.csv", "--profiles", "p.json", "--json", "--show-values"];
    let found = sandbox.done(&[&compare[..], &["--matrix", "matrix.csv", "--threads", "1"]].concat());
    let persons = found.json()["persons"].as_array().unwrap().clone();
    let alarmed: Vec<&Value> =
        persons.iter().filter(|person| person["alarm"] == true).map(|person| &person["id"]).collect();
    assert!(alarmed.contains(&&json!("u3")) && alarmed.contains(&&json!("u17")), "{alarmed:?}");
    assert!(alarmed.len() <= 5, "{alarmed:?}");
    assert_eq!(sandbox.done(&[&compare[..], &["--threads", "2"]].concat()).stdout, found.stdout);
    // Whose lines they look like instead.
    let matrix = sandbox.read("matrix.csv");
    assert!(matrix.starts_with("person,profile,distance\n"));
    assert_eq!(matrix.lines().count(), 1 + 30 * 30);
    let of_u3 = matrix.lines().filter_map(|line| line.strip_prefix("u3,"));
    let nearest = of_u3.min_by(|one, other| {
        let distance = |row: &str| row.split(',').nth(1).unwrap().parse::<f64>().unwrap();
        distance(one).total_cmp(&distance(other))
    });
    assert!(nearest.unwrap().starts_with("u17,"), "{nearest:?}");
    // The words and their shares are those of many; with a greater k they are not shown.
    let hidden =
        sandbox.done(&["profile", "compare", "later.csv", "--profiles", "p.json", "--json", "--k", "31"]).stdout;
    assert!(hidden.contains("of fewer than 31 persons") && !hidden.contains("island"), "{hidden}");
    for topics in ["wordnet", "learned:6"] {
        sandbox.done(&[
            "profile",
            "build",
            "early.csv",
            "--out",
            &format!("{topics}.json"),
            "--topics",
            topics,
            "--threads",
            "1",
        ]);
        sandbox.done(&["profile", "build", "early.csv", "--out", "again.json", "--topics", topics, "--threads", "2"]);
        assert_eq!(sandbox.read(&format!("{topics}.json")), sandbox.read("again.json"));
        std::fs::remove_file(sandbox.path("again.json")).unwrap();
    }
    let learned = sandbox.done(&["profile", "compare", "later.csv", "--profiles", "learned:6.json", "--json"]).json();
    assert_eq!(learned["judged"], 30);
}

#[test]
fn what_cannot_be_read_is_named() {
    let sandbox = with_pages();
    let refused = |args: &[&str], words: &[&str]| {
        let ran = sandbox.run(args);
        assert_eq!(ran.code, 2, "{args:?}: {ran:?}");
        for word in words {
            assert!(ran.stderr.contains(word), "{args:?}: {word}: {}", ran.stderr);
        }
    };
    sandbox.write("two.toml", "[topics]\nsport = [\"goal\"]\nnight = [\"bar\",\n  \"goal\"]\n");
    refused(
        &["profile", "build", "early.tsv", "--out", "x.json", "--topics", "two.toml"],
        &["two.toml", "goal", "sport", "night", "two.toml:4"],
    );
    sandbox.write("stems.toml", "[topics]\nsport = [\"running\"]\ncode = [\"run\"]\n");
    refused(
        &["profile", "build", "early.tsv", "--out", "x.json", "--topics", "stems.toml"],
        &["running", "run", "stem"],
    );
    refused(
        &["profile", "build", "early.tsv", "--out", "x.json", "--topics", "none.toml"],
        &["none.toml", "no such file"],
    );
    sandbox.write("untimed.csv", "user,query\n1,red car\n2,blue car\n");
    refused(&["profile", "build", "untimed.csv", "--out", "x.json", "--kind", "queries"], &["time"]);
    refused(&["profile", "build", "untimed.csv", "--out", "x.json"], &["untimed.csv"]);
    sandbox.write("empty.csv", "user,query,time\n");
    refused(&["profile", "build", "empty.csv", "--out", "x.json"], &["empty.csv"]);
    sandbox.write("nothing.csv", "");
    refused(&["profile", "build", "nothing.csv", "--out", "x.json"], &["nothing.csv"]);
    sandbox.write("few.csv", "user,query,time\n1,red car,2024-01-01 10:00:00\n");
    refused(&["profile", "build", "few.csv", "--out", "x.json"], &["no word", "--k"]);

    sandbox.done(&[&BUILD[..], &["p.json", "--quiet"]].concat());
    refused(&[&BUILD[..], &["p.json"]].concat(), &["exists already"]);
    let compare = ["profile", "compare", "later.tsv", "--pages", "mirror", "--profiles"];
    let with = |name: &str, text: String| {
        sandbox.write(name, text);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            std::fs::set_permissions(sandbox.path(name), std::fs::Permissions::from_mode(0o600)).unwrap();
        }
    };
    let text = sandbox.read("p.json");
    with("edited.json", text.replace("0.5", "0.4"));
    refused(&[&compare[..], &["edited.json"]].concat(), &["edited.json", "edited"]);
    with("cut.json", text[..text.len() - 9].to_owned());
    refused(&[&compare[..], &["cut.json"]].concat(), &["cut.json"]);
    with("version.json", text.replacen("\"format\":1", "\"format\":2", 1));
    refused(&[&compare[..], &["version.json"]].concat(), &["format 2", "anew"]);
    with("other.json", "{\"format\": 1}".to_owned());
    refused(&[&compare[..], &["other.json"]].concat(), &["no file of profiles"]);
    refused(&[&compare[..], &["p.json", "--distance", "cosine"]].concat(), &["cosine", "jsd"]);
    refused(&[&compare[..], &["p.json", "--false-alarms", "2"]].concat(), &["false-alarms", "from 0 to 1"]);
    std::fs::create_dir(sandbox.path("release")).unwrap();
    sandbox.write("release/certificate.json", "{}");
    with("release/p.json", text.clone());
    refused(&[&compare[..], &["release/p.json"]].concat(), &["inside the release"]);
    refused(&["profile", "chart", "p.json", "later.tsv", "--line", "4", "--out", "x.svg"], &["line", "first line"]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(sandbox.path("p.json"), std::fs::Permissions::from_mode(0o644)).unwrap();
        refused(&[&compare[..], &["p.json"]].concat(), &["others can read", "chmod 600"]);
    }
    assert!(!sandbox.path("x.json").exists());
}

#[test]
fn profiles_are_evaluated_by_halves() {
    let sandbox = Sandbox::new();
    sandbox.write("log.csv", log(1, |at| at));
    let evaluate = ["detect", "evaluate", "--detector", "profiles", "log.csv", "--json", "--threads"];
    let found = sandbox.done(&[&evaluate[..], &["1"]].concat());
    assert_eq!(sandbox.done(&[&evaluate[..], &["2"]].concat()).stdout, found.stdout);
    let found = found.json();
    let rows = found["profiles"].as_array().unwrap();
    let kinds: Vec<(&str, &str)> =
        rows.iter().map(|row| (row["topics"].as_str().unwrap(), row["distance"].as_str().unwrap())).collect();
    assert_eq!(&kinds[..3], [("words", "jsd"), ("words", "band"), ("wordnet", "jsd")]);
    assert_eq!((found["detector"].as_str(), rows.len(), &rows[0]["persons"]), (Some("profiles"), 8, &json!(30)));
    assert!(rows[0]["auc"].as_f64().unwrap() > 0.9 && rows[0]["named"].as_f64().unwrap() > 0.5, "{rows:?}");
    assert!(rows[0]["equal_error"].as_f64().unwrap() < 0.2, "{rows:?}");
    let some = sandbox.done(&[
        "detect",
        "evaluate",
        "--detector",
        "profiles",
        "log.csv",
        "--topics",
        "words",
        "--targets",
        "9",
        "--json",
    ]);
    assert_eq!(
        (some.json()["profiles"].as_array().unwrap().len(), &some.json()["profiles"][0]["persons"]),
        (2, &json!(9))
    );
    assert!(some.stderr.contains("9 of 30 persons"), "{}", some.stderr);
    let text = sandbox.done(&["detect", "evaluate", "--detector", "profiles", "log.csv", "--topics", "words"]).stdout;
    assert!(text.contains("jsd") && text.contains("named"), "{text}");
    sandbox.write("short.csv", "user,query,time\n1,red car,2024-01-01 10:00:00\n");
    let short = sandbox.run(&["detect", "evaluate", "--detector", "profiles", "short.csv"]);
    assert!(short.code == 2 && short.stderr.contains("40 lines"), "{short:?}");
    let unlabelled = sandbox.run(&["detect", "evaluate", "log.csv"]);
    assert!(unlabelled.code == 2 && unlabelled.stderr.contains("--labels"), "{unlabelled:?}");
}

#[test]
fn visits_have_profiles_and_are_attacked() {
    let sandbox = Sandbox::new();
    sandbox.done(&["synth", "visits", "--persons", "120", "--seed", "1", "--out", "access.log", "--quiet"]);
    sandbox.done(&["profile", "build", "access.log", "--out", "p.json", "--quiet"]);
    let found = sandbox.done(&["profile", "compare", "access.log", "--profiles", "p.json", "--json"]).json();
    assert!(found["judged"].as_u64().unwrap() > 0, "{found}");
    assert!(found["persons"].as_array().unwrap().iter().all(|person| person["distance"].as_f64().unwrap() < 1e-9));
    let attacked = sandbox.run(&["attack", "access.log", "access.log", "--attack", "profile-match", "--json"]).json();
    let outcome = &attacked["attacks"][0];
    assert_eq!((&outcome["name"], &outcome["knowledge"]["lines"]), (&json!("profile-match"), &json!("first half")));
    assert!(outcome.get("before").is_some() && outcome["parts"].get("before").is_some(), "{outcome}");
}
