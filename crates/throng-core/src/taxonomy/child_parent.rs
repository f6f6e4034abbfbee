//! Taxonomies as child-parent pairs: a CSV file with the header `child,parent`.
//!
//! Every name is one item. The root is the item that never stands under `child`; it may also have a line of its own with an
//! empty parent. Children stand in the order of the file. Other columns are ignored. Other names of an item are not kept.

use super::separated::{Records, push_field};
use super::{ROOT, Taxonomy, TaxonomyBuilder};
use crate::error::{Error, Result};

/// Whether a first line names the columns `child` and `parent`.
pub fn is_header(line: &str) -> bool {
    Records::new(line, ',').next().and_then(Result::ok).is_some_and(|(_, names)| columns(&names).is_some())
}

/// Reads a file's text.
pub fn read(text: &str) -> Result<Taxonomy> {
    let mut records = Records::new(text, ',');
    let columns = records.next().transpose()?.and_then(|(_, names)| columns(&names));
    let (child, parent) = columns.ok_or_else(|| {
        Error::data("the first line does not name the columns `child` and `parent`")
            .at_line(1)
            .with_hint("begin the file with the line `child,parent`")
    })?;
    let mut builder = TaxonomyBuilder::new();
    for record in records {
        let (line, fields) = record?;
        builder.at_line(line);
        let (Some(child), Some(parent)) = (fields.get(child), fields.get(parent)) else {
            let problem = format!("the line has {} columns, but `child` and `parent` are needed", fields.len());
            return Err(Error::data(problem).at_line(line));
        };
        if parent.is_empty() && !child.is_empty() {
            builder.node(child);
        } else {
            builder.add(child, parent)?;
        }
    }
    builder.finish()
}

/// A taxonomy as such a file.
pub fn write(taxonomy: &Taxonomy) -> String {
    let mut text = "child,parent\n".to_owned();
    for node in 0..taxonomy.len() as u32 {
        if node == ROOT && !taxonomy.is_empty() {
            continue;
        }
        push_field(taxonomy.label(node), &mut text);
        text.push(',');
        if node != ROOT {
            push_field(taxonomy.label(taxonomy.parent(node)), &mut text);
        }
        text.push('\n');
    }
    text
}

/// Where the two columns are, if the names say it.
fn columns(names: &[impl AsRef<str>]) -> Option<(usize, usize)> {
    let find = |wanted: &str| names.iter().position(|name| name.as_ref().eq_ignore_ascii_case(wanted));
    Some((find("child")?, find("parent")?))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{assert_same, food, some_tree};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_columns_are_found_by_name() {
        let tree = read("Parent, note, child\nFood,x,Fruit\nFruit,,Apple\nFood\u{20},\"a\n\",Meat\n").unwrap();
        assert_eq!(write(&tree), "child,parent\nFruit,Food\nApple,Fruit\nMeat,Food\n");
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let error = |text: &str| read(text).unwrap_err().describe(true);
        for (text, problem, line) in [
            ("a,b\n", "does not name the columns", "line 1"),
            ("", "does not name the columns", "line 1"),
            ("child,parent\n", "empty", ""),
            ("child,parent\na,r\nb\n", "1 columns", "line 3"),
            ("child,parent\na,r\n,r\n", "an empty name", "line 3"),
            ("child,parent\na,r\na,b\nb,r\n", "two parents (the first is in line 2)", "line 3"),
            ("child,parent\na,r\nb,s\n\n", "2 roots", "line 3"),
            ("child,parent\na,b\n\nb,a\n", "no root", "line 2"),
            ("child,parent\na,r\nb,c\nd,b\nc,b\n", "in a circle", "line 3"),
            ("child,parent\na,r\nb,b\n", "its own parent", "line 3"),
            ("child,parent\na,\"r\n", "never closed", "line 2"),
        ] {
            let error = error(text);
            assert!(error.contains(problem) && error.contains(line), "{text:?}: {error}");
        }
        assert!(error("child,parent\na,r\nb,c\nd,b\nc,b\n").contains("b under c under b"));
    }

    #[test]
    fn what_was_written_is_read() {
        assert_same(&read(&write(&food())).unwrap(), &food());
    }

    proptest! {
        #[test]
        fn any_tree_survives(tree in some_tree()) {
            assert_same(&read(&write(&tree)).unwrap(), &tree);
        }
    }
}
