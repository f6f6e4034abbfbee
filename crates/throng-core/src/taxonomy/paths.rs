//! Taxonomies as lists of paths: `Top/Sports/Soccer`, one a line.
//!
//! Parts are separated by `/`, or by ` > ` if the first line has that. Ancestors need no line of their own. A first line that
//! begins with `#` is a comment. An item is called by the last part of its path; where several items end in the same part,
//! each of them is called by its whole path. The whole path is another name of every item.

use super::builder::{MOST_LEVELS, too_deep};
use super::{Taxonomy, TaxonomyBuilder};
use crate::data::Interner;
use crate::error::{Error, Result};

/// Between the parts of a path, if it is not a slash.
const ARROW: &str = " > ";

/// Whether a line can be one of such a list, with an item and one above it.
pub fn is_path(line: &str) -> bool {
    separator(line).is_some()
}

/// Reads a file's text.
pub fn read(text: &str) -> Result<Taxonomy> {
    let lines = (1..).zip(text.trim_start_matches('\u{feff}').lines());
    let lines = lines.filter(|(line, text)| !text.trim().is_empty() && (*line > 1 || !text.starts_with('#')));
    let separator = lines.clone().find_map(|(_, line)| separator(line)).unwrap_or("/");
    let mut builder = TaxonomyBuilder::new();
    for (line, text) in lines {
        builder.at_line(line);
        let parts: Vec<&str> = text.trim().trim_matches('/').split(separator).map(str::trim).collect();
        if parts.iter().any(|part| part.is_empty()) {
            return Err(Error::data("a part of the path is empty").at_line(line));
        }
        add(&mut builder, &parts.join(separator), separator)?;
    }
    Ok(by_last_part(&builder.finish()?, separator))
}

/// Adds an item by its path, with everything above it.
pub(super) fn add(builder: &mut TaxonomyBuilder, path: &str, separator: &str) -> Result<()> {
    if path.matches(separator).count() >= MOST_LEVELS {
        return Err(builder.here(too_deep()));
    }
    let mut child = path;
    while let Some((parent, _)) = child.rsplit_once(separator) {
        // What is there already has everything above it.
        let known = builder.contains(parent);
        builder.add(child, parent)?;
        if known {
            return Ok(());
        }
        child = parent;
    }
    builder.node(child);
    Ok(())
}

/// For each item of a tree of paths its last part, if no other item ends in it.
pub(super) fn last_parts<'a>(tree: &'a Taxonomy, separator: &str) -> Vec<Option<&'a str>> {
    let last = |node: u32| tree.label(node).rsplit_once(separator).map_or(tree.label(node), |(_, last)| last);
    let mut parts = Interner::new();
    let mut counts: Vec<u32> = Vec::new();
    let ids: Vec<u32> = (0..tree.len() as u32).map(|node| parts.intern(last(node))).collect();
    counts.resize(parts.strings().len(), 0);
    ids.iter().for_each(|&id| counts[id as usize] += 1);
    (0..tree.len() as u32).map(|node| Some(last(node)).filter(|_| counts[ids[node as usize] as usize] == 1)).collect()
}

/// The same tree with shorter labels; paths become other names.
fn by_last_part(tree: &Taxonomy, separator: &str) -> Taxonomy {
    let parts = last_parts(tree, separator);
    let mut labels = Interner::new();
    for (node, part) in (0..).zip(&parts) {
        labels.intern(part.unwrap_or_else(|| tree.label(node)));
    }
    let mut short = Taxonomy::from_pre_order(labels, tree.parents.clone());
    for (node, part) in (0..).zip(&parts) {
        if part.is_some_and(|part| part != tree.label(node)) {
            short.add_alias(tree.label(node), node);
        }
    }
    short
}

fn separator(line: &str) -> Option<&'static str> {
    [ARROW, "/"].into_iter().find(|separator| line.trim().trim_matches('/').contains(separator))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(tree: &Taxonomy) -> Vec<&str> {
        tree.labels().iter().collect()
    }

    #[test]
    fn the_last_part_is_the_name_where_it_is_unique() {
        let tree = read("# mine\nTop/Sports/Soccer\n/Top/Arts/Music/\n\nTop/Sports/Music\nTop\nTop/Arts\n").unwrap();
        assert_eq!(labels(&tree), ["Top", "Sports", "Soccer", "Top/Sports/Music", "Arts", "Top/Arts/Music"]);
        assert_eq!(tree.find("Top/Sports/Soccer"), tree.find("Soccer"));
        assert_eq!(tree.find("Music"), None);
        let deep = read("a/b\na/c/d/e/f\n").unwrap();
        assert_eq!((labels(&deep), deep.level(5)), (vec!["a", "b", "c", "d", "e", "f"], 5));
        let tree = read("All > Pets > Live Animals\r\nAll > Food/Drink\r\n").unwrap();
        assert_eq!(labels(&tree), ["All", "Pets", "Live Animals", "Food/Drink"]);
        assert!(tree.find("All > Pets > Live Animals").is_some());
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        for (text, problem, line) in [
            ("a/b\na//c\n", "part of the path is empty", "line 2"),
            ("a/b\n\nc/d\n", "2 roots", "line 3"),
            ("\n", "empty", ""),
            (&format!("a/b\n{}c\n", "a/".repeat(40_000)), "more than 1000 levels", "line 2"),
        ] {
            let error = read(text).unwrap_err().describe(false);
            assert!(error.contains(problem) && error.contains(line), "{text:?}: {error}");
        }
    }
}
