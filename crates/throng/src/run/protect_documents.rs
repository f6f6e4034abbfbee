//! Protecting documents: turned into vectors over a taxonomy, written, read back and compared term by term.

use std::path::Path;

use throng_core::data::Documents;
use throng_core::measures::Pair;
use throng_core::measures::risk::uniqueness;
use throng_core::methods::Method;
use throng_core::release::{Published, Release};
use throng_core::taxonomy::fit::Unknown;
use throng_core::{Error, Kind, Result, Rng};

use super::check::{another_kind, check_claims};
use super::load::{LoadedDocuments, load_documents};
use super::measure::{on_documents, run};
use super::protect::{Staged, Staging, write_data};
use crate::catalog::AnyModel;
use crate::certificate::{Accounting, Input, Output};
use crate::io::{self, Format, Location, Opened, Person, ReadOptions};

/// Protects documents, writes and checks the data, and measures them.
pub(super) fn stage(
    staging: &Staging<'_>,
    opened: Opened,
    method: &dyn Method<Documents>,
    rng: &mut Rng,
) -> Result<Staged> {
    let (request, progress) = (staging.request, staging.progress);
    // What cannot be written is refused before everything is read.
    let format = io::release_format(opened.format, request.format)?;
    let loaded = load_documents(opened, &request.options, &request.baskets, true, progress)?;
    let LoadedDocuments { read, taxonomy, unknown } = loaded;
    let without_terms = read.without_terms();
    let notes = notes(&read, without_terms);
    let original = read.documents;
    if without_terms == original.persons() as u64 {
        let error = Error::data("no word of the documents is in the taxonomy")
            .with_hint("is it the right one, and in the language of the documents? `--taxonomy FILE` names another");
        return Err(staging.named(error));
    }
    let protected = method.protect(&original, rng, progress).map_err(|error| staging.named(error))?;
    let release = protected.disguise(original.names(), request.keep_ids, rng)?;

    let file_name = format!("data.{format}");
    let data = staging.folder.join(&file_name);
    progress.stage("writing", 0);
    let (rows, sha256) = {
        let persons: Vec<Person<'_>> =
            release.persons.iter().map(|person| Person { name: &person.pseudonym, person: person.record }).collect();
        write_data(&data, |writer| io::write_documents(writer, format, &release.records, &persons, progress))?
    };
    let (written, columns) = read_back(staging, &data, format, &release)?;
    let claims = check_claims(&release.claims, |model| match model {
        AnyModel::Documents(model) => Ok(model.check(&written)),
        AnyModel::Queries(_) | AnyModel::QueriesWithOriginal(_) | AnyModel::Baskets(_) => Err(another_kind()),
    })?;
    drop(written);

    let sizes = release.persons_of_records(release.records.persons());
    let mut link = vec![None; original.persons()];
    for person in &release.persons {
        link[person.person as usize] = Some(person.record);
    }
    let mut records = release.records;
    if let Some(loaded) = &taxonomy {
        records = records.with_taxonomy(loaded.taxonomy.clone());
    }
    let pair = Pair { original: &original, release: &records, multiplicity: sizes.clone(), link: Some(link) };
    let parameters = method.parameters();
    let measured = run(&on_documents(&staging.measures), &pair, &staging.context(&parameters))?;
    let unique_by = uniqueness::unique_by(&original, &mut Rng::seeded(0));
    let record_of: Vec<u32> = release.persons.iter().map(|person| person.record).collect();
    let unique_by_after = uniqueness::unique_by_records(&records, &record_of, &mut Rng::seeded(0));
    Ok(Staged {
        input: Input {
            kind: Kind::Documents.name().to_owned(),
            persons: original.persons() as u64,
            rows: original.rows() as u64,
        },
        output: Output {
            kind: None,
            file: file_name,
            sha256,
            persons: release.persons.len() as u64,
            rows,
            columns: columns.into_iter().collect(),
        },
        claims,
        parameters,
        grouped: release.grouped,
        ids: if request.keep_ids { "kept" } else { "pseudonyms" },
        taxonomy: taxonomy.map(|taxonomy| taxonomy.record(request.baskets.unknown.unwrap_or(Unknown::Drop))),
        sensitive_items: None,
        accounting: Accounting {
            persons_dropped: (original.persons() - release.persons.len()) as u64,
            persons_without_concept: Some(without_terms),
            rows_dropped: (original.rows() as u64).saturating_sub(rows),
            rows_refused: read.refused,
            items_unknown: unknown.map(|(words, _)| words),
            occurrences_unknown: unknown.map(|(_, occurrences)| occurrences),
            occurrences_suppressed: None,
            groups_empty: None,
            lines_above_cap: None,
        },
        names: original.names().clone(),
        persons: release.persons,
        sizes,
        measured,
        unique_by,
        unique_by_after,
        unmapped: read.unmapped,
        notes,
    })
}

/// What is not in the release, beside columns.
fn notes(read: &io::ReadDocuments, without_terms: u64) -> Vec<String> {
    let mut notes = Vec::new();
    match read.left_out {
        0 => {}
        1 => notes.push("1 file was left out: it is hidden, a link, or of another ending".to_owned()),
        count => notes.push(format!("{count} files were left out: they are hidden, links, or of other endings")),
    }
    match without_terms {
        0 => {}
        1 => notes.push("1 document has no word that the taxonomy knows".to_owned()),
        count => notes.push(format!("{count} documents have no word that the taxonomy knows")),
    }
    if read.documents.has_classes() {
        notes.push("the labels of documents are not in the release".to_owned());
    }
    notes
}

/// Reads the written file as anybody would, and compares it with what was meant. Gives its columns, too.
fn read_back(
    staging: &Staging<'_>,
    data: &Path,
    format: Format,
    release: &Release<Documents>,
) -> Result<(Documents, Vec<(String, String)>)> {
    let options = ReadOptions { format: Some(format), ..ReadOptions::default() };
    let no_taxonomy = || Err(Error::internal("the release was written as vectors"));
    let read = io::read_documents(&Location::File(data.to_owned()), &options, no_taxonomy, staging.progress)
        .map_err(|cause| Error::internal("the release cannot be read back").with_cause(cause))?;
    let (written, meant) = (&read.documents, &release.records);
    let vector = |documents: &Documents, at: usize| -> Vec<(String, u64)> {
        let entry = |&(term, weight): &(u32, f64)| (documents.terms().get(term).to_owned(), weight.to_bits());
        documents.vector(at).iter().map(entry).collect()
    };
    let is_same = |(at, person): (usize, &Published)| {
        written.names().get(at as u32) == person.pseudonym
            && vector(written, at) == vector(meant, person.record as usize)
    };
    let is_whole = written.persons() == release.persons.len()
        && read.refused == 0
        && read.unmapped.is_empty()
        && !written.has_classes()
        && release.persons.iter().enumerate().all(is_same);
    if !is_whole {
        return Err(Error::internal("the release does not hold the documents and terms that were written"));
    }
    let columns = read.columns.iter().map(|(role, name)| (role.name().to_owned(), name.clone())).collect();
    Ok((read.documents, columns))
}
