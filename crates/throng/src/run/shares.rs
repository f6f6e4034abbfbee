//! `throng shares open`: a release that shows shares, and what they say to whoever puts all of them together.

use std::io::{BufWriter, Write as _};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use throng_core::progress::Progress;
use throng_core::shares::Trouble;
use throng_core::{Error, Result};

use super::certified::Certified;
use super::synth::refuse_existing;
use crate::io::{Format, Opened, Person};
use crate::kinds::{self, Ask, Kinded, OpenedShares, Purpose, Read};
use crate::pending::{self, Pending};

/// What to open.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SharesRequest {
    /// A release folder, or a file of shares.
    pub release: PathBuf,
    /// The file to make, which must not exist.
    pub out: PathBuf,
    /// How to read the release.
    pub ask: Ask,
}

/// What was opened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SharesOutcome {
    /// The file that was made.
    pub file: String,
    /// How many different texts could be opened.
    pub texts: usize,
    /// The persons who have one of them.
    pub persons: usize,
    /// Their rows.
    pub rows: u64,
    /// Rows that stay closed: too few persons have the other shares.
    pub rows_closed: u64,
}

/// Opens what can be opened, and writes it as the release would be without shares.
pub fn open_shares(request: &SharesRequest, progress: &dyn Progress) -> Result<SharesOutcome> {
    pending::refuse_stdout(&request.out)?;
    refuse_existing(&request.out)?;
    pending::refuse_in_release(&request.out, "file of opened shares")?;
    let certified = Certified::open_one(&request.release, &request.ask)?;
    if let Some(certificate) = &certified.certificate
        && !certificate.output.is_of(&certified.location)?
    {
        return Err(Error::refused(
            "the data are not those of the certificate: shares of another release, or changed ones",
        )
        .in_file(certified.location.to_string())
        .with_hint("take the release as it was published; `throng check` says what else differs"));
    }
    let (kind, opened) = kinds::open(&certified.location, &certified.ask)?;
    kind.open_shares(request, &certified, opened, progress)
}

/// Opens shares in data of a kind.
pub(crate) fn open_shares_as<D: Kinded>(
    request: &SharesRequest,
    certified: &Certified,
    opened: Opened,
    progress: &dyn Progress,
) -> Result<SharesOutcome> {
    let Read { data, about } = D::read(opened, &certified.ask, Purpose::Release, progress)?;
    let trouble = |trouble: Trouble| -> Error {
        let found = data.texts().get(trouble.text() as usize).map(|text| (*text).to_owned());
        let error = Error::data(trouble.in_words()).with_hint(
            "`protect --method query-threshold --shares` makes such a release; open one release at a time, as it was published",
        );
        let place =
            found.and_then(|text| D::line_of(&certified.location, &certified.ask, "query", &text, progress).ok());
        match place.flatten() {
            Some((file, line)) => error.at_line(line).in_file(file.unwrap_or_else(|| certified.location.to_string())),
            None => error.in_file(certified.location.to_string()),
        }
    };
    let Some(found) = data.opened_shares() else {
        return Err(Error::refused(format!("these are {}, which have no shares", D::CARD.name))
            .with_hint("`protect --method query-threshold --shares` makes a search log of shares"));
    };
    let OpenedShares { data: log, texts, closed, most_unopened } = found.map_err(trouble)?;
    let threshold = certified.certificate.iter().flat_map(|certificate| &certificate.claims);
    let threshold = threshold.filter_map(|claim| claim.parameters.get("min-persons")?.as_u64()).next();
    if let (Some((most, _)), Some(least)) = (most_unopened, threshold)
        && most as u64 >= least
    {
        return Err(Error::data(format!("{most} shares of one text do not open it, and {least} should"))
            .in_file(certified.location.to_string())
            .with_hint("shares were changed: take the release as it was published"));
    }
    let (format, layout) = D::release_layout(&about, Format::of_path(&request.out), &log)?;
    let layout = D::with_raw_cells(layout, true);
    let failed = |cause| Error::io(format!("write {}", request.out.display()), cause);
    let (file, unfinished) = Pending::file(&request.out, false).map_err(failed)?;
    let mut writer = BufWriter::with_capacity(1 << 20, file);
    let person = |person: u32| Person { name: log.names().get(person), person };
    let persons: Vec<Person<'_>> = (0..log.persons() as u32).map(person).collect();
    let rows = D::write(&mut writer, format, &layout, &log, &persons, progress)?;
    writer.flush().map_err(failed)?;
    pending::publish(vec![(unfinished, request.out.clone())])?;
    let file = request.out.display().to_string();
    Ok(SharesOutcome { file, texts, persons: log.persons(), rows, rows_closed: closed })
}
