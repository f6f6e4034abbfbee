//! `throng run`: recipes.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use crate::support::running::{ended, kill};
use crate::support::{Ran, Sandbox};

/// A recipe of rows, with waves, a condition and an output outside of the state folder.
const ROWS: &str = "\
throng = 1
[data.log]
file = \"log.tsv\"
kind = \"queries\"
[steps.cars]
run = \"filter\"
in = \"log\"
where = \"Query != 'weather'\"
[steps.halves]
run = \"split\"
in = \"cars\"
share = 0.5
seed = 3
[steps.sample]
run = \"sample\"
in = \"halves.train\"
rows = 2
seed = 1
[steps.together]
run = \"integrate\"
in = [\"sample\", \"halves.test\"]
[steps.out]
run = \"copy\"
in = \"together\"
to = \"published.csv\"
when = \"together.rows > 3 and cars.of == 12\"
";

/// A recipe that protects, seeded so that equal runs give equal bytes.
const RELEASE: &str = "\
throng = 1
[data.log]
file = \"log.tsv\"
[steps.release]
run = \"protect\"
in = \"log\"
method = \"user-microaggregation\"
k = 3
seed = 7
[steps.holds]
run = \"check\"
in = \"release\"
[steps.loss]
run = \"measure\"
original = \"log\"
release = \"release\"
[steps.page]
run = \"report\"
in = [\"release\", \"holds\", \"loss\"]
[steps.out]
run = \"copy\"
in = \"release\"
to = \"published\"
when = \"holds.verdict == 'holds'\"
";

fn with(recipe: &str) -> Sandbox {
    let sandbox = Sandbox::with_log();
    sandbox.write("nightly.toml", recipe);
    sandbox
}

/// The steps of a run, each with its state.
fn states(ran: &Ran) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    ran.json()["steps"].as_array().unwrap().iter().map(|step| (text(&step["name"]), text(&step["state"]))).collect()
}

fn reason(ran: &Ran, step: &str) -> String {
    let json = ran.json();
    let found = json["steps"].as_array().unwrap().iter().find(|found| found["name"] == step).unwrap();
    found["reason"].as_str().unwrap().to_owned()
}

/// Every file below a folder with its bytes, but for what is remembered of hashes, which is of this machine.
fn bytes_below(root: &Path) -> Vec<(String, Vec<u8>)> {
    fn walk(root: &Path, folder: &Path, into: &mut Vec<(String, Vec<u8>)>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(root, &path, into);
            } else if !path.ends_with(".hashes.json") {
                into.push((path.strip_prefix(root).unwrap().display().to_string(), fs::read(&path).unwrap()));
            }
        }
    }
    let mut files = Vec::new();
    walk(root, root, &mut files);
    files.sort();
    files
}

#[test]
fn help() {
    Sandbox::new().snapshot("help-run", &["run", "--help"]);
}

#[test]
fn a_recipe_runs_once_and_then_only_what_changed() {
    let sandbox = with(ROWS);
    let first = sandbox.done(&["run", "nightly.toml", "--json"]);
    assert!(states(&first).iter().all(|(_, state)| state == "done"), "{first:?}");
    assert_eq!(first.json()["exit"], 0);
    assert_eq!(reason(&first, "cars"), "never run");
    let published = sandbox.read("published.csv");
    assert_eq!(published.lines().next(), Some("AnonID,Query,QueryTime,ItemRank,ClickURL"));
    assert_eq!(published.lines().count(), 1 + 2 + 4);
    let again = sandbox.done(&["run", "nightly.toml", "--json"]);
    assert!(states(&again).iter().all(|(_, state)| state == "unchanged"), "{again:?}");
    // Another parameter: what comes before it stays.
    sandbox.write("nightly.toml", ROWS.replace("rows = 2", "rows = 3"));
    let dry = sandbox.done(&["run", "nightly.toml", "--dry-run", "--json"]);
    let expected = [
        ("cars", "unchanged"),
        ("halves", "unchanged"),
        ("sample", "would-run"),
        ("together", "would-run"),
        ("out", "would-run"),
    ];
    assert_eq!(states(&dry), expected.map(|(name, state)| (name.to_owned(), state.to_owned())));
    assert_eq!(reason(&dry, "sample"), "parameter rows changed (2 → 3)");
    assert_eq!(reason(&dry, "together"), "step sample runs before it");
    assert_eq!(sandbox.read("published.csv"), published, "a dry run writes nothing");
    let more = sandbox.done(&["run", "nightly.toml", "--json"]);
    assert_eq!(states(&more)[1].1, "unchanged");
    assert_eq!(reason(&more, "together"), "input sample changed");
    assert_eq!(sandbox.read("published.csv").lines().count(), 1 + 3 + 4);
    // Other bytes of the log; then bytes that the first step makes nothing else of.
    sandbox.write("log.tsv", sandbox.read("log.tsv") + "SECRETgus\tweather\t2006-03-05 08:00:00\n");
    let weather = sandbox.run(&["run", "nightly.toml", "--json"]);
    assert_eq!(reason(&weather, "cars"), "input log changed");
    assert_eq!(states(&weather)[1].1, "unchanged", "its input is the same: {weather:?}");
    assert_eq!(states(&weather)[4].1, "skipped", "there are 13 rows now");
    assert_eq!(states(&sandbox.done(&["run", "nightly.toml", "--json"]))[4].1, "skipped");
}

#[test]
fn outputs_that_are_gone_or_changed_are_made_again() {
    let sandbox = with(ROWS);
    sandbox.done(&["run", "nightly.toml"]);
    let whole = bytes_below(&sandbox.path("nightly.state"));
    fs::remove_dir_all(sandbox.path("nightly.state/halves")).unwrap();
    fs::write(sandbox.path("nightly.state/sample/data.csv"), "x\n").unwrap();
    let ran = sandbox.done(&["run", "nightly.toml", "--json"]);
    assert_eq!(reason(&ran, "halves"), "output is missing");
    assert!(reason(&ran, "sample").contains("output is changed"), "{ran:?}");
    assert_eq!(states(&ran)[3].1, "unchanged", "it takes the same bytes as before");
    assert_eq!(bytes_below(&sandbox.path("nightly.state")), whole);
    fs::remove_file(sandbox.path("published.csv")).unwrap();
    assert_eq!(reason(&sandbox.done(&["run", "nightly.toml", "--json"]), "out"), "output is missing");
    // What somebody else put there is not touched.
    sandbox.write("published.csv", "mine\n");
    let refused = sandbox.run(&["run", "nightly.toml"]);
    assert_eq!((refused.code, sandbox.read("published.csv").as_str()), (2, "mine\n"));
    assert!(refused.stderr.contains("something else is there"), "{refused:?}");
}

#[test]
fn parts_of_a_recipe_and_all_of_it_again() {
    let sandbox = with(ROWS);
    let refused = sandbox.run(&["run", "nightly.toml", "--only", "together"]);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("which has not run"), "{refused:?}");
    let only = sandbox.done(&["run", "nightly.toml", "--only", "cars", "--json"]);
    let expected = ["done", "not-run", "not-run", "not-run", "not-run"];
    assert_eq!(states(&only).iter().map(|(_, state)| state.as_str()).collect::<Vec<_>>(), expected);
    sandbox.done(&["run", "nightly.toml"]);
    let from = sandbox.done(&["run", "nightly.toml", "--from", "sample", "--json"]);
    let expected = ["not-run", "not-run", "done", "done", "done"];
    assert_eq!(states(&from).iter().map(|(_, state)| state.as_str()).collect::<Vec<_>>(), expected);
    assert_eq!(reason(&from, "sample"), "asked for with --from");
    let fresh = sandbox.done(&["run", "nightly.toml", "--fresh", "--json"]);
    assert!(states(&fresh).iter().all(|(_, state)| state == "done"), "{fresh:?}");
    assert!(states(&sandbox.done(&["run", "nightly.toml", "--json"])).iter().all(|(_, state)| state == "unchanged"));
    let unknown = sandbox.run(&["run", "nightly.toml", "--from", "sampel"]);
    assert!(unknown.code == 2 && unknown.stderr.contains("did you mean `sample`?"), "{unknown:?}");
}

#[test]
fn a_release_is_checked_measured_and_copied_and_its_key_stays() {
    let sandbox = with(RELEASE);
    let ran = sandbox.done(&["run", "nightly.toml", "--json"]);
    assert!(states(&ran).iter().all(|(_, state)| state == "done"), "{ran:?}");
    assert!(sandbox.path("nightly.state/release/key.csv").is_file());
    let published = bytes_below(&sandbox.path("published"));
    let names: Vec<&str> = published.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["certificate.json", "data.tsv", "report.html", "report.json"]);
    sandbox.done(&["check", "published"]);
    // The measures that ask who became whom were given the key.
    let measured = sandbox.json("nightly.state/loss/found.json");
    let needs_key =
        measured["measures"].as_array().unwrap().iter().any(|measure| measure["name"] == "profile-exposure-level");
    assert!(needs_key, "{measured}");
    let page = sandbox.read("nightly.state/run.html");
    assert!(page.contains("<svg") && page.contains("href=\"release&#x2f;release&#x2f;report.html\""), "{page}");
    assert!(!page.contains("SECRET"), "no value of a person");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |name: &str| sandbox.path(name).metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(
            (mode("nightly.state"), mode("nightly.state/release/key.csv"), mode("nightly.lock")),
            (0o700, 0o600, 0o600)
        );
    }
    // Another output of the same bytes: equal runs give equal bytes, page and lock included.
    let other = with(RELEASE);
    other.done(&["run", "nightly.toml", "--threads", "1"]);
    assert_eq!(bytes_below(&sandbox.path("nightly.state")), bytes_below(&other.path("nightly.state")));
    assert_eq!(sandbox.read("nightly.lock"), other.read("nightly.lock"));
    assert_eq!(published, bytes_below(&other.path("published")));
}

#[test]
fn what_fails_ends_the_run_and_what_is_unchecked_is_said() {
    // The original itself is no release in which three look the same.
    let fails = "throng = 1\n[data.log]\nfile = \"log.tsv\"\n[steps.holds]\nrun = \"check\"\nin = \"log\"\nmodel = \"user-k-anonymity\"\nk = 3\n\
                 [steps.page]\nrun = \"report\"\nin = \"holds\"\n";
    let sandbox = with(fails);
    let ran = sandbox.run(&["run", "nightly.toml", "--json"]);
    assert_eq!((ran.code, ran.json()["exit"].as_u64()), (1, Some(1)));
    assert_eq!(states(&ran), [("holds".to_owned(), "failed".to_owned()), ("page".to_owned(), "not-run".to_owned())]);
    assert_eq!(reason(&ran, "page"), "step holds failed");
    let again = sandbox.run(&["run", "nightly.toml", "--dry-run", "--json"]);
    assert_eq!(reason(&again, "holds"), "it failed the last time");
    // A step that cannot run: the others of its wave end.
    let broken = "throng = 1\n[data.log]\nfile = \"log.tsv\"\n[steps.a]\nrun = \"filter\"\nin = \"log\"\nwhere = \"Qery == 'x'\"\n\
                  [steps.b]\nrun = \"sample\"\nin = \"log\"\nrows = 2\n[steps.c]\nrun = \"report\"\nin = [\"a\", \"b\"]\n";
    let sandbox = with(broken);
    let ran = sandbox.run(&["run", "nightly.toml", "--json"]);
    assert_eq!(ran.code, 2);
    let expected = [("a", "failed"), ("b", "done"), ("c", "not-run")];
    assert_eq!(states(&ran), expected.map(|(name, state)| (name.to_owned(), state.to_owned())));
    assert!(ran.stderr.contains("did you mean `Query`?"), "{ran:?}");
    // It goes on from there.
    sandbox.write("nightly.toml", broken.replace("Qery", "Query"));
    let expected = [("a", "done"), ("b", "unchanged"), ("c", "done")];
    let ran = sandbox.done(&["run", "nightly.toml", "--json"]);
    assert_eq!(states(&ran), expected.map(|(name, state)| (name.to_owned(), state.to_owned())));
}

#[test]
fn a_killed_run_ends_with_the_bytes_of_one_that_was_not() {
    let whole = with(RELEASE);
    let begun = std::time::Instant::now();
    whole.done(&["run", "nightly.toml"]);
    let took = begun.elapsed();
    let expected = [bytes_below(&whole.path("nightly.state")), bytes_below(&whole.path("published"))];
    let lock = whole.read("nightly.lock");
    let sandbox = with(RELEASE);
    // Moments that are spread over the run; where they fall differs from machine to machine, and nothing depends on it.
    let mut killed = 0;
    for point in 0..20_u32 {
        let mut child = sandbox.command(&["run", "nightly.toml"]).stdout(std::process::Stdio::null()).spawn().unwrap();
        std::thread::sleep(took * (1 + point * 7 % 20) / 20);
        if child.try_wait().unwrap().is_none() {
            kill(child);
            killed += 1;
        } else {
            ended(child);
        }
        if point % 5 == 4 {
            for place in ["nightly.state", "published"] {
                let _ = fs::remove_dir_all(sandbox.path(place));
            }
            let _ = fs::remove_file(sandbox.path("nightly.lock"));
        }
    }
    assert!(killed > 0, "no run was seen running");
    sandbox.done(&["run", "nightly.toml"]);
    assert_eq!([bytes_below(&sandbox.path("nightly.state")), bytes_below(&sandbox.path("published"))], expected);
    assert_eq!(sandbox.read("nightly.lock"), lock);
    let hidden: Vec<String> =
        sandbox.listing().into_iter().filter(|name| name.contains(".throng-") && name.ends_with('/')).collect();
    assert_eq!(hidden, [""; 0], "nothing is left of killed runs");
}

#[test]
fn two_runs_at_once_and_folders_of_others_are_refused() {
    let sandbox = with(ROWS);
    sandbox.done(&["run", "nightly.toml"]);
    let marker = fs::File::options().write(true).open(sandbox.path("nightly.state/.throng-run.json")).unwrap();
    marker.lock().unwrap();
    let second = sandbox.run(&["run", "nightly.toml"]);
    assert!(second.code == 2 && second.stderr.contains("nightly.toml is running already"), "{second:?}");
    drop(marker);
    sandbox.done(&["run", "nightly.toml"]);
    // The state of another recipe.
    fs::rename(sandbox.path("nightly.state"), sandbox.path("other.state")).unwrap();
    sandbox.write("other.toml", ROWS);
    let other = sandbox.run(&["run", "other.toml"]);
    assert!(other.code == 2 && other.stderr.contains("the state of another recipe, `nightly.toml`"), "{other:?}");
    // A folder that is nobody's state.
    fs::create_dir(sandbox.path("nightly.state")).unwrap();
    sandbox.write("nightly.state/photo.txt", "mine");
    let not_ours = sandbox.run(&["run", "nightly.toml", "--fresh"]);
    assert!(not_ours.code == 2 && not_ours.stderr.contains("no state of a recipe"), "{not_ours:?}");
    assert_eq!(sandbox.read("nightly.state/photo.txt"), "mine");
    // A lock that was changed by hand.
    fs::remove_dir_all(sandbox.path("nightly.state")).unwrap();
    sandbox.write("nightly.lock", "{}");
    let lock = sandbox.run(&["run", "nightly.toml"]);
    assert!(lock.code == 2 && lock.stderr.contains("no lock of a recipe"), "{lock:?}");
    assert!(!sandbox.path("nightly.state").exists());
}

/// A wrong recipe, and what is said of it: line, column and words.
type Wrong = (&'static str, &'static [(u64, u64, &'static str)]);

const WRONG: &[Wrong] = &[
    ("throng = 1\n[steps.a\n", &[(2, 9, "is no TOML")]),
    ("", &[(1, 1, "does not say its form")]),
    ("throng = 2\n[steps.a]\nrun = \"synth\"\nkind = \"queries\"\n", &[(1, 10, "form 2")]),
    ("throng = 1\n", &[(1, 1, "has no step")]),
    (
        "throng = 1\nstep = 1\n[steps.a]\nrun = \"synth\"\nkind = \"queries\"\n",
        &[(2, 1, "key of a recipe called `step`")],
    ),
    ("throng = 1\n[steps.\"train.x\"]\nrun = \"synth\"\n", &[(2, 8, "`train.x` has a dot")]),
    (
        "throng = 1\n[data.log]\nfile = \"lgo.tsv\"\n[steps.a]\nrun = \"protct\"\nin = \"log\"\n\
         [steps.b]\nrun = \"protect\"\nin = \"lgo\"\nkk = 5\n",
        &[(3, 8, "no file"), (5, 7, "`protct`"), (9, 6, "`lgo`"), (10, 1, "`kk` is no key of `protect`")],
    ),
    (
        "throng = 1\n[data.log]\nfile = \"log.tsv\"\nkind = \"queries\"\n[steps.a]\nrun = \"protect\"\nin = \"log\"\nmethod = \"flock\"\nk = \"many\"\n",
        &[(8, 10, "is for baskets, table, not for queries"), (9, 5, "must be a whole number")],
    ),
    (
        "throng = 1\n[data.log]\nfile = \"log.tsv\"\nkind = \"queries\"\n[steps.a]\nrun = \"protect\"\nin = \"log\"\nmethod = \"clump\"\n",
        &[(8, 10, "is for baskets, not for queries")],
    ),
    (
        "throng = 1\n[steps.a]\nrun = \"filter\"\nin = \"b\"\nwhere = \"x == 1\"\n[steps.b]\nrun = \"filter\"\nin = \"a\"\nwhere = \"x = 1\"\n",
        &[(2, 8, "wait for each other"), (9, 12, "is expected here")],
    ),
    (
        "throng = 1\n[data.log]\nfile = \"log.tsv\"\n[steps.s]\nrun = \"split\"\nin = \"log\"\n[steps.a]\nrun = \"report\"\nin = [\"s\", \"s.tset\"]\n\
         [steps.b]\nrun = \"protect\"\nin = \"a\"\nout = \"x\"\n",
        &[
            (9, 7, "more outputs than one"),
            (9, 12, "`tset`"),
            (12, 6, "a page, but `in` of protect takes data"),
            (13, 1, "nothing that a step says"),
        ],
    ),
    (
        "throng = 1\n[data.log]\nfile = \"log.tsv\"\n[steps.a]\nrun = \"copy\"\nin = \"log\"\nto = \"x\"\n[steps.b]\nrun = \"copy\"\nin = \"log\"\nto = \"x/y\"\n\
         [steps.c]\nrun = \"copy\"\nin = \"log\"\nto = \"log.tsv\"\n[steps.d]\nrun = \"copy\"\nin = \"log\"\nto = \"nightly.state/x\"\n",
        &[(11, 6, "write one place"), (15, 6, "what the recipe reads"), (19, 6, "in a state folder")],
    ),
    (
        "throng = 1\n[data.log]\nfile = \"log.tsv\"\n[steps.a]\nrun = \"audit\"\nin = \"log\"\nhtml = \"../page.html\"\n\
         [steps.b]\nrun = \"copy\"\nin = \"a\"\nto = \"x\"\nwhen = \"a.verdct == 'holds' and c.rows > 1\"\n",
        &[(7, 8, "in the step's folder"), (12, 9, "no `verdct`"), (12, 33, "`c`")],
    ),
    (
        "throng = 1\n[data.log]\nfile = \"log.tsv\"\n[steps.r]\nrun = \"protect\"\nin = \"log\"\n[steps.p]\nrun = \"attack\"\noriginal = \"log\"\nrelease = \"r\"\n\
         [steps.c]\nrun = \"copy\"\nin = \"r.key\"\nto = \"x\"\nwhen = \"p.linkag.rate < 1\"\nphase = \"later\"\n",
        &[(13, 6, "never leaves"), (15, 9, "has no `linkag`"), (16, 9, "phase")],
    ),
];

#[test]
fn a_recipe_that_is_wrong_says_all_of_it_and_runs_nothing() {
    for (recipe, expected) in WRONG {
        let sandbox = with(recipe);
        let before = sandbox.listing();
        let ran = sandbox.run(&["run", "nightly.toml", "--json"]);
        assert_eq!(ran.code, 2, "{recipe}\n{ran:?}");
        assert_eq!(sandbox.listing(), before, "{recipe}");
        let error = &ran.json()["error"];
        let all = error["errors"].as_array().cloned().unwrap_or_else(|| vec![error.clone()]);
        let said: Vec<(u64, u64, String)> = all
            .iter()
            .map(|error| {
                let column = error["place"]["column"].as_str().unwrap().parse().unwrap();
                (error["place"]["line"].as_u64().unwrap(), column, error["message"].as_str().unwrap().to_owned())
            })
            .collect();
        assert_eq!(said.len(), expected.len(), "{recipe}\n{said:#?}");
        for ((line, column, words), (said_line, said_column, message)) in expected.iter().zip(&said) {
            assert_eq!((line, column), (said_line, said_column), "{recipe}\n{said:#?}");
            assert!(message.contains(words), "{message}: {words}");
        }
        assert!(all.iter().all(|error| error["place"]["file"] == "nightly.toml"), "{all:?}");
    }
}

#[test]
fn a_recipe_that_is_changed_while_it_runs_ends() {
    let sandbox = with(RELEASE);
    let mut child = sandbox.command(&["run", "nightly.toml", "--json"]).spawn().unwrap();
    // Changed as soon as it was read: the state folder is begun after that.
    while !sandbox.path("nightly.state").exists() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    sandbox.write("nightly.toml", RELEASE.replace("seed = 7", "seed = 8"));
    let ran = ended(child);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains("the recipe was changed while it ran"), "{ran:?}");
    assert!(!sandbox.path("published").exists());
    let again = sandbox.done(&["run", "nightly.toml", "--json"]);
    assert!(states(&again).iter().all(|(_, state)| state == "done"), "{again:?}");
}

#[test]
fn a_recipe_is_explained() {
    let sandbox = with(RELEASE);
    sandbox.snapshot("run-explain", &["run", "--explain", "nightly.toml"]);
    let json = sandbox.done(&["run", "--explain", "nightly.toml", "--json"]).json();
    assert_eq!(json["steps"][0]["name"], "release");
    assert!(!sandbox.path("nightly.state").exists());
}

/// The text of a recipe of the repository.
fn golden(name: &str) -> String {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/recipes").join(name);
    fs::read_to_string(place).unwrap()
}

#[test]
fn the_nightly_recipe_publishes_a_log() {
    let sandbox = Sandbox::new();
    sandbox.write("nightly.toml", golden("nightly.toml"));
    sandbox.done(&[
        "synth",
        "queries",
        "--persons",
        "60",
        "--mean-lines",
        "20",
        "--seed",
        "1",
        "--out",
        "searches.tsv",
    ]);
    let ran = sandbox.done(&["run", "nightly.toml", "--json"]);
    assert!(states(&ran).iter().all(|(_, state)| state == "done"), "{ran:?}");
    sandbox.done(&["check", "published", "--only-checkable"]);
    assert!(states(&sandbox.done(&["run", "nightly.toml", "--json"])).iter().all(|(_, state)| state == "unchanged"));
}

#[test]
fn the_recipe_of_intrusions_is_the_process_of_the_paper() {
    let sandbox = Sandbox::new();
    // Fewer records than the recipe makes up, for a test.
    let recipe = golden("intrusion.toml");
    let small = recipe.replace("rows = 6000", "rows = 300");
    assert_ne!(small, recipe);
    sandbox.write("intrusion.toml", small);
    let ran = sandbox.done(&["run", "intrusion.toml", "--json"]);
    assert!(states(&ran).iter().all(|(_, state)| state == "done"), "{ran:?}");
    let accuracy =
        |step: &str| sandbox.json(&format!("intrusion.state/{step}/found.json"))["accuracy"].as_f64().unwrap();
    for step in [
        "evaluate-associations",
        "evaluate-rules",
        "evaluate-network",
        "assess-associations",
        "assess-rules",
        "assess-network",
    ] {
        assert!(accuracy(step) > 0.5, "{step}: {}", accuracy(step));
    }
    assert!(accuracy("evaluate-rules") >= 0.9 && sandbox.path("distributed/reviewed.json").is_file());
    let again = sandbox.done(&["run", "intrusion.toml", "--json"]);
    assert!(states(&again).iter().all(|(_, state)| state == "unchanged"), "{again:?}");
    // What the paper's process invokes stands in the phases in which it invokes it.
    let explained = sandbox.done(&["run", "--explain", "intrusion.toml", "--json"]).json();
    let of_phase = |phase: &str| {
        let steps = explained["steps"].as_array().unwrap().iter();
        steps.filter(|step| step["phase"] == phase).map(|step| step["run"].as_str().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(of_phase("modelling"), ["train", "train", "train", "assess", "assess", "assess"]);
    assert_eq!(of_phase("evaluation"), ["evaluate", "evaluate", "evaluate", "review"]);
    assert_eq!(of_phase("deployment"), ["report", "copy"]);
}

#[test]
fn the_recipes_of_the_docs_are_those_that_run() {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/run.md")).unwrap();
    for name in ["nightly.toml", "intrusion.toml"] {
        assert!(page.contains(&golden(name)), "{name} does not stand in docs/run.md");
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_what_is_done() {
    use crate::support::running::{interrupt, running_when};

    let sandbox = Sandbox::new();
    sandbox.write(
        "nightly.toml",
        RELEASE.replace("[steps.release]", "[steps.first]\nrun = \"select\"\nin = \"log\"\n[steps.release]"),
    );
    sandbox.done(&["synth", "queries", "--persons", "150", "--seed", "1", "--out", "log.tsv"]);
    let first = sandbox.path("nightly.state/first/data.csv");
    let again = || {
        fs::remove_dir_all(sandbox.path("nightly.state")).unwrap();
        fs::remove_file(sandbox.path("nightly.lock")).unwrap();
        fs::remove_dir_all(sandbox.path("published")).unwrap();
    };
    let child = running_when(&sandbox, &["run", "nightly.toml"], || first.exists(), again);
    let ran = interrupt(child);
    assert_eq!(ran.code, 130, "{ran:?}");
    assert!(ran.stderr.contains("the steps that are done stay"), "{ran:?}");
    assert!(!sandbox.path("published").exists());
    assert_eq!(sandbox.run(&["run", "nightly.toml", "--json"]).code, 0);
    assert!(states(&sandbox.done(&["run", "nightly.toml", "--json"])).iter().all(|(_, state)| state == "unchanged"));
}
