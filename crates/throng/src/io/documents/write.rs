//! Writing vectors: an object with all terms of a document, or a row for each term.
//!
//! Terms come by falling weight. Weights are written with as many digits as it takes to read the same number again.

use std::io::Write;

use rayon::prelude::*;
use throng_core::data::Documents;
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::super::cells::Cells;
use super::super::write::{Person, compress, failed};
use super::super::{Format, FormatKind};

/// Documents in a piece. Pieces do not depend on the number of threads, so the bytes are the same on any machine.
const PIECE: usize = 1 << 10;

/// Writes documents under the names given, in that order. Labels are not written. `raw_cells` leaves cells of CSV that look
/// like formulas of a spreadsheet as they are. Gives the number of terms.
pub fn write_documents<W: Write + Send>(
    out: &mut W,
    format: Format,
    raw_cells: bool,
    documents: &Documents,
    persons: &[Person<'_>],
    progress: &dyn Progress,
) -> Result<u64> {
    if !matches!(format.kind, FormatKind::JsonLines | FormatKind::Csv) {
        return Err(Error::internal("documents are written as JSON lines or CSV"));
    }
    let mut first = if format.kind == FormatKind::Csv { b"id,term,weight\n".to_vec() } else { Vec::new() };
    let pieces: Vec<&[Person<'_>]> = persons.chunks(PIECE).collect();
    for batch in pieces.chunks(4 * rayon::current_num_threads().max(1)) {
        let start = std::mem::take(&mut first);
        let texts: Vec<_> = batch
            .par_iter()
            .with_max_len(1)
            .enumerate()
            .map(|(at, piece)| {
                let mut text = if at == 0 { start.clone() } else { Vec::new() };
                for person in *piece {
                    write_document(Cells { kind: format.kind, raw: raw_cells }, documents, person, &mut text);
                }
                compress(text, format.compression)
            })
            .collect();
        for text in texts {
            out.write_all(&text.map_err(failed)?).map_err(failed)?;
        }
        progress.advance(batch.iter().map(|piece| piece.len() as u64).sum());
        progress.go_on()?;
    }
    if !first.is_empty() {
        out.write_all(&compress(first, format.compression).map_err(failed)?).map_err(failed)?;
    }
    out.flush().map_err(failed)?;
    Ok(persons.iter().map(|person| documents.range(person.person as usize).len() as u64).sum())
}

fn write_document(cells: Cells, documents: &Documents, person: &Person<'_>, out: &mut Vec<u8>) {
    let vector = documents.vector(person.person as usize);
    let json = |text: &str| serde_json::Value::from(text).to_string();
    if cells.kind == FormatKind::JsonLines {
        out.extend_from_slice(format!("{{\"id\":{},\"terms\":{{", json(person.name)).as_bytes());
        for (at, &(term, weight)) in vector.iter().enumerate() {
            let comma = if at > 0 { "," } else { "" };
            out.extend_from_slice(format!("{comma}{}:{weight}", json(documents.terms().get(term))).as_bytes());
        }
        out.extend_from_slice(b"}}\n");
        return;
    }
    for &(term, weight) in vector {
        cells.push(person.name.as_bytes(), out);
        out.push(b',');
        cells.push(documents.terms().get(term).as_bytes(), out);
        out.extend_from_slice(format!(",{weight}\n").as_bytes());
    }
    // A document without a term is one all the same.
    if vector.is_empty() {
        cells.push(person.name.as_bytes(), out);
        out.extend_from_slice(b",,\n");
    }
}
