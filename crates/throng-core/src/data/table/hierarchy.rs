//! Hierarchies of the values of a column: for every value its label on each level, the last one standing for all.
//!
//! Unlike a taxonomy, a hierarchy has levels: every value has a label on each of them, so that a whole column can be published on
//! one. Its leaves are the rows of its file, whether the data have them or not: how much a label leaves open is counted in them.
//!
//! A label may stand on several levels. Where it stands for other leaves there, a cell with it is read as the higher one.

use std::collections::BTreeMap;

use crate::data::{Interner, Strings};
use crate::error::{Error, Result};
use crate::taxonomy::{ROOT, Taxonomy};

/// The most levels of a hierarchy, beside the values themselves.
pub const MOST_LEVELS: usize = 64;

/// What lies above the values of a column, level by level.
#[derive(Debug, Clone)]
pub struct Hierarchy {
    /// The values.
    names: Interner,
    /// From the values themselves to what stands for all.
    levels: Vec<Level>,
    /// For each label the highest level that it stands on, and its number there.
    places: BTreeMap<String, (usize, u32)>,
    /// A label that stands for other leaves on another level.
    ambiguous: Option<String>,
    /// Whether it was made of values alone, with no level above them.
    is_without_levels: bool,
}

#[derive(Debug, Clone)]
struct Level {
    labels: Strings,
    /// For each leaf its node on this level.
    node_of: Vec<u32>,
    /// For each node how many leaves are under it.
    leaves: Vec<u32>,
}

impl Hierarchy {
    /// A hierarchy of lines: a value, and its labels from the next level to the last.
    pub fn new(lines: &[Vec<String>]) -> Result<Self> {
        let depth = lines.first().map_or(0, Vec::len);
        if depth < 2 {
            return Err(Error::data("the hierarchy has no level above its values")
                .at_line(1)
                .with_hint("a line has a value and its labels, level by level, the last for all: `41075;410**;*`"));
        }
        if depth > MOST_LEVELS + 1 {
            return Err(Error::data(format!("the hierarchy has more than {MOST_LEVELS} levels")).at_line(1));
        }
        let mut names = Interner::new();
        let mut levels: Vec<(Interner, Vec<u32>)> = vec![(Interner::new(), Vec::new()); depth];
        // What lies above a node on the next level.
        let mut above: Vec<Vec<u32>> = vec![Vec::new(); depth];
        for (number, line) in (1u64..).zip(lines) {
            if line.len() != depth {
                let problem = format!("the line has {} levels, but the first has {depth}", line.len());
                return Err(Error::data(problem).at_line(number).with_hint("every value has a label on every level"));
            }
            if (names.intern(&line[0]) as u64) + 1 != number {
                return Err(Error::data("a value of the hierarchy stands twice").at_line(number).with_value(&line[0]));
            }
            let mut nodes = Vec::with_capacity(depth);
            for (label, (labels, node_of)) in line.iter().zip(&mut levels) {
                let node = labels.intern(label);
                node_of.push(node);
                nodes.push(node);
            }
            for (at, pair) in nodes.windows(2).enumerate() {
                match above[at].get(pair[0] as usize) {
                    None => above[at].push(pair[1]),
                    Some(&other) if other == pair[1] => {}
                    Some(_) => {
                        return Err(Error::data(format!(
                            "a label of level {at} lies under two labels of level {}",
                            at + 1
                        ))
                        .at_line(number)
                        .with_value(&line[at])
                        .with_hint(
                            "whoever has one label on a level has one on the next: give one of them another name",
                        ));
                    }
                }
            }
        }
        let level = |(labels, node_of): (Interner, Vec<u32>)| {
            let labels = labels.into_strings();
            let mut leaves = vec![0; labels.len()];
            node_of.iter().for_each(|&node| leaves[node as usize] += 1);
            Level { labels, node_of, leaves }
        };
        let levels: Vec<Level> = levels.into_iter().map(level).collect();
        let top = &levels[depth - 1];
        if top.labels.len() != 1 {
            return Err(Error::data(format!("the last level has {} labels", top.labels.len()))
                .with_hint("the last level is one label that stands for all, most often `*`"));
        }
        let mut found = Self { names, levels, places: BTreeMap::new(), ambiguous: None, is_without_levels: false };
        found.place();
        Ok(found)
    }

    /// A hierarchy in ARX's form: `value;level 1;level 2;…`, a line for each value.
    pub fn of_text(text: &str) -> Result<Self> {
        let mut lines = Vec::new();
        let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let separator = [';', '\t'].into_iter().find(|&separator| first.contains(separator)).unwrap_or(',');
        for record in crate::taxonomy::separated::Records::new(text, separator) {
            let (line, fields) = record?;
            lines.push(fields.iter().map(|field| field.trim().to_owned()).collect::<Vec<_>>());
            if lines.len() as u64 > u64::from(u32::MAX) {
                return Err(Error::data("the hierarchy has too many lines").at_line(line));
            }
        }
        Self::new(&lines)
    }

    /// A hierarchy of height 0, a value a line: `*` stands where several values meet, and that counts as no loss. `None` for a text that says
    /// levels, or nothing.
    pub fn without_levels(text: &str) -> Result<Option<Self>> {
        if text.trim().is_empty() || text.contains([';', '\t']) {
            return Ok(None);
        }
        let mut values = Vec::new();
        for record in crate::taxonomy::separated::Records::new(text, ',') {
            match &record?.1[..] {
                [value] => values.push(value.trim().to_owned()),
                _ => return Ok(None),
            }
        }
        Ok(Some(Self { is_without_levels: true, ..Self::flat(values.iter().map(String::as_str))? }))
    }

    /// Whether it was made of values alone: whoever counts what a label loses counts nothing.
    pub fn is_without_levels(&self) -> bool {
        self.is_without_levels
    }

    /// The leaves of a taxonomy, with what lies above each. Where ways up are not equally long, the shorter ones stay on their
    /// leaf for the first levels.
    pub fn of_taxonomy(tree: &Taxonomy) -> Result<Self> {
        let leaves = (0..tree.len() as u32).filter(|&node| tree.is_leaf(node) && node != ROOT);
        let ways: Vec<Vec<u32>> = leaves.map(|leaf| tree.ancestors(leaf).collect()).collect();
        let depth = ways.iter().map(Vec::len).max().unwrap_or(0);
        let line = |way: &Vec<u32>| {
            let stays = std::iter::repeat_n(way[0], depth - way.len());
            stays.chain(way.iter().copied()).map(|node| tree.label(node).to_owned()).collect()
        };
        Self::new(&ways.iter().map(line).collect::<Vec<_>>())
    }

    /// Values, and `*` above all of them.
    pub fn flat<'a>(values: impl Iterator<Item = &'a str>) -> Result<Self> {
        Self::new(&values.map(|value| vec![value.to_owned(), super::STAR.to_owned()]).collect::<Vec<_>>())
    }

    fn place(&mut self) {
        let mut places: BTreeMap<String, (usize, u32)> = BTreeMap::new();
        for (at, level) in self.levels.iter().enumerate() {
            for (node, label) in (0u32..).zip(level.labels.iter()) {
                if let Some((below, other)) = places.insert(label.to_owned(), (at, node)) {
                    let under = |level: usize, node: u32| {
                        let of = &self.levels[level].node_of;
                        (0..of.len()).filter(move |&leaf| of[leaf] == node)
                    };
                    // The same label for the same leaves is no other label.
                    if self.ambiguous.is_none()
                        && (self.levels[below].leaves[other as usize] != level.leaves[node as usize]
                            || !under(below, other).eq(under(at, node)))
                    {
                        self.ambiguous = Some(label.to_owned());
                    }
                }
            }
        }
        self.places = places;
    }

    /// How many levels lie above the values.
    pub fn height(&self) -> usize {
        self.levels.len() - 1
    }

    /// How many leaves there are.
    pub fn leaves(&self) -> u32 {
        self.levels[0].node_of.len() as u32
    }

    /// How many labels a level has.
    pub fn nodes(&self, level: usize) -> usize {
        self.levels[level].labels.len()
    }

    /// The leaf of a value.
    pub fn leaf(&self, value: &str) -> Option<u32> {
        self.names.find(value)
    }

    /// The node of a leaf on a level.
    pub fn node(&self, level: usize, leaf: u32) -> u32 {
        self.levels[level].node_of[leaf as usize]
    }

    /// The label of a node.
    pub fn label(&self, level: usize, node: u32) -> &str {
        self.levels[level].labels.get(node)
    }

    /// How many leaves are under a node.
    pub fn leaves_under(&self, level: usize, node: u32) -> u32 {
        self.levels[level].leaves[node as usize]
    }

    /// The highest level that a label stands on, and its node there.
    pub fn find(&self, label: &str) -> Option<(usize, u32)> {
        self.places.get(label).copied()
    }

    /// Whether some label stands for other leaves on another level: its cells are read as the higher one.
    pub fn is_ambiguous(&self) -> bool {
        self.ambiguous.is_some()
    }

    /// For each node of a level the node above it.
    pub fn parents(&self, level: usize) -> Vec<u32> {
        let (own, above) = (&self.levels[level], &self.levels[level + 1]);
        let mut parents = vec![0; own.labels.len()];
        own.node_of.iter().zip(&above.node_of).for_each(|(&node, &parent)| parents[node as usize] = parent);
        parents
    }

    /// The lowest level on which two leaves have the same label.
    pub fn meeting(&self, left: u32, right: u32) -> usize {
        if left == right {
            return 0;
        }
        // Leaves that have met stay together.
        self.levels.partition_point(|level| level.node_of[left as usize] != level.node_of[right as usize])
    }

    /// The lowest level on which some leaves have one label; 0 for none.
    pub fn common_level(&self, mut leaves: impl Iterator<Item = u32>) -> usize {
        let Some(first) = leaves.next() else { return 0 };
        leaves.map(|leaf| self.meeting(first, leaf)).max().unwrap_or(0)
    }

    /// Its lines: a value and its labels.
    pub fn lines(&self) -> Vec<Vec<&str>> {
        let line = |leaf: u32| (0..=self.height()).map(|level| self.label(level, self.node(level, leaf))).collect();
        (0..self.leaves()).map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_labels_and_meetings() {
        let ages = Hierarchy::of_text("1;1-2;*\n2;1-2;*\n3;3-4;*\n4;3-4;*\n").unwrap();
        assert_eq!((ages.height(), ages.leaves(), ages.nodes(1)), (2, 4, 2));
        let leaf = |value: &str| ages.leaf(value).unwrap();
        assert_eq!(ages.label(1, ages.node(1, leaf("3"))), "3-4");
        assert_eq!([ages.meeting(0, 0), ages.meeting(0, 1), ages.meeting(1, 2)], [0, 1, 2]);
        assert_eq!(ages.common_level([2, 3, 2].into_iter()), 1);
        assert_eq!(ages.find("1-2"), Some((1, 0)));
        assert_eq!(ages.leaves_under(1, 1), 2);
        assert_eq!(ages.parents(0), [0, 0, 1, 1]);
        assert!(!ages.is_ambiguous() && ages.leaf("9").is_none());
        assert_eq!(ages.lines()[2], ["3", "3-4", "*"]);
    }

    #[test]
    fn a_label_on_two_levels_is_the_higher_one() {
        // 5 goes up as itself: the same leaves. `x` does not.
        let same = Hierarchy::of_text("5;5;*\n6;6;*\n").unwrap();
        assert!(!same.is_ambiguous() && same.find("5") == Some((1, 0)));
        let other = Hierarchy::of_text("x;a;*\ny;x;*\n").unwrap();
        assert!(other.is_ambiguous());
        assert_eq!(other.find("x"), Some((1, 1)));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line_and_without_a_value() {
        for (text, problem, line) in [
            ("a;x;*\nb;*\n", "2 levels, but the first has 3", "line 2"),
            ("a;x;*\nb;x;+\n", "under two labels", "line 2"),
            ("a;x\nb;y\n", "the last level has 2 labels", ""),
            ("a;*\na;*\n", "stands twice", "line 2"),
            ("a\nb\n", "no level above", "line 1"),
            ("", "no level above", "line 1"),
        ] {
            let error = Hierarchy::of_text(text).unwrap_err().describe(false);
            assert!(error.contains(problem) && error.contains(line), "{text:?}: {error}");
        }
    }

    #[test]
    fn taxonomies_and_flat_ones() {
        let tree = Taxonomy::from_edges([("a", "x"), ("b", "x"), ("x", "all"), ("c", "all")]).unwrap();
        let of = Hierarchy::of_taxonomy(&tree).unwrap();
        assert_eq!(of.height(), 2);
        let leaf = of.leaf("c").unwrap();
        assert_eq!(of.label(1, of.node(1, leaf)), "c");
        assert_eq!(of.find("x").map(|(level, node)| of.leaves_under(level, node)), Some(2));
        let flat = Hierarchy::flat(["p", "q"].into_iter()).unwrap();
        assert_eq!((flat.height(), flat.find("*")), (1, Some((1, 0))));
        let bare = Hierarchy::without_levels("p\n\"q,r\"\n").unwrap().unwrap();
        assert!(bare.is_without_levels() && !flat.is_without_levels());
        assert_eq!((bare.leaf("q,r"), bare.find("*")), (Some(1), Some((1, 0))));
        for other in ["p;*\nq;*\n", "p,*\nq,*\n", "p\t*\n", "", "\n"] {
            assert!(Hierarchy::without_levels(other).unwrap().is_none(), "{other:?}");
        }
        assert!(Hierarchy::without_levels("p\np\n").is_err());
    }
}
