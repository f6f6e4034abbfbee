//! From a file to baskets or documents that a method can work on: read or made of words, over a taxonomy, with sensitive
//! items.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use throng_core::concepts::{Mapper, Meaning};
use throng_core::data::{Baskets, Strings};
use throng_core::progress::Progress;
use throng_core::taxonomy::Taxonomy;
use throng_core::taxonomy::fit::{Unknown, find_items, words_of};
use throng_core::{Error, Kind, Result};

use crate::io::{
    self, BasketLayout, DocumentForm, Form, Format, FormatKind, Opened, ReadDocuments, ReadOptions, Role, Scanned,
};
use crate::limits;
use crate::taxonomy;

/// How baskets are made of a file.
#[derive(Debug, Clone, Default)]
pub struct BasketOptions {
    /// Whether the words of a query log are taken as baskets.
    pub as_baskets: bool,
    /// What becomes of items that the taxonomy does not know; by default words are dropped, items an error.
    pub unknown: Option<Unknown>,
    /// The taxonomies, `wordnet` or files. The words of a query log are looked for in WordNet if none is given.
    pub taxonomies: Vec<String>,
    /// The file that names sensitive items.
    pub sensitive: Option<PathBuf>,
}

impl BasketOptions {
    /// The kind of data that a file is worked on as.
    pub(super) fn kind_of(&self, opened: &Opened) -> Kind {
        if self.as_baskets { Kind::Baskets } else { opened.kind }
    }

    /// The rule for unknown items.
    pub(super) fn rule(&self) -> Unknown {
        self.unknown.unwrap_or(if self.as_baskets { Unknown::Drop } else { Unknown::Error })
    }

    /// The taxonomy, if there is one.
    pub(super) fn taxonomy(&self) -> Result<Option<LoadedTaxonomy>> {
        let specs = match self.taxonomies.as_slice() {
            [] if self.as_baskets => vec!["wordnet".to_owned()],
            specs => specs.to_vec(),
        };
        (!specs.is_empty()).then(|| LoadedTaxonomy::load(&specs)).transpose()
    }

    /// How to find out what strings mean. WordNet knows, unless another taxonomy is given; unknown phrases are left out.
    pub(super) fn knowledge(&self) -> Result<Knowledge> {
        let wordnet = ["wordnet".to_owned()];
        let specs = if self.taxonomies.is_empty() { &wordnet } else { self.taxonomies.as_slice() };
        let taxonomy = LoadedTaxonomy::load(specs)?;
        let mapper = Mapper::new(Arc::clone(&taxonomy.taxonomy)).with_lexicon(taxonomy::lexicon()?);
        Ok(Knowledge { mapper, taxonomy, rule: self.unknown.unwrap_or(Unknown::Drop) })
    }

    /// The names of sensitive items, one a line.
    pub(super) fn sensitive(&self) -> Result<Option<Vec<String>>> {
        let Some(path) = &self.sensitive else { return Ok(None) };
        let named = |error: Error| error.in_file(path.display().to_string());
        let bytes = limits::read_file(path, "", limits::MOST_LIST_BYTES)?;
        let text = String::from_utf8(bytes).map_err(|_| named(Error::data("the list of items is not UTF-8")))?;
        let text = text.trim_start_matches('\u{feff}');
        let items: Vec<String> =
            text.lines().map(|line| line.trim().to_owned()).filter(|item| !item.is_empty()).collect();
        if items.is_empty() {
            return Err(named(Error::data("the file names no sensitive item").with_hint("one item a line")));
        }
        Ok(Some(items))
    }
}

/// How to find out what strings mean.
#[derive(Debug)]
pub(super) struct Knowledge {
    mapper: Mapper,
    pub(super) taxonomy: LoadedTaxonomy,
    rule: Unknown,
}

impl Knowledge {
    /// What the strings of some tables mean, all over one taxonomy.
    pub(super) fn of(&self, tables: &[&Strings]) -> Result<Vec<Arc<Meaning>>> {
        Ok(Meaning::of(&self.mapper, tables, self.rule)?.into_iter().map(Arc::new).collect())
    }

    /// What finds the concepts.
    pub(super) fn mapper(&self) -> &Mapper {
        &self.mapper
    }

    /// What a certificate says of it.
    pub(super) fn record(&self) -> TaxonomyRecord {
        TaxonomyRecord { by_phrase: true, ..self.taxonomy.record(self.rule) }
    }
}

/// A taxonomy and what a certificate says of it.
#[derive(Debug, Clone)]
pub(super) struct LoadedTaxonomy {
    pub(super) taxonomy: Arc<Taxonomy>,
    pub(super) name: String,
    pub(super) sha256: String,
}

/// The taxonomy of a release, as its certificate names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaxonomyRecord {
    /// `wordnet`, or the names of the files.
    pub name: String,
    /// The SHA-256 of its nodes: every label with its parent's number, in pre-order. Leaves that were added for unknown
    /// items are not in it.
    pub sha256: String,
    /// What became of items that it does not know.
    pub unknown: Unknown,
    /// Whether phrases of the data were looked for in it, and the release has words of the data; else the release has its
    /// items.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_phrase: bool,
}

impl LoadedTaxonomy {
    pub(super) fn load(specs: &[String]) -> Result<Self> {
        let taxonomy = taxonomy::load_all(specs)?;
        // The folder that a file lies in is nobody's business.
        let name = |spec: &String| {
            Path::new(spec).file_name().map_or(spec.clone(), |name| name.to_string_lossy().into_owned())
        };
        let mut hasher = Sha256::new();
        for node in 0..taxonomy.len() as u32 {
            let label = taxonomy.label(node);
            hasher.update(taxonomy.parent(node).to_le_bytes());
            hasher.update((label.len() as u64).to_le_bytes());
            hasher.update(label.as_bytes());
        }
        let sha256 = hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Self { taxonomy, name: specs.iter().map(name).collect::<Vec<_>>().join(", "), sha256 })
    }

    pub(super) fn record(&self, unknown: Unknown) -> TaxonomyRecord {
        TaxonomyRecord { name: self.name.clone(), sha256: self.sha256.clone(), unknown, by_phrase: false }
    }
}

/// Baskets as a file has them, items by their labels.
#[derive(Debug)]
pub(super) struct LoadedBaskets {
    pub(super) baskets: Baskets,
    /// The kind of the file itself.
    pub(super) file_kind: Kind,
    pub(super) format: Format,
    pub(super) layout: BasketLayout,
    /// Rows of a query log, else the items of all persons.
    pub(super) rows: u64,
    pub(super) refused: u64,
    /// The line in which each person first appears; empty for the words of a query log.
    pub(super) first_lines: Vec<u64>,
}

/// Documents, and the taxonomy that they were read with, if it was needed.
#[derive(Debug)]
pub(super) struct LoadedDocuments {
    pub(super) read: ReadDocuments,
    pub(super) taxonomy: Option<LoadedTaxonomy>,
    /// Different words that the taxonomy does not know, and how often they occur, if it was asked.
    pub(super) unknown: Option<(u64, u64)>,
}

/// Reads documents. Texts become vectors over WordNet, or the taxonomy that is given; vectors are brought over it only if
/// `needs_taxonomy`, and else taken as they are.
pub(super) fn load_documents(
    opened: Opened,
    options: &ReadOptions,
    baskets: &BasketOptions,
    needs_taxonomy: bool,
    progress: &dyn Progress,
) -> Result<LoadedDocuments> {
    let rule = baskets.unknown.unwrap_or(Unknown::Drop);
    if let Unknown::Root | Unknown::OwnLeaf = rule {
        return Err(Error::parameter("unknown", "must be drop or error for documents")
            .with_hint("a word that the taxonomy does not know is like no other, so it cannot be in a release"));
    }
    let location = opened.location().to_string();
    let mut loaded = None;
    let load = || {
        let wordnet = ["wordnet".to_owned()];
        LoadedTaxonomy::load(if baskets.taxonomies.is_empty() { &wordnet } else { &baskets.taxonomies })
    };
    let mut read = io::read_opened_documents(
        opened,
        options,
        || {
            let own = load()?;
            Ok(Arc::clone(&loaded.insert(own).taxonomy))
        },
        progress,
    )?;
    if loaded.is_none() && needs_taxonomy {
        let own = loaded.insert(load()?);
        read.documents = read.documents.over(&own.taxonomy);
    }
    let documents = &read.documents;
    let unknown = loaded.as_ref().map(|_| (documents.words_unknown(), documents.occurrences_unknown()));
    if let (Unknown::Error, Some((words @ 1.., _))) = (rule, unknown) {
        let words = if words == 1 { "1 word is".to_owned() } else { format!("{words} words are") };
        return Err(Error::data(format!("{words} not in the taxonomy"))
            .with_hint("add them to it, or leave them out: `--unknown drop`")
            .in_file(location));
    }
    Ok(LoadedDocuments { read, taxonomy: loaded, unknown })
}

/// How documents were held, in a word.
pub(super) fn form_name(read: &ReadDocuments) -> String {
    match read.form {
        DocumentForm::Folder => "folder".to_owned(),
        DocumentForm::Texts => format!("{}, texts", read.format),
        DocumentForm::Vectors => format!("{}, vectors", read.format),
    }
}

/// Reads baskets, or takes the words of a query log.
pub(super) fn load_baskets(opened: Opened, options: &ReadOptions, progress: &dyn Progress) -> Result<LoadedBaskets> {
    if opened.kind == Kind::Documents {
        return Err(Error::refused("`--as baskets` takes the words of a query log, and these are documents")
            .with_hint("leave it out: documents have methods of their own"));
    }
    if opened.kind == Kind::Queries {
        let read = io::read_opened_log(opened, options, progress)?;
        return Ok(LoadedBaskets {
            baskets: words_of(&read.log),
            file_kind: Kind::Queries,
            format: read.scanned.format,
            layout: layout_of_words(&read.scanned),
            rows: read.scanned.rows,
            refused: read.scanned.refused,
            first_lines: Vec::new(),
        });
    }
    let read = io::read_opened_baskets(opened, options, progress)?;
    Ok(LoadedBaskets {
        rows: read.baskets.rows() as u64,
        baskets: read.baskets,
        file_kind: Kind::Baskets,
        format: read.format,
        layout: read.layout,
        refused: read.refused,
        first_lines: read.first_lines,
    })
}

/// A release of words has the person's column of the log, and one for the item.
fn layout_of_words(scanned: &Scanned) -> BasketLayout {
    let form = if scanned.format.kind == FormatKind::JsonLines { Form::Lists } else { Form::Long };
    let layout = &scanned.layout;
    let person = if layout.header { layout.name_of(Role::User) } else { "person" };
    let own = BasketLayout::new(form, true);
    BasketLayout {
        person: Some(person.to_owned()),
        item: if person == own.item { "word".to_owned() } else { own.item.clone() },
        typed_person: layout.typed_person,
        unmapped: layout.unmapped.clone(),
        ..own
    }
}

/// The baskets with these sensitive items, and those that nobody has.
pub(super) fn with_sensitive(baskets: Baskets, labels: &[String]) -> (Baskets, Vec<String>) {
    let (mut items, missing) = find_items(&baskets, labels.iter().map(String::as_str));
    let missing = missing.into_iter().map(str::to_owned).collect();
    items.extend_from_slice(baskets.sensitive());
    (baskets.with_sensitive(items), missing)
}

/// The baskets with what their items mean, if they are nodes of a taxonomy.
pub(super) fn with_meaning_of_nodes(baskets: Baskets) -> Baskets {
    let meaning = baskets.taxonomy().map(Meaning::of_nodes);
    match meaning {
        Some(meaning) => baskets.with_meaning(Arc::new(meaning)),
        None => baskets,
    }
}
