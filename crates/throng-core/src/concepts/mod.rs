//! From text to concepts: the noun phrases of a query or an item, and what they mean in a taxonomy.
//!
//! Paper      004 (Batet et al. 2014), section 3.1.1.
//!
//! # Idea
//! 1. A text is cut into noun phrases ([`Mapper::phrases`]).
//! 2. A phrase means the concept that is called so; while there is none, the word most on the left is dropped, for the last
//!    noun carries the meaning (`a new phone`, `new phone`, `phone`).
//! 3. [`Meaning`] holds that for all strings of a data set: looked up once, then concepts are numbers.

mod meaning;

use std::borrow::Cow;
use std::sync::Arc;

pub use meaning::{Meaning, Texts};

use crate::data::Interner;
use crate::taxonomy::Taxonomy;
use crate::text::{lower_words, stop_words::is_stop_word};

/// Finds the concepts of texts.
#[derive(Debug, Clone)]
pub struct Mapper {
    taxonomy: Arc<Taxonomy>,
    /// Names in lower case, and the node of each.
    names: Interner,
    nodes: Vec<u32>,
}

/// A noun phrase of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phrase<'t> {
    /// The phrase as it may be published: alone it means the same.
    pub term: Cow<'t, str>,
    /// What it means; `None` if no taxonomy knows it.
    pub concept: Option<u32>,
}

impl Mapper {
    /// Finds concepts of this taxonomy.
    pub fn new(taxonomy: Arc<Taxonomy>) -> Self {
        let (mut names, mut nodes) = (Interner::new(), Vec::new());
        let labels = taxonomy.labels().iter().zip(0..).chain(taxonomy.aliases());
        for (name, node) in labels {
            if names.intern(&name.to_lowercase()) as usize == nodes.len() {
                nodes.push(node);
            }
        }
        Self { taxonomy, names, nodes }
    }

    /// The taxonomy whose nodes the concepts are.
    pub fn taxonomy(&self) -> &Arc<Taxonomy> {
        &self.taxonomy
    }

    /// The concept with this name, whatever its case.
    fn find(&self, name: &str) -> Option<u32> {
        let lower = || self.names.find(&name.to_lowercase()).map(|at| self.nodes[at as usize]);
        self.taxonomy.find(name).or_else(lower)
    }

    /// The noun phrases of a text in their order. A phrase with a concept, looked at alone, is one phrase with that concept.
    pub fn phrases<'t>(&self, text: &'t str) -> Vec<Phrase<'t>> {
        let whole = text.trim();
        if let Some(concept) = self.find(whole) {
            return vec![Phrase { term: Cow::Borrowed(whole), concept: Some(concept) }];
        }
        let words: Vec<String> = lower_words(text).collect();
        let runs = words.split(|word| is_stop_word(word)).filter(|run| !run.is_empty());
        runs.map(|run| {
            let found = (0..run.len()).find_map(|from| self.find(&run[from..].join(" ")));
            Phrase { term: Cow::Owned(run.join(" ")), concept: found }
        })
        .collect()
    }
}
