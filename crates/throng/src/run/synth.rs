//! `throng synth`: made-up data in any format.

use std::io::{BufWriter, Write};
use std::path::Path;

use throng_core::progress::{Progress, Silent};
use throng_core::synth::baskets::BasketsSynth;
use throng_core::synth::documents::{DocumentsSynth, Made};
use throng_core::synth::queries::QueriesSynth;
use throng_core::{Error, Result};

use crate::io::{BasketLayout, Compression, Form, Format, FormatKind, Layout, LogWriter, Person, write_baskets};
use crate::pending::{self, Pending};

/// Persons made at a time: enough to keep all cores busy, few enough to stay small.
const BLOCK: usize = 5000;

/// Writes a made-up search log to a file, which must not exist, or to any other writer. Gives the number of rows.
pub fn synth_queries(
    synth: &QueriesSynth,
    out: Option<&Path>,
    stdout: &mut (dyn Write + Send),
    format: Format,
    progress: &dyn Progress,
) -> Result<u64> {
    to_file(out, stdout, |out| write(synth, out, format, progress))
}

/// Writes made-up baskets to a file, which must not exist, or to any other writer. Gives the number of items.
pub fn synth_baskets(
    synth: &BasketsSynth,
    out: Option<&Path>,
    stdout: &mut (dyn Write + Send),
    format: Format,
    progress: &dyn Progress,
) -> Result<u64> {
    let layout = BasketLayout::new(Form::Lines, false).fitted(format.kind)?;
    to_file(out, stdout, |mut out| {
        progress.stage("making up baskets", 0);
        let baskets = synth.block(0..synth.persons());
        let persons: Vec<Person<'_>> =
            (0..baskets.persons() as u32).map(|person| Person { name: baskets.names().get(person), person }).collect();
        write_baskets(&mut out, format, &layout, &baskets, &persons, progress)
    })
}

/// Documents made at a time.
const DOCUMENTS: usize = 500;

/// Writes made-up documents: texts in JSON lines with their labels, or, without a format, a folder with a sub-folder for
/// each label. Gives the number of words.
pub fn synth_documents(
    synth: &DocumentsSynth,
    out: Option<&Path>,
    stdout: &mut (dyn Write + Send),
    format: Option<Format>,
    progress: &dyn Progress,
) -> Result<u64> {
    progress.stage("making up documents", synth.persons() as u64);
    let mut words = 0;
    let mut each = |take: &mut dyn FnMut(&Made) -> Result<()>| -> Result<u64> {
        let mut start = 0;
        while start < synth.persons() {
            let end = (start + DOCUMENTS).min(synth.persons());
            for made in synth.block(start..end) {
                words += made.text.split_whitespace().count() as u64;
                take(&made)?;
            }
            progress.advance((end - start) as u64);
            start = end;
        }
        Ok(words)
    };
    match (format, out) {
        (Some(format), out) => {
            if format.kind != FormatKind::JsonLines {
                return Err(Error::refused(format!("made-up documents cannot be written as {format}"))
                    .with_hint("choose jsonl (also .gz, .zst), or a folder: a name without an ending"));
            }
            let failed = |cause| Error::io("write the data", cause);
            to_file(out, stdout, |out| {
                let mut out: Box<dyn Finish + '_> = match format.compression {
                    Compression::None => Box::new(out),
                    Compression::Gzip => Box::new(flate2::write::GzEncoder::new(out, flate2::Compression::new(6))),
                    Compression::Zstd => Box::new(zstd::stream::write::Encoder::new(out, 3).map_err(failed)?),
                };
                let words = each(&mut |made| {
                    let line = serde_json::json!({"id": made.id, "label": made.label, "text": made.text});
                    writeln!(out, "{line}").map_err(failed)
                })?;
                out.end().map_err(failed)?;
                Ok(words)
            })
        }
        (None, Some(folder)) => {
            refuse_existing(folder)?;
            let unfinished = Pending::folder(folder)
                .map_err(|cause| Error::io(format!("write into {}", pending::folder_of(folder).display()), cause))?;
            let root = unfinished.path().to_owned();
            let words = each(&mut |made| {
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
        (None, None) => Err(Error::internal("a folder on standard output")),
    }
}

/// A writer that ends what it has begun.
trait Finish: Write {
    fn end(self: Box<Self>) -> std::io::Result<()>;
}

impl Finish for &mut (dyn Write + Send) {
    fn end(mut self: Box<Self>) -> std::io::Result<()> {
        self.flush()
    }
}

impl<W: Write> Finish for flate2::write::GzEncoder<W> {
    fn end(self: Box<Self>) -> std::io::Result<()> {
        self.finish().map(drop)
    }
}

impl<W: Write> Finish for zstd::stream::write::Encoder<'_, W> {
    fn end(self: Box<Self>) -> std::io::Result<()> {
        self.finish().map(drop)
    }
}

fn refuse_existing(path: &Path) -> Result<()> {
    if path.symlink_metadata().is_ok() {
        return Err(
            Error::refused(format!("{} exists already", path.display())).with_hint("choose another name, or remove it")
        );
    }
    Ok(())
}

/// Writes to a file, which must not exist, or to standard output if there is none.
fn to_file(
    out: Option<&Path>,
    stdout: &mut (dyn Write + Send),
    write: impl FnOnce(&mut (dyn Write + Send)) -> Result<u64>,
) -> Result<u64> {
    let Some(path) = out else { return write(stdout) };
    refuse_existing(path)?;
    let failed = |cause| Error::io(format!("write {}", path.display()), cause);
    let (file, unfinished) = Pending::file(path, false).map_err(failed)?;
    let mut writer = BufWriter::with_capacity(1 << 20, file);
    let rows = write(&mut writer)?;
    writer.flush().map_err(failed)?;
    pending::publish(vec![(unfinished, path.to_owned())])?;
    Ok(rows)
}

fn write(
    synth: &QueriesSynth,
    mut out: &mut (dyn Write + Send),
    format: Format,
    progress: &dyn Progress,
) -> Result<u64> {
    progress.stage("making up searches", synth.persons() as u64);
    let layout = Layout { typed_time: true, ..Layout::aol() };
    let mut writer = LogWriter::new(&mut out, format, &layout)?;
    let mut start = 0;
    while start < synth.persons() {
        let end = (start + BLOCK).min(synth.persons());
        let log = synth.block(start..end);
        let persons: Vec<Person<'_>> =
            (0..log.persons() as u32).map(|person| Person { name: log.names().get(person), person }).collect();
        writer.append(&log, &persons, &Silent)?;
        progress.advance((end - start) as u64);
        start = end;
    }
    writer.finish()
}
