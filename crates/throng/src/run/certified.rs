//! A file or a release: where its data are, and, of a release, what its certificate says about how to read and judge it. The
//! certificate is read and understood here, once for every command.

use std::path::{Path, PathBuf};

use throng_core::accounts::PERSONS_NOT_SAMPLED;
use throng_core::{Error, Result};

use crate::certificate::Certificate;
use crate::held_release::HELD_FORMAT;
use crate::inputs::{Inputs, Source};
use crate::io::{self, Encoding, Format, Location};
use crate::kinds::{self, Ask, ColumnChoice, TaxonomyRecord};

/// Data, and what a certificate says of them if they are a release.
#[derive(Debug, Clone)]
pub struct Certified {
    /// Where the data are.
    pub location: Location,
    /// The certificate of a release.
    pub certificate: Option<Certificate>,
    /// How to read the data: as the certificate says, unless the user says otherwise.
    pub ask: Ask,
}

impl Certified {
    /// What some data mean: one file see [`Self::open_one`]; several are one data set.
    pub fn open(inputs: &Inputs, ask: &Ask) -> Result<Self> {
        match inputs.source() {
            Source::Files(_) => Self::open_files(&inputs.paths()?, ask),
            Source::Batches(frame) => {
                Ok(Self { location: Location::Frame(frame.clone()), certificate: None, ask: ask.clone() })
            }
            Source::Release(held) => {
                let certificate = held.certificate().clone();
                let ask = ask_of_release(&certificate, Some(HELD_FORMAT), ask);
                Ok(Self { location: Location::Held(held.data().clone()), certificate: Some(certificate), ask })
            }
        }
    }

    fn open_files(paths: &[PathBuf], ask: &Ask) -> Result<Self> {
        if let [only] = paths {
            return Self::open_one(only, ask);
        }
        let place = |path: &PathBuf| -> Result<Location> {
            let named = |error: Error| error.in_file(path.display().to_string());
            match Self::open_one(path, ask)? {
                Self { certificate: Some(_), .. } => Err(named(
                    Error::refused("a release cannot be one of several files")
                        .with_hint("a release has a certificate of its own: give it alone, or its data file"),
                )),
                Self { location: Location::Stdin, .. } => Err(named(
                    Error::refused("standard input cannot be one of several files")
                        .with_hint("save it to a file, or give it alone"),
                )),
                Self { location, .. } => Ok(location),
            }
        };
        let places = paths.iter().map(place).collect::<Result<Vec<Location>>>()?;
        let location = Location::Several(places.iter().flat_map(|place| place.each().iter().cloned()).collect());
        Ok(Self { location, certificate: None, ask: ask.clone() })
    }

    /// What `FILE` means: a file itself, a release folder's data, a folder of documents, or standard input for `-`.
    pub fn open_one(path: &Path, ask: &Ask) -> Result<Self> {
        let ask = ask.clone();
        if path == Path::new("-") {
            return Ok(Self { location: Location::Stdin, certificate: None, ask });
        }
        if !path.is_dir() {
            return Ok(Self { location: Location::File(path.to_owned()), certificate: None, ask });
        }
        if !is_release(path) {
            return Ok(Self { location: folder(path, &ask)?, certificate: None, ask });
        }
        Self::open_release(path, &ask)
    }

    /// A release folder, with what its certificate says.
    pub fn open_release(folder: &Path, ask: &Ask) -> Result<Self> {
        let certificate = Certificate::read(folder)?;
        let file = Path::new(&certificate.output.file);
        if file.components().count() != 1 || !matches!(file.components().next(), Some(std::path::Component::Normal(_)))
        {
            return Err(Error::data("the certificate does not name the data file")
                .in_file(Certificate::place(folder).display().to_string()));
        }
        let about = folder.join(file).symlink_metadata();
        if about.as_ref().is_ok_and(std::fs::Metadata::is_dir) && Format::of_path(file) == Some(io::PARTS) {
            let parts = io::parts_of(&folder.join(file))?.into_iter().map(Location::File).collect();
            let ask = ask_of_release(&certificate, Some(io::PARTS), ask);
            return Ok(Self { location: Location::Several(parts), certificate: Some(certificate), ask });
        }
        if about.is_ok_and(|metadata| !metadata.is_file()) {
            return Err(Error::data("the data file of the release is a link, a folder or a device, not a file")
                .in_file(folder.join(file).display().to_string())
                .with_hint("put the file itself into the release"));
        }
        let ask = ask_of_release(&certificate, Format::of_path(file), ask);
        Ok(Self { location: Location::File(folder.join(file)), certificate: Some(certificate), ask })
    }

    /// The original of a release, and how it is read. A release of another format may call its columns otherwise, and so may the files of an
    /// original that has several: the certificate says nothing of a column that is not there.
    pub fn open_original(&self, inputs: &Inputs, ask: &Ask) -> Result<Self> {
        let mut original = Self::open(inputs, &self.ask_of_original(ask))?;
        let has_own_columns =
            self.certificate.as_ref().is_some_and(|own| kinds::card_of(&own.input.kind).release_has_own_columns);
        if ask.columns.is_empty() && !has_own_columns {
            original.ask.columns = kinds::columns_that_are_there(&original.location, &original.ask)?;
        }
        // Who a person was taken for, unless somebody says otherwise.
        let person = self.certificate.as_ref().and_then(|certificate| certificate.input.person.clone());
        if let Some(name) = person.filter(|_| !original.ask.columns.iter().any(|choice| choice.role == "person")) {
            original.ask.columns.push(ColumnChoice { role: "person".to_owned(), name });
        }
        Ok(original)
    }

    /// How the original of a release is read, where nothing else is said: it was of that kind, and its columns have the names
    /// that the release has, unless a release of the kind has columns of its own. Its times are written as was said then, and local
    /// in the same zone.
    fn ask_of_original(&self, ask: &Ask) -> Ask {
        let Some(certificate) = &self.certificate else { return ask.clone() };
        let mut ask = ask.clone();
        let has_own_columns = kinds::card_of(&certificate.input.kind).release_has_own_columns;
        let says_nothing = ask.kind.is_none() && ask.columns.iter().all(|choice| choice.role == "person");
        if says_nothing && has_own_columns && certificate.output.kind.is_none() {
            ask.kind = Some(certificate.input.kind.clone());
            ask.is_certified = true;
            ask.table = ask.table.or_else(|| certificate.table.clone());
            let column = |(role, name): (&String, &String)| ColumnChoice { role: role.clone(), name: name.clone() };
            ask.columns.extend(certificate.input.columns.iter().map(column));
        }
        ask.log_format = ask.log_format.or_else(|| certificate.input.log_format.clone());
        ask.ipv6_prefix = ask.ipv6_prefix.or(certificate.input.ipv6_prefix);
        if ask.kind.is_none() && ask.columns.is_empty() && !has_own_columns && certificate.output.kind.is_none() {
            ask.kind = Some(certificate.input.kind.clone());
            ask.is_certified = true;
            // Numbers of columns are others where a column was left out.
            if certificate.output.header != Some(false) {
                ask.columns = columns_of(certificate);
                ask.table.clone_from(&certificate.table);
            }
        }
        ask.time_format = ask.time_format.or_else(|| certificate.input.time_format.clone());
        ask.time_zone = ask.time_zone.or_else(|| certificate.output.time_zone.clone());
        ask.timeout = ask.timeout.or(certificate.output.timeout);
        ask
    }

    /// The k of the method.
    pub fn k(&self) -> Option<usize> {
        let parameters = &self.certificate.as_ref()?.method.parameters;
        parameters.get("k")?.as_u64().map(|k| k as usize)
    }

    /// Whether accounts of the original that are alike are one person of the release.
    pub fn merges_accounts(&self) -> bool {
        let parameters = self.certificate.as_ref().map(|certificate| &certificate.method.parameters);
        parameters.and_then(|parameters| parameters.get("accounts")).is_some_and(|accounts| accounts == "merge")
    }

    /// Whether the release was made of a sample of the original's persons.
    pub fn is_of_sample(&self) -> bool {
        let accounting = self.certificate.as_ref().map(|certificate| &certificate.accounting);
        accounting.and_then(|accounting| accounting.get(PERSONS_NOT_SAMPLED)).is_some_and(|persons| persons > 0)
    }

    /// The taxonomy that a release was made with.
    pub fn taxonomy(&self) -> Option<&TaxonomyRecord> {
        self.certificate.as_ref()?.taxonomy.as_ref()
    }

    /// How many items were named as sensitive.
    pub fn sensitive_items(&self) -> Option<u64> {
        self.certificate.as_ref()?.sensitive_items
    }

    /// Whether ids are those of the original.
    pub fn keeps_ids(&self) -> bool {
        self.certificate.as_ref().is_some_and(|certificate| certificate.ids == "kept")
    }

    /// Whether ids are networks of the original's addresses.
    pub fn masks_ids(&self) -> bool {
        self.certificate.as_ref().is_some_and(|certificate| certificate.ids == "masked")
    }

    /// Whether ids are pseudonyms.
    pub fn has_pseudonyms(&self) -> bool {
        self.certificate.as_ref().is_some_and(|certificate| certificate.ids == "pseudonyms")
    }
}

/// What a folder means that is no release: files of a kind that may lie in folders, or the folder of documents that it is.
fn folder(path: &Path, ask: &Ask) -> Result<Location> {
    let files = kinds::files_in(path, ask)?;
    Ok(match files.len() {
        0 => Location::Folder(path.to_owned()),
        _ => Location::Several(files.into_iter().map(Location::File).collect()),
    })
}

/// How a release is read: as its certificate says, unless the user says otherwise.
fn ask_of_release(certificate: &Certificate, format: Option<Format>, ask: &Ask) -> Ask {
    let mut ask = ask.clone();
    ask.format = format;
    ask.delimiter = certificate.output.delimiter;
    ask.encoding = Some(Encoding::UTF_8);
    ask.no_header = certificate.output.header == Some(false);
    let kind = certificate.output.kind.as_ref().unwrap_or(&certificate.input.kind);
    ask.is_certified = ask.kind.is_none();
    ask.kind = ask.kind.or_else(|| Some(kind.clone()));
    // Who a person of the original is says nothing of a release that has pseudonyms for them.
    let is_of_original = ask.columns.iter().all(|choice| choice.role == "person");
    if ask.columns.is_empty() || (is_of_original && kinds::card_of(kind).release_has_own_columns) {
        ask.columns = columns_of(certificate);
        ask.table.clone_from(&certificate.table);
    }
    // What is said on the command line is meant for an original.
    ask.time_format.clone_from(&certificate.output.time_format);
    ask.time_zone.clone_from(&certificate.output.time_zone);
    ask.log_format.clone_from(&certificate.output.log_format);
    ask.timeout = certificate.output.timeout.or(ask.timeout);
    ask
}

/// The columns of a release, by role.
fn columns_of(certificate: &Certificate) -> Vec<ColumnChoice> {
    let column = |(role, name): (&String, &String)| ColumnChoice { role: role.clone(), name: name.clone() };
    certificate.output.columns.iter().map(column).collect()
}

/// Whether a path is a release folder: one with a certificate.
pub(crate) fn is_release(path: &Path) -> bool {
    path.is_dir() && Certificate::place(path).symlink_metadata().is_ok()
}
