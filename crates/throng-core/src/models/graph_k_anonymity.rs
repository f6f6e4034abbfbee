//! k-anonymity of graphs: every cluster of a masked network has at least k nodes, and what it says of edges can be.
//!
//! Paper      Campan, Truta. Data and structural k-anonymity in social networks. PinKDD 2008, definition 3.
//! Promises   whoever knows what a person's neighbourhood looks like, and all quasi columns, is left with at least k persons.
//! Does not   hide edges: a full block gives every one of its edges away (`edge-confidence`).
//!
//! # Formula
//! |cl| >= k for every cluster; edges <= pairs in every block; every pair of clusters once; no cluster that is not there.
//! Of a graph of single nodes, k is the smallest number of nodes that have as many neighbours.
//!
//! # Cost
//! Time O(blocks log blocks).

use serde_json::{Map, json};

use super::k_anonymity::{EqualRecords as _, Params};
use super::{Model, Verdict, Witness};
use crate::data::graph::masked::Fault;
use crate::data::{Dataset as _, Graph};
use crate::error::{Error, Result};
use crate::info::{self, Info};

/// The card.
pub const INFO: Info = Info {
    name: "graph-k-anonymity",
    summary: "every cluster of a masked network has at least k nodes",
    paper: "Campan, Truta. Data and structural k-anonymity in social networks. PinKDD 2008",
    details: "Every cluster of the masked network has at least k nodes; no block has more edges than pairs of nodes; every pair of \
        clusters stands once, and no cluster is named that is not there. It reads the release alone, whoever made it.\n\
        Of a graph that is no masked network it says how many nodes have as many neighbours: `achieved.k` by degree, and the shares of nodes \
        that are alone by their degree (`alone_by_degree`) and by the sorted degrees of their neighbours (`alone_by_neighbours`).\n\
        Promises: whoever knows all edges around a person, and all quasi columns, is left with at least k persons.\n\
        Does not promise: that edges stay unknown. A full block gives all its edges away, an empty one that there are none: see \
        edge-confidence.",
    parameters: &[info::K],
};

/// The model with checked parameters.
#[derive(Debug, Clone, Copy)]
pub struct GraphKAnonymity {
    k: usize,
}

impl GraphKAnonymity {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        if params.k < 2 {
            return Err(Error::parameter("k", format!("is {}, but must be at least 2", params.k))
                .with_hint("every graph is 1-anonymous: there is nothing to check"));
        }
        Ok(Self { k: params.k })
    }
}

impl Model<Graph> for GraphKAnonymity {
    fn check(&self, data: &Graph) -> Result<Verdict> {
        let Some(masked) = data.masked() else { return Ok(self.plain(data)) };
        let smallest = (0u32..).zip(&masked.sizes).map(|(cluster, &size)| (size as usize, cluster)).min();
        let k = smallest.map_or(0, |(size, _)| size);
        let mut achieved = Map::from_iter([("k".to_owned(), json!(k))]);
        let fault = masked.fault();
        let mut witness = smallest.filter(|_| k < self.k).map(|(size, cluster)| Witness::of_group(cluster, size));
        if let Some(fault) = fault {
            let cluster = match fault {
                Fault::UnknownCluster(at) | Fault::Twice(at) | Fault::TooManyBetween(at) => {
                    let clusters = masked.between[at].clusters;
                    clusters.into_iter().filter(|&cluster| (cluster as usize) < masked.clusters()).min().unwrap_or(0)
                }
                Fault::TooManyInside(cluster) | Fault::OtherCount(_, cluster) => cluster,
            };
            let size = masked.sizes.get(cluster as usize).map_or(0, |&size| size as usize);
            let mut shown = Witness::of_group(cluster, size);
            shown.numbers.insert("fault".into(), json!(fault.in_words()));
            if let Fault::UnknownCluster(at) | Fault::Twice(at) | Fault::TooManyBetween(at) = fault {
                shown.numbers.insert("pair".into(), json!(at + 1));
            }
            achieved.insert("possible".to_owned(), json!(false));
            witness = Some(shown);
        }
        Ok(Verdict { holds: k >= self.k && fault.is_none(), achieved, witness })
    }
}

impl GraphKAnonymity {
    /// Of a graph of single nodes: who has as many neighbours as whom.
    fn plain(&self, graph: &Graph) -> Verdict {
        let groups = graph.groups();
        let smallest = groups.iter().map(|group| (group.len(), group[0])).min();
        let k = smallest.map_or(0, |(size, _)| size);
        let [degree, neighbours] = alone(graph);
        let achieved = Map::from_iter([
            ("k".to_owned(), json!(k)),
            ("alone_by_degree".to_owned(), json!(degree)),
            ("alone_by_neighbours".to_owned(), json!(neighbours)),
        ]);
        let holds = k >= self.k;
        let witness = smallest.filter(|_| !holds).map(|(size, node)| Witness::of_group(node, size));
        Verdict { holds, achieved, witness }
    }
}

/// The share of nodes that are alone by their degree, and by the sorted degrees of their neighbours.
pub fn alone(graph: &Graph) -> [f64; 2] {
    let nodes = graph.persons();
    let share = |keys: Vec<Vec<u32>>| {
        let mut keys = keys;
        keys.sort_unstable();
        let alone = keys.chunk_by(|one, other| one == other).filter(|same| same.len() == 1).count();
        alone as f64 / nodes.max(1) as f64
    };
    let degrees = (0..nodes as u32).map(|node| vec![graph.degree(node) as u32]).collect();
    let around = (0..nodes as u32).map(|node| neighbour_degrees(graph, node)).collect();
    [share(degrees), share(around)]
}

/// The degrees of a node's neighbours, sorted.
pub fn neighbour_degrees(graph: &Graph, node: u32) -> Vec<u32> {
    let mut degrees: Vec<u32> = graph.neighbours(node).iter().map(|&other| graph.degree(other) as u32).collect();
    degrees.sort_unstable();
    degrees
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::graph::testing::graph;
    use crate::data::graph::{Between, Masked};

    fn check(k: usize, sizes: &[u32], inner: &[u64], between: &[([u32; 2], u64)]) -> Verdict {
        let between = between.iter().map(|&(clusters, edges)| Between { clusters, edges }).collect();
        let masked = Masked { sizes: sizes.to_vec(), inner: inner.to_vec(), between, ..Masked::default() };
        let names = (0..sizes.len()).map(|at| at.to_string()).collect::<Vec<_>>();
        let data = Graph::of_masked(names.iter().map(String::as_str).collect(), masked);
        GraphKAnonymity::new(Params { k }).unwrap().check(&data).unwrap()
    }

    #[test]
    fn sizes_and_counts() {
        let good = check(3, &[3, 4], &[3, 0], &[([0, 1], 12)]);
        assert!(good.holds && good.achieved["k"] == 3);
        let small = check(4, &[3, 4], &[3, 0], &[]);
        assert!(!small.holds && small.witness.unwrap().group_size == 3);
        for between in [[([0, 1], 13)], [([0, 2], 1)], [([1, 1], 1)]] {
            let bad = check(3, &[3, 4], &[3, 0], &between);
            assert!(!bad.holds && bad.witness.unwrap().numbers["pair"] == 1);
        }
        assert!(!check(3, &[3, 4], &[4, 0], &[]).holds);
        assert!(!check(3, &[3, 4], &[0, 0], &[([0, 1], 1), ([1, 0], 1)]).holds);
    }

    #[test]
    fn single_nodes_by_their_degrees() {
        let path = graph(5, &[(0, 1), (1, 2), (2, 3), (3, 4)]);
        let verdict = GraphKAnonymity::new(Params { k: 2 }).unwrap().check(&path).unwrap();
        assert!(verdict.holds);
        assert_eq!(verdict.achieved["alone_by_neighbours"], 0.2);
    }
}
