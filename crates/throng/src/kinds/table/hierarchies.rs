//! The hierarchies of a table's columns, from files: `--hierarchy COLUMN=FILE`, and a folder of them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use throng_core::data::table::{Column, Hierarchy};
use throng_core::{Error, Result};

use super::schema::{HierarchyAt, Schema};
use crate::kinds::Ask;
use crate::limits;
use crate::taxonomy::{Form, read as read_taxonomy};

/// A value, then `*`.
pub(super) const FLAT: &str = "flat";

/// Gives columns their hierarchies. `is_original` says whether a flat one can be made of the column's own values, `takes_bare` whether a file of
/// values with no level above them is a hierarchy, of height 0.
pub(super) fn attach(
    columns: &mut [Column],
    ask: &Ask,
    schema: &Schema,
    [is_original, takes_bare]: [bool; 2],
    notes: &mut Vec<String>,
) -> Result<()> {
    let mut specs: Vec<(String, HierarchyAt)> = Vec::new();
    for said in &ask.hierarchies {
        let (name, spec) =
            said.split_once('=').filter(|(name, spec)| !name.is_empty() && !spec.is_empty()).ok_or_else(|| {
                Error::parameter("hierarchy", format!("is `{said}`, but must be a column and a file"))
                    .with_hint("for example `--hierarchy age=age.csv`, or `--hierarchy zip=flat`")
            })?;
        if specs.iter().any(|(other, _)| other == name) {
            return Err(Error::parameter("hierarchy", format!("is given twice for the column `{name}`")));
        }
        specs.push((name.to_owned(), HierarchyAt::Place(spec.to_owned())));
    }
    if let Some(folder) = &ask.hierarchies_in {
        let files = files_of(folder)?;
        for column in columns.iter() {
            if let Some(file) = file_for(&files, &column.name)
                && specs.iter().all(|(name, _)| *name != column.name)
            {
                specs.push((column.name.clone(), HierarchyAt::Place(file.display().to_string())));
            }
        }
    }
    for (name, said) in &schema.columns {
        if let Some(spec) = &said.hierarchy
            && specs.iter().all(|(other, _)| other != name)
            && columns.iter().any(|column| column.name == *name)
        {
            specs.push((name.clone(), spec.clone()));
        }
    }
    for (name, spec) in specs {
        let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
        let Some(column) = columns.iter_mut().find(|column| column.name == name) else {
            // A release need not have all columns of its original.
            if is_original {
                return Err(Error::unknown("column", &name, names.iter().map(String::as_str)));
            }
            continue;
        };
        let hierarchy = match &spec {
            HierarchyAt::Place(place) if place == FLAT && is_original => Hierarchy::flat(column.values.iter())?,
            HierarchyAt::Place(place) if place == FLAT => continue,
            HierarchyAt::Place(file) => {
                let found = if takes_bare { bare(Path::new(file))? } else { None };
                match found {
                    Some(bare) => bare,
                    None => read(Path::new(file)).map_err(|error| error.in_file(file.to_owned()))?,
                }
            }
            HierarchyAt::Text(text) => Hierarchy::of_text(text)
                .map_err(|error| error.in_file(format!("the hierarchy of `{name}` in the project")))?,
        };
        if let Some((_, highest)) = column.settings.levels
            && highest > hierarchy.height()
        {
            return Err(Error::parameter(
                "levels",
                format!(
                    "of `{name}` end at {highest}, but its hierarchy has only {} above its values",
                    hierarchy.height()
                ),
            )
            .with_hint("level 0 is the values themselves"));
        }
        if hierarchy.is_ambiguous() {
            notes.push(format!(
                "a label in the hierarchy of `{name}` stands on two levels for different values: its cells are read as the higher one"
            ));
        }
        column.hierarchy = Some(Arc::new(hierarchy));
    }
    for column in columns.iter().filter(|_| is_original) {
        let said = schema.column(&column.name).and_then(|said| said.intervals);
        let problem = match said {
            Some(false) if column.hierarchy.is_none() => "is to be generalised by a hierarchy, and has none",
            Some(true) if !column.kind.is_numeric() => "is to be generalised to intervals, and has texts",
            _ => continue,
        };
        return Err(Error::refused(format!("the column `{}` {problem}", column.name))
            .with_hint("`hierarchy = \"FILE\"` names a hierarchy; intervals are for numbers and days"));
    }
    Ok(())
}

/// Reads a hierarchy: ARX's form, or any form of a taxonomy.
pub(crate) fn read(path: &Path) -> Result<Hierarchy> {
    let bytes = limits::read_file(path, "the hierarchy ", limits::MOST_TAXONOMY_BYTES)?;
    let as_text = std::str::from_utf8(&bytes).map(|text| text.trim_start_matches('\u{feff}'));
    if let Ok(text) = as_text
        && matches!(Form::recognise(&bytes), Ok(Form::Arx) | Err(_))
    {
        return Hierarchy::of_text(text);
    }
    let (tree, _) = read_taxonomy(path, None)?;
    Hierarchy::of_taxonomy(&tree)
}

/// Reads a hierarchy of values alone; nothing of a file that says more.
fn bare(path: &Path) -> Result<Option<Hierarchy>> {
    let bytes = limits::read_file(path, "the hierarchy ", limits::MOST_TAXONOMY_BYTES)?;
    let Ok(text) = std::str::from_utf8(&bytes) else { return Ok(None) };
    let found = Hierarchy::without_levels(text.trim_start_matches('\u{feff}'));
    found.map_err(|error| error.in_file(path.display().to_string()))
}

fn files_of(folder: &Path) -> Result<Vec<PathBuf>> {
    let failed = |cause| Error::io(format!("read the folder {}", folder.display()), cause);
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// The file of a column: `<column>.csv`, or `<anything>_hierarchy_<column>.csv`.
fn file_for<'a>(files: &'a [PathBuf], column: &str) -> Option<&'a PathBuf> {
    let is_it = |path: &&PathBuf| {
        let stem = path.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_suffix(".csv"));
        stem.is_some_and(|stem| stem == column || stem.ends_with(&format!("_hierarchy_{column}")))
    };
    files.iter().find(is_it)
}
