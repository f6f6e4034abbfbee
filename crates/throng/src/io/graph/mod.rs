//! Reading and writing graphs: lists of edges in any format that has rows, SNAP's lists, GraphML, GML; and masked networks.
//!
//! A list of edges names two ends a row; what else is in it is left out and named. GraphML and GML bring what is known of nodes with
//! them; of other forms it is in a file of its own, a table, which the room reads. A masked network is three files of CSV beside each
//! other (`masked`), or one of GraphML.

mod as_written;
mod gml;
mod graphml;
mod lines;
mod masked;
mod write;

use throng_core::data::{Interner, Strings};
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::fields::{self, Fields, RowConsumer};
use super::files::{Files, Joined, add_new};
use super::head::{Head, Likeness};
use super::roles::{RoleCard, Roles, Suits};
use super::scan::ReadOptions;
use super::uncompared::Uncompared;
use super::{Format, FormatKind, LONGEST_LINE, Location, Opened, is_number};

pub(crate) use as_written::other_than_written;
use masked::read_opened_masked;
pub(crate) use masked::{ReadMasked, sibling};
pub(crate) use write::{graphml_of_masked, tables_of_masked, write_edges};

/// The roles of a list of edges.
static EDGE_ROLES: Roles = Roles { of: "a list of edges does", cards: &[SOURCE_CARD, TARGET_CARD] };

const SOURCE_CARD: RoleCard = RoleCard {
    name: "source",
    other_name: None,
    required: true,
    may_be_cut: false,
    suits: Suits::TextOrNumber,
    known_names: &[
        "source",
        "src",
        "from",
        "fromnode",
        "fromnodeid",
        "fromid",
        "sourceid",
        "u",
        "node1",
        "nodeid1",
        "follower",
        "followerid",
        "id1",
        "user1",
        "userid1",
        "person1",
        "caller",
        "sender",
    ],
    beside: None,
};

const TARGET_CARD: RoleCard = RoleCard {
    name: "target",
    known_names: &[
        "target",
        "dst",
        "to",
        "tonode",
        "tonodeid",
        "toid",
        "targetid",
        "v",
        "node2",
        "nodeid2",
        "followee",
        "followeeid",
        "id2",
        "user2",
        "userid2",
        "person2",
        "callee",
        "receiver",
    ],
    ..SOURCE_CARD
};

const fn card(name: &'static str) -> RoleCard {
    RoleCard { name, required: false, known_names: &[], ..SOURCE_CARD }
}

/// All roles of a graph: the ends of an edge, and those of what is known of nodes, where `id` is the node.
pub(crate) static ROLES: Roles = Roles {
    of: "a graph does",
    cards: &[
        SOURCE_CARD,
        TARGET_CARD,
        RoleCard { known_names: &["id", "node", "nodeid", "person", "personid", "user", "userid"], ..card("id") },
        card("quasi"),
        card("sensitive"),
        card("identifier"),
        card("plain"),
    ],
};

/// The columns of the file of clusters that come before those of attributes.
pub(crate) const CLUSTER_COLUMNS: [&str; 3] = ["cluster", "size", "edges"];

/// A column of attributes: name, values, for each node its value, and whether values are numbers of the format.
pub(crate) type NodeColumn = (String, Strings, Vec<u32>, bool);

/// What a file of a graph has.
#[derive(Debug)]
pub(crate) struct ReadGraph {
    /// The nodes: in the order of the file's own list of them, else in that of edges.
    pub(crate) ids: Strings,
    /// The line of each node; empty where nodes have none of their own.
    pub(crate) id_lines: Vec<u64>,
    /// The edges, by numbers of nodes.
    pub(crate) pairs: Vec<(u32, u32)>,
    /// The line of each edge.
    pub(crate) lines: Vec<u64>,
    /// What is known of nodes, where the file itself says it.
    pub(crate) attributes: Option<Vec<NodeColumn>>,
    /// The columns of both ends, where they have names.
    pub(crate) columns: Vec<(&'static str, String)>,
    /// Its format.
    pub(crate) format: Format,
    /// Malformed lines that were left out.
    pub(crate) refused: u64,
    /// What else is known of edges, by name.
    pub(crate) unmapped: Vec<String>,
    /// Whatever else is in the file.
    pub(crate) uncompared: Vec<String>,
    /// Where the lines of several files begin.
    pub(crate) files: Files,
}

/// What a file is.
#[derive(Debug)]
pub(crate) enum ReadNetwork {
    /// A graph of single nodes.
    Plain(Box<ReadGraph>),
    /// A masked network.
    Masked(Box<ReadMasked>),
}

/// Reads a file that is open already, and those after it.
pub(crate) fn read_opened_graph(
    mut opened: Opened,
    options: &ReadOptions,
    progress: &dyn Progress,
) -> Result<ReadNetwork> {
    let uncompared = opened.source.uncompared.clone();
    let named = {
        let location = opened.location().to_string();
        move |error: Error| {
            if error.place().is_some_and(|place| !place.file.is_empty()) { error } else { error.in_file(&location) }
        }
    };
    if opened.format.kind.is_network() {
        refuse_several(&opened).map_err(&named)?;
        progress.stage("reading", 0);
        let is_gml = opened.format.kind == FormatKind::Gml;
        let format = opened.format;
        let bytes = opened.source.into_bytes()?;
        let text = std::str::from_utf8(&bytes).map_err(|_| named(fields::not_utf8()))?;
        let mut network = if is_gml { gml::parse(text) } else { graphml::parse(text) }.map_err(&named)?;
        network.beside = uncompared.sentences();
        progress.go_on()?;
        return match network.is_masked() {
            true => masked::of_network(network, format).map(|read| ReadNetwork::Masked(Box::new(read))).map_err(&named),
            false => network.into_graph(format).map(|read| ReadNetwork::Plain(Box::new(read))).map_err(&named),
        };
    }
    let own = ReadOptions { columns: Vec::new(), ..options.clone() };
    let head = opened.head(&own).map_err(&named)?;
    if is_masked(&head) {
        refuse_several(&opened).map_err(&named)?;
        return read_opened_masked(opened, options, progress).map(|read| ReadNetwork::Masked(Box::new(read)));
    }
    if are_edges_of_masked(&head) {
        return Err(named(
            Error::refused("these are the edges of a masked network, without its clusters")
                .with_hint("give the file of clusters, `….nodes.csv`; its edges are found beside it"),
        ));
    }
    read_edges(opened, options, progress).map(|read| ReadNetwork::Plain(Box::new(read)))
}

fn refuse_several(opened: &Opened) -> Result<()> {
    match opened.others.is_empty() {
        true => Ok(()),
        false => Err(Error::refused("a network of this form is one file, and several are given")
            .with_hint("lists of edges may be several files: csv, tsv, jsonl, parquet")),
    }
}

/// What stands at a node or an edge in a network's own form.
#[derive(Debug, Default)]
struct Network {
    /// What is said of the graph as a whole.
    says: Vec<(String, String)>,
    ids: Interner,
    id_lines: Vec<u64>,
    columns: Vec<NetworkColumn>,
    pairs: Vec<(u32, u32)>,
    lines: Vec<u64>,
    /// What is known of edges, by name; values of [`EDGE_COUNT`] alone are kept.
    edge_columns: Vec<String>,
    edge_counts: Vec<Option<String>>,
    /// What is in the file and was not read.
    uncompared: Uncompared,
    /// What is in the packed file beside it.
    beside: Vec<String>,
    /// Edges that are held until all nodes are there.
    edges_to_come: Vec<([String; 2], Option<String>, u64)>,
}

/// What is known of nodes by a name.
#[derive(Debug)]
struct NetworkColumn {
    name: String,
    /// Whether it counts the values of a cluster.
    is_counted: bool,
    typed: bool,
    values: Interner,
    /// The value of each node, if it has one.
    cells: Vec<Option<u32>>,
}

/// What says in GraphML that a network is a masked one.
const MARK: (&str, &str) = ("throng", "masked network");
/// The edges that an edge of a masked network stands for.
const EDGE_COUNT: &str = "edges";

impl Network {
    fn is_masked(&self) -> bool {
        self.says.iter().any(|(name, value)| (name.as_str(), value.as_str()) == MARK)
    }

    /// A new node. Refuses one that is there.
    fn node(&mut self, id: &str, line: u64) -> Result<u32> {
        if id.len() >= LONGEST_LINE {
            return Err(Error::data("the id of a node is longer than 16 MiB").at_line(line));
        }
        let known = self.ids.strings().len();
        let number = self.ids.intern(id);
        if (number as usize) < known {
            return Err(Error::data("a node stands there twice").with_value(id).at_line(line));
        }
        self.id_lines.push(line);
        Ok(number)
    }

    /// What is known of a node.
    fn say(&mut self, node: u32, column: usize, text: &str) {
        let column = &mut self.columns[column];
        let value = column.values.intern(text);
        column.cells.resize(column.cells.len().max(node as usize + 1), None);
        column.cells[node as usize] = Some(value);
    }

    /// An edge between two ids. Refuses one whose end is no node.
    fn edge(&mut self, ends: [&str; 2], count: Option<String>, line: u64) -> Result<()> {
        let end = |id: &str| {
            self.ids.find(id).ok_or_else(|| {
                Error::data("an edge ends at a node that the file does not have").with_value(id).at_line(line)
            })
        };
        self.pairs.push((end(ends[0])?, end(ends[1])?));
        self.lines.push(line);
        self.edge_counts.push(count);
        Ok(())
    }

    /// Whatever of the file nobody compares, apart from what is said of the whole graph and of edges.
    fn not_read(&self) -> impl Iterator<Item = String> + use<> {
        self.beside.clone().into_iter().chain(self.uncompared.sentences())
    }

    fn into_graph(self, format: Format) -> Result<ReadGraph> {
        let nodes = self.ids.strings().len();
        let column = |own: NetworkColumn| {
            let mut values = own.values;
            let mut cells = own.cells;
            cells.resize(nodes, None);
            let cells = cells.into_iter().map(|cell| cell.unwrap_or_else(|| values.intern(""))).collect();
            (own.name, values.into_strings(), cells, own.typed)
        };
        if self.pairs.is_empty() && nodes == 0 {
            return Err(Error::data("the file has no node").with_hint("there is nobody to protect in it"));
        }
        let not_read = self.not_read();
        let says = self.says.iter().map(|(name, _)| format!("`{name}` of the whole graph"));
        Ok(ReadGraph {
            uncompared: says.chain(not_read).collect(),
            attributes: Some(self.columns.into_iter().map(column).collect()),
            ids: self.ids.into_strings(),
            id_lines: self.id_lines,
            pairs: self.pairs,
            lines: self.lines,
            columns: Vec::new(),
            format,
            refused: 0,
            unmapped: self.edge_columns,
            files: Files::default(),
        })
    }
}

/// Edges while they are read.
#[derive(Debug, Default)]
struct Edges {
    ids: Interner,
    pairs: Vec<(u32, u32)>,
    lines: Vec<u64>,
    /// The lines of the files before.
    before: u64,
}

/// Edges of a block, with numbers of its own.
#[derive(Debug, Default)]
struct Block {
    ids: Interner,
    edges: Vec<(u32, u32, u64)>,
    /// The most values that a line has, in a list without names.
    width: usize,
    comments: u64,
}

impl Block {
    fn edge(&mut self, source: &str, target: &str, line: u64) {
        let pair = (self.ids.intern(source), self.ids.intern(target));
        self.edges.push((pair.0, pair.1, line));
    }
}

impl Edges {
    fn take(&mut self, block: Block, before: u64) {
        let number: Vec<u32> = block.ids.strings().iter().map(|id| self.ids.intern(id)).collect();
        for (source, target, line) in block.edges {
            self.pairs.push((number[source as usize], number[target as usize]));
            self.lines.push(self.before + before + line);
        }
    }
}

impl RowConsumer<2> for Edges {
    const ROLES: &'static Roles = &EDGE_ROLES;
    type Part = Block;

    fn part(&self) -> Block {
        Block::default()
    }

    fn row<'n>(
        &self,
        block: &mut Block,
        fields: Fields<'_, 2>,
        line: u64,
        name_of: impl Fn(usize) -> &'n str,
    ) -> Result<()> {
        for (role, text) in fields.texts.iter().enumerate() {
            if text.is_empty() {
                return Err(Error::data("an end of the edge is missing")
                    .in_column(name_of(role))
                    .with_hint("`--bad-lines skip` leaves such lines out and counts them"));
            }
        }
        let [source, target] = fields.texts;
        block.edge(source, target, line);
        Ok(())
    }

    fn absorb(&mut self, parts: Vec<(Block, u64)>) {
        for (block, before) in parts {
            self.take(block, before);
        }
    }
}

/// Whether a text is a list whose lines are ids alone: it begins with a comment, has blanks between them, or no names above them.
fn is_bare(opened: &Opened, head: &Head, options: &ReadOptions) -> bool {
    let is_text = matches!(opened.format.kind, FormatKind::Tsv | FormatKind::Csv | FormatKind::Fimi);
    let names_ends = options.columns.iter().any(|choice| EDGE_ROLES.cards.iter().any(|card| card.name == choice.role));
    let begins_with_comment = head.lines.first().is_some_and(|line| line.starts_with(['#', '%']));
    let has_names = || EDGE_ROLES.are_named(&head.names());
    let are_numbers =
        || head.rows.first().is_some_and(|row| row.len() > 1 && row[..2].iter().all(|cell| is_number(cell.trim())));
    is_text
        && !names_ends
        && (opened.format.kind == FormatKind::Fimi
            || begins_with_comment
            || (!has_names() && (options.no_header || are_numbers())))
}

/// Reads a list of edges.
fn read_edges(opened: Opened, options: &ReadOptions, progress: &dyn Progress) -> Result<ReadGraph> {
    let first_format = opened.format;
    let is_end = |role: &str| EDGE_ROLES.cards.iter().any(|card| card.name == role);
    let columns = options.columns.iter().filter(|choice| is_end(&choice.role)).cloned().collect();
    let options = &ReadOptions { columns, ..options.clone() };
    let mut edges = Edges::default();
    let (mut refused, mut uncompared, mut unmapped, mut names) = (0, Vec::new(), Vec::new(), Vec::new());
    let files = Joined::read(opened, options, |mut opened, joined| {
        edges.before = joined.lines;
        let head = opened.head(&ReadOptions { columns: Vec::new(), ..options.clone() })?;
        if is_bare(&opened, &head, options) {
            let found = lines::read(opened, options.bad_lines, &mut edges, progress)?;
            joined.lines += found.lines;
            refused += found.refused;
            uncompared.extend(joined.told(found.uncompared.sentences()));
            add_new(&mut unmapped, (3..=found.width).map(|number| format!("column {number}")).collect());
            return Ok(());
        }
        // Names of columns alone: a graph without edges.
        let is_header_alone = matches!(opened.format.kind, FormatKind::Tsv | FormatKind::Csv)
            && opened.source.is_whole
            && head.lines.len() == 1
            && EDGE_ROLES.are_named(&head.names());
        if is_header_alone {
            joined.lines += 1;
            return Ok(());
        }
        let Opened { source, format, .. } = opened;
        let read = fields::read::<2, _>(source, format, options, &mut edges, progress)?;
        joined.lines += read.lines;
        refused += read.refused;
        uncompared.extend(joined.told(read.uncompared.sentences()));
        add_new(&mut unmapped, read.layout.unmapped);
        if names.is_empty() && read.layout.header {
            names = read.layout.columns.into_iter().map(|(role, name)| (EDGE_ROLES.cards[role].name, name)).collect();
        }
        Ok(())
    })?;
    Ok(ReadGraph {
        ids: edges.ids.into_strings(),
        id_lines: Vec::new(),
        pairs: edges.pairs,
        lines: edges.lines,
        attributes: None,
        columns: names,
        format: first_format,
        refused,
        unmapped,
        uncompared,
        files,
    })
}

/// Whether the names of columns are those of the clusters of a masked network.
fn is_masked(head: &Head) -> bool {
    CLUSTER_COLUMNS.iter().zip(&head.names).all(|(own, name)| own == name) && head.names.len() >= CLUSTER_COLUMNS.len()
}

/// Whether they are those of its edges.
fn are_edges_of_masked(head: &Head) -> bool {
    head.names == masked::EDGE_COLUMNS
}

/// The fewest lines of two numbers that are edges and not baskets.
const FEW_EDGES: usize = 8;

/// How much a file looks like a graph: it is GraphML or GML, its columns are named as both ends of edges or as those of clusters, or it has
/// nothing but pairs of numbers.
pub(crate) fn likeness(head: &Head, options: &ReadOptions) -> Option<Likeness> {
    if head.format.kind.is_network() {
        return Some(Likeness::certain("it is a network in a form of its own"));
    }
    if is_masked(head) || are_edges_of_masked(head) {
        return Some(Likeness::certain("it has the clusters of a masked network"));
    }
    let is_own = |role: &str| ["source", "target", "id"].contains(&role);
    if options.columns.iter().any(|choice| is_own(&choice.role)) {
        return ROLES.have_all(&options.columns).then(Likeness::said);
    }
    if !options.columns.is_empty() {
        return None;
    }
    if head.names.len() <= 4 && EDGE_ROLES.are_named(&head.names()) {
        return Some(Likeness::strong("its columns are named as both ends of edges"));
    }
    // In a comment too, as in the collections of SNAP.
    let words = |line: &str| line.split_ascii_whitespace().map(str::to_lowercase).collect::<Vec<String>>();
    let is_named = |line: &str| {
        let words = words(line);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        words.len() <= 4 && EDGE_ROLES.are_named(&words)
    };
    if head.lines.iter().filter_map(|line| line.strip_prefix(['#', '%'])).any(is_named) {
        return Some(Likeness::strong("a comment names both ends of edges"));
    }
    let lines: Vec<Vec<String>> =
        head.lines.iter().filter(|line| !line.starts_with(['#', '%'])).map(|line| words(line)).collect();
    let is_edge =
        |line: &Vec<String>| line.len() == 2 && line.iter().all(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
    (lines.len() >= FEW_EDGES && lines.iter().all(is_edge))
        .then(|| Likeness::strong("every line is two numbers, as edges are"))
}

/// The file that a location is, where it is one.
fn file_of(location: &Location) -> Option<&std::path::Path> {
    match location {
        Location::File(path) => Some(path),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
