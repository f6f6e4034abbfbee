//! Models of tables on masked networks: a cluster is a class, and its sensitive values are those that are counted for it.
//!
//! # Idea
//! The counted values are laid out as a table with a row for each node, whose only quasi column is the cluster: what a model asks of
//! every class of a table it asks so of every cluster, with the same code.
//!
//! # Cost
//! Time and memory O(nodes x columns).

use std::sync::Arc;

use super::on_classes::{self, ClassModel};
use super::{Model, ModelWithOriginal, Verdict, Witness};
use crate::data::table::{Column, ColumnRole, ColumnType, Table};
use crate::data::{Graph, Strings};
use crate::error::{Error, Result};
use crate::models::confidence::Confidence;
use crate::models::l_diversity::LDiversity;
use crate::models::t_closeness::TCloseness;

/// The name of the column of clusters. No column of a file can have it.
const CLUSTER: &str = "\u{0}cluster";

/// The sensitive and plain values of the nodes of a masked network, by cluster.
fn laid_out(data: &Graph) -> Result<Table> {
    let masked = data.as_masked()?;
    masked.refuse_fault()?;
    let names: Vec<String> = (0..masked.clusters()).map(|cluster| cluster.to_string()).collect();
    let names: Strings = names.iter().map(String::as_str).collect();
    let of = (0u32..).zip(&masked.sizes).flat_map(|(cluster, &size)| std::iter::repeat_n(cluster, size as usize));
    let mut columns = vec![Column {
        name: CLUSTER.to_owned(),
        role: ColumnRole::Quasi,
        kind: ColumnType::Text,
        values: Arc::new(names),
        cells: of.collect(),
        hierarchy: None,
        settings: Arc::default(),
    }];
    for values in &masked.values {
        let cells = values.counts.iter().flat_map(|&(_, value, count)| std::iter::repeat_n(value, count as usize));
        columns.push(Column { cells: cells.collect(), ..values.column.clone() });
    }
    Ok(Table::of_rows(columns))
}

/// Checks a model on every cluster; shares are those of the release itself, or of the original's nodes.
fn check(model: &dyn ClassModel, release: &Graph, original: Option<&Graph>) -> Result<Verdict> {
    let table = laid_out(release)?;
    let reference = match original {
        None => None,
        Some(original) => Some(original.attributes().ok_or_else(|| {
            Error::refused(format!("{} is about sensitive columns, and the nodes have none", model.name()))
        })?),
    };
    let mut verdict = on_classes::check(model, &table, reference.unwrap_or(&table))?;
    verdict.witness = verdict.witness.map(|witness| {
        let cluster = table.columns()[0].cells[witness.person as usize];
        Witness { person: cluster, ..witness }
    });
    Ok(verdict)
}

macro_rules! on_clusters {
    ($model:ident) => {
        impl Model<Graph> for $model {
            fn check(&self, data: &Graph) -> Result<Verdict> {
                check(self, data, None)
            }

            fn on_classes(&self) -> Option<Arc<dyn ClassModel>> {
                Some(Arc::new(self.clone()))
            }
        }

        impl ModelWithOriginal<Graph> for $model {
            fn check(&self, original: &Graph, release: &Graph) -> Result<Verdict> {
                check(self, release, Some(original))
            }

            fn value<'a>(&self, _release: &'a Graph, _witness: &Witness) -> Option<&'a str> {
                None
            }
        }
    };
}
on_clusters!(LDiversity);
on_clusters!(TCloseness);
on_clusters!(Confidence);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::graph::{Masked, ValueCounts};
    use crate::models::{confidence, l_diversity};

    #[test]
    fn a_cluster_is_a_class() {
        let illness = Column::new("illness", ColumnRole::Sensitive, ["flu", "gout"].into_iter());
        let values = vec![ValueCounts::new(illness, vec![(0, 0, 1), (0, 1, 2), (1, 0, 3)])];
        let masked = Masked { sizes: vec![3, 3], inner: vec![0, 0], values, ..Masked::default() };
        let data = Graph::of_masked(["p", "q"].into_iter().collect(), masked);
        let diverse = LDiversity::new(l_diversity::Params { l: 2.0, ..Default::default() }).unwrap();
        let verdict = Model::<Graph>::check(&diverse, &data).unwrap();
        assert!(!verdict.holds && verdict.witness.unwrap().person == 1);
        let sure = Confidence::new(confidence::Params { h: 1.0, ..Default::default() }).unwrap();
        let verdict = Model::<Graph>::check(&sure, &data).unwrap();
        assert!(verdict.holds && verdict.achieved["h"] == 1);
    }
}
