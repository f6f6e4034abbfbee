//! `throng link translate`: the numbers of rows in a file of pairs become a holder's own ids.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde::Serialize;
use throng_core::{Error, Result};

use super::tables::Csv;
use super::{Outputs, csv_line};

/// What to translate.
#[derive(Debug, Clone)]
pub struct TranslateRequest {
    /// Pairs as `match` writes them.
    pub pairs: PathBuf,
    /// The ids of the rows of the first file.
    pub a: Option<PathBuf>,
    /// The ids of the rows of the second file.
    pub b: Option<PathBuf>,
    /// The file to make.
    pub out: PathBuf,
}

/// What was translated.
#[derive(Debug, Serialize)]
pub struct Translated {
    /// The file that was made.
    pub file: String,
    /// How many pairs it has.
    pub pairs: u64,
    /// How many pairs had a row that is nobody's, and were left out.
    pub left_out: u64,
}

/// A key file: the id of each row; rows that are nobody's have none.
pub(super) fn rows_key(path: &Path) -> Result<HashMap<String, String>> {
    let csv = Csv::read(path)?;
    let (row, id) = (csv.column("row")?, csv.column("id")?);
    let mut ids = HashMap::new();
    for (line, cells) in &csv.rows {
        let is_number = cells[row].bytes().all(|byte| byte.is_ascii_digit()) && !cells[row].is_empty();
        if !is_number || ids.insert(cells[row].clone(), cells[id].clone()).is_some() {
            return Err(Error::data("a row has no number, or one that stands twice")
                .in_file(csv.name.clone())
                .at_line(*line)
                .with_hint("it must be the file that `throng link encode --key` made"));
        }
    }
    Ok(ids)
}

/// Whether a file is one of clusters, as `dedupe` makes it, not of pairs.
fn is_clusters(csv: &Csv) -> bool {
    let has = |wanted: &str| csv.names().any(|name| name == wanted);
    has("id") && has("cluster") && !has("a")
}

/// Puts ids in the place of numbers.
pub fn translate(request: &TranslateRequest) -> Result<Translated> {
    if request.a.is_none() && request.b.is_none() {
        return Err(Error::parameter("a", "or `--b` must name a key file, that of the holder who translates"));
    }
    let csv = Csv::read(&request.pairs)?;
    let names: &[&str] = if is_clusters(&csv) { &["id"] } else { &["a", "b"] };
    let places = names.iter().map(|name| csv.column(name)).collect::<Result<Vec<_>>>()?;
    if names.len() == 1 && request.a.is_none() {
        return Err(Error::parameter("a", "must name the key file: the clusters are of one file"));
    }
    let keys = [&request.a, &request.b].into_iter().take(names.len());
    let keys: Vec<Option<HashMap<String, String>>> =
        keys.map(|key| key.as_deref().map(rows_key).transpose()).collect::<Result<_>>()?;
    let mut text = Vec::new();
    csv_line(&csv.names().collect::<Vec<_>>(), &mut text);
    let (mut pairs, mut left_out) = (0, 0);
    'rows: for (line, cells) in &csv.rows {
        let mut cells: Vec<&str> = cells.iter().map(String::as_str).collect();
        for ((&place, key), name) in places.iter().zip(&keys).zip(names) {
            let Some(key) = key else { continue };
            let id = key.get(cells[place]).ok_or_else(|| {
                Error::data("the key file has no row of this number")
                    .in_column(*name)
                    .at_line(*line)
                    .in_file(csv.name.clone())
                    .with_hint("is it the key of the file that was matched, and not translated already?")
            })?;
            if id.is_empty() {
                left_out += 1;
                continue 'rows;
            }
            cells[place] = id;
        }
        csv_line(&cells, &mut text);
        pairs += 1;
    }
    let mut outputs = Outputs::default();
    outputs.write(&request.out, &text, true)?;
    outputs.publish()?;
    Ok(Translated { file: request.out.display().to_string(), pairs, left_out })
}
