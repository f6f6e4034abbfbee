//! Edge confidence: nobody can be surer of an edge than c.
//!
//! Paper      Ours. A masked network says of every block how many of its pairs are edges; Campan and Truta do not mention what a
//!            full one gives away.
//! Promises   in every block at most the share c of the pairs is published as edges.
//! Does not   say that there are edges where few are published: an empty block proves that there is none. A count at the cap may be a
//!            lowered one: whoever knows the rule reads it as "so many or more".
//!
//! # Formula
//! e_aa / (|a| (|a| - 1) / 2) <= c and e_ab / (|a| |b|) <= c for every block. What is achieved is the greatest density.
//!
//! # Cost
//! Time O(blocks).

use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use super::on_classes::check_share;
use super::{Model, Verdict, Witness};
use crate::data::Graph;
use crate::data::graph::masked::Block;
use crate::error::Result;
use crate::info::{Info, Parameter, ParameterKind};

/// The card.
pub const INFO: Info = Info {
    name: "edge-confidence",
    summary: "no block of a masked network is published with a greater share of edges than c",
    paper: "ours",
    details: "A block is a cluster with itself, or two clusters; its density is its published edges by its pairs of nodes. No block is \
        denser than c; `achieved.c` is the greatest density, and the witness is a block.\n\
        Promises: whoever takes the release at its word is never surer than c that two persons are neighbours.\n\
        Does not promise: anything about persons who are not neighbours: an empty block proves it. Counts may have been lowered to hold c \
        (`accounting.blocks_lowered`): whoever knows that reads a count at the cap as so many or more.",
    parameters: &[Parameter {
        name: "c",
        summary: "how sure of an edge anybody may be, at most",
        kind: ParameterKind::Share,
        default: "0.9",
    }],
};

/// What the model can be told.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// The greatest density.
    pub c: f64,
}

impl Default for Params {
    fn default() -> Self {
        Self { c: 0.9 }
    }
}

/// The model with checked parameters.
#[derive(Debug, Clone, Copy)]
pub struct EdgeConfidence {
    c: f64,
}

impl EdgeConfidence {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        check_share("c", params.c)?;
        Ok(Self { c: params.c })
    }
}

impl Model<Graph> for EdgeConfidence {
    fn check(&self, data: &Graph) -> Result<Verdict> {
        let masked = data.as_masked()?;
        masked.refuse_fault()?;
        let mut densest: Option<Block> = None;
        for block in masked.blocks() {
            if densest.is_none_or(|other| block.density() > other.density()) {
                densest = Some(block);
            }
        }
        let reach = densest.map_or(0.0, |block| block.density());
        let holds = reach <= self.c;
        let witness = densest.filter(|_| !holds).map(|block| {
            let [left, right] = block.clusters;
            let size = masked.sizes[left as usize] as usize;
            let mut witness = Witness::of_group(left, size);
            witness.numbers.insert("other".into(), json!(data.names_of(right)));
            witness.numbers.insert("edges".into(), json!(block.edges));
            witness.numbers.insert("pairs".into(), json!(block.pairs));
            witness
        });
        Ok(Verdict { holds, achieved: Map::from_iter([("c".to_owned(), json!(reach))]), witness })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::graph::{Between, Masked};

    #[test]
    fn the_densest_block_is_the_witness() {
        let between = vec![Between { clusters: [0, 1], edges: 11 }];
        let masked = Masked { sizes: vec![3, 4], inner: vec![1, 0], between, ..Masked::default() };
        let data = Graph::of_masked(["p", "q"].into_iter().collect(), masked);
        let check = |c: f64| EdgeConfidence::new(Params { c }).unwrap().check(&data).unwrap();
        assert!(check(0.92).holds);
        let fails = check(0.9);
        assert_eq!(fails.achieved["c"], json!(11.0 / 12.0));
        let witness = fails.witness.unwrap();
        assert_eq!((witness.person, &witness.numbers["other"]), (0, &json!("q")));
        assert!(EdgeConfidence::new(Params { c: 0.0 }).is_err());
    }
}
