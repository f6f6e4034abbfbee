//! Baskets: persons with a bag of items each.
//!
//! Items are numbers. With a taxonomy they are its nodes, so that "is under" is two comparisons; without one they are
//! interned labels. A person's items are kept in rising order, copies side by side.
//!
//! # Cost
//! 4 bytes an item and 8 a person, beside the labels.

use std::ops::Range;
use std::sync::Arc;

use super::{Dataset, FactSort, Facts, Interner, Strings};
use crate::concepts::{Meaning, Texts};
use crate::info::Need;
use crate::taxonomy::Taxonomy;

/// Persons with their items.
#[derive(Debug, Clone)]
pub struct Baskets {
    names: Strings,
    has_ids: bool,
    /// Person `p` has the items `items[starts[p]..starts[p + 1]]`.
    starts: Vec<usize>,
    items: Vec<u32>,
    labels: Labels,
    sensitive: Vec<u32>,
    grouping: Option<Grouping>,
    meaning: Option<Arc<Meaning>>,
}

/// Where the labels of items are.
#[derive(Debug, Clone)]
enum Labels {
    Own(Strings),
    Nodes(Arc<Taxonomy>),
}

/// Sensitive items published for a group as a whole: how many of its persons have each.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Grouping {
    /// The group of each person.
    pub group_of: Vec<u32>,
    /// For each group its sensitive items and how often they occur, in rising order of the item.
    pub sensitive: Vec<Vec<(u32, u32)>>,
}

impl Baskets {
    /// The number of persons.
    pub fn persons(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of items of all persons together, copies included.
    pub fn rows(&self) -> usize {
        self.items.len()
    }

    /// The persons' ids; the number of the line, from 1, where the file has none.
    pub fn names(&self) -> &Strings {
        &self.names
    }

    /// Where a person's items are among [`Self::items`].
    pub fn range(&self, person: usize) -> Range<usize> {
        self.starts[person]..self.starts[person + 1]
    }

    /// A person's items in rising order, copies side by side.
    pub fn basket(&self, person: usize) -> &[u32] {
        &self.items[self.range(person)]
    }

    /// All persons' items, one person after the other.
    pub fn items(&self) -> &[u32] {
        &self.items
    }

    /// One more than the greatest item: nodes of the taxonomy, or labels.
    pub fn item_count(&self) -> usize {
        self.labels().len()
    }

    /// The labels by item.
    pub fn labels(&self) -> &Strings {
        match &self.labels {
            Labels::Own(labels) => labels,
            Labels::Nodes(taxonomy) => taxonomy.labels(),
        }
    }

    /// The label of an item.
    pub fn label(&self, item: u32) -> &str {
        self.labels().get(item)
    }

    /// The taxonomy whose nodes the items are, if they are.
    pub fn taxonomy(&self) -> Option<&Arc<Taxonomy>> {
        match &self.labels {
            Labels::Own(_) => None,
            Labels::Nodes(taxonomy) => Some(taxonomy),
        }
    }

    /// Sensitive items in rising order.
    pub fn sensitive(&self) -> &[u32] {
        &self.sensitive
    }

    /// Whether an item is sensitive.
    pub fn is_sensitive(&self, item: u32) -> bool {
        self.sensitive.binary_search(&item).is_ok()
    }

    /// Sensitive items that are published by group, if they are.
    pub fn grouping(&self) -> Option<&Grouping> {
        self.grouping.as_ref()
    }

    /// The same with these sensitive items.
    pub fn with_sensitive(mut self, mut items: Vec<u32>) -> Self {
        items.sort_unstable();
        items.dedup();
        self.sensitive = items;
        self
    }

    /// The same with sensitive items published by group. There must be a group for every person.
    pub fn with_grouping(mut self, grouping: Grouping) -> Self {
        assert_eq!(grouping.group_of.len(), self.persons(), "every person has a group");
        self.grouping = Some(grouping);
        self
    }

    /// The same, with what the labels of their items mean.
    #[must_use]
    pub fn with_meaning(mut self, meaning: Arc<Meaning>) -> Self {
        self.meaning = Some(meaning);
        self
    }

    /// The same, with ids of their own or, without, named by their lines.
    pub fn with_ids(mut self, has_ids: bool) -> Self {
        self.has_ids = has_ids;
        self
    }

    /// The baskets without the items whose labels are barred. Items are labels; a person with nothing left is one all the same.
    #[must_use]
    pub fn without(&self, is_barred: impl Fn(&str) -> bool) -> Self {
        let mut labels = Interner::new();
        let item_of: Vec<Option<u32>> =
            self.labels().iter().map(|label| (!is_barred(label)).then(|| labels.intern(label))).collect();
        self.relabelled(Labels::Own(labels.into_strings()), &item_of)
    }

    /// The same persons over other labels: item `i` becomes the label `item_of[i]`, or is left out.
    pub fn over_labels(&self, labels: Strings, item_of: &[Option<u32>]) -> Self {
        self.relabelled(Labels::Own(labels), item_of)
    }

    /// The same persons over the nodes of a taxonomy: item `i` becomes `node_of[i]`, or is left out.
    pub fn over_nodes(&self, taxonomy: &Arc<Taxonomy>, node_of: &[Option<u32>]) -> Self {
        self.relabelled(Labels::Nodes(Arc::clone(taxonomy)), node_of)
    }

    /// Both over one table of labels, so that equal labels are equal items. Those over the same taxonomy stay as they are.
    pub fn aligned(&self, other: &Self) -> (Self, Self) {
        if let (Labels::Nodes(own), Labels::Nodes(others)) = (&self.labels, &other.labels)
            && Arc::ptr_eq(own, others)
        {
            return (self.clone(), other.clone());
        }
        let mut labels = Interner::from(self.labels());
        let own: Vec<Option<u32>> = (0..self.item_count() as u32).map(Some).collect();
        let others: Vec<Option<u32>> = other.labels().iter().map(|label| Some(labels.intern(label))).collect();
        let labels = labels.into_strings();
        (self.relabelled(Labels::Own(labels.clone()), &own), other.relabelled(Labels::Own(labels), &others))
    }

    fn relabelled(&self, labels: Labels, item_of: &[Option<u32>]) -> Self {
        let (mut starts, mut items) = (Vec::with_capacity(self.starts.len()), Vec::with_capacity(self.items.len()));
        starts.push(0);
        for person in 0..self.persons() {
            let start = items.len();
            items.extend(self.basket(person).iter().filter_map(|&item| item_of[item as usize]));
            items[start..].sort_unstable();
            starts.push(items.len());
        }
        let group = |counts: &Vec<(u32, u32)>| {
            let mut counts: Vec<(u32, u32)> =
                counts.iter().filter_map(|&(item, count)| Some((item_of[item as usize]?, count))).collect();
            counts.sort_unstable();
            counts.dedup_by(|later, first| {
                let same = later.0 == first.0;
                first.1 += if same { later.1 } else { 0 };
                same
            });
            counts
        };
        let grouping = self.grouping.as_ref().map(|grouping| Grouping {
            group_of: grouping.group_of.clone(),
            sensitive: grouping.sensitive.iter().map(group).collect(),
        });
        let sensitive = self.sensitive.iter().filter_map(|&item| item_of[item as usize]).collect();
        let baskets = Self {
            names: self.names.clone(),
            has_ids: self.has_ids,
            starts,
            items,
            labels,
            sensitive: Vec::new(),
            grouping,
            meaning: None,
        };
        baskets.with_sensitive(sensitive)
    }

    /// Records over the same items, with the same sensitive ones: what a method makes of an original. Their names mean
    /// nothing. Items of a record may come in any order.
    pub fn records<R: AsRef<[u32]>>(&self, records: impl IntoIterator<Item = R>) -> Self {
        let (mut starts, mut items, mut names) = (vec![0], Vec::new(), Strings::new());
        for record in records {
            let start = items.len();
            items.extend_from_slice(record.as_ref());
            items[start..].sort_unstable();
            names.push(&starts.len().to_string());
            starts.push(items.len());
        }
        Self {
            names,
            has_ids: self.has_ids,
            starts,
            items,
            labels: self.labels.clone(),
            sensitive: self.sensitive.clone(),
            grouping: None,
            meaning: self.meaning.clone(),
        }
    }
}

/// Items of a basket are always in order.
impl Dataset for Baskets {
    const FACTS: &'static [FactSort] = &[FactSort {
        names: ["item", "items"],
        means: "that they have it",
        known: ["one item of a person's basket", "{} items of a person's basket"],
    }];

    fn persons(&self) -> usize {
        self.persons()
    }

    fn rows(&self) -> usize {
        self.rows()
    }

    fn names(&self) -> &Strings {
        self.names()
    }

    fn has_ids(&self) -> bool {
        self.has_ids
    }

    /// They must not be published by group.
    fn of_persons(&self, persons: &[u32]) -> Self {
        assert!(self.grouping.is_none(), "a group of which some are missing is another group");
        let mut chosen = self.records(persons.iter().map(|&person| self.basket(person as usize)));
        chosen.names = persons.iter().map(|&person| self.names.get(person)).collect();
        chosen
    }

    fn facts(&self, _sort: usize) -> Facts<'_> {
        Facts::new(self.item_count(), |person| self.basket(person).into())
            .ordered(|left, right| self.label(left).cmp(self.label(right)))
    }

    fn has(&self, need: Need) -> bool {
        match need {
            Need::Taxonomy => self.taxonomy().is_some(),
            Need::Meaning => self.meaning.is_some(),
            Need::Link | Need::Classes | Need::OtherRelease | Need::Control | Need::Reference => false,
            Need::HashedWords | Need::Noise | Need::Target => false,
        }
    }
}

impl Texts for Baskets {
    fn strings(&self) -> &Strings {
        self.labels()
    }

    fn strings_of(&self, person: usize) -> &[u32] {
        self.basket(person)
    }

    fn meaning(&self) -> Option<&Arc<Meaning>> {
        self.meaning.as_ref()
    }
}

/// Collects persons and items.
#[derive(Debug)]
pub struct BasketsBuilder {
    names: Interner,
    has_ids: bool,
    labels: Interner,
    taxonomy: Option<Arc<Taxonomy>>,
    rows: Vec<(u32, u32)>,
}

impl BasketsBuilder {
    /// Nothing yet; items are labels, or, with a taxonomy, its nodes. `has_ids` says whether persons have names of their
    /// own; without, name them by their line.
    pub fn new(taxonomy: Option<Arc<Taxonomy>>, has_ids: bool) -> Self {
        Self { names: Interner::new(), has_ids, labels: Interner::new(), taxonomy, rows: Vec::new() }
    }

    /// The number of a person, new if they were not there.
    pub fn person(&mut self, name: &str) -> u32 {
        self.names.intern(name)
    }

    /// The number of a label. Only without a taxonomy, whose own numbers count otherwise.
    pub fn label(&mut self, label: &str) -> u32 {
        debug_assert!(self.taxonomy.is_none(), "items are nodes of the taxonomy");
        self.labels.intern(label)
    }

    /// Gives a person one more item: a node of the taxonomy, or, without one, a label's number.
    pub fn push(&mut self, person: u32, item: u32) {
        self.rows.push((person, item));
    }

    /// The finished baskets.
    pub fn finish(mut self) -> Baskets {
        self.rows.sort_unstable();
        let persons = self.names.strings().len();
        let mut starts = vec![0; persons + 1];
        for &(person, _) in &self.rows {
            starts[person as usize + 1] += 1;
        }
        for person in 0..persons {
            starts[person + 1] += starts[person];
        }
        Baskets {
            names: self.names.into_strings(),
            has_ids: self.has_ids,
            starts,
            items: self.rows.into_iter().map(|(_, item)| item).collect(),
            labels: self.taxonomy.map_or_else(|| Labels::Own(self.labels.into_strings()), Labels::Nodes),
            sensitive: Vec::new(),
            grouping: None,
            meaning: None,
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Baskets without ids over a taxonomy, each a list of labels with blanks between.
    pub(crate) fn baskets(taxonomy: &Arc<Taxonomy>, rows: &[&str]) -> Baskets {
        let mut builder = BasketsBuilder::new(Some(Arc::clone(taxonomy)), false);
        for (line, row) in rows.iter().enumerate() {
            let person = builder.person(&(line + 1).to_string());
            for label in row.split_whitespace() {
                builder.push(person, taxonomy.find(label).unwrap());
            }
        }
        builder.finish()
    }

    #[test]
    fn items_are_sorted_and_copies_kept() {
        let food = Arc::new(crate::taxonomy::tests::food());
        let baskets = baskets(&food, &["Milk Apple Apple", "", "Fruit"]);
        let labels = |person: usize| baskets.basket(person).iter().map(|&item| baskets.label(item)).collect::<Vec<_>>();
        assert_eq!(labels(0), ["Apple", "Apple", "Milk"]);
        assert!(labels(1).is_empty());
        assert_eq!(labels(2), ["Fruit"]);
        assert_eq!((baskets.persons(), baskets.rows()), (3, 4));
    }

    #[test]
    fn barred_items_leave_their_persons() {
        let mut builder = BasketsBuilder::new(None, true);
        for (person, label) in [("a", "x"), ("b", "y"), ("a", "y")] {
            let (person, item) = (builder.person(person), builder.label(label));
            builder.push(person, item);
        }
        let left = builder.finish().without(|label| label == "y");
        assert_eq!((left.persons(), left.rows(), left.labels().iter().collect::<Vec<_>>()), (2, 1, vec!["x"]));
        assert_eq!((left.label(left.basket(0)[0]), left.basket(1).len()), ("x", 0));
    }

    #[test]
    fn labels_are_interned_without_a_taxonomy() {
        let mut builder = BasketsBuilder::new(None, true);
        for (person, label) in [("a", "x"), ("b", "y"), ("a", "y")] {
            let (person, item) = (builder.person(person), builder.label(label));
            builder.push(person, item);
        }
        let baskets = builder.finish().with_sensitive(vec![1]);
        assert_eq!(baskets.basket(0), [0, 1]);
        assert_eq!(baskets.label(1), "y");
        assert!(baskets.is_sensitive(1) && !baskets.is_sensitive(0));
        let (own, other) = baskets.aligned(&{
            let mut builder = BasketsBuilder::new(None, false);
            let (person, items) = (builder.person("1"), ["y", "z"].map(|label| builder.label(label)));
            items.into_iter().for_each(|item| builder.push(person, item));
            builder.finish().with_grouping(Grouping { group_of: vec![0], sensitive: vec![vec![(0, 2)]] })
        });
        assert_eq!((own.basket(0), other.basket(0)), (&[0, 1][..], &[1, 2][..]));
        assert_eq!(other.grouping().unwrap().sensitive, [[(1, 2)]]);
        let records = baskets.records([[1, 0]]);
        assert_eq!((records.persons(), records.basket(0)), (1, &[0, 1][..]));
    }
}
