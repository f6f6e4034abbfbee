//! Writing graphs and masked networks.

use std::io::Write;

use serde_json::{Map, Value as Json, json};
use throng_core::data::graph::Masked;
use throng_core::data::table::ColumnType;
use throng_core::data::{Dataset as _, Graph};
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::super::cells::Cells;
use super::super::fields::write::{Column, RowSource, RowWriter, Sort, Value};
use super::super::write::{Person, compress, failed};
use super::super::xml::escaped;
use super::super::{Format, FormatKind};
use super::graphml::COUNTED;
use super::masked::{EDGE_COLUMNS, VALUE_COLUMNS};
use super::{CLUSTER_COLUMNS, EDGE_COUNT, MARK};

/// Edges in a piece, about.
const PIECE: usize = 1 << 14;

/// The files of a masked network.
#[derive(Debug)]
pub(crate) struct MaskedTables {
    /// The clusters.
    pub(crate) nodes: Vec<u8>,
    /// The edges between them.
    pub(crate) edges: Vec<u8>,
    /// Counted values, if any column has them.
    pub(crate) values: Option<Vec<u8>>,
}

/// The files of a masked network whose clusters have these names, in the order in which they are given.
pub(crate) fn tables_of_masked(
    names: &[&str],
    masked: &Masked,
    format: Format,
    raw_cells: bool,
) -> Result<MaskedTables> {
    let cells = Cells::of(format, raw_cells);
    let row = |texts: &mut dyn Iterator<Item = &str>, out: &mut Vec<u8>| {
        for (at, text) in texts.enumerate() {
            if at > 0 {
                out.push(cells.separator());
            }
            cells.push(text.as_bytes(), out);
        }
        out.push(b'\n');
    };
    let packed = |text: Vec<u8>| compress(text, format.compression).map_err(failed);
    let mut nodes = Vec::new();
    let quasi = masked.cells.iter().map(|column| column.name.as_str());
    row(&mut CLUSTER_COLUMNS.into_iter().chain(quasi), &mut nodes);
    for (at, name) in names.iter().enumerate() {
        let (size, inner) = (masked.sizes[at].to_string(), masked.inner[at].to_string());
        let quasi = masked.cells.iter().map(|column| column.text(at));
        row(&mut [*name, &size, &inner].into_iter().chain(quasi), &mut nodes);
    }
    let mut edges = Vec::new();
    row(&mut EDGE_COLUMNS.into_iter(), &mut edges);
    for between in &masked.between {
        let [left, right] = between.clusters.map(|cluster| names[cluster as usize]);
        row(&mut [left, right, &between.edges.to_string()].into_iter(), &mut edges);
    }
    let mut values = None;
    if !masked.values.is_empty() {
        let mut text = Vec::new();
        row(&mut VALUE_COLUMNS.into_iter(), &mut text);
        for (cluster, name) in names.iter().enumerate() {
            for own in &masked.values {
                for (value, count) in counts_of(own, cluster as u32) {
                    row(&mut [*name, &own.column.name, value, &count.to_string()].into_iter(), &mut text);
                }
            }
        }
        values = Some(packed(text)?);
    }
    Ok(MaskedTables { nodes: packed(nodes)?, edges: packed(edges)?, values })
}

/// The values of a cluster in the order of their texts: that of the file says who came first.
fn counts_of(values: &throng_core::data::graph::ValueCounts, cluster: u32) -> Vec<(&str, u32)> {
    let mut counts: Vec<(&str, u32)> =
        values.of_cluster(cluster).map(|(value, count)| (values.column.values.get(value), count)).collect();
    counts.sort_unstable();
    counts
}

fn begin(out: &mut String) {
    out.push_str(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n",
    );
}

fn key(out: &mut String, id: &str, of: &str, name: &str, kind: &str) {
    let name = escaped(name);
    out.push_str(&format!("  <key id=\"{id}\" for=\"{of}\" attr.name=\"{name}\" attr.type=\"{kind}\"/>\n"));
}

fn data(out: &mut String, key: &str, text: &str) {
    out.push_str(&format!("<data key=\"{key}\">{}</data>", escaped(text)));
}

/// A masked network as GraphML: clusters are nodes, and counted values objects of JSON.
pub(crate) fn graphml_of_masked(names: &[&str], masked: &Masked, format: Format) -> Result<Vec<u8>> {
    let mut out = String::new();
    begin(&mut out);
    key(&mut out, MARK.0, "graph", MARK.0, "string");
    key(&mut out, "size", "node", "size", "int");
    key(&mut out, "inner", "node", EDGE_COUNT, "int");
    for (at, column) in masked.cells.iter().enumerate() {
        key(&mut out, &format!("quasi{at}"), "node", &column.name, "string");
    }
    for (at, values) in masked.values.iter().enumerate() {
        key(&mut out, &format!("{COUNTED}{at}"), "node", &values.column.name, "string");
    }
    key(&mut out, "between", "edge", EDGE_COUNT, "int");
    out.push_str("  <graph edgedefault=\"undirected\">\n    ");
    data(&mut out, MARK.0, MARK.1);
    out.push('\n');
    for (cluster, name) in names.iter().enumerate() {
        out.push_str(&format!("    <node id=\"{}\">", escaped(name)));
        data(&mut out, "size", &masked.sizes[cluster].to_string());
        data(&mut out, "inner", &masked.inner[cluster].to_string());
        for (at, column) in masked.cells.iter().enumerate() {
            data(&mut out, &format!("quasi{at}"), column.text(cluster));
        }
        for (at, values) in masked.values.iter().enumerate() {
            let counts = counts_of(values, cluster as u32).into_iter();
            let counts: Map<String, Json> = counts.map(|(value, count)| (value.to_owned(), json!(count))).collect();
            data(&mut out, &format!("{COUNTED}{at}"), &Json::Object(counts).to_string());
        }
        out.push_str("</node>\n");
    }
    for between in &masked.between {
        let [left, right] = between.clusters.map(|cluster| escaped(names[cluster as usize]));
        out.push_str(&format!("    <edge source=\"{left}\" target=\"{right}\">"));
        data(&mut out, "between", &between.edges.to_string());
        out.push_str("</edge>\n");
    }
    out.push_str("  </graph>\n</graphml>\n");
    compress(out.into_bytes(), format.compression).map_err(failed)
}

/// A graph of single nodes as GraphML, with what is known of them.
fn write_graphml(out: &mut (impl Write + ?Sized), format: Format, graph: &Graph) -> Result<u64> {
    let mut text = String::new();
    begin(&mut text);
    let columns = graph.attributes().map(|table| table.columns()).unwrap_or_default();
    for (at, column) in columns.iter().enumerate() {
        let kind = match column.kind {
            ColumnType::Integer => "int",
            ColumnType::Real => "double",
            ColumnType::Date | ColumnType::Text => "string",
        };
        key(&mut text, &format!("d{at}"), "node", &column.name, kind);
    }
    text.push_str("  <graph edgedefault=\"undirected\">\n");
    for (node, name) in graph.names().iter().enumerate() {
        text.push_str(&format!("    <node id=\"{}\">", escaped(name)));
        for (at, column) in columns.iter().enumerate() {
            data(&mut text, &format!("d{at}"), column.text(node));
        }
        text.push_str("</node>\n");
    }
    for (left, right) in graph.pairs() {
        let [left, right] = [left, right].map(|node| escaped(graph.names().get(node)));
        text.push_str(&format!("    <edge source=\"{left}\" target=\"{right}\"/>\n"));
    }
    text.push_str("  </graph>\n</graphml>\n");
    let bytes = compress(text.into_bytes(), format.compression).map_err(failed)?;
    out.write_all(&bytes).and_then(|()| out.flush()).map_err(failed)?;
    Ok(graph.edges())
}

/// Writes the edges of a graph of single nodes, a row each. Gives their number.
pub(crate) fn write_edges<W: Write + Send>(
    out: &mut W,
    format: Format,
    graph: &Graph,
    progress: &dyn Progress,
) -> Result<u64> {
    match format.kind {
        FormatKind::GraphMl => return write_graphml(out, format, graph),
        FormatKind::Gml => {
            return Err(
                Error::refused("graphs are not written as gml").with_hint("choose csv, tsv, jsonl, parquet or graphml")
            );
        }
        _ => {}
    }
    let column = |name: &str| Column { name: name.to_owned(), sort: Sort::Text, optional: false };
    let columns = vec![column("source"), column("target")];
    let mut rows = RowWriter::new(out, format, columns, true, false, PIECE)?;
    let persons: Vec<Person<'_>> = (0..graph.persons() as u32).map(|person| Person { name: "", person }).collect();
    rows.append(&Above(graph), &persons, progress)?;
    rows.finish()
}

/// The edges of a node to those above it.
struct Above<'a>(&'a Graph);

impl Above<'_> {
    fn of(&self, node: u32) -> &[u32] {
        let neighbours = self.0.neighbours(node);
        &neighbours[neighbours.partition_point(|&other| other < node)..]
    }
}

impl RowSource for Above<'_> {
    fn rows_of(&self, person: u32) -> usize {
        self.of(person).len()
    }

    fn each<'s>(&'s self, person: u32, mut take: impl FnMut(&[Value<'s>])) {
        let names = self.0.names();
        for &other in self.of(person) {
            take(&[Value::Text(names.get(person)), Value::Text(names.get(other))]);
        }
    }
}
