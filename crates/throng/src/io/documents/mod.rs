//! Reading and writing documents: a folder of files, texts in lines, or vectors of weighted terms.
//!
//! A text becomes a vector as soon as it is read, so that never more than a few texts are in memory. Files and lines are
//! read in parallel and put together in their order: the result does not depend on the number of threads.
//!
//! # Readings
//! A document of a folder is called by its path in it; where the folder has sub-folders, the name of the first on the way is
//! its label, the usual form of labelled collections. Lines without an id are called by their number. A document without
//! a single term is one all the same.

mod folder;
mod html;
mod lines;
mod markdown;
mod pdf;
mod pdf_streams;
mod plain;
mod several;
mod write;

use std::sync::Arc;

use throng_core::data::Documents;
use throng_core::progress::Progress;
use throng_core::taxonomy::Taxonomy;
use throng_core::{Error, Result};

use super::files::{Files, Joined};
use super::head::{Head, Likeness, Sort};
use super::places::{LookAt, Place};
use super::roles::{RoleCard, Roles, Suits};
use super::uncompared::Uncompared;
use super::{Format, FormatKind, Location, Opened, ReadOptions, queries};

use several::Several;

pub use folder::{hash_folder, read_pages};
pub use write::write_documents;

/// What a column or key of a file with documents holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentRole {
    /// Which document.
    Id,
    /// Its text.
    Text,
    /// The class that it belongs to. Never published.
    Label,
    /// All its terms with their weights.
    Terms,
    /// One of its terms.
    Term,
    /// The weight of that.
    Weight,
}

impl DocumentRole {
    /// The role's name, as in `--column text=…`.
    pub fn name(self) -> &'static str {
        ROLES.cards[self as usize].name
    }
}

/// The roles of documents, in the order of [`DocumentRole`]. Which of them a file must have depends on its form.
pub(crate) static ROLES: Roles = Roles {
    of: "documents do",
    cards: &[
        role("id", &["id", "docid", "documentid", "document", "doc", "name", "filename", "file", "path"]),
        role("text", &["text", "body", "content", "contents", "fulltext"]),
        role("label", &["label", "class", "category", "topic"]),
        role("terms", &["terms"]),
        role("term", &["term"]),
        role("weight", &["weight"]),
    ],
};

const fn role(name: &'static str, known_names: &'static [&'static str]) -> RoleCard {
    RoleCard {
        name,
        other_name: None,
        required: false,
        may_be_cut: false,
        suits: Suits::TextOrNumber,
        known_names,
        beside: None,
    }
}

/// How a file holds documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentForm {
    /// A folder with a file for each.
    Folder,
    /// A line with the text of each.
    Texts,
    /// Terms with weights.
    Vectors,
}

/// Documents as read.
#[derive(Debug)]
pub struct ReadDocuments {
    /// The documents.
    pub documents: Documents,
    /// How they were held.
    pub form: DocumentForm,
    /// The file's format; of a folder, that of a release of it.
    pub format: Format,
    /// How many words the texts have, stop words and unknown ones included; nothing is known of the texts of vectors.
    pub words: Option<u64>,
    /// Files or lines that could not be read and were left out on request.
    pub refused: u64,
    /// Files of a folder that are hidden, links, or of other endings, which were left out.
    pub left_out: u64,
    /// The line in which each document first appears; empty for a folder.
    pub first_lines: Vec<u64>,
    /// The columns that have a role.
    pub columns: Vec<(DocumentRole, String)>,
    /// Columns without a role, which a release does not have.
    pub unmapped: Vec<String>,
    /// What a file holds beside its documents, which no model compares; a release has none of it.
    pub uncompared: Vec<String>,
    /// How many documents of a file have a label.
    pub labels: u64,
    /// How many lines a file has; 0 for a folder.
    pub lines: u64,
    /// Where the lines of several files begin.
    pub files: Files,
}

impl ReadDocuments {
    /// What no model compares: what the file holds beside its documents, and their labels.
    pub fn uncompared_with_labels(&self) -> Vec<String> {
        let labels = Uncompared::default();
        labels.note_many("a label of a document", self.labels);
        self.uncompared.iter().cloned().chain(labels.sentences()).collect()
    }

    /// How many documents have no term.
    pub fn without_terms(&self) -> u64 {
        (0..self.documents.persons()).filter(|&document| self.documents.range(document).is_empty()).count() as u64
    }
}

/// Reads documents. The taxonomy is asked for only if there are texts: vectors are taken as they are.
pub fn read_documents(
    location: &Location,
    options: &ReadOptions,
    taxonomy: impl FnOnce() -> Result<Arc<Taxonomy>>,
    progress: &dyn Progress,
) -> Result<ReadDocuments> {
    read_opened_documents(Opened::open(location, options)?, options, taxonomy, progress)
}

/// Reads documents from what is open already, and from the files and folders after it.
pub fn read_opened_documents(
    opened: Opened,
    options: &ReadOptions,
    taxonomy: impl FnOnce() -> Result<Arc<Taxonomy>>,
    progress: &dyn Progress,
) -> Result<ReadDocuments> {
    if opened.others.is_empty() {
        let location = opened.location().to_string();
        return read_one(opened, options, taxonomy, progress).map_err(|error| error.in_file(location));
    }
    let mut taxonomy = Some(taxonomy);
    let mut loaded: Option<Arc<Taxonomy>> = None;
    let mut several: Option<Several> = None;
    let files = Joined::read(opened, options, |opened, joined| {
        let location = opened.location().clone();
        let load = || match (&loaded, taxonomy.take()) {
            (Some(loaded), _) => Ok(Arc::clone(loaded)),
            (None, Some(taxonomy)) => Ok(Arc::clone(loaded.insert(taxonomy()?))),
            (None, None) => Err(Error::internal("a taxonomy was asked for twice")),
        };
        let read = read_one(opened, options, load, progress)?;
        let several = several.get_or_insert_with(|| Several::new(&read));
        several.add(read, &location, joined, options)
    })?;
    several.and_then(|several| several.finish(files)).ok_or_else(|| Error::internal("no file was read"))
}

/// Reads documents from one file or folder.
fn read_one(
    opened: Opened,
    options: &ReadOptions,
    taxonomy: impl FnOnce() -> Result<Arc<Taxonomy>>,
    progress: &dyn Progress,
) -> Result<ReadDocuments> {
    if let Location::Folder(path) = opened.location() {
        return folder::read(path, options, opened.format, &taxonomy()?, progress);
    }
    lines::read(opened, options, taxonomy, progress)
}

/// The places of what is found in the texts of a file; nothing if it has vectors, or is a folder.
pub(crate) fn document_places(
    opened: Opened,
    options: &ReadOptions,
    look: LookAt<'_>,
    progress: &dyn Progress,
) -> Result<Option<Vec<Place>>> {
    if let Location::Folder(_) = opened.location() {
        return Ok(None);
    }
    lines::places(opened, options, look, progress)
}

/// How much a file looks like documents: it names a text and no query, or terms with weights.
pub(crate) fn likeness(head: &Head, options: &ReadOptions) -> Option<Likeness> {
    if !ROLES.have_all(&options.columns) {
        return None;
    }
    if !options.columns.is_empty() {
        return Some(Likeness::said());
    }
    if head.format.kind == FormatKind::Fimi {
        return None;
    }
    let names = head.names();
    let place = |role: DocumentRole| names.iter().position(|name| ROLES.cards[role as usize].knows(name));
    let has = |role: DocumentRole| place(role).is_some();
    let is_object = place(DocumentRole::Terms).is_some_and(|at| head.sorts[at] == Sort::Object);
    let is_vectors = has(DocumentRole::Id) && (is_object || (has(DocumentRole::Term) && has(DocumentRole::Weight)));
    let has_query = names.iter().any(|name| queries::ROLES.cards[queries::Role::Query as usize].knows(name));
    let is_texts = has(DocumentRole::Text) && !has_query;
    let vectors = is_vectors.then(|| Likeness::probable("it has terms with weights"));
    vectors.or(is_texts.then(|| Likeness::probable("it has a column of texts and none of queries")))
}

/// The format in which documents are published: that of the input, where vectors can be written so.
pub fn release_format(input: Format, asked: Option<Format>) -> Result<Format> {
    match asked.unwrap_or(input) {
        format if format.kind == FormatKind::Fimi => {
            Err(Error::refused(format!("documents cannot be written as {format}"))
                .with_hint("choose jsonl, csv, tsv (also .gz, .zst) or parquet"))
        }
        format => Ok(format),
    }
}
