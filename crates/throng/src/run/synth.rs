//! `throng synth`: made-up data in any format.

use std::io::{BufWriter, Write};
use std::path::Path;

use throng_core::progress::{Progress, Silent};
use throng_core::synth::baskets::BasketsSynth;
use throng_core::synth::queries::QueriesSynth;
use throng_core::{Error, Result};

use crate::io::{BasketLayout, Form, Format, Layout, LogWriter, Person, write_baskets};
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

/// Writes to a file, which must not exist, or to standard output if there is none.
fn to_file(
    out: Option<&Path>,
    stdout: &mut (dyn Write + Send),
    write: impl FnOnce(&mut (dyn Write + Send)) -> Result<u64>,
) -> Result<u64> {
    let Some(path) = out else { return write(stdout) };
    if path.symlink_metadata().is_ok() {
        return Err(
            Error::refused(format!("{} exists already", path.display())).with_hint("choose another name, or remove it")
        );
    }
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
