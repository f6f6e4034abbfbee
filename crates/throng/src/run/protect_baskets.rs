//! Protecting baskets: over a taxonomy, written in the input's form, read back and compared item by item.

use std::collections::BTreeMap;
use std::path::Path;

use throng_core::data::Baskets;
use throng_core::measures::Pair;
use throng_core::measures::risk::uniqueness;
use throng_core::methods::Method;
use throng_core::release::{Published, Release};
use throng_core::taxonomy::fit::{Fitted, Unknown, fit};
use throng_core::{Error, Kind, Result, Rng};

use super::check::{another_kind, check_claims};
use super::load::{LoadedBaskets, load_baskets, with_meaning_of_nodes, with_sensitive};
use super::measure::{on_baskets, run};
use super::protect::{Staged, Staging, needs_meaning, unknown_phrases, write_data};
use crate::catalog::AnyModel;
use crate::certificate::{Accounting, Input, Output};
use crate::io::{self, BasketLayout, Format, FormatKind, Location, Opened, Person, ReadOptions};

/// Protects baskets, writes and checks the data, and measures them.
pub(super) fn stage(
    staging: &Staging<'_>,
    opened: Opened,
    method: &dyn Method<Baskets>,
    rng: &mut Rng,
) -> Result<Staged> {
    let (request, progress) = (staging.request, staging.progress);
    let options = &request.baskets;
    let sensitive = options.sensitive()?;
    let by_meaning = method.needs_meaning();
    let taxonomy = if by_meaning { None } else { options.taxonomy()? };
    let knowledge = by_meaning.then(|| options.knowledge()).transpose()?;
    let loaded = load_baskets(opened, &request.options, progress)?;
    let fitted = match &taxonomy {
        Some(loaded_taxonomy) => {
            let fitted = fit(&[&loaded.baskets], &loaded_taxonomy.taxonomy, options.rule());
            Some(fitted.map_err(|error| staging.named(error))?.remove(0))
        }
        None => None,
    };
    let unknown = fitted.as_ref().map(|fitted| (fitted.items_unknown, fitted.occurrences_unknown));
    let LoadedBaskets { baskets, file_kind, format, layout, rows, refused, .. } = loaded;
    let mut original = fitted.map_or(baskets, |Fitted { baskets, .. }| baskets);
    if let Some(labels) = &sensitive {
        let missing;
        (original, missing) = with_sensitive(original, labels);
        if let Some(first) = missing.first() {
            let count = missing.len();
            let items =
                if count == 1 { "1 sensitive item does".to_owned() } else { format!("{count} sensitive items do") };
            let error = Error::data(format!("{items} not occur in the data")).with_value(first);
            let error = error.with_hint("is the list for other data? leave such items out of it");
            return Err(error.in_file(options.sensitive.as_deref().unwrap_or(Path::new("")).display().to_string()));
        }
    }

    if let Some(knowledge) = &knowledge {
        let meaning = knowledge.of(&[original.labels()]).map_err(|error| staging.named(error))?.remove(0);
        original = original.with_meaning(meaning);
    } else if needs_meaning(&staging.measures) {
        original = with_meaning_of_nodes(original);
    }
    let mut protected = method.protect(&original, rng, progress).map_err(|error| staging.named(error))?;
    let (format, layout) = release_layout(staging, format, &layout, protected.records.grouping().is_some())?;
    let has_ids = layout.person.is_some();
    protected.records = protected.records.with_ids(has_ids);
    let mut release = protected.disguise(original.names(), request.keep_ids, rng)?;
    let layout = typed(layout, format, &release);

    let file_name = format!("data.{format}");
    let data = staging.folder.join(&file_name);
    progress.stage("writing", 0);
    let (items, sha256) = {
        let persons: Vec<Person<'_>> =
            release.persons.iter().map(|person| Person { name: &person.pseudonym, person: person.record }).collect();
        write_data(&data, |writer| io::write_baskets(writer, format, &layout, &release.records, &persons, progress))?
    };
    let written = read_back(staging, &data, format, &layout, &release)?;
    let claims = check_claims(&release.claims, |model| match model {
        AnyModel::Baskets(model) => Ok(model.check(&written)),
        AnyModel::Queries(_) | AnyModel::QueriesWithOriginal(_) | AnyModel::Documents(_) => Err(another_kind()),
    })?;
    drop(written);

    let multiplicity = release.persons_of_records(release.records.persons());
    let mut link = vec![None; original.persons()];
    for person in &release.persons {
        link[person.person as usize] = Some(person.record);
    }
    let record_of: Vec<u32> = release.persons.iter().map(|person| person.record).collect();
    let unique_by_after = uniqueness::unique_by_records(&release.records, &record_of, &mut Rng::seeded(0));
    let sizes = group_by_published_groups(&mut release, &multiplicity);
    let pair = Pair { original: &original, release: &release.records, multiplicity, link: Some(link) };
    let parameters = method.parameters();
    let measured = run(&on_baskets(&staging.measures), &pair, &staging.context(&parameters))?;
    let unique_by = uniqueness::unique_by(&original, &mut Rng::seeded(0));
    let by_group = release.records.grouping().into_iter().flat_map(|grouping| &grouping.sensitive).flatten();
    let published = items + by_group.map(|&(_, count)| u64::from(count)).sum::<u64>();
    let suppressed = (original.rows() as u64).saturating_sub(published);
    Ok(Staged {
        input: Input { kind: file_kind.name().to_owned(), persons: original.persons() as u64, rows },
        output: Output {
            kind: (file_kind != Kind::Baskets).then(|| Kind::Baskets.name().to_owned()),
            file: file_name,
            sha256,
            persons: release.persons.len() as u64,
            rows: items,
            columns: layout.columns().iter().map(|&(role, name)| (role.to_owned(), name.to_owned())).collect(),
        },
        claims,
        parameters,
        grouped: release.grouped,
        ids: match (has_ids, request.keep_ids) {
            (false, _) => "none",
            (true, false) => "pseudonyms",
            (true, true) => "kept",
        },
        taxonomy: match knowledge.filter(|_| by_meaning) {
            Some(knowledge) => Some(knowledge.record()),
            None => taxonomy.map(|taxonomy| taxonomy.record(options.rule())),
        },
        sensitive_items: sensitive.map(|_| original.sensitive().len() as u64),
        accounting: Accounting {
            persons_dropped: (original.persons() - release.persons.len()) as u64,
            rows_dropped: suppressed,
            rows_refused: refused,
            items_unknown: unknown.map(|(items, _)| items),
            occurrences_unknown: unknown.map(|(_, occurrences)| occurrences),
            occurrences_suppressed: Some(suppressed),
            persons_without_concept: None,
            groups_empty: None,
            lines_above_cap: None,
        }
        .with_phrases(by_meaning.then(|| unknown_phrases(&original))),
        names: original.names().clone(),
        persons: release.persons,
        sizes,
        measured,
        unique_by,
        unique_by_after,
        unmapped: layout.unmapped,
        notes: Vec::new(),
    })
}

/// The input's form in the format of the release. Sensitive items by group are JSON lines whatever the input was.
fn release_layout(
    staging: &Staging<'_>,
    input: Format,
    layout: &BasketLayout,
    has_groups: bool,
) -> Result<(Format, BasketLayout)> {
    let mut format = staging.request.format.unwrap_or(input);
    if has_groups && format.kind != FormatKind::JsonLines {
        if staging.request.format.is_some() {
            return Err(Error::refused(format!("sensitive items by group cannot be written as {format}"))
                .with_hint("leave out `--format`, or choose jsonl"));
        }
        format.kind = FormatKind::JsonLines;
    }
    Ok((format, layout.fitted(format.kind)?))
}

/// A column of a Parquet file has one type: kept ids are numbers there only if all of them are.
fn typed(mut layout: BasketLayout, format: Format, release: &Release<Baskets>) -> BasketLayout {
    if format.kind == FormatKind::Parquet {
        let is_number = |person: &Published| {
            person.pseudonym.parse::<i64>().is_ok_and(|number| number.to_string() == person.pseudonym)
        };
        layout.typed_person &= release.persons.iter().all(is_number);
    }
    layout
}

/// Reads the written file as anybody would, and compares it with what was meant.
fn read_back(
    staging: &Staging<'_>,
    data: &Path,
    format: Format,
    layout: &BasketLayout,
    release: &Release<Baskets>,
) -> Result<Baskets> {
    let mut options = ReadOptions { format: Some(format), ..ReadOptions::default() };
    for (role, name) in layout.columns() {
        options.choose_column(&format!("{role}={name}"))?;
    }
    let read = io::read_baskets(&Location::File(data.to_owned()), &options, staging.progress)
        .map_err(|cause| Error::internal("the release cannot be read back").with_cause(cause))?;
    let meant = &release.records;
    let (mut written, grouping) = (read.baskets, meant.grouping());
    if let Some(taxonomy) = meant.taxonomy() {
        written = fit(&[&written], taxonomy, Unknown::Error)
            .map_err(|cause| Error::internal("the release holds an item that was not written").with_cause(cause))?
            .remove(0)
            .baskets;
    } else {
        written = meant.aligned(&written).1;
    }
    let labels: Vec<String> = meant.sensitive().iter().map(|&item| meant.label(item).to_owned()).collect();
    let (written, _) = with_sensitive(written, &labels);
    let is_same = |(at, person): (usize, &Published)| {
        let record = person.record as usize;
        let group = |baskets: &Baskets, at: usize| {
            let grouping = baskets.grouping()?;
            Some(grouping.sensitive[grouping.group_of[at] as usize].clone())
        };
        written.names().get(at as u32) == person.pseudonym
            && written.basket(at) == meant.basket(record)
            && group(&written, at) == group(meant, record)
    };
    let is_whole = written.persons() == release.persons.len()
        && read.refused == 0
        && written.grouping().is_some() == grouping.is_some()
        && release.persons.iter().enumerate().all(is_same);
    if !is_whole {
        return Err(Error::internal("the release does not hold the persons and items that were written"));
    }
    Ok(written)
}

/// The sizes of groups. Where sensitive items are published by group, persons get the numbers of those groups, as they
/// stand in the file, in the place of their records.
fn group_by_published_groups(release: &mut Release<Baskets>, multiplicity: &[u32]) -> Vec<u32> {
    let Some(grouping) = release.records.grouping() else { return multiplicity.to_vec() };
    let mut numbers = BTreeMap::new();
    let mut sizes = Vec::new();
    for person in &mut release.persons {
        let next = numbers.len() as u32;
        let group = *numbers.entry(grouping.group_of[person.record as usize]).or_insert(next);
        sizes.resize(numbers.len(), 0);
        sizes[group as usize] += 1;
        person.record = group;
    }
    sizes
}
