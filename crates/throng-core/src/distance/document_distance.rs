//! Document distance: how badly the terms of two documents can be paired by meaning.
//!
//! Paper      000 (ARES report), sections 2.2 and 2.3, which only cites it.
//!
//! # Idea
//! 1. A document is its N most frequent terms that the taxonomy knows. 2. Each term of the shorter vector is matched with one
//!    of the longer, no two with the same, such that the sum of Wu-Palmer similarities is greatest.
//!
//! # Formula
//! d = 1 - (sum of matched similarities) / max(n, n') for vectors of n and n' terms; 0 if both are empty, 1 if one is.
//!
//! # Readings
//! D1: the matching of the greatest sum; greedy matching would not give Table 2.1. Ours, for the paper gives no formula: the
//! sum is divided by the longer length, so that a term without a partner is as far as can be; weights do not enter. It is
//! symmetric, in [0, 1] and 0 for equal vectors, but no metric, for Wu-Palmer over all senses is none.
//!
//! # Cost
//! A matching takes O(N³) at worst, some microseconds for N = 50. The similarities of all pairs of terms are looked up in a
//! table of one byte each ([`DocumentSpace::prepare`]), up to 20,000 different terms; without a table they are computed for
//! each pair of documents.

use std::sync::Arc;

use rayon::prelude::*;

use super::Pairwise;
use super::assignment::Assignment;
use super::wu_palmer::{Layout, Profile, UNIT, WuPalmer, similarity};
use crate::data::{Documents, Interner};
use crate::error::{Error, Result};
use crate::info::Info;
use crate::progress::Progress;
use crate::taxonomy::Taxonomy;

/// The card of the distance.
pub const INFO: Info = Info {
    name: "document-distance",
    summary: "how badly the terms of two documents can be paired by meaning",
    paper: "Wu, Palmer. Verb semantics and lexical selection. ACL 1994; Navarro-Arribas, Torra. New \
            privacy-preserving data mining techniques. Deliverable WP4.T2 of the ARES project (2010), section 2.3",
    details: "Two words are as similar as the most similar pair of their senses: 2 depth(c) / (depth(s) + depth(t)), c the deepest \
        common hypernym, depths counted on the longest way from the root, which has 1 (Wu-Palmer).\n\
        The N most frequent terms of two documents are paired one to one, such that the sum of similarities is greatest. The \
        distance is 1 - sum / (number of terms of the longer vector): 0 for the same terms, 1 if a document has none.\n\
        The matching is exact, by the Hungarian method over whole numbers.",
    parameters: &[],
};

/// No vector is compared over more terms than this: sums of similarities stay exact.
pub const MOST_TERMS: usize = 1000;

/// With more different terms than this there is no table: it would take more than 400 MB.
const MOST_IN_TABLE: usize = 20_000;

/// Depths up to this have at most 246 different similarities, which fit in a byte, and exact ones.
const DEEPEST_IN_TABLE: u32 = 20;

/// Documents with a distance between any two of them.
#[derive(Debug, Clone)]
pub struct DocumentSpace {
    meanings: WuPalmer,
    most_terms: usize,
    terms: Interner,
    senses: Vec<Vec<u32>>,
    profiles: Vec<Profile>,
    /// Document `d` has the terms `starts[d]..starts[d + 1]`, with their weights, the greatest first.
    starts: Vec<usize>,
    entries: Vec<(u32, f64)>,
    table: Option<Table>,
}

impl DocumentSpace {
    /// No documents yet. Their `most_terms` most frequent terms will be compared by their meaning in the taxonomy.
    pub fn new(taxonomy: &Arc<Taxonomy>, most_terms: usize) -> Self {
        Self {
            meanings: WuPalmer::new(taxonomy.clone()),
            most_terms: most_terms.min(MOST_TERMS),
            terms: Interner::new(),
            senses: Vec::new(),
            profiles: Vec::new(),
            starts: vec![0],
            entries: Vec::new(),
            table: None,
        }
    }

    /// All documents of some sets, one after the other. The first set that has a taxonomy gives the terms their meaning.
    pub fn of(sets: &[&Documents], most_terms: usize) -> Result<Self> {
        let taxonomy = sets.iter().find_map(|documents| documents.taxonomy());
        let taxonomy = taxonomy.ok_or_else(|| {
            Error::refused("documents are compared by what their terms mean, and no taxonomy says it")
                .with_hint("give one with `--taxonomy`, for example `--taxonomy wordnet`")
        })?;
        let mut space = Self::new(taxonomy, most_terms);
        for documents in sets {
            for document in 0..documents.persons() {
                space.add(documents, document);
            }
        }
        Ok(space)
    }

    /// Adds a document: its most frequent terms that the taxonomy knows. Gives its number.
    pub fn add(&mut self, documents: &Documents, document: usize) -> usize {
        let vector = documents.vector(document).iter();
        self.add_vector(vector.map(|&(term, weight)| (documents.terms().get(term), weight)))
    }

    /// Adds a document by its terms and weights, the greatest first. Gives its number.
    pub fn add_vector<'a>(&mut self, vector: impl IntoIterator<Item = (&'a str, f64)>) -> usize {
        self.table = None;
        let start = self.entries.len();
        for (text, weight) in vector {
            if self.entries.len() == start + self.most_terms {
                break;
            }
            let term = self.terms.intern(text);
            if term as usize == self.profiles.len() {
                let senses = self.meanings.senses(text);
                self.profiles.push(self.meanings.profile(&senses));
                self.senses.push(senses);
            }
            if !self.profiles[term as usize].is_empty() {
                self.entries.push((term, weight));
            }
        }
        self.starts.push(self.entries.len());
        self.starts.len() - 2
    }

    /// Some of the documents, in this order.
    #[must_use]
    pub fn select(&self, documents: &[usize]) -> Self {
        let mut selected = Self { starts: vec![0], entries: Vec::new(), ..self.clone() };
        for &document in documents {
            selected.entries.extend_from_slice(self.vector(document));
            selected.starts.push(selected.entries.len());
        }
        selected
    }

    /// What words mean.
    pub fn meanings(&self) -> &WuPalmer {
        &self.meanings
    }

    /// A document's terms with their weights, the greatest first.
    pub fn vector(&self, document: usize) -> &[(u32, f64)] {
        &self.entries[self.starts[document]..self.starts[document + 1]]
    }

    /// How many different terms there are.
    pub fn terms(&self) -> usize {
        self.profiles.len()
    }

    /// A term as it is written.
    pub fn term(&self, term: u32) -> &str {
        self.terms.strings().get(term)
    }

    /// The nodes that a term means, the most frequent first.
    pub fn senses(&self, term: u32) -> &[u32] {
        &self.senses[term as usize]
    }

    /// Everything above a term.
    pub fn profile(&self, term: u32) -> &Profile {
        &self.profiles[term as usize]
    }

    /// Computes the similarities of all pairs of terms, in parallel. Worth it when most pairs of documents are compared;
    /// no distance changes. Documents that are added later make it void.
    pub fn prepare(&mut self, progress: &dyn Progress) {
        let deepest = |profile: &Profile| profile.above().iter().map(|above| above.least).max().unwrap_or(0);
        let deepest = self.profiles.iter().map(deepest).max().unwrap_or(0);
        if self.profiles.len() <= MOST_IN_TABLE && deepest <= DEEPEST_IN_TABLE {
            self.table = Some(Table::new(&self.meanings, &self.profiles, progress));
        }
    }

    /// The greatest sum of similarities of terms matched one to one.
    fn matched(&self, rows: &[(u32, f64)], columns: &[(u32, f64)], scratch: &mut Scratch) -> i64 {
        let gains = &mut scratch.gains;
        gains.clear();
        for &(row, _) in rows {
            match &self.table {
                Some(table) => {
                    let own = table.row(row);
                    gains.extend(columns.iter().map(|&(column, _)| table.values[usize::from(own[column as usize])]));
                }
                None => {
                    let layout = scratch.layout.get_or_insert_with(|| Layout::new(&self.meanings));
                    let others = columns.iter().map(|&(column, _)| self.profile(column));
                    layout.similarities(self.profile(row), others, gains);
                }
            }
        }
        let columns_of = if rows.len() == columns.len() {
            // Broad terms are like many: what a column is worth on average is a good price for it.
            scratch.assignment.solve_with_prices(gains, rows.len(), |prices| {
                for row in gains.chunks_exact(prices.len()) {
                    for (price, gain) in prices.iter_mut().zip(row) {
                        *price += gain;
                    }
                }
                prices.iter_mut().for_each(|price| *price /= rows.len() as i64);
            })
        } else {
            scratch.assignment.solve(gains, rows.len(), columns.len())
        };
        columns_of.iter().enumerate().map(|(row, column)| gains[row * columns.len() + column]).sum()
    }
}

/// What one thread keeps between two questions.
#[derive(Debug, Default)]
pub struct Scratch {
    gains: Vec<i64>,
    assignment: Assignment<i64>,
    layout: Option<Layout>,
}

impl Pairwise for DocumentSpace {
    type Scratch = Scratch;

    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    fn scratch(&self) -> Scratch {
        Scratch::default()
    }

    fn distance(&self, left: usize, right: usize, scratch: &mut Scratch) -> f64 {
        let (left, right) = (self.vector(left), self.vector(right));
        let (rows, columns) = if left.len() <= right.len() { (left, right) } else { (right, left) };
        if columns.is_empty() {
            return 0.0;
        }
        let whole = UNIT * columns.len() as i64;
        (whole - self.matched(rows, columns, scratch)) as f64 / whole as f64
    }
}

/// The similarities of all pairs of terms.
#[derive(Debug, Clone)]
struct Table {
    terms: usize,
    /// For each pair the rank of its similarity.
    ranks: Vec<u8>,
    /// The similarity of each rank.
    values: Vec<i64>,
}

impl Table {
    fn new(meanings: &WuPalmer, profiles: &[Profile], progress: &dyn Progress) -> Self {
        let terms = profiles.len();
        progress.stage("similarities of terms", terms as u64);
        let scores = Scores::new();
        let mut ranks = vec![0; terms * terms];
        // Row t is computed up to column t; rows are of very different length, so they are dealt in small packs.
        ranks.par_chunks_mut(terms.max(1)).enumerate().with_max_len(16).for_each_init(
            || Layout::new(meanings),
            |layout, (row, ranks)| {
                layout.with(&profiles[row], |least| {
                    for (rank, other) in ranks[..=row].iter_mut().zip(profiles) {
                        *rank = scores.best(least, other);
                    }
                });
                progress.advance(1);
            },
        );
        mirror(&mut ranks, terms);
        Self { terms, ranks, values: scores.values }
    }

    fn row(&self, term: u32) -> &[u8] {
        &self.ranks[term as usize * self.terms..][..self.terms]
    }
}

/// Copies what is below the diagonal of a square to above it, in blocks that fit in a cache.
fn mirror(square: &mut [u8], side: usize) {
    const BLOCK: usize = 64;
    for rows in (0..side).step_by(BLOCK) {
        for columns in (0..=rows).step_by(BLOCK) {
            for row in rows..side.min(rows + BLOCK) {
                for column in columns..row.min(columns + BLOCK) {
                    square[column * side + row] = square[row * side + column];
                }
            }
        }
    }
}

/// Ranks of similarities by depth and sum of depths, for depths of at most [`DEEPEST_IN_TABLE`].
struct Scores {
    ranks: Vec<u8>,
    values: Vec<i64>,
}

impl Scores {
    /// So many sums for each depth.
    const WIDTH: usize = 2 * DEEPEST_IN_TABLE as usize + 1;

    fn new() -> Self {
        // No way to the root is shorter than what is on it, so the sum is at least twice the depth.
        let all = |depth: u32| (2 * depth..=2 * DEEPEST_IN_TABLE).map(move |sum| (depth, sum));
        let all: Vec<(u32, u32)> = (1..=DEEPEST_IN_TABLE).flat_map(all).collect();
        let mut values: Vec<i64> = all.iter().map(|&(depth, sum)| similarity(depth, sum)).chain([0]).collect();
        values.sort_unstable();
        values.dedup();
        let mut ranks = vec![0; (DEEPEST_IN_TABLE as usize + 1) * Self::WIDTH];
        for (depth, sum) in all {
            let rank = values.binary_search(&similarity(depth, sum)).unwrap_or(0);
            ranks[depth as usize * Self::WIDTH + sum as usize] = rank as u8;
        }
        Self { ranks, values }
    }

    /// The greatest rank over the nodes that are above both. Where the word laid out has no sense below a node, the sum is
    /// less than twice the depth, or of rank 0.
    fn best(&self, least: &[u32], other: &Profile) -> u8 {
        let rank = |above: &super::wu_palmer::Above| {
            let own = least[above.node as usize];
            if own == 0 { 0 } else { self.ranks[above.depth as usize * Self::WIDTH + (own + above.least) as usize] }
        };
        other.above().iter().map(rank).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distance::DistanceMatrix;
    use crate::progress::Silent;
    use crate::taxonomy::tests::food;

    fn space(documents: &[&[&str]], most_terms: usize) -> DocumentSpace {
        let mut space = DocumentSpace::new(&Arc::new(food()), most_terms);
        for terms in documents {
            space.add_vector(terms.iter().map(|&term| (term, 0.1)));
        }
        space
    }

    fn distance(space: &DocumentSpace, left: usize, right: usize) -> f64 {
        space.distance(left, right, &mut space.scratch())
    }

    #[test]
    fn there_are_few_similarities() {
        let scores = Scores::new();
        assert_eq!(scores.values.len(), 246);
        assert_eq!(scores.values.last(), Some(&UNIT));
    }

    #[test]
    fn by_hand() {
        let space =
            space(&[&["Beef", "Milk"], &["Butter", "Chicken"], &["Beef"], &[], &["spam"], &["Milk", "Beef"]], 9);
        // Beef with Chicken and Milk with Butter, 2/3 each; Beef with Beef alone, of two terms.
        assert_eq!(distance(&space, 0, 1), 1.0 / 3.0);
        assert_eq!(distance(&space, 0, 2), 0.5);
        assert_eq!(distance(&space, 2, 0), 0.5);
        assert_eq!((distance(&space, 0, 3), distance(&space, 3, 4), distance(&space, 0, 5)), (1.0, 0.0, 0.0));
    }

    #[test]
    fn the_first_known_terms_count() {
        let space = space(&[&["spam", "Beef", "Milk"], &["Beef", "Apple"]], 1);
        assert_eq!((space.vector(0).len(), distance(&space, 0, 1)), (1, 0.0));
    }

    #[test]
    fn a_table_changes_nothing() {
        let words = ["Beef", "Milk", "Food", "Fruit", "Meat", "Apple", "Cheese"];
        let documents: Vec<&[&str]> =
            (0..7).flat_map(|from| (from..7).map(move |to| (from, to))).map(|(f, t)| &words[f..t]).collect();
        let mut space = space(&documents, 9);
        let before = DistanceMatrix::compute(&space, &Silent);
        space.prepare(&Silent);
        assert!(space.table.is_some());
        let after = DistanceMatrix::compute(&space, &Silent);
        for left in 0..space.len() {
            for right in 0..space.len() {
                assert_eq!(before.get(left, right), after.get(left, right));
            }
        }
    }
}
