//! Releases on record: a line in a ledger for each, a signature, and no byte of any of it that can be changed unseen.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use tempfile::TempDir;
use throng::ledger::{self, Writing};
use throng::run::{self, CheckRequest, LedgerAddRequest, LedgerRequest, ProtectOutcome, ProtectRequest, SignRequest};
use throng_core::Result;
use throng_core::progress::{Progress, Silent};

/// A folder with a small log, a pair of keys and a ledger.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        let text =
            "user,query,time\nann,roses,1149116452\nbob,roses,1149116453\ncid,cars,1149116454\ndan,cars,1149116455\n";
        fs::write(place.path("log.csv"), text).unwrap();
        fs::write(
            place.path("others.csv"),
            text.replace("ann", "eve").replace("bob", "fay").replace("cid", "gus").replace("dan", "hal"),
        )
        .unwrap();
        run::new_keys(&place.path("custodian"), None).unwrap();
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn request(&self, file: &str, out: &str) -> ProtectRequest {
        ProtectRequest {
            file: self.path(file).into(),
            out: self.path(out),
            method: Some("user-microaggregation".to_owned()),
            parameters: vec![("k".to_owned(), "2".to_owned())],
            measures: vec!["query-frequency".to_owned()],
            seed: Some(1),
            ledger: Some(self.ledger(None)),
            sign: Some(SignRequest { key: self.path("custodian.key"), password_file: None }),
            ..ProtectRequest::default()
        }
    }

    fn ledger(&self, continues: Option<u64>) -> LedgerRequest {
        LedgerRequest { file: self.path("l"), dataset: "log".to_owned(), continues: continues.into_iter().collect() }
    }

    fn protect(&self, file: &str, out: &str) -> ProtectOutcome {
        run::protect(&self.request(file, out), &Silent).map_err(|error| error.describe(true)).unwrap()
    }

    fn check(&self, release: &str) -> CheckRequest {
        CheckRequest {
            file: self.path(release).into(),
            trusted: Some(self.path("custodian.pub")),
            ledger: Some(self.path("l")),
            ..CheckRequest::default()
        }
    }

    /// The verdict, or that there is none.
    fn verdict(&self, release: &str) -> &'static str {
        run::check(&self.check(release), &Silent).map_or("error", |outcome| outcome.verdict)
    }

    /// What is in the folder, hidden or not.
    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.0.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

fn problem(outcome: &run::CheckOutcome) -> (&'static str, Option<&'static str>) {
    (outcome.verdict, outcome.signature.as_ref().and_then(|signature| signature.problem))
}

#[test]
fn releases_are_chained_and_the_same_people_are_noticed() {
    let place = Place::new();
    let first = place.protect("log.csv", "one");
    let recorded = first.ledger.unwrap();
    assert_eq!((recorded.n, recorded.previous.as_str(), recorded.same_people.len()), (1, ledger::BEGINNING, 0));
    let others = place.protect("others.csv", "two");
    assert!(
        others.ledger.unwrap().same_people.is_empty() && !others.notes.iter().any(|note| note.contains("same people"))
    );
    let again = place.protect("log.csv", "three");
    let note = again.notes.iter().find(|note| note.contains("the same people again")).unwrap();
    assert!(note.contains("line 1 of the ledger") && note.contains("100 %") && !note.contains("line 2"), "{note}");
    let recorded = again.ledger.unwrap();
    assert_eq!(recorded.same_people.iter().map(|same| same.n).collect::<Vec<_>>(), [1]);
    assert_eq!(again.certificate.ledger.as_ref().unwrap().previous, recorded.previous);
    // Meant, and what that one continues is meant too.
    for (out, continues) in [("four", 3), ("five", 4)] {
        let mut request = place.request("log.csv", out);
        request.ledger = Some(place.ledger(Some(continues)));
        let outcome = run::protect(&request, &Silent).unwrap();
        let same = outcome.ledger.unwrap().same_people;
        let not_meant: Vec<u64> = same.iter().filter(|same| !same.meant).map(|same| same.n).collect();
        assert_eq!(not_meant, [1], "line 3 did not say that it continues line 1");
        assert_eq!(same.len(), continues as usize - 1);
    }
    let verified = run::ledger_verify(&place.path("l")).unwrap();
    assert_eq!((verified.verdict, verified.lines), ("holds", 5));
    for release in ["one", "two", "three", "four", "five"] {
        assert_eq!(place.verdict(release), "holds", "{release}");
    }
    let names = place.names();
    assert!(
        names.contains(&"l.key".to_owned())
            && !names.iter().any(|name| name.contains("pending") || name.starts_with('.'))
    );
    #[cfg(unix)]
    {
        let mode = |name: &str| {
            let permissions = place.path(name).metadata().unwrap().permissions();
            std::os::unix::fs::PermissionsExt::mode(&permissions) & 0o777
        };
        assert_eq!([mode("l.key"), mode("custodian.key")], [0o600; 2]);
    }
    // The same people, the same seed, and never their ids.
    let text = fs::read_to_string(place.path("l")).unwrap();
    assert!(!["ann", "bob", "cid", "eve"].iter().any(|id| text.contains(id)));
}

/// A release that is signed and chained, for tests that only look at it.
fn whole() -> &'static Place {
    static WHOLE: OnceLock<Place> = OnceLock::new();
    WHOLE.get_or_init(|| {
        let place = Place::new();
        place.protect("others.csv", "before");
        place.protect("log.csv", "out");
        place
    })
}

/// A copy of a release folder, of its ledger and of the key that it is signed with.
fn copied(from: &Place) -> Place {
    let place = Place(tempfile::tempdir().unwrap());
    for name in ["l", "custodian.pub", "custodian.key"] {
        fs::copy(from.path(name), place.path(name)).unwrap();
    }
    fs::create_dir(place.path("out")).unwrap();
    for entry in fs::read_dir(from.path("out")).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), place.path("out").join(entry.file_name())).unwrap();
    }
    place
}

/// Every byte of certificate, signature and data, and of the ledger, three flips each.
#[test]
fn no_byte_of_a_release_or_its_ledger_can_be_changed() {
    let place = copied(whole());
    assert_eq!(place.verdict("out"), "holds");
    let files = ["out/certificate.json", "out/certificate.json.minisig", "out/data.csv"];
    for name in files {
        let path = place.path(name);
        let bytes = fs::read(&path).unwrap();
        let expected: &[Option<&str>] = match name {
            "out/data.csv" => &[Some("data-changed")],
            "out/certificate.json" => &[Some("certificate-changed")],
            _ => &[Some("form"), Some("other-key"), Some("certificate-changed")],
        };
        for at in 0..bytes.len() {
            for flip in [0x01, 0x20, 0x80] {
                let mut changed = bytes.clone();
                changed[at] ^= flip;
                fs::write(&path, &changed).unwrap();
                let outcome = run::check(&place.check("out"), &Silent).unwrap();
                let (verdict, found) = problem(&outcome);
                assert!(verdict == "fails" && expected.contains(&found), "{name}, byte {at}, flip {flip}: {found:?}");
            }
        }
        fs::write(&path, &bytes).unwrap();
    }
    let path = place.path("l");
    let bytes = fs::read(&path).unwrap();
    let certificate = throng::certificate::Certificate::read(&place.path("out")).unwrap();
    let hash = throng::io::hash_file(&place.path("out/certificate.json")).unwrap();
    for at in 0..bytes.len() {
        for flip in [0x01, 0x20, 0x80] {
            let mut changed = bytes.clone();
            changed[at] ^= flip;
            fs::write(&path, &changed).unwrap();
            let verified = run::ledger_verify(&path).unwrap();
            assert_eq!(verified.verdict, "fails", "byte {at}, flip {flip}");
            assert!(verified.line.is_some());
            let found = ledger::find(&ledger::read(&path).unwrap(), &certificate, &hash);
            assert!(matches!(found, ledger::Found::Missing(_)), "byte {at}, flip {flip}");
        }
    }
    fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    assert_eq!(place.verdict("out"), "fails");
    fs::write(&path, &bytes).unwrap();
    assert_eq!(place.verdict("out"), "holds");
}

/// Without a key: the report says the same of the certificate as the certificate itself.
#[test]
fn a_certificate_that_its_report_contradicts_fails_without_a_key() {
    let place = copied(whole());
    let request = CheckRequest { file: place.path("out").into(), ..CheckRequest::default() };
    let verdict = || run::check(&request, &Silent).map_or("error", |outcome| outcome.verdict);
    assert_eq!(verdict(), "holds");
    let path = place.path("out/certificate.json");
    let text = fs::read_to_string(&path).unwrap();
    for (before, after) in [
        ("\"randomness\": \"seeded\"", "\"randomness\": \"secure\""),
        ("\"persons\": 4,", "\"persons\": 7,"),
        ("\"n\": 2", "\"n\": 3"),
        ("\"ids\": \"pseudonyms\"", "\"ids\": \"kept\""),
    ] {
        assert!(text.contains(before), "{text}");
        fs::write(&path, text.replacen(before, after, 1)).unwrap();
        assert_eq!(verdict(), "fails", "{after}");
    }
}

#[test]
fn four_sentences() {
    let place = copied(whole());
    let says = || {
        let outcome = run::check(&place.check("out"), &Silent).unwrap();
        assert_eq!(outcome.verdict, "fails");
        outcome.signature.unwrap().says
    };
    let mut said = Vec::new();
    let change = |name: &str, said: &mut Vec<String>| {
        let bytes = fs::read(place.path(name)).unwrap();
        fs::write(place.path(name), [&bytes[..], b"\n"].concat()).unwrap();
        said.push(says());
        fs::write(place.path(name), bytes).unwrap();
    };
    change("out/certificate.json", &mut said);
    change("out/data.csv", &mut said);
    let public = fs::read(place.path("custodian.pub")).unwrap();
    run::new_keys(&place.path("somebody"), None).unwrap();
    fs::copy(place.path("somebody.pub"), place.path("custodian.pub")).unwrap();
    said.push(says());
    fs::write(place.path("custodian.pub"), public).unwrap();
    fs::remove_file(place.path("out/certificate.json.minisig")).unwrap();
    said.push(says());
    for (says, part) in
        said.iter().zip(["not the one that was signed", "the data are not those", "another key", "not signed"])
    {
        assert!(says.contains(part), "{says}");
    }
    // What is no release has neither.
    let file = CheckRequest { file: place.path("out/data.csv").into(), ..place.check("out") };
    assert!(run::check(&file, &Silent).unwrap_err().to_string().contains("only a release folder"));
}

#[test]
fn a_signature_in_another_form_fails_without_a_key_too() {
    let place = copied(whole());
    let request = CheckRequest { file: place.path("out").into(), ..CheckRequest::default() };
    let path = place.path("out/certificate.json.minisig");
    let text = fs::read_to_string(&path).unwrap();
    for changed in
        [text.replace("of a throng release", "by ann lind"), format!("{text}ann lind\n"), text.replacen('R', "r", 1)]
    {
        fs::write(&path, changed).unwrap();
        let outcome = run::check(&request, &Silent).unwrap();
        assert!(outcome.verdict == "fails" && outcome.not_compared[0].contains("minisig"), "{outcome:?}");
    }
}

#[test]
fn a_ledger_that_was_cut_or_is_another_one_does_not_have_the_release() {
    let place = copied(whole());
    let says = || {
        let outcome = run::check(&place.check("out"), &Silent).unwrap();
        assert_eq!(outcome.verdict, "fails");
        outcome.ledger.unwrap().says
    };
    let text = fs::read_to_string(place.path("l")).unwrap();
    let first = text.split_inclusive('\n').next().unwrap();
    fs::write(place.path("l"), first).unwrap();
    assert!(says().contains("the ledger ends at line 1: it was cut"));
    // A chain of another house, as long.
    let other = Place::new();
    other.protect("log.csv", "one");
    other.protect("others.csv", "two");
    fs::copy(other.path("l"), place.path("l")).unwrap();
    assert!(says().contains("follows another line"), "{}", says());
    // This chain with another release in its place.
    fs::write(place.path("l"), first).unwrap();
    fs::copy(whole().path("l.key"), place.path("l.key")).unwrap();
    fs::copy(whole().path("log.csv"), place.path("log.csv")).unwrap();
    place.protect("log.csv", "another");
    assert_eq!(place.verdict("another"), "holds");
    let certificate = fs::read_to_string(place.path("out/certificate.json")).unwrap();
    assert_eq!(certificate, fs::read_to_string(place.path("another/certificate.json")).unwrap(), "the same seed");
    let mut request = place.request("log.csv", "third");
    request.seed = Some(2);
    fs::write(place.path("l"), first).unwrap();
    run::protect(&request, &Silent).unwrap();
    assert!(says().contains("names another certificate"), "{}", says());
}

/// Does something when the release is written and being measured.
struct Meanwhile<F>(F);

impl<F: Fn() + Sync> Progress for Meanwhile<F> {
    fn stage(&self, name: &str, _total: u64) {
        if name == "query-frequency" {
            (self.0)();
        }
    }

    fn advance(&self, _steps: u64) {}
}

#[test]
fn no_line_without_its_release() {
    let place = Place::new();
    let before = place.names();
    let take = Meanwhile(|| fs::write(place.path("out"), "theirs").unwrap());
    let error = run::protect(&place.request("log.csv", "out"), &take).unwrap_err().to_string();
    assert!(error.contains("exists already"), "{error}");
    fs::remove_file(place.path("out")).unwrap();
    assert_eq!(place.names(), before, "no ledger, no key, no pending line");
    // With lines before: they stay as they are.
    place.protect("log.csv", "one");
    let (names, text) = (place.names(), fs::read(place.path("l")).unwrap());
    run::protect(&place.request("log.csv", "out"), &take).unwrap_err();
    fs::remove_file(place.path("out")).unwrap();
    assert_eq!((place.names(), fs::read(place.path("l")).unwrap()), (names, text));
}

/// The ledger goes bad while the release is made.
#[test]
fn no_release_without_its_line() {
    let place = Place::new();
    place.protect("others.csv", "one");
    let text = fs::read(place.path("l")).unwrap();
    let tear = Meanwhile(|| fs::write(place.path("l"), &text[..text.len() - 9]).unwrap());
    let names = place.names();
    let error = run::protect(&place.request("log.csv", "out"), &tear).unwrap_err().describe(true);
    assert!(error.contains("the ledger is torn: line 1 (at byte 0)"), "{error}");
    assert_eq!(place.names(), names);
    // It is refused at once the next time, before the log is read.
    fs::write(place.path("log.csv"), "no log at all").unwrap();
    let error = run::protect(&place.request("log.csv", "out"), &Silent).unwrap_err().to_string();
    assert!(error.contains("the ledger is torn"), "{error}");
}

/// What could not be written into the ledger takes the release back, and what it replaced returns.
#[test]
fn a_seal_that_fails_takes_everything_back() {
    use throng::pending::{Pending, new_file, publish_sealed};
    let place = Place::new();
    for over in [false, true] {
        let out = place.path("out");
        if over {
            fs::create_dir(&out).unwrap();
            fs::write(out.join("old"), "old").unwrap();
        }
        let folder = Pending::folder(&out).unwrap();
        new_file(&folder.path().join("new")).unwrap();
        let (_, key) = Pending::file(&place.path("key"), true).unwrap();
        let finished = vec![(key, place.path("key")), (folder, out.clone())];
        let seal = || {
            assert!(out.join("new").exists() && !out.join("old").exists());
            Err(throng_core::Error::refused("no"))
        };
        publish_sealed(finished, over.then_some(out.as_path()), seal).unwrap_err();
        assert!(!place.path("key").exists());
        assert_eq!((out.exists(), out.join("old").exists(), out.join("new").exists()), (over, over, false));
        assert!(!place.names().iter().any(|name| name.starts_with('.')));
    }
}

/// What the tests of the ledger itself do by hand, with a whole release: killed between its name and its line.
#[test]
fn a_killed_run_is_noticed_and_mended() {
    let place = Place::new();
    place.protect("others.csv", "one");
    let before = fs::read(place.path("l")).unwrap();
    place.protect("log.csv", "out");
    let after = fs::read_to_string(place.path("l")).unwrap();
    let line = after.lines().nth(1).unwrap();
    let pending = format!(
        "{{\"line\":{line},\"release\":{:?},\"unpublished\":{:?}}}",
        place.path("out").display().to_string(),
        place.path(".throng-x/made").display().to_string()
    );
    fs::write(place.path("l"), &before).unwrap();
    fs::write(place.path("l.pending"), pending).unwrap();
    let verified = run::ledger_verify(&place.path("l")).unwrap();
    assert_eq!((verified.verdict, verified.lines, verified.line), ("fails", 1, Some(2)));
    assert!(verified.problem.unwrap().contains("line 2 is pending"));
    let outcome = run::check(&place.check("out"), &Silent).unwrap();
    assert!(outcome.verdict == "fails" && outcome.ledger.unwrap().says.contains("not written yet"));
    let third = place.protect("others.csv", "third");
    assert!(third.notes.iter().any(|note| note.contains("wrote line 2 of the ledger")), "{:?}", third.notes);
    assert_eq!(third.ledger.unwrap().n, 3);
    assert_eq!(run::ledger_verify(&place.path("l")).unwrap().verdict, "holds");
    assert_eq!([place.verdict("out"), place.verdict("third")], ["holds"; 2]);
}

#[test]
fn several_writers_all_have_their_lines() {
    let place = Place::new();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let place = &place;
            scope.spawn(move || {
                for run in 0..2 {
                    place.protect(if run == 0 { "log.csv" } else { "others.csv" }, &format!("out-{writer}-{run}"));
                }
            });
        }
    });
    let verified = run::ledger_verify(&place.path("l")).unwrap();
    assert_eq!((verified.verdict, verified.lines), ("holds", 8), "{verified:?}");
    for writer in 0..4 {
        for run in 0..2 {
            assert_eq!(place.verdict(&format!("out-{writer}-{run}")), "holds");
        }
    }
    // All used one key: the same people were noticed.
    let lines = ledger::lines(&place.path("l")).unwrap();
    let people: std::collections::BTreeSet<String> =
        lines.iter().map(|line| serde_json::to_string(&line.people).unwrap()).collect();
    assert_eq!(people.len(), 2);
}

#[test]
fn a_release_is_added_later() {
    let place = Place::new();
    let mut request = place.request("log.csv", "out");
    request.ledger = None;
    request.key = Some(place.path("key.csv"));
    run::protect(&request, &Silent).unwrap();
    let add = |key: Option<&str>| -> Result<run::LedgerAdded> {
        let key = key.map(|name| place.path(name));
        run::ledger_add(&LedgerAddRequest { ledger: place.ledger(None), release: place.path("out"), key }, &Silent)
    };
    let missing = run::check(&place.check("out"), &Silent).map_err(|error| error.describe(false));
    assert!(missing.unwrap_err().contains("could not read the ledger"));
    let added = add(Some("key.csv")).unwrap();
    assert_eq!((added.recorded.n, added.notes.len()), (1, 0));
    let found = run::check(&place.check("out"), &Silent).unwrap();
    assert!(found.holds() && found.ledger.unwrap().says.contains("added later"));
    let error = add(None).unwrap_err().to_string();
    assert!(error.contains("in the ledger already, as line 1"), "{error}");
    // The people are known by the key: protecting them again is noticed.
    let again = place.protect("log.csv", "again");
    assert_eq!(again.ledger.unwrap().same_people.len(), 1);
    // Without a key nobody is known, and that is said.
    let elsewhere = LedgerRequest { file: place.path("other"), ..place.ledger(None) };
    let request = LedgerAddRequest { ledger: elsewhere, release: place.path("out"), key: None };
    let added = run::ledger_add(&request, &Silent).unwrap();
    assert!(added.notes[0].contains("nobody knows who is in this release"), "{:?}", added.notes);
    // A certificate that belongs to another place of a chain.
    let request = LedgerAddRequest { release: place.path("again"), ..request };
    let error = run::ledger_add(&request, &Silent).unwrap_err().to_string();
    assert!(error.contains("is that of line 2"), "{error}");
    // Data that are not those of the certificate.
    fs::write(place.path("again/data.csv"), "x").unwrap();
    assert!(run::ledger_add(&request, &Silent).unwrap_err().to_string().contains("are not those"));
}

#[test]
fn data_without_ids_have_no_people() {
    let place = Place::new();
    fs::write(place.path("baskets.dat"), "bread milk\nbread milk\nbeer milk\nbeer milk\n").unwrap();
    fs::write(place.path("food.csv"), "child,parent\nbread,food\nmilk,food\nbeer,food\n").unwrap();
    let mut request = ProtectRequest { method: None, measures: Vec::new(), ..place.request("baskets.dat", "out") };
    request.ask.taxonomies = vec![place.path("food.csv").display().to_string()];
    run::protect(&request, &Silent).map_err(|error| error.describe(true)).unwrap();
    assert!(fs::read_to_string(place.path("l")).unwrap().contains("\"people\":null"));
    // Its line is written under the key all the same.
    assert!(place.path("l.key").exists());
}

#[test]
fn places_that_are_refused_before_anything_is_read() {
    let place = Place::new();
    fs::write(place.path("log.csv"), "no log at all").unwrap();
    let says = |change: &dyn Fn(&mut ProtectRequest)| {
        let mut request = place.request("log.csv", "out");
        change(&mut request);
        run::protect(&request, &Silent).unwrap_err().describe(true)
    };
    let at = |file: PathBuf| move |request: &mut ProtectRequest| request.ledger.as_mut().unwrap().file = file.clone();
    assert!(says(&at(place.path("out/l"))).contains("inside the release folder"));
    assert!(says(&at(place.path("nowhere/l"))).contains("does not exist"));
    assert!(says(&at(place.0.path().to_owned())).contains("could not write into the ledger"));
    assert!(says(&|request| request.ledger.as_mut().unwrap().dataset.clear()).contains("`dataset` is empty"));
    assert!(says(&|request| request.ledger.as_mut().unwrap().continues = vec![1]).contains("the ledger has 0 lines"));
    assert!(says(&|request| request.key = Some(place.path("l.key"))).contains("the ledger's own key"));
    assert!(says(&|request| request.sign.as_mut().unwrap().key = place.path("custodian.pub")).contains("public key"));
    fs::write(place.path("password"), "\n").unwrap();
    let password = place.path("password");
    assert!(
        says(&|request| request.sign.as_mut().unwrap().password_file = Some(password.clone()))
            .contains("password is empty")
    );
    assert_eq!(
        place.names(),
        ["custodian.key", "custodian.pub", "log.csv", "others.csv", "password"],
        "nothing was begun"
    );
}

/// A disk that cannot be written, where there is one: the files of the kernel.
#[cfg(target_os = "linux")]
#[test]
fn a_ledger_on_a_read_only_disk() {
    let place = Place::new();
    let read_only = Path::new("/proc/sys/kernel/ostype");
    if !read_only.exists() {
        return;
    }
    let mut request = place.request("log.csv", "out");
    request.ledger.as_mut().unwrap().file = read_only.to_owned();
    let error = run::protect(&request, &Silent).unwrap_err().describe(true);
    assert!(error.contains("ledger") && !place.path("out").exists(), "{error}");
}

#[test]
fn a_title_does_not_change_what_is_on_record() {
    let place = copied(whole());
    let heading = run::Heading { title: Some("another".to_owned()), date: None };
    let says = || run::report(&place.path("out"), &heading, None, &Silent).unwrap_err().to_string();
    assert!(says().contains("is signed"));
    fs::remove_file(place.path("out/certificate.json.minisig")).unwrap();
    assert!(says().contains("a ledger names this certificate"));
    run::report(&place.path("out"), &run::Heading::default(), None, &Silent).unwrap();
}

/// Nobody waits longer than they must for a run that does not end.
#[test]
fn a_locked_ledger_is_waited_for() {
    let place = Place::new();
    place.protect("log.csv", "one");
    let (held, _) = Writing::begin(&place.path("l"), std::time::Duration::ZERO).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(std::time::Duration::from_millis(200));
            drop(held);
        });
        assert_eq!(place.protect("others.csv", "two").ledger.unwrap().n, 2);
    });
}
