//! Collects child-parent pairs into a tree, and says what is wrong with them.

use super::{ROOT, Taxonomy};
use crate::data::Interner;
use crate::error::{Error, Result};

/// Collects child-parent pairs into a tree.
#[derive(Debug, Default)]
pub struct TaxonomyBuilder {
    labels: Interner,
    parents: Vec<Option<u32>>,
    /// Where each node got its parent, or was first named while it has none.
    lines: Vec<u64>,
    /// The line of the file that is being read; 0 where there is none.
    line: u64,
    /// The bytes of all labels.
    bytes: usize,
}

/// A taxonomy has no more levels than this.
pub const MOST_LEVELS: usize = 1000;
/// The names in a taxonomy have no more bytes than this together. A path is the name of each item on it, so a short file of
/// long paths has very many.
pub const MOST_LABEL_BYTES: usize = 256 << 20;

impl TaxonomyBuilder {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Says which line of a file is read next, counted from 1: errors name it.
    pub fn at_line(&mut self, line: u64) {
        self.line = line;
    }

    /// A node that may still get a parent; gives its number among those added.
    pub fn node(&mut self, label: &str) -> u32 {
        let id = self.labels.intern(label);
        if id as usize == self.parents.len() {
            self.parents.push(None);
            self.lines.push(self.line);
            self.bytes += label.len();
        }
        id
    }

    /// Whether a label is there already.
    pub fn contains(&self, label: &str) -> bool {
        self.labels.find(label).is_some()
    }

    /// Says what lies right under what. The same may be said twice.
    pub fn add(&mut self, child: &str, parent: &str) -> Result<()> {
        if child.is_empty() || parent.is_empty() {
            return Err(self.placed(Error::data("an item of the taxonomy has an empty name"), self.line));
        }
        let (child_id, parent_id) = (self.node(child), self.node(parent));
        if self.bytes > MOST_LABEL_BYTES {
            let most = MOST_LABEL_BYTES >> 20;
            let error = Error::data(format!("the names in the taxonomy have more than {most} MiB together"))
                .with_hint("leave out items that the data do not have, or shorten their names and paths");
            return Err(self.placed(error, self.line));
        }
        if child_id == parent_id {
            let error = Error::data("an item of the taxonomy is its own parent").with_value(child);
            return Err(self.placed(error, self.line));
        }
        match self.parents[child_id as usize] {
            Some(other) if other != parent_id => {
                let first = match self.lines[child_id as usize] {
                    0 => String::new(),
                    line => format!(" (the first is in line {line})"),
                };
                let error = Error::data(format!("an item of the taxonomy has two parents{first}"))
                    .with_value(format!("{child}: {} and {parent}", self.label(other)))
                    .with_hint(
                        "a taxonomy is a tree and every name in it is one item; give one of the two another name",
                    );
                Err(self.placed(error, self.line))
            }
            Some(_) => Ok(()),
            None => {
                self.parents[child_id as usize] = Some(parent_id);
                self.lines[child_id as usize] = self.line;
                Ok(())
            }
        }
    }

    /// The finished tree; children in the order of their first appearance.
    pub fn finish(self) -> Result<Taxonomy> {
        let count = self.parents.len();
        let mut roots = (0..count).filter(|&node| self.parents[node].is_none());
        let Some(root) = roots.next() else {
            if count == 0 {
                return Err(Error::data("the taxonomy is empty"));
            }
            return Err(self.circle(0, "the taxonomy has no root: every item lies under another, in a circle"));
        };
        if let Some(other) = roots.next() {
            let error = Error::data(format!("the taxonomy has {} roots, but must have one", roots.count() + 2))
                .with_value(format!("{}, {}, …", self.label(root as u32), self.label(other as u32)))
                .with_hint(
                    "a root is an item that lies under no other; give all but one a parent (look for a parent that is \
                     misspelt), or put one item above all of them",
                );
            return Err(self.placed(error, self.lines[other]));
        }
        let mut children: Vec<Vec<u32>> = vec![Vec::new(); count];
        for (child, parent) in self.parents.iter().enumerate() {
            if let Some(parent) = parent {
                children[*parent as usize].push(child as u32);
            }
        }
        let (mut labels, mut parents) = (Interner::new(), Vec::with_capacity(count));
        let mut open = vec![(root as u32, ROOT, 1)];
        while let Some((node, parent, level)) = open.pop() {
            if level > MOST_LEVELS {
                return Err(self.placed(too_deep(), self.lines[node as usize]));
            }
            let own = labels.intern(self.label(node));
            parents.push(parent);
            open.extend(children[node as usize].iter().rev().map(|&child| (child, own, level + 1)));
        }
        if parents.len() < count {
            let outside = (0..count as u32).find(|&node| labels.find(self.label(node)).is_none());
            let problem = "items of the taxonomy lie under each other in a circle";
            return Err(self.circle(outside.unwrap_or_default(), problem));
        }
        Ok(Taxonomy::from_pre_order(labels, parents))
    }

    fn label(&self, node: u32) -> &str {
        self.labels.strings().get(node)
    }

    /// The error for the circle that a node lies in, or leads up to.
    fn circle(&self, from: u32, problem: &str) -> Error {
        let up = |node: u32| self.parents[node as usize].unwrap_or(node);
        // After as many steps as there are nodes one is on the circle; go round it once for its first.
        let on_it = (0..self.parents.len()).fold(from, |node, _| up(node));
        let around =
            |start: u32| std::iter::successors(Some(up(start)), move |&node| (node != start).then(|| up(node)));
        let first = around(on_it).min().unwrap_or(on_it);
        let circle = std::iter::once(first).chain(around(first).take(10));
        let names: Vec<&str> = circle.map(|node| self.label(node)).collect();
        let error = Error::data(problem)
            .with_value(names.join(" under "))
            .with_hint("take out one of the lines that close the circle");
        self.placed(error, self.lines[first as usize])
    }

    /// An error in the line that is being read.
    pub(super) fn here(&self, error: Error) -> Error {
        self.placed(error, self.line)
    }

    fn placed(&self, error: Error, line: u64) -> Error {
        if line == 0 { error } else { error.at_line(line) }
    }
}

/// What to say of a tree that is too deep.
pub(super) fn too_deep() -> Error {
    Error::data(format!("the taxonomy has more than {MOST_LEVELS} levels"))
        .with_hint("no is-a hierarchy is as deep: look for a line that went wrong")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_has_so_many_levels_and_no_more() {
        let chain = |levels: usize| {
            let mut builder = TaxonomyBuilder::new();
            (1..levels).for_each(|level| builder.add(&level.to_string(), &(level - 1).to_string()).unwrap());
            builder.finish()
        };
        assert_eq!(chain(MOST_LEVELS).unwrap().len(), MOST_LEVELS);
        assert!(chain(MOST_LEVELS + 1).unwrap_err().to_string().contains("more than 1000 levels"));
    }

    #[test]
    fn names_have_so_many_bytes_and_no_more() {
        let mut builder = TaxonomyBuilder::new();
        let name = "x".repeat(1 << 20);
        let added = (0..300).try_for_each(|at| builder.add(&format!("{at}{name}"), "all"));
        assert!(added.unwrap_err().to_string().contains("more than 256 MiB"));
    }
}
