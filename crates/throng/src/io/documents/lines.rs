//! Documents in rows: the text of each, an object with its terms (JSON lines only), or a row for each of its terms.
//!
//! Rows of every format are read by role in `io/fields`; what stands here is what becomes of them. A file says by the names of
//! its columns which of the three it is.

use std::collections::BTreeMap;
use std::sync::Arc;

use throng_core::data::{DocumentsBuilder, Interner, TermCounts};
use throng_core::progress::Progress;
use throng_core::taxonomy::Taxonomy;
use throng_core::{Error, Result};

use super::super::fields::json_lines::{self, Keys};
use super::super::fields::{self, FieldLayout, Fields, RowConsumer};
use super::super::files::Files;
use super::super::head::Head;
use super::super::places::{LookAt, Place, TextRoles, of_rows};
use super::super::roles::{RoleCard, Roles, Suits};
use super::super::scan::{BadLines, ReadOptions};
use super::super::uncompared::Uncompared;
use super::super::{Format, FormatKind, Opened};
use super::{DocumentForm, DocumentRole, ROLES, ReadDocuments};

/// Reads documents from a file.
pub(super) fn read(
    mut opened: Opened,
    options: &ReadOptions,
    taxonomy: impl FnOnce() -> Result<Arc<Taxonomy>>,
    progress: &dyn Progress,
) -> Result<ReadDocuments> {
    if opened.format.kind == FormatKind::Fimi {
        return Err(Error::data("the file has no columns, so it holds no documents")
            .with_hint("give a folder of .txt, .md, .html and .pdf files, or lines {\"id\": …, \"text\": …}"));
    }
    let head = opened.head(options)?;
    let has = |role: DocumentRole| has_role(&head, options, role);
    let is_chosen = |role: DocumentRole| ROLES.is_chosen(role as usize, &options.columns);
    let file = File { opened, options, has_ids: has(DocumentRole::Id) };
    if is_chosen(DocumentRole::Text) || !is_vectors(&head, options) {
        // A taxonomy takes a while to load, so the text must be there first.
        if !has(DocumentRole::Text) {
            return Err(TEXTS.missing_column(&head.names(), &[], &[]));
        }
        let taxonomy = taxonomy()?;
        let whole = Whole::new(Some(Arc::clone(&taxonomy)), options.bad_lines);
        file.read(AsTexts(taxonomy), whole, progress)
    } else if head.format.kind == FormatKind::JsonLines && has(DocumentRole::Terms) {
        file.read(AsObjects, Whole::new(None, options.bad_lines), progress)
    } else {
        file.read(AsEntries, Whole::new(None, options.bad_lines), progress)
    }
}

/// Whether a file has a column of a role: it is named on the command line, or by a name that is known.
fn has_role(head: &Head, options: &ReadOptions, role: DocumentRole) -> bool {
    let knows = |name: &&str| ROLES.cards[role as usize].knows(name);
    ROLES.is_chosen(role as usize, &options.columns) || head.names().iter().any(knows)
}

/// The places of what is found in the texts of a file; nothing if it has vectors.
pub(super) fn places(
    mut opened: Opened,
    options: &ReadOptions,
    look: LookAt<'_>,
    progress: &dyn Progress,
) -> Result<Option<Vec<Place>>> {
    let head = opened.head(options)?;
    let has_texts = head.format.kind != FormatKind::Fimi && has_role(&head, options, DocumentRole::Text);
    let is_chosen = ROLES.is_chosen(DocumentRole::Text as usize, &options.columns);
    if !has_texts || !is_chosen && is_vectors(&head, options) {
        return Ok(None);
    }
    of_rows::<3, AsTexts>(opened, options, look, progress).map(Some)
}

impl TextRoles for AsTexts {
    const ROLES: &'static Roles = &TEXTS;
    const TEXT: (usize, &'static str) = (1, "text");
}

/// Whether a file names terms with weights.
pub(super) fn is_vectors(head: &Head, options: &ReadOptions) -> bool {
    let has = |role: DocumentRole| has_role(head, options, role);
    let has_objects = head.format.kind == FormatKind::JsonLines && has(DocumentRole::Terms);
    has_objects || (has(DocumentRole::Term) && has(DocumentRole::Weight))
}

struct File<'o> {
    opened: Opened,
    options: &'o ReadOptions,
    has_ids: bool,
}

impl File<'_> {
    fn read<S: Shape>(self, shape: S, whole: Whole, progress: &dyn Progress) -> Result<ReadDocuments> {
        let Opened { source, format, .. } = self.opened;
        let mut rows = Rows { shape, has_ids: self.has_ids, whole };
        let read = fields::read(source, format, self.options, &mut rows, progress)?;
        let whole = rows.whole.finish::<S>(format, read.layout, read.refused, &read.uncompared)?;
        Ok(ReadDocuments { lines: read.lines, ..whole })
    }
}

/// What the rows of a file are of documents.
trait Shape: Sync {
    /// How such a file holds documents.
    const FORM: DocumentForm;
    /// Its roles; whose the row is comes first.
    const ROLES: &'static Roles;
    /// The same among the roles of documents.
    const OF: [DocumentRole; 3];

    /// What a row says of its document, and how many weights have digits that do not count.
    fn content(&self, fields: &Fields<'_, 3>, name_of: &dyn Fn(usize) -> String) -> Result<(Content, u64)>;
    /// The class that the row says its document is of.
    fn label<'f>(_fields: &Fields<'f, 3>) -> Option<&'f str> {
        None
    }
}

/// A text each.
struct AsTexts(Arc<Taxonomy>);

/// All terms of a document in one object.
struct AsObjects;

/// One term of a document a row.
struct AsEntries;

const fn card(role: DocumentRole, required: bool) -> RoleCard {
    RoleCard { required, ..ROLES.cards[role as usize] }
}

static TEXTS: Roles = Roles {
    of: "texts do",
    cards: &[card(DocumentRole::Id, false), card(DocumentRole::Text, true), card(DocumentRole::Label, false)],
};

static OBJECTS: Roles = Roles {
    of: "vectors do",
    cards: &[
        card(DocumentRole::Id, true),
        RoleCard { suits: Suits::Object, ..card(DocumentRole::Terms, true) },
        card(DocumentRole::Label, false),
    ],
};

static ENTRIES: Roles = Roles {
    of: "vectors in rows do",
    cards: &[card(DocumentRole::Id, true), card(DocumentRole::Term, true), card(DocumentRole::Weight, true)],
};

impl Shape for AsTexts {
    const FORM: DocumentForm = DocumentForm::Texts;
    const ROLES: &'static Roles = &TEXTS;
    const OF: [DocumentRole; 3] = [DocumentRole::Id, DocumentRole::Text, DocumentRole::Label];

    fn content(&self, fields: &Fields<'_, 3>, name_of: &dyn Fn(usize) -> String) -> Result<(Content, u64)> {
        if !fields.has[1] {
            return Err(Error::data("the line has no text")
                .in_column(name_of(1))
                .with_hint("an empty document has an empty text; `--bad-lines skip` leaves such lines out"));
        }
        Ok((Content::Counts(TermCounts::of(fields.texts[1], &self.0)), 0))
    }

    fn label<'f>(fields: &Fields<'f, 3>) -> Option<&'f str> {
        (!fields.texts[2].is_empty()).then_some(fields.texts[2])
    }
}

impl Shape for AsObjects {
    const FORM: DocumentForm = DocumentForm::Vectors;
    const ROLES: &'static Roles = &OBJECTS;
    const OF: [DocumentRole; 3] = [DocumentRole::Id, DocumentRole::Terms, DocumentRole::Label];

    fn content(&self, fields: &Fields<'_, 3>, name_of: &dyn Fn(usize) -> String) -> Result<(Content, u64)> {
        let no_terms = || {
            Error::data("the line has no terms with weights")
                .in_column(name_of(1))
                .with_hint("one object a line: {\"id\": …, \"terms\": {\"computer\": 0.4, …}}")
        };
        let Keys(terms) = serde_json::from_str(fields.texts[1])
            .map_err(|cause| if json_lines::is_twice(&cause) { term_twice() } else { no_terms() })?;
        let (mut vector, mut finer) = (Vec::with_capacity(terms.len()), 0);
        for (term, weight) in terms {
            vector.push((filled(&term, name_of, 1)?, weight_of(weight.get(), &mut finer)?));
        }
        Ok((Content::Vector(vector), finer))
    }

    fn label<'f>(fields: &Fields<'f, 3>) -> Option<&'f str> {
        AsTexts::label(fields)
    }
}

impl Shape for AsEntries {
    const FORM: DocumentForm = DocumentForm::Vectors;
    const ROLES: &'static Roles = &ENTRIES;
    const OF: [DocumentRole; 3] = [DocumentRole::Id, DocumentRole::Term, DocumentRole::Weight];

    fn content(&self, fields: &Fields<'_, 3>, name_of: &dyn Fn(usize) -> String) -> Result<(Content, u64)> {
        let [_, term, weight] = fields.texts;
        // A document without a term is one all the same.
        if term.is_empty() && weight.is_empty() {
            return Ok((Content::Entry(None), 0));
        }
        let mut finer = 0;
        let term = filled(term, name_of, 1)?;
        let weight = weight_of(weight, &mut finer).map_err(|error| error.in_column(name_of(2)))?;
        Ok((Content::Entry(Some((term, weight))), finer))
    }
}

/// A document of a block, by its line there, from 1.
struct Document {
    line: u64,
    /// Documents without an id are called by their line.
    id: Option<String>,
    label: Option<String>,
    content: Content,
}

enum Content {
    Counts(TermCounts),
    Vector(Vec<(String, f64)>),
    /// A row of a vector; none if the document has no term.
    Entry(Option<(String, f64)>),
}

struct Rows<S> {
    shape: S,
    has_ids: bool,
    whole: Whole,
}

impl<S: Shape> RowConsumer<3> for Rows<S> {
    const ROLES: &'static Roles = S::ROLES;
    /// The documents, and how many weights have digits that do not count.
    type Part = (Vec<Document>, u64);

    fn part(&self) -> Self::Part {
        (Vec::new(), 0)
    }

    fn row<'n>(
        &self,
        (documents, all_finer): &mut Self::Part,
        fields: Fields<'_, 3>,
        line: u64,
        name_of: impl Fn(usize) -> &'n str,
    ) -> Result<()> {
        let name_of = |role: usize| name_of(role).to_owned();
        let id = self.has_ids.then(|| filled(fields.texts[0], &name_of, 0)).transpose()?;
        let (content, finer) = self.shape.content(&fields, &name_of)?;
        *all_finer += finer;
        documents.push(Document { line, id, label: S::label(&fields).map(str::to_owned), content });
        Ok(())
    }

    fn absorb(&mut self, parts: Vec<(Self::Part, u64)>) {
        for ((documents, finer), before) in parts {
            self.whole.finer += finer;
            documents.into_iter().for_each(|document| self.whole.add(document, before));
        }
    }
}

/// A text that must not be empty.
fn filled(text: &str, name_of: &dyn Fn(usize) -> String, role: usize) -> Result<String> {
    if text.is_empty() {
        return Err(Error::data("the value is missing")
            .in_column(name_of(role))
            .with_hint("`--bad-lines skip` leaves such lines out and counts them"));
    }
    Ok(text.to_owned())
}

/// A weight: any number above 0, and whether it has digits that do not count. Not read by the JSON library, which is off by a
/// bit at times.
fn weight_of(text: &str, finer: &mut u64) -> Result<f64> {
    let weight = text.parse::<f64>().ok().filter(|weight| weight.is_finite() && *weight > 0.0);
    *finer += u64::from(weight.is_some_and(|weight| loses_digits(text, weight)));
    weight.ok_or_else(|| {
        Error::data("the weight of a term must be a number above 0")
            .with_value(text)
            .with_hint("`--bad-lines skip` leaves such lines out and counts them")
    })
}

/// Whether a text has digits that its number does not keep: more than any needs, or others than the fewest that say it.
fn loses_digits(text: &str, weight: f64) -> bool {
    digits_of(text) > DIGITS || significant(text) != significant(&format!("{weight:e}"))
}

/// The digits of a number without the zeros at both ends.
fn significant(number: &str) -> String {
    let number = number.split(['e', 'E']).next().unwrap_or_default();
    let digits: String = number.chars().filter(char::is_ascii_digit).collect();
    digits.trim_matches('0').to_owned()
}

/// No number needs more digits to be told from all others; what is beyond them changes nothing, and nobody compares it.
const DIGITS: usize = 17;

/// How many digits of a number count: those after leading zeros; of a whole number, those before the zeros at its end.
fn digits_of(text: &str) -> usize {
    let number = text.split(['e', 'E']).next().unwrap_or_default();
    let number = if number.contains('.') { number } else { number.trim_end_matches('0') };
    number.bytes().filter(u8::is_ascii_digit).skip_while(|digit| *digit == b'0').count()
}

fn term_twice() -> Error {
    Error::data("the document has a term twice").with_hint("add up the weights of a term")
}

/// What all blocks hold.
struct Whole {
    builder: DocumentsBuilder,
    first_lines: Vec<u64>,
    words: u64,
    labels: u64,
    /// Documents that come in rows: their numbers, and the entries of each with their lines.
    ids: Interner,
    entries: BTreeMap<u32, Vec<(String, f64, u64)>>,
    /// Weights with more digits than are read.
    finer: u64,
    policy: BadLines,
    refused: u64,
    /// The first problem that only the whole file shows.
    error: Option<Error>,
}

impl Whole {
    fn new(taxonomy: Option<Arc<Taxonomy>>, policy: BadLines) -> Self {
        Self {
            builder: DocumentsBuilder::new(taxonomy),
            first_lines: Vec::new(),
            words: 0,
            labels: 0,
            ids: Interner::new(),
            entries: BTreeMap::new(),
            finer: 0,
            policy,
            refused: 0,
            error: None,
        }
    }

    fn add(&mut self, document: Document, before: u64) {
        let line = before + document.line;
        let id = document.id.unwrap_or_else(|| line.to_string());
        let label = document.label.as_deref();
        self.labels += u64::from(label.is_some());
        let is_new = match document.content {
            Content::Counts(counts) => {
                let is_new = self.builder.push_counts(&id, &counts, label);
                self.words += if is_new { counts.words() } else { 0 };
                is_new
            }
            Content::Vector(vector) => {
                self.builder.push_vector(&id, vector.iter().map(|(term, weight)| (term.as_str(), *weight)), label)
            }
            Content::Entry(entry) => {
                let number = self.ids.intern(&id);
                if number as usize == self.first_lines.len() {
                    self.first_lines.push(line);
                }
                let own = self.entries.entry(number).or_default();
                own.extend(entry.map(|(term, weight)| (term, weight, line)));
                return;
            }
        };
        if is_new {
            self.first_lines.push(line);
        } else {
            let error = Error::data("there is a document with this id already")
                .with_value(id)
                .with_hint("every document has an id of its own; `--bad-lines skip` leaves the later ones out");
            self.refuse(error.at_line(line));
        }
    }

    fn refuse(&mut self, error: Error) {
        match self.policy {
            BadLines::Skip => self.refused += 1,
            BadLines::Fail => {
                self.error.get_or_insert(error);
            }
        }
    }

    fn finish<S: Shape>(
        mut self,
        format: Format,
        layout: FieldLayout,
        refused: u64,
        uncompared: &Uncompared,
    ) -> Result<ReadDocuments> {
        for (number, mut entries) in std::mem::take(&mut self.entries) {
            // In the order of terms, then of lines: the first of a term is the one that counts.
            entries.sort_by(|left, right| left.0.cmp(&right.0).then(left.2.cmp(&right.2)));
            let mut later = Vec::new();
            entries.dedup_by(|next, first| {
                let is_same = next.0 == first.0;
                later.extend(is_same.then_some(next.2));
                is_same
            });
            later.into_iter().for_each(|line| self.refuse(term_twice().at_line(line)));
            let vector = entries.iter().map(|(term, weight, _)| (term.as_str(), *weight));
            self.builder.push_vector(self.ids.strings().get(number), vector, None);
        }
        if let Some(error) = self.error {
            return Err(error);
        }
        uncompared.note_many("a weight with digits that do not count", self.finer);
        let mut columns: Vec<(DocumentRole, String)> =
            layout.columns.into_iter().map(|(role, name)| (S::OF[role], name)).collect();
        columns.sort_by_key(|(role, _)| *role as usize);
        Ok(ReadDocuments {
            documents: self.builder.finish(),
            form: S::FORM,
            format,
            words: (S::FORM == DocumentForm::Texts).then_some(self.words),
            refused: refused + self.refused,
            left_out: 0,
            first_lines: self.first_lines,
            columns,
            unmapped: layout.unmapped,
            uncompared: uncompared.sentences(),
            labels: self.labels,
            lines: 0,
            files: Files::default(),
        })
    }
}
