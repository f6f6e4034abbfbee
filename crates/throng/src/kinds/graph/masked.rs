//! Masked networks: out of files, in the order in which they are published, and what a check looks at beside models.

use serde_json::json;
use throng_core::data::graph::masked::{Block, Masked};
use throng_core::data::graph::{Between, Expansion, ValueCounts};
use throng_core::data::table::{Column, ColumnRole, ColumnType};
use throng_core::data::{Dataset as _, Graph, Strings};
use throng_core::{Error, Result, Rng};

use super::GraphLayout;
use crate::io::graph::{ReadMasked, sibling};
use crate::io::{Files, Location, TableColumn};
use crate::kinds::table::roles_of;
use crate::kinds::{About, Ask, Barred, Kinded as _, Read, Shown};
use crate::run::Certified;
use crate::words::{Lengths, counted, percent, thousands};

/// What a file of it has, with the roles that were said or that a certificate knows.
pub(super) fn found(read: ReadMasked, ask: &Ask) -> Result<Read<Graph>> {
    let own = Ask {
        columns: ask.columns.iter().filter(|choice| ColumnRole::named(&choice.role).is_some()).cloned().collect(),
        ..ask.clone()
    };
    let names: Vec<&str> = read
        .columns
        .iter()
        .map(|column| column.name.as_str())
        .chain(read.values.iter().map(|values| values.name.as_str()))
        .collect();
    let roles = roles_of(&names, &own)?;
    let certified = |name: &str| ask.table.as_ref()?.columns.iter().find(|column| column.name == name);
    let mut layout = Vec::new();
    let mut column = |name: String, values: Strings, cells: Vec<u32>, role: ColumnRole| {
        let known = certified(&name);
        let settings = throng_core::data::table::ColumnSettings {
            distance: known.and_then(|known| known.distance),
            order: known.map(|known| known.order.clone()).unwrap_or_default(),
            ..throng_core::data::table::ColumnSettings::default()
        };
        let settings = std::sync::Arc::new(settings);
        let kind =
            known.map_or_else(|| ColumnType::of(values.iter().collect::<Vec<_>>().into_iter()), |known| known.kind);
        layout.push(TableColumn { name: name.clone(), role, kind, typed: false, settings: settings.clone() });
        Column { name, role, kind, values: values.into(), cells, hierarchy: None, settings }
    };
    let quasi = read.columns.len();
    let cells =
        read.columns.into_iter().map(|own| column(own.name, own.values, own.cells, ColumnRole::Quasi)).collect();
    let values = read.values.into_iter().enumerate();
    let values = values.map(|(at, own)| {
        let role = roles[quasi + at].filter(|role| *role == ColumnRole::Sensitive).unwrap_or(ColumnRole::Plain);
        ValueCounts::new(column(own.name, own.values, Vec::new(), role), own.counts)
    });
    let values = values.collect();
    let masked = Masked { sizes: read.sizes, inner: read.inner, between: read.between, cells, values };
    let about = About {
        file_kind: Graph::CARD.name,
        format: read.format,
        layout: GraphLayout {
            ends: Vec::new(),
            columns: layout,
            unpublished: Vec::new(),
            missing: ask.missing.unwrap_or_default(),
            missing_values: ask.table.as_ref().map(|table| table.missing_values.clone()).unwrap_or_default(),
            raw_cells: false,
            is_masked: true,
        },
        rows: masked.edges(),
        refused: read.refused,
        unmapped: Vec::new(),
        uncompared: read.uncompared,
        first_lines: read.lines,
        files: Files::default(),
        barred: Barred::default(),
        notes: Vec::new(),
    };
    Ok(Read { data: Graph::of_masked(read.names, masked), about })
}

/// The names of clusters in the order in which they are published, and the masked network in that order, given who has which name.
pub(super) fn in_order<'a>(
    records: &Graph,
    named: impl Iterator<Item = (&'a str, u32)>,
) -> Result<(Vec<String>, Masked)> {
    let masked = records.as_masked()?;
    let mut named: Vec<(&str, u32)> = named.collect();
    named.sort_unstable();
    named.dedup();
    let (names, order): (Vec<String>, Vec<u32>) =
        named.into_iter().map(|(name, record)| (name.to_owned(), record)).unzip();
    if order.len() != masked.clusters() {
        return Err(Error::internal("the clusters of a release do not have one name each"));
    }
    Ok((names, masked.in_order(&order)))
}

/// Whether two say the same, in the same order. Values may have other numbers.
pub(super) fn are_same(one: &Masked, other: &Masked) -> bool {
    let texts = |masked: &Masked| -> Vec<Vec<String>> {
        masked
            .cells
            .iter()
            .map(|column| (0..masked.clusters()).map(|at| column.text(at).to_owned()).collect())
            .collect()
    };
    let counts = |masked: &Masked| -> Vec<Vec<(u32, String, u32)>> {
        let of = |values: &ValueCounts| {
            let text = |&(cluster, value, count): &(u32, u32, u32)| {
                (cluster, values.column.values.get(value).to_owned(), count)
            };
            let mut all: Vec<(u32, String, u32)> = values.counts.iter().map(text).collect();
            all.sort_unstable();
            all
        };
        masked.values.iter().map(of).collect()
    };
    let columns = |masked: &Masked| -> Vec<(String, ColumnRole)> {
        let values = masked.values.iter().map(|values| &values.column);
        masked.cells.iter().chain(values).map(|column| (column.name.clone(), column.role)).collect()
    };
    one.sizes == other.sizes
        && one.inner == other.inner
        && one.between == other.between
        && columns(one) == columns(other)
        && texts(one) == texts(other)
        && counts(one) == counts(other)
}

/// The same with what lies above the values of columns, which no file has.
pub(super) fn with_hierarchies(read: Graph, meant: &Masked) -> Result<Graph> {
    let mut masked = read.as_masked()?.clone();
    for (own, meant) in masked.values.iter_mut().zip(&meant.values) {
        own.column.hierarchy.clone_from(&meant.column.hierarchy);
    }
    Ok(Graph::of_masked(read.names().clone(), masked))
}

/// How many edges lie in blocks that are full.
pub(super) fn certain_edges(masked: &Masked) -> u64 {
    masked.blocks().filter(|block| block.pairs > 0 && block.edges >= block.pairs).map(|block| block.edges).sum()
}

/// What expansions are called.
pub(super) fn expansion_name(number: usize) -> String {
    format!("expansion-{number}.txt")
}

/// The first line of an expansion: what it is, and that nobody in it is real.
const HEADING: &str = "# a random graph with the counts of a masked network: nobody in it is real, and no edge is known to be true; CLUSTER-NUMBER CLUSTER-NUMBER";

/// A random graph with the counts of a masked network, as a list of edges: nodes are called by their cluster and a number.
pub(super) fn expansion(names: &[String], masked: &Masked, rng: &mut Rng) -> Result<Vec<u8>> {
    let Expansion { graph, starts } = Expansion::draw(masked, rng)?;
    let name = |node: u32| {
        let cluster = starts.partition_point(|&start| start <= node) - 1;
        format!("{}-{}", names[cluster], node - starts[cluster] + 1)
    };
    let mut text = format!("{HEADING}\n");
    for (left, right) in graph.pairs() {
        text.push_str(&format!("{} {}\n", name(left), name(right)));
    }
    Ok(text.into_bytes())
}

/// Whatever in a release no model looks at: columns that its certificate does not have, and expansions with other counts.
pub(super) fn not_compared(data: &Graph, masked: &Masked, certified: &Certified) -> Result<Vec<String>> {
    let mut found = Vec::new();
    let Some(certificate) = &certified.certificate else { return Ok(found) };
    let said = certificate.table.as_ref().map(|table| table.columns.as_slice()).unwrap_or_default();
    let said_of = |wanted: &dyn Fn(ColumnRole) -> bool| -> Vec<&str> {
        said.iter().filter(|column| wanted(column.role)).map(|column| column.name.as_str()).collect()
    };
    let quasi: Vec<&str> = masked.cells.iter().map(|column| column.name.as_str()).collect();
    let mut counted: Vec<&str> = masked.values.iter().map(|values| values.column.name.as_str()).collect();
    let mut said_counted = said_of(&|role| matches!(role, ColumnRole::Sensitive | ColumnRole::Plain));
    counted.sort_unstable();
    said_counted.sort_unstable();
    if quasi != said_of(&|role| role == ColumnRole::Quasi) || counted != said_counted {
        found.push("certificate.json, which names other columns than the data have".to_owned());
    }
    let Location::File(nodes) = &certified.location else { return Ok(found) };
    let mut own = Vec::new();
    for also in &certificate.output.also {
        let is_table = |what: &str| {
            sibling(nodes, what).is_some_and(|path| path.file_name().is_some_and(|name| name == also.file.as_str()))
        };
        if is_table("edges") || is_table("values") {
            own.push(also.file.as_str());
            continue;
        }
        let is_expansion = also.file.strip_prefix("expansion-").and_then(|rest| rest.strip_suffix(".txt")).is_some();
        let path = nodes.with_file_name(&also.file);
        let is_right = is_expansion
            && path.is_file()
            && has_counts(&std::fs::read(&path).unwrap_or_default(), data.names(), masked);
        if !is_right {
            found.push(format!("{}, which is no random graph with the counts of the release", also.file));
        }
    }
    let is_graphml = nodes.to_string_lossy().contains(".graphml");
    if !is_graphml && !own.iter().any(|name| name.contains(".edges.")) {
        found.push("certificate.json, which does not name the file of edges".to_owned());
    }
    Ok(found)
}

/// Whether a text is an expansion of a masked network: as throng writes it, and with exactly its counts.
fn has_counts(text: &[u8], names: &Strings, masked: &Masked) -> bool {
    let Some(text) = std::str::from_utf8(text).ok().filter(|text| text.ends_with('\n')) else { return false };
    let mut lines = text.lines();
    if lines.next() != Some(HEADING) {
        return false;
    }
    let clusters = throng_core::data::Interner::from(names);
    let node = |text: &str| {
        let (cluster, number) = text.rsplit_once('-')?;
        let cluster = clusters.find(cluster)?;
        let own = number.parse::<u32>().ok().filter(|own| own.to_string() == number)?;
        (1..=masked.sizes[cluster as usize]).contains(&own).then_some((cluster, own))
    };
    let edge = |line: &str| {
        let (left, right) = line.split_once(' ')?;
        let (left, right) = (node(left)?, node(right)?);
        (left < right).then_some((left, right))
    };
    let Some(mut edges) = lines.map(edge).collect::<Option<Vec<_>>>() else { return false };
    edges.sort_unstable();
    let is_once = edges.windows(2).all(|two| two[0] != two[1]);
    let mut blocks: Vec<[u32; 2]> = edges.iter().map(|(left, right)| [left.0, right.0]).collect();
    blocks.sort_unstable();
    let mut found: Vec<Between> = blocks
        .chunk_by(|one, other| one == other)
        .map(|same| Between { clusters: same[0], edges: same.len() as u64 })
        .collect();
    let sorted = |block: Block| {
        let [left, right] = block.clusters;
        Between { clusters: [left.min(right), left.max(right)], edges: block.edges }
    };
    let mut meant: Vec<Between> = masked.blocks().filter(|block| block.edges > 0).map(sorted).collect();
    found.sort_unstable();
    meant.sort_unstable();
    is_once && found == meant
}

/// What `inspect` shows of a masked network.
pub(super) fn shown(masked: &Masked) -> Vec<Shown> {
    let (edges, certain) = (masked.edges(), certain_edges(masked));
    let inside: u64 = masked.inner.iter().sum();
    let full = masked.blocks().filter(|block| block.pairs > 0 && block.edges >= block.pairs).count();
    let lengths = Lengths::of(masked.sizes.iter().map(|&size| size as usize).collect());
    let mut shown = vec![
        Shown::new(
            "persons",
            format!("{} in {}", thousands(masked.nodes()), counted(masked.clusters() as u64, "cluster", "clusters")),
            vec![("persons", json!(masked.nodes())), ("clusters", json!(masked.clusters()))],
        ),
        Shown::new("clusters", lengths.in_words(" persons"), vec![("sizes", json!(lengths))]),
        Shown::new(
            "edges",
            format!("{}, {} of them inside clusters", thousands(edges), percent(inside as f64 / edges.max(1) as f64)),
            vec![("rows", json!(edges)), ("edges_inside", json!(inside))],
        ),
        Shown::new(
            "certain",
            format!(
                "{} ({}) lie in {} that are full: everybody knows of each that it is there",
                counted(certain, "edge", "edges"),
                percent(certain as f64 / edges.max(1) as f64),
                counted(full as u64, "block", "blocks")
            ),
            vec![("edges_certain", json!(certain)), ("blocks_full", json!(full))],
        ),
    ];
    let columns = masked.cells.iter().chain(masked.values.iter().map(|values| &values.column));
    for column in columns {
        let text = format!("{}, {} different", column.role.name(), thousands(column.values.len() as u64));
        shown.push(Shown::new(&column.name, text, Vec::new()));
    }
    shown
}
