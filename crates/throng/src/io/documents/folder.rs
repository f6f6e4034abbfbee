//! A folder of documents: every `.txt`, `.md`, `.html`, `.htm` and `.pdf` in it and under it, in the order of their paths.
//!
//! # Readings
//! Hidden files and folders, links, releases and files of other endings are left out and counted. No link is followed, not
//! even one that stays in the folder: it would be the same document twice.

use std::fs;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use sha2::{Digest as _, Sha256};
use throng_core::data::{DocumentsBuilder, TermCounts};
use throng_core::profiles::lines::Pages;
use throng_core::progress::Progress;
use throng_core::taxonomy::Taxonomy;
use throng_core::{Error, Result};

use super::super::files::Files;
use super::super::source::{hash_file, hex, is_release};
use super::super::{Format, ReadOptions, scan::BadLines};
use super::{DocumentForm, ReadDocuments, html, markdown, pdf, plain};
use crate::limits;

/// Files that are read at once: enough for all cores, few enough that their texts stay small.
const BATCH: usize = 256;
/// No file may be longer than this many bytes.
const LONGEST: u64 = 256 << 20;
/// No folder may lie deeper than this.
const DEEPEST: usize = 64;

/// What a file is, by its ending.
#[derive(Clone, Copy)]
enum Ending {
    Text,
    Markdown,
    Html,
    Pdf,
}

impl Ending {
    fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "txt" => Some(Self::Text),
            "md" => Some(Self::Markdown),
            "html" | "htm" => Some(Self::Html),
            "pdf" => Some(Self::Pdf),
            _ => None,
        }
    }
}

/// A file that is a document.
struct Found {
    /// Its path in the folder, with `/` between. A name that is no text is shown as well as it can be.
    path: String,
    place: PathBuf,
    ending: Ending,
}

/// Reads the documents of a folder.
pub(super) fn read(
    folder: &Path,
    options: &ReadOptions,
    format: Format,
    taxonomy: &std::sync::Arc<Taxonomy>,
    progress: &dyn Progress,
) -> Result<ReadDocuments> {
    if let Some(choice) = options.columns.first() {
        return Err(Error::parameter("column", format!("names the {}, but a folder has no columns", choice.role))
            .with_hint("the label of a document is the name of its sub-folder"));
    }
    let (found, left_out) = files(folder)?;
    progress.stage("reading", found.len() as u64);
    let mut builder = DocumentsBuilder::new(Some(taxonomy.clone()));
    let (mut refused, mut words) = (0, 0);
    for batch in found.chunks(BATCH) {
        progress.go_on()?;
        let counted: Vec<Result<TermCounts>> = batch
            .par_iter()
            .with_max_len(1)
            .map(|found| {
                let path = &found.place;
                let text = text_of(path, found.ending);
                progress.advance(1);
                text.map(|text| TermCounts::of(&text, taxonomy))
                    .map_err(|error| error.in_file(path.display().to_string()))
            })
            .collect();
        for (found, counts) in batch.iter().zip(counted) {
            let counts = match (counts, options.bad_lines) {
                (Ok(counts), _) => counts,
                (Err(error), BadLines::Fail) => return Err(error),
                (Err(_), BadLines::Skip) => {
                    refused += 1;
                    continue;
                }
            };
            words += counts.words();
            let label = found.path.split_once('/').map(|(first, _)| first);
            // Paths differ, unless their names are no text and look the same.
            if !builder.push_counts(&found.path, &counts, label) {
                refused += 1;
            }
        }
    }
    let documents = builder.finish();
    if documents.persons() == 0 {
        return Err(Error::data("no file of the folder could be read")
            .with_hint("there is nothing to protect in it; without `--bad-lines skip` the first of them is named")
            .in_file(folder.display().to_string()));
    }
    Ok(ReadDocuments {
        documents,
        form: DocumentForm::Folder,
        format,
        words: Some(words),
        refused,
        left_out,
        first_lines: Vec::new(),
        columns: Vec::new(),
        unmapped: Vec::new(),
        uncompared: Vec::new(),
        labels: 0,
        lines: 0,
        files: Files::default(),
    })
}

/// The saved pages of a folder, each by its path there, which is its address without the scheme, as `wget --mirror` writes them.
pub fn read_pages(folder: &Path, progress: &dyn Progress) -> Result<Pages> {
    let (found, _) = files(folder)?;
    progress.stage("reading pages", found.len() as u64);
    let (mut pages, mut bytes) = (Pages::new(), 0);
    for batch in found.chunks(BATCH) {
        progress.go_on()?;
        let read = |found: &Found| {
            progress.advance(1);
            text_of(&found.place, found.ending).map_err(|error| error.in_file(found.place.display().to_string()))
        };
        let texts: Vec<Result<String>> = batch.par_iter().with_max_len(1).map(read).collect();
        for (found, text) in batch.iter().zip(texts) {
            let text = text?;
            bytes += text.len();
            if bytes > limits::MOST_PAGES_BYTES {
                let problem = format!("the pages have more than {} GiB of text", limits::MOST_PAGES_BYTES >> 30);
                return Err(Error::data(problem).in_file(folder.display().to_string()));
            }
            pages.add(&found.path, &text);
        }
    }
    Ok(pages)
}

/// The SHA-256 of a folder: that of a line for each document with its own hash and its path, as `sha256sum` writes them.
pub fn hash_folder(folder: &Path) -> Result<String> {
    let (found, _) = files(folder)?;
    let hashes: Vec<Result<String>> = found.par_iter().map(|found| hash_file(&found.place)).collect();
    let mut hasher = Sha256::new();
    for (found, hash) in found.iter().zip(hashes) {
        hasher.update(format!("{}  {}\n", hash?, found.path));
    }
    Ok(hex(&hasher.finalize()))
}

/// The documents of a folder in the order of their paths, and how many files were left out.
fn files(folder: &Path) -> Result<(Vec<Found>, u64)> {
    let (mut found, mut left_out) = (Vec::new(), 0);
    walk(folder, "", 0, &mut found, &mut left_out)?;
    found.sort_by(|left, right| left.path.cmp(&right.path));
    if found.is_empty() {
        let others = match left_out {
            0 => String::new(),
            1 => ": 1 file is hidden, or of another ending".to_owned(),
            count => format!(": {count} files are hidden, or of other endings"),
        };
        return Err(Error::data(format!("the folder holds no documents{others}"))
            .with_hint(
                "documents end with .txt, .md, .html or .pdf; a release folder holds `certificate.json`; else give a \
                 data file",
            )
            .in_file(folder.display().to_string()));
    }
    Ok((found, left_out))
}

fn walk(folder: &Path, path: &str, depth: usize, found: &mut Vec<Found>, left_out: &mut u64) -> Result<()> {
    let failed = |cause| Error::io(format!("read the folder {}", folder.display()), cause);
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let kind = entry.file_type().map_err(failed)?;
        let own = if path.is_empty() { name.clone().into_owned() } else { format!("{path}/{name}") };
        if name.starts_with('.') {
            // What throng is writing just now is none of the folder's files.
            *left_out += u64::from(!name.starts_with(".throng-"));
        } else if kind.is_dir() && is_release(&entry.path()) {
            *left_out += 1;
        } else if kind.is_dir() && depth < DEEPEST {
            walk(&entry.path(), &own, depth + 1, found, left_out)?;
        } else {
            match Ending::of(&entry.path()) {
                Some(ending) if kind.is_file() => found.push(Found { path: own, place: entry.path(), ending }),
                _ => *left_out += 1,
            }
        }
    }
    Ok(())
}

/// The text of a file.
fn text_of(path: &Path, ending: Ending) -> Result<String> {
    let failed = |cause| Error::io(format!("read {}", path.display()), cause);
    if fs::metadata(path).map_err(failed)?.len() > LONGEST {
        return Err(Error::data(format!("the file is longer than {} MiB", LONGEST >> 20))
            .with_hint("is this one document? `--bad-lines skip` leaves such files out"));
    }
    let bytes = fs::read(path).map_err(failed)?;
    Ok(match ending {
        Ending::Text => plain::decode(bytes)?,
        Ending::Markdown => markdown::to_text(&plain::decode(bytes)?),
        Ending::Html => html::to_text(&plain::decode(bytes)?),
        Ending::Pdf => pdf::to_text(bytes)?,
    })
}
