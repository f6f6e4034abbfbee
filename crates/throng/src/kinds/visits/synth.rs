//! Made-up access logs, in a file.

use std::io::Write;

use throng_core::data::visits::Part;
use throng_core::progress::Progress;
use throng_core::synth::visits::{Params, Site, VisitsSynth};
use throng_core::{Error, Result};

use super::super::{Kinded, Made};
use super::MADE_UP;
use crate::io::{self, Compression, Format, FormatKind, LogName, Person, VisitsLayout};
use crate::run::SynthRequest;
use crate::words::counted;

/// Makes up a log.
pub(super) fn make(request: &SynthRequest, stdout: &mut (dyn Write + Send), progress: &dyn Progress) -> Result<Made> {
    let site = match request.site.as_str() {
        "uniform" => Site::Uniform,
        "irregular" => Site::Irregular,
        other => return Err(Error::unknown("site", other, ["uniform", "irregular"])),
    };
    let SynthRequest { persons, bots, days, seed, .. } = *request;
    let synth = VisitsSynth::new(Params { persons, site, bots, days, seed })?;
    let mut format = request.format_of(&<throng_core::data::Visits as Kinded>::CARD)?;
    if format.kind == FormatKind::Log(LogName::Any) {
        format = Format::new(FormatKind::Log(MADE_UP), format.compression);
    }
    // The name of a format says nothing of how the file is packed.
    let named = Format::of_path(&request.out).filter(|_| format.compression == Compression::None);
    format.compression = named.map_or(format.compression, |named| named.compression);
    let log = synth.log();
    let layout = VisitsLayout::made_up(format, &log)?;
    let first = |person: u32| log.text(Part::Address, log.range(person as usize).start).unwrap_or("-");
    let all: Vec<Person<'_>> = (0..log.persons() as u32).map(|person| Person { name: first(person), person }).collect();
    let rows = request.to_file(stdout, |mut out| io::write_visits(&mut out, format, &layout, &log, &all, progress))?;
    let visitors = counted(log.persons() as u64, "visitor", "visitors");
    Ok(Made { rows, said: format!("{} of {visitors}", counted(rows, "line", "lines")) })
}
