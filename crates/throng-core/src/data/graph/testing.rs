//! Small graphs for tests, the nine nodes of the paper among them.

use proptest::prelude::*;

use super::Graph;
use crate::data::table::Table;
use crate::data::table::testing::{table, with_hierarchies};

/// A graph of so many nodes `n0`, `n1` and so on.
pub(crate) fn graph(nodes: usize, pairs: &[(u32, u32)]) -> Graph {
    let names: Vec<String> = (0..nodes).map(|node| format!("n{node}")).collect();
    Graph::of_pairs(names.iter().map(String::as_str).collect(), pairs.to_vec()).0
}

/// A random graph.
pub(crate) fn random(most: usize) -> impl Strategy<Value = Graph> {
    (2..=most).prop_flat_map(|nodes| {
        prop::collection::vec((0..nodes as u32, 0..nodes as u32), 0..=3 * nodes)
            .prop_map(move |pairs| graph(nodes, &pairs))
    })
}

/// Table 1 of the paper.
pub(crate) fn nine_rows() -> Table {
    let nine = table(
        "age:q zip:q gender:q",
        &[
            "25 41076 male",
            "25 41075 male",
            "27 41076 male",
            "35 41099 male",
            "38 48201 female",
            "36 41075 female",
            "30 41099 male",
            "28 41099 male",
            "33 41075 female",
        ],
    );
    let zip = "41075;410**;*****\n41076;410**;*****\n41099;410**;*****\n48201;482**;*****\n";
    with_hierarchies(nine, &[("zip", zip), ("gender", "male;*\nfemale;*\n")])
}

/// The nine nodes of the paper with the derived edges of reading N1.
pub(crate) fn nine() -> Graph {
    let edges = [(1, 2), (1, 3), (2, 3), (1, 4), (4, 5), (4, 6), (4, 7), (4, 8), (4, 9), (5, 6)];
    graph(9, &edges.map(|(from, to)| (from - 1, to - 1))).with_attributes(Some(nine_rows())).unwrap()
}
