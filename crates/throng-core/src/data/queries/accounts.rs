//! Several accounts of one person: which accounts of a log count as one, and a log in which they are one.
//!
//! A log is read with an account for a person. Whoever finds accounts that are alike (`aggregate/alike.rs`, and the models on their
//! own) says so as [`Clusters`]; [`QueryLog::merged`] makes every cluster one person, and remembers the accounts, so that a model
//! can find out on its own who was alike.

use std::ops::Range;
use std::sync::Arc;

use super::{QueryLog, Times};
use crate::data::Strings;

/// Which accounts of a log count as one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clusters {
    /// Every account with the first account of its cluster, cluster by cluster.
    in_order: Vec<(u32, u32)>,
    /// For each account the first account of its cluster.
    first: Vec<u32>,
}

impl Clusters {
    /// Every account is one of its own.
    pub fn apart(accounts: usize) -> Self {
        Self::of((0..accounts as u32).collect())
    }

    /// Clusters from the first account of each account's cluster.
    pub fn of(first: Vec<u32>) -> Self {
        let mut in_order: Vec<(u32, u32)> = (0..).zip(first.iter().copied()).collect();
        in_order.sort_by_key(|&(account, first)| (first, account));
        Self { in_order, first }
    }

    /// Every account with the first account of its cluster; those of one cluster stand side by side.
    pub fn in_order(&self) -> &[(u32, u32)] {
        &self.in_order
    }

    /// The first account of an account's cluster.
    pub fn first(&self, account: u32) -> u32 {
        self.first[account as usize]
    }

    /// How many persons there are, if a cluster is one.
    pub fn len(&self) -> usize {
        self.clusters().count()
    }

    /// Whether there is nobody.
    pub fn is_empty(&self) -> bool {
        self.first.is_empty()
    }

    /// How many accounts are in a cluster with others.
    pub fn accounts_alike(&self) -> usize {
        self.clusters().map(<[_]>::len).filter(|&accounts| accounts > 1).sum()
    }

    /// How many persons these are.
    pub fn persons_alike(&self) -> usize {
        self.clusters().filter(|cluster| cluster.len() > 1).count()
    }

    /// The clusters, in the order of their first accounts.
    pub fn clusters(&self) -> impl Iterator<Item = &[(u32, u32)]> {
        self.in_order.chunk_by(|left, right| left.1 == right.1)
    }
}

/// The accounts of a log whose clusters became persons.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergedAccounts {
    names: Strings,
    /// Account `a` has the lines `starts[a]..starts[a + 1]`.
    starts: Vec<usize>,
    person_of: Vec<u32>,
}

impl MergedAccounts {
    /// The names of the accounts.
    pub fn names(&self) -> &Strings {
        &self.names
    }

    /// The person of each account.
    pub fn person_of(&self) -> &[u32] {
        &self.person_of
    }
}

impl QueryLog {
    /// The same log, with which of its accounts are one person's.
    #[must_use]
    pub fn with_clusters(mut self, clusters: Arc<Clusters>) -> Self {
        self.clusters = Some(clusters);
        self
    }

    /// Which accounts are one person's, where somebody found out.
    pub fn clusters(&self) -> Option<&Arc<Clusters>> {
        self.clusters.as_ref()
    }

    /// The log in which every cluster is one person, under the name of its first account, with the lines of one account after the
    /// other. Without what strings mean.
    #[must_use]
    pub fn merged(self, clusters: &Clusters) -> Self {
        let order = clusters.in_order();
        let rows = || order.iter().flat_map(|&(account, _)| self.range(account as usize));
        let (mut names, mut starts, mut person_of) = (Strings::new(), vec![0], Vec::with_capacity(order.len()));
        let (mut persons, mut person_starts) = (Strings::new(), vec![0]);
        for cluster in clusters.clusters() {
            for &(account, _) in cluster {
                names.push(self.persons.get(account));
                person_of.push(persons.len() as u32);
                starts.push(starts[starts.len() - 1] + self.range(account as usize).len());
            }
            persons.push(self.persons.get(cluster[0].1));
            person_starts.push(starts[starts.len() - 1]);
        }
        // Whoever has several accounts asks for as many as the most demanding of them.
        let wishes = self.wishes.as_deref().map(|all| {
            let wish = |cluster: &[(u32, u32)]| cluster.iter().map(|&(account, _)| all[account as usize]).max();
            clusters.clusters().map(|cluster| wish(cluster).unwrap_or(0)).collect()
        });
        let column = |values: &[u32]| rows().map(|row| values[row]).collect::<Vec<u32>>();
        let (query, rank, url) = (column(&self.query), column(&self.rank), column(&self.url));
        let time = match &self.time {
            Times::Seconds { base, offsets } => Times::Seconds { base: *base, offsets: column(offsets) },
            Times::Millis(millis) => Times::Millis(rows().map(|row| millis[row]).collect()),
        };
        Self {
            persons,
            starts: person_starts,
            query,
            time,
            rank,
            url,
            queries: self.queries,
            urls: self.urls,
            meaning: None,
            clusters: None,
            accounts: Some(Arc::new(MergedAccounts { names, starts, person_of })),
            wishes,
        }
    }

    /// The accounts of a log whose clusters became persons.
    pub fn accounts(&self) -> Option<&Arc<MergedAccounts>> {
        self.accounts.as_ref()
    }

    /// The lines of each account; without anything merged those of each person.
    pub fn lines_of_accounts(&self) -> Vec<Range<usize>> {
        let starts = self.accounts.as_ref().map_or(&self.starts, |accounts| &accounts.starts);
        starts.windows(2).map(|ends| ends[0]..ends[1]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Dataset as _, QueryLogBuilder};

    #[test]
    fn a_cluster_becomes_one_person() {
        let mut builder = QueryLogBuilder::new();
        for (account, query, time) in
            [("a", "x", 1), ("b", "y", 2), ("c", "z", 3), ("a", "y", 4), ("d", "w", 5), ("c", "x", 6)]
        {
            builder.push(account, query, time * 1000, Some(time as u32), None);
        }
        let log = builder.finish();
        let clusters = Clusters::of(vec![0, 1, 0, 1]);
        assert_eq!((clusters.len(), clusters.accounts_alike(), clusters.persons_alike()), (2, 4, 2));
        let merged = log.clone().merged(&clusters);
        let lines = |log: &QueryLog, person: usize| -> Vec<String> {
            let line = |line: super::super::Line| format!("{} {}", log.queries().get(line.query), line.time / 1000);
            log.lines(person).map(line).collect()
        };
        assert_eq!(merged.names().iter().collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(lines(&merged, 0), ["x 1", "y 4", "z 3", "x 6"]);
        assert_eq!(lines(&merged, 1), ["y 2", "w 5"]);
        assert_eq!(merged.lines_of_accounts(), [0..2, 2..4, 4..5, 5..6]);
        let accounts = merged.accounts().unwrap();
        assert_eq!(accounts.names().iter().collect::<Vec<_>>(), ["a", "c", "b", "d"]);
        assert_eq!(accounts.person_of(), [0, 0, 1, 1]);
        // Nobody is alike: the same lines, person by person.
        let same = log.clone().merged(&Clusters::apart(4));
        assert_eq!(same.lines_of_accounts(), log.lines_of_accounts());
        assert_eq!(lines(&same, 2), lines(&log, 2));
        assert!(merged.of_persons(&[0]).accounts().is_none());
    }
}
