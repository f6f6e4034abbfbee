//! Writing the files of a release, or its bytes in memory, and checking them on the very bytes: claims by their models, and that nothing
//! is in them that may never be published.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use serde_json::Value;
use throng_core::data::Interner;
use throng_core::models::personal_k_anonymity::K_COLUMN;
use throng_core::progress::Progress;
use throng_core::release::{Claim, Published};
use throng_core::{Error, Result};

use crate::catalog::Judge;
use crate::certificate::{AlsoFile, ClaimRecord};
use crate::drop_list::DropList;
use crate::io::{self, HashingWriter, Location};
use crate::kinds::{Kinded, NORMAL_FORM, Purpose, WORDNET, Written};
use crate::pending;
use crate::policy::{self, Matcher, Policy, Seen};
use crate::words::counted;

/// Where data are written to.
pub(super) enum Sink {
    /// A file of a folder that has no name yet.
    Folder(PathBuf, BufWriter<File>),
    /// Memory, to be handed out as record batches.
    Batches(Vec<u8>),
}

impl Sink {
    /// A new file.
    pub(super) fn file(path: PathBuf) -> Result<Self> {
        let file = pending::new_file(&path).map_err(unwritten)?;
        Ok(Self::Folder(path, BufWriter::with_capacity(1 << 20, file)))
    }

    /// Nothing more is written: where it all is.
    fn finish(self) -> Result<Location> {
        match self {
            Self::Folder(path, writer) => {
                let file = writer.into_inner().map_err(|error| unwritten(error.into_error()))?;
                file.sync_all().map_err(unwritten)?;
                Ok(Location::File(path))
            }
            Self::Batches(bytes) => Ok(Location::Held(bytes.into())),
        }
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            Self::Folder(_, writer) => writer.write(bytes),
            Self::Batches(held) => held.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Self::Folder(_, writer) => writer.flush(),
            Self::Batches(_) => Ok(()),
        }
    }
}

fn unwritten(cause: std::io::Error) -> Error {
    Error::io("write the data", cause)
}

/// Writes the data. Gives where they are, the number of rows and the SHA-256.
pub(super) fn write_data(
    sink: Sink,
    write: impl FnOnce(&mut HashingWriter<Sink>) -> Result<u64>,
) -> Result<(Location, u64, String)> {
    let mut writer = HashingWriter::new(sink);
    let rows = write(&mut writer)?;
    let (sink, hash) = writer.finish();
    Ok((sink.finish()?, rows, hash))
}

/// Writes further files of the data. Gives them as a certificate names them.
pub(super) fn write_also(folder: &Path, files: Vec<(String, Vec<u8>)>) -> Result<Vec<AlsoFile>> {
    let write = |(file, bytes): (String, Vec<u8>)| {
        write_new(&folder.join(&file), &bytes)?;
        Ok(AlsoFile { sha256: io::hash_bytes(&bytes), file })
    };
    files.into_iter().map(write).collect()
}

pub(super) fn write_new(path: &Path, text: &[u8]) -> Result<()> {
    let failed = |cause| Error::io(format!("write {}", path.file_name().unwrap_or_default().display()), cause);
    let mut file = pending::new_file(path).map_err(failed)?;
    file.write_all(text).and_then(|()| file.sync_all()).map_err(failed)
}

/// Reads the written file as anybody would, compares it with what was meant, and checks every claim on it. Anything that does
/// not hold is an error. Gives what models look at, too.
pub(super) fn check_written<D: Kinded>(
    written: &Written<'_, D>,
    original: &D,
    progress: &dyn Progress,
) -> Result<(Vec<ClaimRecord>, D::Evidence)> {
    let progress = &Checking(progress);
    let unreadable = |cause: Error| {
        if cause.is_internal() || cause.is_stopped() {
            cause
        } else {
            Error::internal("the release cannot be read back").with_cause(cause)
        }
    };
    let seen = D::read_back(written, progress).map_err(unreadable)?;
    let links = |read: &D| -> Vec<(u32, u32)> {
        let names = Interner::from(read.names());
        let link = |person: &Published| Some((person.person, names.find(&person.pseudonym)?));
        written.release.persons.iter().filter_map(link).collect()
    };
    let record = |claim: &Claim| {
        let judge = (D::SHELF.model(claim.model)?.build)(claim.parameters.clone())?;
        let verdict = match &judge {
            Judge::Alone(model) => model.check(&seen)?,
            Judge::Beside(model) => {
                let read = D::read(written.open()?, &written.ask(), Purpose::Release, progress).map_err(unreadable)?;
                model.check_linked(original, &read.data, &links(&read.data))?
            }
            Judge::Keyed(model) => {
                let read = D::read(written.open()?, &written.ask(), Purpose::Release, progress).map_err(unreadable)?;
                model.check(original, &read.data, &links(&read.data))
            }
        };
        if !verdict.holds {
            return Err(Error::internal(format!(
                "the release does not satisfy {}, so it was not published: {}",
                claim.model,
                Value::Object(verdict.achieved)
            )));
        }
        let by_persons = D::achieved_by_persons(written, &seen, claim)?;
        Ok(ClaimRecord {
            model: claim.model.to_owned(),
            parameters: claim.parameters.clone(),
            verdict: "holds".to_owned(),
            achieved: by_persons.unwrap_or(verdict.achieved),
            needs: judge.needs().map(str::to_owned),
        })
    };
    let claims = written.release.claims.iter().map(record).collect::<Result<_>>()?;
    Ok((claims, seen))
}

/// Reads the written file as anybody would, and looks through it for what a policy names.
pub(super) fn seen_by_policy<D: Kinded>(
    written: &Written<'_, D>,
    (original, alike): (&D, u64),
    (policy, matcher): (&Policy, &Matcher),
    (claims, evidence): (&[ClaimRecord], D::Evidence),
    progress: &dyn Progress,
) -> Result<Seen> {
    let read = D::read(written.open()?, &written.ask(), Purpose::Release, &Checking(progress))?;
    // What has lost its marks is known by the original.
    let beside = Some(original).filter(|_| D::text_form(&written.release.claims) == Some(NORMAL_FORM));
    let columns = D::named_fields(&read.about.layout);
    let mut seen = policy::look(policy, matcher, &read.data, (&columns, &read.about.unmapped), beside);
    let evidence = Rc::new(evidence);
    let look = |_| Ok(Rc::clone(&evidence));
    seen.models = policy::judge_models::<D>(policy, claims, look, Some((original, &read.data)), None, alike)?;
    Ok(seen)
}

/// Reads the written file as anybody would, and refuses it if it still says what may never be published.
pub(super) fn refuse_barred<D: Kinded>(
    written: &Written<'_, D>,
    list: &DropList,
    progress: &dyn Progress,
) -> Result<()> {
    let read = D::read(written.open()?, &written.ask(), Purpose::Release, &Checking(progress))?;
    let lines: Vec<u64> = read.data.texts().into_iter().filter_map(|text| list.finds(text)).collect();
    let Some(first) = lines.first() else { return Ok(()) };
    Err(Error::refused(format!(
        "the release would still say what may never be published ({}, the first by line {first} of the list); nothing was published",
        counted(lines.len() as u64, "text", "texts")
    ))
    .with_hint(
        "a method can cut a query to a barred one, or a taxonomy bring a word back: bar the words themselves, without quotes, \
         and take them out of the taxonomy",
    ))
}

/// Refuses a release that says what may never be published outside its texts: in the name of a column or of the taxonomy's file, or
/// in an id that is kept.
pub(super) fn refuse_barred_names<D: Kinded>(
    written: &Written<'_, D>,
    list: &DropList,
    keep_ids: bool,
    taxonomy: Option<&str>,
) -> Result<()> {
    // Names that columns usually have say nothing of anybody.
    let is_usual = |name: &str| D::RECOGNITION.roles.cards.iter().any(|card| card.knows(name));
    let columns = if D::has_header(written.layout) { D::columns(written.layout) } else { Vec::new() };
    let column = columns.iter().filter(|(_, name)| !is_usual(name)).find_map(|(_, name)| list.finds(name));
    // The certificate names the column of what persons ask for, though nothing in it is published.
    let asked = written.release.claims.iter().find_map(|claim| claim.parameters.get(K_COLUMN.name)?.as_str());
    let column = column.or_else(|| asked.and_then(|name| list.finds(name)));
    let id = written.release.persons.iter().filter(|_| keep_ids).find_map(|person| list.finds(&person.pseudonym));
    let taxonomy = taxonomy.filter(|name| *name != WORDNET).and_then(|name| list.finds(name));
    for (line, what, hint) in [
        (column, "the name of a column", "give the column another name in the original"),
        (id, "an id that is kept", "without `--keep-ids` every person gets a new id"),
        (taxonomy, "the name of the taxonomy's file", "the certificate has it: give the file another name"),
    ] {
        if let Some(line) = line {
            return Err(Error::refused(format!(
                "{what} says what may never be published (line {line} of the list); nothing was published"
            ))
            .with_hint(hint));
        }
    }
    Ok(())
}

/// Somebody who listens to a file that is read to be checked.
struct Checking<'a>(&'a dyn Progress);

impl Progress for Checking<'_> {
    fn stage(&self, _name: &str, total: u64) {
        self.0.stage("checking", total);
    }

    fn advance(&self, steps: u64) {
        self.0.advance(steps);
    }

    fn is_stopped(&self) -> bool {
        self.0.is_stopped()
    }
}
