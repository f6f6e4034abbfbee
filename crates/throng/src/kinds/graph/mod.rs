//! The room of graphs: who knows whom, and the masked networks that are made of them.
//!
//! A person is a node, a row an edge. What is known of nodes is a table (`nodes`): the file beside the edges, or what GraphML and GML say
//! themselves. A release is a masked network: clusters, edges between them, counted values, each a file (`masked`), or all in GraphML.

mod masked;
mod nodes;
mod study;
mod synth;

use std::io::Write;
use std::sync::Arc;

use serde_json::{Value, json};
use throng_core::accounts::{Accounts, EDGES_REPEATED, EDGES_REVERSED, LOOPS_LEFT_OUT};
use throng_core::data::table::{ColumnRole, Missing};
use throng_core::data::{Dataset, Graph};
use throng_core::methods::graph::loses_nothing;
use throng_core::models::Witness;
use throng_core::models::graph_k_anonymity::alone;
use throng_core::progress::Progress;
use throng_core::release::Release;
use throng_core::{Error, Result, Rng};

use super::ask::{Ask, ColumnRecord, TableRecord};
use super::{
    About, Barred, Evidenced, KindCard, Kinded, Made, Naming, Purpose, Read, Ready, Recognition, Shown, Wants, Written,
};
use crate::catalog::{self, Shelf};
use crate::io::graph::{self, CLUSTER_COLUMNS, ReadNetwork};
use crate::io::{Compression, Format, FormatKind, LookAt, Opened, Person, Place, TableColumn};
use crate::report;
use crate::run::{Certified, StudyPart, SynthRequest};
use crate::words::{self, Lengths, counted, percent, thousands, who};

/// The kind of a file that comes with one of nodes.
pub(crate) fn kind_of_nodes() -> &'static str {
    Graph::CARD.name
}

/// How a file holds a graph, and what is said of the columns of its nodes.
#[derive(Debug, Clone)]
pub struct GraphLayout {
    /// The columns of both ends of an edge, where they have names; none of a masked network.
    ends: Vec<(&'static str, String)>,
    /// The columns of nodes; in a release those that are published.
    columns: Vec<TableColumn>,
    /// Columns of nodes that say who somebody is.
    unpublished: Vec<TableColumn>,
    missing: Missing,
    missing_values: Vec<String>,
    /// Whether cells of CSV that look like formulas of a spreadsheet are written as they are.
    raw_cells: bool,
    /// Whether it is a masked network.
    is_masked: bool,
    /// The quasi columns that are published as labels of a hierarchy.
    labelled: Vec<String>,
}

impl Kinded for Graph {
    const CARD: KindCard = KindCard {
        name: "graph",
        summary: "who knows whom: edges between persons, and what is known of each of them",
        person: ["person", "persons"],
        row: ["edge", "edges"],
        fact: <Self as Dataset>::FACTS[0].names,
        heading: "A graph of {}",
        facts: <Self as Dataset>::FACTS,
        unknown: ["value", "values"],
        made_up: ["csv", ".csv, .tsv, .jsonl (also .gz, .zst), .parquet or .graphml"],
        roles: "source=…, target=…; of nodes (`--nodes FILE`, or in GraphML and GML): id=…, quasi=…, sensitive=…, identifier=…, plain=…, \
                each a list with commas, or * for all others",
        has_several_rows: false,
        release_has_own_columns: true,
        ..KindCard::PLAIN
    };
    const HAS_NEIGHBOURS: bool = true;
    const SHELF: Shelf<Self> = catalog::GRAPH;
    const RECOGNITION: Recognition = Recognition {
        looks_like: "two ends of an edge in each row, GraphML, GML, or the clusters of a masked network",
        roles: &graph::ROLES,
        takes_folders: false,
        takes_any_cells: false,
        likeness: graph::likeness,
    };

    type Layout = GraphLayout;
    type Evidence = Self;

    fn fact(&self, fact: u32) -> String {
        counted(u64::from(fact), "neighbour", "neighbours")
    }

    fn read(opened: Opened, ask: &Ask, purpose: Purpose, progress: &dyn Progress) -> Result<Read<Self>> {
        let read = match graph::read_opened_graph(opened, &ask.reading(), progress)? {
            ReadNetwork::Masked(read) => masked::found(*read, ask)?,
            ReadNetwork::Plain(read) => nodes::found(*read, ask, purpose, progress)?,
        };
        let (data, barred) = Barred::remove(read.data, ask, purpose, |graph, list| {
            let Some(table) = graph.attributes() else { return Ok(graph.clone()) };
            let bars: Vec<Vec<bool>> = table
                .columns()
                .iter()
                .map(|column| column.values.iter().map(|text| list.bars(text)).collect())
                .collect();
            let is_barred = |node: &u32| {
                table.columns().iter().zip(&bars).any(|(own, bars)| bars[own.cells[*node as usize] as usize])
            };
            let kept: Vec<u32> = (0..graph.persons() as u32).filter(|node| !is_barred(node)).collect();
            Ok(if kept.len() == graph.persons() { graph.clone() } else { graph.of_persons(&kept) })
        })?;
        let data = data.with_expansions(ask.expansions);
        Ok(Read { data, about: About { barred, ..read.about } })
    }

    fn refuse_original(&self, _about: &About<Self>, _ask: &Ask) -> Result<()> {
        self.refuse_masked()
    }

    fn understand(parts: Vec<Self>, _about: &About<Self>, _ask: &Ask, _wants: Wants) -> Result<Ready<Self>> {
        let mut ready = Ready::plain(parts);
        if let Some(data) = ready.parts.first().filter(|data| data.masked().is_none()) {
            if data.edges() == 0 {
                ready.notes.push("the graph has no edges".to_owned());
            }
            for column in data.attributes().map(|table| table.columns()).unwrap_or_default() {
                let is_flat = column.hierarchy.as_ref().is_some_and(|hierarchy| loses_nothing(hierarchy));
                if column.role == ColumnRole::Quasi && data.persons() > 1 && (column.values.len() == 1 || is_flat) {
                    ready.notes.push(format!("the column `{}` has nothing that could be lost", column.name));
                }
            }
        }
        Ok(ready)
    }

    fn check_format(_input: Format, asked: Option<Format>) -> Result<()> {
        match asked.map(|format| format.kind) {
            None | Some(FormatKind::Csv | FormatKind::GraphMl) => Ok(()),
            Some(_) => Err(Error::parameter("format", "is none that a masked network is written in")
                .with_hint("csv (also .gz, .zst), a file each for clusters, edges and values, or graphml")),
        }
    }

    fn release_layout(about: &About<Self>, asked: Option<Format>, records: &Self) -> Result<(Format, GraphLayout)> {
        let format = asked.unwrap_or(Format::new(FormatKind::Csv, Compression::None));
        let masked = records.as_masked()?;
        let is_published = |own: &&TableColumn| {
            let quasi = masked.cells.iter().map(|column| &column.name);
            quasi.chain(masked.values.iter().map(|values| &values.column.name)).any(|name| *name == own.name)
        };
        if let Some(taken) = masked.cells.iter().find(|column| CLUSTER_COLUMNS.contains(&column.name.as_str())) {
            return Err(Error::refused("a column of nodes is called as one of the clusters'")
                .in_column(&taken.name)
                .with_hint("give it another name in the original"));
        }
        // An order says nothing of values that nobody sees.
        let published = |own: &TableColumn| {
            let is_seen = |value: &&String| records.texts().contains(&value.as_str());
            let order = own.settings.order.iter().filter(is_seen).cloned().collect();
            let settings = throng_core::data::table::ColumnSettings { order, ..(*own.settings).clone() };
            TableColumn { settings: Arc::new(settings), ..own.clone() }
        };
        let columns = about.layout.columns.iter().filter(is_published).map(published).collect();
        let labelled = masked.cells.iter().filter(|column| column.hierarchy.is_some());
        let labelled = labelled.map(|column| column.name.clone()).collect();
        Ok((format, GraphLayout { ends: Vec::new(), columns, is_masked: true, labelled, ..about.layout.clone() }))
    }

    /// Clusters have no single record: how many neighbours somebody has, and what is said of the cluster instead.
    fn example(original: &Self, records: &Self, k: usize) -> Option<Value> {
        let masked = records.masked()?;
        let mut sizes: Vec<(u32, usize)> =
            masked.sizes.iter().copied().zip(0..).filter(|(size, _)| *size as usize >= k).collect();
        sizes.sort_unstable();
        let &(size, cluster) = sizes.get(sizes.len() / 2)?;
        let mut before = vec!["neighbours: a number for each person, and who they are".to_owned()];
        let mut after = vec![format!("{} inside the cluster", counted(masked.inner[cluster], "edge", "edges"))];
        for own in &masked.cells {
            let different =
                original.attributes()?.columns().iter().find(|column| column.name == own.name)?.values.len();
            before.push(format!("{}: one of {}", own.name, counted(different as u64, "value", "values")));
            after.push(format!("{} {}", own.name, own.text(cluster)));
        }
        Some(json!({"before": before, "after": after, "more": 0, "class": size}))
    }

    fn with_raw_cells(mut layout: GraphLayout, raw: bool) -> GraphLayout {
        layout.raw_cells = raw;
        layout
    }

    fn write<W: Write + Send>(
        out: &mut W,
        format: Format,
        layout: &GraphLayout,
        records: &Self,
        persons: &[Person<'_>],
        progress: &dyn Progress,
    ) -> Result<u64> {
        progress.go_on()?;
        if records.masked().is_none() {
            return graph::write_edges(out, format, records, progress);
        }
        let named = persons.iter().map(|person| (person.name, person.person));
        let (names, masked) = masked::in_order(records, named)?;
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let bytes = match format.kind {
            FormatKind::GraphMl => graph::graphml_of_masked(&names, &masked, format)?,
            _ => graph::tables_of_masked(&names, &masked, format, layout.raw_cells)?.nodes,
        };
        out.write_all(&bytes).and_then(|()| out.flush()).map_err(|cause| Error::io("write the data", cause))?;
        Ok(masked.edges())
    }

    fn data_file(format: Format) -> String {
        match format.kind {
            FormatKind::GraphMl => format!("data.{format}"),
            _ => format!("data.nodes.{format}"),
        }
    }

    fn also(
        release: &Release<Self>,
        format: Format,
        layout: &GraphLayout,
        ask: &Ask,
        rng: &mut Rng,
    ) -> Result<Vec<(String, Vec<u8>)>> {
        let named = release.persons.iter().map(|person| (person.pseudonym.as_str(), person.record));
        let (names, masked) = masked::in_order(&release.records, named)?;
        let mut files = Vec::new();
        if format.kind != FormatKind::GraphMl {
            let shown: Vec<&str> = names.iter().map(String::as_str).collect();
            let tables = graph::tables_of_masked(&shown, &masked, format, layout.raw_cells)?;
            files.push((format!("data.edges.{format}"), tables.edges));
            files.extend(tables.values.map(|values| (format!("data.values.{format}"), values)));
        }
        for number in 1..=ask.expand.unwrap_or(0) {
            files.push((masked::expansion_name(number), masked::expansion(&names, &masked, rng.bits())?));
        }
        Ok(files)
    }

    fn read_back(written: &Written<'_, Self>, progress: &dyn Progress) -> Result<Self> {
        let read = Self::read(written.open()?, &written.ask(), Purpose::Release, progress)?;
        let persons = written.release.persons.iter().map(|person| (person.pseudonym.as_str(), person.record));
        let (names, meant) = masked::in_order(&written.release.records, persons)?;
        let is_clean = read.about.refused == 0 && read.about.uncompared.is_empty();
        let is_same = read.data.names().iter().eq(names.iter().map(String::as_str))
            && read.data.masked().is_some_and(|found| masked::are_same(found, &meant));
        if !is_clean || !is_same {
            return Err(Error::internal("the release does not hold the clusters and edges that were written"));
        }
        // What models need beside the file: what lies above sensitive values.
        masked::with_hierarchies(read.data, &meant)
    }

    fn columns(layout: &GraphLayout) -> Vec<(&'static str, String)> {
        layout.ends.clone()
    }

    fn named_fields(layout: &GraphLayout) -> Vec<(&'static str, String)> {
        let columns = layout.columns.iter().map(|column| (column.role.name(), column.name.clone()));
        layout.ends.iter().cloned().chain(columns).collect()
    }

    fn table_record(layout: &GraphLayout) -> Option<TableRecord> {
        let record = |column: &TableColumn| ColumnRecord {
            name: column.name.clone(),
            role: column.role,
            kind: column.kind,
            weight: Some(column.settings.weight).filter(|weight| *weight != 1.0),
            distance: column.settings.distance,
            order: column.settings.order.clone(),
            labels: layout.labelled.contains(&column.name),
        };
        let columns: Vec<ColumnRecord> = layout.columns.iter().chain(&layout.unpublished).map(record).collect();
        (!columns.is_empty()).then(|| TableRecord {
            columns,
            missing: layout.missing,
            missing_values: layout.missing_values.clone(),
        })
    }

    fn rows_of(&self, person: usize) -> usize {
        self.neighbours(person as u32).len()
    }

    fn texts(&self) -> Vec<&str> {
        match self.masked() {
            Some(masked) => {
                let values = masked.values.iter().map(|values| &values.column);
                masked.cells.iter().chain(values).flat_map(|column| column.values.iter()).collect()
            }
            None => {
                let columns = self.attributes().map(|table| table.columns()).unwrap_or_default();
                columns.iter().flat_map(|column| column.values.iter()).collect()
            }
        }
    }

    fn account(original: &Self, _release: &Release<Self>, _rows: u64, accounts: &mut Accounts) {
        let left_out = original.left_out();
        let counts = [
            (LOOPS_LEFT_OUT, left_out.loops),
            (EDGES_REPEATED, left_out.repeated),
            (EDGES_REVERSED, left_out.reversed),
        ];
        for (account, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
            *accounts = std::mem::take(accounts).with(account, count);
        }
    }

    fn identifiers_left_out(layout: &GraphLayout) -> u64 {
        layout.unpublished.iter().filter(|column| column.role == ColumnRole::Identifier).count() as u64
    }

    /// The edges that somebody knows for certain who reads the release.
    fn remark(release: &Release<Self>) -> Option<String> {
        let masked = release.records.masked()?;
        let (edges, certain) = (masked.edges(), masked::certain_edges(masked));
        (certain > 0).then(|| {
            format!(
                "{} of the published edges ({}) lie in blocks that are full: whoever reads the release knows of each that it is there; \
                 `--max-confidence 0.9` leaves none",
                thousands(certain),
                percent(certain as f64 / edges.max(1) as f64)
            )
        })
    }

    fn studied(
        &self,
        study: &str,
        _draws: usize,
        seed: u64,
        progress: &dyn Progress,
    ) -> Result<Option<Vec<StudyPart>>> {
        match study {
            "sangreea" => study::sangreea(self, seed, progress).map(Some),
            _ => Ok(None),
        }
    }

    /// In the order in which it is published: that of records is the order in which clusters were made.
    fn network(release: &Release<Self>) -> Result<Value> {
        let named = release.persons.iter().map(|person| (person.pseudonym.as_str(), person.record));
        let (_, masked) = masked::in_order(&release.records, named)?;
        Ok(report::network::numbers(&masked))
    }

    fn evidence(
        opened: Opened,
        ask: &Ask,
        certified: &Certified,
        _needs_sensitive: bool,
        progress: &dyn Progress,
    ) -> Result<Evidenced<Self>> {
        let Read { data, mut about } = Self::read(opened, ask, Purpose::Release, progress)?;
        if data.masked().is_some() {
            about.uncompared.extend(masked::not_compared(&data, about.format, certified)?);
        } else if let Some(table) = data.attributes().filter(|table| !table.columns().is_empty()) {
            let columns = counted(table.columns().len() as u64, "column", "columns");
            about
                .uncompared
                .push(format!("{columns} of nodes: only a masked network is judged with what is known of persons"));
        }
        Ok(Evidenced {
            persons: data.nodes() as usize,
            rows: data.edges(),
            refused: about.refused,
            person_column: if about.layout.is_masked { CLUSTER_COLUMNS[0] } else { "ends of edges" }.to_owned(),
            ids_look_drawn: throng_core::release::look_drawn(data.names()),
            unmapped: about.unmapped,
            unmapped_count: false,
            uncompared: about.uncompared,
            first_lines: about.first_lines,
            files: about.files,
            notes: about.notes,
            evidence: data,
        })
    }

    fn witness(seen: &Evidenced<Self>, witness: &Witness, naming: &Naming) -> Value {
        let place = seen.first_lines.get(witness.person as usize).map(|&line| seen.files.place(line));
        let names = seen.evidence.names();
        let name = if (witness.person as usize) < names.len() { names.get(witness.person) } else { "" };
        let mut shown = naming.of(name, place, true, witness);
        // Names of clusters are made up; those of nodes are ids.
        if seen.evidence.masked().is_some() {
            shown["cluster"] = json!(name);
        }
        shown
    }

    fn witness_in_words(witness: &Value) -> String {
        let size = counted(witness["group_size"].as_u64().unwrap_or_default(), "person", "persons");
        let Some(cluster) = witness["cluster"].as_str() else { return words::alone(witness, Self::CARD.person[0]) };
        let number = |name: &str| witness[name].as_u64().unwrap_or_default();
        if let Some(fault) = witness["fault"].as_str() {
            let pair = witness["pair"].as_u64().map(|pair| format!(", row {pair} of the edges")).unwrap_or_default();
            return format!("cluster {cluster}{pair}: {fault}");
        }
        if let Some(other) = witness["other"].as_str() {
            let (edges, pairs) = (counted(number("edges"), "edge", "edges"), counted(number("pairs"), "pair", "pairs"));
            let block = if other == cluster {
                format!("inside cluster {cluster}")
            } else {
                format!("between the clusters {cluster} and {other}")
            };
            return format!("{block} {} {edges} of {pairs}", if number("edges") == 1 { "is" } else { "are" });
        }
        let known = ["group_size", "pseudonym", "person", "line", "file", "cluster"];
        let numbers = witness.as_object().into_iter().flatten().filter(|(name, _)| !known.contains(&name.as_str()));
        let numbers: Vec<String> = numbers.map(|(name, found)| format!("; {name} = {}", words::value(found))).collect();
        format!("{}: the cluster {cluster} has {size}{}", who(witness, "cluster"), numbers.concat())
    }

    fn places(_opened: Opened, _ask: &Ask, _look: LookAt<'_>, _progress: &dyn Progress) -> Result<Option<Vec<Place>>> {
        Ok(None)
    }

    fn shown(read: &Read<Self>, _ask: &Ask) -> Result<Vec<Shown>> {
        let data = &read.data;
        Ok(match data.masked() {
            Some(masked) => masked::shown(masked),
            None => shown(data),
        })
    }

    fn synth(request: &SynthRequest, stdout: &mut (dyn Write + Send), progress: &dyn Progress) -> Result<Made> {
        synth::make(request, stdout, progress)
    }
}

/// What `inspect` shows of a graph of single nodes.
fn shown(data: &Graph) -> Vec<Shown> {
    let (nodes, edges) = (data.nodes(), data.edges());
    let pairs = throng_core::data::graph::masked::pairs_of(nodes);
    let density = if pairs > 0 { edges as f64 / pairs as f64 } else { 0.0 };
    let degrees: Vec<usize> = (0..nodes as u32).map(|node| data.degree(node)).collect();
    let isolated = degrees.iter().filter(|degree| **degree == 0).count();
    let lengths = Lengths::of(degrees);
    let triangles: u64 = data.triangles().iter().sum::<u64>() / 3;
    let [local, transitivity] = data.clustering(None);
    let [by_degree, by_neighbours] = alone(data);
    let columns = data.attributes().map(|table| table.columns()).unwrap_or_default();
    let mut shown = vec![
        Shown::new(
            "persons",
            format!("{} ({} of them without an edge)", thousands(nodes), thousands(isolated as u64)),
            vec![("persons", json!(nodes)), ("isolated", json!(isolated))],
        ),
        Shown::new(
            "edges",
            format!("{}, {} of all pairs", thousands(edges), percent(density)),
            vec![("rows", json!(edges)), ("density", json!(density))],
        ),
        Shown::new("neighbours", lengths.in_words(" neighbours"), vec![("degrees", json!(lengths))]),
        Shown::new(
            "triangles",
            format!(
                "{}; of two neighbours of somebody {} are neighbours too, of the mean person's {}",
                thousands(triangles),
                percent(transitivity),
                percent(local)
            ),
            vec![
                ("triangles", json!(triangles)),
                ("transitivity", json!(transitivity)),
                ("mean_local_clustering", json!(local)),
            ],
        ),
        Shown::new(
            "alone",
            format!(
                "{} by how many neighbours they have, {} by how many each of these has",
                percent(by_degree),
                percent(by_neighbours)
            ),
            vec![("alone_by_degree", json!(by_degree)), ("alone_by_neighbours", json!(by_neighbours))],
        ),
    ];
    let left_out = data.left_out();
    shown.push(Shown::quietly(vec![(
        "left_out",
        json!({"loops": left_out.loops, "repeated": left_out.repeated, "reversed": left_out.reversed}),
    )]));
    for column in columns {
        let text = format!(
            "{}, {} different; {}",
            column.kind.name(),
            thousands(column.values.len() as u64),
            column.role.name()
        );
        shown.push(Shown::new(&column.name, text, Vec::new()));
    }
    let list: Vec<Value> = columns
        .iter()
        .map(|column| json!({"name": column.name, "type": column.kind.name(), "different": column.values.len(), "role": column.role.name()}))
        .collect();
    shown.push(Shown::quietly(vec![("columns_of_persons", Value::Array(list))]));
    shown
}
