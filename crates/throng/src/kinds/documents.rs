//! The room of documents: texts, each published as a vector of weighted terms over a taxonomy.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use throng_core::accounts::{Accounts, ITEMS_UNKNOWN, OCCURRENCES_UNKNOWN, PERSONS_WITHOUT_CONCEPT, ROWS_DROPPED};
use throng_core::data::{Dataset, Documents};
use throng_core::models::Witness;
use throng_core::progress::Progress;
use throng_core::release::{Published, Release, look_drawn};
use throng_core::synth::documents::{self, DocumentsSynth, Made as MadeUp};
use throng_core::taxonomy::fit::Unknown;
use throng_core::{Error, Result};

use super::ask::{Ask, LoadedTaxonomy, TaxonomyRecord, taxonomy_note};
use super::{
    About, Barred, Evidenced, KindCard, Kinded, Made, Naming, Purpose, Read, Ready, Recognition, Shown, Wants, Written,
    lookalikes_of, unknown_shown,
};
use crate::catalog::{self, Shelf};
use crate::io::{self, DocumentForm, DocumentRole, Format, FormatKind, Location, LookAt, Opened, Person, Place};
use crate::pending::{self, Pending};
use crate::run::{Certified, SynthRequest, refuse_existing};
use crate::words::{self, Lengths, counted, thousands};

/// How documents were held, and what was learned while they became vectors.
#[derive(Debug, Clone)]
pub struct DocumentLayout {
    form: DocumentForm,
    is_folder: bool,
    columns: Vec<(DocumentRole, String)>,
    /// How many words the texts have; not known of vectors.
    words: Option<u64>,
    /// Files of a folder that are hidden, links or of other endings.
    left_out: u64,
    taxonomy: Option<LoadedTaxonomy>,
    /// Different words that the taxonomy does not know, and how often they occur, if it was asked.
    unknown: Option<(u64, u64)>,
    rule: Unknown,
    raw_cells: bool,
}

/// Labels that fewer documents have are not shown: the name of a small group could say too much.
const K: usize = 5;

impl Kinded for Documents {
    const CARD: KindCard = KindCard {
        name: "documents",
        summary: "texts, each about one person or matter: published as vectors of weighted terms",
        person: ["document", "documents"],
        row: ["term", "terms"],
        fact: <Self as Dataset>::FACTS[0].names,
        heading: "{}",
        facts: <Self as Dataset>::FACTS,
        found: "found it",
        unknown: ["word", "words"],
        refused: ["document that could not be read was", "documents that could not be read were"],
        without_ids: "one a file or line",
        made_up: ["jsonl", ".jsonl (also .gz, .zst), or with nothing for a folder"],
        roles: "id=…, text=…, label=…",
        has_several_rows: false,
        release_has_own_columns: true,
        ..KindCard::PLAIN
    };
    const SHELF: Shelf<Self> = catalog::DOCUMENTS;
    const RECOGNITION: Recognition = Recognition {
        looks_like: "a text each, or an id with terms and weights",
        roles: &io::documents::ROLES,
        takes_folders: true,
        takes_any_cells: false,
        likeness: io::documents::likeness,
    };

    type Layout = DocumentLayout;
    type Evidence = Self;

    fn fact(&self, fact: u32) -> String {
        self.terms().get(fact).to_owned()
    }

    /// Texts become vectors over WordNet, or the taxonomy that is given; so do the vectors of an original. Others are taken as
    /// they are, unless somebody who looks at them gave a taxonomy.
    fn read(opened: Opened, ask: &Ask, purpose: Purpose, progress: &dyn Progress) -> Result<Read<Self>> {
        let rule = ask.unknown.unwrap_or(Unknown::Drop);
        if let Unknown::Root | Unknown::OwnLeaf = rule {
            return Err(Error::parameter("unknown", "must be drop or error for documents")
                .with_hint("a word that the taxonomy does not know is like no other, so it cannot be in a release"));
        }
        let needs_taxonomy = match purpose {
            Purpose::Original => true,
            Purpose::Release => false,
            Purpose::Look => !ask.taxonomies.is_empty(),
        };
        let location = opened.location().clone();
        let mut loaded = None;
        let load = || {
            let own = ask.any_taxonomy()?;
            Ok(Arc::clone(&loaded.insert(own).taxonomy))
        };
        let mut read = io::read_opened_documents(opened, &ask.reading(), load, progress)?;
        if loaded.is_none() && needs_taxonomy {
            read.documents = read.documents.over(&loaded.insert(ask.any_taxonomy()?).taxonomy);
        }
        let rows = read.documents.rows() as u64;
        let are_texts = read.form != DocumentForm::Vectors;
        let (data, barred) = Barred::remove(read.documents, ask, purpose, |documents, who| {
            if are_texts {
                who.refuse_several_words()?;
            }
            Ok(documents.without(are_texts, |text| who.bars(text)))
        })?;
        let unknown = loaded.as_ref().map(|_| (data.words_unknown(), data.occurrences_unknown()));
        if let (Unknown::Error, Some((words @ 1.., _))) = (rule, unknown) {
            return Err(Error::data(format!("{} not in the taxonomy", counted(words, "word is", "words are")))
                .with_hint("add them to it, or leave them out: `--unknown drop`")
                .in_file(location.to_string()));
        }
        let mut notes = Vec::new();
        if read.left_out > 0 {
            let files = counted(
                read.left_out,
                "file was left out: it is hidden, a link, or of another ending",
                "files were left out: they are hidden, links, or of other endings",
            );
            notes.push(files);
        }
        let about = About {
            file_kind: Self::CARD.name,
            format: read.format,
            rows,
            refused: read.refused,
            unmapped: read.unmapped,
            uncompared: read.uncompared,
            first_lines: read.first_lines,
            files: read.files,
            barred,
            notes,
            layout: DocumentLayout {
                form: read.form,
                is_folder: matches!(location, Location::Folder(_)),
                columns: read.columns,
                words: read.words,
                left_out: read.left_out,
                taxonomy: loaded,
                unknown,
                rule,
                raw_cells: false,
            },
        };
        Ok(Read { data, about })
    }

    fn understand(parts: Vec<Self>, about: &About<Self>, _ask: &Ask, _wants: Wants) -> Result<Ready<Self>> {
        let layout = &about.layout;
        let without: u64 = parts.iter().map(without_terms).sum();
        let mut accounts = Accounts::new().with(PERSONS_WITHOUT_CONCEPT, without);
        if let Some((words, occurrences)) = layout.unknown {
            accounts = accounts.with(ITEMS_UNKNOWN, words).with(OCCURRENCES_UNKNOWN, occurrences);
        }
        let mut notes = Vec::new();
        if without > 0 {
            notes.push(format!(
                "{} no word that the taxonomy knows",
                counted(without, "document has", "documents have")
            ));
        }
        if parts.iter().any(Documents::has_classes) {
            notes.push("the labels of documents are not in the release".to_owned());
        }
        let taxonomy = layout.taxonomy.as_ref().map(|loaded| loaded.record(layout.rule));
        Ok(Ready { accounts, notes, taxonomy, ..Ready::plain(parts) })
    }

    /// The original became vectors over the taxonomy of the release; what the release holds is taken as it is.
    fn understand_pair(
        original: Read<Self>,
        release: Read<Self>,
        _ask: &Ask,
        certified: Option<&TaxonomyRecord>,
        _wants: Wants,
    ) -> Result<Ready<Self>> {
        let loaded = original.about.layout.taxonomy;
        let notes = taxonomy_note(loaded.as_ref(), certified).into_iter().collect();
        let release = match loaded {
            Some(loaded) => release.data.with_taxonomy(loaded.taxonomy),
            None => release.data,
        };
        Ok(Ready { notes, ..Ready::plain(vec![original.data, release]) })
    }

    fn understand_records(records: Self, original: &Self) -> Result<Self> {
        Ok(match original.taxonomy() {
            Some(taxonomy) => records.with_taxonomy(Arc::clone(taxonomy)),
            None => records,
        })
    }

    fn check_format(input: Format, asked: Option<Format>) -> Result<()> {
        io::release_format(input, asked).map(drop)
    }

    fn release_layout(about: &About<Self>, asked: Option<Format>, _records: &Self) -> Result<(Format, DocumentLayout)> {
        let format = io::release_format(about.format, asked)?;
        let roles: &[DocumentRole] = match format.kind {
            FormatKind::JsonLines => &[DocumentRole::Id, DocumentRole::Terms],
            _ => &[DocumentRole::Id, DocumentRole::Term, DocumentRole::Weight],
        };
        let columns = roles.iter().map(|role| (*role, role.name().to_owned())).collect();
        Ok((format, DocumentLayout { form: DocumentForm::Vectors, columns, ..about.layout.clone() }))
    }

    fn with_raw_cells(mut layout: DocumentLayout, raw: bool) -> DocumentLayout {
        layout.raw_cells = raw;
        layout
    }

    fn write<W: Write + Send>(
        out: &mut W,
        format: Format,
        layout: &DocumentLayout,
        records: &Self,
        persons: &[Person<'_>],
        progress: &dyn Progress,
    ) -> Result<u64> {
        io::write_documents(out, format, layout.raw_cells, records, persons, progress)
    }

    fn read_back(written: &Written<'_, Self>, progress: &dyn Progress) -> Result<Self> {
        let no_taxonomy = || Err(Error::internal("the release was written as vectors"));
        let read = io::read_opened_documents(written.open()?, &written.reading(), no_taxonomy, progress)?;
        let (found, meant) = (&read.documents, &written.release.records);
        let vector = |documents: &Documents, at: usize| -> Vec<(String, u64)> {
            let entry = |&(term, weight): &(u32, f64)| (documents.terms().get(term).to_owned(), weight.to_bits());
            documents.vector(at).iter().map(entry).collect()
        };
        let is_same = |(at, person): (usize, &Published)| {
            found.names().get(at as u32) == person.pseudonym
                && vector(found, at) == vector(meant, person.record as usize)
        };
        let is_whole = found.persons() == written.release.persons.len()
            && read.refused == 0
            && read.unmapped.is_empty()
            && read.uncompared.is_empty()
            && !found.has_classes()
            && written.release.persons.iter().enumerate().all(is_same);
        if !is_whole {
            return Err(Error::internal("the release does not hold the documents and terms that were written"));
        }
        Ok(read.documents)
    }

    fn columns(layout: &DocumentLayout) -> Vec<(&'static str, String)> {
        layout.columns.iter().map(|(role, name)| (role.name(), name.clone())).collect()
    }

    fn rows_of(&self, person: usize) -> usize {
        self.range(person).len()
    }

    fn texts(&self) -> Vec<&str> {
        self.terms().iter().collect()
    }

    fn account(original: &Self, _release: &Release<Self>, rows: u64, accounts: &mut Accounts) {
        let dropped = (original.rows() as u64).saturating_sub(rows);
        *accounts = std::mem::take(accounts).with(ROWS_DROPPED, dropped);
    }

    /// Vectors are judged as they stand. Texts are not judged: what a model sees of one, its vector, is not all that it says.
    fn evidence(
        opened: Opened,
        ask: &Ask,
        _certified: &Certified,
        _needs_sensitive: bool,
        progress: &dyn Progress,
    ) -> Result<Evidenced<Self>> {
        let location = opened.location().clone();
        if matches!(location, Location::Folder(_)) {
            return Err(are_texts().in_file(location.to_string()));
        }
        let no_taxonomy = || Err(are_texts());
        let read = io::read_opened_documents(opened, &ask.reading(), no_taxonomy, progress)?;
        let id = read.columns.iter().find(|(role, _)| *role == DocumentRole::Id);
        Ok(Evidenced {
            persons: read.documents.persons(),
            rows: read.documents.rows() as u64,
            refused: read.refused,
            person_column: id.map(|(_, name)| name.clone()).unwrap_or_default(),
            ids_look_drawn: look_drawn(read.documents.names()),
            uncompared: read.uncompared_with_labels(),
            unmapped: read.unmapped,
            unmapped_count: false,
            notes: lookalikes_of(read.documents.names()).into_iter().collect(),
            evidence: read.documents,
            first_lines: read.first_lines,
            files: read.files,
        })
    }

    fn unjudgeable(about: &About<Self>) -> Option<&'static str> {
        (about.layout.form != DocumentForm::Vectors).then_some(ARE_TEXTS)
    }

    fn witness(seen: &Evidenced<Self>, witness: &Witness, naming: &Naming) -> Value {
        let place = seen.first_lines.get(witness.person as usize).map(|&line| seen.files.place(line));
        naming.of(seen.evidence.names().get(witness.person), place, true, witness)
    }

    fn witness_in_words(witness: &Value) -> String {
        words::alone(witness, Self::CARD.person[0])
    }

    fn form(about: &About<Self>) -> String {
        match about.layout.form {
            DocumentForm::Folder => "folder".to_owned(),
            DocumentForm::Texts => format!("{}, texts", about.format),
            DocumentForm::Vectors => format!("{}, vectors", about.format),
        }
    }

    fn places(opened: Opened, ask: &Ask, look: LookAt<'_>, progress: &dyn Progress) -> Result<Option<Vec<Place>>> {
        io::document_places(opened, &ask.reading(), look, progress)
    }

    fn shown(read: &Read<Self>, _ask: &Ask) -> Result<Vec<Shown>> {
        let (data, layout) = (&read.data, &read.about.layout);
        let lengths = Lengths::of((0..data.persons()).map(|document| data.range(document).len()).collect());
        let (documents, empty) = (thousands(data.persons() as u64), thousands(lengths.empty as u64));
        let mut shown = vec![Shown::new(
            "documents",
            format!("{documents} ({empty} without a term)"),
            vec![("persons", json!(data.persons())), ("rows", json!(data.rows()))],
        )];
        if layout.is_folder {
            let values = vec![("files_left_out", json!(layout.left_out))];
            shown.push(match layout.left_out {
                0 => Shown::quietly(values),
                count => {
                    let files = counted(count, "file", "files");
                    Shown::new("left out", format!("{files}: hidden, links, or of other endings"), values)
                }
            });
        }
        if let Some(words) = layout.words {
            shown.push(Shown::new("words", thousands(words), vec![("words", json!(words))]));
        }
        shown.push(Shown::new(
            "terms",
            format!("{} different", thousands(data.terms().len() as u64)),
            vec![("distinct_terms", json!(data.terms().len()))],
        ));
        shown.push(Shown::new("lengths", lengths.in_words(" terms"), vec![("lengths", json!(lengths))]));
        if let Some((words, occurrences)) = layout.unknown {
            shown.push(unknown_shown(Self::CARD.unknown, words, occurrences));
        }
        shown.push(labels_shown(data));
        Ok(shown)
    }

    fn synth(request: &SynthRequest, stdout: &mut (dyn Write + Send), progress: &dyn Progress) -> Result<Made> {
        let params = documents::Params { persons: request.persons, seed: request.seed, ..documents::Params::default() };
        let synth = DocumentsSynth::new(params, &request.taxonomy()?)?;
        let is_folder = request.format.is_none() && request.out != Path::new("-") && request.out.extension().is_none();
        let rows = if is_folder {
            make_up_folder(&synth, &request.out, progress)?
        } else {
            make_up_lines(&synth, request, stdout, progress)?
        };
        let documents = counted(request.persons as u64, "document", "documents");
        Ok(Made { rows, said: format!("{documents} of {}", counted(rows, "word", "words")) })
    }
}

/// Why texts are not judged.
const ARE_TEXTS: &str = "these are texts, and texts that look alike to a model may differ in every name and number";

fn are_texts() -> Error {
    Error::refused(ARE_TEXTS)
        .with_hint("a release of documents holds vectors of terms: check that; `throng protect` makes one of texts")
}

fn without_terms(documents: &Documents) -> u64 {
    (0..documents.persons()).filter(|&document| documents.range(document).is_empty()).count() as u64
}

fn labels_shown(data: &Documents) -> Shown {
    let mut counts = vec![0usize; data.classes().len()];
    for class in (0..data.persons()).filter_map(|document| data.class(document)) {
        counts[class as usize] += 1;
    }
    let mut labels: Vec<(&str, usize)> = data.classes().iter().zip(counts).filter(|(_, count)| *count >= K).collect();
    labels.sort_unstable();
    let different = data.classes().len();
    let map: Map<String, Value> = labels.iter().map(|&(label, count)| (label.to_owned(), json!(count))).collect();
    let values = vec![("distinct_labels", json!(different)), ("labels", Value::Object(map))];
    if different == 0 {
        return Shown::quietly(values);
    }
    let hidden = different - labels.len();
    let hidden = (hidden > 0).then(|| format!("{hidden} of fewer than {K} documents"));
    let texts: Vec<String> = labels.iter().map(|(label, count)| format!("{label} {count}")).chain(hidden).collect();
    Shown::new("labels", texts.join(", "), values)
}

/// Documents made up at a time.
const BLOCK: usize = 500;

/// Makes up documents, and hands on one after the other. Gives the number of words.
fn make_up(
    synth: &DocumentsSynth,
    progress: &dyn Progress,
    mut take: impl FnMut(&MadeUp) -> Result<()>,
) -> Result<u64> {
    progress.stage("making up documents", synth.persons() as u64);
    let (mut start, mut words) = (0, 0);
    while start < synth.persons() {
        let end = (start + BLOCK).min(synth.persons());
        for made in synth.block(start..end) {
            words += made.text.split_whitespace().count() as u64;
            take(&made)?;
        }
        progress.advance((end - start) as u64);
        start = end;
    }
    Ok(words)
}

fn make_up_lines(
    synth: &DocumentsSynth,
    request: &SynthRequest,
    stdout: &mut (dyn Write + Send),
    progress: &dyn Progress,
) -> Result<u64> {
    let format = request.format_of(&Documents::CARD)?;
    if format.kind != FormatKind::JsonLines {
        return Err(Error::refused(format!("made-up documents cannot be written as {format}"))
            .with_hint("choose jsonl (also .gz, .zst), or a folder: a name without an ending"));
    }
    let failed = |cause| Error::io("write the data", cause);
    request.to_file(stdout, |out| {
        let mut out = io::compressed(out, format.compression).map_err(failed)?;
        let words = make_up(synth, progress, |made| {
            let line = json!({"id": made.id, "label": made.label, "text": made.text});
            writeln!(out, "{line}").map_err(failed)
        })?;
        out.end().map_err(failed)?;
        Ok(words)
    })
}

/// A folder with a sub-folder for each label.
fn make_up_folder(synth: &DocumentsSynth, folder: &Path, progress: &dyn Progress) -> Result<u64> {
    refuse_existing(folder)?;
    let unfinished = Pending::folder(folder)
        .map_err(|cause| Error::io(format!("write into {}", pending::folder_of(folder).display()), cause))?;
    let root = unfinished.path().to_owned();
    let words = make_up(synth, progress, |made| {
        let place = root.join(&made.label);
        let failed = |cause| Error::io(format!("write into {}", folder.display()), cause);
        if !place.is_dir() {
            pending::new_folder(&place).map_err(failed)?;
        }
        let mut file = pending::new_file(&place.join(format!("{}.txt", made.id))).map_err(failed)?;
        file.write_all(made.text.as_bytes()).map_err(failed)
    })?;
    pending::publish(vec![(unfinished, folder.to_owned())])?;
    Ok(words)
}
