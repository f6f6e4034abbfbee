//! A release in memory as a release folder: written in a format, read back, compared, and given its name whole or not at all.
//!
//! The claims were checked on the bytes in memory. What is written is read as anybody would read it and compared with these, and
//! whatever a file alone can show is checked on it again.

use std::path::{Path, PathBuf};

use throng_core::accounts::Accounts;
use throng_core::data::Strings;
use throng_core::progress::Progress;
use throng_core::release::{Claim, Published, Release};
use throng_core::{Error, Result};

use super::certified::Certified;
use super::protect::write_papers;
use super::synth::refuse_existing;
use super::written::{Sink, write_data};
use crate::catalog::Judge;
use crate::certificate::{Certificate, Output};
use crate::held_release::HeldRelease;
use crate::inputs::Inputs;
use crate::io::{self, Format, Opened, Person};
use crate::kinds::{self, Kinded, Purpose, Read, Written};
use crate::pending::{self, Pending};
use crate::release_folder::in_report;
use crate::report;

/// Writes a release that is in memory as a folder. Gives the folder.
pub(crate) fn save(held: &HeldRelease, folder: &Path, format: Format, progress: &dyn Progress) -> Result<PathBuf> {
    let folder = pending::dated(folder);
    pending::refuse_stdout(&folder)?;
    pending::refuse_in_release(&folder, "release")?;
    refuse_existing(&folder)?;
    let unfinished = Pending::folder(&folder).map_err(|cause| {
        Error::io(format!("write into the folder {}", pending::folder_of(&folder).display()), cause)
    })?;
    let certified = Certified::open(&Inputs::from(held.clone()), &kinds::Ask::default())?;
    let (kind, opened) = kinds::open(&certified.location, &certified.ask)?;
    let output = kind.save(held, &certified, opened, (unfinished.path(), format), progress)?;
    let mut certificate = Certificate { output, ..held.certificate().clone() };
    // The report has the certificate in it, but for its own hash.
    let mut told = held.report()?;
    told["certificate"] = in_report(&certificate);
    let text = crate::certificate::json_text(&told)?;
    certificate.report_sha256 = Some(io::hash_bytes(&text));
    write_papers(unfinished.path(), &certificate, (&text, &report::html(&told, false)?), None)?;
    progress.go_on()?;
    pending::publish(vec![(unfinished, folder.clone())])?;
    Ok(folder)
}

/// Writes the data of a release of a kind. Gives what its certificate says of them.
pub(crate) fn save_as<D: Kinded>(
    held: &HeldRelease,
    certified: &Certified,
    opened: Opened,
    (folder, format): (&Path, Format),
    progress: &dyn Progress,
) -> Result<Output> {
    let certificate = held.certificate();
    let Read { data, about } = D::read(opened, &certified.ask, Purpose::Release, progress)?;
    let (format, layout) = D::release_layout(&about, Some(format), &data)?;
    let release = as_release(data, certificate)?;
    let file_name = format!("data.{format}");
    let (location, rows, sha256) = write_data(Sink::file(folder.join(&file_name))?, |writer| {
        let persons: Vec<Person<'_>> =
            release.persons.iter().map(|person| Person { name: &person.pseudonym, person: person.record }).collect();
        D::write(writer, format, &layout, &release.records, &persons, progress)
    })?;
    let written = Written { location: &location, format, layout: &layout, release: &release, rows, at_once: None };
    let changed = |cause| Error::internal("the file is not what is in memory").with_cause(cause);
    let seen = D::read_back(&written, progress).map_err(changed)?;
    if rows != certificate.output.rows {
        return Err(Error::internal("the file has other rows than what is in memory"));
    }
    for claim in &release.claims {
        if let Judge::Alone(model) = (D::SHELF.model(claim.model)?.build)(claim.parameters.clone())?
            && !model.check(&seen)?.holds
        {
            return Err(Error::internal(format!("the file does not satisfy {}, so it was not saved", claim.model)));
        }
    }
    let times = D::time_form(&layout);
    Ok(Output {
        file: file_name,
        format: None,
        sha256,
        columns: kinds::column_map::<D>(&layout),
        delimiter: format.separator().filter(|_| format.is_unusual()),
        header: (!D::has_header(&layout)).then_some(false),
        time_format: times.format,
        time_zone: times.zone,
        log_format: D::log_format(&layout),
        ..certificate.output.clone()
    })
}

/// Data of a release, each person with a record of their own.
fn as_release<D: Kinded>(records: D, certificate: &Certificate) -> Result<Release<D>> {
    let names: &Strings = records.names();
    let published = |person: u32| Published { pseudonym: names.get(person).to_owned(), record: person, person };
    let persons = (0..records.persons() as u32).map(published).collect();
    let claim = |claim: &crate::certificate::ClaimRecord| {
        Ok(Claim { model: D::SHELF.model(&claim.model)?.info.name, parameters: claim.parameters.clone() })
    };
    let claims = certificate.claims.iter().map(claim).collect::<Result<_>>()?;
    let (grouped, search, optimised, secret) = Default::default();
    Ok(Release { records, persons, claims, grouped, search, optimised, accounts: Accounts::new(), secret })
}
