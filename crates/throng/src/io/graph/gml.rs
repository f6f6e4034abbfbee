//! GML as networkx, igraph and Gephi write it: `graph [ node [ id 0 label "ann" age 30 ] edge [ source 0 target 1 ] ]`.
//!
//! A node is called by its label where every node has one of its own, else by its number. Attributes that are lists are refused.

use throng_core::data::Interner;
use throng_core::{Error, Result};

use super::super::xml::decoded;
use super::{EDGE_COUNT, Network, NetworkColumn};

/// Lists lie in no more others than this.
const DEEPEST: usize = 64;

/// What a key has.
enum Value {
    Text { text: String, typed: bool },
    List(Vec<Entry>),
}

struct Entry {
    key: String,
    value: Value,
    line: u64,
}

/// What the text is made of.
#[derive(Debug)]
enum Token {
    Word(String),
    Quoted(String),
    Open,
    Close,
}

struct Tokens<'a> {
    text: &'a str,
    at: usize,
    line: u64,
}

impl Tokens<'_> {
    fn next(&mut self) -> Result<Option<(Token, u64)>> {
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(self.at) {
                None => return Ok(None),
                Some(b'\n') => {
                    self.line += 1;
                    self.at += 1;
                }
                Some(byte) if byte.is_ascii_whitespace() => self.at += 1,
                Some(b'#') => {
                    self.at = memchr::memchr(b'\n', &bytes[self.at..]).map_or(bytes.len(), |end| self.at + end)
                }
                Some(b'[') => {
                    self.at += 1;
                    return Ok(Some((Token::Open, self.line)));
                }
                Some(b']') => {
                    self.at += 1;
                    return Ok(Some((Token::Close, self.line)));
                }
                Some(b'"') => {
                    let line = self.line;
                    let rest = &self.text[self.at + 1..];
                    let Some(end) = rest.find('"') else {
                        return Err(Error::data("this is no GML: a quote does not end").at_line(line));
                    };
                    let text = &rest[..end];
                    self.line += memchr::memchr_iter(b'\n', text.as_bytes()).count() as u64;
                    self.at += end + 2;
                    let text = decoded(text).unwrap_or_else(|| text.to_owned());
                    return Ok(Some((Token::Quoted(text), line)));
                }
                Some(_) => {
                    let rest = &self.text[self.at..];
                    let is_end = |c: char| c.is_ascii_whitespace() || matches!(c, '[' | ']' | '"' | '#');
                    let end = rest.find(is_end).unwrap_or(rest.len());
                    self.at += end;
                    return Ok(Some((Token::Word(rest[..end].to_owned()), self.line)));
                }
            }
        }
    }

    /// The entries up to the end of a list.
    fn entries(&mut self, depth: usize) -> Result<Vec<Entry>> {
        if depth > DEEPEST {
            return Err(
                Error::data(format!("this is no GML: more than {DEEPEST} lists lie in each other")).at_line(self.line)
            );
        }
        let mut entries = Vec::new();
        loop {
            let (key, line) = match self.next()? {
                None if depth == 0 => return Ok(entries),
                None => return Err(Error::data("this is no GML: the file ends inside a list").at_line(self.line)),
                Some((Token::Close, _)) if depth > 0 => return Ok(entries),
                Some((Token::Word(key), line)) => (key, line),
                Some((_, line)) => return Err(Error::data("this is no GML: a key is expected").at_line(line)),
            };
            let value = match self.next()? {
                Some((Token::Open, _)) => Value::List(self.entries(depth + 1)?),
                Some((Token::Word(text), _)) => Value::Text { text, typed: true },
                Some((Token::Quoted(text), _)) => Value::Text { text, typed: false },
                Some((Token::Close, line)) => {
                    return Err(Error::data("this is no GML: a key has no value").at_line(line));
                }
                None => return Err(Error::data("this is no GML: the file ends behind a key").at_line(line)),
            };
            entries.push(Entry { key, value, line });
        }
    }
}

pub(super) fn parse(text: &str) -> Result<Network> {
    let text = text.trim_start_matches('\u{feff}');
    let all = Tokens { text, at: 0, line: 1 }.entries(0)?;
    let mut network = Network::default();
    let mut graphs = all.into_iter().filter(|entry| entry.key == "graph");
    let (Some(graph), None) = (graphs.next(), graphs.next()) else {
        return Err(
            Error::data("the file does not have one graph").with_hint("GML has `graph [ node [ … ] edge [ … ] ]`")
        );
    };
    let Value::List(entries) = graph.value else {
        return Err(Error::data("this is no GML: `graph` has no list").at_line(graph.line));
    };
    let (mut nodes, mut edges) = (Vec::new(), Vec::new());
    for Entry { key, value, line } in entries {
        match (key.as_str(), value) {
            ("node", Value::List(own)) => nodes.push((own, line)),
            ("edge", Value::List(own)) => edges.push((own, line)),
            ("directed" | "multigraph", _) => {}
            (_, Value::Text { text, .. }) => network.says.push((key, text)),
            (_, Value::List(_)) => return Err(nested(line)),
        }
    }
    let text = |own: &[Entry], wanted: &str| {
        own.iter().find(|entry| entry.key == wanted).and_then(|entry| match &entry.value {
            Value::Text { text, .. } => Some(text.clone()),
            Value::List(_) => None,
        })
    };
    let labels: Vec<Option<String>> = nodes.iter().map(|(own, _)| text(own, "label")).collect();
    let mut different: Vec<&String> = labels.iter().flatten().collect();
    different.sort_unstable();
    different.dedup();
    let are_names = different.len() == nodes.len();
    let mut numbers = Interner::new();
    for ((own, line), label) in nodes.iter().zip(&labels) {
        let number = text(own, "id").ok_or_else(|| Error::data("a node has no `id`").at_line(*line))?;
        let known = numbers.strings().len();
        if (numbers.intern(&number) as usize) < known {
            return Err(Error::data("a node stands there twice").with_value(number).at_line(*line));
        }
        let node = network.node(label.as_ref().filter(|_| are_names).unwrap_or(&number), *line)?;
        for Entry { key, value, line } in own {
            let Value::Text { text, typed } = value else { return Err(nested(*line)) };
            if key == "id" || (key == "label" && are_names) {
                continue;
            }
            let known = network.columns.iter().position(|column| column.name == *key);
            let column = known.unwrap_or_else(|| {
                let (values, cells) = (Interner::new(), Vec::new());
                network.columns.push(NetworkColumn {
                    name: key.clone(),
                    is_counted: false,
                    typed: *typed,
                    values,
                    cells,
                });
                network.columns.len() - 1
            });
            if network.columns[column].cells.get(node as usize).copied().flatten().is_some() {
                return Err(nested(*line));
            }
            network.columns[column].typed &= typed;
            network.say(node, column, text);
        }
    }
    for (own, line) in edges {
        let end = |wanted: &str| {
            let number =
                text(&own, wanted).ok_or_else(|| Error::data(format!("an edge has no `{wanted}`")).at_line(line))?;
            let node = numbers.find(&number).ok_or_else(|| {
                Error::data("an edge ends at a node that the file does not have").with_value(number).at_line(line)
            })?;
            Ok::<u32, Error>(node)
        };
        let pair = (end("source")?, end("target")?);
        for Entry { key, value, line } in &own {
            if matches!(value, Value::List(_)) {
                return Err(nested(*line));
            }
            if !matches!(key.as_str(), "source" | "target") && !network.edge_columns.contains(key) {
                network.edge_columns.push(key.clone());
            }
        }
        network.pairs.push(pair);
        network.lines.push(line);
        network.edge_counts.push(text(&own, EDGE_COUNT));
    }
    Ok(network)
}

fn nested(line: u64) -> Error {
    Error::data("an attribute is a list, which a graph of persons cannot have")
        .at_line(line)
        .with_hint("export it again with one number or text for each attribute of a node or an edge")
}
