//! Writing vectors: an object with all terms of a document, or a row for each term.
//!
//! Terms come by falling weight. Weights are written with as many digits as it takes to read the same number again.

use std::io::Write;

use throng_core::Result;
use throng_core::data::Documents;
use throng_core::progress::Progress;

use super::super::fields::write::{Column, RowSource, RowWriter, Sort, Value};
use super::super::write::{Person, Pieces, push_json};
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
    if format.kind != FormatKind::JsonLines {
        let column = |(name, sort, optional): (&str, Sort, bool)| Column { name: name.to_owned(), sort, optional };
        let columns =
            [("id", Sort::Person { typed: false }, false), ("term", Sort::Text, true), ("weight", Sort::Weight, true)];
        let columns = columns.map(column).to_vec();
        let mut rows = RowWriter::new(out, format, columns, true, raw_cells, PIECE)?;
        rows.append(documents, persons, progress)?;
        rows.finish()?;
    } else {
        let pieces: Vec<&[Person<'_>]> = persons.chunks(PIECE).collect();
        let mut text = Pieces::new(out, format.compression, Vec::new());
        let write = |piece: &&[Person<'_>], out: &mut Vec<u8>| {
            piece.iter().for_each(|person| push_object(documents, person, out));
            Ok(())
        };
        text.append(&pieces, |piece| piece.len() as u64, write, progress)?;
        text.finish(Vec::new())?;
    }
    Ok(persons.iter().map(|person| documents.range(person.person as usize).len() as u64).sum())
}

fn push_object(documents: &Documents, person: &Person<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"id\":");
    push_json(person.name, out);
    out.extend_from_slice(b",\"terms\":{");
    for (at, &(term, weight)) in documents.vector(person.person as usize).iter().enumerate() {
        out.extend_from_slice(if at > 0 { b"," } else { b"" });
        push_json(documents.terms().get(term), out);
        out.extend_from_slice(format!(":{weight}").as_bytes());
    }
    out.extend_from_slice(b"}}\n");
}

impl RowSource for Documents {
    /// A document without a term is one all the same.
    fn rows_of(&self, person: u32) -> usize {
        self.vector(person as usize).len().max(1)
    }

    fn weight_of(&self, _person: u32) -> usize {
        1
    }

    fn each<'s>(&'s self, person: u32, mut take: impl FnMut(&[Value<'s>])) {
        let vector = self.vector(person as usize);
        for &(term, weight) in vector {
            take(&[Value::Person, Value::String(self.terms(), term, false), Value::Weight(weight)]);
        }
        if vector.is_empty() {
            take(&[Value::Person, Value::Nothing, Value::Nothing]);
        }
    }
}
