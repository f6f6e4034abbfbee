//! `kindred` for access logs, from the command: what it claims is checked, and what one visitor has is nowhere.

use serde_json::json;

use crate::support::Sandbox;

/// A log of so many visitors with shared pages, of whom one has a secret in every field.
fn with_secrets(sandbox: &Sandbox) {
    let mut log = String::new();
    for second in 0..3 {
        for who in 0..30 {
            let (path, query, referrer, agent, user) = match (who, second) {
                (7, 1) => (
                    "/secretpath/alone".to_owned(),
                    "?token=secrettoken0123",
                    "https://search.example/?q=secretsearch",
                    "Mozilla/5.0 (X11; Linux x86_64) SecretBrowser/9.1",
                    "secretuser",
                ),
                (7, _) => ("/".to_owned(), "", "-", "Mozilla/5.0 (X11; Linux x86_64) SecretBrowser/9.1", "secretuser"),
                (_, 1) => {
                    (format!("/user/{}/edit", 77_700 + who), "?page=1", "https://search.example/?q=a", BROWSER, "-")
                }
                (_, 2) => ("/style.css".to_owned(), "", "https://www.site.example/", BROWSER, "-"),
                _ => ("/".to_owned(), "", "-", BROWSER, "-"),
            };
            log += &format!(
                "192.0.2.{who} - {user} [07/Mar/2024:{:02}:00:{:02} +0000] \"GET {path}{query} HTTP/1.1\" 200 {} \"{referrer}\" \"{agent}\"\n",
                8 + who % 4,
                second * 7,
                500 + second,
            );
        }
    }
    sandbox.write("access.log", log);
}

const BROWSER: &str =
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36";

#[test]
fn secrets_of_one_visitor_are_nowhere() {
    let sandbox = Sandbox::new();
    with_secrets(&sandbox);
    for (out, more) in [("dropped", &[][..]), ("kept", &["--query-strings", "keep-shared"][..])] {
        let args = ["protect", "access.log", "--out", out, "--k", "3", "--seed", "1"];
        let ran = sandbox.done(&[&args[..], more].concat());
        let mut all = format!("{}{}", ran.stdout, ran.stderr);
        for file in ["data.log", "certificate.json", "report.json", "report.html"] {
            let path = format!("{out}/{file}");
            if sandbox.path(&path).exists() {
                all += &sandbox.read(&path);
            }
        }
        for secret in ["secretpath", "secrettoken", "secretsearch", "secretuser", "SecretBrowser", "/777", "192.0.2."] {
            assert!(!all.contains(secret), "{secret} is in the release {out}");
        }
        let data = sandbox.read(&format!("{out}/data.log"));
        assert!(data.contains("GET /user/*/edit"), "{data}");
        assert_eq!(data.contains("page=1"), out == "kept");
        assert!(data.contains("\"https://search.example/\""));
        let certificate = sandbox.json(&format!("{out}/certificate.json"));
        assert_eq!(certificate["method"]["name"], "kindred");
        let models: Vec<&str> =
            certificate["claims"].as_array().unwrap().iter().filter_map(|claim| claim["model"].as_str()).collect();
        assert_eq!(models, ["user-k-anonymity", "content-threshold"]);
        assert_eq!(certificate["claims"][1]["needs"], json!("original"));
        sandbox.done(&["check", out, "--original", "access.log"]);
    }
    // A release whose content few have is found out.
    let data = sandbox.read("dropped/data.log").replace("/user/*/edit", "/secretpath/alone");
    sandbox.write("changed.log", data);
    let check =
        ["check", "changed.log", "--original", "access.log", "--model", "content-threshold", "--min-persons", "3"];
    let ran = sandbox.run(&check);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(!ran.stderr.contains("secretpath"), "{}", ran.stderr);
}

/// Made up, protected and checked with the original, for both sites and several k; the measures of exposure hold.
#[test]
fn made_up_logs_are_protected() {
    let sandbox = Sandbox::new();
    for site in ["uniform", "irregular"] {
        let made = format!("{site}.log");
        sandbox.done(&["synth", "visits", "--persons", "150", "--site", site, "--seed", "2", "--out", &made]);
        for k in ["3", "10"] {
            let out = format!("{site}-{k}");
            let key = format!("{out}.csv");
            sandbox.done(&["protect", &made, "--out", &out, "--k", k, "--seed", "1", "--key", &key]);
            sandbox.done(&["check", &out, "--original", &made]);
            let found = sandbox.done(&["measure", &made, &out, "--key", &key, "--json"]).json();
            let measure = |name: &str| {
                let all = found["measures"].as_array().unwrap();
                all.iter().find(|measure| measure["name"] == name).unwrap().clone()
            };
            assert_eq!(measure("rare-content")["value"], json!(0.0), "{out}");
            assert_eq!(measure("unshared-exposure")["parts"]["above"], json!(0.0), "{out}");
        }
    }
}

/// A tree that is given overrules the site's own, the release is checked as ever, and one whose parents do not cover their children is refused
/// with its line.
#[test]
fn a_given_tree_of_paths() {
    let sandbox = Sandbox::new();
    with_secrets(&sandbox);
    let pairs = (0..30).map(|who| format!("/user/{}/edit,/*/*/edit\n", 77_700 + who)).collect::<String>();
    sandbox.write("tree.csv", format!("child,parent\n{pairs}"));
    sandbox.done(&["protect", "access.log", "--out", "r", "--k", "3", "--seed", "1", "--taxonomy", "tree.csv"]);
    let data = sandbox.read("r/data.log");
    assert!(data.contains("GET /*/*/edit ") && !data.contains("/user/"), "{data}");
    assert!(sandbox.read("r/certificate.json").contains("\"name\": \"tree.csv\""));
    let ran = sandbox.done(&["check", "r", "--original", "access.log"]);
    assert!(!ran.stdout.contains("not checked"), "{}", ran.stdout);
    for (text, problem) in [
        ("child,parent\n/user/1/edit,/user/*\n/user/2/edit,Accounts\n", "does not cover its child"),
        ("child,parent\n/a/b/*,/a/*\n/a/*,/a/b/*\n", "does not cover its child"),
        ("child,parent\n/a/b,/*\n/a/b,/a/*\n", "a child has two parents"),
    ] {
        sandbox.write("bad.csv", text);
        let ran = sandbox.run(&["protect", "access.log", "--out", "bad", "--taxonomy", "bad.csv"]);
        assert!(ran.code == 2 && ran.stderr.contains(problem), "{}", ran.stderr);
        assert!(ran.stderr.contains("bad.csv:3"), "{}", ran.stderr);
        assert!(!ran.stderr.contains("Accounts") && !ran.stderr.contains("/a/b"), "{}", ran.stderr);
    }
}
