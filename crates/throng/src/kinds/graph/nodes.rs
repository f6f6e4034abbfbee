//! Graphs of single nodes out of files: edges, and what is known of nodes, in one order.

use throng_core::data::table::{Column, ColumnRole, Table};
use throng_core::data::{Graph, Interner, Strings};
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::GraphLayout;
use crate::io::graph::{ROLES, ReadGraph};
use crate::io::{self, ColumnChoice, Files, Location, Opened, ReadTable};
use crate::kinds::table::{Nodes, nodes};
use crate::kinds::{About, Ask, Barred, Kinded as _, Purpose, Read};
use crate::words::{counted, thousands};

/// The roles that edges have.
const ENDS: [&str; 2] = ["source", "target"];

/// Refuses a value of a quasi column that its hierarchy does not have, here, where it is known which file it stands in.
fn refuse_values_without_leaf(attributes: Option<&Table>) -> Result<()> {
    let columns = attributes.map(Table::columns).unwrap_or_default();
    for column in columns.iter().filter(|column| column.role == ColumnRole::Quasi) {
        if let Some(hierarchy) = &column.hierarchy {
            column.leaves(hierarchy)?;
        }
    }
    Ok(())
}

/// The graph, with what is known of its nodes where some file says it.
pub(super) fn found(read: ReadGraph, ask: &Ask, purpose: Purpose, progress: &dyn Progress) -> Result<Read<Graph>> {
    let table = match (&ask.nodes, &read.attributes) {
        (Some(_), Some(_)) => {
            return Err(Error::parameter("nodes", "names a file of nodes, and the graph's own file has them")
                .with_hint("leave it out: GraphML and GML say themselves what is known of nodes"));
        }
        (Some(path), None) => {
            let in_file = |error: Error| {
                if error.place().is_some_and(|place| !place.file.is_empty()) {
                    error
                } else {
                    error.in_file(path.display().to_string())
                }
            };
            let own = Ask { nodes: None, format: None, delimiter: None, encoding: None, ..ask.clone() };
            let options = io::ReadOptions { columns: Vec::new(), ..own.reading() };
            let opened = Opened::open(&Location::File(path.clone()), &options)?;
            let table = io::read_opened_table(opened, &options, progress)?;
            let own = asked_of_nodes(&own, &table, true);
            let found = nodes(table, &own, purpose).map_err(in_file)?;
            if purpose == Purpose::Original {
                refuse_values_without_leaf(found.attributes.as_ref()).map_err(in_file)?;
            }
            Some(found)
        }
        (None, Some(_)) => {
            let table = own_table(&read);
            let own = asked_of_nodes(ask, &table, false);
            Some(nodes(table, &own, purpose)?)
        }
        (None, None) => None,
    };
    let has_table = table.is_some();
    let Nodes { names, attributes, layout, unmapped, notes, uncompared, refused } = match table {
        Some(table) => table,
        None => {
            refuse_columns_of_nodes(ask)?;
            Nodes::none(read.ids.clone())
        }
    };
    let mut notes = notes;
    let (names, pairs, attributes) = if has_table && ask.nodes.is_some() {
        in_order_of_nodes(&read, names, attributes, ask, &mut notes)?
    } else {
        (names, read.pairs, attributes)
    };
    if names.is_empty() {
        return Err(Error::data("the file has no edge, and nobody says which nodes there are")
            .with_hint("there is nobody to protect in it; `--nodes FILE` names persons without edges"));
    }
    let rows = pairs.len() as u64;
    let (graph, left_out) = Graph::of_pairs(names, pairs);
    let mut say = |count: u64, one: &str, many: &str, what: &str| {
        if count > 0 {
            notes.push(format!("{} {what}", counted(count, one, many)));
        }
    };
    say(left_out.loops, "edge from a person to themselves", "edges from persons to themselves", "left out");
    say(left_out.repeated, "edge stands", "edges stand", "in the file once more: a pair counts once");
    say(left_out.reversed, "edge stands", "edges stand", "there in both directions: a pair counts once");
    let graph = graph.with_attributes(attributes)?;
    let mut all_unmapped = read.unmapped;
    all_unmapped.extend(unmapped);
    let mut all_uncompared = read.uncompared;
    all_uncompared.extend(uncompared);
    let about = About {
        file_kind: Graph::CARD.name,
        format: read.format,
        layout: GraphLayout {
            ends: read.columns,
            columns: layout.columns,
            unpublished: layout.unpublished,
            missing: layout.missing,
            missing_values: layout.missing_values,
            raw_cells: false,
            is_masked: false,
            labelled: Vec::new(),
        },
        rows,
        refused: read.refused + refused,
        unmapped: all_unmapped,
        uncompared: all_uncompared,
        first_lines: Vec::new(),
        files: read.files,
        barred: Barred::default(),
        notes,
    };
    Ok(Read { data: graph, about })
}

/// How the table of nodes is understood: its nodes are what a table calls persons, and the ends of edges are nothing to it.
fn asked_of_nodes(ask: &Ask, table: &ReadTable, has_id_column: bool) -> Ask {
    let mut columns: Vec<ColumnChoice> = Vec::new();
    for choice in ask.columns.iter().filter(|choice| !ENDS.contains(&choice.role.as_str())) {
        let role = if choice.role == "id" { ColumnRole::Person.name().to_owned() } else { choice.role.clone() };
        columns.push(ColumnChoice { role, name: choice.name.clone() });
    }
    let is_person = |role: &str| role == ColumnRole::Person.name();
    let is_said = columns.iter().any(|choice| is_person(&choice.role));
    let certified = |name: &str| {
        let table = ask.table.as_ref();
        table.is_some_and(|table| table.columns.iter().any(|own| own.name == name && own.role == ColumnRole::Person))
    };
    let names: Vec<&str> = table.columns.iter().map(|(name, ..)| name.as_str()).collect();
    if !has_id_column {
        columns.retain(|choice| !is_person(&choice.role));
        columns.extend(names.first().map(|name| ColumnChoice { role: "person".to_owned(), name: (*name).to_owned() }));
    } else if !is_said && !names.iter().any(|name| certified(name)) && ask.schema.is_none() {
        let card = ROLES.cards.iter().find(|card| card.name == "id");
        let known = names.iter().find(|name| card.is_some_and(|card| card.knows(name)));
        columns.extend(known.map(|name| ColumnChoice { role: "person".to_owned(), name: (*name).to_owned() }));
    }
    Ask { columns, ..ask.clone() }
}

/// What GraphML and GML say of nodes, as a table whose first column names them.
fn own_table(read: &ReadGraph) -> ReadTable {
    let attributes = read.attributes.as_deref().unwrap_or_default();
    let is_free = |name: &&str| !attributes.iter().any(|(own, ..)| own == name);
    let name = ["id", "node", "node id", "id of the node"].into_iter().find(is_free).unwrap_or("\u{0}id");
    let cells = (0..read.ids.len() as u32).collect();
    let mut columns = vec![(name.to_owned(), read.ids.clone(), cells, false)];
    columns.extend(attributes.iter().cloned());
    ReadTable {
        columns,
        lines: read.id_lines.clone(),
        format: read.format,
        header: true,
        refused: 0,
        uncompared: Vec::new(),
        files: Files::default(),
    }
}

/// Refuses columns of nodes where nothing is known of nodes.
fn refuse_columns_of_nodes(ask: &Ask) -> Result<()> {
    match ask.columns.iter().find(|choice| !ENDS.contains(&choice.role.as_str())) {
        Some(choice) if ask.table.is_none() => Err(Error::parameter(
            "column",
            format!("names a column of nodes ({}), and the file has edges alone", choice.role),
        )
        .with_hint("what is known of nodes is in a file of its own: `--nodes FILE`")),
        _ => Ok(()),
    }
}

type Ordered = (Strings, Vec<(u32, u32)>, Option<Table>);

/// Edges by the numbers that nodes have in their own file. An end that it does not have is refused, or a node of which nothing is known.
fn in_order_of_nodes(
    read: &ReadGraph,
    names: Strings,
    attributes: Option<Table>,
    ask: &Ask,
    notes: &mut Vec<String>,
) -> Result<Ordered> {
    let listed = names.len();
    let mut known = Interner::from(&names);
    let mut number: Vec<Option<u32>> = read.ids.iter().map(|id| known.find(id)).collect();
    let strangers = number.iter().filter(|number| number.is_none()).count();
    if strangers > 0 && !ask.add_unknown_nodes {
        let is_stranger = |pair: &(u32, u32)| number[pair.0 as usize].is_none() || number[pair.1 as usize].is_none();
        let at = read.pairs.iter().position(is_stranger).unwrap_or(0);
        let (source, target) = read.pairs[at];
        let stranger = if number[source as usize].is_none() { source } else { target };
        let all = counted(strangers as u64, "node", "nodes");
        return Err(Error::data(format!("an edge ends at a node that the file of nodes does not have ({all} in all)"))
            .with_value(read.ids.get(stranger))
            .at_line(read.lines.get(at).copied().unwrap_or(1))
            .with_hint("`--unknown-nodes add` takes such nodes as persons of whom nothing is known"));
    }
    for (own, id) in number.iter_mut().zip(read.ids.iter()) {
        own.get_or_insert_with(|| known.intern(id));
    }
    if strangers > 0 {
        notes.push(format!(
            "{} in edges alone: nothing is known of them",
            counted(strangers as u64, "person is", "persons are")
        ));
    }
    let attributes = match attributes {
        Some(table) if strangers > 0 => {
            let more = |column: &Column| {
                let mut values = Interner::from(column.values.as_ref());
                let nothing = values.intern("");
                let mut cells = column.cells.clone();
                cells.resize(listed + strangers, nothing);
                Column { values: values.into_strings().into(), cells, ..column.clone() }
            };
            let columns = table.columns().iter().map(more).collect();
            Some(Table::of_rows(columns).with_settings(table.settings()))
        }
        other => other,
    };
    let of = |node: u32| number[node as usize].unwrap_or_default();
    let pairs = read.pairs.iter().map(|&(source, target)| (of(source), of(target))).collect();
    let isolated = listed - read.ids.len().saturating_sub(strangers).min(listed);
    if isolated > 0 {
        notes.push(format!(
            "{} of {} in the file of nodes have no edge",
            thousands(isolated as u64),
            thousands(listed as u64)
        ));
    }
    Ok((known.into_strings(), pairs, attributes))
}
