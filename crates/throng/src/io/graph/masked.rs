//! Masked networks in files: clusters, the edges between them, and counted values, as three tables beside each other or as GraphML.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use throng_core::data::graph::Between;
use throng_core::data::graph::masked::UNKNOWN;
use throng_core::data::{Interner, Strings};
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::super::fields::delimited::csv_records;
use super::super::scan::ReadOptions;
use super::super::table::{ReadTable, read_opened_table};
use super::super::{Format, FormatKind, Location, Opened};
use super::{CLUSTER_COLUMNS, EDGE_COUNT, Network, file_of};

/// The columns of the file of edges.
pub(super) const EDGE_COLUMNS: [&str; 3] = ["cluster_a", "cluster_b", "edges"];
/// The columns of the file of counted values.
pub(super) const VALUE_COLUMNS: [&str; 4] = ["cluster", "column", "value", "count"];

/// What clusters have in common in a column.
#[derive(Debug)]
pub(crate) struct MaskedColumn {
    /// Its name.
    pub(crate) name: String,
    /// The different cells.
    pub(crate) values: Strings,
    /// The cell of each cluster.
    pub(crate) cells: Vec<u32>,
}

/// How often each value of a column comes in each cluster.
#[derive(Debug)]
pub(crate) struct MaskedValues {
    /// Its name.
    pub(crate) name: String,
    /// The different values.
    pub(crate) values: Strings,
    /// Cluster, value and how often.
    pub(crate) counts: Vec<(u32, u32, u32)>,
}

/// A masked network as files have it.
#[derive(Debug)]
pub(crate) struct ReadMasked {
    /// The names of clusters.
    pub(crate) names: Strings,
    /// The line of each.
    pub(crate) lines: Vec<u64>,
    /// How many nodes each has.
    pub(crate) sizes: Vec<u32>,
    /// How many edges are inside each.
    pub(crate) inner: Vec<u64>,
    /// Edges between clusters, in the order of the file.
    pub(crate) between: Vec<Between>,
    /// What clusters have in common.
    pub(crate) columns: Vec<MaskedColumn>,
    /// What is counted in them.
    pub(crate) values: Vec<MaskedValues>,
    /// The format of the clusters.
    pub(crate) format: Format,
    /// Malformed lines that were left out.
    pub(crate) refused: u64,
    /// Whatever else is in the files.
    pub(crate) uncompared: Vec<String>,
}

/// The file of a masked network beside that of its clusters: `data.nodes.csv` has `data.edges.csv`.
pub(crate) fn sibling(nodes: &Path, what: &str) -> Option<PathBuf> {
    let name = nodes.file_name()?.to_str()?;
    let at = name.rfind("nodes")?;
    Some(nodes.with_file_name(format!("{}{what}{}", &name[..at], &name[at + "nodes".len()..])))
}

/// Reads the clusters, and the files beside them.
pub(crate) fn read_opened_masked(opened: Opened, options: &ReadOptions, progress: &dyn Progress) -> Result<ReadMasked> {
    let options = &ReadOptions { columns: Vec::new(), ..options.clone() };
    let location = opened.location().clone();
    let in_file = |error: Error, path: &Path| error.in_file(path.display().to_string());
    let beside = |what: &str| {
        file_of(&location).and_then(|path| sibling(path, what)).ok_or_else(|| {
            Error::refused("the clusters of a masked network are in a file of this name: `….nodes.csv`")
                .in_file(location.to_string())
                .with_hint("beside it lie `….edges.csv` and, if values are counted, `….values.csv`")
        })
    };
    let (edges, values) = (beside("edges")?, beside("values")?);
    let format = opened.format;
    let nodes = read_opened_table(opened, options, progress)?;
    let table = |path: &Path, columns: &[&str]| -> Result<Option<ReadTable>> {
        let table = read_beside(path, options, columns, progress).map_err(|error| in_file(error, path))?;
        Ok(table)
    };
    let mut read = of_clusters(nodes, format).map_err(|error| error.in_file(location.to_string()))?;
    if !edges.is_file() {
        return Err(Error::data("the file of edges does not lie beside that of the clusters")
            .in_file(edges.display().to_string())
            .with_hint("a masked network is `….nodes.csv` with `….edges.csv`"));
    }
    let clusters = Interner::from(&read.names);
    if let Some(found) = table(&edges, &EDGE_COLUMNS)? {
        read.between = between(&found, &clusters).map_err(|error| in_file(error, &edges))?;
        read.refused += found.refused;
        read.uncompared.extend(found.uncompared);
    }
    if values.is_file()
        && let Some(found) = table(&values, &VALUE_COLUMNS)?
    {
        read.values = counted(&found, &clusters).map_err(|error| in_file(error, &values))?;
        read.refused += found.refused;
        read.uncompared.extend(found.uncompared);
    }
    Ok(read)
}

/// Reads a table with these columns; nothing of one that has no rows.
fn read_beside(
    path: &Path,
    options: &ReadOptions,
    columns: &[&str],
    progress: &dyn Progress,
) -> Result<Option<ReadTable>> {
    let wrong = || {
        Error::data(format!("the columns are not those of a masked network: {}", columns.join(",")))
            .at_line(1)
            .with_hint("`throng protect` writes such files")
    };
    let opened = Opened::open(&Location::File(path.to_owned()), &ReadOptions { format: None, ..options.clone() })?;
    if opened.source.is_whole && matches!(opened.format.kind, FormatKind::Csv | FormatKind::Tsv | FormatKind::Fimi) {
        let records = csv_records(&opened.source.head);
        if let [(_, only)] = records.as_slice() {
            let is_it = only.iter().map(Vec::as_slice).eq(columns.iter().map(|name| name.as_bytes()));
            return if is_it { Ok(None) } else { Err(wrong()) };
        }
    }
    let table = read_opened_table(opened, options, progress)?;
    if !table.columns.iter().map(|(name, ..)| name.as_str()).eq(columns.iter().copied()) {
        return Err(wrong());
    }
    Ok(Some(table))
}

/// A whole number, as it is written in one way alone.
fn number<T: std::str::FromStr + ToString>(text: &str) -> Option<T> {
    text.parse::<T>().ok().filter(|number| number.to_string() == text)
}

fn no_number(name: &str, line: u64) -> Error {
    Error::data("this is no whole number").in_column(name).at_line(line)
}

/// The numbers of a column.
fn numbers<T: std::str::FromStr + ToString + Copy>(table: &ReadTable, at: usize) -> Result<Vec<T>> {
    let (name, values, cells, _) = &table.columns[at];
    let of_value: Vec<Option<T>> = values.iter().map(number).collect();
    let number = |(row, &cell): (usize, &u32)| of_value[cell as usize].ok_or_else(|| no_number(name, table.lines[row]));
    cells.iter().enumerate().map(number).collect()
}

/// The clusters of a column, by their numbers.
fn places(table: &ReadTable, at: usize, clusters: &Interner) -> Vec<u32> {
    let (_, values, cells, _) = &table.columns[at];
    let of_value: Vec<u32> = values.iter().map(|name| clusters.find(name).unwrap_or(UNKNOWN)).collect();
    cells.iter().map(|&cell| of_value[cell as usize]).collect()
}

fn of_clusters(table: ReadTable, format: Format) -> Result<ReadMasked> {
    let (sizes, inner) = (numbers::<u32>(&table, 1)?, numbers::<u64>(&table, 2)?);
    let ReadTable { columns, lines, refused, uncompared, .. } = table;
    let mut names = Interner::new();
    let mut columns = columns.into_iter();
    if let Some((_, values, cells, _)) = columns.next() {
        for (row, &cell) in cells.iter().enumerate() {
            let known = names.strings().len();
            if (names.intern(values.get(cell)) as usize) < known {
                return Err(Error::data("a cluster stands there twice").at_line(lines[row]));
            }
        }
    }
    let columns = columns.skip(CLUSTER_COLUMNS.len() - 1);
    let columns = columns.map(|(name, values, cells, _)| MaskedColumn { name, values, cells }).collect();
    let (between, values, names) = (Vec::new(), Vec::new(), names.into_strings());
    Ok(ReadMasked { names, lines, sizes, inner, between, columns, values, format, refused, uncompared })
}

fn between(table: &ReadTable, clusters: &Interner) -> Result<Vec<Between>> {
    let (left, right) = (places(table, 0, clusters), places(table, 1, clusters));
    let edges = numbers::<u64>(table, 2)?;
    Ok(left
        .into_iter()
        .zip(right)
        .zip(edges)
        .map(|((left, right), edges)| Between { clusters: [left, right], edges })
        .collect())
}

/// Cluster, value and how often.
type Counts = Vec<(u32, u32, u32)>;

fn counted(table: &ReadTable, clusters: &Interner) -> Result<Vec<MaskedValues>> {
    let place = places(table, 0, clusters);
    let counts = numbers::<u32>(table, 3)?;
    let (names, texts) = (&table.columns[1], &table.columns[2]);
    let mut found: Vec<(String, Interner, Counts)> =
        names.1.iter().map(|name| (name.to_owned(), Interner::new(), Vec::new())).collect();
    for (row, &cluster) in place.iter().enumerate() {
        let (_, values, own) = &mut found[names.2[row] as usize];
        let value = values.intern(texts.1.get(texts.2[row]));
        own.push((cluster, value, counts[row]));
    }
    let values =
        |(name, values, counts): (String, Interner, _)| MaskedValues { name, values: values.into_strings(), counts };
    Ok(found.into_iter().map(values).collect())
}

/// How often each value comes in a cluster, as an object of JSON that has no value twice.
struct ValuesOfOne(Vec<(String, u32)>);

impl<'de> Deserialize<'de> for ValuesOfOne {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        struct Counts;
        impl<'de> Visitor<'de> for Counts {
            type Value = ValuesOfOne;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a number for each value")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<ValuesOfOne, A::Error> {
                let mut found: Vec<(String, u32)> = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    found.push(pair);
                }
                found.sort_unstable();
                match found.windows(2).any(|two| two[0].0 == two[1].0) {
                    true => Err(A::Error::custom("a value stands there twice")),
                    false => Ok(ValuesOfOne(found)),
                }
            }
        }
        from.deserialize_map(Counts)
    }
}

/// A masked network that was written as GraphML.
pub(super) fn of_network(network: Network, format: Format) -> Result<ReadMasked> {
    let not_read = network.not_read();
    let Network { ids, id_lines, columns, pairs, lines, edge_counts, edge_columns, says, .. } = network;
    let clusters = ids.strings().len();
    let mut read = ReadMasked {
        names: ids.into_strings(),
        lines: id_lines,
        sizes: Vec::new(),
        inner: Vec::new(),
        between: Vec::with_capacity(pairs.len()),
        columns: Vec::new(),
        values: Vec::new(),
        format,
        refused: 0,
        uncompared: Vec::new(),
    };
    let strangers = says.iter().filter(|(name, _)| name != super::MARK.0).map(|(name, _)| name);
    let strangers = strangers.chain(edge_columns.iter().filter(|name| *name != EDGE_COUNT));
    read.uncompared = strangers.map(|name| format!("`{name}`, which no masked network has")).chain(not_read).collect();
    for mut column in columns {
        column.cells.resize(clusters, None);
        if column.is_counted {
            let mut values = Interner::new();
            let mut counts = Vec::new();
            for (cluster, cell) in (0u32..).zip(&column.cells) {
                let Some(cell) = cell else { continue };
                let text = column.values.strings().get(*cell);
                let found: Option<ValuesOfOne> = serde_json::from_str(text).ok();
                let wrong = || {
                    Error::data("the counted values are no object of JSON with a number for each value, each once")
                        .in_column(&column.name)
                        .at_line(read.lines[cluster as usize])
                };
                for (value, count) in found.ok_or_else(wrong)?.0 {
                    counts.push((cluster, values.intern(&value), count));
                }
            }
            read.values.push(MaskedValues { name: column.name, values: values.into_strings(), counts });
            continue;
        }
        let cells = (0..clusters).map(|cluster| {
            column.cells[cluster].ok_or_else(|| {
                Error::data("a cluster lacks a value").in_column(&column.name).at_line(read.lines[cluster])
            })
        });
        let cells = cells.collect::<Result<Vec<u32>>>()?;
        let text = |cluster: usize| column.values.strings().get(cells[cluster]);
        match column.name.as_str() {
            "size" if read.sizes.is_empty() => {
                let size = |cluster| number(text(cluster)).ok_or_else(|| no_number("size", read.lines[cluster]));
                read.sizes = (0..clusters).map(size).collect::<Result<_>>()?;
            }
            EDGE_COUNT if read.inner.is_empty() => {
                let edges = |cluster| number(text(cluster)).ok_or_else(|| no_number(EDGE_COUNT, read.lines[cluster]));
                read.inner = (0..clusters).map(edges).collect::<Result<_>>()?;
            }
            _ => read.columns.push(MaskedColumn { name: column.name, values: column.values.into_strings(), cells }),
        }
    }
    if read.sizes.len() != clusters || read.inner.len() != clusters || clusters == 0 {
        return Err(Error::data("the clusters have no `size` or no `edges`")
            .with_hint("`throng protect --format graphml` writes such files"));
    }
    for ((pair, count), line) in pairs.into_iter().zip(edge_counts).zip(lines) {
        let edges = count.as_deref().and_then(number).ok_or_else(|| no_number(EDGE_COUNT, line))?;
        read.between.push(Between { clusters: [pair.0, pair.1], edges });
    }
    Ok(read)
}
