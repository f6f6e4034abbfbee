//! `throng policy check`, and what `protect` and `check` do with a policy.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::{Ran, Sandbox};

/// A log of twelve persons: six search for roses and cars, six for an illness and a city. One more is ill.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    let mut log = "user,query,time,url\n".to_owned();
    for person in 0..12 {
        let (one, other) = match person {
            0..6 => ("breast cancer,", "hotels in paris,"),
            _ => ("garden roses,", "used cars,"),
        };
        for line in 0..4 {
            let at = format!("2006-03-01 10:{:02}:00", person + line);
            let (query, url) = if line % 2 == 0 { (one, "http://x.example/health/a") } else { (other, "") };
            log += &format!("p{person},{query}{at},{url}\n");
        }
    }
    log += "p99,influenza,2006-03-01 12:00:00,\n";
    sandbox.write("log.csv", log);
    sandbox
}

const FLAGS: [&str; 8] = ["--k", "3", "--method", "user-microaggregation", "--seed", "5", "--min-persons", "1"];

/// Protects the log with a policy of these rules.
fn protect(sandbox: &Sandbox, out: &str, policy: &str, more: &[&str]) -> Ran {
    sandbox.write("policy.toml", policy);
    let protect = ["protect", "log.csv", "--out", out, "--policy", "policy.toml"];
    sandbox.run(&[&protect[..], &FLAGS, more].concat())
}

fn rules(rules: &[&str]) -> String {
    format!("format = 1\nrule = [\n{}\n]\n", rules.join(",\n"))
}

const NO_ILLNESS: &str = "{ name = \"no illnesses\", kind = \"queries\", mentions = { concepts = [\"disease.n.01\"] }, then = \"leave-out\" }";

#[test]
fn help_of_policies() {
    let sandbox = Sandbox::new();
    sandbox.snapshot("help-policy", &["policy", "--help"]);
    sandbox.snapshot("help-policy-check", &["policy", "check", "--help"]);
}

#[test]
fn what_is_left_out_is_counted_and_the_certificate_names_the_rules() {
    let sandbox = sandbox();
    let ran = protect(&sandbox, "out", &rules(&[NO_ILLNESS]), &["--measure", "query-frequency", "--no-attacks"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let data = sandbox.read("out/data.csv");
    assert!(!data.contains("cancer") && !data.contains("influenza") && data.contains("roses"), "{data}");
    let certificate = sandbox.json("out/certificate.json");
    assert_eq!(certificate["accounting"]["rows_barred"], 13);
    assert_eq!(certificate["accounting"]["persons_barred"], 1);
    assert_eq!(certificate["policy"]["rules"], json!([{"name": "no illnesses", "verdict": "holds"}]));
    assert_eq!(certificate["policy"]["sha256"].as_str().map(str::len), Some(64));
    sandbox.snapshot("policy-check", &["policy", "check", "policy.toml", "out"]);
    sandbox.snapshot("policy-check-alone", &["policy", "check", "policy.toml"]);
    sandbox.done(&["check", "out", "--policy", "policy.toml"]);
    sandbox.done(&["check", "out"]);
    let protect = ["protect", "log.csv", "--out", "said", "--policy", "policy.toml", "--measure", "query-frequency"];
    sandbox.snapshot("protect-policy", &[&protect[..], &FLAGS, &["--no-attacks"]].concat());
    // A policy that says nothing: warned, and allowed.
    sandbox.write("empty.toml", "format = 1\n");
    let empty = sandbox.snapshot("policy-check-empty", &["policy", "check", "empty.toml", "out"]);
    assert!(empty.code == 0 && empty.stderr.contains("allows everything"), "{empty:?}");
}

#[test]
fn what_is_not_allowed_is_not_written() {
    let sandbox = sandbox();
    let text = rules(&[
        "{ name = \"no clicks\", never = [\"url\"] }",
        "{ name = \"no illness with a place\", together = [{ concept = \"disease.n.01\" }, { concept = \"city.n.01\" }] }",
        "{ name = \"no hospice\", mentions = { words = [\"hospice\"] } }",
        "{ name = \"later\", after = { dataset = \"shop\", field = \"url\" }, never = [\"query\"] }",
    ]);
    sandbox.write("policy.toml", &text);
    let refused = ["protect", "log.csv", "--out", "out", "--policy", "policy.toml", "--key", "key.csv"];
    let ran = sandbox.snapshot("protect-policy-refused", &[&refused[..], &FLAGS].concat());
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(!ran.stderr.contains("cancer") && !ran.stderr.contains("paris"), "{ran:?}");
    assert_eq!(sandbox.listing(), ["log.csv", "policy.toml"]);
    let json = sandbox.run(&[&refused[..], &FLAGS, &["--json"]].concat());
    assert_eq!((json.code, &json.json()["error"]["code"]), (1, &"policy".into()));
    // Without it, and judged later.
    sandbox.done(&[&refused[..4], &FLAGS].concat());
    let found = sandbox.snapshot("policy-check-breaks", &["policy", "check", "policy.toml", "out"]);
    assert_eq!(found.code, 1);
    let found = sandbox.run(&["policy", "check", "policy.toml", "out", "--json"]);
    let document = found.json();
    assert_eq!((found.code, &document["verdict"]), (1, &"breaks".into()));
    let verdicts: Vec<(&Value, &Value)> =
        document["rules"].as_array().unwrap().iter().map(|rule| (&rule["line"], &rule["verdict"])).collect();
    let expected = [(3, "breaks"), (4, "breaks"), (5, "holds"), (6, "cannot be judged")];
    assert_eq!(
        verdicts,
        expected
            .map(|(line, verdict)| (json!(line), json!(verdict)))
            .iter()
            .map(|(line, verdict)| (line, verdict))
            .collect::<Vec<_>>()
    );
    assert!(document["rules"][0]["records"].as_u64() > Some(0), "{document}");
    let check = sandbox.snapshot("check-policy-refused", &["check", "out", "--policy", "policy.toml"]);
    assert_eq!(check.code, 1);
    let check = sandbox.run(&["check", "out", "--policy", "policy.toml", "--json"]).json();
    assert_eq!((&check["verdict"], &check["policy"]["verdict"]), (&"fails".into(), &"breaks".into()));
    // What cannot be judged is refused, too.
    sandbox.write(
        "ledger.toml",
        rules(&["{ name = \"later\", after = { dataset = \"shop\", field = \"url\" }, never = [\"query\"] }"]),
    );
    assert_eq!(sandbox.run(&["policy", "check", "ledger.toml", "out"]).code, 1);
    assert_eq!(sandbox.run(&["check", "out", "--policy", "ledger.toml"]).code, 1);
}

#[test]
fn settings_and_the_environment_name_it() {
    let sandbox = sandbox();
    fs::create_dir(sandbox.path("data")).unwrap();
    fs::copy(sandbox.path("log.csv"), sandbox.path("data/log.csv")).unwrap();
    sandbox.write("data/policy.toml", rules(&["{ name = \"no clicks\", never = [\"url\"] }"]));
    sandbox.write("data/throng.toml", "policy = \"policy.toml\"\n");
    let protect = |file: &str, out: &str, variable: Option<&str>, more: &[&str]| {
        let mut command = sandbox.command(&[&["protect", file, "--out", out][..], &FLAGS, more].concat());
        variable.map(|value| command.env("THRONG_POLICY", value));
        Ran::from(command.output().unwrap())
    };
    assert_eq!(protect("data/log.csv", "a", None, &[]).code, 1);
    assert_eq!(protect("data/log.csv", "a", None, &["--no-config"]).code, 0);
    assert_eq!(protect("log.csv", "b", Some("data/policy.toml"), &[]).code, 1);
    let mut command = sandbox.command(&["check", "a"]);
    assert_eq!(Ran::from(command.env("THRONG_POLICY", "data/policy.toml").output().unwrap()).code, 1);
    // What is typed goes before both.
    sandbox.write("fine.toml", rules(&["{ name = \"no hospice\", mentions = { words = [\"hospice\"] } }"]));
    assert_eq!(protect("data/log.csv", "c", Some("data/policy.toml"), &["--policy", "fine.toml"]).code, 0);
}

#[test]
fn minimums_are_judged_on_the_data() {
    let sandbox = sandbox();
    let minimum = |text: &str| format!("format = 1\n[minimum]\n{text}\n");
    let plain = ["protect", "log.csv", "--out", "plain"];
    sandbox.done(&[&plain[..], &FLAGS].concat());
    let verdict = |policy: &str, release: &str, more: &[&str]| -> (i32, Value) {
        sandbox.write("minimum.toml", minimum(policy));
        let found = sandbox.run(&[&["policy", "check", "minimum.toml", release, "--json"][..], more].concat());
        let document = found.json();
        (found.code, document["rules"][0]["verdict"].clone())
    };
    let [holds, breaks, cannot] = [(0, json!("holds")), (1, json!("breaks")), (1, json!("cannot be judged"))];
    assert_eq!(verdict("queries = { user-k-anonymity = 3 }", "plain", &[]), holds);
    assert_eq!(verdict("queries = { k-anonymity = 2 }", "plain/data.csv", &[]), holds);
    assert_eq!(verdict("queries = { user-k-anonymity = 12 }", "plain", &[]), breaks);
    assert_eq!(verdict("baskets = { transaction-k-anonymity = 12 }", "plain", &[]), holds);
    assert_eq!(verdict("queries = { content-threshold = 3 }", "plain", &[]), breaks);
    assert_eq!(verdict("queries = { content-threshold = 3 }", "plain/data.csv", &[]), cannot);
    assert_eq!(verdict("randomness = \"secure\"", "plain", &[]), breaks);
    assert_eq!(verdict("randomness = \"secure\"", "plain/data.csv", &[]), cannot);
    assert_eq!(verdict("signed = true", "plain", &[]), breaks);
    assert_eq!(verdict("attacks = { known-queries = 1.0 }", "plain", &[]), holds);
    assert_eq!(verdict("attacks = { known-queries = 0.0 }", "plain", &[]), breaks);
    assert_eq!(verdict("attacks = { refinement-bits = 0.0 }", "plain", &[]), holds);
    // The report says it: without one, or with another, nobody can tell.
    let report = sandbox.read("plain/report.json");
    sandbox.write("plain/report.json", report.replace("known-queries", "known-nothing"));
    assert_eq!(verdict("attacks = { known-queries = 1.0 }", "plain", &[]), cannot);
    // A signature counts if its key is trusted.
    sandbox.done(&["keys", "new", "--out", "custodian"]);
    let signed = |least: usize| minimum(&format!("signed = true\nqueries = {{ content-threshold = {least} }}"));
    assert_eq!(protect(&sandbox, "signed", &signed(7), &["--sign", "custodian.key"]).code, 1);
    assert_eq!(protect(&sandbox, "signed", &signed(2), &[]).code, 1);
    let flags = ["--k", "3", "--min-persons", "3", "--seed", "5", "--sign", "custodian.key", "--policy", "policy.toml"];
    sandbox.done(&[&["protect", "log.csv", "--out", "signed"][..], &flags].concat());
    assert_eq!(verdict("signed = true", "signed", &[]), cannot);
    assert_eq!(verdict("signed = true", "signed", &["--trusted", "custodian.pub"]), holds);
    assert_eq!(verdict("queries = { content-threshold = 3 }", "signed", &[]), holds);
    assert_eq!(verdict("queries = { content-threshold = 4 }", "signed", &[]), breaks);
    assert_eq!(sandbox.run(&["check", "signed", "--policy", "policy.toml", "--trusted", "custodian.pub"]).code, 3);
}

#[test]
fn what_has_left_before_is_in_the_ledger() {
    let sandbox = sandbox();
    let ledger = ["--ledger", "l", "--dataset", "shop"];
    // The first release was made without a policy.
    let first = ["protect", "log.csv", "--out", "first"];
    sandbox.done(&[&first[..], &FLAGS, &ledger].concat());
    let text = rules(&[
        "{ name = \"apart\", together = [{ word = \"roses\" }, { word = \"tulips\" }], within = \"dataset\" }",
        "{ name = \"no queries after clicks\", after = { dataset = \"other\", field = \"url\" }, never = [\"query\"] }",
    ]);
    let unknown = protect(&sandbox, "second", &text, &ledger);
    assert!(unknown.code == 1 && unknown.stderr.contains("--earlier RELEASE"), "{unknown:?}");
    assert!(unknown.stderr.contains("cannot be judged"), "{unknown:?}");
    let shown = protect(&sandbox, "second", &text, &[&ledger[..], &["--earlier", "first"]].concat());
    assert_eq!(shown.code, 0, "{shown:?}");
    assert!(shown.stderr.contains("no release of `other`"), "{shown:?}");
    let line: Value = serde_json::from_str(sandbox.read("l").lines().nth(1).unwrap()).unwrap();
    assert_eq!(line["says"]["mentions"], json!(["field query", "field url", "word roses"]));
    assert_eq!(line["says"]["lacks"], json!(["word tulips"]));
    sandbox.done(&["ledger", "verify", "l"]);
    // Now somebody else's tulips would complete it.
    let tulips = sandbox.read("log.csv").replace("garden roses", "tulips");
    sandbox.write("log.csv", tulips);
    let third = protect(&sandbox, "third", &text, &[&ledger[..], &["--earlier", "first"]].concat());
    assert!(third.code == 1 && third.stderr.contains("`apart` (line 3) breaks in"), "{third:?}");
    assert_eq!(sandbox.read("l").lines().count(), 2);
    // Another data set has said nothing yet; after its clicks no queries leave.
    let other = ["--ledger", "l", "--dataset", "other"];
    assert_eq!(protect(&sandbox, "fourth", &text, &other).code, 0);
    let fifth = protect(&sandbox, "fifth", &text, &other);
    assert!(fifth.code == 1 && fifth.stderr.contains("no queries after clicks"), "{fifth:?}");
    // Each release is judged by what was before it.
    let check = ["policy", "check", "policy.toml", "fourth", "--ledger", "l", "--earlier", "first"];
    assert_eq!(sandbox.run(&check).code, 0, "{:?}", sandbox.run(&check));
    // The same people.
    sandbox.write("people.toml", "format = 1\n[ledger]\nsame_people = \"refuse\"\n");
    let again = ["protect", "log.csv", "--out", "again", "--policy", "people.toml"];
    let ran = sandbox.run(&[&again[..], &FLAGS, &other].concat());
    assert!(ran.code == 1 && ran.stderr.contains("--continues"), "{ran:?}");
    assert_eq!(sandbox.run(&["policy", "check", "people.toml", "first", "--ledger", "l"]).code, 0);
    assert_eq!(sandbox.run(&["policy", "check", "people.toml", "second", "--ledger", "l"]).code, 1);
    assert_eq!(sandbox.run(&["policy", "check", "people.toml", "second"]).code, 1);
    // Bad input: an earlier release that is none, or not in the ledger.
    for (earlier, what) in [("log.csv", "no release folder"), ("nowhere", "no release folder")] {
        let ran = protect(&sandbox, "x", &text, &[&ledger[..], &["--earlier", earlier]].concat());
        assert!(ran.code == 2 && ran.stderr.contains(what), "{ran:?}");
    }
    let ran = protect(&sandbox, "x", &text, &["--earlier", "first"]);
    assert!(ran.code == 2 && ran.stderr.contains("without a policy and a ledger"), "{ran:?}");
}

#[test]
fn baskets_are_generalised() {
    let sandbox = Sandbox::with_baskets();
    let text = rules(&[
        "{ name = \"meat is general\", kind = \"baskets\", mentions = { concepts = [\"Meat\"] }, then = \"generalise\" }",
    ]);
    sandbox.write("policy.toml", text);
    let flags = ["--k", "2", "--seed", "1", "--taxonomy", "food.csv", "--policy", "policy.toml"];
    let ran = sandbox.done(&[&["protect", "baskets.dat", "--out", "out"][..], &flags].concat());
    assert!(ran.stderr.contains("more general, as the policy says"), "{ran:?}");
    let data = sandbox.read("out/data.fimi");
    assert!(
        !data.contains("Beef") && !data.contains("Chicken") && !data.contains("Meat") && data.contains("Food"),
        "{data}"
    );
    assert_eq!(sandbox.json("out/certificate.json")["accounting"]["items_generalised"], 7);
    sandbox.done(&["policy", "check", "policy.toml", "out", "--taxonomy", "food.csv"]);
    sandbox.done(&["check", "out", "--taxonomy", "food.csv", "--policy", "policy.toml"]);
    // Searches have nothing above them: the rule refuses.
    let sandbox = self::sandbox();
    let text = rules(&["{ name = \"ill\", mentions = { concepts = [\"disease.n.01\"] }, then = \"generalise\" }"]);
    let ran = protect(&sandbox, "out", &text, &[]);
    assert!(ran.code == 1 && ran.stderr.contains("`ill` (line 3) breaks"), "{ran:?}");
}

#[test]
fn a_policy_that_cannot_be_read() {
    let sandbox = sandbox();
    for (policy, line, what) in [
        (
            "format = 1\nrule = [\n{ name = \"a\", mentions = { concepts = [\"diseese.n.01\"] } },\n]\n",
            3,
            "`disease.n.01`",
        ),
        (
            "format = 1\nrule = [\n{ name = \"a\", never = [\"url\"] },\n{ name = \"a\", never = [\"rank\"] },\n]\n",
            4,
            "line 3",
        ),
        ("format = 1\nrule = [\n{ name = \"a\", nevr = [\"url\"] },\n]\n", 3, "never"),
        ("format = 1\nrule = [\n{ name = \"a\", kind = \"querys\", never = [\"url\"] },\n]\n", 3, "queries"),
        (
            "format = 1\nrule = [{ name = \"a\", never = [\"query\"] }]\n[minimum]\nqueries = { k-anonymity = 3 }\n",
            2,
            "contradicts",
        ),
        ("format = 1\nrule = [\n", 2, "no TOML"),
    ] {
        sandbox.write("policy.toml", policy);
        let protect = ["protect", "log.csv", "--out", "out", "--policy", "policy.toml"];
        for command in [&["policy", "check", "policy.toml"][..], &[&protect[..], &FLAGS].concat()] {
            let ran = sandbox.run(command);
            assert!(ran.code == 2 && ran.stderr.contains(what), "{policy}: {ran:?}");
            assert!(ran.stderr.contains(&format!("policy.toml:{line}")), "{policy}: {ran:?}");
        }
    }
    sandbox.snapshot("policy-check-broken", &["policy", "check", "policy.toml"]);
    sandbox.snapshot("policy-check-missing", &["policy", "check", "nowhere.toml"]);
    sandbox.snapshot("policy-check-idle", &["policy", "check", "policy.toml", "--ledger", "l"]);
    sandbox.write("latin.toml", b"format = 1 # \xe4\n");
    assert_eq!(sandbox.run(&["policy", "check", "latin.toml"]).code, 2);
    assert!(!sandbox.path("out").exists());
}

/// The policies of `docs/policy.md`: each is understood, and judges a release.
#[test]
fn the_policies_of_the_page() {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/policy.md")).unwrap();
    let policies: Vec<&str> = page.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert_eq!(policies.len(), 4);
    let sandbox = sandbox();
    sandbox.done(&[&["protect", "log.csv", "--out", "searches"][..], &FLAGS].concat());
    let baskets = Sandbox::with_baskets();
    baskets.write("baskets.csv", "person,item\n1,bread\n1,milk\n2,bread\n2,milk\n3,aspirin\n4,aspirin\n");
    baskets.done(&[
        "protect",
        "baskets.csv",
        "--out",
        "out",
        "--kind",
        "baskets",
        "--k",
        "2",
        "--seed",
        "1",
        "--ledger",
        "l",
        "--dataset",
        "shop-baskets",
        "--taxonomy",
        "wordnet",
    ]);
    for (number, policy) in policies.iter().enumerate() {
        for (sandbox, release) in [(&sandbox, "searches"), (&baskets, "out")] {
            sandbox.write("policy.toml", policy);
            sandbox.done(&["policy", "check", "policy.toml"]);
            let found = sandbox.run(&["policy", "check", "policy.toml", release, "--json"]);
            let rules = found.json()["rules"].as_array().unwrap().clone();
            assert!(found.code == 1 && rules.len() >= 5, "{number}: {found:?}");
        }
    }
    let verdicts = |sandbox: &Sandbox, policy: &str, args: &[&str]| -> Vec<String> {
        sandbox.write("policy.toml", policy);
        let found = sandbox.run(&[&["policy", "check", "policy.toml"][..], args, &["--json"]].concat()).json();
        let rules = found["rules"].as_array().unwrap().clone();
        rules.iter().map(|rule| rule["verdict"].as_str().unwrap().to_owned()).collect()
    };
    // Of the public one: clicked pages and illnesses are in it, cards are not; it was seeded.
    let public = verdicts(&sandbox, policies[1], &["searches"]);
    assert_eq!(public[..5], ["holds", "holds", "breaks", "breaks", "holds"]);
    assert_eq!(public.last().map(String::as_str), Some("breaks"));
    // Of the partner's: aspirin is in it, nobody has it with alcohol.
    let partner = verdicts(&baskets, policies[2], &["out", "--ledger", "l"]);
    assert_eq!(partner[..4], ["breaks", "holds", "holds", "breaks"]);
    assert_eq!(partner.last().map(String::as_str), Some("holds"));
}
