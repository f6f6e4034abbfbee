//! A decision tree: questions about single features, each chosen so that the answers have fewer classes mixed.
//!
//! Paper      Breiman, Friedman, Olshen, Stone. Classification and Regression Trees. 1984.
//!
//! # Idea
//! 1. A feature is a number of a few steps (0 to 255). A question is "at most s?". Of all questions that leave at least
//!    [`LEAST_LEAF`] examples on both sides, the one with the least Gini impurity is asked; ties go to the lower feature and step.
//! 2. Both sides are asked on, [`MOST_DEPTH`] deep at most, as long as an answer lowers the impurity.
//! 3. A leaf says its most frequent class, the lower of equally frequent ones.
//!
//! # Formula
//! Impurity of n examples with n_c of class c: n - the sum of n_c^2 / n.
//!
//! # Cost
//! Time O(examples x features) a level.

/// Both answers must have so many examples.
pub const LEAST_LEAF: usize = 20;
/// So many questions are asked in a row, at most.
pub const MOST_DEPTH: usize = 12;

/// Examples: features in steps, row by row, and classes.
#[derive(Debug, Clone, Copy)]
pub struct Examples<'a> {
    /// So many features has each.
    pub features: usize,
    /// The steps, row by row.
    pub steps: &'a [u8],
    /// The classes.
    pub classes: &'a [u32],
}

/// What was learnt.
#[derive(Debug)]
pub struct Tree {
    nodes: Vec<Node>,
}

#[derive(Debug, Clone, Copy)]
enum Node {
    /// Whether a feature is at most a step: then the first node, else the second.
    Question {
        feature: u32,
        step: u8,
        yes: u32,
        no: u32,
    },
    Leaf(u32),
}

impl Tree {
    /// Learns from some of the examples; `None` of none.
    pub fn learn(examples: Examples<'_>, rows: Vec<u32>) -> Option<Self> {
        if rows.is_empty() {
            return None;
        }
        let classes = examples.classes.iter().max().map_or(0, |most| *most as usize + 1);
        let mut tree = Self { nodes: Vec::new() };
        tree.grow(examples, rows, classes, 0);
        Some(tree)
    }

    fn grow(&mut self, examples: Examples<'_>, rows: Vec<u32>, classes: usize, depth: usize) -> u32 {
        let place = self.nodes.len();
        let mut counts = vec![0u32; classes];
        rows.iter().for_each(|&row| counts[examples.classes[row as usize] as usize] += 1);
        let most = (0..classes).rev().max_by_key(|&class| counts[class]).unwrap_or(0);
        self.nodes.push(Node::Leaf(most as u32));
        if depth == MOST_DEPTH || rows.len() < 2 * LEAST_LEAF || counts[most] as usize == rows.len() {
            return place as u32;
        }
        let Some((feature, step)) = best_question(examples, &rows, &counts) else { return place as u32 };
        let is_yes = |row: &u32| examples.steps[*row as usize * examples.features + feature] <= step;
        let (yes, no): (Vec<u32>, Vec<u32>) = rows.into_iter().partition(is_yes);
        let yes = self.grow(examples, yes, classes, depth + 1);
        let no = self.grow(examples, no, classes, depth + 1);
        self.nodes[place] = Node::Question { feature: feature as u32, step, yes, no };
        place as u32
    }

    /// The class of an example.
    pub fn class(&self, steps: &[u8]) -> u32 {
        let mut at = 0;
        loop {
            match self.nodes[at as usize] {
                Node::Leaf(class) => return class,
                Node::Question { feature, step, yes, no } => {
                    at = if steps[feature as usize] <= step { yes } else { no }
                }
            }
        }
    }
}

/// The question with the least impurity, if one lowers it.
fn best_question(examples: Examples<'_>, rows: &[u32], all: &[u32]) -> Option<(usize, u8)> {
    let classes = all.len();
    let purity = |counts: &[u32]| {
        let whole: u32 = counts.iter().sum();
        counts.iter().map(|&count| f64::from(count) * f64::from(count)).sum::<f64>() / f64::from(whole.max(1))
    };
    // Rounding must not make a question out of nothing.
    let mut best = (purity(all) * (1.0 + 1e-9) + 1e-9, None);
    let mut by_step = vec![0u32; 256 * classes];
    for feature in 0..examples.features {
        let mut most = 0u8;
        for &row in rows {
            let step = examples.steps[row as usize * examples.features + feature];
            by_step[step as usize * classes + examples.classes[row as usize] as usize] += 1;
            most = most.max(step);
        }
        let mut below = vec![0u32; classes];
        for step in 0..most {
            let own = &by_step[step as usize * classes..][..classes];
            below.iter_mut().zip(own).for_each(|(below, own)| *below += own);
            let left: usize = below.iter().map(|&count| count as usize).sum();
            if left < LEAST_LEAF || rows.len() - left < LEAST_LEAF {
                continue;
            }
            let above: Vec<u32> = all.iter().zip(&below).map(|(all, below)| all - below).collect();
            let found = purity(&below) + purity(&above);
            if found > best.0 {
                best = (found, Some((feature, step)));
            }
        }
        by_step[..(most as usize + 1) * classes].fill(0);
    }
    best.1
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// All questions, each counted anew.
    fn literal(examples: Examples<'_>, rows: &[u32]) -> Option<(usize, u8)> {
        let gini = |some: &[u32]| {
            let n = some.len() as f64;
            let of = |class: u32| some.iter().filter(|&&row| examples.classes[row as usize] == class).count() as f64;
            n - (0..4).map(|class| of(class).powi(2) / n.max(1.0)).sum::<f64>()
        };
        let mut best = (gini(rows) - 1e-6, None);
        for feature in 0..examples.features {
            for step in 0..=255u8 {
                let is_yes = |row: &&u32| examples.steps[**row as usize * examples.features + feature] <= step;
                let yes: Vec<u32> = rows.iter().filter(is_yes).copied().collect();
                let no: Vec<u32> = rows.iter().filter(|row| !is_yes(row)).copied().collect();
                if yes.len() >= LEAST_LEAF && no.len() >= LEAST_LEAF && gini(&yes) + gini(&no) < best.0 - 1e-9 {
                    best = (gini(&yes) + gini(&no), Some((feature, step)));
                }
            }
        }
        best.1
    }

    #[test]
    fn it_learns_what_depends_on_two_features() {
        // The class is whether both features are large; 400 examples on a grid.
        let rows: Vec<[u8; 2]> = (0..400u32).map(|row| [(row % 20) as u8, (row / 20) as u8]).collect();
        let steps: Vec<u8> = rows.iter().flatten().copied().collect();
        let classes: Vec<u32> = rows.iter().map(|row| u32::from(row[0] >= 10 && row[1] >= 7)).collect();
        let examples = Examples { features: 2, steps: &steps, classes: &classes };
        let tree = Tree::learn(examples, (0..400).collect()).unwrap();
        assert!(rows.iter().zip(&classes).all(|(row, class)| tree.class(row) == *class));
        assert!(Tree::learn(examples, Vec::new()).is_none());
        // Too few to ask anything: the most frequent class.
        let few = Tree::learn(examples, (0..5).collect()).unwrap();
        assert_eq!(few.class(&[19, 19]), 0);
    }

    proptest! {
        #[test]
        fn the_best_question_is_the_best(rows in prop::collection::vec((0u8..5, 0u8..3, 0u32..3), 40..90)) {
            let steps: Vec<u8> = rows.iter().flat_map(|(x, y, _)| [*x, *y]).collect();
            let classes: Vec<u32> = rows.iter().map(|row| row.2).collect();
            let examples = Examples { features: 2, steps: &steps, classes: &classes };
            let all: Vec<u32> = (0..rows.len() as u32).collect();
            let mut counts = vec![0u32; 3];
            classes.iter().for_each(|&class| counts[class as usize] += 1);
            let found = best_question(examples, &all, &counts);
            let expected = literal(examples, &all);
            prop_assert_eq!(found, expected);
        }
    }
}
