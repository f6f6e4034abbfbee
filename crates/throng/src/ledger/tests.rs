//! A chain of three lines whose hashes were worked out by other means, every byte of it flipped, and what a killed run leaves.

use super::*;

/// Worked out with Python's json.dumps(sort_keys=True, separators=(',', ':'), ensure_ascii=False), hashlib.sha256 and hmac; people are
/// ann, bob and cid, then ann, bob and dan, under the key of 32 bytes 7; certificates and data are the texts `certificate 1`, `data 1`, ….
const THREE: &[u8] = include_bytes!("../../../../testdata/ledger/three-releases.ledger");
const HASHES: [&str; 3] = [
    "456b4986b2b09a9bddf81539864ade77913ea57dcdd05eac64f9a07d77e669c7",
    "94ee3bc01efe34137756c2c367915c75d972e51274a49b7c8afc1a46c9d4ed40",
    "0dbc044a388c2f993cd0845b295914bfdef84ce2b75d6094a37e14179226ca35",
];

const FIRST_MAC: &str = "8ccb51719d63bc9670be99ebdda462ba0220720b087465dcc8a0944d2113cb07";

#[test]
fn three_lines_worked_out_by_other_means() {
    let lines = verify(THREE).unwrap();
    assert_eq!(lines.iter().map(|line| line.hash.as_str()).collect::<Vec<_>>(), HASHES);
    for (line, text) in lines.iter().zip(std::str::from_utf8(THREE).unwrap().lines()) {
        assert_eq!(line.text().unwrap(), text);
        assert_eq!(line.certificate_sha256, io::hash_bytes(format!("certificate {}", line.n).as_bytes()));
    }
    assert_eq!(next_place(&lines), LedgerPlace { n: 4, previous: HASHES[2].to_owned() });
    assert_eq!(next_place(&[]), LedgerPlace { n: 1, previous: BEGINNING.to_owned() });
    assert_eq!(of_dataset(&lines, "shop-2026").len(), 2);
    let people = People::of(["ann", "bob", "dan"], &[7; 32]);
    assert_eq!(lines[1].people.as_ref(), Some(&people));
    // Ann and bob of four; the third line knows nobody.
    let found = same_people(&lines, Some(&people), &[2]);
    let seen: Vec<(u64, f64, bool)> = found.iter().map(|same| (same.n, same.in_common.overlap, same.meant)).collect();
    assert_eq!(seen, [(1, 0.5, true), (2, 1.0, true)], "line 2 continues line 1, so both are meant");
    assert!(same_people(&lines, Some(&people), &[1]).iter().any(|same| same.n == 2 && !same.meant));
    assert!(same_people(&lines, None, &[]).is_empty());
}

/// Every bit of every byte.
#[test]
fn no_byte_can_be_changed() {
    for at in 0..THREE.len() {
        for bit in 0..8 {
            let mut bytes = THREE.to_vec();
            bytes[at] ^= 1 << bit;
            let broken = verify(&bytes).expect_err(&format!("byte {at}, bit {bit}"));
            assert!((1..=3).contains(&broken.line));
        }
    }
}

#[test]
fn no_byte_can_be_taken_out_or_put_in() {
    for at in 0..THREE.len() {
        let mut bytes = THREE.to_vec();
        bytes.remove(at);
        assert!(verify(&bytes).is_err(), "without byte {at}");
        for more in [b' ', b'\n', b'0', b'"'] {
            let mut bytes = THREE.to_vec();
            bytes.insert(at, more);
            // A byte beside its like is the same text.
            assert!(bytes == THREE || verify(&bytes).is_err(), "{} put in at {at}", char::from(more));
        }
    }
}

#[test]
fn no_line_can_be_moved_or_taken_out_but_the_last() {
    let text = std::str::from_utf8(THREE).unwrap();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let says = |order: &[usize]| {
        let text: String = order.iter().map(|&at| lines[at]).collect();
        verify(text.as_bytes()).map(|lines| lines.len()).map_err(|broken| broken.says())
    };
    assert_eq!(says(&[1, 2]).unwrap_err(), "line 1 (at byte 0) has the number 2");
    assert!(says(&[0, 2]).unwrap_err().ends_with("has the number 3"));
    assert!(says(&[0, 0, 1]).is_err() && says(&[1, 0, 2]).is_err());
    assert_eq!(says(&[0, 1]), Ok(2), "what is cut off at the end only a certificate shows");
    assert_eq!(says(&[]), Ok(0));
}

/// A line with another number, hash or form that is consistent in itself.
#[test]
fn a_line_written_anew_breaks_the_chain() {
    let mut lines = verify(THREE).unwrap();
    lines[0].dataset = "another".to_owned();
    lines[0].hash = hash_of(lines[0].value().unwrap());
    let text: String = lines.iter().map(|line| line.text().unwrap() + "\n").collect();
    let broken = verify(text.as_bytes()).unwrap_err();
    assert!(broken.line == 2 && broken.problem.contains("previous"), "{broken:?}");
    // Blanks, another order of keys, another spelling of a number: the same value, and not its canonical form.
    let first = std::str::from_utf8(THREE).unwrap().lines().next().unwrap();
    for other in [
        first.replacen(':', ": ", 1),
        first.replace("\"n\":1", "\"n\":1.0"),
        first.replacen("kindred", "\\u006bindred", 1),
    ] {
        assert_eq!(verify(format!("{other}\n").as_bytes()).unwrap_err().problem, "is not in its canonical form");
    }
    // A key of a later version is hashed with the rest.
    let mut value: Value = serde_json::from_str(first).unwrap();
    value["later"] = "x".into();
    value["hash"] = hash_of(value.clone()).into();
    assert_eq!(verify(format!("{}\n", canonical::text(&value)).as_bytes()).unwrap().len(), 1);
}

#[test]
fn a_torn_line_is_said_with_its_offset() {
    let second = THREE.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    for length in second + 1..second + 5 {
        let broken = verify(&THREE[..length]).unwrap_err();
        assert!(broken.is_torn && broken.offset == second as u64 && broken.line == 2);
        let error = broken.error(Path::new("l")).describe(false);
        assert!(
            error.contains("the ledger is torn: line 2") && error.contains(&format!("truncate -s {second}")),
            "{error}"
        );
    }
}

#[test]
fn names_of_data_sets() {
    for good in ["shop-2026", "körbe", "a b"] {
        check_dataset(good).unwrap();
    }
    for bad in ["", " a", "a\nb", &"x".repeat(201)] {
        check_dataset(bad).unwrap_err();
    }
}

/// A ledger with two lines, the third of which is being written.
struct Killed {
    folder: tempfile::TempDir,
    lines: Vec<Line>,
}

impl Killed {
    fn new(beginning_of_third: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut lines = verify(THREE).unwrap();
        let third = lines.pop().unwrap();
        let whole: usize = lines.iter().map(|line| line.text().unwrap().len() + 1).sum();
        std::fs::write(folder.path().join("l"), &THREE[..whole + beginning_of_third]).unwrap();
        let killed = Self { folder, lines };
        let (release, unpublished) = (killed.path("out"), killed.path("hidden"));
        let pending = PendingLine { line: third, release, unpublished };
        std::fs::write(killed.path("l.pending"), serde_json::to_vec(&pending).unwrap()).unwrap();
        killed
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A folder with the certificate of the third line.
    fn put_release(&self, name: &str) {
        std::fs::create_dir(self.path(name)).unwrap();
        std::fs::write(self.path(name).join("certificate.json"), "certificate 3").unwrap();
    }

    fn begin(&self) -> Result<(usize, Option<String>)> {
        Writing::begin(&self.path("l"), Duration::ZERO).map(|(writing, note)| (writing.lines().len(), note))
    }

    fn bytes(&self) -> Vec<u8> {
        std::fs::read(self.path("l")).unwrap()
    }
}

#[test]
fn a_release_without_its_line_gets_it() {
    // Nothing of the line, half of it, all but its end.
    for length in [0, 1, 100, verify(THREE).unwrap()[2].text().unwrap().len()] {
        let killed = Killed::new(length);
        killed.put_release("out");
        assert!(read(&killed.path("l")).unwrap().pending.is_some());
        let (lines, note) = killed.begin().unwrap();
        assert!(lines == 3 && note.unwrap().contains("wrote line 3"), "{length}");
        assert_eq!(killed.bytes(), THREE);
        assert!(!killed.path("l.pending").exists());
        assert_eq!(killed.begin().unwrap(), (3, None));
    }
}

#[test]
fn a_line_without_its_release_is_not_written() {
    for length in [0, 50] {
        let killed = Killed::new(length);
        killed.put_release("hidden");
        assert_eq!(killed.begin().unwrap(), (2, None));
        assert_eq!(verify(&killed.bytes()).unwrap(), killed.lines);
        assert!(!killed.path("l.pending").exists());
    }
}

#[test]
fn what_cannot_be_told_is_left_to_a_person() {
    let killed = Killed::new(0);
    let error = killed.begin().unwrap_err().describe(false);
    assert!(error.contains("whether it did cannot be told") && error.contains("l.pending"), "{error}");
    assert!(killed.path("l.pending").exists());
    std::fs::remove_file(killed.path("l.pending")).unwrap();
    assert_eq!(killed.begin().unwrap().0, 2);
}

#[test]
fn a_pending_line_that_is_written_or_is_not_whole_is_removed() {
    let killed = Killed::new(0);
    std::fs::write(killed.path("l"), THREE).unwrap();
    assert!(read(&killed.path("l")).unwrap().pending.is_none());
    assert_eq!(killed.begin().unwrap(), (3, None));
    assert!(!killed.path("l.pending").exists());
    std::fs::write(killed.path("l.pending"), "{\"line\":{").unwrap();
    assert_eq!(killed.begin().unwrap(), (3, None));
    assert!(!killed.path("l.pending").exists());
}

/// Damage that the pending line does not explain stays.
#[test]
fn other_damage_is_not_mended() {
    let killed = Killed::new(0);
    killed.put_release("out");
    let mut bytes = killed.bytes();
    bytes.extend_from_slice(b"{\"something\":");
    std::fs::write(killed.path("l"), &bytes).unwrap();
    assert!(killed.begin().unwrap_err().to_string().contains("torn"));
    assert_eq!(killed.bytes(), bytes);
}

#[test]
fn a_new_ledger_goes_again_if_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("l");
    let (writing, _) = Writing::begin(&path, Duration::ZERO).unwrap();
    assert!(path.exists());
    let error = Writing::begin(&path, Duration::ZERO).unwrap_err().describe(false);
    assert!(error.contains("is locked"), "{error}");
    assert!(writing::is_written(&path));
    drop(writing);
    assert!(!path.exists());
}

#[test]
fn a_key_is_made_once_and_missed_later() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("l");
    std::fs::write(&path, THREE).unwrap();
    let key = || {
        let (writing, _) = Writing::begin(&path, Duration::ZERO)?;
        writing.people_key().map(|(key, new)| (key, new.is_some()))
    };
    let error = key().unwrap_err().to_string();
    assert!(error.contains("l.key, is not there"), "{error}");
    std::fs::write(key_place(&path), "07".repeat(32) + "\n").unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |mode| std::fs::set_permissions(key_place(&path), std::fs::Permissions::from_mode(mode)).unwrap();
        mode(0o644);
        assert!(key().unwrap_err().to_string().contains("others can read the key of the ledger"));
        mode(0o600);
    }
    assert_eq!(key().unwrap(), ([7; 32], false));
    for damaged in ["07", "+7".repeat(32).as_str(), "zz", ""] {
        std::fs::write(key_place(&path), damaged).unwrap();
        assert!(key().unwrap_err().is_data(), "{damaged}");
    }
}

/// The chain does not hold the last line: what can be seen of it is.
#[test]
fn the_last_line_is_held_against_its_form_and_its_certificate() {
    let lines = verify(THREE).unwrap();
    let anew = |change: &dyn Fn(&mut Line)| {
        let mut last = lines[2].clone();
        change(&mut last);
        last.hash = hash_of(last.value().unwrap());
        let first = THREE.len() - (lines[2].text().unwrap().len() + 1);
        [&THREE[..first], last.text().unwrap().as_bytes(), b"\n"].concat()
    };
    assert!(verify(&anew(&|_| ())).is_ok());
    assert!(verify(&anew(&|line| line.time = "yesterday".to_owned())).unwrap_err().problem.contains("time"));
    for name in ["a\nb", "a\u{202e}b", "a\u{1b}[1m"] {
        assert!(verify(&anew(&|line| line.dataset = name.to_owned())).unwrap_err().problem.contains("not seen"));
    }
    let report: Value = serde_json::from_str(include_str!("../../../../testdata/golden/queries/report.json")).unwrap();
    let certificate: Certificate = serde_json::from_value(report["certificate"].clone()).unwrap();
    let place = LedgerPlace { n: 1, previous: BEGINNING.to_owned() };
    let line = Line::of(&certificate, "0".repeat(64), place, "shop", None, &[], None).unwrap();
    assert_eq!(line.belies(&certificate), None);
    let other = Line { method: "apriori".to_owned(), ..line.clone() };
    assert!(other.belies(&certificate).unwrap().contains("another method"));
    assert!(Line { claims: Vec::new(), ..line }.belies(&certificate).unwrap().contains("other claims"));
}

/// A line written anew, hash and all, is known under the key, be it the last; and the code cannot be left out where there was one.
#[test]
fn under_its_key_not_even_the_last_line_can_be_written_anew() {
    let key = [7; 32];
    let mut lines: Vec<Line> = Vec::new();
    for line in verify(THREE).unwrap() {
        let place = next_place(&lines);
        lines.push(Line { previous: place.previous, ..line }.under(&key).unwrap());
    }
    let bytes = |lines: &[Line]| -> Vec<u8> {
        lines.iter().flat_map(|line| format!("{}\n", line.text().unwrap()).into_bytes()).collect()
    };
    assert_eq!(verify_under(&bytes(&lines), Some(&key)).unwrap(), lines);
    // Worked out with Python's hmac and hashlib.
    assert_eq!(lines[0].mac.as_deref(), Some(FIRST_MAC));
    let anew = |change: &dyn Fn(&mut Line)| {
        let mut changed = lines.clone();
        let last = changed.last_mut().unwrap();
        change(last);
        last.hash = hash_of(last.value().unwrap());
        bytes(&changed)
    };
    type Change = Box<dyn Fn(&mut Line)>;
    let changes: [Change; 3] = [
        Box::new(|line| line.people = Some(People::of(["eve"], &[7; 32]))),
        Box::new(|line| line.dataset = "another".to_owned()),
        Box::new(|line| line.time = "2026-03-09T06:00:00Z".to_owned()),
    ];
    for (at, change) in changes.iter().enumerate() {
        let written = anew(change);
        assert!(verify(&written).is_ok(), "{at}: nobody can tell without the key");
        let broken = verify_under(&written, Some(&key)).unwrap_err();
        assert!(broken.line == 3 && broken.problem.contains("key"), "{at}: {broken:?}");
    }
    let stripped = anew(&|line| line.mac = None);
    assert!(verify(&stripped).unwrap_err().problem.contains("no `mac`"));
    assert!(verify_under(&bytes(&lines), Some(&[8; 32])).unwrap_err().line == 1, "another key");
    // Lines of earlier versions come first, and are whole by themselves.
    let mut mixed = verify(THREE).unwrap();
    let last = mixed.pop().unwrap().under(&key).unwrap();
    mixed.push(last);
    assert_eq!(verify_under(&bytes(&mixed), Some(&key)).unwrap().len(), 3);
}

/// A link that leads nowhere can be neither opened nor made: said at once.
#[cfg(unix)]
#[test]
fn a_ledger_that_is_a_link_to_nowhere_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("l");
    std::os::unix::fs::symlink(folder.path().join("nowhere"), &link).unwrap();
    let error = Writing::begin(&link, Duration::from_secs(5)).unwrap_err();
    assert!(error.to_string().contains("write into the ledger"), "{error}");
}
