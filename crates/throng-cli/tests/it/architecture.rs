//! ARCHITECTURE.md names what is there, and everything at the top is named in it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use throng::kinds::KINDS;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn text() -> String {
    fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md is at the top of the repository")
}

/// Everything between single backticks outside of fenced blocks.
fn quoted(text: &str) -> BTreeSet<&str> {
    let outside = text.split("```").step_by(2);
    outside.flat_map(|part| part.split('`').skip(1).step_by(2)).collect()
}

#[test]
fn every_path_named_exists() {
    let text = text();
    let quoted = quoted(&text);
    let paths: Vec<&&str> = quoted
        .iter()
        .filter(|name| name.contains('/') && !name.contains(char::is_whitespace) && !name.contains("://"))
        .filter(|name| !name.contains(['<', '*', '{']))
        .collect();
    assert!(!paths.is_empty(), "ARCHITECTURE.md is a code map: it names paths");
    let missing: Vec<_> = paths.iter().filter(|name| !root().join(name).exists()).collect();
    assert!(missing.is_empty(), "named in ARCHITECTURE.md but not there: {missing:?}");
}

#[test]
fn every_top_module_is_named() {
    let text = text();
    let named: BTreeSet<&str> = quoted(&text).into_iter().map(|name| name.trim_end_matches('/')).collect();
    let mut missing = Vec::new();
    for crate_name in ["throng-core", "throng", "throng-serve", "throng-cli"] {
        let source = format!("crates/{crate_name}/src");
        for entry in fs::read_dir(root().join(&source)).unwrap() {
            let path = format!("{source}/{}", entry.unwrap().file_name().to_string_lossy());
            if !named.contains(path.as_str()) {
                missing.push(path);
            }
        }
    }
    assert!(missing.is_empty(), "not named in ARCHITECTURE.md: {missing:?}");
}

/// A kind of data is one room: how many files beside it, tests aside, name a kind. The number may fall, never rise.
#[test]
fn kinds_are_named_in_their_rooms() {
    let root = root();
    let mut naming = Vec::new();
    for folder in ["crates/throng/src", "crates/throng-cli/src"] {
        visit(&root.join(folder), &mut |path| {
            let name = path.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
            // The rooms themselves, their readers, and the list.
            let is_room = name.starts_with("crates/throng/src/kinds/")
                || name.starts_with("crates/throng/src/io/")
                || name == "crates/throng/src/catalog.rs";
            let text = fs::read_to_string(path).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            let code: String = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
            let is_named = KINDS.iter().any(|kind| code.contains(&format!("\"{}\"", kind.card().name)));
            let has_type = ["QueryLog", "Baskets", "Documents", "data::Table"].iter().any(|name| code.contains(name));
            let is_test = name.ends_with("/tests.rs");
            if name.ends_with(".rs") && !is_room && !is_test && (is_named || has_type) {
                naming.push(name);
            }
        });
    }
    naming.sort();
    assert_eq!(naming, ALLOWED, "a command, a report or the command line knows a kind by name");
}

/// What knows a kind all the same: the memory of search logs, what `demo` makes up, the names in the prelude; releases on many machines,
/// which each kind comes to by a file of its own; recommenders, which are of ratings only; holders who cluster paths together; and the
/// paths of pages and of taxonomies, which are no kind.
const ALLOWED: [&str; 12] = [
    "crates/throng-cli/src/commands/demo.rs",
    "crates/throng-cli/src/commands/recommend.rs",
    "crates/throng/src/memory.rs",
    "crates/throng/src/parts/cells/baskets.rs",
    "crates/throng/src/parts/finish.rs",
    "crates/throng/src/parts/mod.rs",
    "crates/throng/src/parts/rows.rs",
    "crates/throng/src/parts/searches.rs",
    "crates/throng/src/policy/reading.rs",
    "crates/throng/src/prelude.rs",
    "crates/throng/src/run/paths/party.rs",
    "crates/throng/src/taxonomy/file.rs",
];

fn visit(folder: &Path, see: &mut dyn FnMut(&Path)) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { visit(&path, see) } else { see(&path) }
    }
}
