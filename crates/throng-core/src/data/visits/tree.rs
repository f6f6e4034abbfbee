//! A tree of paths that somebody gives in the place of the site's own: a CSV file with the header `child,parent`.
//!
//! A leaf is a path as a release writes it, a literal `*` as `%2A`; whatever stands above one is a pattern that covers it, so that whoever has
//! the release alone can tell what a published parent stands for. What has no parent goes up to `/*`. No two patterns cover each other, so there
//! are no cycles: the line that would close one has a parent that does not cover its child.

use std::collections::BTreeMap;

use super::pattern::{ANY, covers, is_pattern};
use crate::error::{Error, Result};
use crate::taxonomy::separated::Records;

/// Which pattern each path, and each pattern, goes up to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PathTree {
    /// By child; nothing is above itself.
    parents: BTreeMap<String, String>,
}

impl PathTree {
    /// Reads the text of a file.
    pub fn read(text: &str) -> Result<Self> {
        let mut records = Records::new(text, ',');
        let names = records.next().transpose()?.map(|(_, names)| names).unwrap_or_default();
        let find = |wanted: &str| names.iter().position(|name| name.eq_ignore_ascii_case(wanted));
        let (Some(child), Some(parent)) = (find("child"), find("parent")) else {
            return Err(Error::data("the first line does not name the columns `child` and `parent`")
                .at_line(1)
                .with_hint("begin the file with the line `child,parent`"));
        };
        let mut tree = Self::default();
        for record in records {
            let (line, fields) = record?;
            let (Some(child), Some(parent)) = (fields.get(child), fields.get(parent)) else {
                let problem = format!("the line has {} columns, but `child` and `parent` are needed", fields.len());
                return Err(Error::data(problem).at_line(line));
            };
            tree.add(child, parent, line)?;
        }
        Ok(tree)
    }

    fn add(&mut self, child: &str, parent: &str, line: u64) -> Result<()> {
        let refuse = |problem: &str, value: &str, hint: &str| {
            Err(Error::data(problem.to_owned()).at_line(line).with_value(value).with_hint(hint))
        };
        if child.is_empty() {
            return refuse("the child is empty", parent, "give a path as the log has it, `/blog/a-post`");
        }
        for text in [child, parent] {
            if is_pattern(text) && !text.strip_prefix('/').is_some_and(|rest| rest.split('/').all(is_whole)) {
                return refuse(
                    "a `*` is not a whole segment of a pattern",
                    text,
                    "`*` stands for one segment, as the last one for one or more, `/shop/*/item`; write a literal one as `%2A`",
                );
            }
        }
        // A line of its own says that something is at the top.
        if parent.is_empty() || child == ANY {
            return match child == ANY && !matches!(parent, "" | ANY) {
                true => refuse("`/*` has a parent, but nothing is above it", parent, "leave this line out"),
                false => Ok(()),
            };
        }
        if child == parent {
            return refuse("a path is its own parent", child, "leave this line out");
        }
        if !is_pattern(parent) || !covers_all(parent, child) {
            return refuse(
                "the parent does not cover its child: nobody could tell from the release what it stands for",
                parent,
                "give a pattern that covers it: `/blog/*` for `/blog/a-post`, `/*` for any path",
            );
        }
        match self.parents.insert(child.to_owned(), parent.to_owned()) {
            Some(before) if before != parent => {
                refuse("a child has two parents", child, "a tree has one way up: leave one of the lines out")
            }
            _ => Ok(()),
        }
    }

    /// Whether a path or pattern is in the file as a child.
    pub fn has(&self, text: &str) -> bool {
        self.parents.contains_key(text)
    }

    /// What is above a path or pattern in the file, the nearest first.
    pub fn above<'a>(&'a self, text: &str) -> impl Iterator<Item = &'a str> {
        std::iter::successors(self.parents.get(text), |above| self.parents.get(*above)).map(String::as_str)
    }

    /// How many paths and patterns have a parent.
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }
}

/// Whether a segment is a `*` or has none.
fn is_whole(segment: &str) -> bool {
    segment == "*" || !segment.contains('*')
}

/// Whether a pattern covers all that a path, or pattern, of a release stands for.
fn covers_all(pattern: &str, text: &str) -> bool {
    if is_pattern(text) {
        // A segment `*` is one of no name; a last one may be several, which only a last one covers.
        return covers(pattern, text);
    }
    covers(pattern, &text.replace("%2A", "*"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_by_hand() {
        let tree = PathTree::read(
            "child,parent\n/blog/a,/blog/*\n/blog/2024/b,/blog/2024/*\n/blog/2024/*,/blog/*\n/st%2Ar,/*\n/blog/*,/*\n/*,\n",
        )
        .unwrap();
        assert_eq!(tree.above("/blog/2024/b").collect::<Vec<_>>(), ["/blog/2024/*", "/blog/*", "/*"]);
        assert_eq!(tree.above("/blog/a").collect::<Vec<_>>(), ["/blog/*", "/*"]);
        assert!(tree.has("/st%2Ar") && !tree.has("/else") && tree.len() == 5 && !tree.is_empty());
        assert_eq!(tree.above("/else").count(), 0);
    }

    #[test]
    fn what_is_refused() {
        for (text, problem, line) in [
            ("a,b\n", "does not name the columns", 1),
            ("child,parent\n/a\n", "columns", 2),
            ("child,parent\n,/*\n", "the child is empty", 2),
            ("child,parent\n/blog/a,Articles\n", "does not cover", 2),
            ("child,parent\n/blog/a,/*\n/shop/b,/blog/*\n", "does not cover", 3),
            ("child,parent\n/blog/*,/blog/2024/*\n", "does not cover", 2),
            ("child,parent\n/a/*,/a/*/c\n", "does not cover", 2),
            ("child,parent\n/a,/a*\n", "not a whole segment", 2),
            ("child,parent\n/a,/*\n/a,/*/\n", "does not cover", 3),
            ("child,parent\n/a/b,/*\n/a/b,/a/*\n", "two parents", 3),
            ("child,parent\n/a/b,/a/b\n", "its own parent", 2),
            ("child,parent\n/*,/a/*\n", "nothing is above it", 2),
            // What would go round in a circle.
            ("child,parent\n/a/b/*,/a/*\n/a/*,/a/b/*\n", "does not cover", 3),
            ("child,parent\n/*/*,/*/*/\n", "does not cover", 2),
        ] {
            let error = PathTree::read(text).unwrap_err();
            assert!(error.to_string().contains(problem), "{text}: {error}");
            assert_eq!(error.place().and_then(|place| place.line), Some(line), "{text}");
        }
    }
}
