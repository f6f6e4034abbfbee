//! The masked network: clusters of nodes, the edges in and between them, and what the nodes of each have in common.
//!
//! Paper      Campan, Truta. Data and structural k-anonymity in social networks. PinKDD 2008, definition 2.
//!
//! A *block* is a cluster with itself, which has |a| (|a| - 1) / 2 pairs of nodes, or two clusters, which have |a| |b|. What is
//! published of a block is how many of its pairs are edges: of a full block every edge is known, of an empty one that there is none.
//!
//! A masked network is held as it was read: whether its counts are possible is for [`Masked::fault`] to say, and for models.

use crate::data::table::Column;
use crate::error::{Error, Result};

/// A cluster that is named and is not there.
pub const UNKNOWN: u32 = u32::MAX;

/// Clusters and their edges. Clusters are numbered from 0.
#[derive(Debug, Clone, Default)]
pub struct Masked {
    /// For each cluster how many nodes it has.
    pub sizes: Vec<u32>,
    /// For each cluster how many edges are inside.
    pub inner: Vec<u64>,
    /// How many edges lie between two clusters; pairs without edges need not stand here.
    pub between: Vec<Between>,
    /// The quasi columns, with a cell for each cluster.
    pub cells: Vec<Column>,
    /// The sensitive and the plain columns: how often each value comes in each cluster.
    pub values: Vec<ValueCounts>,
}

/// The edges between two clusters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Between {
    /// The clusters; [`UNKNOWN`] for one that is not there.
    pub clusters: [u32; 2],
    /// How many edges.
    pub edges: u64,
}

/// How often each value of a column comes in each cluster.
#[derive(Debug, Clone)]
pub struct ValueCounts {
    /// The column, without cells.
    pub column: Column,
    /// Cluster, value and how often, in rising order, each pair of cluster and value once.
    pub counts: Vec<(u32, u32, u32)>,
}

impl ValueCounts {
    /// These counts, put in order; those of one cluster and value are added up.
    pub fn new(column: Column, mut counts: Vec<(u32, u32, u32)>) -> Self {
        counts.sort_unstable();
        let mut summed: Vec<(u32, u32, u32)> = Vec::with_capacity(counts.len());
        for (cluster, value, count) in counts {
            match summed.last_mut() {
                Some(last) if (last.0, last.1) == (cluster, value) => last.2 = last.2.saturating_add(count),
                _ => summed.push((cluster, value, count)),
            }
        }
        Self { column: Column { cells: Vec::new(), ..column }, counts: summed }
    }

    /// The values of a cluster and how often each comes.
    pub fn of_cluster(&self, cluster: u32) -> impl Iterator<Item = (u32, u32)> {
        let start = self.counts.partition_point(|&(other, ..)| other < cluster);
        let own = self.counts[start..].iter().take_while(move |&&(other, ..)| other == cluster);
        own.map(|&(_, value, count)| (value, count))
    }
}

/// A block with its edges and its pairs of nodes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Block {
    /// Its clusters; twice the same for the inside of one.
    pub clusters: [u32; 2],
    /// How many of its pairs are edges.
    pub edges: u64,
    /// How many pairs of nodes it has.
    pub pairs: u64,
}

impl Block {
    /// The share of pairs that are edges; 0 of no pairs.
    pub fn density(&self) -> f64 {
        if self.pairs == 0 { 0.0 } else { self.edges as f64 / self.pairs as f64 }
    }

    /// How many pairs are expected to be taken for what they are not: intraSIL or interSIL.
    pub fn loss(&self) -> f64 {
        2.0 * self.edges as f64 * (1.0 - self.density())
    }
}

/// For each value how many different ones are smaller, and how many different ones there are.
fn ranks<T: Ord>(values: &[T]) -> (Vec<u32>, usize) {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_unstable_by(|&left, &right| values[left].cmp(&values[right]));
    let (mut found, mut count) = (vec![0; values.len()], 0);
    for same in order.chunk_by(|&left, &right| values[left] == values[right]) {
        same.iter().for_each(|&at| found[at] = count);
        count += 1;
    }
    (found, count as usize)
}

/// How many pairs so many nodes have.
pub fn pairs_of(size: u64) -> u64 {
    size * size.saturating_sub(1) / 2
}

/// What is wrong with a masked network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// A pair of clusters of which one is not there: the place in [`Masked::between`].
    UnknownCluster(usize),
    /// A pair that stands twice, or a cluster that is paired with itself: the place in [`Masked::between`].
    Twice(usize),
    /// More edges between clusters than there are pairs: the place in [`Masked::between`].
    TooManyBetween(usize),
    /// More edges inside a cluster than there are pairs: the cluster.
    TooManyInside(u32),
    /// A column whose values are more or fewer than the nodes of a cluster: the place in [`Masked::values`], and the cluster.
    OtherCount(usize, u32),
}

impl Fault {
    /// It in words.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::UnknownCluster(_) => "edges are said of a cluster that is not there",
            Self::Twice(_) => "the edges of two clusters are said twice",
            Self::TooManyBetween(_) => "there are more edges between two clusters than pairs of nodes",
            Self::TooManyInside(_) => "there are more edges inside a cluster than pairs of nodes",
            Self::OtherCount(..) => "the values of a cluster are not as many as its nodes",
        }
    }
}

impl Masked {
    /// How many clusters there are.
    pub fn clusters(&self) -> usize {
        self.sizes.len()
    }

    /// How many nodes all clusters have.
    pub fn nodes(&self) -> u64 {
        self.sizes.iter().map(|&size| u64::from(size)).sum()
    }

    /// How many edges it says that there are.
    pub fn edges(&self) -> u64 {
        let between = self.between.iter().map(|between| between.edges);
        self.inner.iter().copied().chain(between).fold(0, u64::saturating_add)
    }

    /// The blocks that have edges or could have some, but for pairs of clusters without edges: first the inside of each cluster.
    pub fn blocks(&self) -> impl Iterator<Item = Block> + '_ {
        let inside = (0u32..).zip(self.sizes.iter().zip(&self.inner)).map(|(cluster, (&size, &edges))| Block {
            clusters: [cluster, cluster],
            edges,
            pairs: pairs_of(u64::from(size)),
        });
        inside.chain(self.between.iter().map(|between| self.block(between)))
    }

    /// The block of two clusters.
    pub fn block(&self, between: &Between) -> Block {
        let size = |cluster: u32| self.sizes.get(cluster as usize).map_or(0, |&size| u64::from(size));
        let [left, right] = between.clusters;
        Block { clusters: between.clusters, edges: between.edges, pairs: size(left) * size(right) }
    }

    /// The counts with clusters in an order that depends on nothing but the counts, and the place of each cluster there. Clusters are told
    /// apart by their size and edges, then by those of the clusters around them, and so on; whichever stay alike keep their order.
    #[must_use]
    pub fn in_order_of_counts(&self) -> (Self, Vec<u32>) {
        /// So many steps around a cluster are looked at.
        const STEPS: usize = 8;
        let mut around: Vec<Vec<(u32, u64)>> = vec![Vec::new(); self.clusters()];
        for between in self.between.iter().filter(|between| between.edges > 0) {
            let [left, right] = between.clusters;
            if let (Some(_), Some(own)) = (self.sizes.get(right as usize), around.get_mut(left as usize)) {
                own.push((right, between.edges));
            }
            if let (Some(_), Some(own)) = (self.sizes.get(left as usize), around.get_mut(right as usize)) {
                own.push((left, between.edges));
            }
        }
        let own: Vec<(u32, u64)> = self.sizes.iter().copied().zip(self.inner.iter().copied()).collect();
        let (mut classes, mut count) = ranks(&own);
        for _ in 0..STEPS {
            let seen: Vec<(u32, Vec<(u64, u32)>)> = (classes.iter().zip(&around))
                .map(|(&class, around)| {
                    let mut others: Vec<(u64, u32)> =
                        around.iter().map(|&(other, edges)| (edges, classes[other as usize])).collect();
                    others.sort_unstable();
                    (class, others)
                })
                .collect();
            let (finer, found) = ranks(&seen);
            if found == count {
                break;
            }
            (classes, count) = (finer, found);
        }
        let mut order: Vec<u32> = (0..self.clusters() as u32).collect();
        order.sort_by_key(|&cluster| classes[cluster as usize]);
        let mut place = vec![0; order.len()];
        for (at, &cluster) in order.iter().enumerate() {
            place[cluster as usize] = at as u32;
        }
        let mut between: Vec<Between> = self
            .between
            .iter()
            .map(|between| {
                let mut clusters =
                    between.clusters.map(|cluster| place.get(cluster as usize).copied().unwrap_or(cluster));
                clusters.sort_unstable();
                Between { clusters, edges: between.edges }
            })
            .collect();
        between.sort_unstable();
        let picked = Self {
            sizes: order.iter().map(|&cluster| self.sizes[cluster as usize]).collect(),
            inner: order.iter().map(|&cluster| self.inner[cluster as usize]).collect(),
            between,
            ..Self::default()
        };
        (picked, place)
    }

    /// The first thing that is wrong with it, if anything is.
    pub fn fault(&self) -> Option<Fault> {
        let clusters = self.clusters() as u32;
        let mut seen: Vec<([u32; 2], usize)> = Vec::with_capacity(self.between.len());
        for (at, between) in self.between.iter().enumerate() {
            let [left, right] = between.clusters;
            if left >= clusters || right >= clusters {
                return Some(Fault::UnknownCluster(at));
            }
            if left == right {
                return Some(Fault::Twice(at));
            }
            if between.edges > self.block(between).pairs {
                return Some(Fault::TooManyBetween(at));
            }
            seen.push(([left.min(right), left.max(right)], at));
        }
        seen.sort_unstable();
        if let Some(twice) = seen.windows(2).filter(|two| two[0].0 == two[1].0).map(|two| two[1].1).min() {
            return Some(Fault::Twice(twice));
        }
        let too_many =
            |&cluster: &u32| self.inner[cluster as usize] > pairs_of(u64::from(self.sizes[cluster as usize]));
        if let Some(cluster) = (0..clusters).find(too_many) {
            return Some(Fault::TooManyInside(cluster));
        }
        for (at, values) in self.values.iter().enumerate() {
            let mut counted = vec![0u64; self.clusters()];
            for &(cluster, _, count) in &values.counts {
                match counted.get_mut(cluster as usize) {
                    Some(sum) => *sum += u64::from(count),
                    None => return Some(Fault::OtherCount(at, cluster)),
                }
            }
            let differs = |&cluster: &usize| counted[cluster] != u64::from(self.sizes[cluster]);
            if let Some(cluster) = (0..self.clusters()).find(differs) {
                return Some(Fault::OtherCount(at, cluster as u32));
            }
        }
        None
    }

    /// Refuses counts that cannot be.
    pub fn refuse_fault(&self) -> Result<()> {
        match self.fault() {
            None => Ok(()),
            Some(fault) => Err(Error::data(format!("the masked network cannot be: {}", fault.in_words()))
                .with_hint("`throng check` says which cluster it is")),
        }
    }

    /// The clusters in another order: the first is the one that comes first in `order`, and so on. Pairs are brought into the order of
    /// their new numbers, the lower one first.
    #[must_use]
    pub fn in_order(&self, order: &[u32]) -> Self {
        let mut number = vec![UNKNOWN; self.clusters()];
        (0u32..).zip(order).for_each(|(new, &old)| number[old as usize] = new);
        self.of_clusters(order, &number)
    }

    /// Some clusters, each with its new number, or [`UNKNOWN`]; edges to others are left out.
    pub(super) fn of_clusters(&self, order: &[u32], number: &[u32]) -> Self {
        let renamed = |between: &Between| {
            let [left, right] =
                between.clusters.map(|cluster| number.get(cluster as usize).copied().unwrap_or(UNKNOWN));
            let clusters = [left.min(right), left.max(right)];
            (clusters[1] != UNKNOWN).then_some(Between { clusters, ..*between })
        };
        let mut between: Vec<Between> = self.between.iter().filter_map(renamed).collect();
        between.sort_unstable();
        let cells = |column: &Column| Column {
            cells: order.iter().map(|&cluster| column.cells[cluster as usize]).collect(),
            ..column.clone()
        };
        let values = |values: &ValueCounts| {
            let renamed = values.counts.iter().filter_map(|&(cluster, value, count)| {
                let new = number.get(cluster as usize).copied().filter(|&new| new != UNKNOWN)?;
                Some((new, value, count))
            });
            ValueCounts::new(values.column.clone(), renamed.collect())
        };
        Self {
            sizes: order.iter().map(|&cluster| self.sizes[cluster as usize]).collect(),
            inner: order.iter().map(|&cluster| self.inner[cluster as usize]).collect(),
            between,
            cells: self.cells.iter().map(cells).collect(),
            values: self.values.iter().map(values).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masked() -> Masked {
        Masked {
            sizes: vec![3, 2],
            inner: vec![3, 0],
            between: vec![Between { clusters: [0, 1], edges: 2 }],
            ..Masked::default()
        }
    }

    #[test]
    fn blocks_have_pairs_and_losses() {
        let masked = masked();
        assert_eq!((masked.nodes(), masked.edges(), masked.fault()), (5, 5, None));
        let blocks: Vec<Block> = masked.blocks().collect();
        assert_eq!(blocks.iter().map(|block| block.pairs).collect::<Vec<_>>(), [3, 1, 6]);
        assert_eq!(blocks[0].loss(), 0.0);
        assert!((blocks[2].loss() - 8.0 / 3.0).abs() < 1e-12);
        let turned = masked.in_order(&[1, 0]);
        assert_eq!((turned.sizes, turned.between[0].clusters), (vec![2, 3], [0, 1]));
    }

    #[test]
    fn what_cannot_be_is_found() {
        let with = |between: &[([u32; 2], u64)], inner: [u64; 2]| {
            let between = between.iter().map(|&(clusters, edges)| Between { clusters, edges }).collect();
            Masked { between, inner: inner.to_vec(), ..masked() }.fault()
        };
        assert_eq!(with(&[([0, UNKNOWN], 1)], [0, 0]), Some(Fault::UnknownCluster(0)));
        assert_eq!(with(&[([0, 1], 1), ([1, 0], 1)], [0, 0]), Some(Fault::Twice(1)));
        assert_eq!(with(&[([1, 1], 1)], [0, 0]), Some(Fault::Twice(0)));
        assert_eq!(with(&[([0, 1], 7)], [0, 0]), Some(Fault::TooManyBetween(0)));
        assert_eq!(with(&[], [3, 2]), Some(Fault::TooManyInside(1)));
    }
}
