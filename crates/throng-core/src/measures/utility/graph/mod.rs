//! Measures of masked networks: what is lost of attributes and of edges, and what a random graph with the published counts keeps.

pub mod clustering_kept;
pub mod degree_change;
pub mod edges_kept;
mod expanded;
pub mod generalisation_loss;
pub mod paths_kept;
pub mod structural_loss;
pub mod structure_lost;

use crate::data::Graph;
use crate::data::graph::masked::pairs_of;
use crate::error::Result;

/// What a masked network loses of the edges.
struct Structure {
    /// Expected wrong pairs inside clusters, and between them, where pairs are guessed by the published shares.
    intra: f64,
    inter: f64,
    /// Edges that no count shows: both the edge and the pair that is taken for one are wrong.
    withheld: f64,
    /// Nodes and edges of the original.
    nodes: f64,
    edges: f64,
}

impl Structure {
    fn of(original: &Graph, release: &Graph) -> Result<Self> {
        original.refuse_masked()?;
        let masked = release.as_masked()?;
        let (mut intra, mut inter) = (0.0, 0.0);
        for block in masked.blocks().filter(|block| block.edges > 0) {
            let [left, right] = block.clusters;
            *(if left == right { &mut intra } else { &mut inter }) += block.loss();
        }
        let edges = original.edges() as f64;
        let withheld = 2.0 * (edges - masked.edges() as f64).max(0.0);
        Ok(Self { intra, inter, withheld, nodes: original.nodes() as f64, edges })
    }

    fn sil(&self) -> f64 {
        self.intra + self.inter + self.withheld
    }

    /// SIL by half of all pairs, which is that of a graph in which every second pair is an edge.
    fn nsil(&self) -> f64 {
        let half = self.nodes * (self.nodes - 1.0) / 4.0;
        if half > 0.0 { self.sil() / half } else { 0.0 }
    }

    /// SIL of one cluster of all nodes, the worst partition.
    fn worst(&self) -> f64 {
        let pairs = pairs_of(self.nodes as u64) as f64;
        if pairs > 0.0 { 2.0 * self.edges * (1.0 - self.edges / pairs) } else { 0.0 }
    }

    /// SIL by that of the worst partition; nothing lost where there is nothing to lose.
    fn lost(&self) -> f64 {
        // What rounding leaves of nothing is nothing.
        let worst = self.worst();
        if worst > 1e-9 { (self.sil() / worst).min(1.0) } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::CONTEXT;
    use super::super::super::{Measure, Measured, Pair};
    use super::*;
    use crate::data::graph::testing::{graph, nine};
    use crate::methods::Method as _;
    use crate::methods::graph::sangreea::{Params, Sangreea};
    use crate::progress::Silent;
    use crate::rng::Rng;

    fn measure(measure: &dyn Measure<Graph>, original: &Graph, release: &Graph) -> Measured {
        let pair = Pair { original, release, multiplicity: Vec::new(), link: None };
        measure.measure(&pair, &CONTEXT).unwrap()
    }

    fn protect(graph: &Graph, k: usize, alpha: f64) -> Graph {
        let method = Sangreea::new(Params { k, alpha, beta: 1.0 - alpha, exact: true }).unwrap();
        method.protect(graph, &mut Rng::seeded(1), &Silent).unwrap().records
    }

    /// As printed: cut after three decimals (reading N8).
    fn cut(value: f64) -> f64 {
        (value * 1000.0 + 1e-9).floor() / 1000.0
    }

    /// Table 2, from the release alone: labels and intervals as they are published.
    #[test]
    fn table_2_of_the_paper() {
        let nine = nine();
        for (alpha, gil, ngil, sil, nsil) in [(1.0, 7.730, 0.286, 8.444, 0.469), (0.0, 14.307, 0.529, 5.777, 0.320)] {
            let release = protect(&nine, 3, alpha);
            let loss = measure(&generalisation_loss::GeneralisationLoss, &nine, &release);
            assert_eq!((cut(loss.parts["gil"].as_f64().unwrap()), cut(loss.value.unwrap())), (gil, ngil));
            let loss = measure(&structural_loss::StructuralLoss, &nine, &release);
            assert_eq!((cut(loss.parts["sil"].as_f64().unwrap()), cut(loss.value.unwrap())), (sil, nsil));
            let lost = measure(&structure_lost::StructureLost, &nine, &release).value.unwrap();
            // 20 (1 - 10 / 36) = 14.444: the worst partition.
            assert!((lost - loss.parts["sil"].as_f64().unwrap() / (20.0 * 26.0 / 36.0)).abs() < 1e-12);
        }
    }

    /// With the link between persons and clusters.
    fn measure_linked(measure: &dyn Measure<Graph>, original: &Graph, k: usize) -> Measured {
        let method = Sangreea::new(Params { k, alpha: 0.0, beta: 1.0, exact: true }).unwrap();
        let protected = method.protect(original, &mut Rng::seeded(1), &Silent).unwrap();
        let (release, link) = (&protected.records, Some(protected.record_of.clone()));
        let pair = Pair { original, release, multiplicity: Vec::new(), link };
        measure.measure(&pair, &CONTEXT).unwrap()
    }

    /// Two triangles that nothing joins are published as they are: every expansion is the graph itself.
    #[test]
    fn expansions_of_full_blocks_keep_everything() {
        let two = graph(6, &[(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5)]);
        let value = |measure: &dyn Measure<Graph>| measure_linked(measure, &two, 3).value;
        assert_eq!(value(&degree_change::DegreeChange), Some(0.0));
        assert_eq!(value(&clustering_kept::ClusteringKept), Some(1.0));
        assert_eq!(value(&edges_kept::EdgesKept), Some(1.0));
        let paths = measure_linked(&paths_kept::PathsKept, &two, 3);
        assert_eq!((paths.value, paths.parts["steps"]["after"].as_f64()), (Some(1.0), Some(1.0)));
        // Of two in the same triangle one of three is drawn, and two of five pairs are joined.
        let reachable = paths.parts["reachable"]["after"].as_f64().unwrap();
        assert!((reachable - 0.4).abs() < 0.1, "{reachable}");
    }

    /// A star in one cluster: 5 of 15 pairs are drawn, so a third of the edges is there on average, and everybody has 10 / 6 neighbours.
    #[test]
    fn expansions_of_a_star() {
        let star = graph(6, &[(0, 1), (0, 2), (0, 3), (0, 4), (0, 5)]);
        let kept = measure_linked(&edges_kept::EdgesKept, &star, 6).value.unwrap();
        assert!((kept - 1.0 / 3.0).abs() < 1e-12);
        let sil = measure_linked(&structural_loss::StructuralLoss, &star, 6).parts["sil"].as_f64().unwrap();
        assert!((kept - (1.0 - sil / 10.0)).abs() < 1e-12);
        let change = measure_linked(&degree_change::DegreeChange, &star, 6);
        let [by_person, apart] = ["by_person", "distributions"].map(|part| change.parts[part].as_f64().unwrap());
        assert!(apart <= by_person && change.value == Some(by_person) && by_person > 0.5, "{change:?}");
        let clustering = measure_linked(&clustering_kept::ClusteringKept, &star, 6);
        assert_eq!(clustering.parts["local"]["before"].as_f64(), Some(0.0));
    }

    #[test]
    fn nothing_and_everything() {
        let full: Vec<(u32, u32)> = (0..6).flat_map(|left| (left + 1..6).map(move |right| (left, right))).collect();
        for pairs in [&[][..], &full] {
            let graph = graph(6, pairs);
            let release = protect(&graph, 6, 0.0);
            assert_eq!(measure(&structure_lost::StructureLost, &graph, &release).value, Some(0.0));
            assert_eq!(measure(&generalisation_loss::GeneralisationLoss, &graph, &release).value, None);
        }
        // One cluster of all loses everything.
        let path = graph(6, &[(0, 1), (1, 2), (2, 3)]);
        assert_eq!(measure(&structure_lost::StructureLost, &path, &protect(&path, 6, 0.0)).value, Some(1.0));
        // A graph of single nodes has no clusters.
        let pair = Pair { original: &path, release: &path, multiplicity: Vec::new(), link: None };
        assert!(structure_lost::StructureLost.measure(&pair, &CONTEXT).is_err());
    }
}
