//! The texts of a data set: which fields have them, which rows have which, and the same data with other texts.
//!
//! Whoever looks for identifying content works on this alone, whatever the kind. Ids, times, numbers and places have a role of their
//! own, and are no texts.

use std::sync::Arc;

use super::baskets::Grouping;
use super::queries::{Columns, MISSING};
use super::{Baskets, Dataset, Documents, Interner, QueryLog, Strings};
use crate::concepts::Texts as _;
use crate::finders::mask::Form;

/// A field of text.
#[derive(Debug, Clone, Copy)]
pub struct Field<'a> {
    /// The name of its role.
    pub role: &'static str,
    /// What its texts are.
    pub form: Form,
    /// Its different texts.
    pub texts: &'a Strings,
}

/// What became of the texts of a field.
#[derive(Debug, Clone)]
pub struct Replaced {
    /// The texts that there are now.
    pub texts: Strings,
    /// For each text that there was its number now; [`MISSING`] if nothing is left of it.
    pub number_of: Vec<u32>,
    /// For each text that there was whether it is another one now, or nothing.
    pub is_changed: Vec<bool>,
}

/// Data with texts in their rows.
pub trait Content: Dataset {
    /// The fields of text.
    fn fields(&self) -> Vec<Field<'_>>;

    /// For each row of a person the text of each field, or [`MISSING`].
    fn texts_of_rows(&self, person: usize) -> impl Iterator<Item = impl AsRef<[u32]>>;

    /// Texts of the first field that stand beside the rows of a person, and are published with them.
    fn texts_beside_rows(&self, _person: usize) -> Vec<u32> {
        Vec::new()
    }

    /// For each text of the first field what it opens to, where texts are shares that open to anybody; empty where none are.
    fn opened_texts(&self) -> Vec<Option<String>> {
        Vec::new()
    }

    /// The same data with other texts, one [`Replaced`] for each field. A row whose first text is gone is gone, if rows can go.
    #[must_use]
    fn with_texts(&self, fields: Vec<Replaced>) -> Self;

    /// For each person the first of those who are likely the same human; everybody alone where nobody knows.
    fn likely_one(&self) -> Vec<u32> {
        (0..self.persons() as u32).collect()
    }

    /// Whether texts are single words, so that nothing of several words can stand in one, unless somebody's own terms have several.
    const HAS_SINGLE_WORDS: bool = false;

    /// Whether a person of whom no row is left is none.
    const NEEDS_ROWS: bool = false;
    /// Whether a row whose first text is gone is gone, or stays without it.
    const ROWS_CAN_GO: bool = true;
}

impl Content for QueryLog {
    const NEEDS_ROWS: bool = true;

    fn fields(&self) -> Vec<Field<'_>> {
        vec![
            Field { role: "query", form: Form::Words, texts: self.queries() },
            Field { role: "url", form: Form::Url, texts: self.urls() },
        ]
    }

    fn texts_of_rows(&self, person: usize) -> impl Iterator<Item = impl AsRef<[u32]>> {
        self.lines(person).map(|line| [line.query, line.url.unwrap_or(MISSING)])
    }

    fn opened_texts(&self) -> Vec<Option<String>> {
        let Ok(opened) = crate::shares::open(self.queries()) else { return Vec::new() };
        opened.text_of.iter().map(|text| text.map(|text| opened.texts.get(text).to_owned())).collect()
    }

    /// The rank of a click goes with its page.
    fn with_texts(&self, fields: Vec<Replaced>) -> Self {
        let [queries, urls] = <[Replaced; 2]>::try_from(fields).expect("queries and URLs");
        let (query_of, url_of) = (queries.number_of, urls.number_of);
        let mut columns = Columns {
            persons: self.names().clone(),
            queries: queries.texts,
            urls: urls.texts,
            starts: vec![0],
            ..Columns::default()
        };
        for person in 0..self.persons() {
            for line in self.lines(person).filter(|line| query_of[line.query as usize] != MISSING) {
                columns.query.push(query_of[line.query as usize]);
                columns.time.extend_from_slice(&[line.time]);
                let url = line.url.map_or(MISSING, |url| url_of[url as usize]);
                let is_lost = line.url.is_some() && url == MISSING;
                columns.rank.push(line.rank.filter(|_| !is_lost).unwrap_or(MISSING));
                columns.url.push(url);
            }
            columns.starts.push(columns.query.len());
        }
        columns.time = columns.time.settled();
        Self::from_columns(columns)
    }

    fn likely_one(&self) -> Vec<u32> {
        let clusters = crate::aggregate::alike::Clusters::alike(self);
        (0..self.persons() as u32).map(|person| clusters.first(person)).collect()
    }
}

impl Content for Baskets {
    fn fields(&self) -> Vec<Field<'_>> {
        vec![Field { role: "item", form: Form::Words, texts: self.labels() }]
    }

    fn texts_of_rows(&self, person: usize) -> impl Iterator<Item = impl AsRef<[u32]>> {
        self.basket(person).iter().map(|&item| [item, MISSING])
    }

    /// The sensitive items of the person's group.
    fn texts_beside_rows(&self, person: usize) -> Vec<u32> {
        let of_group = |grouping: &Grouping| {
            grouping.sensitive[grouping.group_of[person] as usize].iter().map(|&(item, _)| item).collect()
        };
        self.grouping().map(of_group).unwrap_or_default()
    }

    /// A node of a taxonomy cannot be called otherwise: one whose text changed is left out.
    fn with_texts(&self, fields: Vec<Replaced>) -> Self {
        let Replaced { texts, number_of, is_changed } = fields.into_iter().next().expect("items");
        match self.taxonomy() {
            Some(taxonomy) => {
                let kept: Vec<Option<u32>> =
                    (0u32..).zip(&is_changed).map(|(item, changed)| (!changed).then_some(item)).collect();
                let kept = self.over_nodes(taxonomy, &kept);
                // Nodes mean what they meant.
                match self.meaning() {
                    Some(meaning) => kept.with_meaning(Arc::clone(meaning)),
                    None => kept,
                }
            }
            None => {
                let kept: Vec<Option<u32>> =
                    number_of.iter().map(|&number| (number != MISSING).then_some(number)).collect();
                self.over_labels(texts, &kept)
            }
        }
    }
}

impl Content for Documents {
    const HAS_SINGLE_WORDS: bool = true;

    fn fields(&self) -> Vec<Field<'_>> {
        vec![Field { role: "term", form: Form::Words, texts: self.terms() }]
    }

    fn texts_of_rows(&self, person: usize) -> impl Iterator<Item = impl AsRef<[u32]>> {
        self.vector(person).iter().map(|&(term, _)| [term, MISSING])
    }

    /// A term stands for itself: one whose text changed is left out. Weights stay as they are.
    fn with_texts(&self, fields: Vec<Replaced>) -> Self {
        let is_changed = fields.into_iter().next().expect("terms").is_changed;
        let terms = Interner::from(self.terms());
        self.without(false, |term| terms.find(term).is_some_and(|number| is_changed[number as usize]))
    }
}
