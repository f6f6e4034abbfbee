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
mod plain;
mod write;

use std::sync::Arc;

use throng_core::data::Documents;
use throng_core::progress::Progress;
use throng_core::taxonomy::Taxonomy;
use throng_core::{Error, Kind, Result};

use super::columns::{self, Role};
use super::uncompared::Uncompared;
use super::{Format, FormatKind, Location, Opened, ReadOptions, scan};

pub use folder::hash_folder;
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
    const ALL: [Self; 6] = [Self::Id, Self::Text, Self::Label, Self::Terms, Self::Term, Self::Weight];

    /// The role's name, as in `--column text=…`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Id => "id",
            Self::Text => "text",
            Self::Label => "label",
            Self::Terms => "terms",
            Self::Term => "term",
            Self::Weight => "weight",
        }
    }

    /// The role with this name.
    pub(super) fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }

    /// Names that are taken for this role, in lower case without `_`, `-` and blanks; the likeliest first.
    fn known_names(self) -> &'static [&'static str] {
        match self {
            Self::Id => &["id", "docid", "documentid", "document", "doc", "name", "filename", "file", "path"],
            Self::Text => &["text", "body", "content", "contents", "fulltext"],
            Self::Label => &["label", "class", "category", "topic"],
            Self::Terms => &["terms"],
            Self::Term => &["term"],
            Self::Weight => &["weight"],
        }
    }

    /// The column with this role: the one that was chosen, or the likeliest by its name.
    fn find(self, names: &[&str], options: &ReadOptions) -> Option<usize> {
        match options.document_columns.iter().find(|(role, _)| *role == self) {
            Some((_, chosen)) => names.iter().position(|name| name == chosen),
            None => columns::find_name(names, self.known_names()),
        }
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
    let options = ReadOptions { kind: Some(Kind::Documents), ..options.clone() };
    read_opened_documents(Opened::open(location, &options)?, &options, taxonomy, progress)
}

/// Reads documents from what is open already.
pub fn read_opened_documents(
    opened: Opened,
    options: &ReadOptions,
    taxonomy: impl FnOnce() -> Result<Arc<Taxonomy>>,
    progress: &dyn Progress,
) -> Result<ReadDocuments> {
    let Opened { source, format, .. } = opened;
    let location = source.location.clone();
    if let Some(choice) = options.columns.first() {
        let role = choice.role.name();
        return Err(Error::parameter("column", format!("names the {role}, which documents do not have")).with_hint(
            "the roles of documents are id, text and label; of vectors id, term and weight, or id and terms",
        ));
    }
    if options.item_column.is_some() {
        return Err(Error::parameter("column", "names the item, which documents do not have")
            .with_hint("the roles of documents are id, text and label; baskets are `--kind baskets`"));
    }
    if let Location::Folder(path) = &location {
        return folder::read(path, options, format, &taxonomy()?, progress);
    }
    let named = |error: Error| error.in_file(location.to_string());
    scan::refuse_parquet(&source).map_err(named)?;
    lines::read(source, options, format, taxonomy, progress).map_err(named)
}

/// Whether columns or keys with these names hold documents: vectors, or texts that are no queries.
pub(super) fn looks_like_documents(names: &[&str], options: &ReadOptions, is_object: impl Fn(usize) -> bool) -> bool {
    let find = |role: DocumentRole| role.find(names, options);
    let has_id = find(DocumentRole::Id).is_some();
    let is_vectors = has_id
        && (find(DocumentRole::Terms).is_some_and(is_object)
            || (find(DocumentRole::Term).is_some() && find(DocumentRole::Weight).is_some()));
    let has_query = names.iter().any(|name| columns::role_of_name(name) == Some(Role::Query));
    is_vectors || (find(DocumentRole::Text).is_some() && !has_query)
}

/// The format in which documents are published: that of the input, where vectors can be written so.
pub fn release_format(input: Format, asked: Option<Format>) -> Result<Format> {
    match asked {
        Some(format) if matches!(format.kind, FormatKind::JsonLines | FormatKind::Csv) => Ok(format),
        Some(format) => Err(Error::refused(format!("documents cannot be written as {format}"))
            .with_hint("choose jsonl or csv (also .gz, .zst)")),
        None if input.kind == FormatKind::Csv => Ok(input),
        None => Ok(Format { kind: FormatKind::JsonLines, ..input }),
    }
}
