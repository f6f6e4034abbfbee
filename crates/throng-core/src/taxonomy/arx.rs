//! Hierarchies of ARX: `value;level 1;level 2;…`, a line for each value, no header.
//!
//! Paper      Prasser, Kohlmayer, Lautenschläger, Kuhn. ARX: A Comprehensive Tool for Anonymizing Biomedical Data. AMIA 2014.
//!
//! The next column is what lies above; the last is the root, in most files `*`. All lines have equally many columns. A name
//! that is repeated from one column to the next is one item, as ARX writes hierarchies whose ways up are not equally long.
//! Every name is one item: the same name under two others is an error, in ARX too. Columns may also be separated by tabs, or
//! by commas if the first line ends in `,*`.

use super::separated::Records;
use super::{Taxonomy, TaxonomyBuilder};
use crate::error::{Error, Result};

/// Whether a first line is one of such a file.
pub fn is_line(line: &str) -> bool {
    line.contains([';', '\t']) || line.trim_end().ends_with(",*")
}

/// Reads a file's text.
pub fn read(text: &str) -> Result<Taxonomy> {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let separator = [';', '\t'].into_iter().find(|&separator| first.contains(separator)).unwrap_or(',');
    let mut builder = TaxonomyBuilder::new();
    let mut columns = 0;
    // The root stands first, and the children of every item in the order of the file.
    for record in Records::new(text, separator) {
        let (line, fields) = record?;
        builder.at_line(line);
        if columns == 0 {
            columns = fields.len();
        }
        if fields.len() != columns {
            let problem = format!("the line has {} columns, but the first has {columns}", fields.len());
            return Err(Error::data(problem).at_line(line).with_hint("a hierarchy has all levels in every line"));
        }
        for pair in fields.windows(2).rev() {
            if pair[0] != pair[1] {
                builder.add(&pair[0], &pair[1])?;
            }
        }
        if let [only] = fields.as_slice() {
            builder.node(only);
        }
    }
    builder.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_become_a_tree() {
        let text = "1;1-2;\"1;4\";*\n2;1-2;\"1;4\";*\n3;3-4;\"1;4\";*\n\n5;5;5;*\n";
        let tree = read(text).unwrap();
        let path = |word: &str| {
            let node = tree.find(word).unwrap();
            tree.ancestors(node).map(|node| tree.label(node)).collect::<Vec<_>>().join(" < ")
        };
        assert_eq!(path("2"), "2 < 1-2 < 1;4 < *");
        assert_eq!(path("5"), "5 < *");
        assert_eq!(tree.label(super::super::ROOT), "*");
        assert_eq!(tree.labels().iter().collect::<Vec<_>>(), ["*", "1;4", "1-2", "1", "2", "3-4", "3", "5"]);
        assert_eq!(read("a\tx\t*\nb\tx\t*").unwrap().len(), 4);
        assert_eq!(read("a,x,*\nb,x,*").unwrap().len(), 4);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        for (text, problem, line) in [
            ("a;x;*\nb;*\n", "2 columns, but the first has 3", "line 2"),
            ("a;x;*\nb;y;*\nc;x;z\n", "two parents", "line 3"),
            ("a;x;*\na;y;*\n", "two parents", "line 2"),
            ("a;x\nb;y\n", "2 roots", "line 2"),
            ("a;x;a\n", "circle", "line 1"),
            ("a;;*\n", "an empty name", "line 1"),
        ] {
            let error = read(text).unwrap_err().describe(false);
            assert!(error.contains(problem) && error.contains(line), "{text:?}: {error}");
        }
    }
}
