//! Made-up graphs in files: edges, what is known of persons, and the hierarchies of that.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use throng_core::data::table::{Column, ColumnRole, ColumnType, Missing, Table};
use throng_core::data::{Dataset as _, Graph, Interner};
use throng_core::progress::Progress;
use throng_core::synth::graph::{self as made_up, MadeGraph};
use throng_core::{Error, Result};

use crate::io::graph::write_edges;
use crate::io::{self, Compression, Format, FormatKind, Person, TableColumn, TableLayout};
use crate::kinds::{Kinded as _, Made};
use crate::pending;
use crate::run::{SynthRequest, refuse_existing};
use crate::words::counted;

pub(super) fn make(request: &SynthRequest, stdout: &mut (dyn Write + Send), progress: &dyn Progress) -> Result<Made> {
    progress.stage("making up a graph", 0);
    if request.paper {
        return of_paper(request, progress);
    }
    let shape = if request.shape.is_empty() { made_up::SHAPES[0] } else { request.shape.as_str() };
    let params = made_up::Params {
        persons: request.persons,
        degree: request.degree,
        shape: shape.to_owned(),
        seed: request.seed,
    };
    let made = made_up::graph(&params)?;
    let format = request.format_of(&Graph::CARD)?;
    for place in request.nodes_out.iter().chain(&request.hierarchies_out) {
        refuse_existing(place)?;
    }
    let rows = request.to_file(stdout, |mut out| write_edges(&mut out, format, &made.graph, progress))?;
    if let Some(nodes) = &request.nodes_out {
        write_nodes(nodes, &made.graph, progress)?;
    }
    if let Some(folder) = &request.hierarchies_out {
        write_hierarchies(folder, &made)?;
    }
    let persons = counted(request.persons as u64, "person", "persons");
    Ok(Made { rows, said: format!("{} of {persons}", counted(rows, "edge", "edges")) })
}

/// The graphs of the paper's experiment, in a folder.
fn of_paper(request: &SynthRequest, progress: &dyn Progress) -> Result<Made> {
    if request.to_stdout() {
        return Err(Error::parameter("paper", "makes several files, and standard output is one")
            .with_hint("name a folder: `--out graphs`"));
    }
    refuse_existing(&request.out)?;
    let failed = |cause| Error::io(format!("write {}", request.out.display()), cause);
    std::fs::create_dir_all(&request.out).map_err(failed)?;
    let mut rows = 0;
    let all = made_up::of_paper(request.seed)?;
    for (name, made) in &all {
        let mut text = Vec::new();
        rows += write_edges(&mut text, Format::new(FormatKind::Csv, Compression::None), &made.graph, progress)?;
        pending::replace(&request.out.join(format!("{name}.csv")), &text, false)?;
        write_nodes(&request.out.join(format!("{name}.nodes.csv")), &made.graph, progress)?;
    }
    if let Some((_, made)) = all.first() {
        write_hierarchies(&request.out.join("hierarchies"), made)?;
    }
    Ok(Made { rows, said: format!("{} in three graphs of 300 persons", counted(rows, "edge", "edges")) })
}

/// What is known of persons, a row each.
fn write_nodes(place: &Path, graph: &Graph, progress: &dyn Progress) -> Result<()> {
    refuse_existing(place)?;
    let format = Format::of_path(place).filter(|format| !format.kind.has_no_rows() && format.kind != FormatKind::Fimi);
    let format = format.ok_or_else(|| {
        Error::parameter("nodes-out", format!("is `{}`, whose ending says no format of tables", place.display()))
            .with_hint("end it with .csv, .tsv, .jsonl or .parquet")
    })?;
    let mut ids = Interner::new();
    let cells = graph.names().iter().map(|name| ids.intern(name)).collect();
    let id = Column {
        name: "id".to_owned(),
        role: ColumnRole::Plain,
        kind: ColumnType::Text,
        values: Arc::new(ids.into_strings()),
        cells,
        hierarchy: None,
        settings: Arc::default(),
    };
    let known = graph.attributes().map(|table| table.columns().to_vec()).unwrap_or_default();
    let table = Table::of_rows(std::iter::once(id).chain(known).collect());
    let column = |column: &Column| TableColumn {
        name: column.name.clone(),
        role: column.role,
        kind: column.kind,
        typed: matches!(column.kind, ColumnType::Integer | ColumnType::Real),
        settings: Arc::clone(&column.settings),
    };
    let layout = TableLayout {
        columns: table.columns().iter().map(column).collect(),
        unpublished: Vec::new(),
        header: true,
        raw_cells: false,
        missing: Missing::default(),
        missing_values: Vec::new(),
        rounded: None,
        repeated: None,
        reals: Vec::new(),
    };
    let persons: Vec<Person<'_>> = (0..table.persons() as u32).map(|person| Person { name: "", person }).collect();
    let mut text = Vec::new();
    io::write_table(&mut text, format, &layout, &table, &persons, progress)?;
    pending::replace(place, &text, false)
}

fn write_hierarchies(folder: &Path, made: &MadeGraph) -> Result<()> {
    let failed = |cause| Error::io(format!("write {}", folder.display()), cause);
    std::fs::create_dir_all(folder).map_err(failed)?;
    for (name, lines) in &made.hierarchies {
        let text: String = lines.iter().map(|line| line.join(";") + "\n").collect();
        pending::replace(&folder.join(format!("{name}.csv")), text.as_bytes(), false)?;
    }
    Ok(())
}
