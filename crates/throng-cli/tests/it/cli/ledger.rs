//! `throng ledger`, `keys`, `certificate`, and what `protect` and `check` say of them.

use std::fs;
use std::process::Command;

use crate::support::Sandbox;

const THREE: &str = include_str!("../../../../../testdata/ledger/three-releases.ledger");

/// A folder with a release of the small log that is signed and chained.
fn on_record() -> Sandbox {
    let sandbox = Sandbox::with_log();
    sandbox.done(&["keys", "new", "--out", "custodian"]);
    sandbox.done(&protect("out"));
    sandbox
}

fn protect(out: &str) -> [&str; 15] {
    [
        "protect",
        "log.tsv",
        "--out",
        out,
        "--method",
        "user-microaggregation",
        "--k",
        "3",
        "--seed",
        "5",
        "--ledger",
        "l",
        "--dataset=searches",
        "--sign",
        "custodian.key",
    ]
}

#[test]
fn help_of_the_record() {
    let sandbox = Sandbox::new();
    for command in ["ledger", "keys", "certificate"] {
        sandbox.snapshot(&format!("help-{command}"), &[command, "--help"]);
    }
    for command in ["show", "verify", "add"] {
        sandbox.snapshot(&format!("help-ledger-{command}"), &["ledger", command, "--help"]);
    }
    sandbox.snapshot("help-keys-new", &["keys", "new", "--help"]);
}

#[test]
fn a_ledger_is_shown_and_verified() {
    let sandbox = Sandbox::new();
    sandbox.write("releases.ledger", THREE);
    sandbox.snapshot("ledger-show", &["ledger", "show", "releases.ledger"]);
    sandbox.snapshot("ledger-verify", &["ledger", "verify", "releases.ledger"]);
    let found = sandbox.done(&["ledger", "show", "releases.ledger", "--json"]).json();
    let first: serde_json::Value = serde_json::from_str(THREE.lines().next().unwrap()).unwrap();
    assert_eq!(found["lines"][0], first);
    sandbox.write("changed.ledger", THREE.replacen("\"k\":4", "\"k\":9", 1));
    assert_eq!(sandbox.snapshot("ledger-verify-changed", &["ledger", "verify", "changed.ledger"]).code, 1);
    sandbox.snapshot("ledger-show-changed", &["ledger", "show", "changed.ledger"]);
    sandbox.write("torn.ledger", &THREE[..THREE.len() - 40]);
    let torn = sandbox.run(&["ledger", "verify", "torn.ledger", "--json"]);
    assert_eq!((torn.code, &torn.json()["line"], &torn.json()["lines"]), (1, &3.into(), &2.into()));
    assert_eq!(sandbox.snapshot("ledger-verify-torn", &["ledger", "verify", "torn.ledger"]).code, 1);
    assert_eq!(sandbox.snapshot("ledger-verify-missing", &["ledger", "verify", "nowhere.ledger"]).code, 2);
}

#[test]
fn keys_are_made_once() {
    let sandbox = Sandbox::new();
    sandbox.snapshot("keys-new", &["keys", "new", "--out", "custodian"]);
    sandbox.snapshot("keys-new-exists", &["keys", "new", "--out", "custodian"]);
    sandbox.write("password", "open sesame\n");
    let made = sandbox.done(&["keys", "new", "--out", "closed", "--password-file", "password", "--json"]).json();
    assert_eq!((&made["has_password"], &made["secret"]), (&true.into(), &"closed.key".into()));
    sandbox.snapshot("keys-new-nowhere", &["keys", "new", "--out", "nowhere/custodian"]);
}

#[test]
fn a_release_on_record() {
    let sandbox = on_record();
    sandbox.snapshot("check-on-record", &["check", "out", "--trusted", "custodian.pub", "--ledger", "l"]);
    let found = sandbox.done(&["check", "out", "--trusted", "custodian.pub", "--ledger", "l", "--json"]).json();
    assert_eq!((&found["signature"]["verdict"], &found["ledger"]["n"]), (&"holds".into(), &1.into()));
    // Once more: the same people.
    let again = sandbox.snapshot("protect-same-people", &protect("again"));
    assert!(again.code == 0 && again.stderr.contains("line 1 of the ledger"), "{again:?}");
    let meant = sandbox.done(&[&protect("meant")[..], &["--continues", "2", "--json"]].concat());
    assert_eq!(meant.json()["ledger"]["same_people"][1]["meant"], true);
    let certificate = sandbox.json("meant/certificate.json");
    let lines = sandbox.read("l");
    let second: serde_json::Value = serde_json::from_str(lines.lines().nth(1).unwrap()).unwrap();
    assert_eq!((&certificate["ledger"]["n"], &certificate["ledger"]["previous"]), (&3.into(), &second["hash"]));
    // In turn: everything that can be wrong.
    sandbox.write("cut", lines.lines().next().unwrap().to_owned() + "\n");
    sandbox.snapshot("check-ledger-cut", &["check", "meant", "--ledger", "cut"]);
    let trusted = ["--trusted", "custodian.pub"];
    let certificate = sandbox.read("out/certificate.json");
    sandbox.write(
        "out/certificate.json",
        certificate.replace("\"secure\"", "\"seeded\"").replacen("\"k\": 3", "\"k\": 4", 1),
    );
    sandbox.snapshot("check-certificate-changed", &[&["check", "out"], &trusted[..]].concat());
    sandbox.write("out/certificate.json", "{");
    assert_eq!(sandbox.run(&[&["check", "out"], &trusted[..]].concat()).code, 1);
    sandbox.write("out/certificate.json", certificate);
    let data = sandbox.read("out/data.tsv");
    sandbox.write("out/data.tsv", format!("{data}\n"));
    sandbox.snapshot("check-data-changed", &[&["check", "out"], &trusted[..]].concat());
    let found = sandbox.run(&[&["check", "out", "--json"], &trusted[..]].concat());
    assert_eq!((found.code, &found.json()["signature"]["problem"]), (1, &"data-changed".into()));
    sandbox.write("out/data.tsv", data);
    sandbox.done(&["keys", "new", "--out", "somebody"]);
    sandbox.snapshot("check-other-key", &["check", "out", "--trusted", "somebody.pub"]);
    fs::remove_file(sandbox.path("out/certificate.json.minisig")).unwrap();
    sandbox.snapshot("check-not-signed", &[&["check", "out"], &trusted[..]].concat());
}

#[test]
fn refusals_of_the_record() {
    let sandbox = Sandbox::with_log();
    sandbox.write("password", "open sesame\n");
    sandbox.write("wrong", "open barley\n");
    sandbox.done(&["keys", "new", "--out", "custodian", "--password-file", "password"]);
    let protect = ["protect", "log.tsv", "--out", "out", "--k", "3"];
    let with = |more: &[&'static str]| [&protect[..], more].concat();
    sandbox.snapshot("protect-sign-no-password", &with(&["--sign", "custodian.key"]));
    sandbox.snapshot("protect-sign-wrong-password", &with(&["--sign", "custodian.key", "--password-file", "wrong"]));
    sandbox.snapshot("protect-password-alone", &with(&["--password-file", "wrong"]));
    sandbox.snapshot("protect-ledger-no-dataset", &with(&["--ledger", "l"]));
    sandbox.snapshot("protect-continues-alone", &with(&["--continues", "1"]));
    sandbox.snapshot("protect-continues-unknown", &with(&["--ledger", "l", "--dataset", "x", "--continues", "3"]));
    // However it is written, the key of a release is no file of the ledger.
    for key in ["l", "./l.key", "l.pending", "x/../l.key"] {
        fs::create_dir_all(sandbox.path("x")).unwrap();
        let ran = sandbox.run(&with(&["--ledger", "l", "--dataset", "x", "--key", key]));
        assert!(ran.code == 2 && ran.stderr.contains("give it another name"), "{key}: {ran:?}");
    }
    sandbox.write("torn", &THREE[..100]);
    sandbox.snapshot("protect-ledger-torn", &with(&["--ledger", "torn", "--dataset", "x"]));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(sandbox.path("custodian.key"), fs::Permissions::from_mode(0o640)).unwrap();
        sandbox.snapshot("protect-sign-open-key", &with(&["--sign", "custodian.key", "--password-file", "password"]));
    }
}

#[test]
fn a_release_is_added_to_a_ledger() {
    let sandbox = Sandbox::with_log();
    sandbox.done(&["protect", "log.tsv", "--out", "out", "--k", "3", "--seed", "5", "--key", "key.csv"]);
    let add = ["ledger", "add", "l", "out", "--dataset", "searches"];
    sandbox.snapshot("ledger-add", &[&add[..], &["--key", "key.csv"]].concat());
    sandbox.snapshot("ledger-add-twice", &add);
    sandbox.done(&["check", "out", "--ledger", "l", "--original", "log.tsv"]);
}

#[test]
fn a_certificate_as_it_is_and_as_a_statement() {
    let sandbox = on_record();
    let plain = sandbox.done(&["certificate", "out"]);
    assert_eq!(plain.stdout, sandbox.read("out/certificate.json"));
    let statement = sandbox.done(&["certificate", "out", "--format", "in-toto"]).json();
    let certificate = sandbox.json("out/certificate.json");
    assert_eq!(statement["_type"], "https://in-toto.io/Statement/v1");
    assert_eq!(statement["predicateType"], throng::run::PREDICATE_TYPE);
    assert_eq!(statement["predicate"], certificate);
    assert_eq!(statement["subject"][0]["name"], "data.tsv");
    assert_eq!(statement["subject"][0]["digest"]["sha256"], certificate["output"]["sha256"]);
    sandbox.write("out/data.tsv", "x");
    sandbox.snapshot("certificate-data-changed", &["certificate", "out", "--format", "in-toto"]);
    sandbox.snapshot("certificate-nowhere", &["certificate", "nowhere"]);
}

/// Debian's `minisign`, where it is installed, verifies what throng signs, and signs what throng verifies.
#[test]
fn minisign_agrees() {
    let is_there = Command::new("minisign").arg("-v").output().is_ok();
    if !is_there {
        #[expect(clippy::print_stderr, reason = "a test that cannot ask says so")]
        {
            eprintln!("minisign is not installed: its opinion of our signatures was not asked");
        }
        return;
    }
    let sandbox = on_record();
    let minisign = |args: &[&str]| {
        let output = Command::new("minisign").args(args).current_dir(sandbox.path("")).output().unwrap();
        (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (is_good, said) = minisign(&["-V", "-m", "out/certificate.json", "-p", "custodian.pub"]);
    assert!(is_good && said.contains("certificate of a throng release"), "{said}");
    let certificate = sandbox.read("out/certificate.json");
    sandbox.write("out/certificate.json", certificate.replacen("3", "4", 1));
    assert!(!minisign(&["-V", "-m", "out/certificate.json", "-p", "custodian.pub"]).0);
    sandbox.write("out/certificate.json", certificate);
    // The other way round: minisign's key signs for throng, and minisign signs with ours.
    assert!(minisign(&["-G", "-W", "-p", "theirs.pub", "-s", "theirs.key"]).0);
    sandbox.done(&["protect", "log.tsv", "--out", "theirs", "--k", "3", "--sign", "theirs.key"]);
    sandbox.done(&["check", "theirs", "--trusted", "theirs.pub", "--original", "log.tsv"]);
    assert!(minisign(&["-V", "-m", "theirs/certificate.json", "-p", "theirs.pub"]).0);
    fs::remove_file(sandbox.path("out/certificate.json.minisig")).unwrap();
    let comment = "signature of a throng certificate";
    assert!(minisign(&["-S", "-s", "custodian.key", "-m", "out/certificate.json", "-c", comment]).0);
    let found = sandbox.run(&["check", "out", "--trusted", "custodian.pub", "--json"]).json();
    assert_eq!(found["signature"]["verdict"], "holds", "{found}");
}
