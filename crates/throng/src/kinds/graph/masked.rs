//! Masked networks: out of files, in the order in which they are published, and what a check looks at beside models.

use std::io::Read as _;
use std::path::Path;

use serde_json::json;
use throng_core::data::graph::masked::Masked;
use throng_core::data::graph::{Expansion, ValueCounts};
use throng_core::data::table::{Column, ColumnRole, ColumnType};
use throng_core::data::{Dataset as _, Graph, Strings};
use throng_core::{Error, Result, Rng};

use super::GraphLayout;
use crate::io::graph::{ReadMasked, other_than_written};
use crate::io::{Delimiter, Files, Format, Location, TableColumn};
use crate::kinds::table::roles_of;
use crate::kinds::{About, Ask, Barred, Kinded as _, Read, Shown};
use crate::limits::{MOST_NETWORK_EDGES, MOST_NETWORK_PERSONS};
use crate::run::Certified;
use crate::words::{Lengths, counted, percent, thousands};

/// What a file of it has, with the roles that were said or that a certificate knows.
pub(super) fn found(read: ReadMasked, ask: &Ask) -> Result<Read<Graph>> {
    let persons: u64 = read.sizes.iter().map(|&size| u64::from(size)).sum();
    let edges = read.inner.iter().copied().chain(read.between.iter().map(|between| between.edges));
    let edges = edges.fold(0, u64::saturating_add);
    for (what, found, most) in [("persons", persons, MOST_NETWORK_PERSONS), ("edges", edges, MOST_NETWORK_EDGES)] {
        if found > most {
            return Err(Error::data(format!(
                "the masked network says that it has {found} {what}, and at most {most} are read"
            ))
            .with_hint("is it the file that was meant? No graph that was protected on one machine has as many"));
        }
    }
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
            labelled: Vec::new(),
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
    let mut masked = masked.in_order(&order);
    // What is not there has no row.
    masked.between.retain(|between| between.edges > 0);
    masked.values.iter_mut().for_each(|values| values.counts.retain(|&(_, _, count)| count > 0));
    Ok((names, masked))
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

/// The first line of an expansion, but for the seed that it was drawn by: what it is, and that nobody in it is real.
const HEADING: &str = "# a random graph with the counts of a masked network: nobody in it is real, and no edge is known to be true; CLUSTER-NUMBER CLUSTER-NUMBER; drawn by the seed ";

/// A random graph with the counts of a masked network, as a list of edges: nodes are called by their cluster and a number. It hangs on the counts,
/// the names and the seed alone, all of which are published: whoever has them draws the same, and so it says nothing more than they do.
pub(super) fn expansion(names: &[String], masked: &Masked, seed: u64) -> Result<Vec<u8>> {
    let Expansion { graph, starts } = Expansion::draw(masked, &mut Rng::seeded(seed))?;
    let name = |node: u32| {
        let cluster = starts.partition_point(|&start| start <= node) - 1;
        format!("{}-{}", names[cluster], node - starts[cluster] + 1)
    };
    let mut text = format!("{HEADING}{seed}\n");
    for (left, right) in graph.pairs() {
        text.push_str(&format!("{} {}\n", name(left), name(right)));
    }
    Ok(text.into_bytes())
}

/// Whatever in a release no model looks at: columns that its certificate does not have, cells that are no numbers where numbers are published,
/// files that are other than throng writes these clusters, and expansions that were not drawn.
pub(super) fn not_compared(data: &Graph, format: Format, certified: &Certified) -> Result<Vec<String>> {
    let mut found = Vec::new();
    let (Some(certificate), masked) = (&certified.certificate, data.as_masked()?) else { return Ok(found) };
    let said = certificate.table.as_ref().map(|table| table.columns.as_slice()).unwrap_or_default();
    let said_of = |wanted: &dyn Fn(ColumnRole) -> bool| -> Vec<&str> {
        said.iter().filter(|column| wanted(column.role)).map(|column| column.name.as_str()).collect()
    };
    let quasi: Vec<&str> = masked.cells.iter().map(|column| column.name.as_str()).collect();
    let mut columns: Vec<&str> = masked.values.iter().map(|values| values.column.name.as_str()).collect();
    let mut said_counted = said_of(&|role| matches!(role, ColumnRole::Sensitive | ColumnRole::Plain));
    columns.sort_unstable();
    said_counted.sort_unstable();
    if quasi != said_of(&|role| role == ColumnRole::Quasi) || columns != said_counted {
        found.push("certificate.json, which names other columns than the data have".to_owned());
    }
    if certificate.is_of_a_newer_throng() {
        return Ok(found);
    }
    for record in said.iter().filter(|record| record.role == ColumnRole::Quasi && record.is_of_numbers()) {
        let Some(column) = masked.cells.iter().find(|column| column.name == record.name) else { continue };
        let wrong = (0..masked.clusters()).filter(|&at| !is_interval(column.text(at), record.kind)).count();
        if wrong > 0 {
            let cells = counted(wrong as u64, "cell", "cells");
            found.push(format!("{cells} of the column `{}`, which are no number and no interval of two", record.name));
        }
    }
    let Location::File(nodes) = &certified.location else { return Ok(found) };
    let (names, meant) = in_order(data, data.names().iter().zip(0..))?;
    let shown: Vec<&str> = names.iter().map(String::as_str).collect();
    let format = Format { delimiter: certificate.output.delimiter.unwrap_or(Delimiter::COMMA), ..format };
    let (others, tables) = other_than_written(&shown, &meant, format, &certified.location)?;
    found.extend(others.into_iter().map(|file| format!("{file}, which is not as throng writes these clusters")));
    let also: Vec<&str> = certificate.output.also.iter().map(|also| also.file.as_str()).collect();
    if !also.starts_with(&tables.iter().map(String::as_str).collect::<Vec<_>>()) {
        found.push("certificate.json, which does not name the files of a masked network in their order".to_owned());
        return Ok(found);
    }
    for (number, file) in (1..).zip(&also[tables.len()..]) {
        if *file != expansion_name(number) {
            found.push("certificate.json, which names a file that no masked network has".to_owned());
        } else if !is_drawn(&nodes.with_file_name(file), &names, &meant) {
            found.push(format!(
                "{file}, which is not the random graph that its seed and the counts of the release give"
            ));
        }
    }
    Ok(found)
}

/// Whether a cell is a number or a day, or an interval from a lower one to a higher.
fn is_interval(text: &str, kind: ColumnType) -> bool {
    let number = |text: &str| kind.number(text).filter(|_| text.trim() == text);
    match text.split_once("..") {
        Some((low, high)) => number(low).zip(number(high)).is_some_and(|(low, high)| low < high),
        None => number(text).is_some(),
    }
}

/// Whether a file is the expansion that its seed gives, byte by byte.
fn is_drawn(path: &Path, names: &[String], masked: &Masked) -> bool {
    let first = || -> Option<u64> {
        let mut line = Vec::new();
        std::fs::File::open(path).ok()?.take(2 * HEADING.len() as u64).read_to_end(&mut line).ok()?;
        let line = line.split(|&byte| byte == b'\n').next()?;
        let seed = std::str::from_utf8(line).ok()?.strip_prefix(HEADING)?;
        seed.parse::<u64>().ok().filter(|number| number.to_string() == seed)
    };
    if !path.is_file() {
        return false;
    }
    let Some(Ok(drawn)) = first().map(|seed| expansion(names, masked, seed)) else { return false };
    let is_as_long = std::fs::metadata(path).is_ok_and(|about| about.len() == drawn.len() as u64);
    is_as_long && std::fs::read(path).is_ok_and(|found| found == drawn)
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
