//! ARCHITECTURE.md names what is there, and everything at the top is named in it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

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
    for crate_name in ["throng-core", "throng", "throng-cli"] {
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
