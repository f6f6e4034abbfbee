//! What stands in two places says the same in both: the contents of the guide, and expectations that nobody reads any more.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::Sandbox;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The anchor of a heading: lower case, without marks, blanks as dashes.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'));
    kept.flat_map(char::to_lowercase).map(|letter| if letter == ' ' { '-' } else { letter }).collect()
}

#[test]
fn the_contents_of_the_guide_are_its_headings() {
    let guide = fs::read_to_string(root().join("docs/guide.md")).unwrap();
    let outside: String = guide.split("```").step_by(2).collect();
    let headings: Vec<&str> = outside.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    let expected: Vec<String> = headings.iter().map(|title| format!("- [{title}](#{})", anchor(title))).collect();
    let listed: Vec<&str> = outside.lines().filter(|line| line.starts_with("- [") && line.contains("](#")).collect();
    assert!(listed.len() > 10);
    assert_eq!(listed, expected);
}

/// Whatever a model does not promise has an attack that shows it, or says that there is none.
#[test]
fn what_is_not_promised_names_its_attack() {
    let page = fs::read_to_string(root().join("docs/promise.md")).unwrap();
    let listed = Sandbox::new().done(&["list", "attacks", "--json"]).json();
    let attacks = listed["attacks"].as_array().unwrap().iter().map(|attack| attack["name"].as_str().unwrap());
    let names: Vec<String> = attacks.map(|name| format!("`{name}")).collect();
    // Where such a part begins, as a heading or in bold, and where the next begins.
    let mut points: Vec<&str> = Vec::new();
    for section in page.split("\n## ").skip(1) {
        if let Some((_, part)) = section.split_once("### What it does not promise\n") {
            let part = part.split("\n### ").next().unwrap();
            points.extend(part.split("\n\n").filter(|point| point.trim_start().starts_with("**")));
        } else if let Some((_, part)) = section.split_once("**What it does not promise") {
            let part = part.split("\n\n**").next().unwrap();
            if part.contains("\n- ") {
                points.extend(part.split("\n- ").skip(1));
            } else {
                points.push(part);
            }
        }
    }
    assert!(points.len() > 40, "{}", points.len());
    for point in points {
        let is_named = names.iter().any(|name| point.contains(name)) || point.contains("no attack");
        assert!(is_named, "no attack is named: {point}");
    }
}

/// The block of code after some words of a page.
fn block_after<'a>(page: &'a str, words: &str, sort: &str) -> &'a str {
    let (_, rest) = page.split_once(words).unwrap_or_else(|| panic!("{words}"));
    let (_, block) = rest.split_once(sort).unwrap();
    block.split("```").next().unwrap()
}

/// What the guide shows of its example is what the commands print.
#[test]
fn the_examples_of_the_guide_are_what_is_printed() {
    let guide = fs::read_to_string(root().join("docs/guide.md")).unwrap();
    let promise = fs::read_to_string(root().join("docs/promise.md")).unwrap();
    let sandbox = Sandbox::new();
    let log = promise.split_once("user,query,time,rank,url\n").unwrap().1.split("```").next().unwrap();
    sandbox.write("searches.csv", format!("user,query,time,rank,url\n{log}"));
    let shown = |words: &str| -> Value { serde_json::from_str(block_after(&guide, words, "```json")).unwrap() };
    assert_eq!(
        sandbox.done(&["inspect", "searches.csv", "--json"]).json(),
        shown("`throng inspect searches.csv --json`")
    );
    let distance = ["inspect", "searches.csv", "--distance", "dan", "eve", "--json"];
    assert_eq!(sandbox.done(&distance).json(), shown("`throng inspect searches.csv --distance dan eve --json`"));
    let method = ["--k", "3", "--key", "key.csv", "--method", "user-microaggregation"];
    sandbox.done(&[&["protect", "searches.csv", "--out", "release"], &method[..]].concat());
    let measured = sandbox.done(&["measure", "searches.csv", "release", "--key", "key.csv"]).stdout;
    assert_eq!(
        measured.trim(),
        block_after(&guide, "throng measure searches.csv release --key key.csv\n```", "```text").trim()
    );
    let mut checked = sandbox.run(&["check", "release", "--k", "4", "--json"]).json();
    let mut expected = shown("`throng check release --k 4 --json`");
    // Pseudonyms are drawn.
    for json in [&mut checked, &mut expected] {
        json["witness"]["pseudonym"].take();
        json["claims"][0]["witness"]["pseudonym"].take();
    }
    assert_eq!(checked, expected);
}

#[test]
fn the_guide_lists_every_code_of_errors() {
    let guide = fs::read_to_string(root().join("docs/guide.md")).unwrap();
    let table = guide.split("| code of an error | meaning |").nth(1).unwrap();
    let rows = table.trim_start().lines().skip(1).take_while(|line| line.starts_with('|'));
    let listed: Vec<&str> = rows.filter_map(|line| line.split('`').nth(1)).collect();
    assert_eq!(listed, throng_core::error::CODES);
}

/// Every text between double quotes in the tests, and what lies between them.
fn names_in_tests(folder: &Path, into: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            names_in_tests(&path, into);
        } else {
            let source = fs::read_to_string(&path).unwrap();
            into.extend(source.split('"').map(str::to_owned));
        }
    }
}

/// Snapshots are named by texts in the tests: whole, or put together of a beginning such as `help-{command}` and other texts.
#[test]
fn no_snapshot_is_orphaned() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut texts = Vec::new();
    names_in_tests(&tests.join("it"), &mut texts);
    let mut parts: BTreeSet<String> = texts.iter().map(|text| text.replace('.', "-")).collect();
    parts.extend(throng::catalog::items().iter().map(|item| item.info().name.to_owned()));
    let beginnings =
        texts.iter().filter_map(|text| text.split_once('{')).filter_map(|(start, _)| start.strip_suffix('-'));
    parts.extend(beginnings.map(str::to_owned));
    let mut orphans = Vec::new();
    for entry in fs::read_dir(tests.join("snapshots")).unwrap() {
        let file = entry.unwrap().file_name().into_string().unwrap();
        if !is_put_together(&file.strip_suffix(".txt").unwrap_or(&file).replace('.', "-"), &parts) {
            orphans.push(file);
        }
    }
    assert!(orphans.is_empty(), "no test has these snapshots: {orphans:?}");
    assert!(!is_put_together(&format!("protect-{}", 7 * 1_234_567), &parts));
}

/// Whether a name is one of the parts, or several of them with dashes between.
fn is_put_together(name: &str, parts: &BTreeSet<String>) -> bool {
    let splits = name.match_indices('-').map(|(at, _)| (&name[..at], &name[at + 1..]));
    parts.contains(name)
        || splits.into_iter().any(|(left, right)| parts.contains(left) && is_put_together(right, parts))
}
