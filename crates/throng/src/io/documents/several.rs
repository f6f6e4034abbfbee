//! Documents of several files or folders, put together.
//!
//! A document is called by its id, or, where a file has none, by the number of its line, counted on from file to file. One of a
//! folder is called by the folder and its path in it: two folders may have files of one name. An id that stands in two files is two
//! texts under one name, which is malformed, as it is in one file.

use throng_core::data::DocumentsBuilder;
use throng_core::{Error, Result};

use super::super::Location;
use super::super::files::{Files, Joined, add_new};
use super::super::scan::{BadLines, ReadOptions};
use super::{DocumentForm, DocumentRole, ReadDocuments};

/// What was read so far.
pub(super) struct Several {
    builder: DocumentsBuilder,
    whole: Option<ReadDocuments>,
    first_lines: Vec<u64>,
}

impl Several {
    /// Nothing yet; the first file says what terms mean.
    pub(super) fn new(first: &ReadDocuments) -> Self {
        let builder = DocumentsBuilder::new(first.documents.taxonomy().cloned());
        Self { builder, whole: None, first_lines: Vec::new() }
    }

    /// Takes one more file or folder.
    pub(super) fn add(
        &mut self,
        mut read: ReadDocuments,
        location: &Location,
        joined: &mut Joined,
        options: &ReadOptions,
    ) -> Result<()> {
        let before = joined.lines;
        joined.lines += read.lines;
        let has_ids = read.columns.iter().any(|(role, _)| *role == DocumentRole::Id);
        let name = |document: usize| match (location, read.first_lines.get(document)) {
            (Location::Folder(folder), _) => {
                format!("{}/{}", folder.display(), read.documents.names().get(document as u32))
            }
            (_, Some(line)) if !has_ids => (before + line).to_string(),
            _ => read.documents.names().get(document as u32).to_owned(),
        };
        let twice = self.builder.push_all(&read.documents, name);
        if let (Some(&first), BadLines::Fail) = (twice.first(), options.bad_lines) {
            return Err(Error::data("there is a document with this id in another file already")
                .with_value(name(first))
                .at_line(read.first_lines.get(first).copied().unwrap_or_default())
                .with_hint("every document has an id of its own; `--bad-lines skip` leaves the later ones out"));
        }
        let is_kept = |(at, line): (usize, &u64)| (!twice.contains(&at)).then_some(before + line);
        self.first_lines.extend(read.first_lines.iter().enumerate().filter_map(is_kept));
        read.refused += twice.len() as u64;
        read.uncompared = joined.told(std::mem::take(&mut read.uncompared));
        let Some(whole) = &mut self.whole else {
            self.whole = Some(read);
            return Ok(());
        };
        joined.agree(&roles(whole), &roles(&read))?;
        whole.words = whole.words.zip(read.words).map(|(words, more)| words + more);
        whole.refused += read.refused;
        whole.left_out += read.left_out;
        whole.labels += read.labels;
        whole.uncompared.extend(read.uncompared);
        add_new(&mut whole.unmapped, read.unmapped);
        Ok(())
    }

    /// The documents of all of them, laid out as the first.
    pub(super) fn finish(self, files: Files) -> Option<ReadDocuments> {
        let (documents, first_lines) = (self.builder.finish(), self.first_lines);
        self.whole.map(|whole| ReadDocuments { documents, first_lines, files, ..whole })
    }
}

/// What the columns of a file hold; of a folder, that it is one.
fn roles(read: &ReadDocuments) -> Vec<&'static str> {
    match read.form {
        DocumentForm::Folder => vec!["one file for each document"],
        // In one column, or in two.
        DocumentForm::Vectors => vec!["id", "terms with weights"],
        // A label is never published: it may be missing.
        DocumentForm::Texts => {
            read.columns.iter().map(|(role, _)| role.name()).filter(|role| *role != "label").collect()
        }
    }
}
