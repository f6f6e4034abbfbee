//! Documents in lines: a JSON object with the text or the terms of each, or rows of CSV.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use memchr::memchr;
use throng_core::data::{DocumentsBuilder, Interner, TermCounts};
use throng_core::progress::Progress;
use throng_core::taxonomy::Taxonomy;
use throng_core::{Error, Result};

use super::super::fields::delimited::{each_record, shown_names, split_line};
use super::super::fields::json_lines::{self, Keys, Plain};
use super::super::fields::not_utf8;
use super::super::scan::{self, BadLines, BlockConsumer, BlockResult, ReadOptions};
use super::super::source::Source;
use super::super::uncompared::Uncompared;
use super::super::{Format, FormatKind};
use super::{DocumentForm, DocumentRole, ROLES, ReadDocuments};

/// Reads documents from a file.
pub(super) fn read(
    source: Source,
    options: &ReadOptions,
    format: Format,
    taxonomy: impl FnOnce() -> Result<Arc<Taxonomy>>,
    progress: &dyn Progress,
) -> Result<ReadDocuments> {
    let (layout, skip) = Layout::of(&source.head, format.kind, options)?;
    let taxonomy = (layout.form == DocumentForm::Texts).then(taxonomy).transpose()?;
    scan::stage(&source, progress);
    let mut reading = Reading {
        whole: Whole::new(taxonomy.clone(), options.bad_lines),
        layout,
        taxonomy,
        has_rest: AtomicBool::new(false),
        finer: AtomicU64::new(0),
    };
    let uncompared = source.uncompared.clone();
    let totals = scan::read_blocks(source, format.kind, skip, options.bad_lines, &mut reading, progress)?;
    let Reading { whole, mut layout, has_rest, finer, .. } = reading;
    uncompared.note_many("a weight with digits that do not count", finer.into_inner());
    let (_, refused) = totals.counts()?;
    if has_rest.into_inner() {
        layout.unmapped.push("other keys".to_owned());
    }
    whole.finish(format, layout, refused, &uncompared)
}

/// Which columns or keys hold what.
struct Layout {
    kind: FormatKind,
    form: DocumentForm,
    /// Names of the columns; of objects, the keys of the first lines.
    names: Vec<String>,
    /// Places of the columns of [`DocumentRole::ALL`].
    places: [Option<usize>; 6],
    unmapped: Vec<String>,
}

impl Layout {
    /// Looks at the first bytes. Gives how many of them the header takes, too.
    fn of(head: &[u8], kind: FormatKind, options: &ReadOptions) -> Result<(Self, usize)> {
        let mark = if head.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        let (names, skip) = match kind {
            FormatKind::JsonLines => (keys(&head[mark..], options.bad_lines)?, mark),
            FormatKind::Csv | FormatKind::Tsv => {
                let end = memchr(b'\n', head).map_or(head.len(), |at| at + 1);
                let line = std::str::from_utf8(&head[mark..end]).map_err(|_| not_utf8().at_line(1))?;
                (split_line(line.trim_end_matches(['\n', '\r']), kind), end)
            }
            FormatKind::Fimi | FormatKind::Parquet => {
                return Err(Error::data("the file is neither JSON lines nor CSV, so it holds no documents")
                    .with_hint("give a folder of .txt, .md, .html and .pdf files, or lines {\"id\": …, \"text\": …}"));
            }
        };
        let texts: Vec<&str> = names.iter().map(String::as_str).collect();
        let roles = ROLES.guess(&texts, &options.columns)?;
        let mut places = DocumentRole::ALL.map(|role| roles.iter().position(|&other| other == Some(role as usize)));
        let chosen = |role: DocumentRole| ROLES.is_chosen(role as usize, &options.columns);
        let has = |role: DocumentRole| places[role as usize].is_some();
        let is_vectors = if kind == FormatKind::JsonLines {
            has(DocumentRole::Terms)
        } else {
            has(DocumentRole::Term) && has(DocumentRole::Weight)
        };
        let form = if is_vectors && !chosen(DocumentRole::Text) { DocumentForm::Vectors } else { DocumentForm::Texts };
        let used: &[DocumentRole] = match (form, kind) {
            (DocumentForm::Vectors, FormatKind::JsonLines) => {
                &[DocumentRole::Id, DocumentRole::Label, DocumentRole::Terms]
            }
            (DocumentForm::Vectors, _) => &[DocumentRole::Id, DocumentRole::Term, DocumentRole::Weight],
            _ => &[DocumentRole::Id, DocumentRole::Label, DocumentRole::Text],
        };
        for role in DocumentRole::ALL {
            if !used.contains(&role) {
                places[role as usize] = None;
            }
        }
        if form == DocumentForm::Texts && places[DocumentRole::Text as usize].is_none() {
            return Err(missing("text", &names));
        }
        if form == DocumentForm::Vectors && places[DocumentRole::Id as usize].is_none() {
            return Err(missing("id", &names));
        }
        let is_table = kind != FormatKind::JsonLines;
        let others = (0..names.len()).filter(|at| is_table && !places.contains(&Some(*at)));
        let shown = if is_table { shown_names(&names, &head[skip..], kind) } else { Vec::new() };
        let unmapped = others.map(|at| shown[at].clone()).collect();
        Ok((Self { kind, form, names, places, unmapped }, skip))
    }

    fn place(&self, role: DocumentRole) -> Option<usize> {
        self.places[role as usize]
    }

    fn name(&self, role: DocumentRole) -> Option<&str> {
        self.place(role).map(|at| self.names[at].as_str())
    }
}

fn missing(role: &str, names: &[String]) -> Error {
    Error::data(format!("cannot tell which column is the {role}")).at_line(1).with_value(names.join(", ")).with_hint(
        "texts have the columns id, text and label, vectors id, term and weight; name them: `--column id=… text=…`",
    )
}

/// All keys of the first objects, in their order. The first line must be an object, unless malformed lines are skipped.
fn keys(head: &[u8], policy: BadLines) -> Result<Vec<String>> {
    let mut names: Vec<String> = Vec::new();
    let lines = (1u64..).zip(head.split(|&byte| byte == b'\n')).filter(|(_, line)| !line.trim_ascii().is_empty());
    for (number, line) in lines.take(1000) {
        match serde_json::from_slice::<Keys<'_>>(line) {
            Ok(Keys(keys)) => {
                for (key, _) in keys {
                    if !names.iter().any(|known| *known == key) {
                        names.push(key.into_owned());
                    }
                }
            }
            Err(cause) if names.is_empty() && policy == BadLines::Fail => {
                return Err(json_lines::no_object(&cause, no_object).at_line(number));
            }
            Err(_) => {}
        }
    }
    if names.is_empty() { Err(no_object()) } else { Ok(names) }
}

fn no_object() -> Error {
    Error::data("the line is no JSON object with a document")
        .with_hint("one object a line: {\"id\": …, \"text\": …}; `--bad-lines skip` leaves others out")
}

struct Reading {
    layout: Layout,
    taxonomy: Option<Arc<Taxonomy>>,
    has_rest: AtomicBool,
    /// Weights with more digits than are read.
    finer: AtomicU64,
    whole: Whole,
}

/// A document of a block, by its line there, from 1.
struct Document {
    line: u64,
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

impl BlockConsumer for Reading {
    type Part = Vec<Document>;

    fn part(&self) -> Vec<Document> {
        Vec::new()
    }

    fn read(&self, block: &[u8], policy: BadLines) -> BlockResult<Vec<Document>> {
        let mut result = BlockResult::new(Vec::new());
        let note = |result: &mut BlockResult<Vec<Document>>, document: Result<Document>, line: u64| match document {
            Ok(document) => {
                result.rows += 1;
                result.part.push(document);
                true
            }
            Err(error) => result.bad_line(error, line, policy),
        };
        if self.layout.kind == FormatKind::Csv {
            result.lines = each_record(block, |fields, line| {
                let texts: Option<Vec<&str>> = fields.iter().map(|field| std::str::from_utf8(field).ok()).collect();
                let document = texts.ok_or_else(not_utf8).and_then(|fields| self.row(&fields, line));
                note(&mut result, document, line)
            });
            return result;
        }
        let mut start = 0;
        while start < block.len() {
            let end = memchr(b'\n', &block[start..]).map_or(block.len(), |at| start + at);
            let bytes = block[start..end].strip_suffix(b"\r").unwrap_or(&block[start..end]);
            start = end + 1;
            result.lines += 1;
            if bytes.trim_ascii().is_empty() {
                continue;
            }
            let line = result.lines;
            let document = std::str::from_utf8(bytes).map_err(|_| not_utf8()).and_then(|text| {
                if self.layout.kind == FormatKind::JsonLines {
                    self.object(text, line)
                } else {
                    self.row(&text.split('\t').collect::<Vec<_>>(), line)
                }
            });
            if !note(&mut result, document, line) {
                break;
            }
        }
        result
    }

    fn absorb(&mut self, parts: Vec<(Vec<Document>, u64)>) {
        for (documents, before) in parts {
            documents.into_iter().for_each(|document| self.whole.add(document, before));
        }
    }
}

impl Reading {
    fn counts(&self, text: &str) -> Result<TermCounts> {
        let taxonomy = self.taxonomy.as_ref().ok_or_else(|| Error::internal("texts without a taxonomy"))?;
        Ok(TermCounts::of(text, taxonomy))
    }

    /// A row of a table.
    fn row(&self, fields: &[&str], line: u64) -> Result<Document> {
        let count = self.layout.names.len();
        if fields.len() != count {
            return Err(Error::data(format!("the line has {} columns, not {count}", fields.len()))
                .with_hint("`--bad-lines skip` leaves such lines out and counts them"));
        }
        let field = |role: DocumentRole| self.layout.place(role).map(|at| fields[at]);
        let id = field(DocumentRole::Id).map(|id| filled(id, self.layout.name(DocumentRole::Id))).transpose()?;
        let label = field(DocumentRole::Label).map(str::to_owned).filter(|label| !label.is_empty());
        let content = match field(DocumentRole::Text) {
            Some(text) => Content::Counts(self.counts(text)?),
            None => {
                let (term, weight) = (field(DocumentRole::Term), field(DocumentRole::Weight));
                let (term, number) = (term.unwrap_or_default(), weight.unwrap_or_default());
                if term.is_empty() && number.is_empty() {
                    Content::Entry(None)
                } else {
                    let term = filled(term, self.layout.name(DocumentRole::Term))?;
                    Content::Entry(Some((term, self.weight(number).map_err(|error| self.in_weight(error))?)))
                }
            }
        };
        Ok(Document { line, id, label, content })
    }

    fn weight(&self, text: &str) -> Result<f64> {
        let weight = weight_of(text)?;
        if digits_of(text) > DIGITS {
            self.finer.fetch_add(1, Ordering::Relaxed);
        }
        Ok(weight)
    }

    fn in_weight(&self, error: Error) -> Error {
        error.in_column(self.layout.name(DocumentRole::Weight).unwrap_or_default())
    }

    /// An object with a text or with terms.
    fn object(&self, text: &str, line: u64) -> Result<Document> {
        let text = if line == 1 { text.trim_start_matches('\u{feff}') } else { text };
        let Keys(keys) = serde_json::from_str(text).map_err(|cause| json_lines::no_object(&cause, no_object))?;
        let raw = |role: DocumentRole| {
            let name = self.layout.name(role)?;
            keys.iter().find(|(key, _)| key == name).map(|(_, raw)| raw.get())
        };
        let plain = |role: DocumentRole| -> Result<Option<String>> {
            let Some(raw) = raw(role) else { return Ok(None) };
            let Plain(text) = serde_json::from_str(raw).map_err(|_| no_object())?;
            Ok(text.map(std::borrow::Cow::into_owned))
        };
        let has_role = |key: &str| self.layout.places.iter().flatten().any(|&at| self.layout.names[at] == key);
        if keys.iter().any(|(key, _)| !has_role(key)) {
            self.has_rest.store(true, Ordering::Relaxed);
        }
        let id = match self.layout.name(DocumentRole::Id) {
            None => None,
            name => Some(filled(&plain(DocumentRole::Id)?.unwrap_or_default(), name)?),
        };
        let label = plain(DocumentRole::Label)?.filter(|label| !label.is_empty());
        let content = if self.layout.form == DocumentForm::Texts {
            let text = plain(DocumentRole::Text)?.ok_or_else(|| {
                Error::data("the line has no text")
                    .in_column(self.layout.name(DocumentRole::Text).unwrap_or_default())
                    .with_hint("an empty document has an empty text; `--bad-lines skip` leaves such lines out")
            })?;
            Content::Counts(self.counts(&text)?)
        } else {
            let no_terms = || {
                Error::data("the line has no terms with weights")
                    .in_column(self.layout.name(DocumentRole::Terms).unwrap_or_default())
                    .with_hint("one object a line: {\"id\": …, \"terms\": {\"computer\": 0.4, …}}")
            };
            let Keys(terms) = serde_json::from_str(raw(DocumentRole::Terms).ok_or_else(no_terms)?)
                .map_err(|cause| if json_lines::is_twice(&cause) { term_twice() } else { no_terms() })?;
            let mut vector = Vec::with_capacity(terms.len());
            for (term, weight) in terms {
                vector.push((filled(&term, self.layout.name(DocumentRole::Terms))?, self.weight(weight.get())?));
            }
            Content::Vector(vector)
        };
        Ok(Document { line, id, label, content })
    }
}

/// A text that must not be empty.
fn filled(text: &str, column: Option<&str>) -> Result<String> {
    if text.is_empty() {
        return Err(Error::data("the value is missing")
            .in_column(column.unwrap_or_default())
            .with_hint("`--bad-lines skip` leaves such lines out and counts them"));
    }
    Ok(text.to_owned())
}

/// A weight: any number above 0. Not read by the JSON library, which is off by a bit at times.
fn weight_of(text: &str) -> Result<f64> {
    text.parse::<f64>().ok().filter(|weight| weight.is_finite() && *weight > 0.0).ok_or_else(|| {
        Error::data("the weight of a term must be a number above 0")
            .with_value(text)
            .with_hint("`--bad-lines skip` leaves such lines out and counts them")
    })
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

    fn finish(
        mut self,
        format: Format,
        layout: Layout,
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
        let role = |at: usize| Some((DocumentRole::ALL[at], layout.names[layout.places[at]?].clone()));
        Ok(ReadDocuments {
            documents: self.builder.finish(),
            form: layout.form,
            format,
            words: (layout.form == DocumentForm::Texts).then_some(self.words),
            refused: refused + self.refused,
            left_out: 0,
            first_lines: self.first_lines,
            columns: (0..DocumentRole::ALL.len()).filter_map(role).collect(),
            unmapped: layout.unmapped,
            uncompared: uncompared.sentences(),
            labels: self.labels,
        })
    }
}
