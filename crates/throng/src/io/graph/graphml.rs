//! GraphML as networkx, igraph and others write it: nodes and edges with plain data.
//!
//! What is not read (comments, descriptions, attributes of elements, declared keys that nothing has) is counted; a node or an edge that has
//! two values of one key is an error. Graphs in graphs, edges of several ends, ports, and data that are no text (as of programs that draw) are refused.

use std::borrow::Cow;

use throng_core::data::Interner;
use throng_core::{Error, Result};

use super::super::xml::{Event, Reader};
use super::{EDGE_COUNT, Network, NetworkColumn};

/// A declared attribute.
struct Key {
    id: String,
    of: String,
    name: String,
    typed: bool,
    default: Option<String>,
    /// The column of nodes that it is.
    column: Option<usize>,
    /// The last node or edge that had a value of it, counted from 1; 0 for none.
    last: u64,
    /// Whether the graph as a whole has a value of it.
    of_graph: bool,
}

/// What data belong to.
enum Inside {
    Nothing,
    Graph,
    Node(u32),
    Edge { ends: [String; 2], count: Option<String>, line: u64 },
}

/// The beginning of the ids of attributes that count the values of a cluster.
pub(super) const COUNTED: &str = "values";

pub(super) fn parse(text: &str) -> Result<Network> {
    let mut reader = Reader::new(text.trim_start_matches('\u{feff}'));
    let mut network = Network::default();
    let mut keys: Vec<Key> = Vec::new();
    let mut path: Vec<&str> = Vec::new();
    let mut inside = Inside::Nothing;
    let mut data: Option<(usize, String)> = None;
    let mut graphs = 0;
    let mut element = 0;
    while let Some(event) = reader.next()? {
        let line = reader.line();
        let refused = |what: &str| {
            Err(Error::data(format!("the file has {what}, which a graph of persons does not need"))
                .at_line(line)
                .with_hint(
                    "export it again with nodes, edges and plain data: networkx's `write_graphml`, igraph's `write`",
                ))
        };
        match event {
            Event::Begin(name, attributes) => {
                let value = |wanted: &str| {
                    attributes.iter().find(|(own, _)| *own == wanted).map(|(_, value)| value.clone().into_owned())
                };
                let needed = |wanted: &str| {
                    value(wanted)
                        .ok_or_else(|| Error::data(format!("an element `{name}` has no `{wanted}`")).at_line(line))
                };
                let known = attributes.iter().filter(|(own, value)| is_known(name, own, value)).count();
                network
                    .uncompared
                    .note_many("an attribute of an element that is not read", (attributes.len() - known) as u64);
                match (path.as_slice(), name) {
                    (["graphml", ..], "desc") => network.uncompared.note("a description in the GraphML"),
                    ([], "graphml") | (["graphml", ..], "default") => {}
                    ([], _) => return Err(Error::data("this is XML, and no GraphML").at_line(line)),
                    (["graphml"], "key") => {
                        let id = needed("id")?;
                        let kind = value("attr.type").unwrap_or_default();
                        keys.push(Key {
                            name: value("attr.name").unwrap_or_else(|| id.clone()),
                            of: value("for").unwrap_or_else(|| "all".to_owned()),
                            typed: matches!(kind.as_str(), "int" | "long" | "float" | "double"),
                            default: None,
                            column: None,
                            last: 0,
                            of_graph: false,
                            id,
                        });
                    }
                    (["graphml"], "graph") if graphs == 0 => {
                        graphs = 1;
                        inside = Inside::Graph;
                    }
                    (_, "graph") => return refused("several graphs, or a graph in a node"),
                    (["graphml", "graph"], "node") => {
                        element += 1;
                        let node = network.node(&needed("id")?, line)?;
                        inside = Inside::Node(node);
                    }
                    (["graphml", "graph"], "edge") => {
                        element += 1;
                        inside = Inside::Edge { ends: [needed("source")?, needed("target")?], count: None, line };
                    }
                    (["graphml"] | ["graphml", "graph", ..], "data") if data.is_none() => {
                        let id = needed("key")?;
                        let known = keys.iter().position(|key| key.id == id);
                        let at =
                            known.ok_or_else(|| Error::data("data have a key that is not declared").at_line(line))?;
                        data = Some((at, String::new()));
                    }
                    (_, "hyperedge" | "port" | "endpoint" | "locator") => {
                        return refused("edges of several ends, or ports");
                    }
                    _ if data.is_some() => return refused("data that are no text"),
                    _ => return refused("an element that is not known"),
                }
                path.push(name);
            }
            Event::Text(text) => match (&mut data, path.last()) {
                (Some((_, value)), _) => value.push_str(&text),
                (None, Some(&"default")) => {
                    if let Some(key) = keys.last_mut() {
                        key.default.get_or_insert_default().push_str(&text);
                    }
                }
                (None, Some(&"desc")) => {}
                _ => return refused("text where no text belongs"),
            },
            Event::End(name) => {
                path.pop();
                match name {
                    "data" => {
                        if let Some((at, value)) = data.take() {
                            let key = &mut keys[at];
                            let is_of_graph = matches!(inside, Inside::Nothing | Inside::Graph);
                            if if is_of_graph { key.of_graph } else { key.last == element } {
                                return Err(Error::data(
                                    "a node, an edge or the graph has two values of one key".to_owned(),
                                )
                                .at_line(line)
                                .with_hint("which of both is meant?"));
                            }
                            if is_of_graph {
                                key.of_graph = true
                            } else {
                                key.last = element
                            }
                            say(&mut network, key, &mut inside, &value);
                        }
                    }
                    "node" => inside = Inside::Graph,
                    "edge" => {
                        if let Inside::Edge { ends, count, line } = std::mem::replace(&mut inside, Inside::Graph) {
                            network.edges_to_come.push((ends, count, line));
                        }
                    }
                    _ => {}
                }
            }
        }
    }
    if graphs == 0 {
        return Err(
            Error::data("the file has no graph").with_hint("GraphML has an element `graph` with nodes and edges")
        );
    }
    let unused = keys.iter().filter(|key| key.last == 0 && !key.of_graph && key.default.is_none()).count();
    network.uncompared.note_many("a declared key of which nothing has a value", unused as u64);
    for (what, count) in reader.passed() {
        network.uncompared.note_many(what, count);
    }
    for key in &mut keys {
        if let (Some(default), true) = (key.default.take(), matches!(key.of.as_str(), "node" | "all")) {
            let column = column_of(&mut network, key);
            for node in 0..network.ids.strings().len() as u32 {
                if network.columns[column].cells.get(node as usize).copied().flatten().is_none() {
                    network.say(node, column, &default);
                }
            }
        }
    }
    // An edge may stand before its nodes.
    for (ends, count, line) in std::mem::take(&mut network.edges_to_come) {
        network.edge([&ends[0], &ends[1]], count, line)?;
    }
    Ok(network)
}

/// Whether an attribute of an element is read, or says nothing but what form of XML it is.
fn is_known(element: &str, name: &str, value: &str) -> bool {
    const TYPES: [&str; 6] = ["boolean", "int", "long", "float", "double", "string"];
    const FORMS: [&str; 3] = [
        "http://graphml.graphdrawing.org/xmlns",
        "http://www.w3.org/2001/XMLSchema-instance",
        "http://graphml.graphdrawing.org/xmlns http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd",
    ];
    match (element, name) {
        ("graphml", "xmlns" | "xmlns:xsi" | "xsi:schemaLocation") => FORMS.contains(&value),
        ("key", "attr.type") => TYPES.contains(&value),
        ("key", "id" | "for" | "attr.name") | ("node", "id") | ("edge", "source" | "target") | ("data", "key") => true,
        ("graph", "edgedefault") => matches!(value, "directed" | "undirected"),
        _ => false,
    }
}

fn column_of(network: &mut Network, key: &mut Key) -> usize {
    *key.column.get_or_insert_with(|| {
        network.columns.push(NetworkColumn {
            name: key.name.clone(),
            is_counted: key.id.starts_with(COUNTED),
            typed: key.typed,
            values: Interner::new(),
            cells: Vec::new(),
        });
        network.columns.len() - 1
    })
}

fn say(network: &mut Network, key: &mut Key, inside: &mut Inside, value: &str) {
    let value: Cow<'_, str> = Cow::Borrowed(value);
    match inside {
        Inside::Nothing | Inside::Graph => network.says.push((key.name.clone(), value.into_owned())),
        Inside::Node(node) => {
            let node = *node;
            let column = column_of(network, key);
            network.say(node, column, &value);
        }
        Inside::Edge { count, .. } => {
            if key.name == EDGE_COUNT {
                *count = Some(value.into_owned());
            }
            if !network.edge_columns.contains(&key.name) {
                network.edge_columns.push(key.name.clone());
            }
        }
    }
}
