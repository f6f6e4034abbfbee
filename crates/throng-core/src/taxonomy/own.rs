//! throng's own form of a taxonomy, for files that end in `.taxonomy`: text, compressed by whoever writes the file.
//!
//! The first line is `throng-taxonomy 1 tree` or `throng-taxonomy 1 wordnet`; 1 is the version of the form. A tree has a line
//! for each item in pre-order, `level label name name …`, separated by tabs: the level says which item before it is the
//! parent, the names are the item's others. In labels and names `\\`, `\t`, `\n` and `\r` stand for a backslash, a tab and
//! the ends of lines. `wordnet/packed.rs` describes the lines of WordNet.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::Arc;

use super::wordnet::WordNet;
use super::{ROOT, Taxonomy};
use crate::data::Interner;
use crate::error::{Error, Result};

const MAGIC: &str = "throng-taxonomy ";
const TREE: &str = "throng-taxonomy 1 tree";
const WORDNET: &str = "throng-taxonomy 1 wordnet";

/// Whether a text is in this form, of whatever version.
pub fn is_own(text: &[u8]) -> bool {
    text.starts_with(MAGIC.as_bytes())
}

/// Reads a text in this form.
pub fn read(text: &str) -> Result<Taxonomy> {
    let (header, rest) = text.split_once('\n').unwrap_or((text, ""));
    match header {
        TREE => read_tree(rest),
        WORDNET => Ok(Arc::new(WordNet::unpack(rest, 2)?).tree()),
        _ => Err(Error::data("this form of throng's taxonomies is not known")
            .at_line(1)
            .with_hint("the file was made by a later version of throng, or is damaged; import its source again")),
    }
}

/// A taxonomy in this form. WordNet keeps all it has, not only its tree.
pub fn write(taxonomy: &Taxonomy) -> String {
    if let Some((wordnet, ROOT)) = taxonomy.wordnet()
        && wordnet.synsets() == taxonomy.len()
    {
        let mut text = format!("{WORDNET}\n");
        wordnet.pack(&mut text);
        return text;
    }
    let mut names: Vec<(u32, &str)> = taxonomy.aliases().map(|(name, node)| (node, name)).collect();
    names.sort_by_key(|&(node, _)| node);
    let mut names = names.into_iter().peekable();
    let mut text = format!("{TREE}\n");
    for node in 0..taxonomy.len() as u32 {
        let _ = write!(text, "{}\t{}", taxonomy.level(node), escape(taxonomy.label(node)));
        while let Some((_, name)) = names.next_if(|&(other, _)| other == node) {
            let _ = write!(text, "\t{}", escape(name));
        }
        text.push('\n');
    }
    text
}

fn read_tree(text: &str) -> Result<Taxonomy> {
    let (mut labels, mut parents) = (Interner::new(), Vec::new());
    let mut names: Vec<(Cow<'_, str>, u32)> = Vec::new();
    // The item that was read last on each level, which are those above the next.
    let mut above: Vec<u32> = Vec::new();
    for (line, text) in (2..).zip(text.lines()) {
        let broken = || Error::data("the line is no item of a taxonomy").at_line(line);
        let mut fields = text.split('\t');
        let level: usize = fields.next().and_then(|field| field.parse().ok()).ok_or_else(broken)?;
        if level == 0 || level > above.len() + 1 || (level == 1 && !above.is_empty()) {
            return Err(Error::data("the level does not fit the line before").at_line(line));
        }
        above.truncate(level - 1);
        let node = parents.len() as u32;
        parents.push(above.last().copied().unwrap_or(ROOT));
        above.push(node);
        let label = fields.next().and_then(unescape).filter(|label| !label.is_empty()).ok_or_else(broken)?;
        if labels.intern(&label) != node {
            return Err(Error::data("two items of the taxonomy have the same name").with_value(label).at_line(line));
        }
        for name in fields {
            names.push((unescape(name).ok_or_else(broken)?, node));
        }
    }
    if parents.is_empty() {
        return Err(Error::data("the taxonomy is empty"));
    }
    let mut taxonomy = Taxonomy::from_pre_order(labels, parents);
    for (name, node) in names {
        taxonomy.add_alias(&name, node);
    }
    Ok(taxonomy)
}

fn escape(text: &str) -> Cow<'_, str> {
    if !text.contains(['\\', '\t', '\n', '\r']) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r"))
}

fn unescape(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains('\\') {
        return Some(Cow::Borrowed(text));
    }
    let mut plain = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        plain.push(match letter {
            '\\' => match letters.next()? {
                '\\' => '\\',
                't' => '\t',
                'n' => '\n',
                'r' => '\r',
                _ => return None,
            },
            _ => letter,
        });
    }
    Some(Cow::Owned(plain))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{assert_same, food, some_tree};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_form_is_stable() {
        let mut food = food();
        food.add_alias("Kine", food.find("Beef").unwrap());
        food.add_alias("Pomme\t", food.find("Apple").unwrap());
        let text = write(&food);
        let expected = "throng-taxonomy 1 tree\n1\tFood\n2\tFruit\n3\tApple\tPomme\\t\n3\tOrange\n3\tBanana\n2\tMeat\n\
                        3\tBeef\tKine\n3\tChicken\n2\tDairy\n3\tMilk\n3\tCheese\n3\tButter\n";
        assert_eq!(text, expected);
        let read = read(&text).unwrap();
        assert_eq!((read.find("Kine"), read.find("Pomme\t")), (food.find("Beef"), food.find("Apple")));
        assert_eq!(write(&read), text);
    }

    #[test]
    fn damage_is_said_with_its_line() {
        for (text, problem, line) in [
            ("throng-taxonomy 2 tree\n1\tx\n", "not known", "line 1"),
            ("throng-taxonomy 1 tree\n", "empty", ""),
            ("throng-taxonomy 1 tree\n2\tx\n", "level", "line 2"),
            ("throng-taxonomy 1 tree\n1\tx\n1\ty\n", "level", "line 3"),
            ("throng-taxonomy 1 tree\n1\tx\n3\ty\n", "level", "line 3"),
            ("throng-taxonomy 1 tree\n1\tx\n2\tx\n", "the same name", "line 3"),
            ("throng-taxonomy 1 tree\n1\tx\n2\n", "no item", "line 3"),
            ("throng-taxonomy 1 tree\n1\tx\n2\ty\\\n", "no item", "line 3"),
            ("throng-taxonomy 1 tree\n1\tx\nhello\n", "no item", "line 3"),
        ] {
            let error = read(text).unwrap_err().describe(false);
            assert!(error.contains(problem) && error.contains(line), "{text:?}: {error}");
        }
    }

    proptest! {
        #[test]
        fn any_tree_survives(tree in some_tree(), names in prop::collection::vec((any::<u32>(), "[a\\\\\t\n]{1,3}"), 0..5)) {
            let mut tree = tree;
            let count = tree.len() as u32;
            let mut names: Vec<(u32, String)> = names.into_iter().map(|(node, name)| (node % count, name)).collect();
            names.sort();
            for (node, name) in &names {
                tree.add_alias(name, *node);
            }
            assert_same(&read(&write(&tree)).unwrap(), &tree);
        }
    }
}
